//! What instruments and supports are made of: solids on given ways.

use std::rc::Rc;

use insonate_tissue::tool::{Shape, Tool};
use nalgebra::Isometry3;

/// A pose in world at each time [s].
pub(super) type Path = Rc<dyn Fn(f64) -> Isometry3<f64>>;

/// Whose part it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// The instrument whose force is told.
    Tool,
    /// The rest: table, clamps, what an organ hangs from.
    Support,
}

/// What it does to tissue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Touch {
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
pub(super) enum Look {
    Steel,
    Handle,
    Hidden,
}

/// A rigid part.
#[derive(Clone)]
pub(super) struct Part {
    pub(super) shape: Shape,
    pub(super) path: Path,
    pub(super) owner: Owner,
    pub(super) touch: Touch,
    pub(super) look: Look,
}

impl Part {
    /// A part that does not move.
    pub(super) fn support(shape: Shape, at: Isometry3<f64>, touch: Touch, look: Look) -> Self {
        Self {
            shape,
            path: Rc::new(move |_| at),
            owner: Owner::Support,
            touch,
            look,
        }
    }

    /// A part of the instrument, at a pose in its frame.
    pub(super) fn tool(
        shape: Shape,
        frame: &Path,
        local: Isometry3<f64>,
        touch: Touch,
        look: Look,
    ) -> Self {
        let frame = frame.clone();
        Self {
            shape,
            path: Rc::new(move |time| frame(time) * local),
            owner: Owner::Tool,
            touch,
            look,
        }
    }

    /// How it is and moves from a time on, to be where it should after a step [s].
    pub(super) fn at(&self, time: f64, step: f64) -> Tool {
        let (now, then) = ((self.path)(time), (self.path)(time + step));
        let friction = match self.touch {
            Touch::Contact { friction } => friction,
            Touch::Hold { .. } | Touch::Nothing => 0.0,
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
        matches!(self.touch, Touch::Hold { from } if time >= from - 1e-9)
    }
}
