//! Running normalisation of observations and rewards.

mod observations;
mod rewards;

pub use insonate_envs::RunningMoments;
pub use observations::ObservationNormalizer;
pub use rewards::RewardNormalizer;
