//! [`Outputs`] writes the files of a review: annotated games, JSON, a [`Report`] (a page of one
//! file), a folder with a page for each game. [`write_site`] writes such a folder from reviews that
//! exist. The pages open from disk, and any file server serves them.
//!
//! ```
//! use std::{fs, sync::Arc};
//!
//! use centipawn_engine::Limit;
//! use centipawn_progress::{Cancel, Files, ProblemCount, Silent};
//! use centipawn_review::ReviewOptions;
//! use centipawn_site::{SiteGames, SiteOptions, write_site};
//!
//! # let place = tempfile::tempdir()?;
//! # let (games, folder) = (place.path().join("games.pgn"), place.path().join("site"));
//! fs::write(&games, "1. e4 { [%eval 0.3] } e5 { [%eval 0.3] } *\n")?;
//! // The game contains its evaluations, so no engine is asked and the limit is never used.
//! let review = ReviewOptions::new(Limit::Nodes(1));
//! let title = Some("Club evening".to_owned());
//! let options = SiteOptions { folder: folder.clone(), title, tab: None, review };
//! let problems = Arc::new(ProblemCount::new(Silent));
//! let end = write_site(&options, SiteGames::Files(vec![games]), &mut Files::default(), &Cancel::new(), &problems)?;
//! assert_eq!(end.outcome.done, 1);
//! assert!(fs::read_to_string(folder.join("index.html"))?.contains("<h1>Club evening</h1>"));
//! # Ok::<_, Box<dyn std::error::Error>>(())
//! ```
//!
//! [`MovesDocument`] is what a viewer shows of a game before anything is evaluated: tags, moves,
//! and what annotators say. A site's page contains one; a server sends one.
//!
//! [`Study`] makes chapters for Lichess, [`AnkiDeck`] notes for Anki, [`Markdown`] text with
//! diagrams, [`Worksheet`] puzzles on paper, and [`BoardPicture`] a picture of a position.
//!
//! This crate guarantees:
//!
//! - A folder is replaced as a whole or not at all, and other files are never touched.
//! - A report loads nothing; a page of a folder loads only files of the same folder. Both can be
//!   read without scripts, and on paper.

mod anki;
mod batch;
mod board;
mod folder;
mod html;
mod index;
mod markdown;
mod moments;
mod outputs;
mod page;
mod picture;
mod pieces;
mod player;
mod reading;
mod report;
mod shown;
mod study;
mod table;
mod trend;
mod worksheet;
mod write;

pub use anki::AnkiDeck;
pub use centipawn_review::rooms::{GameSummary, LineMove, MovesDocument, NoteDocument, NoteMove};
pub use folder::FolderError;
pub use html::is_own_page;
pub use markdown::Markdown;
pub use moments::MomentsTable;
pub use outputs::{OutputError, OutputPaths, Outputs};
pub use picture::{BoardPicture, Brush, InvalidShape, PictureForm, Shape, UnknownPictureForm};
pub use report::Report;
pub use study::{AddedMistakes, MistakeChoice, Study, StudyPart};
pub use worksheet::Worksheet;
pub use write::{SiteEnd, SiteError, SiteGames, SiteOptions, write_site};
