//! Contract: windows are where geometry says that sound passes, losses are those of the layers, and paths keep off what they must.

use insonate_anatomy::{
    AnatomyError, PathSettings, Patient, PatientClass, PatientSettings, Tissues, WindowMap,
    WindowSettings,
};
use insonate_volumes::{ClassMap, LabelImage, Segmentation, VoxelFrame};
use nalgebra::{Matrix3, Vector3};

const EDGE: f64 = 0.0025;
/// Half sizes of the block of tissue: left, head, front [m].
const HALF: [f64; 3] = [0.1, 0.12, 0.05];
const NAMES: [&str; 5] = [
    "body_trunc",
    "liver",
    "sternum",
    "lung_upper_lobe_left",
    "fat",
];
const BODY: i64 = 1;
const LIVER: i64 = 2;
const BONE: i64 = 3;
const GAS: i64 = 4;
const HOLE: i64 = 0;
/// Depth below the front of the upper side of the organ, of bones and of gas [m].
const ORGAN_DEPTH: f64 = 0.04;
const BONE_DEPTH: f64 = 0.02;
/// One-way loss in the body [dB/m].
const LOSS: f64 = 150.0;

/// A block that holds what `inside` says at a place: left, head, depth below the front [m].
fn block(count_head: Option<usize>, inside: impl Fn(f64, f64, f64) -> i64) -> Patient {
    let mut count = HALF.map(|half| (2.0 * half / EDGE).round() as usize + 8);
    let middle = Vector3::from(count.map(|n| 0.5 * (n as f64 - 1.0)));
    // A scan that ends within the body has fewer slices towards the head.
    count[1] = count_head.unwrap_or(count[1]);
    let mut labels = vec![0; count.iter().product()];
    for (n, label) in labels.iter_mut().enumerate() {
        let index = [
            n % count[0],
            n / count[0] % count[1],
            n / count[0] / count[1],
        ];
        let place = (Vector3::from(index.map(|n| n as f64)) - middle) * EDGE;
        if (0..3).all(|axis| place[axis].abs() < HALF[axis]) {
            *label = inside(place.x, place.y, HALF[2] - place.z);
        }
    }
    let steps = Matrix3::identity() * EDGE;
    let frame = VoxelFrame {
        origin: -(steps * middle),
        steps,
    };
    let image = LabelImage::new(count, frame, &labels).expect("the volume is valid");
    let names = NAMES.iter().zip(1..);
    let lines: Vec<String> = names
        .map(|(name, n)| format!("{n} = \"{name}\"\n"))
        .collect();
    let map =
        ClassMap::parse(&format!("[classes]\n{}", lines.concat())).expect("the table is valid");
    let segmentation = Segmentation::of(image, Some(&map)).expect("the volume has names");
    let settings = PatientSettings::default();
    Patient::make(&segmentation, &tissues(), &settings, "a test").expect("it is a body")
}

fn tissues() -> Tissues {
    Tissues::standard().expect("the table is valid")
}

/// One-way losses of the test; bone and gas stop sound.
fn loss(class: &PatientClass) -> Option<f64> {
    (!class.name.starts_with("sternum") && !class.name.starts_with("lung")).then_some(LOSS)
}

fn windows(patient: &Patient, cone: f64) -> WindowMap {
    let settings = WindowSettings {
        cone: cone.to_radians(),
        ..WindowSettings::default()
    };
    WindowMap::of(patient, &tissues(), "liver", loss, &settings).expect("there is a liver")
}

/// A slab of organ below everything, and a plate of bone towards the head of `y0`.
fn below_a_plate(y0: f64) -> Patient {
    block(None, |_, y, depth| match depth {
        depth if depth > ORGAN_DEPTH => LIVER,
        depth if depth > BONE_DEPTH && depth < BONE_DEPTH + 0.01 && y > y0 => BONE,
        _ => BODY,
    })
}

/// Whether a place is far from the edges of the block, where rays leave it.
fn is_inner(place: &insonate_anatomy::Place) -> bool {
    place.position[0].abs() < HALF[0] - 0.035 && place.position[1].abs() < HALF[1] - 0.035
}

