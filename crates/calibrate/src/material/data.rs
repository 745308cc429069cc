//! Rows in the form that a fit uses: grouped by equal features, with the game of each row.

use std::{borrow::Cow, collections::HashMap};

use centipawn_progress::Cancel;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{
    Collection, FitError, FitOptions, Method, OwnName, Row, Target, Term, collection::Game,
    row::SCORE_UNIT,
};

/// The feature that a coefficient belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// The number of pieces of one kind: 0 pawns, 1 knights, 2 bishops, 3 rooks, 4 queens.
    Piece(usize),
    /// A feature other than the number of pieces.
    Term(Term),
    /// A feature of the reader's own, from a table.
    Own(OwnName),
    /// White's constant advantage of the first move, whatever is on the board.
    FirstMove,
    /// Width of the drawing range: half the distance between the cut points of the ordered logit,
    /// or Davidson's ln ν.
    Width,
}

/// The names of pieces in files and on the command line.
pub const PIECES: [&str; 5] = ["pawn", "knight", "bishop", "rook", "queen"];

impl Feature {
    /// Returns the name in files: `pawn`, `bishop-pair`, `first-move`, `width`.
    pub fn name(&self) -> &str {
        match self {
            Self::Piece(piece) => PIECES[*piece],
            Self::Term(term) => term.name(),
            Self::Own(name) => name.as_str(),
            Self::FirstMove => "first-move",
            Self::Width => "width",
        }
    }

    /// Returns the feature with this name in files: one of the program's, else the reader's own.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::known(name).or_else(|| OwnName::new(name).map(Self::Own))
    }

    /// Returns whether the program has a feature of this name.
    pub(super) fn is_known(name: &str) -> bool {
        Self::known(name).is_some()
    }

    fn known(name: &str) -> Option<Self> {
        let pieces = (0..PIECES.len()).map(Self::Piece);
        let all = pieces
            .chain(Term::ALL.map(Self::Term))
            .chain([Self::FirstMove, Self::Width]);
        all.into_iter().find(|feature| feature.name() == name)
    }
}

impl Serialize for Feature {
    /// Serialises as the name.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for Feature {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Self::by_name(&name)
            .ok_or_else(|| de::Error::custom(format_args!("there is no feature {name:?}")))
    }
}

/// Number of games processed between two checks for cancellation.
pub(super) const GAMES_BETWEEN_LOOKS: usize = 4096;

/// Rows grouped by equal features.
///
/// All rows of a group have the same features. A cell holds the rows of a group with one result, so
/// each group has three cells, in the order Black's win, draw, White's win.
#[derive(Clone, Debug)]
pub(super) struct Data {
    pub(super) method: Method,
    /// Features whose weighted sum is White's advantage.
    pub(super) features: Vec<Feature>,
    /// Features whose weighted sum is the width of draws; empty for methods without draws.
    pub(super) draw_features: Vec<Feature>,
    /// Feature values of each group, group by group.
    pub(super) x: Vec<f64>,
    /// Values of the draw features of each group, group by group.
    pub(super) z: Vec<f64>,
    /// Number of rows by group and result.
    pub(super) counts: Vec<[f64; 3]>,
    /// The cell of each row, game by game.
    cells: Vec<u32>,
    /// The weight of each row, in fractions of `unit`; empty if all weights are 1.
    weights: Vec<u8>,
    /// For each game, the index in `cells` after its last row.
    ends: Vec<usize>,
    /// The unique number of each game.
    numbers: Vec<u64>,
    unit: f64,
    /// Number of games left out because a term is unknown.
    pub(super) without_term: u64,
    /// Number of games won by Black and by White.
    pub(super) decisive: [u64; 2],
}

impl Data {
    /// Groups the rows that `take` accepts, with all of the reader's own features.
    pub(super) fn new(
        collection: &Collection,
        options: &FitOptions,
        take: impl Fn(&Game, Row) -> bool,
        cancel: &Cancel,
    ) -> Result<Self, FitError> {
        Self::of(
            collection,
            options,
            &collection.features.names,
            take,
            cancel,
        )
    }

