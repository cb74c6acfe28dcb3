//! A patient under a probe: by kinematics, or held there by a robot.

use insonate::experiments::{Held, Hold, Pictures, hold};
use insonate::models::Scene;
use insonate::models::patients::Physique;
use insonate::report::BodySurfaces;
use insonate::sim::render::RenderConfig;
use insonate::ultrasound::Settings;
use insonate::ultrasound::deformation::{Indentation, Rigid};
use insonate::ultrasound::phantom::{Adult, Phantom};
use insonate::ultrasound::transducer::Transducer;
use nalgebra::Isometry3;
use serde_json::json;

use super::ImageCommand;
use super::report::ImageReport;
use super::setup::ImagingSetup;
use super::strain::SecondLoad;
use super::view_3d::rigid_parts;
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
        report: &mut ImageReport,
    ) -> anyhow::Result<ImagingSetup> {
        let adult = self.adult(physique)?;
        let pose = adult
            .probe_pose(self.patient_site(), self.turn(), self.depth_pressed())
            .map_err(Usage::new)?;
        Self::kinematic(self.with_lesions(adult, report)?, probe, pose)
    }

    /// The patient with what is put into the liver.
    fn with_lesions(
        &self,
        adult: Adult,
        report: &mut ImageReport,
    ) -> anyhow::Result<Box<dyn Phantom>> {
        let bounds = adult.bounds();
        self.with_inserts(Box::new(adult), "liver", bounds, report)
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
        report: &mut ImageReport,
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
                Self::tell_own(own, site, report);
                self.with_inserts(Box::new(volume), "liver", bounds, report)?
            }
            Person::Adult(physique) => self.with_lesions(self.adult(physique)?, report)?,
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
        let second = self.second_force()?;
        let second = second.map(|force| Hold {
            force,
            ..wanted.clone()
        });
        second
            .as_ref()
            .map_or(Ok(()), Hold::check)
            .map_err(Usage::new)?;
        let held = held(&scene, &wanted, &mut pictures)?;
        report.set("scene", json!(scene.name()));
        report.set("verdict", json!(held.verdict.outcome));
        report.set("reasons", json!(held.verdict.reasons));
        report.set("force_n", json!(held.force));
        report.set("mean_force_n", json!(held.force));
        report.set("force_mae_n", json!(held.force_mae));
        report.set("peak_force_n", json!(held.peak_force));
        report.set("indentation_m", json!(held.indentation));
        report.set("depth_limit_m", json!(held.depth_limit));
        report.set("warnings", json!(held.warnings));
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
        let mut verdict = held.verdict;
        let second = second.map(|wanted| {
            let again = self::held(&scene, &wanted, &mut Pictures::none())?;
            report.set("strain_force_n", json!(again.force));
            report.set("strain_reasons", json!(again.verdict.reasons));
            let pose = again.torso_from_probe;
            let deformation = again
                .torso
                .under(&*phantom, probe, &pose, settings.depth)
                .map_err(Usage::new)?;
            if verdict.is_passed() {
                verdict = again.verdict;
            }
            anyhow::Ok(SecondLoad {
                deformation: Box::new(deformation),
                pose,
            })
        });
        Ok(ImagingSetup {
            pictures,
            second: second.transpose()?,
            verdict: Some(verdict),
            unlabelled,
            surfaces,
            rigid: rigid_parts(held.surfaces),
            origin,
            ..ImagingSetup::new(phantom, Box::new(deformation), pose)
        })
    }
}

/// Holds the probe, with a bar.
fn held(scene: &Scene, wanted: &Hold, pictures: &mut Pictures) -> anyhow::Result<Held> {
    let (bar, interrupt) = (named_bar("pressing")?, Interrupt::listen()?);
    let held = hold(scene, wanted, pictures, &mut |share| {
        bar.set_position((1000.0 * share) as u64);
        interrupt.flow()
    });
    bar.finish_and_clear();
    if interrupt.is_interrupted() {
        return Err(interrupt.error("nothing was saved").into());
    }
    Ok(held?)
}
