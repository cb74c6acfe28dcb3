//! `needle-biopsy`: push a core needle into a lesion of a liver that breathes, and fire it.
//!
//! A body of skin, fat and liver moves with the breath, gives way to the needle and drags it along; the needle bends. The gun throws the
//! needle ahead by `throw` within milliseconds, and a notch of the length `notch` behind its tip takes the sample.
//! The world's z axis points out of the body, y to the head and x to the patient's left; its origin is the middle of the skin at the end of
//! expiration.
//!
//! **Actions**
//!
//! | index | action | low | high | unit |
//! |---|---|---|---|---|
//! | 0 | speed along the needle | -1 | 1 | `max_speed` (0.05 m/s) |
//! | 1, 2 | speed of the hand across, x and y | -1 | 1 | `max_shift` (0.02 m/s) |
//! | 3, 4 | rate of the tilt towards x and y | -1 | 1 | `max_turn` (0.2 rad/s) |
//! | 5 | fire if above 0.5 | -1 | 1 | 1 |
//!
//! **Observations**
//!
//! | index | observation | unit |
//! |---|---|---|
//! | 0, 1, 2 | target, as true labels show it | m |
//! | 3, 4, 5 | tip of the bent needle | m |
//! | 6, 7 | tilt of the hand towards x and y | rad |
//! | 8, 9, 10 | target from the middle of the notch if it were fired now | cm |
//! | 11, 12, 13 | force on the hub | N |
//! | 14, 15, 16 | torque on the hub | N m |
//! | 17 | length in the tissue | m |
//! | 18 | share of the breath's motion: 0 at the end of expiration, 1 at that of inspiration | 1 |
//! | 19 | its rate | 1/s |
//!
//! **Rewards**
//!
//! | term | value |
//! |---|---|
//! | `approach` | `approach_weight` · decrease of the distance between target and notch [cm] |
//! | `lateral_force` | -`force_weight` · time · max(0, force across the hub - 1 N) |
//! | `sample` | `success_bonus` if the notch holds `least_sample` of the lesion, -`failure_cost` if it is fired and holds less |
//! | `failure` | -`failure_cost` if the needle or the force ends the episode |
//! | `time` | -`time_cost` per second |
//!
//! **Start**: the target in the liver; the needle above the skin, up to `start_spread` from the straight way, tilted by up to `start_tilt`;
//! any moment of the breath. Parameters `target_x`, `target_y`, `target_depth`, `entry_x`, `entry_y`, `tilt_x`, `tilt_y`, `breath_along`,
//! `breath_across`, `breath_front`, `breath_rate` and `breath_phase`.
//!
//! **End**: terminated when the gun is fired, when the force along the needle exceeds `max_force`, or if the needle cannot go on (bent,
//! buckled). Truncated after `max_time`.
//!
//! **Metrics**: `success`, the lesion is sampled; `sample_m`, the length of lesion in the notch; `lateral_error_m`, distance of the target
//! from the needle's line, and `tip_error_m` from the middle of the notch, at the end; `peak_force_n` along and `peak_lateral_force_n`
//! across the hub; `time_s`.
//!
//! **Script**: `script = "gated"` waits above the skin for the end of expiration, aims at where the target is then, inserts and fires within
//! one pause of the breath; `"static"` takes the target's place at the start, does not look again, and inserts at `static_speed`.

use std::sync::Arc;

use insonate_settings::check_ranges;
use insonate_sim::needle::InsertionError;
use nalgebra::Vector3;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::kind::TaskKind;
use crate::environment::{Environment, EpisodeEnd, Simulation, StepFailure};
use crate::factory::EnvFactory;
use crate::needle::{
    Breath, BreathSettings, NeedleModel, NeedlePose, NeedleSceneSettings, NeedleState,
};
use crate::parameters::{self, Parameter};
use crate::settings;
use crate::{BoxSpace, EnvError, EnvSpec, NamedValues as _, ResetOptions, named_values};

