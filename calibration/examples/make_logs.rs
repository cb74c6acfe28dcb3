//! Writes one log with known parameters for each law, with noise and bias: `make_logs DIR`.
//!
//! The files in `data/laws/` were written by this program; `data/MANIFEST.toml` contains their true parameters.

use std::path::PathBuf;

use insonate_calibration::synthetic::{Law, MotionFrame, SyntheticLog, Trajectory, to_csv};
use insonate_calibration::{Channel, Log, Motion};

/// Rounding steps of time [s], position [m], velocity [m/s] and force [N] in the files: well below their noise.
const STEPS: [f64; 4] = [1e-6, 1e-7, 1e-6, 1e-4];

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    std::fs::create_dir_all(&folder)?;
    let laws = [
        (
            "kelvin_voigt",
            Law::KelvinVoigt {
                stiffness: 1324.17,
                damping: 17.59,
            },
        ),
        (
            "hunt_crossley",
            Law::HuntCrossley {
                kappa: 14_000.0,
                lambda: 230.0,
                n: 1.5,
                m: 0.5,
            },
        ),
        (
            "sls",
            Law::StandardLinearSolid {
                stiffness: 900.0,
                branch_stiffness: 500.0,
                relaxation_time: 0.15,
            },
        ),
    ];
    for (seed, (name, law)) in laws.into_iter().enumerate() {
        let frame = MotionFrame::Axis {
            surface: 0.12,
            outward: true,
        };
        let recipe = SyntheticLog {
            name: name.to_owned(),
            rate: 200.0,
            seed: seed as u64,
            ..SyntheticLog::new(law, Trajectory::rich(), frame)
        };
        let comments = [
            format!("simulated: {law:?}"),
            format!("simulated: 200 Hz, seed {seed}, {:?}", recipe.sensor),
        ];
        let text = to_csv(&rounded(recipe.generate()), &comments);
        std::fs::write(folder.join(format!("{name}.csv")), text)?;
    }
    Ok(())
}

/// Rounds a log to significant digits.
fn rounded(mut log: Log) -> Log {
    let [time, position, velocity, force] = STEPS;
    round(&mut log.time, time);
    for (channel, step) in [
        (Some(&mut log.force), force),
        (log.velocity.as_mut(), velocity),
    ] {
        if let Some(Channel::Scalar(values)) = channel {
            round(values, step);
        }
    }
    if let Motion::Position(Channel::Scalar(values)) = &mut log.motion {
        round(values, position);
    }
    log
}

fn round(values: &mut [f64], step: f64) {
    let per_unit = (1.0 / step).round();
    for value in values {
        *value = (*value * per_unit).round() / per_unit;
    }
}
