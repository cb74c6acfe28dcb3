//! Settings of a running shell.

use insonate_models::torsos::{Solref, TorsoConfig};

use super::model::ShellModel;

/// MuJoCo's default `solref`: critically damped, 20 ms.
pub(super) const DEFAULT_SOLREF: [f64; 2] = [0.02, 1.0];

/// The `solref` of a shell's constraints, as in a [`TorsoConfig`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShellSolref {
    /// Constraints that make neighbouring points slide alike.
    pub neighbors: Solref,
    /// Constraints that return each point to its rest; `None` selects MuJoCo's default, critically damped with 20 ms.
    pub rest: Option<Solref>,
    /// Contact with the skin; `None` selects MuJoCo's default.
    pub contact: Option<Solref>,
    /// Impedance of the constraints to rest and of those of neighbours where the factor of the softness is 1.
    pub impedances: [f64; 2],
}

impl From<&TorsoConfig> for ShellSolref {
    fn from(config: &TorsoConfig) -> Self {
        Self {
            neighbors: config.neighbors.unwrap_or(Solref {
                stiffness: config.softness.stiffness,
                damping: config.softness.damping,
            }),
            rest: config.rest,
            contact: config.contact,
            impedances: config.shell_impedances(),
        }
    }
}

/// The current settings that later changes need.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) neighbors: [f64; 2],
    pub(super) rest: [f64; 2],
    /// Rise of the surface from breathed out to breathed in [m].
    pub(super) amplitude: f64,
    pub(super) reach: Vec<f64>,
}

impl Settings {
    pub(super) fn of(model: &ShellModel) -> Self {
        let network = &model.network;
        Self {
            neighbors: network
                .couplings
                .first()
                .map_or(DEFAULT_SOLREF, |neighbors| neighbors.solref),
            rest: network.ties.solref,
            amplitude: model.breath.as_ref().map_or(0.0, |breath| breath.amplitude),
            reach: Vec::new(),
        }
    }
}
