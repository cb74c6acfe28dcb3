//! Contract: every probe has the published array, a face whose foremost point is the face centre, the mass of a real probe, and the
//! frames, sensors and camera that the rest of the project refers to by name.

#![expect(clippy::unwrap_used, reason = "a missing element fails the test")]

use insonate_models::mjcf::{Element, Namespace};
use insonate_models::probes::{self, ArrayKind, Probe};
use nalgebra::Matrix3;

fn body(probe: &Probe) -> &Element {
    probe.mjcf.find(Namespace::Body, "probe").unwrap()
}

/// Points of the contact face relative to the face centre [m].
fn face_points(probe: &Probe) -> Vec<[f64; 3]> {
    let vertex = probe
        .mjcf
        .find(Namespace::Mesh, "face")
        .unwrap()
        .reals("vertex")
        .unwrap();
    vertex
        .chunks_exact(3)
        .map(|point| [point[0], point[1], point[2]])
        .collect()
}

fn extent(points: &[[f64; 3]], axis: usize) -> f64 {
    let values = || points.iter().map(|point| point[axis]);
    values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)
}

#[test]
fn arrays_are_the_published_ones() {
    let c5_2 = probes::c5_2().transducer;
    assert_eq!(
        (c5_2.n_elements, c5_2.pitch, c5_2.kind),
        (128, 0.508e-3, ArrayKind::Curvilinear { radius: 49.57e-3 })
    );
    assert!((c5_2.field_of_view().to_degrees() - 75.16).abs() < 0.01);
    let [low, high] = c5_2.band;
    assert!(((high - low) / c5_2.center_frequency - 0.79).abs() < 0.005);
    let l12_5 = probes::l12_5().transducer;
    assert_eq!(
        (l12_5.n_elements, l12_5.pitch, l12_5.kind),
        (256, 0.1953e-3, ArrayKind::Linear)
    );
    assert!((l12_5.aperture() - 0.05).abs() < 1e-4);
}

#[test]
fn every_probe_is_a_valid_document_under_its_name() {
    for (name, make) in probes::ALL {
        let probe = make();
        assert_eq!(probe.name, *name);
        assert!(probe.mjcf.to_xml().is_ok(), "{:?}", probe.mjcf.to_xml());
        assert_eq!(probe.mjcf.to_xml().unwrap(), make().mjcf.to_xml().unwrap());
        assert!(probes::by_name(name).is_some());
    }
    assert!(probes::by_name("x-ray").is_none());
}

#[test]
fn arrays_are_consistent() {
    for (name, make) in probes::ALL {
        let transducer = make().transducer;
        assert!(transducer.element_width <= transducer.pitch, "{name}");
        let [low, high] = transducer.band;
        assert!(
            low < transducer.center_frequency && transducer.center_frequency < high,
            "{name}"
        );
    }
}

#[test]
fn the_face_is_foremost_at_its_centre_and_covers_the_array() {
    for (name, make) in probes::ALL {
        let probe = make();
        let points = face_points(&probe);
        assert!(
            (40..=130).contains(&points.len()),
            "{name}: {} points",
            points.len()
        );
        let foremost = points.iter().map(|point| point[2]).fold(f64::MIN, f64::max);
        assert!(
            foremost.abs() < 1e-9,
            "{name}: foremost point {foremost} m from the face centre"
        );
        let transducer = probe.transducer;
        let rim = 0.5 * (extent(&points, 0) - transducer.footprint());
        assert!((0.0..0.006).contains(&rim), "{name}: rim {rim} m");
        assert!(extent(&points, 1) > transducer.elevation_aperture, "{name}");
        let geom = probe.mjcf.find(Namespace::Geom, "face").unwrap();
        assert_eq!(geom.array("pos"), Some([0.0, 0.0, probe.face_offset]));
        assert!(
            probe
                .mjcf
                .find(Namespace::Mesh, "face")
                .unwrap()
                .get("face")
                .is_none(),
            "{name}: the face is a convex hull"
        );
    }
}

