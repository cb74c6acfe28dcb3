//! The options that set a scanner, with the names that scanners have for them.

use clap::Args;
use insonate::ultrasound::Controls;
use insonate::ultrasound::b_mode::{GreyMap, Tgc};

use super::{Usage, given};

#[derive(Debug, Args)]
#[command(next_help_heading = "Scanner")]
pub(crate) struct ScannerArgs {
    /// Frequency of the transmitted sine, within the probe's band [Hz] [default: the probe's centre frequency]
    #[arg(long, value_name = "HZ")]
    transmit_frequency: Option<f64>,
    /// Cycles of this sine, 1 to 6: more give echoes its frequency, and make them longer [default: 1]
    #[arg(long, value_name = "N")]
    transmit_cycles: Option<usize>,
    /// Depth of the transmit focus, or of up to eight, separated by commas: each depth then shows lines with the nearest focus [m] [default:
    /// depends on the probe]
    #[arg(long, value_name = "M,…", value_delimiter = ',')]
    focus: Vec<f64>,
    /// Depth of the focus over the transmitting aperture [default: 4]
    #[arg(long, value_name = "F")]
    transmit_f_number: Option<f64>,
    /// Depth over the receiving aperture [default: 1.5]
    #[arg(long, value_name = "F")]
    receive_f_number: Option<f64>,
    /// Directions of spatial compounding, 3, 5, 7 or 9: means of the amplitudes of steered lines; for linear arrays [default: 1]
    #[arg(long, value_name = "N")]
    views: Option<usize>,
    /// Angle between the outermost of these directions and the middle [°] [default: 10]
    #[arg(long, value_name = "DEG", requires = "views")]
    view_angle: Option<f64>,
    /// Gain in addition to the usual one [dB] [default: 0]
    #[arg(long, value_name = "DB", allow_hyphen_values = true)]
    gain: Option<f64>,
    /// Gain over depth in addition to the compensation of 0.5 dB/(cm MHz): sliders from the face to the bottom (0,0,2,4), or M=DB at depths
    /// (0.02=0,0.1=6), with straight lines between [default: 0 dB]
    #[arg(long, value_name = "CURVE", allow_hyphen_values = true)]
    tgc: Option<Tgc>,
    /// Range from black to white [dB] [default: 60]
    #[arg(long, value_name = "DB")]
    dynamic_range: Option<f64>,
    /// Curve from levels in this range (0 to 1) to grey: linear, gamma (x^0.7) or s-curve (3x² - 2x³) [default: linear]
    #[arg(long, value_name = "MAP", value_parser = GreyMap::by_name)]
    grey_map: Option<GreyMap>,
    /// Noise of the receiver relative to the speckle of liver at the face [dB] [default: -75; none for blocks that are measured]
    #[arg(long, value_name = "DB", allow_hyphen_values = true)]
    receiver_noise: Option<f64>,
}

impl ScannerArgs {
    /// The controls that were set.
    pub(crate) fn controls(&self) -> Controls {
        Controls {
            transmit_frequency: self.transmit_frequency,
            transmit_cycles: self.transmit_cycles,
            foci: self.focus.clone(),
            transmit_f_number: self.transmit_f_number,
            receive_f_number: self.receive_f_number,
            views: self.views,
            view_angle: self.view_angle.map(f64::to_radians),
            gain: self.gain,
            tgc: self.tgc.clone(),
            dynamic_range: self.dynamic_range,
            grey_map: self.grey_map,
            noise: self.receiver_noise,
        }
    }

    /// Given options that change how echoes are made.
    pub(crate) fn of_echoes(&self) -> Vec<&'static str> {
        given(&[
            ("--transmit-frequency", self.transmit_frequency.is_some()),
            ("--transmit-cycles", self.transmit_cycles.is_some()),
            ("--focus", !self.focus.is_empty()),
            ("--transmit-f-number", self.transmit_f_number.is_some()),
            ("--receive-f-number", self.receive_f_number.is_some()),
        ])
    }

    /// Given options that change what is received.
    pub(crate) fn of_receiver(&self) -> Vec<&'static str> {
        given(&[
            ("--tgc", self.tgc.is_some()),
            ("--receiver-noise", self.receiver_noise.is_some()),
        ])
    }

    /// Given options that change greys from black to white, which also weight the confidence.
    pub(crate) fn of_range(&self) -> Vec<&'static str> {
        given(&[
            ("--gain", self.gain.is_some()),
            ("--dynamic-range", self.dynamic_range.is_some()),
        ])
    }

    /// Given options that change the picture only.
    pub(crate) fn of_picture(&self) -> Vec<&'static str> {
        given(&[("--grey-map", self.grey_map.is_some())])
    }

    /// Given options of spatial compounding.
    pub(crate) fn of_views(&self) -> Vec<&'static str> {
        given(&[("--views", self.views.is_some_and(|n| n > 1))])
    }

    /// Whether a gain over depth is given.
    pub(crate) fn has_tgc(&self) -> bool {
        self.tgc.is_some()
    }

    /// All given options.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        let groups = [
            self.of_echoes(),
            self.of_views(),
            self.of_receiver(),
            self.of_range(),
            self.of_picture(),
        ];
        groups.concat()
    }

    /// Refuses them without the B-mode image.
    pub(crate) fn check_b_mode(&self, has_b_mode: bool) -> Result<(), Usage> {
        match self.given().first() {
            Some(option) if !has_b_mode => Err(Usage::new(WithoutImage(option))),
            _ => Ok(()),
        }
    }
}

/// An option of the scanner without its image.
#[derive(Debug, thiserror::Error)]
#[error("{0} has no effect without the B-mode image: add --b-mode")]
struct WithoutImage(&'static str);
