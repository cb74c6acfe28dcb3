//! Where an image comes from: a test block, a neck, label volumes, or a patient with or without a robot.

use insonate::ultrasound::Settings;
use insonate::ultrasound::deformation::{Point, Rigid};
use insonate::ultrasound::transducer::Transducer;
use nalgebra::Isometry3;

use super::ImageCommand;
use super::report::ImageReport;
use super::setup::ImagingSetup;
use crate::cli::Usage;
use crate::cli::patient_args::Person;

impl ImageCommand {
    /// The phantom that the options name, with its deformation and the pose of the probe.
    pub(super) fn scanned(
        &self,
        probe: &Transducer,
        settings: &Settings,
        report: &mut ImageReport,
    ) -> anyhow::Result<ImagingSetup> {
        if let (Some(file), Some(materials)) = (&self.labels, &self.materials) {
            return self.labelled(file, materials, (probe, settings), report);
        }
        let Some(word) = self.phantom else {
            let person = self.scene.patient()?;
            return match (&person, self.force) {
                (_, Some(force)) => self.pressed(&person, (probe, settings), force, report),
                (Person::Own(own), None) => self.of_patient(own, probe, report),
                (Person::Adult(physique), None) => self.indented(physique, probe, report),
                (Person::Nobody, None) => anyhow::bail!("there is no patient to look at"),
            };
        };
        if self.is_inclusion() {
            return self.with_inclusion((probe, settings), report);
        }
        let block = word.block(
            settings.depth as f32,
            &self.depths(Settings::of(probe).depth),
            self.attenuation(),
            settings.speed_of_sound,
            self.rod(),
        );
        let Some(block) = block.map_err(Usage::new)? else {
            return self.neck(probe, report);
        };
        block.check().map_err(Usage::new)?;
        // What the plane shows.
        let reach = 0.25 * settings.depth as f32;
        let region = [
            Point::new(-reach, 0.0, 0.5 * reach),
            Point::new(reach, 0.0, 3.5 * reach),
        ];
        let phantom = self.with_inserts(Box::new(block), "soft tissue", region, report)?;
        let rigid = Box::new(Rigid::default());
        Ok(ImagingSetup::new(phantom, rigid, Isometry3::identity()))
    }
}
