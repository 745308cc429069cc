//! A puzzle as JSON.

use std::sync::Arc;

use centipawn_core::{Eval, History, Mover};
use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};

use crate::{
    BadPuzzle, CorrectMove, LineEnd, Node, Puzzle, PuzzleGame, Reply, Tree, candidate::legal,
    solution_search::key, tree::MOST_POSITIONS,
};

/// A [`Puzzle`] as JSON, one line of a puzzle file. Unknown values are absent; moves are in UCI
/// notation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PuzzleDocument {
    /// The id in its collection; if absent, the [stable id](Puzzle::stable_id).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The position before the opponent's move.
    pub fen: String,
    /// The moves, the opponent's first.
    pub moves: Vec<String>,
    /// Difficulty as an Elo or Glicko rating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub rating: Option<u32>,
    /// Standard deviation of the rating, in rating points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub deviation: Option<u32>,
    /// The 80 % interval `[low, high]` of an estimated rating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<(u32, u32)>)]
    pub rating_interval: Option<[u32; 2]>,
    /// Upvotes minus downvotes in per cent, −100 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub popularity: Option<i32>,
    /// Number of times it was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub plays: Option<u64>,
    /// Names of its themes, sorted.
    #[serde(default)]
    #[schema(required)]
    pub themes: Vec<String>,
    /// URL of the game it comes from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// Names of that game's opening, separated by spaces.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub openings: String,
    /// The players, place and date of that game, and who erred.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub game: Option<PuzzleGame>,
    /// The solution with its branches: the positions in which the solver moves, starting with the
    /// one shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tree: Vec<NodeDocument>,
    /// Program, inputs, options and engine that mined the puzzle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<Provenance>)]
    pub provenance: Option<Arc<Provenance>>,
}

/// A [`Node`] of a tree as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct NodeDocument {
    /// FEN of the position, for readers without a board. It is ignored when the document is read.
    #[serde(default)]
    #[schema(required)]
    pub fen: String,
    /// The correct moves, the main one first.
    pub answers: Vec<CorrectMoveDocument>,
    /// The opponent's defences against the main move, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<ReplyDocument>,
    /// [Name](LineEnd::name) of the reason why the line ends here; absent if it continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub end: Option<String>,
    /// The engine's expected continuation after the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub continuation: Vec<String>,
}

/// A [`CorrectMove`] as JSON. Evaluation and expected score are for the solver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CorrectMoveDocument {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The engine's evaluation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, value_type = Option<centipawn_core::Score>)]
    pub eval: Option<Eval<Mover>>,
    /// Expected score, 0 to 1, rounded to thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub expected: Option<f64>,
}

/// A [`Reply`] as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ReplyDocument {
    /// The opponent's move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Index in [`PuzzleDocument::tree`] of the next position.
    pub next: usize,
}

impl Puzzle {
    /// Converts the puzzle to JSON. Expected scores in the tree are rounded to thousandths, the
    /// precision of engines.
    pub fn document(&self) -> PuzzleDocument {
        PuzzleDocument {
            id: self.id.clone(),
            fen: self.start.fen(),
            moves: self.uci_moves().collect(),
            rating: self.rating,
            deviation: self.deviation,
            rating_interval: self.rating_interval,
            popularity: self.popularity,
            plays: self.plays,
            themes: self.theme_names().into_iter().map(str::to_owned).collect(),
            url: self.url.clone(),
            openings: self.openings.clone(),
            game: self.game.clone(),
            tree: self
                .tree
                .as_ref()
                .map_or_else(Vec::new, |tree| node_documents(self, tree)),
            provenance: self.provenance.clone(),
        }
    }
}

