//! Tunes a scene's torso to a recorded press, until the same regression gives the recorded stiffness and damping in simulation.
//!
//! The probe repeats the recorded indentation ([`super::follow`]). The model that was fitted to the recording is fitted to the
//! simulated
//! force. Two parameters of the torso ([`super::torso_parameters`]) are adjusted until stiffness and damping agree ([`super::tuning`]).
//! A composite torso is tuned with the `fast` one, which is the same model, and is itself pressed once at the end.

use insonate_calibration::softness::TuningResult;
use insonate_calibration::{
    Calibration, ContactPoint, FitOptions, LogOverview, LogSource, MovingMass, PreparationChoice,
    PreparedLog, Samples, models,
};
use insonate_models::Scene;
use insonate_models::torsos::{self, Softness, TorsoConfig};

use super::depth_limit::DepthLimit;
use super::follow::{IndentationProfile, IndentationResponse, follow};
use super::torso_parameters::TorsoParameters;
use super::tuning::{TuningProblem, relative_errors, tune};
use super::{ExperimentError, Progress};

/// Maximum relative errors of stiffness and damping with which a fit counts as reached.
pub const REACHED: [f64; 2] = [0.05, 0.10];
/// Relative errors at which the search ends.
pub(super) const AIM: [f64; 2] = [0.005, 0.01];
/// Maximum number of presses in the search.
const MOST_PRESSES: usize = 14;
/// Maximum duration of the part of a recording that is repeated [s].
const LONGEST: f64 = 20.0;
/// Site of the press in the torso frame [m]: the middle of its top.
const SITE: [f64; 2] = [0.0, 0.0];

/// Error text for a scene without a torso.
const NO_TORSO: ExperimentError = ExperimentError::NoTorso { purpose: "to fit" };

/// A scene whose torso was tuned to a recording.
#[derive(Clone, Debug)]
pub struct SceneFit {
    /// Kind of torso.
    pub torso: &'static str,
    /// Tuned configuration of the torso.
    pub config: TorsoConfig,
    /// Target stiffness and damping.
    pub target: Softness,
    /// Stiffness and damping before tuning.
    pub untuned: Softness,
    /// Stiffness and damping after tuning.
    pub simulated: Softness,
    /// Relative error of the stiffness.
    pub stiffness_error: f64,
    /// Relative error of the damping.
    pub damping_error: f64,
    /// Whether stiffness is within 5 % and damping within 10 %.
    pub reached: bool,
    /// Whether the caller ended the search early.
    pub interrupted: bool,
    /// Description of the result, or the reason why the target was not reached.
    pub reason: String,
    /// Number of simulated presses, including the one before tuning.
    pub n_presses: usize,
    /// Root mean square difference between the simulated and the recorded indentation in the last press [m].
    pub tracking_rmse: f64,
    /// The simulated log and its fit.
    pub calibration: Calibration,
}

/// Tunes the torso of a scene to a recording. Without `target`, the goal is the recording's own stiffness and damping.
///
/// # Errors
/// If the scene has no torso, the recorded model has no stiffness and damping, a press cannot be simulated, or the caller interrupts
/// the first one ([`super::Interrupted`]).
pub fn fit_scene(
    scene: &Scene,
    recorded: &Calibration,
    target: Option<Softness>,
    options: &FitOptions,
    progress: Progress<'_>,
) -> Result<SceneFit, ExperimentError> {
    let torso = scene.torso.as_ref().ok_or(NO_TORSO)?;
    let target = target.map_or_else(|| softness_of(recorded), Ok)?;
    target.check()?;
    let mut press = PressRepeater::new(scene, recorded, options)?;
    let kind = torsos::by_name(torso.name)?;
    let proxy = kind.faster_twin.unwrap_or(kind.name);
    let untuned = press.run(proxy, &torso.config, progress)?.softness;
    let parameters = TorsoParameters::new(kind, target, scene.timestep);
    let problem = TuningProblem {
        target: [target.stiffness, target.damping],
        start: parameters.start(),
        bounds: parameters.bounds(),
        tolerance: AIM,
        most: MOST_PRESSES,
    };
    let mut n_presses = 1;
    let tuned = tune(&problem, |unknowns| {
        let n_before = f64::from(n_presses);
        n_presses += 1;
        let mut of_all = |share: f64| progress((n_before + share) / MOST_PRESSES as f64);
        let config = parameters.apply(unknowns, &torso.config);
        let pressed = press.run(proxy, &config, &mut of_all)?;
        let Softness { stiffness, damping } = pressed.softness;
        Ok(([stiffness, damping], pressed))
    })?;
    let config = parameters.apply(tuned.unknowns, &torso.config);
    let mut pressed = tuned.detail;
    let mut interrupted = tuned.interrupted;
    if proxy != torso.name && !interrupted {
        match press.run(torso.name, &config, progress) {
            Err(ExperimentError::Interrupted(_)) => interrupted = true,
            last => {
                pressed = last?;
                n_presses += 1;
            }
        }
    }
    let Softness { stiffness, damping } = pressed.softness;
    let [stiffness_error, damping_error] = relative_errors([stiffness, damping], problem.target);
    let reached = stiffness_error.abs() <= REACHED[0] && damping_error.abs() <= REACHED[1];
    let mut fit = SceneFit {
        torso: torso.name,
        config,
        target,
        untuned,
        simulated: pressed.softness,
        stiffness_error,
        damping_error,
        reached,
        interrupted,
        reason: String::new(),
        n_presses: n_presses as usize,
        tracking_rmse: pressed.tracking_rmse,
        calibration: pressed.calibration,
    };
    fit.reason = fit.explain(tuned.unknowns, problem.bounds);
    Ok(fit)
}

