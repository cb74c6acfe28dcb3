//! Balance of all forces at a pose of the base.

use nalgebra::{DMatrix, DVector, Isometry3, Matrix3, Vector3};

use crate::needle::Needle;
use crate::path::{Front, PathPoint, intervals, shares};
use crate::{NeedleError, Tip, Tissue, rows};

/// Change of a bounded force that ends its sweeps, relative to 1 N.
const FORCE_TOLERANCE: f64 = 1e-12;

/// A point with a force, in the base's frame.
struct Row<P> {
    point: P,
    /// Position [m].
    at: Vector3<f64>,
    /// Force on the tissue [N].
    force: Vector3<f64>,
    /// Near compliance along x, y and z [m/N].
    near: Vector3<f64>,
    /// Place along the needle where its lateral rows act [m].
    along: f64,
}

impl<P: Clone + std::fmt::Debug + PartialEq> Needle<P> {
    /// Balances forces after the base has moved from `before`.
    pub(crate) fn settle<T: Tissue<Point = P>>(
        &mut self,
        tissue: &mut T,
        before: &Isometry3<f64>,
    ) -> Result<(), NeedleError> {
        self.cover(tissue);
        self.touch(tissue, before);
        self.is_settled = false;
        for _ in 0..self.settings.max_passes {
            self.solve_lateral(tissue)?;
            self.solve_axial(tissue);
            if !self.cut(tissue)? {
                self.is_settled = true;
                break;
            }
        }
        if T::KEEPS_FORCES && !self.is_settled {
            let passes = self.settings.max_passes;
            return Err(NeedleError::NotSettled { passes });
        }
        self.lose_touch(tissue);
        self.let_go(tissue);
        Ok(())
    }

    /// Finds which points of the channel the shaft covers.
    fn cover<T: Tissue<Point = P>>(&mut self, tissue: &mut T) {
        let tip = self.config.length;
        let along: Vec<f64> = self
            .path
            .iter()
            .map(|p| self.local(tissue, &p.point).z)
            .collect();
        let n_covered = along.iter().take_while(|along| **along <= tip).count();
        let was_out = self.path.first().is_some_and(|first| !first.is_covered);
        if was_out && n_covered > 0 && self.misses_channel(tissue) {
            // A needle that is out of its channel holds no tissue, so no force is lost here.
            self.path.clear();
            self.front = None;
            return;
        }
        for (index, (point, along)) in self.path.iter_mut().zip(along).enumerate() {
            let is_covered = index < n_covered;
            point.along = along;
            if is_covered && !point.is_covered {
                point.grip = along;
            }
            if !is_covered && point.is_covered {
                tissue.push(&point.point, -point.force);
                point.force = Vector3::zeros();
            }
            point.is_covered = is_covered;
        }
    }

    /// Whether a tip that enters the skin is more than a diameter away from the channel.
    fn misses_channel<T: Tissue<Point = P>>(&self, tissue: &T) -> bool {
        let Some(first) = self.path.first() else {
            return true;
        };
        let at = self.local(tissue, &first.point);
        (at.xy() - self.deflection(at.z)).norm() > self.config.outer_diameter
    }

    /// Finds the place where the tip meets the skin.
    fn touch<T: Tissue<Point = P>>(&mut self, tissue: &T, before: &Isometry3<f64>) {
        let tip = self.place(self.config.length);
        if self.front.is_some() || !self.path.is_empty() || tissue.embed(tip).is_none() {
            return;
        }
        // Between a place outside and one inside.
        let straight = before * Vector3::new(0.0, 0.0, self.config.length);
        let mut outside = before.translation.vector + straight;
        let mut inside = tip;
        for _ in 0..50 {
            let middle = 0.5 * (outside + inside);
            match tissue.embed(middle) {
                Some(_) => inside = middle,
                None => outside = middle,
            }
        }
        if let Some(point) = tissue.embed(inside) {
            let layer = tissue.layer(&point);
            self.front = Some(Front {
                layer,
                force: Vector3::zeros(),
                axial_force: 0.0,
                along: self.config.length,
                is_open: false,
                limit: self.surface_limit(layer),
                point,
            });
        }
    }

    /// Forgets a place on an unbroken skin from which the tip has gone.
    fn lose_touch<T: Tissue<Point = P>>(&mut self, tissue: &mut T) {
        let axis = self.axis();
        if !self.path.is_empty() {
            return;
        }
        if let Some(front) = self.front.take_if(|front| front.force.dot(&axis) <= 0.0) {
            tissue.push(&front.point, -front.force);
        }
    }

