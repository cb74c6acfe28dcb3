//! The options that describe a scene; all commands share them.

use clap::Args;
use insonate::models::robots::Robot;
use insonate::models::torsos::Device;
use insonate::models::{ModelError, Scene};
use insonate_settings::SettingError;

use super::Usage;
use super::patient_args::Person;
use super::robot_args::RobotArgs;
use super::torso_args::TorsoArgs;

#[derive(Debug, Args)]
pub(crate) struct SceneArgs {
    #[command(flatten)]
    robot: RobotArgs,
    #[command(flatten)]
    torso: TorsoArgs,
}

impl SceneArgs {
    /// The scene that the options describe; notes about what could not be kept go to standard error.
    pub(crate) fn build(&self) -> anyhow::Result<Scene> {
        self.build_on(Device::Cpu)
    }

    /// As [`Self::build`], with a torso that a device steps.
    pub(crate) fn build_on(&self, device: Device) -> anyhow::Result<Scene> {
        self.with(&self.torso.person()?, device)
    }

    /// The scene that the options describe with another robot.
    pub(crate) fn build_with_robot(&self, robot: Robot) -> anyhow::Result<Scene> {
        self.torso.scene(robot, &self.torso.person()?, Device::Cpu)
    }

    /// Gives the scene of a PSM a step that its control can take.
    pub(crate) fn shorten_step(&self, scene: &mut Scene) -> Result<(), SettingError> {
        self.torso.shorten_step(scene)
    }

    /// Who lies there; an adult also without `--patient`.
    pub(crate) fn patient(&self) -> anyhow::Result<Person> {
        self.torso.person_or_adult()
    }

    /// The scene that the options describe with a patient.
    pub(crate) fn build_with(&self, person: &Person) -> anyhow::Result<Scene> {
        if self.torso.is_none() {
            let problem = "ultrasound needs a torso: remove `--torso none`".to_owned();
            return Err(Usage::new(ModelError::Conflict(problem)).into());
        }
        self.with(person, Device::Cpu)
    }

    /// As [`Self::build_on`], with another patient.
    pub(crate) fn with(&self, person: &Person, device: Device) -> anyhow::Result<Scene> {
        self.torso.scene(self.robot.robot()?, person, device)
    }

    /// The robot, if an option names one.
    pub(crate) fn named_robot(&self) -> anyhow::Result<Option<Robot>> {
        self.robot.named_robot()
    }

    /// Name of the probe.
    pub(crate) fn probe_name(&self) -> &str {
        self.torso.probe_name()
    }

    /// Who lies there.
    pub(crate) fn person(&self) -> anyhow::Result<Person> {
        self.torso.person()
    }

    /// The options that were given, without `--probe`.
    pub(crate) fn given(&self) -> GivenOptions {
        let [patient, torso] = self.torso.given();
        let scene = self.robot.given().into_iter().chain(torso).collect();
        GivenOptions { patient, scene }
    }
}

/// Names of the options that were given.
pub(crate) struct GivenOptions {
    /// Those that describe the patient.
    pub(crate) patient: Vec<&'static str>,
    /// The others, without `--probe`.
    pub(crate) scene: Vec<&'static str>,
}
