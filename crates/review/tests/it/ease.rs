//! Ease in reviews, with a small random network and an analyst whose answers are written here.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use centipawn_core::{EASE_CURVE, Eval, History};
use centipawn_engine::{Analysis, Analyst, AnalystError, Identity, Limit, Line, Question};
use centipawn_judge::{
    JudgeOptions,
    ease::{EaseJudge, JudgedEase, KnownEvals},
};
use centipawn_pgn::{Dialect, Game, Reader};
use centipawn_policy::Network;
use centipawn_progress::{Cancel, Silent};
use centipawn_review::{Event, Review, ReviewOptions, review_games};

/// Each legal move is worth a pawn less than the one before it.
#[derive(Default)]
struct Ranks {
    asked: Mutex<Vec<usize>>,
}

impl Analyst for Ranks {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        self.asked.lock().unwrap().push(question.searchmoves.len());
        let legal = question.history.position();
        let rank = |mv| {
            shakmaty::Position::legal_moves(legal)
                .iter()
                .position(|other| *other == mv)
                .unwrap()
        };
        let candidates = question.candidates()?;
        let line = |mv| Line {
            pv: vec![mv],
            eval: Eval::cp(100 - 100 * rank(mv) as i32),
            last_exact: None,
            wdl: None,
            depth: 1,
            seldepth: None,
        };
        let mut lines: Vec<Line> = candidates.into_iter().map(line).collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.eval));
        lines.truncate(question.lines);
        Ok(Analysis {
            lines,
            nodes: 1,
            depth: 1,
            time: Duration::ZERO,
        })
    }

    fn identity(&self) -> Arc<Identity> {
        Arc::new(Identity {
            name: "Ranks".into(),
            ..Identity::default()
        })
    }

    fn parallelism(&self) -> usize {
        1
    }
}

fn networks() -> Vec<Network> {
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../policy/tests/data/");
    let open = |name: &str| Network::open(format!("{data}{name}.pb.gz")).unwrap();
    vec![open("attn_pemap_nosmolgen_relu"), open("res_se_conv_wdl")]
}

fn options() -> ReviewOptions {
    JudgeOptions::new(Limit::Nodes(1))
        .with_networks(&networks())
        .into()
}

fn review_of(pgn: &str, analyst: &dyn Analyst, options: &ReviewOptions) -> Review {
    let games: Vec<Game> = Reader::new(pgn.as_bytes())
        .map(|game| game.unwrap().unwrap())
        .collect();
    let mut reviews = Vec::new();
    let networks = if options.judge.ease.is_empty() {
        Vec::new()
    } else {
        networks()
    };
    review_games(
        games.into_iter(),
        analyst,
        &networks,
        options,
        &Cancel::new(),
        &Silent,
        |event| match event {
            Event::Reviewed(review) => reviews.push(*review),
            Event::Failed(failure) => panic!("{failure}"),
        },
    );
    reviews.remove(0)
}

/// Begins after six moves of knights, because networks do not know the first three moves of each
/// side.
const GAME: &str = "[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 12 7\"]\n\n7. e4 e5 8. Qh5 Nc6 9. Bc4 Nf6 *";

#[test]
fn every_move_has_its_ease() {
    let analyst = Ranks::default();
    let review = review_of(GAME, &analyst, &options());
    assert!(
        review
            .plies
            .iter()
            .all(|ply| ply.ease.len() == 2 && ply.ease.iter().all(JudgedEase::is_exact))
    );
    assert_eq!(review.bounded_ease_note(), None);
    // The hardest moments come first, by the network in the middle.
    let ease = |index: usize| review.plies[index].ease[1].ease.sum;
    assert_eq!(review.hardest_moments.len(), 3);
    assert!(
        review
            .hardest_moments
            .is_sorted_by_key(|index| ease(*index))
    );
    let hardest = review.hardest_moments[0];
    assert!((0..review.plies.len()).all(|index| ease(index) >= ease(hardest)));
    // The move to find is the analyst's best, and the remark has its probability by each network.
    let ply = &review.plies[hardest];
    let best = ply.to_be_found().unwrap();
    assert_eq!(best, ply.lines[0].first_move());
    let sentence = review.language.hard_moment(ply).unwrap();
    let percent = format!(
        "res_se_conv_wdl: {:.0} %",
        100.0 * ply.ease[1].probability(best).unwrap()
    );
    assert!(
        sentence.contains(&percent) && sentence.contains("attn_pemap_nosmolgen_relu: "),
        "{sentence}"
    );
    // The judge sends one request for each position, with all natural moves.
    let asked = analyst.asked.lock().unwrap();
    assert!(
        asked.iter().any(|searchmoves| *searchmoves > 2),
        "{asked:?}"
    );
}

