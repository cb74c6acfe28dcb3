//! Rays from the skin through the labels.

use std::f64::consts::TAU;

use insonate_volumes::Segmentation;
use nalgebra::{Matrix3, Vector3};

use super::{Place, Sight, WindowSettings};
use crate::patient::{Patient, PatientClass};
use crate::tissues::{TissueKind, Tissues};

/// Angle between neighbouring rays of a cone [rad].
const APART: f64 = 0.0873;
/// Steps along a ray: half of the smallest edge of a voxel, within this range [m].
const STEPS: [f64; 2] = [5e-4, 2e-3];

/// What a voxel does to sound.
#[derive(Clone, Copy)]
struct Passage {
    /// One-way loss [dB/m]; `None` if it stops sound.
    loss: Option<f64>,
    is_bone: bool,
}

/// The labels of a patient as rays meet them.
pub(super) struct Rays<'a> {
    labels: &'a Segmentation,
    /// From positions to indices of voxels.
    inverse: Matrix3<f64>,
    passages: Vec<Passage>,
    organ: u8,
    /// Bounds of the organ [m].
    bounds: [Vector3<f64>; 2],
    reach: f64,
    /// Largest tilt of the best ray [rad].
    tilt: f64,
    step: f64,
}

/// What a ray met.
enum Met {
    Nothing,
    Blocked,
    Organ { loss: f64, depth: f64 },
}

/// Angles from the axis and around it of rays that fill a cone evenly.
pub(super) fn directions(cone: f64) -> Vec<[f64; 2]> {
    let n_rings = (cone / APART)
        .round()
        .max(if cone > 0.0 { 1.0 } else { 0.0 }) as usize;
    let mut all = vec![[0.0, 0.0]];
    for ring in 1..=n_rings {
        let tilt = cone * ring as f64 / n_rings as f64;
        let n = (TAU * tilt.sin() / APART).round().max(6.0) as usize;
        all.extend((0..n).map(|k| [tilt, TAU * k as f64 / n as f64]));
    }
    all
}

impl<'a> Rays<'a> {
    pub(super) fn new(
        patient: &'a Patient,
        tissues: &Tissues,
        organ: &str,
        loss: impl Fn(&PatientClass) -> Option<f64>,
        settings: &WindowSettings,
    ) -> Self {
        let labels = &patient.labels;
        let gas = Passage {
            loss: None,
            is_bone: false,
        };
        let passages = patient.description.classes.iter().map(|class| Passage {
            loss: loss(class),
            is_bone: tissues
                .of(&class.name)
                .is_some_and(|own| own.kind == TissueKind::Rigid),
        });
        let steps = labels.frame().steps;
        let edges = steps.column_iter().map(|step| step.norm());
        let organ = labels.value(organ).unwrap_or(u8::MAX);
        Self {
            labels,
            // Frames were checked to be invertible.
            inverse: labels.frame().steps.try_inverse().unwrap_or_default(),
            passages: std::iter::once(gas).chain(passages).collect(),
            organ,
            bounds: bounds_of(labels, organ),
            reach: settings.reach,
            tilt: settings.tilt,
            step: (0.5 * edges.fold(f64::INFINITY, f64::min)).clamp(STEPS[0], STEPS[1]),
        }
    }

    /// What a place of the skin sees.
    pub(super) fn place(
        &self,
        position: Vector3<f64>,
        normal: Vector3<f64>,
        cone: &[[f64; 2]],
        cut: f64,
    ) -> Place {
        let inward = -normal;
        let across = inward.cross(&least_axis(&inward)).normalize();
        let other = inward.cross(&across);
        let mut place = Place {
            position: position.into(),
            normal: normal.into(),
            n_rays: [0; 2],
            sight: None,
            bone: self.bone(position, inward),
            cut,
        };
        for [tilt, around] in cone {
            let side = across * around.cos() + other * around.sin();
            let direction = inward * tilt.cos() + side * tilt.sin();
            match self.ray(position, direction) {
                Met::Nothing => {}
                Met::Blocked => place.n_rays[0] += 1,
                Met::Organ { loss, depth } => {
                    place.n_rays = place.n_rays.map(|n| n + 1);
                    // Of equal losses the smallest tilt counts, which comes first.
                    let is_best = place.sight.is_none_or(|best| loss < best.loss - 1e-9);
                    if is_best && *tilt <= self.tilt + 1e-9 {
                        place.sight = Some(Sight {
                            tilt: *tilt,
                            direction: direction.into(),
                            loss,
                            depth,
                        });
                    }
                }
            }
        }
        place
    }

