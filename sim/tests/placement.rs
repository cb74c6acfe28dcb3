//! Contract: the probe is placed at the requested position, facing the skin; the height map equals the skin to a fraction of a millimetre.

use insonate_meshes::HeightIndex;
use insonate_models::torsos::{TorsoConfig, composite};
use insonate_models::{Scene, probes, robots};
use insonate_sim::placement::{HeightMap, ProbePlacement, Skin, SkinPoint};
use insonate_sim::{CompiledScene, Physics};
use nalgebra::Vector3;

fn scene() -> Scene {
    let torso = composite(&TorsoConfig::default()).expect("the torso is valid");
    Scene::new(robots::panda::panda(), probes::c5_2(), Some(torso))
}

fn point(scene: &Scene, x: f64, y: f64) -> Option<SkinPoint> {
    let surface = &scene.torso.as_ref()?.surface;
    SkinPoint::above(&HeightIndex::new(surface), scene.torso_position, x, y)
}

#[test]
fn the_probe_faces_the_skin_at_its_height_with_its_array_across_the_path() {
    let scene = scene();
    let compiled = CompiledScene::compile(&scene.to_mjcf().expect("valid")).expect("compiles");
    let mut physics = Physics::from_scene(&compiled).expect("starts");
    let placement = ProbePlacement::new(&physics).expect("an arm and a probe");
    let skin = point(&scene, 0.02, -0.03).expect("the torso is there");
    for path in [None, Some(Vector3::y()), Some(-Vector3::y())] {
        let goal = placement.pose_on(&skin, 0.01, path);
        placement.place(&mut physics, &goal).expect("in reach");
        let pose = placement.probe.world_from_probe(&physics);
        // The tolerance of the inverse kinematics is 1e-6 m and rad.
        let height = (pose.position - skin.position).dot(&skin.normal);
        assert!((height - 0.01).abs() < 2e-6, "{height}");
        assert!((pose.z_axis() + skin.normal).norm() < 2e-6);
        let along = (pose.rotation * Vector3::x()).dot(&path.unwrap_or_default());
        assert!(along.abs() < 0.05, "{along}");
        let force = physics
            .force_torque()
            .map(|sensor| sensor.wrench_in_world().force);
        assert_eq!(force, Some(Vector3::zeros()));
    }
}

#[test]
fn the_height_map_is_the_skin() {
    let scene = scene();
    let skin = Skin::Torso(HeightMap::of_torso(&scene).expect("the scene has a torso"));
    let [x0, y0, _] = scene.torso_position;
    for (x, y) in [(0.0, 0.0), (0.031, -0.052), (-0.047, 0.103), (0.0713, 0.02)] {
        let exact = point(&scene, x, y).expect("the torso is there");
        let map = skin.above(x + x0, y + y0).expect("the torso is there");
        let error = (map.position - exact.position).norm();
        assert!(error < 2e-4, "({x}, {y}): {error} m");
        let angle = map.normal.angle(&exact.normal);
        assert!(angle < 0.05, "({x}, {y}): {angle} rad");
    }
    assert_eq!(point(&scene, 2.0, 0.0), None);
    assert_eq!(skin.above(x0 + 2.0, y0), None);
}
