//! Findings as JSON and back. Moves are in UCI notation, so reading them back needs the game.

use std::{convert::Infallible, sync::Arc};

use centipawn_core::{Curve, Eval, History, Mover, Wdl};
use centipawn_engine::{Identity, Limit, Line};
use centipawn_judge::{GameFindings, PositionFindings, ease::JudgedEase};
use centipawn_pgn::Game;
use serde::{Deserialize, Serialize};
use shakmaty::Move;

use super::reason::ProofDocument;

/// [`GameFindings`] as JSON. [`read`](Self::read) with the same game returns an equal value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FindingsDocument {
    /// The version of the findings, [`GameFindings::VERSION`].
    pub version: u32,
    /// The analyst; `None` if every evaluation came from the game itself.
    pub analyst: Option<Identity>,
    /// The curve from evaluations to expected scores.
    pub curve: Curve,
    /// One entry for each move of the game.
    pub positions: Vec<PositionDocument>,
}

/// [`PositionFindings`] as JSON; evaluations are the mover's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PositionDocument {
    /// The analyst's lines, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<FoundLine>,
    /// Evaluation of the best move.
    pub best: Eval<Mover>,
    /// Evaluation of the played move.
    pub played: Eval<Mover>,
    /// The last exact score of the played move, where the engine's last bound contradicts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub played_last_exact: Option<Eval<Mover>>,
    /// Evaluation of the best move other than the played move, if known.
    pub best_other: Option<Eval<Mover>>,
    /// The limit to which the analyst was asked; `None` if it was not.
    pub limit: Option<Limit>,
    /// The proven reason of the played move's loss; missing if none was proven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<ProofDocument>,
    /// The ease of the position before the move, for each network.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ease: Vec<JudgedEase<String>>,
}

/// A line of an analyst.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FoundLine {
    /// The moves in UCI notation, separated by spaces.
    pub pv: String,
    /// Evaluation of the line's first move.
    pub eval: Eval<Mover>,
    /// The last exact score, where the engine's last bound contradicts it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_exact: Option<Eval<Mover>>,
    /// The engine's own win, draw and loss probabilities, if it reports them.
    pub wdl: Option<Wdl>,
    /// Depth of the search in plies.
    pub depth: u32,
    /// Number of plies of the longest variation, if the engine reports it.
    pub seldepth: Option<u32>,
}

/// The reason why findings do not fit a game or this version.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FindingsError {
    /// Another version of the program wrote the findings.
    #[error("the findings have version {0}, but this program reads version {current}", current = GameFindings::VERSION)]
    Version(u32),
    /// The findings have more or fewer positions than the game has moves.
    #[error("the findings have {found} positions, but the game has {moves} moves")]
    Length {
        /// Number of positions in the findings.
        found: usize,
        /// Number of moves in the game.
        moves: usize,
    },
    /// The findings contain an illegal move.
    #[error("the findings have the move {uci} after {ply} half-moves, which is illegal there")]
    Move {
        /// The move in UCI notation.
        uci: String,
        /// Number of half-moves of the game before this move.
        ply: usize,
    },
}

impl FindingsDocument {
    /// Creates the document of findings; `game` must be the game they belong to.
    pub fn new(findings: &GameFindings, game: &Game) -> Self {
        let positions = game.mainline().zip(&findings.positions);
        Self {
            version: GameFindings::VERSION,
            analyst: findings.analyst.as_deref().cloned(),
            curve: findings.curve,
            positions: positions
                .map(|((before, _), found)| position_document(&before, found))
                .collect(),
        }
    }
}

fn position_document(before: &History, found: &PositionFindings) -> PositionDocument {
    let uci = |mv: Move| before.uci(mv).to_string();
    let line = |line: &Line| FoundLine {
        pv: line
            .pv
            .iter()
            .map(|mv| uci(*mv))
            .collect::<Vec<_>>()
            .join(" "),
        eval: line.eval,
        last_exact: line.last_exact,
        wdl: line.wdl,
        depth: line.depth,
        seldepth: line.seldepth,
    };
    let ease = |judged: &JudgedEase| {
        let Ok(ease) = judged.map_moves(|mv| Ok::<_, Infallible>(uci(*mv)));
        ease
    };
    PositionDocument {
        lines: found.lines.iter().map(line).collect(),
        best: found.best,
        played: found.played,
        played_last_exact: found.played_last_exact,
        best_other: found.best_other,
        limit: found.limit,
        proof: found
            .proof
            .as_ref()
            .map(|proof| ProofDocument::new(proof, before)),
        ease: found.ease.iter().map(ease).collect(),
    }
}

impl FindingsDocument {
    /// Reads the findings of `game` back.
    ///
    /// # Errors
    ///
    /// [`FindingsError`] if the document belongs to another game or another version.
    pub fn read(&self, game: &Game) -> Result<GameFindings, FindingsError> {
        if self.version != GameFindings::VERSION {
            return Err(FindingsError::Version(self.version));
        }
        if self.positions.len() != game.plies.len() {
            return Err(FindingsError::Length {
                found: self.positions.len(),
                moves: game.plies.len(),
            });
        }
        let positions = game.mainline().zip(&self.positions).enumerate();
        let positions = positions
            .map(|(ply, ((before, _), document))| document.read(&before, game.plies[ply].mv, ply));
        Ok(GameFindings {
            analyst: self.analyst.clone().map(Arc::new),
            curve: self.curve,
            positions: positions.collect::<Result<_, _>>()?,
        })
    }
}

impl PositionDocument {
    fn read(
        &self,
        before: &History,
        played: Move,
        ply: usize,
    ) -> Result<PositionFindings, FindingsError> {
        let parse = |at: &History, uci: &str| {
            at.parse_uci(uci).map_err(|error| FindingsError::Move {
                uci: error.uci,
                ply,
            })
        };
        let line = |line: &FoundLine| {
            // Earlier positions do not affect which moves are legal, so a history without them is
            // enough here.
            let mut at = History::new(before.position().clone(), before.mode());
            let pv = line.pv.split(' ').map(|uci| {
                let mv = parse(&at, uci)?;
                at.push(mv);
                Ok(mv)
            });
            let pv = pv.collect::<Result<_, FindingsError>>()?;
            let FoundLine {
                eval,
                last_exact,
                wdl,
                depth,
                seldepth,
                ..
            } = *line;
            Ok(Line {
                pv,
                eval,
                last_exact,
                wdl,
                depth,
                seldepth,
            })
        };
        Ok(PositionFindings {
            lines: self
                .lines
                .iter()
                .map(line)
                .collect::<Result<_, FindingsError>>()?,
            best: self.best,
            played: self.played,
            played_last_exact: self.played_last_exact,
            best_other: self.best_other,
            limit: self.limit,
            proof: match &self.proof {
                Some(document) => {
                    let proof = document.read(before, played);
                    Some(proof.ok_or_else(|| FindingsError::Move {
                        uci: document.uci.clone(),
                        ply,
                    })?)
                }
                None => None,
            },
            answer: Vec::new(),
            ease: self
                .ease
                .iter()
                .map(|ease| ease.map_moves(|uci| parse(before, uci)))
                .collect::<Result<_, _>>()?,
        })
    }
}