#[test]
fn ease_changes_no_symbols_and_losses() {
    let [with, without] = [options(), ReviewOptions::new(Limit::Nodes(1))]
        .map(|options| review_of(GAME, &Ranks::default(), &options));
    for (with, without) in with.plies.iter().zip(&without.plies) {
        assert_eq!(
            (with.symbol, with.score_loss, with.eval_before),
            (without.symbol, without.score_loss, without.eval_before)
        );
        assert!(without.ease.is_empty());
    }
    assert!(without.hardest_moments.is_empty());
    let json = serde_json::to_value(without.document()).unwrap();
    assert!(json.get("hardest_moments").is_none() && json["plies"][0].get("ease").is_none());
    assert!(!without.annotated().to_string().contains("%ease"));
}

#[test]
fn documents_and_games_contain_ease() {
    let review = review_of(GAME, &Ranks::default(), &options());
    let json = serde_json::to_value(review.document()).unwrap();
    for (ply, document) in review.plies.iter().zip(json["plies"].as_array().unwrap()) {
        assert_eq!(document["ease"][1]["policy"], "res_se_conv_wdl");
        assert_eq!(document["ease"][1]["ease"], ply.ease[1].ease.sum);
        assert!(document["ease"][0].get("ease_at_most").is_none());
    }
    assert_eq!(json["hardest_moments"][0], review.hardest_moments[0] + 1);
    let remarks = json["plies"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|ply| ply.get("hardness"));
    let expected = review
        .plies
        .iter()
        .enumerate()
        .filter(|(index, _)| review.hardest_moments.contains(index));
    let expected = expected.map(|(_, ply)| review.language.hard_moment(ply).unwrap());
    assert!(
        remarks
            .map(|remark| remark.as_str().unwrap().to_owned())
            .eq(expected)
    );

    let once = review.annotated().to_string();
    assert_eq!(once.matches("[%ease ").count(), review.plies.len());
    assert!(once.contains(&format!("[%ease {:.2}]", review.plies[0].ease[1].ease.sum)));
    let twice = review_of(&once, &Ranks::default(), &options())
        .annotated()
        .to_string();
    assert_eq!(once, twice);
    // A review replaces an ease that the game contains.
    let other = once.replace("[%ease 0.", "[%ease 1.");
    assert_eq!(
        review_of(&other, &Ranks::default(), &options())
            .annotated()
            .to_string(),
        once
    );
}

/// The networks have no rating, so no sentence says from which rating on players find the move.
#[test]
fn hard_moments_are_described_in_both_languages() {
    for (language, wanted) in [
        (
            "en",
            [
                "; ease 0.",
                "The move to find was ",
                "A good move is found by ",
            ],
        ),
        (
            "de",
            [
                "; Leichtigkeit 0,",
                " war zu finden",
                "Einen guten Zug finden ",
            ],
        ),
    ] {
        let review = review_of(
            GAME,
            &Ranks::default(),
            &ReviewOptions {
                language: language.parse().unwrap(),
                ..options()
            },
        );
        let sentence = review
            .language
            .hard_moment(&review.plies[review.hardest_moments[0]])
            .unwrap();
        assert!(
            wanted.iter().all(|words| sentence.contains(words)),
            "{sentence}"
        );
    }
}

