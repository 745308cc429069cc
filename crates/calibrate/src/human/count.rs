//! Collects games between humans whose comments have evaluations.

use std::{borrow::Cow, time::Duration};

use centipawn_core::{Eval, HumanCurve, Pool, White, mix64};
use centipawn_pgn::{
    Described, Dialect, GameView, Profile, ScanOptions, ScanReport, Sources, Unreadable,
    eval_units, player_key, players, rating, scan,
};
use centipawn_progress::shown_path;
use serde::{Deserialize, Serialize};
use shakmaty::{KnownOutcome, Outcome};

use super::{HumanGame, HumanGames, HumanPosition, LeftOut};
use crate::{Clusters, OutOfRange, parallel::seeded};

/// Positions with larger evaluations are skipped, in pawns of Stockfish 15.1. Mates are kept as
/// mates.
pub(super) const LARGEST_EVAL: f64 = 15.0;
/// Games with a larger rating difference are left out.
const LARGEST_DIFFERENCE: f64 = 300.0;

/// Options that decide which games and positions count. Always left out are evaluations beyond 15
/// pawns that are not mates, and games between players whose ratings differ by more than 300.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HumanCountOptions {
    /// The first ply of a position that counts; 10 by default, because earlier positions are
    /// opening theory.
    pub first_ply: u32,
    /// Seconds for each player in games that state no time control. By default such games are left
    /// out.
    pub seconds: Option<f64>,
    /// Unit of the evaluations, in [pawns for one of Stockfish
    /// 15.1's](centipawn_core::WdlModel::pawn_units). By default it follows from the games' tags
    /// ([`eval_units`]).
    pub units: Option<f64>,
    /// Pool of games whose tags or rows name none; by default the unknown one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool: Option<Pool>,
    /// Largest number of games kept of each [class](super::GameClass) of time and rating; 10,000 by
    /// default.
    pub per_class: usize,
    /// Seed of the random numbers by which games are chosen and resampled; 0 by default.
    pub seed: u64,
    /// What counts as one game in tables of positions; by default the game that the column `game`
    /// names.
    #[serde(skip_serializing_if = "Clusters::is_default")]
    pub clusters: Clusters,
}

impl Default for HumanCountOptions {
    fn default() -> Self {
        Self {
            first_ply: 10,
            seconds: None,
            units: None,
            pool: None,
            per_class: 10_000,
            seed: 0,
            clusters: Clusters::Game,
        }
    }
}

impl HumanGames {
    /// Collects the games of `sources`, on all cores.
    ///
    /// # Errors
    ///
    /// Those of [`scan`]: none unless [`strict`](ScanOptions::strict).
    ///
    /// ```
    /// use centipawn_calibrate::human::{HumanCountOptions, HumanGames, LeftOut};
    /// use centipawn_pgn::{ScanOptions, Sources};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("games.pgn");
    /// let tags = "[WhiteElo \"1500\"]\n[BlackElo \"1610\"]\n[TimeControl \"180+2\"]";
    /// std::fs::write(&path, format!("{tags}\n\n1. e4 {{[%eval 0.3]}} f6 {{[%eval 1.1]}} 1-0\n\n[White \"Ann\"]\n\n1. d4 0-1\n"))?;
    /// let options = HumanCountOptions { first_ply: 1, ..HumanCountOptions::default() };
    /// let (games, _) = HumanGames::count(&Sources::expand(&[&path])?, &ScanOptions::default(), &options)?;
    /// assert_eq!((games.games, games.positions, games.left_out[&LeftOut::WithoutEvals]), (1, 2, 1));
    /// let game = games.kept().next().unwrap();
    /// assert_eq!((game.rating(), game.seconds, game.positions[1].cp), (1555.0, 260.0, 110));
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    pub fn count(
        sources: &Sources,
        scan_options: &ScanOptions<'_>,
        options: &HumanCountOptions,
    ) -> Result<(Self, ScanReport), Unreadable> {
        let make = || Self::new(options.per_class);
        let (mut games, report) = scan(sources, scan_options, make, |games, game| {
            match read(game, options) {
                Ok(read) => games.add(read),
                Err(why) => games.leave_out(why),
            }
        })?;
        games.sources = sources
            .paths()
            .iter()
            .map(|path| shown_path(path))
            .collect();
        Ok((games, report))
    }
}

impl HumanCountOptions {
    /// Checks the seconds (the option `time`) and the units.
    ///
    /// # Errors
    ///
    /// [`OutOfRange`] for the first number out of its range.
    pub fn check(&self) -> Result<(), OutOfRange> {
        OutOfRange::check("time", self.seconds, HumanCurve::SECONDS)?;
        OutOfRange::check("units", self.units, HumanCurve::UNITS)
    }

