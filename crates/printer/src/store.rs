//! Formats what a store contains, and what is copied and deleted.

use centipawn_progress::text::{bytes, plural, printable};
use centipawn_store::{Deleted, StoreStats};
use centipawn_work::library::{ImportedLibrary, LibraryCounts};

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

/// Returns the numbers of objects in a library file, without those of kinds that it lacks.
pub fn library_counts(counts: &LibraryCounts) -> String {
    let parts = [
        (counts.games, "game"),
        (counts.findings, "set of findings"),
        (counts.notes, "game with own notes"),
        (counts.jobs, "review or search"),
        (counts.batches, "batch"),
        (counts.puzzles, "puzzle"),
        (counts.attempts, "attempt"),
        (counts.evaluations, "evaluation"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, name)| match (count, name) {
            (1, _) => format!("1 {name}"),
            (_, "batch") => format!("{count} batches"),
            (_, "set of findings") => format!("{count} sets of findings"),
            (_, "game with own notes") => format!("{count} games with own notes"),
            (_, "review or search") => format!("{count} reviews or searches"),
            _ => plural(count, name),
        })
        .collect();
    if parts.is_empty() {
        "nothing".to_owned()
    } else {
        parts.join(", ")
    }
}

/// Returns what the import of a library file has read, and what of it is new.
pub fn imported_library(imported: &ImportedLibrary) -> String {
    let mut text = format!(
        "{} read; new: {}\n",
        library_counts(&imported.read),
        library_counts(&imported.new)
    );
    if imported.unknown > 0 {
        text += &format!(
            "{} of a kind that this version does not know\n",
            plural(imported.unknown, "line")
        );
    }
    text
}

/// Returns the numbers of what is deleted.
pub fn deleted(deleted: &Deleted) -> String {
    format!(
        "{}, {}, {} and {}",
        plural(deleted.games, "game"),
        plural(deleted.reviews, "review"),
        plural(deleted.puzzles, "puzzle"),
        plural(deleted.attempts, "attempt")
    )
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
