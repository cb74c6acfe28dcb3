//! Which capsules of the shell touch which geoms of the robot.

use mujoco_rs::wrappers::mj_model::{MjModel, MjtGeomBase};
use nalgebra::{Matrix3, Vector3};

use super::ShellModel;
use super::extract::Surface;
use super::frame::Frame;
use crate::ffi::{self, Data};

/// A geom that can touch the shell, and the contact parameters of the pair.
#[derive(Debug)]
pub(super) struct Collider {
    pub(super) geom: usize,
    pub(super) body: usize,
    /// Box around the geom in its own frame: centre and half sizes [m].
    center: Vector3<f64>,
    half_size: Vector3<f64>,
    /// Whether MuJoCo's collision functions take the geom before the capsule: they go by type.
    is_first: bool,
    surface: Surface,
    pub(super) pair: Pair,
}

impl Collider {
    /// Meets capsules of other contact parameters from now on.
    pub(super) fn meet(&mut self, capsule: &Surface) {
        self.pair = Pair::mix(&self.surface, capsule);
    }

    fn order(&self, slot: usize) -> [usize; 2] {
        if self.is_first {
            [self.geom, slot]
        } else {
            [slot, self.geom]
        }
    }
}

/// Contact parameters of a geom and a capsule, mixed as MuJoCo mixes them.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    /// Whether there is friction (`condim` above 1; torsional and rolling friction are left out).
    pub(super) has_friction: bool,
    pub(super) friction: f64,
    pub(super) solref: [f64; 2],
    pub(super) solimp: [f64; 5],
    pub(super) margin: f64,
    /// Sum of the sides' inverse weights [1/kg].
    pub(super) inverse_weight: f64,
}

/// A capsule that touches a geom.
#[derive(Debug, Clone)]
pub(super) struct Touch {
    pub(super) node: usize,
    pub(super) collider: usize,
    /// Signed distance [m].
    pub(super) distance: f64,
    /// Unit vector from the geom to the capsule, in world.
    pub(super) normal: Vector3<f64>,
    /// Middle between the surfaces, in world [m].
    pub(super) point: Vector3<f64>,
}

impl Pair {
    fn mix(geom: &Surface, capsule: &Surface) -> Self {
        let margin = geom.margin.max(capsule.margin);
        let inverse_weight = geom.inverse_weight + capsule.inverse_weight;
        let of = |one: &Surface| Self {
            has_friction: one.condim > 1,
            friction: one.friction,
            solref: one.solref,
            solimp: one.solimp,
            margin,
            inverse_weight,
        };
        if geom.priority != capsule.priority {
            return of(if geom.priority > capsule.priority {
                geom
            } else {
                capsule
            });
        }
        let weight = mixing_weight(geom.solmix, capsule.solmix);
        let blend = |a: f64, b: f64| weight * a + (1.0 - weight) * b;
        let standard = geom.solref[0] > 0.0 && capsule.solref[0] > 0.0;
        let solref = |i: usize| {
            let (a, b) = (geom.solref[i], capsule.solref[i]);
            if standard { blend(a, b) } else { a.min(b) }
        };
        Self {
            has_friction: geom.condim.max(capsule.condim) > 1,
            friction: geom.friction.max(capsule.friction),
            solref: std::array::from_fn(solref),
            solimp: std::array::from_fn(|i| blend(geom.solimp[i], capsule.solimp[i])),
            margin,
            inverse_weight,
        }
    }
}

fn mixing_weight(a: f64, b: f64) -> f64 {
    const TINY: f64 = 1e-15;
    match (a >= TINY, b >= TINY) {
        (true, true) => a / (a + b),
        (false, false) => 0.5,
        (true, false) => 1.0,
        (false, true) => 0.0,
    }
}

/// The moving geoms of a scene (without the shell) that may touch its capsules.
pub(super) fn colliders(model: &MjModel, capsule: &Surface) -> Vec<Collider> {
    let aabb = model.geom_aabb();
    (0..model.ffi().ngeom as usize)
        .filter_map(|geom| {
            let body = model.geom_bodyid()[geom] as usize;
            let surface = Surface::of(model, geom);
            let touches = (surface.contype & capsule.conaffinity)
                | (capsule.contype & surface.conaffinity)
                != 0;
            if model.body_weldid()[body] == 0 || !touches {
                return None;
            }
            let b = aabb[geom];
            Some(Collider {
                geom,
                body,
                center: Vector3::new(b[0], b[1], b[2]),
                half_size: Vector3::new(b[3], b[4], b[5]),
                is_first: model.geom_type()[geom] as u32 <= MjtGeomBase::mjGEOM_CAPSULE as u32,
                pair: Pair::mix(&surface, capsule),
                surface,
            })
        })
        .collect()
}

