//! Parts that all probes have: holder, housing, contact face, sites, sensors, camera.
//!
//! The face is a plate with rounded edges of one radius: its outline in the imaging plane, inset by this radius, is swept by
//! a ball.

use std::f64::consts::FRAC_PI_2;

use super::probe::Probe;
use super::transducer::{ArrayKind, Transducer};
use insonate_meshes::TriangleMesh;

use crate::mjcf::{
    Body, Camera, DefaultClass, Element, Geom, Inertial, Material, Mesh, Mjcf, Sensor, Site,
};
use crate::shapes::{MassProperties, Section, lathe, loft, rounded_cylinder};

/// Friction of gel on skin, as in the thesis: sliding [1], torsional [m], rolling [m].
const GEL_FRICTION: [f64; 3] = [0.0001, 0.005, 0.0001];

/// Depth of the region that the site `imaging_plane` shows [m].
const SHOWN_DEPTH: f64 = 0.1;

/// Dimensions and masses of a probe around its transducer.
pub(super) struct Housing {
    pub(super) transducer: Transducer,
    /// Distance from the mounting plane to the face centre [m].
    pub(super) face_offset: f64,
    /// Rim between the array and the sides of the face [m].
    pub(super) rim: f64,
    /// Radius of the face's edges [m].
    pub(super) edge: f64,
    /// Half widths of the handle along x and y [m].
    pub(super) handle: [f64; 2],
    /// Mass of the probe without its cable [kg].
    pub(super) probe_mass: f64,
    /// Mass of adapter, sensor and clamp [kg].
    pub(super) holder_mass: f64,
    /// Colour of the probe's shell.
    pub(super) rgba: [f64; 4],
}

impl Housing {
    /// Half sizes of the face along x and y [m].
    fn half_size(&self) -> [f64; 2] {
        let half_length = match self.transducer.kind {
            ArrayKind::Linear | ArrayKind::Phased { .. } => {
                self.transducer.aperture() / 2.0 + self.rim
            }
            ArrayKind::Curvilinear { radius } => {
                (radius - self.edge) * (self.transducer.field_of_view() / 2.0).sin() + self.edge
            }
        };
        [
            half_length,
            self.transducer.elevation_aperture / 2.0 + self.rim,
        ]
    }

    /// Distance of the ends of the face behind its centre, before the edges are rounded [m].
    fn sag(&self) -> f64 {
        match self.transducer.kind {
            ArrayKind::Linear | ArrayKind::Phased { .. } => 0.0,
            ArrayKind::Curvilinear { radius } => {
                (radius - self.edge) * (1.0 - (self.transducer.field_of_view() / 2.0).cos())
            }
        }
    }

    /// Points of the contact face, relative to the face centre. The face is their convex hull.
    fn face(&self) -> TriangleMesh {
        const N_ARC: usize = 15;
        const DEPTH_BEHIND_ENDS: f64 = 0.016;
        let [half_length, half_width] = self.half_size();
        let end_angle = self.transducer.field_of_view() / 2.0;
        // Inset outline: x, z and the angle between its normal and the axis.
        let mut outline: Vec<[f64; 3]> = match self.transducer.kind {
            ArrayKind::Linear | ArrayKind::Phased { .. } => [-1.0, 1.0]
                .map(|side| [side * (half_length - self.edge), -self.edge, 0.0])
                .to_vec(),
            ArrayKind::Curvilinear { radius } => (0..N_ARC)
                .map(|index| {
                    let angle = end_angle * (2.0 * index as f64 / (N_ARC - 1) as f64 - 1.0);
                    [
                        (radius - self.edge) * angle.sin(),
                        (radius - self.edge) * angle.cos() - radius,
                        angle,
                    ]
                })
                .collect(),
        };
        let end_z = -self.edge - self.sag();
        for side in [-1.0, 1.0] {
            let end_x = side * (half_length - self.edge);
            outline.push([end_x, end_z, side * (end_angle + FRAC_PI_2) / 2.0]);
            outline.push([end_x, end_z, side * FRAC_PI_2]);
            outline.push([end_x, end_z - DEPTH_BEHIND_ENDS, side * FRAC_PI_2]);
        }
        let mut positions = Vec::new();
        for [x, z, angle] in outline {
            for (side, tilt) in [-1.0, 1.0]
                .into_iter()
                .flat_map(|side| [0.0, 45.0, 90.0_f64].map(|tilt| (side, tilt.to_radians())))
            {
                let out = self.edge * tilt.cos();
                let y = side * (half_width - self.edge + self.edge * tilt.sin());
                positions.push([x + out * angle.sin(), y, z + out * angle.cos()]);
            }
        }
        TriangleMesh {
            positions,
            triangles: Vec::new(),
        }
    }

