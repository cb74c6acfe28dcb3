//! A slender rod in a lumen, drawn by MuJoCo. Capsules and a camera at the tip are posed for each picture, the wall is a half-transparent
//! mesh, and an arm may hold the rod's base. Nothing in the scene is stepped.

mod carrier;
mod mjcf;

use insonate_meshes::TriangleMesh;
use insonate_models::mjcf::{Mjcf, ReadOptions};
use insonate_models::robots::Robot;
use nalgebra::{UnitQuaternion, Vector3};

use crate::{CompiledScene, Physics, SimError};
use carrier::Carrier;

/// Camera that shows the whole lumen from the front.
pub const OVERVIEW: &str = "overview";
/// Camera that follows the tip from outside.
pub const CLOSE: &str = "close";
/// Camera that shows the arm and the lumen.
pub const ROOM: &str = "room";
/// Camera in the tip: the view of an endoscope.
pub const SCOPE: &str = "scope";

/// Largest number of capsules; a longer chain is drawn with every second node, or fewer.
const MAX_SEGMENTS: usize = 400;

/// Position of a hidden mark [m].
const AWAY: [f64; 3] = [0.0, 0.0, -10.0];

/// Side from which the wall is lit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WallView {
    /// From outside, by the lamps of a room; the front half of the wall is half-transparent, the rear half is opaque.
    Outside,
    /// From inside, by the lamp at the rod's tip.
    Inside,
}

/// Description of a rod in a lumen.
#[derive(Debug)]
pub struct RodSceneDescription<'a> {
    /// The wall: a closed mesh [m], triangles facing out of the free space.
    pub wall: &'a TriangleMesh,
    /// Unit normals at its vertices, out of the free space, shape `[n_vertices, 3]`.
    pub normals: &'a [[f64; 3]],
    /// Nodes of the rod.
    pub n_nodes: usize,
    /// Length of the rod from first to last node [m].
    pub length: f64,
    /// Radius of the rod [m].
    pub radius: f64,
    /// Length of its steerable end [m].
    pub tip_length: f64,
    /// The arm that holds the rod's base, and the position of the arm's base [m].
    pub carrier: Option<(Robot, [f64; 3])>,
    /// Side from which the wall is lit.
    pub view: WallView,
}

/// State of the rod at one moment.
#[derive(Debug, Clone)]
pub struct RodPose<'a> {
    /// Nodes from base to tip [m].
    pub nodes: &'a [Vector3<f64>],
    /// Upward direction of the picture at the tip: a unit vector across the tip's axis.
    pub up: Vector3<f64>,
    /// A position to mark [m].
    pub target: Option<Vector3<f64>>,
}

/// A compiled scene of a rod in a lumen.
#[derive(Debug)]
pub struct RodScene {
    scene: CompiledScene,
    /// Nodes at which one capsule ends and the next one begins.
    joints: Vec<usize>,
    radius: f64,
    carrier: Option<Carrier>,
}

impl RodScene {
    /// Compiles the scene.
    ///
    /// # Errors
    /// [`SimError::Mjcf`] and [`SimError::Compile`] if the scene cannot be drawn.
    pub fn new(description: &RodSceneDescription<'_>) -> Result<Self, SimError> {
        let stride = description.n_nodes.saturating_sub(2) / MAX_SEGMENTS + 1;
        let mut joints: Vec<usize> = (0..description.n_nodes).step_by(stride).collect();
        if joints.last() != Some(&(description.n_nodes - 1)) {
            joints.push(description.n_nodes - 1);
        }
        let xml = mjcf::xml(description, joints.len() - 1);
        let mut mjcf = Mjcf::read_str(&xml, "rod", &ReadOptions::default())?;
        if let Some((robot, _)) = &description.carrier {
            carrier::attach(&mut mjcf, robot)?;
        }
        let scene = CompiledScene::compile(&mjcf)?;
        let carrier = match &description.carrier {
            Some((robot, _)) => Some(Carrier::new(&scene, robot)?),
            None => None,
        };
        Ok(Self {
            scene,
            joints,
            radius: description.radius,
            carrier,
        })
    }

    /// The compiled scene.
    pub fn compiled(&self) -> &CompiledScene {
        &self.scene
    }

    /// A state for [`RodScene::show`].
    ///
    /// # Errors
    /// [`SimError`] if there is no memory for the state.
    pub fn physics(&self) -> Result<Physics, SimError> {
        Physics::from_scene(&self.scene)
    }

    /// Shows a moment; if the arm cannot reach the base, it stays where it is.
    pub fn show(&self, physics: &mut Physics, pose: &RodPose<'_>) {
        if let Some(carrier) = &self.carrier {
            carrier.follow(physics, pose.nodes);
        }
        let data = physics.data_mut();
        let along = |from: usize, to: usize| {
            let direction = pose.nodes[to] - pose.nodes[from];
            direction.try_normalize(1e-12).unwrap_or_else(Vector3::z)
        };
        for (capsule, ends) in self.joints.windows(2).enumerate() {
            let middle = (pose.nodes[ends[0]] + pose.nodes[ends[1]]) / 2.0;
            let turn = UnitQuaternion::rotation_between(&Vector3::z(), &along(ends[0], ends[1]));
            let turn = turn.unwrap_or_else(|| {
                UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI)
            });
            data.mocap_pos_mut()[capsule] = middle.into();
            data.mocap_quat_mut()[capsule] = [turn.w, turn.i, turn.j, turn.k];
        }
        // Bodies after the capsules: tip, mark, eye.
        let n_capsules = self.joints.len() - 1;
        let last = pose.nodes.len() - 1;
        let ahead = along(last - 1, last);
        let turn = UnitQuaternion::face_towards(&-ahead, &pose.up);
        data.mocap_pos_mut()[n_capsules] = (pose.nodes[last] + ahead * self.radius).into();
        data.mocap_quat_mut()[n_capsules] = [turn.w, turn.i, turn.j, turn.k];
        data.mocap_pos_mut()[n_capsules + 1] = pose.target.map_or(AWAY, Into::into);
        data.mocap_pos_mut()[n_capsules + 2] = pose.nodes[last].into();
        physics.forward();
    }
}
