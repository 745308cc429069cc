//! Searches whose scores depend only on the position and the depth.

use std::{thread, time::Duration};

use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, fen::Fen, uci::UciMove};

use crate::{role::Role, send};

/// The position of the next search.
#[derive(Debug)]
pub(crate) struct Board {
    position: Chess,
    mode: CastlingMode,
}

impl Default for Board {
    fn default() -> Self {
        Self {
            position: Chess::default(),
            mode: CastlingMode::Standard,
        }
    }
}

impl Board {
    /// Parses the arguments of `position`. Invalid arguments abort the program, as they do in real
    /// engines.
    pub(crate) fn read(words: &[&str]) -> Self {
        let (set_up, moves) = match words.iter().position(|word| *word == "moves") {
            Some(at) => (&words[..at], &words[at + 1..]),
            None => (words, &[][..]),
        };
        let mut board = match set_up {
            ["fen", fen @ ..] => Self::from_fen(&fen.join(" ")),
            _ => Some(Self::default()),
        }
        .unwrap_or_else(|| std::process::abort());
        for word in moves {
            match word
                .parse::<UciMove>()
                .ok()
                .and_then(|uci| uci.to_move(&board.position).ok())
            {
                Some(mv) => board.position.play_unchecked(mv),
                None => std::process::abort(),
            }
        }
        board
    }

    fn from_fen(fen: &str) -> Option<Self> {
        let setup = fen.parse::<Fen>().ok()?.into_setup();
        let mode = CastlingMode::detect(&setup);
        Some(Self {
            position: setup.position(mode).ok()?,
            mode,
        })
    }

    pub(crate) fn fen(&self) -> String {
        fen(&self.position)
    }
}

fn fen(position: &Chess) -> String {
    Fen::from_position(position, EnPassantMode::Legal).to_string()
}

/// One search. All results are known before it begins, because they depend only on these fields.
pub(crate) struct Search<'a> {
    board: &'a Board,
    searchmoves: Vec<Move>,
    nodes: u64,
    depth: u32,
    lines: usize,
    wdl: bool,
    /// Whether the scores differ from those of a correct engine.
    lies: bool,
}

impl<'a> Search<'a> {
    /// Parses the arguments of `go`.
    pub(crate) fn new(
        board: &'a Board,
        arguments: &[&str],
        lines: usize,
        wdl: bool,
        lies: bool,
    ) -> Self {
        let mut search = Self {
            board,
            searchmoves: Vec::new(),
            nodes: 1000,
            depth: 5,
            lines,
            wdl,
            lies,
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            match *word {
                "nodes" => {
                    search.nodes = words
                        .next()
                        .and_then(|word| word.parse().ok())
                        .unwrap_or(search.nodes);
                }
                "depth" => {
                    search.depth = words
                        .next()
                        .and_then(|word| word.parse().ok())
                        .unwrap_or(search.depth);
                }
                "movetime" => {
                    let time = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
                    thread::sleep(Duration::from_millis(time));
                }
                text => {
                    let mv = text
                        .parse::<UciMove>()
                        .ok()
                        .and_then(|uci| uci.to_move(&board.position).ok());
                    search.searchmoves.extend(mv);
                }
            }
        }
        search
    }

    /// Reports every depth up to the last, with the faults of the role.
    pub(crate) fn report(&self, role: &Role) {
        if *role == Role::NoScore {
            return;
        }
        send("info string thinking about it");
        let last = match role {
            Role::Dawdle => self.depth / 2,
            Role::Shallow => 1,
            _ => self.depth,
        };
        for depth in 1..=last {
            self.iteration(role, depth, "");
        }
        if *role == Role::Bounds {
            self.iteration(role, self.depth + 1, "lowerbound");
        }
    }

