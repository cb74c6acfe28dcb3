//! The option that says where tissue or pictures are computed.

use insonate::experiments::Device;

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum DeviceArg {
    Auto,
    Cpu,
    Gpu,
}

impl From<DeviceArg> for Device {
    fn from(argument: DeviceArg) -> Self {
        match argument {
            DeviceArg::Auto => Self::Auto,
            DeviceArg::Cpu => Self::Cpu,
            DeviceArg::Gpu => Self::Gpu,
        }
    }
}
