//! Time gain compensation: gain over depth, as a scanner's sliders set it.

use std::str::FromStr;

use insonate_settings::{SettingError, check_range};

/// Largest number of points of a curve, and the largest gain [dB].
const MOST: usize = 64;
const LARGEST: f64 = 60.0;

/// Gains at depths, with straight lines between them, constant before the first and behind the last. Without points the gain is 0 dB.
///
/// The text of points is `0.02=0,0.1=6` (depth [m] = gain [dB]); that of sliders `0,0,2,4` (gains [dB]).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tgc {
    /// Depth and gain [dB], by depth.
    points: Vec<[f64; 2]>,
    /// Whether depths are shares of the picture's depth and not lengths [m].
    are_shares: bool,
}

impl Tgc {
    /// A curve through points of depth [m] and gain [dB].
    ///
    /// # Errors
    /// [`SettingError`]: a depth or a gain is out of range, depths do not increase, or there are more than 64 points.
    pub fn new(points: Vec<[f64; 2]>) -> Result<Self, SettingError> {
        for [depth, _] in &points {
            check_range("depth of tgc", *depth, [0.0, 0.4], "m")?;
        }
        if let Some(pair) = points.windows(2).find(|pair| pair[0][0] >= pair[1][0]) {
            let allowed = format!("greater than the one before it, {} m", pair[0][0]);
            return Err(SettingError::new("depth of tgc", pair[1][0], allowed));
        }
        Self::checked(points, false)
    }

    /// Sliders with gains [dB], evenly spaced from the face to the depth of the picture.
    ///
    /// # Errors
    /// [`SettingError`]: a gain is out of range, or there are more than 64 sliders.
    pub fn sliders(gains: &[f64]) -> Result<Self, SettingError> {
        let last = gains.len().saturating_sub(1).max(1) as f64;
        let point = |(index, gain): (usize, &f64)| [index as f64 / last, *gain];
        Self::checked(gains.iter().enumerate().map(point).collect(), true)
    }

    fn checked(points: Vec<[f64; 2]>, are_shares: bool) -> Result<Self, SettingError> {
        check_range("points of tgc", points.len() as f64, [0.0, MOST as f64], "")?;
        for [_, gain] in &points {
            check_range("gain of tgc", *gain, [-LARGEST, LARGEST], "dB")?;
        }
        Ok(Self { points, are_shares })
    }

    /// Depths [m] and gains [dB] in a picture of a depth [m].
    pub fn points(&self, shown: f64) -> Vec<[f64; 2]> {
        let unit = if self.are_shares { shown } else { 1.0 };
        let points = self.points.iter();
        points.map(|[depth, gain]| [unit * depth, *gain]).collect()
    }

    /// Gain at a depth [m] in a picture of a depth [m], in dB.
    pub fn at(&self, depth: f64, shown: f64) -> f64 {
        let place = if self.are_shares {
            depth / shown
        } else {
            depth
        };
        let behind = self.points.partition_point(|[node, _]| *node <= place);
        let before = behind
            .checked_sub(1)
            .and_then(|before| self.points.get(before));
        match (before, self.points.get(behind)) {
            (Some([start, low]), Some([end, high])) => {
                low + (place - start) / (end - start) * (high - low)
            }
            (Some([_, gain]), None) | (None, Some([_, gain])) => *gain,
            (None, None) => 0.0,
        }
    }
}

impl FromStr for Tgc {
    type Err = SettingError;

    fn from_str(text: &str) -> Result<Self, SettingError> {
        let wrong = || {
            let allowed = "gains of sliders [dB] such as 0,0,2,4, or depth [m] = gain [dB] such as 0.02=0,0.1=6";
            SettingError::new("tgc", text, allowed)
        };
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| wrong());
        let parts = text.split(',');
        if !text.contains('=') {
            let gains = parts.map(number).collect::<Result<Vec<_>, _>>()?;
            return Self::sliders(&gains);
        }
        let point = |part: &str| {
            let (depth, gain) = part.split_once('=').ok_or_else(wrong)?;
            Ok([number(depth)?, number(gain)?])
        };
        Self::new(parts.map(point).collect::<Result<_, _>>()?)
    }
}
