//! `insonate press --sites`: recordings for a calibration.

use clap::Args;
use insonate::experiments::{
    Palpation, Recorder, Recording, Site, SiteRecording, five_sites, random_site,
};
use insonate::models::{ModelError, Scene};

use super::super::Usage;
use super::super::verdict_args::ending;
use super::Press;
use crate::cli::number_list;

#[derive(Debug, Args)]
#[command(next_help_heading = "Recording for a calibration")]
pub(super) struct SitesArgs {
    /// Record a calibration instead: 5 presses (upper_right, upper_left, centre, lower_right, lower_left, as the patient sees them),
    /// or 1 at --site; one log each, with air before it and a sine while pressed, and truth.json.
    #[arg(long, value_name = "1|5", value_parser = sites)]
    pub(super) sites: Option<usize>,
    /// Errors of the recorder: none, thesis (bias drawn from its offsets, noise of a common sensor), or such as
    /// force=0.05,bias=-1.9:0.6,lateral-bias=0,latency=0.002,step=0.005,position=5e-6,velocity=1e-4 [N, s, m, m/s].
    #[arg(long, value_name = "SPEC", default_value = "none", value_parser = noise, requires = "sites")]
    noise: Recorder,
    /// Sample rate [Hz].
    #[arg(long, value_name = "HZ", default_value_t = 500.0, requires = "sites")]
    rate: f64,
    /// Amplitude, frequency and number of cycles of the sine while pressed [m, Hz, 1] [default: 0.3 of the depth, 2, 4].
    #[arg(long, value_name = "M,HZ,N", value_parser = sine, requires = "sites", allow_hyphen_values = true)]
    sine: Option<[f64; 3]>,
}

impl SitesArgs {
    /// Records every site.
    pub(super) fn run(&self, press: &Press, scene: &Scene, count: usize) -> anyhow::Result<()> {
        let usual = Palpation::default();
        let depth = press.depth.unwrap_or(usual.depth);
        let amplitude = usual.amplitude * (depth / usual.depth);
        let [amplitude, frequency, cycles] =
            self.sine
                .unwrap_or([amplitude, usual.frequency, usual.cycles]);
        let palpation = Palpation {
            depth,
            speed: press.speed,
            hold: press.hold,
            amplitude,
            frequency,
            cycles,
            max_force: press.max_force,
            limits: press.verdict.limits()?,
            ..usual
        };
        palpation.check().map_err(Usage::new)?;
        if count == 5 && press.site.is_some() {
            let problem = "--site is the place of --sites 1; the five sites have their own";
            return Err(Usage::new(ModelError::Conflict(problem.to_owned())).into());
        }
        let recorder = Recorder {
            rate: self.rate,
            ..self.noise
        };
        recorder.check().map_err(Usage::new)?;
        let seed = press.outcome.seed.unwrap_or(0);
        let sites = places(press, scene, count);
        let run = press
            .outcome
            .start(scene, &press.output, "press", "recording")?;
        let (mut pictures, mut progress) = run.observers();
        let recording = Recording::of(
            scene,
            &sites,
            &palpation,
            &recorder,
            seed,
            &mut pictures,
            &mut progress,
        )?;
        let mut files: Vec<(String, Vec<u8>)> = recording
            .sites
            .iter()
            .map(|site| {
                let csv = recording.csv(site, scene);
                (site.truth.file.clone(), csv.into_bytes())
            })
            .collect();
        let truth = serde_json::to_value(recording.truth(scene))?;
        let text = serde_json::to_string_pretty(&truth)?;
        files.push(("truth.json".to_owned(), format!("{text}\n").into_bytes()));
        for warning in &recording.warnings {
            eprintln!("warning: {warning}");
        }
        run.finish_files(&files, &truth, &lines(&recording.sites), &pictures)?;
        ending(&recording.verdict(), "recording")
    }
}

/// Where to press.
fn places(press: &Press, scene: &Scene, count: usize) -> Vec<Site> {
    let config = scene.torso.as_ref().map(|torso| torso.config.clone());
    if count == 5 {
        return five_sites(&config.unwrap_or_default()).to_vec();
    }
    let random = || press.outcome.seed.map(|seed| random_site(seed, 0, scene));
    vec![Site {
        name: "site",
        position: press.site.or_else(random).unwrap_or([0.0, 0.0]),
    }]
}

/// What was recorded, for people.
fn lines(recorded: &[SiteRecording]) -> Vec<String> {
    let mut lines = vec![format!(
        "{:<12} {:>9} {:>9} {:>9} {:>12} {:>13}",
        "site", "depth mm", "peak N", "bias N", "k N/m", "c N·s/m"
    )];
    lines.extend(recorded.iter().map(|site| {
        let truth = &site.truth;
        format!(
            "{:<12} {:>9.2} {:>9.2} {:>9.3} {:>12.1} {:>13.2}",
            truth.name,
            1e3 * truth.peak_indentation_m,
            truth.peak_force_n,
            truth.bias_n[2],
            truth.stiffness,
            truth.damping
        )
    }));
    lines.push(format!(
        "\nk and c: {} of each press before noise",
        insonate_calibration::models::DEFAULT.name
    ));
    lines
}

fn sites(text: &str) -> Result<usize, String> {
    match text {
        "1" => Ok(1),
        "5" => Ok(5),
        _ => Err(
            "5 sites, or 1 at --site; press other places one by one with --sites 1 --site X,Y"
                .to_owned(),
        ),
    }
}

fn sine(text: &str) -> Result<[f64; 3], String> {
    number_list::finite(text)
        .ok_or_else(|| "amplitude, frequency and cycles, such as 0.003,2,4".to_owned())
}

/// The rate is set later.
fn noise(text: &str) -> Result<Recorder, String> {
    Recorder::parse(text, 500.0)
}
