//! Advice at the end of an error.

use std::fmt;

/// What helps a robot that does not reach the skin or starts inside something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Advice {
    /// Position of the base at which the experiment passes [m].
    Base([f64; 3]),
    /// No position nearby reaches the skin without contact.
    NoBase,
    /// Number of positions nearby that reach the skin without contact, and at which the experiment fails too.
    FailingBases(usize),
    /// The robot only overlaps itself.
    CoarseShapes,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Base([x, y, z]) => write!(f, "it works with robot_position {x},{y},{z}"),
            Self::NoBase => {
                f.write_str("no position of the base nearby reaches it without contact")
            }
            Self::FailingBases(n) => write!(
                f,
                "the {n} nearest places of the base that reach it clear of everything were tried, and failed too"
            ),
            Self::CoarseShapes => f.write_str(
                "if shapes in the robot's file overlap only because they are coarse, exclude the pair with <contact><exclude body1=… body2=…/></contact>",
            ),
        }
    }
}
