//! A reviewed game: its judged moves and their totals.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use centipawn_core::{Curve, Eval, MoveSymbol, Players, Scheme, White, accuracy_of_game};
use centipawn_engine::Identity;
use centipawn_pgn::{Game, Opening};
use shakmaty::Color;

use crate::{GameFindings, Phase, PlyReview, ReviewOptions, clock::total_time, ease::hardest_moments};

/// The most critical moments of a game.
const CRITICAL_MOMENTS: usize = 3;

/// A reviewed game.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Review {
    /// The game as read.
    pub game: Arc<Game>,
    /// Its judged moves.
    pub plies: Vec<PlyReview>,
    /// The opening, from Centipawn's table; `None` if it is unknown.
    pub opening: Option<Opening>,
    /// White's totals.
    pub white: PlayerReview,
    /// Black's totals.
    pub black: PlayerReview,
    /// Indices into [`plies`](Self::plies) of the moves on which most depended, three at most, in the order of the game.
    pub critical_moments: Vec<usize>,
    /// Indices of the plies at which a good move was hardest to find, three at most, hardest first; empty without ease.
    pub hardest_moments: Vec<usize>,
    /// Who analysed; `None` if every evaluation came from the game itself.
    pub analyst: Option<Arc<Identity>>,
    /// From evaluations to expected scores.
    pub curve: Curve,
    /// From expected scores to symbols.
    pub scheme: Scheme,
    /// Who plays.
    pub players: Players,
    /// The options of the review.
    pub options: ReviewOptions,
}

/// Totals of a player's moves.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PlayerReview {
    /// How many moves the player made.
    pub moves: usize,
    /// Accuracy in Lichess' sense, per cent; `None` without a move.
    pub accuracy: Option<f64>,
    /// Pawns at equality given away, in total.
    pub relevant_loss: f64,
    /// Expected score given away, in total.
    pub score_loss: f64,
    /// How often each symbol was given, in the order of [`MoveSymbol::ALL`].
    pub symbols: [usize; 6],
    /// The phases of the game, in the order of [`Phase::ALL`].
    pub phases: [PhaseReview; 3],
    /// Time for the moves whose time is known; `None` if [too few](Self::timed_moves) are.
    pub time: Option<Duration>,
    /// How many moves [`time`](Self::time) counts: at least nine tenths of them, but for two; 0 without a time.
    pub timed_moves: usize,
}

/// Totals of a player's moves in one phase of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PhaseReview {
    /// How many moves the player made in it.
    pub moves: usize,
    /// Expected score given away in it.
    pub score_loss: f64,
}

impl PlayerReview {
    fn new(plies: &[PlyReview], color: Color, accuracy: Option<f64>) -> Self {
        let own = || plies.iter().filter(|ply| ply.mover == color);
        let times: Vec<Option<Duration>> = own().map(|ply| ply.time).collect();
        let (time, timed_moves) = total_time(&times).unzip();
        Self {
            moves: own().count(),
            accuracy,
            relevant_loss: total(own().map(|ply| ply.loss.relevant)),
            score_loss: total(own().map(|ply| ply.loss.expected_score)),
            symbols: MoveSymbol::ALL.map(|symbol| own().filter(|ply| ply.symbol == Some(symbol)).count()),
            phases: Phase::ALL.map(|phase| {
                let moves = || own().filter(|ply| ply.phase == phase);
                let score_loss = total(moves().map(|ply| ply.loss.expected_score));
                PhaseReview { moves: moves().count(), score_loss }
            }),
            time,
            timed_moves: timed_moves.unwrap_or_default(),
        }
    }

    /// How many of the player's moves got a symbol.
    pub fn count(&self, symbol: MoveSymbol) -> usize {
        MoveSymbol::ALL.iter().zip(self.symbols).find(|(other, _)| **other == symbol).map_or(0, |(_, count)| count)
    }
}

impl Review {
    pub(crate) fn new(game: Arc<Game>, plies: Vec<PlyReview>, findings: &GameFindings, options: ReviewOptions) -> Self {
        // Checkmate counts as the mate in one before it.
        let evals: Vec<Eval<White>> = plies.iter().map(|ply| ply.after.unwrap_or(ply.played)).collect();
        // Lichess assumes +0.15 for the normal start position.
        let before = if game.start.is_from_startpos() { None } else { plies.first().map(|ply| ply.best) };
        let [white, black] = accuracy_of_game(game.start.turn(), before.unwrap_or(Eval::cp(15)), &evals);
        Self {
            opening: Opening::of(&game),
            white: PlayerReview::new(&plies, Color::White, white),
            black: PlayerReview::new(&plies, Color::Black, black),
            critical_moments: critical_moments(&plies),
            hardest_moments: hardest_moments(&plies),
            players: game.players(),
            game,
            plies,
            analyst: findings.analyst.clone(),
            curve: findings.curve,
            scheme: options.scheme.scheme(&findings.curve),
            options,
        }
    }

    /// A player's totals.
    pub fn player(&self, color: Color) -> &PlayerReview {
        color.fold_wb(&self.white, &self.black)
    }

