//! Preparation of a log: bias, contact, normal, velocity, window. Every choice is reported.
//!
//! The steps, one file each, in order: `around` (the part that a window needs), `sanity`, `time`, `hold`, `strays`,
//! `wrench` (frame of the force, with `weight`), `approach` (with `axis`, `directions`, `tilt`, `force_change` and
//! `contact`), `saturation`, `drift` (with `slope`), `latency`, `velocity` (with `polynomial`), `bias`, `onset`,
//! `window`, `overview`. For a probe that slides while it presses, `palpation` (with `presses`, `normals` and
//! `baseline`) is used instead.

mod approach;
mod around;
mod axis;
mod baseline;
mod bias;
mod contact;
mod directions;
mod drift;
mod findings;
mod force_change;
mod hold;
mod latency;
mod noise;
mod normals;
mod onset;
mod options;
mod overview;
mod palpation;
mod polynomial;
mod presses;
mod sanity;
mod saturation;
mod slope;
mod strays;
mod tilt;
mod time;
mod track;
mod values;
mod velocity;
mod weight;
mod window;
mod wrench;

pub(crate) use noise::white_noise;
pub use options::{ForceBias, ForceFrame, ForceLatency, ForceSign, PrepareOptions, VelocitySource};

use approach::Approach;
use bias::BiasEstimate;
use findings::Findings;
use polynomial::Smoother;
use time::Clock;
use track::{SampleRange, Track};
use window::Window;

use crate::{CalibrationError, Log, PreparationChoice, SampleChange, Samples};

/// A prepared log.
#[derive(Clone, Debug, PartialEq)]
pub struct PreparedLog {
    /// Samples for the fit.
    pub samples: Samples,
    /// Choices and how they were made, in order of execution.
    pub choices: Vec<PreparationChoice>,
    /// Removed force bias [N].
    pub force_bias: f64,
    /// First and last time of the window [s].
    pub window: [f64; 2],
    /// The whole log along the normal, for plots: time, indentation and bias-free force, thinned to a few thousand
    /// points.
    pub overview: LogOverview,
    /// Notes.
    pub notes: Vec<String>,
}

/// The whole log, thinned; vectors have shape `[n]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogOverview {
    /// Time [s].
    pub time: Vec<f64>,
    /// Indentation, negative in air [m].
    pub indentation: Vec<f64>,
    /// Bias-free force [N].
    pub force: Vec<f64>,
}

/// Prepares a log.
///
/// # Errors
/// [`CalibrationError::Log`] for a log that cannot be calibrated, with the row and what to do;
/// [`CalibrationError::Option`] for an option that does not fit the log.
pub fn prepare(log: &Log, options: &PrepareOptions) -> Result<PreparedLog, CalibrationError> {
    match options.window {
        Some(window) => around::prepared(log, window, options),
        None => Ok(part(log, options)?.log),
    }
}

/// A part of a log, prepared separately.
struct LogSegment {
    log: PreparedLog,
    /// Whether the force without contact and, if there is one, the surface were given or found in the samples.
    is_anchored: bool,
}

fn part(log: &Log, options: &PrepareOptions) -> Result<LogSegment, CalibrationError> {
    let mut findings = Findings::new(log.name());
    let oriented = OrientedLog::of(log, options, &mut findings)?;
    if oriented.track.stretches.is_empty() {
        pressed(oriented, options, findings)
    } else {
        Ok(LogSegment {
            log: palpated(oriented, options, findings)?,
            is_anchored: true,
        })
    }
}

/// A log along the normal, with the corrections that do not depend on where contact begins.
struct OrientedLog {
    track: Track,
    /// Whether the log starts in contact and ends in free air.
    ends_in_air: bool,
    clock: Clock,
    /// Samples at the limit of the force sensor.
    clipped: Vec<usize>,
    /// Bias in the middle of contact, if a drift was removed.
    drift_bias: Option<BiasEstimate>,
    /// Standard error of the force's latency [s].
    latency_standard_error: f64,
}

