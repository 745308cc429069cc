//! Turns the `info` lines of one search into its principal variations.
//!
//! An engine stopped in the middle of an iteration reports a mixture: some ranks at the current depth, the others at the depth
//! before, and scores that are only bounds. From these reports [`Collector`] chooses the deepest list with exact scores,
//! different moves, and descending scores.
//!
//! The choice does not depend on the speed of the machine. Engines report more after some seconds: Stockfish, after 3 s, each
//! rank of an unfinished iteration and scores outside the search window; Ethereal, after 2.5 s, the latter. So only two lists
//! count, which engines print at any speed: the list that ended the last finished iteration, in which all ranks have exact
//! scores of one depth, and the very last list. A list that looks finished may be an intermediate one of a slow engine until
//! a list of greater depth follows.

use centipawn_core::{Eval, History, IllegalMove, Mover, Score, Wdl};
use shakmaty::{Move, Position};

use crate::{Line, uci::Info};

/// One `info` line about one rank.
#[derive(Clone, Debug)]
struct Report {
    eval: Eval<Mover>,
    wdl: Option<Wdl>,
    depth: u32,
    seldepth: Option<u32>,
    pv: String,
}

impl Report {
    fn first_move(&self) -> &str {
        self.pv.split_whitespace().next().unwrap_or_default()
    }
}

/// The reports of one search. Engines print them in lists, rank by rank from the first.
#[derive(Debug)]
pub(crate) struct Collector {
    /// The list being printed, or the last one: a report for each rank, and whether its score is only a bound.
    last: Vec<Option<(Report, bool)>>,
    /// The rank reported last, from 0.
    last_rank: usize,
    /// The list that ended the last iteration known to be finished.
    complete: Option<Vec<Report>>,
    /// The last list in which every rank has an exact score of the same depth; it ended the iteration if a deeper one follows.
    candidate: Option<Vec<Report>>,
    /// The last report of each rank, exact if there was one: for engines that print no list at all.
    any: Vec<Option<(Report, bool)>>,
    /// The greatest node count reported.
    pub(crate) nodes: u64,
    /// The greatest depth reported with a score.
    pub(crate) depth: u32,
}

impl Collector {
    pub(crate) fn new(wanted: usize) -> Self {
        let none = vec![None; wanted];
        Self { last: none.clone(), last_rank: 0, complete: None, candidate: None, any: none, nodes: 0, depth: 0 }
    }

    /// Adds one `info` line.
    pub(crate) fn add(&mut self, info: &Info<'_>) {
        self.nodes = self.nodes.max(info.nodes.unwrap_or(0));
        let (Some(score), Some(pv)) = (info.score, info.pv) else { return };
        let Some(rank) = info.multipv.unwrap_or(1).checked_sub(1).filter(|rank| *rank < self.last.len()) else {
            return;
        };
        // `mate 0` means "already mated", which is wrong where there is a legal move.
        if score == Score::Mate(0) {
            return;
        }
        let depth = info.depth.unwrap_or(0);
        self.depth = self.depth.max(depth);
        let report =
            Report { eval: Eval::new(score), wdl: info.wdl, depth, seldepth: info.seldepth, pv: pv.to_owned() };
        // Ethereal prints a rank again within the same list once its score is more than a bound, which only slow searches report.
        let last = self.last[rank].as_ref();
        let completes = rank == self.last_rank && last.is_some_and(|(_, is_bound)| *is_bound);
        if rank <= self.last_rank && !completes {
            self.last.fill(None);
            // With one line, every exact score ends an iteration.
            let is_finished = |list: &mut Vec<Report>| list.len() == 1 || list[0].depth < depth;
            if let Some(finished) = self.candidate.take_if(is_finished) {
                self.complete = Some(finished);
            }
        }
        self.last_rank = rank;
        if !info.is_bound || self.any[rank].as_ref().is_none_or(|(_, is_bound)| *is_bound) {
            self.any[rank] = Some((report.clone(), info.is_bound));
        }
        self.last[rank] = Some((report, info.is_bound));
        if let Some(list) = exact(&self.last)
            && list.iter().all(|report| report.depth == depth)
            && are_distinct(&list)
        {
            self.candidate = Some(list);
        }
    }

