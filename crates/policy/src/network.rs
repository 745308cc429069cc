//! The type [`Network`]: reading weight files and evaluating positions.

use std::{ops::RangeInclusive, path::Path, slice};

use centipawn_core::{History, Wdl};
use centipawn_progress::{self as progress, sha256};
use shakmaty::Move;

use crate::{
    EvaluateError, Input, Kernel, NetworkError,
    catalog::{find_in_policy_folder, find_network, level_in, network_name},
    conditioning::Conditioning,
    graph::{Graph, Output, Posed},
    load,
    mixed::Mixed,
    planes::Planes,
};

/// A policy network. It predicts which moves are played in a position, and the result of the game.
///
/// A network from a file imitates players of one level, unless the rating is part of its input. The
/// bundled network ([`bundled`](Self::bundled)) imitates players of every level in a range:
/// [`levels`](Self::levels).
///
/// Read a network once and share it between threads: [`evaluate`](Self::evaluate) takes `&self`.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use centipawn_core::History;
/// use centipawn_policy::Network;
///
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/res_se_conv_wdl.pb.gz");
/// let network = Network::open(path)?;
/// let answer = network.evaluate(&History::default())?;
/// assert_eq!(answer.moves.len(), 20);
/// let sum: f64 = answer.moves.iter().map(|mv| mv.probability).sum();
/// assert!((sum - 1.0).abs() < 1e-9);
/// # Ok(())
/// # }
/// ```
pub struct Network {
    name: String,
    /// SHA-256 of the file as it was read (compressed or not), hexadecimal.
    sha256: String,
    description: Description,
    kernel: Kernel,
    layers: Layers,
}

/// The layers that compute a network's answers.
#[allow(clippy::large_enum_variant)] // A network has only one value of this type.
enum Layers {
    One(Graph),
    /// The rating is a plane of the input.
    Conditioned(Graph, Conditioning),
    Mixed(Mixed),
}

/// The architecture of a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// How positions are encoded.
    pub input: Input,
    /// `residual`, `residual with squeeze and excitation`, `attention`, `attention with smolgen`.
    pub body: String,
    /// The number of residual blocks or encoder layers.
    pub layers: usize,
    /// How many numbers each square has between two layers.
    pub width: usize,
    /// The number of attention heads of each layer; 0 without attention.
    pub heads: usize,
    /// `dense`, `convolution` or `attention`.
    pub policy: &'static str,
    /// Whether the network's value is a probability of win, draw and loss rather than one number.
    pub has_wdl: bool,
    /// Whether the network predicts how long the game will last.
    pub has_moves_left: bool,
    /// The number of training steps, if the file reports it.
    pub training_steps: Option<u32>,
    /// The licence, if the file names it.
    pub license: Option<String>,
    /// The ratings of the networks that are mixed; empty for a network from a file.
    pub mixed_from: Vec<u32>,
}

/// A network's answer for a position.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// Rating of the imitated players: the requested level, or else the rating in the network's
    /// name (1500 for `maia-1500`). `None` if neither is known.
    pub level: Option<u32>,
    /// All legal moves in descending order of probability. Equally likely moves are ordered by
    /// their squares.
    pub moves: Vec<MoveProbability>,
    /// Win, draw and loss for the side to move; `None` if the network does not predict them.
    pub wdl: Option<Wdl>,
    /// Win minus loss for the side to move, −1 to 1.
    pub value: f64,
    /// Plies until the end of the game; `None` if the network does not predict them.
    pub moves_left: Option<f64>,
    /// How many of the 8 positions that the network reads were made up, because the moves before
    /// the start position are unknown. If it is not 0, the answer differs from the answer for the
    /// complete game.
    pub made_up: usize,
}

/// A legal move and its probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveProbability {
    /// The move.
    pub mv: Move,
    /// The probability that the move is played, 0 to 1. The probabilities of all legal moves sum to
    /// 1.
    pub probability: f64,
    /// The network's output for the move, before the softmax. For a mixture of networks, the
    /// natural logarithm of the probability.
    pub logit: f32,
}

impl Network {
    /// The name of the bundled policy.
    pub const BUNDLED: &str = "centipawn-1";