    /// Takes the last forces off the end of a channel that the needle has left: a tip outside the body neither pushes nor bends.
    fn let_go<T: Tissue<Point = P>>(&mut self, tissue: &mut T) {
        if self.path.is_empty() || self.path.iter().any(|point| point.is_covered) {
            return;
        }
        if self.config.tip != Tip::Symmetric {
            self.tip_load.fill(0.0);
        }
        let length = self.config.length;
        if let Some(front) = &mut self.front {
            tissue.push(&front.point, -front.force);
            front.force = Vector3::zeros();
            front.axial_force = 0.0;
            front.along = length;
        }
    }

    /// Solves the lateral rows: tissue and shaft are at the same place.
    fn solve_lateral<T: Tissue<Point = P>>(&mut self, tissue: &mut T) -> Result<(), NeedleError> {
        self.load_bevel(tissue);
        let mut rows = self.path_rows(tissue);
        let n_path = rows.len();
        rows.extend(self.front_row(tissue).filter(|_| self.front_is_held()));
        let length = self.config.length;
        let n = 2 * rows.len();
        let (mut matrix, mut right) = (DMatrix::zeros(n, n), DVector::zeros(n));
        for (i, row) in rows.iter().enumerate() {
            let load = self.tip_load * self.config.deflection(row.along, length);
            for axis in 0..2 {
                right[2 * i + axis] = load[axis] - row.at[axis];
                matrix[(2 * i + axis, 2 * i + axis)] += row.near[axis];
            }
            for (j, other) in rows.iter().enumerate() {
                let response = self.response(tissue, &row.point, &other.point);
                let bending = self.config.deflection(row.along, other.along);
                for a in 0..2 {
                    for b in 0..2 {
                        matrix[(2 * i + a, 2 * j + b)] += response[(a, b)];
                        right[2 * i + a] += response[(a, b)] * other.force[b];
                    }
                    matrix[(2 * i + a, 2 * j + a)] += bending;
                }
            }
        }
        let forces = rows::solve(matrix, &right).ok_or(NeedleError::NotPositive)?;
        for (i, row) in rows.iter().enumerate() {
            let force = Vector3::new(forces[2 * i], forces[2 * i + 1], row.force.z);
            let force = self.base * force;
            let held = if i < n_path {
                &mut self.path[i].force
            } else {
                let Some(front) = &mut self.front else {
                    continue;
                };
                front.along = row.along;
                &mut front.force
            };
            tissue.push(&row.point, force - *held);
            *held = force;
        }
        Ok(())
    }

    /// Whether lateral rows hold the tip at the front: on an unbroken surface, and in a cut with an angle.
    fn front_is_held(&self) -> bool {
        let follows = matches!(self.config.tip, Tip::CutAngle { .. });
        let is_held = |front: &Front<P>| (!front.is_open || follows) && front.axial_force > 0.0;
        self.front.as_ref().is_some_and(is_held)
    }

    /// Sets the lateral force of a bevel by the axial force of the tip; the tissue in front of it takes the reaction.
    fn load_bevel<T: Tissue<Point = P>>(&mut self, tissue: &mut T) {
        let axis = self.axis();
        let Some(front) = &self.front else {
            if self.config.tip != Tip::Symmetric {
                self.tip_load.fill(0.0);
            }
            return;
        };
        if let Tip::TipLoad { force, facet } = self.config.tip {
            let cutting = self.layers[front.layer].cutting_force(self.config.outer_diameter);
            let axial = front.axial_force.max(0.0);
            let skin = self
                .path
                .first()
                .map_or(self.config.length, |first| first.along);
            let depth = ((self.config.length - skin) / facet).clamp(0.0, 1.0);
            let share = if front.is_open && cutting > 0.0 {
                (axial / cutting).min(1.0) * depth * depth
            } else {
                0.0
            };
            self.tip_load.x = force * share;
        }
        if self.front_is_held() {
            return;
        }
        let reaction = self.base * (-self.tip_load).push(0.0);
        if let Some(front) = &mut self.front {
            let force = axis * front.force.dot(&axis) + reaction;
            tissue.push(&front.point, force - front.force);
            front.force = force;
        }
    }

