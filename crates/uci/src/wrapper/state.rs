//! The state of the wrapper: what it has sent, and what it has received.

use std::{
    collections::VecDeque,
    fmt::Write as _,
    io::Write,
    time::{Duration, Instant},
};

use centipawn_core::{History, Score, WdlModel};
use centipawn_engine::{
    AnalystError, RawInput, check_option,
    uci::{self, Message, OptionDecl, OptionKind},
};
use shakmaty::{Color, Move};

use super::Config;
use crate::{
    CurveSetting, Order, ScoreType, Settings,
    game::{Game, Go, Variant},
    info_line::InfoLine,
    ordering::Ordering,
    play::Chosen,
    worth::{Worth, per_mille},
};

/// Minimum pause between sentences about one search.
const PAUSE: Duration = Duration::from_millis(400);

/// The phase of the conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Before the command `uci`.
    Silence,
    /// From `uci` to `uciok`.
    Introduction,
    /// After `uciok`: games and searches.
    Playing,
    /// After `quit`, or when the engine is given up.
    Ended,
}

/// A request for sentences about lines.
pub(super) struct AboutLines {
    pub(super) search: u64,
    pub(super) history: History,
    pub(super) level: u32,
    pub(super) lines: Vec<(Move, Score)>,
}

/// A request for the values on which the order of lines depends.
pub(super) struct AboutOrder {
    pub(super) search: u64,
    pub(super) order: Order,
    pub(super) history: History,
    pub(super) level: u32,
    pub(super) opponent: u32,
    /// Moves in UCI notation, each with the reply in its line.
    pub(super) moves: Vec<(String, Move, Option<Move>)>,
}

/// Requests to other threads that result from a line of the engine.
#[derive(Default)]
pub(super) struct Due {
    pub(super) lines: Option<AboutLines>,
    pub(super) order: Option<AboutOrder>,
}

/// A search of the sparring partner.
pub(super) struct OwnSearch {
    pub(super) search: u64,
    pub(super) history: History,
    pub(super) rating: u32,
    pub(super) go: Go,
    pub(super) seconds: Option<f64>,
}

/// An option that was sent to the engine.
struct SentOption {
    name: String,
    value: String,
    command: String,
}

/// A running search.
struct Search {
    number: u64,
    /// The command that the engine received.
    go: String,
    begun: Instant,
    turn: Color,
    worth: Worth,
    /// Number of lines in each depth: `MultiPV`, or the number of legal moves.
    wanted: usize,
    /// The newest line of each rank.
    lines: Vec<InfoLine>,
    ordering: Ordering,
    /// Time of the last request to the other threads.
    asked: Option<Instant>,
    /// The sentences that were printed last.
    said: Vec<String>,
    crashes: u32,
    is_stopped: bool,
    /// Whether an answer must wait for `stop` or `ponderhit`.
    is_held: bool,
    /// Whether the sparring partner searches instead of the engine.
    is_own: bool,
}

/// The state of the wrapper.
pub(super) struct State<'a> {
    pub(super) phase: Phase,
    /// Whether the engine has sent its first `uciok`.
    pub(super) is_introduced: bool,
    pub(super) input: Option<RawInput>,
    pub(super) crashes: u32,
    output: &'a mut (dyn Write + Send),
    settings: Settings,
    has_network: bool,
    start_options: &'a [(String, String)],
    /// The engine's options, except those that the wrapper also has.
    offered: Vec<OptionDecl>,
    engine_name: String,
    /// Whether the engine can print `wdl` itself.
    engine_has_wdl: bool,
    /// Options that were sent to the engine, each with its last value.
    options: Vec<SentOption>,
    multipv: usize,
    position: String,
    /// Whether the engine was started again without the position.
    lacks_position: bool,
    game: Game,
    /// Value of `UCI_Variant`.
    variant: String,
    search: Option<Search>,
    searches: u64,
    /// For each `isready` without an answer, whether the GUI sent it.
    questions: VecDeque<bool>,
    said_once: Vec<String>,
}

