//! Looks up a position in the games of the server's indexes, and in its endgame tables.

use centipawn_calibrate::position::{PositionReportOptions, PositionResults};
use centipawn_engine::TableVerdict;
use centipawn_progress::{Cancel, Silent};
use centipawn_work::{
    Inputs, Run,
    position::{PositionRunOptions, position_statistics},
};

use crate::{
    documents::{
        PositionAnswer, PositionMoveRow, PositionRequest, ResultsRow, TableAnswer, TableRequest,
    },
    error::ApiError,
    reviews::{cancelled, line},
    server::Server,
};

/// Looks up a position as `centipawn position` does.
pub(crate) fn look_up(
    server: &Server,
    request: &PositionRequest,
    cancel: &Cancel,
) -> Result<PositionAnswer, ApiError> {
    let indexes = &server.options.positions;
    if indexes.is_empty() {
        return Err(ApiError::bad(
            "this server has no index of positions",
            "Start it with an index of positions.",
        ));
    }
    let position = line(&request.fen, request.chess960, &request.moves)?
        .end()
        .fen();
    let report = PositionReportOptions {
        eval: request.eval,
        ..PositionReportOptions::default()
    };
    let options = PositionRunOptions {
        position,
        report,
        ..PositionRunOptions::default()
    };
    let inputs = Inputs {
        games: indexes,
        partial: None,
        is_hashed: false,
    };
    let found = position_statistics(&options, inputs, Run::new(cancel, &Silent))?;
    let document = found.result.ok_or_else(cancelled)?.document;
    let moves = document.moves.into_iter().map(|own| PositionMoveRow {
        uci: own.uci.to_string(),
        san: own.san,
        results: row(&own.results),
    });
    Ok(PositionAnswer {
        searched: document.games.counted,
        results: row(&document.results),
        expected_score: document.expected.map(|expected| expected.score),
        moves: moves.collect(),
    })
}

fn row(results: &PositionResults) -> ResultsRow {
    let PositionResults {
        games,
        white_wins,
        draws,
        black_wins,
        score,
        score_interval,
        ..
    } = *results;
    ResultsRow {
        games,
        white_wins,
        draws,
        black_wins,
        score,
        score_interval,
    }
}

/// Returns the tables' verdict on a position.
pub(crate) fn table(server: &Server, request: &TableRequest) -> Result<TableAnswer, ApiError> {
    let Some(tables) = server.tables()? else {
        return Err(ApiError::bad(
            "this server has no endgame tables",
            "Start it with the folder of Syzygy tables.",
        ));
    };
    let history = line(&request.fen, request.chess960, &request.moves)?.end();
    let (verdict, plies) = tables.verdict(&history).unzip();
    Ok(TableAnswer {
        verdict: verdict.map(TableVerdict::name),
        plies,
    })
}
