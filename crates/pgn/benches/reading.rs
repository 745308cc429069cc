//! Steps of reading, each on its own: `cargo bench -p centipawn-pgn`.

use centipawn_pgn::{
    Annotation, Dialect, GameScanner, Reader,
    token::{Token, Tokenizer},
};
use divan::{Bencher, counter::BytesCount};
use shakmaty::Color;

fn main() {
    divan::main();
}

/// Returns a game as an engine match writes it, a thousand times.
fn text() -> Vec<u8> {
    let game = "[Event \"match\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"1/2-1/2\"]\n\n\
        1. e4 {+0.31/20 1.201s} e5 {-0.25/21 1.1s} 2. Nf3 {+0.28/22 0.95s} Nc6 {-0.24/20 2.002s} 3. Bb5 {+0.30/19 1.5s}\n\
        a6 {-0.2/20 1.4s} 4. Ba4 {+0.33/21 0.8s} Nf6 {-0.30/21 1.31s} 5. O-O {+0.22/19 1.7s} Nxe4 {-0.18/22 3.25s}\n\
        6. d4 {+0.25/21 1.1s} b5 {-0.19/20 0.7s} 7. Bb3 {+0.21/20 0.4s} d5 {-0.21/21 1.02s} 8. dxe5 {+0.20/22 2.1s}\n\
        Be6 {-0.17/19 1.25s} 9. Nbd2 {+0.19/20 1.5s} Nc5 {-0.15/21 0.99s} 10. c3 {+0.16/19 1.0s, Draw by agreement} 1/2-1/2\n\n";
    game.repeat(1000).into_bytes()
}

#[divan::bench]
fn tokenize(bencher: Bencher<'_, '_>) {
    let text = text();
    bencher.counter(BytesCount::of_slice(&text)).bench(|| {
        let mut tokens = Tokenizer::new(&text);
        let mut moves = 0;
        while tokens.next_game() {
            moves += tokens
                .by_ref()
                .filter(|token| matches!(token, Token::Move(_)))
                .count();
        }
        moves
    });
}

fn replayed(text: &[u8], mut look: impl FnMut(Annotation), dialect: Option<Dialect>) -> usize {
    let mut games = GameScanner::new(text);
    let mut plies = 0;
    while let Some(Ok(game)) = games.next_game() {
        plies += game.len();
        if let Some(dialect) = dialect {
            game.plies().for_each(|ply| look(ply.annotation(dialect)));
        }
    }
    plies
}

#[divan::bench]
fn replay(bencher: Bencher<'_, '_>) {
    let text = text();
    bencher
        .counter(BytesCount::of_slice(&text))
        .bench(|| replayed(&text, |_| {}, None));
}

#[divan::bench]
fn replay_and_evals(bencher: Bencher<'_, '_>) {
    let text = text();
    let look = |decoded: Annotation| {
        divan::black_box(decoded.eval);
    };
    bencher
        .counter(BytesCount::of_slice(&text))
        .bench(|| replayed(&text, look, Some(Dialect::Engine)));
}

#[divan::bench]
fn owned_games(bencher: Bencher<'_, '_>) {
    let text = text();
    bencher.counter(BytesCount::of_slice(&text)).bench(|| {
        Reader::new(text.as_slice())
            .filter(|game| matches!(game, Ok(Ok(_))))
            .count()
    });
}

#[divan::bench(args = ["+0.98/25 11.2s", "[%eval 0.17] [%clk 0:03:00]", "d=38, mt=00:01:00, wv=0.24, ", "20:+0.34"])]
fn decode(comment: &str) -> Annotation {
    Annotation::decode(
        divan::black_box(comment.as_bytes()),
        Dialect::Auto,
        Color::White,
    )
}

/// Comments of TCEC's as they stand in their files: today's, and those of the superfinals until
/// 2018.
#[divan::bench(args = [
    "d=33, sd=33, mt=158823, tl=6846177, s=108203120, n=17185010400, pv=e5 Nxe5 Nxe5 Qe2 d6 d4 Nc6 dxe5, \
     tb=0, h=99.7, ph=0.0, wv=0.18, R50=50, Rd=-11, Rr=-11, mb=+0+0+0+0+0,",
    " d=29, pd=b6, mt=00:00:57, tl=01:54:48, s=36483 kN/s, n=2090378037, pv=Nf3 b6 g3, tb=0, R50=50, wv=0.22, ",
])]
fn decode_tcec(comment: &str) -> Annotation {
    Annotation::decode(
        divan::black_box(comment.as_bytes()),
        Dialect::Tcec,
        Color::White,
    )
}

#[divan::bench]
fn decode_engine() -> Annotation {
    Annotation::decode(
        divan::black_box(b"+0.98/25 11.2s"),
        Dialect::Engine,
        Color::White,
    )
}
