//! Computes the report of a match from counted games.

use std::{collections::BTreeMap, str::FromStr};

use centipawn_progress::{Cancel, Silent, text::plural};
use serde::{Deserialize, Serialize};

use super::{
    BadSprt, Ending, EndingCount, MatchDocument, MatchGames, MatchOpening, MatchPairing,
    MatchPlayer, MatchSides, Opening, PairRule, Pairing, RatingFit, ScoreEstimate, Sprt,
    SprtDocument,
    connected::groups,
    estimate::ELO,
    pairs::Pairs,
    ratings::{MOST_ERRORS, Meeting, Observation, Ratings, draw_rate},
};
use crate::{
    OutOfRange, TWO_SIDED,
    balance::{Bootstrap, Matches},
    normal::above,
};

/// Largest number of players for whom the likelihoods of superiority are listed.
const MOST_SUPERIORITIES: usize = 100;

/// Options of a match report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MatchReportOptions {
    /// Only games between these players are counted. Each entry is a full name, or a part of a
    /// name, in any case, that only one player has. With one entry, all games of this player count.
    /// The first entry is the first player of the pairing. By default all players.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub players: Vec<String>,
    /// A sequential test of two players; none by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<Sprt>,
    /// White's advantage in Elo for ratings; fitted by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub white_advantage: Option<f64>,
    /// The player whose rating is known. By default the mean of all ratings is 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<Anchor>,
}

/// Why [`MatchReportOptions`] are invalid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BadMatchOptions {
    /// The sequential test is impossible.
    #[error(transparent)]
    Sprt(#[from] BadSprt),
    /// A number of Elo is out of range.
    #[error(transparent)]
    Elo(#[from] OutOfRange),
}

impl MatchReportOptions {
    /// Checks the sequential test, White's advantage and the anchor.
    ///
    /// # Errors
    ///
    /// [`BadMatchOptions`] for the first option that is invalid.
    pub fn check(&self) -> Result<(), BadMatchOptions> {
        self.sprt.map_or(Ok(()), |test| test.check())?;
        OutOfRange::check("white_advantage", self.white_advantage, [-1000.0, 1000.0])?;
        let anchor = self.anchor.as_ref().map(|anchor| anchor.elo);
        Ok(OutOfRange::check("anchor", anchor, [-10_000.0, 10_000.0])?)
    }
}

/// A player with a known rating. As text `Stockfish 17=3600`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anchor {
    /// The player's name, as in [`MatchReportOptions::players`].
    pub name: String,
    /// The player's rating in Elo.
    pub elo: f64,
}

impl FromStr for Anchor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text
            .rsplit_once('=')
            .map(|(name, elo)| (name.trim(), elo.trim().parse::<f64>()));
        match parts {
            Some((name, Ok(elo))) if !name.is_empty() => Ok(Self {
                name: name.to_owned(),
                elo,
            }),
            _ => Err("an anchor is a player and a rating, such as 'Stockfish 17=3600'".to_owned()),
        }
    }
}

/// Why no report can be computed from the games.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatchError {
    /// No player has this name.
    #[error("no player's name contains {0:?}")]
    NoPlayer(String),
    /// Several players have names with this text.
    #[error("{name:?} is a part of several names: {names}; give a complete name")]
    SeveralPlayers {
        /// The part of a name that was given.
        name: String,
        /// Some of the matching names.
        names: String,
    },
    /// The chosen players did not meet. The value names them.
    #[error("{0} did not play against each other")]
    NoGames(String),
    /// A sequential test was requested for this number of players, more than two.
    #[error(
        "a sequential test is for two players, and these games have {0}: choose two with the option `player`"
    )]
    SprtOfSeveral(usize),
    /// The anchor has no finite rating.
    #[error("the anchor {name} has no finite rating: {reason}")]
    AnchorUnrated {
        /// The player's name.
        name: String,
        /// The reason, as in [`MatchPlayer::reason`].
        reason: String,
    },
}

