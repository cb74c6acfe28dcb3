//! Sorts rows that were written slightly out of order, as by recorders with several threads.

use super::timeline;

/// Maximum delay of a row, in typical intervals. A longer delay may mean another recording, which the
/// preparation of a log refuses.
const MAX_LATE: f64 = 20.0;

/// Sorts rows by time if no row is far from its place; otherwise leaves them unchanged.
pub(super) fn sort(time: &mut Vec<f64>, series: &mut [Vec<f64>], notes: &mut Vec<String>) {
    if time.windows(2).all(|pair| pair[0] <= pair[1]) {
        return;
    }
    let mut sorted = time.clone();
    sorted.sort_by(f64::total_cmp);
    let limit = MAX_LATE * timeline::interval(&sorted);
    let (mut latest, mut late) = (f64::NEG_INFINITY, 0_usize);
    for &now in time.iter() {
        if latest - now > limit {
            return;
        }
        late += usize::from(now < latest);
        latest = latest.max(now);
    }
    let mut order: Vec<usize> = (0..time.len()).collect();
    order.sort_by(|&a, &b| time[a].total_cmp(&time[b]));
    let full = series.iter_mut().filter(|values| !values.is_empty());
    for values in full.chain([&mut *time]) {
        *values = order.iter().map(|&row| values[row]).collect();
    }
    notes.push(if late == 1 {
        "one row came after a later one: the rows are sorted by time".to_owned()
    } else {
        format!("{late} rows came after later ones: the rows are sorted by time")
    });
}
