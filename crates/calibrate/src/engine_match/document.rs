//! The report of a match as JSON.

use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};

use super::{Ending, MatchBalance, PairRule, ScoreEstimate, Sprt, SprtVerdict};

/// The report of games between players: `match --json`. Rated players come first, by descending
/// rating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MatchDocument {
    /// Number of games counted.
    pub games: u64,
    /// Number of games of these players without a result, which are not counted.
    pub unfinished: u64,
    /// Number of games without two different names of players, which are not counted. It includes
    /// all games of the input, whichever players are chosen.
    pub nameless: u64,
    /// Number of rounds without an opponent, which are not games. It includes all rounds of the
    /// input, whichever players are chosen.
    pub byes: u64,
    /// The win-draw balance; `null` if the games have no evaluations to which a model can be
    /// fitted.
    pub balance: Option<MatchBalance>,
    /// One entry for each player.
    pub players: Vec<MatchPlayer>,
    /// The fit behind the ratings; `null` if no two players have a finite rating.
    pub ratings: Option<RatingFit>,
    /// Results of each pair of players who met, in the order of the players.
    pub pairings: Vec<MatchPairing>,
    /// Results by opening, the most lopsided first; empty if no opening is marked.
    pub openings: Vec<MatchOpening>,
    /// Number of games whose opening is not marked: they have neither a tag `FEN` nor a comment
    /// `book`.
    pub unmarked: u64,
    /// Sentences about numbers that are missing or limited, with the reason.
    pub notes: Vec<String>,
    /// Provenance, if the caller gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// One player's results against all others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MatchPlayer {
    /// The tag `White` or `Black`.
    pub name: String,
    /// Rating in Elo. The mean of all rated players is 0, unless an anchor fixes the scale. `null`
    /// if the player has no finite rating.
    pub rating: Option<f64>,
    /// Half the width of the rating's 95 % interval, relative to the mean or to the anchor; `null`
    /// for the anchor itself, and in fits of more than 1,000 players.
    pub error: Option<f64>,
    /// The reason why there is no rating; `null` if there is one.
    pub reason: Option<String>,
    /// Number of games.
    pub games: u64,
    /// Number of games won.
    pub wins: u64,
    /// Number of games drawn.
    pub draws: u64,
    /// Number of games lost.
    pub losses: u64,
    /// Mean points per game, 0..=1.
    pub score: f64,
    /// Games with White.
    pub with_white: MatchSides,
    /// Games with Black.
    pub with_black: MatchSides,
    /// Number of games lost on time.
    pub time_losses: u64,
    /// Number of games lost by an illegal move.
    pub illegal_moves: u64,
    /// Number of games lost by a crash, a closed connection or a missing answer.
    pub crashes: u64,
    /// The counting estimate of the win-draw balance, in pawns, as `balance --by engine` computes
    /// it for the same games (article "Evaluation Relevance Reduction"): if the player won n games,
    /// the nth highest of its own evaluations in games that it did not win. It ignores the players'
    /// strength and the share of draws, so a stronger player wins more than half of the games from
    /// this evaluation, a weaker one less. The document's `balance` comes from a model instead.
    /// `null` without enough evaluations, and for more than 100 players.
    pub counting_balance: Option<f64>,
}

/// Number of games by result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchSides {
    /// Number of games won.
    pub wins: u64,
    /// Number of games drawn.
    pub draws: u64,
    /// Number of games lost.
    pub losses: u64,
}

/// How ratings were fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RatingFit {
    /// White's advantage in Elo.
    pub white_advantage: f64,
    /// Half the width of the advantage's 95 % interval; `null` if the advantage was given or is
    /// unknown, and in fits of more than 1,000 players.
    pub white_advantage_error: Option<f64>,
    /// Whether the advantage was fitted to these games; otherwise it was given or is unknown.
    pub white_advantage_fitted: bool,
    /// Most likely share of draws between players of equal strength, 0..=1.
    pub draw_rate: Option<f64>,
    /// Probability that the player of the row is stronger than the player of the column, in the
    /// order of the rated players; `null` in the diagonal. Empty in fits of more than 100 players.
    pub superiority: Vec<Vec<Option<f64>>>,
}

