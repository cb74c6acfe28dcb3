//! Reduces a log to one axis: depth growing into the tissue, and the force that presses.
//!
//! In space, the normal is the principal direction of motion during contact, oriented towards the contact. The
//! principal direction of the change of force is used as a check. It replaces the normal if the two are more than 20°
//! apart, because then the probe moved mostly sideways, or if the force may be in another frame (`tilt`). In free air
//! the force of a probe is constant: contact is where it differs from the first samples.

use nalgebra::Vector3;

use super::{
    directions::{
        along, correlation, lateral, mean, principal, principal_direction, spread, written,
    },
    findings::Findings,
    force_change::Change,
    options::{ForceSign, PrepareOptions},
    palpation,
    tilt::{Directions, Projection},
    track::Track,
    wrench,
};
use crate::{CalibrationError, Channel, Log, Motion};

/// Angle between motion and force [°] above which a note is added and the direction of the force is used.
const WIDEST_ANGLE: f64 = 20.0;
/// Depth, force and velocity along the normal.
pub(super) fn oriented(
    log: &Log,
    options: &PrepareOptions,
    findings: &mut Findings,
) -> Result<Track, CalibrationError> {
    let rough = match &log.force {
        Channel::Scalar(values) => values.clone(),
        Channel::Vector(values) => along(values, &principal_direction(values)),
    };
    match &log.motion {
        Motion::Indentation(values) => Ok(indentation(log, values, rough, options, findings)),
        Motion::Position(Channel::Scalar(values)) => {
            Ok(line(log, values, rough, options, findings))
        }
        Motion::Position(Channel::Vector(values)) => {
            checked(options.normal)?;
            let palpation = match options.surface {
                None => palpation::oriented(log, values, &rough, options, findings),
                Some(_) => None,
            };
            Ok(palpation.unwrap_or_else(|| space(log, values, &rough, options, findings)))
        }
    }
}

fn indentation(
    log: &Log,
    values: &[f64],
    force: Vec<f64>,
    options: &PrepareOptions,
    findings: &mut Findings,
) -> Track {
    let depth = values.to_vec();
    let correlation = correlation(
        values
            .iter()
            .zip(&force)
            .filter(|(r, _)| **r > 0.0)
            .map(|(r, f)| (*r, *f)),
    );
    let pressing = signed(correlation >= 0.0, options.sign, findings);
    state_sign(pressing, correlation, options.sign, findings);
    if matches!(log.force, Channel::Vector(_)) {
        findings.note("the force was taken along the direction in which it changes most");
    }
    Track {
        time: log.time.clone(),
        depth,
        velocity: scalar_velocity(log, 1.0, findings),
        force: scaled(force, pressing),
        surface: Some(0.0),
        given: true,
        stretches: Vec::new(),
        changes: Vec::new(),
        scales: Vec::new(),
        inward: None,
    }
}

fn line(
    log: &Log,
    values: &[f64],
    force: Vec<f64>,
    options: &PrepareOptions,
    findings: &mut Findings,
) -> Track {
    let (inward, positive, correlation) = if let Some(surface) = options.surface {
        contact_side(values, &force, surface)
    } else {
        let change = Change::of(&force);
        let inward = change.mean(values) - change.start(values);
        let correlation = correlation(change.contact.iter().map(|&i| (values[i], force[i])));
        (inward.signum(), change.positive, correlation)
    };
    let pressing = signed(positive, options.sign, findings);
    state_sign(pressing, correlation * inward, options.sign, findings);
    findings.choose(
        "surface normal",
        if inward > 0.0 {
            "towards smaller positions"
        } else {
            "towards larger positions"
        }
        .to_owned(),
        "away from where the force changes",
    );
    if matches!(log.force, Channel::Vector(_)) {
        findings.note("the force was taken along the direction in which it changes most");
    }
    Track {
        time: log.time.clone(),
        depth: values.iter().map(|value| value * inward).collect(),
        velocity: scalar_velocity(log, inward, findings),
        force: scaled(force, pressing),
        surface: options.surface.map(|surface| surface * inward),
        given: false,
        stretches: Vec::new(),
        changes: Vec::new(),
        scales: Vec::new(),
        inward: None,
    }
}

