//! The heads of a network: policy, value and moves left.

use crate::{
    NetworkError,
    activation::{Activation, softmax},
    attention::{EncoderOptions, Encoders, heads},
    dense::{Layers, by_square, layers},
    format::{Body, Format, Policy},
    index::{OUTPUTS, PLANES, Step, last_rank, window},
    load::{Folded, convolution},
    matrix::{Dense, dot},
    proto::{self, Layer},
    residual::{Room, same_channels},
    simd::Kernel,
    winograd::Convolution,
};

/// Maps the body's output to a logit for each move. Only logits of the legal moves are computed.
#[allow(clippy::large_enum_variant)] // A network has only one value of this type.
pub(crate) enum PolicyHead {
    Dense {
        squeeze: Dense,
        /// `[1858][64][channels]`
        weights: Vec<f32>,
        bias: Vec<f32>,
    },
    Convolution {
        first: Box<Convolution>,
        activation: Activation,
        /// `[planes][9][channels]`
        weights: Vec<f32>,
        bias: Vec<f32>,
    },
    Attention {
        embedding: Dense,
        encoders: Encoders,
        queries: Dense,
        keys: Dense,
        /// `[4][depth]`. Rows 0 to 2 belong to promotions to a queen, a rook and a bishop. Row 3 is
        /// added for each of the three.
        promotions: Vec<f32>,
    },
}

/// The layers of an attention policy. Files store them either beside the body or in a list of
/// policy heads.
struct AttentionParts<'a> {
    embedding: (Option<&'a Layer>, Option<&'a Layer>),
    queries: (Option<&'a Layer>, Option<&'a Layer>),
    keys: (Option<&'a Layer>, Option<&'a Layer>),
    promotions: Option<&'a Layer>,
    encoders: &'a [proto::Encoder],
    heads: Option<u32>,
}

impl PolicyHead {
    /// `channels` is the number of the body's outputs for each square.
    pub(crate) fn new(
        kernel: Kernel,
        weights: &proto::Weights,
        format: &Format,
        channels: usize,
    ) -> Result<Self, NetworkError> {
        if format.body != Body::Residual && format.policy != Policy::Attention {
            let text =
                "an attention body with a policy format other than 3 (attention) is not supported";
            return Err(NetworkError::Unsupported(text.to_owned()));
        }
        match format.policy {
            Policy::Dense => {
                let Folded {
                    weights: squeeze,
                    bias,
                } = convolution(weights.policy.as_ref(), "policy", channels, 1)?;
                let squeeze = Dense::new(kernel, &squeeze, bias.len(), bias, format.activation);
                let (inputs, layer) = (
                    64 * squeeze.outputs(),
                    layers("ip_pol", &weights.ip_pol_w, &weights.ip_pol_b),
                );
                let (numbers, mut bias) = layer.numbers(inputs, Some(OUTPUTS))?;
                bias.resize(OUTPUTS, 0.0);
                Ok(Self::Dense {
                    weights: by_square(&numbers, squeeze.outputs()),
                    squeeze,
                    bias,
                })
            }
            Policy::Convolution => {
                let first = same_channels(kernel, weights.policy1.as_ref(), "policy1", channels)?;
                let Folded {
                    weights: taps,
                    bias,
                } = convolution(weights.policy.as_ref(), "policy", channels, 9)?;
                if bias.len() < PLANES {
                    let (found, wanted) = (taps.len(), format!("{channels}×{PLANES}×9 or more"));
                    return Err(NetworkError::Shape {
                        part: "policy.weights".to_owned(),
                        found,
                        wanted,
                    });
                }
                let place = |index: usize| {
                    let (plane, tap, channel) =
                        (index / channels / 9, index / channels % 9, index % channels);
                    taps[(plane * channels + channel) * 9 + tap]
                };
                let weights = (0..taps.len()).map(place).collect();
                Ok(Self::Convolution {
                    first: Box::new(first),
                    activation: format.activation,
                    weights,
                    bias,
                })
            }
            Policy::Attention => Self::attention(kernel, weights, format, channels),
        }
    }

