//! Networks of branching tubes with smooth junctions.
//!
//! Each branch is a capsule, a straight tube of radius r with round ends, whose signed distance, positive inside, is
//! f_i(p) = r_i - |p - segment_i|. The free space is where the smooth maximum of all is positive: for two
//! smax(a, b) = h b + (1 - h) a + k h (1 - h), h = clamp(1/2 + (b - a)/(2k), 0, 1), which rounds the ridges between tubes over the
//! length k, as the carina of airways is round, and is exact where only one tube is near.
//! It is the polynomial blend of implicit surfaces (Ricci 1973, doi:10.1093/comjnl/16.2.157, for the idea); its gradient is
//! h ∇b + (1 - h) ∇a.

use insonate_meshes::TriangleMesh;
use nalgebra::Vector3;

use super::{CentreLine, Lumen, WallPoint};
use crate::ContinuumError;

/// Branches further away than this do not affect a point [m].
const REACH: f64 = 0.03;

/// Maximum number of steps along the gradient to the wall.
const N_STEPS: usize = 8;

/// Distance from the wall at which the search ends [m].
const FOUND: f64 = 1e-9;

/// Rings of cartilage, for rendering: spacing [m], tilt of the wall normals, and least radius of tubes with rings [m].
const RING_DISTANCE: f64 = 5.5e-3;
const RING_TILT: f64 = 0.2;
const LEAST_RINGED: f64 = 4.5e-3;

/// One straight tube with round ends.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// Name.
    pub name: String,
    /// Start of the axis [m].
    pub start: Vector3<f64>,
    /// End of the axis [m].
    pub end: Vector3<f64>,
    /// Radius [m].
    pub radius: f64,
    /// Index of the branch at whose end this one starts. Parents come before their children. `None`
    /// for the root.
    pub parent: Option<usize>,
}

impl Branch {
    /// Unit vector from start to end.
    pub fn direction(&self) -> Vector3<f64> {
        (self.end - self.start).normalize()
    }

    /// Signed distance of a point, positive inside, and its gradient.
    fn field(&self, point: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let axis = self.end - self.start;
        let along = (point - self.start).dot(&axis) / axis.norm_squared();
        let apart = point - (self.start + axis * along.clamp(0.0, 1.0));
        let distance = apart.norm();
        let gradient = if distance > 1e-12 {
            apart / -distance
        } else {
            super::perpendicular(&axis)
        };
        (self.radius - distance, gradient)
    }

    fn is_near(&self, point: &Vector3<f64>) -> bool {
        let middle = (self.start + self.end) / 2.0;
        let most = (self.end - self.start).norm() / 2.0 + self.radius + REACH;
        (point - middle).norm_squared() < most * most
    }
}

/// A tree of tubes. The first branch is the root.
#[derive(Debug, Clone, PartialEq)]
pub struct TubeNetwork {
    branches: Vec<Branch>,
    blend: f64,
}

impl TubeNetwork {
    /// A network of branches. Junctions are rounded over a length `blend` [m].
    ///
    /// # Errors
    /// [`ContinuumError::Setting`] for no branches, numbers out of range, or a parent that does not come before its child.
    pub fn new(branches: Vec<Branch>, blend: f64) -> Result<Self, ContinuumError> {
        if branches.is_empty() || branches.len() > 10_000 {
            let n = branches.len();
            return Err(ContinuumError::setting(
                "branches.len()",
                n,
                "between 1 and 10000",
            ));
        }
        if !(1e-5..=0.1).contains(&blend) {
            return Err(ContinuumError::setting(
                "blend",
                blend,
                "between 1e-5 and 0.1 m",
            ));
        }
        for (index, branch) in branches.iter().enumerate() {
            let field = |name: &str| format!("branches[{index}].{name}");
            super::check_radius(&field("radius"), branch.radius)?;
            let length = (branch.end - branch.start).norm();
            let is_in_range = (1e-6..=10.0).contains(&length) && branch.start.norm() < 100.0;
            if !is_in_range {
                return Err(ContinuumError::setting(
                    field("length"),
                    length,
                    "between 1e-6 and 10 m",
                ));
            }
            if branch.parent.map_or(index > 0, |parent| parent >= index) {
                return Err(ContinuumError::setting(
                    field("parent"),
                    branch.parent,
                    "a branch before it",
                ));
            }
        }
        Ok(Self { branches, blend })
    }

