//! Answers that need neither a store nor a search.

use centipawn_core::{Context, Curve, Finders, History, HumanModel, LevelCurve};
use centipawn_engine::{Analysis, Identity};
use centipawn_judge::ease::{EaseOptions, EaseOutcome, levels};
use centipawn_pgn::{Game, Ply, TimeClass};
use centipawn_progress::Provenance;
use shakmaty::{CastlingMode, Color};

use super::{
    Choices, CurveDocument, CurveRequest, EaseAnswer, ErrorDocument, GameFilter, LinesDocument,
    LinesRequest, PeopleDocument, PeopleRequest, SymbolsRequest, typed_seconds,
};
use crate::{FormEval, MomentDocument, SymbolsDocument, SymbolsForm, line_documents};

/// Maximum number of moves of a line.
const MOST_MOVES: usize = 2000;
/// Maximum number of time controls in a graph.
const MOST_TIMES: usize = 10;
/// The allowed values of [`GameFilter::result`].
const RESULTS: [&str; 7] = ["1-0", "0-1", "1/2-1/2", "*", "won", "lost", "drawn"];

/// Builds a game from a start position and the moves of a request. All moves are checked.
///
/// # Errors
///
/// Why the line is refused.
pub fn line_game(fen: &str, chess960: bool, moves: &[String]) -> Result<Game, ErrorDocument> {
    if moves.len() > MOST_MOVES {
        return Err(ErrorDocument::new(
            format!("{} moves are too many", moves.len()),
            format!("{MOST_MOVES} are allowed."),
        ));
    }
    let mode = if chess960 {
        CastlingMode::Chess960
    } else {
        CastlingMode::Standard
    };
    let start = History::from_fen(fen, Some(mode));
    let start =
        start.map_err(|error| ErrorDocument::new(error, "Give a FEN of a legal position."))?;
    let mut game = Game::from_start(&start);
    let mut at = start;
    for uci in moves {
        let mv = at
            .parse_uci(uci)
            .map_err(|error| ErrorDocument::new(error, "Give legal moves in UCI notation."))?;
        game.plies.push(Ply::new(mv));
        at.push(mv);
    }
    Ok(game)
}

