//! Surfaces of geoms as meshes: volumes and places by hand.

use std::f64::consts::PI;

use insonate_meshes::TriangleMesh;
use insonate_models::mjcf::{Mjcf, ReadOptions};
use insonate_sim::{CompiledScene, Physics, visible_surfaces};

/// A body that is moved and turned by 90° about x, with a geom of each kind.
const SCENE: &str = r#"
<mujoco>
  <asset>
    <material name="glass" rgba="0.1 0.2 0.3 0.4"/>
    <mesh name="pyramid" vertex="0 0 0  0.3 0 0  0 0.3 0  0 0 0.3"/>
  </asset>
  <worldbody>
    <geom type="plane" size="1 1 0.1"/>
    <body name="arm/link" pos="1 2 3" euler="90 0 0">
      <geom type="box" size="0.1 0.2 0.3" rgba="1 0 0 1"/>
      <geom type="sphere" size="0.1" material="glass"/>
      <geom type="capsule" size="0.1 0.4"/>
      <geom type="cylinder" size="0.1 0.4" pos="0 0 1"/>
      <geom type="ellipsoid" size="0.1 0.2 0.3"/>
      <geom type="mesh" mesh="pyramid"/>
      <geom type="box" size="0.5 0.5 0.5" group="3"/>
      <geom type="box" size="0.5 0.5 0.5" rgba="1 1 1 0"/>
    </body>
    <body name="torso/skin"><geom type="box" size="1 1 1"/></body>
  </worldbody>
</mujoco>"#;

/// Centre of gravity of what a closed surface encloses.
fn centre(mesh: &TriangleMesh) -> [f64; 3] {
    let mut sum = nalgebra::Vector3::zeros();
    for index in 0..mesh.triangles.len() {
        let [a, b, c] = mesh.corners(index);
        sum += a.dot(&b.cross(&c)) / 24.0 * (a + b + c);
    }
    (sum / mesh.volume()).into()
}

#[test]
fn geoms_are_closed_meshes_where_mujoco_draws_them() {
    let scene = Mjcf::read_str(SCENE, "scene.xml", &ReadOptions::default()).unwrap();
    let scene = CompiledScene::compile(&scene).unwrap();
    let physics = Physics::from_scene(&scene).unwrap();
    let surfaces = visible_surfaces(&scene, &physics, "torso/").unwrap();
    // The pyramid's volume is a sixth of a cube.
    let volumes = [
        0.2 * 0.4 * 0.6,
        4.0 / 3.0 * PI * 0.1_f64.powi(3),
        4.0 / 3.0 * PI * 0.1_f64.powi(3) + PI * 0.01 * 0.8,
        PI * 0.01 * 0.8,
        4.0 / 3.0 * PI * 0.1 * 0.2 * 0.3,
        0.3_f64.powi(3) / 6.0,
    ];
    assert_eq!(surfaces.len(), volumes.len());
    for (index, (surface, volume)) in surfaces.iter().zip(volumes).enumerate() {
        let own = surface.mesh.volume();
        assert!((own / volume - 1.0).abs() < 0.02, "{index}: {own} {volume}");
        assert_eq!(surface.body, "arm/link");
    }
    // A turn by 90° about x takes y to z and z to −y.
    assert_eq!(surfaces[0].color, [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(surfaces[1].color, [0.1, 0.2, 0.3, 0.4]);
    let near = |a: [f64; 3], b: [f64; 3]| (0..3).all(|axis| (a[axis] - b[axis]).abs() < 1e-3);
    let [low, high] = surfaces[0].mesh.bounds();
    assert!(near(low, [0.9, 1.7, 2.8]) && near(high, [1.1, 2.3, 3.2]));
    assert!(near(centre(&surfaces[2].mesh), [1.0, 2.0, 3.0]));
    assert!(near(centre(&surfaces[3].mesh), [1.0, 1.0, 3.0]));
    assert!(near(centre(&surfaces[5].mesh), [1.075, 1.925, 3.075]));
}
