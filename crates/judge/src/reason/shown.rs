//! How much of a reason's line a sentence shows.

use centipawn_core::{History, material_value};
use shakmaty::{Chess, Move, Role, Square, san::SanPlus};

use super::{Gain, Motif, Prize, Reason, Trade};

/// Maximum number of half-moves of the line in a sentence. The document has the whole line.
pub(super) const LONGEST_SHOWN: usize = 7;

impl Reason {
    /// Returns the moves of its line in SAN; `before` is the position before the mistake `played`.
    pub fn san(&self, before: &History, played: Move) -> Vec<String> {
        let mut position: Chess = self.kind.start(before, played).position().clone();
        let san = |&mv: &Move| SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string();
        self.line.iter().map(san).collect()
    }

    /// Extends the half-moves so that an exchange on the last square is shown to its end. Otherwise
    /// the reader would object that the piece can be recaptured.
    fn through_exchange(&self, plies: usize) -> usize {
        let captures_on = |index: usize, square: Square| {
            self.line
                .get(index)
                .is_some_and(|mv| mv.is_capture() && mv.to() == square)
        };
        let Some(square) = plies
            .checked_sub(1)
            .and_then(|last| self.line.get(last))
            .map(|mv| mv.to())
        else {
            return plies;
        };
        let mut plies = plies;
        while plies + 2 <= LONGEST_SHOWN
            && captures_on(plies, square)
            && captures_on(plies + 1, square)
        {
            plies += 2;
        }
        plies
    }

    /// Returns the number of half-moves of the line to show in a sentence: up to the mate, or up to
    /// the capture of the prize, if they come soon; else 1.
    pub fn plies_shown(&self) -> usize {
        let to = |is: &dyn Fn(&Move) -> bool| {
            let index = self.line.iter().step_by(2).position(is);
            index
                .map(|index| 2 * index + 1)
                .filter(|plies| *plies <= LONGEST_SHOWN)
                .unwrap_or(1)
        };
        let capture = |is: &dyn Fn(Role) -> bool| to(&|mv| mv.capture().is_some_and(is));
        let plies = match self.gain {
            // Stop at the half-move at which the captures add up to the prize that the sentence
            // names.
            Gain::Material(
                Prize::Piece(_)
                | Prize::Exchange
                | Prize::QueenFor(_)
                | Prize::TwoPieces
                | Prize::Trade(_),
                _,
            ) if let Some(plies) = self.shown => {
                return plies;
            }
            Gain::Material(..) if self.motif == Some(Motif::Promotion) => {
                to(&|mv| mv.is_promotion())
            }
            Gain::Mate(_) => Some(self.line.len())
                .filter(|plies| *plies <= LONGEST_SHOWN)
                .unwrap_or(1),
            Gain::Material(Prize::Piece(role), _) => capture(&|taken| taken == role),
            Gain::Material(Prize::Pawns(1), _) => capture(&|taken| taken == Role::Pawn),
            Gain::Material(Prize::Exchange, _) => capture(&|taken| taken == Role::Rook),
            Gain::Material(Prize::QueenFor(_), _) => capture(&|taken| taken == Role::Queen),
            Gain::Material(Prize::TwoPieces, _) => {
                capture(&|taken| material_value(taken) == material_value(Role::Knight))
            }
            Gain::Material(Prize::Trade(trade), _) => {
                let dearest = Trade::men(trade.won).map(|(role, _)| role).next();
                capture(&|taken| dearest == Some(taken))
            }
            Gain::Material(Prize::Pawns(_) | Prize::Worth(_), _) => capture(&|_| true),
            // Show the moves up to the draw, or the first moves of a perpetual check.
            Gain::Draw(_) => self.line.len().min(LONGEST_SHOWN),
            Gain::Idea(_) => return self.line.len().min(LONGEST_SHOWN),
        };
        self.through_exchange(plies)
    }

    /// Returns whether the first move takes more than the line wins: the rest is given back.
    pub fn takes_more(&self) -> bool {
        let Gain::Material(prize, pawns) = self.gain else {
            return false;
        };
        let taken = self.line.first().and_then(|first| first.capture());
        let is_sum = matches!(prize, Prize::Pawns(_) | Prize::Worth(_));
        is_sum && taken.is_some_and(|taken| material_value(taken) > pawns && !prize.is_of(taken))
    }
}
