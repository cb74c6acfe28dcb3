//! Contract: the composite torso equals the `<composite>` of MuJoCo 3.2.4, the last version with composites: the same bodies, joints,
//! capsules and constraints, and the same force on a probe that presses 3 cm deep and withdraws.
//!
//! `fixtures/make_oracle.py` wrote the expected numbers.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use insonate_models::mjcf::{Mjcf, ReadOptions};
use insonate_models::torsos::{Shape, TorsoConfig, composite};
use insonate_sim::names::{self, ObjectType};
use insonate_sim::{MjModel, Physics, compile};
use serde_json::Value;

/// The two differ by the rounding of a few operations, in metres and quaternion components.
const ROUNDING: f64 = 1e-15;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(fixture(name)).unwrap()
}

fn torso(shape: Shape, count: [usize; 3]) -> Mjcf {
    composite(&TorsoConfig {
        shape,
        count,
        ..TorsoConfig::default()
    })
    .unwrap()
    .mjcf
}

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(numbers).collect(),
        _ => vec![value.as_f64().unwrap()],
    }
}

/// One row per element: either a plain table, or distinct rows with the row index of each element.
fn rows(value: &Value) -> Vec<Vec<f64>> {
    let table = |value: &Value| {
        value
            .as_array()
            .unwrap()
            .iter()
            .map(numbers)
            .collect::<Vec<_>>()
    };
    match value.get("distinct") {
        None => table(value),
        Some(distinct) => {
            let distinct = table(distinct);
            numbers(&value["index"])
                .iter()
                .map(|&index| distinct[index as usize].clone())
                .collect()
        }
    }
}

/// Compares a table of the oracle with the model, with `tolerance` per number.
struct Comparison<'a> {
    oracle: &'a Value,
    scene: String,
}

impl Comparison<'_> {
    fn check(&self, key: &str, tolerance: f64, ours: impl IntoIterator<Item = Vec<f64>>) {
        let oracle = rows(&self.oracle[key]);
        let ours: Vec<Vec<f64>> = ours.into_iter().collect();
        assert_eq!(oracle.len(), ours.len(), "{} {key}", self.scene);
        for (index, (oracle, ours)) in oracle.iter().zip(&ours).enumerate() {
            assert_eq!(oracle.len(), ours.len(), "{} {key} {index}", self.scene);
            let alike = oracle
                .iter()
                .zip(ours)
                .all(|(a, b)| (a - b).abs() <= tolerance);
            assert!(
                alike,
                "{} {key} {index}: {oracle:?} became {ours:?}",
                self.scene
            );
        }
    }

    /// Compares the selected rows of a table of the model.
    fn check_rows<const N: usize>(
        &self,
        key: &str,
        tolerance: f64,
        ids: &[usize],
        table: &[[f64; N]],
    ) {
        self.check(key, tolerance, ids.iter().map(|&id| table[id].to_vec()));
    }
}

fn ids(model: &MjModel, kind: ObjectType, names: &Value) -> Vec<usize> {
    let name = |name: &Value| names::find(model, kind, name.as_str().unwrap()).unwrap();
    names.as_array().unwrap().iter().map(name).collect()
}

/// Number of objects of a kind whose names are `start` followed by a digit.
fn n_named(model: &MjModel, kind: ObjectType, start: &str) -> usize {
    let digit = |name: &str| {
        name.strip_prefix(start)
            .is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit()))
    };
    names::all(model, kind)
        .filter(|(_, name)| digit(name))
        .count()
}

fn same_structure(shape: Shape, count: [usize; 3]) {
    let [i, j, k] = count;
    let scene = format!("composite_{}_{i}_{j}_{k}", shape.name());
    let oracle: Value = serde_json::from_str(&text(&format!("{scene}.json"))).unwrap();
    let model = compile(&torso(shape, count).to_xml().unwrap()).unwrap();
    let comparison = Comparison {
        oracle: &oracle,
        scene,
    };
    same_particles(&model, &comparison);
    same_constraints(&model, &comparison);
}

