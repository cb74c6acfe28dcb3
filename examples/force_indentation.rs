//! Presses every kind of torso 16 mm deep at 20 mm/s, the conditions that define its softness, and plots the
//! force–indentation curves: with the default lattice for the probe, and `composite` as in the thesis.
//!
//! The environment variables `STIFFNESS` [N/m] and `DAMPING` [N·s/m] set the softness (default: the thesis), and
//! `SPEED` [m/s] sets the speed of the press. `SPACING` [m], `REACH` [m] and `SUBSTEP` [s] are settings of torsos with a
//! tissue solver, as in `scene.tissue` of tasks.
//!
//! The felt stiffness and damping are those of a Kelvin–Voigt body, fitted to press and retreat at
//! 2 to 15 mm.
//!
//! `cargo run --release --example force_indentation -- docs/pictures/force_indentation.svg [KIND…]`

use std::ops::ControlFlow::Continue;

use insonate::experiments::{Pictures, Press, Sample, force_indentation_plot, press};
use insonate::files;
use insonate::models::torsos::{self, Softness};
use insonate::models::{Lattice, SceneConfig, SoftnessChoice};

fn main() -> anyhow::Result<()> {
    let path = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "force_indentation.svg".to_owned());
    let mut curves = Vec::new();
    let mut softness = Softness::default();
    softness.stiffness = setting("STIFFNESS")?.unwrap_or(softness.stiffness);
    softness.damping = setting("DAMPING")?.unwrap_or(softness.damping);
    let speed = setting("SPEED")?.unwrap_or(0.02);
    let kinds: Vec<String> = std::env::args().skip(2).collect();
    let wanted = |name: &str| kinds.is_empty() || kinds.iter().any(|kind| kind == name);
    for kind in torsos::ALL.iter().filter(|kind| wanted(kind.name)) {
        let mut config = SceneConfig {
            torso: kind.name.to_owned(),
            softness: SoftnessChoice::Values(softness),
            ..SceneConfig::default()
        };
        if kind.is_tissue() {
            if let Some(spacing) = setting("SPACING")? {
                config.lattice = Lattice::MaxSpacing(spacing);
            }
            config.active_radius = setting("REACH")?.or(Some(f64::INFINITY));
            config.substep = setting("SUBSTEP")?;
        }
        let scene = config.build()?;
        let (record, summary) = press(
            &scene,
            &Press {
                depth: 0.016,
                speed,
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
        let curve = |phase| ForceCurve::of(record.of_phase(phase));
        let KelvinVoigtFit {
            stiffness,
            damping,
            lost,
        } = KelvinVoigtFit::of(&curve("press"), &curve("retreat"));
        eprintln!(
            "{:<10} 5 mm {:6.2} N  10 mm {:6.2} N  15 mm {:6.2} N  felt {:5.0} N/m {:5.1} N·s/m, lost {:4.1} %  {:8.0} steps/s",
            kind.name,
            forces(0.005),
            forces(0.01),
            forces(0.015),
            stiffness,
            damping,
            100.0 * lost,
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
            "Panda, C5-2, {} mm/s, {} N/m, {} N·s/m",
            1e3 * speed,
            softness.stiffness,
            softness.damping
        ),
    )?;
    Ok(files::write(path, plot.svg.as_bytes())?)
}

/// A number from an environment variable.
fn setting(name: &str) -> anyhow::Result<Option<f64>> {
    let text = std::env::var(name).ok();
    Ok(text.map(|text| text.parse()).transpose()?)
}

/// Indentations at which press and retreat are compared: 2 to 15 mm [m].
fn indentations() -> impl Iterator<Item = f64> {
    (0..=52).map(|quarter| 0.002 + 0.25e-3 * f64::from(quarter))
}

/// Force [N] and rate of indentation [m/s] during press or retreat, at each of [`indentations`].
struct ForceCurve(Vec<[f64; 2]>);

impl ForceCurve {
    fn of<'a>(samples: impl Iterator<Item = &'a Sample>) -> Self {
        let samples: Vec<_> = samples.collect();
        let at = |depth: f64| {
            let pair = samples.windows(2).find(|pair| {
                let [from, to] = [pair[0].indentation - depth, pair[1].indentation - depth];
                from * to <= 0.0 && from != to
            })?;
            let [from, to] = [pair[0], pair[1]];
            let share = (depth - from.indentation) / (to.indentation - from.indentation);
            let rate = (to.indentation - from.indentation) / (to.time - from.time);
            Some([from.force[2] + share * (to.force[2] - from.force[2]), rate])
        };
        Self(
            indentations()
                .map(|depth| at(depth).unwrap_or([f64::NAN; 2]))
                .collect(),
        )
    }
}

/// Parameters of a Kelvin–Voigt body, as felt by the probe.
struct KelvinVoigtFit {
    /// Stiffness: fit through the origin to the mean of press and retreat [N/m].
    stiffness: f64,
    /// Damping: difference of the forces of press and retreat divided by the difference of their
    /// rates [N·s/m].
    damping: f64,
    /// Share of the work of the press that is dissipated.
    lost: f64,
}

impl KelvinVoigtFit {
    fn of(press: &ForceCurve, retreat: &ForceCurve) -> Self {
        let pairs = || indentations().zip(press.0.iter().zip(&retreat.0));
        let sum = |term: fn(f64, &[f64; 2], &[f64; 2]) -> f64| -> f64 {
            pairs()
                .map(|(depth, (press, retreat))| term(depth, press, retreat))
                .sum()
        };
        let loop_force = sum(|_, press, retreat| press[0] - retreat[0]);
        Self {
            stiffness: sum(|depth, press, retreat| depth * 0.5 * (press[0] + retreat[0]))
                / sum(|depth, _, _| depth * depth),
            damping: loop_force / sum(|_, press, retreat| press[1] - retreat[1]),
            lost: loop_force / sum(|_, press, _| press[0]),
        }
    }
}
