//! Number of connected pieces.

use std::collections::HashMap;

/// Pieces smaller than this share of the body are not counted.
const CRUMB: f64 = 0.01;

/// Disjoint sets (union by the lesser root, path halving).
struct Sets {
    parents: Vec<u32>,
}

impl Sets {
    fn new(n: usize) -> Self {
        Self {
            parents: (0..n as u32).collect(),
        }
    }

    fn root(&mut self, mut of: u32) -> u32 {
        while self.parents[of as usize] != of {
            let parent = self.parents[of as usize];
            self.parents[of as usize] = self.parents[parent as usize];
            of = parent;
        }
        of
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// Number of sets with at least a hundredth of `n_all` counted members.
    fn count(&mut self, n_all: usize, is_counted: impl Fn(usize) -> bool) -> usize {
        let mut sizes = vec![0_usize; self.parents.len()];
        for i in (0..self.parents.len()).filter(|&i| is_counted(i)) {
            sizes[self.root(i as u32) as usize] += 1;
        }
        let least = CRUMB * n_all as f64;
        sizes
            .iter()
            .filter(|&&size| size > 0 && size as f64 >= least)
            .count()
    }
}

/// Number of pieces of tetrahedra that share vertices.
pub(super) fn of_tetrahedra(tets: &[[u32; 4]], n_vertices: usize) -> usize {
    let mut sets = Sets::new(n_vertices);
    let mut is_used = vec![false; n_vertices];
    for tet in tets {
        for vertex in tet {
            is_used[*vertex as usize] = true;
            sets.join(tet[0], *vertex);
        }
    }
    sets.count(n_vertices, |vertex| is_used[vertex])
}

/// Number of pieces of particles that are closer to each other than a distance [m]. A piece has at least a hundredth of `n_all`.
pub(super) fn of_particles(positions: &[[f64; 3]], distance: f64, n_all: usize) -> usize {
    let mut sets = Sets::new(positions.len());
    let cell_of = |at: &[f64; 3]| at.map(|x| (x / distance).floor() as i64);
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    for (index, at) in positions.iter().enumerate() {
        let cell = cell_of(at);
        // Compare with earlier particles in the same and the neighbouring cells.
        for side in 0..27 {
            let other = [side % 3 - 1, side / 3 % 3 - 1, side / 9 - 1];
            let near = cells.get(&[0, 1, 2].map(|axis| cell[axis] + other[axis]));
            for &other in near.into_iter().flatten() {
                let apart: f64 = (0..3)
                    .map(|axis| (positions[other as usize][axis] - at[axis]).powi(2))
                    .sum();
                if apart < distance * distance {
                    sets.join(index as u32, other);
                }
            }
        }
        cells.entry(cell).or_default().push(index as u32);
    }
    sets.count(n_all, |_| true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_heaps_and_a_crumb_are_two_pieces() {
        let heap = |x: f64, n: usize| (0..n).map(move |i| [x + 0.1 * i as f64, 0.0, 0.0]);
        let points: Vec<[f64; 3]> = heap(-30.0, 200)
            .chain(heap(5.0, 150))
            .chain(heap(90.0, 2))
            .collect();
        assert_eq!(of_particles(&points, 0.15, points.len()), 2);
        assert_eq!(of_particles(&points, 1000.0, points.len()), 1);
        assert_eq!(of_particles(&[], 1.0, 0), 0);
    }

    #[test]
    fn tetrahedra_without_a_common_vertex_are_two_pieces() {
        assert_eq!(of_tetrahedra(&[[0, 1, 2, 3], [3, 4, 5, 6]], 7), 1);
        assert_eq!(of_tetrahedra(&[[0, 1, 2, 3], [4, 5, 6, 7]], 8), 2);
    }
}
