//! The whole log reduced to a few thousand points, with its extremes kept.

use super::LogOverview;

/// Maximum number of points.
pub(super) const MOST: usize = 4000;

/// Keeps three samples of each block, in order: the first, and those with the least and the largest force.
pub(super) fn thinned(time: &[f64], indentation: &[f64], force: &[f64]) -> LogOverview {
    let n = time.len();
    let mut kept: Vec<usize> = Vec::with_capacity(n.min(MOST));
    if n <= MOST {
        kept.extend(0..n);
    } else {
        let blocks = MOST / 4;
        for block in 0..blocks {
            let range = block * n / blocks..(block + 1) * n / blocks;
            let start = range.start;
            let (mut low, mut high, mut deep) = (start, start, start);
            for index in range {
                if force[index] < force[low] {
                    low = index;
                }
                if force[index] > force[high] {
                    high = index;
                }
                if indentation[index] > indentation[deep] {
                    deep = index;
                }
            }
            let mut chosen = [start, low, high, deep];
            chosen.sort_unstable();
            for index in chosen {
                if kept.last() != Some(&index) {
                    kept.push(index);
                }
            }
        }
    }
    let pick = |values: &[f64]| kept.iter().map(|&index| values[index]).collect();
    LogOverview {
        time: pick(time),
        indentation: pick(indentation),
        force: pick(force),
    }
}
