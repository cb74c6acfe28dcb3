//! Marching cubes (Lorensen & Cline 1987, doi:10.1145/37401.37422): a triangle mesh of a level set on a grid.
//!
//! An edge is cut where linear interpolation between its nodes reaches the level; the cubes around an edge share its
//! vertex. Ambiguous cubes are [decided](super::cases) by their faces, which separate inner corners. The trilinear
//! interpolant, which may join them (Nielson & Hamann 1991), is not evaluated.

use nalgebra::Vector3;

use super::cases::{CASES, edge_start};
use super::grid::{ScalarGrid, unravel};
use crate::TissueError;
use insonate_meshes::TriangleMesh;

/// Least distance of a cut from the nodes of its edge, relative to the edge length, so that every
/// triangle has a positive area.
const LEAST_PART: f32 = 1e-3;

/// A level set.
#[derive(Debug, Clone, PartialEq)]
pub struct Isosurface {
    /// The mesh. It is closed unless the level set leaves the grid. Greater values are inside.
    pub mesh: TriangleMesh,
    /// Outward unit normal at each vertex, opposite to the field's gradient, shape `[n_vertices, 3]`.
    pub normals: Vec<[f64; 3]>,
    /// For each vertex, the two nodes of its edge and the interpolation weight of the second one.
    pub(super) cuts: Vec<([u32; 2], f32)>,
}

/// Extracts the surface where a grid's values cross a level. Greater values are inside.
///
/// Each edge belongs to two triangles, or to one at the boundary of the grid. Every triangle has a positive area.
/// Vertices are off by up to 0.1 % of an edge.
///
/// # Errors
/// [`TissueError::Setting`] for an invalid grid or a level that is NaN or infinite.
pub fn marching_cubes(grid: &ScalarGrid, level: f64) -> Result<Isosurface, TissueError> {
    grid.check()?;
    if !level.is_finite() {
        return Err(TissueError::setting("level", level, "finite"));
    }
    let mut march = March::new(grid, level as f32);
    march.cut_plane(0);
    for x in 1..grid.n_nodes[0] {
        march.cut_plane(x);
        march.join_planes(x - 1);
    }
    Ok(Isosurface {
        normals: march.normals(),
        mesh: TriangleMesh {
            positions: march.positions(),
            triangles: march.triangles,
        },
        cuts: march.cuts,
    })
}

struct March<'a> {
    grid: &'a ScalarGrid,
    level: f32,
    /// 1 for each node inside, else 0.
    inside: Vec<u8>,
    /// Vertices on the edges that start at the nodes of two planes, along x, y and z. Plane x is at
    /// index x % 2.
    vertices: [Vec<[u32; 3]>; 2],
    /// Bits of the cut edges of a row, or the cases of its cubes.
    row: Vec<u8>,
    cuts: Vec<([u32; 2], f32)>,
    triangles: Vec<[u32; 3]>,
}

impl<'a> March<'a> {
    fn new(grid: &'a ScalarGrid, level: f32) -> Self {
        let [_, n_y, n_z] = grid.n_nodes;
        let plane = vec![[0; 3]; n_y * n_z];
        Self {
            grid,
            level,
            inside: grid.values.iter().map(|v| u8::from(*v > level)).collect(),
            vertices: [plane.clone(), plane],
            row: vec![0; n_z],
            cuts: Vec::new(),
            triangles: Vec::new(),
        }
    }

    /// Inside flags of a row of nodes.
    fn inside(&self, x: usize, y: usize) -> &[u8] {
        let [_, n_y, n_z] = self.grid.n_nodes;
        &self.inside[(x * n_y + y) * n_z..][..n_z]
    }

