//! Contract: a run after a reset does not depend on what happened before the reset.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_models::torsos::{self, TorsoConfig};
use insonate_models::{Scene, probes, robots};
use insonate_sim::arm::Arm;
use insonate_sim::readings::{ProbeFrame, TorsoParticles};
use insonate_sim::{CompiledScene, Physics, Pose, ik};
use nalgebra::Vector3;

/// Resets, puts the probe `depth` [m] into the fast torso's skin, and returns the contact forces [N] of the first steps.
fn forces(physics: &mut Physics, depth: f64) -> Vec<Vec<f64>> {
    physics.reset();
    let arm = Arm::new(physics.model()).unwrap();
    let probe = ProbeFrame::new(physics.model()).unwrap();
    let particles = TorsoParticles::of(physics).unwrap().positions(physics);
    let top = particles.iter().map(|p| p[2]).fold(0.0, f64::max);
    let place = Vector3::new(0.0, 0.0, top - depth);
    let pose = Pose::with_z_axis(place, -Vector3::z(), Vector3::x());
    ik::place(physics, &arm, &probe, &pose).unwrap();
    let step = |_| {
        physics.step().unwrap();
        let contacts = physics.contacts().iter();
        contacts
            .map(|contact| contact.force_in_contact[0])
            .collect()
    };
    (0..20).map(step).collect()
}

#[test]
fn contact_at_the_start_is_found_in_the_first_step() {
    let torso = (torsos::by_name("fast").unwrap().build)(&TorsoConfig::default()).unwrap();
    let scene = Scene::new(robots::panda::panda(), probes::c5_2(), Some(torso));
    let compiled = CompiledScene::compile(&scene.to_mjcf().unwrap()).unwrap();
    let new = || Physics::from_scene(&compiled).unwrap();
    let fresh = forces(&mut new(), 0.004);
    assert!(
        !fresh[0].is_empty(),
        "the pose is meant to touch: {fresh:?}"
    );
    // Another run first, at another position and with other contacts.
    for depth in [0.02, -0.05] {
        let mut used = new();
        forces(&mut used, depth);
        assert_eq!(forces(&mut used, 0.004), fresh, "after a run at {depth} m");
    }
}
