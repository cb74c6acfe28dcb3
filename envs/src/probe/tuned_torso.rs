//! Conversion from a softness file, which `calibration` reads, to the values of a scene, which `models` builds.

use insonate_calibration::softness::SceneEntry;
use insonate_models::TunedTorso;
use insonate_models::torsos::Softness;

/// The tuned torso of an entry of `softness.toml`, with its lattice.
pub fn tuned_torso(entry: &SceneEntry) -> TunedTorso {
    TunedTorso {
        softness: Softness {
            stiffness: entry.stiffness,
            damping: entry.damping,
        },
        parameters: entry.parameters.clone(),
        shape: entry.shape.clone(),
        count: entry.count,
        spacing: entry.spacing,
        soft_layers: entry.soft_layers,
        gives_lattice: true,
    }
}
