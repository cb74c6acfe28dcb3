//! Environments that advance together.

use crate::{EnvError, Step};

/// An environment that advances with others of its group at once, such as one whose tissue lies in a lane of their vectors.
///
/// [`Env::step`](crate::Env::step) is `begin` and `finish`; `advance_group` between them advances all that have begun, so that `finish`
/// finds its part done. The numbers are the same either way.
pub trait Lockstep {
    /// The group's number, equal for environments that advance together.
    fn group(&self) -> usize;

    /// The part of a step before time passes: takes the action.
    ///
    /// # Errors
    /// As [`Env::step`](crate::Env::step) for the action.
    fn begin(&mut self, action: &[f32], observation: &mut [f32]) -> Result<(), EnvError>;

    /// Advances all environments of the group that have begun.
    fn advance_group(&mut self);

    /// The part of a step after time has passed: reward, end, observation.
    ///
    /// # Errors
    /// As [`Env::step`](crate::Env::step).
    fn finish(&mut self, observation: &mut [f32]) -> Result<Step, EnvError>;
}
