//! Studies on Lichess, by its interface `/api/study`.

use std::{fmt, str::FromStr};

use centipawn_progress::{Cancel, text::site_answer};
use serde_json::Value;
use shakmaty::Color;

use super::{
    Site,
    request::{PostFailure, Posted, Requests},
};

/// Characters of the name of a study.
const NAME: std::ops::RangeInclusive<usize> = 2..=100;
/// Number of bytes of games in one request, so that no server refuses it; a longer game is sent
/// alone.
const REQUEST: usize = 64 << 10;

/// Writes studies on Lichess with the token in the environment variable `LICHESS_TOKEN`, which is
/// sent as a header only.
///
/// The environment variable `CENTIPAWN_LICHESS` sets another base address.
///
/// ```no_run
/// use centipawn_pgn::{LichessStudies, StudyMode, Visibility};
/// use centipawn_progress::Cancel;
///
/// let studies = LichessStudies::new(&Cancel::new())?;
/// let id = studies.create("My mistakes", Visibility::Private)?;
/// let chapter = "[ChapterName \"1. f3?\"]\n[Result \"*\"]\n\n1. e4 *\n".to_owned();
/// studies.import(&id, &[chapter], StudyMode::Lesson, None)?;
/// println!("{}", studies.address(&id));
/// # Ok::<_, centipawn_pgn::StudyPostError>(())
/// ```
pub struct LichessStudies {
    requests: Requests,
}

/// The users who can see a study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// Only the members of the study.
    #[default]
    Private,
    /// Everyone who has the address.
    Unlisted,
    /// Everyone; the site lists it.
    Public,
}

/// The mode in which the chapters of a study open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StudyMode {
    /// A normal chapter with all moves visible.
    Analysis,
    /// An interactive lesson, in which the student finds the moves of the main line.
    Lesson,
}

/// A text that names no [`Visibility`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is unknown; possible are private, unlisted and public")]
pub struct UnknownVisibility(String);

impl Visibility {
    /// Its name in the site's forms.
    pub fn name(self) -> &'static str {
        match self {
            Visibility::Private => "private",
            Visibility::Unlisted => "unlisted",
            Visibility::Public => "public",
        }
    }
}

impl fmt::Display for Visibility {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Visibility {
    type Err = UnknownVisibility;

    fn from_str(text: &str) -> Result<Self, UnknownVisibility> {
        let all = [
            Visibility::Private,
            Visibility::Unlisted,
            Visibility::Public,
        ];
        all.into_iter()
            .find(|one| one.name() == text)
            .ok_or_else(|| UnknownVisibility(text.to_owned()))
    }
}

/// The reason why a study was not written, or not as a whole. No variant contains the token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StudyPostError {
    /// The environment variable `LICHESS_TOKEN` has no token.
    #[error(
        "the environment variable LICHESS_TOKEN has no token; make one with the permission study:write at \
         {0}/account/oauth/token/create?scopes[]=study:write&description=Centipawn"
    )]
    NoToken(String),
    /// The name of the study is too short or too long; this is its length in characters.
    #[error("the name of a study has 2 to 100 characters; this one has {0}")]
    Name(usize),
    /// The site does not accept the token for writing studies.
    #[error(
        "Lichess does not accept the token in LICHESS_TOKEN for studies (status {status}); make one with the permission study:write at \
         {site}/account/oauth/token/create?scopes[]=study:write&description=Centipawn"
    )]
    Refused {
        /// The status of the answer: 401 or 403.
        status: u16,
        /// The site's address.
        site: String,
    },
    /// The study does not exist, or the account is not a member of it.
    #[error("there is no study {id} on Lichess that this account can change (status 404{reason})")]
    NoStudy {
        /// The number of the study, which its address contains.
        id: String,
        /// The site's words after a colon; empty without any.
        reason: String,
    },
    /// The site asks for fewer requests, also after several pauses.
    #[error(
        "Lichess asks for fewer requests (status 429{reason}); an account can make 30 studies a day. Try again later"
    )]
    TooMany {
        /// The site's words after a colon; empty without any.
        reason: String,
    },
    /// The site answers with an error.
    #[error("Lichess answers with status {status}{reason}")]
    Status {
        /// The status of the answer.
        status: u16,
        /// The site's words after a colon; empty without any.
        reason: String,
    },
    /// The site cannot be reached, and received nothing.
    #[error("{0}; nothing was sent. Is there a network? Try again later")]
    Unreachable(String),
    /// The connection broke, so it is unknown what the site has processed.
    #[error(
        "{why}; what Lichess did before is unknown. Look at your studies ({site}/study/mine) before you try again"
    )]
    Broken {
        /// The error of the connection.
        why: String,
        /// The site's address.
        site: String,
    },
    /// The answer differs from the site's documentation.
    #[error("Lichess answers without {0}")]
    Answer(&'static str),
    /// The site made fewer chapters than it received.
    #[error(
        "Lichess made only {made} of {sent} chapters of the study {address}; a study has at most 64"
    )]
    Fewer {
        /// Number of chapters that the site made.
        made: usize,
        /// Number of chapters that were sent.
        sent: usize,
        /// The study's address.
        address: String,
    },
    /// The work was cancelled.
    #[error("cancelled")]
    Cancelled,
}

