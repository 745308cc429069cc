//! The messages of a weight file, with the field numbers of Lc0's `net.proto`.
//!
//! The messages are written by hand, so that the build needs no protobuf compiler. Fields that this
//! crate does not read are left out, because protobuf skips unknown fields.

use prost::Message;

/// The magic number at the start of every file.
pub(crate) const MAGIC: u32 = 0x1c0;

/// The content of a weight file.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Net {
    #[prost(fixed32, optional, tag = "1")]
    pub(crate) magic: Option<u32>,
    #[prost(string, optional, tag = "2")]
    pub(crate) license: Option<String>,
    #[prost(message, optional, tag = "4")]
    pub(crate) format: Option<Format>,
    #[prost(message, optional, tag = "5")]
    pub(crate) training: Option<Training>,
    #[prost(message, optional, tag = "10")]
    pub(crate) weights: Option<Box<Weights>>,
    #[prost(message, optional, tag = "11")]
    pub(crate) onnx: Option<Onnx>,
    #[prost(message, optional, tag = "900")]
    pub(crate) conditioning: Option<Conditioning>,
}

/// An extension by this project: the rating of the imitated players is a plane of the input. Lc0
/// and other programs skip this field.
#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Conditioning {
    #[prost(uint32, tag = "1")]
    pub(crate) plane: u32,
    /// The rating for which the plane is 0.
    #[prost(uint32, tag = "2")]
    pub(crate) centre: u32,
    /// How much the rating grows if the plane's value grows by 1.
    #[prost(uint32, tag = "3")]
    pub(crate) scale: u32,
    /// The lowest rating of the players from whose games the network was trained.
    #[prost(uint32, tag = "4")]
    pub(crate) from: u32,
    /// The highest rating.
    #[prost(uint32, tag = "5")]
    pub(crate) to: u32,
}

/// The encoding of the weights, and the architecture.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Format {
    #[prost(int32, optional, tag = "1")]
    pub(crate) weights_encoding: Option<i32>,
    #[prost(message, optional, tag = "2")]
    pub(crate) network: Option<NetworkFormat>,
}

/// The architecture, as numbers.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct NetworkFormat {
    #[prost(int32, optional, tag = "1")]
    pub(crate) input: Option<i32>,
    #[prost(int32, optional, tag = "2")]
    pub(crate) output: Option<i32>,
    #[prost(int32, optional, tag = "3")]
    pub(crate) network: Option<i32>,
    #[prost(int32, optional, tag = "4")]
    pub(crate) policy: Option<i32>,
    #[prost(int32, optional, tag = "5")]
    pub(crate) value: Option<i32>,
    #[prost(int32, optional, tag = "6")]
    pub(crate) moves_left: Option<i32>,
    #[prost(int32, optional, tag = "7")]
    pub(crate) default_activation: Option<i32>,
    #[prost(int32, optional, tag = "8")]
    pub(crate) smolgen_activation: Option<i32>,
    #[prost(int32, optional, tag = "9")]
    pub(crate) ffn_activation: Option<i32>,
    #[prost(int32, optional, tag = "10")]
    pub(crate) input_embedding: Option<i32>,
}

/// Parameters of the training; only the number of steps is read.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Training {
    #[prost(uint32, optional, tag = "1")]
    pub(crate) steps: Option<u32>,
}

/// A wrapped network in ONNX format; only its presence is read.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Onnx {}

/// An array of numbers, in one of several encodings.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Layer {
    #[prost(float, optional, tag = "1")]
    pub(crate) min: Option<f32>,
    #[prost(float, optional, tag = "2")]
    pub(crate) max: Option<f32>,
    #[prost(bytes = "vec", optional, tag = "3")]
    pub(crate) params: Option<Vec<u8>>,
    #[prost(int32, optional, tag = "4")]
    pub(crate) encoding: Option<i32>,
}

