//! Points, tetrahedra, constraints and faces of all bodies of a world.

use insonate_settings::check_range;
use nalgebra::{Matrix3, Vector3};

use super::attachment::{Anchor, Attachment};
use super::body::XpbdBody;
use super::config::Sweep;
use super::constraint::AnyConstraintList as _;
use super::constraints::{Constraints, Distance};
use super::tet::{BodyTets, Tet};
use crate::TissueError;

/// A triangle of the surface at rest, counterclockwise from outside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Face {
    pub(crate) vertices: [u32; 3],
    /// Its tetrahedron.
    pub(crate) tet: u32,
    /// Compliance of its deepest point under the force of a tool [m/N].
    pub(crate) compliance: f64,
}

/// Data that do not change while a world is stepped.
#[derive(Debug, Clone, Default)]
pub(crate) struct Topology {
    /// Number of vertices of bodies. They are the first points; anchor points of attachments
    /// follow.
    pub(crate) n_vertices: usize,
    /// Points at rest relative to the origin [m].
    pub(crate) rest: Vec<Vector3<f64>>,
    /// Origin of all positions in the world frame [m]. It keeps coordinates small, so that f32 is
    /// precise.
    pub(crate) origin: Vector3<f64>,
    /// Velocities at the start [m/s].
    pub(crate) velocities: Vec<Vector3<f64>>,
    /// Masses [kg]; 0 for anchor points.
    pub(crate) masses: Vec<f64>,
    /// Inverse masses [1/kg]; 0 for fixed points.
    pub(crate) inv_masses: Vec<f64>,
    pub(crate) tets: Vec<Tet>,
    pub(crate) constraints: Constraints,
    /// Tetrahedra of each patch.
    pub(crate) patches: Vec<Vec<u32>>,
    pub(crate) faces: Vec<Face>,
    /// Whether any tetrahedron can tear.
    pub(crate) tears: bool,
    /// Shortest time in which a wave crosses the height of an element [s]; infinite if it does not limit the substep.
    pub(crate) crossing_time: f64,
    /// Whether any constraint is damped.
    pub(crate) is_damped: bool,
}

impl Topology {
    pub(crate) fn new(
        bodies: &[XpbdBody],
        attachments: &[Attachment],
    ) -> Result<Self, TissueError> {
        let mut all = Self {
            crossing_time: f64::INFINITY,
            ..Self::default()
        };
        for (index, body) in bodies.iter().enumerate() {
            body.check(index)?;
            all.add(index, body)?;
        }
        if all.tets.is_empty() {
            return Err(TissueError::setting("bodies", "empty", "at least one body"));
        }
        all.n_vertices = all.rest.len();
        for (index, attachment) in attachments.iter().enumerate() {
            all.attach(index, attachment)?;
        }
        if all.rest.len() >= u32::MAX as usize {
            return Err(TissueError::setting(
                "bodies",
                all.rest.len(),
                "fewer vertices",
            ));
        }
        let low = all.rest.iter().copied().reduce(|a, b| a.inf(&b));
        let high = all.rest.iter().copied().reduce(|a, b| a.sup(&b));
        all.origin = (low.unwrap_or_default() + high.unwrap_or_default()) * 0.5;
        for point in &mut all.rest {
            *point -= all.origin;
        }
        all.faces = all.surface(|_| true);
        Ok(all)
    }

    fn add(&mut self, index: usize, body: &XpbdBody) -> Result<(), TissueError> {
        let (first, first_tet) = (self.rest.len() as u32, self.tets.len());
        let at = body.mesh.positions.iter().map(|p| Vector3::from(*p));
        self.rest.extend(at);
        self.velocities
            .resize(self.rest.len(), body.velocity.into());
        self.masses.resize(self.rest.len(), 0.0);
        for (i, tet) in body.mesh.tets.iter().enumerate() {
            let vertices = tet.map(|vertex| vertex + first);
            let [a, b, c, d] = vertices.map(|vertex| self.rest[vertex as usize]);
            let edges = Matrix3::from_columns(&[b - a, c - a, d - a]);
            let volume = edges.determinant() / 6.0;
            let field = format!("bodies[{index}].mesh.tets[{i}]");
            check_range(&format!("{field}.volume"), volume, [1e-18, 1e6], "m³")?;
            let inverse = edges
                .try_inverse()
                .filter(|m| m.iter().all(|x| x.is_finite()));
            let Some(inverse) = inverse else {
                return Err(TissueError::setting(field, tet, "not flat"));
            };
            let material = body.tet_materials.get(i).unwrap_or(&body.material);
            self.tets.push(Tet {
                vertices,
                volume,
                inverse_rest: std::array::from_fn(|k| inverse[(k / 3, k % 3)]),
                tear_strain: body.tear_strain.unwrap_or(f64::INFINITY),
                modulus: body.elasticity.modulus(material),
                lame: body.elasticity.lame(material),
            });
        }
        let tets = BodyTets {
            tets: &self.tets[first_tet..],
            first: first_tet as u32,
            rest: &self.rest,
            materials: &body.tet_materials,
            material: &body.material,
        };
        for (_, tet, material) in tets.iter() {
            for vertex in tet.vertices {
                self.masses[vertex as usize] += 0.25 * tet.volume * material.density;
            }
        }
        let constraints = &mut self.constraints;
        let (time, patches) = body
            .elasticity
            .constrain(&tets, body.damping_time, constraints);
        self.patches.extend(patches);
        self.crossing_time = self.crossing_time.min(time);
        self.inv_masses
            .extend(self.masses[first as usize..].iter().map(|mass| 1.0 / mass));
        for vertex in &body.fixed {
            self.inv_masses[(vertex + first) as usize] = 0.0;
            self.velocities[(vertex + first) as usize] = Vector3::zeros();
        }
        self.tears |= body.tear_strain.is_some();
        self.is_damped |= body.damping_time > 0.0;
        Ok(())
    }

