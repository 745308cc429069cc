//! Describes hard moments in the reader's language.

use centipawn_core::{Finders, LevelCurve};
use centipawn_judge::{
    JudgedMove, Judgement,
    ease::{JudgedEase, levels, middle},
};
use shakmaty::Color;

use crate::Language;

impl Language {
    /// Returns which levels are expected to find a good move: `players from 1500 on are expected to
    /// find a good move (1100 40 %, 1500 55 %)`.
    pub fn who_finds(self, curve: &LevelCurve) -> String {
        format!("{} ({})", self.who(curve), self.finds(curve))
    }

    /// Returns each level's probability of a good move: `1100 40 %, 1500 55 %`.
    fn finds(self, curve: &LevelCurve) -> String {
        let levels = curve
            .points()
            .iter()
            .map(|point| format!("{}: {}", point.rating, self.percent(point.finds)));
        levels.collect::<Vec<_>>().join(", ")
    }

    fn who(self, curve: &LevelCurve) -> String {
        match curve.finders() {
            Finders::All => self
                .pick("all levels are expected to find a good move", "von jeder Stärke ist ein guter Zug zu erwarten")
                .to_owned(),
            Finders::From(rating) => self.pick(
                format!("players from {rating} on are expected to find a good move"),
                format!("ab {rating} ist ein guter Zug zu erwarten"),
            ),
            Finders::Some(found) => {
                let others = curve.points().iter().map(|point| point.rating).filter(|rating| !found.contains(rating));
                let (found, others) = (self.listed(&found), self.listed(&others.collect::<Vec<_>>()));
                self.pick(
                    format!(
                        "the levels give no order: players rated {found} are expected to find a good move, and those rated {others} \
                         are not"
                    ),
                    format!("nach Stärke ungeordnet: bei {found} ist ein guter Zug zu erwarten, bei {others} nicht"),
                )
            }
            Finders::Unclear => self
                .pick(
                    "the levels give no order: higher ones find a good move less often than lower ones",
                    "nach Stärke ungeordnet: höhere finden seltener einen guten Zug als niedrigere",
                )
                .to_owned(),
            Finders::None => self
                .pick("no level is expected to find a good move", "von keiner Stärke ist ein guter Zug zu erwarten")
                .to_owned(),
        }
    }

