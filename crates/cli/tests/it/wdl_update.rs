//! `centipawn wdl update` and `centipawn wdl compare`, on a repository that the test creates.

use std::{fs, io::Read as _, path::Path, process::Command};

use crate::common::{Ran, centipawn, root, run};
use centipawn_pgn::Source;
use serde_json::Value;

/// The lines of `src/uci.cpp` that contain the model, with the constants of Stockfish 17 and 18.
const SEVENTEEN: &str = "    double m = std::clamp(material, 17, 78) / 58.0;\n    \
    constexpr double as[] = {-13.50030198, 40.92780883, -36.82753545, 386.83004070};\n    \
    constexpr double bs[] = {96.53354896, -165.79058388, 90.89679019, 49.29561889};\n";
const EIGHTEEN: &str = "    double m = std::clamp(material, 17, 78) / 58.0;\n    \
    constexpr double as[] = {-72.32565836, 185.93832038, -144.58862193, 416.44950446};\n    \
    constexpr double bs[] = {83.86794042, -136.06112997, 69.98820887, 47.62901433};\n";

/// A folder with a Stockfish checkout of five revisions, and games of these revisions.
struct Season {
    folder: tempfile::TempDir,
    /// Commit hashes, the oldest first.
    revisions: Vec<String>,
}

impl Season {
    fn new() -> Self {
        let mut season = Self {
            folder: tempfile::tempdir().unwrap(),
            revisions: Vec::new(),
        };
        season.git(&["init", "--quiet", "Stockfish"], ".");
        season.commit("int main() {}\n");
        season.commit(SEVENTEEN);
        season.commit(EIGHTEEN);
        // A change of formatting, and a change elsewhere in the file, keep the model.
        season.commit(&EIGHTEEN.replace("{-72.32565836,", "{ -72.32565836,"));
        season.commit(&format!(
            "{}// More.\n",
            EIGHTEEN.replace("{-72.32565836,", "{ -72.32565836,")
        ));
        let text = games();
        let [old, new] =
            [&season.revisions[1], &season.revisions[4]].map(|hash| named(&text, hash));
        season.test("a", &new, 1, "UHO_Lichess_4852_v1.epd");
        season.test("b", &old, 1, "UHO_Lichess_4852_v1.epd");
        season.test("c", &new, 8, "UHO_Lichess_4852_v1.epd");
        season
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn git(&self, arguments: &[&str], folder: &str) -> String {
        let mut command = Command::new("git");
        command
            .args(arguments)
            .current_dir(self.path().join(folder))
            .env("GIT_CONFIG_GLOBAL", "/dev/null");
        for who in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{who}_NAME"), "A")
                .env(format!("GIT_{who}_EMAIL"), "a@example.org");
            command.env(format!("GIT_{who}_DATE"), "2026-01-15T12:00:00Z");
        }
        let output = command.output().unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn commit(&mut self, source: &str) {
        let file = self.path().join("Stockfish/src/uci.cpp");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, source).unwrap();
        self.git(&["add", "."], "Stockfish");
        self.git(&["commit", "--quiet", "-m", "A change"], "Stockfish");
        let hash = self.git(&["rev-parse", "HEAD"], "Stockfish");
        self.revisions.push(hash);
    }

    /// Writes a test's games, with metadata as fishtest writes them.
    fn test(&self, letter: &str, games: &str, threads: u32, book: &str) {
        let id = letter.repeat(24);
        let folder = self.path().join("pgns/26-02-01").join(&id);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{id}-0.pgn")), games).unwrap();
        let base = games
            .lines()
            .find_map(|line| line.strip_prefix("[Black \"Base-"))
            .unwrap()
            .trim_end_matches("\"]");
        let metadata = serde_json::json!({
            "args": { "book": book, "tc": "60+0.6", "new_tc": "60+0.6", "threads": threads, "sprt": {},
                      "resolved_base": base, "resolved_new": "f".repeat(40) },
            "results": { "pentanomial": [3, 20, 60, 20, 3] },
        });
        fs::write(folder.join(format!("{id}.json")), metadata.to_string()).unwrap();
    }

