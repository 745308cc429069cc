//! Submitted games on the local disk, until their answers come.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, BufWriter, Seek as _, Write as _},
    sync::Arc,
};

use centipawn_pgn::{Game, Headers, Place, Reader};
use serde::{Deserialize, Serialize};

/// A game of a submission.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SpilledGame {
    source: Option<String>,
    game: u64,
    line: u64,
    byte: u64,
    /// Its tags in their own order, which the text does not keep.
    headers: Vec<(String, String)>,
    /// Nodes that it may take.
    pub(crate) nodes: u64,
    /// Whether the submitter's own store has what the work would find: it is not sent.
    pub(crate) is_stored: bool,
    pub(crate) pgn: String,
}

impl SpilledGame {
    pub(crate) fn new(game: &Game, nodes: u64, is_stored: bool) -> Self {
        let Place { source, game: number, line, byte } = &game.place;
        let source = source.as_deref().map(str::to_owned);
        let headers = game.headers.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Self { source, game: *number, line: *line, byte: *byte, headers, nodes, is_stored, pgn: game.to_string() }
    }

    /// The game, with the place where it was read first.
    pub(crate) fn read(&self) -> io::Result<Game> {
        let mut game = read_game(&self.pgn)?;
        game.headers = Headers::default();
        self.headers.iter().for_each(|(name, value)| game.headers.push(name, value));
        game.place =
            Place { source: self.source.as_deref().map(Arc::from), game: self.game, line: self.line, byte: self.byte };
        Ok(game)
    }
}

/// Reads the only game of a text.
pub(crate) fn read_game(pgn: &str) -> io::Result<Game> {
    let bad = |text: &str| io::Error::new(io::ErrorKind::InvalidData, text.to_owned());
    let mut games = Reader::new(pgn.as_bytes());
    let game = games.next().ok_or_else(|| bad("there is no game"))??.map_err(|error| bad(&error.to_string()))?;
    if games.next().is_some() { Err(bad("there is more than one game")) } else { Ok(game) }
}

/// Games in a file without a name, which goes with the value.
#[derive(Debug)]
pub(crate) struct Spill {
    file: BufWriter<File>,
    pub(crate) games: u64,
    /// Games that must be sent.
    pub(crate) wanted: u64,
}

impl Spill {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { file: BufWriter::new(tempfile::tempfile()?), games: 0, wanted: 0 })
    }

    pub(crate) fn push(&mut self, game: &SpilledGame) -> io::Result<()> {
        serde_json::to_writer(&mut self.file, game)?;
        self.games += 1;
        self.wanted += u64::from(!game.is_stored);
        self.file.write_all(b"\n")
    }

    /// All games, in order.
    pub(crate) fn read(&mut self) -> io::Result<impl Iterator<Item = io::Result<SpilledGame>> + use<>> {
        self.file.flush()?;
        let mut file = self.file.get_ref().try_clone()?;
        file.rewind()?;
        let lines = BufReader::new(file).lines();
        Ok(lines.map(|line| Ok(serde_json::from_str(&line?)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_come_back_with_their_place() {
        let pgn = "[Round \"1\"]\n[White \"Ä\"]\n\n1. e4 {[%eval 0.3] two\nlines} e5 (1... c5 {x} 2. Nf3) 2. Nf3 $1 *\n\n\n1. d4 *";
        let games: Vec<Game> = Reader::new(pgn.as_bytes()).named("x.pgn").map(|game| game.unwrap().unwrap()).collect();
        let mut spill = Spill::new().unwrap();
        for game in &games {
            spill.push(&SpilledGame::new(game, 5, false)).unwrap();
        }
        for _ in 0..2 {
            let back: Vec<Game> = spill.read().unwrap().map(|game| game.unwrap().read().unwrap()).collect();
            for (back, game) in back.iter().zip(&games) {
                assert_eq!((back.to_string(), &back.place), (game.to_string(), &game.place));
                assert_eq!((&back.plies, &back.headers), (&game.plies, &game.headers));
            }
            assert_eq!(back.len(), 2);
        }
        assert_eq!(spill.games, 2);
    }

    #[test]
    fn one_text_is_one_game() {
        assert!(read_game("1. e4 *").is_ok());
        for bad in ["", "1. e5 *", "1. e4 *\n\n1. d4 *"] {
            assert!(read_game(bad).is_err(), "{bad}");
        }
    }
}
