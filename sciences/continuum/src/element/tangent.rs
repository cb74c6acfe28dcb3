//! The second derivative of an element's energy.

use nalgebra::{Matrix3, RowVector3, SMatrix, SVector, Vector3};

use super::{Element, ElementState};
use crate::rotation::{inverse_tangent, moment_tangent, skew};

/// Gradient and tangent of an element with respect to z = (u₂ − u₁, w₁, w₂), in world axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tangent {
    /// Force on the second node [N] and moments on both [N·m].
    pub(crate) gradient: [Vector3<f64>; 3],
    /// Symmetric tangent in 3 × 3 blocks.
    pub(crate) blocks: [[Matrix3<f64>; 3]; 3],
}

impl ElementState {
    /// Gradient and tangent at these strains.
    pub(crate) fn tangent(&self, element: &Element) -> Tangent {
        let inverse = [0, 1].map(|end| inverse_tangent(&self.turns[end]));
        let moments = [0, 1].map(|end| inverse[end].tr_mul(&self.moments[end]));
        let hessian = self.material(element, &inverse) + self.geometric(&moments);

        let rotation = &self.frame.to_world;
        let gradient = self.gradient(&moments);
        let rows = [0, 3, 6].map(|start| rotation * gradient.fixed_rows::<3>(start));
        let block = |row: usize, column: usize| {
            rotation * hessian.fixed_view::<3, 3>(3 * row, 3 * column) * rotation.transpose()
        };
        let upper = [block(0, 1), block(0, 2), block(1, 2)];
        let lower = upper.map(|block| block.transpose());
        let blocks = [
            [block(0, 0), upper[0], upper[1]],
            [lower[0], block(1, 1), upper[2]],
            [lower[1], lower[2], block(2, 2)],
        ];
        Tangent {
            gradient: rows,
            blocks,
        }
    }

    /// Sᵀ K_a S: the linear beam, and the second derivative of the rotation vectors.
    fn material(&self, element: &Element, inverse: &[Matrix3<f64>; 2]) -> SMatrix<f64, 9, 9> {
        let stiffness = &element.rotational;
        let own = Vector3::new(stiffness.x, 4.0 * stiffness.y, 4.0 * stiffness.z);
        let other = Vector3::new(-stiffness.x, 2.0 * stiffness.y, 2.0 * stiffness.z);
        let block = |row: usize, column: usize| {
            let diagonal = if row == column { &own } else { &other };
            let scaled = Matrix3::from_diagonal(diagonal) * inverse[column];
            inverse[row].tr_mul(&scaled)
        };
        let curved = |end: usize| {
            let tangent = moment_tangent(&self.turns[end], &self.moments[end], &inverse[end]);
            block(end, end) + tangent
        };
        // s_i = w_i − ω.
        let turned = [0, 1].map(|end| {
            let mut turned = -self.frame.spin;
            for axis in 0..3 {
                turned[(axis, 3 + 3 * end + axis)] += 1.0;
            }
            turned
        });
        let coupling = block(0, 1);
        let first = curved(0) * turned[0] + coupling * turned[1];
        let second = coupling.tr_mul(&turned[0]) + curved(1) * turned[1];
        let mut hessian = turned[0].tr_mul(&first) + turned[1].tr_mul(&second);
        hessian[(0, 0)] += element.axial;
        hessian
    }

    /// Geometric part, from the rotating frame: second order of chord, of ω, and of exp(−ω) exp(w).
    fn geometric(&self, moments: &[Vector3<f64>; 2]) -> SMatrix<f64, 9, 9> {
        let frame = &self.frame;
        let [first, second] = &frame.seconds;
        let mean = 0.5 * (first + second);
        let (skewed, inv_length) = (mean.x / mean.y, 1.0 / frame.length);
        let moment = moments[0] + moments[1];
        let about_y = moment.y + moment.x * skewed;
        let over_mean = moment.x / mean.y;

        let mut half = SMatrix::<f64, 9, 9>::zeros();
        // N ū
        half[(1, 1)] = 0.5 * self.tension * inv_length;
        half[(2, 2)] = half[(1, 1)];
        // −½ m_i · (ω × w_i)
        for (end, moment) in moments.iter().enumerate() {
            let crossed = -0.5 * skew(moment) * frame.spin;
            let mut rows = half.fixed_rows_mut::<3>(3 + 3 * end);
            rows += crossed;
        }
        // −M · ω², with the first-order change of the mean second axis
        let spin = |axis: usize| frame.spin.row(axis);
        let (mut mean_x, mut mean_y) = (SVector::<f64, 9>::zeros(), SVector::<f64, 9>::zeros());
        for (end, second) in frame.seconds.iter().enumerate() {
            mean_x[4 + 3 * end] = 0.5 * second.z;
            mean_x[5 + 3 * end] = -0.5 * second.y;
            mean_y[5 + 3 * end] = 0.5 * second.x;
            mean_y[3 + 3 * end] = -0.5 * second.z;
        }
        half[(0, 1)] += moment.z * inv_length * inv_length;
        half[(0, 2)] -= about_y * inv_length * inv_length;
        half += spin(0).transpose()
            * (0.5 * moment.z * spin(1) - 0.5 * (about_y + moment.x * skewed) * spin(2)
                + over_mean * mean_y.transpose());
        half += spin(1).transpose() * (-over_mean * mean_x.transpose() - 0.5 * moment.x * spin(2));
        for (end, second) in frame.seconds.iter().enumerate() {
            let third = RowVector3::new(0.0, 0.0, 1.0);
            let bent = second * third - Matrix3::from_diagonal_element(second.z);
            let mut block = half.fixed_view_mut::<3, 3>(3 + 3 * end, 3 + 3 * end);
            block -= 0.25 * over_mean * bent;
        }
        half + half.transpose()
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Rotation3, SMatrix, SVector};

