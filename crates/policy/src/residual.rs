//! Convolutional bodies: a convolution over the planes, then residual blocks.

use shakmaty::{Bitboard, Square};

use crate::{
    NetworkError,
    activation::{Activation, sigmoid},
    dense::Layers,
    load::{Folded, convolution},
    matrix::Dense,
    planes::Planes,
    proto,
    simd::{Kernel, Op, Simd},
    winograd::{Between, Convolution},
};

/// A convolutional body.
pub(crate) struct Tower {
    input: FirstConvolution,
    blocks: Vec<Block>,
    activation: Activation,
}

/// Buffers for the values between the layers. They are reused by the next evaluation.
#[derive(Default)]
pub(crate) struct Room {
    first: Vec<f32>,
    second: Vec<f32>,
    pub(crate) between: Between,
}

impl Tower {
    pub(crate) fn new(
        kernel: Kernel,
        weights: &proto::Weights,
        activation: Activation,
    ) -> Result<Self, NetworkError> {
        let input = FirstConvolution::new(convolution(weights.input.as_ref(), "input", 112, 9)?);
        let channels = input.bias.len();
        let blocks = weights.residual.iter().enumerate();
        let blocks =
            blocks.map(|(index, block)| Block::new(kernel, block, index, channels, activation));
        Ok(Self {
            blocks: blocks.collect::<Result<_, _>>()?,
            input,
            activation,
        })
    }

    pub(crate) fn channels(&self) -> usize {
        self.input.bias.len()
    }

    pub(crate) fn has_se(&self) -> bool {
        self.blocks.iter().any(|block| block.se.is_some())
    }

    pub(crate) fn blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Maps the planes of positions to `[positions][64][channels]`.
    pub(crate) fn apply<'a>(
        &self,
        kernel: Kernel,
        positions: impl ExactSizeIterator<Item = &'a Planes>,
        room: &mut Room,
        out: &mut Vec<f32>,
    ) {
        let channels = self.channels();
        let board = 64 * channels;
        out.resize(positions.len() * board, 0.0);
        for (planes, out) in positions.zip(out.chunks_exact_mut(board)) {
            kernel.run(ApplyFirst {
                convolution: &self.input,
                planes,
                out,
            });
        }
        self.activation.apply(out, channels);
        for block in &self.blocks {
            block
                .conv1
                .apply(kernel, out, &mut room.between, &mut room.first);
            self.activation.apply(&mut room.first, channels);
            block
                .conv2
                .apply(kernel, &room.first, &mut room.between, &mut room.second);
            let is_relu = self.activation == Activation::Relu;
            for (board, out) in room
                .second
                .chunks_exact(board)
                .zip(out.chunks_exact_mut(board))
            {
                let gains = block
                    .se
                    .as_ref()
                    .map(|se| se.gains(kernel, board, channels))
                    .unwrap_or_default();
                kernel.run(Join {
                    board,
                    gains: &gains,
                    channels,
                    is_relu,
                    out,
                });
            }
            if !is_relu {
                self.activation.apply(out, channels);
            }
        }
    }
}

struct Block {
    conv1: Convolution,
    conv2: Convolution,
    se: Option<SqueezeAndExcite>,
}

/// Squeeze and excitation: scales and shifts each channel. The scales and shifts are computed from
/// the means of all channels.
struct SqueezeAndExcite {
    squeeze: Dense,
    excite: Dense,
}

impl SqueezeAndExcite {
    /// Computes a scale for each channel of a board, followed by a shift for each channel.
    fn gains(&self, kernel: Kernel, board: &[f32], channels: usize) -> Vec<f32> {
        let [mut mean, mut hidden, mut gains] = [vec![0.0; channels], Vec::new(), Vec::new()];
        kernel.run(Mean {
            board,
            mean: &mut mean,
        });
        self.squeeze.apply(kernel, &mean, 1, &mut hidden);
        self.excite.apply(kernel, &hidden, 1, &mut gains);
        gains[..channels]
            .iter_mut()
            .for_each(|gain| *gain = sigmoid(*gain));
        gains
    }
}

impl Block {
    fn new(
        kernel: Kernel,
        block: &proto::Residual,
        index: usize,
        channels: usize,
        activation: Activation,
    ) -> Result<Self, NetworkError> {
        let conv = |conv: Option<&proto::ConvBlock>, name: &str| {
            same_channels(kernel, conv, &format!("residual[{index}].{name}"), channels)
        };
        let se = block.se.as_ref().map(|se| {
            let names = [1, 2].map(|layer| format!("residual[{index}].se.{layer}"));
            let squeeze = Layers {
                part: &names[0],
                weights: se.w1.as_ref(),
                bias: se.b1.as_ref(),
            };
            let squeeze = squeeze.dense(kernel, channels, None, activation)?;
            let excite = Layers {
                part: &names[1],
                weights: se.w2.as_ref(),
                bias: se.b2.as_ref(),
            };
            let excite = excite.dense(
                kernel,
                squeeze.outputs(),
                Some(2 * channels),
                Activation::None,
            )?;
            Ok::<_, NetworkError>(SqueezeAndExcite { squeeze, excite })
        });
        Ok(Self {
            conv1: conv(block.conv1.as_ref(), "conv1")?,
            conv2: conv(block.conv2.as_ref(), "conv2")?,
            se: se.transpose()?,
        })
    }
}

