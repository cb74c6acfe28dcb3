//! Particles in clamps against analytic solutions: shear, a hanging bar, and a cantilever.

#[expect(clippy::pedantic, reason = "shared by several tests")]
mod physics_blocks;

use insonate_tissue::Material;
use insonate_tissue::mpm::{MlsMpm, MpmConfig};
use insonate_tissue::tool::{Shape, Tool};
use nalgebra::{UnitQuaternion, Vector3};
use physics_blocks::{block, damped, force, world};

fn sticky(shape: Shape) -> Tool {
    Tool {
        friction: f64::INFINITY,
        ..Tool::new(shape)
    }
}

/// Mean of an entry of the deformation gradient over the particles that were in a box at rest.
fn mean_grad(
    world: &MlsMpm,
    rest: &[[f64; 3]],
    entry: usize,
    low: [f64; 3],
    high: [f64; 3],
) -> f64 {
    let grads = world.deformation_grads();
    let within = |p: &[f64; 3]| (0..3).all(|i| p[i] > low[i] && p[i] < high[i]);
    let some: Vec<f64> = rest
        .iter()
        .zip(&grads)
        .filter(|(p, _)| within(p))
        .map(|(_, grad)| f64::from(grad[entry]))
        .collect();
    some.iter().sum::<f64>() / some.len() as f64
}

/// The neo-Hookean shear force, within 2 %.
#[test]
fn a_sheared_block_resists_as_the_law_says() {
    let (size, cell) = ([0.12, 0.06, 0.015], 0.005);
    let material = Material {
        poisson_ratio: 0.3,
        ..Material::default()
    };
    let upper = Tool {
        position: Vector3::new(0.0, 0.0, size[2]),
        rotation: UnitQuaternion::from_scaled_axis(Vector3::x() * std::f64::consts::PI),
        ..sticky(Shape::HalfSpace)
    };
    let tools = vec![sticky(Shape::HalfSpace), upper];
    let mut world = world(size, cell, damped(material, cell), [0.0; 3], tools);
    let rest = world.positions();
    world.tools[1].linear.x = 0.03;
    world.step(0.1).expect("stable");
    world.tools[1].linear.x = 0.0;
    world.step(0.1).expect("stable");
    let found = -force(&mut world, 1, 0.02).x / (size[0] * size[1]);
    let shear = mean_grad(&world, &rest, 2, [0.03, 0.02, 0.005], [0.09, 0.04, 0.01]);
    // Simple shear: τ_xz = μ γ; a bonded block of length L gives by 1 + h² / (3 L²) more (bending).
    let wanted = material.lame_mu() * shear;
    let error = found / wanted - 1.0;
    eprintln!("shear {shear:.4}: {found:.2} Pa of {wanted:.2} Pa, {error:+.4}");
    assert!(shear > 0.15, "{shear}");
    assert!(error.abs() < 0.02, "{found} {wanted}");
}

/// ρ g z² / 2E within 3 %, and the weight on its clamp within 2 %.
#[test]
fn a_hanging_bar_stretches_by_its_weight() {
    let (size, cell) = ([0.02, 0.02, 0.1], 0.005);
    let (young_modulus, gravity) = (1e5, 9.81);
    let material = Material {
        young_modulus,
        // No lateral contraction, which the clamp would prevent.
        poisson_ratio: 0.0,
        ..Material::default()
    };
    let mut top = sticky(Shape::Cuboid {
        half: [0.05, 0.05, 0.02],
    });
    top.position.z = size[2] + 0.02 - 0.01;
    let damped = damped(material, cell);
    let mut world = world(size, cell, damped, [0.0, 0.0, -gravity], vec![top]);
    let rest = world.positions();
    world.step(0.6).expect("stable");
    let now = world.positions();
    let sunk = |height: f64| {
        let layer = rest
            .iter()
            .zip(&now)
            .filter(|(rest, _)| (rest[2] - height).abs() < 0.3 * cell);
        let (sum, n) = layer.fold((0.0, 0.0), |(sum, n), (rest, now)| {
            (sum + rest[2] - now[2], n + 1.0)
        });
        sum / n
    };
    // Between a layer well below the clamp and the last: σ = ρ g z.
    let (high, low) = (0.07125, 0.00125);
    let found = sunk(low) - sunk(high);
    let wanted = 1000.0 * gravity * (high * high - low * low) / (2.0 * young_modulus);
    let error = found / wanted - 1.0;
    eprintln!("bar hangs {found:.6} m of {wanted:.6} m, {error:+.4}");
    assert!(error.abs() < 0.03, "{found} {wanted}");
    // It still oscillates slightly: the mean over five of its periods 4 L √(ρ / E).
    let weight = force(&mut world, 0, 0.18).z / (-1000.0 * gravity * size.iter().product::<f64>());
    eprintln!("its weight on the clamp: {weight:.5}");
    assert!((weight - 1.0).abs() < 0.02, "{weight}");
}

