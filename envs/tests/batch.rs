//! Contract: a task that computes for all environments at once steps as one that computes for each, with the same bits on any number of
//! threads, alone and in a vector; its error ends the episodes of its vector.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_envs::check::{CheckOptions, check_env};
use insonate_envs::probe::{BatchTaskSpec, ProbeTaskSettings, SceneSet, batch_factory};
use insonate_envs::{
    Autoreset, BatchGoal, BatchRow, BatchTask, BoxSpace, Env, EnvError, EnvFactory, ResetOptions,
    VecConfig, VecEnv, settings, tasks,
};
use toml::Table;

/// Presses on the middle of the torso with the random force of the episode, and rewards each step by the height of the probe.
struct Press {
    /// Place of the desired force in the parameters.
    force: usize,
    /// Rows of each call.
    n_rows: usize,
    fails: bool,
}

impl BatchTask for Press {
    fn reset(&mut self, rows: &mut [&mut BatchRow]) -> Result<(), EnvError> {
        assert_eq!(rows.len(), self.n_rows);
        for row in rows.iter_mut().filter(|row| row.is_active) {
            row.goal = BatchGoal::OnSkin {
                place: [0.0; 2],
                velocity: [0.0; 2],
                height: 0.0,
                force: row.parameters[self.force],
            };
        }
        Ok(())
    }

    fn step(&mut self, rows: &mut [&mut BatchRow]) -> Result<(), EnvError> {
        if self.fails {
            return Err(EnvError::Task("the formula failed".into()));
        }
        for row in rows.iter_mut().filter(|row| row.is_active) {
            // After the time: the position of the probe.
            row.terms[0] = row.state[3];
        }
        self.observe(rows)
    }

    fn observe(&mut self, rows: &mut [&mut BatchRow]) -> Result<(), EnvError> {
        for row in rows.iter_mut().filter(|row| row.is_active) {
            row.observation[0] = row.parameters[self.force] as f32;
        }
        Ok(())
    }
}

/// The settings that both tasks share: no noise, which the tasks would draw after other numbers.
fn shared() -> Table {
    settings::assign(&[
        ("time.limit", "0.3"),
        ("action.mode", "wrench"),
        ("randomization.stiffness", "[900, 2000]"),
        ("randomization.damping", "30.0"),
        ("randomization.friction", "0.0"),
        ("randomization.force_noise", "0.0"),
        ("randomization.force", "[2, 10]"),
    ])
    .unwrap()
}

fn presses(fails: bool) -> EnvFactory {
    let settings: ProbeTaskSettings<Table> =
        settings::parse(&ProbeTaskSettings::default(), &shared()).unwrap();
    let scenes = SceneSet::with_torso(&settings.scene, &settings.randomization).unwrap();
    let names = scenes.active().names();
    let force = names.iter().position(|name| name == "force.target [N]");
    let force = force.unwrap();
    let spec = BatchTaskSpec {
        observation: BoxSpace::default().with("force_target [N]", 0.0, 40.0),
        terms: vec!["height"],
        ..BatchTaskSpec::default()
    };
    let make = move |n_rows, _: &[_]| {
        Ok(Box::new(Press {
            force,
            n_rows,
            fails,
        }) as Box<dyn BatchTask>)
    };
    batch_factory("own-press", settings, scenes, spec, make).unwrap()
}

fn vector(envs: Vec<Box<dyn Env>>, n_threads: usize, autoreset: Autoreset) -> VecEnv {
    VecEnv::new(
        envs,
        VecConfig {
            autoreset,
            n_threads,
        },
    )
    .unwrap()
}

/// Observations and rewards of many steps.
fn run(mut env: VecEnv, seed: u64) -> Vec<u32> {
    let mut seen = Vec::new();
    let n_actions = env.spec().action_space.len() * env.n_envs();
    env.reset(Some(seed), &ResetOptions::default()).unwrap();
    for step in 0..40 {
        let actions: Vec<f32> = (0..n_actions)
            .map(|at| 0.5 * ((step * 7 + at * 3) as f32).sin())
            .collect();
        let batch = env.step(&actions).unwrap();
        let rows = [
            &batch.observations,
            &batch.rewards,
            &batch.final_observations,
        ];
        seen.extend(rows.into_iter().flatten().map(|value| value.to_bits()));
    }
    seen
}

