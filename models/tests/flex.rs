//! Contract: the flex torso is a valid document with the documented structure: one body on three joints for each point off the table,
//! a solid of six tetrahedra per cell, a skin on the upper points, and the configured rest shape and surface. Bad torsos are rejected.

use insonate_models::ModelError;
use insonate_models::mjcf::{Body, Element, Mjcf, Namespace, Site};
use insonate_models::torsos::{Breathing, Shape, Softness, Torso, TorsoConfig, by_name, flex};

const COUNT: [usize; 3] = [5, 4, 7];

fn config(shape: Shape) -> TorsoConfig {
    TorsoConfig {
        shape,
        count: COUNT,
        ..TorsoConfig::default()
    }
}

fn all_shapes() -> impl Iterator<Item = (&'static str, Torso)> {
    Shape::ALL.iter().map(|&(name, shape)| {
        let torso = flex(&config(shape)).expect("the shape is possible");
        (name, torso)
    })
}

fn the<'a>(mjcf: &'a Mjcf, namespace: Namespace, name: &str) -> &'a Element {
    mjcf.find(namespace, name)
        .unwrap_or_else(|| panic!("{name} is missing"))
}

fn words(element: &Element, attribute: &str) -> Vec<String> {
    let text = element.text(attribute).expect("the attribute is a text");
    text.split(' ').map(str::to_owned).collect()
}

fn bounds_of_rest(torso: &Torso) -> [[f64; 2]; 3] {
    let [low, high] = torso.surface.bounds();
    [0, 1, 2].map(|axis| [low[axis], high[axis]])
}

#[test]
fn every_shape_is_a_valid_document_with_the_documented_counts() {
    let [across, through, along] = COUNT;
    let n_points = across * through * along;
    let n_free = across * (through - 1) * along;
    for (name, torso) in all_shapes() {
        torso
            .mjcf
            .validate()
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        // The root, and two bodies for each free point: its carrier and the flex's own body.
        // A patient has one more body: rigid head, arms and legs.
        let body_parts = usize::from(torso.config.shape == Shape::Adult);
        assert_eq!(
            torso.mjcf.names(Namespace::Body).len(),
            1 + 2 * n_free + body_parts,
            "{name}"
        );
        assert_eq!(torso.mjcf.names(Namespace::Joint).len(), 3 * n_free);
        assert_eq!(torso.n_qpos, 3 * n_free);

        let solid = the(&torso.mjcf, Namespace::Flex, "tissue");
        assert_eq!(words(solid, "body").len(), n_points);
        assert_eq!(solid.reals("vertex").unwrap().len(), 3 * n_points);
        let n_cells = (across - 1) * (through - 1) * (along - 1);
        assert_eq!(solid.reals("element").unwrap().len(), 4 * 6 * n_cells);
        let skin = the(&torso.mjcf, Namespace::Flex, "membrane");
        assert_eq!(words(skin, "body").len(), across * along);
        assert_eq!(
            skin.reals("element").unwrap().len(),
            3 * 2 * (across - 1) * (along - 1)
        );
    }
}

#[test]
fn points_on_the_table_are_fixed_and_all_others_have_a_carrier_with_mass_and_damping() {
    let torso = flex(&config(Shape::Human)).unwrap();
    let solid = the(&torso.mjcf, Namespace::Flex, "tissue");
    let vertices = solid.reals("vertex").unwrap();
    let mut n_fixed = 0;
    for (body, vertex) in words(solid, "body").iter().zip(vertices.chunks(3)) {
        if body == "torso" {
            assert!(vertex[2].abs() < 1e-15, "{vertex:?}");
            n_fixed += 1;
            continue;
        }
        assert_eq!(vertex, [0.0; 3]);
        let carrier = the(&torso.mjcf, Namespace::Body, &body.replace('V', "N"));
        assert_eq!(
            carrier.child("body").and_then(Element::name),
            Some(body.as_str())
        );
        assert_eq!(carrier.array("gravcomp"), Some([1.0]));
        assert!(carrier.array::<3>("pos").unwrap()[2] > 0.0);
        let [mass] = carrier.child("inertial").unwrap().array("mass").unwrap();
        assert!((1e-3..1.0).contains(&mass), "{body}: {mass} kg");
        let joints = carrier
            .children()
            .iter()
            .filter(|child| child.tag() == "joint");
        let damping: Vec<f64> = joints
            .map(|joint| joint.array::<1>("damping").unwrap()[0])
            .collect();
        assert_eq!(damping.len(), 3);
        assert!(damping.iter().all(|&damping| damping > 0.0));
    }
    assert_eq!(n_fixed, COUNT[0] * COUNT[2]);
}

