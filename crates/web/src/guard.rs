//! Who is answered: pages of this server, and nobody whom another site has sent.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::{error::ApiError, server::Server};

/// What changes anything needs this header; a form of another site cannot send it.
pub(crate) const HEADER: &str = "x-centipawn";

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const RESPONSE_HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
];

/// Refuses foreign requests, and marks every answer.
pub(crate) async fn guard(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    let checked = check(request.method(), request.uri().path(), request.headers(), server.port);
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(error) => error.into_response(),
    };
    for (name, value) in RESPONSE_HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn check(method: &Method, path: &str, headers: &HeaderMap, port: u16) -> Result<(), ApiError> {
    let text = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")];
    let host = text(&header::HOST).unwrap_or_default();
    if !hosts.iter().any(|own| own.eq_ignore_ascii_case(host)) {
        let error = format!("this server is not {host:?}");
        let hint = format!("Open http://127.0.0.1:{port}/ on the machine where it runs.");
        return Err(ApiError::new(StatusCode::MISDIRECTED_REQUEST, error, hint));
    }
    let forbidden = |error: String| {
        Err(ApiError::new(StatusCode::FORBIDDEN, error, "Only the page of this server may ask it for anything."))
    };
    let origin = text(&header::ORIGIN);
    let is_own = |origin: &str| origin.strip_prefix("http://").is_some_and(|origin| origin.eq_ignore_ascii_case(host));
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
        return forbidden("a request that changes something needs the header X-Centipawn".to_owned());
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
        check(method, path, &map, 8080).map_or_else(|error| error.into_response().status().as_u16(), |()| 200)
    }

    #[test]
    fn only_the_own_page_is_answered() {
        let host = ("host", "127.0.0.1:8080");
        assert_eq!(status(&Method::GET, "/", &[host]), 200);
        assert_eq!(status(&Method::GET, "/", &[("host", "LOCALHOST:8080")]), 200);
        for foreign in ["evil.example", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8080.evil.example", "localhost:8081"] {
            assert_eq!(status(&Method::GET, "/", &[("host", foreign)]), 421, "{foreign}");
        }
        assert_eq!(status(&Method::GET, "/", &[]), 421);
        let own = ("origin", "http://127.0.0.1:8080");
        assert_eq!(status(&Method::GET, "/api/jobs", &[host, own]), 200);
        for origin in ["null", "http://evil.example", "https://127.0.0.1:8080", "http://localhost:8080"] {
            assert_eq!(status(&Method::GET, "/api/jobs", &[host, ("origin", origin)]), 403, "{origin}");
        }
        assert_eq!(status(&Method::GET, "/api/jobs", &[host, ("sec-fetch-site", "cross-site")]), 403);
        assert_eq!(status(&Method::GET, "/", &[host, ("sec-fetch-site", "cross-site")]), 200, "a link may lead here");
        assert_eq!(status(&Method::POST, "/api/games", &[host, own]), 403, "a form has no such header");
        assert_eq!(status(&Method::POST, "/api/games", &[host, own, (HEADER, "1")]), 200);
        assert_eq!(status(&Method::DELETE, "/api/jobs/1", &[host]), 403);
    }
}
