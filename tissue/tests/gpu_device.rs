//! Contract of the GPU: it says what it is, a lost one is an error with a name, and so is none at all.
#![cfg(feature = "gpu")]

use insonate_tissue::gpu::mpm::GpuMpm;
use insonate_tissue::gpu::{GPU_VARIABLE, Gpu, GpuError};
use insonate_tissue::mpm::{Contact, MpmConfig};

#[test]
fn one_is_found_and_says_what_it_is_or_which_packages_bring_one() {
    match Gpu::open() {
        Ok(gpu) => {
            let info = gpu.describe();
            eprintln!("found {info:?}");
            assert!(!info.name.is_empty() && !info.backend.is_empty());
        }
        Err(error @ GpuError::NoDriver(_)) => {
            let message = error.to_string();
            eprintln!("skipped: {message}");
            assert!(message.contains("mesa-vulkan-drivers") && message.contains("libvulkan1"));
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn without_a_driver_the_error_names_the_packages() {
    // The test above once more, where no driver can be found.
    let name = "one_is_found_and_says_what_it_is_or_which_packages_bring_one";
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env("VK_DRIVER_FILES", "/nowhere.json")
        .env("VK_ICD_FILENAMES", "/nowhere.json")
        .env_remove(GPU_VARIABLE)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    if cfg!(target_os = "linux") {
        assert!(said.contains("skipped: no GPU driver was found"), "{said}");
    }
}

#[test]
fn one_that_is_not_here_is_named_with_those_that_are() {
    match Gpu::open_named("no such thing") {
        Err(GpuError::NoSuchGpu { wanted, found, .. }) => {
            assert_eq!(wanted, "no such thing");
            assert!(!found.is_empty());
        }
        Err(GpuError::NoDriver(_)) => eprintln!("skipped: no GPU driver"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_lost_one_is_an_error() {
    let Ok(gpu) = Gpu::open() else {
        eprintln!("skipped: no GPU driver (mesa-vulkan-drivers libvulkan1)");
        return;
    };
    let config = MpmConfig {
        contact: Contact::Nodes,
        ..MpmConfig::default()
    };
    let mut world = GpuMpm::new(&gpu, config.clone(), &[Vec::new()]).unwrap();
    world.step(1e-3).unwrap();
    gpu.give_back();
    let lost = |result: Result<(), GpuError>| {
        assert!(matches!(result, Err(GpuError::Lost(_))), "{result:?}");
    };
    lost(world.step(1e-3));
    lost(world.reset(&[0]));
    lost(world.positions(0).map(|_| ()));
    lost(world.save(0).map(|_| ()));
    lost(GpuMpm::new(&gpu, config, &[]).map(|_| ()));
}
