//! Contract: wrong units, wrong signs and infeasible bodies are refused with their cause, and payloads are distinguished from daily changes of friction.

mod simulated;

use insonate_dvrk::identification::{
    AngleUnit, Coordinates, Filtering, Identification, LengthUnit, Method, MotionLog, Reading,
    TorqueSign,
};
use insonate_dvrk::{Inertia, JointVector, Psm};

fn text(log: &MotionLog, header: &str) -> String {
    let mut text = String::from(header);
    for ((q, dq), tau) in log.q.iter().zip(&log.dq).zip(&log.tau) {
        let cells: Vec<String> = (q.iter().chain(dq).chain(tau))
            .map(|value| format!("{value:.8}"))
            .collect();
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

fn read(text: &str, reading: &Reading) -> Result<MotionLog, String> {
    MotionLog::parse_with("log.csv".to_owned(), text, reading).map_err(|error| error.to_string())
}

fn fit(log: &MotionLog, method: Method) -> Result<Identification, String> {
    Identification::fit(&simulated::truth(), log, method, Filtering::standard())
        .map_err(|error| error.to_string())
}

/// The log with q and dq of the given joints multiplied by a factor.
fn scaled(log: &MotionLog, joints: &[usize], factor: f64) -> MotionLog {
    let mut scaled = log.clone();
    for value in scaled.q.iter_mut().chain(&mut scaled.dq) {
        for joint in joints {
            value[*joint] *= factor;
        }
    }
    scaled
}

const TURNING: [usize; 6] = [0, 1, 3, 4, 5, 6];

#[test]
fn degrees_and_millimetres_are_named_and_can_be_read() {
    let log = simulated::log(&simulated::truth(), 1, Coordinates::Motor, 12.0, 1.0, 1);
    let motors = Reading::new(Coordinates::Motor);
    let good = read(&text(&log, ""), &motors).unwrap();
    let degrees = scaled(&log, &TURNING, 1.0_f64.to_degrees());
    let both = scaled(&degrees, &[2], 1e3);
    let millimetres = scaled(&log, &[2], 1e3);
    for (written, words, angles, lengths) in [
        (
            &degrees,
            vec!["q1 goes from", "angles=degrees"],
            AngleUnit::Degrees,
            LengthUnit::Metres,
        ),
        (
            &millimetres,
            vec!["q3 goes from", "lengths=millimetres"],
            AngleUnit::Radians,
            LengthUnit::Millimetres,
        ),
        (
            &both,
            vec!["angles=degrees", "lengths=millimetres"],
            AngleUnit::Degrees,
            LengthUnit::Millimetres,
        ),
    ] {
        let written = text(written, "");
        let message = read(&written, &motors).unwrap_err();
        println!("{message}");
        for word in words {
            assert!(message.contains(word), "{message}: {word}");
        }
        // The remedy in the message works.
        let reading = Reading {
            angles,
            lengths,
            ..motors
        };
        let converted = read(&written, &reading).unwrap();
        for (found, expected) in converted
            .q
            .iter()
            .chain(&converted.dq)
            .zip(good.q.iter().chain(&good.dq))
        {
            assert!((found - expected).amax() < 1e-6);
        }
    }
    // Only the positions are in degrees: no option would help, so the message names none.
    let mut positions = degrees.clone();
    positions.dq.clone_from(&log.dq);
    let message = read(&text(&positions, ""), &motors).unwrap_err();
    println!("{message}");
    assert!(
        message.contains("convert q to rad") && !message.contains("angles="),
        "{message}"
    );
    // A wrong rate.
    let half = Reading {
        rate_hz: Some(100.0),
        ..motors
    };
    let message = read(&text(&log, ""), &half).unwrap_err();
    println!("{message}");
    assert!(
        message.contains("all joints agree at about 200 Hz")
            || message.contains("all joints agree at about 199 Hz"),
        "{message}"
    );
}

#[test]
fn torques_of_opposite_sign_or_in_other_units_are_refused_by_name() {
    let log = simulated::log(&simulated::truth(), 1, Coordinates::Motor, 12.0, 1.0, 1);
    for method in [Method::Ols, Method::Wls, Method::Sdp] {
        let mut reaction = log.clone();
        reaction.tau.iter_mut().for_each(|tau| *tau = -*tau);
        let message = fit(&reaction, method).unwrap_err();
        println!("{message}");
        assert!(message.contains("opposite sign") && message.contains("torques=reaction"));
        let reading = Reading {
            torques: TorqueSign::Reaction,
            ..Reading::new(Coordinates::Motor)
        };
        let turned = read(&text(&reaction, ""), &reading).unwrap();
        assert!((turned.tau[700] - log.tau[700]).amax() < 1e-6);
    }
    // Only one joint is reversed.
    let mut one = log.clone();
    one.tau.iter_mut().for_each(|tau| tau[1] = -tau[1]);
    let message = fit(&one, Method::Sdp).unwrap_err();
    println!("{message}");
    assert!(message.contains("tau2 has the opposite sign") && !message.contains("torques="));
    // Torques in N mm.
    let mut large = log.clone();
    large.tau.iter_mut().for_each(|tau| *tau *= 1e3);
    let message = fit(&large, Method::Sdp).unwrap_err();
    println!("{message}");
    assert!(message.contains("N mm"), "{message}");
    // Without friction, weight and inertia reveal the sign.
    let free = simulated::truth().without_drives();
    let good = simulated::log(&free, 1, Coordinates::Motor, 12.0, 1.0, 1);
    assert!(fit(&good, Method::Wls).is_ok());
    let mut reaction = good.clone();
    reaction.tau.iter_mut().for_each(|tau| *tau = -*tau);
    let message = fit(&reaction, Method::Wls).unwrap_err();
    assert!(message.contains("opposite sign"), "{message}");
    // The same check applies to the log on which a result is tested.
    let found = fit(&log, Method::Wls).unwrap();
    let mut test = simulated::log(&simulated::truth(), 2, Coordinates::Motor, 12.0, 1.0, 1);
    assert!(found.relative_error(&test).unwrap().max() < 0.05);
    test.tau.iter_mut().for_each(|tau| *tau = -*tau);
    let message = found.relative_error(&test).unwrap_err().to_string();
    assert!(message.contains("opposite sign"), "{message}");
}

/// The arm on another day: Coulomb and viscous friction of each drive multiplied by its factor.
fn other_day(psm: &Psm, factors: impl Fn(usize) -> f64) -> Psm {
    let mut psm = psm.clone();
    for (index, drive) in psm.drives.iter_mut().enumerate() {
        drive.coulomb_friction *= factors(index);
        drive.viscous_friction *= factors(index);
    }
    psm
}

#[test]
fn intervals_of_payloads_cover_where_friction_differs() {
    let truth = simulated::truth();
    let (mut covered, mut all, mut widest) = (0, 0, 0.0_f64);
    for seed in 0..6 {
        let reference = simulated::log(&truth, 1, Coordinates::Motor, 24.0, 1.0, 100 + seed);
        let found = fit(&reference, Method::Wls).unwrap();
        for mass in [0.0, 0.05, 0.1, 0.25] {
            // The friction of each drive changes by +20 % or -20 %, in alternating patterns.
            let sign = |index: usize| {
                if (seed >> (index % 3)) & 1 == 0 {
                    1.2
                } else {
                    0.8
                }
            };
            let body = Inertia::about_centre(mass, [0.0, -0.02, 0.05], [0.0; 6]);
            let loaded = other_day(&truth, sign).with_payload(8, body);
            let log = simulated::log(&loaded, 1, Coordinates::Motor, 12.0, 1.0, 200 + seed);
            let payload = found.payload(&log).unwrap();
            let [low, high] = payload.mass_interval();
            println!(
                "{mass} kg: {low:.4} to {high:.4}, {:?}",
                payload.residual_ratio
            );
            covered += usize::from((low..=high).contains(&mass));
            all += 1;
            widest = widest.max(high - low);
            // The change of friction is separated from the payload.
            let more = payload.friction_change[2][0];
            let expected = truth.drives[2].coulomb_friction * (sign(2) - 1.0);
            assert!((more - expected).abs() < 0.05, "{more} {expected}");
        }
    }
    println!("{covered} of {all}, widest {widest}");
    assert!(covered * 10 >= all * 9, "{covered} of {all}");
    // The intervals are narrow enough to be useful.
    assert!(widest < 0.02, "{widest}");
}

#[test]
fn logs_that_no_payload_explains_are_refused() {
    let truth = simulated::truth();
    let reference = simulated::log(&truth, 1, Coordinates::Motor, 24.0, 1.0, 7);
    let found = fit(&reference, Method::Sdp).unwrap();
    // A body with negative mass.
    let body = Inertia::about_centre(-0.1, [0.0, -0.02, 0.05], [0.0; 6]);
    let lighter = truth.clone().with_payload(8, body);
    let log = simulated::log(&lighter, 1, Coordinates::Motor, 12.0, 1.0, 8);
    let message = found.payload(&log).unwrap_err().to_string();
    println!("{message}");
    assert!(message.contains("no compact payload"), "{message}");
    // A centre two metres away.
    let body = Inertia::about_centre(0.1, [0.0, -0.02, 2.0], [0.0; 6]);
    let far = truth.clone().with_payload(8, body);
    let log = simulated::log(&far, 1, Coordinates::Motor, 12.0, 1.0, 8);
    let message = found.payload(&log).unwrap_err().to_string();
    println!("{message}");
    assert!(message.contains("no compact payload"), "{message}");
    // The counterweight is missing.
    let log = simulated::log(
        &truth.clone().without_counterweight(),
        1,
        Coordinates::Motor,
        12.0,
        1.0,
        8,
    );
    let message = found.payload(&log).map(|payload| format!("{payload:?}"));
    println!("{message:?}");
    assert!(
        message
            .unwrap_err()
            .to_string()
            .contains("no compact payload")
    );
}

#[test]
fn a_payload_log_may_have_another_rate_and_a_wrist_at_rest() {
    let truth = simulated::truth();
    let reference = simulated::log(&truth, 1, Coordinates::Motor, 12.0, 1.0, 7);
    let found = fit(&reference, Method::Wls).unwrap();
    let body = Inertia::about_centre(0.1, [0.0, -0.02, 0.05], [0.0; 6]);
    let mut log = simulated::log(
        &truth.clone().with_payload(8, body),
        1,
        Coordinates::Motor,
        12.0,
        1.0,
        8,
    );
    // Keep every second sample.
    for values in [&mut log.q, &mut log.dq, &mut log.tau] {
        let kept: Vec<JointVector> = values.iter().step_by(2).copied().collect();
        *values = kept;
    }
    log.rate_hz = 100.0;
    for (q, dq) in log.q.iter_mut().zip(&mut log.dq) {
        for joint in 3..7 {
            q[joint] = 0.1 + 1e-3 * (q[joint] * 1e3).sin();
            dq[joint] *= 1e-3;
        }
    }
    let payload = found.payload(&log).unwrap();
    let [low, high] = payload.mass_interval();
    println!("{low} to {high}");
    assert!(low < 0.1 && high > 0.1 && high - low < 0.02);
}

#[test]
fn joints_at_rest_are_left_out_and_reported() {
    let truth = simulated::truth();
    let mut log = simulated::log(&truth, 1, Coordinates::Motor, 12.0, 1.0, 7);
    for sample in 0..log.n_samples() {
        for joint in 3..7 {
            log.q[sample][joint] = 0.1 + 1e-4 * (log.q[sample][joint] * 1e3).sin();
            log.dq[sample][joint] *= 1e-3;
            log.tau[sample][joint] = 0.01;
        }
    }
    for method in [Method::Wls, Method::Sdp] {
        let found = fit(&log, method).unwrap();
        println!("{:?}", found.notes);
        assert_eq!(found.at_rest, [false, false, false, true, true, true, true]);
        assert!(found.notes[0].contains("Joints 4, 5, 6, 7 stand still"));
        let names = found.base.names();
        let expected = &found.base.from_standard * truth.parameters();
        for (index, name) in names.iter().enumerate() {
            let is_open = found.not_identified.contains(&index);
            assert_eq!(is_open, found.standard_errors[index].is_infinite());
            let of_wrist = ["10", "11", "12", "13", "14", "15", "16"]
                .iter()
                .any(|drive| {
                    ["Fc", "Fv", "Fo", "Ia", "K"]
                        .iter()
                        .any(|kind| name.starts_with(&format!("{kind}{drive}")))
                });
            assert_eq!(is_open, of_wrist, "{name}");
            if !is_open && method == Method::Wls {
                let error = (found.values[index] - expected[index]).abs();
                assert!(
                    error < 5.0 * found.standard_errors[index] + 1e-3 * expected[index].abs(),
                    "{name}"
                );
            }
        }
        let test = simulated::log(&truth, 2, Coordinates::Motor, 12.0, 0.0, 7);
        let error = found.relative_error(&test).unwrap();
        assert!((0..3).all(|joint| error[joint] < 0.02), "{error}");
        assert!((3..7).all(|joint| error[joint].is_nan()), "{error}");
    }
}
