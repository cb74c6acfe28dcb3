//! The insertion.

use insonate_needle::Report;
use insonate_settings::SettingError;
use insonate_sim::needle::{Insertion, RESISTANCE, TetPoint};
use nalgebra::Vector3;
use serde::Serialize;

use super::film::{NeedleFilm, NeedleFrame};
use super::holder::{Felt, Holder, ends_early};
use super::plan::{NeedlePlan, START};
use super::record::{NeedleRecord, NeedleSample};
use crate::{ExperimentError, Progress};

/// Travel of the needle between samples [m].
const SAMPLE: f64 = 2.5e-4;

/// Time for which the hand holds the needle at the end, until the tissue rests [s].
const HOLD: f64 = 0.5;

/// Result of an insertion. All numbers are simulated.
#[derive(Debug, Clone, Serialize)]
pub struct NeedleSummary {
    /// Always true: no number here was measured on tissue.
    pub simulated: bool,
    /// Gauge of the needle.
    pub gauge: u32,
    /// Outer diameter [m].
    pub outer_diameter_m: f64,
    /// Bending stiffness EI [N·m²].
    pub bending_stiffness_n_m2: f64,
    /// Target at rest [m].
    pub target_m: [f64; 3],
    /// Where the straight way passes the skin [m].
    pub entry_m: [f64; 3],
    /// Length of the straight way from skin to target [m].
    pub planned_depth_m: f64,
    /// Robot that holds the needle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robot: Option<String>,
    /// Greatest force along the needle that its sensor read [N].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_sensor_force_n: Option<f64>,
    /// Greatest force along the needle [N].
    pub peak_axial_force_n: f64,
    /// Force along the needle at the end [N].
    pub axial_force_n: f64,
    /// Part of the tip at the end [N].
    pub tip_force_n: f64,
    /// Force over depth in the second half of the insertion, by least squares [N/mm].
    pub slope_n_per_mm: f64,
    /// Greatest lateral force between shaft and tissue [N].
    pub peak_lateral_force_n: f64,
    /// Surfaces that the tip has broken.
    pub n_punctures: u32,
    /// Length of needle in the tissue at the end [m].
    pub inserted_length_m: f64,
    /// Greatest displacement of the target [mm].
    pub peak_target_displacement_mm: f64,
    /// Displacement of the target at the end [mm].
    pub target_displacement_mm: f64,
    /// Distance of the tip from the displaced target at the end [mm].
    pub tip_error_mm: f64,
    /// Its part along the needle, positive if the tip is too deep [mm].
    pub tip_error_axial_mm: f64,
    /// Its part across the needle [mm].
    pub tip_error_lateral_mm: f64,
    /// Distance of the tip from the place of the target at rest [mm].
    pub tip_error_at_rest_mm: f64,
    /// How far the needle's bending moved its tip [mm].
    pub tip_deflection_mm: f64,
    /// Source of the forces of cutting and friction.
    pub resistance_source: &'static str,
    /// Layers from the skin down.
    pub layers: Vec<LayerSummary>,
    /// Number of tetrahedra.
    pub n_tetrahedra: usize,
    /// Length of a substep [s].
    pub substep_s: f64,
    /// Simulated time [s].
    pub time_s: f64,
    /// Reason if the insertion ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_early: Option<String>,
    /// Whether the caller interrupted the insertion.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
}

/// A layer, and the force in it.
#[derive(Debug, Clone, Serialize)]
pub struct LayerSummary {
    /// Name.
    pub name: String,
    /// Depth below the skin at which it begins [m].
    pub begins_m: f64,
    /// Young's modulus [Pa].
    pub young_modulus_pa: f64,
    /// Source of the modulus.
    pub source: &'static str,
    /// Force that breaks its surface [N].
    pub puncture_force_n: f64,
    /// Force of the tip while it cuts [N].
    pub cutting_force_n: f64,
    /// Friction per length [N/m].
    pub friction_n_per_m: f64,
    /// Friction at the end [N].
    pub friction_n: f64,
}

/// Sums since the last sample.
#[derive(Default)]
struct Means {
    n: usize,
    axial: f64,
    press: f64,
    cutting: f64,
    lateral: f64,
    friction: Vec<f64>,
    /// Steps of the robot, and the sum of what its sensor read.
    n_felt: usize,
    sensor: Option<f64>,
    /// Depth at the end.
    depth: f64,
}

