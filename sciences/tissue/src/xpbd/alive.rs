//! Tetrahedra and constraints that are left after tearing.

use super::lane_layout::LaneLayout;
use super::model::Model;
use crate::lanes::Row;

/// 1 for an intact tetrahedron or constraint, 0 for a torn one. Without rows if nothing can tear.
#[derive(Debug, Clone)]
pub(super) struct IntactMask {
    pub(super) tets: Vec<Row>,
    /// Flags of each kind of constraint.
    pub(super) constraints: Vec<Vec<Row>>,
}

impl IntactMask {
    pub(super) fn new<Y: LaneLayout>(model: &Model<Y>) -> Self {
        let rows = |n: usize| vec![[1.0; 16]; if model.topology.tears { n } else { 0 }];
        let sets = model.constraints.iter();
        Self {
            tets: rows(model.tear_groups.len()),
            constraints: sets.map(|set| rows(set.n_rows())).collect(),
        }
    }

    /// Restores all elements of a world.
    pub(super) fn reset<Y: LaneLayout>(&mut self, world: usize) {
        for rows in self.constraints.iter_mut().chain([&mut self.tets]) {
            for slot in 0..rows.len() * Y::WIDTH {
                let (row, lane) = Y::row_and_lane(slot, world);
                rows[row][lane] = 1.0;
            }
        }
    }

    pub(super) fn has_tet<Y: LaneLayout>(&self, tet: usize, world: usize) -> bool {
        Y::is_set(&self.tets, tet, world)
    }

    /// Removes a tetrahedron and the constraints that have lost their last tetrahedron. Returns the vertices that have
    /// lost their last one.
    pub(super) fn remove<Y: LaneLayout>(
        &mut self,
        model: &Model<Y>,
        tet: usize,
        world: usize,
    ) -> Vec<u32> {
        let (row, lane) = Y::row_and_lane(tet, world);
        self.tets[row][lane] = 0.0;
        let lists = model.topology.constraints.all();
        for (kind, constraint) in &model.neighbors.constraints[tet] {
            let slot = model.constraints[*kind].slot(*constraint);
            if let Some(slot) = slot
                && !self.has_any::<Y>(lists[*kind].tets(*constraint), world)
            {
                let (row, lane) = Y::row_and_lane(slot, world);
                self.constraints[*kind][row][lane] = 0.0;
            }
        }
        let vertices = model.topology.tets[tet].vertices.into_iter();
        let tets = |vertex: u32| &model.neighbors.tets[vertex as usize];
        vertices
            .filter(|vertex| !self.has_any::<Y>(tets(*vertex), world))
            .collect()
    }

    fn has_any<Y: LaneLayout>(&self, tets: &[u32], world: usize) -> bool {
        let mut tets = tets.iter();
        tets.any(|tet| self.has_tet::<Y>(*tet as usize, world))
    }
}
