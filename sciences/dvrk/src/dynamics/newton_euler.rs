//! Inverse dynamics by recursive Newton-Euler (Luh, Walker, Paul 1980) in link frames.
//!
//! Both loops of the PSM close by construction, as every link angle is a fixed multiple of one joint. The recursion therefore treats the mechanism as an open tree, and adds a link's force along its axis to the joint that it follows (principle of virtual power).
//! Forces are linear in barycentric parameters: f = m a + ω̇×l + ω×(ω×l), n = L ω̇ + ω×(L ω) + l×a, with a the acceleration of the frame's origin minus gravity.

use nalgebra::{Matrix3, Vector3};

use crate::joints::{JointVector, N_LINKS};
use crate::link::Motion;
use crate::psm::Psm;

/// Motion of a link's frame and the wrench on the link, both expressed in the link's frame.
#[derive(Clone, Copy)]
struct LinkState {
    parent_from_link: Matrix3<f64>,
    position: Vector3<f64>,
    angular_velocity: Vector3<f64>,
    angular_acceleration: Vector3<f64>,
    acceleration: Vector3<f64>,
    force: Vector3<f64>,
    torque: Vector3<f64>,
}

impl Psm {
    /// Joint torques [N m, N] for accelerations `ddq` at `q` and `dq`: rigid bodies, gravity, friction, motor inertia and spring.
    pub fn inverse_dynamics(
        &self,
        q: &JointVector,
        dq: &JointVector,
        ddq: &JointVector,
    ) -> JointVector {
        self.rigid_body_torque(q, dq, ddq) + self.drive_torque(q, dq, ddq)
    }

    /// The part of [`Psm::inverse_dynamics`] due to the inertia of the bodies and gravity.
    pub fn rigid_body_torque(
        &self,
        q: &JointVector,
        dq: &JointVector,
        ddq: &JointVector,
    ) -> JointVector {
        let mut states = [LinkState {
            parent_from_link: Matrix3::identity(),
            position: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
            angular_acceleration: Vector3::zeros(),
            acceleration: -self.gravity,
            force: Vector3::zeros(),
            torque: Vector3::zeros(),
        }; N_LINKS];

        // Outward pass: velocities and accelerations, and the wrench that moves each link.
        for index in 1..N_LINKS {
            states[index] = self.outward(index, &states, q, dq, ddq);
        }

        // Inward pass: each link adds its wrench to its parent, and the component along its axis to its joint.
        let mut tau = JointVector::zeros();
        for index in (1..N_LINKS).rev() {
            let LinkState {
                parent_from_link,
                position,
                force,
                torque,
                ..
            } = states[index];
            match self.links[index].motion {
                Motion::Fixed => {}
                Motion::Revolute { joint, sign } => tau[joint] += sign * torque.z,
                Motion::Prismatic { joint } => tau[joint] += force.z,
            }
            let force_in_parent = parent_from_link * force;
            let parent = &mut states[self.links[index].parent];
            parent.force += force_in_parent;
            parent.torque += parent_from_link * torque + position.cross(&force_in_parent);
        }
        tau
    }

    #[inline]
    fn outward(
        &self,
        index: usize,
        states: &[LinkState; N_LINKS],
        q: &JointVector,
        dq: &JointVector,
        ddq: &JointVector,
    ) -> LinkState {
        let link = &self.links[index];
        let parent = &states[link.parent];
        let (rotation, position) = link.placement(q);
        let back = rotation.transpose();
        let mut omega = back * parent.angular_velocity;
        let mut alpha = back * parent.angular_acceleration;
        let (w, position_torque) = (
            parent.angular_velocity,
            parent.angular_acceleration.cross(&position),
        );
        let mut a = back * (parent.acceleration + position_torque + w.cross(&w.cross(&position)));
        match link.motion {
            Motion::Fixed => {}
            Motion::Revolute { joint, sign } => {
                let rate = sign * dq[joint];
                alpha += Vector3::new(omega.y * rate, -omega.x * rate, sign * ddq[joint]);
                omega.z += rate;
            }
            Motion::Prismatic { joint } => {
                let rate = 2.0 * dq[joint];
                a += Vector3::new(omega.y * rate, -omega.x * rate, ddq[joint]);
            }
        }
        let (m, l, inertia) = (
            link.inertia.mass,
            &link.inertia.first_moment,
            &link.inertia.about_origin,
        );
        LinkState {
            parent_from_link: rotation,
            position,
            angular_velocity: omega,
            angular_acceleration: alpha,
            acceleration: a,
            force: m * a + alpha.cross(l) + omega.cross(&omega.cross(l)),
            torque: inertia * alpha + omega.cross(&(inertia * omega)) + l.cross(&a),
        }
    }

    /// Torques of friction, motor inertia and spring [N m, N].
    pub fn drive_torque(
        &self,
        q: &JointVector,
        dq: &JointVector,
        ddq: &JointVector,
    ) -> JointVector {
        let mut tau = JointVector::zeros();
        for drive in &self.drives {
            let c = &drive.coefficients;
            let force = drive.motor_inertia * c.dot(ddq)
                + drive.stiffness * c.dot(q)
                + drive.friction(c.dot(dq));
            tau.axpy(force, c, 1.0);
        }
        tau
    }

    /// Torques of Coulomb, viscous and constant friction at joint velocities `dq` [N m, N].
    pub fn friction(&self, dq: &JointVector) -> JointVector {
        let mut tau = JointVector::zeros();
        for drive in &self.drives {
            let c = &drive.coefficients;
            tau.axpy(drive.friction(c.dot(dq)), c, 1.0);
        }
        tau
    }
}