    fn wdl(&self, args: &str) -> Ran {
        let mut command = centipawn([]);
        let words = (!args.starts_with("merge "))
            .then_some("wdl")
            .into_iter()
            .chain(args.split_whitespace());
        command.current_dir(self.path()).args(words);
        run(command)
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.path().join(name)).unwrap()).unwrap()
    }
}

/// Returns the example's games.
fn games() -> String {
    let mut text = String::new();
    Source::open(root().join("examples/selfplay.pgn.gz"))
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    text
}

/// Returns the games with the engines renamed to builds of this revision.
fn named(text: &str, hash: &str) -> String {
    let names = text.lines().map(|line| match line {
        _ if line.starts_with("[White ") => format!("[White \"New-{hash}\"]\n"),
        _ if line.starts_with("[Black ") => format!("[Black \"Base-{hash}\"]\n"),
        _ => format!("{line}\n"),
    });
    names.collect()
}

#[test]
fn the_weekly_job() {
    let season = Season::new();
    let ran = season.wdl("update --stockfish Stockfish --out week pgns");
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let (from, to) = (&season.revisions[2][..10], &season.revisions[4][..10]);
    let range = format!(
        "3 revisions of Stockfish, from {from} (2026-01-15) to {to} (2026-01-15); NormalizeToPawnValue is 385\n"
    );
    assert!(ran.stderr().starts_with(&range), "{}", ran.stderr());
    assert!(
        ran.stderr()
            .contains("10,775 positions of 130 games\nFiles left out: 2 of other tests\n"),
        "{}",
        ran.stderr()
    );
    insta::assert_snapshot!(ran.stdout());
    // The numbers equal those of `wdl run` with the same filter.
    let hashes = &season.revisions[2..];
    let again = season.wdl(&format!(
        "run --match-rev .*({}) --match-threads 1 --from Stockfish/src/uci.cpp --out again pgns",
        hashes.join("|")
    ));
    assert_eq!(again.code(), Some(0), "{}", again.stderr());
    let (update, fit, run) = (
        season.json("week/update.json"),
        season.json("week/fit.json"),
        season.json("again/fit.json"),
    );
    for key in ["as", "bs", "errors", "held_out"] {
        assert_eq!(fit[key], run[key], "{key}");
    }
    assert_eq!(
        (&update["old_pawn"], &update["games"]),
        (&385.into(), &130.into())
    );
    assert_eq!(update["comparison"]["models"][1]["is_held_out"], true);
    assert_eq!(
        fit["provenance"]["recipe"]["revisions"]["first"]["hash"],
        season.revisions[2]
    );
    let page = fs::read_to_string(season.path().join("week/plots.html")).unwrap();
    assert!(
        page.contains("Based on 8,")
            && page.contains("Lines to paste")
            && page.contains("old model (dashed)")
    );
    // With the fitted constants in force, the difference between the models is 0. Its error stays
    // that of the fit.
    let cpp: String = ran
        .stdout()
        .lines()
        .filter(|line| line.contains("constexpr"))
        .map(|line| format!("{line}\n"))
        .collect();
    let source = format!("    double m = std::clamp(material, 17, 78) / 58.0;\n{cpp}");
    fs::write(season.path().join("uci.cpp"), source).unwrap();
    let same = season.wdl("compare uci.cpp week/counts.wdl --from Stockfish/src/uci.cpp --json");
    let same: Value =
        serde_json::from_str(same.stdout()).unwrap_or_else(|_| panic!("{}", same.stderr()));
    let difference = &same["differences"][0]["normalize_to_pawn_value"];
    assert!(
        difference["value"].as_f64().unwrap().abs() < 1e-4,
        "{difference}"
    );
    assert!(difference["error"].as_f64().unwrap() > 1.0, "{difference}");
}

