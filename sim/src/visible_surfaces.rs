//! The rigid surfaces that a camera sees, as meshes.

use insonate_meshes::TriangleMesh;
use mujoco_rs::wrappers::mj_model::{MjModel, MjtGeomBase};
use nalgebra::Vector3;

use crate::names::{self, ObjectType};
use crate::render_state::RenderState;
use crate::{CompiledScene, Physics, Pose, SimError};

/// Groups of geoms that MuJoCo draws unless told otherwise.
const SHOWN_GROUPS: std::ops::Range<i32> = 0..3;
/// Sides of round geoms.
const N_SIDES: u32 = 32;
/// Subdivisions of the icosahedron of a ball.
const N_SUBDIVISIONS: u32 = 3;

/// A surface of a geom in the world.
#[derive(Clone, Debug)]
pub struct VisibleSurface {
    /// Name of the geom's body; empty for the world.
    pub body: String,
    /// The surface [m].
    pub mesh: TriangleMesh,
    /// Red, green, blue (sRGB) and opacity, 0 to 1.
    pub color: [f32; 4],
    /// Whether it is round: meshes and boxes are not.
    pub is_smooth: bool,
}

/// The geoms of a scene that MuJoCo draws by default (groups 0 to 2) as meshes in the world, without planes, height fields and soft bodies.
/// Bodies whose names start with `left_out` are left out.
///
/// # Errors
/// [`SimError::Allocation`].
///
/// # Panics
/// If the physics belongs to another scene.
pub fn visible_surfaces(
    scene: &CompiledScene,
    physics: &Physics,
    left_out: &str,
) -> Result<Vec<VisibleSurface>, SimError> {
    let mut state = RenderState::new(scene)?;
    state.follow(physics);
    let (model, data) = (scene.visual_model(), state.data());
    let surfaces = (0..model.ffi().ngeom as usize).filter_map(|geom| {
        let body = names::name_of(model, ObjectType::Body, model.geom_bodyid()[geom] as usize);
        let color = color(model, geom);
        let is_shown = SHOWN_GROUPS.contains(&model.geom_group()[geom]) && color[3] > 0.0;
        if !is_shown || body.starts_with(left_out) {
            return None;
        }
        let (mesh, is_smooth) = surface(model, geom)?;
        let pose = Pose::from_matrix(data.geom_xpos()[geom], data.geom_xmat()[geom]);
        let mesh = mesh.map(|point| pose.transform(&Vector3::from(point)).into());
        Some(VisibleSurface {
            body: body.to_owned(),
            mesh,
            color,
            is_smooth,
        })
    });
    Ok(surfaces.collect())
}

/// Colour of a geom: of its material, if it has one.
fn color(model: &MjModel, geom: usize) -> [f32; 4] {
    match usize::try_from(model.geom_matid()[geom]) {
        Ok(material) => model.mat_rgba()[material],
        Err(_) => model.geom_rgba()[geom],
    }
}

/// Surface of a geom in its own frame, and whether it is round.
fn surface(model: &MjModel, geom: usize) -> Option<(TriangleMesh, bool)> {
    let [a, b, c] = model.geom_size()[geom];
    let kind = model.geom_type()[geom] as u32;
    let is = |other: MjtGeomBase| kind == other as u32;
    if is(MjtGeomBase::mjGEOM_SPHERE) {
        Some((TriangleMesh::ellipsoid([a; 3], N_SUBDIVISIONS), true))
    } else if is(MjtGeomBase::mjGEOM_ELLIPSOID) {
        Some((TriangleMesh::ellipsoid([a, b, c], N_SUBDIVISIONS), true))
    } else if is(MjtGeomBase::mjGEOM_CAPSULE) {
        Some((capsule(a, b), true))
    } else if is(MjtGeomBase::mjGEOM_CYLINDER) {
        Some((TriangleMesh::cylinder(a, b, N_SIDES), false))
    } else if is(MjtGeomBase::mjGEOM_BOX) {
        Some((TriangleMesh::cuboid([a, b, c]), false))
    } else if is(MjtGeomBase::mjGEOM_MESH) {
        Some((mesh_of_geom(model, geom), false))
    } else {
        None
    }
}

/// A capsule along z: the halves of a ball, moved apart. The ball has vertices on its equator, so that the triangles between them are the wall.
fn capsule(radius: f64, half_length: f64) -> TriangleMesh {
    TriangleMesh::ellipsoid([radius; 3], N_SUBDIVISIONS)
        .map(|[x, y, z]| [x, y, z + half_length * if z < 0.0 { -1.0 } else { 1.0 }])
}

/// Mesh of a geom in the geom's frame.
pub(crate) fn mesh_of_geom(model: &MjModel, geom: usize) -> TriangleMesh {
    let mesh = model.geom_dataid()[geom] as usize;
    let first = model.mesh_vertadr()[mesh] as usize;
    let vertices = first..first + model.mesh_vertnum()[mesh] as usize;
    let first = model.mesh_faceadr()[mesh] as usize;
    let faces = first..first + model.mesh_facenum()[mesh] as usize;
    TriangleMesh {
        positions: model.mesh_vert()[vertices]
            .iter()
            .map(|v| v.map(f64::from))
            .collect(),
        triangles: model.mesh_face()[faces]
            .iter()
            .map(|f| f.map(|i| i as u32))
            .collect(),
    }
}
