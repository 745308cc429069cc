//! How likely people are to play a move, by the policy in the program.

use std::sync::LazyLock;

use centipawn_core::History;
use centipawn_policy::Network;
use shakmaty::Move;

/// The rating assumed for players whose game has no rating.
const UNRATED: u32 = 1500;

/// Returns the policy in the program; `None` if it was built without one.
pub fn policy() -> Option<&'static Network> {
    static POLICY: LazyLock<Option<Network>> = LazyLock::new(|| Network::bundled().ok());
    POLICY.as_ref()
}

/// Returns the probability, 0..=1, with which players of a rating play `mv`; `None` if the policy
/// cannot judge the position. It imitates players rated 600 to 2200, and takes the nearest of them
/// for others.
pub(crate) fn likelihood(before: &History, mv: Move, rating: Option<u32>) -> Option<f64> {
    let evaluation = policy()?
        .evaluate_at(before, rating.unwrap_or(UNRATED))
        .ok()?;
    evaluation
        .moves
        .iter()
        .find(|found| found.mv == mv)
        .map(|found| found.probability)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_castle_and_seldom_sacrifice() {
        let before = History::from_fen(
            "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2P2N2/PP1P1PPP/RNBQK2R w KQkq - 1 5",
            None,
        )
        .unwrap();
        let of = |uci: &str, rating| {
            likelihood(&before, before.parse_uci(uci).unwrap(), rating).unwrap()
        };
        assert!(of("e1g1", Some(1500)) > 0.1, "{}", of("e1g1", Some(1500)));
        assert!(of("c4f7", Some(1500)) < 0.05);
        assert_eq!(of("e1g1", None), of("e1g1", Some(1500)));
        assert_eq!(of("e1g1", Some(3000)), of("e1g1", Some(2200)));
    }
}
