//! The options of ultrasound images that a command makes in addition to its other output.

use clap::Args;
use insonate::envs::EnvError;
use insonate::envs::ultrasound::PictureSettings;

use super::Usage;
use super::persistence_arg::PersistenceArg;
use super::scanner_args::ScannerArgs;

#[derive(Debug, Args)]
pub(crate) struct BModeArgs {
    /// Imaging depth [m] [default: depends on the probe]
    #[arg(long, value_name = "M", requires = "b_mode")]
    imaging_depth: Option<f64>,
    /// Number of scanlines.
    #[arg(long, value_name = "N", default_value_t = 128, requires = "b_mode")]
    lines: usize,
    /// Number of samples per scanline.
    #[arg(long, value_name = "N", default_value_t = 512, requires = "b_mode")]
    samples: usize,
    /// Width and height of the B-mode image [pixels].
    #[arg(long, value_name = "N", default_value_t = 320, requires = "b_mode")]
    size: usize,
    #[command(flatten)]
    scanner: ScannerArgs,
    #[command(flatten)]
    persistence: PersistenceArg,
}

impl BModeArgs {
    /// The settings, with a seed of speckle and noise.
    pub(crate) fn settings(&self, seed: u64) -> Result<PictureSettings, EnvError> {
        let settings = PictureSettings {
            size: self.size,
            lines: self.lines,
            samples: self.samples,
            depth: self.imaging_depth,
            seed,
            controls: self.scanner.controls(),
            persistence: self.persistence.share(),
        };
        settings.check()?;
        Ok(settings)
    }

    /// Refuses settings of the scanner without the B-mode image.
    pub(crate) fn check(&self, has_b_mode: bool) -> Result<(), Usage> {
        self.scanner.check_b_mode(has_b_mode)
    }
}
