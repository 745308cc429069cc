//! Documents of finished and running reviews. They can be judged again without an engine.

use std::sync::Arc;

use crate::{
    documents::{
        JudgeRequest, LinesDocument, LinesRequest, MoveDocument, MoveRequest, ReviewOptionsRequest,
        ReviewRequest, WhyRequest,
    },
    error::ApiError,
    jobs,
    server::Server,
};
use centipawn_engine::{Analyst as _, Question};
use centipawn_judge::JudgeOptions;
use centipawn_pgn::{Game, Glyphs, write_game_with};
use centipawn_progress::{Cancel, Silent};
use centipawn_review::{
    DocumentWriter, Event, Review, ReviewOptions, WhyDocument, rooms::line_game,
};
use centipawn_site::Report;
use centipawn_work::{
    engine::judge_last_move,
    library::{KeptJob, LibraryError, kept_provenance, kept_review, review_so_far},
};

/// Converts a request to options of a review.
pub(crate) fn options(
    server: &Server,
    request: &ReviewOptionsRequest,
) -> Result<ReviewOptions, ApiError> {
    server.choices().review(request).map_err(ApiError::refused)
}

/// Returns the options of another review of the same game, with ease if the request asks for it.
pub(crate) fn options_like(
    server: &Server,
    id: i64,
    request: &ReviewRequest,
) -> Result<ReviewOptions, ApiError> {
    let job = jobs::find(server, id)?;
    let mut options = job
        .review()
        .filter(|_| job.game == request.game)
        .ok_or_else(|| ApiError::bad("the job is no review of this game", "Choose a review."))?
        .clone();
    if request.review.ease {
        options.judge.ease = options_with_ease(server)?;
    }
    Ok(options)
}

/// Returns the names of the networks that judge ease.
fn options_with_ease(server: &Server) -> Result<Vec<String>, ApiError> {
    let request = ReviewOptionsRequest {
        ease: true,
        ..ReviewOptionsRequest::default()
    };
    Ok(options(server, &request)?.judge.ease)
}

/// Returns the review of job `id`. If it is not finished, the review ends before the first position
/// that is not evaluated.
pub(crate) fn review(
    server: &Server,
    id: i64,
    judge: Option<&JudgeRequest>,
) -> Result<(KeptJob, Review), ApiError> {
    // Read the live findings before the job. If the review ends in between, the job is read as
    // finished.
    let live = server.queue.live(id);
    let job = jobs::find(server, id)?;
    let own = job
        .review()
        .ok_or_else(|| ApiError::bad("the job is not a review", "Choose a review."))?
        .clone();
    let mut options = own.clone();
    if let Some(judge) = judge {
        server.set_judge(judge, &mut options)?;
    }
    // Curve and scheme are separate settings. If only the curve changes, keep the scheme of the
    // review.
    let keeps_scheme =
        judge.is_some_and(|judge| judge.scheme.is_none()) && options.judge.curve != own.judge.curve;
    match live {
        None if job.is_reviewed() => {
            if keeps_scheme {
                options.judge.scheme = kept_review(&server.library, &job, &own)
                    .map_err(gone)?
                    .scheme
                    .into();
            }
            let review = kept_review(&server.library, &job, &options).map_err(gone)?;
            Ok((job, review))
        }
        live => {
            let (game, findings) = match live {
                Some(live) => (Arc::clone(live.game()), live.findings()),
                None => {
                    let game = server
                        .library
                        .game(job.game)?
                        .ok_or_else(|| ApiError::missing("game", job.game))?;
                    (Arc::new(game), None)
                }
            };
            // The curve of a running review may depend on its engine, so take it from the findings.
            if keeps_scheme {
                let curve = findings
                    .as_ref()
                    .map(|findings| findings.curve)
                    .unwrap_or_default();
                options.judge.scheme = own.judge.scheme.scheme(&curve).into();
            }
            Ok((job, review_so_far(game, findings, &options)))
        }
    }
}

fn gone(error: LibraryError) -> ApiError {
    match error {
        LibraryError::Review(error) => ApiError::bad(error, "Ask for the review again."),
        LibraryError::Game(error) => ApiError::bad(error, "Paste the game again."),
        error => error.into(),
    }
}

pub(crate) fn cancelled() -> ApiError {
    ApiError::bad("the question was cancelled", "Ask again.")
}

/// Returns the document that `centipawn review --json` writes.
pub(crate) fn json(
    server: &Server,
    id: i64,
    judge: Option<&JudgeRequest>,
) -> Result<Vec<u8>, ApiError> {
    let (job, review) = review(server, id, judge)?;
    let mut writer = DocumentWriter::new(Vec::new(), &review.options)?;
    writer.game(&review)?;
    Ok(writer.finish(&kept_provenance(&server.store, &job, &review)?)?)
}

