//! The particle solver, on the CPU or on a GPU.

use insonate_tissue::mpm::{MlsMpm, MpmBody, MpmConfig};
use insonate_tissue::surface::{ParticleCloud, ParticleVolumes, SurfaceLevel, particle_surface};
use insonate_tissue::tool::{Shape, Tool, Wrench};
use nalgebra::Vector3;

use super::discretized_body::DiscretizedBody;
use super::pieces;
use super::plan::MotionPlan;
use super::simulation::{MovingTool, TissueSimulation, TissueSurface, ToolMode, TornElements};
use crate::{Backend, Device, ExperimentError};

/// Margin in cells around the body and its travel.
const MARGIN: f64 = 6.0;
/// Shape of a part that holds tissue. It holds the particles nearest to it.
const SPECK: Shape = Shape::Sphere { radius: 1e-6 };
/// Distance of a part that does not hold yet, far from all tissue [m].
const AWAY: f64 = 1e3;
/// Damage from which a particle holds nothing.
const TORN: f32 = 0.99;
/// Depth limits of held particles relative to a part's surface, in cells. Particles share nodes with others up to 1.5 cells away, so
/// with
/// the first limit a part holds on average half a cell more than its shape. The further limits are for parts without a particle that
/// deep.
const HOLD_REACHES: [f64; 4] = [-0.5, -0.25, 0.0, 0.25];
/// Maximum distance of neighbouring intact particles in one piece, in cells: twice their distance at rest.
const NEAR: f64 = 1.0;

/// A simulation with particles.
pub(super) struct MpmSimulation {
    solver: MpmBackend,
    count: usize,
    n_threads: usize,
    spacing: f64,
    volume: f64,
    /// Positions at rest [m].
    rest: Vec<[f64; 3]>,
    backend: Backend,
    /// Whether each part already holds tissue.
    holds: Vec<bool>,
}

enum MpmBackend {
    Cpu(Box<MlsMpm>),
    #[cfg(feature = "gpu")]
    Gpu(Box<insonate_tissue::gpu::mpm::GpuMpm>),
}

impl MpmSimulation {
    /// Makes a world with a body and with space between two corners [m]. `grips` is whether a part holds tissue.
    ///
    /// # Errors
    /// If the body is invalid, or the GPU is not available or does not support the motion.
    pub(super) fn new(
        plan: &MotionPlan,
        discretized: &DiscretizedBody,
        bodies: &[MpmBody],
        [low, high]: [[f64; 3]; 2],
        grips: bool,
    ) -> Result<Self, ExperimentError> {
        let tears = bodies.iter().any(|body| body.material.tearing.is_some());
        let positions: Vec<[f64; 3]> = bodies
            .iter()
            .flat_map(|body| body.positions.iter().copied())
            .collect();
        for (asked, what) in [(tears, "tearing is"), (grips, "grips are")] {
            if asked && plan.device == Device::Gpu {
                return Err(ExperimentError::NotOnGpu { what });
            }
        }
        // The GPU does not support every motion and has not been tested on hardware, so `Auto` takes the CPU.
        let backend = if tears || grips || plan.device == Device::Auto {
            Backend::Cpu
        } else {
            plan.device.open()?
        };
        let width = discretized.spacing;
        // Put a node at z = 0, where tables are.
        let origin = low.map(|x| (x / width - MARGIN).floor() * width);
        let config = MpmConfig {
            origin,
            cell_width: width,
            cells: std::array::from_fn(|axis| {
                ((high[axis] - origin[axis]) / width + MARGIN).ceil() as usize
            }),
            gravity: [0.0, 0.0, -plan.gravity],
            n_threads: plan.n_threads,
            ..MpmConfig::default()
        };
        let solver = match &backend {
            Backend::Cpu => MpmBackend::Cpu(Box::new(MlsMpm::new(config, bodies)?)),
            #[cfg(feature = "gpu")]
            Backend::Gpu(gpu) => {
                let world =
                    insonate_tissue::gpu::mpm::GpuMpm::new(gpu, config, &[bodies.to_vec()])?;
                MpmBackend::Gpu(Box::new(world))
            }
        };
        let n_cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            n_threads: match (&solver, plan.n_threads) {
                (MpmBackend::Cpu(_), 0) => n_cores,
                (MpmBackend::Cpu(_), n) => n,
                #[cfg(feature = "gpu")]
                (MpmBackend::Gpu(_), _) => 1,
            },
            solver,
            count: positions.len(),
            spacing: width,
            volume: bodies.first().map_or(0.0, |body| body.particle_volume),
            rest: positions,
            backend,
            holds: Vec::new(),
        })
    }

    #[cfg_attr(
        not(feature = "gpu"),
        expect(clippy::unnecessary_wraps, reason = "only a GPU can fail")
    )]
    fn positions(&self) -> Result<Vec<[f64; 3]>, ExperimentError> {
        match &self.solver {
            MpmBackend::Cpu(world) => Ok(world.positions()),
            #[cfg(feature = "gpu")]
            MpmBackend::Gpu(world) => Ok(world.positions(0)?),
        }
    }

    /// Holds the particles that lie deep enough in a part that the held nodes end at its surface, or the deepest ones if the part is
    /// small.
    fn hold(&mut self, index: usize, part: &Tool) -> Result<(), ExperimentError> {
        let distance = |at: &[f64; 3]| {
            let arm = Vector3::from(*at) - part.position;
            let local = part.rotation.inverse_transform_vector(&arm);
            part.shape.surface(&local).distance
        };
        let positions = self.positions()?;
        let distances: Vec<f64> = positions.iter().map(distance).collect();
        let within = |reach: f64| -> Vec<u32> {
            let all = (0..).zip(&distances);
            all.filter(|(_, distance)| **distance <= reach * self.spacing)
                .map(|(particle, _)| particle)
                .collect()
        };
        let mut found = HOLD_REACHES.into_iter().map(within);
        let found = found.find(|found| !found.is_empty()).unwrap_or_default();
        let n_held = match &mut self.solver {
            MpmBackend::Cpu(world) => world.grasp_particles(index, &found)?,
            #[cfg(feature = "gpu")]
            MpmBackend::Gpu(_) => 0,
        };
        if n_held == 0 {
            return Err(ExperimentError::EmptyGrasp);
        }
        Ok(())
    }

    /// Whether each particle is intact.
    fn is_intact(&self) -> Vec<bool> {
        match &self.solver {
            MpmBackend::Cpu(world) => world.damage().iter().map(|damage| *damage < TORN).collect(),
            #[cfg(feature = "gpu")]
            MpmBackend::Gpu(_) => vec![true; self.count],
        }
    }
}

