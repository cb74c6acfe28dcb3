//! Logs with known parameters: an arm follows an excitation exactly, and encoders and torque readings add noise.

use insonate_dvrk::identification::{Coordinates, FourierTrajectory, MotionLog};
use insonate_dvrk::{Inertia, JointVector, Psm, classic};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// Standard deviation of positions [rad, m]: one count of the encoders.
const POSITION_NOISE: [f64; 7] = [1e-5, 1e-5, 2e-6, 2e-4, 2e-4, 2e-4, 2e-4];
/// Standard deviation of velocities [rad/s, m/s].
const VELOCITY_NOISE: [f64; 7] = [1e-3, 1e-3, 2e-4, 1e-2, 1e-2, 1e-2, 1e-2];
/// Standard deviation of torques [N m, N]: about 1 % of the motor torques in these motions.
const TORQUE_NOISE: [f64; 7] = [2e-2, 2e-2, 5e-2, 2e-4, 5e-4, 5e-4, 5e-4];

/// An arm with only identifiable parameters: the links beyond the carriage have no mass.
pub(crate) fn truth() -> Psm {
    let mut psm = classic();
    for link in 10..14 {
        psm.links[link].inertia = Inertia::ZERO;
    }
    psm
}

/// A log of `duration` [s] at 200 Hz along Wang's trajectory `number`, in `coordinates`, with the noise above times `noise`.
pub(crate) fn log(
    psm: &Psm,
    number: usize,
    coordinates: Coordinates,
    duration: f64,
    noise: f64,
    seed: u64,
) -> MotionLog {
    let trajectory = FourierTrajectory::wang(number).expect("it is one of four");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut noisy = |value: JointVector, deviation: &[f64; 7]| {
        JointVector::from_fn(|joint, _| {
            let normal: f64 = StandardNormal.sample(&mut rng);
            value[joint] + noise * deviation[joint] * normal
        })
    };
    let mut log = MotionLog {
        name: format!("simulated-{number}"),
        rate_hz: 200.0,
        coordinates,
        q: Vec::new(),
        dq: Vec::new(),
        tau: Vec::new(),
    };
    for sample in 0..(200.0 * duration) as usize {
        let motors = trajectory.at(sample as f64 / 200.0);
        let [q, dq, ddq] = motors.map(|value| Coordinates::Motor.joints(&value));
        let tau = coordinates.torques(&psm.inverse_dynamics(&q, &dq, &ddq));
        log.q
            .push(noisy(coordinates.from_joints(&q), &POSITION_NOISE));
        log.dq
            .push(noisy(coordinates.from_joints(&dq), &VELOCITY_NOISE));
        log.tau.push(noisy(tau, &TORQUE_NOISE));
    }
    log
}
