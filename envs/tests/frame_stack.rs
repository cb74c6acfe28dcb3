//! Contract: observations are stacked oldest first, each episode restarts the stack, and the contract of an environment holds.

mod toys;

use insonate_envs::check::{CheckOptions, check_env};
use insonate_envs::{Env, FrameStack, ResetOptions, tasks};
use toys::Counter;

#[test]
fn frames_stack_with_the_oldest_first() {
    let mut env = FrameStack::new(Counter::new(9), 3);
    let space = &env.spec().observation_space;
    assert_eq!(space.len(), 6);
    assert_eq!(
        [&*space.names[1], &*space.names[5]],
        ["count [1] (t-2)", "count [1]"]
    );
    // The toy names no groups.
    assert!(env.spec().observation_groups.is_empty());
    let mut observation = [f32::NAN; 6];
    for _ in 0..2 {
        env.reset(8, &ResetOptions::default(), &mut observation)
            .unwrap();
        assert_eq!(observation, [8.0, 0.0, 8.0, 0.0, 8.0, 0.0]);
        env.step(&[0.5], &mut observation).unwrap();
        env.step(&[0.5], &mut observation).unwrap();
        assert_eq!(observation, [8.0, 0.0, 8.0, 1.0, 8.0, 2.0]);
    }
    // A rejected action leaves the frames unchanged.
    assert!(env.step(&[2.0], &mut observation).is_err());
    assert!(env.step(&[0.5], &mut [0.0; 2]).is_err());
    env.step(&[0.5], &mut observation).unwrap();
    assert_eq!(observation, [8.0, 1.0, 8.0, 2.0, 8.0, 3.0]);
}

#[test]
fn a_stacked_environment_keeps_the_contract() {
    let factory = tasks::factory("pendulum", &[]).unwrap();
    let make = || Ok(Box::new(FrameStack::new(factory.make()?, 3)) as Box<dyn Env>);
    let problems = check_env(&make, &CheckOptions::default());
    assert!(problems.is_empty(), "{problems:#?}");
}
