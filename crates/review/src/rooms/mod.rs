//! What the page's rooms ask and are answered, and what their lists show, with and without a
//! server.

mod answers;
mod choices;
mod curves;
mod deletion;
mod documents;
mod game_lines;
mod kept_game;
mod lessons;
mod library_file;
mod mistakes;
mod moves;
mod own_notes;
mod puzzles;
mod review_line;
mod solving;

pub use answers::line_game;
pub use choices::{Choices, choice_text, typed_seconds};
pub use curves::{CurveDocument, PeopleDocument};
pub use deletion::{DeleteRequest, DeleteWish, DeletedDocument};
pub use documents::*;
pub use game_lines::{GameFilter, GameLine, GameLines, GameSort, SelectedGames};
pub use kept_game::{game_title, player_names, read_kept_game, read_positions};
pub use lessons::*;
pub use library_file::*;
pub use mistakes::{MistakePuzzle, Mistakes, is_mistake, mistakes, mistakes_of};
pub use moves::{GameSummary, LineMove, MovesDocument, NoteDocument, NoteMove, without_commands};
pub use own_notes::{OwnNote, OwnNotes};
pub use puzzles::*;
pub use review_line::{ReviewLine, SideLine};
pub use solving::{also_correct, solution_line};
