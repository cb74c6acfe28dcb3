//! Contract: the fast torso moves like the composite torso in MuJoCo's own solver, in contact with a whole robot.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

mod stroke;

use insonate_models::torsos::{self, Breathing, Solref, TorsoConfig};
use insonate_models::{Scene, probes, robots};
use insonate_sim::{CompiledScene, Physics};
use stroke::{Stroke, contact_force};

/// MuJoCo's solver at its limits, so that its own tolerance does not matter.
const TIGHT: [(&str, f64); 4] = [
    ("tolerance", 1e-14),
    ("iterations", 200.0),
    ("ls_iterations", 200.0),
    ("ls_tolerance", 1e-6),
];

fn physics(kind: &str, config: &TorsoConfig) -> Physics {
    let torso = (torsos::by_name(kind).unwrap().build)(config).unwrap();
    let scene = Scene::new(robots::panda::panda(), probes::c5_2(), Some(torso));
    let mut mjcf = scene.to_mjcf().unwrap();
    mjcf.option().set("solver", "Newton");
    for (option, value) in TIGHT {
        mjcf.option().set(option, value);
    }
    Physics::from_scene(&CompiledScene::compile(&mjcf).unwrap()).unwrap()
}

/// Positions of the torso's particles [m].
fn particles(physics: &Physics) -> Vec<[f64; 3]> {
    insonate_sim::readings::TorsoParticles::of(physics)
        .unwrap()
        .positions(physics)
}

/// Presses down and slides along the patient under joint control; returns particle positions and contact force of every tenth step.
fn press(physics: &mut Physics, n_steps: usize) -> Vec<(Vec<[f64; 3]>, f64)> {
    let stroke = Stroke {
        center: [0.0, 0.0],
        top: particles(physics).iter().map(|p| p[2]).fold(0.0, f64::max),
        half_length: 0.02,
        clearance: 0.005,
        depth: 0.03,
        n_steps: [250.0, 500.0],
    };
    let mut log = Vec::new();
    stroke.run(physics, n_steps, |physics, step| {
        if step % 10 == 0 {
            log.push((particles(physics), contact_force(physics)));
        }
    });
    log
}

fn largest_difference(a: &[(Vec<[f64; 3]>, f64)], b: &[(Vec<[f64; 3]>, f64)]) -> (f64, f64) {
    let mut largest = (0.0_f64, 0.0_f64);
    for ((here, force), (there, other)) in a.iter().zip(b) {
        assert_eq!(here.len(), there.len());
        let moved = here
            .iter()
            .flatten()
            .zip(there.iter().flatten())
            .map(|(a, b)| (a - b).abs());
        largest = (
            moved.fold(largest.0, f64::max),
            largest.1.max((force - other).abs()),
        );
    }
    largest
}

#[test]
fn a_pressed_and_stroked_shell_agrees_with_mujoco() {
    let config = TorsoConfig::default();
    let exact = press(&mut physics("composite", &config), 400);
    let fast = press(&mut physics("fast", &config), 400);
    let peak =
        |log: &[(Vec<[f64; 3]>, f64)]| log.iter().map(|(_, force)| *force).fold(0.0, f64::max);

    // Both solve the same equations; the remaining difference is the tolerance of the collision with the face's mesh (1e-6 m).
    let gentle = 20;
    let gentle_peak = peak(&exact[..gentle]);
    assert!(gentle_peak > 10.0, "the probe must press: {gentle_peak} N");
    let (position, force) = largest_difference(&exact[..gentle], &fast[..gentle]);
    assert!(
        position < 2e-6 && force < 1e-4 * gentle_peak,
        "{position} m, {force} N of {gentle_peak} N"
    );

    // Capsules that sink deeper into the face than their radius (from about 35 N) have no unique contact normal. It is an arbitrary choice of
    // the collision library, which a rounding error can change.
    let hard_peak = peak(&exact);
    assert!(hard_peak > 40.0, "the probe must press hard: {hard_peak} N");
    let (position, force) = largest_difference(&exact, &fast);
    assert!(
        position < 5e-4 && force < 0.02 * hard_peak,
        "{position} m, {force} N of {hard_peak} N"
    );
}

