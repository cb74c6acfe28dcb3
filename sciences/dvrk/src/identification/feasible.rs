//! Physically feasible fit: least squares over parameters of feasible bodies (Sousa, Cortesão 2014; Wang et al. 2019, Eq. 14 to 20).
//!
//! minimise ½ |R B δ - z|² + ½ λ |D (δ - δ₀)|² over the standard parameters δ,
//! with every link's pseudo-inertia positive definite, masses and centres within bounds, and friction, motor inertia and stiffness non-negative.
//! B maps δ to base parameters. The second term only selects among parameters that torques cannot distinguish.
//!
//! This is a semidefinite programme with eight 4×4 blocks, solved by a barrier method (Boyd, Vandenberghe 2004, §11.3): Newton steps on t f(δ) - Σ log det P(δ) - Σ log s(δ) with growing t.
//! All iterates are strictly feasible, and their objective is at most n_barriers / t above the minimum.
//! General conic solvers are not used here: their semidefinite cones link LAPACK, a Fortran library.

use nalgebra::{DMatrix, DVector, Matrix4, SMatrix, SVector};

use crate::dynamics::{
    BaseParameters, FRICTION, HEAVY_LINKS, MOTOR_INERTIA, N_INERTIAL, N_PARAMETERS,
};
use crate::error::DvrkError;
use crate::inertia::Inertia;
use crate::joints::N_DRIVES;
use crate::psm::Psm;

/// Allowed masses of a link [kg].
const MASSES: [f64; 2] = [0.02, 20.0];
/// Maximum distance between the centre of each heavy link and its frame's origin along each axis [m]: about the size of the link.
const CENTRES: [[f64; 3]; HEAVY_LINKS.len()] = [
    [0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3],
    [0.6, 0.2, 0.2],
    [0.6, 0.2, 0.2],
    [0.3, 0.3, 0.3],
    [0.3, 0.3, 0.3],
    [0.3, 0.3, 0.4],
    [0.3, 0.3, 0.4],
];
/// Preferred values of unidentifiable parameters: mass [kg] and moment of inertia [kg m²] of a link.
const TYPICAL: [f64; 2] = [1.0, 0.02];
/// Weight λ of a fit. It is small enough to have no effect on the torques.
pub(super) const PULL: f64 = 1e-6;
/// Weight λ of the search for feasible bodies, which keeps them near the given ones.
const NEAR: f64 = 1e4;
/// Gap to the minimum, in units of the objective, at which a fit stops.
pub(super) const GAP: f64 = 1e-4;
/// Gap at which the search for feasible bodies stops. It stops early, well inside the constraints.
const GAP_INSIDE: f64 = 1e-2;
/// Weight of base parameters in the search for feasible bodies, per SI unit; the remaining misfit is removed afterwards.
const EXACT: f64 = 1e5;
/// Factor by which t grows.
const GROWTH: f64 = 8.0;
/// Maximum total number of Newton steps.
const MAX_STEPS: usize = 2000;

/// A quadratic in base parameters: ½ |R β - z|². A residual of one is one standard deviation.
#[derive(Debug, Clone)]
pub(super) struct BaseMisfit<'a> {
    pub(super) from_standard: &'a DMatrix<f64>,
    /// Indices of the standard parameters whose columns of `from_standard` form the identity.
    pub(super) independent: &'a [usize],
    /// R, upper triangular.
    pub(super) factor: DMatrix<f64>,
    pub(super) target: DVector<f64>,
}

