//! A reason as a sentence.

use centipawn_core::material_value;
use shakmaty::{Role, Square};

use super::{Gain, LONGEST_MATE, Motif, Prize, Reason, ReasonKind};
use crate::Language;

/// Half-moves of the line that a sentence shows, at most; all are in the document.
const LONGEST_SHOWN: usize = 5;
/// Half-moves that it shows if the gain comes later.
const SHOWN: usize = 3;

/// What a sentence needs beside the reason.
pub(super) struct Around<'a> {
    /// The move number before the first move of the line.
    pub(super) number: u32,
    /// Whether White begins the line.
    pub(super) is_white: bool,
    /// The line in SAN.
    pub(super) san: &'a [String],
    /// Where the played move ended.
    pub(super) played_to: Square,
    /// The pawns that the gaining side is behind before the line, at least 0.
    pub(super) behind: u32,
}

/// A German noun: nominative with its article, accusative, and accusative with the indefinite article.
struct Noun {
    bare: &'static str,
    the: &'static str,
    the_object: &'static str,
    object: &'static str,
}

impl Language {
    /// The reason in a sentence, the first move of its line with number and side: `Allows 11... Qb6+, which forks king and bishop.`
    pub(super) fn reason_sentence(self, reason: &Reason, around: &Around<'_>) -> String {
        let Around { number, is_white, san, .. } = *around;
        let line = |plies: usize| self.line(number, is_white, &san[..plies.min(san.len())]);
        let (first, shown) = (line(1), line(reason.shown()));
        let sentence = match (reason.kind, reason.gain) {
            (ReasonKind::Allows, Gain::Mate(moves)) => self.allows_mate(reason, moves, &shown),
            (ReasonKind::Misses, Gain::Mate(moves)) => self.pick(
                format!("Misses {}: {shown}", self.mate(moves)),
                format!("Übersieht {}: {shown}", self.mate(moves)),
            ),
            (ReasonKind::Allows, Gain::Draw) => {
                self.pick(format!("Allows a perpetual check: {shown}"), format!("Lässt ein Dauerschach zu: {shown}"))
            }
            (ReasonKind::Misses, Gain::Draw) => self.pick(
                format!("Misses a draw by perpetual check: {shown}"),
                format!("Übersieht das Remis durch Dauerschach: {shown}"),
            ),
            (ReasonKind::Allows, Gain::Material(prize, _)) => self.allows(reason, prize, around, &first, &shown),
            (ReasonKind::Misses, Gain::Material(..)) if reason.motif == Some(Motif::Recapture) => {
                self.pick(format!("Misses the recapture {first}"), format!("Verpasst das Zurückschlagen {first}"))
            }
            // Both captures win the same, so the prize says nothing.
            (ReasonKind::Misses, Gain::Material(..)) if reason.motif == Some(Motif::OtherCapture) => self.pick(
                format!("Captures with the wrong piece: {first} is right"),
                format!("Schlägt mit der falschen Figur: Richtig ist {first}"),
            ),
            (ReasonKind::Misses, Gain::Material(prize, _)) => {
                let how = self.how(reason, prize, around);
                self.pick(format!("Misses {first}, which {how}"), format!("Verpasst {first}{how}"))
            }
        };
        format!("{}.", sentence.trim_end_matches('.'))
    }

    fn allows_mate(self, reason: &Reason, moves: u32, line: &str) -> String {
        match reason.motif {
            Some(Motif::BackRank) => {
                self.pick(format!("Leaves the back rank open: {line}"), format!("Lässt die Grundreihe offen: {line}"))
            }
            _ => {
                let mate = self.mate(moves);
                self.pick(format!("Allows {mate}: {line}"), format!("Lässt {mate} zu: {line}"))
            }
        }
    }

    /// `mate in 3`; only `a forced mate` if it is long.
    fn mate(self, moves: u32) -> String {
        match moves <= LONGEST_MATE.unsigned_abs() {
            true => self.pick(format!("mate in {moves}"), format!("Matt in {moves}")),
            false => self.pick("a forced mate", "ein erzwungenes Matt").to_owned(),
        }
    }

