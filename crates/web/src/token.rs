//! The token that a page asks for when others can reach it, and the cookie that it is exchanged for.

use std::{
    collections::HashMap,
    fmt::Write as _,
    net::{IpAddr, Ipv6Addr},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::http::{HeaderMap, StatusCode, header};
use centipawn_progress::sha256;
use tokio::{sync::Semaphore, time::Instant};

use crate::error::ApiError;

/// Wrong tokens of an address that are answered at once.
const QUICK: u32 = 5;
/// The longest wait for the answer to a wrong one.
const LONGEST: Duration = Duration::from_secs(30);
/// Answers that wait at a time; further wrong tokens are refused without a wait, so that they take no connections.
const WAITING: usize = 8;
/// Addresses whose wrong tokens are remembered, and how long.
const ADDRESSES: usize = 1000;
const REMEMBERED: Duration = Duration::from_secs(600);

/// A token with its cookie.
pub(crate) struct Token {
    token: String,
    cookie: String,
    /// The cookie's name: browsers keep cookies for all ports of a host together.
    name: String,
    /// Wrong tokens in a row by address, and when the last one came.
    failures: Mutex<HashMap<IpAddr, (u32, Instant)>>,
    waiting: Semaphore,
}

impl Token {
    /// A new one, by the system's random numbers.
    pub(crate) fn new(port: u16) -> Result<Self, getrandom::Error> {
        let name = format!("centipawn-{port}");
        let (failures, waiting) = (Mutex::default(), Semaphore::new(WAITING));
        Ok(Self { token: random()?, cookie: random()?, name, failures, waiting })
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

    /// Exchanges the token for a cookie, to be set. The right one is never kept waiting, whatever others try; answers to wrong ones
    /// of an address take longer and longer.
    pub(crate) async fn exchange(&self, token: &str, from: IpAddr) -> Result<String, ApiError> {
        let from = network(from);
        if is_equal(token, &self.token) {
            self.failures().remove(&from);
            return Ok(format!("{}={}; HttpOnly; SameSite=Strict; Path=/", self.name, self.cookie));
        }
        let over = self.failed(from).checked_sub(QUICK + 1);
        if let Some(over) = over {
            let Ok(_place) = self.waiting.try_acquire() else {
                let error = "too many wrong tokens";
                return Err(ApiError::new(
                    StatusCode::TOO_MANY_REQUESTS,
                    error,
                    "Wait a minute, and give the right one.",
                ));
            };
            tokio::time::sleep(LONGEST.min(Duration::from_secs(1 << over.min(5)))).await;
        }
        Err(refusal("this is not the token of this server"))
    }

    /// Counts a wrong token; returns how many came from this address in a row.
    fn failed(&self, from: IpAddr) -> u32 {
        let (mut failures, now) = (self.failures(), Instant::now());
        failures.retain(|_, (_, last)| now.duration_since(*last) < REMEMBERED);
        if failures.len() >= ADDRESSES
            && !failures.contains_key(&from)
            && let Some(oldest) = failures.iter().min_by_key(|(_, (_, last))| *last).map(|(address, _)| *address)
        {
            failures.remove(&oldest);
        }
        let (count, last) = failures.entry(from).or_insert((0, now));
        (*count, *last) = (count.saturating_add(1), now);
        *count
    }

    fn failures(&self) -> MutexGuard<'_, HashMap<IpAddr, (u32, Instant)>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The address, or of an IPv6 address its network: a machine has as many addresses there as it likes.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) if address.to_ipv4_mapped().is_none() => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address => address,
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
        let [home, other] = ["192.168.1.7", "10.0.0.1"].map(|address| address.parse::<IpAddr>().unwrap());
        let began = Instant::now();
        for _ in 0..QUICK {
            assert!(token.exchange("", home).await.is_err());
        }
        assert_eq!(began.elapsed(), Duration::ZERO);
        assert!(token.exchange("0", home).await.is_err());
        assert_eq!(began.elapsed(), Duration::from_secs(1));
        assert!(token.exchange("0", home).await.is_err());
        assert_eq!(began.elapsed(), Duration::from_secs(3));
        // Another address begins anew.
        assert!(token.exchange("0", other).await.is_err());
        assert_eq!(began.elapsed(), Duration::from_secs(3));
        let set = token.exchange(token.text(), home).await.unwrap();
        assert_eq!(began.elapsed(), Duration::from_secs(3), "the right token does not wait");
        assert!(token.exchange("0", home).await.is_err());
        assert_eq!(began.elapsed(), Duration::from_secs(3), "it begins anew");
        let (cookie, rest) = set.split_once("; ").unwrap();
        assert_eq!(rest, "HttpOnly; SameSite=Strict; Path=/");
        let has = |cookie: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::COOKIE, cookie.parse().unwrap());
            token.is_known(&headers)
        };
        assert!(has(&format!("other=1; {cookie}")) && !has("centipawn-80=1") && !has(&cookie.replace("80", "81")));
    }
    #[tokio::test(start_paused = true)]
    async fn many_wrong_tokens_keep_nobody_waiting() {
        let token = Token::new(80).unwrap();
        let home: IpAddr = "127.0.0.1".parse().unwrap();
        let began = Instant::now();
        let wrong = futures_util::future::join_all((0..40).map(|_| token.exchange("0", home)));
        let right = async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            assert!(token.exchange(token.text(), home).await.is_ok());
            began.elapsed()
        };
        let (wrong, right) = tokio::join!(wrong, right);
        assert!(right < Duration::from_millis(10), "{right:?}");
        assert!(wrong.iter().all(Result::is_err));
        assert!(began.elapsed() <= LONGEST, "{:?}", began.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn addresses_are_remembered_up_to_a_number() {
        let token = Token::new(80).unwrap();
        for index in 0..3 * ADDRESSES as u32 {
            let address = IpAddr::V4(index.into());
            assert!(token.exchange("0", address).await.is_err());
        }
        assert_eq!(token.failures().len(), ADDRESSES);
        tokio::time::advance(REMEMBERED).await;
        assert!(token.exchange("0", "2001:db8::1".parse().unwrap()).await.is_err());
        assert!(token.exchange("0", "2001:db8::2".parse().unwrap()).await.is_err());
        assert_eq!(token.failures().len(), 1, "one network");
    }
}
