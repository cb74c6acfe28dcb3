//! Contract: the force of particles on tools agrees with the law between plates, with finite elements under a ball and
//! a punch, and with Coulomb friction on a slope; the rest shape is recovered. Each test states its tolerance.

#[expect(clippy::pedantic, reason = "shared by several tests")]
mod finite_elements;
#[expect(clippy::pedantic, reason = "shared by several tests")]
mod mpm_indentation;
#[expect(clippy::pedantic, reason = "shared by several tests")]
mod physics_blocks;

use insonate_tissue::Material;
use insonate_tissue::mpm::{Formulation, MlsMpm};
use insonate_tissue::tool::{Shape, Tool};
use mpm_indentation::{LAYER, SOFT, ball, bring, on_table, press, punch};
use nalgebra::{UnitQuaternion, Vector3};
use physics_blocks::{damped, force, world};

const BOTH: [Formulation; 2] = [Formulation::UpdatedLagrangian, Formulation::TotalLagrangian];

/// Nominal stress [Pa] of the law at a stretch, with free sides.
fn uniaxial(stretch: f64, material: &Material) -> f64 {
    let (mu, lambda) = (material.lame_mu(), material.lame_lambda());
    let (mut low, mut high) = (0.3f64, 3.0f64);
    for _ in 0..100 {
        let side = 0.5 * (low + high);
        if mu * (side * side - 1.0) + lambda * (side * side * stretch).ln() > 0.0 {
            high = side;
        } else {
            low = side;
        }
    }
    (mu * (stretch * stretch - 1.0) + lambda * (low * low * stretch).ln()) / stretch
}

/// The uniaxial stress of the neo-Hookean law, within 2 %.
#[test]
fn a_block_between_plates_presses_back_as_the_law_says() {
    let (size, cell) = (0.04, 0.005);
    let material = Material {
        young_modulus: 2e4,
        poisson_ratio: 0.3,
        ..SOFT
    };
    let plate = Tool::new(Shape::HalfSpace);
    let upper = Tool {
        position: Vector3::new(0.0, 0.0, size),
        rotation: UnitQuaternion::from_scaled_axis(Vector3::x() * std::f64::consts::PI),
        ..plate.clone()
    };
    let damped = damped(material, cell);
    let mut world = world([size; 3], cell, damped, [0.0; 3], vec![plate, upper]);
    for stretch in [0.95, 0.9, 0.75] {
        bring(&mut world, 1, stretch * size, 0.1, 0.15);
        let found = force(&mut world, 1, 0.02).z;
        let wanted = -uniaxial(stretch, &material) * size * size;
        let error = found / wanted - 1.0;
        eprintln!("plates at {stretch}: {found:.4} N of {wanted:.4} N, {error:+.4}");
        assert!(error.abs() < 0.02, "{stretch}: {found} {wanted}");
        let below = world.wrench(0).force.z;
        assert!((found + below).abs() < 1e-3 * found, "{found} {below}");
    }
}

/// Within 5 % at cells of 7 mm.
#[test]
fn a_ball_is_pressed_as_finite_elements_say() {
    let cells = [0.014, 0.01, 0.007];
    for formulation in BOTH {
        let (errors, order) = ball(formulation, &cells);
        eprintln!("ball, {formulation:?}, cells of {cells:?} m: {errors:+.4?}, order {order:.2}");
        assert!(errors[2].abs() < 0.05, "{errors:?}");
    }
}

/// Within 7 % at cells of 10 and 7 mm.
#[test]
fn a_flat_punch_is_pressed_as_finite_elements_say() {
    let cells = [0.014, 0.01, 0.007];
    for formulation in BOTH {
        let (errors, order) = punch(formulation, &cells);
        eprintln!("punch, {formulation:?}, cells of {cells:?} m: {errors:+.4?}, order {order:.2}");
        // The edge lies somewhere between particles, so the error does not decrease evenly.
        assert!(
            errors[1..].iter().all(|error| error.abs() < 0.07),
            "{errors:?}"
        );
    }
}

/// The force is that of a disc with the same area, within 25 %.
#[test]
fn a_probe_narrower_than_two_cells_is_felt() {
    let shape = Shape::Cuboid {
        half: [0.03, 0.01, 0.03],
    };
    // A disc of the same area.
    let radius = (4.0f64 * 0.03 * 0.01 / std::f64::consts::PI).sqrt();
    for depth in [0.01, 0.02] {
        let disc = LAYER.force(radius, |_| depth);
        let found = press(Formulation::default(), shape.clone(), 0.03, 0.014, depth) / disc;
        eprintln!("probe of 60 x 20 mm, cells of 14 mm, at {depth}: {found:.3} of a disc");
        assert!((0.8..1.25).contains(&found), "{depth}: {found}");
    }
}

