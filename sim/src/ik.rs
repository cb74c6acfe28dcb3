//! Inverse kinematics: joint positions that bring the probe to a pose.
//!
//! Damped least squares (Wampler 1986, doi:10.1109/TSMC.1986.289285) with a pull towards the start posture in the
//! null space: $ \Delta q = J^T (J J^T + \mu I)^{-1} e + (I - J^+ J)(q_0 - q) $, where the damping $\mu$ shrinks
//! with the error. Positions are clamped to the joint limits in every iteration. If the search from the start posture fails,
//! further starts are taken from a fixed low-discrepancy sequence, so that results are reproducible.

use nalgebra::{DMatrix, DVector, Vector6};

use crate::arm::Arm;
use crate::readings::{ArmContact, ProbeFrame};
use crate::{Physics, Pose, SimError};

/// Parameters of the iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IkConfig {
    /// Largest position error of a solution [m].
    pub position_tolerance: f64,
    /// Largest orientation error of a solution [rad].
    pub angle_tolerance: f64,
    /// Iterations from one start.
    pub max_iterations: usize,
    /// Number of starts that are tried after the current posture.
    pub n_restarts: usize,
    /// Required properties of the posture; `None` accepts any posture.
    pub margins: Option<PostureMargins>,
}

/// Properties of a posture from which the probe can be moved. In addition, the arm must not touch anything there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PostureMargins {
    /// Distance of every joint from its limits [rad or m], above 0.
    pub joint_limit_margin: f64,
    /// Smallest singular value of the Jacobian in m and rad, above 0: near a singular posture, joints move fast while the probe moves slowly.
    pub singular_value: f64,
}

impl Default for IkConfig {
    fn default() -> Self {
        Self {
            position_tolerance: 1e-6,
            angle_tolerance: 1e-6,
            max_iterations: 200,
            n_restarts: 32,
            margins: None,
        }
    }
}

/// Largest change of one joint in one iteration [rad or m].
const MAX_CHANGE: f64 = 0.2;
/// Share of the distance to the start posture that one iteration covers in the null space.
const POSTURE_GAIN: f64 = 0.05;
/// Share of the distance out of the zone near the joint limits that one iteration covers in the null space.
const INWARD_GAIN: f64 = 0.5;
/// Damping per squared error; keeps the first steps from a far start short.
const DAMPING_PER_ERROR: f64 = 0.1;
/// Smallest damping; keeps the matrix invertible in a singular posture.
const MIN_DAMPING: f64 = 1e-10;
/// Span of the restarts of a joint without limits [rad].
const FREE_SPAN: f64 = std::f64::consts::PI;
/// Base of the restart sequence for each joint.
const BASES: [usize; 8] = [2, 3, 5, 7, 11, 13, 17, 19];

/// Joint positions [rad or m] that bring the probe's face to `world_from_probe`, starting from the current posture.
///
/// The physics is left unchanged.
///
/// # Errors
/// [`SimError::Unreachable`] with the remaining error.
pub fn solve(
    physics: &Physics,
    arm: &Arm,
    probe: &ProbeFrame,
    world_from_probe: &Pose,
    config: &IkConfig,
) -> Result<DVector<f64>, SimError> {
    solve_path(physics, arm, probe, &[*world_from_probe], config)
}

/// Joint positions [rad or m] that bring the probe's face to the first pose of a path, such that the arm can follow the path from pose
/// to pose without restarts. The result is the first posture that has the requested [`PostureMargins`] along the whole path, or else the
/// posture that comes nearest to them.
///
/// The physics is left unchanged.
///
/// # Errors
/// [`SimError::Unreachable`] with the remaining error at the pose where the best search ended.
///
/// # Panics
/// If the path has no poses.
pub fn solve_path(
    physics: &Physics,
    arm: &Arm,
    probe: &ProbeFrame,
    path: &[Pose],
    config: &IkConfig,
) -> Result<DVector<f64>, SimError> {
    let mut scratch = Physics::new(physics.model_arc())?;
    scratch.qpos_mut().copy_from_slice(physics.qpos());
    let contact = ArmContact::new(physics.model(), probe);
    let home = arm.positions(physics);
    let mut best: Option<(f64, DVector<f64>)> = None;
    let mut nearest = FailedSearch {
        target: path[0],
        errors: [f64::INFINITY; 2],
    };
    for start in 0..=config.n_restarts {
        let mut search = Search {
            physics: &mut scratch,
            arm,
            probe,
            contact: &contact,
            config,
        };
        match search.along(path, &restart(arm, &home, start)) {
            Ok((share, positions)) if share >= 1.0 => return Ok(positions),
            Ok((share, positions)) => {
                if best.as_ref().is_none_or(|(most, _)| share > *most) {
                    best = Some((share, positions));
                }
            }
            Err(missed) if missed.left() < nearest.left() => nearest = missed,
            Err(_) => {}
        }
    }
    let [position_error, angle_error] = nearest.errors;
    best.map(|(_, positions)| positions)
        .ok_or(SimError::Unreachable {
            target: nearest.target.position.into(),
            position_error,
            angle_error,
        })
}

