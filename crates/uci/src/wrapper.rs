//! The wrapper between the GUI and the engine: passes lines through, and adds its own.

mod state;

use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader, Read, Write},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use centipawn_core::SplitMix64;
use centipawn_engine::{
    EngineCommand, EngineConfig, Pool, RawEngine,
    uci::{self, Message},
};
use centipawn_judge::ease::EaseJudgeError;
use centipawn_policy::Network;
use centipawn_progress::Cancel;

use self::state::{AboutLines, AboutOrder, Due, OwnSearch, Phase, State};
use crate::{
    Order, Settings, UciError,
    game::later,
    mailbox::Mailbox,
    people::People,
    play::{choose, think_time},
};

/// Number of crashes in a row, without a finished search between them, after which the wrapper
/// gives up.
const CRASHES: u32 = 5;
/// Interval at which a thread checks whether a search has ended.
const LOOK: Duration = Duration::from_millis(2);
/// Time that the engine has to end after `quit`. Then it is killed.
const QUIT: Duration = Duration::from_secs(3);
/// Number of crashes in one search after which the wrapper answers with a known move.
const CRASHES_IN_A_SEARCH: u32 = 2;
/// Maximum length of a command in bytes. A game of 6,000 moves has 60 KB.
const LONGEST_COMMAND: u64 = 1 << 20;

/// The engine to wrap, and the options.
#[derive(Clone)]
pub struct Config {
    /// The engine.
    pub engine: EngineCommand,
    /// Options of the engine that are set at its start, before those of the GUI.
    pub options: Vec<(String, String)>,
    /// Initial values of the wrapper's own options.
    pub settings: Settings,
    /// The network that predicts people's moves; `None` for no output about people's moves.
    pub network: Option<Arc<Network>>,
    /// Seed of the random moves of [`Settings::play_like`]; `None` for a different game each time.
    pub seed: Option<u64>,
}

impl Config {
    /// Creates a configuration with default options and without a network.
    pub fn new(engine: EngineCommand) -> Self {
        Self {
            engine,
            options: Vec::new(),
            settings: Settings::default(),
            network: None,
            seed: None,
        }
    }
}

/// State that all threads of the wrapper share.
struct Shared<'a> {
    config: &'a Config,
    state: Mutex<State<'a>>,
    /// Requests to the thread that predicts which moves people play in a position.
    about_lines: Mailbox<AboutLines>,
    /// Requests to the thread that evaluates the positions after the lines.
    about_order: Mailbox<AboutOrder>,
    /// Requests to the sparring partner.
    own_search: Mailbox<OwnSearch>,
    /// When set, all threads of the wrapper end.
    cancel: Cancel,
}

impl<'a> Shared<'a> {
    fn state(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a second engine with the options of the wrapped one. It answers the wrapper's own
    /// questions while the wrapped engine plays. If the options have changed, replaces the second
    /// engine.
    fn second_engine(&self, second: &mut Option<SecondEngine>) {
        let options = self.state().options_for_second();
        if second
            .as_ref()
            .is_some_and(|second| second.options == options)
        {
            return;
        }
        // End the old engine before the next one starts, so that they do not share the machine.
        *second = None;
        let mut config = EngineConfig::new(self.config.engine.clone());
        config.options.clone_from(&options);
        match Pool::start(&[(config, 1)], &self.cancel) {
            Ok(pool) => *second = Some(SecondEngine { options, pool }),
            Err(error) => self.state().say(&format!("no second engine: {error}")),
        }
    }
}

/// The second engine, which answers the wrapper's own questions.
struct SecondEngine {
    /// The options with which the second engine was started.
    options: Vec<(String, String)>,
    pool: Pool,
}

/// Speaks UCI with a GUI, on `input` and `output`, until the GUI sends `quit` or closes its end, or
/// until `cancel` is set. At the end of the input, a running search with a limit is finished first.
/// An engine that does not end within three seconds after `quit` is killed.
///
/// # Errors
///
/// [`UciError`] if the engine cannot be started, does not have one of the options, or crashes
/// several times in a row.
pub fn run(
    config: &Config,
    input: impl Read + Send + 'static,
    output: &mut (dyn Write + Send),
    cancel: &Cancel,
) -> Result<(), UciError> {
    let cancel = cancel.child();
    let (engine, engine_input) = RawEngine::start(&config.engine, &cancel)?;
    let (sender, commands) = channel();
    let (ended, cancelled) = (sender.clone(), sender.clone());
    // Reading cannot be interrupted, so this thread may outlive the wrapper.
    thread::spawn(move || read_commands(input, &sender));
    let _on_cancel = cancel.on_set(move || drop(cancelled.send(Command::Over)));
    let shared = Shared {
        config,
        state: Mutex::new(State::new(config, engine_input, output)),
        about_lines: Mailbox::default(),
        about_order: Mailbox::default(),
        own_search: Mailbox::default(),
        cancel: cancel.clone(),
    };
    thread::scope(|scope| {
        let shared = &shared;
        let (running, engine_end) = channel::<()>();
        let engine = scope.spawn(move || {
            let _running = running;
            // Runs even after a panic: without the engine, the other threads must end, and commands
            // are no longer processed.
            let _ended = OnDrop(|| {
                close(shared);
                let _ = ended.send(Command::Over);
            });
            listen(shared, engine)
        });
        if let Some(network) = config.network.as_deref() {
            let people = People { network };
            scope.spawn(move || say_what_people_do(shared, people));
            scope.spawn(move || look_behind_lines(shared, people));
            scope.spawn(move || play(shared, people));
        }
        let read = obey(shared, &commands);
        // An engine may ignore `quit` because it hangs, or because its search has no limit. Then
        // kill it.
        scope.spawn(move || {
            if engine_end.recv_timeout(QUIT) == Err(RecvTimeoutError::Timeout) {
                shared.cancel.set();
            }
        });
        shared.state().leave();
        engine
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            .and(read)
    })
}

/// Calls a function at the end of a scope, even if the scope panics.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        self.0();
    }
}