    /// Ratings in a sentence: `1100, 1300 and 1500`.
    fn listed(self, ratings: &[u32]) -> String {
        let texts: Vec<String> = ratings.iter().map(u32::to_string).collect();
        match texts.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, others)) => {
                format!("{} {} {last}", others.join(", "), self.pick("and", "und"))
            }
            None => String::new(),
        }
    }

    /// Returns the heading of the hardest moment.
    pub fn hardest_moment(self) -> &'static str {
        self.pick("The hardest moment:", "Der schwerste Moment:")
    }

    /// Returns how likely players like this one play a move: `12 % of players like White (1703)`.
    fn players_like(self, color: Color, rating: u32, p: f64) -> String {
        let (percent, white) = (self.percent(p), color.is_white());
        self.pick(
            format!(
                "{percent} of players like {} ({rating}) find it",
                if white { "White" } else { "Black" }
            ),
            format!(
                "{percent} der Spieler wie {} ({rating}) finden ihn",
                if white { "Weiß" } else { "Schwarz" }
            ),
        )
    }

    /// Returns a probability, 0..=1, in per cent.
    fn percent(self, p: f64) -> String {
        format!("{} %", self.number(100.0 * p, 0))
    }

    /// Returns what players of this rating lose here on average, beside what was lost, with the
    /// ease: `Players like White (1703) lose 0.12 points here on average, White lost 0.40; ease
    /// 0.55.`
    fn expected_loss(self, ply: &JudgedMove, judged: &JudgedEase) -> String {
        let is_white = ply.mover.is_white();
        let mover = self.pick(
            if is_white { "White" } else { "Black" },
            if is_white { "Weiß" } else { "Schwarz" },
        );
        let who = match (judged.player, judged.level) {
            (Some(rating), _) => self.pick(
                format!("Players like {mover} ({rating})"),
                format!("Spieler wie {mover} ({rating})"),
            ),
            (None, Some(level)) => self.pick(
                format!("Players rated {level}"),
                format!("Spieler mit Wertung {level}"),
            ),
            (None, None) => self.pick("Players".to_owned(), "Spieler".to_owned()),
        };
        let (expected, lost) = (
            self.number(judged.expected_loss, 2),
            self.number(ply.score_loss, 2),
        );
        let ease = self.ease(judged);
        self.pick(
            format!("{who} lose {expected} points here on average, {mover} lost {lost}; ease {ease}."),
            format!("{who} verlieren hier im Mittel {expected} Punkte, {mover} verlor {lost}; Leichtigkeit {ease}."),
        )
    }

    /// Describes how hard a moment was: the expected loss and ease, the move to find with each
    /// level's probability, the most tempting other move, and which levels are expected to find a
    /// good move. `None` without ease.
    pub fn hard_moment(self, ply: &JudgedMove) -> Option<String> {
        let judged = middle(&ply.ease)?;
        let san = |mv| self.san(&ply.before.san(mv));
        let mut sentences = vec![self.expected_loss(ply, judged)];
        let target = ply.to_be_found();
        let mut probabilities = String::new();
        if let Some(mv) = target {
            let likely = |judged: &JudgedEase| {
                Some(format!(
                    "{}: {}",
                    level(judged),
                    self.percent(judged.probability(mv)?)
                ))
            };
            let others = ply
                .ease
                .iter()
                .filter(|judged| judged.player.is_none())
                .filter_map(likely);
            let levels = others.collect::<Vec<_>>().join(", ");
            probabilities = ply
                .ease
                .iter()
                .filter_map(likely)
                .collect::<Vec<_>>()
                .join(", ");
            let (san, was_played) = (san(mv), mv == ply.mv);
            let own = judged
                .player
                .zip(judged.probability(mv))
                .map(|(rating, p)| self.players_like(ply.mover, rating, p));
            let who = match (own, levels.is_empty()) {
                (Some(own), true) => own,
                (Some(own), false) => format!("{own}; {levels}"),
                (None, _) => self.pick(format!("{levels} play it"), format!("so spielen {levels}")),
            };
            sentences.push(if was_played {
                self.pick(
                    format!("The move to find was {san}, and it was played ({who})."),
                    format!("{san} war zu finden und wurde gespielt ({who})."),
                )
            } else {
                self.pick(
                    format!("The move to find was {san} ({who})."),
                    format!("{san} war zu finden ({who})."),
                )
            });
        }
        if let Some(lure) = judged.lure().filter(|lure| Some(lure.mv) != target) {
            let (san, percent) = (
                san(lure.mv),
                format!("{}: {}", level(judged), self.percent(lure.p)),
            );
            sentences.push(if lure.mv == ply.mv {
                self.pick(
                    format!("The played move {san} is tempting ({percent})."),
                    format!("{san} lockt ({percent})."),
                )
            } else {
                self.pick(
                    format!("The tempting move is {san} ({percent})."),
                    format!("Stattdessen lockt {san} ({percent})."),
                )
            });
        }
        match levels(&ply.ease) {
            Some(curve) => {
                // With a single good move, the text already has its probabilities, so do not repeat
                // them.
                let who = if self.finds(&curve) == probabilities {
                    self.who(&curve)
                } else {
                    self.who_finds(&curve)
                };
                let (first, rest) = who.split_at(who.chars().next().map_or(0, char::len_utf8));
                sentences.push(format!("{}{rest}.", first.to_uppercase()));
            }
            None if judged.is_exact() => sentences.push(self.pick(
                format!(
                    "A good move is found by {}.",
                    self.percent(judged.ease.finds())
                ),
                format!(
                    "Einen guten Zug finden {}.",
                    self.percent(judged.ease.finds())
                ),
            )),
            None => {}
        }
        Some(sentences.join(" "))
    }

    /// `0.34`, or `at most 0.34` for an upper bound.
    pub(crate) fn ease(self, judged: &JudgedEase) -> String {
        let ease = self.number(judged.ease.sum, 2);
        if judged.is_exact() {
            ease
        } else {
            format!("{} {ease}", self.pick("at most", "höchstens"))
        }
    }
}

