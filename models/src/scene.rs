//! A scene: robot, probe, torso and room as one MJCF document.

use insonate_meshes::SurfacePoint;
use insonate_settings::check_range;

use crate::FlangeTool;
use crate::ModelError;
use crate::arena::Arena;
use crate::mjcf::{Element, Mjcf, Namespace, Sensor};
use crate::probes::Probe;
use crate::robots::Robot;
use crate::torsos::{Shape, Torso};

/// Prefix of the robot's names.
pub const ROBOT: &str = "robot/";
/// Prefix of the probe's names.
pub const PROBE: &str = "probe/";
/// Prefix of the torso's names.
pub const TORSO: &str = "torso/";

/// A scene of room, robot, probe and torso.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The room.
    pub arena: Arena,
    /// The robot arm.
    pub robot: Robot,
    /// The probe on the robot's flange; unused if the robot has no flange.
    pub probe: Probe,
    /// A tool that the flange holds in place of the probe.
    pub tool: Option<FlangeTool>,
    /// The torso on the table; `None`: no torso.
    pub torso: Option<Torso>,
    /// Position of the robot's base in the world [m].
    pub robot_position: [f64; 3],
    /// Position of the torso's frame in the world [m].
    pub torso_position: [f64; 3],
    /// Length of a physics step [s].
    pub timestep: f64,
}

impl Scene {
    /// A robot with a probe and an optional torso in the default room, with a time step of 2 ms.
    pub fn new(robot: Robot, probe: Probe, torso: Option<Torso>) -> Self {
        let is_patient = |torso: &Torso| torso.config.shape == Shape::Adult;
        let arena = if torso.as_ref().is_some_and(is_patient) {
            Arena::with_patient()
        } else {
            Arena::default()
        };
        let position = |mount: &str| {
            let site = arena.mjcf.find(Namespace::Site, mount);
            site.and_then(|site| site.array("pos")).unwrap_or_default()
        };
        let (robot_position, torso_position) =
            (position(&arena.robot_mount), position(&arena.torso_mount));
        Self {
            arena,
            robot,
            probe,
            tool: None,
            torso,
            robot_position,
            torso_position,
            timestep: 0.002,
        }
    }

    /// Assembles the scene as one standalone document.
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for an invalid time step, [`ModelError::Conflict`] if the robot's home pose does not match its
    /// joints, [`ModelError::Mjcf`] if a part is invalid or the flange does not exist.
    pub fn to_mjcf(&self) -> Result<Mjcf, ModelError> {
        check_range("timestep", self.timestep, [1e-5, 0.02], "s")?;
        self.check_torso_timestep()?;
        let mut scene = self.arena.mjcf.clone();
        scene.root_mut().set("model", self.name());
        self.set_options(&mut scene);
        for (mount, position) in [
            (&self.arena.robot_mount, self.robot_position),
            (&self.arena.torso_mount, self.torso_position),
        ] {
            if let Some(site) = scene.find_mut(Namespace::Site, mount) {
                site.set("pos", position);
            }
        }
        scene.attach(&self.arena.robot_mount, self.robot.mjcf.clone(), ROBOT)?;
        if let Some(flange) = &self.robot.flange {
            scene.attach(&format!("{ROBOT}{flange}"), self.held().clone(), PROBE)?;
        }
        if let Some(torso) = &self.torso {
            scene.attach(&self.arena.torso_mount, torso.mjcf.clone(), TORSO)?;
        }
        self.add_joint_sensors(&mut scene);
        self.add_home(&mut scene)?;
        scene.validate()?;
        Ok(scene)
    }

    /// The point of the skin at rest above `(x, y)`, in the world frame; `None` if the torso is not below it or there is no torso.
    pub fn surface_above(&self, x: f64, y: f64) -> Option<SurfacePoint> {
        let origin = self.torso_position;
        let mut point = self
            .torso
            .as_ref()?
            .surface
            .highest_at(x - origin[0], y - origin[1])?;
        for (coordinate, shift) in point.position.iter_mut().zip(origin) {
            *coordinate += shift;
        }
        Some(point)
    }

