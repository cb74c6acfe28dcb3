//! XPBD against analytic solutions: a compressed block and a stretched bar (neo-Hookean), a hanging bar and a
//! cantilever (linear elasticity), balance of forces, and recovery of the rest shape.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

#[expect(clippy::pedantic, reason = "shared by several tests")]
mod xpbd_blocks;

use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::xpbd::{Xpbd, XpbdBody, XpbdConfig};
use insonate_tissue::{Material, SoftTissue as _};
use nalgebra::{Matrix3, UnitQuaternion, Vector3};
use xpbd_blocks::{lattice, vertices};

const MATERIAL: Material = Material {
    young_modulus: 2e4,
    poisson_ratio: 0.3,
    density: 1000.0,
    viscosity: 0.0,
    tearing: None,
};

fn body(cells: [usize; 3], size: [f64; 3], material: Material) -> XpbdBody {
    XpbdBody {
        mesh: lattice(cells, size, [0.0; 3], 0.0),
        material,
        ..XpbdBody::default()
    }
}

fn still(substep: f64) -> XpbdConfig {
    XpbdConfig {
        substep,
        gravity: [0.0; 3],
        drag: 40.0,
        max_courant: f64::INFINITY,
        ..XpbdConfig::default()
    }
}

/// Nominal stress [Pa] of the law at a stretch, with free sides.
fn uniaxial(stretch: f64, material: &Material) -> f64 {
    let (mu, lambda) = (
        material.lame_mu(),
        material.lame_lambda() + material.lame_mu(),
    );
    let pressure = |side: f64| lambda * (side * side * stretch - 1.0 - mu / lambda);
    // μ a + λ (J − 1 − μ/λ) a l = 0 for the stretch a of the sides.
    let (mut low, mut high) = (0.3, 3.0);
    for _ in 0..100 {
        let side = 0.5 * (low + high);
        if mu + pressure(side) * stretch > 0.0 {
            high = side;
        } else {
            low = side;
        }
    }
    mu * stretch + pressure(low) * low * low
}

#[test]
fn the_law_at_small_strain_is_the_material() {
    let slope = (uniaxial(1.0 + 1e-5, &MATERIAL) - uniaxial(1.0 - 1e-5, &MATERIAL)) / 2e-5;
    assert!((slope / MATERIAL.young_modulus - 1.0).abs() < 1e-6);
}

/// Force within 2 % of the law's uniaxial stress.
#[test]
fn a_block_between_plates_presses_back_by_its_uniaxial_stress() {
    let size = [0.04, 0.04, 0.04];
    let mut world = Xpbd::new(still(2.5e-4), &[body([4; 3], size, MATERIAL)], &[]).unwrap();
    let plate = Tool::new(Shape::HalfSpace);
    // The upper half-space, upside down.
    let upper = Tool {
        position: Vector3::new(0.0, 0.0, size[2]),
        rotation: UnitQuaternion::from_scaled_axis(Vector3::x() * std::f64::consts::PI),
        ..plate.clone()
    };
    *world.tools_mut() = vec![plate, upper];
    for stretch in [0.9, 0.75] {
        let now = world.tools_mut()[1].position.z;
        world.tools_mut()[1].linear.z = (stretch * size[2] - now) / 0.2;
        world.step(0.2).unwrap();
        world.tools_mut()[1].linear.z = 0.0;
        world.step(0.8).unwrap();
        world.step(0.05).unwrap();
        let wanted = -uniaxial(stretch, &MATERIAL) * size[0] * size[1];
        for (tool, sign) in [(1, 1.0), (0, -1.0)] {
            let found = world.wrench(tool).force.z * sign;
            assert!((found / wanted - 1.0).abs() < 0.02, "{found} {wanted}");
        }
    }
}

/// Force within 2 % of the law's uniaxial stress.
#[test]
fn a_bar_between_grips_pulls_back_by_its_uniaxial_stress() {
    let size = [0.02, 0.02, 0.12];
    let bar = body([2, 2, 12], size, MATERIAL);
    // Vertices of the middle third.
    let [low, high] = [0.04, 0.08].map(|z| vertices(&bar, |p| (p[2] - z).abs() < 1e-6));
    let mut world = Xpbd::new(still(5e-4), &[bar], &[]).unwrap();
    let grip = |z: f64| Tool {
        position: Vector3::new(0.01, 0.01, z),
        friction: f64::INFINITY,
        ..Tool::new(Shape::Cuboid {
            half: [0.02, 0.02, 0.005],
        })
    };
    *world.tools_mut() = vec![grip(-0.004), grip(size[2] + 0.004)];
    world.tools_mut()[1].linear.z = 0.2 * size[2] / 0.4;
    world.step(0.4).unwrap();
    world.tools_mut()[1].linear.z = 0.0;
    world.step(1.0).unwrap();
    world.step(0.05).unwrap();
    let positions = world.positions();
    let mean = |of: &[u32]| {
        let sum: f64 = of.iter().map(|i| positions[*i as usize][2]).sum();
        sum / of.len() as f64
    };
    let stretch = (mean(&high) - mean(&low)) / 0.04;
    assert!(stretch > 1.15, "{stretch}");
    let wanted = uniaxial(stretch, &MATERIAL) * size[0] * size[1];
    for (tool, sign) in [(0, 1.0), (1, -1.0)] {
        let found = world.wrench(tool).force.z * sign;
        assert!((found / wanted - 1.0).abs() < 0.02, "{found} {wanted}");
    }
}

