//! Attack tables, computed at compile time.

/// Returns a square's bit.
#[inline]
pub(super) const fn bit(square: u8) -> u64 {
    1 << (square & 63)
}

/// Returns the squares that a piece with these directions and at most `reach` steps attacks on an
/// empty board.
const fn steps(square: usize, directions: &[(i8, i8)], reach: i8) -> u64 {
    let (file, rank) = ((square % 8) as i8, (square / 8) as i8);
    let mut squares = 0;
    let mut index = 0;
    while index < directions.len() {
        let mut distance = 1;
        while distance <= reach {
            let (file, rank) = (
                file + distance * directions[index].0,
                rank + distance * directions[index].1,
            );
            if file < 0 || file > 7 || rank < 0 || rank > 7 {
                break;
            }
            squares |= 1 << (8 * rank + file);
            distance += 1;
        }
        index += 1;
    }
    squares
}

const fn table(directions: &[(i8, i8)], reach: i8) -> [u64; 64] {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = steps(square, directions, reach);
        square += 1;
    }
    table
}

const STRAIGHT: [(i8, i8); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONAL: [(i8, i8); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
const JUMPS: [(i8, i8); 8] = [
    (1, 2),
    (2, 1),
    (2, -1),
    (1, -2),
    (-1, -2),
    (-2, -1),
    (-2, 1),
    (-1, 2),
];

pub(super) const KNIGHT: [u64; 64] = table(&JUMPS, 1);
pub(super) const KING: [u64; 64] = table(
    &[
        (0, 1),
        (1, 1),
        (1, 0),
        (1, -1),
        (0, -1),
        (-1, -1),
        (-1, 0),
        (-1, 1),
    ],
    1,
);

/// The squares attacked by a pawn of White and of Black; also the origins of attacks by a pawn of
/// the other side.
pub(super) const PAWN: [[u64; 64]; 2] =
    [table(&[(-1, 1), (1, 1)], 1), table(&[(-1, -1), (1, -1)], 1)];

/// Row of [`ORIGINS`] for a pawn's single or double step.
pub(super) const PUSH: u8 = 0;
/// Row of [`ORIGINS`] for a pawn's capture.
pub(super) const CAPTURE: u8 = 1;

/// The possible origins of moves on an empty board, by color, kind of move and target. The kinds
/// are [`PUSH`] and [`CAPTURE`] for pawns, promotions excluded, and the roles of the other pieces.
pub(super) static ORIGINS: [[[u64; 64]; 8]; 2] = {
    let straight = table(&STRAIGHT, 7);
    let diagonal = table(&DIAGONAL, 7);
    let mut queen = [0; 64];
    let (mut pushes, mut captures) = ([[0; 64]; 2], [[0; 64]; 2]);
    let mut square = 0;
    while square < 64 {
        queen[square] = straight[square] | diagonal[square];
        if square >= 8 && square < 56 {
            pushes[0][square] = 1 << (square - 8);
            pushes[1][square] = 1 << (square + 8);
            captures[0][square] = PAWN[1][square];
            captures[1][square] = PAWN[0][square];
        }
        if square / 8 == 3 {
            pushes[0][square] |= 1 << (square - 16);
        }
        if square / 8 == 4 {
            pushes[1][square] |= 1 << (square + 16);
        }
        square += 1;
    }
    [
        [
            pushes[0],
            captures[0],
            KNIGHT,
            diagonal,
            straight,
            queen,
            KING,
            [0; 64],
        ],
        [
            pushes[1],
            captures[1],
            KNIGHT,
            diagonal,
            straight,
            queen,
            KING,
            [0; 64],
        ],
    ]
};

/// The squares strictly between two squares on a line; empty for squares that share no line.
pub(super) static BETWEEN: [[u64; 64]; 64] = {
    let mut between = [[0; 64]; 64];
    let mut from = 0;
    while from < 64 {
        let mut index = 0;
        while index < 8 {
            let direction = if index < 4 {
                STRAIGHT[index]
            } else {
                DIAGONAL[index - 4]
            };
            let (mut file, mut rank) = (
                (from % 8) as i8 + direction.0,
                (from / 8) as i8 + direction.1,
            );
            let mut passed = 0;
            while file >= 0 && file < 8 && rank >= 0 && rank < 8 {
                let to = (8 * rank + file) as usize;
                between[from][to] = passed;
                passed |= 1 << to;
                file += direction.0;
                rank += direction.1;
            }
            index += 1;
        }
        from += 1;
    }
    between
};
