//! `centipawn puzzles solve`: the user solves puzzles by typing moves.

mod input;

use std::{
    io::{self, IsTerminal as _, Write},
    ops::ControlFlow,
    path::PathBuf,
    process::ExitCode,
    time::Instant,
};

use anyhow::{Context as _, Result, bail};
use centipawn_printer::{self as printer, BoardStyle};
use centipawn_progress::ProblemCount;
use centipawn_puzzle::{
    Puzzle, PuzzleGame, Theme,
    solve::{
        Attempt, LevelPlayers, MoveResult, NotAMove, Ratings, SolveCounts, Wanted, parse_theme,
        seed_of_now, shuffled, typed_move,
    },
};
use centipawn_work::engine::read_puzzles;
use clap::Args;

use self::input::{Command, Input};
use crate::{
    exit::{self, usage},
    session::Session,
    text::printable,
};

/// Arguments of `centipawn puzzles solve`.
#[derive(Args)]
pub(crate) struct Solve {
    /// Files of puzzles (CSV, JSON lines, PGN; plain, .gz, .zst, .bz2)
    #[arg(required = true, value_name = "PUZZLES")]
    puzzles: Vec<PathBuf>,
    /// Use only puzzles with one of these themes (fork,pin)
    #[arg(long, value_name = "THEMES", value_delimiter = ',', value_parser = parse_theme)]
    themes: Vec<Theme>,
    /// Use only puzzles with a rating in this range (1200..1600, 1200.., ..1600)
    #[arg(long, value_name = "RANGE")]
    rating: Option<Ratings>,
    /// Stop after N puzzles
    #[arg(long, value_name = "N")]
    count: Option<usize>,
    /// Choose puzzles at random from all files: as many as --count (default 1000)
    #[arg(long)]
    shuffle: bool,
    /// Seed of the random choice, for the same order each time; implies --shuffle
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Your rating on Lichess: selects puzzles within 300 points of it (unless --rating is given),
    /// and shows after each puzzle how many players with this rating solve it
    #[arg(long, value_name = "RATING")]
    level: Option<u32>,
    /// Draw the board with letters
    #[arg(long)]
    ascii: bool,
}

pub(super) fn run(args: &Solve, session: &Session) -> Result<ExitCode> {
    if args.puzzles.iter().any(|path| path.as_os_str() == "-") {
        return Err(usage(
            "puzzles cannot come from standard input: moves are typed there",
        ));
    }
    let cancel = session.cancel()?;
    let problems = ProblemCount::new(&**session.reporter());
    let wanted = Wanted {
        themes: args.themes.iter().copied().collect(),
        ratings: args.rating,
        level: args.level,
    };
    let named = read_puzzles(&args.puzzles, None, cancel, &problems).map(|mut puzzle| {
        if puzzle.themes.is_empty() {
            puzzle.tag();
        }
        puzzle
    });
    let players = args
        .level
        .map(LevelPlayers::new)
        .transpose()
        .context("cannot use the policy network")?;
    let fitting = named.filter(|puzzle| wanted.fits(puzzle));
    let count = args.count.unwrap_or(usize::MAX);
    let (puzzles, total): (Box<dyn Iterator<Item = Puzzle>>, _) =
        if args.shuffle || args.seed.is_some() {
            let seed = args.seed.unwrap_or_else(seed_of_now);
            let picked = shuffled(fitting, args.count.unwrap_or(1000), seed, cancel);
            let total = picked.len();
            (Box::new(picked.into_iter()), Some(total))
        } else {
            (Box::new(fitting.take(count)), args.count)
        };

    let mut sitting = Sitting {
        out: anstream::stdout(),
        input: Input::new(cancel.clone()),
        style: style_of_terminal(args.ascii),
        players,
        counts: SolveCounts::default(),
        begun: Instant::now(),
    };
    let posed = sitting
        .pose_all(puzzles, total)
        .context("cannot write to the terminal")?;
    if posed == 0 && !cancel.is_set() {
        if problems.errors() == 0 {
            let level = if args.level.is_some() {
                ", --level"
            } else {
                ""
            };
            bail!("no puzzle fits: --themes{level} and --rating leave none");
        }
        return Ok(exit::FAILED.into());
    }
    if !session.quiet {
        let text = printer::solve_counts(&sitting.counts, sitting.begun.elapsed());
        write!(sitting.out, "\n{text}")
            .and_then(|()| sitting.out.flush())
            .context("cannot write to the terminal")?;
    }
    Ok(if problems.errors() == 0 {
        ExitCode::SUCCESS
    } else {
        exit::SKIPPED.into()
    })
}

/// A user who solves puzzles.
struct Sitting<W> {
    out: W,
    input: Input,
    style: BoardStyle,
    players: Option<LevelPlayers>,
    counts: SolveCounts,
    begun: Instant,
}

