//! Device on which tissue or pictures are computed.

use serde::{Deserialize, Serialize};

use crate::ExperimentError;

/// A choice of device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Device {
    /// A hardware GPU if there is one, otherwise the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The GPU, with a hardware or software driver.
    Gpu,
}

/// An open device.
#[derive(Debug)]
pub enum Backend {
    /// The CPU.
    Cpu,
    /// A GPU, with its driver.
    #[cfg(feature = "gpu")]
    Gpu(Box<insonate_gpu::Gpu>),
}

impl Device {
    /// Opens the device.
    ///
    /// # Errors
    /// If the GPU is not available; the error says what to install.
    pub fn open(self) -> Result<Backend, ExperimentError> {
        match self {
            Self::Cpu => Ok(Backend::Cpu),
            #[cfg(feature = "gpu")]
            Self::Auto => {
                // Software drivers are slower than the CPU, so they are not used.
                let gpu = insonate_gpu::Gpu::open().ok();
                let hardware = gpu.filter(|gpu| !gpu.describe().is_software);
                Ok(hardware.map_or(Backend::Cpu, |gpu| Backend::Gpu(Box::new(gpu))))
            }
            #[cfg(feature = "gpu")]
            Self::Gpu => Ok(Backend::Gpu(Box::new(insonate_gpu::Gpu::open()?))),
            #[cfg(not(feature = "gpu"))]
            Self::Auto => Ok(Backend::Cpu),
            #[cfg(not(feature = "gpu"))]
            Self::Gpu => Err(ExperimentError::NoGpuSupport),
        }
    }
}

impl Backend {
    /// Name of the device, with the driver of a GPU.
    pub fn name(&self) -> String {
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
