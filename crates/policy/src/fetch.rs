//! Downloading published networks.

use std::{
    fs, io,
    io::Read as _,
    path::{Path, PathBuf},
    time::Duration,
};

use centipawn_progress::{
    AtomicFile, Cancel, Cancelled, FileError, Placed, USER_AGENT, sha256, text::site_answer,
};
use ureq::Agent;

use crate::Published;

/// Number of bytes read between two checks of the [`Cancel`].
const BLOCK: usize = 1 << 16;

/// Maximum number of bytes that are read from an error response.
const LONGEST_ANSWER: u64 = 16 << 10;

/// A network whose file is in the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// Path of the network's file.
    pub path: PathBuf,
    /// Whether this call downloaded the file.
    pub is_new: bool,
}

/// Why a published network could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The request failed, or the server refused it.
    #[error("cannot download {url}: {error}{answer}; {advice}")]
    Request {
        /// The address of the request.
        url: String,
        /// The error of the request.
        error: Box<ureq::Error>,
        /// The message in the server's response, with a separator before it; may be empty.
        answer: String,
        /// A hint for the user.
        advice: String,
    },
    /// The download ended early.
    #[error("the download of {url} failed before its end: {error}")]
    BrokenOff {
        /// The address of the request.
        url: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The downloaded file differs from the published file, so it was deleted.
    #[error(
        "what {url} gave is not {}: its SHA-256 is {found} ({bytes} bytes), published is {} ({} bytes); nothing was kept. Does \
         something between you and the server change what you download?",
        published.name, published.sha256, published.bytes
    )]
    Another {
        /// The address of the request.
        url: String,
        /// The expected network.
        published: &'static Published,
        /// SHA-256 of the download, hexadecimal.
        found: String,
        /// Size of the download in bytes. Reading stops 1 byte after the published size, so it is
        /// at most that.
        bytes: usize,
    },
    /// The folder cannot be created.
    #[error("cannot make the folder {}: {error}", folder.display())]
    Folder {
        /// Path of the folder.
        folder: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The file cannot be written.
    #[error("{0}")]
    Write(#[from] FileError),
    /// The [`Cancel`] was set.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Downloads a network into a folder, unless its file is already there with the right SHA-256. The
/// file appears only after its SHA-256 is checked; it replaces a file with another SHA-256.
///
/// The address is `base`, such as [`Published::MAIA_BASE`], followed by the file's name. Proxies
/// come from the environment (HTTPS_PROXY, ALL_PROXY, NO_PROXY). Timeouts: 20 s to connect, 5
/// minutes in total.
///
/// # Errors
///
/// [`FetchError`]. An existing file is then unchanged.
pub fn fetch(
    published: &'static Published,
    base: &str,
    folder: &Path,
    cancel: &Cancel,
) -> Result<Fetched, FetchError> {
    let path = folder.join(published.file_name());
    let has_its_size =
        fs::metadata(&path).is_ok_and(|about| about.is_file() && about.len() == published.bytes);
    if has_its_size && fs::read(&path).is_ok_and(|bytes| sha256(&bytes) == published.sha256) {
        return Ok(Fetched {
            path,
            is_new: false,
        });
    }
    let url = format!("{}/{}", base.trim_end_matches('/'), published.file_name());
    let bytes = download(&url, published.bytes, cancel)?;
    let found = sha256(&bytes);
    if found != published.sha256 {
        return Err(FetchError::Another {
            url,
            published,
            found,
            bytes: bytes.len(),
        });
    }
    fs::create_dir_all(folder).map_err(|error| FetchError::Folder {
        folder: folder.to_owned(),
        error,
    })?;
    replace(&path, &bytes, cancel)?;
    Ok(Fetched { path, is_new: true })
}

/// Writes the file. A cancelled run keeps an existing file of this name.
fn replace(path: &Path, bytes: &[u8], cancel: &Cancel) -> Result<(), FetchError> {
    match AtomicFile::write_whole(path, bytes, cancel)? {
        Placed::Written => Ok(()),
        Placed::Kept(_) => Err(Cancelled.into()),
    }
}

fn download(url: &str, size: u64, cancel: &Cancel) -> Result<Vec<u8>, FetchError> {
    let config = Agent::config_builder()
        .timeout_connect(Some(Duration::from_secs(20)))
        .timeout_global(Some(Duration::from_secs(300)))
        .user_agent(USER_AGENT)
        .http_status_as_error(false)
        .build();
    cancel.check()?;
    let request = Agent::new_with_config(config).get(url).call();
    let mut response = request.map_err(|error| explained(url, error, String::new()))?;
    if !response.status().is_success() {
        let status = ureq::Error::StatusCode(response.status().as_u16());
        let mut words = Vec::new();
        // If the response breaks off, the part that arrived is enough for the message.
        let _ = response
            .body_mut()
            .as_reader()
            .take(LONGEST_ANSWER)
            .read_to_end(&mut words);
        let words = site_answer(&words).map_or_else(String::new, |words| format!(" ({words:?})"));
        return Err(explained(url, status, words));
    }
    // One byte too many already shows that the file is wrong, so the rest need not be read.
    let mut body = response.into_body().into_reader().take(size + 1);
    let (mut bytes, mut block) = (Vec::new(), vec![0; BLOCK]);
    loop {
        cancel.check()?;
        match body.read(&mut block) {
            Ok(0) => return Ok(bytes),
            Ok(read) => bytes.extend_from_slice(&block[..read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                return Err(FetchError::BrokenOff {
                    url: url.to_owned(),
                    error,
                });
            }
        }
    }
}

/// Adds advice to an error of the request.
fn explained(url: &str, error: ureq::Error, answer: String) -> FetchError {
    let proxy = [
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
        "HTTP_PROXY",
        "http_proxy",
    ];
    let proxy = proxy.iter().find_map(|name| {
        Some((
            name,
            std::env::var(name).ok().filter(|value| !value.is_empty())?,
        ))
    });
    let advice = match (&error, proxy) {
        (ureq::Error::StatusCode(404), _) => "the file is not there; was it moved?".to_owned(),
        (ureq::Error::StatusCode(407), Some((name, _))) => {
            format!("the proxy of ${name} requires a user name and password")
        }
        (ureq::Error::StatusCode(_), _) => "try again later".to_owned(),
        (_, Some((name, proxy))) => {
            format!("${name} sets the proxy {}: is that right?", without_password(&proxy))
        }
        (_, None) => {
            "is there a network? Behind a proxy, set HTTPS_PROXY; else download the file elsewhere and give its path \
                      to the option `policy`"
                .to_owned()
        }
    };
    FetchError::Request {
        url: url.to_owned(),
        error: Box::new(error),
        answer,
        advice,
    }
}

fn without_password(proxy: &str) -> &str {
    proxy.rsplit_once('@').map_or(proxy, |(_, host)| host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        assert_eq!(
            without_password("http://me:secret@proxy:3128"),
            "proxy:3128"
        );
    }

    #[test]
    fn a_cancelled_run_keeps_the_existing_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("network");
        fs::write(&path, "another").unwrap();
        let cancel = Cancel::new();
        cancel.set();
        assert!(matches!(
            replace(&path, b"downloaded", &cancel),
            Err(FetchError::Cancelled(_))
        ));
        assert_eq!(fs::read(&path).unwrap(), b"another");
    }

    #[test]
    fn a_cancelled_download_leaves_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let cancel = Cancel::new();
        cancel.set();
        let error = fetch(
            &Published::MAIA[0],
            "http://127.0.0.1:1",
            folder.path(),
            &cancel,
        )
        .unwrap_err();
        assert!(matches!(error, FetchError::Cancelled(_)), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
