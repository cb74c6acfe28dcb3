//! Test blocks with several tissues.

use super::Block;
use crate::material::{BONE, FAT, GEL, MUSCLE, Material, SKIN, SOFT_TISSUE, URINE};

impl Block {
    /// Soft tissue that does not attenuate.
    pub fn tissue_without_loss() -> Self {
        Self::uniform(Material {
            attenuation: 0.0,
            ..SOFT_TISSUE
        })
    }

    /// Soft tissue that does not attenuate, with a rod of bone of a radius on the axis, whose top is at a depth [m].
    pub fn bone_rod(top: f32, radius: f32) -> Self {
        Self::tissue_without_loss().with_rod(BONE, [0.0, top + radius], radius)
    }

    /// Anechoic cysts above, inclusions of −9, −6, −3, 3, 6 dB below, and wires down the middle, for a picture of depth `shown` [m].
    pub fn cysts(shown: f32) -> Self {
        let fluid = Material {
            speed_of_sound: SOFT_TISSUE.speed_of_sound,
            density: SOFT_TISSUE.density,
            ..URINE
        };
        let mut block = Self::uniform(SOFT_TISSUE);
        for (place, radius) in [(-0.27, 0.05), (-0.14, 0.035), (0.14, 0.025), (0.27, 0.015)] {
            block = block.with_rod(fluid, [place * shown, 0.35 * shown], radius * shown);
        }
        for (place, step) in [
            (-0.3, -9.0),
            (-0.15, -6.0),
            (0.0, -3.0),
            (0.15, 3.0),
            (0.3, 6.0),
        ] {
            let inclusion = Material {
                backscatter: step,
                ..SOFT_TISSUE
            };
            block = block.with_rod(inclusion, [place * shown, 0.68 * shown], 0.055 * shown);
        }
        let depths: Vec<f32> = (1..9).map(|n| 0.1 * n as f32 * shown).collect();
        let wires = Self::points(&depths, SOFT_TISSUE.speed_of_sound, 0.0).scatterers;
        block.scatterers = wires
            .into_iter()
            .filter(|wire| (wire.rest.z - 0.7 * shown).abs() > 0.06 * shown)
            .collect();
        block
    }

    /// An intercostal window: gel, skin, fat, muscle, and two ribs over soft tissue, for a picture of depth `shown` [m].
    pub fn intercostal(shown: f32) -> Self {
        let ends = [0.0, 0.002, 0.014, 0.034];
        let [gel, skin, fat, muscle] = ends;
        Self::layers(&[
            (GEL, gel),
            (SKIN, skin),
            (FAT, fat),
            (MUSCLE, muscle),
            (SOFT_TISSUE, shown),
        ])
        .with_rod(BONE, [-0.014, 0.026], 0.005)
        .with_rod(BONE, [0.014, 0.026], 0.005)
    }
}
