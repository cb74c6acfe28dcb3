//! From descriptions to the bodies of the solvers: layers of their own material, fixed points, and attachments between bodies.

use std::path::Path;

use super::{ParticleBody, TetBody, TissueBody, attach};
use crate::mpm::MpmBody;
use crate::xpbd::{self, Anchor, XpbdBody};
use crate::{Material, TissueError};

impl ParticleBody {
    /// Bodies of the particle solver at rest, one for each material that has particles, in the order of the materials: positions come
    /// out sorted by material.
    ///
    /// Particles of all bodies of a world share one grid, so that layers that touch are one continuum without ties.
    ///
    /// # Errors
    /// [`TissueError::Setting`]: a particle is of none of these materials.
    pub fn mpm_bodies(&self, materials: &[Material]) -> Result<Vec<MpmBody>, TissueError> {
        check_materials(&self.materials, materials.len())?;
        let of = |(wanted, material): (u16, &Material)| {
            let mut body = MpmBody {
                material: *material,
                particle_volume: self.particle_volume,
                ..MpmBody::default()
            };
            for (index, _) in self.of_material(wanted) {
                if self.is_fixed.get(index).is_some_and(|is| *is) {
                    body.fixed.push(body.positions.len() as u32);
                }
                body.positions.push(self.positions[index]);
            }
            body
        };
        let bodies = (0..).zip(materials).map(of);
        Ok(bodies.filter(|body| !body.positions.is_empty()).collect())
    }

    fn of_material(&self, wanted: u16) -> impl Iterator<Item = (usize, &u16)> {
        let all = self.materials.iter().enumerate();
        all.filter(move |(_, material)| **material == wanted)
    }
}

impl TetBody {
    /// One body of the constraint solver at rest, each tetrahedron of its own material, that does not tear.
    ///
    /// Viscosity and tearing of the materials do not count: see [`XpbdBody`], and its damping time [s].
    ///
    /// # Errors
    /// [`TissueError::Setting`]: a tetrahedron is of none of these materials.
    pub fn xpbd_body(
        &self,
        materials: &[Material],
        damping_time: f64,
    ) -> Result<XpbdBody, TissueError> {
        check_materials(&self.materials, materials.len())?;
        let fixed = (0..).zip(&self.is_fixed).filter(|(_, is)| **is);
        Ok(XpbdBody {
            mesh: self.mesh.clone(),
            tet_materials: self
                .materials
                .iter()
                .map(|index| materials[usize::from(*index)])
                .collect(),
            damping_time,
            fixed: fixed.map(|(vertex, _)| vertex).collect(),
            ..XpbdBody::default()
        })
    }
}

impl TissueBody {
    /// Its layers and regions as bodies of the particle solver, what is fixed held by the world; see [`TissueBody::particles`] for the
    /// parameters and [`ParticleBody::mpm_bodies`] for the order.
    ///
    /// # Errors
    /// As [`TissueBody::particles`].
    pub fn mpm_bodies(
        &self,
        cell_width: f64,
        jitter: f64,
        seed: u64,
        folder: &Path,
    ) -> Result<Vec<MpmBody>, TissueError> {
        self.particles(cell_width, jitter, seed, folder)?
            .mpm_bodies(&self.materials())
    }

    /// The body for the constraint solver, each tetrahedron of the material at its centre, vertices in fixed places fixed; edges [m],
    /// damping time [s]. A layer thinner than the tetrahedra may get none.
    ///
    /// # Errors
    /// As [`TissueBody::tetrahedra`].
    pub fn xpbd_body(
        &self,
        edge: f64,
        damping_time: f64,
        folder: &Path,
    ) -> Result<XpbdBody, TissueError> {
        self.tetrahedra(edge, folder)?
            .xpbd_body(&self.materials(), damping_time)
    }
}

