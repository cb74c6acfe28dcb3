//! Finds points and faces near tools, sixteen at once, by a rod around each tool, or its plane.

#![expect(
    clippy::inline_always,
    reason = "kernels must be part of the function that has the processor's features"
)]

use nalgebra::Vector3;

use crate::lanes::{Kernel, Lanes, Row};
use crate::tool::{Shape, Tool};
use crate::xpbd::lane_layout::{self, LaneLayout, LaneSet, PointRow};
use crate::xpbd::model::FaceGroup;
use crate::xpbd::vector::{self, Vec3};

/// Part by which bounds are wider than tools, for rounding in f32.
const MARGIN: f64 = 1e-5;

/// Bounds of one tool of each lane's world, relative to the origin.
#[derive(Debug)]
pub(super) struct Bounds {
    /// Middle of a rod, and from there to its end [m].
    center: [Row; 3],
    half: [Row; 3],
    /// 1 / |half|², or 0.
    per_square: Row,
    /// Radius of the rod [m]; negative: there is none.
    radius: Row,
    /// Plane of a half-space: outward normal, and distance from the origin [m].
    normal: [Row; 3],
    offset: Row,
    has_rods: bool,
    has_planes: bool,
}

impl Bounds {
    /// Bounds of the tool of each lane.
    pub(super) fn new<'a>(origin: &Vector3<f64>, tool: impl Fn(usize) -> Option<&'a Tool>) -> Self {
        let mut bounds = Self {
            center: [[0.0; 16]; 3],
            half: [[0.0; 16]; 3],
            per_square: [0.0; 16],
            radius: [-1.0; 16],
            normal: [[0.0; 16]; 3],
            offset: [f32::MIN; 16],
            has_rods: false,
            has_planes: false,
        };
        for lane in 0..16 {
            let Some(tool) = tool(lane) else { continue };
            let center = tool.position - origin;
            if matches!(tool.shape, Shape::HalfSpace) {
                let normal = tool.rotation * Vector3::z();
                let offset = normal.dot(&center);
                bounds.offset[lane] = (offset + MARGIN * (1e-2 + offset.abs())) as f32;
                for axis in 0..3 {
                    bounds.normal[axis][lane] = normal[axis] as f32;
                }
                bounds.has_planes = true;
                continue;
            }
            let (half, radius) = match tool.shape {
                Shape::Capsule {
                    radius,
                    half_length,
                }
                | Shape::Cylinder {
                    radius,
                    half_length,
                } => (tool.rotation * Vector3::z() * half_length, radius),
                _ => (Vector3::zeros(), tool.shape.reach()),
            };
            for axis in 0..3 {
                bounds.center[axis][lane] = center[axis] as f32;
                bounds.half[axis][lane] = half[axis] as f32;
            }
            let square = half.norm_squared();
            if square > 0.0 {
                bounds.per_square[lane] = (1.0 / square) as f32;
            }
            let size = radius + half.norm() + center.norm();
            bounds.radius[lane] = (radius + MARGIN * size) as f32;
            bounds.has_rods = true;
        }
        bounds
    }

    /// Lanes in which a ball around a point may touch the tool.
    #[inline(always)]
    fn near<L: Lanes>(&self, l: L, point: Vec3<L>, radius: L::V) -> u16 {
        let mut lanes = 0;
        if self.has_rods {
            let center = [
                l.load(&self.center[0]),
                l.load(&self.center[1]),
                l.load(&self.center[2]),
            ];
            let half = [
                l.load(&self.half[0]),
                l.load(&self.half[1]),
                l.load(&self.half[2]),
            ];
            let arm = vector::sub(l, point, center);
            let along = l.mul(vector::dot(l, arm, half), l.load(&self.per_square));
            let along = l.max(l.min(along, l.splat(1.0)), l.splat(-1.0));
            let apart = vector::neg_mul_add(l, half, along, arm);
            let reach = l.add(l.load(&self.radius), radius);
            let is_near = l.less(vector::dot(l, apart, apart), l.mul(reach, reach));
            lanes |= is_near & l.less(l.splat(0.0), l.load(&self.radius));
        }
        if self.has_planes {
            let normal = [
                l.load(&self.normal[0]),
                l.load(&self.normal[1]),
                l.load(&self.normal[2]),
            ];
            let height = l.sub(vector::dot(l, point, normal), radius);
            lanes |= l.less(height, l.load(&self.offset));
        }
        lanes
    }
}

/// Finds the points that may be within a tool.
pub(super) struct FindVertices<'a> {
    pub(super) bounds: &'a Bounds,
    pub(super) positions: &'a [PointRow],
    pub(super) found: &'a mut Vec<LaneSet>,
}

impl Kernel for FindVertices<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        for (point, row) in self.positions.iter().zip(0..) {
            let lanes = self
                .bounds
                .near(l, lane_layout::load(l, point), l.splat(0.0));
            if lanes != 0 {
                self.found.push((row, lanes));
            }
        }
    }
}

/// Finds the faces that may touch a tool.
pub(super) struct FindFaces<'a, Y: LaneLayout> {
    pub(super) bounds: &'a Bounds,
    pub(super) faces: &'a [FaceGroup<Y>],
    pub(super) positions: &'a [PointRow],
    pub(super) found: &'a mut Vec<LaneSet>,
}

impl<Y: LaneLayout> Kernel for FindFaces<'_, Y> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        let third = l.splat(1.0 / 3.0);
        for (group, row) in self.faces.iter().zip(0..) {
            let a = Y::load(l, self.positions, &group.vertices[0]);
            let b = Y::load(l, self.positions, &group.vertices[1]);
            let c = Y::load(l, self.positions, &group.vertices[2]);
            let center = vector::scale(l, vector::add(l, a, vector::add(l, b, c)), third);
            let [a, b, c] = [
                vector::sub(l, a, center),
                vector::sub(l, b, center),
                vector::sub(l, c, center),
            ];
            let second = l.max(vector::dot(l, a, a), vector::dot(l, b, b));
            let radius = l.sqrt(l.max(second, vector::dot(l, c, c)));
            let lanes = self.bounds.near(l, center, radius);
            if lanes != 0 {
                self.found.push((row, lanes));
            }
        }
    }
}
