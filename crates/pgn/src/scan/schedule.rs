//! Distributing work among threads, and merging their results in input order.

use std::{
    borrow::Cow,
    collections::{BTreeMap, VecDeque},
    fs::{self, File, Metadata},
    mem,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use centipawn_progress::{Cancel, Progress, Unit};

use super::{
    FirstUnreadable, Merge, ScanOptions, ScanReport, Unreadable,
    open::{Head, Kind, OpenSource, count, open_source},
    shard::Share,
    tally::{Tally, Trouble},
    task::{Range, Stream, Task},
};
use crate::{GameError, GameErrorKind, SourceError, Sources, cut::Cutter, frames::Frames};

/// The next output of a source.
enum Feed {
    /// A thread is opening or reading the source.
    Busy,
    Plain {
        file: Arc<File>,
        next: u64,
        end: u64,
        head: Head,
    },
    Stream(Stream),
    Ended,
}

/// A source whose reading has begun and whose result is not merged yet.
struct Begun<S> {
    source: usize,
    feed: Feed,
    /// Numbers of the next piece to hand out and of the next one to merge.
    turn: u64,
    merged: u64,
    /// Finished pieces that wait for earlier pieces, because pieces are merged in order.
    waiting: BTreeMap<u64, Tally<S>>,
    /// The merged pieces. Games and lines are counted up to the end of the last merged piece.
    sum: Tally<S>,
    /// The file, if it is plain and read in stripes, for counting what lies between them.
    file: Option<(Arc<File>, u64)>,
    /// The frames of the source, if other threads can decode them ahead.
    frames: Option<Arc<Frames>>,
}

struct State<S> {
    begun: VecDeque<Begun<S>>,
    next_source: usize,
    total: Option<S>,
    report: ScanReport,
    progress: Progress,
    reported: Instant,
    failure: Option<Unreadable>,
    stop: bool,
}

/// The plan of a scan, shared by its threads.
pub(super) struct Schedule<'a, S> {
    sources: &'a Sources,
    options: &'a ScanOptions<'a>,
    /// Receives unreadable games and sources on behalf of the reporter.
    first: Option<&'a FirstUnreadable<'a>>,
    pub(super) share: Share,
    /// Maximum number of sources in progress, and of pieces of a source handed out before the first
    /// of them is finished.
    ahead: usize,
    /// Number of threads that decode a file of many frames.
    decoders: usize,
    started: Instant,
    state: Mutex<State<S>>,
    changed: Condvar,
}

/// Stops the scan if a thread panics, so that the others do not wait for it forever.
pub(super) struct Alarm<'s, 'a, S: Merge>(&'s Schedule<'a, S>);

impl<S: Merge> Drop for Alarm<'_, '_, S> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().stop = true;
            self.0.changed.notify_all();
        }
    }
}

