//! Contract: an adult of any size within the ranges lies on the table, with a soft trunk of every kind and rigid head, arms and legs.
//! Lattice, tetrahedra and skin are samples of one function. Sizes outside the ranges of adults are rejected with the field's name.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_models::mjcf::{Element, Namespace};
use insonate_models::patients::{Physique, Sex, Trunk};
use insonate_models::torsos::{self, Shape, Torso, TorsoConfig};
use insonate_models::{Scene, probes, robots};

fn patient(kind: &str, physique: Physique) -> Torso {
    let kind = torsos::by_name(kind).unwrap();
    (kind.build)(&TorsoConfig::of_patient(physique, kind.adult_spacing)).unwrap()
}

/// The thinnest and heaviest, the smallest and tallest of both sexes, and some in between.
fn adults() -> Vec<Physique> {
    let mut adults: Vec<Physique> = (0..4).map(Physique::drawn).collect();
    for sex in [Sex::Female, Sex::Male] {
        for height in Physique::HEIGHT {
            for index in Physique::BODY_MASS_INDEX {
                let mass = index * height * height;
                adults.push(Physique { sex, height, mass });
            }
        }
    }
    adults
}

#[test]
fn every_adult_is_a_valid_scene_in_every_kind_of_torso() {
    for kind in torsos::ALL {
        let torso = patient(kind.name, Physique::drawn(5));
        let body_parts = torso.mjcf.find(Namespace::Body, "body_parts").unwrap();
        assert_eq!(
            body_parts.children().len(),
            3 + 9,
            "three meshes, nine capsules"
        );
        let scene = Scene::new(robots::panda::panda(), probes::c5_2(), Some(torso));
        scene.to_mjcf().unwrap().to_xml().unwrap();
    }
    for physique in adults() {
        let torso = patient("fast", physique);
        torso.mjcf.validate().unwrap();
        let [low, high] = torso.surface.bounds();
        assert!(low[2].abs() < 1e-9 && high[2] < 0.45, "{physique:?}");
        assert!(high[0] < 0.35 && high[1] < 0.36, "{physique:?}");
    }
}

#[test]
fn head_and_limbs_collide_with_the_robot_but_not_with_the_torso() {
    let torso = patient("fast", Physique::default());
    let body_parts = torso.mjcf.find(Namespace::Body, "body_parts").unwrap();
    let number = |geom: &Element, name: &str| geom.array::<1>(name).map(|[value]| value);
    let (touched, drawn): (Vec<&Element>, Vec<&Element>) = body_parts
        .children()
        .iter()
        .partition(|geom| number(geom, "conaffinity") == Some(1.0));
    assert_eq!((touched.len(), drawn.len()), (9, 3));
    for geom in body_parts.children() {
        assert_eq!(number(geom, "contype"), Some(0.0), "{}", geom.label());
    }
    for geom in drawn {
        assert_eq!(number(geom, "conaffinity"), Some(0.0), "{}", geom.label());
    }
}

#[test]
fn the_surfaces_of_all_kinds_lie_on_the_trunk() {
    for kind in ["fast", "flex", "xpbd"] {
        let torso = patient(kind, Physique::reference(Sex::Female));
        let trunk = torso.config.trunk().unwrap();
        let top = |x: f64, y: f64| torso.surface.highest_at(x, y).unwrap().position;
        for (x, y) in [(0.0, 0.0), (0.06, -0.1), (-0.08, 0.12), (0.02, 0.05)] {
            let off = trunk.distance(top(x, y));
            // Facets lie inside a vaulted surface, and the rounding of a flex reduces it a little.
            assert!(off.abs() < 0.004, "{kind} at {x}, {y}: {off}");
        }
    }
}

#[test]
fn the_trunk_depends_on_size_and_build() {
    let size = |height: f64, mass: f64| {
        let sex = Sex::Male;
        Trunk::new(&Physique { sex, height, mass }).half_size()
    };
    let [slim, stout] = [60.0, 110.0].map(|mass| size(1.76, mass));
    assert!(stout[0] > 1.1 * slim[0] && stout[1] > 1.3 * slim[1]);
    assert_eq!(slim[2], stout[2]);
    let [small, tall] = [size(1.6, 60.0), size(1.95, 89.0)];
    assert!((tall[2] / small[2] - 1.95 / 1.6).abs() < 1e-12);
}

#[test]
fn invalid_patients_are_rejected() {
    let refusal = |config: TorsoConfig| {
        let error = torsos::composite(&config).expect_err("no torso is like that");
        error.to_string()
    };
    let giant = Physique {
        height: 3.0,
        ..Physique::default()
    };
    let message = refusal(TorsoConfig::of_patient(giant, 0.03));
    assert!(message.contains("patient height is 3;"), "{message}");
    let boxed = TorsoConfig {
        shape: Shape::Box,
        patient: Some(Physique::default()),
        ..TorsoConfig::default()
    };
    let message = refusal(boxed);
    assert!(
        message.contains("a patient has the shape adult, not box"),
        "{message}"
    );
}

#[test]
fn the_robot_stands_higher_next_to_a_patient_and_faces_the_trunk() {
    let torso = patient("fast", Physique::default());
    let scene = Scene::new(robots::ur5e::ur5e(), probes::c5_2(), Some(torso));
    assert!((scene.robot_position[2] - 0.9).abs() < 1e-12);
    let point = scene.surface_above(0.0, 0.0).unwrap();
    assert!((0.98..1.04).contains(&point.position[2]), "{point:?}");
}
