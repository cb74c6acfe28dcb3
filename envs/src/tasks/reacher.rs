//! `reacher`: a planar arm with two links moves its fingertip to a random target.
//!
//! Physics, observation and reward are those of Gymnasium's `Reacher-v5`, as a benchmark of speed and learning.
//! There are two differences. An action out of bounds is an error. The fingertip position is computed from the current joint angles, while
//! Gymnasium reads MuJoCo's position from the last stage of the Runge-Kutta step (about 1e-6 m away, at most 1e-3 m at a joint limit).
//!
//! **Actions**
//!
//! | index | action | low | high | unit |
//! |---|---|---|---|---|
//! | 0 | torque at the base, over 200 N·m | -1 | 1 | 1 |
//! | 1 | torque at the elbow, over 200 N·m | -1 | 1 | 1 |
//!
//! **Observations**
//!
//! | index | observation | low | high | unit |
//! |---|---|---|---|---|
//! | 0, 1 | cosine of base and elbow angle | -1 | 1 | 1 |
//! | 2, 3 | sine of base and elbow angle | -1 | 1 | 1 |
//! | 4, 5 | target x, y | -∞ | ∞ | m |
//! | 6, 7 | velocity of base and elbow | -∞ | ∞ | rad/s |
//! | 8, 9 | fingertip minus target x, y | -∞ | ∞ | m |
//!
//! **Rewards**, computed from the state after the step
//!
//! | term | value |
//! |---|---|
//! | `distance` | -`distance_weight` · distance from fingertip to target |
//! | `control` | -`control_weight` · sum of squared actions |
//!
//! **Start**: angles in ±0.1 rad, velocities in ±0.005 rad/s, the target uniformly in a disc of 0.2 m. Options `joint0`, `joint1`,
//! `joint0_velocity`, `joint1_velocity`, `target_x`, `target_y` fix them.
//!
//! **End**: truncated after 50 steps; terminated only if the simulation diverges.
//!
//! **Metrics**: `success` is 1 if the fingertip is within 1 cm of the target at the end; `distance` is its final distance [m].

use std::sync::Arc;

use insonate_models::mjcf::{Mjcf, ReadOptions};
use insonate_settings::check_range;
use insonate_sim::names::{self, ObjectType};
use insonate_sim::{CompiledScene, Physics};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::kind::TaskKind;
use crate::environment::{Environment, EpisodeEnd, Simulation, StepFailure};
use crate::factory::EnvFactory;
use crate::parameters::{self, Parameter};
use crate::settings;
use crate::{BoxSpace, EnvError, EnvSpec, NamedValues as _, ResetOptions, named_values};

/// Registry entry.
pub const KIND: TaskKind = TaskKind {
    name: "reacher",
    summary: "two links reach a random target (Gymnasium's Reacher-v5)",
    defaults: &|| settings::table(&ReacherSettings::default()),
    build: &build,
    profiles: &[],
    scripted: &[],
    demonstrated: &[],
    is_studied: false,
    ppo: &[
        ("total_timesteps", "500_000"),
        ("n_envs", "8"),
        ("n_steps", "256"),
        ("n_minibatches", "32"),
    ],
    sac: &[],
};

/// The arm and its target: links of 10 cm, motors of 200 N·m, armature and damping of 1.
const SCENE: &str = r#"<mujoco model="reacher">
  <compiler angle="radian"/>
  <option timestep="0.01" integrator="RK4"/>
  <default>
    <geom contype="0" conaffinity="0" rgba="0 0.4 0.6 1"/>
    <joint armature="1" damping="1"/>
  </default>
  <worldbody>
    <light pos="0 0 2" dir="0 0 -1"/>
    <geom name="ground" type="plane" size="1 1 1" rgba="0.9 0.9 0.9 1"/>
    <body name="body0" pos="0 0 0.01">
      <joint name="joint0" axis="0 0 1"/>
      <geom name="link0" type="capsule" fromto="0 0 0 0.1 0 0" size="0.01"/>
      <body name="body1" pos="0.1 0 0">
        <joint name="joint1" axis="0 0 1" limited="true" range="-3 3"/>
        <geom name="link1" type="capsule" fromto="0 0 0 0.1 0 0" size="0.01"/>
        <body name="fingertip" pos="0.11 0 0">
          <geom name="fingertip" type="sphere" size="0.01" rgba="0 0.8 0.6 1"/>
        </body>
      </body>
    </body>
    <body name="target" pos="0 0 0.01">
      <joint name="target_x" type="slide" axis="1 0 0" limited="true" range="-0.27 0.27" armature="0" damping="0"/>
      <joint name="target_y" type="slide" axis="0 1 0" limited="true" range="-0.27 0.27" armature="0" damping="0"/>
      <geom name="target" type="sphere" size="0.009" rgba="0.9 0.2 0.2 1"/>
    </body>
  </worldbody>
  <actuator>
    <motor name="motor0" joint="joint0" gear="200" ctrllimited="true" ctrlrange="-1 1"/>
    <motor name="motor1" joint="joint1" gear="200" ctrllimited="true" ctrlrange="-1 1"/>
  </actuator>
