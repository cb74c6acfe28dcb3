//! The terms of M(q) q̈ + C(q, q̇) q̇ + g(q), computed from the Jacobians of the links.
//!
//! With J = [Jv; Jω] of a link's origin in base axes and its spatial inertia 𝓘 = [[m 1, -S(l)], [S(l), L]]:
//! M = Σ Jᵀ 𝓘 J and C = Σ Jᵀ (𝓘 J̇ + B J).
//! Several matrices B give the body's forces. B = [[0, -S(ω×l)], [0, ½ (S(ω) L - L S(ω) - S(L ω))]] makes 𝓘̇ - 2B skew, and therefore Ṁ - 2C: this is the passivity on which controllers rely (Echeandia, Wensing 2021, DOI 10.1115/1.4051169).

use nalgebra::{IsometryMatrix3, Matrix3, Matrix6, SMatrix, Vector3};

use crate::inertia::Inertia;
use crate::joints::{JointVector, N_JOINTS, N_LINKS};
use crate::kinematics::{LinkJacobian, axis_column};
use crate::psm::Psm;

type JointMatrix = SMatrix<f64, N_JOINTS, N_JOINTS>;

impl Psm {
    /// Mass matrix M(q) with motor inertias, shape [7, 7], in kg m², kg m and kg.
    pub fn mass_matrix(&self, q: &JointVector) -> JointMatrix {
        let base_from = self.forward_kinematics(q);
        let mut mass = JointMatrix::zeros();
        for index in self.links_with_inertia() {
            let jacobian = self.origin_jacobian(&base_from, index);
            let inertia = self.links[index].inertia;
            mass += jacobian.transpose() * spatial(&turned(&inertia, &base_from[index])) * jacobian;
        }
        for drive in &self.drives {
            let c = &drive.coefficients;
            mass += drive.motor_inertia * c * c.transpose();
        }
        mass
    }

    /// Coriolis matrix C(q, q̇) for which Ṁ - 2C is skew, shape [7, 7].
    pub fn coriolis(&self, q: &JointVector, dq: &JointVector) -> JointMatrix {
        let base_from = self.forward_kinematics(q);
        let jacobians: [LinkJacobian; N_LINKS] =
            std::array::from_fn(|index| self.origin_jacobian(&base_from, index));
        let mut coriolis = JointMatrix::zeros();
        for index in self.links_with_inertia() {
            let jacobian = &jacobians[index];
            let rate = self.jacobian_rate(&base_from, &jacobians, index, dq);
            let omega: Vector3<f64> = (jacobian * dq).fixed_rows::<3>(3).into();
            let inertia = turned(&self.links[index].inertia, &base_from[index]);
            let centrifugal = centrifugal(&inertia, &omega);
            coriolis += jacobian.transpose() * (spatial(&inertia) * rate + centrifugal * jacobian);
        }
        coriolis
    }

    /// Torques that hold the arm at `q` against gravity and the roll spring [N m, N].
    pub fn gravity_torque(&self, q: &JointVector) -> JointVector {
        let still = JointVector::zeros();
        let mut tau = self.rigid_body_torque(q, &still, &still);
        for drive in &self.drives {
            let c = &drive.coefficients;
            tau.axpy(drive.stiffness * c.dot(q), c, 1.0);
        }
        tau
    }

    fn links_with_inertia(&self) -> impl Iterator<Item = usize> {
        (1..N_LINKS).filter(|index| self.links[*index].inertia != Inertia::ZERO)
    }

    pub(super) fn origin_jacobian(
        &self,
        base_from: &[IsometryMatrix3<f64>; N_LINKS],
        index: usize,
    ) -> LinkJacobian {
        self.point_jacobian(base_from, index, &base_from[index].translation.vector)
    }

    /// Time derivative of the Jacobian of the origin of link `index`.
    pub(super) fn jacobian_rate(
        &self,
        base_from: &[IsometryMatrix3<f64>; N_LINKS],
        jacobians: &[LinkJacobian; N_LINKS],
        index: usize,
        dq: &JointVector,
    ) -> LinkJacobian {
        let twist = |link: usize| jacobians[link] * dq;
        let point = base_from[index].translation.vector;
        let velocity: Vector3<f64> = twist(index).fixed_rows::<3>(0).into();
        let mut rate = LinkJacobian::zeros();
        let mut ancestor = index;
        while ancestor != 0 {
            let link = &self.links[ancestor];
            if let Some((joint, axis)) = axis_column(link.motion, &base_from[ancestor]) {
                let twist = twist(ancestor);
                let (v, omega): (Vector3<f64>, Vector3<f64>) = (
                    twist.fixed_rows::<3>(0).into(),
                    twist.fixed_rows::<3>(3).into(),
                );
                let axis_rate = omega.cross(&axis.vector);
                let arm = point - base_from[ancestor].translation.vector;
                let (linear, angular) = if axis.turns {
                    let linear = axis_rate.cross(&arm) + axis.vector.cross(&(velocity - v));
                    (linear, axis_rate)
                } else {
                    (axis_rate, Vector3::zeros())
                };
                let mut column = rate.column_mut(joint);
                let mut top = column.fixed_rows_mut::<3>(0);
                top += linear;
                let mut bottom = column.fixed_rows_mut::<3>(3);
                bottom += angular;
            }
            ancestor = link.parent;
        }
        rate
    }
}

/// The inertia rotated to base axes, about the same origin.
fn turned(inertia: &Inertia, base_from_link: &IsometryMatrix3<f64>) -> Inertia {
    let rotation = base_from_link.rotation.matrix();
    Inertia {
        mass: inertia.mass,
        first_moment: rotation * inertia.first_moment,
        about_origin: rotation * inertia.about_origin * rotation.transpose(),
    }
}

fn spatial(inertia: &Inertia) -> Matrix6<f64> {
    let coupling = inertia.first_moment.cross_matrix();
    blocks(
        &(Matrix3::identity() * inertia.mass),
        &-coupling,
        &coupling,
        &inertia.about_origin,
    )
}

/// The matrix B of the module documentation.
fn centrifugal(inertia: &Inertia, omega: &Vector3<f64>) -> Matrix6<f64> {
    let (spin, l) = (omega.cross_matrix(), &inertia.about_origin);
    let zero = Matrix3::zeros();
    let force = -omega.cross(&inertia.first_moment).cross_matrix();
    let torque = 0.5 * (spin * l - l * spin - (l * omega).cross_matrix());
    blocks(&zero, &force, &zero, &torque)
}

fn blocks(
    top_left: &Matrix3<f64>,
    top_right: &Matrix3<f64>,
    bottom_left: &Matrix3<f64>,
    bottom_right: &Matrix3<f64>,
) -> Matrix6<f64> {
    let mut all = Matrix6::zeros();
    all.fixed_view_mut::<3, 3>(0, 0).copy_from(top_left);
    all.fixed_view_mut::<3, 3>(0, 3).copy_from(top_right);
    all.fixed_view_mut::<3, 3>(3, 0).copy_from(bottom_left);
    all.fixed_view_mut::<3, 3>(3, 3).copy_from(bottom_right);
    all
}
