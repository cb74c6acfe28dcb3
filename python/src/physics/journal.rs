//! What was done to a scene since its last reset: replaying it gives the same bits.

use serde::{Deserialize, Serialize};

/// Maximum number of commands, which limits the memory to some 20 MB. Steps in a row are one command.
const MAX_COMMANDS: usize = 200_000;

/// A change of a running scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Command {
    /// `reset`.
    Reset,
    /// A number of steps.
    Steps(u64),
    /// Motor torques [N·m].
    Torques(Vec<f64>),
    /// `place`: position [m] and quaternion wxyz.
    Place([f64; 3], [f64; 4]),
    /// `set_softness`: stiffness [N/m] and damping [N·s/m].
    Softness(f64, f64),
    /// Generalised positions.
    Positions(Vec<f64>),
    /// Generalised velocities.
    Velocities(Vec<f64>),
    /// `control_pose`: position [m], quaternion wxyz, stiffness [1/s²].
    Pose([f64; 3], [f64; 4], Option<f64>),
    /// `control_force`: position [m], quaternion wxyz, force [N].
    Force([f64; 3], [f64; 4], f64),
}

/// The commands in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Journal {
    commands: Vec<Command>,
    is_full: bool,
    /// The last change of the softness.
    softness: Option<Command>,
}

impl Journal {
    /// Notes a command. A reset makes those before it irrelevant, but for the softness.
    pub(crate) fn note(&mut self, command: Command) {
        if let Command::Softness(..) = command {
            self.softness = Some(command.clone());
        }
        if command == Command::Reset {
            self.commands.clear();
            self.commands.extend(self.softness.clone());
            self.is_full = false;
        }
        match (self.commands.last_mut(), &command) {
            (Some(Command::Steps(n)), Command::Steps(more)) => {
                *n += more;
                return;
            }
            // Torques that no step has used.
            (Some(last @ Command::Torques(_)), Command::Torques(_)) => {
                *last = command;
                return;
            }
            _ => {}
        }
        if self.commands.len() < MAX_COMMANDS {
            self.commands.push(command);
        } else {
            self.commands = Vec::new();
            self.is_full = true;
        }
    }

    /// The commands; `None` if there were too many to keep.
    pub(crate) fn commands(&self) -> Option<&[Command]> {
        (!self.is_full).then_some(&self.commands)
    }

    /// What a message says about a journal that is full.
    pub(crate) fn problem() -> String {
        format!(
            "more than {MAX_COMMANDS} commands were given since the last reset, too many to save: reset the physics"
        )
    }
}
