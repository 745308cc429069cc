//! `centipawn material`, as a user sees it.

use std::{fs, path::Path};

use crate::common::{Ran, centipawn, root, run};
use serde_json::Value;

/// A separate folder with the example in it.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::copy(
            root().join("examples/selfplay.pgn.gz"),
            folder.path().join("selfplay.pgn.gz"),
        )
        .unwrap();
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path().join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path().join(name)).unwrap()
    }

    fn material(&self, args: &[&str]) -> Ran {
        let mut command = centipawn(["material"]);
        command.current_dir(self.path()).args(args);
        run(command)
    }

    fn json(&self, args: &[&str]) -> Value {
        let ran = self.material(&[&["--json"], args].concat());
        let mut document: Value =
            serde_json::from_str(ran.stdout()).unwrap_or_else(|_| panic!("{}", ran.stderr()));
        // The provenance names the input files, so it may differ.
        let provenance = document
            .as_object_mut()
            .unwrap()
            .remove("provenance")
            .unwrap();
        assert!(
            provenance["inputs"][0]["sha256"].is_string() && provenance["seed"] == 0,
            "{provenance}"
        );
        document
    }
}

#[test]
fn values_of_the_example() {
    let folder = Folder::new();
    insta::assert_snapshot!(folder.material(&["selfplay.pgn.gz"]).snapshot());
    insta::assert_snapshot!(
        "values_with_terms_and_tests",
        folder
            .material(&[
                "selfplay.pgn.gz",
                "--terms",
                "bishop-pair,tempo,opposite-bishops",
                "--test",
                "B + 0.5 bishop-pair > N",
                // The first test repeats a rule that is also tested by default.
                "--test",
                "3P < N",
                "--resamples",
                "0",
                "--by",
                "phase"
            ])
            .snapshot()
    );
    insta::assert_snapshot!(
        "values_of_a_search",
        folder
            .material(&["selfplay.pgn.gz", "--target", "search"])
            .snapshot()
    );
}

/// Terms of the structure have prices, alone and together with bands, in parts too.
#[test]
fn the_structure_has_prices() {
    let folder = Folder::new();
    let terms = [
        "selfplay.pgn.gz",
        "--terms",
        "mobility,king-attackers,isolated-pawn",
        "--resamples",
        "0",
    ];
    let whole = folder.json(&terms);
    assert!(whole["logit_errors"]["mobility"].as_f64() > Some(0.0));
    assert!(whole["held_out"]["without_terms"]["gain"].is_number());
    // A part needs the same terms, which say that the structure is collected.
    for part in ["1/2", "2/2"] {
        let file = format!("{}.part", &part[..1]);
        let args = ["selfplay.pgn.gz", "--shard", part, "--partial", &file];
        let ran = folder.material(&[&args[..], &terms[1..3]].concat());
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    }
    let merged = folder.json(&[&["1.part", "2.part"], &terms[1..]].concat());
    assert_eq!(merged["logits"], whole["logits"]);
    // `structure` stands for all of them.
    let all = folder.material(&[
        "selfplay.pgn.gz",
        "--terms",
        "structure",
        "--resamples",
        "0",
    ]);
    for term in ["passed pawn 4", "king attackers", "space"] {
        assert!(
            all.stdout().contains(term),
            "{}{}",
            all.stdout(),
            all.stderr()
        );
    }
}

