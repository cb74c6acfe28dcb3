//! Substitution on several right sides at once: each number of the factor is read once for all of them.

#![expect(
    clippy::inline_always,
    reason = "substitution must be part of the function that has the processor's features"
)]

use pulp::{Arch, Simd, WithSimd};

use super::skyline::{BLOCK, Skyline};

/// Right sides that are solved at once.
pub const SIDES: usize = 12;
/// Rows whose sums are in the processor's registers at once.
const TILE: usize = 4;

type Sides = [f64; SIDES];

impl Skyline<f64> {
    /// Replaces [`SIDES`] right sides by `A⁻¹ x`, shape `[n, SIDES]`. Each solution has the same bits whatever the other sides are.
    pub fn solve_many(&self, x: &mut [Sides]) {
        let mut work = vec![[0.0; SIDES]; self.work_len()];
        for (entry, &unknown) in work.iter_mut().zip(&self.order) {
            *entry = x[unknown];
        }
        Arch::new().dispatch(Substitution {
            factor: self,
            work: &mut work,
        });
        for (&entry, &unknown) in work.iter().zip(&self.order) {
            x[unknown] = entry;
        }
    }
}

struct Substitution<'a> {
    factor: &'a Skyline<f64>,
    work: &'a mut [Sides],
}

impl WithSimd for Substitution<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { factor, work } = self;
        // Rows above the first non-zero stay zero.
        let first = work.iter().position(|row| *row != [0.0; SIDES]);
        let first = first.unwrap_or(work.len()) / BLOCK;
        let blocks = factor.blocks.iter().enumerate();
        for (index, block) in blocks.clone().skip(first) {
            let (above, own) = work.split_at_mut(index * BLOCK);
            let n = above.len() - block.first;
            let columns = &factor.columns[block.start..block.start + n];
            let own = &mut own[..BLOCK];
            subtract_products(columns, &above[block.first..], own);
            multiply(&block.inverse[0], own);
        }
        for (index, block) in blocks.rev() {
            let (above, own) = work.split_at_mut(index * BLOCK);
            let own = &mut own[..BLOCK];
            multiply(&block.inverse[1], own);
            let above = &mut above[block.first..];
            let rows = &factor.rows[block.start..block.start + above.len()];
            for (above, rows) in above.chunks_exact_mut(BLOCK).zip(rows.chunks_exact(BLOCK)) {
                subtract_products(rows, own, above);
            }
        }
    }
}

/// Subtracts from sixteen rows the sum of vectors times factors, one vector after another.
#[inline(always)]
fn subtract_products(vectors: &[[f64; BLOCK]], factors: &[Sides], rows: &mut [Sides]) {
    for (tile, rows) in rows.chunks_exact_mut(TILE).enumerate() {
        let mut sums = [[0.0; SIDES]; TILE];
        for (vector, factor) in vectors.iter().zip(factors) {
            for (row, sum) in sums.iter_mut().enumerate() {
                let entry = vector[tile * TILE + row];
                for (sum, factor) in sum.iter_mut().zip(factor) {
                    *sum += entry * factor;
                }
            }
        }
        for (row, sum) in rows.iter_mut().zip(&sums) {
            for (entry, sum) in row.iter_mut().zip(sum) {
                *entry -= sum;
            }
        }
    }
}

/// Multiplies sixteen rows by a square matrix, column by column.
#[inline(always)]
fn multiply(square: &[[f64; BLOCK]; BLOCK], rows: &mut [Sides]) {
    let mut negative = [[0.0; SIDES]; BLOCK];
    subtract_products(square, rows, &mut negative);
    for (row, negative) in rows.iter_mut().zip(&negative) {
        *row = negative.map(|x| -x);
    }
}
