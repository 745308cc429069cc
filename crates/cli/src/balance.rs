//! `centipawn balance`: the win-draw balance of engines, from their games.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, Result, anyhow};
use centipawn_calibrate::balance::{BalancePlot, By, Estimate, GameName, Key, Matches, Options};
use centipawn_core::Curve;
use centipawn_pgn::{Dialect, Problem, Report};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr as _;

use crate::{
    args::Shared,
    exit::{self, usage},
    output::{Output, refuse_collisions},
    pgn::ScanArgs,
    text::{padded, plural, printable, shortened},
    told::Told,
};

/// Arguments of `centipawn balance`.
#[derive(Args)]
pub(crate) struct Balance {
    #[command(flatten)]
    scan: ScanArgs,
    /// What is counted together: event (an engine in an event), engine, year, opponent, elo
    #[arg(long, value_name = "WHAT", default_value = "event")]
    by: By,
    /// Only players whose name contains this
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Print the games that were not won, the highest evaluation first
    #[arg(long)]
    list: bool,
    /// Games that count as drawn whatever their result: a number or round (17, 4.1), or with the event ('Season 9:17');
    /// several with commas
    #[arg(long, value_name = "GAME", value_delimiter = ',')]
    not_won: Vec<GameName>,
    /// Games that do not count at all
    #[arg(long, value_name = "GAME", value_delimiter = ',')]
    exclude: Vec<GameName>,
    /// How evaluations are written, where auto does not find out
    #[arg(long, value_name = "DIALECT", default_value_t)]
    evals: Dialect,
    /// How often games are drawn again for the interval
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u16).range(0..=10_000))]
    draws: u16,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Write the curve (relevance, with this balance) for --curve; there must be one balance
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Which estimate the curve has
    #[arg(long, value_enum, default_value_t, requires = "output")]
    estimate: Which,
    /// Draw the games behind each balance and the scores by evaluation, as .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// `--estimate`.
#[derive(Clone, Copy, Default, ValueEnum)]
enum Which {
    /// The article's: the nth highest evaluation of a game not won, n being the games won
    #[default]
    Counting,
    /// Of all positions, by likelihood
    Fitted,
}

/// Runs the command.
pub(crate) fn run(args: &Balance, shared: &Shared) -> Result<ExitCode> {
    let results: Vec<&Path> = args.output.iter().chain(&args.plot).map(PathBuf::as_path).collect();
    refuse_collisions(&results, &args.scan.games)?;
    let plot_form = args.plot.as_deref().map(PlotForm::of).transpose()?;
    let (matches, report, missing) = args.count(shared)?;
    if matches.is_empty() {
        return Err(anyhow!(nothing(&matches, &report, args.evals)));
    }
    args.say_what_was_left_out(&matches);
    let mut rows = matches.rows(args.draws.into());
    if let Some(part) = &args.player {
        let part = part.to_lowercase();
        rows.retain(|row| row.key.engine.as_ref().is_some_and(|engine| engine.to_lowercase().contains(&part)));
        if rows.is_empty() {
            return Err(usage(format!("no player's name contains {part:?}")));
        }
    }
    if let (Some(path), Some(form)) = (&args.plot, plot_form) {
        let plot = BalancePlot::new(&rows);
        let bytes = match form {
            PlotForm::Svg => plot.svg().into_bytes(),
            PlotForm::Png => plot.png(),
        };
        write(path, &bytes)?;
    }
    if let Some(path) = &args.output {
        let curve = args.curve(&rows)?;
        write(path, format!("{:#}\n", serde_json::to_value(curve)?).as_bytes())?;
    }
    let text = if args.json { format!("{:#}\n", document(&rows, args.list)) } else { table(&rows, args.list) };
    io::stdout().write_all(text.as_bytes()).context("cannot print")?;
    if report.cancelled {
        return Ok(exit::INTERRUPTED.into());
    }
    let skipped = missing + report.bad_games() + report.failed_sources;
    Ok(if skipped > 0 { exit::SKIPPED.into() } else { ExitCode::SUCCESS })
}

