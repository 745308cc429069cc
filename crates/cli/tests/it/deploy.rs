//! Tests the files in `deploy/` and the page about fleets: their commands exist, their scripts run,
//! and their metrics are those of the program.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::common::{centipawn, root, run, run_with};
use centipawn_fleet::{FleetStatus, Metrics};
use centipawn_test_support::skipped;

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(files(&path));
        } else {
            all.push(path);
        }
    }
    all
}

fn deploy(name: &str) -> String {
    fs::read_to_string(root().join("deploy").join(name)).unwrap()
}

/// Replaces each text between `open` and `close` by 1.
fn without(text: &str, open: &str, close: &str) -> String {
    let mut parts = text.split(open);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |done, part| {
        done + "1" + part.split_once(close).map_or("", |(_, rest)| rest)
    })
}

/// Returns the words of a command up to its end; shell variables are replaced by 1.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    let mut rest = line.chars().peekable();
    while let Some(next) = rest.next() {
        match (next, quote) {
            ('"' | '\'', None) => quote = Some(next),
            (end, Some(begun)) if end == begun => quote = None,
            ('$', _) => {
                while rest
                    .next_if(|next| next.is_alphanumeric() || *next == '_')
                    .is_some()
                {}
                word.push('1');
            }
            ('|' | '>' | ';' | '&' | '`' | ')', None) => break,
            ('#', None) if word.is_empty() => break,
            (' ', None) => words.push(std::mem::take(&mut word)),
            _ => word.push(next),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the arguments of each command `centipawn …` in a text, and of each list `command: […]`
/// or `args: […]`.
fn commands(text: &str) -> Vec<Vec<String>> {
    let text = text.replace("\\\n", " ");
    let text = [("{{", "}}"), ("${", "}"), ("$((", "))"), ("$(", ")")]
        .into_iter()
        .fold(text, |text, (open, close)| without(&text, open, close));
    let mut all = Vec::new();
    for line in text.lines() {
        let list = line
            .trim()
            .strip_prefix("command: [")
            .or_else(|| line.trim().strip_prefix("args: ["));
        if let Some(list) = list.and_then(|list| list.strip_suffix(']')) {
            let words: Vec<_> = list
                .split(',')
                .map(|word| word.trim().trim_matches('"').to_owned())
                .collect();
            if words[0] != "sh" {
                all.push(words);
            }
        }
        for (at, name) in line.match_indices("centipawn ") {
            let (before, after) = (&line[..at], &line[at + name.len()..]);
            if (before.is_empty() || before.ends_with([' ', '/', '`', '(']))
                && after.starts_with(char::is_lowercase)
            {
                all.push(words(after));
            }
        }
    }
    all
}

#[test]
fn commands_in_deploy_files_parse() {
    let page = fs::read_to_string(root().join("docs/scale.md")).unwrap();
    let (_, page) = page.split_once("\n## A fleet\n").unwrap();
    let page = page
        .replace("`fleet ", "`centipawn fleet ")
        .replace(" RUN", " 1");
    let mut texts = vec![("docs/scale.md".to_owned(), page)];
    for file in files(&root().join("deploy")) {
        texts.push((
            file.display().to_string(),
            fs::read_to_string(&file).unwrap(),
        ));
    }
    let mut count = 0;
    for (place, text) in texts {
        for arguments in commands(&text) {
            let mut command = centipawn([]);
            // `--help` prevents the command from running, but clap still parses the arguments
            // before it.
            let ran = run_with(command.args(&arguments).arg("--help"));
            assert_eq!(
                ran.code(),
                Some(0),
                "{place}: {arguments:?}\n{}",
                ran.stderr()
            );
            count += 1;
        }
    }
    assert!(count >= 20, "{count}");
}

#[test]
fn a_wrong_command_would_be_noticed() {
    let found = commands(
        "x: `centipawn worker --bogus 1`\n  args: [fleet, \"statu\"]\n# centipawn wdl count \"$A\" --shard \"$((I + 1))/$N\" | x",
    );
    assert_eq!(
        found,
        [
            vec!["worker", "--bogus", "1"],
            vec!["fleet", "statu"],
            vec!["wdl", "count", "1", "--shard", "1/1"]
        ]
    );
    for arguments in &found[..2] {
        let mut command = centipawn([]);
        assert_eq!(
            run_with(command.args(arguments).arg("--help")).code(),
            Some(2),
            "{arguments:?}"
        );
    }
}

/// Returns a folder with games and a subfolder for parts, and the counts of all games in one run.
fn games() -> (tempfile::TempDir, Vec<u8>) {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("games")).unwrap();
    fs::copy(
        root().join("examples/selfplay.pgn.gz"),
        folder.path().join("games/1.pgn.gz"),
    )
    .unwrap();
    fs::write(
        folder.path().join("games/2.pgn"),
        "[Event \"?\"]\n\n1. e4 1-0\n\n[Event \"?\"]\n\n1. Ke3 1-0\n",
    )
    .unwrap();
    let mut whole = centipawn(["wdl", "count", "games", "-o", "whole.wdl"]);
    let whole = run_with(whole.current_dir(&folder));
    // The exit status is 1, because one of the games cannot be read.
    assert_eq!(whole.code(), Some(1), "{}", whole.stderr());
    let counts = fs::read(folder.path().join("whole.wdl")).unwrap();
    (folder, counts)
}

/// Runs a script in a folder, with the program on its path.
fn script(shell: &str, arguments: &[&str], folder: &Path, environment: &[(&str, &str)]) {
    let program = Path::new(env!("CARGO_BIN_EXE_centipawn")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(shell);
    command
        .args(arguments)
        .current_dir(folder)
        .env("PATH", path)
        .envs(environment.iter().copied());
    let ran = run(command);
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
}

#[test]
fn parts_by_slurm_are_the_whole() {
    let (folder, whole) = games();
    let slurm = fs::canonicalize(root().join("deploy/slurm")).unwrap();
    let path = |name: &str| slurm.join(name).display().to_string();
    for part in ["1", "2", "3"] {
        let environment = [
            ("PARTS", "3"),
            ("GAMES", "games"),
            ("SLURM_ARRAY_TASK_ID", part),
        ];
        script(
            "bash",
            &[&path("parts.sbatch")],
            folder.path(),
            &environment,
        );
    }
    script("bash", &[&path("merge.sbatch")], folder.path(), &[]);
    assert!(fs::read(folder.path().join("counts.wdl")).unwrap() == whole);
    script("bash", &["-n", &path("workers.sbatch")], folder.path(), &[]);
    let parts = deploy("slurm/parts.sbatch");
    assert!(parts.contains("#SBATCH --array=1-64\n") && parts.contains("${PARTS:-64}"));
}

#[test]
fn parts_by_kubernetes_are_the_whole() {
    let (folder, whole) = games();
    fs::create_dir(folder.path().join("parts")).unwrap();
    let job = deploy("kubernetes/parts.yaml");
    let (_, lines) = job.split_once("- |\n").unwrap();
    let lines: Vec<&str> = lines
        .lines()
        .map_while(|line| line.strip_prefix("              "))
        .collect();
    for index in ["0", "1", "2"] {
        script(
            "sh",
            &["-c", &lines.join("\n")],
            folder.path(),
            &[("PARTS", "3"), ("JOB_COMPLETION_INDEX", index)],
        );
    }
    script(
        "sh",
        &[
            "-c",
            "centipawn wdl count parts/*.part -o counts.wdl || [ $? -eq 1 ]",
        ],
        folder.path(),
        &[],
    );
    assert!(fs::read(folder.path().join("counts.wdl")).unwrap() == whole);
    assert!(job.contains("completions: 64\n") && job.contains("{name: PARTS, value: \"64\"}"));
}

#[test]
fn metrics_are_those_of_the_program() {
    let status: FleetStatus =
        serde_json::from_str(r#"{"format": "fleet-status", "runs": [], "workers": []}"#).unwrap();
    let text = Metrics::default().text() + &status.prometheus();
    let known: Vec<String> = text
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '))
        .map(|(name, kind)| match kind {
            "counter" => format!("{name}_total"),
            "histogram" => format!("{name}_bucket"),
            "info" => format!("{name}_info"),
            _ => name.to_owned(),
        })
        .collect();
    let is_known = |name: &str| known.iter().any(|known| known == name);
    for file in ["prometheus/alerts.yaml", "grafana/dashboard.json"] {
        let text = deploy(file);
        let mut names = text
            .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
            .peekable();
        assert!(
            names.clone().filter(|name| is_known(name)).count() > 5,
            "{file}"
        );
        let unknown = names.find(|name| name.starts_with("centipawn_") && !is_known(name));
        assert_eq!(unknown, None, "{file}");
    }
    let autoscaling = deploy("kubernetes/autoscaling.yaml");
    let (_, query) = autoscaling.split_once("query: sum(").unwrap();
    assert!(is_known(query.split_once(')').unwrap().0), "{query}");
}

/// Runs promtool with the test file of the alerts, which covers missing and old metrics.
#[test]
fn promtool_tests_of_the_alerts_pass() {
    let file = root().join("deploy/prometheus/alerts.test.yaml");
    let Ok(ran) = Command::new("promtool")
        .args(["test", "rules"])
        .arg(file)
        .output()
    else {
        return skipped("promtool is not installed", "CENTIPAWN_REQUIRE_DEPLOY");
    };
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stdout)
    );
}

/// The readiness probe depends on the database. The liveness probe does not, so that Kubernetes
/// kills no worker that holds answers the database has not stored yet.
#[test]
fn only_readiness_depends_on_the_database() {
    for (file, port) in [
        ("kubernetes/workers.yaml", "9100"),
        ("kubernetes/exporter.yaml", "9101"),
    ] {
        let text = deploy(file);
        let probe = |name: &str| {
            let (_, rest) = text.split_once(name).unwrap();
            rest.lines().nth(1).unwrap().trim().to_owned()
        };
        assert_eq!(
            probe("readinessProbe:"),
            "httpGet: {path: /healthz, port: metrics}",
            "{file}"
        );
        assert_eq!(
            probe("livenessProbe:"),
            "httpGet: {path: /livez, port: metrics}",
            "{file}"
        );
        assert!(
            deploy("kubernetes/network.yaml").contains(&format!("port: {port}}}")),
            "{file}"
        );
        assert!(text.contains(&format!("containerPort: {port}}}")), "{file}");
    }
}

#[test]
fn the_debian_package_has_the_unit() {
    let manifest = fs::read_to_string(root().join("crates/cli/Cargo.toml")).unwrap();
    assert!(manifest.contains(
        r#"["../../deploy/systemd/centipawn-worker.service", "usr/lib/systemd/system/", "644"]"#
    ));
}

#[test]
fn json_and_yaml_files_parse() {
    let _: serde_json::Value = serde_json::from_str(&deploy("grafana/dashboard.json")).unwrap();
    let has_yaml = Command::new("python3")
        .args(["-c", "import yaml"])
        .output()
        .is_ok_and(|ran| ran.status.success());
    for file in files(&root().join("deploy"))
        .iter()
        .filter(|file| file.extension().is_some_and(|end| end == "yaml"))
    {
        assert!(
            !fs::read_to_string(file).unwrap().contains('\t'),
            "{}",
            file.display()
        );
        if has_yaml {
            let program =
                "import sys, yaml; list(yaml.safe_load_all(open(sys.argv[1], encoding='utf-8')))";
            let mut command = Command::new("python3");
            let ran = run_with(command.args(["-c", program]).arg(file));
            assert_eq!(ran.code(), Some(0), "{}: {}", file.display(), ran.stderr());
        }
    }
}

/// Returns the first block of docs/serving.md in a language.
fn block(language: &str) -> String {
    let page = fs::read_to_string(root().join("docs/serving.md")).unwrap();
    let (_, block) = page.split_once(&format!("\n```{language}\n")).unwrap();
    block.split_once("\n```\n").unwrap().0.to_owned() + "\n"
}

/// systemd gives a state folder to the user of one unit, and each unit with `DynamicUser` has a
/// different user. So units need separate folders.
#[test]
fn units_have_separate_folders() {
    let units = [deploy("systemd/centipawn-worker.service"), block("ini")];
    let folders = units.each_ref().map(|unit| {
        assert!(unit.contains("\nDynamicUser=yes\n"), "{unit}");
        let (_, folder) = unit.split_once("\nStateDirectory=").unwrap();
        let folder = folder.lines().next().unwrap();
        assert!(
            unit.contains(&format!("%S/{folder}/")),
            "its store is in its folder: {unit}"
        );
        folder
    });
    assert_ne!(folders[0], folders[1]);
}

/// A request may take longer than nginx's default timeout of one minute.
#[test]
fn nginx_accepts_the_proxy_settings() {
    let location = block("nginx");
    for line in [
        "proxy_read_timeout 1h;",
        "proxy_send_timeout 1h;",
        "proxy_buffering off;",
    ] {
        assert!(location.contains(line), "{line}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nginx.conf");
    fs::write(
        &path,
        format!("pid nginx.pid;\nevents {{}}\nhttp {{\nserver {{\nlisten 127.0.0.1:1;\n{location}}}\n}}\n"),
    )
    .unwrap();
    let Ok(output) = Command::new("nginx")
        .arg("-t")
        .arg("-p")
        .arg(folder.path())
        .arg("-c")
        .arg(&path)
        .output()
    else {
        return skipped("nginx is not installed", "CENTIPAWN_REQUIRE_DEPLOY");
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("syntax is ok"), "{said}");
}

/// A worker finishes its work for up to 30 s after a stop and needs at most 15 s more to return its
/// tasks.
#[test]
fn stop_timeouts_exceed_the_grace_of_workers() {
    for (file, line) in [
        ("compose.yaml", "stop_grace_period: 45s"),
        (
            "kubernetes/workers.yaml",
            "terminationGracePeriodSeconds: 45",
        ),
        ("systemd/centipawn-worker.service", "TimeoutStopSec=45"),
        ("slurm/workers.sbatch", "#SBATCH --signal=B:TERM@60"),
    ] {
        assert!(
            deploy(file).lines().any(|found| found.trim() == line),
            "{file}: {line}"
        );
    }
}

#[test]
fn versions_are_those_of_the_workspace() {
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let (_, rust) = workspace.split_once("rust-version = \"").unwrap();
    let rust = rust.split_once('"').unwrap().0;
    assert!(deploy("Dockerfile").contains(&format!("FROM rust:{rust}.0-bookworm@sha256:")));
    for file in [
        "kubernetes/workers.yaml",
        "kubernetes/exporter.yaml",
        "kubernetes/parts.yaml",
    ] {
        assert!(
            deploy(file).contains(concat!("/centipawn:", env!("CARGO_PKG_VERSION"), "\n")),
            "{file}"
        );
    }
}

#[test]
fn systemd_accepts_the_unit() {
    let unit = deploy("systemd/centipawn-worker.service")
        .replace("/usr/bin/centipawn", env!("CARGO_BIN_EXE_centipawn"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("centipawn-worker.service");
    fs::write(&path, unit).unwrap();
    let Ok(output) = Command::new("systemd-analyze")
        .args(["verify", "--man=no"])
        .arg(&path)
        .output()
    else {
        return skipped(
            "systemd-analyze is not installed",
            "CENTIPAWN_REQUIRE_DEPLOY",
        );
    };
    let said = String::from_utf8_lossy(&output.stderr);
    let about_it: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("centipawn-worker"))
        .collect();
    assert!(about_it.is_empty(), "{said}");
}
