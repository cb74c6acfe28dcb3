//! Triangles that a tool could touch soon, so that a step does not look at the whole skin.

use nalgebra::{Matrix3, UnitQuaternion, Vector3};

use super::skin::Skin;
use crate::tool::{Shape, Tool};

/// Further distance within which triangles are taken [m]. It is large compared with the motion in a step, and small compared with a torso.
const SPARE: f64 = 0.005;
/// Motion of a point by which its known distance from the tool becomes too old [m].
const OLD: f64 = 0.0005;
/// Greatest change of a distance per motion: each of the three derivatives of a sampled distance is at most 1.
const STEEPEST: f64 = 1.733;

/// Pose of a tool when its list of triangles was made, and the distance from it of the triangles at rest [m].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Reference {
    pub(super) position: Vector3<f64>,
    pub(super) rotation: UnitQuaternion<f64>,
    pub(super) within: f64,
}

impl Reference {
    pub(super) fn new(tool: &Tool, distance: f64) -> Self {
        Self {
            position: tool.position,
            rotation: tool.rotation,
            within: distance + SPARE,
        }
    }

    /// Whether no other triangle can be within a distance [m] of the tool.
    pub(super) fn serves(&self, tool: &Tool, distance: f64) -> bool {
        let turned = self.rotation.angle_to(&tool.rotation);
        let moved = (tool.position - self.position).norm()
            + if turned > 0.0 {
                turned * tool.shape.reach()
            } else {
                0.0
            };
        distance + moved <= self.within
    }
}

/// The triangles near one tool, for as long as nothing has moved by more than [`SPARE`].
#[derive(Debug, Clone, Default)]
pub(super) struct Candidates {
    pub(super) triangles: Vec<Candidate>,
    /// Distances of the sample points of all triangles from the tool when they were last computed [m].
    distances: Vec<f64>,
}

#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) number: u32,
    /// Corners in the tool's frame when distances were computed [m].
    pub(super) corners: [Vector3<f64>; 3],
    /// Least of these distances [m].
    least: f64,
}

impl Candidates {
    /// The triangles that at rest are near a reference, in ascending order.
    pub(super) fn new(skin: &Skin, shape: &Shape, reference: &Reference) -> Self {
        let into_tool = reference
            .rotation
            .to_rotation_matrix()
            .into_inner()
            .transpose();
        let reach = shape.reach();
        let is_near = |&number: &u32| {
            let triangle = &skin.triangles[number as usize];
            let within = triangle.radius + reference.within;
            let arm = triangle.middle - reference.position;
            arm.norm_squared() <= (reach + within).powi(2)
                && shape.least_distance(&(into_tool * arm)) <= within
        };
        let numbers = (0..skin.triangles.len() as u32).filter(is_near);
        let triangles: Vec<Candidate> = numbers
            .map(|number| Candidate {
                number,
                corners: [Vector3::from_element(f64::INFINITY); 3],
                least: 0.0,
            })
            .collect();
        Self {
            distances: vec![0.0; triangles.len() * skin.samples.len()],
            triangles,
        }
    }

    /// Lower bound of the distance of a triangle from the tool [m], with its corners in the tool's frame.
    pub(super) fn least(
        &mut self,
        index: usize,
        corners: &[Vector3<f64>; 3],
        skin: &Skin,
        shape: &Shape,
    ) -> f64 {
        let candidate = &mut self.triangles[index];
        let change = change(corners, &candidate.corners);
        if change <= OLD {
            return candidate.least - change;
        }
        let n = skin.samples.len();
        let distances = &mut self.distances[index * n..(index + 1) * n];
        candidate.corners = *corners;
        candidate.least = f64::INFINITY;
        for (distance, weights) in distances.iter_mut().zip(&skin.samples) {
            *distance = shape.distance(&weighted(corners, weights));
            candidate.least = candidate.least.min(*distance);
        }
        candidate.least
    }

    /// Known distances of the sample points of a triangle [m].
    pub(super) fn distances(&self, index: usize, skin: &Skin) -> &[f64] {
        let n = skin.samples.len();
        &self.distances[index * n..(index + 1) * n]
    }
}

/// Greatest change of the distance of any point of a triangle from the tool, whose corners have moved [m].
#[inline]
pub(super) fn change(now: &[Vector3<f64>; 3], before: &[Vector3<f64>; 3]) -> f64 {
    let squared = now
        .iter()
        .zip(before)
        .map(|(now, before)| (now - before).norm_squared())
        .fold(0.0, f64::max);
    STEEPEST * squared.sqrt()
}

#[inline]
pub(super) fn weighted(corners: &[Vector3<f64>; 3], weights: &[f64; 3]) -> Vector3<f64> {
    corners[0] * weights[0] + corners[1] * weights[1] + corners[2] * weights[2]
}

/// Rotation from world into a tool's frame.
pub(super) fn into_tool(tool: &Tool) -> Matrix3<f64> {
    tool.rotation.to_rotation_matrix().into_inner().transpose()
}