#[derive(Clone, Copy)]
enum PlotForm {
    Svg,
    Png,
}

impl PlotForm {
    fn of(path: &Path) -> Result<Self> {
        match path.extension().and_then(|extension| extension.to_str()).map(str::to_lowercase).as_deref() {
            Some("svg") => Ok(Self::Svg),
            Some("png") => Ok(Self::Png),
            _ => Err(usage(format!("{}: plots are .svg or .png", path.display()))),
        }
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut out = Output::create(path)?;
    out.write_all(bytes).with_context(|| format!("cannot write {}", path.display()))?;
    out.finish()
}

impl Balance {
    fn count(&self, shared: &Shared) -> Result<(Matches, Report, u64)> {
        let told = Told::default();
        let on_problem = |problem: &Problem| {
            if told.is_due(problem) {
                anstream::eprintln!("error: {}", printable(&problem.to_string()));
            }
        };
        let options = Options {
            by: self.by,
            not_won: self.not_won.clone(),
            exclude: self.exclude.clone(),
            list: self.list || self.plot.is_some(),
        };
        let ((matches, report), missing) =
            self.scan.run(shared, &self.scan.games, self.evals, &on_problem, |sources, scan| {
                Matches::count(sources, scan, &options)
            })?;
        if let Some(rest) = told.rest() {
            anstream::eprintln!("warning: {rest}");
        }
        Ok((matches, report, missing))
    }

    fn say_what_was_left_out(&self, matches: &Matches) {
        for (count, why) in [(matches.unfinished, "without a result"), (matches.without_evals, "without evaluations")] {
            if count > 0 {
                anstream::eprintln!("warning: {} {why} left out", plural(count, "game"));
            }
        }
        for (names, count, flag) in
            [(&self.not_won, matches.not_won, "--not-won"), (&self.exclude, matches.excluded, "--exclude")]
        {
            if !names.is_empty() && count != names.len() as u64 {
                let named: Vec<String> = names.iter().map(ToString::to_string).collect();
                let games = plural(count, "game");
                anstream::eprintln!(
                    "warning: {flag} {} names {games}; name the event too where rounds repeat",
                    named.join(",")
                );
            }
        }
    }