fn close(shared: &Shared<'_>) {
    shared.about_lines.close();
    shared.about_order.close();
    shared.own_search.close();
}

/// An event from the GUI.
enum Command {
    Line(Vec<u8>),
    /// A line longer than [`LONGEST_COMMAND`], which was skipped.
    TooLong,
    /// The end of the input.
    End,
    Failed(io::Error),
    /// The wrapper ends, and no further command is processed.
    Over,
}

fn read_commands(input: impl Read, sender: &Sender<Command>) {
    let mut input = BufReader::new(input);
    loop {
        let command = match read_command(&mut input) {
            Ok(command) => command,
            Err(error) => Command::Failed(error),
        };
        let is_last = matches!(command, Command::End | Command::Failed(_));
        if sender.send(command).is_err() || is_last {
            return;
        }
    }
}

fn read_command(input: &mut impl BufRead) -> io::Result<Command> {
    let (mut line, mut is_too_long) = (Vec::new(), false);
    loop {
        let count = Read::take(&mut *input, LONGEST_COMMAND).read_until(b'\n', &mut line)?;
        match (count, is_too_long) {
            (0, false) => return Ok(Command::End),
            _ if count as u64 == LONGEST_COMMAND && line.last() != Some(&b'\n') => {
                is_too_long = true;
            }
            (_, true) => return Ok(Command::TooLong),
            (_, false) => return Ok(Command::Line(line)),
        }
        line.clear();
    }
}

