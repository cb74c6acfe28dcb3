//! Oracle for MLS-MPM in plain f64: every particle visits its 27 nodes, one after the other.

use insonate_tissue::mpm::{Formulation, WALL_NODES, Wall};
use insonate_tissue::tool::Tool;
use insonate_tissue::{ElasticLaw, Material};
use nalgebra::{Matrix3, Vector3};

pub(crate) struct Particle {
    /// Position at rest.
    pub(crate) rest: Vector3<f64>,
    pub(crate) position: Vector3<f64>,
    pub(crate) velocity: Vector3<f64>,
    pub(crate) affine: Matrix3<f64>,
    pub(crate) deformation_grad: Matrix3<f64>,
    pub(crate) material: Material,
    pub(crate) volume: f64,
    /// Displacement along a tool since it stuck to it [m].
    pub(crate) slip: Vector3<f64>,
    /// Affine velocity that a tool has added in this substep [1/s].
    pub(crate) kick: Matrix3<f64>,
}

pub(crate) struct Oracle {
    pub(crate) cell_width: f64,
    pub(crate) cells: [usize; 3],
    pub(crate) gravity: Vector3<f64>,
    pub(crate) law: ElasticLaw,
    pub(crate) formulation: Formulation,
    pub(crate) walls: [[Wall; 2]; 3],
    /// In cells.
    pub(crate) contact_distance: f64,
    pub(crate) particles: Vec<Particle>,
    pub(crate) tools: Vec<Tool>,
    /// Impulse on each tool since the start, force and torque about its origin [N·s, N·m·s].
    pub(crate) impulses: Vec<[Vector3<f64>; 2]>,
}

#[derive(Clone, Copy)]
struct Node {
    momentum: Vector3<f64>,
    mass: f64,
}

/// First node and weights along each axis; lengths in cells.
fn weights(in_cells: Vector3<f64>) -> ([usize; 3], [[f64; 3]; 3], Vector3<f64>) {
    let base = in_cells.map(|x| (x - 0.5).floor());
    let f = in_cells - base;
    let along = |f: f64| {
        [
            0.5 * (1.5 - f).powi(2),
            0.75 - (f - 1.0).powi(2),
            0.5 * (f - 0.5).powi(2),
        ]
    };
    let base = [base.x as usize, base.y as usize, base.z as usize];
    (base, [along(f.x), along(f.y), along(f.z)], f)
}

impl Oracle {
    fn node(&self, [i, j, k]: [usize; 3]) -> usize {
        (i * self.cells[1] + j) * self.cells[2] + k
    }

    fn visit(&self, particle: &Particle, mut each: impl FnMut(usize, f64, Vector3<f64>)) {
        let place = match self.formulation {
            Formulation::UpdatedLagrangian => particle.position,
            Formulation::TotalLagrangian => particle.rest,
        };
        let (base, w, f) = weights(place / self.cell_width);
        for i in 0..3 {
            for j in 0..3 {
                for k in 0..3 {
                    let way = Vector3::new(i as f64, j as f64, k as f64) - f;
                    let node = self.node([base[0] + i, base[1] + j, base[2] + k]);
                    each(node, w[0][i] * w[1][j] * w[2][k], way * self.cell_width);
                }
            }
        }
    }

    pub(crate) fn substep(&mut self, dt: f64) {
        let mut nodes = vec![
            Node {
                momentum: Vector3::zeros(),
                mass: 0.0
            };
            self.cells.iter().product()
        ];
        let inertia = 4.0 / self.cell_width.powi(2);
        self.impulses
            .resize(self.tools.len(), [Vector3::zeros(); 2]);
        let mut particles = std::mem::take(&mut self.particles);
        particles.iter_mut().for_each(|p| self.touch(p, dt));
        self.particles = particles;
        for p in &self.particles {
            let mass = p.volume * p.material.density;
            let f = &p.deformation_grad;
            let (mu, lambda) = (p.material.lame_mu(), p.material.lame_lambda());
            let one = Matrix3::identity();
            let j = f.determinant();
            let elastic = match self.law {
                ElasticLaw::NeoHookean => (f * f.transpose() - one) * mu + one * (lambda * j.ln()),
                ElasticLaw::FixedCorotated => {
                    let svd = f.svd(true, true);
                    let rotation =
                        svd.u.expect("it was requested") * svd.v_t.expect("it was requested");
                    (f - rotation) * f.transpose() * (2.0 * mu) + one * (lambda * (j - 1.0) * j)
                }
            };
            let stress = match self.formulation {
                Formulation::UpdatedLagrangian => {
                    elastic + (p.affine + p.affine.transpose()) * p.material.viscosity
                }
                Formulation::TotalLagrangian => {
                    let inverse = f.try_inverse().expect("is not flat");
                    let gradient = p.affine * inverse;
                    let rate = gradient + gradient.transpose();
                    (elastic + rate * p.material.viscosity) * inverse.transpose()
                }
            };
            let q = (p.affine + p.kick) * mass - stress * (dt * inertia * p.volume);
            self.visit(p, |node, weight, way| {
                nodes[node].momentum += (p.velocity * mass + q * way) * weight;
                nodes[node].mass += mass * weight;
            });
        }
        for i in 0..self.cells[0] {
            for j in 0..self.cells[1] {
                for k in 0..self.cells[2] {
                    let index = self.node([i, j, k]);
                    if nodes[index].mass > 0.0 {
                        let velocity =
                            nodes[index].momentum / nodes[index].mass + self.gravity * dt;
                        nodes[index].momentum = self.bound([i, j, k], velocity, nodes[index].mass);
                    }
                }
            }
        }
        let mut particles = std::mem::take(&mut self.particles);
        for p in &mut particles {
            let (mut velocity, mut moment) = (Vector3::zeros(), Matrix3::zeros());
            self.visit(p, |node, weight, way| {
                velocity += nodes[node].momentum * weight;
                moment += nodes[node].momentum * way.transpose() * weight;
            });
            p.velocity = velocity;
            p.affine = moment * inertia;
            p.position += velocity * dt;
            p.deformation_grad += match self.formulation {
                Formulation::UpdatedLagrangian => p.affine * p.deformation_grad,
                Formulation::TotalLagrangian => p.affine,
            } * dt;
        }
        self.particles = particles;
        for tool in &mut self.tools {
            *tool = tool.after(dt);
        }
    }

