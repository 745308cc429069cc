//! The folder of the user's data.

use std::{env, path::PathBuf};

/// The folder for what Centipawn keeps for its user: evaluations, networks.
///
/// `$XDG_DATA_HOME/centipawn`, by default `~/.local/share/centipawn`; on macOS `~/Library/Application Support/centipawn`, on
/// Windows `%LOCALAPPDATA%\centipawn`. Variables count only if they hold an absolute path, as the XDG specification asks. `None`
/// if none of them does.
pub fn data_folder() -> Option<PathBuf> {
    let absolute = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
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
