//! The equation of motion of one shell without contact, with the parts that can be changed without a new factorisation: stiffness and
//! damping of the rows, springs, force at rest, and the driver's reach.
//!
//! A driver with reach $c$ adds one row and column to $A$, $A' = A + e d^T + d e^T$ with $e$ the driver's unit vector.
//! So with $U = [e, d]$ and $S = \begin{pmatrix}0&1\\1&0\end{pmatrix}$ (Woodbury; Hager 1989, doi:10.1137/1031049)
//!
//! $$ A'^{-1} = A^{-1} - A^{-1} U\, (S + U^T A^{-1} U)^{-1}\, U^T A^{-1}, $$
//!
//! which is exact.

#![expect(
    clippy::inline_always,
    reason = "loops must be part of the function that has the processor's features"
)]

use pulp::{Arch, NullaryFnOnce};

use super::network::{MAX_DENSE_ROWS, Network, Spring, dot};
use super::rows::SpringDamper;

/// The changeable part of a network's equation.
#[derive(Debug)]
pub(super) struct Tuning {
    /// Force at `q = v = 0` [N], shape `[n]`.
    pub(super) rest_force: Vec<f64>,
    pub(super) springs: Vec<Spring>,
    pub(super) tie: SpringDamper,
    pub(super) couplings: Vec<SpringDamper>,
    /// The node that drives the ties.
    pub(super) driven: Option<BreathingResponse>,
}

/// Memory that [`Tuning::smooth_acceleration`] works in.
#[derive(Debug)]
pub(super) struct Scratch {
    residual: Vec<f64>,
    drive: Vec<f64>,
    rough: Vec<f32>,
}

impl Scratch {
    pub(super) fn new(network: &Network) -> Self {
        Self {
            residual: vec![0.0; network.len()],
            drive: vec![0.0; network.len()],
            rough: network.rough_scratch(),
        }
    }
}

/// A driver and its reach.
#[derive(Debug)]
pub(super) struct BreathingResponse {
    driver: usize,
    /// Displacement of each node per unit of the driver, shape `[n]`.
    reach: Vec<f64>,
    /// The driver's coefficient in each dense row.
    dense: [f64; MAX_DENSE_ROWS],
    /// `d` and `A⁻¹ d`.
    change: Vec<f64>,
    solved: Vec<f64>,
    /// `(S + Uᵀ A⁻¹ U)⁻¹`.
    core: [[f64; 2]; 2],
}

impl Tuning {
    /// The equation as compiled.
    pub(super) fn new(network: &Network) -> Self {
        let driven = network.ties.driver.map(|driver| BreathingResponse {
            driver,
            reach: vec![0.0; network.len()],
            dense: [0.0; MAX_DENSE_ROWS],
            change: vec![0.0; network.len()],
            solved: vec![0.0; network.len()],
            core: [[0.0, 1.0], [1.0, 0.0]],
        });
        let mut tuning = Self {
            rest_force: network.force.clone(),
            springs: network.springs.clone(),
            tie: network.ties.law,
            couplings: network.couplings.iter().map(|some| some.law).collect(),
            driven,
        };
        tuning.set_rest_force(network, std::iter::empty());
        tuning.drive(network, &network.ties.reach, 1.0, &mut network.scratch());
        tuning
    }

    /// Sets the force at rest: the network's force with `more` [N] on its first nodes, and the force of the springs.
    pub(super) fn set_rest_force(&mut self, network: &Network, more: impl Iterator<Item = f64>) {
        self.rest_force.copy_from_slice(&network.force);
        for (force, more) in self.rest_force.iter_mut().zip(more) {
            *force += more;
        }
        for spring in &self.springs {
            self.rest_force[spring.node] += spring.stiffness * spring.rest;
        }
    }

    /// Displacement of each node per unit of the driver; empty without a driver.
    pub(super) fn reach(&self) -> &[f64] {
        self.driven.as_ref().map_or(&[], |driven| &driven.reach)
    }

    /// The driver and its coefficient in a dense row; 0 without a driver.
    pub(super) fn dense_driver(&self, row: usize) -> (usize, f64) {
        self.driven
            .as_ref()
            .map_or((0, 0.0), |driven| (driven.driver, driven.dense[row]))
    }

