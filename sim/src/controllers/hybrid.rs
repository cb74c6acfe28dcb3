//! Hybrid motion-force control: force along the probe's axis, motion across it, orientation held.
//!
//! The task is split as in Khatib 1987 and in the thesis' HMFC (K_P,λ = 15, K_D,λ = 2 √15, environment 100 N/m).
//! The wanted axis is $n$ (out of the probe, into the tissue). The probe presses along it with force $f$, and the
//! reference $f_r$ rises to the wanted force:
//!
//! $$ a_n = g_p (f_r - f) + g_i \int (f_r - f) - d_n (v_n - v_{n,path}), \qquad
//!    a_t = k_p e_t - k_d (v_t - v_{t,path}), $$
//! $$ \tau = J^T (\Lambda a + f_r n - f_t) + \tau_{bias} + \text{posture}, $$
//!
//! where $f_t$ is the measured force of the tissue across the axis, limited in magnitude.
//!
//! The thesis damps the rate of the force. Here the velocity along the axis is damped: it is the rate of the force divided
//! by the tissue's stiffness, but without noise and without knowledge of the stiffness. The thesis' $K_P/k$ = 15/100 would
//! be $g_p$ = 0.15 m/s² per N; the default here is larger, which the absence of noise allows.
//!
//! Before contact the probe approaches at a limited speed. Once the force passes a threshold, the reference
//! starts at the force there and rises at a limited rate, so nothing jumps.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::{Controller, JointSpace, OperationalSpace};
use crate::ik::pose_error;
use crate::readings::ForceTorque;
use crate::{Physics, Pose, SimError, Twist};

/// Gains and limits of [`HybridForce`].
#[derive(Debug, Clone, PartialEq)]
pub struct HybridConfig {
    /// Stiffness of motion across the axis per unit of task inertia [1/s²]; the thesis' Pp is 150.
    pub position_stiffness: f64,
    /// Limit of the position error across the axis [m], so that a stuck probe does not pull harder and harder.
    pub max_position_error: f64,
    /// Stiffness of orientation per unit of task inertia [1/s²]; the thesis' Po is 100.
    pub orientation_stiffness: f64,
    /// Ratio of the damping of position and orientation to the critical damping.
    pub damping_ratio: f64,
    /// Acceleration along the axis per force error, g_p [m/s² per N].
    pub force_gain: f64,
    /// Acceleration along the axis per integrated force error, g_i [m/s² per N·s].
    pub force_integral_gain: f64,
    /// Limit of the integral's contribution [m/s²].
    pub max_integral: f64,
    /// Damping of motion along the axis, d_n [1/s].
    pub normal_damping: f64,
    /// Corner frequency of the low-pass filter on the measured force [Hz].
    pub force_cutoff: f64,
    /// Speed towards the surface before contact [m/s].
    pub approach_speed: f64,
    /// Force that counts as contact [N].
    pub contact_force: f64,
    /// Largest measured force across the axis that is cancelled [N]; the limit keeps the force at a wall from growing without bound.
    pub max_cancelled_force: f64,
    /// Rate at which the reference rises to the wanted force [N/s].
    pub force_rate: f64,
    /// Time without force after which contact counts as lost [s].
    pub release_time: f64,
    /// Stiffness of the posture in the null space [1/s²].
    pub null_stiffness: f64,
}

impl Default for HybridConfig {
    fn default() -> Self {
        Self {
            position_stiffness: 600.0,
            max_position_error: 0.01,
            orientation_stiffness: 400.0,
            damping_ratio: 1.0,
            force_gain: 2.0,
            force_integral_gain: 15.0,
            max_integral: 2.0,
            normal_damping: 40.0,
            force_cutoff: 60.0,
            approach_speed: 0.02,
            contact_force: 0.5,
            max_cancelled_force: 5.0,
            force_rate: 25.0,
            release_time: 0.1,
            null_stiffness: 10.0,
        }
    }
}

