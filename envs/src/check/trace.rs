//! All numbers of an episode, for bitwise comparison.

use std::fmt;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::report::CheckedEnv;
use crate::{EndReason, Env, EnvError, EnvSpec, ResetOptions, Step};

/// All numbers of an episode.
#[derive(Debug, Clone)]
pub(super) struct Trace {
    pub(super) first: Vec<f32>,
    pub(super) parameters: Vec<f64>,
    pub(super) records: Vec<Record>,
    metrics: Vec<f64>,
    end: Option<EndReason>,
}

/// All numbers of a step.
#[derive(Debug, Clone)]
pub(super) struct Record {
    observation: Vec<f32>,
    step: Step,
    terms: Vec<f64>,
    costs: Vec<f64>,
}

/// Random actions within the bounds. The same `number` gives the same actions.
pub(super) fn actions(subject: &CheckedEnv<'_>, number: u64) -> Vec<Vec<f32>> {
    let space = &subject.spec.action_space;
    let mut rng = ChaCha8Rng::seed_from_u64(subject.options.seed);
    rng.set_stream(number + 1);
    let sample = |_| {
        let mut action = vec![0.0; space.len()];
        space.sample(&mut rng, &mut action);
        space.clip(&mut action);
        action
    };
    (0..subject.options.n_steps).map(sample).collect()
}

/// Runs an episode until the actions are used up or the episode ends.
pub(super) fn run(
    env: &mut dyn Env,
    seed: u64,
    options: &ResetOptions,
    actions: &[Vec<f32>],
) -> Result<Trace, EnvError> {
    let mut trace = begin(env, seed, options)?;
    for action in actions {
        if trace.push(env, action)? {
            break;
        }
    }
    trace.finish(env);
    Ok(trace)
}

/// Resets and records the start.
pub(super) fn begin(
    env: &mut dyn Env,
    seed: u64,
    options: &ResetOptions,
) -> Result<Trace, EnvError> {
    let mut first = vec![f32::NAN; env.spec().observation_space.len()];
    env.reset(seed, options, &mut first)?;
    Ok(Trace {
        first,
        parameters: env.parameters().to_vec(),
        records: Vec::new(),
        metrics: Vec::new(),
        end: None,
    })
}

impl Trace {
    /// Runs a step and records it. Returns whether the episode is over.
    pub(super) fn push(&mut self, env: &mut dyn Env, action: &[f32]) -> Result<bool, EnvError> {
        let mut observation = vec![f32::NAN; self.first.len()];
        let step = env.step(action, &mut observation)?;
        self.records.push(Record {
            observation,
            step,
            terms: env.reward_terms().to_vec(),
            costs: env.costs().to_vec(),
        });
        Ok(step.is_over())
    }

    /// Records the end of the episode.
    pub(super) fn finish(&mut self, env: &dyn Env) {
        self.metrics = vec![0.0; env.spec().metrics.len()];
        env.metrics(&mut self.metrics);
        self.end = env.end_reason();
    }

    /// Describes the first number that differs from another episode.
    pub(super) fn difference(&self, other: &Self, spec: &EnvSpec) -> Option<String> {
        let names = &spec.observation_space.names;
        differing32("the first observation", names, &self.first, &other.first)
            .or_else(|| {
                differing64(
                    "parameter",
                    &spec.parameters,
                    &self.parameters,
                    &other.parameters,
                )
            })
            .or_else(|| self.differing_record(other, spec))
            .or_else(|| differing64("metric", &spec.metrics, &self.metrics, &other.metrics))
            .or_else(|| {
                (self.end != other.end)
                    .then(|| format!("the end is {:?} and {:?}", self.end, other.end))
            })
    }

    fn differing_record(&self, other: &Self, spec: &EnvSpec) -> Option<String> {
        let names = &spec.observation_space.names;
        let pairs = self.records.iter().zip(&other.records).enumerate();
        for (index, (a, b)) in pairs {
            let found = differing32("observation", names, &a.observation, &b.observation)
                .or_else(|| differing64("term", &spec.reward_terms, &a.terms, &b.terms))
                .or_else(|| differing64("cost", &spec.costs, &a.costs, &b.costs))
                .or_else(|| {
                    (a.step != b.step)
                        .then(|| format!("the outcome is {:?} and {:?}", a.step, b.step))
                });
            if let Some(found) = found {
                return Some(format!("in step {}, {found}", index + 1));
            }
        }
        let (a, b) = (self.records.len(), other.records.len());
        (a != b).then(|| format!("one episode has {a} steps and the other {b}"))
    }
}

/// The first entry of `what` whose bits differ or that one of them lacks.
fn differing<T: Copy + PartialEq + fmt::Debug>(
    what: &str,
    names: &[impl AsRef<str>],
    [a, b]: [&[T]; 2],
    bits: fn(T) -> u64,
) -> Option<String> {
    let index = a.iter().zip(b).position(|(a, b)| bits(*a) != bits(*b));
    let index = index.or((a.len() != b.len()).then_some(a.len().min(b.len())))?;
    let name = names.get(index).map_or("", AsRef::as_ref);
    let value = |values: &[T]| values.get(index).copied();
    Some(format!(
        "{what}[{index}] ({name}) is {:?} and {:?}",
        value(a),
        value(b)
    ))
}

fn differing32(what: &str, names: &[String], a: &[f32], b: &[f32]) -> Option<String> {
    differing(what, names, [a, b], |value| u64::from(value.to_bits()))
}

fn differing64(what: &str, names: &[impl AsRef<str>], a: &[f64], b: &[f64]) -> Option<String> {
    differing(what, names, [a, b], f64::to_bits)
}
