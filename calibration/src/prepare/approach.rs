//! Rough contact and free air (before contact or after release), before the surface is found.

use super::{
    axis, bias,
    bias::Air,
    contact::{self, RoughContact},
    drift,
    findings::Findings,
    noise, onset,
    options::PrepareOptions,
    time::Clock,
    track::{SampleRange, Track},
    window::{self, Window},
};
use crate::{CalibrationError, ContactPoint, Log};

/// The log along the normal, with whether it starts in contact and ends in free air.
///
/// Axis and signs follow from the difference to the free air at the beginning. If the log starts in contact but ends
/// in free air, as the second file of a split recording does, they come from the log read backwards.
pub(super) fn oriented(
    log: &Log,
    options: &PrepareOptions,
    findings: &mut Findings,
) -> Result<(Track, bool), CalibrationError> {
    let mut forwards = findings.clone();
    let track = axis::oriented(log, options, &mut forwards)?;
    let settled = track.surface.is_some() || !track.stretches.is_empty() || {
        // A drift of the zero hides the onset of contact.
        let mut level = track.clone();
        drift::removed(&mut level, options.bias, &mut findings.clone());
        matches!(
            contact::rough(&level.force, &level.depth, findings),
            Ok(Some(_))
        )
    };
    if !settled {
        let rows: Vec<usize> = (0..log.len()).rev().collect();
        let mut turned = log.rows(&rows);
        for time in &mut turned.time {
            *time = -*time;
        }
        let mut backwards = findings.clone();
        if let Ok(mut other) = axis::oriented(&turned, options, &mut backwards)
            && other.stretches.is_empty()
            && matches!(
                contact::rough(&other.force, &other.depth, findings),
                Ok(Some(_))
            )
        {
            other.time.clone_from(&log.time);
            other.depth.reverse();
            other.force.reverse();
            if let Some(velocity) = &mut other.velocity {
                velocity.reverse();
            }
            for change in &mut other.changes {
                change.force.reverse();
            }
            *findings = backwards;
            return Ok((other, true));
        }
    }
    *findings = forwards;
    Ok((track, false))
}

/// Contact of a log read backwards; `None` if it does not end in free air.
fn backwards(track: &Track, findings: &Findings) -> Option<RoughContact> {
    let turned = |values: &[f64]| values.iter().rev().copied().collect::<Vec<f64>>();
    contact::rough(&turned(&track.force), &turned(&track.depth), findings)
        .ok()
        .flatten()
}

/// Rough contact and free air, before the surface is found.
pub(super) struct Approach {
    /// Free air for the bias.
    pub(super) air: Air,
    /// Free air after the last release.
    pub(super) after: SampleRange,
    /// From contact to the last release.
    pub(super) pressed: SampleRange,
    /// Whether the log starts in contact and ends in free air.
    pub(super) ends_in_air: bool,
    /// `None` if the surface is known, or the log starts in contact.
    rough: Option<RoughContact>,
    /// Standard deviation of the force in air, if there is any [N].
    noise: Option<f64>,
}

impl Approach {
    pub(super) fn of(
        track: &Track,
        ends_in_air: bool,
        findings: &Findings,
    ) -> Result<Self, CalibrationError> {
        let n = track.depth.len();
        let Some(surface) = track.surface else {
            if ends_in_air && let Some(rough) = backwards(track, findings) {
                return Ok(Self::of_release(&rough, n));
            }
            let found = contact::rough(&track.force, &track.depth, findings)?;
            return Ok(found.map_or_else(|| Self::of_preload(n), Self::of_contact));
        };
        if !track.given {
            contact::check_surface(&track.force, &track.depth, surface, findings)?;
        }
        let inside = |depth: &f64| *depth > surface;
        let start = track.depth.iter().position(inside).ok_or_else(|| {
            findings.refuse(
                "no sample lies below the surface: an indentation grows into the tissue; give it as a position (--columns position=…), whose sense is found",
            )
        })?;
        let end = track
            .depth
            .iter()
            .rposition(inside)
            .map_or(n, |last| last + 1);
        // Keeps noise near the surface out of the air.
        let before = SampleRange {
            start: 0,
            end: start - (start / 10).max(5).min(start),
        };
        let after = SampleRange {
            start: end + (n - end) / 5,
            end: n,
        };
        let air = if before.len() < bias::FEWEST && after.len() >= bias::FEWEST {
            Air::after_release(after)
        } else {
            Air::before_contact(before)
        };
        Ok(Self {
            air,
            after,
            pressed: SampleRange { start, end },
            ends_in_air: false,
            rough: None,
            noise: None,
        })
    }

