//! `C = start + A B` for small matrices: the only kernel of the network.
//!
//! A tile of C stays in registers during the loop over the depth. A is broadcast; B and C are read along their rows.
//! Every entry of C is summed in the order of the depth for any tile, so the result does not depend on how rows are split.

use pulp::{Simd, WithSimd};

use super::LINE;

/// The left matrix, shape `[n_rows, depth]`.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Left<'a> {
    /// Row-major, with this stride.
    Rows(&'a [f32], usize),
    /// Column-major (transposed), with this stride.
    Columns(&'a [f32], usize),
}

/// Initial value of C.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Start<'a> {
    /// Zero.
    Zero,
    /// The same values in every row, shape `[width]`.
    Bias(&'a [f32]),
    /// The current content of C.
    Product,
}

/// A matrix product.
pub(crate) struct Matmul<'a> {
    /// A, shape `[n_rows, depth]`.
    pub(crate) left: Left<'a>,
    /// B, shape `[depth, width]`, without gaps; `width` is a multiple of [`LINE`].
    pub(crate) right: &'a [f32],
    /// Initial value that the product is added to.
    pub(crate) start: Start<'a>,
    /// C, shape `[n_rows, width]`, without gaps.
    pub(crate) product: &'a mut [f32],
    /// Rows of A and C.
    pub(crate) n_rows: usize,
    /// Columns of A, rows of B.
    pub(crate) depth: usize,
    /// Columns of B and C.
    pub(crate) width: usize,
}

impl WithSimd for Matmul<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        assert!(self.width.is_multiple_of(LINE), "widths are padded");
        if self.depth == 0 || self.width == 0 {
            return;
        }
        let lanes = S::F32_LANES;
        let mut first = 0;
        while first < self.width {
            let n_vectors = (self.width - first) / lanes;
            if S::REGISTER_COUNT >= 32 && n_vectors >= 4 && self.n_rows >= 4 {
                self.panel::<S, 4, 4>(simd, first);
                first += 4 * lanes;
            } else if n_vectors >= 2 {
                self.panel::<S, 4, 2>(simd, first);
                first += 2 * lanes;
            } else {
                self.panel::<S, 8, 1>(simd, first);
                first += lanes;
            }
        }
    }
}

impl Matmul<'_> {
    /// Computes all rows of the columns `first .. first + COLUMNS * lanes`.
    #[inline(always)]
    fn panel<S: Simd, const ROWS: usize, const COLUMNS: usize>(&mut self, simd: S, first: usize) {
        let mut row = 0;
        while row + ROWS <= self.n_rows {
            self.tile::<S, ROWS, COLUMNS>(simd, row, first);
            row += ROWS;
        }
        while row + 2 <= self.n_rows {
            self.tile::<S, 2, COLUMNS>(simd, row, first);
            row += 2;
        }
        if row < self.n_rows {
            self.tile::<S, 1, COLUMNS>(simd, row, first);
        }
    }

    #[inline(always)]
    fn tile<S: Simd, const ROWS: usize, const COLUMNS: usize>(
        &mut self,
        simd: S,
        row: usize,
        first: usize,
    ) {
        let mut sums = [[simd.splat_f32s(0.0); COLUMNS]; ROWS];
        match self.start {
            Start::Zero => {}
            Start::Bias(bias) => sums = [*vectors::<S, COLUMNS>(&bias[first..]); ROWS],
            Start::Product => {
                for (i, sums) in sums.iter_mut().enumerate() {
                    *sums = *vectors::<S, COLUMNS>(&self.product[(row + i) * self.width + first..]);
                }
            }
        }
        let rights = self.right.chunks_exact(self.width);
        match self.left {
            Left::Rows(data, stride) => {
                let mut rows = [&data[..0]; ROWS];
                for (i, entries) in rows.iter_mut().enumerate() {
                    *entries = &data[(row + i) * stride..][..self.depth];
                }
                for (k, right) in rights.take(self.depth).enumerate() {
                    let right = vectors::<S, COLUMNS>(&right[first..]);
                    for i in 0..ROWS {
                        let left = simd.splat_f32s(rows[i][k]);
                        for j in 0..COLUMNS {
                            sums[i][j] = simd.mul_add_e_f32s(left, right[j], sums[i][j]);
                        }
                    }
                }
            }
            Left::Columns(data, stride) => {
                for (column, right) in data.chunks(stride).zip(rights).take(self.depth) {
                    let right = vectors::<S, COLUMNS>(&right[first..]);
                    let column = &column[row..row + ROWS];
                    for i in 0..ROWS {
                        let left = simd.splat_f32s(column[i]);
                        for j in 0..COLUMNS {
                            sums[i][j] = simd.mul_add_e_f32s(left, right[j], sums[i][j]);
                        }
                    }
                }
            }
        }
        for (i, sums) in sums.iter().enumerate() {
            let (product, _) =
                S::as_mut_simd_f32s(&mut self.product[(row + i) * self.width + first..]);
            product[..COLUMNS].copy_from_slice(sums);
        }
    }
}

/// The first `N` vectors.
#[inline(always)]
fn vectors<S: Simd, const N: usize>(numbers: &[f32]) -> &[S::f32s; N] {
    let (vectors, _) = S::as_simd_f32s(numbers);
    vectors
        .first_chunk()
        .expect("the columns of a tile lie within the padded width")
}
