//! The material that a line wins.

use centipawn_core::{material_balance, material_value, piece_name};
use shakmaty::{Chess, Color, Move, Position as _, Role, Square};

use super::{ReasonKind, quiet::best_capture_on, shown::LONGEST_SHOWN};

/// Material that a line wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prize {
    /// This many pawns, at least one.
    Pawns(u32),
    /// A knight, bishop, rook or queen, perhaps for pawns.
    Piece(Role),
    /// A rook for a knight or bishop.
    Exchange,
    /// A queen in exchange for this piece.
    QueenFor(Role),
    /// Two knights or bishops for a rook.
    TwoPieces,
    /// Other pieces, for what the other side wins.
    Trade(Trade),
    /// Other material; the value in pawns.
    Worth(u32),
}

/// What both sides win in a line, without what they exchange for the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trade {
    /// Number of pawns, knights, bishops, rooks and queens that the gaining side wins.
    pub won: [u8; 5],
    /// The same for the other side.
    pub given: [u8; 5],
}

/// The most pieces on one side of a trade that a sentence can name.
const MOST_TRADED: u8 = 3;

impl Trade {
    /// Returns the trade of these pieces and pawns; `None` if they are too many to name, or no
    /// piece is won.
    fn of(won: &[Man], given: &[Man]) -> Option<Self> {
        // A promoted pawn is a gain without a capture.
        if won.iter().chain(given).any(|man| man.is_promoted) {
            return None;
        }
        let counts = |men: &[Man]| {
            let mut counts = [0_u8; 5];
            for man in men {
                counts[usize::from(man.role) - 1] += 1;
            }
            counts
        };
        let (mut won, mut given) = (counts(won), counts(given));
        // A pawn for a pawn is an exchange, too.
        let pawns = won[0].min(given[0]);
        (won[0], given[0]) = (won[0] - pawns, given[0] - pawns);
        let is_named = [won, given].iter().all(|counts| {
            let pieces: u8 = counts[1..].iter().sum();
            (1..=MOST_TRADED).contains(&pieces)
        });
        is_named.then_some(Self { won, given })
    }

    /// Returns the kinds of pieces and their numbers, the most valuable first.
    pub fn men(counts: [u8; 5]) -> impl Iterator<Item = (Role, u8)> {
        let men = Role::ALL.into_iter().zip(counts).rev();
        men.filter(|(_, count)| *count > 0)
    }

    /// Returns its value in pawns.
    fn pawns(self) -> u32 {
        let of = |counts: [u8; 5]| -> u32 {
            Self::men(counts)
                .map(|(role, count)| material_value(role) * u32::from(count))
                .sum()
        };
        of(self.won).saturating_sub(of(self.given))
    }

    /// Returns the name in JSON: `queen for rook and knight`, `rook for bishop and 2 pawns`.
    fn name(self) -> String {
        let [won, given] = [self.won, self.given].map(|counts| {
            let men = Self::men(counts).map(|(role, count)| match count {
                1 => piece_name(role).to_owned(),
                _ => format!("{count} {}s", piece_name(role)),
            });
            men.collect::<Vec<_>>().join(" and ")
        });
        format!("{won} for {given}")
    }

    /// Returns the trade of a name in JSON.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        let (won, given) = name.split_once(" for ")?;
        let counts = |names: &str| {
            let mut counts = [0; 5];
            for part in names.split(" and ") {
                let (count, name) = match part.split_once(' ') {
                    Some((count, name)) => (count.parse().ok()?, name.strip_suffix('s')?),
                    None => (1, part),
                };
                let place = Role::ALL[..5]
                    .iter()
                    .position(|role| piece_name(*role) == name)?;
                counts[place] = count;
            }
            Some(counts)
        };
        Some(Self {
            won: counts(won)?,
            given: counts(given)?,
        })
    }

    /// Returns the trade as a part of a command's word: `q-rn`, `r-bpp`.
    pub(super) fn word(self) -> String {
        let [won, given] = [self.won, self.given].map(|counts| {
            let letters = Self::men(counts)
                .flat_map(|(role, count)| std::iter::repeat_n(role.char(), usize::from(count)));
            letters.collect::<String>()
        });
        format!("{won}-{given}")
    }

    /// Returns the trade of a part of a command's word.
    pub(super) fn of_word(word: &str) -> Option<Self> {
        let (won, given) = word.split_once('-')?;
        let counts = |letters: &str| {
            let mut counts = [0_u8; 5];
            for letter in letters.chars() {
                let role = Role::from_char(letter).filter(|role| *role != Role::King)?;
                let place = &mut counts[usize::from(role) - 1];
                *place = place.checked_add(1)?;
            }
            (!letters.is_empty()).then_some(counts)
        };
        Some(Self {
            won: counts(won)?,
            given: counts(given)?,
        })
    }
}

