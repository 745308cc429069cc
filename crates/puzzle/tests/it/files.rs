//! Files of puzzles: every format can be read as it was written, and errors name the problem.

use std::{fs, sync::Arc};

use centipawn_core::History;
use centipawn_progress::Provenance;
use centipawn_puzzle::{Format, MineOptions, Puzzle, ReadError, Reader, Theme, Writer};
use centipawn_test_support::data::{shared, text};
use proptest::prelude::*;

const CSV: &str = "\
PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags
00vjg,2r3k1/5ppp/p3nb2/2Bq4/1Q6/P6P/2R2PP1/2R3K1 w - - 3 30,c5e3 c8c2 c1c2 d5d1 g1h2 d1c2,1190,77,-90,151,advantage fork newTheme,https://lichess.org/QOaRlqny#59,Italian_Game
castl,r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1,a8a1 e1f2,,,,,,,
castm,r3k2r/8/8/8/8/8/8/4K2R b Kkq - 0 1,e8c8 e1g1,,,,,,,
";

fn read(bytes: &[u8]) -> Vec<Result<Puzzle, ReadError>> {
    Reader::new(bytes, None).unwrap().collect()
}

fn written(puzzles: &[Puzzle], format: Format) -> Vec<u8> {
    let mut out = Writer::new(Vec::new(), format);
    puzzles.iter().for_each(|puzzle| out.write(puzzle).unwrap());
    out.finish().unwrap()
}

#[test]
fn all_formats_contain_the_same_puzzle() {
    let puzzles: Vec<Puzzle> = read(CSV.as_bytes())
        .into_iter()
        .map(Result::unwrap)
        .collect();
    assert_eq!(puzzles.len(), 3);
    assert_eq!(puzzles[0].other_themes, ["newTheme"]);
    assert_eq!(
        String::from_utf8(written(&puzzles, Format::Csv)).unwrap(),
        CSV
    );
    for format in Format::ALL {
        let bytes = written(&puzzles, format);
        let again: Vec<Puzzle> = read(&bytes).into_iter().map(Result::unwrap).collect();
        assert_eq!(
            String::from_utf8(written(&again, Format::Csv)).unwrap(),
            CSV,
            "{format}"
        );
    }
    assert!(written(&[], Format::Csv).starts_with(b"PuzzleId,"));
}

/// A line may contain many unknown themes, which must not take quadratic time.
#[test]
fn many_unknown_themes_are_read_quickly() {
    let themes: Vec<String> = (0..150_000).map(|number| format!("{number:05x}")).collect();
    let row = format!(
        "6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1,a2b2 d1d8,{}\n",
        themes.join(" ")
    );
    let puzzles = read(format!("FEN,Moves,Themes\n{row}{row}").as_bytes());
    assert!(
        puzzles
            .into_iter()
            .all(|puzzle| puzzle.unwrap().other_themes == themes)
    );
}

#[test]
fn bad_rows_are_reported_and_the_rest_is_read() {
    let kings = "8/8/8/8/8/8/8/R7 w - - 0 1";
    let good = "6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1";
    let csv = format!(
        "PuzzleId,FEN,Moves,Rating\na,{kings},a1a2 \
         a2a3,\nb,{good},,\nc,{good},a2b2,\nd,{good},a2b2 d1d8 g8f8,\n\
         e,{good},a2b2 d1e8,\nf,{good},a2b2 d1d8,strong\ng,{good}\nh,{good},a2b2 d1d8,1500\n"
    );
    let rows: Vec<String> = read(csv.as_bytes())
        .into_iter()
        .map(|puzzle| puzzle.map_or_else(|error| error.to_string(), |puzzle| puzzle.id))
        .collect();
    let expected = [
        "line 2, puzzle a: not a position of chess: ",
        "line 3, puzzle b: no solution: it needs at least the opponent's move and the solver's \
         answer",
        "line 4, puzzle c: no solution",
        "line 5, puzzle d: ",
        "line 6, puzzle e: d1e8 is not a legal move in ",
        "line 7, puzzle f: Rating is \"strong\"",
        "line 8, puzzle g: 2 fields where the header names 4",
        "h",
    ];
    assert_eq!(rows.len(), expected.len());
    for (row, expected) in rows.iter().zip(expected) {
        assert!(row.starts_with(expected), "{row}");
    }
}

