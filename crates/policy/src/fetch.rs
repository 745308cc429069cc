//! Downloading published networks.

use std::{
    fs, io,
    io::Read as _,
    path::{Path, PathBuf},
    time::Duration,
};

use centipawn_progress::{AtomicFile, Cancel, Cancelled, FileError, sha256};
use ureq::Agent;

use crate::Published;

/// Bytes read between two looks at the [`Cancel`].
const BLOCK: usize = 1 << 16;

/// A network that is here now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// Its file.
    pub path: PathBuf,
    /// Whether it had to be downloaded.
    pub is_new: bool,
}

/// Why a published network could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// No answer, or one that says no.
    #[error("cannot download {url}: {error}; {advice}")]
    Request {
        /// What was asked for.
        url: String,
        /// What went wrong.
        #[source]
        error: Box<ureq::Error>,
        /// What to do about it.
        advice: String,
    },
    /// The answer ended early.
    #[error("the download of {url} broke off: {error}")]
    BrokenOff {
        /// What was asked for.
        url: String,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The answer is another file than the published one; nothing was kept.
    #[error(
        "what {url} gave is not {}: its SHA-256 is {found} ({bytes} bytes), published is {} ({} bytes); nothing was kept. Does \
         something between you and the server change what you download?",
        published.name, published.sha256, published.bytes
    )]
    Another {
        /// What was asked for.
        url: String,
        /// What was expected.
        published: &'static Published,
        /// SHA-256 of the answer, hexadecimal.
        found: String,
        /// Size of the answer; reading ends one byte after the published size.
        bytes: usize,
    },
    /// The folder cannot be made.
    #[error("cannot make the folder {}: {error}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// Why not.
        #[source]
        error: io::Error,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] FileError),
    /// The [`Cancel`] was set.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Gets a network into a folder, unless its file is there already. The file appears only after its SHA-256 was checked.
///
/// `base` is the address that the file's name is put behind: [`Published::MAIA_BASE`]. Proxies are those of the environment
/// (HTTPS_PROXY, ALL_PROXY, NO_PROXY). The download may take 5 minutes, connecting 20 seconds.
///
/// # Errors
///
/// [`FetchError`]; an earlier file stays then.
pub fn fetch(published: &'static Published, base: &str, folder: &Path, cancel: &Cancel) -> Result<Fetched, FetchError> {
    let path = folder.join(published.file_name());
    if fs::read(&path).is_ok_and(|bytes| sha256(&bytes) == published.sha256) {
        return Ok(Fetched { path, is_new: false });
    }
    let url = format!("{}/{}", base.trim_end_matches('/'), published.file_name());
    let bytes = download(&url, published.bytes, cancel)?;
    let found = sha256(&bytes);
    if found != published.sha256 {
        return Err(FetchError::Another { url, published, found, bytes: bytes.len() });
    }
    fs::create_dir_all(folder).map_err(|error| FetchError::Folder { folder: folder.to_owned(), error })?;
    cancel.check()?;
    AtomicFile::write_whole(&path, &bytes, cancel)?;
    Ok(Fetched { path, is_new: true })
}

fn download(url: &str, size: u64, cancel: &Cancel) -> Result<Vec<u8>, FetchError> {
    let config = Agent::config_builder()
        .timeout_connect(Some(Duration::from_secs(20)))
        .timeout_global(Some(Duration::from_secs(300)))
        .user_agent(concat!("centipawn/", env!("CARGO_PKG_VERSION")))
        .build();
    cancel.check()?;
    let response = Agent::new_with_config(config).get(url).call().map_err(|error| explained(url, error))?;
    // Too long an answer is as wrong as another one, and need not be read to its end.
    let mut body = response.into_body().into_reader().take(size + 1);
    let (mut bytes, mut block) = (Vec::new(), vec![0; BLOCK]);
    loop {
        cancel.check()?;
        match body.read(&mut block) {
            Ok(0) => return Ok(bytes),
            Ok(read) => bytes.extend_from_slice(&block[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(FetchError::BrokenOff { url: url.to_owned(), error }),
        }
    }
}

/// What went wrong, and what to do about it.
fn explained(url: &str, error: ureq::Error) -> FetchError {
    let proxy = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"];
    let proxy = proxy.iter().find_map(|name| Some((name, std::env::var(name).ok().filter(|value| !value.is_empty())?)));
    let advice = match (&error, proxy) {
        (ureq::Error::StatusCode(404), _) => "the file is not there; was it moved?".to_owned(),
        (ureq::Error::StatusCode(407), Some((name, _))) => {
            format!("the proxy of ${name} wants a user name and password")
        }
        (ureq::Error::StatusCode(_), _) => "try again later".to_owned(),
        (_, Some((name, proxy))) => {
            format!("${name} says to go through the proxy {}: is that right?", without_password(&proxy))
        }
        (_, None) => {
            "is there a network? Behind a proxy, set HTTPS_PROXY; else download the file elsewhere and give its path \
                      to --policy"
                .to_owned()
        }
    };
    FetchError::Request { url: url.to_owned(), error: Box::new(error), advice }
}

fn without_password(proxy: &str) -> &str {
    proxy.rsplit_once('@').map_or(proxy, |(_, host)| host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        assert_eq!(without_password("http://me:secret@proxy:3128"), "proxy:3128");
    }

    #[test]
    fn a_cancelled_download_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let cancel = Cancel::new();
        cancel.set();
        let error = fetch(&Published::MAIA[0], "http://127.0.0.1:1", folder.path(), &cancel).unwrap_err();
        assert!(matches!(error, FetchError::Cancelled(_)), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
