//! `centipawn serve`: only one server at a time may work on the jobs of a store.

use std::path::Path;

use crate::{
    common::{Ran, centipawn, fake, run_with},
    faces::Page,
};
use centipawn_test_support::postgres::Server;

fn start(store: &str) -> Page {
    Page::start(centipawn([]), Path::new(store))
}

/// Starts a second server, which must fail.
fn second(store: &str) -> Ran {
    run_with(&mut centipawn([
        "serve",
        "--port",
        "0",
        "--engine",
        &fake(""),
        "--store",
        store,
    ]))
}

/// Returns the standard error without the line breaks of the terminal's width.
fn one_line(ran: &Ran) -> String {
    ran.stderr()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

fn one_server_at_a_time(store: &str) {
    let first = start(store);
    let refused = second(store);
    assert_eq!(
        (refused.code(), refused.stdout()),
        (Some(3), ""),
        "{}",
        refused.stderr()
    );
    let text = one_line(&refused);
    assert!(
        text.contains(&format!(
            "another `centipawn serve` works on the store {store}; close it"
        )),
        "{text}"
    );
    assert!(
        text.contains("its own store with --store FILE") && text.contains("use a fleet"),
        "{text}"
    );
    // The first server still works, and so do other commands.
    first.ask("POST", "/api/games", "1. e4 e5 *");
    assert_eq!(
        run_with(&mut centipawn(["store", "stats", "--store", store])).code(),
        Some(0)
    );
    first.interrupt();
    let killed = start(store);
    drop(killed);
    start(store).interrupt();
}

#[test]
fn a_second_server_on_a_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.db");
    one_server_at_a_time(file.to_str().unwrap());
    // A link to the store names the same store.
    let link = folder.path().join("link.db");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    let first = start(file.to_str().unwrap());
    assert_eq!(second(link.to_str().unwrap()).code(), Some(3));
    first.interrupt();
}

#[test]
fn a_second_server_on_postgres_is_refused() {
    let Some(server) = Server::start(&["fsync = off"]) else {
        return;
    };
    let store = server.database();
    one_server_at_a_time(&store);
    // The server survives a restart of the database.
    let page = start(&store);
    server.down();
    server.up();
    assert!(
        page.ask("POST", "/api/games/select", "{}")
            .contains("\"total\":1")
    );
    page.interrupt();
}

#[test]
fn a_lock_that_cannot_be_made_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("a.db");
    std::fs::create_dir(folder.path().join("a.db.queue")).unwrap();
    let refused = second(store.to_str().unwrap());
    assert_eq!(refused.code(), Some(3));
    let text = one_line(&refused);
    assert!(text.contains("a.db.queue: Is a directory"), "{text}");
}
