//! Blocks of tetrahedra for tests.

use insonate_tissue::mesh::TetMesh;
use insonate_tissue::xpbd::XpbdBody;

/// A lattice of cells with six tetrahedra each, its lower corner at `low` [m], displaced by `jitter` of a cell in a
/// fixed pattern.
pub(crate) fn lattice(cells: [usize; 3], size: [f64; 3], low: [f64; 3], jitter: f64) -> TetMesh {
    let [nx, ny, nz] = cells;
    let id = |at: [usize; 3]| ((at[0] * (ny + 1) + at[1]) * (nz + 1) + at[2]) as u32;
    let mut mesh = TetMesh::default();
    for i in 0..=nx {
        for j in 0..=ny {
            for k in 0..=nz {
                let number = f64::from(id([i, j, k]));
                mesh.positions.push(std::array::from_fn(|axis| {
                    let wave = jitter * (number * (1.7 + axis as f64)).sin();
                    let width = size[axis] / cells[axis] as f64;
                    low[axis] + ([i, j, k][axis] as f64 + wave) * width
                }));
            }
        }
    }
    for i in 0..nx {
        for j in 0..ny {
            for k in 0..nz {
                for order in [
                    [0, 1, 2],
                    [0, 2, 1],
                    [1, 0, 2],
                    [1, 2, 0],
                    [2, 0, 1],
                    [2, 1, 0],
                ] {
                    let mut at = [i, j, k];
                    let mut tet = [id(at); 4];
                    for (vertex, axis) in tet[1..].iter_mut().zip(order) {
                        at[axis] += 1;
                        *vertex = id(at);
                    }
                    let is_odd = (order[0] + 1) % 3 != order[1];
                    if is_odd {
                        tet.swap(2, 3);
                    }
                    mesh.tets.push(tet);
                }
            }
        }
    }
    mesh
}

/// Vertices of a body that meet a condition.
pub(crate) fn vertices(body: &XpbdBody, condition: impl Fn(&[f64; 3]) -> bool) -> Vec<u32> {
    let all = body.mesh.positions.iter().zip(0..);
    all.filter(|(position, _)| condition(position))
        .map(|(_, vertex)| vertex)
        .collect()
}
