//! Visual geoms and collision capsules of the PSM.
//!
//! Drawn for this project after the outline of the arm; the surfaces are not Intuitive's.

use super::REMOTE_CENTER_HEIGHT;
use super::geoms::{capsule, shell};
use super::instrument::Instrument;
use super::parameters::{LOWER_PIN, PIN_OFFSET, PIN_SPACING, SUPPORT_REACH, TOOL_LENGTH};
use crate::mjcf::{Camera, Element, Geom, Material, Mjcf};
use crate::shapes::{Section, lathe, loft, rounded_cylinder};

/// Number of vertices around a shell.
const N_AROUND: usize = 28;
/// Distance from the carriage's frame down to the end of the instrument's housing [m].
const HOUSING_END: f64 = 0.075;
/// Radius of the shaft [m].
const SHAFT_RADIUS: f64 = 0.0042;

pub(super) fn materials(mjcf: &mut Mjcf) {
    let looks: [(&str, [f64; 3], f64, f64); 7] = [
        ("housing", [0.80, 0.82, 0.84], 0.4, 0.6),
        ("arm", [0.62, 0.66, 0.71], 0.4, 0.5),
        ("joint", [0.13, 0.14, 0.16], 0.3, 0.4),
        ("accent", [0.16, 0.33, 0.55], 0.4, 0.5),
        ("steel", [0.74, 0.75, 0.77], 0.9, 0.9),
        ("shaft", [0.09, 0.09, 0.1], 0.5, 0.7),
        ("carbide", [0.78, 0.62, 0.25], 0.6, 0.6),
    ];
    for (name, [r, g, b], specular, shininess) in looks {
        let material = Material::new(name).rgba([r, g, b, 1.0]);
        mjcf.asset()
            .add(material.specular(specular).shininess(shininess));
    }
}

fn cylinder(radius: f64, from: [f64; 3], to: [f64; 3], material: &str) -> Geom {
    let middle: [f64; 3] = std::array::from_fn(|i| f64::midpoint(from[i], to[i]));
    let axis: [f64; 3] = std::array::from_fn(|i| to[i] - from[i]);
    let half = axis.iter().map(|x| x * x).sum::<f64>().sqrt() / 2.0;
    let geom = Geom::cylinder([radius, half]).pos(middle).zaxis(axis);
    geom.class("visual").material(material)
}

fn section(at: f64, center: [f64; 2], half: [f64; 2], exponent: f64) -> Section {
    Section {
        at,
        center,
        half,
        exponent,
    }
}

/// Mounting column and the housing of the yaw motor.
pub(super) fn base(mjcf: &mut Mjcf) -> Vec<Geom> {
    let column = loft(
        &[
            section(0.0, [0.0, 0.0], [0.088, 0.088], 4.0),
            section(0.014, [0.0, 0.0], [0.088, 0.088], 4.0),
            section(0.03, [-0.01, 0.0], [0.062, 0.062], 2.6),
            section(0.12, [-0.06, 0.0], [0.05, 0.052], 2.4),
            section(0.20, [-0.115, 0.0], [0.052, 0.054], 2.4),
            section(0.255, [-0.13, 0.0], [0.058, 0.058], 2.2),
        ],
        N_AROUND,
    );
    let height = REMOTE_CENTER_HEIGHT;
    let drum = rounded_cylinder(0.062, [-0.095, 0.075], 0.014, N_AROUND);
    let motor =
        rounded_cylinder(0.06, [-0.20, -0.055], 0.012, N_AROUND).map(|[u, v, s]| [s, v, -u]);
    vec![
        shell(mjcf, "column", &column, "housing"),
        shell(mjcf, "setup_joint", &drum, "arm").pos([-0.13, 0.0, height]),
        shell(mjcf, "yaw_motor", &motor, "housing").pos([0.06, 0.0, height]),
        cylinder(
            0.0635,
            [-0.13, 0.0, height + 0.05],
            [-0.13, 0.0, height + 0.058],
            "accent",
        ),
        capsule(
            "trunk",
            [-0.13, 0.0, 0.06],
            [-0.13, 0.0, height + 0.01],
            0.06,
        ),
    ]
}

