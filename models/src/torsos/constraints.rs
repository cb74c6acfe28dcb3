//! Constraints of a shell, by name, and those that give a probe about a wanted stiffness and damping.
//!
//! A probe on a shell of points feels contact, rest and neighbour constraints in series and in parallel.
//! Each is a spring beside a damper, and where all have the same ratio of damping to stiffness, so has the whole.
//! So one number scales all stiffnesses and another all dampings; between the constraints the ratios are fixed.
//! Neighbours that are stiff spread the load as a solid does, and contact is stiff enough that no capsule sinks by more than half a
//! millimetre or so: then force grows with depth as on a solid ([`TorsoConfig::following`] has the lattice for it).

use std::collections::BTreeMap;

use super::config::TorsoConfig;
use super::softness::Softness;
use super::solref::Solref;
use crate::ModelError;

/// Stiffness of neighbour and contact constraints over that of the rest constraint. At 60 the flat face of an L12-5 sank into the capsules
/// from 15 mm on and fell through them at 28 mm.
const NEIGHBORS: f64 = 30.0;
const CONTACT: f64 = 200.0;
/// The least that is enough for a C5-2, where the stiffest contact that is allowed is less than that.
const LEAST_CONTACT: f64 = 60.0;
/// Rest stiffness [1/s²] for which a C5-2 meets 1 N/m on a lattice that follows it, fitted over 2 to 15 mm of a press at 20 mm/s.
const REST: f64 = 0.234;

/// Constraints of a shell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShellConstraints {
    /// What returns each point to its rest.
    pub rest: Solref,
    /// What makes neighbouring points slide alike.
    pub neighbors: Solref,
    /// Contact with the skin.
    pub contact: Solref,
}

impl ShellConstraints {
    /// Constraints in fixed ratios to the rest constraint's stiffness [1/s²] and damping [1/s]; no damping is above `most_damping` [1/s].
    pub fn of_rest(stiffness: f64, damping: f64, most_damping: f64) -> Self {
        let scaled = |factor: f64| Solref {
            stiffness: (factor * stiffness).clamp(Solref::STIFFNESS[0], Solref::STIFFNESS[1]),
            damping: (factor * damping)
                .clamp(Solref::DAMPING[0], Solref::DAMPING[1].min(most_damping)),
        };
        Self {
            rest: scaled(1.0),
            neighbors: scaled(NEIGHBORS),
            contact: scaled(CONTACT),
        }
    }

    /// The stiffest rest constraint whose companions are still stiff enough [1/s²].
    pub const STIFFEST_REST: f64 = Solref::STIFFNESS[1] / LEAST_CONTACT;

    /// Constraints for which a probe meets about `softness`, at steps of `timestep` [s]. Fitting a scene to a log is more exact.
    pub fn matching(softness: &Softness, timestep: f64) -> Self {
        Self::of_rest(
            REST * softness.stiffness,
            REST * softness.damping,
            1.0 / timestep,
        )
    }
}

impl TorsoConfig {
    /// The same with the constraints of a shell that gives a probe its softness, at steps of `timestep` [s]; constraints that are set
    /// stay.
    pub fn matching(mut self, timestep: f64) -> Self {
        let shell = ShellConstraints::matching(&self.softness, timestep);
        self.rest.get_or_insert(shell.rest);
        self.neighbors.get_or_insert(shell.neighbors);
        self.contact.get_or_insert(shell.contact);
        self
    }

    /// The further constraints of a torso, by name.
    pub const CONSTRAINTS: [&str; 3] = ["rest", "neighbors", "contact"];

    /// The field that holds a constraint.
    pub fn constraint_mut(&mut self, name: &str) -> Option<&mut Option<Solref>> {
        match name {
            "rest" => Some(&mut self.rest),
            "neighbors" => Some(&mut self.neighbors),
            "contact" => Some(&mut self.contact),
            _ => None,
        }
    }

    /// Sets constraints from numbers by name, such as `rest_stiffness` and `rest_damping`.
    ///
    /// # Errors
    /// [`ModelError::Conflict`] for a name that no constraint has, or a stiffness without its damping.
    pub fn apply(&mut self, parameters: &BTreeMap<String, f64>) -> Result<(), ModelError> {
        for name in parameters.keys() {
            let known = name
                .rsplit_once('_')
                .filter(|(_, half)| matches!(*half, "stiffness" | "damping"))
                .is_some_and(|(constraint, _)| Self::CONSTRAINTS.contains(&constraint));
            if !known {
                return Err(ModelError::Conflict(format!(
                    "a torso has no parameter {name:?}; it has rest, neighbors and contact, each with _stiffness and _damping"
                )));
            }
        }
        for name in Self::CONSTRAINTS {
            let value = |half: &str| parameters.get(&format!("{name}_{half}")).copied();
            let solref = match (value("stiffness"), value("damping")) {
                (Some(stiffness), Some(damping)) => Solref { stiffness, damping },
                (None, None) => continue,
                _ => {
                    return Err(ModelError::Conflict(format!(
                        "{name}_stiffness and {name}_damping must be given together"
                    )));
                }
            };
            if let Some(field) = self.constraint_mut(name) {
                *field = Some(solref);
            }
        }
        Ok(())
    }
}
