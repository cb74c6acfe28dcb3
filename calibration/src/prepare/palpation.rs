//! Continuous palpation in space: the probe slides over the surface while it presses again and again.
//!
//! Height and direction of the surface change along the path, so a single surface does not fit all of it. The log is
//! cut into segments of a few presses. In each segment, slow changes (a cubic in time) are subtracted from position,
//! velocity and force. This is equivalent to a fit with a separate surface, a drift of the surface height and a drift
//! of the force's zero in each segment (Frisch and Waugh 1933). The scatter between the segments gives the errors.
//!
//! The normal comes from `normals`, the baseline from `baseline`.

use nalgebra::Vector3;

use super::{
    baseline::Baseline,
    directions::{along, degrees, written},
    findings::Findings,
    force_change::n_start,
    noise::{median, running_mean, white_noise},
    normals::{self, Moments},
    options::{ForceSign, PrepareOptions},
    presses::{self, SHORTEST},
    tilt::{TOLD, UNIFORM},
    time::Clock,
    track::{Scale, Track},
    wrench::is_shared,
};
use crate::{Channel, ContactPoint, Log, SampleChange, Samples};

/// Force within this share of the swing above the floor of a segment counts as zero if the probe leaves the tissue
/// between presses.
const FLOOR: f64 = 0.05;
/// Dwell time at the floor above which the probe has left the tissue, as a multiple of a sine's dwell time.
const MIN_DWELL_RATIO: f64 = 1.8;

/// Normals into the tissue: one of each segment, and the common one for the samples between segments.
struct SegmentNormals<'a> {
    stretches: &'a [std::ops::Range<usize>],
    own: Vec<Vector3<f64>>,
    common: Vector3<f64>,
}

impl SegmentNormals<'_> {
    fn at(&self, index: usize) -> &Vector3<f64> {
        let stretch = self
            .stretches
            .iter()
            .position(|range| range.contains(&index));
        stretch.map_or(&self.common, |k| &self.own[k])
    }

    /// Components of vectors along the normals of their samples.
    fn project(&self, values: &[[f64; 3]]) -> Vec<f64> {
        let samples = values.iter().enumerate();
        samples
            .map(|(index, value)| Vector3::from(*value).dot(self.at(index)))
            .collect()
    }

    fn depth(&self, positions: &[[f64; 3]]) -> Vec<f64> {
        let mut depth = along(positions, &self.common);
        for (range, own) in self.stretches.iter().zip(&self.own) {
            depth[range.clone()].copy_from_slice(&along(&positions[range.clone()], own));
        }
        depth
    }

    /// Largest angle between the normal of a segment and the common one [°].
    fn widest_angle(&self) -> f64 {
        let angles = self.own.iter().map(|own| degrees(own, &self.common));
        angles.fold(0.0, f64::max)
    }
}

/// The log along the normals of its segments, which are stored in the track; `None` if it is not a sliding palpation.
pub(super) fn oriented(
    log: &Log,
    positions: &[[f64; 3]],
    rough: &[f64],
    options: &PrepareOptions,
    findings: &mut Findings,
) -> Option<Track> {
    let stretches = presses::stretches(&log.time, rough, options.window);
    if stretches.is_empty() {
        return None;
    }
    let moments: Vec<Moments> = stretches
        .iter()
        .map(|range| Moments::of(&log.time, &log.force, positions, rough, range.clone()))
        .collect();
    let all = Moments::sum(&moments);
    let given = options
        .normal
        .map(|normal| Vector3::from(normal).normalize());
    let (normal, how) = given.map_or_else(|| all.normal(), |normal| (normal, String::new()));
    let n_samples: usize = stretches.iter().map(ExactSizeIterator::len).sum();
    let swing = 2.0 * (2.0 * normal.dot(&(all.place * normal)) / n_samples as f64).sqrt();
    let slid = slid(positions, &stretches, &normal);
    if slid < swing {
        return None;
    }

    let (inward, pressing) = sense(log, rough, &all, normal, &stretches, options, findings);
    let (own, uncertain) = if given.is_some() {
        (vec![inward; stretches.len()], Vec::new())
    } else {
        let own = normals::of_stretches(&moments, &inward);
        let shared = is_shared(&log.frames);
        let uncertain = normals::relative_errors(&moments, &inward, &own, shared);
        (own, uncertain)
    };
    note_ambiguity(&uncertain, findings);
    let normals = SegmentNormals {
        stretches: &stretches,
        own,
        common: inward,
    };
    let force = match &log.force {
        Channel::Scalar(values) => values.iter().map(|value| pressing * value).collect(),
        Channel::Vector(values) => {
            let mut force = normals.project(values);
            for value in &mut force {
                *value *= pressing;
            }
            force
        }
    };
    let turned = normals.widest_angle();
    findings.choose(
        "surface normal",
        written(&-inward),
        if given.is_some() {
            "given".to_owned()
        } else if turned > 0.0 {
            format!("{how}; each stretch has its own, up to {turned:.1}° from this")
        } else {
            format!("{how}; one for all stretches")
        },
    );
    findings.note(format!(
        "the probe slid by {:.1} mm while it pressed: the log was cut into {} stretches, each with its own surface and drifts; stiffness and damping are those about the preload",
        1e3 * slid,
        stretches.len()
    ));
    Some(Track {
        time: log.time.clone(),
        depth: normals.depth(positions),
        velocity: match &log.velocity {
            Some(Channel::Vector(values)) => Some(normals.project(values)),
            _ => None,
        },
        force,
        surface: None,
        given: false,
        stretches: stretches
            .iter()
            .map(|range| [log.time[range.start], log.time[range.end - 1]])
            .collect(),
        changes: Vec::new(),
        scales: if uncertain.is_empty() {
            Vec::new()
        } else {
            vec![Scale {
                depth: 0.0,
                force: uncertain,
            }]
        },
        inward: Some(inward),
    })
}

