//! A reason as a sentence.

use centipawn_core::material_balance;
use centipawn_judge::{
    JudgedMove,
    reason::{DrawKind, Gain, Idea, LONGEST_MATE, Motif, Prize, Reason, ReasonKind, Trade},
};
use shakmaty::{Position as _, Role, Square};

use crate::Language;

/// The data that a sentence needs besides the reason.
pub(crate) struct Around<'a> {
    /// The move number before the first move of the line.
    pub(crate) number: u32,
    /// Whether White begins the line.
    pub(crate) is_white: bool,
    /// The line in SAN.
    pub(crate) san: &'a [String],
    /// Destination square of the played move.
    pub(crate) played_to: Square,
    /// The pawns that the gaining side is behind before the line, at least 0.
    pub(crate) behind: u32,
    /// The better move with its number; empty if the played move is the best.
    pub(crate) better: &'a str,
}

/// Where the words about a move stand: in a clause or in a separate sentence. The English words are
/// the same in both.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `Misses 12. hxg4, which` **`wins the bishop`**; in German with its comma.
    Clause,
    /// **`Wins the bishop`**.
    Sentence,
}

/// A German noun: nominative, plural, nominative with its article, accusative, and accusative with
/// the indefinite article.
struct Noun {
    bare: &'static str,
    many: &'static str,
    the: &'static str,
    the_object: &'static str,
    object: &'static str,
}

impl Language {
    /// Returns why a move is a mistake, in a sentence: `Allows 11... Qb6+, which forks king and
    /// bishop.` `None` where nothing is shown.
    pub fn reason_text(self, ply: &JudgedMove) -> Option<String> {
        let reason = ply.reason.as_ref()?;
        Some(self.around(ply, reason, |around| self.reason_sentence(reason, around)))
    }

    /// Returns what the missed move does, in a sentence that stands beside it: `Wins the bishop.`
    /// `None` unless the reason is what the move missed.
    pub fn solution_text(self, ply: &JudgedMove) -> Option<String> {
        let reason = ply
            .reason
            .as_ref()
            .filter(|reason| reason.kind == ReasonKind::Misses)?;
        Some(self.around(ply, reason, |around| self.solution_sentence(reason, around)))
    }

