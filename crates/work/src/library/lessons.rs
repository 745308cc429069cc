//! Lessons: a player's own mistakes by one cause, puzzles of its theme, and positions in which
//! nothing is to be won, in spaced repetition.

use std::collections::{BTreeMap, BTreeSet};

use centipawn_core::{History, SplitMix64, mix64};
use centipawn_judge::{JudgedMove, Topic};
use centipawn_pgn::player_key;
use centipawn_progress::Cancel;
use centipawn_puzzle::solve::{Memory, Recall, shuffled};
use centipawn_review::Review;
use centipawn_store::{Attempted, PuzzleFilter, Remembered, Repetition, StoredPuzzle};
use shakmaty::{Color, Move, Position as _};

use super::{Library, LibraryError, MistakePuzzle, mistakes};

/// Maximum number of the player's own mistakes in a lesson. The costliest ones are taken.
const OWN: usize = 20;
/// Maximum number of other puzzles in a lesson.
const OTHERS: i64 = 10;
/// Maximum difference between the ratings of another puzzle and of the player.
const NEAR: i64 = 300;
/// Maximum number of puzzles in one sitting. The others stay due for the next one.
const SITTING: usize = 12;
/// Number of puzzles for each decoy. In games, most positions hold nothing; but a solver who finds
/// nothing three times in a row trains nothing, so one position in four is a decoy.
const PUZZLES_PER_DECOY: usize = 3;
/// Expected scores between which a position is level for a decoy.
const LEVEL: std::ops::RangeInclusive<f64> = 0.35..=0.65;
/// Maximum expected score that the moves around a decoy lose.
const QUIET: f64 = 0.02;
/// Number of half-moves of a game before its first decoy. Earlier positions are known theory.
const FIRST_DECOY: usize = 16;
/// Maximum number of reviews that are searched for decoys.
const SEARCHED: usize = 12;
/// Seconds of a day.
const DAY: i64 = 86_400;

/// What a lesson is about, and how it is put together.
#[derive(Clone, Debug, Default)]
pub struct LessonWish {
    /// The player, as named in the games.
    pub player: String,
    /// The kind of the cause: `allows` or `misses`.
    pub kind: String,
    /// The name of the cause in JSON.
    pub cause: String,
    /// Whether decoys are mixed in.
    pub decoys: bool,
    /// Whether puzzles that are not due now are asked as well.
    pub again: bool,
}

/// A lesson: the puzzles of its topic, and one sitting of it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Lesson {
    /// Numbers of the puzzles that come from the player's own mistakes, the costliest first.
    pub own: Vec<i64>,
    /// Numbers of other puzzles with the theme of the cause.
    pub others: Vec<i64>,
    /// The sitting.
    pub sitting: Sitting,
}

/// Puzzles and decoys to be solved one after the other.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Sitting {
    /// What is asked, in order.
    pub items: Vec<LessonItem>,
    /// Number of puzzles that are due as well, and wait for the next sitting.
    pub waiting: usize,
    /// Number of puzzles that were answered and are not due yet.
    pub resting: usize,
    /// The time at which the first of these is due, in seconds since 1970.
    pub next_due: Option<i64>,
}

/// A part of a sitting.
#[derive(Clone, Debug)]
pub enum LessonItem {
    /// The number of a puzzle.
    Puzzle(i64),
    /// A position in which nothing is to be won.
    Decoy(Box<Decoy>),
}

/// A position from a reviewed game in which several moves are equally good and none wins anything.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Decoy {
    /// Number of the review's job.
    pub review: i64,
    /// Number of half-moves of the game before the position.
    pub ply: usize,
    /// The position before the opponent's last move.
    pub start: History,
    /// The opponent's last move.
    pub first: Move,
    /// The side to move.
    pub solver: Color,
    /// The move that was played in the game, in SAN.
    pub played: String,
}

/// How a user answered a puzzle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Answered {
    /// Number of wrong moves.
    pub mistakes: u32,
    /// Number of hints; showing the solution counts as one.
    pub hints: u32,
    /// Whether the solution was shown.
    pub shown: bool,
    /// Whether the puzzle is to be repeated, even if it was not before.
    pub repeat: bool,
}

