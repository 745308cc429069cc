//! Attention bodies: an embedding of the planes, then encoder layers.

use shakmaty::{Bitboard, Square, attacks};

use crate::{
    NetworkError,
    activation::{Activation, LayerNorm, softmax},
    dense::{Layers, layer_norm, layers},
    format::{Embedding, Format},
    load::exactly,
    matrix::{Dense, Packed},
    planes::Planes,
    proto::{self, Layer},
    simd::Kernel,
};

/// The first layer of an attention body. It maps the planes, or the output of a convolutional body,
/// to `[64][width]`.
pub(crate) struct EmbeddingLayer {
    /// The input added to the planes; `None` if the input is the output of a convolutional body.
    position: Option<Position>,
    dense: Dense,
    norm: Option<LayerNorm>,
    /// The network's multiplicative gate (`ip_mult_gate`) and additive gate (`ip_add_gate`),
    /// `[64][width]` each.
    gates: Option<(Vec<f32>, Vec<f32>)>,
    ffn: Option<Ffn>,
}

enum Position {
    Map,
    Dense(Dense),
}

/// Number of planes that the dense embedding reads: the pieces of the current position.
const PIECES: usize = 12;

impl EmbeddingLayer {
    /// `channels` is the number of outputs of the convolutional body, if there is one.
    pub(crate) fn new(
        kernel: Kernel,
        weights: &proto::Weights,
        format: &Format,
        channels: Option<usize>,
    ) -> Result<Self, NetworkError> {
        let is_dense = format.embedding == Embedding::Dense;
        let position = match channels {
            Some(_) => None,
            None if is_dense => Some(Position::Dense(
                layers(
                    "ip_emb_preproc",
                    &weights.ip_emb_preproc_w,
                    &weights.ip_emb_preproc_b,
                )
                .dense(kernel, 64 * PIECES, None, Activation::None)
                .and_then(whole_squares)?,
            )),
            None => Some(Position::Map),
        };
        let inputs = match (&position, channels) {
            (Some(Position::Map), _) => 112 + 64,
            (Some(Position::Dense(dense)), _) => 112 + dense.outputs() / 64,
            (None, channels) => channels.unwrap_or(0),
        };
        let dense = layers("ip_emb", &weights.ip_emb_w, &weights.ip_emb_b).dense(
            kernel,
            inputs,
            None,
            format.activation,
        )?;
        let width = dense.outputs();
        let has_gates = weights.mult_gate.is_some() && weights.add_gate.is_some();
        let gate = |layer: &Option<Layer>, part| {
            let numbers = exactly(layer.as_ref(), part, 64 * width)?;
            Ok::<_, NetworkError>(
                (0..64 * width)
                    .map(|index| numbers[index % width * 64 + index / width])
                    .collect(),
            )
        };
        let gates = has_gates
            .then(|| {
                Ok::<_, NetworkError>((
                    gate(&weights.mult_gate, "ip_mult_gate")?,
                    gate(&weights.add_gate, "ip_add_gate")?,
                ))
            })
            .transpose()?;
        let norm = |gammas: &Option<Layer>, betas: &Option<Layer>, part| {
            layer_norm(gammas.as_ref(), betas.as_ref(), part, width, 1e-3)
        };
        let alpha = (2.0 * weights.encoders.len() as f32).powf(-0.25);
        Ok(Self {
            norm: is_dense
                .then(|| {
                    norm(
                        &weights.ip_emb_ln_gammas,
                        &weights.ip_emb_ln_betas,
                        "ip_emb_ln",
                    )
                })
                .transpose()?,
            ffn: is_dense
                .then(|| {
                    let (gammas, betas) =
                        (&weights.ip_emb_ffn_ln_gammas, &weights.ip_emb_ffn_ln_betas);
                    let norm = norm(gammas, betas, "ip_emb_ffn_ln")?;
                    Ffn::new(
                        kernel,
                        weights.ip_emb_ffn.as_ref(),
                        "ip_emb_ffn",
                        width,
                        format.ffn,
                        alpha,
                        norm,
                    )
                })
                .transpose()?,
            position,
            dense,
            gates,
        })
    }

    pub(crate) fn width(&self) -> usize {
        self.dense.outputs()
    }

