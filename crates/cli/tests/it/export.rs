//! `centipawn pgn export`: games and plies as Parquet, read with SQL queries.

use std::{collections::BTreeMap, fs, path::Path};

use crate::common::{centipawn, root, rows_of_query as rows, run};
use centipawn_test_support::data::shared;
use serde_json::Value;

/// Exports `games` into `folder/plies`, as several shards if `parts` is more than 1.
fn export(folder: &Path, games: &[&str], more: &[&str], parts: u32) {
    for index in 1..=parts {
        let mut command = centipawn(["pgn", "export", "-o"]);
        command
            .arg(folder.join("plies"))
            .args(games)
            .args(more)
            .args(["--shard", &format!("{index}/{parts}")]);
        let ran = run(command);
        assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    }
}

/// Returns the SQL of docs/scale.md.
fn queries() -> Vec<String> {
    let page = fs::read_to_string(root().join("docs/scale.md")).unwrap();
    let blocks = page
        .split("```sql\n")
        .skip(1)
        .map(|rest| rest.split_once("```").unwrap().0.to_owned());
    blocks.collect()
}

/// Asserts that the query of the docs gives the same counts as `wdl count --bin 1`.
fn same_counts(games: &[&str], parts: u32, positions: usize) {
    let folder = tempfile::tempdir().unwrap();
    export(folder.path(), games, &[], parts);
    let Some(rows) = rows(folder.path(), &queries()[0]) else {
        return;
    };
    let mut command = centipawn(["wdl", "count", "--bin", "1", "--format", "stockfish"]);
    command.args(games);
    let ran = run(command);
    let counts: BTreeMap<String, u64> = serde_json::from_str(ran.stdout()).unwrap();
    let found: BTreeMap<String, u64> = rows
        .iter()
        .map(|row| {
            let key = format!(
                "('{}', {}, {}, {})",
                row[0].as_str().unwrap(),
                row[1],
                row[2],
                row[3]
            );
            (key, row[4].as_u64().unwrap())
        })
        .collect();
    assert_eq!(found.len(), rows.len());
    assert!(counts.values().sum::<u64>() as usize >= positions);
    assert_eq!(found, counts);
}

#[test]
fn counts_of_engines_in_sql() {
    same_counts(&["examples/selfplay.pgn.gz"], 1, 10_775);
    same_counts(
        &[
            "examples/selfplay.pgn.gz",
            "examples/opera-game.pgn",
            "examples/evergreen-game.pgn",
        ],
        2,
        10_775,
    );
}

/// Lichess' evaluations are those of the position after the move.
#[test]
fn counts_of_analysed_games_in_sql() {
    same_counts(&["tests/data/games/lichess-2021-10-evals.pgn.zst"], 1, 1000);
}

#[test]
fn counts_of_many_games_in_sql() {
    let Some(games) = shared("data/pgn/lichess/lichess_2021-10_first999.pgn") else {
        return;
    };
    same_counts(&[games.to_str().unwrap()], 1, 1000);
}

#[test]
fn the_strong_blunder_less_often() {
    let games = "tests/data/games/lichess-2021-10-evals.pgn.zst";
    let folder = tempfile::tempdir().unwrap();
    export(folder.path(), &[games], &["--fen"], 1);
    let Some(blunders) = rows(folder.path(), &queries()[1]) else {
        return;
    };
    let moves: u64 = blunders.iter().map(|row| row[2].as_u64().unwrap()).sum();
    assert!(blunders.len() > 10 && moves > 5_000);
    let rate = |is_strong: bool| {
        let of = blunders
            .iter()
            .filter(|row| (row[0].as_i64().unwrap() >= 1800) == is_strong);
        let (all, bad) = of.fold((0.0, 0.0), |(all, bad), row| {
            let moves = row[2].as_f64().unwrap();
            (all + moves, bad + moves * row[3].as_f64().unwrap())
        });
        bad / all
    };
    assert!(
        rate(true) < 0.7 * rate(false),
        "{} {}",
        rate(true),
        rate(false)
    );
}

