//! Parses moves as people type them.

use shakmaty::{CastlingSide, Chess, Move, Position as _, Role, san::SanPlus};

/// The reason why a text is not a move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAMove {
    /// The text matches no legal move.
    #[error("not a legal move")]
    Illegal,
    /// The text matches several legal moves, given in SAN.
    #[error("it may mean {}", .0.join(" or "))]
    Ambiguous(Vec<String>),
}

/// Returns the legal move for a typed text in SAN or UCI notation. `x`, `+`, `=` and the like are
/// optional. Case matters only if it distinguishes moves (`bc4` is the pawn's if it can go there).
/// A pawn promotes to a queen unless another piece is named.
///
/// # Errors
///
/// [`NotAMove`] if the text matches no legal move, or several.
///
/// ```
/// use centipawn_puzzle::solve::{NotAMove, typed_move};
/// use shakmaty::{Chess, san::SanPlus};
///
/// let start = Chess::default();
/// let mv = typed_move(&start, "nf3")?;
/// assert_eq!(SanPlus::from_move(start.clone(), mv).to_string(), "Nf3");
/// assert_eq!(typed_move(&start, "Ke2"), Err(NotAMove::Illegal));
/// # Ok::<_, NotAMove>(())
/// ```
pub fn typed_move(position: &Chess, text: &str) -> Result<Move, NotAMove> {
    let text: String = text
        .chars()
        .filter(|char| !"x-=+#!?:(). \t".contains(*char))
        .collect();
    let text = match text.as_str() {
        // The filter above also removed the hyphens of castling. Restore them, because `spellings`
        // returns castling as `O-O` and `O-O-O`.
        "00" | "oo" | "OO" => "O-O".to_owned(),
        "000" | "ooo" | "OOO" => "O-O-O".to_owned(),
        other => other.strip_suffix("ep").unwrap_or(other).to_owned(),
    };
    let legal = position.legal_moves();
    let meaning = |is_meant: &dyn Fn(&str) -> bool| -> Vec<Move> {
        legal
            .iter()
            .copied()
            .filter(|&mv| {
                spellings(position, mv)
                    .iter()
                    .any(|spelling| is_meant(spelling))
            })
            .collect()
    };
    let mut found = meaning(&|spelling| spelling == text);
    if found.is_empty() {
        found = meaning(&|spelling| spelling.eq_ignore_ascii_case(&text));
    }
    match found[..] {
        [] => Err(NotAMove::Illegal),
        [mv] => Ok(mv),
        _ => Err(NotAMove::Ambiguous(
            found
                .iter()
                .map(|&mv| SanPlus::from_move(position.clone(), mv).to_string())
                .collect(),
        )),
    }
}

/// Returns all spellings of a move, without `x`, `+` and `=`.
fn spellings(position: &Chess, mv: Move) -> Vec<String> {
    if let Move::Castle { king, rook } = mv {
        let side = mv.castling_side().unwrap_or(CastlingSide::KingSide);
        let san = if side == CastlingSide::KingSide {
            "O-O"
        } else {
            "O-O-O"
        };
        return vec![
            san.to_owned(),
            format!("{king}{}", side.king_to(position.turn())),
            format!("{king}{rook}"),
        ];
    }
    let (Some(from), to) = (mv.from(), mv.to()) else {
        return Vec::new();
    };
    let mut plain = vec![format!("{from}{to}")];
    if mv.role() == Role::Pawn {
        plain.push(if mv.is_capture() {
            format!("{}{to}", from.file())
        } else {
            to.to_string()
        });
    } else {
        let piece = mv.role().upper_char();
        let (file, rank) = (from.file(), from.rank());
        plain.extend(
            [
                "".to_owned(),
                file.to_string(),
                rank.to_string(),
                from.to_string(),
            ]
            .map(|from| format!("{piece}{from}{to}")),
        );
    }
    match mv.promotion() {
        None => plain,
        Some(role) => {
            let with_role = plain
                .iter()
                .map(|move_| format!("{move_}{}", role.upper_char()))
                .collect();
            if role == Role::Queen {
                [plain, with_role].concat()
            } else {
                with_role
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use centipawn_core::History;

    use super::*;

    fn meant(fen: &str, text: &str) -> String {
        let position = History::from_fen(fen, None).unwrap().position().clone();
        match typed_move(&position, text) {
            Ok(mv) => SanPlus::from_move(position, mv).to_string(),
            Err(NotAMove::Illegal) => "illegal".to_owned(),
            Err(NotAMove::Ambiguous(moves)) => moves.join("/"),
        }
    }

    #[test]
    fn san_and_uci_are_parsed_without_punctuation() {
        let fen = "r3k2r/8/8/3p4/2P1P3/1P6/4B3/R3K1NR w KQkq - 0 1";
        for (text, san) in [
            ("Nf3", "Nf3"),
            ("nf3", "Nf3"),
            ("g1f3", "Nf3"),
            ("G1-F3", "Nf3"),
            ("N1f3", "Nf3"),
            ("exd5", "exd5"),
            ("ed5!", "exd5"),
            ("e4xd5", "exd5"),
            ("d5", "illegal"),
            ("cd", "illegal"),
            ("o-o-o", "O-O-O"),
            ("0-0-0", "O-O-O"),
            ("e1c1", "O-O-O"),
            ("e1a1", "O-O-O"),
            ("O-O", "illegal"),
            ("b4", "b4"),
            ("Bd1", "Bd1"),
            ("bd1", "Bd1"),
            ("", "illegal"),
            ("♘f3", "illegal"),
        ] {
            assert_eq!(meant(fen, text), san, "{text}");
        }
    }

    #[test]
    fn ambiguous_moves_are_refused_with_the_alternatives() {
        let rooks = "4k3/8/8/8/8/8/8/R3K2R w - - 0 1";
        assert_eq!(meant(rooks, "rd1"), "Rd1");
        assert_eq!(meant("R6R/4k3/8/8/8/8/8/4K3 w - - 0 1", "Rd8"), "Rad8/Rhd8");
        assert_eq!(meant("R6R/4k3/8/8/8/8/8/4K3 w - - 0 1", "rad8"), "Rad8");
        // A pawn and a bishop can both move to c4.
        let bishop = "4k3/8/8/8/2p5/1P6/8/4KB2 w - - 0 1";
        assert_eq!(
            (meant(bishop, "bc4"), meant(bishop, "Bc4")),
            ("bxc4".to_owned(), "Bxc4".to_owned())
        );
    }

    #[test]
    fn promotions_and_en_passant_captures_are_parsed() {
        let fen = "3n4/4P3/8/1pP5/8/8/8/k3K3 w - b6 0 1";
        for (text, san) in [
            ("e8", "e8=Q"),
            ("e8=Q", "e8=Q"),
            ("e7e8n", "e8=N"),
            ("ed8r", "exd8=R"),
            ("e7d8", "exd8=Q"),
            ("cxb6 e.p.", "cxb6"),
            ("c5b6", "cxb6"),
        ] {
            assert_eq!(meant(fen, text), san, "{text}");
        }
    }
}
