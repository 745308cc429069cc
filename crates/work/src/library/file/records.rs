//! Records of a store as lines of a library file.

use centipawn_progress::Identity;
use centipawn_review::rooms::{
    BatchLineState, EvaluationLine, JobLineState, PvLine, RepetitionLine, ScoreLine,
};
use centipawn_store::{BatchState, JobState, Record, Remembered, Repetition};

pub(super) fn job_state(state: &JobState) -> JobLineState {
    match state {
        JobState::Open => JobLineState::Open,
        JobState::Reviewed(_) => JobLineState::Reviewed,
        JobState::Mined(_) => JobLineState::Mined,
        JobState::Cancelled => JobLineState::Cancelled,
        JobState::Failed(_) => JobLineState::Failed,
    }
}

pub(super) fn batch_state(state: BatchState) -> BatchLineState {
    match state {
        BatchState::Open => BatchLineState::Open,
        BatchState::Paused => BatchLineState::Paused,
        BatchState::Cancelled => BatchLineState::Cancelled,
    }
}

pub(super) fn repetition_line(Repetition { due, memory }: Repetition) -> RepetitionLine {
    let parts = |memory: Remembered| (memory.stability, memory.difficulty, memory.at);
    RepetitionLine::new(due, memory.map(parts))
}

pub(super) fn repetition(line: RepetitionLine) -> Repetition {
    let remembered = |(stability, difficulty, at)| Remembered {
        stability,
        difficulty,
        at,
    };
    Repetition {
        due: line.due(),
        memory: line.memory().map(remembered),
    }
}

/// Returns the line of an evaluation, given as the records of its lines; `None` without one.
pub(super) fn evaluation_line(records: &[Record]) -> Option<EvaluationLine> {
    let first = records.first()?;
    let score = |cp, mate| ScoreLine { cp, mate };
    let pv = |record: &Record| {
        let wdl = record.mover_p_win.zip(record.mover_p_draw);
        let last_exact = score(record.mover_last_exact_cp, record.mover_last_exact_mate);
        PvLine {
            moves: record.pv.clone(),
            score: score(record.mover_eval_cp, record.mover_eval_mate),
            depth: record.depth,
            seldepth: record.seldepth,
            wdl: wdl
                .zip(record.mover_p_loss)
                .map(|((win, draw), loss)| [win, draw, loss]),
            last_exact: last_exact
                .cp
                .or(last_exact.mate)
                .is_some()
                .then_some(last_exact),
        }
    };
    Some(EvaluationLine {
        fen: first.fen.clone(),
        past: first.past.clone(),
        chess960: first.chess960,
        engine: Identity {
            name: first.engine.clone(),
            author: first.author.clone(),
            options: serde_json::from_str(&first.options).unwrap_or_default(),
        },
        limit: first.limit.clone(),
        lines: first.lines,
        searchmoves: first.searchmoves.clone(),
        nodes: first.nodes,
        seconds: first.search_seconds,
        pvs: records.iter().map(pv).collect(),
    })
}

/// Returns the records of an evaluation's lines.
pub(super) fn records(line: EvaluationLine) -> Vec<Record> {
    let options = line.engine.options;
    let shared = Record {
        fen: line.fen,
        past: line.past,
        chess960: line.chess960,
        engine: line.engine.name,
        author: line.engine.author,
        options: serde_json::to_string(&options).unwrap_or_default(),
        limit: line.limit,
        lines: line.lines,
        searchmoves: line.searchmoves,
        nodes: line.nodes,
        search_seconds: line.seconds,
        ..Record::default()
    };
    let record = |(pv, rank): (PvLine, i64)| {
        let last_exact = pv.last_exact.unwrap_or_default();
        let [win, draw, loss] = pv.wdl.map_or([None; 3], |wdl| wdl.map(Some));
        Record {
            rank,
            mover_eval_cp: pv.score.cp,
            mover_eval_mate: pv.score.mate,
            mover_p_win: win,
            mover_p_draw: draw,
            mover_p_loss: loss,
            depth: pv.depth,
            seldepth: pv.seldepth,
            pv: pv.moves,
            mover_last_exact_cp: last_exact.cp,
            mover_last_exact_mate: last_exact.mate,
            ..shared.clone()
        }
    };
    line.pvs.into_iter().zip(1..).map(record).collect()
}
