//! Contract: a closed skin becomes a torso of every kind that has its size and its outline, and what is no trunk is refused.

use std::sync::Arc;

use insonate_meshes::TriangleMesh;
use insonate_models::patients::{BodyShape, Trunk};
use insonate_models::torsos::{self, Shape, TorsoConfig};
use insonate_models::{SceneConfig, probes};

/// Half axes of the trunk to the left and to the front, half of its length, and the middle [m].
const HALF: [f64; 3] = [0.17, 0.11, 0.28];
const MIDDLE: [f64; 3] = [0.05, -0.4, 0.3];
/// Edge of the cells of the skin [m].
const CELL: f64 = 0.01;

/// An elliptic trunk with a narrow neck at its head end.
fn skin() -> TriangleMesh {
    let low = [0, 1, 2].map(|axis| MIDDLE[axis] - 0.45);
    let high = low.map(|x| x + 0.9);
    TriangleMesh::isosurface([low, high], CELL, |place| {
        let [x, y, z] = [0, 1, 2].map(|axis| place[axis] - MIDDLE[axis]);
        let trunk = ((x / HALF[0]).hypot(z / HALF[1]) - 1.0) * HALF[1];
        let neck = x.hypot(z) - 0.05;
        (trunk.max(y.abs() - HALF[2])).min(neck.max(y - 0.38).max(-y))
    })
}

fn body() -> Arc<BodyShape> {
    Arc::new(BodyShape::of_skin(&skin()).expect("it is a trunk"))
}

#[test]
fn the_trunk_has_the_size_of_the_skin_and_stands_on_the_table() {
    let body = body();
    // The neck is left out. The sections of both ends are a little inside of the skin.
    for (own, wanted) in body.half_size().into_iter().zip(HALF) {
        assert!((own - wanted).abs() < 0.006, "{own} {wanted}");
    }
    let origin = [MIDDLE[0], MIDDLE[1], MIDDLE[2] - HALF[1]];
    for (own, wanted) in body.origin.into_iter().zip(origin) {
        assert!((own - wanted).abs() < 0.004, "{own} {wanted}");
    }
    let trunk = Trunk::Body(body);
    for step in 0..60 {
        let share = f64::from(step) / 59.0;
        // Front, back and flanks.
        for [u, w] in [
            [2.0 * share - 1.0, 1.0],
            [2.0 * share - 1.0, 0.0],
            [1.0, share],
            [-1.0, share],
        ] {
            let [x, _, z] = trunk.point([u, w, 0.3]);
            let off = (x / HALF[0]).hypot((z - HALF[1]) / HALF[1]) - 1.0;
            assert!(off.abs() * HALF[1] < 0.002, "{u} {w}: {off}");
        }
        let [x, y, z] = trunk.point([2.0 * share - 1.0, 0.5, 0.0]);
        assert!((x / HALF[0]).hypot((z - HALF[1]) / HALF[1]) < 1.001 && y.abs() < 1e-9);
    }
    let [left, ..] = trunk.point([0.9, 0.6, 0.0]);
    assert!(left > 0.1, "u is to the left: {left}");
}

#[test]
fn every_kind_of_torso_is_made_of_it() {
    let body = body();
    for kind in torsos::ALL {
        let config = SceneConfig {
            torso: kind.name.to_owned(),
            shape: Shape::Adult,
            body: Some(body.clone()),
            ..SceneConfig::default()
        };
        let scene = config.build().expect("it is a scene");
        let xml = scene.to_mjcf().expect("it is a document").to_xml();
        assert!(xml.is_ok());
        let torso = scene.torso.expect("there is a torso");
        assert!(torso.config.physique().is_none());
        let [low, high] = torso.surface.bounds();
        for axis in [0, 1] {
            let half = [HALF[0], HALF[2]][axis];
            let reach = 0.5 * (high[axis] - low[axis]);
            assert!((reach - half).abs() < 0.03, "{} {axis}: {reach}", kind.name);
        }
        assert!(
            (high[2] - 2.0 * HALF[1]).abs() < 0.02,
            "{}: {high:?}",
            kind.name
        );
        assert!(torso.surface.volume() > 0.0, "{}", kind.name);
    }
}

#[test]
fn a_lattice_follows_the_spacing() {
    let kind = torsos::by_name("xpbd").expect("it is a kind");
    let coarse = TorsoConfig::of_body(body(), kind.adult_spacing);
    let fine = coarse.clone().with_max_spacing(0.5 * kind.adult_spacing);
    for (a, b) in coarse.count.into_iter().zip(fine.count) {
        assert!(
            (1.8..2.3).contains(&((b - 1) as f64 / (a - 1) as f64)),
            "{a} {b}"
        );
    }
    assert!(probes::c5_2().thickness > 0.0);
}

#[test]
fn what_is_no_trunk_is_refused() {
    let ball = TriangleMesh::isosurface([[-0.05; 3], [0.05; 3]], 0.005, |place| {
        place.iter().map(|x| x * x).sum::<f64>().sqrt() - 0.03
    });
    for skin in [ball, TriangleMesh::default()] {
        let told = BodyShape::of_skin(&skin)
            .expect_err("it is too small")
            .to_string();
        assert!(told.contains("no torso can be made of the skin"), "{told}");
    }
    let config = TorsoConfig {
        shape: Shape::Box,
        ..TorsoConfig::of_body(body(), 0.03)
    };
    assert!(config.check().is_err());
}
