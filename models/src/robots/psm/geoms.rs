//! Geoms of the PSM's parts.

use insonate_meshes::TriangleMesh;

use crate::mjcf::{Geom, Mesh, Mjcf};

/// A geom that draws `surface`.
pub(super) fn shell(mjcf: &mut Mjcf, name: &str, surface: &TriangleMesh, material: &str) -> Geom {
    mjcf.asset().add(Mesh::of_surface(name, surface));
    Geom::mesh(name).class("visual").material(material)
}

/// A collision capsule between two points.
pub(super) fn capsule(class: &str, from: [f64; 3], to: [f64; 3], radius: f64) -> Geom {
    Geom::capsule_between(from, to, radius).class(class)
}
