//! The token that a page asks for when others can reach it, and the cookie that it is exchanged for.

use std::{fmt::Write as _, time::Duration};

use axum::http::{HeaderMap, StatusCode, header};
use centipawn_progress::sha256;
use tokio::sync::Mutex;

use crate::error::ApiError;

/// Wrong tokens that are answered at once.
const QUICK: u32 = 5;
/// The longest wait before another one is looked at.
const LONGEST: Duration = Duration::from_secs(30);

/// A token with its cookie.
pub(crate) struct Token {
    token: String,
    cookie: String,
    /// The cookie's name: browsers keep cookies for all ports of a host together.
    name: String,
    /// Wrong tokens in a row. Whoever tries one holds it, so that many at a time gain nothing.
    failures: Mutex<u32>,
}

impl Token {
    /// A new one, by the system's random numbers.
    pub(crate) fn new(port: u16) -> Result<Self, getrandom::Error> {
        let name = format!("centipawn-{port}");
        Ok(Self { token: random()?, cookie: random()?, name, failures: Mutex::new(0) })
    }

    /// What is printed.
    pub(crate) fn text(&self) -> &str {
        &self.token
    }

    /// Whether a request has the cookie.
    pub(crate) fn is_known(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|cookies| cookies.to_str().ok());
        let mut pairs = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == self.name && is_equal(value, &self.cookie))
    }

    /// Exchanges the token for a cookie, to be set. Wrong ones have to wait longer and longer.
    pub(crate) async fn exchange(&self, token: &str) -> Result<String, ApiError> {
        let mut failures = self.failures.lock().await;
        if let Some(over) = failures.checked_sub(QUICK) {
            tokio::time::sleep(LONGEST.min(Duration::from_secs(1 << over.min(5)))).await;
        }
        if !is_equal(token, &self.token) {
            *failures += 1;
            return Err(refusal("this is not the token of this server"));
        }
        *failures = 0;
        Ok(format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.name, self.cookie))
    }
}

/// The answer to who has no cookie.
pub(crate) fn refusal(error: &str) -> ApiError {
    ApiError::new(StatusCode::UNAUTHORIZED, error, "Open the address that `centipawn serve` printed, with its token.")
}

/// Compares hashes, so that the time tells nothing of how much agrees.
fn is_equal(given: &str, own: &str) -> bool {
    sha256(given.as_bytes()) == sha256(own.as_bytes())
}

/// 128 random bits, hexadecimal.
fn random() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn wrong_tokens_wait() {
        let token = Token::new(80).unwrap();
        assert_ne!(token.text(), Token::new(80).unwrap().text());
        let began = tokio::time::Instant::now();
        for _ in 0..QUICK {
            assert!(token.exchange("").await.is_err());
        }
        assert_eq!(began.elapsed(), Duration::ZERO);
        assert!(token.exchange("0").await.is_err());
        assert_eq!(began.elapsed(), Duration::from_secs(1));
        assert!(token.exchange("0").await.is_err());
        assert_eq!(began.elapsed(), Duration::from_secs(3));
        let set = token.exchange(token.text()).await.unwrap();
        let (cookie, rest) = set.split_once("; ").unwrap();
        assert_eq!(rest, "HttpOnly; SameSite=Strict; Path=/");
        let has = |cookie: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, cookie.parse().unwrap());
            token.is_known(&headers)
        };
        assert!(has(&format!("other=1; {cookie}")) && !has("centipawn-80=1") && !has(&cookie.replace("80", "81")));
    }
}
