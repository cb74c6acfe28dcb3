//! `cube-push`: push a cube over the table to a goal with the probe.
//!
//! The thesis' proof of concept (its `FetchPush`), which never pushed reliably: its observation contained the vector from probe to cube
//! twice and lacked the vector from cube to goal. Here each occurs once.
//!
//! # Action
//!
//! By default `osc_pose` along x, y, z ([`crate::actions`]): ±1 is 5 cm per control step. The probe stays upright.
//!
//! # Observation
//!
//! The scene's entries if enabled ([`crate::probe::observation`]; none by default) and, in world axes:
//!
//! | entry | unit | meaning |
//! |---|---|---|
//! | `probe_x`, `_y`, `_z` | m | position of the probe's face, from the centre of the table's top |
//! | `probe_velocity_x`, `_y`, `_z` | m/s | its velocity |
//! | `probe_to_cube_x`, `_y`, `_z` | m | vector from the face to the cube's centre |
//! | `cube_to_goal_x`, `_y` | m | vector from the cube's centre to the goal |
//! | `cube_velocity_x`, `_y` | m/s | the cube's velocity |
//! | `cube_yaw_cos`, `_sin` | 1 | cosine and sine of four times the cube's yaw, because of its quarter-turn symmetry |
//!
//! # Reward
//!
//! Per control step; weights in `task.reward`.
//!
//! `shaping = "progress"` rewards progress, by potential-based shaping (Ng, Harada, Russell 1999): a path there and back
//! earns nothing. $d$: distance from the probe to the pushing point, which is behind the cube as seen from the goal;
//! $d_{cg}$: distance from cube to goal.
//!
//! | term | formula | when |
//! |---|---|---|
//! | `reach` | $d_{t-1} - d_t$, per metre | always |
//! | `push` | $d_{cg,t-1} - d_{cg,t}$, per metre | always |
//! | `success` | 1 | at the goal |
//! | `smoothness` | $-\lVert a_t - a_{t-1} \rVert^2$ | always |
//!
//! `shaping = "thesis"` rewards nearness, and $d$ is the distance from probe to cube. The thesis' weights are 1 for
//! `reach`, 0.5 for `touch`, 1.5 for `push` and 2.25 for `success`.
//!
//! | term | formula | when |
//! |---|---|---|
//! | `reach` | $1 - \tanh(10 d)$ | not yet at the goal |
//! | `touch` | 1 | the probe touches the cube, not yet at the goal |
//! | `push` | $1 - \tanh(10 d_{cg})$ | not yet at the goal |
//! | `success`, `smoothness` | as above | |
//!
//! # Start
//!
//! Cube and goal are at random positions within `task.area`, at least `task.least_distance` apart. The cube's yaw is random.
//! The probe starts at a random position within the area, `start.height` above the table, never above the cube.
//!
//! # End
//!
//! Terminated: the cube has left the table or the arm's reach; the simulation diverged. Truncated: at `time.limit`.
//!
//! Success, as in the thesis: the cube ends within `task.success_distance` of the goal.

use std::sync::Arc;

use insonate_models::mjcf::{Body, Element, Geom, Namespace};
use insonate_models::torsos;
use insonate_settings::check_range;
use insonate_sim::placement::Skin;
use insonate_sim::readings::FreeBody;
use insonate_sim::verdict::{Judge, VerdictLimits};
use nalgebra::Vector3;
use rand::Rng as _;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::kind::TaskKind;
use crate::actions::{ActionSettings, OscPoseSettings};
use crate::environment::EpisodeEnd;
use crate::factory::EnvFactory;
use crate::probe::{
    ActionChange, ObservationSettings, ProbeTask, ProbeTaskSettings, Rule, SceneModel, SceneSet,
    SceneSettings, SceneState, TimeSettings, WrenchMeasurement, build_scene, factory, judge_rules,
};
use crate::randomization::{ActiveParameters, EpisodeParameters, RandomizationSettings};
use crate::settings;
use crate::{BoxSpace, EnvError, named_values, reward_terms};

