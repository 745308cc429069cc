//! The resources of work besides its recipe: store, engines, networks, tables and services. Each is
//! opened once, on first use.

use std::{
    collections::HashMap,
    env, fmt,
    path::{Path, PathBuf},
    str::FromStr,
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use centipawn_engine::{
    Analyst, AnalystError, Cancel, ChessDb, EngineSpec, Fallback, LazyPool, Tablebase,
    TablebaseError,
};
use centipawn_policy::{Kernel, Network, NetworkError, UnknownNetwork, is_network_name};
use centipawn_progress::{Files, Problem, Reporter};
use centipawn_store::{Cached, Location, Store, StoreError};
use serde::{Deserialize, Serialize};

/// The store that caches evaluations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StoreChoice {
    /// The user's own store, which is the default. If it cannot be opened, work continues without
    /// it.
    #[default]
    OfUser,
    /// The store at this location. If it cannot be opened, work does not start.
    At(Location),
    /// No store: nothing is cached.
    None,
}

impl StoreChoice {
    /// The environment variable that names the store where nothing else does, in all interfaces.
    pub const VARIABLE: &str = "CENTIPAWN_STORE";

    /// Returns the store that a text names, else the environment, else the user's own; an empty
    /// text names nothing.
    ///
    /// # Errors
    ///
    /// Those of [`FromStr`].
    pub fn named(text: Option<String>) -> Result<Self, StoreError> {
        let is_name = |text: &String| !text.trim().is_empty();
        let environment =
            || env::var_os(Self::VARIABLE).map(|text| text.to_string_lossy().into_owned());
        let text = text
            .filter(is_name)
            .or_else(|| environment().filter(is_name));
        text.map_or(Ok(Self::OfUser), |text| text.parse())
    }

    /// Protects the store's files from being replaced by results.
    pub fn protect(&self, files: &mut Files) {
        let file = match self {
            StoreChoice::At(Location::File(path)) => Some(path.clone()),
            StoreChoice::OfUser => Location::of_user(),
            StoreChoice::At(Location::Server(_)) | StoreChoice::None => None,
        };
        if let Some(file) = file {
            files.also_reads_database(&file);
        }
    }
}

/// A file, `postgres://…`, or `none`.
impl FromStr for StoreChoice {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        if text.trim().eq_ignore_ascii_case("none") {
            Ok(Self::None)
        } else {
            text.parse().map(Self::At)
        }
    }
}

/// Specification of the analyst that evaluates positions, as a value that can be stored and sent.
///
/// Those that are named are asked in this order: tables, ChessDB, engine. ChessDB and the engine
/// are cached in the store.
///
/// ```
/// use centipawn_work::AnalystSpec;
///
/// let text = r#"{"engine":{"command":"stockfish","jobs":4},"tables":"/srv/syzygy"}"#;
/// let spec: AnalystSpec = serde_json::from_str(text)?;
/// assert_eq!(spec.engine.unwrap().jobs, 4);
/// assert!(spec.chessdb.is_none() && !spec.at_least);
/// # Ok::<_, serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AnalystSpec {
    /// The engine; `None`, the default, for none.
    pub engine: Option<EngineSpec>,
    /// Whether the engine starts with the first question that needs it, rather than immediately.
    /// False by default.
    pub starts_late: bool,
    /// The folder of Syzygy tables; `None`, the default, for none.
    pub tables: Option<PathBuf>,
    /// The address of ChessDB ([`ChessDb::BASE`]); `None`, the default, for none.
    pub chessdb: Option<String>,
    /// Whether the store also answers with more lines or a deeper search than asked for, so that
    /// results depend on the store's content. False by default: it answers only exactly the same
    /// question.
    pub at_least: bool,
}

/// What a job needs besides its recipe: the store, engines, tables and networks. Each of them is
/// opened once, on first use, and shared by any number of threads.
///
/// A server has one, and calls [`under`](Self::under) for each job; a command line has one.
///
/// ```
/// use centipawn_progress::{Cancel, Silent};
/// use centipawn_work::{AnalystSpec, Resources, StoreChoice};
/// use std::sync::Arc;
///
/// let resources = Resources::new(StoreChoice::None, &Cancel::new(), Arc::new(Silent));
/// assert!(resources.store().unwrap().is_none());
/// assert!(resources.analyst(&AnalystSpec::default()).unwrap().is_none());   // no engine was named
/// ```
pub struct Resources {
    shared: Arc<Shared>,
    /// When set, the engine requests of this job end; the engines go on running.
    cancel: Cancel,
    reporter: Arc<dyn Reporter>,
}

