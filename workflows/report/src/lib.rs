//! Reports of a calibration, of an identification, of a study, of a benchmark and of a patient: tables, JSON, plots as SVG and PNG, and one self-contained HTML page;
//! a calibration's also writes `softness.toml`. [`View3d`] shows an image plane among organs and robot.
//!
//! ```text
//! CalibrationReport ─┬─ text()   for the terminal
//!                    ├─ json()   for scripts
//!                    └─ files()  softness.toml, report.html, result.json, plots
//! ```

mod benchmark;
mod colors;
mod curve;
mod demo;
mod error;
mod fit_quality;
mod force_loop;
mod html;
mod identification;
mod json;
mod map;
mod page;
mod patient;
mod residuals;
mod row_plot;
mod sites;
mod study;
mod study_plot;
mod text;
mod time;
mod view_3d;

use std::collections::BTreeSet;

use insonate_calibration::map::MapGrid;
use insonate_calibration::softness::{MapEntry, SceneEntry, SoftnessFile};
use insonate_calibration::{Calibration, Parameter, PooledParameter, SiteCalibrations};
use insonate_drawing::{DrawingError, Picture};
use insonate_experiments::{RepeatedPress, SceneFit, scene_entry};

pub use benchmark::{benchmark_files, benchmark_text};
pub use demo::DemoPage;
pub use error::ReportError;
pub use identification::IdentificationReport;
pub use patient::PatientReport;
pub use study::{study_files, study_text};
pub use view_3d::{BodySurfaces, ImagePlane, View3d};

/// Results of a calibration.
#[derive(Clone, Debug)]
pub struct CalibrationReport {
    /// Name and version of the program.
    pub generator: String,
    /// The command line.
    pub command: String,
    /// Calibrations of each log and of all logs together.
    pub sites: SiteCalibrations,
    /// Parameters over the skin, if they were mapped.
    pub maps: Vec<MapGrid>,
    /// The tuned torso, if one was tuned.
    pub scene: Option<SceneFit>,
    /// The first log's press on a torso with the pooled softness, if it was simulated.
    pub repeated: Option<RepeatedPress>,
    /// Whether the simulation was interrupted.
    pub interrupted: bool,
}

impl CalibrationReport {
    /// Softness file for a scene.
    pub fn softness(&self) -> SoftnessFile {
        let mut file = SoftnessFile::new(&self.generator, &self.sites);
        for map in &self.maps {
            file.map.insert(map.parameter.clone(), MapEntry::new(map));
        }
        if let Some(scene) = &self.scene {
            let entry = SceneEntry {
                achieved: Some(scene.result()),
                ..scene_entry::entry_of(&scene.config)
            };
            file.scene.insert(scene.torso.to_owned(), entry);
        }
        file
    }

