//! Tests that the tables of games and plies have the names and types of the schema, from which
//! docs/columns.md is generated.

use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    fmt::Write as _,
    fs,
    path::Path,
    sync::Arc,
};

use centipawn_core::{Curve, Eval, Wdl};
use centipawn_engine::{Identity, Limit, Line};
use centipawn_judge::{GameFindings, PositionFindings};
use centipawn_pgn::{Reader, ScanOptions, Sources};
use centipawn_progress::{Cancel, Files, Provenance, Silent};
use centipawn_review::{Review, ReviewOptions};
use centipawn_work::table::{
    PlyExportOptions, ReviewTable, StoredColumn, Values,
    columns::{
        Column, DIALECT, EXPORTED_PLIES, FEN, GAME, GAME_ID, GAMES, JUDGED_PLIES, SAN,
        SCANNED_ON_REQUEST, SCANNED_PLIES,
    },
    export_plies, judged_plies,
};
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use serde_json::{Value, json};
use shakmaty::{Color, Move};

/// Keys of a ply's JSON that are not columns.
const JSON_ONLY: [&str; 9] = [
    "eval_deeper",
    "suppressed",
    "position_nag",
    "remark_numbers",
    "hardness",
    "ease",
    "limit",
    "better",
    "lines",
];

/// 1. e4 e5 2. Qh5 Ke7 3. Qxe5#, with an engine's lines at the first move, a blunder and a mate.
fn review() -> Review {
    let text = "1. e4 {[%clk 0:03:00] [%emt 0:00:01.5]} e5 2. Qh5 Ke7 3. Qxe5# 1-0";
    let game = Arc::new(
        Reader::new(text.as_bytes())
            .next()
            .unwrap()
            .unwrap()
            .unwrap(),
    );
    let white = [
        Eval::cp(30),
        Eval::cp(25),
        Eval::cp(30),
        Eval::cp(-40),
        Eval::mate(1),
    ];
    let played = [
        Eval::cp(25),
        Eval::cp(30),
        Eval::cp(-40),
        Eval::mate(1),
        Eval::mate(1),
    ];
    let positions =
        game.mainline()
            .zip(white)
            .zip(played)
            .map(|(((before, ply), best), played)| {
                let side = before.turn();
                let line = |mv: Move| Line {
                    pv: vec![mv],
                    eval: best.for_mover(side),
                    last_exact: None,
                    wdl: Some(Wdl {
                        win: 0.2,
                        draw: 0.5,
                        loss: 0.3,
                    }),
                    depth: 20,
                    seldepth: None,
                };
                PositionFindings {
                    lines: if side == Color::White {
                        vec![line(ply.mv)]
                    } else {
                        Vec::new()
                    },
                    best: best.for_mover(side),
                    played: played.for_mover(side),
                    played_last_exact: None,
                    best_other: None,
                    limit: Some(Limit::Nodes(1000)),
                    ease: Vec::new(),
                    proof: None,
                    answer: Vec::new(),
                }
            });
    let findings = GameFindings {
        analyst: Some(Arc::new(Identity {
            name: "Stockfish 15.1".to_owned(),
            ..Identity::default()
        })),
        curve: Curve::default(),
        positions: positions.collect(),
    };
    Review::judge(
        Arc::clone(&game),
        &findings,
        &ReviewOptions::new(Limit::Nodes(1000)),
    )
}

/// Returns the rows of a column as JSON.
fn values(stored: &StoredColumn) -> Vec<Value> {
    let all: Vec<Value> = match &stored.values {
        Values::Int(values) => values.iter().map(|value| json!(value)).collect(),
        Values::Long(values) => values.iter().map(|value| json!(value)).collect(),
        Values::Double(values) => values.iter().map(|value| json!(value)).collect(),
        Values::Bool(values) => values.iter().map(|value| json!(value)).collect(),
        Values::Text { bytes, ends } => {
            let begins = std::iter::once(&0).chain(ends);
            begins
                .zip(ends)
                .map(|(begin, end)| json!(str::from_utf8(&bytes[*begin..*end]).unwrap()))
                .collect()
        }
    };
    stored
        .rows(all)
        .into_iter()
        .map(Option::unwrap_or_default)
        .collect()
}

/// Returns the value in a ply's JSON at a path such as `eval.cp`.
fn at<'a>(ply: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(ply, |value, key| &value[key])
}

