//! The sparse grid: [`Nodes`] of one block of 4 × 4 × 4 cells, and the [`Tile`] of nodes that the block's particles
//! reach.
//!
//! A node is four numbers: momentum (later velocity) and mass. Nodes are contiguous along z, so the three nodes that a
//! particle reaches in a row are twelve contiguous numbers.
//!
//! Particles may leave their block by up to a cell before they are sorted again, and reach two nodes further. A tile
//! therefore spans the nodes −1 to 6 of the block, 8 along each axis.

/// Cells along the edge of a block.
pub(super) const BLOCK: usize = 4;
/// Nodes along the edge of a tile.
pub(super) const WIDTH: usize = 8;
/// Index of the block's first node in the tile, along each axis.
pub(super) const LEAD: usize = 1;
/// Floats of a tile. The last row is read in groups of sixteen floats, so there are four more floats than
/// nodes need.
pub(super) const TILE_LEN: usize = WIDTH * WIDTH * WIDTH * 4 + 4;
/// Floats of the nodes of a block.
pub(super) const NODES_LEN: usize = BLOCK * BLOCK * BLOCK * 4;
/// Index for a missing neighbour.
pub(super) const NONE: u32 = u32::MAX;

/// Nodes around a block.
pub(super) type Tile = [f32; TILE_LEN];
/// Nodes of a block.
pub(super) type Nodes = [f32; NODES_LEN];

/// Parts of a tile along one axis that lie in the previous block, in the block itself and in the next block: first
/// node in the tile, first node in that block, number of nodes.
const PARTS: [(usize, usize, usize); 3] = [(0, 3, 1), (1, 0, 4), (5, 0, 3)];

/// Parts of the tile in which a particle reaches nodes, for each first node of the particle: one bit per part in the
/// order of the 27 surrounding blocks. Zero for first nodes that no particle can have.
pub(super) const TOUCHED: [u32; WIDTH * WIDTH * WIDTH] = {
    let mut touched = [0; WIDTH * WIDTH * WIDTH];
    let mut base = 0;
    while base < touched.len() {
        let first = [base / (WIDTH * WIDTH), base / WIDTH % WIDTH, base % WIDTH];
        if first[0] + 3 <= WIDTH && first[1] + 3 <= WIDTH && first[2] + 3 <= WIDTH {
            let mut node = 0;
            while node < 27 {
                let i = part_of(first[0] + node / 9);
                let j = part_of(first[1] + node / 3 % 3);
                let k = part_of(first[2] + node % 3);
                touched[base] |= 1 << ((i * 3 + j) * 3 + k);
                node += 1;
            }
        }
        base += 1;
    }
    touched
};

/// The part of a tile, along one axis, in which a node lies.
const fn part_of(node: usize) -> usize {
    if node < PARTS[1].0 {
        0
    } else if node < PARTS[2].0 {
        1
    } else {
        2
    }
}

/// Copies the nodes of the 27 surrounding blocks into a tile. Missing blocks give zeros.
pub(super) fn gather<'a>(tile: &mut Tile, nodes: impl Fn(usize) -> Option<&'a Nodes>) {
    for i in 0..3 {
        for j in 0..3 {
            let side = (i * 3 + j) * 3;
            copy::<0, 4>(tile, nodes(side), i, j);
            copy::<1, 16>(tile, nodes(side + 1), i, j);
            copy::<2, 12>(tile, nodes(side + 2), i, j);
        }
    }
}

/// Copies the part of a tile that lies in one surrounding block. `K` is the side along z; rows have `FLOATS` floats,
/// known at compile time.
fn copy<const K: usize, const FLOATS: usize>(
    tile: &mut Tile,
    source: Option<&Nodes>,
    i: usize,
    j: usize,
) {
    let (tile_k, from_k, _) = PARTS[K];
    let ((tile_i, from_i, n_i), (tile_j, from_j, n_j)) = (PARTS[i], PARTS[j]);
    for di in 0..n_i {
        for dj in 0..n_j {
            let to = (((tile_i + di) * WIDTH + tile_j + dj) * WIDTH + tile_k) * 4;
            let from = (((from_i + di) * BLOCK + from_j + dj) * BLOCK + from_k) * 4;
            *row_mut::<FLOATS>(tile, to) = source.map_or([0.0; FLOATS], |nodes| *row(nodes, from));
        }
    }
}

