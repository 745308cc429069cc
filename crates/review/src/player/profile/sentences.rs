//! The answers of a player's profile in sentences.

use centipawn_judge::{Cause, Phase, Topic};
use shakmaty::Color;

use super::{Ending, Finding};
use crate::Language;

/// Number of games below which nothing is said yet.
const FEW: usize = 50;

impl Language {
    /// Returns how a player does: the expected score lost in a game, that of players of the level
    /// with whether it is clearly less than the player's (`Some(true)`) or more, and the losses
    /// before and after a clear change.
    pub(crate) fn doing(
        self,
        loss: f64,
        level: Option<(f64, Option<bool>)>,
        trend: Option<(f64, f64)>,
    ) -> String {
        let points = |value| self.number(value, 2);
        let own = points(loss);
        let Some((level, is_worse)) = level else {
            let text = self.pick(
                format!("You lose {own} points a game by your moves."),
                format!("Du verlierst {own} Punkte je Partie durch deine Züge."),
            );
            return text + &self.trend(trend) + self.point();
        };
        let level = points(level);
        let (english, german) = match is_worse {
            Some(true) => ("more than", "mehr als"),
            Some(false) => ("less than", "weniger als"),
            None => ("about as much as", "etwa so viel wie"),
        };
        let text = self.pick(
            format!(
                "You lose {own} points a game by your moves, {english} players of your level in \
                 the same positions ({level})."
            ),
            format!(
                "Du verlierst {own} Punkte je Partie durch deine Züge, {german} Spieler deiner \
                 Stärke in denselben Stellungen ({level})."
            ),
        );
        text + &self.trend(trend) + self.point()
    }

