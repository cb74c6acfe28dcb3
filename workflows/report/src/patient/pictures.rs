//! Pictures of a patient: skin and organs from four sides, and sections of the labels.

use insonate_anatomy::Patient;
use insonate_drawing::{DrawingError, SolidView, color_picture};
use insonate_meshes::TriangleMesh;

use crate::colors::{BONES, SKIN, color};

/// Edge of a pixel [m].
const PIXEL: f64 = 0.0012;
/// Largest number of pixels along the longest side of the patient.
const MOST_PIXELS: f64 = 600.0;
/// Opacity of the skin before the organs.
const GLASS: f64 = 0.18;
const LEFT: [f64; 3] = [1.0, 0.0, 0.0];
const RIGHT: [f64; 3] = [-1.0, 0.0, 0.0];
const HEAD: [f64; 3] = [0.0, 1.0, 0.0];
const FRONT: [f64; 3] = [0.0, 0.0, 1.0];
const BACK: [f64; 3] = [0.0, 0.0, -1.0];
/// Directions to the right of views from the front, the patient's left, back and right.
const SIDES: [[f64; 3]; 4] = [LEFT, BACK, RIGHT, FRONT];
/// Directions to the right and up of sections: across, frontal, along. The patient's left, or front, is on the same side as in the views.
const SECTIONS: [[[f64; 3]; 2]; 3] = [[LEFT, FRONT], [LEFT, HEAD], [BACK, HEAD]];
/// White space between pictures [pixels].
const GAP: usize = 12;

/// Pictures as PNG files.
pub(super) struct Pictures {
    pub(super) skin: Vec<u8>,
    pub(super) organs: Vec<u8>,
    pub(super) sections: Vec<u8>,
    /// Where the sections are: left, head, front [m].
    pub(super) place: [f64; 3],
}

/// A picture in colours, row by row.
struct Raster {
    size: [usize; 2],
    rgb: Vec<[u8; 3]>,
}

pub(super) fn pictures(patient: &Patient) -> Result<Pictures, DrawingError> {
    let bounds = patient.skin.bounds();
    let longest = (0..3).map(|axis| bounds[1][axis] - bounds[0][axis]);
    let pixel = (longest.fold(0.0, f64::max) / MOST_PIXELS).max(PIXEL);
    let normals = patient.skin.vertex_normals();
    let skin = SIDES.map(|right| {
        let mut view = SolidView::new(bounds, [right, HEAD], pixel);
        let TriangleMesh {
            positions,
            triangles,
        } = &patient.skin;
        view.draw(positions, &normals, triangles, SKIN);
        view
    });
    let organs = organs(patient, &skin, bounds, pixel);
    let raster = |view: &SolidView| Raster {
        size: view.size(),
        rgb: view.pixels().to_vec(),
    };
    let place = place(patient);
    let sections = SECTIONS.map(|ways| section(patient, ways, place, pixel));
    Ok(Pictures {
        skin: side_by_side(&skin.each_ref().map(raster))?,
        organs: side_by_side(&organs.each_ref().map(raster))?,
        sections: side_by_side(&sections)?,
        place,
    })
}

/// Bones and organs behind a translucent skin.
fn organs(
    patient: &Patient,
    skin: &[SolidView; 4],
    bounds: [[f64; 3]; 2],
    pixel: f64,
) -> [SolidView; 4] {
    let mut views = SIDES.map(|right| SolidView::new(bounds, [right, HEAD], pixel));
    let classes = &patient.description.classes;
    let surfaces = patient.organs.iter().filter_map(|(name, mesh)| {
        let place = classes.iter().position(|class| class.name == *name)?;
        Some((mesh, color(&classes[place].tissue, place)))
    });
    let bones = patient.bones.iter().map(|mesh| (mesh, BONES));
    for (mesh, color) in surfaces.chain(bones) {
        let normals = mesh.vertex_normals();
        for view in &mut views {
            view.draw(&mesh.positions, &normals, &mesh.triangles, color);
        }
    }
    for (view, skin) in views.iter_mut().zip(skin) {
        view.cover(skin, GLASS);
    }
    views
}

/// Where sections are made: the middle of the liver or, without one, of the body.
fn place(patient: &Patient) -> [f64; 3] {
    let [low, high] = patient.skin.bounds();
    let middle = [0, 1, 2].map(|axis| 0.5 * (low[axis] + high[axis]));
    let liver = patient.description.class("liver");
    liver.map_or(middle, |class| class.centre_m)
}

/// A section through a place, between the bounds of the skin.
fn section(patient: &Patient, [right, up]: [[f64; 3]; 2], place: [f64; 3], pixel: f64) -> Raster {
    let [low, high] = patient.skin.bounds();
    // The first corner and the length along a direction, which is an axis or its opposite.
    let span = |way: [f64; 3]| {
        let axis = (0..3).find(|axis| way[*axis] != 0.0).unwrap_or(0);
        let first = if way[axis] > 0.0 {
            low[axis]
        } else {
            high[axis]
        };
        (axis, first, high[axis] - low[axis])
    };
    let down = up.map(|x| -x);
    let [(across, first, width), (along, top, height)] = [span(right), span(down)];
    let mut corner = place;
    corner[across] = first;
    corner[along] = top;
    let size = [width, height].map(|length| (length / pixel).ceil() as usize + 1);
    let ways = [right, down].map(|way| way.map(|x| pixel * x));
    let values = patient.labels.section(corner, ways, size);
    let classes = &patient.description.classes;
    let colors = values.iter().map(|value| match usize::from(*value) {
        0 => [255; 3],
        value => color(&classes[value - 1].tissue, value - 1),
    });
    Raster {
        size,
        rgb: colors.collect(),
    }
}

/// Pictures next to each other as a PNG file.
fn side_by_side(parts: &[Raster]) -> Result<Vec<u8>, DrawingError> {
    let width: usize = parts.iter().map(|part| part.size[0] + GAP).sum();
    let height = parts.iter().map(|part| part.size[1]).max().unwrap_or(0);
    let mut rgb = vec![255; 3 * width * height];
    let mut start = GAP / 2;
    for part in parts {
        let [own_width, own_height] = part.size;
        let top = (height - own_height) / 2;
        for (row, pixels) in part.rgb.chunks_exact(own_width).enumerate() {
            let at = 3 * ((top + row) * width + start);
            rgb[at..at + 3 * own_width].copy_from_slice(pixels.as_flattened());
        }
        start += own_width + GAP;
    }
    color_picture(width, &rgb)
}
