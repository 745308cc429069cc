//! Rejects cross-site requests.

use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, uri::Authority},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{error::ApiError, places::Place, server::Server, token::refusal};

/// Requests that change something must have this header. A form on another site cannot send it.
pub(crate) const HEADER: &str = "x-centipawn";

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const RESPONSE_HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=()",
    ),
];

/// Refuses cross-site requests and requests without a session, and adds security headers to every
/// answer.
pub(crate) async fn guard(
    State(server): State<Arc<Server>>,
    request: Request,
    next: Next,
) -> Response {
    let own = Own {
        port: server.port,
        is_local: server.options.host.is_loopback(),
    };
    let checked = check(
        request.method(),
        request.uri().path(),
        request.headers(),
        own,
    );
    let checked = checked.and_then(|()| authorise(&server, &request));
    if let (Ok(Caller::Known), Some(place)) = (&checked, request.extensions().get::<Arc<Place>>()) {
        place.keep();
    }
    let mut response = match checked {
        Ok(_) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    for (name, value) in RESPONSE_HEADERS {
        // A document to print has its own policy.
        response
            .headers_mut()
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}

/// The IP address of the client of a connection.
#[derive(Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// Returns the address that a request comes from.
pub(crate) fn peer(request: &Request) -> IpAddr {
    request
        .extensions()
        .get::<Peer>()
        .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0)
}

/// The sender of a request.
enum Caller {
    /// A client with the session's cookie. If the server needs no token, every client.
    Known,
    Stranger,
}

/// Decides whether a request is allowed. Requests to the interface need the cookie, except the
/// exchange of the token. The files of the page need none, because they contain no secret.
fn authorise(server: &Server, request: &Request) -> Result<Caller, ApiError> {
    let path = request.uri().path();
    let is_open = !path.starts_with("/api/") || path == "/api/session";
    match &server.token {
        Some(token) if !token.is_known(request.headers()) => {
            if is_open {
                Ok(Caller::Stranger)
            } else {
                Err(refusal("this server asks for its token"))
            }
        }
        _ => Ok(Caller::Known),
    }
}

/// The address at which clients reach this server.
#[derive(Clone, Copy)]
struct Own {
    port: u16,
    /// Whether only this machine can reach the address.
    is_local: bool,
}

impl Own {
    /// Returns whether `host` is an address of this server. Host names other than localhost are
    /// refused, because anyone can let a DNS name point to this machine and so avoid the browser's
    /// same-origin rule. IP addresses cannot be used in that way.
    fn is_named(self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else {
            return false;
        };
        // Browsers leave out the port 80 in `Host`.
        let is_port = authority.port_u16().unwrap_or(80) == self.port;
        let name = authority
            .host()
            .trim_start_matches('[')
            .trim_end_matches(']');
        let is_name = match name.parse::<IpAddr>() {
            Ok(address) => address.is_loopback() || !self.is_local,
            Err(_) => name.eq_ignore_ascii_case("localhost"),
        };
        is_port && is_name && !host.contains('@')
    }
}

fn check(method: &Method, path: &str, headers: &HeaderMap, own: Own) -> Result<(), ApiError> {
    let text = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let host = text(&header::HOST).unwrap_or_default();
    if !own.is_named(host) {
        let error = format!("this server is not {host:?}");
        let hint = match own.is_local {
            true => format!(
                "Open http://127.0.0.1:{}/ on the machine where it runs.",
                own.port
            ),
            false => format!(
                "Open it by its address and port {}, not by a name.",
                own.port
            ),
        };
        return Err(ApiError::new(StatusCode::MISDIRECTED_REQUEST, error, hint));
    }
    let forbidden = |error: String| {
        Err(ApiError::new(
            StatusCode::FORBIDDEN,
            error,
            "Only the page of this server may ask it for anything.",
        ))
    };
    let origin = text(&header::ORIGIN);
    let is_own = |origin: &str| {
        origin
            .strip_prefix("http://")
            .is_some_and(|origin| origin.eq_ignore_ascii_case(host))
    };
    if let Some(origin) = origin.filter(|origin| !is_own(origin)) {
        return forbidden(format!("a request from {origin:?} is refused"));
    }
    let is_api = path.starts_with("/api/");
    let site = text(&HeaderName::from_static("sec-fetch-site"));
    if is_api && site.is_some_and(|site| !matches!(site, "same-origin" | "none")) {
        return forbidden("a request of another site is refused".to_owned());
    }
    let changes = !matches!(*method, Method::GET | Method::HEAD);
    if changes && !headers.contains_key(HEADER) {
        return forbidden(
            "a request that changes something needs the header X-Centipawn".to_owned(),
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(method: &Method, path: &str, headers: &[(&'static str, &str)]) -> u16 {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(HeaderName::from_static(name), value.parse().unwrap());
        }
        let own = Own {
            port: 8080,
            is_local: true,
        };
        check(method, path, &map, own)
            .map_or_else(|error| error.into_response().status().as_u16(), |()| 200)
    }

    #[test]
    fn other_machines_reach_the_server_by_address_but_not_by_host_name() {
        let open = Own {
            port: 8080,
            is_local: false,
        };
        for own in [
            "192.168.1.7:8080",
            "127.0.0.1:8080",
            "[fe80::1]:8080",
            "localhost:8080",
        ] {
            assert!(open.is_named(own), "{own}");
        }
        assert!(
            Own {
                port: 80,
                is_local: false
            }
            .is_named("192.168.1.7"),
            "the port of HTTP is left out"
        );
        for foreign in [
            "192.168.1.7",
            "me@192.168.1.7:8080",
            "192.168.1.7:",
            "192.168.1.7:80",
            "club.example:8080",
            "192.168.1.7.evil.example:8080",
            "",
        ] {
            assert!(!open.is_named(foreign), "{foreign}");
        }
    }

    #[test]
    fn requests_of_other_sites_are_refused() {
        let host = ("host", "127.0.0.1:8080");
        assert_eq!(status(&Method::GET, "/", &[host]), 200);
        assert_eq!(
            status(&Method::GET, "/", &[("host", "LOCALHOST:8080")]),
            200
        );
        for foreign in [
            "evil.example",
            "127.0.0.1",
            "127.0.0.1:80",
            "127.0.0.1:8080.evil.example",
            "localhost:8081",
        ] {
            assert_eq!(
                status(&Method::GET, "/", &[("host", foreign)]),
                421,
                "{foreign}"
            );
        }
        assert_eq!(status(&Method::GET, "/", &[]), 421);
        let own = Own {
            port: 80,
            is_local: true,
        };
        for named in [
            "127.0.0.1",
            "127.0.0.1:80",
            "localhost",
            "[::1]",
            "[::1]:80",
        ] {
            assert!(own.is_named(named), "{named}");
        }
        let own = ("origin", "http://127.0.0.1:8080");
        assert_eq!(status(&Method::GET, "/api/jobs", &[host, own]), 200);
        for origin in [
            "null",
            "http://evil.example",
            "https://127.0.0.1:8080",
            "http://localhost:8080",
        ] {
            assert_eq!(
                status(&Method::GET, "/api/jobs", &[host, ("origin", origin)]),
                403,
                "{origin}"
            );
        }
        assert_eq!(
            status(
                &Method::GET,
                "/api/jobs",
                &[host, ("sec-fetch-site", "cross-site")]
            ),
            403
        );
        assert_eq!(
            status(&Method::GET, "/", &[host, ("sec-fetch-site", "cross-site")]),
            200,
            "a link may lead here"
        );
        assert_eq!(
            status(&Method::POST, "/api/games", &[host, own]),
            403,
            "a form has no such header"
        );
        assert_eq!(
            status(&Method::POST, "/api/games", &[host, own, (HEADER, "1")]),
            200
        );
        assert_eq!(status(&Method::DELETE, "/api/jobs/1", &[host]), 403);
    }
}
