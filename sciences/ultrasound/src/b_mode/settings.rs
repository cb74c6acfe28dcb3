//! Settings of a scanner.

use insonate_settings::check_range;

use super::{Compounding, GreyMap, Tgc};
use crate::UltrasoundError;
use crate::beam::{Focusing, Pulse, TransmitFocus, Zones};
use crate::transducer::{ArrayKind, Transducer};

/// Settings of a scanner.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Number of scanlines.
    pub n_lines: usize,
    /// Samples of each scanline.
    pub n_samples: usize,
    /// Depth of the picture [m].
    pub depth: f64,
    /// Frequency of the transmitted sine [Hz]; `None`: the centre frequency of the transducer.
    pub transmit_frequency: Option<f64>,
    /// Cycles of the transmitted sine, 1 to 6.
    pub transmit_cycles: usize,
    /// Focusing of the elements.
    pub focusing: Focusing,
    /// Depths of transmit foci in addition to that of `focusing` [m]: one line is transmitted for each, and each depth shows the line with the
    /// nearest focus.
    pub more_foci: Vec<f64>,
    /// Directions of spatial compounding; `None` for lines without steering.
    pub compounding: Option<Compounding>,
    /// Speed of sound that the scanner assumes [m/s].
    pub speed_of_sound: f64,
    /// One-way attenuation that the scanner assumes and compensates [dB/(cm MHz)].
    pub compensation: f64,
    /// Noise level of the receiver relative to the speckle of liver at the face [dB]; −∞ for no noise.
    pub noise: f64,
    /// Level of the speckle of liver in the picture [dB]; white is 0.
    pub gain: f64,
    /// Gain over depth, in addition to the compensation.
    pub tgc: Tgc,
    /// Range from black to white [dB].
    pub dynamic_range: f64,
    /// Curve from levels to grey.
    pub grey_map: GreyMap,
    /// Least number of speckle scatterers per resolution cell (the product of the three widths at half maximum); the actual number is at
    /// most twice as large.
    pub scatterers_per_cell: f64,
    /// Seed of the speckle, which identifies the patient.
    pub speckle_seed: u64,
    /// Seed of the noise.
    pub noise_seed: u64,
}

impl Settings {
    /// Default of [`Settings::gain`] [dB].
    pub const GAIN: f64 = -32.0;

    /// Defaults for a transducer: abdomen with a curved array, heart with a phased array, small parts with a linear array.
    pub fn of(transducer: &Transducer) -> Self {
        let (depth, focus) = match transducer.kind {
            ArrayKind::Linear => (0.05, 0.025),
            ArrayKind::Curvilinear { .. } => (0.15, 0.08),
            ArrayKind::Phased { .. } => (0.16, 0.08),
        };
        Self {
            n_lines: 256,
            n_samples: 1024,
            depth,
            transmit_frequency: None,
            transmit_cycles: 1,
            focusing: Focusing {
                transmit: Some(TransmitFocus {
                    depth: focus,
                    f_number: 4.0,
                }),
                receive_f_number: 1.5,
            },
            more_foci: Vec::new(),
            compounding: None,
            speed_of_sound: 1540.0,
            compensation: 0.5,
            noise: -75.0,
            gain: Self::GAIN,
            tgc: Tgc::default(),
            dynamic_range: 60.0,
            grey_map: GreyMap::Linear,
            scatterers_per_cell: 5.0,
            speckle_seed: 0,
            noise_seed: 0,
        }
    }

    /// Settings without noise and compensation, for measurements.
    pub fn bare(transducer: &Transducer) -> Self {
        Self {
            compensation: 0.0,
            noise: f64::NEG_INFINITY,
            ..Self::of(transducer)
        }
    }

    /// Checks that a picture can be made with the settings.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`] names the invalid field.
    pub fn check(&self) -> Result<(), UltrasoundError> {
        check_range("n_lines", self.n_lines as f64, [2.0, 4096.0], "")?;
        check_range("n_samples", self.n_samples as f64, [16.0, 16384.0], "")?;
        check_range("depth", self.depth, [0.005, 0.4], "m")?;
        let cycles = self.transmit_cycles as f64;
        check_range("transmit cycles", cycles, [1.0, 6.0], "")?;
        if let Some(focus) = self.focusing.transmit {
            check_range("transmit focus", focus.depth, [0.002, 0.4], "m")?;
            check_range("transmit f-number", focus.f_number, [0.5, 20.0], "")?;
        }
        self.check_foci()?;
        check_range(
            "receive f-number",
            self.focusing.receive_f_number,
            [0.5, 20.0],
            "",
        )?;
        check_range(
            "speed of sound",
            self.speed_of_sound,
            [1000.0, 2000.0],
            "m/s",
        )?;
        check_range("compensation", self.compensation, [0.0, 3.0], "dB/(cm MHz)")?;
        if self.noise != f64::NEG_INFINITY {
            check_range("noise", self.noise, [-200.0, 40.0], "dB, or −∞")?;
        }
        check_range("gain", self.gain, [-120.0, 60.0], "dB")?;
        check_range("dynamic range", self.dynamic_range, [10.0, 120.0], "dB")?;
        Ok(check_range(
            "scatterers per cell",
            self.scatterers_per_cell,
            [1.0, 200.0],
            "",
        )?)
    }

    fn check_foci(&self) -> Result<(), UltrasoundError> {
        let foci = &self.more_foci;
        if self.focusing.transmit.is_none() && !foci.is_empty() {
            let allowed = "empty without a transmit focus";
            return Err(UltrasoundError::setting("further foci", foci, allowed));
        }
        check_range("further foci", foci.len() as f64, [0.0, 7.0], "")?;
        for focus in foci {
            check_range("transmit focus", *focus, [0.002, 0.4], "m")?;
        }
        Ok(())
    }

    /// Checks that a transducer can make a picture with the settings.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`] names the invalid field.
    pub fn check_for(&self, transducer: &Transducer) -> Result<(), UltrasoundError> {
        self.check()?;
        if let Some(frequency) = self.transmit_frequency {
            check_range("transmit frequency", frequency, transducer.band, "Hz")?;
        }
        if let Some(compounding) = self.compounding {
            compounding.check_for(transducer)?;
        }
        Ok(())
    }

    /// The transducer that transmits at the frequency of the settings.
    pub(crate) fn tuned(&self, transducer: &Transducer) -> Transducer {
        Transducer {
            center_frequency: self
                .transmit_frequency
                .unwrap_or(transducer.center_frequency),
            ..*transducer
        }
    }

    /// The pulse of a transducer that transmits at the frequency of the settings.
    pub(crate) fn pulse(&self, tuned: &Transducer) -> Pulse {
        Pulse::of_cycles(tuned, self.transmit_cycles)
    }

    /// Focusing over depth.
    pub(crate) fn zones(&self) -> Zones<'_> {
        Zones::new(self.focusing, &self.more_foci)
    }
}