    /// Maps `planes`, or the output `body` of the convolutions if there are any, to `[64][width]`.
    pub(crate) fn apply(&self, kernel: Kernel, planes: &Planes, body: &[f32], out: &mut Vec<f32>) {
        match &self.position {
            None => self.dense.apply(kernel, body, 64, out),
            Some(Position::Map) => {
                let tokens = tokens(planes, 64, |square, row| {
                    let reach = attacks::queen_attacks(square, Bitboard::EMPTY)
                        | attacks::knight_attacks(square);
                    for other in reach {
                        row[usize::from(other)] = 1.0;
                    }
                    row[usize::from(square)] = -1.0;
                });
                self.dense.apply(kernel, &tokens, 64, out);
            }
            Some(Position::Dense(dense)) => {
                let mut pieces = vec![0.0; 64 * PIECES];
                for (plane, (squares, value)) in planes.planes[..PIECES].iter().enumerate() {
                    for square in *squares {
                        pieces[usize::from(square) * PIECES + plane] = *value;
                    }
                }
                let mut encoded = Vec::new();
                dense.apply(kernel, &pieces, 1, &mut encoded);
                let width = dense.outputs() / 64;
                let tokens = tokens(planes, width, |square, row| {
                    row.copy_from_slice(&encoded[usize::from(square) * width..][..width]);
                });
                self.dense.apply(kernel, &tokens, 64, out);
            }
        }
        if let Some(norm) = &self.norm {
            norm.apply(out, None);
        }
        if let Some((factors, summands)) = &self.gates {
            for ((x, factor), summand) in out.iter_mut().zip(factors).zip(summands) {
                *x = *x * factor + summand;
            }
        }
        if let Some(ffn) = &self.ffn {
            ffn.apply(kernel, out);
        }
    }
}

fn whole_squares(dense: Dense) -> Result<Dense, NetworkError> {
    if dense.outputs().is_multiple_of(64) {
        return Ok(dense);
    }
    let (part, found) = ("ip_emb_preproc_b".to_owned(), dense.outputs());
    Err(NetworkError::Shape {
        part,
        found,
        wanted: "a multiple of 64".to_owned(),
    })
}

/// Builds the input `[64][112 + more]`: for each square, the values of its planes, then `more`
/// numbers that `fill` writes.
fn tokens(planes: &Planes, more: usize, fill: impl Fn(Square, &mut [f32])) -> Vec<f32> {
    let width = 112 + more;
    let mut tokens = vec![0.0; 64 * width];
    for (plane, (squares, value)) in planes.planes.iter().enumerate() {
        for square in *squares {
            tokens[usize::from(square) * width + plane] = *value;
        }
    }
    for (square, row) in Square::ALL.into_iter().zip(tokens.chunks_exact_mut(width)) {
        fill(square, &mut row[112..]);
    }
    tokens
}

/// Parameters that all encoder layers of a body share.
#[derive(Clone, Copy)]
pub(crate) struct EncoderOptions<'a> {
    pub(crate) heads: usize,
    pub(crate) alpha: f32,
    pub(crate) epsilon: f32,
    pub(crate) smolgen: Activation,
    pub(crate) ffn: Activation,
    /// Weights of the last layer of smolgen, which all encoder layers share.
    pub(crate) smolgen_w: Option<&'a Layer>,
}

/// A sequence of encoder layers.
pub(crate) struct Encoders {
    layers: Vec<Encoder>,
    /// The last layer of smolgen: maps the `generated` numbers of one head to its 64×64 attention
    /// biases.
    generator: Option<Dense>,
}

impl Encoders {
    pub(crate) fn new(
        kernel: Kernel,
        encoders: &[proto::Encoder],
        part: &str,
        width: usize,
        options: EncoderOptions<'_>,
    ) -> Result<Self, NetworkError> {
        let layers = encoders.iter().enumerate();
        let layers: Vec<Encoder> = layers
            .map(|(index, layer)| {
                Encoder::new(kernel, layer, &format!("{part}[{index}]"), width, options)
            })
            .collect::<Result<_, _>>()?;
        let generated: Vec<usize> = layers
            .iter()
            .filter_map(|layer| layer.smolgen.as_ref())
            .map(|smolgen| smolgen.generated)
            .collect();
        let generator = match generated.first() {
            Some(&first) if generated.iter().all(|other| *other == first) => Some(
                Layers {
                    part: "smolgen",
                    weights: options.smolgen_w,
                    bias: None,
                }
                .dense(kernel, first, Some(64 * 64), Activation::None)?,
            ),
            Some(_) => {
                return Err(NetworkError::Unsupported(
                    "the smolgen layers differ in size".to_owned(),
                ));
            }
            None => None,
        };
        Ok(Self { layers, generator })
    }

    pub(crate) fn apply(&self, kernel: Kernel, x: &mut Vec<f32>) {
        for layer in &self.layers {
            layer.apply(kernel, x, self.generator.as_ref());
        }
    }
}