    /// Sets the driver's reach for each capsule, if there is a driver, and scales its compiled coefficients in the dense rows.
    pub(super) fn drive(
        &mut self,
        network: &Network,
        reach: &[f64],
        dense_scale: f64,
        work: &mut [f64],
    ) {
        let Some(driven) = &mut self.driven else {
            return;
        };
        let driver = driven.driver;
        driven.reach[..reach.len()].copy_from_slice(reach);
        // d: ties, dense rows, and half of the driver's own entry
        let weights = || network.ties.weight.iter().zip(&driven.reach);
        for (entry, (weight, reach)) in driven.change.iter_mut().zip(weights()) {
            *entry = -weight * reach;
        }
        let mut own: f64 = weights()
            .map(|(weight, reach)| weight * reach * reach)
            .sum();
        for (dense, row) in driven.dense.iter_mut().zip(&network.dense_rows) {
            *dense = dense_scale * row.driver;
            own += row.weight * *dense * *dense;
            for (entry, coefficient) in driven.change.iter_mut().zip(&row.coefficients) {
                *entry += row.weight * coefficient * *dense;
            }
        }
        driven.change[driver] = 0.5 * own;
        driven.solved.copy_from_slice(&driven.change);
        network.solve(&mut driven.solved, work);
        let [a, b, c] = [
            network.inverse_row(driver)[driver],
            1.0 + driven.solved[driver],
            dot(&driven.change, &driven.solved),
        ];
        let det = a * c - b * b;
        driven.core = [[c / det, -b / det], [-b / det, a / det]];
    }

    /// Improves a guess of the acceleration without contact [m/s²] at displacements [m] and velocities [m/s].
    ///
    /// This is one step of iterative refinement: the residual of the guess is exact, and its solution has six digits.
    /// A smooth motion is thus found to double precision, in half the time of a solution without a guess.
    pub(super) fn smooth_acceleration(
        &self,
        network: &Network,
        q: &[f64],
        v: &[f64],
        acceleration: &mut [f64],
        scratch: &mut Scratch,
    ) {
        let Scratch {
            residual,
            drive,
            rough,
        } = scratch;
        Arch::new().dispatch(Residual {
            tuning: self,
            network,
            state: [q, v, acceleration],
            left: residual,
            drive,
        });
        match &self.driven {
            None => network.solve_roughly(residual, rough),
            Some(driven) => driven.solve_roughly(network, residual, rough),
        }
        for (acceleration, change) in acceleration.iter_mut().zip(residual.iter()) {
            *acceleration += change;
        }
    }

    /// `A⁻¹[i, j]` [1/kg].
    pub(super) fn inverse(&self, network: &Network, i: usize, j: usize) -> f64 {
        let alone = network.inverse_row(i)[j];
        self.driven.as_ref().map_or(alone, |driven| {
            let edge = network.inverse_row(driven.driver);
            let [p, y] = driven.shares(edge[j], driven.solved[j]);
            alone - p * edge[i] - y * driven.solved[i]
        })
    }

    /// Adds the accelerations [m/s²] due to forces [N] on nodes.
    pub(super) fn push(
        &self,
        network: &Network,
        forces: &[(usize, f64)],
        acceleration: &mut [f64],
    ) {
        Arch::new().dispatch(Push {
            network,
            forces,
            acceleration,
        });
        if let Some(driven) = &self.driven {
            let edge = network.inverse_row(driven.driver);
            let along = |row: &[f64]| forces.iter().map(|(node, force)| force * row[*node]).sum();
            driven.correct(edge, [along(edge), along(&driven.solved)], acceleration);
        }
    }
}

/// The residual force of an acceleration [N], computed with the processor's vector instructions.
struct Residual<'a> {
    tuning: &'a Tuning,
    network: &'a Network,
    /// Displacements, velocities and accelerations.
    state: [&'a [f64]; 3],
    left: &'a mut [f64],
    drive: &'a mut [f64],
}

