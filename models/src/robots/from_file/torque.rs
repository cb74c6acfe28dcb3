//! Torque motors that replace the actuators of the file.
//!
//! The torque limit of a joint is the narrowest of the ranges in the file:
//! * the force range of its actuator, times the gear;
//! * for torque motors, the control range, times gain and gear;
//! * the joint's own `actuatorfrcrange`.
//!
//! A joint without any of these gets [`DEFAULT_TORQUE`].

use std::collections::BTreeMap;

use crate::mjcf::{Defaults, Element, Mjcf, Motor, Value, walk_world};

/// Torque limit of a hinge without a limit in the file [N·m]; also the force limit of a slide [N].
const DEFAULT_TORQUE: f64 = 100.0;

/// All actuators share their defaults: the last of these tags in a class wins.
pub(super) const ACTUATOR_TAGS: &[&str] = &[
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "orientation",
    "pid",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
];

type Range = [f64; 2];

/// A motor for each joint, in the order of the joints.
pub(super) fn motors(
    mjcf: &mut Mjcf,
    defaults: &Defaults,
    joints: &[Element],
    notes: &mut Vec<String>,
) -> Vec<Motor> {
    let mut limits: BTreeMap<String, Range> = BTreeMap::new();
    walk_world(mjcf, &mut |element, class| {
        let own = range(
            defaults,
            element,
            class,
            &["joint"],
            "actuatorfrcrange",
            "actuatorfrclimited",
        );
        if let ("joint", Some(name), Some(range)) = (element.tag(), element.name(), own) {
            limits.insert(name.to_owned(), range);
        }
    });
    let actuators = mjcf.section("actuator").map_or(&[][..], Element::children);
    let mut default_limits = Vec::new();
    let motors = joints
        .iter()
        .map(|joint| {
            let name = joint.name().unwrap_or_default();
            let of_actuators = actuators
                .iter()
                .filter(|actuator| drives(actuator, name))
                .filter_map(|actuator| actuator_range(defaults, actuator))
                .reduce(widest);
            let stated = [limits.get(name).copied(), of_actuators]
                .into_iter()
                .flatten()
                .reduce(narrowest);
            let limit = stated.unwrap_or_else(|| {
                default_limits.push(name.to_owned());
                [-DEFAULT_TORQUE, DEFAULT_TORQUE]
            });
            Motor::new(name).ctrlrange(limit).set("forcerange", limit)
        })
        .collect();
    if !default_limits.is_empty() {
        notes.push(format!(
            "no torque limit is stated for {}: {DEFAULT_TORQUE} N·m is used",
            super::notes::list(&default_limits)
        ));
    }
    motors
}

fn drives(actuator: &Element, joint: &str) -> bool {
    ["joint", "jointinparent"]
        .iter()
        .any(|attribute| actuator.text(attribute) == Some(joint))
}

/// The range of the torque of an actuator.
fn actuator_range(defaults: &Defaults, actuator: &Element) -> Option<Range> {
    let value = |attribute: &str| defaults.effective(actuator, "main", ACTUATOR_TAGS, attribute);
    let first = |attribute: &str| {
        let reals = value(attribute).and_then(Value::as_reals)?;
        reals.first().copied()
    };
    let is = |attribute: &str, expected: &str| {
        value(attribute)
            .and_then(Value::as_text)
            .is_none_or(|text| text == expected)
    };
    let is_torque = match actuator.tag() {
        "motor" => true,
        "general" => is("gaintype", "fixed") && is("biastype", "none"),
        _ => false,
    };
    let gain = match actuator.tag() {
        "general" => first("gainprm").unwrap_or(1.0),
        _ => 1.0,
    };
    let force = range(
        defaults,
        actuator,
        "main",
        ACTUATOR_TAGS,
        "forcerange",
        "forcelimited",
    );
    let control = range(
        defaults,
        actuator,
        "main",
        ACTUATOR_TAGS,
        "ctrlrange",
        "ctrllimited",
    )
    .filter(|_| is_torque)
    .map(|range| scale(range, gain));
    let range = [force, control].into_iter().flatten().reduce(narrowest)?;
    let range = scale(range, first("gear").unwrap_or(1.0));
    is_two_sided(range).then_some(range)
}

/// A range that is set and is not disabled.
fn range(
    defaults: &Defaults,
    element: &Element,
    class: &str,
    tags: &[&str],
    attribute: &str,
    limited: &str,
) -> Option<Range> {
    let switch = defaults.effective(element, class, tags, limited);
    if switch.and_then(Value::as_text) == Some("false") {
        return None;
    }
    let reals = defaults
        .effective(element, class, tags, attribute)?
        .as_reals()?;
    let range: Range = reals.try_into().ok()?;
    is_two_sided(range).then_some(range)
}

/// An arm can only hold its position if the range includes both signs.
fn is_two_sided([low, high]: Range) -> bool {
    low < 0.0 && high > 0.0
}

fn scale([low, high]: Range, factor: f64) -> Range {
    let (a, b) = (low * factor, high * factor);
    [a.min(b), a.max(b)]
}

fn narrowest(a: Range, b: Range) -> Range {
    [a[0].max(b[0]), a[1].min(b[1])]
}

fn widest(a: Range, b: Range) -> Range {
    [a[0].min(b[0]), a[1].max(b[1])]
}
