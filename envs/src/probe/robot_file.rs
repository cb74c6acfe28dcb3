//! The robot of a task from a user's file, and the checksum by which a policy notices that it has changed.

use std::path::Path;

use insonate_models::robots::Robot;
use insonate_sim::robot_file::{self, LoadOptions, Package};
use sha2::{Digest as _, Sha256};

use super::SceneSettings;
use crate::EnvError;

/// The robot of the settings' file; `None` if they name no file.
///
/// The file may only read from its own folder or `robot_root`. A relative path is relative to the working folder.
///
/// # Errors
/// [`EnvError::Config`] for a file that cannot be read, for a missing flange, for options of a file without the file, and for a robot that
/// differs from the recorded checksum.
pub(super) fn load(settings: &SceneSettings) -> Result<Option<Robot>, EnvError> {
    if settings.robot_file.is_empty() {
        return unused(settings).map_or(Ok(None), |name| {
            Err(wrong(name, "needs scene.robot_file".to_owned()))
        });
    }
    if settings.flange.is_empty() {
        let problem = "needs scene.flange, the body, site or link that carries the probe";
        return Err(wrong("robot_file", problem.to_owned()));
    }
    let packages = settings.package.iter().map(|text| text.parse::<Package>());
    let options = LoadOptions {
        root: (!settings.robot_root.is_empty()).then(|| settings.robot_root.clone().into()),
        without_tool: settings.without_tool,
        packages: packages
            .collect::<Result<_, _>>()
            .map_err(|problem| wrong("package", problem))?,
    };
    let path = Path::new(&settings.robot_file);
    let robot = robot_file::load(path, &settings.flange, &options)
        .map_err(|error| wrong("robot_file", error.to_string()))?;
    let (recorded, found) = (&settings.robot_sha256, checksum(&robot));
    if !recorded.is_empty() && *recorded != found {
        let problem = format!(
            "{} gives another robot than the recorded one: its checksum is {found}, not {recorded}; \
             take the recorded file, or set scene.robot_sha256 to \"\" to accept this one",
            settings.robot_file
        );
        return Err(wrong("robot_file", problem));
    }
    Ok(Some(robot))
}

/// SHA-256 of all that a robot is made of, in hexadecimal digits: its model with meshes, flange, start pose and joint speeds.
pub(super) fn checksum(robot: &Robot) -> String {
    let mut hash = Sha256::new();
    let flange = robot.flange.as_deref().unwrap_or_default();
    for text in [robot.mjcf.to_xml_unchecked().as_str(), flange] {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    for numbers in [&robot.home_qpos, &robot.velocity_limits] {
        hash.update((numbers.len() as u64).to_le_bytes());
        for number in numbers {
            hash.update(number.to_bits().to_le_bytes());
        }
    }
    let digest = hash.finalize();
    digest
        .iter()
        .fold(String::new(), |digits, byte| format!("{digits}{byte:02x}"))
}

/// The first setting of a robot file that has a value.
fn unused(settings: &SceneSettings) -> Option<&'static str> {
    let all = [
        ("flange", !settings.flange.is_empty()),
        ("robot_root", !settings.robot_root.is_empty()),
        ("package", !settings.package.is_empty()),
        ("without_tool", settings.without_tool),
    ];
    let found = all.iter().find(|(_, is_given)| *is_given);
    found.map(|(name, _)| *name)
}

fn wrong(name: &str, problem: String) -> EnvError {
    EnvError::Config {
        field: format!("scene.{name}"),
        problem,
    }
}
