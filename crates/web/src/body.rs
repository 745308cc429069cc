//! Reads the bodies of requests. Their size, their duration and the memory of all of them together
//! are limited.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Bytes,
    extract::Request,
    http::{StatusCode, header},
};
use centipawn_work::library::names_account;
use futures_util::StreamExt as _;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout_at},
};

use crate::{error::ApiError, server::Limits};

/// A body must be complete after 10 seconds, plus one second for every 32 KiB that have arrived. So
/// slow connections may send large files, but connections that send nothing are closed.
const TIME: Duration = Duration::from_secs(10);
const BYTES_A_SECOND: f64 = 32_768.0;
/// Memory is counted in units of this size, because a semaphore counts in 32 bits.
const PIECE: usize = 1 << 10;
/// Number of uploads of the maximum size that fit into the memory for uploads at the same time. Of
/// smaller uploads, more fit.
const AT_ONCE: usize = 2;

/// Limits the memory of all uploads, and lets one upload at a time be processed.
pub(crate) struct Uploads {
    memory: Arc<Semaphore>,
    turn: Arc<Semaphore>,
}

/// The body of an upload. While it exists, its memory is reserved and other uploads wait.
pub(crate) struct Upload {
    pub(crate) bytes: Bytes,
    _memory: Option<OwnedSemaphorePermit>,
    _turn: Option<OwnedSemaphorePermit>,
}

impl Uploads {
    pub(crate) fn new(limits: Limits) -> Self {
        let pieces = AT_ONCE
            .saturating_mul(limits.games_bytes)
            .div_ceil(PIECE)
            .min(Semaphore::MAX_PERMITS);
        Self {
            memory: Arc::new(Semaphore::new(pieces)),
            turn: Arc::new(Semaphore::new(1)),
        }
    }

    /// Receives a body, then waits until no other upload is processed. The name of an account does
    /// not wait and lets none wait, because the download of its games may take an hour. Downloads
    /// have a separate limit.
    pub(crate) async fn receive(
        &self,
        request: Request,
        limit: usize,
        hint: &str,
    ) -> Result<Upload, ApiError> {
        let (bytes, memory) = receive(request, limit, hint, Some(&self.memory)).await?;
        let turn = match names_account(&bytes) {
            true => None,
            false => Arc::clone(&self.turn).acquire_owned().await.ok(),
        };
        Ok(Upload {
            bytes,
            _memory: memory,
            _turn: turn,
        })
    }
}

/// Receives a small body, which needs no reserved memory.
pub(crate) async fn small(request: Request, limit: usize, hint: &str) -> Result<Bytes, ApiError> {
    receive(request, limit, hint, None)
        .await
        .map(|(bytes, _)| bytes)
}

/// Receives a body. If the header states a length above the limit, the body is refused before it is
/// read.
async fn receive(
    request: Request,
    limit: usize,
    hint: &str,
    memory: Option<&Arc<Semaphore>>,
) -> Result<(Bytes, Option<OwnedSemaphorePermit>), ApiError> {
    let length = request
        .headers()
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_some_and(|length: usize| length > limit) {
        return Err(ApiError::too_large(limit, hint));
    }
    let began = Instant::now();
    let (mut body, mut bytes, mut held) =
        (request.into_body().into_data_stream(), Vec::new(), None);
    loop {
        let due = began + TIME + Duration::from_secs_f64(bytes.len() as f64 / BYTES_A_SECOND);
        let Ok(next) = timeout_at(due, body.next()).await else {
            let error = "the request came too slowly";
            return Err(ApiError::new(
                StatusCode::REQUEST_TIMEOUT,
                error,
                "Send it again, or in smaller parts.",
            ));
        };
        let piece = match next {
            None => return Ok((bytes.into(), held)),
            Some(Ok(piece)) => piece,
            Some(Err(_)) => return Err(ApiError::bad("the request ended early", "Send it again.")),
        };
        if bytes.len() + piece.len() > limit {
            return Err(ApiError::too_large(limit, hint));
        }
        if let Some(memory) = memory {
            hold(memory, piece.len().div_ceil(PIECE), &mut held)?;
        }
        bytes.extend_from_slice(&piece);
    }
}

