//! Totals of many reviewed games: a table of players and one of openings.

use std::collections::BTreeMap;

use centipawn_core::MoveSymbol;
use centipawn_judge::{Judgement, Phase, ease::middle};
use centipawn_pgn::player_key;
use serde::{Serialize, Serializer};
use shakmaty::{Color, Outcome};

use crate::{CauseDocument, Causes, Language, Mistakes, Results};

/// Sums over many reviews, by player and by opening.
///
/// Names that differ only in upper and lower case are one player. Memory grows with the number of
/// names and of days, not with the number of games.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Tally {
    /// Sums of each player, by [`player_key`].
    players: BTreeMap<String, Sums>,
    openings: BTreeMap<(String, String), OpeningSums>,
}

#[derive(Clone, Debug, Default)]
struct Sums {
    /// The name as spelled in the first game.
    name: String,
    games: u64,
    /// Number of games with a result; the player's points in these games are in the next field.
    finished: u64,
    points: f64,
    moves: u64,
    /// Games with an accuracy, and the sum of the accuracies.
    accurate: u64,
    accuracy: f64,
    relevant_loss: f64,
    score_loss: f64,
    /// Number of games whose good moves could get symbols; the others count only mistakes.
    praised: u64,
    symbols: [u64; 6],
    /// Number of positions with an exact ease; the sum of their ease is in the next field.
    judged: u64,
    ease: f64,
    /// Moves and expected score lost, for each phase.
    phases: [(u64, f64); 3],
    /// Number of moves with a known time; the sum of these times in seconds is in the next field.
    timed_moves: u64,
    seconds: f64,
    mistakes: Mistakes,
    causes: Causes,
    results: Results,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct OpeningSums {
    games: u64,
    finished: u64,
    points_white: f64,
    /// White's expected scores at the end of the opening.
    expected_score: f64,
    relevant_loss: [f64; 2],
    blunders: [u64; 2],
}

/// A player's row in the table. Means are `None` where there is nothing to average. Written rows
/// have three decimals.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlayerRow {
    /// The player's name in the games.
    pub player: String,
    /// Number of games played.
    pub games: u64,
    /// Mean points over games with a result, 0..=1.
    #[serde(serialize_with = "with_decimals_if_known")]
    pub score: Option<f64>,
    /// Number of moves made.
    pub moves: u64,
    /// Mean accuracy of a game, per cent.
    #[serde(serialize_with = "with_decimals_if_known")]
    pub accuracy: Option<f64>,
    /// Mean pawns at equality lost in a game.
    #[serde(serialize_with = "with_decimals")]
    pub relevant_loss: f64,
    /// Mean expected score lost in a game.
    #[serde(serialize_with = "with_decimals")]
    pub score_loss: f64,
    /// Mean expected score lost in a move of the opening.
    #[serde(serialize_with = "with_decimals_if_known")]
    pub opening_loss_per_move: Option<f64>,
    /// The same for the middlegame.
    #[serde(serialize_with = "with_decimals_if_known")]
    pub middlegame_loss_per_move: Option<f64>,
    /// The same for the endgame.
    #[serde(serialize_with = "with_decimals_if_known")]
    pub endgame_loss_per_move: Option<f64>,
    /// Mean time for a move in seconds, over moves with known times.
    #[serde(serialize_with = "with_decimals_if_known")]
    pub seconds_per_move: Option<f64>,
    /// Mean ease of the positions before the player's moves, 0..=1.
    #[serde(serialize_with = "with_decimals_if_known")]
    pub ease: Option<f64>,
    /// Numbers of moves with each symbol. Symbols of good moves are `None` if no game had an
    /// analyst with two lines.
    #[serde(rename = "!!")]
    pub brilliant: Option<u64>,
    /// `!`
    #[serde(rename = "!")]
    pub good: Option<u64>,
    /// `!?`
    #[serde(rename = "!?")]
    pub interesting: Option<u64>,
    /// `?!`
    #[serde(rename = "?!")]
    pub dubious: u64,
    /// `?`
    #[serde(rename = "?")]
    pub mistake: u64,
    /// `??`
    #[serde(rename = "??")]
    pub blunder: u64,
}

