//! Measures how fast games are read: `bench_pgn FILES…`, or `make bench-pgn`.
//!
//! The figures are megabytes of text and plies per second of CPU time, the best of several runs, on
//! one thread unless another number is printed. Comparisons run in the same process: moves that
//! pgn-reader reads and shakmaty plays, a plain `read()` of the file, and the decompressors alone.

use std::{
    env,
    error::Error,
    fs::{self, File},
    io::{self, Read, Write},
    num::NonZeroUsize,
    ops::ControlFlow,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use centipawn_core::Score;
use centipawn_pgn::{
    GameView, Merge, ScanOptions, ScanReport, Source, Sources, scan,
    token::{Token, Tokenizer},
};
use pgn_reader::{RawComment, RawTag, SanPlus, Skip, Visitor};
use shakmaty::{CastlingMode, Chess, Position, fen::Fen};

const RUNS: usize = 9;

/// The files to read if no file is named, one of each kind: analysed on Lichess, engine matches,
/// clocks only, bare moves.
const USUAL: [&str; 4] = [
    "pgn/lichess/lichess_2021-10_eval96.pgn",
    "wdl/tcec_fishtest.pgn.zst",
    "pgn/lichess/lichess_2021-10_first999.pgn",
    "pgn/human/masters_pgnmentor.pgn.zst",
];

/// Minimum bytes of text. A smaller file is read as several copies of itself, because a run of a
/// few milliseconds measures little else than starting and stopping.
const ENOUGH: usize = 40_000_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    if let [option, path] = paths.as_slice()
        && option.as_os_str() == PEAK
    {
        return peak(path);
    }
    if paths.is_empty() {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
        paths = USUAL
            .iter()
            .map(|file| data.join(file))
            .filter(|path| path.exists())
            .collect();
    }
    if paths.is_empty() {
        return Err("name the files to read: bench_pgn FILES…".into());
    }
    let folder = tempfile::tempdir()?;
    for path in &paths {
        let mut text = Vec::new();
        Source::open(path)?.read_to_end(&mut text)?;
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let copies = ENOUGH.div_ceil(text.len().max(1));
        println!(
            "\n{name} x {copies}: {:.1} MB of text",
            (copies * text.len()) as f64 / 1e6
        );
        let text = text.repeat(copies);
        let plain = folder.path().join("plain.pgn");
        fs::write(&plain, &text)?;
        plain_file(&plain, &text)?;
        memory(&plain, &text)?;
        let (gz, zst) = (
            folder.path().join("games.pgn.gz"),
            folder.path().join("games.pgn.zst"),
        );
        let mut packed =
            flate2::write::GzEncoder::new(File::create(&gz)?, flate2::Compression::default());
        packed.write_all(&text)?;
        packed.finish()?;
        fs::write(&zst, zstd::encode_all(text.as_slice(), 3)?)?;
        let frames = folder.path().join("frames.pgn.zst");
        let mut packed = File::create(&frames)?;
        for text in text.chunks(FRAME) {
            packed.write_all(&zstd::encode_all(text, 3)?)?;
        }
        drop(text);
        for (name, packed) in [("gz", gz), ("zst", zst), ("frames", frames)] {
            compressed(name, &packed)?;
        }
    }
    Ok(())
}

/// Measures every way of reading a plain file.
fn plain_file(path: &Path, text: &[u8]) -> Result<(), Box<dyn Error>> {
    let mut buffer = vec![0; 1 << 20];
    let read = || {
        let mut file = File::open(path)?;
        let mut length = 0;
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok((length, 0)),
                read => length += read as u64,
            }
        }
    };
    let [reading, tokens, replay, evals, two, theirs, theirs_evals] = best_of_rounds([
        Box::new(read),
        Box::new(|| Ok((text.len() as u64, count_moves(text)))),
        Box::new(|| scanned(path, 1, false)),
        Box::new(|| scanned(path, 1, true)),
        Box::new(|| scanned(path, 2, true)),
        Box::new(|| pgn_reader(path, false)),
        Box::new(|| pgn_reader(path, true)),
    ])?;
    println!(
        "  {:24} {:6.2} x pgn-reader + … + evals; replay alone {:.2} x pgn-reader + shakmaty",
        "like for like",
        theirs_evals.cpu / evals.cpu,
        theirs.cpu / replay.cpu
    );
    line("read()", &reading, None);
    line("tokens", &tokens, None);
    line("replay", &replay, None);
    line("replay + evals", &evals, None);
    line("pgn-reader + shakmaty", &theirs, None);
    line("pgn-reader + … + evals", &theirs_evals, None);
    println!(
        "  {:24} {:6.3} x read()",
        "replay + evals",
        reading.cpu / evals.cpu
    );
    println!(
        "  {:24} {:6.2} x one thread, on the clock",
        "two threads",
        evals.wall / two.wall
    );
    Ok(())
}

