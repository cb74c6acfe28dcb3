//! `probe-reach`: from a free start, bring the probe into gentle contact with a place on the soft torso, and keep it there.
//!
//! The thesis called it contact establishment.
//!
//! # Action
//!
//! By `action.mode`; see [`crate::actions`]. Every entry is a share of full scale, -1 to 1.
//!
//! # Observation
//!
//! The stage's entries ([`crate::observation`]); the task adds none.
//!
//! # Reward
//!
//! Per control step, $d$: distance from the place in m, $\theta$: tilt in rad, $F$: force along the probe's axis in N; weights in
//! `task.reward`.
//!
//! | term | formula |
//! |---|---|
//! | `distance` | $1 - \tanh(10 d)$ |
//! | `orientation` | $-\tanh(5 \theta)$, as the thesis |
//! | `contact` | 1 while the force lies in `task.force` |
//! | `force` | $-\max(0, F - F_{most}) / 10$ |
//! | `smoothness` | $-\lVert a_t - a_{t-1} \rVert^2$ |
//! | `success` | 1, once, at the end |
//!
//! # Start
//!
//! The place is random within `task.area`. The probe stands `start.height` above it and `start.x`, `start.y` beside it, tilted by
//! up to `task.max_tilt` about a random axis; the force sensor is zeroed there.
//!
//! # End
//!
//! Terminated: success, when the probe has been within `task.tolerance` of the place, tilted by less than `task.tilt`, with a
//! force in `task.force`, for `task.hold` seconds; more than `task.max_position_error` away; more than `task.max_force`; the
//! simulation diverged. Truncated: at `time.limit`.

use std::sync::Arc;

use nalgebra::{Unit, UnitQuaternion, Vector3};
use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::{Blueprint, TaskKind};
use crate::actions::{ActionSettings, OscPoseSettings};
use crate::environment::{Environment, EnvironmentSettings, TimeSettings};
use crate::randomization::{Episode, RandomizationSettings};
use crate::settings::{self, check_interval, check_range};
use crate::stage::{Bank, Goal, Stage};
use crate::task::{End, Task};
use crate::{BoxSpace, EnvError};

/// The registry's entry.
pub const KIND: TaskKind = TaskKind {
    name: "probe-reach",
    summary: "bring the probe from a free start into gentle contact with a place on the torso",
    defaults: || settings::table(&defaults()),
    build,
    scripted: &[("action.mode", "hybrid_force")],
};

/// Settings of the task itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReachSettings {
    /// Half sizes of the area of places across and along the patient [m], scaled with the torso.
    pub area: [f64; 2],
    /// Largest tilt at the start [rad].
    pub max_tilt: f64,
    /// Force that counts as gentle contact [N].
    pub force: [f64; 2],
    /// How near the place the probe must be, across its axis [m].
    pub tolerance: f64,
    /// How upright it must be [rad].
    pub tilt: f64,
    /// How long all that must hold [s].
    pub hold: f64,
    /// Distance from the place at which the episode ends [m].
    pub max_position_error: f64,
    /// Force at which the episode ends [N]; the thesis: 60.
    pub max_force: f64,
    /// Weights of the reward.
    pub reward: ReachReward,
}

/// Weights of the reward's terms.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReachReward {
    /// Nearness to the place.
    pub distance: f64,
    /// Tilt.
    pub orientation: f64,
    /// Gentle contact.
    pub contact: f64,
    /// Too much force.
    pub force: f64,
    /// Penalty of changing actions.
    pub smoothness: f64,
    /// Success.
    pub success: f64,
}

impl Default for ReachSettings {
    fn default() -> Self {
        Self {
            area: [0.06, 0.09],
            max_tilt: 0.2,
            force: [0.5, 6.0],
            tolerance: 0.01,
            tilt: 0.1,
            hold: 0.2,
            max_position_error: 0.3,
            max_force: 40.0,
            reward: ReachReward {
                distance: 0.3,
                orientation: 0.2,
                contact: 0.5,
                force: 1.0,
                smoothness: 0.01,
                success: 150.0,
            },
        }
    }
}

