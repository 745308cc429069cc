//! Files at `http://` and `https://` addresses.

use std::{
    io::{self, Read},
    path::Path,
    time::Duration,
};

use centipawn_progress::{Cancel, Cancelled, USER_AGENT, read_blocks_ahead, text::site_answer};
use ureq::{
    Agent, Body, BodyReader,
    http::{HeaderMap, Response},
};

/// Size in bytes of the blocks that one thread passes to the other.
const BLOCK: usize = 128 << 10;
/// Pauses before repeated attempts. The attempts are counted again from 0 after `PROGRESS` bytes
/// were received.
const PAUSES: [Duration; 4] = [
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
];
const PROGRESS: u64 = 1 << 20;

/// Opens the file at an address. All errors, including those of the connection, are returned by
/// reading. Setting `cancel` ends the reading soon.
pub(crate) fn open(address: &Path, cancel: Option<&Cancel>) -> impl Read + Send + 'static {
    let cancel = cancel.map_or_else(Cancel::new, Cancel::child);
    let mut download = Download::new(address.to_string_lossy().into_owned(), cancel.clone());
    read_blocks_ahead(cancel, move || download.block())
}

/// A file that is being downloaded.
struct Download {
    address: String,
    agent: Agent,
    cancel: Cancel,
    body: Option<BodyReader<'static>>,
    /// Number of bytes read so far.
    at: u64,
    /// The file's metadata from the first answer.
    file: Option<Version>,
    /// Number of failures since `counted_at`.
    failures: usize,
    counted_at: u64,
}

/// The validator that distinguishes a file from a later one at the same address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Version {
    length: Option<u64>,
    /// Strong validators only: `ETag`, and `Last-Modified` if it is older than the answer.
    etag: Option<String>,
    modified: Option<String>,
}

/// The reason why a request has no body.
enum Failure {
    /// A temporary error, after which the request may be repeated.
    Passing(String),
    Lasting(String),
}

impl Download {
    fn new(address: String, cancel: Cancel) -> Self {
        let mut config = Agent::config_builder()
            .timeout_connect(Some(Duration::from_secs(20)))
            .timeout_recv_response(Some(Duration::from_secs(60)))
            .timeout_per_read(Some(Duration::from_secs(60)))
            .http_status_as_error(false)
            // Request no compression, because ranges count the bytes of the file.
            .accept_encoding("identity")
            .user_agent(USER_AGENT);
        if is_this_machine(&address) {
            config = config.proxy(None);
        }
        let agent = Agent::new_with_config(config.build());
        Self {
            address,
            agent,
            cancel,
            body: None,
            at: 0,
            file: None,
            failures: 0,
            counted_at: 0,
        }
    }

    /// Returns the next bytes; `None` at the end.
    fn block(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut block = vec![0; BLOCK];
        loop {
            let Some(body) = &mut self.body else {
                self.connect()?;
                continue;
            };
            let length = self.file.as_ref().and_then(|file| file.length);
            match body.read(&mut block) {
                Ok(0) => match length.filter(|length| self.at < *length) {
                    Some(length) => {
                        self.broken(&format!("it ended after {} of {length} bytes", self.at))?;
                    }
                    None => return Ok(None),
                },
                Ok(read) => {
                    self.at += read as u64;
                    block.truncate(read);
                    return Ok(Some(block));
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => self.broken(&error.to_string())?,
            }
        }
    }

    /// Prepares to resume after a broken connection.
    fn broken(&mut self, why: &str) -> io::Result<()> {
        self.body = None;
        if self.at > 0
            && self
                .file
                .as_ref()
                .is_none_or(|file| file.validator().is_none())
        {
            return Err(io::Error::other(format!(
                "the connection broke after {} bytes ({why}), and the server does not identify the version of the file (by an ETag), so \
                 the rest cannot be requested; download the file first",
                self.at
            )));
        }
        self.pause(why)
    }

    /// Waits before the next attempt, if there is one.
    fn pause(&mut self, why: &str) -> io::Result<()> {
        if self.at >= self.counted_at + PROGRESS {
            self.failures = 0;
        }
        self.counted_at = self.at;
        let Some(pause) = PAUSES.get(self.failures) else {
            return Err(io::Error::other(format!(
                "{why}; {} attempts failed, try again later",
                self.failures + 1
            )));
        };
        self.failures += 1;
        if self.cancel.wait(*pause) {
            Err(io::Error::other(Cancelled))
        } else {
            Ok(())
        }
    }

    /// Requests the file, or the rest of it.
    fn connect(&mut self) -> io::Result<()> {
        if self.cancel.is_set() {
            return Err(io::Error::other(Cancelled));
        }
        match self.request() {
            Ok(body) => {
                self.body = Some(body);
                Ok(())
            }
            Err(Failure::Passing(why)) => self.pause(&why),
            Err(Failure::Lasting(why)) => Err(io::Error::other(why)),
        }
    }

    fn request(&mut self) -> Result<BodyReader<'static>, Failure> {
        let mut request = self.agent.get(&self.address);
        let known = self.file.as_ref().filter(|_| self.at > 0);
        if let Some(validator) = known.and_then(Version::validator) {
            request = request
                .header("Range", format!("bytes={}-", self.at))
                .header("If-Range", validator);
        }
        let response = request.call().map_err(|error| self.unanswered(&error))?;
        let version = Version::of(&response);
        match (response.status().as_u16(), known) {
            (200, None) => {
                if response.body().mime_type() == Some("text/html") {
                    return Err(Failure::Lasting(
                        "the server answers with a page (text/html), not with a file of games"
                            .to_owned(),
                    ));
                }
                self.file = Some(version);
            }
            (200, Some(known))
                if known.validator().is_some() && known.validator() == version.validator() =>
            {
                return Err(Failure::Lasting(format!(
                    "the connection broke after {} bytes, and the server sends only whole files; download the file first",
                    self.at
                )));
            }
            (206, Some(known)) if known.goes_on(response.headers(), &version, self.at) => {}
            (200 | 206 | 416, Some(_)) => {
                return Err(Failure::Lasting(format!(
                    "the file changed meanwhile: after {} bytes the connection broke, and the server has another file now; start again",
                    self.at
                )));
            }
            (status, _) => return Err(refused(status, response)),
        }
        Ok(response.into_body().into_reader())
    }