    /// Reads the ratings and the time of a game, or the reason why it does not count.
    pub(super) fn counted(
        &self,
        ratings: [Option<f64>; 2],
        seconds: Option<f64>,
    ) -> Result<([f64; 2], f64), LeftOut> {
        const DAY: f64 = 86_400.0;
        let [Some(white), Some(black)] = ratings else {
            return Err(LeftOut::WithoutRatings);
        };
        if (white - black).abs() > LARGEST_DIFFERENCE {
            return Err(LeftOut::RatingsApart);
        }
        match seconds.or(self.seconds) {
            None => Err(LeftOut::WithoutTime),
            Some(seconds) if seconds > DAY => Err(LeftOut::Correspondence),
            Some(seconds) => Ok(([white, black], seconds)),
        }
    }

    /// The pool of a game whose tags or rows name this one.
    pub(super) fn pool_of(&self, named: Pool) -> Pool {
        match named {
            Pool::Unknown => self.pool.unwrap_or_default(),
            named => named,
        }
    }

    /// The position with an evaluation in this unit; `None` if it does not count.
    pub(super) fn evaluated(
        &self,
        position: HumanPosition,
        eval: Eval<White>,
        units: f64,
    ) -> Option<HumanPosition> {
        match eval.mate_moves() {
            // A mate in 0 moves is the end of the game, not a position to evaluate.
            Some(0) => None,
            Some(moves) => {
                let mate = moves.clamp(-i32::from(i16::MAX), i32::from(i16::MAX)) as i16;
                Some(HumanPosition { mate, ..position })
            }
            None => Some(HumanPosition {
                cp: Self::centipawns(eval, units)?,
                ..position
            }),
        }
    }

    /// The evaluation in centipawns of Stockfish 15.1, from one in this unit; `None` if it is too
    /// large.
    pub(super) fn centipawns(eval: Eval<White>, units: f64) -> Option<i16> {
        let cp = eval.pawns().map(|pawns| 100.0 * pawns / units)?;
        (cp.abs() <= 100.0 * LARGEST_EVAL).then(|| cp.round() as i16)
    }

    /// The pseudo-random number that identifies a game, from the numbers of its file and of the
    /// game in it.
    pub(super) fn number(&self, source: u64, place: u64) -> u64 {
        mix64(mix64(source).wrapping_add(place) ^ seeded(self.seed))
    }
}

/// White's score in half points; `None` without a result.
pub(super) fn half_points(outcome: Outcome) -> Option<u8> {
    match outcome {
        Outcome::Known(KnownOutcome::Decisive { winner }) => Some(winner.fold_wb(2, 0)),
        Outcome::Known(KnownOutcome::Draw) => Some(1),
        Outcome::Unknown => None,
    }
}

/// What the tags of a game state.
pub(super) struct Tagged {
    ratings: [f64; 2],
    seconds: f64,
    pool: Pool,
    players: Option<[u64; 2]>,
    half_points: u8,
}

impl Tagged {
    /// Reads the tags, or the reason why the game is left out.
    pub(super) fn read<'a>(
        tag: impl Fn(&str) -> Option<Cow<'a, str>>,
        result: Outcome,
        first_clock: Option<Duration>,
        dialect: Dialect,
        options: &HumanCountOptions,
    ) -> Result<Self, LeftOut> {
        let half_points = half_points(result).ok_or(LeftOut::Unfinished)?;
        if tag("Termination").is_some_and(|text| is_abandoned(&text)) {
            return Err(LeftOut::Abandoned);
        }
        let players = players(&tag, first_clock, dialect);
        if !players.are_people {
            return Err(LeftOut::Programs);
        }
        let ratings = ["WhiteElo", "BlackElo"].map(|name| tag(name).and_then(|text| rating(&text)));
        let (ratings, seconds) = options.counted(ratings, players.seconds)?;
        let number = |name: &str| tag(name).and_then(|name| player_number(&name));
        Ok(Self {
            ratings,
            seconds,
            pool: options.pool_of(players.pool),
            players: number("White")
                .zip(number("Black"))
                .map(|(white, black)| [white, black]),
            half_points,
        })
    }

    /// Adds the positions to the game.
    pub(super) fn game(
        self,
        positions: Vec<HumanPosition>,
        source: u32,
        number: u64,
    ) -> Result<HumanGame, LeftOut> {
        if positions.is_empty() {
            return Err(LeftOut::NoPosition);
        }
        let Self {
            ratings,
            seconds,
            pool,
            players,
            half_points,
        } = self;
        Ok(HumanGame {
            number,
            source,
            ratings,
            seconds,
            pool,
            players,
            half_points,
            positions,
        })
    }
}