/// Notes a mean relative error of the force, one per segment, by other normals that matters.
fn note_ambiguity(uncertain: &[f64], findings: &mut Findings) {
    let open = (uncertain.iter().sum::<f64>() / (uncertain.len().max(1) as f64 * UNIFORM)).abs();
    if open > TOLD {
        findings.note(format!(
            "directions of motion and force that explain the log as well give a stiffness that differs by {:.0} %: its interval and that of the damping take that in; --normal sets the normal",
            100.0 * open
        ));
    }
}

/// The normal into the tissue, and the sign of a pressing force. The force grows inwards, and its mean presses,
/// because tissue does not pull.
fn sense(
    log: &Log,
    rough: &[f64],
    all: &Moments,
    normal: Vector3<f64>,
    stretches: &[std::ops::Range<usize>],
    options: &PrepareOptions,
    findings: &mut Findings,
) -> (Vector3<f64>, f64) {
    let projected;
    let (force, grows) = match &log.force {
        Channel::Scalar(_) => (rough, normal.dot(&all.place_force)),
        Channel::Vector(values) => {
            projected = along(values, &normal);
            (projected.as_slice(), normal.dot(&(all.both * normal)))
        }
    };
    let pressed: Vec<f64> = stretches
        .iter()
        .flat_map(|range| &force[range.clone()])
        .copied()
        .collect();
    let mean = pressed.iter().sum::<f64>() / pressed.len() as f64;
    let spread =
        (pressed.iter().map(|f| (f - mean).powi(2)).sum::<f64>() / pressed.len() as f64).sqrt();
    // Before the first press the log may show air, and thus the zero of the sensor.
    let before = &force[..n_start(force.len()).min(stretches[0].start)];
    let air = median(before.to_vec());
    let zero = if !before.is_empty() && (mean - air).abs() > 1.2 * spread {
        air
    } else {
        0.0
    };
    let presses = mean - zero;
    if presses.abs() < spread {
        findings.note(format!(
            "the force swings by {:.2} N about {presses:.2} N: which side of the normal is out is in doubt, and so is the preload, but neither stiffness nor damping; begin in free air, or --normal and --sign",
            2.0_f64.sqrt() * spread
        ));
    }
    let mut inward = normal * (grows * presses).signum();
    let mut pressing = match &log.force {
        Channel::Scalar(_) => presses.signum(),
        Channel::Vector(_) => grows.signum(),
    };
    if let Some(outward) = options.normal
        && Vector3::from(outward).dot(&inward) > 0.0
    {
        inward = -inward;
        if matches!(log.force, Channel::Scalar(_)) {
            pressing = -pressing;
        }
    }
    let wanted = match options.sign {
        ForceSign::Auto => pressing,
        ForceSign::PressingPositive => 1.0,
        ForceSign::PressingNegative => -1.0,
    };
    if wanted != pressing {
        findings.note("with the sign as given, force falls with indentation");
    }
    findings.choose(
        "sign",
        format!(
            "pressing is recorded {}",
            if wanted > 0.0 { "positive" } else { "negative" }
        ),
        if options.sign == ForceSign::Auto {
            "force must grow with indentation, and its mean must press"
        } else {
            "given"
        },
    );
    (inward, wanted)
}