#[test]
fn names_are_unique_and_meanings_are_sentences() {
    let mut meanings = BTreeMap::new();
    for column in all() {
        assert!(column.meaning.ends_with('.'), "{}", column.name);
        let known = meanings.insert(column.name, column);
        assert!(
            known.is_none_or(|known| std::ptr::eq(known, column)),
            "{} has two meanings",
            column.name
        );
    }
    for column in SCANNED_ON_REQUEST {
        assert!(SCANNED_PLIES.contains(&column), "{}", column.name);
    }
}

/// Values that the JSON of a ply and the table share have the same names.
#[test]
fn a_judged_ply_in_json_is_its_row() {
    let review = review();
    let document = serde_json::to_value(review.document()).unwrap();
    let plies = document["plies"].as_array().unwrap();
    let table = judged_plies([&review], &JUDGED_PLIES);
    assert_eq!((table.len(), plies.len()), (5, 5));
    let mut keys: BTreeSet<&str> = JSON_ONLY.into();
    for stored in table.into_columns() {
        let column = stored.column;
        let Some(path) = column.json else { continue };
        assert!(
            path == column.name || path.contains('.'),
            "{} is {path} in JSON",
            column.name
        );
        keys.extend(path.split('.').take(1));
        let mut found = 0;
        for (row, ply) in values(&stored).iter().zip(plies) {
            let mut own = at(ply, path).clone();
            if column == &SAN {
                own = json!(own.as_str().unwrap().trim_end_matches(['+', '#']));
            }
            assert_eq!(*row, own, "{} of {ply}", column.name);
            found += usize::from(!own.is_null());
        }
        assert!(found > 0, "no ply has {}", column.name);
    }
    for key in plies.iter().flat_map(|ply| ply.as_object().unwrap().keys()) {
        assert!(
            keys.contains(&**key),
            "the JSON key {key} is not in the schema"
        );
    }
}

/// Parquet files have the columns of the schema, with the types and in the order of the schema.
#[test]
fn files_have_the_columns_of_the_schema() {
    let folder = tempfile::tempdir().unwrap();
    let games = folder.path().join("games.pgn");
    fs::write(
        &games,
        "[Date \"1858.??.??\"]\n[WhiteElo \"1900?\"]\n\n1. e4 {[%eval 0.3]} e5 1/2-1/2\n",
    )
    .unwrap();
    for fen in [false, true] {
        let out = folder.path().join(fen.to_string());
        let options = PlyExportOptions {
            fen,
            ..PlyExportOptions::default()
        };
        export_plies(
            std::slice::from_ref(&games),
            &out,
            &options,
            &ScanOptions::default(),
            &Silent,
        )
        .unwrap();
        assert_columns(&out.join("games-1.parquet"), &GAMES);
        assert_columns(
            &out.join("plies-1.parquet"),
            &EXPORTED_PLIES[..EXPORTED_PLIES.len() - usize::from(!fen)],
        );
    }
    let out = folder.path().join("judged");
    let sources = Sources::expand(&[games]).unwrap();
    let (options, provenance) = (
        ReviewOptions::new(Limit::Nodes(1000)),
        Provenance::default(),
    );
    let mut table = ReviewTable::create(
        &out,
        &mut Files::default(),
        &sources,
        &options,
        provenance,
        &Cancel::new(),
    )
    .unwrap();
    table.game(&review()).unwrap();
    table.finish(&Cancel::new()).unwrap();
    assert_columns(&out.join("games-1.parquet"), &GAMES);
    assert_columns(
        &out.join("plies-1.parquet"),
        &[&[&GAME_ID], &JUDGED_PLIES[..]].concat(),
    );
}

fn assert_columns(file: &Path, columns: &[&Column]) {
    let reader = SerializedFileReader::new(fs::File::open(file).unwrap()).unwrap();
    let schema = reader.metadata().file_metadata().schema_descr();
    let found: Vec<(String, String, bool)> = schema
        .columns()
        .iter()
        .map(|column| {
            let logical = column
                .logical_type_ref()
                .map_or_else(String::new, |logical| format!(" {logical:?}"));
            let name = column.name().to_owned();
            (
                name,
                format!("{}{logical}", column.physical_type()),
                column.max_def_level() > 0,
            )
        })
        .collect();
    let parquet_type = |name: &str| match name {
        "bool" => "BOOLEAN",
        "int16" => "INT32 Integer(IntType { bit_width: 16, is_signed: true })",
        "int32" => "INT32",
        "int64" => "INT64",
        "float64" => "DOUBLE",
        "date" => "INT32 Date",
        _ => "BYTE_ARRAY String",
    };
    let expected: Vec<(String, String, bool)> = columns
        .iter()
        .map(|column| {
            (
                column.name.to_owned(),
                parquet_type(column.data_type.name()).to_owned(),
                column.is_nullable(),
            )
        })
        .collect();
    assert_eq!(found, expected, "{}", file.display());
}

