//! A puzzle, as files have it.

use std::sync::Arc;

use centipawn_core::History;
use centipawn_progress::Provenance;
use shakmaty::{EnPassantMode, Position as _, zobrist::Zobrist64};

use crate::{Solution, SolutionError, Themes, Tree, themes};

/// A puzzle with what is known of it, whatever file it came from.
///
/// Reading is [`Reader`](crate::Reader)'s, writing [`Writer`](crate::Writer)'s.
#[derive(Clone, Debug)]
pub struct Puzzle {
    /// Its name in its collection; see [`stable_id`](Self::stable_id) for one that follows from the position.
    pub id: String,
    /// The position before the opponent's move; no moves in it.
    pub start: History,
    /// The moves, the opponent's first.
    pub solution: Solution,
    /// The solution with its branches, where it is known; its main line is [`solution`](Self::solution) without the first move.
    pub tree: Option<Tree>,
    /// How strong one must be to solve it, as an Elo or Glicko rating.
    pub rating: Option<u32>,
    /// Standard deviation of the rating.
    pub deviation: Option<u32>,
    /// Where eight in ten such ratings lie, if the rating is an estimate that no player has confirmed.
    pub rating_interval: Option<[u32; 2]>,
    /// Upvotes less downvotes in per cent, −100..=100.
    pub popularity: Option<i32>,
    /// How often it was played.
    pub plays: Option<u64>,
    /// What it is about.
    pub themes: Themes,
    /// Themes whose names are not [`Theme`](crate::Theme)s, kept as they were.
    pub other_themes: Vec<String>,
    /// Where the game stands that it is from.
    pub url: String,
    /// The opening of that game, names separated by spaces.
    pub openings: String,
    /// Who mined it, from what, with which options and engine; `None` for a puzzle from elsewhere.
    pub provenance: Option<Arc<Provenance>>,
}

impl Puzzle {
    /// A puzzle of which only the moves are known; its id is [`stable_id`](Self::stable_id), and it has no themes yet.
    ///
    /// # Errors
    ///
    /// Those of [`Solution::from_uci`].
    pub fn new<'a>(start: &History, moves: impl IntoIterator<Item = &'a str>) -> Result<Self, SolutionError> {
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
            provenance: None,
        }
    }

    /// The position that the solver sees, with the opponent's move that led to it.
    pub fn shown(&self) -> History {
        let mut shown = self.start.clone();
        self.solution.moves().take(1).for_each(|mv| shown.push(mv));
        shown
    }

    /// The Zobrist key of the position that the solver sees: the same for the same puzzle.
    pub fn key(&self) -> u64 {
        key(&self.solution)
    }

    /// An id that is the same wherever and whenever this position is found: eleven letters and digits made of the Zobrist key
    /// of the position that the solver sees.
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

    /// Finds the themes anew. Those that moves do not tell ([`Theme::is_told`](crate::Theme::is_told)) stay, but for goals
    /// (`crushing`, `advantage`, `equality`) of a puzzle that ends with mate.
    pub fn tag(&mut self) {
        let told = self.themes;
        self.themes = themes(&self.solution);
        let mates = self.themes.contains(crate::Theme::Mate);
        for theme in told.iter().filter(|theme| theme.is_told() && !(mates && theme.is_goal())) {
            self.themes.insert(theme);
        }
    }

    /// All names of themes, in the order of the alphabet.
    pub fn theme_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.themes.iter().map(crate::Theme::name).collect();
        names.extend(self.other_themes.iter().map(String::as_str));
        names.sort_unstable();
        names
    }

    /// Takes themes over from names with white space between; each is kept once.
    pub(crate) fn set_theme_names<'a>(&mut self, names: impl IntoIterator<Item = &'a str>) {
        for name in names {
            match crate::Theme::from_name(name) {
                Some(theme) => self.themes.insert(theme),
                None if self.other_themes.iter().any(|other| other == name) => {}
                None => self.other_themes.push(name.to_owned()),
            }
        }
    }

    /// The moves in UCI notation, the opponent's first.
    pub fn uci_moves(&self) -> impl Iterator<Item = String> {
        self.solution.moves().map(|mv| self.start.uci(mv).to_string())
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
