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
use super::legs::ROWS;
use crate::beam::Focusing;
use crate::simd::wide;
use crate::transducer::Transducer;

/// Families of rays.
const N_FAMILIES: usize = 13;

/// How the rays of a family run: for each row of depths.
#[derive(Clone, Debug)]
struct Family {
    /// Shift from the row before to this row [lines].
    shifts: Vec<f32>,
    /// Shift from the face to this row [lines].
    from_face: Vec<f32>,
    /// Weights among the transmitting and the receiving elements.
    weights: Vec<[f32; 2]>,
}

/// Families of rays over beam space.
#[derive(Clone, Debug)]
pub(crate) struct Aperture {
    families: Vec<Family>,
    pub(crate) n_rows: usize,
    n_lines: usize,
    /// One over the product of the sums of weights of the transmitting and the receiving elements that exist, shape `[n_rows, n_lines]`.
    norms: Vec<f32>,
}

/// The array in units of beam space, as families need it.
struct Array {
    apex: Option<f64>,
    aperture: f64,
    spacing: f64,
    focusing: Focusing,
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
    fn weights(&self, tangent: f64, between: f64, depth: f64) -> [f32; 2] {
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
        let (half, focus) = match self.focusing.transmit {
            Some(focus) => (0.5 * focus.depth / focus.f_number, 1.0 / focus.depth),
            None => (f64::INFINITY, 0.0),
        };
        let zone = (self.wavelength / (1.0 / depth - focus).abs().max(1e-9)).sqrt();
        let sent = within(half.min(zone), length(tangent), length(between).abs());
        let heard = if phased {
            within(
                0.5 * depth / self.focusing.receive_f_number,
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
        focusing: &Focusing,
        grid: &Grid,
        speed_of_sound: f64,
    ) -> Self {
        let n_rows = grid.faded.len();
        let steepest = 0.5 / focusing.receive_f_number;
        let array = Array {
            apex: transducer.apex_radius(),
            aperture: transducer.aperture(),
            spacing: f64::from(grid.spacing),
            focusing: *focusing,
            wavelength: transducer.wavelength(speed_of_sound),
            steepest,
        };
        let depths = (0..n_rows).map(|row| (row * ROWS) as f64 * f64::from(grid.step));
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
                    .weights(tangent, between, *depth)
                    .map(|weight| weight + least)
            });
            Family {
                shifts: (0..n_rows).map(shift).collect(),
                weights: weights.collect(),
                from_face,
            }
        };
        let mut aperture = Self {
            families: (0..N_FAMILIES).map(family).collect(),
            n_rows,
            n_lines: grid.n_lines,
            norms: Vec::new(),
        };
        aperture.norms = aperture.norms();
        aperture
    }

    fn norms(&self) -> Vec<f32> {
        let mut sums = vec![[0.0; 2]; self.n_rows * self.n_lines];
        for family in &self.families {
            for row in 0..self.n_rows {
                let [sent, heard] = family.weights[row];
                let [first, last] = self.existing(family, row);
                for sum in &mut sums[row * self.n_lines..][first..last] {
                    *sum = [sum[0] + sent, sum[1] + heard];
                }
            }
        }
        let norm = |[sent, heard]: [f32; 2]| (sent * heard).max(1e-9).recip();
        sums.into_iter().map(norm).collect()
    }

    /// First line, and the line behind the last, whose elements of a family exist.
    fn existing(&self, family: &Family, row: usize) -> [usize; 2] {
        let offset = family.from_face[row];
        let n = self.n_lines as f32;
        let [first, last] =
            [-0.5 - offset, n - 0.5 - offset].map(|line| line.ceil().clamp(0.0, n) as usize);
        [first, last.max(first)]
    }

    /// Two-way amplitudes that the aperture leaves, shape `[n_rows, n_lines]`, from the share of the amplitude one way that each row leaves of
    /// the row before (same shape), and the contact of the lines' elements.
    pub(crate) fn light(&self, left: &[f32], coupled: &[bool], light: &mut [f32]) {
        let n = self.n_lines;
        let mut heard = vec![0.0; light.len()];
        light.fill(0.0);
        let [mut here, mut moved, mut lost] = [(); 3].map(|()| vec![0.0; n]);
        wide(
            #[inline(always)]
            || {
                for family in &self.families {
                    for (share, coupled) in here.iter_mut().zip(coupled) {
                        *share = f32::from(u8::from(*coupled));
                    }
                    for row in 0..self.n_rows {
                        let shift = family.shifts[row];
                        move_lines(&here, shift, &mut moved);
                        move_lines(&left[row * n..][..n], 0.5 * shift, &mut lost);
                        for (here, (moved, lost)) in here.iter_mut().zip(moved.iter().zip(&lost)) {
                            *here = moved * lost;
                        }
                        let weights = family.weights[row];
                        let [first, last] = self.existing(family, row);
                        let own = row * n + first..row * n + last;
                        for (i, sums) in [&mut *light, &mut heard].into_iter().enumerate() {
                            let weight = weights[i];
                            for (sum, share) in sums[own.clone()].iter_mut().zip(&here[first..last])
                            {
                                *sum += weight * share;
                            }
                        }
                    }
                }
                for ((light, heard), norm) in light.iter_mut().zip(&heard).zip(&self.norms) {
                    *light *= heard * norm;
                }
            },
        );
    }
}

/// Values a number of lines further on; behind the last line it repeats.
#[inline(always)]
fn move_lines(values: &[f32], shift: f32, moved: &mut [f32]) {
    let n = values.len() as isize;
    let whole = shift.floor();
    let share = shift - whole;
    let by = (whole as isize).clamp(-n, n);
    let at = |line: isize| values[line.clamp(0, n - 1) as usize];
    let inside = (-by).clamp(0, n)..(n - 1 - by).clamp(0, n);
    for line in (0..inside.start).chain(inside.end.max(inside.start)..n) {
        let (before, after) = (at(line + by), at(line + by + 1));
        moved[line as usize] = before + share * (after - before);
    }
    if inside.start < inside.end {
        let (first, last) = (inside.start as usize, inside.end as usize);
        let from = &values[(inside.start + by) as usize..][..last - first + 1];
        for (moved, pair) in moved[first..last].iter_mut().zip(from.windows(2)) {
            *moved = pair[0] + share * (pair[1] - pair[0]);
        }
    }
}
