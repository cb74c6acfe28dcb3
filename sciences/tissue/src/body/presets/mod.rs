//! Predefined bodies, one per file.

mod liver;
mod slab;
mod torso;

pub use liver::liver;
pub use slab::slab;
pub use torso::torso;

use super::Layer;
use crate::Material;

/// A nearly incompressible soft layer.
fn layer(name: &str, thickness: f64, young_modulus: f64, density: f64) -> Layer {
    Layer {
        name: name.to_owned(),
        thickness,
        material: Material {
            young_modulus,
            poisson_ratio: 0.45,
            density,
            ..Material::default()
        },
    }
}

/// Skin, fat and muscle over organs.
///
/// Young's moduli are chosen for compressed tissue: a few to some tens of kilopascals. Moduli in tension are greater
/// (McKee et al. 2011, doi:10.1089/ten.teb.2010.0520). Densities and thicknesses are chosen too.
fn trunk_layers() -> [Layer; 4] {
    [
        layer("skin", 0.002, 5e4, 1090.0),
        layer("fat", 0.012, 3e3, 950.0),
        layer("muscle", 0.015, 1.2e4, 1050.0),
        layer("organ", f64::INFINITY, 6e3, 1060.0),
    ]
}