/// Pawns that a piece may cost: a piece for two pawns is a piece won.
const PAWNS_FOR_A_PIECE: u32 = 2;

/// A piece or pawn that a line takes, or that a pawn becomes.
struct Man {
    role: Role,
    square: Square,
    is_promoted: bool,
}

impl Man {
    /// Pawns that it adds.
    fn worth(&self) -> u32 {
        material_value(self.role) - u32::from(self.is_promoted)
    }
}

/// Returns the pieces and pawns that `side` and the other side win in a line. A capture and its
/// recapture on the same square are left out if both win the same value. So a knight that was won
/// earlier still counts if a bishop later captures another knight and is recaptured.
fn men(start: &Chess, line: &[Move], side: Color) -> (Vec<Man>, Vec<Man>) {
    let mut taken: Vec<Option<Role>> = line.iter().map(|mv| mv.capture()).collect();
    for index in (1..line.len()).rev() {
        if let (Some(one), Some(other)) = (taken[index - 1], taken[index])
            && line[index - 1].to() == line[index].to()
            && material_value(one) == material_value(other)
        {
            (taken[index - 1], taken[index]) = (None, None);
        }
    }
    let (mut won, mut given) = (Vec::new(), Vec::new());
    let mut turn = start.turn();
    for (mv, taken) in line.iter().zip(taken) {
        let own = if turn == side { &mut won } else { &mut given };
        own.extend(taken.map(|role| Man {
            role,
            square: mv.to(),
            is_promoted: false,
        }));
        own.extend(mv.promotion().map(|role| Man {
            role,
            square: mv.to(),
            is_promoted: true,
        }));
        turn = !turn;
    }
    (won, given)
}

/// Returns whether a line, which begins in this position, ends with a capture that can be answered
/// by a recapture that wins material: the line is cut off before it.
fn ends_before_recapture(mut position: Chess, line: &[Move]) -> bool {
    line.iter().for_each(|&mv| position.play_unchecked(mv));
    let Some(last) = line.last().filter(|last| last.is_capture()) else {
        return false;
    };
    best_capture_on(&position, last.to()) > 0
}

fn is_minor(role: Role) -> bool {
    material_value(role) == material_value(Role::Knight)
}

impl Prize {
    /// Returns what `side` wins in a line, whose total is `pawns`; `None` for no gain.
    pub(super) fn of(start: &Chess, line: &[Move], side: Color, pawns: i32) -> Option<Self> {
        let pawns = u32::try_from(pawns).ok().filter(|pawns| *pawns > 0)?;
        let (mut won, mut given) = men(start, line, side);
        let worth = |men: &[Man]| men.iter().map(Man::worth).sum::<u32>();
        let is_counted = worth(&won).abs_diff(worth(&given) + pawns) <= 1;
        // Remove exchanged pieces: first those of the same kind, then those of the same value.
        // Remove the last ones, so that what the line wins first remains.
        let (same, alike) = (
            |a: Role, b: Role| a == b,
            |a: Role, b: Role| material_value(a) == material_value(b),
        );
        for is_exchanged in [same as fn(Role, Role) -> bool, alike] {
            given.retain(|man| {
                match won
                    .iter()
                    .rposition(|other| is_exchanged(man.role, other.role))
                {
                    Some(index) => {
                        won.remove(index);
                        false
                    }
                    None => true,
                }
            });
        }
        let pieces = |men: &[Man]| -> Vec<(Role, Square)> {
            let pieces = men.iter().filter(|man| man.role != Role::Pawn);
            pieces.map(|man| (man.role, man.square)).collect()
        };
        let (own_pieces, other_pieces) = (pieces(&won), pieces(&given));
        Some(match (&own_pieces[..], &other_pieces[..]) {
            ([], []) => Self::Pawns(pawns),
            // More than a pawn may be captured after the end of the line, so the pieces do not show
            // what it wins.
            _ if !is_counted => Self::Worth(pawns),
            (&[(piece, _)], []) if pawns + PAWNS_FOR_A_PIECE >= material_value(piece) => {
                Self::Piece(piece)
            }
            // A rook and a minor piece are an exchange only if both are captured on the same
            // square. A piece that is lost elsewhere has its own reason.
            (&[(Role::Rook, at)], &[(other, square)]) if is_minor(other) && at == square => {
                Self::Exchange
            }
            (&[(Role::Queen, _)], &[(other, _)]) => Self::QueenFor(other),
            (&[(one, _), (other, _)], &[(Role::Rook, _)]) if is_minor(one) && is_minor(other) => {
                Self::TwoPieces
            }
            _ => Trade::of(&won, &given)
                .filter(|trade| trade.pawns().abs_diff(pawns) <= 1)
                .map_or(Self::Worth(pawns), Self::Trade),
        })
    }

