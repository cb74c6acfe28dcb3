//! Studies: from recorded presses to a policy, with the error of each step.

use std::path::PathBuf;

use insonate::cli::{LogReader, RecordedPress};
use insonate::experiments::ExperimentError;
use insonate::files::{Claim, OutputFolder};
use insonate::learning::LearningError;
use insonate::report::study_files;
use insonate::study::{StudyEvent, StudyPlan, StudyStart, study as run};
use insonate_calibration::{CalibrationError, SiteCalibrations};
use insonate_envs::tasks;
use insonate_models::torsos::{self, Softness};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{Raised, Result, value_error};
use crate::learning::json;
use crate::settings;
use crate::watch::Watch;

/// Seed of the first episode of a condition, as on the command line.
const SEED: u64 = 2_000_000;

/// Runs a study in a folder. Returns the result as JSON, and the report as an HTML page.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
#[pyo3(signature = (logs, *, held_out, truth, words, torso, task, steps, train_seed, episodes, threads, start, output, robot, patient, progress))]
pub(crate) fn study<'py>(
    py: Python<'py>,
    logs: Vec<PathBuf>,
    held_out: Vec<PathBuf>,
    truth: Option<(f64, f64)>,
    words: Vec<String>,
    torso: Vec<String>,
    task: String,
    steps: usize,
    train_seed: u64,
    episodes: usize,
    threads: usize,
    start: &str,
    output: PathBuf,
    robot: &Bound<'py, PyDict>,
    patient: &Bound<'py, PyDict>,
    progress: Option<Py<PyAny>>,
) -> Result<(String, String)> {
    let reader = LogReader::of_words(&words).map_err(value_error)?;
    let options = reader.fit_options()?;
    check(&task, &torso, truth, episodes)?;
    let [robot, patient] = [settings::table(robot)?, settings::table(patient)?];
    let (start, claim) = match start {
        "resume" => (StudyStart::Resume, Claim::resuming("study")),
        "overwrite" => (StudyStart::Overwrite, Claim::by("study").overwriting(true)),
        _ => (StudyStart::New, Claim::resuming("study")),
    };
    let mut watch = Watch::new(progress);
    let done = py.detach(|| {
        let sites = calibrated(&reader, logs)?;
        let held_out = if held_out.is_empty() {
            None
        } else {
            Some(calibrated(&reader, held_out)?)
        };
        let plan = StudyPlan {
            task,
            sites,
            held_out,
            options,
            truth: truth.map(|(stiffness, damping)| Softness { stiffness, damping }),
            robot,
            patient,
            torsos: if torso.is_empty() {
                let all = torsos::ALL.iter();
                all.map(|kind| kind.name.to_owned()).collect()
            } else {
                torso
            },
            total_timesteps: steps,
            train_seed,
            n_episodes: episodes,
            seed: SEED,
            n_threads: threads,
            start,
        };
        plan.check()?;
        let folder = OutputFolder::create(&output, claim)?;
        let result = match run(&plan, &folder, &mut |event| told(&mut watch, event)) {
            Err(LearningError::Experiment(ExperimentError::Interrupted(_))) => return Ok(None),
            other => other?,
        };
        let files = study_files(&result)?;
        for (name, content) in &files {
            folder.write(name, content)?;
        }
        let page = files.into_iter().find(|(name, _)| name == "study.html");
        Ok::<_, Raised>(Some((json(&result)?, page.map(|(_, page)| page))))
    })?;
    match (done, watch.into_raised()) {
        (Some((result, page)), _) => {
            let page = page.unwrap_or_default();
            Ok((result, String::from_utf8_lossy(&page).into_owned()))
        }
        (None, Some(raised)) => Err(raised.into()),
        (None, None) => Err(value_error("the study was interrupted")),
    }
}

/// Checks what the plan takes as given.
fn check(task: &str, torso: &[String], truth: Option<(f64, f64)>, episodes: usize) -> Result<()> {
    let studied = tasks::all().into_iter().filter(|kind| kind.is_studied);
    let studied: Vec<&str> = studied.map(|kind| kind.name).collect();
    if !studied.contains(&task) {
        return Err(value_error(format!(
            "task is {task:?}; it must be one of {}",
            studied.join(", ")
        )));
    }
    let known: Vec<&str> = torsos::ALL.iter().map(|kind| kind.name).collect();
    if let Some(unknown) = torso.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(value_error(format!(
            "torso is {unknown:?}; it must be one of {}",
            known.join(", ")
        )));
    }
    let is_positive = |value: f64| value.is_finite() && value > 0.0;
    if let Some((stiffness, damping)) = truth
        && !(is_positive(stiffness) && is_positive(damping))
    {
        return Err(value_error(format!(
            "truth is ({stiffness}, {damping}); it must be two numbers above 0 in N/m and N·s/m"
        )));
    }
    if !(2..=100_000).contains(&episodes) {
        return Err(value_error(format!(
            "episodes is {episodes}; it must be between 2 and 100000"
        )));
    }
    Ok(())
}

fn calibrated(
    reader: &LogReader,
    logs: Vec<PathBuf>,
) -> std::result::Result<SiteCalibrations, CalibrationError> {
    let presses: Vec<RecordedPress> = logs.into_iter().map(RecordedPress::File).collect();
    reader.calibrate_presses(&presses, None, &mut |_| {})
}

/// Tells the step of the study, and the share of it that is done.
fn told(watch: &mut Watch, event: &StudyEvent<'_>) -> std::ops::ControlFlow<()> {
    match event {
        StudyEvent::Torso(torso, share) => watch.look(*share, || format!("fitting {torso}")),
        StudyEvent::Policy(name, _) => watch.look(0.0, || format!("training {name}")),
        StudyEvent::Training(_) => watch.look(0.5, || "training".to_owned()),
        StudyEvent::Evaluating(condition, share) => {
            watch.look(*share, || format!("evaluating {condition}"))
        }
    }
}
