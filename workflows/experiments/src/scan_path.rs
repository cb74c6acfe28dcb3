//! The path of a scan: lines over the torso, seen from above, and the probe's targets on the skin below them.

use insonate_sim::Pose;
use insonate_sim::placement::SkinPoint;
use nalgebra::Vector3;

use super::polyline;
use super::probe_scene::ProbeScene;
use super::{ExperimentError, Scan};

/// Half of the length over which the direction of a path with corners is taken [m]: it then turns steadily.
const NEAR: f64 = 0.003;
/// Standard deviation of the smoothing of the skin's normal along a path with corners [m], so that the probe turns steadily over the
/// facets of a skin.
const SMOOTH: f64 = 0.01;

/// Lines over the torso, seen from above.
#[derive(Debug)]
pub(super) struct Path {
    corners: Vec<[f64; 2]>,
    pub(super) length: f64,
    /// Normals of the skin at the corners, smoothed along the path; empty for a line.
    normals: Vec<Vector3<f64>>,
}

/// Target of the probe.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    pub(super) pose: Pose,
    pub(super) skin: SkinPoint,
    /// Unit vector along the path on the skin, in the world.
    pub(super) direction: Vector3<f64>,
}

impl Path {
    pub(super) fn over(probe_scene: &ProbeScene<'_>, scan: &Scan) -> Result<Self, ExperimentError> {
        let corners = scan.corners();
        let mut path = Self {
            length: polyline::length(&corners),
            corners,
            normals: Vec::new(),
        };
        if !scan.via.is_empty() {
            path.normals = path.smooth_normals(probe_scene)?;
        }
        for step in 0..=20 {
            path.at(probe_scene, path.length * f64::from(step) / 20.0)?;
        }
        Ok(path)
    }

    /// Start of the path in the torso's frame [m].
    pub(super) fn start(&self) -> [f64; 2] {
        self.corners[0]
    }

    /// Corners of the path in the world, seen from above [m].
    pub(super) fn in_world(&self, probe_scene: &ProbeScene<'_>) -> Vec<[f64; 2]> {
        let [x, y, _] = probe_scene.torso_position();
        let corners = self.corners.iter();
        corners.map(|own| [own[0] + x, own[1] + y]).collect()
    }

    /// Pose of the probe at the start, above the skin.
    pub(super) fn above_start(
        &self,
        probe_scene: &ProbeScene<'_>,
        scan: &Scan,
    ) -> Result<Pose, ExperimentError> {
        let start = self.at(probe_scene, 0.0)?;
        Ok(Pose {
            position: start.pose.position + start.skin.normal * scan.clearance,
            ..start.pose
        })
    }

    /// Target after `distance` [m] from the start, measured from above.
    pub(super) fn at(
        &self,
        probe_scene: &ProbeScene<'_>,
        distance: f64,
    ) -> Result<Goal, ExperimentError> {
        let ([x, y], [along_x, along_y]) = self.place(distance);
        let mut skin = probe_scene.skin(x, y)?;
        skin.normal = self.normal(distance).unwrap_or(skin.normal);
        let flat = Vector3::new(along_x, along_y, 0.0);
        let direction = (flat - skin.normal * skin.normal.dot(&flat)).normalize();
        Ok(Goal {
            pose: probe_scene.placement.pose_on(&skin, 0.0, Some(direction)),
            skin,
            direction,
        })
    }

    /// Means of the normals around each corner, weighted by a Gaussian of the distance along the path.
    fn smooth_normals(
        &self,
        probe_scene: &ProbeScene<'_>,
    ) -> Result<Vec<Vector3<f64>>, ExperimentError> {
        let normal = |[x, y]: &[f64; 2]| Ok(probe_scene.skin(*x, *y)?.normal);
        let normals = self.corners.iter().map(normal);
        let normals = normals.collect::<Result<Vec<_>, ExperimentError>>()?;
        let places = self.distances();
        let smooth = places.iter().map(|at| {
            let weight = |place: &f64| (-0.5 * ((place - at) / SMOOTH).powi(2)).exp();
            let sum = places
                .iter()
                .zip(&normals)
                .map(|(place, own)| own * weight(place));
            sum.sum::<Vector3<f64>>().normalize()
        });
        Ok(smooth.collect())
    }

    /// Distances of the corners from the start [m].
    fn distances(&self) -> Vec<f64> {
        let parts = 1..=self.corners.len();
        parts
            .map(|n| polyline::length(&self.corners[..n]))
            .collect()
    }

    /// The smoothed normal at a distance from the start; `None` for a line.
    fn normal(&self, distance: f64) -> Option<Vector3<f64>> {
        // Corners are at nearly equal distances.
        let last = self.normals.len().checked_sub(1)?;
        let place = (distance / self.length).clamp(0.0, 1.0) * last as f64;
        let first = (place as usize).min(last.saturating_sub(1));
        let share = place - first as f64;
        let next = self.normals[(first + 1).min(last)];
        Some((self.normals[first] * (1.0 - share) + next * share).normalize())
    }

    /// A place of the path, and a vector along it.
    fn place(&self, distance: f64) -> ([f64; 2], [f64; 2]) {
        let difference = |from: [f64; 2], to: [f64; 2]| [to[0] - from[0], to[1] - from[1]];
        if let [from, to] = self.corners[..] {
            let share = (distance / self.length).clamp(0.0, 1.0);
            let way = difference(from, to);
            return ([0, 1].map(|axis| from[axis] + way[axis] * share), way);
        }
        let distance = distance.clamp(0.0, self.length);
        let [before, behind] = [-NEAR, NEAR].map(|by| polyline::at(&self.corners, distance + by));
        (
            polyline::at(&self.corners, distance),
            difference(before, behind),
        )
    }
}
