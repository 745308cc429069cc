//! How a line wins: the motif that causes the gain, with its pieces.

use std::cmp::Reverse;

use centipawn_core::{material_value, static_exchange_eval};
use centipawn_puzzle::{Solution, Theme, themes};
use shakmaty::{Bitboard, Board, Chess, Color, Move, Position as _, Role, Square, attacks};

use super::{Gain, Prize, Reason, ReasonKind, quiet::best_capture_on};
use crate::Topic;

/// Declares the motifs: each with its name in JSON, and with what a player trains who loses
/// material by it. Mates and draws have separate topics, see [`Topic::of`], and ideas have none.
macro_rules! motifs {
    ($($(#[$doc:meta])* $motif:ident: $name:literal, $topic:ident;)*) => {
        /// The tactical means by which a line wins.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Motif {
            $($(#[$doc])* $motif,)*
        }

        impl Motif {
            /// All motifs.
            pub const ALL: [Motif; [$($name),*].len()] = [$(Motif::$motif),*];

            /// Returns the motif's name in JSON: `hanging piece`.
            pub fn name(self) -> &'static str {
                match self {
                    $(Motif::$motif => $name,)*
                }
            }

            /// Returns the topic that a player who loses material by this motif should train.
            pub(crate) fn topic(self) -> Topic {
                match self {
                    $(Motif::$motif => Topic::$topic,)*
                }
            }
        }
    };
}

motifs! {
    /// A piece without a defender is captured.
    Hanging: "hanging piece", HangingPiece;
    /// A piece is captured by an exchange that wins material: it is worth more than its captor, or
    /// has too few defenders.
    Capture: "capture", HangingPiece;
    /// A piece that has just captured is captured.
    Recapture: "recapture", HangingPiece;
    /// The move captured with the wrong piece.
    OtherCapture: "other capture", HangingPiece;
    /// A piece attacks two other pieces at the same time.
    Fork: "fork", Fork;
    /// A pinned piece cannot leave its square without exposing its king.
    Pin: "pin", Pin;
    /// A piece is attacked through another piece, which has to leave (a skewer).
    Skewer: "skewer", Skewer;
    /// A move opens the line of attack of another piece.
    DiscoveredAttack: "discovered attack", DiscoveredAttack;
    /// Two pieces give check at the same time.
    DoubleCheck: "double check", DiscoveredAttack;
    /// The defender of the prize is captured first.
    RemovedDefender: "removed defender", RemovedDefender;
    /// A piece has no safe square.
    TrappedPiece: "trapped piece", TrappedPiece;
    /// An intermediate move interrupts an exchange.
    Intermezzo: "intermezzo", Intermezzo;
    /// A pawn promotes.
    Promotion: "promotion", Promotion;
    /// A king behind its own pawns is mated on its first rank.
    BackRank: "back rank", Material;
    /// A knight mates a king that is surrounded by its own pieces and pawns.
    Smothered: "smothered mate", Material;
    /// Checks without end save a lost position.
    Perpetual: "perpetual check", Material;
    /// The position occurs for the third time.
    Repetition: "draw by repetition", Material;
    /// The side to move has no legal move.
    Stalemate: "stalemate", Material;
    /// Fifty moves of each side without a capture or a pawn move.
    FiftyMoves: "fifty-move rule", Material;
    /// The opponent carries out a threat that was overlooked.
    Threat: "overlooked threat", Material;
    /// The better move would have prevented the opponent's reply.
    Prevention: "prevention", Material;
    /// The opponent's reply attacks a piece.
    Attack: "attack", Material;
    /// The better move makes a threat.
    NewThreat: "new threat", Material;
    /// The queens are exchanged.
    QueenTrade: "queen trade", Material;
    /// The last pieces are exchanged.
    PawnEnding: "pawn ending", Material;
    /// The better move castles.
    Castling: "castling", Material;
    /// The better move attacks a pawn with a pawn.
    Break: "pawn break", Material;
    /// The better move develops a piece.
    Development: "development", Material;
    /// The better move comes first, then the played one.
    Order: "move order", Material;
}

/// A motif with the piece that carries it out and its targets.
type Found = (Motif, Option<(Role, Square)>, Vec<(Role, Square)>);

/// The moves of a line with the positions around them, for the side that gains.
struct Line<'a> {
    moves: &'a [Move],
    /// The position before each move, and the last position.
    positions: Vec<Chess>,
    side: Color,
}

/// Finds the motif of a reason. Its line follows the move `mv`, or replaces it, in the position
/// `before`.
pub(super) fn find(before: &Chess, mv: Move, reason: &Reason) -> Option<Found> {
    if let Gain::Draw(draw) = reason.gain {
        return Some((draw.motif(), None, Vec::new()));
    }
    let solution = Solution::new(
        before,
        std::iter::once(mv).chain(reason.line.iter().copied()),
    )
    .ok()?;
    let has = themes(&solution);
    let bare = |motif: Motif, theme: Theme| has.contains(theme).then(|| (motif, None, Vec::new()));
    if let Gain::Mate(_) = reason.gain {
        return bare(Motif::BackRank, Theme::BackRankMate)
            .or_else(|| bare(Motif::Smothered, Theme::SmotheredMate));
    }
    let line = Line::new(solution.position().clone(), &reason.line);
    let Gain::Material(prize, pawns) = reason.gain else {
        return None;
    };
    let pawns = pawns.cast_signed();
    // If both moves capture on the same square, the second only wins back what the first captured.
    let is_recapture = mv.is_capture()
        && reason
            .line
            .first()
            .is_some_and(|first| first.to() == mv.to());
    let capture = match (line.capture(pawns), reason.kind) {
        // The piece was not hanging before the move, because it got to its square by a capture.
        (Some((_, piece, targets)), ReasonKind::Allows) if is_recapture => {
            matches!(prize, Prize::Piece(_)).then_some((Motif::Capture, piece, targets))
        }
        (Some((_, piece, targets)), ReasonKind::Misses | ReasonKind::Achieves) if is_recapture => {
            Some((Motif::Recapture, piece, targets))
        }
        (found, _) => found,
    };
    // Accept a motif only if its last target is the prize that the sentence names.
    let is_prize =
        |(_, _, targets): &Found| targets.last().is_some_and(|(role, _)| prize.is_of(*role));
    capture
        .or_else(|| {
            line.trapped(has.contains(Theme::TrappedPiece))
                .filter(is_prize)
        })
        .or_else(|| line.fork())
        .or_else(|| line.skewer(has.contains(Theme::Skewer)))
        .or_else(|| {
            line.removed_defender(has.contains(Theme::CapturingDefender))
                .filter(is_prize)
        })
        .or_else(|| bare(Motif::DoubleCheck, Theme::DoubleCheck))
        .or_else(|| {
            line.discovered(
                has.contains(Theme::DiscoveredAttack) || has.contains(Theme::DiscoveredCheck),
            )
        })
        .or_else(|| line.pin(has.contains(Theme::Pin)).filter(is_prize))
        .or_else(|| line.promotion())
        .or_else(|| {
            line.intermezzo(has.contains(Theme::Intermezzo), mv)
                .filter(is_prize)
        })
}

impl<'a> Line<'a> {
    fn new(start: Chess, moves: &'a [Move]) -> Self {
        let side = start.turn();
        let mut positions = vec![start];
        for &mv in moves {
            let mut next = positions[positions.len() - 1].clone();
            next.play_unchecked(mv);
            positions.push(next);
        }
        Self {
            moves,
            positions,
            side,
        }
    }

    /// Indices of the gaining side's moves.
    fn own(&self) -> impl Iterator<Item = usize> + use<> {
        (0..self.moves.len()).step_by(2)
    }

    fn board(&self, index: usize) -> &Board {
        self.positions[index].board()
    }

    /// Finds a capture: the first move captures what the line wins, counting only the exchange on
    /// its square.
    fn capture(&self, pawns: i32) -> Option<Found> {
        let (start, first) = (&self.positions[0], self.moves[0]);
        let taken = first.capture()?;
        // The exchange counts a queen as ten pawns.
        let wins = static_exchange_eval(start, first);
        if first.is_en_passant() || wins < pawns {
            return None;
        }
        let square = first.to();
        let defenders =
            self.positions[1]
                .board()
                .attacks_to(square, !self.side, self.board(1).occupied());
        let motif = if defenders.is_empty() {
            Motif::Hanging
        } else {
            Motif::Capture
        };
        Some((
            motif,
            Some((first.role(), first.from()?)),
            vec![(taken, square)],
        ))
    }

    /// Returns whether the side takes on one of the squares by a later move, and what; by the piece
    /// on `from`, if that is given.
    fn takes_later(
        &self,
        after: usize,
        from: Option<Square>,
        squares: Bitboard,
    ) -> Option<(Role, Square)> {
        self.own().filter(|index| *index > after).find_map(|index| {
            let mv = self.moves[index];
            let taken = mv.capture().filter(|_| squares.contains(mv.to()))?;
            from.is_none_or(|from| mv.from() == Some(from))
                .then_some((taken, mv.to()))
        })
    }

    /// Finds a fork: a piece attacks two targets (the king, a more valuable piece or an undefended
    /// one), then captures one of them.
    fn fork(&self) -> Option<Found> {
        // Only a fork by the side's first move is a consequence of the mistake.
        self.own().take(1).find_map(|index| {
            let mv = self.moves[index];
            let (role, square) = (mv.promotion().unwrap_or(mv.role()), mv.to());
            let board = self.board(index + 1);
            let targets: Bitboard = (board.attacks_from(square) & board.by_color(!self.side))
                .into_iter()
                .filter(|&target| {
                    let dear = board.role_at(target).is_some_and(|other| {
                        other == Role::King
                            || other != Role::Pawn && material_value(other) > material_value(role)
                    });
                    let is_piece = board.role_at(target) != Some(Role::Pawn);
                    dear || is_piece
                        && board
                            .attacks_to(target, !self.side, board.occupied())
                            .is_empty()
                })
                .collect();
            if !targets.more_than_one() || role == Role::King {
                return None;
            }
            let (_, taken) = self.takes_later(index, Some(square), targets)?;
            let mut named: Vec<(Role, Square)> = targets
                .into_iter()
                .filter_map(|target| Some((board.role_at(target)?, target)))
                .collect();
            // Sort the king first, then the captured target, then by value.
            named.sort_by_key(|(role, target)| {
                (
                    *role != Role::King,
                    *target != taken,
                    Reverse(material_value(*role)),
                )
            });
            named.truncate(2);
            Some((Motif::Fork, Some((role, square)), named))
        })
    }

    fn skewer(&self, is_tagged: bool) -> Option<Found> {
        self.own()
            .skip(1)
            .take(1)
            .filter(|_| is_tagged)
            .find_map(|index| {
                let (mv, reply) = (self.moves[index], self.moves[index - 1]);
                let (from, taken, left) = (mv.from()?, mv.capture()?, reply.from()?);
                let is_skewer =
                    attacks::between(from, mv.to()).contains(left) && reply.to() != mv.to();
                is_skewer.then(|| {
                    let targets = vec![(reply.role(), left), (taken, mv.to())];
                    (Motif::Skewer, Some((mv.role(), from)), targets)
                })
            })
    }

    fn removed_defender(&self, is_tagged: bool) -> Option<Found> {
        self.own()
            .skip(1)
            .take(1)
            .filter(|_| is_tagged)
            .find_map(|index| {
                let (mv, own) = (self.moves[index], self.moves[index - 2]);
                let (taken, defender) = (mv.capture()?, own.capture()?);
                let board = self.board(index - 2);
                let defended = board
                    .attacks_to(mv.to(), !self.side, board.occupied())
                    .contains(own.to());
                defended.then(|| {
                    let targets = vec![(defender, own.to()), (taken, mv.to())];
                    (
                        Motif::RemovedDefender,
                        Some((own.role(), own.to())),
                        targets,
                    )
                })
            })
    }

    /// Finds a discovered attack: a capture along a line that the side's previous move opened, or a
    /// capture by a move that gives check with another piece.
    fn discovered(&self, is_tagged: bool) -> Option<Found> {
        self.own().take(2).filter(|_| is_tagged).find_map(|index| {
            let mv = self.moves[index];
            let (from, taken) = (mv.from()?, mv.capture()?);
            let checkers = self.positions[index + 1].checkers();
            // A king that steps into the check is no consequence of the first move.
            let steps_into = index > 0 && self.moves[index - 1].role() == Role::King;
            if checkers.any() && !checkers.contains(mv.to()) && !steps_into {
                return Some((
                    Motif::DiscoveredAttack,
                    Some((mv.role(), mv.to())),
                    vec![(taken, mv.to())],
                ));
            }
            let opener = self.moves[index.checked_sub(2)?];
            let is_opened = opener.role() != Role::King
                && attacks::between(from, mv.to()).contains(opener.from()?)
                && opener.to() != from;
            is_opened.then(|| {
                (
                    Motif::DiscoveredAttack,
                    Some((mv.role(), from)),
                    vec![(taken, mv.to())],
                )
            })
        })
    }

    /// Finds a pin: a piece that is pinned to its king is captured on its square.
    fn pin(&self, is_tagged: bool) -> Option<Found> {
        self.own().take(1).filter(|_| is_tagged).find_map(|index| {
            let board = self.board(index + 1);
            let king = board.king_of(!self.side)?;
            let pinned = self.pinned(board, king);
            let (role, square) = self.takes_later(index, None, pinned)?;
            Some((Motif::Pin, None, vec![(role, square)]))
        })
    }

    /// Returns the pieces that stand alone between a sliding piece of this side and the opponent's
    /// king.
    fn pinned(&self, board: &Board, king: Square) -> Bitboard {
        let lines = |square: Square| {
            let straight = square.file() == king.file() || square.rank() == king.rank();
            if straight {
                board.rooks_and_queens()
            } else {
                board.bishops_and_queens()
            }
            .contains(square)
        };
        let sliders = board.by_color(self.side) & board.sliders();
        let pins = sliders
            .into_iter()
            .filter(|&slider| attacks::ray(king, slider).any() && lines(slider));
        pins.filter_map(|slider| {
            let between = attacks::between(king, slider) & board.occupied();
            let blocker = between.single_square()?;
            (board.color_at(blocker) == Some(!self.side)).then_some(Bitboard::from(blocker))
        })
        .fold(Bitboard::EMPTY, |all, one| all | one)
    }

    /// Finds a trapped piece, which is captured on its square or on the square to which it moved.
    /// The first move must trap the piece: before the move it could not be won, and the move gives
    /// no check, because a check would restrict other pieces, too.
    fn trapped(&self, is_tagged: bool) -> Option<Found> {
        let is_tagged = is_tagged && !self.positions[1].is_check();
        // A capture after more than three own moves is not a threat of the first move.
        self.own()
            .skip(1)
            .take(2)
            .filter(|_| is_tagged)
            .find_map(|index| {
                let mv = self.moves[index];
                let taken = mv.capture().filter(|taken| material_value(*taken) >= 3)?;
                let reply = self.moves[index - 1];
                let stood = if reply.to() == mv.to() {
                    reply.from()?
                } else {
                    mv.to()
                };
                let board = self.board(index - 1);
                // The piece stood there before the line began, and the line's last move attacks it.
                let was_there = self
                    .board(0)
                    .piece_at(stood)
                    .is_some_and(|piece| piece.role == taken);
                let by = self.moves[index - 2];
                let is_attacked = board.attacks_to(stood, self.side, board.occupied()).any();
                (was_there && is_attacked && !self.is_lost(stood) && !self.escapes(stood)).then(
                    || {
                        (
                            Motif::TrappedPiece,
                            Some((by.role(), by.to())),
                            vec![(taken, stood)],
                        )
                    },
                )
            })
    }

    /// Returns whether the piece on this square can be won by an exchange at once, before the line
    /// begins.
    fn is_lost(&self, square: Square) -> bool {
        best_capture_on(&self.positions[0], square) > 0
    }

    /// Returns whether the piece on this square can go where it is not lost, after the first move.
    fn escapes(&self, square: Square) -> bool {
        let position = &self.positions[1];
        position
            .legal_moves()
            .iter()
            .filter(|mv| mv.from() == Some(square))
            .any(|&mv| {
                let mut after = position.clone();
                after.play_unchecked(mv);
                best_capture_on(&after, mv.to())
                    <= mv.capture().map_or(0, material_value).cast_signed()
            })
    }

    /// Finds an intermediate move: only the side's second move recaptures the piece that captured
    /// with the move `taker`.
    fn intermezzo(&self, is_tagged: bool, taker: Move) -> Option<Found> {
        let mv = self
            .moves
            .get(2)
            .filter(|mv| is_tagged && taker.is_capture() && mv.to() == taker.to())?;
        Some((Motif::Intermezzo, None, vec![(mv.capture()?, mv.to())]))
    }

    fn promotion(&self) -> Option<Found> {
        self.own().find_map(|index| {
            let mv = self.moves[index];
            mv.promotion()
                .map(|role| (Motif::Promotion, Some((role, mv.to())), Vec::new()))
        })
    }
}
