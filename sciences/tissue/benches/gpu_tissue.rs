//! Speed of the GPU solvers, as a table.
//!
//! `cargo bench -p insonate-tissue --features gpu --bench gpu_tissue`; on a GPU in software only small sizes, unless `-- all` says so.
//! Particles: a block on a sticky floor, eight to a cell of 1/64 m, pressed by a box with friction, 25 substeps of 0.5 ms in a frame.
//! Tetrahedra: a block of 2 cm cells pressed by a ball, in frames of 1/60 s; springs with averaged corrections in 10 substeps, neo-Hookean
//! elements with split masses in the 18 that waves ask for, and so with dashpots and tearing.

use std::io::Write as _;
use std::time::Instant;

use insonate_tissue::Material;
use insonate_tissue::gpu::mpm::GpuMpm;
use insonate_tissue::gpu::xpbd::GpuXpbd;
use insonate_tissue::gpu::{DeviceError, Gpu, GpuError};
use insonate_tissue::mesh::TetMesh;
use insonate_tissue::mpm::{Contact, MpmBody, MpmConfig, Wall};
use insonate_tissue::tool::{Shape, Tool};
use insonate_tissue::xpbd::{Elasticity, Sweep, XpbdBody, XpbdConfig};
use nalgebra::{UnitQuaternion, Vector3};
use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;

const CELL: f64 = 1.0 / 64.0;
const SUBSTEP: f64 = 5e-4;
const SUBSTEPS: f64 = 25.0;

fn main() -> std::process::ExitCode {
    match run() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let gpu = Gpu::open()?;
    let info = gpu.describe();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} ({}, {})", info.name, info.backend, info.driver)?;
    let is_small = info.is_software && !std::env::args().any(|arg| arg == "all");

    writeln!(
        out,
        "\nMLS-MPM: worlds  particles each  contact    ms/frame  G particle-substeps/s"
    )?;
    let sizes = [
        (1, 8_000),
        (1, 24_000),
        (1, 100_000),
        (1, 1_000_000),
        (64, 1_000),
        (1024, 1_000),
        (4096, 500),
    ];
    for (n_worlds, n_particles) in sizes {
        if is_small && n_worlds * n_particles > 64_000 {
            continue;
        }
        for contact in [Contact::Nodes, Contact::Particles] {
            let time = mpm(&gpu, n_worlds, n_particles, contact, is_small)?;
            let rate = (n_worlds * n_particles) as f64 * SUBSTEPS / time / 1e9;
            let milliseconds = 1e3 * time;
            let contact = format!("{contact:?}");
            writeln!(
                out,
                "{n_worlds:15} {n_particles:15}  {contact:9} {milliseconds:9.3} {rate:22.4}"
            )?;
        }
    }

    writeln!(
        out,
        "\nXPBD: tetrahedra  worlds  law                   ms/frame  frames/s of all worlds"
    )?;
    for (cells, n_tets) in [
        ([13, 5, 3], 1170),
        ([18, 9, 10], 9720),
        ([26, 21, 16], 52416),
    ] {
        for n_worlds in [1, 64, 1024, 4096] {
            let n_all = n_tets * n_worlds;
            if (is_small && n_all > 100_000) || n_all > 50_000_000 {
                continue;
            }
            for law in [Law::Springs, Law::NeoHookean, Law::Tearing] {
                let time = xpbd(&gpu, cells, n_worlds, law, is_small)?;
                let milliseconds = 1e3 * time;
                let rate = n_worlds as f64 / time;
                let law = format!("{law:?}");
                writeln!(
                    out,
                    "{n_tets:16} {n_worlds:7}  {law:20} {milliseconds:9.3} {rate:23.1}"
                )?;
            }
        }
    }
    Ok(())
}

/// Elastic law of the tetrahedra.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Law {
    Springs,
    NeoHookean,
    /// Neo-Hookean, with damping and tearing.
    Tearing,
}

/// Median time of a frame [s].
fn median(
    is_small: bool,
    mut frame: impl FnMut() -> Result<(), GpuError>,
) -> Result<f64, GpuError> {
    let (warm, n) = if is_small { (1, 3) } else { (20, 50) };
    for _ in 0..warm {
        frame()?;
    }
    let mut times = Vec::new();
    for _ in 0..n {
        let start = Instant::now();
        frame()?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[n / 2])
}

