//! A needle in blocks of tetrahedra: balance of momentum, stiffness of the coupling, friction, puncture, layers, restarts.
//!
//! Symbols: G shear modulus, f friction [N/m], J toughness [J/m²], D outer diameter, h edge, s side of a block.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::f64::consts::{PI, TAU};

use insonate_needle::{Gauge, Layer, NeedleConfig, NeedleError, Report};
use insonate_sim::needle::{BlockLayer, Insertion, InsertionError, LayeredBlock};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

/// Outer diameter of 18G [m].
const DIAMETER: f64 = 1.270e-3;

/// Radius of the circle that is as far from a wire as the sides of a square [sides]: the capacity of a square coaxial line.
const SQUARE: f64 = 0.539_35;

fn block(size: [f64; 3], edge: f64, young_modulus: f64, layers: Vec<(f64, Layer)>) -> LayeredBlock {
    let layers = layers.into_iter();
    LayeredBlock {
        size,
        edge,
        layers: layers
            .map(|(thickness, resistance)| BlockLayer {
                thickness,
                young_modulus,
                resistance,
            })
            .collect(),
        poisson_ratio: 0.45,
        density: 1000.0,
        damping_time: 0.01,
    }
}

fn shear_modulus(young_modulus: f64) -> f64 {
    young_modulus / 2.9
}

/// Pose of the hub with the tip of the straight needle at a depth, pointing down.
fn pose(config: &NeedleConfig, x: f64, depth: f64) -> Isometry3<f64> {
    let down = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI);
    Isometry3::from_parts(Vector3::new(x, 0.7e-3, config.length - depth).into(), down)
}

struct Run {
    insertion: Insertion,
    config: NeedleConfig,
    speed: f64,
}

impl Run {
    fn new(block: &LayeredBlock, speed: f64) -> Self {
        let config = NeedleConfig::steel(Gauge::G18, 0.12);
        let insertion = Insertion::new(block, config, pose(&config, 1e-3, -1e-3)).unwrap();
        Self {
            insertion,
            config,
            speed,
        }
    }

    fn to(&mut self, x: f64, depth: f64) -> Report {
        let to = pose(&self.config, x, depth);
        let from = self.insertion.needle().base().translation.vector;
        let time = (to.translation.vector - from).norm() / self.speed;
        self.insertion.advance(to, time, |_| ()).unwrap()
    }

    /// Holds the hub until the tissue rests.
    fn hold(&mut self, time: f64) -> Report {
        let base = *self.insertion.needle().base();
        self.insertion.advance(base, time, |_| ()).unwrap()
    }
}

#[track_caller]
fn assert_near(value: f64, expected: f64, share: f64) {
    let error = (value - expected).abs();
    assert!(
        error <= share * expected.abs(),
        "{value} instead of {expected}"
    );
}

