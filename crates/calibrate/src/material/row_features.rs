//! Features of rows besides the pieces: the structure of positions, and the reader's own features
//! from a file.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    io::{self, BufRead, BufReader, Read},
};

use serde::{Deserialize, Serialize};

use super::{Collection, Feature, Method, Row, structure::Structure};

/// The features of a collection's rows besides the pieces. [`Row::features`] is the place of a row.
///
/// [`Row::features`]: super::Row
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct RowFeatures {
    /// The structure at each place; empty if it was not collected.
    pub(super) structure: Vec<Structure>,
    /// The reader's own features.
    pub(super) names: Vec<OwnName>,
    /// Their values at each place, place by place; NaN if the file has no such row.
    pub(super) own: Vec<f32>,
}

impl RowFeatures {
    /// Returns whether there are no features.
    pub(super) fn is_empty(&self) -> bool {
        self.structure.is_empty() && self.names.is_empty()
    }

    /// Returns whether every row has its place.
    pub(super) fn are_of(&self, rows: &[Row]) -> bool {
        let is_within = |places: usize| rows.iter().all(|row| (row.features as usize) < places);
        (self.structure.is_empty() || is_within(self.structure.len()))
            && (self.names.is_empty() || is_within(self.own.len() / self.names.len()))
    }

    /// Returns the values of the reader's own features at a place; `None` if they are missing.
    pub(super) fn own_at(&self, place: u32) -> Option<&[f32]> {
        let begin = place as usize * self.names.len();
        let values = self.own.get(begin..begin + self.names.len())?;
        values.iter().all(|value| !value.is_nan()).then_some(values)
    }

    /// Returns the features of these places, in this order.
    pub(super) fn reordered(&self, places: impl Iterator<Item = u32> + Clone) -> Self {
        let structure = places
            .clone()
            .filter_map(|place| self.structure.get(place as usize).copied());
        let width = self.names.len();
        let own = places.flat_map(|place| {
            let begin = place as usize * width;
            self.own.get(begin..begin + width).unwrap_or_default()
        });
        Self {
            structure: structure.collect(),
            own: own.copied().collect(),
            names: self.names.clone(),
        }
    }
}

/// The longest name of a feature, in bytes.
const LONGEST: usize = 31;

/// The name of a reader's own feature: at most 31 letters, digits, `-`, `_` and `.`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OwnName {
    bytes: [u8; LONGEST],
    length: u8,
}

impl OwnName {
    /// Returns the name; `None` if it is empty, too long, or has other characters.
    pub fn new(name: &str) -> Option<Self> {
        let is_allowed =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        let mut bytes = [0; LONGEST];
        let place = bytes.get_mut(..name.len())?;
        place.copy_from_slice(name.as_bytes());
        let is_name = !name.is_empty() && name.as_bytes().iter().all(is_allowed);
        is_name.then_some(Self {
            bytes,
            length: name.len() as u8,
        })
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl fmt::Debug for OwnName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl TryFrom<String> for OwnName {
    type Error = &'static str;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::new(&name).ok_or("this is no name of a feature")
    }
}

impl From<OwnName> for String {
    fn from(name: OwnName) -> Self {
        name.as_str().to_owned()
    }
}

/// The reader's own features of rows, from a table with a header.
///
/// The columns `game` and `ply` say to which row of a file of rows (.tsv, .csv) a line belongs. The
/// other columns are features, except those of a file of rows itself, so that such a file with
/// further columns is a table of features, too.
#[derive(Clone, Debug, Default)]
pub struct OwnFeatures {
    names: Vec<OwnName>,
    /// The values of each game and ply.
    values: HashMap<(u64, u16), Vec<f32>>,
}

/// How a table of features matches the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Matched {
    /// Number of rows without a line in the table; they are left out.
    pub without: u64,
    /// Number of lines of the table without a row.
    pub unused: u64,
}

/// The columns of a file of rows, which are no features.
const OF_ROWS: [&str; 8] = [
    "game", "ply", "pawn", "knight", "bishop", "rook", "queen", "result",
];
/// The most features of a table. The cost of a fit grows with the square of their number.
const MOST_FEATURES: usize = 100;
/// The longest line of a table, in bytes.
const LONGEST_LINE: u64 = 10_000;

