//! Closed surfaces of simple solids.

use std::collections::HashMap;
use std::f64::consts::TAU;

use nalgebra::Vector3;

use crate::TriangleMesh;

impl TriangleMesh {
    /// A box with the given half sizes [m], centred at the origin.
    pub fn cuboid(half: [f64; 3]) -> Self {
        let corner = |i: usize| [0, 1, 2].map(|a| if i >> a & 1 == 1 { half[a] } else { -half[a] });
        let sides: [[u32; 4]; 6] = [
            [0, 4, 6, 2],
            [1, 3, 7, 5],
            [0, 1, 5, 4],
            [2, 6, 7, 3],
            [0, 2, 3, 1],
            [4, 5, 7, 6],
        ];
        Self {
            positions: (0..8).map(corner).collect(),
            triangles: sides
                .iter()
                .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
                .collect(),
        }
    }

    /// An ellipsoid with the given half axes [m], centred at the origin.
    ///
    /// It is an icosahedron subdivided `n_subdivisions` times (at most 8), with its vertices on the ellipsoid.
    pub fn ellipsoid(half: [f64; 3], n_subdivisions: u32) -> Self {
        let mut mesh = icosahedron();
        for _ in 0..n_subdivisions.min(8) {
            mesh.subdivide();
        }
        for position in &mut mesh.positions {
            let unit = Vector3::from(*position).normalize();
            *position = unit.component_mul(&Vector3::from(half)).into();
        }
        mesh
    }

    /// A cylinder along z, centred at the origin, with the given radius and half length [m] and `n_sides` sides (at least 3).
    pub fn cylinder(radius: f64, half_length: f64, n_sides: u32) -> Self {
        let n = n_sides.max(3);
        let ring = (0..n).map(|i| {
            let (sin, cos) = (TAU * f64::from(i) / f64::from(n)).sin_cos();
            [radius * cos, radius * sin]
        });
        let mut positions = vec![[0.0, 0.0, -half_length], [0.0, 0.0, half_length]];
        positions.extend(ring.flat_map(|[x, y]| [[x, y, -half_length], [x, y, half_length]]));
        let side = |i: u32| {
            let (a, b) = (2 + 2 * i, 2 + 2 * ((i + 1) % n));
            [
                [a, b, b + 1],
                [a, b + 1, a + 1],
                [0, b, a],
                [1, a + 1, b + 1],
            ]
        };
        Self {
            positions,
            triangles: (0..n).flat_map(side).collect(),
        }
    }

    /// Splits each triangle into four at the midpoints of its edges.
    pub fn subdivide(&mut self) {
        let mut midpoints: HashMap<[u32; 2], u32> = HashMap::new();
        let mut triangles = Vec::with_capacity(4 * self.triangles.len());
        for &[a, b, c] in &self.triangles {
            let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[from, to]| {
                *midpoints
                    .entry([from.min(to), from.max(to)])
                    .or_insert_with(|| {
                        let [from, to] =
                            [from, to].map(|v| Vector3::from(self.positions[v as usize]));
                        self.positions.push(((from + to) / 2.0).into());
                        self.positions.len() as u32 - 1
                    })
            });
            triangles.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        self.triangles = triangles;
    }
}

fn icosahedron() -> TriangleMesh {
    let golden = f64::midpoint(1.0, 5.0_f64.sqrt());
    let mut positions = Vec::new();
    for axis in 0..3 {
        for [one, far] in [
            [-1.0, -golden],
            [1.0, -golden],
            [-1.0, golden],
            [1.0, golden],
        ] {
            let mut position = [0.0; 3];
            position[(axis + 1) % 3] = one;
            position[(axis + 2) % 3] = far;
            positions.push(position);
        }
    }
    // The triangles are all triples of vertices at the minimum distance, 2, from each other.
    let near = |a: usize, b: usize| {
        (Vector3::from(positions[a]) - Vector3::from(positions[b])).norm() < 2.1
    };
    let mut triangles = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(c, a) {
                    let [p, q, r] = [a, b, c].map(|v| Vector3::from(positions[v]));
                    let outward = p.dot(&q.cross(&r)) > 0.0;
                    let [a, b, c] = [a, b, c].map(|v| v as u32);
                    triangles.push(if outward { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    TriangleMesh {
        positions,
        triangles,
    }
}
