//! Contact of particles with tools of finite friction.
//!
//! A particle stands for a cube of edge $h = V^{1/3}$, so it touches where its gap $g = d - h / 2$ to the nearest tool is below zero. Its
//! velocity away from the tool becomes at least that of a spring twice as stiff as the cube itself, and its velocity along the tool that of a
//! spring which slips by Coulomb's law (Cundall and Strack 1979, doi:10.1680/geot.1979.29.1.47):
//! $$ v_n \leftarrow \max\left(v_n, \kappa \frac{-g}{\Delta t}\right), \quad v_t \leftarrow -\kappa \frac{s}{\Delta t}, \quad
//! \lvert \Delta v_t \rvert \le \mu \, \Delta v_n, \quad
//! \kappa = \min\left(\frac{2 (\lambda + 2 \mu) \Delta t^2}{\rho h^2}, 2\right), $$
//! with $s$ the displacement of the particle along the tool since it stuck. The tool receives the opposite momentum.
//!
//! The impulse acts at the touched face of the cube, $r = -n h / 2$ from the particle: $Q_p \mathrel{+}=
//! \tfrac{4}{\Delta x^2} m_p \, \Delta v \, r^T$. At the particle's centre it would leave the outer half of the cube
//! without stress. In the total Lagrangian formulation $r$ points to the face at rest.
//!
//! Contact at nodes fails for narrow tools: a node inside a tool narrower than two cells is nearest to a *side* of the
//! tool, so tissue passes through it.

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use nalgebra::Vector3;

use super::chunk::{Chunk, ContactState};
use super::config::{Contact, Formulation, MpmConfig};
use super::hold::Grips;
use super::near::NearTool;
use super::tile::BLOCK;
use crate::lanes::{Lanes, Row};
use crate::tool::{PointImpulse, SignedDistance, Tool, Wrench};

/// Stiffness of the contact relative to the stiffness of the cube. At 2, a block of 20 kPa compressed by a quarter
/// penetrates each plate by 6 % of a cell.
const STIFFNESS: f64 = 2.0;

/// Share of the penetration that one substep may correct. Values above 1 are stable, because the grid spreads the
/// correction to neighbouring particles. At 2.6 a compressed block oscillated.
const MAX_KAPPA: f64 = 2.0;

/// Inputs of contact that all blocks share.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolContact<'a> {
    pub(super) config: &'a MpmConfig,
    /// Tools at their poses in this substep.
    pub(super) tools: &'a [Tool],
    /// Held particles, which have no contact.
    pub(super) grips: &'a Grips,
    /// Length of the substep [s].
    pub(super) dt: f64,
    /// Edge of the largest particle's cube [m].
    pub(super) largest: f64,
}

/// The contact of one block's particles.
#[derive(Debug)]
pub(super) struct BlockContact<'a> {
    all: ToolContact<'a>,
    /// Tools near the block, and a mask of the particles of the last chunk that may touch each.
    near: Vec<(NearTool, u16)>,
    /// Impulse on each tool, about its origin [N·s, N·m·s].
    impulses: &'a mut [Wrench],
    /// Impulses of particles on tools that record them.
    points: &'a mut Vec<PointImpulse>,
    /// Velocity and slip of each chunk before contact.
    before: &'a mut Vec<ContactState>,
    /// First moment of the velocity change of each particle of the last chunk, about the particle, over Δx² / 4 [1/s],
    /// row-major.
    moments: [Row; 9],
}

impl<'a> ToolContact<'a> {
    /// Contact of a block whose particles are displaced by at most some cells along each axis; `None` if no tool is
    /// near.
    pub(super) fn of_block(
        self,
        at: [usize; 3],
        displacement: f64,
        (impulses, points): (&'a mut Vec<Wrench>, &'a mut Vec<PointImpulse>),
        before: &'a mut Vec<ContactState>,
    ) -> Option<BlockContact<'a>> {
        before.clear();
        impulses.clear();
        points.clear();
        impulses.resize(self.tools.len(), Wrench::default());
        if self.config.contact == Contact::Nodes {
            return None;
        }
        let width = self.config.cell_width;
        let center = Vector3::from_fn(|axis, _| {
            self.config.origin[axis] + ((at[axis] * BLOCK + BLOCK / 2) as f64 + 0.5) * width
        });
        // Particles may be up to a cell outside their block, may move by one more cell, and extend by half their
        // size.
        let reach = (BLOCK as f64 / 2.0 + 2.0 + displacement) * 3f64.sqrt() * width;
        let near: Vec<_> = (0..self.tools.len())
            .filter(|&index| {
                let tool = &self.tools[index];
                let center = tool.rotation.inverse() * (center - tool.position);
                tool.friction.is_finite()
                    && center.norm() <= tool.shape.reach() + reach
                    && tool.shape.least_distance(&center) <= reach
            })
            .map(|index| NearTool::new(index, &self.tools[index], self.largest, self.config))
            .map(|tool| (tool, 0))
            .collect();
        (!near.is_empty()).then_some(BlockContact {
            all: self,
            near,
            impulses,
            points,
            before,
            moments: [[0.0; 16]; 9],
        })
    }
}

