//! Resolution of a tissue torso in a task: as coarse as learning permits.

use insonate_settings::check_range;
use serde::{Deserialize, Serialize};

use crate::EnvError;

/// Resolution of a torso that a tissue solver steps. 0: finer and slower, as in `press` and `scan`; a reach of 0 lets all of it move.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TissueSettings {
    /// Maximum distance between neighbouring points of the lattice [m]. Tetrahedra and grid cells are half as wide.
    pub spacing: f64,
    /// Radius around the probe in which the torso deforms [m]. The rest is fixed. On a GPU all of it deforms.
    pub reach: f64,
    /// Maximum substep of a solver that has one [s].
    pub substep: f64,
}

impl Default for TissueSettings {
    fn default() -> Self {
        Self {
            spacing: 0.05,
            reach: 0.08,
            substep: 1e-3,
        }
    }
}

impl TissueSettings {
    pub(super) fn check(&self) -> Result<(), EnvError> {
        for (field, value, range, unit) in [
            ("scene.tissue.spacing", self.spacing, [0.01, 0.06], "m"),
            ("scene.tissue.reach", self.reach, [0.02, 1.0], "m"),
            ("scene.tissue.substep", self.substep, [5e-5, 1e-3], "s"),
        ] {
            if value != 0.0 {
                check_range(field, value, range, unit)?;
            }
        }
        Ok(())
    }
}
