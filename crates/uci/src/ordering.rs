//! Reorders the lines of a search.

use std::collections::HashMap;

use centipawn_core::History;

use crate::{
    info_line::InfoLine,
    people::{GOOD, expected},
    settings::Order,
};

/// Collects the lines of one depth until all ranks have arrived.
#[derive(Debug, Default)]
pub(crate) struct Ordering {
    pending: Vec<InfoLine>,
    /// The value of each move, in UCI notation: the expected score with [`Order::Human`], the
    /// expected loss of the next move with [`Order::Ease`].
    pub(crate) values: HashMap<String, f64>,
}

impl Ordering {
    /// Adds a line. Returns the lines of a depth, in the engine's order, when the last of `lines`
    /// ranks has arrived or another depth begins; otherwise returns no lines.
    pub(crate) fn take(&mut self, line: InfoLine, lines: usize) -> Vec<InfoLine> {
        let mut done = Vec::new();
        if self
            .pending
            .last()
            .is_some_and(|last| last.rank >= line.rank)
        {
            done = std::mem::take(&mut self.pending);
        }
        let is_last = line.rank >= lines;
        self.pending.push(line);
        if is_last {
            done.append(&mut self.pending);
        }
        done
    }

    /// Removes and returns the waiting lines.
    pub(crate) fn rest(&mut self) -> Vec<InfoLine> {
        std::mem::take(&mut self.pending)
    }

    /// Sorts lines. Lines whose move has no value yet come last, in the engine's order.
    pub(crate) fn sort(&self, lines: &mut [InfoLine], order: Order, history: &History) {
        let value = |line: &InfoLine| {
            line.pv
                .first()
                .and_then(|uci| self.values.get(uci))
                .copied()
        };
        let best = lines
            .iter()
            .map(|line| expected(history, line.score))
            .fold(0.0, f64::max);
        let key = |line: &InfoLine| match (order, value(line)) {
            (Order::Engine, _) => (0, 0.0),
            (_, None) => (2, 0.0),
            (Order::Human, Some(chances)) => (0, -chances),
            (Order::Ease, Some(loss)) => {
                (u8::from(best - expected(history, line.score) >= GOOD), loss)
            }
        };
        // A stable sort keeps the engine's order of equal lines.
        lines.sort_by(|a, b| {
            let (a, b) = (key(a), key(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(rank: usize, cp: i32, mv: &str) -> InfoLine {
        InfoLine::parse(&format!(
            "info depth 5 multipv {rank} score cp {cp} pv {mv} e7e5"
        ))
        .unwrap()
    }

    fn moves(lines: &[InfoLine]) -> Vec<&str> {
        lines.iter().map(|line| line.pv[0].as_str()).collect()
    }

    #[test]
    fn a_depth_is_complete_with_its_last_line_or_the_next_depth() {
        let mut ordering = Ordering::default();
        assert!(ordering.take(line(1, 30, "e2e4"), 3).is_empty());
        assert!(ordering.take(line(2, 20, "d2d4"), 3).is_empty());
        assert_eq!(
            moves(&ordering.take(line(3, 10, "c2c4"), 3)),
            ["e2e4", "d2d4", "c2c4"]
        );
        ordering.take(line(1, 30, "e2e4"), 3);
        ordering.take(line(2, 20, "d2d4"), 3);
        // There are fewer legal moves than lines, or the engine omitted the rest.
        assert_eq!(
            moves(&ordering.take(line(1, 31, "e2e4"), 3)),
            ["e2e4", "d2d4"]
        );
        assert_eq!(moves(&ordering.rest()), ["e2e4"]);
    }

    #[test]
    fn lines_are_sorted_by_known_values() {
        let history = History::default();
        let values = [("d2d4", 0.60), ("e2e4", 0.55)]
            .map(|(mv, value)| (mv.to_owned(), value))
            .into();
        let mut ordering = Ordering {
            values,
            ..Ordering::default()
        };
        let mut lines = vec![
            line(1, 30, "e2e4"),
            line(2, 20, "d2d4"),
            line(3, 10, "c2c4"),
        ];
        ordering.sort(&mut lines, Order::Human, &history);
        assert_eq!(moves(&lines), ["d2d4", "e2e4", "c2c4"]);
        // With `Ease` a smaller value is better, but lines that lose too much come last.
        ordering.values = [("e2e4", 0.2), ("d2d4", 0.1), ("g2g4", 0.0)]
            .map(|(mv, value)| (mv.to_owned(), value))
            .into();
        let mut lines = vec![
            line(1, 30, "e2e4"),
            line(2, 20, "d2d4"),
            line(3, -150, "g2g4"),
        ];
        ordering.sort(&mut lines, Order::Ease, &history);
        assert_eq!(moves(&lines), ["d2d4", "e2e4", "g2g4"]);
        ordering.sort(&mut lines, Order::Engine, &history);
        assert_eq!(moves(&lines), ["d2d4", "e2e4", "g2g4"]);
    }
}