/// It sticks within 2 mm/s, and accelerates by g (sin − μ cos) within 3 %.
#[test]
fn a_block_slides_where_the_slope_is_steeper_than_friction() {
    let (size, cell, friction) = ([0.03, 0.03, 0.02], 0.005, 0.3f64);
    let material = damped(Material::default(), cell);
    let slide = |slope: f64| {
        let angle = slope.atan();
        let gravity = [9.81 * angle.sin(), 0.0, -9.81 * angle.cos()];
        let floor = Tool {
            friction,
            ..Tool::new(Shape::HalfSpace)
        };
        let mut world = world(size, cell, material, gravity, vec![floor]);
        world.step(0.05).expect("stable");
        let start = world.momentum()[0] / world.mass();
        world.step(0.04).expect("stable");
        let end = world.momentum()[0] / world.mass();
        (end, (end - start) / 0.04)
    };
    for slope in [0.1, 0.2, 0.28] {
        let (speed, _) = slide(slope);
        eprintln!("slope {slope}: speed {speed:.5} m/s");
        assert!(speed.abs() < 2e-3, "{slope}: {speed}");
    }
    for slope in [0.4, 0.6] {
        let (_, found) = slide(slope);
        let wanted = 9.81 * (slope - friction) * slope.atan().cos();
        eprintln!("slope {slope}: acceleration {found:.4} of {wanted:.4} m/s2");
        assert!((found / wanted - 1.0).abs() < 0.03, "{slope}: {found}");
    }
}

/// Within 2 % of the greatest displacement half a second later, and 0.1 % in the total Lagrangian formulation.
#[test]
fn the_shape_at_rest_comes_back() {
    for (formulation, most) in BOTH.into_iter().zip([0.02, 1e-3]) {
        let [pressed, left] = pressed_and_left(formulation);
        eprintln!("{formulation:?}: pressed by {pressed:.5} m, {left:.6} m are left");
        assert!(pressed > 0.008 && left < most * pressed, "{pressed} {left}");
    }
}

/// Greatest displacement [m] under a ball, and half a second after it has gone.
fn pressed_and_left(formulation: Formulation) -> [f64; 2] {
    let (size, cell) = ([0.06, 0.06, 0.04], 0.008);
    let material = damped(SOFT, cell);
    let shape = Shape::Sphere { radius: 0.02 };
    let mut world = on_table(size, cell, material, formulation, shape, 0.02, |_| true);
    world.tools[1].friction = 0.5;
    let rest = world.positions();
    bring(&mut world, 1, 0.05, 0.05, 0.05);
    let way = |world: &MlsMpm| {
        let pairs = world.positions().into_iter().zip(&rest);
        pairs
            .map(|(now, rest)| (Vector3::from(now) - Vector3::from(*rest)).norm())
            .fold(0.0, f64::max)
    };
    let pressed = way(&world);
    world.tools.truncate(1);
    world.step(0.5).expect("stable");
    [pressed, way(&world)]
}

/// Depths are ordered, and at small strain proportional to one over the modulus within 15 %.
#[test]
fn stiffer_tissue_is_dented_less() {
    // The four moduli of the papers; a plate under the same load on each.
    let (size, cell, load) = ([0.06, 0.06, 0.04], 0.01, 0.4);
    let depths = [1e3, 8e3, 15e3, 1e5].map(|young_modulus| {
        let material = Material {
            young_modulus,
            poisson_ratio: 0.2,
            ..SOFT
        };
        let shape = Shape::Cylinder {
            radius: 0.02,
            half_length: 0.01,
        };
        let (soft, updated) = (damped(material, cell), Formulation::default());
        let mut world = on_table(size, cell, soft, updated, shape, 0.01, |_| true);
        // A stiffness estimate makes each step cover most of the remaining distance.
        let stiffness = 0.1 * young_modulus;
        for _ in 0..60 {
            let lacking = load - world.wrench(1).force.z;
            world.tools[1].linear.z = -lacking / stiffness / 0.02 * 0.5;
            world.step(0.02).expect("stable");
        }
        let lacking = world.wrench(1).force.z / load - 1.0;
        assert!(lacking.abs() < 0.1, "{young_modulus}: {lacking}");
        size[2] + 0.01 - world.tools[1].position.z
    });
    eprintln!("depths under {load} N: {depths:.5?}");
    assert!(
        depths.windows(2).all(|two| two[0] > 1.2 * two[1]),
        "{depths:?}"
    );
    // At small strain proportional to one over the modulus.
    let ratio = depths[2] / depths[3] / (1e5 / 15e3);
    assert!((ratio - 1.0).abs() < 0.15, "{ratio}");
}