fn same_particles(model: &MjModel, comparison: &Comparison<'_>) {
    let oracle = comparison.oracle;
    let bodies = ids(model, ObjectType::Body, &oracle["body_name"]);
    let joints = ids(model, ObjectType::Joint, &oracle["jnt_name"]);
    let geoms = ids(model, ObjectType::Geom, &oracle["geom_name"]);
    // The order is the same, and there are no other elements.
    assert!(bodies.is_sorted() && joints.is_sorted() && geoms.is_sorted());
    for (object_type, start) in [
        (ObjectType::Body, "B"),
        (ObjectType::Joint, "J"),
        (ObjectType::Geom, "G"),
    ] {
        assert_eq!(n_named(model, object_type, start), bodies.len());
    }
    comparison.check_rows("body_pos", ROUNDING, &bodies, model.body_pos());
    comparison.check_rows("body_quat", ROUNDING, &bodies, model.body_quat());
    let mass = |&id: &usize| vec![model.body_mass()[id]];
    comparison.check("body_mass", 0.0, bodies.iter().map(mass));
    comparison.check_rows("body_ipos", 0.0, &bodies, model.body_ipos());
    comparison.check_rows("body_inertia", 1e-20, &bodies, model.body_inertia());

    comparison.check_rows("jnt_axis", 0.0, &joints, model.jnt_axis());
    comparison.check_rows("jnt_pos", 0.0, &joints, model.jnt_pos());
    let joint_type = |&id: &usize| vec![f64::from(model.jnt_type()[id] as i32)];
    comparison.check("jnt_type", 0.0, joints.iter().map(joint_type));

    let geom_type = |&id: &usize| vec![f64::from(model.geom_type()[id] as i32)];
    comparison.check("geom_type", 0.0, geoms.iter().map(geom_type));
    comparison.check_rows("geom_size", 0.0, &geoms, model.geom_size());
    comparison.check_rows("geom_pos", 0.0, &geoms, model.geom_pos());
    comparison.check_rows("geom_quat", 0.0, &geoms, model.geom_quat());
    comparison.check_rows("geom_friction", 0.0, &geoms, model.geom_friction());
    comparison.check_rows("geom_solref", 0.0, &geoms, model.geom_solref());
    comparison.check_rows("geom_solimp", 0.0, &geoms, model.geom_solimp());
    let collision = |&id: &usize| {
        let numbers = [
            model.geom_contype()[id],
            model.geom_conaffinity()[id],
            model.geom_condim()[id],
            model.geom_priority()[id],
        ];
        numbers.map(f64::from).to_vec()
    };
    comparison.check("geom_collision", 0.0, geoms.iter().map(collision));

    let center = names::find(model, ObjectType::Geom, "Gcenter").unwrap();
    let first = |key: &str| numbers(&oracle["center"][key])[0];
    assert_eq!(first("size"), model.geom_size()[center][0]);
    assert_eq!(numbers(&oracle["center"]["pos"]), model.geom_pos()[center]);
    assert_eq!(first("contype"), f64::from(model.geom_contype()[center]));
    assert_eq!(first("type"), f64::from(model.geom_type()[center] as i32));
}

fn same_constraints(model: &MjModel, comparison: &Comparison<'_>) {
    let joints = ids(model, ObjectType::Joint, &comparison.oracle["jnt_name"]);
    let index = |id: i32| match usize::try_from(id) {
        Ok(id) => joints.binary_search(&id).unwrap() as f64,
        Err(_) => -1.0,
    };
    let n_equalities = model.eq_type().len();
    let eq_types = model.eq_type().iter();
    comparison.check(
        "eq_type",
        0.0,
        eq_types.map(|&kind| vec![f64::from(kind as i32)]),
    );
    // The last constraint, of the tendon, names no joints.
    let pair = |row: usize| vec![index(model.eq_obj1id()[row]), index(model.eq_obj2id()[row])];
    let pairs = (0..n_equalities - 1).map(pair).chain([vec![]]);
    comparison.check("eq_joints", 0.0, pairs);
    let all: Vec<usize> = (0..n_equalities).collect();
    comparison.check_rows("eq_solref", 0.0, &all, model.eq_solref());
    comparison.check_rows("eq_solimp", 0.0, &all, model.eq_solimp());
    let data = model.eq_data().iter().map(|row| row[..5].to_vec());
    comparison.check("eq_data", 0.0, data);
    let joints = model.wrap_objid().iter().map(|&id| vec![index(id)]);
    comparison.check("tendon_joints", 0.0, joints);
    let coefficients = model.wrap_prm().iter().map(|&value| vec![value]);
    comparison.check("tendon_coefficients", 0.0, coefficients);
}

#[test]
fn boxes_equal_mujocos_composites() {
    same_structure(Shape::Box, [9, 4, 11]);
    same_structure(Shape::Box, [4, 3, 5]);
}

#[test]
fn cylinders_equal_mujocos_composites() {
    same_structure(Shape::Cylinder, [9, 4, 11]);
    same_structure(Shape::Cylinder, [4, 3, 5]);
}

