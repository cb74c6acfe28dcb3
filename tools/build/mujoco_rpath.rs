//! Build script of every package that has binaries, tests or examples which link MuJoCo.
//!
//! It writes the folder of libmujoco into their rpath, so that they run without `LD_LIBRARY_PATH`.
//! Cargo hands a link argument only to the package whose build script prints it: hence one script, and a link
//! `build.rs` to it in each, because cargo packs only what is in a package's folder.

use std::io;

fn main() -> io::Result<()> {
    link(&mut io::stdout())
}

/// Writes the link argument for cargo.
// Clippy expects `println!` in files called `build.rs` only, and this file has both names.
pub(crate) fn link(cargo: &mut impl io::Write) -> io::Result<()> {
    writeln!(cargo, "cargo::rerun-if-env-changed=MUJOCO_DYNAMIC_LINK_DIR")?;
    if let Ok(folder) = std::env::var("MUJOCO_DYNAMIC_LINK_DIR") {
        writeln!(cargo, "cargo::rustc-link-arg=-Wl,-rpath,{folder}")?;
    }
    Ok(())
}