impl BlockContact<'_> {
    /// Changes the velocities of particles in contact. Returns the matching change of the affine velocities, if there
    /// is contact.
    #[inline(always)]
    pub(super) fn apply<L: Lanes>(&mut self, l: L, chunk: &mut Chunk) -> Option<&[Row; 9]> {
        self.before.push([chunk.velocity, chunk.slip]);
        let mut touching = 0;
        for (tool, lanes) in &mut self.near {
            *lanes = tool.lanes(l, chunk);
            touching |= *lanes;
        }
        if touching == 0 {
            chunk.slip = [[0.0; 16]; 3];
            return None;
        }
        self.apply_to_all(chunk);
        Some(&self.moments)
    }

    fn apply_to_all(&mut self, chunk: &mut Chunk) {
        self.moments = [[0.0; 16]; 9];
        for lane in 0..chunk.n {
            self.apply_to(chunk, lane);
        }
    }

    fn apply_to(&mut self, chunk: &mut Chunk, lane: usize) {
        let ToolContact {
            config,
            tools,
            grips,
            dt,
            ..
        } = self.all;
        let is_far = self.near.iter().all(|(_, lanes)| lanes & 1 << lane == 0);
        if is_far || grips.of(chunk.ids[lane]).is_some() {
            for row in &mut chunk.slip {
                row[lane] = 0.0;
            }
            return;
        }
        let position = Vector3::from_fn(|axis, _| {
            let cells = f64::from(chunk.position[axis][lane] + chunk.displacement[axis][lane]);
            config.origin[axis] + cells * config.cell_width
        });
        let h = f64::from(chunk.volume[lane]).cbrt();
        let mut nearest: Option<(usize, SignedDistance)> = None;
        for (NearTool { index, .. }, lanes) in &self.near {
            if lanes & 1 << lane == 0 {
                continue;
            }
            let (index, tool) = (*index, &tools[*index]);
            let local = tool.rotation.inverse() * (position - tool.position);
            let surface = tool.shape.surface(&local);
            if nearest.is_none_or(|(_, nearest)| surface.distance < nearest.distance) {
                nearest = Some((index, surface));
            }
        }
        let touched = nearest
            .map(|(index, surface)| (index, surface, (0.5 * h - surface.distance).min(h)))
            .filter(|(_, _, depth)| *depth > 0.0);
        let Some((index, surface, depth)) = touched else {
            for row in &mut chunk.slip {
                row[lane] = 0.0;
            }
            return;
        };
        let tool = &tools[index];
        let mass = f64::from(chunk.mass[lane]);
        let stiffness = f64::from(chunk.lame_lambda[lane]) + 2.0 * f64::from(chunk.lame_mu[lane]);
        let kappa_per_dt = (STIFFNESS * stiffness * h * dt / mass).min(MAX_KAPPA / dt);
        let normal = tool.rotation * surface.normal;
        // From the particle to the touched face.
        let r = normal * (-0.5 * h);
        let arm = position + r - tool.position;
        let tool_velocity = tool.linear + tool.angular.cross(&arm);
        let read = |rows: &[Row; 3]| Vector3::from_fn(|i, _| f64::from(rows[i][lane]));
        let relative = read(&chunk.velocity) - tool_velocity;
        let v_n = relative.dot(&normal);
        let dv_n = (kappa_per_dt * depth - v_n).max(0.0);
        let v_t = relative - normal * v_n;
        let slip = read(&chunk.slip) + v_t * dt;
        let slip = slip - normal * slip.dot(&normal);
        let dv_t = -(v_t + slip * kappa_per_dt);
        let max_dv_t = tool.friction * dv_n;
        let dv_t_norm = dv_t.norm();
        let dv_t = if dv_t_norm > max_dv_t {
            dv_t * (max_dv_t / dv_t_norm)
        } else {
            dv_t
        };
        let slip = if dv_t_norm > max_dv_t {
            -dv_t / kappa_per_dt
        } else {
            slip
        };
        let dv = normal * dv_n + dv_t;
        let r_at_weights = match config.formulation {
            Formulation::UpdatedLagrangian => r,
            Formulation::TotalLagrangian => face_at_rest(chunk, lane, &normal, h),
        };
        let wrench = &mut self.impulses[index];
        wrench.force -= dv * mass;
        wrench.torque -= arm.cross(&dv) * mass;
        if tool.records_points {
            self.points.push(PointImpulse {
                tool: index,
                arm,
                impulse: -dv * mass,
            });
        }
        for axis in 0..3 {
            chunk.velocity[axis][lane] += dv[axis] as f32;
            chunk.slip[axis][lane] = slip[axis] as f32;
            for column in 0..3 {
                let moment = dv[axis] * r_at_weights[column] * 4.0 / config.cell_width.powi(2);
                self.moments[3 * axis + column][lane] = moment as f32;
            }
        }
    }
}

/// Vector from a particle to the face of its cube that faces against a normal, at rest [m]: $-N h / 2$ with $N$ along
/// $F^T n$.
fn face_at_rest(chunk: &Chunk, lane: usize, normal: &Vector3<f64>, h: f64) -> Vector3<f64> {
    let f = &chunk.deformation_grad;
    let pulled = Vector3::from_fn(|j, _| {
        (0..3)
            .map(|i| f64::from(f[3 * i + j][lane]) * normal[i])
            .sum()
    });
    pulled.normalize() * (-0.5 * h)
}
