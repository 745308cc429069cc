//! States of partial scans, written and read as JSON, must merge to the state of the whole: counts,
//! errors, resamples.

use std::{fs, io::Read as _};

use centipawn_calibrate::{
    balance::{BalanceOptions, Bootstrap, Matches},
    engine_match::MatchGames,
    material,
    wdl::{
        CountOptions, Counted, Counts, CountsFormat, Fit, FitOptions, HeldOut, ResampleOptions,
        Resamples, Uncertainty, count,
    },
};
use centipawn_pgn::{Merge, ScanOptions, ScanReport, Shard, Source, Sources, Stats};
use centipawn_progress::{Cancel, Silent};
use serde::{Serialize, de::DeserializeOwned};

/// Returns a folder with the example's games in five files.
fn folder() -> tempfile::TempDir {
    let mut text = String::new();
    let example = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/selfplay.pgn.gz"
    );
    Source::open(example)
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let starts: Vec<usize> = text
        .match_indices("[Event ")
        .map(|(at, _)| at)
        .chain([text.len()])
        .collect();
    let games: Vec<&str> = starts
        .windows(2)
        .map(|ends| &text[ends[0]..ends[1]])
        .collect();
    for (index, games) in games.chunks(games.len().div_ceil(5)).enumerate() {
        fs::write(folder.path().join(format!("{index}.pgn")), games.concat()).unwrap();
    }
    folder
}

