//! Contract: all solvers of a step's quadratic program agree, and their solutions are optimal.

use insonate_continuum::{RodOnBed, Solver};

#[test]
fn clarabel_and_gauss_seidel_find_what_the_block_solver_finds() {
    let mut beds = [Solver::Block, Solver::Clarabel, Solver::GaussSeidel]
        .map(|solver| RodOnBed::new(60, 30, solver).expect("it is in range"));
    for step in 0..20 {
        let reports = beds
            .each_mut()
            .map(|bed| bed.step().expect("it does not diverge"));
        let [own, general, sweeps] = &reports;
        assert!(own.kkt_residual <= 1e-8, "{step}: {}", own.kkt_residual);
        println!(
            "{step}: {:.1e} {:.1e} {:.1e} {} {} {}  it {} {} {}",
            own.kkt_residual,
            general.kkt_residual,
            sweeps.kkt_residual,
            own.contacts.len(),
            general.contacts.len(),
            sweeps.contacts.len(),
            own.n_factorisations,
            general.n_factorisations,
            sweeps.n_factorisations
        );
        for other in [general, sweeps] {
            let force = own.total_contact_force();
            assert!(
                (other.total_contact_force() - force).abs() < 1e-4 * force,
                "{step}"
            );
        }
        assert!(own.contacts.len() >= 20, "{step}: {}", own.contacts.len());
    }
}
