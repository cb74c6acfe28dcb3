//! Nodes of the grid in pieces: a core holds the nodes of one block of 4 × 4 × 4 cells, a tile those that the block's particles reach.
//!
//! A node is four numbers, momentum (later velocity) and mass. Along z nodes follow each other, so the three nodes that a particle
//! reaches in a row are twelve numbers side by side.
//!
//! Particles may leave their block by up to a cell before they are sorted anew, and reach two nodes further: a tile spans the nodes −1 to 6
//! of the block, 8 along each axis.

/// Cells along the edge of a block.
pub(super) const BLOCK: usize = 4;
/// Nodes along the edge of a tile.
pub(super) const WIDTH: usize = 8;
/// Where the block's own first node stands in the tile, along each axis.
pub(super) const LEAD: usize = 1;
/// Floats of a tile; the last row is read sixteen at a time, so there are four more than nodes have.
pub(super) const TILE_LEN: usize = WIDTH * WIDTH * WIDTH * 4 + 4;
/// Floats of a core.
pub(super) const CORE_LEN: usize = BLOCK * BLOCK * BLOCK * 4;
/// No such neighbour.
pub(super) const NONE: u32 = u32::MAX;

/// Nodes around a block.
pub(super) type Tile = [f32; TILE_LEN];
/// Nodes of a block.
pub(super) type Nodes = [f32; CORE_LEN];

/// Along one axis the part of a tile that lies in the block before, in the block itself and in the one after:
/// first node in the tile, first node in that block, number of nodes.
const PARTS: [(usize, usize, usize); 3] = [(0, 3, 1), (1, 0, 4), (5, 0, 3)];

/// Copies into a tile what the 27 blocks around hold; a block that is not there holds zeros.
pub(super) fn gather<'a>(tile: &mut Tile, nodes: impl Fn(usize) -> Option<&'a Nodes>) {
    for (i, &(tile_i, from_i, n_i)) in PARTS.iter().enumerate() {
        for (j, &(tile_j, from_j, n_j)) in PARTS.iter().enumerate() {
            for (k, &(tile_k, from_k, n_k)) in PARTS.iter().enumerate() {
                let source = nodes((i * 3 + j) * 3 + k);
                for di in 0..n_i {
                    for dj in 0..n_j {
                        let to = (((tile_i + di) * WIDTH + tile_j + dj) * WIDTH + tile_k) * 4;
                        let from = (((from_i + di) * BLOCK + from_j + dj) * BLOCK + from_k) * 4;
                        let row = &mut tile[to..to + n_k * 4];
                        match source {
                            Some(nodes) => row.copy_from_slice(&nodes[from..from + n_k * 4]),
                            None => row.fill(0.0),
                        }
                    }
                }
            }
        }
    }
}

/// Adds up what the tiles of the 27 blocks around hold for the nodes of a block, always in the same order.
pub(super) fn sum<'a>(nodes: &mut Nodes, tiles: impl Fn(usize) -> Option<&'a Tile>) {
    nodes.fill(0.0);
    for i in 0..3 {
        for j in 0..3 {
            for k in 0..3 {
                let Some(tile) = tiles((i * 3 + j) * 3 + k) else {
                    continue;
                };
                // The part of that block's tile that lies in this block: seen from there this one is on the other side.
                let [
                    (tile_i, to_i, n_i),
                    (tile_j, to_j, n_j),
                    (tile_k, to_k, n_k),
                ] = [i, j, k].map(|side| PARTS[2 - side]);
                for di in 0..n_i {
                    for dj in 0..n_j {
                        let from = (((tile_i + di) * WIDTH + tile_j + dj) * WIDTH + tile_k) * 4;
                        let to = (((to_i + di) * BLOCK + to_j + dj) * BLOCK + to_k) * 4;
                        let row = &mut nodes[to..to + n_k * 4];
                        for (sum, value) in row.iter_mut().zip(&tile[from..from + n_k * 4]) {
                            *sum += value;
                        }
                    }
                }
            }
        }
    }
}
