//! Opening sources and inspecting their first bytes.

use std::{
    fs::File,
    io::{Cursor, Read},
    path::Path,
    sync::{Arc, atomic::AtomicU64},
};

use super::ScanOptions;
use crate::{
    Dialect, SourceError,
    cut::{Block, Cutter, entry},
    dialect::Detector,
    frames::Frames,
    reader::not_text,
    source::{At, Failing, Opened, open},
    sources::name,
    text::{begins_line, line_ends},
    token::{Token, Tokenizer, preamble},
};

/// Number of bytes of a file inspected before anything else.
const HEAD: u64 = 64 << 10;

/// The properties of a file that its first bytes determine.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    /// Offset at which the comments before the first tag end.
    pub(super) preamble: u64,
    pub(super) dialect: Dialect,
}

/// An opened source.
pub(super) struct OpenSource {
    pub(super) kind: Kind,
    pub(super) not_text: Option<&'static str>,
    pub(super) head: Head,
}

/// The way in which a source is read.
pub(super) enum Kind {
    Plain(Arc<File>, u64),
    /// A stream, with the number of bytes read of its file, and its frames if other threads can
    /// decode them ahead.
    Stream(Box<dyn Read + Send>, Arc<AtomicU64>, Option<Arc<Frames>>),
}

/// Determines the head of a file from its first bytes.
fn look(bytes: &[u8], forced: Dialect) -> Head {
    let mut dialect = forced;
    if forced == Dialect::Auto {
        let mut tokens = Tokenizer::new(bytes);
        let mut detector = Detector::default();
        while tokens.next_game() {
            for token in tokens.by_ref() {
                if let Token::Comment(comment) = token {
                    detector.see(comment);
                }
            }
        }
        dialect = detector.dialect();
    }
    Head {
        preamble: preamble(bytes),
        dialect,
    }
}

/// Counts games and lines between the beginnings of two games.
pub(super) fn count(file: &File, from: u64, to: u64, preamble: u64) -> (u64, u64) {
    // A piece may end where no line certainly begins a game, so the text must end there too.
    let at = entry(from);
    let mut cutter = Cutter::of_range(
        At { file, at }.take(to - at),
        from,
        to,
        usize::MAX,
        preamble,
    );
    let mut block = Block::default();
    let (mut games, mut lines) = (0, 0);
    while let Ok(true) = cutter.next(&mut block) {
        let mut tokens = Tokenizer::starting_at(&block.bytes, block.first);
        while tokens.next_game() {
            games += 1;
        }
        lines += u64::from(begins_line(&block.bytes, block.start))
            + line_ends(&block.bytes, block.start..block.bytes.len());
    }
    (games, lines)
}

/// Opens a source, the one with this index, and inspects its head. Up to `threads` threads decode
/// it if it has many frames.
pub(super) fn open_source(
    path: &Path,
    source: usize,
    threads: usize,
    options: &ScanOptions<'_>,
) -> Result<OpenSource, SourceError> {
    let ScanOptions {
        dialect: forced,
        cancel,
        ..
    } = *options;
    let error = |error| SourceError {
        name: name(path),
        error,
    };
    let read = Arc::default();
    let mut bytes = Vec::new();
    let kind = match open(path, &read, threads, cancel).map_err(error)? {
        Opened::Plain(file, length) => {
            At {
                file: &*file,
                at: 0,
            }
            .take(HEAD)
            .read_to_end(&mut bytes)
            .map_err(error)?;
            Kind::Plain(file, length)
        }
        Opened::Stream(mut input, frames) => {
            if let Some(streams) = options
                .streams
                .filter(|_| path == Path::new("-") || !path.is_file())
            {
                input = Box::new(streams.hashed(source, input));
            }
            // Keep a read error, so that it is reported after the games before it.
            let failed = input.by_ref().take(HEAD).read_to_end(&mut bytes).err();
            Kind::Stream(
                Box::new(
                    Cursor::new(bytes.clone())
                        .chain(Failing(failed))
                        .chain(input),
                ),
                read,
                frames,
            )
        }
    };
    Ok(OpenSource {
        kind,
        not_text: not_text(&bytes),
        head: look(&bytes, forced),
    })
}
