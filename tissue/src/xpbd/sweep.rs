//! A sweep over all constraints: in place, or part by part on all threads.

use std::ops::Range;

use super::block::Block;
use super::correction::{ApplySums, Points};
use super::lane_layout::LaneLayout;
use super::model::Model;
use super::points::RowOfPoints as _;
use crate::lanes::{self, Row};

/// What a part has of its own.
#[derive(Debug, Clone)]
pub(super) struct Part<Y: LaneLayout> {
    index: usize,
    /// Copies of its points, and sums of their corrections; no rows where the world is one part.
    positions: Vec<Y::Points>,
    predicted: Vec<Y::Points>,
    velocities: Vec<Y::Points>,
    sums: Vec<Y::Points>,
    /// λ of each kind of constraint; no rows for one iteration, which needs none.
    pub(super) multipliers: Vec<Vec<Row>>,
}

/// The whole world, of whose points parts have copies.
struct Whole<'a, Y: LaneLayout> {
    model: &'a Model<Y>,
    alive: &'a [Vec<Row>],
    positions: &'a [Y::Points],
    predicted: &'a [Y::Points],
    velocities: &'a [Y::Points],
}

impl<Y: LaneLayout> Part<Y> {
    /// The parts of a model.
    pub(super) fn all(model: &Model<Y>) -> Vec<Self> {
        let parts = 0..model.partition.n_parts();
        parts.map(|index| Self::new(model, index)).collect()
    }

    fn new(model: &Model<Y>, index: usize) -> Self {
        // A point that does not move comes after the last.
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

    /// Corrects copies of the points by some kinds of constraints, or sums up the corrections.
    fn solve(&mut self, kinds: Range<usize>, whole: &Whole<'_, Y>, dt: f64) {
        let model = whole.model;
        let ids = &model.partition.points[self.index];
        Y::gather(whole.positions, ids, &mut self.positions);
        if model.topology.is_damped && kinds.start == 0 {
            Y::gather(whole.predicted, ids, &mut self.predicted);
            Y::gather(whole.velocities, ids, &mut self.velocities);
        }
        self.sums.fill(Y::Points::ZERO);
        for kind in kinds {
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
            model.constraints[kind].solve(self.index, points, alive, multipliers);
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

    /// Kind by kind where one follows another: it matters whether dashpots come before or after what is elastic.
    fn solve_parts(&mut self, dt: f64) {
        let n_kinds = self.model.constraints.len();
        if self.model.has_sums() {
            self.solve_kinds(0..n_kinds, dt);
            return;
        }
        for kind in 0..n_kinds {
            // What damping needs is copied with the first kind.
            if kind == 0 || self.model.constraints[kind].n_rows() > 0 {
                self.solve_kinds(kind..kind + 1, dt);
            }
        }
    }

    fn solve_kinds(&mut self, kinds: Range<usize>, dt: f64) {
        let partition = &self.model.partition;
        for phase in &partition.phases {
            let parts = &mut self.parts[phase.clone()];
            let whole = Whole {
                model: &self.model,
                alive: &self.alive.constraints,
                positions: &self.positions,
                predicted: &self.predicted,
                velocities: &self.velocities,
            };
            let solve = |part: &mut Part<Y>| part.solve(kinds.clone(), &whole, dt);
            self.threads.for_each(parts, solve);
            for part in parts {
                let ids = &partition.points[part.index];
                if self.sums.is_empty() {
                    Y::scatter(&part.positions, ids, &mut self.positions);
                } else {
                    Y::scatter_add(&part.sums, ids, &mut self.sums);
                }
            }
        }
    }
}
