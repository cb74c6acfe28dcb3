//! From log to samples: bias, contact, normal, velocity, window. Every choice is stated.
//!
//! The steps, one file each, in order: `sanity`, `time`, `axis` (normal and signs), `latency`, `saturation`, `contact` (rough),
//! `velocity` (by `polynomial`), `bias`, `onset`, `window`, `overview`.

mod axis;
mod bias;
mod contact;
mod latency;
mod noise;
mod onset;
mod overview;
mod polynomial;
mod report;
mod sanity;
mod saturation;
mod time;
mod velocity;
mod window;

use contact::Rough;
use report::Report;
use time::Clock;
use window::Window;

use crate::{CalibrationError, ContactPoint, Log, PreparationChoice, Samples};

/// How to prepare. The defaults are those of the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PrepareOptions {
    /// Force bias.
    pub bias: ForceBias,
    /// Sense of the force.
    pub sign: ForceSign,
    /// Time window to fit [s]; `None`: from contact to release, or all of a log whose indentation is given.
    pub window: Option<[f64; 2]>,
    /// Position of the undeformed surface along the axis of the position [m], for logs of position; `None`: found.
    pub surface: Option<f64>,
    /// Outward surface normal, for 3-D logs; `None`: found from the direction of motion and force.
    pub normal: Option<[f64; 3]>,
    /// Velocity.
    pub velocity: VelocitySource,
    /// How much older the recorded force is than the position beside it [s].
    pub force_latency: f64,
}

/// Force that the sensor shows without contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ForceBias {
    /// Removed if the log has a stretch of free air; otherwise nothing is removed, with a note.
    #[default]
    Auto,
    /// Nothing is removed.
    None,
    /// This is removed [N], after the sign is set.
    Known(f64),
}

/// Sense of the recorded force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForceSign {
    /// Found: force must grow with indentation.
    #[default]
    Auto,
    /// Pressing is recorded positive.
    PressingPositive,
    /// Pressing is recorded negative.
    PressingNegative,
}

/// Where the velocity comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VelocitySource {
    /// The logged one where there is one, otherwise [`Self::Estimated`] with a window chosen by the noise.
    #[default]
    Auto,
    /// Savitzky and Golay 1964: a polynomial of this order over a window of this many samples (odd).
    Estimated {
        /// Window [samples]; 0: chosen by the noise.
        window: usize,
        /// Order of the polynomial.
        order: usize,
    },
}

/// A prepared log.
#[derive(Clone, Debug, PartialEq)]
pub struct PreparedLog {
    /// To be fitted.
    pub samples: Samples,
    /// What was chosen and how, in the order of the work.
    pub choices: Vec<PreparationChoice>,
    /// Force bias removed [N].
    pub force_bias: f64,
    /// First and last time of the window [s].
    pub window: [f64; 2],
    /// The whole log along the normal, for plots: time, indentation and bias-free force, thinned to some thousands.
    pub overview: LogOverview,
    /// What was noticed.
    pub notes: Vec<String>,
}

/// The whole log, thinned; shapes `[n]`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogOverview {
    /// Time [s].
    pub time: Vec<f64>,
    /// Indentation, negative in air [m].
    pub indentation: Vec<f64>,
    /// Bias-free force [N].
    pub force: Vec<f64>,
}

/// A log along one axis, with the force that presses.
#[derive(Debug)]
struct Track {
    time: Vec<f64>,
    /// Coordinate growing into the tissue [m]; the indentation itself where that is given.
    depth: Vec<f64>,
    /// Its logged rate [m/s].
    velocity: Option<Vec<f64>>,
    /// Force, pressing positive, bias not yet removed [N].
    force: Vec<f64>,
    /// Depth of the undeformed surface [m], where known.
    surface: Option<f64>,
    /// Whether `depth` is an indentation that the log gives.
    given: bool,
}

/// Samples from `start` up to, not with, `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Stretch {
    start: usize,
    end: usize,
}

impl Stretch {
    fn len(self) -> usize {
        self.end - self.start
    }
}