impl BaseMisfit<'_> {
    /// ½ |R B δ - z|².
    pub(super) fn value(&self, delta: &DVector<f64>) -> f64 {
        let residual = &self.factor * (self.from_standard * delta) - &self.target;
        0.5 * residual.norm_squared()
    }

    /// Linear map from x = (R β, dependent parameters) to standard parameters.
    fn standard_from_x(&self) -> Result<DMatrix<f64>, DvrkError> {
        let n_base = self.independent.len();
        let unit = DMatrix::identity(n_base, n_base);
        let base_from_x = (self.factor.solve_upper_triangular(&unit)).ok_or_else(lost)?;
        let mut from_x = DMatrix::zeros(N_PARAMETERS, N_PARAMETERS);
        for (row, index) in self.independent.iter().enumerate() {
            from_x
                .view_mut((*index, 0), (1, n_base))
                .copy_from(&base_from_x.row(row));
        }
        for (column, index) in (n_base..).zip(self.dependent()) {
            from_x[(index, column)] = 1.0;
            for (row, independent) in self.independent.iter().enumerate() {
                from_x[(*independent, column)] = -self.from_standard[(row, index)];
            }
        }
        Ok(from_x)
    }

    fn x_of(&self, delta: &DVector<f64>) -> DVector<f64> {
        let base = &self.factor * (self.from_standard * delta);
        let others: Vec<f64> = self.dependent().map(|index| delta[index]).collect();
        DVector::from_iterator(N_PARAMETERS, base.iter().copied().chain(others))
    }

    fn dependent(&self) -> impl Iterator<Item = usize> {
        (0..N_PARAMETERS).filter(|index| !self.independent.contains(index))
    }
}

/// Preference among parameters that torques cannot distinguish: values near `centre`.
pub(super) struct Preference<'a> {
    pub(super) centre: &'a DVector<f64>,
    /// λ: cost of a deviation by one typical size, in squared standard deviations.
    pub(super) weight: f64,
}

/// The best feasible standard parameters; their objective is at most `gap` above the minimum.
pub(super) fn solve(
    misfit: &BaseMisfit<'_>,
    preference: &Preference<'_>,
    gap: f64,
) -> Result<DVector<f64>, DvrkError> {
    // In x = (R β, dependent parameters) the misfit is ½ |x_1 - z|²: it is well scaled and does not involve the undetermined parameters.
    let from_x = misfit.standard_from_x()?;
    let n_base = misfit.target.len();
    let pull = typical_size().map(|size| preference.weight / (size * size));
    let mut hessian = from_x.transpose() * DMatrix::from_diagonal(&pull) * &from_x;
    let mut linear = from_x.transpose() * pull.component_mul(preference.centre);
    for row in 0..n_base {
        hessian[(row, row)] += 1.0;
        linear[row] += misfit.target[row];
    }
    let value = |x: &DVector<f64>| {
        let delta = &from_x * x;
        let off = &delta - preference.centre;
        let rest = x.rows(0, n_base) - &misfit.target;
        0.5 * (rest.norm_squared() + off.dot(&pull.component_mul(&off)))
    };

    let mut x = misfit.x_of(&typical());
    let n_barriers = Barrier::at(&typical()).map_or(0.0, |barrier| barrier.degree);
    let mut t = n_barriers / value(&x).max(gap);
    for _ in 0..MAX_STEPS {
        // Compute a Newton step of t f + barrier.
        let barrier = Barrier::at(&(&from_x * &x)).ok_or_else(lost)?;
        let gradient = (&hessian * &x - &linear) * t + from_x.transpose() * &barrier.gradient;
        let curvature = &hessian * t + from_x.transpose() * &barrier.hessian * &from_x;
        let step = -solve_scaled(&curvature, &gradient)?;
        let decrement = -gradient.dot(&step);

        // Backtrack along it until the candidate is feasible and the decrease is sufficient.
        let merit = |x: &DVector<f64>| Some(t * value(x) + Barrier::value(&(&from_x * x))?);
        let start = merit(&x).ok_or_else(lost)?;
        let lengths = std::iter::successors(Some(1.0), |length| Some(0.5 * length));
        let better = lengths.take(40).find_map(|length: f64| {
            let candidate = &x + &step * length;
            let reached = merit(&candidate)?;
            (reached <= start - 0.1 * length * decrement).then_some(candidate)
        });

        // The iterate is centred, or as close as rounding allows: increase t, or stop.
        let centred = better.is_none() || decrement < 1e-3;
        x = better.unwrap_or(x);
        if centred {
            if n_barriers / t < gap {
                return Ok(&from_x * &x);
            }
            t *= GROWTH;
        }
    }
    Err(DvrkError::NoConvergence(format!(
        "{MAX_STEPS} Newton steps were not enough"
    )))
}

