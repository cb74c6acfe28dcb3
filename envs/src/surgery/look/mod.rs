//! Visual-only parts of surgery scenes: skins that follow the organ's vertices.
//!
//! The organ's simulated surface is as coarse as its tetrahedra. The rendered surface is the smooth one that the tetrahedra were made from,
//! with gall bladder, ligaments, fat, and the vessels at the porta hepatis. These parts have no mass and no contacts. The instrument is
//! rendered around its capsules.

mod anatomy;
mod binding;
mod instrument;
mod smoothing;

use std::path::Path;

use insonate_meshes::TriangleMesh;
use insonate_models::mjcf::{Element, Mjcf, Skin, Value};
use insonate_tissue::body::liver;
use insonate_tissue::xpbd::GripperGeometry;

use super::organ::Organ;
use crate::EnvError;
use binding::{Binding, Weights};
use smoothing::smoothed;

/// Vertices closer than this are merged [m], so that normals are smooth and slivers vanish.
const WELD: f64 = 4e-4;

/// A fixed body, for parts that are attached to the patient.
const ROOM: &str = "room";

/// Adds the skins of an organ (its vertices are the bodies `v0`, `v1`, … in their order) and the instrument.
///
/// # Errors
/// [`EnvError::Tissue`] if the organ has no surface.
pub(super) fn dress(
    mjcf: &mut Mjcf,
    organ: &Organ,
    geometry: &GripperGeometry,
) -> Result<(), EnvError> {
    instrument::add(mjcf, geometry);
    mjcf.worldbody()
        .add(Element::new("body").with_attribute("name", ROOM));
    let binding = Binding::new(&organ.mesh().positions, &organ.mesh().tets);
    let mut surface = liver().solid.surface(Path::new(""))?;
    surface.weld(WELD);
    let weights = surface
        .positions
        .iter()
        .map(|at| binding.weights(*at, 1.0))
        .collect();
    add_skin(mjcf, organ, "liver", "liver", &surface, weights);
    for part in anatomy::parts() {
        let places = part.mesh.positions.iter().zip(&part.carried);
        let weights = places
            .map(|(at, carried)| binding.weights(*at, *carried))
            .collect();
        add_skin(mjcf, organ, part.name, part.material, &part.mesh, weights);
    }
    Ok(())
}

/// Adds a skin in the organ's rest shape. The weight missing to 1 is fixed.
fn add_skin(
    mjcf: &mut Mjcf,
    organ: &Organ,
    name: &str,
    material: &str,
    mesh: &TriangleMesh,
    weights: Vec<Weights>,
) {
    let rest = &organ.mesh().positions;
    let weights = smoothed(weights, &mesh.triangles);
    // Vertices and weights by bone. The last bone is the room.
    let mut bones: Vec<(Vec<f64>, Vec<f64>)> = vec![Default::default(); rest.len() + 1];
    for (vertex, weights) in weights.into_iter().enumerate() {
        let still = 1.0 - weights.iter().map(|(_, weight)| weight).sum::<f64>();
        let all = weights.into_iter().chain([(rest.len() as u32, still)]);
        for (bone, weight) in all.filter(|(_, weight)| *weight > 1e-9) {
            let (ids, weights) = &mut bones[bone as usize];
            ids.push(vertex as f64);
            weights.push(weight);
        }
    }
    let bones = bones.into_iter().enumerate();
    let bones = bones.filter(|(_, (ids, _))| !ids.is_empty());
    let bones = bones.map(|(bone, (ids, weights))| {
        let (body, place) = match rest.get(bone) {
            Some(place) => (format!("v{bone}"), *place),
            None => (ROOM.to_owned(), [0.0; 3]),
        };
        Element::new("bone")
            .with_attribute("body", body.as_str())
            .with_attribute("bindpos", place)
            .with_attribute("bindquat", [1.0, 0.0, 0.0, 0.0])
            .with_attribute("vertid", Value::Reals(ids))
            .with_attribute("vertweight", Value::Reals(weights))
    });
    let triangles: Vec<[usize; 3]> = mesh
        .triangles
        .iter()
        .map(|corners| corners.map(|corner| corner as usize))
        .collect();
    let skin = Skin::new(name, &mesh.positions, &triangles)
        .material(material)
        .with_all(bones);
    mjcf.section_mut("deformable").add(skin);
}
