//! Detection of contacts between capsules of the shell and geoms of the robot.

use mujoco_rs::wrappers::mj_model::{MjModel, MjtGeomBase};
use nalgebra::{Matrix3, Vector3};

use super::capsules::Capsules;
use super::frame::TorsoFrame;
use super::model::ShellModel;
use super::pair::{GeomParams, PairParams};
use crate::ffi::{self, Data};

/// A geom that can touch the shell, and the contact parameters of the pair.
#[derive(Debug)]
pub(super) struct Collider {
    pub(super) geom: usize,
    pub(super) body: usize,
    /// Box around the geom in its own frame: centre and half sizes [m].
    center: Vector3<f64>,
    half_size: Vector3<f64>,
    /// Whether MuJoCo's collision functions, which are ordered by type, take the geom before the capsule.
    is_first: bool,
    params: GeomParams,
    pub(super) pair: PairParams,
}

impl Collider {
    /// Sets new contact parameters of the capsules.
    pub(super) fn set_capsule_params(&mut self, capsule: &GeomParams) {
        self.pair = PairParams::mix(&self.params, capsule);
    }

    fn order(&self, slot: usize) -> [usize; 2] {
        if self.is_first {
            [self.geom, slot]
        } else {
            [slot, self.geom]
        }
    }

    /// Whether the geom's box, extended by the capsule's radius, overlaps the box around the capsule's axis, along the geom's axes.
    fn may_touch(
        &self,
        shell: &ShellModel,
        node: usize,
        center: &Vector3<f64>,
        rotation: &Matrix3<f64>,
    ) -> bool {
        let axis = rotation.tr_mul(&Vector3::new(
            shell.geom_matrix[node][2],
            shell.geom_matrix[node][5],
            shell.geom_matrix[node][8],
        ));
        let [radius, half_length] = shell.capsule;
        let grown = radius + self.pair.margin;
        (0..3).all(|i| center[i].abs() <= self.half_size[i] + grown + half_length * axis[i].abs())
    }
}

/// A capsule that contacts a geom.
#[derive(Debug, Clone)]
pub(super) struct CapsuleContact {
    pub(super) node: usize,
    pub(super) collider: usize,
    /// Signed distance [m].
    pub(super) distance: f64,
    /// Unit vector from the geom to the capsule, in world.
    pub(super) normal: Vector3<f64>,
    /// Middle between the surfaces, in world [m].
    pub(super) point: Vector3<f64>,
}

impl CapsuleContact {
    /// Turns the normal of a deep contact towards `inward`, the direction in which the skin yields.
    ///
    /// The geom's nearest surface is the pressing surface only while the capsule's axis is outside the geom. The axis of a capsule that has
    /// sunk into a narrow face may be nearer to the back or to a side. Points of a shell only slide inwards, so the geom would fall through.
    fn turned(mut self, inward: &Vector3<f64>, radius: f64) -> Self {
        let share = (-self.distance / radius - 1.0).clamp(0.0, 1.0);
        if share > 0.0 {
            let turned = self.normal * (1.0 - share) + inward * share;
            self.normal = turned.try_normalize(0.1).unwrap_or(*inward);
        }
        self
    }
}

/// The moving geoms of a scene (without the shell) that may touch its capsules.
pub(super) fn colliders(model: &MjModel, capsule: &GeomParams) -> Vec<Collider> {
    let aabb = model.geom_aabb();
    (0..model.ffi().ngeom as usize)
        .filter_map(|geom| {
            let body = model.geom_bodyid()[geom] as usize;
            let params = GeomParams::of(model, geom);
            let contacts = (params.contype & capsule.conaffinity)
                | (capsule.contype & params.conaffinity)
                != 0;
            if model.body_weldid()[body] == 0 || !contacts {
                return None;
            }
            let b = aabb[geom];
            Some(Collider {
                geom,
                body,
                center: Vector3::new(b[0], b[1], b[2]),
                half_size: Vector3::new(b[3], b[4], b[5]),
                is_first: model.geom_type()[geom] as u32 <= MjtGeomBase::mjGEOM_CAPSULE as u32,
                pair: PairParams::mix(&params, capsule),
                params,
            })
        })
        .collect()
}

/// Limit of measured distances [m]: the farther away a capsule is known to be, the later it must be measured again.
const MAX_DISTANCE: f64 = 0.01;
/// Error allowed for a measured distance [m]; MuJoCo's collision is exact to 1e-6 m.
const DISTANCE_ERROR: f64 = 2e-5;
/// Travel of a collider after which its list of nearby capsules is updated [m].
const REFRESH_TRAVEL: f64 = 0.03;

/// Finds the capsules in contact.
#[derive(Debug, Default)]
pub(super) struct Detector {
    pub(super) contacts: Vec<CapsuleContact>,
    /// One for each collider.
    clearances: Vec<Clearance>,
}

/// Distances of the capsules from a collider when last measured, and the travel of the collider since then.
///
/// Capsules that cannot have come closer are not measured again. This saves nine in ten of the costly distances and changes no result.
#[derive(Debug, Default)]
struct Clearance {
    /// Orientation and centre at the last step, in the frame of the torso at rest.
    last: Option<(Matrix3<f64>, Vector3<f64>)>,
    /// Upper bound of the path length of the collider's points [m].
    travel: f64,
    /// Capsules that can come near while travel and displacement stay below `near_until`.
    near: Vec<u32>,
    near_until: f64,
    /// By capsule: the travel up to which it cannot touch, and its displacement when that was found [m].
    free_until: Vec<[f64; 2]>,
}

