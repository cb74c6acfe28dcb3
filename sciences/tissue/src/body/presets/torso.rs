//! A human-like trunk in supine position.

use super::trunk_layers;
use crate::body::{Roi, Solid, TissueBody};

/// A trunk of skin, fat and muscle over organs, 0.40 × 0.30 × 0.20 m. It lies along x with the neck towards −x. Its
/// back, at z = 0, is fixed.
pub fn torso() -> TissueBody {
    TissueBody {
        name: "torso".into(),
        position: [0.0; 3],
        solid: Solid::Torso,
        layers: trunk_layers().into(),
        regions: Vec::new(),
        fixed: vec![Roi::HalfSpace {
            point: [0.0, 0.0, 0.01],
            normal: [0.0, 0.0, 1.0],
        }],
        attachments: Vec::new(),
    }
}
