//! The tokenizer consumes all bytes, game by game; tokens are slices of the input; the certain
//! tokens of a prefix are also those of the whole.
#![no_main]

use centipawn_pgn::token::{Token, Tokenizer};
use libfuzzer_sys::fuzz_target;

/// Where the games end of which more bytes could change nothing.
fn ends(bytes: &[u8]) -> Vec<usize> {
    let mut tokens = Tokenizer::new(bytes);
    let mut ends = Vec::new();
    while tokens.next_game() {
        let begin = tokens.offset();
        while let Some(token) = tokens.next() {
            assert!(begin <= tokens.token_start() && tokens.token_start() < tokens.offset());
            if let Token::Move(text) | Token::Comment(text) | Token::Unknown(text) = token {
                assert!(text.len() <= tokens.offset() - tokens.token_start());
            }
        }
        assert!(tokens.offset() > begin);
        if tokens.touched_end() {
            return ends;
        }
        ends.push(tokens.offset());
    }
    assert_eq!(tokens.offset(), bytes.len());
    ends
}

fuzz_target!(|bytes: &[u8]| {
    let whole = ends(bytes);
    let part = ends(&bytes[..bytes.len() / 2]);
    for (part, whole) in part.iter().zip(&whole) {
        assert_eq!(part, whole);
    }
});
