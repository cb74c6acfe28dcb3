//! Stiffness and forces of the rod (Chen et al. 2024, Eq. 22 and 24).

use nalgebra::Vector3;

use super::{BaseStep, BaseWrench, PENALTY, Simulation};
use crate::actuation::{Actuation, pull};
use crate::rod::Routing;
use crate::solver::{NodeVector, add_row};

impl Simulation {
    /// Fills the quadratic program except for its rows.
    pub(super) fn assemble(&mut self, actuation: &Actuation, base: &BaseStep) {
        let n_nodes = self.state.positions.len();
        let program = &mut self.program;
        program.stiffness.reset(n_nodes);
        program.gradient.clear();
        program.gradient.resize(n_nodes, NodeVector::zeros());
        let mut greatest = 0.0_f64;
        let mut stiffest = 0.0_f64;
        for (node, (element, strained)) in self.elements.iter().zip(&self.strained).enumerate() {
            let tangent = strained.tangent(element);
            let [force, first, second] = &tangent.gradient;
            greatest = greatest.max(force.norm());
            let bending = 12.0 * element.rotational.yz().max() / element.rest_length.powi(2);
            stiffest = stiffest.max(element.axial).max(bending);
            add(&mut program.gradient[node], &-force, first);
            add(&mut program.gradient[node + 1], force, second);
            let [[uu, u1, u2], [_, rr, r12], [_, _, ss]] = &tangent.blocks;
            let own = &mut program.stiffness.diagonal[node];
            let mut view = own.fixed_view_mut::<3, 3>(0, 0);
            view += uu;
            let mut view = own.fixed_view_mut::<3, 3>(0, 3);
            view -= u1;
            let mut view = own.fixed_view_mut::<3, 3>(3, 0);
            view -= u1.transpose();
            let mut view = own.fixed_view_mut::<3, 3>(3, 3);
            view += rr;
            let next = &mut program.stiffness.diagonal[node + 1];
            let mut view = next.fixed_view_mut::<3, 3>(0, 0);
            view += uu;
            let mut view = next.fixed_view_mut::<3, 3>(0, 3);
            view += u2;
            let mut view = next.fixed_view_mut::<3, 3>(3, 0);
            view += u2.transpose();
            let mut view = next.fixed_view_mut::<3, 3>(3, 3);
            view += ss;
            let lower = &mut program.stiffness.lower[node];
            lower.fixed_view_mut::<3, 3>(0, 0).copy_from(&-uu);
            lower.fixed_view_mut::<3, 3>(0, 3).copy_from(u1);
            lower
                .fixed_view_mut::<3, 3>(3, 0)
                .copy_from(&-u2.transpose());
            lower
                .fixed_view_mut::<3, 3>(3, 3)
                .copy_from(&r12.transpose());
        }

        // Gravity, tip and cables.
        let mut weight = 0.0;
        for (node, ends) in self.state.from_tip.windows(2).enumerate() {
            let section = self.config.section_at(0.5 * (ends[0] + ends[1]));
            let mass = section.density * section.area * (ends[0] - ends[1]);
            let half = -0.5 * mass * self.config.gravity;
            weight += 2.0 * half.norm();
            add(&mut program.gradient[node], &half, &Vector3::zeros());
            add(&mut program.gradient[node + 1], &half, &Vector3::zeros());
        }
        let tip = &mut program.gradient[n_nodes - 1];
        add(tip, &-actuation.tip_force, &-actuation.tip_moment);
        pull(
            &self.config.cables,
            &actuation.tensions,
            &self.state,
            &mut program.stiffness,
            &mut program.gradient,
        );

        for (node, row, stiffness) in &self.contacts.curved {
            program.stiffness.add_outer(*node, row, *stiffness);
        }

        // Reference force of residuals, and penalty of gaps.
        let length = self.state.inserted_length;
        let applied = actuation.tip_force.norm()
            + actuation.tip_moment.norm() / length
            + actuation.tensions.iter().sum::<f64>()
            + weight;
        let pressed = self.contacts.rows.iter().map(|row| row.force.x);
        let pressed = pressed.fold(0.0, f64::max);
        // A rod without loads still has rounding forces, so a bend of a thousandth of a turn is the least load.
        let stiffness = self.elements[0].rotational.yz().max() * self.elements[0].rest_length;
        let least = 1e-3 * stiffness / length.powi(2);
        program.load = applied.max(greatest).max(pressed).max(least);
        program.length = self.config.element_length();
        let has_followers = self.config.cables.routing == Routing::AtTip
            && actuation.tensions.iter().any(|tension| *tension > 0.0);
        program.follows = has_followers || actuation.tip_moment != Vector3::zeros();
        program.shift = 0.0;
        program.penalty = PENALTY * stiffest;
        program.softest = stiffness / length.powi(3) / n_nodes as f64;

        self.hold(base);
    }

    /// Prescribes the motion of the base and the fixed degrees of freedom (Eq. 14).
    fn hold(&mut self, base: &BaseStep) {
        let program = &mut self.program;
        program.base_row = (
            program.stiffness.diagonal[0],
            program.stiffness.lower[0],
            program.gradient[0],
        );
        if base.step != NodeVector::zeros() {
            program.gradient[0] += program.stiffness.diagonal[0] * base.step;
            program.gradient[1] += program.stiffness.lower[0] * base.step;
            for row in self.contacts.rows.iter_mut().filter(|row| row.node == 0) {
                row.gap += row.normal.fixed_rows::<6>(0).dot(&base.step);
            }
        }
        let last = program.gradient.len() - 1;
        let ends = [(0, self.config.held_base), (last, self.config.held_tip)];
        for (node, held) in ends {
            for (component, _) in held.iter().enumerate().filter(|(_, is_held)| **is_held) {
                program.stiffness.hold(node, component);
                program.gradient[node][component] = 0.0;
            }
        }
    }

    /// Greatest unbalanced force relative to the load, with the current contact forces.
    pub(super) fn imbalance(&mut self) -> f64 {
        self.residual.clone_from(&self.program.gradient);
        for row in self.contacts.rows.iter().filter(|row| row.force.x > 0.0) {
            add_row(&mut self.residual, row.node, &-row.generalised(&row.force));
        }
        self.program.stiffness.clear_held(&mut self.residual);
        self.program.relative(&self.residual)
    }

    /// Wrench of the introducer on the rod after the step Δ.
    pub(super) fn base_wrench(&self, base: &BaseStep) -> BaseWrench {
        let (diagonal, lower, gradient) = &self.program.base_row;
        let mut wrench = [
            gradient + diagonal * (base.step + self.delta[0]) + lower.tr_mul(&self.delta[1]),
            NodeVector::zeros(),
        ];
        let rows = self.contacts.rows.iter();
        for row in rows.filter(|row| row.node == 0 && row.force.x > 0.0) {
            add_row(&mut wrench, 0, &-row.generalised(&row.force));
        }
        BaseWrench {
            force: wrench[0].fixed_rows::<3>(0).into_owned(),
            moment: wrench[0].fixed_rows::<3>(3).into_owned(),
        }
    }
}

fn add(vector: &mut NodeVector, force: &Vector3<f64>, moment: &Vector3<f64>) {
    let mut upper = vector.fixed_rows_mut::<3>(0);
    upper += force;
    let mut lower = vector.fixed_rows_mut::<3>(3);
    lower += moment;
}
