//! Materials of labels, from a user's TOML file.
//!
//! ```toml
//! outside = "air"
//! body = "soft tissue"
//! [labels]
//! 1 = "liver"
//! 2 = { name = "tumour", like = "liver", backscatter = -6 }
//! 3 = { speed_of_sound = 1560, density = 1060, attenuation = 0.5, backscatter = -3 }
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use insonate_settings::check_range;
use serde::Deserialize;

use crate::UltrasoundError;
use crate::material::{self, AIR, Material, SOFT_TISSUE};

/// Longest file [bytes].
const MAX_BYTES: u64 = 1 << 20;
/// Largest number of labels: with the surroundings, the largest number of materials of a phantom.
const MAX_LABELS: usize = 254;
/// Longest name [bytes].
const MAX_NAME: usize = 64;

/// Materials of labels.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialTable {
    /// Material around the volume.
    pub outside: Material,
    /// Material of the body where it has no label.
    pub body: Material,
    /// Materials by label.
    pub labels: BTreeMap<i64, Material>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    outside: Option<toml::Value>,
    body: Option<toml::Value>,
    labels: BTreeMap<String, toml::Value>,
}

/// A user's own material.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UserMaterial {
    name: Option<String>,
    like: Option<String>,
    speed_of_sound: Option<f64>,
    density: Option<f64>,
    attenuation: Option<f64>,
    attenuation_power: Option<f64>,
    backscatter: Option<f64>,
}

impl MaterialTable {
    /// Reads a file.
    ///
    /// # Errors
    /// [`UltrasoundError::File`] names the label and the field.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, UltrasoundError> {
        let path = path.as_ref();
        let refuse = |problem: String| UltrasoundError::file(&path.display(), problem);
        let file = std::fs::File::open(path).map_err(|error| refuse(error.to_string()))?;
        let mut text = String::new();
        let read = file.take(MAX_BYTES + 1).read_to_string(&mut text);
        read.map_err(|error| refuse(error.to_string()))?;
        if text.len() as u64 > MAX_BYTES {
            return Err(refuse(format!("is longer than {MAX_BYTES} bytes")));
        }
        Self::from_text(&text).map_err(refuse)
    }

    /// Reads the content of a file.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn parse(text: &str) -> Result<Self, UltrasoundError> {
        let refuse = |problem| UltrasoundError::file(&"table of materials", problem);
        Self::from_text(text).map_err(refuse)
    }

    fn from_text(text: &str) -> Result<Self, String> {
        let content: Content = toml::from_str(text).map_err(|error| error.to_string())?;
        if content.labels.len() > MAX_LABELS {
            let n = content.labels.len();
            return Err(format!("has {n} labels; it must have at most {MAX_LABELS}"));
        }
        let of = |own: &Option<toml::Value>, name: &str, usual: Material| {
            let own = own.as_ref().map(|own| material(own, name));
            let own = own
                .transpose()
                .map_err(|problem| format!("{name}: {problem}"));
            Ok::<_, String>(own?.unwrap_or(usual))
        };
        let labels = content.labels.iter().map(|(label, own)| {
            let number = label.parse::<i64>();
            let number = number.map_err(|_| format!("labels.{label}: labels are whole numbers"))?;
            let named = |problem: String| format!("labels.{label}: {problem}");
            Ok((
                number,
                material(own, &format!("label {number}")).map_err(named)?,
            ))
        });
        Ok(Self {
            outside: of(&content.outside, "outside", AIR)?,
            body: of(&content.body, "body", SOFT_TISSUE)?,
            labels: labels.collect::<Result<_, String>>()?,
        })
    }
}

/// A material by name, or a user's own; `usual` is its name if none is given.
fn material(own: &toml::Value, usual: &str) -> Result<Material, String> {
    if let Some(name) = own.as_str() {
        return material::by_name(name).map_err(|error| error.to_string());
    }
    if !own.is_table() {
        return Err(format!(
            "is {own}; it must be a name, or {{ speed_of_sound, density, attenuation, backscatter }}"
        ));
    }
    let own: UserMaterial = own
        .clone()
        .try_into()
        .map_err(|error: toml::de::Error| error.message().to_owned())?;
    own.material(usual)
}

impl UserMaterial {
    fn material(&self, usual: &str) -> Result<Material, String> {
        let like = self.like.as_deref().map(material::by_name).transpose();
        let like = like.map_err(|error| error.to_string())?;
        let number = |name: &str, own: Option<f64>, like: Option<f32>, range: [f64; 2], unit| {
            let value = own.or(like.map(f64::from));
            let value = value.ok_or_else(|| format!("{name} is missing; give it, or `like`"))?;
            check_range(name, value, range, unit).map_err(|error| error.to_string())?;
            Ok::<f32, String>(value as f32)
        };
        let of = |field: fn(&Material) -> f32| like.as_ref().map(field);
        let backscatter = match self.backscatter.or(of(|m| m.backscatter).map(f64::from)) {
            Some(f64::NEG_INFINITY) => f32::NEG_INFINITY,
            other => number("backscatter", other, None, [-120.0, 40.0], "dB, or -inf")?,
        };
        let power = self
            .attenuation_power
            .or(of(|m| m.attenuation_power).map(f64::from));
        Ok(Material {
            name: lasting(self.name.as_deref().unwrap_or(usual))?,
            speed_of_sound: number(
                "speed_of_sound",
                self.speed_of_sound,
                of(|m| m.speed_of_sound),
                [100.0, 8000.0],
                "m/s",
            )?,
            density: number(
                "density",
                self.density,
                of(|m| m.density),
                [0.5, 20000.0],
                "kg/m³",
            )?,
            attenuation: number(
                "attenuation",
                self.attenuation,
                of(|m| m.attenuation),
                [0.0, 100.0],
                "dB/cm at 1 MHz",
            )?,
            attenuation_power: number(
                "attenuation_power",
                Some(power.unwrap_or(1.0)),
                None,
                [0.0, 3.0],
                "",
            )?,
            backscatter,
        })
    }
}

/// Interns a name for the lifetime of the program, as materials have static names; each name is stored once.
fn lasting(name: &str) -> Result<&'static str, String> {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    if name.is_empty() || name.len() > MAX_NAME || name.chars().any(char::is_control) {
        return Err(format!(
            "name is {:?}; it must have between 1 and {MAX_NAME} bytes of text",
            name.chars().take(MAX_NAME).collect::<String>()
        ));
    }
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return Ok(known);
    }
    let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
    names.insert(kept);
    Ok(kept)
}