/// Prepares a log.
///
/// # Errors
/// [`CalibrationError::Log`] for a log that cannot be calibrated, with the row and what to do;
/// [`CalibrationError::Option`] for an option that does not fit it.
pub fn prepare(log: &Log, options: &PrepareOptions) -> Result<PreparedLog, CalibrationError> {
    let mut report = Report::new(log.name());
    sanity::check(log, &mut report)?;
    let (log, clock) = time::ordered(log, &mut report)?;
    let mut track = axis::oriented(&log, options, &mut report)?;
    drop(log);
    latency::shift(&mut track, options.force_latency, &mut report)?;
    let clock = if track.time.len() == clock.stretches.last().map_or(0, |stretch| stretch.end) {
        clock
    } else {
        Clock::of(&track.time)
    };
    let clipped = saturation::clipped(&track, &mut report)?;
    let approach = Approach::of(&track, &report)?;
    let (velocity, velocity_noise) = velocity::found(
        &mut track,
        &clock,
        approach.pressed,
        options.velocity,
        &mut report,
    )?;
    let bias = bias::found(
        &track.force,
        approach.air,
        approach.after,
        options.bias,
        &mut report,
    )?;
    let (surface, contact) = approach.surface(&track, &velocity, &clock, &mut report)?;

    let Track {
        time,
        depth: mut indentation,
        mut force,
        given,
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
    let window = if given {
        window::inside(&indentation)
    } else {
        window::until_release(&indentation, &force, approach.threshold(&force))
    };
    let kept = selected(&window, &time, &clipped, options.window, given, &mut report)?;
    let pick = |values: &[f64]| {
        kept.iter()
            .map(|&index| values[index])
            .collect::<Vec<f64>>()
    };
    let samples = Samples {
        log: report.log.clone(),
        time: pick(&time),
        indentation: pick(&indentation),
        velocity: pick(&velocity),
        force: pick(&force),
        velocity_noise,
        contact,
        bias_standard_error: bias.standard_error,
        sampling_interval: clock.interval,
    };
    Ok(PreparedLog {
        window: options
            .window
            .unwrap_or([samples.time[0], samples.time[samples.len() - 1]]),
        samples,
        force_bias: bias.value,
        overview: overview::thinned(&time, &indentation, &force),
        choices: report.choices,
        notes: report.notes,
    })
}

/// What is known of contact before the surface is.
struct Approach {
    air: Stretch,
    after: Stretch,
    pressed: Stretch,
    /// `None` where the surface is known.
    rough: Option<Rough>,
}

impl Approach {
    fn of(track: &Track, report: &Report) -> Result<Self, CalibrationError> {
        let Some(surface) = track.surface else {
            let rough = contact::rough(&track.force, &track.depth, report)?;
            return Ok(Self {
                air: rough.air,
                after: rough.after,
                pressed: rough.pressed,
                rough: Some(rough),
            });
        };
        let n = track.depth.len();
        let inside = |depth: &f64| *depth > surface;
        let start = track.depth.iter().position(inside).ok_or_else(|| {
            report.refuse(
                "no sample lies below the surface: check --surface, or the sign of the indentation",
            )
        })?;
        let end = track
            .depth
            .iter()
            .rposition(inside)
            .map_or(n, |last| last + 1);
        // Noise about the surface is kept out of the air.
        let air = start - (start / 10).max(5).min(start);
        Ok(Self {
            air: Stretch { start: 0, end: air },
            after: Stretch {
                start: end + (n - end) / 5,
                end: n,
            },
            pressed: Stretch { start, end },
            rough: None,
        })
    }

    fn surface(
        &self,
        track: &Track,
        velocity: &[f64],
        clock: &Clock,
        report: &mut Report,
    ) -> Result<(f64, ContactPoint), CalibrationError> {
        let known = ContactPoint {
            known: true,
            standard_error: 0.0,
        };
        match (track.surface, &self.rough) {
            (Some(surface), _) => {
                let how = if track.given {
                    "given by the log"
                } else {
                    "given"
                };
                report.choose(
                    "contact onset",
                    format!("{:.3} mm along the axis", 1e3 * surface),
                    how,
                );
                Ok((surface, known))
            }
            (None, Some(rough)) => onset::found(track, velocity, rough, clock, report),
            (None, None) => Ok((0.0, known)),
        }
    }

    /// Force above which a running mean is no noise [N].
    fn threshold(&self, force: &[f64]) -> f64 {
        let noise = self
            .rough
            .map_or_else(|| noise::white_noise(force), |rough| rough.noise);
        let largest = force.iter().fold(0.0, |most: f64, value| most.max(*value));
        (1.7 * noise).max(1e-3 * largest)
    }
}

/// The window's samples inside the times asked for and not clipped; states what was left out.
fn selected(
    window: &Window,
    time: &[f64],
    clipped: &[usize],
    asked: Option<[f64; 2]>,
    given: bool,
    report: &mut Report,
) -> Result<Vec<usize>, CalibrationError> {
    if let Some([from, to]) = asked
        && from.partial_cmp(&to) != Some(std::cmp::Ordering::Less)
    {
        return Err(CalibrationError::Option {
            option: "--window",
            problem: format!("{from} to {to} s; the end must be after the start"),
        });
    }
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
        return Err(report.refuse(format!(
            "only {} samples lie in the tissue{}; at least {} are needed: record at a higher rate or press longer",
            kept.len(),
            if asked.is_some() { " inside --window" } else { "" },
            sanity::FEWEST
        )));
    }
    let (first, last) = (time[kept[0]], time[kept[kept.len() - 1]]);
    report.choose(
        "window",
        format!("{first:.4} to {last:.4} s, {} samples", kept.len()),
        match (asked, window.n_presses) {
            (Some(_), _) => "given".to_owned(),
            (None, _) if given => "whole log".to_owned(),
            (None, 1) => "from contact to release".to_owned(),
            (None, n) => format!("{n} presses, the air between them left out"),
        },
    );
    if window.n_released > 0 {
        report.note(format!(
            "{} samples below the surface were left out, because the tissue had lost the probe on its way back",
            window.n_released
        ));
    }
    Ok(kept)
}