    /// Creates the approach of a log that starts in free air.
    fn of_contact(rough: RoughContact) -> Self {
        Self {
            air: Air::before_contact(rough.air),
            after: rough.after,
            pressed: rough.pressed,
            ends_in_air: false,
            rough: Some(rough),
            noise: Some(rough.noise),
        }
    }

    /// Creates the approach of a log that starts and ends in contact.
    fn of_preload(n: usize) -> Self {
        Self {
            air: Air::before_contact(SampleRange::default()),
            after: SampleRange::default(),
            pressed: SampleRange { start: 0, end: n },
            ends_in_air: false,
            rough: None,
            noise: None,
        }
    }

    /// Creates the approach of a log of `n` samples that starts in contact and ends in free air, from the contact of
    /// the log read backwards.
    fn of_release(rough: &RoughContact, n: usize) -> Self {
        Self {
            air: Air::after_release(SampleRange {
                start: n - rough.air.end,
                end: n,
            }),
            after: SampleRange::default(),
            pressed: SampleRange {
                start: 0,
                end: n - rough.onset,
            },
            ends_in_air: true,
            rough: None,
            noise: Some(rough.noise),
        }
    }

    pub(super) fn surface(
        &self,
        track: &Track,
        velocity: &[f64],
        position_noise: f64,
        clock: &Clock,
        findings: &mut Findings,
    ) -> Result<(f64, ContactPoint), CalibrationError> {
        match (track.surface, &self.rough) {
            (Some(surface), _) => {
                let how = if track.given {
                    "given by the log"
                } else {
                    "given"
                };
                findings.choose(
                    "contact onset",
                    format!("{:.3} mm along the axis", 1e3 * surface),
                    how,
                );
                Ok((surface, ContactPoint::KNOWN))
            }
            (None, Some(rough)) => {
                onset::found(track, velocity, position_noise, rough, clock, findings)
            }
            (None, None) => {
                findings.choose(
                    "contact onset",
                    "unknown".to_owned(),
                    if self.ends_in_air {
                        "the log starts in contact and ends in free air"
                    } else {
                        "the log starts in contact"
                    },
                );
                if self.ends_in_air {
                    findings.note("the samples in free air after release give the force's bias, and are not fitted");
                }
                findings.note(
                    "the log starts in contact: stiffness and damping are those about its preload, with an offset, and indentation counts from the least of the log; --surface and --bias, or --columns indentation=…, give the rest",
                );
                let pressed = &track.depth[self.pressed.start..self.pressed.end];
                let least = pressed.iter().copied().fold(f64::MAX, f64::min);
                Ok((least, ContactPoint::UNKNOWN))
            }
        }
    }

    /// The samples in the tissue, for a given bias of the force [N].
    pub(super) fn window(
        &self,
        track: &Track,
        surface: f64,
        bias: f64,
        contact: &ContactPoint,
    ) -> Window {
        let force = || -> Vec<f64> { track.force.iter().map(|force| force - bias).collect() };
        if self.ends_in_air {
            let force = force();
            return window::touching(&force, self.threshold(&force));
        }
        if contact.is_unknown() {
            return Window::whole(track.time.len());
        }
        let indentation: Vec<f64> = track.depth.iter().map(|depth| depth - surface).collect();
        if track.given {
            return window::inside(&indentation);
        }
        let force = force();
        window::until_release(&indentation, &force, self.threshold(&force))
    }

    /// Force above which a running mean is significant against the noise [N].
    fn threshold(&self, force: &[f64]) -> f64 {
        let noise = self.noise.unwrap_or_else(|| noise::white_noise(force));
        let largest = force.iter().fold(0.0, |most: f64, value| most.max(*value));
        (1.7 * noise).max(1e-3 * largest)
    }
}