/// Registry entry.
pub const KIND: TaskKind = TaskKind {
    name: "needle-biopsy",
    summary: "push a biopsy needle into a lesion of a breathing liver, and fire it",
    defaults: &|| settings::table(&NeedleBiopsySettings::default()),
    build: &build,
    profiles: &[],
    scripted: &[],
    demonstrated: &[],
    is_studied: false,
    ppo: &[
        ("total_timesteps", "200_000"),
        ("n_envs", "8"),
        ("n_steps", "256"),
        ("discount", "0.99"),
        ("learning_rate", "1e-3"),
    ],
    sac: &[],
};

/// Time of a control step [s].
const INTERVAL: f64 = 0.05;
/// Centimetres in a metre.
const CM: f64 = 100.0;
/// Lateral force that costs nothing [N]: a limit for the tissue around the needle.
const FREE_FORCE: f64 = 1.0;
/// Action above which the gun is fired.
const FIRE: f32 = 0.5;
/// Most tilt of the hand [rad].
const MAX_TILT: f64 = 0.5;

/// The scripted policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Script {
    /// Inserts in a pause of the breath.
    #[default]
    Gated,
    /// Follows a plan from the start.
    Static,
}

/// Settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NeedleBiopsySettings {
    /// Needle and body.
    pub needle: NeedleSceneSettings,
    /// Breath of the patient.
    pub breath: BreathSettings,
    /// Scripted policy: `gated` or `static`.
    pub script: Script,
    /// Range of the target's depth below the skin [m].
    pub depth: [f64; 2],
    /// Most distance of the target from the middle, along x and y [m].
    pub target_spread: f64,
    /// Most distance of the start from the straight way to the target, along x and y [m].
    pub start_spread: f64,
    /// Most tilt at the start, towards x and y [rad].
    pub start_tilt: f64,
    /// Radius of the lesion [m].
    pub lesion_radius: f64,
    /// Throw of the gun [m].
    pub throw: f64,
    /// Length of the notch behind the tip [m].
    pub notch: f64,
    /// Length of lesion in the notch of a success [m].
    pub least_sample: f64,
    /// Speed of the hand along the needle [m/s].
    pub max_speed: f64,
    /// Speed of the script `static` along the needle [m/s].
    pub static_speed: f64,
    /// Speed of the hand across the needle [m/s].
    pub max_shift: f64,
    /// Rate of the hand's tilt [rad/s].
    pub max_turn: f64,
    /// Force along the needle that ends the episode [N].
    pub max_force: f64,
    /// Time after which an episode is truncated [s].
    pub max_time: f64,
    /// Weight of the approach [1/cm].
    pub approach_weight: f64,
    /// Weight of the lateral force [1/(N s)].
    pub force_weight: f64,
    /// Reward for a sample.
    pub success_bonus: f64,
    /// Penalty for a shot without a sample and for an early end.
    pub failure_cost: f64,
    /// Cost of time [1/s].
    pub time_cost: f64,
}

impl Default for NeedleBiopsySettings {
    fn default() -> Self {
        Self {
            needle: NeedleSceneSettings::default(),
            breath: BreathSettings::default(),
            script: Script::Gated,
            depth: [0.032, 0.045],
            target_spread: 8e-3,
            start_spread: 6e-3,
            start_tilt: 0.1,
            lesion_radius: 5e-3,
            throw: 0.022,
            notch: 0.018,
            least_sample: 5e-3,
            max_speed: 0.05,
            static_speed: 0.01,
            max_shift: 0.02,
            max_turn: 0.2,
            max_force: 10.0,
            max_time: 15.0,
            approach_weight: 1.0,
            force_weight: 0.5,
            success_bonus: 10.0,
            failure_cost: 5.0,
            time_cost: 0.05,
        }
    }
}

