//! A reviewed game: its judgement, with the language of the sentences about it.

use std::{
    collections::BTreeSet,
    ops::Deref,
    sync::{Arc, OnceLock},
};

use centipawn_judge::{GameFindings, Judgement, judge_game};
use centipawn_pgn::Game;
use shakmaty::Color;

use crate::{Annotations, EvalSources, Extras, Language, PlayRating, ReviewOptions};

/// A reviewed game, which makes documents, sentences and the annotated game of a [`Judgement`].
///
/// A review dereferences to its judgement, so `review.plies` are the judged moves.
///
/// ```
/// # use std::sync::Arc;
/// # use centipawn_core::{Curve, Eval};
/// # use centipawn_judge::{GameFindings, PositionFindings};
/// # use centipawn_pgn::Reader;
/// # let game = Reader::new("1. f3 e5 2. g4 Qh4# 0-1".as_bytes()).next().unwrap()?.unwrap();
/// # let found = |(best, played)| PositionFindings {
/// #     lines: Vec::new(), best, played, played_last_exact: None, best_other: None, limit: None,
/// #     ease: Vec::new(), proof: None, answer: Vec::new(),
/// # };
/// # let evals = [
/// #     (Eval::cp(30), Eval::cp(-50)), (Eval::cp(60), Eval::cp(50)),
/// #     (Eval::cp(-60), Eval::mate(-1)), (Eval::mate(1), Eval::mate(1)),
/// # ];
/// # let findings = GameFindings {
/// #     analyst: None, curve: Curve::LICHESS, positions: evals.map(found).to_vec(),
/// # };
/// use centipawn_engine::Limit;
/// use centipawn_review::{Review, ReviewOptions};
///
/// // The game 1. f3 e5 2. g4 Qh4# with its findings, which `review_games` makes.
/// let options = ReviewOptions::new(Limit::Nodes(100_000));
/// let review = Review::judge(Arc::new(game), &findings, &options);
/// let remark = review.language.remark(&review.plies[2]);
/// assert_eq!(remark, "Turns a level position into a lost one. Allows mate in 1.");
/// assert!(review.annotated().to_string().contains("2. g4 $4"));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Review {
    /// The judged moves and totals that follow from the findings.
    pub judgement: Judgement,
    /// The language of sentences.
    pub language: Language,
    /// Whether the annotated game keeps existing annotations.
    pub annotations: Annotations,
    /// What further searches add to the annotated game; nothing by default.
    pub extras: Extras,
    /// Computed when asked for, since networks take some time.
    play_ratings: OnceLock<[Option<PlayRating>; 2]>,
}

impl Deref for Review {
    type Target = Judgement;

    fn deref(&self) -> &Judgement {
        &self.judgement
    }
}

impl Review {
    /// Creates the review of a judged game.
    pub fn new(judgement: Judgement, language: Language, annotations: Annotations) -> Self {
        Self {
            judgement,
            language,
            annotations,
            extras: Extras::default(),
            play_ratings: OnceLock::new(),
        }
    }

    /// Judges a game by its findings and writes the review. `options` give the rules of the
    /// judgement, the language and the kinds of annotations.
    pub fn judge(game: Arc<Game>, findings: &GameFindings, options: &ReviewOptions) -> Self {
        Self::new(
            judge_game(game, findings, &options.judge),
            options.language,
            options.annotations,
        )
    }

    /// Returns the options with which [`judge`](Self::judge) makes this review.
    pub fn review_options(&self) -> ReviewOptions {
        ReviewOptions {
            judge: self.judgement.options.clone(),
            language: self.language,
            annotations: self.annotations,
        }
    }