/// Returns the report that `centipawn review --html` writes.
pub(crate) fn html(
    server: &Server,
    id: i64,
    judge: Option<&JudgeRequest>,
) -> Result<Vec<u8>, ApiError> {
    let (job, mut review) = review(server, id, judge)?;
    server
        .library
        .own_notes(&review.game)?
        .annotate(&mut review);
    let mut report = Report::new(Vec::new(), review.language);
    report.game(&review)?;
    Ok(report.finish(Some(&kept_provenance(&server.store, &job, &review)?))?)
}

/// Returns the annotated game that `centipawn review --output` writes.
pub(crate) fn pgn(
    server: &Server,
    id: i64,
    judge: Option<&JudgeRequest>,
) -> Result<Vec<u8>, ApiError> {
    let (_, mut review) = review(server, id, judge)?;
    let own = server.library.own_notes(&review.game)?;
    own.annotate(&mut review);
    let mut text = Vec::new();
    write_game_with(&mut text, &review.annotated(), Glyphs::Numbers)?;
    Ok(text)
}

/// Explains the symbol of a move.
pub(crate) fn why(server: &Server, id: i64, request: &WhyRequest) -> Result<WhyDocument, ApiError> {
    let (_, review) = review(server, id, Some(&request.judge))?;
    let index = request
        .ply
        .checked_sub(1)
        .filter(|index| *index < review.plies.len());
    let index = index.ok_or_else(|| {
        ApiError::bad(
            format!("there is no judged move {}", request.ply),
            "Wait until it is evaluated.",
        )
    })?;
    Ok(review.why(index))
}

/// Builds a game from a start position and the moves of a request. All moves are checked.
pub(crate) fn line(fen: &str, chess960: bool, moves: &[String]) -> Result<Game, ApiError> {
    line_game(fen, chess960, moves).map_err(ApiError::refused)
}

/// Returns the document of the last move of a line, which is judged as moves of a game are.
pub(crate) fn judge_move(
    server: &Server,
    request: &MoveRequest,
    cancel: &Cancel,
) -> Result<MoveDocument, ApiError> {
    let ply = review_of_move(server, request, cancel)?
        .document()
        .plies
        .pop();
    ply.map(|ply| MoveDocument { ply }).ok_or_else(cancelled)
}

/// Returns a review whose last move is the last one of the line, judged with the board's engine.
pub(crate) fn review_of_move(
    server: &Server,
    request: &MoveRequest,
    cancel: &Cancel,
) -> Result<Review, ApiError> {
    let game = line(&request.fen, request.chess960, &request.moves)?;
    if game.plies.is_empty() {
        return Err(ApiError::bad(
            "there is no move to judge",
            "Give moves in UCI notation.",
        ));
    }
    let mut options = server.options.review.clone();
    match request.review {
        // Use the curve and the scheme that the review has. With `auto` they depend on the players.
        Some(id) => {
            let (_, review) = review(server, id, Some(&request.judge))?;
            let (curve, scheme) = (review.curve.into(), review.scheme.into());
            options = review.review_options();
            options.judge = JudgeOptions {
                curve,
                scheme,
                reuse_evals: None,
                ..options.judge
            };
        }
        None => server.set_judge(&request.judge, &mut options)?,
    }
    let board = server.board.under(cancel, Arc::new(Silent));
    let analyst = board.some_analyst(&server.analyst(1))?;
    match judge_last_move(game, &options, &*analyst, cancel) {
        Some(Event::Reviewed(review)) => Ok(*review),
        Some(Event::Failed(failure)) => Err(ApiError::bad(
            failure.source,
            "Try another move, or another engine.",
        )),
        None => Err(cancelled()),
    }
}

/// Searches the best lines of a position.
pub(crate) fn lines(
    server: &Server,
    request: &LinesRequest,
    cancel: &Cancel,
) -> Result<LinesDocument, ApiError> {
    let limit = server.limit(Some(&format!("{} nodes", request.nodes)))?;
    let lines = server.lines(Some(request.lines))?;
    let history = line(&request.fen, request.chess960, &request.moves)?.end();
    let board = server.board.under(cancel, Arc::new(Silent));
    let analyst = board.some_analyst(&server.analyst(1))?;
    let question = Question::new(history.clone(), limit).lines(lines);
    let analysis = analyst.analyse(&question)?;
    let engine = analyst.identity();
    let document = server
        .choices()
        .lines_document(request, &history, &analysis, &engine);
    document.map_err(ApiError::refused)
}
