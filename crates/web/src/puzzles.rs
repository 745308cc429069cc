//! The puzzles in the store: imported, mined, or made from mistakes. They are shown, judged, and
//! repeated if the user wants that.

use std::{
    sync::PoisonError,
    time::{SystemTime, UNIX_EPOCH},
};

use centipawn_progress::{Cancel, Problem};
use centipawn_puzzle::{Format, Puzzle, PuzzleDocument, Writer, solve::Ratings};
use centipawn_review::{
    Language,
    rooms::{also_correct, solution_line},
};
use centipawn_site::{AnkiDeck, Worksheet};
use centipawn_store::{Attempted, PuzzleFilter, Repetition, StoredPuzzle};
use centipawn_work::library::{Answered, LibraryError, is_mistake};

use crate::{
    body::Upload,
    documents::{
        AddedPuzzles, AnswerDocument, AnswerRequest, AttemptRequest, JudgeRequest, MistakesRequest,
        MoveRequest, Origin, PosedPuzzle, PuzzleEditRequest, PuzzlesDocument, PuzzlesRequest,
        RepetitionDocument, SolutionDocument, ThemeCount,
    },
    error::ApiError,
    games::refused,
    reviews,
    server::Server,
};

/// Maximum number of puzzles that are read from one input.
const MOST: usize = 100_000;
/// Maximum number of puzzles of a worksheet: ten sheets.
const ON_PAPER: usize = 60;
/// Maximum number of puzzles among which a lesson chooses.
const FOR_LESSON: i64 = 500;
/// Seconds of a day.
const DAY: i64 = 86_400;
/// Number of rows that are read from the store at a time.
const PAGE: i64 = 1000;

/// Returns the current time in seconds since 1970.
pub(crate) fn now() -> i64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs() as i64)
}

/// Reads puzzles from text or compressed bytes, and stores them. `name` names the input in
/// problems, and is the origin of the puzzles.
pub(crate) fn add(server: &Server, name: &str, upload: &Upload) -> Result<AddedPuzzles, ApiError> {
    let limits = server.options.limits.uploads(MOST);
    let hint = "Give puzzles as Lichess' CSV, JSON lines or PGN, plain or compressed by gzip, \
                zstd or bzip2.";
    let added = server
        .library
        .add_puzzles(name, upload.bytes.clone(), limits)
        .map_err(|error| refused(error, hint))?;
    Ok(AddedPuzzles {
        added: added.added,
        known: added.known,
        problems: added.problems,
    })
}

/// Turns a player's mistakes in all finished reviews into puzzles.
pub(crate) fn add_mistakes(
    server: &Server,
    request: &MistakesRequest,
) -> Result<AddedPuzzles, ApiError> {
    let player = request.player.trim();
    if player.is_empty() {
        return Err(ApiError::bad(
            "no player is named",
            "Give the player's name exactly as in the games.",
        ));
    }
    let kept = server.library.keep_mistakes(player)?;
    if !kept.plays {
        let hint = "Review a game of this player first, and write the name exactly as in its tags.";
        return Err(ApiError::bad(
            format!("{player:?} plays in no reviewed game"),
            hint,
        ));
    }
    let mut answer = AddedPuzzles {
        added: kept.added,
        known: kept.known,
        problems: Vec::new(),
    };
    if kept.without_better > 0 {
        let text = "some mistakes are left out: evaluations in a game's comments include no \
                    better move; review it with the engine";
        answer.problems.push(Problem::warning(text).of(player));
    }
    Ok(answer)
}

/// The filter of a request, parsed.
struct PuzzleQuery<'a> {
    theme: Option<&'a str>,
    ratings: Option<(i64, i64)>,
    origin: Option<&'a str>,
    only: Option<&'a [i64]>,
}

impl<'a> PuzzleQuery<'a> {
    fn of(request: &'a PuzzlesRequest) -> Result<Self, ApiError> {
        // PostgreSQL rejects texts with this character, and no stored text contains it.
        if [&request.theme, &request.origin]
            .into_iter()
            .flatten()
            .any(|text| text.contains('\0'))
        {
            return Err(ApiError::bad(
                "no theme and no origin has a NUL character",
                "Choose one of the list.",
            ));
        }
        let given = |text: &'a Option<String>| text.as_deref().filter(|text| !text.is_empty());
        let ratings = given(&request.rating)
            .map(str::parse::<Ratings>)
            .transpose();
        let ratings =
            ratings.map_err(|error| ApiError::bad(error, "Give a range such as 1200..1600."))?;
        let ratings = ratings.map(|range| (range.from.into(), range.to.into()));
        Ok(Self {
            theme: given(&request.theme),
            ratings,
            origin: given(&request.origin),
            only: request.only.as_deref(),
        })
    }

