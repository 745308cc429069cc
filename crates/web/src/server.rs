//! The options and the shared state of a server.

use std::{
    ffi::OsStr,
    net::{IpAddr, Ipv4Addr},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use centipawn_calibrate::{NamedCurveError, read_choice};
use centipawn_core::CurveChoice;
use centipawn_engine::{EngineSpec, Limit, Tablebase};
use centipawn_progress::{Cancel, SmallDocument};
use centipawn_review::{ReviewOptions, rooms::Choices};
use centipawn_store::Store;
use centipawn_work::{
    AnalystSpec, Resources,
    library::{Library, UploadLimits},
};
use serde::{Deserialize, Serialize};

use crate::{
    base_path::BasePath, body::Uploads, documents::JudgeRequest, error::ApiError, events::Events,
    jobs::Queue, token::Token,
};

/// Options of a server. Requests choose among the values given here, and never name an engine, a
/// file or an address.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServeOptions {
    /// The address to listen at. Any address except loopback requires a token.
    pub host: IpAddr,
    /// The port; 0 for any free port.
    pub port: u16,
    /// Require a token on loopback, too.
    pub token: bool,
    /// The path below which a proxy shows the page: `/chess/`. Default `/`.
    #[serde(default)]
    pub base: BasePath,
    /// The engine of reviews. The board uses an additional process of this engine.
    pub engine: EngineSpec,
    /// Default options of reviews.
    pub review: ReviewOptions,
    /// Limits of the size of requests.
    pub limits: Limits,
    /// Curves that requests may name beside the built-in ones.
    #[serde(default)]
    pub own_curves: Vec<OwnCurve>,
    /// The folder of Syzygy tables, which evaluate endgame positions in place of the engine.
    #[serde(default)]
    pub tables: Option<PathBuf>,
    /// Indexes of positions (`centipawn position index`), in which the board looks positions up.
    #[serde(default)]
    pub positions: Vec<PathBuf>,
}

/// A curve that is read from a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnCurve {
    /// The name in requests. It is the file's name without its folder. `curve.json`, the name that
    /// `centipawn wdl run` uses, keeps its folder: `model/curve.json`. A built-in curve of the same
    /// name has priority.
    pub name: String,
    /// The curve that the file contains.
    pub curve: CurveChoice,
    /// The plots that `centipawn wdl run` wrote beside the curve (`plots.svg`), if they exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plots: Option<String>,
}

/// Drawings as SVG.
const PLOTS: SmallDocument = SmallDocument::new("drawing", 16 << 20);

impl OwnCurve {
    /// Reads a curve file, as `--curve FILE` does, and the plots beside it. Waiting
    /// for a pipe ends when `cancel` is set.
    ///
    /// # Errors
    ///
    /// [`NamedCurveError`] if the file cannot be read or contains no curve.
    pub fn read(path: &Path, cancel: &Cancel) -> Result<Self, NamedCurveError> {
        let curve = read_choice(path, cancel)?;
        let text = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        let (file, folder) = (
            text(path.file_name()),
            text(path.parent().and_then(Path::file_name)),
        );
        let is_of_run = file == "curve.json";
        let name = if is_of_run && !folder.is_empty() {
            format!("{folder}/{file}")
        } else {
            file
        };
        // Without plots, the page draws the curve itself.
        let plots = if is_of_run {
            PLOTS
                .read_text(&path.with_file_name("plots.svg"), cancel)
                .ok()
        } else {
            None
        };
        Ok(Self { name, curve, plots })
    }
}

impl ServeOptions {
    /// Returns the default options: a free port of 127.0.0.1, Stockfish, the default limits.
    pub fn new(review: ReviewOptions) -> Self {
        let host = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let (engine, limits) = (EngineSpec::default(), Limits::default());
        Self {
            host,
            port: 0,
            token: false,
            base: BasePath::default(),
            engine,
            review,
            limits,
            own_curves: Vec::new(),
            tables: None,
            positions: Vec::new(),
        }
    }

    /// Returns whether requests need a token.
    pub(crate) fn needs_token(&self) -> bool {
        self.token || !self.host.is_loopback()
    }
}

/// Upper limits of requests. Larger requests are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[derive(utoipa::ToSchema)]
pub struct Limits {
    /// Bytes of a request that contains games. Default 64 MiB.
    pub games_bytes: usize,
    /// Bytes of any other request. Default 64 KiB.
    pub request_bytes: usize,
    /// Bytes of games after decompression. Default 512 MiB.
    pub decompressed_bytes: u64,
    /// Number of games in a request. Default 100,000.
    pub games: usize,
    /// Nodes of a question. Default 10,000,000.
    pub nodes: u64,
    /// Depth of a question in plies. Default 40.
    pub depth: u32,
    /// Lines of a question. Default 10.
    pub lines: usize,
    /// Number of jobs that wait. Default 16.
    pub waiting: usize,
    /// Number of connections of admitted clients, and of other connections, at a time. Half of them
    /// may be event streams. Default 64.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            games_bytes: 64 << 20,
            request_bytes: 64 << 10,
            decompressed_bytes: 512 << 20,
            games: 100_000,
            nodes: 10_000_000,
            depth: 40,
            lines: 10,
            waiting: 16,
            connections: 64,
        }
    }
}

