//! Errors as answers. Each has one sentence about the problem and one about what to do.

use std::error::Error;

use axum::{
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};

use crate::documents::ErrorDocument;

/// An error as the response to a request.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    document: ErrorDocument,
}

// Callers pass texts and errors of many types by value.
#[expect(clippy::needless_pass_by_value)]
impl ApiError {
    pub(crate) fn new(status: StatusCode, error: impl ToString, hint: impl ToString) -> Self {
        Self {
            status,
            document: ErrorDocument {
                error: error.to_string(),
                hint: hint.to_string(),
            },
        }
    }

    /// Returns whether the request was refused because too many jobs wait.
    pub(crate) fn is_too_many(&self) -> bool {
        self.status == StatusCode::TOO_MANY_REQUESTS
    }

    /// Returns whether the server itself failed.
    pub(crate) fn is_failure(&self) -> bool {
        self.status == StatusCode::INTERNAL_SERVER_ERROR
    }

    /// Creates the error of a request that is invalid or cannot be fulfilled.
    pub(crate) fn bad(error: impl ToString, hint: impl ToString) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error, hint)
    }

    /// Creates the error of a request that a library refuses.
    pub(crate) fn refused(document: ErrorDocument) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            document,
        }
    }

    /// Creates the error of a request for a name or number that does not exist.
    pub(crate) fn missing(what: &str, id: impl ToString) -> Self {
        let error = format!("there is no {what} {}", id.to_string());
        Self::new(
            StatusCode::NOT_FOUND,
            error,
            "The page may be older than the store; open the list of games.",
        )
    }

    /// Creates the error of a request whose body is larger than `limit` bytes.
    pub(crate) fn too_large(limit: usize, hint: &str) -> Self {
        let size = if limit >= 1 << 20 {
            format!("{} MiB", limit >> 20)
        } else {
            format!("{} KiB", limit >> 10)
        };
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the request is larger than {size}"),
            hint,
        )
    }

    /// Creates the error of a failure of the server, for example of its store or an engine.
    pub(crate) fn failed(error: &(dyn Error + 'static)) -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            message(error),
            "The log of `centipawn serve` may contain details.",
        )
    }
}

impl<E: Error + 'static> From<E> for ApiError {
    fn from(error: E) -> Self {
        Self::failed(&error)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        // The document has only texts, so this cannot fail.
        let body = serde_json::to_string(&self.document).unwrap_or_default();
        (
            self.status,
            [(header::CONTENT_TYPE, "application/json")],
            body,
        )
            .into_response()
    }
}

/// Returns an error and its causes on one line. A cause is left out if the text before it already
/// contains it.
pub(crate) fn message(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    text
}
