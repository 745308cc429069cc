//! Which spans of a file are decoded, by whom, and how far.

use std::{collections::VecDeque, io, mem};

use super::{Decoder, walk::Walk};

/// The spans being decoded, and the decoders.
pub(super) struct State {
    walk: Walking,
    /// The spans in the order of the file, beginning with the span that the reader reads.
    spans: VecDeque<Decoding>,
    /// Number of the first span in `spans`.
    first: u64,
    /// Decoders that wait for a span.
    idle: Vec<Decoder>,
    decoders: usize,
    max_decoders: usize,
    /// Number of chunks that are decoded or being decoded.
    chunks: usize,
    max_chunks: usize,
    /// Buffers of chunks that were read, for reuse.
    spare: Vec<Vec<u8>>,
}

/// The state of the search for the next frames.
enum Walking {
    Idle(Box<Walk>),
    Running,
    Over,
}

/// A span of the file: whole frames, or the rest.
struct Decoding {
    next: Next,
    /// Decoded text that is not read yet.
    chunks: VecDeque<Vec<u8>>,
}

/// What follows the decoded chunks of a span.
pub(super) enum Next {
    Idle(Decoder),
    Busy,
    /// The span ended; its decoder can be used for another span.
    Ended(io::Result<Option<Decoder>>),
}

/// The next task of a thread.
pub(super) enum Step {
    /// Find the next span and decode its first chunk.
    Begin(Box<Walk>),
    /// Decode the next chunk of the span with this number.
    Decode(u64, Decoder),
}

impl State {
    /// Creates the state before the first frame. At most `max_chunks` chunks are decoded ahead of
    /// the reader, and at most `max_decoders` spans are decoded at the same time.
    pub(super) fn new(walk: Walk, max_chunks: usize, max_decoders: usize) -> Self {
        Self {
            walk: Walking::Idle(Box::new(walk)),
            spans: VecDeque::new(),
            first: 0,
            idle: Vec::new(),
            decoders: 0,
            max_decoders,
            chunks: 0,
            max_chunks,
            spare: Vec::new(),
        }
    }

    /// Returns the next chunk to read, empty at the end; `None` if it is not decoded yet.
    pub(super) fn read(&mut self) -> io::Result<Option<Vec<u8>>> {
        while let Some(span) = self.spans.front_mut() {
            if let Some(chunk) = span.chunks.pop_front() {
                self.chunks -= 1;
                return Ok(Some(chunk));
            }
            let Next::Ended(result) = &mut span.next else {
                return Ok(None);
            };
            if let Err(error) = mem::replace(result, Ok(None)) {
                self.end();
                return Err(error);
            }
            self.spans.pop_front();
            self.first += 1;
        }
        Ok(matches!(self.walk, Walking::Over).then(Vec::new))
    }

    /// Returns the next step of decoding ahead, the earliest first; `None` if enough is decoded, or
    /// other threads already work on it.
    pub(super) fn ahead(&mut self) -> Option<Step> {
        if self.chunks >= self.max_chunks {
            return None;
        }
        let step = (0..self.spans.len()).find_map(|index| self.decode(index));
        step.or_else(|| {
            if self.decoders < self.max_decoders {
                self.walk()
            } else {
                None
            }
        })
    }

    /// Returns the step that the waiting reader needs; `None` if another thread already works on
    /// it.
    pub(super) fn first(&mut self) -> Option<Step> {
        if self.spans.is_empty() {
            self.walk()
        } else {
            self.decode(0)
        }
    }

    /// Decodes the span at this index, unless another thread does.
    pub(super) fn decode(&mut self, index: usize) -> Option<Step> {
        let span = &mut self.spans[index];
        match mem::replace(&mut span.next, Next::Busy) {
            Next::Idle(decoder) => {
                self.chunks += 1;
                Some(Step::Decode(self.first + index as u64, decoder))
            }
            next => {
                span.next = next;
                None
            }
        }
    }

    /// Looks for another span, unless another thread does.
    fn walk(&mut self) -> Option<Step> {
        match mem::replace(&mut self.walk, Walking::Running) {
            Walking::Idle(walk) => {
                self.chunks += 1;
                Some(Step::Begin(walk))
            }
            walk => {
                self.walk = walk;
                None
            }
        }
    }

    /// Adds a span; returns its number and a decoder, if one is idle. `None` if the reader is gone.
    pub(super) fn begin(&mut self, walk: Box<Walk>) -> Option<(u64, Option<Decoder>)> {
        if let Walking::Over = self.walk {
            return None;
        }
        self.walk = Walking::Idle(walk);
        self.spans.push_back(Decoding {
            chunks: VecDeque::new(),
            next: Next::Busy,
        });
        self.decoders += 1;
        Some((self.first + self.spans.len() as u64 - 1, self.idle.pop()))
    }

    /// Notes that there are no more spans.
    pub(super) fn no_more(&mut self) {
        self.walk = Walking::Over;
        self.chunks -= 1;
    }

    /// Returns a buffer for a chunk.
    pub(super) fn buffer(&mut self) -> Vec<u8> {
        self.spare.pop().unwrap_or_default()
    }

    /// Takes back a buffer.
    pub(super) fn recycle(&mut self, buffer: Vec<u8>) {
        if buffer.capacity() > 0 {
            self.spare.push(buffer);
        }
    }

    /// Accepts the chunk of a span.
    pub(super) fn put_back(&mut self, number: u64, chunk: Vec<u8>, mut next: Next) {
        if let Next::Ended(result) = &mut next {
            self.decoders -= 1;
            if let Ok(decoder) = result {
                self.idle.extend(decoder.take());
            }
        }
        // Dropping the reader removes all spans, so this span may no longer exist.
        let span = number
            .checked_sub(self.first)
            .and_then(|index| self.spans.get_mut(index as usize));
        if let Some(span) = span {
            span.next = next;
            if chunk.is_empty() {
                self.chunks -= 1;
                self.recycle(chunk);
            } else {
                span.chunks.push_back(chunk);
            }
        }
    }

    /// Notes that the reader has stopped, so that no further step begins.
    pub(super) fn end(&mut self) {
        self.first += self.spans.len() as u64;
        self.spans.clear();
        self.idle.clear();
        self.spare.clear();
        self.walk = Walking::Over;
    }

    /// Returns the number of decoded chunks, and that of all.
    #[cfg(test)]
    pub(super) fn held(&self) -> (usize, usize) {
        (
            self.spans.iter().map(|span| span.chunks.len()).sum(),
            self.chunks,
        )
    }
}
