//! What a match says, as JSON.

use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};

use super::{Ending, MatchBalance, PairRule, ScoreEstimate, Sprt, SprtVerdict};

/// What games between players say: `match --json`. Players are ordered by rating; players without
/// one follow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MatchDocument {
    /// Games counted.
    pub games: u64,
    /// Games of these players without a result, which are not counted.
    pub unfinished: u64,
    /// Games without two different names of players, which are not counted, whichever players are
    /// chosen.
    pub nameless: u64,
    /// Rounds without an opponent, which are no games, whichever players are chosen.
    pub byes: u64,
    /// The win-draw balance; `null` if the games have no evaluations to which a model can be
    /// fitted.
    pub balance: Option<MatchBalance>,
    /// The players.
    pub players: Vec<MatchPlayer>,
    /// The fit behind the ratings; `null` if no two players have a finite rating.
    pub ratings: Option<RatingFit>,
    /// Games of each two players who met, by the players' order.
    pub pairings: Vec<MatchPairing>,
    /// Results by opening, the most lopsided first; empty if no opening is marked.
    pub openings: Vec<MatchOpening>,
    /// Games whose opening is not marked: no tag `FEN`, no comment `book`.
    pub unmarked: u64,
    /// What the numbers cannot say, and why, in sentences.
    pub notes: Vec<String>,
    /// Provenance, if the caller gives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

/// A player's results against all others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MatchPlayer {
    /// The tag `White` or `Black`.
    pub name: String,
    /// Rating in Elo, with the mean of all rated players 0, or as an anchor fixes it; `null`
    /// without a finite rating.
    pub rating: Option<f64>,
    /// Half the width of its 95 % interval, relative to the mean or to the anchor; `null` for the
    /// anchor itself, and in fits of more than 1,000 players.
    pub error: Option<f64>,
    /// Why there is no rating; `null` if there is one.
    pub reason: Option<String>,
    /// Games.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Points per game, 0..=1.
    pub score: f64,
    /// Games with White: won, drawn, lost.
    pub with_white: MatchSides,
    /// Games with Black: won, drawn, lost.
    pub with_black: MatchSides,
    /// Games lost on time.
    pub time_losses: u64,
    /// Games lost by an illegal move.
    pub illegal_moves: u64,
    /// Games lost by a crash, a closed connection or no answer.
    pub crashes: u64,
    /// The counting estimate of the article "Evaluation Relevance Reduction", in pawns, as `balance
    /// --by engine` has it for the same games: of a player that won n games, the nth highest of its
    /// own evaluations in games that it did not win. It ignores the strength of the players and how
    /// many games are drawn, so a stronger player wins more, and a weaker one less, than half of
    /// the games from there; the document's `balance` has a model. `null` without enough
    /// evaluations, and for more than 100 players.
    pub counting_balance: Option<f64>,
}

/// Results of games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchSides {
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
}

/// How ratings were fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RatingFit {
    /// White's advantage in Elo.
    pub white_advantage: f64,
    /// Half the width of its 95 % interval; `null` if the advantage was given, or unknown, or in
    /// fits of more than 1,000 players.
    pub white_advantage_error: Option<f64>,
    /// Whether the advantage was fitted to these games.
    pub white_advantage_fitted: bool,
    /// Most likely share of draws between equal players, 0..=1.
    pub draw_rate: Option<f64>,
    /// Probability that the player of the row is stronger than the one of the column, by the order
    /// of the rated players; `null` in the diagonal. Empty in fits of more than 100 players.
    pub superiority: Vec<Vec<Option<f64>>>,
}

/// The games of two players, from the first one's view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MatchPairing {
    /// The first player: of two players the one that was asked for, or had White in the first game;
    /// else the one that is higher in the list.
    pub first: String,
    /// The second player.
    pub second: String,
    /// Games.
    pub games: u64,
    /// Won by the first player.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost by the first player.
    pub losses: u64,
    /// Games of the first player with White.
    pub with_white: MatchSides,
    /// Games of the first player with Black.
    pub with_black: MatchSides,
    /// How pairs of games were recognised.
    pub pairs_by: PairRule,
    /// Pairs by points of the first player: 0, ½, 1, 1½, 2; `null` without pairs.
    pub pentanomial: Option<[u64; 5]>,
    /// Of the pairs with one point each, those with a win and a loss; the others are two draws.
    pub won_and_lost: u64,
    /// Games without a partner.
    pub unpaired: u64,
    /// The estimate to use: from pairs, and from the games without a partner.
    pub estimate: ScoreEstimate,
    /// The estimate from single games.
    pub by_games: ScoreEstimate,
    /// The estimate from pairs; `null` without pairs.
    pub by_pairs: Option<ScoreEstimate>,
    /// The sequential test, if one was asked for.
    pub sprt: Option<SprtDocument>,
    /// Mean number of plies.
    pub mean_plies: f64,
    /// How games ended, as far as that occurred.
    pub endings: Vec<EndingCount>,
}

/// A sequential test of two players.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SprtDocument {
    /// The test.
    #[serde(flatten)]
    pub test: Sprt,
    /// Whether pairs or single games were observed.
    pub basis: super::ScoreBasis,
    /// The log-likelihood ratio.
    pub llr: f64,
    /// The ratio at which H0 is accepted.
    pub lower: f64,
    /// The ratio at which H1 is accepted.
    pub upper: f64,
    /// The verdict.
    pub verdict: SprtVerdict,
}

/// Games that ended in one way, from the first player's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EndingCount {
    /// The ending.
    pub ending: Ending,
    /// Games that the first player won so.
    pub wins: u64,
    /// Games drawn so.
    pub draws: u64,
    /// Games that the first player lost so.
    pub losses: u64,
}

/// Games with one opening, of all players.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MatchOpening {
    /// The tag `FEN`; `null` for the usual start.
    pub fen: Option<String>,
    /// The moves marked as book moves, as written.
    pub moves: String,
    /// Games.
    pub games: u64,
    /// Won by White.
    pub white_wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Won by Black.
    pub black_wins: u64,
    /// Points of White per game, 0..=1.
    pub white_score: f64,
}

impl MatchSides {
    /// All games.
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
    /// The pairing, if there are just two players.
    pub fn single(&self) -> Option<&MatchPairing> {
        match (&*self.players, &*self.pairings) {
            ([_, _], [pairing]) => Some(pairing),
            _ => None,
        }
    }
}