    use super::*;

    fn element() -> Element {
        Element {
            rest_length: 0.9,
            axial: 30.0,
            rotational: Vector3::new(0.7, 1.3, 2.1),
            rest_turn: Vector3::new(0.05, -0.1, 0.2),
        }
    }

    fn energy(step: &SVector<f64, 12>) -> f64 {
        let position = |start: usize| step.fixed_rows::<3>(start).into_owned();
        let turn = |start: usize| Rotation3::new(step.fixed_rows::<3>(start).into_owned());
        let first = turn(3) * Rotation3::new(Vector3::new(0.3, 0.2, -0.5));
        let second = turn(9) * Rotation3::new(Vector3::new(-0.1, 0.5, 0.3));
        let positions = [position(0), position(6) + Vector3::new(0.8, 0.3, -0.25)];
        let strained = element().strained(
            [&positions[0], &positions[1]],
            [first.matrix(), second.matrix()],
        );
        element().energy(&strained.expect("it is not folded"))
    }

    #[test]
    fn forces_and_tangent_are_the_derivatives_of_the_energy() {
        let zero = SVector::zeros();
        let first = Rotation3::new(Vector3::new(0.3, 0.2, -0.5));
        let second = Rotation3::new(Vector3::new(-0.1, 0.5, 0.3));
        let end = Vector3::new(0.8, 0.3, -0.25);
        let strained = element()
            .strained([&Vector3::zeros(), &end], [first.matrix(), second.matrix()])
            .expect("it is not folded");
        let tangent = strained.tangent(&element());

        // z of twelve: (−1, 0, 1, 0) on displacements.
        let mut z = SMatrix::<f64, 9, 12>::zeros();
        for axis in 0..3 {
            z[(axis, axis)] = -1.0;
            z[(axis, 6 + axis)] = 1.0;
            z[(3 + axis, 3 + axis)] = 1.0;
            z[(6 + axis, 9 + axis)] = 1.0;
        }
        let mut gradient = SVector::<f64, 9>::zeros();
        let mut hessian = SMatrix::<f64, 9, 9>::zeros();
        for row in 0..3 {
            gradient
                .fixed_rows_mut::<3>(3 * row)
                .copy_from(&tangent.gradient[row]);
            for column in 0..3 {
                let mut view = hessian.fixed_view_mut::<3, 3>(3 * row, 3 * column);
                view.copy_from(&tangent.blocks[row][column]);
            }
        }
        let gradient = z.tr_mul(&gradient);
        let hessian: SMatrix<f64, 12, 12> = z.transpose() * hessian * z;

        let h = 1e-4;
        let unit = |i: usize| SVector::<f64, 12>::ith(i, h);
        for i in 0..12 {
            let slope = (energy(&unit(i)) - energy(&-unit(i))) / (2.0 * h);
            assert!(
                (slope - gradient[i]).abs() < 1e-6,
                "{i}: {slope} {}",
                gradient[i]
            );
            for j in 0..12 {
                // Second derivatives along straight lines of (u, w), by polarisation.
                let along = |d: &SVector<f64, 12>| energy(d) + energy(&-d) - 2.0 * energy(&zero);
                let (sum, difference) = (unit(i) + unit(j), unit(i) - unit(j));
                let bend = (along(&sum) - along(&difference)) / (4.0 * h * h);
                assert!(
                    (bend - hessian[(i, j)]).abs() < 1e-5,
                    "{i} {j}: {bend} {}",
                    hessian[(i, j)]
                );
            }
        }
    }
}
