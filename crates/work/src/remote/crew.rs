//! A crew whose engine work is done by tasks of an executor.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use centipawn_engine::{Analyst, Identity};
use centipawn_pgn::Place;
use centipawn_policy::Network;
use centipawn_progress::Cancel;
use centipawn_store::{Replay, Transcript};

use super::{
    GamesTask, RemoteError, WantedNetwork,
    envelope::{open_answer, pack_task},
    games::{GamesAnswer, ItemKind, position_text},
};
use crate::{
    AnalystSpec,
    engine::{
        Crew, Followed, Follower, Recipe, Work, is_fleet_work, nodes_of_game, nodes_of_position,
    },
};

/// How long a wait for an answer lasts at most, so that a cancel shows.
const LOOK: Duration = Duration::from_millis(50);

/// Maximum number of attempts for an item.
const ATTEMPTS: u32 = 3;

/// Nodes of a task: the first ones are small, so that a small run is divided and a wrong engine
/// shows early; the last ones take about a minute of one core.
const TASK_NODES: std::ops::RangeInclusive<u64> = 2_000_000..=60_000_000;
/// A task's largest number of items, and of bytes of text.
const TASK_ITEMS: usize = 64;
const TASK_BYTES: usize = 1 << 20;

/// The maximum number of items held in memory for each task in progress. They wait for their own
/// answer, or for an earlier item's.
const HELD: usize = TASK_ITEMS;

/// Maximum number of tasks named in the message that the executor is broken.
const NAMED: usize = 4;

/// Runs tasks in other processes, in any order.
pub trait Executor {
    /// Returns how many tasks should be under way at a time.
    fn width(&self) -> usize;

    /// Submits a task. [`next`](Self::next) later returns its outcome with this number.
    fn submit(&self, number: u64, task: Vec<u8>);

    /// Returns the outcome of any task that has ended; `None` if none ends within `wait`.
    fn next(&self, wait: Duration) -> Option<(u64, Result<Vec<u8>, ExecutorFailure>)>;

    /// Cancels all tasks that have not started.
    fn cancel(&self);
}

/// The reason why a task has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExecutorFailure {
    /// The task failed: it raised an exception, or its worker crashed.
    Task(String),
    /// The executor runs no tasks any more.
    Broken(String),
}

/// A [`Crew`] whose engine work is done by tasks of an [`Executor`].
///
/// [`run`](Crew::run) repeats the work in this process with the answers in the workers'
/// transcripts, in the order of the items, so the result is the same as with threads. The work must
/// use [`analyst`](Self::analyst). An item that fails is tried three times, alone from the second
/// time on.
pub struct RemoteCrew<'a, E> {
    executor: &'a E,
    spec: AnalystSpec,
    identity: Identity,
    networks: Vec<WantedNetwork>,
    test_answer: Option<String>,
    replay: Arc<Replay>,
    outcome: Mutex<Result<(), RemoteError>>,
    last_failure: Mutex<Option<String>>,
}

impl<E> std::fmt::Debug for RemoteCrew<'_, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteCrew")
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

/// An item whose answer is not delivered yet.
struct Held<I> {
    item: I,
    kind: ItemKind,
    text: Vec<u8>,
    place: String,
    /// Estimated number of nodes of the item.
    nodes: u64,
    attempts: u32,
    /// The answer of the item; `None` while there is none.
    state: Option<Followed>,
}

/// The numbers of the items of a task that is running.
struct UnderWay(Vec<u64>);

impl<'a, E: Executor> RemoteCrew<'a, E> {
    /// Creates a crew for work with the analyst of `spec`, whose identity is `identity`, and with
    /// `networks`, which were opened by these names. Sends `engine`, which is the engine without a
    /// store, the test question that a worker's engine must answer in the same way.
    ///
    /// # Errors
    ///
    /// [`RemoteError::Engine`].
    pub fn new(
        executor: &'a E,
        spec: &AnalystSpec,
        identity: &Identity,
        engine: &dyn Analyst,
        (networks, names): (&[Network], &[String]),
    ) -> Result<Self, RemoteError> {
        let mut spec = AnalystSpec {
            starts_late: false,
            at_least: false,
            ..spec.clone()
        };
        if let Some(engine) = &mut spec.engine {
            engine.jobs = 1;
        }
        let wanted = |(network, name): (&Network, &String)| WantedNetwork {
            name: name.clone(),
            sha256: network.sha256().to_owned(),
        };
        Ok(Self {
            executor,
            spec,
            identity: identity.clone(),
            networks: networks.iter().zip(names).map(wanted).collect(),
            test_answer: super::test_answer(engine)?,
            replay: Arc::new(Replay::new(Arc::new(identity.clone()))),
            outcome: Mutex::new(Ok(())),
            last_failure: Mutex::new(None),
        })
    }

