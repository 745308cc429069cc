//! The architecture that a weight file declares. Lc0's format numbers become types here.

use std::fmt;

use crate::{NetworkError, activation::Activation, proto};

/// How positions are encoded as planes. The numbers are those of Lc0's format (`InputFormat`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// 1: castling rights as whole planes.
    Classical,
    /// 2: castling rights as the rooks' squares.
    CastlingPlane,
    /// 3: the board is mirrored so that symmetric positions become equal. The history ends at the
    /// last capture, pawn move or change of castling rights, because older positions cannot be
    /// repeated.
    Canonical,
    /// 4: like 3, with the half-move clock divided by 100.
    CanonicalHectoplies,
    /// 132: like 4, with a plane for Armageddon games, in which Black wins a draw.
    CanonicalHectopliesArmageddon,
    /// 5: like 4, with only those positions of the history that were repeated.
    CanonicalV2,
    /// 133: like 5, with the plane for Armageddon games.
    CanonicalV2Armageddon,
}

impl Input {
    fn from_number(number: i32) -> Result<Self, NetworkError> {
        Ok(match number {
            1 => Input::Classical,
            2 => Input::CastlingPlane,
            3 => Input::Canonical,
            4 => Input::CanonicalHectoplies,
            132 => Input::CanonicalHectopliesArmageddon,
            5 => Input::CanonicalV2,
            133 => Input::CanonicalV2Armageddon,
            _ => return Err(unknown("input format", number, "1 to 5, 132 and 133")),
        })
    }

    pub(crate) fn is_canonical(self) -> bool {
        !matches!(self, Input::Classical | Input::CastlingPlane)
    }

    pub(crate) fn is_hectoplies(self) -> bool {
        self.is_canonical() && self != Input::Canonical
    }

    pub(crate) fn is_armageddon(self) -> bool {
        matches!(
            self,
            Input::CanonicalHectopliesArmageddon | Input::CanonicalV2Armageddon
        )
    }

    pub(crate) fn needs_repeats_only(self) -> bool {
        matches!(self, Input::CanonicalV2 | Input::CanonicalV2Armageddon)
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Input::Classical => "112 planes",
            Input::CastlingPlane => "112 planes, castling by rooks",
            Input::Canonical => "112 planes, canonical",
            Input::CanonicalHectoplies => "112 planes, canonical, hectoplies",
            Input::CanonicalHectopliesArmageddon => "112 planes, canonical, hectoplies, armageddon",
            Input::CanonicalV2 => "112 planes, canonical v2",
            Input::CanonicalV2Armageddon => "112 planes, canonical v2, armageddon",
        })
    }
}

/// The body of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// Residual blocks of convolutions.
    Residual,
    /// Attention, with one policy and one value head.
    Attention,
    /// Attention, with several policy and value heads.
    AttentionMultihead,
}

/// The kind of policy head. The numbers are those of Lc0's format (`PolicyFormat`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    /// 1: a dense layer with an output for each move.
    Dense,
    /// 2: a plane for each direction and distance of a move, read at the square that the piece
    /// leaves.
    Convolution,
    /// 3: attention between the square that the piece leaves and the square that it reaches.
    Attention,
}

/// The numbers that are added to the planes before the first attention layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Embedding {
    /// 1: for each square, which squares a queen or a knight on it can reach on an empty board.
    Map,
    /// 2: the output of a dense layer that reads the pieces of the whole board.
    Dense,
}

/// The complete architecture, checked. Errors that some programs write into files are corrected as
/// Lc0 corrects them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) input: Input,
    pub(crate) body: Body,
    pub(crate) policy: Policy,
    /// Whether the value is a probability of win, draw and loss rather than one number.
    pub(crate) has_wdl: bool,
    pub(crate) has_moves_left: bool,
    pub(crate) activation: Activation,
    pub(crate) smolgen: Activation,
    pub(crate) ffn: Activation,
    pub(crate) embedding: Embedding,
}

