//! Contract: hostile inputs give an error, or a black picture with a reported reason, never a panic.

use insonate_models::patients::Physique;
use insonate_ultrasound::deformation::{
    Deformation, Indentation, Point, Rigid, Tetrahedra, Vector,
};
use insonate_ultrasound::material::{AIR, SOFT_TISSUE};
use insonate_ultrasound::phantom::labels::{LabelImage, MaterialTable, VoxelFrame};
use insonate_ultrasound::phantom::{Adult, Block, LabelVolume, Phantom, PointMaterial};
use insonate_ultrasound::transducer::c5_2;
use insonate_ultrasound::{BMode, Frame, Material, Settings, View};
use nalgebra::{Isometry3, Matrix3, Quaternion, Translation3, UnitQuaternion, Vector3};

fn settings() -> Settings {
    Settings {
        n_lines: 64,
        n_samples: 256,
        ..Settings::of(&c5_2())
    }
}

fn seen(phantom: &dyn Phantom, deformation: &dyn Deformation, pose: &Isometry3<f64>) -> Frame {
    let mut b_mode = BMode::new(&c5_2(), &settings()).expect("the settings are valid");
    let view = View::new(phantom, deformation, pose).expect("the pose is valid");
    b_mode.frame(&view, 0).clone()
}

/// Checks that all numbers are finite; returns the mean level below the ring-down [dB].
fn level(frame: &Frame) -> f32 {
    assert!(frame.envelope.iter().all(|level| level.is_finite()));
    let below = (0..frame.n_lines).flat_map(|line| &frame.line(line)[frame.n_samples / 4..]);
    let (sum, n) = below.fold((0.0, 0), |(sum, n), level| (sum + level, n + 1));
    sum / n as f32
}

#[test]
fn invalid_poses_are_refused() {
    let (block, rigid) = (Block::uniform(SOFT_TISSUE), Rigid::default());
    let turned = |turn: [f64; 4]| {
        let [w, i, j, k] = turn;
        UnitQuaternion::new_unchecked(Quaternion::new(w, i, j, k))
    };
    let at = |x: f64, turn| Isometry3::from_parts(Translation3::new(x, 0.0, 0.0), turn);
    let straight = UnitQuaternion::identity();
    for (pose, named) in [
        (at(f64::NAN, straight), "pose of the probe"),
        (at(f64::INFINITY, straight), "pose of the probe"),
        (at(11.0, straight), "within 10 m"),
        (
            at(0.0, turned([f64::NAN, 0.0, 0.0, 0.0])),
            "pose of the probe",
        ),
        (
            at(0.0, turned([f64::INFINITY, 0.0, 0.0, 0.0])),
            "pose of the probe",
        ),
        (at(0.0, turned([0.0; 4])), "pose of the probe"),
        (at(0.0, turned([3.0, 0.0, 0.0, 0.0])), "pose of the probe"),
    ] {
        let refusal = View::new(&block, &rigid, &pose)
            .err()
            .expect("no pose")
            .to_string();
        assert!(refusal.contains(named), "{refusal}");
    }
}

/// A phantom without materials.
struct EmptyPhantom;

impl Phantom for EmptyPhantom {
    fn materials(&self) -> &[Material] {
        &[]
    }

    fn place(&self, _: &Point) -> PointMaterial {
        PointMaterial {
            material: 0,
            clearance: 0.0,
        }
    }

    fn normal(&self, _: &Point) -> Vector {
        Vector::z()
    }
}