    /// What a point is, and why a game can lose more than one.
    fn point(self) -> &'static str {
        self.pick(
            " A win is 1 point, and your opponents lose points, too.",
            " Ein Sieg ist 1 Punkt, und auch deine Gegner verlieren welche.",
        )
    }

    fn trend(self, trend: Option<(f64, f64)>) -> String {
        let Some((before, after)) = trend else {
            return String::new();
        };
        let [before, after] = [before, after].map(|value| self.number(value, 2));
        self.pick(
            format!(" In the older half of the games it was {before}, in the newer half {after}."),
            format!(
                " In der älteren Hälfte der Partien waren es {before}, in der neueren {after}."
            ),
        )
    }

    /// Returns what a finding costs, beside players of the level.
    pub(crate) fn finding(self, finding: Finding<'_>, own: f64, level: f64) -> String {
        let (loss, usual) = (self.loss(own), self.loss(level));
        let percent = |score: f64| format!("{} %", self.number(100.0 * score, 0));
        match finding {
            Finding::Cause(cause) => {
                let (english, german) = noun(cause);
                self.pick(
                    format!(
                        "You lose {loss} points a game by {english}; players of your level lose \
                         {usual}."
                    ),
                    format!(
                        "Du verlierst {loss} Punkte je Partie durch {german}; Spieler deiner \
                         Stärke verlieren {usual}."
                    ),
                )
            }
            Finding::Phase(_) | Finding::ShortOfTime => {
                let (english, german) = match finding {
                    Finding::Phase(phase) => in_phase(phase),
                    _ => ("with little time left", "in Zeitnot"),
                };
                self.pick(
                    format!(
                        "You lose {loss} points a game {english}; players of your level lose \
                         {usual} in the same positions."
                    ),
                    format!(
                        "Du verlierst {loss} Punkte je Partie {german}; Spieler deiner Stärke \
                         verlieren in denselben Stellungen {usual}."
                    ),
                )
            }
            Finding::Color(side, [own, other]) => {
                let (own, other) = (percent(own), percent(other));
                let name = |side: Color| {
                    self.pick(
                        side.fold_wb("White", "Black"),
                        side.fold_wb("Weiß", "Schwarz"),
                    )
                };
                let (worse, better) = (name(side), name(!side));
                self.pick(
                    format!("You score {own} with {worse}, but {other} with {better}."),
                    format!("Du holst {own} mit {worse}, aber {other} mit {better}."),
                )
            }
            Finding::Opening(side, name) => {
                let (english, german) = with_color(side);
                let (after, before) = (percent(own), percent(level));
                self.pick(
                    format!(
                        "After the opening, your positions are worth {after} in the {name} \
                         ({english}); they begin at {before}."
                    ),
                    format!(
                        "Nach der Eröffnung sind deine Stellungen in {name} ({german}) {after} \
                         wert; sie beginnen bei {before}."
                    ),
                )
            }
            Finding::Ending(ending) => {
                let (english, german) = in_ending(ending);
                let (own, usual) = (percent(own), percent(level));
                self.pick(
                    format!(
                        "You score {own} in games that reach {english}; your other results and \
                         the ratings let expect {usual}."
                    ),
                    format!(
                        "Du holst {own} in Partien mit {german}; nach deinen übrigen Ergebnissen \
                         und den Wertungen wären {usual} zu erwarten."
                    ),
                )
            }
        }
    }

    /// Returns points lost in a game, with more decimals if they are few.
    pub(crate) fn loss(self, loss: f64) -> String {
        self.number(loss, if loss < 0.0995 { 3 } else { 2 })
    }

    /// Returns that nothing stands out in a number of games.
    pub(crate) fn nothing_found(self, games: usize) -> String {
        let count = self.count(games as u64);
        if games < FEW {
            let (english, german) = if games == 1 {
                ("game", "Partie zeigt")
            } else {
                ("games", "Partien zeigen")
            };
            return self.pick(
                format!(
                    "Nothing yet: {count} {english} cannot show what costs you more than others."
                ),
                format!("Noch nichts: {count} {german} nicht, was dich mehr kostet als andere."),
            );
        }
        self.pick(
            format!(
                "Nothing: in {count} games you lose points where all players of your level do."
            ),
            format!(
                "Nichts: In {count} Partien verlierst du Punkte dort, wo alle Spieler deiner \
                 Stärke sie verlieren."
            ),
        )
    }

    /// Returns what costs all players of a level most.
    pub(crate) fn common_cause(self, cause: Cause, level: f64) -> String {
        let (english, german) = noun(cause);
        let level = self.loss(level);
        self.pick(
            format!("What costs all players of your level most: {english}, {level} points a game."),
            format!(
                "Was alle Spieler deiner Stärke am meisten kostet: {german}, {level} Punkte je \
                 Partie."
            ),
        )
    }

    /// Returns that causes are known only after a review by an engine.
    pub(crate) fn reasons_need_an_engine(self) -> &'static str {
        self.pick(
            "Why points are lost is known only after a review by an engine.",
            "Warum Punkte verloren gehen, zeigt nur eine Analyse mit einer Engine.",
        )
    }

    /// Returns the short name of a finding.
    pub(crate) fn finding_name(self, finding: Finding<'_>) -> String {
        match finding {
            Finding::Cause(cause) => capital(self.pick(noun(cause).0, noun(cause).1)),
            Finding::Phase(phase) => self.phase(phase).to_owned(),
            Finding::ShortOfTime => self.pick("Time trouble", "Zeitnot").to_owned(),
            Finding::Color(side, _) => {
                let (english, german) = with_color(side);
                capital(self.pick(english, german))
            }
            Finding::Opening(side, name) => {
                let (english, german) = with_color(side);
                format!("{name} ({})", self.pick(english, german))
            }
            Finding::Ending(ending) => {
                let (english, german) = in_ending(ending);
                capital(self.pick(english, german))
            }
        }
    }

    /// Returns what a lesson is: a number of positions from the player's games. `costs` are the
    /// points that they cost in a game, and those that they cost players of the level.
    pub(crate) fn now(
        self,
        finding: Finding<'_>,
        positions: usize,
        costs: Option<(f64, f64)>,
    ) -> String {
        let count = self.count(positions as u64);
        let (english, german) = subject(finding);
        let (plural, mehrzahl) = if positions == 1 {
            ("position", "Stellung")
        } else {
            ("positions", "Stellungen")
        };
        let text = self.pick(
            format!("Solve {count} {plural} from your own games: {english}."),
            format!("Löse {count} {mehrzahl} aus deinen Partien: {german}."),
        );
        let Some((own, level)) = costs.filter(|_| !finding.is_score()) else {
            return text;
        };
        let (own, level) = (self.loss(own), self.loss(level));
        text + &self.pick(
            format!(" There you lose {own} points a game, players of your level {level}."),
            format!(" Dabei verlierst du {own} Punkte je Partie, Spieler deiner Stärke {level}."),
        )
    }

    /// Returns the label of the button that starts a lesson.
    pub(crate) fn start(self, finding: Finding<'_>) -> String {
        let (english, german) = subject(finding);
        self.pick(format!("Practise: {english}"), format!("Üben: {german}"))
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

/// What a lesson is about, in English and in German.
fn subject(finding: Finding<'_>) -> (String, String) {
    let owned = |(english, german): (&str, &str)| (english.to_owned(), german.to_owned());
    match finding {
        Finding::Cause(cause) => owned(noun(cause)),
        Finding::Phase(Phase::Opening) => owned(("the opening", "die Eröffnung")),
        Finding::Phase(Phase::Middlegame) => owned(("the middlegame", "das Mittelspiel")),
        Finding::Phase(Phase::Endgame) => owned(("the endgame", "das Endspiel")),
        Finding::ShortOfTime => owned(("time trouble", "Zeitnot")),
        Finding::Color(side, _) => {
            let (english, german) = with_color(side);
            (
                format!("your games {english}"),
                format!("deine Partien {german}"),
            )
        }
        Finding::Opening(side, name) => {
            let (english, german) = with_color(side);
            (format!("{name} {english}"), format!("{name} {german}"))
        }
        Finding::Ending(ending) => owned(in_ending(ending)),
    }
}

fn in_phase(phase: Phase) -> (&'static str, &'static str) {
    match phase {
        Phase::Opening => ("in the opening", "in der Eröffnung"),
        Phase::Middlegame => ("in the middlegame", "im Mittelspiel"),
        Phase::Endgame => ("in the endgame", "im Endspiel"),
    }
}

fn with_color(side: Color) -> (&'static str, &'static str) {
    side.fold_wb(("with White", "mit Weiß"), ("with Black", "mit Schwarz"))
}

fn in_ending(ending: Ending) -> (&'static str, &'static str) {
    match ending {
        Ending::Pawns => ("pawn endings", "Bauernendspielen"),
        Ending::Rooks => ("rook endings", "Turmendspielen"),
        Ending::Queens => ("queen endings", "Damenendspielen"),
        Ending::MinorPieces => ("endings of bishops and knights", "Leichtfigurenendspielen"),
        Ending::Mixed => (
            "endings of different pieces",
            "Endspielen mit verschiedenen Figuren",
        ),
    }
}

/// A cause as the object of a loss, in English and in German: "by pieces left hanging".
fn noun(cause: Cause) -> (&'static str, &'static str) {
    match cause {
        Cause::Allows(topic) => match topic {
            Topic::HangingPiece => ("pieces left hanging", "eingestellte Figuren"),
            Topic::Pawn => ("pawns left hanging", "eingestellte Bauern"),
            Topic::Fork => ("the opponent’s forks", "Gabeln des Gegners"),
            Topic::Pin => ("the opponent’s pins", "Fesselungen des Gegners"),
            Topic::Skewer => ("the opponent’s skewers", "Spieße des Gegners"),
            Topic::DiscoveredAttack => ("the opponent’s discovered attacks", "Abzüge des Gegners"),
            Topic::RemovedDefender => ("captured defenders", "geschlagene Verteidiger"),
            Topic::Intermezzo => ("overlooked moves in between", "übersehene Zwischenzüge"),
            Topic::TrappedPiece => ("trapped pieces", "gefangene Figuren"),
            Topic::Promotion => ("the opponent’s promotions", "Umwandlungen des Gegners"),
            Topic::BackRank => ("mates on the back rank", "Matts auf der Grundreihe"),
            Topic::Mate => ("allowed mates", "zugelassene Matts"),
            Topic::PerpetualCheck => ("allowed perpetual checks", "zugelassenes Dauerschach"),
            Topic::DrawByRule => (
                "allowed stalemates and repetitions",
                "Patt und Zugwiederholung",
            ),
            Topic::Material => ("material lost to tactics", "Materialverluste durch Taktik"),
        },
        Cause::Misses(topic) => match topic {
            Topic::HangingPiece => ("missed hanging pieces", "übersehene hängende Figuren"),
            Topic::Pawn => ("missed wins of pawns", "verpasste Bauerngewinne"),
            Topic::Fork => ("missed forks", "verpasste Gabeln"),
            Topic::Pin => ("missed pins", "verpasste Fesselungen"),
            Topic::Skewer => ("missed skewers", "verpasste Spieße"),
            Topic::DiscoveredAttack => ("missed discovered attacks", "verpasste Abzüge"),
            Topic::RemovedDefender => (
                "missed captures of defenders",
                "verpasste Schläge auf Verteidiger",
            ),
            Topic::Intermezzo => ("missed moves in between", "verpasste Zwischenzüge"),
            Topic::TrappedPiece => ("missed traps of pieces", "verpasste Figurenfänge"),
            Topic::Promotion => ("missed promotions", "verpasste Umwandlungen"),
            Topic::BackRank => (
                "missed mates on the back rank",
                "verpasste Matts auf der Grundreihe",
            ),
            Topic::Mate => ("missed mates", "übersehene Matts"),
            Topic::PerpetualCheck => ("missed perpetual checks", "übersehenes Dauerschach"),
            Topic::DrawByRule => ("missed stalemates and repetitions", "verpasstes Patt"),
            Topic::Material => ("missed wins of material", "verpasste Materialgewinne"),
        },
        Cause::Unexplained => (
            "mistakes without a proven reason",
            "Fehler ohne bewiesenen Grund",
        ),
        Cause::Smaller => ("smaller losses", "kleinere Verluste"),
    }
}