/// A significant change below the least change is not recommended. The document estimates how many
/// games an error of 2 would need.
#[test]
fn a_change_below_the_least_change_is_not_recommended() {
    let season = Season::new();
    let update = |more: &str| {
        let ran = season.wdl(&format!(
            "update --stockfish Stockfish --folds 0 --out week pgns {more}"
        ));
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        (ran.stdout().to_owned(), season.json("week/update.json"))
    };
    let (text, document) = update("");
    assert!(
        text.contains("NormalizeToPawnValue should change from 385 to "),
        "{text}"
    );
    assert_eq!(
        (&document["least_change"], &document["recommendation"]),
        (&4.into(), &"change".into())
    );
    let size =
        (document["old_pawn"].as_i64().unwrap() - document["new_pawn"].as_i64().unwrap()).abs();
    let (text, document) = update(&format!("--least-change {}", size + 1));
    let why = format!(
        "more than chance explains, but less than the least change that matters ({}).",
        size + 1
    );
    assert!(
        text.contains("need not change from 385: these games give ") && text.contains(&why),
        "{text}"
    );
    assert_eq!(document["recommendation"], "too-small");
    assert_eq!(
        season.json("week/fit.json")["provenance"]["recipe"]["least_change"],
        size + 1
    );
    let (_, document) = update(&format!("--least-change {size}"));
    assert_eq!(document["recommendation"], "change");
    // Errors fall with 1/√n, so an error of 2 needs (error/2)² times the 130 games.
    let error = document["change"]["error"].as_f64().unwrap();
    let (needed, of_fit) = (
        &document["needed_games"],
        season.json("week/fit.json")["needed_games"].clone(),
    );
    assert_eq!((needed, &needed["error"]), (&of_fit, &2.0.into()));
    assert_eq!(
        needed["games"].as_f64().unwrap(),
        (130.0 * error * error / 4.0).round()
    );
    let fitted = season.wdl("fit week/counts.wdl --from Stockfish/src/uci.cpp --folds 0 --json");
    let fitted: Value = serde_json::from_str(fitted.stdout()).unwrap();
    assert_eq!(
        (
            &fitted["needed_games"]["factor"],
            &fitted["needed_games"]["games"]
        ),
        (&needed["factor"], &Value::Null)
    );
    let without =
        season.wdl("fit week/counts.wdl --from Stockfish/src/uci.cpp --folds 0 --resamples 0");
    assert!(
        !without.stdout().contains("Games for"),
        "{}",
        without.stdout()
    );
}

#[test]
fn revisions_that_do_not_fit() {
    let season = Season::new();
    let clone = format!("file://{}", season.path().join("Stockfish").display());
    season.git(
        &["clone", "--quiet", "--depth", "2", &clone, "shallow"],
        ".",
    );
    season.git(&["init", "--quiet", "empty"], ".");
    let (first, broken) = (&season.revisions[1], &season.revisions[2]);
    for (args, words) in [
        (
            format!("--stockfish Stockfish --first {first}"),
            format!("revision {broken} prints evaluations differently from {first}"),
        ),
        (
            "--stockfish Stockfish --first HEAD --last HEAD~1".to_owned(),
            "is not an ancestor of the last".to_owned(),
        ),
        (
            "--stockfish Stockfish --first HEAD~4".to_owned(),
            "there is no line `double as[] = {…};`".to_owned(),
        ),
        (
            "--stockfish Stockfish --first HEAD~9".to_owned(),
            "git rev-parse, in Stockfish: fatal: ".to_owned(),
        ),
        (
            "--stockfish Stockfish --last=--help".to_owned(),
            "git rev-parse".to_owned(),
        ),
        (
            "--stockfish Stockfish --last HEAD~4".to_owned(),
            "is it a checkout of Stockfish?".to_owned(),
        ),
        (
            "--stockfish shallow".to_owned(),
            "git fetch --unshallow".to_owned(),
        ),
        (
            "--stockfish empty".to_owned(),
            "git rev-parse, in empty".to_owned(),
        ),
        ("--stockfish nothing".to_owned(), "nothing".to_owned()),
        (
            "--stockfish Stockfish --match-rev x".to_owned(),
            "give --first and --last".to_owned(),
        ),
        (
            "--stockfish Stockfish --match-book DFRC".to_owned(),
            "no games left: 3 files of other tests".to_owned(),
        ),
    ] {
        let ran = season.wdl(&format!("update --out x pgns {args}"));
        let is_refused = matches!(ran.code(), Some(2 | 3));
        assert!(
            is_refused && ran.stderr().contains(&words),
            "{args}: {:?} {}",
            ran.code(),
            ran.stderr()
        );
    }
    // A shallow clone suffices if --first names a revision in it.
    let ran = season.wdl("update --out x --stockfish shallow --first HEAD pgns -q");
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
}

