//! The options that choose the robot of a scene: one by name, or a user's file.

use std::path::PathBuf;

use clap::Args;
use insonate::models::robots::{self, Robot};
use insonate::models::{ModelError, SceneConfig};
use insonate::sim::robot_file::{self, LoadOptions, Package};
use toml::{Table, Value};

use super::scene_words::{help, names};

#[derive(Debug, Args)]
#[command(next_help_heading = "Scene")]
pub(crate) struct RobotArgs {
    #[arg(long, conflicts_with = "robot_file", help = help("Robot arm", &names(robots::ALL)) + " [default: panda]")]
    robot: Option<String>,
    /// Your own robot: an MJCF file (with its includes and meshes) or a URDF file.
    #[arg(long, value_name = "FILE", requires = "flange")]
    robot_file: Option<PathBuf>,
    /// Body or site of --robot-file that carries the probe; a link of a URDF.
    #[arg(long, value_name = "NAME")]
    flange: Option<String>,
    /// Folder that --robot-file may read from [default: the file's own folder].
    #[arg(long, value_name = "DIR", requires = "robot_file")]
    robot_root: Option<PathBuf>,
    /// Folder of a package that a URDF names by package://NAME/ [default: the folder above the file that is this package].
    #[arg(long, value_name = "NAME=DIR", requires = "robot_file")]
    package: Vec<Package>,
    /// Remove bodies that the last link of --robot-file carries next to the flange, such as a gripper.
    #[arg(long, requires = "robot_file")]
    without_tool: bool,
}

impl RobotArgs {
    /// The robot that the options describe; notes about changes of a file go to standard error.
    pub(crate) fn robot(&self) -> anyhow::Result<Robot> {
        let (Some(file), Some(flange)) = (&self.robot_file, &self.flange) else {
            let name = self.robot.as_deref().unwrap_or(SceneConfig::ROBOT);
            return Ok(ModelError::find("robot", name, robots::ALL)?());
        };
        let options = LoadOptions {
            root: self.robot_root.clone(),
            without_tool: self.without_tool,
            packages: self.package.clone(),
        };
        let robot = robot_file::load(file, flange, &options)?;
        for note in &robot.notes {
            eprintln!("note: {note}");
        }
        Ok(robot)
    }

    /// The robot, if an option names one.
    pub(crate) fn named_robot(&self) -> anyhow::Result<Option<Robot>> {
        let is_named = self.robot.is_some() || self.robot_file.is_some();
        is_named.then(|| self.robot()).transpose()
    }

    /// The options as settings of a task's scene; empty if none is given.
    ///
    /// The robot is read, so that an error is told before long work.
    pub(crate) fn settings(&self) -> anyhow::Result<Table> {
        let mut settings = Table::new();
        if self.named_robot()?.is_none() {
            return Ok(settings);
        }
        let path = |path: &PathBuf| path.display().to_string();
        let texts = [
            ("robot", self.robot.clone()),
            ("robot_file", self.robot_file.as_ref().map(path)),
            ("flange", self.flange.clone()),
            ("robot_root", self.robot_root.as_ref().map(path)),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                settings.insert(name.to_owned(), Value::String(text));
            }
        }
        if !self.package.is_empty() {
            let text = |it: &Package| format!("{}={}", it.name, it.folder.display());
            let packages: Vec<String> = self.package.iter().map(text).collect();
            settings.insert("package".to_owned(), packages.into());
        }
        if self.without_tool {
            settings.insert("without_tool".to_owned(), true.into());
        }
        Ok(settings)
    }

    /// The options that were given.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let all = [
            ("--robot", self.robot.is_some()),
            ("--robot-file", self.robot_file.is_some()),
            ("--flange", self.flange.is_some()),
            ("--robot-root", self.robot_root.is_some()),
            ("--package", !self.package.is_empty()),
            ("--without-tool", self.without_tool),
        ];
        super::given(&all)
    }
}
