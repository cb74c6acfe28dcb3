//! Contract of the GPU: it reports its name, and a lost or missing GPU is a named error.
#![cfg(feature = "gpu")]

mod gpu_driver;

use gpu_driver::{REQUIRE_GPU, gpu};
use insonate_tissue::gpu::mpm::GpuMpm;
use insonate_tissue::gpu::{DeviceError, GPU_VARIABLE, Gpu, GpuError};
use insonate_tissue::mpm::{Contact, MpmConfig};

#[test]
fn a_gpu_says_what_it_is() {
    let Some(gpu) = gpu() else { return };
    let info = gpu.describe();
    assert!(!info.name.is_empty() && !info.backend.is_empty());
}

#[test]
fn without_a_driver_tests_are_skipped_or_fail_and_name_the_packages() {
    // Run the test above again without any driver.
    for (required, is_skipped) in [("0", true), ("1", false)] {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "a_gpu_says_what_it_is", "--nocapture"])
            .env("VK_DRIVER_FILES", "/nowhere.json")
            .env("VK_ICD_FILENAMES", "/nowhere.json")
            .env(REQUIRE_GPU, required)
            .env_remove(GPU_VARIABLE)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        if cfg!(target_os = "linux") {
            assert_eq!(output.status.success(), is_skipped, "{said}");
            assert!(said.contains("no GPU driver was found"), "{said}");
            assert!(said.contains("mesa-vulkan-drivers") && said.contains("libvulkan1"));
        }
    }
}

#[test]
fn an_unknown_gpu_is_refused_with_the_available_ones() {
    let Some(_) = gpu() else { return };
    match Gpu::open_named("no such thing") {
        Err(DeviceError::NoSuchGpu { wanted, found, .. }) => {
            assert_eq!(wanted, "no such thing");
            assert!(!found.is_empty());
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_lost_gpu_is_an_error() {
    let Some(gpu) = gpu() else { return };
    let config = MpmConfig {
        contact: Contact::Nodes,
        ..MpmConfig::default()
    };
    let mut world = GpuMpm::new(&gpu, config.clone(), &[Vec::new()]).unwrap();
    world.step(1e-3).unwrap();
    gpu.destroy();
    let lost = |result: Result<(), GpuError>| {
        assert!(
            matches!(result, Err(GpuError::Device(DeviceError::Lost(_)))),
            "{result:?}"
        );
    };
    lost(world.step(1e-3));
    lost(world.reset(&[0]));
    lost(world.positions(0).map(|_| ()));
    lost(world.save(0).map(|_| ()));
    lost(GpuMpm::new(&gpu, config, &[]).map(|_| ()));
}
