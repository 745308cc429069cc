//! Changes that a person makes to a puzzle: lines that are dropped, and a mark for those chosen by
//! hand.

use std::collections::{BTreeMap, BTreeSet};

use crate::{BadPuzzle, NodeDocument, Puzzle, PuzzleDocument};

/// The reason why a line cannot be dropped.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The moves do not lead through the solution.
    #[error("{0} is not in the solution")]
    NotInSolution(String),
    /// The line begins with the main move of a position.
    #[error("{0} is the main move; drop the line from the opponent's move before it")]
    Main(String),
    /// The rest is no puzzle.
    #[error(transparent)]
    Rest(#[from] BadPuzzle),
}

impl Puzzle {
    /// Name of the theme of puzzles that a person chose.
    pub const HAND_PICKED: &str = "handPicked";

    /// Marks the puzzle as chosen by hand, or removes the mark.
    pub fn set_hand_picked(&mut self, is_picked: bool) {
        self.other_themes.retain(|theme| theme != Self::HAND_PICKED);
        if is_picked {
            self.other_themes.push(Self::HAND_PICKED.to_owned());
        }
    }

    /// Returns the puzzle without a line: `path` leads from the position shown to its first move,
    /// in UCI notation. A dropped move of the solver is no longer correct, unless it mates: every
    /// mate solves a puzzle. Before the last dropped move of the opponent, the solution ends.
    ///
    /// Themes are found again in the remaining moves. An estimated rating is removed, because it
    /// was that of the longer solution.
    ///
    /// ```
    /// use centipawn_core::History;
    /// use centipawn_puzzle::Puzzle;
    ///
    /// let start = History::from_fen("r5k1/5ppp/p7/8/Q7/8/4RPPP/4R1K1 b - - 0 1", None).unwrap();
    /// let puzzle = Puzzle::new(&start, ["a6a5", "e2e8", "a8e8", "a4e8"])?;
    /// let short = puzzle.without_line(&["e2e8", "a8e8"])?;
    /// assert_eq!(short.uci_moves().collect::<Vec<_>>(), ["a6a5", "e2e8"]);
    /// # Ok::<_, Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`EditError`] if the line is not in the solution, or is all of it.
    pub fn without_line(&self, path: &[&str]) -> Result<Self, EditError> {
        let mut document = self.document();
        if document.tree.is_empty() {
            end_before(&mut document, path)?;
        } else {
            drop_branch(&mut document.tree, path)?;
            let first = document.moves.swap_remove(0);
            document.moves = std::iter::once(first)
                .chain(main_line(&document.tree))
                .collect();
        }
        if document.rating_interval.take().is_some() {
            (document.rating, document.deviation) = (None, None);
        }
        let mut puzzle = document.puzzle()?;
        puzzle.tag();
        Ok(puzzle)
    }
}

fn not_in_solution(uci: &str) -> EditError {
    EditError::NotInSolution(uci.to_owned())
}

/// Ends the only line before the move of the opponent to which the path leads.
fn end_before(document: &mut PuzzleDocument, path: &[&str]) -> Result<(), EditError> {
    let line = &document.moves[1..];
    let apart = path.iter().zip(line).find(|(uci, known)| **uci != **known);
    match (apart, path.last()) {
        (Some((uci, _)), _) => Err(not_in_solution(uci)),
        (None, Some(last)) if path.len() > line.len() => Err(not_in_solution(last)),
        (None, Some(last)) if path.len() % 2 == 1 => Err(EditError::Main((*last).to_owned())),
        (None, None) => Err(not_in_solution("a line without moves")),
        (None, Some(_)) => {
            document.moves.truncate(path.len());
            Ok(())
        }
    }
}