impl Means {
    fn add(&mut self, report: &Report) {
        self.n += 1;
        self.axial += report.axial_force;
        self.lateral += report.lateral_force;
        if report.is_pressing {
            self.press += report.tip_force;
        } else {
            self.cutting += report.tip_force;
        }
        self.friction.resize(report.friction.len(), 0.0);
        for (sum, value) in self.friction.iter_mut().zip(&report.friction) {
            *sum += value;
        }
    }

    fn feel(&mut self, felt: &Felt) {
        self.n_felt += 1;
        self.depth = felt.depth;
        if let Some(force) = felt.sensor_force {
            *self.sensor.get_or_insert(0.0) += force;
        }
    }

    /// The sample; sums start again.
    fn sample(&mut self, time: f64, report: &Report, target: Vector3<f64>) -> NeedleSample {
        let n = self.n.max(1) as f64;
        let sums = std::mem::take(self);
        NeedleSample {
            time,
            depth: sums.depth,
            sensor_force: sums.sensor.map(|sum| sum / sums.n_felt.max(1) as f64),
            axial_force: sums.axial / n,
            press_force: sums.press / n,
            cutting_force: sums.cutting / n,
            lateral_force: sums.lateral / n,
            friction: sums.friction.iter().map(|sum| sum / n).collect(),
            inserted_length: report.inserted_length,
            tip: report.tip,
            target,
        }
    }
}

/// How a run ended.
#[derive(Default)]
struct End {
    early: Option<String>,
    interrupted: bool,
}

/// Inserts a needle. `progress` is called after each sample with the share that is done. The film has about `n_frames` frames.
///
/// # Errors
/// [`ExperimentError`] for a plan that is refused, or a robot that does not reach the needle's way. A needle that cannot go on ends the
/// insertion early.
pub fn insert_needle(
    plan: &NeedlePlan,
    n_frames: usize,
    progress: Progress<'_>,
) -> Result<(NeedleSummary, NeedleRecord, NeedleFilm), ExperimentError> {
    plan.check()?;
    let mut holder = Holder::new(plan)?;
    let outside = || SettingError::new("target", format!("{:?}", plan.target), "in the body");
    let target = holder.insertion().body().embed_at_rest(plan.target());
    let target = target.ok_or_else(outside)?;
    let layers = plan.layers.iter();
    let mut record = NeedleRecord {
        layers: layers.map(|layer| layer.preset.name.to_owned()).collect(),
        samples: Vec::new(),
    };
    let mut film = NeedleFilm::new(plan, holder.insertion().body());
    let mut end = End::default();
    let interval = holder.interval();
    let travel = START + plan.depth();
    let n_moving = (travel / (plan.speed * interval)).ceil().max(1.0) as usize;
    let n_steps = n_moving + (HOLD / interval).ceil() as usize;
    let every = ((SAMPLE / (plan.speed * interval)).round() as usize).clamp(1, n_steps);
    let per_frame = (n_steps / every / n_frames.max(2)).max(1);
    let mut means = Means::default();
    for step in 1..=n_steps {
        let share = step.min(n_moving) as f64 / n_moving as f64;
        let depth = travel * share - START;
        let speed = if step < n_moving { plan.speed } else { 0.0 };
        match holder.step(plan, depth, speed, |report| means.add(report)) {
            Ok(felt) => means.feel(&felt),
            Err(error) if ends_early(&error) => {
                end.early = Some(format!(
                    "{error} (the tip was {:.1} mm on its way)",
                    1e3 * depth
                ));
                break;
            }
            Err(error) => return Err(error),
        }
        if !step.is_multiple_of(every) && step != n_steps {
            continue;
        }
        let insertion = holder.insertion();
        let report = insertion.report();
        let place = insertion.body().place(&target);
        record
            .samples
            .push(means.sample(insertion.time(), &report, place));
        if record.samples.len().is_multiple_of(per_frame) || step == n_steps {
            film.add(NeedleFrame::of(insertion, record.samples.len()));
        }
        if progress(step as f64 / n_steps as f64).is_break() {
            end.interrupted = true;
            break;
        }
    }
    let insertion = holder.insertion();
    if end.early.is_none() && !end.interrupted && insertion.report().inserted_length <= 0.0 {
        end.early = Some("the needle dented the skin and did not break it".to_owned());
    }
    film.finish(&record);
    let summary = summary(plan, insertion, &record, &target, end);
    Ok((summary, record, film))
}

