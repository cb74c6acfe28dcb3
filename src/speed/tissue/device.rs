//! Where tissue is computed.

use serde::{Deserialize, Serialize};

/// What a user asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    /// A hardware GPU where there is one, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The GPU, of hardware or of software.
    Gpu,
}

/// Where the work is done.
#[derive(Debug)]
pub(crate) enum Place {
    Cpu,
    #[cfg(feature = "gpu")]
    Gpu(Box<insonate_tissue::gpu::Gpu>),
}

impl Device {
    /// Finds it.
    ///
    /// # Errors
    /// A GPU that was asked for and cannot be had, with what to install.
    pub(crate) fn open(self) -> anyhow::Result<Place> {
        match self {
            Self::Cpu => Ok(Place::Cpu),
            #[cfg(feature = "gpu")]
            Self::Auto => {
                // Drivers in software are slower than the solvers written for CPUs.
                let gpu = insonate_tissue::gpu::Gpu::open().ok();
                let hardware = gpu.filter(|gpu| !gpu.describe().is_software);
                Ok(hardware.map_or(Place::Cpu, |gpu| Place::Gpu(Box::new(gpu))))
            }
            #[cfg(feature = "gpu")]
            Self::Gpu => Ok(Place::Gpu(Box::new(insonate_tissue::gpu::Gpu::open()?))),
            #[cfg(not(feature = "gpu"))]
            Self::Auto => Ok(Place::Cpu),
            #[cfg(not(feature = "gpu"))]
            Self::Gpu => {
                anyhow::bail!("this build has no GPU solvers: build it with --features gpu")
            }
        }
    }
}

impl Place {
    /// Its name, with the driver of a GPU.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Cpu => "cpu".to_owned(),
            #[cfg(feature = "gpu")]
            Self::Gpu(gpu) => {
                let info = gpu.describe();
                format!("gpu: {} ({}, {})", info.name, info.driver, info.backend)
            }
        }
    }
}