    /// Returns whether the prize is above all a piece or pawn of this kind.
    pub fn is_of(self, role: Role) -> bool {
        match self {
            Self::Piece(piece) => piece == role,
            Self::Pawns(_) | Self::Worth(1) if role == Role::Pawn => true,
            Self::Worth(pawns) => role != Role::Pawn && 2 * pawns >= material_value(role),
            _ => false,
        }
    }

    /// Returns whether the capture of a piece of this kind is the main part of the prize.
    pub(super) fn names(self, role: Role) -> bool {
        match self {
            Self::Piece(piece) => piece == role,
            Self::Pawns(_) => role == Role::Pawn,
            Self::Exchange => role == Role::Rook,
            Self::QueenFor(_) => role == Role::Queen,
            Self::TwoPieces => material_value(role) == material_value(Role::Knight),
            Self::Trade(trade) => {
                role != Role::Pawn && Trade::men(trade.won).any(|(won, _)| won == role)
            }
            Self::Worth(_) => true,
        }
    }

    /// Returns an entry for each own move of the line after which no recapture is possible: the
    /// number of half-moves up to this move, and what the line has won by then. The number is
    /// limited to the half-moves that a sentence shows. The line follows the move `played` in the
    /// position `before`, or replaces it.
    fn shown(
        kind: ReasonKind,
        before: &Chess,
        played: Move,
        line: &[Move],
    ) -> impl Iterator<Item = (usize, Self)> {
        let mut position = kind.board_start(before, played);
        let side = position.turn();
        let here = material_balance(before.board(), side);
        line.iter()
            .enumerate()
            .take(LONGEST_SHOWN)
            .filter_map(move |(index, &mv)| {
                position.play_unchecked(mv);
                let is_due = line
                    .get(index + 1)
                    .is_some_and(|next| next.is_capture() && next.to() == mv.to());
                if index % 2 == 1 || is_due {
                    return None;
                }
                let whole = kind.whole_line(played, &line[..=index]);
                let won = material_balance(position.board(), side) - here;
                Some((index + 1, Self::of(before, &whole, side, won)?))
            })
    }

    /// Returns the half-moves of a reason's line after which the captures in it amount to this
    /// prize, at most as many as a sentence shows.
    pub(super) fn plies_shown(
        self,
        kind: ReasonKind,
        before: &Chess,
        played: Move,
        line: &[Move],
    ) -> Option<usize> {
        Self::shown(kind, before, played, line)
            .find(|(_, won)| won.is_like(self))
            .map(|(plies, _)| plies)
    }

