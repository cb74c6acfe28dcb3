//! A soft torso as a value.

use insonate_meshes::TriangleMesh;

use super::config::TorsoConfig;
use crate::mjcf::Mjcf;

/// A soft torso: its MJCF and further data.
///
/// Its frame: origin at the centre of its footprint, the table's top at z = 0, +z up, +y along the patient, towards the head.
#[derive(Clone, Debug, PartialEq)]
pub struct Torso {
    /// Name of the kind, such as `composite`.
    pub name: &'static str,
    /// The model. Its root body is called `torso`, and its `option` contains the settings that the torso needs to be stable.
    pub mjcf: Mjcf,
    /// The skin at rest, in the torso's frame.
    pub surface: TriangleMesh,
    /// Upper limit of the physics time step at which the torso is stable [s].
    pub max_timestep: f64,
    /// Number of position coordinates of the torso; all are zero at rest.
    pub n_qpos: usize,
    /// Configuration of the torso.
    pub config: TorsoConfig,
}
