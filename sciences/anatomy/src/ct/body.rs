//! The body in a CT, without the table, tubes and cables.
//!
//! What is denser than air is opened by a ball, which detaches thin parts, and the largest connected part is kept. Holes, which are lungs
//! and gas, are filled in each slice across the body's length.

use insonate_volumes::{CtImage, CtRows, Segmentation, VoxelFrame};
use nalgebra::{Matrix3, Vector3};

use super::cells::{Cells, Part};
use super::hounsfield::BODY;
use super::table::TableFace;
use crate::AnatomyError;
use crate::slices::Slices;

/// Radius of the ball [m].
const BALL: f64 = 0.004;
/// Margin around the body to which a segmentation is grown [m].
const MARGIN: f64 = 0.01;
/// Least width of a part of a table next to the back [m], and least length as a share of the body's.
const TABLE_WIDTH: f64 = 0.05;
const TABLE_LENGTH: f64 = 0.5;
/// Largest share of the cells of a body that a table's face may hide.
const MOST_HIDDEN: f64 = 0.05;
/// Least volume of a part that is counted [m³].
const LEAST_PART: f64 = 1e-6;

/// Which cells of a CT are the body, and what else there is.
pub(super) struct Body {
    cells: Cells,
    is_inside: Vec<bool>,
    /// First and last cell of the body.
    bounds: [[usize; 3]; 2],
}

/// What is next to a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Removed {
    /// Its volume [m³].
    pub(super) volume: f64,
    /// Number of connected parts.
    pub(super) n_parts: usize,
    /// Side on which a table is: front, back, left or right.
    pub(super) table: Option<&'static str>,
}

impl Body {
    /// The body by its density.
    pub(super) fn by_density(ct: &CtImage) -> Result<Self, AnatomyError> {
        let cells = Cells::of(ct);
        let is_air: Vec<bool> = cells.is_dense.iter().map(|own| !own).collect();
        let (edge, is_coarse) = cells.resolution();
        let ball = BALL.max(edge);
        let mut is_core = cells.near(&is_air, ball);
        drop(is_air);
        for own in &mut is_core {
            *own = !*own;
        }
        let parts = cells.parts(&is_core);
        let largest = parts.largest().ok_or_else(|| {
            AnatomyError::Refused(format!(
                "the CT has no body: nothing above {BODY} HU is thicker than {:.0} mm",
                2e3 * ball
            ))
        })?;
        for (own, part) in is_core.iter_mut().zip(&parts.of_cell) {
            *own = *part as usize == largest + 1;
        }
        drop(parts);
        // Cells of several voxels are partly body at its surface.
        let is_body = cells.near(&is_core, ball + if is_coarse { edge } else { 0.0 });
        let mut body = Self::new(cells, is_body);
        if body.cut_table() {
            return Ok(Self::new(body.cells, body.is_inside));
        }
        Ok(body)
    }

    /// Takes what a table's face hides from the body. Returns whether there was something.
    fn cut_table(&mut self) -> bool {
        let cells = &self.cells;
        let dense = cells.is_dense.iter().zip(&self.is_inside);
        let is_other: Vec<bool> = dense.map(|(dense, body)| *dense && !body).collect();
        let parts = cells.parts(&is_other);
        let is_table: Vec<Option<&str>> = parts.all.iter().map(|part| self.table(part)).collect();
        let frame = cells.frame();
        let [nx, ny, _] = cells.count;
        let place = |at: usize| {
            let index = Vector3::new(at % nx, at / nx % ny, at / nx / ny);
            frame.origin + frame.steps * index.map(|n| n as f64)
        };
        let (edge, _) = cells.resolution();
        let mut is_cut = false;
        for (side, sign) in [("back", 1.0), ("front", -1.0)] {
            let own = parts.of_cell.iter().enumerate().filter(|(_, part)| {
                let part = (**part as usize).checked_sub(1);
                part.is_some_and(|part| is_table[part] == Some(side))
            });
            let places = own.map(|(at, _)| {
                let place = place(at);
                [place.x, sign * place.z]
            });
            let Some(face) = TableFace::of(places, edge) else {
                continue;
            };
            let hidden = (0..self.is_inside.len()).filter(|at| {
                let place = place(*at);
                self.is_inside[*at] && face.is_below(place.x, sign * place.z)
            });
            let hidden: Vec<usize> = hidden.collect();
            let n_body = self.is_inside.iter().filter(|own| **own).count();
            if hidden.len() as f64 > MOST_HIDDEN * n_body as f64 {
                continue;
            }
            for at in hidden {
                self.is_inside[at] = false;
                is_cut = true;
            }
        }
        is_cut
    }

    /// The body of a segmentation's labels.
    pub(super) fn by_labels(ct: &CtImage, labels: &Segmentation) -> Result<Self, AnatomyError> {
        let cells = Cells::of(ct);
        let is_body = labels_at(labels, &cells);
        if !is_body.contains(&true) {
            let (edge, _) = cells.resolution();
            return Err(AnatomyError::Refused(format!(
                "the body of the segmentation is too small: no class is in the middle of a block of {:.1} mm of the CT's voxels",
                1e3 * edge
            )));
        }
        Ok(Self::new(cells, is_body))
    }

    fn new(cells: Cells, is_inside: Vec<bool>) -> Self {
        let [nx, ny, _] = cells.count;
        let mut bounds = [[usize::MAX; 3], [0; 3]];
        for (at, _) in is_inside.iter().enumerate().filter(|(_, own)| **own) {
            for (axis, place) in [at % nx, at / nx % ny, at / nx / ny]
                .into_iter()
                .enumerate()
            {
                bounds[0][axis] = bounds[0][axis].min(place);
                bounds[1][axis] = bounds[1][axis].max(place);
            }
        }
        Self {
            cells,
            is_inside,
            bounds,
        }
    }

