//! Reads the evaluated positions of a game.
//!
//! `centipawn_pgn` decodes the evaluations. With `compat` they are read as WDL_model reads them
//! ([`super::score`]): a single-precision float in C notation up to the first blank or slash, after
//! joining all comments of a move.

use centipawn_core::{Eval, Score, White};
use centipawn_pgn::{Annotation, Described, Dialect, GameView, PlyView, Profile};
use shakmaty::Color;

use super::{
    Key, LAST_MOVE, MATE, MoverResult,
    score::{Bins, Parsed, as_reference, plain},
};

/// Upper bound of the number of plies that count. It is a power of two, so that the index needs no
/// bounds check.
const MOST_PLIES: usize = 512;
const _: () = assert!(2 * (LAST_MOVE as usize + 1) <= MOST_PLIES);

/// How evaluations are read.
pub(super) struct EvalReading {
    /// Whether to read them as WDL_model does.
    pub(super) compat: bool,
    pub(super) bins: Bins,
}

/// How the positions of one game are collected.
pub(super) struct Found {
    pub(super) winner: Option<Color>,
    /// Whether White's and Black's evaluations are requested.
    pub(super) sides: [bool; 2],
    pub(super) first_number: u32,
    pub(super) dialect: Dialect,
    /// Whether the user requested the dialect, so that no other is tried.
    pub(super) forced: bool,
}

/// An evaluation of the position before or after a move.
struct Evaluation {
    /// Centipawns from the side to move in that position, rounded, or ±[`MATE`].
    eval: i32,
    described: Described,
}

impl Evaluation {
    #[inline]
    fn new(eval: Eval<White>, described: Described, mover: Color, reading: &EvalReading) -> Self {
        let turn = match described {
            Described::Before => mover,
            Described::After => mover.other(),
        };
        Self {
            eval: rounded(eval, turn, reading),
            described,
        }
    }
}

/// Returns the evaluation of an annotation; `None` if there is none.
fn evaluation_of(
    annotation: Annotation,
    mover: Color,
    reading: &EvalReading,
) -> Option<Evaluation> {
    annotation
        .eval
        .map(|eval| Evaluation::new(eval, annotation.described, mover, reading))
}

impl Found {
    /// Appends a key for each evaluated position. Returns the number of plies with an evaluation.
    pub(super) fn gather(
        &self,
        game: &GameView<'_>,
        reading: &EvalReading,
        keys: &mut Vec<u32>,
    ) -> u64 {
        let begin = keys.len();
        if self.dialect == Dialect::Engine && !reading.compat {
            self.gather_engine(game, reading, keys);
        } else {
            self.gather_any(game, reading, keys);
        }
        if keys.len() == begin {
            self.profile(game, reading, keys);
        }
        (keys.len() - begin) as u64
    }

    /// Does the same as [`gather_any`](Self::gather_any), for the most common dialect.
    // As a separate function it keeps its values in registers.
    #[inline(never)]
    fn gather_engine(&self, game: &GameView<'_>, reading: &EvalReading, keys: &mut Vec<u32>) {
        let black_first = usize::from(game.start().turn().is_black());
        // The plies from White's move of the first number to Black's move of the last number that
        // counts.
        let plies = (2 * (LAST_MOVE + 1).saturating_sub(self.first_number) as usize)
            .saturating_sub(black_first);
        // The bits that all keys of a side share; `None` if the side's evaluations are not
        // requested.
        let sides = [Color::White, Color::Black].map(|turn| {
            self.sides[turn.fold_wb(0, 1)].then(|| Key::packed(self.result_for(turn), 0, 0, 0))
        });
        let (mut found, mut count) = ([0; MOST_PLIES], 0);
        let mut material = game.start().material().total();
        for (half, ply) in (black_first..).zip(game.plies().take(plies)) {
            let before = std::mem::replace(&mut material, ply.material().total());
            let Some(side) = sides[half % 2] else {
                continue;
            };
            let number = self.first_number + half as u32 / 2;
            let key = if let Some(cp) = ply.plain_centipawns() {
                side.moved_to(number, before, reading.bins.exact(cp))
            } else {
                let turn = if half % 2 == 0 {
                    Color::White
                } else {
                    Color::Black
                };
                let parsed = match ply.eval(Dialect::Engine) {
                    Some(eval) => Some(side.moved_to(number, before, rounded(eval, turn, reading))),
                    None => self
                        .key_in_another_dialect(game, half - black_first, turn, reading)
                        .map(Key),
                };
                let Some(key) = parsed else { continue };
                key
            };
            found[count % MOST_PLIES] = key.0;
            count += 1;
        }
        keys.extend_from_slice(&found[..count.min(MOST_PLIES)]);
    }

