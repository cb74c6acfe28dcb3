//! A neck under a probe.

use insonate::ultrasound::phantom::Neck;
use insonate::ultrasound::transducer::Transducer;
use serde_json::{Value, json};

use super::{ImageCommand, ImagingSetup};
use crate::cli::Usage;

impl ImageCommand {
    /// The neck with the face pressed in, without forces.
    pub(super) fn neck(
        &self,
        probe: &Transducer,
        figures: &mut Value,
    ) -> anyhow::Result<ImagingSetup> {
        let neck = Neck::new(self.seed);
        let site = self.site.unwrap_or_default();
        figures["site_m"] = json!(site);
        let pose = neck
            .probe_pose(site, self.turn(), self.depth_pressed())
            .map_err(Usage::new)?;
        let phantom =
            self.with_inserts(Box::new(neck), "thyroid", Neck::thyroid_bounds(), figures)?;
        Self::kinematic(phantom, probe, pose)
    }
}
