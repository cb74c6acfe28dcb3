//! The soft equality rows of a compiled model, as MuJoCo instantiates them.

#![expect(
    unsafe_code,
    reason = "the bindings mark the constraint arrays as unsafe to read"
)]

use mujoco_rs::mujoco_c::{mj_isSparse, mjtConstraint};

use crate::ffi::Data;

/// One soft equality: acceleration along `terms` is driven by `-damping · velocity - stiffness · position`, softened by
/// `regularization`.
#[derive(Debug, Clone)]
pub(super) struct EqualityRow {
    /// The equality in the model.
    pub(super) equality: usize,
    /// Degrees of freedom and coefficients.
    pub(super) terms: Vec<(usize, f64)>,
    /// $R$ [1/kg].
    pub(super) regularization: f64,
    /// Reference acceleration of the row.
    pub(super) law: SpringDamper,
    /// MuJoCo's `solref`.
    pub(super) solref: [f64; 2],
    /// Impedance $d$, constant over position.
    pub(super) impedance: f64,
    /// Residual at the current position [m].
    pub(super) position: f64,
}

/// Reference acceleration of a row, $-b \dot x - k x$.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct SpringDamper {
    /// Stiffness times impedance [1/s²].
    pub(super) stiffness: f64,
    /// Damping [1/s].
    pub(super) damping: f64,
}

impl SpringDamper {
    /// Whether two laws are equal up to rounding: rows of a softness that varies over the skin have one law and different weights.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        const ROUNDING: f64 = 1e-9;
        let near = |a: f64, b: f64| (a - b).abs() <= ROUNDING * a.abs().max(b.abs());
        near(self.stiffness, other.stiffness) && near(self.damping, other.damping)
    }

    /// Converts a `solref` with the current and the largest impedance (MuJoCo's documentation, "Solver parameters").
    ///
    /// $R$ does not depend on `solref`, so the factored matrix stays valid if `solref` changes.
    pub(super) fn of(solref: [f64; 2], impedance: f64, most: f64, timestep: f64) -> Self {
        let [a, b] = solref;
        let (stiffness, damping) = if a > 0.0 {
            let time = a.max(2.0 * timestep); // `refsafe`
            (
                1.0 / (most * most * time * time * b * b),
                2.0 / (most * time),
            )
        } else {
            (-a / (most * most), -b / most)
        };
        Self {
            stiffness: stiffness * impedance,
            damping,
        }
    }
}

/// All products of two terms of a row, divided by its regularisation: the entries of $J^T R^{-1} J$.
pub(super) fn products<'a>(
    rows: &'a [&EqualityRow],
) -> impl Iterator<Item = (usize, usize, f64)> + 'a {
    rows.iter().flat_map(|row| {
        let weight = 1.0 / row.regularization;
        row.terms
            .iter()
            .flat_map(move |&(i, a)| row.terms.iter().map(move |&(j, b)| (i, j, weight * a * b)))
    })
}

/// The equality rows after `mj_forward`.
pub(super) fn equality_rows(data: &Data) -> Vec<EqualityRow> {
    let ffi = data.ffi();
    let nv = data.model().ffi().nv as usize;
    // SAFETY: the model is valid for as long as data lives.
    let sparse = unsafe { mj_isSparse(data.model().ffi()) } != 0;
    let count = ffi.nefc as usize;
    // SAFETY: MuJoCo keeps one entry per constraint row in each of these arrays, `nefc` in number, until the next forward pass; the
    // column indices and values of a sparse row lie within the `nJ` entries of the Jacobian, a dense row has `nv` of them.
    unsafe {
        let at = |row: usize| {
            let terms = if sparse {
                let (start, length) = (
                    *ffi.efc_J_rowadr.add(row) as usize,
                    *ffi.efc_J_rownnz.add(row) as usize,
                );
                (start..start + length)
                    .map(|index| (*ffi.efc_J_colind.add(index) as usize, *ffi.efc_J.add(index)))
                    .collect()
            } else {
                (0..nv)
                    .map(|column| (column, *ffi.efc_J.add(row * nv + column)))
                    .collect()
            };
            let kbip = ffi.efc_KBIP.add(4 * row);
            let impedance = *kbip.add(2);
            let equality = *ffi.efc_id.add(row) as usize;
            EqualityRow {
                equality,
                terms,
                solref: data.model().eq_solref()[equality],
                regularization: *ffi.efc_R.add(row),
                law: SpringDamper {
                    stiffness: *kbip * impedance,
                    damping: *kbip.add(1),
                },
                impedance,
                position: *ffi.efc_pos.add(row),
            }
        };
        (0..count)
            .filter(|&row| *ffi.efc_type.add(row) as u32 == mjtConstraint::mjCNSTR_EQUALITY as u32)
            .map(at)
            .map(|mut row| {
                row.terms.retain(|(_, coefficient)| *coefficient != 0.0);
                row
            })
            .collect()
    }
}
