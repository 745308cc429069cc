//! An analysis, encoded as bytes for the store.
//!
//! - 1 byte: the version of this format, 2. Version 1 has no last exact scores.
//! - 4 bytes: a checksum of the question and of all bytes that follow.
//! - Varints: depth, nodes, microseconds, number of lines.
//! - For each line, varints: the score (twice the centipawns, or twice the moves to mate plus 1),
//!   depth, seldepth + 1 (0 if absent), win/draw/loss, twice the number of moves, plus 1 if a last
//!   exact score follows; that score; then 2 bytes for each move.
//!
//! Win/draw/loss begins with a byte: 0 if absent; 1 if win and draw follow in per mille, as engines
//! report them; 2 if three floats follow.

use std::time::Duration;

use centipawn_core::{Eval, History, Mover, Score, Wdl};
use centipawn_engine::{Analysis, Line};
use shakmaty::Position as _;

use crate::{
    packed::{legal_move, pack_move, slot},
    varint::{Reader, put, put_signed},
};

const FORM: u8 = 2;
/// Version 1 of the format, which has no last exact scores.
const FIRST_FORM: u8 = 1;
/// Offset of the first varint.
const BODY: usize = 5;

/// The fields of an analysis before its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Depth of the best line in plies.
    pub(crate) depth: u32,
    pub(crate) nodes: u64,
    pub(crate) time: Duration,
    pub(crate) lines: usize,
}

/// Encodes the answer to the question with the packed key `question`.
pub(crate) fn encode(question: &[u8], analysis: &Analysis) -> Vec<u8> {
    let mut bytes = vec![FORM, 0, 0, 0, 0];
    put(&mut bytes, analysis.depth.into());
    put(&mut bytes, analysis.nodes);
    put(&mut bytes, analysis.time.as_micros() as u64);
    put(&mut bytes, analysis.lines.len() as u64);
    for line in &analysis.lines {
        put_eval(&mut bytes, line.eval);
        put(&mut bytes, line.depth.into());
        put(
            &mut bytes,
            line.seldepth.map_or(0, |depth| u64::from(depth) + 1),
        );
        put_wdl(&mut bytes, line.wdl);
        put(
            &mut bytes,
            2 * line.pv.len() as u64 + u64::from(line.last_exact.is_some()),
        );
        if let Some(eval) = line.last_exact {
            put_eval(&mut bytes, eval);
        }
        bytes.extend(line.pv.iter().flat_map(|&mv| pack_move(mv).to_be_bytes()));
    }
    let sum = checksum(question, &bytes[BODY..]);
    bytes[1..BODY].copy_from_slice(&sum);
    bytes
}

/// Returns a checksum that detects damaged bytes and the bytes of another question. It does not
/// cover the first byte.
fn checksum(question: &[u8], body: &[u8]) -> [u8; 4] {
    (slot(body).wrapping_add(slot(question).rotate_left(17)) as u32).to_be_bytes()
}

fn put_eval(bytes: &mut Vec<u8>, eval: Eval<Mover>) {
    match eval.score() {
        Score::Cp(cp) => put_signed(bytes, i64::from(cp) * 2),
        Score::Mate(moves) => put_signed(bytes, i64::from(moves) * 2 + 1),
    }
}

fn take_eval(reader: &mut Reader<'_>) -> Option<Eval<Mover>> {
    let score = reader.signed()?;
    let value = i32::try_from(score >> 1).ok()?;
    Some(Eval::new(if score & 1 == 0 {
        Score::Cp(value)
    } else {
        Score::Mate(value)
    }))
}

fn put_wdl(bytes: &mut Vec<u8>, wdl: Option<Wdl>) {
    let Some(wdl) = wdl else { return bytes.push(0) };
    let mille = |p: f64| (p * 1000.0).round() as u16;
    let (win, draw, loss) = (
        mille(wdl.win).into(),
        mille(wdl.draw).into(),
        mille(wdl.loss).into(),
    );
    if win + draw + loss == 1000_u32 && Wdl::from_per_mille(win, draw, loss) == Some(wdl) {
        bytes.push(1);
        put(bytes, win.into());
        put(bytes, draw.into());
    } else {
        bytes.push(2);
        bytes.extend(
            [wdl.win, wdl.draw, wdl.loss]
                .iter()
                .flat_map(|p| p.to_be_bytes()),
        );
    }
}

fn take_wdl(reader: &mut Reader<'_>) -> Option<Option<Wdl>> {
    match reader.byte()? {
        0 => Some(None),
        1 => {
            let (win, draw) = (
                u32::try_from(reader.varint()?).ok()?,
                u32::try_from(reader.varint()?).ok()?,
            );
            let loss = 1000_u32.checked_sub(win)?.checked_sub(draw)?;
            Some(Wdl::from_per_mille(win, draw, loss))
        }
        2 => {
            let mut float = || Some(f64::from_be_bytes(reader.take(8)?.try_into().ok()?));
            Some(Some(Wdl {
                win: float()?,
                draw: float()?,
                loss: float()?,
            }))
        }
        _ => None,
    }
}