impl GameFilter {
    /// Refuses filters that no game can match, such as an unknown result, so that the user sees the
    /// mistake instead of an empty list.
    ///
    /// # Errors
    ///
    /// The field that no game can match.
    pub fn check(&self) -> Result<(), ErrorDocument> {
        let is_day = |text: &str| {
            text.trim()
                .split(['.', '-', '/'])
                .all(|part| part.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let classes = TimeClass::ALL.map(TimeClass::name);
        let is_one_of = |all: &[&str], text: &str| text.is_empty() || all.contains(&text);
        let checks = [
            (
                is_day(&self.since),
                "since",
                &self.since,
                "2026, 2026.10 or 2026.10.01",
            ),
            (
                is_day(&self.until),
                "until",
                &self.until,
                "2026, 2026.10 or 2026.10.01",
            ),
            (
                is_one_of(&classes, &self.time_class),
                "time_class",
                &self.time_class,
                &*classes.join(", "),
            ),
            (
                is_one_of(&RESULTS, &self.result),
                "result",
                &self.result,
                "1-0, 0-1, 1/2-1/2, *, won, lost or drawn",
            ),
            (
                is_one_of(&["white", "black"], &self.color),
                "color",
                &self.color,
                "white or black",
            ),
        ];
        match checks.into_iter().find(|(is_fine, ..)| !is_fine) {
            Some((_, name, text, all)) => Err(ErrorDocument::new(
                format!("{name} is {text:?}"),
                format!("Give {all}."),
            )),
            None => Ok(()),
        }
    }
}

impl Choices<'_> {
    /// Returns the points of a curve.
    ///
    /// # Errors
    ///
    /// Why the request is refused.
    pub fn draw_curve(&self, request: &CurveRequest) -> Result<CurveDocument, ErrorDocument> {
        let curve = self.curve_or_relevance(request.curve.as_deref(), request.balance)?;
        let context = context(request.material, request.ply);
        Ok(CurveDocument::new(&curve, context, request.eval))
    }

    /// Returns the document of `centipawn symbols --json`.
    ///
    /// # Errors
    ///
    /// Why the request is refused.
    pub fn symbols(&self, request: &SymbolsRequest) -> Result<SymbolsDocument, ErrorDocument> {
        let eval = |text: &str| {
            text.trim()
                .parse::<FormEval>()
                .map_err(|error| ErrorDocument::new(error, "Correct the number."))
        };
        let side = match &*request.side {
            "white" | "" => Color::White,
            "black" => Color::Black,
            _ => {
                return Err(ErrorDocument::new(
                    "a side is white or black",
                    "Choose one.",
                ));
            }
        };
        let second = request
            .second
            .as_deref()
            .filter(|text| !text.trim().is_empty())
            .map(eval)
            .transpose()?;
        let curve = self.curve_or_relevance(request.curve.as_deref(), request.balance)?;
        let context = context(request.material, request.ply);
        SymbolsForm::new(
            side,
            eval(&request.played)?,
            eval(&request.best)?,
            second,
            curve,
            context,
        )
        .map(|form| form.document())
        .map_err(|error| ErrorDocument::new(error, "Exchange the two."))
    }

    /// Returns the document of the best lines of a position: the answer to a search of
    /// `request.nodes` nodes.
    ///
    /// # Errors
    ///
    /// Why the curve is refused.
    pub fn lines_document(
        &self,
        request: &LinesRequest,
        history: &History,
        analysis: &Analysis,
        engine: &Identity,
    ) -> Result<LinesDocument, ErrorDocument> {
        let curve = self
            .curve(request.curve.as_deref(), request.balance)?
            .or(self.review.judge.curve.without_game())
            .unwrap_or_else(|| Curve::for_engine(&engine.name));
        let context = Context::of(history.position());
        let best = analysis
            .lines
            .first()
            .map(|line| line.eval.for_white(history.turn()));
        Ok(LinesDocument {
            engine: engine.name.clone(),
            fen: history.fen(),
            nodes: request.nodes,
            depth: analysis.depth,
            lines: line_documents(history, &analysis.lines),
            expected_score_best: best.map(|eval| curve.expected_score(eval, context)),
            wdl: best.and_then(|eval| curve.wdl(eval, context)),
        })
    }

    fn curve_or_relevance(
        &self,
        name: Option<&str>,
        balance: Option<f64>,
    ) -> Result<Curve, ErrorDocument> {
        let relevance = Curve::Relevance {
            balance: Curve::DEFAULT_BALANCE,
        };
        Ok(self.curve(name, balance)?.unwrap_or(relevance))
    }
}

impl PeopleRequest {
    /// Returns what the evaluation is worth between humans.
    ///
    /// # Errors
    ///
    /// Why the request is refused.
    pub fn answer(&self) -> Result<PeopleDocument, ErrorDocument> {
        if self.times.len() > MOST_TIMES {
            return Err(ErrorDocument::new(
                "too many time controls",
                format!("Ask for {MOST_TIMES} at most."),
            ));
        }
        let times = self.times.iter().map(|time| typed_seconds(time));
        let times = times.collect::<Result<Vec<f64>, _>>()?;
        Ok(PeopleDocument::new(
            &HumanModel::default(),
            self.eval,
            &times,
        ))
    }
}

impl EaseAnswer {
    /// Creates the answer from the outcome for one position; `None` if it was not judged. `last` is
    /// the opponent's last move in UCI notation.
    pub fn of(
        outcome: &EaseOutcome,
        options: &EaseOptions,
        engine: &Identity,
        provenance: &mut Option<Provenance>,
        last: Option<String>,
    ) -> Option<Self> {
        let moment = outcome.moments.first()?.as_ref()?;
        let curve = levels(&moment.judged);
        let best = moment
            .judged
            .last()
            .and_then(|judged| judged.best())
            .map(|best| moment.before.uci(best.mv));
        Some(Self {
            engine: engine.name.clone(),
            limit: options.limit.to_string(),
            levels: MomentDocument::of_outcome(outcome, provenance),
            best: best.map(|best| best.to_string()),
            finds: moment
                .judged
                .iter()
                .map(|judged| judged.ease.finds())
                .collect(),
            found_from: curve.as_ref().and_then(LevelCurve::found_from),
            found_at: curve.as_ref().map(LevelCurve::found_at).unwrap_or_default(),
            is_unclear: curve.is_some_and(|curve| curve.finders() == Finders::Unclear),
            last,
        })
    }
}

/// Returns the context of a request. Missing values are those of the middle of a game.
fn context(material: Option<u32>, ply: Option<u32>) -> Context {
    let middle = Context::default();
    Context {
        material: material.unwrap_or(middle.material),
        ply: ply.unwrap_or(middle.ply),
    }
}
