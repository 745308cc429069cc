//! Another engine, on a machine that stops it for a while in each search.

use std::{
    io::{self, BufRead, Write},
    process::{Child, Command, Stdio, exit},
    thread,
    time::Duration,
};

/// From `go` to the pause, and the pause itself: longer than the three seconds after which Stockfish reports more.
const PAUSE: [Duration; 2] = [Duration::from_millis(30), Duration::from_millis(3100)];

/// Passes everything on to `program` and back until the input ends.
pub(crate) fn run(program: &str) -> ! {
    let mut engine = match Command::new(program).stdin(Stdio::piped()).spawn() {
        Ok(engine) => engine,
        Err(error) => {
            eprintln!("cannot start {program}: {error}");
            exit(2);
        }
    };
    let mut input = engine.stdin.take();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        let Some(input) = &mut input else { break };
        if writeln!(input, "{line}").and_then(|()| input.flush()).is_err() {
            break;
        }
        if line.starts_with("go") {
            thread::sleep(PAUSE[0]);
            signal(&engine, "-STOP");
            thread::sleep(PAUSE[1]);
            signal(&engine, "-CONT");
        }
    }
    drop(input);
    let _ = engine.wait();
    exit(0);
}

fn signal(engine: &Child, name: &str) {
    if let Err(error) = Command::new("kill").args([name, &engine.id().to_string()]).status() {
        eprintln!("cannot stop the engine: {error}");
    }
}
