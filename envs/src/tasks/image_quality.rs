//! `image-quality`: maintain image quality by tilt and force while the patient breathes.
//!
//! Image quality is based on the mean confidence (Karamalis et al. 2012, doi:10.1016/j.media.2012.07.005). Lines without contact have zero
//! confidence, and bone and gas reduce it below them. The confidence therefore depends on the position: ribs and stiff skin lower it.
//! Quality is the mean confidence divided by that of a reference: five frames of a probe held upright at the same position with 3 N more
//! than the desired force, over 4 s of the same breath, simulated at each reset. The probe starts tilted, so that an end of the face is off
//! the skin.
//!
//! # Action
//!
//! Defined by `action.mode`; see [`crate::actions`]. Actions are normalised to -1 to 1.
//!
//! # Observation
//!
//! The scene's entries ([`crate::probe::observation`]), including the confidence of each sample. The goal is the start. The task has no
//! entries of its own.
//!
//! # Reward
//!
//! Per control step, $q$: quality, $F$: maximum force along the probe's axis in the step in N, $F_{max}$:
//! `task.limits.peak_force`; weights in `task.reward`.
//!
//! | term | formula |
//! |---|---|
//! | `quality` | $q$ |
//! | `force` | $-\max(0, F / F_{max} - 0.8)$: keeps a margin to the limit |
//! | `contact_speed` | as in `probe-press` |
//! | `smoothness` | $-\lVert a_t - a_{t-1} \rVert^2$ |
//!
//! # Start
//!
//! A random position within `task.area_x` and `task.area_y`, seen from above, in the torso's frame. The probe starts
//! `start.height` above the skin, tilted from its normal by 60 to 100 % of `task.start_tilt`, along the array within 46°. The force
//! sensor is zeroed there.
//!
//! # End
//!
//! Terminated: force above `task.max_force`; the simulation diverged. Truncated: at `time.limit`.
//!
//! Success: at the time limit the mean quality since `task.settling` is at least `task.quality`, and the episode kept `task.limits`.

use insonate_settings::{check_interval, check_ranges};
use insonate_sim::Pose;
use insonate_sim::verdict::Judge;
use nalgebra::{UnitQuaternion, Vector3};
use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::kind::TaskKind;
use super::ultrasound_tasks;
use crate::actions::HybridMotionSettings;
use crate::environment::EpisodeEnd;
use crate::factory::EnvFactory;
use crate::probe::{
    ActionChange, ContactCosts, ContactMeter, ForceAxis, ForceLimits, ForceMetrics, Goal,
    ImagingTask, ProbeTask, ProbeTaskSettings, Rule, SceneSet, SceneState, WrenchMeasurement,
    factory, judge_rules, pressed_too_hard,
};
use crate::randomization::EpisodeParameters;
use crate::settings;
use crate::ultrasound::{FrameAssessment, UltrasoundSettings};
use crate::{BoxSpace, EnvError, named_values, reward_terms};

/// Registry entry.
pub const KIND: TaskKind = TaskKind {
    name: "image-quality",
    summary: "maintain image quality by tilt and force while the patient breathes",
    defaults: &|| settings::table(&defaults()),
    build: &build,
    profiles: &[],
    scripted: &[],
    demonstrated: &[],
    is_studied: false,
    ppo: ultrasound_tasks::PPO,
    sac: ultrasound_tasks::SAC,
};

/// Minimum start tilt as a fraction of the maximum.
const LEAST_TILT: f64 = 0.6;
/// Maximum angle between the axis of the start's tilt and the probe's y axis [rad].
const LARGEST_FAN: f64 = 0.8;
/// Fraction of the force limit above which force is penalised.
const FREE: f64 = 0.8;
/// Rate at which the script reduces the tilt [1/s].
const SCRIPT_RATE: f64 = 3.0;
/// Force of the reference and of the script in addition to the goal's [N].
const MORE_FORCE: f64 = 3.0;

/// Settings of the task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QualitySettings {
    /// Range of positions across the patient, in the torso's frame [m]. A made patient has windows of the liver instead.
    pub area_x: [f64; 2],
    /// Range of positions along the patient [m].
    pub area_y: [f64; 2],
    /// Maximum tilt of the start [rad].
    pub start_tilt: f64,
    /// Time after which quality counts [s].
    pub settling: f64,
    /// Minimum mean quality of a success.
    pub quality: f64,
    /// Force at which the episode ends [N].
    pub max_force: f64,
    /// Weights of the reward.
    pub reward: QualityReward,
    /// Limits of a success.
    pub limits: ForceLimits,
}

reward_terms! {
    pub struct QualityReward weighs QualityTerms {
        /// Quality.
        quality: 1.0,
        /// Penalty for force near its limit.
        force: 1.0,
        /// Penalty for contact faster than half the limit of a success.
        contact_speed: 10.0,
        /// Penalty for changes of the action.
        smoothness: 0.005,
    }
}