struct Encoder {
    queries: Dense,
    keys: Dense,
    values: Dense,
    heads: usize,
    smolgen: Option<Smolgen>,
    out: Dense,
    norm: LayerNorm,
    alpha: f32,
    ffn: Ffn,
}

impl Encoder {
    fn new(
        kernel: Kernel,
        layer: &proto::Encoder,
        part: &str,
        width: usize,
        options: EncoderOptions<'_>,
    ) -> Result<Self, NetworkError> {
        let mha = layer
            .mha
            .as_ref()
            .ok_or_else(|| NetworkError::Missing(format!("{part}.mha")))?;
        if mha.rpe_q.is_some() || mha.rpe_k.is_some() || mha.rpe_v.is_some() {
            return Err(NetworkError::Unsupported(format!(
                "{part} uses relative position encodings (fields 10 to 12), which are not supported"
            )));
        }
        let dense = |name: &str, weights, bias, inputs, outputs| {
            let part = format!("{part}.mha.{name}");
            layers(&part, weights, bias).dense(kernel, inputs, outputs, Activation::None)
        };
        let queries = dense("q", &mha.q_w, &mha.q_b, width, None)?;
        let inner = queries.outputs();
        if options.heads == 0 || !inner.is_multiple_of(options.heads) {
            return Err(NetworkError::Unsupported(format!(
                "{part} has {} heads for {inner} channels; the file is damaged",
                options.heads
            )));
        }
        let norm = |gammas: &Option<Layer>, betas: &Option<Layer>, name: &str| {
            layer_norm(
                gammas.as_ref(),
                betas.as_ref(),
                &format!("{part}.{name}"),
                width,
                options.epsilon,
            )
        };
        let ffn_norm = norm(&layer.ln2_gammas, &layer.ln2_betas, "ln2")?;
        let ffn_part = format!("{part}.ffn");
        let smolgen = mha.smolgen.as_ref();
        let smolgen = smolgen
            .map(|s| Smolgen::new(kernel, s, &format!("{part}.mha.smolgen"), width, options));
        Ok(Self {
            queries,
            keys: dense("k", &mha.k_w, &mha.k_b, width, Some(inner))?,
            values: dense("v", &mha.v_w, &mha.v_b, width, Some(inner))?,
            heads: options.heads,
            smolgen: smolgen.transpose()?,
            out: dense("dense", &mha.dense_w, &mha.dense_b, inner, Some(width))?,
            norm: norm(&layer.ln1_gammas, &layer.ln1_betas, "ln1")?,
            alpha: options.alpha,
            ffn: Ffn::new(
                kernel,
                layer.ffn.as_ref(),
                &ffn_part,
                width,
                options.ffn,
                options.alpha,
                ffn_norm,
            )?,
        })
    }

    fn apply(&self, kernel: Kernel, x: &mut Vec<f32>, generator: Option<&Dense>) {
        let mut bias = Vec::new();
        if let (Some(smolgen), Some(generator)) = (&self.smolgen, generator) {
            let generated = smolgen.apply(kernel, x);
            generator.apply(kernel, &generated, self.heads, &mut bias);
        }
        let [mut queries, mut keys, mut values] = [Vec::new(), Vec::new(), Vec::new()];
        self.queries.apply(kernel, x, 64, &mut queries);
        self.keys.apply(kernel, x, 64, &mut keys);
        self.values.apply(kernel, x, 64, &mut values);
        let inner = self.queries.outputs();
        let depth = inner / self.heads;
        let scale = 1.0 / (depth as f32).sqrt();
        let mut scores = vec![0.0; 64 * 64];
        let mut attended = vec![0.0; 64 * inner];
        for head in 0..self.heads {
            let first = head * depth;
            let packed = Packed::new(kernel, depth, 64, |channel, square| {
                keys[square * inner + first + channel]
            });
            packed.multiply(kernel, &queries[first..], inner, 64, &mut scores, 64);
            scores.iter_mut().for_each(|score| *score *= scale);
            if !bias.is_empty() {
                scores
                    .iter_mut()
                    .zip(&bias[head * 64 * 64..])
                    .for_each(|(score, bias)| *score += bias);
            }
            scores.chunks_exact_mut(64).for_each(softmax);
            let packed = Packed::new(kernel, 64, depth, |square, channel| {
                values[square * inner + first + channel]
            });
            packed.multiply(kernel, &scores, 64, 64, &mut attended[first..], inner);
        }
        let mut out = Vec::new();
        self.out.apply(kernel, &attended, 64, &mut out);
        self.norm.apply(&mut out, Some((x, self.alpha)));
        *x = out;
        self.ffn.apply(kernel, x);
    }
}

