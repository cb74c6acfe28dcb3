//! Batches of cells: cells with visible scatterers are packed, then their echoes are added to lines.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use super::block::{Rows, Strip};
use super::echo_shader::{EchoBatch, EchoShader};
use super::packed_scatterers::{BATCH, Cells, PackedScatterers, ROOM};
use crate::pack::LANES;
use crate::simd::{wide, wide_packing};

/// Depth that is never visible [m].
const NOWHERE: f32 = -2.0;

/// Cells that are processed together.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    n: usize,
    number: [u32; ROOM],
    /// Corners in the probe's frame [m].
    corner: [[f32; ROOM]; 3],
    seen: PackedScatterers,
    sent: Vec<EchoBatch>,
}

impl Batch {
    pub(crate) fn new() -> Self {
        Self {
            n: 0,
            number: [0; ROOM],
            corner: [[0.0; ROOM]; 3],
            seen: PackedScatterers {
                across: [0.0; ROOM],
                into: [0.0; ROOM],
                exponent: [0.0; ROOM],
            },
            sent: vec![EchoBatch::default(); ROOM / LANES],
        }
    }

    /// Adds the echoes of the scatterers of all rows to the lines.
    pub(crate) fn accumulate_echoes(&mut self, lit: &EchoShader, rows: &Rows, values: &mut [f32]) {
        wide(
            #[inline(always)]
            || {
                let [[b0, b1], [c0, c1]] = rows.across;
                for c in c0..=c1 {
                    for b in (b0..=b1).step_by(LANES) {
                        let strip = rows.strip(b, c);
                        for row in 0..LANES {
                            self.take(lit, rows, (&strip, row), values);
                        }
                    }
                }
                self.put(lit, rows, values);
            },
        );
    }

    /// Adds the cells of a row to the batch, one vector of lanes at a time.
    #[inline(always)]
    fn take(
        &mut self,
        lit: &EchoShader,
        rows: &Rows,
        (strip, row): (&Strip, usize),
        values: &mut [f32],
    ) {
        let n = strip.n[row] as usize;
        for first in (0..n).step_by(LANES) {
            if self.n >= BATCH {
                self.put(lit, rows, values);
            }
            let number = strip.number[row].wrapping_add(rows.stride.wrapping_mul(first as u32));
            if let Some(numbers) = self.number[self.n..].first_chunk_mut::<LANES>() {
                for (lane, to) in numbers.iter_mut().enumerate() {
                    *to = number.wrapping_add(rows.stride.wrapping_mul(lane as u32));
                }
            }
            for axis in 0..3 {
                let step = rows.edges[0][axis];
                let start = strip.corner[axis][row] + step * first as f32;
                if let Some(corners) = self.corner[axis][self.n..].first_chunk_mut::<LANES>() {
                    for (lane, to) in corners.iter_mut().enumerate() {
                        *to = start + step * lane as f32;
                    }
                }
            }
            self.n += LANES.min(n - first);
        }
    }

    /// Adds the echoes of all cells in the batch to the lines and empties the batch.
    #[inline(never)]
    fn put(&mut self, lit: &EchoShader, rows: &Rows, values: &mut [f32]) {
        wide_packing(
            #[inline(always)]
            |packer| {
                // Lanes behind the last cell are never visible.
                self.corner[2][self.n..]
                    .iter_mut()
                    .take(LANES)
                    .for_each(|z| *z = NOWHERE);
                let mut n = 0;
                for start in (0..self.n).step_by(LANES) {
                    n = lit.locate(rows, &self.cells(start), packer, &mut self.seen, n);
                }
                self.seen.end(n);
                for (sent, start) in self.sent.iter_mut().zip((0..n).step_by(LANES)) {
                    lit.answer(&self.seen, start, sent);
                }
                for sent in &self.sent[..n.div_ceil(LANES)] {
                    sent.add(values);
                }
            },
        );
        self.n = 0;
    }

    #[inline(always)]
    fn cells(&self, start: usize) -> Cells {
        let (mut number, mut corner) = ([0; LANES], [[0.0; LANES]; 3]);
        number.copy_from_slice(&self.number[start..start + LANES]);
        for (corner, all) in corner.iter_mut().zip(&self.corner) {
            corner.copy_from_slice(&all[start..start + LANES]);
        }
        Cells { number, corner }
    }
}
