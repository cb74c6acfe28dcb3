//! A robot from a user's MJCF file.
//!
//! The file may contain a whole scene. It is adapted to the conventions of [`super`] as follows:
//! * The tree with the flange is kept: one child of the world with all its descendants. If its top body moves, the base is part of the
//!   world, and the shapes near it are kept ([`base`]). Everything else in the world (floor, tables, objects, lights, cameras, skies) is
//!   removed. The base moves to the mount and keeps its orientation; a free base is fixed.
//! * Joints on the path from the base to the flange are the joints of the arm. Their actuators are replaced by torque motors with the
//!   names of the joints, within the torque limits of the file ([`torque`]).
//! * Other joints are fixed at home, except springs without an actuator or coupling.
//! * Gravity is compensated on all bodies. Collision geoms collide with the surroundings, and with each other as before
//!   ([`collisions`]), except the base and the links that it carries.
//! * Home is the keyframe `home`, or else the first one, or else a pose with the flange above the table pointing down ([`reach`]), or else
//!   the middle of each joint's range.

mod base;
mod beyond;
mod collisions;
mod fixing;
mod flange;
mod flange_hint;
mod home;
mod joints;
mod kinematics;
mod mesh_size;
mod notes;
mod reach;
mod torque;
mod warnings;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use notes::list;

use super::robot::Robot;
use crate::ModelError;
use crate::mjcf::{
    Defaults, Element, Mjcf, MjcfError, Motor, ReadOptions, StandaloneMjcf, walk_world,
};

/// Upper limit of the joints of an arm.
const MOST_JOINTS: usize = 64;

/// Options for reading a robot from a file.
#[derive(Clone, Debug, Default)]
pub struct FileOptions {
    /// Folder that must contain all files that the robot's file refers to; the default is the folder of the robot's file.
    pub root: Option<PathBuf>,
    /// Removes bodies with shapes that are attached to the last link next to the flange, such as a gripper.
    pub without_tool: bool,
}

/// Reads a robot. The body, frame or site `flange` carries the probe; +z points out of the flange.
///
/// # Errors
/// The errors of [`Mjcf::read_standalone`]; [`MjcfError::UnknownFrame`] if the flange does not exist; [`ModelError::Conflict`] if no
/// joint moves the flange or one of them is a ball joint; [`MjcfError::Unsupported`] for elements that MuJoCo expands, and for collision
/// meshes that are ten times longer than the arm.
pub fn from_file(path: &Path, flange: &str, options: &FileOptions) -> Result<Robot, ModelError> {
    let read = ReadOptions {
        root: options.root.clone(),
        ..ReadOptions::default()
    };
    let StandaloneMjcf { mjcf, notes } = Mjcf::read_standalone(path, &read)?;
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = plain_name(mjcf.root().text("model").unwrap_or(&stem));
    let mut builder = Builder {
        defaults: Defaults::of(&mjcf),
        mjcf,
        notes,
    };
    let home_qpos = builder.build(flange, options.without_tool)?;
    Ok(Robot {
        name: Cow::Owned(name),
        summary: Cow::Owned(format!("from {}", path.display())),
        mjcf: builder.mjcf,
        flange: Some(flange.to_owned()),
        home_qpos,
        velocity_limits: Vec::new(),
        notes: builder.notes,
    })
}

/// Replaces characters so that the name can be used in file names.
fn plain_name(name: &str) -> String {
    let plain: String = name
        .chars()
        .take(40)
        .map(|letter| {
            let plain = letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
            if plain { letter } else { '-' }
        })
        .collect();
    if plain.is_empty() {
        "robot".to_owned()
    } else {
        plain
    }
}

struct Builder {
    mjcf: Mjcf,
    defaults: Defaults,
    notes: Vec<String>,
}

impl Builder {
    /// Converts the document to a robot, and returns its home pose.
    fn build(&mut self, flange: &str, without_tool: bool) -> Result<Vec<f64>, ModelError> {
        self.refuse_macros()?;
        self.spell_out_joints();
        let keyframe = home::keyframe(&mut self.mjcf, &mut self.notes);
        flange::keep_tree_of(&mut self.mjcf, flange, &mut self.notes)?;
        base::settle(&mut self.mjcf, &mut self.notes);
        flange::spell_out_site(&mut self.mjcf, &self.defaults, flange);
        let path = self.settle_tools(flange, without_tool)?;
        let joints = flange::joints_on(&self.mjcf, &path);
        check_arm(&joints, flange)?;
        let motors = torque::motors(&mut self.mjcf, &self.defaults, &joints, &mut self.notes);
        fixing::fix_other_joints(
            &mut self.mjcf,
            &self.defaults,
            &path,
            &keyframe,
            &mut self.notes,
        );
        self.replace_actuators(motors);
        self.mjcf
            .worldbody()
            .remove_where(&|element| element.tag() == "light");
        base::spare_neighbours(&mut self.mjcf);
        collisions::separate(&mut self.mjcf, &self.defaults);
        self.compensate_gravity();
        self.drop_scene_sections();
        let lost = self.mjcf.prune_references();
        if !lost.is_empty() {
            self.notes
                .push(format!("left out with what they refer to: {}", list(&lost)));
        }
        self.mjcf.prune_assets();
        let sections = self.mjcf.root_mut().children_mut();
        sections.retain(|section| section.tag() == "compiler" || !section.children().is_empty());
        let path = flange::path_to_flange(&self.mjcf, flange)?; // removals may have changed the indices
        let chain = kinematics::Chain::new(&self.mjcf, &self.defaults, &path);
        let arm = if keyframe.is_empty() {
            self.reach_out(&joints, &chain)
        } else {
            home::Keyframe::new()
        };
        let home = home::positions(&mut self.mjcf, &self.defaults, &keyframe, &arm);
        self.check(&path, &chain, &joints)?;
        self.mjcf.validate()?;
        Ok(home.into_iter().map(|(_, position)| position).collect())
    }