    /// All files with their names. `progress` receives the share that is done.
    ///
    /// # Errors
    /// [`ReportError`].
    pub fn files(
        &self,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Vec<(String, Vec<u8>)>, ReportError> {
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

    /// Draws all pictures.
    fn pictures(&self, progress: &mut dyn FnMut(f64)) -> Result<Pictures, DrawingError> {
        let stems = self.stems();
        let mut pictures = Pictures::default();
        for (index, (log, stem)) in self.sites.logs.iter().zip(&stems).enumerate() {
            pictures.logs.push(pictures_of(log, stem)?);
            progress((index + 1) as f64 / self.sites.logs.len() as f64);
        }
        if self.sites.logs.len() > 1 && !self.sites.pooled.parameters.is_empty() {
            let caption = "Each site's estimate with its 95 % interval; the line is the mean over sites, the band its 95 % interval.";
            let drawing = sites::Sites::of(&self.sites);
            pictures.sites = Some(Picture::of(
                "sites".to_owned(),
                caption.to_owned(),
                &drawing,
            )?);
        }
        for map in &self.maps {
            pictures.maps.push(Picture::of(
                format!("map_{}", map.parameter),
                map::CAPTION.to_owned(),
                &map::MapPlot::of(map),
            )?);
        }
        if let Some(log) = self.sites.logs.first() {
            let drawn = |name: &str, torso: &str, caption: &str, simulated: &Calibration| {
                let title = format!("{}: recorded and simulated on torso {torso}", name_of(log));
                let drawing = force_loop::ForceLoop::simulated(&title, log, simulated);
                Picture::of(name.to_owned(), caption.to_owned(), &drawing)
            };
            if let Some(scene) = &self.scene {
                let caption = "Force over indentation: the recorded press, and the tuned torso pressed along the same indentation.";
                pictures.scene = Some(drawn("scene", scene.torso, caption, &scene.calibration)?);
            }
            if let Some(press) = &self.repeated {
                let caption = "Force over indentation: the recorded press, and a torso with the calibrated softness pressed along the same indentation.";
                pictures.repeated = Some(drawn(
                    "simulated",
                    press.torso,
                    caption,
                    &press.calibration,
                )?);
            }
        }
        Ok(pictures)
    }

    /// A unique file name for each log. It is the log's own name if that is safe.
    fn stems(&self) -> Vec<String> {
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let n = self.sites.logs.len();
        let stems = self.sites.logs.iter().map(|log| {
            let plain = |c: char| {
                if c.is_ascii_alphanumeric() || c == '-' || c == '_' {
                    c
                } else {
                    '_'
                }
            };
            let name: String = name_of(log).chars().take(80).map(plain).collect();
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

/// The plots of one log.
fn pictures_of(log: &Calibration, stem: &str) -> Result<Vec<Picture>, DrawingError> {
    let title = name_of(log);
    let name = |kind: &str| format!("{stem}_{kind}");
    let curve = curve::Curve::of(&title, log);
    let over_time = "Force and indentation over the whole log. The shaded window was fitted; orange is what the law says.";
    let residuals = "What the law leaves over. Waves mean that the law misses something, a wide bell that the sensor is noisy.";
    let force_loop =
        "Force over indentation. The area of the loop is the energy that damping takes.";
    Ok(vec![
        Picture::of(name("curve"), curve.caption.clone(), &curve)?,
        Picture::of(
            name("time"),
            over_time.to_owned(),
            &time::TimePlot::of(&title, log),
        )?,
        Picture::of(
            name("residuals"),
            residuals.to_owned(),
            &residuals::Residuals::of(&title, log),
        )?,
        Picture::of(
            name("loop"),
            force_loop.to_owned(),
            &force_loop::ForceLoop::predicted(&title, log),
        )?,
    ])
}

/// A log's name without folder and extension, safe for output.
fn name_of(log: &Calibration) -> String {
    shown(&log.source.name())
}

/// The plots of a report.
#[derive(Debug, Default)]
struct Pictures {
    /// The plots of each log.
    logs: Vec<Vec<Picture>>,
    sites: Option<Picture>,
    maps: Vec<Picture>,
    scene: Option<Picture>,
    repeated: Option<Picture>,
}

impl Pictures {
    fn all(&self) -> impl Iterator<Item = &Picture> {
        self.sites
            .iter()
            .chain(&self.maps)
            .chain(&self.scene)
            .chain(&self.repeated)
            .chain(self.logs.iter().flatten())
    }
}

/// Removes characters from external text that would break a line, a terminal or an XML file.
fn shown(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

/// Formats a number with four or five significant digits.
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

/// Formats an interval as `[low, high]`.
fn interval([low, high]: [f64; 2]) -> String {
    format!("{} to {}", number(low), number(high))
}

/// All parameters of all logs in the order of their first appearance, each from the first log that has it.
fn parameters_of(logs: &[Calibration]) -> Vec<&Parameter> {
    let mut all: Vec<&Parameter> = Vec::new();
    for parameter in logs.iter().flat_map(|log| &log.fit.parameters) {
        if all.iter().all(|known| known.name != parameter.name) {
            all.push(parameter);
        }
    }
    all
}

/// Title and unit, such as `stiffness k [N/m]`.
fn labelled(title: &str, unit: &str) -> String {
    if unit.is_empty() {
        title.to_owned()
    } else {
        format!("{title} [{unit}]")
    }
}

/// The parameters that all logs have and identify, each with its pooled value.
fn pooled_of(sites: &SiteCalibrations) -> Vec<(&Parameter, &PooledParameter)> {
    parameters_of(&sites.logs)
        .into_iter()
        .filter_map(|parameter| Some((parameter, sites.pooled.parameter(parameter.name)?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_significant_digits() {
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
