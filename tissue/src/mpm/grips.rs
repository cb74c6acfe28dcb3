//! Grasping and releasing particles.

use nalgebra::Vector3;

use super::config::Formulation;
use super::hold::{Held, WORLD};
use super::world::MlsMpm;
use crate::tool::{Tool, Wrench};
use crate::{Graspable, TissueError};

impl MlsMpm {
    /// Lets a tool hold particles from the next step on, wherever they are: they move with the tool as if they were part of it, and what
    /// tissue does to them is in its [`wrench`](Self::wrench). Gives how many it took: those that are fixed or held are left as they are.
    ///
    /// Held particles meet neither tools nor walls. Free ones within 1.5 cells share nodes of the grid with them and are dragged along.
    /// A tool moves by its velocities: one that is put elsewhere between steps takes what it holds there, and tissue around does not know.
    /// The holds of a tool that is taken away end with the next step.
    ///
    /// # Errors
    /// [`TissueError::Setting`]: there is no such tool or particle, or the formulation is total Lagrangian; nothing has changed then.
    pub fn grasp_particles(
        &mut self,
        tool: usize,
        particles: &[u32],
    ) -> Result<usize, TissueError> {
        let n = self.n_particles();
        let Some(holder) = self.tools.get(tool) else {
            let allowed = format!("below {}", self.tools.len());
            return Err(TissueError::setting("tool", tool, allowed));
        };
        if let Some(beyond) = particles.iter().find(|number| **number as usize >= n) {
            let allowed = format!("below {n}");
            return Err(TissueError::setting("particles", beyond, allowed));
        }
        if self.config.formulation == Formulation::TotalLagrangian {
            let allowed = "UpdatedLagrangian, where particles are grasped";
            return Err(TissueError::setting(
                "formulation",
                "TotalLagrangian",
                allowed,
            ));
        }
        let positions = self.positions();
        let before = self.grips.held().len();
        for &particle in particles {
            if self.grips.of(particle).is_some() {
                continue;
            }
            let arm = Vector3::from(positions[particle as usize]) - holder.position;
            let held = Held {
                particle,
                holder: tool as u32 + 1,
                at: holder.rotation.inverse_transform_vector(&arm),
            };
            self.grips.hold(held, n);
        }
        Ok(self.grips.held().len() - before)
    }

    /// Particles that a tool holds, in the order in which it took them.
    pub fn grasped(&self, tool: usize) -> Vec<u32> {
        let held = self.grips.held().iter();
        held.filter(|held| held.holder as usize == tool + 1)
            .map(|held| held.particle)
            .collect()
    }

    /// Mean wrench of the tissue on what holds fixed particles over the last step, about the world's origin; zero before the first step.
    pub fn fixed_wrench(&self) -> Wrench {
        self.fixed_wrench
    }

    /// Holds the bodies' fixed particles, and no others.
    pub(super) fn hold_fixed_only(&mut self) {
        self.grips.release_if(|held| held.holder != WORLD);
    }

    /// Greatest speed of held particles [m/s].
    pub(super) fn grip_speed(&self) -> f64 {
        let speed = |held: &Held| {
            let tool = held.holder.checked_sub(1).map(|tool| tool as usize);
            tool.and_then(|tool| self.tools.get(tool))
                .map_or(0.0, |tool| {
                    tool.linear.norm() + tool.angular.norm() * held.at.norm()
                })
        };
        self.grips.held().iter().map(speed).fold(0.0, f64::max)
    }
}

impl Graspable for MlsMpm {
    fn tools_mut(&mut self) -> &mut Vec<Tool> {
        &mut self.tools
    }

    fn wrench(&self, tool: usize) -> Wrench {
        self.wrench(tool)
    }

    /// As [`MlsMpm::grasp_particles`]; takes all of a ball with `most` of [`usize::MAX`].
    fn grasp(&mut self, tool: usize, at: Vector3<f64>, radius: f64, most: usize) -> usize {
        let mut near: Vec<(f64, u32)> = (0..)
            .zip(self.positions())
            .filter(|(particle, _)| self.grips.of(*particle).is_none())
            .map(|(particle, position)| ((Vector3::from(position) - at).norm(), particle))
            .filter(|(distance, _)| *distance <= radius)
            .collect();
        near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        near.truncate(most);
        let particles: Vec<u32> = near.into_iter().map(|(_, particle)| particle).collect();
        self.grasp_particles(tool, &particles).unwrap_or(0)
    }

    fn release(&mut self, tool: usize) {
        self.grips
            .release_if(|held| held.holder as usize == tool + 1);
    }
}
