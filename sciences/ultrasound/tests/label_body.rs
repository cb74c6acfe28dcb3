//! Contract: within a body that another volume defines, label 0 is tissue, for any two grids; gas behind the skin is counted if it has no
//! label.

use insonate_ultrasound::deformation::{Point, Rigid};
use insonate_ultrasound::material::{AIR, FAT, LIVER, LUNG, SOFT_TISSUE};
use insonate_ultrasound::measure::GasBehind;
use insonate_ultrasound::phantom::labels::{LabelImage, MaterialTable, VoxelFrame};
use insonate_ultrasound::phantom::{LabelVolume, Phantom};
use insonate_ultrasound::transducer::l11_5v;
use insonate_ultrasound::{BMode, Material, Settings, View};
use nalgebra::{Matrix3, Rotation3, Vector3};

fn image(count: [usize; 3], frame: VoxelFrame, label: impl Fn(&Point) -> i64) -> LabelImage {
    let n = count.iter().product();
    let labels: Vec<i64> = (0..n)
        .map(|at: usize| {
            let index = [
                at % count[0],
                at / count[0] % count[1],
                at / count[0] / count[1],
            ];
            let middle = frame.origin + frame.steps * Vector3::from(index.map(|n| n as f64));
            label(&Point::from(middle.cast::<f32>()))
        })
        .collect();
    LabelImage::new(count, frame, &labels).expect("the test is valid")
}

fn table(labels: &[(i64, Material)]) -> MaterialTable {
    MaterialTable {
        outside: AIR,
        body: SOFT_TISSUE,
        labels: labels.iter().copied().collect(),
    }
}

/// Cubic voxels with an edge [m], centred at the origin.
fn cubes(n: usize, edge: f64) -> VoxelFrame {
    VoxelFrame {
        origin: Vector3::repeat(-0.5 * edge * (n as f64 - 1.0)),
        steps: Matrix3::from_diagonal_element(edge),
    }
}

/// A ball of liver in the centre of an unlabelled ball.
fn organ(point: &Point) -> i64 {
    5 * i64::from(point.coords.norm() < 0.008)
}

fn body(point: &Point) -> i64 {
    i64::from(point.coords.norm() < 0.02)
}

fn name(volume: &LabelVolume, at: [f32; 3]) -> &'static str {
    volume.materials()[usize::from(volume.place(&Point::from(at)).material)].name
}

/// The body's grid is rotated, finer, and larger than the grid of the labels, which only contains the organ.
#[test]
fn unlabelled_voxels_of_a_body_on_any_grid_are_tissue() {
    let organs = image([20; 3], cubes(20, 1e-3), organ);
    let turn = Rotation3::from_euler_angles(0.4, -0.7, 1.2);
    let mut oblique = cubes(70, 0.7e-3);
    oblique.origin = turn * oblique.origin;
    oblique.steps = turn.matrix() * oblique.steps;
    let body = image([70; 3], oblique, body);
    let known = [(0, AIR), (5, LIVER)];
    let volume = LabelVolume::within(&organs, &table(&known), &body).expect("both are valid");
    for way in [Vector3::x(), -Vector3::y(), Vector3::new(0.6, 0.0, -0.8)] {
        let at = |radius: f32| name(&volume, (way * radius).into());
        assert_eq!(at(0.0), "liver");
        assert_eq!(at(0.0065), "liver");
        assert_eq!(at(0.0095), "soft tissue");
        // Beyond the labels' own grid.
        assert_eq!(at(0.0185), "soft tissue");
        assert_eq!(at(0.0215), "air");
    }
    assert_eq!(volume.beyond_body(), 0.0);
    // Without a body, material indices are unchanged; the body's material is appended.
    let names: Vec<&str> = volume.materials().iter().map(|own| own.name).collect();
    assert_eq!(names, ["air", "liver", "soft tissue"]);
    let fat = MaterialTable {
        body: FAT,
        ..table(&known)
    };
    let volume = LabelVolume::within(&organs, &fat, &body).expect("both are valid");
    assert_eq!(name(&volume, [0.0, 0.0, 0.0185]), "fat");
    // The probe stands on the body and not on the organ.
    let pose = volume
        .probe_pose([0.0, 0.0], 0.0, 0.0)
        .expect("there is skin");
    assert!((pose.translation.vector.z - 0.02).abs() < 1e-3, "{pose}");
}

