//! The functions of the WebAssembly module. `crates/web/ui/src/tab/program.ts` calls them.
//!
//! Messages are bytes: a line of JSON, then a body. The caller reserves room with `reserve`, writes
//! a message there, and calls `run`, which returns the length of the answer; `answer` says where it
//! is. So no pointer is read here, and the module needs no generated JavaScript.

use std::cell::RefCell;

use centipawn_policy::Network;
use serde::{Deserialize, Serialize};

use crate::{Call, Reply, Tab};

/// A message: what to do. The body follows its line.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
enum Message {
    /// Begins, with this number of engines.
    Start { engines: usize },
    /// Takes the files of the policy, which follow each other in the body.
    Networks { sizes: [usize; 4] },
    /// Takes a record. The body is its value.
    Load { key: String },
    /// Continues what a closed tab left.
    Resume,
    /// Answers a request.
    Handle {
        method: String,
        path: String,
        now: i64,
    },
    /// Takes what an engine printed after `uci`.
    Introduce,
    /// Takes what an engine printed for these commands.
    Answer { commands: String },
    /// Forgets the searches that calls wait for.
    Forget,
    /// Reports that the engine cannot be used.
    Fail { reason: String },
}

/// The first line of an answer.
#[derive(Default, Serialize)]
struct Head {
    status: u16,
    kind: &'static str,
    file: String,
    /// Commands for each engine before its first search.
    set_up: Option<String>,
    /// Why the message failed.
    error: Option<String>,
    wanted: Vec<String>,
    needs_engine: bool,
    changes: Vec<(String, Option<String>)>,
    /// Events, each as JSON.
    events: Vec<String>,
}

#[derive(Default)]
struct Module {
    message: Vec<u8>,
    answer: Vec<u8>,
    tab: Option<Tab>,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
}

/// Reserves room for a message of this length, and returns its address.
#[allow(
    unsafe_code,
    reason = "the attribute that exports a function is unsafe"
)]
#[unsafe(no_mangle)]
extern "C" fn reserve(length: usize) -> *mut u8 {
    MODULE.with_borrow_mut(|module| {
        module.message = vec![0; length];
        module.message.as_mut_ptr()
    })
}

/// Runs the message, and returns the length of the answer.
#[allow(unsafe_code, reason = "as for `reserve`")]
#[unsafe(no_mangle)]
extern "C" fn run() -> usize {
    MODULE.with_borrow_mut(|module| {
        let message = std::mem::take(&mut module.message);
        let (head, body) = perform(&mut module.tab, message);
        // The head has only plain values, so this cannot fail.
        let mut answer = serde_json::to_vec(&head).unwrap_or_default();
        answer.push(b'\n');
        answer.extend(body);
        module.answer = answer;
        module.answer.len()
    })
}

/// Returns the address of the answer.
#[allow(unsafe_code, reason = "as for `reserve`")]
#[unsafe(no_mangle)]
extern "C" fn answer() -> *const u8 {
    MODULE.with_borrow(|module| module.answer.as_ptr())
}

fn perform(tab: &mut Option<Tab>, message: Vec<u8>) -> (Head, Vec<u8>) {
    let end = message.iter().position(|byte| *byte == b'\n');
    let end = end.unwrap_or(message.len());
    let body = message.get(end + 1..).unwrap_or_default();
    let mut head = Head::default();
    let message = match serde_json::from_slice(&message[..end]) {
        Ok(message) => message,
        Err(error) => {
            head.error = Some(error.to_string());
            return (head, Vec::new());
        }
    };
    let mut answer = Vec::new();
    let tab = match message {
        Message::Start { engines } => tab.insert(Tab::new(engines)),
        _ => tab.get_or_insert_with(|| Tab::new(1)),
    };
    let text = || String::from_utf8_lossy(body);
    match message {
        Message::Start { .. } => {}
        Message::Networks { sizes } => {
            let mut rest = body;
            let files = sizes.map(|size| {
                let (file, others) = rest.split_at(size.min(rest.len()));
                rest = others;
                file.to_vec()
            });
            Network::provide_bundled(files);
        }
        Message::Load { key } => tab.load(&key, &text()),
        Message::Resume => tab.resume(),
        Message::Handle { method, path, now } => {
            let Reply {
                status,
                kind,
                file,
                body,
            } = tab.handle(&Call {
                method: &method,
                path: &path,
                body,
                now,
            });
            (head.status, head.kind, head.file) = (status, kind, file);
            answer = body;
        }
        Message::Introduce => match tab.introduce(&text()) {
            Ok(commands) => head.set_up = Some(commands),
            Err(error) => head.error = Some(error.to_string()),
        },
        Message::Answer { commands } => tab.answer(&commands, &text()),
        Message::Forget => tab.forget_asked(),
        Message::Fail { reason } => tab.fail(&reason),
    }
    head.wanted = tab.wanted();
    head.needs_engine = tab.needs_engine();
    head.changes = tab.changes();
    head.events = tab.events();
    (head, answer)
}
