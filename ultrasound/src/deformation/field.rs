//! Displacements of simulated points on a regular grid, between whose nodes they are linear.
//!
//! A grid in the probe's frame around what is seen takes, at each node, where the tissue there was at rest, from points that were simulated:
//! of a solid by moving least squares, of a skin by the mean of its points nearby, which fades with depth.

use nalgebra::{Isometry3, Matrix3};
use rayon::prelude::*;

use super::region::Region;
use super::{Deformation, Point, Vector};
use crate::UltrasoundError;

/// Distance between nodes over that of neighbouring points, and its limits [m].
const WIDTH: f32 = 0.5;
const WIDTHS: [f32; 2] = [0.008, 0.016];
/// Depth over which the displacement of a skin fades to 1/e [m].
const DECAY: f32 = 0.035;
/// Standard deviation of weights, in distances of neighbouring points.
const SIGMA: f32 = 0.6;
/// Points farther away than this count nothing, in standard deviations.
const REACH: f32 = 3.0;

/// A deformation given by points.
#[derive(Clone, Debug)]
pub struct DisplacementField {
    grid_from_world: Isometry3<f32>,
    low: Point,
    /// Distance between nodes [m].
    width: f32,
    count: [usize; 3],
    /// Rest point less world point at each node [m].
    shifts: Vec<Vector>,
    /// The most compression from each layer of nodes on down.
    compression: Vec<f32>,
}

/// A point in the world, and its rest point less it.
type Sample = (Point, Vector);

impl DisplacementField {
    /// Of points in the body, as many at rest as in the world [m].
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: fewer than four points, unequal numbers, coordinates that are not finite.
    pub fn of_solid(
        region: &Region,
        rest: &[Point],
        world: &[Point],
    ) -> Result<Self, UltrasoundError> {
        let (near, sigma) = weighed(region, rest, world)?;
        Ok(Self::new(region, sigma, |node| {
            moving_least_squares(&near, node, sigma)
        }))
    }

    /// Of points on the skin, as many at rest as in the world [m].
    ///
    /// # Errors
    /// As [`of_solid`](Self::of_solid).
    pub fn of_skin(
        region: &Region,
        rest: &[Point],
        world: &[Point],
    ) -> Result<Self, UltrasoundError> {
        let (near, sigma) = weighed(region, rest, world)?;
        Ok(Self::new(region, sigma, |node| fading(&near, node, sigma)))
    }

