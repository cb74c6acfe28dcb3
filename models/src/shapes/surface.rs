//! A closed triangle surface and the solid that it encloses.

use crate::mjcf::Mesh;

/// Vertices are written in steps of 10 µm; as a whole number of steps, so that the decimals are short.
const STEPS_PER_METRE: f64 = 1e5;

/// A closed surface: vertices [m] and triangles, counter-clockwise seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Surface {
    /// Positions [m].
    pub vertices: Vec<[f64; 3]>,
    /// Indices of the corners, shape [n_triangles, 3].
    pub triangles: Vec<[usize; 3]>,
}

/// Mass properties of a homogeneous solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass [m].
    pub center_of_mass: [f64; 3],
    /// Inertia about the centre of mass, `[xx, yy, zz, xy, xz, yz]` [kg·m²].
    pub inertia: [f64; 6],
}

impl Surface {
    /// Applies `map` to every vertex. A map that mirrors turns the triangles inside out.
    #[must_use]
    pub fn map(mut self, map: impl Fn([f64; 3]) -> [f64; 3]) -> Self {
        for vertex in &mut self.vertices {
            *vertex = map(*vertex);
        }
        self
    }

    /// Moves by `offset` [m].
    #[must_use]
    pub fn translated(self, offset: [f64; 3]) -> Self {
        self.map(|[x, y, z]| [x + offset[0], y + offset[1], z + offset[2]])
    }

    /// The document's mesh called `name`.
    pub fn to_mesh(&self, name: &str) -> Mesh {
        Mesh::new(name, &self.rounded_vertices(), &self.triangles)
    }

    /// The document's mesh called `name`: the convex hull of the vertices, made by MuJoCo.
    pub fn to_convex_mesh(&self, name: &str) -> Mesh {
        Mesh::new(name, &self.rounded_vertices(), &[])
    }

    fn rounded_vertices(&self) -> Vec<[f64; 3]> {
        let rounded = |x: f64| (x * STEPS_PER_METRE).round() / STEPS_PER_METRE;
        self.vertices
            .iter()
            .map(|vertex| vertex.map(rounded))
            .collect()
    }

    /// Enclosed volume [m³] (divergence theorem, one tetrahedron from the origin per triangle).
    pub fn volume(&self) -> f64 {
        self.tetrahedra().map(|(volume, _)| volume).sum()
    }

    /// The homogeneous solid of mass `mass` [kg] that fills the surface.
    ///
    /// Second moments of a tetrahedron with one corner in the origin: Tonon 2004, "Explicit exact formulas for the 3-D
    /// tetrahedron inertia tensor".
    pub fn solid(&self, mass: f64) -> Solid {
        let density = mass / self.volume();
        let mut first = [0.0; 3];
        let mut second = [[0.0; 3]; 3]; // density times the integral of x_i x_j
        for (volume, corners) in self.tetrahedra() {
            let sum: [f64; 3] =
                std::array::from_fn(|i| corners.iter().map(|corner| corner[i]).sum());
            for i in 0..3 {
                first[i] += density * volume * sum[i] / 4.0;
                for j in 0..3 {
                    let products: f64 = corners.iter().map(|corner| corner[i] * corner[j]).sum();
                    second[i][j] += density * volume * (products + sum[i] * sum[j]) / 20.0;
                }
            }
        }
        let com = first.map(|moment| moment / mass);
        let central = |i: usize, j: usize| second[i][j] - mass * com[i] * com[j];
        let (xx, yy, zz) = (central(0, 0), central(1, 1), central(2, 2));
        let inertia = [
            yy + zz,
            xx + zz,
            xx + yy,
            -central(0, 1),
            -central(0, 2),
            -central(1, 2),
        ];
        Solid {
            mass,
            center_of_mass: com,
            inertia,
        }
    }

    /// Signed volume [m³] and the three corners of the tetrahedron between the origin and each triangle.
    fn tetrahedra(&self) -> impl Iterator<Item = (f64, [[f64; 3]; 3])> {
        self.triangles.iter().map(|triangle| {
            let corners @ [a, b, c] = triangle.map(|index| self.vertices[index]);
            let cross = [
                b[1] * c[2] - b[2] * c[1],
                b[2] * c[0] - b[0] * c[2],
                b[0] * c[1] - b[1] * c[0],
            ];
            (
                (a[0] * cross[0] + a[1] * cross[1] + a[2] * cross[2]) / 6.0,
                corners,
            )
        })
    }
}

impl Solid {
    /// Several solids that move as one (parallel axis theorem).
    pub fn joined(parts: &[Solid]) -> Self {
        let mass: f64 = parts.iter().map(|part| part.mass).sum();
        let moment = |i: usize| {
            parts
                .iter()
                .map(|part| part.mass * part.center_of_mass[i])
                .sum::<f64>()
        };
        let com: [f64; 3] = std::array::from_fn(|i| moment(i) / mass);
        let mut inertia = [0.0; 6];
        for part in parts {
            let [x, y, z]: [f64; 3] = std::array::from_fn(|i| part.center_of_mass[i] - com[i]);
            let steiner = [
                y * y + z * z,
                x * x + z * z,
                x * x + y * y,
                -x * y,
                -x * z,
                -y * z,
            ];
            for (sum, (own, steiner)) in inertia.iter_mut().zip(part.inertia.iter().zip(steiner)) {
                *sum += own + part.mass * steiner;
            }
        }
        Self {
            mass,
            center_of_mass: com,
            inertia,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Section, loft, rounded_cylinder};
    use super::*;

    #[test]
    fn a_box_has_the_textbook_inertia() {
        let corner = |at| Section {
            at,
            center: [0.5, 0.0],
            half: [0.1, 0.2],
            exponent: f64::INFINITY,
        };
        let solid = loft(&[corner(0.0), corner(0.3)], 4).solid(2.0);
        let expected = [
            (0.16 + 0.09) / 6.0,
            (0.04 + 0.09) / 6.0,
            (0.04 + 0.16) / 6.0,
            0.0,
            0.0,
            0.0,
        ];
        for (found, expected) in solid.inertia.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{:?}", solid.inertia);
        }
        for (found, expected) in solid.center_of_mass.iter().zip([0.5, 0.0, 0.15]) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn joining_two_halves_gives_the_whole() {
        let slice = |from, to| {
            let corner = |at| Section {
                at,
                center: [0.0, 0.1],
                half: [0.1, 0.2],
                exponent: f64::INFINITY,
            };
            loft(&[corner(from), corner(to)], 4)
        };
        let halves = Solid::joined(&[slice(0.0, 0.1).solid(1.0), slice(0.1, 0.2).solid(1.0)]);
        let whole = slice(0.0, 0.2).solid(2.0);
        for (found, expected) in halves.inertia.iter().zip(whole.inertia) {
            assert!((found - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn a_cylinder_encloses_its_volume() {
        let volume = rounded_cylinder(0.05, [0.0, 0.2], 0.001, 64).volume();
        let ideal = std::f64::consts::PI * 0.05 * 0.05 * 0.2;
        assert!((volume / ideal - 1.0).abs() < 0.005, "{volume} {ideal}"); // 64 sides and rounded edges
    }
}
