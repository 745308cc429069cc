//! The addresses of the page's requests.

use percent_encoding::percent_decode_str;
use serde::de::DeserializeOwned;

use crate::{
    Call, Reply, Tab, export,
    reply::Refused,
    rooms::{batches, deletion, games, jobs, players, positions, puzzles, reviews, status},
};

/// The result of a call.
pub(crate) type Answer = Result<Reply, Refused>;

impl Tab {
    /// Answers a request of the page.
    pub fn handle(&mut self, call: &Call<'_>) -> Reply {
        self.now = call.now;
        self.route(call).unwrap_or_else(Into::into)
    }

    fn route(&mut self, call: &Call<'_>) -> Answer {
        let (path, query) = call.path.split_once('?').unwrap_or((call.path, ""));
        let query = Query::of(query);
        let parts: Vec<&str> = path.split('/').collect();
        match (call.method, &parts[..]) {
            ("GET", ["status"]) => status::status(self),
            ("POST", ["games"]) => games::add(self, query.get("name"), call.body),
            ("POST", ["games", "select"]) => games::select(self, &parsed(call)?),
            ("GET", ["games", id]) => games::moves(self, number("game", id)?),
            ("POST", ["games", id, "notes"]) => {
                games::set_own_note(self, number("game", id)?, parsed(call)?)
            }
            ("POST", ["reviews"]) => jobs::request_review(self, &parsed(call)?),
            ("GET", ["reviews", name]) => reviews::review(self, name, &query),
            ("POST", ["reviews", id, "judged"]) => {
                reviews::judged(self, number("review", id)?, &parsed(call)?)
            }
            ("POST", ["reviews", id, "why"]) => {
                reviews::why(self, number("review", id)?, &parsed(call)?)
            }
            ("GET", ["batches"]) => batches::list(self),
            ("POST", ["batches"]) => batches::request(self, &parsed(call)?),
            ("POST", ["batches", id]) => batches::go_on(self, number("batch", id)?),
            ("POST", ["batches", id, "pause"]) => batches::pause(self, number("batch", id)?),
            ("DELETE", ["batches", id]) => batches::cancel(self, number("batch", id)?),
            ("GET", ["players"]) => players::players(self),
            ("GET", ["profile"]) => players::profile(self, &query),
            ("POST", ["lessons"]) => players::lesson(self, &parsed(call)?),
            ("POST", ["moves"]) => reviews::judge_move(self, &parsed(call)?),
            ("POST", ["lines"]) => reviews::lines(self, &parsed(call)?),
            ("POST", ["curve"]) => {
                let curve = self.choices().draw_curve(&parsed(call)?)?;
                Ok(Reply::document(&curve))
            }
            ("POST", ["people"]) => {
                let request: centipawn_review::rooms::PeopleRequest = parsed(call)?;
                Ok(Reply::document(&request.answer()?))
            }
            ("POST", ["symbols"]) => {
                let symbols = self.choices().symbols(&parsed(call)?)?;
                Ok(Reply::document(&symbols))
            }
            ("POST", ["ease"]) => positions::ease(self, &parsed(call)?),
            ("POST", ["puzzles"]) => puzzles::list(self, &parsed(call)?),
            ("POST", ["puzzles", "import"]) => puzzles::add(self, query.get("name"), call.body),
            ("POST", ["puzzles", "mistakes"]) => puzzles::add_mistakes(self, &parsed(call)?),
            ("GET", ["puzzles", "attempts.csv"]) => Ok(puzzles::attempts(self)),
            ("GET", ["puzzles", "export", format]) => puzzles::export(self, format, &query),
            ("GET", ["puzzles", id]) => puzzles::pose(self, number("puzzle", id)?),
            ("POST", ["puzzles", id, "answer"]) => {
                puzzles::answer(self, number("puzzle", id)?, &parsed(call)?)
            }
            ("POST", ["puzzles", id, "attempt"]) => {
                puzzles::note(self, number("puzzle", id)?, &parsed(call)?)
            }
            ("POST", ["puzzles", id, "repetition"]) => {
                puzzles::set_repetition(self, number("puzzle", id)?, &parsed(call)?)
            }
            ("POST", ["puzzles", id, "edit"]) => {
                puzzles::edit(self, number("puzzle", id)?, &parsed(call)?)
            }
            ("GET", ["puzzles", id, "solution"]) => {
                puzzles::solution(self, number("puzzle", id)?, &query)
            }
            ("GET", ["jobs"]) => Ok(jobs::list(self)),
            ("GET", ["jobs", id]) => jobs::job(self, number("job", id)?),
            ("POST", ["jobs", id]) => jobs::go_on(self, number("job", id)?),
            ("DELETE", ["jobs", id]) => jobs::cancel(self, number("job", id)?),
            ("POST", ["library", "delete"]) => deletion::delete(self, &parsed(call)?),
            ("GET", ["export"]) => export::write(self),
            ("POST", ["import"]) => export::read(self, call.body),
            _ => Err(Refused::missing("address", path)),
        }
    }
}

/// Reads the body of a request.
fn parsed<T: DeserializeOwned>(call: &Call<'_>) -> Result<T, Refused> {
    serde_json::from_slice(call.body).map_err(|error| {
        Refused::bad(
            format!("the request is not understood: {error}"),
            "Load the page again.",
        )
    })
}

fn number(what: &str, text: &str) -> Result<i64, Refused> {
    text.parse().map_err(|_| Refused::missing(what, text))
}

/// The query of an address, decoded.
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    fn of(text: &str) -> Self {
        let decoded = |text: &str| {
            let text = text.replace('+', " ");
            percent_decode_str(&text).decode_utf8_lossy().into_owned()
        };
        let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
        Self(
            pairs
                .map(|(name, value)| (name.to_owned(), decoded(value)))
                .collect(),
        )
    }

    /// Returns the value of a parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let pair = self.0.iter().find(|(other, _)| other == name);
        pair.map(|(_, value)| value.as_str())
    }

    /// Returns an own copy of the value of a parameter.
    pub(crate) fn own(&self, name: &str) -> Option<String> {
        self.get(name).map(str::to_owned)
    }
}
