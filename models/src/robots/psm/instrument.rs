//! The instrument of the PSM: its end beyond the shaft.

use super::geoms::{capsule, shell};
use super::parameters::{PITCH_TO_YAW, YAW_TO_TIP};
use crate::mjcf::{Element, Geom, Mjcf, Site};
use crate::shapes::{Section, loft};

/// Number of vertices around a jaw.
const N_AROUND: usize = 16;

/// An instrument of the classic da Vinci system, 8 mm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instrument {
    /// Short, thick jaws that hold a needle.
    LargeNeedleDriver,
    /// Long jaws, each with a window, that hold tissue.
    FenestratedGrasper,
}

impl Instrument {
    /// All instruments with their names on the command line.
    pub const ALL: [(&'static str, Self); 2] = [
        ("large-needle-driver", Self::LargeNeedleDriver),
        ("fenestrated-grasper", Self::FenestratedGrasper),
    ];

    /// Distance from the jaws' axis to the point between their tips [m]: identified for the needle driver, after the outline for the grasper.
    pub const fn jaw_length(self) -> f64 {
        match self {
            Self::LargeNeedleDriver => YAW_TO_TIP,
            Self::FenestratedGrasper => 0.0195,
        }
    }

    /// Visual and collision geoms of body `jaw_a` or `jaw_b`, and the site at its tip. A jaw points along -y; jaw b is on the side of +x.
    pub(super) fn jaw(self, mjcf: &mut Mjcf, body: &str) -> Vec<Element> {
        let side = if body == "jaw_a" { -1.0 } else { 1.0 };
        let length = self.jaw_length();
        let radius = 0.0017;
        let mut parts: Vec<Element> = self
            .blades(mjcf, body, side)
            .into_iter()
            .map(Element::from)
            .collect();
        let pulley = Geom::cylinder([0.0031, 0.0011]).pos([0.0, 0.0, 0.0012 * side]);
        parts.push(pulley.class("visual").material("steel").into());
        let end = [0.8 * radius * side, radius - length, 0.0];
        parts.push(
            capsule("wrist", [0.8 * radius * side, -0.003, 0.0], end, radius)
                .name(body)
                .into(),
        );
        let site = if side < 0.0 { "tip_a" } else { "tip_b" };
        parts.push(Site::new(site).pos([0.0, -length, 0.0]).group(4).into());
        parts
    }

    fn blades(self, mjcf: &mut Mjcf, body: &str, side: f64) -> Vec<Geom> {
        // Lofts rise along their own z axis, which is rotated to -y: (u, v, s) becomes (u, -s, v).
        let mut blade = |name: &str, sections: &[[f64; 5]], material: &str| {
            let sections: Vec<Section> = sections
                .iter()
                .map(|&[at, u, v, half_u, half_v]| Section {
                    at,
                    center: [u * side, v],
                    half: [half_u, half_v],
                    exponent: 3.0,
                })
                .collect();
            let surface = loft(&sections, N_AROUND).map(|[u, v, s]| [u, -s, v]);
            shell(mjcf, name, &surface, material)
        };
        match self {
            // [along the jaw, centre across, centre along the axis, half width across, half width along the axis]
            Self::LargeNeedleDriver => vec![
                blade(
                    &format!("{body}_blade"),
                    &[
                        [-0.0005, 0.0009, 0.0, 0.0010, 0.0022],
                        [0.003, 0.00135, 0.0, 0.0013, 0.0023],
                        [0.006, 0.0012, 0.0, 0.00115, 0.0019],
                        [0.0085, 0.0009, 0.0, 0.00085, 0.0014],
                        [0.0095, 0.0006, 0.0, 0.0005, 0.0009],
                    ],
                    "steel",
                ),
                // The carbide insert for gripping.
                blade(
                    &format!("{body}_insert"),
                    &[
                        [0.0035, 0.00015, 0.0, 0.00016, 0.0018],
                        [0.0085, 0.00015, 0.0, 0.00016, 0.0012],
                    ],
                    "carbide",
                ),
            ],
            Self::FenestratedGrasper => {
                let rail = |v: f64| {
                    [
                        [0.0035, 0.0011, 0.55 * v, 0.0011, 0.0008],
                        [0.007, 0.0014, v, 0.0012, 0.00075],
                        [0.014, 0.0012, v, 0.0010, 0.0007],
                        [0.0172, 0.0010, 0.6 * v, 0.0009, 0.0007],
                    ]
                };
                vec![
                    blade(
                        &format!("{body}_root"),
                        &[
                            [-0.0005, 0.0009, 0.0, 0.0010, 0.0022],
                            [0.003, 0.0011, 0.0, 0.0011, 0.0024],
                            [0.005, 0.0011, 0.0, 0.0011, 0.0020],
                        ],
                        "steel",
                    ),
                    blade(&format!("{body}_left"), &rail(0.0019), "steel"),
                    blade(&format!("{body}_right"), &rail(-0.0019), "steel"),
                    blade(
                        &format!("{body}_end"),
                        &[
                            [0.0158, 0.0011, 0.0, 0.0010, 0.0018],
                            [0.0180, 0.0010, 0.0, 0.0009, 0.0017],
                            [0.0195, 0.0007, 0.0, 0.0006, 0.0010],
                        ],
                        "steel",
                    ),
                ]
            }
        }
    }

    /// The clevis between wrist pitch and the jaws' axis. x is along the tool, the jaws' axis is along y.
    pub(super) fn wrist(mjcf: &mut Mjcf) -> Vec<Geom> {
        let clevis = loft(
            &[
                Section {
                    at: -0.003,
                    center: [0.0; 2],
                    half: [0.0024, 0.0024],
                    exponent: 2.5,
                },
                Section {
                    at: 0.001,
                    center: [0.0; 2],
                    half: [0.0033, 0.0036],
                    exponent: 3.0,
                },
                Section {
                    at: 0.0045,
                    center: [0.0; 2],
                    half: [0.0030, 0.0038],
                    exponent: 3.0,
                },
                Section {
                    at: 0.0062,
                    center: [0.0; 2],
                    half: [0.0022, 0.0038],
                    exponent: 3.0,
                },
            ],
            N_AROUND,
        )
        .map(|[u, v, s]| [s, v, -u]);
        let ear = |side: f64| {
            Geom::cuboid([0.0032, 0.0006, 0.0021])
                .pos([0.0082, 0.0033 * side, 0.0])
                .class("visual")
                .material("steel")
        };
        let axle = |pos: [f64; 3], axis: [f64; 3], half: f64| {
            Geom::cylinder([0.0011, half])
                .pos(pos)
                .zaxis(axis)
                .class("visual")
                .material("joint")
        };
        vec![
            shell(mjcf, "clevis", &clevis, "steel"),
            ear(1.0),
            ear(-1.0),
            axle([PITCH_TO_YAW, 0.0, 0.0], [0.0, 1.0, 0.0], 0.0041),
            axle([0.0; 3], [0.0, 0.0, 1.0], 0.0041),
            capsule("wrist", [0.0; 3], [PITCH_TO_YAW, 0.0, 0.0], 0.0036),
        ]
    }
}
