//! The options and the shared state of a server.

use std::{
    ffi::OsStr,
    net::{IpAddr, Ipv4Addr},
    path::{Path, PathBuf},
    sync::Arc,
};

use centipawn_calibrate::{NamedCurveError, read_choice};
use centipawn_core::{Curve, CurveChoice, HumanModel, SchemeChoice};
use centipawn_engine::{EngineSpec, Limit};
use centipawn_pgn::{BadTimeControl, TimeControl};
use centipawn_progress::{Cancel, SmallDocument};
use centipawn_review::{Language, ReviewOptions};
use centipawn_store::Store;
use centipawn_work::{
    AnalystSpec, Resources,
    library::{Library, UploadLimits},
};
use serde::{Deserialize, Serialize};

use crate::{
    body::Uploads, documents::JudgeRequest, error::ApiError, events::Events, jobs::Queue,
    token::Token,
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
    /// The engine of reviews. The board uses an additional process of this engine.
    pub engine: EngineSpec,
    /// Default options of reviews.
    pub review: ReviewOptions,
    /// Limits of the size of requests.
    pub limits: Limits,
    /// Curves that requests may name beside the built-in ones.
    #[serde(default)]
    pub own_curves: Vec<OwnCurve>,
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
            engine,
            review,
            limits,
            own_curves: Vec::new(),
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
            ..AnalystSpec::default()
        }
    }

    /// Identifies the engine of a job. The number of processes is left out, because it changes no
    /// result.
    pub(crate) fn engine_key(&self) -> String {
        let engine = EngineSpec {
            jobs: 1,
            ..self.options.engine.clone()
        };
        serde_json::to_string(&engine).unwrap_or_default()
    }

    /// Parses a limit and checks the allowed range; `None` means the default.
    pub(crate) fn limit(&self, text: Option<&str>) -> Result<Limit, ApiError> {
        let Some(text) = text else {
            return Ok(self.options.review.judge.limit);
        };
        let Limits {
            nodes: most,
            depth: deepest,
            ..
        } = self.options.limits;
        let hint = format!("Ask for {most} nodes or a depth of {deepest} at most.");
        let limit: Limit = text.parse().map_err(|error| ApiError::bad(error, &hint))?;
        match limit {
            Limit::Nodes(nodes) if (1..=most).contains(&nodes) => Ok(limit),
            Limit::Depth(depth) if (1..=deepest).contains(&depth) => Ok(limit),
            Limit::MoveTime(_) => Err(ApiError::bad(
                "times give other results in every run",
                "Give nodes or a depth.",
            )),
            _ => Err(ApiError::bad(
                format!("the limit {limit} is outside what this server allows"),
                hint,
            )),
        }
    }

    /// Checks a number of lines; `None` means the default.
    pub(crate) fn lines(&self, lines: Option<usize>) -> Result<usize, ApiError> {
        let most = self.options.limits.lines;
        match lines {
            None => Ok(self.options.review.judge.lines),
            Some(lines) if (1..=most).contains(&lines) => Ok(lines),
            Some(lines) => Err(ApiError::bad(
                format!("{lines} lines"),
                format!("Ask for 1 to {most} lines."),
            )),
        }
    }
}

impl JudgeRequest {
    /// Sets the options that the request contains. The others stay.
    pub(crate) fn set(&self, server: &Server, options: &mut ReviewOptions) -> Result<(), ApiError> {
        let judge = &mut options.judge;
        judge.curve = server
            .options
            .choice(self.curve.as_deref(), self.balance)?
            .unwrap_or(judge.curve);
        if let Some(text) = &self.scheme {
            judge.scheme = text
                .parse::<SchemeChoice>()
                .map_err(|error| ApiError::bad(error, "Choose one of the list."))?;
        }
        if let Some(text) = &self.language {
            options.language = text
                .parse::<Language>()
                .map_err(|error| ApiError::bad(error, "Choose en or de."))?;
        }
        judge.every_symbol = self.every_symbol.unwrap_or(judge.every_symbol);
        Ok(())
    }
}