impl SceneFit {
    /// The result in the form of `softness.toml`.
    pub fn result(&self) -> TuningResult {
        TuningResult {
            stiffness: self.simulated.stiffness,
            damping: self.simulated.damping,
            stiffness_error: self.stiffness_error,
            damping_error: self.damping_error,
            reached: self.reached,
        }
    }

    /// Describes the outcome. A missed target is explained by a parameter at its bound.
    fn explain(&self, unknowns: [f64; 2], bounds: [[f64; 2]; 2]) -> String {
        let errors = format!(
            "stiffness {:+.1} %, damping {:+.1} % after {} presses",
            100.0 * self.stiffness_error,
            100.0 * self.damping_error,
            self.n_presses
        );
        if self.reached {
            return errors;
        }
        let Softness { stiffness, damping } = self.simulated;
        let at = |value: f64, bound: f64| (value / bound - 1.0).abs() < 1e-3;
        let why = if at(unknowns[1], bounds[1][0]) {
            format!(
                "the damping of a {} torso does not fall below {damping:.1} N·s/m at {stiffness:.0} N/m",
                self.torso
            )
        } else if at(unknowns[1], bounds[1][1]) {
            format!(
                "the damping of a {} torso does not rise above {damping:.1} N·s/m at {stiffness:.0} N/m",
                self.torso
            )
        } else if at(unknowns[0], bounds[0][0]) {
            format!(
                "a {} torso is not softer than {stiffness:.0} N/m here",
                self.torso
            )
        } else if at(unknowns[0], bounds[0][1]) {
            format!(
                "a {} torso is not stiffer than {stiffness:.0} N/m here",
                self.torso
            )
        } else if self.interrupted {
            "the search was interrupted".to_owned()
        } else {
            "the search did not come closer".to_owned()
        };
        format!("{why} ({errors})")
    }
}

/// Stiffness and damping of a fit.
fn softness_of(calibration: &Calibration) -> Result<Softness, ExperimentError> {
    let value = |name: &'static str| {
        let parameter = calibration.fit.parameter(name);
        parameter
            .map(|parameter| parameter.value)
            .ok_or_else(|| ExperimentError::NoSoftness {
                model: calibration.fit.model.to_owned(),
                parameter: name,
                known: models::names_with(|kind| kind.gives_softness),
            })
    };
    Ok(Softness {
        stiffness: value("stiffness")?,
        damping: value("damping")?,
    })
}

/// Repeats one recording on torsos with different configurations.
pub(super) struct PressRepeater<'a> {
    scene: Scene,
    recorded: &'a Samples,
    n: usize,
    options: FitOptions,
    model: &'static models::ModelKind,
}

/// One simulated press and its fit.
#[derive(Clone, Debug)]
pub(super) struct SimulatedPress {
    pub(super) softness: Softness,
    tracking_rmse: f64,
    pub(super) calibration: Calibration,
}

impl SimulatedPress {
    /// Root mean square of simulated minus recorded force while both are in contact [N].
    pub(super) fn force_rmse(&self, recorded: &Calibration) -> f64 {
        let (simulated, recorded) = (
            &self.calibration.prepared.samples,
            &recorded.prepared.samples,
        );
        let squares = simulated
            .time
            .iter()
            .zip(&simulated.force)
            .filter_map(|(&time, force)| {
                let after = recorded.time.partition_point(|&other| other < time);
                let before = after.checked_sub(1)?;
                let (&start, &end) = (recorded.time.get(before)?, recorded.time.get(after)?);
                let share = (time - start) / (end - start);
                let here = recorded.force[before];
                Some((force - here - share * (recorded.force[after] - here)).powi(2))
            });
        let (sum, n) = squares.fold((0.0, 0.0), |(sum, n), square| (sum + square, n + 1.0));
        (sum / n).sqrt()
    }
}

