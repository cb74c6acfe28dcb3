//! The option that says where tissue or pictures are computed.

use insonate::experiments::Device;
use insonate::models::torsos;

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum DeviceArg {
    Auto,
    Cpu,
    Gpu,
}

/// The option that says what steps a torso.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = "Scene")]
pub(crate) struct TorsoDeviceArg {
    #[arg(
        long,
        value_name = "DEVICE",
        value_parser = torso_device,
        help = device_help()
    )]
    device: Option<torsos::Device>,
}

impl TorsoDeviceArg {
    /// The device; the processor unless the option names another.
    pub(crate) fn device(self) -> torsos::Device {
        self.device.unwrap_or_default()
    }
}

fn device_help() -> String {
    let kinds = torsos::on_gpu().join(", ");
    format!(
        "What steps the torso: cpu or gpu; gpu, for {kinds}, needs a driver for Vulkan, Metal or DirectX 12 [default: cpu]"
    )
}

fn torso_device(name: &str) -> Result<torsos::Device, String> {
    torsos::Device::by_name(name).map_err(|_| "choose cpu or gpu".to_owned())
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