/// A table of own features joins the rows by game and ply.
#[test]
fn own_features_are_estimated() {
    let folder = Folder::new();
    let rows = ["selfplay.pgn.gz", "--rows", "rows.csv", "--resamples", "0"];
    assert_eq!(folder.material(&rows).code(), Some(0));
    let table = |feature: &dyn Fn(&[&str]) -> String| {
        let rows = folder.read("rows.csv");
        let mut lines = rows.lines();
        let header = format!("{},mine\n", lines.next().unwrap());
        let line = |line: &str| {
            let cells: Vec<&str> = line.split(',').collect();
            format!("{line},{}\n", feature(&cells))
        };
        header + &lines.map(line).collect::<String>()
    };
    folder.write(
        "mine.csv",
        &table(&|cells| {
            let ply: i32 = cells[1].parse().unwrap();
            format!("{}", f64::from(ply % 7) - 2.5)
        }),
    );
    let args = [
        "selfplay.pgn.gz",
        "--resamples",
        "0",
        "--features",
        "mine.csv",
    ];
    let document = folder.json(&args);
    assert!(document["logits"]["mine"].is_number(), "{document}");
    assert_eq!(document["warnings"], serde_json::json!([]));
    assert!(document["held_out"]["without_terms"]["gain"].is_number());
    // The file of rows itself can have the features.
    let of_rows = folder.json(&["rows.csv", "--resamples", "0", "--features", "mine.csv"]);
    let number = |document: &Value| document["logits"]["mine"].as_f64().unwrap();
    assert!((number(&of_rows) - number(&document)).abs() < 1e-9);
    // A feature that repeats the number of pawns shows that lines belong to their rows.
    folder.write("pawns.csv", &table(&|cells| cells[2].to_owned()));
    let args = [
        "selfplay.pgn.gz",
        "--resamples",
        "0",
        "--features",
        "pawns.csv",
    ];
    let ran = folder.material(&args);
    assert!(
        ran.stderr()
            .contains("mine cannot be distinguished from pawns"),
        "{}",
        ran.stderr()
    );
    // Rows without a line are left out and counted.
    let mine = folder.read("mine.csv");
    let fewer: Vec<&str> = mine.lines().take(mine.lines().count() - 3).collect();
    folder.write(
        "fewer.csv",
        &format!("{}\n9999,3,0,0,0,0,0,1,0\n", fewer.join("\n")),
    );
    let args = [
        "selfplay.pgn.gz",
        "--resamples",
        "0",
        "--features",
        "fewer.csv",
    ];
    let ran = folder.material(&args);
    let expected = "3 rows without a line in fewer.csv: left out; 1 line of it matches no row";
    assert!(ran.stdout().contains(expected), "{}", ran.stdout());
    for (table, message) in [
        ("game,ply\n1,2\n", "line 1 must name the columns"),
        ("game,ply,tempo\n1,2,0\n", "cannot name a feature"),
        (
            "game,ply,a\n1,2,x\n",
            "line 2 is not a game, a ply and a number",
        ),
        (
            "game,ply,a\n1,2,0\n1,2,1\n",
            "game 1 has ply 2 in an earlier line",
        ),
    ] {
        folder.write("bad.csv", table);
        let ran = folder.material(&["selfplay.pgn.gz", "--features", "bad.csv"]);
        assert!(ran.stderr().contains(message), "{}", ran.stderr());
        assert_eq!(ran.code(), Some(3));
    }
    let sharded = [
        "selfplay.pgn.gz",
        "--shard",
        "1/2",
        "--features",
        "mine.csv",
    ];
    assert!(
        folder
            .material(&sharded)
            .stderr()
            .contains("without parts and shards")
    );
}

#[test]
fn json_has_values_and_errors() {
    let folder = Folder::new();
    for method in ["score", "ordered", "davidson"] {
        let document = folder.json(&["selfplay.pgn.gz", "--method", method, "--resamples", "100"]);
        assert_eq!(document["method"], method);
        // Few games have a difference in queens, so the fit fails for some of the 100 resamples.
        assert!((80..=100).contains(&document["resamples"].as_u64().unwrap()));
        assert_eq!(document["values"]["pawn"], 100.0);
        for piece in ["knight", "bishop", "rook", "queen"] {
            let number = |key: &str| document[key][piece].as_f64().unwrap();
            let (value, error) = (number("values"), number("errors"));
            let interval: Vec<f64> = document["intervals"][piece]
                .as_array()
                .unwrap()
                .iter()
                .map(|end| end.as_f64().unwrap())
                .collect();
            assert!(
                interval[0] < value && value < interval[1] && error > number("errors_rows"),
                "{method} {piece}"
            );
            assert!(
                (100.0 * number("logits") / document["logits"]["pawn"].as_f64().unwrap() - value)
                    .abs()
                    < 1e-9
            );
        }
        assert_eq!(document["tests"].as_array().unwrap().len(), 5);
        assert!(
            document["games"].as_u64() <= Some(130)
                && document["groups"].as_u64() < document["rows"].as_u64()
        );
        assert!(document["balance"]["alpha"].as_f64().unwrap() > 0.3);
    }
}

