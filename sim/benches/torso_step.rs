//! Steps of a Panda that presses each kind of torso, and of the Panda alone, with joint control in every step.
//!
//! Criterion measures one thread; the speed of two threads is printed in steps per second.

#![expect(
    missing_docs,
    reason = "criterion's macros make undocumented functions"
)]

use std::time::Instant;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use insonate_models::torsos::{self, TorsoConfig};
use insonate_models::{Scene, probes, robots};
use insonate_sim::arm::Arm;
use insonate_sim::readings::ProbeFrame;
use insonate_sim::{CompiledScene, Physics, Pose, ik};
use nalgebra::{DVector, Vector3};

/// Depth of the press below the skin at rest [m].
const DEPTH: f64 = 0.012;
/// Steps of one measurement.
const STEPS: usize = 100;

struct Press {
    physics: Physics,
    arm: Arm,
    wanted: DVector<f64>,
}

impl Press {
    fn new(kind: &str, lattice: Lattice, solver: Option<&str>) -> Self {
        let config = lattice.config();
        let torso = torsos::by_name(kind)
            .ok()
            .map(|kind| (kind.build)(&config).expect("valid"));
        let scene = Scene::new(robots::panda::panda(), probes::c5_2(), torso);
        let top = scene
            .surface_above(0.0, 0.0)
            .map_or(0.9, |point| point.position[2]);
        let mut mjcf = scene.to_mjcf().expect("valid");
        if let Some(solver) = solver {
            mjcf.option().set("solver", solver);
        }
        let compiled = CompiledScene::compile(&mjcf).expect("compiles");
        let mut physics = Physics::from_scene(&compiled).expect("starts");
        let arm = Arm::new(physics.model()).expect("has an arm");
        let probe = ProbeFrame::new(physics.model()).expect("has a probe");
        let at = |z: f64| Pose::with_z_axis(Vector3::new(0.0, 0.0, z), -Vector3::z(), Vector3::x());
        ik::place(&mut physics, &arm, &probe, &at(top + 0.002)).expect("reaches");
        let deep = ik::solve(
            &physics,
            &arm,
            &probe,
            &at(top - DEPTH),
            &ik::IkConfig::default(),
        );
        let mut press = Self {
            wanted: deep.expect("reaches"),
            physics,
            arm,
        };
        press.steps(400);
        let touches = press
            .physics
            .contacts()
            .iter()
            .any(|contact| contact.force_in_contact[0] > 0.0);
        assert!(
            touches || kind == "none",
            "the probe must touch the {kind} torso"
        );
        press
    }

    fn steps(&mut self, n: usize) {
        for _ in 0..n {
            let error = &self.wanted - self.arm.positions(&self.physics);
            let torque = error * 600.0 - self.arm.velocities(&self.physics) * 20.0
                + self.arm.bias(&self.physics);
            self.arm.apply(&mut self.physics, torque.as_slice());
            self.physics.step().expect("stays finite");
        }
    }
}

#[derive(Clone, Copy)]
enum Lattice {
    /// 270 particles at 35 mm.
    Thesis,
    /// 1 785 soft particles at 8.75 mm.
    Probe,
}

impl Lattice {
    fn config(self) -> TorsoConfig {
        let thesis = TorsoConfig::default();
        match self {
            Self::Thesis => thesis,
            Self::Probe => thesis
                .fitted_to_probe(probes::c5_2().thickness)
                .with_matched_softness(0.002),
        }
    }
}

const KINDS: [(&str, &str, Lattice, Option<&str>); 7] = [
    ("arm alone", "none", Lattice::Thesis, None),
    ("fast", "fast", Lattice::Thesis, None),
    ("fast, by the probe", "fast", Lattice::Probe, None),
    (
        "composite, Newton",
        "composite",
        Lattice::Thesis,
        Some("Newton"),
    ),
    ("composite, CG", "composite", Lattice::Thesis, Some("CG")),
    ("flex", "flex", Lattice::Thesis, None),
    ("elastic", "elastic", Lattice::Thesis, None),
];

fn one_thread(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("torso_step");
    group
        .throughput(Throughput::Elements(STEPS as u64))
        .sample_size(10);
    for (name, kind, lattice, solver) in KINDS {
        let mut press = Press::new(kind, lattice, solver);
        group.bench_function(name, |bencher| {
            bencher.iter_batched(|| (), |()| press.steps(STEPS), BatchSize::PerIteration);
        });
    }
    group.finish();
}

fn two_threads(_: &mut Criterion) {
    for (name, kind, lattice, solver) in KINDS {
        let mut presses = [
            Press::new(kind, lattice, solver),
            Press::new(kind, lattice, solver),
        ];
        let n = if kind == "composite" { 300 } else { 3000 };
        let start = Instant::now();
        std::thread::scope(|scope| {
            for press in &mut presses {
                scope.spawn(|| press.steps(n));
            }
        });
        eprintln!(
            "two threads, {name}: {:.0} steps/s",
            2.0 * n as f64 / start.elapsed().as_secs_f64()
        );
    }
}

criterion_group!(benches, one_thread, two_threads);
criterion_main!(benches);
