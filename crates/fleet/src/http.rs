//! A small HTTP server for metrics and health. It supports only `GET` and `HEAD`, and has one
//! thread for each client, so that slow clients do not block others.

use std::{
    collections::VecDeque,
    io::{self, Read as _, Write as _},
    net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// The media type of OpenMetrics.
pub(crate) const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// The media type of plain text.
pub(crate) const PLAIN: &str = "text/plain; charset=utf-8";
/// Time limit for a request with its response. The connection of a slower client is closed.
const PATIENCE: Duration = Duration::from_secs(5);
/// Maximum number of clients at a time. A new client replaces the oldest, so that slow clients do
/// not block others.
pub(crate) const CLIENTS: usize = 32;

/// A response of the metrics server.
pub(crate) struct Page {
    pub(crate) status: &'static str,
    pub(crate) form: &'static str,
    pub(crate) body: String,
}

impl Page {
    pub(crate) fn ok(form: &'static str, body: String) -> Self {
        Self {
            status: "200 OK",
            form,
            body,
        }
    }

    /// Returns the page `/healthz`: 200, or 503 with the reason.
    pub(crate) fn health(health: Result<(), String>) -> Self {
        match health {
            Ok(()) => Self::ok(PLAIN, "ok\n".to_owned()),
            Err(reason) => Self::unavailable(reason),
        }
    }

    pub(crate) fn unavailable(reason: String) -> Self {
        Self {
            status: "503 Service Unavailable",
            form: PLAIN,
            body: reason + "\n",
        }
    }
}

/// Answers requests at an address until the process ends. `answer` receives the path without its
/// query, and returns `None` for a path that does not exist.
///
/// # Errors
///
/// The I/O error if the address cannot be bound.
pub(crate) fn serve(
    address: impl ToSocketAddrs,
    answer: impl Fn(&str) -> Option<Page> + Send + Sync + 'static,
) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind(address)?;
    let place = listener.local_addr()?;
    let answer = Arc::new(answer);
    thread::Builder::new()
        .name("metrics".to_owned())
        .spawn(move || {
            let mut clients: VecDeque<Arc<TcpStream>> = VecDeque::new();
            for stream in listener.incoming().flatten() {
                // The thread of a client drops its reference after the response, so clients that
                // were answered have one reference left.
                clients.retain(|client| Arc::strong_count(client) > 1);
                if clients.len() == CLIENTS
                    && let Some(first) = clients.pop_front()
                {
                    let _ = first.shutdown(Shutdown::Both);
                }
                let (client, answer) = (Arc::new(stream), Arc::clone(&answer));
                clients.push_back(Arc::clone(&client));
                let reply = move || {
                    // An error concerns only this client, which may have disconnected.
                    let _ = reply(&client, &*answer);
                    let _ = client.shutdown(Shutdown::Both);
                };
                let _ = thread::Builder::new()
                    .name("metrics client".to_owned())
                    .spawn(reply);
            }
        })?;
    Ok(place)
}

fn reply(stream: &TcpStream, answer: &dyn Fn(&str) -> Option<Page>) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = first_line(stream)?;
    let mut words = request.split_whitespace();
    let (method, target) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    // A scraper may add query parameters, which are ignored.
    let path = target.split('?').next().unwrap_or_default();
    let page = if matches!(method, "GET" | "HEAD") {
        answer(path)
    } else {
        None
    };
    let missing = || Page {
        status: "404 Not Found",
        form: PLAIN,
        body: "only /metrics, /healthz and /livez are here\n".to_owned(),
    };
    let Page { status, form, body } = page.unwrap_or_else(missing);
    let length = body.len();
    let body = if method == "HEAD" { "" } else { &body };
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {form}\r\nContent-Length: {length}\r\nConnection: \
         close\r\n\r\n{body}"
    )
}

/// Reads the first line of a request. [`PATIENCE`] limits the whole line, not each byte, so that a
/// client cannot keep the thread by sending one byte at a time.
fn first_line(mut stream: &TcpStream) -> io::Result<String> {
    const LONGEST: usize = 4096;
    let (until, mut line) = (Instant::now() + PATIENCE, Vec::new());
    while !line.contains(&b'\n') && line.len() < LONGEST {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        stream.set_read_timeout(Some(left))?;
        let mut bytes = [0; 512];
        match stream.read(&mut bytes)? {
            0 => break,
            read => line.extend_from_slice(&bytes[..read]),
        }
    }
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(String::from_utf8_lossy(line).into_owned())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn get(address: SocketAddr, request: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn a_query_is_ignored_and_head_has_no_body() {
        let answer = |path: &str| (path == "/healthz").then(|| Page::health(Ok(())));
        let address = serve("127.0.0.1:0", answer).unwrap();
        assert!(get(address, "GET /healthz?module=a&x HTTP/1.1\r\n\r\n").ends_with("\r\n\r\nok\n"));
        let head = get(address, "HEAD /healthz HTTP/1.1\r\n\r\n");
        assert!(
            head.starts_with("HTTP/1.1 200") && head.contains("Content-Length: 3\r\n"),
            "{head}"
        );
        assert!(head.ends_with("\r\n\r\n"), "{head}");
        for request in ["GET /health?z", "HEAD /?/healthz", "POST /healthz", ""] {
            assert!(
                get(address, &format!("{request} HTTP/1.1\r\n\r\n")).starts_with("HTTP/1.1 404"),
                "{request}"
            );
        }
    }

    #[test]
    fn slow_clients_do_not_block_others() {
        let address = serve("127.0.0.1:0", |_| Some(Page::health(Ok(())))).unwrap();
        let begin = Instant::now();
        let slow: Vec<TcpStream> = (0..130)
            .map(|number| {
                let mut stream = TcpStream::connect(address).unwrap();
                if number % 2 == 0 {
                    let _ = stream.write_all(b"G");
                }
                stream
            })
            .collect();
        assert!(get(address, "GET /healthz HTTP/1.1\r\n\r\n").ends_with("ok\n"));
        assert!(begin.elapsed() < PATIENCE, "{:?}", begin.elapsed());
        // Sending single bytes does not extend the time limit.
        let mut last = slow.into_iter().last().unwrap();
        let mut end = [0];
        last.set_read_timeout(Some(Duration::from_millis(500)))
            .unwrap();
        while !matches!(last.read(&mut end), Ok(0)) && last.write_all(b"E").is_ok() {
            assert!(begin.elapsed() < 3 * PATIENCE, "still open");
        }
    }
}