#[test]
fn a_curved_face_follows_the_array() {
    for (name, make) in probes::ALL {
        let probe = make();
        let ArrayKind::Curvilinear { radius } = probe.transducer.kind else {
            continue;
        };
        let half_angle = probe.transducer.field_of_view() / 2.0;
        let on_array: Vec<[f64; 3]> = face_points(&probe)
            .into_iter()
            .filter(|[x, _, z]| {
                x.atan2(z + radius).abs() < half_angle + 1e-3
                    && (x.hypot(z + radius) - radius).abs() < 2e-5
            })
            .collect();
        assert!(
            on_array.len() >= 30,
            "{name}: {} points on the arc",
            on_array.len()
        );
    }
}

#[test]
fn mass_is_that_of_a_real_probe_and_its_inertia_physical() {
    for (name, make) in probes::ALL {
        let probe = make();
        let inertial = body(&probe).child("inertial").unwrap();
        assert_eq!(inertial.array("mass"), Some([probe.mass]));
        assert_eq!(inertial.array("pos"), Some(probe.center_of_mass));
        assert!((0.15..0.4).contains(&probe.mass), "{name}");
        assert!(
            (0.03..probe.face_offset).contains(&probe.center_of_mass[2]),
            "{name}"
        );
        let [xx, yy, zz, xy, xz, yz] = inertial.array("fullinertia").unwrap();
        let moments = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz).symmetric_eigenvalues();
        assert!(
            moments.min() > 0.0 && moments.sum() > 2.0 * moments.max(),
            "{name}: {moments}"
        );
        // The inertia is between a point mass and a rod of this length.
        assert!(
            moments.max() < probe.mass * probe.face_offset.powi(2) / 6.0,
            "{name}: {moments}"
        );
        assert_eq!(body(&probe).array("gravcomp"), Some([1.0]));
    }
}

#[test]
fn frames_sensors_and_camera_have_their_names() {
    for (name, make) in probes::ALL {
        let probe = make();
        for site in ["face_center", "ft"] {
            let site = probe.mjcf.find(Namespace::Site, site).unwrap();
            assert_eq!(
                site.array("pos"),
                Some([0.0, 0.0, probe.face_offset]),
                "{name}"
            );
            assert!(
                site.get("quat").is_none(),
                "{name}: {} has the probe's axes",
                site.label()
            );
        }
        assert!(probe.mjcf.find(Namespace::Site, "imaging_plane").is_some());
        assert!(probe.mjcf.find(Namespace::Camera, "camera").is_some());
        let sensors: Vec<(&str, &str)> = probe
            .mjcf
            .section("sensor")
            .unwrap()
            .children()
            .iter()
            .map(|sensor| (sensor.tag(), sensor.name().unwrap()))
            .collect();
        let expected = [
            ("force", "force"),
            ("torque", "torque"),
            ("framepos", "position"),
            ("framequat", "orientation"),
            ("framelinvel", "linear_velocity"),
            ("frameangvel", "angular_velocity"),
        ];
        assert_eq!(sensors, expected, "{name}");
    }
}

#[test]
fn only_face_and_handle_collide_and_the_face_goes_first() {
    for (name, make) in probes::ALL {
        let probe = make();
        let colliding: Vec<&Element> = body(&probe)
            .children()
            .iter()
            .filter(|child| child.tag() == "geom" && child.text("class") != Some("visual"))
            .collect();
        let names: Vec<&str> = colliding.iter().filter_map(|geom| geom.name()).collect();
        assert_eq!(names, ["face", "handle"], "{name}");
        assert!(
            colliding
                .iter()
                .all(|geom| geom.text("class") == Some("wrist")),
            "{name}"
        );
        let handle = probe.mjcf.find(Namespace::Geom, "handle").unwrap();
        let ([radius, half], [_, _, at]) =
            (handle.array("size").unwrap(), handle.array("pos").unwrap());
        assert!(
            at + half + radius < probe.face_offset - 0.03,
            "{name}: the handle reaches the tissue before a 3 cm press ends"
        );
    }
}