/// A player in JSON: the row in the table, and the causes of the losses.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlayerTotals {
    /// The row of the player.
    #[serde(flatten)]
    pub row: PlayerRow,
    /// The causes that cost the player points: causes with a reason first, the costliest first;
    /// then the rest.
    pub causes: Vec<CauseDocument>,
}

/// An opening's row in the table. Means are over games.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OpeningRow {
    /// The ECO code of the opening.
    pub eco: String,
    /// The name of the opening.
    pub opening: String,
    /// Number of games with this opening.
    pub games: u64,
    /// White's mean points over games with a result, 0..=1.
    #[serde(serialize_with = "with_decimals_if_known")]
    pub result: Option<f64>,
    /// White's mean expected score at the end of the opening, 0..=1.
    #[serde(serialize_with = "with_decimals")]
    pub expected_score: f64,
    /// Mean pawns at equality that White lost in a game.
    #[serde(serialize_with = "with_decimals")]
    pub relevant_loss_white: f64,
    /// The same for Black.
    #[serde(serialize_with = "with_decimals")]
    pub relevant_loss_black: f64,
    /// Number of White's `??` in all games.
    pub blunders_white: u64,
    /// Number of Black's `??` in all games.
    pub blunders_black: u64,
}

impl Tally {
    /// Adds a game; `number`, from 1, is its number in the batch. The texts of mistakes are in
    /// `language`. Players without a name and games without a known opening are left out of their
    /// table, since they do not belong together.
    pub fn add(&mut self, judged: &Judgement, language: Language, number: u64) {
        let points_white = match judged.game.result {
            Outcome::Known(outcome) => Some(match outcome.winner() {
                Some(winner) => winner.fold_wb(1.0, 0.0),
                None => 0.5,
            }),
            Outcome::Unknown => None,
        };
        for color in Color::ALL {
            let Some(name) = judged.tags().name(color) else {
                continue;
            };
            let player = judged.player(color);
            let sums = self.players.entry(player_key(name)).or_default();
            if sums.name.is_empty() {
                name.clone_into(&mut sums.name);
            }
            sums.games += 1;
            if let Some(points) = points_white {
                sums.finished += 1;
                sums.points += color.fold_wb(points, 1.0 - points);
            }
            sums.moves += player.moves as u64;
            if let Some(accuracy) = player.accuracy {
                sums.accurate += 1;
                sums.accuracy += accuracy;
            }
            sums.relevant_loss += player.relevant_loss;
            sums.score_loss += player.score_loss;
            for (sum, count) in sums.symbols.iter_mut().zip(player.symbols) {
                *sum += count as u64;
            }
            for (sum, phase) in sums.phases.iter_mut().zip(player.phases) {
                *sum = (sum.0 + phase.moves as u64, sum.1 + phase.score_loss);
            }
            sums.praised += u64::from(judged.knows_praise());
            let own = judged.plies.iter().filter(|ply| ply.mover == color);
            for ease in own
                .filter_map(|ply| middle(&ply.ease))
                .filter(|ease| ease.is_exact())
            {
                sums.judged += 1;
                sums.ease += ease.ease.sum;
            }
            sums.mistakes.add(judged, language, color, number);
            sums.causes.add(judged, color, number);
            sums.results.add(judged, color);
            if let Some(time) = player.time {
                sums.timed_moves += player.timed_moves as u64;
                sums.seconds += time.as_secs_f64();
            }
        }
        let Some(opening) = judged.opening else {
            return;
        };
        let sums = self
            .openings
            .entry((opening.eco.to_owned(), opening.name.to_owned()))
            .or_default();
        sums.games += 1;
        if let Some(points) = points_white {
            sums.finished += 1;
            sums.points_white += points;
        }
        let ends = opening.plies.saturating_sub(1);
        sums.expected_score += judged.plies.get(ends).map_or(0.5, |ply| ply.expected_score);
        for color in Color::ALL {
            let index = color.fold_wb(0, 1);
            sums.relevant_loss[index] += judged.player(color).relevant_loss;
            sums.blunders[index] += judged.player(color).count(MoveSymbol::Blunder) as u64;
        }
    }