impl<'a> PressRepeater<'a> {
    pub(super) fn new(
        scene: &Scene,
        recorded: &'a Calibration,
        options: &FitOptions,
    ) -> Result<Self, ExperimentError> {
        let samples = &recorded.prepared.samples;
        let torso = scene.torso.as_ref().ok_or(NO_TORSO)?;
        if samples.len() < 2 {
            return Err(ExperimentError::ShortRecording {
                log: samples.log.clone(),
            });
        }
        let deepest = samples.indentation.iter().copied().fold(0.0, f64::max);
        let height = 2.0 * torso.config.half_size()[1];
        if deepest >= 0.5 * height {
            return Err(ExperimentError::DeepRecording {
                log: samples.log.clone(),
                depth: deepest,
                height,
            });
        }
        let model = models::by_name(recorded.fit.model).expect("a fit names its model");
        let used = recorded.fit.used.iter().map(|&i| samples.indentation[i]);
        let mut options = options.clone();
        // Fit the same samples as in the recording. The simulated force does not contain the probe's weight, and contact is known.
        options.min_indentation = Some(used.fold(f64::INFINITY, f64::min).min(0.5 * deepest));
        options.mass = MovingMass::Unknown;
        options.contact_point = false;
        options.n_bootstrap = 0;
        let end = samples.time[0] + LONGEST;
        Ok(Self {
            scene: scene.clone(),
            recorded: samples,
            n: samples.time.partition_point(|&time| time <= end),
            options,
            model,
        })
    }

    pub(super) fn run(
        &mut self,
        torso: &str,
        config: &TorsoConfig,
        progress: Progress<'_>,
    ) -> Result<SimulatedPress, ExperimentError> {
        self.scene.torso = Some((torsos::by_name(torso)?.build)(config)?);
        let profile = IndentationProfile {
            time: &self.recorded.time[..self.n],
            indentation: &self.recorded.indentation[..self.n],
            velocity: &self.recorded.velocity[..self.n],
        };
        let response = follow(&self.scene, SITE, &profile, progress)?;
        let deepest = response.indentation.iter().copied().fold(0.0, f64::max);
        let warning = DepthLimit::of(&self.scene).warning(deepest);
        let samples = samples(&response, &self.recorded.log, self.scene.timestep);
        let fit = self.model.fit(&samples, &self.options)?;
        let calibration = Calibration {
            source: LogSource::default(),
            prepared: prepared(samples, self.n < self.recorded.len()),
            fit,
            selection: None,
            warnings: warning.into_iter().collect(),
            place: None,
        };
        Ok(SimulatedPress {
            softness: softness_of(&calibration)?,
            tracking_rmse: response.tracking_rmse,
            calibration,
        })
    }
}

/// The response in contact as samples: contact is known, without bias or noise.
fn samples(response: &IndentationResponse, log: &str, timestep: f64) -> Samples {
    let inside: Vec<usize> = (0..response.time.len())
        .filter(|&i| response.indentation[i] > 0.0)
        .collect();
    let pick = |values: &[f64]| inside.iter().map(|&i| values[i]).collect::<Vec<f64>>();
    Samples {
        log: format!("{log} (simulated)"),
        time: pick(&response.time),
        indentation: pick(&response.indentation),
        velocity: pick(&response.velocity),
        force: pick(&response.force),
        contact: ContactPoint::KNOWN,
        sampling_interval: timestep,
        ..Samples::default()
    }
}

fn prepared(samples: Samples, is_cut: bool) -> PreparedLog {
    let ends = [samples.time.first(), samples.time.last()];
    let choice = PreparationChoice {
        what: "contact onset",
        value: "known".to_owned(),
        how: "where the probe first touches in the simulation".to_owned(),
    };
    let mut prepared = PreparedLog {
        window: ends.map(|time| time.copied().unwrap_or_default()),
        samples,
        choices: vec![choice],
        force_bias: 0.0,
        overview: LogOverview::default(),
        notes: is_cut
            .then(|| format!("the first {LONGEST} s of the recording were repeated"))
            .into_iter()
            .collect(),
    };
    let all = &prepared.samples;
    let thinned = |values: &[f64]| {
        values
            .iter()
            .step_by(1 + all.len() / 4000)
            .copied()
            .collect()
    };
    prepared.overview.time = thinned(&all.time);
    prepared.overview.indentation = thinned(&all.indentation);
    prepared.overview.force = thinned(&all.force);
    prepared
}