    /// Branches of the network.
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// Branches without children.
    pub fn ends(&self) -> Vec<usize> {
        let n = self.branches.len();
        let has_child = |of| self.branches.iter().any(|branch| branch.parent == Some(of));
        (0..n).filter(|&index| !has_child(index)).collect()
    }

    /// Generation of a branch: the number of its ancestors, 0 for the root.
    pub fn generation(&self, branch: usize) -> usize {
        self.line_of(branch).len() - 1
    }

    /// The axis from the start of the root to the end of a branch.
    ///
    /// # Panics
    /// If there is no such branch.
    pub fn centre_line(&self, branch: usize) -> CentreLine {
        let line = self.line_of(branch);
        let mut points = vec![self.branches[line[0]].start];
        points.extend(line.iter().map(|&index| self.branches[index].end));
        CentreLine::new(points)
    }

    /// The branches from the root to a branch.
    fn line_of(&self, branch: usize) -> Vec<usize> {
        let mut line = vec![branch];
        while let Some(parent) = self.branches[line[line.len() - 1]].parent {
            line.push(parent);
        }
        line.reverse();
        line
    }

    /// Signed distance of a point from the wall [m], positive in free space, and its gradient. Near ridges its
    /// magnitude is slightly too small.
    pub fn field(&self, point: &Vector3<f64>) -> (f64, Vector3<f64>) {
        let near = self.branches.iter().filter(|branch| branch.is_near(point));
        self.blended(near, point)
            .or_else(|| self.blended(self.branches.iter(), point))
            .unwrap_or((f64::NEG_INFINITY, Vector3::zeros()))
    }