    /// Returns the key of a ply without an evaluation in the dialect of its file. It looks up the
    /// ply again, because passing it here would slow the loop above more than reading the
    /// evaluations does.
    #[cold]
    #[inline(never)]
    fn key_in_another_dialect(
        &self,
        game: &GameView<'_>,
        index: usize,
        turn: Color,
        reading: &EvalReading,
    ) -> Option<u32> {
        let ply = game.ply(index)?;
        let evaluation = self.in_another_dialect(ply, turn, reading)?;
        self.key_of(
            &evaluation,
            ply,
            turn,
            u32::from(game.start().turn().is_black()),
        )
    }

    /// Appends a key for each evaluated position, in any dialect.
    fn gather_any(&self, game: &GameView<'_>, reading: &EvalReading, keys: &mut Vec<u32>) {
        let black_first = u32::from(game.start().turn().is_black());
        let last = LAST_MOVE.saturating_sub(self.first_number);
        for ply in game.plies() {
            if (ply.index() as u32 + black_first) / 2 > last || self.first_number > LAST_MOVE {
                break;
            }
            let turn = ply.turn();
            if self.sides[turn.fold_wb(0, 1)]
                && let Some(evaluation) = self.evaluation(ply, turn, reading)
            {
                keys.extend(self.key_of(&evaluation, ply, turn, black_first));
            }
        }
    }

    /// Returns the key of an evaluation of the position before or after a ply; `None` after the
    /// last move that counts.
    #[inline]
    fn key_of(
        &self,
        evaluation: &Evaluation,
        ply: PlyView<'_>,
        turn: Color,
        black_first: u32,
    ) -> Option<u32> {
        let index = ply.index() as u32;
        let (index, turn, material) = match evaluation.described {
            Described::Before => (index, turn, ply.material_before()),
            Described::After => (index + 1, turn.other(), ply.material()),
        };
        let number = self.first_number + (index + black_first) / 2;
        (number <= LAST_MOVE).then(|| {
            Key::packed(
                self.result_for(turn),
                number,
                material.total(),
                evaluation.eval,
            )
            .0
        })
    }

    /// Returns the result of the game for a side.
    #[inline]
    fn result_for(&self, turn: Color) -> MoverResult {
        match self.winner {
            None => MoverResult::Draw,
            Some(winner) if winner == turn => MoverResult::Win,
            Some(_) => MoverResult::Loss,
        }
    }

    #[inline]
    fn evaluation(
        &self,
        ply: PlyView<'_>,
        mover: Color,
        reading: &EvalReading,
    ) -> Option<Evaluation> {
        if reading.compat && (!self.forced || self.dialect == Dialect::Engine) {
            return self.as_reference(ply, mover, reading);
        }
        let described = match self.dialect {
            Dialect::Engine | Dialect::Tcec => Described::Before,
            Dialect::Commands => Described::After,
            Dialect::Text if self.forced => Described::After,
            // Decode each comment in the dialect that it resembles. It may describe either
            // position.
            Dialect::Auto | Dialect::Text => {
                return evaluation_of(ply.annotation(Dialect::Auto), mover, reading);
            }
        };
        match ply.eval(self.dialect) {
            Some(eval) => Some(Evaluation::new(eval, described, mover, reading)),
            None => self.in_another_dialect(ply, mover, reading),
        }
    }

