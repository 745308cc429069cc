//! Remarks on moves and the words of the report, in the reader's language.

use std::{fmt, str::FromStr, time::Duration};

use centipawn_core::{Eval, MoveScheme, MoveSymbol};
use serde::{Deserialize, Serialize};

use crate::{Labels, Phase, PlyReview, ShortMate};

/// The language of comments and reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Language {
    /// `en`
    #[default]
    #[serde(rename = "en")]
    English,
    /// `de`
    #[serde(rename = "de")]
    German,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 2] = [Language::English, Language::German];

    /// Its code (ISO 639-1), as on the command line and in HTML.
    pub fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::German => "de",
        }
    }

    /// The text for English or German.
    pub(crate) fn pick<T>(self, english: T, german: T) -> T {
        match self {
            Language::English => english,
            Language::German => german,
        }
    }

    /// A number with `decimals` decimals, in the language's notation.
    pub fn number(self, number: f64, decimals: usize) -> String {
        let text = format!("{number:.decimals$}").replace('-', "−");
        self.pick(text.clone(), text.replace('.', ","))
    }

    /// An evaluation: `+1.20`, `−0.35`, `#−3`.
    pub fn eval<View>(self, eval: Eval<View>) -> String
    where
        Eval<View>: fmt::Display,
    {
        let text = eval.to_string().replace('-', "−");
        self.pick(text.clone(), text.replace('.', ","))
    }

    /// A time: `0:07`, `12:34`, `1:02:03`.
    pub fn time(self, time: Duration) -> String {
        let seconds = time.as_secs_f64().round() as u64;
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
    }

    /// A phase's name.
    pub fn phase(self, phase: Phase) -> &'static str {
        match phase {
            Phase::Opening => self.pick("Opening", "Eröffnung"),
            Phase::Middlegame => self.pick("Middlegame", "Mittelspiel"),
            Phase::Endgame => self.pick("Endgame", "Endspiel"),
        }
    }

    /// The remark on a move: `Gives away a third of a point and the win: +2.40 → +0.30 (0.34 of a possible 0.89).`, or for a good move
    /// `Best by 0.40 of a point.` Where a short mate is all that matters: `Allows mate in 1: −9.00 → #−1 (0.02 of a possible 0.02).`
    /// Evaluations are White's.
    pub fn remark(self, ply: &PlyReview) -> String {
        if ply.symbol.is_some_and(MoveSymbol::is_praise) { self.praise(ply) } else { self.blame(ply) }
    }

    fn praise(self, ply: &PlyReview) -> String {
        let only_move = ply.is_only_move.then(|| match Standing::of(ply.mover_score(ply.expected_score_played)) {
            Some(Standing::Won) => {
                self.pick("The only move that keeps the win", "Der einzige Zug, der den Gewinn festhält")
            }
            _ => self.pick("The only move that holds", "Der einzige Zug, der hält"),
        });
        let ahead = self.number(ply.difference, 2);
        let mut text = match only_move {
            Some(only_move) => self.pick(
                format!("{only_move}; best by {ahead} of a point"),
                format!("{only_move}; um {ahead} Punkte der beste"),
            ),
            None => self.pick(format!("Best by {ahead} of a point"), format!("Um {ahead} Punkte der beste Zug")),
        };
        if let Some(other) = ply.next_best() {
            let (san, eval) = (self.san(&other.san), self.eval(other.eval));
            text += &self.pick(format!(" (next {san}, {eval})"), format!(" (nächstbester: {san}, {eval})"));
        }
        text + "."
    }

    /// The length in bytes of a remark of ours, in any language, at the beginning of a text; `None` if there is none.
    /// Within a remark full stops occur only in numbers, so it ends at the first one without a digit after it.
    pub(crate) fn remark_at(text: &str) -> Option<usize> {
        const BEGINNINGS: [&str; 12] = [
            "Throws away ",
            "Wirft eine gewonnene ",
            "Gives away ",
            "Verschenkt ",
            "Allows mate in ",
            "Lässt Matt in ",
            "Misses mate in ",
            "Übersieht Matt in ",
            "Best by ",
            "Um ",
            Language::ONLY_MOVE[0],
            Language::ONLY_MOVE[1],
        ];
        BEGINNINGS.iter().any(|beginning| text.starts_with(beginning)).then_some(())?;
        let mut points = text.match_indices('.').map(|(at, _)| at + 1);
        points.find(|&end| !text[end..].starts_with(|next: char| next.is_ascii_digit()))
    }

    /// The beginnings of a remark on a move with `□`.
    pub(crate) const ONLY_MOVE: [&str; 2] = ["The only move ", "Der einzige Zug"];

    fn blame(self, ply: &PlyReview) -> String {
        let (best, played) = (ply.best.for_mover(ply.mover), ply.played.for_mover(ply.mover));
        let [possible, got] = [ply.expected_score_best, ply.expected_score_played].map(|score| ply.mover_score(score));
        let loss = ply.loss.expected_score;
        let change = format!("{} → {}", self.eval(ply.best), self.eval(ply.played));
        let [lost, all] = [loss, possible].map(|score| self.number(score, 2));
        let close = |what: String| match lost == all && loss >= 0.005 {
            true => self.pick(
                format!("{what}: {change} ({lost}, all that was possible)."),
                format!("{what}: {change} ({lost}, alles, was möglich war)."),
            ),
            false => self.pick(
                format!("{what}: {change} ({lost} of a possible {all})."),
                format!("{what}: {change} ({lost} von möglichen {all})."),
            ),
        };
        // A mate that costs less than any symbol asks for is all there is to say.
        let [.., least] = ply.scheme.thresholds();
        match ply.short_mate().filter(|_| loss < least) {
            Some(ShortMate::Allowed(moves)) => {
                return close(self.pick(format!("Allows mate in {moves}"), format!("Lässt Matt in {moves} zu")));
            }
            Some(ShortMate::Missed(moves)) => {
                return close(self.pick(format!("Misses mate in {moves}"), format!("Übersieht Matt in {moves}")));
            }
            None => {}
        }
        let standings = (Standing::of(possible), Standing::of(got));
        let is_thrown_away = standings == (Some(Standing::Won), Some(Standing::Lost));
        let mate = |eval: Eval<_>, given: bool| eval.mate_moves().filter(|moves| (*moves > 0) == given);
        let named = |moves: &i32| moves.abs() <= NAMED_MATE;
        let mut what = match is_thrown_away {
            true => self.pick("Throws away a won game", "Wirft eine gewonnene Partie weg").to_owned(),
            false => {
                let amount = self.amount(loss, ply.scheme);
                self.pick(format!("Gives away {amount}"), format!("Verschenkt {amount}"))
            }
        };
        if let Some(moves) = mate(best, true).filter(|_| mate(played, true).is_none()).filter(named) {
            what += &self.pick(format!(" and misses mate in {moves}"), format!(" und übersieht Matt in {moves}"));
        }
        if let Some(moves) = mate(played, false).filter(|_| mate(best, false).is_none()).filter(named).map(i32::abs) {
            what += &self.pick(format!(" and allows mate in {moves}"), format!(" und lässt Matt in {moves} zu"));
        } else if mate(best, true).is_none() {
            what += match standings {
                (Some(Standing::Won), Some(Standing::Level)) => self.pick(" and the win", " und den Gewinn"),
                // With many pieces left, a level game is not yet a draw.
                (Some(Standing::Level), Some(Standing::Lost)) if ply.phase == Phase::Endgame => {
                    self.pick(" and the draw", " und das Remis")
                }
                _ => "",
            };
        }
        close(what)
    }

    /// A part of a point in words: the nearest common fraction. Where that is on the other side of a symbol's threshold, the words
    /// say so, so that one symbol's words are never another's: with `??` from a quarter of a point on, 0.24 is nearly a quarter.
    fn amount(self, points: f64, scheme: MoveScheme) -> String {
        const AMOUNTS: [(f64, [&str; 2]); 12] = [
            (0.05, ["a little", "ein wenig"]),
            (0.1, ["a tenth of a point", "einen Zehntelpunkt"]),
            (0.125, ["an eighth of a point", "einen Achtelpunkt"]),
            (0.2, ["a fifth of a point", "einen Fünftelpunkt"]),
            (0.25, ["a quarter of a point", "einen Viertelpunkt"]),
            (1.0 / 3.0, ["a third of a point", "einen Drittelpunkt"]),
            (0.4, ["two fifths of a point", "zwei Fünftel des Punktes"]),
            (0.5, ["half a point", "einen halben Punkt"]),
            (2.0 / 3.0, ["two thirds of a point", "zwei Drittel des Punktes"]),
            (0.75, ["three quarters of a point", "drei Viertel des Punktes"]),
            (0.9, ["nearly the whole point", "fast den ganzen Punkt"]),
            (1.0, ["the whole point", "den ganzen Punkt"]),
        ];
        let near = |(fraction, _): &(f64, _)| (fraction - points).abs();
        let nearest = AMOUNTS.iter().min_by(|a, b| near(a).total_cmp(&near(b)));
        let (fraction, words) = nearest.map_or((points, ["", ""]), |(fraction, words)| (*fraction, *words));
        let words = self.pick(words[0], words[1]);
        let [symbol, of_fraction] = [points, fraction].map(|points| scheme.symbol(-points));
        if symbol == of_fraction || symbol.is_none() || fraction < 0.1 {
            words.to_owned()
        } else if fraction > points {
            format!("{} {words}", self.pick("nearly", "fast"))
        } else {
            format!("{} {words}", self.pick("more than", "mehr als"))
        }
    }
}