/// The number that identifies a player by the name; `None` if the name is missing. A name that is
/// a number is that number, so that a table keeps the numbers of an earlier one.
pub(super) fn player_number(name: &str) -> Option<u64> {
    let key = player_key(name);
    match key.as_str() {
        "" | "?" | "-" | "anonymous" => None,
        key => Some(key.parse().unwrap_or_else(|_| {
            // Only 48 bits, so that other programs can read the number without rounding.
            key.bytes()
                .fold(0, |hash, byte| mix64(hash ^ u64::from(byte)))
                >> 16
        })),
    }
}

/// Seconds left on a clock, in the form of [`HumanPosition::clocks`].
pub(super) fn seconds_left(clock: Option<Duration>) -> Option<u16> {
    clock.map(|left| left.as_secs().min(u64::from(u16::MAX)) as u16)
}

/// Reads a game.
fn read(game: &GameView<'_>, options: &HumanCountOptions) -> Result<HumanGame, LeftOut> {
    // Most games of a site have no analysis, so check that first.
    let has_evals = game.plies().any(|ply| ply.eval(game.dialect()).is_some());
    let profile = if has_evals {
        None
    } else {
        game.comments().find_map(Profile::decode)
    };
    if !has_evals && profile.is_none() {
        return Err(LeftOut::WithoutEvals);
    }
    let dialect = game.eval_dialect();
    let first_clock = game.ply(0).and_then(|ply| ply.annotation(dialect).clock);
    let tagged = Tagged::read(
        |name| game.tag(name),
        game.result(),
        first_clock,
        dialect,
        options,
    )?;
    let units = options
        .units
        .unwrap_or_else(|| eval_units(|name| game.tag(name), dialect));
    let positions = match profile {
        Some(profile) => of_profile(game, &profile, options, units),
        None => of_comments(game, dialect, options, units),
    };
    tagged.game(
        positions,
        game.source() as u32,
        options.number(game.source() as u64, game.offset()),
    )
}

/// Reads positions from evaluations in the comments of moves.
fn of_comments(
    game: &GameView<'_>,
    dialect: Dialect,
    options: &HumanCountOptions,
    units: f64,
) -> Vec<HumanPosition> {
    let mut clocks = [None; 2];
    let mut positions = Vec::new();
    for ply in game.plies() {
        let annotation = ply.annotation(dialect);
        let before = (ply.index(), ply.material_before(), clocks);
        let own: &mut Option<u16> = &mut clocks[ply.turn().fold_wb(0, 1)];
        // A move without a clock leaves the mover's time unknown.
        *own = seconds_left(annotation.clock);
        let (index, material, clocks) = match annotation.described {
            Described::Before => before,
            Described::After => (ply.index() + 1, ply.material(), clocks),
        };
        if index < options.first_ply as usize {
            continue;
        }
        let position = HumanPosition {
            material: u8::try_from(material.total()).ok(),
            clocks: clocks[0]
                .zip(clocks[1])
                .map(|(white, black)| [white, black]),
            ..HumanPosition::new(0, index.min(usize::from(u16::MAX)) as u16)
        };
        positions.extend(
            annotation
                .eval
                .and_then(|eval| options.evaluated(position, eval, units)),
        );
    }
    positions
}

/// Reads positions from ChessBase's profile, one comment with the evaluations of the whole game.
fn of_profile(
    game: &GameView<'_>,
    profile: &Profile,
    options: &HumanCountOptions,
    units: f64,
) -> Vec<HumanPosition> {
    let mut positions = Vec::new();
    for (index, eval) in (profile.first..)
        .zip(&profile.evals)
        .filter(|(index, _)| *index >= options.first_ply)
    {
        let (ply, last) = (
            game.ply(index as usize),
            index
                .checked_sub(1)
                .and_then(|last| game.ply(last as usize)),
        );
        let material = match (ply, last) {
            (Some(ply), _) => ply.material_before(),
            (None, Some(last)) => last.material(),
            (None, None) => break,
        };
        let position = HumanPosition {
            material: u8::try_from(material.total()).ok(),
            ..HumanPosition::new(0, index.min(u32::from(u16::MAX)) as u16)
        };
        positions.extend(eval.and_then(|eval| options.evaluated(position, eval, units)));
    }
    positions
}

fn is_abandoned(termination: &str) -> bool {
    const ABANDONED: [&str; 3] = ["abandoned", "rules infraction", "unterminated"];
    ABANDONED
        .iter()
        .any(|name| name.eq_ignore_ascii_case(termination.trim()))
}
