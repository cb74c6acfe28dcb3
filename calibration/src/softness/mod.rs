//! `softness.toml`: the parameters that a scene reads, and their origin.
//!
//! Only `format` and the means of stiffness and damping are required, so the file can also be written by hand.

mod map_entry;
mod read;
mod write;

use std::collections::BTreeMap;

use serde::Deserialize;

pub use map_entry::MapEntry;

use crate::{Calibration, SiteCalibrations, models};

/// The version of the file's layout that this crate writes and reads.
pub const FORMAT: u32 = 1;

/// The file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SoftnessFile {
    /// Version of the layout; see [`FORMAT`].
    pub format: u32,
    /// Program that wrote the file, with version.
    #[serde(default)]
    pub generator: String,
    /// The model's name.
    #[serde(default)]
    pub model: String,
    /// The model's equation.
    #[serde(default)]
    pub equation: String,
    /// Number of logs.
    #[serde(default)]
    pub n_sites: usize,
    /// Parameters over all logs, by name.
    #[serde(default)]
    pub pooled: BTreeMap<String, PooledEntry>,
    /// Stiffness over damping [1/s].
    #[serde(default)]
    pub ratio: Option<RatioEntry>,
    /// Parameters of MuJoCo's own contact or equality constraints, if the mass is known.
    #[serde(default)]
    pub mujoco: Option<MujocoEntry>,
    /// One entry per log.
    #[serde(default, rename = "log")]
    pub logs: Vec<LogEntry>,
    /// Parameters over the skin, by name.
    #[serde(default)]
    pub map: BTreeMap<String, MapEntry>,
    /// Parameters of a torso of this name, tuned so that a simulated press of it measures the pooled values.
    #[serde(default)]
    pub scene: BTreeMap<String, SceneEntry>,
}

/// A pooled parameter, in SI units.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PooledEntry {
    /// Unit, such as `N/m`.
    #[serde(default)]
    pub unit: String,
    /// Mean over the logs.
    pub mean: f64,
    /// Standard deviation over the logs.
    pub sd: Option<f64>,
    /// 95 % interval of the mean.
    pub ci95: Option<[f64; 2]>,
    /// Minimum and maximum.
    pub range: Option<[f64; 2]>,
    /// Range that domain randomisation samples from.
    pub randomisation: Option<[f64; 2]>,
}

/// Stiffness over damping.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatioEntry {
    /// Value [1/s].
    pub value: f64,
    /// 95 % interval [1/s]; an end may be infinite.
    pub ci95: [f64; 2],
}

/// MuJoCo's direct reference.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MujocoEntry {
    /// Moving mass m [kg].
    pub mass: f64,
    /// `solref` [-k/m, -c/m] in MuJoCo's acceleration units [1/s², 1/s].
    pub solref: [f64; 2],
}

/// A log and its fit.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogEntry {
    /// The file as it was given.
    pub file: String,
    /// SHA-256 of the file.
    #[serde(default)]
    pub sha256: String,
    /// Name of a [`Format`](insonate_tables::Format), or `synthetic`.
    #[serde(default)]
    pub format: String,
    /// Roles and units of the columns.
    #[serde(default)]
    pub columns: Vec<String>,
    /// Fitted window [s].
    pub window_s: Option<[f64; 2]>,
    /// Force bias that was removed [N].
    pub force_bias_n: Option<f64>,
    /// Samples used.
    #[serde(default)]
    pub n: usize,
    /// Coefficient of determination.
    pub r_squared: Option<f64>,
    /// Root mean square force error [N].
    pub rmse_n: Option<f64>,
    /// Fitted parameters.
    #[serde(default)]
    pub parameters: BTreeMap<String, LogParameter>,
    /// Parameters that the log does not determine, with the reason.
    #[serde(default)]
    pub unidentifiable: BTreeMap<String, String>,
}

/// A fitted parameter in SI units.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogParameter {
    /// Value.
    pub value: f64,
    /// 95 % interval.
    pub ci95: [f64; 2],
}

/// A torso tuned to the logs.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SceneEntry {
    /// Stiffness to give the torso [N/m].
    pub stiffness: f64,
    /// Damping to give the torso [N·s/m].
    pub damping: f64,
    /// Outline of the torso.
    pub shape: Option<String>,
    /// Lattice of the torso.
    pub count: Option<[usize; 3]>,
    /// Spacing of the lattice [m].
    pub spacing: Option<f64>,
    /// Soft layers of the shell; `None`: all.
    pub soft_layers: Option<usize>,
    /// Further numbers of the torso's configuration, by name.
    #[serde(default)]
    pub parameters: BTreeMap<String, f64>,
    /// Result of a simulated press of the tuned torso.
    pub achieved: Option<TuningResult>,
}

