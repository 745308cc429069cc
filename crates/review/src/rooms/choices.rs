//! What requests may choose, and how they name it: limits, lines, curves and schemes.

use std::ops::RangeInclusive;

use centipawn_core::{Curve, CurveChoice, HumanModel, SchemeChoice};
use centipawn_engine::Limit;
use centipawn_judge::JudgeOptions;
use centipawn_pgn::{BadTimeControl, Dialect, TimeControl};
use centipawn_policy::Network;

use super::{ErrorDocument, JudgeRequest, ReviewOptionsRequest};
use crate::{Language, ReviewOptions};

/// Allowed ratings, as on the command line.
const RATINGS: RangeInclusive<f64> = 100.0..=4000.0;

/// The defaults of requests, and the values that they may choose.
///
/// ```
/// use centipawn_engine::Limit;
/// use centipawn_review::{ReviewOptions, rooms::Choices};
///
/// let review = ReviewOptions::new(Limit::Nodes(100_000));
/// let choices = Choices { review: &review, nodes: 1_000_000, depth: 30, lines: 5, own: Vec::new() };
/// assert_eq!(choices.limit(None)?, Limit::Nodes(100_000));
/// assert!(choices.limit(Some("2M nodes")).is_err());
/// assert!(choices.curve(Some("lichess"), None)?.is_some());
/// # Ok::<_, centipawn_review::rooms::ErrorDocument>(())
/// ```
#[derive(Clone, Debug)]
pub struct Choices<'a> {
    /// The default options of a review.
    pub review: &'a ReviewOptions,
    /// Maximum number of nodes of a question.
    pub nodes: u64,
    /// Maximum depth of a question in plies.
    pub depth: u32,
    /// Maximum number of lines of a question.
    pub lines: usize,
    /// Curves by name that may be named beside the built-in ones. A built-in curve of the same name
    /// has priority.
    pub own: Vec<(&'a str, CurveChoice)>,
}

impl ErrorDocument {
    /// Creates the answer to a request that is refused, with what the user can do.
    // Callers pass texts and errors of many types by value.
    #[expect(clippy::needless_pass_by_value)]
    pub fn new(error: impl ToString, hint: impl ToString) -> Self {
        Self {
            error: error.to_string(),
            hint: hint.to_string(),
        }
    }
}