    fn new(region: &Region, sigma: f32, shift: impl Fn(&Point) -> Vector + Sync) -> Self {
        let size = region.high - region.low;
        let width = (WIDTH * sigma / SIGMA).clamp(WIDTHS[0], WIDTHS[1]);
        let count = [0, 1, 2].map(|axis| (size[axis] / width).ceil() as usize + 1);
        let node = |index: usize| {
            let place = [
                index % count[0],
                index / count[0] % count[1],
                index / (count[0] * count[1]),
            ];
            region.low + width * Vector::from(place.map(|n| n as f32))
        };
        let mut field = Self {
            grid_from_world: region.world_from_grid.inverse(),
            low: region.low,
            width,
            count,
            shifts: (0..count.iter().product())
                .into_par_iter()
                .map(|index| shift(&(region.world_from_grid * node(index))))
                .collect(),
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

    /// A bound of how much distances at rest exceed those in the world, at the low corner of a cell.
    fn stretch(&self, [i, j, k]: [usize; 3], turn: &Matrix3<f32>) -> f32 {
        let index = (k * self.count[1] + j) * self.count[0] + i;
        let steps = [1, self.count[0], self.count[0] * self.count[1]];
        let slope = steps.map(|step| (self.shifts[index + step] - self.shifts[index]) / self.width);
        // Columns are derivatives along the grid's axes; the square of the greatest singular value is bounded as Gershgorin does.
        let derivative = turn + Matrix3::from_columns(&slope);
        let square = derivative.tr_mul(&derivative).abs();
        square.row_sum().max().sqrt()
    }

    /// Place among the nodes, held inside.
    fn place(&self, world: &Point) -> Vector {
        let place = (self.grid_from_world * world - self.low) / self.width;
        let last = Vector::from(self.count.map(|count| count as f32 - 1.001));
        place.sup(&Vector::zeros()).inf(&last)
    }

    /// Rest point less world point; beyond the grid, that of its edge.
    fn shift(&self, world: &Point) -> Vector {
        let place = self.place(world);
        let [i, j, k] = [0, 1, 2].map(|axis| place[axis] as usize);
        let [u, v, w] = [0, 1, 2].map(|axis| place[axis].fract());
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

/// The samples near a region, and the standard deviation of their weights [m].
fn weighed(
    region: &Region,
    rest: &[Point],
    world: &[Point],
) -> Result<(Vec<Sample>, f32), UltrasoundError> {
    let samples = samples(rest, world)?;
    let sigma = SIGMA * spacing(&samples);
    Ok((near(samples, region, REACH * sigma), sigma))
}

fn samples(rest: &[Point], world: &[Point]) -> Result<Vec<Sample>, UltrasoundError> {
    let wrong =
        |field, value: String, allowed: &str| Err(UltrasoundError::setting(field, value, allowed));
    if rest.len() != world.len() || rest.len() < 4 {
        let value = format!("{} at rest, {} in the world", rest.len(), world.len());
        return wrong("points", value, "equally many, at least 4");
    }
    let finite = |point: &Point| point.iter().all(|x| x.abs() < 1e6);
    if let Some(index) = (0..rest.len()).find(|&i| !finite(&rest[i]) || !finite(&world[i])) {
        let allowed = "finite and within 1e6 m of the origin";
        return wrong("point", index.to_string(), allowed);
    }
    let pairs = rest.iter().zip(world);
    Ok(pairs.map(|(rest, world)| (*world, rest - world)).collect())
}

/// Usual distance of a point to its nearest neighbour at rest [m].
fn spacing(samples: &[Sample]) -> f32 {
    const N_ASKED: usize = 65;
    let rest: Vec<Point> = samples.iter().map(|(world, shift)| world + shift).collect();
    let step = rest.len().div_ceil(N_ASKED);
    let nearest = |asked: usize| {
        let others = (0..rest.len()).filter(|other| *other != asked);
        let squares = others.map(|other| (rest[other] - rest[asked]).norm_squared());
        squares.fold(f32::INFINITY, f32::min)
    };
    let mut squares: Vec<f32> = (0..rest.len()).step_by(step).map(nearest).collect();
    squares.sort_by(f32::total_cmp);
    squares[squares.len() / 2].sqrt().max(1e-4)
}

/// The samples in or about the region, or all where there are none.
fn near(samples: Vec<Sample>, region: &Region, margin: f32) -> Vec<Sample> {
    let grid_from_world = region.world_from_grid.inverse();
    let is_near = |(world, _): &&Sample| {
        let point = grid_from_world * world;
        (0..3).all(|axis| {
            let range = region.low[axis] - margin..=region.high[axis] + margin;
            range.contains(&point[axis])
        })
    };
    let near: Vec<Sample> = samples.iter().filter(is_near).copied().collect();
    if near.is_empty() { samples } else { near }
}

/// The least weighted squared distance over all samples [m²], by which weights count: far from all, the nearest count.
fn least_square(samples: &[Sample], node: &Point) -> f32 {
    let squares = samples
        .iter()
        .map(|(world, _)| (world - node).norm_squared());
    squares.fold(f32::INFINITY, f32::min)
}

/// Each sample near a node with its weight, that of the nearest being 1.
fn weighted<'a>(
    samples: &'a [Sample],
    node: &'a Point,
    least: f32,
    sigma: f32,
) -> impl Iterator<Item = (f32, &'a Sample)> {
    let most = (REACH * sigma).powi(2);
    samples.iter().filter_map(move |sample| {
        let excess = (sample.0 - node).norm_squared() - least;
        (excess < most).then(|| ((-0.5 * excess / (sigma * sigma)).exp(), sample))
    })
}

/// The linear field that fits the samples about a node best (Lancaster and Salkauskas 1981); beyond them no farther than a spacing.
fn moving_least_squares(samples: &[Sample], node: &Point, sigma: f32) -> Vector {
    let least = least_square(samples, node);
    let (mut sum, mut place, mut shift) = (0.0, Vector::zeros(), Vector::zeros());
    for (weight, (world, own)) in weighted(samples, node, least, sigma) {
        sum += weight;
        place += weight * (world - node);
        shift += weight * own;
    }
    (place, shift) = (place / sum, shift / sum);
    let (mut spread, mut slope) = (Matrix3::zeros(), Matrix3::zeros());
    for (weight, (world, own)) in weighted(samples, node, least, sigma) {
        let way = world - node - place;
        spread += weight * way * way.transpose();
        slope += weight * (own - shift) * way.transpose();
    }
    // Where samples lie in a plane, nothing is known of the slope across it.
    spread += Matrix3::identity() * (1e-2 * sum * sigma * sigma);
    let way = -place.cap_magnitude(sigma / SIGMA);
    shift
        + spread
            .try_inverse()
            .map_or_else(Vector::zeros, |inverse| slope * inverse * way)
}

/// The mean of the nearest samples, less with the depth below them; far below, the body rests.
fn fading(samples: &[Sample], node: &Point, sigma: f32) -> Vector {
    let least = least_square(samples, node);
    let (mut sum, mut place, mut shift) = (0.0, Vector::zeros(), Vector::zeros());
    for (weight, (world, own)) in weighted(samples, node, least, sigma) {
        sum += weight;
        place += weight * (world - node);
        shift += weight * own;
    }
    // Beside the nearest samples their mean lies across the skin from the node.
    let depth = place.norm() / sum;
    shift / sum * (-depth / DECAY).exp()
}
