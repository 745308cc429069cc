//! Endgame tables as an analyst.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use centipawn_core::{Eval, History, Mover, Wdl};
use shakmaty::{Chess, Move, Position as _};
use shakmaty_syzygy as syzygy;

use crate::{
    Analysis, Analyst, AnalystError, Identity, Line, Question,
    identity::{MEN, TABLES},
};

/// The evaluation of a won position in centipawns, as in Stockfish; the distance in plies is
/// subtracted from it.
const WON: i32 = 20_000;

/// Syzygy tables in a folder, as an analyst. Its answers are exact in positions with few men on the
/// board, whatever the limit of the question; for other positions it returns
/// [`AnalystError::Unknown`]. Put it before engines with [`Fallback`](crate::Fallback).
///
/// The fifty-move rule counts: a win that takes too long is a draw. Winning moves are ordered by
/// mate first, then by the distance to the next capture or pawn move, the shortest first; losing
/// moves the longest first. Lines are one move long.
///
/// ```no_run
/// use centipawn_core::History;
/// use centipawn_engine::{Analyst, Limit, Question, Tablebase};
///
/// let tables = Tablebase::open("/usr/share/syzygy")?;
/// let history = History::from_fen("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", None).unwrap();
/// let analysis = tables.analyse(&Question::new(history, Limit::Depth(1)))?;
/// assert_eq!(analysis.lines[0].wdl.unwrap().loss, 1.0);    // the king stands before his pawn
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub struct Tablebase {
    tables: syzygy::Tablebase<Chess>,
    identity: Arc<Identity>,
}

/// What tables say about a position, from the side to move. The moves since the last capture or
/// pawn move count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableVerdict {
    /// The side to move loses.
    Loss,
    /// The side to move would lose, but reaches a draw by the fifty-move rule.
    BlessedLoss,
    /// A draw.
    Draw,
    /// The side to move would win, but the fifty-move rule makes it a draw.
    CursedWin,
    /// The side to move wins.
    Win,
}

impl TableVerdict {
    /// Returns the name in documents: `loss`, `blessed-loss`, `draw`, `cursed-win` or `win`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::BlessedLoss => "blessed-loss",
            Self::Draw => "draw",
            Self::CursedWin => "cursed-win",
            Self::Win => "win",
        }
    }
}

/// The reason why tables cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TablebaseError {
    /// The folder cannot be read.
    #[error("cannot read the tables in {}: {source}", folder.display())]
    Folder {
        /// Path of the folder.
        folder: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The folder holds no tables.
    #[error("no Syzygy tables (.rtbw and .rtbz files) in {}", .0.display())]
    Empty(PathBuf),
}

impl fmt::Debug for Tablebase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tablebase")
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

