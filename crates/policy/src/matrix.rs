//! Matrix products for dense layers, convolutions and attention.

use crate::{
    activation::Activation,
    simd::{Kernel, Op, Simd},
};

/// A matrix of `inner × columns` numbers. It is stored so that products read memory sequentially:
/// in panels of columns, two vectors wide, with all rows of a panel together. The last panel is
/// padded with zeros.
pub(crate) struct Packed {
    inner: usize,
    columns: usize,
    panel: usize,
    numbers: Vec<f32>,
}

impl Packed {
    /// Packs the matrix with elements `value(row, column)`.
    pub(crate) fn new(
        kernel: Kernel,
        inner: usize,
        columns: usize,
        value: impl Fn(usize, usize) -> f32,
    ) -> Self {
        let mut packed = Self {
            inner,
            columns,
            panel: kernel.panel(),
            numbers: Vec::new(),
        };
        packed.fill(value);
        packed
    }

    /// Replaces all elements, and reuses the allocated memory.
    pub(crate) fn fill(&mut self, value: impl Fn(usize, usize) -> f32) {
        let panels = self.columns.div_ceil(self.panel);
        self.numbers.clear();
        self.numbers.reserve_exact(panels * self.panel * self.inner);
        for panel in 0..panels {
            for row in 0..self.inner {
                for column in panel * self.panel..(panel + 1) * self.panel {
                    self.numbers.push(if column < self.columns {
                        value(row, column)
                    } else {
                        0.0
                    });
                }
            }
        }
    }

    /// Computes `out[r][c] = Σ x[r][i] · self[i][c]` for `rows` rows. Rows of `x` are `x_stride`
    /// numbers apart, rows of `out` are `out_stride` numbers apart.
    pub(crate) fn multiply(
        &self,
        kernel: Kernel,
        x: &[f32],
        x_stride: usize,
        rows: usize,
        out: &mut [f32],
        out_stride: usize,
    ) {
        kernel.run(Multiply {
            matrix: self.view(),
            x,
            x_stride,
            rows,
            out,
            out_stride,
        });
    }

    pub(crate) fn view(&self) -> View<'_> {
        View {
            inner: self.inner,
            columns: self.columns,
            numbers: &self.numbers,
        }
    }
}

/// A borrowed matrix in the layout of [`Packed`].
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) inner: usize,
    pub(crate) columns: usize,
    pub(crate) numbers: &'a [f32],
}

/// The arguments of [`Packed::multiply`].
pub(crate) struct Multiply<'a> {
    pub(crate) matrix: View<'a>,
    pub(crate) x: &'a [f32],
    pub(crate) x_stride: usize,
    pub(crate) rows: usize,
    pub(crate) out: &'a mut [f32],
    pub(crate) out_stride: usize,
}

impl Op for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let width = 2 * S::LANES;
        for panel in 0..self.matrix.columns.div_ceil(width) {
            let mut row = 0;
            while row < self.rows {
                row += match (self.rows - row).min(S::ROWS) {
                    1 => self.block::<S, 1>(simd, panel, row),
                    2 => self.block::<S, 2>(simd, panel, row),
                    3 => self.block::<S, 3>(simd, panel, row),
                    4 | 5 => self.block::<S, 4>(simd, panel, row),
                    6 | 7 => self.block::<S, 6>(simd, panel, row),
                    _ => self.block::<S, 8>(simd, panel, row),
                };
            }
        }
    }
}

