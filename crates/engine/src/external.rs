//! Lichess' protocol for external engines, which run on a user's machine and serve the analysis
//! board.

use std::{env, io::Read, time::Duration};

use centipawn_progress::{USER_AGENT, text::site_answer};
use serde::{Deserialize, Serialize};
use ureq::{Agent, Body, SendBody, http::Response};

/// Maximum size of an answer in bytes.
const LONGEST_ANSWER: u64 = 1 << 20;
/// Maximum time of a request for work. The site answers after some seconds if it has no work.
const POLL: Duration = Duration::from_secs(60);

/// An engine that is registered with Lichess and answers the requests of its owner's analysis
/// board.
///
/// The owner's token registers the engine. Requests for work use a new secret for each run.
pub struct ExternalEngine {
    broker: String,
    secret: String,
    agent: Agent,
}

/// The data that Lichess shows of an engine, and the limits that the board may request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Registration {
    /// The engine's name in the menu of the analysis board.
    pub name: String,
    /// Maximum number of threads.
    pub max_threads: u32,
    /// Largest hash in MiB.
    pub max_hash: u32,
    /// The supported variants in UCI's spelling, such as `chess`.
    pub variants: Vec<String>,
}

/// A position to analyse.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Work {
    /// Identifies the analysis; pass it to [`answer`](ExternalEngine::answer).
    pub id: String,
    /// The position and the limits.
    pub work: WorkLimits,
}

/// The position and limits of a [`Work`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkLimits {
    /// Identifies the game. While it stays the same, the engine may keep its hash.
    pub session_id: String,
    /// Number of threads.
    pub threads: u32,
    /// Size of the hash table in MiB.
    pub hash: u32,
    /// Number of lines.
    pub multi_pv: u32,
    /// The variant, such as `chess`.
    #[serde(default)]
    pub variant: String,
    /// The first position, as FEN.
    pub initial_fen: String,
    /// Moves from the initial position, in UCI notation.
    pub moves: Vec<String>,
    /// Limit in milliseconds.
    #[serde(default)]
    pub movetime: Option<u64>,
    /// Limit in plies.
    #[serde(default)]
    pub depth: Option<u32>,
    /// Limit in nodes.
    #[serde(default)]
    pub nodes: Option<u64>,
}

/// The reason why a request to Lichess failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExternalError {
    /// The environment variable `LICHESS_TOKEN` has no token.
    #[error(
        "set LICHESS_TOKEN to a token with the permissions engine:read and engine:write (https://lichess.org/account/oauth/token/create)"
    )]
    NoToken,
    /// The site refused a request.
    #[error("{what}: Lichess answered with status {status}{}", words(.answer))]
    Refused {
        /// The purpose of the request, in words.
        what: &'static str,
        /// The HTTP status.
        status: u16,
        /// The beginning of the response body.
        answer: String,
    },
    /// The request failed.
    #[error("{what}: {reason}")]
    Request {
        /// The purpose of the request, in words.
        what: &'static str,
        /// The failure, in words.
        reason: String,
    },
}

fn words(answer: &str) -> String {
    if answer.is_empty() {
        String::new()
    } else {
        format!(": {answer}")
    }
}

impl ExternalError {
    /// Returns whether the same request may succeed later.
    pub fn is_transient(&self) -> bool {
        match self {
            ExternalError::NoToken => false,
            ExternalError::Refused { status, .. } => *status == 429 || *status >= 500,
            ExternalError::Request { .. } => true,
        }
    }
}

#[derive(Deserialize)]
struct Registered {
    id: String,
    name: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WithSecret<'a> {
    #[serde(flatten)]
    registration: &'a Registration,
    provider_secret: &'a str,
}

