//! Presses every kind of torso 16 mm deep at 20 mm/s, as its softness is defined, and draws the force–indentation curves side by side:
//! in its usual make for the probe, and `composite` as the thesis had it.
//!
//! `STIFFNESS` [N/m] and `DAMPING` [N·s/m] of the environment are the softness; those of the thesis are the default.
//!
//! `cargo run --release --example force_indentation -- docs/pictures/force_indentation.svg`

use std::ops::ControlFlow::Continue;

use insonate::experiments::{Pictures, Press, force_indentation_plot, press};
use insonate::files;
use insonate::models::torsos::{self, Shape, Softness, TorsoConfig};
use insonate::models::{Scene, probes, robots};

/// Length of a physics step [s].
const TIMESTEP: f64 = 0.002;

fn main() -> anyhow::Result<()> {
    let path = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "force_indentation.svg".to_owned());
    let mut curves = Vec::new();
    let mut softness = Softness::default();
    for (name, field) in [
        ("STIFFNESS", &mut softness.stiffness),
        ("DAMPING", &mut softness.damping),
    ] {
        if let Ok(text) = std::env::var(name) {
            *field = text.parse()?;
        }
    }
    let probe = probes::c5_2();
    for kind in torsos::ALL {
        let mut config = TorsoConfig {
            softness,
            ..TorsoConfig::usual(kind.name, Shape::Cylinder, None, probe.thickness)
        };
        if config.soft_layers.is_some() {
            config = config.matching(TIMESTEP);
        }
        let torso = (kind.build)(&config)?;
        let mut scene = Scene::new(robots::panda::panda(), probe.clone(), Some(torso));
        scene.timestep = TIMESTEP;
        let (record, summary) = press(
            &scene,
            &Press {
                depth: 0.016,
                speed: 0.02,
                ..Press::default()
            },
            &mut Pictures::none(),
            &mut |_| Continue(()),
        )?;
        let forces = |depth: f64| {
            let sample = record
                .of_phase("press")
                .find(|sample| sample.indentation >= depth);
            sample.map_or(f64::NAN, |sample| sample.force[2])
        };
        let work = |phase: &'static str| -> f64 {
            let samples: Vec<_> = record
                .of_phase(phase)
                .filter(|sample| sample.indentation > 0.0)
                .collect();
            let pairs = samples.windows(2);
            pairs
                .map(|pair| {
                    let force = 0.5 * (pair[0].force[2] + pair[1].force[2]);
                    force * (pair[1].indentation - pair[0].indentation)
                })
                .sum()
        };
        let [pressed, given_back] = [work("press"), -work("retreat")];
        eprintln!(
            "{:<10} 5 mm {:6.2} N  10 mm {:6.2} N  15 mm {:6.2} N  work {:5.1} mJ, lost {:4.1} %  {:8.0} steps/s",
            kind.name,
            forces(0.005),
            forces(0.01),
            forces(0.015),
            1e3 * pressed,
            100.0 * (1.0 - given_back / pressed),
            summary.steps_per_second
        );
        let curve = record
            .samples
            .iter()
            .map(|sample| (sample.indentation, sample.force[2]))
            .collect();
        curves.push((kind.name.to_owned(), curve));
    }
    let plot = force_indentation_plot(
        &curves,
        &format!(
            "Panda, C5-2, 20 mm/s, {} N/m, {} N·s/m",
            softness.stiffness, softness.damping
        ),
    )?;
    Ok(files::write(path, plot.svg.as_bytes())?)
}