impl<'a> State<'a> {
    pub(super) fn new(
        config: &'a Config,
        input: RawInput,
        output: &'a mut (dyn Write + Send),
    ) -> Self {
        Self {
            phase: Phase::Silence,
            is_introduced: false,
            input: Some(input),
            crashes: 0,
            output,
            settings: config.settings.clone(),
            has_network: config.network.is_some(),
            start_options: &config.options,
            offered: Vec::new(),
            engine_name: String::new(),
            engine_has_wdl: false,
            options: Vec::new(),
            multipv: 1,
            position: String::new(),
            lacks_position: false,
            game: Game::default(),
            variant: String::new(),
            search: None,
            searches: 0,
            questions: VecDeque::new(),
            said_once: Vec::new(),
        }
    }

    // To the GUI.

    /// Prints a line. Errors are ignored: a GUI that has closed its output also ends its commands,
    /// which ends the wrapper.
    pub(super) fn print(&mut self, line: &str) {
        let _ = self
            .output
            .write_all(format!("{line}\n").as_bytes())
            .and_then(|()| self.output.flush());
    }

    /// Prints a sentence for the user.
    pub(super) fn say(&mut self, text: &str) {
        let line: String = text
            .chars()
            .map(|char| if char.is_control() { ' ' } else { char })
            .collect();
        self.print(&format!("info string {line}"));
    }

    /// Like [`say`](Self::say), but prints each sentence only once.
    pub(super) fn say_once(&mut self, text: &str) {
        if !self.said_once.iter().any(|said| said == text) {
            self.said_once.push(text.to_owned());
            self.say(text);
        }
    }

    // To the engine.

    /// Sends a line to the engine. After a crash it is lost, unless it is repeated when the engine
    /// is started again.
    pub(super) fn send(&mut self, line: &str) {
        if line.trim() == "isready" {
            self.questions.push_back(true);
        }
        if let Some(input) = &mut self.input {
            // Ignore the error: if the engine has ended, reading its output reports the end.
            let _ = input.send(&format!("{line}\n"));
        }
    }

    /// Sends `isready` for the wrapper itself. The engine counts as busy until `readyok`.
    fn ask(&mut self) {
        self.send("isready");
        self.questions.pop_back();
        self.questions.push_back(false);
    }

    /// Returns all options that were sent, as commands.
    pub(super) fn options_sent(&self) -> String {
        self.options
            .iter()
            .map(|option| format!("{}\n", option.command))
            .collect()
    }

    /// Returns the options for a second engine: those that were sent, except the ones that its pool
    /// sets, and the ones that determine its use of threads and memory.
    pub(super) fn options_for_second(&self) -> Vec<(String, String)> {
        let own = ["Threads", "Hash", "MultiPV", "Ponder", "UCI_Chess960"];
        let kept = self
            .options
            .iter()
            .filter(|option| !own.iter().any(|own| own.eq_ignore_ascii_case(&option.name)));
        kept.filter_map(|option| check_option(&self.offered, &option.name, &option.value).ok())
            .collect()
    }

    /// Returns the position, as a command, for an engine that was started again. A position that
    /// cannot be parsed may have caused the crash, so it is sent only if a search needs it.
    pub(super) fn position_sent(&mut self) -> String {
        let searches = self.search.as_ref().is_some_and(|search| !search.is_own);
        self.lacks_position = self.is_unreadable() && !searches;
        if self.position.is_empty() || self.lacks_position {
            String::new()
        } else {
            format!("{}\n", self.position)
        }
    }

    /// Returns whether the position is one of chess but cannot be parsed.
    fn is_unreadable(&self) -> bool {
        !self.position.is_empty()
            && self.game.history.is_none()
            && self.game.variant != Variant::Other
    }

    /// Returns one `isready` for each one without an answer.
    pub(super) fn questions_sent(&self) -> String {
        "isready\n".repeat(self.questions.len())
    }

    /// Returns the running search of the engine, the side to move, and the seconds since its start.
    pub(super) fn search_again(&mut self) -> Option<(String, Color, f64)> {
        let search = self.search.as_mut().filter(|search| !search.is_own)?;
        search.ordering.rest();
        let stop = if search.is_stopped { "\nstop" } else { "" };
        Some((
            format!("{}{stop}", search.go),
            search.turn,
            search.begun.elapsed().as_secs_f64(),
        ))
    }

    // The introduction.

