//! Low-pass filter of a force sensor.

use insonate_settings::check_range;

use super::Wrench;
use crate::TissueError;

/// A first-order low-pass filter, as in force sensors.
///
/// $y \leftarrow y + (1 - e^{-2 \pi f_c \Delta t})(x - y)$: the exact response to a wrench that is constant over each
/// step, for steps of any length. The initial state is the first wrench, not zero.
///
/// ```
/// use insonate_tissue::tool::{Wrench, WrenchFilter};
///
/// let mut filter = WrenchFilter::new(50.0)?;
/// let raw = Wrench::default();
/// let filtered = filter.update(raw, 0.002);
/// assert_eq!(filtered, raw);
/// # Ok::<(), insonate_tissue::TissueError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct WrenchFilter {
    cutoff: f64,
    last: Option<Wrench>,
}

impl WrenchFilter {
    /// Creates a filter with a cutoff frequency [Hz], at which the amplitude is reduced to 1/√2.
    ///
    /// # Errors
    /// [`TissueError::Setting`] for a frequency outside 1e-3 to 1e6.
    pub fn new(cutoff: f64) -> Result<Self, TissueError> {
        check_range("filter.cutoff", cutoff, [1e-3, 1e6], "Hz")?;
        Ok(Self { cutoff, last: None })
    }

    /// Returns the filtered wrench after a wrench that acted for a time [s].
    pub fn update(&mut self, raw: Wrench, time: f64) -> Wrench {
        let last = self.last.unwrap_or(raw);
        let share = -f64::exp_m1(-std::f64::consts::TAU * self.cutoff * time);
        let filtered = Wrench {
            force: last.force + share * (raw.force - last.force),
            torque: last.torque + share * (raw.torque - last.torque),
        };
        self.last = Some(filtered);
        filtered
    }

    /// Resets the filter.
    pub fn reset(&mut self) {
        self.last = None;
    }
}
