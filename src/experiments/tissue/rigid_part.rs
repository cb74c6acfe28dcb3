//! What instruments and supports are made of: solids on prescribed paths.

use std::rc::Rc;

use insonate_tissue::tool::{Shape, Tool};
use nalgebra::Isometry3;

/// A pose in world at each time [s].
pub(super) type Path = Rc<dyn Fn(f64) -> Isometry3<f64>>;

/// What the part belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The instrument whose force is reported.
    Instrument,
    /// The rest: table, clamps, what an organ hangs from.
    Support,
}

/// What it does to tissue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Interaction {
    /// Pushes it, with Coulomb's friction.
    Contact {
        /// Its coefficient; infinite: what has touched it stays.
        friction: f64,
    },
    /// From a time [s] on, holds what is within it then; before, it is not there.
    Hold {
        /// That time.
        from: f64,
    },
    /// Nothing: it is only seen.
    Nothing,
}

/// What it looks like.
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

    /// Its pose and twist at a time, such that it is where it should be after a step [s].
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

    /// Whether it holds tissue in a step that begins at a time.
    pub(super) fn holds(&self, time: f64) -> bool {
        matches!(self.interaction, Interaction::Hold { from } if time >= from - 1e-9)
    }
}