/// Radius of the rod that moves as a line of points with equal axial forces does, from antiplane shear in a square column:
/// $u = \frac{f}{2 \pi G} \ln \frac{0.539 s}{r}$.
fn core_radius(edge: f64, offset: [f64; 2]) -> f64 {
    let (side, height, modulus, f) = (0.04, 0.1, 1e4, 1.0);
    let layers = vec![(1.0, Layer::soft("gel", 0.0, 0.0))];
    let body = block([side, side, height], edge, modulus, layers)
        .build()
        .unwrap();
    let mut world = body.world().clone();
    let dt = body.substep();
    let spacing = 0.5 * edge;
    let n = (height / spacing).round() as usize;
    let places = (0..n).map(|i| {
        let z = -(i as f64 + 0.5) * spacing;
        Vector3::new(offset[0] * edge, offset[1] * edge, z)
    });
    // The weights of each point, by the test's own search.
    let weights: Vec<[(usize, f64); 4]> = places
        .clone()
        .map(|at| {
            let inside = body.tets().iter().find_map(|tet| {
                let corners = tet.map(|v| Vector3::from(body.rest()[v as usize]));
                let volume =
                    |c: [Vector3<f64>; 4]| (c[1] - c[0]).dot(&(c[2] - c[0]).cross(&(c[3] - c[0])));
                let whole = volume(corners);
                let parts: [f64; 4] = std::array::from_fn(|i| {
                    let mut part = corners;
                    part[i] = at;
                    volume(part) / whole
                });
                parts
                    .iter()
                    .all(|w| *w > -1e-9)
                    .then(|| std::array::from_fn(|i| (tet[i] as usize, parts[i])))
            });
            inside.unwrap()
        })
        .collect();
    for step in 0..2400 {
        world.step(dt).unwrap();
        let ramp = (f64::from(step) / 1200.0).min(1.0);
        for (vertex, weight) in weights.iter().flatten() {
            let impulse = Vector3::new(0.0, 0.0, -f * spacing * ramp * dt * weight);
            world.push(*vertex, impulse, dt);
        }
    }
    let middle: Vec<f64> = places
        .zip(&weights)
        .filter(|(at, _)| (at.z + 0.5 * height).abs() < 0.1 * height)
        .map(|(at, weights)| {
            let now: f64 = weights.iter().map(|(v, w)| world.position(*v).z * w).sum();
            at.z - now
        })
        .collect();
    let moved = middle.iter().sum::<f64>() / middle.len() as f64;
    SQUARE * side * (-TAU * shear_modulus(modulus) * moved / f).exp()
}

#[test]
fn a_line_of_points_moves_as_a_rod_of_a_quarter_of_an_edge() {
    for edge in [8e-3, 5e-3] {
        let places = [[0.0, 0.0], [0.3, 0.17], [0.5, 0.5], [0.25, 0.6]];
        let logs = places.map(|place| (core_radius(edge, place) / edge).ln());
        let mean = (logs.iter().sum::<f64>() / 4.0).exp();
        // The displacement depends on its logarithm: a quarter more or less is 6 % of it.
        assert!((0.19..0.32).contains(&mean), "{edge} {mean} {logs:?}");
    }
}

#[test]
fn stiffness_does_not_depend_on_the_mesh() {
    let stiffness = [10e-3, 7.5e-3, 5e-3].map(|edge| {
        let layers = vec![(1.0, Layer::soft("gel", 0.0, 20.0))];
        let mut run = Run::new(&block([0.06; 3], edge, 1e4, layers), 0.05);
        run.to(1e-3, 0.04);
        let start = run.hold(0.3);
        run.to(1e-3, 0.0395);
        let back = run.hold(0.3);
        run.to(1.2e-3, 0.0395);
        let side = run.hold(0.3);
        let axial = (start.axial_force - back.axial_force) / 0.5e-3;
        let lateral = (back.force_on_base.x - side.force_on_base.x) / 0.2e-3;
        [axial, lateral]
    });
    for other in &stiffness[..2] {
        assert!(other[0] > 100.0 && other[1] > 20.0, "{stiffness:?}");
        assert_near(other[0], stiffness[2][0], 0.05);
        assert_near(other[1], stiffness[2][1], 0.05);
    }
}

/// Momentum and angular momentum about the origin of all vertices.
fn momenta(insertion: &Insertion) -> [Vector3<f64>; 2] {
    let world = insertion.body().world();
    let velocities = world.velocities();
    let parts = world.masses().iter().zip(velocities).enumerate();
    let parts = parts.map(|(vertex, (mass, velocity))| {
        let momentum = Vector3::from(velocity) * *mass;
        [momentum, world.position(vertex).cross(&momentum)]
    });
    parts.fold([Vector3::zeros(); 2], |[p, l], [q, m]| [p + q, l + m])
}

