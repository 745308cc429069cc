//! The program that evaluated a game, by the tag `Annotator`.

use centipawn_core::{Curve, WdlModel};

/// Names of engines that cannot be names of persons, in lower case.
const ENGINES: [&str; 9] = [
    "stockfish",
    "lc0",
    "lczero",
    "leela chess zero",
    "komodo dragon",
    "alphazero",
    "gnu chess",
    "gnuchess",
    "stoofvlees",
];

/// Names of engines that people have too, or other programs: they count with a version behind them.
const ENGINES_WITH_VERSION: [&str; 18] = [
    "alliestein",
    "berserk",
    "crafty",
    "deep fritz",
    "deep junior",
    "ethereal",
    "fat fritz",
    "fritz",
    "hiarcs",
    "houdini",
    "koivisto",
    "komodo",
    "leela",
    "maia",
    "obsidian",
    "rubichess",
    "rybka",
    "shredder",
];

/// The program that evaluated the positions of a game after it was played, as the tag `Annotator`
/// names it.
///
/// Known are the entries of a review (`Centipawn (Stockfish 15.1, 20000 nodes)`), and the names of
/// engines as other programs write them (`Stockfish 15`). Names of people, sites and databases name
/// no evaluator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evaluator {
    /// The curve that fits the evaluator's evaluations ([`Curve::for_engine`]).
    pub curve: Curve,
    /// Whether a review by Centipawn evaluated: every `[%eval …]` in the game is then its engine's,
    /// also beside the evaluations of engines that played.
    pub is_review: bool,
}

impl Evaluator {
    /// Returns the version of Stockfish that a tag `Annotator` names, and the release whose model
    /// is used in its place, if it is not a known one: see [`WdlModel::replaced_version`].
    pub fn replaced_version(tag: &str) -> Option<(String, &'static str)> {
        WdlModel::replaced_version(&engine_of_annotator(tag)?.0)
    }

    /// Returns the evaluator that a tag `Annotator` names; `None` if it names none. Of several the
    /// last one counts, and a review's engine before any other, since a review replaces the
    /// evaluations of others.
    pub(crate) fn of_annotator(tag: &str) -> Option<Self> {
        let (engine, is_review) = engine_of_annotator(tag)?;
        Some(Self {
            curve: Curve::for_engine(&engine),
            is_review,
        })
    }
}

/// Returns the engine that a tag `Annotator` names, and whether it is that of a review.
fn engine_of_annotator(tag: &str) -> Option<(String, bool)> {
    let review = tag
        .rsplit("; ")
        .find_map(engine_of_review)
        .map(|engine| (engine.to_owned(), true));
    review.or_else(|| Some((tag.rsplit(';').find_map(engine_named)?, false)))
}

/// Returns the engine of a review's entry, `Centipawn (Stockfish 15.1, 20000 nodes)`; `None` if the
/// entry is another, or names no engine.
fn engine_of_review(entry: &str) -> Option<&str> {
    let inside = entry
        .trim()
        .strip_prefix("Centipawn (")?
        .strip_suffix(')')?;
    Some(inside).filter(|inside| !inside.is_empty())
}

/// Returns the engine that an entry names, as it calls itself: `Stockfish 15.1` of `stockfish 15.1
/// (depth 20)`.
fn engine_named(entry: &str) -> Option<String> {
    let lower = entry.trim().to_lowercase();
    let mut starts =
        std::iter::once(0).chain(lower.match_indices([' ', '(']).map(|(at, _)| at + 1));
    starts.find_map(|start| {
        let text = &lower[start..];
        let names = ENGINES
            .iter()
            .map(|name| (name, false))
            .chain(ENGINES_WITH_VERSION.iter().map(|name| (name, true)));
        let mut known = names
            .filter_map(|(name, is_person)| Some((*name, text.strip_prefix(name)?, is_person)));
        let (name, rest, is_person) = known.next()?;
        if rest.starts_with(char::is_alphanumeric) {
            return None;
        }
        let version = rest
            .trim_start_matches([' ', '_', '-'])
            .trim_start_matches('v');
        let has_version = version.starts_with(|next: char| next.is_ascii_digit());
        let is_alone = start == 0 && !is_person && !rest.starts_with(',');
        match name {
            _ if !has_version && !is_alone => None,
            "stockfish" => Some(format!("Stockfish {version}")),
            name => Some(name.to_owned()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_known() {
        for (tag, curve) in [
            ("Centipawn (Stockfish 15.1, 8000 nodes)", "stockfish-15.1"),
            (
                "Centipawn (Stockfish 18, 100000 nodes, where it matters 1000000 nodes)",
                "stockfish-18",
            ),
            (
                "Centipawn (Syzygy, else Stockfish 16, depth 20)",
                "stockfish-16",
            ),
            (
                "Centipawn (Fairy-Stockfish 14.0.1 LB, 8000 nodes)",
                "stockfish-19",
            ),
            ("Centipawn (Lc0 v0.31.2, 800 nodes)", "stockfish-19"),
            (
                "Stockfish 12; Centipawn (Stockfish 15.1, 8000 nodes); Anna",
                "stockfish-15.1",
            ),
            ("Stockfish 15", "stockfish-15"),
            ("stockfish_15_x64_avx2", "stockfish-15"),
            ("Stockfish v15", "stockfish-15"),
            ("Stockfish 14.1 (depth 22)", "stockfish-14"),
            ("Anna, with Stockfish 16.1", "stockfish-16.1"),
            ("Stockfish 99", "stockfish-19"),
            ("Stockfish", "stockfish-19"),
            ("Lc0 v0.31.2", "stockfish-19"),
            ("lc0", "stockfish-19"),
            ("Houdini 6.03 Pro x64", "stockfish-19"),
            ("Fritz 18", "stockfish-19"),
        ] {
            let evaluator = Evaluator::of_annotator(tag).unwrap_or_else(|| panic!("{tag}"));
            assert_eq!(evaluator.curve.to_string(), curve, "{tag}");
            assert_eq!(evaluator.is_review, tag.contains("Centipawn"), "{tag}");
        }
    }

    #[test]
    fn people_sites_and_databases_are_no_engines() {
        for tag in [
            "",
            "?",
            "Kasparov, Garry",
            "Houdini, Harry",
            "Fritz, Roland",
            "Maia Chiburdanidze",
            "Leela",
            "Rybka",
            "Stockfisher, A.",
            "Stockfish, Anna",
            "lichess.org",
            "https://lichess.org/@/stockfish",
            "ChessBase 17",
            "Scid vs. PC 4.22",
            "Centipawn",
            "Centipawn 1.0.0",
            "Centipawn ()",
        ] {
            assert_eq!(Evaluator::of_annotator(tag), None, "{tag}");
        }
    }
}
