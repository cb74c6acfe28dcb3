//! The option that says where tissue is computed.

use insonate::experiments::tissue::Device;

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
