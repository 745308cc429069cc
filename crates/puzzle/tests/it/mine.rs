//! The default rules, with an analyst that gives fixed answers.

use std::sync::Arc;

use crate::scripted::{
    BEFORE, Lines, SHOWN, START, Scripted, cp, mine, mine_by, miner, two_defences,
};
use centipawn_core::{Curve, Eval, History};
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Limit, Question};
use centipawn_pgn::{Dialect, Game, Reader};
use centipawn_puzzle::{
    Claim, FaultKind, Format, FoundKind, LineEnd, Miner, MiningRules, Puzzle, Reader as Puzzles,
    Refusal, Rule, Scorer, Side, Solution, SolverFilter, Theme, Verdict, VerifiedDocument,
    Verifier, Writer, themes,
};
use shakmaty::Position as _;

#[test]
fn positions_with_evaluations_in_the_game_need_no_engine() {
    let analyst = Scripted::new(&[]);
    let pgn =
        "1. e4 { [%eval 0.2] } e5 { [%eval 0.2] } 2. Nf3 { [%eval 0.3] } Nc6 { [%eval 0.2] } *";
    assert!(mine(pgn, &analyst).is_empty());
    assert_eq!(analyst.asked(), []);
}

#[test]
fn the_only_good_move_is_verified_with_increasing_nodes() {
    let mut analyst = Scripted::new(&[
        (SHOWN, &[("b2e5", cp(600)), ("g1f2", cp(5))]),
        (BEFORE, &[("g8f8", cp(0))]),
    ]);
    analyst.elsewhere = cp(400);
    let candidates = mine(
        &format!("{START}1... Kf7 {{ [%eval 5.1] }} 2. Kf2 {{ [%eval 0.1] }} *"),
        &analyst,
    );
    assert_eq!(
        (
            candidates[0].verdict,
            candidates[0].stages,
            candidates[0].ply
        ),
        (Verdict::Found(FoundKind::Wins), 3, 1)
    );
    // The game has no evaluation of the position before the opponent's move, so search it first
    // (10,000 nodes). Then come three stages of verification, the opponent's replies and the next
    // moves of the solver.
    let asked = analyst.asked();
    assert_eq!(
        asked[..5],
        [
            (10_000, 1),
            (30_000, 2),
            (100_000, 2),
            (500_000, 2),
            (100_000, 3)
        ]
    );
    let puzzle = candidates[0].puzzle.as_ref().unwrap();
    assert_eq!(puzzle.uci_moves().collect::<Vec<_>>(), ["g8f7", "b2e5"]);
    assert!(puzzle.themes.contains(Theme::Crushing) && puzzle.themes.contains(Theme::OneMove));
    let node = &puzzle.tree.as_ref().unwrap().nodes()[0];
    // The only answer is b2e5. After the opponent's replies all moves have the same evaluation, so
    // no move is the only good one and the puzzle ends after its first move.
    assert_eq!(
        (node.answers.len(), node.answers[0].eval),
        (1, Some(cp(600)))
    );
}

#[test]
fn refusals_have_reasons() {
    let verdict_after = |before: i32, lines: &Lines, played: &str| {
        let analyst = Scripted::new(&[(SHOWN, lines), (BEFORE, &[("g8f8", cp(before))])]);
        let candidates = mine(
            &format!("{START}1... Kf7 {{ [%eval 5.1] }} 2. {played} *"),
            &analyst,
        );
        candidates
            .first()
            .map(|candidate| (candidate.verdict, candidate.stages))
    };
    let verdict = |lines: &Lines, played: &str| verdict_after(0, lines, played);
    let missed = "Kf2 { [%eval 0.1] }";
    assert_eq!(
        verdict(&[("b2e5", cp(600)), ("g1f2", cp(300))], missed),
        Some((Verdict::Refused(Refusal::SecondWins), 0))
    );
    assert_eq!(
        verdict(&[("b2e5", cp(120)), ("g1f2", cp(60))], missed),
        Some((Verdict::Refused(Refusal::NothingStandsOut), 1))
    );
    assert_eq!(
        verdict(&[("b2e5", cp(-400)), ("g1f2", cp(-500))], missed),
        Some((Verdict::Refused(Refusal::NotWon), 0))
    );
    // The only defence is a puzzle if Black's last move was a mistake.
    let defence: &Lines = &[("b2e5", cp(10)), ("g1f2", cp(-400))];
    assert_eq!(
        verdict(defence, missed),
        Some((Verdict::Found(FoundKind::Saves), 3))
    );
    assert_eq!(
        verdict_after(-500, defence, missed),
        Some((Verdict::Refused(Refusal::OnlyHolds), 2))
    );
    let worse: &Lines = &[("b2e5", cp(-20)), ("g1f2", cp(-400))];
    assert_eq!(
        verdict(worse, missed),
        Some((Verdict::Refused(Refusal::StaysWorse), 3))
    );
    let draw: &Lines = &[("b2e5", cp(0)), ("g1f2", cp(-400))];
    assert_eq!(
        verdict_after(-500, draw, missed),
        Some((Verdict::Refused(Refusal::OnlyHolds), 2))
    );
}

