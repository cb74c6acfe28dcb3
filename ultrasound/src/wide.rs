//! Loops compiled for the widest vectors of the processor.

#![expect(
    clippy::inline_always,
    reason = "what is called within `wide` must be part of the function that has the processor's features"
)]

use pulp::{Arch, Simd, WithSimd};

/// Runs loops over plain arrays as code for the processor's vectors; mark what they call `#[inline(always)]`.
///
/// No multiplication is fused with an addition, so that all processors give the same bits.
#[inline]
pub(crate) fn wide<R>(work: impl FnOnce() -> R) -> R {
    struct Plain<F>(F);
    impl<R, F: FnOnce() -> R> WithSimd for Plain<F> {
        type Output = R;

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> R {
            (self.0)()
        }
    }
    Arch::new().dispatch(Plain(work))
}
