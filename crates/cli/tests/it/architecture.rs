//! Tests for the invariants of docs/architecture.md.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// The crates from the top down. A crate may depend only on crates further down this list.
const ORDER: [&str; 20] = [
    "centipawn-tools",
    "centipawn",
    "centipawn-python",
    "centipawn-web",
    "centipawn-tab",
    "centipawn-site",
    "centipawn-fleet",
    "centipawn-uci",
    "centipawn-printer",
    "centipawn-work",
    "centipawn-review",
    "centipawn-judge",
    "centipawn-puzzle",
    "centipawn-calibrate",
    "centipawn-store",
    "centipawn-engine",
    "centipawn-policy",
    "centipawn-pgn",
    "centipawn-progress",
    "centipawn-core",
];

/// The packages that `core` may depend on: rules of chess, serialisation with its schemas, and
/// macros. Packages for I/O, processes or async code are not allowed.
const UNDER_CORE: [&str; 26] = [
    "arrayvec",
    "autocfg",
    "bitflags",
    "btoi",
    "equivalent",
    "hashbrown",
    "indexmap",
    "itoa",
    "libm",
    "memchr",
    "nohash-hasher",
    "num-traits",
    "proc-macro2",
    "quote",
    "serde",
    "serde_core",
    "serde_derive",
    "serde_json",
    "shakmaty",
    "syn",
    "thiserror",
    "thiserror-impl",
    "unicode-ident",
    "utoipa",
    "utoipa-gen",
    "zmij",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the metadata of this platform only, because packages for other platforms may not be
/// downloaded.
fn metadata() -> Value {
    let rustc = Command::new("rustc").arg("-vV").output().unwrap();
    let host = String::from_utf8(rustc.stdout).unwrap();
    let host = host
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--offline",
            "--locked",
            "--filter-platform",
            host,
        ])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Maps each package to its normal and build dependencies, without those of its tests.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = metadata();
    let name_of: BTreeMap<&str, &str> = metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|package| {
            (
                package["id"].as_str().unwrap(),
                package["name"].as_str().unwrap(),
            )
        })
        .collect();
    let is_normal = |dependency: &Value| {
        dependency["dep_kinds"]
            .as_array()
            .unwrap()
            .iter()
            .any(|kind| kind["kind"] != "dev")
    };
    metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| {
            let needs = node["deps"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|dependency| is_normal(dependency));
            let needs = needs
                .map(|dependency| name_of[dependency["pkg"].as_str().unwrap()].to_owned())
                .collect();
            (name_of[node["id"].as_str().unwrap()].to_owned(), needs)
        })
        .collect()
}

/// Names of the packages that are compiled for one package with the given features.
fn compiled_for(package: &str, options: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args([
            "tree",
            "--offline",
            "--locked",
            "--edges",
            "normal,build",
            "--prefix",
            "none",
            "--format",
            "{p}",
        ])
        .args(["--package", package])
        .args(options)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .filter_map(|line| Some(line.split_once(' ')?.0.to_owned()))
        .collect()
}

#[test]
fn dependencies_point_down() {
    let dependencies = dependencies();
    for (rank, name) in ORDER.iter().enumerate() {
        for above in &ORDER[..=rank] {
            assert!(
                !dependencies[*name].contains(*above),
                "{name} must not use {above}"
            );
        }
    }
    let ours = dependencies
        .keys()
        .filter(|name| name.starts_with("centipawn"));
    const FOR_TESTS: [&str; 2] = ["centipawn-fake-engine", "centipawn-test-support"];
    let placed: BTreeSet<&str> = ORDER.into_iter().chain(FOR_TESTS).collect();
    for name in ours {
        assert!(
            placed.contains(name.as_str()),
            "{name} has no place in the order"
        );
        for helper in FOR_TESTS {
            assert!(
                !dependencies[name].contains(helper),
                "{name}: {helper} is for tests"
            );
        }
    }
}

#[test]
fn core_depends_on_no_io() {
    let mut compiled = compiled_for("centipawn-core", &[]);
    assert!(compiled.remove("centipawn-core") && compiled.contains("shakmaty"));
    for name in compiled {
        assert!(
            UNDER_CORE.contains(&name.as_str()),
            "core needs {name}: may it do I/O?"
        );
    }
    forbid(
        "core",
        &[
            "std::fs",
            "std::io",
            "std::net",
            "std::process",
            "std::env",
            "async fn",
            "println!",
            "eprintln!",
        ],
    );
}

