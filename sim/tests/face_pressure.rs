//! Contract: pressures on the probe's face sum to the axial contact force on every kind of torso, known forces give known maps, and recording
//! of contact points changes no bit of a run.

#[expect(dead_code, reason = "shared by several tests")]
mod stand;

use insonate_models::ModelError;
use insonate_models::torsos::{Torso, TorsoConfig, composite, elastic, fast, flex, mpm, xpbd};
use insonate_sim::readings::{FacePressure, PRESSURE_ELEMENT};
use insonate_sim::{Physics, Readings};
use stand::GAP;

type Make = fn(&TorsoConfig) -> Result<Torso, ModelError>;

/// All kinds, and whether tissue records its contact points.
const KINDS: [(&str, Make, bool); 6] = [
    ("composite", composite, false),
    ("fast", fast, false),
    ("flex", flex, false),
    ("elastic", elastic, true),
    ("mpm", mpm, true),
    ("xpbd", xpbd, true),
];

/// A stand with a coarse solid; between the bodies of a coarse shell, the probe would touch nothing.
fn stand_of(make: Make, is_tissue: bool) -> (Physics, Readings) {
    let config = if is_tissue {
        TorsoConfig {
            count: [7, 3, 8],
            spacing: 0.047,
            ..TorsoConfig::default()
        }
    } else {
        TorsoConfig::default()
    };
    stand::compiled(&stand::stand(make(&config).expect("the torso is possible")))
}

/// Presses the probe to 1 cm below the skin at 5 cm/s and holds it; `see` is called after each step.
fn press(physics: &mut Physics, mut see: impl FnMut(&Physics)) {
    let (from, to) = (physics.ctrl()[0], -GAP - 0.01);
    for step in 0..200 {
        physics.ctrl_mut()[0] = from + (to - from) * (f64::from(step) / 150.0).min(1.0);
        physics.step().expect("the press is stable");
        see(physics);
    }
}

/// To 1e-9 of the force.
#[test]
fn pressures_sum_to_the_contact_force_of_every_torso() {
    for (name, make, is_tissue) in KINDS {
        let (mut physics, readings) = stand_of(make, is_tissue);
        physics.record_contact_points(true);
        let mut most: f64 = 0.0;
        press(&mut physics, |physics| {
            let map = readings
                .pressure
                .read(physics)
                .expect("points are recorded");
            let axis = readings.probe.world_from_probe(physics).z_axis();
            let wanted = -readings.contact.force_in_world(physics).dot(&axis);
            assert!(
                (map.force() - wanted).abs() <= 1e-9 * wanted.abs(),
                "{name}: {} {wanted}",
                map.force()
            );
            // Within 1 cm² there is no more than the whole force.
            assert!(map.peak() * 1e-4 <= 1.0001 * wanted.max(0.0), "{name}");
            most = most.max(wanted);
        });
        let map = readings.pressure.read(&physics).expect("they are recorded");
        let [n_x, n_y] = map.shape;
        let face = (n_x * n_y) as f64 * PRESSURE_ELEMENT * PRESSURE_ELEMENT;
        eprintln!(
            "{name}: {:.2} N, peak {:.0} Pa, mean {:.0} Pa on {:.2} cm² of {:.2}",
            map.force(),
            map.peak(),
            map.mean(),
            1e4 * map.contact_area(),
            1e4 * face
        );
        assert!(most > 1.0, "{name}: {most} N");
        assert!(
            map.contact_area() > 0.0 && map.contact_area() <= face,
            "{name}"
        );
        let values = readings
            .read(&physics, "face_pressure")
            .expect("a quantity");
        assert_eq!(values, map.pressures, "{name}");
    }
}

#[test]
fn recording_changes_no_bit_of_a_press() {
    for (name, make, is_tissue) in KINDS {
        let [recorded, plain] = [true, false].map(|records| {
            let (mut physics, readings) = stand_of(make, is_tissue);
            physics.record_contact_points(records);
            let mut run = Vec::new();
            press(&mut physics, |physics| {
                let force = readings.contact.force_in_world(physics);
                run.push((force, physics.qpos().to_vec()));
                let is_known = readings.pressure.read(physics).is_some();
                let is_touching = readings.contact.in_contact(physics);
                assert_eq!(is_known, records || !is_tissue || !is_touching, "{name}");
            });
            run
        });
        assert!(
            recorded.last().is_some_and(|(force, _)| force.z > 1.0),
            "{name}"
        );
        assert!(recorded == plain, "{name}");
    }
}