    fn blended<'a>(
        &self,
        branches: impl Iterator<Item = &'a Branch>,
        point: &Vector3<f64>,
    ) -> Option<(f64, Vector3<f64>)> {
        branches
            .map(|branch| branch.field(point))
            .reduce(|(a, of_a), (b, of_b)| {
                let h = (0.5 + 0.5 * (b - a) / self.blend).clamp(0.0, 1.0);
                let value = h * b + (1.0 - h) * a + self.blend * h * (1.0 - h);
                (value, of_b * h + of_a * (1.0 - h))
            })
    }

    /// The wall as a closed mesh without self-intersections, on a grid with a cell width [m].
    ///
    /// # Errors
    /// [`ContinuumError::Setting`] for a width above half the narrowest radius, or one that leads to more than two million triangles.
    pub fn mesh(&self, cell_width: f64) -> Result<TriangleMesh, ContinuumError> {
        let radii = self.branches.iter().map(|branch| branch.radius);
        let most = 0.5 * radii.fold(f64::INFINITY, f64::min);
        if !(1e-5..=most).contains(&cell_width) {
            let allowed = format!("between 1e-5 and {most} m, half the narrowest radius");
            return Err(ContinuumError::setting("cell_width", cell_width, allowed));
        }
        let middle = |branch: &Branch| (branch.start + branch.end) / 2.0;
        let seeds: Vec<_> = self.branches.iter().map(middle).collect();
        super::polygonise::surface(|point| self.field(point).0, &seeds, cell_width)
    }

    /// Unit normals out of the free space at the vertices of the network's mesh, shape `[n_vertices, 3]`, for
    /// rendering. They are the normals of the field; in wide tubes they are tilted as by the rings of cartilage behind
    /// an airway's wall.
    pub fn wall_normals(&self, mesh: &TriangleMesh) -> Vec<[f64; 3]> {
        let normal = |position: &[f64; 3]| {
            let point = Vector3::from(*position);
            let outward = -self.field(&point).1.normalize();
            let nearest = self
                .branches
                .iter()
                .map(|branch| (branch, branch.field(&point).0));
            let nearest = nearest.max_by(|a, b| a.1.total_cmp(&b.1));
            let Some((branch, _)) = nearest.filter(|(branch, _)| branch.radius > LEAST_RINGED)
            else {
                return outward.into();
            };
            let axis = branch.direction();
            let along = (point - branch.start).dot(&axis);
            let tilt = RING_TILT * (std::f64::consts::TAU * along / RING_DISTANCE).sin();
            (outward + axis * tilt).normalize().into()
        };
        mesh.positions.iter().map(normal).collect()
    }

    /// The nearest wall point: first along the gradient, then along the wall while the distance decreases.
    fn nearest_wall(&self, point: &Vector3<f64>) -> Option<(Vector3<f64>, Vector3<f64>)> {
        let mut best = self.wall_from(*point)?;
        for _ in 0..N_STEPS {
            let apart = point - best.0;
            let along = apart - best.1 * apart.dot(&best.1);
            if along.norm_squared() < 1e-4 * apart.norm_squared() {
                break;
            }
            match self.wall_from(best.0 + along * 0.7) {
                Some(next) if (point - next.0).norm() < apart.norm() => best = next,
                _ => break,
            }
        }
        Some(best)
    }

    /// The wall point along the gradient: outwards from a point in free space, inwards from a point outside.
    fn wall_from(&self, start: Vector3<f64>) -> Option<(Vector3<f64>, Vector3<f64>)> {
        let mut position = start;
        for _ in 0..N_STEPS {
            let (value, gradient) = self.field(&position);
            let square = gradient.norm_squared();
            if square < 1e-6 {
                return None;
            }
            if value.abs() < FOUND {
                return Some((position, gradient / square.sqrt()));
            }
            position -= gradient * (value / square);
        }
        let (value, gradient) = self.field(&position);
        (value.abs() < 1e-5).then(|| (position, gradient.normalize()))
    }

    /// The first wall on a ray from free space within a distance `within`. The clearance bounds each step, so no wall
    /// is missed.
    fn wall_along(
        &self,
        point: &Vector3<f64>,
        outward: &Vector3<f64>,
        within: f64,
    ) -> Option<(Vector3<f64>, Vector3<f64>)> {
        let mut travel = 0.0;
        for _ in 0..4 * N_STEPS {
            let (clearance, _) = self.field(&(point + outward * travel));
            if clearance < 1e-5 {
                return self.wall_from(point + outward * travel);
            }
            travel += clearance;
            if travel > within {
                return None;
            }
        }
        None
    }
}

impl Lumen for TubeNetwork {
    /// The wall along the gradient, and the walls opposite and to both sides of it.
    fn walls_near(&self, point: &Vector3<f64>, within: f64, walls: &mut Vec<WallPoint>) {
        let (clearance, _) = self.field(point);
        let is_near = clearance < within;
        if !is_near {
            return;
        }
        let Some((position, normal)) = self.nearest_wall(point) else {
            return;
        };
        let first = walls.len();
        walls.push(WallPoint {
            position,
            normal,
            distance: (point - position).norm().copysign(clearance),
        });
        let side = super::perpendicular(&normal);
        let other = normal.cross(&side);
        for outward in [normal, side, -side, other, -other] {
            let Some((position, normal)) = self.wall_along(point, &outward, within) else {
                continue;
            };
            let distance = (point - position).dot(&normal);
            // A plane that is nearer than the wall touches a ridge. It would cut off free space behind the ridge.
            let bounds = distance >= clearance && distance < within;
            if bounds
                && walls[first..]
                    .iter()
                    .all(|wall| wall.normal.dot(&normal) < 0.7)
            {
                walls.push(WallPoint {
                    position,
                    normal,
                    distance,
                });
            }
        }
    }
}
