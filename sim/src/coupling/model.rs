//! Constants of a solid torso, taken from its compiled scene.

use std::sync::{Arc, OnceLock};

use insonate_models::torsos::Device;
use insonate_models::torsos::SoftnessField;
use insonate_models::torsos::tissue::{FIELD, LONGEST_SUBSTEP, MATERIAL, REACH};
use insonate_tissue::condensed::CondensedModel;
use insonate_tissue::mesh::TetMesh;
use insonate_tissue::{Material, TissueError};
use mujoco_rs::wrappers::mj_data::MjData;
use mujoco_rs::wrappers::mj_model::MjModel;
use nalgebra::Vector3;

use super::moving_least_squares::MovingLeastSquares;
use super::on_gpu::GpuWorlds;
use crate::ffi::update_kinematics;
use crate::names::{self, ObjectType};
use crate::{Pose, SimError};

/// Ratio of neighbouring levels of a field.
const FIELD_STEP: f64 = 1.1;

/// Solver of the solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SolverKind {
    /// MLS-MPM: particles and a grid.
    Mpm,
    /// XPBD: tetrahedra with compliant constraints.
    Xpbd,
    /// Linear finite elements, condensed to the skin.
    Elastic,
}

impl SolverKind {
    /// All solvers, by the name of their torso.
    const ALL: [(&str, Self); 3] = [
        ("elastic", Self::Elastic),
        ("mpm", Self::Mpm),
        ("xpbd", Self::Xpbd),
    ];

    /// The solver of the torso with this name; `None` if no tissue solver steps it.
    pub fn from_name(name: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(known, _)| *known == name);
        found.map(|(_, solver)| *solver)
    }
}

/// A solid torso, shared by all states.
#[derive(Debug, Clone)]
pub struct TissueModel {
    /// Its solver.
    pub solver: SolverKind,
    /// The lattice at rest, in world [m].
    pub mesh: TetMesh,
    /// Its material.
    pub material: Material,
    /// Retardation time [s]: damping over stiffness.
    pub damping_time: f64,
    /// Factor of the material's modulus over the skin; `None`: the same everywhere.
    pub(super) field: Option<SoftnessField>,
    /// Distance from tools within which tissue moves [m]; infinite: all tissue moves.
    pub(super) active_radius: f64,
    /// Longest substep of tetrahedra [s]; infinite: no limit.
    pub(super) substep: f64,
    /// What steps it.
    pub device: Device,
    /// The torso's frame.
    pub(super) frame: Pose,
    /// Name of the body that the lower points are fixed to.
    pub(super) base: String,
    /// Position coordinates of the free points in the visual model: index of the first of three, and index of the point.
    pub(super) points: Vec<(usize, usize)>,
    /// All position and velocity coordinates of the points.
    pub(super) qpos_addresses: Vec<usize>,
    pub(super) dof_addresses: Vec<usize>,
    /// Sliding friction of the skin.
    pub(super) friction: f64,
    /// The factored finite elements of an elastic torso, which do not depend on its modulus.
    pub(super) condensed: OnceLock<Result<Arc<CondensedModel>, TissueError>>,
    /// How the lattice follows the tissue, which does not depend on the material.
    pub(super) interpolation: OnceLock<Arc<MovingLeastSquares>>,
    /// The worlds of all states on the GPU.
    pub(super) on_gpu: GpuWorlds,
}

impl TissueModel {
    /// Reads a scene compiled with the torso, whose names start with `prefix`.
    ///
    /// # Errors
    /// [`SimError::Solid`] if the torso is not such a solid; [`SimError::Allocation`].
    pub(crate) fn extract(
        model: &Arc<MjModel>,
        (solver, device): (SolverKind, Device),
        prefix: &str,
    ) -> Result<Self, SimError> {
        let mut data = MjData::try_new(model.clone()).map_err(|_| SimError::Allocation)?;
        update_kinematics(&mut data);
        data.flex_comp();
        let flex = *names::with_prefix(model, ObjectType::Flex, prefix)
            .first()
            .ok_or_else(|| problem("has no flex for the solid"))?;
        let start = model.flex_vertadr()[flex] as usize;
        let vertices = start..start + model.flex_vertnum()[flex] as usize;
        let first = model.flex_elemdataadr()[flex] as usize;
        let n_elements = model.flex_elemnum()[flex] as usize;
        if model.flex_dim()[flex] != 3 {
            return Err(problem("has a flex that is not a solid"));
        }
        let corners = &model.flex_elem()[first..first + 4 * n_elements];
        let mut mesh = TetMesh {
            positions: data.flexvert_xpos()[vertices.clone()].to_vec(),
            tets: corners
                .chunks_exact(4)
                .map(|corners| [0, 1, 2, 3].map(|i| corners[i] as u32))
                .collect(),
        };
        // MuJoCo uses the opposite order of corners.
        for index in 0..mesh.tets.len() {
            if volume(&mesh, &mesh.tets[index]) < 0.0 {
                mesh.tets[index].swap(2, 3);
            }
        }
        let mut points = Vec::new();
        let (mut qpos_addresses, mut dof_addresses) = (Vec::new(), Vec::new());
        let mut base = None;
        for (point, &body) in model.flex_vertbodyid()[vertices].iter().enumerate() {
            let carrier = model.body_parentid()[body as usize] as usize;
            if model.body_jntnum()[carrier] == 3 && model.body_jntnum()[body as usize] == 0 {
                let joint = model.body_jntadr()[carrier] as usize;
                let address = names::joint_address(model, joint);
                points.push((address.qpos, point));
                qpos_addresses.extend(address.qpos..address.qpos + 3);
                dof_addresses.extend(address.dof..address.dof + 3);
            } else {
                base = Some(body as usize);
            }
        }
        let base = base.ok_or_else(|| problem("has no point fixed to the table"))?;
        let root = names::find(model, ObjectType::Body, &format!("{prefix}torso"))?;
        let (material, damping_time) = material(model, prefix)?;
        Ok(Self {
            solver,
            mesh,
            material,
            damping_time,
            field: field(model, prefix)?,
            active_radius: number(model, prefix, REACH),
            substep: number(model, prefix, LONGEST_SUBSTEP),
            device,
            frame: Pose::from_quat(data.xpos()[root], data.xquat()[root]),
            base: names::name_of(model, ObjectType::Body, base).to_owned(),
            points,
            qpos_addresses,
            dof_addresses,
            friction: model.flex_friction()[flex][0],
            condensed: OnceLock::new(),
            interpolation: OnceLock::new(),
            on_gpu: GpuWorlds::default(),
        })
    }

