//! A tab whose searches a real Stockfish runs.

use centipawn_engine::{Cancel, RawEngine, RawInput, find};
use centipawn_tab::{Call, Reply, Tab};
use centipawn_test_support::skipped;
use serde_json::Value;

/// Time of all requests, in seconds since 1970.
pub(crate) const NOW: i64 = 1_790_000_000;

pub(crate) struct Visit {
    pub(crate) tab: Tab,
    engine: Option<(RawEngine, RawInput)>,
    /// Number of searches that ran.
    pub(crate) searches: usize,
    /// What the browser's database has.
    pub(crate) records: std::collections::BTreeMap<String, String>,
    pub(crate) events: Vec<Value>,
}

impl Visit {
    /// Returns a visit; `None` if Stockfish is missing.
    pub(crate) fn new() -> Option<Self> {
        if find("stockfish").is_err() {
            skipped("stockfish is missing", "CENTIPAWN_REQUIRE_ENGINES");
            return None;
        }
        Some(Self {
            tab: Tab::new(2),
            engine: None,
            searches: 0,
            records: Default::default(),
            events: Vec::new(),
        })
    }

    /// Opens the page again: a new tab with the same records.
    pub(crate) fn reload(&mut self) {
        self.tab = Tab::new(2);
        for (key, value) in &self.records {
            self.tab.load(key, value);
        }
        self.tab.resume();
    }

    fn search(&mut self, commands: &str, end: &str) -> String {
        let (engine, input) = self.engine.get_or_insert_with(|| {
            RawEngine::start(&find("stockfish").unwrap(), &Cancel::new()).unwrap()
        });
        input.send(commands).unwrap();
        let mut output = String::new();
        loop {
            let line = engine.next_line().expect("the engine goes on");
            output += &line;
            output.push('\n');
            if line.starts_with(end) {
                return output;
            }
        }
    }

    /// Stores the changes as the worker does.
    pub(crate) fn settle(&mut self) {
        for (key, value) in self.tab.changes() {
            match value {
                Some(value) => self.records.insert(key, value),
                None => self.records.remove(&key),
            };
        }
        let events = self.tab.events();
        let events = events
            .iter()
            .map(|event| serde_json::from_str(event).unwrap());
        self.events.extend(events);
    }

    /// Runs one missing search. Returns whether there was one.
    pub(crate) fn step(&mut self) -> bool {
        if self.tab.needs_engine() {
            let introduction = self.search("uci\n", "uciok");
            let set_up = self.tab.introduce(&introduction).unwrap();
            self.tab.forget_asked();
            self.search(&format!("{set_up}isready\n"), "readyok");
            self.settle();
            return true;
        }
        let Some(commands) = self.tab.wanted().into_iter().next() else {
            return false;
        };
        let output = self.search(&commands, "bestmove");
        self.searches += 1;
        self.tab.answer(&commands, &output);
        self.settle();
        true
    }

    /// Runs all missing searches.
    pub(crate) fn work(&mut self) {
        while self.step() {}
    }

    /// Sends a request, and runs the searches that it waits for.
    pub(crate) fn reply(&mut self, method: &str, path: &str, body: &[u8]) -> Reply {
        loop {
            let reply = self.tab.handle(&Call {
                method,
                path,
                body,
                now: NOW,
            });
            self.settle();
            if reply.status != Reply::ASK {
                return reply;
            }
            assert!(self.step(), "{path} waits for nothing");
        }
    }

    pub(crate) fn get(&mut self, path: &str) -> Value {
        json(&self.reply("GET", path, b""))
    }

    pub(crate) fn post(&mut self, path: &str, body: &Value) -> Value {
        json(&self.reply("POST", path, body.to_string().as_bytes()))
    }
}

fn json(reply: &Reply) -> Value {
    let value: Value = serde_json::from_slice(&reply.body).unwrap();
    assert_eq!(reply.status, 200, "{value}");
    value
}