/// Removes the move to which the path leads, and the positions that only it reached.
fn drop_branch(tree: &mut Vec<NodeDocument>, path: &[&str]) -> Result<(), EditError> {
    let Some((last, before)) = path.split_last() else {
        return Err(not_in_solution("a line without moves"));
    };
    let mut at = 0;
    for (index, uci) in before.iter().enumerate() {
        let node = &tree[at];
        if index % 2 == 0 {
            // Replies are known only to the main move.
            let is_main = node
                .answers
                .first()
                .is_some_and(|answer| answer.mv == **uci);
            if !is_main {
                return Err(not_in_solution(uci));
            }
        } else {
            let reply = node.replies.iter().find(|reply| reply.mv == **uci);
            at = reply.ok_or_else(|| not_in_solution(uci))?.next;
        }
    }
    let node = &mut tree[at];
    if before.len() % 2 == 0 {
        match node.answers.iter().position(|answer| answer.mv == **last) {
            None => return Err(not_in_solution(last)),
            Some(0) => return Err(EditError::Main((*last).to_owned())),
            Some(index) => drop(node.answers.remove(index)),
        }
    } else {
        let reply = node.replies.iter().position(|reply| reply.mv == **last);
        node.replies
            .remove(reply.ok_or_else(|| not_in_solution(last))?);
        keep_reachable(tree);
    }
    Ok(())
}

/// Removes positions that are not reached any more, and numbers the others again, so that each
/// position follows all that lead to it.
fn keep_reachable(tree: &mut Vec<NodeDocument>) {
    // A walk into the depth ends with each position after all that it leads to. The replies that
    // are still to be followed are counted down, so that the first one comes first in the end.
    let (mut ended, mut seen) = (Vec::new(), BTreeSet::from([0]));
    let mut open = vec![(0, tree[0].replies.len())];
    while let Some((number, left)) = open.last_mut() {
        let number = *number;
        if *left == 0 {
            ended.push(number);
            open.pop();
            continue;
        }
        *left -= 1;
        let next = tree[number].replies[*left].next;
        if seen.insert(next) {
            open.push((next, tree[next].replies.len()));
        }
    }
    ended.reverse();
    let places: BTreeMap<usize, usize> = ended.iter().copied().zip(0..).collect();
    let renumbered = ended.iter().map(|number| {
        let mut node = tree[*number].clone();
        for reply in &mut node.replies {
            reply.next = places[&reply.next];
        }
        node
    });
    *tree = renumbered.collect();
}

/// Returns the moves of the main line.
fn main_line(tree: &[NodeDocument]) -> Vec<String> {
    let (mut moves, mut at) = (Vec::new(), Some(0));
    while let Some(node) = at.and_then(|number: usize| tree.get(number)) {
        moves.extend(node.answers.first().map(|answer| answer.mv.clone()));
        let reply = node.replies.first();
        moves.extend(reply.map(|reply| reply.mv.clone()));
        at = reply.map(|reply| reply.next);
    }
    moves
}

#[cfg(test)]
mod tests {
    use centipawn_core::History;
    use serde_json::json;

    use super::*;
    use crate::{CorrectMoveDocument, ReplyDocument};

    /// A puzzle with two replies to its first move, which both lead to mate.
    fn branched() -> Puzzle {
        let document = json!({
            "fen": "6k1/p4ppp/8/8/8/8/1r3PPK/1Q2R3 b - - 0 1",
            "moves": ["b2b1", "e1b1", "h7h6", "b1b8", "g8h7", "b8b7"],
            "themes": ["short", "handPicked"],
            "rating": 900,
            "rating_interval": [700, 1100],
            "tree": [
                { "fen": "", "answers": [{ "move": "e1b1" }, { "move": "e1e3" }],
                  "replies": [{ "move": "h7h6", "next": 1 }, { "move": "a7a6", "next": 2 }] },
                { "fen": "", "answers": [{ "move": "b1b8" }],
                  "replies": [{ "move": "g8h7", "next": 3 }] },
                { "fen": "", "answers": [{ "move": "b1b8" }], "end": "mate" },
                { "fen": "", "answers": [{ "move": "b8b7" }], "end": "settled" }
            ]
        });
        let document: PuzzleDocument = serde_json::from_value(document).unwrap();
        document.puzzle().unwrap()
    }

    fn moves(puzzle: &Puzzle) -> Vec<String> {
        puzzle.uci_moves().collect()
    }

    #[test]
    fn a_dropped_main_reply_makes_the_other_one_the_main_line() {
        let edited = branched().without_line(&["e1b1", "h7h6"]).unwrap();
        assert_eq!(moves(&edited), ["b2b1", "e1b1", "a7a6", "b1b8"]);
        assert_eq!(edited.tree.as_ref().unwrap().nodes().len(), 2);
        // Themes follow from the moves, the others stay; an estimate of the rating does not.
        assert!(
            edited.theme_names().contains(&"mateIn2"),
            "{:?}",
            edited.theme_names()
        );
        assert!(edited.theme_names().contains(&Puzzle::HAND_PICKED));
        assert_eq!((edited.rating, edited.rating_interval), (None, None));
        let read = edited.document().puzzle().unwrap();
        assert_eq!(read.document(), edited.document());
    }

