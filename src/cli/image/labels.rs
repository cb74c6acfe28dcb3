//! A user's own label volume under a probe.

use std::path::Path;

use insonate::experiments::OwnPatient;
use insonate::report::BodySurfaces;
use insonate::ultrasound::measure::GasBehind;
use insonate::ultrasound::phantom::LabelVolume;
use insonate::ultrasound::phantom::labels::{LabelImage, MaterialTable, Neighbourhood};
use insonate::ultrasound::transducer::Transducer;
use insonate::ultrasound::{BMode, Frame, Settings, View};
use serde_json::{Value, json};

use super::ImageCommand;
use super::report::ImageReport;
use super::setup::ImagingSetup;
use crate::cli::Usage;

/// Share of the labelled voxels outside of the body above which the two files may not have one frame.
const MOST_BEYOND: f64 = 0.1;

impl ImageCommand {
    /// The volume with the face pressed in, without forces.
    pub(super) fn labelled(
        &self,
        file: &Path,
        materials: &Path,
        (probe, settings): (&Transducer, &Settings),
        report: &mut ImageReport,
    ) -> anyhow::Result<ImagingSetup> {
        let table = MaterialTable::read(materials).map_err(Usage::new)?;
        let near = |site| Neighbourhood {
            site,
            depth: settings.depth,
        };
        let image = read(file, &near(self.site))?;
        let site = self.site.or(image.site());
        let mut notes = image.notes().to_vec();
        let mut warnings = Vec::new();
        let volume = match &self.body {
            None => LabelVolume::new(&image, &table).map_err(Usage::new)?,
            Some(body) => {
                let body = read(body, &near(site.or(Some(image.middle()))))?;
                notes.extend_from_slice(body.notes());
                let volume = LabelVolume::within(&image, &table, &body).map_err(Usage::new)?;
                warnings.extend(beyond(volume.beyond_body()));
                volume
            }
        };
        report.set("notes", json!(notes));
        report.set("warnings", json!(warnings));
        let bounds = volume.bounds();
        let middle = nalgebra::center(&bounds[0], &bounds[1]).cast::<f64>();
        let site = site.unwrap_or([middle.x, middle.y]);
        report.set("site_m", json!(site));
        let pose = volume
            .probe_pose(site, self.turn(), self.depth_pressed())
            .map_err(Usage::new)?;
        let unlabelled = Some(volume.unlabelled());
        let phantom = self.with_inserts(Box::new(volume), "liver", bounds, report)?;
        Ok(ImagingSetup {
            unlabelled,
            ..Self::kinematic(phantom, probe, pose)?
        })
    }

    /// The labels of a patient's folder with the face pressed in, without forces.
    pub(super) fn of_patient(
        &self,
        own: &OwnPatient,
        probe: &Transducer,
        report: &mut ImageReport,
    ) -> anyhow::Result<ImagingSetup> {
        let volume = own.phantom().map_err(Usage::new)?;
        let site = self.site.unwrap_or(own.usual_site());
        Self::tell_own(own, site, report);
        report.set("warnings", json!([]));
        let pose = volume
            .probe_pose(site, self.turn(), self.depth_pressed())
            .map_err(Usage::new)?;
        let (unlabelled, bounds) = (Some(volume.unlabelled()), volume.bounds());
        let phantom = self.with_inserts(Box::new(volume), "liver", bounds, report)?;
        let origin = own.torso_origin();
        Ok(ImagingSetup {
            unlabelled,
            surfaces: Some(BodySurfaces::of_patient(own.patient(), origin)),
            origin,
            ..Self::kinematic(phantom, probe, pose)?
        })
    }

    /// Who is imaged, and where the probe is.
    pub(super) fn tell_own(own: &OwnPatient, site: [f64; 2], report: &mut ImageReport) {
        report.set("patient", json!(own.patient().description.source));
        report.set("torso_origin_m", json!(own.torso_origin()));
        report.set("site_m", json!(site));
    }

    /// Tells where much gas without a label lies behind the skin.
    pub(super) fn warn_of_gas(
        &self,
        b_mode: &BMode,
        frame: &Frame,
        scanned: &ImagingSetup,
        report: &mut ImageReport,
    ) -> anyhow::Result<()> {
        let Some(unlabelled) = &scanned.unlabelled else {
            return Ok(());
        };
        let view = View::new(&*scanned.phantom, &*scanned.deformation, &scanned.pose)?;
        let is_within = |line: usize, sample: usize| {
            let rest = view.rest(&b_mode.point(line, sample));
            rest.is_some_and(|rest| unlabelled.has_voxel(&rest))
        };
        let materials = scanned.phantom.materials();
        let gas = GasBehind::new(frame, materials, &unlabelled.gases, is_within);
        if let Some(warnings) = report.warnings() {
            if gas.is_uncertain() {
                warnings.push(self.gas_warning(gas).into());
            }
            for warning in warnings.iter().filter_map(Value::as_str) {
                eprintln!("warning: {warning}");
            }
        }
        Ok(())
    }

    fn gas_warning(&self, gas: GasBehind) -> String {
        let [all, enclosed] = [gas.share, gas.enclosed].map(|share| 100.0 * share);
        let cure = match self.body {
            None if self.labels.is_none() => {
                "does the body of the patient's segmentation hold all of it?"
            }
            None => "is it tissue without a label? give the body with --body-mask MASK",
            Some(_) => "does --body-mask hold all of the body?",
        };
        format!(
            "{all:.0} % of the frame behind the skin is label 0, {enclosed:.0} % has tissue again behind it: {cure}"
        )
    }
}

/// A label volume, whose notes are told.
fn read(file: &Path, near: &Neighbourhood) -> anyhow::Result<LabelImage> {
    let image = LabelImage::read_near(file, near).map_err(Usage::new)?;
    for note in image.notes() {
        eprintln!("note: {}: {note}", file.display());
    }
    Ok(image)
}

/// A warning where much of what has labels is outside of the body.
fn beyond(share: f64) -> Option<String> {
    (share > MOST_BEYOND).then(|| {
        let share = 100.0 * share;
        format!("{share:.0} % of the voxels with labels are outside of the body: are both files in the same frame?")
    })
}
