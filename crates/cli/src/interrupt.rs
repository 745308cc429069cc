//! Ctrl-C: work ends soon, what is done is saved. A second one ends everything at once.

use std::{
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
};

use anyhow::{Context as _, Result};

use crate::exit;

static STOP: AtomicBool = AtomicBool::new(false);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// From here on Ctrl-C (and a request to terminate) sets this flag and closes the pool.
pub(crate) fn flag() -> Result<&'static AtomicBool> {
    static LISTENING: AtomicBool = AtomicBool::new(false);
    if LISTENING.swap(true, Ordering::Relaxed) {
        return Ok(&STOP);
    }
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(exit::INTERRUPTED.code()));
        }
        STOP.store(true, Ordering::Relaxed);
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(&STOP)
}

/// Whether the user interrupted.
pub(crate) fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// Whether a result may take the place of what an output's name stands for: a part of one, after Ctrl-C, does not push out an
/// earlier whole, which is said.
pub(crate) fn may_replace(path: &Path) -> bool {
    let is_kept = interrupted() && path.is_file();
    if is_kept {
        anstream::eprintln!("{} stays as it was", path.display());
    }
    !is_kept
}
