//! Contract: every check finds its fault, and a correct environment has no problem.

use insonate_envs::check::{CheckOptions, Problem, check_env};
use insonate_envs::{
    BoxSpace, EndReason, Env, EnvError, EnvSpec, GroupKind, ObservationGroup, ResetOptions, Step,
    tasks,
};

/// A violation of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    FailsToMake,
    NoId,
    NoNames,
    EmptyActions,
    NameTwice,
    NoUnit,
    BoundsCrossed,
    BoundNan,
    SuccessLate,
    NoTimestep,
    NoSteps,
    GroupsTooShort,
    GroupFlat,
    OtherSpecEachTime,
    SpecChanges,
    StepsUnready,
    StepsAfterEnd,
    WrongOrderError,
    EndReasonStays,
    AnyBuffer,
    Unwritten,
    OutOfSpace,
    OutOfSpaceLate,
    RewardNan,
    RewardNotSum,
    TermInfinite,
    ParameterNan,
    ParametersShort,
    GoesOn,
    NoReason,
    ReasonEarly,
    TimeLimitTerminates,
    TaskEndTruncates,
    MetricUnwritten,
    SuccessHalf,
    SceneMissing,
    TakesNan,
    TakesInfinity,
    TakesOutOfBounds,
    TakesLong,
    ClipsSilently,
    BadActionMoves,
    BadActionDraws,
    Random,
    Remembers,
    Shares,
    SeedIgnored,
    OptionIgnored,
    OptionStays,
    TakesUnknownOption,
    TakesNanOption,
    NoSuggestion,
    ScriptedOutside,
    ScriptedMoves,
    Panics,
}

/// A point that is pushed along a line from a random start, with one fault.
struct Point {
    fault: Fault,
    spec: EnvSpec,
    start: [f64; 1],
    x: f64,
    noise: f64,
    n_steps: usize,
    terms: [f64; 2],
    ready: bool,
    end: Option<EndReason>,
    memory: f64,
}

static INSTANCES: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
static SHARED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

