//! Arrows and circles on the board, as commands in comments: `[%csl Rd4][%cal Ge2e4]`.

use shakmaty::{Color, Move, Square};

/// A colour of Lichess' and ChessBase's arrows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Brush {
    /// The colour of good moves.
    Green,
    /// The colour of refutations.
    Red,
}

/// Arrows, circles and text of a position.
#[derive(Clone, Debug, Default)]
pub(super) struct Remark {
    circles: Vec<String>,
    arrows: Vec<String>,
    sentences: Vec<String>,
}

impl Brush {
    fn letter(self) -> char {
        match self {
            Brush::Green => 'G',
            Brush::Red => 'R',
        }
    }
}

impl Remark {
    /// Adds an arrow for a move of `side`; for castling, the king's move.
    pub(super) fn arrow(mut self, brush: Brush, mv: Move, side: Color) -> Self {
        if let Some(from) = mv.from() {
            let to = mv
                .castling_side()
                .map_or(mv.to(), |castling| castling.king_to(side));
            self.arrows.push(format!("{}{from}{to}", brush.letter()));
        }
        self
    }

    /// Adds circles.
    pub(super) fn circles(
        mut self,
        brush: Brush,
        squares: impl IntoIterator<Item = Square>,
    ) -> Self {
        self.circles.extend(
            squares
                .into_iter()
                .map(|square| format!("{}{square}", brush.letter())),
        );
        self
    }

    /// Adds a sentence; an empty one is ignored.
    pub(super) fn say(mut self, sentence: impl Into<String>) -> Self {
        self.sentences.push(sentence.into());
        self.sentences.retain(|sentence| !sentence.is_empty());
        self
    }

    /// Returns the comment; empty for a remark without anything.
    pub(super) fn comment(&self) -> Vec<String> {
        let commands = [("csl", &self.circles), ("cal", &self.arrows)]
            .into_iter()
            .filter(|(_, shapes)| !shapes.is_empty());
        let commands: String = commands
            .map(|(name, shapes)| format!("[%{name} {}]", shapes.join(",")))
            .collect();
        let parts = std::iter::once(&commands)
            .chain(&self.sentences)
            .filter(|part| !part.is_empty());
        let comment = parts.map(String::as_str).collect::<Vec<_>>().join(" ");
        if comment.is_empty() {
            Vec::new()
        } else {
            vec![comment]
        }
    }
}
