//! Recordings for a calibration: presses at several sites, with one log each and their ground truth.

use insonate_calibration::synthetic::to_csv;
use insonate_models::Scene;
use insonate_models::torsos::TorsoConfig;
use insonate_sim::verdict::Verdict;
use serde::Serialize;

use super::depth_limit::DepthLimit;
use super::palpate::{Palpation, Site, SiteRecording, SiteTruth, palpate};
use super::{ExperimentError, Pictures, Progress, Recorder};

/// Presses of a scene, as a robot with a force sensor records them.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The sites that were pressed to their end.
    pub sites: Vec<SiteRecording>,
    /// Whether the caller interrupted the recording.
    pub interrupted: bool,
    /// What is doubtful about the forces.
    pub warnings: Vec<String>,
    /// Settings of the presses.
    palpation: Palpation,
    recorder: Recorder,
    seed: u64,
}

/// Ground truth of a recording: `truth.json`.
#[derive(Clone, Debug, Serialize)]
pub struct RecordingTruth<'a> {
    #[serde(flatten)]
    verdict: Verdict,
    simulated: bool,
    generator: &'static str,
    scene: String,
    timestep_s: f64,
    torso: Option<&'a TorsoConfig>,
    seed: u64,
    press: Palpation,
    recorder: Recorder,
    sites: Vec<&'a SiteTruth>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    interrupted: Option<bool>,
}

impl Recording {
    /// Presses every site; the seed and the number of a site determine its noise.
    ///
    /// # Errors
    /// Those of [`palpate`], except for an interruption, after which the sites that are done are kept.
    pub fn of(
        scene: &Scene,
        sites: &[Site],
        palpation: &Palpation,
        recorder: &Recorder,
        seed: u64,
        pictures: &mut Pictures,
        progress: Progress<'_>,
    ) -> Result<Self, ExperimentError> {
        let mut recording = Self {
            sites: Vec::with_capacity(sites.len()),
            interrupted: false,
            warnings: Vec::new(),
            palpation: *palpation,
            recorder: *recorder,
            seed,
        };
        for (index, site) in sites.iter().enumerate() {
            let recorded = palpate(
                scene,
                site,
                palpation,
                recorder,
                [seed, index as u64],
                pictures,
                &mut |share| progress((index as f64 + share) / sites.len() as f64),
            );
            match recorded {
                Err(ExperimentError::Interrupted(_)) => {
                    recording.interrupted = true;
                    break;
                }
                whole => recording.sites.push(whole?),
            }
        }
        let depths = recording
            .sites
            .iter()
            .map(|site| site.truth.peak_indentation_m);
        let warning = DepthLimit::of(scene).warning(depths.fold(0.0, f64::max));
        recording.warnings.extend(warning);
        Ok(recording)
    }

    /// The reasons of every site, by its name.
    pub fn verdict(&self) -> Verdict {
        let reasons = self.sites.iter().flat_map(|site| {
            let reasons = site.truth.verdict.reasons.iter();
            reasons.map(|reason| format!("{}: {reason}", site.truth.name))
        });
        Verdict::of(reasons.collect())
    }

    /// The ground truth.
    pub fn truth<'a>(&'a self, scene: &'a Scene) -> RecordingTruth<'a> {
        RecordingTruth {
            verdict: self.verdict(),
            simulated: true,
            generator: concat!("insonate ", env!("CARGO_PKG_VERSION")),
            scene: scene.name(),
            timestep_s: scene.timestep,
            torso: scene.torso.as_ref().map(|torso| &torso.config),
            seed: self.seed,
            press: self.palpation,
            recorder: self.recorder,
            sites: self.sites.iter().map(|site| &site.truth).collect(),
            warnings: &self.warnings,
            interrupted: self.interrupted.then_some(true),
        }
    }

    /// The log of a site as CSV, with comments that say what it is.
    pub fn csv(&self, site: &SiteRecording, scene: &Scene) -> String {
        let (truth, recorder) = (&site.truth, &self.recorder);
        let [x, y] = truth.site_m;
        let [bx, by, bz] = truth.bias_n;
        let comments = [
            format!(
                "simulated: scene {}, site {} at ({x:.4}, {y:.4}) m of the torso, seed {}",
                scene.name(),
                truth.name,
                self.seed
            ),
            format!(
                "simulated: noise force {} N, position {} m, velocity {} m/s; bias ({bx:.4}, {by:.4}, {bz:.4}) N; latency {} s; force step {} N",
                recorder.force_noise,
                recorder.position_noise,
                recorder.velocity_noise,
                recorder.latency,
                recorder.force_step
            ),
            "simulated: world frame; force is what the probe does to the tissue".to_owned(),
        ];
        to_csv(&site.log, &comments)
    }
}
