//! Finding unreadable games, and copying files without them.

use std::{
    borrow::Cow,
    io::{self, Write},
    time::Instant,
};

use centipawn_progress::Cancel;

use crate::{
    GameError, GameErrorKind, Letters, Reader, ScanOptions, ScanReport, Source, SourceError,
    Sources, Unreadable, scan, write_game,
};

/// Reports games that cannot be read, and parts of games that are kept as text, to
/// [`on_unreadable`](ScanOptions::on_unreadable): everything that is wrong with the files.
///
/// # Errors
///
/// The errors of [`scan`].
pub fn check(sources: &Sources, options: &ScanOptions<'_>) -> Result<ScanReport, Unreadable> {
    scan(
        sources,
        &ScanOptions {
            thorough: true,
            ..*options
        },
        || (),
        |(), _| {},
    )
    .map(|((), report)| report)
}

/// Writes all readable games in the format of [`write_game`] and leaves out the others; of
/// [divided](Sources::divided) sources, every Nth. If `cancel` is set, it ends soon after, and the
/// output holds only the first games.
///
/// `on_unreadable` is called for games and sources left out, and for
/// [warnings](crate::Game::warnings): parts of a game that are kept as a comment because they are
/// not legal. As in a scan, it is called for at most [`ERRORS_LISTED`](ScanOptions::ERRORS_LISTED)
/// of them in each source; the report counts all.
///
/// # Errors
///
/// I/O errors of `out`.
///
/// ```
/// use centipawn_pgn::{Sources, clean};
/// use centipawn_progress::Cancel;
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("games.pgn");
/// std::fs::write(&path, "1.e4 e5 1-0\n\n1.e5 *\n\n1.d4 (1.d5) *")?;
/// let (mut out, mut found) = (Vec::new(), Vec::new());
/// let report = clean(&Sources::expand(&[&path])?, &mut out, &Cancel::new(), |problem| found.push(problem.to_string()))?;
/// assert_eq!(String::from_utf8_lossy(&out), "1. e4 e5 1-0\n\n1. d4 { (d5) } *\n\n");
/// assert_eq!((report.games, report.bad_games(), found.len()), (2, 1, 2));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub fn clean(
    sources: &Sources,
    out: &mut impl Write,
    cancel: &Cancel,
    mut on_unreadable: impl FnMut(&Unreadable),
) -> io::Result<ScanReport> {
    let started = Instant::now();
    let mut report = ScanReport::default();
    // Number of games of all sources so far, unreadable ones included: a part takes every Nth of
    // them.
    let mut read = 0;
    'sources: for (index, path) in sources.paths().iter().enumerate() {
        let unreadable = |error: GameError| Unreadable::Game {
            source_name: sources.name(index),
            error,
        };
        let source = match Source::open_until(path, cancel) {
            Ok(source) => source,
            Err(_) if cancel.is_set() => {
                report.cancelled = true;
                break;
            }
            Err(error) => {
                report.failed_sources += 1;
                on_unreadable(&Unreadable::Source(error));
                continue;
            }
        };
        let mut failed = false;
        let mut listed = 0;
        let mut list = |problem: Unreadable| {
            listed += 1;
            if listed <= ScanOptions::ERRORS_LISTED {
                on_unreadable(&problem);
            }
        };
        for game in Reader::new(source) {
            if cancel.is_set() {
                report.cancelled = true;
                break 'sources;
            }
            read += u64::from(game.is_ok());
            match game {
                Ok(_) if !sources.shard().takes(read - 1) => {}
                Ok(Ok(game)) => {
                    write_game(out, &game)?;
                    report.games += 1;
                    report.plies += game.plies.len() as u64;
                    // These warnings are no loss of information: words after the moves become a
                    // comment, and two results remain two results.
                    let is_flaw = |warning: &GameError| {
                        !matches!(
                            warning.kind,
                            GameErrorKind::TextAfterMoves
                                | GameErrorKind::ResultContradictsTag { .. }
                                | GameErrorKind::UnquotedTag
                                | GameErrorKind::FenInOtherTag
                                | GameErrorKind::TagBetweenMoves { is_kept: true }
                        )
                    };
                    report.flawed_games += u64::from(game.warnings.iter().any(is_flaw));
                    for error in game.warnings {
                        *report
                            .flaws
                            .entry(Cow::Borrowed(error.kind.name()))
                            .or_default() += 1;
                        list(Unreadable::Flaw {
                            source_name: sources.name(index),
                            error,
                        });
                    }
                    if game.letters != Letters::English {
                        *report.letters.entry(game.letters).or_default() += 1;
                    }
                }
                Ok(Err(error)) => {
                    *report
                        .errors
                        .entry(Cow::Borrowed(error.kind.name()))
                        .or_default() += 1;
                    list(unreadable(error));
                }
                Err(error) => {
                    failed = true;
                    let named = error.downcast::<SourceError>();
                    let error = named.unwrap_or_else(|error| SourceError {
                        name: sources.name(index),
                        error,
                    });
                    list(Unreadable::Source(error));
                }
            }
        }
        *if failed {
            &mut report.failed_sources
        } else {
            &mut report.sources
        } += 1;
    }
    report.elapsed = started.elapsed();
    Ok(report)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cleaned(text: &str) -> String {
        let mut out = Vec::new();
        for game in Reader::new(text.as_bytes()).flatten().flatten() {
            write_game(&mut out, &game).unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn games_without_tags_and_moves_stay_apart() {
        let once = cleaned("[Event \"e\"]\n\n1. e4 *\n");
        for (text, games) in [
            ("*", 1),
            ("{a comment} *", 1),
            ("{a comment} 1. d4 *", 1),
            ("1. d4 1-0", 1),
        ] {
            let both = once.clone() + &cleaned(text);
            assert_eq!(Reader::new(both.as_bytes()).count(), 1 + games, "{both}");
            assert_eq!(cleaned(&both), both, "{text}");
        }
    }

    #[test]
    fn operations_of_epd_are_kept() {
        let epd = "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; hmvc 3; fmvn 40;";
        let once = cleaned(&format!("[FEN \"{epd}\"]\n\n1. e4 *\n"));
        assert!(
            once.contains("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 3 40\"]\n"),
            "{once}"
        );
        assert!(once.contains(&format!("[EPD \"{epd}\"]\n")), "{once}");
        assert_eq!(cleaned(&once), once);
    }

    proptest! {
        /// A clean copy has as many games as were read, and is its own clean copy.
        #[test]
        fn a_clean_copy_is_its_own_clean_copy(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "[Event \"e\"]\n", "[White \"w\"]\n", "[Result \"1-0\"]\n", "[A b]\n", "[B", "[SetUp \"1\"]\n",
                    "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id \\\"x\\\";\"]\n", "[Site \"y\"] x\n", "\n", "\n\n", " ",
                    "1. e4 ", "1... e5 ", "2. d4 ", "31. Nf3 ", "e4 ", "e5 ", "Nf3 ", "Nc6 ", "-- ", "(none) ", "$1 ", "! ", "{a} ",
                    "{a } b", "; c\n", "{1-0} ", "{[%eval 0.3]} ", "(", ") ", "(1. d4) ", "1-0 ", "1/2-1/2 ", "* ", "0-0 ", "White wins ",
                    "% x\n", "e8=Q ", "Ke4 ", "Qe9 ", "\r\n", "}", "+- ", "ö ",
                ]),
                0..40,
            ),
        ) {
            let text = parts.concat();
            let once = cleaned(&text);
            prop_assert_eq!(&cleaned(&once), &once, "{:?}", text);
            let count = |text: &str| Reader::new(text.as_bytes()).flatten().filter(Result::is_ok).count();
            prop_assert_eq!(count(&once), count(&text), "{:?}\n{}", text, once);
        }
    }
}
