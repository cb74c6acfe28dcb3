//! A rod in a lumen is drawn at its position: capsules between its nodes, the camera at its tip, and the arm's handle at its base.

#![expect(clippy::unwrap_used, reason = "a test that panics has failed")]

use insonate_meshes::TriangleMesh;
use insonate_models::robots;
use insonate_sim::names::{self, ObjectType};
use insonate_sim::readings::ProbeFrame;
use insonate_sim::rod_scene::{RodPose, RodScene, RodSceneDescription, SCOPE, WallView};
use nalgebra::Vector3;

const LENGTH: f64 = 0.3;

/// An arc that starts from above.
fn nodes(n_nodes: usize) -> Vec<Vector3<f64>> {
    let radius = 0.4;
    (0..n_nodes)
        .map(|node| {
            let angle = LENGTH * node as f64 / (n_nodes - 1) as f64 / radius;
            Vector3::new(
                radius * (1.0 - angle.cos()),
                0.0,
                0.25 - radius * angle.sin(),
            )
        })
        .collect()
}

fn scene(n_nodes: usize, view: WallView, with_arm: bool) -> RodScene {
    let wall = TriangleMesh::cylinder(0.08, 0.15, 24);
    let carrier = with_arm.then(|| (robots::by_name("panda").unwrap(), [-0.42, 0.12, -0.2]));
    RodScene::new(&RodSceneDescription {
        normals: &wall.vertex_normals(),
        wall: &wall,
        n_nodes,
        length: LENGTH,
        radius: 2e-3,
        tip_length: 0.07,
        carrier,
        view,
    })
    .unwrap()
}

#[test]
fn capsules_lie_between_nodes_and_the_camera_looks_along_the_tip() {
    // Also with more nodes than capsules.
    for n_nodes in [2, 31, 1000] {
        let scene = scene(n_nodes, WallView::Inside, false);
        let mut physics = scene.physics().unwrap();
        let nodes = nodes(n_nodes);
        let pose = RodPose {
            nodes: &nodes,
            up: Vector3::y(),
            target: Some(Vector3::x()),
        };
        scene.show(&mut physics, &pose);
        let data = physics.data();
        let first = Vector3::from(data.mocap_pos()[0]);
        let from_line = nodes
            .iter()
            .map(|node| (node - first).norm())
            .fold(1.0, f64::min);
        assert!(from_line < 0.5 * LENGTH / (n_nodes.min(400) - 1) as f64 + 2e-3);
        let camera = names::find(physics.model(), ObjectType::Camera, SCOPE).unwrap();
        let matrix = data.cam_xmat()[camera];
        let last = nodes.len() - 1;
        let ahead = (nodes[last] - nodes[last - 1]).normalize();
        // A camera looks along its -z.
        let looks = -Vector3::new(matrix[2], matrix[5], matrix[8]);
        assert!((looks - ahead).norm() < 1e-6, "{looks:?} {ahead:?}");
        let place = Vector3::from(data.cam_xpos()[camera]);
        assert!((place - (nodes[last] + ahead * 2e-3)).norm() < 1e-9);
    }
}

#[test]
fn the_arm_holds_the_base() {
    let scene = scene(31, WallView::Outside, true);
    let mut physics = scene.physics().unwrap();
    let nodes = nodes(31);
    scene.show(
        &mut physics,
        &RodPose {
            nodes: &nodes,
            up: Vector3::y(),
            target: None,
        },
    );
    let handle = ProbeFrame::new(physics.model()).unwrap();
    let end = handle.world_from_probe(&physics);
    assert!(
        (end.position - nodes[0]).norm() < 1e-4,
        "{:?}",
        end.position
    );
    let along = end.rotation * Vector3::z();
    assert!(along.dot(&(nodes[1] - nodes[0]).normalize()) > 0.999);
}
