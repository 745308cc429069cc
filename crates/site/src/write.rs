//! Games → pages: those of a store, of files with evaluations, and of review documents.

use std::{
    io::BufReader,
    path::{Path, PathBuf},
    sync::Arc,
};

use centipawn_judge::Phase;
use centipawn_pgn::{Dialect, Game, Games, Glyphs, Reader, Sources, read_ahead, write_game_with};
use centipawn_progress::{
    Cancel, Files, Outcome, Placed, Placement, Problem, ProblemCount, Provenance, Reporter,
    SmallDocument, open_input,
};
use centipawn_review::{
    Event, GameDocument, Language, PlayerDocument, Review, ReviewDocument, ReviewOptions,
    review_games,
};
use centipawn_store::{Store, StoreError};
use centipawn_work::{
    engine::review_provenance,
    library::{KeptJob, Library, LibraryError, NoEngine, kept_provenance, kept_review},
};
use serde::{Deserialize, Serialize};

use crate::{
    folder::{Folder, FolderError},
    shown::ShownGame,
};

/// Options of a site.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SiteOptions {
    /// The folder, which is created if necessary; an earlier site in it is replaced.
    pub folder: PathBuf,
    /// The heading of the list of games; `None`, the default, for the language's word for games.
    pub title: Option<String>,
    /// A folder with the page without a server, as `make tab` builds it. The site gets a copy and
    /// links to it; `None`, the default, for a site without it.
    #[serde(default)]
    pub tab: Option<PathBuf>,
    /// How games of files are judged, and the language of all pages. Games of the store keep the
    /// curve and the symbols of their reviews.
    pub review: ReviewOptions,
}

/// The source of a site's games.
#[derive(Clone, Debug)]
pub enum SiteGames {
    /// All finished reviews that the page asked for, of each game the newest, newest first.
    Stored(Arc<Store>),
    /// Files, in their order: documents of `centipawn review --json` (`.json`), and games with
    /// their evaluations, plain or compressed.
    Files(Vec<PathBuf>),
}

/// The outcome of writing a site.
#[derive(Debug)]
pub struct SiteEnd {
    /// Games on the site, and problems reported.
    pub outcome: Outcome,
    /// The list of games, or the earlier one that a cancelled run left in its place.
    pub index: Placed,
}

/// The reason why a site cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// The folder cannot be used or written.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SiteError {
    /// Returns whether the caller asked for something impossible, rather than the system failing.
    pub fn is_usage(&self) -> bool {
        matches!(self, SiteError::Folder(error) if error.is_usage())
    }
}

/// Writes a site. Games that cannot be read or shown are reported and left out; without any game an
/// earlier site stays.
///
/// `files` are those that are read besides the games. After `cancel` is set, the games finished by
/// then are written, except over an earlier site.
///
/// # Errors
///
/// [`SiteError`].
pub fn write_site<R: Reporter + 'static>(
    options: &SiteOptions,
    games: SiteGames,
    files: &mut Files,
    cancel: &Cancel,
    reporter: &Arc<ProblemCount<R>>,
) -> Result<SiteEnd, SiteError> {
    if let SiteGames::Files(paths) = &games {
        files.also_reads(paths);
    }
    let mut site = Folder::create(
        &options.folder,
        options.review.language,
        options.title.as_deref(),
        files,
        &[],
    )?;
    if let Some(tab) = &options.tab {
        site.add_tab(tab)?;
    }
    match games {
        SiteGames::Stored(store) => {
            stored(&store, options.review.language, cancel, reporter, &mut site)?;
        }
        SiteGames::Files(paths) => {
            for path in paths.into_iter().take_while(|_| !cancel.is_set()) {
                let is_document = path
                    .extension()
                    .is_some_and(|end| end.eq_ignore_ascii_case("json"));
                match is_document {
                    true => documents(&path, cancel, reporter, &mut site)?,
                    false => evaluated(&path, &options.review, cancel, reporter, &mut site)?,
                }
            }
        }
    }
    let done = site.games();
    let mut results = Placement::new(cancel);
    site.finish(None, std::iter::empty(), &mut results)?;
    let kept = results.place().map_err(FolderError::from)?.pop();
    let index = kept.map_or(Placed::Written, Placed::Kept);
    Ok(SiteEnd {
        outcome: Outcome {
            done,
            skipped: reporter.errors(),
            cancelled: cancel.is_set(),
        },
        index,
    })
}

/// Returns a game with its annotated text.
fn with_pgn(
    number: u64,
    review: &Review,
    provenance: Provenance,
) -> Result<ShownGame, FolderError> {
    let mut pgn = Vec::new();
    let name = Path::new("the annotated game");
    write_game_with(&mut pgn, &review.annotated(), Glyphs::Numbers)
        .map_err(FolderError::io("write", name))?;
    Ok(ShownGame {
        pgn: Some(pgn),
        ..ShownGame::of(number, review, provenance)
    })
}

/// Adds the finished reviews of a store to the site.
fn stored(
    store: &Arc<Store>,
    language: Language,
    cancel: &Cancel,
    reporter: &dyn Reporter,
    site: &mut Folder,
) -> Result<(), SiteError> {
    let library = Library::new(Arc::clone(store));
    let reviews = library.reviews()?;
    // The newest first.
    for (_, id) in reviews.iter().rev().take_while(|_| !cancel.is_set()) {
        let Some(job) = store.job(*id)?.and_then(|job| KeptJob::try_from(job).ok()) else {
            continue;
        };
        let Some(options) = job.review() else {
            continue;
        };
        let options = ReviewOptions {
            language,
            ..options.clone()
        };
        match kept_review(&library, &job, &options) {
            Ok(review) => {
                let provenance = kept_provenance(store, &job, &review)?;
                site.add(&with_pgn(job.id.unsigned_abs(), &review, provenance)?)?;
            }
            Err(LibraryError::Store(error)) => return Err(error.into()),
            Err(reason) => {
                reporter.problem(&Problem::error(format_args!(
                    "review {} of {}: {reason}",
                    job.id, job.title
                )));
            }
        }
    }
    if reviews.is_empty() {
        let text = "the store has no finished reviews; review games on the page (centipawn serve), or name files";
        reporter.problem(&Problem::error(text));
    }
    Ok(())
}

