//! Scanning: slide the probe along a path over the torso with a steady force.

use std::time::{Duration, Instant};

use insonate_models::{ModelError, Scene};
use insonate_settings::check_range;
use insonate_sim::controllers::{Controller as _, HybridConfig, HybridForce, HybridTarget};
use insonate_sim::verdict::{RunWatch, VerdictLimits};
use insonate_sim::{Physics, Pose, Twist};
use nalgebra::Vector3;

use super::base_search;
use super::depth_limit::DepthLimit;
use super::guard::Guard;
use super::polyline;
use super::probe_scene::ProbeScene;
use super::progress::report;
use super::ranges;
use super::scan_path::{Goal, Path};
use super::summary::Goals;
use super::{ExperimentError, OrganPlan, Pictures, Progress, Record, Summary};

/// Settings of a scan: path, force and speed.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    /// Start of the path in the torso frame [m].
    pub from: [f64; 2],
    /// Corners of the path between its ends, in the torso frame [m]: they must be so near to each other that the probe can turn from one
    /// side to the next.
    pub via: Vec<[f64; 2]>,
    /// End of the path in the torso frame [m].
    pub to: [f64; 2],
    /// Force along the probe's axis [N].
    pub force: f64,
    /// Speed along the path [m/s].
    pub speed: f64,
    /// Height above the skin at the start [m].
    pub clearance: f64,
    /// Maximum force between any part of the robot and what it touches [N]; the scan ends above it.
    pub max_force: f64,
    /// Gains of the hybrid controller.
    pub controller: HybridConfig,
    /// Limits of the verdict.
    pub limits: VerdictLimits,
}

impl Default for Scan {
    fn default() -> Self {
        Self {
            from: [0.0, -0.06],
            via: Vec::new(),
            to: [0.0, 0.06],
            force: 5.0,
            speed: 0.04,
            clearance: 0.01,
            max_force: 80.0,
            controller: HybridConfig::default(),
            limits: VerdictLimits::default(),
        }
    }
}

impl Scan {
    /// Checks that the settings are valid.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] with the name of the field.
    pub fn check(&self) -> Result<(), ModelError> {
        check_range("force", self.force, ranges::FORCE, "N")?;
        check_range("speed", self.speed, ranges::SPEED, "m/s")?;
        check_range("clearance", self.clearance, ranges::CLEARANCE, "m")?;
        check_range("max_force", self.max_force, ranges::MAX_FORCE, "N")?;
        Ok(check_range(
            "path length",
            self.length(),
            [0.005, 1.0],
            "m",
        )?)
    }

    fn length(&self) -> f64 {
        polyline::length(&self.corners())
    }

    /// The same scan along the path of a plan.
    #[must_use]
    pub fn along(&self, plan: &OrganPlan) -> Self {
        let ([from, via @ .., to], scan) = (&plan.corners[..], self.clone()) else {
            return self.clone();
        };
        Self {
            from: *from,
            via: via.to_vec(),
            to: *to,
            ..scan
        }
    }

    /// Corners of the path with its ends, in the torso frame [m].
    pub(super) fn corners(&self) -> Vec<[f64; 2]> {
        let ends = [self.from, self.to].map(std::iter::once);
        let [from, to] = ends;
        from.chain(self.via.iter().copied()).chain(to).collect()
    }
}

const PHASES: [&str; 4] = ["approach", "settle", "slide", "retreat"];

/// Maximum duration of the approach before the scan fails [s].
const LONGEST_APPROACH: f64 = 6.0;
/// Time in contact before the probe starts to slide [s].
const SETTLE: f64 = 0.75;
/// Time over which the probe accelerates [s].
const RAMP: f64 = 0.25;
/// Retreat: duration [s] and speed [m/s].
const RETREAT: (f64, f64) = (0.5, 0.06);

/// Runs a scan. Pictures are taken in the middle of the path.
///
/// An error after the robot has started to move ends the scan and is a reason of the summary's verdict.
///
/// # Errors
/// If the scene cannot run, the path leaves the torso or the arm's reach, or the robot starts in collision.
pub fn scan(
    scene: &Scene,
    scan: &Scan,
    pictures: &mut Pictures,
    progress: Progress<'_>,
) -> Result<(Record, Summary), ExperimentError> {
    let (record, mut summary, missed) = match scan_once(scene, scan, pictures, progress) {
        Ok(done) => done,
        Err(error) => return Err(advise(error, scene, scan, progress)),
    };
    // Another base position helps if the skin was not reached, but not if a joint lacked torque.
    if let Some(missed) = missed {
        let advised = advise(missed, scene, scan, progress);
        summary.verdict.reasons[0] = advised.to_string();
    }
    Ok((record, summary))
}