    /// Groups the rows that `take` accepts. `own` are all of the reader's own features, or none.
    pub(super) fn of(
        collection: &Collection,
        options: &FitOptions,
        own: &[OwnName],
        take: impl Fn(&Game, Row) -> bool,
        cancel: &Cancel,
    ) -> Result<Self, FitError> {
        let (terms, draw_terms): (Vec<Term>, Vec<Term>) =
            options.terms.iter().partition(|term| !term.is_of_draws());
        let has_draws = options.method.has_draws();
        if let (Some(&term), false) = (draw_terms.first(), has_draws) {
            return Err(FitError::NoDrawsInMethod {
                term,
                method: options.method,
            });
        }
        if let (Some(&term), true) = (options.terms.first(), collection.is_bare) {
            return Err(FitError::BareRows { what: term.name() });
        }
        let needs_structure = options.terms.iter().find(|term| term.is_of_structure());
        if let (Some(&term), true) = (needs_structure, collection.features.structure.is_empty())
            && !collection.is_empty()
        {
            return Err(FitError::NoStructure { term });
        }
        let mut features: Vec<_> = (0..5)
            .map(Feature::Piece)
            .chain(terms.iter().copied().map(Feature::Term))
            .chain(own.iter().copied().map(Feature::Own))
            .collect();
        features.extend(options.first_move.then_some(Feature::FirstMove));
        let mut draw_features = Vec::new();
        if has_draws {
            draw_features.push(Feature::Width);
            draw_features.extend(draw_terms.iter().copied().map(Feature::Term));
        }
        let mut data = Self {
            method: options.method,
            features,
            draw_features,
            x: Vec::new(),
            z: Vec::new(),
            counts: Vec::new(),
            cells: Vec::new(),
            weights: Vec::new(),
            ends: Vec::new(),
            numbers: Vec::new(),
            unit: if options.target == Target::Search {
                f64::from(SCORE_UNIT)
            } else {
                1.0
            },
            without_term: 0,
            decisive: [0; 2],
        };
        // The bits of the features of each group.
        let mut places = HashMap::<Vec<u32>, u32>::new();
        let mut key = Vec::new();
        for (index, (number, game, rows)) in
            collection.in_own_order(cancel)?.into_iter().enumerate()
        {
            if index % GAMES_BETWEEN_LOOKS == 0 {
                cancel.check()?;
            }
            // A game without a result is stored as a draw, but only the classic method counts it.
            if game.is_unfinished {
                continue;
            }
            if options.method == Method::Classic && game.result == super::GameResult::Draw {
                continue;
            }
            let begin = data.cells.len();
            for &row in rows.iter().filter(|row| take(game, **row)) {
                key.clear();
                let add = |value: f32| key.push(value.to_bits());
                let has_own = !own.is_empty();
                if values(row, game, collection, (&terms, &draw_terms), has_own, add).is_none() {
                    continue;
                }
                let score = match options.target {
                    Target::Result => None,
                    Target::Search => match row.score() {
                        None => continue,
                        score => score,
                    },
                };
                let group = match places.get(&key) {
                    Some(group) => *group,
                    None => {
                        let group = data.group(&key);
                        places.insert(key.clone(), group);
                        group
                    }
                };
                match score {
                    None => data.cells.push(3 * group + game.result as u32),
                    Some(score) => {
                        // A row for which the search expects 0.7 counts as 0.7 wins and 0.3 losses.
                        data.cells.extend([3 * group, 3 * group + 2]);
                        data.weights.extend([SCORE_UNIT - score, score]);
                    }
                }
            }
            if data.cells.len() > begin {
                data.ends.push(data.cells.len());
                data.numbers.push(number);
                match game.result {
                    super::GameResult::BlackWins => data.decisive[0] += 1,
                    super::GameResult::WhiteWins => data.decisive[1] += 1,
                    super::GameResult::Draw => {}
                }
            } else if options.terms.contains(&Term::Elo) && game.elo.contains(&0) {
                data.without_term += 1;
            }
        }
        for index in 0..data.cells.len() {
            let (cell, weight) = (data.cells[index] as usize, data.weight(index));
            data.counts[cell / 3][cell % 3] += weight;
        }
        Ok(data)
    }

