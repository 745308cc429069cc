//! The roles that the engine plays.

use std::time::Duration;

/// How the engine behaves. In all other respects it is a correct engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// `ok`: answers at once, with deterministic scores. The default.
    Ok,
    /// `bare`: offers no options.
    Bare,
    /// `think MS`: takes that long for every search, or until the next command.
    Think(Duration),
    /// `log FILE MS`: takes that long for every search, then appends a line with the question to the file.
    Log(String, Duration),
    /// `exit`: ends at once with status 3 and a message on standard error.
    Exit,
    /// `hang`: never answers `uci`.
    Hang,
    /// `deaf`: never answers `isready` after its first search.
    Deaf,
    /// `rubbish`: writes HTML without end.
    Rubbish,
    /// `die-at N`: aborts at its Nth search.
    DieAt(u64),
    /// `die-once FILE`: if the file does not exist, creates it at a search and exits with status 7.
    DieOnce(String),
    /// `die-on TEXT`: exits with status 9 at a position whose FEN contains the text.
    DieOn(String),
    /// `lie-from N`: gives other scores from its Nth search on, as with damaged memory.
    LieFrom(u64),
    /// `lie-on TEXT`: gives other scores at a position whose FEN contains the text.
    LieOn(String),
    /// `kill-worker TEXT`: at a position whose FEN contains the text, kills the `centipawn worker` that it serves. Takes 50 ms for
    /// every other search.
    KillWorker(String),
    /// `troubled FILE TEXT MS`: takes that long for every search. Counts the searches of all engines in the file, one byte each;
    /// aborts at every 50th and hangs at every 70th. Exits with status 9 at a position whose FEN contains the text.
    Troubled(String, String, Duration),
    /// `shallow`: does not understand `go nodes` and ends at depth 1; with any other limit searches until stopped.
    Shallow,
    /// `illegal-best MOVE`: answers with that move.
    IllegalBest(String),
    /// `illegal-pv`: every variation begins with e1e8.
    IllegalPv,
    /// `score WORDS`: every line has this score, such as `cp -2147483648`.
    Score(String),
    /// `named NAME`: introduces itself with this name and as this author; `\\e` stands for an escape character, `\\c` for C1's control
    /// sequence introducer.
    Named(String),
    /// `glued-pv`: every variation continues with illegal moves.
    GluedPv,
    /// `no-score`: reports a best move and nothing else.
    NoScore,
    /// `no-multipv`: reports one line only, without the `multipv` field.
    NoMultiPv,
    /// `one-short`: reports one line fewer than asked for.
    OneShort,
    /// `bounds`: at the end repeats every rank with a bound of absurd size.
    Bounds,
    /// `ignore-nodes`: keeps counting beyond the limit until stopped.
    IgnoreNodes,
    /// `ignore-stop`: keeps counting forever.
    IgnoreStop,
    /// `dawdle`: searches halfway to its limit and waits for `stop`.
    Dawdle,
    /// `ignore-searchmoves`: considers all moves.
    IgnoreSearchmoves,
    /// `slow-quit`: takes 30 s to end.
    SlowQuit,
    /// `crash-quit`: aborts at `quit`.
    CrashQuit,
    /// `stderr`: writes to standard error at every search.
    Stderr,
    /// `with-child FILE`: starts a child and writes its process id to the file.
    WithChild(String),
    /// `with-session FILE`: starts a child in a separate session, which writes its process id to the file.
    WithSession(String),
    /// `paused PROGRAM`: is that engine, stopped for 3.1 s shortly after each `go`, as on a machine with better things to do.
    Paused(String),
    /// `linger`: the child that `with-child` starts; not an engine.
    Linger,
    /// `linger-apart FILE`: the child that `with-session` starts; not an engine.
    LingerApart(String),
}

impl Role {
    pub(crate) fn parse(args: &[String]) -> Result<Self, String> {
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{text} is not a number"));
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
            ["kill-worker", text] => Self::KillWorker((*text).to_owned()),
            ["lie-from", n] => Self::LieFrom(number(n)?),
            ["lie-on", text] => Self::LieOn((*text).to_owned()),
            ["die-on", text] => Self::DieOn((*text).to_owned()),
            ["troubled", file, text, ms] => {
                Self::Troubled((*file).to_owned(), (*text).to_owned(), Duration::from_millis(number(ms)?))
            }
            ["shallow"] => Self::Shallow,
            ["illegal-best", mv] => Self::IllegalBest((*mv).to_owned()),
            ["illegal-pv"] => Self::IllegalPv,
            ["score", words @ ..] if !words.is_empty() => Self::Score(words.join(" ")),
            ["named", words @ ..] if !words.is_empty() => Self::Named(words.join(" ")),
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
            ["paused", program] => Self::Paused((*program).to_owned()),
            ["linger"] => Self::Linger,
            ["with-session", file] => Self::WithSession((*file).to_owned()),
            ["linger-apart", file] => Self::LingerApart((*file).to_owned()),
            _ => return Err(format!("no such role: {}", words.join(" "))),
        })
    }
}
