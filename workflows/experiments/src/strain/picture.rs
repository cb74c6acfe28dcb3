//! The strain image next to the B-mode image.

use insonate_drawing::{ColorScale, DrawingError};
use insonate_ultrasound::Frame;
use insonate_ultrasound::b_mode::ScanConverter;
use insonate_ultrasound::measure::StrainMap;

use super::{LEAST_CORRELATION, sorted};

/// Grey where the strain is unknown.
const UNKNOWN: [u8; 3] = [60, 60, 60];
/// Share of the windows whose strains are on the scale, to either side of the median.
const SHOWN: f64 = 0.95;

/// A PNG file: the B-mode image, the strain in the same geometry, and a scale of the strain [%]. Windows that do not correlate are grey.
///
/// # Errors
/// [`DrawingError`].
pub fn strain_picture(
    converter: &ScanConverter,
    frame: &Frame,
    map: &StrainMap,
) -> Result<Vec<u8>, DrawingError> {
    let [width, height] = converter.size;
    let mut grey = Vec::new();
    converter.picture(frame, &mut grey);
    let known = map.strain.iter().zip(&map.correlation);
    let known = known.map(|(strain, share)| {
        if *share >= LEAST_CORRELATION {
            *strain
        } else {
            f32::NAN
        }
    });
    let known: Vec<f32> = known.collect();
    let samples = map.at_samples(&known, frame.n_samples, frame.step);
    let strains = converter.values(&samples, f32::INFINITY);
    let scale = ColorScale {
        range: range(&sorted(map)),
        unit: "%".to_owned(),
        factor: 100.0,
        title: "strain".to_owned(),
    };
    let mut rgb = Vec::with_capacity(6 * grey.len());
    for (grey, strains) in grey.chunks_exact(width).zip(strains.chunks_exact(width)) {
        rgb.extend(grey.iter().flat_map(|level| [*level; 3]));
        rgb.extend(strains.iter().flat_map(|strain| {
            if *strain == f32::INFINITY {
                [0; 3]
            } else if strain.is_nan() {
                UNKNOWN
            } else {
                scale.color(f64::from(*strain))
            }
        }));
    }
    scale.next_to(&rgb, (2 * width, height))
}

/// From 0 to more than most of the sorted strains, rounded to a tenth of a percent; from below 0 where most tissue is stretched.
fn range(strains: &[f32]) -> [f64; 2] {
    let at = |share: f64| {
        let index = (share * strains.len() as f64) as usize;
        strains.get(index).map_or(0.0, |strain| f64::from(*strain))
    };
    let rounded = |strain: f64| (1e3 * strain).ceil().max(1.0) * 1e-3;
    if at(0.5) < 0.0 {
        [-rounded(-at(1.0 - SHOWN)), 0.0]
    } else {
        [0.0, rounded(at(SHOWN))]
    }
}
