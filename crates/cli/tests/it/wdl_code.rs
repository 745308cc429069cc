//! The code that `wdl run --code` writes: compiled, and compared with the library's own numbers.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::common::{centipawn, run};
use centipawn_calibrate::{CurveFile, wdl::EngineScale};
use centipawn_core::{Context, Curve};
use centipawn_test_support::skipped;

/// The compared arguments (material, or plies). The evaluations cover a fine grid in the middle and
/// both ends.
const ARGUMENTS: [u32; 12] = [0, 10, 17, 18, 33, 41, 58, 64, 77, 78, 79, 240];

fn values() -> impl Iterator<Item = i32> {
    (-700..=700).chain([-32_000, -3000, -1500, 1500, 3000, 32_000])
}

/// Returns the library's numbers: evaluation, argument, win, draw, loss, centipawns.
fn expected(curve: &Path, context: impl Fn(u32) -> Context) -> String {
    let file: CurveFile = serde_json::from_slice(&fs::read(curve).unwrap()).unwrap();
    let Curve::Wdl(model) = file.curve else {
        panic!("no win/draw/loss model")
    };
    let scale = EngineScale::new(model).unwrap();
    let mut lines = String::new();
    for argument in ARGUMENTS {
        for value in values() {
            let [win, draw, loss] = scale.per_mille(value, context(argument));
            let cp = scale.centipawns(value, context(argument));
            lines += &format!("{value} {argument} {win} {draw} {loss} {cp}\n");
        }
    }
    lines
}

/// Compiles and runs a program; `None` if its compiler is missing, which is an error if compilers
/// are required.
fn output(compiler: &str, args: &[&str], source: &Path) -> Option<String> {
    let program = source.with_extension("program");
    let built = Command::new(compiler)
        .args(args)
        .arg(source)
        .arg("-o")
        .arg(&program)
        .args(link(compiler))
        .output();
    let Ok(built) = built else {
        skipped(
            &format!("{compiler} is not installed"),
            "CENTIPAWN_REQUIRE_ENGINES",
        );
        return None;
    };
    assert!(
        built.status.success(),
        "{compiler}: {}",
        String::from_utf8_lossy(&built.stderr)
    );
    assert!(
        built.stderr.is_empty(),
        "{compiler} warns: {}",
        String::from_utf8_lossy(&built.stderr)
    );
    let ran = Command::new(program).output().unwrap();
    assert!(ran.status.success());
    Some(String::from_utf8(ran.stdout).unwrap())
}

fn link(compiler: &str) -> &'static [&'static str] {
    if compiler == "rustc" { &[] } else { &["-lm"] }
}

/// Programs that print the numbers of all arguments and evaluations.
fn programs(folder: &Path) -> [(&'static str, Vec<&'static str>, PathBuf); 3] {
    let list = |open: &str, close: &str| {
        let numbers: Vec<String> = ARGUMENTS.iter().map(u32::to_string).collect();
        format!("{open}{}{close}", numbers.join(", "))
    };
    let loops = |print: &str| {
        format!(
            "static void line(int v, int m) {{ {print} }}\n\
             int main(void) {{\n    const int all[] = {};\n    const int far[] = {{-32000, -3000, -1500, 1500, 3000, 32000}};\n    \
             for (int i = 0; i < {}; i++) {{\n        for (int v = -700; v <= 700; v++) line(v, all[i]);\n        \
             for (int k = 0; k < 6; k++) line(far[k], all[i]);\n    }}\n    return 0;\n}}\n",
            list("{", "}"),
            ARGUMENTS.len()
        )
    };
    let cpp = "const auto wdl = wdl::per_mille(v, m); std::printf(\"%d %d %d %d %d %d\\n\", v, m, wdl[0], wdl[1], wdl[2], wdl::centipawns(v, m));";
    let c = "int wdl[3]; wdl_per_mille(v, m, wdl); printf(\"%d %d %d %d %d %d\\n\", v, m, wdl[0], wdl[1], wdl[2], wdl_centipawns(v, m));";
    let rust = format!(
        "#[path = \"wdl.rs\"]\nmod wdl;\n\nfn main() {{\n    for m in {} {{\n        for v in (-700..=700).chain([-32000, -3000, -1500, 1500, \
         3000, 32000]) {{\n            let [win, draw, loss] = wdl::per_mille(v, m);\n            println!(\"{{v}} {{m}} {{win}} {{draw}} {{loss}} \
         {{}}\", wdl::centipawns(v, m));\n        }}\n    }}\n}}\n",
        list("[", "]")
    );
    let write = |name: &str, text: String| {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path
    };
    let strict = ["-Wall", "-Wextra", "-Werror", "-O2", "-ffp-contract=off"];
    [
        (
            "g++",
            [&["-std=c++17"][..], &strict].concat(),
            write(
                "main.cpp",
                format!("#include \"wdl.hpp\"\n#include <cstdio>\n\n{}", loops(cpp)),
            ),
        ),
        (
            "gcc",
            [&["-std=c99"][..], &strict].concat(),
            write(
                "main.c",
                format!("#include \"wdl.h\"\n#include <stdio.h>\n\n{}", loops(c)),
            ),
        ),
        (
            "rustc",
            vec!["--edition", "2021", "-O", "-D", "warnings"],
            write("main.rs", rust),
        ),
    ]
}

