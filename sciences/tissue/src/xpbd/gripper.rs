//! A gripper: a shaft through a trocar with two clamps at its tip, which grasp tissue when they close.
//!
//! The shaft always passes through the trocar, its remote centre of motion. The position of the tip and the roll about
//! the shaft determine its pose. Vertices near the centre of the closed clamps are held until the clamps open.

use insonate_settings::check_range;
use nalgebra::{UnitQuaternion, Vector3};

use crate::TissueError;
use crate::graspable::Graspable;
use crate::tool::{Shape, Tool, Wrench};

/// Sizes of a gripper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GripperGeometry {
    /// Radius of the shaft [m].
    pub shaft_radius: f64,
    /// Length of the shaft [m].
    pub shaft_length: f64,
    /// Radius of a clamp [m].
    pub clamp_radius: f64,
    /// Length of a clamp, measured from the tip of the shaft [m].
    pub clamp_length: f64,
    /// Radius around the centre of the clamps within which vertices are grasped [m].
    pub grasp_radius: f64,
    /// Maximum number of grasped vertices.
    pub max_grasped: usize,
    /// Opening angle below which the clamps are closed [rad].
    pub closed_angle: f64,
    /// Opening angle from which the clamps release vertices [rad]; at least `closed_angle`.
    pub release_angle: f64,
    /// Coulomb friction coefficient of all parts.
    pub friction: f64,
}

impl Default for GripperGeometry {
    /// A 5 mm laparoscopic grasper.
    fn default() -> Self {
        Self {
            shaft_radius: 2.5e-3,
            shaft_length: 0.3,
            clamp_radius: 1e-3,
            clamp_length: 0.016,
            grasp_radius: 8e-3,
            max_grasped: 8,
            closed_angle: 3f64.to_radians(),
            release_angle: 3f64.to_radians(),
            friction: 0.3,
        }
    }
}

/// A gripper. It consists of three tools of a world: shaft, clamp, clamp.
#[derive(Debug, Clone, PartialEq)]
pub struct Gripper {
    geometry: GripperGeometry,
    trocar: Vector3<f64>,
    tip: Vector3<f64>,
    roll: f64,
    opening: f64,
    /// Whether it holds vertices.
    holds: bool,
    /// Index of the shaft among the world's tools; the clamps follow.
    first_tool: usize,
}

impl Gripper {
    /// Adds a gripper to a world, with the tip of its shaft [m], roll [rad] and the angle between the clamps [rad].
    ///
    /// # Errors
    /// [`TissueError::Setting`] for sizes, positions or angles out of range, and for a tip at the trocar.
    pub fn new(
        world: &mut impl Graspable,
        geometry: GripperGeometry,
        trocar: Vector3<f64>,
        tip: Vector3<f64>,
        roll: f64,
        opening: f64,
    ) -> Result<Self, TissueError> {
        check_range(
            "gripper.grasp_radius",
            geometry.grasp_radius,
            [1e-6, 1.0],
            "m",
        )?;
        let GripperGeometry {
            closed_angle,
            release_angle,
            ..
        } = geometry;
        check_range("gripper.closed_angle", closed_angle, [0.0, 3.0], "rad")?;
        check_range(
            "gripper.release_angle",
            release_angle,
            [closed_angle, 3.0],
            "rad",
        )?;
        check_range(
            "gripper.shaft_length",
            geometry.shaft_length,
            [1e-3, 10.0],
            "m",
        )?;
        let field = "gripper.clamp_length";
        check_range(
            field,
            geometry.clamp_length,
            [2.1 * geometry.clamp_radius, 1.0],
            "m",
        )?;
        let mut gripper = Self {
            geometry,
            trocar,
            tip,
            roll,
            opening,
            holds: false,
            first_tool: world.tools_mut().len(),
        };
        gripper.check()?;
        let tools = gripper.tools();
        tools.iter().try_for_each(Tool::check)?;
        world.tools_mut().extend(tools);
        if gripper.is_closed() {
            gripper.holds = gripper.grasp(world);
        }
        Ok(gripper)
    }

