//! What is imaged instead of a patient: test blocks, and a neck.

use clap::ValueEnum;
use insonate::ultrasound::material::SOFT_TISSUE;
use insonate::ultrasound::measure::BoneRod;
use insonate::ultrasound::phantom::Block;
use insonate::ultrasound::{Material, UltrasoundError};

/// Test blocks, and a neck.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum PhantomArg {
    /// Points on the axis: their widths, and with --alpha their loss.
    Points,
    /// Uniform speckle without loss: its statistics.
    Speckle,
    /// Uniform speckle that attenuates: how fast it fades.
    Attenuation,
    /// A rod of bone in tissue without loss: its shadow.
    Rod,
    /// Cysts and inclusions in tissue.
    Cysts,
    /// Skin, fat and muscle over two ribs.
    Layers,
    /// Tissue with a ball in its middle that echoes alike: with --strain, how it is stiffer.
    Inclusion,
    /// The front of the neck: thyroid, trachea and vessels of --seed.
    Neck,
}

impl PhantomArg {
    /// The block if it is one, seen to a depth of `shown` [m]; points at `depths` [m], a medium that attenuates by `alpha` [dB/(cm MHz)];
    /// `rod` in tissue.
    ///
    /// # Errors
    /// [`UltrasoundError`] for a rod out of range.
    pub(super) fn block(
        self,
        shown: f32,
        depths: &[f64],
        alpha: f64,
        speed_of_sound: f64,
        rod: BoneRod,
    ) -> Result<Option<Block>, UltrasoundError> {
        Ok(Some(match self {
            Self::Points => {
                let depths: Vec<f32> = depths.iter().map(|&depth| depth as f32).collect();
                Block::points(&depths, speed_of_sound as f32, alpha as f32)
            }
            Self::Speckle => Block::tissue_without_loss(),
            Self::Rod => rod.block()?,
            Self::Attenuation => Block::uniform(Material {
                attenuation: alpha as f32,
                ..SOFT_TISSUE
            }),
            Self::Cysts => Block::cysts(shown),
            Self::Layers => Block::intercostal(shown),
            Self::Inclusion | Self::Neck => return Ok(None),
        }))
    }

    /// Whether it is there to be measured, without noise and gain.
    pub(super) fn is_bare(self) -> bool {
        matches!(
            self,
            Self::Points | Self::Speckle | Self::Attenuation | Self::Rod
        )
    }
}