/// Distances are measured up to this [m]: the further away a capsule is known to be, the longer it need not be looked at.
const SIGHT: f64 = 0.01;
/// What a measured distance may be too long by [m]; MuJoCo's collision is exact to 1e-6 m.
const DOUBT: f64 = 2e-5;
/// A collider goes this far [m] before its list of capsules nearby is made anew.
const STRIDE: f64 = 0.03;

/// Finds the capsules that touch a collider.
#[derive(Debug, Default)]
pub(super) struct Detector {
    pub(super) touches: Vec<Touch>,
    /// What is known of each collider.
    clearances: Vec<Clearance>,
}

/// How far the capsules were from a collider when last measured, and how far it has moved since: what cannot have come closer is not
/// measured again, which leaves out nine in ten of the costly distances and changes no result.
#[derive(Debug, Default)]
struct Clearance {
    /// Orientation and centre when last looked at, as seen from the torso at rest.
    last: Option<(Matrix3<f64>, Vector3<f64>)>,
    /// Length of the way that the collider's points have gone at most [m].
    travel: f64,
    /// Capsules that can come near while travel and displacement stay below `near_until`.
    near: Vec<u32>,
    near_until: f64,
    /// By capsule: the travel up to which it cannot touch, and its displacement when that was found [m].
    free_until: Vec<[f64; 2]>,
}

impl Detector {
    /// Forgets what was measured.
    pub(super) fn reset(&mut self) {
        for clearance in &mut self.clearances {
            clearance.last = None;
            clearance.travel = 0.0;
            clearance.near_until = 0.0;
            clearance.free_until.clear();
        }
    }

    /// Fills `touches`; `slot` is the geom that stands in for a capsule.
    pub(super) fn detect(
        &mut self,
        shell: &ShellModel,
        frame: &Frame,
        displacement: &[f64],
        colliders: &[Collider],
        slot: usize,
        data: &mut Data,
    ) {
        self.touches.clear();
        self.clearances
            .resize_with(colliders.len(), Clearance::default);
        let displacement = &displacement[..shell.n_capsules];
        let out = largest(displacement);
        for (index, collider) in colliders.iter().enumerate() {
            // The collider as seen from the torso at rest.
            let world_from_geom = Matrix3::from_row_slice(&data.geom_xmat()[collider.geom]);
            let center =
                Vector3::from(data.geom_xpos()[collider.geom]) + world_from_geom * collider.center;
            let origin = frame.rotation.tr_mul(&(center - frame.translation));
            let radius = collider.half_size.norm() + shell.reach + collider.pair.margin;
            if shell.cloud.is_beyond(&origin, radius + out) {
                continue;
            }
            let rotation = frame.rotation.tr_mul(&world_from_geom);
            let clearance = &mut self.clearances[index];
            clearance.follow(rotation, origin, collider.half_size.norm());
            clearance.look_around(&shell.cloud, radius, out);
            for place in 0..clearance.near.len() {
                let node = clearance.near[place] as usize;
                let q = displacement[node];
                if clearance.is_free(node, q) {
                    continue;
                }
                let center = shell.cloud.center(node, q);
                let offset = center - origin;
                if offset.norm_squared() > radius * radius
                    || !shell.may_touch(node, &rotation.tr_mul(&offset), &rotation, collider)
                {
                    continue;
                }
                let matrix = frame.rotation * Matrix3::from_row_slice(&shell.geom_matrix[node]);
                data.geom_xpos_mut()[slot] = frame.place(&center).into();
                data.geom_xmat_mut()[slot].copy_from_slice(matrix.transpose().as_slice());
                let margin = collider.pair.margin;
                let (distance, segment) =
                    ffi::geom_distance(data, collider.order(slot), margin + SIGHT);
                if distance < margin {
                    let first = collider.is_first;
                    self.touches
                        .extend(touch(node, index, distance, &segment, first));
                } else {
                    clearance.note(node, q, distance - margin - DOUBT, shell.n_capsules);
                }
            }
        }
    }
}

impl Clearance {
    /// The collider is here now; all of it lies within `radius` [m] of its centre.
    fn follow(&mut self, rotation: Matrix3<f64>, center: Vector3<f64>, radius: f64) {
        if let Some((last_rotation, last_center)) = &self.last {
            self.travel +=
                (center - last_center).norm() + (rotation - last_rotation).norm() * radius;
        }
        self.last = Some((rotation, center));
    }

