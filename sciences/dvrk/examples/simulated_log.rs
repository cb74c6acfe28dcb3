//! Prints a simulated log of one of Wang's excitation trajectories: 30 s at 200 Hz in motor coordinates, with noise of encoders and torque readings.
//!
//! `cargo run --release -p insonate-dvrk --example simulated_log -- 1 > one.csv`
//! `cargo run --release -p insonate-dvrk --example simulated_log -- 1 0.105 > one_105g.csv` with a payload [kg] on the carriage.

#![expect(clippy::print_stdout, reason = "it prints a log")]

#[path = "../tests/simulated/mod.rs"]
mod simulated;

use insonate_dvrk::Inertia;
use insonate_dvrk::identification::Coordinates;

fn main() {
    let numbers: Vec<f64> = (std::env::args().skip(1))
        .map(|word| word.parse().expect("arguments are numbers"))
        .collect();
    let (number, payload) = match numbers[..] {
        [number] => (number as usize, 0.0),
        [number, payload] => (number as usize, payload),
        _ => panic!("usage: simulated_log TRAJECTORY [PAYLOAD_KG]"),
    };
    let body = Inertia::about_centre(payload, [0.0, -0.02, 0.05], [0.0; 6]);
    let psm = simulated::truth().with_payload(8, body);
    let log = simulated::log(&psm, number, Coordinates::Motor, 30.0, 1.0, number as u64);
    for ((q, dq), tau) in log.q.iter().zip(&log.dq).zip(&log.tau) {
        let cells = q
            .iter()
            .chain(dq)
            .chain(tau)
            .map(|value| format!("{value:.8}"));
        println!("{}", cells.collect::<Vec<_>>().join(","));
    }
}