impl OrientedLog {
    fn of(
        log: &Log,
        options: &PrepareOptions,
        findings: &mut Findings,
    ) -> Result<Self, CalibrationError> {
        sanity::check(log, findings)?;
        let (log, clock) = time::ordered(log, findings)?;
        let hold::HeldChannels { log, clock, hold } = hold::at_updates(log, clock, findings);
        let (log, clock) = strays::left_out(log, clock, findings);
        sanity::check(&log, findings)?;
        let wrench::AlignedLog {
            log,
            changes,
            share,
        } = wrench::in_one_frame(log, options, findings)?;
        let (mut track, ends_in_air) = approach::oriented(&log, options, findings)?;
        drop(log);
        track.add_uncertainty(&changes, share);
        // Must come before any correction of the force, which would separate the samples at the limit.
        let clipped = saturation::clipped(&track, findings)?;
        let drift_bias = if ends_in_air {
            None
        } else {
            drift::removed(&mut track, options.bias, findings)
        };
        let latency_standard_error =
            latency::taken_back(&mut track, options, clock.interval, hold, findings)?;
        Ok(Self {
            clock: clock.still_of(&track.time),
            clipped: saturation::rows(&clipped, &track.time, options.force_latency),
            track,
            ends_in_air,
            drift_bias,
            latency_standard_error,
        })
    }
}

/// Prepares a log of a probe that presses in one place: velocity, bias, surface, window.
fn pressed(
    oriented: OrientedLog,
    options: &PrepareOptions,
    mut findings: Findings,
) -> Result<LogSegment, CalibrationError> {
    let OrientedLog {
        mut track,
        clock,
        clipped,
        drift_bias,
        ..
    } = oriented;
    let approach = Approach::of(&track, oriented.ends_in_air, &findings)?;
    let velocity::VelocityEstimate {
        velocity,
        noise: velocity_noise,
        smoother,
        position_noise,
    } = velocity::found(
        &mut track,
        &clock,
        approach.pressed,
        options.velocity,
        &mut findings,
    )?;
    let bias = match drift_bias {
        Some(bias) => bias,
        None => bias::found(
            &track.force,
            &approach.air,
            approach.after,
            options.bias,
            &mut findings,
        )?,
    };
    let is_anchored = options.bias != ForceBias::Auto
        || drift_bias.is_some()
        || approach.air.samples.len() >= bias::FEWEST;
    let (surface, contact) =
        approach.surface(&track, &velocity, position_noise, &clock, &mut findings)?;

    let mut window = approach.window(&track, surface, bias.value, &contact);
    let mut force_noise = 0.0;
    let smoother = smoother.filter(|smoother| window.erode(smoother.window / 2, track.time.len()));
    if let Some(smoother) = smoother {
        force_noise = noise::white_noise(&track.force);
        smooth(&mut track, smoother, &clock);
    }
    let reach = smoother.map_or(0, |smoother| smoother.window / 2);
    let clipped = saturation::spread_by(&clipped, reach, track.time.len());
    track.count_from(surface, bias.value);
    let kept = selected(&window, &track, &clipped, options.window, &mut findings)?;
    let in_air = (options.bias == ForceBias::Auto).then_some(approach.air.samples);
    let samples = Samples {
        velocity: kept.iter().map(|&row| velocity[row]).collect(),
        velocity_noise,
        contact,
        bias_standard_error: bias.standard_error,
        latency_standard_error: oriented.latency_standard_error,
        sampling_interval: clock.interval,
        smoothing: smoother.map_or(0, |smoother| smoother.window),
        force_noise,
        ..samples_of(&track, &kept, in_air, &findings)
    };
    let log = PreparedLog {
        window: options
            .window
            .unwrap_or([samples.time[0], samples.time[samples.len() - 1]]),
        samples,
        force_bias: bias.value,
        overview: overview::thinned(&track.time, &track.depth, &track.force),
        choices: findings.choices,
        notes: findings.notes,
    };
    Ok(LogSegment {
        is_anchored: is_anchored && (approach.ends_in_air || !contact.is_unknown()),
        log,
    })
}

/// Time, indentation and force of the kept rows, with their changes; `in_air` are the samples of an estimated bias.
fn samples_of(
    track: &Track,
    kept: &[usize],
    in_air: Option<SampleRange>,
    findings: &Findings,
) -> Samples {
    let pick = |values: &[f64]| kept.iter().map(|&row| values[row]).collect::<Vec<f64>>();
    let force = pick(&track.force);
    let changes = track.changes.iter().map(|change| {
        let change = change.clone().about(in_air);
        SampleChange {
            stretch: change.stretch,
            force: pick(&change.force),
        }
    });
    let scales = track.scales.iter().map(|scale| SampleChange {
        stretch: scale.depth,
        force: force.iter().map(|force| force * scale.force[0]).collect(),
    });
    Samples {
        log: findings.log.clone(),
        time: pick(&track.time),
        indentation: pick(&track.depth),
        changes: changes.chain(scales).collect(),
        force,
        ..Samples::default()
    }
}

