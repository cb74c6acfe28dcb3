//! Contract: a compressed block with a ball of another stiffness strains as Eshelby's inclusion; a uniform block strains uniformly.

use insonate_tissue::equilibrium::{ElasticBody, HeldAxis};
use insonate_tissue::mesh::TetMesh;

const NU: f64 = 0.45;

/// Steps of `fine` up to `near`, then growing ones up to `end` [m].
fn graded(fine: f64, near: f64, end: f64) -> Vec<f64> {
    let (mut places, mut step) = (vec![0.0], fine);
    while let Some(&last) = places.last()
        && last < end - 1e-9
    {
        if last > near - 1e-9 {
            step *= 1.25;
        }
        places.push(if last + 1.5 * step > end {
            end
        } else {
            last + step
        });
    }
    places
}

/// An eighth of a block, with symmetry planes at zero; its top is lowered.
struct Eighth {
    mesh: TetMesh,
    end: f64,
}

impl Eighth {
    fn new(fine: f64, near: f64, end: f64) -> Self {
        let along = graded(fine, near, end);
        let mesh = TetMesh::lattice(&[along.clone(), along.clone(), along]);
        Self {
            mesh: mesh.expect("the test is valid"),
            end,
        }
    }

    fn held(&self, strain: f64) -> Vec<HeldAxis> {
        let mut held = Vec::new();
        for (vertex, place) in (0..).zip(&self.mesh.positions) {
            for (axis, &at) in place.iter().enumerate() {
                let mut hold = |displacement| {
                    held.push(HeldAxis {
                        vertex,
                        axis,
                        displacement,
                    });
                };
                if at == 0.0 {
                    hold(0.0);
                } else if axis == 2 && at >= self.end {
                    hold(-strain * self.end);
                }
            }
        }
        held
    }

    /// Stiffness factors of a ball around the origin: the share of a tetrahedron inside, from its parts.
    fn factors(&self, radius: f64, ratio: f64) -> Vec<f64> {
        const N: i32 = 6;
        let factor = |tet: usize| {
            let corners = self.mesh.corners(tet);
            let (mut inside, mut all) = (0.0, 0.0);
            for i in 0..N {
                for j in 0..N - i {
                    for k in 0..N - i - j {
                        let shares = [i, j, k, N - 1 - i - j - k].map(|n| f64::from(n) + 0.25);
                        let total: f64 = shares.iter().sum();
                        let point: nalgebra::Vector3<f64> = (corners.iter().zip(shares))
                            .map(|(corner, share)| corner * (share / total))
                            .sum();
                        inside += f64::from(u8::from(point.norm() < radius));
                        all += 1.0;
                    }
                }
            }
            1.0 + (ratio - 1.0) * inside / all
        };
        (0..self.mesh.tets.len()).map(factor).collect()
    }

    /// Mean of −∂w/∂z over the tetrahedra with a centre within a radius, by volume.
    fn strain_within(&self, radius: f64, moved: &[[f64; 3]]) -> f64 {
        let (mut sum, mut total) = (0.0, 0.0);
        let volumes = self.mesh.volumes();
        for (index, tet) in self.mesh.tets.iter().enumerate() {
            let corners = self.mesh.corners(index);
            let centre = corners.iter().sum::<nalgebra::Vector3<f64>>() / 4.0;
            if centre.norm() > radius {
                continue;
            }
            let edges =
                nalgebra::Matrix3::from_columns(&[1, 2, 3].map(|i| corners[i] - corners[0]));
            let w = tet.map(|vertex| moved[vertex as usize][2]);
            let rise = nalgebra::RowVector3::new(w[1] - w[0], w[2] - w[0], w[3] - w[0]);
            let slope = rise * edges.try_inverse().expect("it is not flat");
            sum -= volumes[index] * slope[2];
            total += volumes[index];
        }
        sum / total
    }
}