/// The crate that writes static sites needs no web server. Of the async packages, only tokio (for
/// the store's database) and ureq (an HTTP client) remain.
#[test]
fn static_sites_compile_without_a_web_server() {
    const SERVER: [&str; 6] = [
        "axum",
        "axum-core",
        "hyper",
        "hyper-util",
        "tower",
        "tower-service",
    ];
    for (package, options) in [
        ("centipawn-site", &[][..]),
        ("centipawn", &["--no-default-features"]),
    ] {
        let compiled = compiled_for(package, options);
        assert!(compiled.contains("centipawn-review"), "{compiled:?}");
        let server: Vec<_> = SERVER
            .into_iter()
            .filter(|name| compiled.contains(*name))
            .collect();
        assert!(server.is_empty(), "{package}: {server:?}");
    }
    assert!(compiled_for("centipawn-web", &[]).contains("hyper"));
    let needs = &dependencies()["centipawn-site"];
    assert!(
        !needs.contains("tokio") && !needs.contains("ureq"),
        "{needs:?}"
    );
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
        "judge",
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
    // Only one module runs git, to read the history of a Stockfish checkout.
    for (path, text) in sources("work") {
        let commands = text.matches("Command::new").count();
        if path.ends_with("stockfish.rs") {
            assert_eq!(
                (commands, text.matches("Command::new(\"git\")").count()),
                (1, 1)
            );
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
    for name in [
        "core",
        "progress",
        "pgn",
        "policy",
        "engine",
        "calibrate",
        "puzzle",
        "judge",
        "review",
        "work",
        "printer",
        "uci",
        "site",
        "web",
        "python",
        "cli",
    ] {
        forbid(name, &["SELECT ", "INSERT INTO"]);
        // Only `web` handles requests asynchronously; the crates below it must be synchronous.
        if name != "web" {
            forbid(name, &["async fn"]);
        }
    }
}

/// Networks, ChessDB and games at web addresses need an HTTP client. Each is a feature that users
/// of the crate can disable.
#[test]
fn http_clients_are_optional_features() {
    let metadata = metadata();
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let dependencies = package["dependencies"].as_array().unwrap();
        let requests = dependencies
            .iter()
            .find(|dependency| dependency["name"] == "ureq");
        let may = ["centipawn-engine", "centipawn-pgn", "centipawn-policy"].contains(&name);
        if name.starts_with("centipawn") {
            assert_eq!(requests.is_some(), may, "{name}");
            assert!(
                requests.is_none_or(|requests| requests["optional"] == true),
                "{name}"
            );
        }
    }
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
        "judge",
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
        // `progress` writes results to standard output if their path is "-".
        if name != "progress" {
            forbid(name, &["io::stdout()"]);
        }
    }
}

/// Only one crate, `printer`, formats documents for terminals. The command line and Python call it.
#[test]
fn only_the_printer_writes_for_terminals() {
    for (name, needs) in dependencies()
        .iter()
        .filter(|(name, _)| name.starts_with("centipawn"))
    {
        for library in ["anstyle", "unicode-width"] {
            assert_eq!(
                needs.contains(library),
                name == "centipawn-printer",
                "{name}: {library}"
            );
        }
        let may = ["centipawn", "centipawn-python"].contains(&name.as_str());
        assert_eq!(needs.contains("centipawn-printer"), may, "{name}");
    }
}

/// Interfaces call the functions of the libraries that fit models and record what a result was
/// made from, so that all of them give the same documents.
#[test]
fn interfaces_only_call_libraries() {
    for name in ["cli", "web", "python"] {
        forbid(name, &["Provenance::of", "Fit::new"]);
    }
}

/// The crate `judge` contains no text for users and no documents; `review` makes them.
#[test]
fn judge_has_no_texts_and_no_documents() {
    let needs = &dependencies()["centipawn-judge"];
    for library in ["serde_json", "csv"] {
        assert!(!needs.contains(library), "{library}");
    }
    forbid("judge", &["Language", "serde_json"]);
}

/// Removes what follows a type: `MoveSymbol::Mistake` names a variant, not the type `Mistake`.
fn without_variants(code: &str) -> String {
    let mut parts = code.split("::");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let name = kept.rsplit(|char: char| !char.is_alphanumeric()).next();
        let is_of_type = name.is_some_and(|name| name.starts_with(char::is_uppercase));
        let end = part
            .find(|char: char| !char.is_alphanumeric())
            .unwrap_or(part.len());
        kept += "::";
        kept += if is_of_type { &part[end..] } else { part };
    }
    kept
}

