//! Contact of particles with tools that have a finite friction.
//!
//! A particle stands for a cube of edge $h = V^{1/3}$, so it touches where its gap $g = d - h / 2$ to the nearest tool is below zero. Its
//! velocity away from the tool becomes at least that of a spring as stiff as the cube itself, and its velocity along the tool that of a
//! spring which slips by Coulomb's law (Cundall and Strack 1979, doi:10.1680/geot.1979.29.1.47):
//! $$ v_n \leftarrow \max\left(v_n, \kappa \frac{-g}{\Delta t}\right), \quad v_t \leftarrow -\kappa \frac{s}{\Delta t}, \quad
//! \lvert \Delta v_t \rvert \le \mu \, \Delta v_n, \quad
//! \kappa = \min\left(\frac{(\lambda + 2 \mu) \Delta t^2}{\rho h^2}, 1\right), $$
//! with $s$ how far the particle has moved along the tool since it stuck. The momentum that this gives to the particle is taken from the tool.
//!
//! Why not nodes: a node inside a tool that is narrower than two cells is nearest to a *side* of it, and lets tissue through.

use nalgebra::Vector3;

use super::block::Block;
use super::chunk::Chunk;
use super::config::{Contact, MpmConfig};
use super::tile::BLOCK;
use crate::tool::{Surface, Tool, Wrench};

/// What the contact of all particles needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolContact<'a> {
    pub(super) config: &'a MpmConfig,
    /// Tools as they stand in this substep.
    pub(super) tools: &'a [Tool],
    /// Length of the substep [s].
    pub(super) dt: f64,
}

/// The contact of one block's particles.
#[derive(Debug)]
pub(super) struct BlockContact<'a> {
    all: ToolContact<'a>,
    /// Tools near the block.
    near: Vec<usize>,
    /// Impulse on each tool, about its origin [N·s, N·m·s].
    impulses: &'a mut [Wrench],
}

impl<'a> ToolContact<'a> {
    /// Of a block; none if no tool is near.
    pub(super) fn of_block(
        self,
        at: [usize; 3],
        impulses: &'a mut Vec<Wrench>,
    ) -> Option<BlockContact<'a>> {
        impulses.clear();
        impulses.resize(self.tools.len(), Wrench::default());
        if self.config.contact == Contact::Nodes {
            return None;
        }
        let width = self.config.cell_width;
        let center = Vector3::from_fn(|axis, _| {
            self.config.origin[axis] + ((at[axis] * BLOCK + BLOCK / 2) as f64 + 0.5) * width
        });
        // Particles may have left their block by a cell, and reach out by half their size.
        let reach = (BLOCK as f64 / 2.0 + 2.0) * 3f64.sqrt() * width;
        let near: Vec<usize> = (0..self.tools.len())
            .filter(|&index| {
                let tool = &self.tools[index];
                let center = tool.rotation.inverse() * (center - tool.position);
                tool.friction.is_finite()
                    && center.norm() <= tool.shape.reach() + reach
                    && tool.shape.surface(&center).distance <= reach
            })
            .collect();
        (!near.is_empty()).then_some(BlockContact {
            all: self,
            near,
            impulses,
        })
    }
}

impl BlockContact<'_> {
    /// Changes the velocities of those that touch.
    pub(super) fn meet(&mut self, chunk: &mut Chunk) {
        for lane in 0..chunk.n {
            self.meet_one(chunk, lane);
        }
    }

    fn meet_one(&mut self, chunk: &mut Chunk, lane: usize) {
        let ToolContact { config, tools, dt } = self.all;
        let place = Vector3::from_fn(|axis, _| {
            config.origin[axis] + f64::from(chunk.position[axis][lane]) * config.cell_width
        });
        let mut nearest: Option<(usize, Surface)> = None;
        for &index in &self.near {
            let tool = &tools[index];
            let surface = tool
                .shape
                .surface(&(tool.rotation.inverse() * (place - tool.position)));
            if nearest.is_none_or(|(_, nearest)| surface.distance < nearest.distance) {
                nearest = Some((index, surface));
            }
        }
        let Some((index, surface)) = nearest else {
            return;
        };
        let edge = f64::from(chunk.volume[lane]).cbrt();
        let depth = (0.5 * edge - surface.distance).min(edge);
        if depth <= 0.0 {
            for row in &mut chunk.slip {
                row[lane] = 0.0;
            }
            return;
        }
        let tool = &tools[index];
        let mass = f64::from(chunk.mass[lane]);
        let stiffness = f64::from(chunk.lame_lambda[lane]) + 2.0 * f64::from(chunk.lame_mu[lane]);
        let rate = (stiffness * edge * dt / mass).min(1.0 / dt);
        let arm = place - tool.position;
        let normal = tool.rotation * surface.normal;
        let carried = tool.linear + tool.angular.cross(&arm);
        let read =
            |rows: &[crate::lanes::Row; 3]| Vector3::from_fn(|i, _| f64::from(rows[i][lane]));
        let relative = read(&chunk.velocity) - carried;
        let away = relative.dot(&normal);
        let push = (rate * depth - away).max(0.0);
        let along = relative - normal * away;
        let slip = read(&chunk.slip) + along * dt;
        let slip = slip - normal * slip.dot(&normal);
        let hold = -(along + slip * rate);
        let most = tool.friction * push;
        let held = hold.norm();
        let hold = if held > most {
            hold * (most / held)
        } else {
            hold
        };
        let slip = if held > most { -hold / rate } else { slip };
        let change = normal * push + hold;
        let wrench = &mut self.impulses[index];
        wrench.force -= change * mass;
        wrench.torque -= arm.cross(&change) * mass;
        for axis in 0..3 {
            chunk.velocity[axis][lane] += change[axis] as f32;
            chunk.slip[axis][lane] = slip[axis] as f32;
        }
    }
}

/// Adds up what blocks gave, in their order.
pub(super) fn add_impulses(blocks: &[Block], totals: &mut [Wrench]) {
    for block in blocks {
        for (total, impulse) in totals.iter_mut().zip(&block.impulses) {
            total.force += impulse.force;
            total.torque += impulse.torque;
        }
    }
}
