use std::{
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    thread,
    time::Instant,
};

use super::*;
use crate::{ScanOptions, Source, Sources, Unreadable, clean, scan};

/// A request as the test server received it.
struct Request {
    /// Number of earlier requests.
    number: usize,
    path: String,
    /// The first byte, from `Range`.
    from: Option<usize>,
    if_range: Option<String>,
    authorization: Option<String>,
}

/// Returns a server that answers one request after another; its address ends with a slash.
fn serve(answer: impl Fn(&mut TcpStream, &Request) -> io::Result<()> + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let lines: Vec<_> = lines
                .map_while(|line| line.ok().filter(|line| !line.is_empty()))
                .collect();
            let header = |name: &str| {
                lines
                    .iter()
                    .filter_map(|line| line.split_once(": "))
                    .find(|(key, _)| key.eq_ignore_ascii_case(name))
            };
            let header = |name| header(name).map(|(_, value)| value.to_owned());
            let request = Request {
                number,
                path: lines[0].split(' ').nth(1).unwrap().to_owned(),
                from: header("range").map(|range| {
                    range
                        .strip_prefix("bytes=")
                        .unwrap()
                        .strip_suffix('-')
                        .unwrap()
                        .parse()
                        .unwrap()
                }),
                if_range: header("if-range"),
                authorization: header("authorization"),
            };
            // Ignore errors: the reader may close the connection.
            let _ = answer(&mut stream, &request);
        }
    });
    address
}

fn head(stream: &mut TcpStream, status: &str, length: usize, more: &str) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{more}\r\n"
    )
}

fn whole(stream: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    head(stream, "200 OK", bytes.len(), "")?;
    stream.write_all(bytes)
}

/// Returns the bytes from `from` on, honestly labelled.
fn rest(stream: &mut TcpStream, bytes: &[u8], from: usize, etag: &str) -> io::Result<()> {
    let range = format!(
        "Content-Range: bytes {from}-{}/{}\r\nETag: {etag}\r\n",
        bytes.len() - 1,
        bytes.len()
    );
    head(stream, "206 Partial Content", bytes.len() - from, &range)?;
    stream.write_all(&bytes[from..])
}

/// Announces the whole file, but sends only half of it.
fn half(stream: &mut TcpStream, bytes: &[u8], headers: &str) -> io::Result<()> {
    head(stream, "200 OK", bytes.len(), headers)?;
    stream.write_all(&bytes[..bytes.len() / 2])
}

fn games() -> Vec<u8> {
    let game = |number| {
        format!(
            "[Event \"{number}\"]\n\n1. e4 {{ {} }} e5 1-0\n\n",
            number * 7919
        )
    };
    (0..10_000).map(game).collect::<String>().into_bytes()
}

fn read(address: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut source = Source::open(address).map_err(|error| error.to_string())?;
    source
        .read_to_end(&mut bytes)
        .map(|_| bytes)
        .map_err(|error| error.to_string())
}

fn why(address: &str) -> String {
    read(address).unwrap_err()
}

#[test]
fn files_are_read_whole_and_decompressed() {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(&games()).unwrap();
    let (gz, zst) = (
        gz.finish().unwrap(),
        zstd::encode_all(&*games(), 1).unwrap(),
    );
    let address = serve(move |stream, request| match &*request.path {
        "/a.pgn" => whole(stream, &games()),
        "/a.pgn.gz" => whole(stream, &gz),
        "/moved" => head(stream, "302 Found", 0, "Location: /a.pgn.zst\r\n"),
        "/unsized" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")?;
            stream.write_all(&games())
        }
        "/chunks" => {
            stream.write_all(
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n",
            )?;
            for chunk in games().chunks(5000) {
                write!(stream, "{:x}\r\n", chunk.len())?;
                stream.write_all(chunk)?;
                stream.write_all(b"\r\n")?;
            }
            stream.write_all(b"0\r\n\r\n")
        }
        "/empty" => whole(stream, b""),
        _ => whole(stream, &zst),
    });
    for file in [
        "a.pgn",
        "a.pgn.gz",
        "a.pgn.zst",
        "moved",
        "unsized",
        "chunks",
    ] {
        assert!(
            read(&format!("{address}{file}")).unwrap() == games(),
            "{file}"
        );
    }
    assert_eq!(read(&format!("{address}empty")).unwrap(), b"");
    let sources =
        Sources::expand(&[format!("{address}a.pgn"), format!("{address}a.pgn.gz")]).unwrap();
    let (count, report) = scan(
        &sources,
        &ScanOptions::default(),
        || 0,
        |count, _| *count += 1,
    )
    .unwrap();
    assert_eq!((count, report.games, report.sources), (20_000, 20_000, 2));
}

#[test]
fn a_broken_connection_is_resumed() {
    for (headers, validator) in [
        ("ETag: \"one\"\r\n", "\"one\""),
        (
            "ETag: W/\"weak\"\r\nLast-Modified: Mon, 05 Jan 2026 10:00:00 GMT\r\nDate: Tue, 06 Jan 2026 10:00:00 GMT\r\n",
            "Mon, 05 Jan 2026 10:00:00 GMT",
        ),
    ] {
        let address = serve(move |stream, request| {
            let bytes = games();
            match (request.number, request.from) {
                (0, None) => half(stream, &bytes, headers),
                // The first answer is a temporary error.
                (1, _) => head(stream, "503 Busy", 0, ""),
                (_, Some(from)) => {
                    assert_eq!(
                        (from, request.if_range.as_deref()),
                        (bytes.len() / 2, Some(validator))
                    );
                    rest(stream, &bytes, from, "\"one\"")
                }
                _ => head(stream, "400 Bad Request", 0, ""),
            }
        });
        assert!(read(&address).unwrap() == games(), "{validator}");
    }
}

