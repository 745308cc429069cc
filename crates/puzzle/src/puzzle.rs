//! A puzzle and its metadata.

use std::{collections::HashSet, sync::Arc};

use centipawn_core::History;
use centipawn_progress::Provenance;
use shakmaty::{EnPassantMode, Move, Position as _, zobrist::Zobrist64};

use crate::{PuzzleGame, Solution, SolutionError, Themes, Tree, themes, tree::mating_moves};

/// A puzzle with its metadata, independent of the file format.
///
/// [`Reader`](crate::Reader) reads puzzles, [`Writer`](crate::Writer) writes them.
///
/// ```
/// use centipawn_core::History;
/// use centipawn_puzzle::{Puzzle, Theme};
///
/// let start = History::from_fen("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", None).unwrap();
/// let mut puzzle = Puzzle::new(&start, ["a2b2", "d1d8"])?;
/// puzzle.tag();
/// assert!(puzzle.themes.contains(Theme::BackRankMate));
/// assert!(puzzle.shown().fen().starts_with("6k1/5ppp/8/8/8/8/1r3PPP/3R2K1 w"));
/// # Ok::<_, centipawn_puzzle::SolutionError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Puzzle {
    /// The puzzle's id in its collection. [`stable_id`](Self::stable_id) is derived from the
    /// position instead.
    pub id: String,
    /// The position before the opponent's move, without any moves.
    pub start: History,
    /// The moves, the opponent's first.
    pub solution: Solution,
    /// The solution with its branches, if known. Its main line is [`solution`](Self::solution)
    /// without the first move.
    pub tree: Option<Tree>,
    /// Difficulty as an Elo or Glicko rating.
    pub rating: Option<u32>,
    /// Standard deviation of the rating, in rating points.
    pub deviation: Option<u32>,
    /// The 80 % interval `[low, high]` of an estimated rating; `None` for ratings from players.
    pub rating_interval: Option<[u32; 2]>,
    /// Upvotes minus downvotes in per cent, −100 to 100.
    pub popularity: Option<i32>,
    /// Number of times that the puzzle was played.
    pub plays: Option<u64>,
    /// The known themes of the puzzle.
    pub themes: Themes,
    /// Names of themes that are not [`Theme`](crate::Theme)s, unchanged.
    pub other_themes: Vec<String>,
    /// URL of the game from which the puzzle was mined; empty if unknown.
    pub url: String,
    /// Names of the game's opening, separated by spaces; empty if unknown.
    pub openings: String,
    /// The players, place and date of that game, and who erred; `None` if unknown.
    pub game: Option<PuzzleGame>,
    /// Program, inputs, options and engine that mined the puzzle; `None` for puzzles from
    /// elsewhere.
    pub provenance: Option<Arc<Provenance>>,
}

impl Puzzle {
    /// Creates a puzzle without metadata or themes. Its id is the [`stable_id`](Self::stable_id).
    ///
    /// # Errors
    ///
    /// The errors of [`Solution::from_uci`].
    pub fn new<'a>(
        start: &History,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, SolutionError> {
        Ok(Self::of(start, Solution::from_uci(start, moves)?))
    }

    pub(crate) fn of(start: &History, solution: Solution) -> Self {
        Self {
            id: stable_id(&solution),
            start: History::new(start.position().clone(), start.mode()),
            solution,
            tree: None,
            rating: None,
            deviation: None,
            rating_interval: None,
            popularity: None,
            plays: None,
            themes: Themes::default(),
            other_themes: Vec::new(),
            url: String::new(),
            openings: String::new(),
            game: None,
            provenance: None,
        }
    }

    /// Returns the position shown to the solver, with the opponent's move that led to it.
    pub fn shown(&self) -> History {
        let mut shown = self.start.clone();
        self.solution.moves().take(1).for_each(|mv| shown.push(mv));
        shown
    }