    /// Returns the prize as a sentence may name it. It names the piece only if the shown part of
    /// the line wins that piece. Otherwise it names the piece that the shown part wins, or only the
    /// value of the gain: a reader who sees a rook captured would not believe in the loss of a
    /// bishop.
    pub(super) fn as_shown(
        self,
        kind: ReasonKind,
        before: &Chess,
        played: Move,
        line: &[Move],
        pawns: u32,
    ) -> Self {
        if matches!(self, Self::Pawns(_) | Self::Worth(_)) {
            return self;
        }
        if kind != ReasonKind::Allows
            && let Some(taken) = line
                .first()
                .and_then(|first| first.capture())
                .filter(|taken| *taken != Role::Pawn)
        {
            // Only the first move is shown, so the reader assumes that the piece which it captures
            // is the prize.
            return if self.names(taken) {
                self
            } else {
                Self::Worth(pawns)
            };
        }
        // The line may end with the capture of the prize, before the captor is captured.
        let is_last = line
            .last()
            .is_some_and(|last| match (self, last.capture()) {
                (Self::Exchange, Some(Role::Rook)) => is_minor(last.role()),
                (Self::QueenFor(role), Some(Role::Queen)) => last.role() == role,
                _ => false,
            });
        if self.plies_shown(kind, before, played, line).is_some() || is_last {
            return self;
        }
        // The prize is captured later and exchanged in the end. Name the first gain instead, if it
        // is not worth more. A capture at the end does not count if its captor is captured next.
        let is_cut_off = ends_before_recapture(kind.board_start(before, played), line);
        Self::shown(kind, before, played, line)
            .filter(|(plies, _)| *plies < line.len() || !is_cut_off)
            .map(|(_, won)| won)
            .find(|won| !matches!(won, Self::Pawns(_) | Self::Worth(_)) && pawns >= won.least())
            .unwrap_or(Self::Worth(pawns))
    }

    /// Returns whether both prizes have the same name, whatever they cost.
    fn is_like(self, other: Self) -> bool {
        match (self, other) {
            (Self::Pawns(_), Self::Pawns(_)) | (Self::Worth(_), Self::Worth(_)) => true,
            (one, other) => one == other,
        }
    }

    /// Returns the same prize with another value in pawns.
    pub(super) fn worth(self, pawns: u32) -> Self {
        match self {
            Self::Pawns(_) => Self::Pawns(pawns),
            Self::Worth(_) => Self::Worth(pawns),
            prize => prize,
        }
    }

    /// Returns the part of the gain that the line wins by force. If several pawns are won, or
    /// something worth several pawns, one pawn is often lost again later (in a quarter of such
    /// claims when measured), so one pawn less is claimed. A queen for another piece is claimed
    /// only if the queen is captured by the second own move; later, other exchanges may come first.
    pub(super) fn by_force(self, line: &[Move], pawns: u32) -> (Self, u32) {
        let takes_queen = || {
            line.iter()
                .step_by(2)
                .take(2)
                .any(|mv| mv.capture() == Some(Role::Queen))
        };
        match self {
            Self::Pawns(_) if pawns > 1 => (Self::Pawns(pawns - 1), pawns - 1),
            Self::QueenFor(_) if takes_queen() => (self, pawns),
            Self::QueenFor(_) => {
                let pawns = self.least().min(pawns);
                (Self::Worth(pawns), pawns)
            }
            Self::Worth(_) if pawns > 1 => (Self::Worth(pawns - 1), pawns - 1),
            prize => (prize, pawns),
        }
    }

    /// Returns the least that the prize is worth in pawns, if it costs two pawns besides.
    pub(super) fn least(self) -> u32 {
        let net = match self {
            Self::Pawns(pawns) | Self::Worth(pawns) => return pawns,
            Self::Piece(role) => material_value(role),
            Self::Exchange => material_value(Role::Rook) - material_value(Role::Knight),
            Self::QueenFor(role) => {
                material_value(Role::Queen).saturating_sub(material_value(role))
            }
            Self::TwoPieces => 2 * material_value(Role::Knight) - material_value(Role::Rook),
            // The pawns that it costs are named.
            Self::Trade(trade) => return trade.pawns().saturating_sub(1).max(1),
        };
        net.saturating_sub(PAWNS_FOR_A_PIECE).max(1)
    }

    /// Its name in JSON: `pawn`, `knight`, `exchange`, `queen for rook`, `two pieces for a rook`,
    /// `queen for rook and knight`, `material`.
    pub fn name(self) -> String {
        match self {
            Prize::Pawns(1) => "pawn".to_owned(),
            Prize::Pawns(_) => "pawns".to_owned(),
            Prize::Piece(role) => piece_name(role).to_owned(),
            Prize::Exchange => "exchange".to_owned(),
            Prize::QueenFor(role) => format!("queen for {}", piece_name(role)),
            Prize::TwoPieces => "two pieces for a rook".to_owned(),
            Prize::Trade(trade) => trade.name(),
            Prize::Worth(_) => "material".to_owned(),
        }
    }
}