    /// Finds the capsules whose centres can come within `radius` [m] of the collider's centre for a while, if those known are not they;
    /// none is displaced by more than `out` [m].
    fn look_around(&mut self, cloud: &Cloud, radius: f64, out: f64) {
        if self.travel + out < self.near_until {
            return;
        }
        let Some((_, center)) = &self.last else {
            return;
        };
        self.near_until = self.travel + out + STRIDE;
        cloud.within(center, radius + out + STRIDE, &mut self.near);
    }

    /// Whether a capsule, now displaced by `q` [m], cannot touch.
    fn is_free(&self, node: usize, q: f64) -> bool {
        self.free_until
            .get(node)
            .is_some_and(|&[travel, at]| self.travel + (q - at).abs() < travel)
    }

    /// A capsule is so far away [m].
    fn note(&mut self, node: usize, q: f64, distance: f64, n_capsules: usize) {
        self.free_until.resize(n_capsules, [0.0; 2]);
        self.free_until[node] = [self.travel + distance, q];
    }
}

/// The largest magnitude.
fn largest(numbers: &[f64]) -> f64 {
    const LANES: usize = 8;
    let mut most = [0.0; LANES];
    let chunks = numbers.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (most, number) in most.iter_mut().zip(chunk) {
            let size = number.abs();
            *most = if size > *most { size } else { *most };
        }
    }
    let all = most.iter().chain(rest);
    all.fold(0.0, |most, number| most.max(number.abs()))
}

fn touch(
    node: usize,
    collider: usize,
    distance: f64,
    segment: &[f64; 6],
    is_first: bool,
) -> Option<Touch> {
    let [from, to] = [0, 3].map(|i| Vector3::new(segment[i], segment[i + 1], segment[i + 2]));
    // From surface to surface; overlapping surfaces point the other way round.
    let sign = if is_first {
        distance.signum()
    } else {
        -distance.signum()
    };
    let normal = ((to - from) * sign).try_normalize(1e-12)?;
    Some(Touch {
        node,
        collider,
        distance,
        normal,
        point: (from + to) * 0.5,
    })
}

/// Centres of the capsules and the ways they move, coordinate by coordinate, with the torso where it was compiled.
#[derive(Debug)]
pub(super) struct Cloud {
    /// Centre at rest [m], shape `[3, n_capsules]`.
    center: [Vec<f64>; 3],
    /// Direction of motion, shape `[3, n_capsules]`.
    axis: [Vec<f64>; 3],
    /// Corners of the box around all centres at rest [m].
    low: Vector3<f64>,
    high: Vector3<f64>,
}

impl Cloud {
    pub(super) fn new(center: &[[f64; 3]], axis: &[[f64; 3]]) -> Self {
        let split = |points: &[[f64; 3]]| {
            std::array::from_fn(|k| points.iter().map(|point| point[k]).collect())
        };
        let fold = |start: f64, pick: fn(f64, f64) -> f64| {
            Vector3::from_fn(|k, _| center.iter().map(|point| point[k]).fold(start, pick))
        };
        Self {
            low: fold(f64::INFINITY, f64::min),
            high: fold(f64::NEG_INFINITY, f64::max),
            center: split(center),
            axis: split(&axis[..center.len()]),
        }
    }

    /// Centre of a capsule displaced by `q` [m].
    fn center(&self, node: usize, q: f64) -> Vector3<f64> {
        Vector3::from_fn(|k, _| self.center[k][node] + self.axis[k][node] * q)
    }

    /// Whether a sphere misses the box around all centres.
    fn is_beyond(&self, center: &Vector3<f64>, radius: f64) -> bool {
        let nearest = center.sup(&self.low).inf(&self.high);
        (center - nearest).norm_squared() > radius * radius
    }

    /// Writes the capsules whose centres at rest lie within a sphere.
    fn within(&self, center: &Vector3<f64>, radius: f64, nodes: &mut Vec<u32>) {
        let n_capsules = self.center[0].len();
        nodes.clear();
        nodes.reserve(n_capsules);
        for node in 0..n_capsules {
            if (self.center(node, 0.0) - center).norm_squared() <= radius * radius {
                nodes.push(node as u32);
            }
        }
    }
}

impl ShellModel {
    /// Whether the box of a geom, grown by the capsule's radius, meets the box around the capsule's axis, along the geom's axes.
    fn may_touch(
        &self,
        node: usize,
        center: &Vector3<f64>,
        rotation: &Matrix3<f64>,
        collider: &Collider,
    ) -> bool {
        let axis = rotation.tr_mul(&Vector3::new(
            self.geom_matrix[node][2],
            self.geom_matrix[node][5],
            self.geom_matrix[node][8],
        ));
        let [radius, half_length] = self.capsule;
        let grown = radius + collider.pair.margin;
        (0..3)
            .all(|i| center[i].abs() <= collider.half_size[i] + grown + half_length * axis[i].abs())
    }
}