    /// Returns the analyst that the work must use. It repeats the answers of the workers' engines.
    pub fn analyst(&self) -> Arc<Replay> {
        Arc::clone(&self.replay)
    }

    /// Returns how [`run`](Crew::run) ended.
    ///
    /// # Errors
    ///
    /// Why the work ended before its last item.
    pub fn outcome(&self) -> Result<(), RemoteError> {
        self.outcome
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Returns why the last item failed that was given up; `None` if none was.
    pub fn last_failure(&self) -> Option<String> {
        self.last_failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

impl<E: Executor> Crew for RemoteCrew<'_, E> {
    fn run<W: Work>(
        &self,
        work: &W,
        items: impl Iterator<Item = W::Item> + Send,
        cancel: &Cancel,
        mut each: impl FnMut(W::Answer),
    ) -> bool {
        let recipe = work.recipe();
        let mut line = Line {
            crew: self,
            work,
            follower: Follower::new(work, &self.replay, "the executor"),
            recipe: &recipe,
            items: Some(items),
            peeked: None,
            held: VecDeque::new(),
            first: 0,
            again: VecDeque::new(),
            under_way: HashMap::new(),
            submitted: 0,
            nodes: 0,
        };
        let ended = if is_fleet_work(&recipe) {
            line.run(cancel, &mut each)
        } else {
            Err(RemoteError::NotSent)
        };
        if !matches!(ended, Ok(false)) {
            self.executor.cancel();
        }
        ended.unwrap_or_else(|error| {
            *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Err(error);
            true
        })
    }
}

/// Items in order: those in progress, and those that wait for an earlier one.
struct Line<'r, 'c, E, W: Work, I> {
    crew: &'r RemoteCrew<'c, E>,
    work: &'r W,
    follower: Follower<'r, W>,
    recipe: &'r Recipe,
    /// The remaining items; `None` after the last one.
    items: Option<I>,
    /// An item that did not fit into the last task.
    peeked: Option<Held<W::Item>>,
    held: VecDeque<Held<W::Item>>,
    /// The number of the first item held.
    first: u64,
    /// Items to try again, each alone.
    again: VecDeque<u64>,
    under_way: HashMap<u64, UnderWay>,
    submitted: u64,
    /// Estimated number of nodes of all tasks so far.
    nodes: u64,
}

impl<E: Executor, W: Work, I: Iterator<Item = W::Item>> Line<'_, '_, E, W, I> {
    fn run(
        &mut self,
        cancel: &Cancel,
        each: &mut impl FnMut(W::Answer),
    ) -> Result<bool, RemoteError> {
        loop {
            if self.deliver(cancel, each) || cancel.is_set() {
                return Ok(true);
            }
            while self.under_way.len() < self.crew.executor.width().max(1) && self.submit()? {}
            if self.held.is_empty() && self.items.is_none() && self.peeked.is_none() {
                return Ok(false);
            }
            // Items without questions may come next; they can be delivered without waiting for a
            // task.
            if !self.is_blocked() {
                continue;
            }
            if let Some((number, outcome)) = self.crew.executor.next(LOOK) {
                self.receive(number, outcome)?;
            }
        }
    }

    /// Returns whether the head of the line waits for an answer.
    fn is_blocked(&self) -> bool {
        self.held.front().is_some_and(|held| held.state.is_none())
    }

    /// Hands over the answers at the head of the line. Returns whether that was cancelled.
    fn deliver(&mut self, cancel: &Cancel, each: &mut impl FnMut(W::Answer)) -> bool {
        while !self.is_blocked() {
            let Some(held) = self.held.pop_front() else {
                break;
            };
            self.first += 1;
            if held
                .state
                .is_some_and(|followed| self.follower.deliver(held.item, followed, cancel, each))
            {
                return true;
            }
        }
        false
    }

    /// Submits a task, if there is something to do. Returns whether there may be more, before
    /// anything is delivered.
    fn submit(&mut self) -> Result<bool, RemoteError> {
        if let Some(number) = self.again.pop_front() {
            self.send(vec![number]);
            return Ok(true);
        }
        let width = self.crew.executor.width().max(1) as u64;
        let limit = (self.nodes / (4 * width)).clamp(*TASK_NODES.start(), *TASK_NODES.end());
        let (mut numbers, mut nodes, mut bytes) = (Vec::new(), 0_u64, 0);
        while self.held.len() < HELD * width as usize {
            let Some(held) = self.take()? else { break };
            let is_needed = held.state.is_none();
            let is_full = numbers.len() >= TASK_ITEMS
                || nodes.saturating_add(held.nodes) > limit
                || bytes + held.text.len() > TASK_BYTES;
            if is_needed && is_full && !numbers.is_empty() {
                self.peeked = Some(held);
                break;
            }
            if is_needed {
                numbers.push(self.first + self.held.len() as u64);
                nodes = nodes.saturating_add(held.nodes);
                bytes += held.text.len();
            }
            self.held.push_back(held);
            // Deliver an item without questions now, instead of first collecting a whole task.
            if !is_needed && numbers.is_empty() {
                return Ok(self.is_blocked());
            }
        }
        self.nodes = self.nodes.saturating_add(nodes);
        let is_some = !numbers.is_empty();
        if is_some {
            self.send(numbers);
        }
        Ok(is_some)
    }

    /// Returns the next item.
    fn take(&mut self) -> Result<Option<Held<W::Item>>, RemoteError> {
        if self.peeked.is_some() {
            return Ok(self.peeked.take());
        }
        let Some(item) = self.items.as_mut().and_then(Iterator::next) else {
            self.items = None;
            return Ok(None);
        };
        let (kind, text, place, nodes) = if let Some(game) = self.work.game(&item) {
            (
                ItemKind::Game,
                game.to_string(),
                place(&game.place),
                nodes_of_game(self.recipe, game),
            )
        } else if let Some(position) = self.work.position(&item) {
            (
                ItemKind::Position,
                position_text(position),
                position.fen(),
                nodes_of_position(self.recipe),
            )
        } else {
            return Err(RemoteError::NotSent);
        };
        let state = self.work.is_known(&item).then_some(Followed::Known);
        Ok(Some(Held {
            item,
            kind,
            text: text.into_bytes(),
            place,
            nodes,
            attempts: 0,
            state,
        }))
    }

    fn held(&mut self, number: u64) -> Option<&mut Held<W::Item>> {
        let index = number.checked_sub(self.first)?;
        self.held.get_mut(usize::try_from(index).ok()?)
    }

    fn send(&mut self, numbers: Vec<u64>) {
        let (mut items, mut texts) = (Vec::new(), Vec::new());
        for &number in &numbers {
            let Some(held) = self.held(number) else {
                continue;
            };
            items.push(held.kind);
            texts.push(held.text.clone());
        }
        let crew = self.crew;
        let task = GamesTask {
            recipe: self.recipe.clone(),
            analyst: crew.spec.clone(),
            identity: crew.identity.clone(),
            networks: crew.networks.clone(),
            test_answer: crew.test_answer.clone(),
            items,
        };
        self.submitted += 1;
        self.under_way.insert(self.submitted, UnderWay(numbers));
        crew.executor.submit(self.submitted, task.pack(&texts));
    }

    fn receive(
        &mut self,
        number: u64,
        outcome: Result<Vec<u8>, ExecutorFailure>,
    ) -> Result<(), RemoteError> {
        let Some(UnderWay(numbers)) = self.under_way.remove(&number) else {
            return Ok(());
        };
        let bytes = match outcome {
            Ok(bytes) => bytes,
            Err(ExecutorFailure::Broken(reason)) => {
                self.under_way.insert(number, UnderWay(numbers));
                return Err(RemoteError::Broken {
                    reason,
                    tasks: self.names(),
                });
            }
            Err(ExecutorFailure::Task(reason)) => {
                numbers
                    .into_iter()
                    .for_each(|number| self.fail(number, &reason));
                return Ok(());
            }
        };
        let read = match open_answer::<GamesAnswer>(&bytes) {
            Err(RemoteError::Damaged { reason }) => Err(reason),
            read => Ok(read?),
        };
        let (results, transcripts) = match read {
            Ok((results, transcripts)) if results.len() == numbers.len() => (results, transcripts),
            Ok(_) => {
                numbers
                    .into_iter()
                    .for_each(|number| self.fail(number, "the answer is of another task"));
                return Ok(());
            }
            Err(reason) => {
                numbers
                    .into_iter()
                    .for_each(|number| self.fail(number, &reason));
                return Ok(());
            }
        };
        let mut transcripts = transcripts.into_iter();
        for (number, failure) in numbers.into_iter().zip(results) {
            let read = match failure {
                Some(reason) => Err(reason),
                None => Transcript::from_bytes(&transcripts.next().unwrap_or_default())
                    .map_err(|error| format!("the answer cannot be read: {error}")),
            };
            match read {
                Ok(transcript) => {
                    if let Some(held) = self.held(number) {
                        held.state = Some(Followed::Answered(transcript));
                    }
                }
                Err(reason) => self.fail(number, &reason),
            }
        }
        Ok(())
    }

    /// Has an item tried again, unless it was often enough.
    fn fail(&mut self, number: u64, reason: &str) {
        let Some(held) = self.held(number) else {
            return;
        };
        held.attempts += 1;
        if held.attempts < ATTEMPTS {
            self.again.push_back(number);
            return;
        }
        held.state = Some(Followed::Failed(format!(
            "it failed {ATTEMPTS} times; the last time: {reason}"
        )));
        let failure = format!("{}: {reason}", held.place);
        *self
            .crew
            .last_failure
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(failure);
    }

    /// Returns the items under way, for a message.
    fn names(&mut self) -> String {
        let mut numbers: Vec<u64> = self
            .under_way
            .values()
            .flat_map(|under_way| under_way.0.iter().copied())
            .collect();
        numbers.sort_unstable();
        let more = numbers.len().saturating_sub(NAMED);
        numbers.truncate(NAMED);
        let mut names: Vec<String> = numbers
            .into_iter()
            .filter_map(|number| self.held(number).map(|held| held.place.clone()))
            .collect();
        if more > 0 {
            names.push(format!("{more} more"));
        }
        names.join(", ")
    }
}

/// Returns the place of a game, as text.
fn place(place: &Place) -> String {
    match &place.source {
        Some(source) => format!("{source}, game {}", place.game),
        None => format!("game {}", place.game),
    }
}

impl GamesTask {
    /// Returns the task as bytes.
    fn pack(&self, texts: &[Vec<u8>]) -> Vec<u8> {
        pack_task(&serde_json::json!({ "games": self }), texts)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use centipawn_engine::{EngineSpec, Limit};
    use centipawn_judge::ease::EaseOptions;
    use centipawn_pgn::Sources;
    use centipawn_progress::{ProblemCount, Silent};
    use centipawn_puzzle::MineOptions;
    use centipawn_review::MomentDocument;
    use centipawn_store::Store;

    use super::*;
    use crate::{
        Resources, StoreChoice,
        engine::{
            EaseResources, MineResources, PositionInput, ReviewResources, Threads, judge_ease,
            mine_files, parse_position, review_files,
        },
        remote::{RemoteWorker, open_task, pack_answer, pack_refusal},
    };

    /// An executor that runs the last submitted task first, and only when an outcome is requested.
    /// It can produce faults.
    struct Shuffled<F> {
        worker: RemoteWorker,
        waiting: RefCell<Vec<(u64, Vec<u8>)>>,
        /// Number of finished tasks, and number of their items.
        done: Cell<(usize, usize)>,
        most: Cell<usize>,
        /// How often an outcome was requested while no task was in progress.
        idle: Cell<u32>,
        fault: F,
    }

    #[derive(serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Task {
        Games(GamesTask),
    }

    impl<F: Fn(u64, &[Vec<u8>]) -> Option<Result<Vec<u8>, ExecutorFailure>>> Shuffled<F> {
        fn new(fault: F) -> Self {
            let (waiting, done, most) = (RefCell::default(), Cell::default(), Cell::default());
            Self {
                worker: RemoteWorker::default(),
                waiting,
                done,
                most,
                idle: Cell::default(),
                fault,
            }
        }
    }

    impl<F: Fn(u64, &[Vec<u8>]) -> Option<Result<Vec<u8>, ExecutorFailure>>> Executor for Shuffled<F> {
        fn width(&self) -> usize {
            3
        }

        fn submit(&self, number: u64, task: Vec<u8>) {
            self.waiting.borrow_mut().push((number, task));
            self.most
                .set(self.most.get().max(self.waiting.borrow().len()));
        }

        fn next(&self, _: Duration) -> Option<(u64, Result<Vec<u8>, ExecutorFailure>)> {
            let Some((number, bytes)) = self.waiting.borrow_mut().pop() else {
                self.idle.set(self.idle.get() + 1);
                return None;
            };
            let (Task::Games(task), texts): (Task, _) = open_task(&bytes).unwrap();
            let (tasks, items) = self.done.get();
            self.done.set((tasks + 1, items + texts.len()));
            let outcome = (self.fault)(number, &texts).unwrap_or_else(|| {
                Ok(match self.worker.games(&task, &texts, &Cancel::new()) {
                    Ok((answer, blocks)) => pack_answer("here", &answer, &blocks),
                    Err(reason) => pack_refusal("here", &reason),
                })
            });
            Some((number, outcome))
        }

        fn cancel(&self) {
            self.waiting.borrow_mut().clear();
        }
    }

    fn healthy(_: u64, _: &[Vec<u8>]) -> Option<Result<Vec<u8>, ExecutorFailure>> {
        None
    }

    fn spec() -> AnalystSpec {
        let command = format!("{:?}", centipawn_fake_engine::path().display().to_string());
        let engine = EngineSpec {
            command,
            ..EngineSpec::default()
        };
        AnalystSpec {
            engine: Some(engine),
            ..AnalystSpec::default()
        }
    }

    fn crew<'a, E: Executor>(executor: &'a E, resources: &Resources) -> RemoteCrew<'a, E> {
        let identity = resources.some_analyst(&spec()).unwrap().identity();
        let engine = resources.engine(spec().engine.as_ref().unwrap());
        RemoteCrew::new(executor, &spec(), &identity, &engine, (&[], &[])).unwrap()
    }

