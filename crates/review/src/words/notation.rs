//! How a language writes moves, counts, limits and results.

use centipawn_engine::Limit;
use centipawn_judge::{JudgedMove, shown_line};
use shakmaty::{Outcome, san::SanPlus};

use crate::Language;

/// English letters of pieces and the German ones that differ: Dame, Turm, Läufer, Springer. König
/// and King begin alike.
const GERMAN_PIECES: [(char, char); 4] = [('Q', 'D'), ('R', 'T'), ('B', 'L'), ('N', 'S')];

impl Language {
    /// Moves in SAN with the language's letters of pieces: `Nxe4` is `Sxe4` in German.
    ///
    /// ```
    /// use centipawn_review::Language;
    ///
    /// assert_eq!(Language::German.san("12. Nf3 bxa8=Q 13. O-O"), "12. Sf3 bxa8=D 13. O-O");
    /// assert_eq!(Language::English.san("Nf3"), "Nf3");
    /// ```
    pub fn san(self, moves: &str) -> String {
        let german = |letter| {
            GERMAN_PIECES
                .iter()
                .find(|(english, _)| *english == letter)
                .map_or(letter, |(_, own)| *own)
        };
        self.pick(moves.to_owned(), moves.chars().map(german).collect())
    }

    /// Moves in SAN with their numbers; `number` is that of the first, which is White's or Black's:
    /// `12. Nf3 Nf6 13. O-O`, `12... Nf6`.
    ///
    /// ```
    /// use centipawn_review::Language;
    ///
    /// let moves = ["Nf6", "O-O", "Be7"].map(String::from);
    /// assert_eq!(Language::German.line(12, false, &moves), "12... Sf6 13. O-O Le7");
    /// ```
    pub fn line(self, number: u32, is_white: bool, moves: &[String]) -> String {
        let mut words = Vec::new();
        for (index, san) in moves.iter().enumerate() {
            let half = index as u32 + u32::from(!is_white);
            match (half.is_multiple_of(2), index) {
                (true, _) => words.push(format!("{}.", number.saturating_add(half / 2))),
                (false, 0) => words.push(format!("{number}...")),
                (false, _) => {}
            }
            words.push(self.san(san));
        }
        words.join(" ")
    }

    /// Returns a count with separators of thousands: `1,000,000`, in German `1.000.000`.
    pub fn count(self, count: u64) -> String {
        let digits = count.to_string();
        let groups: Vec<_> = digits
            .as_bytes()
            .rchunks(3)
            .rev()
            .map(String::from_utf8_lossy)
            .collect();
        groups.join(self.pick(",", "."))
    }

    /// Returns a limit: `1,000,000 nodes`, `depth 20`, `500 ms`.
    pub fn limit(self, limit: Limit) -> String {
        match limit {
            Limit::Nodes(nodes) => {
                format!("{} {}", self.count(nodes), self.pick("nodes", "Knoten"))
            }
            Limit::Depth(depth) => format!("{} {depth}", self.pick("depth", "Tiefe")),
            Limit::MoveTime(time) => format!("{} ms", self.count(time.as_millis() as u64)),
        }
    }
}

/// Returns a result as people write it: `1–0`, `½–½`, `0–1`, or `*`.
pub fn result_text(result: Outcome) -> &'static str {
    match result {
        Outcome::Known(known) => match known.winner() {
            Some(winner) => winner.fold_wb("1–0", "0–1"),
            None => "½–½",
        },
        Outcome::Unknown => "*",
    }
}

impl Language {
    /// Returns a judged move with its number: `12. Nf3`, `12... Nf6`.
    pub fn numbered(self, ply: &JudgedMove) -> String {
        self.line(
            ply.move_number,
            ply.mover.is_white(),
            std::slice::from_ref(&ply.san),
        )
    }

    /// Returns the better line with move numbers, cut to ten half-moves: `12. Nf3 Nf6 13. O-O`.
    /// `None` if [none](JudgedMove::better) is known.
    pub fn better_line(self, ply: &JudgedMove) -> Option<String> {
        let mut position = ply.before.position().clone();
        let san = |&mv| SanPlus::from_move_and_play_unchecked(&mut position, mv).to_string();
        let moves: Vec<String> = shown_line(&ply.before, ply.better()?)
            .iter()
            .map(san)
            .collect();
        Some(self.line(ply.move_number, ply.mover.is_white(), &moves))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn counts_and_limits() {
        let (en, de) = (Language::English, Language::German);
        assert_eq!(
            [0, 999, 1000, 1_234_567].map(|count| en.count(count)),
            ["0", "999", "1,000", "1,234,567"]
        );
        assert_eq!(en.limit(Limit::Nodes(1_000_000)), "1,000,000 nodes");
        assert_eq!(de.limit(Limit::Nodes(20_000)), "20.000 Knoten");
        assert_eq!(de.limit(Limit::Depth(20)), "Tiefe 20");
        assert_eq!(
            en.limit(Limit::MoveTime(Duration::from_millis(1500))),
            "1,500 ms"
        );
    }

    /// A FEN may have the largest possible move number.
    #[test]
    fn move_numbers_do_not_overflow() {
        let moves = ["Nf6", "Nf3"].map(String::from);
        assert_eq!(
            Language::English.line(u32::MAX, false, &moves),
            "4294967295... Nf6 4294967295. Nf3"
        );
    }
}