    /// Follows a ray to the organ.
    fn ray(&self, from: Vector3<f64>, direction: Vector3<f64>) -> Met {
        let Some(end) = self.leaves_bounds(&from, &direction) else {
            return Met::Nothing;
        };
        let n = (end.min(self.reach) / self.step).ceil() as usize;
        let (first, step) = self.in_voxels(from, direction);
        let (mut loss, mut is_within, mut is_open) = (0.0, false, true);
        for k in 0..n {
            let value = self.value(first + step * (k as f64 + 0.5));
            if value == self.organ {
                let depth = k as f64 * self.step;
                return if is_open {
                    Met::Organ {
                        loss: 2.0 * loss,
                        depth,
                    }
                } else {
                    Met::Blocked
                };
            }
            // Before the body there is gel, because a smooth skin is not exactly where the voxels are.
            is_within |= value > 0;
            match self.passages[usize::from(value)].loss {
                _ if !is_within => {}
                Some(own) => loss += own * self.step,
                None => is_open = false,
            }
        }
        Met::Nothing
    }

    /// Depth of the first bone below a place [m].
    fn bone(&self, from: Vector3<f64>, inward: Vector3<f64>) -> f64 {
        let n = (self.reach / self.step).ceil() as usize;
        let (first, step) = self.in_voxels(from, inward);
        let is_bone = |k: &usize| {
            let value = self.value(first + step * (*k as f64 + 0.5));
            self.passages[usize::from(value)].is_bone
        };
        let found = (0..n).find(is_bone);
        found.map_or(f64::INFINITY, |k| k as f64 * self.step)
    }

    /// A place and a step along a direction, as indices of voxels.
    fn in_voxels(
        &self,
        from: Vector3<f64>,
        direction: Vector3<f64>,
    ) -> (Vector3<f64>, Vector3<f64>) {
        let first = self.inverse * (from - self.labels.frame().origin);
        (first, self.inverse * direction * self.step)
    }

    fn value(&self, index: Vector3<f64>) -> u8 {
        let count = self.labels.count();
        let index = index.map(f64::round);
        if !(0..3).all(|axis| (0.0..count[axis] as f64).contains(&index[axis])) {
            return 0;
        }
        let [x, y, z] = [0, 1, 2].map(|axis| index[axis] as usize);
        self.labels.voxels()[(z * count[1] + y) * count[0] + x]
    }

    /// Where a ray leaves the organ's bounds [m]; `None` if it does not meet them within reach.
    fn leaves_bounds(&self, from: &Vector3<f64>, direction: &Vector3<f64>) -> Option<f64> {
        let (mut enter, mut leave) = (0.0_f64, self.reach);
        for axis in 0..3 {
            let ends = self
                .bounds
                .map(|bound| (bound[axis] - from[axis]) / direction[axis]);
            if direction[axis].abs() < 1e-12 {
                let is_between =
                    (self.bounds[0][axis]..=self.bounds[1][axis]).contains(&from[axis]);
                if !is_between {
                    return None;
                }
                continue;
            }
            enter = enter.max(ends[0].min(ends[1]));
            leave = leave.min(ends[0].max(ends[1]));
        }
        (enter <= leave).then_some(leave)
    }
}

/// The axis that is most across a direction.
fn least_axis(direction: &Vector3<f64>) -> Vector3<f64> {
    let mut axis = Vector3::zeros();
    axis[direction.iamin()] = 1.0;
    axis
}

/// Bounds of the voxels of a value [m]; reversed without any.
fn bounds_of(labels: &Segmentation, value: u8) -> [Vector3<f64>; 2] {
    let [nx, ny, _] = labels.count();
    let frame = labels.frame();
    let half = frame.steps.map(|x| 0.5 * x.abs()) * Vector3::repeat(1.0);
    let mut bounds = [
        Vector3::repeat(f64::INFINITY),
        Vector3::repeat(f64::NEG_INFINITY),
    ];
    for (row, own) in labels.voxels().chunks_exact(nx).enumerate() {
        let first = own.iter().position(|voxel| *voxel == value);
        let last = own.iter().rposition(|voxel| *voxel == value);
        for x in first.into_iter().chain(last) {
            let index = Vector3::from([x, row % ny, row / ny].map(|n| n as f64));
            let place = frame.origin + frame.steps * index;
            bounds = [
                bounds[0].inf(&(place - half)),
                bounds[1].sup(&(place + half)),
            ];
        }
    }
    bounds
}