/// A recapture is refused only if the solution ends with it.
#[test]
fn a_recapture_is_a_puzzle_only_if_something_follows() {
    let pgn = "[FEN \"4k3/8/8/3p4/4B3/8/8/4RK2 b - - 0 1\"]\n\n1... dxe4 { [%eval 5.0] } 2. Rxe4+ { [%eval 5.0] } *";
    let taken: (&str, &Lines) = (
        "4k3/8/8/8/4p3/8/8/4RK2 w",
        &[("e1e4", cp(600)), ("f1f2", cp(0))],
    );
    let defence: (&str, &Lines) = ("4k3/8/8/8/4R3/8/8/5K2 b", &[("e8d7", cp(-600))]);
    let mut over = Scripted::new(&[taken, defence]);
    over.elsewhere = cp(600);
    assert_eq!(
        mine(pgn, &over)[0].verdict,
        Verdict::Refused(Refusal::TakesBack)
    );
    let next: (&str, &Lines) = (
        "8/3k4/8/8/4R3/8/8/5K2 w",
        &[("e4d4", cp(600)), ("f1f2", cp(0))],
    );
    let mut more = Scripted::new(&[taken, defence, next]);
    more.elsewhere = cp(600);
    let candidates = mine(pgn, &more);
    assert_eq!(candidates[0].verdict, Verdict::Found(FoundKind::Wins));
    assert_eq!(
        candidates[0].puzzle.as_ref().unwrap().uci_moves().count(),
        4
    );
}

#[test]
fn the_opponent_plays_the_defence_that_leaves_one_answer() {
    let pgn = format!("{START}1... Kf7 {{ [%eval 5.1] }} 2. Kf2 {{ [%eval 0.1] }} *");
    let moves = |analyst: &Scripted| -> Vec<String> {
        mine(&pgn, analyst)[0]
            .puzzle
            .as_ref()
            .unwrap()
            .uci_moves()
            .collect()
    };
    // By the curve, the defences are worth 0.016 and 0.011.
    assert_eq!(
        moves(&two_defences(-500, 600)),
        ["g8f7", "b2e5", "f7g6", "d1d5"]
    );
    // The defences are worth 0.125 and 0.011.
    assert_eq!(moves(&two_defences(-200, 600)), ["g8f7", "b2e5"]);
    // Moves after the first need only an expected score of 0.75.
    assert_eq!(
        moves(&two_defences(-500, 101)),
        ["g8f7", "b2e5", "f7g6", "d1d5"]
    );
}

