//! Reviews as JSON.

use centipawn_core::{Curve, Eval, History, MoveSymbol, Scheme, SchemeChoice, Wdl, White};
use centipawn_engine::{Limit, Line};
use centipawn_judge::{JudgeOptions, JudgedMove, LINE_PLIES, Phase, PhaseReview, PlayerReview, shown_line};
use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};
use shakmaty::{Color, Move, san::SanPlus};

use crate::{EaseDocument, Language, OddsDocument, PlayRating, ReasonDocument, Review};

/// Reviews of many games, as `centipawn review --json` writes them, game by game with a
/// [`DocumentWriter`](crate::DocumentWriter).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct ReviewDocument {
    /// Version of Centipawn that wrote it.
    pub centipawn: String,
    /// The analyst's limit for a position.
    #[schema(value_type = String)]
    pub limit: Limit,
    /// Lines that the analyst was asked for.
    pub lines: usize,
    /// The schemes of symbols that were asked for: `auto,s40`.
    #[schema(value_type = String)]
    pub scheme: SchemeChoice,
    /// The reviewed games, in the order of the input.
    pub games: Vec<GameDocument>,
    /// The program, options, inputs and engine behind it.
    pub provenance: Provenance,
}

impl ReviewDocument {
    /// The document of one reviewed game.
    pub fn of(review: &Review, provenance: Provenance) -> Self {
        let JudgeOptions { limit, lines, scheme, .. } = review.options;
        let centipawn = env!("CARGO_PKG_VERSION").to_owned();
        Self { centipawn, limit, lines, scheme, games: vec![review.document()], provenance }
    }

    /// The same with a document for each game.
    pub fn by_game(mut self) -> impl Iterator<Item = Self> {
        std::mem::take(&mut self.games).into_iter().map(move |game| Self { games: vec![game], ..self.clone() })
    }
}

/// A reviewed game. Plies count from 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct GameDocument {
    /// The tag pairs, in their order.
    pub headers: Vec<(String, String)>,
    /// FEN of the start.
    pub start_fen: String,
    /// Who analysed, with options; `None` if every evaluation came from the game itself.
    pub analyst: Option<String>,
    /// The curve, in words.
    pub curve: String,
    /// The curve's numbers.
    pub curve_numbers: Curve,
    /// The human curve for the players' own rating and time, in words; missing unless it differs from the curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub practical_curve: Option<String>,
    /// The schemes of symbols: `s20,s40`.
    #[schema(value_type = String)]
    pub scheme: Scheme,
    /// The opening, from Centipawn's table.
    pub opening: Option<OpeningDocument>,
    /// White's totals.
    pub white: PlayerDocument,
    /// Black's totals.
    pub black: PlayerDocument,
    /// Plies on which most depended, three at most, in the order of the game.
    pub critical_moments: Vec<usize>,
    /// Plies at which a good move was hardest to find, hardest first; missing without ease.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub hardest_moments: Option<Vec<usize>>,
    /// The moves.
    pub plies: Vec<PlyDocument>,
    /// What stands under the review, in its language: the players that its curve is about, praise that was suppressed, who evaluated by
    /// which curve.
    #[serde(default)]
    #[schema(required = true)]
    pub notes: Vec<String>,
}

/// An opening.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct OpeningDocument {
    /// Its code, `C41`.
    pub eco: String,
    /// Its name.
    pub name: String,
    /// Half-moves after which the game reaches it.
    pub plies: usize,
}

/// Totals of a player's moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct PlayerDocument {
    /// The player's name in the game, else `White` or `Black`.
    pub name: String,
    /// Moves made.
    pub moves: usize,
    /// Accuracy in Lichess' sense, per cent; `None` without a move.
    pub accuracy: Option<f64>,
    /// Pawns at equality given away, in total.
    pub relevant_loss: f64,
    /// Expected score lost, in total.
    pub score_loss: f64,
    /// How often each symbol was given.
    pub symbols: SymbolCounts,
    /// Time for the moves whose time is known, in seconds; `None` if it is unknown for more than a tenth of them (two always may).
    pub time_seconds: Option<f64>,
    /// The phases of the game, in order.
    pub phases: Vec<PhaseDocument>,
    /// The rating that the moves of this game show, for humans on Lichess; missing for others and if too few moves count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub play_rating: Option<PlayRating>,
}

