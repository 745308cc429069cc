//! Requests of the page and their replies.

use centipawn_review::rooms::ErrorDocument;
use serde::Serialize;

/// A request of the page.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// `GET`, `POST` or `DELETE`.
    pub method: &'a str,
    /// The address below `/api/`, with its query: `reviews/1.pgn?language=de`.
    pub path: &'a str,
    /// The body; empty without one.
    pub body: &'a [u8],
    /// The time in seconds since 1970.
    pub now: i64,
}

/// The reply to a [`Call`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// A status of HTTP, or [`ASK`](Self::ASK).
    pub status: u16,
    /// The media type of the body.
    pub kind: &'static str,
    /// The name under which the body is saved as a file; empty if it is not a file.
    pub file: String,
    /// The body.
    pub body: Vec<u8>,
}

impl Reply {
    /// The status of a call that needs searches. Run all that are [wanted](crate::Tab::wanted),
    /// then make the same call again.
    pub const ASK: u16 = 102;

    /// Creates a reply with a document.
    pub(crate) fn document(value: &impl Serialize) -> Self {
        match serde_json::to_vec(value) {
            Ok(body) => Self {
                status: 200,
                kind: "application/json",
                file: String::new(),
                body,
            },
            Err(error) => Refused::new(500, error, "Please report it.").into(),
        }
    }

    /// Creates a reply that is saved as a file.
    pub(crate) fn file(name: String, kind: &'static str, body: Vec<u8>) -> Self {
        Self {
            status: 200,
            kind,
            file: name,
            body,
        }
    }
}

/// Why a call has no document.
#[derive(Debug)]
pub(crate) enum Refused {
    /// Searches are missing.
    Ask,
    /// The call is refused.
    With(u16, ErrorDocument),
}

impl Refused {
    // Callers pass texts and errors of many types by value.
    #[expect(clippy::needless_pass_by_value)]
    pub(crate) fn new(status: u16, error: impl ToString, hint: impl ToString) -> Self {
        Self::With(
            status,
            ErrorDocument::new(error.to_string(), hint.to_string()),
        )
    }

    /// Creates the error of a request that is invalid or cannot be fulfilled.
    pub(crate) fn bad(error: impl ToString, hint: impl ToString) -> Self {
        Self::new(400, error, hint)
    }

    /// Creates the error of a request for a name or number that does not exist.
    pub(crate) fn missing(what: &str, id: impl std::fmt::Display) -> Self {
        let error = format!("there is no {what} {id}");
        Self::new(
            404,
            error,
            "The page may be older than its data; open the list of games.",
        )
    }
}

impl From<ErrorDocument> for Refused {
    fn from(document: ErrorDocument) -> Self {
        Self::With(400, document)
    }
}

impl From<serde_json::Error> for Refused {
    fn from(error: serde_json::Error) -> Self {
        Self::new(500, error, "Please report it.")
    }
}

impl From<std::io::Error> for Refused {
    fn from(error: std::io::Error) -> Self {
        Self::new(500, error, "Please report it.")
    }
}

impl From<Refused> for Reply {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Ask => Self {
                status: Self::ASK,
                kind: "application/json",
                file: String::new(),
                body: Vec::new(),
            },
            Refused::With(status, document) => Self {
                status,
                ..Self::document(&document)
            },
        }
    }
}