/// Bodies for the particle solver, all in one vector, in their order.
///
/// Bodies whose particles are within a cell of each other hold together by the grid, whether they are tied or not. So a tie needs no more
/// than that some points are as near as it says and as a cell is wide.
///
/// # Errors
/// As [`TissueBody::particles`]; [`TissueError::Setting`] for a tie to a body that is not there, or to one that is too far.
pub fn mpm_scene(
    bodies: &[TissueBody],
    cell_width: f64,
    jitter: f64,
    seed: u64,
    folder: &Path,
) -> Result<Vec<MpmBody>, TissueError> {
    let particles = bodies
        .iter()
        .map(|body| body.particles(cell_width, jitter, seed, folder))
        .collect::<Result<Vec<ParticleBody>, _>>()?;
    let points: Vec<&[[f64; 3]]> = particles.iter().map(|all| &all.positions[..]).collect();
    ties(bodies, &points, cell_width)?;
    let mut all = Vec::new();
    for (body, particles) in bodies.iter().zip(&particles) {
        all.extend(particles.mpm_bodies(&body.materials())?);
    }
    Ok(all)
}

/// Bodies for the constraint solver, and their ties: rigid, each as long as the points are apart at rest, of which a body's own end
/// and that at the nearest vertex of the other are counted through all bodies.
///
/// # Errors
/// As [`TissueBody::tetrahedra`]; [`TissueError::Setting`] for a tie to a body that is not there, or to one that is too far.
pub fn xpbd_scene(
    bodies: &[TissueBody],
    edge: f64,
    damping_time: f64,
    folder: &Path,
) -> Result<(Vec<XpbdBody>, Vec<xpbd::Attachment>), TissueError> {
    let made = bodies
        .iter()
        .map(|body| body.xpbd_body(edge, damping_time, folder))
        .collect::<Result<Vec<XpbdBody>, _>>()?;
    let points: Vec<&[[f64; 3]]> = made.iter().map(|body| &body.mesh.positions[..]).collect();
    let ties = ties(bodies, &points, f64::INFINITY)?;
    let tie = |tie: Tie| xpbd::Attachment {
        vertex: tie.points[0],
        to: Anchor::Vertex(tie.points[1]),
        length: tie.length,
        compliance: 0.0,
    };
    let attachments = ties.into_iter().map(tie).collect();
    Ok((made, attachments))
}

/// Two points, counted through all bodies, and their distance [m].
struct Tie {
    points: [u32; 2],
    length: f64,
}

/// All ties of bodies, given by their points, that are not longer than `most` [m].
fn ties(bodies: &[TissueBody], points: &[&[[f64; 3]]], most: f64) -> Result<Vec<Tie>, TissueError> {
    let first = |body: usize| -> u32 {
        let before = points[..body].iter().map(|points| points.len());
        before.sum::<usize>() as u32
    };
    let mut ties = Vec::new();
    for (index, body) in bodies.iter().enumerate() {
        for (number, attachment) in body.attachments.iter().enumerate() {
            let field = |name: &str| format!("{}.attachments[{number}].{name}", body.name);
            let other = (0..bodies.len()).find(|&i| i != index && bodies[i].name == attachment.to);
            let Some(other) = other else {
                let known: Vec<&str> = bodies.iter().map(|body| body.name.as_str()).collect();
                let allowed = format!("another one of {}", known.join(", "));
                return Err(TissueError::setting(field("to"), &attachment.to, allowed));
            };
            let (here, there) = (points[index], points[other]);
            let distance = attachment.distance.min(most);
            let pairs = attach(here, there, distance)?;
            if pairs.is_empty() {
                let allowed = if attachment.distance > most {
                    format!("reached within a cell of {most} m: no point is so near")
                } else {
                    "as far as the nearest points are apart".to_owned()
                };
                let field = field("distance");
                return Err(TissueError::setting(field, attachment.distance, allowed));
            }
            ties.extend(pairs.into_iter().map(|[a, b]| {
                let (p, q) = (here[a as usize], there[b as usize]);
                let squares = (0..3).map(|axis| (p[axis] - q[axis]).powi(2));
                Tie {
                    points: [first(index) + a, first(other) + b],
                    length: squares.sum::<f64>().sqrt(),
                }
            }));
        }
    }
    Ok(ties)
}

fn check_materials(indices: &[u16], n: usize) -> Result<(), TissueError> {
    match indices.iter().find(|index| usize::from(**index) >= n) {
        None => Ok(()),
        Some(index) => Err(TissueError::setting(
            "materials",
            index,
            format!("below {n}"),
        )),
    }
}