#[test]
fn invalid_bodies_are_refused() {
    let organs = image([20; 3], cubes(20, 1e-3), organ);
    let refused = |body: &LabelImage, table: &MaterialTable| {
        let volume = LabelVolume::within(&organs, table, body);
        volume.map(drop).expect_err("it is wrong").to_string()
    };
    let known = table(&[(0, AIR), (5, LIVER)]);
    let whole = image([50; 3], cubes(50, 1e-3), body);
    let empty = image([20; 3], cubes(20, 1e-3), |_| 0);
    assert!(
        refused(&empty, &known).contains("body is \"empty\""),
        "{}",
        refused(&empty, &known)
    );
    // A body at the organ only.
    let small = image([20; 3], cubes(20, 1e-3), organ);
    assert!(refused(&small, &known).contains("elsewhere"));
    let mut far = cubes(2, 1e-3);
    far.origin += Vector3::repeat(5.0);
    assert!(refused(&image([2; 3], far, |_| 1), &known).contains("voxels"));
    let filled = table(&[(0, FAT), (5, LIVER)]);
    assert!(refused(&whole, &filled).contains("label 0"));
    let hollow = MaterialTable {
        body: LUNG,
        ..known.clone()
    };
    assert!(refused(&whole, &hollow).contains("body"));
    // A third of the organ is outside of a displaced body.
    let mut aside = cubes(50, 1e-3);
    aside.origin.x += 0.02;
    let aside = image([50; 3], aside, |point| i64::from(point.x > -0.002));
    let volume = LabelVolume::within(&organs, &known, &aside).expect("they overlap");
    // A cap of height 6 mm of a ball of radius 8 mm: 3 h² (3 r − h) / (12 r³).
    let share = 0.25 * 6.0f64.powi(2) * (3.0 * 8.0 - 6.0) / 8.0f64.powi(3);
    assert!(
        (volume.beyond_body() - share).abs() < 0.05,
        "{} {share}",
        volume.beyond_body()
    );
}

fn behind(volume: &LabelVolume) -> GasBehind {
    let settings = Settings {
        n_lines: 64,
        n_samples: 400,
        depth: 0.04,
        ..Settings::of(&l11_5v())
    };
    let mut b_mode = BMode::new(&l11_5v(), &settings).expect("the test is valid");
    let pose = volume.probe_pose([0.0, 0.0], 0.0, 0.001);
    let pose = pose.expect("there is skin");
    let rigid = Rigid::default();
    let view = View::new(volume, &rigid, &pose).expect("the test is valid");
    let frame = b_mode.labels(&view).clone();
    let unlabelled = volume.unlabelled();
    let is_within = |line: usize, sample: usize| {
        let rest = view.rest(&b_mode.point(line, sample));
        rest.is_some_and(|rest| unlabelled.has_voxel(&rest))
    };
    GasBehind::new(&frame, volume.materials(), &unlabelled.gases, is_within)
}

/// Only 25 mm from front to back.
fn short_frame() -> VoxelFrame {
    VoxelFrame {
        origin: Vector3::new(-0.0495, -0.0095, -0.02475),
        steps: Matrix3::from_diagonal(&Vector3::new(1e-3, 1e-3, 0.5e-3)),
    }
}

/// Layers as wide as the probe, by depth below the front.
fn layers(label: impl Fn(f32) -> i64) -> LabelImage {
    let frame = VoxelFrame {
        origin: Vector3::new(-0.0495, -0.0095, -0.0495),
        steps: Matrix3::from_diagonal_element(1e-3),
    };
    image([100, 20, 50], frame, |point| label(-1e3 * point.z))
}

#[test]
fn gas_behind_the_skin_counts_where_it_has_no_label() {
    let known = table(&[(0, AIR), (5, LIVER), (16, AIR), (17, LUNG)]);
    let found = |label: &dyn Fn(f32) -> i64| {
        let volume = LabelVolume::new(&layers(label), &known).expect("all labels are known");
        behind(&volume)
    };
    let near = |found: f64, wanted: f64| assert!((found - wanted).abs() < 0.01, "{found} {wanted}");
    // The face is a millimetre deep in the skin; the picture is 40 mm deep.
    let whole = found(&|_| 5);
    assert_eq!(whole, GasBehind::default());
    assert!(!whole.is_uncertain());
    let between = found(&|depth| if (11.0..19.0).contains(&depth) { 0 } else { 5 });
    near(between.share, 0.2);
    near(between.enclosed, 0.2);
    assert!(between.is_uncertain());
    let after = found(&|depth| if depth > 15.0 { 0 } else { 5 });
    near(after.share, 0.65);
    near(after.enclosed, 0.0);
    assert!(after.is_uncertain());
    // The back of a body, and gases with a label.
    let back = found(&|depth| if depth > 29.0 { 0 } else { 5 });
    near(back.share, 0.3);
    assert!(!back.is_uncertain());
    // The volume ends within tissue.
    let short = image([100, 20, 50], short_frame(), |_| 5);
    let short = LabelVolume::new(&short, &known).expect("all labels are known");
    assert_eq!(behind(&short), GasBehind::default());
    for gas in [16, 17] {
        let gas = found(&|depth| {
            if (11.0..35.0).contains(&depth) {
                gas
            } else {
                5
            }
        });
        assert_eq!(gas, GasBehind::default());
    }
}