    /// The shell of the probe, from the clamp to the face.
    fn shell(&self) -> TriangleMesh {
        let [half_length, half_width] = self.half_size();
        let head = self.face_offset - self.sag() - self.edge;
        let [x, y] = self.handle;
        let section = |at, x, y, exponent| Section {
            at,
            center: [0.0; 2],
            half: [x, y],
            exponent,
        };
        let (rim_x, rim_y) = (half_length + 0.0014, half_width + 0.0016);
        let flared = |at, share: f64, exponent| {
            section(
                at,
                x + share * (rim_x - x),
                y + share * share * (rim_y - y),
                exponent,
            )
        };
        loft(
            &[
                section(0.05, x * 0.9, y * 0.9, 2.3),
                flared(head - 0.058, 0.0, 2.5),
                flared(head - 0.048, 0.12, 2.7),
                flared(head - 0.038, 0.42, 3.2),
                flared(head - 0.029, 0.76, 4.5),
                flared(head - 0.022, 0.95, 6.5),
                flared(head - 0.017, 1.0, 9.0),
                flared(head - 0.004, 1.0, 9.0),
                section(head - 0.0025, rim_x - 0.0008, rim_y - 0.001, 9.0),
            ],
            28,
        )
    }

    /// The probe in this housing.
    pub(super) fn probe(&self, name: &'static str, summary: &'static str) -> Probe {
        let body = self.mass_properties();
        Probe {
            name: name.into(),
            summary: summary.into(),
            transducer: self.transducer,
            mjcf: self.mjcf(name),
            mass: body.mass,
            center_of_mass: body.center_of_mass,
            face_offset: self.face_offset,
            thickness: 2.0 * self.half_size()[1],
        }
    }

    /// Mass properties of probe and holder, as homogeneous solids of their shapes.
    fn mass_properties(&self) -> MassProperties {
        let holder = rounded_cylinder(0.034, [0.0, 0.05], 0.002, 28);
        MassProperties::combined(&[
            MassProperties::of_solid(&self.shell(), self.probe_mass),
            MassProperties::of_solid(&holder, self.holder_mass),
        ])
    }

    /// The MJCF document of the probe.
    fn mjcf(&self, model: &str) -> Mjcf {
        let mut mjcf = Mjcf::new(model);
        let class = |contype: i32, conaffinity: i32, group: i32| {
            Element::new("geom")
                .with_attribute("contype", contype)
                .with_attribute("conaffinity", conaffinity)
                .with_attribute("group", group)
                .with_attribute("mass", 0.0)
        };
        mjcf.default()
            .add(DefaultClass::new("visual").with(class(0, 0, 2)));
        mjcf.default()
            .add(DefaultClass::new("wrist").with(class(3, 0, 3)));
        for material in materials(self.rgba) {
            mjcf.asset().add(material);
        }
        mjcf.asset().add(Mesh::of_convex_hull("face", &self.face()));
        mjcf.asset().add(Mesh::of_surface("shell", &self.shell()));
        mjcf.asset().add(Mesh::of_surface("adapter", &adapter()));
        mjcf.asset()
            .add(Mesh::of_surface("clamp", &clamp(self.handle)));
        mjcf.worldbody().add(self.body());
        for sensor in sensors() {
            mjcf.sensor().add(sensor);
        }
        mjcf
    }

    fn body(&self) -> Body {
        let body = self.mass_properties();
        let face = [0.0, 0.0, self.face_offset];
        let plane_size = [self.transducer.footprint() / 2.0, 0.0004, SHOWN_DEPTH / 2.0];
        Body::new("probe")
            .gravcomp(1.0)
            .with(Inertial::new(body.mass, body.center_of_mass).fullinertia(body.inertia))
            .with_all(self.geoms(face))
            .with(
                Site::new("face_center")
                    .pos(face)
                    .set("size", 0.003)
                    .rgba([0.2, 0.9, 0.4, 1.0])
                    .group(4),
            )
            .with(
                Site::new("ft")
                    .pos(face)
                    .set("size", 0.003)
                    .rgba([0.9, 0.6, 0.2, 1.0])
                    .group(4),
            )
            .with(
                Site::new("imaging_plane")
                    .pos([0.0, 0.0, self.face_offset + SHOWN_DEPTH / 2.0])
                    .set("type", "box")
                    .set("size", plane_size)
                    .rgba([0.3, 0.8, 1.0, 0.25])
                    .group(4),
            )
            .with(camera(self.face_offset))
    }

