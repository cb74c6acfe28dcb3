//! Lattice and material → particles, tetrahedra or condensed finite elements.
//!
//! Gravity is zero, as for the other torsos: the given shape is the shape at rest and must not sag under its own weight.

use std::sync::Arc;

use insonate_models::torsos::Device;
use insonate_tissue::condensed::{Condensed, CondensedBody, CondensedModel, Layer};
use insonate_tissue::mesh::TetMesh;
use insonate_tissue::mpm::{Formulation, MlsMpm, MpmBody, MpmConfig};
use insonate_tissue::xpbd::{Xpbd, XpbdBody, XpbdConfig};
use insonate_tissue::{Material, SoftTissue, TissueError};
use nalgebra::Vector3;

use super::columns::{bounds, fill};
use super::model::{SolverKind, TissueModel, volume};

/// Height above the table of the tool that holds the lower points [m]; points at the table are below its surface.
pub(super) const HOLDER_HEIGHT: f64 = 1e-4;
/// Cells of the grid along an edge of the lattice.
const CELLS_PER_SPACING: f64 = 2.0;
/// Cells around the torso: at the sides, where tissue bulges, and above.
const MARGIN: f64 = 8.0;
/// Longest substep of constraints [s].
const XPBD_SUBSTEP: f64 = 1e-3;
/// Part of the flattest tetrahedron, at the torso's rim, that waves may cross in each second of the longest substep of constraints [1/s].
/// With substeps of 0.22, 0.5 and 1 ms, the force of a press is 0, 2 and 4 % lower, which the torso's stiffness compensates, and a held
/// force fluctuates by 1, 1 and 4 %.
const XPBD_COURANT: f64 = 1420.0;

/// Young's modulus [Pa] and damping time [s] of the body whose worlds share a GPU. Each world has its own by factors, so that its bits do not depend
/// on which state comes first.
const SHARED_MODULUS: f64 = 1e4;
const SHARED_DAMPING_TIME: f64 = 0.01;

/// Thickness of the elastic layer between the skin of an elastic torso and the probe, relative to the finite elements' width. The layer gives
/// way at the edges of a probe, which the elements are too wide to follow.
const LAYER_THICKNESS: f64 = 0.2;
/// Part of that thickness that determines the layer's stiffness for small displacements.
const LAYER_PART: f64 = 0.3;
/// Greatest distance between the sample points of that skin, relative to the finite elements' width.
const SAMPLE_SPACING: f64 = 0.6;

/// The tissue of the torso at rest, and the distance between neighbouring points [m].
pub(super) fn build(model: &TissueModel) -> Result<(Box<dyn SoftTissue>, f64), TissueError> {
    match model.solver {
        SolverKind::Mpm => particles(model),
        SolverKind::Xpbd => constraints(model),
        SolverKind::Elastic => condensed(model),
    }
}

fn particles(model: &TissueModel) -> Result<(Box<dyn SoftTissue>, f64), TissueError> {
    let config = grid(model);
    let spacing = 0.5 * config.cell_width;
    let solver: Box<dyn SoftTissue> = match model.device {
        Device::Cpu => Box::new(MlsMpm::new(config, &particle_bodies(model, spacing))?),
        Device::Gpu => {
            let shared = of_shared_softness(model);
            let softness = (shared.material, shared.damping_time);
            let bodies = particle_bodies(&shared, spacing);
            with_softness(model, model.on_gpu.mpm(config, bodies, softness)?)?
        }
    };
    Ok((solver, spacing))
}

/// Settings of a torso of particles.
fn grid(model: &TissueModel) -> MpmConfig {
    let cell_width = model.spacing() / CELLS_PER_SPACING;
    let [low, high] = bounds(model.mesh.positions.iter().copied());
    let origin = low.map(|x| x - MARGIN * cell_width);
    MpmConfig {
        origin,
        cell_width,
        cells: std::array::from_fn(|axis| {
            ((high[axis] - origin[axis]) / cell_width + MARGIN).ceil() as usize
        }),
        gravity: [0.0; 3],
        // A pressed torso must return to its shape.
        formulation: Formulation::TotalLagrangian,
        active_radius: model.active_radius,
        // Tissue within reach is too little work for several threads.
        n_threads: usize::from(model.active_radius.is_finite()),
        ..MpmConfig::default()
    }
}

/// A torso of particles of about this spacing [m], a body of each material.
fn particle_bodies(model: &TissueModel, spacing: f64) -> Vec<MpmBody> {
    let positions = fill(&model.mesh, spacing);
    let volume: f64 = model.mesh.tets.iter().map(|tet| model.volume(tet)).sum();
    let particle_volume = volume / positions.len().max(1) as f64;
    let body = |(material, positions)| MpmBody {
        material,
        velocity: [0.0; 3],
        particle_volume,
        fixed: Vec::new(),
        positions,
    };
    by_material(model, positions)
        .into_iter()
        .map(body)
        .collect()
}

fn constraints(model: &TissueModel) -> Result<(Box<dyn SoftTissue>, f64), TissueError> {
    let solver: Box<dyn SoftTissue> = match model.device {
        Device::Cpu => {
            let (config, body) = tetrahedra(model);
            Box::new(Xpbd::new(config, &[body], &[])?)
        }
        Device::Gpu => {
            let (config, body) = tetrahedra(&of_shared_softness(model));
            with_softness(model, model.on_gpu.xpbd(config, body)?)?
        }
    };
    Ok((solver, 0.5 * model.spacing()))
}