    fn attention(
        kernel: Kernel,
        weights: &proto::Weights,
        format: &Format,
        channels: usize,
    ) -> Result<Self, NetworkError> {
        let flat = AttentionParts {
            embedding: (weights.ip_pol_w.as_ref(), weights.ip_pol_b.as_ref()),
            queries: (weights.ip2_pol_w.as_ref(), weights.ip2_pol_b.as_ref()),
            keys: (weights.ip3_pol_w.as_ref(), weights.ip3_pol_b.as_ref()),
            promotions: weights.ip4_pol_w.as_ref(),
            encoders: &weights.policy_encoders,
            heads: weights.policy_heads_count,
        };
        let parts = match &weights.policy_heads {
            None => flat,
            Some(all) => {
                let head = all.vanilla.as_ref();
                let head = head
                    .ok_or_else(|| NetworkError::Missing("policy head \"vanilla\"".to_owned()))?;
                let own = |own: &'_ Option<Layer>| {
                    own.as_ref().is_some_and(|layer| layer.params.is_some())
                };
                let shared = (
                    all.ip_pol_w.as_ref().or(flat.embedding.0),
                    all.ip_pol_b.as_ref().or(flat.embedding.1),
                );
                let has_own = own(&head.ip_pol_w);
                AttentionParts {
                    embedding: if has_own {
                        (head.ip_pol_w.as_ref(), head.ip_pol_b.as_ref())
                    } else {
                        shared
                    },
                    queries: (head.ip2_pol_w.as_ref(), head.ip2_pol_b.as_ref()),
                    keys: (head.ip3_pol_w.as_ref(), head.ip3_pol_b.as_ref()),
                    promotions: head.ip4_pol_w.as_ref(),
                    encoders: &head.encoders,
                    heads: head.heads,
                }
            }
        };
        let is_body = format.body != Body::Residual;
        let dense = |part, (weights, bias), inputs, outputs, activation| {
            Layers {
                part,
                weights,
                bias,
            }
            .dense(kernel, inputs, outputs, activation)
        };
        // The first networks with an attention policy had a convolutional body. They were trained
        // with SELU in the policy head, but files do not state that.
        let activation = if is_body {
            format.activation
        } else {
            Activation::Selu
        };
        let embedding = dense("ip_pol", parts.embedding, channels, None, activation)?;
        let width = embedding.outputs();
        let options = EncoderOptions {
            heads: heads(parts.heads),
            alpha: 1.0,
            epsilon: 1e-6,
            smolgen: if is_body {
                format.smolgen
            } else {
                Activation::None
            },
            ffn: if is_body {
                format.ffn
            } else {
                Activation::Selu
            },
            smolgen_w: weights.smolgen_w.as_ref(),
        };
        let queries = dense("ip2_pol", parts.queries, width, None, Activation::None)?;
        let depth = queries.outputs();
        Ok(Self::Attention {
            encoders: Encoders::new(kernel, parts.encoders, "pol_encoder", width, options)?,
            keys: dense("ip3_pol", parts.keys, width, Some(depth), Activation::None)?,
            promotions: crate::load::exactly(parts.promotions, "ip4_pol_w", 4 * depth)?,
            embedding,
            queries,
        })
    }

    /// Computes the logit of each step of each position. `body` is `[positions][64][channels]`.
    pub(crate) fn apply(
        &self,
        kernel: Kernel,
        body: &[f32],
        room: &mut Room,
        positions: &[&[Step]],
    ) -> Vec<Vec<f32>> {
        let mut boards = Vec::new();
        match self {
            Self::Dense { squeeze, .. } => {
                squeeze.apply(kernel, body, 64 * positions.len(), &mut boards);
            }
            Self::Convolution {
                first, activation, ..
            } => {
                first.apply(kernel, body, &mut room.between, &mut boards);
                activation.apply(&mut boards, first.outputs());
            }
            Self::Attention { embedding, .. } => {
                embedding.apply(kernel, body, 64 * positions.len(), &mut boards);
            }
        }
        let boards = boards.chunks_exact(boards.len() / positions.len());
        boards
            .zip(positions)
            .map(|(board, steps)| self.logits(kernel, board, steps))
            .collect()
    }

    /// Computes the logits of one position from `board`, the output `[64][outputs]` of the head's
    /// first layer.
    fn logits(&self, kernel: Kernel, board: &[f32], steps: &[Step]) -> Vec<f32> {
        match self {
            Self::Dense { weights, bias, .. } => {
                let indices = steps.iter().map(|step| step.index());
                let logit = |index: usize| {
                    bias[index] + dot(board, &weights[index * board.len()..][..board.len()])
                };
                indices
                    .map(|index| index.map_or(f32::NEG_INFINITY, logit))
                    .collect()
            }
            Self::Convolution { weights, bias, .. } => {
                let channels = board.len() / 64;
                let logit = |step: &Step| {
                    let Some(plane) = step.plane() else {
                        return f32::NEG_INFINITY;
                    };
                    let seen = window(step.from).map(|(tap, square)| {
                        let weights = &weights[(plane * 9 + tap) * channels..][..channels];
                        dot(
                            weights,
                            &board[usize::from(square) * channels..][..channels],
                        )
                    });
                    bias[plane] + seen.sum::<f32>()
                };
                steps.iter().map(logit).collect()
            }
            Self::Attention {
                encoders,
                queries,
                keys,
                promotions,
                ..
            } => {
                let [mut x, mut from, mut to] = [board.to_vec(), Vec::new(), Vec::new()];
                encoders.apply(kernel, &mut x);
                queries.apply(kernel, &x, 64, &mut from);
                keys.apply(kernel, &x, 64, &mut to);
                let depth = queries.outputs();
                let scale = 1.0 / (depth as f32).sqrt();
                let of = |numbers: &[f32], row: usize| numbers[row * depth..][..depth].to_vec();
                let logit = |step: &Step| {
                    let key = of(&to, usize::from(step.to));
                    let plain = scale * dot(&of(&from, usize::from(step.from)), &key);
                    let Some(promotion) = step.promotion else {
                        return plain;
                    };
                    let key = of(&to, usize::from(last_rank(step.to.file())));
                    plain
                        + dot(&of(promotions, promotion as usize), &key)
                        + dot(&of(promotions, 3), &key)
                };
                steps.iter().map(logit).collect()
            }
        }
    }
}