#[test]
fn one_move_is_too_few_unless_it_mates() {
    let verdict = |pgn: &str, analyst: &Scripted, min_moves| {
        let mut miner = miner();
        miner.limits.min_moves = min_moves;
        mine_by(miner, pgn, analyst)[0].verdict
    };
    let pgn = format!("{START}1... Kf7 {{ [%eval 5.1] }} 2. Kf2 {{ [%eval 0.1] }} *");
    let over = two_defences(-200, 600);
    assert_eq!(verdict(&pgn, &over, 1), Verdict::Found(FoundKind::Wins));
    assert_eq!(verdict(&pgn, &over, 2), Verdict::Refused(Refusal::TooShort));
    let mate = Scripted::new(&[(
        "6k1/r4ppp/8/8/8/8/5PPP/3R2K1 w",
        &[("d1d8", Eval::mate(1)), ("g1f1", cp(0))],
    )]);
    let pgn = "[FEN \"6k1/5ppp/8/8/8/r7/5PPP/3R2K1 b - - 0 1\"]\n\n1... Ra7 { [%eval #1] } 2. Kf1 { [%eval 0.0] } *";
    assert_eq!(verdict(pgn, &mate, 2), Verdict::Found(FoundKind::Wins));
    assert_eq!(verdict(pgn, &mate, 3), Verdict::Refused(Refusal::TooShort));
}

/// Solutions that would be too short are refused before the last stage, and no question is asked
/// twice.
#[test]
fn only_solutions_that_continue_reach_the_last_stage() {
    let pgn = format!("{START}1... Kf7 {{ [%eval 5.1] }} 2. Kf2 {{ [%eval 0.1] }} *");
    let mine = |analyst: &Scripted, min_moves| {
        let mut miner = miner();
        miner.limits.min_moves = min_moves;
        let candidate = mine_by(miner, &pgn, analyst).remove(0);
        (
            candidate.verdict,
            candidate.stages,
            analyst.asked().contains(&(500_000, 2)),
        )
    };
    let short = |min_moves| mine(&two_defences(-200, 600), min_moves);
    assert_eq!(short(2), (Verdict::Refused(Refusal::TooShort), 2, false));
    assert_eq!(short(1), (Verdict::Found(FoundKind::Wins), 3, true));
    let long = two_defences(-500, 600);
    assert_eq!(mine(&long, 2), (Verdict::Found(FoundKind::Wins), 3, true));
    let mut asked = long.asked.lock().unwrap().clone();
    asked.sort();
    assert!(asked.windows(2).all(|pair| pair[0] != pair[1]), "{asked:?}");
}

/// The game's evaluation shows a won position, which the first, short search does not find.
#[test]
fn the_evaluation_of_the_game_overrules_the_first_search() {
    struct Deep(Scripted);
    impl Analyst for Deep {
        fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
            let mut analysis = self.0.analyse(question)?;
            if question.limit == Limit::Nodes(30_000) {
                analysis.lines[0].eval = cp(30);
            }
            Ok(analysis)
        }
        fn identity(&self) -> Arc<Identity> {
            Arc::default()
        }
        fn parallelism(&self) -> usize {
            1
        }
    }
    let game = |eval| -> Game {
        let pgn = format!("{START}1... Kf7 {{ [%eval {eval}] }} 2. Kf2 {{ [%eval 0.1] }} *");
        Reader::new(pgn.as_bytes())
            .next()
            .unwrap()
            .unwrap()
            .unwrap()
    };
    let deep = Deep(two_defences(-500, 600));
    let rules = MiningRules::Centipawn {
        miner: Box::new(miner()),
        evals: Some(Dialect::Auto),
    };
    let verdict = |eval| rules.mine(&game(eval), &deep).unwrap().candidates[0].verdict;
    assert_eq!(verdict("5.1"), Verdict::Found(FoundKind::Wins));
    // If the evaluation is half a pawn below a win, it does not overrule the search.
    assert_eq!(verdict("2.1"), Verdict::Refused(Refusal::NothingStandsOut));
}