#[test]
fn tissue_gains_the_momentum_that_the_base_gives() {
    let layers = vec![(1.0, Layer::soft("liver", 164.0, 20.0))];
    let mut run = Run::new(&block([0.06; 3], 6e-3, 1e4, layers), 0.05);
    run.to(1e-3, 0.025);
    run.to(2e-3, 0.03);
    for step in 1..=5 {
        // The same substep without the needle: one whose hub is far away.
        let mut alone = run.insertion.body().world().clone();
        let dt = run.insertion.body().substep();
        alone.step(dt).unwrap();
        let velocities = alone.velocities();
        let masses = alone.masses().to_vec();
        let to = pose(&run.config, 2e-3, 0.03 + 2e-5 * f64::from(step));
        let report = run.insertion.step(to).unwrap();
        let [momentum, angular] = momenta(&run.insertion);
        let mut gained = momentum;
        let mut turned = angular;
        let world = run.insertion.body().world();
        for (vertex, (mass, velocity)) in masses.iter().zip(velocities).enumerate() {
            let before = Vector3::from(velocity) * *mass;
            gained -= before;
            // Positions after the step, because an impulse acts where its vertex is then.
            turned -= world.position(vertex).cross(&before);
        }
        let force = gained / dt;
        let lateral = report.lateral_force;
        assert!(
            report.force_on_base.norm() > 0.5 && lateral > 0.02,
            "{report:?}"
        );
        let error = (force + report.force_on_base).norm();
        assert!(
            error < 2e-3 * report.force_on_base.norm(),
            "{force} {report:?}"
        );
        let hub = run.insertion.needle().base().translation.vector;
        let torque = report.torque_on_base + hub.cross(&report.force_on_base);
        let error = (turned / dt + torque).norm();
        let scale = hub.norm() * report.force_on_base.norm();
        assert!(error < 2e-3 * scale, "{} {torque}", turned / dt);
    }
}

#[test]
fn friction_sticks_and_slips_in_both_directions() {
    let friction = 20.0;
    let layers = vec![(1.0, Layer::soft("liver", 0.0, friction))];
    let mut run = Run::new(&block([0.05, 0.05, 0.06], 5e-3, 2e4, layers), 0.05);
    run.to(1e-3, 0.045);
    let pushed = run.hold(0.2);
    assert_near(pushed.axial_force, friction * pushed.inserted_length, 0.02);
    // While all of it sticks, force is proportional to motion.
    run.to(1e-3, 0.045 - 1e-4);
    let first = pushed.axial_force - run.hold(0.2).axial_force;
    run.to(1e-3, 0.045 - 2e-4);
    let second = pushed.axial_force - run.hold(0.2).axial_force;
    assert!(first > 0.02, "{first}");
    assert_near(second, 2.0 * first, 0.03);
    // A column without a needle's end: k = 2 π G / ln(0.539 s / a) per length, for a long shaft in a square with fixed sides.
    let per_length = TAU * shear_modulus(2e4) / (SQUARE * 0.05 / (0.5 * DIAMETER)).ln();
    let stiffness = first / 1e-4;
    let length = pushed.inserted_length;
    let expected = per_length * length;
    assert!(
        (0.85..1.35).contains(&(stiffness / expected)),
        "{stiffness} {expected}: the bottom and the end of the shaft add some"
    );
    // Reversal takes 2 f L / k, and then all of it slips back.
    let slip = 2.0 * friction * length / stiffness;
    run.to(1e-3, 0.045 - 0.5 * slip);
    let half = run.hold(0.2).axial_force;
    assert!(half.abs() < 0.25 * friction * length, "{half}");
    run.to(1e-3, 0.045 - 3.0 * slip);
    let pulled = run.hold(0.2);
    assert_near(pulled.axial_force, -friction * pulled.inserted_length, 0.02);
    run.to(1e-3, -0.01);
    let out = run.hold(0.2);
    assert_eq!(out.force_on_base, Vector3::zeros());
    assert_eq!(out.inserted_length, 0.0);
    let world = run.insertion.body().world();
    let rest = run.insertion.body().rest();
    let left = rest
        .iter()
        .enumerate()
        .map(|(v, x)| (world.position(v) - Vector3::from(*x)).norm());
    let left = left.fold(0.0, f64::max);
    assert!(left < 2e-5, "the tissue is {left} m from its rest");
}

