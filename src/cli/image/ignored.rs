//! Options that have no effect on what is imaged: they are refused by name.

use super::phantom::PhantomArg;
use super::{ImageCommand, ImageError};
use crate::cli::{Usage, given};

impl ImageCommand {
    /// Refuses options that the image would not depend on.
    pub(super) fn check_effects(&self) -> Result<(), Usage> {
        let scene = self.scene.given();
        let other = self.phantom.is_some() || self.labels.is_some();
        let (block, depths_matter, attenuation) = match self.phantom {
            None | Some(PhantomArg::Neck) => (false, false, false),
            Some(PhantomArg::Points) => (true, true, true),
            Some(PhantomArg::Attenuation) => (true, false, true),
            Some(PhantomArg::Rod) => (true, true, false),
            Some(_) => (true, false, false),
        };
        let limits = [("--limit", !self.verdict.is_empty())];
        let placing = [
            ("--site", self.site.is_some()),
            ("--rotation", self.rotation.is_some()),
            ("--indentation", self.indentation.is_some()),
        ];
        let depths = [("--depths", !self.depths.is_empty())];
        let rod = [
            // With one of the two, it is the other's older name.
            (
                "--depth",
                self.depth.is_some() && self.imaging_depth.is_some(),
            ),
        ];
        let alpha = [("--alpha", self.alpha.is_some())];
        let rules = [
            (
                self.force.is_none(),
                [scene.scene, given(&limits)].concat(),
                "a robot that presses the probe, which --force N gives",
            ),
            (
                other,
                scene.patient,
                "a patient; leave out --phantom and --labels",
            ),
            (
                block,
                given(&placing),
                "a body; the probe lies on the middle of a test block",
            ),
            (!depths_matter, given(&depths), "--phantom points or rod"),
            (!self.is_rod(), given(&rod), "--phantom rod"),
            (
                !attenuation,
                given(&alpha),
                "--phantom attenuation or points",
            ),
        ];
        for (is_without, options, needed) in rules {
            if let Some(option) = options.first().filter(|_| is_without) {
                let problem = format!("{option} has no effect on this image: it needs {needed}");
                return Err(Usage::new(ImageError(problem)));
            }
        }
        Ok(())
    }
}
