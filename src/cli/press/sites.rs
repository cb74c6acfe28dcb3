//! `insonate press --sites`: recordings for a calibration.

use clap::Args;
use insonate::experiments::{
    ExperimentError, Palpation, Recorder, Site, SiteRecording, five_sites, palpate,
};
use insonate::models::{ModelError, Scene};
use insonate::sim::verdict::Verdict;
use insonate_calibration::synthetic::to_csv;
use serde_json::json;

use super::super::Usage;
use super::super::outcome::random_point;
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
        let mut recorded = Vec::with_capacity(sites.len());
        let mut interrupted = false;
        for (index, site) in sites.iter().enumerate() {
            let recording = palpate(
                scene,
                site,
                &palpation,
                &recorder,
                [seed, index as u64],
                &mut pictures,
                &mut |share| progress((index as f64 + share) / sites.len() as f64),
            );
            match recording {
                Err(ExperimentError::Interrupted(_)) => {
                    interrupted = true;
                    break;
                }
                whole => recorded.push(whole?),
            }
        }
        let torso = scene.torso.as_ref();
        let verdict = verdict(&recorded);
        let mut truth = json!({
            "verdict": verdict.outcome,
            "reasons": verdict.reasons,
            "simulated": true,
            "generator": concat!("insonate ", env!("CARGO_PKG_VERSION")),
            "scene": scene.name(),
            "timestep_s": scene.timestep,
            "torso": torso.map(|torso| &torso.config),
            "seed": seed,
            "press": palpation,
            "recorder": recorder,
            "sites": recorded.iter().map(|site| &site.truth).collect::<Vec<_>>(),
        });
        if interrupted {
            truth["interrupted"] = true.into();
        }
        let mut files: Vec<(String, Vec<u8>)> = recorded
            .iter()
            .map(|site| (site.truth.file.clone(), csv(site, scene, &recorder, seed)))
            .collect();
        let text = serde_json::to_string_pretty(&truth)?;
        files.push(("truth.json".to_owned(), format!("{text}\n").into_bytes()));
        run.finish_files(&files, &truth, &lines(&recorded), &pictures)?;
        ending(&verdict, "recording")
    }
}

/// Where to press.
fn places(press: &Press, scene: &Scene, count: usize) -> Vec<Site> {
    let config = scene.torso.as_ref().map(|torso| torso.config.clone());
    if count == 5 {
        return five_sites(&config.unwrap_or_default()).to_vec();
    }
    let random = || press.outcome.seed.map(|seed| random_point(seed, 0, scene));
    vec![Site {
        name: "site",
        position: press.site.or_else(random).unwrap_or([0.0, 0.0]),
    }]
}

/// The log with comments that say what it is.
fn csv(site: &SiteRecording, scene: &Scene, recorder: &Recorder, seed: u64) -> Vec<u8> {
    let truth = &site.truth;
    let [x, y] = truth.site_m;
    let [bx, by, bz] = truth.bias_n;
    let comments = [
        format!(
            "simulated: scene {}, site {} at ({x:.4}, {y:.4}) m of the torso, seed {seed}",
            scene.name(),
            truth.name
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
    to_csv(&site.log, &comments).into_bytes()
}

/// The reasons of every site, by its name.
fn verdict(recorded: &[SiteRecording]) -> Verdict {
    let reasons = recorded.iter().flat_map(|site| {
        let reasons = site.truth.verdict.reasons.iter();
        reasons.map(|reason| format!("{}: {reason}", site.truth.name))
    });
    Verdict::of(reasons.collect())
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

/// `none`, `thesis`, or keys; the rate is set later.
fn noise(text: &str) -> Result<Recorder, String> {
    let mut recorder = match text {
        "none" => return Ok(Recorder::exact(500.0)),
        "thesis" => return Ok(Recorder::thesis(500.0)),
        _ => Recorder::exact(500.0),
    };
    let known =
        "none, thesis, or keys out of force, bias, lateral-bias, latency, step, position, velocity";
    for pair in text.split(',') {
        let (key, value) = pair
            .split_once('=')
            .ok_or_else(|| format!("{pair:?} is not key=value; it must be {known}"))?;
        let number = |word: &str| {
            let number = word.trim().parse::<f64>().ok().filter(|x| x.is_finite());
            number.ok_or_else(|| format!("{key} is {word:?}; it must be a number"))
        };
        // One number is a fixed bias, two are a range.
        let range = || match value.split_once(':') {
            Some((low, high)) => Ok::<_, String>([number(low)?, number(high)?]),
            None => number(value).map(|value| [value; 2]),
        };
        match key.trim() {
            "force" => recorder.force_noise = number(value)?,
            "bias" => recorder.bias = range()?,
            "lateral-bias" => recorder.lateral_bias = range()?,
            "latency" => recorder.latency = number(value)?,
            "step" => recorder.force_step = number(value)?,
            "position" => recorder.position_noise = number(value)?,
            "velocity" => recorder.velocity_noise = number(value)?,
            other => return Err(format!("there is no noise {other:?}; it must be {known}")),
        }
    }
    Ok(recorder)
}
