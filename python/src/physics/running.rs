//! One running scene and its journal, for [`Physics`](super::Physics) and [`PhysicsBatch`](super::PhysicsBatch).

use std::sync::Arc;

use insonate_sim::controllers::{
    Controller as _, HybridConfig, HybridForce, HybridTarget, OscPose, OscPoseConfig, OscTarget,
};
use insonate_sim::placement::ProbePlacement;
use insonate_sim::readings::ForceTorque;
use insonate_sim::{CompiledScene, Divergence, Pose, Readings, Twist};
use nalgebra::Vector3;

use super::journal::{Command, Journal};
use crate::error::{OrderError, Result, SimulationError, value_error};
use crate::geometry::rotation;
use crate::scene::SceneArguments;

/// Source of the motor torques before each step.
#[derive(Default)]
enum Control {
    /// The user, through `ctrl`.
    #[default]
    User,
    Pose(OscPose),
    Force(HybridForce),
}

/// One running scene.
pub(super) struct State {
    journal: Journal,
    pub(super) physics: insonate_sim::Physics,
    pub(super) readings: Readings,
    pub(super) placement: ProbePlacement,
    control: Control,
    scene: Arc<SceneArguments>,
}

impl State {
    /// A scene at rest.
    pub(super) fn new(compiled: &CompiledScene, scene: &Arc<SceneArguments>) -> Result<Self> {
        let mut physics = insonate_sim::Physics::from_scene(compiled)?;
        // `read` may ask for the pressure on the face after any step.
        physics.record_contact_points(true);
        Ok(Self {
            journal: Journal::default(),
            readings: Readings::new(&physics)?,
            placement: ProbePlacement::new(&physics)?,
            physics,
            control: Control::User,
            scene: scene.clone(),
        })
    }

    /// The commands since the last reset.
    pub(super) fn commands(&self) -> Result<&[Command]> {
        let commands = self.journal.commands();
        commands.ok_or_else(|| OrderError::new_err(Journal::problem()).into())
    }

    /// Bits of time, qpos and qvel.
    pub(super) fn fingerprint(&self) -> Vec<u64> {
        let physics = &self.physics;
        std::iter::once(&physics.time())
            .chain(physics.qpos())
            .chain(physics.qvel())
            .map(|number| number.to_bits())
            .collect()
    }

    /// Runs `n` steps; the controller acts before each.
    pub(super) fn steps(&mut self, n: usize) -> std::result::Result<(), Divergence> {
        (0..n).try_for_each(|_| {
            self.journal.note(Command::Steps(1));
            self.step()
        })
    }

    /// Checks a command, notes it and carries it out.
    pub(super) fn apply(&mut self, command: Command) -> Result<()> {
        if let Command::Steps(n) = command {
            return self
                .steps(n as usize)
                .map_err(|divergence| SimulationError::new_err(divergence.to_string()).into());
        }
        self.check(&command)?;
        // A softness that is refused must not be noted, because the journal keeps it over resets.
        let is_softness = matches!(command, Command::Softness(..));
        if !is_softness {
            self.journal.note(command.clone());
        }
        match command {
            Command::Steps(_) => {}
            Command::Reset => self.reset(),
            Command::Torques(torques) => {
                self.physics.ctrl_mut().copy_from_slice(&torques);
                self.control = Control::User;
            }
            Command::Positions(positions) => {
                self.physics.qpos_mut().copy_from_slice(&positions);
                self.physics.forward();
            }
            Command::Velocities(velocities) => {
                self.physics.qvel_mut().copy_from_slice(&velocities);
                self.physics.forward();
            }
            Command::Softness(stiffness, damping) => {
                let (kind, config) = self.scene.softened(stiffness, damping)?;
                self.physics.set_softness(kind, &config)?;
                self.journal.note(command);
            }
            Command::Place(position, quaternion) => {
                let pose = pose(position, quaternion)?;
                self.placement.place(&mut self.physics, &pose)?;
                self.control = Control::User;
            }
            Command::Pose(position, quaternion, stiffness) => {
                self.control_pose(&pose(position, quaternion)?, stiffness)?;
            }
            Command::Force(position, quaternion, force) => {
                self.control_force(pose(position, quaternion)?, force)?;
            }
        }
        Ok(())
    }

