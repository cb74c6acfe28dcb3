//! Acceleration from velocity, for laws with a mass: slope of the least-squares line over a moving window (Savitzky
//! and Golay 1964).

/// Duration of the window [s]; at least five samples.
const SPAN: f64 = 0.02;

/// Acceleration [m/s²], shape `[n]`.
pub(super) fn of(time: &[f64], velocity: &[f64], sampling_interval: f64) -> Vec<f64> {
    let n = time.len();
    let half = ((SPAN / sampling_interval / 2.0).round() as usize).clamp(2, 50);
    (0..n)
        .map(|i| {
            let window = i.saturating_sub(half)..(i + half + 1).min(n);
            let size = window.len() as f64;
            let middle = window.clone().map(|j| time[j] - time[i]).sum::<f64>() / size;
            let (mut above, mut below) = (0.0, 0.0);
            for j in window {
                let lever = time[j] - time[i] - middle;
                above += lever * velocity[j];
                below += lever * lever;
            }
            if below > 0.0 { above / below } else { 0.0 }
        })
        .collect()
}
