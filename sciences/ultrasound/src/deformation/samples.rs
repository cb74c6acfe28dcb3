//! Simulated points and their rest positions, in groups of sixteen for vector code, and the interpolation between them.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use nalgebra::Matrix3;

use super::region::Region;
use super::{Point, Vector};
use crate::UltrasoundError;
use crate::simd::{power_of_two, wide};

/// Depth over which the displacement of a skin fades to 1/e [m].
const DECAY: f32 = 0.035;
/// Standard deviation of weights, relative to the distance of neighbouring points.
const SIGMA: f32 = 0.6;
/// Distance beyond which points have no weight [standard deviations].
const REACH: f32 = 3.0;
/// Points of a group.
const LANES: usize = 16;
/// Position of lanes without a point [m].
const NOWHERE: f32 = 1e6;

type Lanes = [f32; LANES];

/// A world point, and the rest point minus the world point.
type Sample = (Point, Vector);

/// Weights of all points, group by group.
pub(super) type Weights = Vec<Lanes>;

/// A group of points: positions in the world, and rest point minus world point [m].
#[derive(Clone, Copy, Debug)]
struct Group {
    world: [Lanes; 3],
    shift: [Lanes; 3],
}

/// Points in or near a region.
#[derive(Clone, Debug)]
pub(super) struct Samples {
    groups: Vec<Group>,
    /// Standard deviation of weights [m].
    sigma: f32,
}

impl Samples {
    /// Samples near a region, from points at rest and in the world [m].
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: there are fewer than four points, numbers differ, or coordinates are not finite.
    pub(super) fn near(
        region: &Region,
        rest: &[Point],
        world: &[Point],
    ) -> Result<Self, UltrasoundError> {
        let samples = samples(rest, world)?;
        let sigma = SIGMA * spacing(rest);
        let near = near(samples, region, REACH * sigma);
        let groups = near.chunks(LANES).map(Group::of).collect();
        Ok(Self { groups, sigma })
    }

    /// Number of samples, rounded up to full groups.
    pub(super) fn len(&self) -> usize {
        LANES * self.groups.len()
    }

    /// Typical distance of neighbouring points [m].
    pub(super) fn spacing(&self) -> f32 {
        self.sigma / SIGMA
    }

    /// The mean of the samples nearest to a node; it fades with the depth below them, as the body is at rest far below.
    pub(super) fn fading(&self, node: &Point, weights: &mut Weights) -> Vector {
        let (place, shift) = wide(
            #[inline(always)]
            || {
                self.weigh(node, weights);
                self.means(node, weights)
            },
        );
        // Next to the nearest samples, the direction from the node to their mean is across the skin.
        shift * (-place.norm() / DECAY).exp()
    }

    /// The linear field that fits the samples around a node best (Lancaster and Salkauskas 1981), extrapolated by at most one spacing.
    pub(super) fn moving_least_squares(&self, node: &Point, weights: &mut Weights) -> Vector {
        let (place, shift, moments) = wide(
            #[inline(always)]
            || {
                self.weigh(node, weights);
                let (place, shift) = self.means(node, weights);
                (place, shift, self.moments(node, [place, shift], weights))
            },
        );
        let [spread, slope] = moments;
        // If the samples lie in a plane, the slope across it is undetermined.
        let spread = spread + Matrix3::identity() * (1e-2 * self.sigma * self.sigma);
        let way = -place.cap_magnitude(self.spacing());
        let turned = |inverse: Matrix3<f32>| slope * inverse * way;
        shift + spread.try_inverse().map_or_else(Vector::zeros, turned)
    }

    /// The weight of each sample at a node, relative to the nearest sample: far from all samples, the nearest ones dominate.
    #[inline(always)]
    fn weigh(&self, node: &Point, weights: &mut Weights) {
        weights.resize(self.groups.len(), [0.0; LANES]);
        let mut nearest = [f32::INFINITY; LANES];
        for (group, square) in self.groups.iter().zip(weights.iter_mut()) {
            let [x, y, z] = &group.world;
            for i in 0..LANES {
                let [dx, dy, dz] = [x[i] - node.x, y[i] - node.y, z[i] - node.z];
                let own = dx * dx + dy * dy + dz * dz;
                square[i] = own;
                nearest[i] = if own < nearest[i] { own } else { nearest[i] };
            }
        }
        let least = nearest.iter().copied().fold(f32::INFINITY, f32::min);
        let most = (REACH * self.sigma) * (REACH * self.sigma);
        let scale = -0.5 * std::f32::consts::LOG2_E / (self.sigma * self.sigma);
        for weight in weights.iter_mut() {
            for weight in weight.iter_mut() {
                let excess = *weight - least;
                let near = if excess < most { excess } else { most };
                let own = power_of_two(scale * near);
                *weight = if excess < most { own } else { 0.0 };
            }
        }
    }

