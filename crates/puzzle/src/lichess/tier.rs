//! Tiers of games: the generator demands more of games by weak players or at fast time controls.

use centipawn_pgn::Game;

/// The tier that accepts every puzzle.
pub(super) const HIGHEST: u8 = 4;

/// Returns the tier of a game. 0: the game is skipped. 1: no mate in two. Below 3: no solutions of
/// one or two moves. From 3: every puzzle.
pub(super) fn of(game: &Game) -> u8 {
    let tag = |name: &str| game.headers.get(name);
    let ratings = ["WhiteElo", "BlackElo"]
        .into_iter()
        .filter_map(tag)
        .map(rating);
    let lowest = ratings
        .chain(tag("TimeControl").map(time_control))
        .min()
        .unwrap_or(HIGHEST);
    if lowest == 0 {
        return 0;
    }
    let is_title = |title: &str| !title.contains("BOT");
    let is_titled = ["WhiteTitle", "BlackTitle"]
        .into_iter()
        .filter_map(tag)
        .any(is_title);
    lowest + u8::from(is_titled) + u8::from(game.plies.len() < 38) + u8::from(game.plies.len() < 21)
}

fn rating(text: &str) -> u8 {
    // Ratings that are unknown or do not have four digits count as low, as in the generator.
    match text.get(..4).and_then(|digits| digits.parse::<i32>().ok()) {
        Some(1751..) => 3,
        Some(1601..) => 2,
        Some(1501..) => 1,
        _ => 0,
    }
}

fn time_control(text: &str) -> u8 {
    let Some((seconds, increment)) = text.split_once('+') else {
        return 0;
    };
    let (Ok(seconds), Ok(increment)) = (seconds.parse::<i64>(), increment.parse::<i64>()) else {
        return 0;
    };
    match seconds.saturating_add(increment.saturating_mul(40)) {
        480.. => 3,
        180.. => 2,
        61.. => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tier(tags: &[(&str, &str)], moves: &str) -> u8 {
        let tags: String = tags
            .iter()
            .map(|(name, value)| format!("[{name} \"{value}\"]\n"))
            .collect();
        let pgn = format!("{tags}\n{moves} *\n");
        of(&centipawn_pgn::Reader::new(pgn.as_bytes())
            .next()
            .unwrap()
            .unwrap()
            .unwrap())
    }

    #[test]
    fn the_lowest_of_ratings_and_time_control_counts() {
        let long = "Nf3 Nf6 Ng1 Ng8 ".repeat(10);
        let tier = |tags: &[_]| tier(tags, &long);
        assert_eq!(tier(&[]), 4);
        assert_eq!(
            tier(&[
                ("WhiteElo", "1751"),
                ("BlackElo", "1750"),
                ("TimeControl", "480+0")
            ]),
            2
        );
        assert_eq!(tier(&[("WhiteElo", "1751"), ("TimeControl", "60+1")]), 1);
        assert_eq!(tier(&[("WhiteElo", "1500"), ("WhiteTitle", "GM")]), 0);
        assert_eq!(tier(&[("WhiteElo", "?")]), 0);
        assert_eq!(tier(&[("WhiteElo", "999")]), 0);
        assert_eq!(tier(&[("TimeControl", "-")]), 0);
        assert_eq!(tier(&[("WhiteElo", "1501"), ("BlackTitle", "FM")]), 2);
        assert_eq!(tier(&[("WhiteElo", "1501"), ("BlackTitle", "BOT")]), 1);
    }

    #[test]
    fn short_games_are_one_tier_higher() {
        let tags = [("WhiteElo", "1501")];
        assert_eq!(tier(&tags, "Nf3 Nf6"), 3);
        assert_eq!(tier(&tags, &"Nf3 Nf6 Ng1 Ng8 ".repeat(9)), 2);
    }
}
