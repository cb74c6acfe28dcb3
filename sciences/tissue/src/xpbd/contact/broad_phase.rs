//! Broad phase: finds points and faces near tools, sixteen at once, with a rounded bounding box or plane for each tool.

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use nalgebra::Vector3;

use crate::lanes::{self, Kernel, Lanes, Row};
use crate::tool::{RoundedBox, Tool};
use crate::xpbd::lane_layout::{LaneLayout, LaneSet};
use crate::xpbd::model::FaceGroup;
use crate::xpbd::points::RowOfPoints as _;
use crate::xpbd::vector::{self, Vec3};

/// Relative margin of the bounds, for rounding in f32.
const MARGIN: f64 = 1e-5;

/// Bounds of one tool of each lane's world, relative to the origin.
#[derive(Debug)]
pub(super) struct Bounds {
    /// Centre of the box [m].
    center: [Row; 3],
    /// Axes of the box, and its half size along each [m].
    axes: [[Row; 3]; 3],
    half: [Row; 3],
    /// Distance that the tool may extend beyond the box [m]; negative if there is no tool.
    radius: Row,
    /// Plane of a half-space: outward normal, and distance from the origin [m].
    normal: [Row; 3],
    offset: Row,
    has_boxes: bool,
    has_planes: bool,
}

/// Least and greatest coordinates of each lane's points, relative to the origin [m].
#[derive(Debug)]
pub(super) struct Extent {
    low: [Row; 3],
    high: [Row; 3],
}

impl Extent {
    /// Bounds of the points in some rows.
    pub(super) fn of<Y: LaneLayout>(positions: &[Y::Points], rows: &[u32]) -> Self {
        let mut extent = lanes::run(FindExtent::<Y> { positions, rows });
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

    /// Whether a box, aligned with the world, may touch a lane's points.
    fn meets(&self, lane: usize, center: &Vector3<f64>, half: &Vector3<f64>) -> bool {
        (0..3).all(|axis| {
            center[axis] - half[axis] <= f64::from(self.high[axis][lane])
                && center[axis] + half[axis] >= f64::from(self.low[axis][lane])
        })
    }
}

struct FindExtent<'a, Y: LaneLayout> {
    positions: &'a [Y::Points],
    rows: &'a [u32],
}

impl<Y: LaneLayout> Kernel for FindExtent<'_, Y> {
    type Output = Extent;

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) -> Extent {
        let [mut low, mut high] = [f32::MAX, f32::MIN].map(|x| vector::splat(l, [x; 3]));
        for row in self.rows {
            let point = self.positions[*row as usize].load(l);
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
    /// Bounds of the tool of each lane, without tools that are far from all points. All lanes of one world have the
    /// same bounds.
    pub(super) fn new<'a, Y: LaneLayout>(
        origin: &Vector3<f64>,
        extent: &Extent,
        tool: impl Fn(usize) -> Option<&'a Tool>,
    ) -> Self {
        let mut bounds = Self {
            center: [[0.0; 16]; 3],
            axes: [[[0.0; 16]; 3]; 3],
            half: [[0.0; 16]; 3],
            radius: [-1.0; 16],
            normal: [[0.0; 16]; 3],
            offset: [f32::MIN; 16],
            has_boxes: false,
            has_planes: false,
        };
        let n_worlds = 16 / Y::WIDTH;
        for lane in 0..n_worlds {
            let Some(tool) = tool(lane) else { continue };
            match tool.shape.bounds() {
                Some(around) => bounds.add_box(lane, tool, &around, origin, extent),
                None => bounds.add_plane(lane, tool, origin),
            }
        }
        if n_worlds == 1 {
            for row in bounds.rows_mut() {
                *row = [row[0]; 16];
            }
        }
        bounds
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        let vectors =
            self.axes
                .iter_mut()
                .chain([&mut self.center, &mut self.half, &mut self.normal]);
        let single = [&mut self.radius, &mut self.offset];
        vectors.flatten().chain(single)
    }

    fn add_plane(&mut self, lane: usize, tool: &Tool, origin: &Vector3<f64>) {
        let normal = tool.rotation * Vector3::z();
        let offset = normal.dot(&(tool.position - origin));
        self.offset[lane] = (offset + MARGIN * (1e-2 + offset.abs())) as f32;
        for axis in 0..3 {
            self.normal[axis][lane] = normal[axis] as f32;
        }
        self.has_planes = true;
    }

    fn add_box(
        &mut self,
        lane: usize,
        tool: &Tool,
        around: &RoundedBox,
        origin: &Vector3<f64>,
        extent: &Extent,
    ) {
        let center = tool.position + tool.rotation * around.center - origin;
        let axes = tool.rotation.to_rotation_matrix().into_inner();
        let size = around.radius + around.half.norm() + center.norm();
        let radius = around.radius + MARGIN * size;
        let reach = axes.abs() * around.half;
        if !extent.meets(lane, &center, &reach.add_scalar(radius + MARGIN * size)) {
            return;
        }
        for axis in 0..3 {
            self.center[axis][lane] = center[axis] as f32;
            self.half[axis][lane] = around.half[axis] as f32;
            for k in 0..3 {
                self.axes[axis][k][lane] = axes[(k, axis)] as f32;
            }
        }
        self.radius[lane] = radius as f32;
        self.has_boxes = true;
    }

    /// Whether no tool is near.
    pub(super) fn is_empty(&self) -> bool {
        !self.has_boxes && !self.has_planes
    }

    /// Lanes in which a ball around a point may touch the tool.
    #[inline(always)]
    fn near<L: Lanes>(&self, l: L, point: Vec3<L>, radius: L::V) -> u16 {
        let mut lanes = 0;
        if self.has_boxes {
            let arm = vector::sub(l, point, load(l, &self.center));
            let zero = l.splat(0.0);
            let mut square = zero;
            for axis in 0..3 {
                let along = vector::dot(l, arm, load(l, &self.axes[axis]));
                let out = l.max(along, l.sub(zero, along));
                let out = l.max(l.sub(out, l.load(&self.half[axis])), zero);
                square = l.mul_add(out, out, square);
            }
            let own = l.load(&self.radius);
            let reach = l.add(own, radius);
            lanes |= l.less(square, l.mul(reach, reach)) & l.less(zero, own);
        }
        if self.has_planes {
            let height = l.sub(vector::dot(l, point, load(l, &self.normal)), radius);
            lanes |= l.less(height, l.load(&self.offset));
        }
        lanes
    }
}

#[inline(always)]
fn load<L: Lanes>(l: L, rows: &[Row; 3]) -> Vec3<L> {
    [l.load(&rows[0]), l.load(&rows[1]), l.load(&rows[2])]
}

/// Finds the points that may be within a tool.
pub(super) struct FindVertices<'a, Y: LaneLayout> {
    pub(super) bounds: &'a Bounds,
    pub(super) positions: &'a [Y::Points],
    pub(super) rows: &'a [u32],
    pub(super) found: &'a mut Vec<LaneSet>,
}

impl<Y: LaneLayout> Kernel for FindVertices<'_, Y> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, l: L) {
        for row in self.rows {
            let point = self.positions[*row as usize].load(l);
            let lanes = self.bounds.near(l, point, l.splat(0.0));
            if lanes != 0 {
                self.found.push((*row, lanes));
            }
        }
    }
}

/// Finds the faces that may touch a tool.
pub(super) struct FindFaces<'a, Y: LaneLayout> {
    pub(super) bounds: &'a Bounds,
    pub(super) faces: &'a [FaceGroup<Y>],
    pub(super) positions: &'a [Y::Points],
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
