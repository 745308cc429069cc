//! The structure of a position: pawns, the squares of pieces, the king's safety and mobility, as
//! White's number minus Black's.

use shakmaty::{Bitboard, Board, Color, File, Rank, Role, Square, attacks};

/// Number of features.
pub(super) const FEATURES: usize = 20;

/// White's number minus Black's for each feature, in the order of [`Term::STRUCTURE`].
///
/// [`Term::STRUCTURE`]: super::Term::STRUCTURE
pub(super) type Structure = [i8; FEATURES];

/// Returns the structure of a position.
pub(super) fn structure(board: &Board) -> Structure {
    let [white, black] = [Color::White, Color::Black].map(|color| Side::new(board, color).count());
    std::array::from_fn(|index| white[index].saturating_sub(black[index]))
}

/// One side of a position.
struct Side<'a> {
    board: &'a Board,
    color: Color,
    own: Bitboard,
    pawns: Bitboard,
    enemy_pawns: Bitboard,
    /// Squares that enemy pawns attack.
    enemy_pawn_attacks: Bitboard,
}

impl<'a> Side<'a> {
    fn new(board: &'a Board, color: Color) -> Self {
        let pawns = |color: Color| board.pawns() & board.by_color(color);
        Self {
            board,
            color,
            own: board.by_color(color),
            pawns: pawns(color),
            enemy_pawns: pawns(!color),
            enemy_pawn_attacks: pawn_attacks(pawns(!color), !color),
        }
    }

    /// Returns the rank of a square as the side counts it, from 1.
    fn rank(&self, square: Square) -> u32 {
        let rank = u32::from(square.rank());
        self.color.fold_wb(rank + 1, 8 - rank)
    }

    /// Returns the squares in front of a square, on its file and, if wanted, on those beside it.
    fn ahead(&self, square: Square, beside: bool) -> Bitboard {
        let files = file_and(square.file(), beside);
        files
            .into_iter()
            .filter(|other| self.rank(*other) > self.rank(square))
            .collect()
    }

    fn pieces(&self, role: Role) -> Bitboard {
        self.own & self.board.by_role(role)
    }

    fn count(&self) -> [i8; FEATURES] {
        let mut passed = [0; 4];
        let [mut isolated, mut doubled, mut backward, mut phalanx] = [0_i8; 4];
        for pawn in self.pawns {
            let beside = file_and(pawn.file(), true) & !Bitboard::from(pawn.file());
            let is_isolated = (self.pawns & beside).is_empty();
            let is_doubled = (self.pawns & self.ahead(pawn, false)).any();
            let is_passed = (self.enemy_pawns & self.ahead(pawn, true)).is_empty() && !is_doubled;
            isolated += i8::from(is_isolated);
            doubled += i8::from(is_doubled);
            // Counted at the left one of the two pawns.
            let right = pawn.offset(1).filter(|right| right.rank() == pawn.rank());
            phalanx += i8::from(right.is_some_and(|right| self.pawns.contains(right)));
            if is_passed {
                let place = self.rank(pawn).saturating_sub(4).min(3) as usize;
                passed[place] += 1;
            }
            let is_supported = (self.pawns & beside)
                .into_iter()
                .any(|other| self.rank(other) <= self.rank(pawn));
            let front = pawn.offset(self.color.fold_wb(8, -8));
            let is_stopped = front.is_some_and(|front| self.enemy_pawn_attacks.contains(front));
            backward += i8::from(!is_isolated && !is_supported && is_stopped);
        }
        let bad_bishop = self.pieces(Role::Bishop).into_iter().map(|bishop| {
            let color = match bishop.is_light() {
                true => Bitboard::LIGHT_SQUARES,
                false => Bitboard::DARK_SQUARES,
            };
            small((self.pawns & color).count())
        });
        let outpost = self.pieces(Role::Knight).into_iter().filter(|knight| {
            let neighbours = self.ahead(*knight, true) & !Bitboard::from(knight.file());
            let is_protected = pawn_attacks(self.pawns, self.color).contains(*knight);
            (4..=6).contains(&self.rank(*knight))
                && is_protected
                && (self.enemy_pawns & neighbours).is_empty()
        });
        let edge = Bitboard::from(File::A) | Bitboard::from(File::H);
        let rooks = || self.pieces(Role::Rook).into_iter();
        let is_free = |rook: &Square| (self.pawns & Bitboard::from(rook.file())).is_empty();
        let is_open = |rook: &Square| {
            is_free(rook) && (self.enemy_pawns & Bitboard::from(rook.file())).is_empty()
        };
        let [shield, open_files] = self.king();
        let [mobility, attackers] = self.activity();
        let [first, second, third, fourth] = passed;
        [
            first,
            second,
            third,
            fourth,
            isolated,
            doubled,
            backward,
            phalanx,
            bad_bishop.sum(),
            i8::from(self.has_fianchetto()),
            small(outpost.count()),
            small((self.pieces(Role::Knight) & edge).count()),
            small(rooks().filter(is_open).count()),
            small(
                rooks()
                    .filter(|rook| is_free(rook) && !is_open(rook))
                    .count(),
            ),
            small(rooks().filter(|rook| self.rank(*rook) == 7).count()),
            shield,
            open_files,
            attackers,
            self.space(),
            mobility,
        ]
    }

