//! The remark on a move: what it does to the result, in a sentence of chess; and the numbers behind
//! it.

use centipawn_core::MoveSymbol;
use centipawn_judge::{
    JudgedMove, Outlook, ResultChange, ShortMate, Standing,
    reason::{Gain, Reason, ReasonKind},
};

use crate::Language;

/// A sentence in English and in German.
type Words = [&'static str; 2];

const WON_TO_LOST: Words = [
    "Throws away a won game.",
    "Wirft eine gewonnene Partie weg.",
];
const WON_TO_WORSE: Words = [
    "Turns a winning position into a difficult one.",
    "Macht aus einer Gewinnstellung eine schwierige.",
];
const WON_TO_LEVEL: Words = ["Throws away the win.", "Verschenkt den Gewinn."];
const WON_TO_BETTER: Words = ["Makes the win harder.", "Erschwert den Gewinn."];
const WON_TO_SLIGHTLY_BETTER: Words = [
    "Gives away most of a winning advantage.",
    "Verschenkt den größten Teil eines Gewinnvorteils.",
];
const WON_LESS_CLEARLY: Words = [
    "Still winning, but less clearly.",
    "Noch gewonnen, aber weniger klar.",
];
const STILL_WON: Words = ["Still winning.", "Noch immer gewonnen."];
const BETTER_TO_LOST: Words = [
    "Turns a better position into a lost one.",
    "Macht aus einer besseren Stellung eine verlorene.",
];
const BETTER_TO_WORSE: Words = [
    "Turns a better position into a difficult one.",
    "Macht aus einer besseren Stellung eine schwierige.",
];
const BETTER_TO_LEVEL: Words = ["Gives away the advantage.", "Verschenkt den Vorteil."];
const LESS_BETTER: Words = [
    "Gives away part of the advantage.",
    "Verschenkt einen Teil des Vorteils.",
];
const DRAW_TO_LOST: Words = ["Gives away the draw.", "Verschenkt das Remis."];
const LEVEL_TO_LOST: Words = [
    "Turns a level position into a lost one.",
    "Macht aus einer ausgeglichenen Stellung eine verlorene.",
];
const LEVEL_TO_MUCH_WORSE: Words = [
    "Gives the opponent a clear advantage.",
    "Überlässt dem Gegner klaren Vorteil.",
];
const LEVEL_TO_WORSE: Words = [
    "Gives the opponent the better position.",
    "Überlässt dem Gegner die bessere Stellung.",
];
const MORE_ADVANTAGE: Words = [
    "Increases the opponent's advantage.",
    "Vergrößert den Vorteil des Gegners.",
];
const INACCURACY: Words = ["A small inaccuracy.", "Eine kleine Ungenauigkeit."];
const SMALL_ADVANTAGE_LOST: Words = [
    "Gives away a small advantage.",
    "Verschenkt einen kleinen Vorteil.",
];
const SMALL_ADVANTAGE_GIVEN: Words = [
    "Gives the opponent a small advantage.",
    "Überlässt dem Gegner einen kleinen Vorteil.",
];
const WORSE_TO_LOST: Words = [
    "Turns a difficult position into a lost one.",
    "Macht aus einer schwierigen Stellung eine verlorene.",
];
const MORE_WORSE: Words = [
    "Makes a difficult position worse.",
    "Verschlechtert eine schwierige Stellung.",
];
const LAST_CHANCES: Words = [
    "Gives away the last chances.",
    "Vergibt die letzten Chancen.",
];
const EASIER: Words = [
    "Makes it easier for the opponent.",
    "Macht es dem Gegner leichter.",
];
const ALREADY_LOST: Words = [
    "The position was already lost.",
    "Die Stellung war schon verloren.",
];

const ONLY_WIN: Words = [
    "The only move that keeps the win.",
    "Der einzige Zug, der den Gewinn festhält.",
];
const ONLY_HOLD: Words = ["The only move that holds.", "Der einzige Zug, der hält."];
const BEST_BY_FAR: Words = ["By far the best move.", "Der mit Abstand beste Zug."];
const CLEARLY_BEST: Words = ["Clearly the best move.", "Der klar beste Zug."];
const BEST: Words = ["The best move.", "Der beste Zug."];
const BEST_TRY: Words = [
    "The best try in a lost position.",
    "Der beste Versuch in verlorener Stellung.",
];

const SENTENCES: [Words; 33] = [
    WON_TO_LOST,
    WON_TO_WORSE,
    WON_TO_LEVEL,
    WON_TO_BETTER,
    WON_TO_SLIGHTLY_BETTER,
    WON_LESS_CLEARLY,
    STILL_WON,
    BETTER_TO_LOST,
    BETTER_TO_WORSE,
    BETTER_TO_LEVEL,
    LESS_BETTER,
    DRAW_TO_LOST,
    LEVEL_TO_LOST,
    LEVEL_TO_MUCH_WORSE,
    LEVEL_TO_WORSE,
    MORE_ADVANTAGE,
    INACCURACY,
    SMALL_ADVANTAGE_LOST,
    SMALL_ADVANTAGE_GIVEN,
    WORSE_TO_LOST,
    MORE_WORSE,
    LAST_CHANCES,
    EASIER,
    ALREADY_LOST,
    ONLY_WIN,
    ONLY_HOLD,
    BEST_BY_FAR,
    CLEARLY_BEST,
    BEST,
    BEST_TRY,
    BLUNDER,
    MISTAKE,
    DUBIOUS,
];

const MISSES_MATE: Words = ["Misses mate in ", "Übersieht Matt in "];
const MISSES_MATE_END: Words = [".", "."];
const ALLOWS_MATE: Words = ["Allows mate in ", "Lässt Matt in "];
/// The end of the sentence after the number of moves.
const ALLOWS_MATE_END: Words = [".", " zu."];

/// Said of a mistake whose change of the result was said before.
const BLUNDER: Words = ["A blunder.", "Ein grober Fehler."];
const MISTAKE: Words = ["A mistake.", "Ein Fehler."];
const DUBIOUS: Words = ["An inaccuracy.", "Eine Ungenauigkeit."];

/// Number of moves of the longest mate that a remark names. Longer mates are visible in the
/// evaluation.
const NAMED_MATE: i32 = 6;
/// Returns the sentence about a change of the result.
fn sentence(change: ResultChange) -> Words {
    match change {
        ResultChange::WonToLost => WON_TO_LOST,
        ResultChange::WonToWorse => WON_TO_WORSE,
        ResultChange::WonToLevel => WON_TO_LEVEL,
        ResultChange::WonToSlightlyBetter => WON_TO_SLIGHTLY_BETTER,
        ResultChange::WonToBetter => WON_TO_BETTER,
        ResultChange::StillWon => STILL_WON,
        ResultChange::WonLessClearly => WON_LESS_CLEARLY,
        ResultChange::BetterToLost => BETTER_TO_LOST,
        ResultChange::BetterToWorse => BETTER_TO_WORSE,
        ResultChange::BetterToLevel => BETTER_TO_LEVEL,
        ResultChange::LessBetter => LESS_BETTER,
        ResultChange::DrawToLost => DRAW_TO_LOST,
        ResultChange::LevelToLost => LEVEL_TO_LOST,
        ResultChange::LevelToMuchWorse => LEVEL_TO_MUCH_WORSE,
        ResultChange::LevelToWorse => LEVEL_TO_WORSE,
        ResultChange::MoreAdvantage => MORE_ADVANTAGE,
        ResultChange::SmallAdvantageGiven => SMALL_ADVANTAGE_GIVEN,
        ResultChange::SmallAdvantageLost => SMALL_ADVANTAGE_LOST,
        ResultChange::Inaccuracy => INACCURACY,
        ResultChange::WorseToLost => WORSE_TO_LOST,
        ResultChange::MoreWorse => MORE_WORSE,
        ResultChange::LastChances => LAST_CHANCES,
        ResultChange::EasierForOpponent => EASIER,
        ResultChange::AlreadyLost => ALREADY_LOST,
    }
}

impl Language {
    fn say(self, words: Words) -> &'static str {
        self.pick(words[0], words[1])
    }

    /// Returns what a move does to the result, and why, for a reader who sees this move alone:
    /// `Throws away a won game. Leaves the rook on d5 hanging: 34... Rxd5.` `None` if there is
    /// nothing to say.
    pub fn explanation(self, ply: &JudgedMove) -> Option<String> {
        if !ply.has_remark() {
            return None;
        }
        let mut alone = ply.clone();
        alone.repeats_change = false;
        let remark = self.remark(&alone);
        Some(match self.reason_text(ply) {
            Some(reason) => format!("{remark} {reason}"),
            None => remark,
        })
    }

    /// Returns the remark on a move: what it does to the result, `Throws away the win.`, and the
    /// mate that it misses or allows, unless the reason says so: `Turns a level position into a
    /// lost one. Allows mate in 3.` What a remark on an earlier move of the player said is not
    /// repeated: `A mistake.` For a good move, `The only move that holds.`
    pub fn remark(self, ply: &JudgedMove) -> String {
        if let Some(symbol) = ply.symbol.filter(|symbol| symbol.is_praise()) {
            let played = ply.mover_score(ply.expected_score);
            return self.say(praise(symbol, ply, played)).to_owned();
        }
        let (change, mate) = (
            self.say(sentence(ply.result_change)),
            self.mate_sentence(ply),
        );
        match mate {
            Some(mate) if ply.repeats_change => mate,
            Some(mate) => format!("{change} {mate}"),
            None => match ply.symbol.filter(|_| ply.repeats_change) {
                Some(MoveSymbol::Blunder) => self.say(BLUNDER).to_owned(),
                Some(MoveSymbol::Mistake) => self.say(MISTAKE).to_owned(),
                Some(MoveSymbol::Dubious) => self.say(DUBIOUS).to_owned(),
                _ => change.to_owned(),
            },
        }
    }

    /// Returns the mate that a move misses or allows; `None` if there is none, or if the reason
    /// says it.
    fn mate_sentence(self, ply: &JudgedMove) -> Option<String> {
        let [best, played] = [ply.eval_before, ply.eval_played]
            .map(|eval| eval.for_mover(ply.mover).mate_moves().unwrap_or(0));
        let (kind, moves) = match ply.short_mate() {
            Some(ShortMate::Missed(moves)) => (ReasonKind::Misses, moves),
            Some(ShortMate::Allowed(moves)) => (ReasonKind::Allows, moves),
            None if (1..=NAMED_MATE).contains(&best) && played <= 0 => (ReasonKind::Misses, best),
            None if (-NAMED_MATE..0).contains(&played) && best >= 0 => {
                (ReasonKind::Allows, -played)
            }
            None => return None,
        };
        let says_it = |reason: &Reason| reason.kind == kind && matches!(reason.gain, Gain::Mate(_));
        if ply.reason.as_ref().is_some_and(says_it) {
            return None;
        }
        Some(match kind {
            ReasonKind::Misses | ReasonKind::Achieves => format!(
                "{}{moves}{}",
                self.say(MISSES_MATE),
                self.say(MISSES_MATE_END)
            ),
            ReasonKind::Allows => format!(
                "{}{moves}{}",
                self.say(ALLOWS_MATE),
                self.say(ALLOWS_MATE_END)
            ),
        })
    }

    /// Returns the numbers behind a remark: `+2.40 → +0.30; White's expected score 0.89 → 0.55`, or
    /// for a good move `Next best: a6 (+2.03); its expected score is 0.27 lower`. Evaluations are
    /// White's, the expected score the mover's. If the symbol is [unsure](JudgedMove::is_unsure),
    /// also how likely it stands: `?! stands with 62 %`.
    pub fn remark_numbers(self, ply: &JudgedMove) -> String {
        let numbers = self.numbers(ply);
        match (ply.symbol, ply.certainty) {
            (Some(symbol), Some(certainty)) if ply.is_unsure() => {
                let stands = self.number(100.0 * certainty.symbol, 0);
                self.pick(
                    format!("{numbers}; {symbol} stands with {stands} %"),
                    format!("{numbers}; {symbol} gilt mit {stands} %"),
                )
            }
            _ => numbers,
        }
    }

    fn numbers(self, ply: &JudgedMove) -> String {
        if ply.symbol.is_some_and(MoveSymbol::is_praise) {
            let ahead = self.number(ply.difference, 2);
            return match ply.next_best() {
                Some(other) => {
                    let (san, eval) = (self.san(&other.san), self.eval(other.eval));
                    self.pick(
                        format!("Next best: {san} ({eval}); its expected score is {ahead} lower"),
                        format!(
                            "Nächstbester Zug: {san} ({eval}); {ahead} erwartete Punkte weniger"
                        ),
                    )
                }
                None => self.pick(
                    format!("The expected score of the next best move is {ahead} lower"),
                    format!("Der nächstbeste Zug hat {ahead} erwartete Punkte weniger"),
                ),
            };
        }
        let change = format!(
            "{} → {}",
            self.eval(ply.eval_before),
            self.eval(ply.eval_played)
        );
        let [best, played] = [ply.expected_score_best, ply.expected_score]
            .map(|score| self.number(ply.mover_score(score), 2));
        let labels = self.labels();
        let side = ply.mover.fold_wb(labels.white, labels.black);
        self.pick(
            format!("{change}; {side}'s expected score {best} → {played}"),
            format!("{change}; erwartete Punkte für {side} {best} → {played}"),
        )
    }

    /// Returns the length in bytes of a remark of ours, in any language, at the beginning of a
    /// text; `None` if there is none.
    pub(crate) fn remark_at(text: &str) -> Option<usize> {
        let Some(first) = sentence_at(text) else {
            return mate_at(text);
        };
        let rest = text[first..].trim_start();
        let second = mate_at(rest).map(|length| text.len() - rest.len() + length);
        Some(second.unwrap_or(first))
    }

    /// Returns whether a remark of ours, in any language, is on a move with `□`.
    pub(crate) fn is_on_only_move(remark: &str) -> bool {
        ONLY_WIN.contains(&remark) || ONLY_HOLD.contains(&remark)
    }
}

