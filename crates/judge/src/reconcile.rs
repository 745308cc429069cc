//! Reconciles the findings of neighbouring positions, so that what one search proved also holds in
//! the next.
//!
//! Each position has a separate search, and a search that ends too early may contradict the one
//! before it. A forced mate would disappear and count as a loss of a move in a lost position, or a
//! move would be blamed although the search of the position after it finds nothing wrong.

use centipawn_core::{Context, Curve, Eval, MoveSymbol, Mover};
use centipawn_engine::Line;
use centipawn_pgn::{Game, ended_by};
use shakmaty::Move;

use crate::{JudgeOptions, PositionFindings, findings::drawn_by_rule};

/// A reply that loses less expected score than this counts as the best one, within the accuracy of
/// a search.
const LOSES_NOTHING: f64 = 1.0 / 50.0;
/// A blamed move keeps its evaluation unless a later search takes back at least this share of its
/// loss.
const CONTRADICTED: f64 = 1.0 / 2.0;

/// Corrects the findings of a game, one for each position. Findings from the game's own comments
/// stay as they are.
pub(crate) fn reconcile(
    game: &Game,
    found: &mut [Option<PositionFindings>],
    curve: &Curve,
    options: &JudgeOptions,
) {
    let blame = options
        .scheme
        .scheme(curve)
        .moves
        .threshold(MoveSymbol::Dubious)
        .abs();
    for (index, (before, ply)) in game.mainline().enumerate() {
        let (head, tail) = found.split_at_mut(index + 1);
        let [Some(next), later @ ..] = tail else {
            continue;
        };
        let Some(here) = head[index].as_mut() else {
            continue;
        };
        let (Some(limit), Some(_)) = (here.limit, next.limit) else {
            continue;
        };
        let reply = game.plies[index + 1].mv;
        let mut reached_by_move = before.clone();
        reached_by_move.push(ply.mv);
        let is_reply_drawn = drawn_by_rule(&reached_by_move, reply).is_some();
        keep_mate(here, next, ply.mv, (reply, is_reply_drawn));
        let is_over = ended_by(&before, ply.mv)
            .or_else(|| drawn_by_rule(&before, ply.mv))
            .is_some();
        if is_over || here.played.mate_moves().is_some() {
            continue;
        }
        let mover = before.turn();
        let context = Context::of(before.position());
        let expected = |eval: Eval<Mover>| curve.expected_score(eval, context);
        let is_as_long =
            |found: &PositionFindings| found.limit.is_some_and(|own| own.share_of(limit) >= 1.0);
        let by_next = is_as_long(next).then(|| next.best.for_white(!mover).for_mover(mover));
        // If the reply loses nothing, the search after it also evaluates the played move. But if
        // the reply draws by a rule and the game continues anyway, that search ignores the draw, so
        // it must not excuse the move that allowed it.
        let is_best_reply =
            expected(next.best) - expected(next.played) < LOSES_NOTHING && !is_reply_drawn;
        let by_later = later
            .first()
            .and_then(Option::as_ref)
            .filter(|found| is_best_reply && is_as_long(found));
        let Some(reached) = by_next
            .into_iter()
            .chain(by_later.map(|found| found.best))
            .max()
        else {
            continue;
        };
        let reached = reached.min(here.best);
        let [best, played, by_reached] = [here.best, here.played, reached].map(expected);
        // In case of doubt do not blame: the searches of the following positions must agree with
        // the loss.
        let is_contradicted = by_reached - played >= CONTRADICTED * (best - played);
        if best - played >= blame && is_contradicted && reached.mate_moves().is_none() {
            here.play_for(ply.mv, reached);
        }
    }
}

/// Applies a mate proven by the previous search to the next position. A mate that the previous
/// mover has bounds the evaluations of all moves. A mate against the previous mover is kept with
/// its line. A reply that draws by a rule ended the game before the mate.
fn keep_mate(
    here: &PositionFindings,
    next: &mut PositionFindings,
    played: Move,
    (reply, is_drawn): (Move, bool),
) {
    match here.played.mate_moves() {
        Some(moves) if moves > 1 => next.at_most(Eval::mate(1 - moves), is_drawn.then_some(reply)),
        Some(moves) if moves < 0 && next.best < Eval::mate(-moves) => {
            let listed = here
                .lines
                .iter()
                .find(|line| line.first_move() == played)
                .map(|line| &line.pv[1..]);
            let known = listed
                .filter(|pv| !pv.is_empty())
                .unwrap_or(&here.answer)
                .to_vec();
            if !known.is_empty() {
                let depth = here.lines.first().map_or(0, |line| line.depth);
                let eval = Eval::mate(-moves);
                next.at_least(
                    Line {
                        pv: known,
                        eval,
                        last_exact: None,
                        wdl: None,
                        depth,
                        seldepth: None,
                    },
                    reply,
                );
            }
        }
        _ => {}
    }
}

