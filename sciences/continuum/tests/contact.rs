//! Contract: walls hold the rod back with forces in equilibrium, and the rod does not enter them.

use std::sync::Arc;

use insonate_continuum::{
    Actuation, ContinuumError, Equilibrium, Lumen, RodConfig, Section, Simulation, StepSettings,
    StopReason, TableRow, WallPoint,
};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

/// Free space on one side of a plane.
struct Wall {
    point: Vector3<f64>,
    normal: Vector3<f64>,
}

impl Lumen for Wall {
    fn walls_near(&self, point: &Vector3<f64>, within: f64, walls: &mut Vec<WallPoint>) {
        let distance = (point - self.point).dot(&self.normal);
        if distance < within {
            walls.push(WallPoint {
                position: point - self.normal * distance,
                normal: self.normal,
                distance,
            });
        }
    }
}

/// A tube along a helix-like curve: y = a cos(k x) − a, z = a sin(k x), treated as round at each x.
struct WavyTube {
    amplitude: f64,
    wave_number: f64,
    radius: f64,
}

impl Lumen for WavyTube {
    fn walls_near(&self, point: &Vector3<f64>, within: f64, walls: &mut Vec<WallPoint>) {
        let phase = self.wave_number * point.x;
        let centre = Vector3::new(
            point.x,
            self.amplitude * (phase.cos() - 1.0),
            self.amplitude * phase.sin(),
        );
        let slope = Vector3::new(
            0.0,
            -self.amplitude * self.wave_number * phase.sin(),
            self.amplitude * self.wave_number * phase.cos(),
        );
        let out = point - centre;
        let off = out.norm();
        if off < 1e-9 {
            return;
        }
        // Gradient of the depth; it converts the depth to a distance to first order.
        let outward = out / off;
        let gradient = Vector3::x() * outward.dot(&slope) - outward;
        let distance = (self.radius - off) / gradient.norm();
        if distance < within {
            let normal = gradient.normalize();
            walls.push(WallPoint {
                position: point - normal * distance,
                normal,
                distance,
            });
        }
    }
}

/// Free space outside a cylinder about the z axis.
struct Drum {
    radius: f64,
}

impl Lumen for Drum {
    fn walls_near(&self, point: &Vector3<f64>, within: f64, walls: &mut Vec<WallPoint>) {
        let out = Vector3::new(point.x, point.y, 0.0);
        let distance = out.norm() - self.radius;
        if distance < within {
            let normal = out.normalize();
            walls.push(WallPoint {
                position: point - normal * distance,
                normal,
                distance,
            });
        }
    }
}

fn tube() -> Section {
    Section::tube(5.1e8, 5.551e-6, 5.041e-12, 1010.0)
}

#[test]
fn a_rod_pushed_against_a_wall_is_pushed_back_as_much() {
    let config = RodConfig::uniform(0.1, 20, tube());
    let radius = tube().radius;
    let wall = Wall {
        point: Vector3::new(0.08, 0.0, 0.0),
        normal: -Vector3::x(),
    };
    let settings = StepSettings {
        equilibrium: Equilibrium::Converged { tolerance: 1e-9 },
        ..StepSettings::default()
    };
    let mut actuation = Actuation::held(Isometry3::identity(), 0.06);
    let mut simulation =
        Simulation::new(config, settings, Some(Arc::new(wall)), &actuation).unwrap();
    let free = 0.08 - radius;
    let short = 1e-5;
    actuation.inserted_length = free + short;
    let report = simulation.step(&actuation).unwrap();
    assert_eq!(report.stop_reason, StopReason::Done, "{report:?}");
    assert_eq!(report.contacts.len(), 1);
    let force = report.contacts[0].normal_force;
    // The rod is compressed by its excess length.
    let expected = 5.1e8 * 5.551e-6 * short / (free + short);
    assert!(
        (force - expected).abs() < 1e-6 * expected,
        "{force} {expected}"
    );
    assert!((report.base_wrench.force.x - force).abs() < 1e-6 * force);
    assert!(report.max_penetration < 1e-9);
    assert!(report.kkt_residual < 1e-8, "{}", report.kkt_residual);
}

#[test]
fn an_insertion_through_a_winding_tube_never_enters_its_wall() {
    let lumen = WavyTube {
        amplitude: 0.01,
        wave_number: 30.0,
        radius: 0.004,
    };
    let config = RodConfig::table(TableRow::A, 94);
    let settings = StepSettings::default();
    let mut actuation = Actuation::held(Isometry3::identity(), 0.02);
    let mut simulation =
        Simulation::new(config, settings, Some(Arc::new(lumen)), &actuation).unwrap();
    let (mut most, mut deepest, mut kkt, mut done) = (0, 0.0_f64, 0.0_f64, 0);
    while actuation.inserted_length < 0.3 {
        actuation.inserted_length += 5e-4;
        let report = simulation.step(&actuation).unwrap();
        most = most.max(report.contacts.len());
        deepest = deepest.max(report.max_penetration);
        kkt = kkt.max(report.kkt_residual);
        done += usize::from(report.stop_reason == StopReason::Done);
    }
    println!("contacts {most}, penetration {deepest:.2e} m, KKT {kkt:.2e}, done {done} of 560");
    assert!(most >= 10);
    assert!(deepest <= settings.penetration_tolerance, "{deepest}");
    assert!(kkt <= 1e-8, "{kkt}");
}

