//! Runs another engine and stops its process for a while in each search, as an overloaded machine
//! would.

use std::{
    io::{self, BufRead, Write},
    process::{Child, Command, Stdio, exit},
    thread,
    time::Duration,
};

/// The time from `go` to the pause, and the length of the pause. From three seconds on, Stockfish
/// reports more lines, so the pause is longer.
const PAUSE: [Duration; 2] = [Duration::from_millis(30), Duration::from_millis(3100)];

/// Starts `program`, and passes each line of the input on to it until the input ends. The program
/// writes to this process's output itself.
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
        if writeln!(input, "{line}")
            .and_then(|()| input.flush())
            .is_err()
        {
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
    if let Err(error) = Command::new("kill")
        .args([name, &engine.id().to_string()])
        .status()
    {
        eprintln!("cannot stop the engine: {error}");
    }
}
