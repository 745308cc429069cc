//! Hashes of the files that are read, computed while they are read.

use std::{
    path::PathBuf,
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

use centipawn_progress::{Cancel, Input};

/// Sizes and hashes of input files for a document's provenance, computed on a separate thread while other threads read
/// the files.
pub struct InputHashes(Receiver<Vec<Input>>);

impl InputHashes {
    /// Starts hashing `paths`; `-` is standard input, which has no hash.
    pub fn start(paths: Vec<PathBuf>) -> Self {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || {
            // After a cancel nobody receives.
            let _ = sender.send(Input::of_all(&paths));
        });
        Self(receiver)
    }

    /// Waits for the hashes and returns the inputs in their order; returns none if `cancel` is set first.
    pub fn finish(self, cancel: &Cancel) -> Vec<Input> {
        const LOOK_UP: Duration = Duration::from_millis(50);
        loop {
            match self.0.recv_timeout(LOOK_UP) {
                Ok(inputs) => return inputs,
                Err(RecvTimeoutError::Timeout) if !cancel.is_set() => {}
                Err(_) => return Vec::new(),
            }
        }
    }
}