#[test]
fn puzzles_name_their_players_and_can_be_filtered_by_them() {
    let pgn = format!("[White \"Ann, A.\"]\n[Black \"Bob\"]\n[Date \"2024.02.01\"]\n{START}");
    let played = |mv| format!("{pgn}1... Kf7 {{ [%eval 5.1] }} 2. {mv} {{ [%eval 0.1] }} *");
    let analyst = two_defences(-500, 600);
    let of = |player: &str, missed, pgn: &str| {
        let solver = SolverFilter {
            player: Some(player.to_owned()),
            missed,
        };
        mine_by(Miner { solver, ..miner() }, pgn, &analyst)
    };
    let mined = of("ann", true, &played("Kf2"));
    let game = mined[0].puzzle.as_ref().unwrap().game.as_ref().unwrap();
    assert_eq!(
        (
            game.white.as_str(),
            game.date.as_str(),
            game.played.as_str()
        ),
        ("Ann, A.", "2024.02.01", "Kf2")
    );
    assert_eq!(game.erred, [Side::Black, Side::White]);
    let asked = analyst.asked().len();
    // Black has nothing to solve here, so nothing is searched. White did find the move.
    assert!(
        of("Bob", false, &played("Kf2"))
            .iter()
            .all(|candidate| candidate.ply != 1)
    );
    assert!(of("Carl", false, &played("Kf2")).is_empty());
    assert!(analyst.asked().len() <= asked + 2, "{:?}", analyst.asked());
    assert_eq!(
        of("Ann", true, &played("Be5"))[0].verdict,
        Verdict::Refused(Refusal::WasPlayed)
    );
    let found = of("Ann", false, &played("Be5"));
    assert_eq!(
        found[0]
            .puzzle
            .as_ref()
            .unwrap()
            .game
            .as_ref()
            .unwrap()
            .erred,
        [Side::Black]
    );
}

/// Returns a game with two rooks, and an analyst. After 1. Rb7 the rooks mate on the eighth rank,
/// wherever the king goes.
fn ladder() -> (String, Scripted) {
    let pgn = "[FEN \"5k2/8/8/8/8/1R6/R7/6K1 b - - 0 1\"]\n\n1... Ke8 { [%eval #2] } 2. Kf2 { [%eval 0.0] } *";
    let analyst = Scripted::new(&[
        ("5k2/8/8/8/8/1R6/R7/6K1 b", &[("f8g7", cp(0))]),
        (
            "4k3/8/8/8/8/1R6/R7/6K1 w",
            &[("b3b7", Eval::mate(2)), ("g1f2", cp(0))],
        ),
        (
            "4k3/1R6/8/8/8/8/R7/6K1 b",
            &[("e8d8", Eval::mate(-1)), ("e8f8", Eval::mate(-1))],
        ),
    ]);
    (pgn.to_owned(), analyst)
}

#[test]
fn mates_are_followed_to_the_end() {
    let (pgn, analyst) = ladder();
    let candidates = mine(&pgn, &analyst);
    let puzzle = candidates[0].puzzle.as_ref().unwrap();
    assert_eq!(
        puzzle.uci_moves().collect::<Vec<_>>(),
        ["f8e8", "b3b7", "e8d8", "a2a8"]
    );
    assert!(puzzle.themes.contains(Theme::MateIn2));
    let tree = puzzle.tree.as_ref().unwrap();
    // The other defence has the same answer, so there is no branch for it.
    assert_eq!(tree.nodes().len(), 2);
    assert_eq!(tree.nodes()[0].replies.len(), 1);
    assert_eq!(tree.nodes()[1].end, Some(LineEnd::Mate));
    // Questions: the position before, three stages, the defences, two about zugzwang, and the
    // game's last position. Mates in one need no engine.
    assert_eq!(analyst.asked().len(), 1 + 3 + 1 + 2 + 1);
}