impl PuzzleDocument {
    /// Converts the document to a puzzle.
    ///
    /// # Errors
    ///
    /// [`BadPuzzle`] for an impossible position, moves that are not a solution, or an inconsistent
    /// tree.
    pub fn puzzle(&self) -> Result<Puzzle, BadPuzzle> {
        let start = History::from_fen(&self.fen, None)?;
        let mut puzzle = Puzzle::new(&start, self.moves.iter().map(String::as_str))?;
        if !self.tree.is_empty() {
            puzzle.tree = Some(read_tree(&puzzle, &self.tree)?);
        }
        puzzle.set_theme_names(self.themes.iter().map(String::as_str));
        if !self.id.is_empty() {
            puzzle.id.clone_from(&self.id);
        }
        Ok(Puzzle {
            rating: self.rating,
            deviation: self.deviation,
            rating_interval: self.rating_interval,
            popularity: self.popularity,
            plays: self.plays,
            url: self.url.clone(),
            openings: self.openings.clone(),
            game: self.game.clone(),
            provenance: self.provenance.clone(),
            ..puzzle
        })
    }
}

fn node_documents(puzzle: &Puzzle, tree: &Tree) -> Vec<NodeDocument> {
    let positions = tree.positions(&puzzle.shown());
    let document = |(node, position): (&Node, &History)| {
        let mut after = position.clone();
        after.push(node.main());
        NodeDocument {
            fen: position.fen(),
            answers: node
                .answers
                .iter()
                .map(|answer| CorrectMoveDocument {
                    mv: position.uci(answer.mv).to_string(),
                    eval: answer.eval,
                    expected: answer
                        .expected
                        .map(|expected| (expected * 1000.0).round() / 1000.0),
                })
                .collect(),
            replies: node
                .replies
                .iter()
                .map(|reply| ReplyDocument {
                    mv: after.uci(reply.mv).to_string(),
                    next: reply.next,
                })
                .collect(),
            end: node.end.map(|end| end.name().to_owned()),
            continuation: node
                .continuation
                .iter()
                .map(|mv| position.uci(*mv).to_string())
                .collect(),
        }
    };
    tree.nodes().iter().zip(&positions).map(document).collect()
}

/// Reads and checks a tree: every position must be reached from an earlier one by legal moves.
fn read_tree(puzzle: &Puzzle, documents: &[NodeDocument]) -> Result<Tree, BadPuzzle> {
    if documents.len() > MOST_POSITIONS {
        return Err(BadPuzzle::Tree("too many positions"));
    }
    let shown = puzzle.shown();
    let mut positions: Vec<Option<History>> = vec![None; documents.len()];
    positions[0] = Some(shown);
    let mut nodes = Vec::with_capacity(documents.len());
    for (number, document) in documents.iter().enumerate() {
        let position = positions[number]
            .clone()
            .ok_or(BadPuzzle::Tree("no reply leads to one of its positions"))?;
        let mut answers = Vec::with_capacity(document.answers.len());
        for answer in &document.answers {
            let mv = legal(&position, &answer.mv)?;
            answers.push(CorrectMove {
                mv,
                eval: answer.eval,
                expected: answer.expected,
            });
        }
        let main = answers
            .first()
            .ok_or(BadPuzzle::Tree("a position has no answer"))?
            .mv;
        let mut after = position;
        after.push(main);
        let mut replies = Vec::with_capacity(document.replies.len());
        for reply in &document.replies {
            let mv = legal(&after, &reply.mv)?;
            let place = positions.get_mut(reply.next).filter(|_| reply.next > 0);
            let place = place.ok_or(BadPuzzle::Tree(
                "a reply leads to a position that is not there",
            ))?;
            let mut next = after.clone();
            next.push(mv);
            match place {
                None => *place = Some(next),
                Some(there) if key(there) == key(&next) => {}
                Some(_) => {
                    return Err(BadPuzzle::Tree(
                        "two replies lead to different positions of one number",
                    ));
                }
            }
            replies.push(Reply {
                mv,
                next: reply.next,
            });
        }
        let mut continuation = Vec::with_capacity(document.continuation.len());
        for uci in &document.continuation {
            let mv = legal(&after, uci)?;
            after.push(mv);
            continuation.push(mv);
        }
        nodes.push(Node {
            answers,
            replies,
            end: document.end.as_deref().and_then(LineEnd::from_name),
            continuation,
        });
    }
    let tree = Tree { nodes };
    if tree.has_cycle() {
        return Err(BadPuzzle::Tree("it contains a cycle"));
    }
    if !tree.main_moves().eq(puzzle.solution.line()) {
        return Err(BadPuzzle::Tree("its main line is not the solution"));
    }
    Ok(tree)
}
