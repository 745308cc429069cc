//! Checks a curve on data that it was not fitted to: published tables, and rows of games.

use std::{
    collections::BTreeMap,
    io::{self, BufRead, BufReader, Read},
};

use centipawn_core::{Context, Curve, CurveChoice, PlayerPair, Players, Pool};
use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};

use super::{
    HumanGame, HumanGames, HumanPosition, TimeClass, clustered::error_of_mean, likelihood::loss,
};

/// The result of a check, as a document: what a curve predicts beside what happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HumanCheck {
    /// The curve that was checked.
    pub curve: CurveChoice,
    /// What was found.
    pub result: Checked,
    /// The program, options and inputs behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
}

impl HumanCheck {
    /// A document without provenance.
    pub fn new(curve: CurveChoice, result: Checked) -> Self {
        Self {
            curve,
            result,
            provenance: None,
        }
    }
}

/// What a check found, by the kind of data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Checked {
    /// A table of cells.
    Cells(CellsCheck),
    /// Rows of games.
    Rows(RowsCheck),
}

/// A curve beside the cells of a published table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CellsCheck {
    /// The cells, in the order of the table.
    pub cells: Vec<CheckedCell>,
    /// How far the curve is off.
    pub misfit: Misfit,
}

/// A cell of a published table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CheckedCell {
    /// The name of the cell.
    pub cell: String,
    /// Number of games.
    pub games: u64,
    /// Published score of the leading side, 0..=1.
    pub observed: f64,
    /// Its published standard error.
    pub error: f64,
    /// Expected score of the leading side by the curve, 0..=1.
    pub expected: f64,
}

/// How far a curve is off in the cells of a table: expected minus observed score, in points of 100.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Misfit {
    /// The mean over the cells.
    pub mean: f64,
    /// The root of the mean square.
    pub rms: f64,
    /// The largest absolute value.
    pub worst: f64,
    /// The largest absolute value of the cells of at least 1,000 games; 0 if there are none.
    pub worst_large: f64,
}

/// A curve beside the results of games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RowsCheck {
    /// The loss on all games.
    #[serde(flatten)]
    pub all: LossCheck,
    /// The loss on the games of each pool.
    pub by_pool: Vec<PoolCheck>,
    /// Predicted and actual scores of the side that is at least half a pawn ahead, by rating, time
    /// class and material.
    pub reliability: Vec<ReliabilityCell>,
}

/// The loss of a curve on some games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LossCheck {
    /// Number of games.
    pub games: u64,
    /// Number of positions.
    pub positions: u64,
    /// Mean −ln p of the result of a position, with a draw as half a win and half a loss.
    pub log_loss: f64,
    /// The same if every position were predicted by White's mean score in these games.
    pub constant_log_loss: f64,
    /// Standard error of `log_loss`, by player and game.
    pub error: f64,
}

/// The loss of a curve on the games of a pool, with its reliability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PoolCheck {
    /// The pool.
    pub pool: Pool,
    /// The loss.
    #[serde(flatten)]
    pub loss: LossCheck,
    /// Predicted and actual scores of the side ahead, by rating, time class and material.
    pub reliability: Vec<ReliabilityCell>,
}

/// Predicted and actual score of the side ahead in the positions of one band.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ReliabilityCell {
    /// Mean ratings from this one on.
    pub rating_from: u32,
    /// Mean ratings below this one.
    pub rating_to: u32,
    /// The time class.
    pub time: TimeClass,
    /// Material of both sides from this on.
    pub material_from: u32,
    /// Material of both sides below this.
    pub material_to: u32,
    /// Number of games.
    pub games: u64,
    /// Number of positions.
    pub positions: u64,
    /// Mean predicted score, 0..=1.
    pub predicted: f64,
    /// Mean actual score, 0..=1.
    pub score: f64,
    /// Standard error of the difference of the two, by player and game.
    pub error: f64,
}

/// Bounds of the bands of ratings.
const RATINGS: [u32; 7] = [0, 1000, 1400, 1800, 2200, 2600, 5000];
/// Bounds of the bands of material.
const MATERIALS: [u32; 5] = [0, 20, 40, 60, 256];
/// Smallest evaluation in pawns with which a side is ahead.
const AHEAD: f64 = 0.5;
/// Cells of fewer games are noise, so that their largest deviation says nothing.
const LARGE: u64 = 1000;
/// Evaluations of a much longer search are worth less in games, by this factor (docs/people.md).
const DEEP: f64 = 0.92;
/// No cell expects more than this: published scores contain games that were lost on time.
const LARGEST_SCORE: f64 = 0.95;
/// Steps by which the evaluations of a cell are integrated.
const STEPS: u32 = 200;