/// Places the arm at rest with the probe's face at `world_from_probe`, and updates all quantities.
///
/// # Errors
/// As [`solve`].
pub fn place(
    physics: &mut Physics,
    arm: &Arm,
    probe: &ProbeFrame,
    world_from_probe: &Pose,
) -> Result<(), SimError> {
    place_with_path(
        physics,
        arm,
        probe,
        &[*world_from_probe],
        &IkConfig::default(),
    )
}

/// As [`place`], at the first pose of a path.
///
/// # Errors
/// As [`solve_path`].
///
/// # Panics
/// As [`solve_path`].
pub fn place_with_path(
    physics: &mut Physics,
    arm: &Arm,
    probe: &ProbeFrame,
    path: &[Pose],
    config: &IkConfig,
) -> Result<(), SimError> {
    let positions = solve_path(physics, arm, probe, path, config)?;
    write_positions(physics, arm, &positions);
    for joint in &arm.joints {
        physics.qvel_mut()[joint.dof] = 0.0;
    }
    physics.forward();
    Ok(())
}

/// End of a search that did not reach its target.
struct FailedSearch {
    target: Pose,
    /// Errors of position [m] and angle [rad].
    errors: [f64; 2],
}

impl FailedSearch {
    fn left(&self) -> f64 {
        self.errors.iter().sum()
    }
}

/// One search from one start.
struct Search<'a> {
    physics: &'a mut Physics,
    arm: &'a Arm,
    probe: &'a ProbeFrame,
    contact: &'a ArmContact,
    config: &'a IkConfig,
}

impl Search<'_> {
    /// Smallest ratio of a margin to the requested one along the path, and joint positions at its start.
    fn along(
        &mut self,
        path: &[Pose],
        start: &DVector<f64>,
    ) -> Result<(f64, DVector<f64>), FailedSearch> {
        let mut places: Vec<DVector<f64>> = Vec::with_capacity(path.len());
        let mut share = f64::INFINITY;
        for target in path {
            let positions = self.from(places.last().unwrap_or(start), target)?;
            if let Some(margins) = self.config.margins {
                share = share.min(self.share_of(&margins, &positions, target));
                if places.is_empty() && self.touches() {
                    share = 0.0;
                }
            }
            places.push(positions);
        }
        Ok((share, places.swap_remove(0)))
    }

    fn share_of(
        &mut self,
        margins: &PostureMargins,
        positions: &DVector<f64>,
        target: &Pose,
    ) -> f64 {
        let (_, jacobian) = self.linearise(positions, target);
        let singular_value = jacobian.singular_values().min();
        let margin = self.arm.joint_limit_margin(self.physics);
        (margin / margins.joint_limit_margin).min(singular_value / margins.singular_value)
    }

    fn touches(&mut self) -> bool {
        self.physics.forward();
        self.contact.touches(self.physics)
    }

    /// Joint positions at `target`.
    fn from(&mut self, start: &DVector<f64>, target: &Pose) -> Result<DVector<f64>, FailedSearch> {
        let mut positions = start.clone();
        for iteration in 0..self.config.max_iterations {
            let (error, jacobian) = self.linearise(&positions, target);
            if self.is_close(&error) {
                return Ok(positions);
            }
            let mut posture = (start - &positions) * POSTURE_GAIN;
            // In the second half of the iterations, the posture settles.
            if iteration < self.config.max_iterations / 2 {
                posture += self.inward(&positions) * INWARD_GAIN;
            }
            positions += step(&jacobian, &error, &posture);
            clamp(self.arm, &mut positions);
        }
        let (error, _) = self.linearise(&positions, target);
        Err(FailedSearch {
            target: *target,
            errors: [0, 3].map(|row| error.fixed_rows::<3>(row).norm()),
        })
    }

    /// Change of each joint that restores its required distance from the limits.
    fn inward(&self, positions: &DVector<f64>) -> DVector<f64> {
        let wanted = self.config.margins;
        let wanted = wanted.map_or(0.0, |margins| margins.joint_limit_margin);
        let ranges = positions.iter().zip(&self.arm.position_range);
        let path = ranges.map(|(position, [low, high])| {
            let margin = wanted.min(0.5 * (high - low));
            position.clamp(low + margin, high - margin) - position
        });
        DVector::from_iterator(positions.len(), path)
    }

    /// Error of the pose `[m; rad]` in world and the Jacobian there.
    fn linearise(
        &mut self,
        positions: &DVector<f64>,
        target: &Pose,
    ) -> (Vector6<f64>, DMatrix<f64>) {
        write_positions(self.physics, self.arm, positions);
        crate::ffi::update_kinematics(self.physics.data_mut());
        let pose = self.probe.world_from_probe(self.physics);
        let error = pose_error(target, &pose);
        let jacobian = self
            .arm
            .jacobian(self.physics, &pose.position, self.probe.body);
        (
            error,
            DMatrix::from_iterator(6, jacobian.ncols(), jacobian.iter().copied()),
        )
    }

    fn is_close(&self, error: &Vector6<f64>) -> bool {
        error.fixed_rows::<3>(0).norm() < self.config.position_tolerance
            && error.fixed_rows::<3>(3).norm() < self.config.angle_tolerance
    }
}

