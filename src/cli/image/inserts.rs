//! Lesions and organs of a user's own that are put into what is imaged.

use insonate::ultrasound::deformation::Point;
use insonate::ultrasound::phantom::{Insert, Inserts, LesionFigures, Phantom, place_lesions};

use super::ImageCommand;
use super::organs::Organ;
use super::report::ImageReport;
use crate::cli::Usage;

impl ImageCommand {
    /// With the lesions that are wanted, in an organ between two corners [m], and organs from files.
    pub(super) fn with_inserts(
        &self,
        phantom: Box<dyn Phantom>,
        organ: &str,
        region: [Point; 2],
        report: &mut ImageReport,
    ) -> anyhow::Result<Box<dyn Phantom>> {
        let phantom = self.with_meshes(phantom)?;
        if self.lesion.is_empty() {
            return Ok(phantom);
        }
        let lesions = place_lesions(&self.lesion, &*phantom, organ, region, self.seed);
        let lesions = lesions.map_err(Usage::new)?;
        let listed: Vec<_> = lesions.iter().filter_map(LesionFigures::of).collect();
        report.set("lesions", serde_json::to_value(listed)?);
        Ok(Box::new(
            Inserts::new(phantom, &lesions).map_err(Usage::new)?,
        ))
    }

    fn with_meshes(&self, phantom: Box<dyn Phantom>) -> anyhow::Result<Box<dyn Phantom>> {
        if self.organ.is_empty() {
            return Ok(phantom);
        }
        let organs = self.organ.iter().map(|text| self.organ(text, &*phantom));
        let organs = organs.collect::<anyhow::Result<Vec<Organ>>>()?;
        let inserts: Vec<Insert> = organs.iter().map(|organ| organ.insert.clone()).collect();
        // Told of when the picture is there.
        let _ = self.organs.set(organs);
        Ok(Box::new(
            Inserts::new(phantom, &inserts).map_err(Usage::new)?,
        ))
    }
}