/// Converts a part to a tool of the solver.
fn tool_of(part: &MovingTool) -> Tool {
    let away = match part.mode {
        ToolMode::Contact => return part.tool.clone(),
        ToolMode::Waiting => AWAY,
        ToolMode::Holding => 0.0,
    };
    Tool {
        shape: SPECK,
        friction: 0.0,
        position: part.tool.position + Vector3::z() * away,
        ..part.tool.clone()
    }
}

impl TissueSimulation for MpmSimulation {
    fn step(&mut self, parts: &[MovingTool], time: f64) -> Result<Vec<Wrench>, ExperimentError> {
        self.holds.resize(parts.len(), false);
        let tools: Vec<Tool> = parts.iter().map(tool_of).collect();
        match &mut self.solver {
            MpmBackend::Cpu(world) => world.tools = tools,
            #[cfg(feature = "gpu")]
            MpmBackend::Gpu(world) => *world.tools_mut(0) = tools,
        }
        for (index, part) in parts.iter().enumerate() {
            if part.mode == ToolMode::Holding && !self.holds[index] {
                self.hold(index, &part.tool)?;
                self.holds[index] = true;
            }
        }
        match &mut self.solver {
            MpmBackend::Cpu(world) => {
                world.step(time)?;
                Ok((0..parts.len()).map(|part| world.wrench(part)).collect())
            }
            #[cfg(feature = "gpu")]
            MpmBackend::Gpu(world) => {
                world.step(time)?;
                if let Some(reason) = world.divergence(0) {
                    let time = world.time(0);
                    return Err(insonate_tissue::TissueError::Diverged { reason, time }.into());
                }
                Ok((0..parts.len()).map(|part| world.wrench(0, part)).collect())
            }
        }
    }

    fn device(&self) -> String {
        self.backend.name()
    }

    fn n_threads(&self) -> usize {
        self.n_threads
    }

    fn n_points(&self) -> usize {
        self.count
    }

    fn n_elements(&self) -> usize {
        self.count
    }

    fn mass(&self) -> f64 {
        match &self.solver {
            MpmBackend::Cpu(world) => world.mass(),
            #[cfg(feature = "gpu")]
            MpmBackend::Gpu(world) => world.mass(0),
        }
    }

    fn momentum(&self) -> Result<Vector3<f64>, ExperimentError> {
        match &self.solver {
            MpmBackend::Cpu(world) => Ok(world.momentum().into()),
            #[cfg(feature = "gpu")]
            MpmBackend::Gpu(world) => Ok(world.momentum(0)?.into()),
        }
    }

    fn torn(&self) -> Result<TornElements, ExperimentError> {
        let positions = self.positions()?;
        let intact = self.is_intact();
        let whole: Vec<[f64; 3]> = positions
            .iter()
            .zip(&intact)
            .filter(|(_, is)| **is)
            .map(|(at, _)| *at)
            .collect();
        Ok(TornElements {
            n_torn: self.count - whole.len(),
            n_pieces: pieces::of_particles(&whole, NEAR * self.spacing, self.count),
        })
    }

    fn surface(&self) -> Result<TissueSurface, ExperimentError> {
        let intact = self.is_intact();
        let keep = |all: &[[f64; 3]]| -> Vec<[f64; 3]> {
            all.iter()
                .zip(&intact)
                .filter(|(_, is)| **is)
                .map(|(at, _)| *at)
                .collect()
        };
        let positions = keep(&self.positions()?);
        let rest = keep(&self.rest);
        let cloud = ParticleCloud {
            positions: &positions,
            volumes: ParticleVolumes::One(self.volume),
            rest_positions: Some(&rest),
        };
        let surface = particle_surface(&cloud, self.spacing, SurfaceLevel::Filled(0.5))?;
        Ok(TissueSurface {
            mesh: surface.mesh,
            normals: surface.normals,
            uvs: surface.uvs,
        })
    }
}
