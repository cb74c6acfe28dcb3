//! Reference motions: straight line and spiral of the tool, and the excitation for identification.

use std::f64::consts::TAU;

use insonate_dvrk::identification::FourierTrajectory;
use insonate_dvrk::{DvrkError, JointVector, Psm, coupling};
use nalgebra::{IsometryMatrix3, Translation3, Vector3};

/// Positions, velocities and accelerations of the joints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointState {
    /// Positions [rad, m].
    pub q: JointVector,
    /// Velocities [rad/s, m/s].
    pub dq: JointVector,
    /// Accelerations [rad/s², m/s²].
    pub ddq: JointVector,
}

impl JointState {
    /// State at rest at `q`.
    pub fn at_rest(q: JointVector) -> Self {
        Self {
            q,
            dq: JointVector::zeros(),
            ddq: JointVector::zeros(),
        }
    }
}

/// Start of the line, in joints [rad, m]: the state of the authors' simulation once its controller has caught up.
pub const LINE_START: [f64; 7] = [-0.51, 0.07, 0.1143, 0.0, 0.0, -0.1, 0.1];
/// Start of the spiral, in joints [rad, m].
pub const SPIRAL_START: [f64; 7] = [0.0, 0.0, 0.1, 0.0, 0.0, -0.1, 0.1];

/// Time between the samples of a path for the computation of velocities and accelerations [s].
const STENCIL: f64 = 1e-3;

/// A motion of the arm.
#[derive(Debug, Clone)]
pub enum JointMotion {
    /// The tool's point moves from its pose at `start` with `velocity` [m/s] in frame 0; its orientation is constant.
    Line {
        /// Joint positions of the start [rad, m].
        start: JointVector,
        /// Velocity in frame 0 [m/s].
        velocity: Vector3<f64>,
    },
    /// The tool's point moves on `(A cos, A sin, h cos)` about a centre such that it passes the pose at `start` at time zero;
    /// its orientation is constant.
    Spiral {
        /// Joint positions of the start [rad, m].
        start: JointVector,
        /// Radius A [m].
        radius: f64,
        /// Half height h [m].
        height: f64,
        /// Frequencies of the circle and of the height [Hz].
        rates: [f64; 2],
    },
    /// The tool's point moves down and up again, smoothly, while it sways across the arm; its orientation is constant.
    Press {
        /// Joint positions of the start [rad, m].
        start: JointVector,
        /// Travel downwards [m].
        travel: f64,
        /// Frequency [Hz].
        rate: f64,
        /// Half of the lateral travel, at half that frequency [m].
        sweep: f64,
    },
    /// A periodic motion of the motors.
    Excitation(Box<FourierTrajectory>),
}

impl JointMotion {
    /// The line of the authors' program: 5 mm/s along each axis (Ferro et al. 2022 give its length as 0.09 m in 10 s).
    pub fn line() -> Self {
        Self::Line {
            start: LINE_START.into(),
            velocity: Vector3::new(-0.005, -0.005, 0.005),
        }
    }

    /// The spiral of the authors' program: 45 mm at 0.75 Hz, 15 mm at 0.1 Hz.
    ///
    /// The paper's text says 50 mm at 1.5 Hz and 30 mm at 0.5 Hz. This is 4.4 m/s² at 0.1 m from the remote centre, twice the limit of the
    /// yaw motor.
    pub fn spiral() -> Self {
        Self::Spiral {
            start: SPIRAL_START.into(),
            radius: 0.045,
            height: 0.015,
            rates: [0.75, 0.1],
        }
    }

    /// The joints at time `t` [s].
    ///
    /// # Errors
    /// [`DvrkError`] if the tool cannot reach the pose.
    pub fn at(&self, psm: &Psm, t: f64) -> Result<JointState, DvrkError> {
        if let Self::Excitation(trajectory) = self {
            let [q, dq, ddq] = trajectory
                .at(t)
                .map(|motors| coupling::joint_from_motor(&motors));
            return Ok(JointState { q, dq, ddq });
        }
        // Fourth-order differences of an exact path; their error is about 1e-8 rad/s².
        let mut samples = [JointVector::zeros(); 5];
        for (offset, sample) in samples.iter_mut().enumerate() {
            *sample = self.joints(psm, t + STENCIL * (offset as f64 - 2.0))?;
        }
        let [a, b, q, c, d] = samples;
        Ok(JointState {
            q,
            dq: (a - 8.0 * b + 8.0 * c - d) / (12.0 * STENCIL),
            ddq: (-a + 16.0 * b - 30.0 * q + 16.0 * c - d) / (12.0 * STENCIL * STENCIL),
        })
    }

    fn joints(&self, psm: &Psm, t: f64) -> Result<JointVector, DvrkError> {
        let (start, shift) = match self {
            Self::Line { start, velocity } => (start, velocity * t),
            Self::Spiral {
                start,
                radius,
                height,
                rates: [circle, rise],
            } => {
                let (sin, cos) = (TAU * circle * t).sin_cos();
                let lift = (TAU * rise * t).cos();
                let at = Vector3::new(radius * (cos - 1.0), radius * sin, height * (lift - 1.0));
                (start, at)
            }
            Self::Excitation(trajectory) => {
                return Ok(coupling::joint_from_motor(&trajectory.at(t)[0]));
            }
            Self::Press {
                start,
                travel,
                rate,
                sweep,
            } => {
                let down = 0.5 * travel * (1.0 - (TAU * rate * t).cos());
                let across = 0.5 * sweep * (1.0 - (0.5 * TAU * rate * t).cos());
                (start, Vector3::new(across, 0.0, -down))
            }
        };
        let pose = psm.tool_pose(start);
        let moved = IsometryMatrix3::from_parts(
            Translation3::from(pose.translation.vector + shift),
            pose.rotation,
        );
        psm.inverse_kinematics(&moved, start[6] - start[5])
    }
}
