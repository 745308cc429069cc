//! Dense layers from a weight file.

use crate::{
    NetworkError,
    activation::{Activation, LayerNorm},
    load::{exactly, numbers, some},
    matrix::Dense,
    proto::Layer,
    simd::Kernel,
};

/// A dense layer's weights and bias, named as in the format.
#[derive(Clone, Copy)]
pub(crate) struct Layers<'a> {
    pub(crate) part: &'a str,
    pub(crate) weights: Option<&'a Layer>,
    pub(crate) bias: Option<&'a Layer>,
}

/// A layer's weights and bias; `part` names them in messages.
pub(crate) fn layers<'a>(part: &'a str, weights: &'a Option<Layer>, bias: &'a Option<Layer>) -> Layers<'a> {
    Layers { part, weights: weights.as_ref(), bias: bias.as_ref() }
}

impl Layers<'_> {
    /// The dense layer, checked to have `inputs` inputs, and `outputs` outputs if that number is known.
    pub(crate) fn dense(
        self,
        kernel: Kernel,
        inputs: usize,
        outputs: Option<usize>,
        activation: Activation,
    ) -> Result<Dense, NetworkError> {
        let (weights, bias) = self.numbers(inputs, outputs)?;
        Ok(Dense::new(kernel, &weights, weights.len() / inputs, bias, activation))
    }

    /// The layer's weights `[outputs][inputs]` and bias, which is `[outputs]` or empty.
    pub(crate) fn numbers(self, inputs: usize, outputs: Option<usize>) -> Result<(Vec<f32>, Vec<f32>), NetworkError> {
        let name = format!("{}_w", self.part);
        let weights = some(self.weights, &name)?;
        let found = weights.len();
        let is_right = inputs > 0 && outputs.map_or(found.is_multiple_of(inputs), |outputs| found == inputs * outputs);
        if !is_right {
            let wanted = match outputs {
                Some(outputs) => format!("{inputs}×{outputs}"),
                None => format!("a multiple of {inputs}"),
            };
            return Err(NetworkError::Shape { part: name, found, wanted });
        }
        let (outputs, name) = (found / inputs, format!("{}_b", self.part));
        let bias = numbers(self.bias, &name)?;
        if !bias.is_empty() && bias.len() != outputs {
            return Err(NetworkError::Shape { part: name, found: bias.len(), wanted: outputs.to_string() });
        }
        Ok((weights, bias))
    }

    /// A layer over the numbers of all squares. Files order them by channel, this crate by square.
    pub(crate) fn over_board(
        self,
        kernel: Kernel,
        channels: usize,
        by_channel: bool,
        activation: Activation,
    ) -> Result<Dense, NetworkError> {
        let inputs = 64 * channels;
        let (mut weights, bias) = self.numbers(inputs, None)?;
        if by_channel {
            weights = by_square(&weights, channels);
        }
        Ok(Dense::new(kernel, &weights, weights.len() / inputs, bias, activation))
    }
}

/// Reorders rows `[channels][64]` to `[64][channels]`.
pub(crate) fn by_square(weights: &[f32], channels: usize) -> Vec<f32> {
    let mut ordered = Vec::with_capacity(weights.len());
    for row in weights.chunks_exact(64 * channels) {
        ordered.extend((0..64).flat_map(|square| (0..channels).map(move |channel| row[channel * 64 + square])));
    }
    ordered
}

/// A layer normalisation over rows of `width` numbers.
pub(crate) fn layer_norm(
    gammas: Option<&Layer>,
    betas: Option<&Layer>,
    part: &str,
    width: usize,
    epsilon: f32,
) -> Result<LayerNorm, NetworkError> {
    Ok(LayerNorm {
        gammas: exactly(gammas, &format!("{part}_gammas"), width)?,
        betas: exactly(betas, &format!("{part}_betas"), width)?,
        epsilon,
    })
}
