//! The input of a network: 112 planes of 64 squares.

use centipawn_core::History;
use shakmaty::{Bitboard, Board, Chess, Color, EnPassantMode, Position as _, Role, Setup, Square};

use crate::{conditioning, format::Input};

/// Planes for each position of the history.
const PLANES_A_BOARD: usize = 13;
/// Number of positions in the input: the current one and the 7 before it.
const BOARDS: usize = 8;
/// The first plane that does not belong to a position of the history.
const REST: usize = PLANES_A_BOARD * BOARDS;

/// The input of a network: 112 planes. Each plane has one value and the squares that hold it; all
/// other squares hold 0. The board is seen by the side to move, so a1 is that side's left corner.
#[derive(Clone, Debug, PartialEq)]
pub struct Planes {
    /// The squares and the value of each plane. The lowest bit of a [`Bitboard`] is a1.
    pub planes: [(Bitboard, f32); 112],
    /// How the board was transformed, for canonical formats.
    pub(crate) turned: Turned,
    /// How many positions before the start position were made up, 0 to 7.
    pub made_up: usize,
}

/// How a board is transformed so that symmetric positions become equal. The three steps are made in
/// this order: mirror left to right, mirror bottom to top, mirror along the diagonal from a8 to h1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Turned {
    flip: bool,
    mirror: bool,
    transpose: bool,
}

impl Turned {
    fn board(self, mut board: Bitboard) -> Bitboard {
        if self.flip {
            board = board.flip_horizontal();
        }
        if self.mirror {
            board = board.flip_vertical();
        }
        if self.transpose {
            board = board.flip_anti_diagonal();
        }
        board
    }

    /// Transforms a square like the board.
    pub(crate) fn square(self, mut square: Square) -> Square {
        if self.flip {
            square = square.flip_horizontal();
        }
        if self.mirror {
            square = square.flip_vertical();
        }
        if self.transpose {
            square = square.flip_anti_diagonal();
        }
        square
    }
}

/// The parts of a position that the planes encode.
struct Seen {
    board: Board,
    turn: Color,
    /// The rooks that may still castle.
    rights: Bitboard,
    /// The square behind a pawn that has just made a double step.
    passed: Option<Square>,
    halfmoves: u32,
}

impl Seen {
    fn new(position: &Chess, mode: EnPassantMode) -> Self {
        let Setup {
            board,
            turn,
            castling_rights,
            ep_square,
            halfmoves,
            ..
        } = position.to_setup(mode);
        Self {
            board,
            turn,
            rights: castling_rights,
            passed: ep_square,
            halfmoves,
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.turn == other.turn
            && self.rights == other.rights
            && self.passed == other.passed
            && self.board == other.board
    }
}

/// The order of the pieces in the planes.
const ROLES: [Role; 6] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];

impl Planes {
    /// Encodes the last position of `history` and the positions before it.
    ///
    /// The planes always show 8 positions. If fewer are known and the game does not begin at the
    /// initial position, the first position is repeated, as Lc0 does. If that position allows an
    /// en-passant capture, the double step of the pawn is undone in the repetitions.
    pub(crate) fn new(history: &History, format: Input) -> Self {
        let game = positions(history);
        let now = &game[game.len() - 1];
        let turned = if format.is_canonical() {
            turned(now)
        } else {
            Turned::default()
        };
        let mut planes = [(Bitboard::EMPTY, 1.0); 112];
        let made_up = add_boards(&mut planes, &game, history.is_from_startpos(), format);
        add_state(&mut planes, now, format);
        for (squares, _) in &mut planes[..REST + 5] {
            *squares = turned.board(*squares);
        }
        Self {
            planes,
            turned,
            made_up,
        }
    }

    /// Returns the same planes with the rating; `rating` is the value of the rating plane.
    #[must_use]
    pub(crate) fn at(mut self, rating: f32) -> Self {
        self.planes[conditioning::PLANE] = (Bitboard::FULL, rating);
        self
    }
}