/// All data of a puzzle's tree and game can be read from JSON and from PGN: evaluations,
/// transpositions, ends.
#[test]
fn trees_are_read_as_they_were_written() {
    let json = r#"{"id":"x","fen":"6k1/8/2p5/3p4/8/8/1B6/3R2K1 b - - 0 1","moves":["g8f7","b2e5","f7g6","d1d2","g6f5","d2d1"],
        "themes":["advantage"],"game":{"white":"Ann","site":"Club","played":"Kf2","played_symbol":"??","erred":["black","white"]},
        "tree":[{"answers":[{"move":"b2e5","eval":{"cp":612},"expected":0.971},{"move":"b2d4","eval":{"mate":7},"expected":1.0}],
                 "replies":[{"move":"f7g6","next":1},{"move":"f7e6","next":3}]},
                {"answers":[{"move":"d1d2","eval":{"cp":-3},"expected":0.42}],"replies":[{"move":"g6f5","next":2}]},
                {"answers":[{"move":"d2d1","eval":{"cp":20},"expected":0.5}],"end":"settled","continuation":["f5g4","d1f1"]},
                {"answers":[{"move":"d1d2","eval":{"cp":5},"expected":0.9}],"replies":[{"move":"e6f5","next":2}]}]}"#
        .replace('\n', "");
    let ladder = {
        let (pgn, analyst) = ladder();
        *mine(&pgn, &analyst).remove(0).puzzle.unwrap()
    };
    for puzzle in [
        Puzzles::new(json.as_bytes(), None)
            .unwrap()
            .next()
            .unwrap()
            .unwrap(),
        ladder,
    ] {
        for format in [Format::Json, Format::Pgn] {
            let mut out = Writer::new(Vec::new(), format);
            out.write(&puzzle).unwrap();
            let text = String::from_utf8(out.finish().unwrap()).unwrap();
            let read = Puzzles::new(text.as_bytes(), None)
                .unwrap()
                .next()
                .unwrap()
                .unwrap();
            assert_eq!(read.document(), puzzle.document(), "{text}");
        }
    }
}

#[test]
fn branches_are_variations() {
    // Two defences have different answers, and one position has a second correct move.
    let json = r#"{"fen":"5k2/8/8/8/8/1R6/R7/6K1 b - - 0 1","moves":["f8e8","b3b7","e8d8","a2a8"],"themes":[],
        "tree":[{"answers":[{"move":"b3b7","eval":{"mate":2},"expected":1},{"move":"a2a7"}],
                 "replies":[{"move":"e8d8","next":1},{"move":"e8f8","next":2}]},
                {"answers":[{"move":"a2a8"}],"end":"mate"},{"answers":[{"move":"a2a8"},{"move":"b7b8"}],"end":"mate"}]}"#
        .replace('\n', "");
    let puzzle = Puzzles::new(json.as_bytes(), None)
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let mut out = Writer::new(Vec::new(), Format::Pgn);
    out.write(&puzzle).unwrap();
    let text = String::from_utf8(out.finish().unwrap()).unwrap();
    let flat = text.replace('\n', " ");
    assert!(
        flat.contains("( 2. Ra7 )") && flat.contains("( 2... Kf8 3. Ra8# ( 3. Rb8+ ) )"),
        "{text}"
    );
    let read = Puzzles::new(text.as_bytes(), None)
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let moves = |puzzle: &Puzzle| -> Vec<(Vec<_>, Vec<_>)> {
        let nodes = puzzle.tree.as_ref().unwrap().nodes().iter();
        nodes
            .map(|node| {
                (
                    node.answers.iter().map(|answer| answer.mv).collect(),
                    node.replies.iter().map(|reply| reply.mv).collect(),
                )
            })
            .collect()
    };
    assert_eq!(moves(&read), moves(&puzzle));
}

#[test]
fn damaged_trees_are_refused_with_the_reason() {
    let json = |tree: &str| {
        format!(
            r#"{{"fen":"5k2/8/8/8/8/1R6/R7/6K1 b - - 0 1","moves":["f8e8","b3b7"],"themes":[],"tree":{tree}}}"#
        )
    };
    for (tree, reason) in [
        (r#"[{"answers":[]}]"#, "a position has no answer"),
        (
            r#"[{"answers":[{"move":"b3b6"}]}]"#,
            "its main line is not the solution",
        ),
        (
            r#"[{"answers":[{"move":"b3b7"}],"replies":[{"move":"e8d8","next":5}]}]"#,
            "that is not there",
        ),
        (
            r#"[{"answers":[{"move":"b3b7"}],"replies":[{"move":"e8d8","next":0}]}]"#,
            "that is not there",
        ),
        (
            r#"[{"answers":[{"move":"b3b7"}]},{"answers":[{"move":"a2a8"}]}]"#,
            "no reply leads to",
        ),
        (
            r#"[{"answers":[{"move":"h3b7"}]}]"#,
            "h3b7 is not a legal move",
        ),
        (
            r#"[{"answers":[{"move":"b3b7"}],"replies":[{"move":"e8d8","next":1},{"move":"e8f8","next":1}]},{"answers":[{"move":"a2a8"}]}]"#,
            "two replies lead to different positions",
        ),
        (
            r#"[{"answers":[{"move":"b3b7"}],"replies":[{"move":"e8d8","next":1}]},
                {"answers":[{"move":"b7b6"}],"replies":[{"move":"d8e8","next":2}]},
                {"answers":[{"move":"b6b7"}],"replies":[{"move":"e8d8","next":1}]}]"#,
            "it contains a cycle",
        ),
    ] {
        let text = json(&tree.replace('\n', " "));
        let error = Puzzles::new(text.as_bytes(), None)
            .unwrap()
            .next()
            .unwrap()
            .unwrap_err()
            .to_string();
        assert!(error.contains(reason), "{error}");
    }
}

