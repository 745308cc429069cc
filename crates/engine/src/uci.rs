//! Parses the output of engines, as the Universal Chess Interface defines it. Parsing a line never
//! fails.

use centipawn_core::{Score, Wdl};

/// One line of an engine's output.
#[derive(Clone, Debug, PartialEq)]
pub enum Message<'a> {
    /// `id name …`
    Name(&'a str),
    /// `id author …`
    Author(&'a str),
    /// `option name …`
    Option(OptionDecl),
    /// `uciok`: the end of `id` and `option` lines.
    UciOk,
    /// `readyok`: everything sent before `isready` is done.
    ReadyOk,
    /// `info …` about the search (not `info string`).
    Info(Info<'a>),
    /// `bestmove …`: the first word after it, unparsed; empty if there is none.
    BestMove(&'a str),
    /// Anything else: banners, `info string`, nonsense.
    Other,
}

/// An `info` line. Fields that the line lacks are `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Info<'a> {
    /// Number of plies searched.
    pub depth: Option<u32>,
    /// Number of plies of the longest variation.
    pub seldepth: Option<u32>,
    /// Rank of the line, from 1. Engines without MultiPV leave it out.
    pub multipv: Option<usize>,
    /// The score for the side to move.
    pub score: Option<Score>,
    /// The kind of bound (`lowerbound`, `upperbound`) if the score is a bound; `None` if it is
    /// exact.
    pub bound: Option<Bound>,
    /// Probabilities of win, draw and loss for the side to move.
    pub wdl: Option<Wdl>,
    /// Number of nodes visited since the search began.
    pub nodes: Option<u64>,
    /// The moves of the principal variation, unparsed, separated by spaces.
    pub pv: Option<&'a str>,
}

/// The side on which a score bounds the true score, from the point of view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The true score is at least the printed one.
    Lower,
    /// The true score is at most the printed one.
    Upper,
}

/// An option an engine offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptionDecl {
    /// The name as the engine spells it; may contain spaces.
    pub name: String,
    /// The type of the option, with its default and limits.
    pub kind: OptionKind,
}

impl OptionKind {
    /// Returns the default value as text; `None` for a button.
    pub(crate) fn default_value(&self) -> Option<String> {
        match self {
            OptionKind::Check { default } => Some(default.to_string()),
            OptionKind::Spin { default, .. } => Some(default.to_string()),
            OptionKind::Combo { default, .. } | OptionKind::Text { default } => {
                Some(default.clone())
            }
            OptionKind::Button => None,
        }
    }
}

/// The types of UCI options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// A check box.
    Check {
        /// The default value.
        default: bool,
    },
    /// An integer within limits.
    Spin {
        /// The default value.
        default: i64,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// One of several predefined words.
    Combo {
        /// The default value.
        default: String,
        /// The possible values.
        choices: Vec<String>,
    },
    /// An action without a value.
    Button,
    /// A text.
    Text {
        /// The default value; UCI's `<empty>` becomes the empty string.
        default: String,
    },
}

/// Parses one line, which must come without its line break.
///
/// ```
/// use centipawn_core::Score;
/// use centipawn_engine::uci::{Bound, Message, parse};
///
/// let line = "info depth 12 multipv 2 score cp 31 lowerbound nodes 9000 pv e2e4 e7e5";
/// let Message::Info(info) = parse(line) else { unreachable!() };
/// assert_eq!((info.multipv, info.score), (Some(2), Some(Score::Cp(31))));
/// assert_eq!(info.bound, Some(Bound::Lower));
/// assert_eq!(info.pv, Some("e2e4 e7e5"));
/// assert_eq!(parse("bestmove e2e4 ponder e7e5"), Message::BestMove("e2e4"));
/// assert_eq!(parse("Stockfish 15.1 by the developers"), Message::Other);
/// ```
pub fn parse(line: &str) -> Message<'_> {
    let line = line.trim();
    let (word, rest) = first_word(line);
    match word {
        "info" => match first_word(rest).0 {
            "string" | "" => Message::Other,
            _ => Message::Info(info(rest)),
        },
        "bestmove" => Message::BestMove(first_word(rest).0),
        "readyok" => Message::ReadyOk,
        "uciok" => Message::UciOk,
        "id" => match first_word(rest) {
            ("name", name) => Message::Name(name),
            ("author", author) => Message::Author(author),
            _ => Message::Other,
        },
        "option" => option(rest).map_or(Message::Other, Message::Option),
        _ => Message::Other,
    }
}

