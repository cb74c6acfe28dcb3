//! Wrappers: an environment in, another one out, with other observations, actions or time.
//!
//! Each changes [`EnvSpec`](crate::EnvSpec) as it changes the environment, so wrappers stack in any order.
//! Episodes stay pure functions of seed, options and actions: what a wrapper remembers begins anew with the episode, and its random
//! numbers come from the episode's seed. [`NormalizeObservation::learning`] is the one exception, and says so.

/// Hands methods of [`Env`](crate::Env) on to `self.env`.
macro_rules! forward {
    ($($method:ident),*) => { $( forward!(@ $method); )* };
    (@ spec) => {
        fn spec(&self) -> &$crate::EnvSpec {
            self.env.spec()
        }
    };
    (@ reset) => {
        fn reset(
            &mut self,
            seed: u64,
            options: &$crate::ResetOptions,
            observation: &mut [f32],
        ) -> Result<(), $crate::EnvError> {
            self.env.reset(seed, options, observation)
        }
    };
    (@ reward_terms) => {
        fn reward_terms(&self) -> &[f64] {
            self.env.reward_terms()
        }
    };
    (@ metrics) => {
        fn metrics(&self, metrics: &mut [f64]) {
            self.env.metrics(metrics);
        }
    };
    (@ parameters) => {
        fn parameters(&self) -> &[f64] {
            self.env.parameters()
        }
    };
    (@ end_reason) => {
        fn end_reason(&self) -> Option<$crate::EndReason> {
            self.env.end_reason()
        }
    };
    (@ scripted_action) => {
        fn scripted_action(&mut self, action: &mut [f32]) -> bool {
            self.env.scripted_action(action)
        }
    };
    (@ scene) => {
        fn scene(&self) -> Option<(&insonate_sim::CompiledScene, &insonate_sim::Physics)> {
            self.env.scene()
        }
    };
}

mod action_latency;
mod action_repeat;
mod clip_action;
mod frame_stack;
mod normalize_observation;
mod observation_noise;
mod rescale_action;
mod time_limit;

pub use action_latency::ActionLatency;
pub use action_repeat::ActionRepeat;
pub use clip_action::ClipAction;
pub use frame_stack::FrameStack;
pub use normalize_observation::NormalizeObservation;
pub use observation_noise::ObservationNoise;
pub use rescale_action::RescaleAction;
pub use time_limit::TimeLimit;
