//! A reviewed game as JSON; names are the specification's.

use centipawn_core::{Eval, MoveSymbol, Wdl, White};
use serde::Serialize;
use shakmaty::{Color, san::SanPlus};

use crate::{Phase, PhaseReview, PlayerReview, PlyReview, Review, annotate::LINE_PLIES, ease::EaseDocument};

/// What [`Review::json`] gives to a serialiser.
#[derive(Serialize)]
struct GameDocument<'a> {
    headers: Vec<(&'a str, &'a str)>,
    fen: String,
    analyst: Option<String>,
    curve: String,
    opening: Option<OpeningDocument>,
    white: PlayerDocument<'a>,
    black: PlayerDocument<'a>,
    critical_moments: Vec<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hardest_moments: Option<Vec<usize>>,
    plies: Vec<PlyDocument>,
}

#[derive(Serialize)]
struct OpeningDocument {
    eco: &'static str,
    name: &'static str,
    plies: usize,
}

#[derive(Serialize)]
struct PlayerDocument<'a> {
    name: &'a str,
    moves: usize,
    accuracy: Option<f64>,
    relevant_loss: f64,
    expected_score_loss: f64,
    symbols: Symbols,
    time_seconds: Option<f64>,
    phases: Vec<PhaseDocument>,
}

#[derive(Serialize)]
struct PhaseDocument {
    phase: &'static str,
    moves: usize,
    expected_score_loss: f64,
}

#[derive(Serialize)]
struct Symbols {
    #[serde(rename = "!!")]
    brilliant: usize,
    #[serde(rename = "!")]
    good: usize,
    #[serde(rename = "!?")]
    interesting: usize,
    #[serde(rename = "?!")]
    dubious: usize,
    #[serde(rename = "?")]
    mistake: usize,
    #[serde(rename = "??")]
    blunder: usize,
}

/// Evaluations and expected scores are White's (`_white`), losses the mover's.
#[derive(Serialize)]
struct PlyDocument {
    ply: usize,
    move_number: u32,
    mover: &'static str,
    san: String,
    uci: String,
    fen_before: String,
    eval_white: Option<Eval<White>>,
    played_eval_white: Eval<White>,
    best_eval_white: Eval<White>,
    expected_score_white: f64,
    best_expected_score_white: f64,
    wdl_white: Option<Wdl>,
    absolute_loss: Option<f64>,
    relevant_loss: f64,
    expected_score_loss: f64,
    accuracy: f64,
    symbol: Option<&'static str>,
    nag: Option<u8>,
    held_back: Option<HeldBackDocument>,
    only_move: bool,
    remark: Option<String>,
    phase: &'static str,
    clock_seconds: Option<f64>,
    time_seconds: Option<f64>,
    position: &'static str,
    position_nag: u8,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ease: Vec<EaseDocument>,
    lines: Vec<LineDocument>,
}

#[derive(Serialize)]
struct HeldBackDocument {
    symbol: &'static str,
    reason: &'static str,
}

#[derive(Serialize)]
struct LineDocument {
    eval_white: Eval<White>,
    depth: u32,
    san: Vec<String>,
    uci: Vec<String>,
}

impl Review {
    /// The review as a document to serialise.
    pub fn json(&self) -> impl Serialize + '_ {
        GameDocument {
            headers: self.game.headers.iter().collect(),
            fen: self.game.start.fen(),
            analyst: self.analyst.as_ref().map(|analyst| analyst.with_options()),
            curve: self.curve.to_string(),
            opening: self.opening.map(|opening| OpeningDocument {
                eco: opening.eco,
                name: opening.name,
                plies: opening.plies,
            }),
            white: self.player_document(Color::White),
            black: self.player_document(Color::Black),
            critical_moments: self.critical_moments.iter().map(|index| index + 1).collect(),
            hardest_moments: (!self.options.ease.is_empty())
                .then(|| self.hardest_moments.iter().map(|index| index + 1).collect()),
            plies: self.plies.iter().enumerate().map(|(index, ply)| self.ply_document(index, ply)).collect(),
        }
    }

    fn player_document(&self, color: Color) -> PlayerDocument<'_> {
        let PlayerReview { moves, accuracy, relevant_loss, expected_score_loss, symbols, phases, time } =
            *self.player(color);
        let [brilliant, good, interesting, dubious, mistake, blunder] = symbols;
        let symbols = Symbols { brilliant, good, interesting, dubious, mistake, blunder };
        let phases = Phase::ALL.into_iter().zip(phases).map(|(phase, PhaseReview { moves, expected_score_loss })| {
            PhaseDocument { phase: phase.name(), moves, expected_score_loss }
        });
        PlayerDocument {
            name: self.name(color),
            moves,
            accuracy,
            relevant_loss,
            expected_score_loss,
            symbols,
            time_seconds: time.map(|time| time.as_secs_f64()),
            phases: phases.collect(),
        }
    }

    fn ply_document(&self, index: usize, ply: &PlyReview) -> PlyDocument {
        let context = centipawn_core::Context::of(ply.before.position());
        PlyDocument {
            ply: index + 1,
            move_number: ply.number,
            mover: ply.mover.fold_wb("white", "black"),
            san: ply.san.clone(),
            uci: ply.before.uci(ply.mv).to_string(),
            fen_before: ply.before.fen(),
            eval_white: ply.after,
            played_eval_white: ply.played,
            best_eval_white: ply.best,
            expected_score_white: ply.expected_score_played,
            best_expected_score_white: ply.expected_score_best,
            wdl_white: self.curve.wdl(ply.played, context),
            absolute_loss: ply.loss.absolute,
            relevant_loss: ply.loss.relevant,
            expected_score_loss: ply.loss.expected_score,
            accuracy: ply.accuracy,
            symbol: ply.symbol.map(MoveSymbol::glyph),
            nag: ply.symbol.map(MoveSymbol::nag),
            held_back: ply
                .held_back
                .map(|(symbol, reason)| HeldBackDocument { symbol: symbol.glyph(), reason: reason.name() }),
            only_move: ply.is_only_move,
            remark: ply.symbol.map(|_| self.options.language.remark(ply)),
            phase: ply.phase.name(),
            clock_seconds: ply.clock.map(|clock| clock.as_secs_f64()),
            time_seconds: ply.time.map(|time| time.as_secs_f64()),
            position: ply.position.ascii(),
            position_nag: ply.position.nag(),
            ease: ply.ease.iter().map(|judged| EaseDocument::new(&ply.before, judged)).collect(),
            lines: lines(ply),
        }
    }
}

fn lines(ply: &PlyReview) -> Vec<LineDocument> {
    let document = |line: &centipawn_engine::Line| {
        let mut position = ply.before.position().clone();
        let moves = &line.pv[..line.pv.len().min(LINE_PLIES)];
        LineDocument {
            eval_white: line.eval.for_white(ply.mover),
            depth: line.depth,
            uci: moves.iter().map(|&mv| ply.before.uci(mv).to_string()).collect(),
            san: moves.iter().map(|&mv| SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string()).collect(),
        }
    };
    ply.lines.iter().map(document).collect()
}
