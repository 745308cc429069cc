//! Scans of games, of shards of them, and of parts that an earlier scan wrote.

use std::path::PathBuf;

use centipawn_calibrate::{
    balance::Matches,
    engine_match::MatchGames,
    human::HumanGames,
    material::{self, Collection},
    wdl::{Counted, FenCounters, GamesSelection, SelectedGames},
};
use centipawn_pgn::{ScanOptions, ScanReport, Shard, Sources, Stats, StreamHashes};
use centipawn_progress::{AtomicFile, Cancel, Files, Outcome, ProblemCount, Reporter};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    input_hashes::{Beside, InputHashes},
    part::{PartInputs, PartOf, merge_parts, write_part},
};
use crate::{
    BalanceScan, HumanScan, Inputs, MatchScan, MaterialScan, PartError, Scan, ScanError, ScanState, StatsScan,
    WdlCountScan, run_scan,
};

/// The state `S` of a scan with options `T`.
pub(crate) struct Gathered<T, S> {
    /// How games were counted: as was asked, or as the parts were.
    pub(crate) options: T,
    /// The state.
    pub(crate) state: S,
    /// Games and files read, and those that could not be read.
    pub(crate) report: ScanReport,
    /// The files selected.
    pub(crate) selected: SelectedGames,
    /// Hashes of the files, if they were requested.
    pub(crate) hashes: Option<InputHashes>,
    /// Whether the state was written as a part, so that there is nothing else to do.
    pub(crate) is_part: bool,
}

impl<T, S> Gathered<T, S> {
    /// Games read count as done; unreadable games and files, and missing files, as skipped. A part that is written is something
    /// done, too, also where no game of it can be read.
    pub(crate) fn outcome(&self) -> Outcome {
        let Outcome { done, skipped, cancelled } = self.report.outcome();
        Outcome {
            done: done + u64::from(self.is_part && !self.selected.missing),
            skipped: skipped + self.selected.problems,
            cancelled,
        }
    }
}

/// Which files are counted for a win/draw/loss model, and how.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WdlGamesOptions {
    /// Which files are read; by default all that the caller names.
    pub selection: GamesSelection,
    /// How games are counted.
    pub count: WdlCountScan,
}

/// The options of a scan whose parts merge.
pub(crate) trait PartOptions: Serialize + DeserializeOwned + Default + Clone {
    /// The state of the scan.
    type State;

    /// Options for which merging has no usual value, as JSON pointers: parts are as is asked for, or of no use.
    const STRICT: &'static [&'static str] = &[];

    fn scan(&self) -> Scan;

    fn state(state: ScanState) -> Option<Self::State>;

    /// The same, with everything counted that any result may need.
    fn for_part(&self) -> Self {
        self.clone()
    }

    /// The requested options, if parts with `own` options satisfy them.
    fn beside(&self, _own: &Self) -> Self {
        self.clone()
    }

    /// The options of parts for the results that are asked for.
    fn for_results(self, _asked: &Self) -> Self {
        self
    }
}

impl PartOptions for StatsScan {
    type State = Stats;

    fn scan(&self) -> Scan {
        Scan::PgnStats(*self)
    }

    fn state(state: ScanState) -> Option<Stats> {
        if let ScanState::PgnStats(stats) = state { Some(stats) } else { None }
    }
}

impl PartOptions for WdlGamesOptions {
    type State = Counted;

    // Groups follow from the limits of the fit, which `compat` changes too.
    const STRICT: &'static [&'static str] = &["/count/groups", "/count/compat"];

    fn scan(&self) -> Scan {
        Scan::WdlCount(self.count.clone())
    }

    fn state(state: ScanState) -> Option<Counted> {
        if let ScanState::WdlCount(counted) = state { Some(counted) } else { None }
    }

    fn beside(&self, own: &Self) -> Self {
        let mut beside = self.clone();
        // WDL_model's JSON has no groups, whatever the parts have.
        if beside.count.options.groups.is_empty() {
            beside.count.options.groups.clone_from(&own.count.options.groups);
        }
        beside
    }
}

impl PartOptions for BalanceScan {
    type State = Matches;

    fn scan(&self) -> Scan {
        Scan::Balance(self.clone())
    }

    fn state(state: ScanState) -> Option<Matches> {
        if let ScanState::Balance(matches) = state { Some(matches) } else { None }
    }

    fn for_results(mut self, asked: &Self) -> Self {
        self.options.list = asked.options.list;
        self
    }
}

impl PartOptions for MatchScan {
    type State = MatchGames;

    fn scan(&self) -> Scan {
        Scan::Match(*self)
    }

    fn state(state: ScanState) -> Option<MatchGames> {
        if let ScanState::Match(games) = state { Some(games) } else { None }
    }
}

