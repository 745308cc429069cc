//! Turns the `info` lines of one search into its principal variations.
//!
//! An engine stopped in the middle of an iteration reports a mixture: some ranks at the current
//! depth, the others at the depth before, and scores that are only bounds. From these reports
//! [`Collector`] makes a list of different moves with descending scores, which never contradicts
//! the bound that the engine printed last for a move: a move's last exact score is moved to that
//! bound, and [`Line::last_exact`] keeps it.
//!
//! The list does not depend on the speed of the machine. Engines report more after some seconds:
//! Stockfish, after 3 s, each rank of an unfinished iteration and scores outside the search window;
//! Ethereal, after 2.5 s, the latter. So only two lists count, which engines print at any speed:
//! the list that ended the last finished iteration, in which all ranks have exact scores of one
//! depth, and the very last list. A list that looks finished may be an intermediate one of a slow
//! engine until a list of greater depth follows.

use std::cmp::Reverse;

use centipawn_core::{Eval, History, IllegalMove, Mover, Score, Wdl};
use shakmaty::{Move, Position};

use crate::{
    Line,
    uci::{Bound, Info},
};

/// The largest score in centipawns that an engine may mean: 10,000 pawns. Engines write mates and
/// positions of endgame tables as large numbers too, such as 20,000 (Stockfish's tables), 32,767,
/// 69,290 (Sunfish's king) or 1,000,000; larger numbers are overflows.
const MOST_CENTIPAWNS: u32 = 1_000_000;
/// The most moves to mate that an engine may mean. No game is longer than 8,849 moves, by the rule
/// of 75 moves.
const MOST_MOVES_TO_MATE: u32 = 10_000;

/// Returns whether a score is in the range that engines use.
fn is_plausible(score: Score) -> bool {
    match score {
        Score::Cp(cp) => cp.unsigned_abs() <= MOST_CENTIPAWNS,
        Score::Mate(moves) => moves.unsigned_abs() <= MOST_MOVES_TO_MATE,
    }
}

/// The reason why the reports of a search are unusable.
#[derive(Debug)]
pub(crate) enum BadReport {
    /// The first move of a line is not legal.
    Illegal(IllegalMove),
    /// The score of a line is outside the range that engines use.
    Implausible(Score),
}

/// The content of one `info` line, which is about the line of one rank.
#[derive(Clone, Debug)]
struct Report {
    eval: Eval<Mover>,
    /// `None` if `eval` is exact.
    bound: Option<Bound>,
    /// The last exact score, if `eval` is a bound that contradicts it.
    last_exact: Option<Eval<Mover>>,
    wdl: Option<Wdl>,
    depth: u32,
    seldepth: Option<u32>,
    pv: String,
}

impl Report {
    fn first_move(&self) -> &str {
        self.pv.split_whitespace().next().unwrap_or_default()
    }

    /// This report, moved to the bound of a later one: about the same move, or about a move that
    /// takes its rank.
    fn limited_by(self, later: Self) -> Self {
        let eval = match later.bound {
            Some(Bound::Lower) => self.eval.max(later.eval),
            Some(Bound::Upper) => self.eval.min(later.eval),
            None => later.eval,
        };
        let moved = eval != self.eval;
        let is_same_move = self.first_move() == later.first_move();
        if !moved && is_same_move {
            return Self {
                bound: later.bound,
                ..self
            };
        }
        let wdl = if moved { later.wdl } else { self.wdl };
        // The variation of a bound often ends after its first move, so keep the longer one.
        let pv = if is_same_move && self.pv.starts_with(&later.pv) {
            self.pv
        } else {
            later.pv
        };
        Self {
            eval,
            last_exact: moved.then_some(self.eval),
            wdl,
            pv,
            ..later
        }
    }
}

/// The reports of one search. Engines print them in lists, rank by rank from the first.
#[derive(Debug)]
pub(crate) struct Collector {
    /// The list being printed, or the last one: a report for each rank.
    last: Vec<Option<Report>>,
    /// The rank reported last, from 0.
    last_rank: usize,
    /// The list at the end of the last iteration that is certainly finished.
    complete: Option<Vec<Report>>,
    /// The last list in which every rank has an exact score of the same depth; it ended the
    /// iteration if a deeper one follows.
    candidate: Option<Vec<Report>>,
    /// The last report of each rank, exact if there was one. It is used for engines that never
    /// print a complete list.
    any: Vec<Option<Report>>,
    /// The greatest node count reported.
    pub(crate) nodes: u64,
    /// The greatest depth reported with a score.
    pub(crate) depth: u32,
}