/// Adds the planes of the pieces for the last position of `game` and those before it. Returns how
/// many positions were made up.
fn add_boards(
    planes: &mut [(Bitboard, f32); 112],
    game: &[Seen],
    is_from_start: bool,
    format: Input,
) -> usize {
    let last = game.len() - 1;
    let now = &game[last];
    let mut made_up = 0;
    let mut slot = 0;
    let mut index = last as isize;
    while slot < BOARDS {
        let is_known = index >= 0;
        if !is_known && is_from_start {
            break;
        }
        let at = index.max(0) as usize;
        let seen = &game[at];
        if format.is_canonical()
            && (seen.rights != now.rights || (index != last as isize && seen.passed.is_some()))
        {
            break;
        }
        if !is_known && format.needs_repeats_only() {
            break;
        }
        let is_repeated = is_repeated(&game[..=at]);
        if format.needs_repeats_only() && !is_repeated && slot > 0 {
            if seen.halfmoves == 0 {
                break;
            }
            index -= 1;
            continue;
        }
        let board = if is_known {
            seen.board.clone()
        } else {
            before_double_step(seen)
        };
        made_up += usize::from(!is_known);
        let base = slot * PLANES_A_BOARD;
        for (side, color) in [now.turn, !now.turn].into_iter().enumerate() {
            for (role_index, role) in ROLES.into_iter().enumerate() {
                planes[base + 6 * side + role_index].0 =
                    seen_by(now.turn, board.by_color(color) & board.by_role(role));
            }
        }
        if is_repeated {
            planes[base + 12].0 = Bitboard::FULL;
        }
        slot += 1;
        index -= 1;
        if format.is_canonical() && seen.halfmoves == 0 {
            break;
        }
    }
    made_up
}

/// Adds the planes of castling rights, en passant, side to move and clock.
fn add_state(planes: &mut [(Bitboard, f32); 112], now: &Seen, format: Input) {
    let us = now.turn;
    let all = |is_set: bool| {
        if is_set {
            Bitboard::FULL
        } else {
            Bitboard::EMPTY
        }
    };
    let [a_side, h_side] = rooks(now);
    if format == Input::Classical {
        for (offset, color) in [(0, us), (2, !us)] {
            planes[REST + offset].0 = all((a_side & Bitboard::from(color.backrank())).any());
            planes[REST + offset + 1].0 = all((h_side & Bitboard::from(color.backrank())).any());
        }
    } else {
        planes[REST].0 = seen_by(us, a_side);
        planes[REST + 1].0 = seen_by(us, h_side);
    }
    if format.is_canonical() {
        let passed = now
            .passed
            .map(|square| Square::from_coords(square.file(), shakmaty::Rank::Eighth));
        planes[REST + 4].0 = passed.map_or(Bitboard::EMPTY, Bitboard::from);
    } else {
        planes[REST + 4].0 = all(us.is_black());
    }
    let clock = now.halfmoves as f32;
    planes[REST + 5] = (
        Bitboard::FULL,
        if format.is_hectoplies() {
            clock / 100.0
        } else {
            clock
        },
    );
    planes[REST + 6].0 = all(format.is_armageddon() && us.is_black());
    planes[REST + 7].0 = Bitboard::FULL;
}

/// Returns the positions at the end of the game that the planes depend on: those that the planes
/// show, and before them those that one of these can repeat. The start position comes first if it
/// is among them.
fn positions(history: &History) -> Vec<Seen> {
    let (start, moves) = (history.start(), history.moves());
    // For each position, the number of moves since the last capture or pawn move. No earlier
    // position can be repeated.
    let mut clocks = vec![start.halfmoves() as usize];
    clocks.extend(moves.iter().scan(clocks[0], |clock, mv| {
        *clock = if mv.is_zeroing() { 0 } else { *clock + 1 };
        Some(*clock)
    }));
    let shown = clocks.len().saturating_sub(BOARDS)..clocks.len();
    let first = shown
        .map(|index| index.saturating_sub(clocks[index]))
        .min()
        .unwrap_or(0);
    let mut position = start.clone();
    let mut seen = Vec::with_capacity(clocks.len() - first);
    for (index, mv) in moves.iter().map(Some).chain([None]).enumerate() {
        if index >= first {
            // Lc0 takes the en-passant square of a FEN as it is. For later positions it sets the
            // square only if a pawn attacks it.
            let mode = if index == 0 {
                EnPassantMode::Always
            } else {
                EnPassantMode::PseudoLegal
            };
            seen.push(Seen::new(&position, mode));
        }
        mv.into_iter().for_each(|mv| position.play_unchecked(*mv));
    }
    seen
}

