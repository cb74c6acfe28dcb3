//! Scans random paths at 5 N in a grid of robots, probes, shapes of the torso and breathing, and prints as JSON how well each kind of torso
//! lets the force be held.
//!
//! An argument is a kind of torso and the number of scans in each cell of the grid: `fast:10`. The stiffness is in turn 400, 1324.17 and
//! 4000 N/m, with damping in proportion. Tissue of `mpm` and `xpbd` moves within 10 cm of the probe. Two threads share the scans; their
//! number does not change the results.
//!
//! `cargo run --release --example scan_grid -- fast:10 elastic:10 flex:2 mpm:2 xpbd:2`

#![expect(clippy::print_stdout, reason = "the JSON is the result")]

use std::collections::BTreeMap;
use std::ops::ControlFlow::Continue;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, ensure};
use insonate::experiments::{ExperimentError, Pictures, Scan, Summary, random_site, scan};
use insonate::models::torsos::{self, Breathing, Shape, Softness};
use insonate::models::{RobotChoice, SceneConfig, SoftnessChoice};
use insonate::sim::SimError;
use serde::Serialize;

const ROBOTS: [&str; 2] = ["panda", "ur5e"];
const PROBES: [&str; 2] = ["c5-2", "l12-5"];
const STIFFNESSES: [f64; 3] = [400.0, 1324.17, 4000.0];
const N_THREADS: usize = 2;

/// One scan of the grid.
struct Job {
    kind: &'static str,
    has_reach: bool,
    robot: &'static str,
    probe: &'static str,
    shape: Shape,
    breathes: bool,
    seed: u64,
    stiffness: f64,
}

impl Job {
    fn name(&self) -> String {
        let Self {
            kind,
            robot,
            probe,
            seed,
            stiffness,
            ..
        } = self;
        let breath = if self.breathes { ", breathing" } else { "" };
        let shape = self.shape.name();
        format!("{kind}, {robot}, {probe}, {shape}{breath}, {stiffness} N/m, seed {seed}")
    }

    /// The summary of the scan; `None` if the robot does not reach the path.
    fn run(&self) -> anyhow::Result<Option<Summary>> {
        let usual = Softness::default();
        let softness = Softness {
            stiffness: self.stiffness,
            damping: usual.damping * self.stiffness / usual.stiffness,
        };
        let config = SceneConfig {
            robot: RobotChoice::Named(self.robot.to_owned()),
            probe: self.probe.to_owned(),
            torso: self.kind.to_owned(),
            shape: self.shape,
            softness: SoftnessChoice::Values(softness),
            breathing: self.breathes.then(Breathing::default),
            active_radius: self.has_reach.then_some(0.1),
            ..SceneConfig::default()
        };
        let scene = config.build()?;
        let path = Scan {
            from: random_site(self.seed, 0, &scene),
            to: random_site(self.seed, 1, &scene),
            ..Scan::default()
        };
        if path.check().is_err() {
            return Ok(None);
        }
        match scan(&scene, &path, &mut Pictures::none(), &mut |_| Continue(())) {
            Ok((_, summary)) => Ok(Some(summary)),
            Err(error) if is_out_of_reach(&error) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether the robot cannot hold the probe somewhere on the path, or only in a collision.
fn is_out_of_reach(error: &ExperimentError) -> bool {
    match error {
        ExperimentError::Sim(error) => matches!(error, SimError::Unreachable { .. }),
        ExperimentError::Start(_) => true,
        ExperimentError::Advised { error, .. } => is_out_of_reach(error),
        _ => false,
    }
}

/// What the scans of one kind have in common.
#[derive(Default, Serialize)]
struct Row {
    kind: String,
    /// Number of scans with a robot that reaches the path.
    n_scans: usize,
    /// Number of paths that the robot does not reach.
    n_out_of_reach: usize,
    n_passed: usize,
    /// Greatest mean absolute error of the force among the scans that passed [N].
    force_mae_n: f64,
    /// Highest force among them [N].
    peak_force_n: f64,
    /// Lowest share of samples in contact among them.
    contact_ratio: f64,
    /// Scans that failed, each with its reasons.
    failed: Vec<String>,
}

impl Row {
    fn new(kind: &str) -> Self {
        Self {
            kind: kind.to_owned(),
            contact_ratio: 1.0,
            ..Self::default()
        }
    }

    fn add(&mut self, job: &Job, summary: Option<&Summary>) {
        let Some(summary) = summary else {
            self.n_out_of_reach += 1;
            return;
        };
        self.n_scans += 1;
        if !summary.verdict.is_passed() {
            let reasons = summary.verdict.reasons.join("; ");
            self.failed.push(format!("{}: {reasons}", job.name()));
            return;
        }
        self.n_passed += 1;
        self.force_mae_n = self.force_mae_n.max(summary.force_mae_n);
        self.peak_force_n = self.peak_force_n.max(summary.peak_force_n);
        self.contact_ratio = self.contact_ratio.min(summary.contact_ratio);
    }
}

/// The scans of a kind, cell by cell.
fn jobs(argument: &str) -> anyhow::Result<Vec<Job>> {
    let (name, count) = argument
        .split_once(':')
        .context("an argument is KIND:SCANS, such as fast:10")?;
    let kind = torsos::by_name(name)?;
    let count: u64 = count.parse().context("SCANS is a whole number")?;
    let mut jobs = Vec::new();
    for (robot, probe) in [0, 1, 2, 3].map(|pair| (ROBOTS[pair / 2], PROBES[pair % 2])) {
        for (_, shape) in Shape::ALL {
            for (breathes, seed) in (1..=count).flat_map(|seed| [(false, seed), (true, seed)]) {
                jobs.push(Job {
                    kind: kind.name,
                    has_reach: kind.is_tissue(),
                    robot,
                    probe,
                    shape: *shape,
                    breathes,
                    seed,
                    // All values in each cell of three or more scans, and all over the grid in smaller ones.
                    stiffness: STIFFNESSES[(jobs.len() / 2) % STIFFNESSES.len()],
                });
            }
        }
    }
    Ok(jobs)
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    ensure!(
        !arguments.is_empty(),
        "no scans: an argument is KIND:SCANS, such as fast:10"
    );
    let mut all = Vec::new();
    for argument in &arguments {
        all.extend(jobs(argument)?);
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(BTreeMap::new());
    let work = || -> anyhow::Result<()> {
        while let Some((number, job)) = take(&next, &all) {
            let summary = job.run().with_context(|| job.name())?;
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.insert(number, summary);
            eprintln!("{} of {}: {}", done.len(), all.len(), job.name());
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..N_THREADS).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().expect("a scan does not panic"))
    })?;
    let mut rows: Vec<Row> = Vec::new();
    for (number, summary) in &done.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let job = &all[*number];
        if rows.last().is_none_or(|row| row.kind != job.kind) {
            rows.push(Row::new(job.kind));
        }
        if let Some(row) = rows.last_mut() {
            row.add(job, summary.as_ref());
        }
    }
    println!("{}", serde_json::to_string_pretty(&rows)?);
    Ok(())
}

fn take<'a>(next: &AtomicUsize, all: &'a [Job]) -> Option<(usize, &'a Job)> {
    let number = next.fetch_add(1, Ordering::Relaxed);
    Some((number, all.get(number)?))
}
