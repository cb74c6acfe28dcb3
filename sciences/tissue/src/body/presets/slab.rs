//! A slab of skin, fat and muscle.

use super::trunk_layers;
use crate::body::{Region, Roi, Solid, TissueBody};

/// A slab, 0.12 × 0.12 × 0.04 m, with a fixed lower side: skin on top, fat below it, muscle in the rest.
pub fn slab() -> TissueBody {
    let half = [0.06, 0.06, 0.02];
    let [skin, fat, mut muscle, _] = trunk_layers();
    muscle.thickness = f64::INFINITY;
    let top = |from: f64, to: f64| Roi::Cuboid {
        low: [-half[0], -half[1], half[2] - to],
        high: [half[0], half[1], half[2] - from],
    };
    let skin_depth = skin.thickness;
    let regions = [
        (fat, skin_depth, skin_depth + 0.012),
        (skin, 0.0, skin_depth),
    ];
    // The layers lie below the upper side only, so regions describe them.
    let regions = regions.map(|(layer, from, to)| Region {
        name: layer.name,
        place: top(from, to),
        material: layer.material,
    });
    TissueBody {
        name: "slab".into(),
        position: [0.0; 3],
        solid: Solid::Cuboid { half },
        layers: vec![muscle],
        regions: regions.into(),
        fixed: vec![Roi::HalfSpace {
            point: [0.0, 0.0, -half[2] + 0.002],
            normal: [0.0, 0.0, 1.0],
        }],
        attachments: Vec::new(),
    }
}
