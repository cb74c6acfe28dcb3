//! Build script of the Python module.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The module defines MuJoCo's functions itself (`sim/src/loader.rs`). MuJoCo's own package in the same process
    // defines them too; each uses its own.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-Bsymbolic");
}