/// Why a table of features cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FeaturesError {
    /// An I/O error.
    #[error("cannot read the features")]
    Io(#[from] io::Error),
    /// The header does not name the columns.
    #[error(
        "line 1 must name the columns, separated by tabs or commas: game, ply, and at least one \
         feature, as in game,ply,my-feature"
    )]
    Header,
    /// A column has no usable name.
    #[error(
        "line 1: {name:?} cannot name a feature: a name has at most {LONGEST} letters, digits, \
         hyphens, underscores and dots, occurs once, and is not that of a piece or term"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// There are too many features.
    #[error("line 1 names {found} features, and at most {MOST_FEATURES} can be estimated together")]
    TooMany {
        /// Number of features.
        found: usize,
    },
    /// A line does not have a number for each column.
    #[error(
        "line {line} is not a game, a ply and a number for each of the other columns: {text:?}"
    )]
    Line {
        /// Number of the line, from 1.
        line: u64,
        /// The text of the line.
        text: String,
    },
    /// Two lines are about the same row.
    #[error("line {line}: game {game} has ply {ply} in an earlier line, too")]
    Twice {
        /// Number of the line, from 1.
        line: u64,
        /// Number of the game.
        game: u64,
        /// The ply.
        ply: u16,
    },
}

impl OwnFeatures {
    /// Reads a table.
    ///
    /// # Errors
    ///
    /// [`FeaturesError`], with the line and the problem.
    ///
    /// ```
    /// use centipawn_calibrate::material::OwnFeatures;
    ///
    /// let features = OwnFeatures::read("game,ply,my-feature\n1,2,0.5\n1,31,-1\n".as_bytes())?;
    /// assert_eq!(features.names().collect::<Vec<_>>(), ["my-feature"]);
    /// # Ok::<_, centipawn_calibrate::material::FeaturesError>(())
    /// ```
    pub fn read(input: impl Read) -> Result<Self, FeaturesError> {
        let mut input = BufReader::new(input);
        let mut line = Vec::new();
        let mut next = |line: &mut Vec<u8>| -> io::Result<bool> {
            line.clear();
            Ok((&mut input).take(LONGEST_LINE).read_until(b'\n', line)? > 0)
        };
        next(&mut line)?;
        let header = str::from_utf8(&line).map_err(|_| FeaturesError::Header)?;
        let columns = Columns::of(header)?;
        let mut features = Self {
            names: columns.names.clone(),
            values: HashMap::new(),
        };
        for number in 2.. {
            if !next(&mut line)? {
                break;
            }
            let text = line.trim_ascii();
            if text.is_empty() {
                continue;
            }
            let (game, ply, values) = columns.read(text).ok_or_else(|| FeaturesError::Line {
                line: number,
                text: String::from_utf8_lossy(text).chars().take(200).collect(),
            })?;
            if features.values.insert((game, ply), values).is_some() {
                return Err(FeaturesError::Twice {
                    line: number,
                    game,
                    ply,
                });
            }
        }
        Ok(features)
    }

    /// Returns the names of the features.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(OwnName::as_str)
    }
}

/// The columns of a table.
struct Columns {
    separator: char,
    game: usize,
    ply: usize,
    names: Vec<OwnName>,
    /// The columns of the features.
    places: Vec<usize>,
    count: usize,
}

impl Columns {
    fn of(header: &str) -> Result<Self, FeaturesError> {
        let header = header.trim_start_matches('\u{feff}').trim_end();
        let separator = if header.contains('\t') { '\t' } else { ',' };
        let columns: Vec<&str> = header.split(separator).map(str::trim).collect();
        let place = |name: &str| {
            let found = columns.iter().position(|column| *column == name);
            found.ok_or(FeaturesError::Header)
        };
        let (game, ply) = (place("game")?, place("ply")?);
        let is_feature = |column: &&&str| !OF_ROWS.contains(column);
        let mut seen = HashSet::new();
        let name = |column: &&str| {
            let name = OwnName::new(column)
                .filter(|_| !Feature::is_known(column))
                .filter(|name| seen.insert(*name));
            name.ok_or_else(|| FeaturesError::Name {
                name: (*column).to_owned(),
            })
        };
        let names = columns
            .iter()
            .filter(is_feature)
            .map(name)
            .collect::<Result<Vec<_>, _>>()?;
        let places = (0..columns.len())
            .filter(|place| is_feature(&&columns[*place]))
            .collect();
        match names.len() {
            0 => Err(FeaturesError::Header),
            found if found > MOST_FEATURES => Err(FeaturesError::TooMany { found }),
            _ => Ok(Self {
                separator,
                game,
                ply,
                names,
                places,
                count: columns.len(),
            }),
        }
    }

