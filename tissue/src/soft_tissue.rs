//! The interface of all solvers.

use crate::TissueError;
use crate::tool::{Tool, Wrench};

/// Tissue in a world of its own, pressed and pulled by tools.
pub trait SoftTissue: Send {
    /// Tools. A step moves them by their velocities; a pose or velocity set here is used from the next step on.
    fn tools_mut(&mut self) -> &mut Vec<Tool>;

    /// Advances by a time [s], in substeps of the solver's choice.
    ///
    /// # Errors
    /// [`TissueError::Setting`] for the time or a tool; [`TissueError::Diverged`], now and on every call until a reset.
    fn step(&mut self, time: f64) -> Result<(), TissueError>;

    /// Mean wrench of the tissue on a tool over the last step, in world, about the tool's origin as it moved; zero before the first step.
    fn wrench(&self, tool: usize) -> Wrench;

    /// Positions in world [m], shape `[n_points, 3]`, in the order of the bodies.
    fn positions(&self) -> Vec<[f64; 3]>;

    /// Velocities in world [m/s], shape `[n_points, 3]`, in the order of the bodies.
    fn velocities(&self) -> Vec<[f64; 3]>;

    /// Simulated time [s].
    fn time(&self) -> f64;

    /// Back to the start: rest shape, time zero; tools stay.
    fn reset(&mut self);

    /// State from which a later [`restore`](Self::restore) continues bit-identically; tools are not in it.
    fn save(&self) -> Vec<u8>;

    /// Restores a saved state of a world made in the same way.
    ///
    /// # Errors
    /// [`TissueError::State`]: the bytes are not a state of such a world; nothing has changed then.
    fn restore(&mut self, state: &[u8]) -> Result<(), TissueError>;
}
