//! Contact of faces with tools that may be smaller than a face. The deepest point of a face is treated as a point of
//! the body, with the compliance of the material beneath the face.
//!
//! The search alternates: from a point of the face to the core of the tool along the normal of its surface, then to the
//! nearest point of the face. It finds the deepest point in one step for a ball, and converges to it for other convex
//! solids.

use nalgebra::Vector3;

use super::{Contacts, WorldTool};
use crate::tool::{Shape, Tool};
use crate::xpbd::lane_layout::LaneLayout;
use crate::xpbd::state::WorldState;
use crate::xpbd::topology::Face;

/// Maximum number of search steps.
const N_STEPS: usize = 32;
/// Change of the weights below which the search ends.
const SETTLED: f64 = 2e-3;

/// Weight above which the point counts as the vertex, which has been handled already.
const AT_VERTEX: f64 = 0.999;

impl<Y: LaneLayout> Contacts<'_, Y> {
    /// A face that may touch a tool.
    pub(super) fn solve_face(&mut self, face: &Face, at: &WorldTool<'_>, state: &mut WorldState) {
        let tool = at.tool;
        // The deepest point over a plane is a vertex, and infinite friction holds vertices.
        if matches!(tool.shape, Shape::HalfSpace)
            || tool.friction == f64::INFINITY
            || face.vertices.iter().any(|it| state.is_untouchable(*it))
        {
            return;
        }
        let corners = face.vertices.map(|vertex| self.position(vertex, at.world));
        // In the tool's frame.
        let corners = corners.map(|corner| {
            tool.rotation
                .inverse_transform_vector(&(corner - tool.position))
        });
        if is_apart(&tool.shape, &corners, N_QUARTERINGS) {
            return;
        }
        let weights = deepest(tool, &corners);
        if weights.iter().any(|weight| *weight > AT_VERTEX) {
            return;
        }
        let vertices = [0, 1, 2].map(|i| (face.vertices[i], weights[i]));
        let compliance = face.compliance * covering(tool, &corners);
        self.solve_point(&vertices, compliance, at, state);
    }
}

/// Number of times that a face is quartered to show that it is outside a tool.
const N_QUARTERINGS: u32 = 2;

/// Whether the ball around a face, or the balls around its quarters, are outside a solid. Corners are in the solid's
/// frame.
fn is_apart(shape: &Shape, corners: &[Vector3<f64>; 3], n_quarterings: u32) -> bool {
    let center = (corners[0] + corners[1] + corners[2]) / 3.0;
    let radius = corners.iter().map(|corner| (corner - center).norm());
    let radius = radius.fold(0.0, f64::max);
    let distance = shape.least_distance(&center);
    if distance > radius {
        return true;
    }
    // The quarter in the middle has the same centre.
    n_quarterings > 0
        && distance > 0.5 * radius
        && corners.iter().all(|near| {
            let quarter = corners.map(|corner| (corner + near) * 0.5);
            is_apart(shape, &quarter, n_quarterings - 1)
        })
}

/// Radius of a ball at the centre of a tool, or of any ball along its axis [m].
fn core(tool: &Tool) -> f64 {
    match &tool.shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => *radius,
        Shape::Cylinder {
            radius,
            half_length,
        } => radius.min(*half_length),
        Shape::Cuboid { half } => half[0].min(half[1]).min(half[2]),
        // A mesh contains a ball of this radius everywhere except at its points and edges.
        Shape::Field(_) => 0.1 * tool.shape.reach(),
        Shape::HalfSpace => 0.0,
    }
}

/// Share of a face that a tool covers by its width. A narrow tool touches a point, not the column beneath the face.
fn covering(tool: &Tool, [a, b, c]: &[Vector3<f64>; 3]) -> f64 {
    let width = core(tool).powi(2) / (0.5 * (b - a).cross(&(c - a)).norm());
    width * width / (1.0 + width * width)
}

/// Weights of the deepest point of a triangle in the tool's frame.
fn deepest(tool: &Tool, corners: &[Vector3<f64>; 3]) -> [f64; 3] {
    let core = core(tool);
    let mut weights = [1.0 / 3.0; 3];
    let mut best = (f64::INFINITY, weights);
    for _ in 0..N_STEPS {
        let point = corners[0] * weights[0] + corners[1] * weights[1] + corners[2] * weights[2];
        let surface = tool.shape.surface(&point);
        if surface.distance < best.0 {
            best = (surface.distance, weights);
        }
        let inward = surface.normal * (surface.distance + core);
        let before = weights;
        weights = nearest(corners, &(point - inward));
        let change = weights
            .iter()
            .zip(before)
            .map(|(now, then)| (now - then).abs());
        if change.fold(0.0, f64::max) < SETTLED {
            break;
        }
    }
    best.1
}

/// Weights of the point of a triangle that is nearest to a point (Ericson 2005, Real-Time Collision Detection, § 5.1.5).
fn nearest([a, b, c]: &[Vector3<f64>; 3], point: &Vector3<f64>) -> [f64; 3] {
    let (ab, ac, ap) = (b - a, c - a, point - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let bp = point - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = d1 / (d1 - d3);
        return [1.0 - v, v, 0.0];
    }
    let cp = point - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = d2 / (d2 - d6);
        return [1.0 - w, 0.0, w];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - w, w];
    }
    let sum = va + vb + vc;
    [va / sum, vb / sum, vc / sum]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_point_is_found() {
        let corners = [[0.0, 0.0, 0.0], [0.1, 0.0, 0.01], [0.0, 0.1, -0.01]].map(Vector3::from);
        for shape in [
            Shape::Sphere { radius: 0.02 },
            Shape::Capsule {
                radius: 0.01,
                half_length: 0.03,
            },
        ] {
            let tool = Tool {
                position: Vector3::new(0.035, 0.03, 0.012),
                rotation: nalgebra::UnitQuaternion::from_scaled_axis(Vector3::new(0.6, 1.2, 0.0)),
                ..Tool::new(shape)
            };
            let corners = corners.map(|corner| {
                tool.rotation
                    .inverse_transform_vector(&(corner - tool.position))
            });
            let depth = |w: [f64; 3]| {
                let point = corners[0] * w[0] + corners[1] * w[1] + corners[2] * w[2];
                tool.shape.surface(&point).distance
            };
            let mut least = f64::INFINITY;
            for i in 0..=200 {
                for j in 0..=200 - i {
                    let (u, v) = (f64::from(i) / 200.0, f64::from(j) / 200.0);
                    least = least.min(depth([u, v, 1.0 - u - v]));
                }
            }
            let found = depth(deepest(&tool, &corners));
            assert!(found < 0.0 && found < least + 3e-4, "{found} {least}");
        }
    }
}
