//! Dense layers from a weight file.

use crate::{
    NetworkError,
    activation::{Activation, LayerNorm},
    load::{exactly, numbers, some},
    matrix::Dense,
    proto::Layer,
    simd::Kernel,
};

/// The weights and the bias of a dense layer in a file. `part` is the layer's name in Lc0's format,
/// for messages.
#[derive(Clone, Copy)]
pub(crate) struct Layers<'a> {
    pub(crate) part: &'a str,
    pub(crate) weights: Option<&'a Layer>,
    pub(crate) bias: Option<&'a Layer>,
}

/// Collects the weights and the bias of a layer. `part` is its name in Lc0's format, for messages.
pub(crate) fn layers<'a>(
    part: &'a str,
    weights: &'a Option<Layer>,
    bias: &'a Option<Layer>,
) -> Layers<'a> {
    Layers {
        part,
        weights: weights.as_ref(),
        bias: bias.as_ref(),
    }
}

impl Layers<'_> {
    /// Reads the layer. Its number of inputs must be `inputs`, and its number of outputs must be
    /// `outputs` if that is given.
    pub(crate) fn dense(
        self,
        kernel: Kernel,
        inputs: usize,
        outputs: Option<usize>,
        activation: Activation,
    ) -> Result<Dense, NetworkError> {
        let (weights, bias) = self.numbers(inputs, outputs)?;
        Ok(Dense::new(
            kernel,
            &weights,
            weights.len() / inputs,
            bias,
            activation,
        ))
    }

    /// Reads the weights `[outputs][inputs]` and the bias, which has `outputs` numbers or none.
    pub(crate) fn numbers(
        self,
        inputs: usize,
        outputs: Option<usize>,
    ) -> Result<(Vec<f32>, Vec<f32>), NetworkError> {
        let name = format!("{}_w", self.part);
        let weights = some(self.weights, &name)?;
        let found = weights.len();
        let is_right = inputs > 0
            && outputs.map_or(found.is_multiple_of(inputs), |outputs| {
                found == inputs * outputs
            });
        if !is_right {
            let wanted = match outputs {
                Some(outputs) => format!("{inputs}×{outputs}"),
                None => format!("a multiple of {inputs}"),
            };
            return Err(NetworkError::Shape {
                part: name,
                found,
                wanted,
            });
        }
        let (outputs, name) = (found / inputs, format!("{}_b", self.part));
        let bias = numbers(self.bias, &name)?;
        if !bias.is_empty() && bias.len() != outputs {
            return Err(NetworkError::Shape {
                part: name,
                found: bias.len(),
                wanted: outputs.to_string(),
            });
        }
        Ok((weights, bias))
    }

    /// Reads a layer whose inputs are all numbers of all squares. If `by_channel`, the file orders
    /// the inputs by channel, and they are reordered, because this crate orders them by square.
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
        Ok(Dense::new(
            kernel,
            &weights,
            weights.len() / inputs,
            bias,
            activation,
        ))
    }
}

/// Reorders rows `[channels][64]` to `[64][channels]`.
pub(crate) fn by_square(weights: &[f32], channels: usize) -> Vec<f32> {
    let mut ordered = Vec::with_capacity(weights.len());
    for row in weights.chunks_exact(64 * channels) {
        ordered.extend(
            (0..64).flat_map(|square| (0..channels).map(move |channel| row[channel * 64 + square])),
        );
    }
    ordered
}

/// Returns a layer normalisation over rows of `width` numbers.
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