#[test]
fn compiled_code_has_the_library_s_numbers() {
    for (by, extra) in [
        ("material", &[][..]),
        ("move", &["--move-min", "6", "--move-max", "53"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let mut command = centipawn([
            "wdl",
            "run",
            "examples/selfplay.pgn.gz",
            "--engine-name",
            "Stockfish 15.1",
            "--by",
            by,
        ]);
        command
            .args(["--resamples", "10", "--folds", "0"])
            .args(extra)
            .arg("--out")
            .arg(at("model"));
        for name in ["wdl.hpp", "wdl.h", "wdl.rs"] {
            command.arg("--code").arg(at(name));
        }
        let ran = run(command);
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        let context = |argument| match by {
            "material" => Context {
                material: argument,
                ..Context::default()
            },
            _ => Context {
                ply: argument,
                ..Context::default()
            },
        };
        let expected = expected(&at("model").join("curve.json"), context);
        assert_eq!(expected.lines().count(), 12 * 1407);
        for (compiler, args, source) in programs(folder.path()) {
            let Some(own) = output(compiler, &args, &source) else {
                continue;
            };
            let differ = own
                .lines()
                .zip(expected.lines())
                .find(|(own, expected)| own != expected);
            assert!(own == expected, "{compiler}, by {by}: {differ:?}");
        }
    }
}

#[test]
fn only_the_named_engine_counts() {
    let folder = tempfile::tempdir().unwrap();
    let positions = |args: &[&str]| {
        let mut command = centipawn([
            "wdl",
            "run",
            "examples/selfplay.pgn.gz",
            "--resamples",
            "0",
            "--folds",
            "0",
        ]);
        command.args(args).arg("--out").arg(folder.path());
        let ran = run(command);
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        ran.stdout()
            .lines()
            .find(|line| line.starts_with("Positions"))
            .unwrap()
            .to_owned()
    };
    let own = positions(&["--engine-name", "Stockfish 15.1"]);
    assert_eq!(own, positions(&["--match-engine", r"Stockfish 15\.1"]));
    assert_ne!(own, positions(&["--engine-name", "Stockfish 15.1 weak"]));
    assert_ne!(own, positions(&[]));
}

#[test]
fn the_code_as_a_person_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["wdl.hpp", "wdl.h", "wdl.rs"] {
        let path = folder.path().join(name);
        let mut command = centipawn([
            "wdl",
            "fit",
            "examples/selfplay.wdl",
            "--normalize",
            "361",
            "--engine-name",
            "My Engine 2",
            "--quiet",
        ]);
        let ran = run({
            command.arg("--code").arg(&path);
            command
        });
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
        insta::assert_snapshot!(name, fs::read_to_string(path).unwrap());
    }
}

#[test]
fn errors_are_reported() {
    let wrong = [
        (
            &["wdl", "fit", "examples/selfplay.wdl", "--code", "wdl.py"][..],
            "code is .hpp, .cpp or .cc (C++), .h or .c (C), or .rs (Rust)",
        ),
        (
            &[
                "wdl",
                "fit",
                "examples/selfplay.wdl",
                "--shape",
                "spline",
                "--code",
                "wdl.rs",
            ],
            "leave out --shape",
        ),
        (
            &[
                "wdl",
                "fit",
                "examples/selfplay.wdl",
                "--each",
                "--code",
                "wdl.rs",
            ],
            "leave out --each",
        ),
        (
            &[
                "wdl",
                "run",
                "examples/selfplay.pgn.gz",
                "--engine-name",
                "A",
                "--match-engine",
                "B",
                "--out",
                "model",
            ],
            "--engine-name and --match-engine",
        ),
    ];
    for (args, words) in wrong {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(
            crate::common::root()
                .join("examples")
                .canonicalize()
                .unwrap(),
            folder.path().join("examples"),
        )
        .unwrap();
        let mut command = centipawn([]);
        command.args(args).current_dir(folder.path());
        let ran = run(command);
        assert_eq!(ran.code(), Some(2), "{args:?}: {}", ran.stderr());
        assert!(ran.stderr().contains(words), "{args:?}: {}", ran.stderr());
        assert!(!folder.path().join("wdl.rs").exists());
    }
}