#[test]
fn a_shell_tuned_to_tissue_agrees_with_mujoco() {
    let solref = |stiffness: f64, damping: f64| Some(Solref { stiffness, damping });
    let config = TorsoConfig {
        rest: solref(2274.0, 43.2),
        neighbors: solref(18_190.0, 345.6),
        contact: solref(4548.0, 86.4),
        ..TorsoConfig::default()
    };
    // Up to about 20 N, before capsules sink into the face.
    let exact = press(&mut physics("composite", &config), 150);
    let fast = press(&mut physics("fast", &config), 150);
    let peak = exact.iter().map(|(_, force)| *force).fold(0.0, f64::max);
    assert!(peak > 10.0, "the probe must press: {peak} N");
    let (position, force) = largest_difference(&exact, &fast);
    assert!(
        position < 2e-6 && force < 1e-4 * peak,
        "{position} m, {force} N of {peak} N"
    );
}

#[test]
fn a_breathing_shell_agrees_with_mujoco() {
    let config = TorsoConfig {
        breathing: Some(Breathing {
            rate: 0.5,
            amplitude: 0.01,
        }),
        ..TorsoConfig::default()
    };
    let run = |kind: &str| {
        let mut physics = physics(kind, &config);
        let rest = particles(&physics);
        physics.step_n(300).unwrap();
        (rest, particles(&physics))
    };
    let ((rest, exact), (_, fast)) = (run("composite"), run("fast"));
    let rise = exact
        .iter()
        .zip(&rest)
        .map(|(now, then)| now[2] - then[2])
        .fold(0.0, f64::max);
    assert!(rise > 0.004, "the chest must rise: {rise} m");
    let (position, _) = largest_difference(&[(exact, 0.0)], &[(fast, 0.0)]);
    assert!(position < 1e-9, "{position} m");
}

#[test]
fn a_finer_shell_that_is_soft_in_front_and_breathes_agrees_with_mujoco() {
    let config = TorsoConfig {
        count: [13, 5, 16],
        spacing: 0.0233,
        soft_layers: Some(3),
        breathing: Some(Breathing {
            rate: 0.5,
            amplitude: 0.01,
        }),
        ..TorsoConfig::default()
    };
    let exact = press(&mut physics("composite", &config), 120);
    let fast = press(&mut physics("fast", &config), 120);
    let peak = exact.iter().map(|(_, force)| *force).fold(0.0, f64::max);
    assert!(peak > 5.0, "the probe must press: {peak} N");
    let (position, force) = largest_difference(&exact, &fast);
    assert!(
        position < 2e-6 && force < 1e-4 * peak,
        "{position} m, {force} N of {peak} N"
    );
}

#[test]
fn the_force_hardly_depends_on_the_lattice() {
    let peak = |count: [usize; 3], spacing: f64| {
        let config = TorsoConfig {
            count,
            spacing,
            soft_layers: Some(count[1] / 2),
            ..TorsoConfig::default()
        }
        .with_matched_softness(0.002);
        let log = press(&mut physics("fast", &config), 130);
        log.iter().map(|(_, force)| *force).fold(0.0, f64::max)
    };
    let [coarse, fine] = [peak([17, 7, 21], 0.0175), peak([25, 10, 31], 0.035 / 3.0)];
    // With the particles' mass and the constraints of the thesis at every spacing, the finer shell would push back twice as hard.
    assert!(coarse > 5.0, "the probe must press: {coarse} N");
    assert!((fine / coarse - 1.0).abs() < 0.1, "{coarse} N and {fine} N");
}

#[test]
fn two_runs_give_the_same_bits() {
    let run = || press(&mut physics("fast", &TorsoConfig::default()), 120);
    assert_eq!(run(), run());
}
