//! The report of a calibration: tables, JSON, plots as SVG and PNG, `softness.toml` and one self-contained HTML page.
//! Beside it, what is drawn of trainings and episodes: learning curves, plots over time, films.
//!
//! ```text
//! Report ─┬─ text()   for the terminal
//!         ├─ json()   for scripts
//!         └─ files()  softness.toml, report.html, result.json, plots
//! ```

mod canvas;
mod curve;
mod film_strip;
mod force_loop;
mod html;
mod json;
mod learning_curve;
mod motion_plot;
mod page;
mod residuals;
mod rollout_plot;
pub mod settings;
mod sites;
mod text;
mod time;
mod words;

use std::collections::BTreeSet;

use crate::calibration::softness::{SceneEntry, SoftnessFile, TuningResult};
use crate::calibration::{Calibration, LogSource, Parameter, Pooled};

pub use canvas::Picture;
pub use film_strip::film_with_strip;
pub use learning_curve::learning_curve;
pub use motion_plot::motion_plot;
pub use rollout_plot::rollout_plot;

/// Everything that a calibration found.
#[derive(Clone, Debug)]
pub struct Report {
    /// What made it, with version.
    pub generator: String,
    /// The command line that was given.
    pub command: String,
    /// Each log; at least one.
    pub logs: Vec<CalibratedLog>,
    /// All of them together.
    pub pooled: Pooled,
    /// The moving mass [kg], where it is known or fitted.
    pub mass: Option<f64>,
    /// Exponents of Hunt–Crossley, where they were given and not fitted.
    pub exponents: Option<[f64; 2]>,
    /// What was noticed about the whole.
    pub notes: Vec<String>,
    /// The torso that was tuned, where one was.
    pub scene: Option<SceneOutcome>,
}

/// A log and what was found in it.
#[derive(Clone, Debug)]
pub struct CalibratedLog {
    /// Where it comes from.
    pub source: LogSource,
    /// Samples and fit.
    pub calibration: Calibration,
}

/// A torso tuned until a simulated press measures what was recorded.
#[derive(Clone, Debug)]
pub struct SceneOutcome {
    /// The torso's name.
    pub torso: String,
    /// What to give the torso, and what it then measures.
    pub entry: SceneEntry,
    /// Stiffness [N/m] and damping [N·s/m] that were wanted.
    pub target: [f64; 2],
    /// What the torso measured as it came: stiffness [N/m], damping [N·s/m].
    pub untuned: [f64; 2],
    /// What a simulated press of it measures, and by how much that is off.
    pub achieved: TuningResult,
    /// Why tuning ended, in words.
    pub reason: String,
    /// Number of presses that were simulated.
    pub n_presses: usize,
    /// Root mean square difference of simulated and recorded indentation [m].
    pub tracking_rmse: f64,
    /// The last simulated press, calibrated as the recorded ones were.
    pub simulated: Option<Calibration>,
}

impl Report {
    /// The model that was fitted.
    pub fn model(&self) -> &'static str {
        self.logs
            .first()
            .map_or("", |log| log.calibration.fit.model)
    }

    /// What a scene reads.
    pub fn softness(&self) -> SoftnessFile {
        let logs: Vec<_> = self
            .logs
            .iter()
            .map(|log| (&log.source, &log.calibration))
            .collect();
        let mut file = SoftnessFile::new(&self.generator, &logs, &self.pooled, self.mass);
        if let Some(scene) = &self.scene {
            let entry = SceneEntry {
                achieved: Some(scene.achieved.clone()),
                ..scene.entry.clone()
            };
            file.scene.insert(scene.torso.clone(), entry);
        }
        file
    }

    /// Every file with its name; `progress` is told the share done.
    ///
    /// # Errors
    /// When a plot cannot be drawn.
    pub fn files(&self, progress: &mut dyn FnMut(f64)) -> anyhow::Result<Vec<(String, Vec<u8>)>> {
        let pictures = self.pictures(progress)?;
        let mut files = vec![
            (
                "softness.toml".to_owned(),
                self.softness().to_toml().into_bytes(),
            ),
            (
                "result.json".to_owned(),
                format!("{}\n", serde_json::to_string_pretty(&self.json())?).into_bytes(),
            ),
            (
                "report.html".to_owned(),
                html::page(self, &pictures).into_bytes(),
            ),
        ];
        files.extend(pictures.all().flat_map(Picture::files));
        Ok(files)
    }

    /// Draws everything.
    fn pictures(&self, progress: &mut dyn FnMut(f64)) -> anyhow::Result<Pictures> {
        let stems = self.stems();
        let mut pictures = Pictures::default();
        for (index, (log, stem)) in self.logs.iter().zip(&stems).enumerate() {
            pictures.logs.push(self.pictures_of(log, stem)?);
            progress((index + 1) as f64 / self.logs.len() as f64);
        }
        if self.logs.len() > 1 && !self.pooled.parameters.is_empty() {
            let names = self.logs.iter().map(CalibratedLog::name);
            let logs: Vec<_> = names
                .zip(self.logs.iter().map(|log| &log.calibration))
                .collect();
            let caption = "Each site's estimate with its 95 % interval; the line is the mean over sites, the band its 95 % interval.";
            let drawing = sites::Sites::of(&logs, &self.pooled);
            pictures.sites = Some(Picture::of(
                "sites".to_owned(),
                caption.to_owned(),
                &drawing,
            )?);
        }
        if let (Some(scene), Some(log)) = (&self.scene, self.logs.first())
            && let Some(simulated) = &scene.simulated
        {
            let title = format!(
                "{}: recorded and simulated on torso {}",
                log.name(),
                scene.torso
            );
            let drawing = force_loop::ForceLoop::simulated(&title, &log.calibration, simulated);
            let caption = "Force over indentation: the recorded press, and the tuned torso pressed along the same indentation.";
            pictures.scene = Some(Picture::of(
                "scene".to_owned(),
                caption.to_owned(),
                &drawing,
            )?);
        }
        Ok(pictures)
    }

    fn pictures_of(&self, log: &CalibratedLog, stem: &str) -> anyhow::Result<Vec<Picture>> {
        let (fitted, title) = (&log.calibration, log.name());
        let name = |kind: &str| format!("{stem}_{kind}");
        let curve = curve::Curve::of(&title, fitted, self.exponents);
        let over_time = "Force and indentation over the whole log. The shaded window was fitted; orange is what the law says.";
        let residuals = "What the law leaves over. Waves mean that the law misses something, a wide bell that the sensor is noisy.";
        let force_loop =
            "Force over indentation. The area of the loop is the energy that damping takes.";
        Ok(vec![
            Picture::of(name("curve"), curve.caption.clone(), &curve)?,
            Picture::of(
                name("time"),
                over_time.to_owned(),
                &time::TimePlot::of(&title, fitted),
            )?,
            Picture::of(
                name("residuals"),
                residuals.to_owned(),
                &residuals::Residuals::of(&title, fitted),
            )?,
            Picture::of(
                name("loop"),
                force_loop.to_owned(),
                &force_loop::ForceLoop::predicted(&title, fitted),
            )?,
        ])
    }

    /// A file name for each log: its own where that is harmless, never one twice.
    fn stems(&self) -> Vec<String> {
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let n = self.logs.len();
        let stems = self.logs.iter().map(|log| {
            let plain = |c: char| {
                if c.is_ascii_alphanumeric() || c == '-' || c == '_' {
                    c
                } else {
                    '_'
                }
            };
            let name: String = log.name().chars().take(80).map(plain).collect();
            let name = if name.is_empty() {
                "log".to_owned()
            } else {
                name
            };
            let free = std::iter::once(name.clone())
                .chain((2..=n + 1).map(|n| format!("{name}-{n}")))
                .find(|candidate| taken.insert(candidate.to_lowercase()));
            free.unwrap_or(name)
        });
        stems.collect()
    }
}

