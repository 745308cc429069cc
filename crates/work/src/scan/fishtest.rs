//! Which games of fishtest count: the rules behind the filters of `wdl count`.

use std::str::FromStr;

use centipawn_calibrate::wdl::{BadPattern, FileFilter, Pattern};
use serde::{Deserialize, Serialize};

use super::{StockfishRevisions, WdlRunOptions};

/// Filters of fishtest's tests by their metadata, and of evaluations by the engine's name, as the
/// user gave them.
///
/// An empty text counts as not given, for scripts that fill in the filters.
///
/// ```
/// use centipawn_work::scan::FishtestFilter;
///
/// let filter = FishtestFilter { elo_diff_max: Some("5".to_owned()), ..FishtestFilter::default() };
/// let (files, engine) = filter.resolve()?;
/// assert_eq!((files.elo, engine), (Some((-5.0, 5.0)), None));
///
/// // As in fishtest's tools, an engine's name contains its commit.
/// let filter = FishtestFilter { match_rev: Some("5f2b.*".to_owned()), ..FishtestFilter::default() };
/// let (files, engine) = filter.resolve()?;
/// assert_eq!(files.rev, engine);
/// # Ok::<_, centipawn_work::scan::FishtestFilterError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FishtestFilter {
    /// Regular expression of the commit of either engine.
    pub match_rev: Option<String>,
    /// Regular expression of the name of the engine that evaluates; by default `match_rev`.
    pub match_engine: Option<String>,
    /// Regular expression of the time control, which is the same for both engines.
    pub match_tc: Option<String>,
    /// Number of threads of each engine.
    pub match_threads: Option<String>,
    /// Regular expression of the opening book.
    pub match_book: Option<String>,
    /// Whether to select the tests whose book does not match `match_book`.
    pub match_book_invert: bool,
    /// The largest normalised Elo difference.
    pub elo_diff_max: Option<String>,
    /// The smallest normalised Elo difference; by default minus the largest one, since a lopsided
    /// range biases a model.
    pub elo_diff_min: Option<String>,
    /// Whether to use sequential tests only.
    pub sprt_only: bool,
}

/// The reason why filters have no meaning.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FishtestFilterError {
    /// A regular expression is invalid.
    #[error("option `{option}`: {error}")]
    Pattern {
        /// Name of the option that holds the filter.
        option: &'static str,
        /// The underlying error.
        error: BadPattern,
    },
    /// The text is no number, or not of the required kind.
    #[error("option `{option}`: {text:?} is not a number of this kind")]
    Number {
        /// Name of the option that holds the filter.
        option: &'static str,
        /// The given text.
        text: String,
    },
    /// The range of Elo differences is empty.
    #[error("option `elo_diff_min` must be a number not above option `elo_diff_max`")]
    EmptyRange,
    /// `match_rev` was given although the revisions come from a checkout.
    #[error(
        "option `match_rev`: the revisions are those of option `stockfish`; give option `first` and \
         option `last`"
    )]
    RevisionsGiven,
}

impl FishtestFilter {
    /// Returns the filter of files, and the pattern of the names of engines whose evaluations
    /// count; `None` for all engines.
    ///
    /// # Errors
    ///
    /// [`FishtestFilterError`].
    pub fn resolve(&self) -> Result<(FileFilter, Option<Pattern>), FishtestFilterError> {
        let low: Option<f64> = number("elo_diff_min", &self.elo_diff_min)?;
        let high: Option<f64> = number("elo_diff_max", &self.elo_diff_max)?;
        let elo = (low.is_some() || high.is_some()).then(|| {
            let high = high.unwrap_or(f64::INFINITY);
            (low.unwrap_or(-high), high)
        });
        if elo.is_some_and(|(low, high)| low.is_nan() || high.is_nan() || low > high) {
            return Err(FishtestFilterError::EmptyRange);
        }
        let rev = pattern("match_rev", &self.match_rev)?;
        // An empty name of an engine means all engines, even if a commit is given.
        let engine = match &self.match_engine {
            Some(_) => pattern("match_engine", &self.match_engine)?,
            None => rev.clone(),
        };
        let files = FileFilter {
            rev,
            tc: pattern("match_tc", &self.match_tc)?,
            threads: number("match_threads", &self.match_threads)?,
            book: pattern("match_book", &self.match_book)?,
            book_invert: self.match_book_invert,
            elo,
            sprt_only: self.sprt_only,
        };
        Ok((files, engine))
    }