impl Format {
    /// Reads the architecture of a file. Fields that the file leaves out get Lc0's defaults.
    pub(crate) fn read(net: &proto::Net) -> Result<Self, NetworkError> {
        let encoding = net
            .format
            .as_ref()
            .and_then(|format| format.weights_encoding)
            .unwrap_or(1);
        if !(0..=4).contains(&encoding) {
            return Err(unknown("weights encoding", encoding, "1 to 4"));
        }
        let weights = net.weights.as_deref();
        let given = net
            .format
            .as_ref()
            .and_then(|format| format.network.clone());
        let is_old = given
            .as_ref()
            .is_none_or(|given| matches!(given.network, None | Some(0..=2)));
        let given = given.unwrap_or_default();
        let number =
            |number: Option<i32>, default| number.filter(|number| *number != 0).unwrap_or(default);
        let mut network = number(given.network, 3);
        // Files of the network formats 0 to 2 do not state their heads. These formats have only a
        // dense policy and a single value.
        let (mut policy, mut value) = (number(given.policy, 1), number(given.value, 1));
        if is_old {
            (policy, value) = (1, 1);
        }
        let (mut smolgen, mut ffn) = (given.smolgen_activation, given.ffn_activation);
        // Files of the first attention networks declare format 4, the convolutional one. Lc0
        // corrects them in the same way, with the activations of these networks.
        if network == 4 && weights.is_some_and(|weights| !weights.encoders.is_empty()) {
            network = 6;
            if weights.is_some_and(|weights| weights.smolgen_w.is_some()) {
                (smolgen, ffn) = (Some(7), Some(8));
            }
        }
        let mut embedding = given.input_embedding;
        // Files of the first networks with several heads declare format 6 and no embedding. Lc0
        // corrects these too.
        if network == 6
            && weights.is_some_and(|w| w.policy_heads.is_some() && w.value_heads.is_some())
        {
            network = 7;
            embedding = Some(2);
        }
        let body = match network {
            1..=4 => Body::Residual,
            5 => return Err(NetworkError::Onnx),
            6 => Body::Attention,
            7 | 134 => Body::AttentionMultihead,
            _ => return Err(unknown("network format", network, "1 to 4, 6, 7 and 134")),
        };
        let has_wdl = match value {
            1 => false,
            2 => true,
            _ => return Err(unknown("value format", value, "1 and 2")),
        };
        let output = number(given.output, if has_wdl { 2 } else { 1 });
        if !(1..=2).contains(&output) {
            return Err(unknown("output format", output, "1 and 2"));
        }
        let activation = match given.default_activation.unwrap_or(0) {
            0 => Activation::Relu,
            1 => Activation::Mish,
            number => return Err(unknown("default activation", number, "0 and 1")),
        };
        Ok(Self {
            input: Input::from_number(number(given.input, 1))?,
            body,
            policy: match policy {
                1 => Policy::Dense,
                2 => Policy::Convolution,
                3 => Policy::Attention,
                _ => return Err(unknown("policy format", policy, "1 to 3")),
            },
            has_wdl,
            has_moves_left: match given.moves_left.unwrap_or(0) {
                0 => false,
                1 => true,
                number => return Err(unknown("moves-left format", number, "0 and 1")),
            },
            activation,
            smolgen: activation_of("smolgen activation", smolgen, activation)?,
            ffn: activation_of("ffn activation", ffn, activation)?,
            embedding: match embedding {
                None | Some(1) => Embedding::Map,
                Some(2) => Embedding::Dense,
                Some(0) if body == Body::Residual => Embedding::Map,
                Some(number) => return Err(unknown("input embedding", number, "1 and 2")),
            },
        })
    }
}

fn activation_of(
    what: &'static str,
    number: Option<i32>,
    default: Activation,
) -> Result<Activation, NetworkError> {
    Ok(match number.unwrap_or(0) {
        0 => default,
        1 => Activation::Mish,
        2 => Activation::Relu,
        3 => Activation::None,
        4 => Activation::Tanh,
        5 => Activation::Sigmoid,
        6 => Activation::Selu,
        7 => Activation::Swish,
        8 => Activation::ReluSquared,
        9 => Activation::Softmax,
        number => return Err(unknown(what, number, "0 to 9")),
    })
}

fn unknown(what: &'static str, number: i32, known: &'static str) -> NetworkError {
    NetworkError::Unknown {
        what,
        number,
        known,
    }
}
