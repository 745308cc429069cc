//! Policy networks and positions, from the command line's arguments.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use centipawn_core::History;
use centipawn_policy::{Kernel, Network, find_network};
use clap::Args;

use crate::exit::usage;

/// Policy networks.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Policy")]
pub(crate) struct PolicyArgs {
    /// Policy network: a name such as maia-1500, or a weight file (.pb.gz); may be repeated for several levels of play
    /// [default: $CENTIPAWN_POLICY, or maia-1500]
    #[arg(long = "policy", value_name = "NAME|FILE")]
    policies: Vec<String>,
    /// Instruction set for networks: portable, avx2, avx512 [default: the best that the processor supports]
    #[arg(long, value_name = "NAME", value_parser = parse_kernel)]
    kernel: Option<Kernel>,
}

impl PolicyArgs {
    /// Whether any of these flags is given.
    pub(crate) fn is_given(&self) -> bool {
        !self.policies.is_empty() || self.kernel.is_some()
    }

    /// Opens the networks, each once.
    pub(crate) fn open(&self) -> Result<Vec<Network>> {
        let mut names = self.policies.clone();
        if names.is_empty() {
            let set = std::env::var("CENTIPAWN_POLICY").ok().filter(|name| !name.trim().is_empty());
            names.push(set.unwrap_or_else(|| "maia-1500".to_owned()));
        }
        let mut paths: Vec<PathBuf> = Vec::new();
        for name in &names {
            let path = find_network(name)?;
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        let kernel = self.kernel.unwrap_or_else(Kernel::best);
        paths.iter().map(|path| Network::open_with(path, kernel).context("cannot use the policy network")).collect()
    }
}

fn parse_kernel(name: &str) -> Result<Kernel, String> {
    Kernel::by_name(name).ok_or_else(|| {
        let names: Vec<&str> = Kernel::available().into_iter().map(Kernel::name).collect();
        format!("this processor has {}", names.join(", "))
    })
}

/// Inputs of commands that accept positions or games.
pub(crate) enum Inputs {
    Positions(Vec<History>),
    Games(Vec<PathBuf>),
}

impl Inputs {
    /// Arguments that are FENs or `startpos`, optionally followed by `moves e2e4 …`, are positions; all others are files of
    /// games.
    pub(crate) fn new(arguments: &[PathBuf]) -> Result<Self> {
        let is_position = |argument: &&PathBuf| {
            let text = argument.to_string_lossy();
            let first = text.split_whitespace().next().unwrap_or_default();
            !argument.exists() && (first == "startpos" || first.matches('/').count() == 7)
        };
        let positions = arguments.iter().filter(is_position).count();
        if positions == 0 {
            return Ok(Self::Games(arguments.to_vec()));
        }
        if positions < arguments.len() {
            return Err(usage("give positions or files of games, not both"));
        }
        arguments.iter().map(|argument| position(argument)).collect::<Result<_>>().map(Self::Positions)
    }
}

fn position(argument: &Path) -> Result<History> {
    let text = argument.to_string_lossy();
    let (start, moves) = text.split_once(" moves ").unwrap_or((&text, ""));
    let mut history = match start.trim() {
        "startpos" => History::default(),
        fen => History::from_fen(fen, None).map_err(|error| usage(format!("{fen}: {error}")))?,
    };
    for uci in moves.split_whitespace() {
        let mv = history.parse_uci(uci).map_err(|error| usage(error.to_string()))?;
        history.push(mv);
    }
    Ok(history)
}

/// A note on positions given without the moves that led to them.
pub(crate) fn history_note(made_up: usize) -> Option<String> {
    (made_up > 0).then(|| {
        format!(
            "given without its game: {made_up} of the 8 positions a network looks at are made up, and its answer is another \
             than in the game"
        )
    })
}
