//! The plane of an ultrasound image as a surface.

use insonate_drawing::{DrawingError, grey_picture};
use insonate_meshes::{Part, PartPicture, TriangleMesh};
use insonate_ultrasound::BMode;
use insonate_ultrasound::b_mode::ScanConverter;
use nalgebra::Isometry3;

/// Patches of the surface along each direction; the face may be curved.
const N_PATCHES: usize = 48;

/// An ultrasound image in the body.
#[derive(Clone, Debug)]
pub struct ImagePlane {
    /// Pose of the probe: +x along the array, +z into the body.
    pub pose: Isometry3<f64>,
    /// The field of view with the picture on it.
    pub part: Part,
    /// Width of the picture [pixels].
    pub width: usize,
    /// Grey levels of the picture, row by row.
    pub grey: Vec<u8>,
}

impl ImagePlane {
    /// The picture of the last frame at a pose of the probe; `file` is the picture's name next to an OBJ file.
    ///
    /// # Errors
    /// [`DrawingError::Png`].
    pub fn new(
        b_mode: &BMode,
        converter: &ScanConverter,
        pose: &Isometry3<f64>,
        file: &str,
    ) -> Result<Self, DrawingError> {
        let mut grey = Vec::new();
        converter.picture(b_mode.last(), &mut grey);
        let [width, height] = converter.size;
        let settings = b_mode.settings();
        let at = |n: usize, count: usize| n * (count - 1) / N_PATCHES;
        let mut mesh = TriangleMesh::default();
        let mut uvs = Vec::new();
        for row in 0..=N_PATCHES {
            for column in 0..=N_PATCHES {
                let point = b_mode.point(at(column, settings.n_lines), at(row, settings.n_samples));
                let point = point.cast::<f64>();
                let [x, z] = [point.x, point.z];
                uvs.push([
                    ((x - converter.corner[0]) / (converter.pixel * width as f64)) as f32,
                    ((z - converter.corner[1]) / (converter.pixel * height as f64)) as f32,
                ]);
                mesh.positions.push((pose * point).coords.into());
            }
        }
        let side = N_PATCHES as u32 + 1;
        for row in 0..side - 1 {
            for column in 0..side - 1 {
                let first = row * side + column;
                let [a, b, c, d] = [first, first + 1, first + side + 1, first + side];
                mesh.triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        let picture = PartPicture {
            uvs,
            png: grey_picture(width, &grey)?,
            file: file.to_owned(),
        };
        let part = Part {
            picture: Some(picture),
            ..Part::new("image", mesh, [1.0; 4])
        };
        Ok(Self {
            pose: *pose,
            part,
            width,
            grey,
        })
    }
}
