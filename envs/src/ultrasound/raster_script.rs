//! A script that follows a raster of poses.

use nalgebra::{Isometry3, Vector3};

use super::Raster;
use crate::probe::SceneState;

/// Speed of the script [m/s], and the gain of its position error [1/s].
const SPEED: f64 = 0.045;
const RATE: f64 = 3.0;
/// Distance at which the first pose counts as reached, and look-ahead distance after it [m].
const NEAR: f64 = 0.006;
const AHEAD: f64 = 0.015;

/// The poses of a raster that the probe has not passed.
#[derive(Debug, Default)]
pub struct RasterScript {
    /// The last pose first. `None` before a route was chosen.
    route: Option<Vec<Isometry3<f64>>>,
    /// Whether the first pose was reached.
    has_begun: bool,
}

impl RasterScript {
    /// Velocity of the face along and across the array [m/s] that follows the raster from its nearest end; zero without a raster.
    pub fn velocity(&mut self, state: &SceneState, raster: Option<&Raster>) -> Vector3<f64> {
        if self.route.is_none() {
            let here = state.torso_from_probe().translation.vector;
            self.route = raster.map(|raster| raster.route_from(&here));
        }
        let Some(route) = &mut self.route else {
            return Vector3::zeros();
        };
        let probe = &state.probe.world_from_probe;
        let back = probe.rotation.inverse();
        let to = |pose: &Isometry3<f64>| {
            let way = back * (state.in_world(pose).position - probe.position);
            Vector3::new(way.x, way.y, 0.0)
        };
        let is_near = |route: &[Isometry3<f64>], near| {
            route.last().is_some_and(|next| to(next).norm() < near)
        };
        self.has_begun |= is_near(route, NEAR);
        while self.has_begun && route.len() > 1 && is_near(route, AHEAD) {
            route.pop();
        }
        let left = route.last().map_or_else(Vector3::zeros, to);
        (RATE * left).cap_magnitude(SPEED)
    }
}
