//! Loops compiled for the widest vectors of the CPU.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use pulp::{Arch, Simd, WithSimd};

use crate::pack::Packer;

/// Runs loops over plain arrays with the CPU's vector instructions; mark functions that they call `#[inline(always)]`.
///
/// Multiplications and additions are never fused, so that all CPUs give the same bits.
#[inline]
pub(crate) fn wide<R>(work: impl FnOnce() -> R) -> R {
    wide_packing(
        #[inline(always)]
        |_| work(),
    )
}

/// Like [`wide`], for loops that pack lanes.
#[inline]
pub(crate) fn wide_packing<R>(work: impl FnOnce(Packer) -> R) -> R {
    struct Plain<F>(F);
    impl<R, F: FnOnce(Packer) -> R> WithSimd for Plain<F> {
        type Output = R;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> R {
            (self.0)(Packer::new(simd))
        }
    }
    Arch::new().dispatch(Plain(work))
}

/// Rounds a number to the nearest whole number; it must lie within ±4e6.
#[inline(always)]
pub(crate) fn whole(x: f32) -> u32 {
    // 1.5 × 2²³: moves the whole part into the last bits.
    const MAGIC: f32 = 12_582_912.0;
    (x + MAGIC).to_bits().wrapping_sub(MAGIC.to_bits())
}

/// 2^x for x ≤ 0, with a relative error of 2e-5; 0 far below.
#[inline(always)]
pub(crate) fn power_of_two(x: f32) -> f32 {
    let x = x.max(-126.0);
    let least = x.floor();
    let f = x - least;
    let p = 0.013_667_6 * f + 0.051_738_4;
    let p = p * f + 0.241_620_3;
    let p = (p * f + 0.692_972_8) * f + 1.0;
    p * f32::from_bits(whole(least).wrapping_add(127) << 23)
}