/// Strain along the load in a ball over that far away, for a uniaxial stress (Eshelby 1957, doi:10.1098/rspa.1957.0133): the deviatoric and
/// the volumetric part of the strain are divided by 1 + β (k − 1) and 1 + α (k − 1). For ν = ½ it is 5 / (3 + 2 k).
fn eshelby(k: f64, nu: f64) -> f64 {
    let beta = 2.0 * (4.0 - 5.0 * nu) / (15.0 * (1.0 - nu));
    let alpha = (1.0 + nu) / (3.0 * (1.0 - nu));
    let deviatoric = 2.0 / 3.0 * (1.0 + nu) / (1.0 + beta * (k - 1.0));
    let volumetric = (1.0 - 2.0 * nu) / 3.0 / (1.0 + alpha * (k - 1.0));
    deviatoric + volumetric
}

#[test]
fn the_formula_is_the_known_one_for_incompressible_tissue() {
    for k in [0.2, 1.0, 3.0, 10.0] {
        assert!((eshelby(k, 0.5) - 5.0 / (3.0 + 2.0 * k)).abs() < 1e-12);
    }
}

/// Linear elements have no error here: 1e-6 of the strain is that of the solver.
#[test]
fn a_uniform_block_strains_uniformly() {
    let block = Eighth::new(0.001, 0.003, 0.012);
    let body = ElasticBody {
        mesh: &block.mesh,
        poisson_ratio: NU,
        factors: &[],
    };
    let moved = body.displacements(&block.held(0.01)).expect("it is held");
    for (rest, moved) in block.mesh.positions.iter().zip(&moved) {
        let wanted = [NU * 0.01 * rest[0], NU * 0.01 * rest[1], -0.01 * rest[2]];
        for (moved, wanted) in moved.iter().zip(wanted) {
            let error = moved - wanted;
            assert!(error.abs() < 1e-6 * 0.01 * 0.012, "{rest:?} {moved}");
        }
    }
}

/// A ball of radius 5 mm in a block of 50 mm: within 2 % in its core, and within 8 % up to a cell from its surface, where linear elements of
/// two stiffnesses meet.
#[test]
fn a_ball_strains_as_eshelbys() {
    let block = Eighth::new(5e-3 / 8.0, 7.5e-3, 0.025);
    for ratio in [1.0 / 3.0, 2.0, 3.0, 5.0] {
        let body = ElasticBody {
            mesh: &block.mesh,
            poisson_ratio: NU,
            factors: &block.factors(5e-3, ratio),
        };
        let moved = body.displacements(&block.held(0.01)).expect("it is held");
        let [core, all] = [2.5e-3, 4e-3].map(|radius| block.strain_within(radius, &moved) / 0.01);
        let wanted = eshelby(ratio, NU);
        eprintln!("ratio {ratio}: {core:.4}, {all:.4} of {wanted:.4}");
        assert!(
            (core / wanted - 1.0).abs() < 0.02,
            "{ratio}: {core} {wanted}"
        );
        assert!((all / wanted - 1.0).abs() < 0.08, "{ratio}: {all} {wanted}");
    }
}

#[test]
fn wrong_bodies_are_refused() {
    let block = Eighth::new(0.004, 0.004, 0.012);
    let body = |poisson_ratio, factors| ElasticBody {
        mesh: &block.mesh,
        poisson_ratio,
        factors,
    };
    let held = block.held(0.01);
    let refused = |found: Result<Vec<[f64; 3]>, insonate_tissue::TissueError>, field: &str| {
        let text = found.expect_err("it is refused").to_string();
        assert!(text.contains(field), "{text}");
    };
    refused(body(0.5, &[]).displacements(&held), "poisson_ratio");
    refused(body(NU, &[1.0]).displacements(&held), "factors");
    let far = HeldAxis {
        vertex: 1_000_000,
        axis: 0,
        displacement: 0.0,
    };
    refused(body(NU, &[]).displacements(&[far]), "held");
}
