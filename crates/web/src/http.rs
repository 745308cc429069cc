//! The HTTP server: connections, their limits, and the path of a request to its handler.

use std::{
    collections::HashSet,
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use centipawn_progress::{Cancel, Silent};
use centipawn_work::{ResourceError, Resources, library::Library};
use hyper::{
    Request,
    body::Incoming,
    server::conn::http1,
    service::{Service as _, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{net::TcpListener, runtime::Builder, sync::Notify};

use crate::{
    api::router,
    body::Uploads,
    events::Events,
    guard::Peer,
    jobs::{self, Queue},
    places::Places,
    server::{ServeOptions, Server},
    token::{Token, without_session},
};

/// The time that a client has to send the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// Number of threads that read and write connections. Work runs on other threads.
const THREADS: usize = 2;

/// The reason why the server cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The port is in use, or the user may not use it.
    #[error(
        "cannot listen on {address}; name an address of this machine and a free port, or port \
         0 for any free one"
    )]
    Listen {
        /// The address and port.
        address: SocketAddr,
        /// The error of the operating system.
        #[source]
        error: io::Error,
    },
    /// No store is chosen. The page needs one, because it stores games and jobs.
    #[error(
        "the page keeps games and jobs in a store, and there is none; name one with the \
         option `store FILE`"
    )]
    NoStore,
    /// Two files of curves have the same name.
    #[error("two curve files are named {0}; rename one")]
    SameCurve(String),
    /// The store cannot be opened, or another server is using it.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// The system cannot start a thread.
    #[error("cannot start the server")]
    Start(#[source] io::Error),
}

/// The addresses of a running server.
#[derive(Clone)]
pub struct Address {
    /// The address at which the server listens.
    pub socket: SocketAddr,
    /// The URL of the page for a browser on this machine.
    pub page: String,
    server: Arc<Server>,
}

impl Address {
    fn new(socket: SocketAddr, server: &Arc<Server>) -> Self {
        // The unspecified address (0.0.0.0) listens at all addresses, but a browser cannot open it,
        // so use loopback.
        let ip = if socket.ip().is_unspecified() {
            Ipv4Addr::LOCALHOST.into()
        } else {
            socket.ip()
        };
        let base = server.options.base.as_str();
        let page = format!("http://{}{base}", SocketAddr::new(ip, socket.port()));
        Self {
            socket,
            page,
            server: Arc::clone(server),
        }
    }

    /// Returns the token that the page requires; `None` if it requires none.
    pub fn token(&self) -> Option<&str> {
        self.server.token.as_ref().map(Token::text)
    }

    /// Returns the URL of the page, with a new login code if the page requires a token. Opened once
    /// within a minute, it starts a session without the token.
    ///
    /// # Errors
    ///
    /// If the system provides no random numbers.
    pub fn login(&self) -> io::Result<String> {
        let Some(token) = &self.server.token else {
            return Ok(self.page.clone());
        };
        Ok(format!("{}#code={}", self.page, token.code()?))
    }
}

/// Runs the server until `cancel` is set. Calls `ready` once, with the server's address.
///
/// Interrupted jobs stay in the store, and the page offers to continue them.
///
/// # Errors
///
/// [`ServeError`] if the server cannot start.
pub fn serve(
    options: ServeOptions,
    resources: Resources,
    cancel: &Cancel,
    ready: impl FnOnce(Address),
) -> Result<(), ServeError> {
    let mut names = HashSet::new();
    if let Some(twice) = options
        .own_curves
        .iter()
        .find(|own| !names.insert(&own.name))
    {
        return Err(ServeError::SameCurve(twice.name.clone()));
    }
    let store = resources.store()?.ok_or(ServeError::NoStore)?;
    // The lock is held until this function returns. At that time no job is running.
    let _queue = store.lock_queue().map_err(ResourceError::from)?;
    let runtime = Builder::new_multi_thread()
        .worker_threads(THREADS)
        .thread_name("page")
        .enable_all()
        .build();
    let runtime = runtime.map_err(ServeError::Start)?;
    let wanted = SocketAddr::new(options.host, options.port);
    let listen = |error| ServeError::Listen {
        address: wanted,
        error,
    };
    let listener = runtime
        .block_on(TcpListener::bind(wanted))
        .map_err(listen)?;
    let address = listener.local_addr().map_err(listen)?;
    let token = options
        .needs_token()
        .then(|| Token::new(address.port(), &options.base))
        .transpose();
    let token = token.map_err(|error| ServeError::Start(error.into()))?;
    let server = Arc::new(Server {
        port: address.port(),
        board: resources.with_own_engines(cancel, Arc::new(Silent))?,
        resources,
        library: Library::new(Arc::clone(&store)),
        store,
        queue: Queue::default(),
        events: Events::new((options.limits.connections / 2).max(1)),
        uploads: Uploads::new(options.limits),
        noting: std::sync::Mutex::default(),
        token,
        cancel: cancel.clone(),
        options,
    });
    let worker = jobs::start(&server).map_err(ServeError::Start)?;
    ready(Address::new(address, &server));
    runtime.block_on(accept(&server, &listener));
    // Connections end quickly here, because waits for events and engines are cancelled.
    runtime.shutdown_timeout(Duration::from_secs(1));
    // Ignore an error of `join`: a panic of a job was caught and recorded with the job.
    let _ = worker.join();
    Ok(())
}

async fn accept(server: &Arc<Server>, listener: &TcpListener) {
    let end = Arc::new(Notify::new());
    let _on_cancel = {
        let end = Arc::clone(&end);
        server.cancel.on_set(move || end.notify_one())
    };
    let places = Places::new(server.options.limits.connections);
    let service = TowerToHyperService::new(router(server));
    let mut connections = http1::Builder::new();
    connections
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME);
    let serve = async {
        loop {
            // Accepting fails if a connection broke or too many files are open. Both pass, so try
            // again.
            let Ok((stream, address)) = listener.accept().await else {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let _ = stream.set_nodelay(true);
            let (place, service) = (places.take(), service.clone());
            let (own, base) = (Arc::clone(&place), server.options.base.clone());
            let with_place = service_fn(move |mut request: Request<Incoming>| {
                if let Some(uri) = base.without(request.uri()) {
                    *request.uri_mut() = uri;
                }
                if let Some(uri) = without_session(request.uri()) {
                    *request.uri_mut() = uri;
                }
                request.extensions_mut().insert(Arc::clone(&own));
                request.extensions_mut().insert(Peer(address.ip()));
                service.call(request)
            });
            let connection = connections.serve_connection(TokioIo::new(stream), with_place);
            tokio::spawn(async move {
                // The connection ends if the browser closes it, or if a new connection needs its
                // place.
                futures_util::future::select(
                    std::pin::pin!(connection),
                    std::pin::pin!(place.lost()),
                )
                .await;
            });
        }
    };
    futures_util::future::select(std::pin::pin!(serve), std::pin::pin!(end.notified())).await;
}