/// Visual and collision geoms of the body `name`.
pub(super) fn link(mjcf: &mut Mjcf, name: &str, instrument: Instrument) -> Vec<Element> {
    let geoms = match name {
        "yaw_link" => yaw_link(mjcf),
        "pitch_link" => pitch_link(mjcf),
        "counterweight" => counterweight(mjcf),
        "upper_bar" => bar(mjcf, "upper_bar", 0.017, 0.012),
        "lower_bar" => bar(mjcf, "lower_bar", 0.024, 0.016),
        "support" => support(),
        "rail" => return rail(mjcf),
        "carriage" => carriage(mjcf),
        "shaft" => return shaft(mjcf),
        "wrist" => Instrument::wrist(mjcf),
        jaw => return instrument.jaw(mjcf, jaw),
    };
    geoms.into_iter().map(Element::from).collect()
}

/// Frame: x up, z backwards along the yaw axis. The fork in which the pitch link rotates, and the beam to the support's pin.
fn yaw_link(mjcf: &mut Mjcf) -> Vec<Geom> {
    let collar = rounded_cylinder(0.058, [0.045, 0.085], 0.008, N_AROUND);
    let cheek = loft(
        &[
            section(-SUPPORT_REACH - 0.02, [0.0, 0.0], [0.012, 0.007], 3.0),
            section(-SUPPORT_REACH, [0.0, 0.0], [0.022, 0.009], 3.0),
            section(-0.02, [0.0, 0.0], [0.034, 0.010], 3.0),
            section(0.045, [0.0, 0.0], [0.046, 0.011], 3.0),
            section(0.07, [0.0, 0.0], [0.046, 0.011], 3.0),
        ],
        N_AROUND,
    );
    let cheek = shell(mjcf, "cheek", &cheek, "arm");
    vec![
        shell(mjcf, "yaw_collar", &collar, "joint"),
        cheek.clone().pos([0.0, 0.056, 0.0]),
        cheek.pos([0.0, -0.056, 0.0]),
        cylinder(0.016, [0.0, -0.07, 0.0], [0.0, 0.07, 0.0], "joint"),
        cylinder(
            0.01,
            [0.0, -0.066, -SUPPORT_REACH],
            [0.0, 0.066, -SUPPORT_REACH],
            "steel",
        ),
        capsule("trunk", [0.0, 0.0, 0.02], [0.0, 0.0, 0.06], 0.058),
    ]
}

/// Frame: x backwards, y up. The housing of the motors, from below the pitch axis to the upper pin.
fn pitch_link(mjcf: &mut Mjcf) -> Vec<Geom> {
    let top = LOWER_PIN + PIN_SPACING;
    let housing = loft(
        &[
            section(-0.165, [-0.012, 0.0], [0.022, 0.030], 3.0),
            section(-0.15, [-0.012, 0.0], [0.032, 0.040], 3.0),
            section(-0.08, [-0.010, 0.0], [0.037, 0.043], 3.4),
            section(0.0, [0.0, 0.0], [0.037, 0.043], 3.4),
            section(0.08, [0.012, 0.0], [0.030, 0.042], 3.4),
            section(LOWER_PIN, [PIN_OFFSET - 0.012, 0.0], [0.026, 0.040], 3.4),
            section(top, [PIN_OFFSET - 0.008, 0.0], [0.024, 0.036], 3.0),
            section(top + 0.02, [PIN_OFFSET - 0.006, 0.0], [0.015, 0.026], 2.6),
        ],
        N_AROUND,
    )
    .map(|[u, v, s]| [u, s, -v]);
    let pin = |height: f64| {
        cylinder(
            0.011,
            [PIN_OFFSET, height, -0.046],
            [PIN_OFFSET, height, 0.046],
            "joint",
        )
    };
    let guide = |z: f64| {
        cylinder(
            0.0035,
            [PIN_OFFSET + 0.026, -0.17, z],
            [PIN_OFFSET + 0.026, 0.2, z],
            "steel",
        )
    };
    vec![
        shell(mjcf, "pitch_housing", &housing, "housing"),
        cylinder(0.022, [0.0, 0.0, -0.05], [0.0, 0.0, 0.05], "accent"),
        pin(LOWER_PIN),
        pin(top),
        guide(0.005),
        guide(-0.03 + 0.061),
        capsule("trunk", [0.0, -0.12, 0.0], [0.02, 0.16, 0.0], 0.04),
    ]
}

