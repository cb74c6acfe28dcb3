//! Distance from each voxel's centre to the nearest voxel of another material.
//!
//! The squared distance to a box is a sum over the axes, so that it is computed axis by axis (as Saito & Toriwaki 1994,
//! doi:10.1016/0031-3203(94)90133-3, do for points), rounded down each time: stored distances are lower bounds.

use rayon::prelude::*;

/// Upper limits of distances: a length [m], and a multiple of the shortest edge.
const REACH: f32 = 0.012;
const MOST_VOXELS: f32 = 32.0;

/// Distances.
#[derive(Clone, Debug)]
pub(super) struct Clearances {
    /// Unit of the distances [m].
    pub(super) unit: f32,
    /// For each voxel, rounded down.
    pub(super) all: Vec<u8>,
}

/// An axis of the search.
#[derive(Clone, Copy)]
struct Axis {
    n: usize,
    /// Stride from voxel to voxel in memory.
    stride: usize,
    /// Edge of a voxel along the axis, in units of distances.
    edge: f32,
}

impl Clearances {
    /// Distances for voxels with edges [m], surrounded by material 0.
    pub(super) fn new(count: [usize; 3], edges: [f32; 3], materials: &[u8]) -> Self {
        let least = edges.into_iter().fold(f32::MAX, f32::min);
        let unit = REACH.min(MOST_VOXELS * least) / f32::from(u8::MAX);
        let [nx, ny, nz] = count;
        let axis = |n: usize, stride: usize, edge: f32| Axis {
            n,
            stride,
            edge: edge / unit,
        };
        let axes = [
            axis(nx, 1, edges[0]),
            axis(ny, nx, edges[1]),
            axis(nz, nx * ny, edges[2]),
        ];
        let mut all = vec![u8::MAX; materials.len()];
        for axis in axes {
            all = along(axis, nx, materials, &all);
        }
        Self { unit, all }
    }
}

/// Distances that include one more axis.
fn along(axis: Axis, row: usize, materials: &[u8], before: &[u8]) -> Vec<u8> {
    let mut after = vec![0; before.len()];
    let rows = after.par_chunks_mut(row).enumerate().with_min_len(64);
    rows.for_each(|(index, distances)| {
        for (x, distance) in distances.iter_mut().enumerate() {
            *distance = nearest(axis, index * row + x, materials, before);
        }
    });
    after
}

fn nearest(axis: Axis, own: usize, materials: &[u8], before: &[u8]) -> u8 {
    let material = materials[own];
    let place = own / axis.stride % axis.n;
    let mut best = f32::from(before[own]).powi(2);
    for away in 1.. {
        let gap = (away as f32 - 0.5) * axis.edge;
        let gap = gap * gap;
        if gap >= best {
            break;
        }
        let below = place.checked_sub(away).map(|_| own - away * axis.stride);
        let above = (place + away < axis.n).then(|| own + away * axis.stride);
        for neighbour in [below, above] {
            let beyond = match neighbour {
                Some(voxel) if materials[voxel] == material => f32::from(before[voxel]).powi(2),
                None if material == 0 => continue,
                _ => 0.0,
            };
            best = best.min(gap + beyond);
        }
    }
    best.sqrt() as u8
}
