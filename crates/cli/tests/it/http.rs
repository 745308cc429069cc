//! Games at web addresses, as a user names them.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    path::Path,
    thread,
};

use crate::common::{centipawn, root, run};
use serde_json::Value;

/// Serves the files of a folder. The first request for each file gets only half of it, so that the
/// client must resume. The returned address ends with a slash.
fn serve(folder: &Path) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    let folder = folder.to_owned();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let lines: Vec<_> = lines
                .map_while(|line| line.ok().filter(|line| !line.is_empty()))
                .collect();
            let path = lines[0].split(' ').nth(1).unwrap().trim_start_matches('/');
            let range = lines.iter().map(|line| line.to_lowercase());
            let from = range
                .filter_map(|line| {
                    line.strip_prefix("range: bytes=")?
                        .strip_suffix('-')?
                        .parse()
                        .ok()
                })
                .next();
            let Ok(bytes) = fs::read(folder.join(path)) else {
                let _ = stream.write_all(
                    b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                );
                continue;
            };
            let total = bytes.len();
            let (status, sent, range) = match from {
                None => ("200 OK", &bytes[..total / 2], String::new()),
                Some(from) => {
                    let range = format!("Content-Range: bytes {from}-{}/{total}\r\n", total - 1);
                    ("206 Partial Content", &bytes[from..], range)
                }
            };
            let length = total - from.unwrap_or(0);
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nETag: \"1\"\r\n{range}Connection: close\r\n\r\n"
            );
            // The client may close the connection early.
            let _ = stream
                .write_all(head.as_bytes())
                .and_then(|()| stream.write_all(sent));
        }
    });
    address
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn games_at_an_address_count_as_those_of_the_file() {
    let address = format!("{}selfplay.pgn.gz", serve(&root().join("examples")));
    let of_file = run(centipawn([
        "pgn",
        "stats",
        "examples/selfplay.pgn.gz",
        "--json",
    ]));
    let of_address = run(centipawn(["pgn", "stats", &address, "--json"]));
    assert_eq!(
        (of_address.code(), of_address.stderr()),
        (Some(0), of_file.stderr())
    );
    let (mut file, mut there) = (json(of_file.stdout()), json(of_address.stdout()));
    let inputs = there["provenance"]
        .as_object_mut()
        .unwrap()
        .remove("inputs")
        .unwrap();
    assert_eq!(
        inputs,
        serde_json::json!([{ "name": address, "bytes": null, "sha256": null }])
    );
    file["provenance"].as_object_mut().unwrap().remove("inputs");
    assert_eq!(there, file);

    let folder = tempfile::tempdir().unwrap();
    let count = |games: &str, file: &str| {
        let path = folder.path().join(file);
        let ran = run(centipawn([
            "wdl",
            "count",
            games,
            "-o",
            path.to_str().unwrap(),
        ]));
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        run(centipawn(["wdl", "fit", path.to_str().unwrap()]))
            .stdout()
            .to_owned()
    };
    assert_eq!(
        count(&address, "there.wdl"),
        count("examples/selfplay.pgn.gz", "here.wdl")
    );
}

#[test]
fn games_at_an_address_are_reviewed() {
    let address = format!("{}lichess.pgn", serve(&root().join("tests/data")));
    let of = |games| {
        run(centipawn([
            "review",
            games,
            "--reuse-evals",
            "--curve",
            "lichess",
            "-o",
            "-",
        ]))
    };
    let (file, there) = (of("tests/data/lichess.pgn"), of(&address));
    assert_eq!((there.code(), there.stderr()), (Some(0), ""));
    assert_eq!(there.stdout(), file.stdout());
}

#[test]
fn unavailable_addresses_are_reported_without_the_password() {
    let address = serve(&root().join("examples")).replace("//", "//me:secret@");
    let ran = run(centipawn(["pgn", "stats", &format!("{address}none.pgn")]));
    assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
    let message = "there is no such file; check the address";
    assert!(
        ran.stderr().contains(message) && ran.stderr().contains("//me@"),
        "{}",
        ran.stderr()
    );
    assert!(!format!("{}{}", ran.stdout(), ran.stderr()).contains("secret"));
}
