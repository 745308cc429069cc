//! The computation of one network, from positions to probabilities and values.

use std::sync::{Mutex, PoisonError};

use centipawn_core::{History, Wdl};
use shakmaty::{Move, Position as _};

use crate::{
    EvaluateError, Input, Kernel, NetworkError,
    attention::{EmbeddingLayer, EncoderOptions, Encoders, has_smolgen, heads},
    format::{Body, Format, Policy},
    heads::{BoardHead, PolicyHead, probabilities, wdl},
    index::Step,
    network::Description,
    planes::Planes,
    proto,
    residual::{Room, Tower},
};

/// How many positions are computed together. The weights of a layer are read from memory once for
/// all of them. The values of more positions do not fit into the cache of a core.
const BATCH: usize = 8;

/// The layers of a network. Any number of threads can run them at the same time.
pub(crate) struct Graph {
    kernel: Kernel,
    tower: Option<Tower>,
    attention: Option<(EmbeddingLayer, Encoders)>,
    policy: PolicyHead,
    value: BoardHead,
    has_wdl: bool,
    moves_left: Option<BoardHead>,
    rooms: Mutex<Vec<Room>>,
}

/// A network's answer to one position.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// The legal moves, in no particular order.
    pub(crate) moves: Vec<Move>,
    /// The probability of each move, in the order of `moves`.
    pub(crate) probabilities: Vec<f64>,
    /// The network's output for each move, before the softmax, in the order of `moves`.
    pub(crate) logits: Vec<f32>,
    pub(crate) wdl: Option<Wdl>,
    pub(crate) value: f64,
    pub(crate) moves_left: Option<f64>,
    pub(crate) made_up: usize,
}

impl Graph {
    /// Builds the layers of a decoded file, and describes them.
    pub(crate) fn new(
        kernel: Kernel,
        net: &proto::Net,
    ) -> Result<(Self, Description), NetworkError> {
        let format = Format::read(net);
        let Some(weights) = net.weights.as_deref() else {
            return Err(if net.onnx.is_some() {
                NetworkError::Onnx
            } else {
                NetworkError::NoWeights
            });
        };
        let format = format?;
        let is_attention = format.body != Body::Residual;
        if is_attention && weights.encoders.is_empty() {
            return Err(NetworkError::Missing(
                "encoder, as its network format 6 or 7 asks for".to_owned(),
            ));
        }
        // The input of an attention body is the planes, or the output of residual blocks if there
        // are any.
        let has_tower = !is_attention || !weights.residual.is_empty();
        let tower = has_tower
            .then(|| Tower::new(kernel, weights, format.activation))
            .transpose()?;
        let attention = is_attention
            .then(|| attention(kernel, weights, &format, tower.as_ref()))
            .transpose()?;
        let width = attention.as_ref().map(|(embedding, _)| embedding.width());
        let width = width.or(tower.as_ref().map(Tower::channels)).unwrap_or(0);
        let moves_left = format
            .has_moves_left
            .then(|| BoardHead::moves_left(kernel, weights, &format, width));
        let description = describe(net, weights, &format, tower.as_ref(), width);
        let graph = Self {
            kernel,
            policy: PolicyHead::new(kernel, weights, &format, width)?,
            value: BoardHead::value(kernel, weights, &format, width)?,
            has_wdl: format.has_wdl,
            moves_left: moves_left.transpose()?,
            tower,
            attention,
            rooms: Mutex::default(),
        };
        Ok((graph, description))
    }

