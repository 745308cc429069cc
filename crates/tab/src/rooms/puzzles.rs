//! Puzzles: imported, or made from mistakes. They are shown, judged and repeated.

use std::{collections::BTreeMap, sync::Arc};

use centipawn_progress::Problem;
use centipawn_puzzle::{
    Format, Puzzle, Reader, Writer,
    solve::{Ratings, Recall},
};
use centipawn_review::{
    Review,
    rooms::{
        AddedPuzzles, AnswerDocument, AnswerRequest, AttemptRequest, MistakePuzzle,
        MistakesRequest, MoveRequest, Origin, PosedPuzzle, PuzzleEditRequest, PuzzlesDocument,
        PuzzlesRequest, RepetitionDocument, RepetitionRequest, SolutionDocument, ThemeCount,
        also_correct, is_mistake, mistakes, solution_line,
    },
};

use super::reviews::review_of_move;
use crate::{
    Reply, Tab,
    reply::Refused,
    router::{Answer, Query},
    shelf::{AttemptRecord, DAY, PuzzleRecord, RepetitionRecord},
};

/// Maximum number of puzzles that are read from one input.
const MOST: usize = 100_000;
/// Maximum number of problems that are reported of an input.
const NAMED: usize = 100;

/// Returns a finished review with its own options, and the number of its game.
pub(crate) fn own_review(tab: &Tab, id: i64) -> Option<(i64, Review)> {
    let job = tab.shelf.jobs.get(&id)?;
    let game = tab.shelf.game(job.game)?;
    let findings = tab.shelf.findings(id, &game)?;
    Some((
        job.game,
        Review::judge(Arc::new(game), &findings, &job.options),
    ))
}

/// Reads puzzles from text or bytes compressed by gzip. `name` is the origin of the puzzles.
pub(crate) fn add(tab: &mut Tab, name: Option<&str>, bytes: &[u8]) -> Answer {
    let name = name.unwrap_or("pasted text");
    let hint = "Give puzzles as Lichess' CSV, JSON lines or PGN, plain or compressed by gzip.";
    let source = centipawn_pgn::Source::of(name, std::io::Cursor::new(bytes.to_vec()))
        .map_err(|error| Refused::bad(error, hint))?;
    let reader = Reader::new(source, None).map_err(|error| Refused::bad(error, hint))?;
    let (mut added, mut known, mut problems) = (0, 0, Vec::new());
    for puzzle in reader.take(MOST) {
        match puzzle {
            Ok(puzzle) => {
                let (_, is_new) = tab.shelf.keep_puzzle(puzzle, name, None);
                *if is_new { &mut added } else { &mut known } += 1;
            }
            Err(error) => problems.push(Problem::error(error).of(name)),
        }
    }
    if added + known == 0 && problems.is_empty() {
        problems.push(Problem::error("there are no puzzles in it").of(name));
    }
    problems.truncate(NAMED);
    Ok(Reply::document(&AddedPuzzles {
        added,
        known,
        problems,
    }))
}

/// Turns a player's mistakes in all finished reviews into puzzles.
pub(crate) fn add_mistakes(tab: &mut Tab, request: &MistakesRequest) -> Answer {
    let player = request.player.trim();
    if player.is_empty() {
        return Err(Refused::bad(
            "no player is named",
            "Give the player's name exactly as in the games.",
        ));
    }
    let (mut added, mut known, mut without_better, mut plays) = (0, 0, 0, false);
    for (game, id) in tab.shelf.reviews() {
        let Some((_, review)) = own_review(tab, id) else {
            continue;
        };
        let found = mistakes(&review, Some(player));
        plays |= found.plays;
        without_better += found.without_better;
        for MistakePuzzle { ply, puzzle } in found.puzzles {
            let place = Some((game, ply as i64));
            let (_, is_new) = tab.shelf.keep_puzzle(puzzle, player, place);
            *if is_new { &mut added } else { &mut known } += 1;
        }
    }
    if !plays {
        let hint = "Review a game of this player first, and write the name exactly as in its tags.";
        return Err(Refused::bad(
            format!("{player:?} plays in no reviewed game"),
            hint,
        ));
    }
    let mut problems = Vec::new();
    if without_better > 0 {
        let text = "some mistakes are left out: evaluations in a game's comments include no \
                    better move; review it with the engine";
        problems.push(Problem::warning(text).of(player));
    }
    Ok(Reply::document(&AddedPuzzles {
        added,
        known,
        problems,
    }))
}