    fn resources() -> Resources {
        Resources::new(StoreChoice::None, &Cancel::new(), Arc::new(Silent))
    }

    /// Returns ten short games, of which the fourth has a move that is in no other.
    fn games(folder: &std::path::Path) -> Sources {
        let path = folder.join("ten.pgn");
        let moves = |number| {
            if number == 4 {
                "1. a4 h5 2. Ra3"
            } else {
                "1. e4 e5 2. Nf3"
            }
        };
        let game = |number| format!("[White \"{number}\"]\n\n{} *\n\n", moves(number));
        std::fs::write(&path, (1..=10).map(game).collect::<String>()).unwrap();
        Sources::expand(&[path]).unwrap()
    }

    fn reviewed(
        sources: &Sources,
        analyst: &dyn Analyst,
        crew: &impl Crew,
        store: Option<Arc<Store>>,
    ) -> (Vec<String>, u64) {
        let options = centipawn_review::ReviewOptions::new(Limit::Nodes(100));
        let resources = ReviewResources {
            analyst,
            networks: &[],
            store,
        };
        let problems = Arc::new(ProblemCount::new(Arc::new(Silent)));
        let (cancel, mut documents) = (Cancel::new(), Vec::new());
        review_files(
            sources,
            &options,
            &resources,
            (),
            crew,
            &cancel,
            &problems,
            |review| {
                documents.push(serde_json::to_string(&review.document()).unwrap());
                Ok(())
            },
        )
        .unwrap();
        (documents, problems.errors())
    }

