//! Smooth motion over time.

/// Rises from 0 before the start to 1 after the end, with zero velocity and acceleration at both: minimum jerk (Flash and Hogan 1985,
/// doi:10.1523/JNEUROSCI.05-07-01688.1985, Appendix A).
pub(super) fn minimum_jerk(time: f64, [start, end]: [f64; 2]) -> f64 {
    let u = ((time - start) / (end - start)).clamp(0.0, 1.0);
    u * u * u * (10.0 + u * (6.0 * u - 15.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_starts_and_stops_without_velocity() {
        let at = |time| minimum_jerk(time, [1.0, 3.0]);
        assert_eq!(
            [at(0.0), at(1.0), at(2.0), at(3.0), at(9.0)],
            [0.0, 0.0, 0.5, 1.0, 1.0]
        );
        let step = 1e-4;
        assert!(at(1.0 + step) < 1e-9 && at(3.0 - step) > 1.0 - 1e-9);
    }
}