/// Returns whether a puzzle matches the theme, ratings, origin and numbers of a request.
fn filter(
    request: &PuzzlesRequest,
) -> Result<impl Fn(i64, &PuzzleRecord) -> bool + use<>, Refused> {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let (theme, origin, only) = (
        given(&request.theme),
        given(&request.origin),
        request.only.clone(),
    );
    let ratings = given(&request.rating).map(|text| text.parse::<Ratings>());
    let ratings = ratings
        .transpose()
        .map_err(|error| Refused::bad(error, "Give a range such as 1200..1600."))?;
    Ok(move |id: i64, puzzle: &PuzzleRecord| {
        let document = &puzzle.document;
        theme
            .as_ref()
            .is_none_or(|theme| document.themes.contains(theme))
            && ratings
                .is_none_or(|range| document.rating.is_some_and(|rating| range.contains(rating)))
            && origin
                .as_ref()
                .is_none_or(|origin| puzzle.origin == *origin)
            && only.as_ref().is_none_or(|only| only.contains(&id))
    })
}

/// Returns the puzzles that match a request, and the next one.
pub(crate) fn list(tab: &Tab, request: &PuzzlesRequest) -> Answer {
    let (now, shelf) = (tab.now, &tab.shelf);
    let fits = filter(request)?;
    let is_due = |puzzle: &PuzzleRecord| puzzle.repetition.is_some_and(|state| state.due <= now);
    // Due puzzles have been tried before. Without `due`, prefer puzzles that were never tried.
    let is_wanted = |(id, puzzle): &(i64, &PuzzleRecord)| {
        fits(*id, puzzle)
            && if request.due {
                is_due(puzzle)
            } else {
                !shelf.is_tried(*id)
            }
    };
    let mut wanted: Vec<(i64, &PuzzleRecord)> = shelf.puzzles().filter(is_wanted).collect();
    let due = |(_, puzzle): &(i64, &PuzzleRecord)| puzzle.repetition.map_or(0, |state| state.due);
    if request.due {
        wanted.sort_by_key(due);
    }
    let next = wanted
        .iter()
        .map(|(id, _)| *id)
        .find(|id| Some(*id) != request.after);
    let next = match next {
        // If no untried puzzle is left, start with the first one again.
        None if !request.due && request.after.is_none() => shelf
            .puzzles()
            .find(|(id, puzzle)| fits(*id, puzzle))
            .map(|(id, _)| id),
        next => next,
    };
    let (mut origins, mut themes) = (BTreeMap::new(), BTreeMap::new());
    for (_, puzzle) in shelf.puzzles() {
        *origins.entry(puzzle.origin.clone()).or_default() += 1;
        for theme in &puzzle.document.themes {
            *themes.entry(theme.clone()).or_default() += 1;
        }
    }
    let origins = origins
        .into_iter()
        .map(|(name, count)| Origin { name, count });
    let themes = themes
        .into_iter()
        .map(|(name, count)| ThemeCount { name, count });
    let count = |is: &dyn Fn(i64, &PuzzleRecord) -> bool| {
        shelf
            .puzzles()
            .filter(|(id, puzzle)| is(*id, puzzle))
            .count() as i64
    };
    Ok(Reply::document(&PuzzlesDocument {
        total: count(&|_, _| true),
        due: count(&|_, puzzle| is_due(puzzle)),
        untried: count(&|id, _| !shelf.is_tried(id)),
        fitting: wanted.len() as i64,
        next,
        origins: origins.collect(),
        themes: themes.collect(),
    }))
}

