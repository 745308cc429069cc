//! Reads weight files: decompresses, decodes and checks them.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use centipawn_progress::{Cancel, SmallDocument};
use flate2::bufread::MultiGzDecoder;
use prost::Message as _;

use crate::{
    NetworkError,
    proto::{ConvBlock, Layer, MAGIC, Net},
};

/// The greatest decompressed size in bytes. The largest published networks have 380 MB. Without a
/// limit, a small malicious file could decompress to fill the memory.
const LARGEST_FILE: u64 = 512 << 20;

/// The limit of a network's file, compressed or not.
const NETWORK: SmallDocument = SmallDocument::new("policy network", LARGEST_FILE);

/// Reads a file. If it does not begin like a network, returns only the first bytes, which is enough
/// for the decoder to refuse it.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    file.by_ref()
        .take(START.len() as u64)
        .read_to_end(&mut bytes)?;
    if bytes.starts_with(&GZIP) || check_magic(&bytes).is_ok() {
        bytes = NETWORK.read_from(bytes.chain(file), &Cancel::new())?;
    }
    Ok(bytes)
}

/// Decodes a weight file, compressed with gzip or not.
pub(crate) fn net(bytes: &[u8]) -> Result<Net, NetworkError> {
    let mut unpacked = Vec::new();
    let bytes = if bytes.starts_with(&GZIP) {
        unpack(bytes, LARGEST_FILE, &mut unpacked)?;
        &unpacked
    } else {
        check_magic(bytes)?;
        bytes
    };
    let net = Net::decode(bytes).map_err(NetworkError::Damaged)?;
    if net.magic != Some(MAGIC) {
        return Err(NetworkError::Magic);
    }
    Ok(net)
}

/// Decompresses a file of at most `largest` bytes. Checks the first bytes before it decompresses
/// the rest, so that a large file of another kind is refused at once.
fn unpack(bytes: &[u8], largest: u64, unpacked: &mut Vec<u8>) -> Result<(), NetworkError> {
    let mut decoder = MultiGzDecoder::new(bytes);
    let beginning = START.len() as u64;
    decoder
        .by_ref()
        .take(beginning)
        .read_to_end(unpacked)
        .map_err(NetworkError::Compressed)?;
    check_magic(unpacked)?;
    // Read one byte more than allowed. If it exists, the file is too large.
    decoder
        .take(largest + 1 - beginning)
        .read_to_end(unpacked)
        .map_err(NetworkError::Compressed)?;
    if unpacked.len() as u64 > largest {
        Err(NetworkError::TooLarge {
            largest: largest >> 20,
        })
    } else {
        Ok(())
    }
}

/// The first bytes of a compressed file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The first bytes of every file: protobuf's tag of the magic number, and the number itself.
const START: [u8; 5] = {
    let [a, b, c, d] = MAGIC.to_le_bytes();
    [0x0d, a, b, c, d]
};

fn check_magic(bytes: &[u8]) -> Result<(), NetworkError> {
    if bytes.starts_with(&START) {
        Ok(())
    } else {
        Err(NetworkError::Magic)
    }
}

/// Decodes the numbers of a layer; empty if the layer is missing. `part` is its name in Lc0's
/// format, for errors.
pub(crate) fn numbers(layer: Option<&Layer>, part: &str) -> Result<Vec<f32>, NetworkError> {
    let Some(layer) = layer else {
        return Ok(Vec::new());
    };
    let bytes = layer.params.as_deref().unwrap_or_default();
    let encoding = layer
        .encoding
        .filter(|encoding| *encoding != 0)
        .unwrap_or(1);
    let width = if encoding == 4 { 4 } else { 2 };
    if !bytes.len().is_multiple_of(width) {
        let wanted = format!("bytes in groups of {width}");
        return Err(NetworkError::Shape {
            part: part.to_owned(),
            found: bytes.len(),
            wanted,
        });
    }
    let words = bytes
        .chunks_exact(2)
        .map(|word| u16::from_le_bytes([word[0], word[1]]));
    let numbers: Vec<f32> = match encoding {
        1 => {
            let (min, max) = (layer.min.unwrap_or(0.0), layer.max.unwrap_or(0.0));
            words
                .map(|word| f32::from(word) / 65535.0)
                .map(|t| min * (1.0 - t) + max * t)
                .collect()
        }
        2 => words.map(half).collect(),
        3 => words
            .map(|word| f32::from_bits(u32::from(word) << 16))
            .collect(),
        4 => bytes
            .chunks_exact(4)
            .map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect(),
        number => {
            let what = "a layer's encoding";
            return Err(NetworkError::Unknown {
                what,
                number,
                known: "1 (linear), 2 (f16), 3 (bf16), 4 (f32)",
            });
        }
    };
    finite(numbers, part)
}