/// A game's own evaluations do not cover all natural moves. The review then has only bounds of
/// ease, and asks no analyst.
#[test]
fn evaluations_of_the_game_give_bounds_of_ease() {
    struct Nobody(AtomicBool);
    impl Analyst for Nobody {
        fn analyse(&self, _: &Question) -> Result<Analysis, AnalystError> {
            self.0.store(true, Ordering::Relaxed);
            Err(AnalystError::NoEngines)
        }
        fn identity(&self) -> Arc<Identity> {
            Arc::default()
        }
        fn parallelism(&self) -> usize {
            1
        }
    }
    let start = "[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 12 7\"]";
    let moves =
        "7. e4 { [%eval 0.24] } e5 { [%eval 0.12] } 8. Qh5 { [%eval -0.3] } Ke7 { [%eval #1] } *";
    let pgn = &format!("{start}\n\n{moves}");
    let nobody = Nobody(AtomicBool::new(false));
    let review = review_of(
        pgn,
        &nobody,
        &JudgeOptions {
            reuse_evals: Some(Dialect::Auto),
            ..options().judge
        }
        .into(),
    );
    assert!(!nobody.0.into_inner());
    assert_eq!(review.bounded_ease(), 4);
    assert!(
        review
            .bounded_ease_note()
            .unwrap()
            .starts_with("Ease of 4 positions is given as \"at most\"")
    );
    assert!(!review.annotated().to_string().contains("%ease"));
    let json = serde_json::to_value(review.document()).unwrap();
    let ease = &json["plies"][3]["ease"][0];
    assert!(
        ease["ease"].is_null()
            && ease["ease_at_most"].is_f64()
            && !ease["missing"].as_array().unwrap().is_empty()
    );
    assert!(
        json["notes"]
            .as_array()
            .unwrap()
            .iter()
            .any(|note| note.as_str().unwrap().contains("Ease of 4 positions"))
    );
}

/// The evaluations of [`Ranks`], but at depth 1 all moves are equal.
#[derive(Default)]
struct Shallow {
    ranks: Ranks,
    limits: Mutex<Vec<Limit>>,
    /// Whether answers have a depth, as answers of searches do.
    has_depth: bool,
}

impl Analyst for Shallow {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        self.limits.lock().unwrap().push(question.limit);
        let mut analysis = self.ranks.analyse(question)?;
        for line in &mut analysis.lines {
            line.depth = u32::from(self.has_depth);
            if question.limit == Limit::Depth(1) {
                line.eval = Eval::cp(100);
            }
        }
        Ok(analysis)
    }

    fn identity(&self) -> Arc<Identity> {
        self.ranks.identity()
    }

    fn parallelism(&self) -> usize {
        1
    }
}

/// Returns the ease of the start position for a player with this rating.
fn judged_for(rating: u32, analyst: &Shallow) -> JudgedEase {
    let networks = [Network::bundled().unwrap()];
    let judge = EaseJudge {
        networks: &networks,
        levels: &[],
        analyst: Some(analyst),
        limit: Limit::Nodes(1),
        lines: 5,
        curve: EASE_CURVE,
        ahead: 1,
    };
    judge
        .judge(&History::default(), KnownEvals::default(), Some(rating))
        .unwrap()
        .remove(0)
}

/// From a rating of 2300 on, two short searches find the losses that strong players see at once.
/// They change the expected moves.
#[test]
fn only_strong_players_have_early_losses() {
    let searched = || Shallow {
        has_depth: true,
        ..Shallow::default()
    };
    let (weak, strong) = (searched(), searched());
    let [below, above] =
        [(2299, &weak), (2300, &strong)].map(|(rating, analyst)| judged_for(rating, analyst));
    assert!(
        weak.limits
            .lock()
            .unwrap()
            .iter()
            .all(|limit| *limit == Limit::Nodes(1))
    );
    assert!(below.moves.iter().all(|mv| mv.early_loss.is_none()));
    let asked = strong.limits.lock().unwrap().clone();
    assert_eq!(asked[asked.len() - 2..], [Limit::Depth(1), Limit::Depth(4)]);
    // The mean of both depths: nothing at depth 1, and the loss against the best listed move at
    // depth 4.
    let best = above.moves.iter().map(|mv| mv.q).fold(-1.0, f64::max);
    for mv in &above.moves {
        let early = mv.early_loss.unwrap();
        assert!((early - (best - mv.q) / 4.0).abs() < 1e-9, "{mv:?}");
    }
    // Answers without a depth, as from endgame tables, give no early losses.
    let known = judged_for(2300, &Shallow::default());
    assert!(known.moves.iter().all(|mv| mv.early_loss.is_none()));
    let p = |judged: &JudgedEase| judged.moves.iter().map(|mv| mv.p).collect::<Vec<_>>();
    assert!(p(&known) != p(&above));
    assert_eq!(above.ease.sum, known.ease.sum);
}

