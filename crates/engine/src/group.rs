//! Process groups: an engine and all that it starts form one group, which a terminal's Ctrl-C does
//! not reach and one kill ends.
//!
//! A program that an engine starts may leave the group (`setsid`). On Linux it is found by a
//! variable of its environment, which it inherits from the engine: the [`Mark`].

#[cfg(unix)]
use std::process::Stdio;
use std::{
    hash::{BuildHasher as _, RandomState},
    process::{Child, Command},
};

/// The environment variable of an engine and of all that it starts. Not `CENTIPAWN_ENGINE`, which
/// is the user's: a program of ours below an engine reads that one.
const VARIABLE: &str = "CENTIPAWN_ENGINE_MARK";

/// A text in the environment of one engine, and of no other process but those that it starts.
#[derive(Debug)]
#[cfg_attr(not(unix), allow(dead_code))]
pub(crate) struct Mark(String);

impl Mark {
    /// A new mark, which the environment of `command` now has.
    pub(crate) fn on(command: &mut Command) -> Self {
        // Each state has random keys.
        let random = || RandomState::new().hash_one(std::process::id());
        let value = format!("{:016x}{:016x}", random(), random());
        command.env(VARIABLE, &value);
        Self(format!("{VARIABLE}={value}"))
    }

    /// Kills all processes that have the mark.
    #[cfg(target_os = "linux")]
    pub(crate) fn kill(&self) {
        // Processes that they start in the meantime have it too.
        for _ in 0..ROUNDS {
            let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
            let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
            if ids.filter(|id| self.kill_if_marked(*id)).count() == 0 {
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
            // The handle stays with this process, even if its number is given to another one; so
            // the mark is looked for again.
            Ok(process) => has_mark() && pidfd_send_signal(process, Signal::KILL).is_ok(),
            Err(Errno::NOSYS) => kill_process(pid, Signal::KILL).is_ok(),
            Err(_) => false,
        }
    }

    /// Other systems do not show environments.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn kill(&self) {}
}

/// How often marked processes are looked for, while there are some.
#[cfg(target_os = "linux")]
const ROUNDS: usize = 5;

/// The script of a guard: waits for the end of its input, kills the group `$1`, then all processes
/// with the variable `$2`, which it finds where the system shows environments.
#[cfg(unix)]
const GUARD: &str = r#"read _
kill -KILL "-$1"
for round in 1 2 3 4 5; do
    found=$(grep -lsF "$2" /proc/[0-9]*/environ)
    [ -n "$found" ] || break
    for file in $found; do
        process=${file#/proc/}
        kill -KILL "${process%/environ}"
    done
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
    // An error means that no process of the group is left.
    let _ = rustix::process::kill_process_group(
        rustix::process::Pid::from_child(child),
        rustix::process::Signal::KILL,
    );
}

/// Whether the program has ended. It is not waited for, so [`kill`] may still follow.
#[cfg(unix)]
pub(crate) fn has_ended(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(
        waitid(WaitId::Pid(Pid::from_child(child)), options),
        Ok(None)
    )
}

/// A small process that kills an engine's group, and the marked processes that left it, when this
/// program ends without having done so: by SIGKILL, or because the system is out of memory. It
/// waits for the end of a pipe whose other end only this program holds.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct Guard(Child);

#[cfg(unix)]
impl Guard {
    /// Guards the group of this engine and the processes with its mark; `None` where there is no
    /// shell. It must be dropped before the engine is waited for: afterwards the group's number may
    /// belong to others.
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

    /// Ends it, as dropping it does.
    pub(crate) fn end(self) {}
}

#[cfg(unix)]
impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// There are no groups to guard.
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

/// Ctrl-C in the console does not reach the program, so that it can still answer while we end.
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

/// Whether the program has ended.
#[cfg(not(unix))]
pub(crate) fn has_ended(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}
