//! Controls of the scanner in settings of tasks.

use insonate_settings::check_range;
use insonate_ultrasound::Controls;
use insonate_ultrasound::b_mode::{GreyMap, Tgc};
use serde::{Deserialize, Serialize};

use crate::EnvError;

/// Controls of the scanner. They have no persistence: an observation depends on the state alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ScannerControls {
    /// Frequency of the transmitted sine [Hz]; 0: the probe's centre frequency.
    pub transmit_frequency: f64,
    /// Cycles of this sine, 1 to 6.
    pub transmit_cycles: usize,
    /// Depths of the transmit foci [m]; empty: that of the probe.
    pub focus: Vec<f64>,
    /// Depth of the focus over the transmitting aperture.
    pub transmit_f_number: f64,
    /// Depth over the receiving aperture.
    pub receive_f_number: f64,
    /// Directions of spatial compounding: 1, 3, 5, 7 or 9.
    pub views: usize,
    /// Angle between the outermost of these directions and the middle [rad].
    pub view_angle: f64,
    /// Gain in addition to the usual one [dB].
    pub gain: f64,
    /// Gain over depth: gains of sliders [dB] such as `0,0,2,4`, or depth [m] = gain [dB] such as `0.02=0,0.1=6`; empty: 0 dB.
    pub tgc: String,
    /// Range from black to white [dB].
    pub dynamic_range: f64,
    /// Curve from levels to grey: `linear`, `gamma`, `s-curve`.
    pub grey_map: String,
    /// Noise of the receiver relative to the speckle of liver at the face [dB].
    pub receiver_noise: f64,
}

impl Default for ScannerControls {
    fn default() -> Self {
        Self {
            transmit_frequency: 0.0,
            transmit_cycles: 1,
            focus: Vec::new(),
            transmit_f_number: 4.0,
            receive_f_number: 1.5,
            views: 1,
            view_angle: 0.1745,
            gain: 0.0,
            tgc: String::new(),
            dynamic_range: 60.0,
            grey_map: GreyMap::Linear.name().to_owned(),
            receiver_noise: -75.0,
        }
    }
}

impl ScannerControls {
    /// The controls as a scanner has them. What only the probe decides is checked by [`Controls::applied`].
    ///
    /// # Errors
    /// [`EnvError::Config`] for a curve of gain or a grey map that does not exist; [`EnvError::OutOfRange`] for a frequency that is
    /// out of range.
    pub(super) fn controls(&self) -> Result<Controls, EnvError> {
        let wrong = |field: &str, problem: String| EnvError::Config {
            field: format!("observation.ultrasound.controls.{field}"),
            problem,
        };
        let usual = Self::default();
        let tgc = if self.tgc.is_empty() {
            None
        } else {
            let read = self.tgc.parse::<Tgc>();
            Some(read.map_err(|error| wrong("tgc", error.to_string()))?)
        };
        let grey_map = GreyMap::by_name(&self.grey_map);
        let grey_map = grey_map.map_err(|error| wrong("grey_map", error.to_string()))?;
        if self.views == 1 && self.view_angle != usual.view_angle {
            let problem = "has no effect with one view: set views to 3, 5, 7 or 9".to_owned();
            return Err(wrong("view_angle", problem));
        }
        let field = "observation.ultrasound.controls.transmit_frequency";
        check_range(field, self.transmit_frequency, [0.0, 1e8], "Hz")?;
        Ok(Controls {
            transmit_frequency: Some(self.transmit_frequency).filter(|frequency| *frequency > 0.0),
            transmit_cycles: Some(self.transmit_cycles),
            foci: self.focus.clone(),
            transmit_f_number: Some(self.transmit_f_number),
            receive_f_number: Some(self.receive_f_number),
            views: Some(self.views),
            view_angle: (self.views > 1).then_some(self.view_angle),
            gain: Some(self.gain),
            tgc,
            dynamic_range: Some(self.dynamic_range),
            grey_map: Some(grey_map),
            noise: Some(self.receiver_noise),
        })
    }
}
