//! Driver of the gamepad.

use gilrs::{Axis, Button, EventType, Gamepad, GamepadId, Gilrs};

use super::gamepad::{self, Stick};
use super::window::key;
use crate::LearningError;

/// The first connected gamepad.
#[derive(Debug)]
pub(super) struct Pad {
    driver: Gilrs,
    id: GamepadId,
    sticks: Vec<Stick>,
}

impl Pad {
    /// Opens the first connected gamepad.
    pub(super) fn open(sticks: Vec<Stick>) -> Result<Self, LearningError> {
        let driver = Gilrs::new()
            .map_err(|error| LearningError::Teleoperation(format!("no gamepads: {error}")))?;
        let first = driver.gamepads().next().map(|(id, _)| id);
        let id = first
            .ok_or_else(|| LearningError::Teleoperation("no gamepad is connected".to_owned()))?;
        Ok(Self { driver, id, sticks })
    }

    /// The stick of each entry of the action.
    pub(super) fn sticks(&self) -> &[Stick] {
        &self.sticks
    }

    /// Handles events and returns the pressed buttons as the keys with the same command.
    pub(super) fn take_pressed(&mut self) -> Vec<char> {
        let mut pressed = Vec::new();
        while let Some(event) = self.driver.next_event() {
            let EventType::ButtonPressed(button, _) = event.event else {
                continue;
            };
            match button {
                Button::South => pressed.push(key::ENTER),
                Button::East => pressed.push(key::BACKSPACE),
                Button::Start => pressed.push(key::ESCAPE),
                Button::North => pressed.push(key::TAB),
                Button::West => pressed.push(key::SPACE),
                _ => {}
            }
        }
        pressed
    }

    /// Drives in [-1, 1] for each entry of the action.
    pub(super) fn drives(&self) -> Vec<f32> {
        let pad = self.driver.gamepad(self.id);
        gamepad::drives(&self.sticks, |stick| reading(&pad, stick))
    }
}

/// Position of a stick in [-1, 1].
fn reading(pad: &Gamepad<'_>, stick: Stick) -> f32 {
    let pressed = |button| {
        pad.button_data(button)
            .map_or(0.0, gilrs::ev::state::ButtonData::value)
    };
    match stick {
        Stick::LeftX => pad.value(Axis::LeftStickX),
        Stick::LeftY => pad.value(Axis::LeftStickY),
        Stick::RightX => pad.value(Axis::RightStickX),
        Stick::RightY => pad.value(Axis::RightStickY),
        Stick::Triggers => pressed(Button::RightTrigger2) - pressed(Button::LeftTrigger2),
        Stick::PadX => pressed(Button::DPadRight) - pressed(Button::DPadLeft),
        Stick::PadY => pressed(Button::DPadUp) - pressed(Button::DPadDown),
    }
}