    /// A player's name, `White` or `Black` if the game has none.
    pub fn name(&self, color: Color) -> &str {
        self.known_name(color).unwrap_or(color.fold_wb("White", "Black"))
    }

    /// A player's name, if the game has one.
    pub(crate) fn known_name(&self, color: Color) -> Option<&str> {
        let name = self.game.headers.get(color.fold_wb("White", "Black"))?.trim();
        Some(name).filter(|name| !name.trim_matches('?').is_empty())
    }

    /// Both players' names: `Anna – Boris`.
    pub fn title(&self) -> String {
        format!("{} – {}", self.name(Color::White), self.name(Color::Black))
    }

    /// A sentence with the number of suppressed good-move symbols and the reasons; `None` if there are none.
    pub fn suppressed(&self) -> Option<String> {
        let language = self.options.language;
        let reasons: BTreeSet<&str> =
            self.plies.iter().filter_map(|ply| ply.suppressed).map(|(_, reason)| language.reason(reason)).collect();
        let count = self.plies.iter().filter(|ply| ply.suppressed.is_some()).count();
        let reasons = reasons.into_iter().collect::<Vec<_>>().join(", ");
        (count > 0).then(|| format!("{} {count} ({reasons}).", language.labels().suppressed))
    }

    /// The opening's code and name, from the game's tags or Centipawn's table: `C41 Philidor Defense`. `None` if unknown.
    pub fn opening_name(&self) -> Option<String> {
        let [eco, name] = self.opening_tags();
        let parts: Vec<&str> = [eco, name].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }

    /// The tags `ECO` and `Opening`: the game's own, or ours if it has neither, or only the same code. Tables differ, so a code
    /// of one table is not combined with a name of another.
    pub(crate) fn opening_tags(&self) -> [Option<&str>; 2] {
        let tag = |name| self.game.headers.get(name).filter(|text| !text.is_empty() && !text.contains('?'));
        match (tag("ECO"), tag("Opening"), self.opening) {
            (None, None, Some(own)) => [Some(own.eco), Some(own.name)],
            // Some programs append to the code: `B90/03`, `B90a`.
            (Some(eco), None, Some(own)) if eco.get(..3) == Some(own.eco) => [Some(eco), Some(own.name)],
            (eco, name, _) => [eco, name],
        }
    }

    /// A player's rating, if the game has one.
    pub fn rating(&self, color: Color) -> Option<u32> {
        self.game.headers.get(color.fold_wb("WhiteElo", "BlackElo"))?.trim().parse().ok().filter(|rating| *rating > 0)
    }

    /// Whether good moves could get their symbols: an analyst gave more than one line.
    pub fn knows_praise(&self) -> bool {
        self.plies.iter().any(|ply| ply.lines.len() > 1)
    }

    /// A tag's value, if the game has one; addresses are [elsewhere](Self::address).
    pub(crate) fn tag(&self, name: &str) -> Option<&str> {
        let text = self.game.headers.get(name)?;
        let end = ["https://", "http://"].iter().find_map(|scheme| text.find(scheme)).unwrap_or(text.len());
        Some(text[..end].trim()).filter(|text| !text.is_empty() && !text.contains('?') && *text != "-")
    }

    /// The date as far as the game has it: `1858`, `2021.10.01`.
    pub(crate) fn date(&self) -> Option<&str> {
        let date = self.game.headers.get("Date")?.trim_end_matches(".??");
        Some(date).filter(|date| !date.is_empty() && !date.contains('?'))
    }

    /// Event, site and date, as far as the game has them: `Paris, Paris Opera, 1858`.
    pub fn occasion(&self) -> String {
        let event = self.tag("Event");
        let site = self.tag("Site").filter(|site| event.is_none_or(|event| !event.contains(site)));
        [event, site, self.date()].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// The address of the game on a site: `https://lichess.org/eT3jfS48`.
    pub fn address(&self) -> Option<&str> {
        let tags = ["Site", "Link", "GameURL"].into_iter().filter_map(|name| self.game.headers.get(name));
        let is_address = |text: &&str| {
            (text.starts_with("https://") || text.starts_with("http://")) && !text.contains(char::is_whitespace)
        };
        tags.map(str::trim).find(is_address)
    }
}

/// A sum that is 0 if empty, where `Iterator::sum` gives −0.
fn total(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |sum, value| sum + value)
}

/// The moves with symbols on which most depended: the largest losses, and the best moves furthest ahead of the next. A mistake
/// changes the game while a good move only keeps it, so a good move's difference counts half.
fn critical_moments(plies: &[PlyReview]) -> Vec<usize> {
    let stake = |index: &usize| {
        let difference = plies[*index].difference;
        if difference < 0.0 { -difference } else { difference / 2.0 }
    };
    let mut moments: Vec<usize> = (0..plies.len()).filter(|&index| plies[index].symbol.is_some()).collect();
    moments.sort_by(|a, b| stake(b).total_cmp(&stake(a)).then(a.cmp(b)));
    moments.truncate(CRITICAL_MOMENTS);
    moments.sort_unstable();
    moments
}
