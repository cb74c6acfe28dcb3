//! Closed mesh of the surface of an implicit solid, by marching tetrahedra.
//!
//! Each cell of a grid is split into six tetrahedra around its diagonal (Freudenthal 1942). In each tetrahedron the
//! surface is one triangle or two, between its corners inside and outside (Doi & Koide 1991). The triangles of a
//! tetrahedron lie within it and meet those of its neighbours along whole edges. For any function the mesh is therefore
//! closed, each edge has two triangles, and there are no self-intersections. Marching cubes and surface nets do not
//! guarantee this.

use std::collections::{HashMap, HashSet};

use insonate_meshes::TriangleMesh;
use nalgebra::Vector3;

use crate::ContinuumError;

/// Maximum number of triangles.
const MAX_TRIANGLES: usize = 2_000_000;

/// Least distance of a vertex from the ends of its edge, relative to the edge length, so that triangles
/// have positive areas.
const MARGIN: f64 = 0.02;

/// The corners of a cell's tetrahedra, bits 0 to 2 for x to z, each with a positive volume.
const TETRAHEDRA: [[u8; 4]; 6] = [
    [0, 1, 3, 7],
    [0, 3, 2, 7],
    [0, 2, 6, 7],
    [0, 6, 4, 7],
    [0, 4, 5, 7],
    [0, 5, 1, 7],
];

type Cell = [i32; 3];

/// Surface of the solid where `field` is positive, on a grid with a cell width [m]. Only the pieces that are met by
/// lines upwards from the interior points `seeds` are returned.
///
/// # Errors
/// [`ContinuumError::Setting`] if the surface has more than two million triangles.
pub(super) fn surface(
    field: impl Fn(&Vector3<f64>) -> f64,
    seeds: &[Vector3<f64>],
    cell_width: f64,
) -> Result<TriangleMesh, ContinuumError> {
    let mut marching = Marching {
        field,
        cell_width,
        values: HashMap::new(),
        vertices: HashMap::new(),
        mesh: TriangleMesh::default(),
    };
    let mut found = HashSet::new();
    let mut queue: Vec<Cell> = Vec::new();
    for seed in seeds {
        let mut cell: Cell = (*seed / cell_width).map(|x| x.floor() as i32).into();
        // The search range is the width of the widest tube.
        let most = (10.0 / cell_width) as usize;
        for _ in 0..most.min(100_000) {
            if marching.is_cut(cell) {
                queue.push(cell);
                break;
            }
            cell[2] += 1;
        }
    }
    while let Some(cell) = queue.pop() {
        if !found.insert(cell) || !marching.is_cut(cell) {
            continue;
        }
        marching.fill(cell);
        if marching.mesh.triangles.len() > MAX_TRIANGLES {
            return Err(ContinuumError::setting(
                "cell_width",
                cell_width,
                format!("wide enough that the wall has at most {MAX_TRIANGLES} triangles"),
            ));
        }
        for axis in 0..3 {
            for step in [-1, 1] {
                let mut next = cell;
                next[axis] += step;
                queue.push(next);
            }
        }
    }
    Ok(marching.mesh)
}

struct Marching<F> {
    field: F,
    cell_width: f64,
    values: HashMap<Cell, f64>,
    /// Vertices by their pair of nodes, the lesser node first.
    vertices: HashMap<(Cell, Cell), u32>,
    mesh: TriangleMesh,
}

impl<F: Fn(&Vector3<f64>) -> f64> Marching<F> {
    fn position(&self, node: Cell) -> Vector3<f64> {
        Vector3::from(node.map(f64::from)) * self.cell_width
    }

    fn value(&mut self, node: Cell) -> f64 {
        let position = self.position(node);
        let field = &self.field;
        *self.values.entry(node).or_insert_with(|| field(&position))
    }

    /// Whether the cell has nodes inside and outside.
    fn is_cut(&mut self, cell: Cell) -> bool {
        let n_inside = (0..8)
            .filter(|&bits| self.value(node(cell, bits)) > 0.0)
            .count();
        n_inside > 0 && n_inside < 8
    }

    fn fill(&mut self, cell: Cell) {
        for corners in TETRAHEDRA {
            let nodes = corners.map(|bits| node(cell, bits));
            let inside = nodes.map(|node| self.value(node) > 0.0);
            let n_inside = inside.iter().filter(|&&is| is).count();
            // An even permutation that starts with the single corner, or with the corners inside.
            let first = |is: bool| (0..4).find(|&i| inside[i] == is).unwrap_or(0);
            match n_inside {
                1 | 3 => {
                    let [a, b, c, d] = turned(first(n_inside == 1)).map(|i| nodes[i]);
                    let [b, c] = if n_inside == 1 { [b, c] } else { [c, b] };
                    let corners = [(a, b), (a, c), (a, d)].map(|edge| self.vertex(edge));
                    self.mesh.triangles.push(corners);
                }
                2 => {
                    let one = first(true);
                    let other = (one + 1..4).find(|&i| inside[i]).unwrap_or(one);
                    let [a, b, c, d] = paired(one, other).map(|i| nodes[i]);
                    let [ac, ad, bd, bc] =
                        [(a, c), (a, d), (b, d), (b, c)].map(|edge| self.vertex(edge));
                    self.mesh.triangles.extend([[ac, ad, bd], [ac, bd, bc]]);
                }
                _ => {}
            }
        }
    }

    fn vertex(&mut self, (a, b): (Cell, Cell)) -> u32 {
        let (a, b) = (a.min(b), a.max(b));
        if let Some(&vertex) = self.vertices.get(&(a, b)) {
            return vertex;
        }
        let (of_a, of_b) = (self.value(a), self.value(b));
        let share = (of_a / (of_a - of_b)).clamp(MARGIN, 1.0 - MARGIN);
        let position = self.position(a).lerp(&self.position(b), share);
        let vertex = self.mesh.positions.len() as u32;
        self.mesh.positions.push(position.into());
        self.vertices.insert((a, b), vertex);
        vertex
    }
}

fn node(cell: Cell, bits: u8) -> Cell {
    [0, 1, 2].map(|axis| cell[axis] + i32::from(bits >> axis & 1))
}

/// An even permutation of four that starts with one given index.
fn turned(first: usize) -> [usize; 4] {
    [[0, 1, 2, 3], [1, 0, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]][first]
}

/// An even permutation of four that starts with two given indices, in any order.
fn paired(one: usize, other: usize) -> [usize; 4] {
    match (one, other) {
        (0, 1) => [0, 1, 2, 3],
        (0, 2) => [0, 2, 3, 1],
        (0, 3) => [0, 3, 1, 2],
        (1, 2) => [1, 2, 0, 3],
        (1, 3) => [1, 3, 2, 0],
        _ => [2, 3, 0, 1],
    }
}
