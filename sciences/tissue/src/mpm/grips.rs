//! Grasping and releasing particles.

use nalgebra::Vector3;

use super::config::Formulation;
use super::hold::{Held, WORLD};
use super::world::MlsMpm;
use crate::tool::{Tool, Wrench};
use crate::{Graspable, TissueError};

impl MlsMpm {
    /// Lets a tool hold particles from the next step on, at any distance. They move rigidly with the tool, and the
    /// force of the tissue on them is part of the tool's [`wrench`](Self::wrench). Returns the number of newly held
    /// particles; fixed and held ones are skipped.
    ///
    /// Held particles ignore tools and walls. Free particles within 1.5 cells share grid nodes with them and are
    /// dragged along. A tool moves by its velocities. If it is placed elsewhere between steps, the held particles move
    /// there at once without an effect on the surrounding tissue. If a tool is removed, its particles are released in
    /// the next step.
    ///
    /// # Errors
    /// [`TissueError::Setting`] if the tool or a particle does not exist, or if the formulation is total
    /// Lagrangian; the world is unchanged then.
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
            let allowed = "UpdatedLagrangian to grasp particles";
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

    /// Particles that a tool holds, in the order of grasping.
    pub fn grasped(&self, tool: usize) -> Vec<u32> {
        let held = self.grips.held().iter();
        held.filter(|held| held.holder as usize == tool + 1)
            .map(|held| held.particle)
            .collect()
    }

    /// Mean wrench of the tissue on fixed particles over the last step, about the world's origin. Zero before the first
    /// step.
    pub fn fixed_wrench(&self) -> Wrench {
        self.fixed_wrench
    }

    /// Holds only the fixed particles of the bodies.
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

    /// As [`MlsMpm::grasp_particles`]. Takes all particles of a ball if `most` is [`usize::MAX`].
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
