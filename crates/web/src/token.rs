//! The token that the page requires if other machines can reach it, one-time login codes, and the
//! sessions that they are exchanged for.

use std::{
    collections::{HashMap, VecDeque},
    fmt::Write as _,
    net::{IpAddr, Ipv6Addr},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::http::{HeaderMap, StatusCode, Uri, header, uri::PathAndQuery};
use centipawn_progress::sha256;
use tokio::{sync::Semaphore, time::Instant};

use crate::{base_path::BasePath, error::ApiError};

/// Number of wrong tokens of an address that are answered without a delay.
const QUICK: u32 = 5;
/// The longest delay of an answer to a wrong token.
const LONGEST: Duration = Duration::from_secs(30);
/// Maximum number of delayed answers at a time. More wrong tokens are refused at once, because a
/// delayed answer occupies a connection.
const WAITING: usize = 8;
/// Maximum number of addresses whose wrong tokens are remembered.
const ADDRESSES: usize = 1000;
const REMEMBERED: Duration = Duration::from_secs(600);
/// Time for which a login code is valid.
const CODE_TIME: Duration = Duration::from_secs(60);
/// Maximum number of sessions. A further session ends the oldest one.
const SESSIONS: usize = 100;

/// A token, its login codes and its sessions. Codes and cookies are stored as hashes.
pub(crate) struct Token {
    token: String,
    /// The name of the cookie. It contains the port, because browsers send cookies to all ports of
    /// a host.
    name: String,
    /// Hashes of login codes that are not used yet, and when they were made.
    codes: Mutex<Vec<(String, Instant)>>,
    sessions: Mutex<VecDeque<Session>>,
    /// For each address, the number of consecutive wrong tokens, and the time of the last one.
    failures: Mutex<HashMap<IpAddr, (u32, Instant)>>,
    waiting: Semaphore,
    /// The path of the page without the slash at its end, with which the path of a session begins.
    base: String,
}

struct Session {
    cookie_hash: String,
    path: String,
}

/// A new session.
pub(crate) struct Opened {
    /// The path of this session, which comes before `/api` in addresses.
    pub(crate) path: String,
    /// The value of the header `Set-Cookie`.
    pub(crate) cookie: String,
}

impl Token {
    /// Creates a random token. `port` becomes part of the cookie's name, `base` of its path.
    pub(crate) fn new(port: u16, base: &BasePath) -> Result<Self, getrandom::Error> {
        Ok(Self {
            token: random()?,
            name: format!("centipawn-{port}"),
            codes: Mutex::default(),
            sessions: Mutex::default(),
            failures: Mutex::default(),
            waiting: Semaphore::new(WAITING),
            base: base.as_str().trim_end_matches('/').to_owned(),
        })
    }

    /// Returns the token itself, for printing.
    pub(crate) fn text(&self) -> &str {
        &self.token
    }

    /// Makes a login code. It can be exchanged once and within a minute. So it is useless to anyone
    /// who later finds it in a history or in a list of processes.
    pub(crate) fn code(&self) -> Result<String, getrandom::Error> {
        let code = random()?;
        lock(&self.codes).push((hash(&code), Instant::now()));
        Ok(code)
    }

    /// Returns whether a request has the cookie of a session.
    pub(crate) fn is_known(&self, headers: &HeaderMap) -> bool {
        let sessions = lock(&self.sessions);
        self.cookies(headers)
            .any(|cookie| sessions.iter().any(|session| session.cookie_hash == cookie))
    }

    /// Returns the hashes of all cookies of a request that have this server's name.
    fn cookies<'a>(&'a self, headers: &'a HeaderMap) -> impl Iterator<Item = String> + 'a {
        let cookies = headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|cookies| cookies.to_str().ok());
        let pairs = cookies
            .flat_map(|cookies| cookies.split(';'))
            .filter_map(|pair| pair.trim().split_once('='));
        pairs
            .filter(|(name, _)| name.trim_start_matches("__Host-") == self.name)
            .map(|(_, value)| hash(value))
    }

    /// Exchanges the token or a login code for a session. A correct secret is never delayed. The
    /// answers to wrong secrets of one address are delayed more and more.
    pub(crate) async fn exchange(
        &self,
        secret: &str,
        from: IpAddr,
        headers: &HeaderMap,
    ) -> Result<Opened, ApiError> {
        let from = network(from);
        let given = hash(secret);
        if given == hash(&self.token) || self.uses_code(&given) {
            self.failures().remove(&from);
            return self.open(is_encrypted(headers)).map_err(|error| {
                ApiError::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    format!("no random numbers: {error}"),
                    "Try again.",
                )
            });
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
        Err(refusal(
            "this is not the token of this server, and no login code that still serves",
        ))
    }

    /// Returns whether `given` is the hash of a valid login code. The code is removed.
    fn uses_code(&self, given: &str) -> bool {
        let mut codes = lock(&self.codes);
        codes.retain(|(_, made)| made.elapsed() < CODE_TIME);
        let found = codes.iter().position(|(code, _)| code == given);
        found.map(|index| codes.swap_remove(index)).is_some()
    }

    /// Starts a session. Browsers send a cookie to every port of a host, so the cookie is limited
    /// to a secret path that other servers on this host do not know. Over TLS the prefix `__Host-`
    /// limits it to encrypted connections of this host; it requires the path `/`.
    fn open(&self, is_encrypted: bool) -> Result<Opened, getrandom::Error> {
        let [cookie, place] = [random()?, random()?];
        let path = format!("{}{SESSION}{place}", self.base);
        let mut sessions = lock(&self.sessions);
        if sessions.len() == SESSIONS {
            sessions.pop_front();
        }
        sessions.push_back(Session {
            cookie_hash: hash(&cookie),
            path: path.clone(),
        });
        let name = &self.name;
        let cookie = match is_encrypted {
            true => format!("__Host-{name}={cookie}; Secure; HttpOnly; SameSite=Strict; Path=/"),
            false => format!("{name}={cookie}; HttpOnly; SameSite=Strict; Path={path}"),
        };
        Ok(Opened { path, cookie })
    }

    /// Ends the session of a request. Returns values of `Set-Cookie` that delete its cookie.
    pub(crate) fn end(&self, headers: &HeaderMap) -> Vec<String> {
        let mut sessions = lock(&self.sessions);
        let (name, mut ended) = (&self.name, Vec::new());
        for cookie in self.cookies(headers) {
            let Some(index) = sessions
                .iter()
                .position(|session| session.cookie_hash == cookie)
            else {
                continue;
            };
            let path = sessions
                .remove(index)
                .map(|session| session.path)
                .unwrap_or_default();
            ended.push(format!(
                "{name}=; Max-Age=0; HttpOnly; SameSite=Strict; Path={path}"
            ));
            ended.push(format!(
                "__Host-{name}=; Max-Age=0; Secure; HttpOnly; SameSite=Strict; Path=/"
            ));
        }
        ended
    }

    /// Counts a wrong token. Returns how many consecutive ones came from this address.
    fn failed(&self, from: IpAddr) -> u32 {
        let (mut failures, now) = (self.failures(), Instant::now());
        failures.retain(|_, (_, last)| now.duration_since(*last) < REMEMBERED);
        if failures.len() >= ADDRESSES
            && !failures.contains_key(&from)
            && let Some(oldest) = failures
                .iter()
                .min_by_key(|(_, (_, last))| *last)
                .map(|(address, _)| *address)
        {
            failures.remove(&oldest);
        }
        let (count, last) = failures.entry(from).or_insert((0, now));
        (*count, *last) = (count.saturating_add(1), now);
        *count
    }

    fn failures(&self) -> MutexGuard<'_, HashMap<IpAddr, (u32, Instant)>> {
        lock(&self.failures)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The beginning of the path of every session.
const SESSION: &str = "/session/";

/// Removes the session's path from the address of a request. The path serves only to let the
/// browser send the cookie.
pub(crate) fn without_session(uri: &Uri) -> Option<Uri> {
    let text = uri.path_and_query()?.as_str();
    let at = text.strip_prefix(SESSION)?.find('/')?;
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(&text[SESSION.len() + at..]).ok()?);
    Uri::from_parts(parts).ok()
}