    /// Whether a bishop stands on b2 or g2 in front of the king that castled there.
    fn has_fianchetto(&self) -> bool {
        let home = self.color.fold_wb(Rank::First, Rank::Eighth);
        let second = self.color.fold_wb(Rank::Second, Rank::Seventh);
        let king = self.board.king_of(self.color);
        let is_there = |bishop: File, kings: &[File]| {
            let square = Square::from_coords(bishop, second);
            let is_castled =
                king.is_some_and(|king| king.rank() == home && kings.contains(&king.file()));
            is_castled && self.pieces(Role::Bishop).contains(square)
        };
        is_there(File::G, &[File::G, File::H]) || is_there(File::B, &[File::A, File::B, File::C])
    }

    /// Returns the pawns on the two ranks in front of the king, on its file and those beside it,
    /// and the number of these files without own pawns.
    fn king(&self) -> [i8; 2] {
        let Some(king) = self.board.king_of(self.color) else {
            return [0; 2];
        };
        let near = self
            .ahead(king, true)
            .into_iter()
            .filter(|square| self.rank(*square) <= self.rank(king) + 2);
        let shield = near.filter(|square| self.pawns.contains(*square)).count();
        let is_near = |file: &File| file.distance(king.file()) <= 1;
        let open = File::ALL
            .into_iter()
            .filter(is_near)
            .filter(|file| (self.pawns & Bitboard::from(*file)).is_empty());
        [small(shield), small(open.count())]
    }

    /// Returns the squares that knights, bishops, rooks and queens can reach, except those that
    /// enemy pawns attack; and how many of these pieces attack a square beside the enemy king.
    fn activity(&self) -> [i8; 2] {
        let pieces = self.own & !self.pawns & !self.board.kings();
        let ring = self
            .board
            .king_of(!self.color)
            .map_or(Bitboard::EMPTY, attacks::king_attacks);
        let [mut mobility, mut attackers] = [0; 2];
        for piece in pieces {
            let attacked = self.board.attacks_from(piece);
            mobility += (attacked & !self.own & !self.enemy_pawn_attacks).count();
            attackers += usize::from((attacked & ring).any());
        }
        [small(mobility), small(attackers)]
    }

    /// Returns the squares of the files c to f and the ranks 2 to 4 that hold no own pawn and that
    /// no enemy pawn attacks: Stockfish's space.
    fn space(&self) -> i8 {
        let files = [File::C, File::D, File::E, File::F].map(Bitboard::from);
        let center = files
            .into_iter()
            .fold(Bitboard::EMPTY, |all, file| all | file);
        let near = center
            .into_iter()
            .filter(|square| (2..=4).contains(&self.rank(*square)));
        let safe = near.filter(|square| {
            !self.pawns.contains(*square) && !self.enemy_pawn_attacks.contains(*square)
        });
        small(safe.count())
    }
}

fn small(count: usize) -> i8 {
    i8::try_from(count).unwrap_or(i8::MAX)
}

/// Returns the squares of a file and, if wanted, of those beside it.
fn file_and(file: File, beside: bool) -> Bitboard {
    let own = Bitboard::from(file);
    let neighbours = [file.offset(-1), file.offset(1)].into_iter().flatten();
    match beside {
        true => neighbours.fold(own, |all, file| all | Bitboard::from(file)),
        false => own,
    }
}