/// Totals of a player's moves in one phase of the game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct PhaseDocument {
    /// The phase.
    pub phase: Phase,
    /// Moves made in it.
    pub moves: usize,
    /// Expected score lost in it.
    pub score_loss: f64,
}

/// How often each symbol was given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SymbolCounts {
    /// `!!`
    #[serde(rename = "!!")]
    pub brilliant: usize,
    /// `!`
    #[serde(rename = "!")]
    pub good: usize,
    /// `!?`
    #[serde(rename = "!?")]
    pub interesting: usize,
    /// `?!`
    #[serde(rename = "?!")]
    pub dubious: usize,
    /// `?`
    #[serde(rename = "?")]
    pub mistake: usize,
    /// `??`
    #[serde(rename = "??")]
    pub blunder: usize,
}

/// A move with its judgement. Evaluations, expected scores and probabilities are White's, losses the mover's.
///
/// Keys are the names of columns in tables of plies (`docs/columns.md`): an evaluation is an object with `cp` or `mate`, which tables have
/// in two columns; `wdl` is an object of three probabilities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct PlyDocument {
    /// Number of the half-move, from 1.
    pub ply: usize,
    /// The number printed before the move.
    pub move_number: u32,
    /// `white` or `black`.
    #[schema(value_type = crate::openapi::Color)]
    pub mover: String,
    /// The move in SAN.
    pub san: String,
    /// The move in UCI notation.
    pub uci: String,
    /// FEN of the position before the move.
    pub fen: String,
    /// Evaluation of the position reached; `None` after checkmate.
    #[schema(value_type = Option<centipawn_core::Score>)]
    pub eval: Option<Eval<White>>,
    /// Evaluation of the position reached by a separate search; missing unless the next move's remark begins with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<centipawn_core::Score>)]
    pub eval_deeper: Option<Eval<White>>,
    /// Evaluation of the played move, by the search of the position before it.
    #[schema(value_type = centipawn_core::Score)]
    pub eval_played: Eval<White>,
    /// Evaluation of the position before the move: that of the best move.
    #[schema(value_type = centipawn_core::Score)]
    pub eval_before: Eval<White>,
    /// Expected score after the move, 0..=1.
    pub expected_score: f64,
    /// Expected score after the best move, 0..=1.
    pub expected_score_best: f64,
    /// White's odds after the move between these two players: by the evaluation, their ratings and clocks. Missing if the review uses
    /// no human curve, or the game has neither ratings nor a time control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub odds: Option<OddsDocument>,
    /// White's win, draw and loss after the move; `None` unless the curve is a win/draw/loss model.
    pub wdl: Option<Wdl>,
    /// Pawns given away; `None` if either move's evaluation is a mate.
    pub absolute_loss: Option<f64>,
    /// Pawns at equality given away.
    pub relevant_loss: f64,
    /// Expected score lost by the move, 0..=1.
    pub score_loss: f64,
    /// Accuracy in Lichess' sense, per cent.
    pub accuracy: f64,
    /// `!!` to `??`; `None` for most moves.
    pub symbol: Option<String>,
    /// The symbol's NAG.
    pub nag: Option<u8>,
    /// A symbol that was suppressed, and why.
    pub suppressed: Option<SuppressedDocument>,
    /// Whether it is the only move that keeps the win or holds (`□`).
    pub only_move: bool,
    /// The remark on a move with a symbol, or on a short mate in a lost position, in the review's language.
    pub remark: Option<String>,
    /// The numbers behind the remark, in the review's language: `+2.40 → +0.30; White's expected score 0.89 → 0.55`; missing without a
    /// remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub remark_numbers: Option<String>,
    /// How hard a good move was to find, in the review's language; missing except at the hardest moments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub hardness: Option<String>,
    /// The phase of the game.
    pub phase: Phase,
    /// Time left on the mover's clock after the move, if the game states it.
    pub clock_seconds: Option<f64>,
    /// Time that the mover spent on it, if known.
    pub time_seconds: Option<f64>,
    /// Symbol of the position reached: `+/=`.
    pub position: String,
    /// That symbol's NAG.
    pub position_nag: u8,
    /// How hard it was to find a good move, for each network; missing without ease.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ease: Vec<EaseDocument>,
    /// The limit of the searches behind the evaluations, if the review has two passes; see `quick` of the recipe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<String>)]
    pub limit: Option<Limit>,
    /// Why the move is a mistake; missing where the lines show no reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reason: Option<ReasonDocument>,
    /// What to play instead of a move with `?!`, `?` or `??`: the analyst's best line, else the line that the game gives as better.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub better: Option<BetterDocument>,
    /// The analyst's lines, best first; empty if the evaluations come from the game.
    pub lines: Vec<LineDocument>,
}

