//! Formats win-draw balances.

use std::fmt::Write as _;

use centipawn_calibrate::balance::{BalanceEstimate, BalanceKey};
use centipawn_progress::text::{printable, thousands};
use centipawn_work::scan::Balances;
use unicode_width::UnicodeWidthStr as _;

use crate::columns::{padded, shortened};

/// Width of the column of names.
const NAME: usize = 26;

/// Returns a table of balances in pawns, after warnings about the games. If [`Balances::list`] is
/// set, the games that were not won follow each row.
pub fn balances(balances: &Balances) -> String {
    let mut out: String = balances
        .warnings
        .iter()
        .map(|own| format!("Warning: {}\n", printable(own)))
        .collect();
    let _ = writeln!(
        out,
        "{:NAME$}{:>6}{:>6}{:>9}{:>9}  {:14}{:>7}",
        "", "games", "wins", "highest", "balance", "95 %", "fitted"
    );
    let mut event = None;
    for row in &balances.rows {
        if row.key.event.is_some() && event != row.key.event {
            event.clone_from(&row.key.event);
            let _ = writeln!(
                out,
                "{}",
                shortened(event.as_deref().unwrap_or_default(), 80)
            );
        }
        let number = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let range = |(low, high): (f64, f64)| format!("{low:.2} to {high:.2}");
        let fitted = row.fitted.as_ref();
        let name = name(&row.key);
        let name = if name.width() >= NAME {
            format!("{}\n{:NAME$}", shortened(&name, 79), "")
        } else {
            padded(&name, NAME)
        };
        let _ = writeln!(
            out,
            "{name}{:>6}{:>6}{:>9}{:>9}  {:14}{:>7}",
            row.games,
            row.wins,
            number(row.highest_not_won.map(|highest| highest.to_string())),
            number(row.balance.map(|balance| balance.to_string())),
            number(row.interval.map(|(low, high)| format!("{low} to {high}"))),
            number(fitted.map(|fitted| format!("{:.2}", fitted.balance))),
        );
        if let Some(why) = row.reason() {
            let _ = writeln!(out, "  no counting estimate: {why}");
        }
        if let Some(interval) = fitted.and_then(|fitted| fitted.interval) {
            let _ = writeln!(out, "{:68}({})", "", range(interval));
        }
        if let Some(stretched) = &row.stretched {
            let interval = |interval: Option<_>| {
                interval.map_or_else(String::new, |interval| format!(" ({})", range(interval)))
            };
            let _ = writeln!(
                out,
                "  relevance-stretched: balance {:.2}{}, slope {:.2}{};\n    log loss {:.4} instead of {:.4} with slope 1",
                stretched.balance,
                interval(stretched.balance_interval),
                stretched.slope,
                interval(stretched.slope_interval),
                stretched.log_loss,
                stretched.log_loss_exponential,
            );
        } else if balances.fit {
            let _ = writeln!(
                out,
                "  relevance-stretched: no balance and slope fit the results"
            );
        }
        if balances.list {
            list(&mut out, row);
        }
    }
    for (setting, games) in &balances.contempt {
        let _ = writeln!(
            out,
            "Games that name {}: {}",
            printable(setting),
            thousands(*games)
        );
    }
    out
}

/// Lists the games that were not won, and marks the one at which the balance lies.
fn list(out: &mut String, row: &BalanceEstimate) {
    for (index, game) in row.list.iter().enumerate() {
        let mark = if index as u64 + 1 == row.wins {
            "<- balance"
        } else {
            ""
        };
        let players = shortened(&format!("{} - {}", game.players[0], game.players[1]), 34);
        let blanks = 34 - players.width();
        let line = format!(
            "  {:>4} {:>7}  move {:>3}  {players}{:blanks$} {:7} {mark}",
            game.game,
            game.highest.to_string(),
            game.move_number,
            "",
            game.result
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

fn name(key: &BalanceKey) -> String {
    let BalanceKey {
        engine,
        year,
        opponent,
        elo,
        ..
    } = key;
    match (engine, year, opponent, elo) {
        (Some(engine), Some(year), ..) => format!("{engine}, {year}"),
        (Some(engine), _, Some(opponent), _) => format!("{engine} against {opponent}"),
        (Some(engine), ..) => engine.clone(),
        (None, .., Some(elo)) => format!("Elo {elo} to {}", elo + 99),
        _ => "no Elo".to_owned(),
    }
}
