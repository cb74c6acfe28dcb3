//! Grid update: from momentum to velocity at the nodes, with gravity, grips, tools and walls.
//!
//! A node of a held particle moves with its holder and ignores contact: see [`hold`](super::hold).
//!
//! A node near tools of infinite friction sticks to the nearest of them. Other tools push particles: see
//! [`contact`](super::contact). With [`Contact::Nodes`] they push nodes: the velocity of a node relative to the surface
//! of the nearest tool loses its component into the tool, and Coulomb friction reduces the tangential component, $v_t
//! \leftarrow v_t \max(0, 1 - \mu \, |v_n| / |v_t|)$. The tool receives the momentum that a node loses, so action
//! equals reaction.

use nalgebra::Vector3;

use super::block::NodeBlock;
use super::config::{Contact, MpmConfig, WALL_NODES, Wall};
use super::hold::{FREE, Motion, NodeMarks, WORLD};
use super::tile::BLOCK;
use crate::tool::{PointImpulse, SignedDistance, Tool, Wrench};

/// Inputs of the grid update, shared by all nodes.
#[derive(Debug)]
pub(super) struct GridUpdate<'a> {
    pub(super) config: &'a MpmConfig,
    /// Tools at their poses in this substep.
    pub(super) tools: &'a [Tool],
    /// Motion of each holder; empty if nothing is held.
    pub(super) motions: &'a [Motion],
    /// Length of the substep [s].
    pub(super) dt: f64,
}

