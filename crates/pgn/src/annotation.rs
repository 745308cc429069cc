//! Evaluations, depths and times in comments.

use std::time::Duration;

use centipawn_core::{Eval, Mover, Wdl, White};
use shakmaty::Color;

use crate::{
    Dialect,
    command::{Command, Commands, visit_commands_alone},
    number::{Decimal, MateUnit, Written, clock, whole},
    plain, usual_commands,
};

/// The numbers in a comment behind a move.
///
/// ```
/// use std::time::Duration;
///
/// use centipawn_core::Eval;
/// use centipawn_pgn::{Annotation, Described, Dialect};
/// use shakmaty::Color;
///
/// // Black's engine evaluates -0.98 for Black in the position it moved in.
/// let decoded = Annotation::decode(b"-0.98/24 2.5s", Dialect::Engine, Color::Black);
/// assert_eq!(decoded.eval, Some(Eval::cp(98)));
/// assert_eq!(decoded.depth, Some(24));
/// assert_eq!(decoded.time, Some(Duration::from_millis(2500)));
/// assert_eq!(decoded.described, Described::Before);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Annotation {
    /// The evaluation, White's view.
    pub eval: Option<Eval<White>>,
    /// The search depth of the evaluation, in plies.
    pub depth: Option<u32>,
    /// Win, draw and loss probabilities, White's view.
    pub wdl: Option<Wdl>,
    /// Time the move took (`[%emt]`, `11s`, `mt=`).
    pub time: Option<Duration>,
    /// Time left on the mover's clock after the move (`[%clk]`, `tl=`).
    pub clock: Option<Duration>,
    /// Whether the clock has two parts, `1:30`. [`clock`](Self::clock) then takes them for hours
    /// and minutes, as Lichess does; [`Game::annotations`](crate::Game::annotations) decides by the
    /// game whether they are minutes and seconds.
    pub is_clock_short: bool,
    /// The position that the evaluation describes.
    pub described: Described,
}

/// The position that an evaluation describes, relative to the move whose comment has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Described {
    /// The position before the move, in which the mover chose it: games between engines.
    Before,
    /// The position after the move: analysis.
    #[default]
    After,
}

impl Annotation {
    /// Reads a comment behind a move of `mover`. Values that the comment lacks are `None`; any
    /// bytes are accepted.
    ///
    /// For evaluations of a whole game (`[%evp …]`) see [`Profile`](crate::Profile).
    #[inline]
    pub fn decode(comment: &[u8], dialect: Dialect, mover: Color) -> Self {
        match Self::plain(comment, dialect, mover) {
            Some(decoded) => decoded,
            None => Self::decode_any(comment, dialect, mover),
        }
    }

    /// Reads only the evaluation, White's view. The result is that of [`decode`](Self::decode), but
    /// faster.
    #[inline(always)]
    pub fn eval(comment: &[u8], dialect: Dialect, mover: Color) -> Option<Eval<White>> {
        if dialect == Dialect::Engine {
            if let Some(score) = plain::score_alone(comment) {
                return Some(score.for_white(mover));
            }
        } else if dialect == Dialect::Commands
            && let Some(usual) = usual_commands::eval(comment)
        {
            return Some(Eval::cp(usual.centipawns));
        } else if usual_commands::clock_alone(comment).is_some() {
            return None;
        }
        Self::any_eval(comment, dialect, mover)
    }

    /// Returns whether a comment consists of commands without an evaluation, such as `[%clk
    /// 0:01:00]`: no dialect finds one in it.
    ///
    /// ```
    /// use centipawn_pgn::Annotation;
    ///
    /// assert!(Annotation::is_without_eval(b" [%clk 0:01:00] "));
    /// assert!(!Annotation::is_without_eval(b"[%eval 0.2] [%clk 0:01:00]"));
    /// assert!(!Annotation::is_without_eval(b"[%clk 0:01:00] +0.20/12 3s"));
    /// ```
    pub fn is_without_eval(comment: &[u8]) -> bool {
        let mut has_eval = false;
        visit_commands_alone(comment, |command| has_eval |= command.name == b"eval") && !has_eval
    }

