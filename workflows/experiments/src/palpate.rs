//! Recording of a calibration: the press of the thesis at several sites, logged like a real robot with a force sensor.
//!
//! The motion is free air, a press at a steady speed, a hold, a sine around the held depth, and a retreat (Jakobsen 2021 presses, holds
//! and
//! retreats; the sine separates damping from stiffness). Indentations are relative to the first contact, which a slow approach finds
//! before the recording.

use insonate_calibration::synthetic::{Segment, Trajectory};
use insonate_calibration::{ContactPoint, FitOptions, Log, Samples, models};
use insonate_models::torsos::TorsoConfig;
use insonate_models::{ModelError, Scene};
use insonate_settings::check_range;
use insonate_sim::verdict::{Judge, Verdict, VerdictLimits};
use serde::Serialize;

use super::follow::Follower;
use super::progress::report;
use super::ranges;
use super::recorder::{ProbeTrajectory, Recorder};
use super::{ExperimentError, Pictures, Progress};

/// Time in free air before the approach, and after the retreat [s].
const AIR: [f64; 2] = [0.6, 0.3];
/// Time for acceleration and deceleration [s].
const RAMP: f64 = 0.1;
/// Distance of the four outer sites from the middle, as a share of the torso's half width and half length. Near the middle, the points
/// of a shell move nearly along the normal.
const OUTER: [f64; 2] = [0.18, 0.2];

/// Settings of a press.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Palpation {
    /// Maximum indentation after first contact [m].
    pub depth: f64,
    /// Speed of the press and of the retreat [m/s].
    pub speed: f64,
    /// Time at rest before the sine [s].
    pub hold: f64,
    /// Amplitude of the sine [m]; its mean is `depth - amplitude`.
    pub amplitude: f64,
    /// Frequency of the sine [Hz].
    pub frequency: f64,
    /// Number of cycles of the sine.
    pub cycles: f64,
    /// Height above first contact at the start [m].
    pub clearance: f64,
    /// Force at which the recording is aborted [N].
    pub max_force: f64,
    /// Limits of the verdict.
    pub limits: VerdictLimits,
}

impl Default for Palpation {
    fn default() -> Self {
        Self {
            depth: 0.01,
            speed: 0.02,
            hold: 0.5,
            amplitude: 0.003,
            frequency: 2.0,
            cycles: 4.0,
            clearance: 0.01,
            max_force: 80.0,
            limits: VerdictLimits::default(),
        }
    }
}

impl Palpation {
    /// Checks that the settings are valid.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] with the name of the field.
    pub fn check(&self) -> Result<(), ModelError> {
        check_range("depth", self.depth, [0.001, ranges::MAX_DEPTH], "m")?;
        check_range("speed", self.speed, ranges::SPEED, "m/s")?;
        check_range("hold", self.hold, ranges::HOLD, "s")?;
        check_range("max_force", self.max_force, ranges::MAX_FORCE, "N")?;
        check_range("clearance", self.clearance, ranges::CLEARANCE, "m")?;
        check_range(
            "sine amplitude",
            self.amplitude,
            [0.0, 0.45 * self.depth],
            "m, 0.45 of the depth, so that the probe stays in contact",
        )?;
        check_range("sine frequency", self.frequency, [0.1, 20.0], "Hz")?;
        Ok(check_range("sine cycles", self.cycles, [0.0, 100.0], "")?)
    }

    /// Target indentation over time.
    fn motion(&self) -> Trajectory {
        let to = |to: f64| Segment::Move {
            to,
            speed: self.speed,
            ramp: RAMP,
        };
        let mut segments = vec![
            Segment::Hold(AIR[0]),
            to(self.depth - self.amplitude),
            Segment::Hold(self.hold),
        ];
        if self.amplitude > 0.0 && self.cycles > 0.0 {
            segments.push(Segment::Sine {
                amplitude: self.amplitude,
                frequency: self.frequency,
                cycles: self.cycles,
                fade: 0.5_f64.min(0.5 * self.cycles),
            });
        }
        segments.extend([to(-self.clearance), Segment::Hold(AIR[1])]);
        Trajectory::new(-self.clearance, &segments)
    }
}

/// A site of a press.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Site {
    /// Name of the site and its log.
    pub name: &'static str,
    /// Position in the torso frame [m].
    pub position: [f64; 2],
}

/// The five sites of the thesis, named from the patient's view: upper is towards the head, right is the patient's right (-x).
pub fn five_sites(config: &TorsoConfig) -> [Site; 5] {
    let [half_width, _, half_length] = config.half_size();
    let (x, y) = (OUTER[0] * half_width, OUTER[1] * half_length);
    [
        ("upper_right", [-x, y]),
        ("upper_left", [x, y]),
        ("centre", [0.0, 0.0]),
        ("lower_right", [-x, -y]),
        ("lower_left", [x, -y]),
    ]
    .map(|(name, position)| Site { name, position })
}

/// Recording of a site: the log and its ground truth.
#[derive(Clone, Debug)]
pub struct SiteRecording {
    /// The log.
    pub log: Log,
    /// The ground truth.
    pub truth: SiteTruth,
}