    fn filter(&self) -> PuzzleFilter<'a> {
        let Self {
            theme,
            ratings,
            origin,
            only,
        } = *self;
        PuzzleFilter {
            theme,
            ratings,
            origin,
            only,
            ..PuzzleFilter::default()
        }
    }
}

/// Returns the puzzles that match a request, and the next one.
pub(crate) fn list(server: &Server, request: &PuzzlesRequest) -> Result<PuzzlesDocument, ApiError> {
    let now = now();
    let query = PuzzleQuery::of(request)?;
    // Due puzzles have been tried before. Without `due`, prefer puzzles that were never tried.
    let wanted = PuzzleFilter {
        due: request.due.then_some(now),
        untried: !request.due,
        ..query.filter()
    };
    // Read two, because the first one may be the puzzle on the board.
    let next = server
        .store
        .puzzles(wanted, 0, 2)?
        .into_iter()
        .find(|puzzle| Some(puzzle.id) != request.after);
    let again = match next {
        // If no untried puzzle is left, start with the first one again.
        None if !request.due && request.after.is_none() => server
            .store
            .puzzles(
                PuzzleFilter {
                    untried: false,
                    ..wanted
                },
                0,
                1,
            )?
            .pop(),
        next => next,
    };
    let counts = server.store.puzzle_counts(now)?;
    let origins = server.store.puzzle_origins()?;
    let themes = server.store.puzzle_themes()?;
    Ok(PuzzlesDocument {
        total: counts.total,
        due: counts.due,
        untried: counts.untried,
        fitting: server.store.count_puzzles(wanted)?,
        next: again.map(|puzzle| puzzle.id),
        origins: origins
            .into_iter()
            .map(|(name, count)| Origin { name, count })
            .collect(),
        themes: themes
            .into_iter()
            .map(|(name, count)| ThemeCount { name, count })
            .collect(),
    })
}

/// Returns the puzzles that match a request, for a lesson: those that are due, or those that were
/// never tried, then the others.
pub(crate) fn for_lesson(server: &Server, request: &PuzzlesRequest) -> Result<Vec<i64>, ApiError> {
    let query = PuzzleQuery::of(request)?;
    let wanted = PuzzleFilter {
        due: request.due.then(now),
        ..query.filter()
    };
    let found = server.store.puzzles(wanted, 0, FOR_LESSON)?;
    let (mut first, tried): (Vec<_>, Vec<_>) = found
        .into_iter()
        .partition(|puzzle| puzzle.repetition.is_some() || puzzle.attempts == 0);
    first.extend(tried);
    Ok(first.into_iter().map(|puzzle| puzzle.id).collect())
}

fn find(server: &Server, id: i64) -> Result<(StoredPuzzle, Puzzle), ApiError> {
    let stored = server
        .store
        .puzzle(id)?
        .ok_or_else(|| ApiError::missing("puzzle", id))?;
    let document: PuzzleDocument = serde_json::from_str(&stored.document)?;
    let puzzle = document
        .puzzle()
        .map_err(|error| ApiError::bad(error, "Import the puzzle again."))?;
    Ok((stored, puzzle))
}

/// Returns a puzzle without its solution.
pub(crate) fn pose(server: &Server, id: i64) -> Result<PosedPuzzle, ApiError> {
    let (stored, puzzle) = find(server, id)?;
    PosedPuzzle::of(
        id,
        stored.origin,
        &puzzle,
        stored.ply.is_some(),
        stored.attempts,
        stored.repetition.map(repetition),
    )
    .ok_or_else(|| ApiError::missing("move in puzzle", id))
}

fn repetition(repetition: Repetition) -> RepetitionDocument {
    let answered = repetition.memory.map(|memory| memory.at);
    RepetitionDocument {
        days: answered.map_or(1, |at| (repetition.due - at).max(0) / DAY),
        due: repetition.due,
    }
}

/// Judges a move.
pub(crate) fn answer(
    server: &Server,
    id: i64,
    request: &AnswerRequest,
    cancel: &Cancel,
) -> Result<AnswerDocument, ApiError> {
    let (stored, puzzle) = find(server, id)?;
    AnswerDocument::of(&puzzle, request, ApiError::refused, || {
        is_good_enough(server, &stored, &request.uci, cancel)
    })
}

