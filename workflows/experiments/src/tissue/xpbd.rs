//! The constraint solver, on the CPU or on a GPU.

use insonate_meshes::TriangleMesh;
use insonate_tissue::SoftTissue as _;
use insonate_tissue::tool::{Shape, Tool, Wrench};
use insonate_tissue::xpbd::{Graspable as _, Sweep, Xpbd, XpbdBody, XpbdConfig};
use nalgebra::Vector3;

use super::discretized_body::DiscretizedBody;
use super::pieces;
use super::plan::MotionPlan;
use super::simulation::{MovingTool, TissueSimulation, TissueSurface, ToolMode, TornElements};
use crate::{Backend, Device, ExperimentError};

/// Maximum share of an element's height that waves cross in a substep of Jacobi sweeps. These split masses over some twenty
/// constraints,
/// which makes each constraint softer at longer substeps.
const JACOBI_COURANT: f64 = 0.0875;

/// Shape of a part that holds tissue: too small to touch anything.
const SPECK: Shape = Shape::Sphere { radius: 1e-6 };

/// A simulation with tetrahedra.
pub(super) struct XpbdSimulation {
    solver: XpbdBackend,
    backend: Backend,
    spacing: f64,
    n_tets: usize,
    rest: Vec<[f64; 3]>,
    /// Whether each part already holds tissue.
    holds: Vec<bool>,
}

enum XpbdBackend {
    Cpu(Box<Xpbd>),
    #[cfg(feature = "gpu")]
    Gpu(Box<insonate_tissue::gpu::xpbd::GpuXpbd>),
}

impl XpbdBackend {
    #[cfg_attr(
        not(feature = "gpu"),
        expect(clippy::unnecessary_wraps, reason = "only a GPU can fail")
    )]
    fn positions(&self) -> Result<Vec<[f64; 3]>, ExperimentError> {
        match self {
            Self::Cpu(world) => Ok(world.positions()),
            #[cfg(feature = "gpu")]
            Self::Gpu(world) => Ok(world.positions(0)?),
        }
    }

    /// Attaches the vertex at a position to a tool. Returns 0 if the vertex is already held or fixed.
    #[cfg_attr(
        not(feature = "gpu"),
        expect(clippy::unnecessary_wraps, reason = "only a GPU can fail")
    )]
    fn grasp(&mut self, tool: usize, at: Vector3<f64>) -> Result<usize, ExperimentError> {
        match self {
            Self::Cpu(world) => Ok(world.grasp(tool, at, 1e-9, 1)),
            #[cfg(feature = "gpu")]
            Self::Gpu(world) => Ok(world.grasp(0, tool, at, 1e-9, 1)?),
        }
    }

    fn set_tools(&mut self, tools: Vec<Tool>) {
        match self {
            Self::Cpu(world) => *world.tools_mut() = tools,
            #[cfg(feature = "gpu")]
            Self::Gpu(world) => *world.tools_mut(0) = tools,
        }
    }

    fn step(&mut self, time: f64) -> Result<(), ExperimentError> {
        match self {
            Self::Cpu(world) => Ok(world.step(time)?),
            #[cfg(feature = "gpu")]
            Self::Gpu(world) => {
                world.step(time)?;
                let time = world.time(0);
                match world.divergence(0) {
                    None => Ok(()),
                    Some(reason) => {
                        Err(insonate_tissue::TissueError::Diverged { reason, time }.into())
                    }
                }
            }
        }
    }

    fn wrench(&self, tool: usize) -> Wrench {
        match self {
            Self::Cpu(world) => world.wrench(tool),
            #[cfg(feature = "gpu")]
            Self::Gpu(world) => world.wrench(0, tool),
        }
    }

    #[cfg_attr(
        not(feature = "gpu"),
        expect(clippy::unnecessary_wraps, reason = "only a GPU can fail")
    )]
    fn tets(&self) -> Result<Vec<[u32; 4]>, ExperimentError> {
        match self {
            Self::Cpu(world) => Ok(world.tets()),
            #[cfg(feature = "gpu")]
            Self::Gpu(world) => Ok(world.tets(0)?),
        }
    }

    #[cfg_attr(
        not(feature = "gpu"),
        expect(clippy::unnecessary_wraps, reason = "only a GPU can fail")
    )]
    fn surface(&self) -> Result<TriangleMesh, ExperimentError> {
        match self {
            Self::Cpu(world) => Ok(world.surface()),
            #[cfg(feature = "gpu")]
            Self::Gpu(world) => Ok(world.surface(0)?),
        }
    }
}

impl XpbdSimulation {
    /// Makes a world with a body.
    ///
    /// # Errors
    /// If the body is invalid or the GPU is not available.
    pub(super) fn new(
        plan: &MotionPlan,
        discretized: &DiscretizedBody,
        body: &XpbdBody,
    ) -> Result<Self, ExperimentError> {
        // On the GPU, tools touch only vertices, and a narrow tool can slip between them. So `Auto` takes the CPU.
        let backend = match plan.device {
            Device::Auto => Backend::Cpu,
            device => device.open()?,
        };
        let is_cpu = matches!(backend, Backend::Cpu);
        let usual = XpbdConfig::default();
        let config = XpbdConfig {
            gravity: [0.0, 0.0, -plan.gravity],
            max_courant: if is_cpu {
                usual.max_courant
            } else {
                JACOBI_COURANT
            },
            n_threads: 1,
            sweep: if is_cpu {
                Sweep::GaussSeidel
            } else {
                Sweep::Jacobi
            },
            face_contact: is_cpu,
            ..usual
        };
        let bodies = std::slice::from_ref(body);
        let solver = match &backend {
            Backend::Cpu => XpbdBackend::Cpu(Box::new(Xpbd::new(config, bodies, &[])?)),
            #[cfg(feature = "gpu")]
            Backend::Gpu(gpu) => {
                use insonate_tissue::gpu::xpbd::GpuXpbd;
                XpbdBackend::Gpu(Box::new(GpuXpbd::new(gpu, config, bodies, &[], 1)?))
            }
        };
        Ok(Self {
            n_tets: body.mesh.tets.len(),
            rest: body.mesh.positions.clone(),
            solver,
            backend,
            spacing: discretized.spacing,
            holds: Vec::new(),
        })
    }