fn take_head(reader: &mut Reader<'_>) -> Option<Head> {
    if ![FIRST_FORM, FORM].contains(&reader.byte()?) {
        return None;
    }
    reader.take(BODY - 1)?;
    Some(Head {
        depth: u32::try_from(reader.varint()?).ok()?,
        nodes: reader.varint()?,
        time: Duration::from_micros(reader.varint()?),
        lines: usize::try_from(reader.varint()?).ok()?,
    })
}

/// Returns the encoded answer without its checksum and its time. `None` if the bytes are damaged.
pub(crate) fn timeless(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader::new(bytes);
    let head = take_head(&mut reader)?;
    let mut rest = Vec::new();
    put(&mut rest, head.depth.into());
    put(&mut rest, head.nodes);
    put(&mut rest, head.lines as u64);
    rest.extend(reader.rest());
    Some(rest)
}

pub(crate) fn head(bytes: &[u8]) -> Option<Head> {
    take_head(&mut Reader::new(bytes))
}

/// Decodes the best `wanted` lines; `history` ends at the question's position. Returns `None` if
/// the bytes are damaged, belong to another question, or contain an illegal move.
pub(crate) fn decode(
    bytes: &[u8],
    question: &[u8],
    history: &History,
    wanted: usize,
) -> Option<Analysis> {
    if bytes.get(1..BODY)? != checksum(question, &bytes[BODY..]) {
        return None;
    }
    let mut reader = Reader::new(bytes);
    let head = take_head(&mut reader)?;
    let mut lines = Vec::with_capacity(wanted.min(head.lines).min(256));
    for _ in 0..head.lines.min(wanted) {
        let eval = take_eval(&mut reader)?;
        let depth = u32::try_from(reader.varint()?).ok()?;
        let seldepth = u32::try_from(reader.varint()?).ok()?.checked_sub(1);
        let wdl = take_wdl(&mut reader)?;
        let mut count = usize::try_from(reader.varint()?).ok()?;
        let mut last_exact = None;
        if bytes[0] != FIRST_FORM {
            if count & 1 == 1 {
                last_exact = Some(take_eval(&mut reader)?);
            }
            count >>= 1;
        }
        let mut position = history.position().clone();
        let mut pv = Vec::with_capacity(count.min(256));
        for pair in reader.take(count.checked_mul(2)?)?.chunks_exact(2) {
            let mv = legal_move(u16::from_be_bytes([pair[0], pair[1]]), &position)?;
            position.play_unchecked(mv);
            pv.push(mv);
        }
        if pv.is_empty() {
            return None;
        }
        lines.push(Line {
            pv,
            eval,
            last_exact,
            wdl,
            depth,
            seldepth,
        });
    }
    Some(Analysis {
        lines,
        nodes: head.nodes,
        depth: head.depth,
        time: head.time,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::{Move, Role, uci::UciMove};

    use super::*;

    fn line(history: &History, pv: &str, eval: Eval<centipawn_core::Mover>) -> Line {
        let mut position = history.clone();
        let pv = pv.split_whitespace().map(|uci| {
            let mv = position.parse_uci(uci).unwrap();
            position.push(mv);
            mv
        });
        let wdl = Wdl::from_per_mille(20, 960, 20);
        Line {
            pv: pv.collect(),
            eval,
            last_exact: None,
            wdl,
            depth: 13,
            seldepth: Some(20),
        }
    }

    const KEY: &[u8] = b"the key of a question";

    /// A damaged table contained such numbers, whose sum exceeds 32 bits.
    #[test]
    fn invalid_probabilities_are_stored_unchanged() {
        for wdl in [
            (4e6, 4e6, -1.0),
            (f64::MAX, f64::INFINITY, 0.0),
            (0.5, 0.5, 1e-9),
        ] {
            let wdl = Wdl {
                win: wdl.0,
                draw: wdl.1,
                loss: wdl.2,
            };
            let mut bytes = Vec::new();
            put_wdl(&mut bytes, Some(wdl));
            assert_eq!(take_wdl(&mut Reader::new(&bytes)), Some(Some(wdl)));
        }
    }

    fn analysis() -> (History, Analysis) {
        let start = History::default();
        let lines = vec![
            line(
                &start,
                "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6 d7c6 e1g1",
                Eval::cp(35),
            ),
            Line {
                wdl: None,
                seldepth: None,
                last_exact: Some(Eval::cp(-40)),
                ..line(&start, "d2d4", Eval::mate(-3))
            },
            Line {
                wdl: Some(Wdl {
                    win: 0.1,
                    draw: 0.2,
                    loss: 0.7,
                }),
                ..line(&start, "g1f3", Eval::cp(-i32::MAX))
            },
            Line {
                wdl: Some(Wdl {
                    win: 0.12345,
                    draw: 0.2,
                    loss: 0.67655,
                }),
                ..line(&start, "c2c4", Eval::cp(0))
            },
        ];
        (
            start,
            Analysis {
                lines,
                nodes: 100_012,
                depth: 13,
                time: Duration::from_micros(104_123),
            },
        )
    }

    #[test]
    fn an_analysis_is_decoded_as_it_was_encoded() {
        let (start, analysis) = analysis();
        let bytes = encode(KEY, &analysis);
        assert_eq!(decode(&bytes, KEY, &start, 500).unwrap(), analysis);
        let first = decode(&bytes, KEY, &start, 1).unwrap();
        assert_eq!(first.lines, analysis.lines[..1]);
        assert_eq!(
            head(&bytes).unwrap(),
            Head {
                depth: 13,
                nodes: 100_012,
                time: analysis.time,
                lines: 4
            }
        );
        let two = Analysis {
            lines: analysis.lines[..2].to_vec(),
            ..analysis
        };
        assert_eq!(encode(KEY, &two).len(), 49, "small");
    }

    #[test]
    fn answers_of_the_first_form_are_still_decoded() {
        let start = History::default();
        let lines = vec![line(&start, "e2e4 e7e5", Eval::cp(35))];
        let analysis = Analysis {
            lines,
            nodes: 5,
            depth: 13,
            time: Duration::ZERO,
        };
        let mut bytes = encode(KEY, &analysis);
        bytes[0] = FIRST_FORM;
        // The bytes end with two moves of 2 bytes each, and their number is before them.
        let count = bytes.len() - 5;
        assert_eq!(bytes[count], 4);
        bytes[count] = 2;
        let sum = checksum(KEY, &bytes[BODY..]);
        bytes[1..BODY].copy_from_slice(&sum);
        assert_eq!(decode(&bytes, KEY, &start, 500).unwrap(), analysis);
    }

    /// The checksum is valid, because every process can compute it. So the legality of the moves
    /// must be checked.
    #[test]
    fn illegal_moves_are_refused() {
        let (start, analysis) = analysis();
        for illegal in [
            ["e2e4", "a1a8"],
            ["e2e4", "e8d8"],
            ["d1e8", "e8e1"],
            ["e1h1", "e7e5"],
        ] {
            let mut bytes = encode(
                KEY,
                &Analysis {
                    lines: vec![line(&start, "e2e4 e7e5", Eval::cp(35))],
                    ..analysis.clone()
                },
            );
            let codes = illegal.map(|uci| {
                let UciMove::Normal { from, to, .. } = uci.parse().unwrap() else {
                    unreachable!()
                };
                pack_move(Move::Normal {
                    role: Role::Queen,
                    from,
                    capture: None,
                    to,
                    promotion: None,
                })
            });
            let at = bytes.len() - 4;
            bytes.splice(at.., codes.into_iter().flat_map(u16::to_be_bytes));
            let sum = checksum(KEY, &bytes[BODY..]);
            bytes[1..BODY].copy_from_slice(&sum);
            assert_eq!(decode(&bytes, KEY, &start, 500), None, "{illegal:?}");
        }
    }

    #[test]
    fn another_question_is_refused() {
        let (start, analysis) = analysis();
        assert_eq!(
            decode(&encode(KEY, &analysis), b"another", &start, 500),
            None
        );
    }

    proptest! {
        #[test]
        fn damaged_bytes_are_refused(at in 0usize..90, value in any::<u8>(), end in 0usize..90) {
            let (start, analysis) = analysis();
            let mut bytes = encode(KEY, &analysis);
            let length = bytes.len();
            let at = at % length;
            prop_assume!(bytes[at] != value);
            bytes[at] = value;
            // The checksum does not cover the first byte, which is the version of the format.
            prop_assert!(at == 0 || decode(&bytes, KEY, &start, 500).is_none());
            prop_assert_eq!(decode(&encode(KEY, &analysis)[..end.min(length - 1)], KEY, &start, 500), None);
        }

        #[test]
        fn probabilities_in_per_mille_are_exact(win in 0u32..=1000, draw in 0u32..=1000) {
            prop_assume!(win + draw <= 1000);
            let wdl = Wdl::from_per_mille(win, draw, 1000 - win - draw);
            let mut bytes = Vec::new();
            put_wdl(&mut bytes, wdl);
            prop_assert_eq!(bytes[0], 1);
            prop_assert_eq!(take_wdl(&mut Reader::new(&bytes)), Some(wdl));
        }
    }
}
