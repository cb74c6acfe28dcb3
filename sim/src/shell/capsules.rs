//! Centres of a shell's capsules at rest, and the directions in which they slide.

use nalgebra::Vector3;

/// Centres of the capsules and their directions of motion, with the torso where it was compiled.
#[derive(Debug)]
pub(super) struct Capsules {
    /// Centre at rest [m], shape `[3, n_capsules]`.
    center: [Vec<f64>; 3],
    /// Direction of motion, shape `[3, n_capsules]`.
    axis: [Vec<f64>; 3],
    /// Corners of the box around all centres at rest [m].
    low: Vector3<f64>,
    high: Vector3<f64>,
}

impl Capsules {
    pub(super) fn new(center: &[[f64; 3]], axis: &[[f64; 3]]) -> Self {
        let split = |points: &[[f64; 3]]| {
            std::array::from_fn(|k| points.iter().map(|point| point[k]).collect())
        };
        let fold = |start: f64, pick: fn(f64, f64) -> f64| {
            Vector3::from_fn(|k, _| center.iter().map(|point| point[k]).fold(start, pick))
        };
        Self {
            low: fold(f64::INFINITY, f64::min),
            high: fold(f64::NEG_INFINITY, f64::max),
            center: split(center),
            axis: split(&axis[..center.len()]),
        }
    }

    /// Centre of a capsule displaced by `q` [m].
    pub(super) fn center(&self, node: usize, q: f64) -> Vector3<f64> {
        Vector3::from_fn(|k, _| self.center[k][node] + self.axis[k][node] * q)
    }

    /// Whether a sphere does not intersect the box around all centres.
    pub(super) fn is_beyond(&self, center: &Vector3<f64>, radius: f64) -> bool {
        let nearest = center.sup(&self.low).inf(&self.high);
        (center - nearest).norm_squared() > radius * radius
    }

    /// Lists the capsules whose centres at rest lie within a sphere.
    pub(super) fn within(&self, center: &Vector3<f64>, radius: f64, nodes: &mut Vec<u32>) {
        let n_capsules = self.center[0].len();
        nodes.clear();
        nodes.reserve(n_capsules);
        for node in 0..n_capsules {
            if (self.center(node, 0.0) - center).norm_squared() <= radius * radius {
                nodes.push(node as u32);
            }
        }
    }
}