/// The same as [`Ranks`], but a search of chosen moves finds one of them far better.
struct Finds(shakmaty::Move);

impl Analyst for Finds {
    fn analyse(&self, question: &Question) -> Result<Analysis, AnalystError> {
        let mut analysis = Ranks::default().analyse(question)?;
        for line in analysis
            .lines
            .iter_mut()
            .filter(|line| !question.searchmoves.is_empty() && line.first_move() == self.0)
        {
            line.eval = Eval::cp(900);
        }
        Ok(analysis)
    }

    fn identity(&self) -> Arc<Identity> {
        Ranks::default().identity()
    }

    fn parallelism(&self) -> usize {
        1
    }
}

fn judged(
    networks: &[Network],
    levels: &[u32],
    analyst: &dyn Analyst,
    known: KnownEvals,
    player: Option<u32>,
) -> Vec<JudgedEase> {
    let limit = Limit::Nodes(1);
    let judge = EaseJudge {
        networks,
        levels,
        analyst: Some(analyst),
        limit,
        lines: 1,
        curve: EASE_CURVE,
        ahead: 1,
    };
    judge.judge(&History::default(), known, player).unwrap()
}

/// The best move is natural at one level only.
#[test]
fn all_levels_are_compared_with_the_same_best_move() {
    let networks = [Network::bundled().unwrap()];
    let of = |analyst: &dyn Analyst| {
        judged(
            &networks,
            &[1100, 1900],
            analyst,
            KnownEvals::default(),
            None,
        )
    };
    let levels = of(&Ranks::default());
    let natural = |level: usize| levels[level].natural.iter().map(|(mv, _)| *mv);
    let of_one = natural(0).find(|mv| natural(1).all(|other| other != *mv));
    let of_one = of_one
        .or_else(|| natural(1).find(|mv| natural(0).all(|other| other != *mv)))
        .unwrap();
    let levels = of(&Finds(of_one));
    let best = levels
        .iter()
        .flat_map(|level| &level.moves)
        .map(|mv| mv.q)
        .fold(-1.0, f64::max);
    for level in &levels {
        for mv in &level.moves {
            assert!((mv.loss - (best - mv.q) / 2.0).abs() < 1e-12, "{mv:?}");
        }
    }
}

/// The played move is an unlikely blunder, so it is not among the natural moves.
#[test]
fn the_played_move_is_always_evaluated() {
    let networks = [Network::bundled().unwrap()];
    let played = History::default().parse_uci("g2g4").unwrap();
    for (known, is_evaluated) in [(None, false), (Some(played), true)] {
        let known = KnownEvals {
            played: known,
            ..KnownEvals::default()
        };
        let judged = judged(&networks, &[1500], &Ranks::default(), known, None).remove(0);
        assert!(judged.natural.iter().all(|(mv, _)| *mv != played));
        assert_eq!(judged.moves.iter().any(|mv| mv.mv == played), is_evaluated);
    }
}

/// The network has a single level.
#[test]
fn a_network_without_levels_judges_all_players() {
    let networks = networks();
    for judged in judged(
        &networks,
        &[],
        &Ranks::default(),
        KnownEvals::default(),
        Some(2500),
    ) {
        assert_eq!(judged.player, Some(2500));
    }
}