impl LichessStudies {
    /// The most chapters of a study.
    pub const MOST_CHAPTERS: usize = 64;

    /// Studies of the account to which the token belongs. Nothing is requested yet.
    ///
    /// # Errors
    ///
    /// [`StudyPostError::NoToken`].
    pub fn new(cancel: &Cancel) -> Result<Self, StudyPostError> {
        let requests = Requests::new(Site::Lichess, cancel.child());
        match requests.has_token() {
            true => Ok(Self { requests }),
            false => Err(StudyPostError::NoToken(requests.base().to_owned())),
        }
    }

    /// Returns the address of a study, for people.
    pub fn address(&self, id: &str) -> String {
        format!("{}/study/{id}", self.requests.base())
    }

    /// Checks the name of a study, before anything is requested.
    ///
    /// # Errors
    ///
    /// [`StudyPostError::Name`].
    pub fn check_name(name: &str) -> Result<(), StudyPostError> {
        let length = name.trim().chars().count();
        if NAME.contains(&length) {
            Ok(())
        } else {
            Err(StudyPostError::Name(length))
        }
    }

    /// Makes a study, and returns its id. If the site asks for fewer requests, it waits.
    ///
    /// # Errors
    ///
    /// [`StudyPostError`].
    pub fn create(&self, name: &str, visibility: Visibility) -> Result<String, StudyPostError> {
        Self::check_name(name)?;
        let form = [
            ("name", name.trim()),
            ("visibility", visibility.name()),
            ("computer", "everyone"),
            ("explorer", "everyone"),
            ("cloneable", "member"),
            ("shareable", "member"),
            ("chat", "member"),
        ];
        let body = self.post("/api/study", &form, "")?;
        let id = body.get("id").and_then(Value::as_str).unwrap_or_default();
        let is_id = !id.is_empty() && id.chars().all(|char| char.is_ascii_alphanumeric());
        if is_id {
            Ok(id.to_owned())
        } else {
            Err(StudyPostError::Answer("the id of the study"))
        }
    }

