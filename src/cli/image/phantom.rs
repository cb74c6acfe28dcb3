//! What is imaged instead of a patient: test blocks, and a neck.

use clap::ValueEnum;
use insonate::ultrasound::Material;
use insonate::ultrasound::material::{BONE, FAT, GEL, MUSCLE, SKIN, SOFT_TISSUE, URINE};
use insonate::ultrasound::phantom::Block;

/// Test blocks, and a neck.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum PhantomArg {
    /// Points on the axis in a clear medium: their widths.
    Points,
    /// Uniform speckle without loss: its statistics.
    Speckle,
    /// Uniform speckle that attenuates: how fast it fades.
    Attenuation,
    /// Cysts and inclusions in tissue.
    Cysts,
    /// Skin, fat and muscle over two ribs.
    Layers,
    /// The front of the neck: thyroid, trachea and vessels of --seed.
    Neck,
}

impl PhantomArg {
    /// The block if it is one, seen to a depth of `shown` [m]; points at `depths` [m], tissue that attenuates by `alpha` [dB/(cm MHz)].
    pub(super) fn block(
        self,
        shown: f32,
        depths: &[f64],
        alpha: f64,
        speed_of_sound: f64,
    ) -> Option<Block> {
        Some(match self {
            Self::Points => {
                let depths: Vec<f32> = depths.iter().map(|&depth| depth as f32).collect();
                Block::points(&depths, speed_of_sound as f32)
            }
            Self::Speckle => Block::uniform(Material {
                attenuation: 0.0,
                ..SOFT_TISSUE
            }),
            Self::Attenuation => Block::uniform(Material {
                attenuation: alpha as f32,
                ..SOFT_TISSUE
            }),
            Self::Cysts => cysts(shown),
            Self::Layers => layers(shown),
            Self::Neck => return None,
        })
    }

    /// Whether it is there to be measured, without noise and gain.
    pub(super) fn is_bare(self) -> bool {
        matches!(self, Self::Points | Self::Speckle | Self::Attenuation)
    }
}

/// Anechoic cysts above, inclusions of −9, −6, −3, 3, 6 dB below, and wires down the middle.
fn cysts(shown: f32) -> Block {
    let fluid = Material {
        speed_of_sound: SOFT_TISSUE.speed_of_sound,
        density: SOFT_TISSUE.density,
        ..URINE
    };
    let mut block = Block::uniform(SOFT_TISSUE);
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
    let wires = Block::points(&depths, SOFT_TISSUE.speed_of_sound).scatterers;
    block.scatterers = wires
        .into_iter()
        .filter(|wire| (wire.rest.z - 0.7 * shown).abs() > 0.06 * shown)
        .collect();
    block
}

/// An intercostal window: gel, skin, fat, muscle, and two ribs over soft tissue.
fn layers(shown: f32) -> Block {
    let ends = [0.0, 0.002, 0.014, 0.034];
    let [gel, skin, fat, muscle] = ends;
    Block::layers(&[
        (GEL, gel),
        (SKIN, skin),
        (FAT, fat),
        (MUSCLE, muscle),
        (SOFT_TISSUE, shown),
    ])
    .with_rod(BONE, [-0.014, 0.026], 0.005)
    .with_rod(BONE, [0.014, 0.026], 0.005)
}