#[test]
fn empty_phantoms_are_refused_or_couple_to_nothing() {
    let rigid = Rigid::default();
    let refusal = View::new(&EmptyPhantom, &rigid, &Isometry3::identity()).err();
    let refusal = refusal.expect("there are no materials").to_string();
    assert!(
        refusal.contains("materials of the phantom is 0"),
        "{refusal}"
    );
    let none = Block {
        materials: Vec::new(),
        depths: Vec::new(),
        rods: Vec::new(),
        scatterers: Vec::new(),
    };
    assert!(
        none.check()
            .expect_err("no material")
            .to_string()
            .contains("materials is")
    );
    let frame = seen(&Block::uniform(AIR), &rigid, &Isometry3::identity());
    assert_eq!(frame.contact_share(), 0.0, "the reason");
    // Below the ring-down there is only the receiver's noise.
    assert!(level(&frame) < -40.0, "{}", level(&frame));
    // A volume of air only has no skin.
    let grid = VoxelFrame {
        origin: Vector3::zeros(),
        steps: Matrix3::from_diagonal_element(1e-3),
    };
    let image = LabelImage::new([8; 3], grid, &[0; 512]).expect("the volume is valid");
    let table = MaterialTable::parse("[labels]\n0 = \"air\"").expect("the table is valid");
    let volume = LabelVolume::new(&image, &table).expect("the volume is valid");
    let refusal = volume
        .probe_pose([0.004, 0.004], 0.0, 0.0)
        .expect_err("no skin")
        .to_string();
    assert!(
        refusal.contains("site") && refusal.contains("above tissue"),
        "{refusal}"
    );
    for wrong in [[0, 8, 8], [8, 8, 9], [usize::MAX, 2, 2]] {
        assert!(
            LabelImage::new(wrong, grid, &[0; 512]).is_err(),
            "{wrong:?}"
        );
    }
}

#[test]
fn invalid_segments_find_no_boundary() {
    let adult = Adult::new(&Physique::default(), 0).expect("an adult");
    let starts = [
        Point::new(-0.07, 0.02, 0.12),
        Point::new(0.0, 0.0, 0.2),
        Point::new(f32::NAN, 0.0, 0.1),
        Point::new(1e30, 0.0, 0.0),
    ];
    for start in starts {
        for way in [0.0, 1e-30, f32::NAN, f32::INFINITY] {
            for axis in [Vector::x(), Vector::z(), Vector::repeat(1.0)] {
                let stretch = adult.stretch(&start, &(way * axis));
                assert!(!stretch.is_boundary, "{start} {way}: {stretch:?}");
            }
        }
    }
}

#[test]
fn a_probe_in_bone_or_far_from_the_skin_sees_black() {
    let adult = Adult::new(&Physique::default(), 0).expect("an adult");
    let rigid = Rigid::default();
    let down = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f32::consts::PI.into());
    // Within the spine, looking to the front: bone reflects and absorbs everything.
    let is_bone = |z: f32| {
        let place = adult.place(&Point::new(0.0, 0.0, z));
        adult.materials()[usize::from(place.material)].name == "bone"
    };
    let spine = (0..200)
        .map(|n| 0.001 * n as f32)
        .find(|&z| (0..12).all(|n| is_bone(z + 0.001 * n as f32)));
    let spine = spine.expect("there is a spine");
    let inside = Isometry3::from_parts(
        Translation3::new(0.0, 0.0, f64::from(spine) + 0.002),
        UnitQuaternion::identity(),
    );
    let frame = seen(&adult, &rigid, &inside);
    let middle = frame.line(32);
    let below = &middle[frame.n_samples / 4..];
    let mean = below.iter().sum::<f32>() / below.len() as f32;
    assert!(mean < -40.0, "{mean} dB behind bone");
    // In the air, a metre above the patient, and next to the patient.
    for place in [
        Translation3::new(0.0, 0.0, 1.2),
        Translation3::new(0.9, 0.0, 0.1),
        Translation3::new(-9.9, 9.9, -9.9),
    ] {
        let far = Isometry3::from_parts(place, down);
        let frame = seen(&adult, &rigid, &far);
        assert_eq!(frame.contact_share(), 0.0, "the reason");
        assert!(level(&frame) < -40.0, "{}", level(&frame));
        // A probe in air causes no indentation.
        let pressed =
            Indentation::new(rigid, &adult, &c5_2(), &far, 0.035).expect("the decay is valid");
        assert_eq!(seen(&adult, &pressed, &far).contact_share(), 0.0);
    }
}

