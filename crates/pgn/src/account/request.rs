//! Requests to a site: one at a time, with pauses where the site asks for them.

use std::{
    env,
    io::{self, Read},
    time::Duration,
};

use centipawn_progress::{Cancel, Cancelled, USER_AGENT, text::site_answer};
use ureq::{Agent, Body, BodyReader, http::Response};

use super::Site;

/// The pause that Lichess and Chess.com require after the status 429 (too many requests).
const AFTER_TOO_MANY: Duration = Duration::from_secs(60);
/// The longest wait that a site can ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(600);
/// Maximum number of bytes that are read of an answer without games.
const LONGEST_WORDS: u64 = 16 << 10;
/// Maximum size of the answer to a form in bytes.
const LONGEST_ANSWER: u64 = 1 << 20;
/// Pauses before each further attempt after a failure.
const PAUSES: [Duration; 4] = [
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_secs(2),
    Duration::from_secs(4),
];

/// Sends requests to one site, one at a time, as the sites require.
pub(super) struct Requests {
    site: Site,
    base: String,
    agent: Agent,
    /// The token, which is sent only as a header.
    token: Option<String>,
    cancel: Cancel,
}

/// The site's answer to a request.
pub(super) enum Answer {
    /// The games, and the validator for the next request.
    Games(BodyReader<'static>, Option<String>),
    /// Nothing has changed since the answer with this ETag.
    NotModified,
}

/// The answer to a form.
pub(super) struct Posted {
    pub(super) status: u16,
    pub(super) body: String,
}

/// The reason why a form has no answer.
pub(super) enum PostFailure {
    Cancelled,
    /// No connection: the site did not receive the form.
    Unreachable(String),
    /// The connection failed, before or after the site read the form.
    Broken(String),
}

impl PostFailure {
    fn of(error: &ureq::Error) -> Self {
        use ureq::{Error, Timeout};
        let is_before = match error {
            Error::Io(error) => error.kind() == io::ErrorKind::ConnectionRefused,
            Error::Timeout(Timeout::Resolve | Timeout::Connect) => true,
            Error::HostNotFound | Error::ConnectionFailed => true,
            _ => false,
        };
        if is_before {
            PostFailure::Unreachable(error.to_string())
        } else {
            PostFailure::Broken(error.to_string())
        }
    }
}

impl Requests {
    /// Requests to the site, or to the address in the environment variable `CENTIPAWN_LICHESS` or
    /// `CENTIPAWN_CHESSCOM`.
    pub(super) fn new(site: Site, cancel: Cancel) -> Self {
        let (variable, usual) = match site {
            Site::Lichess => ("CENTIPAWN_LICHESS", "https://lichess.org"),
            Site::ChessCom => ("CENTIPAWN_CHESSCOM", "https://api.chess.com"),
        };
        let base = env::var(variable)
            .ok()
            .filter(|base| !base.is_empty())
            .unwrap_or_else(|| usual.to_owned());
        let token = env::var("LICHESS_TOKEN")
            .ok()
            .filter(|token| site == Site::Lichess && !token.is_empty());
        let mut config = Agent::config_builder()
            .timeout_connect(Some(Duration::from_secs(20)))
            .timeout_recv_response(Some(Duration::from_secs(60)))
            .timeout_per_read(Some(Duration::from_secs(60)))
            .http_status_as_error(false)
            // Do not follow redirects, which would send the token to another host.
            .max_redirects(0)
            .user_agent(USER_AGENT);
        if crate::http::is_this_machine(&base) {
            config = config.proxy(None);
        }
        let base = base.trim_end_matches('/').to_owned();
        Self {
            site,
            base,
            agent: Agent::new_with_config(config.build()),
            token,
            cancel,
        }
    }

    /// Returns whether the environment has a token.
    pub(super) fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Returns the site's address, without a slash at its end.
    pub(super) fn base(&self) -> &str {
        &self.base
    }

