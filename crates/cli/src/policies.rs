//! Policy networks and their levels, from the command line's arguments.

use anyhow::{Context as _, Result};
use centipawn_judge::ease::{EaseLevels, PlayerLevels};
use centipawn_policy::{Kernel, Network};
use centipawn_uci::RATINGS;
use clap::Args;

use crate::{
    args::{environment, range_of_ratings},
    exit::usage,
    session::Session,
};

/// Policy networks.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Policy")]
pub(crate) struct PolicyArgs {
    /// Policy network: a name such as maia-1500, or a weight file (.pb.gz); may be repeated
    /// [default: $CENTIPAWN_POLICY, or centipawn-1, which is in the program]
    #[arg(long = "policy", value_name = "NAME|FILE")]
    policies: Vec<String>,
    /// Level of play that centipawn-1 imitates: a Lichess rating from 600 to 2200, or a range
    /// (1100..1900 is every hundred); may be repeated
    #[arg(long = "level", value_name = "RATING|RANGE", value_parser = parse_levels)]
    levels: Vec<Levels>,
}

/// Ratings of the players.
#[derive(Args, Clone, Copy, Debug, Default)]
#[command(next_help_heading = "Policy")]
pub(crate) struct PlayersArg {
    /// Ratings of White and Black (or one rating for both), instead of the ratings in the game's
    /// tags; each move is also judged for players with the mover's rating
    #[arg(long, value_name = "WHITE,BLACK", value_parser = parse_players)]
    players: Option<[u32; 2]>,
}

/// The ratings of one `--level`.
#[derive(Clone, Debug)]
struct Levels(Vec<u32>);

impl PolicyArgs {
    /// Returns whether any of these flags is given.
    pub(crate) fn is_given(&self) -> bool {
        !self.policies.is_empty() || !self.levels.is_empty()
    }

    /// Opens the networks, each once.
    pub(crate) fn open(&self) -> Result<Vec<Network>> {
        let mut names = self.policies.clone();
        if names.is_empty() {
            names.push(
                environment("CENTIPAWN_POLICY").unwrap_or_else(|| Network::BUNDLED.to_owned()),
            );
        }
        let mut networks: Vec<Network> = Vec::new();
        for name in &names {
            let network =
                Network::find(name, Kernel::best()).context("cannot use the policy network")?;
            if networks
                .iter()
                .all(|other| other.sha256() != network.sha256())
            {
                networks.push(network);
            }
        }
        if let Some(network) = networks
            .first()
            .filter(|_| networks.iter().all(|network| network.levels().is_none()))
            && !self.levels.is_empty()
        {
            return Err(usage(format!(
                "--level is for networks that imitate several, such as {}, and {} imitates players of one level; leave out --level or --policy",
                Network::BUNDLED,
                network.name()
            )));
        }
        Ok(networks)
    }

    /// Returns the requested levels, or else `default`. A level that no network can imitate is
    /// replaced by the nearest possible one, with a note.
    pub(crate) fn levels(
        &self,
        networks: &[Network],
        default: &[u32],
        session: &Session,
    ) -> Vec<u32> {
        let mut levels = Vec::new();
        for level in self.levels.iter().flat_map(|levels| &levels.0) {
            let of_levels = networks.iter().find(|network| network.levels().is_some());
            let nearest = of_levels
                .and_then(|network| network.nearest_level(*level))
                .unwrap_or(*level);
            if let Some(note) = of_levels.and_then(|network| network.level_note(*level)) {
                session.note(&note);
            }
            if !levels.contains(&nearest) {
                levels.push(nearest);
            }
        }
        if levels.is_empty() {
            default.to_vec()
        } else {
            levels
        }
    }

    /// Returns the levels for which ease is computed. Without `--level` they include the ratings of
    /// the players.
    pub(crate) fn ease_levels(
        &self,
        players: PlayersArg,
        networks: &[Network],
        session: &Session,
    ) -> EaseLevels {
        let default = EaseLevels::default();
        let players = match players.players {
            Some([white, black]) => PlayerLevels::Given { white, black },
            None if self.levels.is_empty() => default.players,
            None => PlayerLevels::None,
        };
        EaseLevels {
            fixed: self.levels(networks, &default.fixed, session),
            players,
        }
    }
}

impl PlayersArg {
    /// Returns whether the flag is given.
    pub(crate) fn is_given(self) -> bool {
        self.players.is_some()
    }
}

fn parse_levels(text: &str) -> Result<Levels, String> {
    let rating = |text: &str| {
        parse_whole_rating(text).ok_or_else(|| {
            format!(
                "a level is a rating {}, such as 1350, or a range of ratings, such as 1100..1900",
                range_of_ratings()
            )
        })
    };
    let Some((first, last)) = text.split_once("..") else {
        return Ok(Levels(vec![rating(text)?]));
    };
    let (first, last) = (rating(first)?, rating(last.trim_start_matches('='))?);
    if first > last {
        return Err(format!(
            "the range begins with its greater end; {last}..{first} is meant"
        ));
    }
    Ok(Levels((first..=last).step_by(100).collect()))
}

pub(crate) fn parse_players(text: &str) -> Result<[u32; 2], String> {
    let (white, black) = text.split_once(',').unwrap_or((text, text));
    match (parse_whole_rating(white), parse_whole_rating(black)) {
        (Some(white), Some(black)) => Ok([white, black]),
        _ => Err(format!(
            "give White's and Black's ratings, such as 1400,1700, or one for both; each is {}",
            range_of_ratings()
        )),
    }
}

fn parse_whole_rating(text: &str) -> Option<u32> {
    text.trim()
        .parse()
        .ok()
        .filter(|rating| RATINGS.contains(rating))
}
