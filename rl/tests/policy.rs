//! Contract: a policy file describes itself, acts like the saved policy, and is rejected for environments that do not match.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod support;

use std::fs;
use std::path::Path;

use insonate_envs::{Env, EnvSpec};
use insonate_rl::Algorithm as _;
use insonate_rl::{Policy, PpoConfig};
use support::{Line, config, identity, ppo};

fn trained(config: PpoConfig) -> Policy {
    let mut ppo = ppo(config, 1);
    ppo.iterate().unwrap();
    ppo.policy()
}

fn observations(n: usize) -> Vec<f32> {
    (0..2 * n).map(|i| (i as f32 * 0.7).sin()).collect()
}

#[test]
fn a_loaded_policy_is_bit_identical_to_the_saved_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy");
    for config in [
        config(),
        PpoConfig {
            norm_obs: false,
            hidden_sizes: vec![],
            ..config()
        },
    ] {
        let mut saved = trained(config);
        saved.save(&path).unwrap();
        let mut loaded = Policy::load(&path).unwrap();
        assert_eq!(loaded.identity, identity());
        assert_eq!((loaded.seed, loaded.n_trained_steps), (7, 128));
        assert_eq!(loaded.insonate_version, env!("CARGO_PKG_VERSION"));
        assert_eq!(loaded.observation_space, saved.observation_space);
        assert_eq!(loaded.action_space, saved.action_space);
        let observations = observations(200);
        let (mut saved_actions, mut loaded_actions) = (vec![0.0; 200], vec![1.0; 200]);
        saved.act(&observations, &mut saved_actions);
        loaded.act(&observations, &mut loaded_actions);
        assert_eq!(saved_actions, loaded_actions);
        // Saving it again gives the same file.
        let bytes = fs::read(&path).unwrap();
        loaded.save(&path).unwrap();
        assert!(bytes == fs::read(&path).unwrap());
    }
}

#[test]
fn actions_are_within_bounds_and_do_not_depend_on_the_batch() {
    let mut policy = trained(config());
    let observations: Vec<f32> = observations(150).iter().map(|x| 100.0 * x).collect();
    let mut together = vec![0.0; 150];
    policy.act(&observations, &mut together);
    for (observation, together) in observations.chunks_exact(2).zip(&together) {
        let mut alone = [0.0];
        policy.act(observation, &mut alone);
        assert_eq!(alone[0], *together);
        assert!(policy.action_space.check("action", &alone).is_ok());
    }
}

#[test]
fn nan_is_not_hidden() {
    let mut policy = trained(config());
    let mut actions = [0.0; 2];
    policy.act(&[0.0, f32::NAN, 0.0, 0.0], &mut actions);
    assert!(actions[0].is_nan() && actions[1].is_finite());
}

#[test]
fn a_policy_refuses_what_it_does_not_fit_with_the_first_difference() {
    let policy = trained(config());
    let spec = Line::new().spec().clone();
    policy.check_fits(&spec).unwrap();
    let refused = |change: &dyn Fn(&mut EnvSpec), expected: &str| {
        let mut spec = spec.clone();
        change(&mut spec);
        let message = policy.check_fits(&spec).unwrap_err().to_string();
        assert_eq!(
            message,
            format!("the policy does not fit {}: {expected}", spec.id)
        );
    };
    refused(
        &|spec| spec.id = "plane".into(),
        "it was trained for the task \"line\": use it with that task",
    );
    let advice = "give the task the settings of the training";
    refused(
        &|spec| spec.observation_space.names[1] = "force [N]".into(),
        &format!("observation[1] is \"noise [1]\" in training, \"force [N]\" here: {advice}"),
    );
    refused(
        &|spec| spec.observation_space.push("force [N]", 0.0, 1.0),
        &format!(
            "2 observations in training, 3 here, the first missing one is \"force [N]\": {advice}"
        ),
    );
    refused(
        &|spec| spec.action_space.high[0] = 3.0,
        &format!("action[0] (velocity [m/s]) spans -2 to 2 in training, -2 to 3 here: {advice}"),
    );
}

#[test]
fn a_checkpoint_is_not_a_policy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy");
    ppo(config(), 1).save(&path).unwrap();
    let message = Policy::load(&path).unwrap_err().to_string();
    assert!(message.ends_with("is of format \"insonate-checkpoint\", not \"insonate-policy\""));
}

#[test]
fn a_file_says_in_which_frame_and_how_filtered_entries_are_and_one_that_does_not_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("policy");
    let mut policy = trained(config());
    policy.observation_space.frames[1] = "probe".to_owned();
    policy.observation_space.filters[1] = "mean over the control step".to_owned();
    policy.save(&path).unwrap();
    let loaded = Policy::load(&path).unwrap();
    assert_eq!(loaded.observation_space, policy.observation_space);
    // A policy of version 1, from the repository before frames were written.
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let old = Path::new(root).join("data/policies/cube-push/policy.safetensors");
    let old = Policy::load(&old).unwrap();
    assert_eq!(
        old.observation_space.frames.len(),
        old.observation_space.len()
    );
}
