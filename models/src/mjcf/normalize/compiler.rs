//! The `compiler` settings that change how the rest of a document is read.

use crate::mjcf::{Element, Mjcf, MjcfError};

/// Source of a body's mass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum InertiaSource {
    /// Its `inertial`, or its geoms if it has none.
    Auto,
    /// Its geoms.
    Geoms,
    /// Its `inertial`; no mass if it has none.
    Inertial,
}

/// Compiler settings, with MuJoCo's defaults for those that the document does not set.
#[derive(Clone, Debug)]
pub(super) struct Compiler {
    pub(super) degrees: bool,
    pub(super) euler_sequence: [char; 3],
    pub(super) inertia_source: InertiaSource,
    /// First and last group of the geoms that contribute to inertia.
    pub(super) inertia_groups: [f64; 2],
    /// Lower bound of a body's mass [kg].
    pub(super) bound_mass: f64,
    /// Lower bound of a body's principal inertia [kg·m²].
    pub(super) bound_inertia: f64,
    pub(super) balances_inertia: bool,
    /// Mass of the whole model [kg].
    pub(super) total_mass: Option<f64>,
    pub(super) mesh_folder: String,
    pub(super) texture_folder: String,
    /// Whether file names are stripped of their folders.
    pub(super) strips_path: bool,
}

impl Compiler {
    /// The settings of a document.
    pub(super) fn of(mjcf: &Mjcf) -> Result<Self, MjcfError> {
        let none = Element::new("compiler");
        let element = mjcf.section("compiler").unwrap_or(&none);
        let text = |attribute: &str| element.text(attribute).unwrap_or_default();
        let real = |attribute: &str| element.array::<1>(attribute).map(|[real]| real);
        refuse(
            element,
            "coordinate",
            "global",
            "convert the model in an old MuJoCo first",
        )?;
        refuse(
            element,
            "fitaabb",
            "true",
            "save the model from MuJoCo first",
        )?;
        let asset_folder = text("assetdir");
        let folder = |attribute: &str| element.text(attribute).unwrap_or(asset_folder).to_owned();
        Ok(Self {
            degrees: text("angle") != "radian",
            euler_sequence: euler_sequence(element)?,
            inertia_source: match text("inertiafromgeom") {
                "true" => InertiaSource::Geoms,
                "false" => InertiaSource::Inertial,
                _ => InertiaSource::Auto,
            },
            inertia_groups: element.array("inertiagrouprange").unwrap_or([0.0, 5.0]),
            bound_mass: real("boundmass").unwrap_or(0.0),
            bound_inertia: real("boundinertia").unwrap_or(0.0),
            balances_inertia: text("balanceinertia") == "true",
            total_mass: real("settotalmass").filter(|&mass| mass > 0.0),
            mesh_folder: folder("meshdir"),
            texture_folder: folder("texturedir"),
            strips_path: text("strippath") == "true",
        })
    }
}

/// Resets the section to `angle="radian"`, and keeps `lengthrange` (settings of muscles).
pub(super) fn reset(mjcf: &mut Mjcf) {
    let length_range = mjcf
        .section("compiler")
        .and_then(|compiler| compiler.child("lengthrange"))
        .cloned();
    let compiler = mjcf.section_mut("compiler");
    *compiler = Element::new("compiler").with_attribute("angle", "radian");
    compiler.children_mut().extend(length_range);
}

fn refuse(
    compiler: &Element,
    attribute: &str,
    value: &str,
    instead: &str,
) -> Result<(), MjcfError> {
    if compiler.text(attribute) == Some(value) {
        return Err(MjcfError::Unsupported {
            element: compiler.label(),
            problem: format!("{attribute}={value:?} cannot be carried over; {instead}"),
        });
    }
    Ok(())
}

fn euler_sequence(compiler: &Element) -> Result<[char; 3], MjcfError> {
    let text = compiler.text("eulerseq").unwrap_or("xyz");
    let letters: Vec<char> = text.chars().collect();
    letters
        .try_into()
        .ok()
        .filter(|letters: &[char; 3]| letters.iter().all(|letter| "xyzXYZ".contains(*letter)))
        .ok_or_else(|| MjcfError::BadValue {
            element: compiler.label(),
            attribute: "eulerseq".to_owned(),
            value: text.to_owned(),
            problem: "is not three of x, y, z, X, Y, Z".to_owned(),
        })
}
