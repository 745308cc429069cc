//! Checks a human curve on a table that it was not fitted to.

use std::{
    io::{self, BufRead as _, BufReader, Cursor, Read as _},
    path::{Path, PathBuf},
};

use centipawn_calibrate::human::{
    CheckCells, CheckCellsError, Checked, HumanCheck, HumanCountOptions, HumanRows, HumanRowsError,
    RowsCheck,
};
use centipawn_core::{CurveChoice, Pool};
use centipawn_pgn::{Source, SourceError};
use centipawn_progress::Provenance;
use serde::Serialize;

use crate::{Run, scan::InputHashes};

/// Why a curve cannot be checked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckHumanError {
    /// The table cannot be opened.
    #[error(transparent)]
    Open(#[from] SourceError),
    /// The table cannot be read.
    #[error("{path}: {error}", path = path.display())]
    Io {
        /// The table.
        path: PathBuf,
        /// What went wrong.
        #[source]
        error: io::Error,
    },
    /// A table of cells cannot be read.
    #[error("{path}: {error}", path = path.display())]
    Cells {
        /// The table.
        path: PathBuf,
        /// What is wrong.
        #[source]
        error: CheckCellsError,
    },
    /// A table of positions cannot be read.
    #[error("{path}: {error}", path = path.display())]
    Rows {
        /// The table.
        path: PathBuf,
        /// What is wrong.
        #[source]
        error: HumanRowsError,
    },
    /// None of the games in the table counts.
    #[error(
        "{path}: no game counts; a game needs both ratings, at most 300 apart, a time of the game and \
         an evaluation",
        path = path.display()
    )]
    NoGame {
        /// The table.
        path: PathBuf,
    },
}

/// The options of a check: its recipe.
#[derive(Serialize)]
struct CheckOptions {
    curve: CurveChoice,
    count: HumanCountOptions,
}

/// Most bytes of a header that decides what a table has.
const HEADER: u64 = 10_000;

/// Compares a curve with a table, also a compressed one: published cells, or rows of games as `wdl
/// human --rows` writes them.
///
/// # Errors
///
/// [`CheckHumanError`], with the file and the problem.
pub fn check_human_curve(
    path: &Path,
    curve: CurveChoice,
    count: &HumanCountOptions,
    run: Run<'_>,
) -> Result<HumanCheck, CheckHumanError> {
    let path = path.to_path_buf();
    let mut input = BufReader::new(Source::open_until(&path, run.cancel)?);
    let mut header = Vec::new();
    if let Err(error) = (&mut input).take(HEADER).read_until(b'\n', &mut header) {
        return Err(CheckHumanError::Io { path, error });
    }
    let hashes = InputHashes::start(vec![path.clone()]);
    let has_cells = CheckCells::is_header(&String::from_utf8_lossy(&header));
    let table = Cursor::new(header).chain(input);
    let result = if has_cells {
        match CheckCells::read(table) {
            Ok(cells) => {
                // Published tables are made from the only large open database, that of Lichess.
                let pool = count.pool.unwrap_or(Pool::Lichess);
                Checked::Cells(cells.check(&curve, pool))
            }
            Err(error) => return Err(CheckHumanError::Cells { path, error }),
        }
    } else {
        let games = match HumanRows::read_by(table, count.clusters) {
            Ok(rows) => rows.games(count),
            Err(error) => return Err(CheckHumanError::Rows { path, error }),
        };
        if games.games == 0 {
            return Err(CheckHumanError::NoGame { path });
        }
        Checked::Rows(RowsCheck::new(&games, &curve))
    };
    let options = CheckOptions {
        curve,
        count: count.clone(),
    };
    let provenance = Provenance::of("wdl human", &options).inputs(hashes.finish(run.cancel));
    let mut check = HumanCheck::new(curve, result);
    check.provenance = Some(provenance);
    Ok(check)
}
