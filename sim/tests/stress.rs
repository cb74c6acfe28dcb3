//! Contract: the stress in the tissue of a pressed torso balances the force on it.

#[expect(dead_code, reason = "shared by several tests")]
mod stand;

use insonate_models::ModelError;
use insonate_models::torsos::{Torso, TorsoConfig, composite, elastic, fast, flex, mpm, xpbd};
use insonate_sim::readings::StressReading;
use insonate_sim::{Physics, Readings};
use nalgebra::Vector3;
use stand::GAP;

type Make = fn(&TorsoConfig) -> Result<Torso, ModelError>;

fn config() -> TorsoConfig {
    TorsoConfig {
        count: [7, 3, 8],
        spacing: 0.047,
        ..TorsoConfig::default()
    }
}

fn stand_of(make: Make) -> (Physics, Readings) {
    stand::compiled(&stand::stand(
        make(&config()).expect("the torso is possible"),
    ))
}

/// The reading of a probe that rests 8 mm below the skin.
fn pressed(make: Make) -> (Physics, Readings) {
    let (mut physics, readings) = stand_of(make);
    physics.record_contact_points(true);
    let (from, to) = (physics.ctrl()[0], -GAP - 0.008);
    for step in 0..700 {
        physics.ctrl_mut()[0] = from + (to - from) * (f64::from(step) / 200.0).min(1.0);
        physics.step().expect("the press is stable");
    }
    (physics, readings)
}

/// Sum of f · z over the forces of the probe on the torso [N·m]; z is given by their points.
fn moment(physics: &Physics, readings: &Readings, z: impl Fn(Vector3<f64>) -> f64) -> f64 {
    if let Some(coupling) = physics.coupling() {
        let points = coupling.contact_points().expect("points are recorded");
        let parts = points.iter().map(|(_, it)| it.force.z * z(it.position));
        return -parts.sum::<f64>();
    }
    let mut sum = 0.0;
    for contact in physics.contacts() {
        let sign = match contact.geom.map(|geom| readings.contact.owns(geom)) {
            [false, true] => -1.0,
            [true, false] => 1.0,
            _ => continue,
        };
        let force = Vector3::from(contact.force_in_world()) * sign;
        sum += force.z * z(contact.position.into());
    }
    sum
}

/// In a body at rest the integral of σ_zz is the sum of f · z over the forces on its surface (Landau and Lifshitz, *Theory of Elasticity*,
/// § 2). Those of the table have z = 0. Linear elements balance forces in their shape at rest.
#[test]
fn the_stress_balances_the_force_of_every_solid() {
    // With the largest error. Contact of tetrahedra and of particles gives way, so its points are not those of the tissue. The skin of a flex
    // carries a part.
    let kinds: [(&str, Make, f64); 4] = [
        ("elastic", elastic, 0.01),
        ("xpbd", xpbd, 0.05),
        ("flex", flex, 0.08),
        ("mpm", mpm, 0.05),
    ];
    for (name, make, tolerance) in kinds {
        let (physics, readings) = pressed(make);
        let reading = StressReading::of(&physics).expect("there is memory");
        let stress = reading.expect("a solid has stress").read(&physics);
        let found: f64 = stress
            .stresses
            .iter()
            .zip(&stress.volumes)
            .map(|(stress, volume)| stress[(2, 2)] * volume)
            .sum();
        let skin = make(&config()).expect("the torso is possible").surface;
        let at_rest = |point: Vector3<f64>| {
            let skin = skin.highest_at(point.x, point.y);
            skin.expect("the probe is above the torso").position[2]
        };
        let wanted = match name {
            "elastic" => moment(&physics, &readings, at_rest),
            // MuJoCo's elements are rounded by a radius, and forces act on their vertices.
            "flex" => {
                let radius = physics.model().flex_radius()[0];
                moment(&physics, &readings, |point| point.z - radius)
            }
            _ => moment(&physics, &readings, |point| point.z),
        };
        let most = stress.von_mises().into_iter().fold(0.0, f64::max);
        eprintln!("{name}: {found:.5} of {wanted:.5} N m, von Mises up to {most:.0} Pa");
        assert!(wanted < -0.1, "{name}: {wanted}");
        assert!(
            (found / wanted - 1.0).abs() < tolerance,
            "{name}: {found} {wanted}"
        );
    }
}

/// At rest there is no stress, and the greatest is below the probe.
#[test]
fn the_greatest_stress_is_below_the_probe() {
    for (name, make) in [
        ("elastic", elastic as Make),
        ("xpbd", xpbd),
        ("flex", flex),
        ("mpm", mpm),
    ] {
        let (physics, _) = stand_of(make);
        let reading = StressReading::of(&physics).expect("there is memory");
        let at_rest = reading.expect("a solid has stress").read(&physics);
        let most = at_rest.von_mises().into_iter().fold(0.0, f64::max);
        assert!(most < 1.0, "{name}: {most} Pa at rest");
        let (physics, readings) = pressed(make);
        let reading = StressReading::of(&physics).expect("there is memory");
        let stress = reading.expect("a solid has stress").read(&physics);
        let face = readings.probe.world_from_probe(&physics).position;
        let von_mises = stress.von_mises();
        let (index, _) = (von_mises.iter().enumerate())
            .max_by(|a, b| a.1.total_cmp(b.1))
            .expect("there are elements");
        let away = Vector3::from(stress.centers()[index]) - face;
        assert!(away.norm() < 0.06, "{name}: {away}");
    }
}

/// Springs have no stress.
#[test]
fn shells_and_lattices_have_no_stress() {
    for make in [fast as Make, composite] {
        let torso = make(&TorsoConfig::default()).expect("the torso is possible");
        let (physics, _) = stand::compiled(&stand::stand(torso));
        assert!(
            StressReading::of(&physics)
                .expect("there is memory")
                .is_none()
        );
    }
}
