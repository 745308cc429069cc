//! Moves as written in files, found among the legal moves.

use shakmaty::{
    CastlingSide, Chess, File, Move, MoveList, Position, Rank, Role, Square, uci::UciMove,
};

use crate::{
    spelling::{is_null, named_piece, plain},
    token::looks_like_move,
};

/// The reason why a written move is not playable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unplayable {
    /// The text is not a move.
    NotAMove,
    /// The text is a null move.
    Null,
    /// The text matches no legal move.
    Illegal,
    /// The text matches several legal moves.
    Ambiguous,
}

/// A move as written, before a board resolves it.
pub(crate) enum Written {
    Null,
    Castle(CastlingSide),
    /// Origin and target, without the piece: `e2e4`, `e1g1`, `e7-e8=Q`.
    Squares {
        from: Square,
        to: Square,
        promotion: Option<Role>,
    },
    Piece {
        role: Role,
        file: Option<File>,
        rank: Option<Rank>,
        to: Square,
        promotion: Option<Role>,
    },
}

/// Returns the legal move that `text` means: SAN, long algebraic or UCI notation, with or without
/// `x` and `=`, possibly with more disambiguation than needed.
pub(crate) fn resolve(text: &[u8], position: &Chess) -> Result<Move, Unplayable> {
    match parse(text).ok_or(Unplayable::NotAMove)? {
        Written::Null => Err(Unplayable::Null),
        Written::Castle(side) => position
            .castling_moves(side)
            .first()
            .copied()
            .ok_or(Unplayable::Illegal),
        Written::Squares {
            from,
            to,
            promotion,
        } => UciMove::Normal {
            from,
            to,
            promotion,
        }
        .to_move(position)
        .map_err(|_| Unplayable::Illegal),
        Written::Piece {
            role,
            file,
            rank,
            to,
            promotion,
        } => {
            // A pawn that captures is identified by its file.
            let file = file.or((role == Role::Pawn).then_some(to.file()));
            let mut found: MoveList = position.san_candidates(role, to);
            found.retain(|mv| {
                mv.from().is_some_and(|from| {
                    file.is_none_or(|file| file == from.file())
                        && rank.is_none_or(|rank| rank == from.rank())
                }) && !mv.is_castle()
                    && mv.promotion() == promotion
            });
            match found.as_slice() {
                [] => Err(Unplayable::Illegal),
                [mv] => Ok(*mv),
                _ => Err(Unplayable::Ambiguous),
            }
        }
    }
}

/// Returns whether a word is prose: it is neither written as a move nor like one that is mistyped.
pub(crate) fn is_prose(word: &[u8]) -> bool {
    !looks_like_move(word) && !matches!(parse(word), Some(Written::Castle(_)))
}

/// Returns whether a word has the form of a move, though its squares need not be on the board:
/// `Qe9`, `e2e9`, `i4`. Faulty engines send such moves.
pub(crate) fn has_form_of_move(word: &[u8]) -> bool {
    let word = word.strip_prefix(b"P").unwrap_or(word);
    let word = match word {
        [b'K' | b'Q' | b'R' | b'B' | b'N', rest @ ..] => rest,
        _ => word,
    };
    let is_letter = |byte: &u8| byte.is_ascii_lowercase();
    let Some(to) = word
        .windows(2)
        .rposition(|pair| is_letter(&pair[0]) && pair[1].is_ascii_digit())
    else {
        return false;
    };
    let from = word[..to]
        .strip_suffix(b"x")
        .or(word[..to].strip_suffix(b"-"))
        .unwrap_or(&word[..to]);
    let is_from = match from {
        [] => true,
        [one] => one.is_ascii_alphanumeric(),
        [file, rank] => is_letter(file) && rank.is_ascii_digit(),
        _ => false,
    };
    is_from
        && matches!(
            word[to + 2..],
            [] | [b'q' | b'r' | b'b' | b'n' | b'Q' | b'R' | b'B' | b'N'] | [b'=', _]
        )
}

pub(crate) fn parse(text: &[u8]) -> Option<Written> {
    if is_null(text) {
        return Some(Written::Null);
    }
    if !text.is_ascii() {
        return plain(text).and_then(|plain| parse(plain.bytes()));
    }
    match text {
        b"OO" => return Some(Written::Castle(CastlingSide::KingSide)),
        b"OOO" => return Some(Written::Castle(CastlingSide::QueenSide)),
        [one, b'-', two] if are_castling(&[*one, *two]) => {
            return Some(Written::Castle(CastlingSide::KingSide));
        }
        [one, b'-', two, b'-', three] if are_castling(&[*one, *two, *three]) => {
            return Some(Written::Castle(CastlingSide::QueenSide));
        }
        _ => {}
    }
    // `ep` in `exd6ep` belongs to the move; a separate `ep` is no token.
    let text = text
        .strip_suffix(b"ep")
        .filter(|text| matches!(*text, [b'a'..=b'h', .., b'3' | b'6']))
        .unwrap_or(text);
    let (role, rest) = match text {
        [
            letter @ (b'K' | b'Q' | b'R' | b'B' | b'N' | b'P'),
            rest @ ..,
        ] => (Role::from_char(char::from(*letter)), rest),
        _ => (None, text),
    };
    // `e8=Queen`.
    let named = rest.iter().position(|byte| *byte == b'=').and_then(|sign| {
        let piece = named_piece(&rest[sign + 1..])?;
        Some((&rest[..sign], Role::from_char(char::from(piece))))
    });
    let (rest, promotion) = match rest {
        _ if let Some(named) = named => named,
        [
            squares @ ..,
            letter @ (b'Q' | b'R' | b'B' | b'N' | b'q' | b'r' | b'b' | b'n'),
        ] => (
            squares
                .strip_suffix(b"=")
                .or(squares.strip_suffix(b":"))
                .unwrap_or(squares),
            Role::from_char(char::from(*letter)),
        ),
        _ => (rest, None),
    };
    let (from, to) = rest.split_last_chunk::<2>()?;
    let to = Square::from_ascii(to).ok()?;
    let from = from
        .strip_suffix(b"x")
        .or(from.strip_suffix(b":"))
        .or(from.strip_suffix(b"-"))
        .unwrap_or(from);
    let (file, rank) = match *from {
        [] => (None, None),
        [file @ b'a'..=b'h'] => (File::from_char(char::from(file)), None),
        [rank @ b'1'..=b'8'] => (None, Rank::from_char(char::from(rank))),
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => (
            File::from_char(char::from(file)),
            Rank::from_char(char::from(rank)),
        ),
        _ => return None,
    };
    Some(match (role, file, rank) {
        (None, Some(file), Some(rank)) => Written::Squares {
            from: Square::from_coords(file, rank),
            to,
            promotion,
        },
        _ => Written::Piece {
            role: role.unwrap_or(Role::Pawn),
            file,
            rank,
            to,
            promotion,
        },
    })
}

