//! Networks and their answers as documents: what becomes JSON.

use std::path::Path;

use centipawn_core::History;
use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};
use shakmaty::{Move, san::SanPlus};

use crate::{Evaluation, Network, Published, network_name, networks_in};

/// The networks of a folder, and the published ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetworkList {
    /// The folder that networks are kept in; `None` where there is no place for it.
    pub folder: Option<String>,
    /// The published ones by rating, then the other files of the folder by name.
    pub networks: Vec<ListedNetwork>,
}

/// A network by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListedNetwork {
    /// Its name: `maia-1500`.
    pub name: String,
    /// Lichess rating of the players it learnt from; of published ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<u32>,
    /// Whether its file is in the folder.
    pub here: bool,
    /// SHA-256 of the published file, hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

impl NetworkList {
    /// The networks of a folder, and the published ones that are not there.
    pub fn of(folder: Option<&Path>) -> Self {
        let here: Vec<String> = folder
            .map(networks_in)
            .unwrap_or_default()
            .iter()
            .filter_map(|path| Some(network_name(&path.file_name()?.to_string_lossy()).to_owned()))
            .collect();
        let published = Published::MAIA.iter().map(|network| ListedNetwork {
            name: network.name.to_owned(),
            rating: Some(network.rating),
            here: here.iter().any(|name| name == network.name),
            sha256: Some(network.sha256.to_owned()),
        });
        let others = here.iter().filter(|name| Published::by_name(name).is_none());
        let others = others.map(|name| ListedNetwork { name: name.clone(), rating: None, here: true, sha256: None });
        Self { folder: folder.map(|folder| folder.display().to_string()), networks: published.chain(others).collect() }
    }
}

/// What a network is made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetworkDocument {
    /// Its name: `maia-1500`.
    pub name: String,
    /// Its file.
    pub file: String,
    /// How it is given the position.
    pub input: String,
    /// `residual`, `residual with squeeze and excitation`, `attention`, `attention with smolgen`.
    pub body: String,
    /// Blocks or layers.
    pub layers: usize,
    /// Numbers for each square between them.
    pub width: usize,
    /// Heads of each layer of attention; 0 without.
    pub heads: usize,
    /// `dense`, `convolution` or `attention`.
    pub policy: String,
    /// Whether the value is win, draw and loss.
    pub wdl: bool,
    /// Whether it says how long the game will last.
    pub moves_left: bool,
    /// Steps of training, where the file says.
    pub training_steps: Option<u32>,
    /// The licence, where the file says.
    pub license: Option<String>,
    /// The instructions it is computed with.
    pub kernel: String,
    /// SHA-256 of the file, hexadecimal.
    pub sha256: String,
}

impl NetworkDocument {
    /// Describes a network that was read from `file`.
    pub fn new(network: &Network, file: &Path) -> Self {
        let description = network.description();
        Self {
            name: network.name().to_owned(),
            file: file.display().to_string(),
            input: description.input.to_string(),
            body: description.body.clone(),
            layers: description.layers,
            width: description.width,
            heads: description.heads,
            policy: description.policy.to_owned(),
            wdl: description.has_wdl,
            moves_left: description.has_moves_left,
            training_steps: description.training_steps,
            license: description.license.clone(),
            kernel: network.kernel().name().to_owned(),
            sha256: network.sha256().to_owned(),
        }
    }
}

/// A network's answer to one position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvaluationDocument {
    /// The position.
    pub fen: String,
    /// The network's name.
    pub policy: String,
    /// Win less loss, −1 to 1, for the side to move.
    pub value: f64,
    /// Win, draw and loss for the side to move, 0 to 1 each, from networks that say so.
    pub wdl: Option<[f64; 3]>,
    /// Plies that the game will last yet, from networks that say so.
    pub moves_left: Option<f64>,
    /// How many of the eight positions that the network looks at were made up, because the start was given without its game.
    pub history_made_up: usize,
    /// All legal moves, the likeliest first.
    pub moves: Vec<MoveDocument>,
    /// The game's number, from 1, where the position is one of a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<u64>,
    /// The number of the ply that follows, from 1, where the position is one of a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<usize>,
    /// The move played there, in UCI notation, where the position is one of a game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played: Option<String>,
    /// Where the answer comes from: the program and the network's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// A move and how likely it is played.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveDocument {
    /// The move in UCI notation.
    pub uci: String,
    /// The move as players write it.
    pub san: String,
    /// Its probability, 0 to 1.
    pub p: f64,
    /// What the network said, before it was made a probability.
    pub logit: f64,
}

impl EvaluationDocument {
    /// A network's answer to the last position of `history`.
    pub fn new(network: &Network, history: &History, evaluation: &Evaluation) -> Self {
        let moves = evaluation.moves.iter().map(|mv| MoveDocument {
            uci: history.uci(mv.mv).to_string(),
            san: SanPlus::from_move(history.position().clone(), mv.mv).to_string(),
            p: mv.probability,
            logit: f64::from(mv.logit),
        });
        let provenance = Provenance { networks: vec![network.provenance()], ..Provenance::of("policy run", &()) };
        Self {
            fen: history.fen(),
            policy: network.name().to_owned(),
            value: evaluation.value,
            wdl: evaluation.wdl.map(|wdl| [wdl.win, wdl.draw, wdl.loss]),
            moves_left: evaluation.moves_left,
            history_made_up: evaluation.made_up,
            moves: moves.collect(),
            game: None,
            ply: None,
            played: None,
            provenance: Some(provenance),
        }
    }

    /// The same as ply `ply` (from 1) of game `game` (from 1), where `played` was played.
    #[must_use]
    pub fn in_game(self, game: u64, ply: usize, history: &History, played: Move) -> Self {
        Self { game: Some(game), ply: Some(ply), played: Some(history.uci(played).to_string()), ..self }
    }
}
