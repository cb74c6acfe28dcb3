//! The aperture: what lies between a point and the elements that transmit to it and receive from it.
//!
//! A point is heard by many elements, so that a round obstacle hides it from a part of them only. Rays from elements to points form
//! families: for a flat array the rays of an angle, for a curved one those that pass the apex at a distance, which leave all elements at
//! the same angle to their normals. From one depth to the next, the rays of a family shift by the same number of lines, so that their
//! losses add up along the family, from row to row:
//!
//! $W_p(x, z_j) = W_p(x + s_j, z_{j-1})\, e^{-\Delta L(x + s_j / 2)}$.
//!
//! The two-way amplitude of a point is $T R$, the means of $W_p$ over the transmitting and the receiving elements that exist.
//! Beyond and before the transmit focus only the elements within the first Fresnel zone about the scanline count as transmitting.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use std::f64::consts::FRAC_PI_2;

use super::grid::Grid;
use super::legs::Legs;
use crate::beam::{Focusing, Zones};
use crate::pack::LANES;
use crate::simd::wide;
use crate::transducer::Transducer;

/// Families of rays.
const N_FAMILIES: usize = 13;

/// How the rays of a family run: for each row of depths.
#[derive(Clone, Debug)]
struct Family {
    /// Shift from the row before to this row [lines].
    shifts: Vec<f32>,
    /// Weights among the transmitting and the receiving elements.
    weights: Vec<[f32; 2]>,
    /// First line, and the line behind the last, whose elements exist.
    existing: Vec<[usize; 2]>,
}

/// Families of rays over beam space.
#[derive(Clone, Debug)]
pub(crate) struct Aperture {
    families: Vec<Family>,
    n_rows: usize,
    n_lines: usize,
    /// Numbers from one row to the next.
    stride: usize,
    /// One over the product of the sums of weights of the transmitting and the receiving elements that exist, shape `[n_rows, stride]`.
    norms: Vec<f32>,
}

/// The array in units of beam space, as families need it.
struct Array {
    apex: Option<f64>,
    aperture: f64,
    spacing: f64,
    wavelength: f64,
    /// Largest tangent of the angle between a ray and the normal of its element.
    steepest: f64,
}

impl Array {
    /// Offset of an element from a point along the face: an angle for curved arrays [rad], else a length [m].
    fn offset(&self, tangent: f64, depth: f64) -> f64 {
        match self.apex {
            None => tangent * depth,
            Some(radius) if radius > 0.0 => {
                let distance = radius * tangent.atan().sin();
                (distance / radius).asin() - (distance / (radius + depth)).asin()
            }
            // Lines of a phased array meet at the face; its elements are at fixed distances from there.
            Some(_) => {
                let distance = 0.5 * tangent / self.steepest * self.aperture;
                let angle = (distance / depth.max(1e-9)).clamp(-1.0, 1.0).asin();
                FRAC_PI_2.copysign(distance) - angle
            }
        }
    }

    /// Weights of the rays of a tangent among the transmitting and the receiving elements; apertures have soft edges, so that they grow
    /// steadily.
    fn weights(&self, focusing: &Focusing, [tangent, between]: [f64; 2], depth: f64) -> [f32; 2] {
        let within = |limit: f64, at: f64, step: f64| {
            ((limit - at.abs()) / step.max(1e-9) + 0.5).clamp(0.0, 1.0) as f32
        };
        // Elements of a phased array are at most half the aperture away.
        let phased = self.apex == Some(0.0);
        let length = |tangent: f64| {
            if phased {
                return 0.5 * tangent / self.steepest * self.aperture;
            }
            self.offset(tangent, depth) * self.apex.unwrap_or(1.0)
        };
        let depth = depth.max(1e-4);
        let (half, focus) = match focusing.transmit {
            Some(focus) => (0.5 * focus.depth / focus.f_number, 1.0 / focus.depth),
            None => (f64::INFINITY, 0.0),
        };
        let zone = (self.wavelength / (1.0 / depth - focus).abs().max(1e-9)).sqrt();
        let sent = within(half.min(zone), length(tangent), length(between).abs());
        let heard = if phased {
            within(
                0.5 * depth / focusing.receive_f_number,
                length(tangent),
                length(between),
            )
        } else {
            within(self.steepest, tangent, between)
        };
        [sent, heard]
    }
}