fn summary(
    plan: &NeedlePlan,
    insertion: &Insertion,
    record: &NeedleRecord,
    target: &TetPoint,
    end: End,
) -> NeedleSummary {
    let report = insertion.report();
    let samples = &record.samples;
    let greatest = |of: &dyn Fn(&NeedleSample) -> f64| samples.iter().map(of).fold(0.0, f64::max);
    let last = samples.last();
    let aim = plan.target();
    let place = insertion.body().place(target);
    let miss = report.tip - place;
    let axial = miss.dot(&plan.direction());
    let config = plan.needle();
    let straight = insertion.needle().base() * nalgebra::Point3::new(0.0, 0.0, config.length);
    NeedleSummary {
        simulated: true,
        gauge: plan.gauge.number(),
        outer_diameter_m: config.outer_diameter,
        bending_stiffness_n_m2: config.bending_stiffness(),
        target_m: plan.target,
        entry_m: plan.entry().into(),
        planned_depth_m: plan.depth(),
        robot: plan.robot.clone(),
        peak_sensor_force_n: samples
            .iter()
            .filter_map(|s| s.sensor_force)
            .reduce(f64::max),
        peak_axial_force_n: greatest(&|s| s.axial_force),
        axial_force_n: last.map_or(0.0, |s| s.axial_force),
        tip_force_n: last.map_or(0.0, |s| s.press_force + s.cutting_force),
        slope_n_per_mm: slope(samples, plan.depth()),
        peak_lateral_force_n: greatest(&|s| s.lateral_force),
        n_punctures: report.n_punctures,
        inserted_length_m: report.inserted_length,
        peak_target_displacement_mm: 1e3 * greatest(&|s| (s.target - aim).norm()),
        target_displacement_mm: 1e3 * (place - aim).norm(),
        tip_error_mm: 1e3 * miss.norm(),
        tip_error_axial_mm: 1e3 * axial,
        tip_error_lateral_mm: 1e3 * (miss - axial * plan.direction()).norm(),
        tip_error_at_rest_mm: 1e3 * (report.tip - aim).norm(),
        tip_deflection_mm: 1e3 * (report.tip - straight.coords).norm(),
        resistance_source: RESISTANCE,
        layers: layer_summaries(plan, last),
        n_tetrahedra: insertion.body().tets().len(),
        substep_s: insertion.body().substep(),
        time_s: insertion.time(),
        ended_early: end.early,
        interrupted: end.interrupted,
    }
}

fn layer_summaries(plan: &NeedlePlan, last: Option<&NeedleSample>) -> Vec<LayerSummary> {
    let block = plan.block();
    let mut begins = 0.0;
    let layers = plan.layers.iter().zip(&block.layers).enumerate();
    let layers = layers.map(|(index, (planned, layer))| {
        let from = begins;
        begins += planned.thickness;
        let friction = last.and_then(|s| s.friction.get(index).copied());
        LayerSummary {
            name: planned.preset.name.to_owned(),
            begins_m: from,
            young_modulus_pa: planned.preset.young_modulus,
            source: planned.preset.source,
            puncture_force_n: layer.resistance.puncture_force,
            cutting_force_n: layer.resistance.cutting_force(plan.needle().outer_diameter),
            friction_n_per_m: layer.resistance.friction,
            friction_n: friction.unwrap_or(0.0),
        }
    });
    layers.collect()
}

/// Slope of the force over depth between half of a depth [m] and all of it, by least squares [N/mm]; 0 without two samples there.
fn slope(samples: &[NeedleSample], depth: f64) -> f64 {
    let part = samples
        .iter()
        .filter(|s| s.depth >= 0.5 * depth && s.depth < depth);
    let points: Vec<[f64; 2]> = part.map(|s| [1e3 * s.depth, s.axial_force]).collect();
    let n = points.len() as f64;
    let mean = |axis: usize| points.iter().map(|point| point[axis]).sum::<f64>() / n;
    let [x, y] = [0, 1].map(mean);
    let products = points.iter().map(|p| (p[0] - x) * (p[1] - y));
    let squares: f64 = points.iter().map(|p| (p[0] - x).powi(2)).sum();
    if points.len() < 2 || squares <= 0.0 {
        return 0.0;
    }
    products.sum::<f64>() / squares
}