/// A convolution with its batch normalisation.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ConvBlock {
    #[prost(message, optional, tag = "1")]
    pub(crate) weights: Option<Layer>,
    #[prost(message, optional, tag = "2")]
    pub(crate) biases: Option<Layer>,
    #[prost(message, optional, tag = "3")]
    pub(crate) means: Option<Layer>,
    /// The format calls them standard deviations, but they are variances.
    #[prost(message, optional, tag = "4")]
    pub(crate) variances: Option<Layer>,
    #[prost(message, optional, tag = "5")]
    pub(crate) gammas: Option<Layer>,
    #[prost(message, optional, tag = "6")]
    pub(crate) betas: Option<Layer>,
}

/// Squeeze and excitation.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct SeUnit {
    #[prost(message, optional, tag = "1")]
    pub(crate) w1: Option<Layer>,
    #[prost(message, optional, tag = "2")]
    pub(crate) b1: Option<Layer>,
    #[prost(message, optional, tag = "3")]
    pub(crate) w2: Option<Layer>,
    #[prost(message, optional, tag = "4")]
    pub(crate) b2: Option<Layer>,
}

/// A residual block.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Residual {
    #[prost(message, optional, tag = "1")]
    pub(crate) conv1: Option<ConvBlock>,
    #[prost(message, optional, tag = "2")]
    pub(crate) conv2: Option<ConvBlock>,
    #[prost(message, optional, tag = "3")]
    pub(crate) se: Option<SeUnit>,
}

/// Attention biases generated from the whole board.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Smolgen {
    #[prost(message, optional, tag = "1")]
    pub(crate) compress: Option<Layer>,
    #[prost(message, optional, tag = "2")]
    pub(crate) dense1_w: Option<Layer>,
    #[prost(message, optional, tag = "3")]
    pub(crate) dense1_b: Option<Layer>,
    #[prost(message, optional, tag = "4")]
    pub(crate) ln1_gammas: Option<Layer>,
    #[prost(message, optional, tag = "5")]
    pub(crate) ln1_betas: Option<Layer>,
    #[prost(message, optional, tag = "6")]
    pub(crate) dense2_w: Option<Layer>,
    #[prost(message, optional, tag = "7")]
    pub(crate) dense2_b: Option<Layer>,
    #[prost(message, optional, tag = "8")]
    pub(crate) ln2_gammas: Option<Layer>,
    #[prost(message, optional, tag = "9")]
    pub(crate) ln2_betas: Option<Layer>,
}

/// Multi-head attention.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Mha {
    #[prost(message, optional, tag = "1")]
    pub(crate) q_w: Option<Layer>,
    #[prost(message, optional, tag = "2")]
    pub(crate) q_b: Option<Layer>,
    #[prost(message, optional, tag = "3")]
    pub(crate) k_w: Option<Layer>,
    #[prost(message, optional, tag = "4")]
    pub(crate) k_b: Option<Layer>,
    #[prost(message, optional, tag = "5")]
    pub(crate) v_w: Option<Layer>,
    #[prost(message, optional, tag = "6")]
    pub(crate) v_b: Option<Layer>,
    #[prost(message, optional, tag = "7")]
    pub(crate) dense_w: Option<Layer>,
    #[prost(message, optional, tag = "8")]
    pub(crate) dense_b: Option<Layer>,
    #[prost(message, optional, tag = "9")]
    pub(crate) smolgen: Option<Smolgen>,
    /// Relative position encodings of newer networks, which are not supported.
    #[prost(message, optional, tag = "10")]
    pub(crate) rpe_q: Option<Layer>,
    #[prost(message, optional, tag = "11")]
    pub(crate) rpe_k: Option<Layer>,
    #[prost(message, optional, tag = "12")]
    pub(crate) rpe_v: Option<Layer>,
}

/// Two dense layers.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Ffn {
    #[prost(message, optional, tag = "1")]
    pub(crate) dense1_w: Option<Layer>,
    #[prost(message, optional, tag = "2")]
    pub(crate) dense1_b: Option<Layer>,
    #[prost(message, optional, tag = "3")]
    pub(crate) dense2_w: Option<Layer>,
    #[prost(message, optional, tag = "4")]
    pub(crate) dense2_b: Option<Layer>,
}

