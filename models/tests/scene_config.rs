//! Contract: a scene's settings, by name, give the same document as the parts that they name; impossible settings are errors that say why.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::collections::BTreeMap;

use insonate_models::patients::{Physique, Sex};
use insonate_models::torsos::{self, Breathing, Shape, Softness, TorsoConfig};
use insonate_models::{
    Lattice, RobotChoice, Scene, SceneConfig, SoftnessChoice, TunedTorso, probes, robots,
};

fn xml(scene: &Scene) -> String {
    scene.to_mjcf().unwrap().to_xml().unwrap()
}

fn torso(config: &SceneConfig) -> TorsoConfig {
    config.torso_config().unwrap().unwrap()
}

#[test]
fn names_give_the_document_of_their_parts() {
    let config = SceneConfig {
        robot: RobotChoice::Named("ur5e".to_owned()),
        probe: "l12-5".to_owned(),
        torso: "flex".to_owned(),
        shape: Shape::Box,
        softness: SoftnessChoice::Values(Softness {
            stiffness: 900.0,
            damping: 12.0,
        }),
        breathing: Some(Breathing::default()),
        timestep: 0.001,
        robot_position: Some([-0.5, 0.1, 0.7]),
        ..SceneConfig::default()
    };
    let torso = torsos::flex(&TorsoConfig {
        shape: Shape::Box,
        softness: Softness {
            stiffness: 900.0,
            damping: 12.0,
        },
        breathing: Some(Breathing::default()),
        ..TorsoConfig::default()
    });
    let mut parts = Scene::new(robots::ur5e::ur5e(), probes::l12_5(), Some(torso.unwrap()));
    parts.timestep = 0.001;
    parts.robot_position = [-0.5, 0.1, 0.7];
    let named = xml(&config.build().unwrap());
    assert!(named == xml(&parts), "two different documents");
    let loaded = SceneConfig {
        robot: RobotChoice::Loaded(Box::new(robots::ur5e::ur5e())),
        ..config
    };
    assert!(named == xml(&loaded.build().unwrap()), "the robot differs");
}

#[test]
fn a_lattice_has_the_stated_points() {
    let with = |torso: &str, shape: Shape, lattice: Lattice| SceneConfig {
        torso: torso.to_owned(),
        shape,
        lattice,
        ..SceneConfig::default()
    };
    // Half of the thickness of a C5-2 is the limit of the distance between points.
    let thickness = probes::c5_2().thickness;
    for lattice in [Lattice::Default, Lattice::Probe] {
        let config = torso(&with("fast", Shape::Cylinder, lattice));
        assert!(config.spacing <= 0.5 * thickness && config.soft_layers.is_some());
        assert!(config.rest.is_some(), "softness is that of a probe");
    }
    for lattice in [Lattice::Unfitted, Lattice::Thesis] {
        let config = torso(&with("fast", Shape::Cylinder, lattice));
        assert_eq!((config.count, config.spacing), ([9, 4, 11], 0.035));
        assert!(config.soft_layers.is_none() && config.rest.is_none());
    }
    let points = Lattice::Points {
        count: Some([7, 4, 9]),
        spacing: Some(0.04),
    };
    let config = torso(&with("xpbd", Shape::Box, points));
    assert_eq!((config.count, config.spacing), ([7, 4, 9], 0.04));
    // The size is kept: 9 × 4 × 11 points at 35 mm are 0.28 × 0.105 × 0.35 m.
    let config = torso(&with("xpbd", Shape::Box, Lattice::MaxSpacing(0.05)));
    for (half, size) in config.half_size().into_iter().zip([0.28, 0.105, 0.35]) {
        assert!((2.0 * half - size).abs() < 0.5 * config.spacing, "{half}");
    }
    assert!(config.spacing <= 0.05 && config.spacing > 0.04);
}

#[test]
fn only_an_adult_has_the_size_of_the_patient() {
    let patient = Physique::of(Sex::Female, Some(1.8), None);
    let of = |shape| SceneConfig {
        torso: "mpm".to_owned(),
        shape,
        patient: Some(patient),
        ..SceneConfig::default()
    };
    assert_eq!(torso(&of(Shape::Adult)).patient, Some(patient));
    assert_eq!(torso(&of(Shape::Box)).patient, None);
    // The build of the reference woman: 60 kg at 1.63 m.
    assert!((patient.mass - 60.0 * (1.8 / 1.63_f64).powi(2)).abs() < 1e-9);
}