/// Returns the name of a chosen curve.
pub(crate) fn choice_text(choice: &CurveChoice) -> String {
    match choice {
        CurveChoice::Auto => "auto".to_owned(),
        CurveChoice::Human {
            rating: None,
            seconds: None,
            ..
        } => "human".to_owned(),
        choice => choice
            .without_game()
            .map_or_else(String::new, |curve| curve.to_string()),
    }
}

impl ServeOptions {
    /// Returns the curve with this name, for evaluations without a game; `None` if the request
    /// names none.
    pub(crate) fn curve(
        &self,
        name: Option<&str>,
        balance: Option<f64>,
    ) -> Result<Option<Curve>, ApiError> {
        let choice = self.choice(name, balance)?;
        match choice.map(CurveChoice::without_game) {
            Some(None) => Err(ApiError::bad(
                "the curve auto is for games",
                "Choose another one.",
            )),
            Some(curve) => Ok(curve),
            None => Ok(None),
        }
    }

    /// Returns the choice of a curve with this name; `None` if the request names none. Files can be
    /// chosen only if they were read at the start of the server.
    fn choice(
        &self,
        name: Option<&str>,
        balance: Option<f64>,
    ) -> Result<Option<CurveChoice>, ApiError> {
        if let Some(error) = balance.and_then(|balance| Curve::Relevance { balance }.check().err())
        {
            return Err(ApiError::bad(error, "Correct the balance."));
        }
        let name = match (name, balance) {
            (None, None) => return Ok(None),
            (None, Some(_)) => "relevance",
            (Some("auto"), _) => return Ok(Some(CurveChoice::Auto)),
            (Some("human"), _) => return Ok(Some(CurveChoice::human())),
            (Some(name), _) if name.starts_with("human ") => return people(name).map(Some),
            (Some(name), _) => name,
        };
        let own = || {
            self.own_curves
                .iter()
                .find(|own| own.name == name)
                .map(|own| own.curve)
        };
        match Curve::by_name(name, balance.unwrap_or(Curve::DEFAULT_BALANCE))
            .map(CurveChoice::from)
            .or_else(own)
        {
            Some(choice) => Ok(Some(choice)),
            None => Err(ApiError::bad(
                format!("there is no curve {name:?}"),
                "Choose one of the list.",
            )),
        }
    }
}

/// Returns the human curve from a name such as `human 1600 600+5`, which means `--rating 1600
/// --time 600+5` on the command line.
fn people(name: &str) -> Result<CurveChoice, ApiError> {
    let [_, rating, time] = name.split(' ').collect::<Vec<_>>()[..] else {
        return Err(ApiError::bad(
            format!("{name:?} is not a human curve"),
            "Give \"human RATING TIME\".",
        ));
    };
    let rating: Option<f64> = rating
        .parse()
        .ok()
        .filter(|rating| RATINGS.contains(rating));
    let rating = rating.ok_or_else(|| {
        ApiError::bad(
            "a rating is a number from 100 to 4000",
            "Correct the rating.",
        )
    })?;
    let seconds = seconds(time)?;
    Ok(CurveChoice::Human {
        rating: Some(rating),
        seconds: Some(seconds),
        pool: None,
        model: HumanModel::default(),
    })
}

/// Allowed ratings, as on the command line.
const RATINGS: std::ops::RangeInclusive<f64> = 100.0..=4000.0;

/// Returns the seconds that a player has for 40 moves with a time control such as `600+5`.
pub(crate) fn seconds(time: &str) -> Result<f64, ApiError> {
    let control = TimeControl::typed(time).filter(|control| control.seconds() >= 1.0);
    control
        .map(TimeControl::seconds)
        .ok_or_else(|| ApiError::bad(BadTimeControl, "Correct the time control."))
}
