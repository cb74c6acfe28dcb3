//! Acoustic materials.
//!
//! Speeds and densities are from IT'IS 4.1 as recalled, or from the simulators that name them. Attenuations follow Szabo 2004,
//! Appendix B. The strength of echoes is relative to liver, in the steps of phantoms (CIRS 040GSE).

use crate::UltrasoundError;

/// Acoustic properties of a material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Its name.
    pub name: &'static str,
    /// Speed of sound [m/s].
    pub speed_of_sound: f32,
    /// Density [kg/m³].
    pub density: f32,
    /// One-way attenuation at 1 MHz [dB/cm].
    pub attenuation: f32,
    /// Exponent of the frequency in the attenuation.
    pub attenuation_power: f32,
    /// Power of diffuse echoes relative to liver [dB]; −∞ for no echoes.
    pub backscatter: f32,
}

impl Material {
    /// Acoustic impedance [rayl].
    pub fn impedance(&self) -> f32 {
        self.speed_of_sound * self.density
    }

    /// One-way attenuation at a frequency [Hz], in nepers per metre.
    pub fn attenuation_at(&self, frequency: f64) -> f32 {
        let db_per_metre =
            100.0 * self.attenuation * (1e-6 * frequency as f32).powf(self.attenuation_power);
        db_per_metre * std::f32::consts::LN_10 / 20.0
    }

    /// Whether it is a gas: sound from tissue does not enter it.
    pub fn is_gas(&self) -> bool {
        self.impedance() < 0.2e6
    }

    /// Whether it is bone, which casts a shadow.
    pub fn is_bone(&self) -> bool {
        self.speed_of_sound > 2000.0
    }
}

const fn material(
    name: &'static str,
    [speed_of_sound, density]: [f32; 2],
    [attenuation, attenuation_power]: [f32; 2],
    backscatter: f32,
) -> Material {
    Material {
        name,
        speed_of_sound,
        density,
        attenuation,
        attenuation_power,
        backscatter,
    }
}

const NONE: f32 = f32::NEG_INFINITY;

/// Air around the body.
pub const AIR: Material = material("air", [343.0, 1.2], [1.6, 2.0], NONE);
/// Gel or water between probe and skin.
pub const GEL: Material = material("gel", [1480.0, 1000.0], [0.0022, 2.0], NONE);
/// Average soft tissue, as scanners assume it.
pub const SOFT_TISSUE: Material = material("soft tissue", [1540.0, 1050.0], [0.5, 1.0], 0.0);
/// Skin.
pub const SKIN: Material = material("skin", [1624.0, 1109.0], [0.35, 1.0], 4.0);
/// Fat below the skin and around organs.
pub const FAT: Material = material("fat", [1440.0, 911.0], [0.6, 1.0], -4.0);
/// Muscle.
pub const MUSCLE: Material = material("muscle", [1588.0, 1090.0], [0.57, 1.0], -5.0);
/// Connective tissue between muscles and around organs.
pub const FASCIA: Material = material("fascia", [1613.0, 1120.0], [0.8, 1.0], 6.0);
/// Loose tissue between muscles and vessels of the neck: half fat, half fibres.
pub const CONNECTIVE_TISSUE: Material =
    material("connective tissue", [1526.0, 1015.0], [0.7, 1.0], -1.0);
/// Thyroid gland. Sound propagates as in average soft tissue; density of ICRU 44; brighter than muscle and slightly brighter than liver
/// (Rumack & Levine 2018, *Diagnostic Ultrasound*: homogeneous echoes of medium to high level).
pub const THYROID: Material = material("thyroid", [1540.0, 1050.0], [0.5, 1.0], 2.0);
/// Liver.
pub const LIVER: Material = material("liver", [1586.0, 1079.0], [0.45, 1.05], 0.0);
/// Outer part of a kidney.
pub const KIDNEY_CORTEX: Material = material("kidney cortex", [1560.0, 1066.0], [0.5, 1.0], -3.5);
/// Pyramids within a kidney.
pub const KIDNEY_PYRAMID: Material =
    material("kidney pyramid", [1556.0, 1055.0], [0.4, 1.0], -11.0);
/// Fat and vessels in the middle of a kidney.
pub const KIDNEY_SINUS: Material = material("kidney sinus", [1480.0, 960.0], [0.7, 1.0], 5.0);
/// Spleen.
pub const SPLEEN: Material = material("spleen", [1567.0, 1089.0], [0.4, 1.1], 0.5);
/// Bowel and the tissue between organs.
pub const BOWEL: Material = material("bowel", [1560.0, 1045.0], [0.7, 1.0], 2.0);
/// Blood.
pub const BLOOD: Material = material("blood", [1578.0, 1050.0], [0.14, 1.21], -25.0);
/// Wall of vessels and gallbladder.
pub const WALL: Material = material("wall", [1590.0, 1100.0], [0.6, 1.0], 4.0);
/// Bile.
pub const BILE: Material = material("bile", [1535.0, 1020.0], [0.03, 1.5], NONE);
/// Urine.
pub const URINE: Material = material("urine", [1530.0, 1010.0], [0.02, 1.5], NONE);
/// Bone.
pub const BONE: Material = material("bone", [3515.0, 1908.0], [15.0, 0.9], 0.0);
/// Cancellous bone, within vertebrae and the ends of bones (IT'IS); the attenuation is in IT'IS's ratio to cortical bone.
pub const CANCELLOUS_BONE: Material =
    material("cancellous bone", [2118.0, 1178.0], [11.2, 0.9], 0.0);
/// Cartilage of ribs and trachea.
pub const CARTILAGE: Material = material("cartilage", [1640.0, 1100.0], [1.5, 1.0], -9.0);
/// Lung, full of gas.
pub const LUNG: Material = material("lung", [343.0, 1.2], [40.0, 1.0], NONE);

/// All materials.
pub const ALL: [Material; 23] = [
    AIR,
    GEL,
    SOFT_TISSUE,
    SKIN,
    FAT,
    MUSCLE,
    FASCIA,
    CONNECTIVE_TISSUE,
    THYROID,
    LIVER,
    KIDNEY_CORTEX,
    KIDNEY_PYRAMID,
    KIDNEY_SINUS,
    SPLEEN,
    BOWEL,
    BLOOD,
    WALL,
    BILE,
    URINE,
    BONE,
    CANCELLOUS_BONE,
    CARTILAGE,
    LUNG,
];

/// The material with a name.
///
/// # Errors
/// [`UltrasoundError::Unknown`] with the most similar name and a list of all names.
pub fn by_name(name: &str) -> Result<Material, UltrasoundError> {
    Ok(*insonate_settings::find(
        "material",
        name,
        &ALL,
        |material| material.name,
    )?)
}