/// Target of [`HybridForce`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HybridTarget {
    /// Wanted pose. Its z axis is the axis of the force; the position along that axis does not matter.
    pub world_from_probe: Pose,
    /// Velocity of that pose along its path, in world. Its component along the axis is the speed at which the surface recedes, as of a
    /// sinking chest or a slope. It is followed in contact; the approach has its own speed.
    pub twist: Twist,
    /// Force that the probe presses with along its axis [N], positive. It may change with every call; the reference follows at
    /// [`HybridConfig::force_rate`].
    pub force: f64,
}

/// Whether the probe is in contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactPhase {
    /// Approaching the surface.
    Approach,
    /// Regulating force.
    Contact,
}

/// Hybrid controller: force along the probe's axis, motion across it, orientation held.
#[derive(Debug, Clone)]
pub struct HybridForce {
    /// Gains and limits.
    pub config: HybridConfig,
    joints: JointSpace,
    space: OperationalSpace,
    posture: Vec<f64>,
    target: HybridTarget,
    phase: ContactPhase,
    /// Filtered force on the probe in world [N].
    force: Vector3<f64>,
    /// Reference that rises to the wanted force [N].
    force_reference: f64,
    /// Contribution of the integral [m/s²].
    integral: f64,
    /// Time since the last contact force [s].
    released: f64,
}

impl HybridForce {
    /// A controller that approaches along the probe's current axis, with a wanted force of 5 N.
    ///
    /// # Errors
    /// As [`crate::Arm::new`] and [`crate::readings::ProbeFrame::new`]; [`SimError::NoForceSensor`] without the sensor at the tip.
    pub fn new(physics: &Physics, config: HybridConfig) -> Result<Self, SimError> {
        if physics.force_torque().is_none() {
            return Err(SimError::NoForceSensor);
        }
        let joints = JointSpace::new(physics)?;
        let space = OperationalSpace::new(physics, &joints)?;
        Ok(Self {
            config,
            posture: joints.positions.clone(),
            joints,
            target: HybridTarget {
                world_from_probe: space.world_from_probe,
                twist: Twist::default(),
                force: 5.0,
            },
            space,
            phase: ContactPhase::Approach,
            force: Vector3::zeros(),
            force_reference: 0.0,
            integral: 0.0,
            released: 0.0,
        })
    }

    /// Whether the probe is in contact.
    pub fn phase(&self) -> ContactPhase {
        self.phase
    }

    /// Filtered force that the probe presses with along the wanted axis [N].
    pub fn normal_force(&self) -> f64 {
        -self.force.dot(&self.target.world_from_probe.z_axis())
    }

    /// First-order low-pass filter of the measured force.
    fn filter_force(&mut self, measured: Vector3<f64>, dt: f64) {
        let share = 1.0 - (-TAU * self.config.force_cutoff * dt).exp();
        self.force += (measured - self.force) * share;
    }

    fn update_phase(&mut self, dt: f64) {
        let force = self.normal_force();
        match self.phase {
            ContactPhase::Approach if force > self.config.contact_force => {
                self.phase = ContactPhase::Contact;
                self.force_reference = force;
                self.released = 0.0;
            }
            ContactPhase::Approach => {}
            ContactPhase::Contact => {
                let touching = force > 0.2 * self.config.contact_force;
                self.released = if touching { 0.0 } else { self.released + dt };
                if self.released > self.config.release_time {
                    self.phase = ContactPhase::Approach;
                    self.integral = 0.0;
                }
            }
        }
        let change = self.config.force_rate * dt;
        self.force_reference = match self.phase {
            ContactPhase::Approach => 0.0,
            ContactPhase::Contact => {
                self.force_reference
                    + (self.target.force - self.force_reference).clamp(-change, change)
            }
        };
    }

    /// Acceleration along the axis [m/s²] for the velocities of the probe and of the path along it [m/s].
    fn normal_acceleration(&self, velocity: f64, path_velocity: f64) -> f64 {
        let error = self.force_reference - self.normal_force();
        match self.phase {
            ContactPhase::Approach => {
                self.config.normal_damping * (self.config.approach_speed - velocity)
            }
            ContactPhase::Contact => {
                self.config.force_gain * error + self.integral
                    - self.config.normal_damping * (velocity - path_velocity)
            }
        }
    }

