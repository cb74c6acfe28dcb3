//! Velocity of the indentation: the logged one, checked against the derivative of the position, or that derivative.

use super::{
    directions::correlation,
    findings::Findings,
    noise::scale,
    options::VelocitySource,
    polynomial::{HIGHEST, Smoother},
    time::Clock,
    track::{SampleRange, Track},
};
use crate::CalibrationError;

/// Default order of the polynomial: quartic, so that peaks of the velocity keep their height.
const ORDER: usize = 4;
/// Maximum share of the velocity's variance that noise, or the smoothing error, may have.
const SHARE: f64 = 0.005;
/// Maximum length of a selected window [samples].
const LONGEST: usize = 201;
/// Maximum number of samples on which windows are compared.
const COMPARED: usize = 20_000;
/// Number of blocks of these samples.
const BLOCKS: usize = 20;
/// Relative difference between logged velocity and derivative that is noted.
const NOTED: f64 = 0.03;

/// Noise of the position, as a share of the depth's variance, above which the depth is smoothed too: the noise
/// reduces the stiffness by the same share.
const BLURRED: f64 = 1e-5;

/// A velocity.
pub(super) struct VelocityEstimate {
    /// Velocity of each sample [m/s].
    pub(super) velocity: Vec<f64>,
    /// Standard deviation of its noise [m/s].
    pub(super) noise: f64,
    /// Smoother for depth and force, if the noise of the depth matters. `None` with a logged velocity: that log is
    /// used as it is.
    pub(super) smoother: Option<Smoother>,
    /// Standard deviation of the position's noise [m].
    pub(super) position_noise: f64,
}

/// Velocity and its noise.
pub(super) fn found(
    track: &mut Track,
    clock: &Clock,
    contact: SampleRange,
    source: VelocitySource,
    findings: &mut Findings,
) -> Result<VelocityEstimate, CalibrationError> {
    let (window, order) = match source {
        VelocitySource::Auto => (0, ORDER),
        VelocitySource::Estimated { window, order } => (window, order),
    };
    check(window, order, track.time.len())?;
    let logged = track.velocity.take();
    let tried = WindowTrial::of(&track.time, &track.depth, clock, contact);
    let (smoother, how) = if window == 0 {
        tried.shortest_window(order, findings)
    } else {
        (Smoother { window, order }, "given".to_owned())
    };
    if source == VelocitySource::Auto
        && let Some(mut logged) = logged
        && tried.agrees(&mut logged, smoother, findings)
    {
        let noise = tried.noise_of(&logged);
        findings.choose(
            "velocity",
            format!("logged, noise {:.3} mm/s", 1e3 * noise),
            "as recorded",
        );
        return Ok(VelocityEstimate {
            velocity: logged,
            noise,
            smoother: None,
            position_noise: tried.noise,
        });
    }
    let noise = tried.noise * smoother.noise_gain().sqrt() / clock.interval;
    findings.choose(
        "velocity",
        format!(
            "Savitzky–Golay, order {}, window {} samples ({:.1} ms), noise {:.3} mm/s",
            smoother.order,
            smoother.window,
            1e3 * (smoother.window - 1) as f64 * clock.interval,
            1e3 * noise
        ),
        how,
    );
    let blurs = tried.blurs(smoother, findings);
    Ok(VelocityEstimate {
        position_noise: tried.noise,
        velocity: smoother.derivative(&track.time, &track.depth, clock),
        noise,
        smoother: blurs,
    })
}

fn check(window: usize, order: usize, n: usize) -> Result<(), CalibrationError> {
    let problem = if !(1..=HIGHEST).contains(&order) {
        format!("the order is {order}; it must be between 1 and {HIGHEST}")
    } else if window > 0 && (window.is_multiple_of(2) || window <= order || window > n) {
        format!(
            "the window is {window} samples; it must be odd, above the order {order}, and at most the log's {n} samples"
        )
    } else {
        return Ok(());
    };
    Err(CalibrationError::option("--velocity", problem))
}

/// Blocks of the log in contact for the comparison of windows.
struct WindowTrial<'a> {
    time: &'a [f64],
    depth: &'a [f64],
    blocks: Vec<SampleRange>,
    interval: f64,
    even: bool,
    /// Standard deviation of the position's noise [m].
    noise: f64,
}

