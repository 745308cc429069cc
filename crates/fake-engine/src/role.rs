//! The parts the engine plays.

use std::time::Duration;

/// How the engine behaves. In all else it is a good engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// `ok`: deterministic scores, at once. The default.
    Ok,
    /// `bare`: offers no options.
    Bare,
    /// `think MS`: takes that long for every search, or until told anything.
    Think(Duration),
    /// `log FILE MS`: takes that long for every search, then writes a line of what was asked to the file.
    Log(String, Duration),
    /// `exit`: ends at once with status 3 and a word on its error output.
    Exit,
    /// `hang`: never answers `uci`.
    Hang,
    /// `deaf`: never answers `isready` after its first search.
    Deaf,
    /// `rubbish`: writes a web page without end.
    Rubbish,
    /// `die-at N`: aborts at its nth search.
    DieAt(u64),
    /// `die-once FILE`: exits with status 7 at a search if there is no such file, having made it.
    DieOnce(String),
    /// `die-on TEXT`: exits with status 9 at a position whose FEN holds the text.
    DieOn(String),
    /// `troubled FILE TEXT MS`: takes that long for every search, aborts at every 50th and hangs at every 70th of all that the file
    /// counts, a byte each, and exits with status 9 at a position whose FEN holds the text.
    Troubled(String, String, Duration),
    /// `shallow`: takes `go nodes` for a time it does not have, and ends at depth 1; otherwise searches until stopped.
    Shallow,
    /// `illegal-best MOVE`: answers that move.
    IllegalBest(String),
    /// `illegal-pv`: every variation begins with e1e8.
    IllegalPv,
    /// `glued-pv`: every variation goes on with illegal moves.
    GluedPv,
    /// `no-score`: a best move and nothing more.
    NoScore,
    /// `no-multipv`: leaves the `multipv` field out and knows one line only.
    NoMultiPv,
    /// `one-short`: says a line fewer than asked for.
    OneShort,
    /// `bounds`: at the end repeats every rank with a bound of absurd size.
    Bounds,
    /// `ignore-nodes`: counts on beyond the limit until stopped.
    IgnoreNodes,
    /// `ignore-stop`: counts on for ever.
    IgnoreStop,
    /// `dawdle`: gets half way to its limit and waits to be stopped.
    Dawdle,
    /// `ignore-searchmoves`: considers all moves.
    IgnoreSearchmoves,
    /// `slow-quit`: needs half a minute to end.
    SlowQuit,
    /// `crash-quit`: aborts when told to end.
    CrashQuit,
    /// `stderr`: writes to its error output at every search.
    Stderr,
    /// `with-child FILE`: starts a child and writes its process id to the file.
    WithChild(String),
    /// `linger`: no engine but that child.
    Linger,
}

impl Role {
    pub(crate) fn parse(args: &[String]) -> Result<Self, String> {
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{text} is no number"));
        Ok(match words.as_slice() {
            [] | ["ok"] => Self::Ok,
            ["bare"] => Self::Bare,
            ["think", ms] => Self::Think(Duration::from_millis(number(ms)?)),
            ["log", file, ms] => Self::Log((*file).to_owned(), Duration::from_millis(number(ms)?)),
            ["exit"] => Self::Exit,
            ["hang"] => Self::Hang,
            ["deaf"] => Self::Deaf,
            ["rubbish"] => Self::Rubbish,
            ["die-at", n] => Self::DieAt(number(n)?),
            ["die-once", file] => Self::DieOnce((*file).to_owned()),
            ["die-on", text] => Self::DieOn((*text).to_owned()),
            ["troubled", file, text, ms] => {
                Self::Troubled((*file).to_owned(), (*text).to_owned(), Duration::from_millis(number(ms)?))
            }
            ["shallow"] => Self::Shallow,
            ["illegal-best", mv] => Self::IllegalBest((*mv).to_owned()),
            ["illegal-pv"] => Self::IllegalPv,
            ["glued-pv"] => Self::GluedPv,
            ["no-score"] => Self::NoScore,
            ["no-multipv"] => Self::NoMultiPv,
            ["one-short"] => Self::OneShort,
            ["bounds"] => Self::Bounds,
            ["ignore-nodes"] => Self::IgnoreNodes,
            ["ignore-stop"] => Self::IgnoreStop,
            ["dawdle"] => Self::Dawdle,
            ["ignore-searchmoves"] => Self::IgnoreSearchmoves,
            ["slow-quit"] => Self::SlowQuit,
            ["crash-quit"] => Self::CrashQuit,
            ["stderr"] => Self::Stderr,
            ["with-child", file] => Self::WithChild((*file).to_owned()),
            ["linger"] => Self::Linger,
            _ => return Err(format!("no such part: {}", words.join(" "))),
        })
    }
}
