//! The map of `softness.toml` on the torso of a scene.

use std::path::Path;

use insonate::calibration::softness::SoftnessFile;
use insonate::models::torsos::{self, TorsoConfig};
use insonate::models::{ModelError, Scene};
use insonate::report::softness_field;

use super::Usage;

/// Lets the softness of the scene's torso vary as the file's map of stiffness does, and says so on standard error.
pub(crate) fn apply(scene: &mut Scene, path: &Path, origin: [f64; 3]) -> anyhow::Result<()> {
    let file = SoftnessFile::read(path)?;
    let shown = path.display();
    let Some(torso) = &scene.torso else {
        return Ok(());
    };
    let Some(map) = file.map.get("stiffness") else {
        if !file.map.is_empty() {
            eprintln!(
                "note: {shown} has maps of {}, but none of stiffness; torso {} has one softness",
                file.map.keys().cloned().collect::<Vec<_>>().join(" and "),
                torso.name
            );
        }
        return Ok(());
    };
    let pooled = "give --pooled for one softness over the whole torso";
    let kind = torsos::by_name(torso.name)?;
    if !kind.takes_field {
        let able = torsos::ALL.iter().filter(|kind| kind.takes_field);
        let able: Vec<&str> = able.map(|kind| kind.name).collect();
        return Err(Usage::new(ModelError::Conflict(format!(
            "{shown} has a map of stiffness, and the softness of a {} torso cannot vary over its skin; choose --torso {}, or {pooled}",
            torso.name,
            able.join("|")
        )))
        .into());
    }
    let reference = file.pooled.get("stiffness").map_or_else(
        || {
            let values: Vec<f64> = map.value.iter().flatten().copied().collect();
            values.iter().sum::<f64>() / values.len() as f64
        },
        |entry| entry.mean,
    );
    let field = softness_field::of_map(map, reference, scene, origin)
        .map_err(|problem| anyhow::anyhow!("{shown}: map.stiffness: {problem}; give the origin of the logs' frame in the world by --map-origin X,Y,Z, or {pooled}"))?;
    let factors = field.factor.iter().flatten().copied();
    let [low, high] = factors.fold([f64::INFINITY, 0.0], |[low, high]: [f64; 2], factor| {
        [low.min(factor), high.max(factor)]
    });
    let config = TorsoConfig {
        field: Some(field),
        ..torso.config.clone()
    };
    eprintln!(
        "note: the softness of torso {} varies over the skin as [map.stiffness] of {shown}: {:.2} to {:.2} times the pooled one, damping in the same ratio",
        torso.name, low, high
    );
    let torso = (kind.build)(&config).map_err(|error| {
        Usage::new(ModelError::Conflict(format!(
            "{shown}: map.stiffness: {error}; or {pooled}"
        )))
    })?;
    scene.torso = Some(torso);
    Ok(())
}
