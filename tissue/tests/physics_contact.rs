//! The force of particles on tools against answers that are known: plates, a ball, a flat punch, a slope; and the shape at rest.

#[expect(clippy::pedantic, reason = "shared by several tests")]
mod finite_elements;
#[expect(clippy::pedantic, reason = "shared by several tests")]
mod physics_blocks;

use finite_elements::Layer;
use insonate_tissue::Material;
use insonate_tissue::mpm::MlsMpm;
use insonate_tissue::tool::{Shape, Tool};
use nalgebra::{UnitQuaternion, Vector3};
use physics_blocks::{damped, force, part_of, world};

const SOFT: Material = Material {
    young_modulus: 28e3,
    poisson_ratio: 0.4,
    density: 1000.0,
    viscosity: 0.0,
    tearing: None,
};

/// Moves a tool along z to a height [m] in a time [s] and waits for a time.
fn bring(world: &mut MlsMpm, tool: usize, height: f64, time: f64, wait: f64) {
    world.tools[tool].linear = Vector3::z() * ((height - world.tools[tool].position.z) / time);
    world.step(time).expect("stable");
    world.tools[tool].linear = Vector3::zeros();
    world.step(wait).expect("stable");
}

/// Nominal stress [Pa] of the law at a stretch, its sides free.
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

/// The part of a block that `is_in` says on a table, and a tool above its middle.
fn on_table(
    size: [f64; 3],
    cell: f64,
    material: Material,
    shape: Shape,
    half: f64,
    is_in: impl Fn([f64; 3]) -> bool,
) -> MlsMpm {
    let table = Tool {
        position: Vector3::new(0.0, 0.0, 1e-4),
        friction: f64::INFINITY,
        ..Tool::new(Shape::HalfSpace)
    };
    let tool = Tool {
        position: Vector3::new(0.5 * size[0], 0.5 * size[1], size[2] + half),
        ..Tool::new(shape)
    };
    part_of(size, cell, material, [0.0; 3], vec![table, tool], is_in)
}

/// A round layer on a table, deep and wide against what presses it.
const LAYER: Layer = Layer {
    radius: 0.08,
    depth: 0.06,
    young_modulus: SOFT.young_modulus,
    poisson_ratio: SOFT.poisson_ratio,
};

/// Force [N] of the layer on a tool, whose lowest point is `half` below its origin, at a depth [m].
fn press(shape: Shape, half: f64, cell: f64, depth: f64) -> f64 {
    let size = [2.0 * LAYER.radius, 2.0 * LAYER.radius, LAYER.depth];
    let mut world = on_table(size, cell, damped(SOFT, cell), shape, half, |[x, y, _]| {
        (x - LAYER.radius).hypot(y - LAYER.radius) < LAYER.radius
    });
    bring(&mut world, 1, size[2] + half - depth, 0.1, 0.1);
    force(&mut world, 1, 0.03).z
}

/// Errors of the force for cells [m], and the order by which they fall: the slope of a line through their logarithms.
fn errors(shape: &Shape, half: f64, depth: f64, wanted: f64, cells: &[f64]) -> (Vec<f64>, f64) {
    let errors: Vec<f64> = cells
        .iter()
        .map(|&cell| press(shape.clone(), half, cell, depth) / wanted - 1.0)
        .collect();
    let x: Vec<f64> = cells.iter().map(|cell| cell.ln()).collect();
    let y: Vec<f64> = errors.iter().map(|error| error.abs().ln()).collect();
    let mean = |of: &[f64]| of.iter().sum::<f64>() / of.len() as f64;
    let (x_mean, y_mean) = (mean(&x), mean(&y));
    let slope = |with: &[f64], with_mean: f64| -> f64 {
        let pairs = x.iter().zip(with);
        pairs.map(|(x, y)| (x - x_mean) * (y - with_mean)).sum()
    };
    (errors, slope(&y, y_mean) / slope(&x, x_mean))
}