impl NeedleBiopsySettings {
    fn check(&self) -> Result<(), EnvError> {
        self.breath.check()?;
        let [near, far] = self.depth;
        if far < near {
            let problem = format!("is [{near}, {far}]; the first must be the lower one");
            let field = "depth".to_owned();
            return Err(EnvError::Config { field, problem });
        }
        let bottom = (self.needle.size[2] - 0.012).max(0.016);
        let side = 0.5 * self.needle.size[0].min(self.needle.size[1]) - 0.012;
        Ok(check_ranges(
            "",
            [
                ("depth", near, [0.015, bottom], "m"),
                ("depth", far, [0.015, bottom], "m"),
                ("target_spread", self.target_spread, [0.0, side], "m"),
                ("start_spread", self.start_spread, [0.0, 0.05], "m"),
                ("start_tilt", self.start_tilt, [0.0, 0.3], "rad"),
                ("lesion_radius", self.lesion_radius, [1e-3, 0.03], "m"),
                ("throw", self.throw, [0.0, 0.03], "m"),
                ("notch", self.notch, [1e-3, 0.03], "m"),
                ("least_sample", self.least_sample, [1e-4, self.notch], "m"),
                ("max_speed", self.max_speed, [1e-3, 0.2], "m/s"),
                ("static_speed", self.static_speed, [1e-3, 0.2], "m/s"),
                ("max_shift", self.max_shift, [1e-3, 0.2], "m/s"),
                ("max_turn", self.max_turn, [0.0, 2.0], "rad/s"),
                ("max_force", self.max_force, [0.1, 100.0], "N"),
                ("max_time", self.max_time, [0.1, 600.0], "s"),
                ("approach_weight", self.approach_weight, [0.0, 1e6], "1/cm"),
                ("force_weight", self.force_weight, [0.0, 1e6], "1/(N s)"),
                ("success_bonus", self.success_bonus, [0.0, 1e6], ""),
                ("failure_cost", self.failure_cost, [0.0, 1e6], ""),
                ("time_cost", self.time_cost, [0.0, 1e6], "1/s"),
            ],
        )?)
    }

    fn parameters(&self) -> [Parameter; 12] {
        let around = |name, spread: f64| Parameter::new(name, "m", -spread, spread);
        let within = |name, unit, [low, high]: [f64; 2]| Parameter::new(name, unit, low, high);
        let tilt = |name| Parameter::new(name, "rad", -self.start_tilt, self.start_tilt);
        let breath = &self.breath;
        [
            around("target_x", self.target_spread),
            around("target_y", self.target_spread),
            within("target_depth", "m", self.depth),
            around("entry_x", self.start_spread),
            around("entry_y", self.start_spread),
            tilt("tilt_x"),
            tilt("tilt_y"),
            within("breath_along", "m", breath.along).allowing(0.0, 0.03),
            within("breath_across", "m", breath.across).allowing(0.0, 0.03),
            within("breath_front", "m", breath.front).allowing(0.0, 0.03),
            within("breath_rate", "Hz", breath.rate).allowing(0.05, 1.0),
            Parameter::new("breath_phase", "1", 0.0, 1.0),
        ]
    }
}

fn build(given: &toml::Table) -> Result<EnvFactory, EnvError> {
    let settings: NeedleBiopsySettings = settings::parse(&NeedleBiopsySettings::default(), given)?;
    settings.check()?;
    let all = settings::table(&settings);
    let model = Arc::new(NeedleModel::new(&settings.needle, INTERVAL)?);
    Ok(EnvFactory::new(KIND.name, all, move || {
        Ok(Box::new(NeedleBiopsy::environment(&settings, &model)))
    }))
}

named_values! {
    struct Terms { approach, lateral_force, sample, failure, time }
}

named_values! {
    struct Metrics {
        success, sample_m, lateral_error_m, tip_error_m, peak_force_n, peak_lateral_force_n, time_s
    }
}

/// A biopsy.
pub struct NeedleBiopsy {
    settings: NeedleBiopsySettings,
    state: NeedleState,
    action: [f32; 6],
    /// Distance between target and notch before the step [m].
    distance: f64,
    /// Length of lesion in the notch, once it was fired [m].
    sample: Option<f64>,
    /// Reason why the needle cannot go on.
    stopped: Option<String>,
    peaks: [f64; 2],
    /// Target and whether the needle goes in, for the script.
    plan: Option<Vector3<f64>>,
    is_inserting: bool,
}

