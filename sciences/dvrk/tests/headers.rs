//! Contract: headers of common recorders are understood, and the time column gives the rate.

#![expect(
    clippy::format_push_string,
    reason = "logs of a few columns are put together as text"
)]

use insonate_dvrk::JointVector;
use insonate_dvrk::coupling;
use insonate_dvrk::identification::{Coordinates, FourierTrajectory, MotionLog, Reading};

/// q, dq and ddq (for torques) at time `t`, motor coordinates.
fn state(t: f64) -> [JointVector; 3] {
    FourierTrajectory::wang(2).expect("it is one of four").at(t)
}

/// A log with a time column; `time` formats the time in s.
fn text(
    header: &str,
    times: &[f64],
    time: impl Fn(f64) -> String,
    columns: &[[usize; 2]],
) -> String {
    let mut text = header.to_owned();
    for t in times {
        let values = state(*t);
        text.push('\n');
        text.push_str(&time(*t));
        for [quantity, joint] in columns {
            text.push_str(&format!(",{:.9}", values[*quantity][*joint]));
        }
    }
    text
}

fn all_columns(n_joints: usize) -> Vec<[usize; 2]> {
    (0..3)
        .flat_map(|quantity| (0..n_joints).map(move |joint| [quantity, joint]))
        .collect()
}

fn names(n_joints: usize, name: impl Fn(&str, usize) -> String) -> String {
    let quantities = ["position", "velocity", "effort"];
    let all = quantities
        .iter()
        .flat_map(|q| (0..n_joints).map(|j| name(q, j)).collect::<Vec<_>>());
    all.collect::<Vec<_>>().join(",")
}

fn read(text: &str, rate_hz: Option<f64>) -> Result<MotionLog, String> {
    let reading = Reading {
        rate_hz,
        ..Reading::new(Coordinates::Motor)
    };
    MotionLog::parse_with("log.csv".to_owned(), text, &reading).map_err(|error| error.to_string())
}

fn even(rate: f64, n: usize) -> Vec<f64> {
    (0..n).map(|sample| sample as f64 / rate).collect()
}

#[test]
fn times_in_every_unit_give_the_rate() {
    let columns = all_columns(7);
    let header = names(7, |quantity, joint| format!("field.{quantity}{joint}"));
    let times = even(500.0, 600);
    let stamp = 1_700_000_000_u64;
    for (name, time) in [
        (
            "%time",
            Box::new(move |t: f64| format!("{}", stamp * 1_000_000_000 + (t * 1e9).round() as u64))
                as Box<dyn Fn(f64) -> String>,
        ),
        ("t", Box::new(|t: f64| format!("{t:.6}"))),
        ("time [ms]", Box::new(|t: f64| format!("{:.3}", t * 1e3))),
        ("timestamp", Box::new(|t: f64| format!("{:.0}", t * 1e6))),
        (
            "secs,nsecs",
            Box::new(move |t: f64| format!("{},{:.0}", stamp + t as u64, t.fract() * 1e9)),
        ),
    ] {
        let written = text(&format!("{name},{header}"), &times, &time, &columns);
        let log = read(&written, None).unwrap_or_else(|message| panic!("{name}: {message}"));
        assert!(
            (log.rate_hz - 500.0).abs() < 0.01,
            "{name}: {}",
            log.rate_hz
        );
        assert!((log.q[100] - state(0.2)[0]).amax() < 1e-6, "{name}");
        let message = read(&written, Some(200.0)).unwrap_err();
        assert!(message.contains("column time says 500.0 Hz"), "{message}");
    }
}

