//! Formats curves of human games, at most 80 columns wide.

use std::fmt::Write as _;

use centipawn_calibrate::{
    human::{
        CellsCheck, Checked, ClassFit, ClockWorth, HumanCheck, HumanGames, HumanHeldOut,
        HumanReport, HumanTerm, LeftOut, Misfit, OwnFit, PoolLoss, ReliabilityRow, RowsCheck,
    },
    wdl::Estimate,
};
use centipawn_core::{Curve, Pool};
use centipawn_progress::text::{plural, printable, thousands};

use crate::columns::wrapped;

/// A curve of human games: the games, the constants with standard errors, classes of time and
/// rating, and the held-out test.
pub fn human(report: &HumanReport) -> String {
    let mut out = String::new();
    for warning in &report.warnings {
        let _ = writeln!(
            out,
            "{}",
            wrapped(&format!("Warning: {}", printable(warning)), 80).join("\n")
        );
    }
    let _ = writeln!(
        out,
        "{} positions of {} games between people",
        thousands(report.positions_counted),
        thousands(report.games_counted)
    );
    if report.positions + report.mates_left_out < report.positions_counted {
        let _ = writeln!(
            out,
            "fitted to {} positions of {} of them, chosen at random in each class of\ntime and \
             rating",
            thousands(report.positions),
            thousands(report.games)
        );
    }
    model(report, &mut out);
    phase_and_pools(report, &mut out);
    let _ = writeln!(out, "\n{}", classes(&report.classes));
    if !report.sources.is_empty() {
        let _ = writeln!(
            out,
            "{:>7}{:>10}{:>8}{:>15}  file",
            "games", "positions", "drawn", "k per pawn"
        );
        for own in &report.sources {
            let _ = writeln!(
                out,
                "{}  {}",
                numbers(&own.fit),
                ending(&printable(&own.source), 38)
            );
        }
        out.push('\n');
    }
    out += &minutes(report);
    if let Some(held_out) = &report.held_out {
        out += &comparison(held_out);
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// A line on the games that were left out, and why; empty if there are none.
pub fn human_left_out(games: &HumanGames) -> String {
    let mut reasons: Vec<(&LeftOut, &u64)> = games.left_out.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let reasons: Vec<String> = reasons
        .into_iter()
        .map(|(why, count)| format!("{} {}", thousands(*count), why.name()))
        .collect();
    if reasons.is_empty() {
        String::new()
    } else {
        format!("Games left out: {}", reasons.join(", "))
    }
}

fn model(report: &HumanReport, out: &mut String) {
    let _ = writeln!(
        out,
        "\nExpected score = 1/(1 + e^(-k*pawns - r*difference/400)), where"
    );
    let _ = writeln!(
        out,
        "ln k = b0 + b1*(R - 1800)/400 + ln(T/(T + half time)),"
    );
    let _ = writeln!(
        out,
        "R the mean rating, T = base + 40*increment in seconds\n"
    );
    let model = &report.model;
    let errors = report.errors.as_ref();
    let constants: [(&str, f64, Option<&Estimate>); 3] = [
        ("b0", model.b0, errors.map(|errors| &errors.b0)),
        ("b1", model.b1, errors.map(|errors| &errors.b1)),
        ("r", model.r, errors.map(|errors| &errors.r)),
    ];
    let several = |names: &[&'static str], values: Option<&[f64]>, errors: Option<&[Estimate]>| {
        let each = names.iter().zip(values.unwrap_or_default()).enumerate();
        let each = each.map(|(index, (name, value))| {
            (*name, *value, errors.map(|errors| errors[index].error))
        });
        each.collect::<Vec<_>>()
    };
    let mates = several(
        &["m0", "m1", "m2"],
        model.mates.as_ref().map(|own| &own[..]),
        errors
            .and_then(|errors| errors.mates.as_ref())
            .map(|own| &own[..]),
    );
    let clocks = several(
        &["c", "a"],
        model.clocks.as_ref().map(|own| &own[..]),
        errors
            .and_then(|errors| errors.clocks.as_ref())
            .map(|own| &own[..]),
    );
    let draws = several(
        &["d0", "d1", "d2"],
        model.draws.as_ref().map(|own| &own[..]),
        errors
            .and_then(|errors| errors.draws.as_ref())
            .map(|own| &own[..]),
    );
    let constants = constants
        .into_iter()
        .map(|(name, value, error)| (name, value, error.map(|error| error.error)));
    for (name, value, error) in constants.chain(mates).chain(clocks).chain(draws) {
        let error = error.map_or_else(String::new, |error| format!(" +- {error:.3}"));
        let _ = writeln!(out, "  {name}{value:>9.3}{error}");
    }
    let error = errors.map_or_else(String::new, |errors| {
        format!(" +- {:.0}", errors.half_time.error)
    });
    let _ = writeln!(out, "  half time{:>6.0} s{error}", model.half_time);
    if model.mates.is_some() {
        let _ = writeln!(
            out,
            "Mates: log-odds m0 + m1*(R - 1800)/400 + m2*l, l = ln(T/600); no evaluation is"
        );
        let _ = writeln!(out, "worth more");
    }
    if model.clocks.is_some() {
        let _ = writeln!(
            out,
            "Clocks: c*(own - other)/(own + other)*(T/600)^-a is added to the log-odds"
        );
    }
    if model.draws.is_some() {
        let _ = writeln!(
            out,
            "Draws: ln h = d0 + d1*(R - 1800)/400 + d2*l, h the width of an ordered logit"
        );
    }
    if let Some(errors) = errors {
        let _ = writeln!(out, "(errors by game, from {} resamples)", errors.resamples);
    }
    for source in &report.only_decisive {
        let _ = writeln!(
            out,
            "Chosen for having a winner, as no game is drawn: {}",
            ending(&printable(source), 30)
        );
    }
    if let Some(deep) = &report.deep_search {
        let error = deep
            .error
            .map_or_else(String::new, |error| format!(" +- {error:.3}"));
        let positions = thousands(deep.positions);
        let _ = writeln!(
            out,
            "For evaluations of a longer search ({positions} positions): k times {:.3}{error}",
            deep.factor
        );
    }
    let has_mates = !report.unidentified.contains(&HumanTerm::MateConstant);
    if !has_mates {
        let left_out = match report.mates_left_out {
            0 => String::new(),
            positions => format!("; {} with mates left out", plural(positions, "position")),
        };
        let _ = writeln!(
            out,
            "Too few games have mates: their value is the built-in one{left_out}"
        );
    }
    for term in report
        .unidentified
        .iter()
        .filter(|term| has_mates || !term.is_of_mates())
    {
        let _ = writeln!(
            out,
            "Not identifiable from these games, fixed at 0: {}",
            term.name()
        );
    }
}

/// The cells of games, positions, draws and steepness, together 40 columns wide.
fn numbers(fit: &OwnFit) -> String {
    let steepness = match (fit.steepness, fit.error) {
        (Some(value), Some(error)) => format!("{value:.3} +- {error:.3}"),
        (Some(value), None) => format!("{value:.3}"),
        (None, _) => "-".to_owned(),
    };
    let drawn = format!("{:.0} %", 100.0 * fit.draws);
    format!(
        "{:>7}{:>10}{drawn:>8}{steepness:>15}",
        thousands(fit.games),
        thousands(fit.positions)
    )
}

fn classes(classes: &[ClassFit]) -> String {
    let mut out = format!(
        "{:10}{:10}{:>7}{:>10}{:>8}{:>15}{:>8}{:>10}\n",
        "", "rating", "games", "positions", "drawn", "k per pawn", "model", "balance"
    );
    let mut time = None;
    for own in classes {
        let name = if time == Some(own.class.time) {
            ""
        } else {
            own.class.time.name()
        };
        time = Some(own.class.time);
        let band = format!("{}-{}", own.class.from, own.class.to());
        let balance = format!("{:.1}", 3.0_f64.ln() / own.model_steepness);
        let _ = writeln!(
            out,
            "{name:10}{band:10}{}{:>8.3}{balance:>10}",
            numbers(&own.fit),
            own.model_steepness
        );
    }
    out + "(model: k by the formula; balance: the evaluation worth 3/4 of a point)\n"
}

/// A table of what a minute more on the clock is worth, in pawns. It has a row for each time and
/// opponent's clock, and a column for each rating. Empty if the games have no clocks.
fn minutes(report: &HumanReport) -> String {
    let Some(first) = report.clock_worth.first() else {
        return String::new();
    };
    let mut out = "What a minute more than the opponent is worth, in pawns\n".to_owned();
    let _ = write!(out, "{:>8}{:>11}", "minutes", "opponent");
    let is_of_first = |row: &&ClockWorth| {
        (row.seconds, row.opponent_clock) == (first.seconds, first.opponent_clock)
    };
    for row in report.clock_worth.iter().filter(is_of_first) {
        let _ = write!(out, "{:>14}", format!("rated {:.0}", row.rating));
    }
    out.push('\n');
    let mut places: Vec<(f64, f64)> = report
        .clock_worth
        .iter()
        .map(|row| (row.seconds, row.opponent_clock))
        .collect();
    places.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    places.dedup();
    for (seconds, clock) in places {
        let _ = write!(
            out,
            "{:>8.0}{:>11}",
            seconds / 60.0,
            format!("{clock:.0} s")
        );
        for row in report
            .clock_worth
            .iter()
            .filter(|row| (row.seconds, row.opponent_clock) == (seconds, clock))
        {
            let error = row
                .estimate
                .as_ref()
                .map_or_else(String::new, |own| format!(" +- {:.1}", own.error));
            let _ = write!(out, "{:>14}", format!("{:.1}{error}", row.pawns));
        }
        out.push('\n');
    }
    out.push('\n');
    out
}

fn comparison(held_out: &HumanHeldOut) -> String {
    let mut out = format!(
        "Log-loss in games held out ({} folds)\n{:28}",
        held_out.folds, ""
    );
    for group in &held_out.groups {
        let _ = write!(out, "{:>10}", group.time.map_or("all", |time| time.name()));
    }
    out.push('\n');
    for curve in &held_out.curves {
        let _ = write!(out, "{:28}", curve.curve);
        for loss in &curve.log_loss {
            let _ = write!(out, "{loss:>10.4}");
        }
        out.push('\n');
    }
    let _ = writeln!(
        out,
        "\nHow much more that is than with \"this model, equal ratings\", in all games"
    );
    for curve in held_out.curves.iter().filter(|curve| curve.error > 0.0) {
        let _ = writeln!(
            out,
            "{:28}{:>10.4} +- {:.4}",
            curve.curve, curve.excess, curve.error
        );
    }
    by_pool(&held_out.by_pool, &mut out);
    for (rows, name, is_rating) in [
        (&held_out.by_eval, "evaluation", false),
        (&held_out.by_rating, "mean rating", true),
    ] {
        reliability(rows, name, is_rating, &mut out);
    }
    if !held_out.terms.is_empty() {
        let _ = writeln!(
            out,
            "\n{:26}{:>12}{:>22}{:>12}",
            "further term, alone", "coefficient", "lowers the loss by", "positions"
        );
        for own in &held_out.terms {
            let gain = format!("{:.5} +- {:.5}", own.gain, own.error);
            let _ = writeln!(
                out,
                "{:26}{:>12.3}{gain:>22}{:>11}",
                own.term.name(),
                own.coefficient,
                thousands(own.positions)
            );
        }
    }
    out
}

/// A table of the predicted and actual scores of the side that is ahead.
fn reliability(rows: &[ReliabilityRow], name: &str, is_rating: bool, out: &mut String) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\nScore of the side ahead\n{name:14}{:>8}{:>11}{:>11}{:>8}{:>19}",
        "games", "positions", "predicted", "actual", "difference"
    );
    for row in rows {
        let range = match row.to {
            None => "mate".to_owned(),
            Some(to) if is_rating => format!("{:.0} to {to:.0}", row.from),
            Some(to) => format!("{:.1} to {to:.1}", row.from),
        };
        let difference = format!("{:+.3} +- {:.3}", row.score - row.predicted, row.error);
        let _ = writeln!(
            out,
            "{range:14}{:>8}{:>11}{:>11.3}{:>8.3}{difference:>19}",
            thousands(row.games),
            thousands(row.positions),
            row.predicted,
            row.score
        );
    }
}

