//! Figures of a scanner and its picture: settings, size and place of pixels.

use insonate_ultrasound::Settings;
use insonate_ultrasound::b_mode::{Compounding, ScanConverter};
use insonate_ultrasound::transducer::{ArrayKind, Transducer};
use nalgebra::Isometry3;
use serde::Serialize;

/// Settings of a scanner with their units.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SettingsFigures {
    /// The transducer.
    pub array: ArrayFigures,
    /// Frequency of the transmitted sine.
    pub transmit_frequency_hz: f64,
    /// Its cycles.
    pub transmit_cycles: usize,
    /// Depths of the transmit foci; empty without a focus.
    pub focus_m: Vec<f64>,
    /// Depth of the focus over the transmitting aperture; `None` without a focus.
    pub transmit_f_number: Option<f64>,
    /// Depth over the receiving aperture.
    pub receive_f_number: f64,
    /// Depth of the picture.
    pub imaging_depth_m: f64,
    /// Gain in addition to the usual one.
    pub gain_db: f64,
    /// Angles of the directions of spatial compounding, from the normal of the array.
    pub view_angles_rad: Vec<f64>,
    /// Points of the gain over depth.
    pub tgc: Vec<TgcFigures>,
    /// Attenuation that is compensated.
    pub compensation_db_per_cm_mhz: f64,
    /// Range from black to white.
    pub dynamic_range_db: f64,
    /// Level of white relative to the speckle of liver.
    pub white_db: f64,
    /// Name of the curve from levels to grey.
    pub grey_map: &'static str,
    /// Noise relative to the speckle of liver at the face; `None` without noise.
    pub receiver_noise_db: Option<f64>,
    /// Speed of sound that is assumed.
    pub speed_of_sound_m_s: f64,
    /// Number of scanlines.
    pub lines: usize,
    /// Samples of a scanline.
    pub samples: usize,
    /// Seed of the speckle.
    pub seed: u64,
}

/// A transducer with its units.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ArrayFigures {
    /// `linear`, `curved` or `phased`.
    pub kind: &'static str,
    /// Number of elements.
    pub elements: usize,
    /// Distance between their centres.
    pub pitch_m: f64,
    /// Width of an element.
    pub element_width_m: f64,
    /// Radius of a curved array.
    pub radius_m: Option<f64>,
    /// Centre frequency.
    pub frequency_hz: f64,
    /// Band at −6 dB.
    pub band_hz: [f64; 2],
    /// Height of an element.
    pub elevation_m: f64,
    /// Focal depth of the lens.
    pub elevation_focus_m: f64,
}

/// A point of the gain over depth.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TgcFigures {
    /// Depth.
    pub depth_m: f64,
    /// Gain.
    pub gain_db: f64,
}

impl SettingsFigures {
    /// The settings of a scanner with a transducer.
    pub fn of(transducer: &Transducer, settings: &Settings) -> Self {
        let transmit = settings.focusing.transmit;
        let first = transmit.iter().map(|focus| focus.depth);
        let points = settings.tgc.points(settings.depth);
        let points = points.into_iter();
        Self {
            array: ArrayFigures::of(transducer),
            transmit_frequency_hz: settings
                .transmit_frequency
                .unwrap_or(transducer.center_frequency),
            transmit_cycles: settings.transmit_cycles,
            focus_m: first.chain(settings.more_foci.iter().copied()).collect(),
            transmit_f_number: transmit.map(|focus| focus.f_number),
            receive_f_number: settings.focusing.receive_f_number,
            imaging_depth_m: settings.depth,
            view_angles_rad: settings.compounding.map_or(vec![0.0], Compounding::angles),
            gain_db: settings.gain - Settings::GAIN,
            tgc: points
                .map(|[depth_m, gain_db]| TgcFigures { depth_m, gain_db })
                .collect(),
            compensation_db_per_cm_mhz: settings.compensation,
            dynamic_range_db: settings.dynamic_range,
            white_db: -settings.gain,
            grey_map: settings.grey_map.name(),
            receiver_noise_db: settings.noise.is_finite().then_some(settings.noise),
            speed_of_sound_m_s: settings.speed_of_sound,
            lines: settings.n_lines,
            samples: settings.n_samples,
            seed: settings.speckle_seed,
        }
    }
}

impl ArrayFigures {
    fn of(transducer: &Transducer) -> Self {
        let (kind, radius_m) = match transducer.kind {
            ArrayKind::Linear => ("linear", None),
            ArrayKind::Curvilinear { radius } => ("curved", Some(radius)),
            ArrayKind::Phased { .. } => ("phased", None),
        };
        Self {
            kind,
            elements: transducer.n_elements,
            pitch_m: transducer.pitch,
            element_width_m: transducer.element_width,
            radius_m,
            frequency_hz: transducer.center_frequency,
            band_hz: transducer.band,
            elevation_m: transducer.elevation_aperture,
            elevation_focus_m: transducer.elevation_focus,
        }
    }
}

/// Size and place of the pixels of a picture.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PixelFigures {
    /// Width and height of a pixel.
    pub pixel_m: f64,
    /// Matrix, row by row, from `[column, row, 0, 1]`, which counts the centres of pixels from 0 at the upper left, to the frame of what is
    /// imaged [m]. Its third column is a step of a pixel out of the plane.
    pub world_from_image: [[f64; 4]; 4],
}

impl PixelFigures {
    /// The pixels of pictures of a converter, with the pose of the probe.
    pub fn of(converter: &ScanConverter, world_from_probe: &Isometry3<f64>) -> Self {
        let pixel = converter.pixel;
        let [left, top] = converter.corner.map(|edge| edge + 0.5 * pixel);
        let rotation = world_from_probe.rotation.to_rotation_matrix();
        let first = world_from_probe * nalgebra::Point3::new(left, 0.0, top);
        let row = |axis: usize| {
            let [x, y, z] = [0, 1, 2].map(|column| pixel * rotation[(axis, column)]);
            // Along a row, down a column, and out of the plane, so that the axes are right-handed.
            [x, z, -y, first[axis]]
        };
        Self {
            pixel_m: pixel,
            world_from_image: [row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]],
        }
    }
}
