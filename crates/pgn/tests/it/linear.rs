//! Text that repeats itself is read in linear time, whatever it repeats.

use std::{fmt::Write as _, hint::black_box};

use centipawn_core::Eval;
use centipawn_pgn::{Annotation, Dialect, GameScanner, Reader, token::Tokenizer};
use rustix::time::{ClockId, clock_gettime};
use shakmaty::Color;

/// Beginnings of everything that has an end, and ends of everything that has a beginning.
#[rustfmt::skip]
const TOKENS: [&str; 72] = [
    "[ ",
    "[a ",
    "[\"",
    "[%",
    "[a \"",
    "[a\"\\",
    "[Event \"",
    "\n[Event \"",
    "\n[Event \"a\"]",
    "[a \"b\"]",
    "\n[a \"b\"]",
    "\n[a]",
    "\n[a",
    "\na \"b\"]\n",
    "[Site \"x\"] y\n",
    "\n\n[a]\n",
    "1-0\n[a]\n",
    "1-0\na \"",
    "1-0 ",
    "* ",
    "(e4",
    "(e4)",
    "e4 (",
    ")(",
    "{}",
    "{\n",
    "{[%",
    "{[%eval 1]} ",
    "{[%eval ",
    "{\n[Event ",
    ";\n",
    ";{",
    "$1 ",
    "$999",
    "1. ",
    "1... ",
    "1.\n\n",
    "e4 ",
    "Nf3 Nf6 ",
    "-- ",
    "Sf3 ",
    "♘f3 ",
    "ep ",
    "e.p. ",
    "0-0-",
    "e8=",
    "--+",
    "+/-",
    "½",
    "1/2-",
    "\u{feff}",
    "%\n",
    "\n%",
    "\\\"",
    "= ",
    "Q",
    "a1",
    "\r\n",
    "[a x]\n",
    "[a x ",
    "\r[a \"b\"]\r",
    "[a \"b\"] 2. e4 ",
    "\n\n[a \"b\"]\n[c \"d\"]",
    "0-0 ",
    "0–0 ",
    "½–½ ",
    "+:- ",
    "0.5-0.5 ",
    "— ",
    "<> ",
    "(1-0) ",
    "[%clk 1:30] ",
];
/// Characters with a meaning in PGN; the test tries all pairs.
const SPECIAL: &[u8] = b"[]{}();\"\\%$.*-=1e \n";

/// Returns the CPU time of this thread, in microseconds.
fn cpu() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

/// Microseconds that it takes to read `text` in every way, and to write what can be read of it.
fn read(text: &[u8]) -> f64 {
    let begin = cpu();
    let mut tokens = Tokenizer::new(text);
    while tokens.next_game() {
        tokens.by_ref().for_each(|token| {
            black_box(token);
        });
    }
    let mut scanner = GameScanner::new(text);
    while let Some(game) = scanner.next_game() {
        black_box(game.is_ok());
    }
    for mut game in Reader::new(text).flatten().flatten() {
        if let Some(ply) = game.plies.last_mut() {
            ply.set_eval(Eval::cp(1));
        }
        let mut out = String::new();
        write!(out, "{game}").unwrap();
    }
    for dialect in Dialect::ALL {
        black_box(Annotation::decode(text, dialect, Color::White));
    }
    cpu() - begin
}

/// Sixteen times the text may take a hundred times as long; in quadratic time it would take 256
/// times as long.
#[test]
fn repeated_text_takes_linear_time() {
    let pairs = SPECIAL
        .iter()
        .flat_map(|&a| SPECIAL.iter().map(move |&b| vec![a, b]));
    let singles = (0..=255).map(|byte| vec![byte]);
    let tokens = TOKENS.iter().map(|token| token.as_bytes().to_vec());
    for pattern in singles.chain(pairs).chain(tokens) {
        for before in ["", "[White \"A\"]\n\n1. e4 "] {
            let text = |length: usize| {
                [before.as_bytes(), &pattern.repeat(length / pattern.len())].concat()
            };
            let time = |length| read(&text(length));
            let (short, long) = (time(1 << 11).max(200.0), time(1 << 15));
            // Repeat a slow measurement, because other programs may have used the processor.
            assert!(
                long < 100.0 * short || (0..5).any(|_| time(1 << 15) < 100.0 * short),
                "{before}{:?} repeated: {short:.0} µs for 2 kB, {long:.0} µs for 32 kB",
                String::from_utf8_lossy(&pattern)
            );
        }
    }
}
