//! Scatterers of tissue, without storing any: lattices of cells at rest, with one scatterer somewhere in each.
//!
//! Lattice $\ell$ has cells of width $h_0\, 2^{\ell/3}$, so that each lattice is half as dense as the one before.
//! At a depth that one is in use which is as dense as the beam asks, and next to where it changes both, fading.
//! All scatterers have the same strength and either sign, and lie evenly, so that few suffice for fully developed speckle.

#![expect(
    clippy::inline_always,
    reason = "what is called within `wide` must be part of the function that has the processor's features"
)]

/// Width of the cells of lattice 0 [m].
const FINEST: f32 = 50e-6;
/// Share of a lattice's span of densities in which it fades into the next.
pub(crate) const FADE: f32 = 0.25;
/// By which a cell's number differs from that of its neighbour along an axis.
pub(crate) const STRIDES: [u32; 3] = [0x8DA6_B343, 0xD816_3841, 0xCB1A_B31F];

/// Density of lattice 0 [1/m³].
pub(crate) fn finest_density() -> f32 {
    FINEST.powi(-3)
}

/// Width of a lattice's cells [m].
pub(crate) fn width(level: i32) -> f32 {
    FINEST * (level as f32 / 3.0).exp2()
}

/// Lattices in use where densities belong to lattices between these.
pub(crate) fn in_use([least, most]: [f32; 2]) -> std::ops::RangeInclusive<i32> {
    least.floor() as i32..=(most + FADE).floor() as i32
}

/// Least and greatest of the densities for which a lattice is in use, as the lattice to which they belong.
pub(crate) fn span(level: i32) -> [f32; 2] {
    [level as f32 - FADE, (level + 1) as f32]
}

/// Share of a lattice in the power, where the density belongs to lattice `wanted`.
#[inline(always)]
pub(crate) fn share(level: f32, wanted: f32) -> f32 {
    let into = wanted - level;
    let [rise, fall] = [into + FADE, 1.0 - into];
    (rise.min(fall) * (1.0 / FADE)).clamp(0.0, 1.0)
}

/// Number of a lattice's cell at the origin.
pub(crate) fn origin(seed: u64, level: i32) -> u32 {
    let seed = (seed as u32) ^ ((seed >> 32) as u32).rotate_left(16);
    mix(seed.wrapping_add((level as u32).wrapping_mul(0x9E37_79B9)))
}

/// Random bits for a seed and three numbers.
pub(crate) fn random(seed: u64, [a, b, c]: [i32; 3]) -> u32 {
    let bits = mix(origin(seed, a) ^ (b as u32).wrapping_mul(STRIDES[1]));
    mix(bits ^ (c as u32).wrapping_mul(STRIDES[2]))
}

/// Random bits of a cell.
///
/// Murmur3's finaliser (Appleby 2016): every bit depends on every bit.
#[inline(always)]
pub(crate) fn mix(mut bits: u32) -> u32 {
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
    [0, 10, 20].map(|shift| ((bits >> shift & 1023) as i32 as f32 + 0.5) * SCALE)
}

/// Its sign.
#[inline(always)]
pub(crate) fn sign(bits: u32) -> f32 {
    // The sign bit of 1.0.
    f32::from_bits(1f32.to_bits() | (bits & 0x8000_0000))
}