impl Limits {
    /// Returns the same limits, but uploads of at most `mebibytes` MiB (eight times as much after
    /// decompression) and `games` games.
    #[must_use]
    pub fn with_uploads(self, mebibytes: u16, games: u32) -> Self {
        let bytes = usize::from(mebibytes) << 20;
        Self {
            games_bytes: bytes,
            decompressed_bytes: 8 * bytes as u64,
            games: usize::try_from(games).unwrap_or(usize::MAX),
            ..self
        }
    }

    /// Returns the limits of one upload with at most `items` games or puzzles.
    pub(crate) fn uploads(self, items: usize) -> UploadLimits {
        UploadLimits {
            decompressed_bytes: self.decompressed_bytes,
            items,
        }
    }
}

/// A running server.
pub(crate) struct Server {
    pub(crate) options: ServeOptions,
    pub(crate) port: u16,
    pub(crate) resources: Resources,
    /// A separate engine process for the board, so that it never waits for a review.
    pub(crate) board: Resources,
    pub(crate) store: Arc<Store>,
    /// Games, jobs and puzzles of the page, in the same store.
    pub(crate) library: Library,
    pub(crate) queue: Queue,
    pub(crate) events: Events,
    pub(crate) uploads: Uploads,
    /// Held while the user's note on a move, or a puzzle, is changed.
    pub(crate) noting: Mutex<()>,
    /// `None` if the server requires no token.
    pub(crate) token: Option<Token>,
    pub(crate) cancel: Cancel,
}

impl Server {
    /// Returns the specification of the analyst. Its engine starts with the first question.
    pub(crate) fn analyst(&self, processes: usize) -> AnalystSpec {
        let engine = EngineSpec {
            jobs: processes,
            ..self.options.engine.clone()
        };
        AnalystSpec {
            engine: Some(engine),
            starts_late: true,
            tables: self.options.tables.clone(),
            ..AnalystSpec::default()
        }
    }

    /// Identifies the engine of a job, and the tables that are asked before it. The number of
    /// processes is left out, because it changes no result.
    pub(crate) fn engine_key(&self) -> String {
        let engine = EngineSpec {
            jobs: 1,
            ..self.options.engine.clone()
        };
        /// An engine with the tables before it, in one object.
        #[derive(Serialize)]
        struct Key<'a> {
            #[serde(flatten)]
            engine: &'a EngineSpec,
            #[serde(skip_serializing_if = "Option::is_none")]
            tables: Option<PathBuf>,
        }
        let tables = self.options.tables.as_ref();
        let key = Key {
            engine: &engine,
            // The same folder is one, however it was named.
            tables: tables
                .map(|folder| std::path::absolute(folder).unwrap_or_else(|_| folder.clone())),
        };
        serde_json::to_string(&key).unwrap_or_default()
    }

    /// Returns the tables; `None` without.
    pub(crate) fn tables(&self) -> Result<Option<Arc<Tablebase>>, ApiError> {
        let folder = self.options.tables.as_deref();
        Ok(folder.map(|folder| self.board.tables(folder)).transpose()?)
    }

    /// Returns what requests may choose.
    pub(crate) fn choices(&self) -> Choices<'_> {
        let Limits {
            nodes,
            depth,
            lines,
            ..
        } = self.options.limits;
        Choices {
            review: &self.options.review,
            nodes,
            depth,
            lines,
            own: self
                .options
                .own_curves
                .iter()
                .map(|own| (&*own.name, own.curve))
                .collect(),
        }
    }

    /// Parses a limit and checks the allowed range; `None` means the default.
    pub(crate) fn limit(&self, text: Option<&str>) -> Result<Limit, ApiError> {
        self.choices().limit(text).map_err(ApiError::refused)
    }

    /// Checks a number of lines; `None` means the default.
    pub(crate) fn lines(&self, lines: Option<usize>) -> Result<usize, ApiError> {
        self.choices().lines(lines).map_err(ApiError::refused)
    }

    /// Sets the options that the request contains. The others stay.
    pub(crate) fn set_judge(
        &self,
        request: &JudgeRequest,
        options: &mut ReviewOptions,
    ) -> Result<(), ApiError> {
        self.choices()
            .judge(request, options)
            .map_err(ApiError::refused)
    }
}
