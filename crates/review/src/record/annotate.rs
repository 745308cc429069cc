//! A reviewed game as an annotated PGN game.

use centipawn_core::Ending;
use centipawn_judge::{BASIS, JudgedMove, LOSS, basis, ease::middle, reason::REASON, shown_line};
use centipawn_pgn::{Dialect, Game, Nag, Ply};
use centipawn_progress::text::for_document;

use crate::{
    Annotations, Language, Review,
    record::extras::UNCLEAR,
    record::previous_review::{is_of_our_kind, remove_previous_review, strip},
};

/// `□`
const ONLY_MOVE: Nag = Nag(7);

impl Review {
    /// Returns the game with the review written into it:
    ///
    /// - `[%eval]` for every position;
    /// - `[%basis]` for every move whose judgement does not follow from the evaluations: the
    ///   findings before it, so that a review that reads the game back judges the same;
    /// - `[%ease]` for every move, if networks judged ease: of the position before the move, for
    ///   the network in the middle;
    /// - symbols as NAGs, each with a remark, and remarks on short mates without a symbol; a symbol
    ///   that an annotator gave of the same kind stays instead;
    /// - the better line as a variation where a symbol blames;
    /// - what the [extras](Review::extras) ask for: symbols of all positions, and threats as
    ///   variations that begin with a null move;
    /// - the tags `ECO`, `Opening` and `Annotator`.
    ///
    /// Annotations of a previous review, recognised by their remarks, are replaced. All others
    /// stay, unless the options require [`Annotations::Replace`]. With [`Annotations::Keep`],
    /// reviewing the result again in the same way does not change it.
    pub fn annotated(&self) -> Game {
        let mut game = (*self.game).clone();
        if self.annotations == Annotations::Replace {
            strip(&mut game);
        }
        for (name, value) in ["ECO", "Opening"]
            .into_iter()
            .zip(self.tags().opening_tags(self.opening))
        {
            if let Some(value) = value {
                game.headers.set(name, value);
            }
        }
        let annotator = match &self.analyst {
            // The identity may come from a store or a fleet, so it may be any text.
            Some(analyst) => {
                format!(
                    "Centipawn ({}, {})",
                    for_document(&analyst.to_string()),
                    self.options.limits()
                )
            }
            None => self.earlier_annotator().unwrap_or("Centipawn").to_owned(),
        };
        // Keep other annotators, and replace the entry of an earlier review.
        let others = game
            .headers
            .get("Annotator")
            .unwrap_or_default()
            .split("; ");
        let was_reviewed = others.clone().any(|name| name.starts_with("Centipawn"));
        let others = others.filter(|name| !name.is_empty() && !name.starts_with("Centipawn"));
        let annotators: Vec<&str> = others.chain([&*annotator]).collect();
        let annotators = annotators.join("; ");
        game.headers.set("Annotator", annotators);
        let last = self.plies.len().saturating_sub(1);
        for (index, (ply, review)) in game.plies.iter_mut().zip(&self.plies).enumerate() {
            let had_verdict = remove_previous_review(ply, review.before.position());
            let position = if self.extras.unclear.contains(&index) {
                UNCLEAR
            } else {
                Nag(review.position.nag())
            };
            if index == last && was_reviewed && !had_verdict {
                // If a review keeps an annotator's symbol of the last position, it also writes
                // `[%loss …]`. The last move has no such command, so the previous review wrote the
                // symbol of the position: remove the symbol.
                ply.nags.retain(|nag| !nag.excludes(position));
            }
            let keeps_position = index == last && ply.nags.iter().any(|nag| nag.excludes(position));
            // Commands are written in front of earlier ones, so the last one is set first.
            if let Some(judged) = middle(&review.ease).filter(|judged| judged.is_exact()) {
                ply.set_ease(judged.ease.sum);
            }
            let previous = index.checked_sub(1).map(|previous| &self.plies[previous]);
            ply.set_command(BASIS, basis(review, previous).as_deref());
            if let Some(after) = review.eval {
                ply.set_eval(after);
            }
            let symbol = review.symbol.map(|symbol| Nag(symbol.nag()));
            // After mate on the board there is no position to evaluate.
            let is_asked = review.symbol.is_some() || index == last || self.extras.position_symbols;
            let has_position = review.eval.is_some() && is_asked;
            let nags = [
                symbol,
                review.only_move.then_some(ONLY_MOVE),
                has_position.then_some(position),
            ];
            let annotators = add_nags(ply, nags.into_iter().flatten());
            let verdict = format!("{LOSS}{:.2}{annotators}]", review.score_loss);
            if review.has_remark() && review.eval.is_some() {
                ply.comments
                    .push(format!("{verdict} {}", self.language.remark(review)));
                ply.comments.extend(self.language.reason_comment(review));
            } else if (keeps_position || self.extras.position_symbols && index != last)
                && has_position
            {
                // The command shows a later review whose symbols these are.
                ply.comments.push(verdict);
            }
            let threat = self.extras.threats.get(&index);
            ply.variations
                .extend(threat.and_then(|threat| threat.variation(review.before.position())));
            if review.symbol.is_some_and(|symbol| !symbol.is_praise()) {
                let moves = |line: &[Ply]| line.iter().map(|ply| ply.mv).collect::<Vec<_>>();
                let new = self.better_line(review);
                let new =
                    new.filter(|new| !ply.variations.iter().any(|old| moves(old) == moves(new)));
                ply.variations.extend(new);
            }
        }
        game
    }

