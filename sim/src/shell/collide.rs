//! Which capsules of the shell touch which geoms of the robot.

use mujoco_rs::wrappers::mj_model::{MjModel, MjtGeomBase};
use nalgebra::{Matrix3, Vector3};

use super::ShellModel;
use super::extract::Surface;
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
    pub(super) pair: Pair,
}

impl Collider {
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
            })
        })
        .collect()
}

/// Finds every capsule that touches a collider; `slot` is the geom that stands in for a capsule.
pub(super) fn detect(
    shell: &ShellModel,
    displacement: &[f64],
    colliders: &[Collider],
    slot: usize,
    data: &mut Data,
    touches: &mut Vec<Touch>,
) {
    touches.clear();
    for (index, collider) in colliders.iter().enumerate() {
        let rotation = Matrix3::from_row_slice(&data.geom_xmat()[collider.geom]);
        let origin = Vector3::from(data.geom_xpos()[collider.geom]) + rotation * collider.center;
        let radius = collider.half_size.norm() + shell.reach + collider.pair.margin;
        for (node, &q) in displacement.iter().enumerate().take(shell.n_capsules) {
            let center = shell.capsule_center(node, q);
            let offset = center - origin;
            if offset.norm_squared() > radius * radius
                || !shell.may_touch(node, &(rotation.tr_mul(&offset)), &rotation, collider)
            {
                continue;
            }
            data.geom_xpos_mut()[slot] = center.into();
            data.geom_xmat_mut()[slot] = shell.geom_matrix[node];
            let margin = collider.pair.margin;
            let (distance, segment) = ffi::geom_distance(data, collider.order(slot), margin + 1e-9);
            if distance < margin {
                touches.extend(touch(node, index, distance, &segment, collider.is_first));
            }
        }
    }
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

impl ShellModel {
    /// Centre of a capsule displaced by `q` [m], in world.
    pub(super) fn capsule_center(&self, node: usize, q: f64) -> Vector3<f64> {
        Vector3::from(self.geom_center[node]) + Vector3::from(self.axis[node]) * q
    }

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
