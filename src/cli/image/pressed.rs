//! A patient under a probe: by kinematics, or held there by a robot.

use insonate::experiments::{Hold, Pictures, hold};
use insonate::sim::render::RenderConfig;
use insonate::ultrasound::Settings;
use insonate::ultrasound::deformation::{Indentation, Rigid};
use insonate::ultrasound::phantom::Adult;
use insonate::ultrasound::transducer::Transducer;
use serde_json::{Value, json};

use super::{ImageCommand, Scanned};
use crate::cli::Usage;
use crate::cli::interrupt::Interrupt;
use crate::cli::outcome::progress_bar;

/// Time in contact: after it the force has settled [s].
const SECONDS: f64 = 1.5;

impl ImageCommand {
    fn adult(&self) -> anyhow::Result<Adult> {
        Ok(Adult::new(&self.scene.adult()?, self.seed).map_err(Usage::new)?)
    }

    /// The patient with the face pressed in, without forces.
    pub(super) fn indented(&self, probe: &Transducer) -> anyhow::Result<Scanned> {
        let adult = self.adult()?;
        let pose = adult
            .probe_pose(self.site, self.rotation.to_radians(), self.indentation)
            .map_err(Usage::new)?;
        let pressed = Indentation::new(Rigid::default(), &adult, probe, &pose, Indentation::DECAY)
            .map_err(Usage::new)?;
        Ok(Scanned {
            phantom: Box::new(adult),
            deformation: Box::new(pressed),
            pose,
            pictures: Pictures::none(),
        })
    }

    /// The patient of the scene, pressed by its robot.
    pub(super) fn pressed(
        &self,
        probe: &Transducer,
        settings: &Settings,
        force: f64,
        figures: &mut Value,
    ) -> anyhow::Result<Scanned> {
        let adult = self.adult()?;
        let scene = self.scene.build_adult()?;
        let wanted = Hold {
            site: self.site,
            rotation: self.rotation.to_radians(),
            force,
            seconds: SECONDS,
        };
        wanted.check().map_err(Usage::new)?;
        let mut pictures = match self.output {
            Some(_) => Pictures::of_cameras(&["close"], RenderConfig::default()),
            None => Pictures::none(),
        };
        let (bar, interrupt) = (progress_bar("pressing")?, Interrupt::listen()?);
        let held = hold(&scene, &wanted, &mut pictures, &mut |share| {
            bar.set_position((1000.0 * share) as u64);
            interrupt.flow()
        });
        bar.finish_and_clear();
        if interrupt.came() {
            return Err(interrupt.error("nothing was saved").into());
        }
        let held = held?;
        figures["scene"] = json!(scene.name());
        figures["force_n"] = json!(held.force);
        figures["indentation_m"] = json!(held.indentation);
        let pose = held.torso_from_probe;
        let deformation = held
            .torso
            .under(&adult, probe, &pose, settings.depth)
            .map_err(Usage::new)?;
        Ok(Scanned {
            phantom: Box::new(adult),
            deformation: Box::new(deformation),
            pose,
            pictures,
        })
    }
}