impl<'a, S: Merge> Schedule<'a, S> {
    pub(super) fn new(
        sources: &'a Sources,
        options: &'a ScanOptions<'a>,
        first: Option<&'a FirstUnreadable<'a>>,
        threads: usize,
    ) -> Self {
        let sizes = sources
            .paths()
            .iter()
            .map(|path| fs::metadata(path).ok().filter(Metadata::is_file));
        let now = Instant::now();
        let total = sizes.map(|about| about.map(|about| about.len())).sum();
        let progress = Progress {
            total,
            unit: Unit::Bytes,
            ..Progress::default()
        };
        let state = State {
            begun: VecDeque::new(),
            next_source: 0,
            total: None,
            report: ScanReport::default(),
            progress,
            reported: now,
            failure: None,
            stop: false,
        };
        let share = options.shard.of_sources(sources.paths().len());
        // If there are as many files as threads, each thread decodes its own file, and further
        // threads for one file would only compete.
        let few = (0..sources.paths().len())
            .filter(|source| share.has_source(*source))
            .count()
            < threads;
        Self {
            sources,
            options,
            first,
            share,
            ahead: 2 * threads + 2,
            decoders: if few { threads } else { 1 },
            started: now,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    pub(super) fn alarm(&self) -> Alarm<'_, 'a, S> {
        Alarm(self)
    }

    fn lock(&self) -> MutexGuard<'_, State<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next task; `None` if there is nothing left to do.
    pub(super) fn next(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            self.look_up(&mut state);
            if state.stop {
                return None;
            }
            if let Some(task) = self.pick(&mut state) {
                return Some(task);
            }
            if state.begun.is_empty() && state.next_source == self.sources.paths().len() {
                self.changed.notify_all();
                return None;
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Stops if the scan is cancelled.
    fn look_up(&self, state: &mut State<S>) {
        if self.options.cancel.is_some_and(Cancel::is_set) && !state.stop {
            state.stop = true;
            state.report.cancelled = true;
            self.changed.notify_all();
        }
    }

    /// Returns the earliest task that can be done now.
    fn pick(&self, state: &mut State<S>) -> Option<Task> {
        for begun in &mut state.begun {
            if begun.turn - begun.merged >= self.ahead as u64 {
                continue;
            }
            match mem::replace(&mut begun.feed, Feed::Busy) {
                Feed::Stream(stream) => return Some(Task::Stream(stream)),
                Feed::Plain {
                    file,
                    next,
                    end,
                    head,
                } => {
                    let source = begun.source;
                    let to = next
                        .saturating_add(self.options.block.max(1) as u64)
                        .min(self.share.end(next))
                        .min(end);
                    let range = Range {
                        source,
                        turn: begun.turn,
                        file: Arc::clone(&file),
                        from: next,
                        to,
                        head: head.clone(),
                    };
                    let next = self.next_range(source, to, end);
                    begun.turn += 1;
                    begun.feed = if next < end {
                        Feed::Plain {
                            file,
                            next,
                            end,
                            head,
                        }
                    } else {
                        Feed::Ended
                    };
                    return Some(Task::Range(range));
                }
                feed => begun.feed = feed,
            }
        }
        while state.next_source < self.sources.paths().len()
            && !self.share.has_source(state.next_source)
        {
            state.next_source += 1;
        }
        if state.next_source == self.sources.paths().len() || state.begun.len() >= self.ahead {
            let reading = state
                .begun
                .iter()
                .filter(|begun| !matches!(begun.feed, Feed::Ended));
            return reading
                .filter_map(|begun| begun.frames.as_ref())
                .find_map(Frames::ahead)
                .map(Task::Ahead);
        }
        let source = state.next_source;
        state.next_source += 1;
        state.begun.push_back(Begun {
            source,
            feed: Feed::Busy,
            turn: 0,
            merged: 0,
            waiting: BTreeMap::new(),
            sum: Tally {
                offset: 0,
                ..Tally::default()
            },
            file: None,
            frames: None,
        });
        Some(Task::Open(source))
    }

    /// Returns the first offset at or after `from` that belongs to this share.
    fn next_range(&self, source: usize, mut from: u64, end: u64) -> u64 {
        while from < end && !self.share.has(source, from) {
            from = self.share.end(from);
        }
        from
    }

    /// Opens a source.
    pub(super) fn open(&self, source: usize) -> Result<OpenSource, SourceError> {
        open_source(
            &self.sources.paths()[source],
            source,
            self.decoders,
            self.options,
        )
    }

    /// Records the result of opening a source.
    pub(super) fn opened(&self, source: usize, opened: Result<OpenSource, SourceError>) {
        let mut state = self.lock();
        if opened.is_err() {
            // After a cancel, opening an address fails. Check for the cancel first, so that this
            // error is not reported.
            self.look_up(&mut state);
        }
        let Some(begun) = state.begun.iter_mut().find(|begun| begun.source == source) else {
            return;
        };
        let mut tally = None;
        match opened {
            Ok(OpenSource {
                not_text: Some(what),
                ..
            }) => {
                begun.feed = Feed::Ended;
                let kind = GameErrorKind::NotPgn(what);
                let mut nothing = Tally {
                    counted: 1,
                    offset: 0,
                    ..Tally::default()
                };
                nothing.error(GameError {
                    game: 1,
                    line: 1,
                    number: None,
                    text: String::new(),
                    kind,
                });
                tally = Some(nothing);
            }
            Ok(OpenSource {
                kind: Kind::Plain(file, end),
                head,
                ..
            }) => {
                let next = self.next_range(source, 0, end);
                if let Share::Stripes(_) = self.share {
                    begun.file = Some((Arc::clone(&file), head.preamble));
                }
                begun.feed = if next < end {
                    Feed::Plain {
                        file,
                        next,
                        end,
                        head,
                    }
                } else {
                    Feed::Ended
                };
            }
            Ok(OpenSource {
                kind: Kind::Stream(input, read, frames),
                head,
                ..
            }) => {
                begun.frames = frames;
                let cutter = Box::new(Cutter::new(
                    input,
                    self.options.block,
                    self.options.limit,
                    head.preamble,
                ));
                begun.feed = Feed::Stream(Stream {
                    source,
                    cutter,
                    head,
                    read,
                    reported: 0,
                });
            }
            Err(error) => {
                begun.feed = Feed::Ended;
                tally = Some(Tally {
                    broken: Some(error.error),
                    offset: 0,
                    ..Tally::default()
                });
            }
        }
        if let Some(tally) = tally {
            begun.turn = 1;
            begun.waiting.insert(0, tally);
        }
        self.settle(state);
    }

    /// Returns a stream for the next thread to read; returns the number of the piece just read.
    pub(super) fn give_back(&self, stream: Stream, more: bool) -> u64 {
        let mut state = self.lock();
        let Some(begun) = state
            .begun
            .iter_mut()
            .find(|begun| begun.source == stream.source)
        else {
            return 0;
        };
        begun.feed = if more {
            Feed::Stream(stream)
        } else {
            Feed::Ended
        };
        let turn = begun.turn;
        begun.turn += 1;
        self.changed.notify_all();
        turn
    }

    /// Wakes the threads that wait for a task.
    pub(super) fn wake(&self) {
        // A thread checks for tasks and begins to wait under one lock. Taking the lock here ensures
        // that no thread stands between the two and misses the wake-up.
        drop(self.lock());
        self.changed.notify_all();
    }

    /// Accepts the beginning of a piece, if all before it is merged; so a state does not grow with
    /// its piece. False if the scan stops.
    pub(super) fn deliver_early(&self, source: usize, turn: u64, tally: &mut Tally<S>) -> bool {
        let mut state = self.lock();
        self.look_up(&mut state);
        let stops = state.stop;
        let is_next = |begun: &&mut Begun<S>| {
            begun.source == source && begun.merged == turn && begun.sum.broken.is_none()
        };
        if let Some(begun) = state.begun.iter_mut().find(is_next) {
            // The rest keeps the place where the piece was entered. Games and lines between the
            // stripes of a part may not be counted yet, and errors need them.
            let rest = Tally {
                entered: tally.entered,
                ..Tally::default()
            };
            let early = mem::replace(tally, rest);
            let (bytes, games) = (early.bytes, early.games);
            begun.add(early);
            state.progress.done += bytes;
            state.progress.games += games;
            self.settle(state);
        }
        !stops
    }

    /// Accepts the result of a piece.
    pub(super) fn deliver(&self, source: usize, turn: u64, tally: Tally<S>) {
        let mut state = self.lock();
        state.progress.done += tally.bytes;
        state.progress.games += tally.games;
        if tally.broken.is_some() {
            self.look_up(&mut state);
        }
        if tally.broken.is_some()
            && let Some(begun) = state.begun.iter_mut().find(|begun| begun.source == source)
        {
            // Hand out no further pieces. The results of those that other threads already have are
            // dropped.
            begun.feed = Feed::Ended;
        }
        if let Some(begun) = state.begun.iter_mut().find(|begun| begun.source == source) {
            begun.waiting.insert(turn, tally);
        }
        self.settle(state);
    }

    /// Merges all pieces whose turn has come.
    fn settle(&self, mut guard: MutexGuard<'_, State<S>>) {
        let state = &mut *guard;
        for index in 0..state.begun.len() {
            let begun = &mut state.begun[index];
            while let Some(tally) = begun.waiting.remove(&begun.merged) {
                begun.merged += 1;
                if begun.sum.broken.is_none() {
                    begun.add(tally);
                }
            }
        }
        while let Some(front) = state.begun.front_mut() {
            let done = matches!(front.feed, Feed::Ended) && front.merged == front.turn;
            let name = || self.sources.name(front.source);
            for Trouble { error, skips_game } in front.sum.errors.drain(..) {
                let unreadable = match skips_game {
                    true => Unreadable::Game {
                        source_name: name(),
                        error,
                    },
                    false => Unreadable::Flaw {
                        source_name: name(),
                        error,
                    },
                };
                if !state.stop {
                    self.unreadable(unreadable, &mut state.failure, &mut state.stop);
                }
            }
            if !done {
                break;
            }
            if let Some(error) = front.sum.broken.take() {
                let unreadable = Unreadable::Source(SourceError {
                    name: name(),
                    error,
                });
                state.report.failed_sources += u64::from(!state.report.cancelled);
                if !state.stop {
                    self.unreadable(unreadable, &mut state.failure, &mut state.stop);
                }
            } else {
                state.report.sources += 1;
            }
            if let Some(begun) = state.begun.pop_front() {
                state.add(begun.sum);
            }
        }
        if let Some(reporter) = self.options.reporter {
            let ended = state.begun.is_empty() && state.next_source == self.sources.paths().len();
            if ended || state.reported.elapsed() > Duration::from_millis(100) {
                state.reported = Instant::now();
                let source = state.begun.front().map(|begun| begun.source);
                state.progress.label =
                    source.map_or_else(String::new, |source| self.sources.name(source));
                reporter.progress(&state.progress);
            }
        }
        drop(guard);
        self.changed.notify_all();
    }

    fn unreadable(
        &self,
        unreadable: Unreadable,
        failure: &mut Option<Unreadable>,
        stop: &mut bool,
    ) {
        if let Some(on_unreadable) = self.options.on_unreadable {
            on_unreadable(&unreadable);
        }
        if let Some(first) = self.first {
            first.report(&unreadable);
        }
        if self.options.strict {
            *failure = Some(unreadable);
            *stop = true;
        }
    }

    /// Returns the final result.
    pub(super) fn finish(self, make_state: impl Fn() -> S) -> Result<(S, ScanReport), Unreadable> {
        let mut state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(failure) = state.failure {
            return Err(failure);
        }
        // If the scan was cancelled, add the beginning of the source that was being read.
        if let Some(begun) = state.begun.pop_front() {
            state.add(begun.sum);
        }
        state.report.elapsed = self.started.elapsed();
        if let Some(reporter) = self.options.reporter {
            state
                .report
                .letters
                .iter()
                .for_each(|(letters, games)| reporter.problem(&letters.notice(*games)));
        }
        Ok((state.total.unwrap_or_else(make_state), state.report))
    }
}

impl<S: Merge> State<S> {
    fn add(&mut self, sum: Tally<S>) {
        self.report.games += sum.games;
        self.report.plies += sum.plies;
        self.report.text += sum.text;
        for (kind, count) in sum.kinds {
            *self.report.errors.entry(Cow::Borrowed(kind)).or_default() += count;
        }
        self.report.flawed_games += sum.flawed;
        for (kind, count) in sum.flaws {
            *self.report.flaws.entry(Cow::Borrowed(kind)).or_default() += count;
        }
        for (letters, count) in sum.letters {
            *self.report.letters.entry(letters).or_default() += count;
        }
        merge(&mut self.total, sum.state);
    }
}

impl<S: Merge> Begun<S> {
    /// Merges the next piece.
    fn add(&mut self, mut tally: Tally<S>) {
        let sum = &mut self.sum;
        // Other parts read the stripes between those of this part. Errors have numbers of games and
        // lines within the file, so these stripes are counted too, but only if there is an error.
        let apart = tally.entered && tally.offset > sum.offset;
        let mut numbered = true;
        if let (Some((file, preamble)), true) = (&self.file, apart) {
            numbered = !tally.errors.is_empty();
            if numbered {
                let (games, lines) = count(file, sum.offset, tally.offset, *preamble);
                sum.counted += games;
                sum.lines += lines;
            }
        }
        for mut trouble in tally.errors.drain(..) {
            if sum.listed < ScanOptions::ERRORS_LISTED {
                sum.listed += 1;
                trouble.error.game += sum.counted;
                trouble.error.line += sum.lines;
                sum.errors.push(trouble);
            }
        }
        if numbered {
            sum.offset = sum.offset.max(tally.end);
            sum.counted += tally.counted;
            sum.lines += tally.lines;
        }
        sum.games += tally.games;
        sum.plies += tally.plies;
        sum.text += tally.text;
        sum.flawed += tally.flawed;
        add(&mut sum.kinds, tally.kinds);
        add(&mut sum.flaws, tally.flaws);
        add(&mut sum.letters, tally.letters);
        sum.broken = tally.broken;
        merge(&mut sum.state, tally.state);
    }
}

fn add<K: Ord>(sum: &mut BTreeMap<K, u64>, later: BTreeMap<K, u64>) {
    for (key, count) in later {
        *sum.entry(key).or_default() += count;
    }
}

fn merge<S: Merge>(sum: &mut Option<S>, later: Option<S>) {
    match (sum.as_mut(), later) {
        (Some(sum), Some(later)) => sum.merge(later),
        (None, later) => *sum = later,
        (_, None) => {}
    }
}
