//! Weight of the tool and constant bias of a force sensor that rotates with the tool, from free air in which it
//! rotated.
//!
//! ```text
//! f = b + m Rᵀ g        R rotates the tool's frame into the position's; g = (0, 0, −9.80665 m/s²) there
//! ```
//!
//! Least squares over the samples before contact: from the first one on, as long as this law explains them within the
//! sensor's noise.

use nalgebra::{Matrix4, UnitQuaternion, Vector3, Vector4};

use super::{findings::Findings, noise::white_noise};
use crate::statistics::hac;

/// Standard gravity [m/s²] (CGPM 1901).
const GRAVITY: f64 = 9.806_65;
/// Standard deviation of the tool's tilt in air [°] below which its weight cannot be separated from the bias.
const LEAST_TILT: f64 = 3.0;
/// Change of the tilt over the log [°] above which an unknown weight is reported.
const TOLD: f64 = 5.0;
/// Minimum number of samples of air.
const FEWEST: usize = 40;
/// A block of samples whose error exceeds this multiple of the white noise is not air.
const NO_AIR: f64 = 2.0;
/// Fraction 1/n of the air before contact that is left out, because early contact hides in the noise.
const MARGIN: usize = 10;

/// Weight and bias, in the tool's frame.
pub(super) struct Weight {
    bias: Vector3<f64>,
    mass: f64,
    /// Covariance of bias and mass.
    covariance: Matrix4<f64>,
    n_air: usize,
}

/// Gravity in the tool's frame [m/s²].
fn gravity(turn: &UnitQuaternion<f64>) -> Vector3<f64> {
    turn.inverse() * Vector3::new(0.0, 0.0, -GRAVITY)
}

/// Largest change of the tool's tilt against gravity [°].
pub(super) fn tilted(turns: &[UnitQuaternion<f64>]) -> f64 {
    let Some(first) = turns.first() else {
        return 0.0;
    };
    let first = gravity(first);
    let angle = |turn| gravity(turn).angle(&first).to_degrees();
    turns.iter().map(angle).fold(0.0, f64::max)
}

/// Notes that the force may contain a weight.
pub(super) fn note_unknown(tilted: f64, findings: &mut Findings) {
    if tilted > TOLD {
        findings.note(format!(
            "the tool tilts by {tilted:.0}° in the log, and free air does not tell its weight: what weight and bias change with that is in the force; turn the tool in free air before the press, or take its weight out before"
        ));
    }
}

/// Sums of the least-squares problem.
#[derive(Clone, Copy, Default)]
struct Sums {
    n: f64,
    force: Vector3<f64>,
    gravity: Vector3<f64>,
    forces: f64,
    gravities: f64,
    both: f64,
}

impl Sums {
    fn add(&mut self, force: &Vector3<f64>, gravity: &Vector3<f64>) {
        self.n += 1.0;
        self.force += force;
        self.gravity += gravity;
        self.forces += force.norm_squared();
        self.gravities += gravity.norm_squared();
        self.both += force.dot(gravity);
    }

    /// Σ |g − ḡ|².
    fn spread(&self) -> f64 {
        self.gravities - self.gravity.norm_squared() / self.n
    }

    fn solved(&self) -> (Vector3<f64>, f64) {
        let spread = self.spread();
        // Without rotation, everything is bias.
        let mass = if spread > 1e-9 * self.gravities {
            (self.both - self.force.dot(&self.gravity) / self.n) / spread
        } else {
            0.0
        };
        ((self.force - self.gravity * mass) / self.n, mass)
    }
}

