//! Open chains in Denavit-Hartenberg form: frames and Jacobian of the simpler arms.

use nalgebra::{IsometryMatrix3, Rotation3, SMatrix, Translation3, Vector3};

/// A row `[alpha, a, d, theta]`, and whether its joint is prismatic.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub(crate) row: [f64; 4],
    pub(crate) slides: bool,
}

/// Order of the joint motion within a row.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Convention {
    /// The joint first, then the transform to the next axis (Denavit, Hartenberg 1955).
    Standard,
    /// The transform to the axis first, then the joint (Craig 1989).
    Modified,
}

/// Axis frames of all joints and pose of the last frame, in the base frame.
pub(crate) struct Chain<const N: usize> {
    axes: [IsometryMatrix3<f64>; N],
    slides: [bool; N],
    pub(crate) tip: IsometryMatrix3<f64>,
}

impl<const N: usize> Chain<N> {
    pub(crate) fn new(rows: &[Row; N], convention: Convention, q: &[f64; N]) -> Self {
        let mut tip = IsometryMatrix3::identity();
        let mut axes = [tip; N];
        for (index, Row { row, slides }) in rows.iter().enumerate() {
            let [alpha, a, d, theta] = *row;
            let (angle, offset) = if *slides {
                (0.0, q[index])
            } else {
                (q[index], 0.0)
            };
            let step = IsometryMatrix3::from_parts(
                Translation3::new(a, 0.0, 0.0),
                Rotation3::from_axis_angle(&Vector3::x_axis(), alpha),
            );
            let joint = IsometryMatrix3::from_parts(
                Translation3::new(0.0, 0.0, d + offset),
                Rotation3::from_axis_angle(&Vector3::z_axis(), theta + angle),
            );
            if convention == Convention::Modified {
                tip *= step;
            }
            axes[index] = tip;
            tip *= joint;
            if convention == Convention::Standard {
                tip *= step;
            }
        }
        Self {
            axes,
            slides: rows.map(|row| row.slides),
            tip,
        }
    }

    /// Velocity and angular velocity of the tip per joint velocity, in the base frame.
    pub(crate) fn jacobian(&self) -> SMatrix<f64, 6, N> {
        let point = self.tip.translation.vector;
        SMatrix::from_fn(|row, joint| {
            let frame = &self.axes[joint];
            let axis = frame.rotation * Vector3::z();
            let (v, w) = if self.slides[joint] {
                (axis, Vector3::zeros())
            } else {
                (axis.cross(&(point - frame.translation.vector)), axis)
            };
            if row < 3 { v[row] } else { w[row - 3] }
        })
    }
}