    /// Returns the evaluation of a comment of the usual form of [`Dialect::Engine`], the mover's
    /// view.
    #[inline(always)]
    pub(crate) fn plain_centipawns(comment: &[u8]) -> Option<i32> {
        plain::score_alone(comment).map(plain::Signed::centipawns)
    }

    #[inline(never)]
    fn any_eval(comment: &[u8], dialect: Dialect, mover: Color) -> Option<Eval<White>> {
        // Usually `book`. Commands, signs and numbers begin with other characters.
        if dialect == Dialect::Engine && comment.first().is_some_and(u8::is_ascii_lowercase) {
            return None;
        }
        if let Some(decoded) = Self::of_commands(comment, dialect) {
            return decoded.eval;
        }
        if dialect == Dialect::Tcec {
            return tcec_eval(behind_commands(comment));
        }
        if let Some(point) = with_point(comment) {
            return Self::any_eval(&point, dialect, mover);
        }
        // Usually a mate. The time is not needed here.
        if dialect == Dialect::Engine
            && let Some((score, [b'/', rest @ ..])) = Written::read(comment)
        {
            return whole(rest).map(|_| engine_eval(score, mover));
        }
        Self::read(comment, dialect, mover)?.eval
    }

    /// Returns the annotation, if [`plain`] can read the whole comment: an engine match without
    /// clocks or further text.
    #[inline(always)]
    pub(crate) fn plain(comment: &[u8], dialect: Dialect, mover: Color) -> Option<Self> {
        if dialect != Dialect::Engine {
            return None;
        }
        let decoded = plain::read(comment)?;
        Some(Self {
            eval: Some(decoded.score.for_white(mover)),
            depth: Some(decoded.depth),
            wdl: None,
            time: Some(Duration::from_micros(decoded.micros)),
            clock: None,
            is_clock_short: false,
            described: Described::Before,
        })
    }

    #[inline(never)]
    pub(crate) fn decode_any(comment: &[u8], dialect: Dialect, mover: Color) -> Self {
        if let Some(decoded) = Self::of_commands(comment, dialect) {
            return decoded;
        }
        if dialect != Dialect::Tcec
            && let Some(point) = with_point(comment)
        {
            return Self::decode_any(&point, dialect, mover);
        }
        Self::read(comment, dialect, mover)
            .unwrap_or_default()
            .with_clocks(comment)
    }

    /// Reads a comment of commands and blanks, as all of Lichess' are; `None` for any other
    /// comment.
    fn of_commands(comment: &[u8], dialect: Dialect) -> Option<Self> {
        if let Some(decoded) = Self::usual_commands(comment, dialect) {
            return Some(decoded);
        }
        let mut decoded = Self::default();
        let mut eval = None;
        let alone = visit_commands_alone(comment, |command| match command.name {
            b"eval" => eval = eval.or(Some(command.arguments)),
            _ => decoded.add_clock(&command),
        });
        if matches!(dialect, Dialect::Auto | Dialect::Commands)
            && let Some(eval) = eval.and_then(eval_argument)
        {
            (decoded.eval, decoded.depth) = (eval.eval, eval.depth);
        }
        alone.then_some(decoded)
    }

    /// Reads an evaluation, a clock, or both, in the form in which nearly all of Lichess' comments
    /// are written.
    #[inline(always)]
    fn usual_commands(comment: &[u8], dialect: Dialect) -> Option<Self> {
        let (eval, rest) = match usual_commands::eval(comment) {
            Some(usual) => (Some(Eval::cp(usual.centipawns)), usual.rest),
            None => (None, comment),
        };
        let clock = match rest {
            [] | [b' '] => None,
            _ => Some(usual_commands::clock_alone(rest)?),
        };
        let eval = eval.filter(|_| matches!(dialect, Dialect::Auto | Dialect::Commands));
        Some(Self {
            eval,
            clock,
            ..Self::default()
        })
    }

    /// Returns the evaluation and its other data.
    fn read(comment: &[u8], dialect: Dialect, mover: Color) -> Option<Self> {
        match dialect {
            Dialect::Auto => recognise(comment, mover).map(|(decoded, _)| decoded),
            Dialect::Commands => eval_command(comment),
            Dialect::Engine => engine(comment, mover),
            Dialect::Tcec => tcec(comment),
            Dialect::Text => text(comment),
        }
    }

