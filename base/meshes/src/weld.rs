//! Merging of coincident vertices.

use std::collections::HashMap;

use nalgebra::Vector3;

use crate::TriangleMesh;

impl TriangleMesh {
    /// Merges vertices that are at most a tolerance [m] apart into the first of them; a tolerance of 0 merges only equal vertices.
    ///
    /// Removes triangles with fewer than three different vertices afterwards, and vertices that no triangle uses.
    ///
    /// # Panics
    /// If a triangle refers to a vertex that does not exist, or the tolerance is negative or not a number.
    pub fn weld(&mut self, tolerance: f64) {
        assert!(tolerance >= 0.0, "a tolerance of {tolerance} m");
        let merged = if tolerance > 0.0 {
            merge_near(&self.positions, tolerance)
        } else {
            merge_equal(&self.positions)
        };
        self.replace_vertices(&merged);
        self.remove_collapsed();
    }

    /// Merges equal vertices and keeps all triangles.
    pub(crate) fn weld_equal(&mut self) {
        let merged = merge_equal(&self.positions);
        self.replace_vertices(&merged);
    }

    /// Removes triangles with fewer than three different vertices, and vertices that no triangle uses.
    pub(crate) fn remove_collapsed(&mut self) {
        self.triangles
            .retain(|[a, b, c]| a != b && b != c && c != a);
        self.remove_unused_vertices();
    }

    fn replace_vertices(&mut self, merged: &[u32]) {
        for triangle in &mut self.triangles {
            *triangle = triangle.map(|vertex| merged[vertex as usize]);
        }
        self.remove_unused_vertices();
    }

    /// Removes vertices that no triangle uses; the others keep their order.
    ///
    /// # Panics
    /// If a triangle refers to a vertex that does not exist.
    pub fn remove_unused_vertices(&mut self) {
        let mut new_index = vec![u32::MAX; self.positions.len()];
        for &vertex in self.triangles.iter().flatten() {
            new_index[vertex as usize] = 0;
        }
        let mut kept = Vec::new();
        for (index, position) in new_index.iter_mut().zip(&self.positions) {
            if *index == 0 {
                *index = kept.len() as u32;
                kept.push(*position);
            }
        }
        self.positions = kept;
        for vertex in self.triangles.iter_mut().flatten() {
            *vertex = new_index[*vertex as usize];
        }
    }
}

/// For each position, the index of the first equal position.
fn merge_equal(positions: &[[f64; 3]]) -> Vec<u32> {
    let mut first = HashMap::with_capacity(positions.len());
    let merged = positions.iter().enumerate().map(|(index, position)| {
        // Adding zero turns −0 into 0.
        let bits = position.map(|x| (x + 0.0).to_bits());
        *first.entry(bits).or_insert(index as u32)
    });
    merged.collect()
}

/// For each position, the index of the first kept position within the tolerance; a position without one is kept itself.
fn merge_near(positions: &[[f64; 3]], tolerance: f64) -> Vec<u32> {
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    let mut merged = Vec::with_capacity(positions.len());
    for (index, &position) in positions.iter().enumerate() {
        let cell = position.map(|x| (x / tolerance).floor() as i64);
        let near = |other: &u32| {
            let side = Vector3::from(positions[*other as usize]) - Vector3::from(position);
            side.norm() <= tolerance
        };
        let found = neighbours(cell)
            .filter_map(|cell| cells.get(&cell)?.iter().copied().find(near))
            .min();
        merged.push(found.unwrap_or_else(|| {
            cells.entry(cell).or_default().push(index as u32);
            index as u32
        }));
    }
    merged
}

/// A cell and the 26 cells around it.
fn neighbours(cell: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    (0..27).map(move |i| {
        let side = [i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1];
        [0, 1, 2].map(|axis| cell[axis].saturating_add(side[axis]))
    })
}
