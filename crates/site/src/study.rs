//! Studies: chapters of PGN that Lichess imports, made of mistakes, games and puzzles.

mod game;
mod lesson;
mod puzzle;
mod shapes;

use centipawn_core::MoveSymbol;
use centipawn_pgn::{Game, PartialDate, player_key};
use centipawn_puzzle::Puzzle;
use centipawn_review::{Language, Review};
use centipawn_work::library::mistakes_of;
use shakmaty::Color;

/// Maximum number of characters in a chapter's name.
const LONGEST_NAME: usize = 80;

/// Chapters of a study on Lichess, each a game of PGN: mistakes of reviewed games as a lesson,
/// reviewed games, or puzzles.
///
/// A chapter of a lesson begins in the position before a mistake. The better move is the main line;
/// it goes on as far as the review has proven what the move wins. The played move and the engine's
/// other lines are variations, with what is wrong about them. Comments have arrows and circles
/// (`[%cal]`, `[%csl]`): green for what is good, red for a refutation.
///
/// ```
/// use centipawn_core::History;
/// use centipawn_puzzle::Puzzle;
/// use centipawn_review::Language;
/// use centipawn_site::Study;
///
/// let start = History::from_fen("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", None)?;
/// let mut study = Study::new("Tactics", Language::English);
/// study.add_puzzle(&Puzzle::new(&start, ["a2b2", "d1d8"])?);
/// let [part] = &study.parts()[..] else { panic!() };
/// assert!(part.pgn().contains("[Orientation \"white\"]") && part.pgn().contains("2. Rd8#"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Study {
    name: String,
    language: Language,
    chapters: Vec<Chapter>,
}

/// A chapter of a study.
#[derive(Clone, Debug)]
struct Chapter {
    game: Game,
    /// The side at the bottom of the board.
    side: Color,
    /// Expected score lost by the mistake, 0..=1; 0 for other chapters.
    loss: f64,
}

/// Which mistakes become chapters of a lesson. The default selects all mistakes of both players.
#[derive(Clone, Copy, Debug, Default)]
pub struct MistakeChoice<'a> {
    /// Only mistakes of these players; of both players if it is empty.
    pub players: &'a [&'a str],
    /// Only mistakes whose reason is proven.
    pub has_reason: bool,
    /// Only mistakes where one move is good and no other one. It needs at least two lines.
    pub is_unique: bool,
    /// Only mistakes with one of these symbols; with any symbol of a mistake if it is empty.
    pub symbols: &'a [MoveSymbol],
    /// At most this number of mistakes of each game, those that lost most.
    pub per_game: Option<usize>,
}

/// The number of mistakes that [`Study::add_mistakes`] found in a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AddedMistakes {
    /// Number of chapters added.
    pub chapters: usize,
    /// Number of mistakes that the choice leaves out.
    pub left_out: usize,
    /// Number of mistakes for which no better move is known.
    pub without_better: usize,
    /// Whether the player takes part in the game.
    pub plays: bool,
}

/// A study of at most 64 chapters.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StudyPart {
    /// The name of the study, with the number of the part if there are several: `Tactics (2/3)`.
    pub name: String,
    /// The text of each chapter.
    pub chapters: Vec<String>,
    /// The side at the bottom of the board; `None` if the chapters differ.
    pub orientation: Option<Color>,
}

impl Study {
    /// Maximum number of chapters that Lichess accepts in a study.
    pub const MOST_CHAPTERS: usize = 64;

    /// Creates a study without chapters. The language is that of the texts about puzzles; reviews
    /// have their own.
    pub fn new(name: impl Into<String>, language: Language) -> Self {
        Self {
            name: name.into(),
            language,
            chapters: Vec::new(),
        }
    }

    /// Adds those mistakes of a reviewed game that `choice` selects, each as a chapter of a lesson.
    pub fn add_mistakes(&mut self, review: &Review, choice: &MistakeChoice<'_>) -> AddedMistakes {
        let found = mistakes_of(review, choice.players);
        let later = found
            .puzzles
            .iter()
            .filter_map(|mistake| Some((mistake.ply, mistake.puzzle.solution.line().next()?)));
        let before = self.chapters.len();
        let mut left_out = 0;
        for (ply, better) in found
            .first
            .map(|better| (0, better))
            .into_iter()
            .chain(later)
        {
            if choice.selects(review, ply) {
                self.chapters
                    .push(lesson::chapter(review, ply, better, &self.name));
            } else {
                left_out += 1;
            }
        }
        if let Some(most) = choice.per_game {
            left_out += keep_worst(&mut self.chapters, before, most);
        }
        AddedMistakes {
            chapters: self.chapters.len() - before,
            left_out,
            without_better: found.without_better,
            plays: found.plays,
        }
    }

