//! Error of the estimated surface on ramps over foam, and coverage of its 95 % interval.
//!
//! `cargo run --release -p insonate-calibration --example onset -- 200`
//!
//! The force is a power of the depth, from 1.2 (nearly a spring) to 3 (cells that settle, skin that folds).
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "an example prints its table and ends on an error"
)]

use insonate_calibration::synthetic::{Law, MotionFrame, Segment, SyntheticLog, Trajectory};
use insonate_calibration::{PrepareOptions, prepare};

/// Position of the surface [m].
const SURFACE: f64 = 0.12;

fn main() {
    let n: u64 = std::env::args()
        .nth(1)
        .map_or(200, |text| text.parse().unwrap());
    println!("ramps of 5 mm/s over foam, {n} logs each; 10 N at 8 mm");
    for damping in [0.0, 0.1] {
        println!("damping makes up {damping} of the force");
        println!("exponent  mean error mm    rms mm  stated mm  covered %");
        for exponent in [1.2, 1.35, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0] {
            print_exponent(exponent, damping, n);
        }
    }
}

fn print_exponent(exponent: f64, damping: f64, n: u64) {
    let (depth, speed) = (0.008_f64, 0.005);
    let law = Law::HuntCrossley {
        kappa: 10.0 * (1.0 - damping) / depth.powf(exponent),
        lambda: 10.0 * damping / (depth.powf(exponent - 1.0) * speed),
        n: exponent,
        m: exponent - 1.0,
    };
    let ramp = Segment::Move {
        to: depth,
        speed,
        ramp: 0.05,
    };
    let motion = Trajectory::new(-0.005, &[Segment::Hold(0.5), ramp, Segment::Hold(0.5)]);
    let frame = MotionFrame::Axis {
        surface: SURFACE,
        outward: true,
    };
    let mut recipe = SyntheticLog::new(law, motion, frame);
    let (mut sum, mut squares, mut stated, mut covered) = (0.0, 0.0, 0.0, 0);
    for seed in 0..n {
        recipe.seed = seed;
        let found = prepare(&recipe.generate(), &PrepareOptions::default()).unwrap();
        let onset = found
            .choices
            .iter()
            .find(|choice| choice.what == "contact onset")
            .unwrap();
        let place = onset.value.split(' ').next().unwrap();
        let error = place.parse::<f64>().unwrap().abs() - 1e3 * SURFACE;
        let deviation = 1e3 * found.samples.contact.standard_error;
        sum += error;
        squares += error * error;
        stated += deviation;
        covered += u64::from(error.abs() <= 1.96 * deviation);
    }
    let n = n as f64;
    println!(
        "{exponent:<8} {:>14.4} {:>9.4} {:>10.4} {:>10.1}",
        sum / n,
        (squares / n).sqrt(),
        stated / n,
        100.0 * covered as f64 / n
    );
}