    #[test]
    fn a_side_line_goes_without_the_main_one() {
        let edited = branched().without_line(&["e1b1", "a7a6"]).unwrap();
        assert_eq!(moves(&edited), moves(&branched()));
        assert_eq!(edited.tree.as_ref().unwrap().nodes().len(), 3);
        let edited = branched().without_line(&["e1e3"]).unwrap();
        assert_eq!(edited.tree.as_ref().unwrap().nodes()[0].answers.len(), 1);
    }

    /// Two replies lead to one position, once directly and once after an exchange of moves.
    #[test]
    fn positions_that_are_reached_twice_stay() {
        let node = |replies: &[(&str, usize)]| NodeDocument {
            fen: String::new(),
            answers: vec![CorrectMoveDocument {
                mv: "e1e2".to_owned(),
                eval: None,
                expected: None,
            }],
            replies: replies
                .iter()
                .map(|(mv, next)| ReplyDocument {
                    mv: (*mv).to_owned(),
                    next: *next,
                })
                .collect(),
            end: None,
            continuation: Vec::new(),
        };
        let mut tree = vec![
            node(&[("a7a6", 1), ("b7b6", 2)]),
            node(&[]),
            node(&[("c7c6", 1)]),
        ];
        drop_branch(&mut tree, &["e1e2", "a7a6"]).unwrap();
        let next = |number: usize| {
            let replies = tree[number].replies.iter();
            replies
                .map(|reply| (&*reply.mv, reply.next))
                .collect::<Vec<_>>()
        };
        assert_eq!((next(0), next(1)), (vec![("b7b6", 1)], vec![("c7c6", 2)]));
        assert_eq!((next(2), tree.len()), (vec![], 3));
    }

    #[test]
    fn a_solution_can_end_earlier_but_not_at_once() {
        let edited = branched()
            .without_line(&["e1b1", "h7h6", "b1b8", "g8h7"])
            .unwrap();
        assert_eq!(moves(&edited), ["b2b1", "e1b1", "h7h6", "b1b8"]);
        for (path, error) in [
            (
                &["e1b1"][..],
                "e1b1 is the main move; drop the line from the opponent's move before it",
            ),
            (&["e1b1", "g8f8"], "g8f8 is not in the solution"),
            (&["e1e3", "h7h6"], "e1e3 is not in the solution"),
            (&[], "a line without moves is not in the solution"),
        ] {
            assert_eq!(
                branched().without_line(path).unwrap_err().to_string(),
                error
            );
        }
    }

    #[test]
    fn without_a_tree_only_the_end_can_go() {
        let start = History::from_fen("r5k1/5ppp/p7/8/Q7/8/4RPPP/4R1K1 b - - 0 1", None).unwrap();
        let puzzle = Puzzle::new(&start, ["a6a5", "e2e8", "a8e8", "a4e8"]).unwrap();
        let refused = |path: &[&str]| puzzle.without_line(path).unwrap_err().to_string();
        assert_eq!(refused(&["e2e7"]), "e2e7 is not in the solution");
        assert!(refused(&["e2e8"]).starts_with("e2e8 is the main move"));
        assert_eq!(
            refused(&["e2e8", "a8e8", "a4e8", "g8f8"]),
            "g8f8 is not in the solution"
        );
        assert_eq!(
            moves(&puzzle.without_line(&["e2e8", "a8e8"]).unwrap()),
            ["a6a5", "e2e8"]
        );
    }

    #[test]
    fn the_mark_is_one_theme() {
        let mut puzzle = branched();
        puzzle.set_hand_picked(true);
        assert_eq!(puzzle.other_themes, [Puzzle::HAND_PICKED]);
        assert!(!puzzle.motif_names().contains(&Puzzle::HAND_PICKED));
        puzzle.set_hand_picked(false);
        assert!(puzzle.other_themes.is_empty());
    }
}
