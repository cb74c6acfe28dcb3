//! Depth below the skin, on a grid.

use insonate_models::patients::Trunk;
use rayon::prelude::*;

use crate::deformation::{Point, Vector};

/// Distance between nodes [m].
const WIDTH: f32 = 0.006;
/// Margin of the grid around the trunk [m].
const MARGIN: f32 = 0.03;

/// Depth below the skin [m], interpolated between nodes.
#[derive(Clone, Debug)]
pub(super) struct SkinDepth {
    origin: Point,
    count: [usize; 3],
    depths: Vec<f32>,
}

impl SkinDepth {
    pub(super) fn new(trunk: &Trunk) -> Self {
        let [half_width, half_thickness, half_length] = trunk.half_size().map(|x| x as f32);
        let origin = Point::new(-half_width - MARGIN, -half_length - MARGIN, -MARGIN);
        let size = [
            half_width + MARGIN,
            half_length + MARGIN,
            1.15 * half_thickness + MARGIN,
        ]
        .map(|half| 2.0 * half);
        let count = size.map(|size| (size / WIDTH).ceil() as usize + 1);
        let at = |node: usize| {
            let place = [
                node % count[0],
                node / count[0] % count[1],
                node / (count[0] * count[1]),
            ];
            let point = origin + WIDTH * Vector::from(place.map(|n| n as f32));
            depth(trunk, point.coords.map(f64::from).into()) as f32
        };
        let n_nodes = count.iter().product::<usize>();
        Self {
            origin,
            count,
            depths: (0..n_nodes).into_par_iter().map(at).collect(),
        }
    }

    /// Depth at a point [m]; negative outside.
    pub(super) fn depth(&self, point: &Point) -> f32 {
        let place = (point - self.origin) * (1.0 / WIDTH);
        let last = self.count.map(|count| count as f32 - 1.001);
        let inside = (0..3).all(|axis| place[axis] >= 0.0 && place[axis] <= last[axis]);
        if !inside {
            return -MARGIN;
        }
        let [i, j, k] = [place.x as usize, place.y as usize, place.z as usize];
        let off = |place: f32, n: usize| place - n as i32 as f32;
        let [u, v, w] = [off(place.x, i), off(place.y, j), off(place.z, k)];
        let row = self.count[0];
        let at = (k * self.count[1] + j) * row + i;
        let edge = |at: usize| self.depths[at] + u * (self.depths[at + 1] - self.depths[at]);
        let face = |at: usize| edge(at) + v * (edge(at + row) - edge(at));
        let (low, high) = (face(at), face(at + row * self.count[1]));
        low + w * (high - low)
    }

    /// The corners of the grid.
    pub(super) fn bounds(&self) -> [Point; 2] {
        let size = self.count.map(|count| WIDTH * (count - 1) as f32);
        [self.origin, self.origin + Vector::from(size)]
    }

    /// Direction in which the depth grows.
    pub(super) fn inward(&self, point: &Point) -> Vector {
        let slope = |axis: Vector| {
            let step = axis * WIDTH;
            self.depth(&(point + step)) - self.depth(&(point - step))
        };
        let slopes = Vector::new(slope(Vector::x()), slope(Vector::y()), slope(Vector::z()));
        slopes.try_normalize(1e-9).unwrap_or_else(|| -Vector::z())
    }
}

/// The trunk's gauge divided by its slope: approximately the distance to the skin.
fn depth(trunk: &Trunk, point: [f64; 3]) -> f64 {
    const STEP: f64 = 1e-3;
    let value = trunk.distance(point);
    let slope = (0..3).map(|axis| {
        let mut ahead = point;
        ahead[axis] += STEP;
        ((trunk.distance(ahead) - value) / STEP).powi(2)
    });
    -value / slope.sum::<f64>().sqrt().max(0.5)
}
