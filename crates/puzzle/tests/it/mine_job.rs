//! Mining on several threads gives the same result as mining in order.

use std::{
    collections::HashMap,
    fmt::Write as _,
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use centipawn_core::{Curve, Eval, History};
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Limit, Line, Question};
use centipawn_pgn::{Dialect, Game, Reader};
use centipawn_progress::{Cancel, run_jobs, sha256};
use centipawn_puzzle::{
    Candidate, CandidateDocument, Classic, Format, Limits, MineOptions, Mined, Miner, MiningRules,
    Rule, Scorer, SolverFilter, Writer,
};
use shakmaty::Move;

/// Derives its answers from hashes of the question, so that games are full of puzzles, of moves
/// that are missed again, and of solutions that the game follows.
struct Hashed {
    /// The move played in the games, for each position.
    played: HashMap<String, Move>,
    /// Whether the time of an answer depends on the question.
    is_slow: bool,
    /// The FEN of a position whose searches fail.
    fails_at: Option<String>,
    asked: AtomicU64,
}

/// Returns FNV-1a with a final mix of its bits.
fn hash(parts: &[&str]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
}

fn board(history: &History) -> String {
    history
        .fen()
        .split(' ')
        .take(4)
        .collect::<Vec<_>>()
        .join(" ")
}

impl Hashed {
    fn new(games: &[Game]) -> Self {
        let mut played = HashMap::new();
        for game in games {
            for (before, ply) in game.mainline() {
                played.insert(board(&before), ply.mv);
            }
        }
        Self {
            played,
            is_slow: false,
            fails_at: None,
            asked: AtomicU64::new(0),
        }
    }
}

impl Analyst for Hashed {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let history = &question.history;
        let board = board(history);
        self.asked.fetch_add(1, Ordering::Relaxed);
        if self.fails_at.as_ref() == Some(&board) {
            return Err(AnalystError::NoEngines);
        }
        let Limit::Nodes(nodes) = question.limit else {
            panic!("nodes only")
        };
        if self.is_slow {
            thread::sleep(Duration::from_micros(hash(&[&board, "time"]) % 300));
        }
        let is_deep_different = nodes >= 100_000 && hash(&[&board, "deep"]).is_multiple_of(6);
        let is_lost = hash(&[&board, "lost"]).is_multiple_of(3);
        let is_played_best = hash(&[&board, "played"]).is_multiple_of(2);
        let mut lines: Vec<(i32, String, Line)> = question
            .candidates()?
            .into_iter()
            .map(|mv| {
                let uci = history.uci(mv).to_string();
                let mut cp = match hash(&[&uci]) % 24 {
                    0 => 700,
                    1 | 2 => 20,
                    _ => -600,
                };
                if is_lost {
                    cp -= 700;
                }
                if is_played_best && self.played.get(&board) == Some(&mv) {
                    cp = 800;
                }
                if is_deep_different && hash(&[&board, &uci, "deep"]).is_multiple_of(4) {
                    cp = 650;
                }
                (
                    cp,
                    uci,
                    Line {
                        pv: vec![mv],
                        eval: Eval::cp(cp),
                        last_exact: None,
                        wdl: None,
                        depth: 1,
                        seldepth: None,
                    },
                )
            })
            .collect();
        lines.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        lines.truncate(question.lines.max(1));
        let lines = lines.into_iter().map(|(.., line)| line).collect();
        Ok(Analysis {
            lines,
            nodes,
            depth: 1,
            time: Duration::ZERO,
        })
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::default()
    }

    fn parallelism(&self) -> usize {
        4
    }
}

