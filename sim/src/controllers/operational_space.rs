//! The dynamics of the probe seen from its own task (Khatib 1987, doi:10.1109/JRA.1987.1087068).
//!
//! With Jacobian $J$ and joint-space inertia $M$: the task inertia is $\Lambda = (J M^{-1} J^T)^{-1}$ and torques
//! $\tau_0$ act without moving the probe as $N^T \tau_0 = \tau_0 - J^T \Lambda J M^{-1} \tau_0$.

use nalgebra::{Cholesky, DVector, Dyn, Matrix3, Matrix6, Vector6};

use crate::arm::{Arm, Jacobian};
use crate::readings::ProbeFrame;
use crate::{Physics, Pose, Twist};

/// Mobilities below this share of the largest are held down, so that singular postures ask for finite forces.
const SINGULAR_SHARE: f64 = 1e-5;

/// Pose, twist and dynamics of the probe at one moment.
#[derive(Debug, Clone)]
pub struct OperationalSpace {
    /// Pose of the face.
    pub world_from_probe: Pose,
    /// Velocity of the face in world.
    pub twist: Twist,
    jacobian: Jacobian,
    inertia: Cholesky<f64, Dyn>,
    /// $J M^{-1} J^T$: acceleration in world per force.
    mobility: Matrix6<f64>,
}

impl OperationalSpace {
    /// Looks at the present state; none: the state is not finite, and no torque means anything.
    pub fn new(physics: &Physics, arm: &Arm, probe: &ProbeFrame) -> Option<Self> {
        let world_from_probe = probe.world_from_probe(physics);
        let jacobian = arm.jacobian(physics, &world_from_probe.position, probe.body);
        let inertia = Cholesky::new(arm.inertia(physics))?;
        let weighted = inertia.solve(&jacobian.transpose());
        let velocity = &jacobian * arm.velocities(physics);
        let twist = Twist {
            linear: velocity.fixed_rows::<3>(0).into(),
            angular: velocity.fixed_rows::<3>(3).into(),
        };
        let mobility: Matrix6<f64> = (&jacobian * weighted).fixed_view::<6, 6>(0, 0).into();
        let finite = mobility.iter().all(|value| value.is_finite());
        finite.then_some(Self {
            world_from_probe,
            twist,
            jacobian,
            inertia,
            mobility,
        })
    }

    /// Task inertia, position and orientation coupled: force [N, N·m] per acceleration [m/s², rad/s²].
    pub fn task_inertia(&self) -> Matrix6<f64> {
        let eigen = self.mobility.symmetric_eigen();
        let floor = SINGULAR_SHARE * eigen.eigenvalues.amax();
        let inverse = eigen
            .eigenvalues
            .map(|value| value / (value * value + floor * floor));
        eigen.eigenvectors * Matrix6::from_diagonal(&inverse) * eigen.eigenvectors.transpose()
    }

    /// Task inertia of position alone and of orientation alone, each as if the other were free.
    pub fn uncoupled_task_inertia(&self) -> Matrix6<f64> {
        let mut uncoupled = Matrix6::zeros();
        for start in [0, 3] {
            let mobility: Matrix3<f64> = self.mobility.fixed_view::<3, 3>(start, start).into();
            let eigen = mobility.symmetric_eigen();
            let floor = SINGULAR_SHARE * eigen.eigenvalues.amax();
            let inverse = eigen
                .eigenvalues
                .map(|value| value / (value * value + floor * floor));
            let inertia = eigen.eigenvectors
                * Matrix3::from_diagonal(&inverse)
                * eigen.eigenvectors.transpose();
            uncoupled
                .fixed_view_mut::<3, 3>(start, start)
                .copy_from(&inertia);
        }
        uncoupled
    }

    /// Joint torques of a force and torque on the probe in world [N, N·m].
    pub fn torques(&self, wrench: &Vector6<f64>) -> DVector<f64> {
        self.jacobian.tr_mul(wrench)
    }

    /// The part of joint torques that does not accelerate the probe; `task_inertia` as of this state.
    pub fn null_torques(
        &self,
        torques: &DVector<f64>,
        task_inertia: &Matrix6<f64>,
    ) -> DVector<f64> {
        let acceleration = &self.jacobian * self.inertia.solve(torques);
        let acceleration: Vector6<f64> = acceleration.fixed_rows::<6>(0).into();
        torques - self.jacobian.tr_mul(&(task_inertia * acceleration))
    }

    /// Torques that draw the arm to `posture`, without moving the probe.
    ///
    /// `stiffness` [1/s²] and `damping_ratio` are of the joint accelerations asked for.
    pub fn posture_torques(
        &self,
        from_posture: &DVector<f64>,
        velocities: &DVector<f64>,
        stiffness: f64,
        damping_ratio: f64,
        task_inertia: &Matrix6<f64>,
    ) -> DVector<f64> {
        let damping = 2.0 * damping_ratio * stiffness.sqrt();
        let acceleration = from_posture * -stiffness - velocities * damping;
        let factor = self.inertia.l();
        let torques = &factor * factor.tr_mul(&acceleration);
        self.null_torques(&torques, task_inertia)
    }
}