impl Multiply<'_> {
    /// Computes `ROWS` rows, beginning at `row`, for the columns of one panel. Returns `ROWS`. The
    /// number of rows is a constant so that the sums stay in registers.
    #[inline(always)]
    fn block<S: Simd, const ROWS: usize>(&mut self, simd: S, panel: usize, row: usize) -> usize {
        let (inner, width) = (self.matrix.inner, 2 * S::LANES);
        let panel_numbers = &self.matrix.numbers[panel * inner * width..][..inner * width];
        let x: [&[f32]; ROWS] =
            std::array::from_fn(|r| &self.x[(row + r) * self.x_stride..][..inner]);
        let mut sums = [[simd.splat(0.0); 2]; ROWS];
        for (i, numbers) in panel_numbers.chunks_exact(width).enumerate() {
            let (left, right) = (simd.load(numbers), simd.load(&numbers[S::LANES..]));
            for r in 0..ROWS {
                let factor = simd.splat(x[r][i]);
                sums[r][0] = simd.mul_add(factor, left, sums[r][0]);
                sums[r][1] = simd.mul_add(factor, right, sums[r][1]);
            }
        }
        let first = panel * width;
        for (r, sum) in sums.into_iter().enumerate() {
            let out = &mut self.out[(row + r) * self.out_stride + first..];
            if first + width <= self.matrix.columns {
                simd.store(sum[0], out);
                simd.store(sum[1], &mut out[S::LANES..]);
            } else {
                let mut whole = [0.0; 32];
                simd.store(sum[0], &mut whole);
                simd.store(sum[1], &mut whole[S::LANES..]);
                let left = self.matrix.columns - first;
                out[..left].copy_from_slice(&whole[..left]);
            }
        }
        ROWS
    }
}

/// A dense layer: computes `activation(x · Wᵀ + b)` for every row of its input.
pub(crate) struct Dense {
    weights: Packed,
    bias: Vec<f32>,
    activation: Activation,
}

impl Dense {
    /// Builds the layer from weights in the order of files, `[outputs][inputs]`. `bias` may be
    /// empty.
    pub(crate) fn new(
        kernel: Kernel,
        weights: &[f32],
        outputs: usize,
        bias: Vec<f32>,
        activation: Activation,
    ) -> Self {
        let inputs = weights.len() / outputs.max(1);
        let weights = Packed::new(kernel, inputs, outputs, |input, output| {
            weights[output * inputs + input]
        });
        Self {
            weights,
            bias,
            activation,
        }
    }

    /// Returns the length of an output row.
    pub(crate) fn outputs(&self) -> usize {
        self.weights.columns
    }

    /// Maps `rows` rows of `x` to as many rows of `out`. The rows are contiguous in both.
    pub(crate) fn apply(&self, kernel: Kernel, x: &[f32], rows: usize, out: &mut Vec<f32>) {
        let (inputs, outputs) = (self.weights.inner, self.weights.columns);
        out.resize(rows * outputs, 0.0);
        self.weights.multiply(kernel, x, inputs, rows, out, outputs);
        if !self.bias.is_empty() {
            for row in out.chunks_exact_mut(outputs) {
                row.iter_mut()
                    .zip(&self.bias)
                    .for_each(|(out, bias)| *out += bias);
            }
        }
        self.activation.apply(out, outputs);
    }
}

/// `Σ a·b`, in 16 partial sums so that the compiler can vectorise it.
#[inline]
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; 16];
    let (a_chunks, b_chunks) = (a.chunks_exact(16), b.chunks_exact(16));
    let rest: f32 = a_chunks
        .remainder()
        .iter()
        .zip(b_chunks.remainder())
        .map(|(a, b)| a * b)
        .sum();
    for (a, b) in a_chunks.zip(b_chunks) {
        for lane in 0..16 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn products_are_right_on_every_kernel(rows in 1_usize..20, inner in 1_usize..40, columns in 1_usize..80, seed: u32) {
            let number = |index: usize| (((index as u32).wrapping_mul(2_654_435_761) ^ seed) >> 8) as f32 / 16_777_216.0 - 0.5;
            let weights: Vec<f32> = (0..inner * columns).map(number).collect();
            let x: Vec<f32> = (0..rows * inner).map(|index| number(index + 7_919)).collect();
            for kernel in Kernel::available() {
                let dense = Dense::new(kernel, &weights, columns, vec![0.25; columns], Activation::None);
                let mut out = Vec::new();
                dense.apply(kernel, &x, rows, &mut out);
                for row in 0..rows {
                    for column in 0..columns {
                        let (a, b) = (&x[row * inner..][..inner], &weights[column * inner..][..inner]);
                        let right = a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>() + 0.25;
                        prop_assert!((f64::from(out[row * columns + column]) - right).abs() < 1e-5, "{}", kernel.name());
                        prop_assert!((f64::from(dot(a, b)) + 0.25 - right).abs() < 1e-5);
                    }
                }
            }
        }
    }
}
