//! Build script of every package that has binaries, tests or examples which link MuJoCo.
//!
//! It writes the folder of libmujoco into their rpath, so that they run without `LD_LIBRARY_PATH`.
//! Cargo hands a link argument only to the package whose build script prints it: hence one script, and a link
//! `build.rs` to it in each, because cargo packs only what is in a package's folder.

#![expect(
    clippy::print_stdout,
    reason = "build scripts talk to cargo by printing"
)]

fn main() {
    println!("cargo::rerun-if-env-changed=MUJOCO_DYNAMIC_LINK_DIR");
    if let Ok(folder) = std::env::var("MUJOCO_DYNAMIC_LINK_DIR") {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
