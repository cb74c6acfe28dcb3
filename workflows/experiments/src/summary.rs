//! Summary of an experiment.

use insonate_sim::verdict::{ForceFigures, Judge, PathFigures, RunWatch, Verdict, VerdictLimits};
use serde::Serialize;

use super::{OrganFigures, Pressure, Record, Sample, StressFigures, StressRecord, polyline};

/// Time after first contact that is left out of the force errors [s].
const SETTLING: f64 = 0.5;

/// Goals and phases of an experiment.
#[derive(Clone, Copy, Debug)]
pub struct Goals<'a> {
    /// Force along the probe's axis [N]; `None` for a press, whose goal is a depth.
    pub force: Option<f64>,
    /// Depth below the resting skin [m]; `None` for a scan.
    pub depth: Option<f64>,
    /// Speed along the path [m/s].
    pub speed: f64,
    /// Corners of the path seen from above, in the world [m].
    pub path: Option<&'a [[f64; 2]]>,
    /// Phases that count as contact work.
    pub work: &'a [&'a str],
    /// Phases that follow the path.
    pub slide: &'a [&'a str],
}

/// Statistics of an experiment and its verdict; names contain units.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Whether the limits were kept, and the reasons if not.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// The windows and the path of a scan of an organ.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub organ: Option<OrganFigures>,
    /// Length of the path, seen from above [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_asked_m: Option<f64>,
    /// Length of the path that the probe covered in contact [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_covered_m: Option<f64>,
    /// Maximum distance from the goal along the path while sliding [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lag_max_m: Option<f64>,
    /// Maximum distance across the path while sliding [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_error_max_m: Option<f64>,
    /// Target depth of a press below the resting skin [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth_asked_m: Option<f64>,
    /// Indentation up to which the forces of the torso's kind hold [m]
    /// ([`TorsoKind::max_depth`](insonate_models::torsos::TorsoKind::max_depth)).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth_limit_m: Option<f64>,
    /// Mean force along the probe's axis, from 0.5 s after first contact to the end of contact work [N].
    pub mean_force_n: f64,
    /// Mean absolute error of the force [N].
    pub force_mae_n: f64,
    /// Root mean square error of the force [N].
    pub force_rmse_n: f64,
    /// Maximum absolute error of the force [N].
    pub force_error_max_n: f64,
    /// Share of the samples in contact, from first contact to the end of contact work.
    pub contact_ratio: f64,
    /// Maximum force along the probe's axis [N].
    pub peak_force_n: f64,
    /// Greatest mean pressure on 1 cm² of the probe's face [Pa]. Like the area, it is not finer than the contact points of the torso.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_pressure_pa: Option<f64>,
    /// Area of the face in contact at that time [m²].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact_area_m2: Option<f64>,
    /// Stress and strain of the tissue at the end of a press.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub stress: Option<StressFigures>,
    /// Maximum change of the force from one sample to the next [N].
    pub largest_jump_n: f64,
    /// Root mean square of the distance from the path while sliding [m]; 0 for a press.
    pub path_rmse_m: f64,
    /// Root mean square of the error of the speed along the path while sliding [m/s]; 0 for a press.
    pub velocity_rmse_m_s: f64,
    /// Maximum angle between the probe's axis and its target in contact [deg].
    pub peak_tilt_deg: f64,
    /// Maximum indentation [m].
    pub peak_indentation_m: f64,
    /// Simulated time [s].
    pub seconds_simulated: f64,
    /// Physics steps per second of wall-clock time, including control and logging.
    pub steps_per_second: f64,
    /// Whether the caller ended the experiment early; the statistics cover the measured part.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// What to know about the result although it may have passed, such as an indentation beyond the limit of the torso.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Summary {
    /// Statistics of a record. Its verdict is "failed" until [`Self::judge`] is called.
    pub fn of(record: &Record, asked: &Goals<'_>, wall_seconds: f64) -> Self {
        let phase = |names: &[&str], index: usize| names.contains(&record.phases[index]);
        let at_work: Vec<_> = record
            .samples
            .iter()
            .filter(|sample| phase(asked.work, sample.phase))
            .collect();
        let touched = at_work.iter().position(|sample| sample.in_contact);
        let from_contact = &at_work[touched.unwrap_or(at_work.len())..];
        // Without contact, the whole work phase counts as error.
        let judged = if touched.is_some() {
            from_contact
        } else {
            &at_work
        };
        let settled = from_contact
            .first()
            .map_or(f64::NEG_INFINITY, |sample| sample.time + SETTLING);
        let forces = || {
            judged
                .iter()
                .filter(|sample| sample.time >= settled)
                .map(|sample| sample.force[2])
        };
        let force = asked.force.unwrap_or(0.0);
        let errors = || forces().map(|measured| measured - force);
        let sliding: Vec<_> = record
            .samples
            .iter()
            .filter(|sample| phase(asked.slide, sample.phase))
            .collect();
        let progress = asked.path.map(|path| PathProgress::of(path, &sliding));
        let n = record.samples.len();
        let jumps = record
            .samples
            .windows(2)
            .map(|pair| (pair[1].force[2] - pair[0].force[2]).abs());
        let pressed = most_pressed(record);
        let duration = record.samples.last().map_or(0.0, |sample| sample.time);
        Self {
            verdict: Verdict::of(vec!["was not judged".to_owned()]),
            organ: None,
            path_asked_m: progress.map(|progress| progress.asked),
            path_covered_m: progress.map(|progress| progress.covered),
            lag_max_m: progress.map(|progress| progress.lag),
            path_error_max_m: progress
                .map(|_| most(sliding.iter().map(|sample| sample.path_error))),
            depth_asked_m: asked.depth,
            depth_limit_m: None,
            mean_force_n: mean(forces()),
            force_mae_n: mean(errors().map(f64::abs)),
            force_rmse_n: mean(errors().map(|e| e * e)).sqrt(),
            force_error_max_n: most(errors().map(f64::abs)),
            contact_ratio: mean(
                from_contact
                    .iter()
                    .map(|sample| f64::from(u8::from(sample.in_contact))),
            ),
            peak_force_n: most(record.samples.iter().map(|sample| sample.force[2])),
            peak_pressure_pa: pressed.map(|pressure| pressure.peak),
            contact_area_m2: pressed.map(|pressure| pressure.contact_area),
            stress: record.stress.as_ref().map(StressRecord::figures),
            largest_jump_n: most(jumps),
            path_rmse_m: mean(sliding.iter().map(|sample| sample.path_error.powi(2))).sqrt(),
            velocity_rmse_m_s: mean(
                sliding
                    .iter()
                    .map(|sample| (along(sample.velocity) - asked.speed).powi(2)),
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
            warnings: Vec::new(),
        }
    }

    /// Judges the statistics by the limits, after the problems of the run itself. `span` names the phases that the watch has observed.
    pub fn judge(
        &mut self,
        limits: &VerdictLimits,
        watch: &RunWatch,
        span: &str,
        problems: &[String],
        asked: &Goals<'_>,
    ) {
        let mut judge = problems.iter().fold(Judge::new(limits), Judge::reason);
        // If the run ended early, its problem is the only reason; statistics of a part would repeat it.
        if problems.is_empty() {
            if let Some(path) = self.path_figures() {
                judge = judge.path(path);
            }
            if let Some(depth) = asked.depth {
                judge = judge.depth(depth, self.peak_indentation_m);
            }
            if let Some(force) = asked.force {
                judge = judge
                    .force(self.force_figures(force))
                    .contact(self.contact_ratio);
            }
            judge = judge.tilt(self.peak_tilt_deg);
            if let Some(pressure) = self.peak_pressure_pa {
                judge = judge.pressure(pressure);
            }
        }
        self.verdict = judge.arm(watch, span).verdict();
    }

    fn path_figures(&self) -> Option<PathFigures> {
        Some(PathFigures {
            asked: self.path_asked_m?,
            covered: self.path_covered_m?,
            lag: self.lag_max_m?,
            error: self.path_error_max_m?,
        })
    }

    fn force_figures(&self, asked: f64) -> ForceFigures {
        ForceFigures {
            asked,
            mean: self.mean_force_n,
            mae: self.force_mae_n,
            worst: self.force_error_max_n,
            peak: self.peak_force_n,
        }
    }
}