fn all() -> Vec<&'static Column> {
    let tables = [
        &[&GAME][..],
        &GAMES,
        &[&DIALECT],
        &SCANNED_PLIES,
        &EXPORTED_PLIES,
        &JUDGED_PLIES,
    ];
    let mut all: Vec<&Column> = Vec::new();
    for column in tables.into_iter().flatten().copied() {
        if !all.contains(&column) {
            all.push(column);
        }
    }
    all
}

const HEAD: &str = "\
# Columns of games and plies

<!-- Made from crates/review/src/record/columns.rs: UPDATE_DOCS=1 cargo nextest run -E 'binary(columns)' -->

A name means the same in every table and document:

| | games | plies |
| --- | --- | --- |
| `centipawn pgn export GAMES -o FOLDER` ([scale.md](scale.md#games-and-plies-for-sql)) | Parquet | Parquet, marked `export` below |
| `centipawn review GAMES --table FOLDER` | Parquet | Parquet, marked `review` |
| `centipawn.scan(…)` ([python.md](python.md)) | `.games` | the table itself, marked `scan` |
| `centipawn.review(…).plies` | | marked `review` |
| `centipawn review GAMES --json FILE` | | `games[].plies[]`, marked `JSON` |

Evaluations, expected scores and probabilities are White's; losses are the mover's. An evaluation describes the position **before**
the move (`eval_before_…`; engines choose the move by it) or **after** it (`eval_…`: analysis). `material_before` goes with the first,
`material` with the second. Tables have an evaluation in two columns, and one of them is null; JSON has an object, `{\"cp\": 31}` or
`{\"mate\": -3}`. Types are those of Arrow; Parquet has dictionaries as text.

";

#[test]
fn the_page_is_generated_from_the_schema() {
    let mut page = HEAD.to_owned();
    page += "## Games\n\n| column | type | null if | |\n| --- | --- | --- | --- |\n";
    let kind = |column: &Column| {
        let view = column.view.map(|view| format!("{}'s view", view.name()));
        let parts = [
            // Markdown would read what is in angle brackets as HTML.
            Some(column.data_type.name().replace('<', "\\<")),
            column.unit.map(str::to_owned),
            view,
        ];
        parts
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", ")
            .replace("mover's", "the mover's")
    };
    for column in [&[&GAME][..], &GAMES, &[&DIALECT]].concat() {
        let only = if column == &GAME || column == &DIALECT {
            " Only in Python."
        } else {
            ""
        };
        let Column {
            name,
            meaning,
            null,
            ..
        } = column;
        writeln!(
            page,
            "| `{name}` | {} | {} | {meaning}{only} |",
            kind(column),
            null.unwrap_or_default()
        )
        .unwrap();
    }
    page += "\n## Plies\n\n`scan` returns the columns in parentheses only if you ask for them by name (`columns=[…]`). `export` writes the column `fen` only with `--fen`.\n\n";
    page += "| column | type | in | null if | |\n| --- | --- | --- | --- | --- |\n";
    for column in all()
        .into_iter()
        .filter(|column| !GAMES.contains(column) || *column == &GAME_ID || column.name == "result")
    {
        if column == &DIALECT {
            continue;
        }
        let Column {
            name,
            meaning,
            null,
            ..
        } = column;
        let mut places = Vec::new();
        if EXPORTED_PLIES.contains(&column) {
            places.push(if column == &FEN { "(export)" } else { "export" }.to_owned());
        }
        if SCANNED_PLIES.contains(&column) {
            places.push(
                if SCANNED_ON_REQUEST.contains(&column) {
                    "(scan)"
                } else {
                    "scan"
                }
                .to_owned(),
            );
        }
        if JUDGED_PLIES.contains(&column) || column == &GAME_ID {
            places.push("review".to_owned());
        }
        places.extend(column.json.map(|path| {
            if path == *name {
                "JSON".to_owned()
            } else {
                format!("JSON `{path}`")
            }
        }));
        let null = null.unwrap_or_default();
        writeln!(
            page,
            "| `{name}` | {} | {} | {null} | {meaning} |",
            kind(column),
            places.join(", ")
        )
        .unwrap();
    }
    let only: Vec<String> = JSON_ONLY.iter().map(|key| format!("`{key}`")).collect();
    writeln!(page, "\nOnly the JSON has {}.", only.join(", ")).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/columns.md");
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, &page).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap() == page,
        "run this test with UPDATE_DOCS=1, and commit docs/columns.md"
    );
}
