//! Blocks of particles for tests of physics.

use insonate_tissue::Material;
use insonate_tissue::mpm::{Formulation, MlsMpm, MpmBody, MpmConfig};
use insonate_tissue::tool::Tool;
use nalgebra::Vector3;

/// Eight particles per cell in a box from the origin.
pub(crate) fn block(size: [f64; 3], cell_width: f64, material: Material) -> MpmBody {
    let counts = size.map(|size| (2.0 * size / cell_width).round());
    let spacing: [f64; 3] = std::array::from_fn(|axis| size[axis] / counts[axis]);
    let [n_x, n_y, n_z] = counts.map(|n| n as usize);
    let mut positions = Vec::with_capacity(n_x * n_y * n_z);
    for i in 0..n_x {
        for j in 0..n_y {
            for k in 0..n_z {
                positions.push(std::array::from_fn(|axis| {
                    ([i, j, k][axis] as f64 + 0.5) * spacing[axis]
                }));
            }
        }
    }
    MpmBody {
        material,
        positions,
        velocity: [0.0; 3],
        particle_volume: spacing.iter().product(),
        fixed: Vec::new(),
    }
}

/// The greatest viscosity that does not shorten the substep, to damp oscillations.
pub(crate) fn damped(material: Material, cell_width: f64) -> Material {
    Material {
        viscosity: cell_width * material.density * material.wave_speed() / 3.2,
        ..material
    }
}

/// The block in a world with a margin of ten cells, without gravity. Its corner is a part of a cell from a node.
pub(crate) fn world(
    size: [f64; 3],
    cell_width: f64,
    material: Material,
    gravity: [f64; 3],
    tools: Vec<Tool>,
) -> MlsMpm {
    let updated = Formulation::UpdatedLagrangian;
    part_of(size, cell_width, material, updated, gravity, tools, |_| {
        true
    })
}

/// The part of the block that `is_in` selects.
pub(crate) fn part_of(
    size: [f64; 3],
    cell_width: f64,
    material: Material,
    formulation: Formulation,
    gravity: [f64; 3],
    tools: Vec<Tool>,
    is_in: impl Fn([f64; 3]) -> bool,
) -> MlsMpm {
    let margin = 10.3;
    let config = MpmConfig {
        origin: [-margin * cell_width; 3],
        cell_width,
        cells: size.map(|size| (size / cell_width + 2.0 * margin).ceil() as usize),
        gravity,
        formulation,
        ..MpmConfig::default()
    };
    let mut body = block(size, cell_width, material);
    body.positions.retain(|place| is_in(*place));
    let mut world = MlsMpm::new(config, &[body]).expect("valid");
    world.tools = tools;
    world
}

/// Force on a tool [N], mean over a time [s].
pub(crate) fn force(world: &mut MlsMpm, tool: usize, time: f64) -> Vector3<f64> {
    world.step(time).expect("stable");
    world.wrench(tool).force
}