/// A published table of cells.
///
/// Rows with the same name are the mixture of one cell, with weights that add up to 1. Within
/// `eval_min..eval_max` (pawns, the view of the leading side) the density of the evaluations falls
/// as `exp(−decay·x)`.
///
/// ```
/// use centipawn_calibrate::human::CheckCells;
/// use centipawn_core::{CurveChoice, Pool};
///
/// let table = "cell\tweight\trating\tseconds\teval_min\teval_max\tdecay\tmaterial\tgames\t\
///     score\terror\tdeep\n\
///     a lead\t1\t1600\t600\t2\t3\t0.3\t64\t1500\t0.66\t0.01\t0\n";
/// let cells = CheckCells::read(table.as_bytes())?;
/// let check = cells.check(&CurveChoice::human(), Pool::Lichess);
/// assert_eq!((check.cells[0].games, check.cells[0].observed), (1500, 0.66));
/// assert!((0.5..0.9).contains(&check.cells[0].expected));
/// # Ok::<_, centipawn_calibrate::human::CheckCellsError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CheckCells(Vec<CellRow>);

#[derive(Clone, Debug, PartialEq)]
struct CellRow {
    cell: String,
    pool: Option<Pool>,
    /// The numbers of [`NUMBERS`].
    numbers: [f64; NUMBERS.len()],
}

/// The columns of numbers, each with its least and its largest value.
const NUMBERS: [(&str, f64, f64); 11] = [
    ("weight", 0.0, 1.0),
    ("rating", 0.0, 5000.0),
    ("seconds", 1.0, 1e9),
    ("eval_min", 0.0, 1000.0),
    ("eval_max", 0.0, 1000.0),
    ("decay", -100.0, 100.0),
    ("material", 0.0, 256.0),
    ("games", 0.0, 1e15),
    ("score", 0.0, 1.0),
    ("error", 0.0, 1.0),
    ("deep", 0.0, 1.0),
];

/// Why a table of cells cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckCellsError {
    /// An I/O error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The header lacks this required column.
    #[error("line 1 must name the columns, separated by tabs; {0} is missing")]
    Column(&'static str),
    /// A value is not of the expected form.
    #[error("line {line}: {column} is {value:?}; it must be {wanted}")]
    Value {
        /// Number of the line, from 1.
        line: u64,
        /// The column.
        column: &'static str,
        /// The text in that column.
        value: String,
        /// The expected form.
        wanted: String,
    },
    /// The weights of a cell do not add up to 1.
    #[error("the weights of the cell {cell:?} add up to {sum}; they must add up to 1")]
    Weights {
        /// The cell.
        cell: String,
        /// The sum.
        sum: f64,
    },
    /// The table has no cells.
    #[error("the table has no cells")]
    Empty,
}

/// Largest length of a line, in bytes. A longer line is refused.
const LONGEST: u64 = 10_000;

impl CheckCells {
    /// Whether a table with this header has cells rather than rows of games.
    pub fn is_header(line: &str) -> bool {
        line.trim_end().split('\t').any(|name| name == "cell")
    }