impl Collector {
    pub(crate) fn new(wanted: usize) -> Self {
        let none = vec![None; wanted];
        Self {
            last: none.clone(),
            last_rank: 0,
            complete: None,
            candidate: None,
            any: none,
            nodes: 0,
            depth: 0,
        }
    }

    /// Adds one `info` line.
    pub(crate) fn add(&mut self, info: &Info<'_>) {
        self.nodes = self.nodes.max(info.nodes.unwrap_or(0));
        let (Some(score), Some(pv)) = (info.score, info.pv) else {
            return;
        };
        let Some(rank) = info
            .multipv
            .unwrap_or(1)
            .checked_sub(1)
            .filter(|rank| *rank < self.last.len())
        else {
            return;
        };
        // `mate 0` means "already mated", which is wrong where there is a legal move.
        if score == Score::Mate(0) {
            return;
        }
        let depth = info.depth.unwrap_or(0);
        self.depth = self.depth.max(depth);
        let Info {
            bound,
            wdl,
            seldepth,
            ..
        } = *info;
        let report = Report {
            eval: Eval::new(score),
            bound,
            last_exact: None,
            wdl,
            depth,
            seldepth,
            pv: pv.to_owned(),
        };
        // Ethereal prints a rank again within the same list once its score is more than a bound,
        // which only slow searches report.
        let is_bound = |report: &Report| report.bound.is_some();
        let completes = rank == self.last_rank && self.last[rank].as_ref().is_some_and(is_bound);
        if rank <= self.last_rank && !completes {
            self.last.fill(None);
            // With one line, every exact score ends an iteration.
            let is_finished = |list: &mut Vec<Report>| list.len() == 1 || list[0].depth < depth;
            if let Some(finished) = self.candidate.take_if(is_finished) {
                self.complete = Some(finished);
            }
        }
        self.last_rank = rank;
        if bound.is_none() || self.any[rank].as_ref().is_none_or(is_bound) {
            self.any[rank] = Some(report.clone());
        }
        self.last[rank] = Some(report);
        if let Some(list) = exact(&self.last)
            && list.iter().all(|report| report.depth == depth)
            && are_distinct(&list)
        {
            self.candidate = Some(list);
        }
    }

    /// Returns the list to answer with. It is shorter than wanted, or empty, if the engine reported
    /// no more.
    fn choose(self, believes_bounds: bool) -> Vec<Report> {
        let wanted = self.last.len();
        let complete = self
            .complete
            .or(self.candidate)
            .unwrap_or_else(|| distinct(self.any.into_iter().flatten()));
        // The last list has the newest moves. Where its score is a bound, it limits the exact score
        // of the same move, or else of the same rank.
        let mut chosen: Vec<Report> = Vec::new();
        for (rank, report) in self.last.into_iter().enumerate() {
            let Some(report) = report.filter(|report| believes_bounds || report.bound.is_none())
            else {
                continue;
            };
            let is_same_move = |other: &Report| other.first_move() == report.first_move();
            if let Some(index) = chosen.iter().position(is_same_move) {
                if report.bound.is_some() {
                    chosen[index] = chosen[index].clone().limited_by(report);
                }
                continue;
            }
            let known = complete
                .iter()
                .find(|other| is_same_move(other))
                .or(complete.get(rank));
            chosen.push(match (report.bound, known) {
                (Some(_), Some(known)) => known.clone().limited_by(report),
                _ => report,
            });
        }
        chosen = distinct(chosen.into_iter().chain(complete));
        chosen.truncate(wanted);
        limit_stale(&mut chosen);
        chosen.sort_by_key(|report| Reverse(report.eval));
        chosen
    }