</mujoco>
"#;

/// Random parameters of an episode.
const PARAMETERS: [Parameter; 6] = [
    Parameter::new("joint0", "rad", -0.1, 0.1).allowing(-3.2, 3.2),
    Parameter::new("joint1", "rad", -0.1, 0.1).allowing(-3.0, 3.0),
    Parameter::new("joint0_velocity", "rad/s", -0.005, 0.005).allowing(-10.0, 10.0),
    Parameter::new("joint1_velocity", "rad/s", -0.005, 0.005).allowing(-10.0, 10.0),
    Parameter::new("target_x", "m", -REACH, REACH),
    Parameter::new("target_y", "m", -REACH, REACH),
];

/// Radius of the disc of targets [m].
const REACH: f64 = 0.2;

/// Lengths from base to elbow and from elbow to fingertip [m].
const LINKS: [f64; 2] = [0.1, 0.11];

/// Distance at which the target counts as reached [m].
const REACHED: f64 = 0.01;

/// Settings, with Gymnasium's values as defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReacherSettings {
    /// Physics steps of 0.01 s per step.
    pub n_substeps: usize,
    /// Weight of the distance.
    pub distance_weight: f64,
    /// Weight of the squared actions.
    pub control_weight: f64,
    /// Steps after which an episode is truncated.
    pub max_episode_steps: usize,
}

impl Default for ReacherSettings {
    fn default() -> Self {
        Self {
            n_substeps: 2,
            distance_weight: 1.0,
            control_weight: 1.0,
            max_episode_steps: 50,
        }
    }
}

impl ReacherSettings {
    /// Checks the settings.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`].
    pub fn check(&self) -> Result<(), EnvError> {
        check_range("n_substeps", self.n_substeps as f64, [1.0, 1e3], "")?;
        check_range("distance_weight", self.distance_weight, [0.0, 1e6], "")?;
        check_range("control_weight", self.control_weight, [0.0, 1e6], "")?;
        Ok(check_range(
            "max_episode_steps",
            self.max_episode_steps as f64,
            [1.0, 1e9],
            "steps",
        )?)
    }
}

fn build(given: &toml::Table) -> Result<EnvFactory, EnvError> {
    let settings: ReacherSettings = settings::parse(&ReacherSettings::default(), given)?;
    settings.check()?;
    let all = settings::table(&settings);
    let scene = Arc::new(compile()?);
    Ok(EnvFactory::new(KIND.name, all, move || {
        let env = Reacher::environment(settings.clone(), scene.clone())?;
        Ok(Box::new(env))
    }))
}

fn compile() -> Result<CompiledScene, EnvError> {
    let mjcf = Mjcf::read_str(SCENE, "reacher", &ReadOptions::default())
        .map_err(insonate_sim::SimError::from)?;
    Ok(CompiledScene::compile(&mjcf)?)
}

named_values! {
    struct Terms { distance, control }
}

named_values! {
    struct Metrics { success, distance }
}

/// The arm and its target.
#[derive(Debug)]
pub struct Reacher {
    settings: ReacherSettings,
    scene: Arc<CompiledScene>,
    physics: Physics,
    /// Bodies for the distance.
    fingertip: usize,
    target: usize,
}

impl Reacher {
    /// Creates the environment of a compiled scene. It must be reset before its first step.
    ///
    /// # Errors
    /// [`EnvError::Sim`] if MuJoCo has no memory for a state.
    pub fn environment(
        settings: ReacherSettings,
        scene: Arc<CompiledScene>,
    ) -> Result<Environment<Self>, EnvError> {
        let physics = Physics::from_scene(&scene)?;
        let spec = EnvSpec {
            id: KIND.name.to_owned(),
            observation_space: observation_space(),
            action_space: BoxSpace::default()
                .with("torque0 [200 N·m]", -1.0, 1.0)
                .with("torque1 [200 N·m]", -1.0, 1.0),
            reward_terms: Terms::names(),
            costs: Vec::new(),
            observation_groups: Vec::new(),
            metrics: Metrics::names(),
            parameters: parameters::names(&PARAMETERS),
            max_episode_steps: Some(settings.max_episode_steps),
            control_timestep: physics.timestep() * settings.n_substeps as f64,
            n_substeps: settings.n_substeps,
        };
        let reacher = Self {
            fingertip: names::find(physics.model(), ObjectType::Body, "fingertip")?,
            target: names::find(physics.model(), ObjectType::Body, "target")?,
            settings,
            scene,
            physics,
        };
        Ok(Environment::of(spec, reacher))
    }

    /// Vector from target to fingertip [m].
    fn miss(&self) -> [f64; 3] {
        let xpos = self.physics.data().xpos();
        let (tip, target) = (xpos[self.fingertip], xpos[self.target]);
        [0, 1, 2].map(|axis| tip[axis] - target[axis])
    }

