//! Another breath for the torso of a scene, without compiling.

use insonate_models::torsos::Breathing;

use crate::{Physics, SimError};

impl Physics {
    /// Gives a breathing torso another rate and amplitude, as if the scene had been compiled with them, and sets the phase of the breath
    /// [rad]: 0 breathed out, π breathed in.
    ///
    /// Intended for the start of an episode, after a reset: the torso moves without contact.
    ///
    /// # Errors
    /// [`SimError::Model`] for a rate or amplitude out of range; [`SimError::Breathing`] for a torso that MuJoCo steps, and without a torso; [`SimError::Shell`] or [`SimError::Solid`] if it was
    /// compiled without breathing.
    pub fn set_breathing(&mut self, breathing: &Breathing, phase: f64) -> Result<(), SimError> {
        breathing.check()?;
        if let Some(shell) = self.shell_mut() {
            shell.set_breathing(breathing)?;
            return shell.set_breath_phase(phase);
        }
        let (Some(coupling), data) = self.coupling_and_data() else {
            return Err(SimError::Breathing);
        };
        coupling.set_breathing(breathing, phase, data)?;
        self.forward();
        Ok(())
    }

    /// Rise of the torso by its breath [m] and its rate [m/s]; `None` for a torso that does not breathe, or that MuJoCo steps.
    pub fn breath(&self) -> Option<[f64; 2]> {
        match self.shell() {
            Some(shell) => shell.breath(),
            None => self.coupling()?.breath(self.data()),
        }
    }
}