impl ReachSettings {
    fn check(&self) -> Result<(), EnvError> {
        for half in self.area {
            check_range("task.area", half, 0.0, 0.5)?;
        }
        check_range("task.max_tilt", self.max_tilt, 0.0, 1.0)?;
        check_interval("task.force", self.force, 0.0, 40.0)?;
        check_range("task.tolerance", self.tolerance, 1e-4, 0.5)?;
        check_range("task.tilt", self.tilt, 1e-3, 3.2)?;
        check_range("task.hold", self.hold, 0.0, 60.0)?;
        check_range(
            "task.max_position_error",
            self.max_position_error,
            0.01,
            2.0,
        )?;
        check_range("task.max_force", self.max_force, 1.0, 1e4)
    }
}

fn defaults() -> EnvironmentSettings<ReachSettings> {
    EnvironmentSettings {
        time: TimeSettings {
            control_timestep: 0.02,
            limit: 4.0,
        },
        action: ActionSettings {
            osc_pose: OscPoseSettings {
                position_scale: 0.02,
                orientation_scale: 0.1,
                ..OscPoseSettings::default()
            },
            ..ActionSettings::of_mode("osc_pose")
        },
        randomization: RandomizationSettings {
            stiffness: [900.0, 2000.0],
            damping: [15.0, 45.0],
            friction: [0.0, 0.1],
            force_noise: [0.0, 0.1],
            start_height: [0.02, 0.06],
            start_offset: [-0.03, 0.03],
            force: [3.0, 3.0],
            ..RandomizationSettings::default()
        },
        ..EnvironmentSettings::default()
    }
}

fn build(given: &toml::Table) -> Result<Blueprint, EnvError> {
    let settings: EnvironmentSettings<ReachSettings> = settings::parse(&defaults(), given)?;
    settings.check()?;
    settings.task.check()?;
    let bank = Bank::with_torso(&settings.scene, &settings.randomization)?;
    let bank = Arc::new(bank);
    let table = settings::table(&settings);
    Ok(Blueprint::new(KIND.name, table, move || {
        let task = Reach::new(settings.task.clone());
        let env = Environment::new(KIND.name, &settings, bank.clone(), task)?;
        Ok(env.boxed())
    }))
}

/// The task.
#[derive(Debug)]
struct Reach {
    settings: ReachSettings,
    /// The place, in the world as compiled [m].
    place: [f64; 2],
    force: f64,
    /// Since when everything holds [s].
    held: f64,
    time_to_contact: f64,
    peak_force: f64,
    last_action: Vec<f32>,
}

impl Reach {
    fn new(settings: ReachSettings) -> Self {
        Self {
            settings,
            place: [0.0; 2],
            force: 0.0,
            held: 0.0,
            time_to_contact: f64::NAN,
            peak_force: 0.0,
            last_action: Vec::new(),
        }
    }

    fn offset(stage: &Stage) -> Vector3<f64> {
        stage.felt.world_from_probe.position - stage.goal.world_from_probe.position
    }

    fn tilt(stage: &Stage) -> f64 {
        let axis = stage.goal.world_from_probe.z_axis();
        stage.felt.world_from_probe.z_axis().angle(&axis)
    }

    fn across(stage: &Stage) -> f64 {
        let axis = stage.goal.world_from_probe.z_axis();
        let offset = Self::offset(stage);
        (offset - axis * offset.dot(&axis)).norm()
    }

    fn is_gentle(&self, stage: &Stage) -> bool {
        let [least, most] = self.settings.force;
        stage.felt.in_contact && (least..=most).contains(&stage.felt.normal_force)
    }

    fn is_reached(&self) -> bool {
        self.held >= self.settings.hold
    }
}

