//! Formats the odds of two players.

use std::fmt::Write as _;

use centipawn_core::PlayerPair;
use centipawn_review::OddsDocument;

/// Returns White's odds in sentences, at most 80 columns wide.
///
/// ```
/// use centipawn_core::{Context, Eval, HumanModel, PlayerPair, Pool};
/// use centipawn_printer::odds;
/// use centipawn_review::OddsDocument;
///
/// let pair = PlayerPair {
///     ratings: [1500.0; 2],
///     seconds: 180.0,
///     clocks: Some([60.0, 30.0]),
///     pool: Pool::Unknown,
/// };
/// let by_model = HumanModel::default().odds(Eval::cp(0), 1.0, Context::default(), &pair);
/// let own = OddsDocument::new(&by_model, true);
/// assert!(odds("0.00", &pair, &own).starts_with("White wins "));
/// ```
pub fn odds(eval: &str, players: &PlayerPair, odds: &OddsDocument) -> String {
    let mut out = String::new();
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let expected = format!("expected score {:.2}", odds.expected_score);
    let _ = match (odds.win, odds.draw, odds.loss) {
        (Some(win), Some(draw), Some(loss)) => {
            writeln!(
                out,
                "White wins {}, draw {}, Black wins {}; {expected}",
                percent(win),
                percent(draw),
                percent(loss)
            )
        }
        _ => writeln!(out, "White's {expected}"),
    };
    let [white, black] = players.ratings;
    let time = clock(players.seconds);
    let _ = writeln!(
        out,
        "\nThe evaluation {eval} alone gives {:.2}, with {time} for 40 moves.",
        odds.of_evaluation
    );
    let worth = |pawns: f64| format!("as much as {pawns:+.2} pawns for White");
    if white != black {
        let _ = writeln!(
            out,
            "The ratings {white:.0} and {black:.0} are worth {}.",
            worth(odds.rating_pawns)
        );
    }
    if let (Some(pawns), Some([white, black])) = (odds.clock_pawns, players.clocks) {
        let _ = writeln!(
            out,
            "The clocks {} and {} are worth {}.",
            clock(white),
            clock(black),
            worth(pawns)
        );
    }
    out
}

/// Formats a time on the clock: `1:05`, `1:10:00`.
fn clock(seconds: f64) -> String {
    let all = seconds.round() as u64;
    match all / 3600 {
        0 => format!("{}:{:02}", all / 60, all % 60),
        hours => format!("{hours}:{:02}:{:02}", all / 60 % 60, all % 60),
    }
}
