//! The frame that follows an element.

use nalgebra::{Matrix3, SMatrix, Vector3};

/// The frame of an element, and its rotation with the nodes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    /// Axes of the frame in the world.
    pub(crate) to_world: Matrix3<f64>,
    /// Length of the chord [m].
    pub(crate) length: f64,
    /// Derivative of the frame's rotation ω with respect to z = (u₂ − u₁, w₁, w₂), all in the
    /// frame.
    pub(crate) spin: SMatrix<f64, 3, 9>,
    /// Second axes of the two nodes, in the frame.
    pub(super) seconds: [Vector3<f64>; 2],
}

impl Frame {
    /// The frame between two nodes; `None` if chord and second axes are parallel or vanish.
    pub(super) fn between(
        positions: [&Vector3<f64>; 2],
        rotations: [&Matrix3<f64>; 2],
    ) -> Option<Self> {
        let chord = positions[1] - positions[0];
        let length = chord.norm();
        let seconds = rotations.map(|rotation| rotation.column(1).into_owned());
        let mean: Vector3<f64> = 0.5 * (seconds[0] + seconds[1]);
        let first = chord / length;
        let third = first.cross(&mean);
        let width = third.norm();
        // This form of the comparison also fails for NaN.
        if !(width > 1e-3 && length > 0.0) {
            return None;
        }
        let third = third / width;
        let second = third.cross(&first);
        let to_world = Matrix3::from_columns(&[first, second, third]);
        let to_frame = to_world.transpose();
        let seconds = seconds.map(|second| to_frame * second);
        let mean = 0.5 * (seconds[0] + seconds[1]);

        let mut spin = SMatrix::<f64, 3, 9>::zeros();
        spin[(0, 2)] = -mean.x / (mean.y * length);
        for end in 0..2 {
            spin[(0, 3 + 3 * end)] = 0.5 * seconds[end].y / mean.y;
            spin[(0, 4 + 3 * end)] = -0.5 * seconds[end].x / mean.y;
        }
        spin[(1, 2)] = -1.0 / length;
        spin[(2, 1)] = 1.0 / length;
        Some(Self {
            to_world,
            length,
            spin,
            seconds,
        })
    }
}
