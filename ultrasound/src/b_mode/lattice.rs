//! Scatterers of tissue, without storing any: lattices of cells at rest, with one scatterer somewhere in each.
//!
//! Lattice $\ell$ has cells of width $h_0\, 2^{\ell/3}$, so that each lattice is half as dense as the one before.
//! All lattices from some $\ell$ on together are as dense as that one twice, and a picture that needs fewer scatterers leaves out the
//! densest: what it keeps are the same scatterers.
//! All have the same strength and either sign, so that few suffice for fully developed speckle (κ = 1).

#![expect(
    clippy::inline_always,
    reason = "what is called within `wide` must be part of the function that has the processor's features"
)]

/// Width of the cells of lattice 0 [m].
const FINEST: f32 = 50e-6;

/// Density of lattice 0 [1/m³].
pub(crate) fn finest_density() -> f32 {
    FINEST.powi(-3)
}

/// Width of a lattice's cells [m].
pub(crate) fn width(level: i32) -> f32 {
    FINEST * (level as f32 / 3.0).exp2()
}

/// Cells in a row along x, as positions and random bits.
pub(crate) fn row_seed(seed: u64, level: i32, [y, z]: [i32; 2]) -> u32 {
    let seed = (seed as u32) ^ ((seed >> 32) as u32).rotate_left(16);
    let start = mix(seed.wrapping_add((level as u32).wrapping_mul(0x9E37_79B9)));
    let row = mix(start ^ (y as u32).wrapping_mul(0xD816_3841));
    mix(row ^ (z as u32).wrapping_mul(0xCB1A_B31F))
}

/// Random bits of a cell.
#[inline(always)]
pub(crate) fn cell(row_seed: u32, x: i32) -> u32 {
    mix(row_seed ^ (x as u32).wrapping_mul(0x8DA6_B343))
}

/// Murmur3's finaliser (Appleby 2016): every bit depends on every bit.
#[inline(always)]
fn mix(mut bits: u32) -> u32 {
    bits ^= bits >> 16;
    bits = bits.wrapping_mul(0x85EB_CA6B);
    bits ^= bits >> 13;
    bits = bits.wrapping_mul(0xC2B2_AE35);
    bits ^ (bits >> 16)
}

/// Where in its cell a scatterer is, 0 to 1 along each axis.
#[inline(always)]
pub(crate) fn jitter(bits: u32) -> [f32; 3] {
    const SCALE: f32 = 1.0 / 1024.0;
    [0, 10, 20].map(|shift| ((bits >> shift & 1023) as f32 + 0.5) * SCALE)
}

/// Its sign.
#[inline(always)]
pub(crate) fn sign(bits: u32) -> f32 {
    // The sign bit of 1.0.
    f32::from_bits(1f32.to_bits() | (bits & 0x8000_0000))
}