impl NeedleBiopsy {
    fn environment(settings: &NeedleBiopsySettings, model: &Arc<NeedleModel>) -> Environment<Self> {
        let free = f32::INFINITY;
        let mut observations = BoxSpace::default();
        let mut along = |what: &str, unit: &str, axes: &[&str]| {
            for axis in axes {
                observations.push(format!("{what}_{axis} [{unit}]"), -free, free);
            }
        };
        along("target", "m", &["x", "y", "z"]);
        along("tip", "m", &["x", "y", "z"]);
        along("tilt", "rad", &["x", "y"]);
        along("from_notch", "cm", &["x", "y", "z"]);
        along("force", "N", &["x", "y", "z"]);
        along("torque", "N m", &["x", "y", "z"]);
        let mut observations = observations.in_frame("world");
        observations.push("inserted_length [m]".to_owned(), 0.0, free);
        observations.push("breath [1]".to_owned(), 0.0, 1.001);
        observations.push("breath_rate [1/s]".to_owned(), -free, free);
        let actions = BoxSpace::default()
            .with(format!("advance [{} m/s]", settings.max_speed), -1.0, 1.0)
            .with(format!("shift_x [{} m/s]", settings.max_shift), -1.0, 1.0)
            .with(format!("shift_y [{} m/s]", settings.max_shift), -1.0, 1.0)
            .with(format!("tilt_x [{} rad/s]", settings.max_turn), -1.0, 1.0)
            .with(format!("tilt_y [{} rad/s]", settings.max_turn), -1.0, 1.0)
            .in_frame("world")
            .with("fire [1]", -1.0, 1.0);
        let spec = EnvSpec {
            id: KIND.name.to_owned(),
            observation_space: observations,
            action_space: actions,
            reward_terms: Terms::names(),
            costs: Vec::new(),
            observation_groups: Vec::new(),
            metrics: Metrics::names(),
            parameters: parameters::names(&settings.parameters()),
            max_episode_steps: Some((settings.max_time / INTERVAL).round().max(1.0) as usize),
            control_timestep: INTERVAL,
            n_substeps: 0,
        };
        let biopsy = Self {
            settings: settings.clone(),
            state: NeedleState::new(model),
            action: [0.0; 6],
            distance: 0.0,
            sample: None,
            stopped: None,
            peaks: [0.0; 2],
            plan: None,
            is_inserting: false,
        };
        Environment::of(spec, biopsy)
    }

    /// Middle of the notch if the gun were fired now, in world [m].
    fn notch(&self) -> Vector3<f64> {
        let ahead = self.settings.throw - 0.5 * self.settings.notch;
        self.state.tip() + self.state.report().tip_direction * ahead
    }

    /// Length of the notch in the lesion [m]: the part of the chord through the ball that the notch covers.
    fn sampled(&self) -> f64 {
        let to_target = self.state.target() - self.notch();
        let along = to_target.dot(&self.state.report().tip_direction);
        let aside = (to_target.norm_squared() - along * along).max(0.0);
        let half = (self.settings.lesion_radius.powi(2) - aside)
            .max(0.0)
            .sqrt();
        let end = 0.5 * self.settings.notch;
        ((along + half).min(end) - (along - half).max(-end)).max(0.0)
    }

    fn is_sampled(&self) -> bool {
        self.sample
            .is_some_and(|length| length >= self.settings.least_sample)
    }

    fn is_too_strong(&self) -> bool {
        self.peaks[0] > self.settings.max_force
    }