/// Returns whether the last position of `game` occurred before.
fn is_repeated(game: &[Seen]) -> bool {
    let Some((last, before)) = game.split_last() else {
        return false;
    };
    let reach = last.halfmoves as usize;
    before
        .iter()
        .rev()
        .take(reach)
        .any(|earlier| earlier.is_same(last))
}

fn seen_by(color: Color, board: Bitboard) -> Bitboard {
    color.fold_wb(board, board.flip_vertical())
}

/// Returns the rooks that may still castle: first those on the a-side of their kings, then those on
/// the h-side.
fn rooks(seen: &Seen) -> [Bitboard; 2] {
    let mut sides = [Bitboard::EMPTY; 2];
    for color in Color::ALL {
        let rooks = seen.rights & Bitboard::from(color.backrank());
        for rook in rooks {
            let is_h_side = seen.board.king_of(color).is_some_and(|king| rook > king);
            sides[usize::from(is_h_side)].add(rook);
        }
    }
    sides
}

/// Returns the board before the pawn's double step that made the en-passant capture possible.
fn before_double_step(seen: &Seen) -> Board {
    let mut board = seen.board.clone();
    if let Some(passed) = seen.passed {
        let pushed = !seen.turn;
        let to = passed.offset(pushed.fold_wb(8, -8));
        let from = passed.offset(pushed.fold_wb(-8, 8));
        if let (Some(from), Some(to)) = (from, to)
            && let Some(pawn) = board.remove_piece_at(to)
        {
            board.set_piece_at(from, pawn);
        }
    }
    board
}