impl PositionFindings {
    /// Lowers all evaluations above `most` to `most`, except that of the move `drawn`, which draws
    /// by a rule.
    fn at_most(&mut self, most: Eval<Mover>, drawn: Option<Move>) {
        let is_bounded = |line: &&mut Line| line.eval > most && drawn != Some(line.first_move());
        for line in self.lines.iter_mut().filter(is_bounded) {
            (line.eval, line.last_exact, line.wdl) = (most, None, None);
        }
        self.lines.sort_by_key(|line| std::cmp::Reverse(line.eval));
        self.best_other = self.best_other.map(|eval| eval.min(most));
        if drawn.is_none() {
            self.played = self.played.min(most);
        }
        self.best = self.best.min(most).max(self.played);
    }

    /// Raises the evaluation of the first move of `line` to that of the line, because it is worth
    /// more than the search found. `played` is the move of the game.
    fn at_least(&mut self, line: Line, played: Move) {
        let first = line.first_move();
        self.lines.retain(|own| own.first_move() != first);
        self.best = line.eval;
        if first == played {
            (self.played, self.played_last_exact) = (line.eval, None);
        } else {
            self.best_other = Some(line.eval);
        }
        self.lines.insert(0, line);
    }

    /// Sets the evaluation of the played move. It must not be better than that of the best move.
    fn play_for(&mut self, played: Move, eval: Eval<Mover>) {
        (self.played, self.played_last_exact) = (eval, None);
        if let Some(line) = self
            .lines
            .iter_mut()
            .find(|line| line.first_move() == played)
        {
            (line.eval, line.last_exact, line.wdl) = (eval, None, None);
        }
        self.lines.sort_by_key(|line| std::cmp::Reverse(line.eval));
    }
}

#[cfg(test)]
mod tests {
    use centipawn_engine::Limit;
    use centipawn_pgn::Reader;

    use super::*;

    fn game(pgn: &str) -> Game {
        Reader::new(pgn.as_bytes())
            .next()
            .unwrap()
            .unwrap()
            .unwrap()
    }

    /// Findings for each position: the lines as `"e2e4 e7e5 30"`, best first, and the evaluation of
    /// the played move.
    fn found(game: &Game, positions: &[(&[&str], Eval<Mover>)]) -> Vec<Option<PositionFindings>> {
        let eval = |text: &str| match text.strip_prefix('#') {
            Some(moves) => Eval::mate(moves.parse().unwrap()),
            None => Eval::cp(text.parse().unwrap()),
        };
        let of = |((before, ply), (texts, played)): (
            (centipawn_core::History, &centipawn_pgn::Ply),
            &(&[&str], _),
        )| {
            let lines: Vec<Line> = texts
                .iter()
                .map(|text| {
                    let (moves, worth) = text.rsplit_once(' ').unwrap();
                    let mut at = before.clone();
                    let pv = moves.split(' ').map(|uci| {
                        let mv = at.parse_uci(uci).unwrap();
                        at.push(mv);
                        mv
                    });
                    let pv = pv.collect();
                    Line {
                        pv,
                        eval: eval(worth),
                        last_exact: None,
                        wdl: None,
                        depth: 10,
                        seldepth: None,
                    }
                })
                .collect();
            let best = lines[0].eval.max(*played);
            let best_other = lines
                .iter()
                .find(|line| line.first_move() != ply.mv)
                .map(|line| line.eval);
            Some(PositionFindings {
                lines,
                best,
                played: *played,
                played_last_exact: None,
                best_other,
                limit: Some(Limit::Nodes(1000)),
                ease: Vec::new(),
                proof: None,
                answer: Vec::new(),
            })
        };
        game.mainline().zip(positions).map(of).collect()
    }

    fn options() -> JudgeOptions {
        JudgeOptions::new(Limit::Nodes(1000))
    }

    fn reconciled(game: &Game, positions: &[(&[&str], Eval<Mover>)]) -> Vec<PositionFindings> {
        let mut found = found(game, positions);
        reconcile(game, &mut found, &Curve::LICHESS, &options());
        found.into_iter().flatten().collect()
    }

    /// White has a mate in 14. The search after the move no longer finds it, so Black's move that
    /// is mated faster would look like a mistake.
    #[test]
    fn a_proven_mate_is_kept_in_the_next_position() {
        let game = game("[FEN \"6k1/5pp1/7p/8/8/8/1Q3PPP/6K1 w - - 0 1\"]\n\n1. Qb8+ Kh7 2. h4 *");
        let found = reconciled(
            &game,
            &[
                (&["b2b8 g8h7 h2h4 #14"], Eval::mate(14)),
                (&["g8h7 h2h4 -555"], Eval::mate(-9)),
                (&["h2h4 700", "b8f8 650"], Eval::cp(700)),
            ],
        );
        assert_eq!(
            (found[1].best, found[1].played),
            (Eval::mate(-13), Eval::mate(-9))
        );
        assert_eq!(found[1].lines[0].eval, Eval::mate(-13));
        // The mate in 9 that Black's move allowed is known from the previous search's line.
        assert_eq!(
            (found[2].best, found[2].played),
            (Eval::mate(9), Eval::mate(9))
        );
        assert_eq!(found[2].lines[0].eval, Eval::mate(9));
    }

