//! The surfaces of a probe that nothing holds.

use insonate_models::mjcf::Mjcf;
use insonate_models::probes::Probe;
use insonate_sim::readings::ProbeFrame;
use insonate_sim::{CompiledScene, Physics, VisibleSurface, visible_surfaces};
use nalgebra::Vector3;

use super::ExperimentError;

/// Prefix of the probe's names, as in a scene.
const PREFIX: &str = "probe/";

/// Surfaces of a probe and its holder in the frame of the face [m]: +x along the array, +z out of the probe.
///
/// # Errors
/// [`ExperimentError::Model`] and [`ExperimentError::Sim`] if the probe's model cannot be compiled.
pub fn probe_surfaces(probe: &Probe) -> Result<Vec<VisibleSurface>, ExperimentError> {
    let mut scene = Mjcf::new("probe");
    scene
        .attach("world", probe.mjcf.clone(), PREFIX)
        .map_err(insonate_models::ModelError::from)?;
    let compiled = CompiledScene::compile(&scene)?;
    let mut physics = Physics::from_scene(&compiled)?;
    physics.forward();
    let face = ProbeFrame::new(physics.model())?.world_from_probe(&physics);
    let mut surfaces = visible_surfaces(&compiled, &physics, "torso/")?;
    for surface in &mut surfaces {
        let mesh = std::mem::take(&mut surface.mesh);
        surface.mesh = mesh.map(|point| {
            let offset = Vector3::from(point) - face.position;
            face.rotation.inverse_transform_vector(&offset).into()
        });
    }
    Ok(surfaces)
}