#[test]
fn the_force_over_depth_is_the_sum_of_cutting_and_friction_of_each_layer() {
    // [thickness, toughness, friction, puncture force]
    let rows = [
        [4e-3, 800.0, 60.0, 0.0],
        [16e-3, 100.0, 8.0, 0.0],
        [1.0, 164.0, 20.0, 0.5],
    ];
    let layers = rows
        .iter()
        .map(|[thickness, toughness, friction, puncture_force]| {
            let layer = Layer {
                puncture_force: *puncture_force,
                ..Layer::soft("tissue", *toughness, *friction)
            };
            (*thickness, layer)
        });
    let block = block([0.05, 0.05, 0.06], 5e-3, 1e5, layers.collect());
    let mut run = Run::new(&block, 0.05);
    for depth in [0.0125, 0.018, 0.03, 0.04] {
        let report = run.to(1e-3, depth);
        let (mut start, mut sum, mut cutting) = (0.0, 0.0, 0.0);
        for (i, [thickness, toughness, friction, _]) in rows.into_iter().enumerate() {
            let length = (depth - start).clamp(0.0, thickness);
            start += thickness;
            if length > 0.0 {
                cutting = toughness * DIAMETER;
            }
            // Stiff tissue gives way by less than half a millimetre.
            let error = (report.friction[i] - friction * length).abs();
            assert!(error < friction * 0.7e-3, "{depth} {i} {report:?}");
            sum += friction * length;
        }
        assert_near(report.tip_force, cutting, 0.02);
        assert_near(report.axial_force, sum + cutting, 0.05);
    }
    assert_eq!(run.insertion.report().n_punctures, 1);
}

#[test]
fn a_puncture_falls_back_to_the_balance_of_cutting() {
    let run_with = |puncture_force| {
        let layer = Layer {
            puncture_force,
            ..Layer::soft("capsule", 164.0, 5.0)
        };
        Run::new(&block([0.06; 3], 6e-3, 2e4, vec![(1.0, layer)]), 0.02)
    };
    let cutting = 164.0 * DIAMETER;
    let target = Vector3::new(1e-3, 0.7e-3, -0.03);
    let moved = |run: &Run| {
        let point = run.insertion.body().embed_at_rest(target).unwrap();
        target.z - run.insertion.body().place(&point).z
    };
    let mut run = run_with(0.35);
    let (mut peak, mut depth) = (0.0_f64, 0.0);
    while run.insertion.report().n_punctures == 0 {
        depth += 1e-4;
        let report = run.to(1e-3, depth);
        peak = peak.max(report.tip_force);
        assert!(depth < 0.02, "{report:?}");
    }
    assert!(peak > 0.95 * 0.35 && peak <= 0.35 + 1e-9, "{peak}");
    // The tissue springs back, and the tip pushes with the force of cutting all the while: it does not bounce.
    let base = *run.insertion.needle().base();
    let mut forces = Vec::new();
    let end = run
        .insertion
        .advance(base, 0.3, |report| forces.push(report.tip_force))
        .unwrap();
    let least = forces.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(least > 0.95 * cutting, "{least}");
    // The tissue calms down slowly, and a tip at rest may push a little less.
    assert_near(end.tip_force, cutting, 0.03);
    // It ends where it is without a capsule.
    let mut calm = run_with(0.0);
    calm.to(1e-3, depth);
    let without = calm.hold(0.3);
    assert_near(end.axial_force, without.axial_force, 0.05);
    assert_near(moved(&run), moved(&calm), 0.05);
    assert!(peak > 1.2 * end.axial_force, "{peak} {end:?}");
}

#[test]
fn a_saved_state_continues_with_the_same_bits() {
    let layers = || {
        vec![
            (5e-3, Layer::soft("fat", 100.0, 10.0)),
            (1.0, Layer::soft("liver", 164.0, 20.0)),
        ]
    };
    let block = block([0.05, 0.05, 0.04], 5e-3, 1e4, layers());
    let mut run = Run::new(&block, 0.05);
    run.to(1e-3, 0.015);
    let saved = run.insertion.save();
    let mut clone = run.insertion.clone();
    let expected = run.to(1.5e-3, 0.02);
    let from = saved.clone();
    let mut other = Run::new(&block, 0.05);
    other.insertion.restore(&from).unwrap();
    assert_eq!(other.to(1.5e-3, 0.02), expected);
    assert_eq!(other.insertion.save(), run.insertion.save());
    let to = *run.insertion.needle().base();
    let distance = (to.translation.vector - clone.needle().base().translation.vector).norm();
    let report = clone.advance(to, distance / 0.05, |_| ()).unwrap();
    assert_eq!(report, expected);
    // A state of another body changes nothing.
    let mut coarse = Run::new(
        &LayeredBlock {
            edge: 8e-3,
            ..block
        },
        0.05,
    );
    let before = coarse.insertion.save();
    assert!(coarse.insertion.restore(&saved).is_err());
    assert_eq!(coarse.insertion.save(), before);
}

