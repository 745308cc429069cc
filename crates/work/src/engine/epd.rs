//! Positions in Extended Position Description: a position, and operations such as `bm Nf6; id
//! "WAC.001";`.

use centipawn_core::History;
use shakmaty::{Move, san::San};

use super::positions::BadPosition;

/// A position with EPD operations, as test suites contain it.
///
/// ```
/// use centipawn_work::engine::Epd;
///
/// let epd: Epd = r#"2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id "WAC.001";"#.parse()?;
/// assert_eq!((epd.operand("id"), epd.moves("bm")?.len()), (Some("WAC.001"), 1));
/// assert!(epd.position.fen().ends_with("w - - 0 1"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Epd {
    /// The position. The operations `hmvc` and `fmvn` are its move counters.
    pub position: History,
    /// Opcodes with their operands, in their order; quotes are removed.
    pub operations: Vec<(String, Vec<String>)>,
}

/// The reason why an operation names no moves.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{opcode}: {operand:?} is not a legal move in {fen}")]
pub struct BadEpdMove {
    /// The opcode of the operation.
    pub opcode: String,
    /// The operand that is not a legal move.
    pub operand: String,
    /// The position as FEN.
    pub fen: String,
}

impl std::str::FromStr for Epd {
    type Err = BadPosition;

    /// Parses EPD, or a FEN with or without operations after it.
    fn from_str(text: &str) -> Result<Self, BadPosition> {
        let text = text.trim();
        let (mut fields, mut rest) = (Vec::new(), text);
        while fields.len() < 6 && !rest.is_empty() {
            let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            // The counters of a FEN are numbers; an opcode begins with a letter.
            if fields.len() >= 4 && word.parse::<u32>().is_err() {
                break;
            }
            fields.push(word);
            rest = after.trim_start();
        }
        let operations = operations(rest);
        let counter = |opcode: &str| {
            let operands = &operations.iter().find(|(own, _)| own == opcode)?.1;
            operands.first()?.parse::<u32>().ok()
        };
        let mut fen = fields.join(" ");
        if fields.len() == 4 {
            fen += &format!(
                " {} {}",
                counter("hmvc").unwrap_or(0),
                counter("fmvn").unwrap_or(1).max(1)
            );
        }
        let position = History::from_fen(&fen, None).map_err(|source| BadPosition::Fen {
            fen: text.to_owned(),
            source,
        })?;
        Ok(Self {
            position,
            operations,
        })
    }
}

/// `op a b; op "c; d";`
fn operations(text: &str) -> Vec<(String, Vec<String>)> {
    let (mut all, mut words, mut word) = (Vec::new(), Vec::new(), String::new());
    let (mut is_quoted, mut is_word) = (false, false);
    let end_word = |words: &mut Vec<String>, word: &mut String, is_word: &mut bool| {
        if *is_word {
            words.push(std::mem::take(word));
            *is_word = false;
        }
    };
    for char in text.chars() {
        match char {
            '"' => (is_quoted, is_word) = (!is_quoted, true),
            ';' if !is_quoted => {
                end_word(&mut words, &mut word, &mut is_word);
                all.push(std::mem::take(&mut words));
            }
            _ if char.is_whitespace() && !is_quoted => {
                end_word(&mut words, &mut word, &mut is_word);
            }
            _ => {
                word.push(char);
                is_word = true;
            }
        }
    }
    // The semicolon after the last operation is often missing.
    end_word(&mut words, &mut word, &mut is_word);
    all.push(words);
    let operation = |words: Vec<String>| {
        let mut words = words.into_iter();
        Some((words.next()?, words.collect()))
    };
    all.into_iter().filter_map(operation).collect()
}

impl Epd {
    /// Returns the operands of an opcode; empty if it is missing.
    pub fn operands(&self, opcode: &str) -> &[String] {
        self.operations
            .iter()
            .find(|(own, _)| own == opcode)
            .map_or(&[], |(_, operands)| operands)
    }

    /// Returns the first operand of an opcode.
    pub fn operand(&self, opcode: &str) -> Option<&str> {
        self.operands(opcode).first().map(String::as_str)
    }