    /// Wanted acceleration of the probe in world [m/s², rad/s²].
    fn acceleration(&self) -> [f64; 6] {
        let space = &self.space;
        let HybridConfig {
            position_stiffness,
            orientation_stiffness,
            damping_ratio,
            ..
        } = self.config;
        let axis = self.target.world_from_probe.z_axis();
        let error = pose_error(&self.target.world_from_probe, &space.world_from_probe);
        let across = |vector: Vector3<f64>| vector - axis * axis.dot(&vector);
        let velocity = space.twist.linear - self.target.twist.linear;
        let off_path = across(error.fixed_rows::<3>(0).into());
        let linear = off_path.cap_magnitude(self.config.max_position_error) * position_stiffness
            - across(velocity) * (2.0 * damping_ratio * position_stiffness.sqrt())
            + axis
                * self.normal_acceleration(
                    space.twist.linear.dot(&axis),
                    self.target.twist.linear.dot(&axis),
                );
        let angular = error.fixed_rows::<3>(3) * orientation_stiffness
            - (space.twist.angular - self.target.twist.angular)
                * (2.0 * damping_ratio * orientation_stiffness.sqrt());
        [
            linear.x, linear.y, linear.z, angular.x, angular.y, angular.z,
        ]
    }

    /// Force that the probe must exert to balance the contact force, in world [N].
    fn feed_forward(&self) -> Vector3<f64> {
        let axis = self.target.world_from_probe.z_axis();
        let across = self.force - axis * axis.dot(&self.force);
        axis * self.force_reference - across.cap_magnitude(self.config.max_cancelled_force)
    }

    /// Integrates the force error, unless the motors or the integral are at their limits.
    fn integrate(&mut self, dt: f64, saturated: bool) {
        if self.phase == ContactPhase::Approach || saturated {
            return;
        }
        let error = self.force_reference - self.normal_force();
        let limit = self.config.max_integral;
        let change = self.config.force_integral_gain * error * dt;
        self.integral = (self.integral + change).clamp(-limit, limit);
    }
}

impl Controller for HybridForce {
    type Target = HybridTarget;

    fn reset(&mut self, physics: &Physics) {
        self.joints.read(physics);
        self.posture.copy_from_slice(&self.joints.positions);
        self.target.world_from_probe = self.space.probe().world_from_probe(physics);
        self.target.twist = Twist::default();
        self.phase = ContactPhase::Approach;
        self.force = Vector3::zeros();
        (self.force_reference, self.integral, self.released) = (0.0, 0.0, 0.0);
    }

    fn set_target(&mut self, _physics: &Physics, target: HybridTarget) {
        self.target = target;
    }

    fn control(&mut self, physics: &mut Physics) {
        let measured = physics.force_torque().map(ForceTorque::wrench_in_world);
        self.control_with(physics, measured.unwrap_or_default().force);
    }
}

impl HybridForce {
    /// As [`Controller::control`], with the force of the surroundings on the probe in world [N] that a sensor reports.
    pub fn control_with(&mut self, physics: &mut Physics, measured: Vector3<f64>) {
        let dt = physics.timestep();
        // measured force => filtered force, phase, reference
        self.filter_force(measured, dt);
        self.update_phase(dt);
        // (qpos, qvel) => pose, twist, inertia of the task
        self.joints.read(physics);
        if !self.space.read(physics, &self.joints) {
            // The next step reports the divergence.
            return;
        }
        // errors => acceleration => wrench => torques
        let task = self.acceleration();
        let null = self.config.null_stiffness;
        let posture = self
            .space
            .add_posture_torques(&mut self.joints, &self.posture, null);
        let mut wrench = self
            .space
            .wrench(&std::array::from_fn(|i| task[i] - posture[i]));
        for (entry, force) in wrench.iter_mut().zip(self.feed_forward().iter()) {
            *entry += force;
        }
        self.space.add_wrench(&mut self.joints, &wrench);
        let saturated = self.joints.apply(physics);
        self.integrate(dt, saturated);
    }
}
