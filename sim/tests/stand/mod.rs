//! A stand: a probe that a strong position servo moves along the vertical, above a torso.

use insonate_models::mjcf::{Body, Element, Inertial, Joint, Mjcf, Site};
use insonate_models::probes;
use insonate_models::torsos::{Torso, TorsoConfig};
use insonate_sim::{CompiledScene, Physics, Readings};

/// Height of the probe above the skin at the start [m].
pub(crate) const GAP: f64 = 0.005;

/// A torso below a C5-2 probe that a strong position servo moves along the vertical.
pub(crate) fn stand(torso: Torso) -> Mjcf {
    let height = torso
        .surface
        .highest_at(0.0, 0.0)
        .expect("the torso is there")
        .position[2];
    let probe = probes::c5_2();
    let mut stand = Mjcf::new("stand");
    set_options(&mut stand, &torso);
    stand.worldbody().add(Site::new("table"));
    stand.worldbody().add(
        Body::new("carriage")
            .pos([0.0, 0.0, height + GAP + probe.face_offset])
            .gravcomp(1.0)
            .with(Inertial::new(1.0, [0.0; 3]).diaginertia([0.01; 3]))
            .with(Joint::slide("lift").axis([0.0, 0.0, 1.0]).damping(500.0))
            .with(Site::new("flange").quat([0.0, 1.0, 0.0, 0.0])),
    );
    stand.actuator().add(
        Element::new("position")
            .with_attribute("name", "lift")
            .with_attribute("joint", "lift")
            .with_attribute("kp", 5e4),
    );
    stand
        .attach("flange", probe.mjcf, "probe/")
        .expect("the probe fits");
    stand
        .attach("table", torso.mjcf, "torso/")
        .expect("the torso fits");
    stand
}

fn set_options(stand: &mut Mjcf, torso: &Torso) {
    stand
        .option()
        .set("timestep", 0.002)
        .set("cone", "elliptic");
    let needs = torso
        .mjcf
        .section("option")
        .expect("the torso states its needs");
    for (attribute, value) in needs.attributes() {
        stand.option().set(attribute.to_owned(), value.clone());
    }
}

/// Moves the probe at 5 cm/s to `depth` [m] below the skin, holds it for 0.2 s, and returns the force on it [N].
pub(crate) fn press(physics: &mut Physics, readings: &Readings, depth: f64) -> f64 {
    let (from, to) = (physics.ctrl()[0], -GAP - depth);
    let n_steps = ((to - from).abs() / 0.05 / physics.timestep()).ceil();
    for index in 0..n_steps as usize + 100 {
        physics.ctrl_mut()[0] = from + (to - from) * (index as f64 / n_steps).min(1.0);
        physics.step().expect("the press is stable");
    }
    readings.contact.force_in_world(physics).z
}

/// The compiled stand and its readings.
pub(crate) fn compiled(stand: &Mjcf) -> (Physics, Readings) {
    let scene = CompiledScene::compile(stand).expect("MuJoCo takes it");
    let physics = Physics::from_scene(&scene).expect("the torso can be stepped");
    let readings = Readings::new(&physics).expect("the stand has a probe");
    (physics, readings)
}

/// Ratio of the secant stiffness of a press to a depth [m] to the configured stiffness.
pub(crate) fn stiffness_ratio(
    physics: &mut Physics,
    readings: &Readings,
    config: &TorsoConfig,
    depth: f64,
) -> f64 {
    let force = press(physics, readings, depth);
    // The servo yields by the force over its gain.
    force / (depth - force / 5e4) / config.softness.stiffness
}
