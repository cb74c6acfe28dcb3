//! B-mode pictures of a scene for people and files; observations are in beam space ([`super::Scanner`]).

use insonate_settings::check_range;
use insonate_ultrasound::b_mode::{Persistence, ScanConverter};
use insonate_ultrasound::transducer::Transducer;
use insonate_ultrasound::{BMode, Controls, Settings, View};

use super::TorsoView;
use crate::EnvError;

/// Fewer scatterers than for still pictures, so that a frame takes a fraction of its period.
const SCATTERERS_PER_CELL: f64 = 3.0;

/// Settings of a [`PictureScanner`].
#[derive(Debug, Clone, PartialEq)]
pub struct PictureSettings {
    /// Width and height [pixels], 16 to 1024.
    pub size: usize,
    /// Number of scanlines, 2 to 1024.
    pub lines: usize,
    /// Number of samples per scanline, 16 to 4096.
    pub samples: usize,
    /// Imaging depth [m], 0.005 to 0.4; `None`: that of the probe.
    pub depth: Option<f64>,
    /// Seed of speckle and noise.
    pub seed: u64,
    /// Controls of the scanner.
    pub controls: Controls,
    /// Share of the frame before in each frame, 0 to 0.95.
    pub persistence: f64,
}

impl Default for PictureSettings {
    fn default() -> Self {
        Self {
            size: 320,
            lines: 128,
            samples: 512,
            depth: None,
            seed: 0,
            controls: Controls::default(),
            persistence: 0.0,
        }
    }
}

impl PictureSettings {
    /// Checks every field; errors have the names of the command line's options.
    ///
    /// # Errors
    /// [`EnvError::OutOfRange`].
    pub fn check(&self) -> Result<(), EnvError> {
        check_range("size", self.size as f64, [16.0, 1024.0], "pixels")?;
        check_range("lines", self.lines as f64, [2.0, 1024.0], "")?;
        check_range("samples", self.samples as f64, [16.0, 4096.0], "")?;
        let depth = self.depth.unwrap_or(0.1);
        Persistence::new(self.persistence)?;
        Ok(check_range("imaging-depth", depth, [0.005, 0.4], "m")?)
    }

    /// Imaging depth with a transducer [m].
    pub fn depth_with(&self, transducer: &Transducer) -> f64 {
        self.depth.unwrap_or_else(|| Settings::of(transducer).depth)
    }

    fn scanner(&self, transducer: &Transducer) -> Result<Settings, EnvError> {
        let usual = Settings::of(transducer);
        let usual = Settings {
            n_lines: self.lines,
            n_samples: self.samples,
            depth: self.depth_with(transducer),
            scatterers_per_cell: SCATTERERS_PER_CELL,
            speckle_seed: self.seed,
            noise_seed: self.seed,
            ..usual
        };
        Ok(self.controls.applied(usual, transducer)?)
    }
}

/// A scanner that makes square pictures on the calling thread.
#[derive(Debug)]
pub struct PictureScanner {
    transducer: Transducer,
    b_mode: BMode,
    converter: ScanConverter,
    persistence: Persistence,
    n_frames: u64,
}

impl PictureScanner {
    /// Creates a scanner.
    ///
    /// # Errors
    /// Those of [`PictureSettings::check`].
    pub fn new(transducer: &Transducer, settings: &PictureSettings) -> Result<Self, EnvError> {
        settings.check()?;
        let b_mode = BMode::new(transducer, &settings.scanner(transducer)?)?.on_own_thread();
        Ok(Self {
            transducer: *transducer,
            converter: b_mode.scan_converter(settings.size)?,
            b_mode,
            persistence: Persistence::new(settings.persistence)?,
            n_frames: 0,
        })
    }

    /// Geometry of the pictures.
    pub fn converter(&self) -> &ScanConverter {
        &self.converter
    }

    /// Restarts noise and persistence, so that an episode depends on no earlier one.
    pub fn restart(&mut self) {
        self.persistence.restart();
        self.n_frames = 0;
    }

    /// Writes the grey levels of a view, shape `[size, size]`, from the face down.
    ///
    /// # Errors
    /// [`EnvError::Config`] if the state cannot be imaged.
    pub fn picture(&mut self, view: &TorsoView, grey: &mut Vec<u8>) -> Result<(), EnvError> {
        let (adult, pose) = (view.patient.phantom(), &view.torso_from_probe);
        let depth = self.b_mode.settings().depth;
        let deformation = view.tissue.under(adult, &self.transducer, pose, depth)?;
        let seen = View::new(adult, &deformation, pose)?;
        let frame = self.b_mode.frame(&seen, self.n_frames);
        self.n_frames += 1;
        self.converter.picture(self.persistence.apply(frame), grey);
        Ok(())
    }

    /// Material of each pixel of the last picture, in the order of the patient's materials; `outside` outside of the field of view.
    pub fn labels(&self, outside: u8) -> Vec<u8> {
        self.converter.labels(self.b_mode.last(), outside)
    }
}
