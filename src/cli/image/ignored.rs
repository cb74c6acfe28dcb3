//! Options that have no effect on what is imaged: they are refused by name.

use super::phantom::PhantomArg;
use super::{ImageCommand, ImageError};
use crate::cli::{Usage, given};

/// Whether options have no effect, which of them are given, and what they need.
type Rule = (bool, Vec<&'static str>, &'static str);

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
        let rules = rules.into_iter().chain(self.scanner_rules(block));
        for (is_without, options, needed) in rules {
            if let Some(option) = options.first().filter(|_| is_without) {
                let problem = format!("{option} has no effect on this image: it needs {needed}");
                return Err(Usage::new(ImageError(problem)));
            }
        }
        Ok(())
    }

    /// When settings of the scanner have no effect, which they are, and what they need.
    fn scanner_rules(&self, block: bool) -> [Rule; 7] {
        let (scanner, has_picture) = (&self.scanner, self.output.is_some());
        let is_speckle = matches!(self.phantom, Some(PhantomArg::Speckle));
        let is_bare = self.phantom.is_some_and(PhantomArg::is_bare);
        let is_rod = self.is_rod();
        let tgc = given(&[("--tgc", scanner.has_tgc())]);
        let iq = ["--views with --iq"];
        let strain = ["--views with --strain"];
        [
            (
                is_bare && !is_speckle && !is_rod,
                scanner.of_views(),
                "another phantom: points and attenuation are measured on the complex lines of one direction",
            ),
            (
                self.iq && !scanner.of_views().is_empty(),
                iq.to_vec(),
                "one of them: complex lines have one direction",
            ),
            (
                self.strain.strain && !scanner.of_views().is_empty(),
                strain.to_vec(),
                "one of them: strain is measured along lines of one direction",
            ),
            (
                is_bare && !is_speckle,
                scanner.of_receiver(),
                "another phantom: this block is measured without noise and gain",
            ),
            (
                is_speckle,
                tgc,
                "another phantom: the statistics of speckle are measured with the same gain at all depths",
            ),
            (
                block && !has_picture,
                scanner.of_range(),
                "a picture of the block, which --output DIR writes",
            ),
            (
                !has_picture,
                scanner.of_picture(),
                "a picture, which --output DIR writes",
            ),
        ]
    }
}
