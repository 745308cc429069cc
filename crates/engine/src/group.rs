//! Process groups. An engine and its child processes form one group, so that a terminal's Ctrl-C
//! does not reach them and one kill ends them all.
//!
//! A child process may leave the group (`setsid`). On Linux it can still be found by an environment
//! variable that it inherits from the engine: the [`Mark`].

#[cfg(unix)]
use std::process::Stdio;
use std::{
    hash::{BuildHasher as _, RandomState},
    process::{Child, Command},
};

/// The environment variable of an engine and its child processes. It must differ from
/// `CENTIPAWN_ENGINE`, which names the user's engine: a Centipawn that runs as an engine reads that
/// variable.
const VARIABLE: &str = "CENTIPAWN_ENGINE_MARK";

/// A random text in the environment of one engine and its child processes, and of no other process.
#[derive(Debug)]
#[cfg_attr(not(unix), allow(dead_code))]
pub(crate) struct Mark(String);

impl Mark {
    /// Creates a mark and adds it to the environment of `command`.
    pub(crate) fn on(command: &mut Command) -> Self {
        // Each `RandomState` has different random keys.
        let random = || RandomState::new().hash_one(std::process::id());
        let value = format!("{:016x}{:016x}", random(), random());
        command.env(VARIABLE, &value);
        Self(format!("{VARIABLE}={value}"))
    }

    /// Kills all processes that have the mark.
    #[cfg(target_os = "linux")]
    pub(crate) fn kill(&self) {
        // Repeat, because processes may start others in the meantime, which also have the mark. A
        // process shows no environment at the moment at which it executes a program, so one search
        // that finds nothing is not the last.
        let mut is_missing = false;
        for _ in 0..ROUNDS {
            let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
            let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
            let was_missing = is_missing;
            is_missing = ids.filter(|id| self.kill_if_marked(*id)).count() == 0;
            if is_missing && was_missing {
                return;
            }
        }
    }

    /// Kills a process if it has the mark. Returns whether it did.
    #[cfg(target_os = "linux")]
    fn kill_if_marked(&self, id: i32) -> bool {
        use rustix::{
            io::Errno,
            process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open, pidfd_send_signal},
        };
        let has_mark = || {
            let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            environment
                .split(|byte| *byte == 0)
                .any(|variable| variable == self.0.as_bytes())
        };
        let Some(pid) = Pid::from_raw(id).filter(|_| has_mark()) else {
            return false;
        };
        match pidfd_open(pid, PidfdFlags::empty()) {
            // The process may have ended, and its id may belong to another process. The handle
            // cannot change its process, so check the mark again with the handle open.
            Ok(process) => has_mark() && pidfd_send_signal(process, Signal::KILL).is_ok(),
            Err(Errno::NOSYS) => kill_process(pid, Signal::KILL).is_ok(),
            Err(_) => false,
        }
    }

    /// Does nothing: other systems do not show the environment of processes.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn kill(&self) {}
}

/// Maximum number of searches for marked processes, which end when two in a row find none.
#[cfg(target_os = "linux")]
const ROUNDS: usize = 6;

/// The shell script of a guard. It waits for the end of its input, kills the process group `$1`,
/// then all processes with the variable `$2` where the system shows environments. It searches again
/// even if it finds none, as [`Mark::kill`] does. Nobody waits for it.
#[cfg(unix)]
const GUARD: &str = r#"read _
kill -KILL "-$1"
for round in 1 2 3 4 5 6; do
    for file in $(grep -lsF "$2" /proc/[0-9]*/environ); do
        process=${file#/proc/}
        kill -KILL "${process%/environ}"
    done
    sleep 0.1
done"#;

/// Makes the command start in a new process group.
#[cfg(unix)]
pub(crate) fn detach(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

/// Kills the group. `child` must not have been waited for: afterwards its process id may belong to
/// another process.
#[cfg(unix)]
pub(crate) fn kill(child: &mut Child) {
    // Ignore the error, which means that no process of the group is left.
    let _ = rustix::process::kill_process_group(
        rustix::process::Pid::from_child(child),
        rustix::process::Signal::KILL,
    );
}

/// Returns whether the program has ended. It is not waited for, so [`kill`] may still follow.
#[cfg(unix)]
pub(crate) fn has_ended(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(
        waitid(WaitId::Pid(Pid::from_child(child)), options),
        Ok(None)
    )
}

/// A small process that kills an engine's group, and the marked processes that left it, if this
/// program ends without doing so, for example by SIGKILL. It waits for the end of a pipe whose
/// other end only this program holds.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct Guard(Child);

#[cfg(unix)]
impl Guard {
    /// Guards the group of this engine and the processes with its mark; `None` if there is no
    /// shell. Drop the guard before waiting for the engine: afterwards the group's id may belong to
    /// other processes.
    pub(crate) fn of(engine: &Child, mark: &Mark) -> Option<Self> {
        let mut command = Command::new("/bin/sh");
        command.args([
            "-c",
            GUARD,
            "centipawn-guard",
            &engine.id().to_string(),
            &mark.0,
        ]);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        detach(&mut command);
        command.spawn().ok().map(Self)
    }

    /// Ends the guard, as dropping it does.
    pub(crate) fn end(self) {}
}

#[cfg(unix)]
impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Does nothing: other systems have no process groups.
#[cfg(not(unix))]
#[derive(Debug)]
pub(crate) struct Guard;

#[cfg(not(unix))]
impl Guard {
    pub(crate) fn of(_: &Child, _: &Mark) -> Option<Self> {
        None
    }

    pub(crate) fn end(self) {}
}

/// Keeps Ctrl-C in the console from the engine, which can then still answer while this program
/// ends.
#[cfg(windows)]
pub(crate) fn detach(command: &mut Command) {
    use std::os::windows::process::CommandExt as _;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x0200;
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

/// Does nothing: this system is neither Unix nor Windows.
#[cfg(not(any(unix, windows)))]
pub(crate) fn detach(_: &mut Command) {}

/// Kills the program.
#[cfg(not(unix))]
pub(crate) fn kill(child: &mut Child) {
    let _ = child.kill();
}

/// Returns whether the program has ended.
#[cfg(not(unix))]
pub(crate) fn has_ended(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}
