//! Process groups: an engine and all that it starts form one group, which a terminal's Ctrl-C does not reach and one kill ends.

#[cfg(unix)]
use std::process::Stdio;
use std::process::{Child, Command};

/// Makes the command start in a new process group.
#[cfg(unix)]
pub(crate) fn detach(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

/// Kills the group. `child` must not have been waited for: afterwards its process id may belong to another process.
#[cfg(unix)]
pub(crate) fn kill(child: &mut Child) {
    // An error means that no process of the group is left.
    let _ = rustix::process::kill_process_group(rustix::process::Pid::from_child(child), rustix::process::Signal::KILL);
}

/// Whether the program has ended. It is not waited for, so [`kill`] may still follow.
#[cfg(unix)]
pub(crate) fn has_ended(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(None))
}

/// A small process that kills an engine's group when this program ends without having done so: by SIGKILL, or because the system is
/// out of memory. It waits for the end of a pipe whose other end only this program holds.
#[cfg(unix)]
#[derive(Debug)]
pub(crate) struct Guard(Child);

#[cfg(unix)]
impl Guard {
    /// Guards the group of this engine; `None` where there is no shell. It must be dropped before the engine is waited for:
    /// afterwards the group's number may belong to others.
    pub(crate) fn of(engine: &Child) -> Option<Self> {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "read _; kill -KILL \"-$1\"", "centipawn-guard", &engine.id().to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        detach(&mut command);
        command.spawn().ok().map(Self)
    }
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
    pub(crate) fn of(_: &Child) -> Option<Self> {
        None
    }
}

/// Does nothing: process groups are used on Unix only.
#[cfg(not(unix))]
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