/// Registry entry.
pub const KIND: TaskKind = TaskKind {
    name: "cube-push",
    summary: "push a cube over the table to a goal (the thesis' proof of concept)",
    defaults: &|| settings::table(&defaults()),
    build: &build,
    profiles: &[],
    scripted: &[],
    demonstrated: &[],
    is_studied: false,
    ppo: &[
        ("total_timesteps", "1_500_000"),
        ("learning_rate", "1e-3"),
        ("discount", "0.98"),
        ("log_std_init", "-0.5"),
    ],
    sac: &[],
};

/// Name of the cube's body and geom.
const CUBE: &str = "cube";
/// Name of the mocap body that marks the goal.
const GOAL: &str = "goal";
/// Half size of the cube [m]. The thesis: 0.020 to 0.022.
const HALF: f64 = 0.021;
/// Distance from the cube's centre to the pushing point of the probe [m].
const BEHIND: f64 = 0.06;
/// Height of the probe's face above the table while it pushes [m].
const PUSH_HEIGHT: f64 = 0.015;

/// Settings of the task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PushSettings {
    /// Half sizes of the area of cubes and goals along x and y [m].
    pub area: [f64; 2],
    /// Minimum distance between goal and cube at the start [m].
    pub least_distance: f64,
    /// Distance between cube and goal for a success [m]. The thesis: 0.06.
    pub success_distance: f64,
    /// Friction of the cube. The thesis: 0.5.
    pub friction: f64,
    /// `progress` or `thesis`.
    pub shaping: String,
    /// Weights of the reward.
    pub reward: PushReward,
}

reward_terms! {
    pub struct PushReward weighs PushTerms {
        /// Nearness to the pushing point.
        reach: 10.0,
        /// Contact with the cube.
        touch: 0.0,
        /// Nearness of the cube to the goal.
        push: 40.0,
        /// The cube at the goal.
        success: 0.5,
        /// Penalty for changes of the action.
        smoothness: 0.02,
    }
}

impl Default for PushSettings {
    fn default() -> Self {
        Self {
            area: [0.13, 0.18],
            least_distance: 0.1,
            success_distance: 0.06,
            friction: 0.5,
            shaping: "progress".to_owned(),
            reward: PushReward::default(),
        }
    }
}

impl PushSettings {
    fn check(&self) -> Result<(), EnvError> {
        for half in self.area {
            check_range("task.area", half, [0.02, 0.3], "m")?;
        }
        check_range("task.least_distance", self.least_distance, [0.0, 0.3], "m")?;
        check_range(
            "task.success_distance",
            self.success_distance,
            [0.001, 0.3],
            "m",
        )?;
        check_range("task.friction", self.friction, [0.0, 2.0], "")?;
        let known = ["progress", "thesis"];
        if known.contains(&self.shaping.as_str()) {
            return Ok(());
        }
        Err(EnvError::unknown("shaping", &self.shaping, &known))
    }
}

fn defaults() -> ProbeTaskSettings<PushSettings> {
    ProbeTaskSettings {
        time: TimeSettings {
            control_timestep: 0.04,
            limit: 8.0,
        },
        scene: SceneSettings {
            robot: "ur5e".to_owned(),
            torso: torsos::NONE.to_owned(),
            ..SceneSettings::default()
        },
        action: ActionSettings {
            osc_pose: OscPoseSettings {
                axes: ["x", "y", "z"].map(str::to_owned).to_vec(),
                ..OscPoseSettings::default()
            },
            ..ActionSettings::of_mode("osc_pose")
        },
        observation: ObservationSettings {
            joints: false,
            goal: false,
            wrench: false,
            previous_action: false,
            ..ObservationSettings::default()
        },
        randomization: RandomizationSettings {
            start_height: [0.06, 0.12],
            ..RandomizationSettings::default()
        },
        verdict: VerdictLimits::default(),
        task: PushSettings::default(),
    }
}