struct Shared {
    store_choice: StoreChoice,
    /// When set, the engines end.
    cancel: Cancel,
    store: OnceLock<Result<Option<Arc<Store>>, StoreError>>,
    engines: Mutex<HashMap<EngineSpec, LazyPool>>,
    services: Opened<String, ChessDb>,
    tables: Opened<PathBuf, Arc<Tablebase>>,
    networks: Opened<(String, &'static str), Arc<Network>>,
}

/// Resources that jobs with separate engines share, too.
type Opened<K, V> = Arc<Mutex<HashMap<K, V>>>;

/// The reason why a resource of a job is unavailable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// The specification names no analyst.
    #[error("no engine is given; name an engine")]
    NoAnalyst,
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The engine cannot be started.
    #[error(transparent)]
    Engine(#[from] AnalystError),
    /// The tables cannot be read.
    #[error(transparent)]
    Tables(#[from] TablebaseError),
    /// There is no network of this name or path.
    #[error(transparent)]
    UnknownNetwork(#[from] UnknownNetwork),
    /// The network's file cannot be used.
    #[error("cannot use the policy network")]
    Network(#[from] NetworkError),
    /// A network is named by a path, which would choose a file of this machine.
    #[error(
        "the network {name:?} is refused: its name must be that of a file in the policy folder, not a path"
    )]
    NotANetworkName {
        /// The given text.
        name: String,
    },
    /// The network's hash differs from the requested one.
    #[error("the network {name} has SHA-256 {found}, not {wanted}; get the file that was meant")]
    AnotherNetwork {
        /// The name of the network.
        name: String,
        /// SHA-256 of the local file, hexadecimal.
        found: String,
        /// SHA-256 of the requested file.
        wanted: String,
    },
}

impl Resources {
    /// Opens nothing yet. Setting `cancel` ends the engines and all questions; `reporter` receives
    /// failures of the store.
    pub fn new(store: StoreChoice, cancel: &Cancel, reporter: Arc<dyn Reporter>) -> Self {
        let shared = Shared {
            store_choice: store,
            cancel: cancel.clone(),
            store: OnceLock::new(),
            engines: Mutex::default(),
            services: Arc::default(),
            tables: Arc::default(),
            networks: Arc::default(),
        };
        Self {
            shared: Arc::new(shared),
            cancel: cancel.clone(),
            reporter,
        }
    }

    /// Returns the same store, engines, networks, tables and services for another job. Setting
    /// `cancel` ends the job, but leaves the engines running.
    #[must_use]
    pub fn under(&self, cancel: &Cancel, reporter: Arc<dyn Reporter>) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            cancel: cancel.clone(),
            reporter,
        }
    }

    /// Returns the same store, networks, tables and services for another job, with separate
    /// engines. These end when the result is dropped or `cancel` is set.
    ///
    /// # Errors
    ///
    /// [`ResourceError::Store`], if the store cannot be opened.
    pub fn with_own_engines(
        &self,
        cancel: &Cancel,
        reporter: Arc<dyn Reporter>,
    ) -> Result<Self, ResourceError> {
        let shared = Shared {
            store_choice: self.shared.store_choice.clone(),
            cancel: cancel.clone(),
            store: OnceLock::from(Ok(self.store()?)),
            engines: Mutex::default(),
            services: Arc::clone(&self.shared.services),
            tables: Arc::clone(&self.shared.tables),
            networks: Arc::clone(&self.shared.networks),
        };
        Ok(Self {
            shared: Arc::new(shared),
            cancel: cancel.clone(),
            reporter,
        })
    }

