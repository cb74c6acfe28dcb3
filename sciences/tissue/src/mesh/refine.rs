//! Refinement of tetrahedra.

use std::collections::BTreeMap;

use nalgebra::Vector3;

use super::TetMesh;
use super::tetrahedra::volume;

impl TetMesh {
    /// Splits every tetrahedron into eight with half the edge length (Bey 1995, doi:10.1007/BF02238487). The original
    /// vertices come first.
    pub fn refined(&self) -> Self {
        let mut positions = self.positions.clone();
        let mut middles = BTreeMap::new();
        let mut tets = Vec::with_capacity(8 * self.tets.len());
        for &[a, b, c, d] in &self.tets {
            let mut middle = |i: u32, j: u32| {
                *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
                    let (p, q) = (self.positions[i as usize], self.positions[j as usize]);
                    positions.push(std::array::from_fn(|axis| 0.5 * (p[axis] + q[axis])));
                    positions.len() as u32 - 1
                })
            };
            let (ab, ac, ad) = (middle(a, b), middle(a, c), middle(a, d));
            let (bc, bd, cd) = (middle(b, c), middle(b, d), middle(c, d));
            tets.extend([
                [a, ab, ac, ad],
                [ab, b, bc, bd],
                [ac, bc, c, cd],
                [ad, bd, cd, d],
                [ab, ac, ad, bd],
                [ab, ac, bd, bc],
                [ac, ad, bd, cd],
                [ac, bc, cd, bd],
            ]);
        }
        for tet in &mut tets {
            if signed_volume(&positions, tet) < 0.0 {
                tet.swap(2, 3);
            }
        }
        Self { positions, tets }
    }
}

fn signed_volume(positions: &[[f64; 3]], tet: &[u32; 4]) -> f64 {
    volume(&tet.map(|i| Vector3::from(positions[i as usize])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_parts_fill_the_whole() {
        let mesh = TetMesh {
            positions: vec![
                [0.0; 3],
                [1.0, 0.1, 0.0],
                [0.2, 1.0, 0.1],
                [0.1, 0.3, 1.0],
                [1.0, 1.1, 0.9],
            ],
            tets: vec![[0, 1, 2, 3], [1, 2, 3, 4]],
        };
        let whole: f64 = mesh
            .tets
            .iter()
            .map(|t| signed_volume(&mesh.positions, t))
            .sum();
        let fine = mesh.refined();
        // Nine edges have a midpoint.
        assert_eq!((fine.positions.len(), fine.tets.len()), (14, 16));
        let volumes: Vec<f64> = fine
            .tets
            .iter()
            .map(|t| signed_volume(&fine.positions, t))
            .collect();
        assert!((volumes.iter().sum::<f64>() - whole).abs() < 1e-12);
        assert!(
            volumes
                .iter()
                .all(|v| (*v - whole / 16.0).abs() < 0.4 * whole / 16.0)
        );
    }
}
