//! Normal of a surface from fast motion and force.
//!
//! The normal is sought in the fast motion, from which a baseline was taken, among three directions u; that one is taken whose uᵀp explains the force:
//!
//! | candidate | is right where |
//! |---|---|
//! | principal direction of motion | the probe presses along the normal |
//! | principal direction of the force, where that is a vector | friction is small |
//! | gradient of the force over place | the probe moves sideways as fast as it presses |

use nalgebra::{Matrix3, Vector3};

use super::{baseline::Baseline, noise::median};
use crate::{Channel, Log};

/// A candidate explains the force as well as the best where its R² is within this.
const AS_WELL: f64 = 0.02;
/// Least share of its largest spread that the fast motion needs in every direction for a gradient.
const ALL_AROUND: f64 = 0.05;
/// Normals of stretches further from the common one [°] are their own.
const CURVED: f64 = 2.0;
/// Candidates further apart [°] are a doubt.
const DOUBTFUL: f64 = 5.0;

/// Fast motion and force of samples, summed.
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
    /// Share of the force's variance that motion along a direction explains.
    fn explained(&self, direction: &Vector3<f64>) -> f64 {
        let across = direction.dot(&self.place_force);
        let power = direction.dot(&(self.place * direction)) * self.force;
        if power > 0.0 {
            across * across / power
        } else {
            0.0
        }
    }

    pub(super) fn of(
        log: &Log,
        positions: &[[f64; 3]],
        rough: &[f64],
        range: std::ops::Range<usize>,
    ) -> Self {
        let baseline = Baseline::of(&log.time[range.clone()]);
        let fast = |of: &dyn Fn(usize) -> f64| {
            let mut values: Vec<f64> = range.clone().map(of).collect();
            baseline.remove(&mut values);
            values
        };
        let place = [0, 1, 2].map(|axis| fast(&|index| positions[index][axis]));
        let force = fast(&|index| rough[index]);
        let forces = match &log.force {
            Channel::Vector(values) => {
                Some([0, 1, 2].map(|axis| fast(&|index| values[index][axis])))
            }
            Channel::Scalar(_) => None,
        };
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

    /// Of all together.
    pub(super) fn sum(parts: &[Self]) -> Self {
        parts.iter().fold(Self::default(), |sum, next| Self {
            place: sum.place + next.place,
            place_force: sum.place_force + next.place_force,
            force: sum.force + next.force,
            forces: sum.forces + next.forces,
            both: sum.both + next.both,
        })
    }

    /// The candidate that explains the force, and what the others say.
    pub(super) fn normal(&self) -> (Vector3<f64>, String) {
        let eigen = self.place.symmetric_eigen();
        let mut candidates = vec![(
            "motion",
            eigen
                .eigenvectors
                .column(eigen.eigenvalues.imax())
                .into_owned(),
        )];
        if self.forces.trace() > 0.0 {
            let eigen = self.forces.symmetric_eigen();
            candidates.push((
                "force",
                eigen
                    .eigenvectors
                    .column(eigen.eigenvalues.imax())
                    .into_owned(),
            ));
        }
        let least = eigen.eigenvalues.min() / eigen.eigenvalues.max();
        if least > ALL_AROUND * ALL_AROUND
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
        if apart > DOUBTFUL {
            said = format!(
                "{said}: in doubt by {apart:.0}°, stiffness by {:.1} %, --normal sets it",
                100.0 * (1.0 / apart.to_radians().cos() - 1.0)
            );
        }
        (chosen, said)
    }
}

/// Inward normal of each stretch: its own principal direction of motion where these differ, otherwise the common one.
pub(super) fn of_stretches(moments: &[Moments], inward: &Vector3<f64>) -> Vec<Vector3<f64>> {
    let own: Vec<Vector3<f64>> = moments
        .iter()
        .map(|moments| {
            let own = moments.normal().0;
            own * own.dot(inward).signum()
        })
        .collect();
    let typical = median(own.iter().map(|own| degrees(own, inward)).collect());
    if typical < CURVED {
        vec![*inward; moments.len()]
    } else {
        own
    }
}

/// Angle between two lines [°].
pub(super) fn degrees(a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
    a.dot(b).abs().clamp(0.0, 1.0).acos().to_degrees()
}