fn praise(symbol: MoveSymbol, ply: &JudgedMove, played: f64) -> Words {
    match symbol {
        _ if ply.only_move && Standing::of(played) == Some(Standing::Won) => ONLY_WIN,
        _ if ply.only_move => ONLY_HOLD,
        MoveSymbol::Brilliant => BEST_BY_FAR,
        MoveSymbol::Good => CLEARLY_BEST,
        _ if Outlook::of(played) == Outlook::Lost => BEST_TRY,
        _ => BEST,
    }
}

/// Returns the length of a sentence of ours, other than one about a mate, at the beginning of a
/// text.
fn sentence_at(text: &str) -> Option<usize> {
    SENTENCES
        .iter()
        .flatten()
        .find(|sentence| text.starts_with(**sentence))
        .map(|sentence| sentence.len())
}

/// Returns the length of a sentence about a mate at the beginning of a text.
fn mate_at(text: &str) -> Option<usize> {
    let sentences = [
        (MISSES_MATE, MISSES_MATE_END),
        (ALLOWS_MATE, ALLOWS_MATE_END),
    ];
    sentences
        .into_iter()
        .flat_map(|(beginnings, ends)| beginnings.into_iter().zip(ends))
        .find_map(|(beginning, end)| {
            let rest = text.strip_prefix(beginning)?;
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            (digits > 0 && rest[digits..].starts_with(end))
                .then_some(beginning.len() + digits + end.len())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_describe_the_change_of_the_result() {
        for (best, played, is_endgame, expected) in [
            (0.93, 0.15, false, "Throws away a won game."),
            (
                0.85,
                0.30,
                false,
                "Turns a winning position into a difficult one.",
            ),
            (0.83, 0.51, false, "Throws away the win."),
            (0.95, 0.70, false, "Gives away most of a winning advantage."),
            (0.90, 0.78, false, "Makes the win harder."),
            (0.99, 0.89, false, "Still winning, but less clearly."),
            (1.00, 0.99, false, "Still winning."),
            (
                0.70,
                0.10,
                false,
                "Turns a better position into a lost one.",
            ),
            (
                0.65,
                0.35,
                false,
                "Turns a better position into a difficult one.",
            ),
            (0.75, 0.50, false, "Gives away the advantage."),
            (0.65, 0.57, false, "Gives away part of the advantage."),
            (0.78, 0.65, false, "Gives away part of the advantage."),
            (0.50, 0.10, false, "Turns a level position into a lost one."),
            (0.50, 0.10, true, "Gives away the draw."),
            (0.42, 0.10, true, "Turns a level position into a lost one."),
            (0.50, 0.25, false, "Gives the opponent a clear advantage."),
            (0.50, 0.34, false, "Gives the opponent the better position."),
            (0.50, 0.39, false, "Gives the opponent a small advantage."),
            (0.42, 0.36, false, "Increases the opponent's advantage."),
            (0.58, 0.47, false, "Gives away a small advantage."),
            (0.52, 0.41, false, "Gives the opponent a small advantage."),
            (0.52, 0.46, false, "A small inaccuracy."),
            (
                0.35,
                0.05,
                false,
                "Turns a difficult position into a lost one.",
            ),
            (0.38, 0.25, false, "Makes a difficult position worse."),
            (0.15, 0.02, false, "Gives away the last chances."),
            (0.19, 0.08, false, "Makes it easier for the opponent."),
            (0.09, 0.02, false, "The position was already lost."),
        ] {
            assert_eq!(
                sentence(ResultChange::of(best, played, is_endgame))[0],
                expected,
                "{best} {played}"
            );
        }
    }

    /// A later review removes only remarks that it knows, so the list must contain every sentence
    /// of remarks.
    #[test]
    fn every_sentence_is_listed() {
        for change in ResultChange::ALL {
            assert!(SENTENCES.contains(&sentence(change)), "{change:?}");
        }
    }

    #[test]
    fn a_remark_ends_where_its_sentences_do() {
        let sentences = SENTENCES
            .iter()
            .flatten()
            .map(|sentence| (*sentence).to_owned());
        let mates = [
            "Misses mate in 2.",
            "Übersieht Matt in 2.",
            "Allows mate in 1.",
            "Lässt Matt in 1 zu.",
        ];
        let two = mates.map(|mate| format!("{} {mate}", STILL_WON[0]));
        let alone = mates.map(str::to_owned);
        for remark in sentences.chain(two).chain(alone) {
            assert_eq!(Language::remark_at(&remark), Some(remark.len()), "{remark}");
            assert_eq!(
                Language::remark_at(&format!("{remark} 2. d4 was better.")),
                Some(remark.len())
            );
        }
        assert_eq!(Language::remark_at("Nonsense, Boris."), None);
        assert_eq!(Language::remark_at("Gives away 0.5"), None);
        assert_eq!(
            Language::remark_at("Still winning. Allows mate in a way."),
            Some("Still winning.".len())
        );
    }
}
