//! Mapping from sticks and triggers of a gamepad to drives.

use super::{assign, quantity};

/// A gamepad axis with two opposite directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stick {
    /// Left stick, right and left.
    LeftX,
    /// Left stick, up and down.
    LeftY,
    /// Right stick, right and left.
    RightX,
    /// Right stick, up and down.
    RightY,
    /// Right and left trigger, in opposite directions.
    Triggers,
    /// Directional pad, right and left.
    PadX,
    /// Directional pad, up and down.
    PadY,
}

/// Sticks for x, y, z, rx, ry, rz.
const BY_AXIS: [Stick; 6] = [
    Stick::LeftX,
    Stick::LeftY,
    Stick::Triggers,
    Stick::PadX,
    Stick::RightY,
    Stick::RightX,
];

/// Sticks for entries without an axis, in order; entries with an axis take theirs first.
const OTHERS: [Stick; 7] = [
    Stick::PadY,
    Stick::RightY,
    Stick::LeftY,
    Stick::RightX,
    Stick::LeftX,
    Stick::PadX,
    Stick::Triggers,
];

/// Readings below this value count as zero, because a stick at rest is not exactly centred.
const DEAD_ZONE: f32 = 0.1;

/// Assigns a stick to each entry of an action, by the entries' names.
///
/// # Errors
/// The name of the first entry for which no stick is left.
pub fn sticks(names: &[String]) -> Result<Vec<Stick>, String> {
    let used: Vec<Stick> = names
        .iter()
        .filter_map(|name| super::axis(name))
        .map(|axis| BY_AXIS[axis])
        .collect();
    let free: Vec<Stick> = OTHERS
        .into_iter()
        .filter(|stick| !used.contains(stick))
        .collect();
    assign(names, BY_AXIS, &free)
}

/// Converts readings in [-1, 1] to drives: zero within the dead zone, then rising linearly from 0 to 1.
pub fn drives(sticks: &[Stick], reading: impl Fn(Stick) -> f32) -> Vec<f32> {
    let drive = |stick: &Stick| {
        let value = reading(*stick).clamp(-1.0, 1.0);
        let beyond = (value.abs() - DEAD_ZONE).max(0.0) / (1.0 - DEAD_ZONE);
        beyond.copysign(value)
    };
    sticks.iter().map(drive).collect()
}

/// Describes the mapping, with one line per entry.
pub fn describe(names: &[String], sticks: &[Stick]) -> String {
    let lines = names.iter().zip(sticks).map(|(name, stick)| {
        let (up, down) = match stick {
            Stick::LeftX => ("left stick right", "left"),
            Stick::LeftY => ("left stick away", "back"),
            Stick::RightX => ("right stick right", "left"),
            Stick::RightY => ("right stick away", "back"),
            Stick::Triggers => ("right trigger", "left trigger"),
            Stick::PadX => ("cross right", "left"),
            Stick::PadY => ("cross up", "down"),
        };
        format!("  {up} / {down}  {}, up / down", quantity(name))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_stick_serves_twice() {
        for names in [
            &[
                "delta_x", "delta_y", "delta_z", "delta_rx", "delta_ry", "delta_rz", "jaw",
            ][..],
            &["force", "normal_velocity", "gain"],
            &["advance", "roll", "pull_y", "pull_z"],
            &["j_0", "j_1", "j_2", "j_3", "j_4", "j_5", "j_6"],
        ] {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            let sticks = sticks(&names).expect("there are enough");
            for (index, stick) in sticks.iter().enumerate() {
                assert!(!sticks[..index].contains(stick), "{names:?} {sticks:?}");
            }
        }
        let many: Vec<String> = (0..8).map(|i| format!("j_{i}")).collect();
        assert_eq!(sticks(&many), Err("j_7".to_owned()));
    }

    #[test]
    fn sticks_at_rest_drive_nothing_and_at_their_end_all() {
        let at = |value: f32| drives(&[Stick::LeftX], |_| value)[0];
        assert_eq!([at(0.05), at(-0.1)].map(f32::abs), [0.0, 0.0]);
        assert_eq!([at(1.0), at(-1.0), at(7.0)], [1.0, -1.0, 1.0]);
        assert!((at(-0.55) + 0.5).abs() < 1e-6);
    }
}
