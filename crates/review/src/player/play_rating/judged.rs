//! The strength that a reviewed game shows.

use centipawn_core::{Curve, Eval, History, White, win_percent};
use centipawn_judge::{Judgement, policy};
use shakmaty::Color;

use super::{GamePlay, PlayEvidence, PlayModel, PlayRating};

impl PlayRating {
    /// Returns the ratings that the moves of this game show, White's first, on the scale of
    /// [`PlayModel::pool`]. `None` for a player with too few moves, and for both players if they
    /// are no humans, or not from Lichess, whose games the model was fitted to.
    pub(crate) fn of_players(judged: &Judgement) -> [Option<Self>; 2] {
        let is_known = judged.players.are_people && is_from_lichess(judged);
        let Some(network) = policy().filter(|_| is_known) else {
            return [None; 2];
        };
        let loss = |index, _: &History, _| lichess_loss(judged, index);
        let Ok(play) = GamePlay::with_losses(&judged.game, network, loss) else {
            return [None; 2];
        };
        Color::ALL.map(|color| {
            let mut evidence = PlayEvidence::default();
            evidence.add(play.player(color)?);
            PlayModel::bundled().rating(&evidence)
        })
    }
}

/// Returns what move `index` loses of the mover's winning chances on Lichess' scale, 0..=1, between
/// the evaluations of two positions in a row: the model was fitted to these, and [`GamePlay::of`]
/// reads them from the annotated game.
fn lichess_loss(judged: &Judgement, index: usize) -> Option<f64> {
    let ply = judged.plies.get(index)?;
    let before = judged.plies.get(index.checked_sub(1)?)?.eval?;
    // The model was fitted to evaluations of Stockfish 15.1.
    let units = if let Curve::Human(curve) = judged.curve {
        curve.units
    } else {
        1.0
    };
    let converted = |eval: Eval<White>| {
        // The cast saturates.
        eval.pawns().map_or(eval, |pawns| {
            Eval::cp((100.0 * pawns / units).round() as i32)
        })
    };
    let percent = |eval: Eval<White>| ply.mover_score(win_percent(converted(eval)) / 100.0);
    Some((percent(before) - percent(ply.eval_played)).max(0.0))
}

fn is_from_lichess(judged: &Judgement) -> bool {
    let mut tags = ["Site", "Link", "Event"]
        .into_iter()
        .filter_map(|name| judged.game.headers.get(name));
    tags.any(|text| text.to_ascii_lowercase().contains("lichess.org"))
}
