//! DICOM Ultrasound Multi-frame Image Storage (`.dcm`): explicit little endian, 8 bits, not compressed.
//!
//! Format: DICOM PS3.3, A.7 (the object), C.8.5.5 (regions and their scale), C.7.6.5 and C.7.6.6 (times of frames); PS3.10 (the file).
//! Dates are left empty and identifiers follow from the content, so that the same pictures give the same bytes.

mod element;

use sha2::{Digest as _, Sha256};

use self::element::{DataSet, Tag, decimal};
use super::Sequence;
use crate::UltrasoundError;

/// Ultrasound Multi-frame Image Storage.
const SOP_CLASS: &str = "1.2.840.10008.5.1.4.1.1.3.1";
/// Explicit VR Little Endian.
const TRANSFER_SYNTAX: &str = "1.2.840.10008.1.2.1";
/// Frame rate at which a web viewer plays the video.
const RECOMMENDED_DISPLAY_FRAME_RATE: Tag = [0x0008, 0x2144];
const CINE_RATE: Tag = [0x0018, 0x0040];
const IMAGE_LATERALITY: Tag = [0x0020, 0x0062];
const FRAME_TIME: Tag = [0x0018, 0x1063];
const FRAME_TIME_VECTOR: Tag = [0x0018, 0x1065];
/// Largest number of times that fit into one element.
const MAX_TIMES: usize = 3800;
/// Largest number of bytes of pixels.
const MAX_BYTES: usize = 1 << 31;
/// Tolerance of an even frame rate [steps].
const EVEN: f64 = 0.05;
/// Upper limit of the time between frames [ms].
const LONGEST: f64 = 1e9;
/// Code of the unit centimetre.
const CENTIMETRES: u16 = 3;

impl Sequence {
    /// The file's bytes: a patient named SIMULATED, pictures with their scale and times. The format has no field for poses.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: the sequence is empty or too large.
    pub fn to_dicom(&self) -> Result<Vec<u8>, UltrasoundError> {
        if self.is_empty() || self.pixels.len() > MAX_BYTES {
            let allowed = format!("at least one, and at most {MAX_BYTES} bytes of pixels");
            return Err(UltrasoundError::setting(
                "frames of a DICOM file",
                self.len(),
                allowed,
            ));
        }
        let times = self.times()?;
        let identifier = |what| self.identifier(what);
        let instance = identifier("instance");
        let mut set = DataSet::default();
        set.text([0x0008, 0x0005], "CS", "ISO_IR 192");
        set.text([0x0008, 0x0008], "CS", "DERIVED\\SECONDARY");
        set.text([0x0008, 0x0016], "UI", SOP_CLASS);
        set.text([0x0008, 0x0018], "UI", &instance);
        // Study: date, time, number of the request.
        set.text([0x0008, 0x0020], "DA", "");
        set.text([0x0008, 0x0030], "TM", "");
        set.text([0x0008, 0x0050], "SH", "");
        set.text([0x0008, 0x0060], "CS", "US");
        set.text([0x0008, 0x0070], "LO", "insonate");
        set.text([0x0008, 0x0090], "PN", "");
        set.text([0x0008, 0x103e], "LO", "simulated B-mode of nobody");
        set.text([0x0008, 0x1090], "LO", "simulation");
        set.text([0x0008, 0x2111], "ST", "simulated, not measured");
        if let Some(rate) = times.rate() {
            set.text(RECOMMENDED_DISPLAY_FRAME_RATE, "IS", &rate);
        }
        set.text([0x0010, 0x0010], "PN", "SIMULATED^insonate");
        set.text([0x0010, 0x0020], "LO", "SIMULATED");
        set.text([0x0010, 0x0030], "DA", "");
        set.text([0x0010, 0x0040], "CS", "");
        if let Some(rate) = times.rate() {
            set.text(CINE_RATE, "IS", &rate);
        }
        set.text([0x0018, 0x1020], "LO", env!("CARGO_PKG_VERSION"));
        set.text(times.tag, "DS", &times.text);
        set.sequence([0x0018, 0x6011], &self.region());
        set.text([0x0020, 0x000d], "UI", &identifier("study"));
        set.text([0x0020, 0x000e], "UI", &identifier("series"));
        set.text([0x0020, 0x0010], "SH", "1");
        set.text([0x0020, 0x0011], "IS", "1");
        set.text([0x0020, 0x0013], "IS", "1");
        set.text([0x0020, 0x0020], "CS", "");
        // Trunk and neck are unpaired. Laterality has no value for that, and must be absent if ImageLaterality is present.
        set.text(IMAGE_LATERALITY, "CS", "U");
        self.picture(&mut set, times.tag);
        Ok(file(&instance, &set))
    }

    /// Size, meaning and values of pixels.
    fn picture(&self, set: &mut DataSet, pointer: Tag) {
        let [width, height] = self.size;
        set.short([0x0028, 0x0002], 1);
        set.text([0x0028, 0x0004], "CS", "MONOCHROME2");
        set.text([0x0028, 0x0008], "IS", &self.len().to_string());
        set.pointer([0x0028, 0x0009], pointer);
        set.short([0x0028, 0x0010], height as u16);
        set.short([0x0028, 0x0011], width as u16);
        set.short([0x0028, 0x0014], 0);
        // Bits allocated, stored, and the highest; unsigned.
        for (element, value) in [(0x0100, 8), (0x0101, 8), (0x0102, 7), (0x0103, 0)] {
            set.short([0x0028, element], value);
        }
        set.text([0x0028, 0x2110], "CS", "00");
        set.data([0x7fe0, 0x0010], &self.pixels);
    }