/// The games of two players, from the first player's view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MatchPairing {
    /// The first player. In a report on two players it is the one named first in the options, or
    /// else the one with White in the first game; in any other report it is the one that is listed
    /// higher.
    pub first: String,
    /// The second player.
    pub second: String,
    /// Number of games.
    pub games: u64,
    /// Number of games won by the first player.
    pub wins: u64,
    /// Number of games drawn.
    pub draws: u64,
    /// Number of games lost by the first player.
    pub losses: u64,
    /// Games of the first player with White.
    pub with_white: MatchSides,
    /// Games of the first player with Black.
    pub with_black: MatchSides,
    /// How pairs of games were recognised.
    pub pairs_by: PairRule,
    /// Number of pairs by points of the first player: 0, ½, 1, 1½, 2; `null` without pairs.
    pub pentanomial: Option<[u64; 5]>,
    /// Number of pairs with one point for each player that consist of a win and a loss. The other
    /// such pairs are two draws.
    pub won_and_lost: u64,
    /// Number of games that belong to no pair.
    pub unpaired: u64,
    /// The estimate to use, from the pairs and the games that belong to no pair.
    pub estimate: ScoreEstimate,
    /// The estimate from single games, as if they were independent.
    pub by_games: ScoreEstimate,
    /// The estimate from pairs; `null` without pairs.
    pub by_pairs: Option<ScoreEstimate>,
    /// The sequential test; `null` unless the options request one.
    pub sprt: Option<SprtDocument>,
    /// Mean number of plies of a game.
    pub mean_plies: f64,
    /// Number of games by ending, for the endings that occur.
    pub endings: Vec<EndingCount>,
}

/// A sequential test of two players.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SprtDocument {
    /// The hypotheses and error rates.
    #[serde(flatten)]
    pub test: Sprt,
    /// Whether pairs or single games were observed.
    pub basis: super::ScoreBasis,
    /// The log-likelihood ratio of H1 against H0.
    pub llr: f64,
    /// The log-likelihood ratio at which H0 is accepted.
    pub lower: f64,
    /// The log-likelihood ratio at which H1 is accepted.
    pub upper: f64,
    /// The conclusion from the games so far.
    pub verdict: SprtVerdict,
}

/// Games that ended in one way, from the first player's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EndingCount {
    /// The way in which the games ended.
    pub ending: Ending,
    /// Number of games with this ending that the first player won.
    pub wins: u64,
    /// Number of games with this ending that were drawn.
    pub draws: u64,
    /// Number of games with this ending that the first player lost.
    pub losses: u64,
}

/// The results of one opening, over all players.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MatchOpening {
    /// The tag `FEN`; `null` for the standard start position.
    pub fen: Option<String>,
    /// The moves that comments mark as book moves, as written.
    pub moves: String,
    /// Number of games.
    pub games: u64,
    /// Number of games won by White.
    pub white_wins: u64,
    /// Number of games drawn.
    pub draws: u64,
    /// Number of games won by Black.
    pub black_wins: u64,
    /// White's mean points per game, 0..=1.
    pub white_score: f64,
}

impl MatchSides {
    /// Returns the number of games.
    pub fn games(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    pub(super) fn add(&mut self, points: u8) {
        *match points {
            0 => &mut self.losses,
            1 => &mut self.draws,
            _ => &mut self.wins,
        } += 1;
    }
}

impl MatchDocument {
    /// Returns the only pairing of a report on two players; `None` for more players.
    pub fn single(&self) -> Option<&MatchPairing> {
        match (&*self.players, &*self.pairings) {
            ([_, _], [pairing]) => Some(pairing),
            _ => None,
        }
    }
}
