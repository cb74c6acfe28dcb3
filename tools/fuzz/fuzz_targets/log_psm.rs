//! Contract: any text that is read as a log of the PSM gives complete, finite samples, or an error.

#![no_main]

use insonate_dvrk::identification::{Coordinates, MotionLog};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((rate, bytes)) = input.split_first_chunk() else {
        return;
    };
    let rate_hz = f64::from(u16::from_le_bytes(*rate));
    let text = String::from_utf8_lossy(bytes);
    let log = MotionLog::parse("input".to_owned(), &text, rate_hz, Coordinates::Motor);
    if let Ok(log) = log {
        let n = log.n_samples();
        assert!(n > 0 && log.dq.len() == n && log.tau.len() == n);
        let vectors = log.q.iter().chain(&log.dq).chain(&log.tau);
        let mut numbers = vectors.flat_map(|vector| vector.iter());
        assert!(numbers.all(|number| number.is_finite()));
    }
});