impl Default for QualitySettings {
    fn default() -> Self {
        Self {
            area_x: [-0.10, 0.04],
            area_y: [-0.12, 0.0],
            start_tilt: 0.5,
            settling: 1.5,
            quality: 0.88,
            max_force: 40.0,
            reward: QualityReward::default(),
            limits: ForceLimits {
                peak_force: 12.0,
                ..ForceLimits::default()
            },
        }
    }
}

impl QualitySettings {
    fn check(&self) -> Result<(), EnvError> {
        check_interval("task.area_x", self.area_x, [-0.3, 0.3], "m")?;
        check_interval("task.area_y", self.area_y, [-0.3, 0.3], "m")?;
        check_ranges(
            "task.",
            [
                ("start_tilt", self.start_tilt, [0.0, 0.6], "rad"),
                ("settling", self.settling, [0.0, 60.0], "s"),
                ("quality", self.quality, [0.0, 2.0], ""),
                ("max_force", self.max_force, [1.0, 1e4], "N"),
            ],
        )?;
        self.limits.check()
    }
}

fn defaults() -> ProbeTaskSettings<QualitySettings> {
    let mut settings = ultrasound_tasks::defaults(
        5.0,
        HybridMotionSettings {
            axes: ["fan", "rock", "force"].map(str::to_owned).to_vec(),
            ..HybridMotionSettings::default()
        },
        UltrasoundSettings {
            readings: vec!["confidence".to_owned()],
            lines: 16,
            samples: 16,
            depth: 0.12,
            ..UltrasoundSettings::default()
        },
        QualitySettings::default(),
    );
    "thesis".clone_into(&mut settings.scene.lattice);
    settings.randomization.breathing = true;
    settings.randomization.force_noise = [0.0, 0.1];
    settings
}

fn build(given: &toml::Table) -> Result<EnvFactory, EnvError> {
    let settings: ProbeTaskSettings<QualitySettings> = settings::parse(&defaults(), given)?;
    settings.check()?;
    settings.task.check()?;
    let readings = &settings.observation.ultrasound.readings;
    if !readings.iter().any(|reading| reading == "confidence") {
        return Err(EnvError::Config {
            field: "observation.ultrasound.readings".to_owned(),
            problem: format!("is {readings:?}, but needs \"confidence\", which is rewarded"),
        });
    }
    let scenes = SceneSet::with_torso(&settings.scene, &settings.randomization)?;
    Ok(factory(KIND.name, settings, scenes, |settings, _| {
        let script = ultrasound_tasks::script(&settings.action);
        Ok(ImageQuality::new(
            settings.task.clone(),
            settings.time.limit,
            script,
        ))
    }))
}

named_values! {
    /// Metrics of an episode.
    struct QualityMetrics { success, quality, confidence, contact_share }
}

/// The task.
#[derive(Debug)]
struct ImageQuality {
    settings: QualitySettings,
    limit: f64,
    /// Settings of the action mode that the script uses.
    script: Option<HybridMotionSettings>,
    /// Position in the world frame of the compiled torso, seen from above [m].
    place: [f64; 2],
    contact: ContactMeter,
    /// Maximum force in the control step [N].
    step_peak: f64,
    /// Sum of the reference's mean confidences, and number of frames.
    reference: (f64, usize),
    quality: f64,
    /// Sums of confidence and of the fraction of lines in contact, and number of frames.
    sums: ([f64; 2], usize),
    action_change: ActionChange,
}

impl ImageQuality {
    fn new(settings: QualitySettings, limit: f64, script: Option<HybridMotionSettings>) -> Self {
        Self {
            settings,
            limit,
            script,
            place: [0.0; 2],
            contact: ContactMeter::along(ForceAxis::Probe),
            step_peak: 0.0,
            reference: (0.0, 0),
            quality: 0.0,
            sums: ([0.0; 2], 0),
            action_change: ActionChange::default(),
        }
    }

    /// Upright pose on the current skin, without breathing.
    fn upright(&self, state: &SceneState) -> Option<Pose> {
        let point = state.skin(self.place[0], self.place[1])?;
        Some(state.pose_on(&point, 0.0))
    }

    /// Confidence divided by that of the reference.
    fn quality_of(&self, confidence: f64) -> f64 {
        let (sum, n) = self.reference;
        confidence * n as f64 / sum.max(1e-6)
    }

    /// Draws a tilt about the probe's x and y axis [rad].
    fn draw_tilt(&self, rng: &mut ChaCha8Rng) -> [f64; 2] {
        let tilt = self.settings.start_tilt * rng.random_range(LEAST_TILT..=1.0);
        let (sin, cos) = rng.random_range(-LARGEST_FAN..=LARGEST_FAN).sin_cos();
        let side = if rng.random() { 1.0 } else { -1.0 };
        [tilt * sin, side * tilt * cos]
    }

    /// Mean confidence and fraction of lines in contact, from `task.settling` on.
    fn means(&self) -> [f64; 2] {
        let (sums, n) = self.sums;
        sums.map(|sum| sum / n.max(1) as f64)
    }
}

impl ProbeTask for ImageQuality {
    type Terms = QualityTerms;
    type Costs = ContactCosts;
    type Metrics = (QualityMetrics, ForceMetrics);