    /// Reports or removes tools next to the flange. Returns the path to the flange.
    fn settle_tools(
        &mut self,
        flange: &str,
        without_tool: bool,
    ) -> Result<flange::TreePath, MjcfError> {
        let path = flange::path_to_flange(&self.mjcf, flange)?;
        let tools = beyond::tools(&self.mjcf, &path);
        if tools.is_empty() {
            return Ok(path);
        }
        let tools = list(&tools);
        if without_tool {
            beyond::remove_tools(&mut self.mjcf, &path);
            self.notes.push(format!("left out as tools: {tools}"));
            return flange::path_to_flange(&self.mjcf, flange);
        }
        self.notes.push(format!(
            "the last link carries {tools} next to the probe; without_tool leaves it out"
        ));
        Ok(path)
    }

    /// Adds notes about suspicious properties of the arm, and rejects meshes of the wrong size.
    fn check(
        &mut self,
        path: &[usize],
        chain: &kinematics::Chain,
        joints: &[Element],
    ) -> Result<(), MjcfError> {
        let length = chain.length();
        mesh_size::check(&mut self.mjcf, &self.defaults, length, &mut self.notes)?;
        self.notes
            .extend(flange_hint::hint(&self.mjcf, path, chain));
        self.notes
            .extend(warnings::tiny_ranges(joints, &chain.ranges));
        self.notes
            .extend(warnings::weightless_link(&self.mjcf, &self.defaults, path));
        Ok(())
    }

    /// Rejects elements that only MuJoCo can expand.
    fn refuse_macros(&self) -> Result<(), MjcfError> {
        let elements = self.mjcf.root().descendants();
        let expanded = elements
            .iter()
            .find(|element| matches!(element.tag(), "composite" | "flexcomp" | "replicate"));
        match expanded {
            None => Ok(()),
            Some(element) => Err(MjcfError::Unsupported {
                element: element.label(),
                problem: "robots with elements that MuJoCo expands are not read; save the model from MuJoCo first"
                    .to_owned(),
            }),
        }
    }

    /// Gives every joint a name, and writes its type from its class on it.
    fn spell_out_joints(&mut self) {
        let taken: BTreeSet<String> = self
            .mjcf
            .names(crate::mjcf::Namespace::Joint)
            .into_iter()
            .map(str::to_owned)
            .collect();
        let mut names = (1..)
            .map(|index| format!("joint_{index}"))
            .filter(|name| !taken.contains(name));
        let defaults = &self.defaults;
        walk_world(&mut self.mjcf, &mut |element, class| {
            if !matches!(element.tag(), "joint" | "freejoint") {
                return;
            }
            if element.name().is_none()
                && let Some(name) = names.next()
            {
                element.set("name", name);
            }
            if element.tag() == "joint" {
                let kind = defaults
                    .effective(element, class, &["joint"], "type")
                    .map_or_else(|| "hinge".to_owned(), ToString::to_string);
                element.set("type", kind);
            }
        });
    }

    fn replace_actuators(&mut self, motors: Vec<Motor>) {
        let actuators = self.mjcf.actuator().children_mut();
        actuators.clear();
        actuators.extend(motors.into_iter().map(Element::from));
        if let Some(section) = self.mjcf.root_mut().child_mut("default") {
            section.remove_where(&|element| torque::ACTUATOR_TAGS.contains(&element.tag()));
        }
    }

    /// Finds a start pose for an arm without a keyframe.
    fn reach_out(&mut self, joints: &[Element], chain: &kinematics::Chain) -> home::Keyframe {
        let Some(positions) = reach::above_table(chain) else {
            self.notes.push(
                "no keyframe, and no pose found with the flange pointing down: home is the middle of each joint's range"
                    .to_owned(),
            );
            return home::Keyframe::new();
        };
        let names = joints.iter().filter_map(Element::name).map(str::to_owned);
        names
            .zip(positions.into_iter().map(|position| vec![position]))
            .collect()
    }

    fn compensate_gravity(&mut self) {
        self.mjcf.worldbody().visit_mut(&mut |element| {
            if element.tag() == "body" {
                element.set("gravcomp", 1);
            }
        });
    }

    /// Removes sections and skies that concern a whole scene.
    fn drop_scene_sections(&mut self) {
        let is_scenes = |tag: &str| {
            matches!(
                tag,
                "option" | "size" | "visual" | "statistic" | "custom" | "keyframe"
            )
        };
        let sections = self.mjcf.root_mut().children_mut();
        sections.retain(|section| !is_scenes(section.tag()));
        self.mjcf
            .asset()
            .children_mut()
            .retain(|asset| asset.tag() != "texture" || asset.text("type") != Some("skybox"));
    }
}

fn check_arm(joints: &[Element], flange: &str) -> Result<(), ModelError> {
    if joints.is_empty() {
        return Err(ModelError::Conflict(format!(
            "no joint moves the flange {flange:?}"
        )));
    }
    if joints.len() > MOST_JOINTS {
        return Err(ModelError::Conflict(format!(
            "the number of joints that move the flange {flange:?} is {}; it must be at most {MOST_JOINTS}",
            joints.len()
        )));
    }
    match joints
        .iter()
        .find(|joint| joint.text("type") == Some("ball"))
    {
        None => Ok(()),
        Some(ball) => Err(ModelError::Conflict(format!(
            "{} between the base and the flange {flange:?} is a ball joint; an arm must have hinge and slide joints",
            ball.label()
        ))),
    }
}
