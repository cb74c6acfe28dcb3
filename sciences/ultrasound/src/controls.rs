//! Controls of a scanner, as its user sets them: what is not set stays as the scanner has it.

use crate::UltrasoundError;
use crate::b_mode::{Compounding, GreyMap, Settings, Tgc};
use crate::transducer::Transducer;

/// Controls that a user sets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Controls {
    /// Frequency of the transmitted sine [Hz], within the transducer's band.
    pub transmit_frequency: Option<f64>,
    /// Cycles of this sine, 1 to 6.
    pub transmit_cycles: Option<usize>,
    /// Depths of the transmit foci [m]; empty: the usual one. With several, each depth shows lines with the nearest focus.
    pub foci: Vec<f64>,
    /// Depth of the focus over the transmitting aperture.
    pub transmit_f_number: Option<f64>,
    /// Depth over the receiving aperture.
    pub receive_f_number: Option<f64>,
    /// Number of directions of spatial compounding; 1 for none.
    pub views: Option<usize>,
    /// Angle between the outermost of these directions and the unsteered one [rad].
    pub view_angle: Option<f64>,
    /// Gain in addition to the usual one [dB].
    pub gain: Option<f64>,
    /// Gain over depth, in addition to the compensation of attenuation.
    pub tgc: Option<Tgc>,
    /// Range from black to white [dB].
    pub dynamic_range: Option<f64>,
    /// Curve from levels to grey.
    pub grey_map: Option<GreyMap>,
    /// Noise level of the receiver relative to the speckle of liver at the face [dB].
    pub noise: Option<f64>,
}

impl Controls {
    /// The settings with these controls for a transducer.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`] names the field that is out of range or that the transducer cannot do.
    pub fn applied(
        &self,
        usual: Settings,
        transducer: &Transducer,
    ) -> Result<Settings, UltrasoundError> {
        let mut settings = Settings {
            transmit_frequency: self.transmit_frequency.or(usual.transmit_frequency),
            transmit_cycles: self.transmit_cycles.unwrap_or(usual.transmit_cycles),
            gain: usual.gain + self.gain.unwrap_or(0.0),
            tgc: self.tgc.clone().unwrap_or(usual.tgc),
            dynamic_range: self.dynamic_range.unwrap_or(usual.dynamic_range),
            grey_map: self.grey_map.unwrap_or(usual.grey_map),
            noise: self.noise.unwrap_or(usual.noise),
            compounding: self.compounding()?.or(usual.compounding),
            ..usual
        };
        if let Some(transmit) = &mut settings.focusing.transmit {
            if let Some((first, others)) = self.foci.split_first() {
                transmit.depth = *first;
                settings.more_foci = others.to_vec();
            }
            transmit.f_number = self.transmit_f_number.unwrap_or(transmit.f_number);
        }
        let receive = &mut settings.focusing.receive_f_number;
        *receive = self.receive_f_number.unwrap_or(*receive);
        settings.check_for(transducer)?;
        Ok(settings)
    }

    fn compounding(&self) -> Result<Option<Compounding>, UltrasoundError> {
        match (self.views, self.view_angle) {
            (None | Some(1), None) => Ok(None),
            (None | Some(1), Some(angle)) => {
                let allowed = "left out without several views of compounding";
                Err(UltrasoundError::setting("view angle", angle, allowed))
            }
            (Some(n_views), angle) => Ok(Some(Compounding {
                n_views,
                angle: angle.unwrap_or(Compounding::ANGLE),
            })),
        }
    }
}
