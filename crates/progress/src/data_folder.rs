//! The folder for the user's data.

use std::{env, path::PathBuf};

/// Returns the folder where Centipawn keeps evaluations and networks between runs.
///
/// It is `$XDG_DATA_HOME/centipawn`, by default `~/.local/share/centipawn`; on macOS
/// `~/Library/Application Support/centipawn`, and on Windows `%LOCALAPPDATA%\centipawn`. Following
/// the XDG specification, variables with a relative path are ignored. Returns `None` if no variable
/// has an absolute path.
pub fn data_folder() -> Option<PathBuf> {
    let absolute = |name: &str| {
        env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let home = || absolute("HOME");
    let data = absolute("XDG_DATA_HOME").or_else(|| {
        if cfg!(windows) {
            absolute("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            home().map(|home| home.join("Library/Application Support"))
        } else {
            home().map(|home| home.join(".local/share"))
        }
    });
    data.map(|data| data.join("centipawn"))
}
