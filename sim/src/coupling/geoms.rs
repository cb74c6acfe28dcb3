//! Geoms of the robot as tools that press the tissue.

use std::sync::Arc;

use insonate_tissue::tool::{DistanceField, Shape, Tool};
use mujoco_rs::wrappers::mj_model::{MjModel, MjtGeomBase};
use nalgebra::{UnitQuaternion, Vector3};

use crate::Pose;
use crate::ffi::Data;
use crate::visible_surfaces::mesh_of_geom;

/// Bit of `contype` that collides with tissue.
const TOUCHES_TISSUE: i32 = 1;

/// Nodes of a mesh's distance field along its longest axis: a spacing of about 1 mm for a probe's face.
const FIELD_RESOLUTION: usize = 64;

/// A geom that presses tissue.
#[derive(Debug, Clone)]
pub(super) struct GeomTool {
    pub(super) geom: usize,
    pub(super) body: usize,
    /// Pose of the shape's frame in the geom's frame.
    offset: Pose,
}

/// The moving geoms of a scene that collide with tissue, each with a tool of its shape.
pub(super) fn geom_tools(model: &MjModel, friction: f64) -> Vec<(GeomTool, Tool)> {
    (0..model.ffi().ngeom as usize)
        .filter(|&geom| {
            let body = model.geom_bodyid()[geom] as usize;
            model.body_weldid()[body] != 0 && model.geom_contype()[geom] & TOUCHES_TISSUE != 0
        })
        .filter_map(|geom| {
            let (shape, offset) = shape(model, geom)?;
            let tool = Tool {
                friction,
                ..Tool::new(shape)
            };
            let body = model.geom_bodyid()[geom] as usize;
            Some((GeomTool { geom, body, offset }, tool))
        })
        .collect()
}

/// Shape of a geom and its pose in the geom's frame. A closed mesh gives its distance field; an open mesh or an ellipsoid gives its
/// bounding box. `None` for planes and height fields, which do not move.
fn shape(model: &MjModel, geom: usize) -> Option<(Shape, Pose)> {
    let [a, b, c] = model.geom_size()[geom];
    let kind = model.geom_type()[geom] as u32;
    let simple = |shape: Shape| Some((shape, Pose::default()));
    if kind == MjtGeomBase::mjGEOM_SPHERE as u32 {
        simple(Shape::Sphere { radius: a })
    } else if kind == MjtGeomBase::mjGEOM_CAPSULE as u32 {
        simple(Shape::Capsule {
            radius: a,
            half_length: b,
        })
    } else if kind == MjtGeomBase::mjGEOM_CYLINDER as u32 {
        simple(Shape::Cylinder {
            radius: a,
            half_length: b,
        })
    } else if kind == MjtGeomBase::mjGEOM_BOX as u32 {
        simple(Shape::Cuboid { half: [a, b, c] })
    } else if kind == MjtGeomBase::mjGEOM_MESH as u32
        && let Some(field) = field(model, geom)
    {
        simple(Shape::Field(Arc::new(field)))
    } else if kind == MjtGeomBase::mjGEOM_MESH as u32
        || kind == MjtGeomBase::mjGEOM_ELLIPSOID as u32
    {
        let [x, y, z, half @ ..] = model.geom_aabb()[geom];
        let offset = Pose {
            position: Vector3::new(x, y, z),
            rotation: UnitQuaternion::identity(),
        };
        Some((Shape::Cuboid { half }, offset))
    } else {
        None
    }
}

/// Distance field of a mesh geom; `None` if the mesh is not closed.
fn field(model: &MjModel, geom: usize) -> Option<DistanceField> {
    let surface = mesh_of_geom(model, geom);
    DistanceField::new(&surface.into_closed().ok()?, FIELD_RESOLUTION).ok()
}

impl GeomTool {
    /// Puts the tool where the geom is, with its velocity.
    pub(super) fn place(&self, data: &Data, tool: &mut Tool) {
        let geom = Pose::from_matrix(data.geom_xpos()[self.geom], data.geom_xmat()[self.geom]);
        tool.position = geom.transform(&self.offset.position);
        tool.rotation = geom.rotation * self.offset.rotation;
        let root = data.model().body_rootid()[self.body] as usize;
        let [wx, wy, wz, vx, vy, vz] = data.cvel()[self.body];
        let arm = tool.position - Vector3::from(data.subtree_com()[root]);
        tool.angular = Vector3::new(wx, wy, wz);
        tool.linear = Vector3::new(vx, vy, vz) + tool.angular.cross(&arm);
    }
}