    fn attach(&mut self, index: usize, attachment: &Attachment) -> Result<(), TissueError> {
        let name = |field: &str| format!("attachments[{index}].{field}");
        let last = self.n_vertices as f64 - 1.0;
        check_range(
            &name("vertex"),
            f64::from(attachment.vertex),
            [0.0, last],
            "",
        )?;
        check_range(&name("length"), attachment.length, [0.0, 1e3], "m")?;
        check_range(
            &name("compliance"),
            attachment.compliance,
            [0.0, 1e6],
            "m/N",
        )?;
        let other = match attachment.to {
            Anchor::Vertex(vertex) => {
                check_range(&name("to.vertex"), f64::from(vertex), [0.0, last], "")?;
                if vertex == attachment.vertex {
                    let field = name("to.vertex");
                    return Err(TissueError::setting(field, vertex, "another vertex"));
                }
                vertex
            }
            Anchor::Point(point) => {
                for x in point {
                    check_range(&name("to.point"), x, [-1e4, 1e4], "m")?;
                }
                self.rest.push(point.into());
                self.velocities.push(Vector3::zeros());
                self.masses.push(0.0);
                self.inv_masses.push(0.0);
                self.rest.len() as u32 - 1
            }
        };
        let (points, length) = ([attachment.vertex, other], attachment.length);
        let spring = Distance::spring(points, length, attachment.compliance, 0.0);
        self.constraints.distance.push(spring, &[]);
        Ok(())
    }

    /// Index of an attachment's anchor point, and a position for it relative to the origin [m].
    pub(crate) fn anchor(
        &self,
        anchor: usize,
        to: [f64; 3],
    ) -> Result<(usize, [f32; 3]), TissueError> {
        let n_anchors = self.rest.len() - self.n_vertices;
        if anchor >= n_anchors {
            let allowed = format!("below {n_anchors}");
            return Err(TissueError::setting("anchor", anchor, allowed));
        }
        for x in to {
            check_range("anchor.to", x, [-1e4, 1e4], "m")?;
        }
        let there = Vector3::from(to) - self.origin;
        Ok((self.n_vertices + anchor, there.map(|x| x as f32).into()))
    }

    /// Triangles that belong to exactly one of the intact tetrahedra.
    pub(crate) fn surface(&self, is_alive: impl Fn(usize) -> bool) -> Vec<Face> {
        let mut sides = Vec::new();
        for (number, tet) in self.tets.iter().enumerate() {
            if !is_alive(number) {
                continue;
            }
            let [a, b, c, d] = tet.vertices;
            for vertices in [[a, c, b], [a, b, d], [a, d, c], [b, c, d]] {
                let mut key = vertices;
                key.sort_unstable();
                sides.push((key, number as u32, vertices));
            }
        }
        sides.sort_unstable();
        let alone = sides
            .chunk_by(|a, b| a.0 == b.0)
            .filter(|same| same.len() == 1);
        let mut faces: Vec<Face> = alone
            .map(|same| Face {
                vertices: same[0].2,
                tet: same[0].1,
                compliance: self.face_compliance(same[0].2, same[0].1),
            })
            .collect();
        faces.sort_unstable_by_key(|face| (face.tet, face.vertices));
        faces
    }

    /// Compliance of a face under a force [m/N]: that of a column beneath it with the height of its tetrahedron.
    ///
    /// Without it, a flat face around a round tool, or a face that the edge of a tool covers partly, would carry too
    /// much force.
    fn face_compliance(&self, vertices: [u32; 3], tet: u32) -> f64 {
        let tet = &self.tets[tet as usize];
        let [a, b, c] = vertices.map(|vertex| self.rest[vertex as usize]);
        let area = 0.5 * (b - a).cross(&(c - a)).norm();
        let height = 3.0 * tet.volume / area;
        height / (tet.modulus * area)
    }

    /// Inverse mass of each point as constraints use it [1/kg], and the factor by which a sweep applies the sum of its
    /// corrections.
    pub(crate) fn shares(&self, sweep: Sweep) -> Vec<[f64; 2]> {
        let points = self.n_shares(sweep).into_iter().zip(&self.inv_masses);
        points
            .map(|(n, inv_mass)| {
                let n = f64::from(n);
                match sweep {
                    Sweep::GaussSeidel => [*inv_mass, 1.0],
                    Sweep::Jacobi => [inv_mass * n, 1.0 / n.max(1.0)],
                    Sweep::AveragedJacobi { relaxation } => [*inv_mass, relaxation / n.max(1.0)],
                }
            })
            .collect()
    }

    /// Number of constraints of each point; patches count by their weight.
    fn n_shares(&self, sweep: Sweep) -> Vec<u32> {
        let mut counts = vec![0; self.rest.len()];
        for list in self.constraints.all() {
            for point in (0..list.len()).flat_map(|i| list.points(i)) {
                counts[*point as usize] += 1;
            }
        }
        let patches = &self.constraints.patch;
        for points in (0..patches.len()).map(|i| patches.points(i)) {
            for (i, point) in points.iter().enumerate() {
                // The first point of a small patch is repeated.
                if points[i + 1..].contains(point) {
                    counts[*point as usize] -= 1;
                } else {
                    counts[*point as usize] += sweep.patch_weight() - 1;
                }
            }
        }
        counts
    }
}