/// The longest mate that is named; the evaluation shows longer ones.
const NAMED_MATE: i32 = 6;

/// Whether a position is won, level or lost, where that is beyond dispute.
///
/// The limits are those of the symbols in scheme `s40`: a position counts as won from an expected score of 7/8 (`++−`, twice the
/// win-draw balance) and as level up to 13/20 (`=` and `⩲`). Positions between them have no standing: at the balance (`+−`) a
/// win and a draw are equally likely. Two standings differ by more than a fifth of a point, so no small loss counts as the loss
/// of a win or a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    Lost,
    Level,
    Won,
}

impl Standing {
    /// The standing of the player with this expected score, 0..=1; `None` between the standings.
    pub(crate) fn of(score: f64) -> Option<Self> {
        const WON: f64 = 7.0 / 8.0;
        const LEVEL: f64 = 13.0 / 20.0;
        match score {
            _ if score >= WON => Some(Standing::Won),
            _ if score <= 1.0 - WON => Some(Standing::Lost),
            _ if (1.0 - LEVEL..=LEVEL).contains(&score) => Some(Standing::Level),
            _ => None,
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(code: &str) -> Result<Self, UnknownLanguage> {
        Self::ALL.into_iter().find(|language| language.code() == code).ok_or_else(|| UnknownLanguage(code.to_owned()))
    }
}

/// A language that Centipawn does not write.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown language {0:?}; choose en (English) or de (German)")]
pub struct UnknownLanguage(String);

impl Language {
    /// The words of tables and headings.
    pub fn labels(self) -> &'static Labels {
        self.pick(&Labels::ENGLISH, &Labels::GERMAN)
    }

    /// The word before a better line: `Better:`.
    pub fn better(self) -> &'static str {
        self.labels().better
    }

