//! Documents of finished and running reviews, and the judgement of moves on the board.

use std::sync::Arc;

use centipawn_core::Curve;
use centipawn_engine::{Analyst as _, AnalystError, Question};
use centipawn_judge::{FindJob, Finder, GameFindings, JudgeOptions, LastMove, PositionCount};
use centipawn_pgn::{Glyphs, write_game_with};
use centipawn_progress::{Input, Provenance, Silent, sha256};
use centipawn_review::{
    DocumentWriter, Event, Review,
    rooms::{JudgeRequest, LinesRequest, MoveDocument, MoveRequest, WhyRequest, line_game},
};

use crate::{
    Reply, Tab,
    job::{event_of, networks, run_once},
    reply::Refused,
    router::{Answer, Query},
    shelf::JobState,
};

/// Returns the review of job `id`. If it is not finished, the review ends before the first position
/// that is not evaluated.
fn judge(tab: &Tab, id: i64, judge: Option<&JudgeRequest>) -> Result<Review, Refused> {
    let job = tab.shelf.jobs.get(&id);
    let job = job.ok_or_else(|| Refused::missing("review", id))?;
    let game = tab
        .shelf
        .game(job.game)
        .ok_or_else(|| Refused::missing("game", job.game))?;
    let mut options = job.options.clone();
    if let Some(judge) = judge {
        tab.choices().judge(judge, &mut options)?;
    }
    let findings = if job.state == JobState::Reviewed {
        let gone = || {
            Refused::bad(
                "its evaluations cannot be read by this version",
                "Ask for the review again.",
            )
        };
        tab.shelf.findings(id, &game).ok_or_else(gone)?
    } else {
        let live = tab.live(id).and_then(|live| live.findings());
        live.unwrap_or_else(|| GameFindings {
            analyst: None,
            curve: Curve::default(),
            positions: Vec::new(),
        })
    };
    // Curve and scheme are separate settings. If only the curve changes, keep the scheme of the
    // review.
    let keeps_scheme = judge.is_some_and(|judge| judge.scheme.is_none())
        && options.judge.curve != job.options.judge.curve;
    if keeps_scheme {
        let curve = findings.curve;
        options.judge.scheme = job.options.judge.scheme.scheme(&curve).into();
    }
    let is_finished = job.state == JobState::Reviewed;
    let findings = if is_finished {
        findings.under(&game, &options.judge)
    } else {
        findings
    };
    Ok(Review::judge(Arc::new(game), &findings, &options))
}

/// Returns the provenance of a review's documents. The input is the game as it is kept.
fn provenance(tab: &Tab, id: i64, review: &Review) -> Provenance {
    let game = tab.shelf.jobs.get(&id).map_or(0, |job| job.game);
    let text = tab.shelf.game_text(game).unwrap_or_default();
    let input = Input {
        name: format!("game {game} of the store"),
        bytes: Some(text.len() as u64),
        sha256: Some(sha256(text.as_bytes())),
    };
    Provenance::of("review", &review.review_options())
        .inputs(vec![input])
        .engine(review.analyst.clone(), review.options.limit)
}

fn json(tab: &Tab, id: i64, request: Option<&JudgeRequest>) -> Result<Vec<u8>, Refused> {
    let review = judge(tab, id, request)?;
    let mut writer = DocumentWriter::new(Vec::new(), &review.options)?;
    writer.game(&review)?;
    Ok(writer.finish(&provenance(tab, id, &review))?)
}

/// The document of `centipawn review --json`; with .pgn after the number, the annotated game.
pub(crate) fn review(tab: &Tab, name: &str, query: &Query) -> Answer {
    let (id, format) = name.split_once('.').unwrap_or((name, "json"));
    let id = id.parse().map_err(|_| Refused::missing("review", id))?;
    let balance = query.get("balance").map(str::parse).transpose();
    let balance = balance.map_err(|error| Refused::bad(error, "Correct the balance."))?;
    let request = JudgeRequest {
        curve: query.own("curve"),
        balance,
        scheme: query.own("scheme"),
        language: query.own("language"),
        every_symbol: None,
    };
    let is_judged = request.balance.is_some()
        || [&request.curve, &request.scheme, &request.language]
            .iter()
            .any(|value| value.is_some());
    let request = Some(&request).filter(|_| is_judged);
    let file = format!("review-{id}.{format}");
    match format {
        "json" => Ok(Reply::file(
            file,
            "application/json",
            json(tab, id, request)?,
        )),
        "pgn" => {
            let mut text = Vec::new();
            let mut review = judge(tab, id, request)?;
            if let Some(job) = tab.shelf.jobs.get(&id) {
                tab.shelf.notes(job.game).annotate(&mut review);
            }
            write_game_with(&mut text, &review.annotated(), Glyphs::Numbers)?;
            Ok(Reply::file(file, "application/x-chess-pgn", text))
        }
        _ => Err(Refused::missing("format", format)),
    }
}

