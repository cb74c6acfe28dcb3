//! MuJoCo view of a surgery: a separate state that is updated only on demand.

use std::cell::{Cell, OnceCell};

use insonate_sim::Physics;
use nalgebra::Vector3;

use super::state::{N_PARTS, SurgeryState};

/// Position of hidden marks [m].
const AWAY: [f64; 3] = [0.0, 0.0, -10.0];

/// MuJoCo's state of the view, created on demand and cached until something moves.
#[derive(Default)]
pub(super) struct SurgeryView {
    /// `None` inside if there was not enough memory.
    now: OnceCell<Option<Physics>>,
    /// An outdated state, to be overwritten.
    earlier: Cell<Option<Physics>>,
}

impl SurgeryView {
    /// Invalidates the cache after a motion.
    pub(super) fn invalidate(&mut self) {
        if let Some(physics) = self.now.take() {
            self.earlier.set(physics);
        }
    }

    /// MuJoCo's state of the surgery with its marks.
    pub(super) fn physics(
        &self,
        state: &SurgeryState,
        marks: &[Option<Vector3<f64>>; 2],
    ) -> Option<&Physics> {
        let picture = self.now.get_or_init(|| {
            let scene = &state.model().scene;
            let earlier = self.earlier.take();
            let mut physics = earlier.or_else(|| Physics::from_scene(scene).ok())?;
            write(&mut physics, state, marks);
            Some(physics)
        });
        picture.as_ref()
    }
}

/// Mocap bodies are in the order of the scene: vertices, parts of the instrument, marks.
fn write(physics: &mut Physics, state: &SurgeryState, marks: &[Option<Vector3<f64>>; 2]) {
    let n_vertices = state.positions().len();
    let data = physics.data_mut();
    data.set_time(state.time());
    let places = data.mocap_pos_mut();
    places[..n_vertices].copy_from_slice(state.positions());
    for (part, (position, _)) in state.parts().iter().enumerate() {
        places[n_vertices + part] = (*position).into();
    }
    for (mark, place) in marks.iter().enumerate() {
        places[n_vertices + N_PARTS + mark] = place.map_or(AWAY, Into::into);
    }
    let turns = data.mocap_quat_mut();
    for (part, (_, rotation)) in state.parts().iter().enumerate() {
        turns[n_vertices + part] = [rotation.w, rotation.i, rotation.j, rotation.k];
    }
    physics.forward();
}