impl Answered {
    fn recall(self) -> Recall {
        match (self.mistakes, self.hints) {
            _ if self.shown => Recall::Failed,
            (0, 0) => Recall::Good,
            (0, _) => Recall::Hard,
            _ => Recall::Failed,
        }
    }
}

impl Library {
    /// Prepares a lesson on a cause of a player's losses: the costliest mistakes become puzzles,
    /// and other puzzles of the theme join them. Puzzles that are new in repetition become due at
    /// `now`, in seconds since 1970; the others keep their time.
    ///
    /// # Errors
    ///
    /// [`LibraryError`].
    pub fn keep_lesson(&self, wish: &LessonWish, now: i64) -> Result<Lesson, LibraryError> {
        let player = &*wish.player;
        let profile = self.profile(player)?;
        let mut costly: Vec<(f64, i64, usize)> = Vec::new();
        for game in profile.games() {
            // Other moves have no puzzle.
            let moves = game
                .moves_of(&wish.kind, &wish.cause)
                .filter(|mv| mv.is_blamed());
            costly.extend(moves.map(|mv| (mv.loss, game.review, mv.ply)));
        }
        costly.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut by_review: BTreeMap<i64, BTreeSet<usize>> = BTreeMap::new();
        for (_, review, ply) in costly.iter().take(OWN) {
            by_review.entry(*review).or_default().insert(*ply);
        }
        let mut made: BTreeMap<(i64, usize), i64> = BTreeMap::new();
        let mut decoys = Vec::new();
        for (id, plies) in by_review {
            let Some((job, review)) = self.own_review(id)? else {
                continue;
            };
            for MistakePuzzle { ply, puzzle } in mistakes(&review, Some(player)).puzzles {
                if !plies.contains(&(ply + 1)) {
                    continue;
                }
                let (puzzle, _) = self.keep_puzzle(puzzle, player, Some((job.game, ply as i64)))?;
                made.insert((id, ply + 1), puzzle);
            }
            if wish.decoys {
                decoys.extend(decoys_of(&review, id, Some(player), now));
            }
        }
        let mut lesson = Lesson::default();
        for (_, review, ply) in costly.iter().take(OWN) {
            // The same position may have occurred in several games.
            let puzzle = made.get(&(*review, *ply));
            if let Some(puzzle) = puzzle.filter(|puzzle| !lesson.own.contains(puzzle)) {
                lesson.own.push(*puzzle);
            }
        }
        lesson.others = self.others(wish, profile.rating(), &lesson.own)?;
        let all: Vec<i64> = lesson.own.iter().chain(&lesson.others).copied().collect();
        for id in &all {
            if self
                .store
                .puzzle(*id)?
                .is_some_and(|puzzle| puzzle.repetition.is_none())
            {
                let repetition = Repetition {
                    due: now,
                    memory: None,
                };
                self.store.set_repetition(*id, Some(repetition))?;
            }
        }
        lesson.sitting = self.sitting(&all, decoys, wish.again, now)?;
        Ok(lesson)
    }

    /// Returns other puzzles with the theme of a cause: those that are repeated, and new ones.
    fn others(
        &self,
        wish: &LessonWish,
        rating: Option<f64>,
        own: &[i64],
    ) -> Result<Vec<i64>, LibraryError> {
        let theme = Topic::ALL
            .into_iter()
            .find(|topic| topic.name() == wish.cause)
            .and_then(Topic::theme);
        let Some(theme) = theme else {
            return Ok(Vec::new());
        };
        let ratings = rating.map(|rating| (rating as i64 - NEAR, rating as i64 + NEAR));
        let filter = PuzzleFilter {
            theme: Some(theme),
            ratings,
            ..PuzzleFilter::default()
        };
        let most = OTHERS + OWN as i64;
        // Puzzles of an earlier lesson come first in this order, because they have a time.
        let repeated = self.store.puzzles(filter, 0, most)?;
        let repeated = repeated
            .into_iter()
            .filter(|puzzle| puzzle.repetition.is_some());
        let untried = PuzzleFilter {
            untried: true,
            ..filter
        };
        let untried = self.store.puzzles(untried, 0, most)?;
        let mut others = Vec::new();
        for StoredPuzzle { id, .. } in repeated.chain(untried) {
            if !own.contains(&id) && !others.contains(&id) && others.len() < OTHERS as usize {
                others.push(id);
            }
        }
        Ok(others)
    }

