//! The block with a ball between two plates, by finite elements.
//!
//! Smooth rigid plates cover its top and bottom; its sides are free. Block and ball are symmetric about three planes through the ball's
//! centre, so an eighth is solved, and the other parts are its mirror images.

use insonate_tissue::equilibrium::{ElasticBody, HeldAxis};
use insonate_tissue::mesh::TetMesh;
use insonate_ultrasound::deformation::{Deformation, Point, Tetrahedra, Vector};
use nalgebra::Vector3;

use super::Inclusion;
use crate::ExperimentError;

/// Poisson's ratio. Nearer to ½, linear tetrahedra become too stiff.
const POISSON_RATIO: f64 = 0.45;
/// Cells over the ball's radius.
const CELLS: f64 = 8.0;
/// Radii up to which cells have this size, and factor by which they grow beyond.
const NEAR: f64 = 1.5;
const GROWTH: f64 = 1.25;
/// Least half width of the block [radii].
const WIDTH: f64 = 5.0;
/// Free margin next to what the probe sees [m].
const MARGIN: f64 = 0.005;
/// Points along an edge of a tetrahedron that say how much of it is in the ball.
const N_POINTS: i32 = 6;

/// A pressed block in the probe's frame: the upper plate is at depth 0 and carries the probe. Beyond the plates everything moves with them.
#[derive(Clone, Debug)]
pub struct PressedBlock {
    /// The eighth where all coordinates relative to the centre are positive.
    eighth: Tetrahedra,
    /// Depth of the ball's centre at rest [m].
    centre: f32,
    /// Distance of the plates from the centre, at rest and now [m].
    half: [f32; 2],
}

impl PressedBlock {
    /// Shortens a block with an inclusion by a strain. The block reaches from the face to `depth` and to `aside` [m] to both sides, or further.
    pub(super) fn new(
        inclusion: &Inclusion,
        aside: f64,
        depth: f64,
        strain: f64,
    ) -> Result<Self, ExperimentError> {
        let (radius, half) = (inclusion.radius, 0.5 * depth);
        let across = WIDTH * radius;
        let ends = [across.max(aside + MARGIN), across, half];
        let fine = radius / CELLS;
        let mesh = TetMesh::lattice(&ends.map(|end| graded(fine, NEAR * radius, end)));
        let mesh = mesh.map_err(insonate_tissue::TissueError::from)?;
        let factors: Vec<f64> = (0..mesh.tets.len())
            .map(|tet| 1.0 + (inclusion.stiffness_ratio - 1.0) * share_within(&mesh, tet, radius))
            .collect();
        let body = ElasticBody {
            mesh: &mesh,
            poisson_ratio: POISSON_RATIO,
            factors: &factors,
        };
        let moved = body.displacements(&held(&mesh, half, -strain * half))?;
        let point = |[x, y, z]: [f64; 3]| Point::new(x as f32, y as f32, z as f32);
        let rest: Vec<Point> = mesh.positions.iter().copied().map(point).collect();
        let now = mesh.positions.iter().zip(&moved);
        let now = now.map(|(p, d)| point(std::array::from_fn(|axis| p[axis] + d[axis])));
        let now: Vec<Point> = now.collect();
        Ok(Self {
            eighth: Tetrahedra::new(&rest, &now, &mesh.tets)?,
            centre: half as f32,
            half: [half as f32, (half * (1.0 - strain)) as f32],
        })
    }

    /// Maps a point by one of the eighth's maps between shapes whose plates and centres have these depths [m].
    fn mirrored(
        point: &Point,
        [plate, other_plate]: [f32; 2],
        [centre, other_centre]: [f32; 2],
        map: impl Fn(&Point) -> Option<Point>,
    ) -> Option<Point> {
        let from = point - Point::new(0.0, 0.0, centre);
        let size = from.abs();
        // On the plate itself the last tetrahedra end.
        let within = size.z.min(plate * (1.0 - 1e-6));
        let mapped = map(&Point::new(size.x, size.y, within))?;
        let beyond = size.z - within;
        let deep = if beyond > 1e-5 * plate {
            other_plate + beyond
        } else {
            mapped.z + beyond
        };
        let sign = |x: f32| if x < 0.0 { -1.0 } else { 1.0 };
        let to = Vector::new(
            sign(from.x) * mapped.x,
            sign(from.y) * mapped.y,
            sign(from.z) * deep,
        );
        Some(Point::new(0.0, 0.0, other_centre) + to)
    }
}

impl Deformation for PressedBlock {
    fn rest_from_world(&self, world: &Point) -> Option<Point> {
        let [rest, now] = self.half;
        let map = |point: &Point| self.eighth.rest_from_world(point);
        Self::mirrored(world, [now, rest], [now, self.centre], map)
    }

    fn world_from_rest(&self, point: &Point) -> Option<Point> {
        let [rest, now] = self.half;
        let map = |point: &Point| self.eighth.world_from_rest(point);
        Self::mirrored(point, [rest, now], [self.centre, now], map)
    }

    fn max_compression(&self, world: &Point) -> f32 {
        self.eighth.max_compression(world)
    }
}

/// Places from 0 to `end`, with steps of `fine` up to `near` and growing ones beyond [m].
fn graded(fine: f64, near: f64, end: f64) -> Vec<f64> {
    let (mut places, mut last, mut step) = (vec![0.0], 0.0, fine);
    while last < end {
        if last >= near {
            step *= GROWTH;
        }
        // The last step takes what would be left.
        last = if last + 1.5 * step > end {
            end
        } else {
            last + step
        };
        places.push(last);
    }
    places
}

/// Planes of symmetry keep their points, and the plate moves.
fn held(mesh: &TetMesh, plate: f64, displacement: f64) -> Vec<HeldAxis> {
    let points = (0..).zip(&mesh.positions);
    let axes =
        points.flat_map(|(vertex, place)| (0..3).map(move |axis| (vertex, axis, place[axis])));
    axes.filter_map(|(vertex, axis, at)| {
        let displacement = match (axis, at) {
            (_, 0.0) => 0.0,
            (2, at) if at >= plate => displacement,
            _ => return None,
        };
        Some(HeldAxis {
            vertex,
            axis,
            displacement,
        })
    })
    .collect()
}

/// Share of a tetrahedron within a radius of the origin [m].
fn share_within(mesh: &TetMesh, tet: usize, radius: f64) -> f64 {
    let corners = mesh.corners(tet);
    let far = |corner: &Vector3<f64>| corner.norm();
    let [least, most] = corners.iter().map(far).fold([f64::MAX, 0.0], |[a, b], x| {
        [f64::min(a, x), f64::max(b, x)]
    });
    if most <= radius {
        return 1.0;
    }
    // A cell is far smaller than the ball: outside of twice the radius there is nothing of it.
    if least > 2.0 * radius {
        return 0.0;
    }
    let (mut inside, mut all) = (0, 0);
    for i in 0..N_POINTS {
        for j in 0..N_POINTS - i {
            for k in 0..N_POINTS - i - j {
                let shares = [i, j, k, N_POINTS - 1 - i - j - k];
                let shares = shares.map(|n| (f64::from(n) + 0.25) / f64::from(N_POINTS));
                let parts = corners.iter().zip(shares);
                let point: Vector3<f64> = parts.map(|(corner, share)| corner * share).sum();
                inside += i32::from(point.norm() < radius);
                all += 1;
            }
        }
    }
    f64::from(inside) / f64::from(all)
}
