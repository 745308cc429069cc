//! Writes positions with the answers of the three Maia networks. `research/train_policy.py` trains
//! a network on them.
//!
//! `cargo run --release -p centipawn-tools --bin make_positions -- OUT POSITIONS SEED MAIA_1100
//! MAIA_1500 MAIA_1900 [GAMES.pgn [HELD_OUT.pgn]]`
//!
//! The Maia networks play against each other, each side at a random level between 1100 and 1900,
//! and each move is drawn by its probability. With GAMES, up to half of the positions come from the
//! first three quarters of these games, except games that are also in HELD_OUT (recognised by their
//! tag `Site`). In a quarter of the positions, the networks see only some of the moves that led to
//! the position, as they do if a user gives a FEN.
//!
//! The same seed gives the same file on processors with the same instruction set. The program
//! prints the file's SHA-256. A file is a sequence of records of [`RECORD`] bytes, little-endian:
//!
//! | bytes | what |
//! | --- | --- |
//! | 832 | planes 0 to 103 of the input, one bit for each square, a1 lowest |
//! | 1 | planes 104 to 108 (castling rights, Black to move), one bit each |
//! | 1 | half-moves since the last capture or pawn move |
//! | 1 | how many of the 8 positions are made up |
//! | 1 | number of legal moves |
//! | 4 | number of the game |
//! | 36 | win, draw and loss for the side to move by each Maia, f32 |
//! | 192 | up to 96 moves as the mover sees them: from + 64·to + 4096·promotion (0, or 1 to 3 for bishop, rook, queen) |
//! | 576 | for each of the 96 its probability by each Maia, times 65,535 |

use std::{collections::HashSet, env, error::Error, fs, path::Path};

use centipawn_core::{History, SplitMix64};
use centipawn_pgn::{Game, Reader, Source};
use centipawn_policy::{Evaluation, Network};
use centipawn_progress::sha256;
use shakmaty::{Move, Position as _, Role};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Maximum number of moves in a record. The few positions with more moves are left out.
const MOVES: usize = 96;
const RECORD: usize = 8 * 104 + 4 + 4 + 3 * 3 * 4 + 2 * MOVES + 2 * 3 * MOVES;
/// How many games are played at once, and how many positions are evaluated together.
const TOGETHER: usize = 64;
/// Maximum number of half-moves of a game.
const LONGEST: usize = 200;
/// Before this ply only one position in eight is written, because most games have the same
/// openings.
const OPENING: usize = 6;

/// A random number in `0..end`, computed from the first 53 bits. Another method would give other
/// files, and documents state their SHA-256.
fn below(random: &mut SplitMix64, end: usize) -> usize {
    (random.unit() * end as f64) as usize
}

/// The networks, and the records written so far.
struct Teachers {
    networks: Vec<Network>,
    random: SplitMix64,
    records: Vec<u8>,
    wanted: usize,
}

impl Teachers {
    fn written(&self) -> usize {
        self.records.len() / RECORD
    }

    /// The game as the networks see it. In a quarter of cases the moves before the last few are
    /// unknown.
    fn view(&mut self, history: &History) -> History {
        let shown = below(&mut self.random, 8);
        if below(&mut self.random, 4) > 0 || shown >= history.moves().len() {
            return history.clone();
        }
        let (before, last) = history.moves().split_at(history.moves().len() - shown);
        let mut start = history.start().clone();
        before.iter().for_each(|mv| start.play_unchecked(*mv));
        let mut view = History::new(start, history.mode());
        last.iter().for_each(|mv| view.push(*mv));
        view
    }

    /// The answers of the three networks to each position. The moves of all three have the same
    /// order.
    fn answers(&self, views: &[History]) -> Result<Vec<Vec<Evaluation>>> {
        let mut answers: Vec<Vec<Evaluation>> = views.iter().map(|_| Vec::new()).collect();
        for network in &self.networks {
            for (answers, answer) in answers.iter_mut().zip(network.evaluate_many(views, &[])) {
                let mut answer = answer?.swap_remove(0);
                answer
                    .moves
                    .sort_by_key(|mv| (mv.mv.from(), mv.mv.to(), mv.mv.promotion()));
                answers.push(answer);
            }
        }
        Ok(answers)
    }

    fn write(&mut self, game: u32, view: &History, answers: &[Evaluation]) {
        let moves = &answers[0].moves;
        if moves.len() > MOVES || self.written() == self.wanted {
            return;
        }
        let planes = self.networks[0].planes(view);
        let (boards, rest) = planes.planes.split_at(104);
        let out = &mut self.records;
        boards
            .iter()
            .for_each(|(squares, _)| out.extend(squares.0.to_le_bytes()));
        let flags = rest[..5]
            .iter()
            .enumerate()
            .map(|(bit, (squares, _))| u8::from(squares.any()) << bit)
            .sum();
        out.extend([
            flags,
            rest[5].1.min(255.0) as u8,
            planes.made_up as u8,
            moves.len() as u8,
        ]);
        out.extend(game.to_le_bytes());
        for answer in answers {
            let wdl = answer
                .wdl
                .map_or([0.0; 3], |wdl| [wdl.win, wdl.draw, wdl.loss]);
            wdl.iter()
                .for_each(|part| out.extend((*part as f32).to_le_bytes()));
        }
        let end = out.len() + 2 * MOVES;
        moves
            .iter()
            .for_each(|mv| out.extend(number(view, mv.mv).to_le_bytes()));
        out.resize(end, 0);
        for index in 0..moves.len() {
            let parts = answers
                .iter()
                .map(|answer| (answer.moves[index].probability * 65535.0).round() as u16);
            parts.for_each(|part| out.extend(part.to_le_bytes()));
        }
        out.resize(end + 6 * MOVES, 0);
        if self.written().is_multiple_of(10_000) {
            eprintln!("{} positions", self.written());
        }
    }

