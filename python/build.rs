//! Build script of the Python module.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The module defines MuJoCo's functions (`sim/src/loader.rs`), as MuJoCo's own package in the same process does: each keeps to its own.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
}