    /// Calls `words` with the data around a reason.
    fn around(
        self,
        ply: &JudgedMove,
        reason: &Reason,
        words: impl Fn(&Around<'_>) -> String,
    ) -> String {
        let start = reason.kind.start(&ply.before, ply.mv);
        let (number, side) = (start.position().fullmoves().get(), start.turn());
        let san = reason.san(&ply.before, ply.mv);
        let behind = (-material_balance(ply.before.position().board(), side))
            .max(0)
            .unsigned_abs();
        let better = ply
            .better()
            .and_then(|line| line.first())
            .filter(|better| **better != ply.mv)
            .map(|&better| {
                let san = [ply.before.san(better)];
                self.line(ply.move_number, ply.mover.is_white(), &san)
            });
        words(&Around {
            number,
            is_white: side.is_white(),
            san: &san,
            played_to: ply.mv.to(),
            behind,
            better: better.as_deref().unwrap_or_default(),
        })
    }

    /// Returns the reason in a sentence, the first move of its line with number and side: `Allows
    /// 11... Qb6+, which forks king and bishop.`
    pub(crate) fn reason_sentence(self, reason: &Reason, around: &Around<'_>) -> String {
        let Around {
            number,
            is_white,
            san,
            ..
        } = *around;
        let line = |plies: usize| self.line(number, is_white, &san[..plies.min(san.len())]);
        let (first, shown) = (line(1), line(reason.plies_shown()));
        let rest = self.rest_of_line(reason, around);
        let sentence = match (reason.kind, reason.gain) {
            (ReasonKind::Achieves, _) => {
                let sentence = self.solution_sentence(reason, around);
                format!("{}{rest}", sentence.trim_end_matches('.'))
            }
            (kind, Gain::Idea(idea)) => self.idea(reason, kind, idea, around),
            (ReasonKind::Allows, Gain::Mate(moves)) => self.allows_mate(reason, moves, &shown),
            (ReasonKind::Misses, Gain::Mate(moves)) => self.pick(
                format!("Misses {}: {shown}", self.mate(moves)),
                format!("Übersieht {}: {shown}", self.mate(moves)),
            ),
            (ReasonKind::Allows, Gain::Draw(draw)) => self.allows_draw(draw, &shown),
            (ReasonKind::Misses, Gain::Draw(draw)) => {
                let how = self.draw(draw);
                self.pick(
                    format!("Misses a draw by {how}: {shown}"),
                    format!("Übersieht das Remis durch {how}: {shown}"),
                )
            }
            (ReasonKind::Allows, Gain::Material(prize, _)) => {
                self.allows(reason, prize, around, &first, &shown)
            }
            (ReasonKind::Misses, Gain::Material(..)) if reason.motif == Some(Motif::Recapture) => {
                self.pick(
                    format!("Misses the recapture {first}"),
                    format!("Verpasst das Zurückschlagen {first}"),
                )
            }
            // Both captures win the same piece, so naming it would not explain the mistake.
            (ReasonKind::Misses, Gain::Material(..))
                if reason.motif == Some(Motif::OtherCapture) =>
            {
                self.pick(
                    format!("Captures with the wrong piece: {first} is right"),
                    format!("Schlägt mit der falschen Figur: Richtig ist {first}"),
                )
            }
            (ReasonKind::Misses, Gain::Material(prize, _)) => {
                let how = self.how(reason, prize, around, Form::Clause);
                self.pick(
                    format!("Misses {first}, which {how}{rest}"),
                    format!("Verpasst {first}{how}{rest}"),
                )
            }
        };
        format!("{}.", sentence.trim_end_matches('.'))
    }

    /// Returns the moves after the first one that show a gain of material, in parentheses: ` (12...
    /// Kh8 13. Qxb7)`; empty if the first move shows it.
    fn rest_of_line(self, reason: &Reason, around: &Around<'_>) -> String {
        let plies = reason.plies_shown().min(around.san.len());
        if plies <= 1 || !matches!(reason.gain, Gain::Material(..)) {
            return String::new();
        }
        let number = around.number + u32::from(!around.is_white);
        let line = self.line(number, !around.is_white, &around.san[1..plies]);
        format!(" ({line})")
    }

    /// Returns what the move does that a reason says was missed: `Wins the bishop.`
    pub(crate) fn solution_sentence(self, reason: &Reason, around: &Around<'_>) -> String {
        let sentence = match reason.gain {
            Gain::Mate(1) => self.pick("Mates", "Setzt matt").to_owned(),
            Gain::Mate(moves) => self.pick(
                format!("Leads to {}", self.mate(moves)),
                match moves <= LONGEST_MATE.unsigned_abs() {
                    true => format!("Führt zum {}", self.mate(moves)),
                    false => "Erzwingt das Matt".to_owned(),
                },
            ),
            Gain::Draw(draw) => {
                let how = self.draw(draw);
                self.pick(format!("Draws by {how}"), format!("Hält durch {how} remis"))
            }
            Gain::Material(..) if reason.motif == Some(Motif::Recapture) => {
                self.pick("Recaptures", "Schlägt zurück").to_owned()
            }
            Gain::Material(..) if reason.motif == Some(Motif::OtherCapture) => self
                .pick(
                    "Captures with the right piece",
                    "Schlägt mit der richtigen Figur",
                )
                .to_owned(),
            Gain::Material(prize, _) => capital(&self.how(reason, prize, around, Form::Sentence)),
            Gain::Idea(idea) => self.solution_idea(idea, around),
        };
        format!("{}.", sentence.trim_end_matches('.'))
    }

    /// Returns an idea in a sentence: `Allows 11... Ng4, which attacks the bishop on e3`.
    fn idea(self, reason: &Reason, kind: ReasonKind, idea: Idea, around: &Around<'_>) -> String {
        let line = |plies: usize| {
            let san = &around.san[..plies.min(around.san.len())];
            self.line(around.number, around.is_white, san)
        };
        let (first, better) = (line(1), around.better);
        let attacks = self.attacks(reason);
        match idea {
            Idea::Threat => self.pick(
                format!("Overlooks the threat {first}{attacks}"),
                format!("Übersieht die Drohung {first}{attacks}"),
            ),
            Idea::Prevention => self.pick(
                format!("Allows {first}{attacks}; {better} prevents it"),
                format!("Erlaubt {first}{attacks}; {better} verhindert das"),
            ),
            Idea::Attack => self.pick(
                format!("Allows {first}{attacks}"),
                format!("Erlaubt {first}{attacks}"),
            ),
            Idea::MateThreat => self.pick(
                format!("Allows {first}, which threatens mate"),
                format!("Erlaubt {first} mit Mattdrohung"),
            ),
            Idea::ThreatensMate => self.pick(
                format!("Misses {first}, which threatens mate"),
                format!("Verpasst {first} mit Mattdrohung"),
            ),
            Idea::ThreatensPiece(role, square) => {
                let noun = self.noun(role);
                self.pick(
                    format!(
                        "Misses {first}, which threatens the {} on {square}",
                        noun.bare
                    ),
                    format!(
                        "Verpasst {first}, was {} auf {square} bedroht",
                        noun.the_object
                    ),
                )
            }
            Idea::QueenTrade if kind == ReasonKind::Allows => {
                let trade = line(reason.plies_shown());
                self.pick(
                    format!("Allows the exchange of queens: {trade}"),
                    format!("Lässt den Damentausch zu: {trade}"),
                )
            }
            Idea::QueenTrade => {
                let trade = line(reason.plies_shown());
                self.pick(
                    format!("Misses the exchange of queens: {trade}"),
                    format!("Verpasst den Damentausch: {trade}"),
                )
            }
            Idea::PawnEnding => {
                let trade = line(reason.plies_shown());
                match kind {
                    ReasonKind::Allows => self.pick(
                        format!("Leads to a pawn ending: {trade}"),
                        format!("Führt in ein Bauernendspiel: {trade}"),
                    ),
                    ReasonKind::Misses | ReasonKind::Achieves => self.pick(
                        format!("Misses the pawn ending: {trade}"),
                        format!("Verpasst das Bauernendspiel: {trade}"),
                    ),
                }
            }
            Idea::Castling => self.pick(
                format!("Misses {first}, which brings the king to safety"),
                format!("Verpasst {first}, was den König in Sicherheit bringt"),
            ),
            Idea::Break => self.pick(
                format!("Misses the pawn break {first}"),
                format!("Verpasst den Vorstoß {first}"),
            ),
            Idea::Development => {
                let noun = self.noun(reason.piece.map_or(Role::Knight, |(role, _)| role));
                self.pick(
                    format!("Misses {first}, which develops the {}", noun.bare),
                    format!("Verpasst {first}, was {} entwickelt", noun.the_object),
                )
            }
            Idea::Order => {
                let last = self.last_of(around);
                self.pick(
                    format!("Better in the other order: first {first}, then {last}"),
                    format!("Besser in anderer Reihenfolge: erst {first}, dann {last}"),
                )
            }
        }
    }

    /// Returns what a move with an idea does, in a sentence without the move.
    fn solution_idea(self, idea: Idea, around: &Around<'_>) -> String {
        match idea {
            Idea::ThreatensMate => self.pick("Threatens mate", "Droht Matt").to_owned(),
            Idea::ThreatensPiece(role, square) => {
                let noun = self.noun(role);
                self.pick(
                    format!("Threatens the {} on {square}", noun.bare),
                    format!("Bedroht {} auf {square}", noun.the_object),
                )
            }
            Idea::QueenTrade => self
                .pick("Exchanges the queens", "Tauscht die Damen")
                .to_owned(),
            Idea::PawnEnding => self
                .pick("Leads to a pawn ending", "Führt in ein Bauernendspiel")
                .to_owned(),
            Idea::Castling => self
                .pick(
                    "Brings the king to safety",
                    "Bringt den König in Sicherheit",
                )
                .to_owned(),
            Idea::Break => self.pick("A pawn break", "Ein Bauernvorstoß").to_owned(),
            Idea::Development => self
                .pick("Develops a piece", "Entwickelt eine Figur")
                .to_owned(),
            Idea::Order => {
                let last = self.last_of(around);
                self.pick(format!("Prepares {last}"), format!("Bereitet {last} vor"))
            }
            // These are about the opponent's reply, so they are never missed.
            Idea::Threat | Idea::Prevention | Idea::Attack | Idea::MateThreat => String::new(),
        }
    }

    /// Returns the last move of the line with its number; it is the first side's.
    fn last_of(self, around: &Around<'_>) -> String {
        let index = around.san.len().saturating_sub(1);
        let number = around.number + (index / 2) as u32;
        self.line(number, around.is_white, &around.san[index..])
    }

    /// Returns `, which attacks the queen on d3 and the rook on f1` for a move that captures
    /// nothing; else what it takes, or nothing.
    fn attacks(self, reason: &Reason) -> String {
        let takes = reason.line.first().is_some_and(|first| first.is_capture());
        let targets: Vec<String> = reason
            .targets
            .iter()
            .map(|&(role, square)| {
                let noun = self.noun(role);
                self.pick(
                    format!("the {} on {square}", noun.bare),
                    format!("{} auf {square}", noun.the_object),
                )
            })
            .collect();
        if takes || targets.is_empty() {
            return String::new();
        }
        let targets = targets.join(self.pick(" and ", " und "));
        self.pick(
            format!(", which attacks {targets}"),
            format!(", was {targets} angreift"),
        )
    }

    /// Returns how a game is drawn, after `by`: `perpetual check`, `stalemate`.
    fn draw(self, draw: DrawKind) -> &'static str {
        match draw {
            DrawKind::Perpetual => self.pick("perpetual check", "Dauerschach"),
            DrawKind::Repetition => {
                self.pick("threefold repetition", "dreifache Stellungswiederholung")
            }
            DrawKind::Stalemate => self.pick("stalemate", "Patt"),
            DrawKind::FiftyMoves => self.pick("the fifty-move rule", "die 50-Züge-Regel"),
        }
    }