/// Weight and bias; `None` if the tool did not rotate enough in free air.
pub(super) fn found(forces: &[[f64; 3]], turns: &[UnitQuaternion<f64>]) -> Option<Weight> {
    let n = forces.len();
    if turns.len() != n || tilted(turns) < LEAST_TILT {
        return None;
    }
    let noise = [0, 1, 2]
        .map(|axis| white_noise(&forces.iter().map(|f| f[axis]).collect::<Vec<_>>()))
        .into_iter()
        .map(|noise| noise * noise)
        .sum::<f64>()
        .sqrt();
    let block = (n / 200).max(10);
    let sample = |index: usize| (Vector3::from(forces[index]), gravity(&turns[index]));
    let mut sums = Sums::default();
    let mut end = 0;
    while end + block <= n {
        let mut next = sums;
        for index in end..end + block {
            let (force, gravity) = sample(index);
            next.add(&force, &gravity);
        }
        let (bias, mass) = next.solved();
        let errors = (end..end + block).map(|index| {
            let (force, gravity) = sample(index);
            (force - bias - gravity * mass).norm_squared()
        });
        let error = (errors.sum::<f64>() / block as f64).sqrt();
        if error > NO_AIR * noise {
            break;
        }
        sums = next;
        end += block;
    }
    let n_air = end - (end / MARGIN).max(15).min(end);
    if n_air < FEWEST {
        return None;
    }
    let mut sums = Sums::default();
    for index in 0..n_air {
        let (force, gravity) = sample(index);
        sums.add(&force, &gravity);
    }
    let least = GRAVITY * LEAST_TILT.to_radians();
    if sums.spread() < least * least * sums.n {
        return None;
    }
    let (bias, mass) = sums.solved();
    let mut normal = Matrix4::identity() * sums.n;
    normal.fixed_view_mut::<3, 1>(0, 3).copy_from(&sums.gravity);
    normal
        .fixed_view_mut::<1, 3>(3, 0)
        .copy_from(&sums.gravity.transpose());
    normal[(3, 3)] = sums.gravities;
    let inverse = normal.try_inverse()?;
    let mut influence: [Vec<f64>; 4] = Default::default();
    for index in 0..n_air {
        let (force, gravity) = sample(index);
        let error = force - bias - gravity * mass;
        let score = Vector4::new(error.x, error.y, error.z, error.dot(&gravity));
        let moved = inverse * score;
        for (series, value) in influence.iter_mut().zip(moved.iter()) {
            series.push(*value);
        }
    }
    let covariance = hac::long_run_covariance(&influence, hac::bandwidth(&influence));
    Some(Weight {
        bias,
        mass,
        covariance: Matrix4::from_fn(|i, j| covariance[(i, j)]),
        n_air,
    })
}

impl Weight {
    /// The force in the tool's frame without contact [N].
    pub(super) fn force(&self, turn: &UnitQuaternion<f64>) -> Vector3<f64> {
        self.bias + gravity(turn) * self.mass
    }

    /// Reports both.
    pub(super) fn state(&self, findings: &mut Findings) {
        let error = |index: usize| self.covariance[(index, index)].max(0.0).sqrt();
        let how = format!(
            "from {} samples of free air in which the tool turned, with gravity along −z of the position's frame; removed",
            self.n_air
        );
        // A sensor that measures the force on the tissue has the weight with opposite sign.
        findings.choose(
            "tool mass",
            format!("{:.4} ± {:.4} kg", self.mass.abs(), error(3)),
            how,
        );
        findings.choose(
            "sensor bias",
            format!(
                "({:.4}, {:.4}, {:.4}) ± ({:.4}, {:.4}, {:.4}) N",
                self.bias.x,
                self.bias.y,
                self.bias.z,
                error(0),
                error(1),
                error(2)
            ),
            "in the tool's frame, from the same; removed",
        );
    }

    /// Change of the force per standard error along each principal direction of the covariance, in the position's
    /// frame.
    pub(super) fn changes(&self, turns: &[UnitQuaternion<f64>]) -> Vec<Vec<[f64; 3]>> {
        let eigen = self.covariance.symmetric_eigen();
        let directions = eigen.eigenvectors.column_iter().zip(&eigen.eigenvalues);
        let changes = directions.map(|(direction, variance)| {
            let step = direction * variance.max(0.0).sqrt();
            let bias = Vector3::new(step[0], step[1], step[2]);
            let change = turns
                .iter()
                .map(|turn| (turn * (bias + gravity(turn) * step[3])).into());
            change.collect()
        });
        changes.collect()
    }
}
