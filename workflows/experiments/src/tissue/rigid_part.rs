//! Parts of instruments and supports: solids on prescribed paths.

use std::rc::Rc;

use insonate_tissue::tool::{Shape, Tool};
use nalgebra::Isometry3;

/// Pose in the world as a function of time [s].
pub(super) type Path = Rc<dyn Fn(f64) -> Isometry3<f64>>;

/// Role of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The instrument whose force is reported.
    Instrument,
    /// Any other part: table, clamps, attachment of an organ.
    Support,
}

/// Interaction of a part with tissue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Interaction {
    /// Contact with Coulomb friction.
    Contact {
        /// Friction coefficient; with an infinite one, tissue sticks to the part.
        friction: f64,
    },
    /// From a time [s] on, holds the tissue that is inside at that time. Before, it has no effect.
    Hold {
        /// Start of the hold [s].
        from: f64,
    },
    /// No interaction: the part is only drawn.
    Nothing,
}

/// Appearance of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Appearance {
    Steel,
    Handle,
    Hidden,
}

/// A rigid part.
#[derive(Clone)]
pub(super) struct RigidPart {
    pub(super) shape: Shape,
    pub(super) path: Path,
    pub(super) role: Role,
    pub(super) interaction: Interaction,
    pub(super) appearance: Appearance,
}

impl RigidPart {
    /// A part that does not move.
    pub(super) fn support(
        shape: Shape,
        at: Isometry3<f64>,
        interaction: Interaction,
        appearance: Appearance,
    ) -> Self {
        Self {
            shape,
            path: Rc::new(move |_| at),
            role: Role::Support,
            interaction,
            appearance,
        }
    }

    /// A part of the instrument, at a pose in its frame.
    pub(super) fn tool(
        shape: Shape,
        frame: &Path,
        local: Isometry3<f64>,
        interaction: Interaction,
        appearance: Appearance,
    ) -> Self {
        let frame = frame.clone();
        Self {
            shape,
            path: Rc::new(move |time| frame(time) * local),
            role: Role::Instrument,
            interaction,
            appearance,
        }
    }

    /// Pose at a time, with the twist that takes the part to its pose after a step [s].
    pub(super) fn at(&self, time: f64, step: f64) -> Tool {
        let (now, then) = ((self.path)(time), (self.path)(time + step));
        let friction = match self.interaction {
            Interaction::Contact { friction } => friction,
            Interaction::Hold { .. } | Interaction::Nothing => 0.0,
        };
        Tool {
            position: now.translation.vector,
            rotation: now.rotation,
            linear: (then.translation.vector - now.translation.vector) / step,
            angular: (then.rotation * now.rotation.inverse()).scaled_axis() / step,
            friction,
            ..Tool::new(self.shape.clone())
        }
    }

    /// Whether the part holds tissue in a step that begins at a time.
    pub(super) fn holds(&self, time: f64) -> bool {
        matches!(self.interaction, Interaction::Hold { from } if time >= from - 1e-9)
    }
}