impl<'a> WindowTrial<'a> {
    fn of(time: &'a [f64], depth: &'a [f64], clock: &Clock, contact: SampleRange) -> Self {
        let mut blocks = Vec::new();
        let each = (COMPARED / BLOCKS).max(1);
        for stretch in &clock.stretches {
            let (start, end) = (
                stretch.start.max(contact.start),
                stretch.end.min(contact.end),
            );
            let n_blocks = (end.saturating_sub(start)).div_ceil(each);
            // Of a long segment every k-th block, so that the whole segment is covered.
            let stride = n_blocks.div_ceil(BLOCKS).max(1);
            blocks.extend((0..n_blocks).step_by(stride).map(|block| SampleRange {
                start: start + block * each,
                end: (start + (block + 1) * each).min(end),
            }));
        }
        let mut tried = Self {
            time,
            depth,
            blocks,
            interval: clock.interval,
            even: clock.even,
            noise: 0.0,
        };
        tried.noise = tried.noise_about(depth);
        tried
    }

    /// Derivative in the middle of every block, away from its ends: index and value.
    fn derivative(&self, smoother: Smoother) -> Vec<(usize, f64)> {
        let half = smoother.window / 2;
        let mut found = Vec::new();
        let mut slopes = Vec::new();
        for block in &self.blocks {
            if block.len() <= smoother.window {
                continue;
            }
            let range = block.start..block.end;
            slopes.clear();
            slopes.resize(block.len(), 0.0);
            smoother.stretch(
                &self.time[range.clone()],
                &self.depth[range],
                self.even,
                &mut slopes,
            );
            let inside = half..block.len() - half;
            found.extend(inside.map(|index| (block.start + index, slopes[index])));
        }
        found
    }

    /// Noise of values on these blocks: robust scale of the residuals of a quartic through 7 samples.
    fn noise_about(&self, values: &[f64]) -> f64 {
        const LOCAL: Smoother = Smoother {
            window: 7,
            order: 4,
        };
        // Weight of its own sample in the fitted value, for even sampling (Savitzky and Golay 1964, table I).
        const OWN: f64 = 131.0 / 231.0;
        let mut residuals = Vec::new();
        for block in &self.blocks {
            if block.len() <= LOCAL.window {
                continue;
            }
            let range = block.start..block.end;
            let (time, values) = (&self.time[range.clone()], &values[range]);
            let inside = 3..block.len() - 3;
            residuals
                .extend(inside.map(|index| values[index] - LOCAL.at(time, values, index).value));
        }
        scale(&residuals) / (1.0_f64 - OWN).sqrt()
    }

    /// The smoother, if the depth needs it.
    fn blurs(&self, smoother: Smoother, findings: &mut Findings) -> Option<Smoother> {
        let depths: Vec<(usize, f64)> = self
            .blocks
            .iter()
            .flat_map(|block| (block.start..block.end).map(|index| (index, self.depth[index])))
            .collect();
        let share = self.noise.powi(2) / variance(&depths).max(f64::MIN_POSITIVE);
        if share < BLURRED {
            return None;
        }
        findings.choose(
            "position and force",
            format!("smoothed, noise {:.1} µm", 1e6 * self.noise),
            "as the velocity's polynomial does: what smoothing takes from the one it takes from the other",
        );
        Some(smoother)
    }

    fn noise_of(&self, logged: &[f64]) -> f64 {
        self.noise_about(logged)
    }

    /// The shortest window with small noise relative to the velocity, or the longest one that does not smooth out the
    /// motion.
    fn shortest_window(&self, order: usize, findings: &mut Findings) -> (Smoother, String) {
        let shortest = (order + 2) | 1;
        let longest = LONGEST.min(
            self.blocks
                .iter()
                .map(|block| block.len())
                .max()
                .unwrap_or(0),
        );
        let mut smoother = Smoother {
            window: shortest,
            order,
        };
        let mut window = shortest;
        while window <= longest {
            let candidate = Smoother { window, order };
            let derivative = self.derivative(candidate);
            if derivative.is_empty() {
                break;
            }
            let noise = (self.noise / self.interval).powi(2) * candidate.noise_gain();
            let total = variance(&derivative);
            if self.smoothed_away(candidate, &derivative) > SHARE * total {
                findings.note(format!(
                    "a window above {} samples would smooth the fastest motion away; noise of the position ({:.1} µm) leaves more than {} % of the velocity's variance",
                    smoother.window,
                    1e6 * self.noise,
                    100.0 * SHARE
                ));
                return (smoother, "longest window that keeps the motion".to_owned());
            }
            smoother = candidate;
            if noise < SHARE * (total - noise) {
                let share = 100.0 * noise / (total - noise);
                return (
                    smoother,
                    format!(
                        "shortest window with noise below {} % of the velocity's variance: {share:.2} %",
                        100.0 * SHARE
                    ),
                );
            }
            window += 2 * (window / 16).max(1);
        }
        (smoother, "longest window that the log allows".to_owned())
    }