/// Processes the GUI's commands.
fn obey(shared: &Shared<'_>, commands: &Receiver<Command>) -> Result<(), UciError> {
    // Some GUIs send the next search after `stop` without waiting for `bestmove`, and a file
    // contains all its commands at once. Such commands wait here, because lines of one search must
    // not be taken for those of another.
    let mut waiting = VecDeque::<String>::new();
    loop {
        let received = match waiting.is_empty() {
            true => commands.recv().map_err(|_| RecvTimeoutError::Disconnected),
            false => commands.recv_timeout(LOOK),
        };
        match received {
            Ok(Command::Line(line)) => {
                let text = String::from_utf8_lossy(&line);
                let text = text.trim_end_matches(['\n', '\r']);
                let word = first_word(text);
                let has_search = || waiting.iter().any(|line| first_word(line) == "go");
                match word {
                    "quit" => return Ok(()),
                    // `stop` ends the running search at once. It also waits in the queue, because
                    // it must end the waiting search too.
                    "stop" if has_search() => {
                        if !shared.state().is_stopping() {
                            obey_line(shared, text);
                        }
                        waiting.push_back(text.to_owned());
                    }
                    "stop" => obey_line(shared, text),
                    "ponderhit" if !has_search() => obey_line(shared, text),
                    _ if !waiting.is_empty() || shared.state().must_wait(word) => {
                        waiting.push_back(text.to_owned());
                    }
                    _ => obey_line(shared, text),
                }
            }
            Ok(Command::TooLong) => shared
                .state()
                .say("a command of more than 1 MiB was ignored"),
            Ok(Command::Failed(error)) => return Err(UciError::Read(error)),
            Ok(Command::Over) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Ok(Command::End) => {
                // The input ended, so the commands came from a file or a pipe. Finish its searches
                // before the end.
                loop {
                    obey_waiting(shared, &mut waiting);
                    let is_done = waiting.is_empty() && !shared.state().is_busy();
                    if is_done || shared.cancel.wait(LOOK) || commands.try_recv().is_ok() {
                        return Ok(());
                    }
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        obey_waiting(shared, &mut waiting);
    }
}

/// Processes waiting commands that need not wait any longer.
fn obey_waiting(shared: &Shared<'_>, waiting: &mut VecDeque<String>) {
    while let Some(line) = waiting.pop_front_if(|line| !shared.state().must_wait(first_word(line)))
    {
        obey_line(shared, &line);
    }
}

fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

/// Processes a command other than `quit`.
fn obey_line(shared: &Shared<'_>, text: &str) {
    let mut state = shared.state();
    let (word, rest) = text
        .trim_start()
        .split_once(char::is_whitespace)
        .unwrap_or((text.trim(), ""));
    match word {
        "uci" => state.uci(text),
        "setoption" => state.set_option(text, rest),
        "position" => state.position(text, rest),
        "ucinewgame" => state.new_game(text),
        "go" => {
            if let Some(own) = state.go(text, rest) {
                shared.own_search.put(own);
            }
        }
        "stop" | "ponderhit" => state.stop(text, word),
        _ => state.send(text),
    }
}

/// Reads the engine's lines, and starts the engine again after a crash.
fn listen(shared: &Shared<'_>, mut engine: RawEngine) -> Result<(), UciError> {
    let name = shared.config.engine.to_string();
    loop {
        while let Some(line) = engine.next_line() {
            take_line(shared, &line)?;
        }
        let (status, stderr) = engine.post_mortem();
        let mut state = shared.state();
        state.input = None;
        if state.phase == Phase::Ended || shared.cancel.is_set() {
            return Ok(());
        }
        if !state.is_introduced {
            state.phase = Phase::Ended;
            return Err(UciError::NoHandshake {
                engine: name,
                status,
                stderr,
            });
        }
        state.crashes += 1;
        let words = stderr.map_or_else(String::new, |line| format!(", saying {line:?}"));
        if state.crashes >= CRASHES {
            let crashes = state.crashes;
            state.say(&format!(
                "{name} crashed {crashes} times in a row ({status}{words}); it is not started \
                 again"
            ));
            state.answer_with_known_move();
            state.phase = Phase::Ended;
            return Err(UciError::Crashes {
                engine: name,
                crashes,
                status,
            });
        }
        state.say(&format!(
            "{name} crashed ({status}{words}); it is started again"
        ));
        if state.crashes_in_search() >= CRASHES_IN_A_SEARCH {
            state.answer_with_known_move();
        }
        drop(state);
        engine = start_again(shared)?;
    }
}

/// Starts the engine with all options, the position and the search that it had before the crash.
fn start_again(shared: &Shared<'_>) -> Result<RawEngine, UciError> {
    let (mut engine, mut input) = RawEngine::start(&shared.config.engine, &shared.cancel)?;
    let mut wait_for = |commands: &str, answer: Message<'_>| {
        // Ignore the error: if the engine has crashed again, reading its next line reports the
        // crash.
        let _ = input.send(commands);
        while let Some(line) = engine.next_line() {
            if uci::parse(&line) == answer {
                break;
            }
        }
    };
    wait_for("uci\n", Message::UciOk);
    let options = shared.state().options_sent();
    wait_for(&format!("{options}isready\n"), Message::ReadyOk);
    let mut state = shared.state();
    let mut commands = state.options_sent();
    commands += &state.position_sent();
    if let Some((go, turn, passed)) = state.search_again() {
        commands += &format!("{}\n", later(&go, turn, passed));
    }
    // Repeat the GUI's requests that were not answered before the crash.
    if state.phase == Phase::Introduction {
        commands += "uci\n";
    }
    commands += &state.questions_sent();
    let _ = input.send(&commands);
    state.input = Some(input);
    Ok(engine)
}

/// Processes a line of the engine.
fn take_line(shared: &Shared<'_>, line: &str) -> Result<(), UciError> {
    let mut state = shared.state();
    if state.phase == Phase::Introduction {
        return state.introduce(line).map_err(UciError::Start);
    }
    match uci::parse(line) {
        Message::Info(_) => {
            let Due { lines, order } = state.info(line);
            drop(state);
            lines
                .into_iter()
                .for_each(|about| shared.about_lines.put(about));
            order
                .into_iter()
                .for_each(|about| shared.about_order.put(about));
        }
        Message::BestMove(_) => state.best_move(line),
        Message::ReadyOk => state.ready(line),
        _ => state.print(line),
    }
    Ok(())
}

/// Prints sentences about what people do, when lines are known.
fn say_what_people_do(shared: &Shared<'_>, people: People<'_>) {
    while let Some(about) = shared.about_lines.take() {
        let sentences = people.sentences(&about.history, about.level, &about.lines);
        let mut state = shared.state();
        match sentences {
            Ok(sentences) => state.say_about(about.search, sentences),
            Err(error) => state.say_once(&format!("what people play here is not known: {error}")),
        }
    }
}

/// Computes the values for the order of the lines with a second engine.
fn look_behind_lines(shared: &Shared<'_>, people: People<'_>) {
    let mut second = None;
    while let Some(about) = shared.about_order.take() {
        shared.second_engine(&mut second);
        let Some(SecondEngine { pool: analyst, .. }) = &second else {
            continue;
        };
        for (uci, mv, reply) in &about.moves {
            if shared.about_order.is_stale() || !shared.state().is_searching(about.search) {
                break;
            }
            let value = match (about.order, reply) {
                (Order::Ease, Some(reply)) => {
                    people.next_loss(&about.history, [*mv, *reply], about.level, analyst)
                }
                (Order::Human, _) => people.chances(&about.history, *mv, about.opponent, analyst),
                _ => Ok(None),
            };
            match value {
                Ok(Some(value)) => shared.state().value(about.search, uci, value),
                Ok(None) => {}
                Err(error) => shared
                    .state()
                    .say_once(&format!("the order of the lines is the engine's: {error}")),
            }
        }
    }
}

/// Plays like people.
fn play(shared: &Shared<'_>, people: People<'_>) {
    let mut random = SplitMix64::new(shared.config.seed.unwrap_or_else(|| {
        let since = std::time::SystemTime::UNIX_EPOCH.elapsed();
        since.map_or(0, |time| time.as_nanos() as u64)
    }));
    let mut second = None;
    while let Some(own) = shared.own_search.take() {
        let begun = Instant::now();
        shared.second_engine(&mut second);
        let left = own.go.clocks.map_or(f64::INFINITY, |clocks| {
            own.history.turn().fold_wb(clocks[0], clocks[1])
        });
        let chosen = match &second {
            Some(SecondEngine { pool: analyst, .. }) => {
                choose(people, &own.history, own.rating, analyst, left, &mut random)
            }
            None => Ok(None),
        };
        let wait = chosen
            .as_ref()
            .ok()
            .and_then(Option::as_ref)
            .and_then(|chosen| {
                think_time(
                    &own.go,
                    &own.history,
                    own.seconds,
                    chosen.judged.is_none(),
                    &mut random,
                )
            });
        let end = begun + wait.unwrap_or_default();
        // `stop`, `ponderhit` and the end of the wrapper wake this thread.
        loop {
            let state = shared.state();
            let Some(is_released) = state.own_search_may_answer(own.search) else {
                break;
            };
            let now = Instant::now();
            if state.phase == Phase::Ended
                || shared.cancel.is_set()
                || (is_released && (now >= end || state.is_stopped(own.search)))
            {
                break;
            }
            drop(state);
            shared.cancel.wait(
                Duration::from_millis(2)
                    .min(end.saturating_duration_since(now))
                    .max(Duration::from_micros(500)),
            );
        }
        let mut state = shared.state();
        match chosen {
            Ok(chosen) => state.answer(&own, chosen),
            Err(EaseJudgeError::Analyst(centipawn_engine::AnalystError::Cancelled)) => {}
            Err(error) => {
                state.say_once(&format!("no move of people: {error}"));
                state.answer(&own, None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    /// An output that panics, which real outputs do not do.
    struct Panics;

    impl Write for Panics {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            panic!("as it should");
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn too_long_commands_are_skipped() {
        let limit = usize::try_from(LONGEST_COMMAND).unwrap();
        let mut input = vec![b'x'; limit - 1];
        input.push(b'\n');
        input.extend(vec![b'y'; 3 * limit]);
        input.extend(b"\nquit\n");
        input.extend(vec![b'z'; limit]);
        let (sender, commands) = channel();
        read_commands(&*input, &sender);
        let shown = commands.try_iter().map(|command| match command {
            Command::Line(line) => {
                String::from_utf8_lossy(&line[line.len().saturating_sub(3)..]).into_owned()
            }
            Command::TooLong => "too long".to_owned(),
            Command::End => "end".to_owned(),
            Command::Failed(_) | Command::Over => "failed".to_owned(),
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            ["xx\n", "too long", "it\n", "too long", "end"]
        );
    }

    #[test]
    fn a_panic_of_the_output_is_propagated() {
        let engine = EngineCommand {
            program: centipawn_fake_engine::path(),
            args: Vec::new(),
        };
        let config = Config::new(engine);
        let ran = || run(&config, &b"uci\nquit\n"[..], &mut Panics, &Cancel::new()).is_ok();
        assert!(catch_unwind(AssertUnwindSafe(ran)).is_err());
    }
}
