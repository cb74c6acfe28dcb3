//! Contract: `pendulum` has the dynamics and reward of Gymnasium's `Pendulum-v1`, and its scripted policy swings the pole up.

use insonate_envs::tasks::pendulum::{Pendulum, PendulumSettings};
use insonate_envs::{Env, ResetOptions, tasks};

/// Gymnasium 1.4.0's `Pendulum-v1`, state set to (2.5, 0.3), action of step t = ((7 t) mod 17 - 8) / 4:
/// step count, angle, velocity and reward after that step. It computes the torque's part of the reward in single precision.
const REFERENCE: [(usize, f64, f64, f64); 6] = [
    (
        1,
        2.5224427054038983,
        0.44885410807796744,
        -6.26300000018999,
    ),
    (
        2,
        2.5647732775017045,
        0.8466114419561279,
        -6.382926703082155,
    ),
    (
        10,
        3.4178015465661065,
        2.4681212317344365,
        -9.525462183067875,
    ),
    (
        50,
        3.8283112846339455,
        0.08108285086127487,
        -6.10290653340605,
    ),
    (
        100,
        2.4797904203263106,
        0.40616014145241036,
        -6.057076186434248,
    ),
    (
        200,
        2.4533450072369765,
        0.2567899065805125,
        -5.987839705188512,
    ),
];

/// Sum of its 200 rewards.
const REFERENCE_RETURN: f64 = -1543.7848939143232;

fn start(theta: f64, theta_dot: f64) -> ResetOptions {
    ResetOptions {
        parameters: [("theta", theta), ("theta_dot", theta_dot)]
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
    }
}

#[test]
fn dynamics_and_reward_match_gymnasium() {
    let mut env = Pendulum::environment(PendulumSettings::default());
    let mut observation = [0.0; 3];
    env.reset(0, &start(2.5, 0.3), &mut observation).unwrap();
    assert_eq!(
        observation,
        [2.5_f64.cos() as f32, 2.5_f64.sin() as f32, 0.3]
    );
    let mut return_ = 0.0;
    for t in 0..200 {
        let action = [((7 * t) % 17 - 8) as f32 / 4.0];
        let step = env.step(&action, &mut observation).unwrap();
        return_ += step.reward;
        assert_eq!(step.truncated, t == 199);
        assert!(!step.terminated);
        let rows = REFERENCE.iter().filter(|row| row.0 == t as usize + 1);
        for &(_, theta, theta_dot, reward) in rows {
            // The motion is chaotic near the top: rounding errors grow over 200 steps.
            assert!(
                (env.simulation().state()[0] - theta).abs() < 1e-9,
                "{:?}",
                env.simulation().state()
            );
            assert!(
                (env.simulation().state()[1] - theta_dot).abs() < 1e-9,
                "{:?}",
                env.simulation().state()
            );
            assert!((step.reward - reward).abs() < 1e-8, "{}", step.reward);
        }
    }
    assert!((return_ - REFERENCE_RETURN).abs() < 1e-6, "{return_}");
}

#[test]
fn the_scripted_policy_swings_it_up_from_anywhere() {
    let mut env = Pendulum::environment(PendulumSettings::default());
    let (mut observation, mut action, mut metrics) = ([0.0; 3], [0.0; 1], [0.0; 2]);
    let n_episodes = 100;
    let mut total = 0.0;
    for seed in 0..n_episodes {
        env.reset(seed, &ResetOptions::default(), &mut observation)
            .unwrap();
        loop {
            assert!(env.scripted_action(&mut action));
            let step = env.step(&action, &mut observation).unwrap();
            total += step.reward;
            if step.is_over() {
                break;
            }
        }
        env.metrics(&mut metrics);
        assert_eq!(metrics[0], 1.0, "seed {seed}");
    }
    // Trained policies reach about -150.
    assert!(
        total / n_episodes as f64 > -300.0,
        "{}",
        total / n_episodes as f64
    );
}

#[test]
fn settings_are_checked() {
    let kind = tasks::by_name("pendulum").unwrap();
    let build = |text: &str| (kind.build)(&text.parse().unwrap());
    let factory = build("mass = 2\nmax_episode_steps = 7").unwrap();
    assert_eq!(factory.settings["mass"].as_float(), Some(2.0));
    assert_eq!(factory.settings["gravity"].as_float(), Some(10.0));
    assert_eq!(factory.make().unwrap().spec().max_episode_steps, Some(7));
    let message = build("graviti = 3.0").unwrap_err().to_string();
    assert!(
        message.contains("graviti") && message.contains("gravity"),
        "{message}"
    );
    let message = build("mass = -1.0").unwrap_err().to_string();
    assert!(
        message.contains("mass") && message.contains("-1"),
        "{message}"
    );
    assert!(build("mass = nan").is_err());
}
