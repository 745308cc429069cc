//! Hashes of the files that are read, computed while they are read.

use std::{
    path::PathBuf,
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

use centipawn_progress::{Cancel, Input};

/// Sizes and hashes of input files for a document's provenance, computed on a separate thread while
/// other threads read the files.
pub(crate) struct InputHashes(Beside<Vec<Input>>);

impl InputHashes {
    /// Starts hashing `paths`; `-` is standard input, which has no hash.
    pub(crate) fn start(paths: Vec<PathBuf>) -> Self {
        Self(Beside::start(move || Input::of_all(&paths)))
    }

    /// Hashes that are known already.
    pub(crate) fn known(inputs: Vec<Input>) -> Self {
        Self(Beside::start(|| inputs))
    }

    /// Waits for the hashes and returns the inputs in their order; returns none if `cancel` is set
    /// first.
    pub(crate) fn finish(self, cancel: &Cancel) -> Vec<Input> {
        self.0.finish(cancel).unwrap_or_default()
    }
}

/// Something computed on a separate thread.
pub(crate) struct Beside<T>(Receiver<T>);

impl<T: Send + 'static> Beside<T> {
    pub(crate) fn start(compute: impl FnOnce() -> T + Send + 'static) -> Self {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            // Sending fails only after a cancel, when the receiver no longer exists.
            let _ = sender.send(compute());
        });
        Self(receiver)
    }

    /// Waits for the result; `None` if `cancel` is set first.
    pub(crate) fn finish(self, cancel: &Cancel) -> Option<T> {
        const LOOK_UP: Duration = Duration::from_millis(50);
        loop {
            match self.0.recv_timeout(LOOK_UP) {
                Ok(result) => return Some(result),
                Err(RecvTimeoutError::Timeout) if !cancel.is_set() => {}
                Err(_) => return None,
            }
        }
    }
}
