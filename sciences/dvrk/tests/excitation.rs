//! Contract: excitation trajectories stay within their limits, are periodic, and improve by optimisation.

use insonate_dvrk::classic;
use insonate_dvrk::identification::{Coordinates, ExcitationLimits, FourierTrajectory};

#[test]
fn an_optimised_trajectory_keeps_the_limits_and_is_better_than_its_start() {
    let (psm, limits) = (classic(), ExcitationLimits::wang());
    let made = |n_steps, seed| {
        FourierTrajectory::optimised(&psm, &limits, Coordinates::Motor, 0.18, n_steps, seed)
    };
    let (_, before) = made(0, 1);
    let (trajectory, after) = made(120, 1);
    println!("condition number {before:.0}, after 120 steps {after:.0}");
    assert!(after < 0.5 * before);
    assert_eq!(made(120, 1).0, trajectory);
    assert_ne!(made(0, 2).1, before);
    for [q, dq, _] in trajectory.period_states(5000) {
        for joint in 0..7 {
            assert!(q[joint] > limits.lower[joint] && q[joint] < limits.upper[joint]);
            assert!(dq[joint].abs() < limits.speed[joint]);
        }
    }
}

#[test]
fn wangs_trajectories_keep_the_limits_that_they_were_made_for() {
    let limits = ExcitationLimits::wang();
    for number in 1..=3 {
        let trajectory = FourierTrajectory::wang(number).unwrap();
        for [q, dq, ddq] in trajectory.period_states(500) {
            // Published limits of the first five motors, with the tolerance of their optimiser.
            for joint in 0..5 {
                assert!(
                    q[joint] > limits.lower[joint] - 0.01 && q[joint] < limits.upper[joint] + 0.01
                );
                assert!(dq[joint].abs() < 1.03 * limits.speed[joint]);
            }
            assert!(ddq.iter().all(|a| a.is_finite()));
        }
        // Velocities and accelerations are the derivatives of the positions.
        let [before, now, after] = [0.999, 1.0, 1.001].map(|t| trajectory.at(t));
        assert!(((after[0] - before[0]) / 0.002 - now[1]).amax() < 1e-3);
        assert!(((after[1] - before[1]) / 0.002 - now[2]).amax() < 1e-3);
        println!(
            "{number}: {:.0}",
            trajectory.condition_number(&classic(), Coordinates::Motor)
        );
    }
    assert!(FourierTrajectory::wang(0).is_err() && FourierTrajectory::wang(5).is_err());
}
