//! Strain between two loads: of a block with an inclusion, or of a pressed patient.

use insonate::experiments::{Inclusion, LoadedBody, StrainFigures, strain_map, strain_picture};
use insonate::files::OutputFolder;
use insonate::ultrasound::deformation::{Deformation, Point, Rigid};
use insonate::ultrasound::measure::StrainMap;
use insonate::ultrasound::transducer::Transducer;
use insonate::ultrasound::{BMode, Frame, Settings};
use nalgebra::Isometry3;

use super::phantom::PhantomArg;
use super::report::ImageReport;
use super::setup::ImagingSetup;
use super::{ImageCommand, ImageError};
use crate::cli::Usage;

/// Strain by which plates shorten the block of an inclusion.
const COMPRESSION: f64 = 0.01;
/// Force of the second load over that of the first, if none is given.
const MORE_FORCE: f64 = 1.1;

#[derive(Debug, clap::Args)]
pub(super) struct StrainArgs {
    /// Also image the strain between two loads: of --phantom inclusion, or of a patient that --force presses.
    #[arg(long)]
    pub(super) strain: bool,
    /// Young's modulus of the inclusion over that of the tissue around it, for --strain [default: 3]
    #[arg(long, value_name = "RATIO")]
    stiffness_ratio: Option<f64>,
    /// Force of the second load for --strain [N] [default: 1.1 times --force]
    #[arg(long, value_name = "N")]
    strain_force: Option<f64>,
}

/// A body under its second load.
pub(super) struct SecondLoad {
    pub(super) deformation: Box<dyn Deformation>,
    /// Of the probe, in the phantom's frame.
    pub(super) pose: Isometry3<f64>,
}

impl ImageCommand {
    /// Refuses options of strain that have no effect.
    pub(super) fn check_strain(&self) -> Result<(), Usage> {
        let StrainArgs {
            strain,
            stiffness_ratio,
            strain_force,
        } = self.strain;
        let is_inclusion = self.is_inclusion();
        let rules = [
            (
                strain && !is_inclusion && self.force.is_none(),
                "--strain",
                "two loads, of --phantom inclusion or of a patient that --force N presses",
            ),
            (
                stiffness_ratio.is_some() && !(strain && is_inclusion),
                "--stiffness-ratio",
                "--phantom inclusion and --strain",
            ),
            (
                strain_force.is_some() && !(strain && self.force.is_some()),
                "--strain-force",
                "--force N and --strain",
            ),
            (
                self.radius.is_some() && !is_inclusion && !self.is_rod(),
                "--radius",
                "--phantom rod or inclusion",
            ),
        ];
        match rules.into_iter().find(|(is_without, ..)| *is_without) {
            None => Ok(()),
            Some((_, option, needed)) => Err(Usage::new(ImageError(format!(
                "{option} has no effect on this image: it needs {needed}"
            )))),
        }
    }

    pub(super) fn is_inclusion(&self) -> bool {
        matches!(self.phantom, Some(PhantomArg::Inclusion))
    }

    fn inclusion(&self) -> Inclusion {
        Inclusion {
            radius: self.radius.unwrap_or(0.005),
            stiffness_ratio: self.strain.stiffness_ratio.unwrap_or(3.0),
        }
    }

    /// Force of the second load, if the strain of a pressed patient is imaged.
    pub(super) fn second_force(&self) -> Result<Option<f64>, Usage> {
        let Some(force) = self.force.filter(|_| self.strain.strain) else {
            return Ok(None);
        };
        let second = self.strain.strain_force.unwrap_or(MORE_FORCE * force);
        if second == force {
            let problem = format!("--strain-force is {second} N; it must differ from --force");
            return Err(Usage::new(ImageError(problem)));
        }
        Ok(Some(second))
    }

    /// The block with the inclusion at rest, and pressed if its strain is imaged.
    pub(super) fn with_inclusion(
        &self,
        (probe, settings): (&Transducer, &Settings),
        report: &mut ImageReport,
    ) -> anyhow::Result<ImagingSetup> {
        let (inclusion, depth) = (self.inclusion(), settings.depth);
        let block = Box::new(inclusion.phantom(depth).map_err(Usage::new)?);
        let reach = 0.25 * depth as f32;
        let region = [
            Point::new(-reach, 0.0, 0.5 * reach),
            Point::new(reach, 0.0, 3.5 * reach),
        ];
        let phantom = self.with_inserts(block, "soft tissue", region, report)?;
        let second = if self.strain.strain {
            report.set("stiffness_ratio", inclusion.stiffness_ratio);
            report.set("compression", COMPRESSION);
            Some(SecondLoad {
                deformation: Box::new(inclusion.pressed(probe, depth, COMPRESSION)?),
                pose: Isometry3::identity(),
            })
        } else {
            None
        };
        Ok(ImagingSetup {
            second,
            ..ImagingSetup::new(phantom, Box::new(Rigid::default()), Isometry3::identity())
        })
    }

    /// The strain between the loads, if there are two, and its figures.
    pub(super) fn strain_between(
        &self,
        (probe, settings): (&Transducer, &Settings),
        scanned: &ImagingSetup,
        report: &mut ImageReport,
    ) -> anyhow::Result<Option<StrainMap>> {
        let Some(second) = &scanned.second else {
            return Ok(None);
        };
        let loads = [
            LoadedBody {
                deformation: &*scanned.deformation,
                pose: &scanned.pose,
            },
            LoadedBody {
                deformation: &*second.deformation,
                pose: &second.pose,
            },
        ];
        let map = strain_map(probe, settings, &*scanned.phantom, loads).map_err(Usage::new)?;
        report.add(&StrainFigures::of(&map))?;
        if self.is_inclusion() {
            let figures = self.inclusion().figures(probe, settings, &map);
            report.add(&figures.map_err(Usage::new)?)?;
        }
        Ok(Some(map))
    }

    pub(super) fn write_strain(
        &self,
        b_mode: &BMode,
        frame: &Frame,
        map: &StrainMap,
        folder: &OutputFolder,
    ) -> anyhow::Result<()> {
        let converter = b_mode.scan_converter(self.size).map_err(Usage::new)?;
        folder.write("strain.png", &strain_picture(&converter, frame, map)?)?;
        folder.write("strain.nrrd", &map.to_nrrd())?;
        Ok(())
    }
}