    /// Fills in missing values from `other`. An evaluation is taken together with its depth and
    /// position.
    pub(crate) fn complete_with(&mut self, other: Self) {
        if self.eval.is_none() {
            (self.eval, self.depth, self.described) = (other.eval, other.depth, other.described);
        }
        self.wdl = self.wdl.or(other.wdl);
        self.time = self.time.or(other.time);
        if self.clock.is_none() {
            (self.clock, self.is_clock_short) = (other.clock, other.is_clock_short);
        }
    }

    fn with_clocks(mut self, comment: &[u8]) -> Self {
        Commands::new(comment).for_each(|command| self.add_clock(&command));
        self
    }

    /// Adds the values of `[%clk …]`, `[%emt …]` or `[%wdl …]`, unless an earlier command gave
    /// them.
    #[inline]
    fn add_clock(&mut self, command: &Command<'_>) {
        match command.name {
            b"clk" if self.clock.is_none() => {
                self.is_clock_short = is_short(command.arguments);
                let unit = if self.is_clock_short { 60 } else { 1 };
                self.clock = clock(command.arguments).and_then(|time| time.checked_mul(unit));
            }
            b"emt" => self.time = self.time.or_else(|| clock(command.arguments)),
            b"wdl" => self.wdl = self.wdl.or_else(|| wdl(command.arguments)),
            _ => {}
        }
    }
}

/// `+0,25/10` with a decimal point, as programs write it whose language has decimal commas.
pub(crate) fn with_point(comment: &[u8]) -> Option<Vec<u8>> {
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = usize::from(matches!(comment.first(), Some(b'+' | b'-')));
    let comma = sign + digits(&comment[sign..]);
    let decimals = digits(comment.get(comma + 1..)?);
    let is_one = comma > sign
        && comment[comma] == b','
        && decimals == 2
        && comment.get(comma + 3) == Some(&b'/');
    is_one.then(|| {
        let mut point = comment.to_vec();
        point[comma] = b'.';
        point
    })
}

/// Reads a comment in the dialect that it looks like. If an `[%eval …]` was added to a playing
/// engine's own evaluation, the engine's counts.
pub(crate) fn recognise(comment: &[u8], mover: Color) -> Option<(Annotation, Dialect)> {
    if let Some(decoded) = engine(comment, mover).filter(|decoded| decoded.time.is_some()) {
        return Some((decoded, Dialect::Engine));
    }
    if let Some(decoded) = tcec(comment) {
        return Some((decoded, Dialect::Tcec));
    }
    if let Some(decoded) = eval_command(comment) {
        return Some((decoded, Dialect::Commands));
    }
    text(comment).map(|decoded| (decoded, Dialect::Text))
}

/// Returns whether a comment contains an `[%eval …]`.
pub(crate) fn has_eval_command(comment: &[u8]) -> bool {
    Commands::new(comment).any(|command| command.name == b"eval")
}

/// Returns whether a clock has two parts, without a fraction: `1:30`.
#[inline]
fn is_short(clock: &[u8]) -> bool {
    // Most have seven characters, `0:01:00`.
    clock.len() <= 5
        && clock.iter().filter(|byte| **byte == b':').count() == 1
        && !clock.contains(&b'.')
}

/// Returns the comment after its leading commands.
fn behind_commands(comment: &[u8]) -> &[u8] {
    let mut rest = comment.trim_ascii_start();
    while rest.starts_with(b"[%")
        && let Some(end) = memchr::memchr(b']', rest)
    {
        rest = rest[end + 1..].trim_ascii_start();
    }
    rest
}

/// `[%eval 0.17]`, `[%eval #-3]`, `[%eval 2.5,11]`, `[%eval -6.64/23]`.
fn eval_command(comment: &[u8]) -> Option<Annotation> {
    eval_argument(
        Commands::new(comment)
            .find(|command| command.name == b"eval")?
            .arguments,
    )
}

fn eval_argument(text: &[u8]) -> Option<Annotation> {
    // `1e3` is not 1.
    let (score, rest) = Written::read(text)
        .filter(|(_, rest)| !rest.first().is_some_and(u8::is_ascii_alphanumeric))?;
    let depth = match rest {
        [b',' | b'/', depth @ ..] => whole(depth.trim_ascii_start()).map(|(depth, _)| depth),
        _ => None,
    };
    Some(Annotation {
        eval: Some(score.eval(MateUnit::Moves)),
        depth,
        ..Annotation::default()
    })
}

