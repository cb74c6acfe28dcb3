//! Contract: the rod oscillates at the frequency of beam theory, and gains no energy.

use insonate_continuum::{
    Actuation, Dynamics, Equilibrium, RodConfig, Section, Simulation, StepSettings, StopReason,
};
use nalgebra::Isometry3;

const LENGTH: f64 = 0.1;

/// A cantilever in equilibrium under a force at its tip [N], which is then released.
fn released(force: f64) -> (Simulation, Actuation) {
    let section = Section::tube(5.1e8, 5.551e-6, 5.041e-12, 1010.0);
    let config = RodConfig::uniform(LENGTH, 20, section);
    let settings = StepSettings {
        equilibrium: Equilibrium::Converged { tolerance: 1e-9 },
        max_displacement: 0.02,
        ..StepSettings::default()
    };
    let mut actuation = Actuation::held(Isometry3::identity(), LENGTH);
    let mut simulation = Simulation::new(config, settings, None, &actuation).expect("it is a rod");
    actuation.tip_force.y = force;
    simulation.step(&actuation).expect("inputs are in range");
    actuation.tip_force.y = 0.0;
    (simulation, actuation)
}

#[test]
fn a_cantilever_swings_at_its_first_frequency() {
    let section = Section::tube(5.1e8, 5.551e-6, 5.041e-12, 1010.0);
    let bending = section.young_modulus * section.inertia_z;
    let mass = section.density * section.area;
    // 1.8751 is the first root of cos x cosh x = −1.
    let rate = (1.875_104_f64 / LENGTH).powi(2) * (bending / mass).sqrt();
    let period = std::f64::consts::TAU / rate;
    let (mut simulation, actuation) = released(0.005);
    let dynamics = Dynamics {
        timestep: period / 200.0,
        alpha: -0.05,
        mass_damping: 0.0,
        stiffness_damping: 0.0,
    };
    let mut crossings = Vec::new();
    let mut last = simulation.state().world_from_tip().translation.y;
    for step in 1..=1000 {
        let report = simulation
            .step_dynamic(&actuation, &dynamics)
            .expect("it does not fold");
        assert_eq!(report.stop_reason, StopReason::Done, "{report:?}");
        let tip = simulation.state().world_from_tip().translation.y;
        if last > 0.0 && tip <= 0.0 {
            crossings.push(f64::from(step) - tip / (tip - last));
        }
        last = tip;
    }
    let n_periods = crossings.len() - 1;
    let found = (crossings[n_periods] - crossings[0]) / n_periods as f64 / 200.0;
    println!("period over theory: {found:.5} of {n_periods}");
    assert!(n_periods >= 3);
    assert!((found - 1.0).abs() < 0.01, "{found}");
}

#[test]
fn a_wide_swing_gains_no_energy() {
    let (mut simulation, actuation) = released(0.5);
    let dynamics = Dynamics {
        timestep: 2e-4,
        alpha: -0.1,
        mass_damping: 0.0,
        stiffness_damping: 0.0,
    };
    let start = simulation.elastic_energy();
    let mut greatest = 0.0_f64;
    for _ in 0..1000 {
        simulation
            .step_dynamic(&actuation, &dynamics)
            .expect("it does not fold");
        greatest = greatest.max(simulation.elastic_energy() + simulation.kinetic_energy());
    }
    let end = simulation.elastic_energy() + simulation.kinetic_energy();
    println!(
        "energy over the start: at most {:.5}, at the end {:.5}",
        greatest / start,
        end / start
    );
    assert!(greatest < 1.001 * start, "{greatest} {start}");
    assert!(end > 0.3 * start, "{end} {start}");
}

#[test]
fn a_rod_that_is_fed_moves_with_what_comes_out() {
    let section = Section::tube(5.1e8, 5.551e-6, 5.041e-12, 1010.0);
    let config = RodConfig::uniform(LENGTH, 20, section);
    let (start, speed) = (0.03, 0.1);
    let mut actuation = Actuation::held(Isometry3::identity(), start);
    let mut simulation =
        Simulation::new(config, StepSettings::default(), None, &actuation).expect("it is a rod");
    let dynamics = Dynamics {
        timestep: 1e-3,
        alpha: -0.3,
        mass_damping: 0.0,
        stiffness_damping: 0.0,
    };
    for direction in [1.0, -1.0] {
        for _ in 0..400 {
            actuation.inserted_length += direction * speed * dynamics.timestep;
            let report = simulation
                .step_dynamic(&actuation, &dynamics)
                .expect("it does not fold");
            assert_eq!(report.stop_reason, StopReason::Done, "{report:?}");
        }
        let tip = simulation.state().world_from_tip().translation.vector;
        let length = actuation.inserted_length;
        let energy = simulation.kinetic_energy();
        let expected = 0.5 * section.density * section.area * length * speed * speed;
        println!(
            "tip {:.6} of {length:.6} m, energy {energy:.3e} of {expected:.3e} J",
            tip.x
        );
        assert!(
            (tip.x - length).abs() < 1e-6 && tip.yz().norm() < 1e-9,
            "{tip}"
        );
        assert!((energy - expected).abs() < 0.01 * expected, "{energy}");
    }
    actuation.inserted_length += 0.004;
    let error = simulation.step_dynamic(&actuation, &dynamics).unwrap_err();
    assert!(error.to_string().contains("inserted_length"), "{error}");
}
