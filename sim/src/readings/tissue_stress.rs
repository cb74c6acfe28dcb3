//! Strain and stress in a torso's tissue.

use std::collections::HashMap;
use std::sync::Arc;

use insonate_tissue::TissueStress;
use mujoco_rs::wrappers::mj_data::MjData;
use mujoco_rs::wrappers::mj_model::MjModel;
use nalgebra::{Matrix3, Vector3};

use super::TORSO_PREFIX;
use crate::coupling::Coupling;
use crate::ffi::update_kinematics;
use crate::names::{self, ObjectType};
use crate::{Physics, SimError};

/// Pairs of corners in the order of MuJoCo's stiffness matrices of tetrahedra.
const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [2, 3], [0, 3], [1, 3]];

/// Reads strain and stress in a torso that is a solid: `elastic`, `mpm` and `xpbd` by their own laws, `flex` by that of MuJoCo's finite
/// elements. A torso of springs has none.
#[derive(Debug, Clone)]
pub struct StressReading {
    /// The tetrahedra of a flex; `None`: a solver outside MuJoCo has its own.
    flex: Option<FlexSolid>,
}

impl StressReading {
    /// The reading of a scene; `None` if its torso has no stress.
    ///
    /// # Errors
    /// [`SimError::Allocation`].
    pub fn of(physics: &Physics) -> Result<Option<Self>, SimError> {
        if let Some(coupling) = physics.coupling() {
            let has_stress = coupling.tissue().stress().is_some();
            return Ok(has_stress.then_some(Self { flex: None }));
        }
        let flex = FlexSolid::of(&physics.model_arc())?;
        Ok(flex.map(|flex| Self { flex: Some(flex) }))
    }

    /// Strain and stress now, in world.
    pub fn read(&self, physics: &Physics) -> TissueStress {
        match &self.flex {
            Some(flex) => flex.stress(physics.data().flexvert_xpos()),
            None => physics
                .coupling()
                .and_then(Coupling::stress)
                .unwrap_or_default(),
        }
    }
}

/// A solid of MuJoCo's finite elements.
///
/// Their energy is $\frac14 e^T K e$ with $e$ the changes of the edges' squared lengths. It is the Saint Venant–Kirchhoff law
/// $V (\frac{\lambda}{2} (\operatorname{tr} E)^2 + \mu E : E)$ of the Green strain E; its constants are found from K.
#[derive(Debug, Clone)]
struct FlexSolid {
    /// Index of the first vertex in the model.
    first: usize,
    n_vertices: usize,
    tets: Vec<[u32; 4]>,
    /// Inverse edges at rest [1/m], and volumes at rest [m³].
    inverse_rest: Vec<Matrix3<f64>>,
    volumes: Vec<f64>,
    /// λ and μ [Pa].
    lame: Vec<[f64; 2]>,
}

impl FlexSolid {
    /// The solid of the torso's flexes; `None` if the torso has none. Flexes on the same tetrahedra add up.
    fn of(model: &Arc<MjModel>) -> Result<Option<Self>, SimError> {
        let flexes = names::with_prefix(model, ObjectType::Flex, TORSO_PREFIX);
        let mut solids = flexes
            .into_iter()
            .filter(|&flex| model.flex_dim()[flex] == 3);
        let Some(flex) = solids.next() else {
            return Ok(None);
        };
        let mut data = MjData::try_new(model.clone()).map_err(|_| SimError::Allocation)?;
        update_kinematics(&mut data);
        data.flex_comp();
        let rest = data.flexvert_xpos();
        let first = model.flex_vertadr()[flex] as usize;
        let mut solid = Self {
            first,
            n_vertices: model.flex_vertnum()[flex] as usize,
            tets: Vec::new(),
            inverse_rest: Vec::new(),
            volumes: Vec::new(),
            lame: Vec::new(),
        };
        for (tet, stiffness) in elements(model, flex) {
            let corners = tet.map(|vertex| Vector3::from(rest[vertex]));
            let edges = edges(&corners);
            let Some(inverse) = edges.try_inverse() else {
                continue;
            };
            let volume = edges.determinant().abs() / 6.0;
            solid.tets.push(tet.map(|vertex| (vertex - first) as u32));
            solid.inverse_rest.push(inverse);
            solid.volumes.push(volume);
            solid.lame.push(lame(&corners, volume, stiffness));
        }
        let place = |tet: &[usize; 4]| {
            let mut bodies = tet.map(|vertex| {
                (
                    model.flex_vertbodyid()[vertex],
                    rest[vertex].map(f64::to_bits),
                )
            });
            bodies.sort_unstable();
            bodies
        };
        let of_model = |tet: &[u32; 4]| tet.map(|vertex| vertex as usize + first);
        let index: HashMap<_, usize> = solid
            .tets
            .iter()
            .enumerate()
            .map(|(i, tet)| (place(&of_model(tet)), i))
            .collect();
        for other in solids {
            for (tet, stiffness) in elements(model, other) {
                let Some(&same) = index.get(&place(&tet)) else {
                    continue;
                };
                let corners = tet.map(|vertex| Vector3::from(rest[vertex]));
                let more = lame(&corners, solid.volumes[same], stiffness);
                for (sum, part) in solid.lame[same].iter_mut().zip(more) {
                    *sum += part;
                }
            }
        }
        Ok(Some(solid))
    }

