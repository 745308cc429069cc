//! Commands in comments, `[%name arguments]`.

use std::ops::Range;

use centipawn_core::{Eval, Score, White};
use memchr::memchr;

use crate::number::{moves_of_plies, whole};

/// A command in a comment.
pub(crate) struct Command<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) arguments: &'a [u8],
    /// Byte range in the comment, brackets included.
    pub(crate) range: Range<usize>,
}

impl<'a> Command<'a> {
    /// Returns the command whose text between the brackets is this.
    fn between(inside: &'a [u8], range: Range<usize>) -> Self {
        let name = inside
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(inside.len());
        let (name, arguments) = inside.split_at(name);
        Self {
            name,
            arguments: arguments.trim_ascii(),
            range,
        }
    }
}

/// Visits the commands of a comment of commands and blanks. For any other comment it returns false,
/// and may have visited some.
pub(crate) fn visit_commands_alone<'a>(
    comment: &'a [u8],
    mut visit: impl FnMut(Command<'a>),
) -> bool {
    let mut rest = comment.trim_ascii_start();
    while let Some(inside) = rest.strip_prefix(b"[%") {
        let Some(length) = memchr(b']', inside) else {
            return false;
        };
        let start = comment.len() - rest.len();
        visit(Command::between(
            &inside[..length],
            start..start + length + 3,
        ));
        rest = inside[length + 1..].trim_ascii_start();
    }
    rest.is_empty()
}

/// The commands of a comment, in order.
pub(crate) struct Commands<'a> {
    comment: &'a [u8],
    pos: usize,
}

impl<'a> Commands<'a> {
    pub(crate) fn new(comment: &'a [u8]) -> Self {
        Self { comment, pos: 0 }
    }
}

impl<'a> Iterator for Commands<'a> {
    type Item = Command<'a>;

    fn next(&mut self) -> Option<Command<'a>> {
        loop {
            let start = self.pos + memchr(b'[', &self.comment[self.pos..])?;
            self.pos = start + 1;
            if self.comment.get(self.pos) != Some(&b'%') {
                continue;
            }
            let inside = &self.comment[self.pos + 1..];
            let inside = &inside[..memchr(b']', inside)?];
            self.pos += 1 + inside.len() + 1;
            return Some(Command::between(inside, start..self.pos));
        }
    }
}

/// Replaces the first command of this name with `text` and removes the others. Without such a
/// command, `text` is put in front of the first comment. Without a text, all commands of this name
/// are removed.
///
/// Comments that become empty are removed.
pub(crate) fn set_first(comments: &mut Vec<String>, name: &str, mut text: Option<&str>) {
    for comment in comments.iter_mut() {
        let (mut edited, mut copied) = (String::new(), 0);
        for command in
            Commands::new(comment.as_bytes()).filter(|command| command.name == name.as_bytes())
        {
            edited.push_str(&comment[copied..command.range.start]);
            copied = command.range.end;
            match text.take() {
                Some(text) => edited.push_str(text),
                None => copied += usize::from(comment[copied..].starts_with(' ')),
            }
        }
        if copied > 0 {
            edited.push_str(&comment[copied..]);
            edited.truncate(edited.trim_end().len());
            *comment = edited;
        }
    }
    comments.retain(|comment| !comment.is_empty());
    match (text, comments.first_mut()) {
        (Some(text), Some(first)) => first.insert_str(0, &format!("{text} ")),
        (Some(text), None) => comments.push(text.to_owned()),
        (None, _) => {}
    }
}

/// Returns the evaluation in Lichess' form: `[%eval 0.17]`, `[%eval #-3]`.
pub(crate) fn eval_text(eval: Eval<White>) -> String {
    match eval.score() {
        Score::Cp(_) => format!("[%eval {}]", eval.to_string().trim_start_matches('+')),
        Score::Mate(moves) => format!("[%eval #{moves}]"),
    }
}