/// The torso with the softness of the body whose worlds share a GPU.
fn of_shared_softness(model: &TissueModel) -> TissueModel {
    let mut material = Material {
        young_modulus: SHARED_MODULUS,
        ..model.material
    };
    material.viscosity = material.lame_mu() * SHARED_DAMPING_TIME;
    TissueModel {
        material,
        damping_time: SHARED_DAMPING_TIME,
        ..model.clone()
    }
}

/// A world on a GPU with the torso's own softness.
fn with_softness(
    model: &TissueModel,
    mut world: Box<dyn SoftTissue>,
) -> Result<Box<dyn SoftTissue>, TissueError> {
    world.set_softness(model.material.young_modulus, model.damping_time)?;
    Ok(world)
}

/// Settings of a torso of tetrahedra, and the torso.
fn tetrahedra(model: &TissueModel) -> (XpbdConfig, XpbdBody) {
    let substep = model.substep.min(XPBD_SUBSTEP);
    let config = XpbdConfig {
        substep,
        gravity: [0.0; 3],
        max_courant: XPBD_COURANT * substep,
        active_radius: model.active_radius,
        ..XpbdConfig::default()
    };
    let mesh = in_order(&model.mesh.refined());
    let tet_materials = match &model.field {
        Some(_) => mesh
            .tets
            .iter()
            .map(|tet| model.material_at(center(&mesh, tet)))
            .collect(),
        None => Vec::new(),
    };
    let body = XpbdBody {
        mesh,
        material: model.material,
        tet_materials,
        damping_time: model.damping_time,
        ..XpbdBody::default()
    };
    (config, body)
}

fn condensed(model: &TissueModel) -> Result<(Box<dyn SoftTissue>, f64), TissueError> {
    let elements = model
        .condensed
        .get_or_init(|| finite_elements(model).map(Arc::new));
    let Material {
        young_modulus,
        poisson_ratio,
        ..
    } = model.material;
    let width = 0.5 * model.spacing();
    let thickness = LAYER_THICKNESS * width;
    let layer = Layer::new(thickness, LAYER_PART, young_modulus, poisson_ratio);
    let body = Condensed::new(elements.clone()?, young_modulus, model.damping_time, layer)?;
    Ok((Box::new(body), width))
}

/// The torso's finite elements, half as wide as its lattice, fixed at the table.
fn finite_elements(model: &TissueModel) -> Result<CondensedModel, TissueError> {
    let mesh = model.mesh.refined();
    let at_table =
        |&vertex: &u32| model.in_frame(mesh.positions[vertex as usize]).z <= HOLDER_HEIGHT;
    let factors = match &model.field {
        Some(_) => mesh
            .tets
            .iter()
            .map(|tet| model.factor_at(center(&mesh, tet)))
            .collect(),
        None => Vec::new(),
    };
    CondensedModel::new(CondensedBody {
        fixed: (0..mesh.positions.len() as u32).filter(at_table).collect(),
        poisson_ratio: model.material.poisson_ratio,
        factors,
        sample_spacing: SAMPLE_SPACING * 0.5 * model.spacing(),
        mesh,
    })
}

/// The particles of each material, in order of first occurrence.
fn by_material(model: &TissueModel, positions: Vec<[f64; 3]>) -> Vec<(Material, Vec<[f64; 3]>)> {
    let mut groups: Vec<(Material, Vec<[f64; 3]>)> = Vec::new();
    for position in positions {
        let material = model.material_at(position);
        match groups.iter_mut().find(|(known, _)| *known == material) {
            Some((_, group)) => group.push(position),
            None => groups.push((material, vec![position])),
        }
    }
    groups
}

/// Centre of a tetrahedron [m].
fn center(mesh: &TetMesh, tet: &[u32; 4]) -> [f64; 3] {
    let sum: Vector3<f64> = tet
        .iter()
        .map(|&i| Vector3::from(mesh.positions[i as usize]))
        .sum();
    (0.25 * sum).into()
}

/// The mesh with its points sorted by cube, and by position within a cube, so that neighbouring points are close in memory.
fn in_order(mesh: &TetMesh) -> TetMesh {
    /// Width of a cube in edges of the torso's tetrahedra.
    const CUBE: f64 = 4.0;
    let n = mesh.tets.len().max(1) as f64;
    let volume: f64 = mesh.tets.iter().map(|tet| volume(mesh, tet)).sum();
    let width = CUBE * (6.0 * volume / n).cbrt();
    let cube = |point: &[f64; 3]| point.map(|x| (x / width).floor() as i64);
    let mut order: Vec<usize> = (0..mesh.positions.len()).collect();
    order.sort_by_key(|index| cube(&mesh.positions[*index]));
    let mut place = vec![0; order.len()];
    for (new, old) in (0..).zip(&order) {
        place[*old] = new;
    }
    TetMesh {
        positions: order.iter().map(|old| mesh.positions[*old]).collect(),
        tets: mesh
            .tets
            .iter()
            .map(|tet| tet.map(|vertex| place[vertex as usize]))
            .collect(),
    }
}