    /// The list to answer with. It is shorter than wanted, or empty, if the engine reported no more.
    fn choose(self) -> Vec<Report> {
        let Some(complete) = self.complete.or(self.candidate) else { return distinct(self.any) };
        // The newest knowledge: exact scores of the last list, completed by the last complete one.
        let ranks = self.last.into_iter().zip(&complete);
        let newest: Vec<Report> = ranks
            .map(|(last, complete)| match last {
                Some((report, false)) => report,
                _ => complete.clone(),
            })
            .collect();
        let is_ordered = newest.windows(2).all(|pair| pair[0].eval >= pair[1].eval);
        if is_ordered && are_distinct(&newest) { newest } else { complete }
    }

    /// The lines with their moves parsed, each up to its first illegal move.
    ///
    /// # Errors
    ///
    /// [`IllegalMove`] when the first move of a line is not legal.
    pub(crate) fn finish(self, history: &History) -> Result<Vec<Line>, IllegalMove> {
        self.choose()
            .into_iter()
            .map(|report| {
                let Report { eval, wdl, depth, seldepth, .. } = report;
                Ok(Line { pv: read_pv(history, &report.pv)?, eval, wdl, depth, seldepth })
            })
            .collect()
    }
}

/// The reports of a list if every rank has one with an exact score.
fn exact(list: &[Option<(Report, bool)>]) -> Option<Vec<Report>> {
    list.iter()
        .map(|report| report.as_ref().filter(|(_, is_bound)| !is_bound).map(|(report, _)| report.clone()))
        .collect()
}

/// The reports that exist, each first move at its best rank only.
fn distinct(reports: Vec<Option<(Report, bool)>>) -> Vec<Report> {
    let mut found: Vec<Report> = Vec::new();
    for (report, _) in reports.into_iter().flatten() {
        if found.iter().all(|other| other.first_move() != report.first_move()) {
            found.push(report);
        }
    }
    found
}

fn are_distinct(list: &[Report]) -> bool {
    list.iter()
        .enumerate()
        .all(|(index, report)| list[..index].iter().all(|other| other.first_move() != report.first_move()))
}