/// Returns the first word and what follows it, without the space between.
fn first_word(text: &str) -> (&str, &str) {
    match text.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text, ""),
    }
}

fn info(mut text: &str) -> Info<'_> {
    let mut info = Info::default();
    while !text.is_empty() {
        let (word, rest) = first_word(text);
        text = rest;
        match word {
            "depth" => info.depth = number(&mut text),
            "seldepth" => info.seldepth = number(&mut text),
            "multipv" => info.multipv = number(&mut text),
            "nodes" => info.nodes = number(&mut text),
            "lowerbound" => info.bound = Some(Bound::Lower),
            "upperbound" => info.bound = Some(Bound::Upper),
            "score" => {
                let (unit, rest) = first_word(text);
                match unit {
                    "cp" => {
                        text = rest;
                        info.score = number(&mut text).map(Score::Cp);
                    }
                    "mate" => {
                        text = rest;
                        info.score = number(&mut text).map(Score::Mate);
                    }
                    _ => {}
                }
            }
            "wdl" => {
                let mut next = || number(&mut text);
                if let (Some(win), Some(draw), Some(loss)) = (next(), next(), next()) {
                    info.wdl = Wdl::from_per_mille(win, draw, loss);
                }
            }
            "pv" => {
                info.pv = Some(text).filter(|pv| !pv.is_empty());
                break;
            }
            // The rest of the line is free text.
            "string" => break,
            _ => {}
        }
    }
    info
}

/// Takes the next word if it is a number; otherwise leaves it, because it may be the next field's
/// name.
fn number<T: std::str::FromStr>(text: &mut &str) -> Option<T> {
    let (word, rest) = first_word(text);
    let value = word.parse().ok()?;
    *text = rest;
    Some(value)
}

