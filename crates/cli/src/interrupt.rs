//! Ctrl-C: work ends soon, what is done is saved. A second one ends everything at once.

use std::{
    path::Path,
    sync::{
        LazyLock,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::{Context as _, Result};
use centipawn_progress::Cancel;

use crate::exit;

static STOP: AtomicBool = AtomicBool::new(false);
static INTERRUPTED: AtomicBool = AtomicBool::new(false);
/// Ends engines, which do not get the terminal's Ctrl-C.
static CANCEL: LazyLock<Cancel> = LazyLock::new(Cancel::new);

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
        CANCEL.set();
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(&STOP)
}

/// What Ctrl-C sets, for engines to be started under.
pub(crate) fn cancel() -> &'static Cancel {
    &CANCEL
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
