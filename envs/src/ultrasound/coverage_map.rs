//! What was seen of an organ's surface, and where the rest is.

use nalgebra::Isometry3;

use super::{FrameAssessment, OrganSurface};

/// Boundaries between the rows of cells: distances to the slice, along the probe's y axis [m].
pub const ROWS: [f64; 6] = [-0.05, -0.025, -0.008, 0.008, 0.025, 0.05];
/// Boundaries between the columns of cells: distances to the probe's axis, along its x axis [m].
pub const COLUMNS: [f64; 2] = [-0.03, 0.03];

/// Points farther from the undeformed slice are skipped [m].
const NEAR: f64 = 0.03;

/// Points of a surface that were seen, and the unseen area around the probe.
#[derive(Debug)]
pub struct CoverageMap {
    seen: Vec<bool>,
    share: f64,
    cells: [f64; (ROWS.len() + 1) * (COLUMNS.len() + 1)],
}

impl CoverageMap {
    /// A map of `n_points` points, none of them seen.
    pub fn new(n_points: usize) -> Self {
        Self {
            seen: vec![false; n_points],
            share: 0.0,
            cells: [0.0; _],
        }
    }

    /// Fraction of the area that was seen.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// Unseen fraction of the area in each cell of the last frame, row by row.
    pub fn cells(&self) -> &[f64] {
        &self.cells
    }

    /// Marks the visible points of a frame and sorts the others into cells. `margin`: half the displacement across the slice
    /// since the last frame [m].
    pub fn mark(
        &mut self,
        surface: &OrganSurface,
        torso_from_probe: &Isometry3<f64>,
        margin: f64,
        frame: &FrameAssessment,
    ) {
        self.cells.fill(0.0);
        let probe_from_torso = torso_from_probe.inverse();
        for (index, (point, share)) in surface.points.iter().zip(&surface.shares).enumerate() {
            if self.seen[index] {
                continue;
            }
            let place = probe_from_torso * point.rest.cast::<f64>();
            if place.y.abs() < NEAR && frame.shows(&point.rest, margin) {
                self.seen[index] = true;
                self.share += share;
            } else {
                let cell =
                    |bounds: &[f64], place: f64| bounds.iter().filter(|x| place > **x).count();
                let row = cell(&ROWS, place.y);
                self.cells[row * (COLUMNS.len() + 1) + cell(&COLUMNS, place.x)] += share;
            }
        }
    }
}
