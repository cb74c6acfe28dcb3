//! The training loop: iterations with evaluations in between.

use std::ops::ControlFlow;
use std::time::Instant;

use insonate_envs::{Autoreset, ResetOptions, VecConfig, VecEnv, patient_name};
use insonate_files::{Claim, OutputFolder};
use insonate_rl::{Agent, Progress, Run, evaluate};

use super::folder::{BEST_POLICY, CONFIG, CURVE, EVALUATIONS, SUMMARY, clear, list};
use super::summary::solved;
use super::{
    Evaluation, History, Plan, StartMode, StopReason, TrainingSummary, evaluations, learning_curve,
};
use crate::LearningError;
use crate::evaluation::PatientFigures;
use crate::patients::{identity, patient_folders, trained_on};

/// Progress of a training, for its observer.
#[derive(Debug)]
pub enum Event<'a> {
    /// The training starts or resumes.
    Started {
        /// Number of training steps done before.
        global_step: u64,
        /// Number of environments that were not restored bit-identically from the checkpoint; zero on the same machine and version.
        n_unreproduced_envs: usize,
    },
    /// An iteration is done.
    Iteration(&'a Progress),
    /// An evaluation is running.
    Evaluating {
        /// Number of finished episodes.
        n_done: usize,
        /// Total number of episodes.
        n_episodes: usize,
    },
    /// An evaluation is done.
    Evaluated(&'a Evaluation),
}

/// Result of a training.
#[derive(Debug)]
pub struct TrainingResult {
    /// Summary.
    pub summary: TrainingSummary,
    /// All iterations and evaluations.
    pub history: History,
}

/// Trains until all steps are done, the task is solved (with `evaluation.stop`) or `stop` returns true. Writes into the folder:
/// settings, checkpoint, last and best policy, tables of iterations and evaluations, TensorBoard events, learning curve and summary.
///
/// # Errors
/// Errors of the environments, the algorithm and the files. The last checkpoint is kept.
pub fn train(
    plan: &Plan,
    stop: &dyn Fn() -> bool,
    observer: &mut dyn FnMut(Event<'_>),
) -> Result<TrainingResult, LearningError> {
    let start = Instant::now();
    let folder = OutputFolder::create(&plan.folder, Claim::resuming("train"))?;
    let mut training = Training::open(plan, &folder)?;
    observer(Event::Started {
        global_step: training.run.algorithm().global_step(),
        n_unreproduced_envs: training.run.algorithm().n_unreproduced_envs(),
    });
    let earlier_s = training.train_s + training.evaluation_s();
    let mut stop_reason = training.run_to_end(stop, observer)?;
    list(&folder)?;
    let mut patients = Vec::new();
    if stop_reason != StopReason::Interrupted {
        match training.evaluate_patients(stop, observer)? {
            Some(figures) => patients = figures,
            None => stop_reason = StopReason::Interrupted,
        }
    }

    let history = History::read(&plan.folder)?;
    let n_threads = training.run.algorithm().env().n_threads();
    let wall_s = earlier_s + start.elapsed().as_secs_f64();
    let summary = TrainingSummary {
        patients,
        ..TrainingSummary::of(plan, &history, stop_reason, n_threads, wall_s)
    };
    let json = serde_json::to_string_pretty(&summary)?;
    folder.write(SUMMARY, format!("{json}\n").as_bytes())?;
    let title = format!("{}, seed {}", summary.task, summary.seed);
    let curve = learning_curve(CURVE, &title, std::slice::from_ref(&history))?;
    for (name, content) in curve.files() {
        folder.write(&name, &content)?;
    }
    Ok(TrainingResult { summary, history })
}

/// A running training.
struct Training<'a> {
    plan: &'a Plan,
    folder: &'a OutputFolder,
    run: Run,
    evaluation_env: VecEnv,
    evaluations: Vec<Evaluation>,
    /// Duration of the iterations so far [s].
    train_s: f64,
}

impl<'a> Training<'a> {
    fn open(plan: &'a Plan, folder: &'a OutputFolder) -> Result<Self, LearningError> {
        let settings = &plan.settings;
        let envs = |n_envs: usize, autoreset: Autoreset| {
            let config = VecConfig {
                autoreset,
                n_threads: plan.n_threads,
            };
            VecEnv::new(settings.factory.make_many(n_envs)?, config)
        };
        let env = envs(settings.algorithm.n_envs(), Autoreset::SameStep)?;
        let n_update_threads = match plan.n_threads {
            0 => env.n_threads(),
            n_threads => n_threads,
        };
        let mut run = match plan.start {
            StartMode::Resume => Run::resume(&plan.folder, env, plan.run)?,
            StartMode::New | StartMode::Overwrite => {
                let beginning = plan.from.as_ref().map(|policy| &policy.identity);
                let factory = &settings.factory;
                let identity = identity(factory, &factory.settings, beginning)?;
                let mut algorithm = settings.algorithm.build(env, identity)?;
                if let Some(policy) = &plan.from {
                    algorithm.warm_start(policy)?;
                }
                // Remove files only after the settings have been checked.
                clear(&plan.folder)?;
                Run::start(&plan.folder, algorithm, plan.run)?
            }
        };
        let algorithm = run.algorithm_mut();
        algorithm.set_update_threads(n_update_threads);
        algorithm.set_total_timesteps(settings.algorithm.total_timesteps())?;
        folder.write(CONFIG, settings.to_toml().as_bytes())?;
        list(folder)?;

        let global_step = run.algorithm().global_step();
        let mut evaluations = evaluations::read(&plan.folder.join(EVALUATIONS))?;
        evaluations.retain(|evaluation| evaluation.global_step <= global_step);
        let history = match global_step {
            0 => History::default(),
            _ => History::read(&plan.folder)?,
        };
        let n_envs = settings
            .evaluation
            .episodes
            .min(settings.algorithm.n_envs());
        Ok(Self {
            plan,
            folder,
            run,
            evaluation_env: envs(n_envs, Autoreset::Disabled)?,
            evaluations,
            // `sum` of an empty list is −0.
            train_s: history.train_s().abs(),
        })
    }

    fn run_to_end(
        &mut self,
        stop: &dyn Fn() -> bool,
        observer: &mut dyn FnMut(Event<'_>),
    ) -> Result<StopReason, LearningError> {
        loop {
            // (policy) => evaluation, when due
            let step = self.run.algorithm().global_step();
            let is_new = self.plan.from.is_some() && self.evaluations.is_empty();
            let is_last = self.run.algorithm().is_finished() && self.last() != step;
            if (self.is_due(step) || is_last || is_new) && self.evaluate(stop, observer)? {
                return Ok(StopReason::Interrupted);
            }
            let evaluation = &self.plan.settings.evaluation;
            if evaluation.stop && solved(&self.evaluations, evaluation.success).is_some() {
                return Ok(StopReason::Solved);
            }
            if self.run.algorithm().is_finished() {
                return Ok(StopReason::Finished);
            }
            // (policy, environments) => policy, until the next evaluation
            if self.iterate(stop, observer)? {
                return Ok(StopReason::Interrupted);
            }
        }
    }

    /// Trains until the next evaluation or the end; returns whether it was stopped.
    fn iterate(
        &mut self,
        stop: &dyn Fn() -> bool,
        observer: &mut dyn FnMut(Event<'_>),
    ) -> Result<bool, LearningError> {
        let interval = self.interval();
        let due = self.last() / interval;
        let mut is_stopped = false;
        let mut seconds = 0.0;
        let is_broken_off = self.run.train_interruptible(stop, &mut |progress| {
            seconds += (progress.rollout_time + progress.update_time).as_secs_f64();
            observer(Event::Iteration(progress));
            is_stopped = stop();
            if is_stopped || progress.global_step / interval > due {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        self.train_s += seconds;
        Ok(is_stopped || is_broken_off)
    }

    /// Evaluates the policy. Returns whether it was stopped; the next session then repeats the evaluation.
    fn evaluate(
        &mut self,
        stop: &dyn Fn() -> bool,
        observer: &mut dyn FnMut(Event<'_>),
    ) -> Result<bool, LearningError> {
        let mut is_stopped = false;
        let start = Instant::now();
        let settings = &self.plan.settings.evaluation;
        let policy = self.run.algorithm().policy();
        let mut agent = Agent::Policy(Box::new(policy.clone()));
        let episodes = evaluate(
            &mut self.evaluation_env,
            &mut agent,
            settings.episodes,
            settings.seed,
            &ResetOptions::default(),
            &mut |n_done| {
                observer(Event::Evaluating {
                    n_done,
                    n_episodes: settings.episodes,
                });
                is_stopped = stop();
                if is_stopped {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        )?;
        if is_stopped {
            return Ok(true);
        }
        let evaluation = Evaluation {
            global_step: self.run.algorithm().global_step(),
            train_s: self.train_s,
            evaluation_s: start.elapsed().as_secs_f64(),
            ..Evaluation::of(&episodes, self.evaluation_env.spec())
        };
        // Write the best policy before the table: the table must not be newer than the best policy.
        let cost_limit = self.plan.settings.algorithm.cost_limit();
        let mut earlier = self.evaluations.iter();
        if earlier.all(|earlier| evaluation.is_better_than(earlier, cost_limit)) {
            policy.save(&self.plan.folder.join(BEST_POLICY))?;
        }
        observer(Event::Evaluated(&evaluation));
        self.evaluations.push(evaluation);
        evaluations::write(&self.folder.path().join(EVALUATIONS), &self.evaluations)?;
        Ok(false)
    }

    /// Evaluates the last policy on each made patient, on the same episodes. `None`: it was stopped; the next session then repeats it.
    fn evaluate_patients(
        &self,
        stop: &dyn Fn() -> bool,
        observer: &mut dyn FnMut(Event<'_>),
    ) -> Result<Option<Vec<PatientFigures>>, LearningError> {
        let settings = &self.plan.settings;
        let factory = settings.with_all_patients();
        let folders = patient_folders(&factory.settings);
        if folders.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let policy = self.run.algorithm().policy();
        let trained_on = trained_on(&policy.identity)?;
        let n_episodes = settings.evaluation.episodes;
        let config = VecConfig {
            autoreset: Autoreset::Disabled,
            n_threads: self.plan.n_threads,
        };
        let n_envs = n_episodes.min(settings.algorithm.n_envs());
        let mut env = VecEnv::new(factory.make_many(n_envs)?, config)?;
        let mut agent = Agent::Policy(Box::new(policy));
        let mut figures = Vec::new();
        for (place, folder) in folders.iter().enumerate() {
            let mut options = ResetOptions::default();
            if folders.len() > 1 {
                let parameter = ("organs".to_owned(), place as f64);
                options.parameters.extend([parameter]);
            }
            let mut is_stopped = false;
            let seed = settings.evaluation.seed;
            let episodes = evaluate(&mut env, &mut agent, n_episodes, seed, &options, &mut |n| {
                observer(Event::Evaluating {
                    n_done: place * n_episodes + n,
                    n_episodes: folders.len() * n_episodes,
                });
                is_stopped = stop();
                if is_stopped {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            })?;
            if is_stopped {
                return Ok(None);
            }
            let episodes: Vec<_> = episodes.iter().collect();
            let name = patient_name(folder);
            let own = PatientFigures::of(&name, Some(&trained_on), env.spec(), &episodes);
            figures.push(own);
        }
        Ok(Some(figures))
    }

    fn is_due(&self, step: u64) -> bool {
        step / self.interval() > self.last() / self.interval()
    }

    fn interval(&self) -> u64 {
        let settings = &self.plan.settings;
        settings.evaluation.interval(&settings.algorithm)
    }

    /// Number of training steps before the last evaluation; 0 if there was none.
    fn last(&self) -> u64 {
        self.evaluations.last().map_or(0, |e| e.global_step)
    }

    fn evaluation_s(&self) -> f64 {
        evaluations::seconds(&self.evaluations)
    }
}