    /// Handles `uci`.
    pub(super) fn uci(&mut self, command: &str) {
        self.phase = Phase::Introduction;
        self.offered.clear();
        self.send(command);
    }

    /// Handles a line of the engine before `uciok`. Returns an error if the engine does not have
    /// one of the options for its start.
    pub(super) fn introduce(&mut self, line: &str) -> Result<(), AnalystError> {
        match uci::parse(line) {
            Message::Name(name) => {
                name.clone_into(&mut self.engine_name);
                self.print(&format!("id name Centipawn with {name}"));
            }
            Message::Option(decl) if Settings::own(&decl.name).is_some() => {
                self.engine_has_wdl |=
                    decl.name == "UCI_ShowWDL" && matches!(decl.kind, OptionKind::Check { .. });
            }
            Message::Option(decl) => {
                self.print(line);
                if let OptionKind::Combo { default, .. } = &decl.kind
                    && decl.name.eq_ignore_ascii_case("UCI_Variant")
                    // The GUI may have set the variant before it reads this line.
                    && self.variant.is_empty()
                {
                    self.set_variant(default);
                }
                self.offered.push(decl);
            }
            Message::UciOk => {
                // The options for the start are sent once, before those of the GUI.
                let options = std::mem::take(&mut self.start_options).iter();
                let checked = options
                    .map(|(name, value)| check_option(&self.offered, name, value))
                    .collect::<Result<Vec<_>, _>>();
                let refused = |reason| AnalystError::Option {
                    engine: self.engine_name.clone(),
                    reason,
                };
                let options = checked.map_err(refused)?;
                for declaration in self.settings.declarations() {
                    self.print(&declaration);
                }
                self.print("uciok");
                self.phase = Phase::Playing;
                self.is_introduced = true;
                for (name, value) in options {
                    self.send_option(
                        &format!("setoption name {name} value {value}"),
                        &name,
                        Some(&value),
                    );
                }
                self.share_wdl();
            }
            _ => self.print(line),
        }
        Ok(())
    }

    fn send_option(&mut self, command: &str, name: &str, value: Option<&str>) {
        let given = value.unwrap_or_default();
        match name.to_ascii_lowercase().as_str() {
            "multipv" => self.multipv = given.parse().unwrap_or(1),
            "uci_chess960" => self.game.is_chess960 = given.eq_ignore_ascii_case("true"),
            "uci_variant" => self.set_variant(given),
            _ => {}
        }
        // A button has no value, and must not be pressed again after a crash.
        if let Some(value) = value {
            self.options
                .retain(|option| !option.name.eq_ignore_ascii_case(name));
            let (name, value, command) = (name.to_owned(), value.to_owned(), command.to_owned());
            self.options.push(SentOption {
                name,
                value,
                command,
            });
        }
        self.send(command);
        if name.eq_ignore_ascii_case("uci_variant") {
            self.share_wdl();
        }
    }

    /// Handles `UCI_Variant`: parses the position again by the rules of this variant.
    fn set_variant(&mut self, value: &str) {
        value.clone_into(&mut self.variant);
        self.game.variant = Variant::of(value);
        let position = self
            .position
            .trim_start()
            .strip_prefix("position")
            .unwrap_or("startpos");
        self.game.position(position.trim());
    }

    /// Lets the engine print its own `wdl` if the settings ask for it, or if the variant is not
    /// chess.
    fn share_wdl(&mut self) {
        if self.engine_has_wdl {
            let is_engines =
                self.settings.curve == CurveSetting::Engine || self.game.variant == Variant::Other;
            let is_engines = self.settings.show_wdl && is_engines;
            let value = is_engines.to_string();
            self.send_option(
                &format!("setoption name UCI_ShowWDL value {value}"),
                "UCI_ShowWDL",
                Some(&value),
            );
        }
    }

    // The GUI's commands.