/// A malicious file may contain thousands of positions in one line.
#[test]
fn endless_trees_are_refused() {
    let there_and_back = "2. Kf2 Kf7 3. Kg1 Kg8 ".repeat(2_000);
    let pgn = format!(
        "[FEN \"6k1/8/2p5/3p4/8/8/1B6/3R2K1 b - - 0 1\"]\n\n1... Kf7 2. Be5 (2. Bd4) Kg8 {there_and_back} 4. Kf2 *"
    );
    let error = Puzzles::new(pgn.as_bytes(), None)
        .unwrap()
        .next()
        .unwrap()
        .unwrap_err()
        .to_string();
    assert!(error.contains("more than 1000 half-moves"), "{error}");
    let wide = "(2. Bd4) ".repeat(1_100);
    let pgn =
        format!("[FEN \"6k1/8/2p5/3p4/8/8/1B6/3R2K1 b - - 0 1\"]\n\n1... Kf7 2. Be5 {wide} *");
    let error = Puzzles::new(pgn.as_bytes(), None)
        .unwrap()
        .next()
        .unwrap()
        .unwrap_err()
        .to_string();
    assert!(error.contains("too many positions"), "{error}");
}

/// A player may resign after a blunder, so the last position can be a puzzle.
#[test]
fn the_last_position_of_a_game_is_examined() {
    let last = "6k1/8/2p5/3p4/8/8/1B6/3R2K1 b";
    let mut analyst = Scripted::new(&[
        (SHOWN, &[("b2e5", cp(600)), ("g1f2", cp(5))]),
        (last, &[("g8f8", cp(0))]),
    ]);
    analyst.elsewhere = cp(400);
    let candidates = mine(&format!("{START}1... Kf7 {{ [%eval 5.1] }} *"), &analyst);
    assert_eq!(
        (candidates[0].verdict, candidates[0].played),
        (Verdict::Found(FoundKind::Wins), None)
    );
}

#[test]
fn a_capture_of_a_hanging_piece_is_refused() {
    let shown = "4k3/8/8/3r4/8/8/8/3RK3 w";
    let mut analyst = Scripted::new(&[
        (shown, &[("d1d5", cp(600)), ("e1e2", cp(-500))]),
        ("4k3/8/8/7r/8/8/8/3RK3 b", &[("e8e7", cp(0))]),
    ]);
    analyst.elsewhere = cp(400);
    let pgn = "[FEN \"4k3/8/8/7r/8/8/8/3RK3 b - - 0 1\"]\n\n1... Rd5 { [%eval 5.0] } 2. Ke2 { [%eval -4.0] } *";
    assert_eq!(
        mine(pgn, &analyst)[0].verdict,
        Verdict::Refused(Refusal::WinsMaterial)
    );
}

fn verify(moves: &[&str], analyst: &Scripted) -> Option<FaultKind> {
    let start = History::from_fen("6k1/8/2p5/3p4/8/8/1B6/3R2K1 b - - 0 1", None).unwrap();
    let puzzle = Puzzle::new(&start, moves.iter().copied()).unwrap();
    let verifier = Verifier {
        scorer: Scorer::by(Curve::Relevance { balance: 1.0 }),
        rule: Rule::default(),
        limit: Limit::Nodes(7),
    };
    verifier
        .verify(&Claim::of_puzzle(&puzzle, &verifier.rule), analyst)
        .unwrap()
        .fault
        .map(|fault| fault.kind)
}