/// Position error [m] and rotation vector [rad] that lead from `pose` to `target`, in world.
pub(crate) fn pose_error(target: &Pose, pose: &Pose) -> Vector6<f64> {
    let position = target.position - pose.position;
    let angle = (target.rotation * pose.rotation.inverse()).scaled_axis();
    Vector6::new(
        position.x, position.y, position.z, angle.x, angle.y, angle.z,
    )
}

/// Change of the joints towards the target, plus the part of the wanted change of posture that does not move the probe.
fn step(jacobian: &DMatrix<f64>, error: &Vector6<f64>, posture: &DVector<f64>) -> DVector<f64> {
    let damping = MIN_DAMPING + DAMPING_PER_ERROR * error.norm_squared();
    let gram = jacobian * jacobian.transpose() + DMatrix::identity(6, 6) * damping;
    let inverse = gram
        .cholesky()
        .expect("a damped Gram matrix is positive definite");
    let task = jacobian.transpose() * inverse.solve(error);
    let null = posture - jacobian.transpose() * inverse.solve(&(jacobian * posture));
    let change = task + null;
    let largest = change.amax();
    if largest > MAX_CHANGE {
        change * (MAX_CHANGE / largest)
    } else {
        change
    }
}

fn clamp(arm: &Arm, positions: &mut DVector<f64>) {
    for (position, [low, high]) in positions.iter_mut().zip(&arm.position_range) {
        *position = position.clamp(*low, *high);
    }
}

fn write_positions(physics: &mut Physics, arm: &Arm, positions: &DVector<f64>) {
    let qpos = physics.qpos_mut();
    for (joint, position) in arm.joints.iter().zip(positions.iter()) {
        qpos[joint.qpos] = *position;
    }
}

/// Start number `index`: the current posture, then points of the Halton sequence (Halton 1960) in the joint ranges.
fn restart(arm: &Arm, home: &DVector<f64>, index: usize) -> DVector<f64> {
    if index == 0 {
        return home.clone();
    }
    let mut start = home.clone();
    for (joint, position) in start.iter_mut().enumerate() {
        let share = radical_inverse(index, BASES[joint % BASES.len()]);
        let [low, high] = arm.position_range[joint];
        let (low, high) = (
            low.max(*position - FREE_SPAN),
            high.min(*position + FREE_SPAN),
        );
        *position = low + share * (high - low);
    }
    start
}

fn radical_inverse(mut index: usize, base: usize) -> f64 {
    let (mut result, mut digit) = (0.0, 1.0 / base as f64);
    while index > 0 {
        result += (index % base) as f64 * digit;
        index /= base;
        digit /= base as f64;
    }
    result
}