    /// Returns the store; `None` without one. If the user's default store cannot be opened, this is
    /// reported once, and the result is `None`.
    ///
    /// # Errors
    ///
    /// The reason why a store that was [named](StoreChoice::At) cannot be opened.
    pub fn store(&self) -> Result<Option<Arc<Store>>, ResourceError> {
        let open = || match &self.shared.store_choice {
            StoreChoice::None => Ok(None),
            StoreChoice::At(location) => {
                Store::open_reporting(location, Arc::clone(&self.reporter))
                    .map(|store| Some(Arc::new(store)))
            }
            StoreChoice::OfUser => Ok(Store::of_user(Arc::clone(&self.reporter)).map_or_else(
                |error| {
                    self.reporter.problem(&Problem::warning(format_args!(
                        "{error}; evaluations are not kept"
                    )));
                    None
                },
                |store| Some(Arc::new(store)),
            )),
        };
        Ok(self.shared.store.get_or_init(open).clone()?)
    }

    /// Returns the analyst of a specification; `None` if it names none. An engine starts now,
    /// unless it [starts late](AnalystSpec::starts_late), so that a wrong command or option shows
    /// immediately.
    ///
    /// # Errors
    ///
    /// [`ResourceError`], if an engine does not start, or the store or tables cannot be opened.
    pub fn analyst(&self, spec: &AnalystSpec) -> Result<Option<Arc<dyn Analyst>>, ResourceError> {
        let store = if spec.chessdb.is_some() || spec.engine.is_some() {
            self.store()?
        } else {
            None
        };
        let behind =
            |analyst: Arc<dyn Analyst>| self.behind_store(analyst, store.clone(), spec.at_least);
        let service = spec
            .chessdb
            .as_deref()
            .map(|address| behind(Arc::new(self.service(address))));
        let engine = spec.engine.as_ref().map(|engine| {
            let pool = self.engine(engine);
            if !spec.starts_late {
                pool.pool()?;
                if let Some(note) = pool.identity().contempt_note() {
                    self.reporter.problem(&Problem::warning(note));
                }
            }
            Ok::<_, AnalystError>(behind(Arc::new(pool)))
        });
        let mut analyst = engine.transpose()?;
        let tables = spec
            .tables
            .as_deref()
            .map(|folder| self.tables(folder))
            .transpose()?;
        for first in [service, tables.map(|tables| tables as Arc<dyn Analyst>)]
            .into_iter()
            .flatten()
        {
            analyst = Some(match analyst {
                Some(second) => Arc::new(Fallback::new(first, second)),
                None => first,
            });
        }
        Ok(analyst)
    }

    /// `analyst` with the store before it, if there is one: its answers are kept.
    ///
    /// # Errors
    ///
    /// [`ResourceError::Store`].
    pub fn kept(&self, analyst: Arc<dyn Analyst>) -> Result<Arc<dyn Analyst>, ResourceError> {
        Ok(self.behind_store(analyst, self.store()?, false))
    }

    /// Like [`analyst`](Self::analyst), for work that requires one.
    ///
    /// # Errors
    ///
    /// [`ResourceError::NoAnalyst`] and those of [`analyst`](Self::analyst).
    pub fn some_analyst(&self, spec: &AnalystSpec) -> Result<Arc<dyn Analyst>, ResourceError> {
        self.analyst(spec)?.ok_or(ResourceError::NoAnalyst)
    }

    /// Returns the engines of a specification, which start with the first question. Equal
    /// specifications share engines.
    pub fn engine(&self, spec: &EngineSpec) -> LazyPool {
        let mut engines = self
            .shared
            .engines
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let pool = engines
            .entry(spec.clone())
            .or_insert_with(|| LazyPool::new(spec.clone(), &self.shared.cancel));
        pool.under(&self.cancel)
    }

    /// Returns ChessDB at an address.
    pub fn service(&self, address: &str) -> ChessDb {
        let mut services = self
            .shared
            .services
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let service = services
            .entry(address.to_owned())
            .or_insert_with(|| ChessDb::at(address));
        service.under(&self.cancel)
    }

    /// Returns the Syzygy tables of a folder.
    ///
    /// # Errors
    ///
    /// [`ResourceError::Tables`].
    pub fn tables(&self, folder: &Path) -> Result<Arc<Tablebase>, ResourceError> {
        let mut all = self
            .shared
            .tables
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(tables) = all.get(folder) {
            return Ok(Arc::clone(tables));
        }
        let tables = Arc::new(Tablebase::open(folder)?);
        all.insert(folder.to_owned(), Arc::clone(&tables));
        Ok(tables)
    }

