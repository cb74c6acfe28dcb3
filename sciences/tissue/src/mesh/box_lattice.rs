//! Boxes of tetrahedra: a regular lattice whose cells are split into six tetrahedra around the
//! diagonal (Kuhn 1960).

use insonate_meshes::{MAX_VERTICES, MeshFault, check_count};

use super::TetMesh;

/// Orders of the axes along a path from a corner of a cell to the opposite one, and whether the permutation is even.
const PERMUTATIONS: [([usize; 3], bool); 6] = [
    ([0, 1, 2], true),
    ([1, 2, 0], true),
    ([2, 0, 1], true),
    ([0, 2, 1], false),
    ([1, 0, 2], false),
    ([2, 1, 0], false),
];

impl TetMesh {
    /// A box around the origin with half sizes [m] and an approximate edge length of the cells [m]. Dihedral angles of
    /// cubic cells: 45° to 90°.
    ///
    /// # Errors
    /// [`MeshFault::TooLarge`].
    pub fn cuboid(half: [f64; 3], edge: f64) -> Result<Self, MeshFault> {
        let cells = half.map(|half| ((2.0 * half / edge).round() as usize).max(1));
        let nodes = cells.map(|n| n.saturating_add(1));
        let count = nodes
            .iter()
            .fold(1_usize, |product, &n| product.saturating_mul(n));
        check_count("vertices", count, MAX_VERTICES)?;
        let at = |axis: usize, i: usize| half[axis] * (2.0 * i as f64 / cells[axis] as f64 - 1.0);
        let index = |[i, j, k]: [usize; 3]| ((k * nodes[1] + j) * nodes[0] + i) as u32;
        let mut mesh = Self::default();
        for k in 0..nodes[2] {
            for j in 0..nodes[1] {
                for i in 0..nodes[0] {
                    mesh.positions.push([at(0, i), at(1, j), at(2, k)]);
                    if i == cells[0] || j == cells[1] || k == cells[2] {
                        continue;
                    }
                    for (axes, is_even) in PERMUTATIONS {
                        let mut corner = [i, j, k];
                        let mut tet = [index(corner); 4];
                        for (step, axis) in axes.into_iter().enumerate() {
                            corner[axis] += 1;
                            tet[step + 1] = index(corner);
                        }
                        if !is_even {
                            tet.swap(1, 2);
                        }
                        mesh.tets.push(tet);
                    }
                }
            }
        }
        Ok(mesh)
    }
}