/// Elongation of a hanging bar [m].
fn hanging(substep: f64, material: Material) -> f64 {
    let mut bar = body([2, 2, 10], [0.02, 0.02, 0.1], material);
    bar.fixed = vertices(&bar, |p| p[2] > 0.0999);
    let end = vertices(&bar, |p| p[2] < 1e-6);
    let config = XpbdConfig {
        gravity: [0.0, 0.0, -9.81],
        ..still(substep)
    };
    let mut world = Xpbd::new(config, &[bar], &[]).unwrap();
    world.step(0.6).unwrap();
    let positions = world.positions();
    let sum: f64 = end.iter().map(|i| -positions[*i as usize][2]).sum();
    sum / end.len() as f64
}

/// Elongation ρ g L² / 2 E within 3 % at 0.25 ms, and half the error with half the substep.
#[test]
fn a_bar_hangs_as_far_as_linear_elasticity_says() {
    let material = Material {
        young_modulus: 1e5,
        // No lateral contraction, which the fixed end would prevent.
        poisson_ratio: 0.0,
        ..MATERIAL
    };
    let wanted = 1000.0 * 9.81 * 0.01 / (2.0 * 1e5);
    let error = |substep| hanging(substep, material) / wanted - 1.0;
    // One correction per substep makes it softer by (c Δt / h)², which decreases with the substep.
    let errors = [1e-3, 5e-4, 2.5e-4].map(|substep| error(substep).abs());
    assert!(errors[2] < 0.03, "{errors:?}");
    assert!(errors[1] < 0.5 * errors[0], "{errors:?}");
    assert!(errors[2] < 0.5 * errors[1], "{errors:?}");
}

/// Deflection within 12 % of Timoshenko's with two cells over the height, and within 4 % with four and eight.
#[test]
fn a_cantilever_bends_as_timoshenko_says() {
    let (length, height, gravity) = (0.1f64, 0.02, 0.981);
    let material = Material {
        young_modulus: 1e5,
        poisson_ratio: 0.0,
        ..MATERIAL
    };
    // Timoshenko 1921: bending, and shear with a coefficient of 5/6.
    let load = material.density * gravity;
    let wanted = 1.5 * load * length.powi(4) / (material.young_modulus * height * height)
        + load * length.powi(2) / (2.0 * 5.0 / 6.0 * material.lame_mu());
    let bend = |n: usize, substep: f64| {
        let mut bar = body([5 * n, 1, n], [length, height / n as f64, height], material);
        bar.fixed = vertices(&bar, |p| p[0] < 1e-6);
        let end = vertices(&bar, |p| p[0] > length - 1e-6);
        let config = XpbdConfig {
            gravity: [0.0, 0.0, -gravity],
            ..still(substep)
        };
        let rest = bar.mesh.positions.clone();
        let mut world = Xpbd::new(config, &[bar], &[]).unwrap();
        world.step(1.2).unwrap();
        let positions = world.positions();
        let down = end
            .iter()
            .map(|i| rest[*i as usize][2] - positions[*i as usize][2]);
        down.sum::<f64>() / end.len() as f64
    };
    // Deformations that the means of cubes do not resist are soft, by an error that decreases with their size; one
    // correction per substep is softer by 2 %.
    let found = [bend(2, 2e-4), bend(4, 1e-4), bend(8, 5e-5)];
    let errors = found.map(|found| found / wanted - 1.0);
    let worst = [0.12, 0.04, 0.04];
    let is_near = errors.iter().zip(worst).all(|(e, most)| e.abs() < most);
    assert!(is_near, "{errors:?}");
}

