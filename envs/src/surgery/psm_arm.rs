//! The da Vinci PSM that holds the instrument: reduced dynamics under computed-torque control, with the tissue's wrench.
//!
//! Symbols: q = [yaw, pitch, insertion]; M, h (Coriolis and gravity) and f (friction) from `insonate-dvrk`; w, the wrench of the tissue at
//! the tool; J, its Jacobian.
//!
//! $$ M(q)\,\ddot q + h(q, \dot q) + f(\dot q) = \tau + J^T w, \qquad
//!    \tau = M(q)\,(\ddot q_d + K_d(\dot q_d - \dot q) + K_p(q_d - q)) + h(q, \dot q) + f(\dot q_d) $$
//!
//! (Siciliano et al. 2009, *Robotics*, Eq. 8.57, with τ clipped to the motors' limits). The wrist is straight and locked: the accelerations
//! of its joints are zero, and the first three equations of the whole arm are exact. Coulomb friction can stop a joint but not drive it.

use insonate_dvrk::{JointVector, Psm, classic};
use insonate_tissue::tool::Wrench;
use nalgebra::{Matrix3, Vector3, Vector6};

/// Lower limits of yaw, pitch [rad] and insertion [m], from the classic PSM's file of the dVRK software. Less than 5 cm behind the remote
/// centre, the instrument is still in its cannula.
const LOW: [f64; 3] = [-1.605, -0.925_025, 0.05];
const HIGH: [f64; 3] = [1.605, 0.925_025, 0.24];

/// Torque limits of the motors at the joints [N m, N m, N], from the same file.
const MOST_TORQUE: [f64; 3] = [4.97, 4.97, 14.81];

/// Stiffness and damping of the controller: each joint follows as a critically damped oscillator of 40 rad/s.
const STIFFNESS: f64 = 1600.0;
const DAMPING: f64 = 80.0;

/// Maximum integration step [s].
const SUBSTEP: f64 = 2e-3;

/// One arm. Positions are in world. The axes of its base are those of the world.
#[derive(Debug, Clone)]
pub(super) struct PsmArm {
    psm: Psm,
    /// Origin of the base [m].
    base: Vector3<f64>,
    q: Vector3<f64>,
    dq: Vector3<f64>,
    /// Current reference of the controller.
    command: Vector3<f64>,
    torque: Vector3<f64>,
    peak_torque_share: f64,
}

impl PsmArm {
    /// Creates an arm whose remote centre of motion is at the trocar [m], with its tip at a position [m].
    pub(super) fn new(trocar: Vector3<f64>, tip: Vector3<f64>) -> Self {
        let psm = classic();
        let mut arm = Self {
            base: trocar - psm.remote_centre(),
            psm,
            q: Vector3::zeros(),
            dq: Vector3::zeros(),
            command: Vector3::zeros(),
            torque: Vector3::zeros(),
            peak_torque_share: 0.0,
        };
        arm.reset(tip);
        arm
    }

    /// Stops with the tip at a position [m], or as near as possible.
    pub(super) fn reset(&mut self, tip: Vector3<f64>) {
        self.q = self.joints_at(tip);
        self.command = self.q;
        self.dq = Vector3::zeros();
        self.torque = self
            .psm
            .gravity_torque(&whole(self.q))
            .fixed_rows::<3>(0)
            .into();
        self.peak_torque_share = 0.0;
    }

    /// Moves the tip towards a position [m] for a time [s], under the wrench of the tissue about the tip.
    pub(super) fn step(&mut self, tip: Vector3<f64>, wrench: &Wrench, time: f64) {
        let target = self.joints_at(tip);
        let velocity = (target - self.command) / time;
        let n_substeps = (time / SUBSTEP).ceil().max(1.0) as usize;
        let substep = time / n_substeps as f64;
        let start = self.command;
        for i in 1..=n_substeps {
            let passed = i as f64 * substep;
            self.substep(start + velocity * passed, velocity, wrench, substep);
        }
        self.command = target;
    }

    /// Position of the tip [m].
    pub(super) fn tip(&self) -> Vector3<f64> {
        self.tip_at(self.q)
    }

    /// Reference position of the tip [m].
    pub(super) fn commanded_tip(&self) -> Vector3<f64> {
        self.tip_at(self.command)
    }

    /// Yaw, pitch [rad] and insertion [m].
    pub(super) fn joints(&self) -> Vector3<f64> {
        self.q
    }

