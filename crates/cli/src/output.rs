//! Where results go: standard output, or files that appear whole or not at all.

use std::{
    fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use tempfile::NamedTempFile;

/// A result on its way: `-` is standard output, everything else a file that is renamed into place by
/// [`finish`](Self::finish), so that nobody ever sees half of it.
pub(crate) enum Output {
    Stdout(BufWriter<io::Stdout>),
    File { out: BufWriter<NamedTempFile>, path: PathBuf },
}

impl Output {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Ok(Output::Stdout(BufWriter::new(io::stdout())));
        }
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        // In the same folder, since a rename cannot leave the file system.
        let file = tempfile::Builder::new().prefix(".centipawn-").tempfile_in(folder).with_context(|| {
            format!("cannot write to {}: does the folder exist, and may you write there?", path.display())
        })?;
        Ok(Output::File { out: BufWriter::new(file), path: path.to_owned() })
    }

    /// Whether this is standard output.
    pub(crate) fn is_stdout(path: Option<&PathBuf>) -> bool {
        path.is_some_and(|path| path == Path::new("-"))
    }

    /// Puts the result in its place.
    pub(crate) fn finish(self) -> Result<()> {
        match self {
            Output::Stdout(mut out) => out.flush().context("cannot write to standard output"),
            Output::File { out, path } => {
                let place =
                    |error: io::Error| anyhow::Error::new(error).context(format!("cannot write {}", path.display()));
                let file = out.into_inner().map_err(|error| place(error.into_error()))?;
                set_usual_permissions(file.path()).map_err(place)?;
                file.persist(&path).map_err(|error| place(error.error))?;
                Ok(())
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Stdout(out) => out.write(bytes),
            Output::File { out, .. } => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Stdout(out) => out.flush(),
            Output::File { out, .. } => out.flush(),
        }
    }
}

/// Temporary files are private; results are as readable as any file one makes.
#[cfg(unix)]
fn set_usual_permissions(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn set_usual_permissions(_path: &Path) -> io::Result<()> {
    Ok(())
}