    /// The curve of the one balance there is.
    fn curve(&self, rows: &[Estimate]) -> Result<Curve> {
        let [row] = rows else {
            return Err(usage(format!(
                "a curve has one balance, and these games have {}; choose one with --player, or count together with --by engine",
                rows.len()
            )));
        };
        let balance = match self.estimate {
            Which::Counting => row.pawns().ok_or_else(|| {
                let why = row.reason().unwrap_or("it is not above 0");
                anyhow!("there is no counting estimate: {why}; --estimate fitted needs only results")
            })?,
            Which::Fitted => {
                row.fitted
                    .as_ref()
                    .ok_or_else(|| anyhow!("no balance between 0.1 and 10 pawns fits the results"))?
                    .balance
            }
        };
        Ok(Curve::Relevance { balance })
    }
}

/// Why no game counted.
fn nothing(matches: &Matches, report: &Report, dialect: Dialect) -> String {
    if report.games == 0 {
        return match report.bad_games() {
            0 => "there are no games".to_owned(),
            bad => format!("none of {} can be read", plural(bad, "game")),
        };
    }
    let games = plural(report.games, "game");
    if matches.without_evals > 0 {
        return format!(
            "no evaluated games: {games}, {} without evaluations; dialect: {dialect}; see --evals",
            matches.without_evals
        );
    }
    format!("no game counts: {games}, {} without a result, {} excluded", matches.unfinished, matches.excluded)
}

fn document(rows: &[Estimate], with_list: bool) -> Value {
    let row = |row: &Estimate| {
        let Key { event, engine, year, opponent, elo } = &row.key;
        let fitted = row.fitted.as_ref();
        let mut document = json!({
            "event": event, "engine": engine, "year": year, "opponent": opponent, "elo": elo,
            "games": row.games, "wins": row.wins, "not_won": row.not_won,
            "highest_not_won": row.highest_not_won.map(finite),
            "balance": row.balance.map(finite), "reason": row.reason(),
            "interval": row.interval.map(|(low, high)| [low, high]),
            "fitted": fitted.map(|fitted| fitted.balance),
            "fitted_interval": fitted.map(|fitted| [fitted.interval.0, fitted.interval.1]),
            "calibration": fitted.map(|fitted| fitted.calibration.iter().map(|bin| json!({
                "from": bin.from, "mean": bin.mean, "positions": bin.positions, "score": bin.score, "expected": bin.expected,
            })).collect::<Vec<_>>()),
        });
        if with_list {
            document["list"] = row.list.iter().map(|game| json!({
                "game": game.game, "round": game.round, "white": game.players[0], "black": game.players[1], "result": game.result,
                "side": game.color.to_string(), "highest": finite(game.highest), "move": game.move_number,
            })).collect();
        }
        document
    };
    json!({ "rows": rows.iter().map(row).collect::<Vec<_>>() })
}

/// In pawns; a mate is no number.
fn finite(highest: centipawn_calibrate::balance::Highest) -> Option<f64> {
    Some(highest.pawns()).filter(|pawns| pawns.is_finite())
}

const NAME: usize = 26;

fn table(rows: &[Estimate], with_list: bool) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{:NAME$}{:>6}{:>6}{:>9}{:>9}  {:14}{:>7}",
        "", "games", "wins", "highest", "balance", "95 %", "fitted"
    );
    let mut event = None;
    for row in rows {
        if row.key.event.is_some() && event != row.key.event {
            event.clone_from(&row.key.event);
            let _ = writeln!(out, "{}", shortened(event.as_deref().unwrap_or_default(), 80));
        }
        let number = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let range = |(low, high): (f64, f64)| format!("{low:.2} to {high:.2}");
        let fitted = row.fitted.as_ref();
        let name = name(&row.key);
        let name =
            if name.width() >= NAME { format!("{}\n{:NAME$}", shortened(&name, 79), "") } else { padded(&name, NAME) };
        let _ = writeln!(
            out,
            "{name}{:>6}{:>6}{:>9}{:>9}  {:14}{:>7}",
            row.games,
            row.wins,
            number(row.highest_not_won.map(|highest| highest.to_string())),
            number(row.balance.map(|balance| balance.to_string())),
            number(row.interval.map(range)),
            number(fitted.map(|fitted| format!("{:.2}", fitted.balance))),
        );
        if let Some(why) = row.reason() {
            let _ = writeln!(out, "  no counting estimate: {why}");
        }
        if let Some(fitted) = fitted {
            let _ = writeln!(out, "{:68}{}", "", format!("({})", range(fitted.interval)).trim_end());
        }
        if with_list {
            list(&mut out, row);
        }
    }
    out
}

/// The games that were not won; the one that is the balance is marked.
fn list(out: &mut String, row: &Estimate) {
    for (index, game) in row.list.iter().enumerate() {
        let mark = if index as u64 + 1 == row.wins { "<- balance" } else { "" };
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

fn name(key: &Key) -> String {
    let Key { engine, year, opponent, elo, .. } = key;
    match (engine, year, opponent, elo) {
        (Some(engine), Some(year), ..) => format!("{engine}, {year}"),
        (Some(engine), _, Some(opponent), _) => format!("{engine} against {opponent}"),
        (Some(engine), ..) => engine.clone(),
        (None, .., Some(elo)) => format!("Elo {elo} to {}", elo + 99),
        _ => "no Elo".to_owned(),
    }
}
