//! Boxes of tetrahedra: a lattice whose cells are split into six tetrahedra around the diagonal (Kuhn 1960).

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
        check_nodes(cells.map(|n| n.saturating_add(1)))?;
        let along = |axis: usize| -> Vec<f64> {
            let n = cells[axis];
            let place = |i: usize| half[axis] * (2.0 * i as f64 / n as f64 - 1.0);
            (0..=n).map(place).collect()
        };
        Self::lattice(&[0, 1, 2].map(along))
    }

    /// A box with nodes at all combinations of coordinates along x, y and z [m], which ascend.
    ///
    /// # Errors
    /// [`MeshFault::TooLarge`].
    pub fn lattice(along: &[Vec<f64>; 3]) -> Result<Self, MeshFault> {
        let nodes = along.each_ref().map(Vec::len);
        check_nodes(nodes)?;
        let cells = nodes.map(|n| n.saturating_sub(1));
        let index = |[i, j, k]: [usize; 3]| ((k * nodes[1] + j) * nodes[0] + i) as u32;
        let mut mesh = Self::default();
        for k in 0..nodes[2] {
            for j in 0..nodes[1] {
                for i in 0..nodes[0] {
                    mesh.positions.push([along[0][i], along[1][j], along[2][k]]);
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

fn check_nodes(nodes: [usize; 3]) -> Result<(), MeshFault> {
    let product = nodes.iter().copied().fold(1, usize::saturating_mul);
    check_count("vertices", product, MAX_VERTICES)
}