    /// Explains a request without an answer. Only a server that answered before is asked again.
    fn unanswered(&self, error: &ureq::Error) -> Failure {
        match error {
            // The error's own message would quote the address, which may contain a password.
            ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
                Failure::Lasting("the address is not valid".to_owned())
            }
            ureq::Error::TooManyRedirects => {
                Failure::Lasting("the server sends on from address to address".to_owned())
            }
            _ if self.file.is_some() => Failure::Passing(error.to_string()),
            _ => Failure::Lasting(format!(
                "{error}; is the address right, and is there a network? Behind a proxy, set HTTPS_PROXY"
            )),
        }
    }
}

impl Version {
    fn of<T>(response: &Response<T>) -> Self {
        let header = |name| text(response.headers(), name);
        let length = header("content-length").and_then(|length| length.parse().ok());
        let etag = header("etag").filter(|etag| etag.starts_with('"'));
        // Times have whole seconds. A file that changed in the second of the answer could change
        // again in the same second, so its time is a validator only if it is older (RFC 9110,
        // 8.8.2.2).
        let modified = header("last-modified")
            .filter(|modified| header("date").is_some_and(|date| date != *modified));
        let (etag, modified) = (etag.map(str::to_owned), modified.map(str::to_owned));
        Self {
            length,
            etag,
            modified,
        }
    }

    /// Returns the validator for the header `If-Range`.
    fn validator(&self) -> Option<&str> {
        self.etag.as_deref().or(self.modified.as_deref())
    }

    /// Returns whether a partial answer is the rest of this file from `at` on.
    fn goes_on(&self, headers: &HeaderMap, answer: &Self, at: u64) -> bool {
        let range = text(headers, "content-range")
            .and_then(|range| range.strip_prefix("bytes ")?.split_once('/'));
        let Some((range, total)) = range else {
            return false;
        };
        let begins = range
            .split_once('-')
            .and_then(|(first, _)| first.parse().ok())
            == Some(at);
        let total = total.parse::<u64>().ok();
        let is_same =
            |old: Option<&str>, new: Option<&str>| new.is_none() || old.is_none() || old == new;
        begins
            && (total.is_none() || self.length.is_none() || total == self.length)
            && is_same(self.etag.as_deref(), answer.etag.as_deref())
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// Maximum number of bytes that are read of an answer without a file.
const LONGEST_ANSWER: u64 = 16 << 10;

/// Explains an answer without a file, with the server's own words.
fn refused(status: u16, response: Response<Body>) -> Failure {
    let mut body = Vec::new();
    // If the connection breaks, the part of the body that was read is enough for a message.
    let _ = response
        .into_body()
        .into_reader()
        .take(LONGEST_ANSWER)
        .read_to_end(&mut body);
    let words = site_answer(&body).map_or_else(String::new, |words| format!(" ({words:?})"));
    let advice = match status {
        401 => {
            "the server asks for a user and a password; write them as in https://USER:PASSWORD@HOST/FILE"
        }
        403 => "the server does not give it to you; if the address is signed, it may have expired",
        404 | 410 => "there is no such file; check the address",
        407 => "the proxy asks for a user and a password",
        408 | 429 | 500..=599 => {
            return Failure::Passing(format!("the server answers with status {status}{words}"));
        }
        _ => "this is not an answer with a file",
    };
    Failure::Lasting(format!(
        "the server answers with status {status}{words}: {advice}"
    ))
}

/// Returns whether an address is of this machine, which needs no proxy.
pub(crate) fn is_this_machine(address: &str) -> bool {
    let host = address.split_once("://").map_or("", |(_, rest)| {
        rest.split(['/', '?', '#']).next().unwrap_or_default()
    });
    let host = host.rsplit('@').next().unwrap_or_default();
    ["localhost", "127.0.0.1", "[::1]"].iter().any(|name| {
        host.strip_prefix(name)
            .is_some_and(|port| port.is_empty() || port.starts_with(':'))
    })
}

#[cfg(test)]
mod tests;