/// Modules of `review` depend only on lower ones: the texts use neither players nor documents, and
/// players use no documents.
#[test]
fn folders_of_review_depend_downwards() {
    const FOLDERS: [&str; 3] = ["words", "player", "record"];
    let exports = |folder: &str| -> BTreeSet<String> {
        let text =
            fs::read_to_string(root().join(format!("crates/review/src/{folder}/mod.rs"))).unwrap();
        let names = text
            .split("pub use ")
            .skip(1)
            .filter_map(|item| item.split_once(';'));
        let names = names.filter_map(|(item, _)| item.split_once("::"));
        names.flat_map(|(_, names)| words(names)).collect()
    };
    let exported = FOLDERS.map(exports);
    for (path, text) in sources("review") {
        let own = FOLDERS
            .iter()
            .position(|folder| path.components().any(|part| part.as_os_str() == *folder));
        let Some(own) = own else { continue };
        for above in own + 1..FOLDERS.len() {
            let path_of_folder = format!("{}::", FOLDERS[above]);
            for line in text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
            {
                assert!(
                    !line.contains(&path_of_folder),
                    "{}: {line}",
                    path.display()
                );
                // Skip text in quotation marks, which is every second part.
                let parts = line.split('"').step_by(2).map(without_variants);
                for word in parts.flat_map(|part| words(&part)) {
                    assert!(
                        !exported[above].contains(&word),
                        "{}: {word} is above",
                        path.display()
                    );
                }
            }
        }
    }
}

/// Returns the identifiers in a text of code.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|char: char| !char.is_alphanumeric() && char != '_');
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn every_crate_inherits_the_lints() {
    for folder in fs::read_dir(root().join("crates")).unwrap().flatten() {
        let manifest = fs::read_to_string(folder.path().join("Cargo.toml")).unwrap();
        if folder.file_name() == "policy" || folder.file_name() == "tab" {
            // The kernels of `policy` need unsafe code, and the functions that `tab` exports an
            // unsafe attribute, each in one module that another test checks.
            assert!(manifest.contains("unsafe_code = \"deny\""));
            continue;
        }
        assert!(
            manifest.contains("[lints]\nworkspace = true"),
            "{}",
            folder.path().display()
        );
    }
}

#[test]
fn unsafe_code_is_in_one_module() {
    for entry in fs::read_dir(root().join("crates/policy/src"))
        .unwrap()
        .flatten()
    {
        let text = fs::read_to_string(entry.path()).unwrap();
        let count = |word: &str| text.matches(word).count();
        if entry.file_name() == "simd.rs" {
            assert_eq!(count("allow(unsafe_code)"), 1);
            assert_eq!(
                count("unsafe {"),
                count("// SAFETY: "),
                "each unsafe block says why it is safe"
            );
        } else {
            assert_eq!(count("unsafe"), 0, "{}", entry.path().display());
        }
    }
    // Exporting a function by its name is an unsafe attribute, though the function is safe.
    let exports = fs::read_to_string(root().join("crates/tab/src/exports.rs")).unwrap();
    assert_eq!(
        exports.matches("#[unsafe(no_mangle)]").count(),
        exports.matches("extern \"C\" fn").count()
    );
    assert!(!exports.contains("unsafe {"));
}

#[test]
fn the_map_names_every_crate() {
    let map = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    for folder in fs::read_dir(root().join("crates")).unwrap().flatten() {
        let name = folder.file_name().to_string_lossy().into_owned();
        assert!(
            map.contains(&format!("`{name}`")),
            "docs/architecture.md does not name {name}"
        );
    }
}

/// Files stand in the map under the root, under `crates/`, or in the row of their crate under its
/// folder. The last cell of a row names tests of this program as `file::test`.
#[test]
fn the_map_names_files_and_tests_that_exist() {
    let map = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let (mut files, mut tests) = (0, 0);
    for line in map.lines() {
        let crate_of_row = line
            .strip_prefix("| `")
            .and_then(|row| row.split_once('`'))
            .map(|(name, _)| root().join("crates").join(name));
        for span in line.split('`').skip(1).step_by(2) {
            let is_file = [".rs", ".ts", ".json", ".py", "/"]
                .iter()
                .any(|end| span.ends_with(end));
            if is_file && span.contains('/') {
                let folders = [root(), root().join("crates")].into_iter();
                let mut folders = folders.chain(
                    crate_of_row
                        .iter()
                        .flat_map(|own| [own.clone(), own.join("src")]),
                );
                assert!(folders.any(|own| own.join(span).exists()), "{span}");
                files += 1;
            }
        }
        // The last cell of a row of the invariants names their tests.
        let last = line
            .strip_suffix(" |")
            .and_then(|row| row.rsplit_once('|'))
            .map_or("", |(_, cell)| cell);
        for (file, test) in last.split('`').filter_map(|span| span.split_once("::")) {
            let path = root().join(format!("crates/cli/tests/it/{file}.rs"));
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains(&format!("fn {test}()")), "{file}::{test}");
            tests += 1;
        }
    }
    assert!(files > 40 && tests > 10, "{files} files, {tests} tests");
}