/// Returns a 3×3 convolution with as many outputs as inputs.
pub(crate) fn same_channels(
    kernel: Kernel,
    block: Option<&proto::ConvBlock>,
    part: &str,
    channels: usize,
) -> Result<Convolution, NetworkError> {
    let Folded { weights, bias } = convolution(block, part, channels, 9)?;
    if bias.len() != channels {
        let (found, wanted) = (weights.len(), format!("{channels}×{channels}×9"));
        return Err(NetworkError::Shape {
            part: format!("{part}.weights"),
            found,
            wanted,
        });
    }
    Ok(Convolution::new(kernel, &weights, channels, bias))
}

/// Computes the mean of each channel over the 64 squares.
struct Mean<'a> {
    board: &'a [f32],
    mean: &'a mut [f32],
}

impl Op for Mean<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        for square in self.board.chunks_exact(self.mean.len()) {
            for (sum, x) in self.mean.iter_mut().zip(square) {
                *sum += x;
            }
        }
        for sum in self.mean {
            *sum *= 1.0 / 64.0;
        }
    }
}

/// Computes `out += scale·board + shift`, followed by ReLU if `is_relu`. `gains` holds a scale for
/// each channel, then a shift for each. If it is empty, computes `out += board`.
struct Join<'a> {
    board: &'a [f32],
    gains: &'a [f32],
    channels: usize,
    is_relu: bool,
    out: &'a mut [f32],
}

impl Op for Join<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self {
            board,
            gains,
            channels,
            is_relu,
            out,
        } = self;
        let floor = if is_relu { 0.0 } else { f32::NEG_INFINITY };
        let squares = out
            .chunks_exact_mut(channels)
            .zip(board.chunks_exact(channels));
        if gains.is_empty() {
            for (out, board) in squares {
                for (out, x) in out.iter_mut().zip(board) {
                    *out = (*out + x).max(floor);
                }
            }
        } else {
            let (scales, shifts) = gains.split_at(channels);
            for (out, board) in squares {
                for (((out, x), scale), shift) in out.iter_mut().zip(board).zip(scales).zip(shifts)
                {
                    *out = (*out + scale * x + shift).max(floor);
                }
            }
        }
    }
}

/// The convolution over the planes. Most squares of most planes are empty, so it adds the
/// contribution of each piece to the squares around it instead of computing all products.
struct FirstConvolution {
    /// `[112][9][channels]`: what a piece on a plane adds to each of the 9 squares around it.
    taps: Vec<f32>,
    /// `[112][9][channels]`: what a full plane adds to a square. The 9 classes are the four
    /// corners, the four edges and the inside of the board, which differ in how many neighbours
    /// they have.
    full: Vec<f32>,
    bias: Vec<f32>,
}

impl FirstConvolution {
    fn new(Folded { weights, bias }: Folded) -> Self {
        let channels = bias.len();
        let mut taps = vec![0.0; weights.len()];
        let mut full = vec![0.0; weights.len()];
        for plane in 0..112 {
            for channel in 0..channels {
                let filter = &weights[(channel * 112 + plane) * 9..][..9];
                for tap in 0..9 {
                    taps[(plane * 9 + tap) * channels + channel] = filter[tap];
                    // Class 0 is the first rank or file, class 2 the last one, and class 1 is
                    // between them. Weights that would reach beyond the board are left out of the
                    // sum.
                    let reach = |class: usize| usize::from(class == 0)..3 - usize::from(class == 2);
                    let squares =
                        reach(tap / 3).flat_map(|y| reach(tap % 3).map(move |x| y * 3 + x));
                    full[(plane * 9 + tap) * channels + channel] =
                        squares.map(|square| filter[square]).sum();
                }
            }
        }
        Self { taps, full, bias }
    }
}

struct ApplyFirst<'a> {
    convolution: &'a FirstConvolution,
    planes: &'a Planes,
    out: &'a mut [f32],
}

impl Op for ApplyFirst<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let FirstConvolution { taps, full, bias } = self.convolution;
        let channels = bias.len();
        let out = self.out;
        for square in out.chunks_exact_mut(channels) {
            square.copy_from_slice(bias);
        }
        let class = |coordinate: usize| usize::from(coordinate > 0) + usize::from(coordinate == 7);
        for (plane, (squares, value)) in self.planes.planes.iter().enumerate() {
            if *squares == Bitboard::FULL {
                for (square, out) in out.chunks_exact_mut(channels).enumerate() {
                    let kind = class(square / 8) * 3 + class(square % 8);
                    add(
                        out,
                        *value,
                        &full[(plane * 9 + kind) * channels..][..channels],
                    );
                }
                continue;
            }
            for square in *squares {
                for tap in 0..9 {
                    let (dy, dx) = (1 - tap as i32 / 3, 1 - tap as i32 % 3);
                    let Some(to) = neighbour(square, dx, dy) else {
                        continue;
                    };
                    let share = &taps[(plane * 9 + tap) * channels..][..channels];
                    add(
                        &mut out[usize::from(to) * channels..][..channels],
                        *value,
                        share,
                    );
                }
            }
        }
    }
}

/// Returns the square that is `files` to the right of and `ranks` above `square`, if it is on the
/// board.
pub(crate) fn neighbour(square: Square, files: i32, ranks: i32) -> Option<Square> {
    Some(Square::from_coords(
        square.file().offset(files)?,
        square.rank().offset(ranks)?,
    ))
}

/// Computes `out += value·share`.
#[inline(always)]
fn add(out: &mut [f32], value: f32, share: &[f32]) {
    for (out, share) in out.iter_mut().zip(share) {
        *out += value * share;
    }
}
