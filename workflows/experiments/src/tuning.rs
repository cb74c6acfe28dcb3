//! Root finding with two unknowns: finds the parameters with which a measured pair equals a target pair.
//!
//! Newton's method on logarithms with Broyden's update of the Jacobian (Broyden 1965, "good" update), inside bounds:
//!
//! $$ x \leftarrow x + J^{-1} (\ln y^* - \ln y(x)), \qquad J \leftarrow J + \frac{(\Delta \ln y - J s)\, s^T}{s^T s} $$
//!
//! It starts from $J = 1$: each unknown changes its own answer in proportion. Every measurement is a simulated press, so few are made.

use nalgebra::{Matrix2, Vector2};

use super::ExperimentError;

/// Maximum step of an unknown, as a logarithm: a factor of four.
const LONGEST_STEP: f64 = 1.4;
/// Steps shorter than this end the search.
const SHORTEST_STEP: f64 = 1e-4;
/// Minimum ratio of an answer to its target. Smaller ones count as this ratio, so that the logarithm exists.
const LEAST_SHARE: f64 = 0.02;

/// Target and limits of the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct TuningProblem {
    /// Target pair, positive.
    pub(super) target: [f64; 2],
    /// Initial unknowns, positive.
    pub(super) start: [f64; 2],
    /// Minimum and maximum of each unknown.
    pub(super) bounds: [[f64; 2]; 2],
    /// Relative errors at which the search ends.
    pub(super) tolerance: [f64; 2],
    /// Maximum number of measurements.
    pub(super) most: usize,
}

/// Best solution that was found.
#[derive(Clone, Debug)]
pub(super) struct TuningSolution<T> {
    /// The unknowns.
    pub(super) unknowns: [f64; 2],
    /// Measured answers for these unknowns.
    pub(super) answer: [f64; 2],
    pub(super) detail: T,
    /// Number of measurements.
    pub(super) n: usize,
    /// Whether a measurement was interrupted. This ends the search.
    pub(super) interrupted: bool,
}

/// Relative error of each answer.
pub(super) fn relative_errors(answer: [f64; 2], target: [f64; 2]) -> [f64; 2] {
    [0, 1].map(|i| answer[i] / target[i] - 1.0)
}

/// Solves a problem. `measure` takes the unknowns and returns the answers with additional details.
pub(super) fn tune<T: Clone>(
    problem: &TuningProblem,
    mut measure: impl FnMut([f64; 2]) -> Result<([f64; 2], T), ExperimentError>,
) -> Result<TuningSolution<T>, ExperimentError> {
    let [low, high] =
        [0, 1].map(|end| Vector2::from(problem.bounds.map(|bounds| bounds[end].ln())));
    let inside = |x: Vector2<f64>| x.zip_zip_map(&low, &high, f64::clamp);
    let miss = |answer: [f64; 2]| {
        Vector2::from([0, 1].map(|i| -(answer[i] / problem.target[i]).max(LEAST_SHARE).ln()))
    };
    let mut x = inside(Vector2::from(problem.start.map(f64::ln)));
    let (answer, detail) = measure(x.map(f64::exp).into())?;
    let mut best = TuningSolution {
        unknowns: x.map(f64::exp).into(),
        answer,
        detail,
        n: 1,
        interrupted: false,
    };
    let mut residual = miss(answer);
    let mut jacobian = Matrix2::<f64>::identity();
    let mut reach = 1.0;
    while best.n < problem.most && !is_close(best.answer, problem) {
        if !jacobian.determinant().is_finite() || jacobian.determinant().abs() < 0.02 {
            jacobian = Matrix2::identity();
        }
        let newton = jacobian.try_inverse().unwrap_or_else(Matrix2::identity) * residual;
        let step = newton.map(|s| (s * reach).clamp(-LONGEST_STEP, LONGEST_STEP));
        let trial = inside(x + step);
        let step = trial - x;
        if step.amax() < SHORTEST_STEP {
            break;
        }
        let (answer, detail) = match measure(trial.map(f64::exp).into()) {
            Err(ExperimentError::Interrupted(_)) => {
                best.interrupted = true;
                break;
            }
            measured => measured?,
        };
        best.n += 1;
        let left = miss(answer);
        let change = residual - left;
        jacobian += (change - jacobian * step) * step.transpose() / step.norm_squared();
        if left.norm() < residual.norm() {
            (x, residual, reach) = (trial, left, 1.0);
            best = TuningSolution {
                unknowns: x.map(f64::exp).into(),
                answer,
                detail,
                n: best.n,
                interrupted: false,
            };
        } else {
            reach *= 0.5;
        }
    }
    Ok(best)
}

fn is_close(answer: [f64; 2], problem: &TuningProblem) -> bool {
    let errors = relative_errors(answer, problem.target);
    errors
        .iter()
        .zip(problem.tolerance)
        .all(|(error, tolerance)| error.abs() <= tolerance)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROBLEM: TuningProblem = TuningProblem {
        target: [1324.0, 17.6],
        start: [500.0, 50.0],
        bounds: [[1.0, 1e5], [0.1, 500.0]],
        tolerance: [1e-3; 2],
        most: 15,
    };

    #[test]
    fn coupled_and_curved_answers_are_hit_in_few_measurements() {
        // The stiffness answers less than in proportion and affects the damping, which has an offset.
        let law = |[k, c]: [f64; 2]| [3.0 * k.powf(0.8), 2.0 + 0.5 * c + 0.004 * k];
        let found = tune(&PROBLEM, |x| Ok((law(x), ()))).unwrap();
        assert!(is_close(found.answer, &PROBLEM), "{found:?}");
        assert!(found.n <= 10, "{} measurements", found.n);
    }

    #[test]
    fn an_answer_out_of_reach_ends_at_the_bound_with_the_other_one_hit() {
        let law = |[k, c]: [f64; 2]| [k, 30.0 + c];
        let found = tune(&PROBLEM, |x| Ok((law(x), ()))).unwrap();
        assert!((found.unknowns[1] - 0.1).abs() < 1e-9, "{found:?}");
        assert!((found.answer[0] / 1324.0 - 1.0).abs() < 0.01, "{found:?}");
    }
}
