//! 3×3 convolutions on the board.
//!
//! The method is Winograd's minimal filtering F(4×4, 3×3). The board consists of 4 tiles of 4×4
//! squares. A tile with the squares around it is a 6×6 patch. Patches are transformed so that the
//! convolution becomes 36 matrix products with a quarter of the multiplications. The weights are
//! transformed once, in double precision, when the network is read.
//! Source: Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", arXiv:1509.09308.

use crate::{
    matrix::{Multiply, Packed, View},
    simd::{Kernel, Op, Simd, Single},
};

/// The side of a patch, in squares.
const PATCH: usize = 6;
/// The number of matrix products: one for each square of a patch.
const POINTS: usize = PATCH * PATCH;
/// The number of tiles of a board.
const TILES: usize = 4;

/// The matrix `G`. It transforms 3 weights `g` into 6 numbers `G g`.
const WEIGHTS: [[f64; 3]; PATCH] = [
    [1.0 / 4.0, 0.0, 0.0],
    [-1.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0],
    [-1.0 / 6.0, 1.0 / 6.0, -1.0 / 6.0],
    [1.0 / 24.0, 1.0 / 12.0, 1.0 / 6.0],
    [1.0 / 24.0, -1.0 / 12.0, 1.0 / 6.0],
    [0.0, 0.0, 1.0],
];

/// A 3×3 convolution with padding and a bias, without an activation.
pub(crate) struct Convolution {
    inputs: usize,
    outputs: usize,
    /// The packed matrices of all 36 points, one after the other.
    weights: Vec<f32>,
    bias: Vec<f32>,
}

/// Buffers for the values between the transforms. They grow as needed and are reused.
#[derive(Default)]
pub(crate) struct Between {
    patches: Vec<f32>,
    products: Vec<f32>,
}

impl Convolution {
    /// Builds the convolution from weights `[outputs][inputs][3][3]` and a bias for each output.
    pub(crate) fn new(kernel: Kernel, weights: &[f32], inputs: usize, bias: Vec<f32>) -> Self {
        let outputs = bias.len();
        let mut transformed = vec![0.0_f32; POINTS * inputs * outputs];
        for (index, taps) in weights.chunks_exact(9).enumerate() {
            // First `G g` for the columns, then `(G g) Gᵀ` for the rows.
            let mut half = [[0.0; 3]; PATCH];
            for (row, factors) in half.iter_mut().zip(WEIGHTS) {
                for (x, sum) in row.iter_mut().enumerate() {
                    *sum = (0..3)
                        .map(|y| factors[y] * f64::from(taps[3 * y + x]))
                        .sum();
                }
            }
            for (y, row) in half.iter().enumerate() {
                for (x, factors) in WEIGHTS.iter().enumerate() {
                    let value: f64 = (0..3).map(|i| factors[i] * row[i]).sum();
                    transformed[(y * PATCH + x) * inputs * outputs + index] = value as f32;
                }
            }
        }
        let mut all = Vec::new();
        for point in transformed.chunks_exact(inputs * outputs) {
            let packed = Packed::new(kernel, inputs, outputs, |input, output| {
                point[output * inputs + input]
            });
            all.reserve_exact(if all.is_empty() {
                POINTS * packed.view().numbers.len()
            } else {
                0
            });
            all.extend_from_slice(packed.view().numbers);
        }
        Self {
            inputs,
            outputs,
            weights: all,
            bias,
        }
    }

    /// Returns the number of output channels.
    pub(crate) fn outputs(&self) -> usize {
        self.outputs
    }

    /// Convolves boards `[boards][64][inputs]` into `[boards][64][outputs]`.
    pub(crate) fn apply(
        &self,
        kernel: Kernel,
        x: &[f32],
        between: &mut Between,
        out: &mut Vec<f32>,
    ) {
        let boards = x.len() / (64 * self.inputs);
        between
            .patches
            .resize(POINTS * TILES * boards * self.inputs, 0.0);
        between
            .products
            .resize(POINTS * TILES * boards * self.outputs, 0.0);
        out.resize(64 * boards * self.outputs, 0.0);
        kernel.run(Apply {
            convolution: self,
            x,
            between,
            out,
        });
    }
}

