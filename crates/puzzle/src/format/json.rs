//! Puzzles as JSON lines.

use std::io::{self, BufRead, Write};

use centipawn_core::{Eval, History, Mover};
use serde::{Deserialize, Serialize};

use crate::{
    Answer, BadPuzzle, LineEnd, Node, Puzzle, ReadError, Reply, SolutionError, Tree, prove::key, tree::MOST_POSITIONS,
};

/// A line.
#[derive(Serialize, Deserialize)]
struct Line {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    id: String,
    fen: String,
    moves: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rating: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    deviation: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rating_interval: Option<[u32; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    popularity: Option<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    plays: Option<u64>,
    #[serde(default)]
    themes: Vec<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    url: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    openings: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tree: Vec<NodeText>,
}

/// A position of the tree; `fen` is for readers without a board of their own.
#[derive(Serialize, Deserialize)]
struct NodeText {
    #[serde(default)]
    fen: String,
    answers: Vec<AnswerText>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    replies: Vec<ReplyText>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    end: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    continuation: Vec<String>,
}

/// Evaluation and expected score are the solver's.
#[derive(Serialize, Deserialize)]
struct AnswerText {
    #[serde(rename = "move")]
    mv: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    eval: Option<Eval<Mover>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected: Option<f64>,
}

#[derive(Serialize, Deserialize)]
struct ReplyText {
    #[serde(rename = "move")]
    mv: String,
    next: usize,
}

pub(super) fn puzzles(mut input: impl BufRead) -> impl Iterator<Item = Result<Puzzle, ReadError>> {
    let (mut number, mut is_over) = (0, false);
    std::iter::from_fn(move || {
        while !is_over {
            let mut text = Vec::new();
            number += 1;
            match input.read_until(b'\n', &mut text) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    is_over = true;
                    return Some(Err(ReadError::Io(error)));
                }
            }
            let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text).trim_ascii();
            if !text.is_empty() {
                return Some(read(text).map_err(|(id, kind)| ReadError::Puzzle { line: number, id, kind }));
            }
        }
        None
    })
}

fn read(text: &[u8]) -> Result<Puzzle, (String, BadPuzzle)> {
    let line: Line =
        serde_json::from_slice(text).map_err(|error| (String::new(), BadPuzzle::Json(error.to_string())))?;
    let Line { id, fen, moves, rating, deviation, rating_interval, popularity, plays, themes, url, openings, tree } =
        line;
    let puzzle = History::from_fen(&fen, None).map_err(BadPuzzle::from).and_then(|start| {
        let puzzle = Puzzle::new(&start, moves.iter().map(String::as_str))?;
        let tree = if tree.is_empty() { None } else { Some(read_tree(&puzzle, &tree)?) };
        Ok(Puzzle { rating, deviation, rating_interval, popularity, plays, url, openings, tree, ..puzzle })
    });
    match puzzle {
        Ok(mut puzzle) => {
            puzzle.set_theme_names(themes.iter().map(String::as_str));
            if !id.is_empty() {
                puzzle.id = id;
            }
            Ok(puzzle)
        }
        Err(kind) => Err((id, kind)),
    }
}

pub(super) fn write(out: &mut impl Write, puzzle: &Puzzle) -> io::Result<()> {
    let line = Line {
        id: puzzle.id.clone(),
        fen: puzzle.start.fen(),
        moves: puzzle.uci_moves().collect(),
        rating: puzzle.rating,
        deviation: puzzle.deviation,
        rating_interval: puzzle.rating_interval,
        popularity: puzzle.popularity,
        plays: puzzle.plays,
        themes: puzzle.theme_names().into_iter().map(str::to_owned).collect(),
        url: puzzle.url.clone(),
        openings: puzzle.openings.clone(),
        tree: puzzle.tree.as_ref().map_or_else(Vec::new, |tree| tree_text(puzzle, tree)),
    };
    serde_json::to_writer(&mut *out, &line)?;
    out.write_all(b"\n")
}

fn tree_text(puzzle: &Puzzle, tree: &Tree) -> Vec<NodeText> {
    let positions = tree.positions(&puzzle.shown());
    let text = |(node, position): (&Node, &History)| {
        let mut after = position.clone();
        after.push(node.main());
        NodeText {
            fen: position.fen(),
            answers: node
                .answers
                .iter()
                .map(|answer| AnswerText {
                    mv: position.uci(answer.mv).to_string(),
                    eval: answer.eval,
                    // Engines tell thousandths.
                    expected: answer.expected.map(|expected| (expected * 1000.0).round() / 1000.0),
                })
                .collect(),
            replies: node
                .replies
                .iter()
                .map(|reply| ReplyText { mv: after.uci(reply.mv).to_string(), next: reply.next })
                .collect(),
            end: node.end.map(|end| end.name().to_owned()),
            continuation: node.continuation.iter().map(|mv| position.uci(*mv).to_string()).collect(),
        }
    };
    tree.nodes().iter().zip(&positions).map(text).collect()
}

/// Reads a tree as far as it is one: every position is reached by legal moves from those before it.
fn read_tree(puzzle: &Puzzle, texts: &[NodeText]) -> Result<Tree, BadPuzzle> {
    if texts.len() > MOST_POSITIONS {
        return Err(BadPuzzle::Tree("too many positions"));
    }
    let mut positions: Vec<Option<History>> = vec![None; texts.len()];
    positions[0] = Some(puzzle.shown());
    let mut nodes = Vec::with_capacity(texts.len());
    for (number, text) in texts.iter().enumerate() {
        let position = positions[number].clone().ok_or(BadPuzzle::Tree("no reply leads to one of its positions"))?;
        let legal = |position: &History, uci: &str| {
            position.parse_uci(uci).map_err(|_| SolutionError::illegal(position.position(), uci.to_owned()))
        };
        let mut answers = Vec::with_capacity(text.answers.len());
        for answer in &text.answers {
            let mv = legal(&position, &answer.mv)?;
            answers.push(Answer { mv, eval: answer.eval, expected: answer.expected });
        }
        let main = answers.first().ok_or(BadPuzzle::Tree("a position has no answer"))?.mv;
        let mut after = position;
        after.push(main);
        let mut replies = Vec::with_capacity(text.replies.len());
        for reply in &text.replies {
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
        let mut continuation = Vec::with_capacity(text.continuation.len());
        for uci in &text.continuation {
            let mv = legal(&after, uci)?;
            after.push(mv);
            continuation.push(mv);
        }
        nodes.push(Node { answers, replies, end: text.end.as_deref().and_then(LineEnd::from_name), continuation });
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