impl Choices<'_> {
    /// Parses a limit and checks the allowed range; `None` means the default.
    ///
    /// # Errors
    ///
    /// Why the limit is refused.
    pub fn limit(&self, text: Option<&str>) -> Result<Limit, ErrorDocument> {
        let Some(text) = text else {
            return Ok(self.review.judge.limit);
        };
        let (most, deepest) = (self.nodes, self.depth);
        let hint = format!("Ask for {most} nodes or a depth of {deepest} at most.");
        let limit: Limit = text
            .parse()
            .map_err(|error| ErrorDocument::new(error, &hint))?;
        match limit {
            Limit::Nodes(nodes) if (1..=most).contains(&nodes) => Ok(limit),
            Limit::Depth(depth) if (1..=deepest).contains(&depth) => Ok(limit),
            Limit::MoveTime(_) => Err(ErrorDocument::new(
                "times give other results in every run",
                "Give nodes or a depth.",
            )),
            _ => Err(ErrorDocument::new(
                format!("the limit {limit} is outside what this server allows"),
                hint,
            )),
        }
    }

    /// Checks a number of lines; `None` means the default.
    ///
    /// # Errors
    ///
    /// Why the number is refused.
    pub fn lines(&self, lines: Option<usize>) -> Result<usize, ErrorDocument> {
        let most = self.lines;
        match lines {
            None => Ok(self.review.judge.lines),
            Some(lines) if (1..=most).contains(&lines) => Ok(lines),
            Some(lines) => Err(ErrorDocument::new(
                format!("{lines} lines"),
                format!("Ask for 1 to {most} lines."),
            )),
        }
    }

    /// Returns the options of a requested review.
    ///
    /// # Errors
    ///
    /// Why an option is refused.
    pub fn review(&self, request: &ReviewOptionsRequest) -> Result<ReviewOptions, ErrorDocument> {
        let own = self.review.clone();
        let mut judge = JudgeOptions {
            limit: self.limit(request.limit.as_deref())?,
            lines: self.lines(request.lines)?,
            reuse_evals: request.reuse_evals.then_some(Dialect::Auto),
            ..own.judge
        };
        if request.archive {
            judge = judge.archive();
            self.limit(Some(&judge.limit.to_string()))?;
        }
        if request.ease {
            judge.ease = vec![Network::BUNDLED.to_owned()];
        }
        let mut options = ReviewOptions { judge, ..own };
        self.judge(&request.judge, &mut options)?;
        Ok(options)
    }

    /// Sets the options that the request contains. The others stay.
    ///
    /// # Errors
    ///
    /// Why an option is refused.
    pub fn judge(
        &self,
        request: &JudgeRequest,
        options: &mut ReviewOptions,
    ) -> Result<(), ErrorDocument> {
        let judge = &mut options.judge;
        judge.curve = self
            .choice(request.curve.as_deref(), request.balance)?
            .unwrap_or(judge.curve);
        if let Some(text) = &request.scheme {
            judge.scheme = text
                .parse::<SchemeChoice>()
                .map_err(|error| ErrorDocument::new(error, "Choose one of the list."))?;
        }
        if let Some(text) = &request.language {
            options.language = text
                .parse::<Language>()
                .map_err(|error| ErrorDocument::new(error, "Choose en or de."))?;
        }
        judge.every_symbol = request.every_symbol.unwrap_or(judge.every_symbol);
        Ok(())
    }

    /// Returns the curve with this name, for evaluations without a game; `None` if the request
    /// names none.
    ///
    /// # Errors
    ///
    /// Why the curve is refused.
    pub fn curve(
        &self,
        name: Option<&str>,
        balance: Option<f64>,
    ) -> Result<Option<Curve>, ErrorDocument> {
        let choice = self.choice(name, balance)?;
        match choice.map(CurveChoice::without_game) {
            Some(None) => Err(ErrorDocument::new(
                "the curve auto is for games",
                "Choose another one.",
            )),
            Some(curve) => Ok(curve),
            None => Ok(None),
        }
    }

    /// Returns the choice of a curve with this name; `None` if the request names none.
    fn choice(
        &self,
        name: Option<&str>,
        balance: Option<f64>,
    ) -> Result<Option<CurveChoice>, ErrorDocument> {
        if let Some(error) = balance.and_then(|balance| Curve::Relevance { balance }.check().err())
        {
            return Err(ErrorDocument::new(error, "Correct the balance."));
        }
        let name = match (name, balance) {
            (None, None) => return Ok(None),
            (None, Some(_)) => "relevance",
            (Some("auto"), _) => return Ok(Some(CurveChoice::Auto)),
            (Some("human"), _) => return Ok(Some(CurveChoice::human())),
            (Some(name), _) if name.starts_with("human ") => return people(name).map(Some),
            (Some(name), _) => name,
        };
        let own = || {
            self.own
                .iter()
                .find(|(own, _)| *own == name)
                .map(|(_, curve)| *curve)
        };
        match Curve::by_name(name, balance.unwrap_or(Curve::DEFAULT_BALANCE))
            .map(CurveChoice::from)
            .or_else(own)
        {
            Some(choice) => Ok(Some(choice)),
            None => Err(ErrorDocument::new(
                format!("there is no curve {name:?}"),
                "Choose one of the list.",
            )),
        }
    }
}

/// Returns the name of a chosen curve.
pub fn choice_text(choice: &CurveChoice) -> String {
    match choice {
        CurveChoice::Auto => "auto".to_owned(),
        CurveChoice::Human {
            rating: None,
            seconds: None,
            ..
        } => "human".to_owned(),
        choice => choice
            .without_game()
            .map_or_else(String::new, |curve| curve.to_string()),
    }
}

/// Returns the human curve from a name such as `human 1600 600+5`, which means `--rating 1600
/// --time 600+5` on the command line.
fn people(name: &str) -> Result<CurveChoice, ErrorDocument> {
    let [_, rating, time] = name.split(' ').collect::<Vec<_>>()[..] else {
        return Err(ErrorDocument::new(
            format!("{name:?} is not a human curve"),
            "Give \"human RATING TIME\".",
        ));
    };
    let rating: Option<f64> = rating
        .parse()
        .ok()
        .filter(|rating| RATINGS.contains(rating));
    let rating = rating.ok_or_else(|| {
        ErrorDocument::new(
            "a rating is a number from 100 to 4000",
            "Correct the rating.",
        )
    })?;
    let seconds = typed_seconds(time)?;
    Ok(CurveChoice::Human {
        rating: Some(rating),
        seconds: Some(seconds),
        pool: None,
        model: HumanModel::default(),
    })
}

/// Returns the seconds that a player has for 40 moves with a time control such as `600+5`.
///
/// # Errors
///
/// The text is no time control.
pub fn typed_seconds(time: &str) -> Result<f64, ErrorDocument> {
    let control = TimeControl::typed(time).filter(|control| control.seconds() >= 1.0);
    control
        .map(TimeControl::seconds)
        .ok_or_else(|| ErrorDocument::new(BadTimeControl, "Correct the time control."))
}