/// Returns whether a proxy reports that the request came over TLS. A client that sends this header
/// itself only makes its own cookie stricter.
fn is_encrypted(headers: &HeaderMap) -> bool {
    headers
        .get("x-forwarded-proto")
        .is_some_and(|proto| proto.as_bytes().eq_ignore_ascii_case(b"https"))
}

/// Returns the address whose wrong tokens are counted together. For IPv6 it is the network, because
/// one machine can use all addresses of its network.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) if address.to_ipv4_mapped().is_none() => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address => address,
    }
}

/// Returns the answer to a client without a valid cookie.
pub(crate) fn refusal(error: &str) -> ApiError {
    ApiError::new(
        StatusCode::UNAUTHORIZED,
        error,
        "Give the token that `centipawn serve` printed.",
    )
}

/// Returns the hash of a secret. Secrets are compared by their hashes, because the time to compare
/// texts depends on the number of equal characters at their beginning.
fn hash(secret: &str) -> String {
    sha256(secret.as_bytes())
}

/// Returns 128 random bits as 32 hexadecimal digits.
pub(crate) fn random() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(
            header::HeaderName::from_static(name),
            value.parse().unwrap(),
        )])
    }

    /// Exchanges a secret, as a request without headers does.
    async fn exchange(token: &Token, secret: &str, from: IpAddr) -> Result<Opened, ApiError> {
        token.exchange(secret, from, &HeaderMap::new()).await
    }

    #[tokio::test(start_paused = true)]
    async fn answers_to_wrong_tokens_are_delayed() {
        let token = Token::new(80, &BasePath::default()).unwrap();
        assert_ne!(
            token.text(),
            Token::new(80, &BasePath::default()).unwrap().text()
        );
        let [home, other] =
            ["192.168.1.7", "10.0.0.1"].map(|address| address.parse::<IpAddr>().unwrap());
        let began = Instant::now();
        for _ in 0..QUICK {
            assert!(exchange(&token, "", home).await.is_err());
        }
        assert_eq!(began.elapsed(), Duration::ZERO);
        assert!(exchange(&token, "0", home).await.is_err());
        assert_eq!(began.elapsed(), Duration::from_secs(1));
        assert!(exchange(&token, "0", home).await.is_err());
        assert_eq!(began.elapsed(), Duration::from_secs(3));
        // The delays of another address start from the beginning.
        assert!(exchange(&token, "0", other).await.is_err());
        assert_eq!(began.elapsed(), Duration::from_secs(3));
        exchange(&token, token.text(), home).await.unwrap();
        assert_eq!(
            began.elapsed(),
            Duration::from_secs(3),
            "the right token does not wait"
        );
        assert!(exchange(&token, "0", home).await.is_err());
        assert_eq!(began.elapsed(), Duration::from_secs(3), "it begins anew");
    }

    #[tokio::test(start_paused = true)]
    async fn a_login_code_is_valid_once_and_for_a_minute() {
        let (token, home) = (
            Token::new(80, &BasePath::default()).unwrap(),
            "127.0.0.1".parse().unwrap(),
        );
        let [first, second, late] = [(); 3].map(|()| token.code().unwrap());
        assert!(exchange(&token, &first, home).await.is_ok());
        assert!(exchange(&token, &first, home).await.is_err());
        tokio::time::advance(CODE_TIME - Duration::from_secs(1)).await;
        assert!(exchange(&token, &second, home).await.is_ok());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(exchange(&token, &late, home).await.is_err());
        assert!(exchange(&token, token.text(), home).await.is_ok());
        assert!(exchange(&token, token.text(), home).await.is_ok());
    }

    #[tokio::test]
    async fn a_session_is_known_by_its_cookie_until_it_ends() {
        let (token, home) = (
            Token::new(80, &BasePath::default()).unwrap(),
            "127.0.0.1".parse().unwrap(),
        );
        let opened = exchange(&token, token.text(), home).await.unwrap();
        let other = exchange(&token, token.text(), home).await.unwrap();
        let (cookie, rest) = opened.cookie.split_once("; ").unwrap();
        assert_eq!(
            rest,
            format!("HttpOnly; SameSite=Strict; Path={}", opened.path)
        );
        assert_ne!(opened.path, other.path);
        let has = |cookie: &str| token.is_known(&headers("cookie", cookie));
        assert!(
            has(&format!("other=1; {cookie}"))
                && !has("centipawn-80=1")
                && !has(&cookie.replace("80", "81"))
        );
        assert!(token.end(&headers("cookie", "centipawn-80=1")).is_empty());
        let ended = token.end(&headers("cookie", cookie));
        assert_eq!(
            ended[0],
            format!(
                "centipawn-80=; Max-Age=0; HttpOnly; SameSite=Strict; Path={}",
                opened.path
            )
        );
        assert!(!has(cookie) && has(other.cookie.split_once("; ").unwrap().0));
        // Over TLS the cookie has the prefix `__Host-` and the attribute `Secure`.
        let opened = token
            .exchange(token.text(), home, &headers("x-forwarded-proto", "https"))
            .await
            .unwrap();
        let (cookie, rest) = opened.cookie.split_once("; ").unwrap();
        assert!(
            cookie.starts_with("__Host-centipawn-80=") && has(cookie),
            "{cookie}"
        );
        assert_eq!(rest, "Secure; HttpOnly; SameSite=Strict; Path=/");
        // With too many sessions, the oldest one ends.
        for _ in 0..SESSIONS {
            exchange(&token, token.text(), home).await.unwrap();
        }
        assert!(!has(cookie));
    }

    #[test]
    fn the_path_of_a_session_is_removed_from_addresses() {
        let without =
            |text: &str| without_session(&text.parse().unwrap()).map(|uri| uri.to_string());
        assert_eq!(
            without("/session/3f/api/games?search=a/b").as_deref(),
            Some("/api/games?search=a/b")
        );
        assert_eq!(without("/session/3f/").as_deref(), Some("/"));
        for other in [
            "/",
            "/api/session",
            "/session/3f",
            "/session/",
            "/session",
            "*",
            "/api?a=/session/1/",
        ] {
            assert_eq!(without(other), None, "{other}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn many_wrong_tokens_do_not_delay_the_right_one() {
        let token = Token::new(80, &BasePath::default()).unwrap();
        let home: IpAddr = "127.0.0.1".parse().unwrap();
        let began = Instant::now();
        let wrong = futures_util::future::join_all((0..40).map(|_| exchange(&token, "0", home)));
        let right = async {
            tokio::time::sleep(Duration::from_millis(1)).await;
            assert!(exchange(&token, token.text(), home).await.is_ok());
            began.elapsed()
        };
        let (wrong, right) = tokio::join!(wrong, right);
        assert!(right < Duration::from_millis(10), "{right:?}");
        assert!(wrong.iter().all(Result::is_err));
        assert!(began.elapsed() <= LONGEST, "{:?}", began.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn the_number_of_remembered_addresses_is_limited() {
        let token = Token::new(80, &BasePath::default()).unwrap();
        for index in 0..3 * ADDRESSES as u32 {
            let address = IpAddr::V4(index.into());
            assert!(exchange(&token, "0", address).await.is_err());
        }
        assert_eq!(token.failures().len(), ADDRESSES);
        tokio::time::advance(REMEMBERED).await;
        assert!(
            exchange(&token, "0", "2001:db8::1".parse().unwrap())
                .await
                .is_err()
        );
        assert!(
            exchange(&token, "0", "2001:db8::2".parse().unwrap())
                .await
                .is_err()
        );
        assert_eq!(token.failures().len(), 1, "one network");
    }
}