    /// Adds a reviewed game with its symbols, better lines and reasons. `player` is at the bottom
    /// of the board if they play Black. Returns whether the player takes part in the game.
    pub fn add_game(&mut self, review: &Review, player: Option<&str>) -> bool {
        let is_named = |color| {
            player.is_none_or(|player| player_key(review.name(color)) == player_key(player))
        };
        let side = if player.is_some() && is_named(Color::Black) {
            Color::Black
        } else {
            Color::White
        };
        self.chapters.push(game::chapter(review, side));
        is_named(Color::White) || is_named(Color::Black)
    }

    /// Adds a puzzle, which begins with the opponent's move.
    pub fn add_puzzle(&mut self, puzzle: &Puzzle) {
        self.chapters
            .push(puzzle::chapter(puzzle, &self.name, self.language));
    }

    /// Keeps only the mistakes that gave away most, in their order. Returns the number of chapters
    /// left out.
    pub fn keep_worst(&mut self, count: usize) -> usize {
        keep_worst(&mut self.chapters, 0, count)
    }

    /// Returns how many chapters there are.
    pub fn len(&self) -> usize {
        self.chapters.len()
    }

    /// Returns whether there is no chapter.
    pub fn is_empty(&self) -> bool {
        self.chapters.is_empty()
    }

    /// Returns the chapters in their order, 64 at most in a part.
    pub fn parts(&self) -> Vec<StudyPart> {
        let count = self.chapters.len().div_ceil(Self::MOST_CHAPTERS);
        let parts = self.chapters.chunks(Self::MOST_CHAPTERS).zip(1..);
        let part = |(chapters, number): (&[Chapter], usize)| {
            let sides = chapters.iter().map(|chapter| chapter.side);
            StudyPart {
                name: if count > 1 {
                    format!("{} ({number}/{count})", self.name)
                } else {
                    self.name.clone()
                },
                chapters: chapters.iter().map(Chapter::text).collect(),
                orientation: chapters
                    .first()
                    .map(|chapter| chapter.side)
                    .filter(|side| sides.clone().all(|other| other == *side)),
            }
        };
        parts.map(part).collect()
    }
}

/// Keeps only the `count` chapters from `begin` on that gave away most, in their order. Returns the
/// number of chapters left out.
fn keep_worst(chapters: &mut Vec<Chapter>, begin: usize, count: usize) -> usize {
    let all = chapters.len() - begin;
    let left_out = all.saturating_sub(count);
    if left_out > 0 {
        let mut order: Vec<usize> = (begin..chapters.len()).collect();
        // A stable sort: of equal losses, the earlier comes first.
        order.sort_by(|a, b| chapters[*b].loss.total_cmp(&chapters[*a].loss));
        let mut is_kept = vec![true; begin];
        is_kept.resize(chapters.len(), false);
        order[..count]
            .iter()
            .for_each(|&index| is_kept[index] = true);
        let mut is_kept = is_kept.into_iter();
        chapters.retain(|_| is_kept.next().unwrap_or(false));
    }
    left_out
}

impl MistakeChoice<'_> {
    fn selects(&self, review: &Review, index: usize) -> bool {
        let ply = &review.plies[index];
        let has_symbol =
            || self.symbols.is_empty() || ply.symbol.is_some_and(|own| self.symbols.contains(&own));
        (!self.has_reason || ply.reason.is_some())
            && (!self.is_unique || lesson::is_unique(review, ply))
            && has_symbol()
    }
}

impl StudyPart {
    /// Returns the chapters as one text: games with two empty lines between them, as Lichess
    /// imports them.
    pub fn pgn(&self) -> String {
        self.chapters.join("\n")
    }
}

impl Chapter {
    /// Creates a chapter with its name, and the side at the bottom of the board.
    fn new(mut game: Game, name: &str, side: Color) -> Self {
        let name: String = match name.chars().count() > LONGEST_NAME {
            true => name.chars().take(LONGEST_NAME - 1).chain(['…']).collect(),
            false => name.to_owned(),
        };
        game.headers.set("ChapterName", name);
        game.headers
            .set("Orientation", side.fold_wb("white", "black"));
        Self {
            game,
            side,
            loss: 0.0,
        }
    }

    /// Its text, which ends with an empty line.
    fn text(&self) -> String {
        format!("{}\n", self.game)
    }
}

/// Returns both players' names and the date: `Anna – Boris, 2026.10.05`.
fn occasion(title: &str, date: Option<PartialDate>) -> String {
    let date = date.map_or_else(String::new, |date| format!(", {date}"));
    format!("{title}{date}")
}
