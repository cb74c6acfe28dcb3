//! Triangles that a tool could touch soon, so that a step does not look at the whole skin.

use nalgebra::{UnitQuaternion, Vector3};

use super::skin::Skin;
use crate::tool::Tool;

/// Further distance within which triangles are taken [m]. It is large compared with the motion in a step, and small compared with a torso.
const SPARE: f64 = 0.005;

/// The triangles near one tool, for as long as nothing has moved by more than [`SPARE`].
#[derive(Debug, Clone)]
pub(super) struct Candidates {
    position: Vector3<f64>,
    rotation: UnitQuaternion<f64>,
    /// Distance from the tool of the triangles at rest [m].
    within: f64,
    triangles: Vec<u32>,
}

impl Candidates {
    fn new(skin: &Skin, tool: &Tool, distance: f64) -> Self {
        let within = distance + SPARE;
        Self {
            position: tool.position,
            rotation: tool.rotation,
            within,
            triangles: within_distance(skin, 0..skin.triangles.len() as u32, tool, within),
        }
    }

    /// Whether no other triangle can be within a distance [m] of the tool.
    fn serves(&self, tool: &Tool, distance: f64) -> bool {
        let turned = self.rotation.angle_to(&tool.rotation);
        let moved = (tool.position - self.position).norm()
            + if turned > 0.0 {
                turned * tool.shape.reach()
            } else {
                0.0
            };
        distance + moved <= self.within
    }

    /// The triangles that at rest are within a distance [m] of a tool, in ascending order. Computes the list again if it is out of date.
    pub(super) fn near(
        list: &mut Option<Self>,
        skin: &Skin,
        tool: &Tool,
        distance: f64,
    ) -> Vec<u32> {
        let known = list.take().filter(|known| known.serves(tool, distance));
        let known = known.unwrap_or_else(|| Self::new(skin, tool, distance));
        let found = within_distance(skin, known.triangles.iter().copied(), tool, distance);
        *list = Some(known);
        found
    }
}

fn within_distance(
    skin: &Skin,
    triangles: impl Iterator<Item = u32>,
    tool: &Tool,
    distance: f64,
) -> Vec<u32> {
    triangles
        .filter(|&index| {
            let triangle = &skin.triangles[index as usize];
            let own = tool
                .rotation
                .inverse_transform_vector(&(triangle.middle - tool.position));
            tool.shape.least_distance(&own) <= triangle.radius + distance
        })
        .collect()
}