#[test]
fn tissue_moves_near_the_probe_unless_told_otherwise() {
    let reach = |torso_name: &str, reach| {
        torso(&SceneConfig {
            torso: torso_name.to_owned(),
            active_radius: reach,
            ..SceneConfig::default()
        })
        .active_radius
    };
    for kind in torsos::ALL {
        assert_eq!(reach(kind.name, None), kind.active_radius, "{}", kind.name);
        assert!(
            kind.is_tissue() || kind.active_radius.is_none(),
            "{}",
            kind.name
        );
    }
    assert_eq!(reach("xpbd", None), Some(0.1));
    assert_eq!(reach("xpbd", Some(0.05)), Some(0.05));
    assert_eq!(reach("xpbd", Some(f64::INFINITY)), None);
}

#[test]
fn a_tuned_torso_gives_its_lattice_to_its_own_shape_only() {
    let tuned = TunedTorso {
        softness: Softness {
            stiffness: 700.0,
            damping: 9.0,
        },
        parameters: BTreeMap::from([
            ("rest_stiffness".to_owned(), 300.0),
            ("rest_damping".to_owned(), 8.0),
        ]),
        shape: Some("box".to_owned()),
        count: Some([7, 4, 9]),
        spacing: Some(0.04),
        soft_layers: None,
        gives_lattice: true,
    };
    let of = |shape, tuned: &TunedTorso| {
        torso(&SceneConfig {
            torso: "composite".to_owned(),
            shape,
            softness: SoftnessChoice::Tuned(tuned.clone()),
            ..SceneConfig::default()
        })
    };
    let own = of(Shape::Box, &tuned);
    assert_eq!((own.count, own.spacing), ([7, 4, 9], 0.04));
    assert_eq!(own.softness.stiffness, 700.0);
    assert_eq!(own.rest.unwrap().stiffness, 300.0);
    assert_eq!(tuned.difference(&own), None);
    let other = of(Shape::Cylinder, &tuned);
    assert_eq!(other.count, [9, 4, 11]);
    assert!(tuned.difference(&other).unwrap().contains("shape box"));
    let kept = TunedTorso {
        gives_lattice: false,
        ..tuned
    };
    assert_eq!(of(Shape::Box, &kept).count, [9, 4, 11]);
}

#[test]
fn impossible_settings_say_why() {
    let default = SceneConfig::default;
    let named = |name: &str| name.to_owned();
    let adult = SceneConfig {
        shape: Shape::Adult,
        lattice: Lattice::Thesis,
        ..default()
    };
    let solid = SceneConfig {
        torso: named("xpbd"),
        lattice: Lattice::Probe,
        ..default()
    };
    let material = SceneConfig {
        softness: SoftnessChoice::Material(named("cheese")),
        ..default()
    };
    let tuned = TunedTorso {
        parameters: BTreeMap::from([(named("colour"), 1.0)]),
        ..TunedTorso::default()
    };
    let cases = [
        (
            SceneConfig {
                torso: named("cork"),
                ..default()
            },
            "torso \"cork\"; choose one of composite",
        ),
        (
            SceneConfig {
                probe: named("x1"),
                ..default()
            },
            "probe \"x1\"; choose one of c5-2",
        ),
        (
            SceneConfig {
                robot: RobotChoice::Named(named("r2")),
                ..default()
            },
            "robot \"r2\"; choose one of panda",
        ),
        (adult, "an adult has the size of a person"),
        (
            solid,
            "for the torsos composite and fast; xpbd is a solid without gaps",
        ),
        (material, "material \"cheese\""),
        (
            SceneConfig {
                softness: SoftnessChoice::Tuned(tuned),
                ..default()
            },
            "no parameter \"colour\"",
        ),
        (
            SceneConfig {
                lattice: Lattice::MaxSpacing(0.001),
                torso: named("mpm"),
                ..default()
            },
            "count is",
        ),
    ];
    for (config, expected) in cases {
        let message = config.build().unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn without_a_torso_there_is_no_configuration() {
    let config = SceneConfig {
        torso: torsos::NONE.to_owned(),
        ..SceneConfig::default()
    };
    assert!(config.torso_config().unwrap().is_none());
    assert!(config.build().unwrap().torso.is_none());
}