    /// Reads a table. Columns may have any order; those with other names are ignored. A column
    /// `pool` names the pool of each row.
    ///
    /// # Errors
    ///
    /// [`CheckCellsError`], with the line and the problem.
    pub fn read(input: impl Read) -> Result<Self, CheckCellsError> {
        let mut input = BufReader::new(input);
        let (mut bytes, mut header) = (Vec::new(), Vec::new());
        let mut rows = Vec::new();
        for line in 1.. {
            bytes.clear();
            if (&mut input).take(LONGEST).read_until(b'\n', &mut bytes)? == 0 {
                break;
            }
            let text = String::from_utf8_lossy(&bytes);
            let text = text
                .trim_start_matches('\u{feff}')
                .trim_end_matches(['\r', '\n']);
            let values: Vec<&str> = text.split('\t').map(str::trim).collect();
            if line == 1 {
                header = values.into_iter().map(str::to_owned).collect();
                let missing = ["cell"]
                    .into_iter()
                    .chain(NUMBERS.map(|(name, ..)| name))
                    .find(|name| !header.iter().any(|own| own == name));
                if let Some(name) = missing {
                    return Err(CheckCellsError::Column(name));
                }
                continue;
            }
            if text.is_empty() {
                continue;
            }
            let value = |name: &str| {
                let place = header.iter().position(|own| own == name)?;
                values.get(place).copied().filter(|value| !value.is_empty())
            };
            let wrong = |column, wanted: String| CheckCellsError::Value {
                line,
                column,
                value: value(column).unwrap_or_default().chars().take(40).collect(),
                wanted,
            };
            let mut numbers = [0.0; NUMBERS.len()];
            for (number, (name, least, most)) in numbers.iter_mut().zip(NUMBERS) {
                *number = value(name)
                    .and_then(|value| value.parse().ok())
                    .filter(|number| (least..=most).contains(number))
                    .ok_or_else(|| wrong(name, format!("a number from {least} to {most}")))?;
            }
            let pool = value("pool")
                .map(str::parse)
                .transpose()
                .map_err(|_| wrong("pool", "the name of a pool".to_owned()))?;
            rows.push(CellRow {
                cell: value("cell")
                    .ok_or_else(|| wrong("cell", "a name".to_owned()))?
                    .to_owned(),
                pool,
                numbers,
            });
        }
        let cells = Self(rows);
        for (cell, rows) in cells.by_name() {
            let sum: f64 = rows.iter().map(|row| row.numbers[0]).sum();
            if (sum - 1.0).abs() > 0.01 {
                return Err(CheckCellsError::Weights {
                    cell: cell.to_owned(),
                    sum,
                });
            }
        }
        if cells.0.is_empty() {
            Err(CheckCellsError::Empty)
        } else {
            Ok(cells)
        }
    }

    /// The rows of each cell, in the order of the table.
    fn by_name(&self) -> Vec<(&str, Vec<&CellRow>)> {
        let mut places = BTreeMap::new();
        let mut cells: Vec<(&str, Vec<&CellRow>)> = Vec::new();
        for row in &self.0 {
            let place = *places.entry(row.cell.as_str()).or_insert_with(|| {
                cells.push((&row.cell, Vec::new()));
                cells.len() - 1
            });
            cells[place].1.push(row);
        }
        cells
    }

    /// What a curve expects in each cell. `pool` is that of rows that name none.
    pub fn check(&self, curve: &CurveChoice, pool: Pool) -> CellsCheck {
        let cells = self.by_name().into_iter().map(|(cell, rows)| {
            let [.., games, observed, error, _] = rows[0].numbers;
            let expected = rows
                .iter()
                .map(|row| row.numbers[0] * row.expected(curve, pool));
            CheckedCell {
                cell: cell.to_owned(),
                games: games as u64,
                observed,
                error,
                expected: expected.sum(),
            }
        });
        let cells: Vec<CheckedCell> = cells.collect();
        let misfit = Misfit::of(&cells);
        CellsCheck { cells, misfit }
    }
}

impl CellRow {
    /// The expected score of the leading side, over the evaluations of the row.
    fn expected(&self, choice: &CurveChoice, pool: Pool) -> f64 {
        let [_, rating, seconds, least, most, decay, material, .., deep] = self.numbers;
        let players = Players {
            are_people: true,
            rating: Some(rating),
            seconds: Some(seconds),
            pool: self.pool.unwrap_or(pool),
        };
        let curve = choice.curve(&players, Curve::default(), 1.0);
        let context = Context {
            material: material.round() as u32,
            ..Context::default()
        };
        let scale = if deep == 1.0 { DEEP } else { 1.0 };
        let (mut sum, mut weights) = (0.0, 0.0);
        for step in 0..=STEPS {
            let x = least + (most - least) * f64::from(step) / f64::from(STEPS);
            // Relative to the lower end, so that a steep fall does not vanish; the ends count half.
            let end = if step == 0 || step == STEPS { 0.5 } else { 1.0 };
            let weight = end * (-decay * (x - least)).exp();
            sum += weight * curve.at(scale * x, context).min(LARGEST_SCORE);
            weights += weight;
        }
        sum / weights
    }
}

impl Misfit {
    fn of(cells: &[CheckedCell]) -> Self {
        let points = |cell: &CheckedCell| 100.0 * (cell.expected - cell.observed);
        let count = cells.len().max(1) as f64;
        let worst = |least: u64| {
            cells
                .iter()
                .filter(|cell| cell.games >= least)
                .map(|cell| points(cell).abs())
                .fold(0.0, f64::max)
        };
        Self {
            mean: cells.iter().map(points).sum::<f64>() / count,
            rms: (cells.iter().map(|cell| points(cell).powi(2)).sum::<f64>() / count).sqrt(),
            worst: worst(0),
            worst_large: worst(LARGE),
        }
    }
}

