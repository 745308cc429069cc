//! The HTTP side: connections, their limits, the way of a request to its handler.

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

/// The time for the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// Threads that read and write connections; the work itself has its own.
const THREADS: usize = 2;

/// Why a server cannot start, or ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The port is in use, or not allowed.
    #[error("cannot listen on {address}; name an address of this machine and a free port, or port 0 for any free one")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        #[source]
        error: io::Error,
    },
    /// There is no store: games and jobs have to be kept somewhere.
    #[error("the page keeps games and jobs in a store, and there is none; name one with the option `store FILE`")]
    NoStore,
    /// Two own curves have one name.
    #[error("two curve files are named {0}; rename one")]
    SameCurve(String),
    /// The store cannot be opened, or another server works on it.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// Threads cannot be started.
    #[error("cannot start the server")]
    Start(#[source] io::Error),
}

/// Where a server can be reached.
#[derive(Clone)]
pub struct Address {
    /// The address it listens at.
    pub socket: SocketAddr,
    /// The page, for a browser on this machine.
    pub page: String,
    server: Arc<Server>,
}

impl Address {
    fn new(socket: SocketAddr, server: &Arc<Server>) -> Self {
        // The unspecified address covers all addresses; print loopback for this machine.
        let ip = if socket.ip().is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { socket.ip() };
        let page = format!("http://{}/", SocketAddr::new(ip, socket.port()));
        Self { socket, page, server: Arc::clone(server) }
    }

    /// The token that the page asks for; `None` if it asks for none.
    pub fn token(&self) -> Option<&str> {
        self.server.token.as_ref().map(Token::text)
    }

    /// The page with a new login code, if it asks for a token: opened once within a minute, it does not ask.
    ///
    /// # Errors
    ///
    /// If the system has no random numbers.
    pub fn login(&self) -> io::Result<String> {
        let Some(token) = &self.server.token else { return Ok(self.page.clone()) };
        Ok(format!("{}#code={}", self.page, token.code()?))
    }
}

/// Serves the page until `cancel` is set. `ready` is called once, with the address.
///
/// Interrupted work stays in the store, and the page offers to continue it.
///
/// # Errors
///
/// [`ServeError`], if the server cannot start.
pub fn serve(
    options: ServeOptions,
    resources: Resources,
    cancel: &Cancel,
    ready: impl FnOnce(Address),
) -> Result<(), ServeError> {
    let mut names = HashSet::new();
    if let Some(twice) = options.own_curves.iter().find(|own| !names.insert(&own.name)) {
        return Err(ServeError::SameCurve(twice.name.clone()));
    }
    let store = resources.store()?.ok_or(ServeError::NoStore)?;
    // Until this function returns, and then no job runs any more.
    let _queue = store.lock_queue().map_err(ResourceError::from)?;
    let runtime = Builder::new_multi_thread().worker_threads(THREADS).thread_name("page").enable_all().build();
    let runtime = runtime.map_err(ServeError::Start)?;
    let wanted = SocketAddr::new(options.host, options.port);
    let listen = |error| ServeError::Listen { address: wanted, error };
    let listener = runtime.block_on(TcpListener::bind(wanted)).map_err(listen)?;
    let address = listener.local_addr().map_err(listen)?;
    let token = options.needs_token().then(|| Token::new(address.port())).transpose();
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
        token,
        cancel: cancel.clone(),
        options,
    });
    let worker = jobs::start(&server).map_err(ServeError::Start)?;
    ready(Address::new(address, &server));
    runtime.block_on(accept(&server, &listener));
    // Connections end here, because their waits for events or engines are cancelled.
    runtime.shutdown_timeout(Duration::from_secs(1));
    // Ignore the join error: a panic of the worker was caught and recorded with its job.
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
    connections.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
    let serve = async {
        loop {
            // An error belongs to one connection, or to too many open files, which pass.
            let Ok((stream, address)) = listener.accept().await else {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let _ = stream.set_nodelay(true);
            let (place, service) = (places.take(), service.clone());
            let own = Arc::clone(&place);
            let with_place = service_fn(move |mut request: Request<Incoming>| {
                if let Some(uri) = without_session(request.uri()) {
                    *request.uri_mut() = uri;
                }
                request.extensions_mut().insert(Arc::clone(&own));
                request.extensions_mut().insert(Peer(address.ip()));
                service.call(request)
            });
            let connection = connections.serve_connection(TokioIo::new(stream), with_place);
            tokio::spawn(async move {
                // The browser goes away, or a newcomer needs the place.
                futures_util::future::select(std::pin::pin!(connection), std::pin::pin!(place.lost())).await;
            });
        }
    };
    futures_util::future::select(std::pin::pin!(serve), std::pin::pin!(end.notified())).await;
}
