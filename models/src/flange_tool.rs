//! Tools that a flange holds in place of a probe.

use std::borrow::Cow;

use insonate_settings::check_ranges;

use crate::ModelError;
use crate::mjcf::{Body, DefaultClass, Element, Geom, Inertial, Material, Mjcf, Sensor, Site};

/// A tool on a robot's flange. Its names are those of a probe, so that controllers and sensors find them: body `probe` with its origin in
/// the mounting plane and +z out of the arm, the site `face_center` that is controlled, and the site `ft` of the force sensor.
#[derive(Clone, Debug)]
pub struct FlangeTool {
    /// Name in that of the scene.
    pub name: Cow<'static, str>,
    /// The model; its only root body is `probe`.
    pub mjcf: Mjcf,
}

/// Distance from the mounting plane to the hub of a needle [m]: adapter, force sensor and a clamp. A choice.
const HUB: f64 = 0.10;
/// Mass of the clamp [kg] and its centre of mass from the mounting plane [m]. A choice; a needle weighs 1 g.
const CLAMP: (f64, f64) = (0.3, 0.045);
/// Radius of adapter and sensor [m].
const RADIUS: f64 = 0.037;

impl FlangeTool {
    /// A needle in a clamp on a force sensor: `face_center` and `ft` are at its hub, with z along the needle. The needle is drawn straight and
    /// touches nothing in MuJoCo, because its forces come from a simulation of the tissue. `length` from hub to tip and `diameter` [m].
    ///
    /// # Errors
    /// [`ModelError::OutOfRange`] for a length or a diameter that no needle has.
    pub fn needle(name: &str, length: f64, diameter: f64) -> Result<Self, ModelError> {
        let rows = [
            ("needle.length", length, [5e-3, 1.0], "m"),
            ("needle.diameter", diameter, [1e-4, 5e-3], "m"),
        ];
        check_ranges("", rows)?;
        let mut mjcf = Mjcf::new(name);
        let class = Element::new("geom")
            .with_attribute("contype", 0)
            .with_attribute("conaffinity", 0)
            .with_attribute("group", 2)
            .with_attribute("mass", 0.0);
        mjcf.default().add(DefaultClass::new("visual").with(class));
        for (material, rgba) in [
            ("steel", [0.8, 0.82, 0.85, 1.0]),
            ("dark", [0.15, 0.16, 0.18, 1.0]),
            ("hub", [0.85, 0.3, 0.5, 1.0]),
        ] {
            mjcf.asset().add(Material::new(material).rgba(rgba));
        }
        mjcf.worldbody().add(body(length, diameter));
        let frames = [
            ("framepos", "position"),
            ("framequat", "orientation"),
            ("framelinvel", "linear_velocity"),
            ("frameangvel", "angular_velocity"),
        ];
        for kind in ["force", "torque"] {
            mjcf.sensor().add(Sensor::new(kind, kind, "site", "ft"));
        }
        for (kind, sensor) in frames {
            mjcf.sensor()
                .add(Sensor::frame(kind, sensor, "face_center"));
        }
        Ok(Self {
            name: name.to_owned().into(),
            mjcf,
        })
    }
}

fn body(length: f64, diameter: f64) -> Body {
    let hub = [0.0, 0.0, HUB];
    let visual = |geom: Geom, material| geom.class("visual").material(material);
    let (mass, center) = CLAMP;
    // A homogeneous cylinder from the mounting plane to twice the centre of mass.
    let across = mass * (RADIUS * RADIUS / 4.0 + center * center / 3.0);
    let along = 0.5 * mass * RADIUS * RADIUS;
    let site = |name: &str| Site::new(name).pos(hub).set("size", 0.003).group(4);
    Body::new("probe")
        .gravcomp(1.0)
        .with(
            Inertial::new(mass, [0.0, 0.0, center])
                .fullinertia([across, across, along, 0.0, 0.0, 0.0]),
        )
        .with(visual(
            Geom::cylinder([RADIUS, 0.0195]).pos([0.0, 0.0, 0.0195]),
            "steel",
        ))
        .with(visual(
            Geom::cylinder([0.6 * RADIUS, 0.02]).pos([0.0, 0.0, 0.058]),
            "dark",
        ))
        .with(visual(
            Geom::capsule_between([0.0, 0.0, 0.078], hub, 0.004),
            "hub",
        ))
        .with(visual(
            Geom::capsule_between(hub, [0.0, 0.0, HUB + length], 0.5 * diameter),
            "steel",
        ))
        .with(site("face_center"))
        .with(site("ft"))
}