/// Parses a variation up to its first illegal move: engines extend variations from hash entries of other positions.
fn read_pv(history: &History, pv: &str) -> Result<Vec<Move>, IllegalMove> {
    let mut words = pv.split_whitespace();
    let first = history.parse_uci(words.next().unwrap_or_default())?;
    let mut moves = vec![first];
    let mut position = history.position().clone();
    position.play_unchecked(first);
    // Starts a new `History`, because cloning the old one would copy all earlier moves.
    let mut line = History::new(position, history.mode());
    for word in words {
        let Ok(mv) = line.parse_uci(word) else { break };
        line.push(mv);
        moves.push(mv);
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uci::{Message, parse};

    fn lines(wanted: usize, text: &str) -> Vec<(String, String, u32)> {
        let mut collector = Collector::new(wanted);
        for line in text.lines() {
            if let Message::Info(info) = parse(line) {
                collector.add(&info);
            }
        }
        let start = History::default();
        let lines = collector.finish(&start).unwrap();
        lines.iter().map(|line| (start.uci(line.pv[0]).to_string(), line.eval.to_string(), line.depth)).collect()
    }

    fn expect(found: &[(String, String, u32)], wanted: &[(&str, &str, u32)]) {
        let found: Vec<(&str, &str, u32)> =
            found.iter().map(|(mv, eval, depth)| (mv.as_str(), eval.as_str(), *depth)).collect();
        assert_eq!(found, wanted);
    }

    const DEPTH_3: &str = "info depth 3 multipv 1 score cp 50 pv c2c4 a7a6 e2e4\n\
                           info depth 3 multipv 2 score cp 41 pv g2g3\n\
                           info depth 3 multipv 3 score cp 6 pv d2d4 d7d5\n";

    #[test]
    fn a_stop_that_leaves_a_move_at_two_ranks_falls_back_a_depth() {
        // Stockfish 15.1 at `go nodes 700`: c2c4 fails low at rank 2, so ranks 2 and 3 both report g2g3 last.
        let text = format!(
            "{DEPTH_3}info depth 4 multipv 1 score cp 36 pv g1f3 d7d5 d2d4\n\
             info depth 4 multipv 2 score cp 0 upperbound pv c2c4 g8f6\n\
             info depth 3 multipv 3 score cp 41 pv g2g3\n"
        );
        expect(&lines(3, &text), &[("c2c4", "+0.50", 3), ("g2g3", "+0.41", 3), ("d2d4", "+0.06", 3)]);
    }

    #[test]
    fn a_repeated_depth_does_not_spoil_the_complete_list() {
        // e2e4 fails high at depth 4; the engine then repeats depth 3 one rank lower.
        let text = format!(
            "{DEPTH_3}info depth 4 multipv 1 score cp 90 lowerbound pv e2e4\n\
             info depth 3 multipv 2 score cp 50 pv c2c4\n\
             info depth 3 multipv 3 score cp 41 pv g2g3\n"
        );
        expect(&lines(3, &text), &[("c2c4", "+0.50", 3), ("g2g3", "+0.41", 3), ("d2d4", "+0.06", 3)]);
    }

    #[test]
    fn a_list_of_two_depths_in_order_is_the_newest_knowledge() {
        let text = format!(
            "{DEPTH_3}info depth 4 multipv 1 score cp 60 pv c2c4\n\
             info depth 4 multipv 2 score cp 5 upperbound pv g2g3\n"
        );
        expect(&lines(3, &text), &[("c2c4", "+0.60", 4), ("g2g3", "+0.41", 3), ("d2d4", "+0.06", 3)]);
    }

    #[test]
    fn a_list_out_of_order_falls_back() {
        // Stockfish 15.1 at `go nodes 20000`: rank 3 keeps a depth-7 score above that of rank 2.
        let text = format!(
            "{DEPTH_3}info depth 4 multipv 1 score cp 34 pv e2e4\n\
             info depth 4 multipv 2 score cp 1 pv b2b3\n\
             info depth 4 multipv 3 score cp -9 upperbound pv d2d4\n"
        );
        expect(&lines(3, &text), &[("c2c4", "+0.50", 3), ("g2g3", "+0.41", 3), ("d2d4", "+0.06", 3)]);
    }

    #[test]
    fn one_line_takes_the_last_exact_score() {
        let text = "info depth 5 score cp 20 pv e2e4\ninfo depth 6 score cp 300 lowerbound pv d2d4\ninfo depth 6 score mate 0 pv a2a3";
        expect(&lines(1, text), &[("e2e4", "+0.20", 5)]);
    }

    #[test]
    fn a_rank_after_its_bounds_belongs_to_the_same_list() {
        // Ethereal on a slow machine: the bounds are missing on a quick one.
        let quick = "info depth 4 multipv 1 score cp 60 pv c2c4\n\
                     info depth 4 multipv 2 score cp 44 pv g2g3\n\
                     info depth 4 multipv 3 score cp 12 pv d2d4\n";
        let slow = quick.replace(
            "info depth 4 multipv 2",
            "info depth 4 multipv 2 score cp 30 upperbound pv g2g3\n\
                     info depth 4 multipv 2 score cp 50 lowerbound pv g2g3\ninfo depth 4 multipv 2",
        );
        let next = "info depth 5 multipv 1 score cp 20 upperbound pv c2c4\n";
        for text in [quick, &*slow] {
            expect(
                &lines(3, &format!("{DEPTH_3}{text}{next}")),
                &[("c2c4", "+0.60", 4), ("g2g3", "+0.44", 4), ("d2d4", "+0.12", 4)],
            );
        }
    }

    #[test]
    fn a_bound_is_better_than_nothing() {
        expect(&lines(1, "info depth 1 score cp 30 lowerbound pv d2d4"), &[("d2d4", "+0.30", 1)]);
    }

    #[test]
    fn fewer_ranks_than_wanted() {
        expect(
            &lines(2, "info depth 1 score cp 30 pv d2d4\ninfo depth 1 multipv 9 score cp 3 pv a2a3"),
            &[("d2d4", "+0.30", 1)],
        );
        assert!(lines(2, "info depth 1 nodes 20").is_empty());
    }

    #[test]
    fn variations_end_where_they_stop_being_legal() {
        let start = History::default();
        assert_eq!(read_pv(&start, "e2e4 e7e5 e4e5 d7d5").unwrap().len(), 2);
        assert_eq!(read_pv(&start, "e2e4 0000").unwrap().len(), 1);
        assert_eq!(read_pv(&start, "e2e5 e7e5").unwrap_err().uci, "e2e5");
        assert_eq!(read_pv(&start, "").unwrap_err().uci, "");
    }
}
