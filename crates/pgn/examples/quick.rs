use centipawn_pgn::token::{Token, Tokenizer};
use pgn_reader::{RawTag, SanPlus, Skip, Visitor};
use shakmaty::{Chess, Position};
use std::{ops::ControlFlow, time::Instant};
struct V(Chess, u64);
impl Visitor for V {
    type Tags = ();
    type Movetext = Chess;
    type Output = ();
    fn begin_tags(&mut self) -> ControlFlow<(), ()> {
        ControlFlow::Continue(())
    }
    fn tag(&mut self, _: &mut (), _: &[u8], _: RawTag<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
    fn begin_movetext(&mut self, _: ()) -> ControlFlow<(), Chess> {
        ControlFlow::Continue(Chess::default())
    }
    fn san(&mut self, p: &mut Chess, san: SanPlus) -> ControlFlow<()> {
        if let Ok(m) = san.san.to_move(p) {
            p.play_unchecked(m);
            self.1 += 1;
        }
        ControlFlow::Continue(())
    }
    fn begin_variation(&mut self, _: &mut Chess) -> ControlFlow<(), Skip> {
        ControlFlow::Continue(Skip(true))
    }
    fn end_game(&mut self, _: Chess) {}
}
fn main() {
    for f in std::env::args().skip(1) {
        let b = std::fs::read(&f).unwrap();
        for _ in 0..3 {
            let t = Instant::now();
            let (mut g, mut m, mut c) = (0u64, 0u64, 0u64);
            let mut tok = Tokenizer::new(&b);
            while tok.next_game() {
                g += 1;
                for t in tok.by_ref() {
                    match t {
                        Token::Move(x) => m += 1 + (x.len() as u64 >> 10),
                        Token::Comment(x) => c += 1 + (x.len() as u64 >> 40),
                        _ => {}
                    }
                }
            }
            let e = t.elapsed().as_secs_f64();
            println!("{f} tokens {g} {m} {c} {:.0} MB/s {:.1} ns/ply", b.len() as f64 / e / 1e6, e * 1e9 / m as f64);
        }
        for mode in 0..20 {
            let t = Instant::now();
            let (mut g, mut m, mut c) = (0u64, 0u64, 0u64);
            let mut games = centipawn_pgn::GameScanner::new(&b);
            while let Some(game) = games.next_game() {
                g += 1;
                let Ok(game) = game else { continue };
                m += game.len() as u64;
                if mode % 2 == 1 {
                    for ply in game.plies() {
                        let a = ply.annotation(centipawn_pgn::Dialect::Engine);
                        c += u64::from(a.eval.is_some());
                    }
                }
            }
            let e = t.elapsed().as_secs_f64();
            println!(
                "{f} replay {} {g} {m} {c} {:.0} MB/s {:.1} ns/ply",
                mode % 2,
                b.len() as f64 / e / 1e6,
                e * 1e9 / m as f64
            );
        }
        let t = Instant::now();
        let mut v = V(Chess::default(), 0);
        let mut r = pgn_reader::Reader::build(&b[..]).set_supported_comment_length(1 << 16).finish();
        while let Ok(Some(())) = r.read_game(&mut v) {}
        let e = t.elapsed().as_secs_f64();
        println!(
            "{f} pgn-reader+shakmaty {} {:.0} MB/s {:.1} ns/ply",
            v.1,
            b.len() as f64 / e / 1e6,
            e * 1e9 / v.1 as f64
        );
    }
}
