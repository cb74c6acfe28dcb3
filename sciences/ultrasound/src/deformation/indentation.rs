//! Indentation of tissue by the face of a probe: kinematics, without forces.
//!
//! In the probe's frame, a point at $(x, y)$ and depth $t$ below the face was $w(x, y)\, e^{-t/L}$ higher at rest, where $w$ is the depth
//! that the face reaches into the skin there and $L$ the `decay`: layers near the face become thin, deep layers move little.
//! On a rigid body this replaces a simulated torso. On a simulated torso, whose points are coarser than the face, it moves the skin
//! to the face, and gel fills gaps up to [`GEL`]. If the skin has steps of voxels, it also fills these within the contact.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use insonate_settings::check_range;
use nalgebra::{Isometry3, Vector3};

use super::steps::Steps;
use super::{Deformation, Point};
use crate::UltrasoundError;
use crate::pack::LANES;
use crate::phantom::Phantom;
use crate::simd::{power_of_two, whole, wide};
use crate::transducer::{ArrayKind, Transducer};

/// Distance over which the skin rises next to the face [m].
const EDGE: f32 = 0.012;
/// Slope of a curved face, along a line with the same slant.
const SLOPE: f32 = 0.5;
/// Largest height above the face at which skin is searched [m].
const MOST: f32 = 0.03;
/// Gaps that gel fills [m]; gaps up to twice as wide are filled in part.
const GEL: f32 = 0.0015;
/// Least height of steps in the skin that are bridged [m].
const LEAST_STEP: f32 = 0.0005;
/// Shortest step of the search for skin [m], before bisection of the last step.
const STEP: f32 = 0.0005;
const N_HALVINGS: usize = 5;
/// Nodes on the face along and across the array.
const COUNT: [usize; 2] = [33, 7];
/// The next power of two above the number of nodes.
const SIZE: usize = 256;

/// A face that indents tissue.
#[derive(Clone, Debug)]
pub struct Indentation<D> {
    inner: D,
    probe_from_world: Isometry3<f32>,
    world_from_probe: Isometry3<f32>,
    /// Radius of the face; infinite if it is flat [m].
    radius: f32,
    half_size: [f32; 2],
    decay: f32,
    /// Depth of the face in the skin at each node, shape `[COUNT[1], COUNT[0]]`, padded with zeros [m].
    reach: Box<[f32; SIZE]>,
}

impl Indentation<super::Rigid> {
    /// Depth over which the indentation fades to 1/e, for bodies without simulation [m].
    pub const DECAY: f64 = 0.035;
}

impl<D: Deformation> Indentation<D> {
    /// Indentation by the face of a transducer into the skin of a phantom that `inner` deforms; it fades to 1/e over the depth `decay` [m].
    ///
    /// # Errors
    /// [`UltrasoundError::Setting`]: the decay is outside of 0.005 to 0.1 m.
    pub fn new(
        inner: D,
        phantom: &dyn Phantom,
        transducer: &Transducer,
        world_from_probe: &Isometry3<f64>,
        decay: f64,
    ) -> Result<Self, UltrasoundError> {
        check_range("decay of the indentation", decay, [0.005, 0.1], "m")?;
        let radius = match transducer.kind {
            ArrayKind::Curvilinear { radius } => radius as f32,
            ArrayKind::Linear | ArrayKind::Phased { .. } => f32::INFINITY,
        };
        let mut own = Self {
            inner,
            probe_from_world: world_from_probe.inverse().cast(),
            world_from_probe: world_from_probe.cast(),
            radius,
            half_size: [
                0.5 * transducer.footprint() as f32,
                0.5 * transducer.elevation_aperture as f32 + 0.003,
            ],
            decay: decay as f32,
            reach: Box::new([0.0; SIZE]),
        };
        let found = own.nodes(phantom);
        own.reach[..found.len()].copy_from_slice(&found);
        // Prevents tissue from being turned inside out.
        let most = own.reach.iter().copied().fold(0.0, f32::max);
        own.decay = own.decay.max(1.25 * most);
        Ok(own)
    }

