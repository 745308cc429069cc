//! Causes in words: what a coach says about a player.

use centipawn_judge::{Cause, Topic};

use crate::Language;

impl Language {
    /// Returns a cause with its number of moves and the points lost: `hangs pieces: 9 times, 3.1
    /// points`.
    pub(crate) fn cause(self, cause: Cause, count: u64, score_loss: f64) -> String {
        let (english, german) = words(cause);
        let times = match (cause, count) {
            (Cause::Smaller, 1) => self.pick("1 move".to_owned(), "1 Zug".to_owned()),
            (Cause::Smaller, _) => {
                let count = self.count(count);
                self.pick(format!("{count} moves"), format!("{count} Züge"))
            }
            (_, 1) => self.pick("once", "einmal").to_owned(),
            (_, 2) => self.pick("twice", "zweimal").to_owned(),
            _ => {
                let count = self.count(count);
                self.pick(format!("{count} times"), format!("{count}-mal"))
            }
        };
        let points = self.number(score_loss, if score_loss < 0.995 { 2 } else { 1 });
        format!(
            "{}: {times}, {points} {}",
            self.pick(english, german),
            self.pick("points", "Punkte")
        )
    }
}

/// Returns a cause in English and in German.
fn words(cause: Cause) -> (&'static str, &'static str) {
    match cause {
        Cause::Allows(topic) => match topic {
            Topic::HangingPiece => ("hangs pieces", "stellt Figuren ein"),
            Topic::Pawn => ("loses pawns", "stellt Bauern ein"),
            Topic::Fork => ("allows forks", "lässt Gabeln zu"),
            Topic::Pin => ("allows pins", "lässt Fesselungen zu"),
            Topic::Skewer => ("allows skewers", "lässt Spieße zu"),
            Topic::DiscoveredAttack => ("allows discovered attacks", "lässt Abzüge zu"),
            Topic::RemovedDefender => ("lets defenders be captured", "lässt Verteidiger schlagen"),
            Topic::Intermezzo => ("overlooks moves in between", "übersieht Zwischenzüge"),
            Topic::TrappedPiece => ("gets pieces trapped", "lässt Figuren fangen"),
            Topic::Promotion => ("lets pawns promote", "lässt Bauern umwandeln"),
            Topic::BackRank => ("leaves the back rank open", "lässt die Grundreihe offen"),
            Topic::Mate => ("allows mate", "lässt Matt zu"),
            Topic::PerpetualCheck => ("allows perpetual checks", "lässt Dauerschach zu"),
            Topic::DrawByRule => (
                "allows stalemates and repetitions",
                "lässt Patt und Zugwiederholung zu",
            ),
            Topic::Material => ("loses material by force", "verliert forciert Material"),
        },
        Cause::Misses(topic) => match topic {
            Topic::HangingPiece => ("misses hanging pieces", "übersieht hängende Figuren"),
            Topic::Pawn => ("misses wins of pawns", "verpasst Bauerngewinne"),
            Topic::Fork => ("misses forks", "verpasst Gabeln"),
            Topic::Pin => ("misses pins", "verpasst Fesselungen"),
            Topic::Skewer => ("misses skewers", "verpasst Spieße"),
            Topic::DiscoveredAttack => ("misses discovered attacks", "verpasst Abzüge"),
            Topic::RemovedDefender => (
                "misses captures of defenders",
                "verpasst es, Verteidiger zu schlagen",
            ),
            Topic::Intermezzo => ("misses moves in between", "verpasst Zwischenzüge"),
            Topic::TrappedPiece => (
                "misses chances to trap pieces",
                "verpasst es, Figuren zu fangen",
            ),
            Topic::Promotion => ("misses promotions", "verpasst Umwandlungen"),
            Topic::BackRank => (
                "misses mates on the back rank",
                "verpasst Matts auf der Grundreihe",
            ),
            Topic::Mate => ("misses mate", "übersieht Matt"),
            Topic::PerpetualCheck => ("misses perpetual checks", "übersieht Dauerschach"),
            Topic::DrawByRule => (
                "misses stalemates and repetitions",
                "übersieht Patt und Zugwiederholung",
            ),
            Topic::Material => ("misses wins of material", "verpasst Materialgewinne"),
        },
        Cause::Unexplained => (
            "mistakes without a proven reason",
            "Fehler ohne bewiesenen Grund",
        ),
        Cause::Smaller => ("smaller losses", "kleinere Verluste"),
    }
}