impl<W: Write> Sitting<W> {
    /// Poses puzzles until there are no more or the user quits. Returns the number of puzzles
    /// posed.
    fn pose_all(
        &mut self,
        puzzles: impl Iterator<Item = Puzzle>,
        total: Option<usize>,
    ) -> io::Result<usize> {
        let mut posed = 0;
        for puzzle in puzzles {
            if posed == 0 {
                writeln!(self.out, "Type a move, or hint, answer, skip, quit, help.")?;
            }
            posed += 1;
            let of = total.map_or_else(String::new, |total| format!(" of {total}"));
            let rated = puzzle
                .rating
                .map_or_else(String::new, |rating| format!(", rated {rating}"));
            writeln!(self.out, "\nPuzzle {posed}{of}{rated}\n")?;
            if self.pose(&puzzle)?.is_break() {
                break;
            }
        }
        Ok(posed)
    }

    fn pose(&mut self, puzzle: &Puzzle) -> io::Result<ControlFlow<()>> {
        let mut attempt = Attempt::new(puzzle);
        self.show(&attempt)?;
        loop {
            let Some(command) = self.input.next(&mut self.out)? else {
                return Ok(ControlFlow::Break(()));
            };
            match command {
                Command::Quit => return Ok(ControlFlow::Break(())),
                Command::Help => writeln!(self.out, "{HELP}")?,
                Command::Board => self.show(&attempt)?,
                Command::Hint => writeln!(self.out, "{}", attempt.hint())?,
                Command::Skip => {
                    self.counts.skipped += 1;
                    return Ok(ControlFlow::Continue(()));
                }
                Command::Answer => {
                    self.counts.shown += 1;
                    writeln!(self.out, "{}", attempt.rest())?;
                    return self.show_origin(puzzle);
                }
                Command::Move(text) => {
                    let mv = match typed_move(attempt.position(), &text) {
                        Ok(mv) => mv,
                        Err(NotAMove::Illegal) => {
                            writeln!(
                                self.out,
                                "{} is not a legal move here, nor a command (help lists them).",
                                printable(&text)
                            )?;
                            continue;
                        }
                        Err(NotAMove::Ambiguous(moves)) => {
                            writeln!(self.out, "Which one: {}?", moves.join(" or "))?;
                            continue;
                        }
                    };
                    let san = attempt.san(mv);
                    match attempt.play(mv) {
                        MoveResult::Wrong => {
                            writeln!(self.out, "{san} is wrong. Try again, or ask for a hint.")?;
                        }
                        MoveResult::Right {
                            answered,
                            instead_of,
                        } => {
                            match instead_of {
                                None => writeln!(self.out, "{san} is right; {answered}\n")?,
                                Some(main) => writeln!(
                                    self.out,
                                    "{san} is right too. The solution continues with {main}; {answered}\n"
                                )?,
                            }
                            self.show(&attempt)?;
                        }
                        MoveResult::Solved { instead_of } => {
                            let other = instead_of.map_or_else(String::new, |san| {
                                format!(" The solution has {san}.")
                            });
                            let how = self.counts.solved(&attempt);
                            writeln!(self.out, "{san} is right. {how}.{other}")?;
                            return self.show_origin(puzzle);
                        }
                    }
                }
            }
        }
    }

    fn show(&mut self, attempt: &Attempt<'_>) -> io::Result<()> {
        writeln!(
            self.out,
            "{}\n{}",
            printer::board(attempt, self.style),
            attempt.situation()
        )
    }

    /// Shows a puzzle's themes and origin.
    fn show_origin(&mut self, puzzle: &Puzzle) -> io::Result<ControlFlow<()>> {
        let names = puzzle.motif_names();
        if !names.is_empty() {
            writeln!(self.out, "Themes: {}", printable(&names.join(", ")))?;
        }
        if let Some(found) = self
            .players
            .as_ref()
            .and_then(|players| players.outlook(puzzle))
        {
            writeln!(self.out, "{found}")?;
        }
        if puzzle.url.starts_with("https://lichess.org/") && puzzle.id != puzzle.stable_id() {
            writeln!(
                self.out,
                "https://lichess.org/training/{}",
                printable(&puzzle.id)
            )?;
        }
        let game = puzzle
            .game
            .as_ref()
            .map(PuzzleGame::to_string)
            .unwrap_or_default();
        let origin: Vec<&str> = [game.as_str(), &puzzle.url]
            .into_iter()
            .filter(|text| !text.is_empty())
            .collect();
        if !origin.is_empty() {
            writeln!(self.out, "From {}", printable(&origin.join(", ")))?;
        }
        Ok(ControlFlow::Continue(()))
    }
}

const HELP: &str = "\
A move    as in Nf3, exd5, O-O, e8=Q, or g1f3; capitals, x, + and = may be left out
hint      the piece that moves; once more: where it goes
answer    the solution; the puzzle counts as not solved
skip      the next puzzle
board     the board once more
quit      the end (also Ctrl-D, Ctrl-C)";

/// Returns the best style that standard output supports.
fn style_of_terminal(ascii: bool) -> BoardStyle {
    let colours = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
    match (ascii || !has_unicode(), colours, io::stdout().is_terminal()) {
        (false, true, _) => BoardStyle::Colours,
        (false, false, true) => BoardStyle::Figurines,
        (_, _, _) => BoardStyle::Letters,
    }
}

/// Returns whether the locale supports chess pieces.
fn has_unicode() -> bool {
    let set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .find(|name| set(name))
        .and_then(std::env::var_os);
    cfg!(windows)
        || locale.is_some_and(|locale| {
            let locale = locale.to_string_lossy().to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        })
}