    /// The rating that [`evaluate`](Self::evaluate) imitates if the network imitates several
    /// levels.
    pub const DEFAULT_LEVEL: u32 = 1500;

    /// Opens a network by its name or by the path of its file. A name is [`BUNDLED`](Self::BUNDLED)
    /// or the name of a network in the [policy folder](crate::policy_folder).
    ///
    /// # Errors
    ///
    /// [`NetworkError::UnknownName`], or the errors of [`open`](Self::open).
    pub fn find(name: &str, kernel: Kernel) -> Result<Self, NetworkError> {
        #[cfg(feature = "bundled")]
        if name == Self::BUNDLED {
            return Self::bundled_with(kernel);
        }
        Self::open_with(find_network(name)?, kernel)
    }

    /// Opens a network by its name only: [`BUNDLED`](Self::BUNDLED), or the name of a network in
    /// the [policy folder](crate::policy_folder). Use it for names that come from another machine,
    /// because a path could open any file.
    ///
    /// # Errors
    ///
    /// Those of [`find`](Self::find). A path is an [unknown name](NetworkError::UnknownName).
    pub fn find_by_name(name: &str, kernel: Kernel) -> Result<Self, NetworkError> {
        #[cfg(feature = "bundled")]
        if name == Self::BUNDLED {
            return Self::bundled_with(kernel);
        }
        Self::open_with(find_in_policy_folder(name)?, kernel)
    }