#[test]
fn solutions_are_verified() {
    let stands = |lines: &Lines| verify(&["g8f7", "b2e5"], &Scripted::new(&[(SHOWN, lines)]));
    assert!(stands(&[("b2e5", cp(600)), ("g1f2", cp(100))]).is_none());
    assert!(matches!(
        stands(&[("b2e5", cp(600)), ("g1f2", cp(500))]),
        Some(FaultKind::AsGood(_))
    ));
    assert!(matches!(
        stands(&[("g1f2", cp(500)), ("b2e5", cp(0))]),
        Some(FaultKind::Better(_))
    ));
    assert!(matches!(
        stands(&[("b2e5", cp(-120)), ("g1f2", cp(-900))]),
        Some(FaultKind::Misses)
    ));
    // The engine's two lines do not contain the solution, so it is searched separately.
    assert!(stands(&[("g1f2", cp(0)), ("g1g2", cp(-10)), ("b2e5", cp(600))]).is_none());
}

/// Moves that a tree lists as correct must be correct.
#[test]
fn moves_listed_as_correct_are_verified() {
    let json = |second: &str| {
        format!(
            r#"{{"fen":"6k1/8/2p5/3p4/8/8/1B6/3R2K1 b - - 0 1","moves":["g8f7","b2e5"],"themes":[],
            "tree":[{{"answers":[{{"move":"b2e5","expected":0.99}},{{"move":"{second}"}}]}}]}}"#
        )
        .replace('\n', " ")
    };
    let verifier = Verifier {
        scorer: Scorer::by(Curve::Relevance { balance: 1.0 }),
        rule: Rule::default(),
        limit: Limit::Nodes(7),
    };
    let analyst = Scripted::new(&[(
        SHOWN,
        &[
            ("b2e5", cp(600)),
            ("b2f6", cp(550)),
            ("g1f2", cp(5)),
            ("d1d5", cp(-300)),
        ],
    )]);
    for (second, stands) in [("b2f6", true), ("g1f2", false), ("d1d5", false)] {
        let text = json(second);
        let puzzle = Puzzles::new(text.as_bytes(), None)
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        let claim = Claim::of_puzzle(&puzzle, &verifier.rule);
        let verified = verifier.verify(&claim, &analyst).unwrap();
        assert_eq!(
            verified.fault.is_none(),
            stands,
            "{second}: {:?}",
            verified.fault
        );
        let json = serde_json::to_string(&verified.document(&puzzle.id, None)).unwrap();
        let document: VerifiedDocument = serde_json::from_str(&json).unwrap();
        let read = document.verified(&claim).unwrap();
        assert_eq!(read.document(&puzzle.id, None), document);
        assert_eq!(format!("{:?}", read.fault), format!("{:?}", verified.fault));
    }
}

#[test]
fn a_solution_that_mates_needs_no_engine() {
    let start = History::from_fen("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", None).unwrap();
    let puzzle = Puzzle::new(&start, ["a2b2", "d1d8"]).unwrap();
    let analyst = Scripted::new(&[]);
    let verifier = Verifier {
        scorer: Scorer::of_engine(""),
        rule: Rule::default(),
        limit: Limit::Nodes(7),
    };
    assert!(
        verifier
            .verify(&Claim::of_puzzle(&puzzle, &verifier.rule), &analyst)
            .unwrap()
            .fault
            .is_none()
    );
    assert_eq!(analyst.asked(), []);
}

#[test]
fn the_solver_is_to_move_in_every_asked_position() {
    let start = History::from_fen("8/7p/5Kpk/5p2/8/4p1Pr/8/4R3 b - - 3 43", None).unwrap();
    let solution = Solution::from_uci(&start, ["h3g3", "e1h1", "g3h3", "h1h3"]).unwrap();
    assert_eq!(
        solution
            .asked()
            .filter(|position| position.turn() == solution.solver())
            .count(),
        2
    );
    assert!(solution.ends_with_mate() && themes(&solution).contains(Theme::Mate));
}
