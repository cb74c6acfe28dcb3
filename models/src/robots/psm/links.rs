//! The table of links: each row of the modified Denavit–Hartenberg table with its joint and its mass.
//!
//! `parent_from_link = Rx(alpha) Tx(a) Rz(theta) Tz(d)`; the joint position is added to `theta` or to `d`.

use std::f64::consts::{FRAC_PI_2, PI};

use super::parameters as p;
use super::parameters::Friction;
use crate::shapes::MassProperties;

/// Motion of a link relative to its parent, along or about its own z axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Motion {
    Turn,
    Slide,
}

/// One link.
pub(super) struct Row {
    /// Number of the link's frame in Wang et al. 2019.
    pub(super) frame: usize,
    /// Number of the parent frame.
    pub(super) parent: usize,
    pub(super) name: &'static str,
    pub(super) joint: &'static str,
    pub(super) motion: Motion,
    /// `[a, alpha, d, theta]` at joint position zero [m, rad]. Frame 3 is fixed to frame 2, and is part of the rows that follow it.
    placement: [f64; 4],
    /// Rotation about z and translation along x of frame 3 before the row [rad, m].
    before: [f64; 2],
    pub(super) mass: MassProperties,
    pub(super) range: Option<[f64; 2]>,
    pub(super) friction: Option<Friction>,
    pub(super) armature: f64,
    pub(super) stiffness: f64,
}

impl Row {
    /// Origin in the parent's frame [m].
    pub(super) fn pos(&self) -> [f64; 3] {
        let [a, alpha, d, _] = self.placement;
        let [turn, shift] = self.before;
        let (sin, cos) = exact_sin_cos(alpha);
        let (turn_sin, turn_cos) = exact_sin_cos(turn);
        let [x, y] = [a, -sin * d];
        [
            shift + turn_cos * x - turn_sin * y,
            turn_sin * x + turn_cos * y,
            cos * d,
        ]
    }

    /// Orientation in the parent's frame, `[w, x, y, z]`.
    pub(super) fn quat(&self) -> [f64; 4] {
        let [_, alpha, _, theta] = self.placement;
        let (x_sin, x_cos) = (alpha / 2.0).sin_cos();
        let (z_sin, z_cos) = (theta / 2.0).sin_cos();
        let (b_sin, b_cos) = (self.before[0] / 2.0).sin_cos();
        // Rz(before) Rx(alpha) Rz(theta)
        let [w, x, y, z] = [b_cos * x_cos, b_cos * x_sin, b_sin * x_sin, b_sin * x_cos];
        [
            w * z_cos - z * z_sin,
            x * z_cos + y * z_sin,
            y * z_cos - x * z_sin,
            w * z_sin + z * z_cos,
        ]
    }
}

/// Sine and cosine that are exact for right angles, without the rounding to 6e-17.
fn exact_sin_cos(angle: f64) -> (f64, f64) {
    let clean = |x: f64| if x.abs() < 1e-15 { 0.0 } else { x };
    (clean(angle.sin()), clean(angle.cos()))
}

/// Frame 3, which is fixed to frame 2.
const ON_PITCH_LINK: [f64; 2] = [FRAC_PI_2, p::PIN_OFFSET];

fn turn(
    [frame, parent]: [usize; 2],
    name: &'static str,
    joint: &'static str,
    placement: [f64; 4],
    mass: MassProperties,
) -> Row {
    Row {
        frame,
        parent,
        name,
        joint,
        motion: Motion::Turn,
        placement,
        before: [0.0, 0.0],
        mass,
        range: None,
        friction: None,
        armature: 0.0,
        stiffness: 0.0,
    }
}

impl Row {
    fn slides(self) -> Self {
        Self {
            motion: Motion::Slide,
            ..self
        }
    }

    fn on_pitch_link(self) -> Self {
        Self {
            before: ON_PITCH_LINK,
            ..self
        }
    }

    fn driven(self, range: [f64; 2], friction: Friction) -> Self {
        Self {
            range: Some(range),
            friction: Some(friction),
            ..self
        }
    }

    fn with_rotor(self, armature: f64) -> Self {
        Self { armature, ..self }
    }

    fn with_spring(self, stiffness: f64) -> Self {
        Self { stiffness, ..self }
    }
}

/// All links, parents before children.
#[rustfmt::skip]
pub(super) fn rows() -> [Row; 12] {
    const RIGHT: f64 = FRAC_PI_2;
    let upper_pin = p::LOWER_PIN + p::PIN_SPACING;
    let carriage = p::LOWER_PIN - p::REMOTE_CENTER_TO_CARRIAGE;
    [
        turn([1, 0], "yaw_link", "yaw", [0.0, RIGHT, 0.0, RIGHT], p::YAW_LINK)
            .driven(p::YAW_RANGE, p::YAW_FRICTION),
        turn([2, 1], "pitch_link", "pitch", [0.0, -RIGHT, 0.0, -RIGHT], p::PITCH_LINK)
            .driven(p::PITCH_RANGE, p::PITCH_FRICTION),
        turn([9, 2], "counterweight", "counterweight", [p::PIN_OFFSET, -RIGHT, 0.0, 0.0], p::COUNTERWEIGHT).slides(),
        turn([5, 2], "upper_bar", "upper_bar", [upper_pin, 0.0, 0.0, RIGHT], p::UPPER_BAR).on_pitch_link(),
        turn([4, 2], "lower_bar", "lower_bar", [p::LOWER_PIN, 0.0, 0.0, RIGHT], p::LOWER_BAR).on_pitch_link(),
        turn([7, 4], "support", "support", [p::SUPPORT_REACH, 0.0, 0.0, PI], p::SUPPORT),
        turn([6, 4], "rail", "rail", [p::BAR_LENGTH, 0.0, 0.0, 0.0], p::GUIDE),
        turn([8, 6], "carriage", "insertion", [p::PIN_OFFSET, -RIGHT, carriage, 0.0], p::CARRIAGE)
            .slides().driven(p::INSERTION_RANGE, p::INSERTION_FRICTION),
        turn([10, 8], "shaft", "roll", [0.0, 0.0, p::TOOL_LENGTH, 0.0], p::INSTRUMENT_LINK)
            .driven(p::ROLL_RANGE, p::ROLL_FRICTION).with_rotor(p::WRIST_ROTOR).with_spring(p::ROLL_SPRING),
        turn([11, 10], "wrist", "wrist_pitch", [0.0, RIGHT, 0.0, RIGHT], p::INSTRUMENT_LINK)
            .driven(p::WRIST_RANGE, p::WRIST_FRICTION).with_rotor(p::WRIST_ROTOR),
        turn([12, 11], "jaw_a", "jaw_a", [p::PITCH_TO_YAW, -RIGHT, 0.0, RIGHT], p::INSTRUMENT_LINK)
            .driven(p::JAW_RANGE, p::JAW_A_FRICTION),
        turn([13, 11], "jaw_b", "jaw_b", [p::PITCH_TO_YAW, -RIGHT, 0.0, RIGHT], p::INSTRUMENT_LINK)
            .driven(p::JAW_RANGE, p::JAW_B_FRICTION),
    ]
}