    /// Solves the axial rows: tissue sticks to the shaft up to its friction, and the front stays before the tip up to its limit.
    fn solve_axial<T: Tissue<Point = P>>(&mut self, tissue: &mut T) {
        let mut rows = self.path_rows(tissue);
        let n_path = rows.len();
        rows.extend(self.front_row(tissue));
        let mut bounds = self.friction_bounds(&rows[..n_path]);
        if let Some(front) = &self.front {
            bounds.push([0.0, front.limit]);
        }
        let n = rows.len();
        let mut matrix = DMatrix::zeros(n, n);
        let mut g = vec![0.0; n];
        let mut forces: Vec<f64> = rows.iter().map(|row| row.force.z).collect();
        for (i, row) in rows.iter().enumerate() {
            let place = self.path.get(i).filter(|_| i < n_path);
            g[i] = row.at.z - place.map_or(self.config.length, |point| point.grip);
            for (j, other) in rows.iter().enumerate() {
                matrix[(i, j)] = self.response(tissue, &row.point, &other.point)[(2, 2)];
                g[i] -= matrix[(i, j)] * other.force.z;
            }
        }
        for (i, row) in rows.iter().enumerate() {
            matrix[(i, i)] = (matrix[(i, i)] + row.near.z).max(1e-12);
        }
        rows::solve_bounded(&matrix, &g, &bounds, &mut forces, FORCE_TOLERANCE);
        let axis = self.axis();
        for (i, row) in rows.iter().enumerate() {
            let change = axis * (forces[i] - row.force.z);
            tissue.push(&row.point, change);
            if i < n_path {
                let slips = forces[i] <= bounds[i][0] || forces[i] >= bounds[i][1];
                if slips {
                    let product: f64 = (0..n).map(|j| matrix[(i, j)] * forces[j]).sum();
                    self.path[i].grip += g[i] + product;
                }
                self.path[i].force += change;
            } else if let Some(front) = &mut self.front {
                front.force += change;
                front.axial_force = forces[i];
            }
        }
    }

    /// Friction that each covered point can hold [N]: per length, and under its lateral force. An interval is in the layer of its start.
    fn friction_bounds(&self, rows: &[Row<P>]) -> Vec<[f64; 2]> {
        let along: Vec<f64> = rows.iter().map(|row| row.along).collect();
        let lengths = intervals(&along, self.config.length);
        let layers = || self.path.iter().map(|point| &self.layers[point.layer]);
        let by_length = layers()
            .zip(lengths)
            .map(|(layer, length)| layer.friction * length);
        let by_length = shares(&by_length.collect::<Vec<f64>>());
        let points = layers().zip(rows).zip(by_length);
        let most = points.map(|((layer, row), by_length)| {
            by_length + layer.friction_coefficient * row.force.xy().norm()
        });
        most.map(|most| [-most, most]).collect()
    }

    /// Rows of the covered points.
    ///
    /// Tissue that the tip has just cut pulls neither sideways nor along the shaft. So half of the last interval is without springs
    /// (trapezoidal rule).
    fn path_rows<T: Tissue<Point = P>>(&self, tissue: &T) -> Vec<Row<P>> {
        let covered: Vec<&PathPoint<P>> = self.path.iter().filter(|p| p.is_covered).collect();
        let along: Vec<f64> = covered.iter().map(|point| point.along).collect();
        let mut lengths = intervals(&along, self.config.length);
        if let Some(last) = lengths.last_mut() {
            *last *= 0.5;
        }
        let rows = covered.iter().zip(shares(&lengths)).map(|(point, length)| {
            let near = tissue.near_field(&point.point, self.config.radius());
            // A point that the tip has just reached is not softer than one that stands for half a spacing.
            let length = length.max(0.5 * self.settings.spacing);
            Row {
                at: self.local(tissue, &point.point),
                force: self.base.rotation.inverse_transform_vector(&point.force),
                near: Vector3::new(near.lateral, near.lateral, near.axial) / length,
                along: point.along,
                point: point.point.clone(),
            }
        });
        rows.collect()
    }

    /// Row of the front. It holds the needle where the front is, which may be behind the tip until the tip has cut.
    fn front_row<T: Tissue<Point = P>>(&self, tissue: &T) -> Option<Row<P>> {
        let front = self.front.as_ref()?;
        let near = tissue.near_field(&front.point, self.config.radius()).tip;
        let at = self.local(tissue, &front.point);
        let force = self.base.rotation.inverse_transform_vector(&front.force);
        Some(Row {
            at,
            force,
            near: Vector3::repeat(near),
            along: (at.z + near * force.z).min(self.config.length),
            point: front.point.clone(),
        })
    }

    /// Displacement of a point by a force on another, in the base's frame [m/N].
    fn response<T: Tissue<Point = P>>(&self, tissue: &T, moved: &P, pushed: &P) -> Matrix3<f64> {
        let turn = self.base.rotation.to_rotation_matrix();
        turn.matrix().transpose() * tissue.response(moved, pushed) * turn.matrix()
    }
}