    /// Name of the scene, such as `panda_c5-2_fast`.
    pub fn name(&self) -> String {
        let torso = self.torso.as_ref().map_or("none", |torso| torso.name);
        match self.robot.flange {
            Some(_) => {
                let held = self
                    .tool
                    .as_ref()
                    .map_or(&self.probe.name, |tool| &tool.name);
                format!("{}_{held}_{torso}", self.robot.name)
            }
            None => format!("{}_{torso}", self.robot.name),
        }
    }

    /// What the flange holds.
    fn held(&self) -> &Mjcf {
        self.tool
            .as_ref()
            .map_or(&self.probe.mjcf, |tool| &tool.mjcf)
    }

    fn check_torso_timestep(&self) -> Result<(), ModelError> {
        match &self.torso {
            Some(torso) if self.timestep > torso.max_timestep => {
                Err(ModelError::Conflict(format!(
                    "timestep is {} s; it must be at most {} s with a {} torso",
                    self.timestep, torso.max_timestep, torso.name
                )))
            }
            _ => Ok(()),
        }
    }

    /// Sets the scene's options. Options of the torso take precedence.
    fn set_options(&self, scene: &mut Mjcf) {
        let option = scene.option();
        option
            .set("timestep", self.timestep)
            .set("integrator", "implicitfast")
            .set("cone", "elliptic");
        // One contact per pair of particle and geom, as in MuJoCo 2: several contacts would make the same tissue stiffer.
        option.add(Element::new("flag").with_attribute("multiccd", "disable"));
        let needs = self
            .torso
            .as_ref()
            .and_then(|torso| torso.mjcf.section("option"));
        for (attribute, value) in needs.into_iter().flat_map(Element::attributes) {
            option.set(attribute.to_owned(), value.clone());
        }
    }

    fn add_joint_sensors(&self, scene: &mut Mjcf) {
        for joint in self.robot.mjcf.names(Namespace::Joint) {
            let name = format!("{ROBOT}{joint}");
            scene.sensor().add(Sensor::new(
                "jointpos",
                &format!("{name}/position"),
                "joint",
                &name,
            ));
            scene.sensor().add(Sensor::new(
                "jointvel",
                &format!("{name}/velocity"),
                "joint",
                &name,
            ));
        }
    }

    /// Adds the keyframe `home`: the robot in its start pose, the torso at rest.
    fn add_home(&self, scene: &mut Mjcf) -> Result<(), ModelError> {
        let expected = n_qpos(&self.robot.mjcf);
        let found = self.robot.home_qpos.len();
        if expected != found {
            return Err(ModelError::Conflict(format!(
                "robot {:?} has {expected} position coordinates but its home pose gives {found}",
                self.robot.name
            )));
        }
        let torso = self.torso.as_ref().map_or(0, |torso| torso.n_qpos);
        let probe = match self.robot.flange {
            Some(_) => n_qpos(self.held()),
            None => 0,
        };
        let mut qpos = self.robot.home_qpos.clone();
        qpos.resize(found + probe + torso, 0.0);
        if qpos.is_empty() {
            return Ok(());
        }
        scene.keyframe().add(
            Element::new("key")
                .with_attribute("name", "home")
                .with_attribute("qpos", qpos),
        );
        Ok(())
    }
}

/// Number of position coordinates of a model: 7 for a free joint, 4 for a ball joint, 1 for the others.
fn n_qpos(model: &Mjcf) -> usize {
    let count = |element: &Element| match element.tag() {
        "freejoint" => 7,
        "joint" if element.get("joint1").is_none() && element.get("coef").is_none() => {
            match element.text("type") {
                Some("free") => 7,
                Some("ball") => 4,
                _ => 1,
            }
        }
        _ => 0,
    };
    model
        .section("worldbody")
        .map_or(0, |world| world.descendants().into_iter().map(count).sum())
}
