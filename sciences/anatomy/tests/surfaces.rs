//! Contract: surfaces of classes are closed, smooth, and as large as their voxels.

use std::f64::consts::PI;

use insonate_anatomy::{SurfaceSettings, class_surface};
use insonate_volumes::{ClassMap, LabelImage, Segmentation, VoxelFrame};
use nalgebra::{Matrix3, Rotation3, Vector3};

/// Voxels of 1.5 mm, turned by 20°, around the origin.
fn frame(count: [usize; 3]) -> VoxelFrame {
    let turn = Rotation3::from_euler_angles(0.1, 20f64.to_radians(), -0.2);
    let steps = turn.matrix() * Matrix3::from_diagonal_element(1.5e-3);
    let half = Vector3::from(count.map(|n| 0.5 * (n as f64 - 1.0)));
    VoxelFrame {
        origin: -(steps * half),
        steps,
    }
}

fn segmentation(count: [usize; 3], is_liver: impl Fn(&Vector3<f64>) -> bool) -> Segmentation {
    let frame = frame(count);
    let [nx, ny, nz] = count;
    let labels: Vec<i64> = (0..nx * ny * nz)
        .map(|n| {
            let index = Vector3::new(n % nx, n / nx % ny, n / nx / ny).map(|n| n as f64);
            i64::from(is_liver(&(frame.origin + frame.steps * index)))
        })
        .collect();
    let image = LabelImage::new(count, frame, &labels).expect("the volume is valid");
    let map = ClassMap::parse("[classes]\n1 = \"liver\"\n").expect("the table is valid");
    Segmentation::of(image, Some(&map)).expect("the volume has names")
}

/// Volume of the voxels [m³].
fn voxels(segmentation: &Segmentation) -> f64 {
    segmentation.classes()[0].n_voxels as f64 * segmentation.voxel_volume()
}

#[test]
fn a_ball_keeps_its_volume_radius_and_place() {
    let centre = Vector3::new(0.004, -0.003, 0.005);
    let radius = 0.025;
    let ball = segmentation([50; 3], |place| (place - centre).norm() < radius);
    let mesh = class_surface(&ball, "liver", &SurfaceSettings::default());
    let mesh = mesh.expect("a ball is closed").expect("it has voxels");
    mesh.check_closed().expect("it is closed");
    let volume = mesh.volume();
    assert!((volume / voxels(&ball) - 1.0).abs() < 0.01, "{volume}");
    assert!(
        (volume / (4.0 / 3.0 * PI * radius.powi(3)) - 1.0).abs() < 0.02,
        "{volume}"
    );
    for position in &mesh.positions {
        let off = (Vector3::from(*position) - centre).norm() - radius;
        assert!(off.abs() < 0.6e-3, "{off}");
    }
    // A closed surface without handles has two more vertices and triangles than edges.
    let [n_vertices, n_triangles] = [mesh.positions.len(), mesh.triangles.len()];
    assert_eq!(n_vertices + n_triangles, 3 * n_triangles / 2 + 2);
}

#[test]
fn a_vessel_of_6_mm_keeps_its_volume() {
    let radius = 0.003;
    let is_in = |place: &Vector3<f64>| {
        place.x.hypot(place.z - 0.01 * (40.0 * place.y).sin()) < radius && place.y.abs() < 0.04
    };
    let vessel = segmentation([60, 80, 60], is_in);
    let settings = SurfaceSettings {
        cell: 0.0015,
        blur: 0.0015,
    };
    let mesh = class_surface(&vessel, "liver", &settings);
    let mesh = mesh.expect("a vessel is closed").expect("it has voxels");
    let error = mesh.volume() / voxels(&vessel) - 1.0;
    assert!(error.abs() < 0.01, "{error}");
}

/// The edge of the volume cuts through a ball.
#[test]
fn a_class_that_is_cut_off_has_a_closed_surface() {
    let count = [24, 40, 40];
    let edge = frame(count).origin;
    let ball = segmentation(count, |place| (place - 0.4 * edge).norm() < 0.025);
    let mesh = class_surface(&ball, "liver", &SurfaceSettings::default());
    let mesh = mesh.expect("it is closed").expect("it has voxels");
    let error = mesh.volume() / voxels(&ball) - 1.0;
    assert!(error.abs() < 0.01, "{error}");
}

#[test]
fn missing_classes_have_no_surface_and_wrong_settings_are_refused() {
    let ball = segmentation([20; 3], |place| place.norm() < 0.01);
    let settings = SurfaceSettings::default();
    assert_eq!(class_surface(&ball, "spleen", &settings), Ok(None));
    for (cell, blur, named) in [(0.0, 0.002, "cell"), (0.003, f64::NAN, "blur")] {
        let told = class_surface(&ball, "liver", &SurfaceSettings { cell, blur });
        assert!(told.expect_err("it is wrong").to_string().contains(named));
    }
}