    #[test]
    fn remote_reviews_equal_those_of_threads() {
        let (folder, resources) = (tempfile::tempdir().unwrap(), resources());
        let sources = games(folder.path());
        let analyst = resources.some_analyst(&spec()).unwrap();
        let alone = reviewed(&sources, &*analyst, &Threads::new(2), None);
        assert_eq!((alone.0.len(), alone.1), (10, 0));

        let executor = Shuffled::new(healthy);
        let crew = crew(&executor, &resources);
        assert_eq!(reviewed(&sources, &*crew.analyst(), &crew, None), alone);
        assert_eq!((crew.outcome(), executor.done.get().1), (Ok(()), 10));
        assert!(executor.most.get() <= 3);
    }

    #[test]
    fn failed_items_are_retried_and_do_not_affect_others() {
        let (folder, resources) = (tempfile::tempdir().unwrap(), resources());
        let sources = games(folder.path());
        let analyst = resources.some_analyst(&spec()).unwrap();
        let alone = reviewed(&sources, &*analyst, &Threads::new(2), None);

        // One game kills every worker; besides, the first task is lost and the second is damaged.
        let executor = Shuffled::new(|number, texts: &[Vec<u8>]| {
            let is_deadly = texts
                .iter()
                .any(|text| String::from_utf8_lossy(text).contains("Ra3"));
            match number {
                _ if is_deadly => Some(Err(ExecutorFailure::Task("KilledWorker".to_owned()))),
                2 => Some(Err(ExecutorFailure::Task("lost".to_owned()))),
                4 => Some(Ok(b"garbage".to_vec())),
                _ => None,
            }
        });
        let crew = crew(&executor, &resources);
        let (documents, errors) = reviewed(&sources, &*crew.analyst(), &crew, None);
        let mut others = alone.0.clone();
        others.remove(3);
        assert_eq!((documents, errors, crew.outcome()), (others, 1, Ok(())));
        let failure = crew.last_failure().unwrap();
        assert!(
            failure.ends_with("ten.pgn, game 4: KilledWorker"),
            "{failure}"
        );
    }