/// Returns the numbers of the first puzzles that match a request: due ones, or those that were
/// never tried.
pub(crate) fn chosen(
    tab: &Tab,
    request: &PuzzlesRequest,
    most: usize,
) -> Result<Vec<i64>, Refused> {
    let (now, shelf) = (tab.now, &tab.shelf);
    let fits = filter(request)?;
    let is_due = |puzzle: &PuzzleRecord| puzzle.repetition.is_some_and(|state| state.due <= now);
    let is_wanted = |id: i64, puzzle: &PuzzleRecord| {
        fits(id, puzzle) && (is_due(puzzle) || !request.due && !shelf.is_tried(id))
    };
    let wanted = shelf
        .puzzles()
        .filter(|(id, puzzle)| is_wanted(*id, puzzle));
    Ok(wanted.map(|(id, _)| id).take(most).collect())
}

fn find(tab: &Tab, id: i64) -> Result<(&PuzzleRecord, Puzzle), Refused> {
    let record = tab.shelf.puzzle(id);
    let record = record.ok_or_else(|| Refused::missing("puzzle", id))?;
    let puzzle = record.document.puzzle();
    let puzzle = puzzle.map_err(|error| Refused::bad(error, "Import the puzzle again."))?;
    Ok((record, puzzle))
}

/// Returns a puzzle without its solution.
pub(crate) fn pose(tab: &Tab, id: i64) -> Answer {
    let (record, puzzle) = find(tab, id)?;
    let repetition = record.repetition.map(|state| RepetitionDocument {
        days: state.days(),
        due: state.due,
    });
    let posed = PosedPuzzle::of(
        id,
        record.origin.clone(),
        &puzzle,
        record.place.is_some(),
        tab.shelf.attempts_of(id),
        repetition,
    );
    let posed = posed.ok_or_else(|| Refused::missing("move in puzzle", id))?;
    Ok(Reply::document(&posed))
}

/// Judges a move.
pub(crate) fn answer(tab: &mut Tab, id: i64, request: &AnswerRequest) -> Answer {
    let (record, puzzle) = find(tab, id)?;
    let place = record.place;
    let answer = AnswerDocument::of(&puzzle, request, Refused::from, || match place {
        Some(place) => is_good_enough(tab, place, &request.uci),
        None => Ok(false),
    })?;
    Ok(Reply::document(&answer))
}

/// Returns whether `uci`, played instead of the mistake, would get no `?!`, `?` or `??`.
fn is_good_enough(tab: &mut Tab, (id, ply): (i64, i64), uci: &str) -> Result<bool, Refused> {
    let Some(game) = tab.shelf.game(id) else {
        return Ok(false);
    };
    // Use the curve, symbols and limit of the game's newest review.
    let review = tab.shelf.reviews().get(&id).copied();
    let Some(request) = MoveRequest::instead_of(&game, ply, uci, review) else {
        return Ok(false);
    };
    let judged = review_of_move(tab, &request)?;
    let symbol = judged.plies.last().and_then(|ply| ply.symbol);
    Ok(!symbol.is_some_and(is_mistake))
}

/// Returns the solution of a puzzle, with themes, ratings and origin.
pub(crate) fn solution(tab: &Tab, id: i64, query: &Query) -> Answer {
    let (record, puzzle) = find(tab, id)?;
    let motifs = puzzle.motif_names().into_iter().map(str::to_owned);
    let review = record
        .place
        .and_then(|(game, _)| tab.shelf.reviews().get(&game).copied());
    Ok(Reply::document(&SolutionDocument {
        line: solution_line(&puzzle),
        also: also_correct(&puzzle),
        review,
        ply: record.place.map(|(_, ply)| ply),
        remark: review.and_then(|review| remark(tab, review, record, query)),
        motifs: motifs.collect(),
        puzzle: puzzle.document(),
    }))
}

/// Returns why the move played in the game was a mistake, in the language of the request.
fn remark(tab: &Tab, review: i64, record: &PuzzleRecord, query: &Query) -> Option<String> {
    let (_, mut review) = own_review(tab, review)?;
    if let Some(language) = query.get("language").and_then(|text| text.parse().ok()) {
        review.language = language;
    }
    let ply = usize::try_from(record.place?.1).ok()?;
    review.language.explanation(review.plies.get(ply)?)
}