struct Apply<'a> {
    convolution: &'a Convolution,
    x: &'a [f32],
    between: &'a mut Between,
    out: &'a mut [f32],
}

impl Op for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Convolution {
            inputs,
            outputs,
            ref weights,
            ref bias,
        } = *self.convolution;
        let Between { patches, products } = self.between;
        let tiles = self.x.len() / (64 * inputs) * TILES;
        let whole = inputs - inputs % S::LANES;
        for tile in 0..tiles {
            let at = Place {
                tile,
                tiles,
                channels: inputs,
            };
            for channel in (0..whole).step_by(S::LANES) {
                to_patch(simd, self.x, at, channel, patches);
            }
            for channel in whole..inputs {
                to_patch(Single, self.x, at, channel, patches);
            }
        }
        let matrix = weights.len() / POINTS;
        for point in 0..POINTS {
            Multiply {
                matrix: View {
                    inner: inputs,
                    columns: outputs,
                    numbers: &weights[point * matrix..][..matrix],
                },
                x: &patches[point * tiles * inputs..][..tiles * inputs],
                x_stride: inputs,
                rows: tiles,
                out: &mut products[point * tiles * outputs..][..tiles * outputs],
                out_stride: outputs,
            }
            .run(simd);
        }
        let whole = outputs - outputs % S::LANES;
        for tile in 0..tiles {
            let at = Place {
                tile,
                tiles,
                channels: outputs,
            };
            for channel in (0..whole).step_by(S::LANES) {
                from_patch(simd, products, at, channel, bias, self.out);
            }
            for channel in whole..outputs {
                from_patch(Single, products, at, channel, bias, self.out);
            }
        }
    }
}

/// The place of a tile among the tiles of all boards.
#[derive(Clone, Copy)]
struct Place {
    tile: usize,
    tiles: usize,
    channels: usize,
}

impl Place {
    /// Returns the lowest rank and the leftmost file of the tile, 0 to 7.
    fn corner(self) -> (usize, usize) {
        (self.tile % TILES / 2 * 4, self.tile % 2 * 4)
    }

    /// Returns the index of the first channel of a square in the boards.
    fn square(self, rank: usize, file: usize) -> usize {
        (self.tile / TILES * 64 + rank * 8 + file) * self.channels
    }

    /// Returns the index of the first channel of square `(i, j)` of the tile's patch in the
    /// patches.
    fn patch(self, i: usize, j: usize) -> usize {
        ((i * PATCH + j) * self.tiles + self.tile) * self.channels
    }
}

/// Transforms the patch around a tile, `Bᵀ d B`, for the channels of one vector.
#[inline(always)]
fn to_patch<S: Simd>(simd: S, x: &[f32], at: Place, channel: usize, patches: &mut [f32]) {
    let (top, left) = at.corner();
    let zero = simd.splat(0.0);
    let mut rows = [[zero; PATCH]; PATCH];
    for (i, row) in rows.iter_mut().enumerate() {
        // Squares beyond the edge of the board count as 0.
        let Some(y) = (top + i).checked_sub(1).filter(|y| *y < 8) else {
            continue;
        };
        let mut loaded = [zero; PATCH];
        for (j, value) in loaded.iter_mut().enumerate() {
            let Some(file) = (left + j).checked_sub(1).filter(|file| *file < 8) else {
                continue;
            };
            *value = simd.load(&x[at.square(y, file) + channel..]);
        }
        *row = patch_line(simd, loaded);
    }
    for j in 0..PATCH {
        let column = patch_line(simd, std::array::from_fn(|i| rows[i][j]));
        for (i, value) in column.into_iter().enumerate() {
            simd.store(value, &mut patches[at.patch(i, j) + channel..]);
        }
    }
}

