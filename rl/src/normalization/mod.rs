//! Running normalisation of observations and rewards.

mod observations;
mod rewards;
mod running_moments;

pub use observations::ObservationNormalizer;
pub use rewards::RewardNormalizer;
pub use running_moments::RunningMoments;
