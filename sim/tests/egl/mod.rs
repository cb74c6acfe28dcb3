//! Rendering tests on a machine without EGL: they are skipped, or fail if `INSONATE_REQUIRE_EGL` is 1.

const REQUIRE_EGL: &str = "INSONATE_REQUIRE_EGL";

/// Skips a test that could not render; the message must name the missing packages.
pub(crate) fn skip(message: &str) {
    assert!(message.contains("libegl1"), "{message}");
    let is_required = std::env::var(REQUIRE_EGL).is_ok_and(|value| value == "1");
    assert!(!is_required, "{REQUIRE_EGL} is 1, but {message}");
    eprintln!("skipped: {message}");
}