#[test]
fn rows_can_be_written_and_read_back() {
    let folder = Folder::new();
    let ran = folder.material(&["selfplay.pgn.gz", "--rows", "-"]);
    assert_eq!((ran.code(), ran.stderr()), (Some(0), ""));
    assert!(
        ran.stdout()
            .starts_with(" 0  0  0  0  0  0\n 1  0  0  0  0  0\n")
    );
    let csv = folder.material(&["selfplay.pgn.gz", "--csv"]);
    assert!(
        csv.stdout()
            .starts_with("game,ply,pawn,knight,bishop,rook,queen,result\n1,2,0,0,0,0,0,0\n")
    );
    let whole = folder.json(&["selfplay.pgn.gz", "--rows", "all.tsv", "--csv=all.csv"]);
    assert_eq!(folder.read("all.csv"), csv.stdout());
    // Split the rows into two files that have separate game numbers.
    let text = folder.read("all.tsv");
    let half = text.match_indices("\n65\t").next().unwrap().0 + 1;
    folder.write("first.tsv", &text[..half]);
    folder.write("second.tsv", &text[half..]);
    for files in [
        &["all.tsv"][..],
        &["all.csv"],
        &["first.tsv", "second.tsv"],
        &["second.tsv", "first.tsv"],
    ] {
        assert_eq!(folder.json(files), whole, "{files:?}");
    }
    folder.write(
        "article.rows",
        folder
            .material(&["selfplay.pgn.gz", "--rows", "-"])
            .stdout(),
    );
    let refused = folder.material(&["article.rows"]);
    assert_eq!(refused.code(), Some(3));
    let why = "line 1 does not name its game: rows of one game share their result, so errors would be several times too small; \
               number the games, or set --clusters to row";
    assert!(refused.stderr().contains(why), "{}", refused.stderr());
    let article = folder.json(&["article.rows", "--clusters", "row"]);
    for piece in ["knight", "queen"] {
        let of = |document: &Value| document["values"][piece].as_f64().unwrap();
        assert!((of(&article) - of(&whole)).abs() < 1e-9);
    }
    assert!(
        folder
            .material(&["article.rows", "--clusters", "row"])
            .stdout()
            .contains("These files do not identify the game of a row")
    );
}

#[test]
fn everything_in_a_folder() {
    let folder = Folder::new();
    let ran = folder.material(&["selfplay.pgn.gz", "--out", "values", "--by", "phase"]);
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let document: Value = serde_json::from_str(&folder.read("values/material.json")).unwrap();
    assert_eq!(document["bands"].as_array().unwrap().len(), 3);
    assert_eq!(folder.read("values/material.txt"), ran.stdout());
    for name in ["balance", "results", "values", "calibration"] {
        assert!(
            fs::read(folder.path().join(format!("values/{name}.png")))
                .unwrap()
                .starts_with(b"\x89PNG")
        );
        let svg = folder.read(&format!("values/{name}.svg"));
        assert!(svg.starts_with("<svg") && svg.contains("prefers-color-scheme: dark"));
    }
}

#[test]
fn collections_beside_each_other() {
    let folder = Folder::new();
    let rows = folder.material(&["selfplay.pgn.gz", "--rows", "a.tsv"]);
    assert_eq!(rows.code(), Some(0));
    insta::assert_snapshot!(
        folder
            .material(&[
                "--compare",
                "selfplay.pgn.gz",
                "a.tsv",
                "--resamples",
                "0",
                "--out",
                "both"
            ])
            .snapshot()
    );
    let document = folder.json(&["--compare", "selfplay.pgn.gz", "a.tsv", "--resamples", "0"]);
    assert_eq!(
        document["comparisons"][0]["differences"]["queen"]["difference"],
        0.0
    );
    assert!(folder.path().join("both/values.png").exists());
}

