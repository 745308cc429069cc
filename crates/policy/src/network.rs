//! A network, from its file to its answers.

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

/// A policy network: which moves would be played, and how it would end.
///
/// It is read once and shared: evaluating takes `&self`, one position a thread, on any number of threads.
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
    /// Of the file as it is, hexadecimal.
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

/// What a network is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// How it is given the position.
    pub input: Input,
    /// `residual`, `residual with squeeze and excitation`, `attention`, `attention with smolgen`.
    pub body: String,
    /// Blocks or layers.
    pub layers: usize,
    /// Numbers for each square between them.
    pub width: usize,
    /// Heads of each layer of attention; 0 without.
    pub heads: usize,
    /// `dense`, `convolution` or `attention`.
    pub policy: &'static str,
    /// Whether the value is win, draw and loss.
    pub has_wdl: bool,
    /// Whether it says how long the game will last.
    pub has_moves_left: bool,
    /// Steps of training, where the file says.
    pub training_steps: Option<u32>,
    /// The licence, where the file says.
    pub license: Option<String>,
}

/// What a network says of a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The legal moves, the likeliest first; equal ones in the order of their squares.
    pub moves: Vec<MoveProbability>,
    /// Win, draw and loss for the side to move, from networks that say so.
    pub wdl: Option<Wdl>,
    /// Win less loss, −1..=1, for the side to move.
    pub value: f64,
    /// Plies that the game will last yet, from networks that say so.
    pub moves_left: Option<f64>,
    /// How many of the eight positions that the network looks at had to be made up, because the start was given without what
    /// led to it. Then the answer is another than the game's would be.
    pub made_up: usize,
}

/// A move and how likely it is played.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveProbability {
    /// The move.
    pub mv: Move,
    /// 0..=1; those of all legal moves sum to 1.
    pub probability: f64,
    /// What the network said, before it was made a probability.
    pub logit: f32,
}

impl Network {
    /// Reads a weight file (`.pb` or `.pb.gz`). The network is called as the file, without these endings.
    ///
    /// # Errors
    ///
    /// [`NetworkError`], which names the file and what is wrong with it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, NetworkError> {
        Self::open_with(path, Kernel::best())
    }

    /// The same, to be computed with a kernel of choice.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, kernel: Kernel) -> Result<Self, NetworkError> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|source| NetworkError::Read { path: path.to_owned(), source })?;
        let mut network = Self::from_bytes_with(&bytes, kernel)
            .map_err(|source| NetworkError::File { path: path.to_owned(), source: Box::new(source) })?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        network_name(&name).clone_into(&mut network.name);
        Ok(network)
    }

    /// Reads a network from the bytes of a file. It has no name.
    ///
    /// # Errors
    ///
    /// [`NetworkError`] when they are none.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        Self::from_bytes_with(bytes, Kernel::best())
    }

    /// The same, to be computed with a kernel of choice.
    ///
    /// # Errors
    ///
    /// As [`from_bytes`](Self::from_bytes).
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
        // A body of attention may stand on one of convolutions.
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

    /// Name of the file, without `.pb.gz`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// SHA-256 of its file, 64 hexadecimal digits.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Name and hash, for documents.
    pub fn provenance(&self) -> progress::Network {
        progress::Network { name: self.name.clone(), sha256: self.sha256.clone() }
    }

    /// What it is made of.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// What it computes with.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The planes that a position becomes for this network.
    pub fn planes(&self, history: &History) -> Planes {
        Planes::new(history, self.description.input)
    }

    /// Probabilities of all legal moves, and the value.
    ///
    /// The game matters: the network looks at the last eight positions. See [`Evaluation::made_up`].
    ///
    /// # Errors
    ///
    /// [`EvaluateError::NoMoves`] at mate and stalemate; [`EvaluateError::NotFinite`] from a broken network.
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
