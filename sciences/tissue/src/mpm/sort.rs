//! Sorts particles by block, and within a block by cell, and allocates the nodes that they need.
//!
//! Particles are sorted within a block when many have changed cells, and among blocks when one is far from its block.

use super::block::{Block, NodeBlock};
use super::chunk::{Chunk, Particle};
use super::tile::{BLOCK, LEAD, NONE, WIDTH};

/// Blocks with particles in the order of their position, and the surrounding nodes.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    pub(super) blocks: Vec<Block>,
    pub(super) node_blocks: Vec<NodeBlock>,
}

/// Sort key of a particle: its block, and its cell in the block.
type Key = (u32, u16);

/// Sorts particles `(id, particle)`. `None` if a particle is outside the domain or not finite.
///
/// Particles of a cell are ordered by id, so the order depends only on the particles.
pub(super) fn sort(particles: &[(u32, Particle)], n_blocks: [usize; 3]) -> Option<Sorted> {
    let mut order = Vec::with_capacity(particles.len());
    for (index, (id, particle)) in particles.iter().enumerate() {
        let (block, cell) = key(&particle.position, n_blocks)?;
        order.push((block, cell, *id, index as u32));
    }
    order.sort_unstable();
    let mut block_of = vec![NONE; n_blocks.iter().product()];
    let mut blocks: Vec<Block> = Vec::new();
    for (place, _, id, index) in order {
        let slot = &mut block_of[place as usize];
        if *slot == NONE {
            *slot = blocks.len() as u32;
            blocks.push(Block::new(at(place as usize, n_blocks)));
        }
        let chunks = &mut blocks[*slot as usize].chunks;
        Chunk::push_to(chunks, id, &particles[index as usize].1);
    }
    let node_blocks = connect(&mut blocks, &block_of, n_blocks);
    Some(Sorted {
        blocks,
        node_blocks,
    })
}

/// Cells along an edge of a block, including those that its particles may reach.
const CELLS: usize = WIDTH - 2;

/// Sorts the particles of a block by their current cells, unless these are more than `max_cells`. The sort is stable.
pub(super) fn sort_by_cell(chunks: &mut Vec<Chunk>, at: [usize; 3], max_cells: usize) {
    let first = at.map(|at| (at * BLOCK) as f32 - LEAD as f32);
    let cell = |chunk: &Chunk, lane: usize| {
        let mut cell = 0;
        for (row, first) in chunk.position.iter().zip(first) {
            // A particle with an invalid position stops the world, at any place in the order.
            let base = (row[lane] - 0.5).floor() - first;
            cell = cell * CELLS + (base as usize).min(CELLS - 1);
        }
        cell
    };
    let mut starts = [0u32; CELLS * CELLS * CELLS + 1];
    let mut cells = Vec::with_capacity(chunks.len() * 16);
    for chunk in chunks.iter() {
        for lane in 0..chunk.n {
            let cell = cell(chunk, lane);
            starts[cell + 1] += 1;
            cells.push(cell as u32);
        }
    }
    if starts.iter().filter(|n| **n > 0).count() > max_cells {
        return;
    }
    for cell in 0..CELLS * CELLS * CELLS {
        starts[cell + 1] += starts[cell];
    }
    let mut order = vec![0; cells.len()];
    for (index, cell) in cells.into_iter().enumerate() {
        let start = &mut starts[cell as usize];
        order[*start as usize] = index;
        *start += 1;
    }
    let unsorted = std::mem::replace(chunks, Vec::with_capacity(chunks.len()));
    for index in order {
        // All chunks but the last are full.
        let (chunk, lane) = (&unsorted[index / 16], index % 16);
        Chunk::push_to(chunks, chunk.ids[lane], &chunk.get(lane));
    }
}

/// Connects blocks that are already sorted. `None` if two blocks have the same position.
pub(super) fn connect_blocks(blocks: &mut [Block], n_blocks: [usize; 3]) -> Option<Vec<NodeBlock>> {
    let mut block_of = vec![NONE; n_blocks.iter().product()];
    for (index, block) in blocks.iter().enumerate() {
        let [x, y, z] = block.at;
        let slot = &mut block_of[(x * n_blocks[1] + y) * n_blocks[2] + z];
        if *slot != NONE {
            return None;
        }
        *slot = index as u32;
    }
    Some(connect(blocks, &block_of, n_blocks))
}

/// Whether a particle is in the domain.
pub(super) fn is_in_domain(particle: &Particle, n_blocks: [usize; 3]) -> bool {
    key(&particle.position, n_blocks).is_some()
}

/// Whether all nodes that a particle reaches are in the tile of a block, and the particle is in the
/// domain.
pub(super) fn is_in(particle: &Particle, at: [usize; 3], n_blocks: [usize; 3]) -> bool {
    is_in_domain(particle, n_blocks)
        && particle.position.iter().zip(at).all(|(x, at)| {
            let base = (x - 0.5).floor() - (at * BLOCK) as f32 + LEAD as f32;
            (0.0..=(WIDTH - 3) as f32).contains(&base)
        })
}

/// Allocates the nodes around blocks of particles, and links them.
fn connect(blocks: &mut [Block], block_of: &[u32], n_blocks: [usize; 3]) -> Vec<NodeBlock> {
    let mut core_of = vec![NONE; block_of.len()];
    for block in blocks.iter() {
        for place in around(block.at, n_blocks).into_iter().flatten() {
            core_of[place] = 0;
        }
    }
    let mut node_blocks = Vec::new();
    for (place, slot) in core_of.iter_mut().enumerate() {
        if *slot == NONE {
            continue;
        }
        *slot = node_blocks.len() as u32;
        let mut node_block = NodeBlock::new(at(place, n_blocks));
        node_block.near =
            around(node_block.at, n_blocks).map(|near| near.map_or(NONE, |near| block_of[near]));
        node_blocks.push(node_block);
    }
    for block in blocks {
        block.near = around(block.at, n_blocks).map(|near| near.map_or(NONE, |near| core_of[near]));
    }
    node_blocks
}

fn key(position: &[f32; 3], n_blocks: [usize; 3]) -> Option<Key> {
    let (mut place, mut cell) = (0, 0);
    for (x, n) in position.iter().zip(n_blocks) {
        let base = (x - 0.5).floor();
        // Nodes at the edge of a block need no further block, but particles may reach there.
        if !(base >= 0.0 && base <= (n * BLOCK - 3) as f32) {
            return None;
        }
        let base = base as usize;
        place = place * n + base / BLOCK;
        cell = cell * BLOCK + base % BLOCK;
    }
    Some((place as u32, cell as u16))
}

fn at(place: usize, [_, ny, nz]: [usize; 3]) -> [usize; 3] {
    [place / (ny * nz), place / nz % ny, place % nz]
}

/// The 27 blocks around a block, with itself in the middle; `None` outside the domain.
fn around(at: [usize; 3], n_blocks: [usize; 3]) -> [Option<usize>; 27] {
    std::array::from_fn(|i| {
        let side = [i / 9, i / 3 % 3, i % 3];
        let mut place = 0;
        for axis in 0..3 {
            let near = (at[axis] + side[axis]).checked_sub(1)?;
            if near >= n_blocks[axis] {
                return None;
            }
            place = place * n_blocks[axis] + near;
        }
        Some(place)
    })
}
