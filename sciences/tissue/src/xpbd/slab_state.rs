//! State of one slab of a partition during a sweep: copies of its points, sums of their corrections, and multipliers.

use super::correction::Points;
use super::lane_layout::LaneLayout;
use super::model::Model;
use super::points::RowOfPoints as _;
use crate::lanes::Row;

/// Data of one part.
#[derive(Debug, Clone)]
pub(super) struct SlabState<Y: LaneLayout> {
    index: usize,
    /// Copies of its points, and sums of their corrections; without rows if the world is one part.
    positions: Vec<Y::Points>,
    predicted: Vec<Y::Points>,
    velocities: Vec<Y::Points>,
    pub(super) sums: Vec<Y::Points>,
    /// λ of each kind of constraint; without rows for one iteration, which needs no λ.
    pub(super) multipliers: Vec<Vec<Row>>,
}

/// The whole world, from which parts copy points.
pub(super) struct SharedState<'a, Y: LaneLayout> {
    pub(super) model: &'a Model<Y>,
    pub(super) alive: &'a [Vec<Row>],
    pub(super) positions: &'a [Y::Points],
    pub(super) predicted: &'a [Y::Points],
    pub(super) velocities: &'a [Y::Points],
}

impl<Y: LaneLayout> SlabState<Y> {
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
    pub(super) fn solve(&mut self, whole: &SharedState<'_, Y>, dt: f64) {
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