#[test]
fn a_plate_of_bone_casts_its_shadow() {
    // The edge of the plate is between two voxels.
    let y0 = 0.0;
    let patient = below_a_plate(y0);
    for cone in [0.0, 20.0, 30.0] {
        let map = windows(&patient, cone);
        // A ray that passes the edge of the plate at its upper and lower side.
        let reach = BONE_DEPTH * f64::tan(f64::to_radians(cone));
        let tolerance = EDGE + 1e-3;
        let mut n = [0; 2];
        for place in map.places.iter().flatten().filter(|own| is_inner(own)) {
            let y = place.position[1];
            let sees = place.sight.is_some();
            n[usize::from(sees)] += 1;
            // Below the plate's edge a ray is free if it is on the other side at the depth of the plate.
            if y < y0 + reach - tolerance {
                assert!(sees, "cone {cone}, y {y}");
            }
            if y > y0 + reach + tolerance {
                assert!(!sees && place.open() == 0.0, "cone {cone}, y {y}");
            }
            let is_above_bone = y > y0;
            if (y - y0).abs() > EDGE {
                assert_eq!(place.bone.is_finite(), is_above_bone, "{y}");
            }
            if place.bone.is_finite() {
                assert!(
                    (place.bone - BONE_DEPTH).abs() < 1.5 * EDGE,
                    "{}",
                    place.bone
                );
            }
        }
        assert!(n[0] > 100 && n[1] > 100, "{n:?}");
    }
}

#[test]
fn tilt_depth_and_loss_are_those_of_the_geometry() {
    let patient = below_a_plate(0.0);
    let map = windows(&patient, 30.0);
    let mut n_tilted = 0;
    for place in map.places.iter().flatten().filter(|own| is_inner(own)) {
        let Some(sight) = place.sight else { continue };
        let y = place.position[1];
        // The straight way is the shortest one where it is free; next to the plate it is the smallest tilt that passes the edge.
        if y < -EDGE {
            assert!(sight.tilt.abs() < 1e-12, "{y}");
        } else if y > 2.0 * EDGE {
            let least = (y / (BONE_DEPTH + 0.01 + EDGE)).atan();
            let ring = 6.0_f64.to_radians();
            let most = (y / (BONE_DEPTH - EDGE)).atan() + ring;
            assert!((least..most).contains(&sight.tilt), "{y} {}", sight.tilt);
            assert!(sight.direction[1] < 0.0, "it looks towards the feet");
            n_tilted += 1;
        }
        let length = ORGAN_DEPTH / sight.tilt.cos();
        assert!(
            (sight.depth - length).abs() < 1.5 * EDGE,
            "{} {length}",
            sight.depth
        );
        let exact = 2.0 * LOSS * length;
        assert!(
            (sight.loss - exact).abs() < 2.0 * LOSS * 1.5 * EDGE,
            "{} {exact}",
            sight.loss
        );
    }
    assert!(n_tilted > 10, "{n_tilted}");
}

/// The best ray of a place is searched among those with an allowed tilt.
#[test]
fn a_ray_with_too_large_a_tilt_is_not_seen() {
    let patient = below_a_plate(0.0);
    let [all, few] = [30.0_f64, 12.0].map(|tilt| {
        let settings = WindowSettings {
            tilt: tilt.to_radians(),
            ..WindowSettings::default()
        };
        let map = WindowMap::of(&patient, &tissues(), "liver", loss, &settings);
        map.expect("there is a liver").places
    });
    let mut n_lost = 0;
    for (all, few) in all.iter().flatten().zip(few.iter().flatten()) {
        assert_eq!(all.n_rays, few.n_rays);
        if !is_inner(all) {
            continue;
        }
        let least = all.sight.map_or(f64::INFINITY, |sight| sight.tilt);
        let is_kept = least.to_degrees() < 12.1;
        assert_eq!(few.sight.is_some(), is_kept, "{least}");
        n_lost += usize::from(all.sight.is_some() && few.sight.is_none());
    }
    assert!(n_lost > 10, "{n_lost}");
}

