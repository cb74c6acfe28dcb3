//! Pages that may connect: a browser tells whose page asks.

use tungstenite::handshake::server::{ErrorResponse, Request};
use tungstenite::http::StatusCode;
use tungstenite::http::header::ORIGIN;

/// Refuses pages of other hosts than this machine and than `allowed`; a browser would otherwise let them talk to the server.
///
/// # Errors
/// The answer to a page that is refused.
pub(super) fn check_origin(opening: &Request, allowed: &[&str]) -> Result<(), ErrorResponse> {
    let may = |origin: &str| is_local(origin) || allowed.contains(&origin);
    let origin = opening.headers().get(ORIGIN);
    if origin.is_none_or(|origin| origin.to_str().is_ok_and(may)) {
        return Ok(());
    }
    Err(refusal(
        StatusCode::FORBIDDEN,
        "pages of other hosts are refused",
    ))
}

/// Refuses a client.
pub fn refusal(status: StatusCode, problem: &str) -> ErrorResponse {
    let mut refusal = ErrorResponse::new(Some(problem.to_owned()));
    *refusal.status_mut() = status;
    refusal
}

/// Whether a page is of this machine.
fn is_local(origin: &str) -> bool {
    let host = origin.split_once("://").map_or("", |(_, host)| host);
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    ["localhost", "127.0.0.1", "[::1]"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_of_this_machine_are_told_from_others() {
        let local = [
            "http://localhost",
            "http://localhost:8080",
            "https://127.0.0.1:3000",
            "http://[::1]:8000",
            "http://[::1]",
        ];
        let other = [
            "null",
            "",
            "http://localhost.example.org",
            "http://example.org:8080",
            "http://127.0.0.1.example.org",
            "localhost",
        ];
        assert!(local.into_iter().all(is_local));
        assert!(!other.into_iter().any(is_local));
    }
}
