//! Networks: reading files and evaluating positions.

use std::{
    fs,
    path::Path,
    sync::{Mutex, PoisonError},
};

use centipawn_core::{History, Wdl};
use centipawn_progress::{self as progress, sha256};
use shakmaty::{Move, Position as _};

use crate::{
    EvaluateError, Input, Kernel, NetworkError,
    attention::{EmbeddingLayer, EncoderOptions, Encoders, has_smolgen, heads},
    catalog::network_name,
    format::{Body, Format, Policy},
    heads::{BoardHead, PolicyHead, probabilities, wdl},
    index::Step,
    load,
    planes::Planes,
    proto,
    residual::{Room, Tower},
};

/// A policy network: predicts the moves that are played in a position, and the result.
///
/// Read a network once and share it: [`evaluate`](Self::evaluate) takes `&self` and may run on any number of threads.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use centipawn_core::History;
/// use centipawn_policy::Network;
///
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/res_se_conv_wdl.pb.gz");
/// let network = Network::open(path)?;
/// let answer = network.evaluate(&History::default())?;
/// assert_eq!(answer.moves.len(), 20);
/// let sum: f64 = answer.moves.iter().map(|mv| mv.probability).sum();
/// assert!((sum - 1.0).abs() < 1e-9);
/// # Ok(())
/// # }
/// ```
pub struct Network {
    name: String,
    /// SHA-256 of the file as it was read, hexadecimal.
    sha256: String,
    description: Description,
    kernel: Kernel,
    tower: Option<Tower>,
    attention: Option<(EmbeddingLayer, Encoders)>,
    policy: PolicyHead,
    value: BoardHead,
    has_wdl: bool,
    moves_left: Option<BoardHead>,
    rooms: Mutex<Vec<Room>>,
}

/// The architecture of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// How positions are encoded.
    pub input: Input,
    /// `residual`, `residual with squeeze and excitation`, `attention`, `attention with smolgen`.
    pub body: String,
    /// The number of residual blocks or encoder layers.
    pub layers: usize,
    /// Numbers for each square between two of them.
    pub width: usize,
    /// Attention heads of each layer; 0 without attention.
    pub heads: usize,
    /// `dense`, `convolution` or `attention`.
    pub policy: &'static str,
    /// Whether the network's value is win, draw and loss rather than one number.
    pub has_wdl: bool,
    /// Whether the network predicts how long the game will last.
    pub has_moves_left: bool,
    /// Training steps, if the file reports them.
    pub training_steps: Option<u32>,
    /// The licence, if the file names it.
    pub license: Option<String>,
}

/// A network's answer for a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// All legal moves, the most likely first; equally likely moves are ordered by their squares.
    pub moves: Vec<MoveProbability>,
    /// Win, draw and loss for the side to move; `None` if the network does not predict them.
    pub wdl: Option<Wdl>,
    /// Win minus loss for the side to move, −1 to 1.
    pub value: f64,
    /// Plies until the end of the game; `None` if the network does not predict them.
    pub moves_left: Option<f64>,
    /// How many of the 8 positions that the network sees were made up, because the moves before the given start are unknown. If
    /// any were, the answer differs from that for the complete game.
    pub made_up: usize,
}

/// A move and its probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveProbability {
    /// The move.
    pub mv: Move,
    /// The probability that the move is played, 0 to 1. The probabilities of all legal moves sum to 1.
    pub probability: f64,
    /// The network's output, before the softmax.
    pub logit: f32,
}

