//! Constraints of a shell, by name, and constraints for a given stiffness and damping under a probe.
//!
//! A probe on a shell of points feels contact, rest and neighbour constraints in series and in parallel.
//! Each is a spring parallel to a damper. If all have the same ratio of damping to stiffness, the combination has this ratio too.
//! So one factor scales all stiffnesses and another all dampings; the ratios between the constraints are fixed.
//! Stiff neighbour constraints spread the load as in a solid, and contact is stiff enough that no capsule sinks by more than about half a
//! millimetre. The force then grows with depth as on a solid (with a lattice from [`TorsoConfig::fitted_to_probe`]).

use std::collections::BTreeMap;

use super::config::TorsoConfig;
use super::softness::Softness;
use super::solref::Solref;
use crate::ModelError;

/// Stiffness of neighbour and contact constraints relative to the rest constraint. With a contact stiffness of 60, the flat face of an L12-5
/// sank into the capsules from 15 mm on and fell through them at 28 mm.
const NEIGHBORS: f64 = 30.0;
const CONTACT: f64 = 200.0;
/// Lower limit of the relative contact stiffness for a C5-2, used where [`CONTACT`] would exceed the stiffest allowed contact.
const LEAST_CONTACT: f64 = 60.0;
/// Rest stiffness [1/s²] per 1 N/m under a C5-2 on a lattice matched to it, fitted over 2 to 15 mm of a press at 20 mm/s.
const REST: f64 = 0.234;

/// Constraints of a shell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShellConstraints {
    /// Constraint that returns each point to its rest position.
    pub rest: Solref,
    /// Constraint that couples neighbouring points.
    pub neighbors: Solref,
    /// Contact with the skin.
    pub contact: Solref,
}

impl ShellConstraints {
    /// Constraints in fixed ratios to the rest constraint's stiffness [1/s²] and damping [1/s]. Damping is limited to `most_damping` [1/s].
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

    /// Stiffest rest constraint for which the neighbour and contact constraints are still stiff enough [1/s²].
    pub const STIFFEST_REST: f64 = Solref::STIFFNESS[1] / LEAST_CONTACT;

    /// Constraints that give a probe about `softness`, at a time step of `timestep` [s]. Fitting a scene to a log is more accurate.
    pub fn matching(softness: &Softness, timestep: f64) -> Self {
        Self::of_rest(
            REST * softness.stiffness,
            REST * softness.damping,
            1.0 / timestep,
        )
    }
}

impl TorsoConfig {
    /// Sets the constraints of a shell such that a probe feels the configured softness, at a time step of `timestep` [s]. Constraints that are
    /// already set are kept.
    pub fn with_matched_softness(mut self, timestep: f64) -> Self {
        let shell = ShellConstraints::matching(&self.softness, timestep);
        self.rest.get_or_insert(shell.rest);
        self.neighbors.get_or_insert(shell.neighbors);
        self.contact.get_or_insert(shell.contact);
        self
    }

    /// The names of the optional constraints of a torso.
    pub const CONSTRAINTS: [&str; 3] = ["rest", "neighbors", "contact"];

    /// The field that holds a constraint, by name.
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
    /// [`ModelError::Conflict`] if a name is unknown, or if a stiffness or damping lacks its counterpart.
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
