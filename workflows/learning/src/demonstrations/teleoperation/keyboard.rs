//! Mapping from keys to drives. Motions use the keys of robosuite's keyboard where it has them (Zhu et al. 2020, arXiv:2009.12293).

use super::{assign, quantity};

/// A key towards the upper bound and a key towards the lower bound.
pub type KeyPair = [char; 2];

/// Keys for x, y, z, rx, ry, rz: right and left, away and back, up and down, and three rotations.
const BY_AXIS: [KeyPair; 6] = [
    ['d', 'a'],
    ['w', 's'],
    ['r', 'f'],
    ['x', 'z'],
    ['t', 'g'],
    ['c', 'v'],
];

/// Keys for entries without an axis, in order.
const OTHERS: [KeyPair; 7] = [
    ['i', 'k'],
    ['o', 'l'],
    ['u', 'j'],
    ['y', 'h'],
    ['n', 'b'],
    ['e', 'q'],
    ['p', 'm'],
];

/// Entries that point into the tissue: their upper bound is downwards.
const DOWNWARD: [&str; 2] = ["wrench_z", "depth"];

/// Drive of a key without Shift; with Shift it is 1.
const GENTLE: f32 = 0.4;

/// Assigns a pair of keys to each entry of an action, by the entries' names.
///
/// # Errors
/// The name of the first entry for which no key is left.
pub fn keys(names: &[String]) -> Result<Vec<KeyPair>, String> {
    let mut pairs = assign(names, BY_AXIS, &OTHERS)?;
    for (name, pair) in names.iter().zip(&mut pairs) {
        if DOWNWARD.contains(&quantity(name)) {
            pair.reverse();
        }
    }
    Ok(pairs)
}

/// Drives in [-1, 1] for the keys that are held.
pub fn drives(keys: &[KeyPair], is_held: impl Fn(char) -> bool, with_shift: bool) -> Vec<f32> {
    let strength = if with_shift { 1.0 } else { GENTLE };
    let drive = |[up, down]: &KeyPair| {
        strength * (f32::from(u8::from(is_held(*up))) - f32::from(u8::from(is_held(*down))))
    };
    keys.iter().map(drive).collect()
}

/// Describes the mapping, with one line per entry.
pub fn describe(names: &[String], keys: &[KeyPair]) -> String {
    let lines = names.iter().zip(keys).map(|(name, [up, down])| {
        format!(
            "  {} / {}  {}, up / down",
            up.to_ascii_uppercase(),
            down.to_ascii_uppercase(),
            quantity(name)
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| format!("{name} [1]")).collect()
    }

    #[test]
    fn axes_have_their_keys_and_other_entries_the_next_ones() {
        let pairs = keys(&names(&["move_x", "move_y", "move_z", "jaw"]));
        assert_eq!(
            pairs,
            Ok(vec![['d', 'a'], ['w', 's'], ['r', 'f'], ['i', 'k']])
        );
        let pairs = keys(&names(&["force", "normal_velocity", "gain"]));
        assert_eq!(pairs, Ok(vec![['i', 'k'], ['o', 'l'], ['u', 'j']]));
        // F points down, so it presses.
        assert_eq!(keys(&names(&["wrench_z"])), Ok(vec![['f', 'r']]));
    }

    #[test]
    fn no_key_serves_twice() {
        let joints: Vec<String> = (0..7).map(|i| format!("joint_velocity_{i} [1]")).collect();
        let all: Vec<String> = names(&["x_x", "x_y", "x_z", "x_rx", "x_ry", "x_rz"])
            .into_iter()
            .chain(joints)
            .collect();
        let mut used = keys(&all).expect("there are enough").concat();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len(), 2 * all.len());
        let more = [all, names(&["one_more"])].concat();
        assert_eq!(keys(&more), Err("one_more [1]".to_owned()));
    }

    #[test]
    fn keys_drive_partly_and_with_shift_fully() {
        let pairs = [['d', 'a'], ['w', 's']];
        let held = |key: char| key == 'a';
        assert_eq!(drives(&pairs, held, false), [-GENTLE, 0.0]);
        assert_eq!(drives(&pairs, held, true), [-1.0, 0.0]);
        assert_eq!(drives(&pairs, |_| true, true), [0.0, 0.0]);
    }
}
