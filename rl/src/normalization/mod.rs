//! Running normalisation of observations and rewards.

mod moments;
mod observations;
mod rewards;

pub use moments::RunningMoments;
pub use observations::ObservationNormalizer;
pub use rewards::RewardNormalizer;