    /// Returns the lines with their moves parsed, each up to its first illegal move.
    /// `believes_bounds`: whether the engine prints its last list at any speed of the machine, so
    /// that the bounds in it count.
    ///
    /// # Errors
    ///
    /// [`BadReport`] when the first move of a line is not legal, or the engine cannot mean its
    /// score.
    pub(crate) fn finish(
        self,
        history: &History,
        believes_bounds: bool,
    ) -> Result<Vec<Line>, BadReport> {
        self.choose(believes_bounds)
            .into_iter()
            .map(|report| {
                let Report {
                    eval,
                    last_exact,
                    wdl,
                    depth,
                    seldepth,
                    ..
                } = report;
                let mut scores = [Some(eval), last_exact]
                    .into_iter()
                    .flatten()
                    .map(Eval::score);
                if let Some(score) = scores.find(|score| !is_plausible(*score)) {
                    return Err(BadReport::Implausible(score));
                }
                let pv = read_pv(history, &report.pv).map_err(BadReport::Illegal)?;
                Ok(Line {
                    pv,
                    eval,
                    last_exact,
                    wdl,
                    depth,
                    seldepth,
                })
            })
            .collect()
    }
}

/// Returns the reports of a list if every rank has one with an exact score.
fn exact(list: &[Option<Report>]) -> Option<Vec<Report>> {
    list.iter()
        .map(|report| report.clone().filter(|report| report.bound.is_none()))
        .collect()
}

/// Returns the reports with different first moves, each move where it comes first.
fn distinct(reports: impl IntoIterator<Item = Report>) -> Vec<Report> {
    let mut found: Vec<Report> = Vec::new();
    for report in reports {
        if found
            .iter()
            .all(|other| other.first_move() != report.first_move())
        {
            found.push(report);
        }
    }
    found
}

/// Limits the scores of earlier depths by the exact scores of the newest depth above them: the
/// newest search found those moves no better.
fn limit_stale(list: &mut [Report]) {
    let newest = list.iter().map(|report| report.depth).max();
    let mut limit: Option<(Eval<Mover>, Option<Wdl>)> = None;
    for report in list {
        if report.bound.is_some() {
            continue;
        }
        if Some(report.depth) == newest {
            limit = Some((report.eval, report.wdl));
        } else if let Some((eval, wdl)) = limit.filter(|(eval, _)| report.eval > *eval) {
            report.last_exact.get_or_insert(report.eval);
            (report.eval, report.wdl) = (eval, wdl);
        }
    }
}

fn are_distinct(list: &[Report]) -> bool {
    list.iter().enumerate().all(|(index, report)| {
        list[..index]
            .iter()
            .all(|other| other.first_move() != report.first_move())
    })
}