    /// Holds the vertices in a part. A vertex represents the tissue within half an edge.
    fn hold(&mut self, index: usize, part: &Tool) -> Result<(), ExperimentError> {
        let within = |at: &&[f64; 3]| {
            let local = part
                .rotation
                .inverse_transform_vector(&(Vector3::from(**at) - part.position));
            part.shape.surface(&local).distance <= 0.5 * self.spacing
        };
        let positions = self.solver.positions()?;
        let found: Vec<Vector3<f64>> = positions
            .iter()
            .filter(within)
            .map(|at| Vector3::from(*at))
            .collect();
        // Grasp each vertex separately, by its own position.
        let mut n_held = 0;
        for at in found {
            n_held += self.solver.grasp(index, at)?;
        }
        if n_held == 0 {
            return Err(ExperimentError::EmptyGrasp);
        }
        Ok(())
    }
}

impl TissueSimulation for XpbdSimulation {
    fn step(&mut self, parts: &[MovingTool], time: f64) -> Result<Vec<Wrench>, ExperimentError> {
        self.holds.resize(parts.len(), false);
        let tool = |part: &MovingTool| match part.mode {
            ToolMode::Contact => part.tool.clone(),
            ToolMode::Waiting | ToolMode::Holding => Tool {
                shape: SPECK,
                friction: 0.0,
                ..part.tool.clone()
            },
        };
        self.solver.set_tools(parts.iter().map(tool).collect());
        for (index, part) in parts.iter().enumerate() {
            if part.mode == ToolMode::Holding && !self.holds[index] {
                self.hold(index, &part.tool)?;
                self.holds[index] = true;
            }
        }
        self.solver.step(time)?;
        Ok((0..parts.len())
            .map(|part| self.solver.wrench(part))
            .collect())
    }

    fn device(&self) -> String {
        self.backend.name()
    }

    fn n_threads(&self) -> usize {
        1
    }

    fn n_points(&self) -> usize {
        self.rest.len()
    }

    fn n_elements(&self) -> usize {
        self.n_tets
    }

    fn mass(&self) -> f64 {
        let masses = match &self.solver {
            XpbdBackend::Cpu(world) => world.masses(),
            #[cfg(feature = "gpu")]
            XpbdBackend::Gpu(world) => world.masses(),
        };
        masses.iter().sum()
    }

    fn momentum(&self) -> Result<Vector3<f64>, ExperimentError> {
        match &self.solver {
            XpbdBackend::Cpu(world) => Ok(world.momentum()),
            #[cfg(feature = "gpu")]
            XpbdBackend::Gpu(world) => Ok(world.momentum(0)?),
        }
    }

    fn other_impulse(&self) -> Vector3<f64> {
        match &self.solver {
            XpbdBackend::Cpu(world) => world.stopped_impulse(),
            #[cfg(feature = "gpu")]
            XpbdBackend::Gpu(world) => world.stopped_impulse(0),
        }
    }

    fn torn(&self) -> Result<TornElements, ExperimentError> {
        let tets = self.solver.tets()?;
        Ok(TornElements {
            n_torn: self.n_tets - tets.len(),
            n_pieces: pieces::of_tetrahedra(&tets, self.rest.len()),
        })
    }

    fn surface(&self) -> Result<TissueSurface, ExperimentError> {
        let (mesh, vertices) = without_unused(&self.solver.surface()?);
        let rest: Vec<[f64; 3]> = vertices
            .iter()
            .map(|vertex| self.rest[*vertex as usize])
            .collect();
        // Position at rest seen from above; 1 is a decimetre.
        let uvs = rest.iter().map(|at| [10.0 * at[0], 10.0 * at[1]]).collect();
        Ok(TissueSurface {
            normals: mesh.vertex_normals(),
            mesh,
            uvs,
        })
    }
}

/// A mesh without unused vertices, and the old indices of the remaining ones.
fn without_unused(mesh: &TriangleMesh) -> (TriangleMesh, Vec<u32>) {
    let mut new = vec![u32::MAX; mesh.positions.len()];
    let mut old = Vec::new();
    let triangles = mesh.triangles.iter().map(|triangle| {
        triangle.map(|vertex| {
            let slot = &mut new[vertex as usize];
            if *slot == u32::MAX {
                *slot = old.len() as u32;
                old.push(vertex);
            }
            *slot
        })
    });
    let triangles = triangles.collect();
    let positions = old
        .iter()
        .map(|vertex| mesh.positions[*vertex as usize])
        .collect();
    (
        TriangleMesh {
            positions,
            triangles,
        },
        old,
    )
}
