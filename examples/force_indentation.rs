//! Presses every kind of torso 3 cm deep and draws the force–indentation curves side by side.
//!
//! `cargo run --release --example force_indentation -- docs/pictures/force_indentation.svg`

use std::ops::ControlFlow::Continue;

use insonate::experiments::{Pictures, Press, force_indentation_plot, press};
use insonate::files;
use insonate::models::torsos::{self, TorsoConfig};
use insonate::models::{Scene, probes, robots};

fn main() -> anyhow::Result<()> {
    let path = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "force_indentation.svg".to_owned());
    let mut curves = Vec::new();
    for kind in torsos::ALL {
        let torso = (kind.build)(&TorsoConfig::default())?;
        let scene = Scene::new(robots::panda::panda(), probes::c5_2(), Some(torso));
        let (record, summary) = press(
            &scene,
            &Press::default(),
            &mut Pictures::none(),
            &mut |_| Continue(()),
        )?;
        let forces = |depth: f64| {
            let sample = record
                .of_phase("press")
                .find(|sample| sample.indentation >= depth);
            sample.map_or(f64::NAN, |sample| sample.force[2])
        };
        eprintln!(
            "{:<10} 5 mm {:6.2} N  10 mm {:6.2} N  20 mm {:6.2} N  29 mm {:6.2} N  {:8.0} steps/s",
            kind.name,
            forces(0.005),
            forces(0.01),
            forces(0.02),
            forces(0.029),
            summary.steps_per_second
        );
        let curve = record
            .samples
            .iter()
            .map(|sample| (sample.indentation, sample.force[2]))
            .collect();
        curves.push((kind.name.to_owned(), curve));
    }
    let plot = force_indentation_plot(&curves, "Panda, C5-2, 20 mm/s, thesis' softness")?;
    Ok(files::write(path, plot.svg.as_bytes())?)
}