/// `1,444,555`: win, draw and loss per mille.
fn wdl(text: &[u8]) -> Option<Wdl> {
    let mut parts = text
        .split(|&byte| byte == b',')
        .map(|part| whole(part.trim_ascii()).map(|(number, _)| number));
    let mut part = || parts.next().flatten();
    Wdl::from_per_mille(part()?, part()?, part()?)
}

/// `+0.98/25 11s`, `+M29/53 0.45s`, `0.00/45 1.1s, Draw by 3-fold repetition`; c-chess-cli's `31/10
/// 12ms`; XBoard's `+0.98/25 1.5` and `+0.98/25 1:05`; `+0.25 0.1s` from an engine that reports no
/// depth; OpenBench's `+0.24 28/40 2700 12345`: depth and selective depth, milliseconds, nodes. A
/// program that wraps lines may have made any blank a line break.
fn engine(comment: &[u8], mover: Color) -> Option<Annotation> {
    let (score, rest) = Written::read(behind_commands(comment))?;
    let with_unit = |text: &[u8]| match Decimal::read(text.trim_ascii_start())? {
        (seconds, [b's', ..]) => seconds.duration(6),
        (millis, [b'm', b's', ..]) => millis.duration(3),
        _ => None,
    };
    let (depth, time) = match rest {
        [b'/', rest @ ..] => {
            let (depth, rest) = whole(rest)?;
            // A number without a unit could begin other text, so it counts as a time only if the
            // comment ends after it (XBoard).
            (Some(depth), with_unit(rest).or_else(|| clock(rest)))
        }
        _ => {
            let rest = behind_blank(rest)?;
            match with_unit(rest) {
                Some(time) => (None, Some(time)),
                None => {
                    let (depth, rest) = whole(rest)?;
                    let (_, rest) = whole(rest.strip_prefix(b"/")?)?;
                    let (millis, rest) = Decimal::read(behind_blank(rest)?)?;
                    (
                        Some(depth),
                        Some(millis.duration(3).filter(|_| ends(rest))?),
                    )
                }
            }
        }
    };
    Some(Annotation {
        eval: Some(engine_eval(score, mover)),
        depth,
        time,
        described: Described::Before,
        ..Annotation::default()
    })
}

/// Returns the text behind the blanks that it begins with.
fn behind_blank(text: &[u8]) -> Option<&[u8]> {
    text.first()
        .is_some_and(u8::is_ascii_whitespace)
        .then(|| text.trim_ascii_start())
}

fn engine_eval(score: Written, mover: Color) -> Eval<White> {
    let eval: Eval<Mover> = score.eval(MateUnit::Plies);
    eval.for_white(mover)
}

/// `d=38, mt=00:01:00, tl=6609860, wv=-M57, `: fields separated by commas. A time without colons is
/// in milliseconds. Of several depths or times the first that can be read counts, of several
/// evaluations the last.
fn tcec(comment: &[u8]) -> Option<Annotation> {
    let time = |text: &[u8]| match text.trim_ascii_end() {
        // Nearly all files have clocks such as 01:54:48. Without this case they would be parsed as
        // a number first.
        text @ [b'0'..=b'9', b'0'..=b'9', b':', ..] => clock(text),
        text => match Decimal::read(text)? {
            (millis, []) => millis.duration(3),
            _ => clock(text),
        },
    };
    let comment = behind_commands(comment);
    let mut decoded = Annotation {
        eval: Some(tcec_eval(comment)?),
        described: Described::Before,
        ..Annotation::default()
    };
    let mut rest = comment;
    while decoded.depth.is_none() || decoded.time.is_none() || decoded.clock.is_none() {
        let end = memchr::memchr(b',', rest);
        match rest[..end.unwrap_or(rest.len())].trim_ascii_start() {
            [b'd', b'=', text @ ..] if decoded.depth.is_none() => {
                decoded.depth = whole(text).map(|(depth, _)| depth);
            }
            [b'm', b't', b'=', text @ ..] if decoded.time.is_none() => decoded.time = time(text),
            [b't', b'l', b'=', text @ ..] if decoded.clock.is_none() => decoded.clock = time(text),
            _ => {}
        }
        let Some(end) = end else { break };
        rest = &rest[end + 1..];
    }
    Some(decoded)
}

