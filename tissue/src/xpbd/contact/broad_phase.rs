//! Finds points and faces near tools, sixteen at once, by a rod around each tool, or its plane.

#![expect(
    clippy::inline_always,
    reason = "kernels must be part of the function that has the processor's features"
)]

use nalgebra::Vector3;

use crate::lanes::{self, Kernel, Lanes, Row};
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

/// Least and greatest coordinates of each lane's points, relative to the origin [m].
#[derive(Debug)]
pub(super) struct Extent {
    low: [Row; 3],
    high: [Row; 3],
}

impl Extent {
    /// Of all points.
    pub(super) fn of<Y: LaneLayout>(positions: &[PointRow]) -> Self {
        let mut extent = lanes::run(FindExtent(positions));
        if Y::WIDTH > 1 {
            for axis in 0..3 {
                let low = extent.low[axis].iter().copied().fold(f32::MAX, f32::min);
                let high = extent.high[axis].iter().copied().fold(f32::MIN, f32::max);
                extent.low[axis] = [low; 16];
                extent.high[axis] = [high; 16];
            }
        }
        extent
    }

    /// Whether a rod may touch a lane's points.
    fn meets(&self, lane: usize, center: &Vector3<f64>, half: &Vector3<f64>, radius: f64) -> bool {
        (0..3).all(|axis| {
            let reach = half[axis].abs() + radius;
            center[axis] - reach <= f64::from(self.high[axis][lane])
                && center[axis] + reach >= f64::from(self.low[axis][lane])
        })
    }
}

struct FindExtent<'a>(&'a [PointRow]);

impl Kernel for FindExtent<'_> {
    type Output = Extent;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Extent {
        let [mut low, mut high] = [f32::MAX, f32::MIN].map(|x| vector::splat(l, [x; 3]));
        for point in self.0 {
            let point = lane_layout::load(l, point);
            for axis in 0..3 {
                low[axis] = l.min(low[axis], point[axis]);
                high[axis] = l.max(high[axis], point[axis]);
            }
        }
        let mut extent = Extent {
            low: [[0.0; 16]; 3],
            high: [[0.0; 16]; 3],
        };
        for axis in 0..3 {
            l.store(low[axis], &mut extent.low[axis]);
            l.store(high[axis], &mut extent.high[axis]);
        }
        extent
    }
}

impl Bounds {
    /// Bounds of the tool of each lane, but of those that are far from all points.
    pub(super) fn new<'a>(
        origin: &Vector3<f64>,
        extent: &Extent,
        tool: impl Fn(usize) -> Option<&'a Tool>,
    ) -> Self {
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
            let size = radius + half.norm() + center.norm();
            let radius = radius + MARGIN * size;
            if !extent.meets(lane, &center, &half, radius + MARGIN * size) {
                continue;
            }
            for axis in 0..3 {
                bounds.center[axis][lane] = center[axis] as f32;
                bounds.half[axis][lane] = half[axis] as f32;
            }
            let square = half.norm_squared();
            if square > 0.0 {
                bounds.per_square[lane] = (1.0 / square) as f32;
            }
            bounds.radius[lane] = radius as f32;
            bounds.has_rods = true;
        }
        bounds
    }

    /// Whether no tool is near.
    pub(super) fn is_empty(&self) -> bool {
        !self.has_rods && !self.has_planes
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
