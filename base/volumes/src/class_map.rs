//! Names of the labels of a file: maps of known data sets, and a user's own table.
//!
//! ```toml
//! source = "where the numbers come from"
//! [classes]
//! 1 = "liver"
//! 2 = "kidney_right"
//! ```
//!
//! Maps of data sets use the names of TotalSegmentator v2, so that all further work is by name. The same number has different meanings in
//! two versions of one data set.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use insonate_settings::UnknownName;
use serde::Deserialize;

use crate::VolumeError;

/// Longest file [bytes].
const MAX_BYTES: u64 = 1 << 20;
/// Largest number of classes of a map.
const MAX_CLASSES: usize = 4096;
/// Longest name of a class [bytes].
const MAX_NAME: usize = 128;

/// A map that comes with the program.
struct KnownMap {
    name: &'static str,
    text: &'static str,
}

/// The maps of data sets.
const ALL: [KnownMap; 6] = [
    KnownMap {
        name: "total",
        text: include_str!("class_maps/total.toml"),
    },
    KnownMap {
        name: "total-v1",
        text: include_str!("class_maps/total-v1.toml"),
    },
    KnownMap {
        name: "maisi",
        text: include_str!("class_maps/maisi.toml"),
    },
    KnownMap {
        name: "btcv",
        text: include_str!("class_maps/btcv.toml"),
    },
    KnownMap {
        name: "amos",
        text: include_str!("class_maps/amos.toml"),
    },
    KnownMap {
        name: "abdomenatlas",
        text: include_str!("class_maps/abdomenatlas.toml"),
    },
];

/// Names of labels.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassMap {
    /// Where the numbers come from.
    pub source: String,
    /// Names by label.
    pub classes: BTreeMap<i64, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    #[serde(default)]
    source: String,
    classes: BTreeMap<String, String>,
}

impl ClassMap {
    /// Names of the maps that come with the program.
    pub fn known() -> impl Iterator<Item = &'static str> {
        ALL.iter().map(|map| map.name)
    }

    /// The map of a data set.
    ///
    /// # Errors
    /// [`VolumeError::Unknown`] lists the known names.
    pub fn of(name: &str) -> Result<Self, VolumeError> {
        let found = insonate_settings::find("class map", name, &ALL, |map| map.name)?;
        Self::parse(found.text)
    }

    /// A map by its name or, if there is no map of this name, from a user's TOML file.
    ///
    /// # Errors
    /// [`VolumeError::Unknown`] for a name that is neither; [`VolumeError::File`] for a wrong file, with the label.
    pub fn find(name_or_file: &str) -> Result<Self, VolumeError> {
        let path = Path::new(name_or_file);
        if Self::known().any(|name| name == name_or_file) {
            return Self::of(name_or_file);
        }
        if path.extension().is_some_and(|ending| ending == "toml") {
            return Self::read(path);
        }
        let known: Vec<&str> = Self::known().chain(["FILE.toml"]).collect();
        Err(UnknownName::new("class map", name_or_file, &known).into())
    }

    /// Reads a user's table.
    ///
    /// # Errors
    /// [`VolumeError::File`] names the label.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, VolumeError> {
        let path = path.as_ref();
        let refuse = |problem: String| VolumeError::file(&path.display(), problem);
        let file = std::fs::File::open(path).map_err(|error| refuse(error.to_string()))?;
        let mut text = String::new();
        let read = file.take(MAX_BYTES + 1).read_to_string(&mut text);
        read.map_err(|error| refuse(error.to_string()))?;
        if text.len() as u64 > MAX_BYTES {
            return Err(refuse(format!("is longer than {MAX_BYTES} bytes")));
        }
        Self::from_text(&text).map_err(refuse)
    }

    /// Reads the content of a table.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn parse(text: &str) -> Result<Self, VolumeError> {
        let refuse = |problem| VolumeError::file(&"table of classes", problem);
        Self::from_text(text).map_err(refuse)
    }

    fn from_text(text: &str) -> Result<Self, String> {
        let content: Content = toml::from_str(text).map_err(|error| error.to_string())?;
        let n = content.classes.len();
        if !(1..=MAX_CLASSES).contains(&n) {
            return Err(format!("has {n} classes; it must have 1 to {MAX_CLASSES}"));
        }
        let classes = content.classes.into_iter().map(|(label, name)| {
            let number = label.parse::<i64>().ok().filter(|number| *number > 0);
            let number = number.ok_or_else(|| {
                format!("classes.{label}: labels are whole numbers above 0; 0 is the background")
            })?;
            check_name(&name).map_err(|problem| format!("classes.{label}: {problem}"))?;
            Ok((number, name))
        });
        Ok(Self {
            source: content.source,
            classes: classes.collect::<Result<_, String>>()?,
        })
    }

    /// Label of a class.
    pub fn label(&self, name: &str) -> Option<i64> {
        let mut all = self.classes.iter();
        all.find_map(|(label, known)| (known == name).then_some(*label))
    }
}

/// Classes that contain others. In a source whose classes overlap, they lose the voxels that they share.
const ENCLOSING: [&str; 12] = [
    "body",
    "body_trunc",
    "body_extremities",
    "skin",
    "subcutaneous_fat",
    "torso_fat",
    "skeletal_muscle",
    "intermuscular_fat",
    "abdominal_cavity",
    "thoracic_cavity",
    "mediastinum",
    "pericardium",
];

/// Place of a class among those that contain others, the outermost one first; later classes are all alike.
pub(crate) fn enclosing_place(name: &str) -> usize {
    let place = ENCLOSING.iter().position(|known| *known == name);
    place.unwrap_or(ENCLOSING.len())
}

/// Checks the name of a class, which comes from a file.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let is_text = !name.trim().is_empty() && !name.chars().any(char::is_control);
    if is_text && name.len() <= MAX_NAME {
        return Ok(());
    }
    let shown: String = name.chars().take(40).collect();
    Err(format!(
        "the name of a class is {shown:?}; it must have 1 to {MAX_NAME} bytes of text"
    ))
}