    /// Depth of the face in the skin at each node.
    fn nodes(&self, phantom: &dyn Phantom) -> Vec<f32> {
        let places = (0..COUNT[0] * COUNT[1]).map(|index| {
            let share = |n: usize, count: usize| 2.0 * n as f32 / (count - 1) as f32 - 1.0;
            let x = share(index % COUNT[0], COUNT[0]) * self.half_size[0];
            let y = share(index / COUNT[0], COUNT[1]) * self.half_size[1];
            drawn(self.reach_at(phantom, x, y, 2.0 * GEL))
        });
        let plain: Vec<f32> = places.collect();
        let height = phantom.skin_step();
        if height <= LEAST_STEP {
            return plain;
        }
        let found = |x: f32, y: f32| self.reach_at(phantom, x, y, height.max(GEL));
        let steps = Steps::new(COUNT, self.half_size, height, found);
        let bridged = steps.bridged(GEL).into_iter().zip(plain);
        bridged
            .map(|(bridged, plain)| bridged.unwrap_or(plain))
            .collect()
    }

    /// Depth of the face in the skin at a position, negative for a gap [m]; `None` if the gap is larger than `most_gap` [m].
    fn reach_at(&self, phantom: &dyn Phantom, x: f32, y: f32, most_gap: f32) -> Option<f32> {
        let face = -self.height(x);
        // Whether there is tissue, and the clearance there.
        let look = |z: f32| {
            let world = self.world_from_probe * Point::new(x, y, z);
            let place = |rest: Point| {
                let place = phantom.place(&rest);
                let is_tissue = !phantom.materials()[usize::from(place.material)].is_gas();
                (
                    is_tissue,
                    place.clearance / self.inner.max_compression(&world),
                )
            };
            self.inner
                .rest_from_world(&world)
                .map_or((false, 0.0), place)
        };
        // Search direction: up through tissue, or down through air.
        let (is_inside, mut free) = look(face);
        let (way, most) = if is_inside {
            (-1.0, MOST)
        } else {
            (1.0, most_gap)
        };
        let (mut gone, mut step) = (0.0, 0.0);
        let mut is_beyond = false;
        while !is_beyond && gone < most {
            // The factor is a margin for rounding.
            step = (0.98 * free).max(STEP).min(most - gone);
            gone += step;
            let (is_tissue, next) = look(face + way * gone);
            (is_beyond, free) = (is_tissue != is_inside, next);
        }
        let [before, behind] = [gone - step, gone].map(|gone| face + way * gone);
        let [mut above, mut below] = match (is_beyond, is_inside) {
            (true, true) => [behind, before],
            (true, false) => [before, behind],
            (false, true) => return Some(MOST),
            (false, false) => return None,
        };
        for _ in 0..N_HALVINGS {
            let middle = 0.5 * (below + above);
            *(if look(middle).0 {
                &mut below
            } else {
                &mut above
            }) = middle;
        }
        Some(face - below)
    }

    /// Height of the face relative to its centre [m].
    fn height(&self, x: f32) -> f32 {
        if self.radius.is_finite() {
            let x = x.abs().min(self.half_size[0]);
            self.radius - (self.radius * self.radius - x * x).max(0.0).sqrt()
        } else {
            0.0
        }
    }

    /// Moves up to one vector of lanes of world points to their positions before the indentation.
    #[inline(always)]
    fn unpress(&self, points: &mut [Point]) {
        let mut lanes = [[0.0; LANES]; 3];
        for (lane, point) in points.iter().enumerate() {
            for (axis, row) in lanes.iter_mut().enumerate() {
                row[lane] = point[axis];
            }
        }
        let isometry = &self.probe_from_world;
        let turn = isometry.rotation.to_rotation_matrix();
        let (turn, shift) = (turn.matrix(), isometry.translation.vector);
        let mut moved = [0.0; LANES];
        for i in 0..LANES {
            let [x, y, z] = [0, 1, 2].map(|axis| {
                let sum = turn[(axis, 0)] * lanes[0][i] + turn[(axis, 1)] * lanes[1][i];
                sum + turn[(axis, 2)] * lanes[2][i] + shift[axis]
            });
            moved[i] = self.pressed(x, y, z);
        }
        // Along the probe's axis.
        let axis = turn.row(2);
        for (point, moved) in points.iter_mut().zip(moved) {
            *point -= moved * axis.transpose();
        }
    }

