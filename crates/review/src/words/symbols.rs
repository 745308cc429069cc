//! The names of the symbols of moves.

use centipawn_core::MoveSymbol;

use crate::Language;

impl Language {
    /// Returns the name of a symbol: `blunder` for `??`, in German `grober Fehler`.
    pub fn symbol(self, symbol: MoveSymbol) -> &'static str {
        match symbol {
            MoveSymbol::Brilliant => self.pick("brilliant", "brillant"),
            MoveSymbol::Good => self.pick("good", "gut"),
            MoveSymbol::Interesting => self.pick("interesting", "interessant"),
            MoveSymbol::Dubious => self.pick("dubious", "zweifelhaft"),
            MoveSymbol::Mistake => self.pick("mistake", "Fehler"),
            MoveSymbol::Blunder => self.pick("blunder", "grober Fehler"),
        }
    }
}