fn ball(cells: &[f64]) -> (Vec<f64>, f64) {
    let (radius, depth): (f64, f64) = (0.04, 0.004);
    let wanted = LAYER.force(1.2 * (radius * depth).sqrt(), |r| {
        depth - (radius - (radius * radius - r * r).sqrt())
    });
    errors(&Shape::Sphere { radius }, radius, depth, wanted, cells)
}

fn punch(cells: &[f64]) -> (Vec<f64>, f64) {
    let (radius, depth) = (0.02, 0.004);
    let wanted = LAYER.force(radius, |_| depth);
    let shape = Shape::Cylinder {
        radius,
        half_length: 0.03,
    };
    errors(&shape, 0.03, depth, wanted, cells)
}

#[test]
fn a_ball_is_pressed_as_hertz_says() {
    let cells = [0.014, 0.01, 0.007];
    let (errors, order) = ball(&cells);
    eprintln!("ball, cells of {cells:?} m: {errors:+.4?}, order {order:.2}");
    assert!(errors[2].abs() < 0.05, "{errors:?}");
}

#[test]
fn a_flat_punch_is_pressed_as_boussinesq_says() {
    let cells = [0.014, 0.01, 0.007];
    let (errors, order) = punch(&cells);
    eprintln!("punch, cells of {cells:?} m: {errors:+.4?}, order {order:.2}");
    // Its edge lies between particles, somewhere: the error does not fall evenly.
    assert!(
        errors[1..].iter().all(|error| error.abs() < 0.07),
        "{errors:?}"
    );
}

#[test]
#[ignore = "takes minutes: finer cells, for the table of the documentation"]
fn the_force_of_a_press_converges() {
    let cells = [0.014, 0.01, 0.007, 0.005, 0.0035];
    let all = [("ball", ball(&cells)), ("punch", punch(&cells))];
    for (name, (errors, order)) in &all {
        eprintln!("{name}, cells of {cells:?} m: {errors:+.4?}, order {order:.2}");
    }
    for (_, (errors, _)) in all {
        assert!(errors[4].abs() < 0.05 && errors[4].abs() < errors[0].abs());
    }
}

#[test]
fn a_probe_narrower_than_two_cells_is_not_let_through() {
    let shape = Shape::Cuboid {
        half: [0.03, 0.01, 0.03],
    };
    // As a disc of its area.
    let radius = (4.0f64 * 0.03 * 0.01 / std::f64::consts::PI).sqrt();
    for depth in [0.01, 0.02] {
        let disc = LAYER.force(radius, |_| depth);
        let found = press(shape.clone(), 0.03, 0.014, depth) / disc;
        eprintln!("probe of 60 x 20 mm, cells of 14 mm, at {depth}: {found:.3} of a disc");
        assert!((0.8..1.25).contains(&found), "{depth}: {found}");
    }
}

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

#[test]
fn the_shape_at_rest_comes_back() {
    let (size, cell) = ([0.06, 0.06, 0.04], 0.008);
    let material = damped(SOFT, cell);
    let shape = Shape::Sphere { radius: 0.02 };
    let mut world = on_table(size, cell, material, shape, 0.02, |_| true);
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
    let left = way(&world);
    eprintln!("pressed by {pressed:.5} m, {left:.6} m are left");
    assert!(pressed > 0.008 && left < 0.02 * pressed, "{pressed} {left}");
}

#[test]
fn what_is_stiffer_gives_less() {
    // The papers' four; a plate under the same load on each.
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
        let mut world = on_table(size, cell, damped(material, cell), shape, 0.01, |_| true);
        // A stiffness guess makes each step go most of the way.
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
    // At small strain as one over the modulus.
    let ratio = depths[2] / depths[3] / (1e5 / 15e3);
    assert!((ratio - 1.0).abs() < 0.15, "{ratio}");
}