/// With this option and a file, the program only reads the file and prints its peak memory.
const PEAK: &str = "--peak";

/// Length in bytes of the stream that is read to measure memory.
const LARGE: usize = 2_000_000_000;

/// Prints the peak memory of reading the file, and of reading a stream of 2 GB. Each is measured in
/// a separate process, because a process has only one peak.
fn memory(path: &Path, text: &[u8]) -> Result<(), Box<dyn Error>> {
    let program = env::current_exe()?;
    let file = Command::new(&program).arg(PEAK).arg(path).output()?;
    let mut stream = Command::new(&program)
        .args([PEAK, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = stream.stdin.take() {
        for _ in 0..LARGE.div_ceil(text.len().max(1)) {
            input.write_all(text)?;
        }
    }
    let stream = stream.wait_with_output()?;
    let text = |output: &[u8]| String::from_utf8_lossy(output).trim().to_owned();
    println!(
        "  {:24} {} MiB; of {} GB through a pipe {} MiB",
        "peak memory",
        text(&file.stdout),
        LARGE / 1_000_000_000,
        text(&stream.stdout)
    );
    Ok(())
}

/// Reads a file on all cores and prints the peak memory in MiB, or `?` if the system does not
/// report it.
fn peak(path: &Path) -> Result<(), Box<dyn Error>> {
    scanned(path, 0, true)?;
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
    println!(
        "{}",
        kilobytes.map_or("?".to_owned(), |kilobytes| (kilobytes / 1024).to_string())
    );
    Ok(())
}

/// Bytes of text in each frame of the `.zst` file that has many frames.
const FRAME: usize = 4_000_000;

/// Measures reading a compressed file, beside decompressing it without reading games.
fn compressed(name: &str, path: &Path) -> Result<(), Box<dyn Error>> {
    let mut buffer = vec![0; 1 << 20];
    let decode = || {
        let mut source = Source::open(path).map_err(io::Error::other)?;
        let mut length = 0;
        loop {
            match source.read(&mut buffer)? {
                0 => return Ok((length, 0)),
                read => length += read as u64,
            }
        }
    };
    let [decoding, two] = best_of_rounds([Box::new(decode), Box::new(|| scanned(path, 2, true))])?;
    line(&format!("{name}: decompressing"), &decoding, None);
    line(
        &format!("{name}: replay + evals"),
        &two,
        Some(decoding.wall / two.wall),
    );
    Ok(())
}

/// The amount of work and the least cost of several runs, in seconds.
struct Run {
    bytes: u64,
    plies: u64,
    cpu: f64,
    wall: f64,
}

fn line(what: &str, run: &Run, of_decoder: Option<f64>) {
    let megabytes = run.bytes as f64 / 1e6;
    print!("  {what:24} {:6.0} MB/CPU-s", megabytes / run.cpu);
    if run.plies > 0 {
        print!(" {:6.2} M plies/CPU-s", run.plies as f64 / 1e6 / run.cpu);
    }
    match of_decoder {
        Some(ratio) => println!(
            "; with two threads {:.0} MB/s, {ratio:.2} x the decompressor",
            megabytes / run.wall
        ),
        None => println!(),
    }
}

/// The work to measure. It returns the number of bytes and of plies.
type Work<'a> = Box<dyn FnMut() -> io::Result<(u64, u64)> + 'a>;

/// Runs each work several times, and returns the least cost of each. The works take turns, so that
/// changes of the machine's speed affect all of them alike.
fn best_of_rounds<const N: usize>(mut works: [Work<'_>; N]) -> io::Result<[Run; N]> {
    let mut best = [(); N].map(|()| Run {
        bytes: 0,
        plies: 0,
        cpu: f64::INFINITY,
        wall: f64::INFINITY,
    });
    for _ in 0..RUNS {
        for (work, best) in works.iter_mut().zip(&mut best) {
            let (cpu, wall) = (cpu_seconds(), Instant::now());
            (best.bytes, best.plies) = work()?;
            best.cpu = best.cpu.min(cpu_seconds() - cpu);
            best.wall = best.wall.min(wall.elapsed().as_secs_f64());
        }
    }
    Ok(best)
}

fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn count_moves(text: &[u8]) -> u64 {
    let mut moves = 0;
    let mut tokens = Tokenizer::new(text);
    while tokens.next_game() {
        moves += tokens
            .by_ref()
            .filter(|token| matches!(token, Token::Move(_)))
            .count() as u64;
    }
    moves
}

/// The sum of all evaluations. It is printed nowhere, but keeps the compiler from removing the
/// work.
#[derive(Default)]
struct Evals {
    sum: i64,
}

impl Merge for Evals {
    fn merge(&mut self, later: Self) {
        self.sum += later.sum;
    }
}

fn scanned(path: &Path, threads: usize, with_evals: bool) -> io::Result<(u64, u64)> {
    let sources = Sources::expand(&[path]).map_err(io::Error::other)?;
    let options = ScanOptions {
        threads: NonZeroUsize::new(threads),
        ..ScanOptions::default()
    };
    let look = |evals: &mut Evals, game: &GameView<'_>| {
        if with_evals {
            for ply in game.plies() {
                if let Some(eval) = ply.eval(game.dialect()) {
                    evals.sum += match eval.score() {
                        Score::Cp(cp) => i64::from(cp),
                        Score::Mate(moves) => i64::from(moves),
                    };
                }
            }
        }
    };
    let (evals, report): (Evals, ScanReport) =
        scan(&sources, &options, Evals::default, look).map_err(io::Error::other)?;
    std::hint::black_box(evals.sum);
    Ok((report.text, report.plies))
}

/// Counts the moves that pgn-reader reads and shakmaty can play.
struct Replayed {
    plies: u64,
    /// The sum of the evaluations in comments, if they are read. They are parsed with the standard
    /// library in the simplest way.
    evals: Option<f64>,
}

impl Visitor for Replayed {
    type Tags = Option<Chess>;
    type Movetext = Chess;
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), Option<Chess>> {
        ControlFlow::Continue(None)
    }

    fn tag(
        &mut self,
        start: &mut Option<Chess>,
        name: &[u8],
        value: RawTag<'_>,
    ) -> ControlFlow<()> {
        if name == b"FEN" {
            *start = Fen::from_ascii(value.as_bytes())
                .ok()
                .and_then(|fen| fen.into_position(CastlingMode::Chess960).ok());
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, start: Option<Chess>) -> ControlFlow<(), Chess> {
        ControlFlow::Continue(start.unwrap_or_default())
    }

    fn san(&mut self, position: &mut Chess, san: SanPlus) -> ControlFlow<()> {
        if let Ok(mv) = san.san.to_move(position) {
            position.play_unchecked(mv);
            self.plies += 1;
        }
        ControlFlow::Continue(())
    }

    fn comment(&mut self, _: &mut Chess, comment: RawComment<'_>) -> ControlFlow<()> {
        if let Some(sum) = &mut self.evals {
            let text = str::from_utf8(comment.as_bytes()).unwrap_or_default();
            let score = match text.split_once("[%eval ") {
                Some((_, behind)) => behind.split_once(']'),
                None => text.split_once('/'),
            };
            *sum += score
                .and_then(|(score, _)| score.parse::<f64>().ok())
                .unwrap_or(0.0);
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, _: &mut Chess) -> ControlFlow<(), Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, _: Chess) {}
}

fn pgn_reader(path: &Path, with_evals: bool) -> io::Result<(u64, u64)> {
    let mut replayed = Replayed {
        plies: 0,
        evals: with_evals.then_some(0.0),
    };
    // Keep pgn-reader's default sizes of buffers. Larger buffers make it slower, and many times
    // slower at the end of a file.
    let mut reader = pgn_reader::Reader::new(File::open(path)?);
    while reader.read_game(&mut replayed)?.is_some() {}
    std::hint::black_box(replayed.evals);
    Ok((fs::metadata(path)?.len(), replayed.plies))
}