    /// Velocity of a particle after the nearest tool of finite friction.
    fn touch(&mut self, p: &mut Particle, dt: f64) {
        let nearest = (0..self.tools.len())
            .filter(|i| self.tools[*i].friction.is_finite())
            .map(|i| {
                let tool = &self.tools[i];
                let place = tool.rotation.inverse() * (p.position - tool.position);
                (tool.shape.surface(&place), i)
            })
            .min_by(|a, b| a.0.distance.total_cmp(&b.0.distance));
        let edge = p.volume.cbrt();
        p.kick = Matrix3::zeros();
        let Some((surface, index)) = nearest.filter(|(s, _)| s.distance < 0.5 * edge) else {
            p.slip = Vector3::zeros();
            return;
        };
        let (tool, impulse) = (&self.tools[index], &mut self.impulses[index]);
        let depth = (0.5 * edge - surface.distance).min(edge);
        let mass = p.volume * p.material.density;
        let stiffness = p.material.lame_lambda() + 2.0 * p.material.lame_mu();
        let kappa = (2.0 * stiffness * edge * dt * dt / mass).min(2.0);
        let normal = tool.rotation * surface.normal;
        let out = normal * (-0.5 * edge);
        let arm = p.position + out - tool.position;
        let relative = p.velocity - tool.linear - tool.angular.cross(&arm);
        let away = relative.dot(&normal);
        let push = (kappa * depth / dt - away).max(0.0);
        let along = relative - normal * away;
        p.slip += along * dt;
        p.slip -= normal * p.slip.dot(&normal);
        let mut hold = -along - p.slip * (kappa / dt);
        if hold.norm() > tool.friction * push {
            hold *= tool.friction * push / hold.norm();
            p.slip = -hold * (dt / kappa);
        }
        let change = normal * push + hold;
        p.velocity += change;
        let out = match self.formulation {
            Formulation::UpdatedLagrangian => out,
            Formulation::TotalLagrangian => {
                (p.deformation_grad.transpose() * normal).normalize() * (-0.5 * edge)
            }
        };
        p.kick = change * out.transpose() * (4.0 / self.cell_width.powi(2));
        impulse[0] -= change * mass;
        impulse[1] -= arm.cross(&change) * mass;
    }

    /// Velocity of a node after tools and walls.
    fn bound(&mut self, at: [usize; 3], mut velocity: Vector3<f64>, mass: f64) -> Vector3<f64> {
        let place = Vector3::new(at[0] as f64, at[1] as f64, at[2] as f64) * self.cell_width;
        let near = self.contact_distance * self.cell_width;
        let surface = |tool: &Tool| {
            tool.shape
                .surface(&(tool.rotation.inverse() * (place - tool.position)))
        };
        let nearest = (0..self.tools.len())
            .filter(|i| self.tools[*i].friction == f64::INFINITY)
            .map(|i| (surface(&self.tools[i]), i))
            .filter(|(surface, _)| surface.distance < near)
            .min_by(|a, b| a.0.distance.total_cmp(&b.0.distance));
        if let Some((_, index)) = nearest {
            let (tool, impulse) = (&self.tools[index], &mut self.impulses[index]);
            let arm = place - tool.position;
            let after = tool.linear + tool.angular.cross(&arm);
            impulse[0] += (velocity - after) * mass;
            impulse[1] += arm.cross(&((velocity - after) * mass));
            velocity = after;
        }
        for axis in 0..3 {
            let (wall, outward) = if at[axis] < WALL_NODES {
                (self.walls[axis][0], -1.0)
            } else if at[axis] >= self.cells[axis] - WALL_NODES {
                (self.walls[axis][1], 1.0)
            } else {
                continue;
            };
            match wall {
                Wall::Sticky => velocity = Vector3::zeros(),
                Wall::Slip => velocity[axis] = 0.0,
                Wall::Separate => {
                    if velocity[axis] * outward > 0.0 {
                        velocity[axis] = 0.0;
                    }
                }
            }
        }
        velocity
    }
}
