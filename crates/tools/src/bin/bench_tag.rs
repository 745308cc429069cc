//! Measures how fast one core finds the themes of puzzles: `bench_tag FILE.csv [ROUNDS]`.

use std::{env, fs, time::Instant};

use centipawn_puzzle::{Reader, themes};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = env::args().nth(1).ok_or("which file of puzzles?")?;
    let rounds: usize = env::args().nth(2).map_or(Ok(10), |rounds| rounds.parse())?;
    let bytes = fs::read(path)?;
    let (mut count, mut found) = (0_usize, 0_usize);
    let start = Instant::now();
    for _ in 0..rounds {
        for puzzle in Reader::new(&bytes[..], None)?.flatten() {
            count += 1;
            found += themes(&puzzle.solution).iter().count();
        }
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{count} puzzles read and tagged ({found} themes) in {seconds:.2} s: {:.0} a second",
        count as f64 / seconds
    );
    let puzzles: Vec<_> = Reader::new(&bytes[..], None)?.flatten().collect();
    let start = Instant::now();
    for _ in 0..rounds {
        found += puzzles
            .iter()
            .map(|puzzle| themes(&puzzle.solution).iter().count())
            .sum::<usize>();
    }
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "tagged alone: {:.0} a second ({found})",
        (rounds * puzzles.len()) as f64 / seconds
    );
    Ok(())
}
