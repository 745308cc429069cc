//! The table "what is +1.00 worth" of README.md equals the numbers of the curves.

use centipawn_core::{Context, Curve, HumanCurve, HumanModel, Pool};

fn people(rating: f64, seconds: f64, pool: Pool) -> Curve {
    Curve::Human(HumanCurve {
        rating,
        seconds,
        pool,
        units: 1.0,
        model: HumanModel::default(),
    })
}

#[test]
fn the_table_of_expected_scores_is_current() {
    const CLASSICAL: f64 = 5400.0 + 40.0 * 30.0;
    let rows = [
        (
            "two people rated 1200 on Lichess, 3 minutes each",
            people(1200.0, 180.0, Pool::Lichess),
        ),
        (
            "two people rated 1500 on Lichess, 10 minutes",
            people(1500.0, 600.0, Pool::Lichess),
        ),
        (
            "two people rated 1800 by FIDE, 90 minutes + 30 s",
            people(1800.0, CLASSICAL, Pool::Fide),
        ),
        (
            "two people rated 2100 by FIDE, 90 minutes + 30 s",
            people(2100.0, CLASSICAL, Pool::Fide),
        ),
        (
            "two people rated 2700 by FIDE, 90 minutes + 30 s",
            people(2700.0, CLASSICAL, Pool::Fide),
        ),
        (
            "Stockfish 18 against itself",
            Curve::by_name("stockfish-18", 1.0).unwrap(),
        ),
    ];
    let mut table =
        "| players | +1.00 scores | +3.00 scores | scores 75 % from |\n| --- | --- | --- | --- |\n"
            .to_owned();
    let context = Context::default();
    for (who, curve) in rows {
        let percent = |pawns| 100.0 * curve.at(pawns, context);
        let line = format!(
            "| {who} | {:.0} % | {:.0} % | +{:.2} |\n",
            percent(1.0),
            percent(3.0),
            curve.balance(context)
        );
        table += &line;
    }
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    assert!(
        readme.contains(&table),
        "README.md should have this table:\n{table}"
    );
}