    /// The same model with another material, given by the numbers of [`MATERIAL`].
    ///
    /// # Errors
    /// [`SimError::Tissue`] for numbers out of range.
    pub(super) fn with_material(&self, numbers: [f64; 4]) -> Result<Self, SimError> {
        let (material, damping_time) = of_numbers(numbers)?;
        Ok(Self {
            material,
            damping_time,
            ..self.clone()
        })
    }

    /// The material at a point of the torso at rest, in world [m].
    ///
    /// The factors of a field are rounded to steps of 10 %, so that neighbouring elements mostly have one material, as their solver needs for
    /// patches.
    pub(super) fn material_at(&self, point: [f64; 3]) -> Material {
        if self.field.is_none() {
            return self.material;
        }
        let level = (self.factor_at(point).ln() / FIELD_STEP.ln()).round();
        let factor = FIELD_STEP.powf(level);
        Material {
            young_modulus: factor * self.material.young_modulus,
            viscosity: factor * self.material.viscosity,
            ..self.material
        }
    }

    /// Factor of the material's modulus at a point of the torso at rest, in world [m].
    pub(super) fn factor_at(&self, point: [f64; 3]) -> f64 {
        let own = self.in_frame(point);
        self.field
            .as_ref()
            .map_or(1.0, |field| field.at(own.x, own.y))
    }

    /// A point in world in the torso's frame [m].
    pub(super) fn in_frame(&self, point: [f64; 3]) -> Vector3<f64> {
        self.frame.rotation.inverse() * (Vector3::from(point) - self.frame.position)
    }

    /// Edge of a cube of six tetrahedra of mean volume [m].
    pub(super) fn spacing(&self) -> f64 {
        let volume: f64 = self.mesh.tets.iter().map(|tet| self.volume(tet)).sum();
        (6.0 * volume / self.mesh.tets.len() as f64).cbrt()
    }

    pub(super) fn volume(&self, tet: &[u32; 4]) -> f64 {
        volume(&self.mesh, tet)
    }
}

pub(super) fn volume(mesh: &TetMesh, tet: &[u32; 4]) -> f64 {
    let [a, b, c, d] = tet.map(|i| Vector3::from(mesh.positions[i as usize]));
    (b - a).dot(&(c - a).cross(&(d - a))) / 6.0
}

fn material(model: &MjModel, prefix: &str) -> Result<(Material, f64), SimError> {
    let name = format!("{prefix}{MATERIAL}");
    let numeric = names::find(model, ObjectType::Numeric, &name)?;
    let start = model.numeric_adr()[numeric] as usize;
    let size = model.numeric_size()[numeric] as usize;
    let numbers = &model.numeric_data()[start..start + size];
    let numbers = numbers
        .try_into()
        .map_err(|_| problem(&format!("has {size} numbers in {name}; it must have 4")))?;
    of_numbers(numbers)
}

/// Material from Young's modulus [Pa], Poisson's ratio, density [kg/m³] and damping time [s].
fn of_numbers(
    [young_modulus, poisson_ratio, density, damping_time]: [f64; 4],
) -> Result<(Material, f64), SimError> {
    let mut material = Material {
        young_modulus,
        poisson_ratio,
        density,
        ..Material::default()
    };
    material.viscosity = material.lame_mu() * damping_time;
    material.check()?;
    Ok((material, damping_time))
}

/// The field of the custom numbers, if the model has one.
fn field(model: &MjModel, prefix: &str) -> Result<Option<SoftnessField>, SimError> {
    let name = format!("{prefix}{FIELD}");
    let Some(numeric) = names::try_find(model, ObjectType::Numeric, &name) else {
        return Ok(None);
    };
    let start = model.numeric_adr()[numeric] as usize;
    let size = model.numeric_size()[numeric] as usize;
    let field = SoftnessField::from_numbers(&model.numeric_data()[start..start + size]);
    field
        .map(Some)
        .map_err(|error| problem(&format!("has an invalid {name}: {error}")))
}

/// A custom number; infinite if the model does not have it.
fn number(model: &MjModel, prefix: &str, name: &str) -> f64 {
    let name = format!("{prefix}{name}");
    let numeric = names::try_find(model, ObjectType::Numeric, &name);
    let start = numeric.map(|numeric| model.numeric_adr()[numeric] as usize);
    let number = start.and_then(|start| model.numeric_data().get(start));
    number.copied().unwrap_or(f64::INFINITY)
}

fn problem(problem: &str) -> SimError {
    SimError::Solid {
        problem: problem.to_owned(),
    }
}
