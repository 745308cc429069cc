//! What the wrapper knows at a moment: what it has sent, what it has read.

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

/// Pause between sentences about one search.
const PAUSE: Duration = Duration::from_millis(400);

/// How far the conversation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Before `uci`.
    Silence,
    /// From `uci` to `uciok`.
    Introduction,
    /// Games.
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

/// A request for what the order of lines depends on.
pub(super) struct AboutOrder {
    pub(super) search: u64,
    pub(super) order: Order,
    pub(super) history: History,
    pub(super) level: u32,
    pub(super) opponent: u32,
    /// Moves in UCI notation, with the reply of their line.
    pub(super) moves: Vec<(String, Move, Option<Move>)>,
}

/// What a line of the engine gives the other threads to do.
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

/// An option that the engine was sent.
struct SentOption {
    name: String,
    value: String,
    command: String,
}

/// A running search.
struct Search {
    number: u64,
    /// The command; the engine has it.
    go: String,
    begun: Instant,
    turn: Color,
    worth: Worth,
    /// Lines that each depth has: `MultiPV`, or the number of legal moves.
    wanted: usize,
    /// The newest line of each rank.
    lines: Vec<InfoLine>,
    ordering: Ordering,
    /// When the other threads were asked last.
    asked: Option<Instant>,
    /// The sentences said last.
    said: Vec<String>,
    crashes: u32,
    is_stopped: bool,
    /// Whether an answer must wait for `stop` or `ponderhit`.
    is_held: bool,
    /// Whether the sparring partner searches, not the engine.
    is_own: bool,
}

/// See the module.
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
    /// The engine's options, without those that are also the wrapper's.
    offered: Vec<OptionDecl>,
    engine_name: String,
    /// Whether the engine prints `wdl` itself.
    engine_has_wdl: bool,
    /// Options that the engine was sent, the last value of each.
    options: Vec<SentOption>,
    multipv: usize,
    position: String,
    /// Whether the engine was started again without the position.
    lacks_position: bool,
    game: Game,
    /// The value of `UCI_Variant`.
    variant: String,
    search: Option<Search>,
    searches: u64,
    /// `isready` commands that are not answered yet, and whether the GUI asks.
    questions: VecDeque<bool>,
    said_once: Vec<String>,
}

