//! A box pressed by a ball, stepped by a chosen solver.

use insonate_models::mjcf::{Body, Element, Geom, Inertial, Joint, Mjcf, Site};
use insonate_models::torsos::tissue::{LONGEST_SUBSTEP, SOLVER};
use insonate_models::torsos::{Shape, Torso, TorsoConfig, mpm};
use insonate_sim::{CompiledScene, Physics, names};

/// Stiffness of the servo that holds the ball [N/m].
const SERVO: f64 = 1e6;
/// Radius of the ball [m], much larger than the elements.
const RADIUS: f64 = 0.15;
/// Height of the ball above the skin at the start [m].
const GAP: f64 = 0.002;
/// Impedance of MuJoCo's contact, as hard as allowed.
const IMPEDANCE: [f64; 3] = [0.99, 0.999, 0.001];
/// Stiffness [1/s²] and damping [1/s] of the remaining compliance of the contact.
const REFERENCE: [f64; 2] = [-1e5, -500.0];
/// Longest substep of tetrahedra [s]; in longer substeps a ball this stiff tears at them.
const SUBSTEP: f64 = 1e-4;
/// Distance by which MuJoCo's elements extend beyond their corners [m].
const ROUNDING: f64 = 0.001;

/// A box of 16 × 8 × 16 cm with `n_spacings` spacings over its height and the solver `word`; MuJoCo's own for `flex`.
fn body(n_spacings: usize, word: &str) -> Torso {
    let config = TorsoConfig {
        shape: Shape::Box,
        count: [2 * n_spacings + 1, n_spacings + 1, 2 * n_spacings + 1],
        spacing: 0.08 / n_spacings as f64,
        ..TorsoConfig::default()
    };
    let mut torso = mpm(&config).expect("the body is possible");
    torso.mjcf.root_mut().visit_mut(&mut |element| {
        if element.tag() == "contact" && element.get("solref").is_some() {
            element.set("solimp", IMPEDANCE);
            element.set("solref", REFERENCE);
        }
    });
    let custom = torso.mjcf.custom();
    custom.remove_where(&|element: &Element| element.tag() == "text");
    if word != "flex" {
        let solver = Element::new("text").with_attribute("name", SOLVER);
        custom.add(solver.with_attribute("data", word));
        let substep = Element::new("numeric").with_attribute("name", LONGEST_SUBSTEP);
        custom.add(substep.with_attribute("data", SUBSTEP));
    }
    torso
}

/// The box below a ball that a strong servo moves along the vertical.
fn stand(torso: Torso) -> Physics {
    let mut stand = Mjcf::new("stand");
    stand.option().set("cone", "elliptic");
    let needs = torso
        .mjcf
        .section("option")
        .expect("the body states its needs");
    for (attribute, value) in needs.attributes() {
        stand.option().set(attribute.to_owned(), value.clone());
    }
    stand.option().set("timestep", 0.001);
    stand.worldbody().add(Site::new("table"));
    stand.worldbody().add(
        Body::new("ball")
            .pos([0.0, 0.0, 0.08 + RADIUS + GAP])
            .gravcomp(1.0)
            .with(Inertial::new(2.0, [0.0; 3]).diaginertia([0.01; 3]))
            .with(Joint::slide("lift").axis([0.0, 0.0, 1.0]).damping(3000.0))
            .with(
                Geom::sphere(RADIUS)
                    .set("friction", [1e-5, 1e-5, 1e-5])
                    .set("solimp", IMPEDANCE)
                    .set("solref", REFERENCE),
            ),
    );
    stand.actuator().add(
        Element::new("position")
            .with_attribute("name", "lift")
            .with_attribute("joint", "lift")
            .with_attribute("kp", SERVO),
    );
    stand
        .attach("table", torso.mjcf, "torso/")
        .expect("the body fits");
    let scene = CompiledScene::compile(&stand).expect("MuJoCo takes it");
    Physics::from_scene(&scene).expect("it can be stepped")
}

/// Forces at depths below the skin [N], each the mean over the last 0.2 s of a hold of 0.4 s, because fine elements vibrate at the ball.
pub(crate) fn forces(n_spacings: usize, word: &str, depths: &[f64]) -> Vec<f64> {
    let mut physics = stand(body(n_spacings, word));
    let lift = names::joint(physics.model(), "lift").expect("the ball has a joint");
    let reach = if word == "flex" { ROUNDING } else { 0.0 };
    let n_rest = (0.2 / physics.timestep()).round() as usize;
    depths
        .iter()
        .map(|depth| {
            let (from, to) = (physics.ctrl()[0], reach - GAP - depth);
            let n_steps = ((to - from).abs() / 0.05 / physics.timestep()).ceil() as usize;
            let mut sum = 0.0;
            for index in 0..n_steps + 2 * n_rest {
                physics.ctrl_mut()[0] =
                    from + (to - from) * (index as f64 / n_steps as f64).min(1.0);
                physics.step().expect("the press is stable");
                if index >= n_steps + n_rest {
                    sum += SERVO * (physics.qpos()[lift.qpos] - physics.ctrl()[0]);
                }
            }
            sum / n_rest as f64
        })
        .collect()
}