    /// `line` is empty if the move itself draws.
    fn allows_draw(self, draw: DrawKind, line: &str) -> String {
        match draw {
            DrawKind::Perpetual => self.pick(
                format!("Allows a perpetual check: {line}"),
                format!("Lässt ein Dauerschach zu: {line}"),
            ),
            DrawKind::Repetition if line.is_empty() => self
                .pick(
                    "Draws by threefold repetition",
                    "Macht durch dreifache Stellungswiederholung remis",
                )
                .to_owned(),
            DrawKind::Stalemate if line.is_empty() => self
                .pick("Stalemates the opponent", "Setzt den Gegner patt")
                .to_owned(),
            DrawKind::FiftyMoves if line.is_empty() => self
                .pick(
                    "Draws by the fifty-move rule",
                    "Macht nach der 50-Züge-Regel remis",
                )
                .to_owned(),
            _ => {
                let how = self.draw(draw);
                self.pick(
                    format!("Allows a draw by {how}: {line}"),
                    format!("Lässt ein Remis durch {how} zu: {line}"),
                )
            }
        }
    }

    fn allows_mate(self, reason: &Reason, moves: u32, line: &str) -> String {
        match reason.motif {
            Some(Motif::BackRank) => self.pick(
                format!("Leaves the back rank open: {line}"),
                format!("Lässt die Grundreihe offen: {line}"),
            ),
            _ => {
                let mate = self.mate(moves);
                self.pick(
                    format!("Allows {mate}: {line}"),
                    format!("Lässt {mate} zu: {line}"),
                )
            }
        }
    }

