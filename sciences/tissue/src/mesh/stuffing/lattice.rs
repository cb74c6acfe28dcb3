//! Body-centred cubic lattice: the corners and centres of cubes.

use nalgebra::Vector3;

use insonate_meshes::{MeshFault, check_count};

/// Maximum number of vertices of a lattice.
const MAX_VERTICES: usize = 20_000_000;

/// The lattice. Vertex coordinates are in half edges: corners have even coordinates, centres odd
/// ones.
#[derive(Debug)]
pub(super) struct Lattice {
    origin: Vector3<f64>,
    edge: f64,
    /// Number of cubes along x, y, z.
    cells: [usize; 3],
    n_corners: usize,
    n_centres: usize,
}

impl Lattice {
    /// Cubes that cover a box, with one additional layer on each side.
    pub(super) fn over(low: [f64; 3], high: [f64; 3], edge: f64) -> Result<Self, MeshFault> {
        let cells = [0, 1, 2].map(|a| ((high[a] - low[a]) / edge).ceil() as usize + 2);
        let product = |counts: [usize; 3]| counts.iter().fold(1_usize, |n, &m| n.saturating_mul(m));
        let (n_corners, n_centres) = (product(cells.map(|n| n + 1)), product(cells));
        check_count(
            "lattice vertices",
            n_corners.saturating_add(n_centres),
            MAX_VERTICES,
        )?;
        let origin =
            [0, 1, 2].map(|a| f64::midpoint(low[a], high[a]) - cells[a] as f64 * edge / 2.0);
        Ok(Self {
            origin: origin.into(),
            edge,
            cells,
            n_corners,
            n_centres,
        })
    }

    pub(super) fn n_vertices(&self) -> usize {
        self.n_corners + self.n_centres
    }

    /// Length of an edge [m]. Long edges connect two corners or two centres, short ones a corner
    /// and a centre.
    pub(super) fn length(&self, is_long: bool) -> f64 {
        if is_long {
            self.edge
        } else {
            self.edge * 0.75_f64.sqrt()
        }
    }

    fn is_corner(&self, vertex: usize) -> bool {
        vertex < self.n_corners
    }

    /// Whether an edge is long: it connects two corners or two centres.
    pub(super) fn is_long(&self, a: usize, b: usize) -> bool {
        self.is_corner(a) == self.is_corner(b)
    }

    /// Coordinates of a vertex in half edges.
    pub(super) fn coordinates(&self, vertex: usize) -> [isize; 3] {
        let (index, extra, odd) = if self.is_corner(vertex) {
            (vertex, 1, 0)
        } else {
            (vertex - self.n_corners, 0, 1)
        };
        let [nx, ny, _] = self.cells.map(|n| n + extra);
        [index % nx, index / nx % ny, index / nx / ny].map(|i| (2 * i + odd) as isize)
    }

    /// The vertex at some coordinates, if it is in the lattice.
    fn vertex(&self, at: [isize; 3]) -> Option<usize> {
        let is_corner = at[0] % 2 == 0;
        let counts = if is_corner {
            self.cells.map(|n| n + 1)
        } else {
            self.cells
        };
        if !(0..3).all(|a| at[a] >= 0 && at[a] / 2 < counts[a] as isize) {
            return None;
        }
        let [i, j, k] = at.map(|x| (x / 2) as usize);
        let index = (k * counts[1] + j) * counts[0] + i;
        Some(if is_corner {
            index
        } else {
            self.n_corners + index
        })
    }

    /// Position of a vertex [m].
    pub(super) fn at(&self, vertex: usize) -> Vector3<f64> {
        let half = self.edge / 2.0;
        self.origin + Vector3::from(self.coordinates(vertex).map(|x| x as f64 * half))
    }

    /// Calls a function with each neighbour of a vertex and whether the edge to it is long.
    pub(super) fn for_each_neighbour(&self, vertex: usize, mut call: impl FnMut(usize, bool)) {
        let at = self.coordinates(vertex);
        for axis in 0..3 {
            for step in [-2, 2] {
                let mut there = at;
                there[axis] += step;
                if let Some(other) = self.vertex(there) {
                    call(other, true);
                }
            }
        }
        for i in 0..8 {
            let side = [i & 1, i >> 1 & 1, i >> 2].map(|bit: isize| 2 * bit - 1);
            if let Some(other) = self.vertex([0, 1, 2].map(|a| at[a] + side[a])) {
                call(other, false);
            }
        }
    }

    /// Calls a function with each tetrahedron: the centres of two cubes that share a side, and the ends of an edge of
    /// that side.
    pub(super) fn for_each_tet(&self, mut call: impl FnMut([usize; 4])) {
        for centre in self.n_corners..self.n_vertices() {
            let at = self.coordinates(centre);
            for axis in 0..3 {
                let mut next = at;
                next[axis] += 2;
                let Some(next) = self.vertex(next) else {
                    continue;
                };
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let corner = |[i, j]: [isize; 2]| {
                    let mut corner = at;
                    corner[axis] += 1;
                    corner[u] += i;
                    corner[v] += j;
                    self.vertex(corner).expect("a cube has all its corners")
                };
                let around = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(corner);
                for side in 0..4 {
                    call([centre, next, around[side], around[(side + 1) % 4]]);
                }
            }
        }
    }
}
