//! Values and help of the options that describe a scene.

use insonate::models::torsos::Shape;

use super::number_list;

/// Names of a registry.
pub(super) fn names<T>(all: &[(&'static str, T)]) -> Vec<&'static str> {
    all.iter().map(|(name, _)| *name).collect()
}

/// Help for an option that takes one of these names.
pub(super) fn help(what: &str, names: &[&str]) -> String {
    format!(
        "{what}: {}; `insonate list` describes them",
        names.join(", ")
    )
}

pub(super) fn shape(name: &str) -> Result<Shape, String> {
    Shape::by_name(name).map_err(|_| format!("choose one of {}", names(Shape::ALL).join(", ")))
}

pub(super) fn count(text: &str) -> Result<[usize; 3], String> {
    number_list::parsed(text).ok_or_else(|| "three whole numbers, such as 9,4,11".to_owned())
}

pub(super) fn position(text: &str) -> Result<[f64; 3], String> {
    number_list::finite(text).ok_or_else(|| "three numbers, such as -0.56,0,0.8".to_owned())
}