impl Language {
    /// Returns a note on how many positions have only an upper bound of ease; `None` if all are
    /// exact.
    pub(crate) fn bounded_ease_note(self, judged: &Judgement) -> Option<String> {
        let count = judged.bounded_ease();
        (count > 0).then(|| self.bounded_ease(count))
    }

    fn bounded_ease(self, count: usize) -> String {
        let positions = match count {
            1 => self.pick("1 position", "1 Stellung").to_owned(),
            _ => format!("{count} {}", self.pick("positions", "Stellungen")),
        };
        self.pick(
            format!(
                "Ease of {positions} is given as \"at most\": the game's evaluations leave out moves that humans play there."
            ),
            format!(
                "Für {positions} ist die Leichtigkeit nur nach oben begrenzt: Die Bewertungen der Partie lassen Züge aus, die \
                 Menschen dort spielen."
            ),
        )
    }
}

/// Returns the level that a network imitates: its rating, or else its name.
fn level(judged: &JudgedEase) -> String {
    judged
        .level
        .map_or_else(|| judged.policy.clone(), |rating| rating.to_string())
}

#[cfg(test)]
mod tests {
    use centipawn_core::LevelPoint;

    use super::*;

    #[test]
    fn one_position_is_no_positions() {
        let (en, de) = (Language::English, Language::German);
        assert!(
            en.bounded_ease(1)
                .starts_with("Ease of 1 position is given"),
            "{}",
            en.bounded_ease(1)
        );
        assert!(
            de.bounded_ease(1).starts_with("Für 1 Stellung ist"),
            "{}",
            de.bounded_ease(1)
        );
        assert!(
            en.bounded_ease(2)
                .starts_with("Ease of 2 positions is given"),
            "{}",
            en.bounded_ease(2)
        );
    }

    #[test]
    fn who_finds_it() {
        let curve = |finds: [f64; 2]| {
            let points = [1100, 1900].into_iter().zip(finds);
            LevelCurve::new(
                points
                    .map(|(rating, finds)| LevelPoint {
                        rating,
                        ease: 0.5,
                        finds,
                    })
                    .collect(),
            )
        };
        let (en, de) = (Language::English, Language::German);
        for (finds, english, german) in [
            ([0.6, 0.9], "all levels are expected", "von jeder Stärke"),
            ([0.4, 0.9], "players from 1900 on are expected", "ab 1900"),
            ([0.2, 0.2], "no level is expected", "von keiner Stärke"),
            (
                [0.4, 0.2],
                "the levels give no order: higher ones",
                "nach Stärke ungeordnet: höhere",
            ),
            (
                [0.56, 0.44],
                "the levels give no order: players rated 1100 are expected to find a good move, and those rated 1900 are not (",
                "nach Stärke ungeordnet: bei 1100 ist ein guter Zug zu erwarten, bei 1900 nicht (",
            ),
        ] {
            let curve = curve(finds);
            assert!(
                en.who_finds(&curve).starts_with(english)
                    && de.who_finds(&curve).starts_with(german)
            );
            let levels = format!(
                "(1100: {:.0} %, 1900: {:.0} %)",
                100.0 * finds[0],
                100.0 * finds[1]
            );
            assert!(
                en.who_finds(&curve).ends_with(&levels),
                "{}",
                en.who_finds(&curve)
            );
        }
    }
}
