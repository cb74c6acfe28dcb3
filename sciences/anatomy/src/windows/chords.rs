//! Straight lines over free places, seen from the front: candidates for the ends of a path.

use nalgebra::Vector3;

use super::WindowMap;

/// Most places between which lines are tried; of more, only every second, third … one of a row and a column.
const MOST_ENDS: f64 = 900.0;
/// Lines of at least this share of the longest one are preferred by their distance from the rim of the window.
const LONG: f64 = 0.8;
/// Most candidates.
const MOST: usize = 8;

/// A line between two places.
#[derive(Clone, Copy)]
pub(super) struct Chord {
    /// Indices of its places in the map.
    pub(super) ends: [usize; 2],
    /// Its length [m].
    pub(super) length: f64,
    /// Mean distance from the rim of the window [m].
    clearance: f64,
}

impl WindowMap {
    /// Lines with lengths within a range [m] that stay on free places: of the long ones those first that are farthest from the rim.
    pub(super) fn chords(&self, is_free: &[bool], [shortest, longest]: [f64; 2]) -> Vec<Chord> {
        let position = |place: usize| {
            let own = self.places[place].as_ref();
            own.map_or_else(Vector3::zeros, |own| Vector3::from(own.position))
        };
        let ends = self.ends(is_free);
        let mut pairs = Vec::new();
        for (k, &from) in ends.iter().enumerate() {
            for &to in &ends[k + 1..] {
                let length = (position(to) - position(from)).norm();
                // A path over curved skin is longer than its chord.
                if (shortest..=0.97 * longest).contains(&length) {
                    pairs.push((length, [from, to]));
                }
            }
        }
        pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let rims = self.rims(is_free);
        let mut found: Vec<Chord> = Vec::new();
        for (length, ends) in pairs {
            if found
                .first()
                .is_some_and(|first| length < LONG * first.length)
            {
                break;
            }
            if let Some(clearance) = self.clearance(is_free, &rims, ends) {
                found.push(Chord {
                    ends,
                    length,
                    clearance,
                });
            }
        }
        found.sort_by(|a, b| {
            b.clearance
                .total_cmp(&a.clearance)
                .then(a.ends.cmp(&b.ends))
        });
        found.truncate(MOST);
        found
    }

    /// Free places between which lines are tried.
    fn ends(&self, is_free: &[bool]) -> Vec<usize> {
        let n = self.left.len();
        let all = || (0..is_free.len()).filter(|place| is_free[*place]);
        let apart = (all().count() as f64 / MOST_ENDS).sqrt().ceil().max(1.0) as usize;
        let is_end =
            |place: &usize| (place / n).is_multiple_of(apart) && (place % n).is_multiple_of(apart);
        all().filter(is_end).collect()
    }

    /// Distance of each free place from the nearest one that is not free, seen from the front [m].
    fn rims(&self, is_free: &[bool]) -> Vec<f64> {
        let n = self.left.len();
        let [rows, columns] = [self.head.len(), n].map(|n| n as isize);
        let is_off = |row: isize, column: isize| {
            let is_on = (0..rows).contains(&row) && (0..columns).contains(&column);
            !is_on || !is_free[(row * columns + column) as usize]
        };
        let rim = |place: usize| {
            if !is_free[place] {
                return 0.0;
            }
            let (row, column) = ((place / n) as isize, (place % n) as isize);
            let mut nearest = f64::INFINITY;
            // Squares around the place; those beyond the nearest one found are farther.
            for far in 1..=rows.max(columns) {
                if far as f64 >= nearest {
                    break;
                }
                for k in -far..=far {
                    let around = [(-far, k), (far, k), (k, -far), (k, far)];
                    let is_met = around.iter().any(|(i, j)| is_off(row + i, column + j));
                    if is_met {
                        nearest = nearest.min((far as f64).hypot(k as f64));
                    }
                }
            }
            nearest * self.step()
        };
        (0..is_free.len()).map(rim).collect()
    }

    /// Mean distance of a line from the rim; `None` if it leaves the free places.
    fn clearance(&self, is_free: &[bool], rims: &[f64], ends: [usize; 2]) -> Option<f64> {
        let n = self.left.len();
        let place = |end: usize| [self.left[end % n], self.head[end / n]];
        let [from, to] = ends.map(place);
        let length = (to[0] - from[0]).hypot(to[1] - from[1]);
        let n_steps = (2.0 * length / self.step()).ceil().max(1.0) as usize;
        let mut sum = 0.0;
        for k in 0..=n_steps {
            let share = k as f64 / n_steps as f64;
            let [left, head] = [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * share);
            let index = self.index_at(left, head).filter(|index| is_free[*index])?;
            sum += rims[index];
        }
        Some(sum / (n_steps + 1) as f64)
    }
}
