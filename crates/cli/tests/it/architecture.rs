//! The invariants of docs/architecture.md, as far as they can be tested.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// Crates from the top down: one uses what stands below it, never beside or above.
const ORDER: [&str; 18] = [
    "centipawn-tools",
    "centipawn",
    "centipawn-python",
    "centipawn-web",
    "centipawn-site",
    "centipawn-fleet",
    "centipawn-uci",
    "centipawn-printer",
    "centipawn-work",
    "centipawn-review",
    "centipawn-puzzle",
    "centipawn-calibrate",
    "centipawn-store",
    "centipawn-engine",
    "centipawn-policy",
    "centipawn-pgn",
    "centipawn-progress",
    "centipawn-core",
];

/// What may stand under `core`: rules of chess, serialisation, macros. No I/O, no processes, nothing async.
const UNDER_CORE: [&str; 18] = [
    "arrayvec",
    "bitflags",
    "btoi",
    "itoa",
    "libm",
    "nohash-hasher",
    "num-traits",
    "autocfg",
    "proc-macro2",
    "quote",
    "serde",
    "serde_core",
    "serde_derive",
    "shakmaty",
    "syn",
    "thiserror",
    "thiserror-impl",
    "unicode-ident",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// This platform's view: crates for others need not have been downloaded.
fn metadata() -> Value {
    let rustc = Command::new("rustc").arg("-vV").output().unwrap();
    let host = String::from_utf8(rustc.stdout).unwrap();
    let host = host.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--offline", "--locked", "--filter-platform", host])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Package name → names of what it needs to be built for use (not for its tests).
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = metadata();
    let name_of: BTreeMap<&str, &str> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| (package["id"].as_str().unwrap(), package["name"].as_str().unwrap()))
        .collect();
    let is_normal =
        |dependency: &Value| dependency["dep_kinds"].as_array().unwrap().iter().any(|kind| kind["kind"] != "dev");
    metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| {
            let needs = node["deps"].as_array().unwrap().iter().filter(|dependency| is_normal(dependency));
            let needs = needs.map(|dependency| name_of[dependency["pkg"].as_str().unwrap()].to_owned()).collect();
            (name_of[node["id"].as_str().unwrap()].to_owned(), needs)
        })
        .collect()
}

/// Names of the packages that are compiled for a package and its features alone.
fn compiled_for(package: &str, options: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"])
        .args(["--package", package])
        .args(options)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter_map(|line| Some(line.split_once(' ')?.0.to_owned())).collect()
}

#[test]
fn dependencies_point_down() {
    let dependencies = dependencies();
    for (rank, name) in ORDER.iter().enumerate() {
        for above in &ORDER[..=rank] {
            assert!(!dependencies[*name].contains(*above), "{name} must not use {above}");
        }
    }
    let ours = dependencies.keys().filter(|name| name.starts_with("centipawn"));
    const FOR_TESTS: [&str; 2] = ["centipawn-fake-engine", "centipawn-test-support"];
    let placed: BTreeSet<&str> = ORDER.into_iter().chain(FOR_TESTS).collect();
    for name in ours {
        assert!(placed.contains(name.as_str()), "{name} has no place in the order");
        for helper in FOR_TESTS {
            assert!(!dependencies[name].contains(helper), "{name}: {helper} is for tests");
        }
    }
}

#[test]
fn core_is_mathematics() {
    let mut compiled = compiled_for("centipawn-core", &[]);
    assert!(compiled.remove("centipawn-core") && compiled.contains("shakmaty"));
    for name in compiled {
        assert!(UNDER_CORE.contains(&name.as_str()), "core needs {name}: may it do I/O?");
    }
    forbid(
        "core",
        &["std::fs", "std::io", "std::net", "std::process", "std::env", "async fn", "println!", "eprintln!"],
    );
}