fn build(given: &toml::Table) -> Result<EnvFactory, EnvError> {
    let settings: ProbeTaskSettings<PushSettings> = settings::parse(&defaults(), given)?;
    settings.check()?;
    settings.task.check()?;
    if settings.scene.torso_kind()?.is_some() {
        return Err(EnvError::Config {
            field: "scene.torso".to_owned(),
            problem: format!("is {:?}, but this task has none", settings.scene.torso),
        });
    }
    let scenes = SceneSet::of(
        settings.randomization.clone(),
        ActiveParameters::of(&["start.height", "action."]),
        model(&settings)?,
    );
    Ok(factory(KIND.name, settings, scenes, |settings, model| {
        Push::new(settings.task.clone(), model)
    }))
}

/// The room with a cube on the table and a goal mark.
fn model(settings: &ProbeTaskSettings<PushSettings>) -> Result<Arc<SceneModel>, EnvError> {
    let scene = build_scene(&settings.scene, None)?;
    let top = insonate_models::arena::TABLE_HEIGHT;
    let mut document = scene.to_mjcf()?;
    let cube = Geom::cuboid([HALF; 3])
        .name(CUBE)
        .mass(0.1)
        .rgba([0.85, 0.25, 0.2, 1.0])
        .set("friction", [settings.task.friction, 0.005, 0.0001])
        .set("condim", 4);
    let cube = Body::new(CUBE)
        .pos([0.0, 0.0, top + HALF])
        .with(Element::new("freejoint").with_attribute("name", CUBE))
        .with(cube);
    let mark = Geom::cylinder([settings.task.success_distance, 0.0005])
        .rgba([0.2, 0.65, 0.3, 0.6])
        .set("contype", 0)
        .set("conaffinity", 0);
    let mark = Body::new(GOAL).pos([0.0, 0.0, top]).mocap(true).with(mark);
    document.worldbody().add(cube);
    document.worldbody().add(mark);
    let rest = [0.0, 0.0, top + HALF, 1.0, 0.0, 0.0, 0.0];
    if let Some(home) = document.find_mut(Namespace::Key, "home") {
        let mut qpos = home.reals("qpos").unwrap_or_default().to_vec();
        qpos.extend(rest);
        home.set("qpos", qpos);
    }
    SceneModel::of(scene, &document, Skin::Plane(top))
}

named_values! {
    /// Metrics of an episode.
    struct PushMetrics { success, cube_to_goal_m }
}

/// The task.
#[derive(Debug)]
struct Push {
    settings: PushSettings,
    cube: FreeBody,
    goal: [f64; 2],
    action_change: ActionChange,
    /// Distance from the cube to the goal [m].
    distance: f64,
    /// Distance from the probe to the pushing point [m].
    way: f64,
    touched: bool,
}

/// Observed quantities of one control step.
struct StepState {
    probe: Vector3<f64>,
    probe_velocity: Vector3<f64>,
    cube: Vector3<f64>,
    cube_velocity: Vector3<f64>,
    /// Horizontal vector from cube to goal.
    way: Vector3<f64>,
}

impl Push {
    fn new(settings: PushSettings, model: &SceneModel) -> Result<Self, EnvError> {
        Ok(Self {
            cube: FreeBody::new(model.compiled.physics_model(), CUBE)?,
            goal: [0.0; 2],
            action_change: ActionChange::default(),
            distance: f64::NAN,
            way: f64::NAN,
            touched: false,
            settings,
        })
    }

    fn view(&self, state: &SceneState) -> StepState {
        let cube = self.cube.pose(&state.physics).position;
        let goal = Vector3::new(self.goal[0], self.goal[1], cube.z);
        StepState {
            probe: state.probe.world_from_probe.position,
            probe_velocity: state.probe.twist.linear,
            cube,
            cube_velocity: self.cube.twist(&state.physics).linear,
            way: goal - cube,
        }
    }

