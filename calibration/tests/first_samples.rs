//! A bad start, a bad end, and samples outside `--window` do not influence the calibration. Each log is compared with
//! the synthetic law's truth, and with the same log without the defect.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_calibration::synthetic::{Law, MotionFrame, SyntheticLog, Trajectory};
use insonate_calibration::{
    Calibration, CalibrationOptions, Channel, Log, ModelChoice, Motion, calibrate,
};

const LAW: Law = Law::KelvinVoigt {
    stiffness: 1200.0,
    damping: 18.0,
};
const AXIS: MotionFrame = MotionFrame::Axis {
    surface: 0.12,
    outward: true,
};

fn options(window: Option<[f64; 2]>) -> CalibrationOptions {
    let mut options = CalibrationOptions {
        model: ModelChoice::Named("kelvin-voigt"),
        ..CalibrationOptions::default()
    };
    options.prepare.window = window;
    options
}

fn log(seed: u64) -> Log {
    let mut recipe = SyntheticLog::new(LAW, Trajectory::rich(), AXIS);
    recipe.rate = 250.0;
    recipe.seed = seed;
    recipe.sensor.velocity_logged = false;
    recipe.generate()
}

fn force(log: &mut Log) -> &mut Vec<f64> {
    match &mut log.force {
        Channel::Scalar(values) => values,
        Channel::Vector(_) => panic!("a force along an axis"),
    }
}

fn position(log: &mut Log) -> &mut Vec<f64> {
    match &mut log.motion {
        Motion::Position(Channel::Scalar(values)) => values,
        _ => panic!("positions along an axis"),
    }
}

fn stiffness(found: &Calibration) -> f64 {
    let stiffness = found.fit.parameter("stiffness").unwrap();
    assert!(stiffness.identifiable, "{stiffness:?}");
    let [low, high] = stiffness.ci95;
    assert!(low <= 1200.0 && 1200.0 <= high, "{stiffness:?}");
    stiffness.value
}

#[test]
fn strays_are_left_out_and_reported() {
    // Row, number of rows, and force there [N]; the air reads −1.1 N.
    let defects: [(usize, usize, f64); 9] = [
        (0, 1, 50.0),
        (0, 1, -30.0),
        (0, 3, 50.0),
        (0, 1, 0.0),
        (0, 40, 0.0),
        (100, 1, 12.0),
        (700, 2, -9.0),
        (1500, 3, 40.0),
        (usize::MAX, 2, 25.0),
    ];
    for (seed, (row, n, value)) in (0..).zip(defects) {
        let mut log = log(seed);
        let clean = stiffness(&calibrate(&log, &options(None)).unwrap());
        let row = row.min(log.len() - n);
        let time = log.time[row];
        force(&mut log)[row..row + n].fill(value);
        let found = calibrate(&log, &options(None)).unwrap();
        assert!(
            (stiffness(&found) / clean - 1.0).abs() < 2e-3,
            "{row} {value}"
        );
        let told = format!(
            "samples of the force that jump away from their neighbours were left out: {n}, at {time:.4} s"
        );
        assert!(
            found.prepared.notes.contains(&told),
            "{:?}",
            found.prepared.notes
        );
    }
    let mut log = log(3);
    position(&mut log)[0] = 0.0;
    let found = calibrate(&log, &options(None)).unwrap();
    stiffness(&found);
    assert!(
        found
            .prepared
            .notes
            .iter()
            .any(|note| note.contains("of the position that jump"))
    );
}

#[test]
fn good_samples_are_not_strays() {
    for seed in 0..6 {
        for (motion, rate) in [
            (Trajectory::rich(), 30.0),
            (Trajectory::rich(), 500.0),
            (Trajectory::press(), 100.0),
            (Trajectory::palpation(10.0), 60.0),
        ] {
            let mut recipe = SyntheticLog::new(LAW, motion, AXIS);
            recipe.rate = rate;
            recipe.seed = seed;
            let found = calibrate(&recipe.generate(), &options(None)).unwrap();
            let notes = &found.prepared.notes;
            assert!(
                !notes.iter().any(|note| note.contains("that jump")),
                "{rate} {notes:?}"
            );
        }
    }
}

#[test]
fn samples_outside_the_window_do_not_matter() {
    for seed in 0..3 {
        let good = log(seed);
        let end = good.time[good.len() - 1];
        // Air before contact is inside the first window, and outside the second.
        for window in [[0.4, 14.0], [3.0, 12.0]] {
            let clean = stiffness(&calibrate(&good, &options(Some(window))).unwrap());
            let mut bad = good.clone();
            let first = bad.time.partition_point(|time| *time < 0.3);
            let last = bad.time.partition_point(|time| *time < end - 0.5);
            let n = bad.len();
            for row in (0..first).chain(last..n) {
                // A tool change: forces act on the sensor, and a channel is lost.
                force(&mut bad)[row] = 60.0 * (0.3 * row as f64).sin();
            }
            position(&mut bad)[n - 1] = f64::NAN;
            let found = calibrate(&bad, &options(Some(window))).unwrap();
            assert!((stiffness(&found) / clean - 1.0).abs() < 1e-9, "{window:?}");
        }
    }
}

#[test]
fn a_log_that_ends_in_air_takes_its_bias_from_there() {
    let mut covered = 0;
    for seed in 0..24 {
        let whole = log(seed);
        // The start is anywhere between the first hold in contact and the last.
        let from = whole
            .time
            .partition_point(|time| *time < 3.6 + 0.35 * seed as f64 % 8.0);
        let rows: Vec<usize> = (from..whole.len()).collect();
        let found = calibrate(&whole.rows(&rows), &options(None)).unwrap();
        let bias = found.prepared.force_bias;
        assert!((bias + 1.1).abs() < 0.03, "{bias} N");
        // Air samples are not fitted.
        let samples = &found.prepared.samples;
        assert!(samples.force.iter().all(|force| *force > -0.1));
        assert!(samples.time[samples.len() - 1] < whole.time[whole.len() - 1] - 1.0);
        for (name, truth) in LAW.parameters() {
            let parameter = found.fit.parameter(name).unwrap();
            let [low, high] = parameter.ci95;
            covered += usize::from(low <= truth && truth <= high);
        }
        let stiffness = found.fit.parameter("stiffness").unwrap();
        assert!(
            (stiffness.value / 1200.0 - 1.0).abs() < 0.02,
            "{stiffness:?}"
        );
    }
    // Of 48 intervals of 95 %, fewer than 42 cover with probability 0.7 %.
    assert!(covered >= 42, "{covered}");
}