impl NullaryFnOnce for Residual<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self {
            tuning,
            network,
            state: [q, v, a],
            left: residual,
            drive,
        } = self;
        let forces = tuning.rest_force.iter().zip(&network.mass).zip(a);
        for (residual, ((force, mass), a)) in residual.iter_mut().zip(forces) {
            *residual = force - mass * a;
        }
        for spring in &tuning.springs {
            residual[spring.node] -= spring.stiffness * q[spring.node];
        }
        network
            .ties
            .pull(tuning.tie, tuning.reach(), [q, v, a], residual);
        for (couplings, law) in network.couplings.iter().zip(&tuning.couplings) {
            couplings.pull(*law, [q, v, a], residual, drive);
        }
        for (index, row) in network.dense_rows.iter().enumerate() {
            let (driver, own) = tuning.dense_driver(index);
            let stretch = |x: &[f64]| dot(&row.coefficients, x) + own * x[driver];
            let pull =
                row.stiffness * stretch(q) + row.damping * stretch(v) + row.weight * stretch(a);
            for (entry, coefficient) in residual.iter_mut().zip(&row.coefficients) {
                *entry -= pull * coefficient;
            }
            residual[driver] -= pull * own;
        }
    }
}

/// Products of forces and rows of the inverse, four at a time.
struct Push<'a> {
    network: &'a Network,
    forces: &'a [(usize, f64)],
    acceleration: &'a mut [f64],
}

impl NullaryFnOnce for Push<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let quads = self.forces.chunks_exact(4);
        let row = |(node, _): &(usize, f64)| self.network.inverse_row(*node);
        for one in quads.remainder() {
            for (entry, response) in self.acceleration.iter_mut().zip(row(one)) {
                *entry += one.1 * response;
            }
        }
        for quad in quads {
            let [a, b, c, d] = std::array::from_fn(|i| row(&quad[i]));
            let rows = a.iter().zip(b).zip(c).zip(d);
            for (entry, (((a, b), c), d)) in self.acceleration.iter_mut().zip(rows) {
                *entry += (quad[0].1 * a + quad[1].1 * b) + (quad[2].1 * c + quad[3].1 * d);
            }
        }
    }
}

impl BreathingResponse {
    /// Replaces `x` by `A'⁻¹ x` in single precision.
    fn solve_roughly(&self, network: &Network, x: &mut [f64], work: &mut [f32]) {
        let along = dot(&self.solved, x);
        network.solve_roughly(x, work);
        let along = [x[self.driver], along];
        self.correct(network.inverse_row(self.driver), along, x);
    }

    fn shares(&self, p: f64, y: f64) -> [f64; 2] {
        self.core.map(|row| row[0] * p + row[1] * y)
    }