impl MatchGames {
    /// Computes the report.
    ///
    /// # Errors
    ///
    /// [`MatchError`], if the options request players or a test that these games do not have.
    pub fn report(&self, options: &MatchReportOptions) -> Result<MatchDocument, MatchError> {
        let chosen = self.chosen(&options.players)?;
        let meets = |names: [&String; 2]| match &*chosen {
            [] => true,
            [one] => names.contains(&one),
            several => names.iter().all(|name| several.contains(name)),
        };
        let pairings: Vec<(&[String; 2], &Pairing)> = self
            .pairings
            .iter()
            .filter(|([one, other], _)| meets([one, other]))
            .collect();
        if pairings.is_empty() && !chosen.is_empty() {
            return Err(MatchError::NoGames(chosen.join(" and ")));
        }
        let mut names: Vec<&String> = pairings
            .iter()
            .flat_map(|(names, _)| names.iter())
            .collect();
        names.sort();
        names.dedup();
        if options.sprt.is_some() && names.len() > 2 {
            return Err(MatchError::SprtOfSeveral(names.len()));
        }
        let number: BTreeMap<&String, usize> = names
            .iter()
            .enumerate()
            .map(|(index, name)| (*name, index))
            .collect();
        let paired: Vec<Pairs<'_>> = pairings
            .iter()
            .map(|(_, pairing)| Pairs::of(pairing))
            .collect();
        let meetings: Vec<Meeting> = pairings
            .iter()
            .zip(&paired)
            .map(|((own, pairing), pairs)| {
                meeting([number[&own[0]], number[&own[1]]], pairing, pairs)
            })
            .collect();
        let mut players: Vec<MatchPlayer> = names.iter().map(|name| blank(name)).collect();
        for ((own, pairing), meeting) in pairings.iter().zip(&meetings) {
            for game in pairing.games() {
                for (side, &player) in meeting.players.iter().enumerate() {
                    players[player].add(game, side);
                }
            }
            debug_assert_eq!(names[meeting.players[0]], &own[0]);
        }
        players.iter_mut().for_each(MatchPlayer::finish);
        let mut notes = Vec::new();
        set_counting_balances(&mut players, || self.balance.of_meetings(meets), &mut notes);
        let balance = self.balance_of(meets, &mut notes);
        let fit = rate(&mut players, &meetings, options, &mut notes)?;
        // Rank the players by rating (those without a rating last), then by score. The ranks order
        // the list of players and, if there are more than two, decide which player of a pairing is
        // named first.
        let mut order: Vec<usize> = (0..players.len()).collect();
        let by_rating = |one: &usize, other: &usize| {
            let key = |index: usize| (players[index].rating, players[index].score);
            let ((rating, score), (other_rating, other_score)) = (key(*one), key(*other));
            let by_rating = other_rating.is_some().cmp(&rating.is_some());
            by_rating
                .then_with(|| {
                    other_rating
                        .unwrap_or(0.0)
                        .total_cmp(&rating.unwrap_or(0.0))
                })
                .then_with(|| other_score.total_cmp(&score))
        };
        order.sort_by(by_rating);
        let mut rank = vec![0; players.len()];
        order
            .iter()
            .enumerate()
            .for_each(|(place, &player)| rank[player] = place);
        let first_side = |own: &[String; 2], pairing: &Pairing, meeting: &Meeting| -> usize {
            if let Some(first) = chosen
                .first()
                .and_then(|first| own.iter().position(|name| name == first))
            {
                return first;
            }
            match names.len() {
                2 => pairing
                    .games()
                    .min_by_key(|game| game.place)
                    .map_or(0, |game| game.white.into()),
                _ => usize::from(rank[meeting.players[0]] > rank[meeting.players[1]]),
            }
        };
        let mut documents: Vec<([usize; 2], MatchPairing)> = Vec::new();
        for (((own, pairing), pairs), meeting) in pairings.iter().zip(&paired).zip(&meetings) {
            let first = first_side(own, pairing, meeting);
            let ranks = [
                rank[meeting.players[first]],
                rank[meeting.players[1 - first]],
            ];
            documents.extend(
                pairing
                    .document(own, first, pairs, options.sprt)
                    .map(|document| (ranks, document)),
            );
        }
        documents.sort_by_key(|(ranks, _)| *ranks);
        let pairings_of: Vec<MatchPairing> = documents
            .into_iter()
            .map(|(_, document)| document)
            .collect();
        notes.extend(notes_on_pairs(&pairings_of));
        notes.extend(self.note_on_byes());
        notes.extend(self.note_on_contradictions());
        let (openings, unmarked) = openings(pairings.iter().map(|(_, pairing)| *pairing));
        let ratings = fit.map(|(ratings, rated)| {
            let mut listed: Vec<usize> = (0..rated.len()).collect();
            listed.sort_by_key(|&index| rank[rated[index]]);
            rating_fit(&ratings, &listed, &meetings_of(&meetings, &rated), options)
        });
        let mut sorted: Vec<Option<MatchPlayer>> = players.into_iter().map(Some).collect();
        Ok(MatchDocument {
            games: pairings_of.iter().map(|pairing| pairing.games).sum(),
            unfinished: self.unfinished_of(meets),
            nameless: self.nameless,
            byes: self.byes,
            balance,
            players: order
                .into_iter()
                .filter_map(|index| sorted[index].take())
                .collect(),
            ratings,
            pairings: pairings_of,
            openings,
            unmarked,
            notes,
            provenance: None,
        })
    }