/// An encoder layer.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Encoder {
    #[prost(message, optional, tag = "1")]
    pub(crate) mha: Option<Mha>,
    #[prost(message, optional, tag = "2")]
    pub(crate) ln1_gammas: Option<Layer>,
    #[prost(message, optional, tag = "3")]
    pub(crate) ln1_betas: Option<Layer>,
    #[prost(message, optional, tag = "4")]
    pub(crate) ffn: Option<Ffn>,
    #[prost(message, optional, tag = "5")]
    pub(crate) ln2_gammas: Option<Layer>,
    #[prost(message, optional, tag = "6")]
    pub(crate) ln2_betas: Option<Layer>,
}

/// One of several policy heads.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct PolicyHead {
    #[prost(message, optional, tag = "1")]
    pub(crate) ip_pol_w: Option<Layer>,
    #[prost(message, optional, tag = "2")]
    pub(crate) ip_pol_b: Option<Layer>,
    #[prost(message, optional, tag = "3")]
    pub(crate) ip2_pol_w: Option<Layer>,
    #[prost(message, optional, tag = "4")]
    pub(crate) ip2_pol_b: Option<Layer>,
    #[prost(message, optional, tag = "5")]
    pub(crate) ip3_pol_w: Option<Layer>,
    #[prost(message, optional, tag = "6")]
    pub(crate) ip3_pol_b: Option<Layer>,
    #[prost(message, optional, tag = "7")]
    pub(crate) ip4_pol_w: Option<Layer>,
    #[prost(message, repeated, tag = "8")]
    pub(crate) encoders: Vec<Encoder>,
    #[prost(uint32, optional, tag = "9")]
    pub(crate) heads: Option<u32>,
}

/// The policy heads, and the first layer of all heads that do not have one.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct PolicyHeads {
    #[prost(message, optional, tag = "1")]
    pub(crate) ip_pol_w: Option<Layer>,
    #[prost(message, optional, tag = "2")]
    pub(crate) ip_pol_b: Option<Layer>,
    #[prost(message, optional, tag = "3")]
    pub(crate) vanilla: Option<PolicyHead>,
}

/// One of several value heads.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ValueHead {
    #[prost(message, optional, tag = "1")]
    pub(crate) ip_val_w: Option<Layer>,
    #[prost(message, optional, tag = "2")]
    pub(crate) ip_val_b: Option<Layer>,
    #[prost(message, optional, tag = "3")]
    pub(crate) ip1_val_w: Option<Layer>,
    #[prost(message, optional, tag = "4")]
    pub(crate) ip1_val_b: Option<Layer>,
    #[prost(message, optional, tag = "5")]
    pub(crate) ip2_val_w: Option<Layer>,
    #[prost(message, optional, tag = "6")]
    pub(crate) ip2_val_b: Option<Layer>,
}

/// The value heads; only the one that predicts the winner is read.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct ValueHeads {
    #[prost(message, optional, tag = "1")]
    pub(crate) winner: Option<ValueHead>,
}