impl Psm {
    /// An arm with physically feasible heavy links and the same base parameters, and therefore the same torques. Friction, motors and springs do not change.
    ///
    /// # Errors
    ///
    /// [`DvrkError::NoConvergence`] if no bodies within the bounds have these base parameters.
    pub fn with_physical_links(&self) -> Result<Self, DvrkError> {
        let base = BaseParameters::of(self);
        let own = self.parameters();
        // Indices are ascending, so inertia rows come first.
        let inertial = base
            .independent
            .partition_point(|index| *index < N_INERTIAL);
        let independent = &base.independent[..inertial];
        let from_standard = base.from_standard.rows(0, inertial).into_owned();
        let target = &from_standard * &own;
        let misfit = BaseMisfit {
            from_standard: &from_standard,
            independent,
            factor: DMatrix::identity(inertial, inertial) * EXACT,
            target: &target * EXACT,
        };
        let preference = Preference {
            centre: &own,
            weight: NEAR,
        };
        let mut delta = solve(&misfit, &preference, GAP_INSIDE)?;
        delta
            .rows_range_mut(N_INERTIAL..)
            .copy_from(&own.rows_range(N_INERTIAL..));

        // Remove the remaining misfit by the smallest change.
        let gram = &from_standard * from_standard.transpose();
        let rest = &target - &from_standard * &delta;
        let change = gram.cholesky().ok_or_else(lost)?.solve(&rest);
        delta += from_standard.transpose() * change;
        let arm = self.clone().with_parameters(&delta);
        if HEAVY_LINKS
            .iter()
            .all(|link| arm.links[*link].inertia.feasibility() > 0.0)
        {
            Ok(arm)
        } else {
            Err(DvrkError::NoConvergence(
                "no bodies within the bounds have these base parameters".to_owned(),
            ))
        }
    }
}

/// Whether standard parameters satisfy all constraints of the fit.
pub(super) fn is_feasible(delta: &DVector<f64>) -> bool {
    Barrier::value(delta).is_some()
}

fn lost() -> DvrkError {
    DvrkError::NoConvergence("an iterate left the feasible set".to_owned())
}

/// A δ₀ well inside all constraints.
pub(super) fn typical() -> DVector<f64> {
    let mut delta = DVector::zeros(N_PARAMETERS);
    let [mass, moment] = TYPICAL;
    for link in 0..HEAVY_LINKS.len() {
        for diagonal in [0, 3, 5] {
            delta[10 * link + diagonal] = moment;
        }
        delta[10 * link + 9] = mass;
    }
    for index in (FRICTION..FRICTION + 2 * N_DRIVES).chain(MOTOR_INERTIA..N_PARAMETERS) {
        delta[index] = 1e-2;
    }
    delta
}

fn typical_size() -> DVector<f64> {
    DVector::from_fn(N_PARAMETERS, |index, _| match index % 10 {
        _ if index >= N_INERTIAL => 1.0,
        9 => 1.0,
        6..=8 => 0.1,
        _ => 0.02,
    })
}

/// Solves a positive definite system, scaled to unit diagonal. If rounding makes the matrix indefinite, the diagonal is shifted slightly, so that a step still descends.
fn solve_scaled(matrix: &DMatrix<f64>, right: &DVector<f64>) -> Result<DVector<f64>, DvrkError> {
    let scale: DVector<f64> = matrix.diagonal().map(|entry| 1.0 / entry.sqrt());
    let mut scaled = DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |row, column| {
        matrix[(row, column)] * scale[row] * scale[column]
    });
    for shift in [0.0, 1e-13, 1e-11, 1e-9, 1e-7] {
        for index in 0..scaled.nrows() {
            scaled[(index, index)] += shift;
        }
        if let Some(cholesky) = scaled.clone().cholesky() {
            let solution = cholesky.solve(&right.component_mul(&scale));
            return Ok(solution.component_mul(&scale));
        }
    }
    Err(DvrkError::NoConvergence(
        "the curvature is not positive definite".to_owned(),
    ))
}