/// The record and its summary. The error is set if the probe found no contact although no joint was at a limit.
fn scan_once(
    scene: &Scene,
    scan: &Scan,
    pictures: &mut Pictures,
    progress: Progress<'_>,
) -> Result<(Record, Summary, Option<ExperimentError>), ExperimentError> {
    scan.check()?;
    let (mut run, mut controller) = Run::start(scene, scan, progress)?;
    if let Some(b_mode) = &mut pictures.b_mode {
        b_mode.begin(&Physics::from_scene(&run.probe_scene.compiled)?);
    }
    let clock = Instant::now();
    let steps = run
        .approach(&mut controller, scan.force)
        .and_then(|()| run.settle(&mut controller, scan.force))
        .and_then(|()| run.slide(&mut controller, scan, pictures))
        .and_then(|()| run.retreat());
    let seconds = clock.elapsed().saturating_sub(run.aside).as_secs_f64();

    let path = run.path.in_world(&run.probe_scene);
    let asked = Goals {
        force: Some(scan.force),
        depth: None,
        speed: scan.speed,
        path: Some(&path),
        work: &PHASES[..3],
        slide: &PHASES[2..3],
    };
    let mut summary = Summary::of(&run.record, &asked, seconds);
    let limit = DepthLimit::of(scene);
    summary.depth_limit_m = limit.depth();
    summary
        .warnings
        .extend(limit.warning(summary.peak_indentation_m));
    let error = steps.err();
    summary.interrupted = matches!(error, Some(ExperimentError::Interrupted(_)));
    let problems: Vec<String> = match &error {
        Some(_) if summary.interrupted => vec!["interrupted".to_owned()],
        Some(error) => vec![error.to_string()],
        None => Vec::new(),
    };
    summary.judge(&scan.limits, &run.watch, run.span(), &problems, &asked);
    let is_limited = !run.watch.joints_at_limits(scan.limits.at_limit).is_empty();
    let missed =
        error.filter(|error| matches!(error, ExperimentError::NoContact { .. }) && !is_limited);
    run.record.greatest_pressure = run.probe_scene.greatest_pressure;
    Ok((run.record, summary, missed))
}

/// Adds a working base position to an error about reach or a start in collision.
fn advise(
    error: ExperimentError,
    scene: &Scene,
    scan: &Scan,
    progress: Progress<'_>,
) -> ExperimentError {
    let ends = |probe_scene: &ProbeScene<'_>| {
        let path = Path::over(probe_scene, scan)?;
        Ok(vec![
            path.above_start(probe_scene, scan)?,
            path.at(probe_scene, path.length)?.pose,
        ])
    };
    base_search::advise(error, scene, ends, |moved| {
        let done = scan_once(moved, scan, &mut Pictures::none(), progress);
        done.is_ok_and(|(_, summary, _)| summary.verdict.is_passed())
    })
}

/// A running scan.
struct Run<'a> {
    probe_scene: ProbeScene<'a>,
    path: Path,
    record: Record,
    watch: RunWatch,
    guard: Guard,
    progress: Progress<'a>,
    /// Share of the path that is done.
    share: f64,
    /// Wall-clock time for pictures.
    aside: Duration,
}

impl<'a> Run<'a> {
    /// Places the probe above the start of the path.
    fn start(
        scene: &'a Scene,
        scan: &Scan,
        progress: Progress<'a>,
    ) -> Result<(Self, HybridForce), ExperimentError> {
        let mut probe_scene = ProbeScene::new(scene)?;
        probe_scene.measure_pressure()?;
        let path = Path::over(&probe_scene, scan)?;
        probe_scene.place(&path.above_start(&probe_scene, scan)?)?;
        let controller = HybridForce::new(&probe_scene.physics, scan.controller.clone())?;
        let run = Self {
            watch: RunWatch::new(&probe_scene.physics)?,
            guard: Guard::new(scan.max_force, scan.limits.real_time),
            probe_scene,
            path,
            record: Record {
                phases: PHASES.to_vec(),
                ..Record::default()
            },
            progress,
            share: 0.0,
            aside: Duration::ZERO,
        };
        Ok((run, controller))
    }

