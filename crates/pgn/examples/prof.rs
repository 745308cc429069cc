//! x
use centipawn_pgn::{Dialect, GameScanner};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let b = std::fs::read(&a[1]).unwrap();
    let mut c = 0u64;
    for _ in 0..8 {
        let t = std::time::Instant::now();
        let mut games = GameScanner::new(&b);
        let mut m = 0;
        while let Some(game) = games.next_game() {
            let Ok(game) = game else { continue };
            m += game.len();
            if a.len() > 2 {
                for ply in game.plies() {
                    let s = ply.annotation(Dialect::Engine);
                    c += u64::from(s.depth.unwrap_or(0))
                        + s.eval.and_then(|e| e.mate_moves()).map_or(1, |x| x as u64 & 7);
                }
            }
        }
        println!("{:.1} ns/ply", t.elapsed().as_secs_f64() * 1e9 / m as f64);
    }
    println!("{c}");
}
