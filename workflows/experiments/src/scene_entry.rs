//! Conversion between a torso's configuration and `softness.toml`: stiffness, damping, and further constraints by name.

use insonate_calibration::softness::SceneEntry;
use insonate_models::torsos::TorsoConfig;

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

#[cfg(test)]
mod tests {
    use super::*;
    use insonate_envs::probe::tuned_torso;
    use insonate_models::torsos::{Shape, Softness, Solref};
    use insonate_models::{SceneConfig, SoftnessChoice};

    fn scene(entry: &SceneEntry, shape: Shape) -> SceneConfig {
        SceneConfig {
            torso: "composite".to_owned(),
            shape,
            softness: SoftnessChoice::Tuned(tuned_torso(entry)),
            ..SceneConfig::default()
        }
    }

    #[test]
    fn a_configuration_comes_back() {
        let tuned = TorsoConfig {
            count: [7, 4, 9],
            spacing: 0.04,
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
        let entry = entry_of(&tuned);
        let same = scene(&entry, Shape::default()).torso_config();
        let same = same.expect("it is valid").expect("there is a torso");
        assert_eq!(same, tuned);
        assert_eq!(tuned_torso(&entry).difference(&same), None);
        let other = scene(&entry, Shape::Human).torso_config();
        let other = other.expect("it is valid").expect("there is a torso");
        assert_eq!(other.count, TorsoConfig::of_shape(Shape::Human).count);
        let note = tuned_torso(&entry).difference(&other);
        assert!(note.expect("another shape").contains("shape cylinder"));
    }

    #[test]
    fn unknown_parameters_are_refused() {
        let mut entry = entry_of(&TorsoConfig::default());
        let refused = |entry: &SceneEntry| {
            let config = scene(entry, Shape::default()).torso_config();
            config.expect_err("it is wrong").to_string()
        };
        entry.parameters.insert("rest_stiffness".to_owned(), 1.0);
        assert!(refused(&entry).contains("given together"));
        entry.parameters.insert("colour".to_owned(), 1.0);
        assert!(refused(&entry).contains("colour"));
    }
}
