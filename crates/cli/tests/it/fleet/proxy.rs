//! A proxy that loses replies to commits: the server has committed, but the connection is cut
//! before the reply.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

pub(crate) struct Proxy {
    pub(crate) port: u16,
    cuts: Arc<AtomicU64>,
}

impl Proxy {
    /// Starts a proxy that cuts the connection at every `nth` commit, after the server has
    /// committed.
    pub(crate) fn start(server: u16, nth: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (commits, cuts) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
        let counted = Arc::clone(&cuts);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(upstream) = TcpStream::connect(("127.0.0.1", server)) else {
                    continue;
                };
                let (mut back_from, mut back_to) =
                    (upstream.try_clone().unwrap(), client.try_clone().unwrap());
                thread::spawn(move || {
                    let _ = std::io::copy(&mut back_from, &mut back_to);
                });
                let (commits, cuts) = (Arc::clone(&commits), Arc::clone(&counted));
                thread::spawn(move || forward(client, upstream, nth, &commits, &cuts));
            }
        });
        Self { port, cuts }
    }

    pub(crate) fn cuts(&self) -> u64 {
        self.cuts.load(Ordering::SeqCst)
    }
}

fn forward(
    mut client: TcpStream,
    mut upstream: TcpStream,
    nth: u64,
    commits: &AtomicU64,
    cuts: &AtomicU64,
) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count @ 1..) = client.read(&mut bytes) {
        let sent = &bytes[..count];
        let is_commit = sent.windows(6).any(|word| word == b"COMMIT");
        let is_lost = is_commit && commits.fetch_add(1, Ordering::SeqCst) % nth == nth - 1;
        if is_lost {
            // Discard the reply.
            let _ = client.shutdown(Shutdown::Write);
        }
        if upstream.write_all(sent).is_err() {
            break;
        }
        if is_lost {
            thread::sleep(Duration::from_millis(200));
            cuts.fetch_add(1, Ordering::SeqCst);
            break;
        }
    }
    let _ = client.shutdown(Shutdown::Both);
    let _ = upstream.shutdown(Shutdown::Both);
}
