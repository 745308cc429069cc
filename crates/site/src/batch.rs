//! A folder with all results of many reviewed games.

use std::{
    io::{self, Write as _},
    mem,
    path::Path,
};

use centipawn_core::{Curve, Scheme};
use centipawn_progress::{AtomicFile, Cancel, Files, Placement, Provenance, text::for_spreadsheet};
use centipawn_review::{EvalSources, Language, Review, Tally};
use serde::Serialize;

use crate::{
    folder::{Folder, FolderError, check},
    index::Totals,
    player::player,
    shown::ShownGame,
};

/// Writes a batch: pages of games, players and an index, `games.pgn`, and tables of players and
/// openings as CSV and JSON.
///
/// Temporary files hold everything until the results are placed, so a run that fails or is killed
/// does not touch a previous batch.
pub(crate) struct Batch {
    folder: Folder,
    path: std::path::PathBuf,
    language: Language,
    pgn: AtomicFile,
    tally: Tally,
    basis: Basis,
}

/// The source of the evaluations, the curve and scheme of the first game, whether later games have
/// other ones, and the sentence that explains them.
#[derive(Default)]
struct Basis {
    sources: EvalSources,
    first: Option<(Curve, Scheme)>,
    has_own_curves: bool,
    has_own_schemes: bool,
    text: String,
}

impl Basis {
    fn add(&mut self, review: &Review) {
        let (curve, scheme) = *self.first.get_or_insert((review.curve, review.scheme));
        self.has_own_curves |= curve != review.curve;
        self.has_own_schemes |= scheme != review.scheme;
        self.sources = mem::take(&mut self.sources).and(review);
        self.text = review.basis_of_each(&self.sources, self.has_own_curves, self.has_own_schemes);
    }
}

/// The additional files of a batch, which other folders of pages do not have.
const FILES: [&str; 5] = [
    "games.pgn",
    "players.csv",
    "players.json",
    "openings.csv",
    "openings.json",
];

/// Rejects a folder that a batch cannot be written into.
pub(crate) fn check_batch(folder: &Path, files: &Files) -> Result<(), FolderError> {
    check(folder, files, &FILES)
}

impl Batch {
    /// Begins a batch, and creates the folder if it does not exist.
    pub(crate) fn create(
        path: &Path,
        files: &Files,
        language: Language,
        cancel: &Cancel,
    ) -> Result<Self, FolderError> {
        let folder = Folder::create(
            path,
            language,
            Some(language.labels().review),
            files,
            &FILES,
        )?;
        let pgn = AtomicFile::create(&path.join(FILES[0]), cancel)?;
        let (tally, basis) = (Tally::default(), Basis::default());
        Ok(Self {
            folder,
            path: path.to_owned(),
            language,
            pgn,
            tally,
            basis,
        })
    }

    /// Adds a game: a page, a line in the index, and `pgn`, its annotated text.
    pub(crate) fn game(
        &mut self,
        review: &Review,
        pgn: &[u8],
        provenance: &Provenance,
    ) -> Result<(), FolderError> {
        let number = self.folder.games() + 1;
        let game = ShownGame {
            pgn: Some(pgn.to_owned()),
            ..ShownGame::of(number, review, provenance.clone())
        };
        self.folder.add(&game)?;
        self.basis.add(review);
        self.tally.add(review, review.language, number);
        self.unreviewed(pgn)
    }

    /// Adds the PGN of a game that could not be reviewed to `games.pgn`.
    pub(crate) fn unreviewed(&mut self, pgn: &[u8]) -> Result<(), FolderError> {
        self.pgn
            .write_all(pgn)
            .map_err(FolderError::io("write", &self.path.join(FILES[0])))
    }

    /// Adds everything to `results`; surplus pages of a previous batch will go. If the run is
    /// cancelled and there is a previous batch, that stays instead.
    pub(crate) fn finish(
        self,
        provenance: &Provenance,
        results: &mut Placement,
    ) -> Result<(), FolderError> {
        let Self {
            folder,
            path,
            language,
            pgn,
            tally,
            basis,
        } = self;
        let (players, openings) = (tally.players(), tally.openings());
        // Write one page at a time, because there may be many players.
        let pages = players
            .iter()
            .map(|row| player(language, row, &tally, provenance));
        let totals = Totals {
            players: &players,
            openings: &openings,
            basis: &basis.text,
            provenance,
        };
        if folder.finish(Some(&totals), pages, results)? {
            add_csv(&path, "players", &players, results)?;
            add_json(&path, "players", &tally.player_totals(language), results)?;
            add_csv(&path, "openings", &openings, results)?;
            add_json(&path, "openings", &openings, results)?;
            results.add(pgn);
        }
        Ok(())
    }
}

/// Rows as `NAME.csv`.
fn add_csv(
    folder: &Path,
    name: &str,
    rows: &[impl Serialize],
    results: &mut Placement,
) -> Result<(), FolderError> {
    let path = folder.join(format!("{name}.csv"));
    let cannot = || FolderError::io("write", &path);
    let mut plain = csv::Writer::from_writer(Vec::new());
    rows.iter()
        .try_for_each(|row| plain.serialize(row))
        .map_err(io::Error::from)
        .map_err(cannot())?;
    let plain = plain
        .into_inner()
        .map_err(csv::IntoInnerError::into_error)
        .map_err(cannot())?;
    let mut csv = csv::Writer::from_writer(AtomicFile::create(&path, results.cancel())?);
    for row in csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(plain.as_slice())
        .records()
    {
        let row = row.map_err(io::Error::from).map_err(cannot())?;
        csv.write_record(row.iter().map(|text| for_spreadsheet(text).into_owned()))
            .map_err(io::Error::from)
            .map_err(cannot())?;
    }
    results.add(
        csv.into_inner()
            .map_err(csv::IntoInnerError::into_error)
            .map_err(cannot())?,
    );
    Ok(())
}

/// Rows as `NAME.json`.
fn add_json(
    folder: &Path,
    name: &str,
    rows: &[impl Serialize],
    results: &mut Placement,
) -> Result<(), FolderError> {
    let path = folder.join(format!("{name}.json"));
    let mut json = serde_json::to_vec_pretty(rows)
        .map_err(io::Error::from)
        .map_err(FolderError::io("write", &path))?;
    json.push(b'\n');
    Ok(results.add_whole(&path, &json)?)
}