    /// Evaluates the positions. The answers have the same order.
    pub(crate) fn evaluate(&self, positions: &[Posed<'_>]) -> Vec<Result<Output, EvaluateError>> {
        let mut room = self
            .rooms
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop()
            .unwrap_or_default();
        let answers = positions
            .chunks(BATCH)
            .flat_map(|batch| self.batch(batch, &mut room))
            .collect();
        self.rooms
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(room);
        answers
    }

    fn batch(
        &self,
        positions: &[Posed<'_>],
        room: &mut Room,
    ) -> Vec<Result<Output, EvaluateError>> {
        let (kernel, count, mut body) = (self.kernel, positions.len(), Vec::new());
        if let Some(tower) = &self.tower {
            tower.apply(
                kernel,
                positions.iter().map(|posed| &posed.planes),
                room,
                &mut body,
            );
        }
        if let Some((embedding, encoders)) = &self.attention {
            let board = body.len() / count;
            let encoded = positions.iter().enumerate().flat_map(|(index, posed)| {
                let mut x = Vec::new();
                embedding.apply(
                    kernel,
                    &posed.planes,
                    &body[index * board..][..board],
                    &mut x,
                );
                encoders.apply(kernel, &mut x);
                x
            });
            body = encoded.collect();
        }
        let steps: Vec<&[Step]> = positions.iter().map(|posed| &posed.steps[..]).collect();
        let logits = self.policy.apply(kernel, &body, room, &steps);
        let values = self.value.apply(kernel, &body, count);
        let values = values.chunks_exact(values.len() / count);
        let moves_left = self
            .moves_left
            .as_ref()
            .map(|head| head.apply(kernel, &body, count));
        let all = positions.iter().zip(logits).zip(values).enumerate();
        let all = all.map(|(index, ((posed, logits), value))| {
            let moves_left = moves_left.as_ref().map(|all| f64::from(all[index]));
            self.output(posed, logits, value, moves_left)
        });
        all.collect()
    }

    fn output(
        &self,
        posed: &Posed<'_>,
        logits: Vec<f32>,
        answer: &[f32],
        moves_left: Option<f64>,
    ) -> Result<Output, EvaluateError> {
        if logits.len() != posed.moves.len()
            || !logits.iter().chain(answer).all(|number| number.is_finite())
        {
            return Err(EvaluateError::NotFinite {
                fen: posed.history.fen(),
            });
        }
        let wdl = self
            .has_wdl
            .then(|| wdl(answer))
            .map(|[win, draw, loss]| Wdl { win, draw, loss });
        let value = wdl.map_or_else(|| f64::from(answer[0]).tanh(), |wdl| wdl.win - wdl.loss);
        let (moves, made_up) = (posed.moves.clone(), posed.planes.made_up);
        Ok(Output {
            moves,
            probabilities: probabilities(&logits),
            logits,
            wdl,
            value,
            moves_left,
            made_up,
        })
    }
}

/// A position prepared as the input of a network.
#[derive(Clone)]
pub(crate) struct Posed<'a> {
    history: &'a History,
    /// The legal moves. There is at least one, because [`new`](Self::new) refuses mate and
    /// stalemate.
    moves: Vec<Move>,
    planes: Planes,
    /// The moves in the network's view of the board, in the order of `moves`.
    steps: Vec<Step>,
}

impl<'a> Posed<'a> {
    /// Prepares the last position of `history`.
    pub(crate) fn new(history: &'a History, input: Input) -> Result<Self, EvaluateError> {
        let moves: Vec<Move> = history.position().legal_moves().into_iter().collect();
        if moves.is_empty() {
            return Err(EvaluateError::NoMoves { fen: history.fen() });
        }
        let planes = Planes::new(history, input);
        let steps = moves
            .iter()
            .filter_map(|mv| Step::new(*mv, history.turn(), planes.turned))
            .collect();
        Ok(Self {
            history,
            moves,
            planes,
            steps,
        })
    }

    /// Returns the same position for a network that reads the rating from a plane; `rating` is the
    /// plane's value.
    pub(crate) fn at(&self, rating: f32) -> Self {
        Self {
            planes: self.planes.clone().at(rating),
            ..self.clone()
        }
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
    let encoders = Encoders::new(
        kernel,
        &weights.encoders,
        "encoder",
        embedding.width(),
        options,
    )?;
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
        layers: if is_attention {
            weights.encoders.len()
        } else {
            tower.map_or(0, Tower::blocks)
        },
        width,
        heads: if is_attention {
            heads(weights.heads)
        } else {
            0
        },
        policy: match format.policy {
            Policy::Dense => "dense",
            Policy::Convolution => "convolution",
            Policy::Attention => "attention",
        },
        has_wdl: format.has_wdl,
        has_moves_left: format.has_moves_left,
        training_steps: net.training.as_ref().and_then(|training| training.steps),
        license: net.license.clone().filter(|text| !text.is_empty()),
        mixed_from: Vec::new(),
    }
}