    /// Handles `setoption name … value …`.
    pub(super) fn set_option(&mut self, command: &str, rest: &str) {
        let text = rest
            .trim_start()
            .strip_prefix("name")
            .unwrap_or(rest)
            .trim();
        let is_option = |name: &str| {
            Settings::own(name).is_some()
                || self
                    .offered
                    .iter()
                    .any(|decl| decl.name.eq_ignore_ascii_case(name))
        };
        let (name, value) = split_option(text, is_option);
        let Some(own) = Settings::own(name) else {
            return self.send_option(command, name, value);
        };
        match self.settings.set(own, value.unwrap_or_default()) {
            Ok(()) => self.share_wdl(),
            Err(error) => self.say(&error.to_string()),
        }
        let needs_network = self.settings.play_like > 0 || self.settings.order != Order::Engine;
        if needs_network && !self.has_network {
            self.say_once("Order and Play_Like need a network, and there is none");
        }
    }

    /// Handles `position …`.
    pub(super) fn position(&mut self, command: &str, rest: &str) {
        self.send(command);
        command.clone_into(&mut self.position);
        self.lacks_position = false;
        self.game.position(rest.trim());
        if self.is_unreadable() {
            self.say("this position cannot be read; the engine's lines pass through unchanged");
        }
    }

    /// Handles `ucinewgame`.
    pub(super) fn new_game(&mut self, command: &str) {
        self.game.begin();
        self.send(command);
    }

    /// Handles `go …`: sends it to the engine, or returns a search for the sparring partner.
    pub(super) fn go(&mut self, command: &str, rest: &str) -> Option<OwnSearch> {
        if self.game.variant == Variant::Other {
            self.say_once(&format!(
                "UCI_Variant is {}: the engine's lines pass through unchanged; Play_Like and what \
                 this program adds are for chess only",
                self.variant
            ));
        }
        let go = Go::parse(rest);
        let plays =
            self.settings.play_like > 0 && self.has_network && !go.is_infinite && !go.is_question;
        let own = self.game.history.clone().filter(|_| plays);
        if own.is_none() {
            if std::mem::take(&mut self.lacks_position) {
                self.send(&self.position.clone());
            }
            self.send(command);
        }
        if go.is_perft {
            self.ask();
            return None;
        }
        self.game.go(&go);
        self.searches += 1;
        let uses_model = matches!(
            self.settings.curve,
            CurveSetting::Engine | CurveSetting::People(_)
        );
        if let Some((version, used)) =
            WdlModel::replaced_version(&self.engine_name).filter(|_| uses_model)
        {
            self.say_once(&format!(
                "Stockfish {version} is not known; its evaluations count as those of Stockfish {used}"
            ));
        }
        let (context, turn) = self.game.context();
        let worth = Worth::new(
            &self.settings,
            &self.engine_name,
            (context, turn),
            self.game.seconds,
            go.clocks,
        )
        .drawn(self.game.is_drawn());
        self.search = Some(Search {
            number: self.searches,
            go: command.to_owned(),
            begun: Instant::now(),
            turn,
            worth,
            wanted: self.multipv.min(self.game.legal_moves()).max(1),
            lines: Vec::new(),
            ordering: Ordering::default(),
            asked: None,
            said: Vec::new(),
            crashes: 0,
            is_stopped: false,
            is_held: go.is_ponder || go.is_infinite,
            is_own: own.is_some(),
        });
        let (search, rating, seconds) = (self.searches, self.settings.play_like, self.game.seconds);
        own.map(|history| OwnSearch {
            search,
            history,
            rating,
            go,
            seconds,
        })
    }

    /// Handles `stop` and `ponderhit`.
    pub(super) fn stop(&mut self, command: &str, word: &str) {
        let is_own = self.search.as_ref().is_some_and(|search| search.is_own);
        if !is_own {
            self.send(command);
        }
        if let Some(search) = &mut self.search {
            search.is_held = false;
            search.is_stopped |= word == "stop";
            if word == "ponderhit" {
                search.begun = Instant::now();
                search.go = search.go.replace(" ponder", "");
            }
        }
    }

    /// Ends the conversation, and sends `quit` to the engine.
    pub(super) fn leave(&mut self) {
        self.phase = Phase::Ended;
        self.send("quit");
        self.input = None;
    }

    // The engine's lines.

