//! The page without a server: the rooms of `centipawn serve` in a browser's tab.
//!
//! A [`Tab`] answers the requests of the page, as the server's interface does, with the same
//! documents. Nothing in it waits: it has no threads, no files, no clock and no engine. The worker
//! around it (`crates/web/ui/src/tab`) runs engines, keeps records in the browser's database, and
//! gives the time.
//!
//! Work that needs an engine follows one pattern. The tab runs the work with the answers that it
//! has, notes the searches that are missing ([`Tab::wanted`]), receives their output
//! ([`Tab::answer`]), and runs the work again from the beginning. So reviews in a tab are those of
//! [`centipawn_judge::FindJob`], and with the same answers the document is that of the command
//! line, byte for byte.
//!
//! ```
//! use centipawn_tab::{Call, Tab};
//!
//! let mut tab = Tab::new(1);
//! let call = Call { method: "POST", path: "games?name=a.pgn", body: b"1. e4 e5 *", now: 0 };
//! let reply = tab.handle(&call);
//! assert_eq!(reply.status, 200);
//! assert!(String::from_utf8(reply.body).unwrap().contains("\"total\":1"));
//! // What the browser's database must keep: pairs of a key and a document.
//! assert_eq!(tab.changes()[0].0, "game/1");
//! ```

mod answers;
mod export;
#[cfg(target_family = "wasm")]
mod exports;
mod job;
mod reply;
mod rooms;
mod router;
mod shelf;
mod tab;

pub use reply::{Call, Reply};
pub use tab::Tab;
