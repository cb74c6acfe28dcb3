//! MuJoCo view of a scope in an airway, created only on demand.

use std::cell::{Cell, OnceCell};
use std::sync::OnceLock;

use insonate_continuum::lumen::TubeNetwork;
use insonate_continuum::navigation::Scope;
use insonate_sim::rod_scene::{RodPose, RodScene, RodSceneDescription, WallView};
use insonate_sim::{CompiledScene, Physics};
use nalgebra::Vector3;

/// Number of rendered points along the rod.
const N_POINTS: usize = 121;

/// Cell width for the mesh of the wall [m].
const CELL_WIDTH: f64 = 1.2e-3;

/// The scene that all environments of a factory share.
#[derive(Default)]
pub(crate) struct ScopeScene(OnceLock<Option<RodScene>>);

impl ScopeScene {
    /// `None` if it cannot be rendered.
    pub(crate) fn get(&self, airways: &TubeNetwork, length: f64, radius: f64) -> Option<&RodScene> {
        let make = || {
            let wall = airways.mesh(CELL_WIDTH).ok()?;
            RodScene::new(&RodSceneDescription {
                normals: &airways.wall_normals(&wall),
                wall: &wall,
                n_nodes: N_POINTS,
                length,
                radius,
                tip_length: 0.07,
                carrier: None,
                view: WallView::Outside,
            })
            .ok()
        };
        self.0.get_or_init(make).as_ref()
    }
}

/// MuJoCo's state of the view, cached until the scope moves.
#[derive(Default)]
pub(crate) struct ScopeView {
    now: OnceCell<Option<Physics>>,
    earlier: Cell<Option<Physics>>,
}

impl ScopeView {
    /// Invalidates the cache after a motion.
    pub(crate) fn invalidate(&mut self) {
        if let Some(physics) = self.now.take() {
            self.earlier.set(physics);
        }
    }

    /// MuJoCo's state with the scope and its target.
    pub(crate) fn show<'a>(
        &'a self,
        scene: &'a RodScene,
        scope: &Scope,
        target: Vector3<f64>,
        time: f64,
    ) -> Option<(&'a CompiledScene, &'a Physics)> {
        let physics = self.now.get_or_init(|| {
            let mut physics = self.earlier.take().or_else(|| scene.physics().ok())?;
            physics.data_mut().set_time(time);
            let tip = scope.state().world_from_tip();
            scene.show(
                &mut physics,
                &RodPose {
                    nodes: &scope.points(N_POINTS),
                    up: tip.rotation * Vector3::z(),
                    target: Some(target),
                },
            );
            Some(physics)
        });
        Some((scene.compiled(), physics.as_ref()?))
    }
}
