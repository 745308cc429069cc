//! Reading an input on another thread, so that waiting for it ends when work is cancelled.

use std::{
    io::{self, Cursor, Read},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

use crate::{Cancel, Cancelled};

/// Number of blocks that are read ahead.
const AHEAD: usize = 8;
/// Number of bytes read at once of a stream: as many as Linux buffers of a pipe.
const BLOCK: usize = 64 << 10;
/// How often a reader that waits for a block checks for cancellation.
const LOOK_UP: Duration = Duration::from_millis(50);

/// Reads the blocks that `next` returns on another thread, up to the first error or `None`. Once
/// `cancel` is set, reading ends with an error; the thread ends with its next block.
pub fn read_blocks_ahead(
    cancel: Cancel,
    mut next: impl FnMut() -> io::Result<Option<Vec<u8>>> + Send + 'static,
) -> impl Read + Send + 'static {
    let (sender, blocks) = mpsc::sync_channel(AHEAD);
    thread::spawn(move || {
        loop {
            let block = next().transpose();
            let is_last = !matches!(block, Some(Ok(_)));
            // An empty block marks the end. Without a receiver, the reader was dropped.
            if sender.send(block.unwrap_or(Ok(Vec::new()))).is_err() || is_last {
                break;
            }
        }
    });
    Blocks {
        blocks,
        block: Cursor::default(),
        has_ended: false,
        cancel,
    }
}

/// Opens and reads an input on another thread, because both may block: a pipe until something is
/// written, a device at any time. Once `cancel` is set, reading ends with an error.
pub fn read_stream<R: Read + Send + 'static>(
    cancel: &Cancel,
    open: impl FnOnce() -> io::Result<R> + Send + 'static,
) -> impl Read + Send + 'static {
    let (mut open, mut input) = (Some(open), None);
    read_blocks_ahead(cancel.child(), move || {
        if let Some(open) = open.take() {
            input = Some(open()?);
        }
        let Some(input) = &mut input else {
            return Ok(None);
        };
        let mut block = vec![0; BLOCK];
        loop {
            match input.read(&mut block) {
                Ok(read) => {
                    block.truncate(read);
                    return Ok((read > 0).then_some(block));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    })
}

/// The blocks that another thread reads.
struct Blocks {
    blocks: Receiver<io::Result<Vec<u8>>>,
    block: Cursor<Vec<u8>>,
    /// Whether the last block or an error came.
    has_ended: bool,
    /// Set by the caller, or at the end of this reader, for the other thread.
    cancel: Cancel,
}

impl Read for Blocks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.block.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            if self.has_ended {
                return Ok(0);
            }
            if self.cancel.is_set() {
                return Err(io::Error::other(Cancelled));
            }
            match self.blocks.recv_timeout(LOOK_UP) {
                Ok(block) => {
                    self.has_ended = block.as_ref().map_or(true, Vec::is_empty);
                    self.block = Cursor::new(block?);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other(
                        "the thread that reads ended by itself; this is a bug",
                    ));
                }
            }
        }
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        self.cancel.set();
    }
}
