//! The soft equality rows of a compiled model, as MuJoCo itself instantiates them.

#![expect(
    unsafe_code,
    reason = "the bindings mark the constraint arrays as unsafe to read"
)]

use mujoco_rs::mujoco_c::{mj_isSparse, mjtConstraint};

use crate::ffi::Data;

/// One soft equality: acceleration along `terms` is driven by `-damping · velocity - stiffness · position`, softened by
/// `regularization`.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// The equality in the model.
    pub(super) equality: usize,
    /// Degrees of freedom and coefficients.
    pub(super) terms: Vec<(usize, f64)>,
    /// $R$ [1/kg].
    pub(super) regularization: f64,
    /// Stiffness times impedance [1/s²].
    pub(super) stiffness: f64,
    /// Damping [1/s].
    pub(super) damping: f64,
    /// Residual at the present position [m].
    pub(super) position: f64,
}

/// The equality rows after `mj_forward`.
pub(super) fn equality_rows(data: &Data) -> Vec<Row> {
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
            Row {
                equality: *ffi.efc_id.add(row) as usize,
                terms,
                regularization: *ffi.efc_R.add(row),
                stiffness: *kbip * *kbip.add(2),
                damping: *kbip.add(1),
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
