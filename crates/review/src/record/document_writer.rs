//! A document of reviews, written game by game, so that memory does not grow with the number of
//! games.

use std::io::{self, Write};

use centipawn_core::SchemeChoice;
use centipawn_engine::Limit;
use centipawn_judge::JudgeOptions;
use centipawn_progress::Provenance;
use serde::Serialize;

use crate::Review;

/// Writes a [`ReviewDocument`](crate::ReviewDocument).
///
/// ```
/// # use centipawn_engine::Limit;
/// use centipawn_judge::JudgeOptions;
/// use centipawn_progress::Provenance;
/// use centipawn_review::{DocumentWriter, ReviewDocument};
///
/// let options = JudgeOptions::new(Limit::Nodes(100_000));
/// let writer = DocumentWriter::new(Vec::new(), &options)?;
/// let text = writer.finish(&Provenance::new(&options))?;
/// let document: ReviewDocument = serde_json::from_slice(&text)?;
/// assert_eq!((document.lines, document.games.len()), (2, 0));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DocumentWriter<W> {
    out: W,
    /// The beginning of the document; empty once it is written. It is written with the first game,
    /// so that a run without results leaves no incomplete document on standard output.
    head: String,
    games: u64,
}

/// The first fields of a [`ReviewDocument`](crate::ReviewDocument).
#[derive(Serialize)]
struct Head {
    centipawn: &'static str,
    limit: Limit,
    lines: usize,
    scheme: SchemeChoice,
}

impl<W: Write> DocumentWriter<W> {
    /// Begins a document. Nothing is written before the first game or the end.
    ///
    /// # Errors
    ///
    /// The options cannot be written as JSON.
    pub fn new(out: W, options: &JudgeOptions) -> io::Result<Self> {
        let JudgeOptions {
            limit,
            lines,
            scheme,
            ..
        } = options;
        let head = Head {
            centipawn: env!("CARGO_PKG_VERSION"),
            limit: *limit,
            lines: *lines,
            scheme: *scheme,
        };
        let head = serde_json::to_string(&head)?;
        // The beginning of the document without its closing brace, because the games follow.
        let head = format!("{},\"games\":[", &head[..head.len() - 1]);
        Ok(Self {
            out,
            head,
            games: 0,
        })
    }

    fn begin(&mut self) -> io::Result<()> {
        self.out
            .write_all(std::mem::take(&mut self.head).as_bytes())
    }

    /// Adds a game.
    ///
    /// # Errors
    ///
    /// Errors of the writer.
    pub fn game(&mut self, review: &Review) -> io::Result<()> {
        self.begin()?;
        self.out
            .write_all(if self.games > 0 { b",\n" } else { b"\n" })?;
        self.games += 1;
        Ok(serde_json::to_writer(&mut self.out, &review.document())?)
    }

    /// Ends the document and returns the writer. The provenance comes last, since only now it is
    /// known whether an engine was needed beside the games' own evaluations.
    ///
    /// # Errors
    ///
    /// Errors of the writer.
    pub fn finish(mut self, provenance: &Provenance) -> io::Result<W> {
        self.begin()?;
        write!(self.out, "\n],\"provenance\":")?;
        serde_json::to_writer(&mut self.out, provenance)?;
        writeln!(self.out, "}}")?;
        Ok(self.out)
    }
}
