//! Packing of valid lanes.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use std::any::Any;

use pulp::Simd;
#[cfg(target_arch = "x86_64")]
use pulp::x86::V4;

/// Lanes that are packed at once.
pub(crate) const LANES: usize = 16;
pub(crate) type Lanes = [f32; LANES];

/// Moves valid lanes next to each other, with a dedicated instruction if the CPU has one.
#[derive(Clone, Copy)]
pub(crate) struct Packer {
    #[cfg(target_arch = "x86_64")]
    v4: Option<V4>,
}

impl Packer {
    /// For the features of the CPU, which are known at compile time.
    #[inline(always)]
    pub(crate) fn new(simd: impl Simd) -> Self {
        let simd: &dyn Any = &simd;
        #[cfg(not(target_arch = "x86_64"))]
        let _ = simd;
        Self {
            #[cfg(target_arch = "x86_64")]
            v4: simd.downcast_ref().copied(),
        }
    }

    /// Appends the lanes with a key of at least 0 to the first `n` numbers of each row; returns the new number.
    /// Numbers behind it are overwritten.
    #[inline(always)]
    pub(crate) fn pack<const ROWS: usize>(
        self,
        keys: &Lanes,
        rows: [&Lanes; ROWS],
        to: [&mut [f32]; ROWS],
        n: usize,
    ) -> usize {
        #[cfg(target_arch = "x86_64")]
        if let Some(v4) = self.v4 {
            let signs = v4.avx512dq._mm512_movepi32_mask(pulp::cast(*keys));
            for (row, to) in rows.into_iter().zip(to) {
                if let Some(to) = to[n..].first_chunk_mut::<LANES>() {
                    let packed = v4
                        .avx512f
                        ._mm512_maskz_compress_ps(!signs, pulp::cast(*row));
                    *to = pulp::cast(packed);
                }
            }
            return n + signs.count_zeros() as usize;
        }
        pack(keys, rows, to, n)
    }
}

/// Packs lane by lane, without vector instructions.
#[inline(always)]
fn pack<const ROWS: usize>(
    keys: &Lanes,
    rows: [&Lanes; ROWS],
    mut to: [&mut [f32]; ROWS],
    mut n: usize,
) -> usize {
    for (lane, key) in keys.iter().enumerate() {
        for (row, to) in rows.iter().zip(&mut to) {
            to[n] = row[lane];
        }
        n += usize::from(!key.is_sign_negative());
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simd::wide_packing;

    #[test]
    fn every_processor_packs_alike() {
        let lanes: Lanes = std::array::from_fn(|lane| lane as f32);
        let keys = lanes.map(|lane| if lane % 3.0 == 1.0 { -1.0 } else { lane });
        let mut wide = [0.0; 3 * LANES];
        let mut n = 5;
        wide_packing(|packer| n = packer.pack(&keys, [&lanes], [&mut wide], n));
        let kept: Vec<f32> = lanes.into_iter().filter(|lane| lane % 3.0 != 1.0).collect();
        assert_eq!(wide[5..n], kept);
        let mut plain = [0.0; 3 * LANES];
        assert_eq!(pack(&keys, [&lanes], [&mut plain], 5), n);
        assert_eq!(wide[..n], plain[..n]);
    }
}