/// Three dense layers in a row: one for each square, one over all squares, and one for the answer.
pub(crate) struct BoardHead {
    squares: Dense,
    board: Dense,
    answer: Dense,
}

impl BoardHead {
    /// Reads the value head. Its answer is three logits for win, draw and loss, or one number.
    pub(crate) fn value(
        kernel: Kernel,
        weights: &proto::Weights,
        format: &Format,
        channels: usize,
    ) -> Result<Self, NetworkError> {
        let answers = if format.has_wdl { 3 } else { 1 };
        let head = match &weights.value_heads {
            Some(all) if format.body != Body::Residual => {
                let head = all.winner.as_ref();
                let head =
                    head.ok_or_else(|| NetworkError::Missing("value head \"winner\"".to_owned()))?;
                [
                    layers("ip_val", &head.ip_val_w, &head.ip_val_b),
                    layers("ip1_val", &head.ip1_val_w, &head.ip1_val_b),
                    layers("ip2_val", &head.ip2_val_w, &head.ip2_val_b),
                ]
            }
            _ => [
                layers("ip_val", &weights.ip_val_w, &weights.ip_val_b),
                layers("ip1_val", &weights.ip1_val_w, &weights.ip1_val_b),
                layers("ip2_val", &weights.ip2_val_w, &weights.ip2_val_b),
            ],
        };
        let conv = (weights.value.as_ref(), "value");
        Self::new(
            kernel,
            conv,
            head,
            format,
            channels,
            (answers, Activation::None),
        )
    }

    /// Reads the moves-left head. Its answer is the number of plies until the end of the game.
    pub(crate) fn moves_left(
        kernel: Kernel,
        weights: &proto::Weights,
        format: &Format,
        channels: usize,
    ) -> Result<Self, NetworkError> {
        let head = [
            layers("ip_mov", &weights.ip_mov_w, &weights.ip_mov_b),
            layers("ip1_mov", &weights.ip1_mov_w, &weights.ip1_mov_b),
            layers("ip2_mov", &weights.ip2_mov_w, &weights.ip2_mov_b),
        ];
        let conv = (weights.moves_left.as_ref(), "moves_left");
        Self::new(kernel, conv, head, format, channels, (1, Activation::Relu))
    }

    fn new(
        kernel: Kernel,
        (conv, part): (Option<&proto::ConvBlock>, &str),
        [squares, board, answer]: [Layers<'_>; 3],
        format: &Format,
        channels: usize,
        (answers, activation): (usize, Activation),
    ) -> Result<Self, NetworkError> {
        let is_convolution = format.body == Body::Residual;
        let squares = if is_convolution {
            let Folded { weights, bias } = convolution(conv, part, channels, 1)?;
            Dense::new(kernel, &weights, bias.len(), bias, format.activation)
        } else {
            squares.dense(kernel, channels, None, format.activation)?
        };
        let board =
            board.over_board(kernel, squares.outputs(), is_convolution, format.activation)?;
        let answer = answer.dense(kernel, board.outputs(), Some(answers), activation)?;
        Ok(Self {
            squares,
            board,
            answer,
        })
    }

    /// Maps the body's output `[positions][64][channels]` to `[positions][answers]`.
    pub(crate) fn apply(&self, kernel: Kernel, body: &[f32], positions: usize) -> Vec<f32> {
        let [mut squares, mut boards, mut answers] = [Vec::new(), Vec::new(), Vec::new()];
        self.squares
            .apply(kernel, body, 64 * positions, &mut squares);
        self.board.apply(kernel, &squares, positions, &mut boards);
        self.answer.apply(kernel, &boards, positions, &mut answers);
        answers
    }
}

/// Returns the softmax in double precision.
pub(crate) fn probabilities(logits: &[f32]) -> Vec<f64> {
    let highest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let parts: Vec<f64> = logits
        .iter()
        .map(|logit| f64::from(logit - highest).exp())
        .collect();
    let sum: f64 = parts.iter().sum();
    parts.into_iter().map(|part| part / sum).collect()
}

/// Returns the softmax of the three logits for win, draw and loss.
pub(crate) fn wdl(answer: &[f32]) -> [f64; 3] {
    let mut wdl = [answer[0], answer[1], answer[2]];
    softmax(&mut wdl);
    wdl.map(f64::from)
}
