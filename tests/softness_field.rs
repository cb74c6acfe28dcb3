//! Contract: a torso whose softness varies over the skin is as soft at a site as a uniform torso with that site's softness.

use std::ops::ControlFlow::Continue;

use insonate::experiments::{Pictures, Press, press};
use insonate::models::torsos::{self, Shape, Softness, SoftnessField, Torso, TorsoConfig};
use insonate::models::{Scene, probes, robots};
use insonate::sim::verdict::VerdictLimits;

const TIMESTEP: f64 = 0.002;
/// Two sites of a press in the torso's frame [m], and the factors of the field there.
const SITES: [([f64; 2], f64); 2] = [([0.0, -0.11], 0.6), ([0.0, 0.11], 1.6)];

/// Factors that are constant around both sites, with a slope between them.
fn field() -> SoftnessField {
    let row = |factor: f64| vec![factor; 2];
    let [low, high] = SITES.map(|(_, factor)| factor);
    SoftnessField {
        x: vec![-0.1, 0.1],
        y: vec![-0.02, 0.02],
        factor: vec![row(low), row(high)],
    }
}

fn torso(kind: &str, factor: f64, field: Option<SoftnessField>) -> Torso {
    let kind = torsos::by_name(kind).expect("a kind of torso");
    let nominal = Softness::default();
    let config = TorsoConfig {
        softness: Softness {
            stiffness: factor * nominal.stiffness,
            damping: factor * nominal.damping,
        },
        active_radius: kind.active_radius,
        field,
        ..TorsoConfig::default_for(kind, Shape::Box, None, probes::c5_2().thickness)
    };
    let config = if kind.follows_probe {
        config.with_matched_softness(TIMESTEP)
    } else {
        config
    };
    (kind.build)(&config).expect("a valid torso")
}

/// Force at a depth of 8 mm of a press of 2 cm/s [N].
fn force(torso: Torso, site: [f64; 2]) -> f64 {
    let scene = Scene::new(robots::panda::panda(), probes::c5_2(), Some(torso));
    let settings = Press {
        site,
        depth: 0.009,
        hold: 0.0,
        // The simulation may be slow, because the machine may be busy.
        limits: VerdictLimits::default()
            .with("real_time=0")
            .expect("a limit"),
        ..Press::default()
    };
    let done = press(&scene, &settings, &mut Pictures::none(), &mut |_| {
        Continue(())
    });
    let (record, _) = done.expect("a press that does not diverge");
    let mut samples = record.of_phase("press");
    let sample = samples.find(|sample| sample.indentation >= 0.008);
    sample.expect("pressed so deep").force[2]
}

/// Largest difference between the force at a site of the field and that of a uniform torso, as a part of the latter. A probe also feels the
/// neighbourhood: a shell spreads its load over some 6 cm.
fn worst_difference(kind: &str) -> f64 {
    let differences = SITES.map(|(site, factor)| {
        let own = force(torso(kind, 1.0, Some(field())), site);
        let uniform = force(torso(kind, factor, None), site);
        eprintln!("{kind} at {site:?}: {own:.2} N, uniform {uniform:.2} N");
        (own / uniform - 1.0).abs()
    });
    differences.into_iter().fold(0.0, f64::max)
}

#[test]
fn a_site_of_a_shell_is_as_soft_as_a_uniform_torso() {
    let worst = worst_difference("fast");
    assert!(worst < 0.1, "{worst}");
}

#[test]
fn a_site_of_tetrahedra_is_as_soft_as_a_uniform_torso() {
    let worst = worst_difference("xpbd");
    assert!(worst < 0.1, "{worst}");
}

#[test]
fn a_site_of_particles_is_as_soft_as_a_uniform_torso() {
    let worst = worst_difference("mpm");
    assert!(worst < 0.1, "{worst}");
}

#[test]
fn a_site_of_a_flex_is_as_soft_as_a_uniform_torso() {
    let worst = worst_difference("flex");
    assert!(worst < 0.1, "{worst}");
}

#[test]
fn all_kinds_take_a_field() {
    for kind in torsos::ALL {
        let config = TorsoConfig {
            field: Some(field()),
            ..TorsoConfig::default()
        };
        let built = (kind.build)(&config);
        assert_eq!(built.is_ok(), kind.takes_field, "{}", kind.name);
    }
}
