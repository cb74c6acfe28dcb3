//! What an experiment comes down to.

use serde::Serialize;

use super::Record;

/// Time after first contact that is left out of the force errors [s].
const SETTLING: f64 = 0.5;

/// The figures of an experiment; names carry their units.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Mean absolute error of the force along the probe's axis, from 0.5 s after first contact to the end of contact work [N].
    pub force_mae_n: f64,
    /// Root mean square of the same error [N].
    pub force_rmse_n: f64,
    /// Share of the samples in contact, from first contact to the end of contact work.
    pub contact_ratio: f64,
    /// Largest force along the probe's axis [N].
    pub peak_force_n: f64,
    /// Largest change of that force from one sample to the next [N].
    pub largest_jump_n: f64,
    /// Root mean square of the distance from the path while sliding [m]; 0 for a press.
    pub path_rmse_m: f64,
    /// Root mean square of the error of the speed along the path while sliding [m/s]; 0 for a press.
    pub velocity_rmse_m_s: f64,
    /// Largest angle between the probe's axis and its goal in contact [deg].
    pub peak_tilt_deg: f64,
    /// Deepest indentation [m].
    pub peak_indentation_m: f64,
    /// Simulated time [s].
    pub seconds_simulated: f64,
    /// Physics steps per second of wall-clock time, control and logging included.
    pub steps_per_second: f64,
    /// Whether the caller ended the experiment early; the figures are those of the part that was measured.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
}

impl Summary {
    /// The figures of a record: `work` names the phases that count as contact work, `slide` those that follow the path at `speed`.
    pub fn of(
        record: &Record,
        force: f64,
        speed: f64,
        work: &[&str],
        slide: &[&str],
        wall_seconds: f64,
    ) -> Self {
        let phase = |names: &[&str], index: usize| names.contains(&record.phases[index]);
        let at_work: Vec<_> = record
            .samples
            .iter()
            .filter(|sample| phase(work, sample.phase))
            .collect();
        let touched = at_work.iter().position(|sample| sample.in_contact);
        let from_contact = &at_work[touched.unwrap_or(at_work.len())..];
        // Without contact, all of the work counts as error.
        let judged = if touched.is_some() {
            from_contact
        } else {
            &at_work
        };
        let settled = from_contact
            .first()
            .map_or(f64::NEG_INFINITY, |sample| sample.time + SETTLING);
        let errors = || {
            judged
                .iter()
                .filter(|sample| sample.time >= settled)
                .map(|sample| sample.force[2] - force)
        };
        let sliding = || {
            record
                .samples
                .iter()
                .filter(|sample| phase(slide, sample.phase))
        };
        let n = record.samples.len();
        let jumps = record
            .samples
            .windows(2)
            .map(|pair| (pair[1].force[2] - pair[0].force[2]).abs());
        let duration = record.samples.last().map_or(0.0, |sample| sample.time);
        Self {
            force_mae_n: mean(errors().map(f64::abs)),
            force_rmse_n: mean(errors().map(|e| e * e)).sqrt(),
            contact_ratio: mean(
                from_contact
                    .iter()
                    .map(|sample| f64::from(u8::from(sample.in_contact))),
            ),
            peak_force_n: most(record.samples.iter().map(|sample| sample.force[2])),
            largest_jump_n: most(jumps),
            path_rmse_m: mean(sliding().map(|sample| sample.path_error.powi(2))).sqrt(),
            velocity_rmse_m_s: mean(
                sliding().map(|sample| (along(sample.velocity) - speed).powi(2)),
            )
            .sqrt(),
            peak_tilt_deg: most(from_contact.iter().map(|sample| sample.tilt)).to_degrees(),
            peak_indentation_m: most(record.samples.iter().map(|sample| sample.indentation)),
            seconds_simulated: duration,
            steps_per_second: if wall_seconds > 0.0 {
                n as f64 / wall_seconds
            } else {
                0.0
            },
            interrupted: false,
        }
    }
}

/// Horizontal speed [m/s].
fn along(velocity: [f64; 3]) -> f64 {
    velocity[0].hypot(velocity[1])
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0usize), |(sum, count), value| {
        (sum + value, count + 1)
    });
    if count == 0 { 0.0 } else { sum / count as f64 }
}

fn most(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::Sample;

    #[test]
    fn errors_count_from_half_a_second_after_first_contact() {
        let sample = |i: usize| Sample {
            time: i as f64 * 0.1,
            phase: usize::from(i >= 5),
            force: [0.0, 0.0, if i < 8 { 20.0 } else { 6.0 }],
            in_contact: i >= 3 && i != 15,
            path_error: 0.002,
            velocity: [0.0, 0.05, 0.0],
            ..Sample::default()
        };
        let record = Record {
            phases: vec!["approach", "slide"],
            samples: (0..20).map(sample).collect(),
            ..Record::default()
        };
        let summary = Summary::of(&record, 5.0, 0.04, &["approach", "slide"], &["slide"], 2.0);
        assert!(
            (summary.force_mae_n - 1.0).abs() < 1e-12 && (summary.force_rmse_n - 1.0).abs() < 1e-12
        );
        assert!((summary.contact_ratio - 16.0 / 17.0).abs() < 1e-12);
        assert!(
            (summary.peak_force_n - 20.0).abs() < 1e-12
                && (summary.largest_jump_n - 14.0).abs() < 1e-12
        );
        assert!(
            (summary.path_rmse_m - 0.002).abs() < 1e-12
                && (summary.velocity_rmse_m_s - 0.01).abs() < 1e-12
        );
        assert!((summary.steps_per_second - 10.0).abs() < 1e-12);
    }

    #[test]
    fn a_scan_without_contact_misses_the_whole_force() {
        let record = Record {
            phases: vec!["slide"],
            samples: vec![Sample::default(); 3],
            ..Record::default()
        };
        let summary = Summary::of(&record, 5.0, 0.04, &["slide"], &["slide"], 0.0);
        assert_eq!(
            (
                summary.force_mae_n,
                summary.contact_ratio,
                summary.steps_per_second
            ),
            (5.0, 0.0, 0.0)
        );
    }
}