/// A block of 20 × 10 mm and 0.5 kg whose lower side is the face; it slides along the vertical onto `floor`.
fn block(floor: &str) -> (Physics, FacePressure) {
    let xml = format!(
        r#"<mujoco>
  <option timestep="0.001" cone="elliptic"/>
  <worldbody>
    {floor}
    <body name="probe/probe" pos="0 0 0.0102">
      <joint name="fall" type="slide" axis="0 0 1" damping="20"/>
      <geom name="probe/face" type="box" size="0.01 0.005 0.01" mass="0.5"/>
      <geom type="box" size="0.05 0.05 0.01" pos="0 0 0.04" mass="0"/>
      <geom type="box" size="0.03 0.03 0.01" mass="0" contype="0" conaffinity="0"/>
      <site name="probe/face_center" pos="0 0 -0.01" quat="0 1 0 0"/>
    </body>
  </worldbody>
</mujoco>"#
    );
    let mut physics = Physics::from_xml(&xml).expect("a valid scene");
    let pressure = FacePressure::new(&physics).expect("there is a face");
    physics.step_n(2000).expect("it comes to rest");
    (physics, pressure)
}

const WEIGHT: f64 = 0.5 * 9.81;

/// A plane touches a box at its corners, where the outermost elements take the force.
#[test]
fn a_block_on_a_plane_has_a_quarter_of_its_weight_at_each_corner() {
    let (physics, pressure) = block(r#"<geom type="plane" size="1 1 0.1"/>"#);
    assert_eq!(pressure.shape(), [4, 2]);
    let map = pressure.read(&physics).expect("it is known");
    let corner = 0.25 * WEIGHT / 25e-6;
    for (index, found) in map.pressures.iter().enumerate() {
        let is_corner = [0, 1, 6, 7].contains(&index);
        let wanted = if is_corner { corner } else { 0.0 };
        assert!(
            (found - wanted).abs() < 1e-3 * corner,
            "{index}: {found} {wanted}"
        );
    }
    // Two corners are within one square centimetre; four elements are touched.
    assert!((map.peak() / (0.5 * WEIGHT / 1e-4) - 1.0).abs() < 1e-3);
    assert!((map.contact_area() - 1e-4).abs() < 1e-12);
    assert!((map.mean() / (WEIGHT / 1e-4) - 1.0).abs() < 1e-3);
}

/// A ball below x = 3.2 mm, y = 1.1 mm, where the face's y axis is opposite to the world's.
#[test]
fn a_force_is_shared_by_the_four_nearest_elements() {
    let (physics, pressure) =
        block(r#"<geom type="sphere" size="0.005" pos="0.0032 0.0011 -0.005"/>"#);
    for (axis, wanted) in [(0, [-0.0075, 0.0025]), (1, [-0.0025, 0.0025])] {
        let [first, later] = [[0, 0], [2, 1]].map(|index| pressure.center(index)[axis]);
        assert!((first - wanted[0]).abs() < 1e-9 && (later - wanted[1]).abs() < 1e-9);
    }
    let map = pressure.read(&physics).expect("it is known");
    let [near_x, near_y] = [1.0 - 0.7 / 5.0, 1.0 - 1.4 / 5.0];
    let wanted = [
        [0.0; 2],
        [0.0; 2],
        [near_x * near_y, near_x * (1.0 - near_y)],
        [(1.0 - near_x) * near_y, (1.0 - near_x) * (1.0 - near_y)],
    ];
    for (found, wanted) in map.pressures.iter().zip(wanted.as_flattened()) {
        let found = found * 25e-6 / WEIGHT;
        assert!((found - wanted).abs() < 1e-3, "{found} {wanted}");
    }
}

#[test]
fn a_probe_in_the_air_has_no_pressure() {
    let (physics, pressure) = block("");
    let map = pressure.read(&physics).expect("it is known");
    assert_eq!(
        (map.force(), map.peak(), map.contact_area(), map.mean()),
        (0.0, 0.0, 0.0, 0.0)
    );
}