    /// Position of the probe for pushing the cube towards the goal.
    fn behind(view: &StepState) -> Vector3<f64> {
        let direction = view.way.try_normalize(1e-9).unwrap_or_else(Vector3::x);
        let mut place = view.cube - direction * BEHIND;
        place.z = insonate_models::arena::TABLE_HEIGHT + PUSH_HEIGHT;
        place
    }

    fn random_place(&self, rng: &mut ChaCha8Rng) -> [f64; 2] {
        self.settings
            .area
            .map(|half| rng.random_range(-half..=half))
    }

    /// A random position at least `least` away from another.
    fn random_place_apart(&self, from: [f64; 2], least: f64, rng: &mut ChaCha8Rng) -> [f64; 2] {
        let far = |[x, y]: [f64; 2]| (x - from[0]).hypot(y - from[1]);
        let mut best = self.random_place(rng);
        for _ in 0..64 {
            if far(best) >= least {
                break;
            }
            let next = self.random_place(rng);
            if far(next) > far(best) {
                best = next;
            }
        }
        best
    }
}

impl ProbeTask for Push {
    type Terms = PushTerms;
    type Costs = ();
    type Metrics = PushMetrics;

    fn observation_space(&self) -> BoxSpace {
        BoxSpace::unbounded([
            "probe_x [m]",
            "probe_y [m]",
            "probe_z [m]",
            "probe_velocity_x [m/s]",
            "probe_velocity_y [m/s]",
            "probe_velocity_z [m/s]",
            "probe_to_cube_x [m]",
            "probe_to_cube_y [m]",
            "probe_to_cube_z [m]",
            "cube_to_goal_x [m]",
            "cube_to_goal_y [m]",
            "cube_velocity_x [m/s]",
            "cube_velocity_y [m/s]",
        ])
        .with("cube_yaw_cos [1]", -1.001, 1.001)
        .with("cube_yaw_sin [1]", -1.001, 1.001)
        .in_frame("world")
    }

    fn reset(
        &mut self,
        state: &mut SceneState,
        episode: &EpisodeParameters,
        rng: &mut ChaCha8Rng,
    ) -> Result<(), EnvError> {
        let top = insonate_models::arena::TABLE_HEIGHT;
        let cube = self.random_place(rng);
        self.goal = self.random_place_apart(cube, self.settings.least_distance, rng);
        let probe = self.random_place_apart(cube, 0.1, rng);
        let yaw = rng.random_range(0.0..std::f64::consts::FRAC_PI_2);
        self.action_change.reset();
        self.touched = false;
        self.cube.place(
            &mut state.physics,
            [cube[0], cube[1], top + HALF],
            [(yaw / 2.0).cos(), 0.0, 0.0, (yaw / 2.0).sin()],
        );
        let [x, y] = self.goal;
        state.physics.data_mut().mocap_pos_mut()[0] = [x, y, top + 0.001];
        if let Some(point) = state.skin(probe[0], probe[1]) {
            let start = state.pose_on(&point, episode.start_height);
            state.place(&start)?;
            state.goal.world_from_probe = start;
        }
        let view = self.view(state);
        self.distance = view.way.norm();
        self.way = (view.probe - Self::behind(&view)).norm();
        Ok(())
    }

    fn before_substep(&mut self, _state: &mut SceneState) {}

    fn after_substep(&mut self, state: &SceneState) {
        self.touched |= self.cube.touches_probe(&state.physics);
    }

    fn observe(&self, state: &SceneState, observation: &mut [f32]) {
        let view = self.view(state);
        let top = insonate_models::arena::TABLE_HEIGHT;
        let to_cube = view.cube - view.probe;
        let (_, _, yaw) = self.cube.pose(&state.physics).rotation.euler_angles();
        let values = [
            view.probe.x,
            view.probe.y,
            view.probe.z - top,
            view.probe_velocity.x,
            view.probe_velocity.y,
            view.probe_velocity.z,
            to_cube.x,
            to_cube.y,
            to_cube.z,
            view.way.x,
            view.way.y,
            view.cube_velocity.x,
            view.cube_velocity.y,
            (4.0 * yaw).cos(),
            (4.0 * yaw).sin(),
        ];
        for (entry, value) in observation.iter_mut().zip(values) {
            *entry = value as f32;
        }
    }