    #[inline]
    fn as_reference(
        &self,
        ply: PlyView<'_>,
        mover: Color,
        reading: &EvalReading,
    ) -> Option<Evaluation> {
        let before = |eval| {
            Some(Evaluation {
                eval,
                described: Described::Before,
            })
        };
        let mut comments = ply.comments();
        let comment = comments.next()?;
        // Handle the most common case first: one comment in the dialect of the file.
        if comments.len() == 0
            && let Some(cp) = plain(comment)
        {
            return reading.bins.reference(cp).and_then(before);
        }
        // WDL_model joins all comments after a move.
        let parsed = match comments.len() {
            0 => as_reference(comment),
            _ => as_reference(&ply.comments().collect::<Vec<_>>().concat()),
        };
        match parsed {
            Parsed::Nothing => None,
            Parsed::Eval(eval) => reading.bins.rounded(eval).and_then(before),
            // WDL_model aborts on this comment, so use the evaluation that `centipawn_pgn` reads.
            Parsed::Aborts => match ply.eval(self.dialect) {
                Some(_) => evaluation_of(ply.annotation(self.dialect), mover, reading),
                None => self.in_another_dialect(ply, mover, reading),
            },
        }
    }

    /// Returns an unambiguous evaluation in another dialect than that of the file.
    #[inline(never)]
    fn in_another_dialect(
        &self,
        ply: PlyView<'_>,
        mover: Color,
        reading: &EvalReading,
    ) -> Option<Evaluation> {
        // Every such evaluation contains one of these characters: `[%eval 0.25]`, `wv=0.25`,
        // `0.25/12 1s`.
        let may_be = |comment: &[u8]| {
            comment
                .iter()
                .any(|byte| matches!(byte, b'[' | b'=' | b'/'))
                && !Annotation::is_without_eval(comment)
        };
        if self.forced || !ply.comments().any(may_be) {
            return None;
        }
        ply.comments().find_map(|comment| {
            [Dialect::Commands, Dialect::Engine, Dialect::Tcec]
                .into_iter()
                .find_map(|dialect| {
                    let annotation = Annotation::decode(comment, dialect, mover);
                    // An evaluation without a time may be from White's side, so it is ambiguous.
                    let is_clear = dialect != Dialect::Engine || annotation.time.is_some();
                    evaluation_of(annotation, mover, reading).filter(|_| is_clear)
                })
        })
    }

    /// Reads ChessBase's profile, one comment before the moves with the evaluations of the whole
    /// game.
    fn profile(&self, game: &GameView<'_>, reading: &EvalReading, keys: &mut Vec<u32>) {
        let Some(profile) = game.comments().find_map(Profile::decode) else {
            return;
        };
        let black_first = u32::from(game.start().turn().is_black());
        for (index, eval) in (profile.first..).zip(profile.evals) {
            let (ply, before) = (game.ply(index as usize), index.checked_sub(1));
            let material = match (ply, before.and_then(|before| game.ply(before as usize))) {
                (Some(ply), _) => ply.material_before(),
                (None, Some(last)) => last.material(),
                (None, None) => break,
            };
            let number = self.first_number.saturating_add((index + black_first) / 2);
            if number > LAST_MOVE {
                break;
            }
            let first = game.start().turn();
            let turn = if index % 2 == 0 { first } else { first.other() };
            if let Some(eval) = eval.filter(|_| self.sides[turn.fold_wb(0, 1)]) {
                let eval = rounded(eval, turn, reading);
                keys.push(Key::packed(self.result_for(turn), number, material.total(), eval).0);
            }
        }
    }
}

/// Returns an evaluation from the side to move, rounded to the bin width.
#[inline]
fn rounded(eval: Eval<White>, turn: Color, reading: &EvalReading) -> i32 {
    match eval.for_mover(turn).score() {
        Score::Cp(cp) => reading.bins.exact(cp),
        Score::Mate(moves) if moves > 0 => MATE,
        Score::Mate(_) => -MATE,
    }
}
