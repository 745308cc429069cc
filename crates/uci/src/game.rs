//! The game as the GUI describes it: position, clocks and limits.

use centipawn_core::{Context, History};
use shakmaty::{CastlingMode, Chess, Color, Position as _};

/// The variant of chess that `UCI_Variant` names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Variant {
    #[default]
    Chess,
    Chess960,
    /// A variant with other rules.
    Other,
}

impl Variant {
    /// Returns the variant for a value of `UCI_Variant`.
    pub(crate) fn of(value: &str) -> Self {
        let plain: String = value.chars().filter(char::is_ascii_alphanumeric).collect();
        match plain.to_ascii_lowercase().as_str() {
            "" | "chess" | "standard" | "normal" => Self::Chess,
            "chess960" | "960" | "fischerandom" | "fischerrandom" => Self::Chess960,
            _ => Self::Other,
        }
    }
}

/// The state of the game, from the commands of the GUI.
#[derive(Clone, Debug)]
pub(crate) struct Game {
    /// The position. Before the first `position` command it is the start position, as in engines.
    /// `None` if the command cannot be parsed, and in variants with other rules.
    pub(crate) history: Option<History>,
    /// Value of `UCI_Chess960`.
    pub(crate) is_chess960: bool,
    /// Value of `UCI_Variant`.
    pub(crate) variant: Variant,
    /// Time of a player for the whole game in seconds, estimated from the largest clock so far.
    pub(crate) seconds: Option<f64>,
}

impl Default for Game {
    fn default() -> Self {
        Self {
            history: Some(History::default()),
            is_chess960: false,
            variant: Variant::default(),
            seconds: None,
        }
    }
}

impl Game {
    /// Handles `position …`; `text` follows the first word.
    pub(crate) fn position(&mut self, text: &str) {
        self.history = match self.variant {
            Variant::Other => None,
            variant => history(text, self.is_chess960 || variant == Variant::Chess960),
        };
    }

    /// Returns material and ply of the position, and the side to move.
    pub(crate) fn context(&self) -> (Context, Color) {
        let history = self.history.as_ref();
        history.map_or((Context::default(), Color::White), |history| {
            (Context::of(history.position()), history.turn())
        })
    }

    /// Returns the number of legal moves; `usize::MAX` if the position is unknown.
    pub(crate) fn legal_moves(&self) -> usize {
        self.history
            .as_ref()
            .map_or(usize::MAX, |history| history.position().legal_moves().len())
    }

    /// Returns whether the game has ended in a draw by stalemate or insufficient material.
    pub(crate) fn is_drawn(&self) -> bool {
        self.history.as_ref().is_some_and(|history| {
            let position = history.position();
            position.is_stalemate() || position.is_insufficient_material()
        })
    }

    /// Handles the start of a search.
    pub(crate) fn go(&mut self, go: &Go) {
        if let Some(clocks) = go.clocks {
            // The first clocks of a game show its base time. Later ones show less, so keep the
            // maximum.
            let seconds = clocks[0].max(clocks[1]) + 40.0 * go.increments[0].max(go.increments[1]);
            self.seconds = Some(self.seconds.map_or(seconds, |known| known.max(seconds)));
        }
    }

    /// Handles `ucinewgame`.
    pub(crate) fn begin(&mut self) {
        self.seconds = None;
    }

    /// Returns a legal move, in UCI notation, for an engine that can no longer answer.
    pub(crate) fn any_move(&self) -> Option<String> {
        let history = self.history.as_ref()?;
        history
            .position()
            .legal_moves()
            .first()
            .map(|mv| history.uci(*mv).to_string())
    }
}

fn history(text: &str, is_chess960: bool) -> Option<History> {
    let (setup, moves) = text.split_once("moves").unwrap_or((text, ""));
    let mode = is_chess960.then_some(CastlingMode::Chess960);
    let setup = setup.trim();
    let mut history = match setup.strip_prefix("fen") {
        Some(fen) => History::from_fen(fen.trim(), mode).ok()?,
        None if setup == "startpos" => {
            History::new(Chess::default(), mode.unwrap_or(CastlingMode::Standard))
        }
        None => return None,
    };
    for uci in moves.split_ascii_whitespace() {
        history.push(history.parse_uci(uci).ok()?);
    }
    Some(history)
}

/// Maximum time of a clock in milliseconds: 30 years.
const LONGEST: f64 = 1e12;

/// A `go` command.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Go {
    /// Remaining time of White and Black in seconds.
    pub(crate) clocks: Option<[f64; 2]>,
    /// Increment of White and Black in seconds.
    pub(crate) increments: [f64; 2],
    /// Number of moves to the next time control; `None` if the time is for the rest of the game.
    pub(crate) moves_to_go: Option<f64>,
    /// Whether the engine must not answer before `stop` or `ponderhit`.
    pub(crate) is_ponder: bool,
    /// Whether the engine must not answer before `stop`.
    pub(crate) is_infinite: bool,
    /// Whether the search is restricted to some moves or to a mate. Such a search analyses a
    /// position; it does not play a move of a game.
    pub(crate) is_question: bool,
    /// Whether positions are counted (`perft`). Then no `bestmove` follows.
    pub(crate) is_perft: bool,
}

