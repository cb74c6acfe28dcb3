//! Conversion of descriptions to bodies of the solvers: layers with their own materials, fixed points, and attachments
//! between bodies.

use std::path::Path;

use super::{ParticleBody, TetBody, TissueBody, attach};
use crate::mpm::MpmBody;
use crate::xpbd::{self, Anchor, XpbdBody};
use crate::{Material, TissueError};

impl ParticleBody {
    /// Bodies at rest for the particle solver: one for each material that has particles, in the order of the materials.
    /// Positions are therefore sorted by material.
    ///
    /// Particles of all bodies of a world share one grid. Layers that touch form one continuum without ties.
    ///
    /// # Errors
    /// [`TissueError::Setting`] if the material of a particle is not among these
    /// materials.
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
    /// One body at rest for the constraint solver. Each tetrahedron has its own material. The body does not tear.
    ///
    /// Viscosity and tearing of the materials are ignored; see [`XpbdBody`] and its damping time [s].
    ///
    /// # Errors
    /// [`TissueError::Setting`] if the material of a tetrahedron is not among these
    /// materials.
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
    /// Layers and regions as bodies for the particle solver. The world holds fixed parts. See [`TissueBody::particles`]
    /// for the parameters and [`ParticleBody::mpm_bodies`] for the order.
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

    /// The body for the constraint solver: edge length [m], damping time [s]. Each tetrahedron has the material at its
    /// centre. Vertices in fixed regions are fixed. A layer thinner than the tetrahedra may get no tetrahedra.
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

/// Bodies for the particle solver, in one vector and in order.
///
/// The grid connects bodies whose particles are within a cell of each other, with or without a tie. A tie only checks
/// that some points are within its distance and within a cell width.
///
/// # Errors
/// As [`TissueBody::particles`]; [`TissueError::Setting`] for a tie to an unknown body or to a body that is
/// too far away.
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

/// Bodies for the constraint solver and their ties. Ties are rigid and as long as the distance of their points at rest.
/// Both points, of the body and the nearest vertex of the other, are counted through all bodies.
///
/// # Errors
/// As [`TissueBody::tetrahedra`]; [`TissueError::Setting`] for a tie to an unknown body or to a body that is
/// too far away.
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
    let tie = |tie: DistanceTie| xpbd::Attachment {
        vertex: tie.points[0],
        to: Anchor::Vertex(tie.points[1]),
        length: tie.length,
        compliance: 0.0,
    };
    let attachments = ties.into_iter().map(tie).collect();
    Ok((made, attachments))
}

/// Two points, counted through all bodies, and their distance [m].
struct DistanceTie {
    points: [u32; 2],
    length: f64,
}

/// All ties of bodies, given by their points, that are at most `most` [m] long.
fn ties(
    bodies: &[TissueBody],
    points: &[&[[f64; 3]]],
    most: f64,
) -> Result<Vec<DistanceTie>, TissueError> {
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
                DistanceTie {
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