    /// Returns the notes under a review, in its language: what is remarkable about the end of the
    /// game, a forced mate that was left on the board, the players that its curve is about, a
    /// version of the engine that is not known, the strength that the moves show, suppressed
    /// praise, bounds of ease, and who evaluated by which curve.
    pub fn notes(&self) -> Vec<String> {
        let notes = [
            self.unplayed_mate_note(),
            self.curve_note(),
            self.version_note(),
            self.play_rating_note(),
            self.suppressed(),
            self.bounded_ease_note(),
            Some(self.language.basis(self)),
        ];
        self.closing_notes()
            .into_iter()
            .chain(notes.into_iter().flatten())
            .collect()
    }

    /// Returns sentences on what is remarkable about the end of the game, at most one for each
    /// side: `Black lost on time with an expected score of 0.90.`
    pub fn closing_notes(&self) -> Vec<String> {
        self.closings()
            .into_iter()
            .map(|closing| self.language.closing(closing))
            .collect()
    }

    /// Returns a sentence on a forced mate that was left on the board; `None` if there is none.
    pub fn unplayed_mate_note(&self) -> Option<String> {
        Some(self.language.unplayed_mate(self.unplayed_mate()?))
    }

    /// Returns a sentence on the errors that the searches leave in both players' accuracies and
    /// lost points; `None` if they are unknown.
    pub fn search_errors(&self) -> Option<String> {
        let players = [&self.white, &self.black].map(|player| {
            let accuracy = player.accuracy_error?;
            Some((accuracy, player.score_loss_error?))
        });
        self.language.search_errors(players)
    }

    /// Returns a sentence with the number of suppressed good-move symbols and the reasons; `None`
    /// if there are none.
    pub fn suppressed(&self) -> Option<String> {
        let language = self.language;
        let reasons: BTreeSet<&str> = self
            .plies
            .iter()
            .filter_map(|ply| ply.suppressed)
            .map(|(_, reason)| language.suppression(reason))
            .collect();
        let count = self
            .plies
            .iter()
            .filter(|ply| ply.suppressed.is_some())
            .count();
        let reasons = reasons.into_iter().collect::<Vec<_>>().join(", ");
        (count > 0).then(|| format!("{} {count} ({reasons}).", language.labels().suppressed))
    }

    /// Returns the ratings that the moves of this game show, White's first; `None` for a player
    /// with too few moves, and for both players if they are no humans, or not from Lichess.
    /// Computed once, since networks take some time.
    pub fn play_ratings(&self) -> [Option<PlayRating>; 2] {
        *self
            .play_ratings
            .get_or_init(|| PlayRating::of_players(self))
    }

    /// Returns a sentence with the ratings that the moves of this game show; `None` if there are
    /// none.
    pub fn play_rating_note(&self) -> Option<String> {
        let shown =
            Color::ALL
                .into_iter()
                .zip(self.play_ratings())
                .filter_map(|(color, rating)| {
                    let PlayRating {
                        rating, low, high, ..
                    } = rating?;
                    Some((self.name(color), rating, (low, high)))
                });
        self.language.play_ratings(&shown.collect::<Vec<_>>())
    }

    /// Names the model that is used because the version of Stockfish that evaluated is not known;
    /// `None` where it is known, or where the options name the curve.
    pub fn version_note(&self) -> Option<String> {
        self.language.version_note(self)
    }

    /// Explains the human curve of the review: the assumed players, the missing data, and the
    /// expected score of +3.00 for the real players. `None` for other curves.
    pub fn curve_note(&self) -> Option<String> {
        self.language.curve_note(self)
    }

    /// Returns a note on how many positions have only an upper bound of ease; `None` if all are
    /// exact.
    pub fn bounded_ease_note(&self) -> Option<String> {
        self.language.bounded_ease_note(self)
    }

    /// Returns the last of the [notes](Self::notes) for many games, which may have different curves
    /// or schemes. `sources` covers all of them.
    pub fn basis_of_each(
        &self,
        sources: &EvalSources,
        has_own_curves: bool,
        has_own_schemes: bool,
    ) -> String {
        self.language
            .basis_of_each(self, sources, has_own_curves, has_own_schemes)
    }
}