    /// Handles a line about the search. Returns the requests to other threads.
    pub(super) fn info(&mut self, text: &str) -> Due {
        let line = InfoLine::parse(text);
        let (Some(line), Some(history), Some(search)) =
            (line, self.game.history.as_ref(), self.search.as_mut())
        else {
            self.print(text);
            return Due::default();
        };
        let wanted = search.wanted;
        search.lines.retain(|known| known.rank != line.rank);
        search.lines.push(line.clone());
        let is_last = line.rank >= wanted && !line.is_bound;
        let reorders = self.settings.order != Order::Engine && wanted > 1 && self.has_network;
        if reorders {
            let mut lines = search.ordering.take(line, wanted);
            search
                .ordering
                .sort(&mut lines, self.settings.order, history);
            let lines: Vec<String> = lines
                .iter()
                .enumerate()
                .map(|(index, line)| self.written(line, Some(index + 1)))
                .collect();
            lines.iter().for_each(|line| self.print(line));
        } else {
            let line = self.written(&line, None);
            self.print(&line);
        }
        if is_last { self.due() } else { Due::default() }
    }

    /// Returns the requests to other threads, at most once in each [`PAUSE`].
    fn due(&mut self) -> Due {
        let Some(search) = &mut self.search else {
            return Due::default();
        };
        if !self.has_network || search.asked.is_some_and(|asked| asked.elapsed() < PAUSE) {
            return Due::default();
        }
        search.asked = Some(Instant::now());
        let lines = if self.settings.show_human {
            self.about_lines()
        } else {
            None
        };
        Due {
            lines,
            order: self.about_order(),
        }
    }

    /// Formats a line for the GUI.
    fn written(&self, line: &InfoLine, rank: Option<usize>) -> String {
        let Some(search) = &self.search else {
            return line.with(None, rank, None, true);
        };
        let cp = match line.score {
            Score::Cp(cp) if self.settings.score_type != ScoreType::Engine => {
                Some(search.worth.cp(cp, self.settings.score_type))
            }
            _ => None,
        };
        let is_engines = self.settings.curve == CurveSetting::Engine && self.engine_has_wdl;
        let wdl = (self.settings.show_wdl && !is_engines)
            .then(|| per_mille(search.worth.wdl(line.score)));
        line.with(cp, rank, wdl, is_engines)
    }

    fn about_lines(&self) -> Option<AboutLines> {
        let (history, search) = (self.game.history.as_ref()?, self.search.as_ref()?);
        if self.game.legal_moves() == 0 {
            // The game is over, so no move can be predicted.
            return None;
        }
        let first = |line: &InfoLine| Some((history.parse_uci(line.pv.first()?).ok()?, line.score));
        let lines = search
            .lines
            .iter()
            .filter(|line| !line.is_bound)
            .filter_map(first)
            .collect();
        let level = self.settings.level_of(history.turn());
        Some(AboutLines {
            search: search.number,
            history: history.clone(),
            level,
            lines,
        })
    }

    /// Returns the request for the order of the lines; `None` if the order is the engine's.
    fn about_order(&self) -> Option<AboutOrder> {
        let (history, search) = (self.game.history.as_ref()?, self.search.as_ref()?);
        let order = self.settings.order;
        if order == Order::Engine || search.wanted < 2 {
            return None;
        }
        let mut moves: Vec<_> = search
            .lines
            .iter()
            .filter_map(|line| {
                let uci = line
                    .pv
                    .first()
                    .filter(|uci| !search.ordering.values.contains_key(*uci))?;
                let mv = history.parse_uci(uci).ok()?;
                let mut after = history.clone();
                after.push(mv);
                let reply = line.pv.get(1).and_then(|reply| after.parse_uci(reply).ok());
                Some((line.rank, uci.clone(), mv, reply))
            })
            .collect();
        moves.sort_by_key(|(rank, ..)| *rank);
        let turn = history.turn();
        Some(AboutOrder {
            search: search.number,
            order,
            history: history.clone(),
            level: self.settings.level_of(turn),
            opponent: self.settings.level_of(!turn),
            moves: moves
                .into_iter()
                .map(|(_, uci, mv, reply)| (uci, mv, reply))
                .collect(),
        })
    }

    /// Stores a value for the order of the lines.
    pub(super) fn value(&mut self, number: u64, uci: &str, value: f64) {
        if let Some(search) = self
            .search
            .as_mut()
            .filter(|search| search.number == number)
        {
            search.ordering.values.insert(uci.to_owned(), value);
        }
    }