    /// The pose that the action leads to.
    fn next_pose(&self) -> NeedlePose {
        let settings = &self.settings;
        let by = |index: usize, rate: f64| f64::from(self.action[index]) * rate * INTERVAL;
        let pose = self.state.pose;
        let turned = [0, 1].map(|axis| {
            (pose.tilt[axis] + by(3 + axis, settings.max_turn)).clamp(-MAX_TILT, MAX_TILT)
        });
        let next = NeedlePose {
            tilt: turned,
            ..pose
        };
        let shift = Vector3::new(by(1, settings.max_shift), by(2, settings.max_shift), 0.0);
        NeedlePose {
            tip: pose.tip + next.direction() * by(0, settings.max_speed) + shift,
            ..next
        }
    }

    /// Where the script aims: the target's place now, or where the breath has it at the end of expiration.
    fn aim(&mut self) -> Vector3<f64> {
        match self.settings.script {
            Script::Static => {
                let target = self.state.target();
                *self.plan.get_or_insert(target)
            }
            Script::Gated => {
                let moved = self.state.breath().displacement(self.state.time());
                self.state.target() - moved
            }
        }
    }

    /// Time that an insertion over a distance takes [s].
    fn duration(&self, distance: f64) -> f64 {
        distance / self.settings.max_speed + 3.0 * INTERVAL
    }
}

/// Share of the breath's motion up to which the gated script inserts and fires.
const STILL: f64 = 0.08;
/// Distance from the way within which the script inserts [m].
const ALIGNED: f64 = 2e-4;
/// Distance from the depth of the plan within which the script fires [m].
const DEEP: f64 = 5e-4;

impl Simulation for NeedleBiopsy {
    fn draw(&mut self, options: &ResetOptions, rng: &mut ChaCha8Rng) -> Result<Vec<f64>, EnvError> {
        parameters::draw(&self.settings.parameters(), options, rng)
    }

    fn reset(&mut self, parameters: &[f64], _rng: ChaCha8Rng) -> Result<(), EnvError> {
        let &[
            x,
            y,
            depth,
            entry_x,
            entry_y,
            tilt_x,
            tilt_y,
            along,
            across,
            front,
            rate,
            phase,
        ] = parameters
        else {
            return Err(EnvError::Failed(
                "needle-biopsy has 12 parameters".to_owned(),
            ));
        };
        let breath = Breath {
            // The liver moves to the feet and to the front while the patient breathes in.
            amplitude: Vector3::new(across, -along, front),
            rate,
            phase,
        };
        let target = Vector3::new(x, y, -depth);
        let [sx, sy] = [tilt_x, tilt_y].map(|tilt| depth * tilt.tan());
        let entry = [x - sx + entry_x, y - sy + entry_y];
        self.state.reset(breath, target, entry, [tilt_x, tilt_y])?;
        self.distance = (self.state.target() - self.notch()).norm();
        (self.sample, self.stopped, self.plan) = (None, None, None);
        (self.peaks, self.is_inserting, self.action) = ([0.0; 2], false, [0.0; 6]);
        Ok(())
    }

    fn set_action(&mut self, action: &[f32]) {
        self.action.copy_from_slice(action);
    }

    fn advance(&mut self) -> Result<(), StepFailure> {
        let pose = self.next_pose();
        match self.state.advance(pose, INTERVAL) {
            Ok(()) => {}
            Err(InsertionError::Needle(error)) => self.stopped = Some(error.to_string()),
            Err(InsertionError::Tissue(error)) => return Err(error.into()),
            Err(error) => return Err(EnvError::Failed(error.to_string()).into()),
        }
        for (peak, force) in self.peaks.iter_mut().zip(self.state.forces()) {
            *peak = peak.max(force);
        }
        if self.action[5] > FIRE && self.stopped.is_none() {
            self.sample = Some(self.sampled());
        }
        Ok(())
    }

