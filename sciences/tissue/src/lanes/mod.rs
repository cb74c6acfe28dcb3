//! Vectors of sixteen `f32` on the widest instructions of the processor.
//!
//! A kernel is written once over [`Lanes`] and compiled for each implementation; [`run`] picks the best one for the
//! machine. One implementation gives the same bits on every run. Implementations differ by rounding, because some fuse
//! multiplication and addition.

#![expect(
    clippy::inline_always,
    reason = "kernels must be inlined into the function with the target features"
)]

#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;

/// Sixteen numbers.
pub(crate) type Row = [f32; 16];

/// Operations on vectors of sixteen numbers.
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
    fn sqrt(self, a: Self::V) -> Self::V;
    /// Bit i is set if aᵢ < bᵢ; it is not set if one of them is NaN.
    fn less(self, a: Self::V, b: Self::V) -> u16;
    /// Exponent and mantissa within [0.75, 1.5): a = mantissa · 2^exponent, for positive normal numbers.
    fn split_exponent(self, a: Self::V) -> (Self::V, Self::V);
    /// Whole numbers within the range of `i32`.
    fn to_whole(self, a: Self::V) -> [i32; 16];
    /// Group `N` of four numbers in all four groups.
    fn repeat_group<const N: usize>(self, a: Self::V) -> Self::V;
    /// Four numbers, each four times.
    fn stretch(self, four: &[f32; 4]) -> Self::V;
    /// Sum of the first three groups of four of each vector. The four sums are concatenated.
    fn sum_groups(self, vectors: [Self::V; 4]) -> Self::V;
    fn transpose(self, rows: &mut [Self::V; 16]);
    /// Concatenates four groups of four numbers.
    fn join(self, groups: [&[f32; 4]; 4]) -> Self::V;
    /// Splits into four groups of four numbers.
    fn split(self, a: Self::V) -> [[f32; 4]; 4];
    /// Transposes each group: number j of vector i becomes number i of vector j.
    fn turn_groups(self, vectors: [Self::V; 4]) -> [Self::V; 4];
    /// Interleaves four vectors, number by number.
    fn interleave(self, vectors: [Self::V; 4], out: &mut [[f32; 4]; 16]);
}

/// A computation over any lanes.
pub(crate) trait Kernel {
    /// Result.
    type Output;

    /// Runs the kernel. Mark it, and everything that it calls with lanes, `#[inline(always)]`.
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

/// Natural logarithm of positive normal numbers, to 2e-7, relative or absolute.
#[inline(always)]
pub(crate) fn ln<L: Lanes>(l: L, x: L::V) -> L::V {
    // ln m = 2 artanh s, s = (m − 1) / (m + 1); |s| ≤ 1/5, so the first neglected term is below 1e-9.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Sixteen positive numbers of different magnitudes.
    fn numbers(start: f32) -> Row {
        std::array::from_fn(|i| start * 1.7f32.powi(i as i32 - 8))
    }

    /// Checks an implementation; `tolerance` applies to results that may be fused.
    fn check<L: Lanes>(l: L) {
        let (a, b, c) = (numbers(3.0), numbers(0.4), numbers(-2.0));
        let [va, vb, vc] = [&a, &b, &c].map(|row| l.load(row));
        let read = |v: L::V| {
            let mut row = [0.0; 16];
            l.store(v, &mut row);
            row
        };
        for lane in 0..16 {
            let (a, b, c) = (a[lane], b[lane], c[lane]);
            let near = |found: L::V, wanted: f32| {
                let found = read(found)[lane];
                let scale = (a * b).abs() + c.abs();
                assert!((found - wanted).abs() <= 2e-7 * scale, "{found} {wanted}");
            };
            assert_eq!(read(l.add(va, vc))[lane], a + c);
            assert_eq!(read(l.sub(va, vb))[lane], a - b);
            assert_eq!(read(l.mul(va, vb))[lane], a * b);
            assert_eq!(read(l.div(va, vb))[lane], a / b);
            near(l.mul_add(va, vb, vc), a * b + c);
            near(l.neg_mul_add(va, vb, vc), c - a * b);
            assert_eq!(read(l.min(va, vc))[lane], a.min(c));
            assert_eq!(read(l.max(va, vc))[lane], a.max(c));
            assert_eq!(read(l.floor(vc))[lane], c.floor());
            assert_eq!(read(l.sqrt(va))[lane], a.sqrt());
            let cut = l.splat(numbers(3.0)[7]);
            assert_eq!(l.less(va, cut) >> lane & 1 == 1, lane < 7);
            assert_eq!(l.less(va, l.splat(f32::NAN)), 0);
            assert_eq!(l.to_whole(l.floor(vc))[lane], c.floor() as i32);
            let (exponent, mantissa) = l.split_exponent(va);
            let (exponent, mantissa) = (read(exponent)[lane], read(mantissa)[lane]);
            assert!((0.75..1.5).contains(&mantissa), "{mantissa}");
            assert_eq!(mantissa * exponent.exp2(), a);
            let found = f64::from(read(ln(l, va))[lane]);
            let wanted = f64::from(a).ln();
            assert!((found - wanted).abs() < 2e-7 * wanted.abs().max(1.0), "{a}");
        }
        shuffles(l, &a);
    }

    fn shuffles<L: Lanes>(l: L, a: &Row) {
        let read = |v: L::V| {
            let mut row = [0.0; 16];
            l.store(v, &mut row);
            row
        };
        let v = l.load(a);
        for lane in 0..16 {
            let (group, entry) = (lane / 4, lane % 4);
            assert_eq!(read(l.repeat_group::<2>(v))[lane], a[8 + entry]);
            assert_eq!(read(l.repeat_group::<3>(v))[lane], a[12 + entry]);
            assert_eq!(
                read(l.stretch(&[1.0, 2.0, 3.0, 4.0]))[lane],
                group as f32 + 1.0
            );
            let twice = l.add(v, v);
            let sums = read(l.sum_groups([v, twice, v, twice]));
            let factor = [1.0, 2.0, 1.0, 2.0][group];
            assert_eq!(
                sums[lane],
                factor * (a[entry] + a[4 + entry] + a[8 + entry])
            );
        }
        let rows: [Row; 16] = std::array::from_fn(|i| std::array::from_fn(|j| (16 * i + j) as f32));
        let mut turned = rows.map(|row| l.load(&row));
        l.transpose(&mut turned);
        for (i, row) in turned.map(read).into_iter().enumerate() {
            assert_eq!(row, std::array::from_fn(|j| rows[j][i]));
        }
        let turned = l.turn_groups([0, 1, 2, 3].map(|i| l.load(&rows[i])));
        for (i, vector) in turned.map(read).into_iter().enumerate() {
            assert_eq!(vector, std::array::from_fn(|j| rows[j % 4][j / 4 * 4 + i]));
        }
        let groups = [0, 1, 2, 3].map(|i| [i, i + 10, i + 20, i + 30].map(|x| x as f32));
        assert_eq!(l.split(l.join(groups.each_ref())), groups);
        let mut fours = [[0.0; 4]; 16];
        l.interleave([0, 1, 2, 3].map(|i| l.load(&rows[i])), &mut fours);
        for (lane, four) in fours.into_iter().enumerate() {
            assert_eq!(four, [0, 1, 2, 3].map(|i| rows[i][lane]));
        }
    }

    #[test]
    fn portable_lanes_compute() {
        check(portable::Portable);
    }

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn lanes_of_avx512_compute() {
        if let Some(lanes) = avx512::Avx512::find() {
            check(lanes);
        }
    }
}