#[test]
fn models_beside_each_other() {
    let season = Season::new();
    assert_eq!(
        season
            .wdl("run --out all pgns --allow-duplicates --from 18 -q")
            .code(),
        Some(0)
    );
    fs::copy(
        root().join("examples/selfplay.wdl"),
        season.path().join("selfplay.wdl"),
    )
    .unwrap();
    insta::assert_snapshot!("two_published", season.wdl("compare 17.1 18").snapshot());
    insta::assert_snapshot!("on_games", season.wdl("compare 18 selfplay.wdl").snapshot());
    let ran = season
        .wdl("compare all 17.1 Stockfish/src/uci.cpp --on selfplay.wdl --plot models.svg --json");
    let document: Value =
        serde_json::from_str(ran.stdout()).unwrap_or_else(|_| panic!("{}", ran.stderr()));
    // The folder of a run has errors, and the difference from a model without errors has the same
    // error.
    let errors = ["models", "differences"].map(|key| {
        document[key][0]["normalize_to_pawn_value"]["error"]
            .as_f64()
            .unwrap()
    });
    assert_eq!(errors[0], errors[1]);
    assert_eq!(document["models"].as_array().unwrap().len(), 3);
    let svg = fs::read_to_string(season.path().join("models.svg")).unwrap();
    assert!(
        svg.contains("Stockfish 17.1") && svg.contains("share won, drawn and lost at material 58")
    );
    assert!(svg.contains("prefers-color-scheme: dark"));
    // These counts have no groups of games, so there are log losses but no standard errors.
    assert_eq!(
        season
            .wdl("merge selfplay.wdl --format stockfish -o counts.json -q")
            .code(),
        Some(0)
    );
    let ran = season.wdl("compare 17.1 18 --on counts.json");
    assert!(
        ran.stdout().contains("Missing: no errors of log losses"),
        "{}",
        ran.stdout()
    );
    assert!(
        ran.stdout().contains("whose error is unknown"),
        "{}",
        ran.stdout()
    );
    for (args, code, words) in [
        (
            "compare 18 selfplay.wdl --normalize 100",
            2,
            "fit both with the same --from",
        ),
        (
            "compare 18 nothing.json",
            2,
            "is neither a known version of Stockfish",
        ),
        (
            "compare 18 pgns",
            2,
            "is neither a known version of Stockfish",
        ),
        (
            "compare 18 pgns/26-02-01/aaaaaaaaaaaaaaaaaaaaaaaa/aaaaaaaaaaaaaaaaaaaaaaaa.json",
            3,
            "is neither a curve file",
        ),
        (
            "compare 18 selfplay.wdl --shape spline",
            2,
            "unexpected argument '--shape'",
        ),
        (
            "compare 18 17 --on selfplay.wdl --move-min 119",
            3,
            "no positions within the limits",
        ),
        ("compare 18 17 --plot x.html", 2, "plots are .svg or .png"),
        ("compare 18", 2, "2 values required"),
    ] {
        let ran = season.wdl(args);
        assert!(
            ran.code() == Some(code) && ran.stderr().contains(words),
            "{args}: {:?} {}",
            ran.code(),
            ran.stderr()
        );
    }
}