    fn allows(self, reason: &Reason, prize: Prize, around: &Around<'_>, first: &str, shown: &str) -> String {
        let target = reason.targets.first();
        match (reason.motif, target) {
            // The piece that moved took something first.
            (Some(Motif::Hanging), Some(&(role, _))) if !takes(prize, role) => self.loses(prize, shown),
            (Some(Motif::Hanging), Some(&(role, square))) if square == around.played_to => {
                let noun = self.noun(role);
                self.pick(
                    format!("Puts the {} on {square}, where it is lost: {first}", noun.bare),
                    format!("Stellt {} auf {square} ein: {first}", noun.the_object),
                )
            }
            (Some(Motif::Hanging), Some(&(role, square))) => {
                let noun = self.noun(role);
                self.pick(
                    format!("Leaves the {} on {square} hanging: {first}", noun.bare),
                    format!("Lässt {} auf {square} hängen: {first}", noun.the_object),
                )
            }
            (Some(Motif::Capture), Some(&(role, square))) if takes(prize, role) => {
                let noun = self.noun(role);
                self.pick(
                    format!("Loses the {} on {square}: {shown}", noun.bare),
                    format!("Verliert {} auf {square}: {shown}", noun.the_object),
                )
            }
            (Some(Motif::Capture), _) => self.loses(prize, shown),
            (Some(Motif::TrappedPiece), Some(&(role, square))) => {
                let noun = self.noun(role);
                self.pick(
                    format!("The {} on {square} is trapped after {first}", noun.bare),
                    format!("{} auf {square} hat nach {first} keinen Rückweg", capital(noun.the)),
                )
            }
            (Some(Motif::Promotion), _) => {
                self.pick(format!("Lets the pawn promote: {shown}"), format!("Lässt den Bauern umwandeln: {shown}"))
            }
            (Some(_), _) => {
                let how = self.how(reason, prize, around);
                self.pick(format!("Allows {first}, which {how}"), format!("Erlaubt {first}{how}"))
            }
            (None, _) => self.loses(prize, shown),
        }
    }

    fn loses(self, prize: Prize, shown: &str) -> String {
        let what = self.prize(prize);
        self.pick(format!("Loses {what}: {shown}"), format!("Verliert {what}: {shown}"))
    }

    /// What the first move does: `forks king and bishop`; in German with its comma: `, mit Gabel gegen König und Läufer`.
    fn how(self, reason: &Reason, prize: Prize, around: &Around<'_>) -> String {
        let what = self.prize(prize);
        let is_back = matches!(reason.gain, Gain::Material(_, pawns) if (pawns..=pawns + 1).contains(&around.behind));
        let place = |&(role, square): &(Role, Square)| {
            self.pick(
                format!("the {} on {square}", self.noun(role).bare),
                format!("{} auf {square}", self.noun(role).the_object),
            )
        };
        let two = |targets: &[(Role, Square)]| {
            let names: Vec<&str> = targets.iter().map(|(role, _)| self.noun(*role).bare).collect();
            names.join(self.pick(" and ", " und "))
        };
        // A skewer that comes a move later is not what the first move does.
        let is_first = reason.piece.is_none_or(|(_, square)| reason.line.first().is_some_and(|mv| mv.to() == square));
        match reason.motif {
            Some(Motif::Fork) => {
                let names = two(&reason.targets);
                self.pick(format!("forks {names}"), format!(" mit einer Gabel: {names}"))
            }
            Some(Motif::Skewer) if is_first => {
                let names = two(&reason.targets);
                self.pick(format!("skewers {names}"), format!(" mit einem Spieß: {names}"))
            }
            Some(Motif::Pin) => match reason.targets.first() {
                Some(target) => {
                    let (pinned, square) = (self.noun(target.0).bare, target.1);
                    self.pick(
                        format!("wins the pinned {pinned} on {square}"),
                        format!(" und gewinnt durch eine Fesselung {}", place(target)),
                    )
                }
                None => self.wins(&what, is_back),
            },
            Some(Motif::RemovedDefender) => match reason.targets.get(1) {
                Some(target) => {
                    let (defended, noun) = (place(target), self.noun(target.0));
                    self.pick(
                        format!("takes the defender of {defended}"),
                        format!(" und schlägt die Deckung weg: dann fällt {} auf {}", noun.the, target.1),
                    )
                }
                None => self.wins(&what, is_back),
            },
            Some(Motif::DiscoveredAttack) => self
                .pick(format!("wins {what} by a discovered attack"), format!(" und gewinnt durch einen Abzug {what}")),
            Some(Motif::DoubleCheck) => {
                self.pick(format!("wins {what} by a double check"), format!(" und gewinnt durch Doppelschach {what}"))
            }
            Some(Motif::Intermezzo) => self.pick(
                format!("wins {what} by an in-between move"),
                format!(" und gewinnt durch einen Zwischenzug {what}"),
            ),
            Some(Motif::TrappedPiece) => match reason.targets.first() {
                Some(target) => {
                    let trapped = place(target);
                    self.pick(format!("traps {trapped}"), format!(" und fängt {trapped}"))
                }
                None => self.wins(&what, is_back),
            },
            _ => self.wins(&what, is_back),
        }
    }

    /// What a move wins; `is_back`: the side had lost as much before.
    fn wins(self, what: &str, is_back: bool) -> String {
        match is_back {
            true => self.pick(format!("wins back {what}"), format!(" und gewinnt {what} zurück")),
            false => self.pick(format!("wins {what}"), format!(" und gewinnt {what}")),
        }
    }