#[test]
fn a_wall_that_yields_is_entered_by_force_over_stiffness() {
    let mut config = RodConfig::uniform(0.1, 20, tube());
    config.gravity = Vector3::new(0.0, -9.81, 0.0);
    let wall = Wall {
        point: Vector3::new(0.0, -0.003, 0.0),
        normal: Vector3::y(),
    };
    let settings = StepSettings {
        equilibrium: Equilibrium::Converged { tolerance: 1e-9 },
        wall_stiffness: Some(10.0),
        ..StepSettings::default()
    };
    let mut actuation = Actuation::held(Isometry3::identity(), 0.1);
    actuation.tip_force.y = -0.1;
    let mut simulation =
        Simulation::new(config, settings, Some(Arc::new(wall)), &actuation).unwrap();
    let report = simulation.step(&actuation).unwrap();
    assert!(!report.contacts.is_empty());
    for contact in &report.contacts {
        let height = simulation.state().position_at(contact.from_tip).y;
        let depth = -0.003 + tube().radius - height;
        let error = (depth - contact.normal_force / 10.0).abs();
        assert!(error < 1e-8, "{depth} {contact:?}");
    }
}

#[test]
fn friction_on_a_drum_holds_as_a_capstan() {
    // A thin rod lies around a drum, with the curvature of the drum at rest. A force pulls its end, and the base draws
    // it over the drum.
    let (radius, around, pull) = (0.02, std::f64::consts::PI, 0.1);
    let section = Section {
        radius: 1e-6,
        rest_curvature: Vector3::new(0.0, 0.0, 1.0 / radius),
        ..Section::tube(1e9, 1e-7, 1e-16, 0.0)
    };
    let length = around * radius;
    let config = RodConfig::uniform(length, 120, section);
    let base = Isometry3::from_parts(
        Translation3::new(radius, 0.0, 0.0),
        UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2),
    );
    for friction in [0.1, 0.3] {
        let settings = StepSettings {
            friction,
            points_per_element: 0,
            max_displacement: 2e-4,
            equilibrium: Equilibrium::Converged { tolerance: 1e-6 },
            ..StepSettings::default()
        };
        let mut actuation = Actuation::held(base, length);
        let drum = Drum { radius };
        let mut simulation =
            Simulation::new(config.clone(), settings, Some(Arc::new(drum)), &actuation).unwrap();
        let mut state = simulation.state().clone();
        for (node, from_tip) in state.from_tip.iter().enumerate() {
            let angle = (length - from_tip) / radius;
            let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
            state.positions[node] = turn * Vector3::x() * (radius + section.radius);
            state.rotations[node] = turn * base.rotation;
        }
        simulation.place(state).unwrap();
        actuation.tip_force = Vector3::new(-around.sin(), around.cos(), 0.0) * pull;
        let mut held = 0.0;
        for _ in 0..20 {
            actuation.world_from_base.translation.y -= 5e-5;
            let report = simulation.step(&actuation).unwrap();
            assert_eq!(report.stop_reason, StopReason::Done, "{report:?}");
            held = -report.base_wrench.force.y;
        }
        let (ratio, capstan) = (held / pull, (friction * around).exp());
        println!("capstan: friction {friction}, ratio {ratio:.4}, e^(mu theta) {capstan:.4}");
        assert!(
            (ratio - capstan).abs() < 0.03 * capstan,
            "{ratio} {capstan}"
        );
    }
}

#[test]
fn invalid_input_is_refused_by_name() {
    let actuation = Actuation::held(Isometry3::identity(), 0.1);
    let settings = StepSettings::default();
    let config = RodConfig::uniform(0.1, 20, tube());
    let mut soft = config.clone();
    soft.segments[0].section.young_modulus = 0.0;
    let error = Simulation::new(soft, settings, None, &actuation)
        .err()
        .unwrap();
    assert!(error.to_string().contains("young_modulus"), "{error}");

    let wall = Wall {
        point: Vector3::new(0.0, 0.01, 0.0),
        normal: Vector3::y(),
    };
    let error = Simulation::new(config.clone(), settings, Some(Arc::new(wall)), &actuation);
    assert!(matches!(
        error.err(),
        Some(ContinuumError::BaseInWall { .. })
    ));

    let mut simulation = Simulation::new(config, settings, None, &actuation).unwrap();
    let mut nonsense = actuation;
    nonsense.tensions[1] = f64::NAN;
    let error = simulation.step(&nonsense).unwrap_err();
    assert!(error.to_string().contains("tensions"), "{error}");
    nonsense = actuation;
    nonsense.inserted_length = 0.2;
    let error = simulation.step(&nonsense).unwrap_err();
    assert!(error.to_string().contains("inserted_length"), "{error}");
}

#[test]
fn a_jump_of_1000_n_moves_the_rod_no_further_than_the_limit() {
    let config = RodConfig::uniform(0.1, 20, tube());
    let settings = StepSettings::default();
    let mut actuation = Actuation::held(Isometry3::identity(), 0.1);
    let wall = Wall {
        point: Vector3::new(0.0, -0.01, 0.0),
        normal: Vector3::y(),
    };
    let mut simulation =
        Simulation::new(config, settings, Some(Arc::new(wall)), &actuation).unwrap();
    actuation.tip_force = Vector3::new(0.0, -1000.0, 0.0);
    for _ in 0..100 {
        let before = simulation.state().positions.clone();
        let report = simulation.step(&actuation).unwrap();
        let moves = before.iter().zip(&simulation.state().positions);
        let most = moves
            .map(|(old, new)| (new - old).norm())
            .fold(0.0, f64::max);
        // A step that entered a wall is corrected by a few more steps.
        assert!(most <= 11.0 * settings.max_displacement, "{most}");
        assert!(report.max_penetration < 1e-3, "{report:?}");
    }
}