/// Results of `scan` for the whole, and for three shards that pass through JSON and are merged in
/// two orders.
fn whole_and_parts<S>(scan: impl Fn(&Sources, &ScanOptions<'_>) -> (S, ScanReport)) -> (S, [S; 2])
where
    S: Merge + Serialize + DeserializeOwned,
{
    let folder = folder();
    let sources = Sources::expand(&[folder.path()]).unwrap();
    let part = |index| {
        let shard = Shard::new(index, 3).unwrap();
        let state = scan(
            &sources,
            &ScanOptions {
                shard,
                ..ScanOptions::default()
            },
        );
        let json = serde_json::to_string(&state).unwrap();
        serde_json::from_str::<(S, ScanReport)>(&json).unwrap()
    };
    let sum = |order: [u32; 3]| {
        let mut parts = order.map(part).into_iter();
        let mut sum = parts.next().unwrap();
        parts.for_each(|part| {
            sum.0.merge(part.0);
            sum.1.merge(part.1);
        });
        sum
    };
    let whole = scan(&sources, &ScanOptions::default());
    let sums = [sum([1, 2, 3]), sum([2, 3, 1])];
    for (_, report) in &sums {
        assert_eq!(
            (report.games, report.plies, report.text),
            (whole.1.games, whole.1.plies, whole.1.text)
        );
        assert_eq!(report.sources, whole.1.sources);
    }
    (whole.0, sums.map(|sum| sum.0))
}

#[test]
fn statistics_of_parts_merge_to_the_whole() {
    let (whole, parts) = whole_and_parts(|sources, scan| Stats::of(sources, scan).unwrap());
    assert!(whole.evals > 10_000);
    parts.into_iter().for_each(|part| assert_eq!(part, whole));
}

#[test]
fn counts_of_parts_merge_to_the_whole() {
    let options = CountOptions::default();
    let (whole, parts) =
        whole_and_parts(|sources, scan| count(sources, scan, &options, None).unwrap());
    // Files that are counted separately, as in different weeks, must also add up to the whole.
    let folder = folder();
    let files = (0..5).map(|index| folder.path().join(format!("{index}.pgn")));
    let of_file = |path| {
        count(
            &Sources::expand(&[path]).unwrap(),
            &ScanOptions::default(),
            &options,
            None,
        )
        .unwrap()
        .0
    };
    let weeks = files.map(of_file).reduce(|mut sum, week| {
        sum.merge(week);
        sum
    });
    let cancel = Cancel::new();
    let errors = |counts: &Counts, seed| {
        let fit = Fit::new(counts, &FitOptions::default(), &cancel).unwrap();
        let options = ResampleOptions {
            resamples: 20,
            seed,
            ..ResampleOptions::default()
        };
        let resamples = Resamples::new(counts, &fit.options.selection, options).unwrap();
        let sure = Uncertainty::new(&fit, &resamples, &cancel, &Silent)
            .unwrap()
            .unwrap();
        (
            sure,
            HeldOut::new(&fit, &resamples, &cancel).unwrap().unwrap(),
        )
    };
    let bytes = |counted: &Counted| {
        let mut bytes = Vec::new();
        counted
            .counts
            .write(CountsFormat::Compact, &mut bytes)
            .unwrap();
        bytes
    };
    for part in parts.iter().chain(&weeks) {
        assert_eq!(part.counts, whole.counts);
        assert_eq!(bytes(part), bytes(&whole));
        assert_eq!(errors(&part.counts, 0), errors(&whole.counts, 0));
    }
    // Counts read from a file give the same errors; another seed gives different ones.
    let read = Counts::read(&bytes(&whole)[..]).unwrap();
    assert_eq!(errors(&read, 0), errors(&whole.counts, 0));
    assert_ne!(errors(&read, 1), errors(&whole.counts, 0));
    // Counts without groups, merged with others, leave a sum without groups.
    let bare = CountOptions {
        groups: Vec::new(),
        ..options.clone()
    };
    let (mut bare, _) = whole_and_parts(|sources, scan| count(sources, scan, &bare, None).unwrap());
    bare.merge(whole);
    assert_eq!(bare.counts.groups(), None);
}

#[test]
fn matches_of_parts_merge_to_the_whole() {
    let (whole, parts) = whole_and_parts(|sources, scan| MatchGames::count(sources, scan).unwrap());
    assert!(whole.report(&Default::default()).unwrap().games > 100);
    parts.into_iter().for_each(|part| assert_eq!(part, whole));
}

#[test]
fn balances_of_parts_merge_to_the_whole() {
    for list in [false, true] {
        let options = BalanceOptions {
            list,
            ..BalanceOptions::default()
        };
        let (mut whole, parts) =
            whole_and_parts(|sources, scan| Matches::count_part(sources, scan, &options).unwrap());
        whole.finish(&options);
        let rows = |matches: &Matches, seed| {
            matches
                .rows(
                    Bootstrap {
                        resamples: 200,
                        seed,
                    },
                    &Cancel::new(),
                    &Silent,
                )
                .unwrap()
        };
        assert_ne!(rows(&whole, 0), rows(&whole, 1));
        for mut part in parts {
            part.finish(&options);
            assert_eq!(rows(&part, 0), rows(&whole, 0));
        }
    }
}

#[test]
fn piece_values_of_parts_merge_to_the_whole() {
    let options = material::CountOptions {
        names: true,
        structure: true,
        ..material::CountOptions::default()
    };
    let (whole, parts) =
        whole_and_parts(|sources, scan| material::count(sources, scan, &options).unwrap());
    let fitted = |collection: &material::Collection, seed| {
        let options = material::FitOptions {
            resamples: 100,
            seed,
            terms: vec![material::Term::Mobility],
            ..material::FitOptions::default()
        };
        material::Fit::new(collection, &options, &Cancel::new(), &Silent).unwrap()
    };
    let same = |own: &material::Fit, other: &material::Fit| {
        (&own.coefficients, own.values()) == (&other.coefficients, other.values())
    };
    let all = fitted(&whole, 0);
    for part in parts {
        assert!(same(&fitted(&part, 0), &all));
        // In the order of the input it equals the whole, including names.
        assert_eq!(part.in_input_order(), whole);
    }
    let seeded = fitted(&whole, 1);
    assert_eq!(seeded.coefficients, all.coefficients);
    assert!(!same(&seeded, &all));
}

#[test]
fn cancelled_computations_return_an_error() {
    let folder = folder();
    let sources = Sources::expand(&[folder.path()]).unwrap();
    let scan = ScanOptions::default();
    let cancel = Cancel::new();
    let (counted, _) = count(&sources, &scan, &CountOptions::default(), None).unwrap();
    let fit = Fit::new(&counted.counts, &FitOptions::default(), &cancel).unwrap();
    let resamples = Resamples::new(
        &counted.counts,
        &fit.options.selection,
        ResampleOptions::default(),
    )
    .unwrap();
    let (matches, _) = Matches::count(&sources, &scan, &BalanceOptions::default()).unwrap();
    let (collection, _) =
        material::count(&sources, &scan, &material::CountOptions::default()).unwrap();
    cancel.set();
    assert!(Fit::new(&counted.counts, &FitOptions::default(), &cancel).is_err());
    assert!(Uncertainty::new(&fit, &resamples, &cancel, &Silent).is_err());
    assert!(HeldOut::new(&fit, &resamples, &cancel).is_err());
    assert!(
        matches
            .rows(Bootstrap::default(), &cancel, &Silent)
            .is_err()
    );
    let report = material::MaterialReport::new(
        &collection,
        &material::ReportOptions::default(),
        &cancel,
        &Silent,
    );
    assert_eq!(report.unwrap_err().to_string(), "cancelled");
}

/// Invalid values must be refused instead of causing an index out of bounds.
#[test]
fn bad_states_are_refused() {
    for json in [
        r#"{"rows":[],"games":[{"end":3,"result":"Draw","elo":[0,0],"year":0,"event":0,"players":[0,0],"place":[0,0]}],"names":[""],"is_bare":false,"is_loose":false,"unfinished":0}"#,
        r#"{"rows":[{"packed":0,"ply":3,"score":201}],"games":[{"end":1,"result":"Draw","elo":[0,0],"year":0,"event":0,"players":[0,0],"place":[0,0]}],"names":[""],"is_bare":false,"is_loose":false,"unfinished":0}"#,
        r#"{"rows":[],"games":[{"end":0,"result":"Draw","elo":[0,0],"year":0,"event":9,"players":[0,0],"place":[0,0]}],"names":[""],"is_bare":false,"is_loose":false,"unfinished":0}"#,
    ] {
        assert!(serde_json::from_str::<material::Collection>(json).is_err());
    }
    for json in [
        r#"{"counts":{"bin":5,"entries":[[4294967295,1]]},"report":{}}"#,
        r#"{"counts":{"bin":5,"entries":[],"groups":[{"rows":{"by":"move","within":[17,78],"units":null},"groups":[]}]},"report":{}}"#,
    ] {
        assert!(serde_json::from_str::<Counted>(json).is_err());
    }
}
