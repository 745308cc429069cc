//! Counts in the form that a fit uses: rows of evaluations.

use serde::{Deserialize, Serialize};

use super::{Counts, Key, MoverResult, Units};

/// The argument of the parameters `a` and `b`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Material of both sides (queen 9, rook 5, minor piece 3, pawn 1).
    #[default]
    Material,
    /// The full-move number.
    Move,
    /// Material and move.
    Both,
}

impl By {
    /// Returns the default target: the value at which the coefficients of a cubic add up to `a` or
    /// `b`.
    pub fn usual_target(self) -> f64 {
        match self {
            Self::Move => 32.0,
            Self::Material | Self::Both => 58.0,
        }
    }

    /// Returns the name of the argument, for texts and documents.
    pub fn name(self) -> &'static str {
        match self {
            Self::Material => "material",
            Self::Move => "move",
            Self::Both => "material and move",
        }
    }
}

/// Selects the observations that are fitted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Selection {
    /// The argument of the rows; material by default.
    pub by: By,
    /// First and last full move; 1 and 120 by default.
    pub moves: (u32, u32),
    /// Least and most material; 17 and 78 by default.
    pub material: (u32, u32),
    /// Largest evaluation, in hundredths of a pawn of [`Units::pawn`] internal units; 400 by
    /// default.
    pub eval_max: u32,
    /// The units in which the model is fitted; by default the centipawns of the games.
    pub units: Units,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            by: By::Material,
            moves: (1, 120),
            material: (17, 78),
            eval_max: 400,
            units: Units::default(),
        }
    }
}

impl Selection {
    /// Returns the largest evaluation, in internal units.
    pub(crate) fn internal_max(&self) -> i32 {
        (f64::from(self.eval_max) * f64::from(self.units.pawn()) / 100.0).round_ties_even() as i32
    }

    /// Returns the first and last value of the rows, limited to values that a [`Key`] can have.
    pub fn range(&self) -> (u32, u32) {
        let ((low, high), most) = match self.by {
            By::Material | By::Both => (self.material, Key::MOST_MATERIAL),
            By::Move => (self.moves, Key::LAST_NUMBER),
        };
        (low, high.min(most))
    }

    /// Returns the number of positions within the limits of move and material whose evaluation is
    /// larger than the largest one used.
    pub(super) fn beyond(&self, counts: &Counts) -> u64 {
        let largest = self.internal_max();
        let all = Self {
            eval_max: u32::MAX,
            ..*self
        };
        let is_beyond =
            |key: Key| all.place(key, i32::MAX).is_some() && self.place(key, largest).is_none();
        counts
            .iter()
            .filter(|(key, _)| is_beyond(*key))
            .map(|(_, count)| count)
            .fold(0, u64::saturating_add)
    }

    /// Returns the place of an observation: its row (value, and for rows by material and move the
    /// full move) and its evaluation in internal units; `None` if it is not selected. `largest` is
    /// [`internal_max`](Self::internal_max).
    #[inline]
    pub(super) fn place(&self, key: Key, largest: i32) -> Option<((u32, u32), i32)> {
        let (number, material) = (key.number(), key.material());
        let within = |value, (low, high)| low <= value && value <= high;
        if !within(number, self.moves) || !within(material, self.material) {
            return None;
        }
        let internal = self.units.internal(key.eval(), material, number);
        let row = match self.by {
            By::Material => (material, 0),
            By::Move => (number, 0),
            By::Both => (material, number),
        };
        (internal.abs() <= largest).then_some((row, internal))
    }
}

/// The observations at one value of the argument.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The material or full move.
    pub value: u32,
    /// The full move for rows by material and move; otherwise 0.
    pub number: u32,
    /// The evaluations that occur, in internal units and ascending order.
    pub evals: Vec<i32>,
    /// Number of wins, draws and losses at each evaluation, in the same order.
    pub counts: Vec<[f64; 3]>,
}

impl Row {
    /// Returns the number of positions won.
    pub fn wins(&self) -> f64 {
        self.counts.iter().map(|counts| counts[0]).sum()
    }

    /// Returns the number of positions.
    pub fn total(&self) -> f64 {
        self.counts.iter().flatten().sum()
    }
}

/// All rows with observations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// The rows, ordered by value, then by move.
    pub rows: Vec<Row>,
}

/// Returns the index of a result in the order wins, draws, losses.
pub(crate) fn column(result: MoverResult) -> usize {
    match result {
        MoverResult::Win => 0,
        MoverResult::Draw => 1,
        MoverResult::Loss => 2,
    }
}

impl Grid {
    /// Groups the observations that `selection` accepts.
    pub fn new(counts: &Counts, selection: &Selection) -> Self {
        // By value and move. Each row has room for all evaluations.
        let largest = selection.internal_max();
        let width = 2 * largest as usize + 1;
        let mut rows: Vec<Vec<[f64; 3]>> = Vec::new();
        for (key, count) in counts.iter() {
            if let Some(((value, number), internal)) = selection.place(key, largest) {
                let index = (value as usize) << 8 | number as usize;
                if rows.len() <= index {
                    rows.resize(index + 1, Vec::new());
                }
                if rows[index].is_empty() {
                    rows[index].resize(width, [0.0; 3]);
                }
                rows[index][(internal + largest) as usize][column(key.result())] += count as f64;
            }
        }
        let rows = rows
            .into_iter()
            .enumerate()
            .filter(|(_, cells)| !cells.is_empty())
            .map(|(index, cells)| {
                let seen = (-largest..)
                    .zip(cells)
                    .filter(|(_, cell)| cell.iter().sum::<f64>() > 0.0);
                let (evals, counts) = seen.unzip();
                Row {
                    value: (index >> 8) as u32,
                    number: (index & 0xff) as u32,
                    evals,
                    counts,
                }
            });
        Self {
            rows: rows.collect(),
        }
    }

    /// Returns the number of positions.
    pub fn total(&self) -> f64 {
        self.rows.iter().map(Row::total).sum()
    }

    /// Returns the number of positions won, drawn and lost.
    pub fn results(&self) -> [f64; 3] {
        let mut sums = [0.0; 3];
        for counts in self.rows.iter().flat_map(|row| &row.counts) {
            sums.iter_mut()
                .zip(counts)
                .for_each(|(sum, count)| *sum += count);
        }
        sums
    }
}
