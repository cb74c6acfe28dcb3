//! Simulations that can be served: a scan, or a policy in its task.

use serde_json::{Map, Value, json};

use crate::envs::ultrasound::{TorsoAtRest, TorsoView};
use crate::envs::{Autoreset, ResetOptions, VecConfig, VecEnv};
use crate::evaluation::NamedPolicy;
use crate::experiments::LiveScan;
use crate::learning::LearningError;
use crate::rl::{Agent, action_rng};
use crate::sim::{CompiledScene, Physics, Pose};

/// A simulation in real time.
pub trait LiveSource {
    /// Simulates approximately `time` [s]. The remainder is carried over to the next call.
    ///
    /// # Errors
    /// When the simulation diverges, or an environment fails.
    fn advance(&mut self, time: f64) -> Result<(), LearningError>;

    /// The scene and its state; `None` if there is no scene.
    fn scene(&self) -> Option<(&CompiledScene, &Physics)>;

    /// Holds the probe at a pose from now on. Returns `false` if the probe cannot be steered.
    ///
    /// # Errors
    /// When the scene has no arm.
    fn steer(&mut self, _world_from_probe: Pose) -> Result<bool, LearningError> {
        Ok(false)
    }

    /// Height of the resting skin at a horizontal position in the world [m]; `None` if it is unknown.
    fn skin_height(&self, _position: &nalgebra::Vector3<f64>) -> Option<f64> {
        None
    }

    /// Further values of the last step, with their names.
    fn values(&self) -> Map<String, Value> {
        Map::new()
    }

    /// Warning about forces that do not hold as deep as the probe has been.
    fn depth_warning(&self) -> Option<String> {
        None
    }

    /// Lets [`LiveSource::torso_view`] return what the probe can image. Call it before the first step; `seed` draws the organs, unless
    /// a task has drawn them.
    ///
    /// # Errors
    /// When the torso has no organs.
    fn start_imaging(&mut self, seed: u64) -> Result<(), LearningError>;

    /// The tissue, the organs and the probe; `None` before [`LiveSource::start_imaging`].
    fn torso_view(&self) -> Option<TorsoView>;
}

impl LiveSource for LiveScan<'_> {
    fn advance(&mut self, time: f64) -> Result<(), LearningError> {
        Ok(LiveScan::advance(self, time)?)
    }

    fn scene(&self) -> Option<(&CompiledScene, &Physics)> {
        Some(LiveScan::scene(self))
    }

    fn depth_warning(&self) -> Option<String> {
        LiveScan::depth_warning(self)
    }

    fn steer(&mut self, world_from_probe: Pose) -> Result<bool, LearningError> {
        LiveScan::steer(self, world_from_probe)?;
        Ok(true)
    }

    fn skin_height(&self, position: &nalgebra::Vector3<f64>) -> Option<f64> {
        LiveScan::skin_height(self, position)
    }

    fn start_imaging(&mut self, seed: u64) -> Result<(), LearningError> {
        Ok(LiveScan::start_imaging(self, seed)?)
    }

    fn torso_view(&self) -> Option<TorsoView> {
        LiveScan::torso_view(self)
    }
}

/// Runs episodes of a policy one after the other.
#[derive(Debug)]
pub struct LivePolicy {
    env: VecEnv,
    agent: Agent,
    options: ResetOptions,
    seed: u64,
    rng: rand_chacha::ChaCha8Rng,
    action: Vec<f32>,
    /// Time that is still to be simulated [s].
    owed: f64,
    /// The torso at the start of the episode, and the seed of its organs; set if it is imaged.
    imaged: Option<(TorsoAtRest, u64)>,
}

impl LivePolicy {
    /// Starts the episode with a seed. Each further episode uses the next seed.
    ///
    /// # Errors
    /// The errors of [`crate::rl::evaluate`].
    pub fn new(
        policy: &NamedPolicy,
        seed: u64,
        options: ResetOptions,
    ) -> Result<Self, LearningError> {
        let config = VecConfig {
            autoreset: Autoreset::Disabled,
            n_threads: 1,
        };
        let mut env = VecEnv::new(policy.factory.make_many(1)?, config)?;
        env.reset_env(0, seed, &options)?;
        Ok(Self {
            action: vec![0.0; env.spec().action_space.len()],
            agent: policy.agent(),
            rng: action_rng(seed),
            env,
            options,
            seed,
            owed: 0.0,
            imaged: None,
        })
    }

    /// The torso at the start of an episode.
    fn torso_at_rest(&self, organs: u64) -> Result<TorsoAtRest, LearningError> {
        let env = self.env.env(0);
        let torso = env.torso().ok_or_else(|| LearningError::NoScene {
            task: env.spec().id.clone(),
        })?;
        Ok(TorsoAtRest::new(&torso, organs)?)
    }
}

impl LiveSource for LivePolicy {
    fn advance(&mut self, time: f64) -> Result<(), LearningError> {
        self.owed += time;
        let step = self.env.spec().control_timestep;
        while self.owed > 0.5 * step {
            self.owed -= step;
            self.agent
                .act(&mut self.env, [&mut self.rng], &mut self.action)?;
            if !self.env.step(&self.action)?.ended.is_empty() {
                self.seed = self.seed.wrapping_add(1);
                self.env.reset_env(0, self.seed, &self.options)?;
                self.rng = action_rng(self.seed);
                if let Some((_, organs)) = self.imaged {
                    self.imaged = Some((self.torso_at_rest(organs)?, organs));
                }
            }
        }
        Ok(())
    }

    fn scene(&self) -> Option<(&CompiledScene, &Physics)> {
        self.env.env(0).scene()
    }

    fn values(&self) -> Map<String, Value> {
        let batch = self.env.batch();
        let values = [
            ("observation", json!(batch.observations)),
            ("action", json!(self.action)),
            ("reward", json!(batch.rewards[0])),
        ];
        let values = values.map(|(name, value)| (name.to_owned(), value));
        values.into_iter().collect()
    }

    fn start_imaging(&mut self, seed: u64) -> Result<(), LearningError> {
        self.imaged = Some((self.torso_at_rest(seed)?, seed));
        Ok(())
    }

    fn torso_view(&self) -> Option<TorsoView> {
        let (at_rest, _) = self.imaged.as_ref()?;
        Some(at_rest.view(&self.env.env(0).torso()?))
    }
}
