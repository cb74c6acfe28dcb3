//! A person as the expert: what is held on a keyboard or gamepad is the action, seen in a window.
//!
//! ```text
//! keyboard, gamepad ─► drives, one for each entry of the action ─► levers ─► action
//! ```
//!
//! The mapping needs no window; the window is behind the feature `viewer`, the gamepad's driver behind `gamepad`.

pub mod gamepad;
pub mod keyboard;
mod levers;
#[cfg(feature = "viewer")]
mod operator;
#[cfg(feature = "gamepad")]
mod pad;
#[cfg(feature = "viewer")]
mod window;

pub use levers::Levers;
#[cfg(feature = "viewer")]
pub use operator::{Operator, OperatorPlan};

/// Axes of motion by which entries of actions end, such as `delta_x [1]`.
const AXES: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// The axis of motion of an entry, an index of [`AXES`].
fn axis(name: &str) -> Option<usize> {
    let (_, end) = quantity(name).rsplit_once('_')?;
    AXES.iter().position(|axis| *axis == end)
}

/// The name of an entry without its unit.
fn quantity(name: &str) -> &str {
    name.split(' ').next().unwrap_or(name)
}

/// Gives every entry the control of its axis, or the next one of `others`; none where they run out, with the entry's name.
fn assign<T: Copy>(names: &[String], by_axis: [T; 6], others: &[T]) -> Result<Vec<T>, String> {
    let mut free = others.iter().copied();
    let mut taken = [false; 6];
    let of = |name: &String| {
        let own = axis(name).filter(|axis| !std::mem::replace(&mut taken[*axis], true));
        let control = own.map(|axis| by_axis[axis]).or_else(|| free.next());
        control.ok_or_else(|| name.clone())
    };
    names.iter().map(of).collect()
}