    fn note_on_byes(&self) -> Option<String> {
        let rounds = plural(self.byes, "round");
        let (verb, games) = if self.byes == 1 {
            ("has", "is no game")
        } else {
            ("have", "are no games")
        };
        (self.byes > 0)
            .then(|| format!("{rounds} {verb} no opponent (a bye), and {games} of the match."))
    }

    fn note_on_contradictions(&self) -> Option<String> {
        let games = plural(self.contradictory, "game");
        let (verb, pronoun, counts) = if self.contradictory == 1 {
            ("says", "it", "counts")
        } else {
            ("say", "they", "count")
        };
        (self.contradictory > 0).then(|| {
            format!(
                "{games} {verb} that the winner lost by a fault, such as an illegal move: {pronoun} {counts} by the result, and without a \
                 fault."
            )
        })
    }

    /// Returns the full names of the chosen players.
    fn chosen(&self, wanted: &[String]) -> Result<Vec<String>, MatchError> {
        let mut names: Vec<&String> = self.pairings.keys().flatten().collect();
        names.sort();
        names.dedup();
        wanted
            .iter()
            .map(|part| named(part, names.iter().map(|name| name.as_str())).map(str::to_owned))
            .collect()
    }
}

/// Sets the counting estimate of the balance for each player with evaluations.
fn set_counting_balances(
    players: &mut [MatchPlayer],
    counted: impl FnOnce() -> Matches,
    notes: &mut Vec<String>,
) {
    if players.len() > MOST_SUPERIORITIES {
        return;
    }
    let counted = counted();
    let no_intervals = Bootstrap {
        resamples: 0,
        ..Bootstrap::default()
    };
    // This `Cancel` is never set, so the rows are complete.
    let rows = counted
        .rows(no_intervals, &Cancel::new(), &Silent)
        .unwrap_or_default();
    for row in rows {
        if let Some(player) = players
            .iter_mut()
            .find(|player| row.key.engine.as_ref() == Some(&player.name))
        {
            player.counting_balance = row.pawns();
        }
    }
    notes.extend(
        counted
            .warnings()
            .into_iter()
            .map(|warning| format!("Balances may be wrong: {warning}.")),
    );
}

/// Returns the name that equals `part`, or else the only name that contains it, in any case.
fn named<'a>(
    part: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> Result<&'a str, MatchError> {
    if let Some(name) = names.clone().find(|name| *name == part) {
        return Ok(name);
    }
    let lower = part.to_lowercase();
    let found: Vec<&str> = names
        .filter(|name| name.to_lowercase().contains(&lower))
        .collect();
    match *found {
        [] => Err(MatchError::NoPlayer(part.to_owned())),
        [name] => Ok(name),
        _ => {
            const NAMED: usize = 5;
            let more = if found.len() > NAMED { ", …" } else { "" };
            let names = found[..found.len().min(NAMED)].join(", ") + more;
            Err(MatchError::SeveralPlayers {
                name: part.to_owned(),
                names,
            })
        }
    }
}