    /// The whole picture as a two-dimensional region of tissue; its origin is the centre of the probe's face.
    fn region(&self) -> DataSet {
        let pixel = 100.0 * self.pixel;
        // The pixel next to the origin, and the position of its centre.
        let reference = self
            .corner
            .map(|corner| (-corner / self.pixel - 0.5).round());
        let place = [0, 1].map(|axis| 100.0 * self.corner[axis] + (reference[axis] + 0.5) * pixel);
        let mut set = DataSet::default();
        set.short([0x0018, 0x6012], 1);
        set.short([0x0018, 0x6014], 1);
        set.long([0x0018, 0x6016], 0);
        set.long([0x0018, 0x6018], 0);
        set.long([0x0018, 0x601a], 0);
        set.long([0x0018, 0x601c], self.size[0] as u32 - 1);
        set.long([0x0018, 0x601e], self.size[1] as u32 - 1);
        set.signed([0x0018, 0x6020], reference[0] as i32);
        set.signed([0x0018, 0x6022], reference[1] as i32);
        set.short([0x0018, 0x6024], CENTIMETRES);
        set.short([0x0018, 0x6026], CENTIMETRES);
        set.real([0x0018, 0x6028], place[0]);
        set.real([0x0018, 0x602a], place[1]);
        set.real([0x0018, 0x602c], pixel);
        set.real([0x0018, 0x602e], pixel);
        set
    }

    /// Times between frames, as they are written; a single time if all are about equal.
    fn times(&self) -> Result<Times, UltrasoundError> {
        let steps = self
            .frames
            .windows(2)
            .map(|pair| 1e3 * (pair[1].0 - pair[0].0));
        let steps: Vec<f64> = steps.collect();
        if let Some(step) = steps.iter().find(|step| !(0.0..LONGEST).contains(*step)) {
            let allowed = "between 0 and 1e9 ms: frames follow one another";
            return Err(UltrasoundError::setting(
                "time between frames",
                step,
                allowed,
            ));
        }
        let mean = match steps.len() {
            0 => 0.0,
            // Rounded to a nanosecond: sums of steps have rounding errors.
            n => (1e6 * steps.iter().sum::<f64>() / n as f64).round() / 1e6,
        };
        if mean > 0.0 && self.is_even(mean) {
            return Ok(Times {
                tag: FRAME_TIME,
                text: decimal(mean),
                mean,
            });
        }
        if self.len() > MAX_TIMES {
            let allowed = format!("at most {MAX_TIMES} at uneven times");
            return Err(UltrasoundError::setting(
                "frames of a DICOM file",
                self.len(),
                allowed,
            ));
        }
        let all = std::iter::once(0.0).chain(steps).map(decimal);
        Ok(Times {
            tag: FRAME_TIME_VECTOR,
            text: all.collect::<Vec<String>>().join("\\"),
            mean,
        })
    }

    /// Whether the times of all frames match a clock of this step [ms], within a tolerance.
    fn is_even(&self, step: f64) -> bool {
        let first = self.frames.first().map_or(0.0, |(time, _)| *time);
        let late = |(n, (time, _)): (usize, &(f64, _))| 1e3 * (time - first) / step - n as f64;
        let mut frames = self.frames.iter().enumerate();
        frames.all(|frame| late(frame).abs() <= EVEN)
    }

    /// A unique identifier (PS3.5, B.2), derived from the content.
    fn identifier(&self, what: &str) -> String {
        let mut hash = Sha256::new();
        hash.update(what);
        for (time, _) in &self.frames {
            hash.update(time.to_le_bytes());
        }
        for length in [
            self.pixel,
            self.corner[0],
            self.corner[1],
            self.size[0] as f64,
        ] {
            hash.update(length.to_le_bytes());
        }
        hash.update(&self.pixels);
        let digest = hash.finalize();
        let mut number = [0; 16];
        number.copy_from_slice(&digest[..16]);
        format!("2.25.{}", u128::from_be_bytes(number))
    }
}

/// Times between frames.
struct Times {
    /// Element that holds the times.
    tag: Tag,
    /// Value of the element.
    text: String,
    /// Mean [ms]; 0 for a single frame.
    mean: f64,
}

impl Times {
    /// Frames per second, as a whole number; `None` for single pictures and films with less than one frame per second.
    fn rate(&self) -> Option<String> {
        let rate = (1e3 / self.mean).round();
        (self.mean > 0.0 && (1.0..1e6).contains(&rate)).then(|| format!("{rate}"))
    }
}

/// Preamble, file meta information and data set.
fn file(instance: &str, set: &DataSet) -> Vec<u8> {
    let mut meta = DataSet::default();
    meta.data([0x0002, 0x0001], &[0, 1]);
    meta.text([0x0002, 0x0002], "UI", SOP_CLASS);
    meta.text([0x0002, 0x0003], "UI", instance);
    meta.text([0x0002, 0x0010], "UI", TRANSFER_SYNTAX);
    // Random identifier of insonate, drawn once.
    meta.text(
        [0x0002, 0x0012],
        "UI",
        "2.25.281478310250926043715406263861206714519",
    );
    meta.text([0x0002, 0x0013], "SH", "INSONATE");
    let mut length = DataSet::default();
    length.long([0x0002, 0x0000], meta.bytes.len() as u32);
    [
        &[0; 128][..],
        b"DICM",
        &length.bytes,
        &meta.bytes,
        &set.bytes,
    ]
    .concat()
}