/// `[%eval #0]` does not contain the winner; the exported table does.
#[test]
fn a_mate_on_the_board_counts_for_the_mover() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mate.pgn");
    let game = "1. e4 { [%eval 0.2] } e5 { [%eval 0.2] } 2. Qh5 { [%eval 0.2] } Nc6 { [%eval 0.2] } 3. Bc4 { [%eval 0.2] } \
                Nf6 { [%eval #1] } 4. Qxf7# { [%eval #0] } 1-0";
    fs::write(
        &path,
        format!("[WhiteElo \"1500\"]\n[BlackElo \"1500\"]\n\n{game}\n"),
    )
    .unwrap();
    same_counts(&[path.to_str().unwrap()], 1, 7);
    export(folder.path(), &[path.to_str().unwrap()], &[], 1);
    let Some(blunders) = rows(folder.path(), &queries()[1]) else {
        return;
    };
    let mates = "SELECT ply, eval_mate FROM 'plies/plies-*.parquet' WHERE eval_mate IS NOT NULL ORDER BY ply";
    assert_eq!(
        Value::from(rows(folder.path(), mates).unwrap()),
        serde_json::json!([[6, 1], [7, 1]])
    );
    // Six moves have an evaluation before them; of these only 3... Nf6 is a blunder.
    assert_eq!(blunders.len(), 1, "{blunders:?}");
    let share = blunders[0][3].as_f64().unwrap();
    assert!(
        blunders[0][2] == 6 && (share - 1.0 / 6.0).abs() < 1e-9,
        "{blunders:?}"
    );
}

/// Lichess' curve is flat beyond ten pawns, so a drop from 20 pawns to 3.5 loses 0.19, not 0.22.
#[test]
fn blunders_are_those_of_the_clamped_curve() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("far.pgn");
    let game = "1. e4 { [%eval 0.2] } e5 { [%eval 20.0] } 2. a3 { [%eval 3.5] } *";
    fs::write(
        &path,
        format!("[WhiteElo \"1500\"]\n[BlackElo \"1500\"]\n\n{game}\n"),
    )
    .unwrap();
    export(folder.path(), &[path.to_str().unwrap()], &[], 1);
    let Some(blunders) = rows(folder.path(), &queries()[1]) else {
        return;
    };
    assert!(
        blunders.len() == 1 && blunders[0][2] == 2 && blunders[0][3] == 0.5,
        "{blunders:?}"
    );
}

/// All shards together contain the whole export, and each file has a provenance.
#[test]
fn shards_together_are_the_whole_export() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, parts] = ["whole", "parts"].map(|name| folder.path().join(name));
    let games = [
        "examples/selfplay.pgn.gz",
        "examples/opera-game.pgn",
        "examples/immortal-draw.pgn",
    ];
    export(&whole, &games, &["--fen"], 1);
    export(&parts, &games, &["--fen"], 2);
    for (table, key) in [("games", "game_id"), ("plies", "game_id, ply")] {
        let query = format!("SELECT * FROM 'plies/{table}-*.parquet' ORDER BY {key}");
        let Some(all) = rows(&whole, &query) else {
            return;
        };
        assert!(
            all.len() >= 132 && all == rows(&parts, &query).unwrap(),
            "{table}"
        );
    }
    let query = "SELECT decode(value) FROM parquet_kv_metadata('plies/plies-*.parquet') WHERE decode(key) = 'provenance'";
    let documents = rows(&parts, query).unwrap();
    let mut shards = Vec::new();
    for document in &documents {
        let provenance: Value = serde_json::from_str(document[0].as_str().unwrap()).unwrap();
        assert_eq!(provenance["inputs"].as_array().unwrap().len(), 3);
        assert_eq!(provenance["recipe"]["recipe"], "pgn export");
        shards.push(provenance["recipe"]["shard"].as_str().unwrap().to_owned());
    }
    shards.sort();
    assert_eq!(shards, ["1/2", "2/2"]);
    let start = rows(
        &whole,
        "SELECT DISTINCT fen FROM 'plies/plies-*.parquet' WHERE ply = 1",
    )
    .unwrap();
    assert_eq!(
        start[0][0],
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    );
    // The files do not depend on the number of threads.
    let again = folder.path().join("again");
    export(&again, &games, &["--fen", "--jobs", "3"], 1);
    for name in ["games-1.parquet", "plies-1.parquet"] {
        let read = |folder: &Path| fs::read(folder.join("plies").join(name)).unwrap();
        assert!(read(&whole) == read(&again), "{name}");
    }
}

/// Earlier files stay if an export fails or finds no games, and an export never replaces its
/// inputs.
#[test]
fn an_empty_export_replaces_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let games = root().join("examples/opera-game.pgn");
    export(folder.path(), &[games.to_str().unwrap()], &[], 1);
    let file = folder.path().join("plies/plies-1.parquet");
    let before = fs::read(&file).unwrap();
    fs::create_dir(folder.path().join("empty")).unwrap();
    for wrong in ["none.pgn", "empty"] {
        let mut command = centipawn(["pgn", "export", "-o"]);
        command
            .arg(folder.path().join("plies"))
            .arg(folder.path().join(wrong));
        let ran = run(command);
        assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
        assert!(
            ran.stderr().contains("plies-1.parquet is unchanged"),
            "{}",
            ran.stderr()
        );
        assert!(fs::read(&file).unwrap() == before, "{wrong}");
    }
}