fn blank(name: &str) -> MatchPlayer {
    MatchPlayer {
        name: name.to_owned(),
        rating: None,
        error: None,
        reason: None,
        games: 0,
        wins: 0,
        draws: 0,
        losses: 0,
        score: 0.0,
        with_white: MatchSides::default(),
        with_black: MatchSides::default(),
        time_losses: 0,
        illegal_moves: 0,
        crashes: 0,
        counting_balance: None,
    }
}

impl MatchPlayer {
    /// Adds a game to the results of the player on this side of the pairing.
    fn add(&mut self, game: &super::Played, side: usize) {
        let points = game.points_of(side);
        if usize::from(game.white) == side {
            &mut self.with_white
        } else {
            &mut self.with_black
        }
        .add(points);
        if points == 0 {
            match game.ending {
                Ending::Time => self.time_losses += 1,
                Ending::IllegalMove => self.illegal_moves += 1,
                Ending::Disconnect | Ending::Stall => self.crashes += 1,
                _ => {}
            }
        }
    }

    fn finish(&mut self) {
        let (white, black) = (self.with_white, self.with_black);
        self.games = white.games() + black.games();
        (self.wins, self.draws, self.losses) = (
            white.wins + black.wins,
            white.draws + black.draws,
            white.losses + black.losses,
        );
        self.score = (self.wins as f64 + 0.5 * self.draws as f64) / self.games.max(1) as f64;
    }
}

impl super::Played {
    /// Returns the half points of one player of the pairing.
    pub(super) fn points_of(&self, side: usize) -> u8 {
        if usize::from(self.white) == side {
            self.points
        } else {
            2 - self.points
        }
    }
}

impl Pairing {
    pub(super) fn games(&self) -> impl Iterator<Item = &super::Played> {
        self.openings.values().flatten()
    }

    /// Returns the document from the view of the player on side `first`; `None` without games.
    fn document(
        &self,
        names: &[String; 2],
        first: usize,
        pairs: &Pairs<'_>,
        sprt: Option<Sprt>,
    ) -> Option<MatchPairing> {
        let (mut white, mut black) = (MatchSides::default(), MatchSides::default());
        let mut endings: BTreeMap<Ending, MatchSides> = BTreeMap::new();
        let mut plies = 0.0;
        for game in self.games() {
            let points = game.points_of(first);
            if usize::from(game.white) == first {
                &mut white
            } else {
                &mut black
            }
            .add(points);
            endings.entry(game.ending).or_default().add(points);
            plies += f64::from(game.plies);
        }
        let (wins, draws, losses) = (
            white.wins + black.wins,
            white.draws + black.draws,
            white.losses + black.losses,
        );
        let games = wins + draws + losses;
        let pentanomial = (!pairs.games.is_empty()).then(|| {
            let mut counts = [0; 5];
            pairs
                .games
                .iter()
                .for_each(|pair| counts[pair_points(pair, first)] += 1);
            counts
        });
        let won_and_lost = pairs
            .games
            .iter()
            .filter(|pair| pair_points(pair, first) == 2 && pair[0].points != 1)
            .count();
        let mut single = [losses, draws, wins];
        let by_games = ScoreEstimate::of_games(single)?;
        let by_pairs = pentanomial.and_then(ScoreEstimate::of_pairs);
        let of_pairs = pairs.games.iter().flatten();
        of_pairs.for_each(|game| single[usize::from(game.points_of(first))] -= 1);
        let estimate = ScoreEstimate::new(pentanomial.unwrap_or_default(), single)?;
        let sprt = sprt.map(|test| {
            // The test cannot combine pairs and single games, so it uses pairs if at least half of
            // the games are in pairs.
            let of_pairs = pentanomial.filter(|_| pairs.unpaired * 2 <= games);
            let (basis, llr) = match of_pairs.and_then(|counts| test.llr_of_pairs(counts)) {
                Some(llr) => (super::ScoreBasis::Pairs, llr),
                None => (
                    super::ScoreBasis::Games,
                    test.llr_of_games([losses, draws, wins]),
                ),
            };
            let [lower, upper] = test.limits();
            SprtDocument {
                test,
                basis,
                llr,
                lower,
                upper,
                verdict: test.verdict(llr),
            }
        });
        let endings = endings.into_iter().map(
            |(
                ending,
                MatchSides {
                    wins,
                    draws,
                    losses,
                },
            )| EndingCount {
                ending,
                wins,
                draws,
                losses,
            },
        );
        Some(MatchPairing {
            first: names[first].clone(),
            second: names[1 - first].clone(),
            games,
            wins,
            draws,
            losses,
            with_white: white,
            with_black: black,
            pairs_by: pairs.rule,
            pentanomial,
            won_and_lost: won_and_lost as u64,
            unpaired: pairs.unpaired,
            estimate,
            by_games,
            by_pairs,
            sprt,
            mean_plies: plies / games as f64,
            endings: endings.collect(),
        })
    }
}