/// Values that a simulated press of a tuned torso measured with the same regression.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TuningResult {
    /// Measured stiffness [N/m].
    pub stiffness: f64,
    /// Measured damping [N·s/m].
    pub damping: f64,
    /// Relative error of the stiffness.
    pub stiffness_error: f64,
    /// Relative error of the damping.
    pub damping_error: f64,
    /// Whether both errors are within the requested tolerance.
    pub reached: bool,
}

impl SoftnessFile {
    /// Creates the file of calibrated sites; `generator` is the program that writes it, with version.
    pub fn new(generator: &str, sites: &SiteCalibrations) -> Self {
        let SiteCalibrations {
            logs, pooled, mass, ..
        } = sites;
        let model = sites.model();
        let unit = |name: &str| {
            let parameters = logs.iter().filter_map(|log| log.fit.parameter(name));
            parameters
                .map(|parameter| parameter.unit.to_owned())
                .next()
                .unwrap_or_default()
        };
        let entry = |(name, spread): &(&'static str, crate::PooledParameter)| {
            let entry = PooledEntry {
                unit: unit(name),
                mean: spread.mean,
                sd: Some(spread.sd),
                ci95: Some(spread.ci95),
                range: Some(spread.range),
                randomisation: Some(spread.randomisation),
            };
            ((*name).to_owned(), entry)
        };
        let mean = |name: &str| pooled.parameter(name).map(|spread| spread.mean);
        let mujoco = match (*mass, mean("stiffness"), mean("damping")) {
            (Some(mass), Some(stiffness), Some(damping)) if mass > 0.0 => Some(MujocoEntry {
                mass,
                solref: [-stiffness / mass, -damping / mass],
            }),
            _ => None,
        };
        Self {
            format: FORMAT,
            generator: generator.to_owned(),
            model: model.to_owned(),
            equation: models::by_name(model).map_or(String::new(), |kind| kind.equation.to_owned()),
            n_sites: pooled.n_sites,
            pooled: pooled.parameters.iter().map(entry).collect(),
            ratio: pooled.ratio.map(|ratio| RatioEntry {
                value: ratio.value,
                ci95: ratio.ci95,
            }),
            mujoco,
            logs: logs.iter().map(LogEntry::new).collect(),
            map: BTreeMap::new(),
            scene: BTreeMap::new(),
        }
    }

    /// Stiffness [N/m] and damping [N·s/m], if the file has both.
    pub fn stiffness_and_damping(&self) -> Option<[f64; 2]> {
        let mean = |name: &str| self.pooled.get(name).map(|entry| entry.mean);
        Some([mean("stiffness")?, mean("damping")?])
    }

    /// What a file without pooled stiffness and damping lacks, and what helps.
    pub fn missing_softness(&self) -> String {
        let missing = "has no pooled stiffness and damping";
        let laws = models::names_with(|kind| kind.gives_softness);
        match self.model.as_str() {
            "" => format!("{missing}; calibrate with the law {laws}"),
            model if models::by_name(model).is_some_and(|kind| kind.gives_softness) => {
                format!("{missing}: {}", self.not_identified())
            }
            model => format!("{missing}, for the law {model}; calibrate with the law {laws}"),
        }
    }

    /// Why a file of a law that gives softness has none.
    fn not_identified(&self) -> String {
        let reason = |log: &LogEntry| {
            let names = ["stiffness", "damping"];
            let name = names
                .into_iter()
                .find(|name| log.unidentifiable.contains_key(*name))?;
            Some(format!(
                "{} has no {name}: {}",
                log.file, log.unidentifiable[name]
            ))
        };
        self.logs.iter().find_map(reason).unwrap_or_else(|| {
            "give the means of [pooled.stiffness] and [pooled.damping] in the file".to_owned()
        })
    }
}

impl LogEntry {
    fn new(log: &Calibration) -> Self {
        let source = &log.source;
        let parameters = || log.fit.parameters.iter();
        let value = |parameter: &crate::Parameter| {
            let fitted = LogParameter {
                value: parameter.value,
                ci95: parameter.ci95,
            };
            (parameter.name.to_owned(), fitted)
        };
        Self {
            file: source.file.clone(),
            sha256: source.sha256.clone(),
            format: source.format.to_owned(),
            columns: source.columns.clone(),
            window_s: Some(log.prepared.window),
            force_bias_n: Some(log.prepared.force_bias),
            n: log.fit.statistics.n,
            r_squared: Some(log.fit.statistics.r_squared),
            rmse_n: Some(log.fit.statistics.rmse_n),
            parameters: parameters()
                .filter(|parameter| parameter.identifiable)
                .map(value)
                .collect(),
            unidentifiable: parameters()
                .filter(|parameter| !parameter.identifiable)
                .map(|parameter| (parameter.name.to_owned(), parameter.reason.clone()))
                .collect(),
        }
    }
}