/// Largest distance between the middles of two segments, perpendicular to the normal [m].
fn slid(
    positions: &[[f64; 3]],
    stretches: &[std::ops::Range<usize>],
    normal: &Vector3<f64>,
) -> f64 {
    let middles: Vec<Vector3<f64>> = stretches
        .iter()
        .map(|range| {
            let sum: Vector3<f64> = positions[range.clone()]
                .iter()
                .map(|p| Vector3::from(*p))
                .sum();
            sum / range.len() as f64
        })
        .collect();
    let lateral = |offset: Vector3<f64>| (offset - normal * offset.dot(normal)).norm();
    middles
        .iter()
        .map(|middle| lateral(middle - middles[0]))
        .fold(0.0, f64::max)
}

/// Samples of the segments without their baselines; velocity and depth come from the track.
pub(super) fn samples(
    track: &Track,
    velocity: &[f64],
    clipped: &[usize],
    clock: &Clock,
    findings: &mut Findings,
) -> Samples {
    let mut samples = Samples {
        log: findings.log.clone(),
        contact: ContactPoint::UNKNOWN,
        sampling_interval: clock.interval,
        ..Samples::default()
    };
    let n_changes = track.changes.len() + track.scales.len();
    samples.changes = vec![SampleChange::default(); n_changes];
    let (mut lifted, mut preload) = (0, 0.0);
    for (stretch, range) in track.ranges().into_iter().enumerate() {
        let mut kept: Vec<usize> = range
            .clone()
            .filter(|index| clipped.binary_search(index).is_err())
            .collect();
        if let Some(edge) = floor(&track.force[range.clone()]) {
            lifted += 1;
            let smooth = running_mean(&track.force[range.clone()], 2);
            kept.retain(|index| smooth[index - range.start] > edge);
        }
        if kept.len() < SHORTEST / 2 {
            continue;
        }
        let pick = |values: &[f64]| {
            kept.iter()
                .map(|&index| values[index])
                .collect::<Vec<f64>>()
        };
        let time = pick(&track.time);
        let baseline = Baseline::of(&time);
        samples.presses.push(samples.time.len());
        for (into, values) in [
            (&mut samples.indentation, &track.depth[..]),
            (&mut samples.velocity, velocity),
            (&mut samples.force, &track.force),
        ] {
            let mut values = pick(values);
            baseline.remove(&mut values);
            into.extend(values);
        }
        let of_changes = track.changes.iter().map(|change| {
            let mut force = pick(&change.force);
            baseline.remove(&mut force);
            force
        });
        let fast = &samples.force[samples.time.len()..];
        let of_scales = track.scales.iter().map(|scale| {
            let share = scale.force[stretch];
            fast.iter().map(|force| force * share).collect::<Vec<f64>>()
        });
        let forces = of_changes.chain(of_scales);
        for (change, force) in samples.changes.iter_mut().zip(forces) {
            change.force.extend(force);
        }
        preload += kept.iter().map(|&index| track.force[index]).sum::<f64>();
        samples.time.extend(time);
    }
    // Depth is relative to its minimum, force to the mean preload.
    let least = samples.indentation.iter().copied().fold(0.0, f64::min);
    samples
        .indentation
        .iter_mut()
        .for_each(|depth| *depth -= least);
    preload /= samples.time.len().max(1) as f64;
    samples.force.iter_mut().for_each(|force| *force += preload);
    if lifted > 0 {
        findings.note(format!(
            "in {lifted} of {} stretches the probe left the tissue between presses: those samples were left out",
            samples.presses.len()
        ));
    }
    samples
}

/// Force below which the probe has left the tissue, if it stays at its minimum for much longer than a sine would.
fn floor(force: &[f64]) -> Option<f64> {
    let smooth = running_mean(force, 2);
    let mut sorted = smooth.clone();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share) as usize];
    let (low, swing) = (at(0.02), at(0.98) - at(0.02));
    let band = (FLOOR * swing).max(2.0 * white_noise(force));
    let of_sine = (1.0 - 2.0 * (band / swing).min(0.5)).acos() / std::f64::consts::PI;
    let within = smooth.iter().filter(|value| **value < low + band).count();
    (within as f64 > MIN_DWELL_RATIO * of_sine * force.len() as f64).then_some(low + 2.0 * band)
}