#[test]
fn files_that_are_not_tables_of_puzzles_are_refused() {
    let error = |bytes: &[u8]| {
        Reader::new(bytes, Some(Format::Csv))
            .unwrap_err()
            .to_string()
    };
    assert!(error(b"Name,Moves\n").starts_with("no column FEN; "));
    assert!(error(b"").starts_with("no column FEN and Moves"));
    let utf16: Vec<u8> = CSV.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(error(&utf16).starts_with("not UTF-8"));
    // A byte of another encoding makes only its own row invalid.
    let mut latin = CSV.as_bytes().to_vec();
    let place = CSV.find("Italian").unwrap();
    latin[place] = 0xe9;
    let rows = read(&latin);
    assert!(
        rows[0]
            .as_ref()
            .unwrap_err()
            .to_string()
            .contains("OpeningTags is not UTF-8")
    );
    assert_eq!(rows.iter().flatten().count(), 2);
}

#[test]
fn reading_json_and_pgn_continues_after_an_error() {
    let json = "{\"fen\":\"rubbish\",\"moves\":[]}\nnonsense\n\n\
        {\"fen\":\"6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1\",\"moves\":[\"a2b2\",\"d1d8\"]}\n";
    let rows = read(json.as_bytes());
    assert_eq!(rows.len(), 3);
    assert!(
        rows[0]
            .as_ref()
            .unwrap_err()
            .to_string()
            .starts_with("line 1: not a FEN")
    );
    assert!(
        rows[1]
            .as_ref()
            .unwrap_err()
            .to_string()
            .starts_with("line 2: not a puzzle in JSON")
    );
    let puzzle = rows[2].as_ref().unwrap();
    assert_eq!(puzzle.id, puzzle.stable_id());

    let pgn = "[PuzzleId \"A\"]\n\n*\n\n1. e4 e5 *\n\n[FEN \"6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1\"]\n\n1... Rb2 2. Rd8# *\n";
    let rows = read(pgn.as_bytes());
    assert!(
        rows[0]
            .as_ref()
            .unwrap_err()
            .to_string()
            .contains("no solution")
    );
    assert!(
        rows[1]
            .as_ref()
            .unwrap_err()
            .to_string()
            .contains("`centipawn puzzles mine` finds puzzles in games")
    );
    assert_eq!(rows[2].as_ref().unwrap().id, puzzle.id);
}

/// An endless line, which a small compressed file may contain, is neither read nor quoted
/// completely.
#[test]
fn endless_lines_are_not_read_whole() {
    use std::io::{Read, repeat};
    const LONG: u64 = 1 << 34;
    let good =
        "{\"fen\":\"6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1\",\"moves\":[\"a2b2\",\"d1d8\"]}\n"
            .as_bytes();
    let json = b"{\"fen\":\""
        .chain(repeat(b'8').take(1 << 22))
        .chain(&b"\n"[..])
        .chain(good);
    let rows: Vec<_> = Reader::new(json, None).unwrap().collect();
    assert_eq!(
        rows[0].as_ref().unwrap_err().to_string(),
        "line 1 is longer than 1 MiB; is this a file of puzzles?"
    );
    assert!(rows[1].is_ok() && rows.len() == 2);
    // A quoted field is never closed, and 16 GiB follow.
    let csv = b"FEN,Moves\n\"".chain(repeat(b'\n').take(LONG));
    let rows: Vec<_> = Reader::new(csv, None).unwrap().collect();
    assert!(
        matches!(rows[..], [Err(ReadError::LongLine { .. })]),
        "{rows:?}"
    );
    let error = Reader::new(repeat(b'x').take(LONG), Some(Format::Csv)).unwrap_err();
    assert!(matches!(error, ReadError::LongLine { line: 1 }), "{error}");
    let fen = "6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1";
    let long = "z".repeat(100_000);
    for row in [
        format!("{long},x,,"),
        format!("a,{fen},a2b2 {long},"),
        format!("a,{fen},a2b2 d1d8,{long}"),
    ] {
        let csv = format!("PuzzleId,FEN,Moves,Rating\n{row}\n");
        let error = read(csv.as_bytes()).remove(0).unwrap_err().to_string();
        assert!(error.len() < 500, "{error}");
    }
}

/// Rating a solution takes time proportional to the square of its length, so a whole game is
/// refused.
#[test]
fn a_whole_game_is_no_solution() {
    let pgn = format!(
        "[PuzzleId \"A\"]\n\n{} *",
        "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(12_500)
    );
    let error = read(pgn.as_bytes()).remove(0).unwrap_err().to_string();
    assert!(
        error.contains("that is a game, not the solution of a puzzle"),
        "{error}"
    );
}