/// Frame: x backwards, z up. A block on the guides behind the pitch link, around its centre of mass.
fn counterweight(mjcf: &mut Mjcf) -> Vec<Geom> {
    let block = loft(
        &[
            section(-0.15, [0.026, -0.018], [0.012, 0.026], 4.0),
            section(-0.145, [0.026, -0.018], [0.014, 0.028], 4.0),
            section(-0.055, [0.026, -0.018], [0.014, 0.028], 4.0),
            section(-0.05, [0.026, -0.018], [0.012, 0.026], 4.0),
        ],
        N_AROUND,
    );
    vec![shell(mjcf, "counterweight", &block, "joint")]
}

/// A bar of the parallelograms, along x, `wide` [m] at its root and `slim` [m] at the rail.
fn bar(mjcf: &mut Mjcf, name: &str, wide: f64, slim: f64) -> Vec<Geom> {
    let beam = loft(
        &[
            section(-0.018, [0.0, 0.0], [wide * 0.6, 0.010], 2.5),
            section(0.0, [0.0, 0.0], [wide, 0.016], 2.8),
            section(0.10, [0.0, 0.0], [wide * 1.1, 0.017], 3.0),
            section(0.30, [0.0, 0.0], [wide * 0.9, 0.0155], 3.0),
            section(0.50, [0.0, 0.0], [slim, 0.013], 2.8),
            section(0.516, [0.0, 0.0], [slim, 0.0125], 2.6),
            section(0.532, [0.0, 0.0], [slim * 0.6, 0.007], 2.4),
        ],
        N_AROUND,
    )
    .map(|[u, v, s]| [s, v, -u]);
    vec![
        shell(mjcf, name, &beam, "housing"),
        cylinder(0.007, [0.516, 0.0, -0.03], [0.516, 0.0, 0.03], "joint"),
        capsule("trunk", [0.02, 0.0, 0.0], [0.44, 0.0, 0.0], 0.016),
    ]
}

/// Frame: x backwards, y up. Two struts from the yaw link's pin to the lower bar.
fn support() -> Vec<Geom> {
    let strut = |z: f64| {
        capsule("visual", [-PIN_OFFSET, -LOWER_PIN, z], [0.0, 0.0, z], 0.011).material("arm")
    };
    vec![
        strut(0.034),
        strut(-0.034),
        cylinder(0.008, [0.0, 0.0, -0.04], [0.0, 0.0, 0.04], "joint"),
    ]
}

/// Frame: x forwards, y down along the insertion. The rail of the carriage, and the arm that holds the cannula at the remote centre.
fn rail(mjcf: &mut Mjcf) -> Vec<Element> {
    let along = |[u, v, s]: [f64; 3]| [u, s, -v];
    let beam = loft(
        &[
            section(-0.36, [-0.006, 0.0], [0.010, 0.020], 3.0),
            section(-0.35, [-0.006, 0.0], [0.015, 0.027], 3.6),
            section(-0.20, [-0.006, 0.0], [0.016, 0.028], 3.6),
            section(0.02, [-0.006, 0.0], [0.016, 0.028], 3.6),
            section(0.05, [-0.004, 0.0], [0.015, 0.024], 3.0),
            section(0.085, [0.004, 0.0], [0.013, 0.016], 2.6),
            section(0.11, [0.018, 0.0], [0.014, 0.011], 2.4),
            section(0.12, [0.026, 0.0], [0.010, 0.008], 2.2),
        ],
        N_AROUND,
    )
    .map(along);
    let cannula = lathe(
        &[
            [0.0125, 0.082],
            [0.0130, 0.090],
            [0.0120, 0.104],
            [0.0065, 0.116],
            [0.0056, 0.120],
            [0.0056, 0.190],
        ],
        N_AROUND,
    )
    .map(along);
    let ring = |y: f64| {
        cylinder(
            0.0061,
            [PIN_OFFSET, y - 0.001, 0.0],
            [PIN_OFFSET, y + 0.001, 0.0],
            "joint",
        )
    };
    let geoms = vec![
        shell(mjcf, "rail", &beam, "arm"),
        cylinder(0.004, [0.012, -0.35, 0.014], [0.012, 0.03, 0.014], "steel"),
        cylinder(
            0.004,
            [0.012, -0.35, -0.014],
            [0.012, 0.03, -0.014],
            "steel",
        ),
        shell(mjcf, "cannula", &cannula, "steel").pos([PIN_OFFSET, 0.0, 0.0]),
        cylinder(
            0.0155,
            [PIN_OFFSET, 0.092, 0.0],
            [PIN_OFFSET, 0.102, 0.0],
            "joint",
        ),
        // Marks for the placement of the cannula: its remote centre is between two lines.
        ring(LOWER_PIN - 0.006),
        ring(LOWER_PIN),
        ring(LOWER_PIN + 0.006),
        capsule("wrist", [-0.005, -0.33, 0.0], [-0.005, 0.06, 0.0], 0.026),
    ];
    geoms.into_iter().map(Element::from).collect()
}