fn count(counter: &std::sync::atomic::AtomicUsize) -> usize {
    counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

const N_STEPS: usize = 10;

fn spec(fault: Fault) -> EnvSpec {
    let mut spec = EnvSpec {
        id: "point".into(),
        observation_space: BoxSpace::default()
            .with("x [m]", -20.0, 20.0)
            .with("age [1]", 0.0, 1.0),
        observation_groups: Vec::new(),
        action_space: BoxSpace::default().with("push [N]", -1.0, 1.0),
        reward_terms: vec!["place", "push"],
        costs: Vec::new(),
        metrics: vec!["success", "place"],
        parameters: vec!["start [m]".into()],
        max_episode_steps: Some(N_STEPS),
        control_timestep: 0.1,
        n_substeps: 0,
    };
    match fault {
        Fault::NoId => spec.id.clear(),
        Fault::NoNames => spec.observation_space.names.clear(),
        Fault::EmptyActions => spec.action_space = BoxSpace::default(),
        Fault::NameTwice => spec.reward_terms[1] = "place",
        Fault::NoUnit => spec.observation_space.names[0] = "x".into(),
        Fault::BoundsCrossed => spec.action_space.low[0] = 2.0,
        Fault::BoundNan => spec.observation_space.high[0] = f32::NAN,
        Fault::SuccessLate => spec.metrics.reverse(),
        Fault::NoTimestep => spec.control_timestep = 0.0,
        Fault::GroupsTooShort => spec.observation_groups = vec![ObservationGroup::state(1)],
        Fault::GroupFlat => {
            let mut image = ObservationGroup::image("camera", [1, 2, 1], GroupKind::Image);
            image.shape = vec![2];
            spec.observation_groups = vec![image];
        }
        Fault::NoSteps => spec.max_episode_steps = Some(0),
        Fault::OtherSpecEachTime => spec.id = format!("point-{}", count(&INSTANCES)),
        Fault::SceneMissing => spec.n_substeps = 4,
        _ => {}
    }
    spec
}

fn make(fault: Fault) -> Result<Box<dyn Env>, EnvError> {
    if fault == Fault::FailsToMake {
        return Err(EnvError::Failed("no luck".into()));
    }
    Ok(Box::new(Point {
        fault,
        spec: spec(fault),
        start: [f64::NAN],
        x: 0.0,
        noise: 0.0,
        n_steps: 0,
        terms: [0.0; 2],
        ready: false,
        end: None,
        memory: 0.0,
    }))
}

impl Point {
    fn has(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    fn observe(&self, observation: &mut [f32]) {
        observation[0] = (self.x + self.noise) as f32;
        if !self.has(Fault::Unwritten) {
            observation[1] = self.n_steps as f32 / N_STEPS as f32;
        }
        if self.has(Fault::OutOfSpace) || (self.has(Fault::OutOfSpaceLate) && self.n_steps == 9) {
            observation[1] = 1.5;
        }
    }

    fn check_action(&mut self, action: &[f32]) -> Result<(), EnvError> {
        if self.has(Fault::TakesLong) && action.len() > 1 {
            return Ok(());
        }
        let outcome = self.spec.action_space.check("action", action);
        if outcome.is_err() && self.has(Fault::BadActionMoves) {
            self.x += 1e-3;
        }
        if outcome.is_err() && self.has(Fault::BadActionDraws) {
            self.noise += 1e-3;
        }
        match &outcome {
            Err(EnvError::NotFinite { value, .. }) => {
                let taken = (value.is_nan() && self.has(Fault::TakesNan))
                    || (value.is_infinite() && self.has(Fault::TakesInfinity));
                if taken { Ok(()) } else { outcome }
            }
            Err(EnvError::OutOfBounds { .. })
                if self.has(Fault::TakesOutOfBounds) || self.has(Fault::ClipsSilently) =>
            {
                Ok(())
            }
            _ => outcome,
        }
    }

    fn start(&mut self, seed: u64, options: &ResetOptions) -> Result<f64, EnvError> {
        let mut start = if self.has(Fault::SeedIgnored) {
            0.5
        } else {
            (seed % 100) as f64 / 100.0
        };
        if self.has(Fault::OptionStays) && self.memory != 0.0 {
            start = self.memory;
        }
        for (name, &value) in &options.parameters {
            if name == "start" {
                if !(0.0..=1.0).contains(&value) && !self.has(Fault::TakesNanOption) {
                    return Err(EnvError::Config {
                        field: "start".into(),
                        problem: format!("is {value}"),
                    });
                }
                if value.is_finite() && !self.has(Fault::OptionIgnored) {
                    start = value;
                    self.memory = value;
                }
            } else if self.has(Fault::NoSuggestion) {
                return Err(EnvError::Failed("no".into()));
            } else if !self.has(Fault::TakesUnknownOption) {
                return Err(EnvError::unknown("parameter", name, &["start"]));
            }
        }
        Ok(start)
    }

    fn finish(&mut self) -> Step {
        // To the right of the middle, the task ends a step early.
        let good = self.n_steps + 1 >= N_STEPS && self.x > 0.5;
        let late = self.n_steps >= N_STEPS && !self.has(Fault::GoesOn);
        let reason = if good {
            EndReason::Task("right".into())
        } else {
            EndReason::TimeLimit
        };
        let over = good || late;
        self.end = (over && !self.has(Fault::NoReason)).then_some(reason);
        if self.has(Fault::ReasonEarly) {
            self.end = Some(EndReason::TimeLimit);
        }
        let mut reward = self.terms[0] + self.terms[1];
        match self.fault {
            Fault::RewardNan => reward = f64::NAN,
            Fault::RewardNotSum => reward += 1e-6,
            Fault::TermInfinite => self.terms[1] = f64::INFINITY,
            _ => {}
        }
        let (mut terminated, mut truncated) = (good, late && !good);
        if (self.has(Fault::TimeLimitTerminates) && truncated)
            || (self.has(Fault::TaskEndTruncates) && terminated)
        {
            (terminated, truncated) = (truncated, terminated);
        }
        Step {
            reward,
            terminated,
            truncated,
        }
    }
}

impl Env for Point {
    fn spec(&self) -> &EnvSpec {
        &self.spec
    }

    fn reset(
        &mut self,
        seed: u64,
        options: &ResetOptions,
        observation: &mut [f32],
    ) -> Result<(), EnvError> {
        if !self.has(Fault::AnyBuffer) {
            EnvError::check_length("observation", observation.len(), 2)?;
        } else if observation.len() != 2 {
            return Ok(());
        }
        assert!(!self.has(Fault::Panics), "broken");
        let start = self.start(seed, options)?;
        self.start = [start];
        self.x = start;
        self.noise = match self.fault {
            Fault::Random => 1e-3 * count(&SHARED) as f64,
            Fault::Remembers => self.memory,
            _ => 0.0,
        };
        if self.has(Fault::ParameterNan) {
            self.start = [f64::NAN];
        }
        if self.has(Fault::Remembers) {
            self.memory += 1e-3;
        }
        self.n_steps = 0;
        self.terms = [0.0; 2];
        self.ready = true;
        if !self.has(Fault::EndReasonStays) {
            self.end = None;
        }
        self.observe(observation);
        Ok(())
    }

    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<Step, EnvError> {
        let refused = (!self.ready && !self.has(Fault::StepsUnready))
            || (self.end.is_some() && self.ready && !self.lets_go_on());
        if refused && self.has(Fault::WrongOrderError) {
            return Err(EnvError::Failed("not now".into()));
        } else if refused {
            return Err(EnvError::Order("reset first"));
        }
        EnvError::check_length("observation", observation.len(), 2)?;
        self.check_action(action)?;
        let push = f64::from(action.first().copied().unwrap_or_default());
        let push = if push.is_finite() {
            push.clamp(-1.0, 1.0)
        } else {
            0.0
        };
        if self.has(Fault::Shares) {
            self.x += 1e-3 * (count(&SHARED) % 1000) as f64;
        }
        self.x += push;
        self.n_steps += 1;
        self.terms = [-self.x * self.x, -0.1 * push * push];
        self.observe(observation);
        if self.has(Fault::SpecChanges) {
            self.spec.metrics[1] = "other";
        }
        Ok(self.finish())
    }

    fn reward_terms(&self) -> &[f64] {
        &self.terms
    }

    fn metrics(&self, metrics: &mut [f64]) {
        metrics[0] = f64::from(u8::from(self.x > 0.5));
        if self.has(Fault::SuccessHalf) {
            metrics[0] = 0.5;
        }
        if !self.has(Fault::MetricUnwritten) {
            metrics[1] = self.x;
        }
    }

    fn parameters(&self) -> &[f64] {
        if self.has(Fault::ParametersShort) {
            return &[];
        }
        &self.start
    }

    fn end_reason(&self) -> Option<EndReason> {
        self.end.clone()
    }

    fn scripted_action(&mut self, action: &mut [f32]) -> bool {
        if self.has(Fault::ScriptedMoves) {
            self.x += 1e-3;
        }
        let push = if self.has(Fault::ScriptedOutside) {
            1.5
        } else {
            0.5
        };
        action.fill(push);
        true
    }
}

impl Point {
    fn lets_go_on(&self) -> bool {
        [
            Fault::StepsAfterEnd,
            Fault::ReasonEarly,
            Fault::EndReasonStays,
        ]
        .contains(&self.fault)
    }
}

fn problems_of(fault: Fault) -> Vec<Problem> {
    check_env(&move || make(fault), &CheckOptions::default())
}

/// Fault, the check that finds it, and a part of its message.
const CASES: &[(Fault, &str, &str)] = &[
    (Fault::FailsToMake, "make", "no luck"),
    (Fault::NoId, "spec", "id: is empty"),
    (Fault::NoNames, "spec", "0 names, 2 low"),
    (Fault::EmptyActions, "spec", "action_space: is empty"),
    (Fault::NameTwice, "spec", "\"place\" of another"),
    (Fault::NoUnit, "spec", "\"x\" has no unit"),
    (Fault::BoundsCrossed, "spec", "push [N]): has bounds 2 to 1"),
    (Fault::BoundNan, "spec", "NaN"),
    (Fault::SuccessLate, "spec", "success must come first"),
    (Fault::NoTimestep, "spec", "is 0 s"),
    (Fault::NoSteps, "spec", "max_episode_steps: is 0"),
    (
        Fault::GroupsTooShort,
        "spec",
        "have 1 entries, but the observation has 2",
    ),
    (
        Fault::GroupFlat,
        "spec",
        "\"camera\" has shape [2], but needs a name and 3 dimensions",
    ),
    (Fault::OtherSpecEachTime, "spec", "differs from the first"),
    (Fault::SpecChanges, "spec", "after some steps"),
    (
        Fault::StepsUnready,
        "order",
        "before the first reset: is not rejected",
    ),
    (
        Fault::StepsAfterEnd,
        "order",
        "after the end: is not rejected",
    ),
    (
        Fault::WrongOrderError,
        "order",
        "not rejected as out of order: ",
    ),
    (Fault::EndReasonStays, "order", "last end is still there"),
    (Fault::AnyBuffer, "order", "room for 1 of 2"),
    (
        Fault::Unwritten,
        "rollout",
        "age [1]) is NaN or was not written",
    ),
    (
        Fault::OutOfSpace,
        "rollout",
        "step 0: observation[1] (age [1]) is 1.5",
    ),
    (Fault::OutOfSpaceLate, "rollout", "step 9: observation[1]"),
    (Fault::RewardNan, "rollout", "the reward is NaN"),
    (Fault::RewardNotSum, "rollout", "the sum of its terms"),
    (Fault::TermInfinite, "rollout", "term push is inf"),
    (Fault::ParameterNan, "rollout", "parameters[0] is NaN"),
    (
        Fault::ParametersShort,
        "rollout",
        "parameters gives 0 numbers for 1",
    ),
    (Fault::GoesOn, "rollout", "beyond max_episode_steps"),
    (Fault::NoReason, "rollout", "without a reason"),
    (Fault::ReasonEarly, "rollout", "continues, though"),
    (Fault::TimeLimitTerminates, "rollout", "is not truncated"),
    (Fault::TaskEndTruncates, "rollout", "is not terminated"),
    (Fault::MetricUnwritten, "rollout", "metric place is inf"),
    (Fault::SuccessHalf, "rollout", "success is 0.5"),
    (
        Fault::SceneMissing,
        "rollout",
        "n_substeps is 4, but there is no scene",
    ),
    (
        Fault::TakesNan,
        "actions",
        "(push [N]) = NaN: is not rejected",
    ),
    (
        Fault::TakesInfinity,
        "actions",
        "(push [N]) = inf: is not rejected",
    ),
    (
        Fault::TakesOutOfBounds,
        "actions",
        "(push [N]) = 1.00001: is not rejected",
    ),
    (
        Fault::ClipsSilently,
        "actions",
        "(push [N]) = -1.00001: is not rejected",
    ),
    (
        Fault::TakesLong,
        "actions",
        "an action of 2 numbers: is not rejected",
    ),
    (Fault::BadActionMoves, "actions", "continues differently"),
    (Fault::BadActionDraws, "actions", "continues differently"),
    (Fault::Random, "purity", "the same episode again"),
    (Fault::Remembers, "purity", "the same episode after others"),
    (Fault::Shares, "purity", "x [m]"),
    (Fault::SeedIgnored, "purity", "different seeds"),
    (Fault::OptionIgnored, "options", "option start = "),
    (Fault::OptionStays, "options", "after one with options"),
    (
        Fault::TakesUnknownOption,
        "options",
        "option startx: is not rejected",
    ),
    (
        Fault::TakesNanOption,
        "options",
        "option start = NaN: is not rejected",
    ),
    (Fault::NoSuggestion, "options", "does not name start"),
    (Fault::ScriptedOutside, "scripted", "(push [N]) is 1.5"),
    (Fault::ScriptedMoves, "scripted", "changes the episode"),
    (Fault::Panics, "order", "panicked"),
];

#[test]
fn a_faultless_environment_has_no_problem() {
    assert_eq!(problems_of(Fault::None), []);
}

#[test]
fn each_fault_is_found_by_its_check_and_named() {
    for (fault, check, words) in CASES {
        let problems = problems_of(*fault);
        let found = problems
            .iter()
            .any(|problem| problem.check == *check && problem.to_string().contains(words));
        assert!(found, "{fault:?} was not found by {check}: {problems:#?}");
    }
}

#[test]
fn an_environment_without_randomness_can_be_checked() {
    let options = CheckOptions {
        is_random: false,
        ..CheckOptions::default()
    };
    let problems = check_env(&|| make(Fault::SeedIgnored), &options);
    assert!(
        problems.iter().all(|problem| problem.check != "purity"),
        "{problems:#?}"
    );
}

#[test]
fn the_yardsticks_pass() {
    for task in ["pendulum", "reacher"] {
        let factory = tasks::factory(task, &[]).unwrap();
        let problems = check_env(&|| factory.make(), &CheckOptions::default());
        assert!(problems.is_empty(), "{task}: {problems:#?}");
    }
}
