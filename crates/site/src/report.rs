//! Reviewed games as one page that loads nothing: the viewer, and everything to be read where
//! scripts do not run.

use std::io::{self, Seek as _, Write};

use centipawn_pgn::player_key;
use centipawn_progress::Provenance;
use centipawn_review::{Language, Review};
use shakmaty::Color;
use tempfile::{SpooledTempFile, spooled_tempfile};

use crate::{
    board,
    html::{Assets, Escaped, SCRIPT, head},
    reading::Reading,
    shown::ShownGame,
};

/// Number of bytes of a page kept in memory; a larger page goes to a temporary file.
pub(crate) const IN_MEMORY: usize = 1 << 20;

/// Writes a report: [`new`](Self::new) begins it, [`game`](Self::game) adds a game,
/// [`finish`](Self::finish) ends it.
///
/// The page's head contains the provenance, which is complete only at the end, so a temporary file
/// holds the games; in memory are only their titles. A link to `#g1p25` opens the page after the
/// 25th half-move of the first game.
pub struct Report<W> {
    out: W,
    language: Language,
    games: SpooledTempFile,
    /// Titles of the games, for the table of contents.
    titles: Vec<String>,
    /// The player for whom the report is.
    player: Option<String>,
}

impl<W: Write> Report<W> {
    /// Begins a report in a language.
    pub fn new(out: W, language: Language) -> Self {
        Self {
            out,
            language,
            games: spooled_tempfile(IN_MEMORY),
            titles: Vec::new(),
            player: None,
        }
    }

    /// Makes the report a handout for a player: only their games, and in the text to be read, only
    /// their moments and the remarks on their moves.
    #[must_use]
    pub fn for_player(self, player: Option<String>) -> Self {
        Self { player, ..self }
    }

    /// Adds a game.
    ///
    /// # Errors
    ///
    /// Errors of writing a temporary file.
    pub fn game(&mut self, review: &Review) -> io::Result<()> {
        let is_named = |color: &Color| {
            let player = self.player.as_deref().unwrap_or_default();
            player_key(review.name(*color)) == player_key(player)
        };
        let side = Color::ALL.into_iter().find(is_named);
        if self.player.is_some() && side.is_none() {
            return Ok(());
        }
        let number = self.titles.len() as u64 + 1;
        let game = ShownGame::of(number, review, Provenance::default());
        self.titles.push(format!(
            "{} {}",
            game.title(),
            crate::reading::result(&game)
        ));
        let reading = Reading {
            game: &game,
            language: self.language,
            side: side.filter(|_| self.player.is_some()),
        };
        writeln!(
            self.games,
            "{}{}</article>",
            reading.text(),
            game.data(None)
        )
    }

    /// Writes the page, with a table of contents if there are several games, and returns the
    /// writer.
    ///
    /// # Errors
    ///
    /// Errors of the writer or of the temporary file.
    pub fn finish(mut self, provenance: Option<&Provenance>) -> io::Result<W> {
        let labels = self.language.labels();
        let title = match &self.titles[..] {
            [title] => title,
            _ => labels.review,
        };
        let head = head(self.language, title, provenance, Assets::Within);
        write!(
            self.out,
            "{head}<body class=\"report-page\">\n{}",
            board::pieces()
        )?;
        if self.titles.len() > 1 {
            writeln!(
                self.out,
                "<nav class=\"contents reading\" aria-label=\"{}\"><ol>",
                labels.games
            )?;
            for (index, title) in self.titles.iter().enumerate() {
                writeln!(
                    self.out,
                    "<li><a href=\"#g{}\"><bdi>{}</bdi></a></li>",
                    index + 1,
                    Escaped(title)
                )?;
            }
            writeln!(self.out, "</ol></nav>")?;
        }
        copy(self.games, &mut self.out)?;
        writeln!(self.out, "<script>\n{SCRIPT}</script>\n</body>\n</html>")?;
        self.out.flush()?;
        Ok(self.out)
    }
}

/// Copies a temporary file to the writer.
pub(crate) fn copy(mut file: SpooledTempFile, out: &mut impl Write) -> io::Result<()> {
    file.rewind()?;
    io::copy(&mut file, out)?;
    Ok(())
}