    /// Torques of the motors at these joints in the last substep [N m, N m, N].
    pub(super) fn torques(&self) -> Vector3<f64> {
        self.torque
    }

    /// Maximum ratio of a torque to its limit since the start.
    pub(super) fn peak_torque_share(&self) -> f64 {
        self.peak_torque_share
    }

    /// (q, q̇, target, wrench) => q, q̇
    fn substep(
        &mut self,
        target: Vector3<f64>,
        velocity: Vector3<f64>,
        wrench: &Wrench,
        substep: f64,
    ) {
        let mass = self.mass_matrix();
        let Some(inverse_mass) = mass.try_inverse() else {
            return;
        };
        let still = JointVector::zeros();
        let bias = self
            .psm
            .rigid_body_torque(&whole(self.q), &whole(self.dq), &still);
        let bias: Vector3<f64> = bias.fixed_rows::<3>(0).into();

        // (errors) => torques, clipped to the motors' limits
        let wanted = DAMPING * (velocity - self.dq) + STIFFNESS * (target - self.q);
        let torque = mass * wanted + bias + self.friction(velocity);
        self.torque = Vector3::from_fn(|joint, _| {
            torque[joint].clamp(-MOST_TORQUE[joint], MOST_TORQUE[joint])
        });
        let shares = self
            .torque
            .iter()
            .zip(MOST_TORQUE)
            .map(|(t, most)| t.abs() / most);
        self.peak_torque_share = shares.fold(self.peak_torque_share, f64::max);

        // (torques, wrench) => velocities; Coulomb friction reduces them
        let viscous = self.viscous_friction(self.dq);
        let pull = self.joint_load(wrench);
        let force = self.torque + pull - bias - viscous;
        let free = self.dq + substep * inverse_mass * force;
        self.dq = Vector3::from_fn(|joint, _| {
            let most = substep * inverse_mass[(joint, joint)] * self.coulomb(joint);
            free[joint] - free[joint].clamp(-most, most)
        });

        // (velocities) => joints, stopped at their limits
        let next = self.q + substep * self.dq;
        self.q = within_limits(next);
        for joint in 0..3 {
            if self.q[joint] != next[joint] {
                self.dq[joint] = 0.0;
            }
        }
    }

    /// Mass matrix. Column i is the torque for a unit acceleration of joint i.
    fn mass_matrix(&self) -> Matrix3<f64> {
        let (q, still) = (whole(self.q), JointVector::zeros());
        let gravity = self.psm.rigid_body_torque(&q, &still, &still);
        let columns = [0, 1, 2].map(|joint| {
            let mut unit = still;
            unit[joint] = 1.0;
            let torque = self.psm.rigid_body_torque(&q, &still, &unit) - gravity;
            let mut column: Vector3<f64> = torque.fixed_rows::<3>(0).into();
            column[joint] += self.psm.drives[joint].motor_inertia;
            column
        });
        Matrix3::from_columns(&columns)
    }

    /// Torques of the tissue on the joints.
    fn joint_load(&self, wrench: &Wrench) -> Vector3<f64> {
        let jacobian = self.psm.tool_jacobian(&whole(self.q));
        let (force, torque) = (wrench.force, wrench.torque);
        let wrench = Vector6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z);
        (jacobian.transpose() * wrench).fixed_rows::<3>(0).into()
    }

    /// Friction model of the controller at a velocity.
    fn friction(&self, velocity: Vector3<f64>) -> Vector3<f64> {
        let drives = &self.psm.drives;
        Vector3::from_fn(|joint, _| drives[joint].friction(velocity[joint]))
    }

    fn viscous_friction(&self, velocity: Vector3<f64>) -> Vector3<f64> {
        let drives = &self.psm.drives;
        Vector3::from_fn(|joint, _| {
            drives[joint].viscous_friction * velocity[joint] + drives[joint].offset
        })
    }

    fn coulomb(&self, joint: usize) -> f64 {
        self.psm.drives[joint].coulomb_friction
    }

    fn tip_at(&self, q: Vector3<f64>) -> Vector3<f64> {
        self.base + self.psm.tool_pose(&whole(q)).translation.vector
    }

    /// Joints for a tip position [m] with a straight wrist, clipped to their limits.
    fn joints_at(&self, tip: Vector3<f64>) -> Vector3<f64> {
        let geometry = &self.psm.geometry;
        let reach = geometry.l_tool - geometry.l_rcc + geometry.l_p2y + geometry.l_clip;
        let from_trocar = tip - self.base - self.psm.remote_centre();
        let depth = from_trocar.norm().max(1e-9);
        within_limits(Vector3::new(
            from_trocar.x.atan2(-from_trocar.z),
            -(from_trocar.y / depth).asin(),
            depth - reach,
        ))
    }
}