impl CalibratedLog {
    /// Name without folder and ending, fit to be shown.
    pub fn name(&self) -> String {
        let stem = std::path::Path::new(&self.source.file).file_stem();
        let name = stem.map_or(self.source.file.clone(), |stem| {
            stem.to_string_lossy().into_owned()
        });
        shown(&name)
    }
}

/// The plots of a report.
#[derive(Debug, Default)]
struct Pictures {
    /// Those of each log.
    logs: Vec<Vec<Picture>>,
    sites: Option<Picture>,
    scene: Option<Picture>,
}

impl Pictures {
    fn all(&self) -> impl Iterator<Item = &Picture> {
        self.sites
            .iter()
            .chain(&self.scene)
            .chain(self.logs.iter().flatten())
    }
}

/// Text from outside without what would break a line, a terminal or an XML file.
fn shown(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

/// A number with as many digits as a person reads: four or five significant ones.
fn number(value: f64) -> String {
    if !value.is_finite() {
        return if value.is_nan() {
            "–".to_owned()
        } else if value > 0.0 {
            "∞".to_owned()
        } else {
            "−∞".to_owned()
        };
    }
    let size = value.abs();
    if value == 0.0 {
        "0".to_owned()
    } else if !(1e-3..1e7).contains(&size) {
        format!("{value:.3e}")
    } else {
        let before_point = size.log10().floor() as i32 + 1;
        format!("{value:.*}", (5 - before_point).clamp(0, 6) as usize)
    }
}

/// `[low, high]` for people.
fn interval([low, high]: [f64; 2]) -> String {
    format!("{} to {}", number(low), number(high))
}

/// What a parameter is called in a sentence.
fn title_of(name: &str) -> &str {
    match name {
        "stiffness" => "stiffness k",
        "damping" => "damping c",
        "kappa" => "κ",
        "lambda" => "λ",
        "exponent_n" => "exponent n",
        "exponent_m" => "exponent m",
        "force_offset" => "force offset f₀",
        "mass" => "moving mass m",
        "branch_stiffness" => "branch stiffness k₁",
        "relaxation_time" => "relaxation time τ",
        "young_modulus" => "Young's modulus E",
        other => other,
    }
}

/// The names of all parameters of some logs, in the order of their first appearance.
fn names_of(logs: &[CalibratedLog]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for parameter in logs.iter().flat_map(|log| &log.calibration.fit.parameters) {
        if !names.contains(&parameter.name) {
            names.push(parameter.name);
        }
    }
    names
}

/// The unit of a parameter, from the first log that has it.
fn unit_of(logs: &[CalibratedLog], name: &str) -> &'static str {
    let parameters = logs
        .iter()
        .filter_map(|log| log.calibration.fit.parameter(name));
    parameters.map(|p: &Parameter| p.unit).next().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_that_are_read() {
        for (value, text) in [
            (1485.64, "1485.6"),
            (28.84, "28.840"),
            (0.859, "0.85900"),
            (0.0, "0"),
            (-1.118, "-1.1180"),
            (f64::INFINITY, "∞"),
            (123456.7, "123457"),
            (1.5e9, "1.500e9"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
