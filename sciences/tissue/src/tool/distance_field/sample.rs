//! Sampling: exact near the surface, interpolated between exact nodes elsewhere.

use nalgebra::Vector3;
use rayon::prelude::*;

use super::{DistanceField, MARGIN};
use crate::TissueError;
use insonate_meshes::{SurfaceTree, TriangleMesh};

/// Cells along an edge of a block.
const BLOCK: usize = 4;

pub(super) fn sample(
    mesh: &TriangleMesh,
    resolution: usize,
    digest: [u8; 32],
) -> Result<DistanceField, TissueError> {
    let nearest = SurfaceTree::new(mesh)?;
    let [low, high] = mesh.bounds().map(Vector3::from);
    let size = high - low;
    let cell_width = size.max() / (resolution as f64 - 1.0 - 2.0 * MARGIN).max(1.0);
    let shape: [usize; 3] = std::array::from_fn(|axis| {
        let cells = (size[axis] / cell_width + 2.0 * MARGIN).ceil() as usize;
        (cells + 1).min(resolution)
    });
    let extent = Vector3::from(shape.map(|n| (n - 1) as f64 * cell_width));
    let mut field = DistanceField {
        digest,
        origin: (low + high - extent) / 2.0,
        cell_width,
        shape,
        reach: mesh
            .positions
            .iter()
            .map(|&p| Vector3::from(p).norm())
            .fold(0.0, f64::max),
        distances: Vec::new(),
    };
    let at = |node: [usize; 3]| field.origin + Vector3::from(node.map(|i| i as f64)) * cell_width;

    // Exact distances at the corners of all blocks.
    let coarse = shape.map(|n| (n - 1).div_ceil(BLOCK) + 1);
    let corners: Vec<f64> = (0..coarse.iter().product())
        .into_par_iter()
        .map(|i| {
            let corner = [
                i % coarse[0],
                i / coarse[0] % coarse[1],
                i / coarse[0] / coarse[1],
            ];
            nearest.signed_distance(&at(corner.map(|i| i * BLOCK)))
        })
        .collect();

    // Layers of nodes: exact in blocks near the surface, interpolated between the corners of the other
    // blocks.
    let diagonal = BLOCK as f64 * cell_width * 3.0_f64.sqrt();
    let layer_len = shape[0] * shape[1];
    let mut distances = vec![0.0_f32; layer_len * shape[2]];
    distances
        .par_chunks_mut(layer_len)
        .enumerate()
        .for_each(|(k, layer)| {
            for j in 0..shape[1] {
                for block in 0..coarse[0] - 1 {
                    let found = BlockCorners::at(&corners, coarse, [block, j / BLOCK, k / BLOCK]);
                    // A node of the block is at most half a diagonal from its nearest corner. Blocks within twice that
                    // distance are exact.
                    let is_near = found.least < diagonal;
                    let nodes = block * BLOCK..((block + 1) * BLOCK).min(shape[0]);
                    for i in nodes {
                        let node = [i, j, k];
                        layer[j * shape[0] + i] = if is_near {
                            nearest.signed_distance(&at(node)) as f32
                        } else {
                            found.between(node) as f32
                        };
                    }
                }
                // The last column may be a corner itself.
                if (shape[0] - 1).is_multiple_of(BLOCK) {
                    let node = [shape[0] - 1, j, k];
                    layer[j * shape[0] + shape[0] - 1] = nearest.signed_distance(&at(node)) as f32;
                }
            }
        });
    field.distances = distances;
    Ok(field)
}

/// The corners of a block.
struct BlockCorners {
    corners: [f64; 8],
    /// Least absolute distance of a corner [m].
    least: f64,
}

impl BlockCorners {
    fn at(corners: &[f64], shape: [usize; 3], block: [usize; 3]) -> Self {
        // The last layer of nodes may be a layer of corners, with no block after it.
        let found: [f64; 8] = std::array::from_fn(|i| {
            let side = [i & 1, i >> 1 & 1, i >> 2];
            let [x, y, z] = [0, 1, 2].map(|axis| (block[axis] + side[axis]).min(shape[axis] - 1));
            corners[(z * shape[1] + y) * shape[0] + x]
        });
        Self {
            corners: found,
            least: found
                .iter()
                .fold(f64::INFINITY, |least, x| least.min(x.abs())),
        }
    }

    fn between(&self, node: [usize; 3]) -> f64 {
        let t = node.map(|i| (i % BLOCK) as f64 / BLOCK as f64);
        let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
        let row = |i: usize| mix(self.corners[i], self.corners[i + 1], t[0]);
        mix(mix(row(0), row(2), t[1]), mix(row(4), row(6), t[1]), t[2])
    }
}