/// A ball of gas, whether it is a class or a hole of the labels, blocks the rays that meet it.
#[test]
fn gas_blocks_the_cone_behind_it() {
    let (radius, depth_of_gas) = (0.0125, 0.025);
    for gas in [GAS, HOLE] {
        let patient = block(None, |x, y, depth| {
            let far = Vector3::new(x, y, depth - depth_of_gas).norm();
            match depth {
                _ if far < radius => gas,
                depth if depth > ORGAN_DEPTH => LIVER,
                _ => BODY,
            }
        });
        let map = windows(&patient, 30.0);
        let mut n_part = 0;
        for place in map.places.iter().flatten().filter(|own| is_inner(own)) {
            let [x, y, _] = place.position;
            let far = x.hypot(y);
            // Half angle of the ball and its direction, seen from the place.
            let centre = far.hypot(depth_of_gas);
            let (half, away) = ((radius / centre).asin(), (far / depth_of_gas).atan());
            let cone = 30.0_f64.to_radians();
            // Directions that the ball covers wholly, and not at all.
            if away + cone < half - 0.15 {
                assert_eq!(place.sight, None, "{x} {y}");
            }
            if away - half > cone + 0.1 {
                assert_eq!(place.open(), 1.0, "{x} {y}");
            }
            if place.open() > 0.0 && place.open() < 1.0 {
                n_part += 1;
            }
            // The share of the cone that a small ball covers, where all of it is within the cone.
            if away + half < cone {
                let covered = (1.0 - half.cos()) / (1.0 - cone.cos());
                let blocked = 1.0 - place.open();
                assert!(
                    (blocked - covered).abs() < 0.12,
                    "{x} {y}: {blocked} {covered}"
                );
            }
        }
        assert!(n_part > 20, "{n_part}");
    }
}

#[test]
fn a_path_keeps_the_face_off_bones_and_cut_planes() {
    let settings = PathSettings {
        bone_depth: 0.03,
        ..PathSettings::default()
    };
    let y0 = 0.02;
    let plate = below_a_plate(y0);
    let path = windows(&plate, 30.0)
        .path(&plate, &settings)
        .expect("half is free");
    for [_, y, front] in &path.points {
        assert!(*y < y0 - settings.face_radius + 0.0075, "{y}");
        // The skin is flat apart from the edges of the block.
        assert!((front - HALF[2]).abs() < 0.01, "{front}");
    }
    let [from, to] = [0, path.points.len() - 1].map(|n| Vector3::from(path.points[n]));
    assert!(path.length > 0.05 && path.length < 0.3, "{}", path.length);
    // On a plane the shortest path is straight.
    assert!(path.length < 1.01 * (to - from).norm(), "{}", path.length);
    let flat = PathSettings {
        face_radius: 0.01,
        ..settings
    };
    assert!(area(&plate, &flat) > area(&plate, &settings) + 1e-3);
    assert!(path.curvature < 0.5, "{}", path.curvature);

    // The scan ends within the body, 20 mm above its middle.
    let n = ((HALF[1] + 0.02) / EDGE).round() as usize + 4;
    let cut = block(
        Some(n),
        |_, _, depth| if depth > ORGAN_DEPTH { LIVER } else { BODY },
    );
    assert_eq!(cut.description.cut, ["head"]);
    let map = windows(&cut, 0.0);
    let path = map.path(&cut, &settings).expect("the front is free");
    for [_, y, _] in &path.points {
        assert!(*y < 0.02 - settings.face_radius + 0.006, "{y}");
    }
    let bounded = PathSettings {
        bounds: [[-0.03, -0.05], [0.02, -0.01]],
        ..settings
    };
    let path = map.path(&cut, &bounded).expect("a part is free");
    for [x, y, _] in &path.points {
        assert!(
            (-0.033..0.023).contains(x) && (-0.053..-0.007).contains(y),
            "{x} {y}"
        );
    }
}

/// Area on which the face may lie [m²].
fn area(patient: &Patient, settings: &PathSettings) -> f64 {
    let map = windows(patient, 30.0);
    map.area(&map.free(settings).expect("there is room"))
}

/// A part of the face may be above a bone. A circular segment of the face's disc is above the plate: a sector less a
/// triangle.
#[test]
fn as_much_of_the_face_as_allowed_is_above_bone() {
    let (y0, radius) = (0.02, 0.03);
    let patient = below_a_plate(y0);
    let map = windows(&patient, 30.0);
    for most_bone in [0.0, 0.2, 0.4] {
        let settings = PathSettings {
            bone_depth: 0.03,
            least_open: 0.1,
            most_bone,
            ..PathSettings::default()
        };
        let is_free = map.free(&settings).expect("half is free");
        let mut n_near = 0;
        for (place, is_free) in map.places.iter().zip(is_free) {
            let Some(place) = place.filter(is_inner) else {
                continue;
            };
            let edge = ((y0 - place.position[1]) / radius).clamp(-1.0, 1.0);
            let half = edge.acos();
            let above = (half - edge * half.sin()) / std::f64::consts::PI;
            // The disc has about a hundred places, and a row of ten may be counted wrongly.
            if above > most_bone + 0.12 {
                assert!(!is_free, "{most_bone}: {above}");
            }
            if above < most_bone - 0.12 {
                assert!(is_free, "{most_bone}: {above}");
                n_near += usize::from(above > 0.0);
            }
        }
        assert!(n_near > 0 || most_bone < 0.2, "{most_bone}");
    }
}

