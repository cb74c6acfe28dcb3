//! Breathing: the body moves from the end of expiration by $A \cos^4(\pi t / T - \varphi)$, with a pause at the end of expiration (Lujan et al.
//! 1999, doi:10.1118/1.598577, with n = 2).

use std::f64::consts::PI;

use insonate_settings::check_range;
use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::EnvError;

/// Settings of the breath. Amplitudes are the motion of a tumour of the liver in 4D computed tomography, from end to end: 2.9 ± 1.2 mm left
/// to right, 5.3 ± 2.2 mm along the body and 2.3 ± 1.1 mm front to back (doi:10.1186/s13014-016-0762-z).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BreathSettings {
    /// Range of the amplitude along the body [m]; the target moves to the feet while the patient breathes in.
    pub along: [f64; 2],
    /// Range of the amplitude from left to right [m].
    pub across: [f64; 2],
    /// Range of the amplitude towards the front [m].
    pub front: [f64; 2],
    /// Range of the breaths per second [Hz].
    pub rate: [f64; 2],
}

impl Default for BreathSettings {
    fn default() -> Self {
        Self {
            along: [3.1e-3, 7.5e-3],
            across: [1.7e-3, 4.1e-3],
            front: [1.2e-3, 3.4e-3],
            rate: [0.2, 0.33],
        }
    }
}

impl BreathSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`], [`EnvError::Config`] for a range whose end is below its start.
    pub fn check(&self) -> Result<(), EnvError> {
        let rows = [
            ("along", self.along, [0.0, 0.03], "m"),
            ("across", self.across, [0.0, 0.03], "m"),
            ("front", self.front, [0.0, 0.03], "m"),
            ("rate", self.rate, [0.05, 1.0], "Hz"),
        ];
        for (name, [low, high], allowed, unit) in rows {
            let field = format!("breath.{name}");
            check_range(&field, low, allowed, unit)?;
            check_range(&field, high, allowed, unit)?;
            if high < low {
                let problem = format!("is [{low}, {high}]; the first must be the lower one");
                return Err(EnvError::Config { field, problem });
            }
        }
        Ok(())
    }
}

/// The breath of an episode.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Breath {
    /// Motion from the end of expiration to that of inspiration, in world [m].
    pub amplitude: Vector3<f64>,
    /// Breaths per second [Hz].
    pub rate: f64,
    /// Share of a breath that has passed at time 0 since the end of an inspiration, 0 to 1.
    pub phase: f64,
}

impl Breath {
    /// Share of the motion at a time [s]: 0 at the end of expiration, 1 at that of inspiration.
    pub fn share(&self, time: f64) -> f64 {
        (PI * (self.rate * time + self.phase)).cos().powi(4)
    }

    /// Displacement of the body at a time [s], in world [m].
    pub fn displacement(&self, time: f64) -> Vector3<f64> {
        self.amplitude * self.share(time)
    }

    /// Time from a moment [s] until the share next rises above a value [s]; 0 if it is above it.
    pub fn time_below(&self, time: f64, share: f64) -> f64 {
        if self.share(time) > share {
            return 0.0;
        }
        // The share rises through the value when the angle, from -π/2 to π/2, reaches -acos(share^¼).
        let cycle = (self.rate * time + self.phase).rem_euclid(1.0);
        let crossing = 1.0 - share.clamp(0.0, 1.0).powf(0.25).acos() / PI;
        (crossing - cycle).rem_euclid(1.0) / self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_below_a_share_ends_where_the_share_is_reached() {
        let breath = Breath {
            amplitude: Vector3::y(),
            rate: 0.25,
            phase: 0.3,
        };
        for i in 0..40 {
            let time = 0.1 * f64::from(i);
            let left = breath.time_below(time, 0.1);
            if breath.share(time) > 0.1 {
                assert!(left <= 0.0, "{time}");
                continue;
            }
            assert!(
                (breath.share(time + left) - 0.1).abs() < 1e-9,
                "{time} {left}"
            );
            // It is below all the while.
            for k in 0..20 {
                let between = time + left * f64::from(k) / 20.0;
                assert!(breath.share(between) <= 0.1 + 1e-9, "{time} {between}");
            }
        }
        // The pause: 1 − 2 acos(0.1^¼) / π = 0.380 of a breath is below a tenth of the motion.
        let below = (0..1000)
            .filter(|i| breath.share(4e-3 * f64::from(*i)) < 0.1)
            .count();
        assert!((378..=382).contains(&below), "{below}");
    }
}