impl Task for Reach {
    fn reward_terms(&self) -> Vec<&'static str> {
        vec![
            "distance",
            "orientation",
            "contact",
            "force",
            "smoothness",
            "success",
        ]
    }

    fn metrics(&self) -> Vec<&'static str> {
        vec!["success", "time_to_contact_s", "peak_force_n"]
    }

    fn observation_space(&self) -> BoxSpace {
        BoxSpace::default()
    }

    fn begin(
        &mut self,
        stage: &mut Stage,
        episode: &Episode,
        rng: &mut ChaCha8Rng,
    ) -> Result<(), EnvError> {
        let [x, y, _] = stage.setup.scene.torso_position;
        let [a, b] = self.settings.area.map(|half| half * episode.size);
        let (s, t) = (rng.random_range(-1.0..=1.0), rng.random_range(-1.0..=1.0));
        self.place = [x + a * s, y + b * t];
        self.force = episode.force;
        (self.held, self.time_to_contact, self.peak_force) = (0.0, f64::NAN, 0.0);
        self.last_action.clear();
        self.advance(stage);
        let mut start = stage.start(episode);
        let around = rng.random_range(0.0..std::f64::consts::TAU);
        let axis = Unit::new_normalize(Vector3::new(around.cos(), around.sin(), 0.0));
        let tilt = self.settings.max_tilt * rng.random::<f64>();
        start.rotation *= UnitQuaternion::from_axis_angle(&axis, tilt);
        stage.place(&start)
    }

    fn advance(&mut self, stage: &mut Stage) {
        if let Some(point) = stage.skin(self.place[0], self.place[1]) {
            let mut goal = Goal::at(stage.pose_on(&point, 0.0));
            goal.twist = stage.frame.twist;
            goal.force = self.force;
            stage.goal = goal;
        }
    }

    fn note(&mut self, stage: &Stage) {
        if stage.felt.in_contact && self.time_to_contact.is_nan() {
            self.time_to_contact = stage.physics.time();
        }
        self.peak_force = self.peak_force.max(stage.felt.normal_force);
        let holds = self.is_gentle(stage)
            && Self::across(stage) <= self.settings.tolerance
            && Self::tilt(stage) <= self.settings.tilt;
        self.held = if holds {
            self.held + stage.physics.timestep()
        } else {
            0.0
        };
    }

    fn observe(&self, _stage: &Stage, _observation: &mut [f32]) {}

    fn reward(&mut self, stage: &Stage, action: &[f32], terms: &mut [f64]) {
        let weight = &self.settings.reward;
        let change = self.last_action.iter().zip(action);
        let jerk: f64 = change.map(|(old, new)| f64::from(new - old).powi(2)).sum();
        let excess = (stage.felt.normal_force - self.settings.force[1]).max(0.0);
        terms.copy_from_slice(&[
            weight.distance * (1.0 - (10.0 * Self::offset(stage).norm()).tanh()),
            -weight.orientation * (5.0 * Self::tilt(stage)).tanh(),
            weight.contact * f64::from(u8::from(self.is_gentle(stage))),
            -weight.force * excess / 10.0,
            -weight.smoothness * jerk,
            weight.success * f64::from(u8::from(self.is_reached())),
        ]);
        self.last_action.clear();
        self.last_action.extend_from_slice(action);
    }

    fn end(&self, stage: &Stage) -> Option<End> {
        if self.is_reached() {
            return Some(End::Terminated("in contact"));
        }
        if Self::offset(stage).norm() > self.settings.max_position_error {
            return Some(End::Terminated("far from the place"));
        }
        (stage.felt.normal_force > self.settings.max_force)
            .then_some(End::Terminated("pressed too hard"))
    }

    fn write_metrics(&self, metrics: &mut [f64]) {
        metrics.copy_from_slice(&[
            f64::from(u8::from(self.is_reached())),
            self.time_to_contact,
            self.peak_force,
        ]);
    }
}