    /// Checks the numbers of a command.
    fn check(&self, command: &Command) -> Result<()> {
        match command {
            Command::Place(position, quaternion) => pose(*position, *quaternion).map(|_| ()),
            Command::Pose(position, quaternion, stiffness) => {
                if let Some(stiffness) = stiffness
                    && !(1.0..=1e5).contains(stiffness)
                {
                    return Err(value_error(format!(
                        "stiffness is {stiffness}; it must be between 1 and 100000 1/s²"
                    )));
                }
                pose(*position, *quaternion).map(|_| ())
            }
            Command::Force(position, quaternion, force) => {
                if !(0.0..=100.0).contains(force) {
                    return Err(value_error(format!(
                        "force is {force}; it must be between 0 and 100 N"
                    )));
                }
                pose(*position, *quaternion).map(|_| ())
            }
            Command::Torques(torques) => {
                same_length("ctrl", "torques", self.physics.ctrl().len(), torques)
            }
            Command::Positions(positions) => {
                same_length("qpos", "positions", self.physics.qpos().len(), positions)
            }
            Command::Velocities(velocities) => {
                same_length("qvel", "velocities", self.physics.qvel().len(), velocities)
            }
            Command::Steps(_) | Command::Reset | Command::Softness(..) => Ok(()),
        }
    }

    /// The home pose at time 0, as in a new state: with the zero of a new force sensor.
    fn reset(&mut self) {
        let new = ForceTorque::new(self.physics.model());
        if let (Some(sensor), Ok(new)) = (self.physics.force_torque_mut(), new) {
            *sensor = new;
        }
        self.physics.reset();
        self.control = Control::User;
    }

    fn control_pose(&mut self, pose: &Pose, stiffness: Option<f64>) -> Result<()> {
        let target = OscTarget::Pose(*pose);
        let mut config = OscPoseConfig::default();
        if let Some(stiffness) = stiffness {
            config.stiffness = [stiffness; 6];
        }
        let physics = &self.physics;
        match &mut self.control {
            Control::Pose(controller) if controller.config == config => {
                controller.set_target(physics, target);
            }
            other => {
                let mut controller = OscPose::new(physics, config)?;
                controller.set_target(physics, target);
                *other = Control::Pose(controller);
            }
        }
        Ok(())
    }

    fn control_force(&mut self, world_from_probe: Pose, force: f64) -> Result<()> {
        let target = HybridTarget {
            world_from_probe,
            twist: Twist::default(),
            force,
        };
        let physics = &self.physics;
        match &mut self.control {
            Control::Force(controller) => controller.set_target(physics, target),
            other => {
                let mut controller = HybridForce::new(physics, HybridConfig::default())?;
                controller.set_target(physics, target);
                *other = Control::Force(controller);
            }
        }
        Ok(())
    }

    fn step(&mut self) -> std::result::Result<(), Divergence> {
        match &mut self.control {
            Control::User => {}
            Control::Pose(controller) => controller.control(&mut self.physics),
            Control::Force(controller) => controller.control(&mut self.physics),
        }
        self.physics.step()
    }
}

/// A pose from Python, checked.
fn pose(position: [f64; 3], quaternion: [f64; 4]) -> Result<Pose> {
    if !position.iter().all(|x| x.is_finite()) {
        return Err(value_error("a position is finite [m]"));
    }
    Ok(Pose {
        position: Vector3::from(position),
        rotation: rotation(quaternion)?,
    })
}

/// Checks numbers that replace a vector of MuJoCo's.
fn same_length(name: &str, what: &str, n: usize, given: &[f64]) -> Result<()> {
    if given.len() == n && given.iter().all(|number| number.is_finite()) {
        return Ok(());
    }
    Err(value_error(format!("{name} needs {n} finite {what}")))
}
