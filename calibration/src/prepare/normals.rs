//! Normal of a surface, estimated from fast motion and force.
//!
//! The estimate uses the fast motion p, after subtraction of a baseline. Three candidate directions u are compared;
//! the one whose uᵀp explains the force is selected:
//!
//! | candidate | valid if |
//! |---|---|
//! | principal direction of motion | the probe presses along the normal |
//! | principal direction of the force, if it is a vector | friction is small |
//! | gradient of the force over position | the probe moves sideways as fast as it presses |

use nalgebra::{Matrix3, Vector3};

use super::{
    baseline::Baseline,
    directions::{degrees, widest},
    noise::median,
    tilt::UNIFORM,
};
use crate::Channel;

/// A candidate explains the force as well as the best one if its R² is within this margin.
const AS_WELL: f64 = 0.02;
/// Minimum spread of the fast motion in every direction for a gradient, as a share of its largest spread.
const ALL_AROUND: f64 = 0.05;
/// Normals of segments that differ by more than this from the common one [°] are used individually.
const CURVED: f64 = 2.0;
/// Candidates further apart than this [°] cause a warning.
const UNCERTAIN: f64 = 5.0;

/// Sums of fast motion and force over samples.
#[derive(Clone, Copy, Default)]
pub(super) struct Moments {
    pub(super) place: Matrix3<f64>,
    pub(super) place_force: Vector3<f64>,
    pub(super) force: f64,
    pub(super) forces: Matrix3<f64>,
    /// Σ p fᵀ.
    pub(super) both: Matrix3<f64>,
}

impl Moments {
    /// Sums along a direction: depth × depth, depth × force and force × force.
    fn along(&self, direction: &Vector3<f64>) -> [f64; 3] {
        let depth = direction.dot(&(self.place * direction));
        if self.forces.trace() > 0.0 {
            let across = direction.dot(&(self.both * direction));
            [depth, across, direction.dot(&(self.forces * direction))]
        } else {
            [depth, direction.dot(&self.place_force), self.force]
        }
    }

    /// Slope of the force over the depth along a direction [N/m].
    pub(super) fn slope(&self, direction: &Vector3<f64>) -> f64 {
        let [depth, across, _] = self.along(direction);
        across / depth.max(f64::MIN_POSITIVE)
    }

    /// Share of the force's variance explained by motion along a direction.
    fn explained(&self, direction: &Vector3<f64>) -> f64 {
        let across = direction.dot(&self.place_force);
        let power = direction.dot(&(self.place * direction)) * self.force;
        if power > 0.0 {
            across * across / power
        } else {
            0.0
        }
    }

    /// Share of the force's variance along one direction explained by motion along another.
    fn explained_along(&self, motion: &Vector3<f64>, force: &Vector3<f64>) -> f64 {
        let across = motion.dot(&(self.both * force));
        let power = motion.dot(&(self.place * motion)) * force.dot(&(self.forces * force));
        across * across / power.max(f64::MIN_POSITIVE)
    }

    pub(super) fn of(
        time: &[f64],
        force: &Channel,
        positions: &[[f64; 3]],
        rough: &[f64],
        range: std::ops::Range<usize>,
    ) -> Self {
        let baseline = Baseline::of(&time[range.clone()]);
        let fast = |of: &dyn Fn(usize) -> f64| {
            let mut values: Vec<f64> = range.clone().map(of).collect();
            baseline.remove(&mut values);
            values
        };
        let place = [0, 1, 2].map(|axis| fast(&|index| positions[index][axis]));
        let forces = match force {
            Channel::Vector(values) => {
                Some([0, 1, 2].map(|axis| fast(&|index| values[index][axis])))
            }
            Channel::Scalar(_) => None,
        };
        let force = fast(&|index| rough[index]);
        let mut sum = Self::default();
        for row in 0..force.len() {
            let p = Vector3::new(place[0][row], place[1][row], place[2][row]);
            sum.place += p * p.transpose();
            sum.place_force += p * force[row];
            sum.force += force[row] * force[row];
            if let Some(forces) = &forces {
                let f = Vector3::new(forces[0][row], forces[1][row], forces[2][row]);
                sum.forces += f * f.transpose();
                sum.both += p * f.transpose();
            }
        }
        sum
    }

    /// Sum over all parts.
    pub(super) fn sum(parts: &[Self]) -> Self {
        parts.iter().fold(Self::default(), |sum, next| Self {
            place: sum.place + next.place,
            place_force: sum.place_force + next.place_force,
            force: sum.force + next.force,
            forces: sum.forces + next.forces,
            both: sum.both + next.both,
        })
    }

    /// Directions that explain the force as well as the best one, the selected one first, with their names.
    fn candidates(&self) -> Vec<(&'static str, Vector3<f64>)> {
        let eigen = self.place.symmetric_eigenvalues();
        let mut candidates = vec![("motion", widest(&self.place))];
        if self.forces.trace() > 0.0 {
            candidates.push(("force", widest(&self.forces)));
        }
        if eigen.min() / eigen.max() > ALL_AROUND * ALL_AROUND
            && let Some(gradient) = self
                .place
                .cholesky()
                .map(|factor| factor.solve(&self.place_force))
            && gradient.norm() > 0.0
        {
            candidates.push(("gradient of the force", gradient.normalize()));
        }
        let highest = candidates
            .iter()
            .map(|entry| self.explained(&entry.1))
            .fold(0.0, f64::max);
        candidates.retain(|entry| self.explained(&entry.1) >= highest - AS_WELL);
        candidates
    }

