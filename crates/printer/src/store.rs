//! Formats the contents of a store of evaluations.

use centipawn_progress::text::{bytes, plural, printable};
use centipawn_store::StoreStats;

/// Returns the size of a store, and the number of evaluations of each engine, one line each.
pub fn store(stats: &StoreStats) -> String {
    let mut text = format!(
        "{}: {}, {}\n",
        stats.store,
        plural(stats.evaluations, "evaluation"),
        bytes(stats.bytes)
    );
    if stats.games > 0 {
        text += &format!(
            "{}, {}\n",
            plural(stats.games, "game"),
            plural(stats.reviews, "review")
        );
    }
    for engine in &stats.engines {
        text += &format!(
            "{:>12}  {}\n",
            engine.evaluations,
            printable(&engine.identity.with_options())
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use centipawn_engine::Identity;
    use centipawn_store::EngineStats;

    use super::*;

    #[test]
    fn control_characters_in_engine_names_are_replaced() {
        let identity = Identity {
            name: "Fish\u{1b}[31m".to_owned(),
            ..Identity::default()
        };
        let stats = StoreStats {
            engines: vec![EngineStats {
                identity,
                evaluations: 1,
            }],
            ..StoreStats::default()
        };
        let text = store(&stats);
        assert!(text.contains("Fish\u{fffd}[31m"), "{text:?}");
    }
}
