//! Scan conversion: each pixel is interpolated between four samples of the envelope's logarithm.

use rayon::prelude::*;

use super::frame::Frame;
use super::grey_map::{GreyMap, GreyTable};
use super::grid::Grid;
use crate::deformation::Point;
use crate::simd::wide;

/// A run of pixels inside the field of view.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// Column of the first pixel.
    pub(super) start: usize,
    /// For each pixel: index of its sample, and weights of the next line and the next sample.
    pub(super) pixels: Vec<(u32, [f32; 2])>,
}

/// A picture, row by row, and the positions of its pixels in beam space.
#[derive(Clone, Debug)]
pub struct ScanConverter {
    /// Pixels across and down.
    pub size: [usize; 2],
    /// Size of a pixel [m].
    pub pixel: f64,
    /// Upper left corner in the probe's frame: x, z [m].
    pub corner: [f64; 2],
    /// Runs of each row; a curved face splits a row in two.
    pub(super) rows: Vec<Vec<Run>>,
    n_samples: usize,
    /// Level of white [dB relative to the speckle of liver], and dB from black to white.
    pub(super) white: f32,
    pub(super) dynamic_range: f32,
    pub(super) greys: GreyTable,
}

impl ScanConverter {
    /// A square of `size` pixels, at least 2, which the field of view fills as far as possible.
    pub(super) fn new(
        grid: &Grid,
        size: usize,
        [white, dynamic_range]: [f32; 2],
        grey_map: GreyMap,
    ) -> Self {
        let size = size.max(2);
        let n = grid.n_lines as f32 - 1.0;
        let corners = [0.0, 0.5 * n, n]
            .into_iter()
            .flat_map(|across| [0.0, grid.depth()].map(|range| grid.point(across, range, 0.0)));
        let (mut low, mut high) = ([f32::MAX; 2], [f32::MIN; 2]);
        for Point { coords } in corners {
            for (axis, value) in [coords.x, coords.z].into_iter().enumerate() {
                low[axis] = low[axis].min(value);
                high[axis] = high[axis].max(value);
            }
        }
        let extent = (high[0] - low[0]).max(high[1] - low[1]);
        let pixel = extent / size as f32;
        let corner = [0.5 * (low[0] + high[0] - extent), low[1]];
        let rows = (0..size).map(|row| runs(grid, size, pixel, corner, row));
        Self {
            size: [size, size],
            pixel: f64::from(pixel),
            corner: corner.map(f64::from),
            rows: rows.collect(),
            n_samples: grid.n_samples,
            white,
            dynamic_range,
            greys: GreyTable::new(grey_map),
        }
    }

    /// Grey levels of a frame, shape `[size, size]`; black outside of the field of view.
    pub fn picture(&self, frame: &Frame, picture: &mut Vec<u8>) {
        picture.resize(self.size[0] * self.size[1], 0);
        let scale = 255.0 / self.dynamic_range;
        let black = self.white - self.dynamic_range;
        let fill = |(runs, pixels): (&Vec<Run>, &mut [u8])| {
            pixels.fill(0);
            for run in runs {
                let shown = &mut pixels[run.start..run.start + run.pixels.len()];
                wide(
                    #[inline(always)]
                    || {
                        for (pixel, (at, [across, along])) in shown.iter_mut().zip(&run.pixels) {
                            let at = *at as usize;
                            let before = &frame.envelope[at..at + 2];
                            let next_line = &frame.envelope[at + self.n_samples..][..2];
                            let first = before[0] + along * (before[1] - before[0]);
                            let second = next_line[0] + along * (next_line[1] - next_line[0]);
                            let level = first + across * (second - first);
                            *pixel = ((level - black) * scale) as u8;
                        }
                    },
                );
            }
        };
        let pixels = picture.par_chunks_mut(self.size[0]).with_min_len(16);
        self.rows.par_iter().zip(pixels).for_each(fill);
        self.greys.apply(picture);
    }

    /// Interpolates numbers of beam space, shape `[n_lines, n_samples]`; `outside` fills pixels outside of the field of view.
    pub fn values(&self, beam_space: &[f32], outside: f32) -> Vec<f32> {
        let mut picture = vec![outside; self.size[0] * self.size[1]];
        let between = |at: usize, share: f32| {
            let (before, after) = (beam_space.get(at)?, beam_space.get(at + 1)?);
            Some(before + share * (after - before))
        };
        for (runs, pixels) in self.rows.iter().zip(picture.chunks_mut(self.size[0])) {
            for run in runs {
                for (pixel, (at, [across, along])) in
                    pixels[run.start..].iter_mut().zip(&run.pixels)
                {
                    let at = *at as usize;
                    let lines = [at, at + self.n_samples].map(|at| between(at, *along));
                    if let [Some(first), Some(second)] = lines {
                        *pixel = first + across * (second - first);
                    }
                }
            }
        }
        picture
    }

    /// Materials of a frame, from the nearest sample; `outside` fills pixels outside of the field of view.
    pub fn labels(&self, frame: &Frame, outside: u8) -> Vec<u8> {
        let mut picture = vec![outside; self.size[0] * self.size[1]];
        for (runs, pixels) in self.rows.iter().zip(picture.chunks_mut(self.size[0])) {
            for run in runs {
                for (pixel, (at, [across, along])) in
                    pixels[run.start..].iter_mut().zip(&run.pixels)
                {
                    let next_line = if *across > 0.5 { self.n_samples } else { 0 };
                    *pixel = frame.labels[*at as usize + next_line + usize::from(*along > 0.5)];
                }
            }
        }
        picture
    }
}

/// The pixels of a row that lie between the lines and samples.
fn runs(grid: &Grid, size: usize, pixel: f32, corner: [f32; 2], row: usize) -> Vec<Run> {
    let place = |column: usize| {
        let x = corner[0] + (column as f32 + 0.5) * pixel;
        let z = corner[1] + (row as f32 + 0.5) * pixel;
        let [across, range] = grid.locate(&Point::new(x, 0.0, z));
        let sample = range / grid.step;
        let is_seen = across >= 0.0
            && across < grid.n_lines as f32 - 1.0
            && sample >= 0.0
            && sample < grid.n_samples as f32 - 1.0;
        let at = across as usize * grid.n_samples + sample as usize;
        is_seen.then_some((at as u32, [across.fract(), sample.fract()]))
    };
    let mut runs: Vec<Run> = Vec::new();
    for (column, pixel) in (0..size).filter_map(|column| Some((column, place(column)?))) {
        match runs.last_mut() {
            Some(run) if run.start + run.pixels.len() == column => run.pixels.push(pixel),
            _ => runs.push(Run {
                start: column,
                pixels: vec![pixel],
            }),
        }
    }
    runs
}