fn space(
    log: &Log,
    positions: &[[f64; 3]],
    rough: &[f64],
    options: &PrepareOptions,
    findings: &mut Findings,
) -> Track {
    let change = Change::of(rough);
    let touching = || change.contact.iter().map(|&index| &positions[index]);
    let centre = mean(touching());
    let motion = principal(touching(), centre);
    let directions = match &log.force {
        Channel::Vector(forces) => Some(Directions {
            motion,
            force: principal_direction(forces),
            shared: wrench::is_shared(&log.frames),
            given: options.normal.is_some(),
        }),
        Channel::Scalar(_) => None,
    };
    let turned = directions.as_ref().is_some_and(|directions| {
        !directions.given
            && directions.apart() > WIDEST_ANGLE
            && directions.other_frame(&change.contact, positions, rough)
    });
    let inward = if let Some(normal) = options.normal {
        let normal = Vector3::from(normal);
        findings.choose("surface normal", written(&normal.normalize()), "given");
        -normal.normalize()
    } else {
        let approach = centre - mean(positions[..change.n_start].iter());
        let approach = stiffening(positions, rough, &motion).unwrap_or(approach);
        found_normal(directions.as_ref(), &motion, turned, approach, findings)
    };
    let depth = along(positions, &inward);
    let travel = spread(change.contact.iter().map(|&index| depth[index]));
    note_sideways(lateral(touching(), &centre, &inward), travel, findings);

    let own = directions.as_ref().filter(|_| turned);
    let (force, positive) = force_along(log, own.map_or(&inward, |own| &own.force), &change);
    let related = correlation(change.contact.iter().map(|&i| (depth[i], force[i])));
    // Force grows with indentation, regardless of the start of the log.
    let positive = if related.abs() > 0.5 {
        related > 0.0
    } else {
        positive
    };
    let pressing = signed(positive, options.sign, findings);
    state_sign(pressing, related, options.sign, findings);
    let scale = directions.as_ref().and_then(|directions| {
        let taken = Projection {
            depth: inward.dot(&directions.motion).abs(),
            force: if turned {
                1.0
            } else {
                inward.dot(&directions.force).abs()
            },
        };
        directions.scale_error(taken, findings)
    });
    Track {
        time: log.time.clone(),
        depth,
        velocity: vector_velocity(log, &inward, findings),
        force: scaled(force, pressing),
        // The surface is given along the outward normal.
        surface: options.surface.map(|surface| -surface),
        given: false,
        stretches: Vec::new(),
        changes: Vec::new(),
        scales: scale.into_iter().collect(),
        inward: Some(inward),
    }
}

/// Notes a motion in contact that is largely perpendicular to the normal; both are root mean squares [m].
fn note_sideways(aside: f64, travel: f64, findings: &mut Findings) {
    if aside > 0.2 * travel {
        findings.note(format!(
            "in contact the probe moved sideways too, by {:.2} mm rms against {:.2} mm along the normal",
            1e3 * aside,
            1e3 * travel
        ));
    }
}

/// The force along a direction, as recorded, and whether it increases in contact.
fn force_along(log: &Log, direction: &Vector3<f64>, change: &Change) -> (Vec<f64>, bool) {
    match &log.force {
        Channel::Vector(values) => {
            let force = along(values, direction);
            let positive = change.mean(&force) > change.start(&force);
            (force, positive)
        }
        Channel::Scalar(values) => (values.clone(), change.positive),
    }
}

/// Refuses a normal that is not a valid direction.
fn checked(normal: Option<[f64; 3]>) -> Result<(), CalibrationError> {
    match normal {
        Some(normal)
            if !(Vector3::from(normal).norm() > 1e-9
                && Vector3::from(normal).norm().is_finite()) =>
        {
            Err(CalibrationError::option(
                "--normal",
                format!("{normal:?} is not a direction; give three numbers, not all 0"),
            ))
        }
        _ => Ok(()),
    }
}

/// Share of a line at each end whose stiffness is compared, and the ratio of stiffness required of the deeper end.
const END: f64 = 0.2;
const STIFFER: f64 = 2.0;

/// The direction along a line in which the stiffness grows, if one end is clearly stiffer: that end is deep, and the
/// other is air or shallow contact. Works for logs that start in air or at a peak of the force.
fn stiffening(positions: &[[f64; 3]], force: &[f64], line: &Vector3<f64>) -> Option<Vector3<f64>> {
    let places = along(positions, line);
    let (least, most) = places
        .iter()
        .fold((f64::MAX, f64::MIN), |(low, high), place| {
            (low.min(*place), high.max(*place))
        });
    let slope = |from: f64, to: f64| -> Option<f64> {
        let share = |place: f64| (place - least) / (most - least).max(f64::MIN_POSITIVE);
        let all = places.iter().copied().zip(force.iter().copied());
        let pairs: Vec<(f64, f64)> = all
            .filter(|(place, _)| (from..=to).contains(&share(*place)))
            .collect();
        let spread_of = |of: fn(&(f64, f64)) -> f64| spread(pairs.iter().map(of));
        let (x, y) = (spread_of(|pair| pair.0), spread_of(|pair| pair.1));
        (pairs.len() > 10 && x > 0.0).then(|| correlation(pairs.iter().copied()).abs() * y / x)
    };
    let (low, high) = (slope(0.0, END)?, slope(1.0 - END, 1.0)?);
    if high > STIFFER * low {
        Some(*line)
    } else if low > STIFFER * high {
        Some(-line)
    } else {
        None
    }
}