    fn iteration(&self, role: &Role, depth: u32, bound: &str) {
        let nodes = if *role == Role::Shallow {
            7
        } else {
            self.nodes
        };
        let nodes = (nodes * u64::from(depth) / u64::from(self.depth)).max(1);
        let mut ranked = self.ranked(role, depth);
        ranked.truncate(match role {
            Role::NoMultiPv => 1,
            Role::OneShort => self.lines.saturating_sub(1),
            _ => self.lines,
        });
        for (index, (mv, score)) in ranked.iter().enumerate() {
            let rank = if *role == Role::NoMultiPv {
                String::new()
            } else {
                format!("multipv {}", index + 1)
            };
            let (score, pv) = match role {
                Role::IllegalPv => (score.text(), "e1e8".to_owned()),
                Role::Score(words) => (words.clone(), self.uci(*mv)),
                Role::GluedPv => (score.text(), format!("{} a1h8 e2e4", self.uci(*mv))),
                Role::Bounds if !bound.is_empty() => (format!("cp 9999 {bound}"), self.uci(*mv)),
                _ => (score.text(), self.uci(*mv)),
            };
            let wdl = if self.wdl {
                score_wdl(score.as_str())
            } else {
                String::new()
            };
            send(&format!(
                "info depth {depth} seldepth {} {rank} score {score} {wdl} nodes {nodes} time 1 \
                 pv {pv}",
                depth + 2
            ));
        }
    }

    /// Reports growing numbers of nodes until `is_stopped` returns true.
    pub(crate) fn run_on(&self, mut is_stopped: impl FnMut() -> bool) {
        let mut nodes = self.nodes;
        while !is_stopped() {
            nodes = nodes.saturating_mul(2);
            send(&format!("info nodes {nodes} time 10"));
            thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn bestmove(&self, role: &Role) -> String {
        match (role, self.ranked(role, self.depth).first()) {
            (Role::IllegalBest(mv), _) => mv.clone(),
            (_, Some((mv, _))) => self.uci(*mv),
            (_, None) => "(none)".to_owned(),
        }
    }

    fn uci(&self, mv: Move) -> String {
        mv.to_uci(self.board.mode).to_string()
    }

    /// Returns the allowed moves, the best first.
    fn ranked(&self, role: &Role, depth: u32) -> Vec<(Move, Worth)> {
        let is_free = self.searchmoves.is_empty() || *role == Role::IgnoreSearchmoves;
        let mut ranked: Vec<(Move, Worth)> = self
            .board
            .position
            .legal_moves()
            .into_iter()
            .filter(|mv| is_free || self.searchmoves.contains(mv))
            .map(|mv| {
                (
                    mv,
                    Worth::of(
                        &self.board.position,
                        mv,
                        if self.lies { depth + 100 } else { depth },
                    ),
                )
            })
            .collect();
        ranked.sort_by_key(|(_, worth)| std::cmp::Reverse(*worth));
        ranked
    }
}

/// The score of a move from the point of view of the player who makes it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Worth {
    Cp(i32),
    Mate,
}

impl Worth {
    /// A mating move is mate. Any other move is worth the balance of material after it, plus or
    /// minus less than 40 centipawns. This part is a hash of the position and the depth, so it is
    /// the same in every run.
    fn of(position: &Chess, mv: Move, depth: u32) -> Self {
        let mut after = position.clone();
        after.play_unchecked(mv);
        if after.is_checkmate() {
            return Self::Mate;
        }
        let hash = (fen(&after) + &depth.to_string())
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        let value = |color| {
            let side = after.board().material_side(color);
            let worth = [
                (side.pawn, 100),
                (side.knight, 300),
                (side.bishop, 310),
                (side.rook, 500),
                (side.queen, 900),
            ];
            worth
                .iter()
                .map(|(count, value)| i32::from(*count) * value)
                .sum::<i32>()
        };
        let mover = position.turn();
        Self::Cp(value(mover) - value(!mover) + (hash >> 32) as i32 % 40)
    }

    fn text(self) -> String {
        match self {
            Self::Cp(cp) => format!("cp {cp}"),
            Self::Mate => "mate 1".to_owned(),
        }
    }
}

/// Returns win, draw and loss in per mille. The expected score `e` is a logistic function of the
/// evaluation, and the share of draws is `0.8·e·(1 − e)`.
fn score_wdl(score: &str) -> String {
    let cp = score
        .strip_prefix("cp ")
        .and_then(|cp| cp.split(' ').next()?.parse::<f64>().ok());
    let expected = cp.map_or(1.0, |cp| 1.0 / (1.0 + (-0.004 * cp).exp()));
    let draw = 0.8 * expected * (1.0 - expected);
    let win = ((expected - draw / 2.0) * 1000.0).round() as u32;
    let draw = (draw * 1000.0).round() as u32;
    format!("wdl {win} {draw} {}", 1000_u32.saturating_sub(win + draw))
}
