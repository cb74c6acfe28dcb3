//! Displacements of simulated points on a regular grid, with linear interpolation between nodes.
//!
//! The grid covers the visible region in the probe's frame. Each node holds the rest position of the tissue there. It is computed from the
//! simulated points: for a solid by moving least squares, for a skin by the mean of nearby points, which fades with depth.

use nalgebra::{Isometry3, Matrix3};

use super::region::Region;
use super::samples::{Samples, Weights};
use super::{Deformation, Point, Vector};
use crate::UltrasoundError;
use crate::parallel::Workers;

/// Ratio of the node distance to the distance of neighbouring points, and limits of the node distance [m].
const WIDTH: f32 = 0.5;
const WIDTHS: [f32; 2] = [0.008, 0.016];
/// Product of nodes and points above which other threads are used.
const MUCH: usize = 10_000_000;

/// A deformation given by points.
#[derive(Clone, Debug)]
pub struct DisplacementField {
    grid_from_world: Isometry3<f32>,
    low: Point,
    /// Distance between nodes [m].
    width: f32,
    count: [usize; 3],
    /// Rest point minus world point at each node [m].
    shifts: Vec<Vector>,
    /// Largest compression below each layer of nodes, including the layer.
    compression: Vec<f32>,
}

impl DisplacementField {
    /// A field from points in the body, given at rest and in the world [m].
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: there are fewer than four points, numbers differ, or coordinates are not finite.
    pub fn of_solid(
        region: &Region,
        rest: &[Point],
        world: &[Point],
    ) -> Result<Self, UltrasoundError> {
        let samples = Samples::near(region, rest, world)?;
        Ok(Self::new(region, &samples, Samples::moving_least_squares))
    }

    /// A field from points on the skin, given at rest and in the world [m].
    ///
    /// # Errors
    /// As [`of_solid`](Self::of_solid).
    pub fn of_skin(
        region: &Region,
        rest: &[Point],
        world: &[Point],
    ) -> Result<Self, UltrasoundError> {
        let samples = Samples::near(region, rest, world)?;
        Ok(Self::new(region, &samples, Samples::fading))
    }

    /// Computes the shift of each visible node; nodes outside of the visible region get the shift of the outermost visible node in their row.
    fn new(
        region: &Region,
        samples: &Samples,
        shift: impl Fn(&Samples, &Point, &mut Weights) -> Vector + Send + Sync,
    ) -> Self {
        let size = region.high - region.low;
        let width = (WIDTH * samples.spacing()).clamp(WIDTHS[0], WIDTHS[1]);
        // Places a layer of nodes in the image plane.
        let aside = (0.5 * size.y / width).round().max(1.0);
        let low = Point::new(region.low.x, -aside * width, region.low.z);
        let count_of = |size: f32| (size / width).ceil() as usize + 1;
        let count = [count_of(size.x), 2 * aside as usize + 1, count_of(size.z)];
        let mut shifts = vec![Vector::zeros(); count[0] * count[1] * count[2]];
        let workers = if shifts.len() * samples.len() > MUCH {
            Workers::All
        } else {
            Workers::Own
        };
        workers.for_each_part(
            &mut shifts,
            count[0],
            1,
            Weights::default,
            |weights, row, shifts| {
                let first = low
                    + width * Vector::new(0.0, (row % count[1]) as f32, (row / count[1]) as f32);
                let half = region.half_width(first.z);
                let inside = |x: f32| ((x - first.x) / width).clamp(0.0, count[0] as f32 - 1.0);
                let [start, end] = [inside(-half).floor() as usize, inside(half).ceil() as usize];
                for (column, own) in shifts.iter_mut().enumerate().take(end + 1).skip(start) {
                    let node = first + Vector::x() * (width * column as f32);
                    *own = shift(samples, &(region.world_from_grid * node), weights);
                }
                let (outermost, behind) = (shifts[start], shifts[end]);
                shifts[..start].fill(outermost);
                shifts[end + 1..].fill(behind);
            },
        );
        let mut field = Self {
            grid_from_world: region.world_from_grid.inverse(),
            low,
            width,
            count,
            shifts,
            compression: vec![1.0; count[2]],
        };
        let turn = region.world_from_grid.rotation;
        let mut most = 1.0f32;
        for layer in (0..count[2] - 1).rev() {
            for j in 0..count[1] - 1 {
                for i in 0..count[0] - 1 {
                    most =
                        most.max(field.stretch([i, j, layer], &turn.to_rotation_matrix().into()));
                }
            }
            field.compression[layer] = most;
        }
        field
    }

    /// Upper bound of the ratio of lengths at rest to lengths in the world, at the low corner of a cell.
    fn stretch(&self, [i, j, k]: [usize; 3], turn: &Matrix3<f32>) -> f32 {
        let index = (k * self.count[1] + j) * self.count[0] + i;
        let steps = [1, self.count[0], self.count[0] * self.count[1]];
        let slope = steps.map(|step| (self.shifts[index + step] - self.shifts[index]) / self.width);
        // Columns are derivatives along the grid's axes; Gershgorin's theorem bounds the square of the largest singular value.
        let derivative = turn + Matrix3::from_columns(&slope);
        let square = derivative.tr_mul(&derivative).abs();
        square.row_sum().max().sqrt()
    }

    /// Position in the grid [nodes], clamped to the grid.
    fn place(&self, world: &Point) -> Vector {
        let place = (self.grid_from_world * world - self.low) / self.width;
        let last = Vector::from(self.count.map(|count| count as f32 - 1.001));
        place.sup(&Vector::zeros()).inf(&last)
    }

    /// Rest point minus world point; outside of the grid, the value at its edge.
    fn shift(&self, world: &Point) -> Vector {
        let place = self.place(world);
        let [i, j, k] = [place.x as usize, place.y as usize, place.z as usize];
        let [u, v, w] = [place.x.fract(), place.y.fract(), place.z.fract()];
        let row = self.count[0];
        let at = (k * self.count[1] + j) * row + i;
        let edge = |at: usize| self.shifts[at].lerp(&self.shifts[at + 1], u);
        let face = |at: usize| edge(at).lerp(&edge(at + row), v);
        face(at).lerp(&face(at + row * self.count[1]), w)
    }
}

impl Deformation for DisplacementField {
    fn rest_from_world(&self, world: &Point) -> Option<Point> {
        Some(world + self.shift(world))
    }

    fn world_from_rest(&self, rest: &Point) -> Option<Point> {
        let probe = 0.2 * self.width;
        let mut world = rest - self.shift(rest);
        for _ in 0..16 {
            let here = world + self.shift(&world);
            let miss = here - rest;
            if miss.norm_squared() < 1e-12 {
                return Some(world);
            }
            let derivative = [Vector::x(), Vector::y(), Vector::z()].map(|axis| {
                let ahead = world + probe * axis;
                (ahead + self.shift(&ahead) - here) / probe
            });
            let step = Matrix3::from_columns(&derivative).try_inverse()? * miss;
            world -= step.cap_magnitude(2.0 * self.width);
        }
        None
    }

    fn max_compression(&self, world: &Point) -> f32 {
        self.compression[self.place(world).z as usize]
    }
}