    /// Reads a weight file (`.pb` or `.pb.gz`). The network's name is the file name without these
    /// endings.
    ///
    /// # Errors
    ///
    /// [`NetworkError`], which names the file and the problem.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, NetworkError> {
        Self::open_with(path, Kernel::best())
    }

    /// Like [`open`](Self::open), with a given kernel.
    ///
    /// # Errors
    ///
    /// The errors of [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, kernel: Kernel) -> Result<Self, NetworkError> {
        let path = path.as_ref();
        let bytes = load::read(path).map_err(|source| NetworkError::Read {
            path: path.to_owned(),
            source,
        })?;
        let mut network =
            Self::from_bytes_with(&bytes, kernel).map_err(|source| NetworkError::File {
                path: path.to_owned(),
                source: Box::new(source),
            })?;
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        network_name(&name).clone_into(&mut network.name);
        Ok(network)
    }

    /// Reads a network from the bytes of a weight file. Its name is empty.
    ///
    /// # Errors
    ///
    /// [`NetworkError`] if the bytes are not a supported network.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        Self::from_bytes_with(bytes, Kernel::best())
    }

    /// Like [`from_bytes`](Self::from_bytes), with a given kernel.
    fn from_bytes_with(bytes: &[u8], kernel: Kernel) -> Result<Self, NetworkError> {
        let net = load::net(bytes)?;
        let (graph, description) = Graph::new(kernel, &net)?;
        let layers = match Conditioning::read(&net, description.input)? {
            Some(conditioning) => Layers::Conditioned(graph, conditioning),
            None => Layers::One(graph),
        };
        Ok(Self {
            name: String::new(),
            sha256: sha256(bytes),
            description,
            kernel,
            layers,
        })
    }

    /// Builds a network that imitates players of every level between the least and the greatest of
    /// the given ratings. Each file holds a network for one rating. The ratings must be in
    /// ascending order, and all networks must have the same architecture.
    pub(crate) fn mixed(
        name: &str,
        files: &[(u32, &[u8])],
        kernel: Kernel,
    ) -> Result<Self, NetworkError> {
        let (mut members, mut described) = (Vec::new(), None::<Description>);
        for (rating, bytes) in files {
            let (graph, description) = Graph::new(kernel, &load::net(bytes)?)?;
            members.push((*rating, graph));
            described.get_or_insert(description);
        }
        let description = described.ok_or(NetworkError::NoWeights)?;
        let mixed_from = files.iter().map(|(rating, _)| *rating).collect();
        let all: Vec<u8> = files
            .iter()
            .flat_map(|(_, bytes)| bytes.iter().copied())
            .collect();
        Ok(Self {
            name: name.to_owned(),
            sha256: sha256(&all),
            description: Description {
                mixed_from,
                ..description
            },
            kernel,
            layers: Layers::Mixed(Mixed { members }),
        })
    }

    /// Returns the name of the file without `.pb` or `.pb.gz`; empty for a network read from bytes.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns SHA-256 of the file, 64 hexadecimal digits. For a mixture of networks, SHA-256 of
    /// their files one after the other.
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Returns the name and the SHA-256, for the provenance of documents.
    pub fn provenance(&self) -> progress::Network {
        progress::Network {
            name: self.name.clone(),
            sha256: self.sha256.clone(),
        }
    }

    /// Returns the architecture of the network.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Returns the kernel that runs the network.
    pub fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// Returns the range of ratings that this network can imitate; `None` if it imitates one level
    /// only.
    pub fn levels(&self) -> Option<RangeInclusive<u32>> {
        match &self.layers {
            Layers::One(_) => None,
            Layers::Conditioned(_, conditioning) => Some(conditioning.levels.clone()),
            Layers::Mixed(mixed) => Some(mixed.levels()),
        }
    }

    /// Returns the level nearest to `rating` that this network can imitate; `None` if it imitates
    /// one level only.
    pub fn nearest_level(&self, rating: u32) -> Option<u32> {
        self.levels()
            .map(|levels| rating.clamp(*levels.start(), *levels.end()))
    }

    /// Returns a note about a rating that this network cannot imitate, such as `level 2500: 2200 is
    /// the nearest that the network can imitate`. `None` for a rating in [`levels`](Self::levels),
    /// and for a network of one level.
    pub fn level_note(&self, rating: u32) -> Option<String> {
        let nearest = self
            .nearest_level(rating)
            .filter(|nearest| *nearest != rating)?;
        Some(format!(
            "level {rating}: {nearest} is the nearest that the network can imitate"
        ))
    }

    /// Returns the input planes for the last position of `history`. If the rating is one of the
    /// planes, it is [`DEFAULT_LEVEL`](Self::DEFAULT_LEVEL).
    pub fn planes(&self, history: &History) -> Planes {
        let planes = Planes::new(history, self.description.input);
        match &self.layers {
            Layers::Conditioned(_, conditioning) => {
                planes.at(conditioning.value(Self::DEFAULT_LEVEL))
            }
            Layers::One(_) | Layers::Mixed(_) => planes,
        }
    }

    /// Evaluates the last position of `history`: the probabilities of all legal moves, and the
    /// value. A network that can imitate several levels imitates
    /// [`DEFAULT_LEVEL`](Self::DEFAULT_LEVEL).
    ///
    /// The network reads the last 8 positions, so earlier moves change the answer. See also
    /// [`Evaluation::made_up`].
    ///
    /// # Errors
    ///
    /// [`EvaluateError::NoMoves`] at mate and stalemate; [`EvaluateError::NotFinite`] if the
    /// network's file is damaged.
    pub fn evaluate(&self, history: &History) -> Result<Evaluation, EvaluateError> {
        self.first(history, Self::DEFAULT_LEVEL)
    }

    /// Evaluates the last position of `history` as players with this rating see it. A rating
    /// outside [`levels`](Self::levels) is replaced by the nearest one inside, which becomes
    /// [`Evaluation::level`].
    ///
    /// # Errors
    ///
    /// [`EvaluateError::NotConditioned`] if the network imitates one level only; else those of
    /// [`evaluate`](Self::evaluate).
    pub fn evaluate_at(&self, history: &History, rating: u32) -> Result<Evaluation, EvaluateError> {
        match self.levels() {
            Some(_) => self.first(history, rating),
            None => Err(EvaluateError::NotConditioned {
                name: self.name.clone(),
            }),
        }
    }

    fn first(&self, history: &History, level: u32) -> Result<Evaluation, EvaluateError> {
        let mut all = self.evaluate_many(slice::from_ref(history), &[level]);
        let mut first = all.swap_remove(0)?;
        Ok(first.swap_remove(0))
    }

    /// Evaluates the last position of each history at each of `levels`. Both orders are kept. A
    /// network that imitates one level only gives one answer for each position and ignores
    /// `levels`.
    ///
    /// Several positions at once are faster than one by one, because the weights are read from
    /// memory once for all of them. More levels of one position cost almost nothing, unless the
    /// rating is part of the input. The numbers are bit for bit those of single evaluations.
    ///
    /// # Errors
    ///
    /// Those of [`evaluate`](Self::evaluate), for each position separately.
    pub fn evaluate_many(
        &self,
        histories: &[History],
        levels: &[u32],
    ) -> Vec<Result<Vec<Evaluation>, EvaluateError>> {
        let (mut positions, mut failures) = (Vec::new(), Vec::new());
        for history in histories {
            match Posed::new(history, self.description.input) {
                Ok(position) => {
                    positions.push(position);
                    failures.push(None);
                }
                Err(error) => failures.push(Some(error)),
            }
        }
        let mut answers = self.answers(&positions, levels).into_iter();
        failures
            .into_iter()
            .filter_map(|failure| failure.map_or_else(|| answers.next(), |error| Some(Err(error))))
            .collect()
    }

    fn answers(
        &self,
        positions: &[Posed<'_>],
        levels: &[u32],
    ) -> Vec<Result<Vec<Evaluation>, EvaluateError>> {
        match &self.layers {
            Layers::One(graph) => {
                let answers = graph.evaluate(positions).into_iter();
                answers
                    .map(|answer| Ok(vec![Evaluation::new(level_in(&self.name), answer?)]))
                    .collect()
            }
            Layers::Conditioned(graph, conditioning) => {
                let levels: Vec<u32> = levels
                    .iter()
                    .filter_map(|level| self.nearest_level(*level))
                    .collect();
                let values: Vec<f32> = levels
                    .iter()
                    .map(|level| conditioning.value(*level))
                    .collect();
                let at_levels = positions
                    .iter()
                    .flat_map(|position| values.iter().map(|value| position.at(*value)));
                let mut answers = graph.evaluate(&at_levels.collect::<Vec<_>>()).into_iter();
                let answers = positions.iter().map(|_| {
                    let answers: Vec<_> = answers.by_ref().take(levels.len()).collect();
                    let answers = levels.iter().zip(answers);
                    answers
                        .map(|(level, answer)| Ok(Evaluation::new(Some(*level), answer?)))
                        .collect()
                });
                answers.collect()
            }
            Layers::Mixed(mixed) => {
                let levels: Vec<u32> = levels
                    .iter()
                    .filter_map(|level| self.nearest_level(*level))
                    .collect();
                let mut members: Vec<_> = mixed
                    .needed(&levels)
                    .iter()
                    .map(|(_, graph)| graph.evaluate(positions).into_iter())
                    .collect();
                let answers = positions.iter().map(|_| {
                    let answers: Vec<_> = members.iter_mut().filter_map(Iterator::next).collect();
                    let answers: Vec<Output> = answers.into_iter().collect::<Result<_, _>>()?;
                    Ok(levels
                        .iter()
                        .map(|level| Evaluation::new(Some(*level), mixed.mix(&answers, *level)))
                        .collect())
                });
                answers.collect()
            }
        }
    }
}

impl Evaluation {
    fn new(level: Option<u32>, output: Output) -> Self {
        let Output {
            moves,
            probabilities,
            logits,
            wdl,
            value,
            moves_left,
            made_up,
        } = output;
        let all = moves.into_iter().zip(probabilities).zip(logits);
        let mut moves: Vec<MoveProbability> = all
            .map(|((mv, probability), logit)| MoveProbability {
                mv,
                probability,
                logit,
            })
            .collect();
        let squares = |mv: &Move| (mv.from(), mv.to(), mv.promotion());
        moves.sort_by(|a, b| {
            b.logit
                .total_cmp(&a.logit)
                .then_with(|| squares(&a.mv).cmp(&squares(&b.mv)))
        });
        Self {
            level,
            moves,
            wdl,
            value,
            moves_left,
            made_up,
        }
    }
}

impl std::fmt::Debug for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            name,
            description,
            kernel,
            ..
        } = self;
        f.debug_struct("Network")
            .field("name", name)
            .field("description", description)
            .field("kernel", kernel)
            .finish()
    }
}
