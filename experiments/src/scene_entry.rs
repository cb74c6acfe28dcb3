//! Conversion between a torso's configuration and `softness.toml`: stiffness, damping, and further constraints by name.

use insonate_calibration::softness::SceneEntry;
use insonate_models::torsos::{Softness, TorsoConfig};

/// The entry of `softness.toml` for a configuration.
pub fn entry_of(config: &TorsoConfig) -> SceneEntry {
    let mut config = config.clone();
    let mut entry = SceneEntry {
        stiffness: config.softness.stiffness,
        damping: config.softness.damping,
        shape: Some(config.shape.name().to_owned()),
        count: Some(config.count),
        spacing: Some(config.spacing),
        soft_layers: config.soft_layers,
        ..SceneEntry::default()
    };
    for name in TorsoConfig::CONSTRAINTS {
        if let Some(solref) = config.constraint_mut(name).and_then(|field| *field) {
            entry
                .parameters
                .insert(format!("{name}_stiffness"), solref.stiffness);
            entry
                .parameters
                .insert(format!("{name}_damping"), solref.damping);
        }
    }
    entry
}

/// All numbers of an entry that define a torso, with their names.
pub fn numbers(entry: &SceneEntry) -> impl Iterator<Item = (&str, f64)> {
    let further = entry.parameters.iter();
    [("stiffness", entry.stiffness), ("damping", entry.damping)]
        .into_iter()
        .chain(further.map(|(name, value)| (name.as_str(), *value)))
}

/// Sets the lattice of a configuration to the one for which an entry was tuned, if the shape is the same.
pub fn apply_lattice(entry: &SceneEntry, config: &mut TorsoConfig) {
    if let (Some(shape), Some(count), Some(spacing)) = (&entry.shape, entry.count, entry.spacing)
        && shape == config.shape.name()
        && config.patient.is_none()
    {
        (config.count, config.spacing, config.soft_layers) = (count, spacing, entry.soft_layers);
    }
}

/// Sets the softness and constraints of a configuration to an entry. Returns a note if the entry was tuned for another lattice.
///
/// # Errors
/// If the torso does not have one of the parameters.
pub fn apply(entry: &SceneEntry, config: &mut TorsoConfig) -> Result<Option<String>, String> {
    config.softness = Softness {
        stiffness: entry.stiffness,
        damping: entry.damping,
    };
    config
        .apply(&entry.parameters)
        .map_err(|error| error.to_string())?;
    let same = entry
        .shape
        .as_deref()
        .is_none_or(|shape| shape == config.shape.name())
        && entry.count.is_none_or(|count| count == config.count)
        && entry
            .spacing
            .is_none_or(|spacing| spacing == config.spacing);
    let [x, y, z] = entry.count.unwrap_or(config.count);
    Ok((!same).then(|| {
        format!(
            "it was tuned for shape {}, count {x},{y},{z}, spacing {}; for another one the softness differs",
            entry.shape.as_deref().unwrap_or(config.shape.name()),
            entry.spacing.unwrap_or(config.spacing),
        )
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use insonate_models::torsos::Solref;

    #[test]
    fn a_configuration_comes_back() {
        let tuned = TorsoConfig {
            softness: Softness {
                stiffness: 700.0,
                damping: 3.0,
            },
            rest: Some(Solref {
                stiffness: 500.0,
                damping: 9.0,
            }),
            ..TorsoConfig::default()
        };
        let mut config = TorsoConfig::default();
        assert_eq!(apply(&entry_of(&tuned), &mut config), Ok(None));
        assert_eq!(config, tuned);
        let mut other = TorsoConfig::of_shape(insonate_models::torsos::Shape::Human);
        let note = apply(&entry_of(&tuned), &mut other).expect("its parameters are known");
        assert!(note.expect("another shape").contains("shape cylinder"));
    }

    #[test]
    fn unknown_parameters_are_refused() {
        let mut entry = entry_of(&TorsoConfig::default());
        entry.parameters.insert("rest_stiffness".to_owned(), 1.0);
        let mut config = TorsoConfig::default();
        assert!(apply(&entry, &mut config).is_err_and(|e| e.contains("given together")));
        entry.parameters.insert("colour".to_owned(), 1.0);
        assert!(apply(&entry, &mut config).is_err_and(|e| e.contains("colour")));
    }
}
