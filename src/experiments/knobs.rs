//! What is turned to make a torso feel as stiff and as damped as a recording: two numbers for every kind of torso.
//!
//! A probe on a shell of points feels contact, rest and neighbour constraints in series and in parallel.
//! Each is a spring beside a damper, and where all have the same ratio of damping to stiffness, so has the whole.
//! So one number scales all stiffnesses and the other all dampings; between the constraints the ratios are fixed.
//! Stiff neighbours spread the load over the shell, so that the force grows less abruptly where the probe reaches further capsules.
//!
//! A flex is tuned by the softness that it is made of; its contact, which lies in series, gets the wanted ratio.

use crate::models::torsos::{Softness, Solref, TorsoConfig};

/// Stiffness of neighbour and contact constraints over that of the rest constraint.
const NEIGHBORS: f64 = 8.0;
const CONTACT: f64 = 2.0;
/// Rest stiffness [1/s²] of a default shell that feels like 1 N/m: the start of the search.
const SHELL_START: f64 = 1.7;
/// Contact stiffness of a flex [1/s²]: stiffer than the default's 2500, well below the 4 ms that chatter.
const FLEX_CONTACT: f64 = 5000.0;
/// Damping that a physics step of length h still resolves, times h.
const DAMPING_STEP: f64 = 1.0;

/// The two numbers of a torso, each in its own unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Knobs {
    is_flex: bool,
    target: Softness,
    /// Greatest damping of a constraint [1/s].
    most_damping: f64,
}

impl Knobs {
    /// The knobs of a kind of torso, for a target and a physics step [s].
    pub(super) fn new(torso: &str, target: Softness, timestep: f64) -> Self {
        Self {
            is_flex: torso == "flex",
            target,
            most_damping: Solref::DAMPING[1].min(DAMPING_STEP / timestep),
        }
    }

    /// Where to start.
    pub(super) fn start(&self) -> [f64; 2] {
        let Softness { stiffness, damping } = self.target;
        if self.is_flex {
            [1.1 * stiffness, damping]
        } else {
            [SHELL_START * stiffness, SHELL_START * damping]
        }
    }

    /// Least and greatest of each.
    pub(super) fn bounds(&self) -> [[f64; 2]; 2] {
        if self.is_flex {
            [[10.0, 50_000.0], [0.1, 500.0]]
        } else {
            [
                [20.0, Solref::STIFFNESS[1] / NEIGHBORS],
                [0.05, self.most_damping],
            ]
        }
    }

    /// The configuration that the numbers make of another one.
    pub(super) fn apply(
        &self,
        [stiffness, damping]: [f64; 2],
        config: &TorsoConfig,
    ) -> TorsoConfig {
        let scaled = |factor: f64| Solref {
            stiffness: (factor * stiffness).clamp(Solref::STIFFNESS[0], Solref::STIFFNESS[1]),
            damping: (factor * damping).clamp(Solref::DAMPING[0], self.most_damping),
        };
        if self.is_flex {
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
        TorsoConfig {
            softness: self.target,
            rest: Some(scaled(1.0)),
            neighbors: Some(scaled(NEIGHBORS)),
            contact: Some(scaled(CONTACT)),
            ..config.clone()
        }
    }
}
