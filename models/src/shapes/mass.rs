//! Mass properties of the homogeneous solid that a closed surface encloses.

use insonate_meshes::TriangleMesh;

/// Mass, centre of mass and inertia of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass [m].
    pub center_of_mass: [f64; 3],
    /// Inertia about the centre of mass, `[xx, yy, zz, xy, xz, yz]` [kg·m²].
    pub inertia: [f64; 6],
}

impl MassProperties {
    /// Properties of the homogeneous solid of mass `mass` [kg] that fills a closed surface.
    ///
    /// Second moments of a tetrahedron with one corner at the origin: Tonon 2004, "Explicit exact formulas for the 3-D
    /// tetrahedron inertia tensor".
    pub fn of_solid(surface: &TriangleMesh, mass: f64) -> Self {
        let volume: f64 = tetrahedra(surface).map(|(volume, _)| volume).sum();
        let density = mass / volume;
        let mut first = [0.0; 3];
        let mut second = [[0.0; 3]; 3]; // density times the integral of x_i x_j
        for (volume, corners) in tetrahedra(surface) {
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
        Self {
            mass,
            center_of_mass: com,
            inertia,
        }
    }

    /// Combines bodies that move as one (parallel axis theorem).
    pub fn combined(parts: &[Self]) -> Self {
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

/// Signed volume [m³] and the three corners of the tetrahedron between the origin and each triangle.
fn tetrahedra(surface: &TriangleMesh) -> impl Iterator<Item = (f64, [[f64; 3]; 3])> {
    surface.triangles.iter().map(|triangle| {
        let corners @ [a, b, c] = triangle.map(|vertex| surface.positions[vertex as usize]);
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

#[cfg(test)]
mod tests {
    use super::super::{Section, loft};
    use super::*;

    #[test]
    fn a_box_has_the_textbook_inertia() {
        let corner = |at| Section {
            at,
            center: [0.5, 0.0],
            half: [0.1, 0.2],
            exponent: f64::INFINITY,
        };
        let solid = MassProperties::of_solid(&loft(&[corner(0.0), corner(0.3)], 4), 2.0);
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
        let solid = |from, to, mass| MassProperties::of_solid(&slice(from, to), mass);
        let halves = MassProperties::combined(&[solid(0.0, 0.1, 1.0), solid(0.1, 0.2, 1.0)]);
        let whole = solid(0.0, 0.2, 2.0);
        for (found, expected) in halves.inertia.iter().zip(whole.inertia) {
            assert!((found - expected).abs() < 1e-12);
        }
    }
}