#[test]
fn the_contract_of_an_environment_is_kept() {
    let factory = presses(false);
    let problems = check_env(&|| factory.make(), &CheckOptions::default());
    assert!(problems.is_empty(), "{problems:#?}");
}

#[test]
fn physics_and_goal_are_those_of_the_task_that_computes_for_each_environment() {
    let mut table = shared();
    settings::set(&mut table, "task.area", "[0.0, 0.0]").unwrap();
    let rust = (tasks::by_name("probe-press").unwrap().build)(&table).unwrap();
    let mut one = rust.make().unwrap();
    let mut other = presses(false).make().unwrap();
    let n_obs = one.spec().observation_space.len();
    assert_eq!(other.spec().observation_space.len(), n_obs);
    let (mut a, mut b) = (vec![0.0; n_obs], vec![0.0; n_obs]);
    one.reset(3, &ResetOptions::default(), &mut a).unwrap();
    other.reset(3, &ResetOptions::default(), &mut b).unwrap();
    for _ in 0..10 {
        assert_eq!(a, b);
        let action = vec![0.1; one.spec().action_space.len()];
        one.step(&action, &mut a).unwrap();
        other.step(&action, &mut b).unwrap();
    }
}

#[test]
fn threads_and_the_sharing_of_the_task_change_no_bit() {
    let factory = presses(false);
    for autoreset in [Autoreset::NextStep, Autoreset::SameStep] {
        let expected = run(vector(factory.make_many(3).unwrap(), 1, autoreset), 5);
        let threads = run(vector(factory.make_many(3).unwrap(), 2, autoreset), 5);
        assert_eq!(threads, expected);
        let alone = (0..3).map(|_| factory.make().unwrap()).collect();
        assert_eq!(run(vector(alone, 2, autoreset), 5), expected);
    }
}

#[test]
fn an_error_of_the_task_asks_for_a_reset_of_all() {
    let mut env = vector(presses(true).make_many(2).unwrap(), 2, Autoreset::NextStep);
    let action = vec![0.0; 2 * env.spec().action_space.len()];
    env.reset(Some(1), &ResetOptions::default()).unwrap();
    let error = env.step(&action).unwrap_err();
    assert!(matches!(error, EnvError::Task(_)), "{error}");
    assert_eq!(error.to_string(), "the formula failed");
    let error = env.step(&action).unwrap_err().to_string();
    assert!(error.contains("reset"), "{error}");
    env.reset(None, &ResetOptions::default()).unwrap();
}

#[test]
fn environments_that_share_a_task_step_together() {
    let factory = presses(false);
    let mut envs = factory.make_many(2).unwrap();
    let mut observation = vec![0.0; envs[0].spec().observation_space.len()];
    let alone = envs[0].reset(0, &ResetOptions::default(), &mut observation);
    assert!(matches!(alone, Err(EnvError::Order(_))));
    envs.pop();
    let error = VecEnv::new(envs, VecConfig::default()).unwrap_err();
    assert!(error.to_string().contains("share a task"), "{error}");
}

#[test]
fn registered_tasks_are_known_by_name_and_cannot_take_one() {
    let kind = tasks::TaskKind {
        name: "own-pendulum",
        ..tasks::pendulum::KIND
    };
    assert!(tasks::by_name("own-pendulum").is_err());
    tasks::register(kind).unwrap();
    tasks::register(kind).unwrap();
    let all = tasks::all();
    let own = all.iter().filter(|kind| kind.name == "own-pendulum");
    assert_eq!((own.count(), all.len()), (1, tasks::ALL.len() + 1));
    assert_eq!(tasks::by_name("own-pendulum").unwrap().name, "own-pendulum");
    for name in ["reacher", "Own", "own task", "", "-own"] {
        let refused = tasks::register(tasks::TaskKind { name, ..kind });
        let error = refused.unwrap_err().to_string();
        assert!(error.contains(&format!("{name:?}")), "{error}");
    }
}
