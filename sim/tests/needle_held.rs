//! A needle on a robot's flange: the tissue's force reaches the robot and its sensor, and the force over depth is that of a free hand.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_models::{FlangeTool, Scene, probes, robots};
use insonate_needle::{Gauge, Layer, NeedleConfig};
use insonate_sim::controllers::{
    Controller as _, JointSpace, OperationalSpace, OscPose, OscPoseConfig, OscTarget,
};
use insonate_sim::needle::{BlockLayer, HeldNeedle, Insertion, LayeredBlock};
use insonate_sim::readings::ProbeFrame;
use insonate_sim::{Arm, CompiledScene, Physics, Pose, ik};
use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};

/// Height of the block [m].
const HEIGHT: f64 = 0.05;
const SPEED: f64 = 0.02;

fn block() -> LayeredBlock {
    let resistance = Layer {
        puncture_force: 0.8,
        ..Layer::soft("liver", 164.0, 40.0)
    };
    LayeredBlock {
        size: [0.05, 0.05, HEIGHT],
        edge: 5e-3,
        layers: vec![BlockLayer {
            thickness: 1.0,
            young_modulus: 5e4,
            resistance,
        }],
        poisson_ratio: 0.45,
        density: 1000.0,
        damping_time: 0.01,
    }
}

fn config() -> NeedleConfig {
    NeedleConfig::steel(Gauge::G18, 0.12)
}

struct Held {
    physics: Physics,
    controller: OscPose,
    needle: HeldNeedle,
    /// Pose of the hub with the tip on the skin.
    start: Pose,
    world_from_block: Pose,
}

impl Held {
    fn new(robot: &str) -> Self {
        let mut scene = Scene::new(robots::by_name(robot).unwrap(), probes::c5_2(), None);
        let size = config();
        scene.tool = Some(FlangeTool::needle("18g", size.length, size.outer_diameter).unwrap());
        let xml = scene.to_mjcf().unwrap();
        let mut physics = Physics::from_scene(&CompiledScene::compile(&xml).unwrap()).unwrap();
        let skin = Vector3::from(scene.torso_position) + Vector3::new(0.0, 0.0, HEIGHT);
        let up = Vector3::new(1e-3, 0.7e-3, size.length);
        let start = Pose::with_z_axis(skin + up, -Vector3::z(), Vector3::x());
        let arm = Arm::new(physics.model()).unwrap();
        let hub = ProbeFrame::new(physics.model()).unwrap();
        let above = Pose {
            position: start.position + Vector3::new(0.0, 0.0, 2e-3),
            ..start
        };
        ik::place(&mut physics, &arm, &hub, &above).unwrap();
        let gains = OscPoseConfig {
            stiffness: [4000.0; 6],
            ..OscPoseConfig::default()
        };
        let controller = OscPose::new(&physics, gains).unwrap();
        let world_from_block = Pose {
            position: skin,
            rotation: UnitQuaternion::identity(),
        };
        let needle = HeldNeedle::new(&physics, &block(), size, world_from_block).unwrap();
        Self {
            physics,
            controller,
            needle,
            start,
            world_from_block,
        }
    }

    /// Makes a step with the goal of the tip at a depth [m].
    fn step(&mut self, depth: f64, speed: f64) {
        self.aim(depth, speed);
        self.needle.step(&mut self.physics, |_| ()).unwrap();
        self.physics.step().unwrap();
    }

    fn aim(&mut self, depth: f64, speed: f64) {
        let goal = Pose {
            position: self.start.position - Vector3::new(0.0, 0.0, depth),
            ..self.start
        };
        self.controller.goal_twist.linear = Vector3::new(0.0, 0.0, -speed);
        self.controller
            .set_target(&self.physics, OscTarget::Pose(goal));
        self.controller.control(&mut self.physics);
    }

    /// Pose of the hub in the block.
    fn base(&self) -> Isometry3<f64> {
        *self.needle.insertion().needle().base()
    }

    /// Depth of the tip of a straight needle [m].
    fn depth(&self) -> f64 {
        config().length - self.base().translation.z
    }
}

