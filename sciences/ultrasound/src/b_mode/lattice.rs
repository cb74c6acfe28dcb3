//! Scatterers of tissue, without storage: lattices of cells at rest, with one scatterer at a random position in each cell.
//!
//! Lattice $\ell$ has cells of width $h_0\, 2^{\ell/3}$, so that each lattice is half as dense as the one before.
//! At each depth the lattice whose density matches the beam is used; where this lattice changes, both are blended.
//! All scatterers have the same strength and a random sign, and are evenly distributed, so that few suffice for fully developed speckle.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

/// Width of the cells of lattice 0 [m].
const FINEST: f32 = 50e-6;
/// Share of a lattice's span of densities in which it is blended with the next.
const FADE: f32 = 0.1;
/// Difference of the numbers of neighbouring cells along each axis.
pub(crate) const STRIDES: [u32; 3] = [0x8DA6_B343, 0xD816_3841, 0xCB1A_B31F];

/// Density of lattice 0 [1/m³].
pub(crate) fn finest_density() -> f32 {
    FINEST.powi(-3)
}

/// Width of a lattice's cells [m].
pub(crate) fn width(level: i32) -> f32 {
    FINEST * (level as f32 / 3.0).exp2()
}

/// Index of the lattice that has a density [1/m³]; its fraction tells how far towards the next lattice.
pub(crate) fn of_density(density: f32) -> f32 {
    (finest_density() / density).log2().max(0.0)
}

/// Amplitude of a lattice's scatterers relative to lattice 0: fewer scatterers are stronger.
pub(crate) fn strength(level: i32) -> f32 {
    (0.5 * level as f32).exp2()
}

/// Lattices in use for a range of lattice indices, as returned by [`of_density`].
pub(crate) fn in_use([least, most]: [f32; 2]) -> std::ops::RangeInclusive<i32> {
    least.floor() as i32..=(most + FADE).floor() as i32
}

/// Whether a lattice is in use anywhere in a range of lattice indices.
pub(crate) fn is_in_use(level: i32, [least, most]: [f32; 2]) -> bool {
    least < (level + 1) as f32 && most > level as f32 - FADE
}

/// Weight of a lattice's amplitude at the lattice index `wanted`; the squares of the weights add up to 1.
pub(crate) fn share(level: f32, wanted: f32) -> f32 {
    let into = wanted - level;
    let [rise, fall] = [into + FADE, 1.0 - into];
    (rise.min(fall) / FADE).clamp(0.0, 1.0).sqrt()
}

/// Number of the cell at the origin of a lattice.
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
/// Finaliser of Murmur3 (Appleby 2016): every bit depends on every bit.
#[inline(always)]
pub(crate) fn mix(mut bits: u32) -> u32 {
    bits ^= bits >> 16;
    bits = bits.wrapping_mul(0x85EB_CA6B);
    bits ^= bits >> 13;
    bits = bits.wrapping_mul(0xC2B2_AE35);
    bits ^ (bits >> 16)
}

/// Number of steps of a scatterer's position in its cell, along each axis.
pub(crate) const STEPS: f32 = 1024.0;

/// Position of a scatterer in its cell, in whole steps along each axis; the caller adds half a step.
#[inline(always)]
pub(crate) fn jitter(bits: u32) -> [f32; 3] {
    let step = |shift: u32| (bits >> shift & 1023) as i32 as f32;
    [step(0), step(10), step(20)]
}

/// Sign of a scatterer.
#[inline(always)]
pub(crate) fn sign(bits: u32) -> f32 {
    // The sign bit of 1.0.
    f32::from_bits(1f32.to_bits() | (bits & 0x8000_0000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lattices_share_the_power() {
        for wanted in (0..400).map(|n| n as f32 / 100.0) {
            let levels = in_use([wanted, wanted]);
            let power: f32 = levels
                .map(|level| share(level as f32, wanted).powi(2))
                .sum();
            assert!((power - 1.0).abs() < 1e-4, "{wanted}: {power}");
        }
    }
}
