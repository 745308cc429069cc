//! `centipawn odds`: win, draw and loss of two named players.

use anyhow::Result;
use centipawn_core::{Eval, HumanModel, PlayerPair, White};
use centipawn_pgn::TimeControl;
use centipawn_printer as printer;
use centipawn_progress::Provenance;
use centipawn_review::{FormEval, OddsDocument};
use clap::Args;
use serde::Serialize;

use crate::{
    args::{human_model, parse_time},
    exit::usage,
    policies::parse_players,
    session::Session,
};

/// Arguments of `centipawn odds`.
#[derive(Args)]
pub(crate) struct Odds {
    /// Evaluation of the position, from White's side: in pawns (0.31, -1) or a mate (#3, #-2)
    #[arg(value_name = "EVAL", allow_hyphen_values = true)]
    eval: FormEval,
    /// Ratings of White and Black (or one rating for both)
    #[arg(long, value_name = "WHITE,BLACK", value_parser = parse_players)]
    players: [u32; 2],
    /// Time control of the game in seconds (600+5) or minutes (90+30)
    #[arg(long, value_name = "BASE+INCREMENT", value_parser = parse_time)]
    time: TimeControl,
    /// Time left on the clocks of White and Black, in seconds (45,30) or as a clock shows it (0:45,1:10:00)
    #[arg(long, value_name = "WHITE,BLACK", value_parser = parse_clocks)]
    clocks: Option<[f64; 2]>,
    /// Human curve: the built-in one, or a file that `wdl human` wrote
    #[arg(long, value_name = "human|FILE", default_value = "human")]
    curve: String,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// `centipawn odds --json`.
#[derive(Serialize)]
struct Document {
    eval: FormEval,
    #[serde(flatten)]
    players: PlayerPair,
    #[serde(flatten)]
    odds: OddsDocument,
    model: HumanModel,
    provenance: Provenance,
}

/// Runs the command.
pub(crate) fn run(args: &Odds, session: &Session) -> Result<()> {
    let model = human_model(&args.curve)?;
    let ratings = args.players.map(f64::from);
    let players = PlayerPair { ratings, seconds: args.time.seconds(), clocks: args.clocks };
    let eval = match args.eval {
        FormEval::Mate { mate } => Eval::<White>::mate(mate),
        FormEval::Pawns(pawns) if pawns.abs() <= 1000.0 => Eval::cp((100.0 * pawns).round() as i32),
        FormEval::Pawns(_) => return Err(usage("an evaluation is at most 1000 pawns; a mate is #3 or #-3")),
    };
    if (ratings[0] - ratings[1]).abs() > FURTHEST {
        session.note(&format!("The model had no games of players more than {FURTHEST} points apart."));
    }
    let odds = OddsDocument::new(&model.odds(eval, 1.0, &players), args.clocks.is_some() && model.clocks.is_some());
    if args.json {
        let provenance = Provenance::of("odds", &(args.eval, players, model));
        let document = Document { eval: args.eval, players, odds, model, provenance };
        return session.print(&(serde_json::to_string_pretty(&document)? + "\n"));
    }
    session.print(&printer::odds(&args.eval.to_string(), &players, &odds))
}

/// Largest rating difference of the games behind the built-in constants.
const FURTHEST: f64 = 300.0;

/// `45,30`, `0:45,1:10:00`.
fn parse_clocks(text: &str) -> Result<[f64; 2], String> {
    let clocks: Vec<Option<f64>> = text.split(',').map(seconds).collect();
    match clocks[..] {
        [Some(white), Some(black)] => Ok([white, black]),
        _ => Err("clocks are two times, such as 45,30 or 0:45,1:10:00".to_owned()),
    }
}

fn seconds(text: &str) -> Option<f64> {
    let parts: Option<Vec<f64>> = text.trim().split(':').map(|part| part.parse().ok()).collect();
    let parts = parts.filter(|parts| parts.len() <= 3)?;
    let all = parts.iter().fold(0.0, |sum, part| 60.0 * sum + part);
    (parts.iter().all(|part| *part >= 0.0) && all <= 1e6).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_as_people_write_them() {
        assert_eq!(parse_clocks("45,30"), Ok([45.0, 30.0]));
        assert_eq!(parse_clocks("0:45, 1:10:00"), Ok([45.0, 4200.0]));
        assert_eq!(parse_clocks("7.5,0"), Ok([7.5, 0.0]));
        for wrong in ["45", "1,2,3", "-1,5", "a,b", "1:2:3:4,5", "nan,1", "inf,1"] {
            assert!(parse_clocks(wrong).is_err(), "{wrong}");
        }
    }
}