#[test]
fn bone_and_wrong_values_are_refused() {
    let layers = vec![
        (8e-3, Layer::soft("muscle", 164.0, 20.0)),
        (1.0, Layer::bone("rib")),
    ];
    let good = block([0.05, 0.05, 0.04], 5e-3, 2e4, layers);
    let mut run = Run::new(&good, 0.05);
    let to = pose(&run.config, 1e-3, 0.02);
    let error = run.insertion.advance(to, 0.4, |_| ()).unwrap_err();
    let InsertionError::Needle(NeedleError::Bone { layer, .. }) = &error else {
        panic!("{error}");
    };
    assert_eq!(layer, "rib");
    let depth = -run.insertion.report().tip.z;
    assert!(depth > 7e-3 && depth < 11e-3, "{depth}");
    let wrong = [
        LayeredBlock {
            edge: 1e-4,
            ..good.clone()
        },
        LayeredBlock {
            size: [0.05, f64::NAN, 0.04],
            ..good.clone()
        },
        LayeredBlock {
            poisson_ratio: 0.5,
            ..good.clone()
        },
        LayeredBlock {
            layers: Vec::new(),
            ..good.clone()
        },
        LayeredBlock {
            size: [0.9; 3],
            edge: 2e-3,
            ..good
        },
    ];
    for block in wrong {
        assert!(block.build().is_err(), "{block:?}");
    }
}

/// A block whose skin holds more than the tests press.
fn unbroken(size: f64, edge: f64, rows: &[(f64, f64)]) -> LayeredBlock {
    let layers = rows.iter().map(|(thickness, young_modulus)| BlockLayer {
        thickness: *thickness,
        young_modulus: *young_modulus,
        resistance: Layer {
            puncture_force: 50.0,
            ..Layer::soft("tissue", 164.0, 5.0)
        },
    });
    LayeredBlock {
        layers: layers.collect(),
        ..block([size; 3], edge, 1e4, Vec::new())
    }
}

#[test]
fn a_tip_dents_a_surface_as_a_punch_does_on_any_mesh() {
    // A rigid flat punch of radius a on a half-space: F = 4 G a u / (1 − ν) (Boussinesq).
    let expected = 4.0 * shear_modulus(2e4) * 0.5 * DIAMETER / (1.0 - 0.45);
    for edge in [10e-3, 7.5e-3, 5e-3] {
        let mut run = Run::new(&unbroken(0.08, edge, &[(1.0, 2e4)]), 0.02);
        run.to(1e-3, 1e-3);
        let report = run.hold(0.3);
        assert!(report.is_pressing, "{report:?}");
        // A force at another place in a triangle is spread over another area.
        assert_near(report.tip_force / 1e-3, expected, 0.08);
    }
}

#[test]
fn a_thin_skin_is_as_stiff_on_a_coarse_mesh_as_on_a_fine_one() {
    let dents = [8e-3, 4e-3].map(|edge| {
        let skin = [(2e-3, 4.2e5), (1.0, 6e3)];
        let mut run = Run::new(&unbroken(0.064, edge, &skin), 0.05);
        let mut depth = 0.0;
        while run.insertion.report().tip_force < 1.0 {
            depth += 5e-4;
            run.to(1e-3, depth);
            assert!(depth < 0.02, "{depth}");
        }
        depth
    });
    assert_near(dents[0], dents[1], 0.2);
}
