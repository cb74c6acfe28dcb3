//! Contract: the hybrid controller approaches gently, holds 5 N on tissue of 500 to 3000 N/m while it slides at
//! 0.04 m/s, follows its path, and never jumps, with any arm.

mod scene;

use insonate_sim::controllers::{
    ContactPhase, Controller, HybridConfig, HybridForce, HybridTarget,
};
use insonate_sim::readings::{ProbeContact, ProbeFrame};
use insonate_sim::{Arm, Physics, Pose, Twist, ik};
use nalgebra::Vector3;
use scene::{BED_TOP, Bed, Chain, PANDA, UR5E};

const FORCE: f64 = 5.0;
const SPEED: f64 = 0.04;

/// Results of a scan, from true contact forces [N].
#[derive(Debug)]
struct Outcome {
    mean_absolute_error: f64,
    largest_error: f64,
    peak: f64,
    largest_jump: f64,
    contact_ratio: f64,
    path_error: f64,
}

/// Approaches from `height` above the bed, rests for 0.5 s of contact, then slides `length` along x or y.
fn scan(chain: &Chain, bed: Bed, along: Vector3<f64>, length: f64) -> Outcome {
    let mut physics = Physics::from_xml(&scene::xml(chain, bed)).expect("a valid scene");
    let arm = Arm::new(physics.model()).expect("the arm has motors");
    let probe = ProbeFrame::new(physics.model()).expect("the scene has a probe");
    let contact = ProbeContact::new(physics.model()).expect("the scene has a probe");
    let start = Vector3::new(0.0, 0.0, BED_TOP + 0.01) - along * (length / 2.0);
    let pose = Pose::with_z_axis(start, -Vector3::z(), Vector3::x());
    ik::place(&mut physics, &arm, &probe, &pose).expect("the bed is in reach");
    let mut hybrid = HybridForce::new(&physics, HybridConfig::default()).expect("a force sensor");

    let (mut touched, mut steps, mut contacts) = (None, 0, 0);
    let mut outcome = Outcome {
        mean_absolute_error: 0.0,
        largest_error: 0.0,
        peak: 0.0,
        largest_jump: 0.0,
        contact_ratio: 0.0,
        path_error: 0.0,
    };
    let mut last = 0.0;
    while physics.time() < 2.0 + length / SPEED {
        let since = touched.map_or(0.0, |time: f64| physics.time() - time);
        let moved = (SPEED * (since - 0.5)).clamp(0.0, length);
        let moving = moved > 0.0 && moved < length;
        hybrid.set_target(
            &physics,
            HybridTarget {
                world_from_probe: Pose {
                    position: start + along * moved,
                    ..pose
                },
                twist: Twist {
                    linear: along * if moving { SPEED } else { 0.0 },
                    angular: Vector3::zeros(),
                },
                force: FORCE,
            },
        );
        hybrid.control(&mut physics);
        physics.step().expect("a controlled arm stays finite");
        let force = contact.force_in_world(&physics).z;
        outcome.peak = outcome.peak.max(force);
        outcome.largest_jump = outcome.largest_jump.max((force - last).abs());
        last = force;
        if touched.is_none() && force > 0.0 {
            touched = Some(physics.time());
        }
        if since >= 0.5 {
            steps += 1;
            contacts += usize::from(contact.in_contact(&physics));
            let error = (force - FORCE).abs();
            outcome.mean_absolute_error += error;
            outcome.largest_error = outcome.largest_error.max(error);
            let at = probe.world_from_probe(&physics).position;
            let off = at - (start + along * moved);
            outcome.path_error = outcome.path_error.max(off.xy().norm());
        }
    }
    assert!(steps > 0, "the probe never touched");
    outcome.mean_absolute_error /= f64::from(steps);
    outcome.contact_ratio = contacts as f64 / f64::from(steps);
    outcome
}

fn check(chain: &Chain, bed: Bed, along: Vector3<f64>, length: f64) {
    let outcome = scan(chain, bed, along, length);
    assert!(outcome.mean_absolute_error < 0.2, "{bed:?} {outcome:?}");
    assert!(outcome.contact_ratio > 0.999, "{bed:?} {outcome:?}");
    assert!(
        outcome.largest_jump < 3.0 && outcome.peak < 7.0,
        "{bed:?} {outcome:?}"
    );
    assert!(outcome.path_error < 0.002, "{bed:?} {outcome:?}");
}

