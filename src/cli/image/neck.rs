//! A neck under a probe.

use insonate::ultrasound::phantom::Neck;
use insonate::ultrasound::transducer::Transducer;
use serde_json::json;

use super::ImageCommand;
use super::report::ImageReport;
use super::setup::ImagingSetup;
use crate::cli::Usage;

impl ImageCommand {
    /// The neck with the face pressed in, without forces.
    pub(super) fn neck(
        &self,
        probe: &Transducer,
        report: &mut ImageReport,
    ) -> anyhow::Result<ImagingSetup> {
        let neck = Neck::new(self.seed);
        let site = self.site.unwrap_or_default();
        report.set("site_m", json!(site));
        let pose = neck
            .probe_pose(site, self.turn(), self.depth_pressed())
            .map_err(Usage::new)?;
        let phantom =
            self.with_inserts(Box::new(neck), "thyroid", Neck::thyroid_bounds(), report)?;
        Self::kinematic(phantom, probe, pose)
    }
}