    #[test]
    fn blame_needs_the_agreement_of_later_searches() {
        let game = game("[FEN \"6k1/5pp1/7p/8/8/8/1Q3PPP/6K1 w - - 0 1\"]\n\n1. Qb8+ Kh7 2. h4 *");
        let after = |next: &str, reply, played| {
            let found = reconciled(
                &game,
                &[
                    (&["h2h4 825"], Eval::cp(played)),
                    (&[next], reply),
                    (&["h2h4 797"], Eval::cp(797)),
                ],
            );
            found[0].played
        };
        // Each of Black's moves loses at least as much as the best one.
        let of = |next: &str, played| after(next, Eval::cp(-3000), played);
        assert_eq!(of("g8h7 h2h4 -797", 380), Eval::cp(797), "contradicted");
        assert_eq!(
            of("g8h7 h2h4 -900", 380),
            Eval::cp(825),
            "no better than the best move"
        );
        assert_eq!(of("g8h7 h2h4 -790", 800), Eval::cp(800), "not blamed");
        assert_eq!(
            of("g8h7 h2h4 -390", 380),
            Eval::cp(380),
            "confirmed, and the reply was bad"
        );
        assert_eq!(
            after("g8h7 h2h4 -390", Eval::cp(-390), 380),
            Eval::cp(797),
            "contradicted after the best reply"
        );
    }

    /// A third repetition is a draw, even if the next search continues the game.
    #[test]
    fn draws_by_rule_are_kept() {
        let moves = "1. Qb8+ Kh7 2. Qb1+ Kg8 3. Qb8+ Kh7 4. Qb1+ Kg8 5. Qb8+ Kh7 *";
        let game = game(&format!(
            "[FEN \"6k1/5pp1/7p/8/8/8/1Q3PPP/6K1 w - - 0 1\"]\n\n{moves}"
        ));
        let lines = [
            ["h2h4 0"],
            ["g8h7 0"],
            ["h2h4 0"],
            ["h7g8 0"],
            ["h2h4 0"],
            ["g8h7 0"],
            ["h2h4 0"],
            ["h7g8 0"],
            ["b1b2 797"],
            ["g8h7 -797"],
        ];
        let positions: Vec<(&[&str], Eval<Mover>)> =
            lines.iter().map(|line| (&line[..], Eval::cp(0))).collect();
        let found = reconciled(&game, &positions);
        assert_eq!(found[8].played, Eval::cp(0));
    }

    /// White has a mate, but Black's reply draws by the third repetition. The mate must not change
    /// the evaluation of this draw.
    #[test]
    fn a_reply_that_draws_is_not_bounded_by_a_mate() {
        let moves = "1. Qb1+ Kg8 2. Qb8+ Kh7 3. Qb1+ Kg8 4. Qb8+ Kh7 *";
        let game = game(&format!(
            "[FEN \"1Q6/5ppk/7p/8/8/8/5PPP/6K1 w - - 0 1\"]\n\n{moves}"
        ));
        let even = [
            ["h2h4 0"],
            ["h7g8 0"],
            ["h2h4 0"],
            ["g8h7 0"],
            ["h2h4 0"],
            ["h7g8 0"],
        ];
        let mut positions: Vec<(&[&str], Eval<Mover>)> =
            even.iter().map(|line| (&line[..], Eval::cp(0))).collect();
        positions.push((&["b1b8 #14"], Eval::mate(14)));
        positions.push((&["g8h7 0"], Eval::cp(0)));
        let found = reconciled(&game, &positions);
        assert_eq!(
            (found[7].played, found[7].best, found[7].lines[0].eval),
            (Eval::cp(0), Eval::cp(0), Eval::cp(0))
        );
    }

    /// White allows a third repetition, and Black's reply draws by it, but the game continues. The
    /// search after the reply must not raise the evaluation of White's move.
    #[test]
    fn a_reply_that_draws_keeps_the_blame() {
        let moves = "1. Qb1+ Kg8 2. Qb8+ Kh7 3. Qb1+ Kg8 4. Qb8+ Kh7 5. h4 *";
        let game = game(&format!(
            "[FEN \"1Q6/5ppk/7p/8/8/8/5PPP/6K1 w - - 0 1\"]\n\n{moves}"
        ));
        let even = [
            ["h2h4 0"],
            ["h7g8 0"],
            ["h2h4 0"],
            ["g8h7 0"],
            ["h2h4 0"],
            ["h7g8 0"],
        ];
        let mut positions: Vec<(&[&str], Eval<Mover>)> =
            even.iter().map(|line| (&line[..], Eval::cp(0))).collect();
        positions.push((&["h2h4 797"], Eval::cp(0)));
        positions.push((&["g8h7 0"], Eval::cp(0)));
        positions.push((&["h2h4 797"], Eval::cp(797)));
        let found = reconciled(&game, &positions);
        assert_eq!(found[6].played, Eval::cp(0));
    }
}
