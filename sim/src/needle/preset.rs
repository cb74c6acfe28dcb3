//! Tissues that a needle passes, with the sources of their numbers.

use insonate_needle::Layer;
use insonate_settings::SettingError;

use super::block::BlockLayer;

/// Toughness [J/m²]: bovine liver, 164 ± 6 over four diameters (Gokgol, Basdogan and Canadinc 2012,
/// doi:10.1016/j.medengphy.2011.09.030). Other tissues take the same value, because no published one was read.
const TOUGHNESS: f64 = 164.0;

/// Friction [N/m]: the middle of 35 to 59, the slope of force over depth from skin to kidney on cadavers (doi:10.1089/end.2016.0342). All
/// tissues take the same value, because the measurement does not separate them.
const FRICTION: f64 = 47.0;

/// Source of toughness and friction of every tissue.
pub const RESISTANCE: &str = "toughness of bovine liver (Gokgol 2012), friction of the whole way from skin to kidney \
                                     (doi:10.1089/end.2016.0342), taken for all tissues";

/// Force that breaks the skin [N]: 2.75 to 2.80 (the same measurement).
const SKIN_PUNCTURE: f64 = 2.75;

/// Young's modulus of skin [Pa]. A needle stretches the skin around its tip, so it is that of torsion in the plane of the skin of living
/// adults (Agache et al. 1980, doi:10.1007/BF00406415, by other authors' citation; reviews list 5 kPa to 140 MPa over all methods), and not
/// that of compression.
const SKIN: f64 = 4.2e5;

const SKIN_SOURCE: &str = "torsion in the plane of the skin in vivo (Agache 1980, cited by others)";

/// A tissue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Preset {
    /// Name.
    pub name: &'static str,
    /// Young's modulus [Pa].
    pub young_modulus: f64,
    /// Source of the modulus.
    pub source: &'static str,
    /// Whether no needle enters it.
    pub is_bone: bool,
    /// Colour in pictures.
    pub color: [u8; 3],
    /// Material in B-mode pictures.
    pub sound: &'static str,
}

/// A soft tissue.
const fn soft(
    name: &'static str,
    young_modulus: f64,
    source: &'static str,
    color: [u8; 3],
    sound: &'static str,
) -> Preset {
    Preset {
        name,
        young_modulus,
        source,
        is_bone: false,
        color,
        sound,
    }
}

const ELASTOGRAPHY: &str = "three times the shear modulus of magnetic resonance elastography";

impl Preset {
    /// All tissues.
    pub const ALL: [Self; 6] = [
        soft("skin", SKIN, SKIN_SOURCE, [224, 172, 140], "skin"),
        soft("fat", 6e3, "assumed", [244, 222, 150], "fat"),
        soft("muscle", 1.01e4, ELASTOGRAPHY, [190, 90, 84], "muscle"),
        soft("liver", 6.3e3, ELASTOGRAPHY, [140, 62, 52], "liver"),
        soft(
            "kidney",
            5.4e3,
            ELASTOGRAPHY,
            [168, 84, 96],
            "kidney cortex",
        ),
        Preset {
            is_bone: true,
            ..soft(
                "bone",
                1e6,
                "assumed: stiffer than all soft tissue",
                [236, 232, 220],
                "bone",
            )
        },
    ];

    /// The tissue of a name.
    ///
    /// # Errors
    /// [`SettingError`] that lists all names.
    pub fn by_name(name: &str) -> Result<Self, SettingError> {
        let found = Self::ALL.into_iter().find(|preset| preset.name == name);
        found.ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|preset| preset.name).collect();
            SettingError::new("layer", name, format!("one of {}", names.join(", ")))
        })
    }

    /// A layer of the tissue of a thickness [m]. `is_whole`: the outermost layer must be broken; otherwise a nick opens it.
    pub fn layer(&self, thickness: f64, is_whole: bool) -> BlockLayer {
        let resistance = if self.is_bone {
            Layer::bone(self.name)
        } else {
            Layer {
                puncture_force: if is_whole { SKIN_PUNCTURE } else { 0.0 },
                ..Layer::soft(self.name, TOUGHNESS, FRICTION)
            }
        };
        BlockLayer {
            thickness,
            young_modulus: self.young_modulus,
            resistance,
        }
    }
}