    #[test]
    fn a_refusal_and_a_broken_executor_end_the_work() {
        let (folder, resources) = (tempfile::tempdir().unwrap(), resources());
        let sources = games(folder.path());
        let refusing =
            Shuffled::new(|_, _: &[Vec<u8>]| Some(Ok(pack_refusal("w7", "it has no Stockfish"))));
        let crew_of_refusing = crew(&refusing, &resources);
        assert!(
            reviewed(
                &sources,
                &*crew_of_refusing.analyst(),
                &crew_of_refusing,
                None
            )
            .0
            .is_empty()
        );
        let error = crew_of_refusing.outcome().unwrap_err().to_string();
        assert_eq!(error, "the worker w7 refuses the work: it has no Stockfish");

        let broken = Shuffled::new(|_, _: &[Vec<u8>]| {
            Some(Err(ExecutorFailure::Broken("BrokenProcessPool".to_owned())))
        });
        let crew_of_broken = crew(&broken, &resources);
        reviewed(&sources, &*crew_of_broken.analyst(), &crew_of_broken, None);
        let error = crew_of_broken.outcome().unwrap_err().to_string();
        assert!(
            error.contains("BrokenProcessPool") && error.contains("ten.pgn, game 1, "),
            "{error}"
        );
        assert!(broken.waiting.borrow().is_empty());
    }