fn found_normal(
    directions: Option<&Directions>,
    motion: &Vector3<f64>,
    turned: bool,
    approach: Vector3<f64>,
    findings: &mut Findings,
) -> Vector3<f64> {
    let towards = |direction: Vector3<f64>| {
        if direction.dot(&approach) < 0.0 {
            -direction
        } else {
            direction
        }
    };
    let motion = towards(*motion);
    let Some(directions) = directions else {
        findings.choose(
            "surface normal",
            written(&-motion),
            "principal direction of motion in contact",
        );
        return motion;
    };
    let angle = directions.apart();
    if angle > WIDEST_ANGLE && !turned {
        let force = towards(directions.force);
        findings.choose(
            "surface normal",
            written(&-force),
            format!("principal direction of the change of force, {angle:.1}° from that of motion"),
        );
        return force;
    }
    findings.choose(
        "surface normal",
        written(&-motion),
        format!(
            "principal direction of motion in contact, {angle:.1}° from that of the change of force"
        ),
    );
    if turned {
        findings.choose(
            "force frame",
            "unknown: the force was taken along the direction in which it changes".to_owned(),
            "the log does not tell the frame, and motion explains the force as well as if it were another",
        );
    }
    motion
}

/// For a given surface: sign of the depth, whether force grows with depth, and their correlation, from the side on
/// which the force varies.
fn contact_side(values: &[f64], force: &[f64], surface: f64) -> (f64, bool, f64) {
    let side = |sense: f64| -> Vec<(f64, f64)> {
        let pairs = values.iter().zip(force);
        let pairs = pairs.filter(|(value, _)| (**value - surface) * sense > 0.0);
        pairs.map(|(value, force)| (*value, *force)).collect()
    };
    let (above, below) = (side(1.0), side(-1.0));
    let varies = |pairs: &[(f64, f64)]| spread(pairs.iter().map(|pair| pair.1));
    let above_touches = if above.len() < 10 || below.len() < 10 {
        above.len() > below.len()
    } else {
        varies(&above) > varies(&below)
    };
    let (inward, pairs) = if above_touches {
        (1.0, above)
    } else {
        (-1.0, below)
    };
    let correlation = correlation(pairs.into_iter());
    (inward, correlation * inward >= 0.0, correlation)
}

fn signed(positive: bool, sign: ForceSign, findings: &mut Findings) -> f64 {
    let found = if positive { 1.0 } else { -1.0 };
    let wanted = match sign {
        ForceSign::Auto => found,
        ForceSign::PressingPositive => 1.0,
        ForceSign::PressingNegative => -1.0,
    };
    if wanted != found {
        findings.note("with the sign as given, force falls with indentation");
    }
    wanted
}

fn state_sign(pressing: f64, correlation: f64, sign: ForceSign, findings: &mut Findings) {
    findings.choose(
        "sign",
        if pressing > 0.0 {
            "pressing is recorded positive"
        } else {
            "pressing is recorded negative"
        }
        .to_owned(),
        if sign == ForceSign::Auto {
            format!("force must grow with indentation; correlation {correlation:.3} as recorded")
        } else {
            "given".to_owned()
        },
    );
}

fn scalar_velocity(log: &Log, sense: f64, findings: &mut Findings) -> Option<Vec<f64>> {
    match &log.velocity {
        Some(Channel::Scalar(values)) => Some(values.iter().map(|value| value * sense).collect()),
        Some(Channel::Vector(_)) => {
            findings.note(
                "the logged velocity is a vector but the position is a scalar: the velocity was not used",
            );
            None
        }
        None => None,
    }
}

fn vector_velocity(log: &Log, inward: &Vector3<f64>, findings: &mut Findings) -> Option<Vec<f64>> {
    match &log.velocity {
        Some(Channel::Vector(values)) => Some(along(values, inward)),
        Some(Channel::Scalar(_)) => {
            findings.note(
                "the logged velocity is a scalar but the position is a vector: the velocity was not used",
            );
            None
        }
        None => None,
    }
}

fn scaled(mut values: Vec<f64>, factor: f64) -> Vec<f64> {
    if factor != 1.0 {
        for value in &mut values {
            *value *= factor;
        }
    }
    values
}