#[test]
fn the_surface_has_the_configured_size_and_is_highest_on_the_midline() {
    for (name, torso) in all_shapes() {
        let half = torso.config.half_size();
        let [x, y, z] = bounds_of_rest(&torso);
        assert!((z[1] - 2.0 * half[1]).abs() < 0.012, "{name}: {z:?}");
        assert!((y[1] - half[2]).abs() < 0.006, "{name}: {y:?}");
        assert!((x[1] + x[0]).abs() < 1e-9 && x[1] <= 1.02 * half[0] && x[1] > 0.8 * half[0]);
        let middle = torso.surface.highest_at(0.0, 0.0).unwrap();
        assert!(middle.normal[2] > 0.93, "{name}: {:?}", middle.normal);
        let side = torso.surface.highest_at(0.6 * half[0], 0.0).unwrap();
        assert!(side.position[2] <= middle.position[2] + 1e-9, "{name}");
        assert!(torso.surface.highest_at(2.0 * half[0], 0.0).is_none());
    }
}

#[test]
fn a_human_has_a_waist() {
    let torso = flex(&TorsoConfig {
        shape: Shape::Human,
        ..TorsoConfig::default()
    })
    .unwrap();
    let width = |y: f64| {
        let near = torso
            .surface
            .positions
            .iter()
            .filter(|vertex| (vertex[1] - y).abs() < 0.006);
        near.map(|vertex| vertex[0]).fold(0.0, f64::max)
    };
    let half_length = torso.config.half_size()[2];
    let waist = width(-0.11 * half_length);
    assert!(waist < 0.93 * width(0.7 * half_length) && waist < 0.93 * width(-0.7 * half_length));
}

#[test]
fn stiffness_scales_the_moduli_and_damping_the_dampers() {
    let young = |torso: &Torso, name: &str| -> f64 {
        let flex = the(&torso.mjcf, Namespace::Flex, name);
        flex.child("elasticity")
            .unwrap()
            .array::<1>("young")
            .unwrap()[0]
    };
    let damping = |torso: &Torso| -> f64 {
        the(&torso.mjcf, Namespace::Joint, "Jz2_3_3")
            .array::<1>("damping")
            .unwrap()[0]
    };
    let soft = flex(&config(Shape::Box)).unwrap();
    let mut stiff = config(Shape::Box);
    stiff.softness = Softness {
        stiffness: 2.0 * stiff.softness.stiffness,
        damping: 3.0 * stiff.softness.damping,
    };
    let stiff = flex(&stiff).unwrap();
    for name in ["tissue", "membrane"] {
        assert!((young(&stiff, name) / young(&soft, name) - 2.0).abs() < 1e-4);
    }
    assert!((damping(&stiff) / damping(&soft) - 3.0).abs() < 1e-4);
}

#[test]
fn breathing_moves_the_plate_under_the_torso_by_the_amplitude() {
    let breathing = Breathing {
        rate: 0.25,
        amplitude: 0.008,
    };
    let torso = flex(&TorsoConfig {
        breathing: Some(breathing),
        ..config(Shape::Cylinder)
    })
    .unwrap();
    torso.mjcf.validate().unwrap();
    let joint = the(&torso.mjcf, Namespace::Joint, "breath");
    assert_eq!(joint.array("springref"), Some([0.004]));
    let plate = the(&torso.mjcf, Namespace::Body, "plate");
    let [mass] = plate.child("inertial").unwrap().array("mass").unwrap();
    let [stiffness] = joint.array("stiffness").unwrap();
    let rate = (stiffness / mass).sqrt() / std::f64::consts::TAU;
    assert!((rate - breathing.rate).abs() < 1e-12);
    assert_eq!(torso.n_qpos, 3 * 5 * 3 * 7 + 1);
    let solid = the(&torso.mjcf, Namespace::Flex, "tissue");
    assert!(words(solid, "body").iter().all(|body| body != "torso"));
}

#[test]
fn it_is_deterministic_and_attaches_under_a_prefix() {
    let torso = flex(&config(Shape::Human)).unwrap();
    let again = flex(&config(Shape::Human)).unwrap();
    assert_eq!(torso, again);
    let mut scene = Mjcf::new("scene");
    scene
        .worldbody()
        .add(Body::new("table").with(Site::new("mount").pos([0.0, 0.0, 0.8])));
    scene.attach("mount", torso.mjcf.clone(), "torso/").unwrap();
    scene.validate().unwrap();
    let solid = the(&scene, Namespace::Flex, "torso/tissue");
    assert!(
        words(solid, "body")
            .iter()
            .all(|body| body.starts_with("torso/"))
    );
}

#[test]
fn impossible_torsos_are_refused() {
    let refused = |change: fn(&mut TorsoConfig)| {
        let mut config = config(Shape::Box);
        change(&mut config);
        flex(&config).unwrap_err()
    };
    let stiffness = refused(|config| config.softness.stiffness = f64::NAN);
    assert!(matches!(stiffness, ModelError::OutOfRange(e) if e.field == "stiffness"));
    let count = refused(|config| config.count[1] = 2);
    assert!(matches!(count, ModelError::OutOfRange(e) if e.field == "count"));
    let points = refused(|config| config.count = [40, 40, 40]);
    assert!(
        points.to_string().contains("flex torso is 64000"),
        "{points}"
    );
}

#[test]
fn flex_is_in_the_registry() {
    let kind = by_name("flex").unwrap();
    assert_eq!((kind.build)(&config(Shape::Box)).unwrap().name, "flex");
}
