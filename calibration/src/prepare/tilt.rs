//! Uncertainty due to an angle between the motion in contact and the force.
//!
//! With the angle α, the length L of the press along the motion and the magnitude F of the force:
//!
//! | explanation | normal | depth | force |
//! |---|---|---|---|
//! | friction | motion | L | F cos α |
//! | motion sideways | force | L cos α | F |
//! | force in another frame than the position | motion | L | F |
//!
//! One explanation is selected. The interval covers the one that differs most from it.

use nalgebra::Vector3;

use super::{
    directions::{along, correlation, degrees, mean, principal},
    findings::Findings,
    force_change::Change,
    track::Scale,
};

/// Change of the stiffness above which a note is added.
pub(super) const TOLD: f64 = 0.01;
/// A force anywhere between two explanations: standard deviation of a uniform distribution, relative to its half
/// width.
pub(super) const UNIFORM: f64 = 0.577_350_269_189_625_8;
/// Maximum angle between press and motion [°]; with a larger angle the probe slides.
const SLIDES: f64 = 60.0;

/// The samples in contact, and their principal direction.
pub(super) struct ContactSamples {
    samples: Vec<usize>,
    pub(super) motion: Vector3<f64>,
}

/// The samples in contact.
pub(super) fn touching(positions: &[[f64; 3]], rough: &[f64]) -> ContactSamples {
    let samples = Change::of(rough).contact;
    let of = || samples.iter().map(|&index| &positions[index]);
    ContactSamples {
        motion: principal(of(), mean(of())),
        samples,
    }
}

impl ContactSamples {
    /// Slope of a force over the depth along a direction [N/m], by least squares, without its sign.
    pub(super) fn slope(&self, positions: &[[f64; 3]], force: &[f64], axis: &Vector3<f64>) -> f64 {
        let depth = along(positions, axis);
        let n = self.samples.len().max(1) as f64;
        let middle = |values: &[f64]| self.samples.iter().map(|&i| values[i]).sum::<f64>() / n;
        let (x0, y0) = (middle(&depth), middle(force));
        let sum = |of: &dyn Fn(usize) -> f64| self.samples.iter().map(|&i| of(i)).sum::<f64>();
        let across = sum(&|i| (depth[i] - x0) * (force[i] - y0));
        let power = sum(&|i| (depth[i] - x0).powi(2));
        (across / power.max(f64::MIN_POSITIVE)).abs()
    }
}

/// Directions of motion and force, and how they are known.
pub(super) struct Directions {
    pub(super) motion: Vector3<f64>,
    pub(super) force: Vector3<f64>,
    /// Whether both are known to be in the same frame.
    pub(super) shared: bool,
    /// Whether the normal was given.
    pub(super) given: bool,
}

/// How depth and force were computed from the vectors.
#[derive(Clone, Copy)]
pub(super) struct Projection {
    /// Ratio of the depth to the length of the motion.
    pub(super) depth: f64,
    /// Ratio of the force to its magnitude.
    pub(super) force: f64,
}

impl Directions {
    pub(super) fn apart(&self) -> f64 {
        degrees(&self.motion, &self.force)
    }

    /// Whether a force in another frame is more likely than a motion sideways: motion along its own direction
    /// explains the force as well.
    pub(super) fn other_frame(
        &self,
        contact: &[usize],
        positions: &[[f64; 3]],
        rough: &[f64],
    ) -> bool {
        let explains = |axis: &Vector3<f64>| {
            let depth = along(positions, axis);
            correlation(contact.iter().map(|&i| (depth[i], rough[i]))).abs()
        };
        !self.shared && explains(&self.motion) >= explains(&self.force) - AS_WELL
    }

    /// Change by the other explanations per standard error; adds a note if it is large.
    pub(super) fn scale_error(&self, taken: Projection, findings: &mut Findings) -> Option<Scale> {
        let cosine = self.motion.dot(&self.force).abs().min(1.0);
        let mut others = Vec::new();
        if !self.given && self.apart() < SLIDES {
            others.push(Projection {
                depth: 1.0,
                force: cosine,
            });
            others.push(Projection {
                depth: cosine,
                force: 1.0,
            });
        }
        if !self.shared {
            others.push(Projection {
                depth: if self.given { taken.depth } else { 1.0 },
                force: 1.0,
            });
        }
        let change =
            |other: &Projection| (other.force / other.depth) / (taken.force / taken.depth) - 1.0;
        let furthest = others
            .into_iter()
            .max_by(|a, b| change(a).abs().total_cmp(&change(b).abs()))?;
        let most = change(&furthest);
        if most == 0.0 {
            return None;
        }
        if most.abs() > TOLD {
            let (causes, ways) = match (self.shared, self.given) {
                (true, _) => ("friction, or motion sideways", "--normal sets the normal"),
                (false, true) => (
                    "friction, or a force in another frame than the position's",
                    "--force-frame base says that they share one, an orientation (qx, qy, qz, qw) turns it",
                ),
                (false, false) => (
                    "friction, motion sideways, or a force in another frame than the position's",
                    "--force-frame base says that they share one and an orientation (qx, qy, qz, qw) turns it; --normal sets the normal",
                ),
            };
            findings.note(format!(
                "the force points {:.0}° away from the motion in contact ({causes}): that leaves {:.0} % of the stiffness open, which the intervals take in; {ways}",
                self.apart(),
                100.0 * most.abs()
            ));
        }
        Some(Scale {
            depth: UNIFORM * (furthest.depth / taken.depth - 1.0),
            force: vec![UNIFORM * (furthest.force / taken.force - 1.0)],
        })
    }
}

/// Correlations of the force with depth along two directions are equal within this margin.
const AS_WELL: f64 = 0.01;
