//! A 'T' of round tubes, after the phantom of Chen et al. 2024, Fig. 3(a-c).
//!
//! The paper gives no sizes for its phantom. They are chosen such that its rods, 3.3 mm and 4.8 mm wide, turn into an
//! arm. The stem starts at the origin and runs along -z; the arms lie along x.

use nalgebra::Vector3;

use super::{Branch, TubeNetwork};
use crate::ContinuumError;

/// Sizes of a 'T' phantom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TPhantom {
    /// Length of the stem, to the middle of the arms [m].
    pub stem: f64,
    /// Length of each arm, from the middle [m].
    pub arm: f64,
    /// Inner diameter [m].
    pub diameter: f64,
    /// Radius of the rounded corners [m].
    pub fillet: f64,
}

impl Default for TPhantom {
    fn default() -> Self {
        Self {
            stem: 0.15,
            arm: 0.15,
            diameter: 0.03,
            fillet: 4e-3,
        }
    }
}

impl TPhantom {
    /// Tubes of the phantom: `stem`, `left` (+x) and `right` (-x).
    ///
    /// # Errors
    /// [`ContinuumError::Setting`] for sizes out of range.
    pub fn network(&self) -> Result<TubeNetwork, ContinuumError> {
        let middle = -Vector3::z() * self.stem;
        let tube = |name: &str, start, end, parent| Branch {
            name: name.to_owned(),
            start,
            end,
            radius: 0.5 * self.diameter,
            parent,
        };
        let arm = Vector3::x() * self.arm;
        TubeNetwork::new(
            vec![
                tube("stem", Vector3::zeros(), middle, None),
                tube("left", middle, middle + arm, Some(0)),
                tube("right", middle, middle - arm, Some(0)),
            ],
            self.fillet,
        )
    }
}