/// Reserves memory for more pieces, in addition to `held`.
fn hold(
    memory: &Arc<Semaphore>,
    pieces: usize,
    held: &mut Option<OwnedSemaphorePermit>,
) -> Result<(), ApiError> {
    let pieces = u32::try_from(pieces).unwrap_or(u32::MAX);
    let more = Arc::clone(memory)
        .try_acquire_many_owned(pieces)
        .map_err(|_| {
            let error = "other uploads take all the memory that this server has for them";
            ApiError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                error,
                "Wait until they have ended, then send it again.",
            )
        })?;
    match held {
        Some(held) => held.merge(more),
        none => *none = Some(more),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use futures_util::stream;

    use super::*;

    fn request(pieces: usize, size: usize, pause: Duration) -> Request {
        let pieces = stream::unfold(0, move |index| async move {
            tokio::time::sleep(pause).await;
            (index < pieces).then(|| {
                (
                    Ok::<_, std::io::Error>(Bytes::from(vec![b'a'; size])),
                    index + 1,
                )
            })
        });
        Request::new(Body::from_stream(pieces))
    }

    fn status(error: ApiError) -> u16 {
        use axum::response::IntoResponse as _;
        error.into_response().status().as_u16()
    }

    #[tokio::test(start_paused = true)]
    async fn bodies_that_arrive_too_slowly_are_refused() {
        let second = Duration::from_secs(1);
        assert_eq!(
            small(request(5, 1, second), 100, "").await.unwrap().len(),
            5
        );
        let began = Instant::now();
        assert_eq!(
            status(small(request(100, 1, second), 1000, "").await.unwrap_err()),
            408
        );
        assert!(began.elapsed() <= TIME + second, "{:?}", began.elapsed());
        // A slow but steady upload is accepted.
        let upload = request(100, 60_000, second);
        assert_eq!(small(upload, 1 << 24, "").await.unwrap().len(), 6_000_000);
    }

    #[tokio::test(start_paused = true)]
    async fn uploads_share_limited_memory_and_are_processed_one_at_a_time() {
        let limits = Limits {
            games_bytes: 100 * PIECE,
            ..Limits::default()
        };
        let uploads = Uploads::new(limits);
        let whole = || request(10, 10 * PIECE, Duration::ZERO);
        let first = uploads
            .receive(whole(), limits.games_bytes, "")
            .await
            .unwrap();
        let second = uploads.receive(whole(), limits.games_bytes, "");
        let third = async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let refused = uploads
                .receive(whole(), limits.games_bytes, "")
                .await
                .err()
                .map(status);
            drop(first);
            refused
        };
        let (second, refused) = tokio::join!(second, third);
        assert_eq!(
            (second.unwrap().bytes.len(), refused),
            (limits.games_bytes, Some(503))
        );
        assert!(
            uploads
                .receive(whole(), limits.games_bytes, "")
                .await
                .is_ok(),
            "what has ended leaves its share"
        );
        assert_eq!(
            uploads.receive(whole(), 1000, "").await.err().map(status),
            Some(413)
        );
    }

    /// The download of an account's games may take an hour.
    #[tokio::test(start_paused = true)]
    async fn an_account_does_not_block_other_uploads() {
        let uploads = Uploads::new(Limits::default());
        let receive =
            |text: &'static str| uploads.receive(Request::new(Body::from(text)), 1000, "");
        let accounts = [
            receive("lichess:anna").await.unwrap(),
            receive(" chesscom:anna?max=9\n").await.unwrap(),
        ];
        let waits = |text| tokio::time::timeout(Duration::from_secs(3600), receive(text));
        let games = waits("1. e4 *")
            .await
            .expect("the accounts hold no turn")
            .unwrap();
        assert!(
            waits("1. d4 *").await.is_err(),
            "games are read one at a time"
        );
        assert!(waits("lichess:bob").await.is_ok());
        drop((accounts, games));
    }
}