    /// Puts these puzzles together as one sitting, with decoys from the games of the puzzles. With
    /// `again`, puzzles that are not due are asked as well.
    ///
    /// # Errors
    ///
    /// [`LibraryError`].
    pub fn sitting_of(
        &self,
        puzzles: &[i64],
        has_decoys: bool,
        again: bool,
        now: i64,
    ) -> Result<Sitting, LibraryError> {
        let mut decoys = Vec::new();
        if has_decoys {
            let mut games = BTreeMap::new();
            for id in puzzles.iter().take(SITTING) {
                let puzzle = self.store.puzzle(*id)?;
                if let Some((game, ply)) = puzzle.and_then(|puzzle| puzzle.game.zip(puzzle.ply)) {
                    games.entry(game).or_insert(ply);
                }
            }
            let reviews: BTreeMap<i64, i64> = self.reviews()?.into_iter().collect();
            for (game, ply) in games.into_iter().take(SEARCHED) {
                let Some(id) = reviews.get(&game) else {
                    continue;
                };
                let Some((_, review)) = self.own_review(*id)? else {
                    continue;
                };
                let own = usize::try_from(ply)
                    .ok()
                    .and_then(|ply| review.plies.get(ply));
                let mover = own.map(|ply| ply.mover);
                let of_mover = |decoy: &Decoy| Some(decoy.solver) == mover;
                decoys.extend(
                    decoys_of(&review, *id, None, now)
                        .into_iter()
                        .filter(of_mover),
                );
            }
        }
        self.sitting(puzzles, decoys, again, now)
    }

    fn sitting(
        &self,
        puzzles: &[i64],
        decoys: Vec<Decoy>,
        again: bool,
        now: i64,
    ) -> Result<Sitting, LibraryError> {
        let mut sitting = Sitting::default();
        let mut asked = Vec::new();
        for id in puzzles {
            let Some(puzzle) = self.store.puzzle(*id)? else {
                continue;
            };
            let due = puzzle.repetition.map(|repetition| repetition.due);
            match due {
                Some(due) if due > now && !again => {
                    sitting.resting += 1;
                    sitting.next_due =
                        Some(sitting.next_due.map_or(due, |other: i64| other.min(due)));
                }
                _ if asked.len() < SITTING => asked.push(*id),
                _ => sitting.waiting += 1,
            }
        }
        sitting.items = mixed(&asked, decoys, now);
        Ok(sitting)
    }

    /// Records an answer to a puzzle at the time `now`, in seconds since 1970. A puzzle that is
    /// repeated gets its next time by the solver's memory of it (see [`Memory`]).
    ///
    /// # Errors
    ///
    /// [`LibraryError`].
    pub fn note_attempt(&self, id: i64, how: Answered, now: i64) -> Result<(), LibraryError> {
        let before = self.store.puzzle(id)?.and_then(|puzzle| puzzle.repetition);
        let repetition = (before.is_some() || how.repeat).then(|| {
            let memory = before.and_then(|before| before.memory).map(
                |Remembered {
                     stability,
                     difficulty,
                     at,
                 }| {
                    let memory = Memory {
                        stability,
                        difficulty,
                    };
                    // A clock may have been set back.
                    let days = u32::try_from((now - at).max(0) / DAY).unwrap_or(u32::MAX);
                    (memory, days)
                },
            );
            let after = Memory::after(memory, how.recall());
            Repetition {
                due: now + DAY * i64::from(after.days()),
                memory: Some(Remembered {
                    stability: after.stability,
                    difficulty: after.difficulty,
                    at: now,
                }),
            }
        });
        let bounded = |number: u32| i64::from(number.min(1000));
        let attempt = Attempted {
            puzzle: id,
            at: now,
            mistakes: bounded(how.mistakes),
            hints: bounded(how.hints),
        };
        self.store.keep_attempt(attempt, repetition)?;
        Ok(())
    }
}

