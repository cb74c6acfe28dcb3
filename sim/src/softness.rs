//! Another softness for the torso of a running scene, without compiling.

use insonate_models::torsos::{TorsoConfig, TorsoKind};

use crate::shell::ShellSolref;
use crate::{Physics, SimError};

impl Physics {
    /// Gives the torso the softness of `config`, as if the scene had been compiled with it.
    ///
    /// A shell keeps its displacements; tissue returns to rest. `kind` is that of the scene's torso, and `config` differs from the compiled
    /// one in its softness only.
    ///
    /// # Errors
    /// [`SimError::Softness`] for a torso that MuJoCo steps, and without a torso; [`SimError::Shell`] for a shell of other constraints than
    /// ours; [`SimError::Tissue`] for numbers out of range.
    pub fn set_softness(&mut self, kind: &TorsoKind, config: &TorsoConfig) -> Result<(), SimError> {
        if let Some(shell) = self.shell_mut() {
            return shell.set_solref(&ShellSolref::from(config));
        }
        match (self.coupling_mut(), kind.tissue_material(config)) {
            (Some(coupling), Some(material)) => coupling.set_material(material),
            _ => Err(SimError::Softness { kind: kind.name }),
        }
    }
}
