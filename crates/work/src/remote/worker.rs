//! The worker's side: engines and networks, opened once for each specification.

use std::{
    collections::HashMap,
    fs,
    num::NonZero,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use centipawn_engine::{Cancel, Identity};
use centipawn_policy::{Kernel, Network};
use centipawn_progress::{Silent, is_address};

use super::{GamesTask, PartAnswer, PartTask, games::GamesAnswer, test_answer};
use crate::{AnalystSpec, Resources, StoreChoice};

/// Times that an engine is started before a task is refused: a machine may be busy for a while.
const STARTS: usize = 3;

/// Carries out tasks in a process that may do many of them. Engines stay open until it is
/// [closed](Self::close) or dropped.
///
/// If a method returns an error, the worker refuses the task with
/// [`pack_refusal`](super::pack_refusal).
#[derive(Default)]
pub struct RemoteWorker {
    /// The engines by their specification.
    opened: Mutex<HashMap<String, Arc<Opened>>>,
    cancel: Cancel,
}

impl std::fmt::Debug for RemoteWorker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RemoteWorker").finish_non_exhaustive()
    }
}

/// An open engine, with the specification and identity for which it was opened.
struct Opened {
    resources: Resources,
    spec: AnalystSpec,
    identity: Arc<Identity>,
    test_answer: Option<String>,
    networks: Mutex<HashMap<String, Arc<Vec<Network>>>>,
}

impl RemoteWorker {
    /// Ends the engines, and with them the tasks under way.
    pub fn close(&self) {
        self.cancel.set();
        self.opened
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    /// Performs the engine work of a task. Setting `cancel` ends the work.
    ///
    /// # Errors
    ///
    /// The engine or a network cannot be opened, or is another one than the submitter's.
    pub fn games(
        &self,
        task: &GamesTask,
        texts: &[Vec<u8>],
        cancel: &Cancel,
    ) -> Result<(GamesAnswer, Vec<Vec<u8>>), String> {
        let opened = self.open(&task.analyst)?;
        if *opened.identity != task.identity {
            let (wanted, own) = (task.identity.with_options(), opened.identity.with_options());
            return Err(format!("it needs {wanted}, and its engine is {own}"));
        }
        if let (Some(wanted), Some(found)) = (&task.test_answer, &opened.test_answer)
            && wanted != found
        {
            let text = "its engine has the same name and options, but answers differently to a test question";
            return Err(format!("{text}: {found}, not {wanted}"));
        }
        let networks = opened.networks(task)?;
        let resources = opened.resources.under(cancel, Arc::new(Silent));
        let analyst = resources
            .some_analyst(&opened.spec)
            .map_err(|error| error.to_string())?;
        Ok(task.perform(texts, &*analyst, &networks, cancel))
    }

    /// Counts a part of games, unless `cancel` is set; the block is the file of the part.
    ///
    /// # Errors
    ///
    /// The games cannot be read here.
    pub fn part(
        &self,
        task: &PartTask,
        cancel: &Cancel,
    ) -> Result<(PartAnswer, Vec<Vec<u8>>), String> {
        task.games.iter().try_for_each(|path| self.readable(path))?;
        Ok(task.perform(cancel))
    }

    /// Checks that a file or folder of games can be read here.
    ///
    /// # Errors
    ///
    /// It cannot; the reason names it.
    pub fn readable(&self, path: &Path) -> Result<(), String> {
        let is_pattern = || path.to_string_lossy().contains(['*', '?', '[']);
        if is_address(path) || !path.exists() && is_pattern() {
            return Ok(());
        }
        let read = if path.is_dir() {
            fs::read_dir(path).map(drop)
        } else {
            fs::File::open(path).map(drop)
        };
        read.map_err(|error| {
            format!(
                "it cannot read {}: {error}; files must have the same path on all workers",
                path.display()
            )
        })
    }

    /// Opens the engine of a specification without its store, because the submitter stores the
    /// answers.
    fn open(&self, spec: &AnalystSpec) -> Result<Arc<Opened>, String> {
        let key = serde_json::to_string(spec).unwrap_or_default();
        // The lock stays held while the engine starts, so that tasks of other threads wait for it.
        let mut all = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = all.get(&key) {
            return Ok(Arc::clone(opened));
        }
        let mut spec = spec.clone();
        let engine = spec.engine.as_mut().ok_or("no engine is named")?;
        // The pool starts further engines only when tasks run at the same time.
        engine.jobs = thread::available_parallelism().map_or(1, NonZero::get);
        let mut opened = Err(String::new());
        for _ in 0..STARTS {
            opened = self.start(&spec);
            if opened.is_ok() || self.cancel.is_set() {
                break;
            }
        }
        let opened = Arc::new(opened?);
        all.insert(key, Arc::clone(&opened));
        Ok(opened)
    }

    fn start(&self, spec: &AnalystSpec) -> Result<Opened, String> {
        let resources = Resources::new(StoreChoice::None, &self.cancel, Arc::new(Silent));
        let analyst = resources
            .some_analyst(spec)
            .map_err(|error| error.to_string())?;
        let engine = spec.engine.clone().unwrap_or_default();
        let test_answer =
            test_answer(&resources.engine(&engine)).map_err(|error| error.to_string())?;
        let (spec, identity) = (spec.clone(), analyst.identity());
        Ok(Opened {
            resources,
            spec,
            identity,
            test_answer,
            networks: Mutex::default(),
        })
    }
}

impl Opened {
    fn networks(&self, task: &GamesTask) -> Result<Arc<Vec<Network>>, String> {
        let key = serde_json::to_string(&task.networks).unwrap_or_default();
        let mut all = self.networks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(networks) = all.get(&key) {
            return Ok(Arc::clone(networks));
        }
        let mut networks = Vec::new();
        for wanted in &task.networks {
            let network = Network::find(&wanted.name, Kernel::best())
                .map_err(|error| format!("it has no policy network {}: {error}", wanted.name))?;
            if network.sha256() != wanted.sha256 {
                let (name, found) = (&wanted.name, network.sha256());
                return Err(format!(
                    "its network {name} has SHA-256 {found}, not {}",
                    wanted.sha256
                ));
            }
            networks.push(network);
        }
        let networks = Arc::new(networks);
        all.insert(key, Arc::clone(&networks));
        Ok(networks)
    }
}