/// Returns the half points of one player in a pair of games.
fn pair_points(pair: &[&super::Played; 2], side: usize) -> usize {
    usize::from(pair[0].points_of(side)) + usize::from(pair[1].points_of(side))
}

/// Summarises the games of two players for the fit of ratings.
fn meeting(players: [usize; 2], pairing: &Pairing, pairs: &Pairs<'_>) -> Meeting {
    let mut meeting = Meeting {
        players,
        ..Meeting::default()
    };
    // Number of games by color of the first player and by half points.
    let mut single = [[0_u64; 3]; 2];
    for game in pairing.games() {
        let points = game.points_of(0);
        let color = usize::from(game.white);
        single[color][usize::from(points)] += 1;
        meeting.games[color] += 1;
        meeting.points[color] += f64::from(points) / 2.0;
        meeting.draws[color] += u64::from(points == 1);
    }
    let mut both = [[0_u64; 3]; 3];
    for pair in &pairs.games {
        let points = [0, 1].map(|index| usize::from(pair[index].points_of(0)));
        both[points[0]][points[1]] += 1;
        single[0][points[0]] -= 1;
        single[1][points[1]] -= 1;
    }
    let share = |points: usize| points as f64 / 2.0;
    let mut add = |count: u64, games: [f64; 2], points: [f64; 2]| {
        if count > 0 {
            meeting.observations.push(Observation {
                count,
                games,
                points,
            });
        }
    };
    for (white, row) in both.iter().enumerate() {
        for (black, &count) in row.iter().enumerate() {
            add(count, [1.0, 1.0], [share(white), share(black)]);
        }
    }
    for (color, counts) in single.iter().enumerate() {
        for (points, &count) in counts.iter().enumerate() {
            let mut own = [[0.0; 2]; 2];
            (own[0][color], own[1][color]) = (1.0, share(points));
            add(count, own[0], own[1]);
        }
    }
    meeting
}