/// Better moves, cut to ten half-moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct BetterDocument {
    /// The moves in SAN.
    pub san: Vec<String>,
    /// The moves in UCI notation.
    pub uci: Vec<String>,
}

/// A symbol that was suppressed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct SuppressedDocument {
    /// `!!`, `!`, `!?` or `?!`.
    pub symbol: String,
    /// `recapture`, `just moved`, `wins material`, `answers check`, `two moves`, `mates`, `mates by capture`, `mate continues`,
    /// `repeats`, `not listed`, `theory`, `natural` or `not interesting`.
    pub reason: String,
    /// The reason in the review's language: `most players find it`.
    #[serde(default)]
    #[schema(required = true)]
    pub text: String,
}

/// A line of the analyst, cut to ten half-moves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[non_exhaustive]
pub struct LineDocument {
    /// Evaluation of its first move.
    #[schema(value_type = centipawn_core::Score)]
    pub eval: Eval<White>,
    /// Plies searched.
    pub depth: u32,
    /// The moves in SAN.
    pub san: Vec<String>,
    /// The moves in UCI notation.
    pub uci: Vec<String>,
}

impl Review {
    /// The review as a document.
    pub fn document(&self) -> GameDocument {
        let language = self.language;
        GameDocument {
            headers: self.game.headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            start_fen: self.game.start.fen(),
            analyst: self.analyst.as_ref().map(|analyst| analyst.with_options()),
            curve: self.curve.to_string(),
            curve_numbers: self.curve,
            practical_curve: self.practical_curve().map(|curve| curve.to_string()),
            scheme: self.scheme,
            opening: self.opening.map(|opening| OpeningDocument {
                eco: opening.eco.to_owned(),
                name: opening.name.to_owned(),
                plies: opening.plies,
            }),
            white: self.player_document(Color::White),
            black: self.player_document(Color::Black),
            critical_moments: self.critical_moments.iter().map(|index| index + 1).collect(),
            hardest_moments: (!self.options.ease.is_empty())
                .then(|| self.hardest_moments.iter().map(|index| index + 1).collect()),
            plies: self
                .plies
                .iter()
                .enumerate()
                .map(|(index, ply)| PlyDocument {
                    odds: self.odds(index),
                    hardness: self.hardest_moments.contains(&index).then(|| language.hard_moment(ply)).flatten(),
                    ..PlyDocument::new(index, ply, &self.curve, &self.options, language)
                })
                .collect(),
            notes: self.notes(),
        }
    }

    fn player_document(&self, color: Color) -> PlayerDocument {
        let PlayerReview { moves, accuracy, relevant_loss, score_loss, symbols, phases, time, .. } =
            *self.player(color);
        let [white_rating, black_rating] = self.play_ratings();
        let [brilliant, good, interesting, dubious, mistake, blunder] = symbols;
        let symbols = SymbolCounts { brilliant, good, interesting, dubious, mistake, blunder };
        let phases = Phase::ALL
            .into_iter()
            .zip(phases)
            .map(|(phase, PhaseReview { moves, score_loss })| PhaseDocument { phase, moves, score_loss });
        PlayerDocument {
            name: self.name(color).to_owned(),
            moves,
            accuracy,
            relevant_loss,
            score_loss,
            symbols,
            time_seconds: time.map(|time| time.as_secs_f64()),
            phases: phases.collect(),
            play_rating: color.fold_wb(white_rating, black_rating),
        }
    }
}