/// `name <words> type <word> [default <words>] [min n] [max n] [var <words>]…`
fn option(text: &str) -> Option<OptionDecl> {
    let mut fields: Vec<(&str, String)> = Vec::new();
    for word in text.split_whitespace() {
        let typed = fields.iter().any(|(field, _)| *field == "type");
        // A name may contain any word but `type`; the other fields come only after the type.
        let is_field = match word {
            "name" => fields.is_empty(),
            "type" => !typed,
            "default" | "min" | "max" | "var" => typed,
            _ => false,
        };
        match fields.last_mut() {
            _ if is_field => fields.push((word, String::new())),
            Some((_, value)) => {
                if !value.is_empty() {
                    value.push(' ');
                }
                value.push_str(word);
            }
            None => return None,
        }
    }
    let get = |name: &str| {
        fields
            .iter()
            .find(|(field, _)| *field == name)
            .map(|(_, value)| value.as_str())
    };
    let integer = |name: &str| get(name).and_then(|value| value.parse::<i64>().ok());
    let default = get("default")
        .filter(|value| *value != "<empty>")
        .unwrap_or_default()
        .to_owned();
    let kind = match get("type")? {
        "check" => OptionKind::Check {
            default: default.eq_ignore_ascii_case("true"),
        },
        "spin" => OptionKind::Spin {
            default: integer("default").unwrap_or(0),
            min: integer("min").unwrap_or(i64::MIN),
            max: integer("max").unwrap_or(i64::MAX),
        },
        "combo" => {
            let choices = fields
                .iter()
                .filter(|(field, _)| *field == "var")
                .map(|(_, value)| value.clone());
            OptionKind::Combo {
                default,
                choices: choices.collect(),
            }
        }
        "button" => OptionKind::Button,
        "string" => OptionKind::Text { default },
        _ => return None,
    };
    let name = get("name").filter(|name| !name.is_empty())?.to_owned();
    Some(OptionDecl { name, kind })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn info_of(line: &str) -> Info<'_> {
        match parse(line) {
            Message::Info(info) => info,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn stockfish_line_with_a_bound_after_the_wdl() {
        let info = info_of(
            "info depth 8 seldepth 9 multipv 3 score cp 14 wdl 19 977 4 upperbound nodes 20009 nps 588500 hashfull 6 \
             tbhits 0 time 34 pv c2c4 g8f6",
        );
        assert_eq!(
            (info.depth, info.seldepth, info.multipv),
            (Some(8), Some(9), Some(3))
        );
        assert_eq!(
            (info.score, info.bound, info.nodes),
            (Some(Score::Cp(14)), Some(Bound::Upper), Some(20009))
        );
        assert_eq!(info.wdl, Wdl::from_per_mille(19, 977, 4));
        assert_eq!(info.pv, Some("c2c4 g8f6"));
    }

    #[test]
    fn other_engines_orders_and_omissions() {
        let info = info_of("info score cp 13  depth 1 nodes 13 time 15 pv f1b5");
        assert_eq!(
            (info.score, info.depth, info.multipv, info.pv),
            (Some(Score::Cp(13)), Some(1), None, Some("f1b5"))
        );
        assert_eq!(
            info_of("info depth 0 score mate 0").score,
            Some(Score::Mate(0))
        );
        assert_eq!(
            info_of("\tinfo depth 3 score mate -2 pv a1a2 ").score,
            Some(Score::Mate(-2))
        );
        assert_eq!(
            info_of("info depth seldepth 4 score lowerbound").seldepth,
            Some(4)
        );
        assert_eq!(info_of("info nodes 5000 time 2").nodes, Some(5000));
        assert_eq!(info_of("info depth 1 string pv e2e4").pv, None);
        assert_eq!(
            parse("info string depth 5 score cp 1 pv e2e4"),
            Message::Other
        );
    }

    #[test]
    fn bestmoves() {
        assert_eq!(
            parse("bestmove e2e4 ponder e7e5"),
            Message::BestMove("e2e4")
        );
        assert_eq!(parse("bestmove (none)\r"), Message::BestMove("(none)"));
        assert_eq!(parse("bestmove"), Message::BestMove(""));
    }

    #[test]
    fn ids() {
        assert_eq!(
            parse("id name Stockfish 15.1"),
            Message::Name("Stockfish 15.1")
        );
        assert_eq!(
            parse("id author  the Stockfish developers "),
            Message::Author("the Stockfish developers")
        );
        assert_eq!(
            parse("Stockfish 15.1 by the Stockfish developers"),
            Message::Other
        );
    }

    #[test]
    fn options() {
        let decl = |line| match parse(line) {
            Message::Option(decl) => decl,
            other => panic!("{line}: {other:?}"),
        };
        let hash = decl("option name Hash type spin default 16 min 1 max 33554432");
        assert_eq!(
            hash.kind,
            OptionKind::Spin {
                default: 16,
                min: 1,
                max: 33_554_432
            }
        );
        let clear = decl("option name Clear Hash type button");
        assert_eq!(
            (clear.name.as_str(), clear.kind),
            ("Clear Hash", OptionKind::Button)
        );
        let empty = decl("option name SyzygyPath type string default <empty>");
        assert_eq!(
            empty.kind,
            OptionKind::Text {
                default: String::new()
            }
        );
        assert_eq!(
            decl("option name Book type string default").kind,
            OptionKind::Text {
                default: String::new()
            }
        );
        let combo = decl(
            "option name Analysis Contempt type combo default Both var Off var White to win var Both",
        );
        assert_eq!(
            combo.kind,
            OptionKind::Combo {
                default: "Both".to_owned(),
                choices: ["Off", "White to win", "Both"].map(String::from).to_vec()
            }
        );
        // The name of this option consists of words that are field names elsewhere.
        assert_eq!(
            decl("option name max default name type check default true").name,
            "max default name"
        );
        assert_eq!(parse("option"), Message::Other);
        assert_eq!(parse("option name Strange type matrix"), Message::Other);
    }

    proptest! {
        #[test]
        fn no_line_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            parse(&String::from_utf8_lossy(&bytes));
        }

        #[test]
        fn no_combination_of_uci_words_panics(words in proptest::collection::vec(proptest::sample::select(vec![
            "info", "depth", "score", "cp", "mate", "wdl", "-1", "99999999999999999999", "pv", "e2e4", "lowerbound", "multipv",
            "option", "name", "type", "spin", "default", "min", "max", "var", "combo", "id", "bestmove", "nodes", "string", "é", " ",
        ]), 0..20)) {
            parse(&words.join(" "));
        }

        #[test]
        fn scores_are_read_back(cp in any::<i32>(), depth in any::<u32>(), rank in 1usize..500) {
            let line = format!("info depth {depth} multipv {rank} score cp {cp} pv e2e4");
            let info = info_of(&line);
            prop_assert_eq!(info.score, Some(Score::Cp(cp)));
            prop_assert_eq!((info.depth, info.multipv), (Some(depth), Some(rank)));
        }
    }
}
