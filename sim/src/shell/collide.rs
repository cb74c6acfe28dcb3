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

/// Finds the capsules that touch a collider.
#[derive(Debug, Default)]
pub(super) struct Detector {
    pub(super) touches: Vec<Touch>,
    /// Squared distances of all capsules from a collider's centre [m²].
    distance: Vec<f64>,
    /// Capsules whose sphere meets the sphere around a collider's box.
    near: Vec<u32>,
}

impl Detector {
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
        let displacement = &displacement[..shell.n_capsules];
        let out = displacement.iter().fold(
            0.0,
            |most, &q: &f64| {
                if q.abs() > most { q.abs() } else { most }
            },
        );
        for (index, collider) in colliders.iter().enumerate() {
            // The collider as seen from the torso at rest.
            let world_from_geom = Matrix3::from_row_slice(&data.geom_xmat()[collider.geom]);
            let rotation = frame.rotation.tr_mul(&world_from_geom);
            let position = Vector3::from(data.geom_xpos()[collider.geom]) - frame.translation;
            let origin = frame.rotation.tr_mul(&position) + rotation * collider.center;
            let radius = collider.half_size.norm() + shell.reach + collider.pair.margin;
            if shell.cloud.is_beyond(&origin, radius + out) {
                continue;
            }
            shell
                .cloud
                .squared_distances(displacement, &origin, &mut self.distance);
            compact(&self.distance, radius * radius, &mut self.near);
            for &node in &self.near {
                let node = node as usize;
                let center = shell.cloud.center(node, displacement[node]);
                let offset = rotation.tr_mul(&(center - origin));
                if !shell.may_touch(node, &offset, &rotation, collider) {
                    continue;
                }
                let matrix = frame.rotation * Matrix3::from_row_slice(&shell.geom_matrix[node]);
                data.geom_xpos_mut()[slot] = frame.place(&center).into();
                data.geom_xmat_mut()[slot].copy_from_slice(matrix.transpose().as_slice());
                let margin = collider.pair.margin;
                let (distance, segment) =
                    ffi::geom_distance(data, collider.order(slot), margin + 1e-9);
                if distance < margin {
                    self.touches
                        .extend(touch(node, index, distance, &segment, collider.is_first));
                }
            }
        }
    }
}

/// Writes the places of all numbers up to a bound.
fn compact(numbers: &[f64], most: f64, places: &mut Vec<u32>) {
    places.resize(numbers.len(), 0);
    let mut count = 0;
    for (place, &number) in numbers.iter().enumerate() {
        places[count] = place as u32;
        count += usize::from(number <= most);
    }
    places.truncate(count);
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

    /// Squared distance of each displaced centre from a point [m²].
    fn squared_distances(
        &self,
        displacement: &[f64],
        point: &Vector3<f64>,
        distances: &mut Vec<f64>,
    ) {
        let n = displacement.len();
        distances.resize(n, 0.0);
        let [cx, cy, cz] = self.center.each_ref().map(|values| &values[..n]);
        let [ax, ay, az] = self.axis.each_ref().map(|values| &values[..n]);
        let distances = &mut distances[..n];
        for i in 0..n {
            let q = displacement[i];
            let x = cx[i] + ax[i] * q - point.x;
            let y = cy[i] + ay[i] * q - point.y;
            let z = cz[i] + az[i] * q - point.z;
            distances[i] = x * x + y * y + z * z;
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