/// Rates the largest group of players whose scores are connected. Returns the fit and the indices
/// of the rated players.
fn rate(
    players: &mut [MatchPlayer],
    meetings: &[Meeting],
    options: &MatchReportOptions,
    notes: &mut Vec<String>,
) -> Result<Option<(Ratings, Vec<usize>)>, MatchError> {
    let mut scored = vec![Vec::new(); players.len()];
    for meeting in meetings {
        let [one, other] = meeting.players;
        let (points, games) = (
            meeting.points[0] + meeting.points[1],
            (meeting.games[0] + meeting.games[1]) as f64,
        );
        if points > 0.0 {
            scored[one].push(other);
        }
        if points < games {
            scored[other].push(one);
        }
    }
    let anchor = match &options.anchor {
        None => None,
        Some(anchor) => {
            let name = named(
                &anchor.name,
                players.iter().map(|player| player.name.as_str()),
            )?;
            players
                .iter()
                .position(|player| player.name == name)
                .map(|player| (player, anchor.elo))
        }
    };
    let unrated = |anchor: &MatchPlayer| MatchError::AnchorUnrated {
        name: anchor.name.clone(),
        reason: anchor.reason.clone().unwrap_or_default(),
    };
    let group = groups(&scored);
    let mut sizes: BTreeMap<usize, (usize, u64)> = BTreeMap::new();
    for (player, &own) in group.iter().enumerate() {
        let size = sizes.entry(own).or_default();
        size.0 += 1;
        size.1 += players[player].games;
    }
    let largest = sizes
        .iter()
        .max_by_key(|(_, size)| **size)
        .map(|(group, size)| (*group, size.0));
    let Some((rated_group, 2..)) = largest else {
        for player in players.iter_mut() {
            player.reason = Some("its games have won or lost points only".to_owned());
        }
        if let Some((anchor, _)) = anchor {
            return Err(unrated(&players[anchor]));
        }
        if !players.is_empty() {
            notes.push(
                "No ratings: no two players have taken points from each other, so that every difference may be infinite.".to_owned(),
            );
        }
        return Ok(None);
    };
    let rated: Vec<usize> = (0..players.len())
        .filter(|&player| group[player] == rated_group)
        .collect();
    let left_out = players.len() - rated.len();
    if left_out > 0 {
        let (noun, verb) = if left_out == 1 {
            ("player", "has")
        } else {
            ("players", "have")
        };
        notes.push(format!(
            "{left_out} {noun} {verb} no finite rating: connected to the others only by games won, only by games lost, or not at all."
        ));
        give_reasons(players, &group, rated_group, meetings);
    }
    let ratings = Ratings::fit(
        rated.len(),
        &meetings_of(meetings, &rated),
        options.white_advantage.map(|elo| elo / ELO),
    );
    if ratings.is_unknown {
        notes.push(
            "These games cannot separate White's advantage from strength, so it counts as 0."
                .to_owned(),
        );
    }
    if rated.len() > MOST_ERRORS {
        notes.push(format!(
            "More than {MOST_ERRORS} players: ratings have no errors."
        ));
    }
    let anchor = match anchor {
        None => None,
        Some((player, elo)) => Some((
            rated
                .binary_search(&player)
                .map_err(|_| unrated(&players[player]))?,
            elo,
        )),
    };
    for (index, &player) in rated.iter().enumerate() {
        let own = ratings.strength[index] * ELO;
        let half =
            |variance: Option<f64>| variance.map(|variance| TWO_SIDED * ELO * variance.sqrt());
        (players[player].rating, players[player].error) = match anchor {
            None => (Some(own), half(ratings.own_variance(index))),
            Some((at, elo)) if at == index => (Some(elo), None),
            Some((at, elo)) => (
                Some(own - ratings.strength[at] * ELO + elo),
                half(ratings.variance(index, at)),
            ),
        };
    }
    Ok(Some((ratings, rated)))
}

/// Sets the reason why players outside the rated group have no rating.
fn give_reasons(players: &mut [MatchPlayer], group: &[usize], rated: usize, meetings: &[Meeting]) {
    let mut against = vec![[0.0; 2]; players.len()];
    for meeting in meetings {
        let [one, other] = meeting.players;
        let (points, games) = (
            meeting.points[0] + meeting.points[1],
            (meeting.games[0] + meeting.games[1]) as f64,
        );
        for (own, opponent, points) in [(one, other, points), (other, one, games - points)] {
            if group[opponent] == rated {
                against[own][0] += points;
                against[own][1] += games;
            }
        }
    }
    for (player, [points, games]) in against
        .into_iter()
        .enumerate()
        .filter(|(player, _)| group[*player] != rated)
    {
        let reason = match (points, games) {
            (_, 0.0) => "no game against a rated player",
            (0.0, _) => "lost every game against rated players",
            (points, games) if points == games => "won every game against rated players",
            _ => "connected to the rated players only by games won or only by games lost",
        };
        players[player].reason = Some(reason.to_owned());
    }
}