impl Network {
    /// Reads a weight file (`.pb` or `.pb.gz`). The network's name is that of the file without these endings.
    ///
    /// # Errors
    ///
    /// [`NetworkError`], which names the file and what is wrong with it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, NetworkError> {
        Self::open_with(path, Kernel::best())
    }

    /// Like [`open`](Self::open), with a given kernel.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, kernel: Kernel) -> Result<Self, NetworkError> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|source| NetworkError::Read { path: path.to_owned(), source })?;
        let mut network = Self::from_bytes_with(&bytes, kernel)
            .map_err(|source| NetworkError::File { path: path.to_owned(), source: Box::new(source) })?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        network_name(&name).clone_into(&mut network.name);
        Ok(network)
    }

    /// Reads a network from the bytes of a weight file. Its name is empty.
    ///
    /// # Errors
    ///
    /// [`NetworkError`] when the bytes are not a supported network.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        Self::from_bytes_with(bytes, Kernel::best())
    }

    /// Like [`from_bytes`](Self::from_bytes), with a given kernel.
    ///
    /// # Errors
    ///
    /// The errors of [`from_bytes`](Self::from_bytes).
    pub fn from_bytes_with(bytes: &[u8], kernel: Kernel) -> Result<Self, NetworkError> {
        let net = load::net(bytes)?;
        let format = Format::read(&net);
        let Some(weights) = net.weights.as_deref() else {
            return Err(if net.onnx.is_some() { NetworkError::Onnx } else { NetworkError::NoWeights });
        };
        let format = format?;
        let is_attention = format.body != Body::Residual;
        if is_attention && weights.encoders.is_empty() {
            return Err(NetworkError::Missing("encoder, as its network format 6 or 7 asks for".to_owned()));
        }
        // An attention body may follow a convolutional one.
        let has_tower = !is_attention || !weights.residual.is_empty();
        let tower = has_tower.then(|| Tower::new(kernel, weights, format.activation)).transpose()?;
        let attention = is_attention.then(|| attention(kernel, weights, &format, tower.as_ref())).transpose()?;
        let width = attention.as_ref().map(|(embedding, _)| embedding.width());
        let width = width.or(tower.as_ref().map(Tower::channels)).unwrap_or(0);
        let moves_left = format.has_moves_left.then(|| BoardHead::moves_left(kernel, weights, &format, width));
        Ok(Self {
            name: String::new(),
            sha256: sha256(bytes),
            description: describe(&net, weights, &format, tower.as_ref(), width),
            kernel,
            policy: PolicyHead::new(kernel, weights, &format, width)?,
            value: BoardHead::value(kernel, weights, &format, width)?,
            has_wdl: format.has_wdl,
            moves_left: moves_left.transpose()?,
            tower,
            attention,
            rooms: Mutex::default(),
        })
    }

    /// The name of the file without `.pb` or `.pb.gz`; empty for a network read from bytes.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// SHA-256 of the file, 64 hexadecimal digits.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// The name and the hash, for the provenance of documents.
    pub fn provenance(&self) -> progress::Network {
        progress::Network { name: self.name.clone(), sha256: self.sha256.clone() }
    }

    /// The architecture of the network.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The kernel that computes the network.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The input planes of this network for the last position of `history`.
    pub fn planes(&self, history: &History) -> Planes {
        Planes::new(history, self.description.input)
    }

    /// Evaluates the last position of `history`: probabilities of all legal moves, and the value.
    ///
    /// The network sees the last 8 positions, so earlier moves change the answer. See [`Evaluation::made_up`].
    ///
    /// # Errors
    ///
    /// [`EvaluateError::NoMoves`] at mate and stalemate; [`EvaluateError::NotFinite`] when the network's file is damaged.
    pub fn evaluate(&self, history: &History) -> Result<Evaluation, EvaluateError> {
        let legal = history.position().legal_moves();
        if legal.is_empty() {
            return Err(EvaluateError::NoMoves { fen: history.fen() });
        }
        let planes = self.planes(history);
        let steps: Vec<Step> = legal.iter().filter_map(|mv| Step::new(*mv, history.turn(), planes.turned)).collect();

        let mut room = self.rooms.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let (kernel, mut body) = (self.kernel, Vec::new());
        if let Some(tower) = &self.tower {
            tower.apply(kernel, &planes, &mut room, &mut body);
        }
        if let Some((embedding, encoders)) = &self.attention {
            let mut x = Vec::new();
            embedding.apply(kernel, &planes, &body, &mut x);
            encoders.apply(kernel, &mut x);
            body = x;
        }
        let logits = self.policy.apply(kernel, &body, &mut room, &steps);
        let answer = self.value.apply(kernel, &body);
        let moves_left = self.moves_left.as_ref().map(|head| f64::from(head.apply(kernel, &body)[0]));
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner).push(room);

        let is_finite = |numbers: &[f32]| numbers.iter().all(|number| number.is_finite());
        if logits.len() != legal.len() || !is_finite(&logits) || !is_finite(&answer) {
            return Err(EvaluateError::NotFinite { fen: history.fen() });
        }
        let wdl = self.has_wdl.then(|| wdl(&answer)).map(|[win, draw, loss]| Wdl { win, draw, loss });
        let value = wdl.map_or_else(|| f64::from(answer[0]).tanh(), |wdl| wdl.win - wdl.loss);
        let probabilities = probabilities(&logits);
        let all = legal.iter().zip(probabilities).zip(logits);
        let mut moves: Vec<MoveProbability> =
            all.map(|((mv, probability), logit)| MoveProbability { mv: *mv, probability, logit }).collect();
        let squares = |mv: &Move| (mv.from(), mv.to(), mv.promotion());
        moves.sort_by(|a, b| b.logit.total_cmp(&a.logit).then_with(|| squares(&a.mv).cmp(&squares(&b.mv))));
        Ok(Evaluation { moves, wdl, value, moves_left, made_up: planes.made_up })
    }
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, description, kernel, .. } = self;
        f.debug_struct("Network").field("name", name).field("description", description).field("kernel", kernel).finish()
    }
}

fn attention(
    kernel: Kernel,
    weights: &proto::Weights,
    format: &Format,
    tower: Option<&Tower>,
) -> Result<(EmbeddingLayer, Encoders), NetworkError> {
    let embedding = EmbeddingLayer::new(kernel, weights, format, tower.map(Tower::channels))?;
    let is_dense = format.embedding == crate::format::Embedding::Dense;
    let options = EncoderOptions {
        heads: heads(weights.heads),
        alpha: (2.0 * weights.encoders.len() as f32).powf(-0.25),
        epsilon: if is_dense { 1e-3 } else { 1e-6 },
        smolgen: format.smolgen,
        ffn: format.ffn,
        smolgen_w: weights.smolgen_w.as_ref(),
    };
    let encoders = Encoders::new(kernel, &weights.encoders, "encoder", embedding.width(), options)?;
    Ok((embedding, encoders))
}

fn describe(
    net: &proto::Net,
    weights: &proto::Weights,
    format: &Format,
    tower: Option<&Tower>,
    width: usize,
) -> Description {
    let is_attention = format.body != Body::Residual;
    let body = match (is_attention, tower) {
        (true, _) if has_smolgen(&weights.encoders) => "attention with smolgen",
        (true, _) => "attention",
        (false, Some(tower)) if tower.has_se() => "residual with squeeze and excitation",
        (false, _) => "residual",
    };
    Description {
        input: format.input,
        body: body.to_owned(),
        layers: if is_attention { weights.encoders.len() } else { tower.map_or(0, Tower::blocks) },
        width,
        heads: if is_attention { heads(weights.heads) } else { 0 },
        policy: match format.policy {
            Policy::Dense => "dense",
            Policy::Convolution => "convolution",
            Policy::Attention => "attention",
        },
        has_wdl: format.has_wdl,
        has_moves_left: format.has_moves_left,
        training_steps: net.training.as_ref().and_then(|training| training.steps),
        license: net.license.clone().filter(|text| !text.is_empty()),
    }
}