/// Games and plies are joined by game numbers, so new games beside old plies would give wrong
/// results.
#[cfg(target_os = "linux")]
#[test]
fn games_and_plies_are_replaced_both_or_neither() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join("plies").join(name);
    export(folder.path(), &["examples/opera-game.pgn"], &[], 1);
    let before = fs::read(at("games-1.parquet")).unwrap();
    // The disk becomes full while the second file is finished.
    fs::remove_file(at("plies-1.parquet")).unwrap();
    std::os::unix::fs::symlink("/dev/full", at("plies-1.parquet")).unwrap();
    let mut command = centipawn(["pgn", "export", "examples/selfplay.pgn.gz", "-o"]);
    command.arg(folder.path().join("plies"));
    let ran = run(command);
    assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
    assert!(
        ran.stderr().contains("plies-1.parquet: ") && ran.stderr().contains("No space left"),
        "{}",
        ran.stderr()
    );
    assert!(fs::read(at("games-1.parquet")).unwrap() == before);
}

#[test]
fn an_export_over_its_input_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("plies")).unwrap();
    fs::copy(
        root().join("examples/opera-game.pgn"),
        at("plies/plies-1.parquet"),
    )
    .unwrap();
    let mut command = centipawn(["pgn", "export"]);
    command
        .arg(at("plies/plies-1.parquet"))
        .arg("-o")
        .arg(at("plies"));
    let ran = run(command);
    assert_eq!(ran.code(), Some(2), "{}", ran.stderr());
    assert!(
        fs::read_to_string(at("plies/plies-1.parquet"))
            .unwrap()
            .starts_with('[')
    );
    let mut command = centipawn(["pgn", "export", "no-such.pgn", "-o"]);
    command.arg(at("none"));
    let ran = run(command);
    assert_eq!(ran.code(), Some(3), "{}", ran.stderr());
}

/// The table of judged moves has the columns of an export plus those of the review, and the same
/// game numbers.
#[test]
fn judged_moves_extend_the_exported_columns() {
    let folder = tempfile::tempdir().unwrap();
    let games = ["examples/opera-game.pgn", "examples/selfplay.pgn.gz"];
    export(folder.path(), &games, &["--fen"], 1);
    let mut command = centipawn(["review", "--reuse-evals", "-q", "--table"]);
    command
        .arg(folder.path().join("judged"))
        .args(["--json", "-"])
        .arg(games[1]);
    let ran = run(command);
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    let document: Value = serde_json::from_str(ran.stdout()).unwrap();
    let judged = "'judged/plies-1.parquet'";
    let Some(all) = rows(
        folder.path(),
        &format!(
            "SELECT game_id, ply, symbol, score_loss, expected_score FROM {judged} ORDER BY game_id, ply"
        ),
    ) else {
        return;
    };
    let documents = document["games"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|game| game["plies"].as_array().unwrap());
    let documents: Vec<&Value> = documents.collect();
    assert!(all.len() > 10_000 && all.len() == documents.len());
    for (row, document) in all.iter().zip(documents) {
        assert_eq!(row[2], document["symbol"], "{row} {document}");
        assert_eq!(
            [&row[3], &row[4]],
            [&document["score_loss"], &document["expected_score"]],
            "{row} {document}"
        );
    }
    // The export has one more file before these games, so its file numbers are one higher. The
    // sources differ, too, so they are not compared.
    let same = format!(
        "SELECT count(*) FROM {judged} j JOIN 'plies/plies-1.parquet' p
         ON j.game_id + (1::BIGINT << 48) = p.game_id AND j.ply = p.ply AND j.move_number = p.move_number AND j.fen = p.fen
             AND j.material_before = p.material_before AND j.material = p.material
             AND j.result IS NOT DISTINCT FROM p.result AND j.mover = p.mover"
    );
    assert_eq!(rows(folder.path(), &same).unwrap()[0][0], all.len());
    let games = rows(
        folder.path(),
        "SELECT white_name, result FROM 'judged/games-1.parquet' ORDER BY game_id",
    )
    .unwrap();
    assert_eq!(games[0], serde_json::json!(["Stockfish 15.1 weak", 0.0]));
}
