//! What one shell has of its own in the network's equation: laws of the rows, springs, force at rest, and the driver's reach.
//!
//! Another reach $c'$ of the driver's ties changes $A$ in one row and column alone, $A' = A + e d^T + d e^T$ with $e$ the driver's unit
//! vector. So with $U = [e, d]$ and $S = \begin{pmatrix}0&1\\1&0\end{pmatrix}$ (Woodbury; Hager 1989, doi:10.1137/1031049)
//!
//! $$ A'^{-1} = A^{-1} - A^{-1} U\, (S + U^T A^{-1} U)^{-1}\, U^T A^{-1}, $$
//!
//! exact, and without factoring anew.

use super::couplings::Ties;
use super::network::{MAX_DENSE_ROWS, Network, Spring, dot};
use super::rows::Law;

/// The changeable part of a network's equation.
#[derive(Debug)]
pub(super) struct Tuning {
    /// Force at `q = v = 0` [N], shape `[n]`.
    pub(super) rest_force: Vec<f64>,
    pub(super) springs: Vec<Spring>,
    pub(super) tie: Law,
    pub(super) couplings: Vec<Law>,
    /// Another reach than compiled.
    pub(super) retied: Option<Retied>,
    /// Room for the next [`Retied`], so that changing it allocates once.
    spare: Option<Retied>,
}

/// Another reach of the driver than compiled.
#[derive(Debug, Default)]
pub(super) struct Retied {
    driver: usize,
    reach: Vec<f64>,
    /// Change of the driver's coefficient in each dense row.
    dense: [f64; MAX_DENSE_ROWS],
    /// `d` and `A⁻¹ d`.
    change: Vec<f64>,
    solved: Vec<f64>,
    /// `(S + Uᵀ A⁻¹ U)⁻¹`.
    core: [[f64; 2]; 2],
}

impl Tuning {
    /// As compiled.
    pub(super) fn new(network: &Network) -> Self {
        let mut tuning = Self {
            rest_force: network.force.clone(),
            springs: network.springs.clone(),
            tie: network.ties.law,
            couplings: network.couplings.iter().map(|some| some.law).collect(),
            retied: None,
            spare: None,
        };
        tuning.set_rest_force(network, std::iter::empty());
        tuning
    }

    /// Force at rest: the network's with `more` [N] on its first nodes, and the springs'.
    pub(super) fn set_rest_force(&mut self, network: &Network, more: impl Iterator<Item = f64>) {
        self.rest_force.copy_from_slice(&network.force);
        for (force, more) in self.rest_force.iter_mut().zip(more) {
            *force += more;
        }
        for spring in &self.springs {
            self.rest_force[spring.node] += spring.stiffness * spring.rest;
        }
    }

    /// How far each node follows the driver.
    pub(super) fn reach<'a>(&'a self, ties: &'a Ties) -> &'a [f64] {
        self.retied
            .as_ref()
            .map_or(&ties.reach, |retied| &retied.reach)
    }

    /// The driver, and how its coefficient in a dense row differs from the compiled one.
    pub(super) fn dense_shift(&self, ties: &Ties, row: usize) -> (usize, f64) {
        let shift = self.retied.as_ref().map_or(0.0, |retied| retied.dense[row]);
        (ties.driver.unwrap_or(0), shift)
    }

    /// Back to the compiled reach.
    pub(super) fn untie(&mut self) {
        if let Some(retied) = self.retied.take() {
            self.spare = Some(retied);
        }
    }

    /// Gives the driver another reach, shape `[n_capsules]`, and scales its coefficients in the dense rows.
    ///
    /// # Panics
    /// Without a driver.
    pub(super) fn retie(
        &mut self,
        network: &Network,
        reach: &[f64],
        dense_scale: f64,
        work: &mut [f64],
    ) {
        let ties = &network.ties;
        let driver = ties.driver.expect("only a driven shell is tied anew");
        self.untie();
        let mut new = self.spare.take().unwrap_or_default();
        new.driver = driver;
        new.reach.clear();
        new.reach.extend_from_slice(reach);
        new.reach.resize(network.len(), 0.0);
        // d, its entry of the driver last
        let d = &mut new.change;
        d.clear();
        d.extend((0..network.len()).map(|i| -ties.weight[i] * (new.reach[i] - ties.reach[i])));
        let squares = |i: usize| new.reach[i] * new.reach[i] - ties.reach[i] * ties.reach[i];
        let mut own: f64 = (0..network.len())
            .map(|i| ties.weight[i] * squares(i))
            .sum();
        for (shift, row) in new.dense.iter_mut().zip(&network.dense_rows) {
            let compiled = row.coefficients[driver];
            *shift = (dense_scale - 1.0) * compiled;
            let now = compiled + *shift;
            own += row.weight * (now * now - compiled * compiled);
            for (entry, coefficient) in d.iter_mut().zip(&row.coefficients) {
                *entry += row.weight * coefficient * *shift;
            }
        }
        d[driver] = 0.5 * own;
        new.solved.clear();
        new.solved.extend_from_slice(d);
        network.solve(&mut new.solved, work);
        let [a, b, c] = [
            network.inverse_row(driver)[driver],
            1.0 + new.solved[driver],
            dot(d, &new.solved),
        ];
        let det = a * c - b * b;
        new.core = [[c / det, -b / det], [-b / det, a / det]];
        self.retied = Some(new);
    }

    /// `A⁻¹[i, j]` [1/kg].
    pub(super) fn inverse(&self, network: &Network, i: usize, j: usize) -> f64 {
        let compiled = network.inverse_row(i)[j];
        self.retied.as_ref().map_or(compiled, |retied| {
            let edge = network.inverse_row(retied.driver);
            let [p, y] = retied.shares(edge[j], retied.solved[j]);
            compiled - p * edge[i] - y * retied.solved[i]
        })
    }

    /// Adds the accelerations [m/s²] that a force [N] on a node makes.
    pub(super) fn push(
        &self,
        network: &Network,
        node: usize,
        force: f64,
        acceleration: &mut [f64],
    ) {
        add_scaled(acceleration, force, network.inverse_row(node));
        if let Some(retied) = &self.retied {
            let edge = network.inverse_row(retied.driver);
            retied.correct(
                edge,
                force * edge[node],
                force * retied.solved[node],
                acceleration,
            );
        }
    }
}

impl Retied {
    /// Replaces `x` by `A'⁻¹ x`.
    pub(super) fn solve(&self, network: &Network, x: &mut [f64], work: &mut [f64]) {
        let along = dot(&self.solved, x);
        network.solve(x, work);
        self.correct(network.inverse_row(self.driver), x[self.driver], along, x);
    }

    fn shares(&self, p: f64, y: f64) -> [f64; 2] {
        self.core.map(|row| row[0] * p + row[1] * y)
    }

    /// Subtracts the correction for `Uᵀ A⁻¹ x = [p, y]`; `edge` is `A⁻¹ e`.
    fn correct(&self, edge: &[f64], p: f64, y: f64, x: &mut [f64]) {
        let [p, y] = self.shares(p, y);
        for ((x, edge), solved) in x.iter_mut().zip(edge).zip(&self.solved) {
            *x -= p * edge + y * solved;
        }
    }
}

/// `x += factor · y`.
fn add_scaled(x: &mut [f64], factor: f64, y: &[f64]) {
    for (x, y) in x.iter_mut().zip(y) {
        *x += factor * y;
    }
}