/// The evaluations of a whole game in one comment, as ChessBase stores them: `[%evp
/// first,last,v,v,…]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Number of plies before the first evaluated position; 0 if it is the start position.
    pub first: u32,
    /// The evaluation of each position, White's view; `None` if the position has no evaluation.
    pub evals: Vec<Option<Eval<White>>>,
}

impl Profile {
    /// Reads the profile from a comment; `None` if the comment has no profile.
    ///
    /// Values are in centipawns; 30000 − n means mate in n plies, 32767 no evaluation. Values
    /// beyond the position `last` are dropped.
    ///
    /// ```
    /// use centipawn_core::Eval;
    /// use centipawn_pgn::Profile;
    ///
    /// let profile = Profile::decode(b"[%evp 0,2,17,-14,29995]").unwrap();
    /// assert_eq!(profile.first, 0);
    /// assert_eq!(profile.evals, [Some(Eval::cp(17)), Some(Eval::cp(-14)), Some(Eval::mate(3))]);
    /// ```
    pub fn decode(comment: &[u8]) -> Option<Self> {
        let command = Commands::new(comment).find(|command| command.name == b"evp")?;
        let mut values = command
            .arguments
            .split(|&byte| byte == b',')
            .map(<[u8]>::trim_ascii);
        let (first, _) = whole(values.next()?)?;
        let (last, _) = whole(values.next()?)?;
        let count = last.checked_sub(first)?.saturating_add(1);
        let evals = values.take(count as usize).map(|value| {
            str::from_utf8(value)
                .ok()?
                .parse()
                .ok()
                .and_then(profile_eval)
        });
        Some(Self {
            first,
            evals: evals.collect(),
        })
    }
}

fn profile_eval(value: i32) -> Option<Eval<White>> {
    // No game is a thousand plies from mate, so smaller values are evaluations.
    const LONGEST: i32 = 1000;
    match 30_000 - value.saturating_abs() {
        plies @ 0..=LONGEST => Some(Eval::mate(value.signum() * moves_of_plies(plies))),
        plies if plies > 0 => Some(Eval::cp(value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_among_other_text() {
        let comment = "[x] [%eval 0.1,5][%clk  1:00 ] text [%csl] [%broken";
        let found: Vec<_> = Commands::new(comment.as_bytes())
            .map(|command| {
                (
                    str::from_utf8(command.name).unwrap(),
                    str::from_utf8(command.arguments).unwrap(),
                )
            })
            .collect();
        assert_eq!(found, [("eval", "0.1,5"), ("clk", "1:00"), ("csl", "")]);
    }

    #[test]
    fn a_command_is_replaced_where_it_stands() {
        let mut comments = vec![
            "[%evalx 1] a [%eval 1] b [%eval 2] c".to_owned(),
            "[%eval 3]".to_owned(),
        ];
        set_first(&mut comments, "eval", Some("[%eval 9]"));
        assert_eq!(comments, ["[%evalx 1] a [%eval 9] b c"]);
        set_first(&mut comments, "eval", None);
        assert_eq!(comments, ["[%evalx 1] a b c"]);
        let mut alone = vec!["[%eval 3]".to_owned(), "[%eval 3] x".to_owned()];
        set_first(&mut alone, "eval", None);
        assert_eq!(alone, ["x"]);
    }

    #[test]
    fn profiles() {
        let profile = |text: &str| Profile::decode(text.as_bytes());
        assert_eq!(
            profile("x [%evp 3,6,-29998,32767,-32768,28999,5]").unwrap(),
            Profile {
                first: 3,
                evals: vec![Some(Eval::mate(-1)), None, None, Some(Eval::cp(28_999))]
            }
        );
        assert_eq!(profile("[%evp 0,1,5]").unwrap().evals, [Some(Eval::cp(5))]);
        assert_eq!(profile("[%evp 5,1,5]"), None);
        assert_eq!(profile("[%evp]"), None);
        assert_eq!(profile("[%eval 1]"), None);
    }
}
