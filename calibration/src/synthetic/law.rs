//! Force of a tissue with a known law along a known motion.
//!
//! With indentation r > 0 and its rate ṙ:
//!
//! | law | force | source |
//! |---|---|---|
//! | Kelvin–Voigt | f = k r + c ṙ | |
//! | Hunt–Crossley | f = κ rⁿ + λ rᵐ ṙ | Hunt and Crossley 1975 |
//! | standard linear solid | f = k∞ r + f₁, ḟ₁ = k₁ ṙ − f₁/τ | Zener 1948 |
//! | Hertz | f = 4/3 E/(1−ν²) √R r^{3/2} | Hertz 1882 |
//! | flat punch | f = 2 a E/(1−ν²) r | Sneddon 1965 |
//!
//! Tissue does not pull: the force is 0 if the law gives a negative force or r ≤ 0. The branch of the standard linear
//! solid follows max(r, 0) and is relaxed at the start.

use super::trajectory::{MotionState, Trajectory};

/// A law with its parameters, in SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// A spring parallel to a damper.
    KelvinVoigt {
        /// k [N/m].
        stiffness: f64,
        /// c [N·s/m].
        damping: f64,
    },
    /// A spring and a damper that stiffen with depth.
    HuntCrossley {
        /// κ [N/mⁿ].
        kappa: f64,
        /// λ [N·s/m^(m+1)].
        lambda: f64,
        /// n.
        n: f64,
        /// m.
        m: f64,
    },
    /// A spring parallel to a spring and a damper in series.
    StandardLinearSolid {
        /// k∞ [N/m].
        stiffness: f64,
        /// k₁ [N/m].
        branch_stiffness: f64,
        /// τ [s].
        relaxation_time: f64,
    },
    /// A sphere on an elastic half space.
    Hertz {
        /// E [Pa].
        young_modulus: f64,
        /// ν.
        poisson_ratio: f64,
        /// Radius of the sphere [m].
        radius: f64,
    },
    /// A flat cylinder on an elastic half space.
    FlatPunch {
        /// E [Pa].
        young_modulus: f64,
        /// ν.
        poisson_ratio: f64,
        /// Radius of the cylinder [m].
        radius: f64,
    },
}

impl Law {
    /// Parameters by the names used in fits.
    pub fn parameters(&self) -> Vec<(&'static str, f64)> {
        match *self {
            Self::KelvinVoigt { stiffness, damping } => {
                vec![("stiffness", stiffness), ("damping", damping)]
            }
            Self::HuntCrossley {
                kappa,
                lambda,
                n,
                m,
            } => vec![
                ("kappa", kappa),
                ("lambda", lambda),
                ("exponent_n", n),
                ("exponent_m", m),
            ],
            Self::StandardLinearSolid {
                stiffness,
                branch_stiffness,
                relaxation_time,
            } => vec![
                ("stiffness", stiffness),
                ("branch_stiffness", branch_stiffness),
                ("relaxation_time", relaxation_time),
                ("damping", branch_stiffness * relaxation_time),
            ],
            Self::Hertz { young_modulus, .. } => vec![
                ("kappa", self.elastic_coefficient()),
                ("young_modulus", young_modulus),
            ],
            Self::FlatPunch { young_modulus, .. } => vec![
                ("stiffness", self.elastic_coefficient()),
                ("young_modulus", young_modulus),
            ],
        }
    }

    /// Factor of r^{3/2} (Hertz, N/m^1.5) or r (flat punch, N/m); 0 for the other laws.
    pub fn elastic_coefficient(&self) -> f64 {
        match *self {
            Self::Hertz {
                young_modulus,
                poisson_ratio,
                radius,
            } => 4.0 / 3.0 * young_modulus / (1.0 - poisson_ratio * poisson_ratio) * radius.sqrt(),
            Self::FlatPunch {
                young_modulus,
                poisson_ratio,
                radius,
            } => 2.0 * radius * young_modulus / (1.0 - poisson_ratio * poisson_ratio),
            _ => 0.0,
        }
    }

    /// Force on the tissue [N] at the given times [s], which must not decrease; before time 0 the motion is at rest.
    pub(super) fn forces(&self, motion: &Trajectory, times: &[f64]) -> Vec<f64> {
        if let Self::StandardLinearSolid {
            stiffness,
            branch_stiffness,
            relaxation_time,
        } = *self
        {
            let branch = branch_forces(motion, times, branch_stiffness, relaxation_time);
            return times
                .iter()
                .zip(branch)
                .map(|(&time, branch)| {
                    let indentation = motion.at(time).indentation;
                    pushing(indentation, stiffness * indentation + branch)
                })
                .collect();
        }
        times
            .iter()
            .map(|&time| self.instantaneous(motion.at(time)))
            .collect()
    }

    /// Force of the laws without memory, and of the relaxed standard linear solid [N].
    fn instantaneous(&self, state: MotionState) -> f64 {
        let r = state.indentation.max(0.0);
        let force = match *self {
            Self::KelvinVoigt { stiffness, damping } => stiffness * r + damping * state.velocity,
            Self::HuntCrossley {
                kappa,
                lambda,
                n,
                m,
            } => kappa * r.powf(n) + lambda * r.powf(m) * state.velocity,
            Self::StandardLinearSolid { stiffness, .. } => stiffness * r,
            Self::Hertz { .. } => self.elastic_coefficient() * r.powf(1.5),
            Self::FlatPunch { .. } => self.elastic_coefficient() * r,
        };
        pushing(state.indentation, force)
    }
}

fn pushing(indentation: f64, force: f64) -> f64 {
    if indentation > 0.0 {
        force.max(0.0)
    } else {
        0.0
    }
}

/// Nodes and weights of the five-point Gauss–Legendre rule on [0, 1].
const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668, 0.118_463_442_528_094_55),
    (0.230_765_344_947_158_45, 0.239_314_335_249_683_24),
    (0.5, 0.284_444_444_444_444_45),
    (0.769_234_655_052_841_5, 0.239_314_335_249_683_24),
    (0.953_089_922_969_332, 0.118_463_442_528_094_55),
];

/// f₁(t) = k₁ ∫ e^{−(t−s)/τ} ṙ₊(s) ds. Exact up to rounding, because no step crosses a kink of the motion and steps
/// are short compared with τ and 1 ms.
fn branch_forces(
    motion: &Trajectory,
    times: &[f64],
    branch_stiffness: f64,
    relaxation_time: f64,
) -> Vec<f64> {
    let longest = (relaxation_time / 4.0).min(1e-3);
    let mut kinks = motion.kinks().into_iter().peekable();
    let (mut now, mut force) = (0.0, 0.0);
    let mut forces = Vec::with_capacity(times.len());
    for &time in times {
        while now < time {
            while kinks.next_if(|&kink| kink <= now).is_some() {}
            let step = kinks
                .peek()
                .map_or(time, |&kink| kink.min(time))
                .min(now + longest)
                - now;
            let driven: f64 = GAUSS
                .iter()
                .map(|(node, weight)| {
                    let state = motion.at(now + node * step);
                    let rate = if state.indentation > 0.0 {
                        state.velocity
                    } else {
                        0.0
                    };
                    weight * rate * (-(1.0 - node) * step / relaxation_time).exp()
                })
                .sum();
            force = force * (-step / relaxation_time).exp() + branch_stiffness * driven * step;
            // Adding the step could leave a remainder too small to add: use the time itself.
            now = if time - now <= step { time } else { now + step };
        }
        forces.push(force);
    }
    forces
}