    fn observation_space(&self) -> BoxSpace {
        BoxSpace::default()
    }

    fn reset(
        &mut self,
        state: &mut SceneState,
        episode: &EpisodeParameters,
        rng: &mut ChaCha8Rng,
    ) -> Result<(), EnvError> {
        self.contact.reset(episode.force);
        (self.step_peak, self.quality) = (0.0, 0.0);
        (self.reference, self.sums) = ((0.0, 0), ([0.0; 2], 0));
        self.action_change.reset();
        let [x, y, _] = state.model.scene.torso_position;
        let (area_x, area_y) = (self.settings.area_x, self.settings.area_y);
        let missing = ["task.area_x", "and task.area_y are outside the skin"];
        let patient = state.patient.clone();
        let windows = patient
            .as_ref()
            .map(|own| own.liver_windows())
            .transpose()?;
        let windows = windows.flatten();
        ultrasound_tasks::place(state, episode, None, missing, |state| {
            let [left, head] = match windows {
                Some(windows) => windows[rng.random_range(0..windows.len())],
                None => [area_x, area_y].map(|[low, high]| rng.random_range(low..=high)),
            };
            self.place = [x + left, y + head];
            let [fan, rock] = self.draw_tilt(rng);
            let upright = self.upright(state)?;
            let tilt = UnitQuaternion::from_scaled_axis(Vector3::new(fan, rock, 0.0));
            Some(Goal {
                force: episode.force,
                ..Goal::at(Pose {
                    rotation: upright.rotation * tilt,
                    ..upright
                })
            })
        })
    }

    fn before_substep(&mut self, _state: &mut SceneState) {}

    fn after_substep(&mut self, state: &SceneState) {
        self.contact.update(state);
        self.step_peak = self.step_peak.max(state.axial_force());
    }

    fn imaging(&mut self) -> Option<&mut dyn ImagingTask> {
        Some(self)
    }

    fn observe(&self, _state: &SceneState, _observation: &mut [f32]) {}

    fn reward(&mut self, _state: &SceneState, action: &[f32]) -> QualityTerms {
        let (weight, limits) = (&self.settings.reward, &self.settings.limits);
        let share = self.step_peak / limits.peak_force.max(1e-3);
        self.step_peak = 0.0;
        QualityTerms {
            quality: weight.quality * self.quality,
            force: -weight.force * (share - FREE).max(0.0),
            contact_speed: -weight.contact_speed
                * self.contact.contact_speed_penalty(limits.contact_speed),
            smoothness: -weight.smoothness * self.action_change.update(action),
        }
    }

    fn costs(&mut self) -> ContactCosts {
        let limits = &self.settings.limits;
        self.contact.take_costs(limits)
    }

    fn end(&self, state: &SceneState) -> Option<EpisodeEnd> {
        (state.axial_force() > self.settings.max_force)
            .then(|| pressed_too_hard(self.settings.max_force))
    }

    /// The desired force is part of the action, so the force error is not judged.
    fn judge(&self, judge: Judge) -> Judge {
        let judge = self.contact.judge_limits(judge, &self.settings.limits);
        let quality = Rule::at_least(
            "quality",
            self.quality_of(self.means()[0]),
            self.settings.quality,
        );
        judge_rules(judge, &[quality])
    }

    /// Upright on the true skin, which policies do not observe, with additional force.
    fn scripted_action(
        &mut self,
        state: &SceneState,
        _measured: &WrenchMeasurement,
        action: &mut [f32],
    ) -> bool {
        let (Some(mode), Some(upright)) = (&self.script, self.upright(state)) else {
            return false;
        };
        let back = state.probe.world_from_probe.rotation.inverse();
        let turn = (back * upright.rotation).scaled_axis() * SCRIPT_RATE;
        mode.action_of([0.0, 0.0, turn.z, turn.x, turn.y, MORE_FORCE], action);
        true
    }

    fn metrics(&self) -> Self::Metrics {
        let [confidence, contact_share] = self.means();
        let quality = self.quality_of(confidence);
        let is_good = quality >= self.settings.quality
            && self.contact.time() >= self.limit - 1e-9
            && self.contact.is_within(&self.settings.limits);
        let own = QualityMetrics {
            success: f64::from(is_good),
            quality,
            confidence,
            contact_share,
        };
        (own, self.contact.force_metrics())
    }
}

impl ImagingTask for ImageQuality {
    fn reference_hold(&self, state: &SceneState) -> Option<Goal> {
        Some(Goal {
            force: state.goal.force + MORE_FORCE,
            ..Goal::at(self.upright(state)?)
        })
    }

    fn on_reference_frame(&mut self, frame: &FrameAssessment) {
        self.reference.0 += frame.confidence();
        self.reference.1 += 1;
    }

    fn on_frame(&mut self, state: &SceneState, frame: &FrameAssessment) {
        self.quality = self.quality_of(frame.confidence());
        if state.physics.time() >= self.settings.settling - 1e-9 {
            self.sums.0[0] += frame.confidence();
            self.sums.0[1] += frame.contact_share();
            self.sums.1 += 1;
        }
    }
}
