//! Which particles move where only those within reach of tools do: see [`MpmConfig::reach`].
//!
//! The window is made of cubes of two cells, whose middles at rest are within reach of a tool, so it changes only as the tool goes on by a
//! good part of a cube. It follows from the tools' poses and what they hold alone: a restored state goes on as the saved one did.
//!
//! What is outside stands still where it is, with the deformation that it has, and moves on from there when it is within reach again.
//! A node in whose own cell such a particle rests does not move either. Of the nodes that a resting particle would reach these are the
//! inner half: to hold all of them would make tissue stiffer 1.5 cells far into the window.

use nalgebra::Vector3;

use super::block::NodeBlock;
use super::chunk::Particle;
use super::config::MpmConfig;
use super::hold::{Grips, WORLD};
use super::tile::BLOCK;
use crate::tool::Tool;

/// Width of a cube, in cells.
const CUBE: f64 = 2.0;

/// Cubes, and the particles that rest in those out of reach.
#[derive(Debug, Clone, Default)]
pub(super) struct Window {
    /// Middles of the cubes [m]; none: all particles move.
    cubes: Vec<Vector3<f64>>,
    /// The cube of each particle.
    cube_of: Vec<u32>,
    /// Whether the particles of each cube move.
    moves: Vec<bool>,
    /// Particles that stand still, in no order that counts.
    pub(super) resting: Vec<(u32, Particle)>,
    /// Nodes in whose cells they rest, each once.
    nodes: Vec<[u16; 3]>,
}

impl Window {
    /// Of particles at rest shape, by their numbers; all move.
    pub(super) fn new(config: &MpmConfig, start: &[(u32, Particle)]) -> Self {
        if config.reach == f64::INFINITY {
            return Self::default();
        }
        // Cells are those of nodes, from half a cell before to half a cell after.
        let place = |(_, particle): &(u32, Particle)| -> [i64; 3] {
            particle
                .position
                .map(|x| ((f64::from(x) + 0.5) / CUBE).floor() as i64)
        };
        let all: Vec<[i64; 3]> = start.iter().map(place).collect();
        let mut places = all.clone();
        places.sort_unstable();
        places.dedup();
        let index = |place: &[i64; 3]| places.partition_point(|other| other < place) as u32;
        let middle = |place: &[i64; 3]| {
            Vector3::from_fn(|axis, _| {
                let cells = (place[axis] as f64 + 0.5) * CUBE - 0.5;
                config.origin[axis] + cells * config.cell_width
            })
        };
        Self {
            cube_of: all.iter().map(index).collect(),
            moves: vec![true; places.len()],
            cubes: places.iter().map(middle).collect(),
            ..Self::default()
        }
    }

    /// Takes the cubes within reach of any tool but planes as those that move; whether they are others than before.
    pub(super) fn choose(&mut self, reach: f64, tools: &[Tool], grips: &Grips) -> bool {
        let mut moves = vec![false; self.cubes.len()];
        for tool in tools {
            let Some(around) = tool.shape.bounds() else {
                continue;
            };
            let most = tool.shape.reach() + reach;
            let turned = tool.rotation.inverse().to_rotation_matrix();
            for (cube, moves) in self.cubes.iter().zip(&mut moves) {
                let way = cube - tool.position;
                *moves |= way.norm() < most && around.distance(&(turned * way)) < reach;
            }
        }
        for held in grips.held().iter().filter(|held| held.holder != WORLD) {
            if let Some(cube) = self.cube_of.get(held.particle as usize) {
                moves[*cube as usize] = true;
            }
        }
        std::mem::replace(&mut self.moves, moves) != self.moves
    }

    /// Keeps those of all particles that rest, now without velocity; gives the others.
    pub(super) fn rest(&mut self, all: Vec<(u32, Particle)>) -> Vec<(u32, Particle)> {
        let moves = |id: u32| self.moves[self.cube_of[id as usize] as usize];
        let (moving, resting) = all.into_iter().partition(|(id, _)| moves(*id));
        self.set_resting(resting);
        moving
    }

    /// Particles that rest.
    pub(super) fn set_resting(&mut self, mut resting: Vec<(u32, Particle)>) {
        for (_, particle) in &mut resting {
            (particle.velocity, particle.slip) = ([0.0; 3], [0.0; 3]);
            particle.affine = [0.0; 9];
        }
        self.nodes.clear();
        self.nodes.extend(resting.iter().map(|(_, particle)| {
            // Particles are within the domain, of at most 1024 cells.
            particle.position.map(|x| (x + 0.5) as u16)
        }));
        self.nodes.sort_unstable();
        self.nodes.dedup();
        self.resting = resting;
    }

    /// Takes the cubes of particles that rest as those that do not move; `false`: in one cube some rest and some do not.
    pub(super) fn set_by_resting(&mut self, resting: Vec<(u32, Particle)>) -> bool {
        let mut counts = vec![[0u32; 2]; self.cubes.len()];
        for cube in &self.cube_of {
            counts[*cube as usize][0] += 1;
        }
        for (id, _) in &resting {
            match self.cube_of.get(*id as usize) {
                Some(cube) => counts[*cube as usize][1] += 1,
                None => return false,
            }
        }
        if !counts.iter().all(|[all, rest]| *rest == 0 || rest == all) {
            return false;
        }
        self.moves = counts.iter().map(|[_, rest]| *rest == 0).collect();
        self.set_resting(resting);
        true
    }

    /// Marks the nodes that do not move, in blocks in the order of their places.
    pub(super) fn mark(&self, node_blocks: &mut [NodeBlock]) {
        for node in &self.nodes {
            let node = node.map(usize::from);
            let at = node.map(|i| i / BLOCK);
            let found = node_blocks.binary_search_by(|block| block.at.cmp(&at));
            let [x, y, z] = node.map(|i| i % BLOCK);
            if let Ok(index) = found {
                node_blocks[index].at_rest |= 1 << ((x * BLOCK + y) * BLOCK + z);
            }
        }
    }
}