/// The last `width` characters of a path, because the end distinguishes files in one folder.
fn ending(text: &str, width: usize) -> String {
    let count = text.chars().count();
    if count <= width {
        return text.to_owned();
    }
    let end: String = text.chars().skip(count - width + 2).collect();
    format!("..{end}")
}

/// The phase of the game and the pools, with errors by player and game.
fn phase_and_pools(report: &HumanReport, out: &mut String) {
    let of = |term: HumanTerm| {
        let own = report.terms.iter().find(|own| own.term == term)?;
        Some(format!("{:.3} +- {:.3}", own.coefficient, own.error))
    };
    if let (Some(first), Some(second)) = (of(HumanTerm::Material), of(HumanTerm::MaterialSquared)) {
        let _ = writeln!(
            out,
            "\nPhase: ln k + c1*u + c2*u^2 with u = (material - 58)/20\n  c1 {first:>20}\n  c2 {second:>20}"
        );
    }
    let pools: Vec<Pool> = Pool::ALL
        .into_iter()
        .filter(|pool| report.model.pools.get(*pool).is_some())
        .collect();
    if pools.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\nWhat a pool adds (errors by player and game)\n{:14}{:>20}{:>20}{:>20}",
        "pool", "to b0", "to b1", "to r"
    );
    for pool in pools {
        let unused = || "ratings after game".to_owned();
        let difference = if pool.rates_after_game() {
            unused()
        } else {
            of(HumanTerm::PoolDifference(pool)).unwrap_or_default()
        };
        let [level, slope] = [HumanTerm::PoolLevel(pool), HumanTerm::PoolSlope(pool)]
            .map(|term| of(term).unwrap_or_default());
        let _ = writeln!(out, "{pool:14}{level:>20}{slope:>20}{difference:>20}");
    }
}