    /// `mate in 3`; only `a forced mate` if it is long.
    fn mate(self, moves: u32) -> String {
        match moves <= LONGEST_MATE.unsigned_abs() {
            true => self.pick(format!("mate in {moves}"), format!("Matt in {moves}")),
            false => self
                .pick("a forced mate", "ein erzwungenes Matt")
                .to_owned(),
        }
    }

    fn allows(
        self,
        reason: &Reason,
        prize: Prize,
        around: &Around<'_>,
        first: &str,
        shown: &str,
    ) -> String {
        let target = reason.targets.first();
        match (reason.motif, target) {
            // The prize is not the hanging piece: the moved piece has captured before, or the
            // capture costs the opponent another piece.
            (Some(Motif::Hanging), Some(&(role, _))) if !prize.is_of(role) => {
                self.loses(reason, prize, shown)
            }
            (Some(Motif::Hanging), Some(&(role, square))) if square == around.played_to => {
                let noun = self.noun(role);
                self.pick(
                    format!(
                        "Puts the {} on {square}, where it is lost: {first}",
                        noun.bare
                    ),
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
            (Some(Motif::Capture), Some(&(role, square))) if prize.is_of(role) => {
                let noun = self.noun(role);
                self.pick(
                    format!("Loses the {} on {square}: {shown}", noun.bare),
                    format!("Verliert {} auf {square}: {shown}", noun.the_object),
                )
            }
            (Some(Motif::Capture), _) => self.loses(reason, prize, shown),
            (Some(Motif::TrappedPiece), Some(&(role, square))) => {
                let (noun, rest) = (self.noun(role), self.rest_of_line(reason, around));
                self.pick(
                    format!(
                        "The {} on {square} is trapped after {first}{rest}",
                        noun.bare
                    ),
                    format!(
                        "{} auf {square} hat nach {first} keinen Rückweg{rest}",
                        capital(noun.the)
                    ),
                )
            }
            (Some(Motif::Promotion), _) => self.pick(
                format!("Lets the pawn promote: {shown}"),
                format!("Lässt den Bauern umwandeln: {shown}"),
            ),
            (Some(_), _) => {
                let how = self.how(reason, prize, around, Form::Clause);
                let rest = self.rest_of_line(reason, around);
                self.pick(
                    format!("Allows {first}, which {how}{rest}"),
                    format!("Erlaubt {first}{how}{rest}"),
                )
            }
            (None, _) => self.loses(reason, prize, shown),
        }
    }

    fn loses(self, reason: &Reason, prize: Prize, shown: &str) -> String {
        let what = self.prize(prize);
        match reason.takes_more() {
            true => self.pick(
                format!("Loses {what} in the end: {shown}"),
                format!("Verliert am Ende {what}: {shown}"),
            ),
            false => self.pick(
                format!("Loses {what}: {shown}"),
                format!("Verliert {what}: {shown}"),
            ),
        }
    }

    /// Returns what the first move does: `forks king and bishop`.
    fn how(self, reason: &Reason, prize: Prize, around: &Around<'_>, form: Form) -> String {
        let what = self.prize(prize);
        let place = |&(role, square): &(Role, Square)| {
            self.pick(
                format!("the {} on {square}", self.noun(role).bare),
                format!("{} auf {square}", self.noun(role).the_object),
            )
        };
        let two = |targets: &[(Role, Square)]| match targets {
            [(one, _), (other, _)] if one == other => {
                let noun = self.noun(*one);
                self.pick(format!("two {}s", noun.bare), format!("zwei {}", noun.many))
            }
            _ => {
                let names: Vec<&str> = targets
                    .iter()
                    .map(|(role, _)| self.noun(*role).bare)
                    .collect();
                names.join(self.pick(" and ", " und "))
            }
        };
        // In German the clause and the sentence have different words.
        let pick = |english: String, [clause, sentence]: [String; 2]| {
            self.pick(
                english,
                if form == Form::Clause {
                    clause
                } else {
                    sentence
                },
            )
        };
        // Name a skewer only if the first move of the line makes it.
        let is_first = reason
            .piece
            .is_none_or(|(_, square)| reason.line.first().is_some_and(|mv| mv.to() == square));
        let (first, second) = (reason.targets.first(), reason.targets.get(1));
        match (reason.motif, first, second) {
            (Some(Motif::Fork), ..) => {
                let names = two(&reason.targets);
                pick(
                    format!("forks {names}"),
                    [
                        format!(" mit einer Gabel: {names}"),
                        format!("Gabel: {names}"),
                    ],
                )
            }
            (Some(Motif::Skewer), ..) if is_first => {
                let names = two(&reason.targets);
                pick(
                    format!("skewers {names}"),
                    [
                        format!(" mit einem Spieß: {names}"),
                        format!("Spieß: {names}"),
                    ],
                )
            }
            (Some(Motif::Pin), Some(target), _) => {
                let (pinned, square, place) = (self.noun(target.0).bare, target.1, place(target));
                pick(
                    format!("wins the pinned {pinned} on {square}"),
                    [
                        format!(", was durch eine Fesselung {place} gewinnt"),
                        format!("Gewinnt durch eine Fesselung {place}"),
                    ],
                )
            }
            (Some(Motif::RemovedDefender), _, Some(target)) => {
                let (defended, the, square) = (place(target), self.noun(target.0).the, target.1);
                pick(
                    format!("takes the defender of {defended}"),
                    [
                        format!(", was die Deckung wegschlägt: Dann fällt {the} auf {square}"),
                        format!("Schlägt die Deckung weg: Dann fällt {the} auf {square}"),
                    ],
                )
            }
            (Some(Motif::DiscoveredAttack), ..) => pick(
                format!("wins {what} by a discovered attack"),
                [
                    format!(", was durch einen Abzug {what} gewinnt"),
                    format!("Gewinnt durch einen Abzug {what}"),
                ],
            ),
            (Some(Motif::DoubleCheck), ..) => pick(
                format!("wins {what} by a double check"),
                [
                    format!(", was durch ein Doppelschach {what} gewinnt"),
                    format!("Gewinnt durch ein Doppelschach {what}"),
                ],
            ),
            (Some(Motif::Intermezzo), ..) => pick(
                format!("wins {what} by an in-between move"),
                [
                    format!(", einen Zwischenzug, der {what} gewinnt"),
                    format!("Gewinnt durch einen Zwischenzug {what}"),
                ],
            ),
            (Some(Motif::TrappedPiece), Some(target), _) => {
                let trapped = place(target);
                pick(
                    format!("traps {trapped}"),
                    [format!(", was {trapped} fängt"), format!("Fängt {trapped}")],
                )
            }
            _ => self.wins(reason, &what, around, form),
        }
    }

    /// Returns what a move wins. It wins "back" what the side had lost before, and "in the end"
    /// what is less than the first capture takes.
    fn wins(self, reason: &Reason, what: &str, around: &Around<'_>, form: Form) -> String {
        let is_back = matches!(reason.gain, Gain::Material(_, pawns) if (pawns..=pawns + 1).contains(&around.behind));
        let (back, german_back) = if is_back {
            (" back", "zurück")
        } else {
            ("", "")
        };
        let (end, german_end) = if reason.takes_more() {
            (" in the end", "am Ende ")
        } else {
            ("", "")
        };
        let sentence_back = if is_back { " zurück" } else { "" };
        self.pick(
            format!("wins{back} {what}{end}"),
            match form {
                Form::Clause => format!(", was {german_end}{what} {german_back}gewinnt"),
                Form::Sentence => format!("Gewinnt {german_end}{what}{sentence_back}"),
            },
        )
    }

    /// Returns pieces and pawns as an object: `the queen`, `a rook`, `rook and two pawns`.
    fn men(self, counts: [u8; 5]) -> String {
        let men: Vec<(Role, u8)> = Trade::men(counts).collect();
        if let [(role, 1)] = men[..] {
            let noun = self.noun(role);
            return match role {
                Role::Queen => self.pick("the queen", noun.the_object).to_owned(),
                _ => self.pick(format!("a {}", noun.bare), noun.object.to_owned()),
            };
        }
        let name = |(role, count): (Role, u8)| {
            let noun = self.noun(role);
            match count {
                1 => noun.bare.to_owned(),
                _ => {
                    let many = self.pick(format!("{}s", noun.bare), noun.many.to_owned());
                    format!("{} {many}", self.count_of_men(count.into()))
                }
            }
        };
        let names: Vec<String> = men.into_iter().map(name).collect();
        names.join(self.pick(" and ", " und "))
    }

    /// Returns a small number in words: `two`.
    fn count_of_men(self, count: u32) -> String {
        let english = [
            "two", "three", "four", "five", "six", "seven", "eight", "nine",
        ];
        let german = [
            "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun",
        ];
        let words = self.pick(english, german);
        (count as usize)
            .checked_sub(2)
            .and_then(|index| words.get(index))
            .map_or_else(|| count.to_string(), |word| (*word).to_owned())
    }

    /// Returns what is won, as an object: `a knight`, `the exchange`, `two pawns`.
    fn prize(self, prize: Prize) -> String {
        match prize {
            Prize::Pawns(1) => self.pick("a pawn", "einen Bauern").to_owned(),
            Prize::Pawns(pawns) => format!(
                "{} {}",
                self.count_of_men(pawns),
                self.pick("pawns", "Bauern")
            ),
            Prize::Piece(role) => {
                let noun = self.noun(role);
                self.pick(format!("the {}", noun.bare), noun.the_object.to_owned())
            }
            Prize::Exchange => self.pick("the exchange", "die Qualität").to_owned(),
            Prize::QueenFor(role) => {
                let noun = self.noun(role);
                self.pick(
                    format!("the queen for a {}", noun.bare),
                    format!("die Dame für {}", noun.object),
                )
            }
            Prize::TwoPieces => self
                .pick("two pieces for a rook", "zwei Figuren für einen Turm")
                .to_owned(),
            Prize::Trade(trade) => {
                let [won, given] = [trade.won, trade.given].map(|counts| self.men(counts));
                self.pick(format!("{won} for {given}"), format!("{won} für {given}"))
            }
            Prize::Worth(1) => self.pick("material", "Material").to_owned(),
            Prize::Worth(pawns) => self.pick(
                format!("material worth {} pawns", self.count_of_men(pawns)),
                format!("Material im Wert von {} Bauern", self.count_of_men(pawns)),
            ),
        }
    }

    /// Returns the name of a piece: `knight`, in German `Springer`.
    pub fn piece(self, role: Role) -> &'static str {
        self.noun(role).bare
    }

    fn noun(self, role: Role) -> Noun {
        let noun = |bare, many, the, the_object, object| Noun {
            bare,
            many,
            the,
            the_object,
            object,
        };
        match self {
            Language::English => {
                let bare = centipawn_core::piece_name(role);
                noun(bare, "", "", "", "")
            }
            Language::German => match role {
                Role::Pawn => noun("Bauer", "Bauern", "der Bauer", "den Bauern", "einen Bauern"),
                Role::Knight => noun(
                    "Springer",
                    "Springer",
                    "der Springer",
                    "den Springer",
                    "einen Springer",
                ),
                Role::Bishop => noun(
                    "Läufer",
                    "Läufer",
                    "der Läufer",
                    "den Läufer",
                    "einen Läufer",
                ),
                Role::Rook => noun("Turm", "Türme", "der Turm", "den Turm", "einen Turm"),
                Role::Queen => noun("Dame", "Damen", "die Dame", "die Dame", "eine Dame"),
                Role::King => noun("König", "Könige", "der König", "den König", "einen König"),
            },
        }
    }
}

/// Returns the text with a capital letter at its beginning.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map(|first| first.to_uppercase().chain(chars).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests;