/// Returns whether `uci`, played instead of the mistake, would get no `?!`, `?` or `??`.
fn is_good_enough(
    server: &Server,
    stored: &StoredPuzzle,
    uci: &str,
    cancel: &Cancel,
) -> Result<bool, ApiError> {
    let (Some(id), Some(ply)) = (stored.game, stored.ply) else {
        return Ok(false);
    };
    let game = match server.library.game(id) {
        Ok(Some(game)) => game,
        Ok(None) | Err(LibraryError::Game(_)) => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    // Use the curve, symbols and limit of the game's newest review, if this program can read it.
    let review = match newest_review(server, id)? {
        Some(review) => match reviews::review(server, review, None) {
            Err(error) if error.is_failure() => return Err(error),
            answer => answer.is_ok().then_some(review),
        },
        None => None,
    };
    let Some(request) = MoveRequest::instead_of(&game, ply, uci, review) else {
        return Ok(false);
    };
    let judged = reviews::review_of_move(server, &request, cancel)?;
    let symbol = judged.plies.last().and_then(|ply| ply.symbol);
    Ok(!symbol.is_some_and(is_mistake))
}

/// Returns the number of the newest finished review of a game.
fn newest_review(server: &Server, game: i64) -> Result<Option<i64>, ApiError> {
    Ok(server
        .library
        .reviews()?
        .iter()
        .find(|(of, _)| *of == game)
        .map(|(_, job)| *job))
}

/// Returns the solution of a puzzle, with themes, ratings and origin, and the remark on the mistake
/// in the game in a language (`None` for that of the review).
pub(crate) fn solution(
    server: &Server,
    id: i64,
    language: Option<String>,
) -> Result<SolutionDocument, ApiError> {
    let (stored, puzzle) = find(server, id)?;
    let review = match stored.game {
        None => None,
        Some(game) => newest_review(server, game)?,
    };
    let remark = match review.zip(stored.ply) {
        Some((review, ply)) => remark(server, review, ply, language)?,
        None => None,
    };
    Ok(SolutionDocument {
        line: solution_line(&puzzle),
        also: also_correct(&puzzle),
        review,
        remark,
        ply: stored.ply,
        motifs: puzzle
            .motif_names()
            .into_iter()
            .map(str::to_owned)
            .collect(),
        puzzle: puzzle.document(),
    })
}

/// Returns the explanation of the move after so many half-moves in a review; `None` if this program
/// cannot read the review, or it has no remark there.
fn remark(
    server: &Server,
    review: i64,
    ply: i64,
    language: Option<String>,
) -> Result<Option<String>, ApiError> {
    let judge = JudgeRequest {
        language,
        ..JudgeRequest::default()
    };
    let review = match reviews::review(server, review, Some(&judge)) {
        Ok((_, review)) => review,
        Err(error) if error.is_failure() => return Err(error),
        Err(_) => return Ok(None),
    };
    let ply = usize::try_from(ply)
        .ok()
        .and_then(|ply| review.plies.get(ply));
    Ok(ply.and_then(|ply| review.language.explanation(ply)))
}

/// Records an attempt at a puzzle. The puzzle is scheduled again if the request asks for that, or
/// if it was scheduled before.
pub(crate) fn note(
    server: &Server,
    id: i64,
    request: &AttemptRequest,
) -> Result<PosedPuzzle, ApiError> {
    if server.store.puzzle(id)?.is_none() {
        return Err(ApiError::missing("puzzle", id));
    }
    let answered = Answered {
        mistakes: request.mistakes,
        hints: request.hints,
        shown: request.shown,
        repeat: request.repeat,
    };
    server.library.note_attempt(id, answered, now())?;
    pose(server, id)
}

/// Adds a puzzle to repetition, due tomorrow, or removes it from repetition.
pub(crate) fn set_repetition(
    server: &Server,
    id: i64,
    repeats: bool,
) -> Result<PosedPuzzle, ApiError> {
    let tomorrow = || Repetition {
        due: now() + DAY,
        memory: None,
    };
    server.store.set_repetition(id, repeats.then(tomorrow))?;
    pose(server, id)
}

/// Changes a puzzle.
pub(crate) fn edit(
    server: &Server,
    id: i64,
    edit: &PuzzleEditRequest,
) -> Result<PosedPuzzle, ApiError> {
    let _alone = server.noting.lock().unwrap_or_else(PoisonError::into_inner);
    let (_, puzzle) = find(server, id)?;
    let puzzle = edit.apply(puzzle).map_err(ApiError::refused)?;
    let document = serde_json::to_string(&puzzle.document())?;
    let themes = puzzle.theme_names();
    server
        .store
        .set_puzzle(id, puzzle.rating, &themes, &document)?;
    pose(server, id)
}

/// The format of an exported file of puzzles.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FileFormat {
    /// A puzzle file, as `centipawn puzzles` writes it.
    Puzzles(Format),
    /// A deck for Anki, with texts in a language.
    Anki(Language),
}