#[test]
fn the_sensor_reads_the_force_over_depth_of_a_free_hand() {
    for robot in ["panda", "ur5e"] {
        let mut held = Held::new(robot);
        let interval = held.physics.timestep();
        let mut curve = Vec::new();
        let mut bases = vec![held.base()];
        let n = ((0.03 + 2e-3) / (SPEED * interval)) as usize;
        for step in 0..n {
            held.step(SPEED * interval * step as f64 - 2e-3, SPEED);
            bases.push(held.base());
            let wrench = held.physics.force_torque().unwrap().wrench_in_world();
            curve.push([held.depth(), wrench.force.z]);
        }
        // A hand that makes the same motion feels the same force: the robot adds none of its own.
        let mut hand = Insertion::new(&block(), config(), bases[0]).unwrap();
        hand.divide(interval);
        for base in &bases[1..] {
            hand.advance(*base, interval, |_| ()).unwrap();
        }
        let (own, other) = (hand.report(), held.needle.insertion().report());
        // Poses are rounded when they are interpolated.
        assert!(
            (own.axial_force - other.axial_force).abs() < 1e-4,
            "{robot} {own:?} {other:?}"
        );
        assert!(
            (own.tip - other.tip).norm() < 1e-6,
            "{robot} {own:?} {other:?}"
        );
        // A hand that moves straight and evenly to the same depths.
        let turn = bases[0].rotation;
        let at = |depth: f64| {
            let hub = Vector3::new(1e-3, 0.7e-3, config().length - depth);
            Isometry3::from_parts(hub.into(), turn)
        };
        let mut even = Insertion::new(&block(), config(), at(-2e-3)).unwrap();
        even.divide(interval);
        let mut felt = Vec::new();
        for step in 0..n {
            let depth = SPEED * interval * step as f64 - 2e-3;
            even.advance(at(depth), interval, |_| ()).unwrap();
            felt.push([depth, even.report().axial_force]);
        }
        // Means over 2 mm, after the skin has broken.
        let mean = |curve: &[[f64; 2]], from: f64| {
            let part: Vec<f64> = curve
                .iter()
                .filter(|[depth, _]| (from..from + 2e-3).contains(depth))
                .map(|[_, force]| *force)
                .collect();
            part.iter().sum::<f64>() / part.len() as f64
        };
        for from in [0.012, 0.018, 0.024] {
            let [sensor, hand] = [mean(&curve, from), mean(&felt, from)];
            assert!(hand > 0.4, "{robot} {hand}");
            assert!(
                (sensor - hand).abs() < 0.05 * hand,
                "{robot} {from}: {sensor} {hand}"
            );
        }
        // At rest the sensor reads what the tissue exerts on the hub, force and torque, and this is minus what the tissue gets.
        for _ in 0..300 {
            held.step(0.03, 0.0);
        }
        let read = held.physics.force_torque().unwrap().wrench_in_world();
        let on_hub = held.needle.wrench_on_hub();
        assert!(
            (read.force - on_hub.force).norm() < 0.01,
            "{robot} {read:?} {on_hub:?}"
        );
        assert!(
            (read.torque - on_hub.torque).norm() < 1e-3,
            "{robot} {read:?} {on_hub:?}"
        );
        let needle = held.needle.insertion().needle();
        let on_tissue: Vector3<f64> = needle.forces().sum();
        let tip = held.needle.insertion().report().tip_force * (needle.base() * Vector3::z());
        let sum = held.world_from_block.rotation * (on_tissue + tip);
        assert!(
            (sum + on_hub.force).norm() < 0.01,
            "{robot} {sum} {on_hub:?}"
        );
    }
}

#[test]
fn the_tissue_pushes_the_robot_back() {
    // A soft hand lags behind its goal by force over stiffness and inertia, and comes back when the needle is gone.
    let stiffness = 400.0;
    let push = |has_tissue: bool| {
        let mut held = Held::new("panda");
        held.controller.config.stiffness = [stiffness; 6];
        let interval = held.physics.timestep();
        let n = (0.032 / (SPEED * interval)) as usize;
        for step in 0..n {
            held.aim(SPEED * interval * step as f64 - 2e-3, SPEED);
            if has_tissue {
                held.needle.step(&mut held.physics, |_| ()).unwrap();
            }
            held.physics.step().unwrap();
        }
        let hub = ProbeFrame::new(held.physics.model()).unwrap();
        let height = hub.world_from_probe(&held.physics).position.z;
        (held, height)
    };
    let (_, free) = push(false);
    let (mut held, inside) = push(true);
    let wrench = held.needle.wrench_on_hub();
    assert!(wrench.force.z > 1.0, "{wrench:?}");
    let mut joints = JointSpace::new(&held.physics).unwrap();
    joints.read(&held.physics);
    let mut space = OperationalSpace::new(&held.physics, &joints).unwrap();
    assert!(space.read(&held.physics, &joints));
    let inertia = Matrix3::from_fn(|row, column| {
        let mut acceleration = [0.0; 6];
        acceleration[column] = 1.0;
        space.uncoupled_wrench(&acceleration)[row]
    });
    let expected = (inertia.try_inverse().unwrap() * wrench.force).z / stiffness;
    let found = inside - free;
    assert!(
        (found - expected).abs() < 0.15 * expected,
        "{found} {expected}"
    );
    held.physics.xfrc_applied_mut().fill([0.0; 6]);
    for _ in 0..800 {
        held.aim(0.03, 0.0);
        held.physics.step().unwrap();
    }
    let hub = ProbeFrame::new(held.physics.model()).unwrap();
    let now = hub.world_from_probe(&held.physics).position;
    let goal = held.start.position - Vector3::new(0.0, 0.0, 0.03);
    assert!((now - goal).norm() < 1e-4, "{now} {goal}");
}

#[test]
fn a_robot_without_a_flange_has_no_hub() {
    let scene = Scene::new(robots::by_name("psm").unwrap(), probes::c5_2(), None);
    let xml = scene.to_mjcf().unwrap();
    let physics = Physics::from_scene(&CompiledScene::compile(&xml).unwrap()).unwrap();
    let held = HeldNeedle::new(&physics, &block(), config(), Pose::default());
    let error = held.unwrap_err().to_string();
    assert!(error.contains("probe/face_center"), "{error}");
    assert!(FlangeTool::needle("none", f64::NAN, 1e-3).is_err());
    assert!(FlangeTool::needle("none", 0.1, 0.05).is_err());
}
