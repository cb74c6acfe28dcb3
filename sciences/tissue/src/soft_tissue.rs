//! Common interface of all solvers.

use crate::tool::{ContactPoint, Tool, Wrench};
use crate::{TissueError, TissueStress};

/// A world of tissue that tools press and pull.
pub trait SoftTissue: Send {
    /// Tools. A step moves them by their velocities; a pose or velocity set here is used from the next step on.
    fn tools_mut(&mut self) -> &mut Vec<Tool>;

    /// Advances by a time [s] in substeps chosen by the solver.
    ///
    /// # Errors
    /// [`TissueError::Setting`] for an invalid time or tool; [`TissueError::Diverged`], now and on every call
    /// until a reset.
    fn step(&mut self, time: f64) -> Result<(), TissueError>;

    /// Mean wrench of the tissue on a tool over the last step, in the world frame, about the origin of the moving tool.
    /// Zero before the first step.
    fn wrench(&self, tool: usize) -> Wrench;

    /// Points at which tissue pushed a tool in the last step, shape `[n_points]`; a point that was pushed in several substeps is there
    /// several times. Their forces sum to [`Self::wrench`].
    ///
    /// `None` if they are not known: before the first step, unless the tool [records](Tool::records_points) them, and for a tool that holds a
    /// [condensed body](crate::condensed::Condensed), whose reaction acts at no point of the tool.
    fn contact_points(&self, tool: usize) -> Option<&[ContactPoint]>;

    /// Positions in world [m], shape `[n_points, 3]`, in the order of the bodies.
    fn positions(&self) -> Vec<[f64; 3]>;

    /// Velocities in world [m/s], shape `[n_points, 3]`, in the order of the bodies.
    fn velocities(&self) -> Vec<[f64; 3]>;

    /// Strain and stress of all elements; `None` if the solver has no stress, as a network of springs.
    fn stress(&self) -> Option<TissueStress> {
        None
    }

    /// Simulated time [s].
    fn time(&self) -> f64;

    /// Resets to rest shape and time zero. Tools stay.
    fn reset(&mut self);

    /// State from which a later [`restore`](Self::restore) continues bit-identically. Tools are not included.
    fn save(&self) -> Vec<u8>;

    /// Restores a saved state of a world that was made in the same way.
    ///
    /// # Errors
    /// [`TissueError::State`] if the bytes are not a state of such a world; the world is unchanged
    /// then.
    fn restore(&mut self, state: &[u8]) -> Result<(), TissueError>;

    /// Replaces Young's modulus [Pa] and the damping time [s] of the body, and resets. Returns `false` if the world must be made again instead.
    ///
    /// # Errors
    /// [`TissueError::Setting`] for numbers out of range.
    fn set_softness(
        &mut self,
        _young_modulus: f64,
        _damping_time: f64,
    ) -> Result<bool, TissueError> {
        Ok(false)
    }

    /// Announces the next call of [`step`](Self::step) with its time [s], when the tools are set. A device makes all announced steps of its worlds at
    /// once when the first of them is called. Results do not change. A solver on the processor ignores it.
    fn announce_step(&mut self, _time: f64) {}
}