    /// Adds chapters to a new study, each the text of one game. They replace the empty chapter that
    /// the site made. `orientation` is the side at the bottom of all chapters; `None` lets the site
    /// choose, which shows a lesson from the side that moves last.
    ///
    /// # Errors
    ///
    /// [`StudyPostError`]; the chapters of earlier requests stay.
    pub fn import(
        &self,
        id: &str,
        chapters: &[String],
        mode: StudyMode,
        orientation: Option<Color>,
    ) -> Result<(), StudyPostError> {
        let mut made = 0;
        for (index, pgn) in requests_of(chapters).iter().enumerate() {
            // `initial` is not documented: it removes the empty chapter of a new study.
            let initial = if index == 0 { "true" } else { "false" };
            let mut form = vec![("pgn", &**pgn), ("initial", initial)];
            form.extend((mode == StudyMode::Lesson).then_some(("mode", "gamebook")));
            form.extend(orientation.map(|side| ("orientation", side.fold_wb("white", "black"))));
            let body = self.post(&format!("/api/study/{id}/import-pgn"), &form, id)?;
            made += body
                .get("chapters")
                .and_then(Value::as_array)
                .ok_or(StudyPostError::Answer("chapters"))?
                .len();
        }
        match made >= chapters.len() {
            true => Ok(()),
            false => Err(StudyPostError::Fewer {
                made,
                sent: chapters.len(),
                address: self.address(id),
            }),
        }
    }

    fn post(&self, path: &str, form: &[(&str, &str)], id: &str) -> Result<Value, StudyPostError> {
        let site = || self.requests.base().to_owned();
        let Posted { status, body } =
            self.requests
                .post(path, form)
                .map_err(|failure| match failure {
                    PostFailure::Cancelled => StudyPostError::Cancelled,
                    PostFailure::Unreachable(why) => StudyPostError::Unreachable(why),
                    PostFailure::Broken(why) => StudyPostError::Broken { why, site: site() },
                })?;
        match status {
            200 => {
                serde_json::from_str(&body).map_err(|_| StudyPostError::Answer("a JSON document"))
            }
            401 | 403 => Err(StudyPostError::Refused {
                status,
                site: site(),
            }),
            404 if !id.is_empty() => Err(StudyPostError::NoStudy {
                id: id.to_owned(),
                reason: reason(&body),
            }),
            429 => Err(StudyPostError::TooMany {
                reason: reason(&body),
            }),
            _ => Err(StudyPostError::Status {
                status,
                reason: reason(&body),
            }),
        }
    }
}

/// Returns the games of each request, parted by two empty lines.
fn requests_of(chapters: &[String]) -> Vec<String> {
    let mut requests: Vec<String> = Vec::new();
    for chapter in chapters.iter().map(|chapter| chapter.trim()) {
        match requests.last_mut() {
            Some(last) if last.len() + chapter.len() < REQUEST => {
                *last += &format!("\n\n\n{chapter}");
            }
            _ => requests.push(chapter.to_owned()),
        }
    }
    requests
}

/// Returns the site's own words about an error, after a colon.
fn reason(body: &str) -> String {
    site_answer(body.as_bytes()).map_or_else(String::new, |words| format!(": {words}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_games_are_sent_alone() {
        let [short, long] = [10, REQUEST].map(|length| "x".repeat(length));
        let lengths = |chapters: &[String]| {
            requests_of(chapters)
                .iter()
                .map(String::len)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            lengths(&[short.clone(), short.clone(), long.clone(), short.clone()]),
            [23, REQUEST, 10]
        );
        assert!(lengths(&[]).is_empty());
    }

    #[test]
    fn names_and_reasons_are_checked() {
        assert_eq!(
            LichessStudies::check_name(" a "),
            Err(StudyPostError::Name(1))
        );
        assert_eq!(LichessStudies::check_name(&"ä".repeat(100)), Ok(()));
        assert_eq!(
            reason(r#"{"error": "Too many\n chapters"}"#),
            ": Too many chapters"
        );
        assert_eq!(
            reason(r#"{"error": {"pgn": ["empty"]}}"#),
            r#": {"pgn":["empty"]}"#
        );
        assert_eq!(reason("<html><title>Bad gateway</title>"), ": Bad gateway");
        assert_eq!(reason("<html>"), "");
        assert_eq!("unlisted".parse(), Ok(Visibility::Unlisted));
        assert!("secret".parse::<Visibility>().is_err());
    }
}