    /// What is won, as an object: `a knight`, `the exchange`, `two pawns`.
    fn prize(self, prize: Prize) -> String {
        let number = |count: u32| {
            let english = ["two", "three", "four", "five", "six", "seven", "eight", "nine"];
            let german = ["zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"];
            let index = (count as usize).checked_sub(2);
            let word = |words: [&str; 8]| index.and_then(|index| words.get(index)).map(|word| (*word).to_owned());
            word(self.pick(english, german)).unwrap_or_else(|| count.to_string())
        };
        match prize {
            Prize::Pawns(1) => self.pick("a pawn", "einen Bauern").to_owned(),
            Prize::Pawns(pawns) => format!("{} {}", number(pawns), self.pick("pawns", "Bauern")),
            Prize::Piece(role) => {
                let noun = self.noun(role);
                self.pick(format!("the {}", noun.bare), noun.the_object.to_owned())
            }
            Prize::Exchange => self.pick("the exchange", "die Qualität").to_owned(),
            Prize::QueenFor(role) => {
                let noun = self.noun(role);
                self.pick(format!("the queen for a {}", noun.bare), format!("die Dame für {}", noun.object))
            }
            Prize::TwoPieces => self.pick("two pieces for a rook", "zwei Figuren für einen Turm").to_owned(),
            Prize::Worth(1) => self.pick("material", "Material").to_owned(),
            Prize::Worth(pawns) => self.pick(
                format!("material worth {} pawns", number(pawns)),
                format!("Material im Wert von {} Bauern", number(pawns)),
            ),
        }
    }

    fn noun(self, role: Role) -> Noun {
        let noun = |bare, the, the_object, object| Noun { bare, the, the_object, object };
        match self {
            Language::English => {
                let bare = centipawn_core::piece_name(role);
                noun(bare, "", "", "")
            }
            Language::German => match role {
                Role::Pawn => noun("Bauer", "der Bauer", "den Bauern", "einen Bauern"),
                Role::Knight => noun("Springer", "der Springer", "den Springer", "einen Springer"),
                Role::Bishop => noun("Läufer", "der Läufer", "den Läufer", "einen Läufer"),
                Role::Rook => noun("Turm", "der Turm", "den Turm", "einen Turm"),
                Role::Queen => noun("Dame", "die Dame", "die Dame", "eine Dame"),
                Role::King => noun("König", "der König", "den König", "einen König"),
            },
        }
    }
}

impl Reason {
    /// The same or more half-moves: an exchange on the last square is shown to its end, so that the reader does not answer "but I take back".
    fn through_exchange(&self, plies: usize) -> usize {
        let captures_on =
            |index: usize, square: Square| self.line.get(index).is_some_and(|mv| mv.is_capture() && mv.to() == square);
        let Some(square) = plies.checked_sub(1).and_then(|last| self.line.get(last)).map(|mv| mv.to()) else {
            return plies;
        };
        let mut plies = plies;
        while plies + 2 <= LONGEST_SHOWN && captures_on(plies, square) && captures_on(plies + 1, square) {
            plies += 2;
        }
        plies
    }

    /// Half-moves of the line for a sentence: to the mate, or to the capture of what is won, if these come soon.
    fn shown(&self) -> usize {
        let own = |is: &dyn Fn(Role) -> bool| {
            let index = self.line.iter().step_by(2).position(|mv| mv.capture().is_some_and(is));
            index.map(|index| 2 * index + 1).filter(|plies| *plies <= LONGEST_SHOWN)
        };
        let promotes = || {
            let index = self.line.iter().step_by(2).position(|mv| mv.is_promotion());
            index.map(|index| 2 * index + 1).filter(|plies| *plies <= LONGEST_SHOWN).unwrap_or(1)
        };
        let plies = match self.gain {
            Gain::Material(..) if self.motif == Some(Motif::Promotion) => promotes(),
            Gain::Mate(_) => {
                if self.line.len() <= LONGEST_SHOWN {
                    self.line.len()
                } else {
                    1
                }
            }
            Gain::Material(Prize::Piece(role), _) => own(&|taken| taken == role).unwrap_or(SHOWN),
            Gain::Material(Prize::Pawns(1), _) => own(&|taken| taken == Role::Pawn).unwrap_or(SHOWN),
            _ => SHOWN,
        };
        self.through_exchange(plies)
    }
}

/// Whether a prize is above all the piece that is taken first.
fn takes(prize: Prize, role: Role) -> bool {
    match prize {
        Prize::Piece(piece) => piece == role,
        Prize::Pawns(_) | Prize::Worth(1) if role == Role::Pawn => true,
        Prize::Worth(pawns) => role != Role::Pawn && 2 * pawns >= material_value(role),
        _ => false,
    }
}

/// The text with a capital letter at its beginning.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