/// Pages without a server are built without one. What remains are tokio, by which the store asks its database, and ureq, a client.
#[test]
fn a_site_needs_no_server() {
    const SERVER: [&str; 6] = ["axum", "axum-core", "hyper", "hyper-util", "tower", "tower-service"];
    for (package, options) in [("centipawn-site", &[][..]), ("centipawn", &["--no-default-features"])] {
        let compiled = compiled_for(package, options);
        assert!(compiled.contains("centipawn-review"), "{compiled:?}");
        let server: Vec<_> = SERVER.into_iter().filter(|name| compiled.contains(*name)).collect();
        assert!(server.is_empty(), "{package}: {server:?}");
    }
    assert!(compiled_for("centipawn-web", &[]).contains("hyper"));
    let needs = &dependencies()["centipawn-site"];
    assert!(!needs.contains("tokio") && !needs.contains("ureq"), "{needs:?}");
    forbid("site", &["async ", "std::net"]);
}

#[test]
fn only_engine_starts_processes() {
    for name in [
        "core",
        "progress",
        "pgn",
        "policy",
        "calibrate",
        "store",
        "puzzle",
        "review",
        "printer",
        "fleet",
        "uci",
        "site",
        "web",
        "python",
        "cli",
    ] {
        forbid(name, &["process::Command", "Command::new"]);
    }
    // The history of a checkout of Stockfish is read by git, in one place.
    for (path, text) in sources("work") {
        let commands = text.matches("Command::new").count();
        if path.ends_with("stockfish.rs") {
            assert_eq!((commands, text.matches("Command::new(\"git\")").count()), (1, 1));
        } else {
            assert_eq!(commands, 0, "{}", path.display());
        }
    }
}

#[test]
fn only_store_and_fleet_know_sql() {
    let dependencies = dependencies();
    for (name, needs) in &dependencies {
        let is_ours = name.starts_with("centipawn");
        let may = ["centipawn-store", "centipawn-fleet"].contains(&name.as_str());
        assert!(!is_ours || may == needs.contains("sqlx"), "{name}: sqlx");
    }
    for name in
        ["core", "progress", "pgn", "engine", "puzzle", "review", "work", "printer", "site", "web", "python", "cli"]
    {
        forbid(name, &["SELECT ", "INSERT INTO"]);
        // Requests are asynchronous in `web`; the work they ask for is not.
        if name != "web" {
            forbid(name, &["async fn"]);
        }
    }
}

/// Networks, ChessDB and games at addresses; whoever uses these crates decides.
#[test]
fn requests_are_a_choice() {
    for folder in fs::read_dir(root().join("crates")).unwrap().flatten() {
        let manifest = fs::read_to_string(folder.path().join("Cargo.toml")).unwrap();
        let may = ["engine", "pgn", "policy"].iter().any(|name| folder.file_name() == *name);
        let line = manifest.lines().find(|line| line.starts_with("ureq "));
        let wanted = may.then_some("ureq = { workspace = true, optional = true }");
        assert_eq!(line, wanted, "{}", folder.path().display());
    }
}

/// Arguments → options → work → show: what loops over games, makes documents or outlives a call stands in a library.
#[test]
fn the_command_line_is_glue() {
    forbid("cli", &["json!", "Games::new", "read_ahead", "run_jobs", "in_order(", ".mainline()"]);
    forbid_items("cli", &["static ", "pub static ", "pub(crate) static ", "thread_local!"]);
    for (path, text) in sources("cli") {
        // Its lines of JSON are about the run, not about chess.
        let may_serialise = path.ends_with("terminal.rs");
        assert!(may_serialise || !text.contains("derive(Serialize"), "{}: a document", path.display());
    }
}

/// Calls that belong below `cli`, `web` and `python`: fitting, reading a collection, judging a game, making a document's provenance,
/// looping over games or puzzles.
const CALLS_BELOW: [&str; 8] = [
    "Fit::new",
    "FitReport::new",
    "Collection::",
    "judge_game",
    "Provenance::new",
    "Provenance::of",
    "Games::new",
    "Reader::new",
];

/// The command line, the page and Python turn arguments into options, call `work` and show the document.
#[test]
fn glue_calls_what_work_offers() {
    let crates = root().join("crates");
    let mut found = BTreeSet::new();
    for (path, text) in ["cli", "web", "python"].into_iter().flat_map(sources) {
        let file = path.strip_prefix(&crates).unwrap().to_string_lossy().replace('\\', "/");
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for call in code.flat_map(|line| CALLS_BELOW.into_iter().filter(|call| line.contains(call))) {
            found.insert((file.clone(), call));
        }
    }
    assert!(found.is_empty(), "these calls belong in a library below: {found:?}");
}

