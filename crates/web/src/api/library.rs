//! Handlers of everything that the store keeps: export, import and deletion.

use std::io::{self, Write};

use axum::{
    body::{Body, Bytes},
    extract::{Request, State},
    http::{Uri, header},
    response::IntoResponse,
};
use centipawn_progress::Silent;
use centipawn_work::library::{LibraryExport, LibraryFormat};
use tokio::sync::mpsc::{Sender, channel};

use super::{Answer, Shared, asking, blocking, document, input_name, parsed, query, typed};
use crate::{
    documents::{DeleteRequest, DeletedDocument, ErrorDocument, ImportedDocument},
    library, puzzles,
};

/// Size of a piece of an export, in bytes.
const PIECE: usize = 64 << 10;

/// Everything that the store keeps, as a library file: JSON lines, compressed by gzip.
#[utoipa::path(
    get,
    path = "/api/library/export.jsonl.gz",
    params(("evaluations" = Option<String>, Query, description = "`no` leaves evaluated positions out")),
    responses((status = 200, body = String, content_type = "application/gzip"))
)]
pub(crate) async fn export(State(server): Shared, uri: Uri) -> Answer {
    let export = LibraryExport {
        format: LibraryFormat::Gzip,
        evaluations: query(&uri)
            .get("evaluations")
            .is_none_or(|text| text != "no"),
        now: puzzles::now(),
    };
    let (sender, receiver) = channel(4);
    tokio::task::spawn_blocking(move || {
        let mut pieces = Pieces {
            sender,
            piece: Vec::with_capacity(PIECE),
        };
        let cancel = server.cancel.child();
        let written = server
            .library
            .export(&mut pieces, export, &cancel, &Silent)
            .map_err(io::Error::other)
            .and_then(|_| pieces.flush());
        // An error ends the answer before its end, so that the browser reports a broken download.
        if let Err(error) = written {
            let _ = pieces.sender.blocking_send(Err(error));
        }
    });
    let body = futures_util::stream::unfold(receiver, async |mut receiver| {
        receiver.recv().await.map(|piece| (piece, receiver))
    });
    let name = "attachment; filename=\"centipawn.jsonl.gz\"";
    let answer = typed("application/gzip", Body::from_stream(body));
    Ok(([(header::CONTENT_DISPOSITION, name)], answer).into_response())
}

/// Sends what is written to the body of an answer, in pieces.
struct Pieces {
    sender: Sender<Result<Bytes, io::Error>>,
    piece: Vec<u8>,
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let piece = std::mem::take(&mut self.piece);
        if piece.is_empty() {
            return Ok(());
        }
        // The browser has closed the connection.
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.sender.blocking_send(Ok(piece.into())).map_err(gone)
    }
}

/// Add everything of a library file, plain or compressed.
#[utoipa::path(
    post,
    path = "/api/library/import",
    params(("name" = Option<String>, Query, description = "Names the file in problems")),
    request_body(content = String, content_type = "application/gzip"),
    responses(
        (status = 200, body = ImportedDocument),
        (status = 400, body = ErrorDocument),
        (status = 503, body = ErrorDocument, description = "Other uploads take all the memory for uploads")
    )
)]
pub(crate) async fn import(State(server): Shared, request: Request) -> Answer {
    let name = input_name(&request);
    let (most, hint) = (
        server.options.limits.games_bytes,
        "Import it with `centipawn store import` on the server's machine.",
    );
    let upload = server.uploads.receive(request, most, hint).await?;
    asking(&server, move |server, cancel| {
        document(&library::import(server, &name, &upload, cancel)?)
    })
    .await
}

/// Delete games with their reviews, puzzles and attempts; without `confirmed`, count them.
#[utoipa::path(
    post,
    path = "/api/library/delete",
    request_body = DeleteRequest,
    responses((status = 200, body = DeletedDocument), (status = 400, body = ErrorDocument))
)]
pub(crate) async fn delete(State(server): Shared, request: Request) -> Answer {
    let request: DeleteRequest = parsed(&server, request).await?;
    blocking(move || document(&library::delete(&server, &request)?)).await
}
