//! Where the evaluations of reviews come from, by which curve and schemes they are judged.

use std::sync::Arc;

use centipawn_core::Curve;
use centipawn_engine::{Identity, Limit};
use centipawn_judge::{JudgeOptions, Judgement};

use crate::Language;

impl Language {
    /// Returns the analyst with its limit, the curve, the schemes.
    pub(crate) fn basis(self, judged: &Judgement) -> String {
        let curve = self.curve(&judged.curve);
        self.basis_with(
            &EvalSources::default().and(judged),
            judged,
            &curve,
            &judged.scheme.to_string(),
        )
    }

    /// Returns the same for many games, which may have different curves or schemes; `judged` is one
    /// of them. `sources` covers all of them.
    pub(crate) fn basis_of_each(
        self,
        judged: &Judgement,
        sources: &EvalSources,
        has_own_curves: bool,
        has_own_schemes: bool,
    ) -> String {
        let curve = match judged.curve {
            _ if !has_own_curves => self.curve(&judged.curve),
            Curve::Human(_) => self
                .pick(
                    "human by ratings and time of each game",
                    "human nach Wertungszahlen und Bedenkzeit jeder Partie",
                )
                .to_owned(),
            _ => self.pick("chosen for each game", "jeder Partie").to_owned(),
        };
        let own_schemes = || self.pick("chosen for each game", "jeder Partie").to_owned();
        let scheme = if has_own_schemes {
            own_schemes()
        } else {
            judged.scheme.to_string()
        };
        self.basis_with(sources, judged, &curve, &scheme)
    }

    fn basis_with(
        self,
        sources: &EvalSources,
        judged: &Judgement,
        curve: &str,
        scheme: &str,
    ) -> String {
        let labels = self.labels();
        let who = match &sources.analyst {
            Some(analyst) => format!(
                "{}, {}",
                analyst.with_options(),
                sources.limits(&judged.options, self)
            ),
            None => labels.own_evaluations.to_owned(),
        };
        format!(
            "{who}. {} {curve}; {} {scheme}.",
            labels.by_curve, labels.by_schemes
        )
    }
}

/// Where the evaluations of one or more reviews with the same options come from.
#[derive(Clone, Debug, Default)]
pub struct EvalSources {
    analyst: Option<Arc<Identity>>,
    positions: usize,
    /// Number of evaluations that were searched beyond the limit of the quick pass.
    deep: usize,
    /// Number of evaluations that were searched beyond all limits of the options.
    beyond: usize,
    reused: usize,
}

impl EvalSources {
    /// Returns the same with the positions of another review.
    #[must_use]
    pub fn and(self, judged: &Judgement) -> Self {
        let options = &judged.options;
        let searched = |is: &dyn Fn(Limit) -> bool| {
            judged
                .plies
                .iter()
                .filter(|ply| ply.limit.is_some_and(is))
                .count()
        };
        Self {
            analyst: self.analyst.or_else(|| judged.analyst.clone()),
            positions: self.positions + judged.plies.len(),
            deep: self.deep + searched(&|limit| Some(limit) != options.quick),
            beyond: self.beyond
                + searched(&|limit| limit != options.limit && Some(limit) != options.quick),
            reused: self.reused
                + judged
                    .plies
                    .iter()
                    .filter(|ply| judged.is_reused(ply))
                    .count(),
        }
    }

    /// Returns the limits of the searches: `1,000,000 nodes a position`, `100,000 nodes a position,
    /// 1,000,000 nodes at 12 of 54`; where the engine's last word left too much open, `a higher
    /// limit at 2 of 54`; then the number of evaluations from the game itself.
    fn limits(&self, options: &JudgeOptions, language: Language) -> String {
        let bound = if options.at_least {
            language.pick("at least ", "mindestens ")
        } else {
            ""
        };
        let at = |count: usize| {
            format!(
                "{} {count} {} {}",
                language.pick("at", "bei"),
                language.pick("of", "von"),
                self.positions
            )
        };
        let limit = language.limit(options.limit);
        let a_position = language.labels().a_position;
        let mut text = match options.quick {
            None => format!("{bound}{limit} {a_position}"),
            Some(quick) => {
                format!(
                    "{bound}{} {a_position}, {bound}{limit} {}",
                    language.limit(quick),
                    at(self.deep)
                )
            }
        };
        if self.beyond > 0 {
            text += &format!(
                ", {} {}",
                language.pick("a higher limit", "ein höheres Limit"),
                at(self.beyond)
            );
        }
        if self.reused > 0 {
            let reused = language.pick(
                "evaluations from the game itself",
                "Bewertungen aus der Partie selbst",
            );
            text += &format!("; {reused} {}", at(self.reused));
        }
        text
    }
}