impl Tablebase {
    /// Finds the tables of a folder. A table is read when it is first needed.
    ///
    /// # Errors
    ///
    /// [`TablebaseError`] when the folder cannot be read or has no tables.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, TablebaseError> {
        let folder = folder.as_ref();
        let mut tables = syzygy::Tablebase::new();
        let count = tables
            .add_directory(folder)
            .map_err(|source| TablebaseError::Folder {
                folder: folder.to_owned(),
                source,
            })?;
        if count == 0 {
            return Err(TablebaseError::Empty(folder.to_owned()));
        }
        let options = BTreeMap::from([(MEN.to_owned(), tables.max_pieces().to_string())]);
        let identity = Identity {
            name: TABLES.to_owned(),
            author: String::new(),
            options,
        };
        Ok(Self {
            tables,
            identity: Arc::new(identity),
        })
    }

    /// Returns the maximum number of men on the board in these tables.
    pub fn men(&self) -> usize {
        self.tables.max_pieces()
    }

    /// Returns the verdict on a position, and the number of half-moves until the next capture, pawn
    /// move or mate, to within one; `None` if the game is over, the tables lack the position, or
    /// their distance is too coarse to tell whether the fifty-move rule ends the game first.
    pub fn verdict(&self, history: &History) -> Option<(TableVerdict, u32)> {
        let position = history.position();
        if position.is_game_over() || position.castles().any() {
            return None;
        }
        let wdl = self.tables.probe_wdl(position).ok()?.unambiguous()?;
        let distance = self.tables.probe_dtz(position).ok()?.ignore_rounding().0;
        let verdict = match wdl {
            syzygy::Wdl::Loss => TableVerdict::Loss,
            syzygy::Wdl::BlessedLoss => TableVerdict::BlessedLoss,
            syzygy::Wdl::Draw => TableVerdict::Draw,
            syzygy::Wdl::CursedWin => TableVerdict::CursedWin,
            syzygy::Wdl::Win => TableVerdict::Win,
        };
        Some((verdict, distance.unsigned_abs()))
    }

    /// Returns a move's line and its rank; the best move has the lowest rank.
    fn judge(&self, before: &History, mv: Move) -> Result<(i32, Line), syzygy::SyzygyError> {
        let mut after = before.position().clone();
        after.play_unchecked(mv);
        let (rank, eval, wdl) = if after.is_checkmate() {
            (i32::MIN, Eval::mate(1), [1000, 0, 0])
        } else if after.is_stalemate() || after.is_insufficient_material() {
            (0, Eval::cp(0), [0, 1000, 0])
        } else {
            let distance = self.tables.probe_dtz(&after)?.ignore_rounding().0;
            let wdl = self.tables.probe_wdl(&after)?.after_zeroing();
            // Plies to the next capture or pawn move; such a move counts as 1.
            let plies = if after.halfmoves() == 0 {
                1
            } else {
                1 + distance.abs()
            };
            match wdl {
                syzygy::Wdl::Loss => (-WON + plies, Eval::<Mover>::cp(WON - plies), [1000, 0, 0]),
                syzygy::Wdl::Win => (WON - plies, Eval::cp(-WON + plies), [0, 0, 1000]),
                _ => (0, Eval::cp(0), [0, 1000, 0]),
            }
        };
        let wdl = Wdl::from_per_mille(wdl[0], wdl[1], wdl[2]);
        Ok((
            rank,
            Line {
                pv: vec![mv],
                eval,
                last_exact: None,
                wdl,
                depth: 0,
                seldepth: None,
            },
        ))
    }
}

impl Analyst for Tablebase {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let candidates = question.candidates()?;
        if candidates.is_empty() {
            return Ok(Analysis::terminal());
        }
        let unknown = |reason: String| AnalystError::Unknown {
            analyst: self.identity.name.clone(),
            reason,
            fen: question.history.fen(),
        };
        let position = question.history.position();
        let men = position.board().occupied().count();
        if men > self.tables.max_pieces() || position.castles().any() {
            return Err(unknown(format!(
                "it has tables for {} men, without castling",
                self.tables.max_pieces()
            )));
        }
        let judge = |mv: &Move| {
            self.judge(&question.history, *mv)
                .map_err(|error| unknown(error.to_string()))
        };
        let mut lines = candidates
            .iter()
            .map(judge)
            .collect::<Result<Vec<_>, _>>()?;
        lines.sort_by_key(|(rank, _)| *rank);
        let lines = lines
            .into_iter()
            .map(|(_, line)| line)
            .take(question.lines.max(1))
            .collect();
        Ok(Analysis {
            lines,
            nodes: 0,
            depth: 0,
            time: Duration::ZERO,
        })
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::clone(&self.identity)
    }

    fn parallelism(&self) -> usize {
        1
    }
}

#[cfg(test)]
mod tests {
    use centipawn_test_support::data;

    use crate::{Limit, behind_tables};

    use super::*;

    /// Returns the tables of a king with a pawn or queen against a king, and if available all
    /// tables of positions with at most four men on the board.
    fn tables() -> Vec<Tablebase> {
        let folders = [Some(data::test_data("syzygy")), data::shared("data/syzygy")];
        folders
            .into_iter()
            .flatten()
            .map(|folder| Tablebase::open(folder).unwrap())
            .collect()
    }

    fn question(fen: &str) -> Question {
        Question::new(History::from_fen(fen, None).unwrap(), Limit::Depth(1)).lines(30)
    }

    fn evaluated(tables: &Tablebase, fen: &str) -> Vec<(String, Eval<Mover>)> {
        let question = question(fen);
        let lines = tables.analyse(&question).unwrap().lines;
        lines
            .iter()
            .map(|line| {
                (
                    question.history.uci(line.first_move()).to_string(),
                    line.eval,
                )
            })
            .collect()
    }