impl GridUpdate<'_> {
    /// Computes velocities from the momenta of a block of nodes. `marks` are the holders of its nodes, if any.
    pub(super) fn update(&self, node_block: &mut NodeBlock, marks: Option<&NodeMarks>) {
        node_block.points.clear();
        node_block.impulses.clear();
        node_block
            .impulses
            .resize(self.tools.len() + 1, Wrench::default());
        let gravity_dt = self.config.gravity.map(|g| (g * self.dt) as f32);
        for node in node_block.nodes.chunks_exact_mut(4) {
            let mass = node[3];
            if mass > 0.0 {
                for axis in 0..3 {
                    node[axis] = node[axis] / mass + gravity_dt[axis];
                }
            } else {
                node.fill(0.0);
            }
        }
        if let Some(marks) = marks {
            self.apply_grips(node_block, marks);
        }
        let is_held = |node: usize| marks.is_some_and(|marks| marks[node] != FREE);
        self.apply_tools(node_block, is_held);
        self.apply_walls(node_block, is_held);
    }

    /// Applies the motion of holders to held nodes.
    fn apply_grips(&self, node_block: &mut NodeBlock, marks: &NodeMarks) {
        let first = self.first_node(node_block);
        for (i, (node, &holder)) in node_block.nodes.chunks_exact_mut(4).zip(marks).enumerate() {
            let Some(motion) = self.motions.get(holder as usize) else {
                continue;
            };
            if node[3] <= 0.0 {
                continue;
            }
            let place = first + self.offset_of(i);
            let (arm, velocity) = motion.at(&place);
            let mut taken = Vector3::zeros();
            for axis in 0..3 {
                let after = velocity[axis] as f32;
                taken[axis] = f64::from(node[3]) * (f64::from(node[axis]) - f64::from(after));
                node[axis] = after;
            }
            let impulse_idx = if holder == WORLD {
                self.tools.len()
            } else {
                holder as usize - 1
            };
            let impulse = &mut node_block.impulses[impulse_idx];
            impulse.force += taken;
            impulse.torque += arm.cross(&taken);
            let records = |tool: &Tool| tool.records_points;
            if self.tools.get(impulse_idx).is_some_and(records) {
                node_block.points.push(PointImpulse {
                    tool: impulse_idx,
                    arm,
                    impulse: taken,
                });
            }
        }
    }

    /// Offset of a node from the first node of its block [m].
    fn offset_of(&self, node: usize) -> Vector3<f64> {
        let steps = [node / (BLOCK * BLOCK), node / BLOCK % BLOCK, node % BLOCK];
        Vector3::from(steps.map(|step| step as f64 * self.config.cell_width))
    }

    /// World position of the first node of a block [m].
    fn first_node(&self, node_block: &NodeBlock) -> Vector3<f64> {
        Vector3::from_fn(|axis, _| {
            self.config.origin[axis] + (node_block.at[axis] * BLOCK) as f64 * self.config.cell_width
        })
    }

    /// Applies tools that push nodes. The nearest tool acts on a node.
    fn apply_tools(&self, node_block: &mut NodeBlock, is_held: impl Fn(usize) -> bool) {
        let width = self.config.cell_width;
        let near = self.config.contact_distance * width;
        let first = self.first_node(node_block);
        let half = (BLOCK - 1) as f64 * 0.5 * width;
        let center = first.add_scalar(half);
        let reach = half * 3f64.sqrt() + near;
        let is_near = |tool: &Tool| {
            if tool.friction != f64::INFINITY && self.config.contact != Contact::Nodes {
                return false;
            }
            let center = tool.rotation.inverse() * (center - tool.position);
            center.norm() <= tool.shape.reach() + reach
                && tool.shape.least_distance(&center) <= reach
        };
        if !self.tools.iter().any(is_near) {
            return;
        }
        let around: Vec<_> = (0..self.tools.len())
            .filter(|&index| is_near(&self.tools[index]))
            .map(|index| {
                let tool = &self.tools[index];
                let unturn = tool.rotation.inverse().to_rotation_matrix();
                (index, unturn * (first - tool.position), unturn)
            })
            .collect();
        for (i, node) in node_block.nodes.chunks_exact_mut(4).enumerate() {
            if node[3] <= 0.0 || is_held(i) {
                continue;
            }
            let offset = self.offset_of(i);
            let mut nearest: Option<(usize, SignedDistance)> = None;
            for (index, first, unturn) in &around {
                let index = *index;
                let surface = self.tools[index].shape.surface(&(first + unturn * offset));
                let most = nearest.map_or(near, |(_, nearest)| nearest.distance);
                if surface.distance < most {
                    nearest = Some((index, surface));
                }
            }
            if let Some((index, surface)) = nearest {
                let tool = &self.tools[index];
                let arm = first + offset - tool.position;
                let Some(taken) = apply_tool(tool, &arm, surface, node) else {
                    continue;
                };
                let impulse = &mut node_block.impulses[index];
                impulse.force += taken;
                impulse.torque += arm.cross(&taken);
                if tool.records_points {
                    node_block.points.push(PointImpulse {
                        tool: index,
                        arm,
                        impulse: taken,
                    });
                }
            }
        }
    }

    /// Applies the domain's walls.
    fn apply_walls(&self, node_block: &mut NodeBlock, is_held: impl Fn(usize) -> bool) {
        let n_nodes = self.config.blocks().map(|blocks| blocks * BLOCK);
        for axis in 0..3 {
            let first = node_block.at[axis] * BLOCK;
            let is_low = first < WALL_NODES;
            let is_high = first + BLOCK > n_nodes[axis] - WALL_NODES;
            if !is_low && !is_high {
                continue;
            }
            let stride = [BLOCK * BLOCK, BLOCK, 1][axis];
            for (i, node) in node_block.nodes.chunks_exact_mut(4).enumerate() {
                if is_held(i) {
                    continue;
                }
                let place = first + i / stride % BLOCK;
                let (wall, outward) = if place < WALL_NODES {
                    (self.config.walls[axis][0], -1.0)
                } else if place >= n_nodes[axis] - WALL_NODES {
                    (self.config.walls[axis][1], 1.0)
                } else {
                    continue;
                };
                match wall {
                    Wall::Sticky => node[..3].fill(0.0),
                    Wall::Slip => node[axis] = 0.0,
                    Wall::Separate if node[axis] * outward > 0.0 => node[axis] = 0.0,
                    Wall::Separate => {}
                }
            }
        }
    }
}

/// Contact of one node with one tool, `arm` away from the tool's origin [m]. Returns the impulse on the tool [N·s], if there is contact.
fn apply_tool(
    tool: &Tool,
    arm: &Vector3<f64>,
    surface: SignedDistance,
    node: &mut [f32],
) -> Option<Vector3<f64>> {
    let normal = tool.rotation * surface.normal;
    let before = Vector3::new(node[0], node[1], node[2]).map(f64::from);
    let tool_velocity = tool.linear + tool.angular.cross(arm);
    let relative = before - tool_velocity;
    let v_n = relative.dot(&normal);
    let after = if tool.friction == f64::INFINITY {
        tool_velocity
    } else if v_n < 0.0 {
        let v_t = relative - normal * v_n;
        let scale = 1.0 + tool.friction * v_n / v_t.norm().max(1e-12);
        tool_velocity + v_t * scale.max(0.0)
    } else {
        return None;
    };
    let taken = (before - after) * f64::from(node[3]);
    for axis in 0..3 {
        node[axis] = after[axis] as f32;
    }
    Some(taken)
}
