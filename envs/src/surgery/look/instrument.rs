//! Shaft, clevis and toothed jaws, rendered around the contact capsules.

use insonate_meshes::TriangleMesh;
use insonate_models::mjcf::{Geom, Mesh, Mjcf, Namespace};
use insonate_models::shapes::{Section, loft};
use insonate_tissue::xpbd::GripperGeometry;

/// Vertices around a part.
const AROUND: usize = 24;
/// Teeth of a jaw.
const N_TEETH: usize = 12;

/// Adds the instrument to the bodies `shaft`, `clamp0` and `clamp1`. Their capsules lie along z.
pub(super) fn add(mjcf: &mut Mjcf, geometry: &GripperGeometry) {
    // The clamps rotate about y, and their gripping faces are opposite each other.
    show(mjcf, "clamp0", &jaw(geometry, 1.0), "steel");
    show(mjcf, "clamp1", &jaw(geometry, -1.0), "steel");
    show(mjcf, "shaft", &clevis(geometry), "steel");
    let (radius, half) = (geometry.shaft_radius, 0.5 * geometry.shaft_length);
    let hinge = Geom::cylinder([0.5 * radius, 1.02 * radius])
        .pos([0.0, 0.0, -half])
        .zaxis([0.0, 1.0, 0.0]);
    put(mjcf, "shaft", hinge, "carbide");
    let end = clevis_end(geometry);
    let tube =
        Geom::cylinder([radius, 0.5 * (half - end)]).pos([0.0, 0.0, f64::midpoint(half, end)]);
    put(mjcf, "shaft", tube, "shaft");
}

fn show(mjcf: &mut Mjcf, body: &str, surface: &TriangleMesh, material: &str) {
    mjcf.asset().add(Mesh::of_surface(body, surface));
    put(mjcf, body, Geom::mesh(body), material);
}

fn put(mjcf: &mut Mjcf, body: &str, geom: Geom, material: &str) {
    let geom = geom
        .material(material)
        .set("contype", 0)
        .set("conaffinity", 0);
    if let Some(body) = mjcf.find_mut(Namespace::Body, body) {
        body.add(geom);
    }
}

/// A jaw whose gripping face points along x times `inner` (±1). The face is flat and toothed, the outside is round, and the end is slimmer.
fn jaw(geometry: &GripperGeometry, inner: f64) -> TriangleMesh {
    let (radius, length) = (geometry.clamp_radius, geometry.clamp_length);
    let root = 0.22;
    let section = |share: f64, tooth: f64| {
        let slimmer = 1.0 - 0.55 * share * share;
        let face = radius * (1.0 - tooth);
        let back = -1.1 * radius * slimmer;
        Section {
            at: (share - 0.5) * length,
            center: [inner * f64::midpoint(face, back), 0.0],
            half: [0.5 * (face - back), 2.3 * radius * slimmer],
            exponent: 4.0,
        }
    };
    let teeth = (0..2 * N_TEETH).map(|edge| {
        let share = root + (0.97 - root) * edge as f64 / (2 * N_TEETH - 1) as f64;
        section(share, 0.45 * (edge % 2) as f64)
    });
    let sections: Vec<Section> = [section(-0.12, 0.5), section(root - 0.03, 0.5)]
        .into_iter()
        .chain(teeth)
        .chain([section(1.0, 0.6)])
        .collect();
    loft(&sections, AROUND)
}

/// Start of the clevis along the shaft's z axis [m].
fn clevis_end(geometry: &GripperGeometry) -> f64 {
    2.5 * geometry.shaft_radius - 0.5 * geometry.shaft_length
}

/// The end of the shaft, flattened to hold the hinge.
fn clevis(geometry: &GripperGeometry) -> TriangleMesh {
    let (radius, tip) = (geometry.shaft_radius, -0.5 * geometry.shaft_length);
    let section = |at: f64, half: [f64; 2], exponent: f64| Section {
        at,
        center: [0.0; 2],
        half: half.map(|share| share * radius),
        exponent,
    };
    loft(
        &[
            section(tip - 0.55 * radius, [0.4, 0.8], 4.0),
            section(tip, [0.62, 0.98], 4.0),
            section(tip + radius, [0.7, 1.0], 3.0),
            section(clevis_end(geometry), [1.0, 1.0], 2.0),
        ],
        AROUND,
    )
}