#[test]
fn ellipsoids_equal_mujocos_composites() {
    same_structure(Shape::Ellipsoid, [9, 4, 11]);
    same_structure(Shape::Ellipsoid, [4, 3, 5]);
}

/// One line of a press.
struct Sample {
    time: f64,
    probe: f64,
    force: f64,
    particle: f64,
}

fn recorded(name: &str) -> Vec<Sample> {
    let sample = |line: &str| {
        let fields: Vec<f64> = line
            .split(',')
            .map(|field| field.parse().unwrap())
            .collect();
        Sample {
            time: fields[0],
            probe: fields[1],
            force: fields[2],
            particle: fields[4],
        }
    };
    text(&format!("press_{name}.csv"))
        .lines()
        .skip(2)
        .map(sample)
        .collect()
}

/// The scene of the press with this project's torso in place of `<composite>`.
fn press_scene(shape: Shape, probe: &str) -> Arc<MjModel> {
    let xml = text("press.xml").replace("<!-- probe -->", probe);
    let mut scene = Mjcf::read_str(&xml, "press.xml", &ReadOptions::default()).unwrap();
    let bodies = scene.worldbody().children_mut();
    let probe = bodies.pop().unwrap();
    scene
        .attach("world", torso(shape, [9, 4, 11]), "torso/")
        .unwrap();
    scene.worldbody().add(probe);
    compile(&scene.to_xml().unwrap()).unwrap()
}

/// Commanded depth of the probe's servo [m], as in `make_oracle.py`.
fn command(time: f64) -> f64 {
    0.02 * time.min(1.55).min((3.6 - time).max(-0.2))
}

/// World z force on the probe [N].
fn force_on(physics: &Physics, probe: usize) -> f64 {
    let on_probe = |contact: &insonate_sim::ffi::Contact| {
        let is_second = physics.model().geom_bodyid()[contact.geom[1] as usize] as usize == probe;
        if is_second {
            contact.force_in_world()[2]
        } else {
            -contact.force_in_world()[2]
        }
    };
    physics.contacts().iter().map(on_probe).sum()
}

/// Repeats the oracle's press; the force of every sample may differ by at most `tolerance` of the peak.
fn same_press(name: &str, shape: Shape, probe_geom: &str, tolerance: f64) {
    let oracle = recorded(name);
    let peak = oracle.iter().map(|sample| sample.force).fold(0.0, f64::max);
    let deepest = oracle.iter().map(|sample| sample.probe).fold(0.0, f64::min);
    assert!(
        deepest < -0.0305 && peak > 50.0,
        "the press is 3 cm deep: {deepest} m, {peak} N"
    );

    let model = press_scene(shape, probe_geom);
    let probe = names::find(&model, ObjectType::Body, "probe").unwrap();
    let probe_qpos = names::joint(&model, "probe").unwrap().qpos;
    let particle_qpos = names::joint(&model, "torso/J4_3_5").unwrap().qpos;
    let mut physics = Physics::new(model).unwrap();
    let mut worst = [0.0_f64; 3];
    for sample in &oracle {
        while physics.time() < sample.time - 1e-9 {
            physics.ctrl_mut()[0] = -command(physics.time());
            physics.step().unwrap();
        }
        let errors = [
            (force_on(&physics, probe) - sample.force).abs() / peak,
            (physics.qpos()[probe_qpos] - sample.probe).abs(),
            (physics.qpos()[particle_qpos] - sample.particle).abs(),
        ];
        for (worst, error) in worst.iter_mut().zip(errors) {
            *worst = worst.max(error);
        }
    }
    let [force, probe, particle] = worst;
    assert!(
        force <= tolerance,
        "{name}: the force differs by {force:.1e} of the peak of {peak:.1} N, the probe by {probe:.1e} m, the particle by {particle:.1e} m"
    );
}

#[test]
fn a_sphere_pressed_into_the_cylinder_has_the_force_of_mujoco_3_2_4() {
    let probe = r#"<geom type="sphere" size="0.04" pos="0.011 0.007 0.1455" mass="5"/>"#;
    same_press("cylinder_sphere", Shape::Cylinder, probe, 1e-6);
}

#[test]
fn a_capsule_pressed_into_the_box_has_the_force_of_mujoco_3_2_4() {
    let probe = r#"<geom type="capsule" size="0.02" fromto="-0.021 0.011 0.1255 0.035 0.007 0.1255" mass="5"/>"#;
    same_press("box_capsule", Shape::Box, probe, 1e-6);
}