fn by_pool(rows: &[PoolLoss], out: &mut String) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\nLog-loss of each pool, with and without its own games in the fit\n{:14}{:>8}{:>12}{:>10}{:>10}{:>22}",
        "pool", "games", "positions", "with", "without", "difference"
    );
    for own in rows {
        let gain = format!("{:.4} +- {:.4}", own.gain, own.error);
        let _ = writeln!(
            out,
            "{:14}{:>8}{:>12}{:>10.4}{:>10.4}{gain:>22}",
            own.pool,
            thousands(own.games),
            thousands(own.positions),
            own.log_loss,
            own.log_loss_without
        );
    }
}

/// The text of a check of a curve: what it expects beside what happened.
pub fn human_check(check: &HumanCheck) -> String {
    let curve = match check.curve.without_game() {
        Some(Curve::Human(_)) => "human".to_owned(),
        Some(curve) => curve.to_string(),
        None => "auto".to_owned(),
    };
    match &check.result {
        Checked::Cells(cells) => checked_cells(&curve, cells),
        Checked::Rows(rows) => checked_rows(&curve, rows),
    }
}

fn checked_cells(curve: &str, check: &CellsCheck) -> String {
    let width = check
        .cells
        .iter()
        .map(|cell| cell.cell.chars().count())
        .max()
        .unwrap_or(0)
        .max(4);
    let mut out = format!(
        "Expected score of the leading side by the curve {curve}, in points of 100\n{:width$}{:>10}{:>18}{:>10}{:>12}\n",
        "cell", "games", "observed", "expected", "difference"
    );
    for cell in &check.cells {
        let observed = format!("{:.1} +- {:.1}", 100.0 * cell.observed, 100.0 * cell.error);
        let _ = writeln!(
            out,
            "{:width$}{:>10}{observed:>18}{:>10.1}{:>+12.1}",
            printable(&cell.cell),
            thousands(cell.games),
            100.0 * cell.expected,
            100.0 * (cell.expected - cell.observed)
        );
    }
    let Misfit {
        mean,
        rms,
        worst,
        worst_large,
        ..
    } = check.misfit;
    let _ = writeln!(
        out,
        "\nDifference: mean {mean:+.2}, root mean square {rms:.2}, largest {worst:.1}, largest of cells with 1,000 games {worst_large:.1}"
    );
    out
}