    /// Lowest and highest coordinates of the body with a margin, as far as the CT reaches [m].
    pub(super) fn bounds(&self) -> [Vector3<f64>; 2] {
        self.cells.bounds(self.bounds, MARGIN)
    }

    /// What else is denser than air.
    pub(super) fn removed(&self) -> Removed {
        let near = self.cells.near(&self.is_inside, BALL);
        let dense = self.cells.is_dense.iter().zip(&near);
        let is_other: Vec<bool> = dense.map(|(dense, near)| *dense && !near).collect();
        let parts = self.cells.parts(&is_other).all;
        let volume = self.cells.volume();
        let is_counted = |part: &&Part| part.n_cells as f64 * volume >= LEAST_PART;
        let mut counted: Vec<&Part> = parts.iter().filter(is_counted).collect();
        counted.sort_by_key(|part| std::cmp::Reverse(part.n_cells));
        let n_cells: usize = counted.iter().map(|part| part.n_cells).sum();
        Removed {
            volume: n_cells as f64 * volume,
            n_parts: counted.len(),
            table: counted.iter().find_map(|part| self.table(part)),
        }
    }

    /// The side of the body on which a part lies, if it is a table: long, wide and thin.
    fn table(&self, part: &Part) -> Option<&'static str> {
        let [low, high] = self.cells.bounds(part.bounds, 0.0);
        let [least, most] = self.cells.bounds(self.bounds, 0.0);
        let (size, body) = (high - low, most - least);
        let is_flat = size.z <= size.x;
        let (width, thickness) = if is_flat {
            (size.x, size.z)
        } else {
            (size.z, size.x)
        };
        let is_table =
            width >= TABLE_WIDTH && thickness < 0.5 * width && size.y >= TABLE_LENGTH * body.y;
        let beyond = 0.5 * (low + high - least - most);
        let side = match (is_flat, beyond) {
            (true, beyond) if beyond.z > 0.0 => "front",
            (true, _) => "back",
            (false, beyond) if beyond.x > 0.0 => "left",
            (false, _) => "right",
        };
        is_table.then_some(side)
    }

    /// Gives the body to the voxels without a class that are denser than air.
    pub(super) fn put(&self, ct: &CtImage, labels: &mut Segmentation, body: u8) {
        let count = labels.count();
        let rows = CtRows::new(ct, count, &labels.frame());
        let map = CellMap::new(&self.cells, &labels.frame());
        let mut values = vec![0; count[0]];
        labels.change(|voxels| {
            for (row, own) in voxels.chunks_exact_mut(count[0]).enumerate() {
                let [y, z] = [row % count[1], row / count[1]];
                rows.read([y, z], &mut values);
                for (x, (own, value)) in own.iter_mut().zip(&values).enumerate() {
                    let is_free = *own == 0 && *value > BODY;
                    if is_free && map.cell([x, y, z]).is_some_and(|at| self.is_inside[at]) {
                        *own = body;
                    }
                }
            }
        });
    }
}

/// Maps voxels of a grid to cells.
struct CellMap {
    first: Vector3<f64>,
    steps: Matrix3<f64>,
    count: [usize; 3],
}

impl CellMap {
    fn new(cells: &Cells, frame: &VoxelFrame) -> Self {
        let own = cells.frame();
        // Frames were checked to be invertible.
        let inverse = own.steps.try_inverse().unwrap_or_default();
        Self {
            first: inverse * (frame.origin - own.origin) + Vector3::repeat(0.5),
            steps: inverse * frame.steps,
            count: cells.count,
        }
    }

    /// The cell that contains a voxel.
    fn cell(&self, index: [usize; 3]) -> Option<usize> {
        let place = self.first + self.steps * Vector3::from(index.map(|n| n as f64));
        let is_inside =
            (0..3).all(|axis| place[axis] >= -1e-6 && place[axis] < self.count[axis] as f64);
        let [x, y, z] = [0, 1, 2].map(|axis| place[axis].max(0.0) as usize);
        is_inside.then(|| (z * self.count[1] + y) * self.count[0] + x)
    }
}

/// Whether the middle of each cell has a label.
fn labels_at(labels: &Segmentation, cells: &Cells) -> Vec<bool> {
    let frame = cells.frame();
    let [nx, ny, nz] = cells.count;
    let rows = (0..nz).flat_map(|z| (0..ny).map(move |y| [y, z]));
    let rows = rows.flat_map(|[y, z]| {
        let corner = frame.origin + frame.steps * Vector3::new(0.0, y as f64, z as f64);
        let step = frame.steps.column(0).into_owned();
        labels.section(corner.into(), [step.into(), [0.0; 3]], [nx, 1])
    });
    rows.map(|value| value > 0).collect()
}

/// Gives the body to holes: voxels without a class that are enclosed in a slice across the body's length.
pub(super) fn fill_holes(labels: &mut Segmentation, body: u8) {
    let slices = Slices::new(labels.count(), &labels.frame());
    labels.change(|voxels| {
        for slice in 0..slices.n {
            let is_open = slices.open_to_rim(slice, |at| voxels[at] == 0);
            for (n, _) in is_open.iter().enumerate().filter(|(_, own)| !**own) {
                let own = &mut voxels[slices.at(slice, n)];
                if *own == 0 {
                    *own = body;
                }
            }
        }
    });
}