impl PlyDocument {
    /// The document of the move with this index, judged by this curve with these options. What depends on the other moves is missing:
    /// the odds, and how hard the hardest moments were.
    pub fn new(index: usize, ply: &JudgedMove, curve: &Curve, options: &JudgeOptions, language: Language) -> Self {
        Self {
            ply: index + 1,
            move_number: ply.move_number,
            mover: ply.mover.to_string(),
            san: ply.san.clone(),
            uci: ply.before.uci(ply.mv).to_string(),
            fen: ply.before.fen(),
            eval: ply.eval,
            eval_deeper: ply.eval_deeper,
            eval_played: ply.eval_played,
            eval_before: ply.eval_before,
            expected_score: ply.expected_score,
            expected_score_best: ply.expected_score_best,
            odds: None,
            wdl: ply.wdl(curve),
            absolute_loss: ply.absolute_loss,
            relevant_loss: ply.relevant_loss,
            score_loss: ply.score_loss,
            accuracy: ply.accuracy,
            symbol: ply.symbol.map(|symbol| symbol.glyph().to_owned()),
            nag: ply.symbol.map(MoveSymbol::nag),
            suppressed: ply.suppressed.map(|(symbol, reason)| SuppressedDocument {
                symbol: symbol.glyph().to_owned(),
                reason: reason.name().to_owned(),
                text: language.suppression(reason).to_owned(),
            }),
            only_move: ply.only_move,
            remark: ply.has_remark().then(|| language.remark(ply)),
            remark_numbers: ply.has_remark().then(|| language.remark_numbers(ply)),
            hardness: None,
            phase: ply.phase,
            clock_seconds: ply.clock.map(|clock| clock.as_secs_f64()),
            time_seconds: ply.time.map(|time| time.as_secs_f64()),
            position: ply.position.ascii().to_owned(),
            position_nag: ply.position.nag(),
            ease: ply.ease.iter().map(|judged| EaseDocument::new(&ply.before, judged)).collect(),
            limit: ply.limit.filter(|limit| options.quick.is_some() || *limit != options.limit),
            reason: language.reason_document(ply, index),
            better: ply.better().filter(|line| line[0] != ply.mv && ply.is_blamed()).map(|line| {
                let (san, uci) = notations(&ply.before, shown_line(&ply.before, line));
                BetterDocument { san, uci }
            }),
            lines: line_documents(&ply.before, &ply.lines),
        }
    }

    /// The move with its number: `12. Nf3`, `12... Nf6`.
    pub fn numbered(&self, language: Language) -> String {
        language.line(self.move_number, self.mover == "white", std::slice::from_ref(&self.san))
    }

    /// The better line with move numbers: `12. Nf3 Nf6 13. O-O`.
    pub fn better_line(&self, language: Language) -> Option<String> {
        let better = self.better.as_ref()?;
        Some(language.line(self.move_number, self.mover == "white", &better.san))
    }
}

/// An analyst's lines in a position as documents, cut to ten half-moves.
pub fn line_documents(before: &History, lines: &[Line]) -> Vec<LineDocument> {
    let document = |line: &Line| {
        let (san, uci) = notations(before, &line.pv);
        LineDocument { eval: line.eval.for_white(before.turn()), depth: line.depth, san, uci }
    };
    lines.iter().map(document).collect()
}

/// Moves in SAN and in UCI notation, cut to ten half-moves.
fn notations(before: &History, moves: &[Move]) -> (Vec<String>, Vec<String>) {
    let mut position = before.position().clone();
    let moves = &moves[..moves.len().min(LINE_PLIES)];
    let uci = moves.iter().map(|&mv| before.uci(mv).to_string()).collect();
    let san = |&mv: &Move| SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string();
    (moves.iter().map(san).collect(), uci)
}