impl PartOptions for MaterialScan {
    type State = Collection;

    // The target of the fit defines it.
    const STRICT: &'static [&'static str] = &["/search"];

    fn scan(&self) -> Scan {
        Scan::Material(self.clone())
    }

    fn state(state: ScanState) -> Option<Collection> {
        if let ScanState::Material(collection) = state { Some(collection) } else { None }
    }

    fn for_part(&self) -> Self {
        Self { options: material::CountOptions { names: true, ..self.options.clone() }, ..self.clone() }
    }

    fn for_results(mut self, asked: &Self) -> Self {
        self.options.names = asked.options.names;
        self
    }
}

impl PartOptions for HumanScan {
    type State = HumanGames;

    fn scan(&self) -> Scan {
        Scan::Human(self.clone())
    }

    fn state(state: ScanState) -> Option<HumanGames> {
        if let ScanState::Human(games) = state { Some(games) } else { None }
    }
}

/// The files that `games` name. Missing ones are reported and skipped.
pub(crate) fn named_games(games: &[PathBuf], reporter: &dyn Reporter) -> SelectedGames {
    let problems = ProblemCount::new(reporter);
    let sources = Sources::expand_reporting(games, &problems);
    SelectedGames {
        missing: sources.paths().is_empty(),
        problems: problems.errors(),
        sources,
        ..SelectedGames::default()
    }
}

/// Scans the games that `choose` selects, or merges the parts that stand in their place; writes a part if one is requested.
pub(crate) fn gather<T: PartOptions, E: From<ScanError>>(
    command: &str,
    inputs: Inputs<'_>,
    asked: &T,
    book: Option<&FenCounters>,
    options: &ScanOptions<'_>,
    choose: impl FnOnce() -> Result<SelectedGames, E>,
) -> Result<Gathered<T, T::State>, E> {
    if inputs.has_parts() {
        let cancel = options.cancel.cloned().unwrap_or_default();
        return Ok(merged(command, inputs, asked, options.shard, &cancel).map_err(ScanError::from)?);
    }
    let selected = choose()?;
    let paths = selected.sources.paths().to_vec();
    let Some(path) = inputs.partial else {
        let hashes = inputs.is_hashed.then(|| InputHashes::start(paths));
        let scanned = run_scan(&asked.scan(), book, &selected.sources, options)?;
        let state = T::state(scanned.state).ok_or(ScanError::State)?;
        let options = asked.clone();
        return Ok(Gathered { options, state, report: scanned.report, selected, hashes, is_part: false });
    };
    let part = asked.for_part();
    let cancel = options.cancel.cloned().unwrap_or_default();
    let create = || Files::reading(&paths).create(path, &cancel);
    let file: AtomicFile = create().map_err(|error| ScanError::from(PartError::from(error)))?;
    let shard = options.shard;
    let hashes = Beside::start(move || PartInputs::of(&paths, shard));
    let streams = StreamHashes::default();
    let reading = ScanOptions { streams: Some(&streams), ..*options };
    let scanned = run_scan(&part.scan(), book, &selected.sources, &reading)?;
    // Part of a part is nothing, and neither is a part of no files.
    let is_part = !selected.missing;
    if let Some(hashes) = hashes.finish(&cancel).filter(|_| is_part && !scanned.report.cancelled) {
        let of = PartOf { command, shard, options: &part, selected: &selected };
        write_part(file, path, &of, hashes.with_streams(&streams), &scanned, &cancel).map_err(ScanError::from)?;
    }
    let state = T::state(scanned.state).ok_or(ScanError::State)?;
    let report = ScanReport { cancelled: scanned.report.cancelled || cancel.is_set(), ..scanned.report };
    Ok(Gathered { options: part, state, report, selected, hashes: None, is_part: true })
}

fn merged<T: PartOptions>(
    command: &str,
    inputs: Inputs<'_>,
    asked: &T,
    shard: Shard,
    cancel: &Cancel,
) -> Result<Gathered<T, T::State>, PartError> {
    if inputs.partial.is_some() || shard != Shard::ALL {
        return Err(PartError::Whole);
    }
    let merged = merge_parts(inputs.games, cancel)?;
    let other = || PartError::Command {
        path: inputs.games[0].clone(),
        theirs: merged.command.clone(),
        wanted: command.to_owned(),
    };
    let own: T = merged.options().ok_or_else(other)?;
    merged.agree_with(&asked.beside(&own), T::STRICT)?;
    let known = merged.inputs();
    let state = T::state(merged.scanned.state).ok_or_else(other)?;
    Ok(Gathered {
        options: own.for_results(asked),
        state,
        report: merged.scanned.report,
        selected: merged.selected,
        hashes: inputs.is_hashed.then(|| InputHashes::known(known)),
        is_part: false,
    })
}