/// Decodes the numbers of a layer, which must exist and have exactly `wanted` numbers.
pub(crate) fn exactly(
    layer: Option<&Layer>,
    part: &str,
    wanted: usize,
) -> Result<Vec<f32>, NetworkError> {
    let numbers = some(layer, part)?;
    check(numbers, part, wanted)
}

/// Decodes the numbers of a layer, which must exist.
pub(crate) fn some(layer: Option<&Layer>, part: &str) -> Result<Vec<f32>, NetworkError> {
    let numbers = numbers(layer, part)?;
    if numbers.is_empty() {
        Err(NetworkError::Missing(part.to_owned()))
    } else {
        Ok(numbers)
    }
}

fn check(numbers: Vec<f32>, part: &str, wanted: usize) -> Result<Vec<f32>, NetworkError> {
    if numbers.len() == wanted {
        Ok(numbers)
    } else {
        Err(NetworkError::Shape {
            part: part.to_owned(),
            found: numbers.len(),
            wanted: wanted.to_string(),
        })
    }
}

fn finite(numbers: Vec<f32>, part: &str) -> Result<Vec<f32>, NetworkError> {
    if numbers.iter().all(|number| number.is_finite()) {
        Ok(numbers)
    } else {
        Err(NetworkError::NotFinite(part.to_owned()))
    }
}

/// Weights and bias of a convolution. Its batch normalisation is multiplied into them.
pub(crate) struct Folded {
    /// `[outputs][inputs][side][side]`
    pub(crate) weights: Vec<f32>,
    /// `[outputs]`
    pub(crate) bias: Vec<f32>,
}

/// Reads a convolution over `inputs` channels, with `taps` weights for each input and output.
pub(crate) fn convolution(
    block: Option<&ConvBlock>,
    part: &str,
    inputs: usize,
    taps: usize,
) -> Result<Folded, NetworkError> {
    let block = block.ok_or_else(|| NetworkError::Missing(part.to_owned()))?;
    let mut weights = some(block.weights.as_ref(), &format!("{part}.weights"))?;
    let filter = inputs * taps;
    if !weights.len().is_multiple_of(filter) {
        let wanted = format!("a multiple of {filter}");
        return Err(NetworkError::Shape {
            part: format!("{part}.weights"),
            found: weights.len(),
            wanted,
        });
    }
    let outputs = weights.len() / filter;
    let optional = |layer: Option<&Layer>, name: &str, default: f32| {
        let part = format!("{part}.{name}");
        let numbers = numbers(layer, &part)?;
        if numbers.is_empty() {
            Ok(vec![default; outputs])
        } else {
            check(numbers, &part, outputs)
        }
    };
    let mut bias = optional(block.biases.as_ref(), "biases", 0.0)?;
    let has_normalisation = [&block.means, &block.variances]
        .into_iter()
        .flatten()
        .any(|layer| layer.params.as_ref().is_some_and(|bytes| !bytes.is_empty()));
    if has_normalisation {
        let means = optional(block.means.as_ref(), "bn_means", 0.0)?;
        let variances = optional(block.variances.as_ref(), "bn_stddivs", 1.0)?;
        let gammas = optional(block.gammas.as_ref(), "bn_gammas", 1.0)?;
        let betas = optional(block.betas.as_ref(), "bn_betas", 0.0)?;
        for output in 0..outputs {
            let scale = gammas[output] / (variances[output] + 1e-5).sqrt();
            weights[output * filter..][..filter]
                .iter_mut()
                .for_each(|weight| *weight *= scale);
            bias[output] = betas[output] + scale * (bias[output] - means[output]);
        }
    }
    Ok(Folded {
        weights: finite(weights, &format!("{part}.weights"))?,
        bias: finite(bias, &format!("{part}.biases"))?,
    })
}

