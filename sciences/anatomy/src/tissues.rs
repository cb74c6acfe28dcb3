//! Tissues of classes, by name.

use insonate_settings::similar;
use serde::Deserialize;

use crate::AnatomyError;

/// The table that comes with the program.
const OWN: &str = include_str!("tissues.toml");

/// How a tissue behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TissueKind {
    /// It gives way.
    Soft,
    /// Blood, bile or urine.
    Fluid,
    /// Bone and cartilage, which do not give way.
    Rigid,
    /// Lungs and airways, which sound does not pass.
    Gas,
    /// The whole body or a part of it, which contains other classes.
    Body,
}

/// A tissue.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are independent of each other"
)]
pub struct Tissue {
    /// Its name.
    pub name: String,
    /// Name of its material in ultrasound images.
    pub material: String,
    /// How it behaves.
    pub kind: TissueKind,
    /// Whether its classes are expected to lie within a scan of the trunk as a whole: an organ, but not a muscle or a vessel.
    #[serde(default)]
    pub is_whole: bool,
    /// Whether its classes lie between others everywhere, as fat does: they have no surface of their own.
    #[serde(default)]
    pub is_layer: bool,
    /// Whether it may hold gas, as bowel does: a CT shows where.
    #[serde(default)]
    pub holds_gas: bool,
    /// Whether a CT tells its dense parts from its spongy ones.
    #[serde(default)]
    pub is_spongy: bool,
    /// Young's modulus at small strain [kPa]; `None`: that of soft tissue on average.
    #[serde(default)]
    pub modulus_kpa: Option<f64>,
    /// Names of its classes; a name may end in `*`.
    pub classes: Vec<String>,
    /// Names of those of its classes that are a part of the body without the trunk.
    #[serde(default)]
    pub partial: Vec<String>,
}

/// Tissues by the names of their classes.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tissues {
    tissue: Vec<Tissue>,
}

impl Tissues {
    /// The table that comes with the program, for the classes of TotalSegmentator and of the maps of `insonate-volumes`.
    ///
    /// # Errors
    /// [`AnatomyError::Table`]: the table is wrong.
    pub fn standard() -> Result<Self, AnatomyError> {
        Self::parse(OWN)
    }

    /// Reads a table in TOML, as `tissues.toml` of this crate.
    ///
    /// # Errors
    /// [`AnatomyError::Table`] names the tissue or the field.
    pub fn parse(text: &str) -> Result<Self, AnatomyError> {
        let wrong = |problem: String| AnatomyError::Table(problem);
        let table: Self = toml::from_str(text).map_err(|error| wrong(error.to_string()))?;
        let patterns = table.tissue.iter();
        let patterns =
            patterns.flat_map(|tissue| tissue.classes.iter().map(move |own| (own, tissue)));
        for (pattern, tissue) in patterns {
            let stem = pattern.strip_suffix('*').unwrap_or(pattern);
            if stem.is_empty() || stem.contains('*') {
                let name = &tissue.name;
                return Err(wrong(format!(
                    "{name}: a class is {pattern:?}; it must be a name, which may end in *"
                )));
            }
        }
        Ok(table)
    }

    /// The tissues, in the order of the table.
    pub fn all(&self) -> &[Tissue] {
        &self.tissue
    }

    /// Tissue of a class. A full name goes before a name that ends in `*`, and a long one before a short one.
    pub fn of(&self, class: &str) -> Option<&Tissue> {
        let length = |pattern: &String| match pattern.strip_suffix('*') {
            Some(start) => class.starts_with(start).then_some(start.len()),
            None => (class == pattern).then_some(usize::MAX),
        };
        let best = |tissue: &Tissue| tissue.classes.iter().filter_map(length).max();
        let found = self
            .tissue
            .iter()
            .filter_map(|tissue| Some((best(tissue)?, tissue)));
        found
            .max_by_key(|(length, _)| *length)
            .map(|(_, tissue)| tissue)
    }

    /// Whether a class is the body with its whole trunk.
    pub fn is_trunk(&self, class: &str) -> bool {
        self.of(class).is_some_and(|own| {
            own.kind == TissueKind::Body && !own.partial.iter().any(|part| part == class)
        })
    }

    /// The known class whose name is most similar to an unknown one.
    pub fn similar(&self, class: &str) -> Option<&str> {
        let known = self.tissue.iter().flat_map(|tissue| &tissue.classes);
        let known = known
            .map(String::as_str)
            .filter(|name| !name.ends_with('*'));
        similar(class, known).into_iter().next()
    }
}