    /// Sends a form only once, because after a failure it is unknown whether the site processed it.
    /// It is repeated only if the site asks for fewer requests, since the form was then not
    /// processed.
    pub(super) fn post(&self, path: &str, form: &[(&str, &str)]) -> Result<Posted, PostFailure> {
        let mut waits = 0;
        loop {
            self.check().map_err(|_| PostFailure::Cancelled)?;
            let mut request = self
                .agent
                .post(format!("{}{path}", self.base))
                .header("Accept", "application/json");
            if let Some(token) = &self.token {
                request = request.header("Authorization", format!("Bearer {token}"));
            }
            let response = request.send_form(form.iter().copied());
            let mut response = response.map_err(|error| PostFailure::of(&error))?;
            let status = response.status().as_u16();
            if status == 429 && waits < PAUSES.len() {
                let asked = response
                    .headers()
                    .get("retry-after")
                    .and_then(|value| value.to_str().ok()?.parse().ok());
                let wait = asked
                    .map_or(AFTER_TOO_MANY, Duration::from_secs)
                    .min(LONGEST_WAIT);
                waits += 1;
                self.pause(wait).map_err(|_| PostFailure::Cancelled)?;
                continue;
            }
            let body = response
                .body_mut()
                .with_config()
                .limit(LONGEST_ANSWER)
                .read_to_string();
            return match body {
                Ok(body) => Ok(Posted { status, body }),
                Err(error) => Err(PostFailure::Broken(error.to_string())),
            };
        }
    }

    /// Sends a request and returns the answer. `name` is the account, for messages; `known` is the
    /// ETag of an earlier answer.
    pub(super) fn get(&self, path: &str, name: &str, known: Option<&str>) -> io::Result<Answer> {
        let mut failures = 0;
        loop {
            self.check()?;
            let mut request = self
                .agent
                .get(format!("{}{path}", self.base))
                .header("Accept", "application/x-chess-pgn");
            if let Some(token) = &self.token {
                request = request.header("Authorization", format!("Bearer {token}"));
            }
            if let Some(known) = known {
                request = request.header("If-None-Match", known);
            }
            let (why, question) = match request.call() {
                Ok(response) => {
                    let header = |name: &str| {
                        response
                            .headers()
                            .get(name)?
                            .to_str()
                            .ok()
                            .map(str::to_owned)
                    };
                    match response.status().as_u16() {
                        200 => {
                            let validator = header("etag");
                            return Ok(Answer::Games(
                                response.into_body().into_reader(),
                                validator,
                            ));
                        }
                        304 => return Ok(Answer::NotModified),
                        429 => {
                            let asked =
                                header("retry-after").and_then(|seconds| seconds.parse().ok());
                            let wait = asked
                                .map_or(AFTER_TOO_MANY, Duration::from_secs)
                                .min(LONGEST_WAIT);
                            let words = words(response);
                            if failures < PAUSES.len() {
                                self.pause(wait)?;
                            }
                            (
                                format!("the site asks for fewer requests (status 429{words})"),
                                "",
                            )
                        }
                        status @ 500..=599 => (
                            format!(
                                "the site answers with status {status}{}",
                                bracketed(&words(response))
                            ),
                            "",
                        ),
                        status => return Err(self.refused(status, &words(response), name)),
                    }
                }
                // A site that answered with a status is reachable, so only this error suggests a
                // network problem.
                Err(error) => (error.to_string(), "Is there a network? "),
            };
            let Some(pause) = PAUSES.get(failures) else {
                return Err(io::Error::other(format!(
                    "{why}; {} attempts failed. {question}Try again later",
                    failures + 1
                )));
            };
            failures += 1;
            self.pause(*pause)?;
        }
    }

    /// Waits before another attempt.
    pub(super) fn pause(&self, time: Duration) -> io::Result<()> {
        if self.cancel.wait(time) {
            Err(io::Error::other(Cancelled))
        } else {
            Ok(())
        }
    }

    /// Returns whether the work is cancelled.
    pub(super) fn check(&self) -> io::Result<()> {
        if self.cancel.is_set() {
            Err(io::Error::other(Cancelled))
        } else {
            Ok(())
        }
    }

