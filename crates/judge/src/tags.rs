//! The tags of a game, prepared for readers.

use centipawn_pgn::{Headers, Opening, PartialDate};
use shakmaty::Color;

/// The tags of a game, prepared for readers: without placeholders such as `?` and without
/// addresses.
///
/// ```
/// use centipawn_pgn::Reader;
/// use centipawn_judge::Tags;
///
/// let pgn = "[Event \"Paris Opera\"]\n[Site \"Paris\"]\n[Date \"1858.??.??\"]\n[WhiteElo \"2690\"]\n\n1. e4 *\n";
/// let game = Reader::new(pgn.as_bytes()).next().unwrap()?.unwrap();
/// let tags = Tags::of(&game.headers);
/// assert_eq!(tags.occasion(), "Paris Opera, 1858");
/// assert_eq!(tags.rating(shakmaty::Color::White), Some(2690));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Tags<'a>(&'a Headers);

impl<'a> Tags<'a> {
    /// Returns the tags of these headers.
    pub fn of(headers: &'a Headers) -> Self {
        Self(headers)
    }

    /// Returns the value of a tag up to an address in it; `None` if it is missing, or a
    /// placeholder. [`address`](Self::address) has the address.
    pub fn get(self, name: &str) -> Option<&'a str> {
        let text = self.0.get(name)?;
        let end = ["https://", "http://"]
            .iter()
            .find_map(|scheme| text.find(scheme))
            .unwrap_or(text.len());
        Some(text[..end].trim())
            .filter(|text| !text.is_empty() && !text.contains('?') && *text != "-")
    }

    /// Returns the date as far as the game has it, by the tag `Date` or `UTCDate`: `1858`,
    /// `2021.10.01`.
    pub fn date(self) -> Option<PartialDate> {
        ["Date", "UTCDate"]
            .into_iter()
            .filter_map(|name| self.0.get(name))
            .find_map(PartialDate::read)
    }

    /// Returns event, site and date, as far as the game has them: `Paris, Paris Opera, 1858`.
    pub fn occasion(self) -> String {
        let event = self.get("Event");
        let site = self
            .get("Site")
            .filter(|site| event.is_none_or(|event| !event.contains(site)));
        let date = self.date().map(|date| date.to_string());
        [event, site, date.as_deref()]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Returns the address of the game on a site: `https://lichess.org/eT3jfS48`.
    pub fn address(self) -> Option<&'a str> {
        let tags = ["Site", "Link", "GameURL"]
            .into_iter()
            .filter_map(|name| self.0.get(name));
        let is_address = |text: &&str| {
            (text.starts_with("https://") || text.starts_with("http://"))
                && !text.contains(char::is_whitespace)
        };
        tags.map(str::trim).find(is_address)
    }

    /// Returns a player's rating, if the game has one.
    pub fn rating(self, color: Color) -> Option<u32> {
        let rating = centipawn_pgn::rating(self.0.get(color.fold_wb("WhiteElo", "BlackElo"))?)?;
        Some(rating.round() as u32)
    }

    /// Returns a player's name, if the game has one.
    pub fn name(self, color: Color) -> Option<&'a str> {
        let name = self.0.get(color.fold_wb("White", "Black"))?.trim();
        Some(name).filter(|name| !name.trim_matches('?').is_empty())
    }

    /// Returns the opening's code and name, from the tags or `own`, Centipawn's table: `C41
    /// Philidor Defense`. `None` if unknown.
    pub fn opening(self, own: Option<Opening>) -> Option<String> {
        let parts: Vec<&str> = self.opening_tags(own).into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }

    /// Returns the tags `ECO` and `Opening`: the game's own, or ours if it has neither, or only the
    /// same code. Tables differ, so a code of one table is not combined with a name of another.
    pub fn opening_tags(self, own: Option<Opening>) -> [Option<&'a str>; 2] {
        let tag = |name| {
            self.0
                .get(name)
                .filter(|text| !text.is_empty() && !text.contains('?'))
        };
        match (tag("ECO"), tag("Opening"), own) {
            (None, None, Some(own)) => [Some(own.eco), Some(own.name)],
            // Some programs append to the code: `B90/03`, `B90a`.
            (Some(eco), None, Some(own)) if eco.get(..3) == Some(own.eco) => {
                [Some(eco), Some(own.name)]
            }
            (eco, name, _) => [eco, name],
        }
    }
}