/// Returns how a position is transformed for the canonical formats. The king of the side to move is
/// mirrored to the h-side. Without pawns, it is also mirrored to the lower half and below the
/// diagonal. Positions with castling rights are not transformed.
fn turned(now: &Seen) -> Turned {
    let mut turned = Turned::default();
    let us = now.turn;
    if now.rights.any() {
        return turned;
    }
    let side = |color: Color| seen_by(us, now.board.by_color(color));
    let role = |role: Role| seen_by(us, now.board.by_role(role));
    let mut king = side(us) & role(Role::King);
    if (king & Bitboard(0x0F0F_0F0F_0F0F_0F0F)).any() {
        turned.flip = true;
        king = king.flip_horizontal();
    }
    if role(Role::Pawn).any() {
        return turned;
    }
    if (king & Bitboard(0xFFFF_FFFF_0000_0000)).any() {
        turned.mirror = true;
        king = king.flip_vertical();
    }
    if (king & Bitboard(0xE0C0_8000)).any() {
        turned.transpose = true;
    } else if (king & Bitboard(0x1020_4080)).any() {
        // If the king is on the diagonal, compare the sets of pieces with their mirror images. The
        // first set that differs decides.
        let sets = [
            side(us) | side(!us),
            side(us),
            role(Role::King),
            role(Role::Queen),
            role(Role::Rook),
            role(Role::Knight),
            role(Role::Bishop),
        ];
        let difference = sets.into_iter().map(|set| {
            let set = turned.board(set);
            u64::from(set).cmp(&u64::from(set.flip_anti_diagonal()))
        });
        turned.transpose = difference
            .into_iter()
            .find(|order| order.is_ne())
            .is_some_and(std::cmp::Ordering::is_gt);
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planes(fen: &str, moves: &str, format: Input) -> Planes {
        let mut history = History::from_fen(fen, None).unwrap();
        for uci in moves.split_whitespace() {
            let mv = history.parse_uci(uci).unwrap();
            history.push(mv);
        }
        Planes::new(&history, format)
    }

    #[test]
    fn castling_planes_show_the_rooks_that_may_castle() {
        let both = planes(
            "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 3 9",
            "",
            Input::CastlingPlane,
        );
        // Black sees its own a-side rook on a1 and White's h-side rook on h8.
        assert_eq!(both.planes[104].0, Bitboard::from(Square::A1));
        assert_eq!(both.planes[105].0, Bitboard::from(Square::H8));
        assert_eq!(
            (both.planes[106].0, both.planes[108].0),
            (Bitboard::EMPTY, Bitboard::FULL)
        );
        let classical = planes("r3k2r/8/8/8/8/8/8/R3K2R b Kq - 3 9", "", Input::Classical);
        let flags = [104, 105, 106, 107].map(|plane| classical.planes[plane].0 == Bitboard::FULL);
        assert_eq!(
            (flags, classical.planes[109].1),
            ([true, false, false, true], 3.0)
        );
    }

    #[test]
    fn canonical_planes_of_symmetric_positions_are_equal() {
        // With pawns only left and right are symmetric.
        let pair = [
            "8/8/8/8/2k5/8/P7/1K6 w - - 0 1",
            "8/8/8/8/5k2/8/7P/6K1 w - - 0 1",
        ];
        let [one, other] = pair.map(|fen| planes(fen, "", Input::CanonicalHectoplies));
        assert_eq!(one.planes, other.planes);
        assert_ne!(one.turned, other.turned);
        // Without pawns, top and bottom and the two sides of the diagonal are symmetric too.
        let fens = [
            "8/8/8/8/3k4/8/1R6/6K1 w",
            "8/8/8/8/4k3/8/6R1/1K6 w",
            "6K1/1R6/8/3k4/8/8/8/8 w",
            "1K6/6R1/8/4k3/8/8/8/8 w",
            "8/6R1/8/4k3/8/8/7K/8 w",
        ];
        let turned = fens.map(|fen| planes(&format!("{fen} - - 0 1"), "", Input::Canonical).planes);
        assert!(turned.iter().all(|planes| *planes == turned[0]));
        // Positions with castling rights are not transformed.
        let castling = planes("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "", Input::Canonical);
        assert_eq!(castling.turned, Turned::default());
    }

    #[test]
    fn positions_before_the_last_pawn_move_are_not_replayed_into_planes() {
        const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let mut history = History::from_fen(START, None).unwrap();
        let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
        for uci in shuffle
            .iter()
            .cycle()
            .take(40)
            .chain(["e2e4", "e7e5"].iter())
            .chain(shuffle.iter().cycle().take(9))
        {
            history.push(history.parse_uci(uci).unwrap());
        }
        // Nine moves after the last pawn move, the position after it and the following nine are
        // needed, not the forty moves before.
        assert_eq!(positions(&history).len(), 10);
        let planes = Planes::new(&history, Input::Classical);
        let repeated = (0..8)
            .filter(|board| planes.planes[13 * board + 12].0.any())
            .count();
        assert_eq!((repeated, planes.made_up), (6, 0));
    }

    #[test]
    fn canonical_history_ends_where_it_cannot_repeat() {
        const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let used = |planes: &Planes| {
            (0..8)
                .filter(|board| planes.planes[13 * board + 5].0.any())
                .count()
        };
        assert_eq!(
            used(&planes(START, "e2e4 e7e5 g1f3 b8c6", Input::Classical)),
            5
        );
        // The canonical history ends at the pawn's move.
        assert_eq!(
            used(&planes(START, "e2e4 e7e5 g1f3 b8c6", Input::Canonical)),
            3
        );
        // The king's move changes the castling rights, which also ends the history.
        assert_eq!(
            used(&planes(START, "e2e4 e7e5 e1e2 b8c6", Input::Canonical)),
            2
        );
        // Version 2 keeps only positions that were repeated. Here these are the start and the
        // position after Nf3.
        let shuffle = "g1f3 g8f6 f3g1 f6g8 g1f3";
        let v2 = planes(START, shuffle, Input::CanonicalV2);
        assert_eq!((used(&v2), v2.planes[12].0), (2, Bitboard::FULL));
        let passed = planes(START, "e2e4 a7a6 e4e5 d7d5", Input::Canonical);
        assert_eq!(passed.planes[108].0, Bitboard::from(Square::D8));
        assert_eq!(
            planes(
                "8/8/4k3/8/8/8/4R3/4K3 b - - 50 90",
                "e6d6",
                Input::CanonicalV2
            )
            .planes[109]
                .1,
            0.51
        );
        let armageddon = planes(
            "8/8/4k3/8/8/8/4R3/4K3 b - - 50 90",
            "",
            Input::CanonicalHectopliesArmageddon,
        );
        assert_eq!(armageddon.planes[110].0, Bitboard::FULL);
    }
}