    /// Returns the same filters, completed by those of the weekly update of Stockfish's model.
    ///
    /// # Errors
    ///
    /// [`FishtestFilterError::RevisionsGiven`].
    pub fn of_update(&self) -> Result<Self, FishtestFilterError> {
        if self.match_rev.is_some() {
            return Err(FishtestFilterError::RevisionsGiven);
        }
        let or = |given: &Option<String>, usual: &str| {
            Some(given.clone().unwrap_or_else(|| usual.to_owned()))
        };
        Ok(Self {
            match_tc: or(&self.match_tc, r"60\+0.6"),
            match_threads: or(&self.match_threads, "1"),
            match_book: or(&self.match_book, "UHO_Lichess_4852_v..epd"),
            elo_diff_max: or(&self.elo_diff_max, "5"),
            ..self.clone()
        })
    }

    /// Returns whether a filter selects the evaluations of some engines.
    pub fn selects_engine(&self) -> bool {
        self.match_engine.is_some() || self.match_rev.is_some()
    }
}

impl WdlRunOptions {
    /// Makes these the options of a run on the games of `revisions`, whose model the new one may
    /// replace. Unless an engine is selected, only evaluations by the revisions' engines count.
    ///
    /// # Errors
    ///
    /// [`BadPattern`]: there are too many revisions for one pattern.
    pub fn of_revisions(
        mut self,
        revisions: StockfishRevisions,
        least_change: u32,
    ) -> Result<Self, BadPattern> {
        let pattern = revisions.pattern()?;
        self.count
            .options
            .engine
            .get_or_insert_with(|| pattern.clone());
        self.selection.files.rev = Some(pattern);
        self.revisions = Some(revisions);
        self.least_change = Some(least_change);
        Ok(self)
    }
}

fn pattern(
    option: &'static str,
    text: &Option<String>,
) -> Result<Option<Pattern>, FishtestFilterError> {
    let text = text.as_deref().filter(|text| !text.is_empty());
    text.map(|text| {
        text.parse()
            .map_err(|error| FishtestFilterError::Pattern { option, error })
    })
    .transpose()
}

fn number<T: FromStr>(
    option: &'static str,
    text: &Option<String>,
) -> Result<Option<T>, FishtestFilterError> {
    let text = text.as_deref().filter(|text| !text.is_empty());
    let bad = |text: &str| FishtestFilterError::Number {
        option,
        text: text.to_owned(),
    };
    text.map(|text| text.parse().map_err(|_| bad(text)))
        .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elo(low: &str, high: &str) -> Result<Option<(f64, f64)>, String> {
        let given = |text: &str| Some(text.to_owned());
        let filter = FishtestFilter {
            elo_diff_min: given(low),
            elo_diff_max: given(high),
            ..FishtestFilter::default()
        };
        filter
            .resolve()
            .map(|(files, _)| files.elo)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_missing_end_is_open_or_symmetric() {
        assert_eq!(elo("", ""), Ok(None));
        assert_eq!(elo("", "5"), Ok(Some((-5.0, 5.0))));
        assert_eq!(elo("3", ""), Ok(Some((3.0, f64::INFINITY))));
        assert_eq!(elo("-inf", "5"), Ok(Some((f64::NEG_INFINITY, 5.0))));
        for (low, high) in [("3", "1"), ("nan", "1"), ("", "-1")] {
            assert!(
                elo(low, high)
                    .unwrap_err()
                    .starts_with("option `elo_diff_min`"),
                "{low} to {high}"
            );
        }
        assert!(elo("x", "1").unwrap_err().contains("\"x\" is not a number"));
    }

    #[test]
    fn an_empty_engine_means_all_engines() {
        let rev = Some("5f2b".to_owned());
        let engine = |engine: Option<&str>| {
            let match_engine = engine.map(str::to_owned);
            FishtestFilter {
                match_rev: rev.clone(),
                match_engine,
                ..FishtestFilter::default()
            }
            .resolve()
            .unwrap()
            .1
        };
        assert_eq!(engine(Some("")), None);
        assert_eq!(engine(None), "5f2b".parse().ok());
        assert_eq!(engine(Some("Stockfish.*")), "Stockfish.*".parse().ok());
    }

    #[test]
    fn an_update_has_defaults_for_all_but_the_revisions() {
        let given = FishtestFilter {
            elo_diff_max: Some("7".to_owned()),
            ..FishtestFilter::default()
        };
        let filter = given.of_update().unwrap();
        assert_eq!(filter.match_threads.as_deref(), Some("1"));
        assert_eq!(filter.elo_diff_max.as_deref(), Some("7"));
        let with_rev = FishtestFilter {
            match_rev: Some("x".to_owned()),
            ..given
        };
        assert!(with_rev.of_update().is_err());
    }
}