fn checked_rows(curve: &str, check: &RowsCheck) -> String {
    let mut out = format!(
        "Log-loss of the curve {curve}, errors by player and game\n{:14}{:>8}{:>12}{:>18}{:>12}\n",
        "pool", "games", "positions", "log-loss", "constant"
    );
    let all = std::iter::once(("all".to_owned(), &check.all));
    let pools = check
        .by_pool
        .iter()
        .map(|own| (own.pool.to_string(), &own.loss));
    for (name, loss) in all.chain(pools) {
        let value = format!("{:.4} +- {:.4}", loss.log_loss, loss.error);
        let _ = writeln!(
            out,
            "{name:14}{:>8}{:>12}{value:>18}{:>12.4}",
            thousands(loss.games),
            thousands(loss.positions),
            loss.constant_log_loss
        );
    }
    let _ = writeln!(
        out,
        "\nScore of the side that is half a pawn ahead or more\n{:12}{:>10}{:>9}{:>7}{:>10}{:>10}{:>7}{:>15}",
        "rating", "time", "material", "games", "positions", "predicted", "actual", "difference"
    );
    for cell in &check.reliability {
        let difference = format!("{:+.3}+-{:.3}", cell.score - cell.predicted, cell.error);
        let _ = writeln!(
            out,
            "{:12}{:>10}{:>9}{:>7}{:>10}{:>10.3}{:>7.3}{difference:>15}",
            format!("{}-{}", cell.rating_from, cell.rating_to - 1),
            cell.time.name(),
            format!("{}-{}", cell.material_from, cell.material_to - 1),
            thousands(cell.games),
            thousands(cell.positions),
            cell.predicted,
            cell.score
        );
    }
    out
}
