//! Lanes with AVX-512.

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use std::arch::x86_64::__m512;

use pulp::x86::V4;

use super::{Kernel, Lanes, Row};

/// Proof that the processor has AVX-512.
#[derive(Debug, Clone, Copy)]
pub(super) struct Avx512(V4);

impl Avx512 {
    pub(super) fn find() -> Option<Self> {
        V4::try_new().map(Self)
    }

    /// Runs a kernel compiled for AVX-512.
    #[inline]
    pub(super) fn vectorize<K: Kernel>(self, kernel: K) -> K::Output {
        struct On<K>(Avx512, K);
        impl<K: Kernel> pulp::NullaryFnOnce for On<K> {
            type Output = K::Output;

            #[inline(always)]
            fn call(self) -> K::Output {
                self.1.run(self.0)
            }
        }
        pulp::Simd::vectorize(self.0, OnLanes(On(self, kernel)))
    }

    /// Selects the groups `a₀ a₁ b₀ b₁` by `MASK`, as `_mm512_shuffle_f32x4` does.
    #[inline(always)]
    fn groups<const MASK: i32>(self, a: __m512, b: __m512) -> __m512 {
        self.0.avx512f._mm512_shuffle_f32x4::<MASK>(a, b)
    }
}

/// Adapts a kernel without lane arguments to [`pulp::Simd::vectorize`].
struct OnLanes<F>(F);

impl<F: pulp::NullaryFnOnce> pulp::WithSimd for OnLanes<F> {
    type Output = F::Output;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> F::Output {
        self.0.call()
    }
}

impl Lanes for Avx512 {
    type V = __m512;

    #[inline(always)]
    fn splat(self, value: f32) -> __m512 {
        self.0.avx512f._mm512_set1_ps(value)
    }

    #[inline(always)]
    fn load(self, row: &Row) -> __m512 {
        pulp::cast(*row)
    }

    #[inline(always)]
    fn store(self, value: __m512, row: &mut Row) {
        *row = pulp::cast(value);
    }

    #[inline(always)]
    fn add(self, a: __m512, b: __m512) -> __m512 {
        self.0.avx512f._mm512_add_ps(a, b)
    }

    #[inline(always)]
    fn sub(self, a: __m512, b: __m512) -> __m512 {
        self.0.avx512f._mm512_sub_ps(a, b)
    }

    #[inline(always)]
    fn mul(self, a: __m512, b: __m512) -> __m512 {
        self.0.avx512f._mm512_mul_ps(a, b)
    }

    #[inline(always)]
    fn div(self, a: __m512, b: __m512) -> __m512 {
        self.0.avx512f._mm512_div_ps(a, b)
    }

    #[inline(always)]
    fn mul_add(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        self.0.avx512f._mm512_fmadd_ps(a, b, c)
    }

    #[inline(always)]
    fn neg_mul_add(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        self.0.avx512f._mm512_fnmadd_ps(a, b, c)
    }

    #[inline(always)]
    fn min(self, a: __m512, b: __m512) -> __m512 {
        self.0.avx512f._mm512_min_ps(a, b)
    }

    #[inline(always)]
    fn max(self, a: __m512, b: __m512) -> __m512 {
        self.0.avx512f._mm512_max_ps(a, b)
    }

    #[inline(always)]
    fn floor(self, a: __m512) -> __m512 {
        // Rounds towards minus infinity, with no binary digits.
        self.0.avx512f._mm512_roundscale_ps::<1>(a)
    }

    #[inline(always)]
    fn sqrt(self, a: __m512) -> __m512 {
        self.0.avx512f._mm512_sqrt_ps(a)
    }

    #[inline(always)]
    fn less(self, a: __m512, b: __m512) -> u16 {
        self.0.avx512f._mm512_cmplt_ps_mask(a, b)
    }

    #[inline(always)]
    fn split_exponent(self, a: __m512) -> (__m512, __m512) {
        // The exponent of 4a/3 is the one that puts the mantissa within [0.75, 1.5).
        let exponent = self
            .0
            .avx512f
            ._mm512_getexp_ps(self.mul(a, self.splat(4.0 / 3.0)));
        let scale = self.sub(self.splat(0.0), exponent);
        (exponent, self.0.avx512f._mm512_scalef_ps(a, scale))
    }

    #[inline(always)]
    fn to_whole(self, a: __m512) -> [i32; 16] {
        pulp::cast(self.0.avx512f._mm512_cvtps_epi32(a))
    }

    #[inline(always)]
    fn repeat_group<const N: usize>(self, a: __m512) -> __m512 {
        match N {
            0 => self.groups::<0x00>(a, a),
            1 => self.groups::<0x55>(a, a),
            2 => self.groups::<0xAA>(a, a),
            _ => self.groups::<0xFF>(a, a),
        }
    }