fn mpm(
    gpu: &Gpu,
    n_worlds: usize,
    n: usize,
    contact: Contact,
    is_small: bool,
) -> Result<f64, GpuError> {
    // Twice as wide as high.
    let width = (2.0 * n as f64 / 8.0).cbrt() * CELL;
    let along = (2.0 * n as f64).cbrt().ceil() as usize;
    let cells = if n > 200_000 { 128 } else { 64 };
    let middle = 0.5 * cells as f64 * CELL;
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let step = width / along as f64;
    let mut places: Vec<[usize; 3]> = (0..2 * n)
        .map(|i| [i / along % along, i % along, i / (along * along)])
        .collect();
    places.truncate(n);
    let positions = places.iter().map(|place| {
        std::array::from_fn(|axis| {
            let at = (place[axis] as f64 + 0.5 + rng.random_range(-0.2..0.2)) * step;
            let first = if axis < 2 {
                middle - 0.5 * width
            } else {
                3.0 * CELL
            };
            first + at
        })
    });
    let body = MpmBody {
        material: Material::default(),
        positions: positions.collect(),
        velocity: [0.0; 3],
        particle_volume: step.powi(3),
        fixed: Vec::new(),
    };
    let config = MpmConfig {
        cell_width: CELL,
        cells: [cells; 3],
        substep: SUBSTEP,
        walls: [
            [Wall::Separate; 2],
            [Wall::Separate; 2],
            [Wall::Sticky, Wall::Separate],
        ],
        contact,
        ..MpmConfig::default()
    };
    let top = body.positions.iter().map(|at| at[2]).fold(0.0, f64::max);
    let half = [0.06, 0.04, 0.05];
    let tool = Tool {
        position: Vector3::new(middle, middle, top + half[2] + 0.01),
        rotation: UnitQuaternion::from_scaled_axis(Vector3::new(0.0, 0.0, 0.3)),
        linear: Vector3::new(0.0, 0.0, -0.2),
        friction: 0.3,
        ..Tool::new(Shape::Cuboid { half })
    };
    let mut worlds = GpuMpm::new(gpu, config, &vec![vec![body]; n_worlds])?;
    (0..n_worlds).for_each(|i| worlds.tools_mut(i).push(tool.clone()));
    let lowest = top - 0.15 * (top - 3.0 * CELL) + half[2];
    let time = median(is_small, || {
        for i in 0..n_worlds {
            let tool = &mut worlds.tools_mut(i)[0];
            if tool.position.z < lowest {
                tool.linear = Vector3::new(0.05, 0.0, 0.0);
            }
        }
        worlds.step(SUBSTEPS * SUBSTEP)
    })?;
    for i in [0, n_worlds - 1] {
        if let Some(reason) = worlds.divergence(i) {
            return Err(DeviceError::Refused(format!("world {i} stopped: {reason}")).into());
        }
    }
    Ok(time)
}

fn xpbd(
    gpu: &Gpu,
    cells: [u32; 3],
    n_worlds: usize,
    law: Law,
    is_small: bool,
) -> Result<f64, GpuError> {
    let mesh = lattice(cells);
    let top = 0.02 * f64::from(cells[2]);
    let middle = [cells[0], cells[1]].map(|n| 0.01 * f64::from(n));
    let lowest = (0..mesh.positions.len() as u32).filter(|i| mesh.positions[*i as usize][2] == 0.0);
    let mut body = XpbdBody {
        fixed: lowest.collect(),
        mesh,
        ..XpbdBody::default()
    };
    let mut config = XpbdConfig {
        substep: 1.0 / 600.0,
        sweep: Sweep::Jacobi,
        drag: 0.6,
        face_contact: false,
        ..XpbdConfig::default()
    };
    match law {
        Law::Springs => {
            config.sweep = Sweep::AveragedJacobi { relaxation: 1.6 };
            body.elasticity = Elasticity::Springs {
                distance_compliance: 1e-6,
                volume_compliance: 0.0,
            };
        }
        Law::NeoHookean => {}
        Law::Tearing => {
            body.damping_time = 0.01;
            body.tear_strain = Some(2.0);
        }
    }
    let ball = Tool {
        position: Vector3::new(middle[0], middle[1], top + 0.045),
        linear: Vector3::new(0.0, 0.0, -0.1),
        ..Tool::new(Shape::Sphere { radius: 0.04 })
    };
    let mut worlds = GpuXpbd::new(gpu, config, &[body], &[], n_worlds)?;
    for i in 0..n_worlds {
        *worlds.tools_mut(i) = vec![ball.clone(), Tool::new(Shape::HalfSpace)];
    }
    let time = median(is_small, || {
        for i in 0..n_worlds {
            let tool = &mut worlds.tools_mut(i)[0];
            if tool.position.z < 0.7 * top + 0.04 {
                tool.linear = Vector3::zeros();
            }
        }
        worlds.step(1.0 / 60.0)
    })?;
    match worlds.divergence(n_worlds - 1) {
        Some(reason) => Err(DeviceError::Refused(format!("a world stopped: {reason}")).into()),
        None => Ok(time),
    }
}

/// Cells of 2 cm in six tetrahedra each, all around the same diagonal (Kuhn 1960).
fn lattice([nx, ny, nz]: [u32; 3]) -> TetMesh {
    let id = |at: [u32; 3]| (at[0] * (ny + 1) + at[1]) * (nz + 1) + at[2];
    let mut mesh = TetMesh::default();
    for i in 0..=nx {
        for j in 0..=ny {
            for k in 0..=nz {
                mesh.positions.push([i, j, k].map(|n| 0.02 * f64::from(n)));
            }
        }
    }
    let orders = [
        ([0, 1, 2], false),
        ([0, 2, 1], true),
        ([1, 0, 2], true),
        ([1, 2, 0], false),
        ([2, 0, 1], false),
        ([2, 1, 0], true),
    ];
    for cell in 0..nx * ny * nz {
        for (order, is_odd) in orders {
            let mut at = [cell / (ny * nz), cell / nz % ny, cell % nz];
            let mut tet = [id(at); 4];
            for (vertex, axis) in tet[1..].iter_mut().zip(order) {
                at[axis] += 1;
                *vertex = id(at);
            }
            if is_odd {
                tet.swap(2, 3);
            }
            mesh.tets.push(tet);
        }
    }
    mesh
}