/// Parses a variation up to its first illegal move: engines extend variations from hash entries of
/// other positions.
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
    use proptest::prelude::*;

    use super::*;
    use crate::uci::{Message, parse};

    fn answer(wanted: usize, text: &str, believes_bounds: bool) -> Vec<Line> {
        let mut collector = Collector::new(wanted);
        for line in text.lines() {
            if let Message::Info(info) = parse(line) {
                collector.add(&info);
            }
        }
        collector
            .finish(&History::default(), believes_bounds)
            .unwrap()
    }

    fn lines(wanted: usize, text: &str) -> Vec<(String, String, u32)> {
        shown(&answer(wanted, text, true))
    }

    fn shown(lines: &[Line]) -> Vec<(String, String, u32)> {
        let start = History::default();
        lines
            .iter()
            .map(|line| {
                (
                    start.uci(line.pv[0]).to_string(),
                    line.eval.to_string(),
                    line.depth,
                )
            })
            .collect()
    }

    fn expect(found: &[(String, String, u32)], wanted: &[(&str, &str, u32)]) {
        let found: Vec<(&str, &str, u32)> = found
            .iter()
            .map(|(mv, eval, depth)| (mv.as_str(), eval.as_str(), *depth))
            .collect();
        assert_eq!(found, wanted);
    }

    const DEPTH_3: &str = "info depth 3 multipv 1 score cp 50 pv c2c4 a7a6 e2e4\n\
                           info depth 3 multipv 2 score cp 41 pv g2g3\n\
                           info depth 3 multipv 3 score cp 6 pv d2d4 d7d5\n";

    #[test]
    fn scores_that_no_engine_means_are_refused() {
        let read = |score: &str| {
            let mut collector = Collector::new(1);
            if let Message::Info(info) = parse(&format!("info depth 1 score {score} pv e2e4")) {
                collector.add(&info);
            }
            collector
                .finish(&History::default(), true)
                .map(|lines| lines[0].eval.score())
        };
        for score in [
            "cp -2147483648",
            "cp 2147483647",
            "cp 1000001",
            "cp -1000001",
            "mate 2147483647",
            "mate -10001",
        ] {
            assert!(
                matches!(read(score), Err(BadReport::Implausible(_))),
                "{score}"
            );
        }
        // Engines encode mates and tablebase results in such centipawns.
        for cp in [
            20_000, -19_990, 32_767, -31_999, 69_290, 100_000, -1_000_000,
        ] {
            assert_eq!(read(&format!("cp {cp}")).unwrap(), Score::Cp(cp));
        }
        assert_eq!(read("mate -584").unwrap(), Score::Mate(-584));
    }

    #[test]
    fn a_move_that_fails_low_falls_behind() {
        // Stockfish 15.1 at `go nodes 700`: c2c4 fails low at rank 2. Rank 3 is of the depth
        // before, in which g1f3 was worse.
        let text = format!(
            "{DEPTH_3}info depth 4 multipv 1 score cp 36 pv g1f3 d7d5 d2d4\n\
             info depth 4 multipv 2 score cp 0 upperbound pv c2c4 g8f6\n\
             info depth 3 multipv 3 score cp 41 pv g2g3\n"
        );
        expect(
            &lines(3, &text),
            &[
                ("g1f3", "+0.36", 4),
                ("g2g3", "+0.36", 3),
                ("c2c4", "0.00", 4),
            ],
        );
        let open: Vec<_> = answer(3, &text, true)
            .iter()
            .map(|line| line.last_exact.map(|eval| eval.to_string()))
            .collect();
        assert_eq!(
            open,
            [None, Some("+0.41".to_owned()), Some("+0.50".to_owned())]
        );
    }

    #[test]
    fn a_repeated_depth_does_not_spoil_the_list() {
        // e2e4 fails high at depth 4; the engine then repeats depth 3 one rank lower.
        let text = format!(
            "{DEPTH_3}info depth 4 multipv 1 score cp 90 lowerbound pv e2e4\n\
             info depth 3 multipv 2 score cp 50 pv c2c4\n\
             info depth 3 multipv 3 score cp 41 pv g2g3\n"
        );
        expect(
            &lines(3, &text),
            &[
                ("e2e4", "+0.90", 4),
                ("c2c4", "+0.50", 3),
                ("g2g3", "+0.41", 3),
            ],
        );
    }

    #[test]
    fn a_list_of_two_depths_is_the_newest_knowledge() {
        let text = format!(
            "{DEPTH_3}info depth 4 multipv 1 score cp 60 pv c2c4\n\
             info depth 4 multipv 2 score cp 5 upperbound pv g2g3\n"
        );
        expect(
            &lines(3, &text),
            &[
                ("c2c4", "+0.60", 4),
                ("d2d4", "+0.06", 3),
                ("g2g3", "+0.05", 4),
            ],
        );
    }

    #[test]
    fn scores_of_the_depth_before_are_at_most_those_above() {
        // Stockfish 15.1 at `go nodes 20000`: rank 3 keeps a depth-7 score above that of rank 2.
        let text = format!(
            "{DEPTH_3}info depth 4 multipv 1 score cp 34 pv e2e4\n\
             info depth 4 multipv 2 score cp 1 pv b2b3\n\
             info depth 3 multipv 3 score cp 6 pv d2d4 d7d5\n"
        );
        expect(
            &lines(3, &text),
            &[
                ("e2e4", "+0.34", 4),
                ("b2b3", "+0.01", 4),
                ("d2d4", "+0.01", 3),
            ],
        );
    }

    #[test]
    fn one_line_never_contradicts_the_last_bound() {
        let line = |text: &str| answer(1, text, true).remove(0);
        let show = |line: &Line| {
            (
                line.pv.len(),
                line.eval.to_string(),
                line.last_exact.map(|eval| eval.to_string()),
            )
        };
        let exact = "info depth 5 score cp 185 wdl 300 690 10 pv e2e4 e7e5 g1f3\n";
        let low = line(&format!(
            "{exact}info depth 6 score cp 42 wdl 90 890 20 upperbound pv e2e4 c7c5"
        ));
        assert_eq!(
            show(&low),
            (2, "+0.42".to_owned(), Some("+1.85".to_owned()))
        );
        assert_eq!((low.depth, low.wdl), (6, Wdl::from_per_mille(90, 890, 20)));
        let high = line(&format!(
            "{exact}info depth 6 score cp 300 lowerbound pv e2e4"
        ));
        assert_eq!(
            show(&high),
            (3, "+3.00".to_owned(), Some("+1.85".to_owned())),
            "the known variation is kept"
        );
        let agreeing = line(&format!(
            "{exact}info depth 6 score cp 190 upperbound pv e2e4"
        ));
        assert_eq!(show(&agreeing), (3, "+1.85".to_owned(), None));
        let other = line(&format!(
            "{exact}info depth 6 score cp 300 lowerbound pv d2d4\ninfo depth 6 score mate 0 pv a2a3"
        ));
        assert_eq!(
            (other.first_move(), other.eval),
            (History::default().parse_uci("d2d4").unwrap(), Eval::cp(300))
        );
        let mated = line(&format!(
            "{exact}info depth 6 score mate -3 upperbound pv e2e4 e7e5"
        ));
        assert_eq!(mated.eval, Eval::mate(-3));
        // An engine that this program stops prints its last bounds on slow machines only.
        let stopped = answer(
            1,
            &format!("{exact}info depth 6 score cp 42 upperbound pv e2e4 c7c5"),
            false,
        )
        .remove(0);
        assert_eq!(show(&stopped), (3, "+1.85".to_owned(), None));
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
                &shown(&answer(3, &format!("{DEPTH_3}{text}{next}"), false)),
                &[
                    ("c2c4", "+0.60", 4),
                    ("g2g3", "+0.44", 4),
                    ("d2d4", "+0.12", 4),
                ],
            );
        }
    }

    #[test]
    fn a_bound_is_better_than_nothing() {
        expect(
            &lines(1, "info depth 1 score cp 30 lowerbound pv d2d4"),
            &[("d2d4", "+0.30", 1)],
        );
    }

    #[test]
    fn fewer_ranks_than_wanted() {
        expect(
            &lines(
                2,
                "info depth 1 score cp 30 pv d2d4\ninfo depth 1 multipv 9 score cp 3 pv a2a3",
            ),
            &[("d2d4", "+0.30", 1)],
        );
        assert!(lines(2, "info depth 1 nodes 20").is_empty());
    }

    proptest! {
        /// For any output of an engine, the moves of an answer are distinct and ordered, and no
        /// score contradicts the move's last bound.
        #[test]
        fn answers_never_contradict_the_last_bounds(
            reports in proptest::collection::vec((0..6_u32, 1..4_usize, -300..300, 0..3, 0..6_usize), 1..40),
        ) {
            const MOVES: [&str; 6] = ["e2e4", "d2d4", "g1f3", "c2c4", "g2g3", "b2b3"];
            let mut text = String::new();
            let mut last: Vec<(usize, &str, Bound, i32)> = Vec::new();
            let mut last_rank = 0;
            for (depth, rank, cp, bound, mv) in reports {
                let (word, bound) =
                    [("", None), (" lowerbound", Some(Bound::Lower)), (" upperbound", Some(Bound::Upper))][bound as usize];
                text += &format!("info depth {depth} multipv {rank} score cp {cp}{word} pv {}\n", MOVES[mv]);
                let completes = rank == last_rank && last.iter().any(|(at, ..)| *at == rank);
                if rank <= last_rank && !completes {
                    last.clear();
                }
                last.retain(|(at, ..)| *at != rank);
                last_rank = rank;
                last.extend(bound.map(|bound| (rank, MOVES[mv], bound, cp)));
            }
            let found = answer(3, &text, true);
            prop_assert!(found.windows(2).all(|pair| pair[0].eval >= pair[1].eval));
            let start = History::default();
            for (index, line) in found.iter().enumerate() {
                prop_assert!(found[..index].iter().all(|other| other.first_move() != line.first_move()));
                let uci = start.uci(line.first_move()).to_string();
                let printed_last = last.iter().filter(|(_, mv, ..)| *mv == uci).max_by_key(|(rank, ..)| *rank);
                if let Some((_, _, bound, cp)) = printed_last {
                    let agrees = match bound {
                        Bound::Upper => line.eval <= Eval::cp(*cp),
                        Bound::Lower => line.eval >= Eval::cp(*cp),
                    };
                    prop_assert!(agrees, "{uci}: {} in\n{text}", line.eval);
                }
            }
        }
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
