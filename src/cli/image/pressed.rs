//! A patient under a probe: by kinematics, or held there by a robot.

use insonate::experiments::{Hold, Pictures, hold};
use insonate::models::patients::Physique;
use insonate::report::BodySurfaces;
use insonate::sim::render::RenderConfig;
use insonate::ultrasound::Settings;
use insonate::ultrasound::deformation::{Indentation, Rigid};
use insonate::ultrasound::phantom::{Adult, Phantom};
use insonate::ultrasound::transducer::Transducer;
use nalgebra::Isometry3;
use serde_json::{Value, json};

use super::view_3d::rigid_parts;
use super::{ImageCommand, ImagingSetup};
use crate::cli::Usage;
use crate::cli::interrupt::Interrupt;
use crate::cli::patient_args::Person;
use crate::cli::progress_bar::named_bar;

/// Time in contact: after it the force has settled [s].
const SECONDS: f64 = 1.5;
/// Where the probe stands unless a site is given: over liver and gallbladder [m].
const SITE: [f64; 2] = [-0.09, -0.035];

impl ImageCommand {
    fn adult(&self, physique: &Physique) -> anyhow::Result<Adult> {
        Ok(Adult::new(physique, self.seed).map_err(Usage::new)?)
    }

    /// The patient with the face pressed in, without forces.
    pub(super) fn indented(
        &self,
        physique: &Physique,
        probe: &Transducer,
        figures: &mut Value,
    ) -> anyhow::Result<ImagingSetup> {
        let adult = self.adult(physique)?;
        let pose = adult
            .probe_pose(self.patient_site(), self.turn(), self.depth_pressed())
            .map_err(Usage::new)?;
        Self::kinematic(self.with_lesions(adult, figures)?, probe, pose)
    }

    /// The patient with what is put into the liver.
    fn with_lesions(&self, adult: Adult, figures: &mut Value) -> anyhow::Result<Box<dyn Phantom>> {
        let bounds = adult.bounds();
        self.with_inserts(Box::new(adult), "liver", bounds, figures)
    }

    /// What a face is pressed into by kinematics.
    pub(super) fn kinematic(
        phantom: Box<dyn Phantom>,
        probe: &Transducer,
        pose: Isometry3<f64>,
    ) -> anyhow::Result<ImagingSetup> {
        let (rigid, decay) = (Rigid::default(), Indentation::DECAY);
        let pressed =
            Indentation::new(rigid, &*phantom, probe, &pose, decay).map_err(Usage::new)?;
        Ok(ImagingSetup::new(phantom, Box::new(pressed), pose))
    }

    fn patient_site(&self) -> [f64; 2] {
        self.site.unwrap_or(SITE)
    }

    /// The patient of the scene, pressed by its robot.
    pub(super) fn pressed(
        &self,
        person: &Person,
        (probe, settings): (&Transducer, &Settings),
        force: f64,
        figures: &mut Value,
    ) -> anyhow::Result<ImagingSetup> {
        let scene = self.scene.build_with(person)?;
        let (mut unlabelled, mut surfaces, mut origin) = (None, None, [0.0; 3]);
        let mut site = self.patient_site();
        let phantom = match person {
            Person::Own(own) => {
                let volume = own.phantom().map_err(Usage::new)?;
                unlabelled = Some(volume.unlabelled());
                site = self.site.unwrap_or(own.usual_site());
                origin = own.torso_origin();
                surfaces = Some(BodySurfaces::of_patient(own.patient(), origin));
                let bounds = volume.bounds();
                Self::tell_own(own, site, figures);
                self.with_inserts(Box::new(volume), "liver", bounds, figures)?
            }
            Person::Adult(physique) => self.with_lesions(self.adult(physique)?, figures)?,
            Person::Nobody => anyhow::bail!("there is no patient to look at"),
        };
        let wanted = Hold {
            site,
            rotation: self.turn(),
            force,
            seconds: SECONDS,
            max_force: self.max_force,
            limits: self.verdict.limits()?,
        };
        wanted.check().map_err(Usage::new)?;
        let mut pictures = match self.output {
            Some(_) => Pictures::of_cameras(&["close"], RenderConfig::still(640, 480)),
            None => Pictures::none(),
        };
        let (bar, interrupt) = (named_bar("pressing")?, Interrupt::listen()?);
        let held = hold(&scene, &wanted, &mut pictures, &mut |share| {
            bar.set_position((1000.0 * share) as u64);
            interrupt.flow()
        });
        bar.finish_and_clear();
        if interrupt.is_interrupted() {
            return Err(interrupt.error("nothing was saved").into());
        }
        let held = held?;
        figures["scene"] = json!(scene.name());
        figures["verdict"] = json!(held.verdict.outcome);
        figures["reasons"] = json!(held.verdict.reasons);
        figures["force_n"] = json!(held.force);
        figures["mean_force_n"] = json!(held.force);
        figures["force_mae_n"] = json!(held.force_mae);
        figures["peak_force_n"] = json!(held.peak_force);
        figures["indentation_m"] = json!(held.indentation);
        figures["depth_limit_m"] = json!(held.depth_limit);
        figures["warnings"] = json!(held.warnings);
        // Those of a label volume are told together with what its image shows.
        if unlabelled.is_none() {
            for warning in &held.warnings {
                eprintln!("warning: {warning}");
            }
        }
        let pose = held.torso_from_probe;
        let deformation = held
            .torso
            .under(&*phantom, probe, &pose, settings.depth)
            .map_err(Usage::new)?;
        Ok(ImagingSetup {
            pictures,
            verdict: Some(held.verdict),
            unlabelled,
            surfaces,
            rigid: rigid_parts(held.surfaces),
            origin,
            ..ImagingSetup::new(phantom, Box::new(deformation), pose)
        })
    }
}