impl RowsCheck {
    /// What a curve expects in these games.
    pub fn new(games: &HumanGames, curve: &CurveChoice) -> Self {
        let games: Vec<&HumanGame> = games.kept().collect();
        let scores: Vec<Vec<f64>> = games
            .iter()
            .map(|game| {
                let own = game.positions.iter();
                own.map(|position| expected(curve, game, position))
                    .collect()
            })
            .collect();
        let all: Vec<usize> = (0..games.len()).collect();
        let by_pool = Pool::ALL.into_iter().filter_map(|pool| {
            let own: Vec<usize> = all
                .iter()
                .copied()
                .filter(|&index| games[index].pool == pool)
                .collect();
            (!own.is_empty()).then(|| PoolCheck {
                pool,
                loss: loss_of(&games, &scores, &own),
                reliability: reliability(&games, &scores, &own),
            })
        });
        Self {
            by_pool: by_pool.collect(),
            all: loss_of(&games, &scores, &all),
            reliability: reliability(&games, &scores, &all),
        }
    }
}

/// White's expected score in a position. A curve file may have its own rating, time or pool.
fn expected(choice: &CurveChoice, game: &HumanGame, position: &HumanPosition) -> f64 {
    let players = Players {
        are_people: true,
        rating: Some(game.rating()),
        seconds: Some(game.seconds),
        pool: game.pool,
    };
    match choice.curve(&players, Curve::default(), 1.0) {
        Curve::Human(curve) => {
            let half = game.difference() / 2.0;
            let own = PlayerPair {
                ratings: [curve.rating + half, curve.rating - half],
                seconds: curve.seconds,
                clocks: None,
                pool: curve.pool,
            };
            let odds = curve
                .model
                .odds(position.eval(), curve.units, position.context(), &own);
            odds.expected_score
        }
        curve => position.score_by(&curve),
    }
}

/// The loss on the games with these indices.
fn loss_of(games: &[&HumanGame], scores: &[Vec<f64>], own: &[usize]) -> LossCheck {
    let chosen: Vec<&HumanGame> = own.iter().map(|&index| games[index]).collect();
    let positions: u64 = chosen.iter().map(|game| game.positions.len() as u64).sum();
    let count = positions.max(1) as f64;
    let sums: Vec<f64> = own
        .iter()
        .map(|&index| {
            let game = games[index];
            scores[index]
                .iter()
                .map(|score| loss(game.score(), *score))
                .sum()
        })
        .collect();
    let log_loss = sums.iter().sum::<f64>() / count;
    let mean = chosen
        .iter()
        .map(|game| game.positions.len() as f64 * game.score())
        .sum::<f64>()
        / count;
    let apart: Vec<f64> = chosen
        .iter()
        .zip(&sums)
        .map(|(game, sum)| sum - log_loss * game.positions.len() as f64)
        .collect();
    LossCheck {
        games: chosen.len() as u64,
        positions,
        log_loss,
        constant_log_loss: if positions == 0 {
            0.0
        } else {
            loss(mean, mean)
        },
        error: error_of_mean(&chosen, &apart, positions),
    }
}