impl ExternalEngine {
    /// Registers an engine, in place of one of the same name. `$LICHESS_TOKEN` is the owner's
    /// token; `$CENTIPAWN_LICHESS` sets another address than Lichess', for tests.
    ///
    /// # Errors
    ///
    /// [`ExternalError`].
    pub fn register(registration: &Registration) -> Result<Self, ExternalError> {
        let variable = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let token = variable("LICHESS_TOKEN").ok_or(ExternalError::NoToken)?;
        let other = variable("CENTIPAWN_LICHESS");
        let site = other
            .clone()
            .unwrap_or_else(|| "https://lichess.org".to_owned());
        let broker = other.unwrap_or_else(|| "https://engine.lichess.ovh".to_owned());
        let agent = Agent::new_with_config(
            Agent::config_builder()
                .timeout_connect(Some(Duration::from_secs(20)))
                .http_status_as_error(false)
                .user_agent(USER_AGENT)
                .build(),
        );
        let mut bytes = [0_u8; 32];
        let what = "registering the engine";
        let failed = |reason: String| ExternalError::Request { what, reason };
        getrandom::fill(&mut bytes).map_err(|error| failed(error.to_string()))?;
        let secret: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let list = format!("{site}/api/external-engine");
        let bearer = format!("Bearer {token}");
        let known = agent.get(&list).header("Authorization", &bearer).call();
        let known: Vec<Registered> = json(what, &checked(what, known)?)?;
        let same = known.iter().find(|engine| engine.name == registration.name);
        let request = match same {
            Some(engine) => agent.put(format!("{list}/{}", engine.id)),
            None => agent.post(list),
        };
        let form = serde_json::to_string(&WithSecret {
            registration,
            provider_secret: &secret,
        });
        let form = form.map_err(|error| failed(error.to_string()))?;
        let request = request
            .header("Authorization", &bearer)
            .header("Content-Type", "application/json");
        checked(what, request.send(form))?;
        Ok(Self {
            broker,
            secret,
            agent,
        })
    }

    /// Waits for work; `None` if none came within some seconds.
    ///
    /// # Errors
    ///
    /// [`ExternalError`].
    pub fn work(&self) -> Result<Option<Work>, ExternalError> {
        let what = "asking for work";
        let form = format!("{{\"providerSecret\":\"{}\"}}", self.secret);
        let request = self
            .agent
            .post(format!("{}/api/external-engine/work", self.broker));
        let request = request
            .config()
            .timeout_global(Some(POLL))
            .build()
            .header("Content-Type", "application/json");
        let answer = request.send(form);
        if answer.as_ref().is_ok_and(|answer| answer.status() == 204) {
            return Ok(None);
        }
        json(what, &checked(what, answer)?).map(Some)
    }

    /// Sends the engine's lines as they come, until `lines` ends. If the user leaves the board
    /// earlier, Lichess closes the connection, which is an error here.
    ///
    /// # Errors
    ///
    /// [`ExternalError`].
    pub fn answer(&self, id: &str, lines: &mut dyn Read) -> Result<(), ExternalError> {
        let what = "sending an analysis";
        // Check the id, which comes from the network, before it becomes part of a URL.
        if !id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        {
            return Err(ExternalError::Request {
                what,
                reason: format!("{id:?} is not an id"),
            });
        }
        let mut lines = lines;
        let request = self
            .agent
            .post(format!("{}/api/external-engine/work/{id}", self.broker));
        let answer = request
            .header("Content-Type", "text/plain")
            .send(SendBody::from_reader(&mut lines));
        checked(what, answer).map(|_| ())
    }
}

/// Returns the body of a response with a success status.
fn checked(
    what: &'static str,
    answer: Result<Response<Body>, ureq::Error>,
) -> Result<String, ExternalError> {
    let mut answer = answer.map_err(|error| ExternalError::Request {
        what,
        reason: error.to_string(),
    })?;
    let status = answer.status().as_u16();
    let text = answer
        .body_mut()
        .with_config()
        .limit(LONGEST_ANSWER)
        .read_to_string();
    match text {
        Ok(text) if (200..300).contains(&status) => Ok(text),
        // The connection broke in the middle of the body.
        Err(error) if (200..300).contains(&status) => Err(ExternalError::Request {
            what,
            reason: error.to_string(),
        }),
        text => {
            let answer = site_answer(text.unwrap_or_default().as_bytes()).unwrap_or_default();
            Err(ExternalError::Refused {
                what,
                status,
                answer,
            })
        }
    }
}

fn json<T: for<'de> Deserialize<'de>>(what: &'static str, text: &str) -> Result<T, ExternalError> {
    serde_json::from_str(text).map_err(|error| ExternalError::Request {
        what,
        reason: error.to_string(),
    })
}