/// Counts contain the groups for standard errors, so the counts of a run, and merged parts, give
/// the same errors.
#[test]
fn counts_give_the_errors_of_their_run() {
    let season = Season::new();
    let files = ["a", "b"].map(|letter| {
        let id = letter.repeat(24);
        format!("pgns/26-02-01/{id}/{id}-0.pgn")
    });
    // Make the games differ, because files with equal counts are refused as copies.
    let second = season.path().join(&files[1]);
    let text = fs::read_to_string(&second).unwrap();
    fs::write(&second, &text[..text.rfind("\n\n[Event").unwrap() + 2]).unwrap();
    assert_eq!(
        season
            .wdl(&format!(
                "run {} {} --out all --normalize 361",
                files[0], files[1]
            ))
            .code(),
        Some(0)
    );
    for (file, name) in files.iter().zip(["a.wdl", "b.wdl"]) {
        assert_eq!(
            season.wdl(&format!("count {file} -o {name}")).code(),
            Some(0)
        );
    }
    assert_eq!(season.wdl("merge b.wdl a.wdl -o both.wdl").code(), Some(0));
    let bytes = |name: &str| fs::read(season.path().join(name)).unwrap();
    assert!(bytes("both.wdl") == bytes("all/counts.wdl"));
    let fitted = season.wdl("fit both.wdl --normalize 361 --json");
    let fitted: Value = serde_json::from_str(fitted.stdout()).unwrap();
    let run = season.json("all/fit.json");
    for key in [
        "as",
        "errors",
        "held_out",
        "effective_positions",
        "convergence",
    ] {
        assert_eq!(fitted[key], run[key], "{key}");
        assert!(!run[key].is_null(), "{key}");
    }
    // WDL_model's JSON has no groups. The output says so, and has no errors.
    assert_eq!(
        season
            .wdl("merge both.wdl --format stockfish -o both.json -q")
            .code(),
        Some(0)
    );
    let bare = season.wdl("fit both.json --normalize 361");
    assert!(
        bare.stdout()
            .contains("Missing                no errors: the counts do not record"),
        "{}",
        bare.stdout()
    );
    // The groups were counted with other limits, so there are no errors. The output suggests `wdl
    // run`.
    let other = season.wdl("fit both.wdl --move-min 8");
    assert!(
        other
            .stdout()
            .contains("`wdl run` counts them with these limits"),
        "{}",
        other.stdout()
    );
    let other = season.wdl(&format!(
        "run {} --out other --move-min 8 --from 18 --by move",
        files[0]
    ));
    assert!(
        other.stdout().contains("100 resamples by game"),
        "{} {}",
        other.stdout(),
        other.stderr()
    );
    // A file that repeats one game has no variation between games, so its standard errors and
    // held-out test are degenerate. The output must contain neither NaN nor infinity.
    fs::write(
        season.path().join("one.pgn"),
        games().split("\n\n[Event").next().unwrap().repeat(40),
    )
    .unwrap();
    let one = season.wdl("run one.pgn --out one --win-min 1");
    assert!(
        !one.stdout().contains("NaN") && !one.stdout().contains("inf"),
        "{}",
        one.stdout()
    );
}