    fn read(&self, text: &[u8]) -> Option<(u64, u16, Vec<f32>)> {
        let text = str::from_utf8(text).ok()?;
        let cells: Vec<&str> = text.split(self.separator).map(str::trim).collect();
        let values = self.places.iter().map(|place| {
            let value: f32 = cells.get(*place)?.parse().ok()?;
            // Adding 0 makes −0 equal to 0.
            value.is_finite().then_some(value + 0.0)
        });
        let values = values.collect::<Option<Vec<_>>>()?;
        let game = cells.get(self.game)?.parse().ok()?;
        let ply = cells.get(self.ply)?.parse().ok()?;
        (cells.len() == self.count).then_some((game, ply, values))
    }
}

impl Collection {
    /// Adds the reader's own features to the rows. Games are numbered as
    /// [`write_rows`](Self::write_rows) numbers the games that the method counts. Rows without a
    /// line in the table have no features, so no model uses them.
    pub fn add_features(&mut self, features: &OwnFeatures, method: Method) -> Matched {
        let width = features.names.len();
        self.features.names.clone_from(&features.names);
        self.features.own = Vec::with_capacity(width * self.rows.len());
        let has_result = |is_unfinished: bool| method == Method::Classic || !is_unfinished;
        let (mut number, mut begin, mut used, mut without) = (0, 0, 0, 0);
        for game in &self.games {
            let counts = has_result(game.is_unfinished);
            number += u64::from(counts);
            // A file of rows has its own numbers.
            let number = if self.is_bare { game.place.1 } else { number };
            for row in &mut self.rows[begin..game.end] {
                // Rows of files have no place yet.
                row.features = (self.features.own.len() / width) as u32;
                match features.values.get(&(number, row.ply)).filter(|_| counts) {
                    Some(values) => {
                        self.features.own.extend_from_slice(values);
                        used += 1;
                    }
                    None => {
                        self.features
                            .own
                            .resize(self.features.own.len() + width, f32::NAN);
                        without += u64::from(counts);
                    }
                }
            }
            begin = game.end;
        }
        Matched {
            without,
            unused: (features.values.len() as u64).saturating_sub(used),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_features_are_read() {
        let names = |text: &str| {
            OwnFeatures::read(text.as_bytes())
                .map(|features| features.names().map(str::to_owned).collect::<Vec<_>>())
        };
        assert_eq!(names("game,ply,a,b.c\n").unwrap(), ["a", "b.c"]);
        assert_eq!(
            names("\u{feff}ply\tmine\tgame\tresult\r\n3\t-0.5\t1\t2\r\n\r\n").unwrap(),
            ["mine"]
        );
        for text in [
            "",
            "1,2,3\n",
            "game,ply\n",
            "game,a\n1,2\n",
            "game,ply,a,a\n",
            "game,ply,tempo\n",
            "game,ply,a b\n",
            "game,ply,a\n1,2\n",
            "game,ply,a\n1,2,3,4\n",
            "game,ply,a\n1,2,NaN\n",
            "game,ply,a\n1,2,inf\n",
            "game,ply,a\n1,70000,1\n",
            "game,ply,a\n1,2,1\n1,2,1\n",
        ] {
            assert!(names(text).is_err(), "{text:?}");
        }
        let many: String = (0..101).map(|index| format!(",f{index}")).collect();
        assert!(matches!(
            names(&format!("game,ply{many}\n")),
            Err(FeaturesError::TooMany { found: 101 })
        ));
        assert!(OwnName::new(&"x".repeat(31)).is_some());
        assert!(OwnName::new(&"x".repeat(32)).is_none());
    }
}
