//! Strain and stress of a torso's tissue at one time.

use insonate_sim::Pose;
use insonate_tissue::TissueStress;
use serde::Serialize;

/// Strain and stress of a torso's tissue, and where the probe was.
#[derive(Clone, Debug)]
pub struct StressRecord {
    /// Strain and stress of the elements.
    pub stress: TissueStress,
    /// The face of the probe in world: x along the array, z out of it.
    pub world_from_probe: Pose,
}

/// Largest values of all elements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StressFigures {
    /// Von Mises stress [Pa].
    pub von_mises_max_pa: f64,
    /// Largest principal strain: the greatest stretch, minus 1.
    pub principal_strain_max: f64,
    /// Smallest principal strain: the strongest compression, negative.
    pub principal_strain_min: f64,
}

impl StressRecord {
    /// The largest values.
    pub fn figures(&self) -> StressFigures {
        let strains = &self.stress.principal_strains;
        StressFigures {
            von_mises_max_pa: self.stress.von_mises().into_iter().fold(0.0, f64::max),
            principal_strain_max: strains.iter().map(|it| it[0]).fold(0.0, f64::max),
            principal_strain_min: strains.iter().map(|it| it[2]).fold(0.0, f64::min),
        }
    }
}
