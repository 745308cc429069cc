//! The names of motifs in sentences.

use centipawn_judge::reason::Motif;

use crate::Language;

impl Language {
    /// Returns a motif as an object, after "there is": `a fork`, in German `eine Gabel`.
    pub fn motif(self, motif: Motif) -> &'static str {
        let (english, german) = words(motif);
        self.pick(english, german)
    }
}

/// Returns a motif in English and in German. The page's tables of names are generated from these.
fn words(motif: Motif) -> (&'static str, &'static str) {
    match motif {
        Motif::Hanging => (
            "an undefended piece to take",
            "eine ungedeckte Figur zu schlagen",
        ),
        Motif::Capture => (
            "an exchange that wins material",
            "einen Abtausch, der Material gewinnt",
        ),
        Motif::Recapture => ("a recapture", "ein Zurückschlagen"),
        Motif::OtherCapture => (
            "a capture with another piece",
            "ein Schlagen mit einer anderen Figur",
        ),
        Motif::Fork => ("a fork", "eine Gabel"),
        Motif::Pin => (
            "a pin that wins material",
            "eine Fesselung, die Material gewinnt",
        ),
        Motif::Skewer => ("a skewer", "einen Spieß"),
        Motif::DiscoveredAttack => ("a discovered attack", "einen Abzug"),
        Motif::DoubleCheck => ("a double check", "ein Doppelschach"),
        Motif::RemovedDefender => ("a defender to take", "eine Deckung wegzuschlagen"),
        Motif::TrappedPiece => ("a piece to trap", "eine Figur zu fangen"),
        Motif::Intermezzo => ("an in-between move", "einen Zwischenzug"),
        Motif::Promotion => ("a pawn that promotes", "einen Bauern, der umwandelt"),
        Motif::BackRank => ("a mate on the back rank", "ein Matt auf der Grundreihe"),
        Motif::Smothered => ("a smothered mate", "ein ersticktes Matt"),
        Motif::Perpetual => ("a perpetual check", "ein Dauerschach"),
        Motif::Repetition => (
            "a draw by repetition",
            "ein Remis durch Stellungswiederholung",
        ),
        Motif::Stalemate => ("a stalemate", "ein Patt"),
        Motif::FiftyMoves => (
            "a draw by the fifty-move rule",
            "ein Remis nach der 50-Züge-Regel",
        ),
        Motif::Threat => ("a threat to meet", "eine Drohung abzuwehren"),
        Motif::Prevention => (
            "a move of the opponent's to prevent",
            "einen Zug des Gegners zu verhindern",
        ),
        Motif::Attack => (
            "an attack on a piece to avoid",
            "einen Angriff auf eine Figur zu vermeiden",
        ),
        Motif::NewThreat => (
            "a move that threatens something",
            "einen Zug mit einer Drohung",
        ),
        Motif::QueenTrade => ("an exchange of queens", "einen Damentausch"),
        Motif::PawnEnding => (
            "an exchange into a pawn ending",
            "einen Abtausch ins Bauernendspiel",
        ),
        Motif::Castling => ("castling", "eine Rochade"),
        Motif::Break => ("a pawn break", "einen Bauernvorstoß"),
        Motif::Development => ("a piece to develop", "eine Figur zu entwickeln"),
        Motif::Order => ("a better order of moves", "eine bessere Zugfolge"),
    }
}
