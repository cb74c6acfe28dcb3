//! Contract: torques and dynamics matrices obey the laws of mechanics.

mod states;

use insonate_dvrk::{BaseParameters, Inertia, JointVector, Link, Psm, classic, identified};

/// Relative tolerance for rounding in sums over the links.
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
fn the_rate_of_the_mass_matrix_minus_twice_coriolis_is_skew() {
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
fn the_simulated_arm_is_physically_feasible() {
    let psm = classic();
    for link in [1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13] {
        let Link { name, inertia, .. } = psm.links[link];
        assert!(inertia.feasibility() > 0.0, "{name}");
        assert!(
            inertia.mass < 20.0 && inertia.about_its_centre().amax() < 2.0,
            "{name}"
        );
    }
    assert!(psm.drives.iter().all(|drive| drive.motor_inertia >= 0.0));
}

#[test]
fn replacing_unidentifiable_parameters_changes_no_torque() {
    // The identified arm has no mass beyond the carriage; all other links of the simulated arm were replaced.
    let identified = identified();
    let mut physical = classic();
    for link in 10..14 {
        physical.links[link].inertia = Inertia::ZERO;
    }
    let mut worst: f64 = 0.0;
    for [q, dq, ddq] in states(1000) {
        let a = physical.rigid_body_torque(&q, &dq, &ddq);
        let b = identified.rigid_body_torque(&q, &dq, &ddq);
        worst = worst.max((a - b).norm() / b.norm());
    }
    println!("largest relative difference of torques: {worst:e}");
    assert!(worst < 1e-9, "{worst:e}");
}

#[test]
fn the_instruments_own_inertia_is_too_small_to_see() {
    let (simulated, identified) = (classic(), identified());
    let mut worst = JointVector::zeros();
    for [q, dq, ddq] in states(1000) {
        let difference = simulated.rigid_body_torque(&q, &dq, &ddq)
            - identified.rigid_body_torque(&q, &dq, &ddq);
        worst = worst.sup(&difference.abs());
    }
    println!("largest differences [N m, N]: {worst:?}");
    assert!(
        worst.rows(0, 3).amax() < 1e-2 && worst.rows(3, 4).amax() < 1e-4,
        "{worst:?}"
    );
}

#[test]
fn energy_is_conserved_without_friction() {
    // A motion of 0.5 s at two step sizes: the error of the fourth-order scheme falls by 2⁴.
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
    let (coarse, fine) = (drift(20), drift(40));
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

/// One step of the classical fourth-order Runge-Kutta scheme.
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

#[test]
fn newton_euler_is_linear_in_the_parameters() {
    // The inertia of the distal links is not a parameter, so it is removed first.
    let psm = identified();
    let delta = psm.parameters();
    for [q, dq, ddq] in states(1000) {
        let tau = psm.inverse_dynamics(&q, &dq, &ddq);
        let linear = psm.regressor(&q, &dq, &ddq) * &delta;
        assert!((tau - linear).norm() < EXACT * tau.norm());
    }
    assert_eq!(psm.clone().with_parameters(&delta).parameters(), delta);
}

#[test]
fn the_regressor_has_the_rank_that_wang_et_al_report() {
    let psm = identified();
    let base = BaseParameters::of(&psm);
    assert_eq!(base.n(), 49);
    let (last, next) = (base.pivots[48], base.pivots[49]);
    println!("pivots: 49th {last:e}, 50th {next:e}");
    assert!(last / next > 1e9);
    assert!(
        base.names()
            .iter()
            .any(|name| name == "Fo11 + 0.6695951 Fo14 + 0.6695951 Fo15")
    );
    // Base parameters alone determine the torques.
    let reduced = &base.from_standard * psm.parameters();
    for [q, dq, ddq] in states(100) {
        let y = psm.regressor(&q, &dq, &ddq);
        let columns: Vec<_> = base
            .independent
            .iter()
            .map(|i| y.column(*i).into_owned())
            .collect();
        let tau = nalgebra::DMatrix::from_fn(7, 49, |row, column| columns[column][row]) * &reduced;
        let whole = psm.inverse_dynamics(&q, &dq, &ddq);
        assert!((tau - whole).norm() < 1e-8 * whole.norm());
    }
}