/// Returns the evaluation that [`tcec`] reads. Searching from the end skips the long lines of moves
/// before it.
fn tcec_eval(comment: &[u8]) -> Option<Eval<White>> {
    memchr::memrchr_iter(b'v', comment).find_map(|at| {
        let [b'=', score @ ..] = comment.get(at + 1..)? else {
            return None;
        };
        let (b'w' | b'e', before) = comment[..at].split_last()? else {
            return None;
        };
        let begins_a_field = before
            .trim_ascii_end()
            .last()
            .is_none_or(|&byte| byte == b',');
        begins_a_field.then(|| Written::read(score).map(|(score, _)| score.eval(MateUnit::Plies)))
    })?
}

/// `0.79/19`, `20:+0.34`, `+0.13`, `(0.36 → -0.36) Inaccuracy.`; of Chess.com's reviews `(+0.81)`,
/// `INACCURACY (+0.81)`, `(-M3) …`.
fn text(comment: &[u8]) -> Option<Annotation> {
    let comment = comment.trim_ascii();
    if let Some(decoded) = in_brackets(comment) {
        return Some(decoded);
    }
    let decoded = |score: Written, depth| {
        Some(Annotation {
            eval: Some(score.eval(MateUnit::Moves)),
            depth,
            ..Annotation::default()
        })
    };
    if let Some(inside) = comment.strip_prefix(b"(") {
        let inside = &inside[..memchr::memchr(b')', inside)?];
        let (_, after) = split_arrow(inside)?;
        let (score, rest) = Written::read(after.trim_ascii_start())?;
        return if rest.trim_ascii().is_empty() {
            decoded(score, None)
        } else {
            None
        };
    }
    if let Some((depth, [b':', score @ ..])) = whole(comment) {
        let (score, rest) = Written::read(score)?;
        return if score.is_unambiguous() && ends(rest) {
            decoded(score, Some(depth))
        } else {
            None
        };
    }
    let (score, rest) = Written::read(comment).filter(|(score, _)| score.is_unambiguous())?;
    match rest {
        [] => decoded(score, None),
        [b'/', depth @ ..] => {
            let (depth, rest) = whole(depth)?;
            if ends(rest) {
                decoded(score, Some(depth))
            } else {
                None
            }
        }
        // "1.5 points behind" is prose.
        _ if ends(rest)
            && matches!(score, Written::Number(number) if number.signed && number.point) =>
        {
            decoded(score, None)
        }
        _ => None,
    }
}

/// `(+0.81)` at the beginning of a comment, or at its end behind a word or two, such as
/// `INACCURACY`: a score with a sign and decimals, or a mate.
fn in_brackets(comment: &[u8]) -> Option<Annotation> {
    let begin = match comment {
        [b'(', ..] => 0,
        [.., b')'] => memchr::memrchr(b'(', comment)?,
        _ => return None,
    };
    let words = comment[..begin]
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    // "Nf3 (+0.50)" evaluates another move.
    if words.clone().count() > 2 || words.flatten().any(u8::is_ascii_digit) {
        return None;
    }
    let (score, rest) = Written::read(&comment[begin + 1..])?;
    let is_score = match score {
        Written::Number(number) => number.point && (number.signed || number.is_zero()),
        Written::Moves(_) | Written::Letter(_) => true,
    };
    let annotation = Annotation {
        eval: Some(score.eval(MateUnit::Moves)),
        ..Annotation::default()
    };
    (is_score && rest.first() == Some(&b')')).then_some(annotation)
}

/// Returns whether a number ends here: at a blank or a punctuation mark, not inside a word or
/// another number.
fn ends(rest: &[u8]) -> bool {
    rest.first()
        .is_none_or(|byte| byte.is_ascii_whitespace() || b",;)".contains(byte))
}