    /// Subtracts the correction for `Uᵀ A⁻¹ x`; `edge` is `A⁻¹ e`.
    fn correct(&self, edge: &[f64], [p, y]: [f64; 2], x: &mut [f64]) {
        let [p, y] = self.shares(p, y);
        for ((x, edge), solved) in x.iter_mut().zip(edge).zip(&self.solved) {
            *x -= p * edge + y * solved;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::rows::EqualityRow;

    fn row(terms: Vec<(usize, f64)>, regularization: f64) -> EqualityRow {
        EqualityRow {
            equality: 0,
            terms,
            regularization,
            law: SpringDamper {
                stiffness: 100.0,
                damping: 5.0,
            },
            solref: [-100.0, -5.0],
            impedance: 0.9,
            position: 0.0,
        }
    }

    /// A ring of twelve nodes tied to rest, to their neighbours, and by one row over all of them; the last node drives the others.
    fn ring() -> (Vec<f64>, Vec<EqualityRow>) {
        let n = 12;
        let mut rows: Vec<EqualityRow> = (0..n)
            .map(|i| row(vec![(i, 1.0), (n, -0.01 * i as f64 - 0.02)], 2.0))
            .collect();
        rows.extend((0..n).map(|i| row(vec![(i, 1.0), ((i + 1) % n, -1.0)], 0.5)));
        rows.push(row(
            (0..n).map(|i| (i, 1.0 + 0.1 * i as f64)).collect(),
            0.1,
        ));
        rows.push(row((0..=n).map(|i| (i, (i as f64).cos())).collect(), 0.3));
        let mut offset = row(vec![(2, 1.0), (5, 2.0)], 0.7);
        offset.position = 0.03;
        rows.push(offset);
        ((0..=n).map(|i| 0.1 + 0.01 * i as f64).collect(), rows)
    }

    /// Residual of the equation of motion [N].
    fn residual(
        mass: &[f64],
        rows: &[EqualityRow],
        springs: &[Spring],
        force: &[f64],
        [q, v, a]: [&[f64]; 3],
    ) -> Vec<f64> {
        let mut residual: Vec<f64> = (0..mass.len()).map(|i| mass[i] * a[i] - force[i]).collect();
        for spring in springs {
            residual[spring.node] += spring.stiffness * (q[spring.node] - spring.rest);
        }
        for row in rows {
            let along = |x: &[f64]| row.terms.iter().map(|&(i, c)| c * x[i]).sum::<f64>();
            let force = (along(a)
                + row.law.damping * along(v)
                + row.law.stiffness * (along(q) + row.position))
                / row.regularization;
            row.terms
                .iter()
                .for_each(|&(i, c)| residual[i] += c * force);
        }
        residual
    }

    #[test]
    fn the_acceleration_satisfies_the_equation_of_motion_as_compiled_and_retuned() {
        let (mass, mut rows) = ring();
        let n = mass.len();
        let gravity: Vec<f64> = mass.iter().map(|m| -9.81 * m).collect();
        let springs = [Spring {
            node: 12,
            stiffness: 40.0,
            rest: 0.5,
        }];
        let network = Network::new(&mass, gravity.clone(), springs.to_vec(), &rows, 12).unwrap();
        let q: Vec<f64> = (0..n).map(|i| (i as f64).sin() * 0.01).collect();
        let v: Vec<f64> = (0..n).map(|i| (2.0 * i as f64).cos() * 0.1).collect();
        let (mut a, mut work) = (vec![0.0; n], network.scratch());
        let mut scratch = Scratch::new(&network);
        let mut tuning = Tuning::new(&network);
        tuning.smooth_acceleration(&network, &q, &v, &mut a, &mut scratch);
        let left = residual(&mass, &rows, &springs, &gravity, [&q, &v, &a]);
        assert!(left.iter().all(|r| r.abs() < 1e-4), "{left:?}");
        tuning.smooth_acceleration(&network, &q, &v, &mut a, &mut scratch);
        let left = residual(&mass, &rows, &springs, &gravity, [&q, &v, &a]);
        assert!(left.iter().all(|r| r.abs() < 1e-9), "{left:?}");
        // Other stiffness and damping, and another reach of the driver.
        let (tie, neighbor) = (
            SpringDamper {
                stiffness: 300.0,
                damping: 1.0,
            },
            SpringDamper {
                stiffness: 7.0,
                damping: 9.0,
            },
        );
        tuning.tie = tie;
        tuning.couplings[0] = neighbor;
        let reach: Vec<f64> = (0..12).map(|i| 0.3 - 0.02 * f64::from(i)).collect();
        tuning.drive(&network, &reach, 2.0, &mut work);
        for i in 0..12 {
            rows[i].law = tie;
            rows[i].terms[1].1 = -reach[i];
            rows[12 + i].law = neighbor;
        }
        let dense = rows.iter_mut().filter(|row| row.terms.len() > 12);
        dense.for_each(|row| row.terms[12].1 *= 2.0);
        for _ in 0..3 {
            tuning.smooth_acceleration(&network, &q, &v, &mut a, &mut scratch);
        }
        let left = residual(&mass, &rows, &springs, &gravity, [&q, &v, &a]);
        assert!(left.iter().all(|r| r.abs() < 1e-9), "{left:?}");

        // The inverse satisfies the same equation: a force of 2.5 N on the fifth node, at rest and without other forces.
        let mut push = vec![0.0; n];
        tuning.push(&network, &[(4, 2.5)], &mut push);
        let (zeros, mut force) = (vec![0.0; n], vec![0.0; n]);
        force[4] = 2.5;
        rows.last_mut().unwrap().position = 0.0;
        let left = residual(&mass, &rows, &[], &force, [&zeros, &zeros, &push]);
        assert!(left.iter().all(|r| r.abs() < 1e-12), "{left:?}");
        for (i, push) in push.iter().enumerate() {
            for got in [
                tuning.inverse(&network, i, 4),
                tuning.inverse(&network, 4, i),
            ] {
                assert!((2.5 * got - push).abs() < 1e-13, "{i}");
            }
        }
    }
}
