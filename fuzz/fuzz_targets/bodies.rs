//! Bodies of requests to the page: whatever they hold, they are answered or refused, and nothing
//! panics.

#![no_main]

use std::sync::OnceLock;

use centipawn_web::FuzzedServer;
use libfuzzer_sys::fuzz_target;

/// A server for all inputs; its store is in a folder that lasts as long.
fn server() -> &'static (FuzzedServer, tempfile::TempDir) {
    static SERVER: OnceLock<(FuzzedServer, tempfile::TempDir)> = OnceLock::new();
    SERVER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let server = FuzzedServer::new(folder.path().join("fuzzed.db"));
        // The addresses of a review and a puzzle lead somewhere.
        server.post(0, b"1. e4 { [%eval 0.3] } e5 { [%eval 0.2] } *");
        server.post(1, br#"{"game":1,"reuse_evals":true}"#);
        let puzzle =
            br#"{"fen":"r5k1/5ppp/p7/8/Q7/8/4RPPP/4R1K1 b - - 0 1","moves":["a6a5","e2e8"]}"#;
        server.post(11, puzzle);
        (server, folder)
    })
}

fuzz_target!(|input: &[u8]| {
    let Some((address, body)) = input.split_first() else {
        return;
    };
    let (status, text) = server().0.post(usize::from(*address), body);
    assert!(!text.contains("inside Centipawn"), "{status}: {text}");
});
