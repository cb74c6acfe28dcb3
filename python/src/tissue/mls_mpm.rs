//! Worlds of particles.

use insonate_tissue::mpm::{self, Contact, Formulation, MpmConfig, Wall};
use insonate_tissue::{ElasticLaw, tool};
use numpy::{PyArray1, PyArray3, PyArrayMethods as _};
use pyo3::prelude::*;

use super::mpm_body::MpmBody;
use super::soft_tissue::{SoftTissue, Threads, World};
use super::tool::vector;
use crate::error::{Result, value_error};
use crate::process;

/// Maximum number of threads of a world.
const MAX_THREADS: usize = 256;

/// A world of particles that exchange momentum through a grid.
#[pyclass(frozen, extends = SoftTissue, module = "insonate.tissue")]
pub(crate) struct MlsMpm;

impl MlsMpm {
    fn with<R>(
        this: &Bound<'_, Self>,
        work: impl FnOnce(&mut mpm::MlsMpm) -> Result<R>,
    ) -> Result<R> {
        this.as_super().get().with(|world| match world {
            World::MlsMpm(world) => work(world),
            World::Xpbd(_) => unreachable!("its constructor makes the other"),
        })
    }
}

#[pymethods]
impl MlsMpm {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    #[pyo3(signature = (bodies, *, origin, cell_width, cells, substep=None, gravity=None, law="neo_hookean", formulation="updated_lagrangian", wall="separate",
        contact="particles", contact_distance=None, reach=None, n_threads=0))]
    fn new(
        py: Python<'_>,
        bodies: Vec<PyRef<'_, MpmBody>>,
        origin: [f64; 3],
        cell_width: f64,
        cells: [usize; 3],
        substep: Option<f64>,
        gravity: Option<[f64; 3]>,
        law: &str,
        formulation: &str,
        wall: &str,
        contact: &str,
        contact_distance: Option<f64>,
        reach: Option<f64>,
        n_threads: usize,
    ) -> Result<PyClassInitializer<Self>> {
        let laws = [
            ("neo_hookean", ElasticLaw::NeoHookean),
            ("fixed_corotated", ElasticLaw::FixedCorotated),
        ];
        let formulations = [
            ("updated_lagrangian", Formulation::UpdatedLagrangian),
            ("total_lagrangian", Formulation::TotalLagrangian),
        ];
        let walls = [
            ("separate", Wall::Separate),
            ("slip", Wall::Slip),
            ("sticky", Wall::Sticky),
        ];
        let contacts = [("particles", Contact::Particles), ("nodes", Contact::Nodes)];
        let usual = MpmConfig::default();
        let config = MpmConfig {
            origin,
            cell_width,
            cells,
            substep: substep.unwrap_or(usual.substep),
            gravity: gravity.unwrap_or(usual.gravity),
            law: choice("law", law, laws)?,
            formulation: choice("formulation", formulation, formulations)?,
            walls: [[choice("wall", wall, walls)?; 2]; 3],
            contact: choice("contact", contact, contacts)?,
            contact_distance: contact_distance.unwrap_or(usual.contact_distance),
            active_radius: reach.unwrap_or(usual.active_radius),
            n_threads,
        };
        let threads = match n_threads {
            0 => {
                process::check_shared_threads()?;
                Threads::Shared
            }
            1 => Threads::Caller,
            2..=MAX_THREADS => Threads::Own,
            _ => {
                let problem = format!("n_threads is {n_threads}; it must be at most {MAX_THREADS}");
                return Err(value_error(problem));
            }
        };
        let bodies: Vec<mpm::MpmBody> = bodies.iter().map(|body| body.body.clone()).collect();
        let world = py.detach(|| mpm::MlsMpm::new(config, &bodies))?;
        let world = SoftTissue::new(World::MlsMpm(Box::new(world)), threads);
        Ok(PyClassInitializer::from(world).add_subclass(Self))
    }

    /// Longest substep of the next step [s].
    fn substep(this: &Bound<'_, Self>) -> Result<f64> {
        Self::with(this, |world| Ok(world.substep()))
    }

    /// Mass of all particles [kg].
    fn mass(this: &Bound<'_, Self>) -> Result<f64> {
        Self::with(this, |world| Ok(world.mass()))
    }

    /// Deformation gradients, shape `[n_particles, 3, 3]`.
    fn deformation_grads<'py>(this: &Bound<'py, Self>) -> Result<Bound<'py, PyArray3<f32>>> {
        Self::with(this, |world| {
            let grads = this.py().detach(|| world.deformation_grads());
            let n = grads.len();
            let flat = PyArray1::from_vec(this.py(), grads.into_flattened());
            Ok(flat.reshape([n, 3, 3])?)
        })
    }

    /// Damage of each particle: lost share of the stiffness, shape `[n_particles]`.
    fn damage<'py>(this: &Bound<'py, Self>) -> Result<Bound<'py, PyArray1<f32>>> {
        Self::with(this, |world| {
            Ok(PyArray1::from_vec(this.py(), world.damage()))
        })
    }

    /// Mean force [N] of the tissue on fixed particles over the last step.
    fn fixed_force<'py>(this: &Bound<'py, Self>) -> Result<Bound<'py, PyArray1<f64>>> {
        Self::with(this, |world| {
            let tool::Wrench { force, .. } = world.fixed_wrench();
            Ok(vector(this.py(), &force))
        })
    }
}

/// The value for a name.
fn choice<T: Copy, const N: usize>(field: &str, word: &str, all: [(&str, T); N]) -> Result<T> {
    let found = all.iter().find(|(known, _)| *known == word);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let known = all.map(|(known, _)| known).join(", ");
        value_error(format!("{field} is {word:?}; it must be one of {known}"))
    })
}