    /// The selected candidate, and how it compares with the others.
    pub(super) fn normal(&self) -> (Vector3<f64>, String) {
        let candidates = self.candidates();
        let (name, chosen) = candidates[0];
        let others: Vec<String> = candidates[1..]
            .iter()
            .map(|(name, other)| {
                format!(
                    "that of {name} {:.1}° from it explains as much",
                    degrees(&chosen, other)
                )
            })
            .collect();
        let apart = candidates
            .iter()
            .map(|entry| degrees(&chosen, &entry.1))
            .fold(0.0, f64::max);
        let mut said = format!(
            "direction of {name}, along which fast motion explains {:.0} % of the force",
            100.0 * self.explained(&chosen)
        );
        if !others.is_empty() {
            said = format!("{said}; {}", others.join(", "));
        }
        if apart > UNCERTAIN {
            said = format!("{said}: in doubt by {apart:.0}°, --normal sets it");
        }
        (chosen, said)
    }
}

/// Share of the force along the normals of segments that is explained by the depth along them.
fn explained(moments: &[Moments], normals: &[Vector3<f64>]) -> f64 {
    let (mut part, mut whole) = (0.0, 0.0);
    for (moments, normal) in moments.iter().zip(normals) {
        let [depth, across, force] = moments.along(normal);
        part += across * across / depth.max(f64::MIN_POSITIVE);
        whole += force;
    }
    part / f64::max(whole, f64::MIN_POSITIVE)
}

/// Inward normal of each segment: the common one if it explains a force vector as well, or if the individual ones
/// hardly differ from it; otherwise the segment's own principal direction of motion.
pub(super) fn of_stretches(moments: &[Moments], inward: &Vector3<f64>) -> Vec<Vector3<f64>> {
    let own = each(moments, inward, |moments| moments.normal().0);
    let common = vec![*inward; moments.len()];
    let typical = median(own.iter().map(|own| degrees(own, inward)).collect());
    // If the probe yields sideways, its motion turns and the force does not. If both turn, one direction gives the
    // same stiffness.
    let is_vector = moments.iter().all(|moments| moments.forces.trace() > 0.0);
    let explains = || explained(moments, &common) >= explained(moments, &own) - AS_WELL;
    if typical < CURVED || (is_vector && explains()) {
        common
    } else {
        own
    }
}

/// A direction for each segment, oriented like the common one.
fn each(
    moments: &[Moments],
    inward: &Vector3<f64>,
    of: impl Fn(&Moments) -> Vector3<f64>,
) -> Vec<Vector3<f64>> {
    let towards = |direction: Vector3<f64>| direction * direction.dot(inward).signum();
    moments.iter().map(|moments| towards(of(moments))).collect()
}

/// Relative change of the force of each segment per standard error of the normals. Candidates that explain the force
/// as well lie anywhere between the selected ones and the furthest. The same holds for a force vector whose frame may
/// differ from the position's frame (not `shared`).
pub(super) fn relative_errors(
    moments: &[Moments],
    inward: &Vector3<f64>,
    chosen: &[Vector3<f64>],
    shared: bool,
) -> Vec<f64> {
    let mut sets: Vec<Vec<Vector3<f64>>> = Moments::sum(moments)
        .candidates()
        .into_iter()
        .map(|(_, candidate)| vec![candidate; moments.len()])
        .collect();
    // If the motion turns from segment to segment while a force vector does not, the probe yields sideways.
    let is_vector = moments.iter().all(|moments| moments.forces.trace() > 0.0);
    let forces = each(moments, inward, |moments| widest(&moments.forces));
    let common = widest(&Moments::sum(moments).forces);
    let turn = median(forces.iter().map(|own| degrees(own, &common)).collect());
    if !is_vector || turn > CURVED {
        sets.push(each(moments, inward, |moments| widest(&moments.place)));
    }
    if is_vector {
        sets.push(forces);
    }
    let best = sets
        .iter()
        .map(|set| explained(moments, set))
        .fold(0.0, f64::max);
    sets.retain(|set| explained(moments, set) >= best - AS_WELL);
    let mut slopes: Vec<Vec<f64>> = sets
        .iter()
        .map(|set| {
            let pairs = moments.iter().zip(set);
            pairs
                .map(|(moments, normal)| moments.slope(normal))
                .collect()
        })
        .collect();
    let all = Moments::sum(moments);
    if !shared && all.forces.trace() > 0.0 {
        let (motion, force) = (widest(&all.place), widest(&all.forces));
        let whole = |moments: &Moments| {
            let depth = motion.dot(&(moments.place * motion));
            motion.dot(&(moments.both * force)).abs() / depth.max(f64::MIN_POSITIVE)
        };
        if all.explained_along(&motion, &force) >= best - AS_WELL {
            slopes.push(moments.iter().map(whole).collect());
        }
    }
    let shares = |slopes: &[f64]| -> Vec<f64> {
        let triples = moments.iter().zip(slopes.iter().zip(chosen));
        triples
            .map(|(moments, (other, chosen))| {
                UNIFORM * ((other / moments.slope(chosen)).abs() - 1.0).clamp(-1.0, 1.0)
            })
            .collect()
    };
    let size = |shares: &[f64]| shares.iter().sum::<f64>().abs();
    slopes
        .iter()
        .map(|slopes| shares(slopes))
        .filter(|shares| shares.iter().all(|share| share.is_finite()))
        .max_by(|a, b| size(a).total_cmp(&size(b)))
        .unwrap_or_default()
}