    #[test]
    fn another_engine_is_refused() {
        let (resources, worker) = (resources(), RemoteWorker::default());
        let executor = Shuffled::new(healthy);
        let crew = crew(&executor, &resources);
        let task = |identity: Identity, answer: Option<&str>| GamesTask {
            recipe: Recipe::Ease(EaseOptions::new(Limit::Nodes(10))),
            analyst: crew.spec.clone(),
            identity,
            networks: Vec::new(),
            test_answer: answer.map(str::to_owned).or(crew.test_answer.clone()),
            items: Vec::new(),
        };
        assert_eq!(
            worker.games(&task(crew.identity.clone(), None), &[], &Cancel::new()),
            Ok((Vec::new(), Vec::new()))
        );
        let other = Identity {
            name: "Stockfish 99".to_owned(),
            ..crew.identity.clone()
        };
        let error = worker
            .games(&task(other, None), &[], &Cancel::new())
            .unwrap_err();
        assert!(
            error.starts_with("it needs Stockfish 99") && error.contains(&crew.identity.name),
            "{error}"
        );
        let error = worker
            .games(
                &task(crew.identity.clone(), Some("e2e4 0 cp")),
                &[],
                &Cancel::new(),
            )
            .unwrap_err();
        assert!(
            error.contains("answers differently to a test question")
                && error.contains("not e2e4 0 cp"),
            "{error}"
        );
    }