#[test]
fn five_newtons_on_soft_and_stiff_flat_beds() {
    for chain in [PANDA, UR5E] {
        for stiffness in [500.0, 1300.0, 3000.0] {
            for damping in [0.0, 18.0, 60.0] {
                let bed = Bed {
                    stiffness,
                    damping,
                    radius: 0.0,
                };
                check(&chain, bed, Vector3::y(), 0.1);
            }
        }
    }
}

#[test]
fn five_newtons_over_a_hump() {
    for chain in [PANDA, UR5E] {
        for stiffness in [500.0, 1300.0, 3000.0] {
            let bed = Bed {
                stiffness,
                damping: 18.0,
                radius: 0.14,
            };
            check(&chain, bed, Vector3::x(), 0.12);
        }
    }
}

#[test]
fn a_hard_bed_is_met_gently() {
    let bed = Bed {
        stiffness: 3e4,
        damping: 150.0,
        radius: 0.0,
    };
    check(&PANDA, bed, Vector3::y(), 0.1);
}

#[test]
fn without_a_surface_it_approaches_at_its_speed() {
    let mut physics = Physics::from_xml(&scene::xml(&PANDA, Bed::default())).unwrap();
    let arm = Arm::new(physics.model()).unwrap();
    let probe = ProbeFrame::new(physics.model()).unwrap();
    let pose = Pose::with_z_axis(Vector3::new(0.0, 0.0, 1.3), -Vector3::z(), Vector3::x());
    ik::place(&mut physics, &arm, &probe, &pose).unwrap();
    let mut hybrid = HybridForce::new(&physics, HybridConfig::default()).unwrap();
    for _ in 0..500 {
        hybrid.control(&mut physics);
        physics.step().unwrap();
    }
    assert_eq!(hybrid.phase(), ContactPhase::Approach);
    let velocity = probe.twist_in_world(&physics).linear;
    let speed = HybridConfig::default().approach_speed;
    // Joint damping slows the approach a little; there must be no sideways drift.
    assert!((velocity.z + speed).abs() < 0.1 * speed, "{velocity}");
    assert!(velocity.xy().norm() < 1e-3, "{velocity}");
}

#[test]
fn a_target_far_to_the_side_is_approached_at_limited_speed() {
    let mut physics = Physics::from_xml(&scene::xml(&PANDA, Bed::default())).unwrap();
    let arm = Arm::new(physics.model()).unwrap();
    let probe = ProbeFrame::new(physics.model()).unwrap();
    let start = Vector3::new(0.0, -0.15, BED_TOP + 0.05);
    let pose = Pose::with_z_axis(start, -Vector3::z(), Vector3::x());
    ik::place(&mut physics, &arm, &probe, &pose).unwrap();
    let config = HybridConfig {
        approach_speed: 0.0,
        ..HybridConfig::default()
    };
    let limit = config.position_stiffness.sqrt() * config.max_position_error / 2.0;
    let mut hybrid = HybridForce::new(&physics, config).unwrap();
    let adjacent = Pose {
        position: start + Vector3::y() * 0.3,
        ..pose
    };
    let target = HybridTarget {
        world_from_probe: adjacent,
        twist: Twist::default(),
        force: FORCE,
    };
    hybrid.set_target(&physics, target);
    let mut fastest: f64 = 0.0;
    for _ in 0..2000 {
        hybrid.control(&mut physics);
        physics.step().unwrap();
        fastest = fastest.max(probe.twist_in_world(&physics).linear.norm());
    }
    // Spring force and damping balance at k e / (2 sqrt(k)).
    assert!(
        fastest < 1.05 * limit && fastest > 0.5 * limit,
        "{fastest} {limit}"
    );
    let off = (probe.world_from_probe(&physics).position - adjacent.position)
        .xy()
        .norm();
    assert!(off < 1e-3, "{off}");
}

#[test]
fn a_scene_without_the_sensor_is_refused() {
    let xml = scene::xml(&PANDA, Bed::default())
        .replace("<force name='probe/force' site='probe/ft'/>", "");
    let physics = Physics::from_xml(&xml).unwrap();
    let error = HybridForce::new(&physics, HybridConfig::default()).unwrap_err();
    assert!(error.to_string().contains("probe/force"), "{error}");
}
