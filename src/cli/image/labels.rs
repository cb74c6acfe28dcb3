//! A user's own label volume under a probe.

use std::path::Path;

use insonate::ultrasound::phantom::LabelVolume;
use insonate::ultrasound::phantom::labels::{LabelImage, MaterialTable};
use insonate::ultrasound::transducer::Transducer;
use serde_json::{Value, json};

use super::{ImageCommand, Scanned};
use crate::cli::Usage;

impl ImageCommand {
    /// The volume with the face pressed in, without forces.
    pub(super) fn labelled(
        &self,
        file: &Path,
        materials: &Path,
        probe: &Transducer,
        figures: &mut Value,
    ) -> anyhow::Result<Scanned> {
        let table = MaterialTable::read(materials).map_err(Usage::new)?;
        let image = LabelImage::read(file).map_err(Usage::new)?;
        for note in image.notes() {
            eprintln!("note: {}: {note}", file.display());
        }
        figures["notes"] = json!(image.notes());
        let volume = LabelVolume::new(&image, &table).map_err(Usage::new)?;
        let bounds = volume.bounds();
        let middle = nalgebra::center(&bounds[0], &bounds[1]).cast::<f64>();
        let site = self.site.unwrap_or([middle.x, middle.y]);
        figures["site_m"] = json!(site);
        let pose = volume
            .probe_pose(site, self.turn(), self.depth_pressed())
            .map_err(Usage::new)?;
        let phantom = self.with_inserts(Box::new(volume), "liver", bounds, figures)?;
        Self::kinematic(phantom, probe, pose)
    }
}