fn pawn_attacks(pawns: Bitboard, color: Color) -> Bitboard {
    pawns.into_iter().fold(Bitboard::EMPTY, |all, pawn| {
        all | attacks::pawn_attacks(color, pawn)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::Term;

    /// Returns the features of a position that are not 0, by name.
    fn features(pieces: &str) -> Vec<(&'static str, i8)> {
        let board = Board::from_ascii_board_fen(pieces.as_bytes()).unwrap();
        Term::STRUCTURE
            .into_iter()
            .map(Term::name)
            .zip(structure(&board))
            .filter(|(_, count)| *count != 0)
            .collect()
    }

    fn of(pieces: &str, name: &str) -> i8 {
        features(pieces)
            .into_iter()
            .find(|(own, _)| *own == name)
            .map_or(0, |(_, count)| count)
    }

    #[test]
    fn the_start_is_balanced() {
        assert_eq!(features("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"), []);
    }

    /// For each term, a position that has it and one that does not.
    #[test]
    fn every_term_has_a_position_for_and_against() {
        let cases = [
            (
                "passed-pawn-4",
                "4k3/8/8/8/3P4/8/8/4K3",
                1,
                "4k3/4p3/8/8/3P4/8/8/4K3",
            ),
            (
                "passed-pawn-5",
                "4k3/8/8/3P4/8/8/8/4K3",
                1,
                "4k3/8/8/8/3P4/8/8/4K3",
            ),
            (
                "passed-pawn-6",
                "4k3/8/3P4/8/8/8/8/4K3",
                1,
                "4k3/3p4/3P4/8/8/8/8/4K3",
            ),
            (
                "passed-pawn-7",
                "4k3/8/8/8/8/8/p7/4K3",
                -1,
                "4k3/8/8/8/8/p7/P7/4K3",
            ),
            (
                "isolated-pawn",
                "4k3/8/8/8/8/8/P1P5/4K3",
                2,
                "4k3/8/8/8/8/8/PP6/4K3",
            ),
            (
                "doubled-pawn",
                "4k3/8/8/8/8/P7/P7/4K3",
                1,
                "4k3/8/8/8/8/8/PP6/4K3",
            ),
            (
                "backward-pawn",
                "4k3/8/8/4p3/2P5/3P4/8/4K3",
                1,
                "4k3/8/8/4p3/8/2PP4/8/4K3",
            ),
            (
                "pawn-phalanx",
                "4k3/8/8/8/2PP4/8/8/4K3",
                1,
                "4k3/8/8/8/2P1P3/8/8/4K3",
            ),
            (
                "bad-bishop",
                "4k3/8/8/8/3P4/4P3/8/2B1K3",
                2,
                "4k3/8/8/8/3P4/4P3/8/4KB2",
            ),
            (
                "fianchetto",
                "4k3/8/8/8/8/8/6B1/6K1",
                1,
                "4k3/8/8/8/8/8/6B1/4K3",
            ),
            (
                "knight-outpost",
                "4k3/8/8/3N4/2P5/8/8/4K3",
                1,
                "4k3/4p3/8/3N4/2P5/8/8/4K3",
            ),
            (
                "rim-knight",
                "4k3/8/8/8/8/N7/8/4K3",
                1,
                "4k3/8/8/8/8/2N5/8/4K3",
            ),
            (
                "open-file-rook",
                "4k3/p7/8/8/8/8/P7/3RK3",
                1,
                "4k3/3p4/8/8/8/8/P7/3RK3",
            ),
            (
                "half-open-rook",
                "4k3/3p4/8/8/8/8/P7/3RK3",
                1,
                "4k3/p7/8/8/8/8/P7/3RK3",
            ),
            (
                "seventh-rank-rook",
                "4k3/R7/8/8/8/8/8/4K3",
                1,
                "4k3/8/R7/8/8/8/8/4K3",
            ),
            (
                "king-shield",
                "4k3/8/8/8/8/8/5PPP/6K1",
                3,
                "4k3/8/8/8/5PPP/8/8/6K1",
            ),
            (
                "king-open-file",
                "4k3/3ppp2/8/8/8/8/5P1P/6K1",
                1,
                "4k3/3ppp2/8/8/8/8/5PPP/6K1",
            ),
            (
                "king-attackers",
                "6k1/8/8/8/8/8/8/R3K1R1",
                1,
                "6k1/8/8/8/8/8/8/R3K3",
            ),
            ("space", "4k3/8/8/6p1/8/8/8/4K3", -1, "4k3/8/8/8/8/8/8/4K3"),
            ("mobility", "4k3/8/8/8/8/8/8/N3K3", 2, "4k3/8/8/8/8/8/8/4K3"),
        ];
        assert_eq!(
            cases.map(|(name, ..)| name),
            Term::STRUCTURE.map(Term::name)
        );
        for (name, with, count, without) in cases {
            assert_eq!(of(with, name), count, "{name}: {with}");
            assert_eq!(of(without, name), 0, "{name}: {without}");
        }
    }

    #[test]
    fn black_counts_like_white() {
        for pieces in [
            "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1",
            "8/2p2k2/1p1p4/p2Pp1R1/4P3/1PP5/r5PP/6K1",
        ] {
            let board = Board::from_ascii_board_fen(pieces.as_bytes()).unwrap();
            let mirrored = board.clone().into_mirrored();
            let [own, other] = [structure(&board), structure(&mirrored)];
            assert_eq!(own.map(|count| -count), other, "{pieces}");
        }
    }
}