    #[inline(always)]
    fn stretch(self, four: &[f32; 4]) -> __m512 {
        let places = pulp::cast([0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
        let all = self.0.avx512f._mm512_broadcast_f32x4(pulp::cast(*four));
        self.0.avx512f._mm512_permutexvar_ps(places, all)
    }

    #[inline(always)]
    fn sum_groups(self, [a, b, c, d]: [__m512; 4]) -> __m512 {
        let (ab01, ab23) = (self.groups::<0x44>(a, b), self.groups::<0xEE>(a, b));
        let (cd01, cd23) = (self.groups::<0x44>(c, d), self.groups::<0xEE>(c, d));
        let first = self.groups::<0x88>(ab01, cd01);
        let second = self.groups::<0xDD>(ab01, cd01);
        let third = self.groups::<0x88>(ab23, cd23);
        self.add(self.add(first, second), third)
    }

    #[inline(always)]
    fn transpose(self, rows: &mut [__m512; 16]) {
        let f = self.0.avx512f;
        let mut pairs = *rows;
        for i in 0..8 {
            pairs[2 * i] = f._mm512_unpacklo_ps(rows[2 * i], rows[2 * i + 1]);
            pairs[2 * i + 1] = f._mm512_unpackhi_ps(rows[2 * i], rows[2 * i + 1]);
        }
        let mut fours = pairs;
        for i in 0..4 {
            for j in 0..2 {
                let first = f._mm512_castps_pd(pairs[4 * i + j]);
                let second = f._mm512_castps_pd(pairs[4 * i + j + 2]);
                let low = f._mm512_unpacklo_pd(first, second);
                let high = f._mm512_unpackhi_pd(first, second);
                fours[4 * i + 2 * j] = f._mm512_castpd_ps(low);
                fours[4 * i + 2 * j + 1] = f._mm512_castpd_ps(high);
            }
        }
        for i in 0..4 {
            let even = self.groups::<0x88>(fours[i], fours[i + 4]);
            let odd = self.groups::<0xDD>(fours[i], fours[i + 4]);
            let other_even = self.groups::<0x88>(fours[i + 8], fours[i + 12]);
            let other_odd = self.groups::<0xDD>(fours[i + 8], fours[i + 12]);
            rows[i] = self.groups::<0x88>(even, other_even);
            rows[i + 8] = self.groups::<0xDD>(even, other_even);
            rows[i + 4] = self.groups::<0x88>(odd, other_odd);
            rows[i + 12] = self.groups::<0xDD>(odd, other_odd);
        }
    }

    #[inline(always)]
    fn join(self, [a, b, c, d]: [&[f32; 4]; 4]) -> __m512 {
        let f = self.0.avx512f;
        let all = f._mm512_castps128_ps512(pulp::cast(*a));
        let all = f._mm512_insertf32x4::<1>(all, pulp::cast(*b));
        let all = f._mm512_insertf32x4::<2>(all, pulp::cast(*c));
        f._mm512_insertf32x4::<3>(all, pulp::cast(*d))
    }

    #[inline(always)]
    fn split(self, a: __m512) -> [[f32; 4]; 4] {
        pulp::cast(a)
    }

    #[inline(always)]
    fn turn_groups(self, [a, b, c, d]: [__m512; 4]) -> [__m512; 4] {
        let f = self.0.avx512f;
        let ab_low = f._mm512_castps_pd(f._mm512_unpacklo_ps(a, b));
        let ab_high = f._mm512_castps_pd(f._mm512_unpackhi_ps(a, b));
        let cd_low = f._mm512_castps_pd(f._mm512_unpacklo_ps(c, d));
        let cd_high = f._mm512_castps_pd(f._mm512_unpackhi_ps(c, d));
        [
            f._mm512_castpd_ps(f._mm512_unpacklo_pd(ab_low, cd_low)),
            f._mm512_castpd_ps(f._mm512_unpackhi_pd(ab_low, cd_low)),
            f._mm512_castpd_ps(f._mm512_unpacklo_pd(ab_high, cd_high)),
            f._mm512_castpd_ps(f._mm512_unpackhi_pd(ab_high, cd_high)),
        ]
    }

    #[inline(always)]
    fn interleave(self, vectors: [__m512; 4], out: &mut [[f32; 4]; 16]) {
        // Each row holds the numbers n, n + 4, n + 8 and n + 12.
        let every_fourth = self.turn_groups(vectors);
        for n in 0..4 {
            let fours = self.split(every_fourth[n]);
            for group in 0..4 {
                out[4 * group + n] = fours[group];
            }
        }
    }
}
