//! Activation functions and layer normalisation.

/// An activation function of Lc0's format. All but the softmax work on single numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    None,
    Relu,
    Mish,
    Tanh,
    Sigmoid,
    Selu,
    Swish,
    ReluSquared,
    Softmax,
}

impl Activation {
    /// Applies the function in place. The softmax treats each row of `width` numbers separately.
    pub(crate) fn apply(self, numbers: &mut [f32], width: usize) {
        match self {
            Activation::None => {}
            Activation::Relu => each(numbers, |x| x.max(0.0)),
            Activation::ReluSquared => each(numbers, |x| x.max(0.0) * x.max(0.0)),
            Activation::Mish => each(numbers, mish),
            Activation::Tanh => each(numbers, f32::tanh),
            Activation::Sigmoid => each(numbers, sigmoid),
            Activation::Selu => each(numbers, selu),
            Activation::Swish => each(numbers, |x| x * sigmoid(x)),
            Activation::Softmax => numbers.chunks_exact_mut(width.max(1)).for_each(softmax),
        }
    }
}

fn each(numbers: &mut [f32], function: impl Fn(f32) -> f32) {
    numbers.iter_mut().for_each(|x| *x = function(*x));
}

/// `1/(1 + e^(−x))`.
pub(crate) fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// `x · tanh(ln(1 + e^x))`. With `n = e^x (e^x + 2)` this equals `x·n/(n + 2)`. Above 20 the result
/// rounds to `x`, and returning `x` there avoids the overflow of `e^x`.
fn mish(x: f32) -> f32 {
    if x > 20.0 {
        return x;
    }
    let e = x.exp();
    let n = e * (e + 2.0);
    x * (n / (n + 2.0))
}

fn selu(x: f32) -> f32 {
    const ALPHA: f32 = 1.673_263_2;
    const SCALE: f32 = 1.050_701;
    if x > 0.0 {
        SCALE * x
    } else {
        SCALE * ALPHA * x.exp_m1()
    }
}

/// Turns logits into probabilities, in place.
pub(crate) fn softmax(row: &mut [f32]) {
    let highest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for x in row.iter_mut() {
        *x = (*x - highest).exp();
        sum += *x;
    }
    let factor = 1.0 / sum;
    row.iter_mut().for_each(|x| *x *= factor);
}

/// Layer normalisation: gives every row mean 0 and variance 1, then scales and shifts it.
pub(crate) struct LayerNorm {
    pub(crate) gammas: Vec<f32>,
    pub(crate) betas: Vec<f32>,
    pub(crate) epsilon: f32,
}

impl LayerNorm {
    /// Normalises each row of `x` in place. `skip` is a residual connection: with `Some((rows,
    /// alpha))`, the rows of `alpha · x + rows` are normalised.
    pub(crate) fn apply(&self, x: &mut [f32], skip: Option<(&[f32], f32)>) {
        let width = self.gammas.len();
        if let Some((skip, alpha)) = skip {
            x.iter_mut()
                .zip(skip)
                .for_each(|(x, skip)| *x = alpha * *x + skip);
        }
        for row in x.chunks_exact_mut(width) {
            let mean = row.iter().sum::<f32>() / width as f32;
            let variance = row.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / width as f32;
            let scale = 1.0 / (variance + self.epsilon).sqrt();
            for ((x, gamma), beta) in row.iter_mut().zip(&self.gammas).zip(&self.betas) {
                *x = (*x - mean) * scale * gamma + beta;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activations_equal_their_reference_values() {
        let of = |activation: Activation, x: f32| {
            let mut numbers = [x];
            activation.apply(&mut numbers, 1);
            numbers[0]
        };
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-6, "{a} {b}");
        near(of(Activation::Mish, 1.0), 0.865_098_4);
        near(of(Activation::Mish, -3.0), -0.145_647_4);
        near(of(Activation::Mish, -100.0), 0.0);
        assert_eq!(of(Activation::Mish, 60.0), 60.0);
        near(of(Activation::Selu, -1.0), -1.111_330_7);
        near(of(Activation::Selu, 2.0), 2.101_402);
        near(of(Activation::Swish, 1.0), 0.731_058_6);
        near(of(Activation::Sigmoid, -200.0), 0.0);
        near(of(Activation::ReluSquared, -2.0), 0.0);
        near(of(Activation::ReluSquared, 3.0), 9.0);
        near(of(Activation::Tanh, 0.5), 0.462_117_2);
        let mut rows = [0.0, 0.0, 1000.0, 0.0];
        Activation::Softmax.apply(&mut rows, 2);
        assert_eq!(rows, [0.5, 0.5, 1.0, 0.0]);
    }

    #[test]
    fn layer_norm_normalises_then_applies_gammas_and_betas() {
        let norm = LayerNorm {
            gammas: vec![2.0, 2.0],
            betas: vec![1.0, 0.0],
            epsilon: 0.0,
        };
        let mut x = [1.0, 3.0, 0.0, -4.0];
        norm.apply(&mut x, None);
        assert_eq!(x, [-1.0, 2.0, 3.0, -2.0]);
        let mut x = [1.0, 1.0];
        norm.apply(&mut x, Some((&[0.0, 1.0], 0.5)));
        assert_eq!(x, [-1.0, 2.0]);
    }
}