    /// Weighted means over the samples: positions relative to a node, and shifts.
    #[inline(always)]
    fn means(&self, node: &Point, weights: &[Lanes]) -> (Vector, Vector) {
        let mut sums = [[0.0; LANES]; 7];
        for (group, weight) in self.groups.iter().zip(weights) {
            for axis in 0..3 {
                let (world, shift) = (&group.world[axis], &group.shift[axis]);
                for i in 0..LANES {
                    sums[axis][i] += weight[i] * (world[i] - node[axis]);
                    sums[3 + axis][i] += weight[i] * shift[i];
                }
            }
            for i in 0..LANES {
                sums[6][i] += weight[i];
            }
        }
        let total: f32 = sums[6].iter().sum();
        let mean = |row: usize| sums[row].iter().sum::<f32>() / total;
        let vector = |first: usize| Vector::new(mean(first), mean(first + 1), mean(first + 2));
        (vector(0), vector(3))
    }

    /// Weighted means of products, about the means: positions with positions, and shifts with positions.
    #[inline(always)]
    fn moments(
        &self,
        node: &Point,
        [place, shift]: [Vector; 2],
        weights: &[Lanes],
    ) -> [Matrix3<f32>; 2] {
        let middle = node + place;
        let (mut sums, mut total) = ([[[0.0; LANES]; 3]; 6], [0.0; LANES]);
        for (group, weight) in self.groups.iter().zip(weights) {
            for i in 0..LANES {
                total[i] += weight[i];
            }
            for column in 0..3 {
                let along = &group.world[column];
                for row in 0..3 {
                    let (other, moved) = (&group.world[row], &group.shift[row]);
                    for i in 0..LANES {
                        let way = weight[i] * (along[i] - middle[column]);
                        sums[row][column][i] += way * (other[i] - middle[row]);
                        sums[3 + row][column][i] += way * (moved[i] - shift[row]);
                    }
                }
            }
        }
        let total: f32 = total.iter().sum();
        let matrix = |first: usize| {
            let at = |row: usize, column: usize| sums[first + row][column].iter().sum::<f32>();
            Matrix3::from_fn(at) / total
        };
        [matrix(0), matrix(3)]
    }
}

impl Group {
    fn of(samples: &[Sample]) -> Self {
        let mut group = Self {
            world: [[NOWHERE; LANES]; 3],
            shift: [[0.0; LANES]; 3],
        };
        for (lane, (world, shift)) in samples.iter().enumerate() {
            for axis in 0..3 {
                group.world[axis][lane] = world[axis];
                group.shift[axis][lane] = shift[axis];
            }
        }
        group
    }
}

fn samples(rest: &[Point], world: &[Point]) -> Result<Vec<Sample>, UltrasoundError> {
    let wrong =
        |field, value: String, allowed: &str| Err(UltrasoundError::setting(field, value, allowed));
    if rest.len() != world.len() || rest.len() < 4 {
        let value = format!("{} at rest, {} in the world", rest.len(), world.len());
        return wrong("points", value, "equally many, at least 4");
    }
    let finite = |point: &Point| point.iter().all(|x| x.abs() < NOWHERE);
    if let Some(index) = (0..rest.len()).find(|&i| !finite(&rest[i]) || !finite(&world[i])) {
        let allowed = "finite and within 1e6 m of the origin";
        return wrong("point", index.to_string(), allowed);
    }
    let pairs = rest.iter().zip(world);
    Ok(pairs.map(|(rest, world)| (*world, rest - world)).collect())
}

/// Typical distance of a point to its nearest neighbour [m].
fn spacing(points: &[Point]) -> f32 {
    const N_ASKED: usize = 65;
    let step = points.len().div_ceil(N_ASKED);
    let nearest = |asked: usize| {
        let (before, behind) = points.split_at(asked);
        let others = before.iter().chain(&behind[1..]);
        let squares = others.map(|other| (other - points[asked]).norm_squared());
        squares.fold(f32::INFINITY, f32::min)
    };
    let mut squares: Vec<f32> = (0..points.len()).step_by(step).map(nearest).collect();
    squares.sort_by(f32::total_cmp);
    squares[squares.len() / 2].sqrt().max(1e-4)
}

/// The samples in or near the region, or all samples if there are none in it.
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
