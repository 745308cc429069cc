//! A server without sockets, for the fuzz target of request bodies.

use std::{path::PathBuf, sync::Arc};

use axum::{
    Router,
    body::{Body, to_bytes},
    http::{Request, header},
};
use centipawn_engine::{EngineSpec, Limit};
use centipawn_progress::{Cancel, Silent};
use centipawn_review::ReviewOptions;
use centipawn_store::Location;
use centipawn_work::{Resources, StoreChoice, library::Library};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use tokio::runtime::{Builder, Runtime};

use crate::{
    ServeOptions,
    api::router,
    body::Uploads,
    events::Events,
    jobs::Queue,
    server::{Limits, Server},
};

/// The addresses whose requests have a body.
const ADDRESSES: [&str; 19] = [
    "/api/games?name=fuzzed",
    "/api/reviews",
    "/api/reviews/1/judged",
    "/api/reviews/1/why",
    "/api/moves",
    "/api/lines",
    "/api/curve",
    "/api/people",
    "/api/symbols",
    "/api/ease",
    "/api/position",
    "/api/table",
    "/api/puzzles/1/edit",
    "/api/puzzles",
    "/api/puzzles/import?name=fuzzed",
    "/api/puzzles/mistakes",
    "/api/puzzles/1/answer",
    "/api/puzzles/1/attempt",
    "/api/session",
];

/// A server that fuzzing sends bodies to. It has no engine, so questions that need one are refused.
pub struct FuzzedServer {
    runtime: Runtime,
    service: TowerToHyperService<Router>,
}

/// Creates a server with a store in this file. It has no engine.
pub(crate) fn server(store: PathBuf) -> Arc<Server> {
    let cancel = Cancel::new();
    let choice = StoreChoice::At(Location::File(store));
    let resources = Resources::new(choice, &cancel, Arc::new(Silent));
    let options = ServeOptions {
        engine: EngineSpec {
            command: "no-engine-of-this-name".to_owned(),
            ..EngineSpec::default()
        },
        limits: Limits {
            games: 50,
            decompressed_bytes: 1 << 20,
            ..Limits::default()
        },
        ..ServeOptions::new(ReviewOptions::new(Limit::Nodes(1)))
    };
    Arc::new(Server {
        port: 1,
        board: resources
            .with_own_engines(&cancel, Arc::new(Silent))
            .expect("a store"),
        library: Library::new(resources.store().expect("a store").expect("a store")),
        store: resources.store().expect("a store").expect("a store"),
        resources,
        queue: Queue::default(),
        events: Events::new(32),
        uploads: Uploads::new(options.limits),
        noting: std::sync::Mutex::default(),
        token: None,
        cancel,
        options,
    })
}

impl FuzzedServer {
    /// Creates a server with a store in this file.
    ///
    /// # Panics
    ///
    /// If the store cannot be opened.
    pub fn new(store: PathBuf) -> Self {
        let server = server(store);
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        Self {
            runtime,
            service: TowerToHyperService::new(router(&server)),
        }
    }

    /// Sends a body to the server. Returns the status and the text of the answer. `address` is
    /// reduced to an index of the addresses with a body.
    ///
    /// # Panics
    ///
    /// If the server gives no answer.
    pub fn post(&self, address: usize, body: &[u8]) -> (u16, String) {
        let request = Request::post(ADDRESSES[address % ADDRESSES.len()])
            .header(header::HOST, "127.0.0.1:1")
            .header("x-centipawn", "1")
            .body(Body::from(body.to_vec()))
            .expect("a request");
        self.runtime.block_on(async {
            let response = self.service.call(request).await.expect("an answer");
            let status = response.status().as_u16();
            let text = to_bytes(response.into_body(), usize::MAX)
                .await
                .expect("a whole answer");
            (status, String::from_utf8_lossy(&text).into_owned())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_bodies_are_refused_and_the_server_continues() {
        let folder = tempfile::tempdir().unwrap();
        let server = FuzzedServer::new(folder.path().join("a.db"));
        assert_eq!(server.post(0, b"1. e4 e5 *").0, 200);
        let number = "1".repeat(400);
        for body in [
            "",
            "{",
            "[]",
            "null",
            "{}",
            r#"{"fen":"8/8/8/8/8/8/8/8 w - - 0 1","moves":["e2e4"],"nodes":1,"lines":1}"#,
            r#"{"curve":"human  ","balance":-1,"played":"nan","best":"1e999"}"#,
            r#"{"curve":"human 1600 0+0","played":"0","best":"0"}"#,
            r#"{"eval":1e308,"times":["1/1:0+9"]}"#,
            r#"{"step":18446744073709551615,"uci":"e2e4"}"#,
            r#"{"rating":"9..1","theme":"%"}"#,
            &number,
        ] {
            for (address, name) in ADDRESSES.into_iter().enumerate() {
                let (status, text) = server.post(address, body.as_bytes());
                assert!(!text.contains("inside Centipawn"), "{name}: {body}: {text}");
                assert!((200..=500).contains(&status), "{status}");
            }
        }
        assert_eq!(server.post(0, b"1. d4 d5 *").0, 200);
    }
}