    /// Returns the entry of an earlier review in the tag `Annotator`. It stays if this review has
    /// no analyst, because the evaluations are still those of the earlier review's engine.
    fn earlier_annotator(&self) -> Option<&str> {
        let reads_analysis = matches!(
            self.options.reuse_evals,
            Some(Dialect::Auto | Dialect::Commands | Dialect::Text)
        );
        let mut entries = self
            .game
            .headers
            .get("Annotator")?
            .rsplit("; ")
            .filter(|_| reads_analysis);
        entries.find(|entry| entry.starts_with("Centipawn ("))
    }

    /// Returns the best line instead of a move, with its evaluation at the beginning and the
    /// position's symbol at the end.
    fn better_line(&self, review: &JudgedMove) -> Option<Vec<Ply>> {
        let best = review.lines.first()?;
        let mut line: Vec<Ply> = shown_line(&review.before, &best.pv)
            .iter()
            .map(|&mv| Ply::new(mv))
            .collect();
        if best.eval.mate_moves() != Some(1) {
            line.first_mut()?.set_eval(review.best_after());
        }
        let mut end = review.before.clone();
        line.iter().for_each(|ply| end.push(ply.mv));
        if end.ending() != Some(Ending::Checkmate) {
            let symbol = self.scheme.positions.symbol(review.expected_score_best);
            line.last_mut()?.set_nag(Nag(symbol.nag()));
        }
        Some(line)
    }
}

impl Language {
    /// Returns the comment of an annotated game: `[%reason 47 allows bishop3 d8b6 g1h1 b6b2] Allows
    /// 11... Qb6+, which …`. The number is that of the characters of the sentence, so that a later
    /// review can replace it.
    fn reason_comment(self, ply: &JudgedMove) -> Option<String> {
        let (reason, text) = (ply.reason.as_ref()?, self.reason_text(ply)?);
        Some(format!(
            "[%{REASON} {} {}] {text}",
            text.chars().count(),
            reason.command(&ply.before)
        ))
    }
}

/// Adds symbols, except where an annotator gave one of the same kind, which stays. Returns the
/// annotator's symbols as they are written into our command, ` $4 $14`, so that a later review does
/// not take them for ours.
fn add_nags(ply: &mut Ply, nags: impl Iterator<Item = Nag>) -> String {
    let mut annotators: Vec<Nag> = ply
        .nags
        .iter()
        .copied()
        .filter(|nag| is_of_our_kind(*nag))
        .collect();
    for nag in nags {
        match ply.nags.iter().find(|own| nag.excludes(**own)) {
            Some(own) if annotators.contains(own) => {}
            Some(own) => annotators.push(*own),
            None => ply.set_nag(nag),
        }
    }
    annotators.iter().map(|nag| format!(" {nag}")).collect()
}