/// Elastic force on each vertex [N], from the law in f64: 0.15 of the energy is in the tetrahedra, the rest in cubes of
/// six tetrahedra by their mean deformation.
fn elastic_forces(body: &XpbdBody, positions: &[[f64; 3]]) -> Vec<Vector3<f64>> {
    let (mu, lame) = (body.material.lame_mu(), body.material.lame_lambda());
    let lambda = lame + mu;
    let mut forces = vec![Vector3::zeros(); positions.len()];
    let edges = |tet: &[u32; 4], at: &[[f64; 3]]| {
        let x = tet.map(|i| Vector3::from(at[i as usize]));
        Matrix3::from_columns(&[x[1] - x[0], x[2] - x[0], x[3] - x[0]])
    };
    let rest = |tet: &[u32; 4]| edges(tet, &body.mesh.positions);
    let deformation = |tet: &[u32; 4]| edges(tet, positions) * rest(tet).try_inverse().unwrap();
    let stress = |f: Matrix3<f64>| {
        let cofactor = f.determinant() * f.try_inverse().unwrap().transpose();
        f * mu + cofactor * (lambda * (f.determinant() - 1.0 - mu / lambda))
    };
    for cube in body.mesh.tets.chunks(6) {
        let volumes = cube.iter().map(|tet| rest(tet).determinant());
        let sum: Matrix3<f64> = cube
            .iter()
            .map(|tet| deformation(tet) * rest(tet).determinant())
            .sum();
        let mean = stress(sum / volumes.sum::<f64>());
        for tet in cube {
            let stress = stress(deformation(tet)) * 0.15 + mean * 0.85;
            let inverse = rest(tet).try_inverse().unwrap();
            let columns = -stress * inverse.transpose() * (rest(tet).determinant() / 6.0);
            for k in 0..3 {
                let force = columns.column(k).into_owned();
                forces[tet[k + 1] as usize] += force;
                forces[tet[0] as usize] -= force;
            }
        }
    }
    forces
}

/// Within 1 % of the elastic forces on the fixed vertices.
#[test]
fn the_force_on_a_tool_balances_the_elastic_forces() {
    let mut block = body([5, 5, 4], [0.05, 0.05, 0.04], MATERIAL);
    block.fixed = vertices(&block, |p| p[2] < 1e-6);
    for (shape, face_contact) in [
        (Shape::Sphere { radius: 0.015 }, false),
        (Shape::Sphere { radius: 0.015 }, true),
        // Not larger than a face.
        (Shape::Sphere { radius: 0.004 }, true),
        (
            Shape::Cylinder {
                radius: 0.012,
                half_length: 0.01,
            },
            true,
        ),
    ] {
        let config = XpbdConfig {
            face_contact,
            ..still(2.5e-4)
        };
        let mut world = Xpbd::new(config, std::slice::from_ref(&block), &[]).unwrap();
        let size = match shape {
            Shape::Sphere { radius } => radius,
            _ => 0.01,
        };
        world.tools_mut().push(Tool {
            // Between vertices.
            position: Vector3::new(0.0265, 0.0235, 0.04 + size),
            linear: Vector3::new(0.0, 0.0, -0.03),
            friction: 0.2,
            ..Tool::new(shape.clone())
        });
        world.step(0.2).unwrap();
        world.tools_mut()[0].linear.z = 0.0;
        world.step(0.6).unwrap();
        world.step(0.05).unwrap();
        let found = world.wrench(0).force;
        let forces = elastic_forces(&block, &world.positions());
        let held: Vector3<f64> = block.fixed.iter().map(|i| forces[*i as usize]).sum();
        assert!(found.z > 0.02, "{shape:?}: {found:?}");
        // Elastic forces sum to zero, so the forces on the fixed vertices equal the force of the tool on the
        // others.
        let error = (found + held).norm() / held.norm();
        assert!(error < 0.01, "{shape:?}: {found:?} {held:?}");
    }
}

/// Within 2 µm.
#[test]
fn the_shape_at_rest_comes_back() {
    let mut block = body([4, 4, 4], [0.04; 3], MATERIAL);
    block.fixed = vertices(&block, |p| p[2] < 1e-6);
    block.damping_time = 0.01;
    let rest = block.mesh.positions.clone();
    let mut world = Xpbd::new(still(1e-3), &[block], &[]).unwrap();
    // It is at rest at rest.
    world.step(0.2).unwrap();
    for (now, rest) in world.positions().iter().zip(&rest) {
        assert!((Vector3::from(*now) - Vector3::from(*rest)).norm() < 1e-7);
    }
    world.tools_mut().push(Tool {
        position: Vector3::new(0.02, 0.02, 0.061),
        linear: Vector3::new(0.02, 0.0, -0.1),
        friction: 0.5,
        ..Tool::new(Shape::Sphere { radius: 0.02 })
    });
    world.step(0.2).unwrap();
    let depth = |world: &Xpbd| 0.04 - world.positions().iter().map(|p| p[2]).fold(1.0, f64::min);
    assert!(depth(&world) > 0.0);
    world.tools_mut().clear();
    world.step(1.5).unwrap();
    for (now, rest) in world.positions().iter().zip(&rest) {
        let error = (Vector3::from(*now) - Vector3::from(*rest)).norm();
        assert!(error < 2e-6, "{now:?} {rest:?}");
    }
}