/// Sums the contributions of the tiles of the 27 surrounding blocks to the nodes of a block, always in the same
/// order.
pub(super) fn sum<'a>(nodes: &mut Nodes, tiles: impl Fn(usize) -> Option<&'a Tile>) {
    nodes.fill(0.0);
    for i in 0..3 {
        for j in 0..3 {
            let side = (i * 3 + j) * 3;
            // The part of that block's tile that lies in this block: from there, this block is on the opposite side.
            add::<2, 12>(nodes, tiles(side), i, j);
            add::<1, 16>(nodes, tiles(side + 1), i, j);
            add::<0, 4>(nodes, tiles(side + 2), i, j);
        }
    }
}

/// Adds the part of a neighbour's tile that lies in this block. `K` and `FLOATS` are as in [`copy`], from the
/// neighbour's side.
fn add<const K: usize, const FLOATS: usize>(
    nodes: &mut Nodes,
    tile: Option<&Tile>,
    i: usize,
    j: usize,
) {
    let Some(tile) = tile else {
        return;
    };
    let (tile_k, to_k, _) = PARTS[K];
    let ((tile_i, to_i, n_i), (tile_j, to_j, n_j)) = (PARTS[2 - i], PARTS[2 - j]);
    for di in 0..n_i {
        for dj in 0..n_j {
            let from = (((tile_i + di) * WIDTH + tile_j + dj) * WIDTH + tile_k) * 4;
            let to = (((to_i + di) * BLOCK + to_j + dj) * BLOCK + to_k) * 4;
            let values = row::<FLOATS>(tile, from);
            for (sum, value) in row_mut::<FLOATS>(nodes, to).iter_mut().zip(values) {
                *sum += value;
            }
        }
    }
}

/// Minimum of the values in the tiles of the 27 surrounding blocks for each node of a block, or `start` without
/// values.
pub(super) fn least<'a>(
    start: u32,
    tiles: impl Fn(usize) -> Option<&'a [u32; WIDTH * WIDTH * WIDTH]>,
) -> [u32; BLOCK * BLOCK * BLOCK] {
    let mut nodes = [start; BLOCK * BLOCK * BLOCK];
    for side in 0..27 {
        let Some(tile) = tiles(side) else {
            continue;
        };
        // From there, this block is on the opposite side.
        let [x, y, z] = [side / 9, side / 3 % 3, side % 3].map(|side| PARTS[2 - side]);
        for i in 0..x.2 {
            for j in 0..y.2 {
                for k in 0..z.2 {
                    let from = ((x.0 + i) * WIDTH + y.0 + j) * WIDTH + z.0 + k;
                    let to = ((x.1 + i) * BLOCK + y.1 + j) * BLOCK + z.1 + k;
                    nodes[to] = nodes[to].min(tile[from]);
                }
            }
        }
    }
    nodes
}

fn row<const FLOATS: usize>(of: &[f32], start: usize) -> &[f32; FLOATS] {
    let row = &of[start..start + FLOATS];
    row.try_into().expect("the length is that of the row")
}

fn row_mut<const FLOATS: usize>(of: &mut [f32], start: usize) -> &mut [f32; FLOATS] {
    let row = &mut of[start..start + FLOATS];
    row.try_into().expect("the length is that of the row")
}

const _: () = {
    let mut k = 0;
    while k < 3 {
        assert!(PARTS[k].2 * 4 == [4, 16, 12][k]);
        k += 1;
    }
};