#[test]
fn another_file_is_never_appended() {
    type Second = fn(&mut TcpStream, &[u8], usize) -> io::Result<()>;
    let cases: [(&str, Second, &str); 7] = [
        (
            "ETag: \"one\"\r\n",
            |stream, bytes, _| half(stream, bytes, "ETag: \"two\"\r\n"),
            "the file changed meanwhile",
        ),
        (
            "ETag: \"one\"\r\n",
            |stream, bytes, _| whole(stream, bytes),
            "the file changed meanwhile",
        ),
        (
            "ETag: \"one\"\r\n",
            |stream, bytes, from| rest(stream, bytes, from, "\"two\""),
            "the file changed meanwhile",
        ),
        (
            "ETag: \"one\"\r\n",
            |stream, bytes, from| rest(stream, &bytes[1..], from, "\"one\""),
            "the file changed meanwhile",
        ),
        (
            "ETag: \"one\"\r\n",
            |stream, bytes, from| rest(stream, bytes, from - 1, "\"one\""),
            "the file changed meanwhile",
        ),
        (
            "ETag: \"one\"\r\n",
            |stream, bytes, _| half(stream, bytes, "ETag: \"one\"\r\n"),
            "the server sends only whole files",
        ),
        (
            "ETag: W/\"one\"\r\n",
            |stream, bytes, from| rest(stream, bytes, from, "\"one\""),
            "does not identify the version of the file",
        ),
    ];
    for (headers, second, message) in cases {
        let address = serve(move |stream, request| match request.from {
            None => half(stream, &games(), headers),
            Some(from) => second(stream, &games(), from),
        });
        let why = why(&address);
        assert!(
            why.starts_with(&format!("cannot read {address}: ")) && why.contains(message),
            "{why}"
        );
    }
    // If the file changed in the second of the answer, two versions may have the same time.
    let young =
        "Last-Modified: Mon, 05 Jan 2026 10:00:00 GMT\r\nDate: Mon, 05 Jan 2026 10:00:00 GMT\r\n";
    let address = serve(move |stream, _| half(stream, &games(), young));
    assert!(why(&address).contains("does not identify the version of the file"));
}

#[test]
fn refusals_say_what_to_do() {
    let address = serve(|stream, request| match &*request.path {
        "/page" => {
            head(
                stream,
                "200 OK",
                6,
                "Content-Type: text/html; charset=utf-8\r\n",
            )?;
            stream.write_all(b"<html>")
        }
        "/circle" => head(stream, "302 Found", 0, "Location: /circle\r\n"),
        "/closed" if request.authorization.as_deref() == Some("Basic bWU6c2VjcmV0") => {
            whole(stream, b"1. e4 *\n")
        }
        "/closed" => head(stream, "401 Unauthorized", 0, ""),
        _ => head(stream, "404 Not Found", 0, ""),
    });
    let secret = address.replace("//", "//me:secret@");
    let user = address.replace("//", "//me@");
    assert_eq!(
        why(&format!("{secret}none.pgn?key=secret")),
        format!(
            "cannot read {user}none.pgn?…: the server answers with status 404: there is no such file; check the address"
        )
    );
    assert!(why(&format!("{address}page")).contains("a page (text/html)"));
    assert!(why(&format!("{address}circle")).contains("from address to address"));
    assert!(why(&format!("{address}closed")).contains("https://USER:PASSWORD@"));
    assert_eq!(read(&format!("{secret}closed")).unwrap(), b"1. e4 *\n");
    let why = why("http://me:secret@127.0.0.1:1/a.pgn");
    assert!(
        why.contains("is the address right") && !why.contains("secret"),
        "{why}"
    );
    let wrong = read("http://me:secret@exa mple/a.pgn").unwrap_err();
    assert!(
        wrong.contains("the address is not valid") && !wrong.contains("secret"),
        "{wrong}"
    );
}

#[test]
fn a_slow_server_does_not_delay_cancellation() {
    for path in ["before", "after"] {
        let address = serve(|stream, request| {
            if request.path == "/after" {
                half(stream, &games(), "")?;
            }
            thread::sleep(Duration::from_secs(30));
            Ok(())
        });
        let sources = Sources::expand(&[PathBuf::from(format!("{address}{path}"))]).unwrap();
        let started = Instant::now();
        let cancelled = || {
            let cancel = Cancel::new();
            let soon = cancel.clone();
            thread::spawn(move || {
                thread::sleep(Duration::from_millis(300));
                soon.set();
            });
            cancel
        };
        let cancel = cancelled();
        let options = ScanOptions {
            cancel: Some(&cancel),
            on_unreadable: Some(&never),
            ..ScanOptions::default()
        };
        let (_, report) = scan(&sources, &options, || 0, |count, _| *count += 1).unwrap();
        assert_eq!(
            (report.cancelled, report.failed_sources),
            (true, 0),
            "{path}"
        );
        if path == "before" {
            let cleaned = clean(&sources, &mut io::sink(), &cancelled(), never).unwrap();
            assert!(cleaned.cancelled);
        }
        assert!(
            started.elapsed() < Duration::from_secs(10),
            "{path}: {:?}",
            started.elapsed()
        );
    }
}

fn never(unreadable: &Unreadable) {
    panic!("{unreadable}");
}
