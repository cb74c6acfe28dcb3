//! The GPU for tests.

use insonate_tissue::gpu::{DeviceError, Gpu};

/// If set to 1, a test without a driver fails instead of being skipped.
pub(crate) const REQUIRE_GPU: &str = "INSONATE_REQUIRE_GPU";

/// The GPU; `None` without a driver, so that the test is skipped.
pub(crate) fn gpu() -> Option<Gpu> {
    match Gpu::open() {
        Ok(gpu) => Some(gpu),
        Err(error @ DeviceError::NoDriver(_)) => {
            let is_required = std::env::var(REQUIRE_GPU).is_ok_and(|value| value == "1");
            assert!(!is_required, "{REQUIRE_GPU} is 1, but {error}");
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}