/// Progress of a slide along its path, seen from above [m].
#[derive(Clone, Copy, Debug)]
struct PathProgress {
    asked: f64,
    covered: f64,
    lag: f64,
}

impl PathProgress {
    fn of(path: &[[f64; 2]], sliding: &[&Sample]) -> Self {
        let asked = polyline::length(path);
        let along = |place: [f64; 3]| polyline::along(path, [place[0], place[1]]);
        let touching = || {
            let in_contact = sliding.iter().filter(|sample| sample.in_contact);
            in_contact.map(|sample| along(sample.position).clamp(0.0, asked))
        };
        let nearest = touching().fold(f64::INFINITY, f64::min);
        Self {
            asked,
            covered: (most(touching()) - nearest).max(0.0),
            lag: most(
                sliding
                    .iter()
                    .map(|sample| (along(sample.target) - along(sample.position)).abs()),
            ),
        }
    }
}

/// The pressure where its peak is greatest; `None` if it is not known of every sample.
fn most_pressed(record: &Record) -> Option<Pressure> {
    let all: Option<Vec<Pressure>> = record.samples.iter().map(|it| it.pressure).collect();
    all?.into_iter().max_by(|a, b| a.peak.total_cmp(&b.peak))
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

/// The largest value, at least 0; NaN if a value is NaN, so that it exceeds every limit.
fn most(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |most, value| {
        if value.is_nan() || value > most {
            value
        } else {
            most
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SLIDE: Goals<'_> = Goals {
        force: Some(5.0),
        depth: None,
        speed: 0.04,
        path: None,
        work: &["approach", "slide"],
        slide: &["slide"],
    };

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
        let summary = Summary::of(&record, &SLIDE, 2.0);
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
    fn the_pressure_is_that_of_its_peak_and_known_only_if_it_always_is() {
        let sample = |peak: f64, contact_area: f64| Sample {
            pressure: Some(Pressure { peak, contact_area }),
            ..Sample::default()
        };
        let mut record = Record {
            phases: vec!["slide"],
            samples: vec![sample(0.0, 0.0), sample(9e3, 2e-4), sample(8e3, 3e-4)],
            ..Record::default()
        };
        let of = |record: &Record| {
            let summary = Summary::of(record, &SLIDE, 0.0);
            (summary.peak_pressure_pa, summary.contact_area_m2)
        };
        assert_eq!(of(&record), (Some(9e3), Some(2e-4)));
        record.samples.push(Sample::default());
        assert_eq!(of(&record), (None, None));
    }

    #[test]
    fn a_scan_without_contact_misses_the_whole_force() {
        let record = Record {
            phases: vec!["slide"],
            samples: vec![Sample::default(); 3],
            ..Record::default()
        };
        let summary = Summary::of(&record, &SLIDE, 0.0);
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