impl Go {
    /// Parses `go …`; `text` follows the first word.
    pub(crate) fn parse(text: &str) -> Self {
        let mut go = Self::default();
        let mut clocks = [None; 2];
        let mut words = text.split_ascii_whitespace().peekable();
        while let Some(word) = words.next() {
            let mut milliseconds = || {
                let number = words
                    .peek()?
                    .parse::<f64>()
                    .ok()
                    .filter(|number| !number.is_nan())?;
                words.next();
                Some(number.clamp(0.0, LONGEST) / 1000.0)
            };
            match word {
                "wtime" => clocks[0] = milliseconds(),
                "btime" => clocks[1] = milliseconds(),
                "winc" => go.increments[0] = milliseconds().unwrap_or(0.0),
                "binc" => go.increments[1] = milliseconds().unwrap_or(0.0),
                "movestogo" => {
                    let moves = milliseconds().map(|thousandths| 1000.0 * thousandths);
                    go.moves_to_go = moves.filter(|moves| *moves >= 1.0);
                }
                "ponder" => go.is_ponder = true,
                "infinite" => go.is_infinite = true,
                "searchmoves" | "mate" => go.is_question = true,
                "perft" => (go.is_question, go.is_perft) = (true, true),
                _ => {}
            }
        }
        if let [Some(white), Some(black)] = clocks {
            go.clocks = Some([white, black]);
        }
        go
    }
}

/// Returns a `go` command for the same search after a crash: the clock of the side to move, or the
/// time for the move, is reduced by the time that has passed.
pub(crate) fn later(go: &str, turn: Color, passed: f64) -> String {
    let clock = turn.fold_wb("wtime", "btime");
    let mut words: Vec<String> = go.split_ascii_whitespace().map(str::to_owned).collect();
    for index in 1..words.len() {
        if (words[index - 1] == clock || words[index - 1] == "movetime")
            && let Ok(milliseconds) = words[index].parse::<f64>()
        {
            words[index] = format!("{:.0}", (milliseconds - 1000.0 * passed).max(10.0));
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_parsed() {
        let fen = |text: &str| history(text, false).map(|history| history.fen());
        assert!(
            fen("startpos moves e2e4 e7e5")
                .unwrap()
                .starts_with("rnbqkbnr/pppp1ppp")
        );
        assert!(
            fen("fen 7k/8/5K2/8/8/8/8/6R1 w - - 0 1 moves g1g2")
                .unwrap()
                .starts_with("7k/8/5K2/8/8/8/6R1/8 b")
        );
        for wrong in ["", "startpos moves e2e5", "fen x", "e2e4"] {
            assert_eq!(fen(wrong), None, "{wrong}");
        }
        let castled = "fen 1r2k3/8/8/8/8/8/8/1R2K3 w Bb - 0 1 moves e1b1";
        assert_eq!(
            history(castled, true).unwrap().fen(),
            "1r2k3/8/8/8/8/8/8/2KR4 b q - 1 1"
        );
    }

    #[test]
    fn variants_are_parsed() {
        for (value, variant) in [
            ("chess", Variant::Chess),
            ("Chess960", Variant::Chess960),
            ("fischerandom", Variant::Chess960),
            ("antichess", Variant::Other),
            ("3check", Variant::Other),
        ] {
            assert_eq!(Variant::of(value), variant, "{value}");
        }
        let mut game = Game {
            variant: Variant::Other,
            ..Game::default()
        };
        game.position("startpos");
        assert!(game.history.is_none());
        game.variant = Variant::Chess960;
        game.position("startpos");
        assert_eq!(game.history.unwrap().mode(), CastlingMode::Chess960);
    }

    #[test]
    fn stalemate_and_insufficient_material_are_draws() {
        let mut game = Game::default();
        for (position, is_drawn) in [
            ("fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", true),
            ("fen 7k/8/6K1/8/8/8/8/8 w - - 0 1", true),
            ("fen 7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", false),
            ("startpos", false),
            ("", false),
        ] {
            game.position(position);
            assert_eq!(game.is_drawn(), is_drawn, "{position}");
        }
    }

    #[test]
    fn limits_are_parsed() {
        let go = Go::parse("wtime 60000 btime 30000 winc 1000 binc 2000 movestogo 20");
        assert_eq!(
            (go.clocks, go.increments, go.moves_to_go),
            (Some([60.0, 30.0]), [1.0, 2.0], Some(20.0))
        );
        assert!(
            Go::parse("ponder wtime x").is_ponder && Go::parse("ponder wtime x").clocks.is_none()
        );
        assert!(
            Go::parse("infinite").is_infinite && Go::parse("depth 3 searchmoves e2e4").is_question
        );
        let endless = Go::parse("wtime 1e300 btime -5 winc inf binc nan");
        assert_eq!(
            (endless.clocks, endless.increments),
            (Some([1e9, 0.0]), [1e9, 0.0])
        );
        assert_eq!(
            later("go wtime 5000 btime 700 winc 0", Color::Black, 0.5),
            "go wtime 5000 btime 200 winc 0"
        );
        assert_eq!(
            later("go movetime 300", Color::White, 1.0),
            "go movetime 10"
        );
    }

    #[test]
    fn the_time_control_is_the_first_clock() {
        let mut game = Game::default();
        game.go(&Go::parse("wtime 180000 btime 180000 winc 2000 binc 2000"));
        game.go(&Go::parse("wtime 90000 btime 80000 winc 2000 binc 2000"));
        assert_eq!(game.seconds, Some(260.0));
        game.begin();
        assert_eq!(game.seconds, None);
    }
}
