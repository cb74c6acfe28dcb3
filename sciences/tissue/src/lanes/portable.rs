//! Lanes as arrays, which the compiler maps to the available vector instructions.

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

use super::{Kernel, Lanes, Row};

/// Lanes for any processor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Portable;

/// A kernel on [`Portable`] lanes, within functions compiled for specific processor features.
#[cfg(target_arch = "x86_64")]
pub(super) struct OnPortable<K>(pub(super) K);

#[cfg(target_arch = "x86_64")]
impl<K: Kernel> pulp::NullaryFnOnce for OnPortable<K> {
    type Output = K::Output;

    #[inline(always)]
    fn call(self) -> K::Output {
        self.0.run(Portable)
    }
}

#[inline(always)]
fn each(a: Row, b: Row, f: impl Fn(f32, f32) -> f32) -> Row {
    std::array::from_fn(|i| f(a[i], b[i]))
}

impl Lanes for Portable {
    type V = Row;

    #[inline(always)]
    fn splat(self, value: f32) -> Row {
        [value; 16]
    }

    #[inline(always)]
    fn load(self, row: &Row) -> Row {
        *row
    }

    #[inline(always)]
    fn store(self, value: Row, row: &mut Row) {
        *row = value;
    }

    #[inline(always)]
    fn add(self, a: Row, b: Row) -> Row {
        each(a, b, |a, b| a + b)
    }

    #[inline(always)]
    fn sub(self, a: Row, b: Row) -> Row {
        each(a, b, |a, b| a - b)
    }

    #[inline(always)]
    fn mul(self, a: Row, b: Row) -> Row {
        each(a, b, |a, b| a * b)
    }

    #[inline(always)]
    fn div(self, a: Row, b: Row) -> Row {
        each(a, b, |a, b| a / b)
    }

    #[inline(always)]
    fn mul_add(self, a: Row, b: Row, c: Row) -> Row {
        // Not fused: without a hardware instruction, a fused operation is a function call per
        // number.
        self.add(self.mul(a, b), c)
    }

    #[inline(always)]
    fn neg_mul_add(self, a: Row, b: Row, c: Row) -> Row {
        self.sub(c, self.mul(a, b))
    }

    #[inline(always)]
    fn min(self, a: Row, b: Row) -> Row {
        each(a, b, |a, b| if a < b { a } else { b })
    }

    #[inline(always)]
    fn max(self, a: Row, b: Row) -> Row {
        each(a, b, |a, b| if a > b { a } else { b })
    }

    #[inline(always)]
    fn floor(self, a: Row) -> Row {
        a.map(f32::floor)
    }

    #[inline(always)]
    fn sqrt(self, a: Row) -> Row {
        a.map(f32::sqrt)
    }

    #[inline(always)]
    fn less(self, a: Row, b: Row) -> u16 {
        let mut bits = 0;
        for lane in 0..16 {
            bits |= u16::from(a[lane] < b[lane]) << lane;
        }
        bits
    }

    #[inline(always)]
    fn split_exponent(self, a: Row) -> (Row, Row) {
        const BIAS: i32 = 127;
        let exponent = a.map(|a| ((a * (4.0 / 3.0)).to_bits() >> 23) as i32 - BIAS);
        // Subtracts the exponent in the bits of the number.
        let mantissa = std::array::from_fn(|i| {
            f32::from_bits((a[i].to_bits() as i32).wrapping_sub(exponent[i] << 23) as u32)
        });
        (exponent.map(|exponent| exponent as f32), mantissa)
    }

    #[inline(always)]
    fn to_whole(self, a: Row) -> [i32; 16] {
        a.map(|a| a as i32)
    }

    #[inline(always)]
    fn repeat_group<const N: usize>(self, a: Row) -> Row {
        std::array::from_fn(|i| a[4 * N + i % 4])
    }

    #[inline(always)]
    fn stretch(self, four: &[f32; 4]) -> Row {
        std::array::from_fn(|i| four[i / 4])
    }

    #[inline(always)]
    fn sum_groups(self, vectors: [Row; 4]) -> Row {
        std::array::from_fn(|i| {
            let (vector, entry) = (&vectors[i / 4], i % 4);
            vector[entry] + vector[4 + entry] + vector[8 + entry]
        })
    }

    #[inline(always)]
    fn transpose(self, rows: &mut [Row; 16]) {
        *rows = std::array::from_fn(|i| std::array::from_fn(|j| rows[j][i]));
    }

    #[inline(always)]
    fn join(self, groups: [&[f32; 4]; 4]) -> Row {
        std::array::from_fn(|i| groups[i / 4][i % 4])
    }

    #[inline(always)]
    fn split(self, a: Row) -> [[f32; 4]; 4] {
        std::array::from_fn(|group| std::array::from_fn(|i| a[4 * group + i]))
    }

    #[inline(always)]
    fn turn_groups(self, vectors: [Row; 4]) -> [Row; 4] {
        std::array::from_fn(|i| std::array::from_fn(|j| vectors[j % 4][j / 4 * 4 + i]))
    }

    #[inline(always)]
    fn interleave(self, vectors: [Row; 4], out: &mut [[f32; 4]; 16]) {
        for (lane, four) in out.iter_mut().enumerate() {
            *four = vectors.map(|vector| vector[lane]);
        }
    }
}