    /// Explains an answer without games. `words` are the site's own.
    fn refused(&self, status: u16, words: &str, name: &str) -> io::Error {
        let site = match self.site {
            Site::Lichess => "Lichess",
            Site::ChessCom => "Chess.com",
        };
        let answer = format!(
            "{site} answers with status {status} for the account {name}{}",
            bracketed(words)
        );
        let text = match status {
            404 => format!("{answer}; check the name, and whether the account is open"),
            410 => format!("{answer}; its games are gone for good"),
            401 | 403 if self.token.is_some() => {
                format!(
                    "{site} does not accept the token in LICHESS_TOKEN (status {status}{words}); correct or unset it"
                )
            }
            _ => answer,
        };
        io::Error::new(io::ErrorKind::NotFound, text)
    }
}

/// Returns the message of the site in the body of an error response, in quotation marks after a
/// colon; empty if there is none.
pub(super) fn words(response: Response<Body>) -> String {
    let mut body = Vec::new();
    // If the connection breaks, the part of the body that was read is enough for a message.
    let _ = response
        .into_body()
        .into_reader()
        .take(LONGEST_WORDS)
        .read_to_end(&mut body);
    site_answer(&body).map_or_else(String::new, |words| format!(": {words:?}"))
}

/// Returns the [`words`] of an answer, in brackets.
fn bracketed(words: &str) -> String {
    words
        .strip_prefix(": ")
        .map_or_else(String::new, |words| format!(" ({words})"))
}

/// Returns whether the error of a [`Split`] is that of an answer without games, so that another
/// attempt is useless.
pub(super) fn is_lasting(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidData
}

/// Returns the beginning of an answer, for a message.
pub(super) fn beginning(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(&text[..text.len().min(4 * SHOWN)]);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{:?}", words.chars().take(SHOWN).collect::<String>())
}

/// Maximum number of characters of an answer in a message.
const SHOWN: usize = 60;

/// The texts with which a game can end.
const RESULTS: [&[u8]; 4] = [b"1-0", b"0-1", b"1/2-1/2", b"*"];

/// The games in a stream of PGN, one at a time, each with its blank lines.
pub(super) struct Split<R> {
    input: R,
    held: Vec<u8>,
    at_end: bool,
}

impl<R: Read> Split<R> {
    pub(super) fn new(input: R) -> Self {
        Self {
            input,
            held: Vec::new(),
            at_end: false,
        }
    }

    /// Returns the next complete game; `None` at the end. After an error, the incomplete game is
    /// lost.
    ///
    /// # Errors
    ///
    /// Those of the input; an error of the kind `UnexpectedEof` if the last game has no result,
    /// `InvalidData` if the text is no game.
    pub(super) fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        const BEGIN: &[u8] = b"\n\n[Event ";
        let mut searched = 0;
        loop {
            let place = self.held[searched..]
                .windows(BEGIN.len())
                .position(|window| window == BEGIN);
            if let Some(place) = place {
                let rest = self.held.split_off(searched + place + 2);
                let mut game = std::mem::replace(&mut self.held, rest);
                game.push(b'\n');
                return Ok(Some(game));
            }
            searched = self.held.len().saturating_sub(BEGIN.len() - 1);
            if self.at_end {
                let rest = std::mem::take(&mut self.held);
                let rest = rest.trim_ascii_end();
                if rest.is_empty() {
                    return Ok(None);
                }
                if !rest.trim_ascii_start().starts_with(b"[") {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        format!(
                            "the site's answer is no file of games; it begins with {}",
                            beginning(rest)
                        ),
                    ));
                }
                // A connection that ends without an error may end in the middle of a game.
                if !RESULTS.iter().any(|result| rest.ends_with(result)) {
                    return Err(io::Error::new(
                        io::ErrorKind::UnexpectedEof,
                        "the last game ends before its result",
                    ));
                }
                return Ok(Some([rest, b"\n\n\n"].concat()));
            }
            let mut block = vec![0; 16 << 10];
            match self.input.read(&mut block) {
                Ok(0) => self.at_end = true,
                // Text files of Windows have \r
                // .
                Ok(read) => self
                    .held
                    .extend(block[..read].iter().copied().filter(|byte| *byte != b'\r')),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}
