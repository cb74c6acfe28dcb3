//! Persistence: recursive averaging of frames.
//!
//! $y_n = p\, y_{n-1} + (1 - p)\, x_n$ with the levels $x_n$ of a frame [dB] and the share $p$; the first frame is shown as it is.

use insonate_settings::check_range;

use super::Frame;
use crate::UltrasoundError;

/// Averages frames of one scanner.
#[derive(Clone, Debug, Default)]
pub struct Persistence {
    share: f32,
    /// The last frame with averaged levels.
    last: Option<Frame>,
}

impl Persistence {
    /// Persistence with a share of the frame before, 0 to 0.95; 0 shows frames as they are.
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: the share is out of range.
    pub fn new(share: f64) -> Result<Self, UltrasoundError> {
        check_range("persistence", share, [0.0, 0.95], "")?;
        Ok(Self {
            share: share as f32,
            last: None,
        })
    }

    /// Forgets all frames.
    pub fn restart(&mut self) {
        self.last = None;
    }

    /// A frame whose levels are averaged with those of the frames before; labels and contact are its own.
    pub fn apply<'a>(&'a mut self, frame: &'a Frame) -> &'a Frame {
        if self.share == 0.0 {
            return frame;
        }
        let mut averaged = frame.clone();
        if let Some(last) = &self.last {
            for (level, last) in averaged.envelope.iter_mut().zip(&last.envelope) {
                *level += self.share * (last - *level);
            }
        }
        self.last.insert(averaged)
    }
}