#[test]
fn errors_are_reported() {
    let folder = Folder::new();
    folder.write(
        "few.pgn",
        &"[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 1-0\n\n".repeat(5),
    );
    folder.write("bad.pgn", "[Result \"1-0\"]\n\n1. e4 e5 2. Ke3 d5 1-0\n");
    folder.write("empty.tsv", "");
    folder.write("broken.tsv", "1\t2\t0\t0\t0\t0\t0\t2\n1\t2\t0\t0\n");
    let rows =
        |row: &dyn Fn(i32) -> String| (0..400).map(|index| row(index) + "\n").collect::<String>();
    // Independent pseudo-random differences from -1 to 1, and results that do not depend on them.
    let of = |index: i32, step: i32| index * step % 997 % 3 - 1;
    let result = |index: i32| (index * 389 % 991) % 3;
    folder.write(
        "chance.rows",
        &rows(&|i| {
            format!(
                "{} {} {} {} {} {}",
                of(i, 7),
                of(i, 101),
                of(i, 211),
                of(i, 307),
                of(i, 401),
                result(i)
            )
        }),
    );
    folder.write(
        "pairs.rows",
        &rows(&|i| {
            format!(
                "{} {} {} {} {} {}",
                of(i, 7),
                of(i, 101),
                of(i, 101),
                of(i, 307),
                of(i, 401),
                result(i)
            )
        }),
    );
    folder.write(
        "queens.rows",
        &rows(&|i| {
            let queen = of(i, 401);
            let result = if queen == 0 { result(i) } else { queen + 1 };
            format!(
                "{} {} {} {} {queen} {result}",
                of(i, 7),
                of(i, 101),
                of(i, 211),
                of(i, 307)
            )
        }),
    );
    let cases: [&[&str]; 23] = [
        &["few.pgn"],
        &["few.pgn", "--rows", "few.rows"],
        &["selfplay.pgn.gz", "--method", "classic"],
        &["bad.pgn"],
        &["none.pgn"],
        &["empty.tsv"],
        &["broken.tsv"],
        &["pairs.rows"],
        &["chance.rows", "--resamples", "0", "--clusters", "row"],
        &["pairs.rows", "--clusters", "row"],
        &["queens.rows", "--clusters", "row"],
        &["chance.rows", "--terms", "tempo", "--clusters", "row"],
        &["chance.rows", "--by", "phase", "--clusters", "row"],
        &["selfplay.pgn.gz", "--terms", "knights"],
        &["selfplay.pgn.gz", "--terms", "tempo,tempo"],
        &["selfplay.pgn.gz", "--by", "month"],
        &["selfplay.pgn.gz", "--test", "N > 3K"],
        &["selfplay.pgn.gz", "--test", "bishop-pair > 0"],
        &[
            "selfplay.pgn.gz",
            "--method",
            "classic",
            "--terms",
            "opposite-bishops",
        ],
        &[
            "selfplay.pgn.gz",
            "--method",
            "ordered",
            "--target",
            "search",
        ],
        &["selfplay.pgn.gz", "--terms", "elo"],
        &["selfplay.pgn.gz", "--rows", "-", "--json"],
        &["--compare", "selfplay.pgn.gz"],
    ];
    let said: String = cases
        .iter()
        .map(|args| {
            let ran = folder.material(args);
            let out = if args[0] == "chance.rows" {
                ran.stdout()
            } else {
                ""
            };
            format!(
                "$ centipawn material {}\nstatus {:?}\n{out}{}\n",
                args.join(" "),
                ran.code(),
                ran.stderr()
            )
        })
        .collect();
    insta::assert_snapshot!(said);
    assert_eq!(folder.read("few.rows"), " 0  0  0  0  0  2\n".repeat(5));
}
