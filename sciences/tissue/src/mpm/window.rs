//! Window of moving particles around the tools: see [`MpmConfig::reach`].
//!
//! The window consists of cubes of two cells whose centres at rest are within reach of a tool, so it changes only when
//! a tool has moved by a large part of a cube. It depends only on the poses of the tools and the held particles, so a
//! restored state continues like the saved one.
//!
//! Particles outside the window rest. They keep their position and deformation, and continue when they are within reach
//! again. A node with a resting particle in its own cell does not move either. These are the inner half of the nodes
//! that a resting particle reaches: if all of them were fixed, tissue would be stiffer up to 1.5 cells inside the
//! window.

use nalgebra::Vector3;

use super::block::NodeBlock;
use super::chunk::Particle;
use super::config::MpmConfig;
use super::hold::{Grips, WORLD};
use super::tile::BLOCK;
use crate::tool::Tool;

/// Width of a cube, in cells.
const CUBE: f64 = 2.0;

/// Cubes, and the particles that rest in cubes out of reach.
#[derive(Debug, Clone, Default)]
pub(super) struct Window {
    /// Centres of the cubes [m]; empty if all particles move.
    cubes: Vec<Vector3<f64>>,
    /// Index of the cube of each particle.
    cube_of: Vec<u32>,
    /// Whether the particles of each cube move.
    moves: Vec<bool>,
    /// Resting particles, in arbitrary order.
    pub(super) resting: Vec<(u32, Particle)>,
    /// Nodes in whose cells particles rest, without duplicates.
    nodes: Vec<[u16; 3]>,
}

impl Window {
    /// Window of particles at rest shape, ordered by index. All particles move.
    pub(super) fn new(config: &MpmConfig, start: &[(u32, Particle)]) -> Self {
        if config.active_radius == f64::INFINITY {
            return Self::default();
        }
        // The cell of a node extends from half a cell before it to half a cell after it.
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

    /// Moves the cubes within reach of any tool except planes. Returns whether the set of cubes has changed.
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

    /// Keeps the particles that rest, with zero velocity, and returns the others.
    pub(super) fn rest(&mut self, all: Vec<(u32, Particle)>) -> Vec<(u32, Particle)> {
        let moves = |id: u32| self.moves[self.cube_of[id as usize] as usize];
        let (moving, resting) = all.into_iter().partition(|(id, _)| moves(*id));
        self.set_resting(resting);
        moving
    }

    /// Sets the resting particles.
    pub(super) fn set_resting(&mut self, mut resting: Vec<(u32, Particle)>) {
        for (_, particle) in &mut resting {
            (particle.velocity, particle.slip) = ([0.0; 3], [0.0; 3]);
            particle.affine = [0.0; 9];
        }
        self.nodes.clear();
        self.nodes.extend(resting.iter().map(|(_, particle)| {
            // Particles are within the domain, which has at most 1024 cells along an axis.
            particle.position.map(|x| (x + 0.5) as u16)
        }));
        self.nodes.sort_unstable();
        self.nodes.dedup();
        self.resting = resting;
    }

    /// Sets the cubes of resting particles as not moving. Returns `false` if a cube has both resting and moving
    /// particles.
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

    /// Marks the nodes that do not move, in blocks ordered by position.
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