/// Mixes decoys among the puzzles. Where they are changes from day to day, and cannot be counted by
/// the solver.
fn mixed(puzzles: &[i64], decoys: Vec<Decoy>, now: i64) -> Vec<LessonItem> {
    let seed = mix64((now / DAY).unsigned_abs());
    let count = puzzles.len() / PUZZLES_PER_DECOY;
    let mut items: Vec<LessonItem> = puzzles.iter().copied().map(LessonItem::Puzzle).collect();
    let mut random = SplitMix64::new(seed);
    for decoy in shuffled(decoys.into_iter(), count, seed, &Cancel::new()) {
        // A sitting begins with a puzzle.
        let place = 1 + random.below(items.len());
        items.insert(place, LessonItem::Decoy(Box::new(decoy)));
    }
    items
}

/// Returns at most two decoys of a reviewed game in which `player` (`None` for both sides) moves.
fn decoys_of(review: &Review, id: i64, player: Option<&str>, now: i64) -> Vec<Decoy> {
    let is_own = Color::ALL.map(|color| {
        player.is_none_or(|player| player_key(review.name(color)) == player_key(player))
    });
    let plies = &review.plies;
    let places = (FIRST_DECOY..plies.len()).filter(|&index| {
        let own = plies[index].mover.fold_wb(is_own[0], is_own[1]);
        own && is_quiet(&plies[index - 1]) && is_decoy(&plies[index])
    });
    let seed = mix64(mix64(id.unsigned_abs()) ^ (now / DAY).unsigned_abs());
    let decoy = |index: usize| Decoy {
        review: id,
        ply: index,
        start: plies[index - 1].before.clone(),
        first: plies[index - 1].mv,
        solver: plies[index].mover,
        played: plies[index].san.clone(),
    };
    shuffled(places, 2, seed, &Cancel::new())
        .into_iter()
        .map(decoy)
        .collect()
}

/// Returns whether a move lost nothing and got no symbol.
fn is_quiet(ply: &JudgedMove) -> bool {
    ply.score_loss <= QUIET && ply.symbol.is_none() && !ply.only_move
}

/// Returns whether nothing is to be won in the position before a move: the best move keeps the
/// balance, the played move is another one and as good, it is no capture, and no check must be
/// answered.
fn is_decoy(ply: &JudgedMove) -> bool {
    let best = ply.lines.first().and_then(|line| line.pv.first());
    is_quiet(ply)
        && best.is_some_and(|best| *best != ply.mv)
        && LEVEL.contains(&ply.expected_score_best)
        && !ply.mv.is_capture()
        && !ply.before.position().is_check()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_graded() {
        let answered = |mistakes, hints, shown| {
            Answered {
                mistakes,
                hints,
                shown,
                repeat: true,
            }
            .recall()
        };
        assert_eq!(answered(0, 0, false), Recall::Good);
        assert_eq!(answered(0, 2, false), Recall::Hard);
        assert_eq!(answered(1, 0, false), Recall::Failed);
        assert_eq!(answered(0, 1, true), Recall::Failed);
    }

    #[test]
    fn one_position_in_four_is_a_decoy() {
        let decoy = Decoy {
            review: 1,
            ply: 20,
            start: History::default(),
            first: History::default().parse_uci("e2e4").unwrap(),
            solver: Color::Black,
            played: "e5".to_owned(),
        };
        for day in 0..20 {
            let items = mixed(&[1, 2, 3, 4, 5, 6, 7], vec![decoy.clone(); 9], day * DAY);
            let decoys = items
                .iter()
                .filter(|item| matches!(item, LessonItem::Decoy(_)))
                .count();
            assert_eq!((items.len(), decoys), (9, 2));
            assert!(matches!(items[0], LessonItem::Puzzle(1)));
        }
        assert_eq!(mixed(&[1, 2], vec![decoy], 0).len(), 2);
    }
}