    /// Returns a policy network by name or path, or the one in the program ([`Network::BUNDLED`]),
    /// computed with `kernel`.
    ///
    /// # Errors
    ///
    /// [`ResourceError::UnknownNetwork`], [`ResourceError::Network`].
    pub fn network(&self, name: &str, kernel: Kernel) -> Result<Arc<Network>, ResourceError> {
        self.opened(name, kernel, Network::find)
    }

    fn opened(
        &self,
        name: &str,
        kernel: Kernel,
        find: impl FnOnce(&str, Kernel) -> Result<Network, NetworkError>,
    ) -> Result<Arc<Network>, ResourceError> {
        let mut networks = self
            .shared
            .networks
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let key = (name.to_owned(), kernel.name());
        if let Some(network) = networks.get(&key) {
            return Ok(Arc::clone(network));
        }
        let network = find(name, kernel).map_err(|error| match error {
            NetworkError::UnknownName(unknown) => ResourceError::UnknownNetwork(unknown),
            error => ResourceError::Network(error),
        })?;
        let network = Arc::new(network);
        networks.insert(key, Arc::clone(&network));
        Ok(network)
    }

    /// Opens the policy network that a document names, and checks its hash. Documents are
    /// untrusted, so a name that is a path is refused.
    ///
    /// # Errors
    ///
    /// [`ResourceError::NotANetworkName`], [`ResourceError::AnotherNetwork`] and those of
    /// [`network`](Self::network).
    pub fn exact_network(
        &self,
        wanted: &centipawn_progress::Network,
        kernel: Kernel,
    ) -> Result<Arc<Network>, ResourceError> {
        if !is_network_name(&wanted.name) {
            return Err(ResourceError::NotANetworkName {
                name: wanted.name.clone(),
            });
        }
        let network = self.opened(&wanted.name, kernel, Network::find_by_name)?;
        if network.sha256() == wanted.sha256 {
            return Ok(network);
        }
        let (name, found) = (wanted.name.clone(), network.sha256().to_owned());
        Err(ResourceError::AnotherNetwork {
            name,
            found,
            wanted: wanted.sha256.clone(),
        })
    }

    fn behind_store(
        &self,
        analyst: Arc<dyn Analyst>,
        store: Option<Arc<Store>>,
        at_least: bool,
    ) -> Arc<dyn Analyst> {
        let Some(store) = store else { return analyst };
        let reporter = Arc::clone(&self.reporter);
        let cached = Cached::new(analyst, store, move |error| {
            reporter.problem(&Problem::error(format_args!(
                "{error}; from here on evaluations are not kept"
            )));
        });
        Arc::new(if at_least { cached.at_least() } else { cached })
    }
}