impl Aperture {
    pub(crate) fn new(
        transducer: &Transducer,
        zones: &Zones,
        grid: &Grid,
        speed_of_sound: f64,
    ) -> Self {
        let n_rows = grid.faded.len();
        let steepest = 0.5 / zones.at(0.0).receive_f_number;
        let array = Array {
            apex: transducer.apex_radius(),
            aperture: transducer.aperture(),
            spacing: f64::from(grid.spacing),
            wavelength: transducer.wavelength(speed_of_sound),
            steepest,
        };
        let depths = (0..n_rows).map(|row| grid.rows.sample(row) as f64 * f64::from(grid.step));
        let depths: Vec<f64> = depths.collect();
        let between = 2.0 * steepest / (N_FAMILIES - 1) as f64;
        let family = |index: usize| {
            let is_middle = index == N_FAMILIES / 2;
            let tangent = if is_middle {
                0.0
            } else {
                index as f64 * between - steepest
            };
            let offsets = depths
                .iter()
                .map(|z| array.offset(tangent, *z) / array.spacing);
            let from_face: Vec<f32> = offsets.map(|offset| offset as f32).collect();
            let shift = |row: usize| from_face[row] - from_face[row.saturating_sub(1)];
            // At the face the ray of the scanline is the only one.
            let least = if is_middle { 1e-3 } else { 0.0 };
            let weights = depths.iter().map(|depth| {
                array
                    .weights(&zones.at(*depth), [tangent, between], *depth)
                    .map(|weight| weight + least)
            });
            Family {
                shifts: (0..n_rows).map(shift).collect(),
                weights: weights.collect(),
                existing: from_face
                    .iter()
                    .map(|offset| existing(*offset, grid.n_lines))
                    .collect(),
            }
        };
        let mut aperture = Self {
            families: (0..N_FAMILIES).map(family).collect(),
            n_rows,
            n_lines: grid.n_lines,
            // Rows with a distance of a power of two would share few places of the cache.
            stride: (grid.n_lines.div_ceil(LANES) | 1) * LANES,
            norms: Vec::new(),
        };
        aperture.norms = aperture.norms();
        aperture
    }

    fn norms(&self) -> Vec<f32> {
        let mut sums = vec![[0.0; 2]; self.n_rows * self.stride];
        for family in &self.families {
            for row in 0..self.n_rows {
                let [sent, heard] = family.weights[row];
                let [first, last] = family.existing[row];
                for sum in &mut sums[row * self.stride..][first..last] {
                    *sum = [sum[0] + sent, sum[1] + heard];
                }
            }
        }
        let norm = |[sent, heard]: [f32; 2]| (sent * heard).max(1e-9).recip();
        sums.into_iter().map(norm).collect()
    }

    /// Finds the two-way amplitudes that the aperture leaves of one ray of each line, given what each row leaves of the row before and the
    /// contact of the lines' elements.
    pub(crate) fn light<'a>(
        &self,
        ray: impl Fn(usize) -> &'a Legs,
        coupled: &[bool],
        light: &mut Light,
    ) {
        let (n, stride) = (self.n_lines, self.stride);
        light.take_left(ray, n);
        let Light {
            left,
            sent,
            heard,
            lines: [here, next],
            ..
        } = light;
        wide(
            #[inline(always)]
            || {
                for family in &self.families {
                    for (share, coupled) in here.iter_mut().zip(coupled) {
                        *share = f32::from(u8::from(*coupled));
                    }
                    for row in 0..self.n_rows {
                        advance(here, &left[row * stride..][..n], family.shifts[row], next);
                        std::mem::swap(here, next);
                        let weights = family.weights[row];
                        let [first, last] = family.existing[row];
                        let own = row * stride + first..row * stride + last;
                        for (sums, weight) in [&mut *sent, &mut *heard].into_iter().zip(weights) {
                            add(&mut sums[own.clone()], weight, &here[first..last]);
                        }
                    }
                }
                for ((sent, heard), norm) in sent.iter_mut().zip(&*heard).zip(&self.norms) {
                    *sent *= heard * norm;
                }
            },
        );
    }
}

/// First line, and the line behind the last, whose elements exist at an offset [lines].
fn existing(offset: f32, n_lines: usize) -> [usize; 2] {
    let n = n_lines as f32;
    let [first, last] =
        [-0.5 - offset, n - 0.5 - offset].map(|line| line.ceil().clamp(0.0, n) as usize);
    [first, last.max(first)]
}