/// Computes `Bᵀ d` for one line of a patch.
#[inline(always)]
fn patch_line<S: Simd>(simd: S, d: [S::Vector; PATCH]) -> [S::Vector; PATCH] {
    let times = |factor: f32, a, b| simd.mul_add(simd.splat(factor), a, b);
    let even = times(-4.0, d[2], d[4]);
    let odd = times(-4.0, d[1], d[3]);
    let (near, far) = (simd.sub(d[4], d[2]), simd.sub(d[3], d[1]));
    [
        times(4.0, d[0], times(-5.0, d[2], d[4])),
        simd.add(even, odd),
        simd.sub(even, odd),
        times(2.0, far, near),
        times(-2.0, far, near),
        times(4.0, d[1], times(-5.0, d[3], d[5])),
    ]
}

/// Transforms the products of a tile back, `Aᵀ m A`, and adds the bias, for the channels of one
/// vector.
#[inline(always)]
fn from_patch<S: Simd>(
    simd: S,
    products: &[f32],
    at: Place,
    channel: usize,
    bias: &[f32],
    out: &mut [f32],
) {
    let (top, left) = at.corner();
    let load = |i: usize, j: usize| simd.load(&products[at.patch(i, j) + channel..]);
    let mut rows = [[simd.splat(0.0); 4]; PATCH];
    for (i, row) in rows.iter_mut().enumerate() {
        *row = tile_line(simd, std::array::from_fn(|j| load(i, j)));
    }
    let bias = simd.load(&bias[channel..]);
    for j in [0, 1, 2, 3] {
        let column = tile_line(simd, std::array::from_fn(|i| rows[i][j]));
        for (i, value) in column.into_iter().enumerate() {
            simd.store(
                simd.add(value, bias),
                &mut out[at.square(top + i, left + j) + channel..],
            );
        }
    }
}

/// Computes `Aᵀ m` for one line of products.
#[inline(always)]
fn tile_line<S: Simd>(simd: S, m: [S::Vector; PATCH]) -> [S::Vector; 4] {
    let times = |factor: f32, a, b| simd.mul_add(simd.splat(factor), a, b);
    let (sum_1, difference_1) = (simd.add(m[1], m[2]), simd.sub(m[1], m[2]));
    let (sum_2, difference_2) = (simd.add(m[3], m[4]), simd.sub(m[3], m[4]));
    [
        simd.add(simd.add(m[0], sum_1), sum_2),
        times(2.0, difference_2, difference_1),
        times(4.0, sum_2, sum_1),
        times(8.0, difference_2, simd.add(difference_1, m[5])),
    ]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn convolution_equals_its_definition_on_every_kernel(
            inputs in 1_usize..40, outputs in 1_usize..40, boards in 1_usize..4, seed: u32,
        ) {
            let number = |index: usize| (((index as u32 ^ seed).wrapping_mul(2_654_435_761)) >> 8) as f32 / 16_777_216.0 - 0.5;
            let weights: Vec<f32> = (0..outputs * inputs * 9).map(number).collect();
            let bias: Vec<f32> = (0..outputs).map(|index| number(index + 99)).collect();
            let x: Vec<f32> = (0..64 * boards * inputs).map(|index| number(index + 12_345)).collect();
            for kernel in Kernel::available() {
                let convolution = Convolution::new(kernel, &weights, inputs, bias.clone());
                let mut out = Vec::new();
                convolution.apply(kernel, &x, &mut Between::default(), &mut out);
                for place in 0..64 * boards {
                    let (board, square) = (place / 64, place % 64);
                    for output in [0, outputs / 2, outputs - 1] {
                        let mut right = f64::from(bias[output]);
                        for (tap, (dy, dx)) in (0..9).map(|tap| (tap, (tap as i32 / 3 - 1, tap as i32 % 3 - 1))) {
                            let (y, file) = (square as i32 / 8 + dy, square as i32 % 8 + dx);
                            if (0..8).contains(&y) && (0..8).contains(&file) {
                                for input in 0..inputs {
                                    let weight = weights[(output * inputs + input) * 9 + tap];
                                    right += f64::from(weight) * f64::from(x[(64 * board + (y * 8 + file) as usize) * inputs + input]);
                                }
                            }
                        }
                        let got = f64::from(out[place * outputs + output]);
                        prop_assert!((got - right).abs() < 1e-4, "{}: {got} {right}", kernel.name());
                    }
                }
            }
        }
    }
}