/// Returns the meetings within a group of players, with players renumbered within the group.
fn meetings_of(meetings: &[Meeting], group: &[usize]) -> Vec<Meeting> {
    let place = |player: usize| group.binary_search(&player).ok();
    let within = |meeting: &Meeting| {
        let players = [place(meeting.players[0])?, place(meeting.players[1])?];
        Some(Meeting {
            players,
            ..meeting.clone()
        })
    };
    meetings.iter().filter_map(within).collect()
}

fn rating_fit(
    ratings: &Ratings,
    order: &[usize],
    meetings: &[Meeting],
    options: &MatchReportOptions,
) -> RatingFit {
    let superior = |one: usize, other: usize| {
        let variance = ratings
            .variance(one, other)
            .filter(|variance| one != other && *variance > 0.0)?;
        Some(above(
            (ratings.strength[other] - ratings.strength[one]) / variance.sqrt(),
        ))
    };
    let superiority = if order.len() > MOST_SUPERIORITIES {
        Vec::new()
    } else {
        order
            .iter()
            .map(|&one| order.iter().map(|&other| superior(one, other)).collect())
            .collect()
    };
    RatingFit {
        white_advantage: ratings.advantage * ELO,
        white_advantage_error: ratings.advantage_error.map(|error| TWO_SIDED * ELO * error),
        white_advantage_fitted: options.white_advantage.is_none() && !ratings.is_unknown,
        draw_rate: draw_rate(meetings, ratings),
        superiority,
    }
}

/// Results by opening, in descending order of imbalance, and the number of games whose opening is
/// not marked.
fn openings<'a>(pairings: impl Iterator<Item = &'a Pairing>) -> (Vec<MatchOpening>, u64) {
    let mut by_opening: BTreeMap<&Opening, MatchSides> = BTreeMap::new();
    let mut unmarked = 0;
    for (opening, games) in pairings.flat_map(|pairing| &pairing.openings) {
        if opening.is_marked() {
            let sides = by_opening.entry(opening).or_default();
            games.iter().for_each(|game| sides.add(game.points));
        } else {
            unmarked += games.len() as u64;
        }
    }
    let mut all: Vec<MatchOpening> = by_opening
        .into_iter()
        .map(|(opening, sides)| MatchOpening {
            fen: Some(opening.fen.clone()).filter(|fen| !fen.is_empty()),
            moves: opening.moves.clone(),
            games: sides.games(),
            white_wins: sides.wins,
            draws: sides.draws,
            black_wins: sides.losses,
            white_score: (sides.wins as f64 + 0.5 * sides.draws as f64) / sides.games() as f64,
        })
        .collect();
    all.sort_by_key(|opening| std::cmp::Reverse(opening.white_wins.abs_diff(opening.black_wins)));
    (all, unmarked)
}

/// Notes on the limits of the pairs.
fn notes_on_pairs(pairings: &[MatchPairing]) -> Vec<String> {
    let without = pairings
        .iter()
        .filter(|pairing| pairing.pairs_by == PairRule::None)
        .count();
    let unpaired: u64 = pairings
        .iter()
        .filter(|pairing| pairing.pairs_by != PairRule::None)
        .map(|own| own.unpaired)
        .sum();
    let mut notes = Vec::new();
    if without == pairings.len() && without > 0 {
        notes.push(
            "No pairs of games: no opening was played with reversed colors (tag FEN, comment book), and rounds are not two games each. \
             Errors count every game as independent."
                .to_owned(),
        );
    } else if without > 0 {
        notes.push(format!(
            "{} without pairs of games.",
            plural(without as u64, "pairing")
        ));
    }
    if unpaired > 0 {
        notes.push(format!(
            "{} without a partner of the same opening and reversed colors: each counts by itself.",
            plural(unpaired, "game")
        ));
    }
    notes
}