    /// Variance of the difference between a window and one of half its length, beyond the noise [m²/s²].
    fn smoothed_away(&self, smoother: Smoother, derivative: &[(usize, f64)]) -> f64 {
        let window = (smoother.window / 2) | 1;
        if window < smoother.order + 2 {
            return 0.0;
        }
        let half = Smoother { window, ..smoother };
        let sharper = self.derivative(half);
        let mut sharper = sharper.iter().peekable();
        let (mut sum, mut n) = (0.0, 0.0);
        for (index, slope) in derivative {
            while sharper.next_if(|entry| entry.0 < *index).is_some() {}
            if let Some((_, other)) = sharper.next_if(|entry| entry.0 == *index) {
                sum += (slope - other).powi(2);
                n += 1.0;
            }
        }
        // Both are least-squares fits and the longer one is more precise: their difference has the difference of
        // their variances.
        let noise =
            (self.noise / self.interval).powi(2) * (half.noise_gain() - smoother.noise_gain());
        sum / f64::max(n, 1.0) - noise * 1.5
    }

    /// Compares the logged velocity with the derivative; `false` if they are unrelated.
    fn agrees(&self, logged: &mut [f64], smoother: Smoother, findings: &mut Findings) -> bool {
        let derivative = self.derivative(smoother);
        if variance(&derivative) == 0.0 {
            return true;
        }
        let related = correlation(
            derivative
                .iter()
                .map(|(index, slope)| (*slope, logged[*index])),
        );
        if related.abs() < 0.5 {
            findings.note(format!(
                "the logged velocity is not the derivative of the position (correlation {related:.2}): it was not used; check its column and unit"
            ));
            return false;
        }
        if related < 0.0 {
            for value in logged.iter_mut() {
                *value = -*value;
            }
            findings.note(
                "the logged velocity had the opposite sense of the position, and was turned around",
            );
        }
        let power: f64 = derivative.iter().map(|(_, slope)| slope * slope).sum();
        let across: f64 = derivative
            .iter()
            .map(|(index, slope)| slope * logged[*index])
            .sum();
        // The derivative's own noise would bias the scale towards zero.
        let noise = (self.noise / self.interval).powi(2) * smoother.noise_gain();
        let scale = across / (power - noise * derivative.len() as f64).max(0.5 * power);
        let lag = self.lag(logged, &derivative, scale);
        let apart = (scale - 1.0).abs();
        let said = format!(
            "the logged velocity is {scale:.3} times the derivative of the position, {:.1} ms later",
            1e3 * lag
        );
        if apart > NOTED || lag.abs() > self.interval {
            findings.note(format!(
                "{said}: damping answers in proportion; --velocity estimated takes the derivative"
            ));
        } else {
            findings.choose(
                "velocity check",
                format!("scale {scale:.3}, lag {:.1} ms", 1e3 * lag),
                "logged velocity against the derivative of the position",
            );
        }
        true
    }

    /// Delay of the logged velocity [s]: least squares of v_logged = s v − s·lag·a, with a from differences of v.
    fn lag(&self, logged: &[f64], derivative: &[(usize, f64)], scale: f64) -> f64 {
        let (mut across, mut power) = (0.0, 0.0);
        for three in derivative.windows(3) {
            if three[2].0 != three[0].0 + 2 {
                continue;
            }
            let (index, slope) = three[1];
            let span = self.time[three[2].0] - self.time[three[0].0];
            let acceleration = (three[2].1 - three[0].1) / span;
            across += acceleration * (logged[index] - scale * slope);
            power += acceleration * acceleration;
        }
        if power > 0.0 {
            -across / (scale * power)
        } else {
            0.0
        }
    }
}

fn variance(values: &[(usize, f64)]) -> f64 {
    let n = values.len().max(1) as f64;
    let mean = values.iter().map(|entry| entry.1).sum::<f64>() / n;
    values
        .iter()
        .map(|entry| (entry.1 - mean).powi(2))
        .sum::<f64>()
        / n
}
