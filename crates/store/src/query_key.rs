//! The stored form of a question, and the rule which stored answer may be used for a question.

use centipawn_engine::{AnalystError, Limit, Question};
use shakmaty::Position as _;

use crate::{answer, packed};

/// The columns of the table `evaluation` that identify a question.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct QueryKey {
    /// Position and moves, packed.
    pub(crate) question: Vec<u8>,
    pub(crate) limit_kind: i64,
    pub(crate) limit_amount: i64,
    /// Number of requested lines, at most the number of legal moves.
    pub(crate) lines: i64,
}

pub(crate) const NODES: i64 = 0;
pub(crate) const DEPTH: i64 = 1;
pub(crate) const MILLISECONDS: i64 = 2;

impl QueryKey {
    /// Returns the key of a question; `None` for a position without a legal move.
    pub(crate) fn of(question: &Question) -> Result<Option<Self>, AnalystError> {
        let candidates = match question.searchmoves[..] {
            [] => question.history.position().legal_moves().len(),
            _ => question.candidates()?.len(),
        };
        if candidates == 0 {
            return Ok(None);
        }
        let (limit_kind, limit_amount) = limit_columns(question.limit);
        Ok(Some(Self {
            question: packed::pack(&question.history, &question.searchmoves),
            limit_kind,
            limit_amount,
            lines: question.lines.max(1).min(candidates) as i64,
        }))
    }

    /// Returns whether the search is limited by time. Then its answer varies.
    pub(crate) fn is_timed(&self) -> bool {
        self.limit_kind == MILLISECONDS
    }
}

/// Returns the columns `limit_kind` and `limit_amount` of a limit.
pub(crate) fn limit_columns(limit: Limit) -> (i64, i64) {
    let amount = |amount: u64| i64::try_from(amount).unwrap_or(i64::MAX);
    match limit {
        Limit::Nodes(nodes) => (NODES, amount(nodes)),
        Limit::Depth(depth) => (DEPTH, depth.into()),
        Limit::MoveTime(time) => (MILLISECONDS, amount(time.as_millis() as u64)),
    }
}

/// Returns the limit that these columns represent; `None` if they are invalid.
pub(crate) fn limit_of(kind: i64, amount: i64) -> Option<Limit> {
    let positive = u64::try_from(amount).ok()?;
    match kind {
        NODES => Some(Limit::Nodes(positive)),
        DEPTH => Some(Limit::Depth(u32::try_from(amount).ok()?)),
        MILLISECONDS => Some(Limit::MoveTime(std::time::Duration::from_millis(positive))),
        _ => None,
    }
}

/// An answer, as columns of the table `evaluation`.
#[derive(Clone, Debug)]
pub(crate) struct StoredAnswer {
    pub(crate) limit_kind: i64,
    pub(crate) limit_amount: i64,
    pub(crate) lines: i64,
    pub(crate) answer: Vec<u8>,
}

impl StoredAnswer {
    /// Returns whether this is the answer to exactly this question. If such an answer exists, it
    /// also has the smallest [`excess`](Self::excess).
    pub(crate) fn answers_exactly(&self, key: &QueryKey) -> bool {
        (self.limit_kind, self.limit_amount, self.lines)
            == (key.limit_kind, key.limit_amount, key.lines)
    }