    /// Prints sentences about a search, unless it has ended.
    pub(super) fn say_about(&mut self, number: u64, mut sentences: Vec<String>) {
        let Some(search) = self
            .search
            .as_mut()
            .filter(|search| search.number == number)
        else {
            return;
        };
        let best = search
            .lines
            .iter()
            .find(|line| line.rank == 1 && !line.is_bound);
        if search.worth.is_of_people()
            && let Some(sentence) = best.and_then(|line| search.worth.sentence(line.score))
        {
            sentences.insert(0, sentence);
        }
        let new: Vec<String> = sentences
            .iter()
            .filter(|sentence| !search.said.contains(sentence))
            .cloned()
            .collect();
        search.said = sentences;
        new.iter().for_each(|sentence| self.say(sentence));
    }

    /// Handles `readyok`.
    pub(super) fn ready(&mut self, line: &str) {
        if self.questions.pop_front() != Some(false) {
            self.print(line);
        }
    }

    /// Handles `bestmove …`.
    pub(super) fn best_move(&mut self, line: &str) {
        if self.search.as_ref().is_none_or(|search| search.is_own) {
            // This line belongs to a search that was already answered after a crash.
            return;
        }
        self.flush();
        self.search = None;
        self.crashes = 0;
        self.print(line);
    }

    /// Prints the lines that wait for other lines of their depth.
    fn flush(&mut self) {
        let (Some(history), Some(search)) = (&self.game.history, &mut self.search) else {
            return;
        };
        let mut lines = search.ordering.rest();
        search
            .ordering
            .sort(&mut lines, self.settings.order, history);
        let lines: Vec<String> = lines
            .iter()
            .enumerate()
            .map(|(index, line)| self.written(line, Some(index + 1)))
            .collect();
        lines.iter().for_each(|line| self.print(line));
    }

    // Searches.

    /// Returns whether a search runs that will end by itself, or a request has no answer yet.
    pub(super) fn is_busy(&self) -> bool {
        let runs = self
            .search
            .as_ref()
            .is_some_and(|search| !search.is_held || search.is_stopped);
        self.phase != Phase::Ended
            && (runs || !self.questions.is_empty() || self.phase == Phase::Introduction)
    }

    /// Returns whether a command must wait: until `uciok`, because the options for the start are
    /// sent before the GUI's, and until the running search has ended. Commands do not wait for a
    /// search without a limit, which would never end, or in a game that is over, where the engine
    /// may never answer.
    pub(super) fn must_wait(&self, word: &str) -> bool {
        let ends = |search: &Search| !search.is_held || search.is_stopped;
        match self.phase {
            Phase::Ended => false,
            Phase::Introduction => true,
            Phase::Silence | Phase::Playing => {
                matches!(word, "position" | "go" | "ucinewgame")
                    && self.search.as_ref().is_some_and(ends)
                    && self.game.legal_moves() > 0
            }
        }
    }

    /// Returns whether `stop` was sent to the running search; true if no search runs.
    pub(super) fn is_stopping(&self) -> bool {
        self.search.as_ref().is_none_or(|search| search.is_stopped)
    }

    /// Returns whether this search is still running.
    pub(super) fn is_searching(&self, number: u64) -> bool {
        self.search
            .as_ref()
            .is_some_and(|search| search.number == number)
    }

    /// Returns whether the sparring partner may answer now; `None` if its search has ended.
    pub(super) fn own_search_may_answer(&self, number: u64) -> Option<bool> {
        let search = self
            .search
            .as_ref()
            .filter(|search| search.number == number)?;
        Some(!search.is_held)
    }

    /// Returns whether this search runs and was stopped.
    pub(super) fn is_stopped(&self, number: u64) -> bool {
        self.search
            .as_ref()
            .is_some_and(|search| search.number == number && search.is_stopped)
    }

    /// Counts a crash in the running search of the engine, and returns their number; 0 if no such
    /// search runs.
    pub(super) fn crashes_in_search(&mut self) -> u32 {
        self.search
            .as_mut()
            .filter(|search| !search.is_own)
            .map_or(0, |search| {
                search.crashes += 1;
                search.crashes
            })
    }