/// What the aperture leaves of one ray of each line, and buffers to find it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Light {
    /// Numbers from one row to the next.
    stride: usize,
    /// What each row leaves of the row before, one way, shape `[n_rows, stride]`.
    left: Vec<f32>,
    /// Sums over transmitting elements, in the end the two-way amplitudes, and over receiving elements; same shape.
    sent: Vec<f32>,
    heard: Vec<f32>,
    /// Shares of one row, and of the next.
    lines: [Vec<f32>; 2],
}

impl Light {
    pub(crate) fn new(aperture: &Aperture) -> Self {
        let n = aperture.n_rows * aperture.stride;
        let [left, sent, heard] = [(); 3].map(|()| vec![0.0; n]);
        Self {
            stride: aperture.stride,
            left,
            sent,
            heard,
            lines: [(); 2].map(|()| vec![0.0; aperture.n_lines]),
        }
    }

    /// Two-way amplitude at a row of a line.
    pub(crate) fn at(&self, row: usize, line: usize) -> f32 {
        let at = row * self.stride + line;
        self.sent.get(at).copied().unwrap_or(0.0)
    }

    /// Stores what rows of all lines leave, side by side.
    fn take_left<'a>(&mut self, ray: impl Fn(usize) -> &'a Legs, n_lines: usize) {
        self.sent.fill(0.0);
        self.heard.fill(0.0);
        for first in (0..n_lines).step_by(LANES) {
            let last = (first + LANES).min(n_lines);
            let lines: [&[f32]; LANES] =
                std::array::from_fn(|lane| &ray((first + lane).min(last - 1)).left[..]);
            for (row, to) in self.left.chunks_exact_mut(self.stride).enumerate() {
                for (to, left) in to[first..last].iter_mut().zip(&lines) {
                    *to = left.get(row).copied().unwrap_or(0.0);
                }
            }
        }
    }
}

/// Adds weighted numbers to sums.
#[inline(always)]
fn add(sums: &mut [f32], weight: f32, numbers: &[f32]) {
    if weight > 0.0 {
        for (sum, number) in sums.iter_mut().zip(numbers) {
            *sum += weight * number;
        }
    }
}

/// A number of lines, in parts.
#[derive(Clone, Copy)]
struct Shift {
    whole: isize,
    share: f32,
}

impl Shift {
    #[inline(always)]
    fn new(lines: f32) -> Self {
        let whole = lines.floor();
        Self {
            whole: whole as isize,
            share: lines - whole,
        }
    }

    /// Value that far from a line; behind the last line it repeats.
    #[inline(always)]
    fn at(self, values: &[f32], line: usize) -> f32 {
        let last = values.len() as isize - 1;
        let near = (line as isize).saturating_add(self.whole);
        let [before, after] =
            [near, near.saturating_add(1)].map(|line| values[line.clamp(0, last) as usize]);
        before + self.share * (after - before)
    }

    /// First line, and the line behind the last, for which the values on both sides exist.
    #[inline(always)]
    fn inside(self, n: usize) -> [usize; 2] {
        let n = n as isize;
        [-self.whole, (n - 1).saturating_sub(self.whole)].map(|line| line.clamp(0, n) as usize)
    }

    /// Values on both sides of lines inside.
    #[inline(always)]
    fn sides(self, values: &[f32], [first, last]: [usize; 2]) -> [&[f32]; 2] {
        let from = &values[(first as isize + self.whole) as usize..];
        [&from[..last - first], &from[1..=last - first]]
    }
}

/// Shares of the next row: those a shift further on, times what is left half that far.
#[inline(always)]
fn advance(here: &[f32], left: &[f32], shift: f32, next: &mut [f32]) {
    let n = here.len();
    let [whole, half] = [shift, 0.5 * shift].map(Shift::new);
    let ([a, b], [c, d]) = (whole.inside(n), half.inside(n));
    let first = a.max(c);
    let last = b.min(d).max(first);
    for line in (0..first).chain(last..n) {
        next[line] = whole.at(here, line) * half.at(left, line);
    }
    if first < last {
        let [before, behind] = whole.sides(here, [first, last]);
        let [nearer, further] = half.sides(left, [first, last]);
        let sides = before.iter().zip(behind).zip(nearer.iter().zip(further));
        for (next, ((before, behind), (nearer, further))) in next[first..last].iter_mut().zip(sides)
        {
            let share = before + whole.share * (behind - before);
            *next = share * (nearer + half.share * (further - nearer));
        }
    }
}