    fn distance(&self) -> f64 {
        self.miss().iter().map(|x| x * x).sum::<f64>().sqrt()
    }
}

fn observation_space() -> BoxSpace {
    let mut space = BoxSpace::default();
    for name in ["cos_joint0", "cos_joint1", "sin_joint0", "sin_joint1"] {
        space.push(format!("{name} [1]"), -1.0, 1.0);
    }
    let along = |what| ["x", "y"].map(|axis| format!("{what}_{axis} [m]"));
    space.extend(BoxSpace::unbounded(along("target")).in_frame("world"));
    let velocities = ["joint0_velocity [rad/s]", "joint1_velocity [rad/s]"];
    space.extend(BoxSpace::unbounded(velocities));
    space.extend(BoxSpace::unbounded(along("fingertip_from_target")).in_frame("world"));
    space
}

impl Simulation for Reacher {
    fn draw(&mut self, options: &ResetOptions, rng: &mut ChaCha8Rng) -> Result<Vec<f64>, EnvError> {
        let mut values: Vec<f64> = PARAMETERS.iter().map(|p| p.draw(rng)).collect();
        // The target must be in the disc.
        while values[4].hypot(values[5]) >= REACH {
            values[4] = PARAMETERS[4].draw(rng);
            values[5] = PARAMETERS[5].draw(rng);
        }
        parameters::fix(&PARAMETERS, options, &mut values)?;
        Ok(values)
    }

    fn reset(&mut self, parameters: &[f64], _rng: ChaCha8Rng) -> Result<(), EnvError> {
        let [joint0, joint1, velocity0, velocity1, x, y] = *parameters else {
            unreachable!("a value was drawn for each parameter")
        };
        self.physics.reset();
        let qpos = [joint0, joint1, x, y];
        self.physics.qpos_mut().copy_from_slice(&qpos);
        let qvel = [velocity0, velocity1, 0.0, 0.0];
        self.physics.qvel_mut().copy_from_slice(&qvel);
        self.physics.forward();
        Ok(())
    }

    fn set_action(&mut self, action: &[f32]) {
        for (ctrl, &value) in self.physics.ctrl_mut().iter_mut().zip(action) {
            *ctrl = f64::from(value);
        }
    }

    fn advance(&mut self) -> Result<(), StepFailure> {
        Ok(self.physics.step_n(self.settings.n_substeps)?)
    }

    fn reward(&mut self, terms: &mut [f64]) {
        let effort: f64 = self.physics.ctrl().iter().map(|a| a.powi(2)).sum();
        let reward = Terms {
            distance: -self.settings.distance_weight * self.distance(),
            control: -self.settings.control_weight * effort,
        };
        reward.write(terms);
    }

    fn end(&self) -> Option<EpisodeEnd> {
        None
    }

    fn observe(&self, observation: &mut [f32]) {
        let (qpos, qvel, miss) = (self.physics.qpos(), self.physics.qvel(), self.miss());
        let values = [
            qpos[0].cos(),
            qpos[1].cos(),
            qpos[0].sin(),
            qpos[1].sin(),
            qpos[2],
            qpos[3],
            qvel[0],
            qvel[1],
            miss[0],
            miss[1],
        ];
        for (to, from) in observation.iter_mut().zip(values) {
            *to = from as f32;
        }
    }

    fn metrics(&self, metrics: &mut [f64]) {
        let distance = self.distance();
        let values = Metrics {
            success: f64::from(distance < REACHED),
            distance,
        };
        values.write(metrics);
    }

    /// A spring and damper from each joint to the angle at which the fingertip reaches the target, on the elbow's nearer side.
    fn scripted_action(&mut self, action: &mut [f32]) -> bool {
        let (qpos, qvel) = (self.physics.qpos(), self.physics.qvel());
        let goal = angles_to(qpos[2], qpos[3], qpos[1].signum());
        for (joint, action) in action.iter_mut().enumerate() {
            let turn = goal[joint] - qpos[joint];
            // The base rotates without limits, so it takes the shorter direction.
            let turn = if joint == 0 {
                turn.sin().atan2(turn.cos())
            } else {
                turn
            };
            *action = (0.5 * turn - 0.08 * qvel[joint]).clamp(-1.0, 1.0) as f32;
        }
        true
    }

    fn scene(&self) -> Option<(&CompiledScene, &Physics)> {
        Some((&self.scene, &self.physics))
    }
}

/// Angles of base and elbow that place the fingertip at a point, or as near as possible. `side` is the sign of the elbow's angle.
fn angles_to(x: f64, y: f64, side: f64) -> [f64; 2] {
    let [first, second] = LINKS;
    let cosine = (x * x + y * y - first * first - second * second) / (2.0 * first * second);
    let elbow = side * cosine.clamp(-1.0, 1.0).acos();
    let base = y.atan2(x) - (second * elbow.sin()).atan2(first + second * elbow.cos());
    [base, elbow]
}