    /// Ends the search of a crashed engine with the best known move.
    pub(super) fn answer_with_known_move(&mut self) {
        let Some(search) = self.search.as_ref().filter(|search| !search.is_own) else {
            return;
        };
        if search.is_held {
            // The GUI does not expect an answer before `stop` or `ponderhit`.
            return;
        }
        let known = search
            .lines
            .iter()
            .find(|line| line.rank == 1)
            .and_then(|line| line.pv.first().cloned());
        let unreadable = || self.is_unreadable().then(|| "(none)".to_owned());
        let Some(best) = known.or_else(|| self.game.any_move()).or_else(unreadable) else {
            return;
        };
        self.flush();
        self.search = None;
        self.print(&format!("bestmove {best}"));
    }

    /// Prints the answer of the sparring partner.
    pub(super) fn answer(&mut self, own: &OwnSearch, chosen: Option<Chosen>) {
        if !self.is_searching(own.search) {
            return;
        }
        if let Some(Chosen {
            mv,
            judged: Some(judged),
        }) = &chosen
            && let Some(played) = judged.moves.iter().find(|judged| judged.mv == *mv)
        {
            let uci = own.history.uci(*mv);
            let mut line = String::from("info depth 1 score ");
            let _ = match played.eval.score() {
                Score::Cp(cp) => write!(line, "cp {cp}"),
                Score::Mate(moves) => write!(line, "mate {moves}"),
            };
            let _ = write!(
                line,
                " nodes 1 time {} pv {uci}",
                self.search
                    .as_ref()
                    .map_or(0, |search| search.begun.elapsed().as_millis())
            );
            let line = InfoLine::parse(&line).map_or(line, |parsed| self.written(&parsed, None));
            self.print(&line);
            if self.settings.show_human {
                let san = own.history.san(*mv);
                self.say(&format!(
                    "players of {} play {san} in {:.0} %",
                    own.rating,
                    100.0 * played.p
                ));
            }
        }
        self.search = None;
        let uci = chosen
            .map(|chosen| own.history.uci(chosen.mv).to_string())
            .or_else(|| self.game.any_move());
        self.print(&format!("bestmove {}", uci.as_deref().unwrap_or("(none)")));
    }
}

/// Splits `NAME value VALUE` into the name and the value of an option. A name may contain the word
/// `value` too, so the longest prefix that is the name of an option is used, or the shortest if
/// none is.
fn split_option(text: &str, is_option: impl Fn(&str) -> bool) -> (&str, Option<&str>) {
    let text = text.trim();
    if is_option(text) {
        return (text, None);
    }
    let is_space = |char: Option<char>| char.is_none_or(char::is_whitespace);
    let splits = || {
        let words = text
            .match_indices("value")
            .map(|(at, word)| (&text[..at], &text[at + word.len()..]));
        let words = words.filter(|(name, value)| {
            is_space(name.chars().last()) && is_space(value.chars().next())
        });
        words.map(|(name, value)| (name.trim(), Some(value.trim())))
    };
    splits()
        .filter(|(name, _)| is_option(name))
        .last()
        .or_else(|| splits().next())
        .unwrap_or((text, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_options_may_contain_the_word_value() {
        let options = [
            "Hash",
            "Hash File",
            "Piece value",
            "Piece value scale",
            "Reset value",
        ];
        let split = |text| {
            split_option(text, |name| {
                options
                    .iter()
                    .any(|option| option.eq_ignore_ascii_case(name))
            })
        };
        for (text, name, value) in [
            ("Hash value 32", "Hash", Some("32")),
            (
                "hash file  value a value.bin",
                "hash file",
                Some("a value.bin"),
            ),
            ("Hash File value", "Hash File", Some("")),
            ("Piece value value 3", "Piece value", Some("3")),
            ("Piece value scale value 3", "Piece value scale", Some("3")),
            ("Reset value", "Reset value", None),
            ("Clear Hash", "Clear Hash", None),
            ("Overvalued value 1", "Overvalued", Some("1")),
            ("", "", None),
        ] {
            assert_eq!(split(text), (name, value), "{text}");
        }
    }
}