    /// Distance that points of the probe's frame were pressed down, from [`Self::face`], for many points at once [m].
    #[inline(always)]
    fn pressed(&self, x: f32, y: f32, z: f32) -> f32 {
        const LOG2_E: f32 = std::f32::consts::LOG2_E;
        let [half_x, half_y] = self.half_size;
        let height = if self.radius.is_finite() {
            let x = x.abs().min(half_x);
            self.radius - (self.radius * self.radius - x * x).max(0.0).sqrt()
        } else {
            0.0
        };
        let place = |inside: f32, half: f32, count: usize| {
            let last = (count - 1) as f32;
            (0.5 * (inside / half + 1.0) * last).clamp(0.0, last - 1e-3)
        };
        let inside = [x.max(-half_x).min(half_x), y.max(-half_y).min(half_y)];
        let i = place(inside[0], half_x, COUNT[0]);
        let j = place(inside[1], half_y, COUNT[1]);
        let out = (x - inside[0]).powi(2) + (y - inside[1]).powi(2);
        let at = (whole(j.floor()) * COUNT[0] as u32 + whole(i.floor())) as usize;
        let node = |at: usize| self.reach[at & (SIZE - 1)];
        let (u, v) = (i - i.floor(), j - j.floor());
        let edge = |at: usize| node(at) + u * (node(at + 1) - node(at));
        let reach = edge(at) + v * (edge(at + COUNT[0]) - edge(at));
        let fade = power_of_two(-LOG2_E / (EDGE * EDGE) * out);
        let below = (z + height).max(0.0);
        reach * fade * power_of_two(-LOG2_E / self.decay * below)
    }

    /// Height of the face relative to its centre [m], and its depth in the skin [m], at x, y of the probe's frame.
    fn face(&self, point: &Point) -> [f32; 2] {
        let place = |axis: usize| {
            let half = self.half_size[axis];
            let last = (COUNT[axis] - 1) as f32;
            let inside = point[axis].clamp(-half, half);
            (
                (0.5 * (inside / half + 1.0) * last).min(last - 1e-3),
                point[axis] - inside,
            )
        };
        let ([i, j], out) = {
            let ((i, beyond_x), (j, beyond_y)) = (place(0), place(1));
            ([i, j], beyond_x * beyond_x + beyond_y * beyond_y)
        };
        let at = j as usize * COUNT[0] + i as usize;
        let edge = |at: usize| self.reach[at] + i.fract() * (self.reach[at + 1] - self.reach[at]);
        let reach = edge(at) + j.fract() * (edge(at + COUNT[0]) - edge(at));
        let fade = if out > 0.0 {
            (-out / (EDGE * EDGE)).exp()
        } else {
            1.0
        };
        [self.height(point.x), reach * fade]
    }
}

/// Displacement of the skin for a depth of the face in it: gel draws the skin to the face.
fn drawn(reach: Option<f32>) -> f32 {
    match reach {
        None => 0.0,
        Some(reach) if reach > -GEL => reach,
        // Wider gaps are filled less, so that the displacement is continuous.
        Some(reach) => -(2.0 * GEL + reach).max(0.0),
    }
}

impl<D: Deformation> Deformation for Indentation<D> {
    fn rest_from_world(&self, world: &Point) -> Option<Point> {
        let point = self.probe_from_world * world;
        let [height, reach] = self.face(&point);
        let below = (point.z + height).max(0.0);
        let unpressed = point - Vector3::z() * (reach * (-below / self.decay).exp());
        self.inner
            .rest_from_world(&(self.world_from_probe * unpressed))
    }

    fn rest_from_worlds(&self, points: &mut [Point]) {
        wide(
            #[inline(always)]
            || {
                for points in points.chunks_mut(LANES) {
                    self.unpress(points);
                }
            },
        );
        self.inner.rest_from_worlds(points);
    }

    fn world_from_rest(&self, rest: &Point) -> Option<Point> {
        let target = self.probe_from_world * self.inner.world_from_rest(rest)?;
        let [height, reach] = self.face(&target);
        // z − w e^(−t/L) is the depth at rest: it increases with z, as w < L.
        let mut z = target.z + reach;
        for _ in 0..12 {
            let fade = reach * (-(z + height).max(0.0) / self.decay).exp();
            let slope = if z + height > 0.0 {
                1.0 + fade / self.decay
            } else {
                1.0
            };
            z -= (z - fade - target.z) / slope;
        }
        Some(self.world_from_probe * Point::new(target.x, target.y, z))
    }

    fn max_compression(&self, world: &Point) -> f32 {
        let point = self.probe_from_world * world;
        let [height, reach] = self.face(&point);
        // Compression along the line is 1 + w/L; oblique lines also depend on the slope of the face.
        let own = (reach.max(0.0) / self.decay + SLOPE)
            * (-(point.z + height).max(0.0) / self.decay).exp();
        (1.0 + own) * self.inner.max_compression(world)
    }
}
