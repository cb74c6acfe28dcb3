//! Time to solution of the elastica, P L² / E I = 3: `cargo run --release -p insonate-continuum --example cantilever_times`.

use std::io::Write;
use std::time::Instant;

use insonate_continuum::{Actuation, Equilibrium, RodConfig, Section, Simulation, StepSettings};
use nalgebra::{Isometry3, Vector3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (length, young, inertia) = (0.1, 5.1e8, 5.041e-12);
    let exact = Vector3::new(1.0 - 0.2544201846, 0.6032534411, 0.0);
    let mut out = std::io::stdout().lock();
    for n_elements in [5, 10, 20, 40] {
        let section = Section::tube(young, 5.551e-6, inertia, 1010.0);
        let config = RodConfig::uniform(length, n_elements, section);
        let settings = StepSettings {
            equilibrium: Equilibrium::Converged { tolerance: 1e-8 },
            max_displacement: 0.1 * length,
            ..StepSettings::default()
        };
        let mut actuation = Actuation::held(Isometry3::identity(), length);
        let straight = Simulation::new(config, settings, None, &actuation)?;
        actuation.tip_force.y = 3.0 * young * inertia / (length * length);
        let (mut least, mut error) = (f64::INFINITY, 0.0);
        for _ in 0..50 {
            let mut simulation = straight.clone();
            let start = Instant::now();
            simulation.step(&actuation)?;
            least = least.min(start.elapsed().as_secs_f64());
            let tip = simulation.state().world_from_tip().translation.vector / length;
            error = (tip - exact).norm();
        }
        let micros = 1e6 * least;
        writeln!(
            out,
            "{n_elements} elements: tip error {error:.1e} L, {micros:.0} µs"
        )?;
    }
    Ok(())
}
