//! The ways in which the fake engine misbehaves, and how its command line selects one.

use std::time::Duration;

/// How the engine misbehaves. In all other respects it is a correct engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// `ok`: behaves correctly and answers at once. The same position always gets the same scores.
    /// The default.
    Ok,
    /// `bare`: offers no options.
    Bare,
    /// Offers contempt that is not neutral by default, as Stockfish 13 does.
    Contempt,
    /// `think MS`: each search takes this long, or until the next command.
    Think(Duration),
    /// `log FILE MS`: each search takes this long. Then the engine appends a line with the
    /// position, the number of lines and the limit to the file.
    Log(String, Duration),
    /// `exit`: ends at once with status 3 and a message on standard error.
    Exit,
    /// `hang`: never answers `uci`.
    Hang,
    /// `deaf`: answers no `isready` after its first search.
    Deaf,
    /// `rubbish`: writes lines of HTML without end.
    Rubbish,
    /// `die-at N`: aborts in its Nth search.
    DieAt(u64),
    /// `die-once FILE`: if the file does not exist, the first search creates it, and the engine
    /// exits with status 7.
    DieOnce(String),
    /// `die-on TEXT`: exits with status 9 when it searches a position whose FEN contains the text.
    DieOn(String),
    /// `lie-from N`: reports wrong scores from its Nth search on, as an engine on damaged memory
    /// might.
    LieFrom(u64),
    /// `lie-on TEXT`: reports wrong scores for positions whose FEN contains the text.
    LieOn(String),
    /// `kill-worker TEXT`: at a position whose FEN contains the text, kills the `centipawn worker`
    /// that started it. Every other search takes 50 ms.
    KillWorker(String),
    /// `troubled FILE TEXT MS`: each search takes this long. The engine counts the searches of all
    /// engines in the file, one byte for each. It aborts at every 50th search and hangs at every
    /// 70th. It exits with status 9 at a position whose FEN contains the text.
    Troubled(String, String, Duration),
    /// `shallow`: does not understand `go nodes` and answers at depth 1. With any other limit it
    /// searches until it is stopped.
    Shallow,
    /// `illegal-best MOVE`: answers with this move, legal or not.
    IllegalBest(String),
    /// `illegal-pv`: every variation begins with e1e8, which is illegal.
    IllegalPv,
    /// `score WORDS`: every line has this score, such as `cp -2147483648`.
    Score(String),
    /// `named NAME`: introduces itself with this name and as this author; `\\e` stands for an
    /// escape character, `\\c` for C1's control sequence introducer.
    Named(String),
    /// `glued-pv`: after its first move, every variation continues with illegal moves.
    GluedPv,
    /// `no-score`: reports a best move without any score.
    NoScore,
    /// `no-multipv`: reports one line only, and without the field `multipv`.
    NoMultiPv,
    /// `one-short`: reports one line fewer than requested.
    OneShort,
    /// `bounds`: at the end, reports all lines again with an absurdly high lower bound instead of a
    /// score.
    Bounds,
    /// `ignore-nodes`: ignores the limit of nodes and searches until it is stopped.
    IgnoreNodes,
    /// `ignore-stop`: ignores `stop` too and never answers.
    IgnoreStop,
    /// `dawdle`: searches to half of its depth, then waits for `stop`.
    Dawdle,
    /// `ignore-searchmoves`: considers all moves although `searchmoves` excludes some.
    IgnoreSearchmoves,
    /// `slow-quit`: takes 30 s to end after `quit`.
    SlowQuit,
    /// `crash-quit`: aborts after `quit`.
    CrashQuit,
    /// `stderr`: writes to standard error in every search.
    Stderr,
    /// `with-child FILE`: starts a child that outlives the engine, and writes the child's process
    /// id to the file.
    WithChild(String),
    /// `with-session FILE`: starts a child in a separate session, which writes its own process id
    /// to the file.
    WithSession(String),
    /// `paused PROGRAM`: runs this engine and stops its process for 3.1 s shortly after each `go`,
    /// as an overloaded machine would.
    Paused(String),
    /// `linger`: runs until it is killed. This is the child that `with-child` starts, not an
    /// engine.
    Linger,
    /// `linger-apart FILE`: runs until it is killed. This is the child that `with-session` starts,
    /// not an engine.
    LingerApart(String),
}

impl Role {
    pub(crate) fn parse(args: &[String]) -> Result<Self, String> {
        let words: Vec<&str> = args.iter().map(String::as_str).collect();
        let number = |text: &str| {
            text.parse::<u64>()
                .map_err(|_| format!("{text} is not a number"))
        };
        Ok(match words.as_slice() {
            [] | ["ok"] => Self::Ok,
            ["bare"] => Self::Bare,
            ["contempt"] => Self::Contempt,
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
            ["troubled", file, text, ms] => Self::Troubled(
                (*file).to_owned(),
                (*text).to_owned(),
                Duration::from_millis(number(ms)?),
            ),
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