#[test]
fn only_the_command_line_prints() {
    for name in [
        "core",
        "progress",
        "pgn",
        "policy",
        "engine",
        "calibrate",
        "store",
        "puzzle",
        "review",
        "work",
        "printer",
        "fleet",
        "uci",
        "site",
        "web",
        "python",
    ] {
        forbid(name, &["print!", "println!", "io::stderr()"]);
        // A result may go to standard output, by its name "-".
        if name != "progress" {
            forbid(name, &["io::stdout()"]);
        }
    }
}

/// Documents become text in columns and colours in one crate, which the command line and Python call.
#[test]
fn only_the_printer_writes_for_terminals() {
    for (name, needs) in dependencies().iter().filter(|(name, _)| name.starts_with("centipawn")) {
        for library in ["anstyle", "unicode-width"] {
            assert_eq!(needs.contains(library), name == "centipawn-printer", "{name}: {library}");
        }
        let may = ["centipawn", "centipawn-python"].contains(&name.as_str());
        assert_eq!(needs.contains("centipawn-printer"), may, "{name}");
    }
    // A `text` of these is for no terminal, or for a file too.
    let others = [
        ("calibrate/src/wdl/fit_report.rs", "a part of plots.html and model.txt"),
        ("calibrate/src/wdl/model_update.rs", "a part of plots.html and model.txt"),
        ("fleet/src/metrics.rs", "OpenMetrics"),
        ("fleet/src/status.rs", "not moved yet"),
        ("pgn/src/view.rs", "bytes of the input"),
        ("review/src/options.rs", "a key in a store"),
    ];
    let libraries =
        ORDER.iter().skip_while(|name| **name != "centipawn-web").filter(|name| **name != "centipawn-printer");
    let mut found = BTreeSet::new();
    for (path, text) in libraries.flat_map(|name| sources(name.trim_start_matches("centipawn-"))) {
        if text.contains("pub fn text(&self") {
            let shown = path.strip_prefix(root().join("crates")).unwrap().to_string_lossy().replace('\\', "/");
            found.insert(shown);
        }
    }
    assert_eq!(found, others.map(|(file, _)| file.to_owned()).into());
}

/// Libraries name options as "option `games_in`", which each face calls by its own name: `--games-in`, `games_in`.
#[test]
fn libraries_name_no_flags() {
    // Flags of git and of an engine, and properties of CSS.
    let others = ["scan/stockfish.rs", "src/probe.rs", "plot/drawing.rs", "plot/html.rs", "review/src/report"];
    for name in [
        "core",
        "progress",
        "pgn",
        "policy",
        "engine",
        "calibrate",
        "store",
        "puzzle",
        "review",
        "work",
        "printer",
        "fleet",
        "site",
        "web",
    ] {
        for (path, text) in sources(name) {
            let shown = path.to_string_lossy().replace('\\', "/");
            if others.iter().any(|other| shown.contains(other)) {
                continue;
            }
            for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
                // A command that is named whole has its flags.
                let words = line.split("`centipawn ").enumerate();
                let rest = words
                    .map(|(at, part)| if at == 0 { part } else { part.split_once('`').map_or("", |(_, rest)| rest) });
                let has_flag = rest.into_iter().any(|part| {
                    part.match_indices("--")
                        .any(|(at, _)| part[at + 2..].starts_with(|next: char| next.is_ascii_lowercase()))
                });
                assert!(!has_flag, "{shown}:{}: {line}", number + 1);
            }
        }
    }
}

#[test]
fn every_crate_takes_the_lints() {
    for folder in fs::read_dir(root().join("crates")).unwrap().flatten() {
        let manifest = fs::read_to_string(folder.path().join("Cargo.toml")).unwrap();
        if folder.file_name() == "policy" {
            // Its kernels need unsafe code, in one module; see below.
            assert!(manifest.contains("unsafe_code = \"deny\""));
            continue;
        }
        assert!(manifest.contains("[lints]\nworkspace = true"), "{}", folder.path().display());
    }
}

