//! What is turned to make a torso feel as stiff and as damped as a recording: two numbers for every kind of torso.
//!
//! A shell's are the stiffness and damping of its rest constraint; the others follow in fixed ratios ([`ShellConstraints`]).
//!
//! A flex is tuned by the softness that it is made of; its contact, which lies in series, gets the wanted ratio.

use crate::models::torsos::{ShellConstraints, Softness, Solref, TorsoConfig};

/// Contact stiffness of a flex [1/s²]: stiffer than the default's 2500, well below the 4 ms that chatter.
const FLEX_CONTACT: f64 = 5000.0;
/// Damping that a physics step of length h still resolves, times h.
const DAMPING_STEP: f64 = 1.0;

/// The two numbers of a torso, each in its own unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct TorsoParameters {
    is_flex: bool,
    target: Softness,
    /// Greatest damping of a constraint [1/s].
    most_damping: f64,
}

impl TorsoParameters {
    /// The parameters of a kind of torso, for a target and a physics step [s].
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
            let rest = ShellConstraints::matching(&self.target, 1.0 / self.most_damping).rest;
            [rest.stiffness, rest.damping]
        }
    }

    /// Least and greatest of each.
    pub(super) fn bounds(&self) -> [[f64; 2]; 2] {
        if self.is_flex {
            [[10.0, 50_000.0], [0.1, 500.0]]
        } else {
            [
                [Solref::STIFFNESS[0], ShellConstraints::STIFFEST_REST],
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