    /// Returns the operands of an opcode as moves, in SAN or in UCI notation.
    ///
    /// # Errors
    ///
    /// [`BadEpdMove`].
    pub fn moves(&self, opcode: &str) -> Result<Vec<Move>, BadEpdMove> {
        self.operands(opcode)
            .iter()
            .map(|operand| self.parse_move(opcode, operand))
            .collect()
    }

    /// Returns a move of this position, in SAN (perhaps with `+`, `!` and the like) or in UCI
    /// notation.
    pub(crate) fn parse_move(&self, opcode: &str, operand: &str) -> Result<Move, BadEpdMove> {
        let bare = operand.trim_end_matches(['!', '?', ',', ';']);
        // Some suites write castling with zeros.
        let bare = if bare.starts_with("0-0") {
            bare.replace('0', "O")
        } else {
            bare.to_owned()
        };
        let position = self.position.position();
        // Some suites omit the `x` of captures, so try the move as a capture, too.
        let found = |san: San| {
            san.to_move(position)
                .or_else(|_| as_capture(san).to_move(position))
                .ok()
        };
        let of_san = bare
            .trim_end_matches(['+', '#'])
            .parse::<San>()
            .ok()
            .and_then(found);
        let found = of_san.or_else(|| self.position.parse_uci(&bare).ok());
        found.ok_or_else(|| BadEpdMove {
            opcode: opcode.to_owned(),
            operand: operand.to_owned(),
            fen: self.position.fen(),
        })
    }
}

/// Returns the move of a piece as a capture.
fn as_capture(san: San) -> San {
    match san {
        San::Normal {
            role,
            file,
            rank,
            to,
            promotion,
            ..
        } => San::Normal {
            role,
            file,
            capture: true,
            rank,
            to,
            promotion,
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn captures_need_no_x() {
        let text =
            "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - bm Qf7; am Qxe5;";
        let epd: Epd = text.parse().unwrap();
        let [best, avoided] = ["bm", "am"].map(|opcode| epd.moves(opcode).unwrap().remove(0));
        assert!(best.is_capture() && avoided.is_capture());
        assert!(
            "8/8/8/8/8/8/8/K1k5 w - - bm Kb1;"
                .parse::<Epd>()
                .unwrap()
                .moves("bm")
                .is_err()
        );
    }

    #[test]
    fn operations_are_read() {
        let text = r#"r1b2rk1/pp2bppp/2n1pn2/q5B1/2BP4/2N2N2/PP2QPPP/2R2RK1 b - - bm Nd5 a6!; c0 "Nd5=10, a6=2; x"; hmvc 3; fmvn 12; id "A 1""#;
        let epd: Epd = text.parse().unwrap();
        assert_eq!(epd.operand("c0"), Some("Nd5=10, a6=2; x"));
        assert_eq!(
            (
                epd.operand("id"),
                epd.moves("bm").unwrap().len(),
                epd.moves("am").unwrap().len()
            ),
            (Some("A 1"), 2, 0)
        );
        assert!(epd.position.fen().ends_with("b - - 3 12"));
        let fen: Epd = "4k3/8/8/8/8/8/8/4K2R w K - 5 40 bm O-O; am 0-0 e1e2"
            .parse()
            .unwrap();
        assert!(
            fen.position.fen().ends_with("5 40")
                && fen.moves("bm").unwrap() == fen.moves("am").unwrap()[..1]
        );
        let wrong: Epd = "4k3/8/8/8/8/8/8/4K2R w K - bm Qa8;".parse().unwrap();
        assert_eq!(
            wrong.moves("bm").unwrap_err().to_string(),
            "bm: \"Qa8\" is not a legal move in 4k3/8/8/8/8/8/8/4K2R w K - 0 1"
        );
        assert!("8/8/8/8 w - - bm Kd1;".parse::<Epd>().is_err());
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "\\PC{0,80}", tail in "[a-z0-9 ;\"=+#-]{0,60}") {
            let _ = text.parse::<Epd>();
            let _ = format!("4k3/8/8/8/8/8/8/4K2R w K - {tail}").parse::<Epd>().map(|epd| epd.moves("bm"));
        }
    }
}