/// The bands of rating, time class and material that occur in the games with these indices.
fn reliability(games: &[&HumanGame], scores: &[Vec<f64>], own: &[usize]) -> Vec<ReliabilityCell> {
    type Sums = BTreeMap<usize, [f64; 3]>;
    let mut cells: BTreeMap<(usize, TimeClass, usize), Sums> = BTreeMap::new();
    let band = |bounds: &[u32], value: f64| {
        let above = bounds.partition_point(|bound| f64::from(*bound) <= value);
        above.clamp(1, bounds.len() - 1) - 1
    };
    for &index in own {
        let game = games[index];
        for (position, score) in game.positions.iter().zip(&scores[index]) {
            let sign = if position.mate == 0 {
                position.pawns()
            } else {
                f64::from(position.mate)
            };
            let (Some(material), true) = (position.material, sign.abs() >= AHEAD) else {
                continue;
            };
            let place = (
                band(&RATINGS, game.rating()),
                TimeClass::of(game.seconds),
                band(&MATERIALS, material.into()),
            );
            let [predicted, actual, count] =
                cells.entry(place).or_default().entry(index).or_default();
            let ahead = |score: f64| if sign > 0.0 { score } else { 1.0 - score };
            *predicted += ahead(*score);
            *actual += ahead(game.score());
            *count += 1.0;
        }
    }
    let cell = |((rating, time, material), sums): ((usize, TimeClass, usize), Sums)| {
        let total = |place: usize| sums.values().map(|own| own[place]).sum::<f64>();
        let count = total(2);
        let (predicted, score) = (total(0) / count, total(1) / count);
        let chosen: Vec<&HumanGame> = sums.keys().map(|&index| games[index]).collect();
        let apart: Vec<f64> = sums
            .values()
            .map(|[predicted_sum, actual, own]| {
                (actual - predicted_sum) - own * (score - predicted)
            })
            .collect();
        ReliabilityCell {
            rating_from: RATINGS[rating],
            rating_to: RATINGS[rating + 1],
            time,
            material_from: MATERIALS[material],
            material_to: MATERIALS[material + 1],
            games: chosen.len() as u64,
            positions: count as u64,
            predicted,
            score,
            error: error_of_mean(&chosen, &apart, count as u64),
        }
    };
    cells.into_iter().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::{HumanCountOptions, HumanRows};

    const HEADER: &str = "cell\tweight\trating\tseconds\teval_min\teval_max\tdecay\t\
         material\tgames\tscore\terror\tdeep\n";

    #[test]
    fn a_cell_is_the_mixture_of_its_rows() {
        let row = |cell: &str, weight: f64, rating: f64| {
            format!("{cell}\t{weight}\t{rating}\t600\t2\t3\t0.2\t58\t2000\t0.7\t0.01\t0\n")
        };
        let read = |text: String| CheckCells::read(text.as_bytes());
        let of = |text: String| {
            let check = read(format!("{HEADER}{text}")).unwrap();
            check.check(&CurveChoice::human(), Pool::Unknown)
        };
        let [weak, strong] =
            [1200.0, 2200.0].map(|rating| of(row("a", 1.0, rating)).cells[0].expected);
        let mixed = of(row("a", 0.25, 1200.0) + &row("b", 1.0, 1200.0) + &row("a", 0.75, 2200.0));
        assert_eq!(mixed.cells.len(), 2);
        assert!((mixed.cells[0].expected - (0.25 * weak + 0.75 * strong)).abs() < 1e-12);
        let points = [mixed.cells[0].expected - 0.7, weak - 0.7].map(|own| 100.0 * own);
        assert!((mixed.misfit.mean - (points[0] + points[1]) / 2.0).abs() < 1e-9);
        assert_eq!(mixed.misfit.worst, mixed.misfit.worst_large);
        let error = read(format!("{HEADER}{}", row("a", 0.5, 1200.0))).unwrap_err();
        assert!(error.to_string().contains("add up to 0.5"), "{error}");
    }

    #[test]
    fn bad_tables_are_refused_with_their_line() {
        let read = |text: &str| CheckCells::read(text.as_bytes()).unwrap_err().to_string();
        assert!(read("cell\tweight\n").contains("rating is missing"));
        assert!(read(HEADER).contains("no cells"));
        let bad = format!("{HEADER}a\t1\t1200\t600\t2\t3\t0.2\t58\t2000\t7\t0.01\t0\n");
        assert_eq!(
            read(&bad),
            "line 2: score is \"7\"; it must be a number from 0 to 1"
        );
    }

    #[test]
    fn rows_are_checked_by_pool_and_band() {
        let mut table =
            "game\tcp\twhite_elo\tblack_elo\tresult\tseconds\tmaterial\tpool\n".to_owned();
        for number in 1..=40 {
            let (result, pool) = (u8::from(number % 4 != 0), ["lichess", "fics"][number % 2]);
            table += &format!("{number}\t100\t1800\t1800\t{result}\t600\t58\t{pool}\n");
        }
        let games = HumanRows::read(table.as_bytes())
            .unwrap()
            .games(&HumanCountOptions::default());
        let check = RowsCheck::new(&games, &CurveChoice::human());
        assert_eq!(
            (
                check.all.games,
                check.by_pool.len(),
                check.reliability.len()
            ),
            (40, 2, 1)
        );
        let cell = check.reliability[0];
        assert_eq!(
            (cell.rating_from, cell.rating_to, cell.score),
            (1800, 2200, 0.75)
        );
        let constant = -(0.75 * 0.75_f64.ln() + 0.25 * 0.25_f64.ln());
        assert!((check.all.constant_log_loss - constant).abs() < 1e-12);
        assert!(check.all.log_loss > constant && check.all.log_loss < 0.7);
    }
}
