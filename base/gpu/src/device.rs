//! An open GPU and its errors.

use std::sync::{Arc, Mutex, PoisonError};

use crate::DeviceError;

/// Part of the name of the GPU to use, ignoring case; if unset, the fastest kind is used.
pub const GPU_VARIABLE: &str = "INSONATE_GPU";

/// Number of storage buffers of the largest kernel.
const STORAGE_BUFFERS: u32 = 13;
/// Shared memory of the largest kernel [bytes].
const SHARED_BYTES: u32 = 21504;
/// Largest number of threads of a group.
const GROUP_THREADS: u32 = 256;

/// Largest number of groups along one axis of a dispatch; further groups are placed along the next axis.
pub const MAX_GROUPS: u32 = 32768;

/// Errors that the driver reported asynchronously.
#[derive(Debug, Default)]
struct Faults {
    lost: Option<String>,
    refused: Option<String>,
}

/// An open GPU. Clones refer to the same GPU.
#[derive(Debug, Clone)]
pub struct Gpu {
    /// Creates buffers and kernels.
    pub device: wgpu::Device,
    /// Accepts work.
    pub queue: wgpu::Queue,
    info: wgpu::AdapterInfo,
    faults: Arc<Mutex<Faults>>,
}

/// Description of a GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuInfo {
    /// Name.
    pub name: String,
    /// Driver and its version.
    pub driver: String,
    /// Graphics API: Vulkan, Metal or Dx12.
    pub backend: String,
    /// Whether it is emulated by the CPU.
    pub is_software: bool,
}

impl Gpu {
    /// Opens the GPU that [`GPU_VARIABLE`] names; otherwise prefers discrete over integrated over software GPUs.
    ///
    /// # Errors
    /// [`DeviceError::NoDriver`], [`DeviceError::NoSuchGpu`], [`DeviceError::Feature`], [`DeviceError::Limit`].
    pub fn open() -> Result<Self, DeviceError> {
        let wanted = std::env::var(GPU_VARIABLE).unwrap_or_default();
        Self::open_named(&wanted)
    }

    /// Opens the best GPU with a text in its name.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_named(wanted: &str) -> Result<Self, DeviceError> {
        // OpenGL is excluded: it cannot report that an atomic had no effect.
        let backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends,
            // Kernels write the sizes of later dispatches and keep them in range.
            flags: wgpu::InstanceFlags::empty(),
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let mut adapters = pollster::block_on(instance.enumerate_adapters(backends));
        if adapters.is_empty() {
            return Err(DeviceError::NoDriver("Vulkan, Metal, Dx12".to_owned()));
        }
        let found = adapters.iter().map(|a| a.get_info().name).collect();
        let wanted = wanted.trim().to_lowercase();
        adapters.retain(|a| a.get_info().name.to_lowercase().contains(&wanted));
        let Some(adapter) = adapters
            .into_iter()
            .min_by_key(|adapter| rank(adapter.get_info().device_type))
        else {
            return Err(DeviceError::NoSuchGpu {
                wanted,
                variable: GPU_VARIABLE,
                found,
            });
        };
        Self::from_adapter(&adapter)
    }

    fn from_adapter(adapter: &wgpu::Adapter) -> Result<Self, DeviceError> {
        let (info, limits) = (adapter.get_info(), adapter.limits());
        if !adapter.features().contains(wgpu::Features::IMMEDIATES) {
            return Err(DeviceError::Feature {
                gpu: info.name,
                what: "immediates (push constants)",
            });
        }
        let needs = [
            (
                "a kernel's buffers",
                STORAGE_BUFFERS,
                limits.max_storage_buffers_per_shader_stage,
            ),
            (
                "a kernel's shared memory",
                SHARED_BYTES,
                limits.max_compute_workgroup_storage_size,
            ),
            (
                "a kernel's threads",
                GROUP_THREADS,
                limits.max_compute_invocations_per_workgroup,
            ),
            (
                "a kernel's width",
                GROUP_THREADS,
                limits.max_compute_workgroup_size_x,
            ),
            (
                "a dispatch",
                MAX_GROUPS,
                limits.max_compute_workgroups_per_dimension,
            ),
        ];
        for (what, needed, limit) in needs {
            if needed > limit {
                return Err(DeviceError::Limit {
                    what: what.to_owned(),
                    needed: needed.into(),
                    limit: limit.into(),
                    gpu: info.name,
                });
            }
        }
        let wanted = wgpu::DeviceDescriptor {
            label: Some("insonate"),
            required_features: wgpu::Features::IMMEDIATES,
            required_limits: limits,
            ..Default::default()
        };
        let (device, queue) = pollster::block_on(adapter.request_device(&wanted))
            .map_err(|error| DeviceError::Refused(error.to_string()))?;
        let faults = Arc::new(Mutex::new(Faults::default()));
        let shared = Arc::clone(&faults);
        device.set_device_lost_callback(move |reason, message| {
            let mut faults = shared.lock().unwrap_or_else(PoisonError::into_inner);
            faults.lost = Some(format!("{reason:?} {message}").trim().to_owned());
        });
        let shared = Arc::clone(&faults);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            let mut faults = shared.lock().unwrap_or_else(PoisonError::into_inner);
            // The first error is the most informative.
            faults.refused.get_or_insert_with(|| error.to_string());
        }));
        Ok(Self {
            device,
            queue,
            info,
            faults,
        })
    }

    /// Description of the GPU.
    pub fn describe(&self) -> GpuInfo {
        GpuInfo {
            name: self.info.name.clone(),
            driver: format!("{} {}", self.info.driver, self.info.driver_info)
                .trim()
                .to_owned(),
            backend: format!("{:?}", self.info.backend),
            is_software: self.info.device_type == wgpu::DeviceType::Cpu,
        }
    }

    /// Destroys the device and everything on it: users of the device get [`DeviceError::Lost`] from now on.
    pub fn destroy(&self) {
        self.device.destroy();
        self.faults
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .lost
            .get_or_insert_with(|| "destroyed".to_owned());
    }

    /// Limits of the GPU.
    pub fn limits(&self) -> wgpu::Limits {
        self.device.limits()
    }

    /// Name of the GPU.
    pub fn name(&self) -> &str {
        &self.info.name
    }

    /// Checks for asynchronous errors.
    ///
    /// # Errors
    /// [`DeviceError::Lost`], [`DeviceError::Refused`].
    pub fn check(&self) -> Result<(), DeviceError> {
        let faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(reason) = &faults.lost {
            return Err(DeviceError::Lost(reason.clone()));
        }
        if let Some(reason) = &faults.refused {
            return Err(DeviceError::Refused(reason.clone()));
        }
        Ok(())
    }

    /// Waits until all submitted work is done.
    ///
    /// # Errors
    /// [`DeviceError::Lost`], [`DeviceError::Refused`].
    pub fn wait(&self) -> Result<(), DeviceError> {
        let polled = self.device.poll(wgpu::PollType::wait_indefinitely());
        self.check()?;
        polled
            .map(|_| ())
            .map_err(|error| DeviceError::Lost(error.to_string()))
    }
}

fn rank(kind: wgpu::DeviceType) -> u8 {
    match kind {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::VirtualGpu => 1,
        wgpu::DeviceType::IntegratedGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    }
}
