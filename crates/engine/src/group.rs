//! An engine and whatever it starts, as one process group: what a signal of the terminal does not reach and one kill does.

use std::process::{Child, Command};

/// Starts the program in a group of its own.
#[cfg(unix)]
pub(crate) fn detach(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

/// Kills the group. `child` must not have been waited for, else its number may be another's by now.
#[cfg(unix)]
pub(crate) fn kill(child: &mut Child) {
    // An error means that nobody is left.
    let _ = rustix::process::kill_process_group(rustix::process::Pid::from_child(child), rustix::process::Signal::KILL);
}

/// Whether the program has ended; it stays to be waited for, so [`kill`] may still follow.
#[cfg(unix)]
pub(crate) fn has_ended(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(None))
}

/// Elsewhere a program has no group; killing it must do.
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