/// -Σ log det P - Σ log s with its derivatives.
struct Barrier {
    gradient: DVector<f64>,
    hessian: DMatrix<f64>,
    /// Sum of the sizes of all blocks.
    degree: f64,
}

impl Barrier {
    /// Value of the barrier; `None` unless `delta` is strictly feasible.
    fn value(delta: &DVector<f64>) -> Option<f64> {
        let mut value = 0.0;
        for link in 0..HEAVY_LINKS.len() {
            let cholesky = pseudo_inertia(delta, link).cholesky()?;
            value -= 2.0 * cholesky.l_dirty().diagonal().map(f64::ln).sum();
        }
        let mut feasible = true;
        slacks(delta, |_, slack| {
            feasible &= slack > 0.0;
            value -= slack.ln();
        });
        (feasible && value.is_finite()).then_some(value)
    }

    fn at(delta: &DVector<f64>) -> Option<Self> {
        Self::value(delta)?;
        let mut gradient = DVector::zeros(N_PARAMETERS);
        let mut hessian = DMatrix::zeros(N_PARAMETERS, N_PARAMETERS);
        let mut degree = 0.0;
        for link in 0..HEAVY_LINKS.len() {
            let inverse = pseudo_inertia(delta, link).try_inverse()?;
            let columns = pseudo_inertia_columns().map(|column| inverse * column);
            for (row, left) in columns.iter().enumerate() {
                gradient[10 * link + row] -= left.trace();
                for (column, right) in columns.iter().enumerate() {
                    hessian[(10 * link + row, 10 * link + column)] += (left * right).trace();
                }
            }
            degree += 4.0;
        }
        slacks(delta, |terms, slack| {
            for (index, factor) in terms {
                gradient[*index] -= factor / slack;
                for (other, other_factor) in terms {
                    hessian[(*index, *other)] += factor * other_factor / (slack * slack);
                }
            }
            degree += 1.0;
        });
        Some(Self {
            gradient,
            hessian,
            degree,
        })
    }
}

/// Calls `take` for each linear constraint with its terms (index, factor) and its slack, which must be positive.
fn slacks(delta: &DVector<f64>, mut take: impl FnMut(&[(usize, f64)], f64)) {
    let [lightest, heaviest] = MASSES;
    for (link, centre) in CENTRES.iter().enumerate() {
        let mass = 10 * link + 9;
        take(&[(mass, 1.0)], delta[mass] - lightest);
        take(&[(mass, -1.0)], heaviest - delta[mass]);
        for (axis, furthest) in centre.iter().enumerate() {
            let moment = 10 * link + 6 + axis;
            for side in [1.0, -1.0] {
                let slack = furthest * delta[mass] - side * delta[moment];
                take(&[(mass, *furthest), (moment, -side)], slack);
            }
        }
    }
    let not_negative = (FRICTION..FRICTION + 2 * N_DRIVES).chain(MOTOR_INERTIA..N_PARAMETERS);
    for index in not_negative {
        take(&[(index, 1.0)], delta[index]);
    }
}

fn pseudo_inertia(delta: &DVector<f64>, link: usize) -> Matrix4<f64> {
    let parameters: SVector<f64, 10> = delta.fixed_rows::<10>(10 * link).into_owned();
    Inertia::from_parameters(&parameters.into()).pseudo_inertia()
}

/// Pseudo-inertia per unit of each parameter.
fn pseudo_inertia_columns() -> [SMatrix<f64, 4, 4>; 10] {
    std::array::from_fn(|index| {
        let mut unit = [0.0; 10];
        unit[index] = 1.0;
        Inertia::from_parameters(&unit).pseudo_inertia()
    })
}