/// Judges the same evaluations by another curve or scheme.
pub(crate) fn judged(tab: &Tab, id: i64, request: &JudgeRequest) -> Answer {
    Ok(Reply {
        body: json(tab, id, Some(request))?,
        ..Reply::document(&())
    })
}

/// Explains the symbol of a move.
pub(crate) fn why(tab: &Tab, id: i64, request: &WhyRequest) -> Answer {
    let review = judge(tab, id, Some(&request.judge))?;
    let index = request
        .ply
        .checked_sub(1)
        .filter(|index| *index < review.plies.len());
    let index = index.ok_or_else(|| {
        Refused::bad(
            format!("there is no judged move {}", request.ply),
            "Wait until it is evaluated.",
        )
    })?;
    Ok(Reply::document(&review.why(index)))
}

/// Judges the last move of a line like a move of the game.
pub(crate) fn judge_move(tab: &mut Tab, request: &MoveRequest) -> Answer {
    let review = review_of_move(tab, request)?;
    match review.document().plies.pop() {
        Some(ply) => Ok(Reply::document(&MoveDocument { ply })),
        None => Err(Refused::bad("the move was not judged", "Ask again.")),
    }
}

/// Returns a review whose last move is the last one of the line.
pub(crate) fn review_of_move(tab: &mut Tab, request: &MoveRequest) -> Result<Review, Refused> {
    let game = line_game(&request.fen, request.chess960, &request.moves)?;
    if game.plies.is_empty() {
        return Err(Refused::bad(
            "there is no move to judge",
            "Give moves in UCI notation.",
        ));
    }
    let mut options = tab.review.clone();
    match request.review {
        // Use the curve and the scheme that the review has. With `auto` they depend on the players.
        Some(id) => {
            let review = judge(tab, id, Some(&request.judge))?;
            let (curve, scheme) = (review.curve.into(), review.scheme.into());
            options = review.review_options();
            options.judge = JudgeOptions {
                curve,
                scheme,
                reuse_evals: None,
                ..options.judge
            };
        }
        None => tab.choices().judge(&request.judge, &mut options)?,
    }
    let found = tab.ask(|known| {
        let analyst = LastMove::new(known, game.plies.len().saturating_sub(1));
        let count = PositionCount::new(&Silent);
        let finder = Finder {
            analyst: &analyst,
            networks: networks(&options.judge),
            options: &options.judge,
            count: &count,
        };
        run_once(&FindJob::new(finder, game))
    })?;
    match event_of(found, &options) {
        Event::Reviewed(review) => Ok(*review),
        Event::Failed(failure) => Err(Refused::bad(failure.source, "Try another move.")),
    }
}

/// Searches the best lines of a position.
pub(crate) fn lines(tab: &mut Tab, request: &LinesRequest) -> Answer {
    let choices = tab.choices();
    let limit = choices.limit(Some(&format!("{} nodes", request.nodes)))?;
    let lines = choices.lines(Some(request.lines))?;
    let history = line_game(&request.fen, request.chess960, &request.moves)?.end();
    let question = Question::new(history.clone(), limit).lines(lines);
    let (analysis, engine) = tab.ask(|known| match known.analyse(&question) {
        Err(AnalystError::Cancelled) => None,
        analysis => Some((analysis, known.identity())),
    })?;
    let analysis = analysis.map_err(|error| Refused::bad(error, "Try another position."))?;
    let document = tab
        .choices()
        .lines_document(request, &history, &analysis, &engine)?;
    Ok(Reply::document(&document))
}