    /// Moves the gripper to a tip [m], roll and opening [rad] during the next step, whose time [s] is given; call it
    /// before each step. Closing grasps before the step; opening releases.
    ///
    /// # Errors
    /// [`TissueError::Setting`], also if the world no longer has the gripper's tools; nothing has changed
    /// then.
    pub fn move_to(
        &mut self,
        world: &mut impl Graspable,
        tip: Vector3<f64>,
        roll: f64,
        opening: f64,
        time: f64,
    ) -> Result<(), TissueError> {
        check_range("time", time, [1e-9, 1e3], "s")?;
        let mut target = Self {
            tip,
            roll,
            opening,
            ..self.clone()
        };
        target.check()?;
        let (mut now, then) = (self.tools(), target.tools());
        for (tool, goal) in now.iter_mut().zip(&then) {
            tool.linear = (goal.position - tool.position) / time;
            tool.angular = (goal.rotation * tool.rotation.inverse()).scaled_axis() / time;
        }
        let range = self.first_tool..self.first_tool + now.len();
        let Some(tools) = world.tools_mut().get_mut(range) else {
            return Err(TissueError::setting(
                "gripper.first_tool",
                self.first_tool,
                "tools of this world",
            ));
        };
        tools.clone_from_slice(&now);
        if !self.holds && target.is_closed() && !self.is_closed() {
            target.holds = self.grasp(world);
        } else if self.holds && opening >= self.geometry.release_angle {
            world.release(self.first_tool);
            target.holds = false;
        }
        *self = target;
        Ok(())
    }

    /// Tip of the shaft after the last step, between the hinges of the clamps [m].
    pub fn tip(&self) -> Vector3<f64> {
        self.tip
    }

    /// Whether the clamps are closed.
    pub fn is_closed(&self) -> bool {
        self.opening < self.geometry.closed_angle
    }

    /// Whether the gripper holds vertices: it grasped some when it closed, and has not opened to the release angle
    /// since.
    pub fn holds(&self) -> bool {
        self.holds
    }

    /// Grasp point: the centre of the closed clamps [m].
    pub fn grasp_point(&self) -> Vector3<f64> {
        self.tip - self.rotation() * Vector3::z() * (0.5 * self.geometry.clamp_length)
    }

    /// Mean wrench of the tissue on the whole gripper over the last step, about its tip.
    pub fn wrench(&self, world: &impl Graspable) -> Wrench {
        let mut sum = Wrench::default();
        for (i, tool) in self.tools().iter().enumerate() {
            let part = world.wrench(self.first_tool + i);
            sum.force += part.force;
            sum.torque += part.torque + (tool.position - self.tip).cross(&part.force);
        }
        sum
    }

    /// Grasps. Returns whether any vertices were within reach.
    fn grasp(&self, world: &mut impl Graspable) -> bool {
        let geometry = &self.geometry;
        let at = self.grasp_point();
        let most = geometry.max_grasped;
        world.grasp(self.first_tool, at, geometry.grasp_radius, most) > 0
    }

    fn check(&self) -> Result<(), TissueError> {
        for (field, place) in [("gripper.tip", self.tip), ("gripper.trocar", self.trocar)] {
            if !place.iter().all(|x| x.abs() <= 1e4) {
                return Err(TissueError::setting(
                    field,
                    place.as_slice(),
                    "within 10 km",
                ));
            }
        }
        let depth = (self.tip - self.trocar).norm();
        check_range("distance of tip and trocar", depth, [1e-6, 1e5], "m")?;
        check_range("gripper.roll", self.roll, [-1e3, 1e3], "rad")?;
        Ok(check_range(
            "gripper.opening",
            self.opening,
            [0.0, 3.0],
            "rad",
        )?)
    }

    /// The gripper's frame: the shaft comes from +z.
    fn rotation(&self) -> UnitQuaternion<f64> {
        let forward = self.tip - self.trocar;
        let down = -Vector3::z();
        let turn = UnitQuaternion::rotation_between(&down, &forward).unwrap_or_else(|| {
            UnitQuaternion::from_scaled_axis(Vector3::x() * std::f64::consts::PI)
        });
        turn * UnitQuaternion::from_scaled_axis(Vector3::z() * self.roll)
    }

    /// Current poses of the shaft and clamps.
    fn tools(&self) -> [Tool; 3] {
        let geometry = &self.geometry;
        let rotation = self.rotation();
        let rod = |start: Vector3<f64>, turn: UnitQuaternion<f64>, length: f64, radius: f64| Tool {
            position: start + turn * Vector3::z() * (0.5 * length),
            rotation: turn,
            friction: geometry.friction,
            ..Tool::new(Shape::Capsule {
                radius,
                half_length: (0.5 * length - radius).max(1e-6),
            })
        };
        let clamp = |side: f64| {
            let angle = std::f64::consts::PI + side * 0.5 * self.opening;
            let turn = rotation * UnitQuaternion::from_scaled_axis(Vector3::y() * angle);
            // Closed clamps lie next to each other and do not overlap.
            let hinge = rotation * Vector3::x() * (-side * geometry.clamp_radius);
            rod(
                self.tip + hinge,
                turn,
                geometry.clamp_length,
                geometry.clamp_radius,
            )
        };
        [
            rod(
                self.tip,
                rotation,
                geometry.shaft_length,
                geometry.shaft_radius,
            ),
            clamp(-1.0),
            clamp(1.0),
        ]
    }
}