/// Converts a half-precision number of IEEE 754.
fn half(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let (exponent, fraction) = (u32::from(bits >> 10 & 0x1f), u32::from(bits & 0x3ff));
    match exponent {
        // A subnormal number is a multiple of 2⁻²⁴.
        0 => f32::from_bits(sign | (fraction as f32 / 16_777_216.0).to_bits()),
        31 => f32::from_bits(sign | 0x7f80_0000 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | fraction << 13),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(encoding: Option<i32>, params: &[u8]) -> Layer {
        Layer {
            min: Some(-1.0),
            max: Some(3.0),
            params: Some(params.to_vec()),
            encoding,
        }
    }

    #[test]
    fn small_files_that_unpack_to_large_ones_are_refused() {
        let packed = |bytes: &[u8]| {
            let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            std::io::Write::write_all(&mut packer, bytes).unwrap();
            packer.finish().unwrap()
        };
        let mut unpacked = Vec::new();
        let zeros = packed(&[0; 1 << 20]);
        assert!(matches!(
            unpack(&zeros, 2 << 20, &mut unpacked),
            Err(NetworkError::Magic)
        ));
        assert!(unpacked.len() <= START.len());
        let mut long = START.to_vec();
        long.resize(3 << 20, 0);
        let (long, mut unpacked) = (packed(&long), Vec::new());
        let error = unpack(&long, 2 << 20, &mut unpacked).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the file unpacks to more than 2 MiB, which no network does"
        );
        assert_eq!(unpacked.len(), (2 << 20) + 1);
        assert!(unpack(&long, 3 << 20, &mut Vec::new()).is_ok());
    }

    #[test]
    fn every_encoding_of_weights_is_decoded_and_checked() {
        let read = |encoding, bytes: &[u8]| numbers(Some(&layer(encoding, bytes)), "x");
        assert_eq!(read(None, &[0, 0, 255, 255]).unwrap(), [-1.0, 3.0]);
        assert_eq!(
            read(Some(2), &[0x00, 0x3c, 0x00, 0xc1, 0x01, 0x00]).unwrap(),
            [1.0, -2.5, 5.960_464_5e-8]
        );
        assert_eq!(read(Some(3), &[0x80, 0x3f]).unwrap(), [1.0]);
        assert_eq!(read(Some(4), &1.5_f32.to_le_bytes()).unwrap(), [1.5]);
        assert!(matches!(
            read(Some(9), &[0, 0]),
            Err(NetworkError::Unknown { number: 9, .. })
        ));
        assert!(matches!(
            read(Some(4), &[0, 0]),
            Err(NetworkError::Shape { .. })
        ));
        assert!(matches!(
            read(Some(2), &[0x00, 0x7c]),
            Err(NetworkError::NotFinite(_))
        ));
        assert!(matches!(read(None, &[0]), Err(NetworkError::Shape { .. })));
    }

    #[test]
    fn batch_normalisation_is_multiplied_into_the_convolution() {
        let f32s = |numbers: &[f32]| {
            let bytes: Vec<u8> = numbers
                .iter()
                .flat_map(|number| number.to_le_bytes())
                .collect();
            Some(layer(Some(4), &bytes))
        };
        let mut block = ConvBlock {
            weights: f32s(&[2.0, 4.0]),
            means: f32s(&[1.0]),
            variances: f32s(&[4.0]),
            ..ConvBlock::default()
        };
        let folded = convolution(Some(&block), "x", 2, 1).unwrap();
        assert!((folded.weights[1] - 2.0).abs() < 1e-5 && (folded.bias[0] + 0.5).abs() < 1e-5);
        block.gammas = f32s(&[1.0, 1.0]);
        let error = convolution(Some(&block), "x", 2, 1).err().unwrap();
        assert!(
            error
                .to_string()
                .starts_with("x.bn_gammas has 2 numbers where 1 belong"),
            "{error}"
        );
        let plain = ConvBlock {
            weights: f32s(&[2.0, 4.0]),
            biases: f32s(&[0.5]),
            ..ConvBlock::default()
        };
        assert_eq!(convolution(Some(&plain), "x", 2, 1).unwrap().bias, [0.5]);
    }
}