/// A window with a corner: the path is along one of its legs, or across them, and never turns sharply.
#[test]
fn a_path_is_smooth_where_the_window_has_a_corner() {
    let is_window = |x: f64, y: f64| (-0.09..-0.03).contains(&x) || (-0.11..-0.05).contains(&y);
    let patient = block(None, |x, y, depth| match depth {
        depth if depth > ORGAN_DEPTH => LIVER,
        depth if depth > BONE_DEPTH && depth < BONE_DEPTH + 0.01 && !is_window(x, y) => BONE,
        _ => BODY,
    });
    let settings = PathSettings {
        face_radius: 0.01,
        ..PathSettings::default()
    };
    let map = windows(&patient, 30.0);
    let path = map.path(&patient, &settings).expect("there is a window");
    assert!(path.length > 0.1, "{}", path.length);
    assert!(
        path.curvature < settings.most_curvature,
        "{}",
        path.curvature
    );
    let points: Vec<Vector3<f64>> = path.points.iter().map(|own| Vector3::from(*own)).collect();
    for pair in points.windows(2) {
        let step = (pair[1] - pair[0]).norm();
        assert!((5e-4..2e-3).contains(&step), "{step}");
    }
    for ten in points.windows(21).step_by(5) {
        let [before, behind] = [ten[10] - ten[0], ten[20] - ten[10]];
        // Its direction turns by at most the curvature times the length.
        let turn = before.angle(&behind);
        assert!(turn < 0.012 * settings.most_curvature, "{turn}");
    }
    for point in &points {
        assert!(is_window(point.x, point.y), "{point}");
    }
    let sights = points.iter().filter_map(|own| map.at(own.x, own.y)?.sight);
    let losses: Vec<f64> = sights.map(|sight| sight.loss).collect();
    assert_eq!(losses.len(), points.len());
    let mean = losses.iter().sum::<f64>() / losses.len() as f64;
    assert!((mean - path.loss).abs() < 1e-9, "{mean} {}", path.loss);
    // The organ is as deep everywhere.
    assert!((path.loss - 2.0 * LOSS * ORGAN_DEPTH).abs() < 2.0 * LOSS * 1.5 * EDGE);
}

#[test]
fn without_a_window_the_reason_is_told() {
    let told = |patient: &Patient, settings: &PathSettings| {
        let refused = windows(patient, 20.0).path(patient, settings);
        let refused = refused.map(drop).expect_err("there is no window");
        assert!(
            matches!(refused, AnatomyError::NoWindow { .. }),
            "{refused}"
        );
        refused.to_string()
    };
    let settings = PathSettings::default();
    let covered = below_a_plate(-1.0);
    let reason = told(&covered, &settings);
    assert!(
        reason.contains("window to liver") && reason.contains("bone, gas"),
        "{reason}"
    );
    let open = below_a_plate(1.0);
    let nowhere = PathSettings {
        bounds: [[2.0; 2], [3.0; 2]],
        ..settings
    };
    assert!(told(&open, &nowhere).contains("outside of the front"));
    let long = PathSettings {
        bounds: [[0.0; 2], [0.05; 2]],
        lengths: [0.1, 0.3],
        ..settings
    };
    assert!(told(&open, &long).contains("the 100 mm that a scan needs"));
    let unknown = WindowMap::of(
        &open,
        &tissues(),
        "kidney",
        loss,
        &WindowSettings::default(),
    );
    let unknown = unknown
        .map(drop)
        .expect_err("there is no kidney")
        .to_string();
    assert!(
        unknown.contains("kidney") && unknown.contains("liver"),
        "{unknown}"
    );
    assert!(!unknown.contains("body_trunc"), "{unknown}");
}

#[test]
fn the_table_has_a_row_for_each_place() {
    let patient = below_a_plate(0.0);
    let map = windows(&patient, 0.0);
    let text = map.csv();
    let columns = text.lines().next().expect("a head").split(',').count();
    let n_places = map.places.iter().flatten().count();
    assert_eq!(text.lines().count(), n_places + 1);
    assert!(text.lines().all(|line| line.split(',').count() == columns));
    let place = map.at(-0.03, -0.05).expect("there is skin");
    assert!((place.position[0] + 0.03).abs() < 0.0026 && place.open() == 1.0);
    assert_eq!(map.at(0.5, 0.0), None);
}