/// A tag of an action can be moved to other code, but a commit hash cannot.
#[test]
fn actions_are_pinned_by_hash() {
    for entry in fs::read_dir(root().join(".github/workflows"))
        .unwrap()
        .flatten()
    {
        for line in fs::read_to_string(entry.path()).unwrap().lines() {
            let Some((_, action)) = line.split_once("uses: ") else {
                continue;
            };
            let hash = action.split_once('@').map_or("", |(_, version)| version);
            let digits = hash.bytes().take_while(u8::is_ascii_hexdigit).count();
            assert!(
                action.starts_with("./") || digits == 40,
                "{}: {line}",
                entry.path().display()
            );
        }
    }
}

/// Returns a crate's source files without their test code.
fn sources(name: &str) -> Vec<(PathBuf, String)> {
    let (mut found, mut folders) = (
        Vec::new(),
        vec![root().join("crates").join(name).join("src")],
    );
    let mut tests = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder)
            .unwrap()
            .flatten()
            .map(|entry| entry.path())
        {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                if text.lines().any(|line| line == "#![cfg(test)]") {
                    continue;
                }
                let (code, modules) = without_tests(&text);
                tests.extend(
                    modules
                        .into_iter()
                        .flat_map(|module| files_of_module(&path, &module)),
                );
                found.push((path, code));
            }
        }
    }
    found.retain(|(path, _)| !path.ancestors().any(|part| tests.contains(part)));
    found
}

/// Returns a file's text without items for tests, and the names of its test modules that are in
/// other files.
///
/// Files are formatted, so an item ends at the first line that has the same indentation as its
/// attribute and ends with `}` or `;`.
fn without_tests(text: &str) -> (String, Vec<String>) {
    let (mut code, mut modules) = (String::new(), Vec::new());
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let attribute = line.trim_start();
        if !attribute.starts_with("#[cfg(test)]") && !attribute.starts_with("#[cfg(all(test,") {
            code.push_str(line);
            code.push('\n');
            continue;
        }
        let indent = line.len() - attribute.len();
        for line in lines.by_ref() {
            let item = line.trim_start();
            if let Some(module) = item
                .strip_prefix("mod ")
                .and_then(|rest| rest.strip_suffix(';'))
            {
                modules.push(module.to_owned());
            }
            if line.len() - item.len() == indent && item.ends_with(['}', ';']) {
                break;
            }
        }
    }
    (code, modules)
}

/// Returns the two places where a module declared in `file` may be: a file or a folder.
fn files_of_module(file: &Path, module: &str) -> [PathBuf; 2] {
    let is_root = ["lib", "main", "mod"]
        .iter()
        .any(|name| file.file_stem().unwrap() == *name);
    let folder = if is_root {
        file.parent().unwrap().to_owned()
    } else {
        file.with_extension("")
    };
    [
        folder.join(module),
        folder.join(module).with_extension("rs"),
    ]
}

#[test]
fn items_for_tests_are_left_out() {
    let text = "a\n#[cfg(test)]\nmod inner {\n    b {\n    }\n}\nc\n#[cfg(test)]\nmod outer;\nd\n    #[cfg(test)]\n    fn e() {}\nf\n";
    assert_eq!(
        without_tests(text),
        ("a\nc\nd\nf\n".to_owned(), vec!["outer".to_owned()])
    );
    let lib = files_of_module(Path::new("src/lib.rs"), "tests");
    assert_eq!(
        lib,
        [PathBuf::from("src/tests"), PathBuf::from("src/tests.rs")]
    );
    let inner = files_of_module(Path::new("src/themes.rs"), "tests");
    assert_eq!(
        inner,
        [
            PathBuf::from("src/themes/tests"),
            PathBuf::from("src/themes/tests.rs")
        ]
    );
}

/// Asserts that a crate's sources contain none of these words, except in tests and comments.
fn forbid(name: &str, words: &[&str]) {
    for (path, text) in sources(name) {
        for (number, line) in text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim_start().starts_with("//"))
        {
            for word in words {
                assert!(
                    !line.contains(word),
                    "{}:{}: {word}",
                    path.display(),
                    number + 1
                );
            }
        }
    }
}