    fn geoms(&self, face: [f64; 3]) -> Vec<Geom> {
        let visual = |geom: Geom, material| geom.class("visual").material(material);
        let cable_exit = -self.handle[1];
        vec![
            Geom::mesh("face")
                .name("face")
                .pos(face)
                .class("wrist")
                .friction(GEL_FRICTION),
            Geom::capsule([0.028, 0.02])
                .name("handle")
                .pos([0.0, 0.0, 0.065])
                .class("wrist"),
            visual(Geom::mesh("face").pos(face), "lens"),
            visual(Geom::mesh("shell"), "shell"),
            visual(Geom::mesh("adapter"), "steel"),
            visual(
                Geom::cylinder([0.0372, 0.0095]).pos([0.0, 0.0, 0.0245]),
                "dark",
            ),
            visual(Geom::mesh("clamp"), "dark"),
            visual(
                Geom::capsule_between([0.0, cable_exit, 0.066], [0.0, -0.052, 0.054], 0.0045),
                "dark",
            ),
            visual(
                Geom::capsule_between([0.0, -0.052, 0.054], [0.0, -0.068, 0.024], 0.0036),
                "dark",
            ),
            visual(
                Geom::capsule_between([0.0, -0.068, 0.024], [0.0, -0.07, -0.02], 0.0036),
                "dark",
            ),
            // A mark on the side of the first element, as on real probes.
            visual(
                Geom::ellipsoid([0.002, 0.0015, 0.006]).pos([
                    -self.half_size()[0] * 0.82,
                    0.0,
                    self.face_offset - self.sag() - 0.03,
                ]),
                "mark",
            ),
        ]
    }
}

fn materials(rgba: [f64; 4]) -> [Material; 5] {
    [
        Material::new("shell")
            .rgba(rgba)
            .specular(0.4)
            .shininess(0.6),
        Material::new("lens")
            .rgba([0.3, 0.32, 0.36, 1.0])
            .specular(0.5)
            .shininess(0.8),
        Material::new("steel")
            .rgba([0.7, 0.72, 0.74, 1.0])
            .specular(0.7)
            .shininess(0.8),
        Material::new("dark")
            .rgba([0.15, 0.16, 0.18, 1.0])
            .specular(0.3)
            .shininess(0.4),
        Material::new("mark").rgba([0.2, 0.75, 0.5, 1.0]),
    ]
}

/// Flange plate and metal body of the force–torque sensor.
fn adapter() -> TriangleMesh {
    lathe(
        &[
            [0.0315, 0.0],
            [0.0315, 0.01],
            [0.0375, 0.0105],
            [0.0375, 0.015],
            [0.0365, 0.0155],
            [0.0365, 0.0335],
            [0.0375, 0.034],
            [0.0375, 0.037],
            [0.03, 0.0385],
        ],
        32,
    )
}

/// The clamp between sensor and handle.
fn clamp(handle: [f64; 2]) -> TriangleMesh {
    let section = |at, grow| Section {
        at,
        center: [0.0; 2],
        half: [handle[0] + grow, handle[1] + grow],
        exponent: 4.0,
    };
    loft(
        &[
            section(0.036, 0.003),
            section(0.038, 0.005),
            section(0.076, 0.005),
            section(0.078, 0.003),
        ],
        28,
    )
}

fn sensors() -> [Sensor; 6] {
    [
        Sensor::new("force", "force", "site", "ft"),
        Sensor::new("torque", "torque", "site", "ft"),
        Sensor::frame("framepos", "position", "face_center"),
        Sensor::frame("framequat", "orientation", "face_center"),
        Sensor::frame("framelinvel", "linear_velocity", "face_center"),
        Sensor::frame("frameangvel", "angular_velocity", "face_center"),
    ]
}

/// A camera next to the clamp that looks at the face.
fn camera(face_offset: f64) -> Camera {
    let (away, height) = (0.09_f64, 0.035);
    // It looks at a point slightly beyond the face: this direction is the camera's -z axis, the probe's x axis is the camera's x axis.
    let (toward_y, toward_z) = (-away * 0.8, face_offset + 0.02 - height);
    let length = f64::hypot(toward_y, toward_z);
    Camera::new("camera")
        .pos([0.0, away, height])
        .xyaxes([1.0, 0.0, 0.0, 0.0, -toward_z / length, toward_y / length])
        .fovy(60.0)
}
