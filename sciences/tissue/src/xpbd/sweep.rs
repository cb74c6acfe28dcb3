//! A sweep over all constraints: in place, or in slabs on all threads.

use super::block::Block;
use super::correction::{ApplySums, Points};
use super::lane_layout::LaneLayout;
use super::slab_state::{SharedState, SlabState};
use crate::lanes;

impl<Y: LaneLayout> Block<Y> {
    /// Corrects positions once by each constraint.
    pub(super) fn solve_constraints(&mut self, dt: f64) {
        if self.model.partition.is_whole() {
            self.solve_in_place(dt);
        } else {
            self.solve_parts(dt);
        }
        if !self.sums.is_empty() {
            lanes::run(ApplySums::<Y> {
                positions: &mut self.positions,
                sums: &mut self.sums,
                shares: &self.model.shares,
            });
        }
    }

    fn solve_in_place(&mut self, dt: f64) {
        for (kind, set) in self.model.constraints.iter().enumerate() {
            let points = Points {
                positions: &mut self.positions,
                sums: &mut self.sums,
                predicted: &self.predicted,
                velocities: &self.velocities,
                dt: dt as f32,
                is_damped: self.model.topology.is_damped,
                patch_weight: self.model.config.sweep.patch_weight() as f32,
            };
            let multipliers = &mut self.parts[0].multipliers[kind];
            set.solve(0, points, &self.alive.constraints[kind], multipliers);
        }
    }

    fn solve_parts(&mut self, dt: f64) {
        let whole = SharedState {
            model: &self.model,
            alive: &self.alive.constraints,
            positions: &self.positions,
            predicted: &self.predicted,
            velocities: &self.velocities,
        };
        let solve = |part: &mut SlabState<Y>| part.solve(&whole, dt);
        self.threads.for_each_large(&mut self.parts, solve);
        for (part, ids) in self.parts.iter().zip(&self.model.partition.points) {
            Y::scatter_add(&part.sums, ids, &mut self.sums);
        }
    }
}