    fn reward(&mut self, terms: &mut [f64]) {
        let settings = &self.settings;
        let before = self.distance;
        let distance = (self.state.target() - self.notch()).norm();
        let sample = match self.sample {
            Some(_) if self.is_sampled() => settings.success_bonus,
            Some(_) => -settings.failure_cost,
            None => 0.0,
        };
        let is_failure = self.stopped.is_some() || self.is_too_strong();
        let excess = (self.state.forces()[1] - FREE_FORCE).max(0.0);
        let values = Terms {
            approach: settings.approach_weight * (before - distance) * CM,
            lateral_force: -settings.force_weight * excess * INTERVAL,
            sample,
            failure: if is_failure {
                -settings.failure_cost
            } else {
                0.0
            },
            time: -settings.time_cost * INTERVAL,
        };
        self.distance = distance;
        values.write(terms);
    }

    fn end(&self) -> Option<EpisodeEnd> {
        if let Some(reason) = &self.stopped {
            return Some(EpisodeEnd::Terminated(reason.clone().into()));
        }
        if self.is_too_strong() {
            return Some(EpisodeEnd::Terminated("pushed too hard".into()));
        }
        self.sample?;
        Some(if self.is_sampled() {
            EpisodeEnd::Reached("lesion sampled")
        } else {
            EpisodeEnd::Terminated("the sample missed the lesion".into())
        })
    }

    fn observe(&self, observation: &mut [f32]) {
        let state = &self.state;
        let [force, torque] = state.wrench;
        let from_notch = (state.target() - self.notch()) * CM;
        let breath = state.breath();
        let share = |time: f64| breath.share(time);
        let rate = (share(state.time() + 1e-3) - share(state.time() - 1e-3)) / 2e-3;
        let values = [
            state.target().as_slice(),
            state.tip().as_slice(),
            &state.pose.tilt,
            from_notch.as_slice(),
            force.as_slice(),
            torque.as_slice(),
            &[state.report().inserted_length, share(state.time()), rate],
        ]
        .concat();
        for (to, from) in observation.iter_mut().zip(values) {
            *to = from as f32;
        }
    }

    fn metrics(&self, metrics: &mut [f64]) {
        let to_target = self.state.target() - self.notch();
        let along = to_target.dot(&self.state.report().tip_direction);
        let lateral = (to_target.norm_squared() - along * along).max(0.0).sqrt();
        let values = Metrics {
            success: f64::from(self.is_sampled() && self.stopped.is_none()),
            sample_m: self.sample.unwrap_or(0.0),
            lateral_error_m: lateral,
            tip_error_m: to_target.norm(),
            peak_force_n: self.peaks[0],
            peak_lateral_force_n: self.peaks[1],
            time_s: self.state.time(),
        };
        values.write(metrics);
    }

    /// Moves the hand across until the straight way leads to the aim, then inserts and fires.
    fn scripted_action(&mut self, action: &mut [f32]) -> bool {
        action.fill(0.0);
        let aim = self.aim();
        let pose = self.state.pose;
        let forward = pose.direction();
        let ahead = self.settings.throw - 0.5 * self.settings.notch;
        let to_aim = aim - pose.tip;
        let left = to_aim.dot(&forward) - ahead;
        let is_gated = self.settings.script == Script::Gated;
        if !self.is_inserting {
            // Where the way passes the height of the aim.
            let miss = to_aim - forward * (to_aim.z / forward.z);
            let unit = self.settings.max_shift * INTERVAL;
            for axis in 0..2 {
                action[1 + axis] = (miss[axis] / unit).clamp(-1.0, 1.0) as f32;
            }
            let (breath, time) = (self.state.breath(), self.state.time() + INTERVAL);
            let is_pause = breath.time_below(time, STILL) >= self.duration(left);
            self.is_inserting = miss.xy().norm() < ALIGNED && (is_pause || !is_gated);
            return true;
        }
        let unit = self.settings.max_speed * INTERVAL;
        let most = if is_gated {
            1.0
        } else {
            (self.settings.static_speed / self.settings.max_speed).min(1.0)
        };
        action[0] = (left / unit).clamp(-most, most) as f32;
        if left < DEEP {
            action[5] = 1.0;
        }
        true
    }

    fn tool_force(&self) -> Option<f64> {
        Some(self.state.forces()[0])
    }
}