fn games() -> Vec<Game> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = [
        "examples/evergreen-game",
        "examples/immortal-draw",
        "examples/opera-game",
        "tests/data/lichess",
    ];
    let text = files
        .map(|file| fs::read_to_string(root.join(file).with_extension("pgn")).unwrap())
        .join("\n\n");
    let mut games: Vec<Game> = Reader::new(text.as_bytes())
        .map(|game| game.unwrap().unwrap())
        .collect();
    // Pseudorandom games with a fixed seed give many more positions.
    for seed in 0..12_u64 {
        let (mut history, mut game) = (History::default(), Game::default());
        for ply in 0..90_u64 {
            use shakmaty::Position as _;
            let legal = history.position().legal_moves();
            if legal.is_empty() {
                break;
            }
            let mv =
                legal[(hash(&[&seed.to_string(), &ply.to_string()]) % legal.len() as u64) as usize];
            history.push(mv);
            game.plies.push(centipawn_pgn::Ply::new(mv));
        }
        games.push(game);
    }
    games
}

/// Returns all data of the candidates, one line for each.
fn text(candidates: &[Candidate]) -> String {
    let mut text = String::new();
    for candidate in candidates {
        let Candidate {
            ply,
            history,
            played,
            best,
            verdict,
            stages,
            puzzle,
        } = candidate;
        write!(
            text,
            "{ply} {} {played:?} {best:?} {verdict} {stages} ",
            history.fen()
        )
        .unwrap();
        if let Some(puzzle) = puzzle {
            let mut out = Writer::new(Vec::new(), Format::Json);
            out.write(puzzle).unwrap();
            text.push_str(&String::from_utf8(out.finish().unwrap()).unwrap());
        } else {
            text.push('\n');
        }
    }
    text
}

fn centipawn() -> MiningRules {
    let miner = Miner {
        scorer: Scorer::by(Curve::Relevance { balance: 1.0 }),
        rule: Rule::default(),
        limits: Limits {
            min_moves: 1,
            ..Limits::default()
        },
        solver: SolverFilter::default(),
    };
    MiningRules::Centipawn {
        miner: Box::new(miner),
        evals: Some(Dialect::Auto),
    }
}

fn run(rules: &MiningRules, games: &[Game], analyst: &Hashed, threads: usize) -> (Vec<Mined>, u64) {
    let positions = AtomicU64::new(0);
    let on_position = || {
        positions.fetch_add(1, Ordering::Relaxed);
    };
    let jobs = games
        .iter()
        .map(|game| rules.job(game.clone(), analyst, &on_position));
    let mut all = Vec::new();
    assert!(!run_jobs(jobs, threads, &Cancel::new(), |mined| all.push(mined)));
    (all, positions.into_inner())
}

fn all_text(mined: &[Mined]) -> String {
    mined
        .iter()
        .map(|mined| text(&mined.candidates) + "\n")
        .collect()
}

/// The result of one thread is stored as a hash, so that a change of the rules is noticed.
#[test]
fn any_number_of_threads_gives_what_one_gives() {
    let games = games();
    let mut analyst = Hashed::new(&games);
    let (one, positions) = run(&centipawn(), &games, &analyst, 1);
    let one = all_text(&one);
    for verdict in [
        "one move wins",
        "the idea of an earlier puzzle",
        "in an earlier puzzle's solution",
    ] {
        assert!(one.contains(verdict), "{verdict}");
    }
    assert_eq!(
        positions,
        games
            .iter()
            .map(|game| game.plies.len() as u64)
            .sum::<u64>()
    );
    assert_eq!(sha256(one.as_bytes()), GOLDEN);
    let in_order = analyst.asked.swap(0, Ordering::Relaxed);
    assert_eq!(in_order, ASKED);
    analyst.is_slow = true;
    for threads in [2, 4, 7] {
        let (many, counted) = run(&centipawn(), &games, &analyst, threads);
        assert_eq!(all_text(&many), one, "{threads} threads");
        assert_eq!(counted, positions);
        let asked = analyst.asked.swap(0, Ordering::Relaxed);
        assert!(
            asked < in_order + in_order / 2,
            "{asked} questions with {threads} threads, {in_order} in order"
        );
    }
}

const GOLDEN: &str = "5cdc004f6291ee020e23cc6f329875cd8d5a48f3dd6aed00a346bc42bd698ad3";
const ASKED: u64 = 4929;

