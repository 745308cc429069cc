//! Judged plies of reviewed games as Parquet.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use centipawn_engine::Identity;
use centipawn_pgn::Sources;
use centipawn_progress::{AtomicFile, Cancel, Files, Placement, Provenance, make_folder};
use centipawn_review::{Cell, PlyRow, Review, ReviewOptions};

use super::{
    columns::{Column, GAME, GAME_ID, GAMES, JUDGED_PLIES},
    export::{GROUP, PlyExportError},
    games::{GameRow, game_id},
    memory::Table,
    parquet::TableWriter,
};

/// Returns the judged plies of reviewed games as a table of these columns, of which all are
/// [`JUDGED_PLIES`] but the first, which may be [`GAME`](super::columns::GAME), the index of the
/// review.
pub fn judged_plies<'a>(
    reviews: impl IntoIterator<Item = &'a Review>,
    columns: &[&'static Column],
) -> Table {
    let mut plies = Table::new(columns);
    for (game, review) in (0..).zip(reviews) {
        add_game(&mut plies, (game, 0), review);
    }
    plies
}

/// Adds the plies of a review; `numbers` are its index and its number.
fn add_game(plies: &mut Table, (game, game_id): (u32, i64), review: &Review) {
    for (ply, document) in review.plies.iter().zip(review.document().plies) {
        let mut row = plies.row();
        row.int(&GAME, game as i32);
        row.long(&GAME_ID, game_id);
        PlyRow::new(ply, &document, review.game.result).cells(|column, cell| match cell {
            Cell::Int(number) => row.int(column, number),
            Cell::Double(number) => row.double(column, number),
            Cell::Bool(value) => row.bool(column, value),
            Cell::Text(text) => row.text(column, text.as_deref()),
        });
    }
}

/// Writes reviewed games and their judged plies as `games-I.parquet` and `plies-I.parquet`, with
/// the columns [`GAMES`] and [`JUDGED_PLIES`]; I is the number of the shard.
pub struct ReviewTable {
    writers: [TableWriter<AtomicFile>; 2],
    files: [PathBuf; 2],
    columns: Vec<&'static Column>,
    games: Table,
    plies: Table,
    /// Names of the sources, by which games are numbered as in an export.
    sources: Vec<String>,
    provenance: Provenance,
    limits: String,
    analyst: Option<Arc<Identity>>,
}

impl ReviewTable {
    /// Opens the files in `folder`, which is created if necessary.
    ///
    /// # Errors
    ///
    /// [`PlyExportError`].
    pub fn create(
        folder: &Path,
        files: &mut Files,
        sources: &Sources,
        options: &ReviewOptions,
        provenance: Provenance,
        cancel: &Cancel,
    ) -> Result<Self, PlyExportError> {
        make_folder(folder)?;
        let paths = ["games", "plies"]
            .map(|name| folder.join(format!("{name}-{}.parquet", sources.shard().index())));
        let columns: Vec<&'static Column> = [&GAME_ID].into_iter().chain(JUDGED_PLIES).collect();
        let open = |files: &mut Files, index: usize, name: &str, columns: &[&'static Column]| {
            let file = files.create(&paths[index], cancel)?;
            let wrong = |error| PlyExportError::Write {
                path: paths[index].clone(),
                error,
            };
            TableWriter::new(file, name, columns).map_err(wrong)
        };
        Ok(Self {
            writers: [
                open(files, 0, "game", &GAMES)?,
                open(files, 1, "ply", &columns)?,
            ],
            games: Table::new(&GAMES),
            plies: Table::new(&columns),
            columns,
            files: paths,
            sources: (0..sources.paths().len())
                .map(|index| sources.name(index))
                .collect(),
            provenance,
            limits: options.judge.limits(),
            analyst: None,
        })
    }

    /// Adds a game.
    ///
    /// # Errors
    ///
    /// [`PlyExportError::Write`].
    pub fn game(&mut self, review: &Review) -> Result<(), PlyExportError> {
        let game = &review.game;
        let name = game.place.source.as_deref().unwrap_or_default();
        let source = self
            .sources
            .iter()
            .position(|source| source == name)
            .unwrap_or_default();
        let row = GameRow {
            game: 0,
            source: (source, name),
            offset: game.place.byte,
            result: game.result,
            plies: game.plies.len(),
            dialect: "",
        };
        row.add(&mut self.games, |tag| {
            game.headers.get(tag).map(str::to_owned)
        });
        add_game(
            &mut self.plies,
            (0, game_id(source, game.place.byte)),
            review,
        );
        if self.analyst.is_none() {
            self.analyst.clone_from(&review.analyst);
        }
        if self.plies.len() >= GROUP {
            self.write()
        } else {
            Ok(())
        }
    }

    fn write(&mut self) -> Result<(), PlyExportError> {
        let tables = [
            std::mem::replace(&mut self.games, Table::new(&GAMES)),
            std::mem::replace(&mut self.plies, Table::new(&self.columns)),
        ];
        for ((writer, path), table) in self.writers.iter_mut().zip(&self.files).zip(tables) {
            writer.write(table).map_err(|error| PlyExportError::Write {
                path: path.clone(),
                error,
            })?;
        }
        Ok(())
    }

    /// Puts both files in their places, or none; after a cancel earlier ones stay, which are
    /// returned.
    ///
    /// # Errors
    ///
    /// [`PlyExportError`].
    pub fn finish(mut self, cancel: &Cancel) -> Result<Vec<PathBuf>, PlyExportError> {
        self.write()?;
        let provenance = self.provenance.engine(self.analyst, self.limits);
        let provenance = serde_json::to_string(&provenance).unwrap_or_default();
        let mut results = Placement::new(cancel);
        for (writer, path) in self.writers.into_iter().zip(self.files) {
            let finished = writer.finish(provenance.clone());
            results.add(finished.map_err(|error| PlyExportError::Write { path, error })?);
        }
        Ok(results.place()?)
    }
}