#[test]
fn an_estimated_rating_has_no_number_of_plays() {
    let mut puzzle = read(CSV.as_bytes()).remove(0).unwrap();
    puzzle.rating_interval = Some([1000, 1400]);
    let row = String::from_utf8(written(&[puzzle], Format::Csv)).unwrap();
    assert!(row.contains(",1190,77,-90,,advantage"), "{row}");
}

#[test]
fn tagging_keeps_themes_that_do_not_follow_from_the_moves() {
    let mut puzzle = read(CSV.as_bytes()).remove(0).unwrap();
    puzzle.tag();
    let names = puzzle.theme_names().join(" ");
    assert_eq!(names, "advantage attraction fork long middlegame newTheme");
    let mut mate = Puzzle::new(&puzzle.start, ["c5e3", "c8c2"]).unwrap();
    mate.themes.insert(Theme::Fork);
    mate.tag();
    assert!(!mate.themes.contains(Theme::Fork));
}

#[test]
fn files_of_lichess_are_written_as_they_were_read() {
    comes_back(&text("puzzles/lichess-themes.csv.zst"));
    let Some(path) = shared("data/puzzles/lichess_stratified_train.csv") else {
        return;
    };
    comes_back(&fs::read_to_string(path).unwrap());
}

fn comes_back(text: &str) {
    let puzzles: Vec<Puzzle> = read(text.as_bytes())
        .into_iter()
        .map(Result::unwrap)
        .collect();
    let again = String::from_utf8(written(&puzzles, Format::Csv)).unwrap();
    for (ours, theirs) in again.lines().zip(text.lines()) {
        assert_eq!(ours, theirs.trim_end_matches('\r'));
    }
}

proptest! {
    #[test]
    fn reading_random_bytes_does_not_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), rest in "[ -~\n]{0,300}") {
        for format in Format::ALL {
            for text in [&bytes[..], rest.as_bytes(), format!("FEN,Moves\n{rest}").as_bytes()] {
                if let Ok(puzzles) = Reader::new(text, Some(format)) {
                    let _ = puzzles.take(100).count();
                }
            }
        }
    }
}

#[test]
fn provenance_is_kept_in_json_and_named_in_pgn() {
    let start = History::from_fen("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", None).unwrap();
    let mut puzzle = Puzzle::new(&start, ["a2b2", "d1d8"]).unwrap();
    let provenance = Provenance::new(&MineOptions::default()).seed(7);
    puzzle.provenance = Some(Arc::new(provenance.clone()));
    let written = |format| {
        let mut out = Writer::new(Vec::new(), format);
        out.write(&puzzle).unwrap();
        String::from_utf8(out.finish().unwrap()).unwrap()
    };
    let json = written(Format::Json);
    let read = Reader::new(json.as_bytes(), None)
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    assert_eq!(read.provenance.as_deref(), Some(&provenance));
    let options: MineOptions = serde_json::from_value(provenance.recipe).unwrap();
    assert_eq!(options, MineOptions::default());
    let version = env!("CARGO_PKG_VERSION");
    assert!(
        written(Format::Pgn).contains(&format!("[Annotator \"Centipawn {version}\"]")),
        "{}",
        written(Format::Pgn)
    );
    assert!(!written(Format::Csv).contains("centipawn"));
}

#[test]
fn options_are_checked() {
    use centipawn_puzzle::{MineOptionsError, RuleSet};
    let error = |json: &str| {
        serde_json::from_str::<MineOptions>(json)
            .unwrap()
            .check()
            .unwrap_err()
    };
    assert_eq!(
        error(r#"{"min_moves":5,"max_moves":4}"#),
        MineOptionsError::MinAboveMax
    );
    assert_eq!(
        error(r#"{"effort":0}"#).to_string(),
        "effort is 0; it is a number above 0 and at most 1000, such as 0.1"
    );
    assert_eq!(
        error(r#"{"max_moves":41}"#).to_string(),
        "max_moves is 41; it lies between 1 and 40"
    );
    let other = error(r#"{"tiers":true,"rules":"classic"}"#);
    assert_eq!(
        other,
        MineOptionsError::OtherRules {
            option: "tiers",
            rules: RuleSet::Lichess
        }
    );
    let other = error(r#"{"rules":"lichess","ignore_evals":true}"#);
    assert_eq!(
        other,
        MineOptionsError::OtherRules {
            option: "ignore_evals",
            rules: RuleSet::Centipawn
        }
    );
    assert!(serde_json::from_str::<MineOptions>(r#"{"scale":0.1}"#).is_err());
}
