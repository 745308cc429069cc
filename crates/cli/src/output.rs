//! Where results go: standard output, or files that appear whole or not at all.

use std::{
    fs::{self, OpenOptions},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use tempfile::NamedTempFile;

use crate::exit::usage;

/// A result on its way. An ordinary file is renamed into place by [`finish`](Self::finish), so that nobody ever sees half of
/// it; what is no ordinary file (`-` for standard output, a pipe, a device) is written as it comes.
pub(crate) enum Output {
    Stream(BufWriter<Box<dyn Write>>),
    File { out: BufWriter<NamedTempFile>, path: PathBuf },
}

impl Output {
    pub(crate) fn create(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            return Ok(Output::Stream(BufWriter::new(Box::new(io::stdout()))));
        }
        let cannot = || format!("cannot write to {}: does the folder exist, and may you write there?", path.display());
        let existing = fs::metadata(path).ok();
        if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
            let stream = OpenOptions::new().write(true).open(path).with_context(cannot)?;
            return Ok(Output::Stream(BufWriter::new(Box::new(stream))));
        }
        // A link stays one: what it points to is replaced. In the same folder, since a rename cannot leave the file system.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".centipawn-");
        let permissions = existing.map(|existing| existing.permissions());
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // As any program would make it: less what the user's umask takes away.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder).map_err(plain).with_context(cannot)?;
        if let Some(permissions) = permissions {
            file.as_file().set_permissions(permissions).with_context(cannot)?;
        }
        Ok(Output::File { out: BufWriter::new(file), path })
    }

    /// Puts the result in its place. An output that is dropped instead leaves what was there before.
    pub(crate) fn finish(self) -> Result<()> {
        match self {
            Output::Stream(mut out) => out.flush().context("cannot write the result"),
            Output::File { out, path } => {
                let cannot = || format!("cannot write {}", path.display());
                let file = out.into_inner().map_err(|error| plain(error.into_error())).with_context(cannot)?;
                file.persist(&path).map_err(|error| plain(error.error)).with_context(cannot)?;
                Ok(())
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Stream(out) => out.write(bytes),
            Output::File { out, .. } => out.write(bytes).map_err(plain),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Stream(out) => out.flush(),
            Output::File { out, .. } => out.flush().map_err(plain),
        }
    }
}

/// The system's error without the temporary file's name, which says nothing to the user.
fn plain(error: io::Error) -> io::Error {
    error.raw_os_error().map_or(error, io::Error::from_raw_os_error)
}

/// Where a path leads. Of one that does not exist yet the part that does is resolved.
pub(crate) fn place(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let resolved = absolute.ancestors().find_map(|known| {
        let rest = absolute.strip_prefix(known).ok()?;
        known.canonicalize().ok().map(|known| if rest == Path::new("") { known } else { known.join(rest) })
    });
    resolved.unwrap_or(absolute)
}

/// Refuses results that would go to the same place, or onto a file that is read.
pub(crate) fn refuse_collisions(results: &[&Path], inputs: &[PathBuf]) -> Result<()> {
    let is_ordinary = |path: &Path| fs::metadata(path).map_or(true, |existing| existing.is_file());
    let is_same = |a: &Path, b: &Path| place(a) == place(b) && is_ordinary(a);
    for (index, result) in results.iter().enumerate() {
        if results[..index].iter().any(|other| is_same(other, result)) {
            return Err(usage(format!("two results cannot both go to {}", result.display())));
        }
        if *result != Path::new("-") && inputs.iter().any(|input| is_same(input, result)) {
            return Err(usage(format!("{} is read, so it cannot be written as well", result.display())));
        }
    }
    Ok(())
}
