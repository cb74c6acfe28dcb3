//! What holds the needle: a hand that moves it exactly, or a robot that follows a goal and feels the force.

use insonate_models::{FlangeTool, Scene, probes, robots};
use insonate_needle::Report;
use insonate_settings::SettingError;
use insonate_sim::controllers::{Controller as _, OscPose, OscPoseConfig, OscTarget};
use insonate_sim::needle::{HeldNeedle, Insertion, InsertionError};
use insonate_sim::readings::ProbeFrame;
use insonate_sim::{Arm, CompiledScene, Physics, Pose, SimError, ik};
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::plan::{NeedlePlan, START};
use crate::ExperimentError;

/// Stiffness of the robot's hand per unit of inertia [1/s²]: a force of 3 N moves an arm of 3 kg by a quarter of a millimetre.
const STIFFNESS: f64 = 4000.0;
/// Turns of the hand about the needle that are tried, so that the arm reaches the start.
const N_TURNS: usize = 8;

/// A needle in tissue and what holds it.
pub(super) enum Holder {
    Hand(Box<Insertion>),
    Robot(Box<RobotHand>),
}

/// A robot that holds the needle.
pub(super) struct RobotHand {
    physics: Physics,
    controller: OscPose,
    needle: HeldNeedle,
    world_from_block: Pose,
    /// Turn of the hand about the needle.
    turn: UnitQuaternion<f64>,
}

/// Where the needle is held, and what is felt there.
pub(super) struct Felt {
    /// Depth of the tip of a straight needle on its way [m].
    pub(super) depth: f64,
    /// Force along the needle that the robot's sensor reads, positive while it pushes [N].
    pub(super) sensor_force: Option<f64>,
}

impl Holder {
    /// A needle before the skin.
    pub(super) fn new(plan: &NeedlePlan) -> Result<Self, ExperimentError> {
        let start = plan.base(-START);
        let Some(name) = &plan.robot else {
            let insertion = Insertion::new(&plan.block(), plan.needle(), start);
            return Ok(Self::Hand(Box::new(insertion?)));
        };
        RobotHand::new(plan, name, &start).map(|hand| Self::Robot(Box::new(hand)))
    }

    pub(super) fn insertion(&self) -> &Insertion {
        match self {
            Self::Hand(insertion) => insertion,
            Self::Robot(hand) => hand.needle.insertion(),
        }
    }

    /// Time of a step [s].
    pub(super) fn interval(&self) -> f64 {
        match self {
            Self::Hand(insertion) => insertion.body().substep(),
            Self::Robot(hand) => hand.physics.timestep(),
        }
    }

    /// Makes a step towards a depth on the way [m], at a speed [m/s]. `each` is called after every substep of the tissue.
    pub(super) fn step(
        &mut self,
        plan: &NeedlePlan,
        depth: f64,
        speed: f64,
        mut each: impl FnMut(&Report),
    ) -> Result<Felt, ExperimentError> {
        match self {
            Self::Hand(insertion) => {
                each(&insertion.step(plan.base(depth))?);
                let sensor_force = None;
                Ok(Felt {
                    depth,
                    sensor_force,
                })
            }
            Self::Robot(hand) => hand.step(plan, depth, speed, each),
        }
    }
}

impl RobotHand {
    fn new(plan: &NeedlePlan, name: &str, start: &Isometry3<f64>) -> Result<Self, ExperimentError> {
        let found = insonate_settings::find("robot", name, robots::ALL, |(name, _)| name);
        let (_, make) = found.map_err(insonate_models::ModelError::from)?;
        let robot = make();
        if robot.flange.is_none() {
            let with_flange = robots::ALL
                .iter()
                .filter(|(_, make)| make().flange.is_some());
            let names: Vec<&str> = with_flange.map(|(name, _)| *name).collect();
            let allowed = format!("a robot with a flange: {}", names.join(", "));
            return Err(SettingError::new("robot", name, allowed).into());
        }
        let config = plan.needle();
        let tool = format!("needle-{}g", plan.gauge.number());
        let mut scene = Scene::new(robot, probes::c5_2(), None);
        scene.tool = Some(FlangeTool::needle(
            &tool,
            config.length,
            config.outer_diameter,
        )?);
        let mut physics = Physics::from_scene(&CompiledScene::compile(&scene.to_mjcf()?)?)?;
        let lift = Vector3::new(0.0, 0.0, plan.size[2]);
        let world_from_block = Pose {
            position: Vector3::from(scene.torso_position) + lift,
            rotation: UnitQuaternion::identity(),
        };
        let turn = reach(&mut physics, &world_from_block, plan, start)?;
        let config = OscPoseConfig {
            stiffness: [STIFFNESS; 6],
            ..OscPoseConfig::default()
        };
        Ok(Self {
            controller: OscPose::new(&physics, config)?,
            needle: HeldNeedle::new(&physics, &plan.block(), plan.needle(), world_from_block)?,
            world_from_block,
            turn,
            physics,
        })
    }

    fn step(
        &mut self,
        plan: &NeedlePlan,
        depth: f64,
        speed: f64,
        each: impl FnMut(&Report),
    ) -> Result<Felt, ExperimentError> {
        let goal = goal(&self.world_from_block, &plan.base(depth), &self.turn);
        let along = goal.z_axis();
        self.controller.goal_twist.linear = along * speed;
        let target = OscTarget::Pose(goal);
        self.controller.set_target(&self.physics, target);
        self.controller.control(&mut self.physics);
        self.needle.step(&mut self.physics, each)?;
        self.physics.step()?;
        let sensor = self.physics.force_torque();
        let hub = self.needle.insertion().needle().base().translation.vector;
        let start = plan.base(0.0).translation.vector;
        Ok(Felt {
            depth: (hub - start).dot(&plan.direction()),
            sensor_force: sensor.map(|sensor| -sensor.wrench_in_world().force.dot(&along)),
        })
    }
}

/// Pose of the hub in world, with the hand turned about the needle.
fn goal(world_from_block: &Pose, base: &Isometry3<f64>, turn: &UnitQuaternion<f64>) -> Pose {
    Pose {
        position: world_from_block.transform(&base.translation.vector),
        rotation: world_from_block.rotation * base.rotation * turn,
    }
}

/// Brings the arm to the start, with a posture in which it also reaches the target; returns the turn about the needle.
fn reach(
    physics: &mut Physics,
    world_from_block: &Pose,
    plan: &NeedlePlan,
    start: &Isometry3<f64>,
) -> Result<UnitQuaternion<f64>, SimError> {
    let arm = Arm::new(physics.model())?;
    let probe = ProbeFrame::new(physics.model())?;
    let mut last = Ok(UnitQuaternion::identity());
    for index in 0..N_TURNS {
        let angle = std::f64::consts::TAU * index as f64 / N_TURNS as f64;
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
        let poses =
            [*start, plan.base(plan.depth())].map(|base| goal(world_from_block, &base, &turn));
        let config = ik::IkConfig::default();
        last = ik::place_with_path(physics, &arm, &probe, &poses, &config).map(|()| turn);
        if last.is_ok() {
            break;
        }
    }
    last
}

/// Whether an error ends an insertion early: the needle or the simulation cannot go on.
pub(super) fn ends_early(error: &ExperimentError) -> bool {
    let is_setting = |error: &InsertionError| matches!(error, InsertionError::Setting(_));
    match error {
        ExperimentError::Insertion(error) => !is_setting(error),
        ExperimentError::Diverged(_) => true,
        _ => false,
    }
}