impl FileFormat {
    /// Returns the media type and the ending of the file name.
    pub(crate) fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Puzzles(Format::Csv) => ("text/csv; charset=utf-8", "csv"),
            Self::Puzzles(Format::Json) => ("application/x-ndjson", "jsonl"),
            Self::Puzzles(Format::Pgn) => ("application/x-chess-pgn", "pgn"),
            Self::Anki(_) => ("text/plain; charset=utf-8", "anki.txt"),
        }
    }
}

/// Exports the puzzles that match, in the order of their numbers.
pub(crate) fn export(
    server: &Server,
    request: &PuzzlesRequest,
    format: FileFormat,
) -> Result<Vec<u8>, ApiError> {
    let query = PuzzleQuery::of(request)?;
    match format {
        FileFormat::Anki(language) => {
            let mut deck = AnkiDeck::new(Vec::new(), "Centipawn", language)?;
            each_puzzle(server, query.filter(), |puzzle| Ok(deck.write(puzzle)?))?;
            Ok(deck.finish()?)
        }
        FileFormat::Puzzles(format) => {
            let mut writer = Writer::new(Vec::new(), format);
            each_puzzle(server, query.filter(), |puzzle| Ok(writer.write(puzzle)?))?;
            Ok(writer.finish()?)
        }
    }
}

/// Returns the first puzzles that match as a page to print.
pub(crate) fn worksheet(
    server: &Server,
    request: &PuzzlesRequest,
    title: &str,
    language: Language,
) -> Result<Vec<u8>, ApiError> {
    let query = PuzzleQuery::of(request)?;
    let mut sheet = Worksheet::new(title, language);
    // A lesson has its own order; otherwise the order is that of the list.
    let rows = match query.only {
        Some(only) => {
            let rows = only
                .iter()
                .take(ON_PAPER)
                .map(|id| server.store.puzzle(*id));
            rows.filter_map(Result::transpose)
                .collect::<Result<_, _>>()?
        }
        None => server.store.puzzles(query.filter(), 0, ON_PAPER as i64)?,
    };
    for row in rows {
        if let Some(puzzle) = readable(&row) {
            sheet.add(&puzzle);
        }
    }
    if sheet.is_empty() {
        return Err(ApiError::bad(
            "no puzzle matches",
            "Choose other themes, ratings or sources.",
        ));
    }
    Ok(sheet.write(Vec::new())?)
}

/// Returns the puzzle of a row; `None` if this version cannot read it, because another version
/// wrote it.
fn readable(row: &StoredPuzzle) -> Option<Puzzle> {
    serde_json::from_str::<PuzzleDocument>(&row.document)
        .ok()?
        .puzzle()
        .ok()
}

/// Calls `write` with each puzzle that matches, in the order of their numbers.
fn each_puzzle(
    server: &Server,
    wanted: PuzzleFilter<'_>,
    mut write: impl FnMut(&Puzzle) -> Result<(), ApiError>,
) -> Result<(), ApiError> {
    let mut last = 0;
    loop {
        let rows = server.store.puzzles_after(wanted, last, PAGE)?;
        let Some(row) = rows.last() else {
            return Ok(());
        };
        last = row.id;
        rows.iter()
            .filter_map(readable)
            .try_for_each(|puzzle| write(&puzzle))?;
    }
}

/// Returns all attempts as CSV, in the order in which they were made.
pub(crate) fn attempts(server: &Server) -> Result<String, ApiError> {
    let mut text = "puzzle,seconds_since_1970,mistakes,hints\n".to_owned();
    for Attempted {
        puzzle,
        at,
        mistakes,
        hints,
    } in server.store.attempts()?
    {
        text += &format!("{puzzle},{at},{mistakes},{hints}\n");
    }
    Ok(text)
}
