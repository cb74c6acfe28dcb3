//! Vertices, edges, tetrahedra and faces of all bodies of a world.

use nalgebra::{Matrix3, Vector3};

use super::attachment::{Anchor, Attachment};
use super::body::{Elasticity, XpbdBody};
use super::config::Sweep;
use crate::TissueError;
use crate::error::check_range;

/// A distance constraint, or a dashpot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Edge {
    pub(crate) vertices: [u32; 2],
    /// Length at rest [m].
    pub(crate) length: f64,
    /// 1; 0 for a dashpot, which has no stiffness.
    pub(crate) elastic: f64,
    /// Compliance α [m/N].
    pub(crate) compliance: f64,
    /// α β [s].
    pub(crate) damping_time: f64,
    /// Damping of a dashpot β [N·s/m].
    pub(crate) damping: f64,
}

/// What a tetrahedron's constraints are.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TetLaw {
    /// Lamé parameters [Pa].
    NeoHookean { mu: f64, lambda: f64 },
    /// Compliance [m³/Pa] and damping time [s].
    Volume { compliance: f64, damping_time: f64 },
}

/// A tetrahedron.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tet {
    pub(crate) vertices: [u32; 4],
    /// Volume at rest [m³].
    pub(crate) volume: f64,
    /// Inverse of the matrix of the edges from the first vertex at rest, row by row [1/m].
    pub(crate) inverse_rest: [f64; 9],
    pub(crate) law: TetLaw,
    /// Strain above which it tears; infinite: never.
    pub(crate) tear_strain: f64,
}

impl Tet {
    /// Of the neo-Hookean law λ V and μ V [J], with its own λ, and the J at which the hydrostatic constraint is met; of a volume its
    /// compliance [m³/Pa], its damping time [s], and 1.
    pub(crate) fn constants(&self) -> [f64; 3] {
        match self.law {
            // λ of the stable law stands for λ + μ of Lamé: what is left of μ ln J at small strains (Smith, de Goes and Kim 2018, § 3.4).
            TetLaw::NeoHookean { mu, lambda } => [
                (lambda + mu) * self.volume,
                mu * self.volume,
                1.0 + mu / (lambda + mu),
            ],
            TetLaw::Volume {
                compliance,
                damping_time,
            } => [compliance, damping_time, 1.0],
        }
    }
}

impl Tet {
    /// μ of the neo-Hookean law [Pa]; 0 of any other.
    fn shear_modulus(&self) -> f64 {
        match self.law {
            TetLaw::NeoHookean { mu, .. } => mu,
            TetLaw::Volume { .. } => 0.0,
        }
    }
}

/// A triangle of the surface at rest, counterclockwise seen from outside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Face {
    pub(crate) vertices: [u32; 3],
    /// The tetrahedron that it belongs to.
    pub(crate) tet: u32,
}