/// All joints of the arm, with a straight wrist.
fn whole(q: Vector3<f64>) -> JointVector {
    JointVector::from_fn(|joint, _| if joint < 3 { q[joint] } else { 0.0 })
}

fn within_limits(q: Vector3<f64>) -> Vector3<f64> {
    Vector3::from_fn(|joint, _| q[joint].clamp(LOW[joint], HIGH[joint]))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TROCAR: Vector3<f64> = Vector3::new(0.06, -0.016, 0.2);
    const PLACE: Vector3<f64> = Vector3::new(0.055, -0.024, 0.05);

    fn pull(force: Vector3<f64>) -> Wrench {
        Wrench {
            force,
            torque: Vector3::zeros(),
        }
    }

    #[test]
    fn it_reaches_places_within_its_limits_and_stops_at_them() {
        let arm = PsmArm::new(TROCAR, PLACE);
        assert!((arm.tip() - PLACE).norm() < 1e-12);
        let far = PsmArm::new(TROCAR, Vector3::new(0.06, -0.016, -0.2));
        assert_eq!(far.joints().z, HIGH[2]);
        // An insertion of 0.24 m places the tip 0.2426 m behind the remote centre.
        assert!(((far.tip() - TROCAR).norm() - 0.2426).abs() < 1e-9);
    }

    #[test]
    fn it_follows_a_moving_target() {
        let mut arm = PsmArm::new(TROCAR, PLACE);
        for step in 1..=30 {
            let target = PLACE + Vector3::new(0.0005, 0.0003, -0.001) * f64::from(step);
            arm.step(target, &pull(Vector3::zeros()), 0.01);
            let error = (arm.tip() - target).norm();
            assert!(error < 1e-3, "{error} m after {step} steps");
        }
        // It neither sags nor drifts afterwards.
        let target = PLACE + Vector3::new(0.0005, 0.0003, -0.001) * 30.0;
        for _ in 0..100 {
            arm.step(target, &pull(Vector3::zeros()), 0.01);
        }
        let error = (arm.tip() - target).norm();
        // Static friction leaves 0.45 N over the carriage's 0.72 kg · 1600 /s²: 0.4 mm.
        assert!(error < 5e-4, "{error} m");
    }

    #[test]
    fn a_pull_bends_it_by_the_controllers_stiffness_and_its_motors_bear_it() {
        let mut arm = PsmArm::new(TROCAR, PLACE);
        let force = Vector3::new(0.0, 0.0, -2.0);
        let torque =
            |arm: &PsmArm| arm.torques() - arm.psm.gravity_torque(&whole(arm.q)).fixed_rows::<3>(0);
        for _ in 0..100 {
            arm.step(PLACE, &pull(force), 0.01);
        }
        let jacobian = arm.psm.tool_jacobian(&whole(arm.q));
        let jacobian = jacobian.fixed_view::<3, 3>(0, 0);
        let load = jacobian.transpose() * force;
        let borne = torque(&arm) + load;
        for joint in 0..3 {
            // Static friction may carry a part, and the friction offset is compensated.
            let most = arm.coulomb(joint) + arm.psm.drives[joint].offset.abs() + 1e-6;
            assert!(borne[joint].abs() <= most, "joint {joint}: {borne}");
        }
        let bent = (arm.tip() - PLACE).z;
        let expected = (jacobian * (arm.mass_matrix() * STIFFNESS).try_inverse().unwrap() * load).z;
        assert!(
            bent < 0.0 && bent >= 1.05 * expected,
            "{bent} m, {expected} m without friction"
        );
        // The load exceeds the torque limits.
        for _ in 0..100 {
            arm.step(PLACE, &pull(Vector3::new(0.0, 0.0, -40.0)), 0.01);
        }
        assert_eq!(arm.peak_torque_share(), 1.0);
        assert!((arm.tip() - TROCAR).norm() > 0.24);
    }
}
