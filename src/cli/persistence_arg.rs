//! The option of frames that are averaged over time.

use clap::Args;

#[derive(Debug, Args)]
#[command(next_help_heading = "Scanner")]
pub(crate) struct PersistenceArg {
    /// Share of the frame before in each frame, 0 to 0.95: recursive averaging of levels over time [default: 0]
    #[arg(long, value_name = "SHARE", requires = "b_mode")]
    persistence: Option<f64>,
}

impl PersistenceArg {
    pub(crate) fn share(&self) -> f64 {
        self.persistence.unwrap_or(0.0)
    }
}