/// All that does not move.
#[derive(Debug, Clone, Default)]
pub(crate) struct Topology {
    /// Vertices of bodies; points of attachments follow them.
    pub(crate) n_vertices: usize,
    /// Points at rest relative to the origin [m].
    pub(crate) rest: Vec<Vector3<f64>>,
    /// What all positions are relative to [m]: keeps them small, and f32 exact.
    pub(crate) origin: Vector3<f64>,
    /// Velocities at the start [m/s].
    pub(crate) velocities: Vec<Vector3<f64>>,
    /// Masses [kg]; of points of attachments 0.
    pub(crate) masses: Vec<f64>,
    /// Inverse masses [1/kg]; 0 for what does not move.
    pub(crate) inv_masses: Vec<f64>,
    pub(crate) edges: Vec<Edge>,
    /// Tetrahedra around each edge, in ascending order; none around attachments.
    pub(crate) edge_tets: Vec<Vec<u32>>,
    pub(crate) tets: Vec<Tet>,
    pub(crate) faces: Vec<Face>,
    /// Whether any tetrahedron can tear.
    pub(crate) tears: bool,
    /// Shortest time in which a wave crosses the height of a neo-Hookean element [s]; infinite: there is none.
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
        let (first, first_tet) = (self.rest.len() as u32, self.tets.len() as u32);
        let at = body.mesh.positions.iter().map(|p| Vector3::from(*p));
        self.rest.extend(at);
        self.velocities
            .resize(self.rest.len(), body.velocity.into());
        self.masses.resize(self.rest.len(), 0.0);
        for (i, tet) in body.mesh.tets.iter().enumerate() {
            let material = body.tet_materials.get(i).unwrap_or(&body.material);
            let law = match body.elasticity {
                Elasticity::NeoHookean => TetLaw::NeoHookean {
                    mu: material.lame_mu(),
                    lambda: material.lame_lambda(),
                },
                Elasticity::Springs {
                    volume_compliance, ..
                } => TetLaw::Volume {
                    compliance: volume_compliance,
                    damping_time: body.damping_time,
                },
            };
            let vertices = tet.map(|vertex| vertex + first);
            let [a, b, c, d] = vertices.map(|vertex| self.rest[vertex as usize]);
            let edges = Matrix3::from_columns(&[b - a, c - a, d - a]);
            let volume = edges.determinant() / 6.0;
            check_range(
                &format!("bodies[{index}].mesh.tets[{i}].volume"),
                volume,
                1e-18,
                1e6,
            )?;
            let inverse = edges
                .try_inverse()
                .filter(|m| m.iter().all(|x| x.is_finite()));
            let Some(inverse) = inverse else {
                let field = format!("bodies[{index}].mesh.tets[{i}]");
                return Err(TissueError::setting(field, tet, "not flat"));
            };
            for vertex in vertices {
                self.masses[vertex as usize] += 0.25 * volume * material.density;
            }
            if matches!(law, TetLaw::NeoHookean { .. }) {
                let rows = [0, 1, 2].map(|k| inverse.row(k).norm());
                let steepest = rows.into_iter().fold(inverse.row_sum().norm(), f64::max);
                let time = 1.0 / (steepest * material.wave_speed());
                self.crossing_time = self.crossing_time.min(time);
            }
            self.tets.push(Tet {
                vertices,
                volume,
                inverse_rest: std::array::from_fn(|k| inverse[(k / 3, k % 3)]),
                law,
                tear_strain: body.tear_strain.unwrap_or(f64::INFINITY),
            });
        }
        self.inv_masses
            .extend(self.masses[first as usize..].iter().map(|mass| 1.0 / mass));
        for vertex in &body.fixed {
            self.inv_masses[(vertex + first) as usize] = 0.0;
            self.velocities[(vertex + first) as usize] = Vector3::zeros();
        }
        self.tears |= body.tear_strain.is_some();
        self.is_damped |= body.damping_time > 0.0;
        if body.damping_time > 0.0 || body.elasticity != Elasticity::NeoHookean {
            self.connect(body, first_tet);
        }
        Ok(())
    }

    /// Edges of a body's tetrahedra.
    fn connect(&mut self, body: &XpbdBody, first_tet: u32) {
        let mut sides = Vec::with_capacity(6 * body.mesh.tets.len());
        for (tet, number) in self.tets[first_tet as usize..].iter().zip(first_tet..) {
            for i in 0..4 {
                for j in i + 1..4 {
                    let [a, b] = [tet.vertices[i], tet.vertices[j]];
                    sides.push(([a.min(b), a.max(b)], number));
                }
            }
        }
        sides.sort_unstable();
        for same in sides.chunk_by(|a, b| a.0 == b.0) {
            let vertices = same[0].0;
            let [a, b] = vertices.map(|vertex| self.rest[vertex as usize]);
            let length = (a - b).norm();
            let around = || same.iter().map(|(_, tet)| &self.tets[*tet as usize]);
            let volume: f64 = around().map(|tet| tet.volume).sum();
            // Of one material it is that one's, to the bit.
            let viscosity = if body.tet_materials.is_empty() {
                body.material.lame_mu() * body.damping_time
            } else {
                let share = |tet: &Tet| tet.shear_modulus() * tet.volume;
                around().map(share).sum::<f64>() / volume * body.damping_time
            };
            self.edges.push(match body.elasticity {
                Elasticity::Springs {
                    distance_compliance,
                    ..
                } => Edge {
                    vertices,
                    length,
                    elastic: 1.0,
                    compliance: distance_compliance,
                    damping_time: body.damping_time,
                    damping: 0.0,
                },
                // Six dashpots β = 5/2 η V / L² along the edges of a tetrahedron take, on an average of directions n, the power
                // β L² Σ (n · D n)² = 2 η V D : D of a viscosity η.
                Elasticity::NeoHookean => Edge {
                    vertices,
                    length,
                    elastic: 0.0,
                    compliance: 0.0,
                    damping_time: 0.0,
                    damping: 2.5 * viscosity * volume / (length * length),
                },
            });
            self.edge_tets
                .push(same.iter().map(|(_, tet)| *tet).collect());
        }
    }

    fn attach(&mut self, index: usize, attachment: &Attachment) -> Result<(), TissueError> {
        let name = |field: &str| format!("attachments[{index}].{field}");
        let last = self.n_vertices as f64 - 1.0;
        check_range(&name("vertex"), f64::from(attachment.vertex), 0.0, last)?;
        check_range(&name("length"), attachment.length, 0.0, 1e3)?;
        check_range(&name("compliance"), attachment.compliance, 0.0, 1e6)?;
        let other = match attachment.to {
            Anchor::Vertex(vertex) => {
                check_range(&name("to.vertex"), f64::from(vertex), 0.0, last)?;
                if vertex == attachment.vertex {
                    let field = name("to.vertex");
                    return Err(TissueError::setting(field, vertex, "another vertex"));
                }
                vertex
            }
            Anchor::Point(point) => {
                for x in point {
                    check_range(&name("to.point"), x, -1e4, 1e4)?;
                }
                self.rest.push(point.into());
                self.velocities.push(Vector3::zeros());
                self.masses.push(0.0);
                self.inv_masses.push(0.0);
                self.rest.len() as u32 - 1
            }
        };
        self.edges.push(Edge {
            vertices: [attachment.vertex, other],
            length: attachment.length,
            elastic: 1.0,
            compliance: attachment.compliance,
            damping_time: 0.0,
            damping: 0.0,
        });
        self.edge_tets.push(Vec::new());
        Ok(())
    }

    /// Triangles that belong to one tetrahedron alone, of those that are alive.
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
            })
            .collect();
        faces.sort_unstable_by_key(|face| (face.tet, face.vertices));
        faces
    }

    /// Of each point its inverse mass as constraints take it [1/kg], and what a sweep leaves of the sum of their corrections.
    pub(crate) fn shares(&self, sweep: Sweep) -> Vec<[f64; 2]> {
        let points = self.n_constraints().into_iter().zip(&self.inv_masses);
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

    /// Constraints of each point, over which Jacobi sweeps share out.
    fn n_constraints(&self) -> Vec<u32> {
        let mut counts = vec![0; self.rest.len()];
        let of_edges = self.edges.iter().flat_map(|edge| edge.vertices);
        for vertex in of_edges.chain(self.tets.iter().flat_map(|tet| tet.vertices)) {
            counts[vertex as usize] += 1;
        }
        counts
    }
}