/// Smooths depth and force with the filter of the derivative of depth.
fn smooth(track: &mut Track, smoother: Smoother, clock: &Clock) {
    track.depth = smoother.alike(&track.time, &track.depth, clock);
    track.force = smoother.alike(&track.time, &track.force, clock);
}

/// Prepares a log of a probe that slides while it presses, segment by segment.
fn palpated(
    oriented: OrientedLog,
    options: &PrepareOptions,
    mut findings: Findings,
) -> Result<PreparedLog, CalibrationError> {
    let OrientedLog {
        mut track,
        clock,
        clipped,
        latency_standard_error,
        ..
    } = oriented;
    let clock = clock.cut(&track.ranges(), track.time.len());
    let all = SampleRange {
        start: 0,
        end: track.time.len(),
    };
    let velocity::VelocityEstimate {
        velocity,
        noise,
        smoother,
        ..
    } = velocity::found(&mut track, &clock, all, options.velocity, &mut findings)?;
    let force_noise = noise::white_noise(&track.force);
    if let Some(smoother) = smoother {
        smooth(&mut track, smoother, &clock);
    }
    let reach = smoother.map_or(0, |smoother| smoother.window / 2);
    let clipped = saturation::spread_by(&clipped, reach, track.time.len());
    let samples = Samples {
        velocity_noise: noise,
        smoothing: smoother.map_or(0, |smoother| smoother.window),
        force_noise,
        latency_standard_error,
        ..palpation::samples(&track, &velocity, &clipped, &clock, &mut findings)
    };
    if samples.presses.len() < 3 {
        return Err(findings.refuse("too few stretches of the palpation keep contact: press deeper, or cut one out by --window"));
    }
    findings.choose(
        "window",
        format!(
            "{} stretches, {} samples",
            samples.presses.len(),
            samples.len()
        ),
        "presses of about the same length and force, air and the way there left out",
    );
    Ok(PreparedLog {
        window: [samples.time[0], samples.time[samples.len() - 1]],
        force_bias: 0.0,
        overview: overview::thinned(&samples.time, &samples.indentation, &samples.force),
        samples,
        choices: findings.choices,
        notes: findings.notes,
    })
}

/// The samples inside the requested times that are not clipped; reports what was left out.
fn selected(
    window: &Window,
    track: &Track,
    clipped: &[usize],
    asked: Option<[f64; 2]>,
    findings: &mut Findings,
) -> Result<Vec<usize>, CalibrationError> {
    let time = &track.time;
    let mut clipped = clipped.iter().peekable();
    let kept: Vec<usize> = window
        .kept
        .iter()
        .copied()
        .filter(|index| {
            while clipped.next_if(|skip| *skip < index).is_some() {}
            let asked = asked.is_none_or(|[from, to]| (from..=to).contains(&time[*index]));
            asked && clipped.peek() != Some(&index)
        })
        .collect();
    if kept.len() < sanity::FEWEST {
        return Err(findings.refuse(format!(
            "the number of samples in the tissue{1} is {0}; it must be at least {2}: record at a higher rate or press longer",
            kept.len(),
            if asked.is_some() { " inside --window" } else { "" },
            sanity::FEWEST
        )));
    }
    let (first, last) = (time[kept[0]], time[kept[kept.len() - 1]]);
    findings.choose(
        "window",
        format!("{first:.4} to {last:.4} s, {} samples", kept.len()),
        match (asked, window.n_presses) {
            (Some(_), _) => "given".to_owned(),
            (None, _) if track.given || window.is_whole => "whole log".to_owned(),
            (None, 1) => "from contact to release".to_owned(),
            (None, n) => format!("{n} presses, the air between them left out"),
        },
    );
    if window.n_released > 0 {
        findings.note(format!(
            "{} samples below the surface were left out, because the tissue had lost the probe on its way back",
            window.n_released
        ));
    }
    Ok(kept)
}
