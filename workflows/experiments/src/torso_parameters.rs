//! Two tuning parameters for every kind of torso, which adjust its stiffness and damping to a recording.
//!
//! For a shell they are the stiffness and damping of its rest constraint; the others follow in fixed ratios ([`ShellConstraints`]).
//!
//! For a solid they are its softness. The contact of a flex, which is in series, gets the target ratio of damping to stiffness.

use insonate_models::torsos::{ShellConstraints, Softness, Solref, TorsoConfig, TorsoKind};

/// Contact stiffness of a flex [1/s²]. It is above the default of 2500 and well below the value that chatters with 4 ms.
const FLEX_CONTACT: f64 = 5000.0;
/// Maximum damping that a physics step of length h resolves, times h.
const DAMPING_STEP: f64 = 1.0;

/// Two parameters of a torso, each in its own unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct TorsoParameters {
    is_shell: bool,
    target: Softness,
    /// Maximum damping of a constraint [1/s].
    most_damping: f64,
}

impl TorsoParameters {
    /// The parameters of a kind of torso, for a target and a physics step [s].
    pub(super) fn new(kind: &TorsoKind, target: Softness, timestep: f64) -> Self {
        Self {
            is_shell: kind.is_shell(),
            target,
            most_damping: Solref::DAMPING[1].min(DAMPING_STEP / timestep),
        }
    }

    /// Initial parameters.
    pub(super) fn start(&self) -> [f64; 2] {
        let Softness { stiffness, damping } = self.target;
        if self.is_shell {
            let rest = ShellConstraints::matching(&self.target, 1.0 / self.most_damping).rest;
            [rest.stiffness, rest.damping]
        } else {
            [1.1 * stiffness, damping]
        }
    }

    /// Minimum and maximum of each parameter.
    pub(super) fn bounds(&self) -> [[f64; 2]; 2] {
        if self.is_shell {
            [
                [Solref::STIFFNESS[0], ShellConstraints::STIFFEST_REST],
                [0.05, self.most_damping],
            ]
        } else {
            [[10.0, 50_000.0], [0.1, 500.0]]
        }
    }

    /// Applies the parameters to a configuration.
    pub(super) fn apply(
        &self,
        [stiffness, damping]: [f64; 2],
        config: &TorsoConfig,
    ) -> TorsoConfig {
        if !self.is_shell {
            let ratio = self.target.damping / self.target.stiffness;
            return TorsoConfig {
                softness: Softness { stiffness, damping },
                contact: Some(Solref {
                    stiffness: FLEX_CONTACT,
                    damping: (FLEX_CONTACT * ratio).clamp(Solref::DAMPING[0], self.most_damping),
                }),
                ..config.clone()
            };
        }
        let shell = ShellConstraints::of_rest(stiffness, damping, self.most_damping);
        TorsoConfig {
            softness: self.target,
            rest: Some(shell.rest),
            neighbors: Some(shell.neighbors),
            contact: Some(shell.contact),
            ..config.clone()
        }
    }
}