    #[test]
    fn one_move_keeps_the_win() {
        for tables in tables() {
            // Only taking the opposition wins; every other move draws.
            let moves = evaluated(&tables, "4k3/8/3K4/4P3/8/8/8/8 w - - 0 1");
            assert_eq!(moves[0].0, "d6e6");
            assert!(moves[0].1 > Eval::cp(10_000));
            assert!(
                moves[1..].iter().all(|(_, eval)| *eval == Eval::cp(0)),
                "{moves:?}"
            );
        }
    }

    /// The example in the documentation of [`Tablebase`].
    #[test]
    fn a_king_in_front_of_its_pawn_wins() {
        for tables in tables() {
            let analysis = tables
                .analyse(&question("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1"))
                .unwrap();
            assert_eq!(analysis.lines[0].wdl.unwrap().loss, 1.0);
        }
    }

    #[test]
    fn the_analyst_behind_tables_is_known() {
        for tables in tables() {
            let men = tables.men();
            assert_eq!(behind_tables(&tables.identity()), (TABLES, 0));
            let other = Tablebase::open(data::test_data("syzygy")).unwrap();
            let both = crate::Fallback::new(tables, other);
            assert_eq!(behind_tables(&both.identity()), (TABLES, men));
        }
    }

    #[test]
    fn mates_come_first_and_stalemates_draw() {
        for tables in tables() {
            let moves = evaluated(&tables, "7k/8/6K1/8/8/8/8/1Q6 w - - 0 1");
            assert_eq!(moves[0], ("b1b8".to_owned(), Eval::mate(1)));
            let mut moves = evaluated(&tables, "7k/8/5K2/6Q1/8/8/8/8 w - - 0 1").into_iter();
            let stalemate = moves.find(|(uci, _)| uci == "g5g6");
            assert_eq!(stalemate.unwrap().1, Eval::cp(0));
        }
    }

    #[test]
    fn a_verdict_counts_the_fifty_move_rule() {
        let all = tables();
        let of = |tables: &Tablebase, fen: &str| {
            let history = History::from_fen(fen, None).unwrap();
            tables.verdict(&history).map(|(verdict, _)| verdict)
        };
        for tables in &all {
            let verdict = |fen: &str| of(tables, fen);
            assert_eq!(
                verdict("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1"),
                Some(TableVerdict::Loss)
            );
            assert_eq!(
                verdict("4k3/8/3K4/4P3/8/8/8/8 w - - 0 1"),
                Some(TableVerdict::Win)
            );
            // The queen mates in nine moves, and has one before the rule.
            let late = "4k3/8/8/8/8/8/8/Q3K3";
            assert_eq!(
                verdict(&format!("{late} w - - 0 1")),
                Some(TableVerdict::Win)
            );
            assert_eq!(
                verdict(&format!("{late} w - - 98 90")),
                Some(TableVerdict::CursedWin)
            );
            assert_eq!(
                verdict(&format!("{late} b - - 97 90")),
                Some(TableVerdict::BlessedLoss)
            );
            // The game is over, or the position is in no table.
            assert_eq!(verdict("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"), None);
            assert_eq!(verdict("4k3/8/8/8/8/8/8/4K2R w K - 0 1"), None);
        }
    }

    #[test]
    fn what_the_tables_do_not_have_is_unknown() {
        for tables in tables() {
            for fen in [
                "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
                "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
            ] {
                assert!(
                    matches!(
                        tables.analyse(&question(fen)),
                        Err(AnalystError::Unknown { .. })
                    ),
                    "{fen}"
                );
            }
            let mate = tables
                .analyse(&question("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"))
                .unwrap();
            assert!(mate.lines.is_empty());
        }
    }

    #[test]
    fn folders_without_tables_are_errors() {
        let empty = tempfile::tempdir().unwrap();
        let error = Tablebase::open(empty.path()).unwrap_err().to_string();
        assert!(
            error.starts_with("no Syzygy tables (.rtbw and .rtbz files) in "),
            "{error}"
        );
        let error = Tablebase::open(empty.path().join("none"))
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("cannot read the tables in "), "{error}");
    }
}