    /// Adds a group with these features and returns its index. `key` has the bits of the features
    /// of White's advantage, then of those of draws, without the two constants.
    fn group(&mut self, key: &[u32]) -> u32 {
        let group = self.counts.len() as u32;
        let value = |bits: &u32| f64::from(f32::from_bits(*bits));
        let has_first_move = self.features.contains(&Feature::FirstMove);
        let of_advantage = self.features.len() - usize::from(has_first_move);
        let (advantage, draws) = key.split_at(of_advantage);
        self.x.extend(advantage.iter().map(value));
        self.x.extend(has_first_move.then_some(1.0));
        self.z
            .extend(self.draw_features.iter().take(1).map(|_| 1.0));
        self.z.extend(draws.iter().map(value));
        self.counts.push([0.0; 3]);
        group
    }

    fn weight(&self, index: usize) -> f64 {
        self.weights
            .get(index)
            .map_or(1.0, |&weight| f64::from(weight) / self.unit)
    }

    /// Returns a group's feature values for White's advantage.
    pub(super) fn x_of(&self, group: usize) -> &[f64] {
        let width = self.features.len();
        &self.x[group * width..(group + 1) * width]
    }

    /// Returns a group's feature values for draws.
    pub(super) fn z_of(&self, group: usize) -> &[f64] {
        let width = self.draw_features.len();
        &self.z[group * width..(group + 1) * width]
    }

    pub(super) fn groups(&self) -> usize {
        self.counts.len()
    }

    pub(super) fn games(&self) -> usize {
        self.ends.len()
    }

    /// Returns the total number of rows, with weight 1 each.
    pub(super) fn total(&self) -> f64 {
        self.counts.iter().flatten().sum()
    }

    /// Returns the number of coefficients.
    pub(super) fn parameters(&self) -> usize {
        self.features.len() + self.draw_features.len()
    }

    /// Returns the unique number of a game.
    pub(super) fn number(&self, game: usize) -> u64 {
        self.numbers[game]
    }

    /// Returns the cells of a game's rows, with weights.
    pub(super) fn game(&self, index: usize) -> impl Iterator<Item = (usize, f64)> {
        let begin = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        (begin..self.ends[index]).map(|index| (self.cells[index] as usize, self.weight(index)))
    }

    /// Returns cell counts of `N` resamples at once. `weights` gives how often a game counts in
    /// each of them. After a cancel the counts are incomplete.
    pub(super) fn resampled<const N: usize>(
        &self,
        weights: impl Fn(usize) -> [u32; N],
        cancel: &Cancel,
    ) -> Vec<[u32; N]> {
        let mut sums = vec![[0; N]; 3 * self.groups()];
        let mut begin = 0;
        for (game, &end) in self.ends.iter().enumerate() {
            if game % GAMES_BETWEEN_LOOKS == 0 && cancel.is_set() {
                break;
            }
            let own = weights(game);
            for index in begin..end {
                let sums = &mut sums[self.cells[index] as usize];
                match self.weights.get(index) {
                    None => sums.iter_mut().zip(&own).for_each(|(sum, own)| *sum += own),
                    Some(&part) => sums
                        .iter_mut()
                        .zip(&own)
                        .for_each(|(sum, own)| *sum += own * u32::from(part)),
                }
            }
            begin = end;
        }
        sums
    }

    /// Returns the cell counts of one resample, from the result of [`resampled`](Self::resampled).
    pub(super) fn counts_of<const N: usize>(
        &self,
        sums: &[[u32; N]],
        resample: usize,
    ) -> Vec<[f64; 3]> {
        let count = |cell: &[u32; N]| f64::from(cell[resample]) / self.unit;
        sums.chunks_exact(3)
            .map(|cells| [count(&cells[0]), count(&cells[1]), count(&cells[2])])
            .collect()
    }
}

/// Passes the features of a row to `add`: pieces, terms of White's advantage, the reader's own,
/// then terms of draws. `None` if one is unknown.
fn values(
    row: Row,
    game: &Game,
    collection: &Collection,
    (terms, draw_terms): (&[Term], &[Term]),
    has_own: bool,
    mut add: impl FnMut(f32),
) -> Option<()> {
    let features = &collection.features;
    let structure = features.structure.get(row.features as usize);
    let pieces = row.difference().into_iter().map(f32::from);
    pieces.for_each(&mut add);
    for term in terms {
        add(term.value(row, game, structure)?);
    }
    if has_own {
        let own = features.own_at(row.features)?;
        own.iter().copied().for_each(&mut add);
    }
    for term in draw_terms {
        add(term.value(row, game, structure)?);
    }
    Some(())
}
