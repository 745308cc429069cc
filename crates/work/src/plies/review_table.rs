//! Judged plies of reviewed games as Parquet.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use centipawn_engine::{Identity, Line};
use centipawn_pgn::{Board, Sources};
use centipawn_progress::{AtomicFile, Cancel, Files, Placed, Provenance};
use centipawn_review::{PlyReview, Review, ReviewOptions};
use shakmaty::{Color, san::SanPlus};

use super::{
    export::{GROUP, PlyExportError},
    rows::{FEN, GAMES, GameRow, PLIES, PlyRow, game_number, parts},
    table::{Field, Kind, Table, TableWriter},
};

/// What a review adds to the columns of plies, of which `cp` and `mate` are the best move's and `fen` stands last.
const JUDGED: [Field; 10] = [
    ("played_cp", Kind::Int32, true),
    ("played_mate", Kind::Int16, true),
    ("best", Kind::Text, true),
    ("score_best", Kind::Float, false),
    ("score_played", Kind::Float, false),
    ("score_loss", Kind::Float, false),
    ("difference", Kind::Float, false),
    ("accuracy", Kind::Float, false),
    ("symbol", Kind::Text, true),
    ("phase", Kind::Text, false),
];

/// Writes reviewed games and their judged plies as `games-I.parquet` and `plies-I.parquet`, with the columns of
/// [`export_plies`](crate::export_plies) and more; I is the number of the shard.
pub struct ReviewTable {
    writers: [TableWriter<AtomicFile>; 2],
    files: [PathBuf; 2],
    fields: Vec<Field>,
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
    ) -> Result<Self, PlyExportError> {
        fs::create_dir_all(folder).map_err(|error| PlyExportError::Folder { path: folder.to_owned(), error })?;
        let paths = ["games", "plies"].map(|name| folder.join(format!("{name}-{}.parquet", sources.shard().index())));
        let fields: Vec<Field> = PLIES.into_iter().chain(JUDGED).chain([FEN]).collect();
        let open = |files: &mut Files, index: usize, name: &str, fields: &[Field]| {
            let file = files.create(&paths[index])?;
            let wrong = |error| PlyExportError::Write { path: paths[index].clone(), error };
            TableWriter::new(file, name, fields).map_err(wrong)
        };
        Ok(Self {
            writers: [open(files, 0, "game", &GAMES)?, open(files, 1, "ply", &fields)?],
            games: Table::new(&GAMES),
            plies: Table::new(&fields),
            fields,
            files: paths,
            sources: (0..sources.paths().len()).map(|index| sources.name(index)).collect(),
            provenance,
            limits: options.limits(),
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
        let source = self.sources.iter().position(|source| source == name).unwrap_or_default();
        let number = game_number(source, game.place.byte);
        let row = GameRow { number, source: name, byte: game.place.byte, result: game.result, plies: game.plies.len() };
        row.add(&mut self.games, |tag| game.headers.get(tag).map(str::to_owned));
        for (index, ply) in review.plies.iter().enumerate() {
            self.ply(number, index, game.result, ply);
        }
        if self.analyst.is_none() {
            self.analyst.clone_from(&review.analyst);
        }
        if self.plies.rows >= GROUP { self.write() } else { Ok(()) }
    }

    fn ply(&mut self, game: i64, index: usize, result: shakmaty::Outcome, ply: &PlyReview) {
        let position = ply.before.position();
        let mut after = position.clone();
        shakmaty::Position::play_unchecked(&mut after, ply.mv);
        let line = ply.lines.first();
        let row = PlyRow {
            game,
            index,
            number: ply.number,
            mover: ply.mover,
            san: ply.san.trim_end_matches(['+', '#']).as_bytes(),
            material: [position, &after].map(|position| Board::from(position).material().total()),
            eval: Some(ply.best),
            eval_after: false,
            depth: line.map(|line| line.depth),
            wdl: line
                .and_then(|line| line.wdl)
                .map(|wdl| if ply.mover == Color::White { wdl } else { wdl.for_opponent() }),
            time: ply.time,
            clock: ply.clock,
            result,
        };
        let [cp, mate, best_move, best, played, lost, difference, accuracy, symbol, phase, fen] =
            row.add(&mut self.plies)
        else {
            return;
        };
        fen.text(Some(ply.before.fen().as_bytes()));
        let (own_cp, own_mate) = parts(Some(ply.played));
        cp.int(own_cp);
        mate.int(own_mate);
        let first = line.map(Line::first_move).or(ply.own_line.first().copied());
        let san = first.map(|mv| SanPlus::from_move(position.clone(), mv).san.to_string());
        best_move.text(san.as_deref().map(str::as_bytes));
        best.float(ply.expected_score_best as f32);
        played.float(ply.expected_score_played as f32);
        lost.float(ply.loss.expected_score as f32);
        difference.float(ply.difference as f32);
        accuracy.float(ply.accuracy as f32);
        symbol.text(ply.symbol.map(|symbol| symbol.to_string()).as_deref().map(str::as_bytes));
        phase.text(Some(ply.phase.name().as_bytes()));
    }

    fn write(&mut self) -> Result<(), PlyExportError> {
        let tables = [
            std::mem::replace(&mut self.games, Table::new(&GAMES)),
            std::mem::replace(&mut self.plies, Table::new(&self.fields)),
        ];
        for ((writer, path), table) in self.writers.iter_mut().zip(&self.files).zip(tables) {
            writer.write(table).map_err(|error| PlyExportError::Write { path: path.clone(), error })?;
        }
        Ok(())
    }

    /// Puts the files in their places; after a cancel earlier ones stay, which are returned.
    ///
    /// # Errors
    ///
    /// [`PlyExportError`].
    pub fn finish(mut self, cancel: &Cancel) -> Result<Vec<PathBuf>, PlyExportError> {
        self.write()?;
        let provenance = self.provenance.engine(self.analyst, self.limits);
        let provenance = serde_json::to_string(&provenance).unwrap_or_default();
        let mut kept = Vec::new();
        for (writer, path) in self.writers.into_iter().zip(self.files) {
            let file = writer.finish(provenance.clone()).map_err(|error| PlyExportError::Write { path, error })?;
            if let Placed::Kept(path) = file.finish(cancel)? {
                kept.push(path);
            }
        }
        Ok(kept)
    }
}
