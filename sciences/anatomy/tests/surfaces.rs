//! Contract: surfaces of classes are closed, smooth, and as large as their voxels.

use std::f64::consts::PI;

use insonate_anatomy::{SurfaceSettings, Tissues, class_surface, skin};
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
    labelled(count, |place| i64::from(is_liver(place)))
}

/// A segmentation whose labels are 1, the liver, and 2, the body.
fn labelled(count: [usize; 3], label: impl Fn(&Vector3<f64>) -> i64) -> Segmentation {
    let frame = frame(count);
    let [nx, ny, nz] = count;
    let labels: Vec<i64> = (0..nx * ny * nz)
        .map(|n| {
            let index = Vector3::new(n % nx, n / nx % ny, n / nx / ny).map(|n| n as f64);
            label(&(frame.origin + frame.steps * index))
        })
        .collect();
    let image = LabelImage::new(count, frame, &labels).expect("the volume is valid");
    let map = ClassMap::parse("[classes]\n1 = \"liver\"\n2 = \"body_trunc\"\n")
        .expect("the table is valid");
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

/// Random voxels of a coarse grid, whose corners and edges touch in all ways.
#[test]
fn rough_classes_have_closed_surfaces() {
    let mut state = 7u64;
    for _ in 0..6 {
        let mut voxels = vec![false; 1000];
        for voxel in &mut voxels {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            *voxel = state >> 62 == 0;
        }
        let steps = Matrix3::from_diagonal_element(0.003);
        let frame = VoxelFrame {
            origin: Vector3::zeros(),
            steps,
        };
        let labels: Vec<i64> = voxels.iter().map(|own| i64::from(*own)).collect();
        let image = LabelImage::new([10; 3], frame, &labels).expect("the volume is valid");
        let map = ClassMap::parse("[classes]\n1 = \"liver\"\n").expect("the table is valid");
        let rough = Segmentation::of(image, Some(&map)).expect("the volume has names");
        let mesh = class_surface(&rough, "liver", &SurfaceSettings::default());
        let mesh = mesh.expect("it is closed").expect("it has voxels");
        mesh.check_closed().expect("it is closed");
    }
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

/// A trunk along the head's axis with a liver, two cavities that are open at the head's end of the scan, and a table behind it.
#[test]
fn the_skin_is_closed_without_lungs_and_table() {
    let inside = |place: &Vector3<f64>, [a, b]: [f64; 2]| {
        (place.x / a).powi(2) + (place.z / b).powi(2) < 1.0
    };
    let trunk = labelled([70, 70, 60], |place| {
        let lung = |side: f64| {
            let off = place - Vector3::new(side * 0.016, 0.0, 0.0);
            inside(&off, [0.009, 0.012]) && place.y > 0.0
        };
        let is_table = place.z < -0.036 && place.z > -0.042 && place.x.abs() < 0.04;
        if !inside(place, [0.04, 0.03]) {
            return 2 * i64::from(is_table);
        }
        match place {
            _ if lung(1.0) || lung(-1.0) => 0,
            _ if (place - Vector3::new(-0.01, -0.02, 0.0)).norm() < 0.01 => 1,
            _ => 2,
        }
    });
    let tissues = Tissues::standard().expect("the table is valid");
    let skin = skin(&trunk, &tissues, &SurfaceSettings::default()).expect("it is closed");
    skin.surface.check_closed().expect("it is closed");
    let [n_vertices, n_triangles] = [skin.surface.positions.len(), skin.surface.triangles.len()];
    assert_eq!(
        n_vertices + n_triangles,
        3 * n_triangles / 2 + 2,
        "it has no handles"
    );
    let error = skin.surface.volume() / skin.volume - 1.0;
    assert!(error.abs() < 0.01, "{error}");
    // Where the edges of the volume do not cut it, the skin is the ellipse, and nowhere in the lungs or at the table.
    let mut n_checked = 0;
    for [x, y, z] in &skin.surface.positions {
        let radius = (x / 0.04).hypot(z / 0.03);
        assert!(radius < 1.05, "{x} {y} {z}");
        if y.abs() < 0.02 {
            n_checked += 1;
            assert!((radius - 1.0).abs() < 0.04, "{x} {y} {z}");
        }
    }
    assert!(n_checked > 200, "{n_checked}");
    assert!(skin.filled > 1e-5 && skin.left_out > 1e-5, "{skin:?}");
}

#[test]
fn a_skin_needs_a_body() {
    let ball = segmentation([20; 3], |place| place.norm() < 0.01);
    let tissues = Tissues::standard().expect("the table is valid");
    let told = skin(&ball, &tissues, &SurfaceSettings::default());
    let told = told.expect_err("there is no body").to_string();
    assert!(
        told.contains("liver") && told.contains("body_trunc"),
        "{told}"
    );
}