    /// Takes one step towards a goal.
    fn step(
        &mut self,
        controller: &mut HybridForce,
        phase: usize,
        goal: &Goal,
        speed: f64,
        force: f64,
    ) -> Result<(), ExperimentError> {
        let twist = Twist {
            linear: goal.direction * speed,
            angular: Vector3::zeros(),
        };
        controller.set_target(
            &self.probe_scene.physics,
            HybridTarget {
                world_from_probe: goal.pose,
                twist,
                force,
            },
        );
        controller.control(&mut self.probe_scene.physics);
        self.probe_scene.physics.step()?;
        self.watch.see(&self.probe_scene.physics);
        let direction = Some(goal.direction);
        let sample = self
            .probe_scene
            .sample(phase, &goal.pose, &goal.skin, direction);
        self.probe_scene.log(&mut self.record, sample);
        self.guard.check(&sample, &self.watch, self.aside)?;
        Ok(report(self.progress, self.share)?)
    }

    /// Name of the phases during which the watch has observed the joints.
    fn span(&self) -> &'static str {
        let is_sliding = self.record.of_phase("slide").next().is_some();
        if is_sliding { "slide" } else { "approach" }
    }

    fn approach(
        &mut self,
        controller: &mut HybridForce,
        force: f64,
    ) -> Result<(), ExperimentError> {
        let goal = self.path.at(&self.probe_scene, 0.0)?;
        while !self
            .record
            .samples
            .last()
            .is_some_and(|sample| sample.in_contact)
        {
            if self.probe_scene.physics.time() > LONGEST_APPROACH {
                return Err(ExperimentError::NoContact {
                    seconds: LONGEST_APPROACH,
                    site: self.path.start(),
                });
            }
            self.step(controller, 0, &goal, 0.0, force)?;
        }
        Ok(())
    }

    fn settle(&mut self, controller: &mut HybridForce, force: f64) -> Result<(), ExperimentError> {
        let goal = self.path.at(&self.probe_scene, 0.0)?;
        let end = self.probe_scene.physics.time() + SETTLE;
        while self.probe_scene.physics.time() < end {
            self.step(controller, 1, &goal, 0.0, force)?;
        }
        Ok(())
    }

    fn slide(
        &mut self,
        controller: &mut HybridForce,
        scan: &Scan,
        pictures: &mut Pictures,
    ) -> Result<(), ExperimentError> {
        self.watch.restart_joints();
        let start = self.probe_scene.physics.time();
        let duration = self.path.length / scan.speed + RAMP / 2.0;
        let mut is_pictured = false;
        loop {
            let time = self.probe_scene.physics.time() - start;
            if time >= duration {
                return Ok(());
            }
            self.share = time / duration;
            // The speed rises linearly over the ramp, then stays constant.
            let (distance, speed) = if time < RAMP {
                (
                    scan.speed * time * time / (2.0 * RAMP),
                    scan.speed * time / RAMP,
                )
            } else {
                (scan.speed * (time - RAMP / 2.0), scan.speed)
            };
            let goal = self.path.at(&self.probe_scene, distance)?;
            self.step(controller, 2, &goal, speed, scan.force)?;
            if let Some(b_mode) = &mut pictures.b_mode {
                let paused = Instant::now();
                let ProbeScene {
                    compiled,
                    physics,
                    placement,
                    ..
                } = &self.probe_scene;
                b_mode.see(compiled, physics, placement)?;
                self.aside += paused.elapsed();
            }
            if !is_pictured && time > duration / 2.0 {
                let paused = Instant::now();
                pictures.take(&self.probe_scene.compiled, &self.probe_scene.physics);
                self.aside += paused.elapsed();
                is_pictured = true;
            }
        }
    }

    /// Retreats along the normal of the skin under position control.
    fn retreat(&mut self) -> Result<(), ExperimentError> {
        use insonate_sim::controllers::{OscPose, OscPoseConfig, OscTarget};
        let goal = self.path.at(&self.probe_scene, self.path.length)?;
        let start = self.probe_scene.physics.time();
        let pose = self
            .probe_scene
            .placement
            .probe
            .world_from_probe(&self.probe_scene.physics);
        let config = OscPoseConfig {
            stiffness: [600.0; 6],
            ..OscPoseConfig::default()
        };
        let mut controller = OscPose::new(&self.probe_scene.physics, config)?;
        let (duration, speed) = RETREAT;
        while self.probe_scene.physics.time() < start + duration {
            let lift = (self.probe_scene.physics.time() - start) * speed;
            let up = Pose {
                position: pose.position + goal.skin.normal * lift,
                ..pose
            };
            controller.set_target(&self.probe_scene.physics, OscTarget::Pose(up));
            controller.control(&mut self.probe_scene.physics);
            self.probe_scene.physics.step()?;
            let direction = Some(goal.direction);
            let sample = self.probe_scene.sample(3, &up, &goal.skin, direction);
            self.probe_scene.log(&mut self.record, sample);
            report(self.progress, 1.0)?;
        }
        Ok(())
    }
}
