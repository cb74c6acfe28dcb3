//! The solvers of insonate that press the block.

use std::sync::Arc;

use insonate_tissue::condensed::{Condensed, CondensedBody, CondensedModel, Layer};
use insonate_tissue::mesh::TetMesh;
use insonate_tissue::mpm::{Formulation, MlsMpm, MpmBody, MpmConfig};
use insonate_tissue::tool::{Shape, Tool as RigidTool};
use insonate_tissue::xpbd::{Xpbd, XpbdBody, XpbdConfig};
use insonate_tissue::{Material, SoftTissue};
use nalgebra::Vector3;

use super::motion::{GAP, Measured, STEP, follow};
use super::{Case, HALF_WIDTH, HEIGHT, INTERFACE, POISSON, Tool};

/// Half length of the punch [m].
pub(crate) const HALF_LENGTH: f64 = 0.02;
/// Drag on vertices [1/s], which ends oscillations.
const DRAG: f64 = 60.0;
/// Thickness of the layer between skin and tools, over the width of a cell; the part of it that determines its stiffness; and the distance of sample
/// points over the width of a cell. As in torsos.
const LAYER: [f64; 3] = [0.2, 0.3, 0.6];

/// The block, its base on the plane z = 0, of cells of a width [m].
pub(crate) fn mesh(cell: f64) -> TetMesh {
    let half = [HALF_WIDTH, HALF_WIDTH, 0.5 * HEIGHT];
    let mut mesh = TetMesh::cuboid(half, cell).expect("a small mesh");
    for position in &mut mesh.positions {
        position[2] += 0.5 * HEIGHT;
    }
    mesh
}

/// Vertices at the base.
pub(crate) fn base(mesh: &TetMesh) -> Vec<u32> {
    let positions = mesh.positions.iter().zip(0..);
    let at_base = positions.filter(|(position, _)| position[2] < 1e-9);
    at_base.map(|(_, vertex)| vertex).collect()
}

/// Young's modulus of each tetrahedron [Pa].
pub(crate) fn moduli(case: &Case, mesh: &TetMesh) -> Vec<f64> {
    let tets = mesh.tets.iter();
    tets.map(|tet| {
        let sum: f64 = tet.iter().map(|&v| mesh.positions[v as usize][2]).sum();
        case.young_modulus(0.25 * sum)
    })
    .collect()
}

fn material(young_modulus: f64) -> Material {
    Material {
        young_modulus,
        poisson_ratio: POISSON,
        density: 1000.0,
        viscosity: 0.0,
        tearing: None,
    }
}

/// The tool above the block, at the start.
fn tool(case: &Case) -> RigidTool {
    let (shape, to_center) = match case.tool {
        Tool::Ball { radius } => (Shape::Sphere { radius }, radius),
        Tool::Punch { radius } => {
            let shape = Shape::Cylinder {
                radius,
                half_length: HALF_LENGTH,
            };
            (shape, HALF_LENGTH)
        }
    };
    RigidTool {
        position: Vector3::z() * (HEIGHT + GAP + to_center),
        friction: case.friction,
        ..RigidTool::new(shape)
    }
}

/// Forces on the tool, which is the last of a world's.
fn press(case: &Case, world: &mut dyn SoftTissue) -> Measured {
    world.tools_mut().push(tool(case));
    let last = world.tools_mut().len() - 1;
    follow(case, |[along, up]| {
        world.tools_mut()[last].linear = Vector3::new(along, 0.0, up);
        world.step(STEP).expect("the press is stable");
        world.wrench(last).force
    })
}

/// Compliant tetrahedra.
pub(crate) fn xpbd(case: &Case, cell: f64) -> Measured {
    let mesh = mesh(cell);
    let moduli = moduli(case, &mesh);
    let body = XpbdBody {
        fixed: base(&mesh),
        material: material(moduli[0]),
        tet_materials: moduli.into_iter().map(material).collect(),
        mesh,
        ..XpbdBody::default()
    };
    let config = XpbdConfig {
        gravity: [0.0; 3],
        drag: DRAG,
        n_threads: 1,
        ..XpbdConfig::default()
    };
    let mut world = Xpbd::new(config, &[body], &[]).expect("a valid body");
    press(case, &mut world)
}

/// Condensed finite elements.
pub(crate) fn elastic(case: &Case, cell: f64) -> Measured {
    let mesh = mesh(cell);
    let top = case.young_modulus(HEIGHT);
    let factors = moduli(case, &mesh).iter().map(|own| own / top).collect();
    let [thickness, part, spacing] = LAYER;
    let model = CondensedModel::new(CondensedBody {
        fixed: base(&mesh),
        mesh,
        poisson_ratio: POISSON,
        factors,
        sample_spacing: spacing * cell,
    });
    let layer = Layer::new(thickness * cell, part, top, POISSON);
    let model = Arc::new(model.expect("a valid body"));
    let mut world = Condensed::new(model, top, 0.0, layer).expect("valid constants");
    press(case, &mut world)
}

/// Particles, eight in a cell, on a table that holds them.
pub(crate) fn mpm(case: &Case, cell: f64) -> Measured {
    let margin = 10.3 * cell;
    let extent = [2.0 * HALF_WIDTH, 2.0 * HALF_WIDTH, HEIGHT];
    let config = MpmConfig {
        origin: [-HALF_WIDTH - margin, -HALF_WIDTH - margin, -margin],
        cell_width: cell,
        cells: extent.map(|extent| ((extent + 2.0 * margin) / cell).ceil() as usize),
        gravity: [0.0; 3],
        formulation: Formulation::TotalLagrangian,
        n_threads: 1,
        ..MpmConfig::default()
    };
    let counts = extent.map(|extent| (2.0 * extent / cell).round() as usize);
    let layers: &[[f64; 2]] = if case.layered {
        &[[0.0, INTERFACE], [INTERFACE, HEIGHT]]
    } else {
        &[[0.0, HEIGHT]]
    };
    let bodies: Vec<MpmBody> = layers
        .iter()
        .map(|&[low, high]| {
            let own = material(case.young_modulus(0.5 * (low + high)));
            let viscosity = cell * own.density * own.wave_speed() / 3.2;
            let mut positions = Vec::new();
            for number in 0..counts.iter().product() {
                let place = [
                    number % counts[0],
                    number / counts[0] % counts[1],
                    number / counts[0] / counts[1],
                ];
                let at = place.map(|i| (i as f64 + 0.5) * 0.5 * cell);
                if (low..high).contains(&at[2]) {
                    positions.push([at[0] - HALF_WIDTH, at[1] - HALF_WIDTH, at[2]]);
                }
            }
            MpmBody {
                material: Material { viscosity, ..own },
                positions,
                particle_volume: (0.5 * cell).powi(3),
                ..MpmBody::default()
            }
        })
        .collect();
    let mut world = MlsMpm::new(config, &bodies).expect("valid bodies");
    world.tools.push(RigidTool {
        position: Vector3::z() * 1e-4,
        friction: f64::INFINITY,
        ..RigidTool::new(Shape::HalfSpace)
    });
    press(case, &mut world)
}
