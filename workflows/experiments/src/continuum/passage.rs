//! A lumen with its entry, wall and centre lines for an insertion.

use std::path::Path;
use std::sync::Arc;

use insonate_continuum::lumen::{
    AirwayDepth, CentreLine, MeshLumen, TPhantom, TubeNetwork, bronchial_tree,
};
use insonate_continuum::{ContinuumError, Lumen};
use insonate_meshes::TriangleMesh;
use insonate_settings::SettingError;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};

/// Depth of the rod's entry below the highest point of a user's mesh, as a share of the mesh's height.
const ENTRY_DEPTH: f64 = 0.03;

/// Width of the cells from which meshes of tube networks are made [m].
const CELL_WIDTH: f64 = 1e-3;

/// A lumen with its entry and its wall.
#[derive(Clone)]
pub struct Passage {
    /// The lumen with which the rod is in contact.
    pub lumen: Arc<dyn Lumen>,
    /// The wall for pictures; triangles face out of the free space.
    pub wall: TriangleMesh,
    /// Unit normals at the wall's vertices.
    pub normals: Vec<[f64; 3]>,
    /// Pose of the introducer's mouth; x points into the lumen.
    pub world_from_mouth: Isometry3<f64>,
    /// The tubes of the lumen; `None` if it is a mesh.
    pub network: Option<Arc<TubeNetwork>>,
}

impl Passage {
    /// The T-shaped lumen.
    ///
    /// # Errors
    /// [`ContinuumError`] if a built-in size is out of range.
    pub fn t() -> Result<Self, ContinuumError> {
        Self::of_network(TPhantom::default().network()?, 2.0 * CELL_WIDTH)
    }

    /// The bronchial tree, down to the subsegmental bronchi.
    ///
    /// # Errors
    /// The errors of [`t`](Self::t).
    pub fn tree() -> Result<Self, ContinuumError> {
        Self::of_network(bronchial_tree(AirwayDepth::Subsegmental)?, CELL_WIDTH)
    }

    fn of_network(network: TubeNetwork, cell_width: f64) -> Result<Self, ContinuumError> {
        let wall = network.mesh(cell_width)?;
        let root = &network.branches()[0];
        Ok(Self {
            normals: network.wall_normals(&wall),
            wall,
            world_from_mouth: facing(root.start, root.direction()),
            lumen: Arc::new(network.clone()),
            network: Some(Arc::new(network)),
        })
    }

    /// The inside of a mesh file whose lengths are in units of `unit` [m]. Without an entry (position, direction) the rod enters from
    /// above.
    ///
    /// # Errors
    /// [`ContinuumError`] with the file's name if it is not a closed mesh, or if the entry is outside of it.
    pub fn from_file(
        path: &Path,
        unit: f64,
        entry: Option<(Vector3<f64>, Vector3<f64>)>,
    ) -> Result<Self, ContinuumError> {
        let lumen = MeshLumen::read(path, unit)?;
        let wall = lumen.mesh().clone();
        let (place, direction) = if let Some(entry) = entry {
            entry
        } else {
            let [low, high] = wall.bounds();
            let depth = ENTRY_DEPTH * (high[2] - low[2]);
            (lumen.entry_from_above(depth)?, -Vector3::z())
        };
        let is_inside = place.iter().all(|x| x.is_finite()) && lumen.clearance(&place) > 0.0;
        let length = direction.norm();
        if !is_inside || !(1e-9..1e9).contains(&length) {
            let (place, direction): ([f64; 3], [f64; 3]) = (place.into(), direction.into());
            let allowed = "a place inside the mesh [m], and a direction";
            return Err(SettingError::new("entry", (place, direction), allowed).into());
        }
        Ok(Self {
            normals: wall.vertex_normals(),
            wall,
            world_from_mouth: facing(place, direction),
            lumen: Arc::new(lumen),
            network: None,
        })
    }

    /// The centre line to the end of a tube.
    ///
    /// # Errors
    /// [`ContinuumError`] with a list of the ends if the name is unknown, or if there are no tubes.
    pub fn line_to(&self, name: &str) -> Result<CentreLine, ContinuumError> {
        let none = Vec::new();
        let branches = self.network.as_ref().map_or(&none[..], |n| n.branches());
        let found = branches.iter().position(|branch| branch.name == name);
        if let (Some(network), Some(branch)) = (&self.network, found) {
            return Ok(network.centre_line(branch));
        }
        let names: Vec<&str> = branches.iter().map(|branch| branch.name.as_str()).collect();
        let allowed = if names.is_empty() {
            "left out: this lumen has no named branches".to_owned()
        } else {
            format!("one of {}", names.join(", "))
        };
        Err(SettingError::new("target", name, allowed).into())
    }
}

/// A pose whose x axis points in a direction.
fn facing(place: Vector3<f64>, direction: Vector3<f64>) -> Isometry3<f64> {
    let turn = UnitQuaternion::rotation_between(&Vector3::x(), &direction);
    let about_z = || UnitQuaternion::from_axis_angle(&Vector3::z_axis(), std::f64::consts::PI);
    Isometry3::from_parts(place.into(), turn.unwrap_or_else(about_z))
}