/// A unit cube of 10 cm below the face, of 5 tetrahedra.
fn cube() -> (Vec<Point>, Vec<[u32; 4]>) {
    let corners = (0..8).map(|n: u32| {
        let bit = |axis: u32| (n >> axis & 1) as f32 * 0.1;
        Point::new(bit(0) - 0.05, bit(1) - 0.05, bit(2))
    });
    let tets = vec![
        [0, 1, 2, 4],
        [3, 2, 1, 7],
        [5, 4, 7, 1],
        [6, 7, 4, 2],
        [1, 2, 4, 7],
    ];
    (corners.collect(), tets)
}

#[test]
fn inverted_tetrahedra_leave_a_hole_and_no_nan() {
    let (rest, tets) = cube();
    let block = Block::uniform(SOFT_TISSUE);
    let whole = Tetrahedra::new(&rest, &rest, &tets).expect("the cube is valid");
    let pose = Isometry3::translation(0.0, 0.0, 0.001);
    assert!(seen(&block, &whole, &pose).contact_share() > 0.9);
    // A corner that is pulled through the opposite face inverts its tetrahedra.
    let mut folded = rest.clone();
    folded[7] = Point::new(-0.2, -0.2, -0.2);
    let partly = Tetrahedra::new(&rest, &folded, &tets).expect("some are upright");
    let frame = seen(&block, &partly, &pose);
    level(&frame);
    // All tetrahedra inverted: mirrored.
    let mirrored: Vec<Point> = rest
        .iter()
        .map(|point| Point::new(-point.x, point.y, point.z))
        .collect();
    let refusal = Tetrahedra::new(&rest, &mirrored, &tets)
        .expect_err("all are inverted")
        .to_string();
    assert!(refusal.contains("neither flat nor inverted"), "{refusal}");
    let flat: Vec<Point> = rest
        .iter()
        .map(|point| Point::new(point.x, point.y, 0.0))
        .collect();
    assert!(Tetrahedra::new(&rest, &flat, &tets).is_err());
    // Nearly flat: huge strains, but finite numbers.
    let thin: Vec<Point> = rest
        .iter()
        .map(|point| Point::new(point.x, point.y, 1e-9 * point.z))
        .collect();
    if let Ok(thin) = Tetrahedra::new(&rest, &thin, &tets) {
        level(&seen(&block, &thin, &Isometry3::identity()));
    }
    let mut wild = rest.clone();
    wild[3].x = f32::NAN;
    let refusal = Tetrahedra::new(&rest, &wild, &tets)
        .expect_err("not a number")
        .to_string();
    assert!(refusal.contains("vertex is \"3\""), "{refusal}");
    assert!(Tetrahedra::new(&rest, &rest[1..], &tets).is_err());
    assert!(Tetrahedra::new(&rest, &rest, &[[0, 1, 2, 8]]).is_err());
    assert!(Tetrahedra::new(&rest, &rest, &[]).is_err());
}

/// 10⁶ voxels, each with another label than its neighbours: the walk cannot leap, but ends.
#[test]
fn a_million_cells_of_noise_are_walked() {
    let n = 100;
    let grid = VoxelFrame {
        origin: Vector3::new(-0.05, -0.05, 0.0),
        steps: Matrix3::from_diagonal_element(1e-3),
    };
    let labels: Vec<i64> = (0..n * n * n)
        .map(|at: i64| (at % n + at / n % n + at / (n * n)) % 7)
        .collect();
    let image = LabelImage::new([100; 3], grid, &labels).expect("the volume is valid");
    let names = ["liver", "fat", "muscle", "blood", "bone", "air", "spleen"];
    let lines = names.iter().enumerate();
    let lines: Vec<String> = lines
        .map(|(label, name)| format!("{label} = \"{name}\""))
        .collect();
    let text = format!("outside = \"gel\"\n[labels]\n{}", lines.join("\n"));
    let table = MaterialTable::parse(&text).expect("the table is valid");
    let volume = LabelVolume::new(&image, &table).expect("the volume is valid");
    let frame = seen(&volume, &Rigid::default(), &Isometry3::identity());
    level(&frame);
    for wild in [f32::NAN, f32::INFINITY, -1e30, 1e30] {
        let point = Point::new(wild, 0.0, 0.01);
        assert_eq!(volume.place(&point).material, 0);
        assert!(volume.normal(&point).iter().all(|x| x.is_finite()));
    }
}
