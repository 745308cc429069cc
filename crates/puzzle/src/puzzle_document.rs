//! A puzzle as JSON.

use std::sync::Arc;

use centipawn_core::{Eval, History, Mover};
use centipawn_progress::Provenance;
use serde::{Deserialize, Serialize};

use crate::{
    BadPuzzle, CorrectMove, LineEnd, Node, Puzzle, Reply, Tree, candidate::legal, solution_search::key,
    tree::MOST_POSITIONS,
};

/// A [`Puzzle`] as JSON: a line of a file of puzzles. Unknown values are absent; moves are in UCI notation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PuzzleDocument {
    /// Its name in its collection; where it is absent, the [stable one](Puzzle::stable_id).
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The position before the opponent's move.
    pub fen: String,
    /// The moves, the opponent's first.
    pub moves: Vec<String>,
    /// How strong one must be to solve it, as an Elo or Glicko rating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<u32>,
    /// Standard deviation of the rating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<u32>,
    /// The interval that holds eight in ten such ratings, if the rating is an estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating_interval: Option<[u32; 2]>,
    /// Upvotes less downvotes in per cent, −100 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub popularity: Option<i32>,
    /// How often it was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plays: Option<u64>,
    /// Names of its themes, in the order of the alphabet.
    #[serde(default)]
    pub themes: Vec<String>,
    /// Where the game stands that it is from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub url: String,
    /// The opening of that game, names separated by spaces.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub openings: String,
    /// The solution with its branches: the solver's positions, the first first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tree: Vec<NodeDocument>,
    /// Who mined it, from what, with which options and engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Arc<Provenance>>,
}

/// A [`Node`] of a tree as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NodeDocument {
    /// The position, for readers that keep no board; not needed to read it.
    #[serde(default)]
    pub fen: String,
    /// The correct moves, the main one first.
    pub answers: Vec<CorrectMoveDocument>,
    /// The opponent's defences against the main one, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<ReplyDocument>,
    /// Why the line ends here, where it does: a [name](LineEnd::name).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
    /// How the engine goes on after the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub continuation: Vec<String>,
}

/// A [`CorrectMove`] as JSON; evaluation and expected score are the solver's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorrectMoveDocument {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// As an engine says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eval: Option<Eval<Mover>>,
    /// Expected score, 0 to 1, in thousandths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<f64>,
}

/// A [`Reply`] as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplyDocument {
    /// The opponent's move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The number of the position it leads to, the first being 0.
    pub next: usize,
}

impl Puzzle {
    /// As JSON. An expected score in the tree is rounded to thousandths, which is what engines give.
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
            tree: self.tree.as_ref().map_or_else(Vec::new, |tree| node_documents(self, tree)),
            provenance: self.provenance.clone(),
        }
    }
}

impl PuzzleDocument {
    /// The puzzle that this is the document of.
    ///
    /// # Errors
    ///
    /// [`BadPuzzle`] for a position that cannot be, moves that are no solution, or a tree that does not hold together.
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
                    expected: answer.expected.map(|expected| (expected * 1000.0).round() / 1000.0),
                })
                .collect(),
            replies: node
                .replies
                .iter()
                .map(|reply| ReplyDocument { mv: after.uci(reply.mv).to_string(), next: reply.next })
                .collect(),
            end: node.end.map(|end| end.name().to_owned()),
            continuation: node.continuation.iter().map(|mv| position.uci(*mv).to_string()).collect(),
        }
    };
    tree.nodes().iter().zip(&positions).map(document).collect()
}

/// Reads a tree as far as it is one: every position is reached by legal moves from those before it.
fn read_tree(puzzle: &Puzzle, documents: &[NodeDocument]) -> Result<Tree, BadPuzzle> {
    if documents.len() > MOST_POSITIONS {
        return Err(BadPuzzle::Tree("too many positions"));
    }
    let shown = puzzle.shown();
    let mut positions: Vec<Option<History>> = vec![None; documents.len()];
    positions[0] = Some(shown);
    let mut nodes = Vec::with_capacity(documents.len());
    for (number, document) in documents.iter().enumerate() {
        let position = positions[number].clone().ok_or(BadPuzzle::Tree("no reply leads to one of its positions"))?;
        let mut answers = Vec::with_capacity(document.answers.len());
        for answer in &document.answers {
            let mv = legal(&position, &answer.mv)?;
            answers.push(CorrectMove { mv, eval: answer.eval, expected: answer.expected });
        }
        let main = answers.first().ok_or(BadPuzzle::Tree("a position has no answer"))?.mv;
        let mut after = position;
        after.push(main);
        let mut replies = Vec::with_capacity(document.replies.len());
        for reply in &document.replies {
            let mv = legal(&after, &reply.mv)?;
            let place = positions.get_mut(reply.next).filter(|_| reply.next > 0);
            let place = place.ok_or(BadPuzzle::Tree("a reply leads to a position that is not there"))?;
            let mut next = after.clone();
            next.push(mv);
            match place {
                None => *place = Some(next),
                Some(there) if key(there) == key(&next) => {}
                Some(_) => return Err(BadPuzzle::Tree("two replies lead to different positions of one number")),
            }
            replies.push(Reply { mv, next: reply.next });
        }
        let mut continuation = Vec::with_capacity(document.continuation.len());
        for uci in &document.continuation {
            let mv = legal(&after, uci)?;
            after.push(mv);
            continuation.push(mv);
        }
        nodes.push(Node { answers, replies, end: document.end.as_deref().and_then(LineEnd::from_name), continuation });
    }
    let tree = Tree { nodes };
    if tree.has_cycle() {
        return Err(BadPuzzle::Tree("it goes round in circles"));
    }
    if !tree.main_moves().eq(puzzle.solution.line()) {
        return Err(BadPuzzle::Tree("its main line is not the solution"));
    }
    Ok(tree)
}