#[test]
fn uneven_samples_are_brought_to_even_steps_and_gaps_are_refused() {
    let columns = all_columns(7);
    let header = format!(
        "time,{}",
        names(7, |quantity, joint| format!("{quantity}_{}", joint + 1))
    );
    // Samples at irregular times, as on a busy computer.
    let jitter: Vec<f64> = (0..2000)
        .map(|i| (f64::from(i) + 0.3 * (1.7 * f64::from(i)).sin()) / 200.0)
        .collect();
    let log = read(
        &text(&header, &jitter, |t| format!("{t:.6}"), &columns),
        None,
    )
    .unwrap();
    let step = 1.0 / log.rate_hz;
    for sample in 5..1990 {
        let expected = state(jitter[0] + step * sample as f64);
        for (found, expected) in [&log.q, &log.dq, &log.tau].iter().zip(&expected) {
            assert!((found[sample] - expected).amax() < 1e-4, "{sample}");
        }
    }
    // Samples at even times with late stamps: the numbers do not change.
    let stamped: Vec<f64> = even(200.0, 2000);
    let late = |t: f64| format!("{:.6}", t + 0.0015 * (300.0 * t).sin());
    let log = read(&text(&header, &stamped, late, &columns), None).unwrap();
    assert!((log.q[1000] - state(5.0)[0]).amax() < 1e-8);
    assert!((log.rate_hz - 200.0).abs() < 0.1);

    let mut gap = even(200.0, 2000);
    gap.drain(900..960);
    let message = read(&text(&header, &gap, |t| format!("{t:.6}"), &columns), None).unwrap_err();
    assert!(
        message.starts_with("log.csv: lines 901 to 902: the gap between samples is 0.305 s"),
        "{message}"
    );
    let message = read(
        &text(
            &header,
            &[0.0, 0.005, 0.005, 0.01],
            |t| format!("{t:.6}"),
            &columns,
        ),
        None,
    )
    .unwrap_err();
    assert!(
        message.starts_with("log.csv: line 4: column time is 0.005 after 0.005"),
        "{message}"
    );
    let message = read(
        &text(
            &header,
            &even(200.0, 10),
            |_| "12:00:01".to_owned(),
            &columns,
        ),
        None,
    )
    .unwrap_err();
    assert!(
        message.starts_with("log.csv: line 2: column time is \"12:00:01\""),
        "{message}"
    );
}

#[test]
fn topics_of_the_dvrk_become_joints() {
    let times = even(200.0, 400);
    let header = format!(
        "time,{},{},{}",
        names(6, |quantity, joint| format!(
            "/PSM1/measured_js.{quantity}[{joint}]"
        )),
        names(6, |quantity, joint| format!(
            "/PSM1/setpoint_js.{quantity}[{joint}]"
        )),
        names(1, |quantity, joint| format!(
            "/PSM1/jaw/measured_js.{quantity}[{joint}]"
        )),
    );
    let mut written = header;
    for t in &times {
        let [q, dq, tau] = state(*t);
        // The power is the same in both coordinates: tau_console . dq_console = tau . dq.
        let console = [
            coupling::console_from_joint(&q),
            coupling::console_from_joint(&dq),
        ];
        let mut torque = tau;
        torque[5] = tau[5] + tau[6];
        torque[6] = 0.5 * (tau[6] - tau[5]);
        assert!((torque.dot(&console[1]) - tau.dot(&dq)).abs() < 1e-9);
        let values = [console[0], console[1], torque];
        written.push_str(&format!("\n{t:.6}"));
        for value in values {
            for joint in 0..6 {
                written.push_str(&format!(",{:.9}", value[joint]));
            }
        }
        (0..18).for_each(|_| written.push_str(",0.5"));
        for value in &values {
            written.push_str(&format!(",{:.9}", value[6]));
        }
    }
    let log = read(&written, None).unwrap();
    assert_eq!(log.coordinates, Coordinates::Joint);
    let [q, dq, tau] = state(1.0);
    assert!((log.q[200] - q).amax() < 1e-7);
    assert!((log.dq[200] - dq).amax() < 1e-7);
    assert!((log.tau[200] - tau).amax() < 1e-7, "{} {tau}", log.tau[200]);
}

#[test]
fn a_log_of_the_first_joints_leaves_the_wrist_at_rest() {
    let times = even(200.0, 400);
    let header = format!(
        "time,{}",
        names(3, |quantity, joint| format!("{quantity}[{joint}]"))
    );
    let log = read(
        &text(&header, &times, |t| format!("{t:.6}"), &all_columns(3)),
        None,
    )
    .unwrap();
    assert_eq!(
        log.joints_at_rest(),
        [false, false, false, true, true, true, true]
    );
    // A log without one of the first three joints cannot be fitted.
    let header = format!(
        "time,{}",
        names(2, |quantity, joint| format!("{quantity}[{joint}]"))
    );
    let message = read(
        &text(&header, &times, |t| format!("{t:.6}"), &all_columns(2)),
        None,
    )
    .unwrap_err();
    assert!(
        message.starts_with("log.csv: line 1: column q3 is missing in the header"),
        "{message}"
    );
}
