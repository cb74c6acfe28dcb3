//! A person as the expert: a keyboard or gamepad controls the action, and a window shows the scene.
//!
//! ```text
//! keyboard, gamepad ─► drives, one for each entry of the action ─► levers ─► action
//! ```
//!
//! The mapping needs no window. The window needs the feature `viewer`, the gamepad's driver the feature `gamepad`.

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

/// Suffixes of entries of an action that name an axis of motion, such as `delta_x [1]`.
const AXES: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// The axis of motion of an entry, as an index into [`AXES`].
fn axis(name: &str) -> Option<usize> {
    let (_, end) = quantity(name).rsplit_once('_')?;
    AXES.iter().position(|axis| *axis == end)
}

/// The name of an entry without its unit.
fn quantity(name: &str) -> &str {
    name.split(' ').next().unwrap_or(name)
}

/// Assigns to each entry the control of its axis or the next one of `others`. If none is left, the error is the entry's name.
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
