//! `centipawn odds`: win, draw and loss of two named players.

use anyhow::Result;
use centipawn_core::{PlayerPair, Pool};
use centipawn_pgn::TimeControl;
use centipawn_printer as printer;
use centipawn_review::{FormEval, OddsForm};
use clap::Args;

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
    /// Time control of the game in seconds (600+5), or in minutes if under 60 (15+10) or under 180
    /// with +10 or more (90+30)
    #[arg(long, value_name = "BASE+INCREMENT", value_parser = parse_time)]
    time: TimeControl,
    /// Time left on the clocks of White and Black, in seconds (45,30) or as a clock shows it
    /// (0:45,1:10:00)
    #[arg(long, value_name = "WHITE,BLACK", value_parser = parse_clocks)]
    clocks: Option<[f64; 2]>,
    /// Site or federation of the ratings: lichess, chesscom, fide, fide-online, fics, unknown
    #[arg(long, value_name = "NAME", default_value_t)]
    pool: Pool,
    /// Human curve: the built-in one, or a file that `wdl human` wrote
    #[arg(long, value_name = "human|FILE", default_value = "human")]
    curve: String,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Odds, session: &Session) -> Result<()> {
    let model = human_model(&args.curve, session.cancel()?)?;
    let players = PlayerPair {
        ratings: args.players.map(f64::from),
        seconds: args.time.seconds(),
        clocks: args.clocks,
        pool: args.pool,
    };
    let form =
        OddsForm::new(args.eval, players, model).map_err(|error| usage(error.to_string()))?;
    if let Some(warning) = form.warning() {
        session.note(&warning);
    }
    session.print(&if args.json {
        serde_json::to_string_pretty(&form.document())? + "\n"
    } else {
        printer::odds(&args.eval.to_string(), &players, &form.odds())
    })
}

/// Parses the clocks of both players in seconds: `45,30` or `0:45,1:10:00`.
fn parse_clocks(text: &str) -> Result<[f64; 2], String> {
    let clocks: Vec<Option<f64>> = text.split(',').map(seconds).collect();
    match clocks[..] {
        [Some(white), Some(black)] => Ok([white, black]),
        _ => Err("clocks are two times, such as 45,30 or 0:45,1:10:00".to_owned()),
    }
}

fn seconds(text: &str) -> Option<f64> {
    let parts: Option<Vec<f64>> = text
        .trim()
        .split(':')
        .map(|part| part.parse().ok())
        .collect();
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
