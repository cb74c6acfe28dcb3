//! Contract: any count, shape, spacing and softness gives a valid composite torso of the right size, or an error that names
//! the problem. The document of a tiny torso is a snapshot.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_models::ModelError;
use insonate_models::mjcf::Namespace;
use insonate_models::probes;
use insonate_models::torsos::{
    self, Breathing, Shape, Softness, Solref, TorsoConfig, composite, fast,
};
use proptest::prelude::*;

/// Number of points on the outside of a lattice.
fn shell_size([a, b, c]: [usize; 3]) -> usize {
    a * b * c - (a - 2) * (b - 2) * (c - 2)
}

fn configs() -> impl Strategy<Value = TorsoConfig> {
    let shape = prop::sample::select(Shape::ALL).prop_map(|(_, shape)| shape);
    let count = [3..=10_usize, 3..=6, 3..=12];
    let softness = (10.0..50_000.0, 0.1..500.0)
        .prop_map(|(stiffness, damping)| Softness { stiffness, damping });
    let breathing = prop::option::of((0.01..2.0, 0.0..0.05))
        .prop_map(|breath| breath.map(|(rate, amplitude)| Breathing { rate, amplitude }));
    (shape, count, 0.005..0.15, softness, breathing).prop_map(
        |(shape, count, spacing, softness, breathing)| TorsoConfig {
            shape,
            count,
            spacing,
            softness,
            breathing,
            ..TorsoConfig::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_config_is_a_valid_document_with_the_counts_of_its_lattice(config in configs()) {
        let torso = composite(&config).unwrap();
        // Names are unique, references resolve, numbers are finite.
        torso.mjcf.validate().unwrap();
        let n = shell_size(config.count);
        let bodies = torso.mjcf.names(Namespace::Body).into_iter();
        prop_assert_eq!(bodies.filter(|name| name.starts_with('B')).count(), n);
        prop_assert_eq!(torso.n_qpos, n + usize::from(config.breathing.is_some()));
        prop_assert_eq!(torso.mjcf.names(Namespace::Joint).len(), torso.n_qpos);
        // A closed quad mesh has 2 (n - 2) edges. There is one constraint per edge and per point, and one for the volume.
        let equalities = torso.mjcf.section("equality").unwrap().children().len();
        prop_assert_eq!(equalities, n + 2 * (n - 2) + 1);
        // A patient's head, arms and legs are nine geoms more.
        let body_parts = if config.shape == Shape::Adult { 9 } else { 0 };
        prop_assert_eq!(torso.mjcf.names(Namespace::Geom).len(), n + 1 + body_parts);
    }

    #[test]
    fn every_surface_stands_on_the_table_within_its_size_and_closes(config in configs()) {
        let surface = composite(&config).unwrap().surface;
        let [low, high] = surface.bounds();
        let half = config.half_size();
        prop_assert!(low[2].abs() < 1e-12, "lowest point at {}", low[2]);
        // The relief of the human shapes exceeds the size a little.
        let room = 1.06;
        prop_assert!(high[2] <= room * 2.0 * half[1]);
        prop_assert!(high[0] <= room * half[0] && low[0] >= -room * half[0]);
        prop_assert!(high[1] <= room * half[2] && low[1] >= -room * half[2]);
        prop_assert_eq!(surface.triangles.len(), 2 * (shell_size(config.count) - 2));
        let volume = surface.volume();
        prop_assert!(volume > 0.1 * 8.0 * half.iter().product::<f64>(), "volume {}", volume);
    }
}

#[test]
fn no_probe_falls_between_the_points_of_a_matched_lattice() {
    for (name, make) in probes::ALL {
        let thickness = make().thickness;
        for (_, shape) in Shape::ALL {
            let config = TorsoConfig::of_shape(*shape).fitted_to_probe(thickness);
            let usual = TorsoConfig::of_shape(*shape).half_size();
            for (half, usual) in config.half_size().iter().zip(usual) {
                // The size is rounded to the nearest point.
                assert!((half - usual).abs() <= 0.5 * config.spacing, "{config:?}");
            }
            let torso = composite(&config).unwrap();
            torso.mjcf.validate().unwrap();
            assert!((1000..=3000).contains(&torso.n_qpos), "{}", torso.n_qpos);
            // An adult under the thinner probe has almost as many points as the limit allows.
            let is_full = *shape == Shape::Adult && torso.n_qpos > 2700;
            assert!(
                config.spacing <= 0.5 * thickness || is_full,
                "{name}: {config:?}"
            );
        }
    }
}

#[test]
fn the_skin_weighs_the_same_at_any_spacing() {
    let weight_per_area = |count: [usize; 3], spacing: f64| {
        let config = TorsoConfig {
            count,
            spacing,
            ..TorsoConfig::default()
        };
        let mut mjcf = composite(&config).unwrap().mjcf;
        let classes = mjcf.section_mut("default").children();
        let shell = classes.iter().find_map(|class| class.child("geom"));
        let mass = shell.and_then(|geom| geom.array::<1>("mass")).unwrap()[0];
        mass / (spacing * spacing)
    };
    let thesis = weight_per_area([9, 4, 11], 0.035);
    assert!((weight_per_area([17, 7, 21], 0.0175) / thesis - 1.0).abs() < 1e-12);
}

#[test]
fn the_shell_weighs_ten_grams_a_particle() {
    let mut torso = composite(&TorsoConfig::default()).unwrap();
    let class = torso
        .mjcf
        .default()
        .children()
        .iter()
        .find(|class| class.text("class") == Some("shell"));
    let geom = class.and_then(|class| class.child("geom")).unwrap();
    assert_eq!(geom.array("mass"), Some([0.01]));
    for name in torso.mjcf.names(Namespace::Geom) {
        let geom = torso.mjcf.find(Namespace::Geom, name).unwrap();
        assert!(
            geom.get("mass").is_none() && geom.get("class").is_none(),
            "{name}"
        );
    }
}

#[test]
fn the_surface_is_level_in_the_middle_and_ends_at_the_side() {
    for (name, shape) in Shape::ALL {
        let torso = composite(&TorsoConfig {
            shape: *shape,
            ..TorsoConfig::default()
        })
        .unwrap();
        let top = torso.surface.highest_at(0.0, 0.0).unwrap();
        let height = top.position[2] / (2.0 * torso.config.half_size()[1]);
        assert!((0.76..=1.01).contains(&height), "{name}: {height}");
        assert!(top.normal[2] > 0.95, "{name}: {:?}", top.normal);
        assert!(torso.surface.highest_at(0.3, 0.0).is_none(), "{name}");
    }
}

#[test]
fn fast_is_the_composite_with_a_mark_for_its_solver() {
    let config = TorsoConfig::default();
    let (exact, mut marked) = (composite(&config).unwrap(), fast(&config).unwrap());
    assert_eq!((exact.name, marked.name), ("composite", "fast"));
    let mark = marked.mjcf.custom().child("text").unwrap();
    assert_eq!(
        (mark.name(), mark.text("data")),
        (Some("torso_solver"), Some("fast"))
    );
    for section in ["worldbody", "equality", "tendon", "deformable"] {
        assert_eq!(
            exact.mjcf.section(section),
            marked.mjcf.section(section),
            "{section}"
        );
    }
    assert_eq!(
        (exact.surface, exact.n_qpos),
        (marked.surface, marked.n_qpos)
    );
}

#[test]
fn both_are_in_the_registry() {
    for name in ["composite", "fast"] {
        assert_eq!(
            (torsos::by_name(name).unwrap().build)(&TorsoConfig::default())
                .unwrap()
                .name,
            name
        );
    }
}

fn refusal(change: impl FnOnce(&mut TorsoConfig)) -> String {
    let mut config = TorsoConfig::default();
    change(&mut config);
    let error: ModelError = composite(&config).expect_err("no torso is like that");
    error.to_string()
}

#[test]
fn invalid_torsos_are_rejected_with_the_name_of_the_field() {
    let cases = [
        (
            refusal(|config| config.count[1] = 2),
            "count is 2; it must be between 3 and 100 points along each axis",
        ),
        (
            refusal(|config| config.spacing = f64::NAN),
            "spacing is NaN; it must be between 0.005 and 0.2 m",
        ),
        (
            refusal(|config| (config.count, config.spacing) = ([9, 4, 30], 0.1)),
            "spacing x (count - 1) is 2.9000000000000004; it must be between 0 and 2 m across, through and along",
        ),
        (
            refusal(|config| (config.count, config.spacing) = ([40, 30, 40], 0.02)),
            "the number of moving points in a lattice of 40 x 30 x 40 points is 7568; it must be at most 3000",
        ),
        (
            refusal(|config| config.soft_layers = Some(5)),
            "soft_layers is 5; it must be between 1 and 4 points through the patient",
        ),
        (
            refusal(|config| config.softness.stiffness = -1.0),
            "stiffness is -1; it must be between 10 and 50000 N/m",
        ),
        (
            refusal(|config| {
                config.breathing = Some(Breathing {
                    rate: 0.0,
                    amplitude: 0.01,
                });
            }),
            "breathing rate is 0; it must be between 0.01 and 2 Hz",
        ),
    ];
    for (message, expected) in cases {
        assert_eq!(message, expected);
    }
}

/// The document without the skin, which is long and only visual.
fn document(config: &TorsoConfig) -> String {
    let mut mjcf = composite(config).unwrap().mjcf;
    mjcf.section_mut("deformable").children_mut().clear();
    mjcf.to_xml().unwrap()
}

#[test]
fn tuned_constraints_are_written_directly_and_the_usual_ones_stay() {
    let usual = document(&TorsoConfig::default());
    let count = |text: &str, part: &str| text.matches(part).count();
    assert_eq!(count(&usual, "solref=\"0.02 1\""), 270);
    assert_eq!(count(&usual, "solref=\"-1324.17 -17.59\""), 536);
    let solref = |stiffness: f64, damping: f64| Some(Solref { stiffness, damping });
    let tuned = document(&TorsoConfig {
        rest: solref(2000.0, 30.0),
        neighbors: solref(16_000.0, 240.0),
        contact: solref(4000.0, 60.0),
        ..TorsoConfig::default()
    });
    assert_eq!(count(&tuned, "solref=\"-2000 -30\""), 270);
    assert_eq!(count(&tuned, "solref=\"-16000 -240\""), 536);
    // The capsules share one default.
    assert_eq!(count(&tuned, "solref=\"-4000 -60\""), 1);
}

#[test]
fn an_unstable_constraint_is_rejected() {
    for (stiffness, damping) in [(0.5, 1.0), (2e5, 1.0), (1.0, 501.0), (f64::NAN, 1.0)] {
        let config = TorsoConfig {
            rest: Some(Solref { stiffness, damping }),
            ..TorsoConfig::default()
        };
        let error = composite(&config).unwrap_err();
        let field = matches!(&error, ModelError::OutOfRange(e) if e.field == "rest");
        assert!(field, "{error}");
    }
}

#[test]
fn the_document_of_a_tiny_torso() {
    let config = TorsoConfig {
        shape: Shape::Cylinder,
        count: [3, 3, 3],
        ..TorsoConfig::default()
    };
    insta::assert_snapshot!("tiny", document(&config));
    let breathing = Some(Breathing::default());
    let xml = document(&TorsoConfig {
        breathing,
        ..config
    });
    let changed = |line: &&str| line.contains("breath");
    insta::assert_snapshot!(
        "tiny_breathing",
        xml.lines().filter(changed).collect::<Vec<_>>().join("\n")
    );
}
