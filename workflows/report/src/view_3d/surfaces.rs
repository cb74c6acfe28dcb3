//! Surfaces of a body at rest: its skin, and what lies within.

use insonate_anatomy::Patient;
use insonate_meshes::{Part, TriangleMesh};
use insonate_ultrasound::deformation::{Deformation, Point};
use insonate_ultrasound::phantom::Phantom;
use nalgebra::Vector3;
use rayon::prelude::*;

use crate::colors::{BONES, SKIN, color};

/// Edge of the cells in which the boundaries of materials are looked for [m].
const CELL: f64 = 0.003;
/// Margin around a body [m].
const MARGIN: f64 = 0.01;
/// Materials that lie between organs everywhere: their surfaces would hide the others.
const LAYERS: [&str; 8] = [
    "air",
    "skin",
    "fat",
    "muscle",
    "fascia",
    "connective tissue",
    "soft tissue",
    "wall",
];
/// Rounds in which vertices that the deformation does not know follow their neighbours.
const FOLLOW: usize = 8;

/// Skin and organs, in the frame of a phantom [m].
#[derive(Clone, Debug)]
pub struct BodySurfaces {
    /// The skin.
    pub skin: Part,
    /// Organs and bones.
    pub organs: Vec<Part>,
}

impl BodySurfaces {
    /// Surfaces of a made patient, moved by `-origin` [m].
    pub fn of_patient(patient: &Patient, origin: [f64; 3]) -> Self {
        let moved = |mesh: &TriangleMesh| {
            mesh.clone()
                .map(|[x, y, z]| [x - origin[0], y - origin[1], z - origin[2]])
        };
        let classes = &patient.description.classes;
        let organs = patient.organs.iter().filter_map(|(name, mesh)| {
            let place = classes.iter().position(|class| class.name == *name)?;
            let color = color(&classes[place].tissue, place);
            Some(part(name, moved(mesh), color))
        });
        let bones = patient.bones.iter();
        let bones = bones.map(|mesh| part("bones", moved(mesh), BONES));
        Self {
            skin: part("skin", moved(&patient.skin), SKIN),
            organs: organs.chain(bones).collect(),
        }
    }

    /// Boundaries of the materials of a phantom; `None` if it is infinite. Layers of the body are left out, and small details are lost.
    pub fn of_phantom(phantom: &dyn Phantom) -> Option<Self> {
        let [low, high] = phantom.bounds()?.map(|corner| corner.coords.cast::<f64>());
        let bounds = [
            low.add_scalar(-MARGIN).into(),
            high.add_scalar(MARGIN).into(),
        ];
        // Where another material begins is known to a length only, which may be 0.
        let signed = |at: &Vector3<f64>, is_inside: &dyn Fn(u8) -> bool| {
            let place = phantom.place(&Point::from(at.cast::<f32>()));
            let clearance = f64::from(place.clearance).max(0.05 * CELL);
            if is_inside(place.material) {
                -clearance
            } else {
                clearance
            }
        };
        let surface = |is_inside: &(dyn Fn(u8) -> bool + Sync)| {
            TriangleMesh::isosurface(bounds, CELL, |at| signed(at, is_inside))
        };
        let materials: Vec<&str> = phantom.materials().iter().map(|own| own.name).collect();
        let shown: Vec<usize> = (1..materials.len())
            .filter(|number| !LAYERS.contains(&materials[*number]))
            .collect();
        let organs = shown.into_par_iter().map(|number| {
            let mesh = surface(&|material| usize::from(material) == number);
            part(materials[number], mesh, color(materials[number], number))
        });
        let organs: Vec<Part> = organs.collect();
        Some(Self {
            skin: part("skin", surface(&|material| material != 0), SKIN),
            organs: organs
                .into_iter()
                .filter(|part| !part.mesh.triangles.is_empty())
                .collect(),
        })
    }

    /// The surfaces in the deformed body.
    #[must_use]
    pub fn deformed(self, deformation: &dyn Deformation) -> Self {
        let deform = |part: Part| Part {
            mesh: deformed(part.mesh, deformation),
            ..part
        };
        Self {
            skin: deform(self.skin),
            organs: self.organs.into_iter().map(deform).collect(),
        }
    }
}

fn part(name: &str, mesh: TriangleMesh, color: [u8; 3]) -> Part {
    let [red, green, blue] = color.map(|own| f32::from(own) / 255.0);
    Part::new(name, mesh, [red, green, blue, 1.0])
}

/// A surface in the deformed body. Vertices that the deformation does not know, such as those at the rim of its mesh, move as their
/// neighbours in the mean.
fn deformed(mesh: TriangleMesh, deformation: &dyn Deformation) -> TriangleMesh {
    let rest: Vec<Vector3<f64>> = mesh.positions.iter().map(|at| (*at).into()).collect();
    let move_of = |at: &Vector3<f64>| {
        let world = deformation.world_from_rest(&Point::from(at.cast::<f32>()))?;
        Some(world.coords.cast::<f64>() - at)
    };
    let mut moves: Vec<Option<Vector3<f64>>> = rest.iter().map(move_of).collect();
    for _ in 0..FOLLOW {
        let mut sums = vec![(Vector3::zeros(), 0.0); rest.len()];
        for triangle in &mesh.triangles {
            let corners = triangle.map(|vertex| vertex as usize);
            for (vertex, known) in corners.iter().flat_map(|a| corners.map(|b| (*a, b))) {
                if let (None, Some(known)) = (moves[vertex], moves[known]) {
                    sums[vertex].0 += known;
                    sums[vertex].1 += 1.0;
                }
            }
        }
        for (own, (sum, count)) in moves.iter_mut().zip(sums) {
            if own.is_none() && count > 0.0 {
                *own = Some(sum / count);
            }
        }
    }
    let moved = rest.iter().zip(moves);
    TriangleMesh {
        positions: moved
            .map(|(at, by)| (at + by.unwrap_or_default()).into())
            .collect(),
        triangles: mesh.triangles,
    }
}
