//! Submitted games on the local disk, until their answers arrive.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, BufWriter, Read, Seek as _, SeekFrom, Write as _},
    sync::Arc,
};

use centipawn_pgn::{Game, Headers, Place};
use centipawn_work::remote::read_game;
use serde::{Deserialize, Serialize};

/// A game of a submission.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SpilledGame {
    source: Option<String>,
    game: u64,
    line: u64,
    byte: u64,
    /// The tags in their original order, which the PGN text does not keep.
    headers: Vec<(String, String)>,
    /// Estimated number of nodes that the work on the game takes.
    pub(crate) nodes: u64,
    /// Whether the submitter's own store contains all answers that the work needs. Then the game is
    /// not sent.
    pub(crate) is_stored: bool,
    pub(crate) pgn: String,
}

impl SpilledGame {
    pub(crate) fn new(game: &Game, nodes: u64, is_stored: bool) -> Self {
        let Place {
            source,
            game: number,
            line,
            byte,
        } = &game.place;
        let source = source.as_deref().map(str::to_owned);
        let headers = game
            .headers
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Self {
            source,
            game: *number,
            line: *line,
            byte: *byte,
            headers,
            nodes,
            is_stored,
            pgn: game.to_string(),
        }
    }

    /// Returns the game, with the location from which it was read originally.
    pub(crate) fn read(&self) -> io::Result<Game> {
        let mut game = read_game(self.pgn.as_bytes())
            .map_err(|reason| io::Error::new(io::ErrorKind::InvalidData, reason))?;
        game.headers = Headers::default();
        self.headers
            .iter()
            .for_each(|(name, value)| game.headers.push(name, value));
        game.place = Place {
            source: self.source.as_deref().map(Arc::from),
            game: self.game,
            line: self.line,
            byte: self.byte,
        };
        Ok(game)
    }
}

/// Games in an unnamed temporary file, which is deleted when this value is dropped.
#[derive(Debug)]
pub(crate) struct Spill {
    file: BufWriter<File>,
    pub(crate) games: u64,
    /// Number of games that must be sent.
    pub(crate) wanted: u64,
}

impl Spill {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            file: BufWriter::new(tempfile::tempfile()?),
            games: 0,
            wanted: 0,
        })
    }

    pub(crate) fn push(&mut self, game: &SpilledGame) -> io::Result<()> {
        serde_json::to_writer(&mut self.file, game)?;
        self.games += 1;
        self.wanted += u64::from(!game.is_stored);
        self.file.write_all(b"\n")
    }

    /// Reads all games, in order. Several iterators can be used alternately in one thread.
    pub(crate) fn read(
        &mut self,
    ) -> io::Result<impl Iterator<Item = io::Result<SpilledGame>> + use<>> {
        self.file.flush()?;
        let lines = BufReader::new(FromStart {
            file: self.file.get_ref().try_clone()?,
            offset: 0,
        })
        .lines();
        Ok(lines.map(|line| Ok(serde_json::from_str(&line?)?)))
    }
}

/// Reads a file from its start. All handles of the file share one position, so it is set before
/// each read.
struct FromStart {
    file: File,
    offset: u64,
}

impl Read for FromStart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.seek(SeekFrom::Start(self.offset))?;
        let count = self.file.read(buffer)?;
        self.offset += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use centipawn_pgn::Reader;

    use super::*;

    #[test]
    fn games_keep_their_location_and_the_order_of_their_tags() {
        let pgn = "[Round \"1\"]\n[White \"Ä\"]\n\n1. e4 {[%eval 0.3] two\nlines} e5 (1... c5 {x} 2. Nf3) 2. Nf3 $1 *\n\n\n1. d4 *";
        let games: Vec<Game> = Reader::new(pgn.as_bytes())
            .named("x.pgn")
            .map(|game| game.unwrap().unwrap())
            .collect();
        let mut spill = Spill::new().unwrap();
        for game in &games {
            spill.push(&SpilledGame::new(game, 5, false)).unwrap();
        }
        for _ in 0..2 {
            let back: Vec<Game> = spill
                .read()
                .unwrap()
                .map(|game| game.unwrap().read().unwrap())
                .collect();
            for (back, game) in back.iter().zip(&games) {
                assert_eq!(
                    (back.to_string(), &back.place),
                    (game.to_string(), &game.place)
                );
                assert_eq!((&back.plies, &back.headers), (&game.plies, &game.headers));
            }
            assert_eq!(back.len(), 2);
        }
        assert_eq!(spill.games, 2);
    }

    /// While games are delivered, a second iterator reads the games that must be sent again.
    #[test]
    fn iterators_do_not_disturb_each_other() {
        let mut spill = Spill::new().unwrap();
        for number in 1..=20 {
            let text = format!("[Round \"{number}\"]\n\n1. e4 {{{}}} *", "a ".repeat(2000));
            spill
                .push(&SpilledGame::new(
                    &read_game(text.as_bytes()).unwrap(),
                    number,
                    false,
                ))
                .unwrap();
        }
        let mut first = spill.read().unwrap();
        let mut nodes = vec![first.next().unwrap().unwrap().nodes];
        assert_eq!(spill.read().unwrap().filter(Result::is_ok).count(), 20);
        nodes.extend(first.map(|game| game.unwrap().nodes));
        assert!(nodes.into_iter().eq(1..=20));
    }
}