/// Frame: z down along the tool. Sterile adapter and the instrument's housing.
fn carriage(mjcf: &mut Mjcf) -> Vec<Geom> {
    let adapter = loft(
        &[
            section(-0.055, [-0.022, 0.0], [0.005, 0.030], 4.0),
            section(-0.05, [-0.022, 0.0], [0.007, 0.033], 4.0),
            section(0.06, [-0.022, 0.0], [0.007, 0.033], 4.0),
            section(0.066, [-0.022, 0.0], [0.005, 0.029], 4.0),
        ],
        N_AROUND,
    );
    let housing = loft(
        &[
            section(-0.062, [0.004, 0.0], [0.012, 0.018], 3.0),
            section(-0.055, [0.003, 0.0], [0.017, 0.025], 3.2),
            section(0.03, [0.002, 0.0], [0.018, 0.027], 3.4),
            section(0.055, [0.002, 0.0], [0.016, 0.022], 3.0),
            section(0.068, [0.0, 0.0], [0.010, 0.011], 2.4),
            section(HOUSING_END, [0.0, 0.0], [0.0065, 0.0065], 2.0),
        ],
        N_AROUND,
    );
    let label = Geom::cuboid([0.0006, 0.015, 0.022]).pos([0.0202, 0.0, -0.012]);
    let lever = |side: f64| {
        let lever = Geom::cuboid([0.006, 0.0025, 0.016]).pos([0.002, 0.0285 * side, 0.012]);
        lever.class("visual").material("accent")
    };
    vec![
        shell(mjcf, "adapter", &adapter, "joint"),
        shell(mjcf, "instrument_housing", &housing, "housing"),
        label.class("visual").material("accent"),
        lever(1.0),
        lever(-1.0),
        capsule("wrist", [0.0, 0.0, -0.04], [0.0, 0.0, 0.045], 0.025),
    ]
}

/// The shaft along z, with the wrist at the origin, and a camera that looks at the jaws.
fn shaft(mjcf: &mut Mjcf) -> Vec<Element> {
    let top = HOUSING_END - TOOL_LENGTH;
    let tube = lathe(
        &[
            [0.0034, top],
            [SHAFT_RADIUS, top],
            [SHAFT_RADIUS, -0.0065],
            [0.0038, -0.006],
            [0.0038, -0.004],
        ],
        N_AROUND,
    );
    let ear = |side: f64| {
        let ear = Geom::cuboid([0.0021, 0.0006, 0.0032]).pos([0.0, 0.0036 * side, -0.0012]);
        ear.class("visual").material("steel").into()
    };
    vec![
        shell(mjcf, "shaft", &tube, "shaft").into(),
        // It covers the end of the shaft, which would show as black wedges between the ears.
        cylinder(0.0043, [0.0, 0.0, -0.013], [0.0, 0.0, -0.0036], "steel").into(),
        ear(1.0),
        ear(-1.0),
        capsule("wrist", [0.0, 0.0, top], [0.0, 0.0, -0.004], SHAFT_RADIUS).into(),
        Camera::new("instrument")
            .pos([0.05, 0.03, -0.035])
            .set("mode", "targetbody")
            .set("target", "wrist")
            .fovy(36.0)
            .into(),
    ]
}