/// All weights.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Weights {
    #[prost(message, optional, tag = "1")]
    pub(crate) input: Option<ConvBlock>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) residual: Vec<Residual>,
    #[prost(message, optional, tag = "3")]
    pub(crate) policy: Option<ConvBlock>,
    #[prost(message, optional, tag = "4")]
    pub(crate) ip_pol_w: Option<Layer>,
    #[prost(message, optional, tag = "5")]
    pub(crate) ip_pol_b: Option<Layer>,
    #[prost(message, optional, tag = "6")]
    pub(crate) value: Option<ConvBlock>,
    #[prost(message, optional, tag = "7")]
    pub(crate) ip1_val_w: Option<Layer>,
    #[prost(message, optional, tag = "8")]
    pub(crate) ip1_val_b: Option<Layer>,
    #[prost(message, optional, tag = "9")]
    pub(crate) ip2_val_w: Option<Layer>,
    #[prost(message, optional, tag = "10")]
    pub(crate) ip2_val_b: Option<Layer>,
    #[prost(message, optional, tag = "11")]
    pub(crate) policy1: Option<ConvBlock>,
    #[prost(message, optional, tag = "12")]
    pub(crate) moves_left: Option<ConvBlock>,
    #[prost(message, optional, tag = "13")]
    pub(crate) ip1_mov_w: Option<Layer>,
    #[prost(message, optional, tag = "14")]
    pub(crate) ip1_mov_b: Option<Layer>,
    #[prost(message, optional, tag = "15")]
    pub(crate) ip2_mov_w: Option<Layer>,
    #[prost(message, optional, tag = "16")]
    pub(crate) ip2_mov_b: Option<Layer>,
    #[prost(message, optional, tag = "17")]
    pub(crate) ip2_pol_w: Option<Layer>,
    #[prost(message, optional, tag = "18")]
    pub(crate) ip2_pol_b: Option<Layer>,
    #[prost(message, optional, tag = "19")]
    pub(crate) ip3_pol_w: Option<Layer>,
    #[prost(message, optional, tag = "20")]
    pub(crate) ip3_pol_b: Option<Layer>,
    #[prost(message, repeated, tag = "21")]
    pub(crate) policy_encoders: Vec<Encoder>,
    #[prost(message, optional, tag = "22")]
    pub(crate) ip4_pol_w: Option<Layer>,
    #[prost(uint32, optional, tag = "24")]
    pub(crate) policy_heads_count: Option<u32>,
    #[prost(message, optional, tag = "25")]
    pub(crate) ip_emb_w: Option<Layer>,
    #[prost(message, optional, tag = "26")]
    pub(crate) ip_emb_b: Option<Layer>,
    #[prost(message, repeated, tag = "27")]
    pub(crate) encoders: Vec<Encoder>,
    #[prost(uint32, optional, tag = "28")]
    pub(crate) heads: Option<u32>,
    #[prost(message, optional, tag = "29")]
    pub(crate) ip_val_w: Option<Layer>,
    #[prost(message, optional, tag = "30")]
    pub(crate) ip_val_b: Option<Layer>,
    #[prost(message, optional, tag = "31")]
    pub(crate) ip_mov_w: Option<Layer>,
    #[prost(message, optional, tag = "32")]
    pub(crate) ip_mov_b: Option<Layer>,
    #[prost(message, optional, tag = "33")]
    pub(crate) mult_gate: Option<Layer>,
    #[prost(message, optional, tag = "34")]
    pub(crate) add_gate: Option<Layer>,
    #[prost(message, optional, tag = "35")]
    pub(crate) smolgen_w: Option<Layer>,
    #[prost(message, optional, tag = "37")]
    pub(crate) ip_emb_preproc_w: Option<Layer>,
    #[prost(message, optional, tag = "38")]
    pub(crate) ip_emb_preproc_b: Option<Layer>,
    #[prost(message, optional, tag = "39")]
    pub(crate) ip_emb_ln_gammas: Option<Layer>,
    #[prost(message, optional, tag = "40")]
    pub(crate) ip_emb_ln_betas: Option<Layer>,
    #[prost(message, optional, tag = "41")]
    pub(crate) ip_emb_ffn: Option<Ffn>,
    #[prost(message, optional, tag = "42")]
    pub(crate) ip_emb_ffn_ln_gammas: Option<Layer>,
    #[prost(message, optional, tag = "43")]
    pub(crate) ip_emb_ffn_ln_betas: Option<Layer>,
    #[prost(message, optional, tag = "44")]
    pub(crate) value_heads: Option<ValueHeads>,
    #[prost(message, optional, tag = "45")]
    pub(crate) policy_heads: Option<PolicyHeads>,
}