    /// Returns by how much this answer, to a question about the same position and moves, exceeds
    /// `key`; `None` if it falls short. The answer with the smallest excess is used.
    ///
    /// The answer to exactly the same question comes first, so that a question always has the same
    /// answer. Then come answers with the same kind of limit, then answers with another kind of
    /// limit that reached the same amount. An answer about all moves is not used for a question
    /// about one of them, because that move had only a share of the search time.
    pub(crate) fn excess(&self, key: &QueryKey) -> Option<(bool, i64, i64)> {
        if self.lines < key.lines {
            return None;
        }
        if self.limit_kind == key.limit_kind {
            let more = self
                .limit_amount
                .checked_sub(key.limit_amount)
                .filter(|more| *more >= 0)?;
            return Some((false, more, self.lines));
        }
        let head = answer::head(&self.answer)?;
        let reached = match key.limit_kind {
            NODES => i64::try_from(head.nodes).unwrap_or(i64::MAX),
            DEPTH => head.depth.into(),
            // For a question with a time limit, only answers with a time limit can be used, because
            // it is unknown what another search finds in the given time.
            _ => return None,
        };
        let more = reached
            .checked_sub(key.limit_amount)
            .filter(|more| *more >= 0)?;
        Some((true, more, self.lines))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use centipawn_core::History;
    use centipawn_engine::Analysis;

    use super::*;

    fn key_of(limit: &str, lines: usize, moves: &[&str]) -> QueryKey {
        let start = History::default();
        let moves: Vec<_> = moves
            .iter()
            .map(|uci| start.parse_uci(uci).unwrap())
            .collect();
        let question = Question::new(start, limit.parse().unwrap())
            .lines(lines)
            .searchmoves(moves);
        QueryKey::of(&question).unwrap().unwrap()
    }

    fn kept(limit: &str, lines: usize, moves: &[&str], depth: u32, nodes: u64) -> StoredAnswer {
        let QueryKey {
            limit_kind,
            limit_amount,
            lines,
            ..
        } = key_of(limit, lines, moves);
        let answer = answer::encode(
            &[],
            &Analysis {
                lines: vec![],
                nodes,
                depth,
                time: Duration::ZERO,
            },
        );
        StoredAnswer {
            limit_kind,
            limit_amount,
            lines,
            answer,
        }
    }

    #[test]
    fn answers_are_used_for_smaller_questions_only() {
        let serves = |kept: &StoredAnswer, limit: &str, lines: usize, moves: &[&str]| {
            kept.excess(&key_of(limit, lines, moves)).is_some()
        };
        let wide = kept("100k nodes", 3, &[], 15, 100_020);
        assert!(serves(&wide, "100k nodes", 3, &[]) && serves(&wide, "50k nodes", 1, &[]));
        assert!(!serves(&wide, "100001 nodes", 1, &[]) && !serves(&wide, "1k nodes", 4, &[]));
        assert!(serves(&wide, "depth 15", 2, &[]) && !serves(&wide, "depth 16", 1, &[]));
        assert!(!serves(&wide, "10 ms", 1, &[]), "who knows");
        let deep = kept("depth 20", 1, &[], 20, 3_000_000);
        assert!(serves(&deep, "3M nodes", 1, &[]) && !serves(&deep, "4M nodes", 1, &[]));
        let timed = kept("1000 ms", 1, &[], 15, 100_020);
        assert!(serves(&timed, "500 ms", 1, &[]) && serves(&timed, "depth 10", 1, &[]));
    }

    #[test]
    fn the_smallest_sufficient_answer_is_used() {
        let question = key_of("100k nodes", 2, &[]);
        let exact = kept("100k nodes", 2, &[], 15, 100_020);
        let deeper = kept("200k nodes", 2, &[], 16, 200_020);
        let wider = kept("100k nodes", 3, &[], 15, 100_020);
        let other = kept("depth 15", 2, &[], 15, 100_000);
        let mut all = [&other, &deeper, &wider, &exact];
        all.sort_by_key(|kept| kept.excess(&question).unwrap());
        let order = [&exact, &wider, &deeper, &other];
        assert!(all.iter().zip(order).all(|(a, b)| std::ptr::eq(*a, b)));
    }

    #[test]
    fn lines_are_limited_to_the_number_of_moves() {
        assert_eq!(key_of("1 nodes", 0, &[]).lines, 1);
        assert_eq!(key_of("1 nodes", 500, &[]).lines, 20);
        assert_eq!(
            key_of("1 nodes", 5, &["e2e4", "d2d4", "e2e4"]),
            key_of("1 nodes", 2, &["d2d4", "e2e4"])
        );
        let stalemate = History::from_fen("7k/8/8/8/8/8/5q2/7K w - - 0 1", None).unwrap();
        assert_eq!(
            QueryKey::of(&Question::new(stalemate, Limit::Depth(1))).unwrap(),
            None
        );
        for limit in [
            Limit::Nodes(5),
            Limit::Depth(7),
            Limit::MoveTime(Duration::from_millis(9)),
        ] {
            let (kind, amount) = limit_columns(limit);
            assert_eq!(limit_of(kind, amount), Some(limit));
        }
    }
}