    /// Finds the cuts of all edges that start in a plane.
    fn cut_plane(&mut self, x: usize) {
        let [n_x, n_y, n_z] = self.grid.n_nodes;
        let strides = [n_y * n_z, n_z, 1];
        for y in 0..n_y {
            let mut row = std::mem::take(&mut self.row);
            let here = self.inside(x, y);
            // At the boundary the next row is the row itself, so there is no cut.
            let next = [(x + 1).min(n_x - 1), (y + 1).min(n_y - 1)];
            let (along_x, along_y) = (self.inside(next[0], y), self.inside(x, next[1]));
            for (z, bits) in row.iter_mut().enumerate() {
                *bits = here[z] ^ along_x[z] | (here[z] ^ along_y[z]) << 1;
            }
            for (bits, pair) in row.iter_mut().zip(here.windows(2)) {
                *bits |= (pair[0] ^ pair[1]) << 2;
            }
            for (z, bits) in row.iter().enumerate().filter(|(_, bits)| **bits != 0) {
                let node = (x * n_y + y) * n_z + z;
                for axis in (0..3).filter(|axis| bits >> axis & 1 == 1) {
                    self.vertices[x % 2][y * n_z + z][axis] = self.cuts.len() as u32;
                    let other = node + strides[axis];
                    let [a, b] = [node, other].map(|node| self.grid.values[node]);
                    let part = ((self.level - a) / (b - a)).clamp(LEAST_PART, 1.0 - LEAST_PART);
                    self.cuts.push(([node as u32, other as u32], part));
                }
            }
            self.row = row;
        }
    }

    /// Makes the triangles of the cubes between a plane and the next one.
    fn join_planes(&mut self, x: usize) {
        let [_, n_y, n_z] = self.grid.n_nodes;
        for y in 0..n_y - 1 {
            let mut row = std::mem::take(&mut self.row);
            let sides = [[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]];
            let sides = sides.map(|[x, y]| self.inside(x, y));
            for (z, case) in row.iter_mut().take(n_z - 1).enumerate() {
                *case = 0;
                for (corner, side) in sides.iter().enumerate() {
                    *case |= side[z] << corner | side[z + 1] << (corner + 4);
                }
            }
            let is_cut = |case: u8| case != 0 && case != 255;
            let cubes = row.iter().take(n_z - 1).enumerate();
            for (z, &case) in cubes.filter(|(_, case)| is_cut(**case)) {
                let case = &CASES[usize::from(case)];
                for triangle in &case.edges[..usize::from(case.n)] {
                    self.triangles.push(triangle.map(|edge| {
                        let edge = usize::from(edge);
                        let start = edge_start(edge);
                        let node = (y + (start >> 1 & 1)) * n_z + z + (start >> 2);
                        self.vertices[(x + (start & 1)) % 2][node][edge / 4]
                    }));
                }
            }
            self.row = row;
        }
    }

    fn positions(&self) -> Vec<[f64; 3]> {
        let position = |&([a, b], part): &([u32; 2], f32)| {
            let [from, to] = [a, b].map(|node| unravel(self.grid.n_nodes, node as usize));
            [0, 1, 2].map(|axis| {
                let way = (to[axis] - from[axis]) as f64 * f64::from(part);
                self.grid.origin[axis] + self.grid.spacing * (from[axis] as f64 + way)
            })
        };
        self.cuts.iter().map(position).collect()
    }

    fn normals(&self) -> Vec<[f64; 3]> {
        let normal = |&([a, b], part): &([u32; 2], f32)| {
            let ends = [a, b].map(|node| unravel(self.grid.n_nodes, node as usize));
            let [at_a, at_b] = ends.map(|node| Vector3::from(self.grid.gradient(node)));
            let outward = -(at_a + (at_b - at_a) * part).cast::<f64>();
            // If the gradient is zero, the direction of the edge is used.
            let fall = self.grid.values[a as usize] - self.grid.values[b as usize];
            let along = Vector3::from_fn(|i, _| (ends[1][i] - ends[0][i]) as f64);
            let along = along * f64::from(fall.signum());
            outward.try_normalize(1e-30).unwrap_or(along).into()
        };
        self.cuts.iter().map(normal).collect()
    }
}