/// The checkout's configuration names programs in every way that git supports, and none of them may
/// run.
#[test]
#[cfg(unix)]
fn a_checkout_starts_no_program() {
    use std::os::unix::fs::PermissionsExt as _;

    let season = Season::new();
    let plain = season.wdl("update --stockfish Stockfish --resamples 0 --out plain pgns");
    assert_eq!(plain.code(), Some(0), "{}", plain.stderr());
    let marker = season.path().join("started");
    let program = season.path().join("program");
    let script = format!(
        "#!/bin/sh\necho \"$0 $*\" >> '{}'\ncat \"$@\" 2>/dev/null\nexit 1\n",
        marker.display()
    );
    let write = |path: &Path| {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &script).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    };
    write(&program);
    let repository = season.path().join("Stockfish/.git");
    for hook in [
        "post-index-change",
        "reference-transaction",
        "fsmonitor-watchman",
        "post-checkout",
        "pre-auto-gc",
    ] {
        write(&repository.join("hooks").join(hook));
    }
    let attributes = "* diff=planted filter=planted merge=planted\n*.cpp textconv=planted\n";
    fs::write(season.path().join("Stockfish/.gitattributes"), attributes).unwrap();
    fs::create_dir_all(repository.join("info")).unwrap();
    fs::write(repository.join("info/attributes"), attributes).unwrap();
    let name = program.display().to_string();
    let remote = format!("file://{}", season.path().join("Stockfish").display());
    let more = season.path().join("more.config");
    fs::write(
        &more,
        format!("[core]\n\tpager = {name}\n[alias]\n\tlog = !{name}\n"),
    )
    .unwrap();
    for (key, value) in [
        ("diff.planted.textconv", &*name),
        ("diff.planted.command", &name),
        ("diff.external", &name),
        ("filter.planted.smudge", &name),
        ("filter.planted.clean", &name),
        ("filter.planted.process", &name),
        ("core.fsmonitor", &name),
        ("core.sshCommand", &name),
        ("core.gitProxy", &name),
        ("core.pager", &name),
        ("core.editor", &name),
        ("core.askPass", &name),
        ("core.hooksPath", repository.join("hooks").to_str().unwrap()),
        ("core.alternateRefsCommand", &name),
        ("credential.helper", &name),
        ("gpg.program", &name),
        ("log.showSignature", "true"),
        ("alias.rev-list", &format!("!{name}")),
        ("alias.planted", &format!("!{name}")),
        ("pager.log", &name),
        ("uploadpack.packObjectsHook", &name),
        ("include.path", more.to_str().unwrap()),
        ("protocol.allow", "always"),
        ("protocol.file.allow", "always"),
        ("protocol.ext.allow", "always"),
        ("remote.origin.url", &remote),
        ("remote.origin.uploadpack", &name),
        ("remote.origin.promisor", "true"),
        ("remote.origin.partialclonefilter", "blob:none"),
        ("extensions.partialClone", "origin"),
        ("core.repositoryformatversion", "1"),
    ] {
        season.git(&["config", key, value], "Stockfish");
    }
    let _ = fs::remove_file(&marker);
    let started = || fs::read_to_string(&marker).unwrap_or_default();
    let planted = season.wdl("update --stockfish Stockfish --resamples 0 --out planted pgns");
    assert_eq!(started(), "");
    assert_eq!(
        (planted.code(), planted.stdout()),
        (Some(0), &*plain.stdout().replace("plain", "planted")),
        "{}",
        planted.stderr()
    );
    // Objects missing in a partial clone are not fetched, neither by ssh nor by a remote helper
    // program.
    let blob = season.git(
        &["rev-parse", &format!("{}:src/uci.cpp", season.revisions[3])],
        "Stockfish",
    );
    let _ = fs::remove_file(&marker);
    fs::remove_file(repository.join("objects").join(&blob[..2]).join(&blob[2..])).unwrap();
    for url in [
        &*remote,
        "ssh://localhost/Stockfish",
        &format!("ext::{name} %S"),
    ] {
        // Edit the configuration directly, because the git command would start the programs.
        let config = repository.join("config");
        let text = fs::read_to_string(&config).unwrap();
        let lines = text.lines().map(|line| {
            if line.trim_start().starts_with("url =") {
                format!("\turl = {url}")
            } else {
                line.to_owned()
            }
        });
        fs::write(&config, lines.collect::<Vec<_>>().join("\n")).unwrap();
        let ran = season.wdl("update --stockfish Stockfish --out lacking pgns");
        assert_eq!(ran.code(), Some(3), "{url}: {}", ran.stderr());
        assert_eq!(started(), "", "{url}");
    }
}

/// A worktree and a bare repository are read like a normal checkout.
#[test]
fn worktrees_and_bare_repositories_are_read() {
    let season = Season::new();
    season.git(&["worktree", "add", "--quiet", "../tree"], "Stockfish");
    season.git(&["clone", "--quiet", "--bare", "Stockfish", "bare"], ".");
    season.git(&["pack-refs", "--all"], "Stockfish");
    let ran = |checkout: &str| {
        let ran = season.wdl(&format!(
            "update --stockfish {checkout} --resamples 0 --out week pgns"
        ));
        assert_eq!(ran.code(), Some(0), "{checkout}: {}", ran.stderr());
        ran.stdout().to_owned()
    };
    let whole = ran("Stockfish");
    assert_eq!(ran("Stockfish/src"), whole);
    assert_eq!((ran("tree"), ran("bare")), (whole.clone(), whole));
    let none = season.wdl("update --stockfish pgns --out week pgns");
    assert_eq!(none.code(), Some(3));
    assert!(
        none.stderr().contains("cannot read the repository of pgns"),
        "{}",
        none.stderr()
    );
}