    fn reward(&mut self, state: &SceneState, action: &[f32]) -> PushTerms {
        let (view, weight) = (self.view(state), &self.settings.reward);
        let (distance, way) = (view.way.norm(), (view.probe - Self::behind(&view)).norm());
        let change = self.action_change.update(action);
        let there = f64::from(u8::from(distance < self.settings.success_distance));
        let touching = f64::from(u8::from(self.touched));
        let [reach, touch, push] = if self.settings.shaping == "thesis" {
            let near = |distance: f64| 1.0 - (10.0 * distance).tanh();
            let to_cube = (view.probe - view.cube).norm();
            [near(to_cube), touching, near(distance)].map(|term| (1.0 - there) * term)
        } else {
            [self.way - way, touching, self.distance - distance]
        };
        let reward = PushTerms {
            reach: weight.reach * reach,
            touch: weight.touch * touch,
            push: weight.push * push,
            success: weight.success * there,
            smoothness: -weight.smoothness * change,
        };
        (self.distance, self.way) = (distance, way);
        self.touched = false;
        reward
    }

    fn end(&self, state: &SceneState) -> Option<EpisodeEnd> {
        let cube = self.cube.pose(&state.physics).position;
        let off = cube.x.abs() > 0.33
            || cube.y.abs() > 0.5
            || cube.z < insonate_models::arena::TABLE_HEIGHT - 0.01;
        off.then_some(EpisodeEnd::Terminated("the cube is out of reach".into()))
    }

    fn judge(&self, judge: Judge) -> Judge {
        let limit = self.settings.success_distance;
        let near = Rule::below("cube_to_goal_m", self.distance, limit);
        judge_rules(judge, &[near])
    }

    fn metrics(&self) -> PushMetrics {
        let success = self.distance < self.settings.success_distance;
        PushMetrics {
            success: f64::from(success),
            cube_to_goal_m: self.distance,
        }
    }

    /// Moves over the cube, down behind it, and pushes. Only for the actions x, y and z.
    fn scripted_action(
        &mut self,
        state: &SceneState,
        _: &WrenchMeasurement,
        action: &mut [f32],
    ) -> bool {
        action.fill(0.0);
        if action.len() != 3 {
            return false;
        }
        let view = self.view(state);
        let top = insonate_models::arena::TABLE_HEIGHT;
        let direction = view.way.try_normalize(1e-9).unwrap_or_else(Vector3::x);
        let behind = Self::behind(&view);
        let from_cube = view.probe - view.cube;
        let along = from_cube.dot(&direction);
        let aside = (from_cube - direction * along).xy().norm();
        let low = view.probe.z < top + 2.0 * HALF + 0.01;
        let target = if self.distance < 0.5 * self.settings.success_distance {
            view.probe
        } else if low && along < -0.02 && aside < 0.015 {
            // Push, and return to the line.
            view.cube + direction * 0.02 - (from_cube - direction * along) * 0.5
        } else if (view.probe - behind).xy().norm() < 0.012 {
            behind
        } else {
            let mut above = behind;
            above.z = top + 2.0 * HALF + 0.04;
            if low {
                above.x = view.probe.x;
                above.y = view.probe.y;
            }
            above
        };
        let mut wanted = (target - view.probe) / 0.05;
        wanted.z = if low && along < -0.02 && aside < 0.015 {
            (top + PUSH_HEIGHT - view.probe.z) / 0.05
        } else {
            wanted.z
        };
        for (share, wanted) in action.iter_mut().zip(wanted.iter()) {
            *share = wanted.clamp(-1.0, 1.0) as f32;
        }
        true
    }
}