/// Adds the games of a file to the site, judged by the evaluations in the file.
fn evaluated<R: Reporter + 'static>(
    path: &Path,
    options: &ReviewOptions,
    cancel: &Cancel,
    reporter: &Arc<ProblemCount<R>>,
    site: &mut Folder,
) -> Result<(), SiteError> {
    let mut options = options.clone();
    options.judge.reuse_evals.get_or_insert(Dialect::Auto);
    let sources = Sources::expand_reporting(&[path], reporter);
    let provenance = review_provenance(&options, &sources, &[]);
    let stop = cancel.child();
    // Opening and reading a pipe may block, which must not delay a cancel.
    let games = read_ahead(Games::new(&sources, Arc::clone(reporter)), &stop);
    let mut failed = None;
    review_games(
        games,
        &NoEngine,
        &[],
        &options,
        &stop,
        &centipawn_progress::Silent,
        |event| match event {
            _ if failed.is_some() => (),
            Event::Reviewed(review) => {
                let number = site.games() + 1;
                let game = with_pgn(number, &review, provenance.clone());
                if let Err(error) = game.and_then(|game| site.add(&game)) {
                    failed = Some(error);
                    stop.set();
                }
            }
            Event::Failed(failure) => reporter.problem(&failure.problem()),
        },
    );
    failed.map_or(Ok(()), |error| Err(error.into()))
}

/// A document of reviewed games. A game has about 100 kB, so it may have some thousands of them.
const REVIEW: SmallDocument = SmallDocument::new("review in JSON", 256 << 20);

/// Adds the games of a document of `centipawn review --json` to the site.
fn documents(
    path: &Path,
    cancel: &Cancel,
    reporter: &dyn Reporter,
    site: &mut Folder,
) -> Result<(), SiteError> {
    let problem =
        |text: String| reporter.problem(&Problem::error(text).of(path.display().to_string()));
    let read = open_input(path, cancel)
        .map_err(|error| error.to_string())
        .and_then(|file| {
            serde_json::from_reader::<_, ReviewDocument>(BufReader::new(REVIEW.limit(file)))
                .map_err(|error| {
                    format!("it is no review as a JSON document ({error}); give one, or games")
                })
        });
    let document = match read {
        Ok(document) => document,
        Err(_) if cancel.is_set() => return Ok(()),
        Err(error) => {
            problem(error);
            return Ok(());
        }
    };
    for review in document.by_game() {
        if cancel.is_set() {
            return Ok(());
        }
        let game = &review.games[0];
        let read = match game_of(game) {
            Ok(read) => read,
            Err(reason) => {
                problem(format!(
                    "{} – {}: {reason}",
                    game.white.name, game.black.name
                ));
                continue;
            }
        };
        site.add(&ShownGame {
            number: site.games() + 1,
            game: read,
            review,
            why: Vec::new(),
            pgn: None,
        })?;
    }
    Ok(())
}

/// Returns the game of a document: its tags and moves. Documents come from files, so what pages
/// rely on is checked.
fn game_of(document: &GameDocument) -> Result<Game, String> {
    let mut text = String::new();
    for (name, value) in &document.headers {
        text += &format!(
            "[{name} \"{}\"]\n",
            value.replace('\\', "\\\\").replace('"', "\\\"")
        );
    }
    text += "\n";
    for ply in &document.plies {
        let dots = if ply.mover == "white" { "." } else { "..." };
        text += &format!("{}{dots} {} ", ply.move_number, ply.san);
    }
    let result = document
        .headers
        .iter()
        .find(|(name, _)| name == "Result")
        .map_or("*", |(_, value)| value);
    text += result;
    let game = match Reader::new(text.as_bytes()).next() {
        Some(Ok(Ok(game))) => game,
        Some(Ok(Err(error))) => return Err(error.message()),
        Some(Err(error)) => return Err(error.to_string()),
        None => Game::default(),
    };
    match game.plies.len() == document.plies.len() && game.start.fen() == document.start_fen {
        true if is_whole(document) => Ok(game),
        true => Err("its numbers of moves, phases or times do not fit its moves".to_owned()),
        false => Err("its moves do not fit its tags".to_owned()),
    }
}

/// Returns whether a document's numbers are those of its moves: half-moves from 1, moments among
/// them, three phases, possible times.
fn is_whole(document: &GameDocument) -> bool {
    const LONGEST_TIME: f64 = 1e9;
    let moments = document
        .critical_moments
        .iter()
        .chain(document.hardest_moments.iter().flatten());
    let is_player = |player: &PlayerDocument| {
        player.phases.len() == Phase::ALL.len()
            && player
                .time_seconds
                .is_none_or(|time| (0.0..LONGEST_TIME).contains(&time))
    };
    document
        .plies
        .iter()
        .zip(1..)
        .all(|(ply, number)| ply.ply == number)
        && moments
            .into_iter()
            .all(|moment| (1..=document.plies.len()).contains(moment))
        && [&document.white, &document.black]
            .into_iter()
            .all(is_player)
}