impl fmt::Debug for Resources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resources")
            .field("store", &self.shared.store_choice)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use centipawn_core::History;
    use centipawn_engine::{Limit, Question};
    use centipawn_progress::Silent;

    use super::*;

    fn fake() -> EngineSpec {
        let command = format!("{:?}", centipawn_fake_engine::path().display().to_string());
        EngineSpec {
            command,
            options: Vec::new(),
            jobs: 2,
        }
    }

    #[test]
    fn engines_are_shared_and_answers_are_cached() {
        let folder = tempfile::tempdir().unwrap();
        let choice = StoreChoice::At(Location::File(folder.path().join("a.db")));
        let mut files = Files::default();
        choice.protect(&mut files);
        let resources = Resources::new(choice, &Cancel::new(), Arc::new(Silent));
        let spec = AnalystSpec {
            engine: Some(fake()),
            ..AnalystSpec::default()
        };
        let question = Question::new(History::default(), Limit::Nodes(1000));
        let first = resources
            .analyst(&spec)
            .unwrap()
            .unwrap()
            .analyse(&question)
            .unwrap();
        let job = resources.under(&Cancel::new(), Arc::new(Silent));
        assert_eq!(
            job.analyst(&spec)
                .unwrap()
                .unwrap()
                .analyse(&question)
                .unwrap()
                .lines,
            first.lines
        );
        assert_eq!(resources.engine(&fake()).stats().searches, 1);
        assert!(files.reserve(&folder.path().join("a.db")).is_err());
        assert!(files.reserve(&folder.path().join("b.db")).is_ok());
    }

    #[test]
    fn missing_resources_are_errors() {
        let resources = Resources::new(StoreChoice::None, &Cancel::new(), Arc::new(Silent));
        let missing = EngineSpec {
            command: "no-such-engine-anywhere".to_owned(),
            ..EngineSpec::default()
        };
        let mut spec = AnalystSpec {
            engine: Some(missing),
            ..AnalystSpec::default()
        };
        assert!(matches!(
            resources.analyst(&spec),
            Err(ResourceError::Engine(AnalystError::NotFound { .. }))
        ));
        spec.starts_late = true;
        assert!(resources.analyst(&spec).unwrap().is_some());
        spec.tables = Some("/no/such/folder".into());
        assert!(matches!(
            resources.analyst(&spec),
            Err(ResourceError::Tables(_))
        ));
        let error = resources
            .network("no-such-network", Kernel::best())
            .unwrap_err();
        assert!(matches!(error, ResourceError::UnknownNetwork(_)), "{error}");
        assert!(
            resources
                .network(Network::BUNDLED, Kernel::best())
                .unwrap()
                .levels()
                .is_some()
        );
    }

    /// A document from elsewhere must not choose files of this machine.
    #[test]
    fn documents_cannot_name_networks_by_path() {
        let resources = Resources::new(StoreChoice::None, &Cancel::new(), Arc::new(Silent));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret.pb");
        std::fs::write(&file, "secret").unwrap();
        let exact = |name: &str| {
            let wanted = centipawn_progress::Network {
                name: name.to_owned(),
                sha256: String::new(),
            };
            resources
                .exact_network(&wanted, Kernel::best())
                .unwrap_err()
        };
        for name in [
            file.to_str().unwrap(),
            "../secret",
            "./secret.pb",
            r"..\secret",
            "C:secret",
            ".secret",
            "",
        ] {
            let error = exact(name);
            assert!(
                matches!(error, ResourceError::NotANetworkName { .. }),
                "{name}: {error}"
            );
        }
        // A file in the working directory, which is this crate's folder in tests.
        assert!(matches!(
            exact("Cargo.toml"),
            ResourceError::UnknownNetwork(_)
        ));
        assert!(matches!(
            exact(Network::BUNDLED),
            ResourceError::AnotherNetwork { .. }
        ));
    }

    #[test]
    fn jobs_with_own_engines_share_everything_else() {
        let resources = Resources::new(StoreChoice::None, &Cancel::new(), Arc::new(Silent));
        let [first, second] = [(); 2].map(|()| {
            resources
                .with_own_engines(&Cancel::new(), Arc::new(Silent))
                .unwrap()
        });
        assert!(Arc::ptr_eq(&first.shared.tables, &second.shared.tables));
        let network = |of: &Resources| of.network(Network::BUNDLED, Kernel::best()).unwrap();
        assert!(Arc::ptr_eq(&network(&first), &network(&second)));
        first.service("http://127.0.0.1:1");
        assert!(
            second
                .shared
                .services
                .lock()
                .unwrap()
                .contains_key("http://127.0.0.1:1")
        );
    }

    #[test]
    fn a_cancelled_job_leaves_the_engines_to_others() {
        let resources = Resources::new(StoreChoice::None, &Cancel::new(), Arc::new(Silent));
        let cancel = Cancel::new();
        let job = resources.under(&cancel, Arc::new(Silent));
        let spec = AnalystSpec {
            engine: Some(fake()),
            ..AnalystSpec::default()
        };
        let (own, other) = (
            job.analyst(&spec).unwrap().unwrap(),
            resources.analyst(&spec).unwrap().unwrap(),
        );
        cancel.set();
        let question = Question::new(History::default(), Limit::Nodes(1000));
        assert_eq!(own.analyse(&question), Err(AnalystError::Cancelled));
        assert!(other.analyse(&question).is_ok());
    }
}
