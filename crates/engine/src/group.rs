//! Process groups: an engine and all that it starts form one group, which a terminal's Ctrl-C does not reach and one kill ends.

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
