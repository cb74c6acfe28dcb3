//! What `--softness` gives the torso of a scene.

use std::path::{Path, PathBuf};

use insonate::calibration::softness::SoftnessFile;
use insonate::envs::probe::tuned_torso;
use insonate::models::torsos::{Softness, TorsoConfig};
use insonate::models::{ModelError, TunedTorso};

/// The softness of one kind of torso in a file.
pub(super) struct Tuning {
    path: PathBuf,
    torso: TunedTorso,
    /// Whether the file has an entry for the kind of torso; else the softness is the pooled one.
    has_entry: bool,
}

impl Tuning {
    /// Reads the softness of a kind of torso.
    pub(super) fn read(path: &Path, torso: &str) -> anyhow::Result<Self> {
        let file = SoftnessFile::read(path)?;
        if let Some(entry) = file.scene.get(torso) {
            return Ok(Self {
                path: path.to_owned(),
                torso: tuned_torso(entry),
                has_entry: true,
            });
        }
        let [stiffness, damping] = file
            .stiffness_and_damping()
            .ok_or_else(|| anyhow::anyhow!("{} {}", path.display(), file.missing_softness()))?;
        Ok(Self {
            path: path.to_owned(),
            torso: TunedTorso {
                softness: Softness { stiffness, damping },
                ..TunedTorso::default()
            },
            has_entry: false,
        })
    }

    /// The tuned torso, with its lattice unless an option gives one.
    pub(super) fn torso(&self, gives_lattice: bool) -> TunedTorso {
        TunedTorso {
            gives_lattice,
            ..self.torso.clone()
        }
    }

    /// An error of a configuration, with the place in the file.
    pub(super) fn problem(&self, torso: &str, error: &ModelError) -> anyhow::Error {
        let shown = self.path.display();
        if self.has_entry {
            anyhow::anyhow!("{shown}: scene.{torso}: {error}")
        } else {
            anyhow::anyhow!("{shown}: {error}")
        }
    }

    /// Says on standard error which entry of the file the configuration has taken.
    pub(super) fn tell(&self, torso: &str, config: &TorsoConfig) {
        let shown = self.path.display();
        let Softness { stiffness, damping } = config.softness;
        if !self.has_entry {
            eprintln!(
                "note: torso {torso} takes the pooled softness of {shown}: stiffness {stiffness} N/m, damping {damping} N·s/m; \
                 what a press of it measures may differ, `insonate calibrate --fit-scene` tunes it"
            );
            return;
        }
        eprintln!(
            "note: torso {torso} takes its softness from [scene.{torso}] of {shown}: stiffness {stiffness} N/m, damping {damping} N·s/m"
        );
        if let Some(difference) = self.torso.difference(config) {
            eprintln!("note: {difference}");
        }
    }
}