impl Detector {
    /// Forgets all measurements.
    pub(super) fn reset(&mut self) {
        for clearance in &mut self.clearances {
            clearance.last = None;
            clearance.travel = 0.0;
            clearance.near_until = 0.0;
            clearance.free_until.clear();
        }
    }

    /// Fills `contacts`; `slot` is the geom that takes the place of a capsule.
    pub(super) fn detect(
        &mut self,
        shell: &ShellModel,
        frame: &TorsoFrame,
        displacement: &[f64],
        colliders: &[Collider],
        slot: usize,
        data: &mut Data,
    ) {
        self.contacts.clear();
        self.clearances
            .resize_with(colliders.len(), Clearance::default);
        let displacement = &displacement[..shell.n_capsules];
        let max_displacement = largest(displacement);
        for (index, collider) in colliders.iter().enumerate() {
            // The collider in the frame of the torso at rest.
            let world_from_geom = Matrix3::from_row_slice(&data.geom_xmat()[collider.geom]);
            let center =
                Vector3::from(data.geom_xpos()[collider.geom]) + world_from_geom * collider.center;
            let origin = frame.rotation.tr_mul(&(center - frame.translation));
            let radius = collider.half_size.norm() + shell.reach + collider.pair.margin;
            if shell.capsules.is_beyond(&origin, radius + max_displacement) {
                continue;
            }
            let rotation = frame.rotation.tr_mul(&world_from_geom);
            let clearance = &mut self.clearances[index];
            clearance.follow(rotation, origin, collider.half_size.norm());
            clearance.update_near(&shell.capsules, radius, max_displacement);
            for place in 0..clearance.near.len() {
                let node = clearance.near[place] as usize;
                let q = displacement[node];
                if clearance.is_free(node, q) {
                    continue;
                }
                let center = shell.capsules.center(node, q);
                let offset = center - origin;
                if offset.norm_squared() > radius * radius
                    || !collider.may_touch(shell, node, &rotation.tr_mul(&offset), &rotation)
                {
                    continue;
                }
                let matrix = frame.rotation * Matrix3::from_row_slice(&shell.geom_matrix[node]);
                data.geom_xpos_mut()[slot] = frame.place(&center).into();
                data.geom_xmat_mut()[slot].copy_from_slice(matrix.transpose().as_slice());
                let margin = collider.pair.margin;
                let (distance, segment) =
                    ffi::geom_distance(data, collider.order(slot), margin + MAX_DISTANCE);
                if distance < margin {
                    let first = collider.is_first;
                    let mut touch = contact(node, index, distance, &segment, first);
                    if shell.is_deep_inward {
                        let inward = -(frame.rotation * Vector3::from(shell.axis[node]));
                        touch = touch.map(|touch| touch.turned(&inward, shell.capsule[0]));
                    }
                    self.contacts.extend(touch);
                } else {
                    clearance.record(
                        node,
                        q,
                        distance - margin - DISTANCE_ERROR,
                        shell.n_capsules,
                    );
                }
            }
        }
    }
}

impl Clearance {
    /// Updates the collider's pose and travel; all of the collider lies within `radius` [m] of its centre.
    fn follow(&mut self, rotation: Matrix3<f64>, center: Vector3<f64>, radius: f64) {
        if let Some((last_rotation, last_center)) = &self.last {
            self.travel +=
                (center - last_center).norm() + (rotation - last_rotation).norm() * radius;
        }
        self.last = Some((rotation, center));
    }

    /// Updates the list of capsules whose centres can come within `radius` [m] of the collider's centre, if it is out of date. No capsule
    /// is displaced by more than `max_displacement` [m].
    fn update_near(&mut self, capsules: &Capsules, radius: f64, max_displacement: f64) {
        if self.travel + max_displacement < self.near_until {
            return;
        }
        let Some((_, center)) = &self.last else {
            return;
        };
        self.near_until = self.travel + max_displacement + REFRESH_TRAVEL;
        capsules.within(
            center,
            radius + max_displacement + REFRESH_TRAVEL,
            &mut self.near,
        );
    }

    /// Whether a capsule with displacement `q` [m] cannot touch.
    fn is_free(&self, node: usize, q: f64) -> bool {
        self.free_until
            .get(node)
            .is_some_and(|&[travel, at]| self.travel + (q - at).abs() < travel)
    }

    /// Records the distance of a capsule [m].
    fn record(&mut self, node: usize, q: f64, distance: f64, n_capsules: usize) {
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

fn contact(
    node: usize,
    collider: usize,
    distance: f64,
    segment: &[f64; 6],
    is_first: bool,
) -> Option<CapsuleContact> {
    let [from, to] = [0, 3].map(|i| Vector3::new(segment[i], segment[i + 1], segment[i + 2]));
    // From surface to surface; the direction is reversed if the surfaces overlap.
    let sign = if is_first {
        distance.signum()
    } else {
        -distance.signum()
    };
    let normal = ((to - from) * sign).try_normalize(1e-12)?;
    Some(CapsuleContact {
        node,
        collider,
        distance,
        normal,
        point: (from + to) * 0.5,
    })
}