/// Within 3 % at 4 cells over its height and 2 % at 8, falling with the cell.
#[test]
fn a_cantilever_bends_as_timoshenko_says() {
    // Bent by 0.4 mm, and swinging by as much: where it swings by a fifth of its height it sags further with each swing (docs).
    let (length, height, gravity): (f64, f64, f64) = (0.1, 0.02, 0.0981);
    let material = Material {
        young_modulus: 1e5,
        poisson_ratio: 0.0,
        ..Material::default()
    };
    // Timoshenko 1921: bending, and shear with a coefficient of 5/6; from the clamp to the last layer of particles.
    let load = material.density * gravity;
    let wanted = 1.5 * load * length.powi(4) / (material.young_modulus * height * height)
        + load * length.powi(2) / (2.0 * 5.0 / 6.0 * material.lame_mu());
    let bend = |cell: f64| {
        let inside = 0.02;
        let size = [inside + length, 2.0 * cell, height];
        let mut clamp = sticky(Shape::Cuboid {
            half: [0.05, 0.5, 0.5],
        });
        clamp.position.x = inside - 0.05;
        // The clamp's face goes through nodes and holds whole ones. Otherwise the beam would be longer or shorter by a
        // part of a cell.
        let config = MpmConfig {
            origin: [-10.0 * cell; 3],
            cell_width: cell,
            cells: size.map(|size| (size / cell + 20.0).round() as usize),
            gravity: [0.0, 0.0, -gravity],
            ..MpmConfig::default()
        };
        let beam = block(size, cell, damped(material, cell));
        let mut world = MlsMpm::new(config, &[beam]).expect("valid");
        world.tools = vec![clamp];
        let rest = world.positions();
        let end = inside + length - 0.5 * cell;
        let sunk = |now: &[[f64; 3]]| {
            let last = rest.iter().zip(now).filter(|(rest, _)| rest[0] > end);
            let (sum, n) = last.fold((0.0, 0.0), |(sum, n), (rest, now)| {
                (sum + rest[2] - now[2], n + 1.0)
            });
            sum / n
        };
        // It swings about where it would rest: the mean over four periods of 0.31 s, weighted so that what is swing falls out (Hann).
        let (mut sum, mut total) = (0.0, 0.0);
        for i in 0..124 {
            world.step(0.01).expect("stable");
            let weight = (std::f64::consts::PI * (f64::from(i) + 1.0) / 125.0)
                .sin()
                .powi(2);
            sum += weight * sunk(&world.positions());
            total += weight;
        }
        sum / total
    };
    let found = [0.01, 0.005, 0.0025].map(bend);
    let errors = found.map(|found| found / wanted - 1.0);
    eprintln!("cantilever {wanted:.6} m, cells of 10, 5, 2.5 mm: {errors:+.4?}");
    // With four cells over its height, and with eight.
    assert!(errors[1].abs() < 0.03, "{errors:?}");
    assert!(errors[2].abs() < 0.02, "{errors:?}");
    for pair in errors.windows(2) {
        assert!(pair[1].abs() < 0.7 * pair[0].abs(), "{errors:?}");
    }
}