/// Records an attempt at a puzzle. The puzzle is scheduled again if the request asks for that, or
/// if it was scheduled before.
pub(crate) fn note(tab: &mut Tab, id: i64, request: &AttemptRequest) -> Answer {
    let record = tab.shelf.puzzle(id).cloned();
    let mut record = record.ok_or_else(|| Refused::missing("puzzle", id))?;
    let now = tab.now;
    let bounded = |number: u32| i64::from(number.min(1000));
    let (mistakes, hints) = (bounded(request.mistakes), bounded(request.hints));
    tab.shelf.keep_attempt(AttemptRecord {
        puzzle: id,
        at: now,
        mistakes,
        hints,
    });
    if record.repetition.is_some() || request.repeat {
        let recall = match (mistakes, hints) {
            _ if request.shown => Recall::Failed,
            (0, 0) => Recall::Good,
            (0, _) => Recall::Hard,
            _ => Recall::Failed,
        };
        record.repetition = Some(RepetitionRecord::after(record.repetition, recall, now));
        tab.shelf.set_puzzle(id, record);
    }
    pose(tab, id)
}

/// Adds a puzzle to repetition, due tomorrow, or removes it from repetition.
pub(crate) fn set_repetition(tab: &mut Tab, id: i64, request: &RepetitionRequest) -> Answer {
    let record = tab.shelf.puzzle(id).cloned();
    let mut record = record.ok_or_else(|| Refused::missing("puzzle", id))?;
    record.repetition = request.repeat.then(|| RepetitionRecord {
        due: tab.now + DAY,
        memory: None,
    });
    tab.shelf.set_puzzle(id, record);
    pose(tab, id)
}

/// Changes a puzzle.
pub(crate) fn edit(tab: &mut Tab, id: i64, edit: &PuzzleEditRequest) -> Answer {
    let (record, puzzle) = find(tab, id)?;
    let mut record = record.clone();
    record.document = edit.apply(puzzle)?.document();
    tab.shelf.set_puzzle(id, record);
    pose(tab, id)
}

/// Exports the puzzles that match, in the order of their numbers.
pub(crate) fn export(tab: &Tab, format: &str, query: &Query) -> Answer {
    let (kind, format, ending) = match format {
        "csv" => ("text/csv; charset=utf-8", Format::Csv, "csv"),
        "json" | "jsonl" => ("application/x-ndjson", Format::Json, "jsonl"),
        "pgn" => ("application/x-chess-pgn", Format::Pgn, "pgn"),
        _ => return Err(Refused::missing("format", format)),
    };
    let only = query.get("only").map(|text| {
        text.split(',')
            .filter_map(|id| id.parse().ok())
            .collect::<Vec<i64>>()
    });
    let fits = filter(&PuzzlesRequest {
        theme: query.own("theme"),
        rating: query.own("rating"),
        origin: query.own("origin"),
        only,
        ..PuzzlesRequest::default()
    })?;
    let mut writer = Writer::new(Vec::new(), format);
    for (id, record) in tab.shelf.puzzles() {
        if let Some(puzzle) = record.document.puzzle().ok().filter(|_| fits(id, record)) {
            writer
                .write(&puzzle)
                .map_err(|error| Refused::new(500, error, "Please report it."))?;
        }
    }
    let bytes = writer
        .finish()
        .map_err(|error| Refused::new(500, error, "Please report it."))?;
    Ok(Reply::file(format!("puzzles.{ending}"), kind, bytes))
}

/// Returns all attempts as CSV, in the order in which they were made.
pub(crate) fn attempts(tab: &Tab) -> Reply {
    let mut text = "puzzle,seconds_since_1970,mistakes,hints\n".to_owned();
    for attempt in tab.shelf.attempts() {
        let AttemptRecord {
            puzzle,
            at,
            mistakes,
            hints,
        } = attempt;
        text += &format!("{puzzle},{at},{mistakes},{hints}\n");
    }
    Reply::file(
        "attempts.csv".to_owned(),
        "text/csv; charset=utf-8",
        text.into_bytes(),
    )
}