/// Returns whether castling is written with these characters.
fn are_castling(signs: &[u8]) -> bool {
    signs.iter().all(|sign| matches!(sign, b'O' | b'0' | b'o'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::{CastlingMode, fen::Fen, san::San};

    use super::*;

    fn read(fen: &str, text: &str) -> Result<String, Unplayable> {
        let position = fen
            .parse::<Fen>()
            .unwrap()
            .into_position(CastlingMode::Standard)
            .unwrap();
        resolve(text.as_bytes(), &position).map(|mv| mv.to_uci(CastlingMode::Standard).to_string())
    }

    #[test]
    fn one_move_in_many_writings() {
        let fen = "r3k3/1P4n1/8/3pP3/8/5N2/8/R3K2R w KQ d6 0 1";
        for (texts, uci) in [
            (
                &["O-O", "0-0", "o-o", "O-0", "O–O", "0‑0", "e1g1", "e1h1"][..],
                "e1g1",
            ),
            (&["O-O-O", "0-0-0", "e1c1"], "e1c1"),
            (&["exd6", "e5xd6", "e5d6", "e5:d6", "ed6", "exd6ep"], "e5d6"),
            (&["bxa8=N", "bxa8N", "b7a8n", "b7xa8=n", "ba8=N"], "b7a8n"),
            (
                &[
                    "b8=Q",
                    "b8Q",
                    "b7b8q",
                    "b7-b8=Q",
                    "Pb8=Q",
                    "b8=Queen",
                    "b7b8=queen",
                ],
                "b7b8q",
            ),
            (
                &["Nd4", "Nf3d4", "Nf3-d4", "N3d4", "Nfd4", "Nxd4", "f3d4"],
                "f3d4",
            ),
        ] {
            for text in texts {
                assert_eq!(read(fen, text).as_deref(), Ok(uci), "{text}");
            }
        }
    }

    #[test]
    fn what_is_no_move_here() {
        let fen = "4k3/8/8/3p4/2P1P3/8/8/R3K2R w KQ - 0 1";
        for (text, why) in [
            ("d5", Unplayable::Illegal), // neither exd5 nor cxd5
            ("Rd3", Unplayable::Illegal),
            ("--", Unplayable::Null),
            ("Rd9", Unplayable::NotAMove),
            ("hello", Unplayable::NotAMove),
            ("N@f3", Unplayable::NotAMove),
            ("e8", Unplayable::Illegal),
        ] {
            assert_eq!(read(fen, text), Err(why), "{text}");
        }
        assert_eq!(
            read("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "Rd1"),
            Ok("a1d1".to_owned())
        );
        assert_eq!(
            read("4k3/8/8/8/8/4K3/8/R6R w - - 0 1", "Rd1"),
            Err(Unplayable::Ambiguous)
        );
    }

    #[test]
    fn moves_off_the_board_have_the_form_of_moves() {
        for word in [
            "Qe9", "e2e9", "i4", "e9", "Nxj3", "e7e9q", "a9=Q", "Nb1c9", "Kd4", "exd0",
        ] {
            assert!(has_form_of_move(word.as_bytes()), "{word}");
        }
        for word in [
            "White", "resigns", "won", "TB6", "G60", "e", "move40", "x", "", "1st", "Qe",
        ] {
            assert!(!has_form_of_move(word.as_bytes()), "{word}");
        }
    }

    proptest! {
        /// Each spelling that shakmaty writes for a legal move is read as that move.
        #[test]
        fn agrees_with_shakmaty(choices in prop::collection::vec(any::<prop::sample::Index>(), 1..80)) {
            let mut position = Chess::default();
            for choice in choices {
                let legal = position.legal_moves();
                for mv in &legal {
                    let san = San::from_move(&position, *mv).to_string();
                    prop_assert_eq!(resolve(san.as_bytes(), &position), Ok(*mv), "{}", san);
                    let uci = mv.to_uci(CastlingMode::Standard).to_string();
                    prop_assert_eq!(resolve(uci.as_bytes(), &position), Ok(*mv), "{}", uci);
                }
                if legal.is_empty() {
                    break;
                }
                position.play_unchecked(*choice.get(&legal));
            }
        }
    }
}
