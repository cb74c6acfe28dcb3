//! State of each world in addition to its points.

use nalgebra::Vector3;

use super::held::HeldVertex;
use crate::tool::{ContactPoints, PointImpulse, Tool, Wrench};
use crate::{Divergence, TissueError};

/// Tools of a world, and their effects.
#[derive(Debug, Clone, Default)]
pub(super) struct WorldState {
    pub(super) tools: Vec<Tool>,
    /// Mean wrenches on tools over the last step.
    pub(super) wrenches: Vec<Wrench>,
    /// Impulse on each tool in this step [N·s, N·m·s].
    pub(super) impulses: Vec<Wrench>,
    /// The parts of these impulses, for tools that record them.
    pub(super) points: Vec<PointImpulse>,
    /// Contact points of the last step.
    pub(super) contact_points: ContactPoints,
    pub(super) held: Vec<HeldVertex>,
    /// Vertices whose elements are all torn, and their fixed positions, relative to the origin [m].
    pub(super) detached: Vec<(u32, [f32; 3])>,
    /// Impulse in this step that keeps detached vertices in place [N·s].
    pub(super) stopped: Vector3<f64>,
    /// Whether each vertex is held or detached, so that tools ignore it; empty if there are no such
    /// vertices.
    is_untouchable: Vec<bool>,
    /// Simulated time [s].
    pub(super) time: f64,
    pub(super) diverged: Option<Divergence>,
}

impl WorldState {
    /// Whether tools ignore a vertex.
    pub(super) fn is_untouchable(&self, vertex: u32) -> bool {
        let is = self.is_untouchable.get(vertex as usize);
        is.is_some_and(|is| *is)
    }

    fn set_untouchable(&mut self, vertex: u32, is: bool) {
        if self.is_untouchable.len() <= vertex as usize {
            self.is_untouchable.resize(vertex as usize + 1, false);
        }
        self.is_untouchable[vertex as usize] = is;
    }

    pub(super) fn hold(&mut self, held: HeldVertex) {
        self.set_untouchable(held.vertex, true);
        self.held.push(held);
    }

    pub(super) fn detach(&mut self, vertex: u32, position: [f32; 3]) {
        self.release(|held| held.vertex == vertex);
        self.set_untouchable(vertex, true);
        self.detached.push((vertex, position));
    }

    /// Releases held vertices that meet a condition.
    pub(super) fn release(&mut self, condition: impl Fn(&HeldVertex) -> bool) {
        let (released, kept): (Vec<HeldVertex>, _) =
            self.held.iter().partition(|held| condition(held));
        self.held = kept;
        for held in released {
            self.set_untouchable(held.vertex, false);
        }
    }

    /// Releases the vertices that a tool has grasped.
    pub(super) fn release_grasp(&mut self, tool: usize) {
        self.release(|held| held.tool as usize == tool && !held.sticks);
    }

    /// Fails for a world that cannot be stepped.
    pub(super) fn check(&self) -> Result<(), TissueError> {
        match self.diverged {
            Some(reason) => Err(TissueError::Diverged {
                reason,
                time: self.time,
            }),
            None => self.tools.iter().try_for_each(Tool::check),
        }
    }

    /// Prepares a step: clears impulses, and releases vertices of tools that were removed or are no longer
    /// sticky.
    pub(super) fn begin_step(&mut self) {
        self.stopped = Vector3::zeros();
        self.points.clear();
        self.impulses.clear();
        self.impulses.resize(self.tools.len(), Wrench::default());
        let tools = std::mem::take(&mut self.tools);
        self.release(|held| {
            let tool = tools.get(held.tool as usize);
            tool.is_none_or(|tool| held.sticks && tool.friction != f64::INFINITY)
        });
        self.tools = tools;
    }

    /// Ends a step of a time [s]: computes mean wrenches and moves the tools.
    pub(super) fn end_step(&mut self, time: f64) {
        self.time += time;
        for tool in &mut self.tools {
            *tool = tool.after(time);
        }
        self.wrenches.clone_from(&self.impulses);
        for wrench in &mut self.wrenches {
            wrench.force /= time;
            wrench.torque /= time;
        }
        let records = |tool: &Tool| tool.records_points;
        self.contact_points = ContactPoints::of_step(&self.tools, records, &self.points, time);
    }

    /// Resets the world. Tools stay.
    pub(super) fn reset(&mut self) {
        *self = Self {
            tools: std::mem::take(&mut self.tools),
            impulses: std::mem::take(&mut self.impulses),
            ..Self::default()
        };
    }

    /// Mean wrench on a tool over the last step; zero before the first.
    pub(super) fn wrench(&self, tool: usize) -> Wrench {
        self.wrenches.get(tool).copied().unwrap_or_default()
    }
}
