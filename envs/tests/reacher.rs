//! Contract: `reacher` has the physics and reward of Gymnasium's `Reacher-v5` to 1e-9, and its scripted policy reaches the target.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_envs::{Env, ResetOptions, tasks};

/// Gymnasium 1.4.0's `Reacher-v5` on MuJoCo 3.17.0, `set_state` to `qpos` = (0.05, -0.08, 0.12, -0.07), `qvel` = (0.003, -0.004, 0, 0),
/// actions of step t = (((3 t) mod 16 - 8) / 8, (8 - (5 t) mod 16) / 8):
/// step count, joint angles, joint velocities, reward, and distance from fingertip to target by these angles.
type Row = (usize, [f64; 2], [f64; 2], f64, f64);
const REFERENCE: [Row; 7] = [
    (
        1,
        [0.01035430054339571, -0.04033572807912797],
        [-3.9543876486659304, 3.9572211662973076],
        -2.1126001344562773,
        0.11259915399653646,
    ),
    (
        2,
        [-0.09276010805846142, 0.05293011437086541],
        [-6.3490802703835785, 5.364667191595635],
        -0.6370020235028007,
        0.10575115719709063,
    ),
    (
        5,
        [-0.47656328853136093, 0.23309601899094187],
        [-4.46640344336309, 2.6841456634539225],
        -0.5756505459509719,
        0.0756513189841461,
    ),
    (
        10,
        [-0.8614194852243469, 0.3397810475287053],
        [-3.5811800238519833, -0.9223558956663711],
        -0.6042159669112315,
        0.07296607608892419,
    ),
    (
        20,
        [-1.9756583439384996, 1.17205848264338],
        [-8.964454872718274, 3.7452428141717604],
        -0.9120777644236139,
        0.13082902519302828,
    ),
    (
        35,
        [-4.018755994088371, 2.8181822857137595],
        [-11.424720111080774, 9.5946539614412],
        -0.2758001605575858,
        0.15080070011227303,
    ),
    (
        50,
        [-6.486535572521734, 3.03747074623185],
        [-11.957269809116024, 2.059922458008295],
        -0.6834656742501221,
        0.15168728036719065,
    ),
];

/// Gymnasium measures the distance at the last stage of the Runge-Kutta step. At step 50 the elbow is at its limit.
fn lag(step: usize) -> f64 {
    if step == 50 { 1e-3 } else { 5e-6 }
}

fn make() -> Box<dyn Env> {
    tasks::factory("reacher", &[]).unwrap().make().unwrap()
}

#[test]
fn dynamics_and_reward_match_gymnasium() {
    let mut env = make();
    let options = ResetOptions {
        parameters: [
            ("joint0", 0.05),
            ("joint1", -0.08),
            ("target_x", 0.12),
            ("target_y", -0.07),
            ("joint0_velocity", 0.003),
            ("joint1_velocity", -0.004),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into(),
    };
    let mut observation = [0.0; 10];
    env.reset(0, &options, &mut observation).unwrap();
    assert_eq!(observation[4..6], [0.12, -0.07]);
    for t in 0..50 {
        let action = [
            ((3 * t) % 16 - 8) as f32 / 8.0,
            (8 - (5 * t) % 16) as f32 / 8.0,
        ];
        let step = env.step(&action, &mut observation).unwrap();
        assert_eq!((step.terminated, step.truncated), (false, t == 49));
        let done = t as usize + 1;
        for (_, qpos, qvel, reward, distance) in REFERENCE.iter().filter(|row| row.0 == done) {
            let (_, physics) = env.scene().unwrap();
            for joint in 0..2 {
                assert!(
                    (physics.qpos()[joint] - qpos[joint]).abs() < 1e-9,
                    "{:?}",
                    physics.qpos()
                );
                assert!(
                    (physics.qvel()[joint] - qvel[joint]).abs() < 1e-9,
                    "{:?}",
                    physics.qvel()
                );
            }
            assert!((env.reward_terms()[0] + distance).abs() < 1e-9);
            assert!(
                (step.reward - reward).abs() < lag(done),
                "{} {reward}",
                step.reward
            );
            let miss = observation[8].hypot(observation[9]);
            assert!((f64::from(miss) - distance).abs() < 1e-6);
        }
    }
}

#[test]
fn targets_lie_in_the_disc_and_the_scripted_policy_reaches_them() {
    let mut env = make();
    let (mut observation, mut action, mut metrics) = ([0.0; 10], [0.0; 2], [0.0; 2]);
    let n_episodes = 50;
    let (mut n_reached, mut total) = (0.0, 0.0);
    for seed in 0..n_episodes {
        env.reset(seed, &ResetOptions::default(), &mut observation)
            .unwrap();
        assert!(observation[4].hypot(observation[5]) < 0.2);
        loop {
            assert!(env.scripted_action(&mut action));
            let step = env.step(&action, &mut observation).unwrap();
            total += step.reward;
            if step.is_over() {
                break;
            }
        }
        env.metrics(&mut metrics);
        n_reached += metrics[0];
    }
    let n_episodes = n_episodes as f64;
    // Trained policies reach about -4; the zero policy about -10.
    assert!(n_reached / n_episodes >= 0.9, "{n_reached}");
    assert!(total / n_episodes > -8.0, "{}", total / n_episodes);
}

#[test]
fn settings_are_checked() {
    let kind = tasks::by_name("reacher").unwrap();
    let build = |text: &str| (kind.build)(&text.parse().unwrap());
    let env = build("n_substeps = 3").unwrap().make().unwrap();
    assert!((env.spec().control_timestep - 0.03).abs() < 1e-12);
    assert_eq!(env.spec().n_substeps, 3);
    let message = build("control_wait = 3").unwrap_err().to_string();
    assert!(message.contains("control_weight"), "{message}");
    assert!(build("n_substeps = 0").is_err());
}
