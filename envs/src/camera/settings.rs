//! Settings of the camera observation.

use insonate_settings::check_range;
use serde::{Deserialize, Serialize};

use crate::{BoxSpace, EnvError, GroupKind, ObservationGroup};

/// Maximum pixels per side: an observation has up to three named numbers per pixel.
const MAX_SIDE: f64 = 256.0;

/// Settings of the observed camera.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CameraSettings {
    /// Name of a camera of the scene, such as `close` or `probe/camera`. Empty: no camera.
    pub name: String,
    /// Width [pixels].
    pub width: u32,
    /// Height [pixels].
    pub height: u32,
    /// `grey`, `rgb` or `depth`.
    pub kind: String,
    /// Depth that is mapped to 1 [m]. Larger depths are clipped.
    pub max_depth: f64,
}

impl Default for CameraSettings {
    fn default() -> Self {
        Self {
            name: String::new(),
            width: 32,
            height: 24,
            kind: "grey".to_owned(),
            max_depth: 2.0,
        }
    }
}

/// Content of a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PixelKind {
    /// Brightness (ITU-R BT.601).
    Grey,
    /// Red, green and blue.
    Rgb,
    /// Distance along the camera's axis.
    Depth,
}

impl PixelKind {
    const ALL: [(&'static str, Self); 3] = [
        ("grey", Self::Grey),
        ("rgb", Self::Rgb),
        ("depth", Self::Depth),
    ];

    /// Names of the channels of a pixel.
    fn channels(self) -> &'static [&'static str] {
        match self {
            Self::Grey => &["grey"],
            Self::Rgb => &["red", "green", "blue"],
            Self::Depth => &["depth"],
        }
    }
}

impl CameraSettings {
    /// Whether a camera is observed.
    pub fn is_on(&self) -> bool {
        !self.name.is_empty()
    }

    /// Pixel kind.
    ///
    /// # Errors
    /// [`EnvError::Unknown`].
    pub fn pixels(&self) -> Result<PixelKind, EnvError> {
        let known = PixelKind::ALL.map(|(name, _)| name);
        PixelKind::ALL
            .iter()
            .find(|(name, _)| *name == self.kind)
            .map(|(_, kind)| *kind)
            .ok_or_else(|| EnvError::unknown("kind of pixel", &self.kind, &known))
    }

    /// Checks the settings. A camera that the scene lacks is detected when the environment is created.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`], [`EnvError::Unknown`], [`EnvError::Config`].
    pub fn check(&self) -> Result<(), EnvError> {
        for (field, side) in [("width", self.width), ("height", self.height)] {
            let field = format!("observation.camera.{field}");
            check_range(&field, f64::from(side), [1.0, MAX_SIDE], "pixels")?;
        }
        check_range(
            "observation.camera.max_depth",
            self.max_depth,
            [0.01, 100.0],
            "m",
        )?;
        self.pixels().map(|_| ())
    }

    /// The entries as a group of shape `[height, width, channels]`. `None` without a camera.
    ///
    /// # Errors
    /// Those of [`CameraSettings::check`].
    pub fn group(&self) -> Result<Option<ObservationGroup>, EnvError> {
        if !self.is_on() {
            return Ok(None);
        }
        let pixels = self.pixels()?;
        let kind = match pixels {
            PixelKind::Grey | PixelKind::Rgb => GroupKind::Image,
            PixelKind::Depth => GroupKind::Depth,
        };
        let [height, width] = [self.height, self.width].map(|side| side as usize);
        let shape = [height, width, pixels.channels().len()];
        Ok(Some(ObservationGroup::image("camera", shape, kind)))
    }

    /// The entries, each in 0 to 1: rows from the top, columns from the left, channels. Empty without a camera.
    ///
    /// # Errors
    /// Those of [`CameraSettings::check`].
    pub fn space(&self) -> Result<BoxSpace, EnvError> {
        let mut space = BoxSpace::default();
        if !self.is_on() {
            return Ok(space);
        }
        let channels = self.pixels()?.channels();
        for row in 0..self.height {
            for column in 0..self.width {
                for channel in channels {
                    space.push(format!("pixel_{row}_{column}_{channel} [1]"), 0.0, 1.0);
                }
            }
        }
        Ok(space.in_frame(&self.name))
    }
}
