//! Tails of the beam along the array, beyond its main lobe: recursive filters to the left and to the right. Their phase turns by a quarter
//! from line to line, as that of the waves from the aperture's edges, and they have opposite signs, so that the tails of a flat boundary
//! cancel.

#![expect(
    clippy::inline_always,
    reason = "functions called within `wide` must be inlined into the function with the CPU's features"
)]

use crate::beam::Pedestal;
use crate::pack::{LANES, Lanes};

/// Share of the energy of an echo's two parts on neighbouring lines that a quarter of a turn between them leaves: 1 − 2 s (1 − s), on average.
const QUADRATURE: f32 = 2.0 / 3.0;
/// Factor of the amplitude of tails between that of an echo on a line and that of an average echo: (3/2)^¼.
const ON_LINES: f32 = 1.107;

/// A tail of the beam on one side, in lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tail {
    /// Lines to its beginning.
    pub(crate) start: usize,
    /// Amplitude there, and what is left of it from line to line.
    pub(crate) height: f32,
    pub(crate) left: f32,
}

impl Tail {
    /// A tail that is wider by a ratio than without loss, on lines with a distance [m].
    pub(crate) fn new(pedestal: Pedestal, ratio: f32, distance: f32) -> Self {
        let Pedestal {
            start,
            height,
            length,
        } = pedestal;
        let [start, length] = [start, length].map(|x| x as f32 * ratio);
        let lines = (start / distance).round().clamp(1.0, 65536.0);
        let inside = lines * distance - start;
        Self {
            start: lines as usize,
            height: ON_LINES * height as f32 * (-inside / length).min(0.5).exp(),
            left: (-distance / length).exp(),
        }
    }

    /// Energy of both tails over lines, for an echo at any position between lines.
    pub(crate) fn energy(self) -> f32 {
        let whole = self.height * self.height / (1.0 - self.left * self.left);
        2.0 * QUADRATURE * whole
    }

    /// Adds the tails of one sample of all lines: re, im.
    #[inline(always)]
    pub(crate) fn add(self, row: &[f32], seen: &mut [f32]) {
        let n = row.len().min(seen.len());
        let first = (2 * self.start).min(n);
        let mut right = Turns::<1>::new(self.left);
        let shifted = seen[first..n].chunks_mut(LANES);
        for (seen, row) in shifted.zip(row[..n - first].chunks(LANES)) {
            right.follow(row, self.height, seen);
        }
        let mut left = Turns::<-1>::new(self.left);
        let shifted = seen[..n - first].rchunks_mut(LANES);
        for (seen, row) in shifted.zip(row[first..n].rchunks(LANES)) {
            left.follow(row, -self.height, seen);
        }
    }
}

/// A tail that is followed a vector of lines at a time, to the right (1) or to the left (−1). From line to line it turns by i.
struct Turns<const WAY: isize> {
    /// After one, two and four lines: factors of the numbers so far in front; 0 where they are in the vector in front.
    steps: [Lanes; 3],
    /// After each line of a vector: factors of the last line of the vector in front.
    carried: Lanes,
    /// The vector in front.
    before: Lanes,
}

impl<const WAY: isize> Turns<WAY> {
    #[inline(always)]
    fn new(left: f32) -> Self {
        let mut powers = [left; LANES / 2];
        for line in 1..powers.len() {
            powers[line] = powers[line - 1] * left;
        }
        // i, −1, −i, 1, …: an odd turn exchanges re and im.
        let factor = |turns: usize, lane: usize| {
            let is_negative = match turns % 4 {
                0 => false,
                1 => lane.is_multiple_of(2),
                2 => true,
                _ => !lane.is_multiple_of(2),
            };
            if is_negative {
                -powers[turns - 1]
            } else {
                powers[turns - 1]
            }
        };
        let mut turns = Self {
            steps: [[0.0; LANES]; 3],
            carried: [0.0; LANES],
            before: [0.0; LANES],
        };
        for lane in 0..LANES {
            let lines_in_front = Self::lines_in_front(lane);
            for (power, step) in turns.steps.iter_mut().enumerate() {
                if lines_in_front >= 1 << power {
                    step[lane] = factor(1 << power, lane);
                }
            }
            turns.carried[lane] = factor(lines_in_front + 1, lane);
        }
        turns
    }

    /// Lines of a vector that are in front of a lane.
    #[inline(always)]
    fn lines_in_front(lane: usize) -> usize {
        let line = lane / 2;
        if WAY > 0 { line } else { LANES / 2 - 1 - line }
    }

    /// The lane of the number some lines in front, or any.
    #[inline(always)]
    fn in_front(lane: usize, lines: isize) -> usize {
        lane.wrapping_add_signed(-2 * WAY * lines) % LANES
    }

    /// Adds the tail over the next lines, given the echoes there.
    #[inline(always)]
    fn follow(&mut self, echoes: &[f32], height: f32, seen: &mut [f32]) {
        if let (Some(echoes), Some(seen)) = (echoes.first_chunk(), seen.first_chunk_mut()) {
            self.follow_vector(echoes, height, seen);
            return;
        }
        // The last lines.
        let (mut some, mut sums) = ([0.0; LANES], [0.0; LANES]);
        let at = if WAY > 0 { 0 } else { LANES - echoes.len() };
        some[at..][..echoes.len()].copy_from_slice(echoes);
        self.follow_vector(&some, height, &mut sums);
        for (seen, sum) in seen.iter_mut().zip(&sums[at..]) {
            *seen += sum;
        }
    }

    #[inline(always)]
    fn follow_vector(&mut self, echoes: &Lanes, height: f32, seen: &mut Lanes) {
        let (mut tail, mut sum) = ([0.0; LANES], [0.0; LANES]);
        for lane in 0..LANES {
            tail[lane] = height * echoes[lane];
        }
        let [one, two, four] = &self.steps;
        let mut turned = [0.0; LANES];
        for lane in 0..LANES {
            turned[lane] = tail[lane ^ 1];
        }
        for lane in 0..LANES {
            sum[lane] = tail[lane] + one[lane] * turned[Self::in_front(lane, 1)];
        }
        for lane in 0..LANES {
            tail[lane] = sum[lane] + two[lane] * sum[Self::in_front(lane, 2)];
        }
        for lane in 0..LANES {
            sum[lane] = tail[lane] + four[lane] * tail[Self::in_front(lane, 4)];
        }
        let last = if WAY > 0 { LANES - 2 } else { 0 };
        for lane in 0..LANES {
            let turns = Self::lines_in_front(lane) + 1;
            tail[lane] = sum[lane] + self.carried[lane] * self.before[last + (lane + turns) % 2];
        }
        self.before = tail;
        for lane in 0..LANES {
            seen[lane] += tail[lane];
        }
    }
}