/// Ground truth of a recorded site.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteTruth {
    /// Name of the site.
    pub name: &'static str,
    /// Whether the press reached its depth without reaching a limit, and the reasons if not.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// File of the log.
    pub file: String,
    /// Position in the torso frame [m].
    pub site_m: [f64; 2],
    /// Point of the resting skin under the probe, in the world [m].
    pub surface_m: [f64; 3],
    /// Outward normal of the skin at this point, in the world.
    pub normal: [f64; 3],
    /// Force bias of the recording, in the world [N].
    pub bias_n: [f64; 3],
    /// Depth of the first contact below the resting skin [m].
    pub contact_depth_m: f64,
    /// Maximum indentation after first contact [m], and maximum force along the inward normal [N].
    pub peak_indentation_m: f64,
    /// See `peak_indentation_m`.
    pub peak_force_n: f64,
    /// Stiffness [N/m] and damping [N·s/m] of the default law, fitted to the press without recording errors, and its R².
    pub stiffness: f64,
    /// See `stiffness`.
    pub damping: f64,
    /// See `stiffness`.
    pub r_squared: f64,
}

/// Presses one site. The seed and the index of the site determine the noise.
///
/// # Errors
/// If the scene cannot run, the site cannot be reached, the force gets too large, the simulation diverges, or the caller interrupts
/// ([`super::Interrupted`]): an incomplete press is not a valid log.
pub fn palpate(
    scene: &Scene,
    site: &Site,
    palpation: &Palpation,
    recorder: &Recorder,
    [seed, index]: [u64; 2],
    pictures: &mut Pictures,
    progress: Progress<'_>,
) -> Result<SiteRecording, ExperimentError> {
    palpation.check()?;
    recorder.check()?;
    let mut follower =
        Follower::above_contact(scene, site.position, palpation.clearance, progress)?;
    let motion = palpation.motion();
    let n_steps = (motion.duration() / follower.dt).ceil() as usize;
    let mut press = Press::default();
    let deepest = (AIR[0] + palpation.hold) / follower.dt
        + (palpation.depth + palpation.clearance) / palpation.speed / follower.dt;
    for step in 0..n_steps {
        let time = (step + 1) as f64 * follower.dt;
        let wanted = motion.at(time);
        follower.step(wanted.indentation, wanted.velocity)?;
        report(progress, (step + 1) as f64 / n_steps as f64)?;
        press.take(&follower, time);
        let force = press.force.last().copied().unwrap_or_default();
        if force > palpation.max_force || force.is_nan() {
            return Err(ExperimentError::PressForce {
                limit: palpation.max_force,
                indentation: follower.measure().0,
            });
        }
        if step == deepest as usize {
            follower.picture(pictures);
        }
    }
    let bias = recorder.draw_bias(seed, index);
    let file = format!("{}.csv", site.name);
    let log = recorder.record(&file, &press.trajectory, bias, seed, index);
    let truth = press.truth(site, palpation, file, &follower, bias)?;
    Ok(SiteRecording { log, truth })
}

/// Data recorded during a press.
#[derive(Default)]
struct Press {
    trajectory: ProbeTrajectory,
    depth: Vec<f64>,
    velocity: Vec<f64>,
    force: Vec<f64>,
    /// Indentation at first contact [m]; close to 0.
    contact: Option<f64>,
}

impl Press {
    fn take(&mut self, follower: &Follower<'_>, time: f64) {
        let (position, velocity, force) = follower.reading();
        self.trajectory.time.push(time);
        self.trajectory.position.push(position);
        self.trajectory.velocity.push(velocity);
        self.trajectory.force.push(force);
        let (depth, rate, along) = follower.measure();
        self.depth.push(depth);
        self.velocity.push(rate);
        self.force.push(along);
        if self.contact.is_none() && follower.in_contact() {
            self.contact = Some(depth);
        }
    }

    fn truth(
        &self,
        site: &Site,
        palpation: &Palpation,
        file: String,
        follower: &Follower<'_>,
        bias_n: [f64; 3],
    ) -> Result<SiteTruth, ExperimentError> {
        let Some(contact) = self.contact else {
            return Err(ExperimentError::TooShallow { site: site.name });
        };
        let inside: Vec<usize> = (0..self.depth.len())
            .filter(|&i| self.depth[i] > contact)
            .collect();
        let pick = |values: &[f64]| inside.iter().map(|&i| values[i]).collect::<Vec<f64>>();
        let samples = Samples {
            log: site.name.to_owned(),
            time: pick(&self.trajectory.time),
            indentation: inside.iter().map(|&i| self.depth[i] - contact).collect(),
            velocity: pick(&self.velocity),
            force: pick(&self.force),
            contact: ContactPoint::KNOWN,
            sampling_interval: follower.dt,
            ..Samples::default()
        };
        let peak = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        let fit = models::DEFAULT.fit(&samples, &FitOptions::default())?;
        let value = |name: &str| fit.parameter(name).map_or(0.0, |parameter| parameter.value);
        let (surface_m, normal) = follower.surface();
        let reached = peak(&samples.indentation);
        let judge = Judge::new(&palpation.limits).depth(palpation.depth, reached);
        Ok(SiteTruth {
            name: site.name,
            verdict: judge.arm(follower.watch(), "press").verdict(),
            file,
            site_m: site.position,
            surface_m,
            normal,
            bias_n,
            contact_depth_m: follower.zero() + contact,
            peak_indentation_m: reached,
            peak_force_n: peak(&self.force),
            stiffness: value("stiffness"),
            damping: value("damping"),
            r_squared: fit.statistics.r_squared,
        })
    }
}
