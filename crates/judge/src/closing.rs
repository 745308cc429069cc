//! What is remarkable about the end of a game: a position that was worth something was given up, or
//! the time was short.

use std::time::Duration;

use centipawn_core::{Context, Curve};
use shakmaty::{Color, KnownOutcome, Outcome};

use crate::{GameEnd, Judgement, clock::simple_control};

/// A remarkable fact about the end of a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Closing {
    /// A side gave up, or lost on time, or a draw was agreed, in a position that was worth
    /// something.
    GivenUp {
        /// How the game ended.
        end: GameEnd,
        /// The side that could have expected more.
        side: Color,
        /// Its expected score in the last position, 0..=1.
        expected_score: f64,
    },
    /// A side made many of its last moves with little time.
    ShortOfTime {
        /// The side.
        side: Color,
        /// Number of its last moves that left it with less time than `limit`.
        moves: usize,
        /// A tenth of its time for the game.
        limit: Duration,
    },
}

/// Expected score that a side gives up at least when it resigns: about what a player expects who is
/// two pawns behind.
const RESIGNED: f64 = 0.25;
/// Expected score of a side that loses on time in a position that it would win more often than not.
const FLAGGED: f64 = 0.6;
/// Expected score of the side that agrees to a draw although it is winning.
const AGREED: f64 = 0.8;
/// Number of last moves with little time that are remarkable.
const MOVES: usize = 8;
/// Little time is this share of the time for the game.
const SHARE: u32 = 10;

impl Judgement {
    /// Returns what is remarkable about the end of the game, at most one fact for each side. The
    /// position is judged by the curve of the two players, if the game has their ratings or time.
    pub fn closings(&self) -> Vec<Closing> {
        let given_up = self.given_up();
        let is_said = |side: Color| {
            given_up.is_some_and(|closing| match closing {
                Closing::GivenUp { side: said, .. } | Closing::ShortOfTime { side: said, .. } => {
                    said == side
                }
            })
        };
        let short = Color::ALL
            .into_iter()
            .filter(|&side| !is_said(side))
            .filter_map(|side| self.short_of_time(side));
        given_up.into_iter().chain(short).collect()
    }

    fn given_up(&self) -> Option<Closing> {
        let Outcome::Known(outcome) = self.game.result else {
            return None;
        };
        let end = self.game.end();
        let last = self.plies.last()?;
        // A mate on the board has its own sentence.
        if end.ending().is_some() || self.unplayed_mate().is_some() {
            return None;
        }
        let loser = match outcome {
            KnownOutcome::Decisive { winner } => Some(!winner),
            KnownOutcome::Draw => None,
        };
        let practical = self.practical_curve();
        let curve: &Curve = practical.as_ref().unwrap_or(&self.curve);
        let white = curve.expected_score(last.eval?, Context::of(end.position()));
        let of = |side: Color| side.fold_wb(white, 1.0 - white);
        let how = GameEnd::of(self.game.headers.get("Termination"), loser);
        let (side, least) = match (how, loser) {
            (GameEnd::Resignation(loser), _) => (loser, RESIGNED),
            (GameEnd::Time(loser), _) => (loser, FLAGGED),
            // Without the tag, the loser may have left the game.
            (GameEnd::Other, Some(_)) => return None,
            (GameEnd::Other, None) => {
                let better = if white >= 0.5 {
                    Color::White
                } else {
                    Color::Black
                };
                (better, AGREED)
            }
        };
        (of(side) >= least).then(|| Closing::GivenUp {
            end: how,
            side,
            expected_score: of(side),
        })
    }

    fn short_of_time(&self, side: Color) -> Option<Closing> {
        let (base, _) = simple_control(&self.game)?;
        let limit = base / SHARE;
        let moves = self
            .plies
            .iter()
            .rev()
            .filter(|ply| ply.mover == side)
            .take_while(|ply| ply.clock.is_some_and(|left| left < limit))
            .count();
        (moves >= MOVES && !limit.is_zero()).then_some(Closing::ShortOfTime { side, moves, limit })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use centipawn_core::Eval;
    use centipawn_engine::Limit;
    use centipawn_pgn::Reader;

    use super::*;
    use crate::{GameFindings, JudgeOptions, PositionFindings, judge_game};

    fn closings(pgn: &str, worth: i32) -> Vec<Closing> {
        let game = Reader::new(pgn.as_bytes())
            .next()
            .unwrap()
            .unwrap()
            .unwrap();
        let mut mover = Color::White;
        let positions = game.plies.iter().map(|_| {
            let eval = Eval::cp(mover.fold_wb(worth, -worth));
            mover = !mover;
            PositionFindings {
                lines: Vec::new(),
                best: eval,
                played: eval,
                played_last_exact: None,
                best_other: None,
                limit: None,
                ease: Vec::new(),
                proof: None,
                answer: Vec::new(),
            }
        });
        let findings = GameFindings {
            analyst: None,
            curve: Curve::LICHESS,
            positions: positions.collect(),
        };
        let options = JudgeOptions::new(Limit::Nodes(1));
        judge_game(Arc::new(game), &findings, &options).closings()
    }

    #[test]
    fn a_position_worth_something_is_given_up() {
        let pgn = |termination: &str, result: &str| {
            format!("[Termination \"{termination}\"]\n\n1. e4 e5 2. Nf3 Nc6 {result}\n")
        };
        let of = |termination: &str, result: &str, worth| {
            let found = closings(&pgn(termination, result), worth);
            found.first().map(|closing| match closing {
                Closing::GivenUp { end, side, .. } => (*end, *side),
                Closing::ShortOfTime { .. } => panic!("there are no clocks"),
            })
        };
        let (white, black) = (Color::White, Color::Black);
        assert_eq!(
            of("Normal", "0-1", 0),
            Some((GameEnd::Resignation(white), white))
        );
        assert_eq!(of("Normal", "0-1", -900), None, "the position was lost");
        assert_eq!(
            of("Time forfeit", "1-0", -500),
            Some((GameEnd::Time(black), black))
        );
        assert_eq!(of("Time forfeit", "1-0", 0), None, "it was level");
        assert_eq!(of("Normal", "1/2-1/2", 800), Some((GameEnd::Other, white)));
        assert_eq!(of("Normal", "1/2-1/2", 100), None);
        assert_eq!(of("", "0-1", 0), None, "the end is not stated");
    }

    #[test]
    fn the_last_moves_may_be_short_of_time() {
        let game = |clock: &dyn Fn(usize) -> usize| {
            let moves: String = (1..=10)
                .map(|number| {
                    let [white, black] = match number % 2 {
                        1 => ["Nf3", "Nf6"],
                        _ => ["Ng1", "Ng8"],
                    };
                    let left = clock(number);
                    format!("{number}. {white} {{[%clk 0:00:{left}]}} {black} {{[%clk 0:04:00]}} ")
                })
                .collect();
            closings(&format!("[TimeControl \"300+0\"]\n\n{moves} *"), 0)
        };
        assert_eq!(
            game(&|number| 45 - number),
            [],
            "less than 30 s only at the end"
        );
        assert_eq!(
            game(&|number| if number == 1 { 59 } else { 30 - number }),
            [Closing::ShortOfTime {
                side: Color::White,
                moves: 9,
                limit: Duration::from_secs(30)
            }]
        );
    }
}