    /// Returns the players, those with most games first.
    pub fn players(&self) -> Vec<PlayerRow> {
        let mut rows: Vec<PlayerRow> = self.players.values().map(Sums::row).collect();
        rows.sort_by(|a, b| b.games.cmp(&a.games).then_with(|| a.player.cmp(&b.player)));
        rows
    }

    /// Returns a player's mistakes; `None` for a name without games.
    pub fn mistakes(&self, player: &str) -> Option<&Mistakes> {
        self.players
            .get(&player_key(player))
            .map(|sums| &sums.mistakes)
    }

    /// Returns what costs a player points; `None` for a name without games.
    pub fn causes(&self, player: &str) -> Option<&Causes> {
        self.players
            .get(&player_key(player))
            .map(|sums| &sums.causes)
    }

    /// Returns a player's results by colour and over time; `None` for a name without games.
    pub fn results(&self, player: &str) -> Option<&Results> {
        self.players
            .get(&player_key(player))
            .map(|sums| &sums.results)
    }

    /// Returns the players with their causes, those with most games first.
    pub fn player_totals(&self, language: Language) -> Vec<PlayerTotals> {
        let totals = |row: PlayerRow| {
            let causes = self
                .causes(&row.player)
                .map(|causes| causes.documents(language))
                .unwrap_or_default();
            PlayerTotals { row, causes }
        };
        self.players().into_iter().map(totals).collect()
    }

    /// Returns the openings in the order of their codes.
    pub fn openings(&self) -> Vec<OpeningRow> {
        self.openings
            .iter()
            .map(|((eco, name), sums)| sums.row(eco, name))
            .collect()
    }
}

/// Returns a mean; `None` if `count` is 0.
fn mean(sum: f64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum / count as f64)
}

/// Rounds to three decimals when a row is written. The row itself keeps all decimals, because pages
/// round them to fewer.
fn with_decimals<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    // Adding 0 turns −0 into 0.
    serializer.serialize_f64((value * 1000.0).round() / 1000.0 + 0.0)
}

#[expect(clippy::ref_option, reason = "serde's form")]
fn with_decimals_if_known<S: Serializer>(
    value: &Option<f64>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => with_decimals(value, serializer),
        None => serializer.serialize_none(),
    }
}

impl Sums {
    fn row(&self) -> PlayerRow {
        let [brilliant, good, interesting, dubious, mistake, blunder] = self.symbols;
        let phase = |phase: Phase| {
            let (moves, loss) = self.phases[phase as usize];
            mean(loss, moves)
        };
        let praise = |count| (self.praised > 0).then_some(count);
        PlayerRow {
            player: self.name.clone(),
            games: self.games,
            score: mean(self.points, self.finished),
            moves: self.moves,
            accuracy: mean(self.accuracy, self.accurate),
            relevant_loss: self.relevant_loss / self.games as f64,
            score_loss: self.score_loss / self.games as f64,
            opening_loss_per_move: phase(Phase::Opening),
            middlegame_loss_per_move: phase(Phase::Middlegame),
            endgame_loss_per_move: phase(Phase::Endgame),
            seconds_per_move: mean(self.seconds, self.timed_moves),
            ease: mean(self.ease, self.judged),
            brilliant: praise(brilliant),
            good: praise(good),
            interesting: praise(interesting),
            dubious,
            mistake,
            blunder,
        }
    }
}

impl OpeningSums {
    fn row(&self, eco: &str, name: &str) -> OpeningRow {
        let games = self.games as f64;
        OpeningRow {
            eco: eco.to_owned(),
            opening: name.to_owned(),
            games: self.games,
            result: mean(self.points_white, self.finished),
            expected_score: self.expected_score / games,
            relevant_loss_white: self.relevant_loss[0] / games,
            relevant_loss_black: self.relevant_loss[1] / games,
            blunders_white: self.blunders[0],
            blunders_black: self.blunders[1],
        }
    }
}