impl<'a> State<'a> {
    pub(super) fn new(config: &'a Config, input: RawInput, output: &'a mut (dyn Write + Send)) -> Self {
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

    /// Prints a line. A GUI that has closed its end reads nothing; it is left when its commands end.
    pub(super) fn print(&mut self, line: &str) {
        let _ = self.output.write_all(format!("{line}\n").as_bytes()).and_then(|()| self.output.flush());
    }

    /// Prints a sentence for the reader.
    pub(super) fn say(&mut self, text: &str) {
        let line: String = text.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
        self.print(&format!("info string {line}"));
    }

    /// The same, unless it was said before.
    pub(super) fn say_once(&mut self, text: &str) {
        if !self.said_once.iter().any(|said| said == text) {
            self.said_once.push(text.to_owned());
            self.say(text);
        }
    }

    // To the engine.

    /// Sends a line. After a crash it is lost, unless it is one that is sent again.
    pub(super) fn send(&mut self, line: &str) {
        if line.trim() == "isready" {
            self.questions.push_back(true);
        }
        if let Some(input) = &mut self.input {
            // The engine's end is found when its output is read.
            let _ = input.send(&format!("{line}\n"));
        }
    }

    /// Asks for `readyok` on behalf of nothing in the GUI: the engine is busy until then.
    fn ask(&mut self) {
        self.send("isready");
        self.questions.pop_back();
        self.questions.push_back(false);
    }

    /// All options, as commands.
    pub(super) fn options_sent(&self) -> String {
        self.options.iter().map(|option| format!("{}\n", option.command)).collect()
    }

    /// Options that a second engine for positions of the same game is given: those that the engine has, without those that its pool sets,
    /// and without those that say how much of the machine it takes.
    pub(super) fn options_for_second(&self) -> Vec<(String, String)> {
        let own = ["Threads", "Hash", "MultiPV", "Ponder", "UCI_Chess960"];
        let kept = self.options.iter().filter(|option| !own.iter().any(|own| own.eq_ignore_ascii_case(&option.name)));
        kept.filter_map(|option| check_option(&self.offered, &option.name, &option.value).ok()).collect()
    }

    /// The position, as a command, for an engine that was started again. One that cannot be read may have caused the crash, so it is sent
    /// with a search only.
    pub(super) fn position_sent(&mut self) -> String {
        let searches = self.search.as_ref().is_some_and(|search| !search.is_own);
        self.lacks_position = self.is_unreadable() && !searches;
        if self.position.is_empty() || self.lacks_position { String::new() } else { format!("{}\n", self.position) }
    }

    /// Whether the position is of chess, but cannot be read.
    fn is_unreadable(&self) -> bool {
        !self.position.is_empty() && self.game.history.is_none() && self.game.variant != Variant::Other
    }

    /// `isready` as often as it is not answered.
    pub(super) fn questions_sent(&self) -> String {
        "isready\n".repeat(self.questions.len())
    }

    /// The running search, the side to move and the seconds since it began.
    pub(super) fn search_again(&mut self) -> Option<(String, Color, f64)> {
        let search = self.search.as_mut().filter(|search| !search.is_own)?;
        search.ordering.rest();
        let stop = if search.is_stopped { "\nstop" } else { "" };
        Some((format!("{}{stop}", search.go), search.turn, search.begun.elapsed().as_secs_f64()))
    }

    // The introduction.

    /// `uci`.
    pub(super) fn uci(&mut self, command: &str) {
        self.phase = Phase::Introduction;
        self.offered.clear();
        self.send(command);
    }

    /// A line of the engine before `uciok`. An error if the engine does not have one of the options that it should begin with.
    pub(super) fn introduce(&mut self, line: &str) -> Result<(), AnalystError> {
        match uci::parse(line) {
            Message::Name(name) => {
                name.clone_into(&mut self.engine_name);
                self.print(&format!("id name Centipawn with {name}"));
            }
            Message::Option(decl) if Settings::own(&decl.name).is_some() => {
                self.engine_has_wdl |= decl.name == "UCI_ShowWDL" && matches!(decl.kind, OptionKind::Check { .. });
            }
            Message::Option(decl) => {
                self.print(line);
                if let OptionKind::Combo { default, .. } = &decl.kind
                    && decl.name.eq_ignore_ascii_case("UCI_Variant")
                    // The GUI may set it before it reads this line.
                    && self.variant.is_empty()
                {
                    self.set_variant(default);
                }
                self.offered.push(decl);
            }
            Message::UciOk => {
                // Only before the GUI's.
                let options = std::mem::take(&mut self.start_options).iter();
                let checked = options
                    .map(|(name, value)| check_option(&self.offered, name, value))
                    .collect::<Result<Vec<_>, _>>();
                let refused = |reason| AnalystError::Option { engine: self.engine_name.clone(), reason };
                let options = checked.map_err(refused)?;
                for declaration in self.settings.declarations() {
                    self.print(&declaration);
                }
                self.print("uciok");
                self.phase = Phase::Playing;
                self.is_introduced = true;
                for (name, value) in options {
                    self.send_option(&format!("setoption name {name} value {value}"), &name, Some(&value));
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
        // A button has no value and is not pressed again.
        if let Some(value) = value {
            self.options.retain(|option| !option.name.eq_ignore_ascii_case(name));
            let (name, value, command) = (name.to_owned(), value.to_owned(), command.to_owned());
            self.options.push(SentOption { name, value, command });
        }
        self.send(command);
        if name.eq_ignore_ascii_case("uci_variant") {
            self.share_wdl();
        }
    }

    /// `UCI_Variant`: the position is read again, by the rules of this game.
    fn set_variant(&mut self, value: &str) {
        value.clone_into(&mut self.variant);
        self.game.variant = Variant::of(value);
        let position = self.position.trim_start().strip_prefix("position").unwrap_or("startpos");
        self.game.position(position.trim());
    }

    /// Lets the engine print its own `wdl` if that is what was asked for, or if the game is not chess.
    fn share_wdl(&mut self) {
        if self.engine_has_wdl {
            let is_engines = self.settings.curve == CurveSetting::Engine || self.game.variant == Variant::Other;
            let is_engines = self.settings.show_wdl && is_engines;
            let value = is_engines.to_string();
            self.send_option(&format!("setoption name UCI_ShowWDL value {value}"), "UCI_ShowWDL", Some(&value));
        }
    }

    // The GUI's commands.

    /// `setoption name … value …`.
    pub(super) fn set_option(&mut self, command: &str, rest: &str) {
        let text = rest.trim_start().strip_prefix("name").unwrap_or(rest).trim();
        let is_option = |name: &str| {
            Settings::own(name).is_some() || self.offered.iter().any(|decl| decl.name.eq_ignore_ascii_case(name))
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

    /// `position …`.
    pub(super) fn position(&mut self, command: &str, rest: &str) {
        self.send(command);
        command.clone_into(&mut self.position);
        self.lacks_position = false;
        self.game.position(rest.trim());
        if self.is_unreadable() {
            self.say("this position cannot be read; the engine's lines pass through unchanged");
        }
    }

    /// `ucinewgame`.
    pub(super) fn new_game(&mut self, command: &str) {
        self.game.begin();
        self.send(command);
    }

    /// `go …`: passes it on, or returns the search of the sparring partner.
    pub(super) fn go(&mut self, command: &str, rest: &str) -> Option<OwnSearch> {
        if self.game.variant == Variant::Other {
            self.say_once(&format!(
                "UCI_Variant is {}: the engine's lines pass through unchanged; Play_Like and what this program adds are for chess only",
                self.variant
            ));
        }
        let go = Go::parse(rest);
        let plays = self.settings.play_like > 0 && self.has_network && !go.is_infinite && !go.is_question;
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
        let uses_model = matches!(self.settings.curve, CurveSetting::Engine | CurveSetting::People(_));
        if let Some((version, used)) = WdlModel::replaced_version(&self.engine_name).filter(|_| uses_model) {
            self.say_once(&format!(
                "Stockfish {version} is not known; its evaluations count as those of Stockfish {used}"
            ));
        }
        let (context, turn) = self.game.context();
        let worth = Worth::new(&self.settings, &self.engine_name, (context, turn), self.game.seconds, go.clocks)
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
        own.map(|history| OwnSearch { search, history, rating, go, seconds })
    }

    /// `stop` or `ponderhit`.
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

    /// The GUI has left.
    pub(super) fn leave(&mut self) {
        self.phase = Phase::Ended;
        self.send("quit");
        self.input = None;
    }

    // The engine's lines.

    /// A line about the search. Returns what is due for the other threads.
    pub(super) fn info(&mut self, text: &str) -> Due {
        let line = InfoLine::parse(text);
        let (Some(line), Some(history), Some(search)) = (line, self.game.history.as_ref(), self.search.as_mut()) else {
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
            search.ordering.sort(&mut lines, self.settings.order, history);
            let lines: Vec<String> =
                lines.iter().enumerate().map(|(index, line)| self.written(line, Some(index + 1))).collect();
            lines.iter().for_each(|line| self.print(line));
        } else {
            let line = self.written(&line, None);
            self.print(&line);
        }
        if is_last { self.due() } else { Due::default() }
    }

    /// What is due for the other threads, not more often than after each pause.
    fn due(&mut self) -> Due {
        let Some(search) = &mut self.search else { return Due::default() };
        if !self.has_network || search.asked.is_some_and(|asked| asked.elapsed() < PAUSE) {
            return Due::default();
        }
        search.asked = Some(Instant::now());
        let lines = if self.settings.show_human { self.about_lines() } else { None };
        Due { lines, order: self.about_order() }
    }

    /// A line as the GUI shall read it.
    fn written(&self, line: &InfoLine, rank: Option<usize>) -> String {
        let Some(search) = &self.search else { return line.with(None, rank, None, true) };
        let cp = match line.score {
            Score::Cp(cp) if self.settings.score_type != ScoreType::Engine => {
                Some(search.worth.cp(cp, self.settings.score_type))
            }
            _ => None,
        };
        let is_engines = self.settings.curve == CurveSetting::Engine && self.engine_has_wdl;
        let wdl = (self.settings.show_wdl && !is_engines).then(|| per_mille(search.worth.wdl(line.score)));
        line.with(cp, rank, wdl, is_engines)
    }

    fn about_lines(&self) -> Option<AboutLines> {
        let (history, search) = (self.game.history.as_ref()?, self.search.as_ref()?);
        if self.game.legal_moves() == 0 {
            // The game is over.
            return None;
        }
        let first = |line: &InfoLine| Some((history.parse_uci(line.pv.first()?).ok()?, line.score));
        let lines = search.lines.iter().filter(|line| !line.is_bound).filter_map(first).collect();
        let level = self.settings.level_of(history.turn());
        Some(AboutLines { search: search.number, history: history.clone(), level, lines })
    }

    /// What the order of the lines asks for; `None` if it is the engine's.
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
                let uci = line.pv.first().filter(|uci| !search.ordering.values.contains_key(*uci))?;
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
            moves: moves.into_iter().map(|(_, uci, mv, reply)| (uci, mv, reply)).collect(),
        })
    }

    /// A value that the order depends on.
    pub(super) fn value(&mut self, number: u64, uci: &str, value: f64) {
        if let Some(search) = self.search.as_mut().filter(|search| search.number == number) {
            search.ordering.values.insert(uci.to_owned(), value);
        }
    }

    /// Sentences about a search that may have ended.
    pub(super) fn say_about(&mut self, number: u64, mut sentences: Vec<String>) {
        let Some(search) = self.search.as_mut().filter(|search| search.number == number) else { return };
        let best = search.lines.iter().find(|line| line.rank == 1 && !line.is_bound);
        if search.worth.is_of_people()
            && let Some(sentence) = best.and_then(|line| search.worth.sentence(line.score))
        {
            sentences.insert(0, sentence);
        }
        let new: Vec<String> = sentences.iter().filter(|sentence| !search.said.contains(sentence)).cloned().collect();
        search.said = sentences;
        new.iter().for_each(|sentence| self.say(sentence));
    }

    /// `readyok`.
    pub(super) fn ready(&mut self, line: &str) {
        if self.questions.pop_front() != Some(false) {
            self.print(line);
        }
    }

    /// `bestmove …`.
    pub(super) fn best_move(&mut self, line: &str) {
        if self.search.as_ref().is_none_or(|search| search.is_own) {
            // Of a search that a crash ended, and that has its answer.
            return;
        }
        self.flush();
        self.search = None;
        self.crashes = 0;
        self.print(line);
    }

    /// Prints the lines that wait for others of their depth.
    fn flush(&mut self) {
        let (Some(history), Some(search)) = (&self.game.history, &mut self.search) else { return };
        let mut lines = search.ordering.rest();
        search.ordering.sort(&mut lines, self.settings.order, history);
        let lines: Vec<String> =
            lines.iter().enumerate().map(|(index, line)| self.written(line, Some(index + 1))).collect();
        lines.iter().for_each(|line| self.print(line));
    }

    // Searches.

    /// Whether a search runs that ends by itself, or something is asked.
    pub(super) fn is_busy(&self) -> bool {
        let runs = self.search.as_ref().is_some_and(|search| !search.is_held || search.is_stopped);
        self.phase != Phase::Ended && (runs || !self.questions.is_empty() || self.phase == Phase::Introduction)
    }

    /// Whether a command must wait: until `uciok`, because the options of the start come before the GUI's, and until the running search has
    /// ended. A search without end does not end for it, and of a game that is over an engine may say nothing.
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

    /// Whether `stop` was sent to the running search.
    pub(super) fn is_stopping(&self) -> bool {
        self.search.as_ref().is_none_or(|search| search.is_stopped)
    }

    /// Whether this search still runs.
    pub(super) fn is_searching(&self, number: u64) -> bool {
        self.search.as_ref().is_some_and(|search| search.number == number)
    }

    /// Whether the sparring partner may answer; `None` if its search has ended.
    pub(super) fn own_search_may_answer(&self, number: u64) -> Option<bool> {
        let search = self.search.as_ref().filter(|search| search.number == number)?;
        Some(!search.is_held)
    }

    /// Whether `stop` was sent.
    pub(super) fn is_stopped(&self, number: u64) -> bool {
        self.search.as_ref().is_some_and(|search| search.number == number && search.is_stopped)
    }

    /// Counts a crash; crashes in the running search.
    pub(super) fn crashes_in_search(&mut self) -> u32 {
        self.search.as_mut().filter(|search| !search.is_own).map_or(0, |search| {
            search.crashes += 1;
            search.crashes
        })
    }

    /// Ends a search of a crashed engine with the best move that is known.
    pub(super) fn answer_with_known_move(&mut self) {
        let Some(search) = self.search.as_ref().filter(|search| !search.is_own) else { return };
        if search.is_held {
            // An answer would come too early.
            return;
        }
        let known = search.lines.iter().find(|line| line.rank == 1).and_then(|line| line.pv.first().cloned());
        let unreadable = || self.is_unreadable().then(|| "(none)".to_owned());
        let Some(best) = known.or_else(|| self.game.any_move()).or_else(unreadable) else { return };
        self.flush();
        self.search = None;
        self.print(&format!("bestmove {best}"));
    }

    /// The answer of the sparring partner.
    pub(super) fn answer(&mut self, own: &OwnSearch, chosen: Option<Chosen>) {
        if !self.is_searching(own.search) {
            return;
        }
        if let Some(Chosen { mv, judged: Some(judged) }) = &chosen
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
                self.search.as_ref().map_or(0, |search| search.begun.elapsed().as_millis())
            );
            let line = InfoLine::parse(&line).map_or(line, |parsed| self.written(&parsed, None));
            self.print(&line);
            if self.settings.show_human {
                let san = own.history.san(*mv);
                self.say(&format!("players of {} play {san} in {:.0} %", own.rating, 100.0 * played.p));
            }
        }
        self.search = None;
        let uci = chosen.map(|chosen| own.history.uci(chosen.mv).to_string()).or_else(|| self.game.any_move());
        self.print(&format!("bestmove {}", uci.as_deref().unwrap_or("(none)")));
    }
}

/// The name and the value of an option from `NAME value VALUE`. A name may contain the word `value` too, so the longest name that is an
/// option counts; if none is, the shortest.
fn split_option(text: &str, is_option: impl Fn(&str) -> bool) -> (&str, Option<&str>) {
    let text = text.trim();
    if is_option(text) {
        return (text, None);
    }
    let is_space = |char: Option<char>| char.is_none_or(char::is_whitespace);
    let splits = || {
        let words = text.match_indices("value").map(|(at, word)| (&text[..at], &text[at + word.len()..]));
        let words = words.filter(|(name, value)| is_space(name.chars().last()) && is_space(value.chars().next()));
        words.map(|(name, value)| (name.trim(), Some(value.trim())))
    };
    splits().filter(|(name, _)| is_option(name)).last().or_else(|| splits().next()).unwrap_or((text, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_options_may_contain_value() {
        let options = ["Hash", "Hash File", "Piece value", "Piece value scale", "Reset value"];
        let split = |text| split_option(text, |name| options.iter().any(|option| option.eq_ignore_ascii_case(name)));
        for (text, name, value) in [
            ("Hash value 32", "Hash", Some("32")),
            ("hash file  value a value.bin", "hash file", Some("a value.bin")),
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
