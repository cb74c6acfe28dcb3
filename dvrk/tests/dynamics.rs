//! Contract: torques, and the matrices that they are made of, obey mechanics.

mod states;

use insonate_dvrk::{JointVector, Psm, classic, identified};

/// Relative rounding of sums over the links.
const EXACT: f64 = 1e-9;

/// Position, velocity and acceleration, all of the order of one.
fn states(n: usize) -> impl Iterator<Item = [JointVector; 3]> {
    let mut source = states::positions(3 * n);
    std::iter::from_fn(move || Some([source.next()?, source.next()?, source.next()?]))
}

#[test]
fn newton_euler_is_the_sum_of_mass_coriolis_and_gravity() {
    let psm = classic();
    for [q, dq, ddq] in states(1000) {
        let whole = psm.inverse_dynamics(&q, &dq, &ddq);
        let parts = psm.mass_matrix(&q) * ddq
            + psm.coriolis(&q, &dq) * dq
            + psm.gravity_torque(&q)
            + psm.friction(&dq);
        assert!((whole - parts).norm() < EXACT * whole.norm());
    }
}

#[test]
fn the_rate_of_the_mass_matrix_less_twice_coriolis_is_skew() {
    let psm = classic();
    let step = 1e-6;
    for [q, dq, _] in states(50) {
        let ahead = psm.mass_matrix(&(q + step * dq));
        let behind = psm.mass_matrix(&(q - step * dq));
        let skew = (ahead - behind) / (2.0 * step) - 2.0 * psm.coriolis(&q, &dq);
        assert!((skew + skew.transpose()).amax() < 1e-7, "{skew}");
    }
}

#[test]
fn the_mass_matrix_of_the_simulated_arm_is_positive_definite() {
    let psm = classic();
    for q in states::positions(200) {
        let smallest = psm.mass_matrix(&q).symmetric_eigenvalues().min();
        assert!(smallest > 1e-6, "{smallest:e}");
    }
}

#[test]
fn the_simulated_arm_has_the_torques_of_the_identified_one() {
    // Joints 1 to 3 see bodies; what was added to the wrist is below 1e-3 of them.
    let (simulated, identified) = (classic(), identified());
    for [q, dq, ddq] in states(1000) {
        let a = simulated.inverse_dynamics(&q, &dq, &ddq);
        let b = identified.inverse_dynamics(&q, &dq, &ddq);
        assert!((a - b).amax() < 3e-2, "{}", a - b);
    }
}

#[test]
fn energy_is_conserved_without_friction() {
    // A motion of 0.5 s at two steps: the error of the fourth-order scheme falls by 2⁴.
    let psm = classic().without_drives();
    let drift = |n_steps: usize| {
        let (mut q, mut dq) = (JointVector::zeros(), JointVector::from_element(0.5));
        q[2] = 0.12;
        let start = energy(&psm, &q, &dq);
        let h = 0.5 / n_steps as f64;
        for _ in 0..n_steps {
            (q, dq) = runge_kutta_step(&psm, &q, &dq, h);
        }
        (energy(&psm, &q, &dq) - start).abs()
    };
    let (coarse, fine) = (drift(200), drift(400));
    println!("energy drift [J]: {coarse:e}, halved step {fine:e}");
    assert!(coarse / fine > 12.0, "{coarse:e} {fine:e}");
}

fn energy(psm: &Psm, q: &JointVector, dq: &JointVector) -> f64 {
    let frames = psm.forward_kinematics(q);
    let potential: f64 = (psm.links.iter().zip(&frames))
        .map(|(link, frame)| {
            let moment = frame.rotation * link.inertia.first_moment
                + frame.translation.vector * link.inertia.mass;
            -psm.gravity.dot(&moment)
        })
        .sum();
    potential + 0.5 * dq.dot(&(psm.mass_matrix(q) * dq))
}

fn acceleration(psm: &Psm, q: &JointVector, dq: &JointVector) -> JointVector {
    let bias = psm.inverse_dynamics(q, dq, &JointVector::zeros());
    psm.mass_matrix(q)
        .cholesky()
        .expect("it is positive definite")
        .solve(&-bias)
}

/// One step of the classical fourth-order scheme.
fn runge_kutta_step(
    psm: &Psm,
    q: &JointVector,
    dq: &JointVector,
    h: f64,
) -> (JointVector, JointVector) {
    let rate = |q: &JointVector, dq: &JointVector| (*dq, acceleration(psm, q, dq));
    let (v1, a1) = rate(q, dq);
    let (v2, a2) = rate(&(q + 0.5 * h * v1), &(dq + 0.5 * h * a1));
    let (v3, a3) = rate(&(q + 0.5 * h * v2), &(dq + 0.5 * h * a2));
    let (v4, a4) = rate(&(q + h * v3), &(dq + h * a3));
    (
        q + h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4),
        dq + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4),
    )
}