/// Two dense layers with a skip connection.
struct Ffn {
    first: Dense,
    second: Dense,
    alpha: f32,
    norm: LayerNorm,
}

impl Ffn {
    fn new(
        kernel: Kernel,
        ffn: Option<&proto::Ffn>,
        part: &str,
        width: usize,
        activation: Activation,
        alpha: f32,
        norm: LayerNorm,
    ) -> Result<Self, NetworkError> {
        let ffn = ffn.ok_or_else(|| NetworkError::Missing(part.to_owned()))?;
        let names = [format!("{part}.dense1"), format!("{part}.dense2")];
        let first = layers(&names[0], &ffn.dense1_w, &ffn.dense1_b)
            .dense(kernel, width, None, activation)?;
        let second = layers(&names[1], &ffn.dense2_w, &ffn.dense2_b).dense(
            kernel,
            first.outputs(),
            Some(width),
            Activation::None,
        )?;
        Ok(Self {
            first,
            second,
            alpha,
            norm,
        })
    }

    fn apply(&self, kernel: Kernel, x: &mut Vec<f32>) {
        let [mut hidden, mut out] = [Vec::new(), Vec::new()];
        self.first.apply(kernel, x, 64, &mut hidden);
        self.second.apply(kernel, &hidden, 64, &mut out);
        self.norm.apply(&mut out, Some((x, self.alpha)));
        *x = out;
    }
}

/// Smolgen: computes attention biases for each head from the whole board.
struct Smolgen {
    compress: Dense,
    first: Dense,
    first_norm: LayerNorm,
    second: Dense,
    second_norm: LayerNorm,
    /// Number of outputs for each head, before the shared last layer.
    generated: usize,
}

impl Smolgen {
    fn new(
        kernel: Kernel,
        smolgen: &proto::Smolgen,
        part: &str,
        width: usize,
        options: EncoderOptions<'_>,
    ) -> Result<Self, NetworkError> {
        let name = format!("{part}.compress");
        let compress = Layers {
            part: &name,
            weights: smolgen.compress.as_ref(),
            bias: None,
        };
        let compress = compress.dense(kernel, width, None, Activation::None)?;
        let names = [format!("{part}.dense1"), format!("{part}.dense2")];
        let first = layers(&names[0], &smolgen.dense1_w, &smolgen.dense1_b).dense(
            kernel,
            64 * compress.outputs(),
            None,
            options.smolgen,
        )?;
        let second = layers(&names[1], &smolgen.dense2_w, &smolgen.dense2_b).dense(
            kernel,
            first.outputs(),
            None,
            options.smolgen,
        )?;
        if !second.outputs().is_multiple_of(options.heads) {
            let (found, wanted) = (second.outputs(), format!("a multiple of {}", options.heads));
            return Err(NetworkError::Shape {
                part: format!("{part}.dense2_b"),
                found,
                wanted,
            });
        }
        let norm = |gammas: &Option<Layer>, betas: &Option<Layer>, name: &str, width| {
            layer_norm(
                gammas.as_ref(),
                betas.as_ref(),
                &format!("{part}.{name}"),
                width,
                1e-3,
            )
        };
        Ok(Self {
            first_norm: norm(
                &smolgen.ln1_gammas,
                &smolgen.ln1_betas,
                "ln1",
                first.outputs(),
            )?,
            second_norm: norm(
                &smolgen.ln2_gammas,
                &smolgen.ln2_betas,
                "ln2",
                second.outputs(),
            )?,
            generated: second.outputs() / options.heads,
            compress,
            first,
            second,
        })
    }

    /// Maps the board `[64][width]` to the numbers of all heads, `[heads][generated]`.
    fn apply(&self, kernel: Kernel, x: &[f32]) -> Vec<f32> {
        let [mut a, mut b] = [Vec::new(), Vec::new()];
        self.compress.apply(kernel, x, 64, &mut a);
        self.first.apply(kernel, &a, 1, &mut b);
        self.first_norm.apply(&mut b, None);
        self.second.apply(kernel, &b, 1, &mut a);
        self.second_norm.apply(&mut a, None);
        a
    }
}

/// Returns whether any encoder has smolgen, for the description of the network.
pub(crate) fn has_smolgen(encoders: &[proto::Encoder]) -> bool {
    let smolgen =
        |layer: &proto::Encoder| layer.mha.as_ref().is_some_and(|mha| mha.smolgen.is_some());
    encoders.iter().any(smolgen)
}

/// Returns the number of heads in a message.
pub(crate) fn heads(count: Option<u32>) -> usize {
    usize::try_from(count.unwrap_or(0)).unwrap_or(usize::MAX)
}