    /// Strain and stress at positions of all vertices of the model in world [m].
    fn stress(&self, positions: &[[f64; 3]]) -> TissueStress {
        let points = &positions[self.first..self.first + self.n_vertices];
        let mut all = TissueStress {
            points: points.to_vec(),
            tets: self.tets.clone(),
            ..TissueStress::default()
        };
        for (index, tet) in self.tets.iter().enumerate() {
            let corners = tet.map(|vertex| Vector3::from(points[vertex as usize]));
            let f = edges(&corners) * self.inverse_rest[index];
            let [lambda, mu] = self.lame[index];
            let green = (f.tr_mul(&f) - Matrix3::identity()) * 0.5;
            let second = Matrix3::identity() * (lambda * green.trace()) + green * (2.0 * mu);
            all.add(self.volumes[index], &f, f * second * f.transpose());
        }
        all
    }
}

/// Tetrahedra of a flex, as vertices of the model, and their stiffness matrices: the upper triangle, row by row [N/m³].
fn elements(model: &MjModel, flex: usize) -> impl Iterator<Item = ([usize; 4], &[f64])> {
    let n = model.flex_elemnum()[flex] as usize;
    let first = model.flex_elemdataadr()[flex] as usize;
    let corners = model.flex_elem()[first..first + 4 * n].as_chunks::<4>().0;
    let vertices = model.flex_vertadr()[flex] as usize;
    let start = model.flex_stiffnessadr()[flex] as usize;
    let starts = model.flex_stiffnessadr().iter().map(|&at| at as usize);
    let all = model.flex_stiffness();
    let end = starts.filter(|&at| at > start).min().unwrap_or(all.len());
    // MuJoCo may pad each matrix.
    let stride = (end - start) / n.max(1);
    corners
        .iter()
        .zip(all[start..end].chunks_exact(stride.max(1)))
        .map(move |(tet, stiffness)| (tet.map(|i| vertices + i as usize), stiffness))
}

/// Matrix of the edges from the first corner [m].
fn edges([a, b, c, d]: &[Vector3<f64>; 4]) -> Matrix3<f64> {
    Matrix3::from_columns(&[b - a, c - a, d - a])
}

/// λ and μ of a tetrahedron [Pa] from its stiffness matrix, by the energies of a uniform strain and of a shear.
fn lame(corners: &[Vector3<f64>; 4], volume: f64, stiffness: &[f64]) -> [f64; 2] {
    let energy = |strain: Matrix3<f64>| {
        let changes = EDGES.map(|[a, b]| {
            let edge = corners[b] - corners[a];
            2.0 * edge.dot(&(strain * edge))
        });
        let mut sum = 0.0;
        let mut entries = stiffness.iter();
        for i in 0..6 {
            for (j, entry) in (i..6).zip(&mut entries) {
                let times = if i == j { 1.0 } else { 2.0 };
                sum += times * entry * changes[i] * changes[j];
            }
        }
        0.25 * sum / volume
    };
    let shear = Matrix3::from_diagonal(&Vector3::new(1.0, -1.0, 0.0));
    let mu = 0.5 * energy(shear);
    let lambda = (energy(Matrix3::identity()) - 3.0 * mu) / 4.5;
    [lambda, mu]
}
