//! A sweep over all constraints: in place, or in slabs on all threads.

use super::block::Block;
use super::correction::{ApplySums, Points};
use super::lane_layout::LaneLayout;
use super::model::Model;
use super::points::RowOfPoints as _;
use crate::lanes::{self, Row};

/// Data of one part.
#[derive(Debug, Clone)]
pub(super) struct Partition<Y: LaneLayout> {
    index: usize,
    /// Copies of its points, and sums of their corrections; without rows if the world is one part.
    positions: Vec<Y::Points>,
    predicted: Vec<Y::Points>,
    velocities: Vec<Y::Points>,
    sums: Vec<Y::Points>,
    /// λ of each kind of constraint; without rows for one iteration, which needs no λ.
    pub(super) multipliers: Vec<Vec<Row>>,
}

/// The whole world, from which parts copy points.
struct SharedState<'a, Y: LaneLayout> {
    model: &'a Model<Y>,
    alive: &'a [Vec<Row>],
    positions: &'a [Y::Points],
    predicted: &'a [Y::Points],
    velocities: &'a [Y::Points],
}

impl<Y: LaneLayout> Partition<Y> {
    /// The parts of a model.
    pub(super) fn all(model: &Model<Y>) -> Vec<Self> {
        let parts = 0..model.partition.n_parts();
        parts.map(|index| Self::new(model, index)).collect()
    }

    fn new(model: &Model<Y>, index: usize) -> Self {
        // A fixed point follows the last one.
        let points = model.partition.points.get(index);
        let n_rows = points.map_or(0, |points| points.len() / Y::WIDTH + 1);
        let rows = |is_used: bool| vec![Y::Points::ZERO; if is_used { n_rows } else { 0 }];
        let has_multipliers = model.config.iterations > 1;
        let multipliers = model.constraints.iter().map(|set| {
            let n = set.rows(index).len() * set.n_multipliers();
            vec![[0.0; 16]; if has_multipliers { n } else { 0 }]
        });
        Self {
            index,
            positions: rows(true),
            predicted: rows(model.topology.is_damped),
            velocities: rows(model.topology.is_damped),
            sums: rows(model.has_sums()),
            multipliers: multipliers.collect(),
        }
    }

    /// Sums the corrections of its constraints.
    fn solve(&mut self, whole: &SharedState<'_, Y>, dt: f64) {
        let model = whole.model;
        let ids = &model.partition.points[self.index];
        Y::gather(whole.positions, ids, &mut self.positions);
        if model.topology.is_damped {
            Y::gather(whole.predicted, ids, &mut self.predicted);
            Y::gather(whole.velocities, ids, &mut self.velocities);
        }
        self.sums.fill(Y::Points::ZERO);
        for (kind, set) in model.constraints.iter().enumerate() {
            let points = Points {
                positions: &mut self.positions,
                sums: &mut self.sums,
                predicted: &self.predicted,
                velocities: &self.velocities,
                dt: dt as f32,
                is_damped: model.topology.is_damped,
                patch_weight: model.config.sweep.patch_weight() as f32,
            };
            let (alive, multipliers) = (&whole.alive[kind], &mut self.multipliers[kind]);
            set.solve(self.index, points, alive, multipliers);
        }
    }
}

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
        let solve = |part: &mut Partition<Y>| part.solve(&whole, dt);
        self.threads.for_each_large(&mut self.parts, solve);
        for (part, ids) in self.parts.iter().zip(&self.model.partition.points) {
            Y::scatter_add(&part.sums, ids, &mut self.sums);
        }
    }
}
