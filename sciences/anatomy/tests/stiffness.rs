//! Contract: the skin feels as stiff as exact solutions of layers say, and stiffer above a rib.

use insonate_anatomy::{Patient, PatientSettings, StiffnessMap, Tissues, face_stiffness};
use insonate_volumes::{ClassMap, LabelImage, Segmentation, VoxelFrame};
use nalgebra::{Matrix3, Vector3};

/// Exact stiffness of a rigid, frictionless, flat face of 17 mm on layers that are bonded to each other and to a rigid bed, by Hankel
/// transforms; Poisson's ratio 0.45. Thickness [m], Young's modulus [kPa]; stiffness [N/m].
#[test]
fn layers_are_as_stiff_as_exact_solutions() {
    for (layers, exact, [low, high]) in [
        (vec![[1000.0, 10.0]], 426.0, [0.99, 1.01]),
        (vec![[0.1, 6.0]], 309.0, [0.9, 1.1]),
        (
            vec![[0.017, 6.0], [0.012, 15.0], [0.071, 6.0]],
            368.0,
            [0.9, 1.1],
        ),
        (
            vec![[0.002, 30.0], [0.015, 6.0], [0.012, 15.0], [0.071, 6.0]],
            404.0,
            [0.9, 1.1],
        ),
        (
            vec![[0.002, 30.0], [0.040, 6.0], [0.012, 15.0], [0.096, 6.0]],
            336.0,
            [0.9, 1.1],
        ),
        // Above a rib as wide as the face.
        (
            vec![[0.002, 30.0], [0.015, 6.0], [0.005, 15.0]],
            858.0,
            [0.9, 1.3],
        ),
    ] {
        let ratio = face_stiffness(&layers) / exact;
        assert!((low..high).contains(&ratio), "{layers:?}: {ratio}");
    }
}

/// A trunk of 240 by 300 by 150 mm, with a plate of bone 20 mm below the front in its upper half.
#[test]
fn the_skin_is_stiffer_above_bone() {
    let (count, edge) = ([56, 70, 36], 0.005);
    let half = Vector3::from(count.map(|n| 0.5 * (n as f64 - 1.0)));
    let mut labels = vec![0; count.iter().product()];
    for (n, label) in labels.iter_mut().enumerate() {
        let index = Vector3::new(
            n % count[0],
            n / count[0] % count[1],
            n / count[0] / count[1],
        );
        let place = (index.map(|n| n as f64) - half) * edge;
        let is_in = |size: [f64; 3]| (0..3).all(|axis| place[axis].abs() < size[axis]);
        let is_bone =
            place.y > 0.02 && (0.045..0.055).contains(&place.z) && is_in([0.1, 0.13, 1.0]);
        *label = match (is_bone, is_in([0.12, 0.15, 0.075])) {
            (true, _) => 2,
            (false, true) => 1,
            _ => 0,
        };
    }
    let steps = Matrix3::identity() * edge;
    let frame = VoxelFrame {
        origin: -(steps * half),
        steps,
    };
    let image = LabelImage::new(count, frame, &labels).expect("the volume is valid");
    let map = ClassMap::parse("[classes]\n1 = \"body_trunc\"\n2 = \"sternum\"\n");
    let segmentation = Segmentation::of(image, Some(&map.expect("the table is valid")));
    let tissues = Tissues::standard().expect("the table is valid");
    let patient = Patient::make(
        &segmentation.expect("the volume has names"),
        &tissues,
        &PatientSettings::default(),
        "a test",
    );
    let map = StiffnessMap::of(&patient.expect("it is a body"), &tissues);
    let factor = |left: f64, head: f64| map.at(left, head);
    for left in [-0.05, 0.0, 0.06] {
        assert!(
            (factor(left, -0.07) - 1.0).abs() < 0.03,
            "{}",
            factor(left, -0.07)
        );
        // The same tissue of 20 mm instead of 150 mm above a rigid bed.
        let ratio = face_stiffness(&[[0.02, 6.0]]) / face_stiffness(&[[0.15, 6.0]]);
        let found = factor(left, 0.075);
        assert!((found / ratio - 1.0).abs() < 0.12, "{found} {ratio}");
    }
}