/// One game after another, and a single game, keep several threads busy.
#[test]
fn classic_positions_are_steps() {
    let games = games();
    let analyst = Hashed::new(&games);
    let rules = MiningRules::Classic(Classic { effort: 0.1 });
    let (one, positions) = run(&rules, &games, &analyst, 1);
    let asked = analyst.asked.swap(0, Ordering::Relaxed);
    let (many, counted) = run(&rules, &games, &analyst, 4);
    assert_eq!(all_text(&one), all_text(&many));
    assert_eq!((positions, asked), (counted, analyst.asked.into_inner()));
    assert!(one.iter().any(|mined| !mined.candidates.is_empty()));
}

#[test]
fn a_failed_position_does_not_change_other_positions() {
    let games = games();
    let mut analyst = Hashed::new(&games);
    let (whole, _) = run(&centipawn(), &games[..1], &analyst, 1);
    let (before, _) = games[0].mainline().nth(20).unwrap();
    analyst.fails_at = Some(board(&before));
    for threads in [1, 4] {
        let (mined, _) = run(&centipawn(), &games[..1], &analyst, threads);
        let plies: Vec<usize> = mined[0].failures.iter().map(|(ply, _)| *ply).collect();
        assert_eq!(plies, [19, 20, 21], "its neighbours are compared with it");
        let rest = |mined: &Mined| -> Vec<usize> {
            mined
                .candidates
                .iter()
                .map(|candidate| candidate.ply)
                .filter(|ply| *ply < 16)
                .collect()
        };
        assert_eq!(rest(&mined[0]), rest(&whole[0]));
    }
}

#[test]
fn candidates_round_trip_through_json() {
    let games = games();
    let analyst = Hashed::new(&games);
    let rules = [centipawn(), MiningRules::Classic(Classic { effort: 1.0 })];
    for mined in rules
        .iter()
        .flat_map(|rules| run(rules, &games[..6], &analyst, 2).0)
    {
        for candidate in &mined.candidates {
            let json = serde_json::to_string(&candidate.document()).unwrap();
            let document: CandidateDocument = serde_json::from_str(&json).unwrap();
            assert_eq!(document, candidate.document());
            let read = document.candidate().unwrap();
            assert_eq!(
                text(std::slice::from_ref(&read)),
                text(std::slice::from_ref(candidate))
            );
            assert_eq!(read.history.moves(), candidate.history.moves());
        }
    }
}

/// Except the questions themselves, no work may grow with the square of a game's length.
#[test]
fn mining_a_long_game_takes_linear_time() {
    let there_and_back = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(5_000);
    let pgn = format!("{there_and_back} *")
        .replace("1. ", "")
        .replace("2. ", "");
    let game = Reader::new(pgn.as_bytes())
        .next()
        .unwrap()
        .unwrap()
        .unwrap();
    assert_eq!(game.plies.len(), 20_000);
    struct Equal;
    impl Analyst for Equal {
        fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
            let pv = vec![question.history.position().legal_moves_first()];
            let line = Line {
                pv,
                eval: Eval::cp(0),
                last_exact: None,
                wdl: None,
                depth: 1,
                seldepth: None,
            };
            Ok(Analysis {
                lines: vec![line],
                nodes: 1,
                depth: 1,
                time: Duration::ZERO,
            })
        }
        fn identity(&self) -> Arc<Identity> {
            Arc::default()
        }
        fn parallelism(&self) -> usize {
            1
        }
    }
    trait First {
        fn legal_moves_first(&self) -> Move;
    }
    impl First for shakmaty::Chess {
        fn legal_moves_first(&self) -> Move {
            shakmaty::Position::legal_moves(self)[0]
        }
    }
    let mined = MineOptions::default()
        .rules_for("Stockfish 15.1")
        .mine(&game, &Equal)
        .unwrap();
    assert!(mined.candidates.is_empty() && mined.failures.is_empty());
}