    #[test]
    fn reviews_in_the_store_are_not_sent() {
        let (folder, resources) = (tempfile::tempdir().unwrap(), resources());
        let sources = games(folder.path());
        let place = centipawn_store::Location::File(folder.path().join("store.sqlite"));
        let store = Some(Arc::new(
            Store::open_reporting(&place, Arc::new(Silent)).unwrap(),
        ));
        let executor = Shuffled::new(healthy);
        let first = crew(&executor, &resources);
        let whole = reviewed(&sources, &*first.analyst(), &first, store.clone());
        let asked = executor.done.get();
        assert_eq!((asked.1, whole.0.len()), (10, 10));
        let second = crew(&executor, &resources);
        assert_eq!(
            reviewed(&sources, &*second.analyst(), &second, store),
            whole
        );
        assert_eq!((executor.done.get(), executor.idle.get()), (asked, 0));
    }

    #[test]
    fn remote_positions_and_puzzles_equal_those_of_threads() {
        let (folder, resources) = (tempfile::tempdir().unwrap(), resources());
        let sources = games(folder.path());
        let analyst = resources.some_analyst(&spec()).unwrap();
        let network = Network::find(Network::BUNDLED, centipawn_policy::Kernel::best()).unwrap();
        let (networks, names) = ([network], [Network::BUNDLED.to_owned()]);
        let executor = Shuffled::new(healthy);
        let engine = resources.engine(spec().engine.as_ref().unwrap());
        let crew = RemoteCrew::new(
            &executor,
            &spec(),
            &analyst.identity(),
            &engine,
            (&networks, &names),
        )
        .unwrap();

        fn ease(analyst: &dyn Analyst, networks: &[Network], crew: &impl Crew) -> Vec<String> {
            let positions = [
                "startpos",
                "startpos moves e2e4 e7e5",
                "8/8/4k3/8/8/8/3R4/4K3 w - - 0 1",
            ];
            let input = PositionInput::Positions(
                Vec::from(positions.map(|text| parse_position(text).unwrap())).into(),
            );
            let resources = EaseResources {
                networks,
                analyst: Some(analyst),
            };
            let problems = Arc::new(ProblemCount::new(Arc::new(Silent)));
            let mut documents = Vec::new();
            let options = EaseOptions::new(Limit::Nodes(50));
            judge_ease(
                input,
                &options,
                &resources,
                crew,
                &Cancel::new(),
                &problems,
                |judged| {
                    documents.extend(
                        MomentDocument::of_outcome(judged, &mut None)
                            .iter()
                            .map(|own| serde_json::to_string(own).unwrap()),
                    );
                    Ok(())
                },
            )
            .unwrap();
            documents
        }
        let alone = ease(&*analyst, &networks, &Threads::new(2));
        assert!(alone.len() >= 3);
        assert_eq!(ease(&*crew.analyst(), &networks, &crew), alone);

        fn mined(sources: &Sources, analyst: &dyn Analyst, crew: &impl Crew) -> Vec<String> {
            let known = std::collections::HashSet::new();
            let resources = MineResources {
                analyst,
                rater: None,
                known: &known,
            };
            let problems = Arc::new(ProblemCount::new(Arc::new(Silent)));
            let (options, mut found) = (MineOptions::default(), Vec::new());
            mine_files(
                sources,
                &options,
                resources,
                crew,
                &Cancel::new(),
                &problems,
                |mined| {
                    found.push(format!("{:?}", mined.candidates));
                },
            )
            .unwrap();
            found
        }
        let alone = mined(&sources, &*analyst, &Threads::new(2));
        assert_eq!(alone.len(), 10);
        assert_eq!(mined(&sources, &*crew.analyst(), &crew), alone);
        assert_eq!(crew.outcome(), Ok(()));
    }
}
