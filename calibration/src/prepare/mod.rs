//! Preparation of a log: bias, contact, normal, velocity, window. Every choice is reported.
//!
//! The steps, one file each, in order: `around` (the part that a window needs), `sanity`, `time`, `hold`, `strays`,
//! `wrench` (frame of the force, with `weight`), `approach` (with `axis`, `tilt` and `contact`), `saturation`,
//! `drift` (with `slope`), `latency`, `velocity` (with `polynomial`), `bias`, `onset`, `window`, `overview`. For a
//! probe that slides while it presses, `palpation` (with `presses`, `normals` and `baseline`) is used instead.

mod approach;
mod around;
mod axis;
mod baseline;
mod bias;
mod contact;
mod drift;
mod findings;
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

#[expect(
    clippy::too_many_lines,
    reason = "the steps in their order, each one call"
)]
fn part(log: &Log, options: &PrepareOptions) -> Result<LogSegment, CalibrationError> {
    let mut findings = Findings::new(log.name());
    sanity::check(log, &findings)?;
    let (log, clock) = time::ordered(log, &mut findings)?;
    let hold::HeldChannels { log, clock, hold } = hold::at_updates(log, clock, &mut findings);
    let (log, clock) = strays::left_out(log, clock, &mut findings);
    sanity::check(&log, &findings)?;
    let wrench::AlignedLog {
        log,
        changes,
        share,
    } = wrench::in_one_frame(log, options, &mut findings)?;
    let (mut track, ends_in_air) = approach::oriented(&log, options, &mut findings)?;
    drop(log);
    track.add_uncertainty(&changes, share);
    // Must come before any correction of the force, which would separate the samples at the limit.
    let clipped = saturation::clipped(&track, &mut findings)?;
    let drifting = if ends_in_air {
        None
    } else {
        drift::removed(&mut track, options.bias, &mut findings)
    };
    let latency_standard_error =
        latency::taken_back(&mut track, options, clock.interval, hold, &mut findings)?;
    let clock = clock.still_of(&track.time);
    let clipped = saturation::rows(&clipped, &track.time, options.force_latency);
    if !track.stretches.is_empty() {
        let mut palpated = palpated(track, &clock, &clipped, options, findings)?;
        palpated.samples.latency_standard_error = latency_standard_error;
        return Ok(LogSegment {
            log: palpated,
            is_anchored: true,
        });
    }
    let approach = Approach::of(&track, ends_in_air, &findings)?;
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
    let bias = match drifting {
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
        || drifting.is_some()
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
    let Track {
        time,
        depth: mut indentation,
        mut force,
        given,
        changes,
        scales,
        ..
    } = track;
    if surface != 0.0 {
        for depth in &mut indentation {
            *depth -= surface;
        }
    }
    if bias.value != 0.0 {
        for force in &mut force {
            *force -= bias.value;
        }
    }
    let kept = selected(
        &window,
        &time,
        &clipped,
        options.window,
        given,
        &mut findings,
    )?;
    let pick = |values: &[f64]| kept.iter().map(|&row| values[row]).collect::<Vec<f64>>();
    let samples = Samples {
        log: findings.log.clone(),
        time: pick(&time),
        indentation: pick(&indentation),
        velocity: pick(&velocity),
        force: pick(&force),
        velocity_noise,
        contact,
        bias_standard_error: bias.standard_error,
        latency_standard_error,
        longest_latency: 0.0,
        sampling_interval: clock.interval,
        smoothing: smoother.map_or(0, |smoother| smoother.window),
        force_noise,
        presses: Vec::new(),
        changes: Vec::new(),
    };
    let mut samples = samples;
    let in_air = (options.bias == ForceBias::Auto).then_some(approach.air.samples);
    samples.changes = changes
        .into_iter()
        .map(|change| change.about(in_air))
        .map(|change| SampleChange {
            stretch: change.stretch,
            force: pick(&change.force),
        })
        .collect();
    samples.changes.extend(scales.iter().map(|scale| {
        SampleChange {
            stretch: scale.depth,
            force: samples
                .force
                .iter()
                .map(|force| force * scale.force[0])
                .collect(),
        }
    }));
    let log = PreparedLog {
        window: options
            .window
            .unwrap_or([samples.time[0], samples.time[samples.len() - 1]]),
        samples,
        force_bias: bias.value,
        overview: overview::thinned(&time, &indentation, &force),
        choices: findings.choices,
        notes: findings.notes,
    };
    Ok(LogSegment {
        is_anchored: is_anchored && (approach.ends_in_air || !contact.is_unknown()),
        log,
    })
}

/// Smooths depth and force with the filter of the derivative of depth.
fn smooth(track: &mut Track, smoother: Smoother, clock: &Clock) {
    track.depth = smoother.alike(&track.time, &track.depth, clock);
    track.force = smoother.alike(&track.time, &track.force, clock);
}

/// Prepares a log of a probe that slides while it presses, segment by segment.
fn palpated(
    mut track: Track,
    clock: &Clock,
    clipped: &[usize],
    options: &PrepareOptions,
    mut findings: Findings,
) -> Result<PreparedLog, CalibrationError> {
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
    let clipped = &saturation::spread_by(clipped, reach, track.time.len())[..];
    let samples = Samples {
        velocity_noise: noise,
        smoothing: smoother.map_or(0, |smoother| smoother.window),
        force_noise,
        ..palpation::samples(&track, &velocity, clipped, &clock, &mut findings)
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
    time: &[f64],
    clipped: &[usize],
    asked: Option<[f64; 2]>,
    given: bool,
    findings: &mut Findings,
) -> Result<Vec<usize>, CalibrationError> {
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
            (None, _) if given || window.is_whole => "whole log".to_owned(),
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