    /// Returns the correct moves other than the main one when the solver is to move for the
    /// `step`th time, counted from 0: the correct moves of the tree, and every mate.
    ///
    /// ```
    /// use centipawn_core::History;
    /// use centipawn_puzzle::Puzzle;
    ///
    /// let start = History::from_fen("6k1/r4ppp/8/8/8/8/8/3RR1K1 b - - 0 1", None).unwrap();
    /// let puzzle = Puzzle::new(&start, ["a7a2", "d1d8"])?;
    /// let also = puzzle.also_correct(0);
    /// assert_eq!((also.len(), puzzle.shown().san(also[0])), (1, "Re8#".to_owned()));
    /// assert!(puzzle.also_correct(1).is_empty());
    /// # Ok::<_, centipawn_puzzle::SolutionError>(())
    /// ```
    pub fn also_correct(&self, step: usize) -> Vec<Move> {
        let asked = self
            .solution
            .asked()
            .zip(self.solution.line().step_by(2))
            .nth(step);
        let Some((position, main)) = asked else {
            return Vec::new();
        };
        let node = self
            .tree
            .as_ref()
            .and_then(|tree| Some(&tree.nodes()[tree.main_line().nth(step)?]));
        let mut moves: Vec<Move> = node
            .into_iter()
            .flat_map(|node| &node.answers)
            .map(|answer| answer.mv)
            .collect();
        for mate in mating_moves(position) {
            if !moves.contains(&mate) {
                moves.push(mate);
            }
        }
        moves.retain(|mv| *mv != main);
        moves
    }

    /// Returns the Zobrist key of the position shown to the solver, which identifies the puzzle.
    pub fn key(&self) -> u64 {
        key(&self.solution)
    }

    /// Returns an id that depends only on the position shown to the solver: eleven letters and
    /// digits that encode its Zobrist key.
    ///
    /// ```
    /// use centipawn_core::History;
    /// use centipawn_puzzle::Puzzle;
    ///
    /// let start = History::from_fen("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", None).unwrap();
    /// let puzzle = Puzzle::new(&start, ["a2b2", "d1d8"])?;
    /// assert_eq!(puzzle.stable_id().len(), 11);
    /// assert_eq!(puzzle.id, puzzle.stable_id());
    /// # Ok::<_, centipawn_puzzle::SolutionError>(())
    /// ```
    pub fn stable_id(&self) -> String {
        stable_id(&self.solution)
    }

    /// Replaces the themes with those found in the moves. Themes that do not follow from the moves
    /// ([`Theme::is_external`](crate::Theme::is_external)) are kept, except the goals (`crushing`,
    /// `advantage`, `equality`) of a puzzle that ends with mate.
    pub fn tag(&mut self) {
        let previous = self.themes;
        self.themes = themes(&self.solution);
        let mates = self.themes.contains(crate::Theme::Mate);
        for theme in previous
            .iter()
            .filter(|theme| theme.is_external() && !(mates && theme.is_goal()))
        {
            self.themes.insert(theme);
        }
    }

    /// Returns the sorted names of the themes that are ideas (motifs), without
    /// general ones such as `middlegame`.
    pub fn motif_names(&self) -> Vec<&str> {
        let is_motif = |name: &&str| {
            *name != Self::HAND_PICKED
                && crate::Theme::from_name(name).is_none_or(crate::Theme::is_motif)
        };
        self.theme_names().into_iter().filter(is_motif).collect()
    }

    /// Returns the names of all themes, sorted.
    pub fn theme_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.themes.iter().map(crate::Theme::name).collect();
        names.extend(self.other_themes.iter().map(String::as_str));
        names.sort_unstable();
        names
    }

    /// Sets the themes of a new puzzle by their names. Duplicates are dropped.
    pub(crate) fn set_theme_names<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        let mut known = HashSet::new();
        for name in names {
            match crate::Theme::from_name(name) {
                Some(theme) => self.themes.insert(theme),
                None if known.insert(name) => self.other_themes.push(name.to_owned()),
                None => {}
            }
        }
    }

    /// Returns the moves in UCI notation, the opponent's first.
    pub fn uci_moves(&self) -> impl Iterator<Item = String> {
        self.solution
            .moves()
            .map(|mv| self.start.uci(mv).to_string())
    }
}

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

fn key(solution: &Solution) -> u64 {
    let Zobrist64(key) = solution.position().zobrist_hash(EnPassantMode::Legal);
    key
}

fn stable_id(solution: &Solution) -> String {
    let mut key = key(solution);
    (0..11)
        .map(|_| {
            let digit = DIGITS[(key % 62) as usize];
            key /= 62;
            char::from(digit)
        })
        .collect()
}
