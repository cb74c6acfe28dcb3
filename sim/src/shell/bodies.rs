//! The robot's bodies in contact: their motion, and their acceleration by forces.

use nalgebra::Vector3;

use super::contact::ContactRow;
use crate::ffi::{self, Data};

/// The bodies in contact: Jacobians, inverse inertia and motion at their centres of mass.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    pub(super) ids: Vec<usize>,
    /// Centres of mass in world [m].
    pub(super) points: Vec<Vector3<f64>>,
    jacobian: Vec<f64>,
    solved: Vec<f64>,
    /// $J M^{-1} J^T$, shape `[6 n, 6 n]`.
    inverse_inertia: Vec<f64>,
    /// Twists and smooth accelerations, shape `[6 n]`.
    pub(super) velocity: Vec<f64>,
    pub(super) acceleration: Vec<f64>,
}

impl Bodies {
    /// Reads the given bodies; each body is read once.
    pub(super) fn gather(&mut self, bodies: impl Iterator<Item = usize>, data: &mut Data) {
        let nv = ffi::nv(data);
        self.ids.clear();
        for body in bodies {
            if !self.ids.contains(&body) {
                self.ids.push(body);
            }
        }
        let size = 6 * self.ids.len();
        self.jacobian.resize(size * nv, 0.0);
        self.solved.resize(size * nv, 0.0);
        self.points.clear();
        for (block, &body) in self.jacobian.chunks_exact_mut(6 * nv).zip(&self.ids) {
            let point = data.xipos()[body];
            self.points.push(point.into());
            let (translation, rotation) = block.split_at_mut(3 * nv);
            ffi::jac_point(data, &point, body, translation, rotation);
        }
        ffi::solve_m(data, &mut self.solved, &self.jacobian);
        let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        self.inverse_inertia.clear();
        for row in self.jacobian.chunks_exact(nv) {
            self.inverse_inertia.extend(
                self.solved
                    .chunks_exact(nv)
                    .map(|column| product(row, column)),
            );
        }
        for (result, source) in [
            (&mut self.velocity, data.qvel()),
            (&mut self.acceleration, data.qacc_smooth()),
        ] {
            result.clear();
            result.extend(
                self.jacobian
                    .chunks_exact(nv)
                    .map(|row| product(row, source)),
            );
        }
    }

    /// Index of a body in the lists.
    pub(super) fn index_of(&self, body: usize) -> usize {
        self.ids
            .iter()
            .position(|&id| id == body)
            .expect("every touched body was gathered")
    }

    /// Writes the accelerations of all bodies for a unit force along a row, shape `[6 n]`.
    pub(super) fn respond(&self, row: &ContactRow, response: &mut Vec<f64>) {
        let size = 6 * self.ids.len();
        response.clear();
        response.resize(size, 0.0);
        let lines = self.inverse_inertia[6 * row.body * size..].chunks_exact(size);
        for (component, line) in row.wrench.iter().zip(lines) {
            for (sum, value) in response.iter_mut().zip(line) {
                *sum += component * value;
            }
        }
    }

    /// The component of a stacked twist along a row.
    pub(super) fn along(row: &ContactRow, stacked: &[f64]) -> f64 {
        stacked[6 * row.body..6 * row.body + 6]
            .iter()
            .zip(&row.wrench)
            .map(|(a, b)| a * b)
            .sum()
    }
}