fn split_arrow(text: &[u8]) -> Option<(&[u8], &[u8])> {
    [&b"\xe2\x86\x92"[..], b"->"].into_iter().find_map(|arrow| {
        let at = memchr::memmem::find(text, arrow)?;
        Some((&text[..at], &text[at + arrow.len()..]))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn auto(comment: &str) -> Annotation {
        Annotation::decode(comment.as_bytes(), Dialect::Auto, Color::Black)
    }

    #[test]
    fn a_comment_gives_all_its_values() {
        let decoded = auto("[%eval -106,29] [%wdl 1,444,555] [%clk 1:30:49][%emt 0:00:11]");
        assert_eq!(
            (decoded.eval, decoded.depth),
            (Some(Eval::cp(-106)), Some(29))
        );
        assert_eq!(decoded.wdl, Wdl::from_per_mille(1, 444, 555));
        assert_eq!(decoded.clock, Some(Duration::from_secs(5449)));
        assert_eq!(decoded.time, Some(Duration::from_secs(11)));
        assert_eq!(decoded.described, Described::After);

        let decoded = auto(
            "d=32, sd=32, pd=Kf1, mt=272534, tl=00:01:00, pv=c6 d4, tb=41, wv=-0.38, mb=-1+0+0+0+0,",
        );
        assert_eq!(
            (decoded.eval, decoded.depth),
            (Some(Eval::cp(-38)), Some(32))
        );
        assert_eq!(decoded.time, Some(Duration::from_millis(272_534)));
        assert_eq!(decoded.clock, Some(Duration::from_secs(60)));
        assert_eq!(decoded.described, Described::Before);
    }

    #[test]
    fn a_forced_dialect_reads_no_other() {
        let short = b"+0.98/25";
        let eval = |dialect| Annotation::decode(short, dialect, Color::Black).eval;
        assert_eq!(eval(Dialect::Engine), Some(Eval::cp(-98)));
        assert_eq!(eval(Dialect::Text), Some(Eval::cp(98)));
        assert_eq!(eval(Dialect::Auto), Some(Eval::cp(98)));
        assert_eq!(eval(Dialect::Commands), None);
        assert_eq!(eval(Dialect::Tcec), None);
    }

    #[test]
    fn the_playing_engines_value_overrides_an_added_one() {
        let decoded = auto("[%eval 0.30] [%clk 0:01:00] d=38, mt=1000, wv=0.15,");
        assert_eq!(
            (decoded.eval, decoded.depth, decoded.described),
            (Some(Eval::cp(15)), Some(38), Described::Before)
        );
        assert_eq!(decoded.clock, Some(Duration::from_secs(60)));
        let decoded = auto("[%eval 0.30] +0.98/25 11s");
        assert_eq!(
            (decoded.eval, decoded.time),
            (Some(Eval::cp(-98)), Some(Duration::from_secs(11)))
        );
        assert_eq!(
            auto("[%eval 0.30] 0.98/25").eval,
            Some(Eval::cp(30)),
            "no tag says that an engine played"
        );
    }

    #[test]
    fn prose_is_not_an_evaluation() {
        for prose in [
            "book",
            "1/2",
            "12:30",
            "1.5 points behind",
            "1.e4 was better",
            "2",
            "+",
            "(see above)",
            "M",
            "",
            "(0.36 → White)",
            "[%eval]",
            "[%eval x]",
            "[%eval 1e3]",
            "[%eval 0.5x,12]",
            "(Mate in 3 → 0.5 or so)",
            "5 minutes",
            "20:M-x",
            "1.5/2x",
        ] {
            assert_eq!(auto(prose), Annotation::default(), "{prose}");
        }
    }

    #[test]
    fn fields_in_any_order() {
        let tcec =
            |comment: &str| Annotation::decode(comment.as_bytes(), Dialect::Tcec, Color::White);
        let usual =
            tcec("d=28, pd=d5, mt=00:02:46, tl=7048000, n=23, pv=d4 d5 c4, tb=0, wv=0.24, ");
        assert_eq!((usual.eval, usual.depth), (Some(Eval::cp(24)), Some(28)));
        assert_eq!(
            (usual.time, usual.clock),
            (
                Some(Duration::from_secs(166)),
                Some(Duration::from_secs(7048))
            )
        );
        assert_eq!(
            tcec("ev=0.31,pv=d4 d5,wv=0.24,tl=01:57:28 ,mt=166000,d=28,"),
            usual
        );
        // The first depth and times that can be read, and the last evaluation.
        assert_eq!(
            tcec("wv=M3, d=x, d=28, d=29, mt=, mt=00:02:46, mt=1, tl=7048000, tl=1, ev=+0.24"),
            usual
        );
        assert_eq!(tcec("d=28, mt=00:02:46, pv=d4 d5"), Annotation::default());
    }

    #[test]
    fn decimal_commas() {
        for dialect in [Dialect::Auto, Dialect::Engine, Dialect::Text] {
            for tail in ["", " 1.2s"] {
                let decoded = |comma: &str| {
                    let text = format!("+0{comma}25/10{tail}");
                    let decoded = Annotation::decode(text.as_bytes(), dialect, Color::White);
                    assert_eq!(
                        Annotation::eval(text.as_bytes(), dialect, Color::White),
                        decoded.eval,
                        "{text}"
                    );
                    decoded
                };
                assert_eq!(decoded(","), decoded("."));
                assert!(decoded(",").eval.is_some());
            }
        }
        assert_eq!(auto("1,444,555"), Annotation::default());
    }

    /// cutechess omits the depth if the engine reports none.
    #[test]
    fn a_score_and_a_time() {
        let decoded = Annotation::decode(b"+0.25 0.1s", Dialect::Engine, Color::Black);
        assert_eq!(
            (decoded.eval, decoded.depth, decoded.time),
            (Some(Eval::cp(-25)), None, Some(Duration::from_millis(100)))
        );
        assert_eq!(
            Annotation::decode(b"1. e4", Dialect::Engine, Color::White),
            Annotation::default()
        );
    }

    #[test]
    fn c_chess_cli() {
        let decoded = auto("31/10 12ms");
        assert_eq!(
            (decoded.eval, decoded.depth),
            (Some(Eval::cp(-31)), Some(10))
        );
        assert_eq!(
            (decoded.time, decoded.described),
            (Some(Duration::from_millis(12)), Described::Before)
        );
        assert_eq!(auto("M5/9 3ms").eval, Some(Eval::mate(-3)));
    }

    #[test]
    fn xboard() {
        for (comment, seconds) in [
            ("+0.98/25 1.5", 1.5),
            ("+0.98/25 31", 31.0),
            ("+0.98/25 1:05", 65.0),
        ] {
            let decoded = auto(comment);
            assert_eq!(
                (decoded.eval, decoded.depth),
                (Some(Eval::cp(-98)), Some(25))
            );
            assert_eq!(
                (decoded.time, decoded.described),
                (Some(Duration::from_secs_f64(seconds)), Described::Before)
            );
        }
        for prose in ["0.79/19 5 moves later", "0.79/19 -5", "0.79/19 1:2:3:4"] {
            assert_eq!(auto(prose).described, Described::After, "{prose}");
        }
    }

    #[test]
    fn openbench() {
        let decoded = auto("+0.24 28/40 2700 12345");
        assert_eq!(
            (decoded.eval, decoded.depth),
            (Some(Eval::cp(-24)), Some(28))
        );
        assert_eq!(
            (decoded.time, decoded.described),
            (Some(Duration::from_millis(2700)), Described::Before)
        );
        assert_eq!(auto("-M7 28/40 2700 12345").eval, Some(Eval::mate(4)));
        assert_eq!(
            auto("+0.24\n28/40\n2700 12345"),
            decoded,
            "a program that wraps lines breaks them at blanks"
        );
        assert_eq!(auto("+0.24\n0.1s"), auto("+0.24 0.1s"));
        for prose in ["+0.24 28/40", "+0.24 28/40 x", "+0.24 28 2700", "1 2/3 4th"] {
            assert_ne!(auto(prose).described, Described::Before, "{prose}");
        }
    }

    #[test]
    fn reviews_of_chess_com() {
        for (comment, eval) in [
            ("(+0.81)", Eval::cp(81)),
            ("INACCURACY (+0.81)", Eval::cp(81)),
            ("weak (-1.20)", Eval::cp(-120)),
            ("(-0.52) better was", Eval::cp(-52)),
            ("BLUNDER (-M3)", Eval::mate(-3)),
            ("(0.00) The game is even", Eval::cp(0)),
        ] {
            assert_eq!(
                (auto(comment).eval, auto(comment).described),
                (Some(eval), Described::After),
                "{comment}"
            );
        }
        for comment in [
            "INACCURACY",
            "Nf3 (+0.50)",
            "a long way behind (+0.50)",
            "(+1 pawn)",
            "(1.5)",
            "(+0.5 or so)",
        ] {
            assert_eq!(auto(comment).eval, None, "{comment}");
        }
    }

    /// A clock of two parts may be hours and minutes or minutes and seconds; only the whole game
    /// shows which.
    #[test]
    fn clocks_of_two_parts() {
        let clock = |text: &str| {
            let decoded = auto(text);
            (
                decoded.clock.map(|clock| clock.as_secs()),
                decoded.is_clock_short,
            )
        };
        assert_eq!(clock("[%clk 1:30]"), (Some(5400), true));
        assert_eq!(clock("[%clk 0:01:30]"), (Some(90), false));
        assert_eq!(clock("[%clk 1:30.5]"), (Some(90), false));
        assert_eq!(auto("[%emt 1:30]").time, Some(Duration::from_secs(90)));
    }

    #[test]
    fn text_may_go_on() {
        assert_eq!(auto("+0.13 Nf3 was better").eval, Some(Eval::cp(13)));
        assert_eq!(auto("0.79/19, holds").depth, Some(19));
        assert_eq!(auto("(Mate in 3 → 0.5) Lost").eval, Some(Eval::cp(50)));
    }

    proptest! {
        /// Comments of commands, and of TCEC's fields, with damage or other text now and then: the
        /// fast ways read the same as the general one.
        #[test]
        fn fast_paths_read_the_same_values(
            parts in prop::collection::vec(prop_oneof![
                "\\[%clk [0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9])?\\]",
                "\\[%eval (#?-?[0-9]{1,2}|-?[0-9]{1,2}\\.[0-9]{2})(,[0-9]{1,2})?\\]",
                "\\[%(emt|clk|wdl|evalx|csl) ?[0-9:,]{0,8}\\]",
                "[ \n]{1,2}",
                prop::sample::select(vec!["[%clk 0:01:00", "[%eval ]", "[", "]", "d=3, wv=0.15", "+0.98/25 11s", "0.79/19", "x",
                    "wv=-M7", ",", "pv=e4 e5", "ev=2.5", "wv", "v=1"])
                    .prop_map(str::to_owned),
            ], 0..5),
        ) {
            let comment = parts.concat();
            let comment = comment.as_bytes();
            for dialect in Dialect::ALL {
                let general = Annotation::read(comment, dialect, Color::White).unwrap_or_default().with_clocks(comment);
                prop_assert_eq!(Annotation::decode(comment, dialect, Color::White), general, "{:?} {:?}", dialect, parts);
                prop_assert_eq!(Annotation::eval(comment, dialect, Color::White), general.eval, "{:?} {:?}", dialect, parts);
            }
        }

        /// Comments that almost have Lichess' usual form, so that the fast parser gets every kind
        /// of digit, length and damage.
        #[test]
        fn fast_and_general_parsers_of_commands_agree(
            eval in "( ?\\[%eval -?[0-9]{1,4}[.,x]?[0-9]{0,3}[\\]x ]?)?",
            clock in "[ x]?(\\[%clk [0-9:]{1,2}:[0-9]{2}[:x][0-9]{2}[\\]x])?[ x]{0,2}",
        ) {
            let comment = eval + &clock;
            let comment = comment.as_bytes();
            for dialect in Dialect::ALL {
                let general = Annotation::read(comment, dialect, Color::White).unwrap_or_default().with_clocks(comment);
                prop_assert_eq!(Annotation::decode(comment, dialect, Color::White), general, "{:?}", dialect);
                prop_assert_eq!(Annotation::eval(comment, dialect, Color::White), general.eval, "{:?}", dialect);
            }
        }

        #[test]
        fn decoding_never_panics(bytes in prop::collection::vec(prop_oneof![
            any::<u8>(), prop::sample::select(&b"[%eval ]#M+-.,/:0123456789s=wvd()"[..])], 0..60)) {
            for dialect in Dialect::ALL {
                Annotation::decode(&bytes, dialect, Color::White);
            }
        }
    }
}
