//! Sequences of pictures with poses of the probe, as files for 3D Slicer and PLUS; without poses, as DICOM.
//!
//! MetaImage and NRRD have a text header, with poses for each frame under the names of PLUS, and raw pixels.
//! Lengths are in millimetres there. As in PLUS, the spacing of pixels is 1, and `ImageToProbe` holds their size.
//! `ImageToProbe` maps (column, row, 0, 1) to the probe's frame and `ProbeToTracker` maps the probe's frame to right, anterior, superior
//! (RAS), both as rows of a matrix. `TrackerToRAS` is the identity, for readers that look up the transform to RAS by name.

mod dicom;
mod meta_image;
mod nrrd;

use nalgebra::{Isometry3, Matrix4};

use crate::b_mode::ScanConverter;
use crate::{UltrasoundError, ras_from_patient};

/// Pictures of one size with poses.
#[derive(Clone, Debug)]
pub struct Sequence {
    /// Pixels across and down.
    size: [usize; 2],
    /// Size of a pixel [m].
    pixel: f64,
    /// Upper left corner in the probe's frame: x, z [m].
    corner: [f64; 2],
    /// Grey levels of all frames, row by row.
    pixels: Vec<u8>,
    /// Time [s], and pose of the probe's frame in the patient's.
    frames: Vec<(f64, Isometry3<f64>)>,
}

impl Sequence {
    /// An empty sequence for the pictures of a converter.
    pub fn new(converter: &ScanConverter) -> Self {
        Self {
            size: converter.size,
            pixel: converter.pixel,
            corner: converter.corner,
            pixels: Vec::new(),
            frames: Vec::new(),
        }
    }

    /// Adds a picture with its time [s] and the pose of the probe's frame in the frame of a patient on the back: +x to the left, +y to
    /// the head, +z to the front.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: the picture has another size, or the time or pose is not finite.
    pub fn push(
        &mut self,
        picture: &[u8],
        time: f64,
        patient_from_probe: &Isometry3<f64>,
    ) -> Result<(), UltrasoundError> {
        let n = self.size[0] * self.size[1];
        if picture.len() != n {
            let allowed = format!("{n}, as the converter makes them");
            return Err(UltrasoundError::setting(
                "pixels of a picture",
                picture.len(),
                allowed,
            ));
        }
        let matrix = patient_from_probe.to_homogeneous();
        if !time.is_finite() || !matrix.iter().all(|x| x.is_finite()) {
            let found = (time, patient_from_probe.translation.vector);
            let allowed = "finite";
            return Err(UltrasoundError::setting(
                "time and pose of a picture",
                found,
                allowed,
            ));
        }
        self.pixels.extend_from_slice(picture);
        self.frames.push((time, *patient_from_probe));
        Ok(())
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there is no frame.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    fn pixel_mm(&self) -> f64 {
        1e3 * self.pixel
    }

    /// Header fields with name and value of each frame; `between` separates the two.
    fn fields(&self, between: &str) -> String {
        let image = self.image_to_probe();
        let frames = self.frames.iter().enumerate();
        let lines = frames.flat_map(|(number, (time, pose))| {
            let probe = ras_from_probe(pose);
            let fields = [
                ("FrameNumber", number.to_string()),
                ("ImageStatus", "OK".to_owned()),
                ("ImageToProbeTransform", rows(&image)),
                ("ImageToProbeTransformStatus", "OK".to_owned()),
                ("ProbeToTrackerTransform", rows(&probe)),
                ("ProbeToTrackerTransformStatus", "OK".to_owned()),
                ("TrackerToRASTransform", rows(&Matrix4::identity())),
                ("TrackerToRASTransformStatus", "OK".to_owned()),
                ("Timestamp", time.to_string()),
                ("UnfilteredTimestamp", time.to_string()),
            ];
            fields.map(|(name, value)| format!("Seq_Frame{number:04}_{name}{between}{value}\n"))
        });
        lines.collect::<Vec<String>>().concat()
    }

    /// Columns and rows in the probe's frame [mm]: a picture lies in the x, z plane.
    fn image_to_probe(&self) -> Matrix4<f64> {
        let pixel = self.pixel_mm();
        let [x, z] = self.corner.map(|corner| 1e3 * corner + 0.5 * pixel);
        #[rustfmt::skip]
        let matrix = Matrix4::new(
            pixel, 0.0, 0.0, x,
            0.0, 0.0, -pixel, 0.0,
            0.0, pixel, 0.0, z,
            0.0, 0.0, 0.0, 1.0,
        );
        matrix
    }
}

/// Pose of the probe's frame in RAS [mm].
fn ras_from_probe(patient_from_probe: &Isometry3<f64>) -> Matrix4<f64> {
    let mut matrix = ras_from_patient().to_homogeneous() * patient_from_probe.to_homogeneous();
    matrix.fixed_view_mut::<3, 1>(0, 3).scale_mut(1e3);
    matrix
}

fn rows(matrix: &Matrix4<f64>) -> String {
    let numbers: Vec<String> = matrix.transpose().iter().map(f64::to_string).collect();
    numbers.join(" ")
}