    /// The heading of the accuracy column, ten characters at most.
    pub fn accuracy_short(self) -> &'static str {
        self.labels().accuracy_short
    }

    /// The heading of the relevant-loss column, fifteen characters at most.
    pub fn relevant_loss_short(self) -> &'static str {
        self.labels().relevant_loss_short
    }

    /// The reason why a symbol is suppressed.
    pub(crate) fn reason(self, reason: crate::Suppression) -> &'static str {
        use crate::Suppression;
        match reason {
            Suppression::Recapture => self.pick("recapture", "Wiedernehmen"),
            Suppression::WinsMaterial => self.pick("wins material at once", "gewinnt sofort Material"),
            Suppression::AnswersCheck => self.pick("answers check", "beantwortet ein Schach"),
            Suppression::Mates => self.pick("mates", "setzt matt"),
            Suppression::JustMoved => self.pick("captures the piece that just moved", "schlägt, was eben dorthin zog"),
            Suppression::TwoMoves => self.pick("two legal moves", "zwei legale Züge"),
            Suppression::MateContinues => self.pick("mate continues", "Matt läuft schon"),
            Suppression::Repeats => self.pick("repeats a position", "wiederholt eine Stellung"),
            Suppression::NotListed => self.pick("not among the engine's lines", "nicht unter den Varianten"),
            Suppression::Theory => self.pick("known opening", "bekannte Eröffnung"),
            Suppression::Natural => self.pick("most players find it", "die meisten Spieler finden ihn"),
            Suppression::NotInteresting => self.pick("not unusual", "nicht ungewöhnlich"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use centipawn_core::White;

    use super::*;

    #[test]
    fn numbers_and_evaluations() {
        let (en, de) = (Language::English, Language::German);
        assert_eq!((en.number(-0.354, 2), de.number(1.5, 1)), ("−0.35".into(), "1,5".into()));
        assert_eq!(
            (en.eval(Eval::<White>::cp(120)), de.eval(Eval::<White>::cp(-35))),
            ("+1.20".into(), "−0,35".into())
        );
        assert_eq!(de.eval(Eval::<White>::mate(-3)), "#−3");
        assert_eq!(en.time(Duration::from_millis(7400)), "0:07");
        assert_eq!(en.time(Duration::from_secs(3723)), "1:02:03");
    }

    #[test]
    fn parts_of_a_point() {
        let words = |scheme| move |points| Language::English.amount(points, scheme);
        assert_eq!(
            [0.05, 0.1, 0.149, 0.151, 0.19, 0.24, 0.26, 0.34, 0.38, 0.5, 0.62, 0.97].map(words(MoveScheme::S20)),
            [
                "a little",
                "a tenth of a point",
                "an eighth of a point",
                "more than an eighth of a point",
                "a fifth of a point",
                "nearly a quarter of a point",
                "a quarter of a point",
                "a third of a point",
                "two fifths of a point",
                "half a point",
                "two thirds of a point",
                "the whole point"
            ]
        );
        assert_eq!(
            [0.13, 0.24, 0.34, 0.37, 0.38].map(words(MoveScheme::S8)),
            [
                "an eighth of a point",
                "nearly a quarter of a point",
                "a third of a point",
                "nearly two fifths of a point",
                "two fifths of a point",
            ]
        );
    }

    /// No two symbols share the words for what they cost.
    #[test]
    fn words_belong_to_one_symbol() {
        for (language, scheme) in
            Language::ALL.into_iter().flat_map(|language| MoveScheme::ALL.map(|scheme| (language, scheme)))
        {
            let mut symbols = BTreeMap::new();
            for thousandths in 100..=1000 {
                let points = f64::from(thousandths) / 1000.0;
                let Some(symbol) = scheme.symbol(-points) else { continue };
                let words = language.amount(points, scheme);
                assert_eq!(*symbols.entry(words.clone()).or_insert(symbol), symbol, "{scheme:?}: {words} at {points}");
            }
        }
    }

    #[test]
    fn standings_are_far_apart() {
        let of = |score| Standing::of(score);
        assert_eq!([0.875, 0.65, 0.35, 0.125].map(of), [Won, Level, Level, Lost].map(Some));
        assert_eq!([0.87, 0.75, 0.66, 0.34, 0.25, 0.13].map(of), [None; 6]);
        use Standing::{Level, Lost, Won};
    }

    #[test]
    fn a_remark_ends_where_its_sentence_does() {
        for remark in [
            "Gives away a third of a point and the win: +2.40 → +0.30 (0.34 of a possible 0.89).",
            "Throws away a won game: −5.09 → +2.50 (0.71 of a possible 0.93).",
            "Wirft eine gewonnene Partie weg: −5,09 → +2,50 (0,71 von möglichen 0,93).",
            "Gives away half a point: +0.20 → #−5 (0.52, all that was possible).",
            "Verschenkt einen halben Punkt: +1,20 → −0,35 (0,62 von möglichen 0,89).",
            "Best by 0.40 of a point.",
            "Allows mate in 1: −9.00 → #−1 (0.02 of a possible 0.02).",
            "Übersieht Matt in 2: #2 → +9,00 (0,02 von möglichen 1,00).",
            "The only move that holds; best by 0.31 of a point (next Qxh7+, −2.50).",
            "Der einzige Zug, der hält; um 0,31 Punkte der beste (nächstbester: c3, −2,50).",
        ] {
            assert_eq!(Language::remark_at(remark), Some(remark.len()));
            assert_eq!(Language::remark_at(&format!("{remark} 2. d4 was better.")), Some(remark.len()));
        }
        assert_eq!(Language::remark_at("Nonsense, Boris."), None);
        assert_eq!(Language::remark_at("Gives away 0.5"), None);
    }

    #[test]
    fn codes() {
        for language in Language::ALL {
            assert_eq!(language.to_string().parse(), Ok(language));
        }
        assert!("xx".parse::<Language>().unwrap_err().to_string().contains("de (German)"));
    }
}