    /// Draws a move as a player of this level would. `level` is from 0 (the first network) to 2
    /// (the last). Each network has a weight of a tenth, and the two nearest networks share the
    /// rest.
    fn draw(&mut self, level: f64, answers: &[Evaluation]) -> Move {
        let chance = self.random.unit();
        let of = if chance < 0.3 {
            (chance * 10.0) as usize
        } else {
            (level + self.random.unit()) as usize
        };
        let moves = &answers[of.min(2)].moves;
        let mut left = self.random.unit();
        let drawn = moves.iter().find(|mv| {
            left -= mv.probability;
            left < 0.0
        });
        drawn.unwrap_or(&moves[0]).mv
    }

    /// Writes positions of games between humans until there are `most` records. Returns the number
    /// of the last game.
    fn people(&mut self, games: &[Game], most: usize) -> Result<u32> {
        let mut last = 0;
        for game in games {
            last += 1;
            let mut all: Vec<History> = game.mainline().map(|(history, _)| history).collect();
            all.retain(|history| {
                history.moves().len() >= OPENING || below(&mut self.random, 8) == 0
            });
            let views: Vec<History> = all.iter().map(|history| self.view(history)).collect();
            for views in views.chunks(TOGETHER) {
                for (view, answers) in views.iter().zip(self.answers(views)?) {
                    if self.written() < most {
                        self.write(last, view, &answers);
                    }
                }
            }
        }
        Ok(last)
    }

    /// Lets the networks play games against each other until there are enough positions.
    fn play(&mut self, mut last: u32) -> Result<()> {
        let mut games: Vec<(u32, History, [f64; 2])> = Vec::new();
        while self.written() < self.wanted {
            games.retain(|(_, game, _)| game.moves().len() < LONGEST && game.ending().is_none());
            while games.len() < TOGETHER {
                last += 1;
                games.push((
                    last,
                    History::default(),
                    [2.0 * self.random.unit(), 2.0 * self.random.unit()],
                ));
            }
            let views: Vec<History> = games.iter().map(|(_, game, _)| self.view(game)).collect();
            let answers = self.answers(&views)?;
            for (((number, game, levels), view), answers) in
                games.iter_mut().zip(&views).zip(answers)
            {
                if game.moves().len() >= OPENING || below(&mut self.random, 8) == 0 {
                    self.write(*number, view, &answers);
                }
                game.push(self.draw(game.turn().fold_wb(levels[0], levels[1]), &answers));
            }
        }
        Ok(())
    }
}

/// The number of a move in a record, from the point of view of the side that makes it. Castling is
/// the king's move to its rook.
fn number(history: &History, mv: Move) -> u16 {
    let seen = |square: shakmaty::Square| {
        u16::from(history.turn().fold_wb(square, square.flip_vertical()))
    };
    let promotion = match mv.promotion() {
        Some(Role::Bishop) => 1,
        Some(Role::Rook) => 2,
        Some(Role::Queen) => 3,
        _ => 0,
    };
    mv.from().map_or(0, seen) + 64 * seen(mv.to()) + 4096 * promotion
}

fn read(path: &str) -> Result<Vec<Game>> {
    Ok(Reader::new(Source::open(path)?)
        .filter_map(|game| game.ok()?.ok())
        .collect())
}

fn site(game: &Game) -> Option<String> {
    game.headers.get("Site").map(str::to_owned)
}

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [out, positions, seed, low, middle, high, games @ ..] = &arguments[..] else {
        return Err(
            "usage: make_positions OUT POSITIONS SEED MAIA_1100 MAIA_1500 MAIA_1900 \
                    [GAMES.pgn [HELD_OUT.pgn]]"
                .into(),
        );
    };
    let networks = [low, middle, high]
        .into_iter()
        .map(Network::open)
        .collect::<std::result::Result<_, _>>()?;
    let (wanted, random) = (positions.parse()?, SplitMix64::new(seed.parse()?));
    let mut teachers = Teachers {
        networks,
        random,
        records: Vec::with_capacity(wanted * RECORD),
        wanted,
    };
    let mut last = 0;
    if let Some(path) = games.first() {
        let held_out = games.get(1).map_or(Ok(Vec::new()), |path| read(path))?;
        let held_out: HashSet<String> = held_out.iter().filter_map(site).collect();
        let mut people = read(path)?;
        people.truncate(people.len() * 3 / 4);
        people.retain(|game| site(game).is_none_or(|site| !held_out.contains(&site)));
        last = teachers.people(&people, wanted / 2)?;
    }
    let people = teachers.written();
    teachers.play(last)?;
    fs::write(Path::new(out), &teachers.records)?;
    println!(
        "{out}: {} positions, {people} of them of people, seed {seed}",
        teachers.written()
    );
    println!("sha256 {}", sha256(&teachers.records));
    Ok(())
}