#[test]
fn unsafe_code_stands_in_one_module() {
    for entry in fs::read_dir(root().join("crates/policy/src")).unwrap().flatten() {
        let text = fs::read_to_string(entry.path()).unwrap();
        let count = |word: &str| text.matches(word).count();
        if entry.file_name() == "simd.rs" {
            assert_eq!(count("allow(unsafe_code)"), 1);
            assert_eq!(count("unsafe {"), count("// SAFETY: "), "each unsafe block says why it is safe");
        } else {
            assert_eq!(count("unsafe"), 0, "{}", entry.path().display());
        }
    }
}

#[test]
fn the_map_names_every_crate() {
    let map = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    for folder in fs::read_dir(root().join("crates")).unwrap().flatten() {
        let name = folder.file_name().to_string_lossy().into_owned();
        assert!(map.contains(&format!("`{name}`")), "docs/architecture.md does not name {name}");
    }
}

/// Programs, packages, actions and images come with a version and a hash; lock files pin the rest.
#[test]
fn installs_are_pinned() {
    let mut files = ["Makefile", "deploy/Dockerfile", "deploy/compose.yaml"].map(|name| root().join(name)).to_vec();
    for folder in [".ci", ".github/workflows", "scripts"] {
        files.extend(fs::read_dir(root().join(folder)).unwrap().flatten().map(|entry| entry.path()));
    }
    for path in files.iter().filter(|path| path.is_file()) {
        for line in fs::read_to_string(path).unwrap().lines() {
            let has = |text: &str| line.contains(text);
            let hash = |before: &str, digits: usize| {
                let rest = line.split_once(before).map(|(_, rest)| rest);
                rest.is_some_and(|rest| rest.bytes().take_while(u8::is_ascii_hexdigit).count() == digits)
            };
            let is_pinned = if has("cargo install") {
                has("--locked --version")
            } else if has("pip install") {
                // uv itself is fixed by version; uv.lock has a hash for every package that uv installs.
                has("uv==") || has("--no-index")
            } else if has("uv sync") || has("uv run") {
                has("--locked") || has("--no-sync")
            } else if has("npm install") || has("npx ") {
                false
            } else if has(" uses: ") {
                hash("@", 40)
            } else if line.starts_with("FROM ") || has("  image: ") {
                hash("@sha256:", 64) || has("image: centipawn")
            } else {
                true
            };
            assert!(is_pinned, "{}: {line}", path.display());
        }
    }
    let lock = fs::read_to_string(root().join("crates/python/uv.lock")).unwrap();
    for line in lock.lines().filter(|line| line.contains("://")) {
        let is_index = line.contains("registry = \"https://pypi.org/simple\"");
        let is_file = line.contains("url = \"https://files.pythonhosted.org/") && line.contains("hash = \"sha256:");
        assert!(is_index || is_file, "uv.lock: {line}");
    }
}

/// No line of a crate's sources begins with one of these, tests aside.
fn forbid_items(name: &str, beginnings: &[&str]) {
    for (path, text) in sources(name) {
        for line in text.lines().map(str::trim_start) {
            let found = beginnings.iter().find(|beginning| line.starts_with(**beginning));
            assert!(found.is_none(), "{}: {line}", path.display());
        }
    }
}

/// A crate's source files without their tests.
fn sources(name: &str) -> Vec<(PathBuf, String)> {
    let (mut found, mut folders) = (Vec::new(), vec![root().join("crates").join(name).join("src")]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                // `#[cfg(test)]` before an item, `#![cfg(test)]` at the beginning of a file.
                let code = text.split("[cfg(test)]").next().unwrap_or_default().to_owned();
                found.push((path, code));
            }
        }
    }
    found
}

/// A crate's sources have none of these, tests and comments aside.
fn forbid(name: &str, words: &[&str]) {
    for (path, text) in sources(name) {
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            for word in words {
                assert!(!line.contains(word), "{}:{}: {word}", path.display(), number + 1);
            }
        }
    }
}
