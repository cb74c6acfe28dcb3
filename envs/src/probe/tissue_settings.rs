//! Resolution of a tissue torso in a task: as coarse as learning permits.

use insonate_models::torsos::TorsoConfig;
use serde::{Deserialize, Serialize};

use crate::EnvError;
use crate::settings::check_range;

/// Resolution of an `mpm` or `xpbd` torso. 0: as in `press` and `scan`, finer and slower.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TissueSettings {
    /// Maximum distance between neighbouring points of the lattice [m]. Tetrahedra and grid cells are half as wide.
    pub spacing: f64,
    /// Radius around the probe in which the torso deforms [m]. The rest is fixed.
    pub reach: f64,
    /// Maximum substep of an `xpbd` torso [s].
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
        for (field, value, low, high) in [
            ("scene.tissue.spacing", self.spacing, 0.01, 0.06),
            ("scene.tissue.reach", self.reach, 0.02, 1.0),
            ("scene.tissue.substep", self.substep, 5e-5, 1e-3),
        ] {
            if value != 0.0 {
                check_range(field, value, low, high)?;
            }
        }
        Ok(())
    }

    pub(super) fn applied_to(&self, config: TorsoConfig) -> TorsoConfig {
        let set = |value: f64| (value > 0.0).then_some(value);
        let config = match set(self.spacing) {
            Some(spacing) => config.spaced(spacing),
            None => config,
        };
        TorsoConfig {
            reach: set(self.reach),
            substep: set(self.substep),
            ..config
        }
    }
}
