//! The work of one thread of a scan.

use std::mem;

use super::{
    Merge, ScanOptions,
    open::Head,
    schedule::Schedule,
    shard::Share,
    tally::Tally,
    task::{Range, Stream, Task},
};
use crate::{
    GameError, GameErrorKind, GameView, Letters,
    cut::{Block, Cutter, entry},
    record::Record,
    source::At,
    text::{begins_line, line_ends},
    token::{Tokenizer, begins_game},
    view::Context,
};

/// A thread's buffers, reused for every block.
pub(super) struct Work<'a, M, F> {
    options: &'a ScanOptions<'a>,
    make_state: &'a M,
    on_game: &'a F,
    record: Record,
    block: Block,
}

impl<'a, S, M, F> Work<'a, M, F>
where
    S: Merge,
    M: Fn() -> S,
    F: Fn(&mut S, &GameView<'_>),
{
    pub(super) fn new(options: &'a ScanOptions<'a>, make_state: &'a M, on_game: &'a F) -> Self {
        Self {
            options,
            make_state,
            on_game,
            record: Record::default(),
            block: Block::default(),
        }
    }

    /// Works until no tasks are left.
    pub(super) fn run(mut self, schedule: &Schedule<'_, S>) {
        let alarm = schedule.alarm();
        while let Some(task) = schedule.next() {
            match task {
                Task::Open(source) => schedule.opened(source, schedule.open(source)),
                Task::Range(range) => self.range(&range, schedule),
                Task::Stream(stream) => self.stream(stream, schedule),
                Task::Ahead(ahead) => {
                    ahead.run();
                    schedule.wake();
                }
            }
        }
        drop(alarm);
    }

    /// Visits the games of a range. Where no line certainly begins a game, as in games without
    /// tags, it takes many blocks.
    fn range(&mut self, range: &Range, schedule: &Schedule<'_, S>) {
        let mut tally = Tally {
            bytes: range.to - range.from,
            entered: range.from > 0,
            ..Tally::default()
        };
        let input = At {
            file: &*range.file,
            at: entry(range.from),
        };
        let mut cutter = Cutter::of_range(
            input,
            range.from,
            range.to,
            self.options.limit,
            range.head.preamble,
        );
        let mut block = mem::take(&mut self.block);
        let mut goes_on = true;
        while goes_on {
            match cutter.next(&mut block) {
                Ok(true) => {
                    goes_on = tally.state.is_none()
                        || schedule.deliver_early(range.source, range.turn, &mut tally);
                    if goes_on {
                        self.games(
                            &block,
                            &range.head,
                            range.source,
                            schedule.share,
                            &mut tally,
                        );
                    }
                }
                Ok(false) => break,
                Err(error) => {
                    tally.broken = Some(error);
                    break;
                }
            }
        }
        self.block = block;
        // A piece that was given up has no result, and the schedule merges no piece behind it.
        if goes_on {
            schedule.deliver(range.source, range.turn, tally);
        }
    }

    /// Decodes a block of a stream, hands the stream back, and visits the games.
    fn stream(&mut self, mut stream: Stream, schedule: &Schedule<'_, S>) {
        let mut block = mem::take(&mut self.block);
        let next = stream.cutter.next(&mut block);
        let (source, head) = (stream.source, stream.head.clone());
        let mut tally = Tally {
            bytes: stream.progress(),
            ..Tally::default()
        };
        let more = next.unwrap_or_else(|error| {
            tally.broken = Some(error);
            false
        });
        let turn = schedule.give_back(stream, more);
        if more {
            self.games(&block, &head, source, schedule.share, &mut tally);
        }
        self.block = block;
        schedule.deliver(source, turn, tally);
    }

    /// Visits the games of a block.
    fn games(
        &mut self,
        block: &Block,
        head: &Head,
        source: usize,
        share: Share,
        tally: &mut Tally<S>,
    ) {
        tally.offset = tally.offset.min(block.offset);
        tally.end = block.offset + block.text().len() as u64;
        tally.lines += block.skipped_lines;
        if block.too_large {
            tally.counted += 1;
            if share.has(source, block.anchor) {
                tally.error(self.too_large());
            }
            return;
        }
        let bytes = &block.bytes;
        let mut state = tally.state.take().unwrap_or_else(self.make_state);
        let mut tokens = Tokenizer::starting_at(bytes, block.first);
        tally.lines += u64::from(begins_line(bytes, block.start));
        // Lines are counted up to this offset.
        let mut passed = block.start;
        let mut anchor = block.anchor;
        // Text counts where its game does, so that parts of a stream, which each read all of it,
        // add up to the whole.
        let (mut counted, mut counts) = (block.start, share.has(source, anchor));
        while tokens.next_game() {
            let begin = tokens.offset();
            let offset = block.offset + (begin - block.start) as u64;
            tally.counted += 1;
            if share.is_striped() && offset > head.preamble && begins_game(bytes, begin) {
                anchor = offset;
            }
            let ours = share.has(source, anchor);
            if ours != counts {
                tally.text += if counts { (begin - counted) as u64 } else { 0 };
                (counted, counts) = (begin, ours);
            }
            let read = if ours && self.options.thorough {
                self.record.read_all(bytes, &mut tokens)
            } else if ours {
                self.record.read(bytes, &mut tokens)
            } else {
                while tokens.next().is_some() {}
                Ok(())
            };
            let read = if tokens.offset() - begin > self.options.limit {
                tokens = Tokenizer::starting_at(bytes, block.resume(begin));
                Err(self.too_large())
            } else {
                read
            };
            match read {
                _ if !ours => {}
                Ok(()) => {
                    let context = Context {
                        source,
                        offset,
                        dialect: head.dialect,
                    };
                    let game = GameView::new(bytes, &self.record, context);
                    tally.games += 1;
                    tally.plies += game.len() as u64;
                    (self.on_game)(&mut state, &game);
                    if self.record.letters != Letters::English {
                        *tally.letters.entry(self.record.letters).or_default() += 1;
                    }
                    if !self.record.warnings.is_empty() {
                        tally.lines += line_ends(bytes, passed..begin);
                        passed = begin;
                        tally.warnings(mem::take(&mut self.record.warnings));
                    }
                }
                Err(error) => {
                    tally.lines += line_ends(bytes, passed..begin);
                    passed = begin;
                    tally.error(error);
                }
            }
        }
        tally.lines += line_ends(bytes, passed..bytes.len());
        tally.text += if counts {
            (bytes.len() - counted) as u64
        } else {
            0
        };
        tally.state = Some(state);
    }

    fn too_large(&self) -> GameError {
        let kind = GameErrorKind::TooLarge {
            limit: self.options.limit,
        };
        GameError {
            game: 1,
            line: 1,
            number: None,
            text: String::new(),
            kind,
        }
    }
}
