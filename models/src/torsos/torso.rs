//! A soft torso as a value.

use insonate_meshes::TriangleMesh;

use super::config::TorsoConfig;
use crate::mjcf::Mjcf;

/// A soft torso: its MJCF and what that does not say.
///
/// Its frame: origin at the centre of its footprint, the table's top at z = 0, +z up, +y along the patient, towards the head.
#[derive(Clone, Debug, PartialEq)]
pub struct Torso {
    /// The kind's name, such as `composite`.
    pub name: &'static str,
    /// The model; its root body is called `torso`, and its `option` is what the torso needs to be stable.
    pub mjcf: Mjcf,
    /// The skin at rest, in the torso's frame.
    pub surface: TriangleMesh,
    /// The longest physics step at which the torso is stable [s].
    pub max_timestep: f64,
    /// How many position coordinates the torso has; all are zero at rest.
    pub n_qpos: usize,
    /// What it was made from.
    pub config: TorsoConfig,
}
