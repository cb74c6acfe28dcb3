//! Sixteen `f32` at once, on whatever the processor has.
//!
//! A kernel is written once over [`Lanes`] and compiled for each implementation; [`run`] picks the best of this machine.
//! Results of one implementation are the same bits on every run; implementations differ from each other by rounding, as some fuse
//! multiplication and addition.

#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

/// Sixteen numbers.
pub(crate) type Row = [f32; 16];

/// What kernels do with sixteen numbers.
pub(crate) trait Lanes: Copy {
    /// Sixteen numbers in registers.
    type V: Copy;

    fn splat(self, value: f32) -> Self::V;
    fn load(self, row: &Row) -> Self::V;
    fn store(self, value: Self::V, row: &mut Row);
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    fn div(self, a: Self::V, b: Self::V) -> Self::V;
    /// a b + c.
    fn mul_add(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    /// c − a b.
    fn neg_mul_add(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    fn min(self, a: Self::V, b: Self::V) -> Self::V;
    fn max(self, a: Self::V, b: Self::V) -> Self::V;
    fn floor(self, a: Self::V) -> Self::V;
    /// Exponent and mantissa within [0.75, 1.5): a = mantissa · 2^exponent, for positive normal numbers.
    fn split_exponent(self, a: Self::V) -> (Self::V, Self::V);
    /// Whole numbers within the range of `i32`.
    fn to_whole(self, a: Self::V) -> [i32; 16];
    /// Group `N` of four numbers in all four groups.
    fn repeat_group<const N: usize>(self, a: Self::V) -> Self::V;
    /// Four numbers, each four times.
    fn stretch(self, four: &[f32; 4]) -> Self::V;
    /// Of each vector the sum of its first three groups of four; the four sums side by side.
    fn sum_groups(self, vectors: [Self::V; 4]) -> Self::V;
    fn transpose(self, rows: &mut [Self::V; 16]);
    /// Four vectors, number by number.
    fn interleave(self, vectors: [Self::V; 4], out: &mut [[f32; 4]; 16]);
}

/// A computation over any lanes.
pub(crate) trait Kernel {
    /// Result.
    type Output;

    /// Does it; to be marked `#[inline(always)]`, as all that it calls with lanes.
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// Runs a kernel on the widest lanes of this machine.
#[inline]
pub(crate) fn run<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(lanes) = avx512::Avx512::find() {
            return lanes.vectorize(kernel);
        }
        if let Some(simd) = pulp::x86::V3::try_new() {
            return simd.vectorize(portable::OnPortable(kernel));
        }
    }
    kernel.run(portable::Portable)
}

/// Natural logarithm of positive normal numbers, to 2e-7 of itself or of 1.
#[inline(always)]
pub(crate) fn ln<L: Lanes>(l: L, x: L::V) -> L::V {
    // ln m = 2 artanh s, s = (m − 1) / (m + 1); |s| ≤ 1/5, so the first term left out is below 1e-9.
    let (exponent, mantissa) = l.split_exponent(x);
    let one = l.splat(1.0);
    let s = l.div(l.sub(mantissa, one), l.add(mantissa, one));
    let z = l.mul(s, s);
    let mut sum = l.splat(2.0 / 11.0);
    for coefficient in [2.0 / 9.0, 2.0 / 7.0, 2.0 / 5.0, 2.0 / 3.0, 2.0] {
        sum = l.mul_add(sum, z, l.splat(coefficient));
    }
    l.mul_add(exponent, l.splat(std::f32::consts::LN_2), l.mul(s, sum))
}
