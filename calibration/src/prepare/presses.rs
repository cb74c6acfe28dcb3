//! Presses of a continuous palpation: from one minimum of the force to the next. The swing of the force in between
//! distinguishes them from noise. A few neighbouring presses make a segment.

use super::noise::{median, running_mean, white_noise};

/// Half window of the running mean.
const HALF: usize = 4;
/// Swings below this number of standard deviations of the noise are ignored.
const NOISE: f64 = 8.0;
/// Swings below this share of the large ones are ignored.
const SHARE: f64 = 0.3;
/// Maximum ratio of a press's duration and swing to their medians, in both directions.
const ALIKE: f64 = 2.5;

/// Minimum number of presses of a palpation.
const FEWEST_PRESSES: usize = 6;
/// From this number of presses on a segment has three, otherwise two: the scatter of fewer than five segments is
/// hardly informative.
const MANY_PRESSES: usize = 15;
/// Minimum length of a segment [samples].
pub(super) const SHORTEST: usize = 40;

/// Sample ranges of presses, in order; `force` may grow or fall with pressing.
pub(super) fn found(force: &[f64]) -> Vec<std::ops::Range<usize>> {
    let smooth = running_mean(force, HALF);
    // After the running mean, a difference of two values has this share of the white noise.
    let noise = NOISE * white_noise(force) * (2.0 / (2 * HALF + 1) as f64).sqrt();
    let mut swings: Vec<f64> = turns(&smooth, noise)
        .windows(2)
        .map(|pair| (smooth[pair[1]] - smooth[pair[0]]).abs())
        .collect();
    swings.sort_by(f64::total_cmp);
    let Some(large) = swings.get(swings.len() * 9 / 10) else {
        return Vec::new();
    };
    let turns = turns(&smooth, noise.max(SHARE * large));
    let Some(&first) = turns.first() else {
        return Vec::new();
    };
    // Every other turning point is a minimum of the force.
    let skip = usize::from(
        turns
            .get(1)
            .is_some_and(|next| smooth[*next] < smooth[first]),
    );
    let presses: Vec<_> = turns[skip..]
        .windows(3)
        .step_by(2)
        .map(|three| (three[0]..three[2], smooth[three[1]] - smooth[three[0]]))
        .collect();
    let typical =
        |of: fn(&(std::ops::Range<usize>, f64)) -> f64| median(presses.iter().map(of).collect());
    let duration = typical(|press| press.0.len() as f64);
    let swing = typical(|press| press.1);
    let alike = |value: f64, typical: f64| value < ALIKE * typical && typical < ALIKE * value;
    presses
        .into_iter()
        .filter(|(range, rise)| alike(range.len() as f64, duration) && alike(*rise, swing))
        .map(|(range, _)| range)
        .collect()
}

/// Indices of alternating minima and maxima that differ by at least `swing`.
fn turns(values: &[f64], swing: f64) -> Vec<usize> {
    let mut turns = Vec::new();
    let (mut low, mut high) = (0, 0);
    let mut rising = None;
    for (index, value) in values.iter().enumerate() {
        if *value < values[low] {
            low = index;
        }
        if *value > values[high] {
            high = index;
        }
        if rising != Some(false) && values[high] - value > swing {
            turns.push(high);
            (rising, low) = (Some(false), index);
        } else if rising != Some(true) && value - values[low] > swing {
            turns.push(low);
            (rising, high) = (Some(true), index);
        }
    }
    turns
}

/// Neighbouring presses, grouped in twos or threes; empty if there are too few.
pub(super) fn stretches(
    time: &[f64],
    rough: &[f64],
    window: Option<[f64; 2]>,
) -> Vec<std::ops::Range<usize>> {
    let (start, end) = window.map_or((0, time.len()), |[from, to]| {
        (
            time.partition_point(|t| *t < from),
            time.partition_point(|t| *t <= to),
        )
    });
    if start >= end {
        return Vec::new();
    }
    let presses = found(&rough[start..end]);
    if presses.len() < FEWEST_PRESSES {
        return Vec::new();
    }
    let each = if presses.len() < MANY_PRESSES { 2 } else { 3 };
    let mut stretches = Vec::new();
    let mut run: Vec<std::ops::Range<usize>> = Vec::new();
    for press in presses {
        if run.last().is_some_and(|last| last.end != press.start) {
            run.clear();
        }
        run.push(press);
        if run.len() == each {
            let range = start + run[0].start..start + run[each - 1].end;
            if range.len() >= SHORTEST {
                stretches.push(range);
            }
            run.clear();
        }
    }
    if stretches.len() < 3 {
        Vec::new()
    } else {
        stretches
    }
}
