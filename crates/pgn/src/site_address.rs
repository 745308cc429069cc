//! Advice for users who give the address of a page instead of a file.

use centipawn_progress::is_address;

/// Whether addresses are read as files are.
const READS: bool = cfg!(feature = "http");

/// Explains how to get the games of an address that is no file of games, or that cannot be read
/// since this program reads no addresses; `None` if the text is no address or may be read.
pub(crate) fn advice(text: &str) -> Option<String> {
    let (scheme, rest) = text
        .split_once("://")
        .filter(|_| is_address(text.as_ref()))?;
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let how = match (host.trim_start_matches("www."), &parts[..]) {
        ("lichess.org", ["api", ..] | ["game", "export", ..]) if READS => return None,
        ("lichess.org", [.., file]) if READS && file.ends_with(".pgn") => return None,
        ("lichess.org", parts) => match lichess_file(parts) {
            Some(file) if READS => format!("name {scheme}://lichess.org/{file}, which is the file"),
            Some(file) => {
                format!("save it with: curl -L -o game.pgn {scheme}://lichess.org/{file}")
            }
            None => "on Lichess open the game, choose \"Share & export\" and download the PGN"
                .to_owned(),
        },
        ("chess.com", _) => {
            "on Chess.com open the game, choose Share, then PGN, and download it".to_owned()
        }
        _ if READS => return None,
        _ => "download the game as a PGN file".to_owned(),
    };
    if READS {
        return Some(format!(
            "is the address of a page, not of a file of games; {how}"
        ));
    }
    Some(format!(
        "is an address, but games are read from files; {how}; then name that file"
    ))
}

/// Returns the path at which Lichess gives a game, study, chapter or round of a broadcast as PGN.
fn lichess_file(parts: &[&str]) -> Option<String> {
    let is_id = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    match parts {
        ["study", study] if is_id(study, 8) => Some(format!("api/study/{study}.pgn")),
        ["study", study, chapter] if is_id(study, 8) && is_id(chapter, 8) => {
            Some(format!("api/study/{study}/{chapter}.pgn"))
        }
        ["broadcast", .., round] if is_id(round, 8) => {
            Some(format!("api/broadcast/round/{round}.pgn"))
        }
        ["broadcast", _, _, round, game] if is_id(round, 8) && is_id(game, 8) => {
            Some(format!("api/study/{round}/{game}.pgn"))
        }
        // In the address of a game as one player sees it, the id has four more letters.
        [game] | [game, "white" | "black"] if is_id(game, 8) || is_id(game, 12) => {
            Some(format!("game/export/{}", &game[..8]))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_address_gives_advice() {
        for (address, expected) in [
            (
                "https://lichess.org/eT3jfS48",
                "https://lichess.org/game/export/eT3jfS48",
            ),
            (
                "https://lichess.org/eT3jfS48/black#25",
                "game/export/eT3jfS48",
            ),
            ("https://lichess.org/eT3jfS48abcd", "game/export/eT3jfS48"),
            (
                "https://lichess.org/study/abcdefgh",
                "api/study/abcdefgh.pgn",
            ),
            (
                "https://lichess.org/study/abcdefgh/12345678",
                "api/study/abcdefgh/12345678.pgn",
            ),
            (
                "https://lichess.org/broadcast/some-cup/round-1/12345678",
                "api/broadcast/round/12345678.pgn",
            ),
            ("https://lichess.org/@/somebody", "Share & export"),
            ("https://www.chess.com/game/live/123", "choose Share"),
        ] {
            let advice = advice(address).unwrap();
            assert!(advice.contains(expected), "{address}: {advice}");
            assert_eq!(
                advice.contains("save it with: curl -L"),
                !READS && expected.contains('/'),
                "{advice}"
            );
        }
        for file in [
            "http://example.org/game.pgn.gz",
            "https://lichess.org/game/export/eT3jfS48",
        ] {
            assert_eq!(advice(file).is_none(), READS, "{file}");
        }
        assert_eq!(advice("games/lichess.org.pgn"), None);
        assert_eq!(advice("C://games"), None);
    }
}
